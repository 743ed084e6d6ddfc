"""Equal groups: groups of the same size, sharing, packing, rows. Asked: the total, the size, or the number of groups."""

from __future__ import annotations

from text2math.data.stories import words
from text2math.data.stories.grammar import plural
from text2math.data.stories.parts import factors, told
from text2math.data.stories.world import Draft, Fact, Thing, crowds


def packing(draft: Draft) -> None:
    """Somebody's things in boxes, bags, rows, pages."""
    scene = draft.scene(mass=0.08)
    box = draft.pick(scene.box)
    _prepare(draft, scene.size[1] * 6, box)
    draft.set(spot=draft.pick(scene.spot) if scene.spot else "there", kind=draft.pick(words.COLORS))
    draft.act("v", scene.gain)
    match draft.rng.randint(0, 4):
        case 0 | 1:
            draft.facts = [Fact(text) for text in draft.pick(_TOTAL)]
            draft.gold = ("*", "g", "s")
            draft.asks(_ASK_TOTAL)
            if len(draft.facts) > 1 and "each" in draft.facts[0].text:
                draft.movable = False
        case 2 | 3:
            total = told(draft, "w", draft.amounts["g"].value * draft.amounts["s"].value, scene)
            draft.facts = [Fact(text) for text in draft.pick(_BY_SIZE)]
            draft.gold = ("/", total, "s")
            draft.asks(_ASK_GROUPS)
        case _:
            total = told(draft, "w", draft.amounts["g"].value * draft.amounts["s"].value, scene)
            draft.facts = [Fact(text) for text in draft.pick(_BY_NUMBER)]
            draft.gold = ("/", total, "g")
            draft.asks(_ASK_SIZE)


def _prepare(draft: Draft, high: int, box: str) -> None:
    draft.tense = draft.pick(("past", "past", "present"))
    draft.person("p")
    groups, size = factors(draft, high)
    boxes = Thing(box, plural(box))
    draft.slots["b"] = boxes
    draft.amount("g", groups, boxes)
    draft.amount("s", size)
    draft.kind = "groups"
    draft.spare = ["other_thing", "age", "date", "other_person"]
    past = draft.tense == "past"
    draft.set(
        be="were" if past else "are",
        held="held" if past else "holds",
        had="had" if past else "has",
        held1="held" if past else "hold",
    )


_TOTAL = (
    ["{p~+%have} {G} of {t.stuff}", "[each|every] {b.one} {held} {S}"],
    ["{p~+%have} {G}", "there {be} {S} in [each|every] {b.one}"],
    ["{p~+%$v} {G} of {t.stuff} with {S.bare} in each {b.one}"],
    ["{p~+%fill} {G} with {t.stuff}", "{p~+%put} {S.bare} in each {b.one}"],
    ["{p~+%put} {S} in each of {g} {b@g}"],
    ["there {be} {S} in [each|every|a] {b.one}", "{p~+%have} {G}"],
    ["{p~+%$v} {G}, each with {S}"],
    ["each {b.one} {had} {S}", "{p~+%$v} {G}"],
    ["{t} come in {b} of {s}", "{p~+%$v} {G}"],
    ["{p~+%divide} {p.his} {t.stuff} into {G}, putting {S.bare} in each one"],
    ["there {be} {G} {spot}, and every one of them {held} {S}"],
    ["a {b.one} of {t.stuff} {had} {S.bare} in it", "{p~+%buy} {g} such {b}"],
    ["{p~+%have} {G} left", "there {be} {S} left in each {b.one}"],
    ["{p~+%get} {g} more {b@g} of {t.stuff}", "each of them {held} {S}"],
    ["{p~+%share} {p.his} {t.stuff} equally so that {g} {b@g} {held1} {S} each"],
)
_ASK_TOTAL = (
    "{t.how} / {do p~} have / {p~+have} / [in all|altogether|in total|now|left|]",
    "{t.howare} there [in all|altogether|in total|] / / /",
    "what is the total number of {t} / / /",
    "{t.how} / did {p~} have / {p~} had / [|altogether|in all]",
    "{t.how} / are there in all of the {b} / there are in all of the {b} / [together|]",
    "{t.how} / is that / that is / [altogether|in all|]",
    "{t.howmore} / {do p~} have now / {p~+have} now /",
    "{t.how} / did {p~} {v} / {p~} {v.past} / [in all|altogether|]",
)
_BY_SIZE = (
    ["{p~+%have} {W}", "{p~+%put} {S.bare} in each {b.one}"],
    ["{p~+%have} {W}", "each {b.one} {held} {S}"],
    ["{p~+%$v} {W} to put in {b} of {s}"],
    ["{p~+%have} {W}", "{p~+%pack} them in {b} of {s} [each|]"],
    ["{p~+%want} to put {W} in {b}", "{p~+%put} {s} into each one"],
    ["{W} {be} put into {b} with {S.bare} in each"],
    ["there {be} {W} {spot}", "{p~+%arrange} them in {b} with {s} in each {b.one}"],
    ["each {b.one} {had} {S}", "{p~+%have} {W} [in all|altogether|]"],
    ["{t} come in {b} of {s}", "{p~+%need} {W}"],
    ["{p~+%have} {W} in {b}", "there {be} {s} in every {b.one}"],
    ["a {b.one} can hold {S}", "{p~+%have} {W} [left|to put away|]"],
)
_ASK_GROUPS = (
    "how many {b} / {do p~} have / {p~+have} / [in all|altogether|]",
    "how many {b} / will {p~} need / {p~} will need / [in all|]",
    "how many {b} / did {p~} fill / {p~} filled / [in all|]",
    "how many {b} are there [in all|altogether|in total|] / / /",
    "how many {b} / did {p~} use / {p~} used / [altogether|]",
    "what is the number of {b} / / /",
    "how many {b} of {t.stuff} / {do p~} have / {p~+have} / [now|]",
    "how many {b} is that / / /",
    "how many {b} / can {p~} make / {p~} can make /",
    "how many {b} / could {p~} fill / {p~} could fill / [up|]",
    "how many {b} / would {p~} have / {p~} would have / [total|]",
)
_BY_NUMBER = (
    ["{p~+%have} {W}", "{p~+%put} them [equally|] in {G} [with the same number in each|]"],
    ["{p~+%put} {W} into {G} equally"],
    ["{p~+%have} {W}", "{p~+%divide} them evenly into {G}"],
    ["there {be} {W} in {G}", "every {b.one} {held} the same number"],
    ["{p~+%have} {G} and {W}", "each {b.one} {held} the same number of {t}"],
    ["{p~+%$v} {G} with a total of {W}", "all of the {b} {be} the same size"],
    ["{p~+%split} {W} equally among {G}"],
    ["{W} {be} shared equally by {G}"],
    ["{p~+%have} {G} to hold {W}", "{p~+%want} the same number in each"],
    ["{G} of {t.stuff} {held1} {W} altogether", "each {b.one} {had} an equal amount"],
)
_ASK_SIZE = (
    "{t.howare} in [each|one|every] {b.one} / / /",
    "{t.how} / does each {b.one} have / each {b.one} has / [|in all]",
    "{t.how} / will there be / there will be / in each {b.one}",
    "{t.how} / did {p~} put / {p~} put / in each {b.one}",
    "{t.how} / must go in each {b.one} / must go in each {b.one} /",
    "{t.how} / should {p~} put / {p~} should put / in each {b.one}",
    "{t.how} / does one {b.one} hold / one {b.one} holds /",
    "{t.how} / go in [a single|each|every] {b.one} / go in [a single|each|every] {b.one} /",
)


def sharing(draft: Draft) -> None:
    """Things shared equally among people; or each of several people has as many."""
    scene = draft.scene(mass=0.08, money=0.12)
    friends = draft.pick(_FRIENDS)
    draft.tense = draft.pick(("past", "past", "present"))
    draft.person("p")
    groups, size = factors(draft, scene.size[1] * 4)
    people = Thing(friends, plural(friends))
    draft.slots["b"] = people
    draft.amount("g", groups, people)
    draft.amount("s", size)
    draft.kind = "sharing"
    draft.spare = ["other_thing", "age", "date"]
    draft.act("v", scene.gain)
    draft.act("m", scene.make or scene.gain)
    past = draft.tense == "past"
    draft.set(
        be="were" if past else "are",
        got="got" if past else "gets",
        get="got" if past else "get",
        had="had" if past else "has",
        have="had" if past else "have",
    )
    match draft.rng.randint(1, 5):
        case 1:
            total = told(draft, "w", groups * size, scene)
            draft.facts = [Fact(text) for text in draft.pick(_SHARED)]
            draft.gold = ("/", total, "g")
            draft.asks(_ASK_SHARE)
        case 2:
            total = told(draft, "w", groups * size, scene)
            draft.facts = [Fact(text) for text in draft.pick(_SHARES)]
            draft.gold = ("/", total, "s")
            draft.asks(_ASK_SHARERS)
        case _:
            draft.facts = [Fact(text) for text in draft.pick(_EACH)]
            draft.gold = ("*", "g", "s")
            draft.asks(_ASK_EACH)


_FRIENDS = (
    "friend",
    "cousin",
    "classmate",
    "student",
    "child",
    "neighbor",
    "teammate",
    "kid",
    "brother",
    "sister",
    "player",
    "guest",
    "helper",
    "scout",
)
_SHARED = (
    ["{p~+%have} {W}", "{p~+%share} {t.them} equally among {G}"],
    ["{p~+%give} {W} to {G}", "each {b.one} {got} the same amount"],
    ["{G} [shared|split|divided] {W} equally"],
    ["{p~+%divide} {W} evenly among {p.his} {G}"],
    ["{p~+%have} {W} for {G}", "everyone {got} the same number"],
    ["{p~+%want} to share {W} with {G} so that all of them get the same amount"],
    ["{W} {be} handed out to {G} in equal shares"],
    ["there {be} {G} and {W}", "the {t.stuff} {be} shared equally by them"],
    ["{p~+%$v} {W}", "{p~+%split} them fairly between {p.his} {G}"],
    ["a group of {G} found {W} and shared {t.them} equally"],
)
_ASK_SHARE = (
    "{t.how} / does each {b.one} get / each {b.one} gets / [|in all]",
    "{t.how} / did each {b.one} get / each {b.one} got /",
    "{t.how} / will each {b.one} have / each {b.one} will have / [|in total]",
    "{t.how} / does every {b.one} receive / every {b.one} receives /",
    "{t.how} / can each of them have / each of them can have /",
    "what is each {b.one}'s share / / /",
    "{t.how} / does one {b.one} have / one {b.one} has / [now|]",
)
_SHARES = (
    ["{p~+%have} {W}", "{p~+%give} {S} to each {b.one} until none were left"],
    ["{p~+%share} {W} with some {b}", "each {b.one} {got} {S}"],
    ["{W} {be} shared by a group of {b}", "everyone {got} {S}"],
    ["each {b.one} {got} {S}", "{p~+%give} away {W} in all"],
    ["{p~+%have} {W}", "every {b.one} {got} exactly {S.bare}"],
)
_ASK_SHARERS = (
    "how many {b} / did {p~} share with / {p~} shared with /",
    "how many {b} got some / / /",
    "how many {b} are there [in all|] / / /",
    "how many {b} / were there / there were / [altogether|]",
    "how many {b} / got {t.stuff} / got {t.stuff} / [from {p~.him}|]",
)
_EACH = (
    ["{p~+%have} {G}", "each of them {had} {S}"],
    ["{p~+%give} {S} to each of {p.his} {G}"],
    ["{p~+%give} {p.his} {G} {S} each"],
    ["{G} each {have} {S}"],
    ["{g} {b} went to the store and each of them {m.past} {S}"],
    ["each of the {G} {got} {S}"],
    ["{p~.s} {G} {m.past} {S} apiece"],
    ["{p~+%share} {p.his} {t.stuff} with {G} so that each one {got} {S}"],
    ["there {be} {G}", "every {b.one} {had} {S}"],
    ["{p~+%hand} out {t.stuff} to {G}", "each {b.one} {got} {S}"],
)
_ASK_EACH = (
    "{t.how} / do the {b} have / the {b} have / [in all|altogether|together|]",
    "{t.howare} there [in all|altogether|] / / /",
    "{t.how} / is that / that is / [in all|altogether|in total|]",
    "{t.how} / do they have / they have / [altogether|together|in total|]",
    "what is the total number of {t} / / /",
    "{t.how} / did the {b} get / the {b} got / [in all|altogether|]",
)


def seating(draft: Draft) -> None:
    """People, animals or cars in rows, teams, buses."""
    scene = draft.pick(
        [scene for scene in crowds() if scene.name in ("people", "riders", "pets", "vehicles")]
    )
    draft.set(t=draft.pick(scene.things))
    box = draft.pick(scene.box)
    _prepare(draft, 400, box)
    draft.set(spot=draft.pick(scene.spot))
    draft.spare = ["date", "age"]
    match draft.rng.randint(0, 4):
        case 0 | 1:
            draft.facts = [Fact(text) for text in draft.pick(_SEATED)]
            draft.gold = ("*", "g", "s")
            draft.asks(
                (
                    "{t.howare} there [in all|altogether|in total|] / / /",
                    "what is the total number of {t} / / /",
                    "{t.how} / can be there / can be there / [at once|]",
                    "how many / are there / there are / [in all|]",
                )
            )
        case 2:
            total = told(draft, "w", draft.amounts["g"].value * draft.amounts["s"].value, scene)
            draft.facts = [Fact(text) for text in draft.pick(_SEAT_SIZE)]
            draft.gold = ("/", total, "s")
            draft.asks(
                (
                    "how many {b} are there [in all|] / / /",
                    "how many {b} / are needed / are needed / [in all|altogether|]",
                    "how many {b} / will there be / there will be /",
                    "how many {b} / do they need / they need /",
                )
            )
        case _:
            total = told(draft, "w", draft.amounts["g"].value * draft.amounts["s"].value, scene)
            draft.facts = [Fact(text) for text in draft.pick(_SEAT_NUMBER)]
            draft.gold = ("/", total, "g")
            draft.asks(
                (
                    "{t.howare} in each {b.one} / / /",
                    "{t.how} / will be in each {b.one} / will be in each {b.one} /",
                    "{t.how} / are there per {b.one} / there are per {b.one} /",
                    "{t.how} / does each {b.one} have / each {b.one} has / [|in all]",
                )
            )


_SEATED = (
    ["there {be} {G} with {S} in each {b.one}"],
    ["each {b.one} {had} {S}", "there {be} {G} [in all|]"],
    ["there {be} {G} {spot}", "[each|every] {b.one} {held} {S}"],
    ["{S} {be} in each of the {G}"],
    ["{G} of {s} {t} each {be} {spot}"],
    ["the {t} {spot} {be} split into {G} of {s} each"],
    ["there {be} {s} {t@s} per {b.one} and {G}"],
)
_SEAT_SIZE = (
    ["there {be} {W} {spot}", "each {b.one} {had} room for {s}"],
    ["{W} {be} divided into {b} of {s}"],
    ["{W} {be} {spot}, {s} to {an}{b.one}"],
    ["each {b.one} can hold {S}", "there {be} {W} [altogether|in all|]"],
    ["{p~+%count} {W}", "there {be} {s} in every {b.one}"],
)
_SEAT_NUMBER = (
    ["there {be} {W} {spot}", "they {be} split equally into {G}"],
    ["{W} {be} divided evenly among {G}"],
    ["there {be} {G} for {W}", "each {b.one} {had} the same number"],
    ["{G} {held1} a total of {W}", "the {b} {be} all equally full"],
    ["{p~+%count} {W} in {G}", "every {b.one} {had} the same number of {t}"],
)


def arrays(draft: Draft) -> None:
    """Rows and columns, and areas."""
    facts: tuple[list[str], ...]
    question: tuple[str, ...]
    draft.person("p")
    draft.tense = draft.pick(("past", "present"))
    past = draft.tense == "past"
    draft.set(be="were" if past else "are", is1="was" if past else "is", has="had" if past else "has")
    rows, each = factors(draft, 600)
    draft.kind = "array"
    draft.spare = ["age", "date"]
    if draft.chance(0.5):
        noun, place = draft.pick(_ROWS)
        draft.set(t=Thing(noun, plural(noun)), place=place)
        row = Thing("row", "rows")
        draft.slots["b"] = row
        draft.amount("g", rows, row)
        draft.amount("s", each)
        luck = draft.rng.randint(0, 2)
        if luck == 0:
            facts = (
                ["{place} {has} {G} of {t}", "there {be} {S} in each row"],
                ["{p~+%plant} {G} of {t} with {s} in each row"]
                if noun in _PLANTED
                else ["{p~+%arrange} {t} in {G} with {s} in each row"],
                ["there {be} {G} of {t} in {place}, and each row {has} {s}"],
                ["{p~+%put} the {t} in {G} of {s}"],
            )
            draft.gold = ("*", "g", "s")
            question = (
                "how many {t} are there [in all|altogether|in total|] / / /",
                "how many {t} / does {place} have / {place} has / [in all|altogether|]",
            )
        elif luck == 1:
            draft.amount("w", rows * each)
            facts = (
                ["{p~+%have} {W} to put in rows of {s}"],
                ["{place} {has} {W} in rows", "each row {has} {S}"],
                ["there {be} {W} in {place} with {s} in each row"],
            )
            draft.gold = ("/", "w", "s")
            question = (
                "how many rows are there [in all|] / / /",
                "how many rows / will there be / there will be /",
            )
        else:
            draft.amount("w", rows * each)
            facts = (
                ["{p~+%have} {W} to put in {G} of equal length"],
                ["{place} {has} {G} with a total of {W}", "every row {has} the same number"],
                ["{W} {be} arranged in {G}", "all rows {be} equal"],
            )
            draft.gold = ("/", "w", "g")
            question = (
                "how many {t} are in each row / / /",
                "how many {t} / does one row have / one row has / [|in all]",
            )
        draft.facts = [Fact(text) for text in draft.pick(facts)]
        draft.asks(question)
        return
    _area(draft)


_PLANTED = (
    "tomato plant",
    "tree",
    "sunflower",
    "cabbage",
    "corn plant",
    "rose bush",
    "carrot",
    "potato plant",
)
_ROWS = (
    ("chair", "the auditorium"), ("seat", "the theater"), ("desk", "the classroom"), ("tomato plant", "the garden"), ("tree", "the orchard"),
    ("sunflower", "the field"), ("cabbage", "the garden"), ("corn plant", "the field"), ("window", "the building"), ("tile", "the floor"),
    ("car", "the parking lot"), ("stamp", "the sheet"), ("egg", "the carton"), ("muffin", "the tray"), ("sticker", "the sheet"), ("brick", "the wall"),
    ("locker", "the hallway"), ("rose bush", "the garden"), ("trophy", "the display case"), ("cookie", "the tray"), ("square", "the quilt"),
    ("student", "the marching band"), ("photo", "the wall"), ("carrot", "the garden"), ("bottle", "the crate"), ("solar panel", "the roof"),
)  # fmt: skip


def _area(draft: Draft) -> None:
    facts: tuple[list[str], ...]
    questions: tuple[str, ...]
    noun, units, low, high = draft.pick(_RECTANGLES)
    unit = draft.pick(units.split())
    draft.set(t=Thing(unit, plural(unit)), noun=noun)
    length, width = sorted((draft.between(low, high), draft.between(low, high)), reverse=True)
    draft.amount("l", length)
    draft.amount("v", width)
    square = Thing(f"square {unit}", f"square {plural(unit)}")
    draft.slots["q"] = square
    draft.kind = "area"
    luck = draft.rng.randint(0, 2)
    if luck == 0:
        facts = (
            ["{p~.s} {noun} {is1} {L} long and {V} wide"],
            ["the {noun} {is1} {V} by {L}"],
            ["{an}{noun} {has} a length of {L} and a width of {V}"],
            ["the length of {an}{noun} {is1} {L}", "its width {is1} {V}"],
            ["{an}{noun} measures {L} on one side and {V} on the other"],
        )
        draft.gold = ("*", "l", "v")
        questions = (
            "what is the area of the {noun} / / /",
            "how many {q} / does the {noun} cover / the {noun} covers / [in all|]",
            "how many {q} / are needed / are needed / to cover the {noun}",
            "what is its area [in {q}|] / / /",
        )
    else:
        draft.amount("w", length * width, square)
        given = "{L} long" if luck == 1 else "{V} wide"
        facts = (
            ["the {noun} {has} an area of {W}", f"it {{is1}} {given}"],
            [f"{{an}}{{noun}} covers {{W}} and {{is1}} {given}"],
            ["{p~.s} {noun} {has} an area of {W}", f"it {{is1}} {given}"],
        )
        draft.gold = ("/", "w", "l" if luck == 1 else "v")
        what, name = ("wide", "width") if luck == 1 else ("long", "length")
        questions = (
            f"how {what} is the {{noun}} / / /",
            f"what is the {name} of the {{noun}} / / /",
            f"what is its {name} [in {{t}}|] / / /",
        )
    draft.facts = [Fact(text) for text in draft.pick(facts)]
    draft.asks(questions)
    draft.spare = ["date"]


_RECTANGLES = (
    ("rug", "foot", 3, 14), ("garden", "foot meter yard", 4, 60), ("room", "foot meter", 4, 24), ("field", "meter yard", 20, 120), ("poster", "inch foot", 2, 40),
    ("playground", "meter yard", 12, 90), ("pool", "meter foot", 4, 60), ("quilt", "foot inch", 3, 80), ("wall", "foot meter", 3, 30), ("desk", "inch", 18, 60),
    ("floor", "foot meter", 5, 40), ("rectangle", "inch centimeter meter", 2, 50), ("photo", "inch centimeter", 3, 20), ("parking lot", "meter yard", 20, 120),
    ("flag", "inch foot", 2, 60), ("table top", "inch", 20, 80), ("farm", "meter", 60, 400), ("picture", "inch", 4, 30), ("rectangular plot", "meter foot", 5, 80),
)  # fmt: skip

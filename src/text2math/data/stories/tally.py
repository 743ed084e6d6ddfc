"""Tallies: amounts by who, what, and when or where; any of them may be added, compared, or left out and asked for.

A *topic* says who does what how often; the amounts differ along one or two axes (three people, two sorts of things,
morning and evening). The question picks some of the amounts by their attributes, so that the others do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import items, listed, plural
from text2math.data.stories.world import ME, Draft, Gold, Person, Thing, kinds_of, measured, scenes
from text2math.data.stories.worlds import Choice, tell_world

#: Where a number of the text stands: who, what, when (indices along the axes).
Cell = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Topic:
    """Who does what: verbs, nouns, the subject ("" is a person), adverb tables that fit, sizes, broken numbers."""

    verbs: str
    nouns: str
    subject: str
    adverbs: str
    low: int
    high: int
    broken: bool = False


TOPICS: tuple[Topic, ...] = (
    Topic("get; send; write; delete; answer", "email; text message; letter; voice message; postcard", "", "day long", 2, 40),
    Topic("hike; walk; run; jog; bike; swim; drive; ride; skate", "mile; kilometer", "", "day long place", 1, 30, True),
    Topic("find; collect; gather; pick up", "seashell; shell; starfish; pebble; pinecone; feather; acorn; sand dollar", "", "day place", 2, 90),
    Topic("see; count; photograph; spot", "deer; bird; whale; butterfly; rabbit; turtle; shooting star; squirrel; dolphin; frog", "", "day place long", 2, 60),
    Topic("rain; snow", "inch; centimeter; millimeter", "it", "long place", 1, 20, True),
    Topic("serve; sell; make; prepare", "pizza; sandwich; salad; bowl of soup; burger; pancake; cup of coffee; smoothie",
          "a restaurant; a cafe; a diner; a food truck; the cafeteria", "meal day", 2, 90),
    Topic("sell; repair; rent out; ship", "bicycle; car; laptop; phone; book; lamp; ticket; sofa; guitar; mattress",
          "a store; a shop; a company; a factory; the mall", "long day", 3, 3000),
    Topic("make; produce; ship; assemble", "toy; car; chair; bottle; shoe; engine; radio; helmet; silk scarf", "a factory; a company; a workshop", "long day", 20, 9000),
    Topic("grow; pick; harvest; sell; eat; plant", "watermelon; carrot; pumpkin; tomato; turnip; cantaloupe; onion; pepper; potato; cucumber", "", "long day place", 2, 80),
    Topic("plant; water; cut; trim", "rose bush; oak tree; maple tree; tulip; orchid; rose; cherry tree; shrub; dogwood tree", "", "day long place", 2, 60),
    Topic("attend; play; win; lose; watch; go to; miss", "baseball game; football game; soccer game; basketball game; hockey game; chess match; concert", "", "long", 2, 30),
    Topic("win; lose; play; tie", "game; match; set; round", "the team; our school team; the Hawks; the chess club; the softball team", "long", 2, 30),
    Topic("mow; rake; water", "lawn; yard", "", "long day", 2, 30),
    Topic("score; win; earn", "point; goal; run; ticket", "", "round day", 2, 60),
    Topic("read; write; finish", "page; chapter; poem; book; comic", "", "day long", 2, 80),
    Topic("work; practice; study; sleep; babysit; volunteer", "hour", "", "day", 1, 12, True),
    Topic("work; volunteer; train", "hour", "", "long", 4, 60, True),
    Topic("practice; read; jog; wait; play outside", "minute", "", "day", 5, 90),
    Topic("take; upload; print; delete", "picture; photo", "", "day place", 3, 80),
    Topic("catch; release", "fish; trout; crab; firefly", "", "day place", 2, 40),
    Topic("bake; sell; eat; decorate; give away", "cookie; cupcake; muffin; brownie; pie; loaf of bread", "", "day long", 2, 70),
    Topic("receive; lend; order; sort", "book; magazine; newspaper; DVD", "the library; the bookstore; the town library", "day long", 3, 500),
    Topic("admit; welcome; count", "visitor; child; tourist; guest", "the museum; the zoo; the aquarium; the water park", "day long", 10, 3000),
    Topic("earn; save; spend; donate; collect; make", "$", "", "day long", 3, 90, True),
    Topic("spend", "$", "", "goods", 2, 60, True),
    Topic("collect; recycle", "can; bottle; newspaper; battery", "", "day place long", 3, 200),
    Topic("borrow; return; buy", "book; movie; game", "", "day long", 2, 20),
    Topic("use; need", "stamp; sheet of paper; nail; screw; bead; candle; egg; balloon", "", "purpose", 2, 60),
    Topic("drink; pour", "glass of water; cup of tea; bottle of juice", "", "day", 1, 15),
    Topic("do", "push-up; sit-up; jumping jack; pull-up; cartwheel", "", "day", 5, 80),
)  # fmt: skip

#: Labels by table; those of one row go together.
ADVERBS: dict[str, tuple[tuple[str, ...], ...]] = {
    "day": (
        ("in the morning", "in the afternoon", "in the evening"), ("yesterday", "today"), ("before lunch", "after lunch", "after dinner"),
        ("on the first day", "on the second day", "on the third day"), ("before school", "after school"), ("at night", "during the day"),
        ("before noon", "after noon"), ("on Friday", "on Saturday", "on Sunday"), ("this morning", "this afternoon", "tonight"),
        ("on the weekend", "on Monday"), ("during the first hour", "during the second hour", "during the third hour"),
    ),
    "long": (
        ("last week", "this week"), ("last month", "this month"), ("last year", "this year"), ("in the first week", "in the second week", "in the third week"),
        ("in the spring", "in the summer", "in the fall"), ("over the winter", "over the summer"), ("the year before", "that year"), ("the year before last", "last year", "this year"),
        ("during the first semester", "during the second semester"), ("in the first half of the year", "in the second half"), ("before the sale", "during the sale"),
        ("at the start of the season", "at the end of the season"), ("before the holidays", "during the holidays", "after the holidays"),
    ),
    "place": (
        ("at the beach", "at the pier"), ("in the park", "in the forest", "in the garden"), ("at home", "at school"), ("by the river", "on the hill"),
        ("in the front yard", "in the back yard"), ("near the lake", "near the bridge", "near the barn"), ("in town", "in the country"),
        ("at the zoo", "at the museum"), ("on the north side", "on the south side"), ("at camp", "on the farm"), ("in the mountains", "in the valley"),
    ),
    "meal": (("during breakfast", "during lunch", "during dinner"), ("at lunch", "at dinner"), ("for lunch", "for dinner"), ("on the patio", "at the counter"), ("on Friday night", "on Saturday night")),
    "round": (("in the first game", "in the second game", "in the third game"), ("in the first half", "in the second half"), ("in the early rounds", "in the final"), ("before halftime", "after halftime"), ("at home", "away")),
    "purpose": (("for the invitations", "for the thank-you cards"), ("for school", "for the party"), ("for the cake", "for the decorations"), ("for the first project", "for the second project", "for the third project"), ("for the kitchen", "for the garage")),
}  # fmt: skip

#: Units, which are no sorts of one another.
_UNITS = ("$", "mile", "kilometer", "inch", "centimeter", "millimeter", "hour", "minute")
_ALL = "[in all|altogether|in total|all together|]"


@dataclass(slots=True)
class Tally:
    """A topic on the stage: the labels of each axis, the amounts by cell."""

    who: list[str]
    what: list[Thing]
    when: list[str]
    noun: Thing
    values: dict[Cell, Fraction]
    they: str = "they"

    @property
    def mixed(self) -> bool:
        """Whether the sorts are different things and not sorts of one thing."""
        return any(self.noun.many not in thing.many for thing in self.what)

    def key(self, cell: Cell) -> str:
        """The name of the amount in a cell."""
        return "abcdefgh"[list(self.values).index(cell)]

    @property
    def axis(self) -> int:
        """The first axis along which the amounts differ."""
        return next(axis for axis in range(3) if len({cell[axis] for cell in self.values}) > 1)


def tally(draft: Draft) -> None:
    """Amounts along one or two axes; asked: a sum of some, the difference of two, the one that is not told."""
    table = _open(draft)
    way = draft.rng.random()
    if way < 0.42:
        facts, choices = _given(draft, table)
    elif way < 0.6:
        facts, choices = _missing(draft, table)
    else:
        facts, choices = _related(draft, table)
    tell_world(draft, tuple(facts), choices)
    draft.spare = ["age", "date"]


# The stage -------------------------------------------------------------------------------------------------


def _open(draft: Draft) -> Tally:
    """Draw a topic, or any scene where people count things; then the axes and the amounts."""
    draft.kind = "combine"
    draft.tense = "past"
    if draft.chance(0.6):
        topic = draft.pick(TOPICS)
        nouns = items(topic.nouns)
        noun = draft.pick(nouns)
        draft.act("v", items(topic.verbs))
        thing = Thing("dollar", "dollars", "money", "money") if noun == "$" else Thing(noun, plural(noun))
        sorts = [
            Thing(other, plural(other))
            for other in nouns
            if other != noun and noun not in _UNITS and thing.kind == "count"
        ]
        tables, low, high, broken = topic.adverbs.split(), topic.low, topic.high, topic.broken
        subject = topic.subject
    else:
        scene = draft.pick(measured() if draft.chance(0.15) else scenes())
        thing = draft.pick(scene.things)
        draft.set(t=thing)
        draft.act(
            "v",
            ("have", "have", *(verb for verb in (*scene.make, *scene.gain) if not verb.startswith("be "))),
        )
        sorts = (
            kinds_of(draft, scene, 3)
            if draft.chance(0.6)
            else [other for other in scene.things if other is not thing]
        )
        tables, (low, high), broken = ["day", "long"], scene.size, thing.kind == "mass"
        subject = ""
    draft.set(t=thing)
    if draft.verb("$v").base == "have":
        tables = []
    who, what, when = _axes(draft, thing, sorts, tables, subject)
    cells = [(i, j, k) for i in range(len(who)) for j in range(len(what)) for k in range(len(when))]
    if len(cells) == 4 and draft.chance(0.4):
        cells.pop(draft.rng.randint(1, 3))
    if draft.chance(0.6):
        high = min(high, max(20, low + 12))
    values: dict[Cell, Fraction] = {}
    for cell in cells:
        values[cell] = _value(draft, low, high, broken)
    first = draft.slots["p"]
    they = "we" if isinstance(first, Person) and first.number in ("I", "we") else "they"
    return Tally(who, what, when, thing, values, they)


def _value(draft: Draft, low: int, high: int, broken: bool) -> Fraction:
    if broken and draft.chance(0.4):
        return Fraction(draft.between(low * 100, high * 100), 100) if draft.chance(0.4) else Fraction(draft.between(low * 10, high * 10), 10)  # fmt: skip
    return Fraction(draft.between(low, high))


def _axes(
    draft: Draft, thing: Thing, sorts: list[Thing], tables: list[str], subject: str
) -> tuple[list[str], list[Thing], list[str]]:
    """One or two of the three axes get two or three labels."""
    free = [
        name
        for name, fits in (("who", not subject), ("what", len(sorts) > 1), ("when", bool(tables)))
        if fits
    ]
    chosen = [draft.pick(free or ["who"])]
    if "goods" in tables:
        chosen = ["when"]
    if len(free) > 1 and draft.chance(0.38):
        chosen.append(draft.pick([name for name in free if name not in chosen]))
    count = 2 if len(chosen) > 1 else draft.pick((2, 2, 3))
    who = _people(draft, count if "who" in chosen else 1, subject)
    what = [thing]
    if "what" in chosen:
        what = draft.rng.sample(sorts, min(count, len(sorts)))
        if thing.many not in what[0].many:
            draft.set(t=what[0])
    when = [""]
    if "when" in chosen:
        when = _labels(draft, draft.pick(tables), person=not subject)[:count]
    for index, sort in enumerate(what):
        draft.set(**{f"k{index}": sort})
    for index, label in enumerate(when):
        draft.set(**{f"w{index}": label})
    return who, what, when


def _people(draft: Draft, count: int, subject: str) -> list[str]:
    slots = ["p", "q", "u"][:count]
    for slot in slots:
        draft.person(slot, roles=False)
    if subject == "it":
        draft.slots["p"] = Person("it", "it", "it", "its")
    elif subject:
        first = draft.pick(items(subject))
        name = first if first.startswith(("the ", "our ")) else "the " + first.split(" ", 1)[1]
        draft.slots["p"] = Person(name, "it", "it", "its", "one", first)
    elif count > 1 and draft.chance(0.12):
        draft.slots["p"] = ME
    return slots


def _labels(draft: Draft, table: str, *, person: bool) -> list[str]:
    """Two or three labels that go together, in order."""
    if table == "goods":
        goods = draft.rng.sample([good for good, low, high in words.GOODS if high < 130], 3)
        return [f"on {'an' if good[0] in 'aeiou' else 'a'} {good}" for good in goods]
    luck = draft.rng.random()
    if table in ("day", "long") and luck < 0.3:
        names, prefix = (words.WEEKDAYS, "on") if table == "day" else (words.MONTHS, "in")
        start = draft.rng.randint(0, len(names) - 1)
        return [f"{prefix} {names[(start + step) % len(names)]}" for step in range(3)]
    if table == "place" and luck < 0.3:
        return [f"in {town}" for town in draft.rng.sample(words.TOWNS, 3)]
    rows = [
        row
        for row in ADVERBS[table]
        if person or not any("school" in label or "home" in label for label in row)
    ]
    return list(draft.pick(rows))


# Telling -------------------------------------------------------------------------------------------------


def _subject(slot: str, pronoun: bool = True) -> str:
    return "{" + slot + ("~" if pronoun else "") + "}"


def _verb(draft: Draft) -> tuple[str, str, str]:
    """The verb in a statement (after a subject's slot, opened), in a question before and after its subject."""
    return ("+%have", "did", "have") if draft.verb("$v").base == "have" else ("+%$v", "did", "{v}")


def _clause(draft: Draft, table: Tally, cell: Cell, amount: str) -> str:
    """A cell as a clause of its own; the label may open it."""
    who, _, when = cell
    subject = "{" + table.who[who] + "~" + _verb(draft)[0] + "}"
    label = f"{{w{when}}}" if table.when[when] else ""
    if label and draft.chance(0.3) and not table.when[when].startswith(("on a ", "on an ", "for ")):
        return f"{label}, {subject} {amount}"
    return f"{subject} {amount} {label}".strip()


def _noun(table: Tally, cell: Cell, previous: Cell | None, draft: Draft) -> str:
    """The amount of a cell with its noun; bare where the noun is the one of the cell before."""
    key = table.key(cell).upper()
    if previous is not None and previous[1] == cell[1] and draft.chance(0.6):
        return f"{{{key}.bare}}"
    return f"{{{key}}}"


def _told(draft: Draft, table: Tally, cells: list[Cell]) -> list[str]:
    """The cells as sentences: one each, or coordinated where they share the subject."""
    for cell in cells:
        draft.amount(table.key(cell), table.values[cell], table.what[cell[1]])
    facts: list[str] = []
    previous: Cell | None = None
    joined = draft.chance(0.55)
    told: list[str] = []
    for cell in cells:
        short = _noun(table, cell, previous, draft)
        label = f" {{w{cell[2]}}}" if table.when[cell[2]] else ""
        if previous is None or not joined:
            facts += _listed(told, draft)
            told = [_clause(draft, table, cell, short)]
        elif previous[0] == cell[0]:
            told.append(short + label)
        elif draft.chance(0.5):
            told.append(f"{_subject(table.who[cell[0]], False)} {'had' if _verb(draft)[2] == 'have' else '{v.past}'} {short}{label}")  # fmt: skip
        else:
            facts += _listed(told, draft)
            told = [_clause(draft, table, cell, short)]
        previous = cell
    return facts + _listed(told, draft)


def _listed(told: list[str], draft: Draft) -> list[str]:
    link = ", and " if len(told) > 2 and draft.chance(0.5) else " and "
    return [listed(told, link)] if told else []


# Asking ----------------------------------------------------------------------------------------------------


def _names(table: Tally, cells: list[Cell]) -> tuple[str, str, str]:
    """Subject, noun and label that fit all these cells: what they share, lists of what they do not."""
    whos, whats, whens = (sorted({cell[axis] for cell in cells}) for axis in range(3))
    everyone = len({cell[0] for cell in table.values})
    who = "{" + table.who[whos[0]] + "}" if len(whos) == 1 else table.they
    if 1 < len(whos) < everyone:
        who = listed(["{" + table.who[index] + "}" for index in whos])
    noun = f"{{k{whats[0]}}}" if len(whats) == 1 else "{t}"
    if len(whats) > 1 and (table.mixed or len(whats) < len({cell[1] for cell in table.values})):
        noun = listed([f"{{k{index}}}" for index in whats])
    label = (
        ""
        if len(whens) == len({cell[2] for cell in table.values}) and len(whens) > 1
        else _label(whens, table)
    )
    return who, noun, label  # fmt: skip


def _label(whens: list[int], table: Tally) -> str:
    return listed([f"{{w{index}}}" for index in whens if table.when[index]])


def _how_many(table: Tally, noun: str) -> str:
    if table.noun.kind == "money":
        return "how much [money|]"
    if table.noun.kind == "mass":
        return (
            f"[how much {table.noun.stuff}|how many {noun}]"
            if noun in ("{t}", "{k0}")
            else f"how many {noun}"
        )
    return f"how many {noun}"


def _question(draft: Draft, table: Tally, who: str, noun: str, tail: str, lead: str = "") -> str:
    _, do, base = _verb(draft)
    past = "had" if base == "have" else "{v.past}"
    lead = lead or _how_many(table, noun)
    return f"{lead} / {do} {who} {base} / {who} {past} / {tail}"


def _sums(draft: Draft, table: Tally, cells: list[Cell]) -> tuple[str, ...]:
    who, noun, label = _names(table, cells)
    tail = f"{label} {_ALL}" if draft.chance(0.6) else label
    asked = [_question(draft, table, who, noun, tail)]
    if table.noun.kind == "count" and _verb(draft)[2] != "have":
        if who == table.they and table.noun.one not in _UNITS and " " not in draft.verb("$v").base:
            asked.append(f"how many {noun} were {{v.part}} {tail} / / /")
        asked.append(f"what [is|was] the total number of {noun} {who} {{v.past}} {label} / / /")
    if table.noun.kind == "count" and who == table.they and draft.chance(0.5) and _verb(draft)[2] == "have":
        asked.append(f"how many {noun} are there {_ALL} / / /")
    return tuple(asked)


def _more(table: Tally, noun: str, word: str) -> str:
    if table.noun.kind == "count":
        return f"how many {word} {noun}"
    less = "more" if word == "more" else "less"
    return f"how much {less} {'money' if table.noun.kind == 'money' else table.noun.stuff}"


def _difference(draft: Draft, table: Tally, more: Cell, less: Cell) -> tuple[str, ...]:
    """How much the first cell is over the second; they differ along one axis."""
    axis = next(axis for axis in range(3) if more[axis] != less[axis])
    asked = []
    for (one, two), word in (((more, less), "more"), ((less, more), "fewer")):
        who, noun, label = _names(table, [one])
        than = ("{" + table.who[two[0]] + "}", f"{{k{two[1]}}}", f"{{w{two[2]}}}")[axis]
        if axis == 1:
            lead, tail = f"{_more(table, noun, word)} than {than}", label
        elif axis == 0:
            lead, tail = _more(table, noun, word), f"than {than} {label}"
        else:
            lead, tail = _more(table, noun, word), f"{label} than {than}"
        asked.append(_question(draft, table, who, noun, tail, lead))
    return tuple(asked)


def _sum(keys: list[str]) -> Gold:
    gold: Gold = keys[0]
    for key in keys[1:]:
        gold = ("+", gold, key)
    return gold


def _given(draft: Draft, table: Tally) -> tuple[list[str], list[Choice]]:
    """All amounts are told."""
    cells = list(table.values)
    facts = _told(draft, table, cells)
    whole: Choice = (_sums(draft, table, cells), _sum([table.key(cell) for cell in cells]))
    choices: list[Choice] = [whole] * (3 if len(cells) > 2 else 1)
    for axis in range(3):
        for index in sorted({cell[axis] for cell in cells}):
            some = [cell for cell in cells if cell[axis] == index]
            rest = [cell for cell in cells if cell[axis] != index]
            for group in (some, rest):
                if 1 < len(group) < len(cells) and len({cell[axis] for cell in group}) <= 2:
                    choices.append((_sums(draft, table, group), _sum([table.key(cell) for cell in group])))
    for one in cells:
        for two in cells:
            if table.values[one] > table.values[two] and sum(x != y for x, y in zip(one, two, strict=True)) == 1:  # fmt: skip
                choices.append((_difference(draft, table, one, two), ("-", table.key(one), table.key(two))))
    return facts, choices


def _missing(draft: Draft, table: Tally) -> tuple[list[str], list[Choice]]:
    """The whole and all parts but one are told."""
    cells = list(table.values)
    if len(cells) < len(table.who) * len(table.what) * len(table.when):
        return _given(draft, table)
    asked = cells[-1] if draft.chance(0.6) else draft.pick(cells)
    others = [cell for cell in cells if cell != asked]
    facts = _told(draft, table, others)
    total = sum(table.values.values(), Fraction(0))
    whole = table.what[0] if len(table.what) == 1 else draft.thing
    draft.amount("y", total, whole)
    who, noun, _ = _names(table, cells)
    people = listed(["{" + slot + "}" for slot in table.who])
    subject = f"[{people}|{people} together]" if len(table.who) > 1 else who.replace("}", "~}")
    past = "had" if _verb(draft)[2] == "have" else "{v.past}"
    amount = (
        "{Y}"
        if len(table.what) == 1
        else "{y} " + listed([f"{{k{index}}}" for index in range(len(table.what))])
    )
    said = f"{subject} {past} {amount} [in all|altogether|in total]"
    name, noun, label = _names(table, [asked])
    gold: Gold = "y"
    for cell in others:
        gold = ("-", gold, table.key(cell))
    facts = [*facts, said] if draft.chance(0.5) else [said, *facts]
    choice: Choice = ((_question(draft, table, name, noun, label),), gold)
    return facts, [choice]


#: How an amount is told by another one: words with {x}, the sign for the one asked when it comes second, and first.
_RELATIONS = (
    ("{x} more {noun} than", "+", "-"), ("{x} fewer {noun} than", "-", "+"), ("{x} times as many {noun} as", "*", "/"),
    ("twice as many {noun} as", "*", "/"), ("half as many {noun} as", "*", "/"), ("{x} more than", "+", "-"),
)  # fmt: skip


def _related(draft: Draft, table: Tally) -> tuple[list[str], list[Choice]]:
    """One amount is told by another: so many more, so many times as many."""
    cells = list(table.values)
    asked, base = cells[-1], cells[0]
    if sum(x != y for x, y in zip(asked, base, strict=True)) != 1 or table.noun.kind != "count":
        return _given(draft, table)
    axis = table.axis
    if axis == 1 and table.what[0].kind != "count":
        return _given(draft, table)
    words_, after, before = draft.pick(_RELATIONS)
    turned = draft.chance(0.4)  # the amount told is that of the sentence's subject, the other one is asked
    value = table.values[base]
    sign = before if turned else after
    x = _step(draft, value, sign, words_)
    if x is None:
        return _given(draft, table)
    facts = _told(draft, table, cells[:-1])
    key = "x"
    if words_.startswith(("twice", "half")):
        draft.count(key, x, words_.split()[0])
        words_ = "{x}" + words_[words_.index(" ") :]
    else:
        draft.count(key, x)
    one, two = (base, asked) if turned else (asked, base)
    noun = "{" + f"k{one[1]}" + "}"
    words_ = words_.replace("{noun}", noun)
    who, _, label = _names(table, [one])
    past = "had" if _verb(draft)[2] == "have" else "{v.past}"
    other = ("{" + table.who[two[0]] + "}", f"{{k{two[1]}}}", f"{{w{two[2]}}}")[axis]
    if axis == 1 and "{k" not in words_:
        return _given(draft, table)
    tail = f" {label}" if axis != 2 and label else ""
    if axis == 2:
        fact = f"{label}, {who} {past} {words_} {other}"
    else:
        fact = f"{who} {past} {words_} {other}{tail}"
    facts = [*facts, fact] if draft.chance(0.7) else [fact, *facts]
    name, noun, label = _names(table, [asked])
    gold: Gold = (sign, table.key(base), "x")
    return facts, [((_question(draft, table, name, noun, label),), gold)]


def _step(draft: Draft, value: Fraction, sign: str, relation: str) -> Fraction | None:
    """A number to relate by that leaves a plausible result; None where there is none."""
    if relation.startswith("twice"):
        return Fraction(2) if sign == "*" or value % 2 == 0 else None
    if relation.startswith("half"):
        half = Fraction(1, 2)
        return half if sign == "/" or value % 2 == 0 else None
    if sign == "+":
        return Fraction(draft.between(2, max(3, int(value))))
    if sign == "-":
        return Fraction(draft.between(2, int(value) - 1)) if value >= 4 else None
    if sign == "*":
        return Fraction(draft.between(2, 9))
    divisors = [n for n in range(2, 13) if value % n == 0 and value > n]
    return Fraction(draft.pick(divisors)) if divisors else None

"""Everyday scenes: receipts, measured objects, parts of a whole as fractions, what is still needed, growth."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories.grammar import items, listed, plural
from text2math.data.stories.world import Draft, Gold, Thing
from text2math.data.stories.worlds import Choice, tell_world

#: What is bought where: the kind of goods, the goods with their articles, the shop.
GOODS: tuple[tuple[str, str, str], ...] = (
    ("toys", "a football; marbles; toy cars; a doll; a kite; a puzzle; a yo-yo; toy trucks; building blocks; a jump rope; a teddy bear", "the toy store"),
    ("clothes", "shorts; a jacket; a shirt; socks; a sweater; jeans; a hat; gloves; a dress; sneakers; a belt; a scarf", "the mall"),
    ("lunch", "a salad; soup; a hot dog; a sandwich; juice; a muffin; noodles; fries; a slice of pizza; iced tea", "the diner"),
    ("video games", "a racing game; a football game; a strategy game; a puzzle game; a space game; an adventure game", "the game shop"),
    ("music", "a flute; a song book; a music stand; a trumpet; strings; a drum; sheet music; a clarinet; reeds", "the music store"),
    ("fruit", "berries; apples; peaches; grapes; cherries; plums; melons; pears; mangoes; lemons", "the market"),
    ("school supplies", "pens; a notebook; a ruler; glue; a binder; markers; a calculator; a backpack; folders", "the stationery shop"),
    ("garden things", "seeds; a rake; a hose; pots; soil; a shovel; a watering can; bulbs", "the garden center"),
    ("car parts", "speakers; new tires; a battery; wipers; floor mats; a mirror; brake pads; seat covers", "the garage"),
    ("pet supplies", "a leash; cat food; a bird cage; a dog bed; fish food; a collar; a brush; hay", "the pet shop"),
)  # fmt: skip


def receipts(draft: Draft) -> None:
    """Two or three goods of one kind, and money that has nothing to do with them."""
    kind, goods, shop = draft.pick(GOODS)
    count = draft.pick((2, 2, 3))
    chosen = draft.rng.sample(items(goods), count)
    draft.person("p", roles=False)
    draft.set(kind=kind, shop=shop)
    draft.tense, draft.kind = "past", "money"
    high = draft.pick((15, 40, 150))
    for index, good in enumerate(chosen):
        number = Fraction(draft.between(100, high * 100), 100) if draft.chance(0.75) else Fraction(draft.between(2, high))  # fmt: skip
        draft.money("abc"[index], number)
        draft.set(**{f"k{index}": good})
    way = draft.rng.random()
    if way < 0.4:
        parts = [f"{{k{index}}} for {{{'ABC'[index]}}}" for index in range(count)]
        facts = ["{p~} [bought|purchased|got] " + listed(parts, draft.pick((" and ", ", and ")))]
    elif way < 0.7:
        parts = [f"{{{'ABC'[index]}}} on {{k{index}}}" for index in range(count)]
        facts = ["{p~} spent " + listed(parts, draft.pick((" and ", ", and ")))]
    else:
        facts = ["{p~} [bought|got] {k0} for {A}", "{p~} [also|then] [paid {B} for|spent {B} on] {k1}", "{p~} also bought {k2}, which cost {C}"][:count]  # fmt: skip
    opening = draft.pick(("", "", "{p} went to {shop} to buy {kind}", "{p} bought some {kind} at {shop}", "{p} needed {kind}"))  # fmt: skip
    facts = [opening, *facts] if opening else facts
    total: Gold = ("+", "a", "b")
    if count == 3:
        total = ("+", total, "c")
    choices: list[Choice] = [
        (("how much [money|] / did {p~} spend / {p~} spent / [on {kind}|at {shop}|in all|in total|altogether]", "what was the total [cost|price|bill] / / /", "how much / did everything cost / everything cost / [together|in all|]"), total),
    ]  # fmt: skip
    for one, two in ((0, 1), (1, 0)):
        if draft.amounts["ab"[one]].value > draft.amounts["ab"[two]].value:
            more: Gold = ("-", "ab"[one], "ab"[two])
            choices.append(((f"how much more / did {{p~}} spend / {{p~}} spent / on {{k{one}}} than on {{k{two}}}", f"how much less / did {{p~}} spend / {{p~}} spent / on {{k{two}}} than on {{k{one}}}"), more))  # fmt: skip
    if draft.chance(0.4):
        facts.append(_beside(draft, high))
    draft.spare = ["age", "date"]
    tell_world(draft, tuple(facts), choices)


def _beside(draft: Draft, high: int) -> str:
    """A number beside the receipt that does not belong to it."""
    luck = draft.rng.randint(0, 5)
    if luck < 2:
        draft.count("d", draft.between(2, 9))
        return draft.pick(("{p~} already owns {d} of these", "{p~} went to {d} [shops|stores]", "{p~} was there for {d} hours", "{p.s} {d} friends came along"))  # fmt: skip
    draft.money("d", draft.pick((10, 20, 50, 100)) if luck == 2 else draft.between(2, high))
    if luck == 2:
        return draft.pick(("{p~} paid with {D}", "{p~} had taken {D} from home"))
    return draft.pick(("{p~} found {D} in a pocket", "{p~} looked at a lamp for {D} but did not buy it", "{p.s} friend spent {D} there", "{p~} won {D} last week"))  # fmt: skip


#: Objects that are measured: what they are, the unit, the verb, the adjective, the comparative, its opposite, the noun.
OBJECTS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("watermelon; pumpkin; parcel; suitcase; fish; puppy; metal ball; stone; cabbage; backpack; turkey", "pound; kilogram", "weighed {}", "heavier", "lighter", "weight"),
    ("ring; coin; letter; beetle; marble; feather; crystal; key", "ounce; gram", "weighed {}", "heavier", "lighter", "weight"),
    ("rope; ribbon; board; snake; worm; pencil; plank; scarf; ladder; pipe; trail; string", "foot; inch; meter; centimeter", "was {} long", "longer", "shorter", "length"),
    ("tree; plant; tower; candle; fence; sunflower; snowman; statue; wall", "foot; inch; meter; centimeter", "was {} tall", "taller", "shorter", "height"),
    ("trip; road; race; path; bus ride; hike", "mile; kilometer", "was {} long", "longer", "shorter", "length"),
    ("movie; song; lesson; test; video; game; meeting; flight", "minute; hour", "lasted {}", "longer", "shorter", "length"),
    ("bottle; jug; tank; bucket; pitcher; barrel", "liter; gallon; quart", "held {}", "larger", "smaller", "size"),
)  # fmt: skip
_PAIRS = (("first", "second"), ("red", "blue"), ("old", "new"), ("green", "yellow"), ("brown", "white"), ("left", "right"), ("second", "third"))  # fmt: skip

_ORDERS = (("first", "second"), ("second", "third"), ("first", "last"), ("first", "other"))


def measures(draft: Draft) -> None:
    """Two objects and their measures; or one that grows or shrinks."""
    objects, units, verb, more, less, name = draft.pick(OBJECTS)
    noun, unit = draft.pick(items(objects)), draft.pick(items(units))
    draft.set(t=Thing(noun, plural(noun)), u=Thing(unit, plural(unit)), more=more, less=less, name=name)
    draft.person("p", roles=False)
    draft.tense, draft.kind = "past", "compare"
    broken = draft.pick((1, 10, 100, 100))
    values = [Fraction(draft.between(1 if broken > 1 else 3, 12 * broken), broken) for _ in range(3)]
    for key, number in zip("abc", values, strict=True):
        draft.amount(key, number, Thing(unit, plural(unit)))
    draft.spare = ["date", "age"]
    if draft.chance(0.35) and verb.startswith(("was", "weighed")):
        facts, choices = _growth(draft, verb, values)
    elif draft.chance(0.4):
        facts, choices = _times(draft, verb, values[0])
    else:
        facts, choices = _pair(draft, verb, values)
    tell_world(draft, tuple(facts), choices)


def _name_pair(draft: Draft, verb: str) -> None:
    """Names for two objects: by colour where they have one, else by their order."""
    seen = not verb.startswith("lasted") and draft.slots["u"].one not in ("mile", "kilometer")  # type: ignore[attr-defined]
    one, two = draft.pick(_PAIRS) if seen else draft.pick(_ORDERS)
    draft.set(one=one, two=two)


def _pair(draft: Draft, verb: str, values: list[Fraction]) -> tuple[list[str], list[Choice]]:
    _name_pair(draft, verb)
    first, second = verb.format("{A}"), verb.format("{B}")
    facts = draft.pick(
        (
            [f"the {{one}} {{t.one}} {first}, and the {{two}} {{t.one}} {second}"],
            [f"the {{one}} {{t.one}} {first}", f"the {{two}} {{t.one}} {second}"],
            [f"the {{one}} {{t.one}} {first} and the {{two}} one {second}"],
        )
    )
    if draft.chance(0.5):
        draft.count("n", 2, draft.pick(("2", "two")))
        facts.insert(0, draft.pick(("{p} had {n} {t}", "there were {n} {t}", "{p} wrote about {n} {t}")))
    does = {"w": "weigh", "l": "last", "h": "hold"}.get(verb[0] if verb[:3] != "was" else "", "")
    together = [
        "what was the total {name} of the {t} / / /",
        "how many {u} is that [in all|altogether|together] / / /",
    ]
    if does:
        together.append(
            f"how many {{u}} / did the {{t}} {does} / the {{t}} {does} / [in all|together|altogether]"
        )
    choices: list[Choice] = [(tuple(together), ("+", "a", "b"))]
    if values[0] != values[1]:
        big, small, gold = (
            ("one", "two", ("-", "a", "b")) if values[0] > values[1] else ("two", "one", ("-", "b", "a"))
        )
        choices.append(((f"how much {{more}} was the {{{big}}} {{t.one}} / / /", f"how many {{u}} {{more}} was the {{{big}}} {{t.one}} than the {{{small}}} one / / /", f"how much {{less}} was the {{{small}}} {{t.one}} / / /", "what was the difference in {name} / / /"), gold))  # fmt: skip
    return facts, choices


def _times(draft: Draft, verb: str, small: Fraction) -> tuple[list[str], list[Choice]]:
    """One object is so many times the other, or so much more."""
    _name_pair(draft, verb)
    unit = draft.slots["u"]
    assert isinstance(unit, Thing)
    n, sign = draft.between(2, 9), draft.pick("*/*/+-")
    draft.count("n", n)
    draft.amount("b", draft.between(1, 9), unit)
    draft.amount("a", small * n if sign == "/" else small + 9 if sign == "-" else small, unit)
    other = {"*": "{n} times the {name} of", "/": "{n} times the {name} of", "+": "{B} {more} than", "-": "{B} {more} than"}[sign]  # fmt: skip
    subject, rest = ("two", "one") if sign in "*+" else ("one", "two")
    relation = f"the {{{subject}}} one was {other} the {{{rest}}} one"
    if sign in "*/":
        relation = f"the {{name}} of the {{{subject}}} one was {other} the {{{rest}}} one"
    known = f"the {{one}} {{t.one}} {verb.format('{A}')}"
    gold: Gold = (sign, "a", "n" if sign in "*/" else "b")
    return [known, relation], [(("what was the {name} of the {two} {t.one} / / /", "what was the {name} of the {two} one in {u} / / /"), gold)]  # fmt: skip


def _growth(draft: Draft, verb: str, values: list[Fraction]) -> tuple[list[str], list[Choice]]:
    gain = draft.chance(0.5)
    a, b = (values[0], values[1]) if gain or values[0] > values[1] else (values[1], values[0])
    unit = draft.slots["u"]
    assert isinstance(unit, Thing)
    if a == b:
        b = b / 2
    draft.amount("a", a, unit)
    draft.amount("b", b, unit)
    draft.amount("c", a + b if gain else a - b, unit)
    start = (
        f"{{p.s}} {{t.one}} {verb.format('{A}')}"
        if draft.chance(0.6)
        else f"the {{t.one}} {verb.format('{A}')}"
    )
    event = ("it became {B} {more}", "it grew by {B}", "{p} made it {B} {more}") if gain else ("it became {B} {less}", "{p} [cut|took] {B} off", "{p} made it {B} {less}")  # fmt: skip
    now = f"now it {verb.format('{C}')}".replace("was", "is").replace("weighed", "weighs")
    asked = "how much / does it weigh / it weighs / now" if "weighed" in verb else "how many {u} " + verb.split()[-1] + " is it now / / /"  # fmt: skip
    if draft.chance(0.6):
        return [start, draft.pick(event)], [
            ((asked, "what is its {name} now / / /"), ("+" if gain else "-", "a", "b"))
        ]
    gold: Gold = ("-", "c", "a") if gain else ("-", "a", "c")
    word = "{more}" if gain else "{less}"
    return [start, now], [((f"how much {word} is it [now|than before] / / /", "by how many {u} / did its {name} change / its {name} changed /"), gold)]  # fmt: skip


#: Wholes of which parts are told as fractions: the whole, then predicates.
WHOLES: tuple[tuple[str, str], ...] = (
    ("students in the class", "got an A; got a B; walk to school; take the bus; play soccer; play chess"), ("garments in the store", "are shirts; are dresses; are hats; are socks"),
    ("budget", "goes to rent; goes to food; is spent on books; is saved"), ("apartments in the building", "have a small kitchen; have a balcony; have a large kitchen; are empty"),
    ("nails in the box", "are short; are long; are rusty; are bent"), ("animals at the shelter", "are dogs; are cats; are rabbits"), ("garden", "is planted with roses; is planted with tulips; is lawn; is covered with herbs"),
    ("pizza", "was eaten at noon; was eaten at night; is left"), ("books on the shelf", "are novels; are poems; are about history"), ("cars in the lot", "are red; are white; are black; are old"),
    ("flowers", "are roses; are lilies; are daisies; are tulips"), ("road", "was paved in May; was paved in June; was paved in July"), ("voters", "chose the new park; chose the new pool; did not vote"),
)  # fmt: skip
_PARTS = (Fraction(1, 8), Fraction(1, 4), Fraction(3, 8), Fraction(1, 5), Fraction(2, 5), Fraction(3, 10), Fraction(1, 10), Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))  # fmt: skip


def either(draft: Draft) -> None:
    """Two parts of a whole as fractions; asked: both together, or how much more."""
    whole, predicates = draft.pick(WHOLES)
    one, two = draft.rng.sample(items(predicates), 2)
    draft.set(w=whole, m0=one, m1=two)
    a, b = draft.rng.sample(_PARTS, 2)
    draft.style = draft.pick(("fraction", "digits"))
    draft.count("a", a)
    draft.count("b", b)
    draft.kind, draft.tense = "combine", "present"
    facts = draft.pick((("{a} of the {w} {m0}", "{b} {m1}"), ("{a} of the {w} {m0} and {b} {m1}",), ("{a} of the {w} {m0}", "another {b} {m1}")))  # fmt: skip
    choices: list[Choice] = [(("what [fraction|part] of the {w} either {m0} or {m1} / / /", "what [fraction|part] of the {w} is that [in all|together|altogether] / / /"), ("+", "a", "b"))]  # fmt: skip
    more, less, gold = (0, 1, ("-", "a", "b")) if a > b else (1, 0, ("-", "b", "a"))
    choices.append(((f"how much more of the {{w}} {{m{more}}} than {{m{less}}} / / /",), gold))
    draft.spare = ["date"]
    tell_world(draft, facts, choices)


#: What is needed for something: the deed, the unit, the stuff, what for.
NEEDS: tuple[tuple[str, str, str], ...] = (
    ("[the|this|a] recipe [wants|calls for|needs] {A}", "cup of flour; cup of sugar; egg; tablespoon of butter; cup of milk; pound of potatoes", "[put in|added]"), ("{p} has to read {A}", "page; chapter; poem", "read"),
    ("{p} must make {A}", "sandwich; costume; card; lantern; paper star", "made"), ("{p} is supposed to sell {A}", "ticket; box of cookies; calendar; raffle ticket", "sold"), ("the wall needs {A}", "brick; can of paint; tile; board", "used"),
    ("{p} wants to run {A}", "mile; lap; kilometer", "run"), ("{p} has to solve {A}", "problem; puzzle; riddle", "solved"), ("{p.s} team has to win {A}", "game; point; match", "won"), ("{p} promised to plant {A}", "tree; bush; bulb", "planted"),
)  # fmt: skip


def needs(draft: Draft) -> None:
    """So much is needed, so much is done; asked: what is left to do, or what was needed."""
    goal, things, done = draft.pick(NEEDS)
    noun = draft.pick(items(things))
    draft.person("p", roles=False)
    draft.tense, draft.kind = "past", "change"
    draft.set(t=Thing(noun, plural(noun)), done=done)
    a = draft.between(5, 60)
    b = draft.rng.randint(1, a - 2)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", a - b)
    draft.spare = ["age", "date", "other_thing"]
    have = draft.pick(("{p~} has already {} {B.bare}", "{p~} has {} {B} so far", "so far, {p~} has {} {B.bare}", "{B} have been {}")).replace("{}", done)  # fmt: skip
    left = draft.pick(("{C.more} are needed", "{p~} still needs {C.more}", "there are {C} to go"))
    done_ = done.strip("[]").split("|")[0]
    if draft.chance(0.6):
        return tell_world(draft, (goal, have), [(("how many more {t} / {do p} need / {p} needs / [to finish|]", "how many {t} are [still|] [missing|left to do|needed] / / /", "how many more {t} does it take / / /"), ("-", "a", "b"))])  # fmt: skip
    return tell_world(draft, (have, left), [((f"how many {{t}} have to be {done_} [in all|altogether|in total] / / /", "how many {t} / did {p} need / {p} needed / [at first|in all|altogether]"), ("+", "b", "c"))])  # fmt: skip


#: Two ways to cover a distance or spend time: the verbs, the units, the word for more of it.
WAYS: tuple[tuple[str, str, str], ...] = (
    ("run/walk; sprint/jog; bike/walk; ski/hike; swim/row; drive/walk; hike/jog; ride a horse/walk; skate/walk", "mile; kilometer; lap; meter; yard", "farther"),
    ("read/write; paint/draw; sing/dance; sleep/read; swim/rest; study/play; work/rest; cook/clean", "hour; minute", "longer"),
    ("weed/water; mow/rake; plow/plant", "acre; row; square meter", "more"),
)  # fmt: skip


def ways(draft: Draft) -> None:
    """Somebody does two things by the mile or the hour; asked: the difference, or all of it."""
    verbs, units, more = draft.pick(WAYS)
    first, second = draft.pick(items(verbs)).split("/")
    unit = draft.pick(items(units))
    draft.person("p", roles=False)
    draft.act("v", (first,))
    draft.act("w", (second,))
    draft.set(u=Thing(unit, plural(unit)), more=more)
    draft.tense, draft.kind = "past", "compare"
    parts = draft.pick((1, 10, 10, 100, 4))
    a, b = (Fraction(draft.between(1, 20 if parts < 10 else 9 * parts), parts) for _ in range(2))
    if a == b:
        a += 1
    draft.amount("a", a, Thing(unit, plural(unit)))
    draft.amount("b", b, Thing(unit, plural(unit)))
    by = "for " if more == "longer" else ""
    facts = draft.pick(((f"{{p~}} {{v.past}} {by}{{A}} and {{w.past}} {by}{{B}}",), (f"{{p~}} {{v.past}} {by}{{A}}", f"then {{p~}} {{w.past}} {by}{{B}}"), (f"{{p~}} {{w.past}} {by}{{B}} after {{p.he}} {{v.past}} {by}{{A}}",)))  # fmt: skip
    bigger, smaller, gold = ("v", "w", ("-", "a", "b")) if a > b else ("w", "v", ("-", "b", "a"))
    choices: list[Choice] = [
        ((f"how much {{more}} / did {{p}} {{{bigger}}} / {{p}} {{{bigger}.past}} / than {{{smaller}}}", f"how many more {{u}} / did {{p}} {{{bigger}}} / {{p}} {{{bigger}.past}} / than {{{smaller}}}"), gold),
        (("how many {u} is that [in all|altogether|together] / / /", "how many {u} / did {p} {v} and {w} / {p} {v.past} and {w.past} / [in all|altogether|]"), ("+", "a", "b")),
    ]  # fmt: skip
    draft.spare = ["age", "date"]
    tell_world(draft, facts, choices)

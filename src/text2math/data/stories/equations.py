"""Sentences for equations: one or two unknowns, each with the phrase it stands for.

A sentence is a *shape* (x = k·y + c, a·x + b·y = c, …) in a *setting* that has phrases for the unknowns: numbers,
counts of things, named measures, people, lengths and weights, prices of two goods, the news.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import in_digits, in_words, plural
from text2math.data.stories.world import Draft, Fact, Gold, Phrase, scenes


@dataclass(frozen=True, slots=True)
class Setting:
    """Phrases for two unknowns and what their values may be."""

    one: str
    two: str
    unit: str = ""
    money: bool = False
    low: int = 2
    high: int = 90
    place: str = ""


# How two things are compared, by setting.

_NUMBER_PAIRS = (
    ("one number", "[another|another number|the other|the other number|a second number]"),
    ("one of the numbers", "the other [one|]"),
    ("the first number", "the second [number|]"),
    ("the second number", "the first [number|]"),
    ("the larger [number|of two numbers]", "the smaller [number|one|]"),
    ("the smaller number", "the larger [number|one|]"),
    ("the greater [of two numbers|number]", "the lesser [number|]"),
    ("one integer", "[another|the other] [integer|]"),
    ("a number", "[another number|a second number]"),
    ("the greater of two integers", "the smaller [integer|]"),
    ("one of two numbers", "the other"),
)
_MEASURES = (
    (
        "the length of the {shape}",
        "[the width|its width]",
        "[inches|feet|meters|centimeters|yards]",
        False,
        2,
        80,
    ),
    ("the width of the {shape}", "[the length|its length]", "[inches|feet|meters|centimeters]", False, 2, 80),
    ("the perimeter of the {shape}", "its [length|width]", "[inches|feet|meters]", False, 4, 200),
    ("the price of {an}{g}", "the price of {an}{h}", "dollars", True, 3, 400),
    ("the cost of the {g}", "the cost of the {h}", "dollars", True, 3, 400),
    ("the cost of an adult ticket", "the cost of a child's ticket", "dollars", True, 3, 40),
    ("the second angle", "the first angle", "degrees", False, 10, 120),
    (
        "the second of two [supplementary|complementary] angles",
        "the first [angle|]",
        "degrees",
        False,
        10,
        120,
    ),
    ("the third angle", "[the measure of|] the first angle", "degrees", False, 10, 120),
    (
        "the amount invested at the higher rate",
        "the amount invested at the lower rate",
        "dollars",
        True,
        500,
        20000,
    ),
    ("the number of games they won", "the number of games they lost", "", False, 3, 90),
    ("the measure of angle B", "the measure of angle A", "degrees", False, 10, 120),
    ("the largest angle of the triangle", "the smallest angle", "degrees", False, 10, 120),
    ("the number of {m}", "the number of {n}", "", False, 3, 200),
    ("{p.s} age", "{q.s} age", "[years|]", False, 3, 60),
    ("the father's age", "[the|his] son's age", "[years|]", False, 3, 60),
    ("the age of the older [brother|sister]", "the age of the younger one", "[years|]", False, 3, 30),
    (
        "the speed of the {vehicle}",
        "the speed of the {vehicle2}",
        "[miles per hour|kilometers per hour|mph]",
        False,
        10,
        90,
    ),
    ("the weight of the {animal}", "the weight of the {animal2}", "[pounds|kilograms]", False, 4, 900),
    (
        "the amount invested in the first fund",
        "the amount invested in the second [fund|]",
        "dollars",
        True,
        500,
        20000,
    ),
    (
        "the profit for the first half of the year",
        "the profit for the second half",
        "dollars",
        True,
        1000,
        900000,
    ),
    ("the amount saved in {month}", "the amount saved in {month2}", "dollars", True, 10, 900),
    ("the height of the {tower}", "the height of the {tower2}", "[feet|meters]", False, 20, 900),
    ("the population of {town}", "the population of {town2}", "[people|]", False, 500, 90000),
    ("{p.s} salary", "{q.s} salary", "dollars", True, 500, 60000),
    ("the number of votes for {p}", "the number of votes for {q}", "", False, 20, 900),
    ("the number of adult tickets sold", "the number of student tickets sold", "", False, 10, 400),
    ("the distance to {town}", "the distance to {town2}", "[miles|kilometers]", False, 8, 900),
    ("{p.s} score", "{q.s} score", "[points|]", False, 5, 300),
    ("the attendance on Saturday", "the attendance on Friday", "[people|]", False, 50, 5000),
    ("the number of boys [in the class|]", "the number of girls", "", False, 5, 40),
    ("the capacity of the large tank", "the capacity of the small tank", "[gallons|liters]", False, 5, 900),
    ("the longer side [of the triangle|]", "the shorter side", "[inches|centimeters|feet]", False, 3, 60),
    ("the second piece", "the first piece", "[inches|feet|meters]", False, 2, 60),
    ("the time spent on homework", "the time spent on chores", "minutes", False, 5, 180),
    ("the rent for an apartment in {town}", "the rent in {town2}", "dollars", True, 300, 3000),
    ("the temperature in {town}", "the temperature in {town2}", "degrees", False, 10, 90),
)
_PLURALS = (
    ("girls", "boys", "[in the class|in the club|at camp|]"), ("children", "adults", "[at the party|at the matinee|on the tour|]"),
    ("dimes", "nickels", "[in the jar|in the bank|in the purse|]"), ("quarters", "dimes", "[in the box|]"), ("cars", "trucks", "[on the lot|]"),
    ("students", "teachers", "[at the school|]"), ("cows", "horses", "[on the farm|on the ranch|]"), ("red marbles", "blue marbles", "[in the bag|]"),
    ("apples", "oranges", "[at the stand|in the crate|]"), ("adult tickets", "child tickets", ""), ("novels", "comic books", "[on the shelf|]"),
    ("chickens", "pigs", "[in the barnyard|]"), ("freshmen", "seniors", "[in the band|]"), ("hikers", "cyclists", "[on the trail|]"),
    ("cats", "dogs", "[at the shelter|]"), ("pens", "pencils", "[in the drawer|]"), ("violins", "flutes", "[in the orchestra|]"),
    ("doctors", "nurses", "[in the clinic|]"), ("sedans", "vans", "[in the garage|]"), ("oak trees", "pine trees", "[in the park|]"),
    ("wins", "losses", ""), ("yes votes", "no votes", ""), ("men", "women", "[at the meeting|in the choir|]"), ("roses", "tulips", "[in the bouquet|]"),
    ("small cups", "large cups", "[on the counter|]"), ("CDs", "DVDs", "[in the store|]"), ("pennies", "nickels", "[in the jar|]"),
)  # fmt: skip
_ADJECTIVES = (
    ("longer", "long", "[feet|inches|meters|centimeters]", (("one piece", "the other [piece|]"), ("the red rope", "the blue rope"), ("the second board", "the first [board|]"), ("the new bridge", "the old one"))),
    ("taller", "tall", "[feet|inches|meters]", (("the oak", "the maple"), ("{p}", "{q}"), ("the tower", "the church"), ("the tallest player", "the shortest player"))),
    ("heavier", "heavy", "[pounds|kilograms|ounces]", (("the truck", "the trailer"), ("the first box", "the second box"), ("the pumpkin", "the squash"), ("one fish", "the other"))),
    ("older", "old", "years", (("{p}", "{q}"), ("{p}", "[his|her] [brother|sister|cousin]"), ("a father", "his son"), ("the stone statue", "the bronze statue"), ("the castle", "the bridge"))),
    ("faster", "fast", "[miles per hour|kilometers per hour]", (("one car", "the other"), ("the express train", "the freight train"), ("the first plane", "the second plane"), ("one cyclist", "the other [cyclist|]"), ("the jet", "the propeller plane"))),
    ("deeper", "deep", "[feet|meters]", (("the lake", "the pond"), ("the new well", "the old well"))),
    ("wider", "wide", "[feet|meters|inches]", (("the avenue", "the street"), ("the window", "the door"))),
    ("more expensive", "expensive", "dollars", (("the {g}", "the {h}"), ("the first ticket", "the second one"))),
)  # fmt: skip
_LESS = {
    "longer": "shorter",
    "taller": "shorter",
    "heavier": "lighter",
    "older": "younger",
    "faster": "slower",
    "deeper": "shallower",
    "wider": "narrower",
    "more expensive": "cheaper",
}


def _fill(draft: Draft) -> None:
    draft.person("p", roles=False)
    draft.person("q", roles=False)
    goods = draft.rng.sample(words.GOODS, 2)
    movers = draft.rng.sample(words.MOVERS, 2)
    towns = draft.rng.sample(words.TOWNS, 2)
    months = draft.rng.sample(words.MONTHS, 2)
    things = draft.rng.sample([thing for scene in scenes() for thing in scene.things[:12]], 2)
    animals = draft.rng.sample(
        ("calf", "dog", "horse", "pig", "sheep", "bear", "seal", "goat", "lion", "tiger"), 2
    )
    draft.set(
        g=goods[0][0], h=goods[1][0], vehicle=movers[0][0], vehicle2=movers[1][0], town=towns[0], town2=towns[1],
        month=months[0], month2=months[1], m=things[0].many, n=things[1].many, animal=animals[0], animal2=animals[1],
        shape=draft.pick(("rectangle", "garden", "room", "field", "pool", "rug", "yard", "playground")),
        tower=draft.pick(("tower", "office building", "lighthouse")), tower2=draft.pick(("church", "hotel", "monument")),
        job=draft.pick(words.JOBS),
    )  # fmt: skip
    draft.kind = "equation"
    draft.layout = "statement"
    draft.tense = "present"


def _unknowns(draft: Draft, one: str, two: str = "") -> None:
    draft.slots["X1"] = Phrase(one)
    if two:
        draft.slots["X2"] = Phrase(two)


def _number(draft: Draft, key: str, value: int | Fraction) -> None:
    """A bare number: digits, or words now and then."""
    value = Fraction(value)
    if value.denominator == 1 and 0 <= value <= 20 and draft.chance(0.25):
        draft.count(key, value, in_words(int(value)))
    else:
        draft.count(key, value, in_digits(value, separator=value >= 10000 or draft.chance(0.6)))


def _times(draft: Draft, key: str) -> tuple[str, Fraction]:
    """A factor in slot ``key`` and how it goes before what it multiplies ("twice", "3 times", "0.4 of")."""
    luck = draft.rng.random()
    if luck < 0.28:
        word = draft.pick(("twice", "twice", "two times", "double"))
        if word == "two times":
            draft.count(key, 2, "two")
            return f"{{{key}}} times", Fraction(2)
        draft.count(key, 2, word)
        return f"{{{key}}}", Fraction(2)
    if luck < 0.88:
        factor = draft.between(3, 9 if draft.chance(0.9) else 15)
        if factor == 3 and draft.chance(0.2):
            draft.count(key, 3, draft.pick(("thrice", "triple")))
            return f"{{{key}}}", Fraction(3)
        _number(draft, key, factor)
        return f"{{{key}}} times", Fraction(factor)
    part = draft.pick(
        (
            Fraction(1, 2),
            Fraction(2, 5),
            Fraction(3, 4),
            Fraction(1, 4),
            Fraction(3, 5),
            Fraction(4, 5),
            Fraction(1, 5),
        )
    )
    if part == Fraction(1, 2) and draft.chance(0.5):
        draft.count(key, part, "half")
        return draft.pick((f"{{{key}}} of", f"{{{key}}}")), part
    if draft.chance(0.3) and 100 % part.denominator == 0:
        draft.count(key, part, f"{int(part * 100)}%")
    else:
        draft.count(
            key, part, in_digits(part) if draft.chance(0.6) else f"{part.numerator}/{part.denominator}"
        )
    return f"{{{key}}} of", part


def _setting(draft: Draft) -> Setting:
    if draft.chance(0.45):
        one, two = draft.pick(_NUMBER_PAIRS)
        return Setting(one, two)
    one, two, unit, money, low, high = draft.pick(_MEASURES)
    return Setting(one, two, unit, money, low, high)


def _amount(draft: Draft, key: str, value: int | Fraction, setting: Setting) -> None:
    """A constant with its unit in the phrase ``KEY``."""
    if setting.money:
        draft.money(key, value)
        return
    _number(draft, key, value)
    draft.slots[key.upper()] = Phrase(f"{{{key}}} {setting.unit}" if setting.unit else f"{{{key}}}")


def _is_more(draft: Draft, phrase: str) -> bool:
    """Whether the thing is told as more than the other: what is called the larger one is."""
    if any(
        word in phrase
        for word in ("larger", "largest", "greater", "tallest", "longer side", "older", "higher", "father")
    ):
        return True
    return "smaller" not in phrase and draft.chance(0.5)


def linear(draft: Draft) -> None:
    """x is c more or less than (k times) y."""
    _fill(draft)
    setting = _setting(draft)
    _unknowns(draft, setting.one, setting.two)
    factor, gold_y = "", "X2"
    gold: Gold = "X2"
    with_factor = draft.chance(0.55)
    if with_factor:
        factor, _ = _times(draft, "k")
        gold = ("*", "k", gold_y)
    y = f"{factor} {{X2}}"
    _amount(draft, "c", draft.between(2, max(3, setting.high // 2)), setting)
    is_ = draft.pick(("is", "is", "is", "was", "equals", "is equal to"))
    if with_factor and draft.chance(0.25):
        draft.facts = [
            Fact(
                draft.pick(
                    (
                        f"{{X1}} {is_} {y}",
                        f"{{X1}} is {factor} as [large|great|much] as {{X2}}"
                        if not factor.endswith("of")
                        else f"{{X1}} {is_} {y}",
                    )
                )
            )
        ]
        draft.gold = ("=", "X1", gold)
        return
    more = draft.chance(0.5) if with_factor else _is_more(draft, setting.one)
    word = "[more|greater|larger]" if more else "[less|fewer|smaller]" if not setting.unit else "less"
    templates = (
        f"{{X1}} {is_} {{C}} {word} than {y}",
        f"{{X1}} {is_} {{C}} {'more' if more else 'less'} than {y}",
        f"{{X1}} exceeds {y} by {{C}}" if more else f"{y} exceeds {{X1}} by {{C}}",
        f"{{X1}} {is_} {y} [increased by|plus] {{C}}"
        if more
        else f"{{X1}} {is_} {y} [decreased by|minus|diminished by] {{C}}",
        f"{y} is {{C}} {'less' if more else 'more'} than {{X1}}",
    )
    draft.facts = [Fact(draft.pick(templates))]
    draft.gold = ("=", "X1", ("+" if more else "-", gold, "c"))


def totals(draft: Draft) -> None:
    """The sum or difference of two unknowns."""
    templates: tuple[str, ...]
    _fill(draft)
    add = draft.chance(0.7)
    luck = draft.rng.random()
    if luck < 0.35:  # two numbers in one phrase
        both = draft.pick(
            (
                "two whole numbers",
                "two unknown numbers",
                "two mystery numbers",
                "the two unknown numbers",
                "two different integers",
                "two positive integers",
                "two consecutive odd numbers",
                "two neighboring whole numbers",
                "two negative integers",
                "both of the numbers",
                "a pair of numbers",
            )
        )
        draft.slots["X1"] = Phrase(both)
        draft.slots["X2"] = Phrase("")
        _number(draft, "c", draft.between(3, 300))
        if add:
            templates = (
                "[the sum|sum|the total] of {X1} is {c}",
                "{X1} [add up to|have a sum of|total|sum to] {c}",
                "when {X1} are added together, the result is {c}",
                "{X1} have a sum equal to {c}",
                "[name|write down|look for] {X1} with a sum of {c}",
                "if {X1} are added, the answer is {c}",
            )
        else:
            templates = (
                "the difference [between|of] {X1} is {c}",
                "{X1} differ by {c}",
                "{X1} have a difference of {c}",
                "[name|look for] {X1} with a difference of {c}",
            )
        draft.facts = [Fact(draft.pick(templates) + "{X2}")]
    elif luck < 0.7:
        one, two, place = draft.pick(_PLURALS)
        _unknowns(draft, one, two)
        draft.set(place="")
        draft.slots["place"] = Phrase(place)
        _number(draft, "c", draft.between(4, 400))
        if add:
            templates = (
                "there are {c} {X1} and {X2} {place}",
                "the {X1} and {X2} {place} [number|total] {c}",
                "altogether there are {c} {X1} and {X2} {place}",
                "{p} counted {c} {X1} and {X2} [in all|altogether|]",
                "the sum of the numbers of {X1} and {X2} is {c}",
                "the total number of {X1} and {X2} {place} [is|was] {c}",
                "{p} has {c} {X1} and {X2} [combined|together|in all]",
                "together, the {X1} and {X2} add up to {c}",
            )
        else:
            templates = (
                "there are {c} more {X1} than {X2} {place}",
                "the number of {X1} and the number of {X2} differ by {c}",
                "the {X1} outnumber the {X2} by {c}",
                "{p} counted {c} more {X1} than {X2}",
                "{p} sold {c} more {X1} than {X2}",
            )
        draft.facts = [Fact(draft.pick(templates))]
    elif luck < 0.85:
        one, two, unit, money, low, high = draft.pick(_MEASURES)
        setting = Setting(one, two, unit, money, low, high)
        _unknowns(draft, one, two)
        _amount(draft, "c", draft.between(low, high) + low, setting)
        if add:
            templates = (
                "the sum of {X1} and {X2} is {C}",
                "{X1} plus {X2} [is|equals|comes to] {C}",
                "{X1} and {X2} [total|add up to] {C}",
                "{X1} and {X2} together make {C}",
                "{X1} added to {X2} [is|gives] {C}",
            )
        else:
            templates = (
                "the difference between {X1} and {X2} is {C}",
                "{X1} minus {X2} [is|equals] {C}",
                "{X1} and {X2} differ by {C}",
            )
        draft.facts = [Fact(draft.pick(templates))]
    else:
        add = True
        _unknowns(draft, "", "")
        _number(draft, "c", draft.between(6, 120))
        unit = draft.pick(("foot", "inch", "meter", "yard"))
        draft.set(u=unit, us=plural(unit))
        _number(draft, "z", 2)
        percent = draft.rng.sample(range(2, 15), 2)
        draft.count("y", Fraction(percent[0], 100), f"{percent[0]}%")
        draft.count("w", Fraction(percent[1], 100), f"{percent[1]}%")
        split = draft.pick(
            (
                ("{c} is [split|separated|broken up] into {X1}{X2}", "two parts", ""),
                ("a board {c} {us} long is [cut|sawed] into {X1}{X2}", "[two|2] pieces", ""),
                ("a {c}-{u} rope is cut into {X1}{X2}", "[two|2] pieces", ""),
                (
                    "{p} invested {money}, {X1} and {X2}",
                    "part at {y}",
                    "[part|the rest|the remainder] at {w} [interest|simple interest|]",
                ),
                (
                    "{p} puts {money} into two accounts, {X1} and {X2}",
                    "one paying {y} interest",
                    "the other paying {w}",
                ),
                ("a {g} and a {h} cost {money} [together|combined|]", "", ""),
                ("{X1} and {X2} cost {money} [together|combined|in all]", "a {g}", "a {h}"),
                ("{p} has {c} coins, all of them {X1} and {X2}", "[nickels|dimes]", "quarters"),
                ("a purse contains {c} coins in {X1} and {X2}", "nickels", "dimes"),
                ("{p} and {q} have {c} {m} between {X1}{X2}", "them", ""),
            )
        )
        text, one, two = split
        if "{X1}" not in text:
            text, one, two = "{X1} and {X2} cost {money} [together|combined|]", "the {g}", "the {h}"
        if "{money}" in text:
            draft.money("c", draft.between(40, 900) * draft.pick((1, 1, 10, 100)))
            text = text.replace("{money}", "{C}")
        _unknowns(draft, one, two)
        draft.slots["X2"] = Phrase(two)
        draft.facts = [Fact(text)]
    draft.gold = ("=", ("+" if add else "-", "X1", "X2"), "c")


_OWNED = frozenset(
    ("apples", "novels", "CDs", "pens", "roses", "violins", "dimes", "quarters", "pennies", "cats", "cars", "red marbles", "small cups")
)  # fmt: skip


def counts(draft: Draft) -> None:
    """c more (than k times as many) girls than boys."""
    templates: tuple[str, ...]
    _fill(draft)
    one, two, place = draft.pick(_PLURALS)
    if draft.chance(0.3):
        _unknowns(draft, "{p}", "{q}")
        noun = "{m}"
        have = draft.pick(("has", "has", "had", "sold", "bought", "collected"))
        people = True
    else:
        _unknowns(draft, one, two)
        noun = ""
        have = ""
        people = False
    draft.slots["place"] = Phrase(place if not people else "")
    owned = "ticket" in one or one in _OWNED
    are = draft.pick(
        ("there are", "there were", "{p} counted", *(("{p} has", "the store sold") if owned else ()))
    )
    if place and are not in ("there are", "there were"):
        draft.slots["place"] = Phrase("")
    factor, value = _times(draft, "k")
    if factor.endswith("of") or value < 1:
        draft.count("k", 3)
        factor = "{k} times"
    if factor == "{k}" and draft.amounts["k"].text in ("double", "triple", "thrice"):
        draft.count("k", 2, "twice")
    _number(draft, "c", draft.between(2, 60))
    more = draft.chance(0.55)
    word = "more" if more else draft.pick(("fewer", "less", "fewer"))
    sign = "+" if more else "-"
    luck = draft.rng.random()
    if luck < 0.4:
        templates = (
            (
                f"{{X1}} {have} {{c}} {word} {noun} than {{X2}}",
                f"{{X1}} {have} {{c}} {word} {noun} than {{X2}} [does|did|]",
            )
            if people
            else (f"{are} {{c}} {word} {{X1}} than {{X2}} {{place}}",)
        )
        draft.gold = ("=", "X1", (sign, "X2", "c"))
    elif luck < 0.75:
        templates = (
            (f"{{X1}} {have} {factor} as many {noun} as {{X2}}",)
            if people
            else (f"{are} {factor} as many {{X1}} as {{X2}} {{place}}",)
        )
        draft.gold = ("=", "X1", ("*", "k", "X2"))
    else:
        templates = (
            (
                f"{{X1}} {have} {{c}} {word} than {factor} as many {noun} as {{X2}}",
                f"{{X1}} {have} {{c}} {word} {noun} than {factor} the number {{X2}} has",
            )
            if people
            else (
                f"{are} {{c}} {word} than {factor} as many {{X1}} as {{X2}} {{place}}",
                f"the number of {{X1}} is {{c}} {word if word != 'fewer' else 'less'} than {factor} the number of {{X2}}",
            )
        )
        draft.gold = ("=", "X1", (sign, ("*", "k", "X2"), "c"))
    draft.facts = [Fact(draft.pick(templates))]


def comparatives(draft: Draft) -> None:
    """x is c feet longer than y; x is twice as long as y."""
    _fill(draft)
    more, adjective, unit, pairs = draft.pick(_ADJECTIVES)
    one, two = draft.pick(pairs)
    _unknowns(draft, one, two)
    verb = (
        draft.pick(("travels", "goes", "is", "moves"))
        if more == "faster"
        else draft.pick(("is", "is", "was"))
    )
    if more == "more expensive":
        draft.money("c", draft.between(2, 200))
    elif draft.chance(0.2):
        draft.count("c", Fraction(draft.between(5, 200), 10))
        draft.slots["C"] = Phrase(f"{{c}} {unit}")
    else:
        _number(draft, "c", draft.between(2, 60))
        draft.slots["C"] = Phrase(f"{{c}} {unit}")
    luck = draft.rng.random()
    bigger = _is_more(draft, one) if luck < 0.5 else draft.chance(0.6)
    word = more if bigger else _LESS[more]
    if luck < 0.5:
        draft.gold = ("=", "X1", ("+" if bigger else "-", "X2", "c"))
        draft.facts = [
            Fact(
                draft.pick(
                    (
                        f"{{X1}} {verb} {{C}} {word} than {{X2}}",
                        f"{{X1}} {verb} {{C}} {word} than {{X2}}",
                        f"compared with {{X2}}, {{X1}} {verb} {{C}} {word}",
                    )
                )
            )
        ]
        return
    factor, value = _times(draft, "k")
    if value < 1 or (factor == "{k}" and draft.amounts["k"].text != "twice"):
        draft.count("k", 2, "twice")
        factor = "{k}"
    if luck < 0.75:
        draft.gold = ("=", "X1", ("*", "k", "X2"))
        draft.facts = [Fact(f"{{X1}} {verb} {factor} as {adjective} as {{X2}}")]
    else:
        draft.gold = ("=", "X1", ("+" if bigger else "-", ("*", "k", "X2"), "c"))
        draft.facts = [
            Fact(
                draft.pick(
                    (
                        f"{{X1}} {verb} {{C}} {word} than {factor} as {adjective} as {{X2}}",
                        f"{{X1}} {verb} {{C}} {'more' if bigger else 'less'} than {factor} as {adjective} as {{X2}}",
                    )
                )
            )
        ]


_NUMBER = "[a number|a certain number|an unknown number|some number|a number]"
_SAME = "[the number|the same number|that number|the same number|that same number]"


def single(draft: Draft) -> None:
    """One unknown number: 3 more than twice a number is 11."""
    templates: tuple[str, ...]
    _fill(draft)
    x = draft.between(1, 40)
    factor, k = _times(draft, "k")
    if k < 1:
        x = x * k.denominator
    luck = draft.rng.random()
    draft.slots["X1"] = Phrase(draft.pick((_NUMBER, _NUMBER, _NUMBER, "the number")))
    fx = f"{factor} {{X1}}"
    is_ = draft.pick(("is", "is", "equals", "is equal to", "gives", "is the same as"))
    product = k * x
    if luck < 0.2:
        a = draft.between(1, 60)
        _number(draft, "a", a)
        add = draft.chance(0.5)
        result = x + a if add else x - a
        if result < 0 and draft.chance(0.8):
            result, add = x + a, True
        _number(draft, "b", result)
        draft.gold = ("=", ("+" if add else "-", "X1", "a"), "b")
        templates = (
            (
                f"{{X1}} [plus|increased by|added to] {{a}} {is_} {{b}}",
                f"the sum of {{X1}} and {{a}} {is_} {{b}}",
                f"{{a}} more than {{X1}} {is_} {{b}}",
                "when {a} is added to {X1}, the result is {b}",
                "if {X1} is increased by {a}, you get {b}",
                f"{{a}} added to {{X1}} {is_} {{b}}",
            )
            if add
            else (
                f"{{X1}} [minus|decreased by|diminished by|reduced by] {{a}} {is_} {{b}}",
                f"the difference between {{X1}} and {{a}} {is_} {{b}}",
                f"{{a}} less than {{X1}} {is_} {{b}}",
                "when {a} is subtracted from {X1}, the result is {b}",
                "if you take {a} away from {X1}, you get {b}",
            )
        )
    elif luck < 0.3:
        _number(draft, "b", product)
        draft.gold = ("=", ("*", "k", "X1"), "b")
        templates = (
            f"{fx} {is_} {{b}}",
            "the product of {k} and {X1} is {b}" if factor.endswith("times") else f"{fx} {is_} {{b}}",
            "when {X1} is multiplied by {k}, the [result|product|answer] is {b}"
            if factor.endswith("times")
            else f"{fx} {is_} {{b}}",
        )
    elif luck < 0.4:
        d = draft.between(2, 12)
        _number(draft, "d", d)
        draft.gold = ("=", ("/", "X1", "d"), "b")
        _number(draft, "b", x)
        templates = (
            "{X1} divided by {d} is {b}",
            "when {X1} is divided by {d}, the [quotient|result] is {b}",
            "the quotient of {X1} and {d} is {b}",
            "if you divide {X1} by {d}, you get {b}",
        )
    elif luck < 0.68:
        a = draft.between(1, 60)
        add = draft.chance(0.5) or product - a < 0
        _number(draft, "a", a)
        _number(draft, "b", product + a if add else product - a)
        draft.gold = ("=", ("+" if add else "-", ("*", "k", "X1"), "a"), "b")
        templates = (
            (
                f"{{a}} more than {fx} {is_} {{b}}",
                f"the sum of {{a}} and {fx} is {{b}}",
                f"{fx} [plus|increased by] {{a}} {is_} {{b}}",
                f"when {{a}} is added to {fx}, the result is {{b}}",
                f"if {fx} is increased by {{a}}, the result is {{b}}",
                f"{{b}} is {{a}} more than {fx}",
            )
            if add
            else (
                f"{{a}} less than {fx} {is_} {{b}}",
                f"the difference between {fx} and {{a}} [comes to|makes|equals] {{b}}",
                f"{fx} [minus|decreased by|diminished by] {{a}} {is_} {{b}}",
                f"when {{a}} is subtracted from {fx}, the result is {{b}}",
                f"if {{a}} is subtracted from {fx}, the difference is {{b}}",
                f"{{b}} [is exactly|equals] {{a}} less than {fx}",
            )
        )
    elif luck < 0.82:  # k x = m x + a, or k x - a = m x + b
        k1, m1 = draft.rng.sample(range(2, 10), 2)
        k1, m1 = max(k1, m1), min(k1, m1)
        _number(draft, "k", k1)
        m_factor = "{m} times"
        if m1 == 2 and draft.chance(0.7):
            draft.count("m", 2, "twice")
            m_factor = "{m}"
        else:
            _number(draft, "m", m1)
        _number(draft, "a", (k1 - m1) * x)
        draft.slots["X1"] = Phrase(_NUMBER, (("same", _SAME),))
        if draft.chance(0.6):
            draft.gold = ("=", ("*", "k", "X1"), ("+", ("*", "m", "X1"), "a"))
            templates = (
                f"{{k}} times {{X1}} is {{a}} more than {m_factor} {_SAME}",
                f"{{k}} times {{X1}} equals {{a}} more than {m_factor} {_SAME}",
                f"{{k}} times {{X1}} is [the same as|equal to] {m_factor} {_SAME} [plus|increased by] {{a}}",
                f"{{k}} times {{X1}} exceeds {m_factor} {_SAME} by {{a}}",
            )
        else:
            b = draft.between(1, 30)
            _number(draft, "b", b)
            _number(draft, "a", (k1 - m1) * x + b)
            draft.gold = ("=", ("-", ("*", "k", "X1"), "a"), ("-", ("*", "m", "X1"), "b"))
            if draft.chance(0.5):
                _number(draft, "a", abs((k1 - m1) * x - b) or 1)
                sign = "-" if (k1 - m1) * x >= b else "+"
                if (k1 - m1) * x == b:
                    sign = "-"
                _number(draft, "b", b)
                draft.gold = ("=", (sign, ("*", "k", "X1"), "a"), ("+", ("*", "m", "X1"), "b"))
                templates = (
                    f"{{a}} {'less' if sign == '-' else 'more'} than {{k}} times {{X1}} is {{b}} more than {m_factor} {_SAME}",
                )
            else:
                templates = (f"{{a}} less than {{k}} times {{X1}} is {{b}} less than {m_factor} {_SAME}",)
    elif luck < 0.92:
        a = draft.between(1, 20)
        add = draft.chance(0.6) or x <= a
        k1 = draft.between(2, 9)
        _number(draft, "k", k1)
        _number(draft, "a", a)
        _number(draft, "b", k1 * (x + a) if add else k1 * (x - a))
        draft.gold = ("=", ("*", "k", ("+" if add else "-", "X1", "a")), "b")
        templates = (
            (
                "{k} times the sum of {a} and {X1} [gives|makes|equals] {b}",
                "the product of {k} and the sum of {X1} and {a} is {b}",
                "the sum of {X1} and {a} multiplied by {k} is {b}",
            )
            if add
            else (
                "{k} times the difference of {X1} and {a} is {b}",
                "the product of {k} and the difference between {X1} and {a} is {b}",
            )
        )
    else:
        a = draft.between(1, 40)
        _number(draft, "a", a + x)
        _number(draft, "b", a)
        draft.gold = ("=", ("-", "a", "X1"), "b")
        templates = (
            "{a} minus {X1} is {b}",
            "{a} decreased by {X1} is {b}",
            "when {X1} is subtracted from {a}, the result is {b}",
            "if {X1} is taken from {a}, {b} is left",
        )
    draft.facts = [Fact(draft.pick(templates))]


def two_goods(draft: Draft) -> None:
    """a of one and b of the other cost c."""
    _fill(draft)
    goods = draft.rng.sample([good for good in words.GOODS if good[2] <= 120], 2)
    if draft.chance(0.5):
        scene = draft.pick(scenes())
        things = draft.rng.sample(scene.things, 2)
        one, two = things[0].many, things[1].many
        prices = [Fraction(draft.between(5, 80), 20) for _ in range(2)]
    else:
        one, two = plural(goods[0][0]), plural(goods[1][0])
        prices = [Fraction(draft.between(low, high)) for _, low, high in goods]
    if draft.chance(0.2):
        one, two = draft.pick(
            (
                ("adult tickets", "child tickets"),
                ("adult passes", "child passes"),
                ("pounds of nuts", "pounds of raisins"),
                ("gallons of regular gas", "gallons of premium gas"),
                ("hours of tutoring", "hours of coaching"),
                ("two-point baskets", "three-point baskets"),
            )
        )
    a, b = draft.between(2, 12), draft.between(2, 12)
    _number(draft, "a", a)
    _number(draft, "b", b)
    draft.money("c", a * prices[0] + b * prices[1])
    _unknowns(draft, one, two)
    draft.gold = ("=", ("+", ("*", "a", "X1"), ("*", "b", "X2")), "c")
    draft.facts = [
        Fact(
            draft.pick(
                (
                    "{a} {X1} and {b} {X2} cost {C}",
                    "{p} [bought|purchased|ordered] {a} {X1} and {b} {X2} for {C}",
                    "the [cost|total cost|price] of {a} {X1} and {b} {X2} is {C}",
                    "{p} paid {C} for {a} {X1} and {b} {X2}",
                    "{C} [buys|can buy|will buy] {a} {X1} and {b} {X2}",
                    "{a} {X1} and {b} {X2} together cost {C}",
                    "{p} spent [a total of|] {C} on {a} {X1} and {b} {X2}",
                    "on the first day, the school sold {a} {X1} and {b} {X2} for [a total of|] {C}",
                    "at the store, {p} bought {a} {X1} and {b} {X2} and paid {C} [in all|]",
                    "{a} {X1} plus {b} {X2} come to {C}",
                    "the total value of {a} {X1} and {b} {X2} is {C}",
                )
            )
        )
    ]


_FIRMS = ("Norwell Foods", "Delmar Energy", "Kestrel Air", "Brightline Motor", "Harrow Bank", "Tallis Software", "Pinecrest Homes", "Ostrander Steel", "Vantage Foods", "Lumen Retail", "Corbin Health", "Aldgate Insurance", "Maribor Telecom", "Quill Media", "Solway Shipping", "Fenwick Stores")  # fmt: skip
_INDICES = ("the Northern 100", "the Pacific Index", "the Capital Composite", "Norway's main index", "the Harbor 50", "Korea's small-cap index", "the Transport Average", "Spain's blue-chip index", "the Euro 300", "India's midcap index")  # fmt: skip
_RATES = ("the jobless rate", "the unemployment rate", "the inflation rate", "consumer confidence", "the mortgage rate", "the savings rate", "the vacancy rate", "the prime rate", "the interest rate on savings")  # fmt: skip
_GOODS = ("crude oil", "gold", "copper", "wheat", "silver", "natural gas", "corn futures", "coffee futures", "June oil", "May gold", "cotton")  # fmt: skip
_BROKERS = (
    "Ridge Capital",
    "Alder Brothers",
    "Summit Securities",
    "Bluewater Bank",
    "Hudson Partners",
    "Keystone Research",
)


def news(draft: Draft) -> None:
    """Headlines: up so much to so much, from so much, by so many percent."""
    _fill(draft)
    places = draft.pick(
        (f"in {draft.pick(words.MONTHS)}", "", "", "in early trading", "at the close", "this week", "today")
    )
    draft.set(when=places, firm=draft.pick(_FIRMS), broker=draft.pick(_BROKERS))
    match draft.rng.randint(0, 4):
        case 0:  # percent of the former value
            percent = Fraction(draft.between(1, 90 if draft.chance(0.8) else 250), 10)
            level = Fraction(draft.between(10000, 2000000), 100)
            draft.count(
                "f",
                percent / 100,
                f"{in_digits(percent)}%" if draft.chance(0.85) else f"{in_digits(percent)} percent",
            )
            draft.count("c", level, in_digits(level))
            up = draft.chance(0.5)
            stock = draft.chance(0.4)
            draft.slots["X1"] = Phrase(
                draft.pick(_INDICES)
                if not stock
                else draft.pick(("{firm} shares", "{firm} stock", "shares of {firm}"))
            )
            price = "[${c}|{c}]" if stock else "{c}"
            draft.facts = [
                Fact(
                    draft.pick(
                        (
                            f"{{X1}} [opens|closes|ends|trades] {{f}} {'higher' if up else 'lower'} at {price} {{when}}",
                            f"{{X1}} {'[up|gains|rises|climbs|jumps|surges|adds|advances]' if up else '[down|falls|drops|slides|sinks|loses|slips|tumbles]'} {{f}} to {price} {{when}}",
                            f"{{X1}} {'up' if up else 'down'} {{f}} at {price} {{when}}",
                            f"{{X1}} {'[increased|grew|rose|went up]' if up else '[decreased|fell|shrank|went down]'} by {{f}} to {price} {{when}}",
                        )
                    )
                )
            ]
            draft.gold = ("=", ("+" if up else "-", "X1", ("*", "f", "X1")), "c")
        case 1:  # points or dollars up to
            level = Fraction(draft.between(2000, 900000), 100)
            step = Fraction(draft.between(10, 3000), 100)
            draft.count("d", step, f"{float(step):,.2f}")
            draft.count("c", level, f"{float(level):,.2f}")
            up = draft.chance(0.5)
            good = draft.chance(0.5)
            draft.slots["X1"] = Phrase(draft.pick(_GOODS) if good else draft.pick(_INDICES))
            d, c = ("${d}", "${c} [a barrel|an ounce|a ton|]") if good else ("{d} points", "{c}")
            draft.facts = [
                Fact(
                    draft.pick(
                        (
                            f"{{X1}} {'[up|gains|rises|adds|climbs]' if up else '[down|loses|falls|drops|sheds]'} {d} to {c} {{when}}",
                            f"{{X1}} {'up' if up else 'down'} {d}, [to settle|to end|ending|settling] at {c}".replace(
                                "to settle|to end|ending|settling", "to settle|ending"
                            ),
                            f"{{X1}} turns {'higher, up' if up else 'lower, down'} {d} at {c}",
                        )
                    )
                )
            ]
            draft.gold = ("=", ("+" if up else "-", "X1", "d"), "c")
        case 2:  # rises to b from a: the change
            a, b = (Fraction(value, 10) for value in draft.rng.sample(range(8, 95), 2))
            draft.count("a", a / 100, f"{in_digits(a)}%")
            draft.count("b", b / 100, f"{in_digits(b)}%")
            up = b > a
            draft.slots["X1"] = Phrase(draft.pick(_RATES))
            draft.facts = [
                Fact(
                    draft.pick(
                        (
                            f"{{X1}} {'[rises|climbs|jumps|edges up]' if up else '[falls|dips|drops|eases]'} to {{b}} from {{a}} {{when}}",
                            f"{{X1}} {'rose' if up else 'fell'} from {{a}} to {{b}} {{when}}",
                            f"{{X1}} {'[rises|climbs]' if up else '[falls|dips]'} to {{b}}, from {{a}} {{when}}",
                        )
                    )
                )
            ]
            draft.gold = ("=", "X1", ("-", "b", "a") if up else ("-", "a", "b"))
        case 3:
            old, new = draft.rng.sample(range(5, 300), 2)
            draft.count("a", old, str(old))
            draft.count("b", new, str(new))
            up = new > old
            draft.slots["X1"] = Phrase(
                draft.pick(
                    (
                        "{firm}'s stock price target",
                        "the price target for {firm}",
                        "{firm} price target",
                        "the target for {firm} stock",
                    )
                )
            )
            draft.facts = [
                Fact(
                    draft.pick(
                        (
                            f"{{X1}} {'[raised|raised|raised|lifted|increased]' if up else '[cut|cut|lowered|reduced]'} to ${{b}} from ${{a}} [at {{broker}}|by analysts|]",
                            f"{{X1}} {'[raised|lifted]' if up else '[cut|lowered]'} from ${{a}} to ${{b}} at {{broker}}",
                        )
                    )
                )
            ]
            draft.gold = ("=", "X1", ("-", "b", "a") if up else ("-", "a", "b"))
        case _:
            share = draft.between(2, 60)
            cents = draft.between(5, 120)
            draft.count("f", Fraction(share, 100), f"{share}%")
            draft.count("c", Fraction(cents, 100), str(cents))
            up = draft.chance(0.7)
            draft.slots["X1"] = Phrase(
                draft.pick(
                    (
                        "quarterly dividend",
                        "the dividend",
                        "regular dividend",
                        "annual dividend",
                    )
                )
            )
            raises = "[raises|lifts|increases|boosts]" if up else "[cuts|lowers|reduces|trims]"
            draft.facts = [Fact(f"{{firm}} {raises} {{X1}} [by|] {{f}} to {{c}} cents [a share|per share|]")]
            draft.gold = ("=", ("+" if up else "-", "X1", ("*", "f", "X1")), "c")


def plans(draft: Draft) -> None:
    """A fee and so much for each: the cost by the number."""
    templates: tuple[str, ...]
    _fill(draft)
    fee = Fraction(draft.between(5, 900)) if draft.chance(0.5) else Fraction(draft.between(500, 9000), 100)
    rate = Fraction(draft.between(2, 30)) if draft.chance(0.5) else Fraction(draft.between(5, 95), 100)
    draft.money("a", fee)
    draft.money("b", rate)
    unit = draft.pick(
        (
            "mile",
            "minute",
            "text message",
            "guest",
            "meal",
            "hour",
            "day",
            "page",
            "class",
            "week",
            "visit",
            "sheet",
        )
    )
    who = draft.pick(
        (
            "the first plan",
            "Plan A",
            "one company",
            "a rental agency",
            "the second agency",
            "the photo studio",
            "the phone company",
            "a gym",
            "the caterer",
            "{firm} Rentals",
            "the banquet hall",
            "the plumber",
            "the other plan",
        )
    )
    draft.set(unit=unit, firm=draft.pick(words.SURNAMES))
    match draft.rng.randint(0, 3):
        case 0 | 1:
            _unknowns(draft, who, "{unit}")
            templates = (
                "{X1} charges {A} plus {B} per {X2}",
                "{X1} costs {A} plus {B} per {X2}",
                "{X1} charges [a flat fee|a one-time fee|an initial fee|a base price] of {A} and {B} per {X2}",
                "{X1} has a [monthly fee|set-up fee|sign-up fee] of {A} and costs [an additional|another|] {B} per {X2}",
                "{X1} charges {B} per {X2} plus a fee of {A}",
                "with {X1}, you pay {A} and then {B} per {X2}",
            )
            draft.gold = ("=", "X1", ("+", "a", ("*", "b", "X2")))
        case 2:
            _unknowns(draft, "{p}", draft.pick(("week", "month", "day")))
            templates = (
                "{X1} has {A} and saves {B} each {X2}",
                "{X1} has {A} in the bank and adds {B} every {X2}",
                "{X1} starts with {A} and earns {B} a {X2}",
                "{X1} already saved {A} and plans to save {B} more every {X2}",
            )
            draft.gold = ("=", "X1", ("+", "a", ("*", "b", "X2")))
        case _:
            percent = draft.between(2, 15)
            draft.count("f", Fraction(percent, 100), f"{percent}%")
            _unknowns(draft, draft.pick(("{p.s} [salary|pay|weekly pay]", "{p}")), "[her|his|all] sales")
            draft.slots["X2"] = Phrase(
                draft.pick(("[the|total] sales", "{p.his} sales", "everything {p.he} sells"))
            )
            verb = "is" if "pay" in str(draft.slots["X1"]) else "earns"
            templates = (
                f"{{X1}} {verb} {{A}} plus {{f}} of {{X2}}",
                f"{{X1}} {verb} {{A}} a week plus a commission of {{f}} on {{X2}}",
            )
            draft.gold = ("=", "X1", ("+", "a", ("*", "f", "X2")))
    draft.facts = [Fact(draft.pick(templates))]


def weighted(draft: Draft) -> None:
    """Multiples of two numbers: 3 times one is 11 less than 5 times the other; ratios."""
    templates: tuple[str, ...]
    _fill(draft)
    luck = draft.rng.random()
    if luck < 0.25:
        one, two, _ = draft.pick(_PLURALS)
        _unknowns(draft, one, two)
        a, b = draft.rng.sample(range(2, 12), 2)
        _number(draft, "a", a)
        _number(draft, "b", b)
        draft.gold = ("=", ("/", "X1", "X2"), ("/", "a", "b"))
        templates = (
            "the ratio of {X1} to {X2} is {a} to {b}",
            "{X1} and {X2} are in the ratio {a} to {b}",
            "the group has {X1} and {X2} in a ratio of {a} to {b}",
            "for every {a} {X1} there are {b} {X2}",
        )
    else:
        one, two = draft.pick(_NUMBER_PAIRS)
        if draft.chance(0.25):
            one, two = draft.pick(
                (
                    ("the first part", "the second part"),
                    ("the tens digit", "the units digit"),
                    ("the number of {m}", "the number of {n}"),
                    ("the length", "the width"),
                    ("the number of girls", "the number of boys"),
                )
            )
        _unknowns(draft, one, two)
        first, _ = _times(draft, "k")
        second, _ = _times(draft, "l")
        _number(draft, "c", draft.between(2, 150))
        x, y = f"{first} {{X1}}", draft.pick((f"{second} {{X2}}", "{X2}"))
        gold_y: Gold = ("*", "l", "X2") if y != "{X2}" else "X2"
        gold_x: Gold = ("*", "k", "X1")
        match draft.rng.randint(0, 4):
            case 0:
                draft.gold = ("=", ("+", gold_x, gold_y), "c")
                templates = (
                    f"the sum of {x} and {y} is {{c}}",
                    f"{x} plus {y} [is|equals|is equal to] {{c}}",
                    f"{x} added to {y} [is|makes|gives] {{c}}",
                    f"if {x} is added to {y}, the result is {{c}}",
                    f"when {x} is increased by {y}, the result is {{c}}",
                )
            case 1:
                draft.gold = ("=", ("-", gold_x, gold_y), "c")
                templates = (
                    f"{x} minus {y} [is|equals] {{c}}",
                    f"the difference between {x} and {y} is {{c}}",
                    f"{x} exceeds {y} by {{c}}",
                    f"if {y} is subtracted from {x}, the result is {{c}}",
                    f"{x} decreased by {y} is {{c}}",
                )
            case 2:
                draft.gold = ("=", gold_x, ("+", gold_y, "c"))
                templates = (
                    f"{x} is {{c}} more than {y}",
                    f"{x} equals {{c}} more than {y}",
                    f"{x} is the same as {y} plus {{c}}",
                    f"{x} is {{c}} greater than {y}",
                )
            case 3:
                draft.gold = ("=", gold_x, ("-", gold_y, "c"))
                templates = (
                    f"{x} is {{c}} less than {y}",
                    f"{x} is equal to {{c}} less than {y}",
                    f"{x} is {y} decreased by {{c}}",
                )
            case _:
                if y == "{X2}":
                    y, gold_y = f"{second} {{X2}}", ("*", "l", "X2")
                draft.gold = ("=", gold_x, gold_y)
                templates = (f"{x} [is|equals|is equal to|is the same as] {y}",)
    draft.facts = [Fact(draft.pick(templates))]


Kind = Callable[[Draft], None]
EQUATIONS: tuple[tuple[Kind, float], ...] = (
    (linear, 1.4), (totals, 1.6), (counts, 1.2), (comparatives, 1.2), (single, 1.6), (two_goods, 1.0), (news, 1.4), (plans, 0.8), (weighted, 1.0),
)  # fmt: skip

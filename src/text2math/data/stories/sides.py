"""Sides: a whole of which some are so and the others are not so: boys and girls, won and lost, sold and unsold.

The other side is named by its own word, never by "the others are"; so the words must be understood.
"""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import items, plural
from text2math.data.stories.world import Draft, Fact, Gold, Thing, scenes

Choice = tuple[tuple[str, ...], Gold]

#: What there is ("; "), then the sides: nouns ("boy/girl"), or predicates of a plural ("are taken/are empty").
NOUNS: tuple[tuple[str, str], ...] = (
    ("kid; child; student; camper; dancer; pupil; club member; guest; skater; swimmer; chess player; baby", "boy/girl"),
    ("person; guest; visitor; passenger; museum visitor; ticket holder; hiker", "adult/child; man/woman; grown-up/kid; tourist/local"),
    ("singer; teacher; doctor; worker; runner; voter; member; player", "man/woman; beginner/expert"),
    ("animal; pet; farm animal", "cat/dog; cow/horse; sheep/goat; hen/duck; pig/chicken; rabbit/hamster"),
    ("pet; shelter animal", "kitten/puppy; cat/dog"), ("tree", "oak/pine; maple/birch; apple tree/pear tree"), ("flower", "rose/tulip; daisy/lily"),
    ("piece of fruit", "apple/orange; pear/banana; lemon/lime"), ("coin", "dime/nickel; quarter/penny"), ("vehicle", "car/truck; bus/van; car/motorcycle"),
    ("shoe; glove; mitten; boot", "left one/right one"), ("book", "novel/comic book; hardcover/paperback; textbook/novel"), ("bird", "duck/goose; robin/sparrow; rooster/hen"),
    ("instrument", "violin/flute; trumpet/drum"), ("drink", "lemonade/iced tea; coffee/tea"), ("dessert", "cookie/brownie; pie/cake"), ("fish", "trout/salmon; goldfish/guppy"),
    ("employee; student", "full-time worker/part-time worker; senior/junior"), ("seat", "aisle seat/window seat"), ("vote", "yes vote/no vote"),
)  # fmt: skip
PREDICATES: tuple[tuple[str, str, str], ...] = (
    ("game; match; race", "{p} played {W} [this season|this year|]; {p.s} team played {W}", "were won/were lost; ended in wins/ended in losses"),
    ("ticket; painting; cookie; pie; car; house; T-shirt; newspaper; pumpkin", "{p} had {W} [for sale|to sell]; there were {W} for sale", "were sold/were not sold; sold/did not sell"),
    ("seat; table; locker; parking space; hotel room; bed", "there are {W}; the [building|place] has {W}", "are taken/are free; are occupied/are empty; are full/are empty"),
    ("student; child; worker; pupil", "there are {W} in the [class|group|office]", "are present/are absent; are here/are missing; came/stayed home"),
    ("student; child; teacher; neighbor; camper", "there are {W} [in the class|on the list|]", "walk to school/take the bus; like dogs/prefer cats; wear glasses/do not wear glasses; have a pet/have no pet; ride a bike/walk; brought lunch/bought lunch"),
    ("student; runner; applicant; driver", "{W} took the test; {W} tried", "passed/failed; finished/gave up; were picked/were not picked"),
    ("egg; duck egg", "there were {W} in the nest; {p.s} hens laid {W}", "hatched/did not hatch; are white/are brown"),
    ("seed; bulb", "{p} planted {W}", "sprouted/did not sprout; came up/died"),
    ("lamp; phone; computer; toy; pen; marker; window; chair; cup; plate", "there are {W} [in the room|in the box|]; {p} has {W}", "work/are broken; are new/are old; are clean/are dirty; are broken/are fine; are big/are small"),
    ("page; chore; worksheet; problem; puzzle; task; level", "{p} has {W} to do; there are {W}", "are done/are not done yet; are finished/are unfinished; are easy/are hard"),
    ("book; magazine; letter; email", "{p} has {W}; there are {W} on the desk", "have been read/have not been read; are opened/are unopened; are long/are short"),
    ("tomato; banana; strawberry; peach; pear; avocado; melon", "{p} picked {W}; there are {W} in the crate", "are ripe/are green; are good/are rotten; are fresh/are spoiled; are sweet/are sour"),
    ("bottle; glass; jar; basket; box; bucket; jug", "there are {W} [on the shelf|on the table]; {p} has {W}", "are full/are empty; are open/are closed; are made of glass/are made of plastic"),
    ("shirt; dress; sweater; blouse; jacket; pair of pants", "{p} has {W}; {p} had to wash {W}", "have short sleeves/have long sleeves; are clean/are dirty; are washed/are unwashed; fit/are too small"),
    ("guest; friend; relative; member", "{p} invited {W}; {W} were invited", "came/did not come; said yes/said no; arrived on time/arrived late; stayed/went home"),
    ("day; week", "{p} kept a list for {W}; the trip lasted {W}", "were sunny/were cloudy; were rainy/were dry; were warm/were cold"),
    ("plane; train; bus; flight", "{W} were on the schedule", "left on time/were late; arrived/were canceled"),
    ("balloon; bubble", "{p} had {W}; there were {W} at the party", "popped/did not pop; flew away/stayed"),
    ("light; candle; lantern", "there are {W} on the [table|tree|porch]", "are lit/are dark; are on/are off"),
)  # fmt: skip


def sides(draft: Draft) -> None:
    """A whole and two or three sides; asked: the side that is not told, the whole, the difference, a fraction of it."""
    draft.person("p", roles=False)
    draft.tense = "past"
    whole = _stage(draft)
    three = draft.chance(0.4) and "n2" in draft.slots and "{W}" in whole
    way = draft.pick(("rest", "rest", "rest", "whole", "difference", "part", "times", "times"))
    first, second = draft.between(2, 60), draft.between(2, 60)
    draft.kind = "combine"
    draft.spare = ["date"]
    if way == "part":
        facts, choice = _part(draft, whole)
    elif way == "rest":
        facts, choice = _rest(draft, whole, first, second, three)
    elif way == "times":
        facts, choice = _times(draft)
    else:
        facts, choice = _both(draft, first, second, way)
    draft.facts = [Fact(text) for text in facts]
    draft.choices = [choice]
    draft.asks(choice[0])
    draft.gold = choice[1]


def _stage(draft: Draft) -> str:
    """Draw what there is and its sides into slots; give back how the whole is told.

    ``m0`` and ``m1`` are predicates ("are boys"), ``n0`` and ``n1`` the sides as nouns ("boys").
    """
    luck = draft.rng.random()
    if luck < 0.4:
        things, pairs = draft.pick(NOUNS)
        thing = draft.pick(items(things))
        sides = draft.pick(items(pairs)).split("/")
        draft.rng.shuffle(sides)
        for index, side in enumerate(sides):
            noun = plural(side)
            draft.set(**{f"m{index}": f"are {noun}", f"n{index}": noun})
        draft.set(t=Thing(thing, plural(thing)))
        return draft.pick(("there are {W}", "there are {W} [here|there|in the picture]", "{p} counted {W}"))
    if luck < 0.75:
        things, wholes, pairs = draft.pick(PREDICATES)
        thing = draft.pick(items(things))
        sides = draft.pick(items(pairs)).split("/")
        if draft.chance(0.5):
            sides.reverse()
        draft.set(t=Thing(thing, plural(thing)), m0=sides[0], m1=sides[1])
        return draft.pick(items(wholes))
    scene = draft.pick([scene for scene in scenes() if scene.name in _COLORED])
    draft.set(t=draft.pick(scene.things), spot=draft.pick(scene.spot))
    colors = draft.rng.sample(words.COLORS, 3)
    for index, color in enumerate(colors):
        draft.set(**{f"m{index}": f"are {color}", f"n{index}": f"{color} {draft.thing.many}"})
    both = f"{{w}} {colors[0]} and {colors[1]} {{t}}" if draft.chance(0.5) else "{W}"
    if draft.chance(0.25):
        return f"every one of {{p.s}} {{w}} {{t}} is either {colors[0]} or {colors[1]}"
    return draft.pick((f"there are {both} {{spot}}", f"{{p}} has {both}"))


_COLORED = ("toys", "school", "flowers", "crafts", "clothes", "sweets", "kitchen")


def _asked(draft: Draft, index: int) -> tuple[str, ...]:
    """Questions for one side."""
    how = [
        f"how many {{m{index}}} / / /",
        f"how many of them {{m{index}}} / / /",
        f"how many {{t}} {{m{index}}} / / /",
    ]
    if f"n{index}" in draft.slots:
        how += [
            f"how many {{n{index}}} / / /",
            f"how many {{n{index}}} are there / / /",
            f"how many {{n{index}}} are there / / /",
        ]
    return tuple(how)


def _rest(draft: Draft, whole: str, first: int, second: int, three: bool) -> tuple[list[str], Choice]:
    third = draft.between(2, 30) if three else 0
    draft.amount("w", first + second + third)
    draft.count("a", first)
    parts = [
        "[|only ]{a} of them {m0}",
        "{a} {m0}",
        "{a} of the {t} {m0}",
        "[just|only|exactly] {a} {m0}",
    ]
    gold: Gold = ("-", "w", "a")
    asked = 1
    if three:
        draft.count("b", second)
        parts = [
            "{a} of them {m0} and {b} {m1}",
            "{a} {m0}, {b} {m1}",
            "{a} of the {t} {m0}, {b} of them {m1}",
        ]
        gold = ("-", ("-", "w", "a"), "b")
        asked = 2
    part = draft.pick(parts)
    if draft.chance(0.3):
        part += draft.pick(
            (f", and the rest {{m{asked}}}", f", the others {{m{asked}}}", f" while the rest {{m{asked}}}")
        )
    facts = [whole, part]
    if draft.chance(0.25) and not three:
        facts = [draft.pick((f"{whole}, [and|but] {part}", f"{whole}, {part}"))]
    elif draft.chance(0.12) and not three:
        facts = ["[of|out of] {W}, {a} {m0}"]
    return facts, (_asked(draft, asked), gold)


def _times(draft: Draft) -> tuple[list[str], Choice]:
    """One side is so many times the other."""
    n, small = draft.between(2, 9), draft.between(2, 30)
    up = draft.chance(0.5)
    draft.count("a", small if up else small * n)
    draft.count("n", n)
    known = "there are {a} {n0}" if "n0" in draft.slots else "{a} of the {t} {m0}"
    one, two = ("1", "0") if up else ("0", "1")
    times = f"{{n}} times as many {{m{one}}} as {{m{two}}}"
    if "n0" in draft.slots:
        times = f"there are {{n}} times as many {{n{one}}} as {{n{two}}}"
    facts = [known, times] if draft.chance(0.6) else [times, known]
    return facts, (_asked(draft, 1), ("*" if up else "/", "a", "n"))


def _both(draft: Draft, first: int, second: int, way: str) -> tuple[list[str], Choice]:
    draft.count("a", first)
    draft.count("b", second)
    named = "n0" in draft.slots
    facts = ["{a} of the {t} {m0}, and {b} {m1}"]
    if named:
        facts = draft.pick(
            (
                ["there are {a} {n0} and {b} {n1}"],
                ["{p} counted {a} {n0} and {b} {n1}"],
                ["{p} saw {a} {n0}", "{p~} also saw {b} {n1}"],
                facts,
            )
        )
    if way == "whole" or first == second:
        asked = (
            "how many {t} are there [in all|altogether|in total|] / / /",
            "what is the total number of {t} / / /",
        )
        return facts, (asked, ("+", "a", "b"))
    more, less, gold = (0, 1, ("-", "a", "b")) if first > second else (1, 0, ("-", "b", "a"))
    if named:
        return facts, ((f"how many more {{n{more}}} than {{n{less}}} are there / / /", f"how many fewer {{n{less}}} are there than {{n{more}}} / / /"), gold)  # fmt: skip
    return facts, ((f"how many more {{t}} {{m{more}}} than {{m{less}}} / / /", f"how many fewer {{m{less}}} than {{m{more}}} / / /"), gold)  # fmt: skip


_FRACTIONS = (
    (Fraction(1, 2), "half"), (Fraction(1, 2), "one half"), (Fraction(1, 3), "a third"), (Fraction(1, 3), "one third"), (Fraction(1, 4), "a quarter"),
    (Fraction(3, 4), "3/4"), (Fraction(2, 3), "2/3"), (Fraction(2, 5), "2/5"), (Fraction(3, 5), "3/5"), (Fraction(1, 5), "1/5"), (Fraction(2, 3), "two thirds"),
    (Fraction(3, 4), "three quarters"), (Fraction(5, 8), "5/8"), (Fraction(1, 4), "1/4"), (Fraction(1, 10), "10%"), (Fraction(1, 4), "25%"), (Fraction(2, 5), "40 percent"),
    (Fraction(3, 4), "75%"), (Fraction(1, 5), "20 percent"), (Fraction(3, 5), "60%"), (Fraction(4, 5), "80%"), (Fraction(1, 2), "50%"),
)  # fmt: skip


def fraction(draft: Draft, key: str, whole: str) -> str:
    """Draw a fraction of a whole that it divides: the part in slot ``key``, the whole in ``whole``."""
    value, text = draft.pick(_FRACTIONS)
    draft.count(key, value, text)
    draft.amount(whole, value.denominator * draft.between(2, 24))
    return key


def _part(draft: Draft, whole: str) -> tuple[list[str], Choice]:
    fraction(draft, "f", "w")
    part = draft.pick(("{f} of them {m0}", "{f} of the {t} {m0}"))
    facts = [whole, part] if draft.chance(0.7) else ["{f} of the {W} {m0}"]
    return facts, (_asked(draft, 0), ("*", "f", "w"))

"""Chains: two and three steps, told as one story.

A *plot* is a row of a table: how its amounts are drawn, the gold over them, ways to tell it, ways to ask. Plots of
things run in any scene; small plots of their own world (a field trip, a bake sale, a video game) bring their words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from text2math.data.stories import words
from text2math.data.stories.grammar import plural
from text2math.data.stories.world import Draft, Fact, Family, Gold, Thing, kinds_of, scenes

Amounts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Plot:
    """A story of several steps: amounts, gold, ways to tell it (a tuple of facts each), questions."""

    draw: Callable[[Draft], Amounts]
    gold: Gold
    tellings: tuple[tuple[str, ...], ...]
    questions: tuple[str, ...]
    kind: str = "groups"


def _rest_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(2, 12)
    b = draft.between(1, 40)
    return {"a": g * s + b, "b": b, "g": g, "s": s}


def _sum_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(2, 12)
    a = draft.rng.randint(1, g * s - 1)
    return {"a": a, "b": g * s - a, "g": g, "s": s}


def _rest_each(draft: Draft) -> Amounts:
    a = draft.between(3, 20)
    return {"a": a, "b": draft.rng.randint(1, a - 1), "s": draft.between(2, 12)}


def _sum_each(draft: Draft) -> Amounts:
    return {"a": draft.between(2, 15), "b": draft.between(2, 15), "s": draft.between(2, 12)}


def _groups_less(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(2, 15)
    return {"g": g, "s": s, "a": draft.rng.randint(1, g * s - 1)}


def _groups_more(draft: Draft) -> Amounts:
    return {"g": draft.between(2, 12), "s": draft.between(2, 15), "a": draft.between(1, 60)}


def _two_products(draft: Draft) -> Amounts:
    return {
        "a": draft.between(2, 9),
        "b": draft.between(2, 12),
        "c": draft.between(2, 9),
        "d": draft.between(2, 12),
    }


def _rate_then(draft: Draft) -> Amounts:
    n, r = draft.between(2, 9), draft.between(2, 15)
    m = draft.between(2, 14)
    return {"n": n, "w": n * r, "m": m if m != n else m + 1}


def _sum_less(draft: Draft) -> Amounts:
    a, b = draft.between(3, 60), draft.between(3, 60)
    return {"a": a, "b": b, "c": draft.rng.randint(1, a + b - 1)}


def _three_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 9), draft.between(3, 12)
    total = g * s
    a = draft.rng.randint(1, total - 2)
    b = draft.rng.randint(1, total - a - 1)
    return {"a": a, "b": b, "c": total - a - b, "g": g, "s": s}


# Plots in any scene. Slots: {p} {r} people, {t} things, {box} containers, {v} loses, {w} gains, {k} {j} two sorts.
_PLOTS: tuple[Plot, ...] = (
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "g"),
        (
            ("{p~} had {A}", "{p~} {v.past} {B.of} and put the rest equally into {g} {box@g}"),
            ("{p~} had {A}", "after {p~} {v.past} {B.of}, the others were split evenly into {g} {box@g}"),
            ("{p~} {w.past} {A}", "{B.of} were no good, so {p~} divided the good ones among {g} {box@g}"),
            (
                "out of {A}, {p~} {v.past} {B.bare}",
                "the remaining {t} were put into {g} {box@g} of equal size",
            ),
        ),
        (
            "how many {t} are in each {box.one} / / /",
            "how many {t} / did each {box.one} get / each {box.one} got / [|in all]",
            "how many {t} / went into each {box.one} / went into each {box.one} /",
        ),
    ),
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "s"),
        (
            ("{p~} had {A}", "{p~} {v.past} {B.of} and put the rest in {box} with {s} in each"),
            ("{p~} {w.past} {A} but {v.past} {B.of}", "{p~} packed the others in {box} of {s}"),
            (
                "{p~} had {A} and gave {B.bare} to {r}",
                "the {t} that were left went into {box} that hold {s} each",
            ),
            ("there were {A}", "{p~} took out {B.bare} and arranged the rest in {box} of {s} {t} each"),
        ),
        (
            "how many {box} / did {p~} fill / {p~} filled / [in all|]",
            "how many {box} / did {p~} use / {p~} used /",
            "how many {box} are there [now|in all|] / / /",
            "how many {box} / {do p~} need / {p~} needs / [altogether|]",
        ),
    ),
    Plot(
        _sum_in_groups,
        ("/", ("+", "a", "b"), "s"),
        (
            ("{p~} had {a} {k@a} and {b} {j@b}", "{p~} put them in {box} with {s} in each"),
            ("{p~} {w.past} {A} and {r} {w.past} {B.bare}", "they packed them all in {box} of {s}"),
            ("there were {a} {k@a} and {b} {j@b}", "each {box.one} holds {s} {t}"),
            ("{p~} {w.past} {A} on {day} and {B.more} on {day2}", "{p~} put {s} in each {box.one}"),
            ("{p~} wants to put {s} {t} in each {box.one}", "{p.he} has {a} {k@a} and {b} {j@b}"),
        ),
        (
            "how many {box} / did {p~} need / {p~} needed / [in all|]",
            "how many {box} were filled / / /",
            "how many {box} / can be filled / can be filled / [in all|altogether|]",
            "how many {box} is that [in all|] / / /",
        ),
    ),
    Plot(
        _sum_in_groups,
        ("/", ("+", "a", "b"), "g"),
        (
            ("{p~} had {a} {k@a} and {b} {j@b}", "{p~} shared them all equally among {g} {friend@g}"),
            (
                "{p~} {w.past} {A} and {r} {w.past} {B.bare}",
                "they divided all of them equally into {g} {box@g}",
            ),
            (
                "{p~} got {A} from {r}",
                "{p~} already had {B.bare}, and {p.he} put all of them evenly into {g} {box@g}",
            ),
        ),
        (
            "how many / did each one get / each one got / [|in all]",
            "how many {t} / were in each share / were in each share /",
            "how many {t} / went to each / went to each /",
        ),
        "sharing",
    ),
    Plot(
        _rest_each,
        ("*", ("-", "a", "b"), "s"),
        (
            ("{p~} had {a} {box@a} of {t}", "{p~} gave {b} of them to {r}", "each {box.one} had {S} in it"),
            ("{p~} bought {a} {box@a} of {t} and used up {b} of them", "every {box.one} holds {s}"),
            ("{p~} had {a} {box@a}, but {b} of them were empty", "the others had {S} each"),
            ("of the {a} {box@a} in the room, {b} were sold", "there were {S} in each {box.one}"),
            ("each {box.one} held {S}", "{p~} filled {a} {box@a} but lost {b} of them"),
        ),
        (
            "how many {t} / did {p~} have / {p~} had / [left|then|in the end]",
            "how many {t} are there [now|left|in all|] / / /",
            "how many {t} / {do p~} still have / {p~} still has /",
        ),
    ),
    Plot(
        _sum_each,
        ("*", ("+", "a", "b"), "s"),
        (
            ("{p~} had {a} {box@a} of {k} and {b} {box@b} of {j}", "each {box.one} had {S} in it"),
            (
                "{p~} {w.past} {a} {box@a} of {t} on {day} and {b} on {day2}",
                "there were {S} in each {box.one}",
            ),
            ("each {box.one} holds {S}", "{p~} had {a} {box@a} and {r} had {b}"),
            ("{p~} filled {a} {box@a} and {r} filled {b} more", "every one of them had {s} {t}"),
        ),
        (
            "how many {t} / did they have / they had / [in all|altogether|in total]",
            "how many {t} are there [in all|altogether|] / / /",
            "what is the total number of {t} / / /",
        ),
    ),
    Plot(
        _groups_less,
        ("-", ("*", "g", "s"), "a"),
        (
            ("{p~} had {g} {box@g} of {t} with {s} in each", "{p~} {v.past} {A.of}"),
            ("{p~} bought {g} {box@g} of {s} {t}", "then {A.of} were given to {r}"),
            ("there were {S} in each of {g} {box@g}", "{p~} {v.past} {A}"),
            ("{p~} {w.past} {s} {t} a day for {g} days", "{p~} then {v.past} {A.of}"),
            ("{p~} gave {a} of {p.his} {t} to {r}", "before that, {p~} had {g} {box@g} of {s}"),
        ),
        (
            "how many {t} are left / / /",
            "how many {t} / {do p~} have / {p~} has / [left|now|]",
            "how many {t} / did {p~} end up with / {p~} ended up with /",
        ),
    ),
    Plot(
        _groups_more,
        ("+", ("*", "g", "s"), "a"),
        (
            ("{p~} had {g} {box@g} of {t} with {s} in each and {a} loose ones",),
            ("{p~} bought {g} {box@g} of {s} {t}", "{p~} already had {A}"),
            ("{p~} filled {g} {box@g} with {s} {t} each and had {a} left over",),
            ("there were {S} in each of {g} {box@g}", "{r} brought {A.more}"),
            ("{p~} {w.past} {s} {t} a day for {g} days", "then {r} gave {p~.him} {A.more}"),
        ),
        (
            "how many {t} / {do p~} have / {p~} has / [in all|altogether|now|]",
            "how many {t} are there [in all|altogether|] / / /",
            "how many {t} / did {p~} have / {p~} had / [in total|in all|]",
        ),
    ),
    Plot(
        _two_products,
        ("+", ("*", "a", "b"), ("*", "c", "d")),
        (
            ("{p~} had {a} {box@a} of {b} {t} and {r} had {c} {box@c} of {d}",),
            ("{p~} put {a} {t} in each of {b} {box@b} and {c} in each of {d} other {box@d}",),
            ("there were {a} {box@a} with {b} {k@b} each and {c} {box@c} with {d} {j@d} each",),
            ("{p~} {w.past} {a} {box@a} of {b} {t}", "{r} {w.past} {c} {box@c} with {d} in each"),
        ),
        (
            "how many {t} are there [in all|altogether|in total|] / / /",
            "what is the total number of {t} / / /",
        ),
    ),
    Plot(
        _rate_then,
        ("*", ("/", "w", "n"), "m"),
        (
            ("{p~} packed {W} into {n} {box@n} with the same number in each",),
            ("there are {W} in {n} equal {box}",),
            ("{n} {box@n} hold {W} altogether, the same in each",),
            ("it takes {n} {box@n} to hold {W}",),
        ),
        (
            "how many {t} / would be in {m} of these {box} / would be in {m} of these {box} /",
            "how many {t} / do {m} such {box} hold / {m} such {box} hold / [in all|]",
            "how many {t} are in {m} {box@m} / / /",
        ),
    ),
    Plot(
        _sum_less,
        ("-", ("+", "a", "b"), "c"),
        (
            ("{p~} had {a} {k@a} and {b} {j@b}", "{p~} {v.past} {c} of them"),
            ("{p~} {w.past} {A} and {r} {w.past} {B.bare}", "they {v.past} {c} of them"),
            (
                "{p~} {w.past} {A} on {day} and {B.bare} on {day2}",
                "{c} of them were [broken|bad|ruined], the rest were fine",
            ),
            ("{p~} has {A}", "{r} gave {p~.him} {B.more}, and then {p.he} {v.past} {C.bare}"),
            ("{p~} needed {c} of {p.his} {t} for school", "{p~} had {a} {k@a} and {b} {j@b}"),
        ),
        (
            "how many {t} are left / / /",
            "how many {t} / {do p~} have / {p~} has / [left|now|]",
            "how many extra {t} / are there / there are /",
            "how many {t} / did {p~} have / {p~} had / in the end",
        ),
        "change",
    ),
    Plot(
        _three_in_groups,
        ("/", ("+", ("+", "a", "b"), "c"), "g"),
        (
            (
                "{p~} had {a} {k@a}, {b} {j@b}, and {c} other {t@c}",
                "{p~} divided them all equally into {g} {box@g}",
            ),
            (
                "{p~} {w.past} {A}, {r} {w.past} {B.bare}, and a friend {w.past} {c}",
                "they split all of the {t} evenly among {g} {friend@g}",
            ),
        ),
        (
            "how many {t} / were in each share / were in each share /",
            "how many {t} / went to each / went to each / [|in all]",
        ),
        "sharing",
    ),
)

# Plots with their own words; amounts stand as bare numbers.
_SMALL: tuple[Plot, ...] = (
    Plot(
        _sum_in_groups,
        ("/", ("+", "a", "b"), "s"),
        (
            (
                "{p.s} class is going on a field trip to the [zoo|museum|farm|aquarium]",
                "there are {a} students and {b} adults",
                "each van can hold {s} people",
            ),
            (
                "each [van|car|boat] can carry {s} people",
                "{a} children and {b} [adults|teachers|parents] are going on the trip",
            ),
        ),
        (
            "how many [vans|cars] / will they need / they will need / [in all|]",
            "how many vehicles are needed / / /",
        ),
    ),
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "s"),
        (
            (
                "{a} students tried out for the [trivia|soccer|chess|debate] team",
                "{b} of them were not picked and the rest were put in groups of {s}",
            ),
            (
                "the coach had {a} players, but {b} of them were [sick|hurt|absent]",
                "{p.he} put the others on teams of {s}",
            ),
            (
                "a pet store had {a} [puppies|kittens|hamsters]",
                "in one day it sold {b} of them and put the rest in cages with {s} in each cage",
            ),
        ),
        (
            "how many [groups|teams|sets] were there / / /",
            "how many were used or made / / /",
            "how many / did that make / that made / [in all|]",
        ),
    ),
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "g"),
        (
            (
                "{p} uploaded {a} pictures to {p.his} computer",
                "{p~} put {b} pictures into one album and the rest into {g} different albums, the same number in each",
            ),
            (
                "{p} had {a} seeds",
                "{p~} planted {b} of them in the big garden and the others in {g} small gardens with the same number in each",
            ),
            (
                "{p} had to wash {a} shirts",
                "the first load took {b} of them",
                "the rest were washed in {g} equal loads",
            ),
            (
                "{p} had {a} dollars",
                "{p~} spent {b} dollars on a game and shared the rest equally between {g} cousins",
            ),
        ),
        (
            "how many / were in each one / were in each one / [|in all]",
            "how many / did each of them get / each of them got /",
            "how many / went to each / went to each /",
        ),
    ),
    Plot(
        _rest_each,
        ("*", ("-", "a", "b"), "s"),
        (
            (
                "{p} earned {s} dollars for each lawn {p.he} mowed",
                "{p~} had {a} lawns to mow, but forgot to mow {b} of them",
            ),
            (
                "a [trivia|quiz] team had {a} members, but {b} of them did not show up",
                "each member who was there scored {s} points",
            ),
            (
                "a waiter had {a} customers, and {b} of them did not leave a tip",
                "each of the others left {s} dollars",
            ),
            (
                "in a video game, each enemy you defeat gives you {s} points",
                "a level has {a} enemies, and {p} defeated all but {b} of them",
            ),
            (
                "each chocolate bar in a box costs {s} dollars",
                "there were {a} bars in the box, and {p} sold all but {b} of them",
            ),
            (
                "{p} bought {a} tickets to the fair and gave away {b} of them",
                "each ticket was good for {s} rides",
            ),
            (
                "the class planned {a} shows, but {b} were called off because of snow",
                "at each show they sold {s} cups of cocoa",
            ),
        ),
        (
            "how many [dollars or points|points or dollars] is that / / /",
            "how much / is that / that is / [in all|altogether|]",
            "what was the total / / /",
        ),
        "rate",
    ),
    Plot(
        _sum_each,
        ("*", ("+", "a", "b"), "s"),
        (
            ("a group of {a} adults and {b} children came to a restaurant", "each meal cost {s} dollars"),
            (
                "{p} scores {s} points for each treasure {p.he} finds",
                "{p~} found {a} treasures on the first level and {b} on the second",
            ),
            (
                "{p} had {a} pages of math homework and {b} pages of reading homework",
                "each page had {s} problems on it",
            ),
            (
                "{p} rode the [Ferris wheel|roller coaster] {a} times and the bumper cars {b} times",
                "each ride cost {s} tickets",
            ),
            (
                "{p} was putting {s} books on each shelf",
                "{p~} filled {a} shelves with mysteries and {b} shelves with picture books",
            ),
            (
                "there are {a} boys and {b} girls in the class",
                "the teacher gave each of them {s} sheets of paper",
            ),
            ("{p} collects cans in bags of {s}", "{p~} filled {a} bags on Saturday and {b} bags on Sunday"),
            ("{p} works {a} hours on Friday and {b} hours on Saturday", "{p~} is paid {s} dollars an hour"),
        ),
        (
            "how many is that [in all|altogether|] / / /",
            "what is the total / / /",
            "how many / does that make / that makes / [altogether|in all|]",
        ),
        "rate",
    ),
    Plot(
        _rate_then,
        ("*", ("/", "w", "n"), "m"),
        (
            ("{p} can [type|read|proofread] {w} pages in {n} hours",),
            ("a machine fills {w} bottles in {n} minutes",),
            ("{p} earned {w} dollars in {n} hours",),
            ("a car uses {w} gallons of gas in {n} days",),
            ("{n} tickets cost {w} dollars",),
            ("a recipe for {n} people calls for {w} eggs",),
            ("{p} walks {w} blocks in {n} trips",),
        ),
        (
            "at this rate, how many will it be for {m} / / /",
            "how many would it be for {m} [at the same rate|] / / /",
        ),
        "rate",
    ),
    Plot(
        _groups_more,
        ("+", ("*", "g", "s"), "a"),
        (
            ("a taxi charges {s} dollars a mile plus a fee of {a} dollars", "{p} rode {g} miles"),
            (
                "{p} pays {s} dollars for each game of bowling and {a} dollars for shoes",
                "{p~} played {g} games",
            ),
            ("{p} bought {g} notebooks for {s} dollars each and a backpack for {a} dollars",),
            ("{p} had {a} dollars and earned {s} dollars a day for {g} days",),
            ("a tank had {a} gallons of water in it", "a pump added {s} gallons a minute for {g} minutes"),
            ("{p} is {a} inches tall and grows {s} inches a year for {g} years",),
        ),
        (
            "how many is that [in all|altogether|] / / /",
            "what is the total / / /",
            "how much / is that / that is / [in all|altogether|]",
        ),
        "rate",
    ),
    Plot(
        _groups_less,
        ("-", ("*", "g", "s"), "a"),
        (
            ("{p} sold {g} cakes for {s} dollars each", "the supplies cost {a} dollars"),
            ("{p} worked {g} hours for {s} dollars an hour and spent {a} dollars on lunch",),
            ("a theater has {g} rows with {s} seats each", "{a} seats are empty"),
            ("a baker made {g} trays of {s} muffins", "{a} muffins were burnt"),
            ("a hotel has {g} floors with {s} rooms on each floor", "{a} rooms are being painted"),
            ("{p} read {s} pages a day for {g} days, but {a} of those pages had only pictures",),
        ),
        (
            "how many are left [over|] / / /",
            "how many / does that leave / that leaves /",
            "how many is that without those / / /",
        ),
        "rate",
    ),
    Plot(
        _sum_less,
        ("-", ("+", "a", "b"), "c"),
        (
            ("the cafeteria ordered {a} red apples and {b} green apples", "only {c} students wanted fruit"),
            (
                "{p} had {a} math problems and {b} spelling problems for homework",
                "{p~} finished {c} of them at school",
            ),
            (
                "{p} won {a} tickets at the arcade and {b} tickets at the fair",
                "{p~} traded in {c} tickets for a prize",
            ),
            ("{p} took {a} pictures at the zoo and {b} at the museum", "later {p.he} deleted {c} of them"),
            (
                "{p} earned {a} dollars on Monday and {b} dollars on Tuesday",
                "{p~} spent {c} dollars on a gift",
            ),
            (
                "{p} invited {a} friends from school and {b} from camp to a party",
                "{c} of them could not come",
            ),
        ),
        (
            "how many are left / / /",
            "how many / does that leave / that leaves /",
            "how many / remained / remained / [in all|]",
        ),
        "change",
    ),
)


def plots(draft: Draft) -> None:
    """A chain in one of the scenes."""
    plot = draft.pick(_PLOTS)
    scene = draft.pick(scenes())
    draft.set(t=draft.pick(scene.things))
    _stage(draft)
    draft.act("v", scene.lose)
    draft.act("w", scene.gain)
    box = draft.pick(scene.box)
    first, second = kinds_of(draft, scene, 2)
    friend = draft.pick(("friend", "cousin", "student", "child", "classmate"))
    draft.set(box=Thing(box, plural(box)), k=first, j=second, friend=Thing(friend, plural(friend)))
    for key, value in plot.draw(draft).items():
        draft.amount(key, value)
    _perform(draft, plot)


def small(draft: Draft) -> None:
    """A chain with its own words."""
    plot = draft.pick(_SMALL)
    draft.set(t=Thing("thing", "things"))
    _stage(draft)
    for key, value in plot.draw(draft).items():
        draft.count(key, max(value, 2) if key != "b" else value)
    _perform(draft, plot)


def _stage(draft: Draft) -> None:
    draft.tense = "past"
    person = draft.person("p")
    draft.relative("r", person)
    day = draft.rng.randint(0, 5)
    draft.set(day=words.WEEKDAYS[day], day2=words.WEEKDAYS[day + 1])


def _perform(draft: Draft, plot: Plot) -> None:
    draft.facts = [Fact(text) for text in draft.pick(plot.tellings)]
    draft.gold = plot.gold
    draft.kind = plot.kind
    draft.asks(plot.questions)
    draft.spare = ["age", "date"]


CHAINS: tuple[tuple[Family, float], ...] = ((plots, 3.2), (small, 1.4))

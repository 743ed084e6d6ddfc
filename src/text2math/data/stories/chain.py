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
    """A story of several steps: amounts, gold, ways to tell it (a tuple of facts each), questions.

    Without questions the last part of each telling is its question.
    """

    draw: Callable[[Draft], Amounts]
    gold: Gold
    tellings: tuple[tuple[str, ...], ...]
    questions: tuple[str, ...]
    kind: str = "groups"


def _rest_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(2, 12)
    b = draft.between(2, 40)
    return {"a": g * s + b, "b": b, "g": g, "s": s}


def _sum_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(3, 12)
    a = draft.rng.randint(2, max(2, g * s - 2))
    return {"a": a, "b": g * s - a, "g": g, "s": s}


def _rest_each(draft: Draft) -> Amounts:
    a = draft.between(4, 20)
    return {"a": a, "b": draft.rng.randint(2, a - 2), "s": draft.between(2, 12)}


def _sum_each(draft: Draft) -> Amounts:
    return {"a": draft.between(2, 15), "b": draft.between(2, 15), "s": draft.between(2, 12)}


def _groups_less(draft: Draft) -> Amounts:
    g, s = draft.between(2, 12), draft.between(2, 15)
    return {"g": g, "s": s, "a": draft.rng.randint(2, g * s - 1)}


def _groups_more(draft: Draft) -> Amounts:
    return {"g": draft.between(2, 12), "s": draft.between(2, 15), "a": draft.between(2, 60)}


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
    return {"a": a, "b": b, "c": draft.rng.randint(2, a + b - 1)}


def _three_in_groups(draft: Draft) -> Amounts:
    g, s = draft.between(2, 9), draft.between(3, 12)
    total = g * s
    a = draft.rng.randint(1, total - 2)
    b = draft.rng.randint(1, total - a - 1)
    return {"a": a, "b": b, "c": total - a - b, "g": g, "s": s}


def _share_then(draft: Draft) -> Amounts:
    g, size = draft.between(2, 12), draft.between(3, 15)
    return {"a": g * size, "g": g, "c": draft.rng.randint(1, size - 1)}


def _made_in_boxes(draft: Draft) -> Amounts:
    b, c, size = draft.between(2, 9), draft.between(2, 9), draft.between(2, 9)
    return {"a": c * size, "b": b, "c": c}


def _whole_less(draft: Draft) -> Amounts:
    b, c = draft.between(2, 12), draft.between(2, 12)
    return {"a": b * c + draft.between(2, 60), "b": b, "c": c}


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

# Plots with their own words; amounts stand as bare numbers, and the last part of each telling is its question.
_SMALL: tuple[Plot, ...] = (
    Plot(
        _sum_in_groups,
        ("/", ("+", "a", "b"), "s"),
        (
            (
                "{p.s} class is going on a field trip to the [zoo|museum|farm|aquarium]",
                "there are {a} students and {b} adults",
                "each van can hold {s} people",
                "how many vans / will they need / they will need / [in all|]",
            ),
            (
                "each [car|boat] can carry {s} people",
                "{a} children and {b} [adults|teachers|parents] are going on the trip",
                "how many trips would a single one have to make / / /",
            ),
            (
                "{p} could only carry {s} trays at a time",
                "there were {a} trays on the first table and {b} on the second",
                "how many trips / did {p~} have to make / {p~} had to make / [in all|]",
            ),
            (
                "{p.s} washing machine can wash {s} pieces of clothing at a time",
                "{p~} had {a} shirts and {b} sweaters to wash",
                "how many loads / did {p~} have to do / {p~} had to do / [in all|]",
            ),
            (
                "{p} put {s} cards on each page of a binder",
                "{p~} had {a} new cards and {b} old cards",
                "how many pages / did {p~} use / {p~} used / [altogether|]",
            ),
        ),
        (),
    ),
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "s"),
        (
            (
                "{a} students tried out for the [trivia|soccer|chess|debate] team",
                "{b} of them were not picked and the rest were put in groups of {s}",
                "how many groups were there / / /",
            ),
            (
                "the coach had {a} players, but {b} of them were [sick|hurt|absent]",
                "the others played on teams of {s}",
                "how many teams were there [in all|] / / /",
            ),
            (
                "a pet store had {a} [puppies|kittens|hamsters]",
                "in one day it sold {b} of them and put the rest in cages with {s} in each cage",
                "how many cages / did the store use / the store used /",
            ),
            (
                "{p} had {a} dollars and spent {b} dollars on a [book|game|hat]",
                "how many {s}-dollar toys / can {p~} buy / {p~} can buy / with the rest",
            ),
            (
                "{p} baked {a} cupcakes for the bake sale",
                "{p~} ate {b} of them and put the rest in packages of {s}",
                "how many packages / did {p~} make / {p~} made / [in all|]",
            ),
            (
                "a store began the week with {a} coloring books",
                "{b} of them were sold, and the others were put on shelves with {s} on each shelf",
                "how many shelves / did the store use / the store used /",
            ),
        ),
        (),
    ),
    Plot(
        _rest_in_groups,
        ("/", ("-", "a", "b"), "g"),
        (
            (
                "{p} uploaded {a} pictures to {p.his} computer",
                "{p~} put {b} pictures into one album and the rest into {g} different albums, the same number in each",
                "how many pictures / were in each of those albums / were in each of those albums /",
            ),
            (
                "{p} had {a} seeds",
                "{p~} planted {b} of them in the big garden and the others in {g} small gardens with the same number in each",
                "how many seeds / did {p~} plant / {p~} planted / in each small garden",
            ),
            (
                "{p} had to wash {a} shirts",
                "the first load took {b} of them",
                "the rest were washed in {g} equal loads",
                "how many shirts / were in each of the other loads / were in each of the other loads /",
            ),
            (
                "{p} had {a} dollars",
                "{p~} spent {b} dollars on a game and shared the rest equally between {g} cousins",
                "how much [money|] / did each cousin get / each cousin got /",
            ),
            (
                "{p} has read {b} of the {a} pages of a book",
                "{p~} wants to finish the rest in {g} days",
                "how many pages / must {p~} read / {p~} must read / each day",
            ),
        ),
        (),
    ),
    Plot(
        _rest_each,
        ("*", ("-", "a", "b"), "s"),
        (
            (
                "{p} earned {s} dollars for each lawn {p.he} mowed",
                "{p~} had {a} lawns to mow, but forgot to mow {b} of them",
                "how much [money|] / did {p~} earn / {p~} earned / [in all|]",
            ),
            (
                "a [trivia|quiz] team had {a} members, but {b} of them [did not|didn't] show up",
                "each member who was there scored {s} points",
                "how many points / were scored / were scored / [in all|altogether|]",
            ),
            (
                "a waiter had {a} customers, and {b} of them [did not|didn't] leave a tip",
                "each of the others left {s} dollars",
                "how much [money|] / did the waiter get / the waiter got / in tips",
            ),
            (
                "in a video game, each enemy you defeat gives you {s} points",
                "a level has {a} enemies, and {p} defeated all but {b} of them",
                "how many points / did {p} get / {p} got / [in all|]",
            ),
            (
                "each chocolate bar in a box costs {s} dollars",
                "there were {a} bars in the box, and {p} sold all but {b} of them",
                "how much [money|] / did {p} make / {p} made / [altogether|]",
            ),
            (
                "{p} bought {a} tickets to the fair and gave away {b} of them",
                "each ticket was good for {s} rides",
                "how many rides / can {p~} take / {p~} can take / [in all|]",
            ),
            (
                "the class planned {a} shows, but {b} were called off because of snow",
                "at each show they sold {s} cups of cocoa",
                "how many cups of cocoa / did they sell / they sold / [in all|]",
            ),
            (
                "{p} needed {a} pies for the party and has baked {b} so far",
                "{p~} uses {s} cups of flour for each one",
                "how many cups of flour / {do p~} still need / {p~} still needs /",
            ),
        ),
        (),
        "rate",
    ),
    Plot(
        _sum_each,
        ("*", ("+", "a", "b"), "s"),
        (
            (
                "a group of {a} adults and {b} children came to a restaurant",
                "every meal there costs {s} dollars",
                "what / did they pay / they paid / [in all|]",
            ),
            (
                "{p} scores {s} points for each treasure {p.he} finds",
                "{p~} found {a} treasures on the first level and {b} on the second",
                "what was {p~.his} score / / /",
            ),
            (
                "{p} had {a} pages of math homework and {b} pages of reading homework",
                "each page had {s} problems on it",
                "how many problems / did {p~} have to solve / {p~} had to solve / [in all|]",
            ),
            (
                "{p} rode the [Ferris wheel|roller coaster] {a} times and the bumper cars {b} times",
                "each ride cost {s} tickets",
                "how many tickets / did {p~} use / {p~} used / [altogether|]",
            ),
            (
                "{p} was putting {s} books on each shelf",
                "{p~} filled {a} shelves with mysteries and {b} shelves with picture books",
                "how many books / did {p~} have / {p~} had / [in all|]",
            ),
            (
                "there are {a} boys and {b} girls in the class",
                "the teacher gave each of them {s} sheets of paper",
                "how many sheets of paper / did the teacher hand out / the teacher handed out / [in all|]",
            ),
            (
                "{p} collects cans in bags of {s}",
                "{p~} filled {a} bags on Saturday and {b} bags on Sunday",
                "how many cans / did {p~} pick up / {p~} picked up / [in all|]",
            ),
            (
                "{p} works {a} hours on Friday and {b} hours on Saturday",
                "{p~} is paid {s} dollars an hour",
                "how much [money|] / does {p~} earn / {p~} earns / [in all|]",
            ),
            (
                "{p} bought {a} shirts and {b} hats",
                "each thing cost {s} dollars",
                "how much [money|] / did {p~} spend / {p~} spent / [in all|]",
            ),
        ),
        (),
        "rate",
    ),
    Plot(
        _rate_then,
        ("*", ("/", "w", "n"), "m"),
        (
            (
                "{p} can [type|read|proofread] {w} pages in {n} hours",
                "how many pages / can {p~} do / {p~} can do / in {m} hours",
            ),
            (
                "a machine fills {w} bottles in {n} minutes",
                "how many bottles / does it fill / it fills / in {m} minutes",
            ),
            (
                "{p} earned {w} dollars in {n} hours",
                "at this rate, how much [money|] will {p~} earn in {m} hours / / /",
            ),
            (
                "a car used {w} gallons of gas in {n} days",
                "how many gallons / would it use / it would use / in {m} days",
            ),
            ("{n} tickets cost {w} dollars", "how much / do {m} tickets cost / {m} tickets cost /"),
            (
                "a recipe for {n} people calls for {w} eggs",
                "how many eggs / are needed / are needed / for {m} people",
            ),
            (
                "{p} walked {w} blocks in {n} equal trips",
                "how many blocks / would {p~} walk / {p~} would walk / in {m} trips",
            ),
            (
                "{w} students rode the roller coaster in {n} minutes",
                "how many students / can ride it / can ride it / in {m} minutes",
            ),
        ),
        (),
        "rate",
    ),
    Plot(
        _groups_more,
        ("+", ("*", "g", "s"), "a"),
        (
            (
                "a taxi charges {s} dollars a mile plus a fee of {a} dollars",
                "{p} rode {g} miles",
                "how much / did the ride cost / the ride cost / [in all|]",
            ),
            (
                "{p} pays {s} dollars for each game of bowling and {a} dollars for shoes",
                "{p~} played {g} games",
                "how much [money|] / did {p~} spend / {p~} spent / [in all|]",
            ),
            (
                "{p} bought {g} notebooks for {s} dollars each and a backpack for {a} dollars",
                "how much [money|] / did {p~} spend / {p~} spent / [in all|altogether|]",
            ),
            (
                "{p} had {a} dollars and earned {s} dollars a day for {g} days",
                "how much [money|] / does {p~} have / {p~} has / [now|in all]",
            ),
            (
                "a tank had {a} gallons of water in it",
                "a pump added {s} gallons a minute for {g} minutes",
                "how much water is in the tank now / / /",
            ),
            (
                "{p} is {a} inches tall and grows {s} inches a year for {g} years",
                "how tall will {p~} be then / / /",
            ),
        ),
        (),
        "rate",
    ),
    Plot(
        _groups_less,
        ("-", ("*", "g", "s"), "a"),
        (
            (
                "{p} sold {g} cakes for {s} dollars each",
                "the supplies cost {a} dollars",
                "how much [money|] / did {p~} make / {p~} made / after paying for the supplies",
            ),
            (
                "{p} worked {g} hours for {s} dollars an hour and spent {a} dollars on lunch",
                "how much [money|] / does {p~} have / {p~} has / left",
            ),
            (
                "a theater has {g} rows with {s} seats each",
                "{a} seats are empty",
                "how many seats are taken / / /",
            ),
            (
                "a baker made {g} trays of {s} muffins",
                "{a} muffins were burnt",
                "how many good muffins were there / / /",
            ),
            (
                "a hotel has {g} floors with {s} rooms on each floor",
                "{a} rooms are being painted",
                "how many rooms can be used / / /",
            ),
            (
                "{p} read {s} pages a day for {g} days, but {a} of those pages had only pictures",
                "how many pages with words / did {p~} read / {p~} read /",
            ),
        ),
        (),
        "rate",
    ),
    Plot(
        _sum_less,
        ("-", ("+", "a", "b"), "c"),
        (
            (
                "the cafeteria ordered {a} red apples and {b} green apples",
                "only {c} students took one",
                "how many extra apples / did the cafeteria have / the cafeteria had /",
            ),
            (
                "{p} had {a} math problems and {b} spelling problems for homework",
                "{p~} finished {c} of them at school",
                "how many problems / did {p~} have / {p~} had / left",
            ),
            (
                "{p} won {a} tickets at the arcade and {b} tickets at the fair",
                "{p~} traded in {c} tickets for a prize",
                "how many tickets / does {p~} have / {p~} has / [now|left]",
            ),
            (
                "{p} took {a} pictures at the zoo and {b} at the museum",
                "later {p.he} deleted {c} of them",
                "how many pictures / does {p~} still have / {p~} still has /",
            ),
            (
                "{p} earned {a} dollars on Monday and {b} dollars on Tuesday",
                "{p~} spent {c} dollars on a gift",
                "how much [money|] / does {p~} have / {p~} has / [left|now]",
            ),
            (
                "{p} invited {a} friends from school and {b} from camp to a party",
                "{c} of them [could not|couldn't] come",
                "how many friends came to the party / / /",
            ),
            (
                "{p} raised {a} goldfish and {b} catfish in a pond, but something ate some of them",
                "now there are {c} fish left",
                "how many fish disappeared / / /",
            ),
            (
                "{p} scored {a} points in the first round and {b} in the second, but lost {c} in the last",
                "how many points / did {p~} have / {p~} had / at the end",
            ),
        ),
        (),
        "change",
    ),
    Plot(
        _share_then,
        ("+", ("/", "a", "g"), "c"),
        (
            (
                "{p} and {p.his} friends, {g} people in all, shared a bill of {a} dollars equally",
                "{p} also left a tip of {c} dollars",
                "how much [money|] / did {p} pay / {p} paid / [in all|]",
            ),
            (
                "{a} students were split into {g} equal classes",
                "later, {c} new students joined each class",
                "how many students are in each class [now|] / / /",
            ),
            (
                "{p} put {a} photos equally into {g} albums and added {c} more to the first one",
                "how many photos are in the first album / / /",
            ),
            (
                "a rope of {a} feet was cut into {g} equal pieces",
                "{p} tied {c} feet of string to a single piece",
                "how long is that piece with the string / / /",
            ),
            (
                "{g} friends picked {a} plums, the same number each",
                "{p} was among them and already had {c} plums",
                "how many plums / {do p} have / {p} has / [now|]",
            ),
        ),
        (),
        "sharing",
    ),
    Plot(
        _share_then,
        ("-", ("/", "a", "g"), "c"),
        (
            (
                "{g} children shared {a} crackers equally",
                "then each of them ate {c}",
                "how many crackers / does each child have / each child has / [left|]",
            ),
            (
                "{p} cut a {a}-inch ribbon into {g} equal pieces and then shortened each piece by {c} inches",
                "how long is each piece now / / /",
            ),
            (
                "{a} dollars were divided equally among {g} winners",
                "{p}, who was among them, spent {c} dollars",
                "how much / {do p} have / {p} has / left",
            ),
            (
                "{p} packed {a} rolls into {g} equal bags",
                "{c} rolls fell out of the last bag",
                "how many rolls are in the last bag / / /",
            ),
            (
                "{a} people sit in {g} equal rows",
                "in the first row, {c} people stood up",
                "how many people in the first row are still sitting / / /",
            ),
        ),
        (),
        "sharing",
    ),
    Plot(
        _made_in_boxes,
        ("/", ("*", "a", "b"), "c"),
        (
            (
                "{p} bakes {a} rolls an hour and works for {b} hours",
                "{p~} packs the rolls in bags of {c}",
                "how many bags / {do p~} fill / {p~} fills / [in all|]",
            ),
            (
                "there are {a} rows with {b} chairs each",
                "the chairs are put into stacks of {c}",
                "how many stacks are there / / /",
            ),
            (
                "a hen house gives {a} eggs a day",
                "after {b} days, the eggs are put in cartons of {c}",
                "how many cartons are filled / / /",
            ),
            (
                "{p} has {a} boxes of {b} pencils and shares all the pencils among {c} classes",
                "how many pencils / does each class get / each class gets /",
            ),
            (
                "{p} earns {a} dollars a day and works {b} days",
                "a ticket costs {c} dollars",
                "how many tickets / can {p~} buy / {p~} can buy / with that money",
            ),
            (
                "{a} trays hold {b} cups each, and {c} cups fill a pitcher",
                "how many pitchers can be filled / / /",
            ),
        ),
        (),
        "groups",
    ),
    Plot(
        _whole_less,
        ("-", "a", ("*", "b", "c")),
        (
            (
                "{p} had {a} dollars and bought {b} tickets for {c} dollars each",
                "how much [money|] / {do p~} have / {p~} has / left",
            ),
            ("from {a} sheets of paper, {b} children took {c} sheets each", "how many sheets are left / / /"),
            (
                "the book has {a} pages",
                "{p} read {b} pages a day for {c} days",
                "how many pages / {do p~} still have to read / {p~} still has to read /",
            ),
            (
                "a candle was {a} millimeters tall",
                "it burns down {b} millimeters an hour",
                "how tall is it after {c} hours / / /",
            ),
            (
                "a truck with {a} crates stops at {b} stores and leaves {c} crates at each",
                "how many crates are still on the truck / / /",
            ),
            (
                "{p} wants to save {a} dollars",
                "{p~} has saved {b} dollars a week for {c} weeks",
                "how much more / {do p~} need / {p~} needs /",
            ),
            ("of {a} seats, {b} rows of {c} are taken", "how many seats are free / / /"),
        ),
        (),
        "groups",
    ),
    Plot(
        _rest_each,
        ("*", ("-", "a", "b"), "s"),
        (
            (
                "{p} has to cook {a} potatoes and has already cooked {b} of them",
                "each potato takes {s} minutes to cook",
                "how many minutes / will the rest take / the rest will take /",
            ),
            (
                "there were {a} pizzas, and {b} of them were sold",
                "each pizza has {s} slices",
                "how many slices are left / / /",
            ),
            (
                "{p} had {a} days off and was ill for {b} of them",
                "on each of the other days {p~} read {s} chapters",
                "how many chapters / did {p~} read / {p~} read / [in all|]",
            ),
            (
                "of the {a} boats at the lake, {b} are rented out",
                "each boat has {s} seats",
                "how many seats are in the boats that are left / / /",
            ),
        ),
        (),
        "rate",
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
        draft.count(key, value)
    _perform(draft, plot)


def _stage(draft: Draft) -> None:
    draft.tense = "past"
    person = draft.person("p")
    draft.relative("r", person)
    day = draft.rng.randint(0, 5)
    draft.set(day=words.WEEKDAYS[day], day2=words.WEEKDAYS[day + 1])


def _perform(draft: Draft, plot: Plot) -> None:
    telling = draft.pick(plot.tellings)
    questions = plot.questions
    if not questions:
        telling, questions = telling[:-1], telling[-1:]
    draft.facts = [Fact(text) for text in telling]
    draft.gold = plot.gold
    draft.kind = plot.kind
    draft.asks(questions)
    draft.spare = ["age", "date"]


CHAINS: tuple[tuple[Family, float], ...] = ((plots, 5.0), (small, 4.5))

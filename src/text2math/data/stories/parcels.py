"""Parcels: one or two sorts of things in equal groups, at a price each, or at a rate; any of the numbers may be asked for.

For every sort there are a total, a number of groups and the size of one; two of the three are told, in the same words
for each sort. A third number may go along: what one group costs, what is taken off it, what is left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from text2math.data.stories.grammar import plural
from text2math.data.stories.world import Draft, Gold, Thing, another, scenes
from text2math.data.stories.worlds import Choice, tell_world


@dataclass(frozen=True, slots=True)
class Parcel:
    """How a pair of sorts is told: facts with {x0} … for each sort, and the questions for the number that is missing.

    ``{wI}`` is the total of sort I, ``{gI}`` its groups, ``{sI}`` the size of one; ``{kI}`` the things, ``{bI}`` the
    groups. What is told of both sorts is joined by "and".
    """

    told: str
    item: str
    asked: tuple[str, ...]
    missing: str  # w, g or s


_TO_SIZE = (
    "how many {kI} are in each {bI.one} / / /",
    "how many {kI} / did {p} put in each {bI.one} / {p} put in each {bI.one} /",
    "how big is each {bI.one} of {kI} / / /",
    "how many {kI} / does [each|one|every] {bI.one} hold / [each|one|every] {bI.one} holds / [|in all]",
)
_TO_GROUPS = (
    "how many {bI} of {kI} are there [in all|] / / /",
    "how many {bI} / did {p} need for the {kI} / {p} needed for the {kI} / [altogether|]",
    "how many {bI} of {kI} / did {p} fill / {p} filled / [in all|]",
    "how many {bI} / were used for the {kI} / were used for the {kI} /",
)
_TO_TOTAL = (
    "how many {kI} are there [in all|altogether|in total|] / / /",
    "how many {kI} / did {p} have / {p} had / [in all|altogether|]",
    "what is the [total|] number of {kI} / / /",
    "how many {kI} / does {p} have / {p} has / [now|in all|]",
)
PARCELS: tuple[Parcel, ...] = (
    Parcel("{p} divided", "{wI} {kI} into {gI} [equal|] {bI}", _TO_SIZE, "s"),
    Parcel("{p} put", "{wI} {kI} into {gI} {bI}", _TO_SIZE, "s"),
    Parcel("there are", "{wI} {kI} in {gI} [equal|] {bI}", _TO_SIZE, "s"),
    Parcel("{p} organized", "{wI} {kI} into {gI} {bI}", _TO_SIZE, "s"),
    Parcel("{p} packed", "{wI} {kI} in {bI} of {sI}", _TO_GROUPS, "g"),
    Parcel("{p} put", "{wI} {kI} in {bI} with {sI} in each", _TO_GROUPS, "g"),
    Parcel("{p} sorted", "{wI} {kI} into {bI} of {sI}", _TO_GROUPS, "g"),
    Parcel("{p} has", "{gI} {bI} of {kI} with {sI} in each {bI.one}", _TO_TOTAL, "w"),
    Parcel("{p} bought", "{gI} {bI} of {sI} {kI}", _TO_TOTAL, "w"),
    Parcel("there are", "{gI} {bI} with {sI} {kI} each", _TO_TOTAL, "w"),
    Parcel("{p} filled", "{gI} {bI} with {sI} {kI} each", _TO_TOTAL, "w"),
)
_PRICES: tuple[Parcel, ...] = (
    Parcel("{p} bought", "{gI} {kI} for {SI} each", ("how much [money|] / did {p} spend on {kI} / {p} spent on {kI} / [in all|]", "how much / did the {kI} cost / the {kI} cost / [altogether|in total|]"), "w"),
    Parcel("{p} sold", "{gI} {kI} at {SI} apiece", ("how much [money|] / did {p} get for the {kI} / {p} got for the {kI} / [in all|]",), "w"),
    Parcel("{p} paid", "{WI} for {gI} {kI}", ("how much / did each {kI.one} cost / each {kI.one} cost / [|in all]", "what was the price of one {kI.one} / / /", "how much is {an}{kI.one} / / /"), "s"),
    Parcel("{p} spent", "{WI} on {kI} that cost {SI} each", ("how many {kI} / did {p} buy / {p} bought / [in all|altogether|]", "how many {kI} is that / / /"), "g"),
)  # fmt: skip


def _stage(draft: Draft) -> None:
    """Two sorts of things with their groups, and the numbers of both, in slots."""
    scene = draft.pick([scene for scene in scenes() if scene.name != "games"])  # nobody packs points in boxes
    draft.set(t=draft.pick(scene.things))
    other = another(draft, scene, "k1", draft.thing)
    draft.set(k0=draft.thing, k1=other)
    draft.person("p")
    draft.tense = "past"
    boxes = draft.rng.sample(scene.box, 2) if draft.chance(0.4) else [draft.pick(scene.box)] * 2
    if draft.chance(0.25):
        boxes = ["group"] * 2
    for index, box in enumerate(boxes):
        draft.slots[f"b{index}"] = Thing(box, plural(box))


def _numbers(draft: Draft, index: int, money: bool) -> None:
    g, s = draft.between(2, 30), Fraction(draft.between(2, 24))
    if money and draft.chance(0.3):
        s = Fraction(draft.between(25, 999), 100)
    draft.count(f"g{index}", g)
    if money:
        draft.money(f"s{index}", s)
        draft.money(f"w{index}", g * s)
    else:
        draft.count(f"s{index}", s)
        draft.count(f"w{index}", g * s)


_OPERATION: dict[str, tuple[str, str, str]] = {
    "s": ("/", "w", "g"),
    "g": ("/", "w", "s"),
    "w": ("*", "g", "s"),
}


def parcels(draft: Draft) -> None:
    """One or two sorts in equal groups or at a price each."""
    _stage(draft)
    money = draft.chance(0.4)
    kind = draft.pick(_PRICES if money else PARCELS)
    count = draft.pick((1, 2, 2))
    for index in range(count):
        _numbers(draft, index, money)
    items = [kind.item.replace("I", str(index)) for index in range(count)]
    facts = (f"{kind.told} {' and '.join(items)}",)
    sign, one, two = _OPERATION[kind.missing]
    choices: list[Choice] = []
    golds: list[Gold] = []
    for index in range(count):
        gold: Gold = (sign, f"{one}{index}", f"{two}{index}")
        golds.append(gold)
        choices.append((tuple(text.replace("I", str(index)) for text in kind.asked), gold))
    if count == 2 and kind.missing == "w":
        choices.append((_together(money, kind), ("+", *golds)))  # type: ignore[arg-type]
    if count == 2 and not money and kind.missing != "w":
        choices.append((("how many {k0} and {k1} are there [in all|altogether|] / / /",), ("+", "w0", "w1")))
    tell_world(draft, facts, choices)
    draft.kind = "price" if money else "groups"
    draft.spare = ["age", "date"]


def _together(money: bool, kind: Parcel) -> tuple[str, ...]:
    if not money:
        return ("how many {k0} and {k1} are there [in all|altogether|in total] / / /",)
    if "sold" in kind.told:
        return ("how much [money|] / did {p} get / {p} got / [in all|altogether|]",)
    return (
        "how much [money|] / did {p} spend / {p} spent / [in all|altogether|]",
        "what was the total cost / / /",
    )


# One sort and what is done to each group of it -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Deal:
    """A small story over the named numbers: how they are drawn, the facts, every question with its gold."""

    draw: Callable[[Draft], dict[str, int]]
    facts: tuple[str, ...]
    choices: tuple[Choice, ...]
    money: str = ""  # the numbers that are sums of money
    kind: str = "price"


def _discount(draft: Draft) -> dict[str, int]:
    a = draft.between(5, 40)
    return {"a": a, "b": draft.between(1, a - 2), "c": draft.between(2, 12)}


def _afford(draft: Draft) -> dict[str, int]:
    price, count = draft.between(2, 15), draft.between(2, 12)
    return {"a": price, "b": price * count, "c": draft.between(2, 20)}


def _plenty(draft: Draft) -> dict[str, int]:
    size, groups = draft.between(2, 15), draft.between(2, 15)
    return {"a": size * groups, "b": size, "c": draft.between(1, 20), "d": draft.between(2, 12)}


def _drain(draft: Draft) -> dict[str, int]:
    b, c = draft.between(2, 20), draft.between(2, 12)
    return {"a": b * c + draft.between(3, 200), "b": b, "c": c, "d": draft.between(2, 9)}


def _average(draft: Draft) -> dict[str, int]:
    mean, first = draft.between(6, 30), draft.between(2, 5)
    return {"a": mean - first, "b": mean + 2 * first, "c": mean - first, "n": 3}


def _rise(draft: Draft) -> dict[str, int]:
    b = draft.between(2, 12)
    return {"a": draft.between(2, 9), "b": b, "c": b + draft.between(1, 9)}


def _rest(draft: Draft) -> dict[str, int]:
    b, c = draft.between(2, 40), draft.between(2, 30)
    return {"a": b + c + draft.between(2, 40), "b": b, "c": c, "d": draft.between(2, 12)}


def _shared(draft: Draft) -> dict[str, int]:
    c = draft.between(2, 12)
    return {"a": c * draft.between(2, 15), "b": c * draft.between(2, 15), "c": c, "d": draft.between(2, 9)}


def _any(draft: Draft) -> dict[str, int]:
    return {
        "a": draft.between(2, 20),
        "b": draft.between(2, 20),
        "c": draft.between(2, 30),
        "d": draft.between(2, 20),
    }


DEALS: tuple[Deal, ...] = (
    Deal(
        _discount,
        ("{an}{t.one} [usually|normally|] costs {A}", "[today|this week|during the sale] there is a discount of {B} on each {t.one}", "{p} buys {c} {t}"),
        (
            (("how much / does one {t.one} cost / one {t.one} costs / [now|today|with the discount]", "what is the price of {an}{t.one} now / / /"), ("-", "a", "b")),
            (("how much [money|] / will {p} pay / {p} will pay / [in all|]", "how much / {do p} have to pay / {p} has to pay / [altogether|]"), ("*", ("-", "a", "b"), "c")),
            (("how much [money|] / {do p} save / {p} saves / [in all|]",), ("*", "b", "c")),
        ),
        "ab",
    ),
    Deal(
        _discount,
        ("{c} {friend} each bought {an}{t.one} that cost {A}", "every one of them had a coupon for {B} off"),
        (
            (("how much / did each {friend.one} pay / each {friend.one} paid /",), ("-", "a", "b")),
            (("how much / did they pay / they paid / [in all|altogether|]",), ("*", "c", ("-", "a", "b"))),
        ),
        "ab",
    ),
    Deal(
        _afford,
        ("each {t.one} costs {A}", "{p} has {B}", "the store has {c} {t@c} in stock"),
        (
            (("how many {t} / can {p} buy / {p} can buy / [with the money|in all|]",), ("/", "b", "a")),
            (("how much / would all the {t} cost / all the {t} would cost / [in all|]", "how much money / does the store get / the store gets / if it sells all of them"), ("*", "a", "c")),
        ),
        "ab",
    ),
    Deal(
        _plenty,
        ("{p} has {a} {t}", "{p~} puts {b} in each {box.one}", "each {box.one} sells for {D}"),
        (
            (("how many {box} / {do p} need / {p} needs / [in all|]", "how many {box} are there / / /"), ("/", "a", "b")),
            (("how much [money|] / {do p} get / {p} gets / [in all|for all of them|altogether]",), ("*", ("/", "a", "b"), "d")),
        ),
        "d",
        "groups",
    ),
    Deal(
        _any,
        ("{p} bought {a} {box@a} of {t} for {D} each", "there were {b} {t@b} in each {box.one}", "{p~} already had {c} {t@c}"),
        (
            (("how many {t} / did {p} buy / {p} bought / [in all|altogether|]",), ("*", "a", "b")),
            (("how many {t} / {do p} have / {p} has / [now|in all|altogether]",), ("+", ("*", "a", "b"), "c")),
            (("how much [money|] / did {p} spend / {p} spent / [in all|]", "how much / did the {t} cost / the {t} cost / [altogether|]"), ("*", "a", "d")),
        ),
        "d",
        "groups",
    ),
    Deal(
        _any,
        ("{p} bought {a} {t@a} at {B} each and {an}{good} for {C}", "{p~} went to the store with {d} {friend@d}"),
        (
            (("how much / did the {t} cost / the {t} cost / [in all|altogether|]",), ("*", "a", "b")),
            (("how much [money|] / did {p} spend / {p} spent / [in all|altogether|in total]", "what was the total / / /"), ("+", ("*", "a", "b"), "c")),
        ),
        "bc",
    ),
    Deal(
        _any,
        ("{a} {friend@a} [went on a trip|came to the party|were in the club]", "each of them brought {b} {t@b}", "{p} brought {c} {t@c}"),
        (
            (("how many {t} / did the {friend} bring / the {friend} brought / [in all|]",), ("*", "a", "b")),
            (("how many {t} were there [in all|altogether|in total] / / /", "how many {t} / did they have / they had / [together|in all]"), ("+", ("*", "a", "b"), "c")),
        ),
        "",
        "groups",
    ),
    Deal(
        _plenty,
        ("{p} had {a} {t@a} and {d} {k}", "{p~} put the {t} in {box} of {b}", "{p~} lost {c} of the {box}"),
        (
            (("how many {box} of {t} / did {p} have / {p} had / [at first|before|in the beginning]",), ("/", "a", "b")),
            (("how many {t} and {k} / did {p} have / {p} had / [at first|in all|altogether]",), ("+", "a", "d")),
            (("how many {box} / {do p} have / {p} has / [left|now]",), ("-", ("/", "a", "b"), "c")),
            (("how many {t} were in the lost {box} / / /",), ("*", "b", "c")),
        ),
        "",
        "groups",
    ),
    Deal(
        _any,
        ("{p} [walks|runs|bikes] {a} miles [a|every|each] day", "{p~} did this for {b} days", "it took {p~.him} {c} minutes a day"),
        (
            (("how many miles is that [in all|altogether|] / / /",), ("*", "a", "b")),
            (("how many minutes is that [in all|altogether|] / / /",), ("*", "b", "c")),
        ),
        "",
        "rate",
    ),
    Deal(
        _plenty,
        ("{p} read a book with {a} pages", "{p~} read {b} pages [a|every|each] day", "the book before had {d} chapters"),
        (
            (("how many days / did it take / it took / [to finish the book|in all|]", "how many days / did {p} need / {p} needed / for the book"), ("/", "a", "b")),
        ),
        "",
        "rate",
    ),
    Deal(
        _plenty,
        ("{p} made {a} {t}", "{p~} kept {b} of them and sold the rest for {D} each"),
        (
            (("how many {t} / did {p} sell / {p} sold / [in all|]",), ("-", "a", "b")),
            (("how much [money|] / did {p} earn / {p} earned / [in all|altogether]", "how much / did {p} get for them / {p} got for them /"), ("*", ("-", "a", "b"), "d")),
        ),
        "d",
    ),
    Deal(
        _plenty,
        ("{p} needs {a} {t}", "they come in {box} of {b}", "{p~} bought {c} {box@c}"),
        (
            (("how many {box} / {do p} need / {p} needs / [in all|]",), ("/", "a", "b")),
            (("how many {t} / did {p} buy / {p} bought / [in all|]",), ("*", "b", "c")),
        ),
        "",
        "groups",
    ),
    Deal(
        _any,
        ("{an}{beast.one} has {a} legs, and {an}{beast2.one} has {b} legs",),
        (
            (("how many legs / do {c} {beast} have / {c} {beast} have / [in all|altogether|]",), ("*", "a", "c")),
            (("how many legs / do {c} {beast2} have / {c} {beast2} have / [in all|altogether|]",), ("*", "b", "c")),
            (("how many more legs / does {an}{beast.one} have / {an}{beast.one} has / than {an}{beast2.one}",), ("-", "a", "b")),
        ),
        "",
        "groups",
    ),
    Deal(
        _any,
        ("each [batch|cake|pot|tray] takes {a} eggs and {b} {cup} of [flour|sugar|oats]", "{p} makes {c} of them"),
        (
            (("how many eggs / {do p} need / {p} needs / [in all|altogether|]", "how many eggs is that / / /"), ("*", "a", "c")),
            (("how many {cup} is that / / /",), ("*", "b", "c")),
        ),
        "",
        "rate",
    ),
    Deal(
        _drain,
        ("a [tank|pool|barrel] holds {a} {liter}", "every {hour.one}, {b} {liter} [run|leak|flow] out"),
        (
            (("how much is left after {c} {hour} / / /", "how much / does it hold / it holds / after {c} {hour}"), ("-", "a", ("*", "b", "c"))),
            (("how much [runs|flows] out in {c} {hour} / / /",), ("*", "b", "c")),
        ),
        "",
        "rate",
    ),
    Deal(
        _drain,
        ("there are {c} rows of {b} seats in the [hall|cinema|bus|theater]", "the [hall|building] can hold {a} people with those who stand", "{d} people are working there"),
        (
            (("how many seats are there [in all|altogether|] / / /",), ("*", "c", "b")),
            (("how many people have to stand if it is full / / /",), ("-", "a", ("*", "c", "b"))),
        ),
        "",
        "array",
    ),
    Deal(
        _any,
        ("{p} rented a [canoe|bike|boat|car] for {B} plus {D} an hour", "{p~} [kept|had] it for {a} hours"),
        (
            (("how much / did {p} pay / {p} paid / [in all|altogether|]", "what did it cost [in all|] / / /"), ("+", "b", ("*", "d", "a"))),
            (("how much / did {p} pay / {p} paid / for the hours alone",), ("*", "d", "a")),
        ),
        "bd",
        "rate",
    ),
    Deal(
        _any,
        ("{p} bought {a} {t@a} at {B} each and {c} {k} at {D} each",),
        (
            (("how much [money|] / did {p} spend / {p} spent / [in all|altogether|]", "what was the total / / /"), ("+", ("*", "a", "b"), ("*", "c", "d"))),
            (("how much more / did {p} pay / {p} paid / for the {t} than for the {k}",), ("-", ("*", "a", "b"), ("*", "c", "d"))),
            (("how much more / does {an}{t.one} cost / {an}{t.one} costs / than {an}{k.one}",), ("-", "b", "d")),
        ),
        "bd",
    ),
    Deal(
        _average,
        ("{p} got {a} points in the first {game}, {b} in the second and {c} in the third",),
        (
            (("what was {p.s} average score over {n} {game}s / / /", "what was the mean of the {n} scores / / /"), ("/", ("+", ("+", "a", "b"), "c"), "n")),
            (("how many points / did {p} get / {p} got / [in all|altogether|]",), ("+", ("+", "a", "b"), "c")),
            (("how many points / did {p} have / {p} had / after the second one",), ("+", "a", "b")),
        ),
        "",
        "compare",
    ),
    Deal(
        _rise,
        ("a lap around the [lake|park|track] is {a} miles", "{p} did {b} laps on Saturday and {c} laps on Sunday"),
        (
            (("how many miles / did {p} go / {p} went / on Sunday",), ("*", "a", "c")),
            (("how many miles / did {p} go / {p} went / on Saturday",), ("*", "a", "b")),
            (("how many laps / did {p} do / {p} did / [in all|altogether|]",), ("+", "b", "c")),
            (("how many more miles / did {p} go / {p} went / on Sunday",), ("*", "a", ("-", "c", "b"))),
            (("how many miles / did {p} go / {p} went / [in all|altogether|]",), ("*", "a", ("+", "b", "c"))),
        ),
        "",
        "rate",
    ),
    Deal(
        _plenty,
        ("{a} {t} were packed into {box} of {b}", "{p} took {d} {k}", "each {box.one} costs {C}"),
        (
            (("how many {box} were there [in all|] / / /",), ("/", "a", "b")),
            (("how much / did all the {box} cost / all the {box} cost / [together|in all]",), ("*", ("/", "a", "b"), "c")),
        ),
        "c",
        "groups",
    ),
    Deal(
        _any,
        ("{a} {friend@a} work {b} hours a day for {c} days", "they are {d} years old on average"),
        (
            (("how many hours / does each of them work / each of them works / [in all|]",), ("*", "b", "c")),
            (("how many hours / do they work / they work / each day [together|]",), ("*", "a", "b")),
            (("how many hours / do they work / they work / [in all|altogether]",), ("*", ("*", "a", "b"), "c")),
        ),
        "",
        "rate",
    ),
    Deal(
        _rest,
        ("{p} had {C} left after buying {an}{t.one}", "{p~} had {A} at the start", "the {t.one} was in a bag with {d} others"),
        (
            (("how much / did the {t.one} cost / the {t.one} cost /", "how much [money|] / did {p} spend / {p} spent / [on the {t.one}|]"), ("-", "a", "c")),
        ),
        "ac",
        "money",
    ),
    Deal(
        _rest,
        ("{b} {people} were [riding on|on] the [bus|train|ferry]", "at the [stop|station|next stop], {a} got on and some got off", "then there were {c} [of them|] [on board|inside]"),
        (
            (("how many {people} got off / / /",), ("-", ("+", "b", "a"), "c")),
            (("how many {people} had been on it or got on / / /",), ("+", "b", "a")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("there were {B} in {p.s} [wallet|purse|piggy bank]", "{p~} put in {A} more", "after a trip to the store, {p~} had {C} left"),
        (
            (("how much [money|] / did {p} spend / {p} spent / [at the store|in all|]",), ("-", ("+", "b", "a"), "c")),
            (("how much [money|] / did {p} have / {p} had / before the trip",), ("+", "b", "a")),
        ),
        "abc",
        "money",
    ),
    Deal(
        _any,
        ("{p} [picks|harvests|sells|packs] {a} {box@a} of {t} and {b} {box@b} of {k} [a|per|every] day", "{p~} does this for {c} days"),
        (
            (("how many {box} of {t} is that [in all|altogether|] / / /",), ("*", "a", "c")),
            (("how many {box} of {k} is that [in all|altogether|] / / /",), ("*", "b", "c")),
            (("how many {box} is that [a|per|each] day / / /",), ("+", "a", "b")),
            (("how many {box} is that [in all|altogether|] / / /",), ("*", ("+", "a", "b"), "c")),
        ),
        "",
        "rate",
    ),
    Deal(
        _shared,
        ("{p} had {a} {t} and {b} {k}", "{p~} gave equal numbers of both to {p.his} {c} {friend}", "there were {d} other people in the room"),
        (
            (("how many {t} / did each {friend.one} get / each {friend.one} got / [|in all]",), ("/", "a", "c")),
            (("how many {k} / did each {friend.one} get / each {friend.one} got / [|in all]",), ("/", "b", "c")),
            (("how many {t} and {k} / did {p} have / {p} had / [at first|in all|altogether]",), ("+", "a", "b")),
        ),
        "",
        "sharing",
    ),
    Deal(
        _rest,
        ("{p} had {b} more {t} than {q}", "{q} then lost {c} of {q.his} {t}", "{p} had {a} {t}"),
        (
            (("how many more {t} / {do p} have / {p} has / than {q} now",), ("+", "b", "c")),
            (("how many {t} / did {q} have / {q} had / [at first|before that|in the beginning]",), ("-", "a", "b")),
            (("how many {t} / {do q} have / {q} has / now",), ("-", ("-", "a", "b"), "c")),
        ),
        "",
        "compare",
    ),
    Deal(
        _rest,
        ("{p} had {a} {t}", "{p~} lost {b} of them and found {c} new ones", "{q} helped to look for {d} hours"),
        (
            (("how many {t} / {do p} have / {p} has / [now|in all|]",), ("+", ("-", "a", "b"), "c")),
            (("how many {t} / did {p} have / {p} had / before {p.he} found some",), ("-", "a", "b")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("together, {p} and {q} [collected|picked|carried] {a} pounds of [berries|stones|apples|shells]", "on the way back, {q} lost {b} pounds", "now {q} has {c} pounds"),
        (
            (("how many pounds / {do p} have / {p} has / [now|]",), ("-", ("-", "a", "b"), "c")),
            (("how many pounds / did {q} have / {q} had / before {q.he} lost some",), ("+", "b", "c")),
            (("how many pounds / do they have / they have / [now|together now]",), ("-", "a", "b")),
        ),
        "",
        "change",
    ),
    Deal(
        _any,
        ("{p} [ate|used|found|sold] {a} {t}", "then {p~} took {b} more", "{p~} also has {c} {k}"),
        (
            (("how many {t} is that [in all|altogether|] / / /",), ("+", "a", "b")),
            (("how many {t} and {k} is that [in all|altogether] / / /",), ("+", ("+", "a", "b"), "c")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("{p} had {a} pages of math and {b} pages of reading to do [for homework|]", "each page has {d} problems"),
        (
            (("how many pages / did {p} have to do / {p} had to do / [in all|altogether|]",), ("+", "a", "b")),
            (("how many more pages of math than of reading / did {p} have / {p} had /",), ("-", "a", "b")),
            (("how many problems / did {p} have to do / {p} had to do / [in all|altogether|]",), ("*", ("+", "a", "b"), "d")),
            (("how many math problems / did {p} have / {p} had / [in all|]",), ("*", "a", "d")),
            (("how many reading problems / did {p} have / {p} had / [in all|]",), ("*", "b", "d")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("{p} jumped {a} inches", "{q} jumped {b} inches less than {p}", "{r} jumped {c} inches less than {q}"),
        (
            (("how far / did {q} jump / {q} jumped /", "how many inches / did {q} jump / {q} jumped /"), ("-", "a", "b")),
            (("how far / did {r} jump / {r} jumped /", "how many inches / did {r} jump / {r} jumped /"), ("-", ("-", "a", "b"), "c")),
            (("how much farther / did {p} jump / {p} jumped / than {r}",), ("+", "b", "c")),
        ),
        "",
        "compare",
    ),
    Deal(
        _rest,
        ("{a} people [live|lived] in the [village|building|camp]", "{b} of them are children, and {c} are very old", "there are {d} shops"),
        (
            (("how many of them are not children / / /", "how many adults are there / / /"), ("-", "a", "b")),
            (("how many of them are neither children nor very old / / /",), ("-", ("-", "a", "b"), "c")),
            (("how many children and very old people are there / / /",), ("+", "b", "c")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("there were {a} [baseball|football|soccer|chess] games at {p.s} school this year, {b} of them in the evening", "{p} [was at|watched|saw] {c} of the games"),
        (
            (("how many games / did {p} miss / {p} missed / [in all|]",), ("-", "a", "c")),
            (("how many games were not in the evening / / /",), ("-", "a", "b")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("this year, {p} saw {a} games and missed {b} others", "last year, {p~} saw {c} and missed {d}"),
        (
            (("how many games / did {p} see / {p} saw / [in all|altogether|in total]",), ("+", "a", "c")),
            (("how many games / did {p} miss / {p} missed / [in all|altogether|in total]",), ("+", "b", "d")),
            (("how many more games / did {p} see / {p} saw / this year than last year",), ("-", "a", "c")),
        ),
        "",
        "combine",
    ),
    Deal(
        _any,
        ("{p} has {a} {t} and has [read|used|washed|cleaned|tried] {b} of them", "{q} has {c} {t}"),
        (
            (("how many {t} / do they have / they have / [together|in all|altogether]",), ("+", "a", "c")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("{p} and {q} found {a} and {b} {t}", "when they [washed|checked|sorted|counted] them, {c} were [cracked|broken|bad|dirty]"),
        (
            (("how many {t} / did they find / they found / [together|in all|altogether]",), ("+", "a", "b")),
            (("how many {t} were fine / / /",), ("-", ("+", "a", "b"), "c")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("{p.s} [cat|dog|rabbit] has a litter, {d} of them with white paws", "{p~} gave {b} to {q} and {c} to {r}", "{p~} now has {a} of them"),
        (
            (("how many / were there at first / there were at first /", "how many / did {p} have to start with / {p} had to start with /"), ("+", ("+", "b", "c"), "a")),
            (("how many / did {p} give away / {p} gave away / [in all|]",), ("+", "b", "c")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("a week ago, {p} had {A} while {q} had {B}", "{p} [cleaned windows|babysat|mowed lawns|walked dogs] for a neighbor, and {q} spent {C}"),
        (
            (("how much [money|] / did they have / they had / a week ago [together|]",), ("+", "a", "b")),
        ),
        "abc",
        "money",
    ),
    Deal(
        _rest,
        ("a week ago, {p} had {B} while {q} had {C}", "{p} [cleaned windows|babysat|mowed lawns|walked dogs] for a neighbor, and now {p.he} has {A}"),
        (
            (("how much [money|] / did {p} [make|earn] / {p} [made|earned] / [with this work|]",), ("-", "a", "b")),
        ),
        "abc",
        "money",
    ),
    Deal(
        _rest,
        ("{p} had {b} {t} and {a} {k}", "{p.his} [dad|uncle|brother] gave {p.him} {c} {t} and {p.his} [mother|aunt|sister] gave {p.him} {d} {t}"),
        (
            (("how many {t} / {do p} have / {p} has / [now|in all|altogether]",), ("+", ("+", "b", "c"), "d")),
            (("how many {t} / did {p} get / {p} got / [in all|altogether|]",), ("+", "c", "d")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("{p} had {b} {t} and {a} {k}", "{p.his} [dad|uncle|sister|mother] [borrowed|took|needed] {d} {k} [from {p.him}|]"),
        (
            (("how many {k} / {do p} have / {p} has / [now|left]",), ("-", "a", "d")),
            (("how many {t} and {k} / did {p} have / {p} had / [at first|before]",), ("+", "b", "a")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("a [kitchen|cafe|bakery] sold {a} [pies|tarts|pizzas] at noon and {b} in the evening today", "the day before, it sold {c} of them"),
        (
            (("how many were sold today / / /", "how many / did it sell today / it sold today /"), ("+", "a", "b")),
            (("how many were sold [in all|in total|altogether] / / /", "how many / did it sell on both days / it sold on both days /"), ("+", ("+", "a", "b"), "c")),
            (("how many more were sold at noon than in the evening / / /",), ("-", "a", "b")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("{p} went to {a} [games|concerts|shows] this year and {b} last year", "{p~} plans to go to {c} next year"),
        (
            (("how many will that be [in all|altogether|in total] / / /",), ("+", ("+", "a", "b"), "c")),
            (("how many / has {p} gone to / {p} has gone to / so far",), ("+", "a", "b")),
            (("how many more / did {p} go to / {p} went to / this year than last year",), ("-", "a", "b")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("[last month|this year], {p.s} [boat|house|stamp collection] lost {B} of its value", "before that, it was worth {A}"),
        ((("how much is it worth now / / /", "what is its value now / / /"), ("-", "a", "b")),),
        "ab",
        "money",
    ),
    Deal(
        _rest,
        ("[last month|this year], {p.s} [boat|house|stamp collection] gained {B} in value", "before that, it was worth {A}"),
        ((("how much is it worth now / / /", "what is its value now / / /"), ("+", "a", "b")),),
        "ab",
        "money",
    ),
    Deal(
        _rest,
        ("there are {a} {t} {here}", "in addition, there are {b} {t} {there}"),
        (
            (("how many {t} are there [in all|overall|altogether|in total] / / /",), ("+", "a", "b")),
            (("how many more {t} are {here} than {there} / / /",), ("-", "a", "b")),
        ),
        "",
        "combine",
    ),
    Deal(
        _rest,
        ("in the [drawer|box|closet|bag], there are {a} {t} and {d} {k}", "{p} [laid|put] {b} [more|new|] {t} [beside them|there]"),
        (
            (("how many {t} are [now there|there now] [in total|in all|] / / /",), ("+", "a", "b")),
            (("how many {t} and {k} were there [at first|before] / / /",), ("+", "a", "d")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("there were {b} {t} {here} and {c} {t} {there}", "{p} [stacked|stored|put] some more {t} {here}", "there are now {a} {t} {here}"),
        (
            (("how many {t} / did {p} put {here} / {p} put {here} /",), ("-", "a", "b")),
            (("how many {t} were there [at first|in the beginning] {here} and {there} / / /",), ("+", "b", "c")),
        ),
        "",
        "change",
    ),
    Deal(
        _rest,
        ("{p} got {A} and {d} [tickets|books|cards] as a present", "{p~} went to a store and bought {an}{t.one} and {an}{k.one}", "{p~} had {B} [left|left over]"),
        (
            (("how much / did {p} spend / {p} spent / [in all|at the store|]",), ("-", "a", "b")),
        ),
        "ab",
        "money",
    ),
    Deal(
        _rest,
        ("last year, {p} [harvested|collected|sold] {a} pounds of [honey|corn|apples]", "this year, {p.he} [raised|increased] that by {b} pounds"),
        (
            (("how many pounds is that this year / / /",), ("+", "a", "b")),
        ),
        "",
        "change",
    ),
)  # fmt: skip


_PLACES = ("in the barn", "in the garage", "in the shed", "in the attic", "in the cellar", "at the school", "in the new building", "in the small shop", "on the porch", "in the tent")  # fmt: skip


def deals(draft: Draft) -> None:
    """A small story of several numbers with every question it can answer."""
    _stage(draft)
    deal = draft.pick(DEALS)
    draft.person("q", roles=False)
    draft.person("r", roles=False)
    here, there = draft.rng.sample(_PLACES, 2)
    draft.set(here=here, there=there)
    draft.set(people=draft.pick(("children", "people", "passengers", "students")))
    draft.set(k=draft.slots["k1"], box=draft.slots["b0"])
    hour, liter, cup = draft.pick(("hour", "minute", "day")), draft.pick(("liters", "gallons")), draft.pick(("cups", "spoons"))  # fmt: skip
    draft.set(
        game=draft.pick(("game", "test", "round")), hour=Thing(hour, plural(hour)), liter=liter, cup=cup
    )
    beasts = draft.rng.sample(("robot", "toy bug", "table", "space creature", "stool", "wooden animal"), 2)
    draft.set(beast=Thing(beasts[0], plural(beasts[0])), beast2=Thing(beasts[1], plural(beasts[1])))
    friend = draft.pick(("friend", "cousin", "student", "child", "neighbor", "scout", "teammate"))
    draft.set(friend=Thing(friend, plural(friend)), good=draft.pick(("bag", "card", "hat", "map", "cake", "toy", "lamp", "basket", "candle")))  # fmt: skip
    for key, value in deal.draw(draft).items():
        if key in deal.money:
            draft.money(key, value)
        else:
            draft.amount(key, value)
    facts = list(deal.facts)
    if draft.chance(0.3) and not re.search(
        r"\b(them|they|there|this|it|rest)\b|~|\.(?:his|him|he)\b", " ".join(facts)
    ):
        facts = [*facts[1:], facts[0]]
    tell_world(draft, tuple(facts), list(deal.choices))
    draft.kind = deal.kind
    draft.spare = ["age", "date"]

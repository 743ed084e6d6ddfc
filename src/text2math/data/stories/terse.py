"""Terse problems: bare numbers ("what is 5 more than 8"), one-liners, and the way people ask in passing."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories.grammar import plural
from text2math.data.stories.sides import fraction
from text2math.data.stories.world import ME, Draft, Fact, Gold, Person, Thing, crowds, scenes

#: Bare arithmetic in words: the whole text, and the gold over a > b (a is a multiple of b), or f of w.
NUMBERS: tuple[tuple[str, Gold], ...] = (
    ("what is {b} more than {a}?", ("+", "a", "b")), ("what number is {b} more than {a}?", ("+", "a", "b")), ("what is {b} less than {a}?", ("-", "a", "b")),
    ("which number is {b} greater than {a}?", ("+", "a", "b")), ("which number is {b} smaller than {a}?", ("-", "a", "b")),
    ("what is {b} fewer than {a}?", ("-", "a", "b")), ("how much is {a} and {b} [together|]?", ("+", "a", "b")), ("how much is {a} minus {b}?", ("-", "a", "b")),
    ("what is {a} plus {b}?", ("+", "a", "b")), ("what is {a} times {b}?", ("*", "a", "b")), ("what is {a} divided by {b}?", ("/", "a", "b")),
    ("add {b} to {a}.", ("+", "a", "b")), ("subtract {b} from {a}.", ("-", "a", "b")), ("take {b} away from {a}.", ("-", "a", "b")), ("multiply {a} by {b}.", ("*", "a", "b")),
    ("divide {a} by {b}.", ("/", "a", "b")), ("what [is|do you get if you take] the sum of {a} and {b}?", ("+", "a", "b")), ("find the difference between {a} and {b}.", ("-", "a", "b")),
    ("what is the product of {a} and {b}?", ("*", "a", "b")), ("find the quotient of {a} and {b}.", ("/", "a", "b")), ("how many times does {b} go into {a}?", ("/", "a", "b")),
    ("how many groups of {b} are there in {a}?", ("/", "a", "b")), ("how much more is {a} than {b}?", ("-", "a", "b")), ("by how much is {a} greater than {b}?", ("-", "a", "b")),
    ("by how much does {a} exceed {b}?", ("-", "a", "b")), ("what must be added to {b} to get {a}?", ("-", "a", "b")), ("what must be taken from {a} to leave {b}?", ("-", "a", "b")),
    ("what number plus {b} equals {a}?", ("-", "a", "b")), ("which number times {b} gives {a}?", ("/", "a", "b")), ("what number minus {b} is {a}?", ("+", "a", "b")),
    ("what number divided by {b} is {a}?", ("*", "a", "b")), ("if you take {b} from a number, {a} is left. What is the number?", ("+", "a", "b")),
    ("{b} times a number is {a}. What is the number?", ("/", "a", "b")), ("I think of a number and add {b}. I get {a}. What was my number?", ("-", "a", "b")),
    ("what is {a} increased by {b}?", ("+", "a", "b")), ("what is {a} decreased by {b}?", ("-", "a", "b")), ("what is {a} reduced by {b}?", ("-", "a", "b")),
    ("what is {f} of {n}?", ("*", "f", "n")), ("how much is {f} of {n}?", ("*", "f", "n")), ("find {f} of {n}.", ("*", "f", "n")), ("what do you get if you take {f} of {n}?", ("*", "f", "n")),
    ("what is {two} {a}?", ("*", "two", "a")), ("how much is {half} of {a}?", ("*", "half", "a")), ("take {half} of {a}. What do you get?", ("*", "half", "a")),
    ("what is the sum of {a}, {b} and {c}?", ("+", ("+", "a", "b"), "c")), ("what is {a} plus {b} minus {c}?", ("-", ("+", "a", "b"), "c")), ("add {a} and {b}, then multiply by {c}.", ("*", ("+", "a", "b"), "c")),
    ("subtract {b} from {a} and add {c}.", ("+", ("-", "a", "b"), "c")), ("take {b} from {a}, then multiply by {c}. What is the result?", ("*", ("-", "a", "b"), "c")),
    ("divide {a} by {b} and add {c}.", ("+", ("/", "a", "b"), "c")), ("multiply {a} by {b} and subtract {c}.", ("-", ("*", "a", "b"), "c")), ("what is {b} less than the product of {a} and {c}?", ("-", ("*", "a", "c"), "b")),
)  # fmt: skip

#: One-liners about things: {t} things, {box} groups, {p} {q} people ({p} may be I), {v} loses, {w} gains, {friend} sharers.
LINES: tuple[tuple[str, Gold], ...] = (
    ("{a} {t}, {b} {v.part}. How many left?", ("-", "a", "b")), ("{a} {t} minus {b}. How many {t} is that?", ("-", "a", "b")), ("{b} {box}, {c} {t} in each. How many {t}?", ("*", "b", "c")),
    ("{a} {t} for {b} {friend}. How many each?", ("/", "a", "b")), ("{a} {t}, {b} in each {box.one}. How many {box}?", ("/", "a", "b")), ("{p+have} {a} {t} and {q} has {b}, how many do {they} have?", ("+", "a", "b")),
    ("{p+have} {a} {t} and {q} has {b}, how many more {do p} have?", ("-", "a", "b")), ("{p+have} {a} {t} and {b} {k}, how many is that?", ("+", "a", "b")), ("{p} had {a} {t} but {v.past} {b}, how many are left?", ("-", "a", "b")),
    ("{p} had {a} {t} and {w.past} {b} more, how many {do p} have now?", ("+", "a", "b")), ("{p+need} {a} {t} and {has} {b}, how many more {do p} need?", ("-", "a", "b")), ("{p+want} {a} {t}. {p.he+have} {b}. How many are missing?", ("-", "a", "b")),
    ("how many {t} are in {b} {box} if each has {c}?", ("*", "b", "c")), ("how many {box} do {a} {t} fill if {b} go in each?", ("/", "a", "b")), ("{an}{t.one} is {b} dollars. How much are {c}?", ("*", "b", "c")),
    ("{b} {t} cost {a} dollars, how much is each?", ("/", "a", "b")), ("{c} {t} at {b} dollars each. What is the total?", ("*", "c", "b")), ("{a} {t} in the shop, {b} sold today. How many now?", ("-", "a", "b")),
    ("{a} {t} in the shop, {b} more delivered. How many now?", ("+", "a", "b")), ("if {p+have} {a} {t} and {give} {b} to {q}, what {do p} have left?", ("-", "a", "b")), ("if {p+have} {a} {t} and {q} gives {p.him} {b}, how many {do p} have?", ("+", "a", "b")),
    ("{a} {k} and {b} {t} in the {box.one}. How many things are in it?", ("+", "a", "b")), ("{a} {t}: {b} are {p.s}, the rest {q.s}. How many does {q} have?", ("-", "a", "b")),
    ("{q} has {b} {t}. {p+have} {c} times as many. How many {t} {do p} have?", ("*", "b", "c")), ("{p+have} {a} {t}, {b} times as many as {q}. How many does {q} have?", ("/", "a", "b")),
    ("{p+have} {a} {t}, {b} more than {q}. How many does {q} have?", ("-", "a", "b")), ("{p+have} {a} {t}, {b} fewer than {q}. How many does {q} have?", ("+", "a", "b")),
    ("{p} {v.past} {f} of {p.his} {n} {t}. How many {t} did {p} {v}?", ("*", "f", "n")), ("{f} of the {n} {t} are {q.s}. How many {t} does {q} have?", ("*", "f", "n")), ("there are {n} {t} and {q} takes {f} of them. How many {t} does {q} take?", ("*", "f", "n")),
    ("{p} split {a} {t} between {b} {friend}, how many does each get?", ("/", "a", "b")), ("{p} bought {b} {box} of {t} with {c} in each, how many {t} did {p} buy?", ("*", "b", "c")),
    ("{p+have} {a} {t}, {b} {k} and {c} {friend}. How many {t} and {k} are there?", ("+", "a", "b")), ("{a} {t}, {b} {k}, {c} {friend}. How many more {t} than {k}?", ("-", "a", "b")),
    ("{p} gave {b} {t} to {q} and {c} to {r}, and had {a} before. How many {do p} have left?", ("-", "a", ("+", "b", "c"))), ("{a} {t} on Monday, {b} on Tuesday, {c} on Wednesday. How many on Monday and Tuesday?", ("+", "a", "b")),
    ("{a} {t} on Monday, {b} on Tuesday, {c} on Wednesday. How many in all?", ("+", ("+", "a", "b"), "c")),
    ("a box of {a} {t} costs {c} dollars and has {b} layers. How many {t} are in a layer?", ("/", "a", "b")), ("{b} {friend} paid {a} dollars for {c} {t}. How much did each of them pay?", ("/", "a", "b")),
    ("{t} at the start: {a}. Sold: {b}. Helpers: {c}. {t} left?", ("-", "a", "b")), ("{t} at the start: {a}. Delivered: {b}. Helpers: {c}. {t} now?", ("+", "a", "b")), ("{b} {box}, {c} {t} a {box.one}. How many {t}?", ("*", "b", "c")),
    ("list for {d} {friend}: {b} {t} at ${c}. What do the {t} cost?", ("*", "b", "c")), ("{a} {t} in all, {b} of them {q.s}. {p.s} {t}?", ("-", "a", "b")), ("need {a} {t}, have {b}. How many more?", ("-", "a", "b")),
    ("{an}{t.one} costs {n} dollars. Today it is {f} off. How many dollars do you save?", ("*", "f", "n")), ("{p} left a tip of {f} on a bill of {n} dollars. How much was the tip?", ("*", "f", "n")),
    ("{half} of the {a} {t} are {q.s}. How many {t} are {q.s}?", ("*", "half", "a")), ("{p} left with {a} {t} and came back with {b}. How many did {p.he} use?", ("-", "a", "b")), ("{p+be} {b} years old and {q} is {c} years older. How old is {q}?", ("+", "b", "c")),
    ("{p} had {a} dollars and paid {b} dollars for a {box.one}. What did {p.he} have left?", ("-", "a", "b")), ("a {box.one} with {c} {t} weighs {b} pounds. How much do {d} {box} weigh?", ("*", "b", "d")),
    ("a {box.one} with {c} {t} weighs {b} pounds. How many {t} are in {d} {box}?", ("*", "c", "d")), ("{p} put {c} {t} in every {box.one} and filled {b} {box}. {d} {t} were left over. How many {t} did {p} have?", ("+", ("*", "c", "b"), "d")),
    ("{p} had {a} {t}. After {p.he} {v.past} {b}, {p.he} got {c} more. How many {do p} have now?", ("+", ("-", "a", "b"), "c")), ("{a} {t} were {spot}. {b} were gone in the morning and {c} came back. How many are there?", ("+", ("-", "a", "b"), "c")),
)  # fmt: skip

#: Places that people come to and leave: the place or keeper, who comes, where.
KEEPERS = (
    ("a waiter", "customer", "in the restaurant"), ("a teacher", "student", "in the classroom"), ("a bus driver", "passenger", "on the bus"), ("a hotel", "guest", "in the hotel"),
    ("a doctor", "patient", "in the waiting room"), ("a barber", "customer", "in the shop"), ("a library", "visitor", "in the library"), ("a zookeeper", "animal", "in the pens"),
    ("a shelter", "dog", "in the shelter"), ("a museum guide", "tourist", "in the group"), ("a ferry", "car", "on the ferry"), ("a coach", "player", "on the team"), ("a gym", "member", "in the gym"),
    ("a store", "shopper", "in the store"), ("a farmer", "hen", "in the yard"), ("a parking lot", "car", "in the lot"), ("a choir", "singer", "in the choir"), ("a club", "member", "in the club"),
)  # fmt: skip
_COMINGS = (
    "{x} [more|new|other|] {t} {came}",
    "{x} more {came}",
    "then another {x} {came}",
    "{x} new ones {came}",
)
_GOINGS = ("{x} of them left", "{x} left", "{x} {t} left", "after a while, {x} of them went [home|away]")


def numbers(draft: Draft) -> None:
    """Bare arithmetic in words."""
    _draw(draft)
    _state(draft, *draft.pick(NUMBERS))
    draft.kind = "combine"


def lines(draft: Draft) -> None:
    """A one-liner about things."""
    scene = draft.pick(scenes())
    draft.set(t=draft.pick(scene.things), spot=draft.pick(scene.spot))
    draft.set(k=draft.pick([thing for thing in scene.things if thing is not draft.thing]))
    box = draft.pick(scene.box)
    friend = draft.pick(("friend", "kid", "child", "cousin", "student", "neighbor", "person", "player"))
    draft.set(box=Thing(box, plural(box)), friend=Thing(friend, plural(friend)))
    draft.act("v", [verb for verb in scene.lose if " " not in verb] or ("use",))
    draft.act("w", [verb for verb in scene.gain if not verb.startswith("be ")])
    first = draft.chance(0.4)
    if first:
        draft.slots["p"] = ME
    else:
        draft.person("p", roles=False)
    draft.relative("q", draft.slots["p"])  # type: ignore[arg-type]
    if draft.slots["q"].number != "one":  # type: ignore[attr-defined]
        draft.person("q", roles=False)
    draft.person("r", roles=False)
    draft.set(
        they="we" if first else "they", has="have" if first else "has", give="give" if first else "gives"
    )
    _draw(draft)
    _state(draft, *draft.pick(LINES))
    draft.kind = "combine"


def comings(draft: Draft) -> None:
    """A place that people or animals come to and leave, two or three times; asked: how many are there then."""
    keeper, one, place = draft.pick(KEEPERS)
    scene = draft.pick(crowds()) if draft.chance(0.3) else None
    draft.set(
        t=Thing(one, plural(one)),
        place=place,
        came=draft.pick(("came", "came in", "arrived", "joined them", "showed up")),
    )
    name = keeper.split(" ", 1)[1]
    draft.slots["p"] = Person(f"the {name}", "it", "it", "its", "one", keeper)
    if scene:
        draft.set(t=draft.pick(scene.things), place=draft.pick(scene.spot))
    total = draft.between(4, 60)
    draft.amount("a", total)
    facts = [
        draft.pick(("{p} had {A}", "there were {A} {place}")) if scene is None else "there were {A} {place}"
    ]
    gold: Gold = "a"
    for key in "bc"[: draft.pick((1, 2, 2))]:
        gone = draft.chance(0.5) and total > 2
        change = draft.between(1, total - 1) if gone else draft.between(2, 40)
        draft.count(key, change)
        facts.append(
            draft.pick(_GOINGS if gone else _COMINGS)
            .replace("{x}", f"{{{key}}}")
            .replace("{t}", f"{{t@{key}}}")
        )
        gold = ("-" if gone else "+", gold, key)
        total += -change if gone else change
    draft.facts = [Fact(text) for text in facts]
    draft.gold = gold
    draft.choices = []
    questions = [
        "how many {t} are {place} now / / /",
        "how many {t} are there [now|in the end|] / / /",
        "how many {t} were {place} [then|in the end|after that] / / /",
    ]
    if scene is None and "{p}" in facts[0]:
        questions += [
            "how many {t} / does {p} have / {p} has / [now|in the end|]",
            "how many {t} / did {p} have / {p} had / [in all|in the end|left]",
        ]
    draft.asks(questions)
    draft.kind = "change"
    draft.spare = ["date"]


def _draw(draft: Draft) -> None:
    """Whole numbers a > b > 1 with b a divisor of a, c, d; a fraction f of w."""
    b = draft.between(2, 12)
    draft.count("b", b)
    draft.count("a", b * draft.between(2, 20))
    draft.count("c", draft.between(2, 12))
    draft.count("d", draft.between(2, 9))
    draft.slots.setdefault("t", Thing("number", "numbers"))
    fraction(draft, "f", "n")
    draft.count("two", 2, draft.pick(("twice", "double")))
    draft.count("half", Fraction(1, 2), "half")


def _state(draft: Draft, text: str, gold: Gold) -> None:
    """The whole text as it stands."""
    draft.facts = [Fact(text)]
    draft.layout = "bare"
    draft.gold = gold

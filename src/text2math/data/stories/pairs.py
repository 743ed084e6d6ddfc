"""Minimal pairs: the same story with another question, or the same question with one word changed.

>>> import random
>>> one, two = pair(random.Random(4))
>>> one.gold != two.gold
True
"""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass

from text2math.data.stories import parcels, situations, stock, tally, worlds
from text2math.data.stories.grammar import plural
from text2math.data.stories.telling import tell
from text2math.data.stories.world import Draft, Fact, Family, Gold, Scene, Thing, kinds_of, scenes

_TELLERS: tuple[tuple[Family, float], ...] = (
    *worlds.WORLDS, *situations.SITUATIONS, *((family, 1.0) for family in (tally.tally, stock.stock, parcels.parcels, parcels.deals) for _ in range(4)),
)  # fmt: skip
_LAYOUTS = ("plain", "plain", "plain", "joined", "notes", "semicolon")


def pair(rng: random.Random) -> tuple[Draft, Draft]:
    """Two told drafts that differ as little as can be and whose mathematics differ."""
    return _questions(rng) if rng.random() < 0.55 else _words(rng)


def _start(rng: random.Random) -> Draft:
    draft = Draft(rng)
    draft.style = draft.pick(("digits",) * 8 + ("words", "mixed"))
    return draft


def _questions(rng: random.Random) -> tuple[Draft, Draft]:
    """One world, two questions."""
    while True:
        draft = _start(rng)
        family, _ = draft.pick(_TELLERS)
        family(draft)
        by_gold = {gold: questions for questions, gold in draft.choices}
        if len(by_gold) > 1:
            break
    draft.layout = draft.pick(_LAYOUTS)
    draft.movable = False
    chosen = rng.sample(list(by_gold.items()), 2)
    twins = tuple(copy.deepcopy(draft) for _ in chosen)
    for twin, (gold, questions) in zip(twins, chosen, strict=True):
        twin.asks(questions)
        twin.gold = gold
        tell(twin)
    return twins[0], twins[1]


@dataclass(frozen=True, slots=True)
class Twist:
    """Facts in which ``<this|that>`` marks the word that changes, the gold with either, and the question."""

    facts: tuple[str, ...]
    golds: tuple[Gold, Gold]
    questions: tuple[str, ...]
    kind: str


_HAVE = (
    "how many {t} / {do p} have / {p} has / [now|in all|altogether|]",
    "how many {t} / did {p} have / {p} had / [in the end|then|]",
)
_PLUS_MINUS: tuple[Gold, Gold] = (("+", "a", "b"), ("-", "a", "b"))
_MINUS_PLUS: tuple[Gold, Gold] = (("-", "a", "b"), ("+", "a", "b"))

_TWISTS: tuple[Twist, ...] = (
    Twist(("{q} has {A}", "{p} has {b} <more|fewer> {t} than {q}"), _PLUS_MINUS, _HAVE[:1], "compare"),
    Twist(
        ("{p} has {A}", "{p~} has {b} <more|fewer> {t} than {q}"),
        _MINUS_PLUS,
        ("how many {t} / {do q} have / {q} has / [in all|altogether|]",),
        "compare",
    ),
    Twist(("{p} had {A}", "{p~} <found|lost> {b} {t@b}"), _PLUS_MINUS, _HAVE, "change"),
    Twist(("{p} had {A}", "{p~} <bought|sold> {b} {t@b}"), _PLUS_MINUS, _HAVE, "change"),
    Twist(("{p} had {A}", "{q} <gave|took> {b} of them <to|from> {p}"), _PLUS_MINUS, _HAVE, "change"),
    Twist(
        ("{p} <found|lost> {b} {t@b} [today|this week|]", "now {p~} has {A}"),
        _MINUS_PLUS,
        ("how many {t} / did {p} have / {p} had / [before|at first|to start with]",),
        "change",
    ),
    Twist(
        ("{q} has {A}", "{p} has {b} <times as many|more> {t}"),
        (("*", "a", "b"), ("+", "a", "b")),
        _HAVE[:1],
        "scaling",
    ),
    Twist(
        ("{p} has {A}", "that is {b} <times as many as|fewer than> {q} has"),
        (("/", "a", "b"), ("+", "a", "b")),
        ("how many {t} / {do q} have / {q} has / [in all|]",),
        "scaling",
    ),
    Twist(
        ("there were {A} {spot}", "{p} <added|removed> {b} {t@b}"),
        _PLUS_MINUS,
        ("how many {t} are {spot} [now|in all|] / / /",),
        "change",
    ),
    Twist(
        ("{p} paid {a} dollars for <each|all> of the {b} {t}",),
        (("*", "a", "b"), ("/", "a", "b")),
        ("how much [money|] / did <the {t}|each {t.one}> cost / <the {t}|each {t.one}> cost /",),
        "price",
    ),
    Twist(
        ("{p} has {b} {box@b} with {A} in <each|all>",),
        (("*", "b", "a"), ("/", "a", "b")),
        ("how many {t} are there <altogether|in each {box.one}> / / /",),
        "groups",
    ),
    Twist(
        ("{q} is {a} years old", "{p} is {b} years <older|younger> than {q}"),
        _PLUS_MINUS,
        ("how old is {p} / / /", "what is {p.s} age / / /"),
        "compare",
    ),
    Twist(
        ("the first rope is {a} feet long", "the second one is {b} feet <longer|shorter>"),
        _PLUS_MINUS,
        ("how long is the second rope / / /",),
        "compare",
    ),
    Twist(
        ("{p} walked {a} blocks", "{q} walked {b} blocks <farther|less>"),
        _PLUS_MINUS,
        ("how many blocks / did {q} walk / {q} walked / [in all|]",),
        "compare",
    ),
    Twist(
        ("{an}{t.one} used to cost {a} dollars", "the price went <up|down> by {b} dollars"),
        _PLUS_MINUS,
        ("how much / does it cost / it costs / now",),
        "money",
    ),
    Twist(
        ("{p} has {a} {k@a}", "{p~} has {b} <more|fewer> {j} than {k}"),
        _PLUS_MINUS,
        ("how many {j} / {do p} have / {p} has /",),
        "compare",
    ),
    Twist(
        ("{p} earned {a} dollars", "{q} earned {b} <times as much|dollars more>"),
        (("*", "a", "b"), ("+", "a", "b")),
        ("how much [money|] / did {q} earn / {q} earned / [in all|]",),
        "money",
    ),
)


def _words(rng: random.Random) -> tuple[Draft, Draft]:
    """One story, one word changed."""
    draft = _start(rng)
    twist = draft.pick(_TWISTS)
    scene: Scene = draft.pick(scenes())
    draft.set(t=draft.pick(scene.things), spot=draft.pick(scene.spot))
    box = draft.pick(scene.box)
    first, second = kinds_of(draft, scene, 2)
    draft.set(box=Thing(box, plural(box)), k=first, j=second)
    draft.person("p", roles=False)
    draft.person("q", roles=False)
    b = draft.between(2, 12)
    a = b * draft.between(2, 12)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.layout = draft.pick(("plain", "plain", "if_last", "joined", "last_if"))
    draft.kind = twist.kind
    question = draft.pick(twist.questions)
    twins = (copy.deepcopy(draft), copy.deepcopy(draft))
    for side, twin in enumerate(twins):
        twin.facts = [Fact(_side(text, side)) for text in twist.facts]
        twin.asks((_side(question, side),))
        twin.gold = twist.golds[side]
        tell(twin)
    return twins


def _side(text: str, side: int) -> str:
    """The text with every ``<this|that>`` decided."""
    while "<" in text:
        before, _, rest = text.partition("<")
        options, _, after = rest.partition(">")
        text = before + options.split("|")[side] + after
    return text

"""Problems of two unknowns that need a system of equations, with whole solutions, the same for the same seed.

>>> story = next(two_unknowns(1, seed=1))
>>> from text2math.mathematics.algebra import solve
>>> len(solve(story.expression))
2
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from text2math.data.stories.names import BOYS, GIRLS
from text2math.data.stories.retelling import Story
from text2math.language.attachment import UnmappableError, attach
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix

KIND = "system"


@dataclass(frozen=True, slots=True)
class _Puzzle:
    """A text and its equations, over the solution x and y, two coefficients a and b, and what follows."""

    text: str
    equations: str
    first: str  # what X1 is called
    second: str
    x: tuple[int, int]
    y: tuple[int, int]
    a: tuple[int, int] = (2, 3)  # never as large as b, else there would be no single solution
    b: tuple[int, int] = (4, 9)


_PUZZLES = (
    _Puzzle("The sum of two numbers is {x+y}. The first number is {x-y} larger than the second number. What are the numbers?",
            "X1 + X2 = {x+y}; X1 - X2 = {x-y}", "the first number", "the second number", (20, 60), (3, 19)),
    _Puzzle("Tickets for the school play cost ${a} for children and ${b} for adults. {x+y} tickets were sold for ${ax+by}. "
            "How many children and how many adults came?",
            "{a} * X1 + {b} * X2 = {ax+by}; X1 + X2 = {x+y}", "children", "adults", (30, 90), (20, 70), (2, 4), (5, 9)),
    _Puzzle("{girl} and {boy} have {x+y} stickers together. {girl} has {x-y} more than {boy}. How many stickers does each have?",
            "X1 + X2 = {x+y}; X1 = X2 + {x-y}", "{girl}", "{boy}", (20, 45), (5, 19)),
    _Puzzle("A farmer keeps hens and goats, {x+y} animals in all. Together they have {ax+by} legs: {a} on each hen and {b} on "
            "each goat. How many hens and how many goats are there?",
            "X1 + X2 = {x+y}; {a} * X1 + {b} * X2 = {ax+by}", "hens", "goats", (10, 40), (5, 25), (2, 2), (4, 4)),
    _Puzzle("{boy} is {x-y} years older than {girl}. The sum of their ages is {x+y}. How old are they?",
            "X1 = X2 + {x-y}; X1 + X2 = {x+y}", "{boy}", "{girl}", (14, 40), (4, 13)),
    _Puzzle("A stall sells apples at {a} cents and pears at {b} cents. {girl} buys {x+y} pieces of fruit for {ax+by} cents. "
            "How many apples and how many pears does she buy?",
            "X1 + X2 = {x+y}; {a} * X1 + {b} * X2 = {ax+by}", "apples", "pears", (3, 12), (2, 9), (20, 40), (45, 70)),
    _Puzzle("The length of a rectangle is {x-y} cm more than the width. Half of its perimeter is {x+y} cm. How long and how wide is it?",
            "X1 = X2 + {x-y}; X1 + X2 = {x+y}", "the length", "the width", (15, 40), (4, 14)),
    _Puzzle("In a quiz, an easy question counts {a} points and a hard one {b} points. {boy} answers {x+y} questions and gets "
            "{ax+by} points. How many easy and how many hard questions does he answer?",
            "X1 + X2 = {x+y}; {a} * X1 + {b} * X2 = {ax+by}", "easy", "hard questions", (5, 20), (3, 12), (2, 3), (4, 9)),
)  # fmt: skip


def two_unknowns(count: int, seed: int = 0) -> Iterator[Story]:
    """Problems of two unknowns, without repetition of a text."""
    rng, told = random.Random(f"systems/{seed}"), set[str]()
    while len(told) < count:
        story = _story(rng.choice(_PUZZLES), rng, f"systems-{seed}-{len(told)}")
        if story.text not in told:
            told.add(story.text)
            yield story


def _story(puzzle: _Puzzle, rng: random.Random, id: str) -> Story:
    x, y, a, b = (rng.randint(*bounds) for bounds in (puzzle.x, puzzle.y, puzzle.a, puzzle.b))
    numbers = {"{x+y}": x + y, "{x-y}": x - y, "{ax+by}": a * x + b * y, "{a}": a, "{b}": b}
    names = {"{girl}": rng.choice(GIRLS), "{boy}": rng.choice(BOYS)}
    values = {mark: str(number) for mark, number in numbers.items()} | names
    text, expression = _filled(puzzle.text, values), from_infix(_filled(puzzle.equations, values))
    with suppress(UnmappableError):  # a text may have the same number twice
        expression = attach(expression, [quantity.value for quantity in read_problem(text).quantities])
    called = {"X1": _filled(puzzle.first, values), "X2": _filled(puzzle.second, values)}
    return Story(id, text, expression, None, KIND, 2, "hard", 0, tuple(_grounded(text, called)))


def _filled(text: str, values: Mapping[str, str]) -> str:
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _grounded(text: str, called: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Where each unknown's words first stand, if they do."""
    for name, words in called.items():
        start = text.lower().find(words.lower())
        if start >= 0:
            yield name, start, start + len(words)

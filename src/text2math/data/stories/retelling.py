"""Exercises retold: with names, choices of words and numbers drawn anew, as problems that carry their
mathematics.

>>> from text2math.data.stories.sheets import read
>>> text = "@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b"
>>> (exercise,) = read(text, "wires")
>>> told = retell(exercise, exercise.questions[0], random.Random(1))
>>> told.text
'6 birds sit on a wire. Five fly off. How many are left?'
>>> story = as_story(told, "birds")
>>> story.answer, story.steps, story.kind
(Fraction(1, 1), 1, 'change')
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from text2math.data.stories.names import BOYS, GIRLS
from text2math.data.stories.public import is_reserved
from text2math.data.stories.sheets import MARK, UNKNOWNS, Exercise, Question, fits, with_values
from text2math.language.attachment import crossings
from text2math.language.framing import problem_quantities
from text2math.language.problem import Example, read_problem
from text2math.mathematics.algebra import answer_of
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operator,
    Variable,
    is_equation,
    numbers,
    operators,
    variables,
)
from text2math.mathematics.regrouping import equivalent_trees
from text2math.mathematics.rewriting import renamed

DIFFICULTIES = ("easy", "medium", "hard")
SOURCE = "stories"  # where examples say they are from
TRIES = 60  # to draw numbers that fit an exercise
OWN_NAME = 0.25  # how often a person keeps the name that the sheet gives
MAX_TREES = 500  # equivalent ones that are searched for one that does not cross
_NAMES = {"f": GIRLS, "m": BOYS}


@dataclass(frozen=True, slots=True)
class Story:
    """A problem: the text, the mathematics over its quantities, and what kind of problem it is."""

    id: str
    text: str
    expression: Expression
    answer: Fraction | None
    kind: str
    steps: int
    difficulty: str
    distractors: int
    groundings: tuple[tuple[str, int, int], ...] = ()
    pair: str = ""

    def example(self) -> Example:
        """The story as an example: the text read, with tokens and parts of speech."""
        metadata = (
            ("kind", self.kind),
            ("steps", str(self.steps)),
            ("difficulty", self.difficulty),
            ("pair", self.pair),
        )
        problem = read_problem(self.text, id=self.id)
        return Example(problem, self.expression, self.answer, self.groundings, SOURCE, metadata)


class Place(NamedTuple):
    """Where one of an exercise's numbers is in a text."""

    number: int
    start: int
    end: int


class Phrase(NamedTuple):
    """The words that stand for an unknown."""

    variable: Variable
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Retelling:
    """An exercise retold with one of its questions. The expression's numbers point at the exercise's."""

    kind: str
    text: str
    expression: Expression
    values: tuple[Fraction, ...]
    places: tuple[Place, ...]
    phrases: tuple[Phrase, ...]


def retell(exercise: Exercise, question: Question, rng: random.Random) -> Retelling:
    """An exercise with a question, with numbers, names and choices drawn anew."""
    values = draw(exercise, rng)
    marked = f"{exercise.story} {rng.choice(question.wordings)}".strip()
    teller = _Teller(exercise, values, rng, {name for _, _, name, *_ in MARK.findall(marked) if name})
    teller.tell(marked)
    expression = with_values(question.expression, [Number(value, at) for at, value in enumerate(values)])
    return Retelling(
        exercise.kind, teller.text, expression, values, tuple(teller.places), tuple(teller.phrases)
    )


def draw(exercise: Exercise, rng: random.Random) -> tuple[Fraction, ...]:
    """Numbers for an exercise; its own ones if none of those drawn will do."""
    for _ in range(TRIES):
        values = tuple(number.again(rng) for number in exercise.numbers)
        if fits(exercise, values):
            return values
    return tuple(number.value for number in exercise.numbers)


@dataclass(slots=True)
class _Teller:
    """Replaces the marks of an exercise's text, and notes where its numbers and unknowns come to be."""

    exercise: Exercise
    values: Sequence[Fraction]
    rng: random.Random
    own_names: Collection[str]
    text: str = ""
    names: dict[str, str] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    opened: tuple[str, int] = ("", 0)  # the unknowns whose phrase has begun, and where

    def tell(self, marked: str) -> None:
        """Write a text out."""
        at = 0
        for mark in MARK.finditer(marked):
            self.text += marked[at : mark.start()]
            at = mark.end()
            letter, number, name, gender, choice, options, again, unknowns, closed = mark.groups()
            if letter:
                self._number(letter, number)
            elif name:
                self.text += self._name(name, gender)
            elif unknowns:
                self.opened = unknowns, len(self.text)
            elif closed:
                self._close()
            else:
                self.text += self.choices.setdefault(
                    choice or again, self.rng.choice((options or again).split("|"))
                )
        self.text += marked[at:]

    def _number(self, letter: str, as_written: str) -> None:
        index, start = self.exercise.letters.index(letter), len(self.text)
        # As it is written here: at the beginning of a sentence a word is capitalised.
        own = replace(self.exercise.numbers[index], text=as_written)
        self.text += own.written(self.values[index])
        self.places.append(Place(index, start, len(self.text)))

    def _name(self, name: str, gender: str | None) -> str:
        """Another name of the same gender that nobody in the exercise has."""
        if name not in self.names:
            self.names[name] = name
            if gender is not None and self.rng.random() >= OWN_NAME:
                taken = {*self.own_names, *self.names.values()}
                self.names[name] = self.rng.choice([one for one in _NAMES[gender] if one not in taken])
        return self.names[name]

    def _close(self) -> None:
        """A closing bracket: of an unknown's phrase, or one of the text."""
        unknowns, start = self.opened
        self.phrases += [Phrase(UNKNOWNS[name], start, len(self.text)) for name in unknowns]
        self.opened = ("", 0)
        if not unknowns:
            self.text += ")"


def as_story(told: Retelling, id: str, pair: str = "") -> Story | None:
    """A retelling as a problem; None if it is implausible, or every tree of it crosses in the text."""
    expression = _anchored(told)
    if expression is None or is_reserved(told.text):
        return None
    answer = answer_of(expression)
    if not is_equation(expression) and not _plausible(expression, answer):
        return None
    expression, groundings = _grounded(expression, told.phrases)
    spare = len(told.places) - sum(1 for _ in numbers(expression))
    steps = sum(operator is not Operator.EQU for operator in operators(expression))
    difficulty = _difficulty(expression, steps, spare)
    return Story(id, told.text, expression, answer, told.kind, steps, difficulty, spare, groundings, pair)


def _anchored(told: Retelling) -> Expression | None:
    """The expression over the quantities of the text, as a tree that does not cross there if it has one."""
    quantities = problem_quantities(told.text)
    found: dict[int, Number] = {}
    for number, start, end in told.places:
        for index, quantity in enumerate(quantities):
            if quantity.start < end and start < quantity.end and quantity.value == told.values[number]:
                found[number] = Number(quantity.value, index)
                break
    used = {number.quantity for number in numbers(told.expression)}
    if not used <= found.keys() or len({number.quantity for number in found.values()}) < len(found):
        return None
    placed = [found.get(index, Number(value)) for index, value in enumerate(told.values)]
    return _uncrossed(with_values(told.expression, placed))


def _uncrossed(expression: Expression) -> Expression | None:
    """The expression, or an equivalent tree that does not cross in the text and keeps most of its order."""
    if not crossings(expression):
        return expression
    trees = (tree for tree in equivalent_trees(expression, limit=MAX_TREES) if not crossings(tree))
    return min(trees, key=_disorder, default=None)


def _disorder(expression: Expression) -> int:
    """How many numbers follow one that is later in the text."""
    order = [number.quantity or 0 for number in numbers(expression)]
    return sum(one > two for one, two in pairwise(order))


def _plausible(expression: Expression, answer: Fraction | None) -> bool:
    """Whether an answer is positive, and whole where all the numbers are."""
    if answer is None or not 0 < answer < 10**8:
        return False
    whole = all(number.value.denominator == 1 for number in numbers(expression))
    return answer.denominator == 1 if whole else answer.denominator <= 1000


def _difficulty(expression: Expression, steps: int, spare: int) -> str:
    values = [number.value for number in numbers(expression)]
    points = 2 * (steps - 1) + spare
    points += any(value.denominator > 1 for value in values) + any(value >= 100 for value in values)
    return DIFFICULTIES[max(0, min(2, (points + 1) // 2))]


def _grounded(
    expression: Expression, phrases: Sequence[Phrase]
) -> tuple[Expression, tuple[tuple[str, int, int], ...]]:
    """The unknowns numbered by first mention, and the phrase each stands for."""
    used = variables(expression)
    ordered = sorted((one for one in phrases if one.variable in used), key=lambda one: one[1:])
    names = {one.variable.index: number for number, one in enumerate(ordered, start=1)}
    groundings = tuple((f"X{number}", one.start, one.end) for number, one in enumerate(ordered, start=1))
    return renamed(expression, names), groundings

"""Exercises retold with random names, choices of words and numbers.

>>> from text2math.data.stories.sheets import read
>>> text = "@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b"
>>> (exercise,) = read(text, "wires")
>>> retell(exercise, exercise.questions[0], random.Random(1)).text
'6 birds sit on a wire. Five fly off. How many are left?'
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from text2math.data.stories.drawing import draw
from text2math.data.stories.exercise import MARK, UNKNOWNS, Exercise, Question, with_values
from text2math.data.stories.names import BOYS, GIRLS
from text2math.mathematics.expression import Expression, Number, Variable

OWN_NAME = 0.25  # how often a person keeps the name that the sheet gives
_NAMES = {"f": GIRLS, "m": BOYS}


class Place(NamedTuple):
    """The span of one of an exercise's numbers in a text."""

    number: int
    start: int
    end: int


class Phrase(NamedTuple):
    """The span of an unknown's phrase in a text."""

    variable: Variable
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Retelling:
    """An exercise retold with one of its questions; the numbers of its expression are the exercise's."""

    kind: str
    text: str
    expression: Expression | None
    asked: tuple[Expression, ...]
    values: tuple[Fraction, ...]
    places: tuple[Place, ...]
    phrases: tuple[Phrase, ...]
    plain: bool
    times: bool  # whether it uses times of day


def retell(exercise: Exercise, question: Question, rng: random.Random) -> Retelling:
    """An exercise with a question and random numbers, names and choices."""
    values = draw(exercise, rng)
    return tell(exercise, question, rng.choice(question.wordings), values, rng)


def tell(
    exercise: Exercise, question: Question, wording: str, values: Sequence[Fraction], rng: random.Random
) -> Retelling:
    """An exercise with a question in one of its wordings and these numbers; names and choices are random."""
    marked = f"{exercise.story} {wording}".strip()
    teller = _Teller(exercise, values, rng, {name for _, _, name, *_ in MARK.findall(marked) if name})
    teller.tell(marked)
    drawn = [Number(value, at) for at, value in enumerate(values)]
    return Retelling(
        exercise.kind,
        teller.text,
        None if question.expression is None else with_values(question.expression, drawn),
        tuple(with_values(one, drawn) for one in question.asked),
        tuple(values),
        tuple(teller.places),
        tuple(teller.phrases),
        question.plain,
        not question.plain and any(exercise.numbers[at].is_time for at in question.used),
    )


@dataclass(slots=True)
class _Teller:
    """Replaces the marks of an exercise's text, and records where its numbers and unknowns are."""

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
        # As it is written here: words are capitalised at the beginning of a sentence.
        own = replace(self.exercise.numbers[index], text=as_written)
        self.text += own.written(self.values[index])
        self.places.append(Place(index, start, len(self.text)))

    def _name(self, name: str, gender: str | None) -> str:
        """Another name of the same gender that is not in the exercise."""
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

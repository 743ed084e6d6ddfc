"""Consecutive numbers: the statements that the word implies, which no tree has to find in the text.

"Three consecutive odd integers" are X1, X2 and X3 with X1 + 2 = X2 and X2 + 2 = X3. A tree covers what the
sentence goes on to say of them ("the sum of the first and the third is 84"); the statements complete it.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix, to_infix
>>> text = "Find three consecutive odd integers such that the sum of the first and the third is 86."
>>> problem = read_problem(text, knowledge=True)
>>> to_infix(completed(from_infix("X1 + X3 = 86"), problem))
'X1 + 2 = X2; X2 + 2 = X3; X1 + X3 = 86'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from text2math.language.problem import Problem, once_a_problem
from text2math.language.quantity import Source
from text2math.language.tokens import Token
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    has_unknowns,
    sort_of,
    system,
    variables,
)
from text2math.mathematics.grammar import MAX_EQUATIONS, MAX_UNKNOWNS, Sort

MOST = 12
"""The longest run of consecutive numbers that is read as one."""

_WORDS = frozenset(("consecutive", "successive"))
_BETWEEN = frozenset(("even", "odd", "positive", "negative", "whole", "natural", "different", "such"))
# What follows one another without being a number.
_NO_NUMBERS = frozenset(
    (
        *("second", "minute", "hour", "day", "night", "morning", "evening", "week", "weekend", "month"),
        *("year", "season", "time", "game", "match", "win", "loss", "race", "round", "meeting", "session"),
        *("lesson", "shift", "term", "vertex", "angle", "side", "square", "prime"),
    )
)


@dataclass(frozen=True, slots=True)
class ConsecutiveNumbers:
    """A run of numbers: the step from each to the next, and how many there are, if the text says so."""

    step: Number
    count: int | None = None

    def unknowns(self, expressions: Iterable[Expression]) -> int:
        """How many unknowns there are: those that occur, and as many of the run's numbers as can be named."""
        used = max(one.index for expression in expressions for one in variables(expression))
        return max(used, min(self.count or 1, MAX_UNKNOWNS))

    def unknown(self, place: int) -> Expression:
        """The number in this place, counted from 0: an unknown, or the last unknown plus some steps."""
        if place < MAX_UNKNOWNS:
            return Variable(place + 1)
        found: Expression = Variable(MAX_UNKNOWNS)
        for _ in range(place + 1 - MAX_UNKNOWNS):
            found = Operation(Operator.ADD, found, self.step)
        return found

    def all(self, unknowns: int) -> tuple[Expression, ...]:
        """Every number of the run; as many as there are unknowns if the text does not say how many."""
        return tuple(map(self.unknown, range(max(self.count or 0, unknowns))))

    def statements(self, unknowns: int) -> tuple[Operation, ...]:
        """What the word implies: X1 + 2 = X2, and so on."""
        names = (Variable(index) for index in range(1, unknowns + 1))
        return tuple(
            Operation(Operator.EQU, Operation(Operator.ADD, one, self.step), other)
            for one, other in pairwise(names)
        )


def mentions_consecutive(text: str) -> bool:
    """Whether a text may be about consecutive numbers."""
    return any(word in text.lower() for word in _WORDS)


@once_a_problem
def consecutive_numbers(problem: Problem) -> ConsecutiveNumbers | None:
    """The consecutive numbers of a text, if it is about such and was read with knowledge."""
    if not problem.implied:
        return None
    at = next((i for i, token in enumerate(problem.tokens) if token.text.lower() in _WORDS), None)
    if at is None or _are_no_numbers(problem.tokens[at + 1 : at + 4]):
        return None
    step = _multiples(problem, at) or _known_step(problem, at)
    return None if step is None else ConsecutiveNumbers(step, _count(problem, at))


def _known_step(problem: Problem, at: int) -> Number | None:
    """The step of the numbers; that of even and odd ones is known besides the 1 of all numbers."""
    known = [
        Number(quantity.value, k)
        for k, quantity in enumerate(problem.all_quantities)
        if quantity.source is Source.KNOWN and quantity.first_token == at and quantity.value in (1, 2)
    ]
    return max(known, key=lambda one: one.value, default=None)


def _multiples(problem: Problem, at: int) -> Number | None:
    """The number that "consecutive multiples of 7" are multiples of."""
    words = [token.text.lower() for token in problem.tokens[at + 1 : at + 4]]
    if words[-2:] != ["multiples", "of"] and words[:2] != ["multiples", "of"]:
        return None
    after = at + 1 + words.index("of") + 1
    found = ((k, one) for k, one in enumerate(problem.quantities) if one.first_token == after)
    return next(
        (Number(one.value, k) for k, one in found if one.value > 0 and one.value.denominator == 1), None
    )


def _are_no_numbers(after: tuple[Token, ...]) -> bool:
    """Whether the words after "consecutive" name days or games; the first noun counts."""
    nouns = (token for token in after if token.text.lower() not in _BETWEEN)
    first = next(nouns, None)
    return first is not None and first.lemma.lower() in _NO_NUMBERS


def _count(problem: Problem, at: int) -> int | None:
    """The number written before the word, perhaps with adjectives between: "three positive consecutive"."""
    while at and problem.tokens[at - 1].text.lower() in _BETWEEN:
        at -= 1
    counts = (quantity.value for quantity in problem.quantities if quantity.last_token == at)
    return next((int(count) for count in counts if count.denominator == 1 and 2 <= count <= MOST), None)


def completed(mathematics: Expression, problem: Problem) -> Expression:
    """Mathematics with the statements that "consecutive" implies, if it does not determine its unknowns.

    Whatever else is read of other texts, and expressions without unknowns, stays as it is.
    """
    if sort_of(mathematics) is Sort.VALUE or not has_unknowns(mathematics):
        return mathematics
    run = consecutive_numbers(problem)
    if run is None:
        return mathematics
    unknowns = run.unknowns([mathematics])
    stated, implied = equations(mathematics), run.statements(unknowns)
    if len(stated) >= unknowns or len(stated) + len(implied) > MAX_EQUATIONS:
        return mathematics
    return system((*implied, *stated))


def as_stated(mathematics: Expression, problem: Problem) -> Expression:
    """The opposite of ``completed``: what the words state, without what "consecutive" implies.

    >>> from text2math.language.problem import read_problem
    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> problem = read_problem("The sum of two consecutive integers is 7. Find them.", knowledge=True)
    >>> to_infix(as_stated(completed(from_infix("X1 + X2 = 7"), problem), problem))
    'X1 + X2 = 7'
    """
    run = consecutive_numbers(problem)
    if run is None:
        return mathematics
    found = equations(mathematics)
    implied = run.statements(len(variables(mathematics)))
    left = len(found) - len(implied)
    return system(found[-left:]) if implied and left > 0 and found[: len(implied)] == implied else mathematics

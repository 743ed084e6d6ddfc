"""Gold of problems about consecutive numbers, in the unknowns X1, X2 and X3 that the word stands for.

Data sets write ``x + (x + 2) + (x + 4) = 69``, ``(n - 2) + n + (n + 2) = 69`` or three unknowns with two more
equations. All of them become ``X1 + X2 + X3 = 69``; the rest is implied (``language.consecutive``).

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix, to_infix
>>> problem = read_problem("The sum of three consecutive odd integers is 69. Find them.", knowledge=True)
>>> found = in_consecutive_unknowns([from_infix("(X1 - 2) + X1 + (X1 + 2) = 69")], problem)
>>> [to_infix(equation) for equation in found.stated], to_infix(found.expressed(from_infix("X1 + 2")))
(['X1 + X2 + X3 = 69'], 'X3')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from text2math.data.rewriting import SUM, Signed, joined, operands_of
from text2math.language.consecutive import MOST, ConsecutiveNumbers, consecutive_numbers
from text2math.language.problem import Problem
from text2math.mathematics.algebra import solution
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    leaves,
    system,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.notation import to_infix
from text2math.mathematics.rational import NotAlgebraicError, TooLargeError, rational_function
from text2math.mathematics.rewriting import renamed
from text2math.mathematics.systems import row_of, total_degree

_PLACE = 1000  # added to the place of a consecutive number while its unknown is not chosen yet
_DOUBLED = 100  # added to the index of an unknown that means twice another


@dataclass(frozen=True, slots=True)
class InConsecutiveUnknowns:
    """What the words state of consecutive numbers, and what these imply."""

    stated: tuple[Operation, ...]
    implied: tuple[Operation, ...]
    _places: _Places
    _named: _Named

    def expressed(self, expression: Expression) -> Expression:
        """An expression over the unknowns of the equations given, in the new ones."""
        return self._named(self._places(expression))

    @property
    def keeps_names(self) -> bool:
        """Whether each unknown is called as in the equations given."""
        return all(self.expressed(one) == one for one in map(Variable, self._places.of_unknowns))


def in_consecutive_unknowns(
    trees: Sequence[Expression],
    problem: Problem,
    answers: Sequence[Fraction] = (),
    asked: Sequence[Expression] = (),
) -> InConsecutiveUnknowns | None:
    """Equations over X1, X2 and X3; None if the text or the equations are not about consecutive numbers.

    Which unknown of the equations is the first of the numbers is found with the answers, if there are any.
    What is ``asked`` may have unknowns of which nothing is stated.
    """
    run = consecutive_numbers(problem)
    if run is None:
        return None
    trees, halved = _without_halves(_without_parity(trees))
    places = _Places.of(trees, run, halved=halved)
    if places is None:
        return None
    unknowns = max(places.of_unknowns)
    implied = run.statements(unknowns) if unknowns <= MAX_UNKNOWNS else ()
    if implied and [to_infix(one) for one in trees[: len(implied)]] == [to_infix(one) for one in implied]:
        stated = tuple(one for one in trees[len(implied) :] if isinstance(one, Operation))
        return InConsecutiveUnknowns(stated, implied, places, _Named(run, 0)) if stated else None
    left = [places(tree) for tree in trees if _difference(tree, run) is None]
    occurring = sorted({one.index - _PLACE for tree in left for one in variables(tree)})
    points = _values(trees, Variable(places.base))
    for first in _firsts(occurring, run):
        named = _Named(run, first)
        stated = tuple(one for one in map(named, left) if isinstance(one, Operation))
        wanted = [named(places(one)) for one in asked if variables(one)]
        implied = run.statements(run.unknowns([*stated, *wanted]))
        firsts = {value + first for value in points}
        if points and firsts == _values([*implied, *stated], Variable(1)) and _fit(answers, firsts, run):
            return InConsecutiveUnknowns(stated, implied, places, named)
    return None


def _values(trees: Sequence[Expression], unknown: Variable) -> set[Fraction]:
    """The values of an unknown in the solutions of some equations; empty if they are not determined."""
    found = solution(system(one for one in trees if isinstance(one, Operation)))
    if unknown not in found.unknowns:
        return set()
    at = found.unknowns.index(unknown)
    return {point[at] for point in found.points}


def _fit(answers: Sequence[Fraction], firsts: set[Fraction], run: ConsecutiveNumbers) -> bool:
    """Whether the answers are the numbers of the run; fewer of them say nothing about which is the first."""
    return len(answers) != run.count or min(answers) in firsts


def _firsts(occurring: Sequence[int], run: ConsecutiveNumbers) -> Iterator[int]:
    """The places that may be the first number's: the unknown itself, the least that occurs, then others."""
    step = int(run.step.value)
    if not occurring or any((place - occurring[0]) % step for place in occurring):
        return
    length = (run.count - 1) * step if run.count else occurring[-1] - occurring[0]
    possible = range(occurring[0], occurring[-1] - length - 1, -step)
    if 0 in possible:
        yield 0
    yield from (place for place in possible if place != 0)


# Places: how far a number is from an unknown of the equations -----------------------------------------------


@dataclass(frozen=True, slots=True)
class _Places:
    """Puts places for ``x``, ``x + 2`` and for unknowns that equations such as y = x + 2 place."""

    run: ConsecutiveNumbers
    of_unknowns: Mapping[int, int]
    base: int
    halved: bool  # an unknown is twice that of the equations, so that 2k + 1 may be any odd number

    @classmethod
    def of(cls, trees: Sequence[Expression], run: ConsecutiveNumbers, *, halved: bool) -> _Places | None:
        """None if an unknown is not placed."""
        unknowns = sorted({unknown.index for tree in trees for unknown in variables(tree)})
        if not unknowns:
            return None
        differences = [found for tree in trees if (found := _difference(tree, run)) is not None]
        places = {unknowns[0]: 0}
        for _ in unknowns:
            for one, other, distance in differences:
                if one in places:
                    places.setdefault(other, places[one] + distance)
                elif other in places:
                    places[one] = places[other] - distance
        return cls(run, places, unknowns[0], halved) if len(places) == len(unknowns) else None

    def __call__(self, expression: Expression) -> Expression:
        match expression:
            case Variable(index):
                return Variable(_PLACE + self.of_unknowns[index])
            case Operation(Operator.ADD | Operator.SUB):
                terms = [(sign, self(term)) for sign, term in operands_of(expression, SUM)]
                return joined(SUM, self._with_distances(terms))
            case Operation(operator, left, right):
                return Operation(operator, self(left), self(right))
            case _:
                return expression

    def _with_distances(self, terms: Sequence[Signed]) -> list[Signed]:
        """The terms of a sum, each constant that follows an unknown, or else precedes it, as part of it."""
        left = list(terms)
        for after in (1, -1):
            at = 0
            while at < len(left):
                sign, term = left[at]
                beside = at + after
                if isinstance(term, Variable) and 0 <= beside < len(left):
                    distance = self._distance(left[beside], sign)
                    if distance:
                        left[at] = (sign, Variable(term.index + distance))
                        del left[beside]
                        at -= beside < at
                at += 1
        return left

    def _distance(self, term: Signed, sign: bool) -> int:
        """How far a constant leads, if it is no number of the text; else 0."""
        step = self.run.step
        match term:
            case other, Number(value, quantity) if quantity is None or quantity == step.quantity:
                whole = value.denominator == 1 and (self.halved or value % step.value == 0)
                if whole and abs(value) <= (self.run.count or MOST) * step.value:
                    return int(value if sign == other else -value)
        return 0


def _difference(tree: Expression, run: ConsecutiveNumbers) -> tuple[int, int, int] | None:
    """For an equation that says by how many steps two unknowns differ: both, and the difference."""
    unknowns = variables(tree)
    if len(unknowns) != 2 or any(
        isinstance(leaf, Number) and leaf.quantity not in (None, run.step.quantity) for leaf in leaves(tree)
    ):
        return None
    one, other, constant = _linear(tree) or (0, 0, 0)
    difference = Fraction(-constant, other) if other else Fraction(0)
    if one != -other or not difference or difference % run.step.value:
        return None
    near = abs(difference) < (run.count or MOST) * run.step.value
    return (unknowns[0].index, unknowns[1].index, int(difference)) if near else None


def _linear(tree: Expression) -> tuple[int, ...] | None:
    """The coefficients of the unknowns of a linear equation, then its constant."""
    unknowns = variables(tree)
    try:
        function = rational_function(tree, unknowns)
    except (TooLargeError, NotAlgebraicError):
        return None
    return row_of(function.top, len(unknowns)) if function and total_degree(function.top) == 1 else None


def _without_parity(trees: Sequence[Expression]) -> list[Expression]:
    """The equations without those that only say that a number is even or odd: x = 2 * k, and no other k."""
    counts = Counter(one for tree in trees for one in variables(tree))
    return [
        tree
        for tree in trees
        if not (
            isinstance(tree, Operation)
            and len(variables(tree)) == 2
            and any(counts[one] == 1 for one in variables(tree))
            and sorted(map(abs, (_linear(tree) or (0,))[:2])) == [1, 2]
        )
    ]


def _without_halves(trees: Sequence[Expression]) -> tuple[Sequence[Expression], bool]:
    """The equations with an unknown for twice another one, if it occurs only doubled: 2k is any even one."""

    def join(operator: Operator, left: Expression, right: Expression) -> Expression:
        match operator, left, right:
            case Operator.MUL, Number(Fraction(numerator=2, denominator=1)), Variable(index) if (
                index < _DOUBLED
            ):
                return Variable(index + _DOUBLED)
            case _:
                return Operation(operator, left, right)

    replaced = [fold(tree, lambda node: node, join) for tree in trees]
    found = [leaf.index for tree in replaced for leaf in leaves(tree) if isinstance(leaf, Variable)]
    if set(found) != {1 + _DOUBLED} or len(found) < 2:
        return trees, False
    return [renamed(tree, {1 + _DOUBLED: 1}) for tree in replaced], True


# Names ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Named:
    """Gives the places their unknowns, once it is known which of them is the first."""

    run: ConsecutiveNumbers
    first: int

    def __call__(self, expression: Expression) -> Expression:
        match expression:
            case Variable(index):
                return self._number(index - _PLACE - self.first)
            case Operation(Operator.ADD | Operator.SUB):
                return joined(SUM, [(sign, self(term)) for sign, term in self._terms(expression)])
            case Operation(operator, left, right):
                return Operation(operator, self(left), self(right))
            case _:
                return expression

    def _number(self, distance: int) -> Expression:
        """The unknown, or the first number plus the distance."""
        place = distance // int(self.run.step.value)
        if 0 <= place < MAX_UNKNOWNS:
            return Variable(place + 1)
        return Operation(Operator.ADD, Variable(1), Number(Fraction(distance)))

    def _terms(self, expression: Expression) -> list[Signed]:
        """The terms of a sum, in which all numbers together have one form.

        With more numbers than unknowns it is a multiple of the first plus a constant, else the sum itself.
        """
        terms, count, step = list(operands_of(expression, SUM)), self.run.count or 0, self.run.step.value
        every: list[Signed] = [
            (False, Variable(_PLACE + self.first + place * int(step))) for place in range(count)
        ]
        multiple = Operation(Operator.MUL, Number(Fraction(count)), Variable(_PLACE + self.first))
        short: list[Signed] = [(False, multiple), (False, Number(count * (count - 1) * step / 2))]
        stated, wanted = (every, short) if count > MAX_UNKNOWNS else (short, every)
        if count < 2 or Counter(stated) - Counter(terms):
            return terms
        return [*wanted, *(Counter(terms) - Counter(stated)).elements()]

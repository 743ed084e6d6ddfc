"""New random numbers for an exercise, with which its questions stay as plausible as they were.

The numbers of a system of equations are drawn from its solution: the unknowns and the numbers get new values,
then one number of each equation, most often a total, is computed from the others.

>>> from text2math.data.stories.sheets import read
>>> story = "The [a 30] hens and goats of a farm have [b 80] legs."
>>> (exercise,) = read(f"@ system\\n{story}\\n? How many goats? = X + Y = a; 2 * X + 4 * Y = b -> Y", "farm")
>>> heads, legs = draw(exercise, random.Random(1))
>>> int(heads) != 30, int(legs) % 2
(True, 0)
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from text2math.data.rewriting import SUM, operands_of
from text2math.data.stories.exercise import EQUATION, SYSTEM, Exercise, Question, with_values
from text2math.data.stories.written_numbers import WrittenNumber, in_digits
from text2math.mathematics.algebra import answer_of, evaluate, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    fold,
    is_equation,
    leaves,
)

TRIES = 60  # attempts to draw numbers that fit an exercise with plain questions
MORE_TRIES = 200  # for other exercises, which constrain their numbers more

Leaf: TypeAlias = Number | Variable


def draw(exercise: Exercise, rng: random.Random) -> tuple[Fraction, ...]:
    """Numbers for an exercise; its own ones if none of those drawn fit."""
    own = tuple(number.value for number in exercise.numbers)
    plan = _plan(exercise) if exercise.kind == SYSTEM else None
    plain = all(question.plain for question in exercise.questions)
    for _ in range(TRIES if plain else MORE_TRIES):
        drawn: tuple[Fraction, ...] | None = tuple(number.again(rng) for number in exercise.numbers)
        if plan is not None and drawn is not None:
            drawn = plan.worked_out(drawn, rng)
        if drawn is not None and fits(exercise, drawn):
            return drawn
    return own


def fits(exercise: Exercise, values: Sequence[Fraction]) -> bool:
    """Whether numbers obey the rules, and every step of every question is as plausible as it was."""
    own = [number.value for number in exercise.numbers]
    if any(values[larger] <= values[smaller] for larger, smaller in exercise.rules):
        return False
    # With the same number twice, an equation may have no or every solution: "3 times it is 3 times it".
    if exercise.kind == EQUATION and len(set(values)) < len(set(own)):
        return False
    if exercise.kind == SYSTEM:
        written = zip(exercise.numbers, values, strict=True)
        if not all(number.can_be(value) for number, value in written):
            return False
    drawn = [Number(value, index) for index, value in enumerate(values)]
    return all(_stays_plausible(question, drawn) for question in exercise.questions)


def _stays_plausible(question: Question, drawn: Sequence[Number]) -> bool:
    own = question.expression
    if own is None:
        return True
    now = with_values(own, drawn)
    if question.asked:
        asked = tuple(with_values(one, drawn) for one in question.asked)
        return _solution_stays_plausible(own, now, question.asked, asked)
    if is_equation(own):
        return _equation_stays_plausible(own, now)
    if question.plain:
        return _steps_stay_plausible(own, now)
    return _larger_steps_stay_plausible(own, now)


# Values ---------------------------------------------------------------------------------------------------


def _steps_stay_plausible(own: Expression, drawn: Expression) -> bool:
    """Whether every step is above zero, and whole if it was whole."""
    return all(
        now is not None and was is not None and now > 0 and was.denominator % now.denominator == 0
        for now, was in zip(_steps(drawn), _steps(own), strict=True)
    )


def _larger_steps_stay_plausible(own: Expression, drawn: Expression) -> bool:
    """The same, but an intermediate step that was not whole, such as a share, may be any positive number."""
    steps = list(zip(_steps(drawn), _steps(own), strict=True))
    if not all(now is not None and was is not None and now > 0 and _as_whole(now, was) for now, was in steps):
        return False
    assert isinstance(own, Operation)
    assert isinstance(drawn, Operation)
    now, was = steps[-1]
    assert now is not None
    assert was is not None
    match own.operator:
        case Operator.RATIO:
            return True
        case Operator.CEIL | Operator.QUO:  # it needs rounding if and only if it did
            return _divides(drawn) == _divides(own)
        case Operator.GCD:
            return (now > 1) == (was > 1)
        case _:
            return was.denominator % now.denominator == 0


def _as_whole(now: Fraction, was: Fraction) -> bool:
    return now.denominator == 1 or was.denominator > 1


def _divides(operation: Operation) -> bool:
    left, right = evaluate(operation.left), evaluate(operation.right)
    return bool(left is not None and right and (left / right).denominator == 1)


def _steps(
    expression: Expression, solution: Mapping[Variable, Fraction] | None = None
) -> list[Fraction | None]:
    """The value of every operation, operands first; None if it depends on unknowns or divides by zero."""
    values: list[Fraction | None] = []
    known = solution or {}

    def join(operator: Operator, left: Fraction | None, right: Fraction | None) -> Fraction | None:
        function = operator.entry.evaluate
        values.append(None if function is None or left is None or right is None else function(left, right))
        return values[-1]

    fold(expression, lambda leaf: leaf.value if isinstance(leaf, Number) else known.get(leaf), join)
    return values


# Equations ------------------------------------------------------------------------------------------------


def _equation_stays_plausible(own: Expression, drawn: Expression) -> bool:
    """Whether all steps without unknowns are above zero, and so is the solution, if there is one."""
    if not all(now is None or now > 0 for now in _steps(drawn)):
        return False
    was, now = answer_of(own), answer_of(drawn)
    return was is None or (now is not None and now > 0 and _as_whole(now, was))


def _solution_stays_plausible(
    own: Expression, drawn: Expression, own_asked: Sequence[Expression], asked: Sequence[Expression]
) -> bool:
    """Whether there is one solution, as positive and whole as it was, and so are the values asked for."""
    was, now = _solved(own), solve(drawn)
    if was is None or now is None:
        return False
    pairs = [(now[unknown], value) for unknown, value in was.items()]
    if not all((value > 0 or before <= 0) and _as_whole(value, before) for value, before in pairs):
        return False
    steps = zip(_steps(drawn, now), _steps(own, was), strict=True)
    if any(before is not None and before > 0 and (step is None or step <= 0) for step, before in steps):
        return False
    answers = ((evaluate(one, now), evaluate(two, was)) for one, two in zip(asked, own_asked, strict=True))
    return all(
        answer is not None and before is not None and answer > 0 and _as_whole(answer, before)
        for answer, before in answers
    )


@cache
def _solved(own: Expression) -> dict[Variable, Fraction] | None:
    return solve(own)


# Systems: numbers that follow from the solution -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _WorkedOut:
    """A leaf of an equation that is computed so that the equation holds."""

    equation: Operation
    leaf: Leaf

    def value(self, values: Mapping[Leaf, Fraction]) -> Fraction | None:
        """The value of the leaf, in which the equation is linear, given those of the others."""
        at_one, at_two = (_difference(self.equation, {**values, self.leaf: Fraction(t)}) for t in (1, 2))
        if at_one is None or at_two is None or at_one == at_two:
            return None
        return 1 - at_one / (at_two - at_one)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to draw the numbers of a system: its solution, and which leaves are computed, in order."""

    solution: tuple[tuple[Variable, WrittenNumber], ...]
    steps: tuple[_WorkedOut, ...]
    numbers: tuple[Number, ...]

    def worked_out(self, drawn: Sequence[Fraction], rng: random.Random) -> tuple[Fraction, ...] | None:
        """The drawn numbers, with those that follow from the others computed; None if one has no value."""
        values: dict[Leaf, Fraction] = dict(zip(self.numbers, drawn, strict=True))
        values |= {unknown: written.again(rng) for unknown, written in self.solution}
        for step in self.steps:
            value = step.value(values)
            if value is None:
                return None
            values[step.leaf] = value
        return tuple(values[number] for number in self.numbers)


@cache
def _plan(exercise: Exercise) -> _Plan | None:
    """The plan for the first question that is solved for something; None if there is none."""
    question = next((one for one in exercise.questions if one.asked), None)
    if question is None or question.expression is None:
        return None
    solution = _solved(question.expression)
    if solution is None:
        return None
    numbers = tuple(Number(number.value, index) for index, number in enumerate(exercise.numbers))
    values: dict[Leaf, Fraction] = {number: number.value for number in numbers} | solution
    free = {number for number, written in zip(numbers, exercise.numbers, strict=True) if not written.is_fixed}
    steps = _worked_out(equations(question.expression), values, {*free, *solution})
    drawn = tuple(
        (unknown, WrittenNumber(in_digits(value, False), value)) for unknown, value in solution.items()
    )
    return None if steps is None else _Plan(drawn, steps, numbers)


def _worked_out(
    system: Sequence[Operation], values: Mapping[Leaf, Fraction], free: set[Leaf]
) -> tuple[_WorkedOut, ...] | None:
    """One leaf of each equation; equations whose only choice is an unknown come first."""
    steps: list[_WorkedOut] = []
    remaining = sorted(system, key=lambda equation: isinstance(_best_leaf(equation, values, free), Number))
    for equation in remaining:
        leaf = _best_leaf(equation, values, free)
        if leaf is None:
            return None
        steps.append(_WorkedOut(equation, leaf))
        free = free - set(leaves(equation))
    return tuple(steps)


def _best_leaf(equation: Operation, values: Mapping[Leaf, Fraction], free: set[Leaf]) -> Leaf | None:
    """Which leaf of an equation to compute: preferably a number, not an unknown; a total, not an addend."""
    sides = (equation.left, equation.right)
    addends = {term for side in sides for _, term in operands_of(side, SUM)}
    linear = (
        leaf
        for leaf in dict.fromkeys(leaves(equation))
        if leaf in free and _is_linear(equation, leaf, values)
    )
    return min(
        linear,
        key=lambda leaf: (isinstance(leaf, Variable), leaf not in sides, leaf not in addends),
        default=None,
    )


def _is_linear(equation: Operation, leaf: Leaf, values: Mapping[Leaf, Fraction]) -> bool:
    differences = [_difference(equation, {**values, leaf: Fraction(t)}) for t in (1, 2, 3)]
    match differences:
        case [Fraction() as one, Fraction() as two, Fraction() as three]:
            return three - two == two - one != 0
        case _:
            return False


def _difference(equation: Operation, values: Mapping[Leaf, Fraction]) -> Fraction | None:
    """The left side less the right one."""

    def leaf(node: Leaf) -> Expression:
        return Number(values.get(node, node.value)) if isinstance(node, Number) else Number(values[node])

    return evaluate(fold(Operation(Operator.SUB, equation.left, equation.right), leaf, Operation))

"""How an answer is worked out, step by step: operations one at a time, equations by elimination.

>>> from text2math.mathematics.notation import from_infix
>>> for step in worked(from_infix("(24 - 6) / 3")):
...     print(step)
24 − 6 = 18
18 ÷ 3 = 6
>>> for step in worked(from_infix("X1 + X2 = 5; X1 - X2 = 1")):
...     print(step)
(1) X1 + X2 = 5
(2) X1 − X2 = 1
(3) 2 × X2 = 4  [(1) − (2), without X1]
X2 = 4 ÷ 2 = 2
X1 + 2 = 5  [X2 = 2 in (1)]
X1 = 5 − 2 = 3
3 + 2 = 5  [check of (1)]
3 − 2 = 1  [check of (2)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from text2math.mathematics.algebra import Solution, Status, evaluate, solution
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    fold,
    operators,
    sort_of,
    variables,
)
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import to_infix
from text2math.mathematics.rational import NotAlgebraicError, TooLargeError, bits, rational_function
from text2math.mathematics.systems import Row, row_of, total_degree

MAX_STEPS = 60  # operations; nobody follows more
MAX_STEP_BITS = 256  # of a value in a step; nobody reads longer numbers


class Action(StrEnum):
    """What a step does."""

    COMPUTE = "compute"  # one operation on two numbers
    GIVEN = "given"  # an equation of the text
    COMBINE = "combine"  # a new equation out of others, or the same tidied up
    SUBSTITUTE = "substitute"  # a value put into an equation
    SOLVE = "solve"  # the value of an unknown
    CHECK = "check"  # an equation of the text with the values put in
    REMARK = "remark"  # why there is no solution


@dataclass(frozen=True, slots=True)
class Worked:
    """One step: ``left = right``, the value it finds, the number of an equation, how it comes about."""

    action: Action
    left: Expression | None = None
    right: Expression | None = None
    value: Fraction | None = None
    label: int | None = None
    note: str = ""
    # The part of the expression that is computed here, with the text's own numbers.
    part: Expression | None = field(default=None, compare=False, repr=False)

    @property
    def statement(self) -> str:
        """The mathematics of the step."""
        if self.left is None or self.right is None:
            return ""
        sides = [to_infix(self.left, unicode=True), to_infix(self.right, unicode=True)]
        if self.action is Action.SOLVE and self.value is not None and not isinstance(self.right, Number):
            sides.append(to_infix(Number(self.value), unicode=True))
        return " = ".join(sides)

    def __str__(self) -> str:
        label = "" if self.label is None else f"({self.label}) "
        note = f"  [{self.note}]" if self.note and self.statement else self.note
        return f"{label}{self.statement}{note}"


def worked(mathematics: Expression) -> tuple[Worked, ...]:
    """The steps to the value of an expression, or to the solution of an equation or a system.

    There are none where there is no value, where a value is too long to read, or where they are too many.
    """
    if sum(1 for _ in operators(mathematics)) > MAX_STEPS:
        return ()
    if sort_of(mathematics) is Sort.VALUE:
        steps = list(_computed(mathematics))
        whole = bool(steps) and steps[-1].part is mathematics
    else:
        steps = list(_solved(mathematics))
        whole = True
    readable = all(step.value is None or bits(step.value) <= MAX_STEP_BITS for step in steps)
    return tuple(steps) if whole and readable else ()


# Values ---------------------------------------------------------------------------------------------------


def _computed(expression: Expression) -> Iterator[Worked]:
    """Each operation after its operands, the left one first, until one has no value."""
    for part in _operations(expression):
        left, right = evaluate(part.left), evaluate(part.right)
        value = evaluate(part)
        if left is None or right is None or value is None:
            return
        operation = Operation(part.operator, Number(left), Number(right))
        yield Worked(Action.COMPUTE, operation, Number(value), value, part=part)


def _operations(expression: Expression) -> list[Operation]:
    """Every operation, operands before what is made of them (no recursion, so any depth is fine)."""
    found: list[Operation] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Operation):
            found.append(node)
            stack += (node.left, node.right)
    return found[::-1]


# Equations ------------------------------------------------------------------------------------------------


def _solved(mathematics: Expression) -> Iterator[Worked]:
    given, unknowns = equations(mathematics), variables(mathematics)
    labels = range(1, len(given) + 1) if len(given) > 1 else (None,)
    for label, equation in zip(labels, given, strict=True):
        yield Worked(Action.GIVEN, _plain(equation.left), _plain(equation.right), label=label)
    found = solution(mathematics)
    if found.status not in (Status.UNIQUE, Status.SEVERAL):
        yield Worked(Action.REMARK, note=found.reason or str(found.status))
        return
    rows = _linear_rows(given, unknowns) if found.status is Status.UNIQUE else None
    if rows is None:
        yield from _found(found)
    else:
        yield from _Elimination(unknowns, given).steps(rows)
    for point in found.points:
        yield from _checked(given, dict(zip(unknowns, point, strict=True)))


def _linear_rows(given: Sequence[Operation], unknowns: tuple[Variable, ...]) -> list[Row] | None:
    """The equations as rows of whole numbers; None where one is not linear as it stands."""
    rows = []
    for equation in given:
        try:
            function = rational_function(equation, unknowns)
        except (TooLargeError, NotAlgebraicError):
            return None
        if function is None or total_degree(function.top) > 1 or total_degree(function.bottom) > 0:
            return None
        rows.append(row_of(function.top, len(unknowns)))
    return rows


def _found(found: Solution) -> Iterator[Worked]:
    """Solutions of what is not linear: stated, not derived; the check shows that they are right."""
    for count, point in enumerate(found.points):
        note = "or" if count else ""
        for unknown, value in zip(found.unknowns, point, strict=True):
            yield Worked(Action.SOLVE, unknown, Number(value), value, note=note)
            note = ""


def _checked(given: Sequence[Operation], values: Mapping[Variable, Fraction]) -> Iterator[Worked]:
    for at, equation in enumerate(given, 1):
        value = evaluate(equation.right, values)
        note = f"check of ({at})" if len(given) > 1 else "check"
        left, right = _with_values(equation.left, values), _with_values(equation.right, values)
        yield Worked(Action.CHECK, left, right, value, note=note)


def _with_values(expression: Expression, values: Mapping[Variable, Fraction]) -> Expression:
    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable):
            return Number(values[node]) if node in values else node
        return Number(node.value)

    return fold(expression, leaf, Operation)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A linear equation as a row, with the number that it has on paper."""

    row: Row
    label: int | None


@dataclass(frozen=True, slots=True)
class _Elimination:
    """Solves linear equations with one solution: eliminate forwards, substitute backwards."""

    unknowns: tuple[Variable, ...]
    given: Sequence[Operation]

    def steps(self, rows: Sequence[Row]) -> Iterator[Worked]:
        """From the equations to the value of every unknown."""
        several = len(rows) > 1
        left = [_Labelled(_positive(row), at if several else None) for at, row in enumerate(rows, 1)]
        yield from self._tidied(left)
        pivots: list[tuple[int, _Labelled]] = []
        next_label = len(rows) + 1
        for column in range(len(self.unknowns)):
            having = [one for one in left if one.row[column]]
            if not having:
                continue
            pivot = min(having, key=lambda one: abs(one.row[column]))
            left = [one for one in left if one is not pivot]
            for at, one in enumerate(left):
                if one.row[column]:
                    step, left[at] = self._eliminated(pivot, one, column, next_label)
                    if any(left[at].row):
                        next_label += 1
                        yield step
            pivots.append((column, pivot))
        yield from self._substituted(pivots)

    def _tidied(self, rows: Sequence[_Labelled]) -> Iterator[Worked]:
        """The equations with all unknowns on the left, where they do not have that form already."""
        for one, equation in zip(rows, self.given, strict=True):
            left, right = self._sides(one.row)
            solved = len(self.given) == 1 and one.row[0] == 1  # then this is the last step already
            changed = (left, right) != (_plain(equation.left), _plain(equation.right))
            if changed and any(one.row[:-1]) and not solved:
                yield Worked(Action.COMBINE, left, right, label=one.label, note="tidied up")

    def _eliminated(
        self, pivot: _Labelled, other: _Labelled, column: int, label: int
    ) -> tuple[Worked, _Labelled]:
        a, b = pivot.row[column], other.row[column]
        times_other, times_pivot = abs(Fraction(a, b).numerator), abs(Fraction(a, b).denominator)
        sign = -1 if (a > 0) == (b > 0) else 1
        row = tuple(
            times_pivot * mine + sign * times_other * theirs
            for mine, theirs in zip(pivot.row, other.row, strict=True)
        )
        terms = [f"{_times(times_pivot)}({pivot.label})", f"{_times(times_other)}({other.label})"]
        if sign < 0 and row != _positive(row):  # the other difference has the same sign as its first number
            row, terms = _positive(row), terms[::-1]
        note = f"{terms[0]} {'−' if sign < 0 else '+'} {terms[1]}, without {self.unknowns[column].name}"
        left, right = self._sides(row)
        return Worked(Action.COMBINE, left, right, label=label, note=note), _Labelled(row, label)

    def _substituted(self, pivots: Sequence[tuple[int, _Labelled]]) -> Iterator[Worked]:
        """The unknowns from the last one on, each from an equation whose others are known."""
        known: dict[Variable, Fraction] = {}
        for column, one in reversed(pivots):
            unknown, row = self.unknowns[column], one.row
            used = [name for at, name in enumerate(self.unknowns) if row[at] and name in known]
            if used:
                left, right = self._sides(row)
                where = "" if one.label is None else f" in ({one.label})"
                put = ", ".join(
                    f"{name.name} = {to_infix(Number(known[name]), unicode=True)}" for name in used
                )
                yield Worked(Action.SUBSTITUTE, _with_values(left, known), right, note=put + where)
            rest = sum((row[self.unknowns.index(name)] * known[name] for name in used), Fraction())
            total, factor = Fraction(-row[-1]), Fraction(row[column])
            known[unknown] = value = (total - rest) / factor
            yield Worked(Action.SOLVE, unknown, _isolated(total, rest, factor), value)

    def _sides(self, row: Row) -> tuple[Expression, Expression]:
        """The two sides of a row's equation: a·X1 + b·X2 = c."""
        terms = [(number, name) for number, name in zip(row[:-1], self.unknowns, strict=True) if number]
        left: Expression = Number(Fraction(0))
        for at, (number, name) in enumerate(terms):
            term: Expression = name
            if number != 1 and (abs(number) != 1 or not at):
                factor = Number(Fraction(abs(number) if at else number))
                term = Operation(Operator.MUL, factor, name)
            left = term if not at else Operation(Operator.ADD if number > 0 else Operator.SUB, left, term)
        return left, Number(Fraction(-row[-1]))


def _positive(row: Row) -> Row:
    """The row with its first number positive."""
    first = next((number for number in row if number), 1)
    return row if first > 0 else tuple(-number for number in row)


def _plain(expression: Expression) -> Expression:
    """The same without where its numbers stand in a text."""
    return _with_values(expression, {})


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor} × "


def _isolated(total: Fraction, rest: Fraction, factor: Fraction) -> Expression:
    """(total − rest) ÷ factor, without what changes nothing."""
    parts: Expression = Number(total if total or not rest else -rest)
    if rest and total:
        sign = Operator.SUB if rest > 0 else Operator.ADD
        parts = Operation(sign, parts, Number(abs(rest)))
    return parts if factor == 1 else Operation(Operator.DIV, parts, Number(factor))

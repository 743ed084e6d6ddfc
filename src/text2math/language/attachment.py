"""Attach the numbers of an expression to the quantities of a text.

>>> from text2math.mathematics.notation import from_infix, to_infix
>>> values = [Fraction(5), Fraction(8), Fraction(5)]
>>> to_infix(attach(from_infix("(5 + 8) - 5"), values), quantities=True)
'5[0] + 8[1] - 5[2]'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    numbers,
)

MAX_ASSIGNMENTS = 20_000
CENT = Fraction(1, 100)


class UnmappableError(ValueError):
    """Gold that can't be mapped: a reason (one of few, to count by) and what it is about."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def attach(expression: Expression, values: Sequence[Fraction]) -> Expression:
    """The expression with every number pointing at a quantity of the text, by index into ``values``.

    Numbers that already point at one keep it. Among equal values the choice uses each quantity once, makes
    the tree cross as little as possible in the text, and takes the earlier ones first.

    >>> attach(Number(Fraction(3)), [Fraction(2), Fraction(3)])
    Number(value=Fraction(3, 1), quantity=1)
    """
    tree = _join_literals(expression, frozenset(values))
    choices = [_choices(number, values) for number in numbers(tree)]
    assignment = min(_assignments(choices), key=lambda chosen: _cost(tree, chosen))
    return with_hints(tree, assignment)


def _choices(number: Number, values: Sequence[Fraction]) -> tuple[int, ...]:
    """The quantities that a number may point at."""
    if number.quantity is None:
        equal = tuple(index for index, value in enumerate(values) if value == number.value)
        if not equal:
            there = ", ".join(map(decimal, values)) or "none"
            raise UnmappableError(
                "a number that is not in the text", f"{decimal(number.value)}; the text has {there}"
            )
        return equal
    if not 0 <= number.quantity < len(values):
        raise UnmappableError(
            "a quantity that the text lacks", f"[{number.quantity}] of {len(values)}, counted from 0"
        )
    if values[number.quantity] != number.value:
        there = decimal(values[number.quantity])
        raise UnmappableError(
            "a number that differs from its quantity",
            f"{decimal(number.value)}[{number.quantity}], which is {there}",
        )
    return (number.quantity,)


def decimal(value: Fraction) -> str:
    """A value for a message: a short decimal, or a fraction."""
    return f"{float(value):g}" if value.denominator in (2, 4, 5, 10, 20, 25, 50, 100) else str(value)


def _join_literals(expression: Expression, values: frozenset[Fraction]) -> Expression:
    """What is spelt out (``2 / 3``, ``0.01 * 6``, ``8 * 12``) as one number, where the text has that one."""

    def join(operator: Operator, left: Expression, right: Expression) -> Expression:
        match operator, left, right:
            case ((Operator.MUL | Operator.DIV), Number(first, None), Number(second, None)):
                whole = _joined(operator, first, second, values)
                return Operation(operator, left, right) if whole is None else Number(whole)
            # a * 6 * 0.01 and a / 6 / 0.01 group from the left, yet mean 6 %.
            case (
                (Operator.MUL | Operator.DIV),
                Operation(inner, rest, Number(first, None)),
                Number(second, None),
            ) if inner is operator and CENT in (first, second):
                whole = _joined(Operator.MUL, first, second, values)
                return Operation(operator, left if whole is None else rest, Number(whole or second))
        return Operation(operator, left, right)

    return fold(expression, lambda leaf: leaf, join)


def _joined(
    operator: Operator, first: Fraction, second: Fraction, values: frozenset[Fraction]
) -> Fraction | None:
    """The one number of the text that two literals spell out, if they do."""
    if operator is Operator.DIV and second == 0:
        return None
    whole = first * second if operator is Operator.MUL else first / second
    stands_alone = first in values or second in values
    spelt_out = CENT in (first, second) or not stands_alone
    if operator is Operator.DIV:
        spelt_out = not (first in values and second in values)
    return whole if whole in values and spelt_out else None


def _assignments(choices: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Every way to choose, or where those are too many, the first unused quantity for each number."""
    if prod(map(len, choices)) <= MAX_ASSIGNMENTS:
        yield from product(*choices)
        return
    chosen: list[int] = []
    for options in choices:
        chosen.append(next((index for index in options if index not in chosen), options[0]))
    yield tuple(chosen)


def _cost(tree: Expression, assignment: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    reused = len(assignment) - len(set(assignment))
    return reused, crossings(with_hints(tree, assignment)), assignment


def with_hints(expression: Expression, hints: Sequence[int | None]) -> Expression:
    """The expression whose numbers, from left to right, point at these quantities.

    >>> from text2math.mathematics.notation import from_infix
    >>> [number.quantity for number in numbers(with_hints(from_infix("4 - 4"), (1, 0)))]
    [1, 0]
    """
    remaining = list(hints)  # fold meets the leaves from right to left

    def leaf(node: Number | Variable) -> Expression:
        return Number(node.value, remaining.pop()) if isinstance(node, Number) else node

    return fold(expression, leaf, Operation)


def crossings(expression: Expression, anchors: Sequence[int] | None = None) -> int:
    """How many operations have operands whose quantities interleave in the text: 0 for a text-math tree.

    A quantity's place in the text is its anchor, or its index where no anchors are given.

    >>> from text2math.mathematics.notation import from_infix
    >>> crossings(from_infix("1[0] + 3[2] - 2[1]")), crossings(from_infix("1[0] + 3[2] - 2[1]"), [0, 9, 4])
    (1, 0)
    """
    crossed = 0
    Span = tuple[int, int] | None

    def leaf(node: Number | Variable) -> Span:
        if isinstance(node, Variable) or node.quantity is None:
            return None
        place = node.quantity if anchors is None else anchors[node.quantity]
        return place, place

    def join(_: Operator, left: Span, right: Span) -> Span:
        nonlocal crossed
        if left is None or right is None:
            return left or right
        crossed += not (left[1] < right[0] or right[1] < left[0])
        return min(left[0], right[0]), max(left[1], right[1])

    fold(expression, leaf, join)
    return crossed

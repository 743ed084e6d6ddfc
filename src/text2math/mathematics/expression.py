"""Expression trees: numbers, unknowns, and operations on two operands.

>>> from fractions import Fraction
>>> tree = Operation(Operator.ADD, Number(Fraction(7), 0), Number(Fraction(3), 1))
>>> [leaf.value for leaf in numbers(tree)]
[Fraction(7, 1), Fraction(3, 1)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")


class Operator(Enum):
    """An operation on a left and a right operand; the value is its sign.

    The two inverse operators take their operands the other way round (``a SUBR b`` is ``b - a``).
    They are there only for the paper's ablation.

    >>> Operator.SUB.value, Operator.SUB.arity
    ('-', 2)
    """

    EQU = "="
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    SUBR = "-r"
    DIVR = "/r"

    @property
    def arity(self) -> int:
        """How many operands it takes."""
        return 2

    @property
    def commutative(self) -> bool:
        """Whether swapping the operands keeps the meaning."""
        return self in (Operator.EQU, Operator.ADD, Operator.MUL)

    @property
    def inverse_of(self) -> Operator | None:
        """For an inverse operator, the plain one it mirrors."""
        return {Operator.SUBR: Operator.SUB, Operator.DIVR: Operator.DIV}.get(self)


@dataclass(frozen=True, slots=True)
class Number:
    """An exact constant, and the index of the quantity of the text it came from (where it has one).

    Two numbers are equal when value and quantity are.

    >>> Number(Fraction(1, 2))
    Number(value=Fraction(1, 2), quantity=None)
    """

    value: Fraction
    quantity: int | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """An unknown: X1, X2, … in the order of first mention.

    >>> Variable(1).name
    'X1'
    """

    index: int

    def __post_init__(self) -> None:
        if self.index < 1:
            raise ValueError(f"unknowns are numbered from 1, not {self.index}")

    @property
    def name(self) -> str:
        """The name people see."""
        return f"X{self.index}"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An operator with its two operands. ``EQU`` stands only at the root of an expression.

    >>> Operation(Operator.ADD, Variable(1), Variable(2)).depth
    1
    """

    operator: Operator
    left: Expression
    right: Expression
    depth: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max(depth(self.left), depth(self.right)))
        for side in (self.left, self.right):
            if isinstance(side, Operation) and side.operator is Operator.EQU:
                raise ValueError("'=' may stand only at the root of an expression")

    # Nodes in a fixed order with their arity are the tree, so comparing them needs no recursion.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operation):
            return NotImplemented
        return self is other or (self.depth == other.depth and _labels(self) == _labels(other))

    def __hash__(self) -> int:
        return hash(tuple(_labels(self)))


Expression: TypeAlias = Number | Variable | Operation


def depth(expression: Expression) -> int:
    """The number of operations on the longest way down: 0 for a leaf."""
    return expression.depth if isinstance(expression, Operation) else 0


def is_equation(expression: Expression) -> bool:
    """Whether the root is ``=``."""
    return isinstance(expression, Operation) and expression.operator is Operator.EQU


def nodes(expression: Expression) -> Iterator[Expression]:
    """Every node, the root first, then left to right (no recursion, so any depth is fine)."""
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Operation):
            stack += (node.right, node.left)


def _labels(expression: Expression) -> list[Operator | Number | Variable]:
    """Every node without its operands, the root first."""
    return [node.operator if isinstance(node, Operation) else node for node in nodes(expression)]


def fold(
    expression: Expression,
    leaf: Callable[[Number | Variable], Result],
    join: Callable[[Operator, Result, Result], Result],
) -> Result:
    """The value of the tree, from the leaves up (no recursion, so any depth is fine).

    >>> fold(Operation(Operator.ADD, Variable(1), Variable(2)), lambda leaf: 1, lambda _, a, b: a + b)
    2
    """
    done: list[Result] = []
    for node in reversed(list(nodes(expression))):
        if isinstance(node, Operation):
            left, right = done.pop(), done.pop()
            done.append(join(node.operator, left, right))
        else:
            done.append(leaf(node))
    return done.pop()


def leaves(expression: Expression) -> Iterator[Number | Variable]:
    """The leaves from left to right."""
    return (node for node in nodes(expression) if not isinstance(node, Operation))


def numbers(expression: Expression) -> Iterator[Number]:
    """The constants from left to right."""
    return (node for node in nodes(expression) if isinstance(node, Number))


def variables(expression: Expression) -> tuple[Variable, ...]:
    """The distinct unknowns, in the order of their numbers.

    >>> variables(Operation(Operator.EQU, Variable(2), Variable(1)))
    (Variable(index=1), Variable(index=2))
    """
    found = {node for node in nodes(expression) if isinstance(node, Variable)}
    return tuple(sorted(found, key=lambda variable: variable.index))


def has_unknowns(expression: Expression) -> bool:
    """Whether there is an unknown in it."""
    return any(isinstance(node, Variable) for node in nodes(expression))


def operators(expression: Expression) -> Iterator[Operator]:
    """The operators, the root's first."""
    return (node.operator for node in nodes(expression) if isinstance(node, Operation))

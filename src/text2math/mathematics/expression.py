"""Expression trees: numbers, unknowns, and operations on two operands.

>>> from fractions import Fraction
>>> tree = Operation(Operator.ADD, Number(Fraction(7), 0), Number(Fraction(3), 1))
>>> [leaf.value for leaf in numbers(tree)]
[Fraction(7, 1), Fraction(3, 1)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import TypeAlias, TypeVar

from text2math.mathematics.grammar import LEFT, OPERANDS, RIGHT, Sort
from text2math.mathematics.grammar import Operator as Operator  # exported next to Operation

Result = TypeVar("Result")


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
        """The name shown to people."""
        return f"X{self.index}"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An operator with its two operands, of the sorts that the grammar allows.

    >>> Operation(Operator.ADD, Variable(1), Variable(2)).depth
    1
    """

    operator: Operator
    left: Expression
    right: Expression
    depth: int = field(init=False, repr=False)
    # The nodes below it, the first time that they are asked for; without itself, which would be a cycle.
    _below: tuple[Expression, ...] | None = field(init=False, repr=False, default=None)
    # Its value without unknowns, which may be None, the first time that it is asked for.
    _value: tuple[Fraction | int | None] | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        above_left, left = _depth_and_operator(self.left)
        above_right, right = _depth_and_operator(self.right)
        object.__setattr__(self, "depth", 1 + (above_left if above_left > above_right else above_right))
        as_left, as_right = OPERANDS[self.operator]
        if left not in as_left:
            raise ValueError(self.operator.refusal(LEFT, left))
        if right not in as_right:
            raise ValueError(self.operator.refusal(RIGHT, right))

    # Nodes in a fixed order with their arity are the tree, so comparing them needs no recursion.
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operation):
            return NotImplemented
        return self is other or (self.depth == other.depth and _labels(self) == _labels(other))

    def __hash__(self) -> int:
        return hash(tuple(_labels(self)))

    def __reduce__(self) -> tuple[type[Operation], tuple[Operator, Expression, Expression]]:
        """Pickled without what was worked out."""
        return Operation, (self.operator, self.left, self.right)


Expression: TypeAlias = Number | Variable | Operation


def kept_value(
    operation: Operation, work: Callable[[Operation], Fraction | int | None]
) -> Fraction | int | None:
    """The value of an operation without unknowns (None: it has none), worked out once.

    The candidates of a text have most of their operations in common.
    """
    kept = operation._value
    if kept is None:
        kept = (work(operation),)
        object.__setattr__(operation, "_value", kept)
    return kept[0]


def _depth_and_operator(expression: Expression) -> tuple[int, Operator | None]:
    return (expression.depth, expression.operator) if isinstance(expression, Operation) else (0, None)


def depth(expression: Expression) -> int:
    """The number of operations on the longest way down: 0 for a leaf."""
    return expression.depth if isinstance(expression, Operation) else 0


def root_operator(expression: Expression) -> Operator | None:
    """The operator at the root, or None for a leaf."""
    return expression.operator if isinstance(expression, Operation) else None


def sort_of(expression: Expression) -> Sort:
    """Whether the expression is a value, a statement or a system of statements.

    >>> sort_of(Operation(Operator.EQU, Variable(1), Variable(2))).name
    'STATEMENT'
    """
    return expression.operator.entry.result if isinstance(expression, Operation) else Sort.VALUE


def is_equation(expression: Expression) -> bool:
    """Whether the root is ``=``."""
    return root_operator(expression) is Operator.EQU


def is_system(expression: Expression) -> bool:
    """Whether the root is ``;``: several equations that hold together."""
    return root_operator(expression) is Operator.SYS


def equations(expression: Expression) -> tuple[Operation, ...]:
    """The equations of a system in their order; an equation alone is the only one; a value has none.

    >>> x, y = Variable(1), Variable(2)
    >>> both = system([Operation(Operator.EQU, x, y), Operation(Operator.EQU, y, x)])
    >>> [equation.left.name for equation in equations(both)]
    ['X1', 'X2']
    """
    found: list[Operation] = []
    while isinstance(expression, Operation) and expression.operator is Operator.SYS:
        assert isinstance(expression.right, Operation)
        found.append(expression.right)
        expression = expression.left
    if isinstance(expression, Operation) and expression.operator is Operator.EQU:
        found.append(expression)
    return tuple(reversed(found))


def system(statements: Iterable[Operation]) -> Operation:
    """The equations joined by ``;`` from the left; one alone is itself."""
    return reduce(lambda left, right: Operation(Operator.SYS, left, right), statements)


def nodes(expression: Expression) -> Iterator[Expression]:
    """Every node, the root first, then left to right."""
    return iter(all_nodes(expression))


def all_nodes(expression: Expression) -> tuple[Expression, ...]:
    """The same as a tuple."""
    if not isinstance(expression, Operation):
        return (expression,)
    if expression._below is None:
        object.__setattr__(expression, "_below", _nodes_below(expression))
    return (expression, *(expression._below or ()))


def _nodes_below(expression: Operation) -> tuple[Expression, ...]:
    """No recursion, so any depth is fine."""
    found: list[Expression] = []
    above = [expression]  # whose right operands are still to come
    node = expression.left
    while True:
        found.append(node)
        if isinstance(node, Operation):
            above.append(node)
            node = node.left
        elif above:
            node = above.pop().right
        else:
            return tuple(found)


def _labels(expression: Expression) -> list[Operator | Number | Variable]:
    """Every node without its operands, the root first."""
    return [node.operator if isinstance(node, Operation) else node for node in all_nodes(expression)]


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
    for node in reversed(all_nodes(expression)):
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
    found = {node.index: node for node in all_nodes(expression) if isinstance(node, Variable)}
    return tuple(found[index] for index in sorted(found))


def has_unknowns(expression: Expression) -> bool:
    """Whether there is an unknown in it."""
    # A loop of its own: ``any`` would take twice as long over these few.
    for node in all_nodes(expression):  # noqa: SIM110
        if isinstance(node, Variable):
            return True
    return False


def operators(expression: Expression) -> Iterator[Operator]:
    """The operators, the root's first."""
    return (node.operator for node in nodes(expression) if isinstance(node, Operation))

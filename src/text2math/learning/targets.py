"""What the model is trained towards: the expressions that count as right for an example.

The paper trains on the annotated tree alone. We can also sum over all equivalent trees, over both names of
two unknowns, or, where only the answer is known, over every small expression that gives it. The paper's
variants are here too: an unknown before or behind an arithmetic expression, and inverse operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from text2math.inference.potentials import Symbol
from text2math.language.problem import Example, Problem
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    is_equation,
    leaves,
    numbers,
    variables,
)
from text2math.mathematics.regrouping import equivalent_trees

ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)
_INVERSE = {Operator.SUB: Operator.SUBR, Operator.DIV: Operator.DIVR}


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """Which expressions count as right in training."""

    equivalent: bool = False  # sum over all equivalent trees that fit the text, not the annotated one alone
    both_names: bool = True  # of two unknowns, either may be X1
    answers: bool = False  # learn from the answer alone, even where an expression is annotated
    unknown: str = "none"  # "prefix": X = e, "suffix": e = X (arithmetic only)
    inverse: bool = False  # inverse operators instead of operands in reverse
    most_trees: int = 64
    most_operators: int = 2  # of an expression searched for an answer

    def __post_init__(self) -> None:
        if self.unknown not in ("none", "prefix", "suffix"):
            raise ValueError(f"unknown must be none, prefix or suffix, not {self.unknown!r}")


def targets(example: Example, config: TargetConfig) -> tuple[Expression, ...]:
    """The expressions that training sums over; empty where nothing fits the text.

    An annotated tree whose numbers cross in the text gives way to equivalent trees that do not.
    """
    if config.answers or example.expression is None:
        found = list(expressions_with(example.problem, _answer(example), config.most_operators))
    else:
        found = [example.expression]
        if config.equivalent or crosses(example.expression):
            found = list(equivalent_trees(example.expression, limit=config.most_trees))
            plain = [tree for tree in found if not crosses(tree)]
            found = plain if config.equivalent else plain[:1]
    if config.both_names:
        found += [swap_names(tree) for tree in found if len(variables(tree)) == 2]
    if config.inverse:
        found = [with_inverse_operators(tree) for tree in found]
    found = [with_unknown(tree, config.unknown) for tree in found]
    return tuple(dict.fromkeys(found))


def symbols_of(expressions: Sequence[Expression]) -> tuple[Symbol, ...]:
    """Every symbol that occurs in some expressions, in the order of the grammar."""
    return tuple(sorted({symbol for tree in expressions for symbol in _symbols(tree)}))


def _symbols(tree: Expression) -> Iterator[Symbol]:
    yield Symbol.of(tree)
    if isinstance(tree, Operation):
        yield from _symbols(tree.left)
        yield from _symbols(tree.right)


def _answer(example: Example) -> Fraction:
    if example.answer is not None:
        return example.answer
    value = None if example.expression is None else evaluate(example.expression)
    if value is None:
        raise ValueError(f"problem {example.problem.id}: neither an expression nor an answer to learn from")
    return value


def expressions_with(problem: Problem, answer: Fraction, most_operators: int = 2) -> Iterator[Expression]:
    """Every expression of one or more operators over the problem's numbers, each used once, with this answer.

    Decimal answers are compared as they are written in data: to within a part in a million.
    """
    leaves_ = [Number(quantity.value, k) for k, quantity in enumerate(problem.quantities)]
    for count in range(2, most_operators + 2):
        for chosen in combinations(leaves_, count):
            for tree, value in _trees(chosen):
                if close(value, answer):
                    yield tree


def close(value: Fraction, other: Fraction) -> bool:
    """Whether two answers are the same, up to how a decimal was rounded."""
    return value == other or abs(value - other) <= Fraction(1, 10**6) * max(Fraction(1), abs(other))


def _trees(chosen: tuple[Number, ...]) -> Iterator[tuple[Expression, Fraction]]:
    """All trees over numbers in the order of the text, operands contiguous, with their values."""
    if len(chosen) == 1:
        yield chosen[0], chosen[0].value
        return
    for cut in range(1, len(chosen)):
        for first, _ in _trees(chosen[:cut]):
            for second, _ in _trees(chosen[cut:]):
                for operator in ARITHMETIC:
                    for left, right in ((first, second), (second, first)):
                        if right is first and operator.commutative:
                            continue
                        tree = Operation(operator, left, right)
                        value = evaluate(tree)
                        if value is not None:
                            yield tree, value


def crosses(expression: Expression) -> bool:
    """Whether the numbers of two operands interleave in the text, so that no text-math tree exists.

    >>> three = [Number(Fraction(v), v) for v in range(3)]
    >>> crosses(Operation(Operator.SUB, Operation(Operator.ADD, three[0], three[2]), three[1]))
    True
    """

    def spans(tree: Expression) -> tuple[int, int] | bool | None:
        """The first and last number, None without numbers, False once something crosses."""
        if isinstance(tree, Number):
            return (tree.quantity, tree.quantity) if tree.quantity is not None else None
        if isinstance(tree, Variable):
            return None
        left, right = spans(tree.left), spans(tree.right)
        if left is False or right is False:
            return False
        if left is None or right is None:
            return right if left is None else left
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        if left[0] <= right[1] and right[0] <= left[1]:
            return False
        return min(left[0], right[0]), max(left[1], right[1])

    return spans(expression) is False


def swap_names(expression: Expression) -> Expression:
    """The same with X1 and X2 exchanged."""

    def leaf(node: Number | Variable) -> Expression:
        return Variable(3 - node.index) if isinstance(node, Variable) else node

    return fold(expression, leaf, Operation)


def with_inverse_operators(expression: Expression) -> Expression:
    """Operands in the order of the text, with inverse operators where the order had to change."""

    def join(operator: Operator, left: Expression, right: Expression) -> Expression:
        if operator in _INVERSE and _first(left) > _first(right):
            return Operation(_INVERSE[operator], right, left)
        return Operation(operator, left, right)

    return fold(expression, lambda node: node, join)


def without_inverse_operators(expression: Expression) -> Expression:
    """The same with plain operators only."""

    def join(operator: Operator, left: Expression, right: Expression) -> Expression:
        plain = operator.inverse_of
        return Operation(operator, left, right) if plain is None else Operation(plain, right, left)

    return fold(expression, lambda node: node, join)


def _first(expression: Expression) -> int:
    return min((number.quantity or 0 for number in numbers(expression)), default=0)


def with_unknown(expression: Expression, where: str) -> Expression:
    """``X = e`` ("prefix"), ``e = X`` ("suffix"), or the expression itself ("none")."""
    if where == "none" or is_equation(expression):
        return expression
    sides = (Variable(1), expression) if where == "prefix" else (expression, Variable(1))
    return Operation(Operator.EQU, *sides)


def without_unknown(expression: Expression) -> Expression | None:
    """The arithmetic expression that an equation with a lone unknown on one side stands for.

    ``None`` where the unknown is mixed with numbers.
    """
    match expression:
        case Operation(Operator.EQU, Variable(), side) | Operation(Operator.EQU, side, Variable()):
            return None if any(isinstance(leaf, Variable) for leaf in leaves(side)) else side
        case Operation(Operator.EQU):
            return None
        case _:
            return expression


def answer_of(expression: Expression) -> Fraction | None:
    """The value of an expression, or the solution of an equation with one unknown."""
    if not is_equation(expression):
        return evaluate(expression)
    found = solve(expression)
    return next(iter(found.values())) if found and len(found) == 1 else None

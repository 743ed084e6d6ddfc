"""Other forms of the same mathematics: unknowns renamed, inverse operators, an unknown set equal to it.

>>> from text2math.mathematics.notation import from_infix, to_infix
>>> to_infix(renamed(from_infix("X1 = 2 * X2"), {1: 2, 2: 1}))
'X2 = 2 * X1'
>>> to_infix(with_unknown(from_infix("7 + 3"), "prefix"))
'X1 = 7 + 3'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
)
from text2math.mathematics.grammar import SIGNS

_INVERSE = {Operator.SUB: Operator.SUBR, Operator.DIV: Operator.DIVR}


def renamed(expression: Expression, names: Mapping[int, int]) -> Expression:
    """The same with other indices of the unknowns; those that are not named keep theirs."""

    def leaf(node: Number | Variable) -> Expression:
        return Variable(names.get(node.index, node.index)) if isinstance(node, Variable) else node

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


def form(expression: Expression) -> str:
    """The expression with its numbers as N, its unknowns named as they come, and commuting operands sorted.

    >>> from text2math.mathematics.notation import from_infix
    >>> form(from_infix("X2 = X1 * 2")), form(from_infix("X3 + X1 = X2"))
    ('X1=(N*X2)', 'X1=(X2+X3)')
    """
    names: dict[str, str] = {}
    found = _sorted_form(expression)
    if found.isascii():  # as without unknowns
        return found
    return _UNKNOWN.sub(lambda match: names.setdefault(match[0], f"X{len(names) + 1}"), found)


# Each unknown is one character that no sign or name of an operator has, until all are named.
_FIRST, _LAST = 0xE000, 0xF8FF
_UNKNOWN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


def _sorted_form(expression: Expression) -> str:
    if isinstance(expression, Number):
        return "N"
    if isinstance(expression, Variable):
        return chr(min(_FIRST + expression.index, _LAST))
    left, right = _sorted_form(expression.left), _sorted_form(expression.right)
    operator = expression.operator
    if operator.commutative and left != right and _shortest_first(right) < _shortest_first(left):
        left, right = right, left
    return f"{left}={right}" if operator is Operator.EQU else f"({left}{SIGNS[operator]}{right})"


def _shortest_first(text: str) -> tuple[int, str]:
    return len(text), text if text.isascii() else _UNKNOWN.sub("u", text)

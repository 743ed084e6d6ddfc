"""How the numbers of an expression are related: by which operator each two of them are joined.

The paper's chart scores words and the nodes they belong to, never two numbers together. That the price is
multiplied by the count, and not by the other price, can be said of two numbers without the rest of the tree:
by the operator of their lowest common ancestor, as Roy and Roth (2015) do. Two terms that are both subtracted
count as added to each other, and two divisors as multiplied, so that a - b - c and a - (b + c) agree.

>>> from text2math.mathematics.notation import from_infix
>>> found = relations(from_infix("4[0] * (9[2] - 3[1])"), [0, 1, 2])
>>> {pair: [RELATIONS[one] for one in own] for pair, own in found.items()}
{(1, 2): ['SUB reversed'], (0, 2): ['MUL'], (0, 1): ['MUL']}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from text2math.mathematics.expression import Expression, Number, Operation, Operator

UNRELATED = 0
"""The relation of two numbers that the expression does not use together."""


def _names(operator: Operator) -> Iterator[str]:
    yield operator.name
    if not operator.commutative:
        yield f"{operator.name} reversed"  # the operands are not in the order of the text
    yield f"{operator.name} with itself"  # a number that is used twice


RELATIONS = ("unrelated", *(name for operator in Operator for name in _names(operator)))
"""The relations by name."""

_NUMBERS = {name: number for number, name in enumerate(RELATIONS)}
_OF = {
    operator: (
        _NUMBERS[operator.name],
        _NUMBERS.get(f"{operator.name} reversed", _NUMBERS[operator.name]),
        _NUMBERS[f"{operator.name} with itself"],
    )
    for operator in Operator
}
# Sums and products: their operator and its inverse, and the signs of the left and the right operand.
_CHAINS = {
    Operator.ADD: (Operator.ADD, Operator.SUB, 1, 1),
    Operator.SUB: (Operator.ADD, Operator.SUB, 1, -1),
    Operator.SUBR: (Operator.ADD, Operator.SUB, -1, 1),
    Operator.MUL: (Operator.MUL, Operator.DIV, 1, 1),
    Operator.DIV: (Operator.MUL, Operator.DIV, 1, -1),
    Operator.DIVR: (Operator.MUL, Operator.DIV, -1, 1),
}

Pair = tuple[int, int]


class _Used(NamedTuple):
    """The numbers that an expression uses, each with the sign of its term or factor."""

    chain: Operator | None  # ADD or MUL, if the expression is a sum or a product
    signed: list[tuple[int, int]]

    def within(self, chain: Operator | None, sign: int) -> list[tuple[int, int]]:
        """The numbers as a part of a larger sum or product; a sum within a product is one factor."""
        own = self.chain is chain
        return [(number, sign * of_term if own else sign) for number, of_term in self.signed]


def relations(expression: Expression, first: Sequence[int]) -> dict[Pair, list[int]]:
    """The relations of each two numbers that the expression uses.

    ``first`` has the first number with the origin of each: one that is mentioned again is the same number.
    There are several relations for numbers that are used more than once.
    """
    found: dict[Pair, list[int]] = {}
    _collect(expression, first, found)
    return found


def _collect(node: Expression, first: Sequence[int], found: dict[Pair, list[int]]) -> _Used:
    """Add the relations within an expression to those found."""
    if isinstance(node, Number):
        return _Used(None, [] if node.quantity is None else [(first[node.quantity], 1)])
    if not isinstance(node, Operation):
        return _Used(None, [])
    chain, inverse, *signs = _CHAINS.get(node.operator, (None, node.operator, 1, -1))
    left = _collect(node.left, first, found).within(chain, signs[0])
    right = _collect(node.right, first, found).within(chain, signs[1])
    same = _OF[chain or node.operator]
    for a, own in left:
        for b, other in right:
            in_order, reversed_, with_itself = same if own == other else _OF[inverse]
            if a == b:
                found.setdefault((a, a), []).append(with_itself)
            else:
                relation = in_order if (a < b) == (own >= other) else reversed_
                found.setdefault((min(a, b), max(a, b)), []).append(relation)
    return _Used(chain, left + right)

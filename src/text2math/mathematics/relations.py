"""How the numbers of an expression are related: by which operator each two of them are joined.

The paper's chart scores words and the nodes they belong to, never two numbers together. That the price is
multiplied by the count, and not by the other price, can be said of two numbers without the rest of the tree:
by the operator of their lowest common ancestor, as Roy and Roth (2015) do. Two terms that are both subtracted
count as added to each other, and two divisors as multiplied, so that a - b - c and a - (b + c) agree.

>>> from text2math.mathematics.notation import from_infix
>>> [(a, b, RELATIONS[one]) for a, b, one in relations(from_infix("4[0] * (9[2] - 3[1])"), [0, 1, 2])]
[(1, 2, 'SUB reversed'), (0, 2, 'MUL'), (0, 1, 'MUL')]
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

Relation = tuple[int, int, int]
"""Two numbers, the one with the lower index first, and how they are related."""


class _Used(NamedTuple):
    """The numbers that an expression uses, each with the sign of its term or factor, and their relations."""

    chain: Operator | None  # ADD or MUL, if the expression is a sum or a product
    signed: list[tuple[int, int]]
    found: list[Relation]

    def within(self, chain: Operator | None, sign: int) -> list[tuple[int, int]]:
        """The numbers as a part of a larger sum or product; a sum within a product is one factor."""
        if self.chain is chain:
            return self.signed if sign == 1 else [(number, -of_term) for number, of_term in self.signed]
        return [(number, sign) for number, _ in self.signed]


_NONE = _Used(None, [], [])
Known = dict[int, _Used]


def relations(expression: Expression, first: Sequence[int], known: Known | None = None) -> list[Relation]:
    """The relations of each two numbers that the expression uses.

    ``first`` has the first number with the origin of each: one that is mentioned again is the same number.
    There are several relations for numbers that are used more than once. ``known`` remembers those of the
    operations of other expressions with the same numbers, which must exist as long as it does.
    """
    return _used(expression, first, {} if known is None else known).found


def _used(node: Expression, first: Sequence[int], known: Known) -> _Used:
    if isinstance(node, Number):
        return _NONE if node.quantity is None else _Used(None, [(first[node.quantity], 1)], [])
    if not isinstance(node, Operation):
        return _NONE
    found = known.get(id(node))
    if found is None:
        operands = _used(node.left, first, known), _used(node.right, first, known)
        found = known[id(node)] = _joined(node.operator, *operands)
    return found


def _joined(operator: Operator, left: _Used, right: _Used) -> _Used:
    chain, inverse, *signs = _CHAINS.get(operator, (None, operator, 1, -1))
    firsts, seconds = left.within(chain, signs[0]), right.within(chain, signs[1])
    same, opposite = _OF[chain or operator], _OF[inverse]
    found = left.found + right.found
    for a, own in firsts:
        for b, other in seconds:
            in_order, reversed_, with_itself = same if own == other else opposite
            if a == b:
                found.append((a, a, with_itself))
            elif (a < b) == (own >= other):
                found.append((min(a, b), max(a, b), in_order))
            else:
                found.append((min(a, b), max(a, b), reversed_))
    return _Used(chain, firsts + seconds, found)

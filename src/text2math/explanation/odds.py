"""How sure a model is of each operator of a tree: its log odds against all others in its place.

>>> from text2math.inference.potentials import WORD
>>> symbols = {Symbol.ADD, Symbol.SUB, Symbol.CON}
>>> potentials = Potentials.zeros(words=3, anchors=[0, 2])
>>> potentials.step[Symbol.ADD, 1, :, WORD] = 2.0
>>> forest = Forest.full(symbols)
>>> tree = TextMathCRF(forest, potentials).best.tree
>>> tree.symbol.name, round(operator_odds(tree, [Fraction(7), Fraction(3)], potentials, forest)[0], 2)
('ADD', 0.45)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.mathematics.expression import Expression
from text2math.mathematics.grammar import Sort


def operator_odds(
    tree: TextMathTree, values: Sequence[Fraction], potentials: Potentials, forest: Forest
) -> dict[int, float]:
    """The log odds of each operator, by its place in ``tree.nodes()``, while the other operators stay.

    All trees of an expression count, and the others take the operands in either order. Nothing can be in the
    place of ``=``, or of what joins equations: there it is the log of the reading's probability. ``forest``
    is the model's own. What no text-math tree can say is left out.
    """
    own = tree.expression(values)
    rivals = {
        at: [other.expression(values) for other in _others(tree, node, forest)]
        for at, node in enumerate(tree.nodes())
        if node.children
    }
    expressions = list(dict.fromkeys([own, *(one for found in rivals.values() for one in found)]))
    crf = TextMathCRF(forest, potentials)
    sums = dict(zip(expressions, crf.log_sums(expressions), strict=True))
    odds = {at: sums[own] - _total(found, sums, crf) for at, found in rivals.items()}
    return {at: value for at, value in odds.items() if math.isfinite(value)}


def _total(rivals: Sequence[Expression], sums: dict[Expression, float], crf: TextMathCRF) -> float:
    if not rivals:
        return crf.log_partition
    return float(np.logaddexp.reduce([sums[rival] for rival in dict.fromkeys(rivals)]))


def _others(tree: TextMathTree, node: TextMathTree, forest: Forest) -> Iterator[TextMathTree]:
    """The tree with each other operator at a node. Only their mathematics counts: the patterns do not fit."""
    for state in dict.fromkeys(state.symbol for state in forest.states):
        if state is not node.symbol and _may_replace(state, node.symbol, at_root=node is tree):
            for children in (node.children, node.children[::-1]):
                yield _replaced(tree, node, replace(node, symbol=state, children=children))


def _may_replace(symbol: Symbol, other: Symbol, *, at_root: bool) -> bool:
    one, two = symbol.operator, other.operator
    if one is None or two is None or one.entry.result is not Sort.VALUE:
        return False
    return two.entry.result is Sort.VALUE and (at_root or not one.entry.root_only)


def _replaced(tree: TextMathTree, node: TextMathTree, other: TextMathTree) -> TextMathTree:
    if tree is node:
        return other
    children, asides = (
        tuple(_replaced(one, node, other) for one in below) for below in (tree.children, tree.asides)
    )
    return replace(tree, children=children, asides=asides)

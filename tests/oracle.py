"""Every text-math tree of a short text, one by one, in plain Python: the slow twin of the chart.

Nothing here is clever. A tree is built by choosing an operator, two blocks of words for its operands in
either order, and trees for the blocks; its score is read off the string of each node.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import EDGE, LEFT, RIGHT, WORD, A, B, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.mathematics.expression import Expression, operators


def all_trees(
    words: int,
    anchors: tuple[int, ...],
    symbols: frozenset[Symbol],
    roots: frozenset[Symbol],
    max_operators: int | None = None,
) -> list[TextMathTree]:
    """Every tree over the whole text with an allowed root and not too many operators."""
    found = []
    for tree in trees(0, words, anchors, symbols):
        count = sum(node.symbol.operator is not None for node in tree.nodes())
        if tree.symbol in roots and (max_operators is None or count <= max_operators):
            found.append(tree)
    return found


def trees(
    first: int, last: int, anchors: tuple[int, ...], symbols: frozenset[Symbol]
) -> Iterator[TextMathTree]:
    """Every tree over the words first…last-1."""
    for symbol in symbols:
        if symbol is Symbol.CON:
            for k, anchor in enumerate(anchors):
                if first <= anchor < last:
                    yield TextMathTree(symbol, (first, last), quantity=k)
        elif symbol.operator is None:
            yield TextMathTree(symbol, (first, last))
        else:
            yield from operator_trees(symbol, first, last, anchors, symbols)


def operator_trees(
    symbol: Symbol, first: int, last: int, anchors: tuple[int, ...], symbols: frozenset[Symbol]
) -> Iterator[TextMathTree]:
    below = symbols - {Symbol.EQU}
    for start, end, begin, stop in itertools.product(range(first, last + 1), repeat=4):
        if not start < end <= begin < stop:
            continue
        for one in trees(start, end, anchors, below):
            for two in trees(begin, stop, anchors, below):
                for swapped in (False, True):
                    pattern = Pattern(swapped, start > first, begin > end, stop < last)
                    children = (two, one) if swapped else (one, two)
                    yield TextMathTree(symbol, (first, last), pattern, children)


def features(tree: TextMathTree) -> Counter[tuple[object, ...]]:
    """Which potentials a tree collects, and how often."""
    found: Counter[tuple[object, ...]] = Counter()
    found["root", int(tree.symbol)] += 1
    for node in tree.nodes():
        string = node_string(node)
        for (_, left), (at, right) in itertools.pairwise(string):
            found["step", int(node.symbol), at, left, right] += 1
        if node.pattern is not None:
            found["pattern", int(node.symbol), node.pattern.index] += 1
            for side, child in zip((LEFT, RIGHT), node.children, strict=True):
                found["child", int(node.symbol), side, int(child.symbol)] += 1
        if node.quantity is not None:
            found["number", node.quantity] += 1
    return found


def node_string(node: TextMathTree) -> list[tuple[int, int]]:
    """START s1 … sk END, each with the text boundary at which it begins."""
    first, last = node.span
    marks = {}
    for mark, child in zip((A, B), node.children, strict=False):
        for word in range(*child.span):
            marks[word] = mark
    string = [(first, EDGE)]
    for word in range(first, last):
        mark = marks.get(word, WORD)
        if mark == WORD or string[-1][1] != mark:
            string.append((word, mark))
    return [*string, (last, EDGE)]


def tree_score(tree: TextMathTree, potentials: Potentials) -> float:
    return sum(
        count * getattr(potentials, str(name))[tuple(index)]
        for (name, *index), count in features(tree).items()
    )


@dataclass(frozen=True)
class Enumerated:
    """A distribution over an explicit list of trees."""

    trees: list[TextMathTree]
    scores: np.ndarray

    @classmethod
    def of(cls, trees: list[TextMathTree], potentials: Potentials) -> Enumerated:
        scored = [(tree, tree_score(tree, potentials)) for tree in trees]
        possible = [(tree, score) for tree, score in scored if score > -math.inf]
        return cls([tree for tree, _ in possible], np.array([score for _, score in possible]))

    @property
    def log_partition(self) -> float:
        if not len(self.scores):
            return -math.inf
        top = self.scores.max()
        return float(top + np.log(np.exp(self.scores - top).sum()))

    @property
    def probabilities(self) -> np.ndarray:
        return np.exp(self.scores - self.log_partition)

    @property
    def entropy(self) -> float:
        return -sum(p * math.log(p) for p in self.probabilities if p > 0)

    def marginals(self, like: Potentials) -> Potentials:
        counts = Potentials.zeros(like.words, like.anchors)
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            for (name, *index), count in features(tree).items():
                getattr(counts, str(name))[tuple(index)] += count * probability
        return counts

    def by_expression(self, values: list[Fraction]) -> dict[Expression, float]:
        """The probability of each expression."""
        total: dict[Expression, float] = {}
        for tree, probability in zip(self.trees, self.probabilities, strict=True):
            expression = tree.expression(values)
            total[expression] = total.get(expression, 0.0) + probability
        return total


def count_operators(expression: Expression) -> int:
    return sum(1 for _ in operators(expression))

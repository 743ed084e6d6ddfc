"""Every text-math tree of a short text, one by one, in plain Python: the slow twin of the chart.

Nothing here is clever. A tree is built by choosing an operator, two blocks of words for its operands in
either order (or none for an unknown), and trees for the blocks; statements may stand between the two sides of
an equation. Its score is read off the string of each node.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import EDGE, LEFT, RIGHT, WORD, A, B, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.mathematics.expression import Expression, operators

UNKNOWNS = (Symbol.X1, Symbol.X2, Symbol.X3)
AT_ROOT = (Symbol.CEIL, Symbol.QUO, Symbol.REM, Symbol.GCD, Symbol.LCM, Symbol.RATIO)


@dataclass(frozen=True)
class Grammar:
    """Which trees there are: the symbols, unknowns without words, statements inside statements."""

    symbols: frozenset[Symbol]
    silent: bool = False
    asides: bool = False

    def below(self, symbol: Symbol, side: int) -> frozenset[Symbol]:
        """The symbols that may stand on one side of an operator."""
        if symbol is Symbol.SYS:
            return self.symbols & ({Symbol.EQU, Symbol.SYS} if side == LEFT else {Symbol.EQU})
        return self.symbols - {Symbol.EQU, Symbol.SYS, *AT_ROOT}


def all_trees(
    words: int,
    anchors: tuple[int, ...],
    grammar: Grammar | frozenset[Symbol],
    roots: frozenset[Symbol],
    max_operators: int | None = None,
) -> list[TextMathTree]:
    """Every tree over the whole text with an allowed root and not too many operators."""
    if not isinstance(grammar, Grammar):
        grammar = Grammar(grammar)
    found = []
    for tree in trees(0, words, anchors, grammar, grammar.symbols):
        count = sum(node.symbol.operator is not None for node in tree.nodes())
        root = Symbol.SYS if tree.asides else tree.symbol
        if root in roots and (max_operators is None or count <= max_operators):
            found.append(tree)
    return found


@lru_cache(maxsize=4096)
def trees(
    first: int, last: int, anchors: tuple[int, ...], grammar: Grammar, allowed: frozenset[Symbol]
) -> tuple[TextMathTree, ...]:
    """Every tree over the words first…last-1 whose root is one of the allowed symbols."""
    found: list[TextMathTree] = []
    for symbol in sorted(allowed):
        if symbol is Symbol.CON:
            for k, anchor in enumerate(anchors):
                if first <= anchor < last:
                    found.append(TextMathTree(symbol, (first, last), quantity=k))
        elif symbol.operator is None:
            found.append(TextMathTree(symbol, (first, last)))
        else:
            found += operator_trees(symbol, first, last, anchors, grammar)
            if grammar.silent:
                found += half_silent_trees(symbol, first, last, anchors, grammar)
                found += silent_trees(symbol, first, last, grammar)
    return tuple(found)


def operator_trees(
    symbol: Symbol, first: int, last: int, anchors: tuple[int, ...], grammar: Grammar
) -> Iterator[TextMathTree]:
    """Both operands have words."""
    for start, end, begin, stop in itertools.product(range(first, last + 1), repeat=4):
        if not start < end <= begin < stop:
            continue
        for swapped in (False,) if symbol is Symbol.SYS else (False, True):
            sides = (RIGHT, LEFT) if swapped else (LEFT, RIGHT)
            ones = trees(start, end, anchors, grammar, grammar.below(symbol, sides[0]))
            twos = trees(begin, stop, anchors, grammar, grammar.below(symbol, sides[1]))
            pattern = Pattern(swapped, start > first, begin > end, stop < last)
            may_hold = grammar.asides and symbol is Symbol.EQU
            fillings = asides_between(end, begin, anchors, grammar) if may_hold else [()]
            for one, two, asides in itertools.product(ones, twos, fillings):
                children = (two, one) if swapped else (one, two)
                yield TextMathTree(symbol, (first, last), pattern, children, asides=asides)


def asides_between(
    first: int, last: int, anchors: tuple[int, ...], grammar: Grammar
) -> list[tuple[TextMathTree, ...]]:
    """Every way to put statements, one after another, among these words."""
    found: list[tuple[TextMathTree, ...]] = [()]
    for start, end in itertools.combinations(range(first, last + 1), 2):
        statements = trees(start, end, anchors, grammar, grammar.symbols & {Symbol.EQU})
        for aside in statements:
            found += [(aside, *others) for others in asides_between(end, last, anchors, grammar)]
    return found


def half_silent_trees(
    symbol: Symbol, first: int, last: int, anchors: tuple[int, ...], grammar: Grammar
) -> Iterator[TextMathTree]:
    """One operand is an unknown without words, and the operator owns at least one."""
    for start, stop in itertools.combinations(range(first, last + 1), 2):
        if (start, stop) == (first, last):
            continue
        for side, place in ((LEFT, last), (RIGHT, first)):  # the side that has words; where the other one is
            other = 1 - side
            name = "AB"[side]
            pattern = Pattern.of("w" * (start > first) + name + "w" * (stop < last))
            for spoken in trees(start, stop, anchors, grammar, grammar.below(symbol, side)):
                for unknown in sorted(grammar.below(symbol, other) & set(UNKNOWNS)):
                    silent = TextMathTree(unknown, (place, place))
                    children = (spoken, silent) if side == LEFT else (silent, spoken)
                    yield TextMathTree(symbol, (first, last), pattern, children)


def silent_trees(symbol: Symbol, first: int, last: int, grammar: Grammar) -> Iterator[TextMathTree]:
    """Both operands are unknowns without words."""
    for left in sorted(grammar.below(symbol, LEFT) & set(UNKNOWNS)):
        for right in sorted(grammar.below(symbol, RIGHT) & set(UNKNOWNS)):
            children = TextMathTree(left, (first, first)), TextMathTree(right, (last, last))
            yield TextMathTree(symbol, (first, last), Pattern.of("w"), children)


def features(tree: TextMathTree) -> Counter[tuple[object, ...]]:
    """Which potentials a tree collects, and how often."""
    found: Counter[tuple[object, ...]] = Counter()
    found["root", int(Symbol.SYS if tree.asides else tree.symbol)] += 1
    for node in tree.nodes():
        string = node_string(node)
        for (_, left), (at, right) in itertools.pairwise(string):
            found["step", int(node.symbol), at, left, right] += 1
        if node.pattern is not None:
            found["pattern", int(node.symbol), node.pattern.index] += 1
            for side, child in zip((LEFT, RIGHT), node.children, strict=True):
                found["child", int(node.symbol), side, int(child.symbol)] += 1
            for aside in node.asides:
                found["child", int(node.symbol), RIGHT, int(aside.symbol)] += 1
        if node.quantity is not None:
            found["number", node.quantity] += 1
    return found


def node_string(node: TextMathTree) -> list[tuple[int, int]]:
    """START s1 … sk END, each with the text boundary at which it begins; an aside is END and START in one."""
    first, last = node.span
    if first == last:
        return []
    owner: dict[int, tuple[int, int]] = {}
    for mark, child in zip((A, B), node.children, strict=False):
        owner |= dict.fromkeys(range(*child.span), (mark, child.span[0]))
    for aside in node.asides:
        owner |= dict.fromkeys(range(*aside.span), (EDGE, aside.span[0]))
    string = [(first, EDGE)]
    for word in range(first, last):
        mark, begin = owner.get(word, (WORD, word))
        if begin == word:
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

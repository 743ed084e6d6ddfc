"""What makes up the score of a text-math tree: every feature with its weight, at its node and word.

>>> from text2math.inference.crf import TextMathCRF
>>> from text2math.inference.forest import Forest
>>> potentials = Potentials.zeros(words=3, anchors=[0, 2])
>>> potentials.step[Symbol.ADD, 1, :, WORD] = 2.0
>>> tree = TextMathCRF(Forest.full(), potentials).best.tree
>>> contributions(tree, potentials)
(Contribution(node=0, word=1, kind='word', feature='rest', score=2.0),)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

from text2math.inference.patterns import PATTERNS, SWAPPED
from text2math.inference.potentials import ASIDE, LEFT, RIGHT, WORD, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.annotations import Annotations
from text2math.scorers.features import PAIRS, Named, ScaledVote, extract
from text2math.scorers.linear import OPERATORS, ORDER, PAIRS_, ROOT, WORDS, LinearScorer

Kind = Literal["root", "word", "pair", "operator", "operand", "number"]
NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to a tree's score, at a node (by its place in ``tree.nodes()``) and a word.

    ``word`` is None if the feature belongs to no single word: to a pattern, an operand, the whole text.
    """

    node: int
    word: int | None
    kind: Kind
    feature: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "node": self.node,
            "word": self.word,
            "kind": self.kind,
            "feature": self.feature,
            "score": self.score,
        }


class Parts(Protocol):
    """How each potential is made up of features."""

    def root(self, symbol: Symbol) -> tuple[Named, ...]:
        """Of a symbol at the root."""
        ...

    def step(self, symbol: Symbol, boundary: int, left: int, right: int) -> tuple[Named, ...]:
        """Of a step of a node's own string."""
        ...

    def operator(self, symbol: Symbol, pattern: int) -> tuple[Named, ...]:
        """Of an operator with its pattern."""
        ...

    def operand(self, symbol: Symbol, side: int, child: Symbol) -> tuple[Named, ...]:
        """Of an operand under an operator."""
        ...

    def number(self, quantity: int) -> tuple[Named, ...]:
        """Of a number's use."""
        ...


@dataclass(frozen=True)
class LinearParts:
    """The features of the linear scorer for one problem, with their weights."""

    scorer: LinearScorer
    annotations: Annotations

    @cached_property
    def _features(self) -> Any:
        return extract(self.annotations.problem, self.scorer.config, self.annotations)

    def root(self, symbol: Symbol) -> tuple[Named, ...]:
        """Of a symbol at the root."""
        found = [("start", float(self.scorer.tables["start"][symbol]))]
        found += self._weighed(ROOT, "whole", self._features.whole, self._column(symbol))
        return (*found, *self._votes("root-votes", "whole-votes", self._features.whole_votes, symbol))

    def step(self, symbol: Symbol, boundary: int, left: int, right: int) -> tuple[Named, ...]:
        """Of a step of a node's own string: the pair it joins, and the word it enters."""
        if (left, right) not in PAIRS:  # between two asides, where no feature looks
            return ()
        column = self._column(symbol)
        pair = self._features.pairs[boundary][PAIRS.index((left, right))]
        found = list(self._weighed(PAIRS_, PAIRS_, pair, column))
        if right == WORD:
            found += self._weighed(WORDS, WORDS, self._features.words[boundary], column)
            found += self._votes("word-votes", "word-votes", self._features.word_votes[boundary], symbol)
        return tuple(found)

    def operator(self, symbol: Symbol, pattern: int) -> tuple[Named, ...]:
        """Of an operator with its pattern."""
        column = self._column(symbol)
        found = [(f"pattern:{PATTERNS[pattern]}", float(self.scorer.tables["pattern"][symbol, pattern]))]
        found += self._weighed(OPERATORS, "whole", self._features.whole, column)
        found += self._votes("operator-votes", "whole-votes", self._features.whole_votes, symbol)
        if column is not None:
            swapped = 2 * column + bool(pattern & SWAPPED)
            found += self._weighed(ORDER, "order", self._features.order, swapped)
        return tuple(found)

    def operand(self, symbol: Symbol, side: int, child: Symbol) -> tuple[Named, ...]:
        """Of an operand under an operator, or of an equation inside another."""
        score = float(self.scorer.tables["child"][symbol, side, child])
        if symbol is Symbol.EQU is child:
            return (("aside", score),)
        return ((f"operand:{'A' if side == LEFT else 'B'}={child.name}", score),)

    def number(self, quantity: int) -> tuple[Named, ...]:
        """Of a number's use."""
        return tuple(self._weighed("numbers", "numbers", self._features.numbers[quantity], 0))

    def _column(self, symbol: Symbol) -> int | None:
        symbols = self.scorer.symbols
        return symbols.index(symbol) if symbol in symbols else None

    def _weighed(
        self, table: str, vocabulary: str, features: Iterable[Named], column: int | None
    ) -> Iterator[Named]:
        rows, weights = self.scorer.vocabulary[vocabulary], self.scorer.tables[table]
        if column is not None:
            for name, value in features:
                if name in rows:
                    yield name, value * float(weights[rows[name], column])

    def _votes(
        self, table: str, vocabulary: str, votes: Iterable[ScaledVote], symbol: Symbol
    ) -> Iterator[Named]:
        own = ((name, scale) for name, voted, scale in votes if voted == symbol)
        for name, score in self._weighed(table, vocabulary, own, 0):
            yield f"vote:{name}", score


def contributions(
    tree: TextMathTree, potentials: Potentials, parts: Parts | None = None
) -> tuple[Contribution, ...]:
    """The contributions to a tree's score; they add up to ``tree.score(potentials)``.

    What the given parts do not account for (another scorer, a number that must be used) is there as ``rest``.
    """
    found: list[Contribution] = []
    for node, word, kind, score, named in _cells(tree, potentials, parts):
        rest = score - sum(part for _, part in named)
        for feature, part in (*named, ("rest", rest if abs(rest) > NEGLIGIBLE else 0.0)):
            if part:
                found.append(Contribution(node, word, kind, feature, part))
    return tuple(found)


_Cell = tuple[int, int | None, Kind, float, tuple[Named, ...]]


def _cells(tree: TextMathTree, potentials: Potentials, parts: Parts | None) -> Iterator[_Cell]:
    """Every potential that a tree collects, as ``TextMathTree.score`` adds them up, with its parts."""
    at_root = tree.root_symbol
    yield 0, None, "root", float(potentials.root[at_root]), parts.root(at_root) if parts else ()
    for at, node in enumerate(tree.nodes()):
        symbol = node.symbol
        for boundary, left, right in node.steps():
            score = float(potentials.step[symbol, boundary, left, right])
            named = parts.step(symbol, boundary, left, right) if parts else ()
            yield at, word_at(boundary, left, right), "word" if right == WORD else "pair", score, named
        if node.pattern is not None:
            index = node.pattern.index
            score = float(potentials.pattern[symbol, index])
            yield at, None, "operator", score, parts.operator(symbol, index) if parts else ()
        sides = (LEFT, RIGHT, *(ASIDE for _ in node.asides))
        for side, child in zip(sides, node.below, strict=False):
            score = float(potentials.child[symbol, side, child.symbol])
            yield at, None, "operand", score, parts.operand(symbol, side, child.symbol) if parts else ()
        if node.quantity is not None:
            score, k = float(potentials.number[node.quantity]), node.quantity
            yield at, int(potentials.anchors[k]), "number", score, parts.number(k) if parts else ()


def word_at(boundary: int, left: int, right: int) -> int | None:
    """The word a step is about: the one it enters, or else the one it leaves.

    >>> from text2math.inference.potentials import A
    >>> word_at(3, A, WORD), word_at(3, WORD, A), word_at(3, A, A)
    (3, 2, None)
    """
    if right == WORD:
        return boundary
    return boundary - 1 if left == WORD else None

"""The discrete scorer: a table of weights for each kind of feature, and potentials as sparse products.

A feature is always (something of the text) × (a symbol), so the weights of a kind are a table
``W[feature, symbol]``, the potentials of any number of problems are one sparse product ``F @ W``, and the
gradient is ``F.T @ (expected counts)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from text2math.inference.patterns import PATTERN_COUNT, SWAPPED
from text2math.inference.potentials import SYMBOL_COUNT, FloatArray, Potentials, Symbol
from text2math.language.annotations import Annotations
from text2math.language.problem import Problem
from text2math.scorers.features import (
    NAMED_KINDS,
    PAIRS,
    FeatureConfig,
    ProblemFeatures,
    ScaledVote,
    check_relevance,
    forbidden_numbers,
)
from text2math.scorers.regression import feature_matrix
from text2math.scorers.scorer import Relevant
from text2math.scorers.single import ENTERING, SingleScores

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# The five kinds of features (see ``features.py``) and the three tables every problem shares.
WORDS, PAIRS_, NUMBERS, ROOT, OPERATORS, ORDER = "words", "pairs", "numbers", "root", "operators", "order"
VOCABULARIES = (WORDS, PAIRS_, NUMBERS, "whole", "order", "word-votes", "whole-votes")
# The tables of weights that have a row for each feature of a kind.
TABLES_OF = {
    WORDS: (WORDS,),
    PAIRS_: (PAIRS_,),
    NUMBERS: (NUMBERS,),
    "whole": (ROOT, OPERATORS),
    "order": (ORDER,),
    "word-votes": ("word-votes",),
    "whole-votes": ("root-votes", "operator-votes"),
}


def _shared(symbols: int, patterns: int = PATTERN_COUNT) -> dict[str, tuple[int, ...]]:
    """The shapes of the tables that every problem shares, in a grammar of so many symbols and patterns."""
    return {"pattern": (symbols, patterns), "child": (symbols, 2, symbols), "start": (symbols,)}


SHARED = _shared(SYMBOL_COUNT)
_SWAPPED = np.array([int(bool(index & SWAPPED)) for index in range(PATTERN_COUNT)])
FIXED_SIZE = sum(int(np.prod(shape)) for shape in SHARED.values())

Vocabulary = dict[str, dict[str, int]]  # kind -> feature -> row of the kind's table
IntVector = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tables:
    """The position of each table in the flat vector of all weights."""

    offsets: tuple[tuple[str, int, tuple[int, ...]], ...]
    size: int

    @classmethod
    def of(
        cls,
        vocabulary: Mapping[str, Sized],
        symbols: int,
        grammar: int = SYMBOL_COUNT,
        patterns: int = PATTERN_COUNT,
    ) -> Tables:
        """Lay out the tables of a vocabulary over this many symbols, of a grammar of so many."""
        shapes: dict[str, tuple[int, ...]] = {
            WORDS: (len(vocabulary[WORDS]), symbols),
            PAIRS_: (len(vocabulary[PAIRS_]), symbols),
            NUMBERS: (len(vocabulary[NUMBERS]), 1),
            ROOT: (len(vocabulary["whole"]), symbols),
            OPERATORS: (len(vocabulary["whole"]), symbols),
            ORDER: (len(vocabulary["order"]), 2 * symbols),
            "word-votes": (len(vocabulary["word-votes"]), 1),
            "root-votes": (len(vocabulary["whole-votes"]), 1),
            "operator-votes": (len(vocabulary["whole-votes"]), 1),
            **_shared(grammar, patterns),
        }
        offsets, at = [], 0
        for name, shape in shapes.items():
            offsets.append((name, at, shape))
            at += int(np.prod(shape))
        return cls(tuple(offsets), at)

    def views(self, weights: FloatArray) -> dict[str, FloatArray]:
        """The tables as views of the flat vector."""
        return {
            name: weights[at : at + int(np.prod(shape))].reshape(shape) for name, at, shape in self.offsets
        }


def moved_weights(
    weights: FloatArray,
    vocabulary: Vocabulary,
    symbols: int,
    grammar: Sequence[Symbol],
    patterns: int = PATTERN_COUNT,
) -> FloatArray:
    """Weights made under another grammar, given by its symbols in order, as this grammar lays them out.

    It may have known only the first ``patterns``.
    """
    there = Tables.of(vocabulary, symbols, len(grammar), patterns)
    if len(weights) != there.size:
        raise ValueError("the number of weights does not fit")
    here = Tables.of(vocabulary, symbols)
    moved = np.zeros(here.size)
    old, new, at = there.views(weights), here.views(moved), np.array(grammar, dtype=np.intp)
    for name, table in old.items():
        match name:
            case "pattern":
                new[name][at, :patterns] = table
            case "start":
                new[name][at] = table
            case "child":
                new[name][np.ix_(at, np.arange(2), at)] = table
            case _:
                new[name][:] = table
    return moved


@lru_cache(maxsize=64)
def _unseen(symbols: tuple[Symbol, ...]) -> IntVector:
    """The places of all other symbols."""
    return np.array(sorted(set(Symbol) - set(symbols)), dtype=np.intp)


def _forbid_unseen(
    pattern: FloatArray, child: FloatArray, root: FloatArray, symbols: Iterable[Symbol]
) -> None:
    """Let no tree have a symbol that was not seen in training; the arrays may be of many problems."""
    unseen = _unseen(tuple(symbols))
    pattern[..., unseen, :] = -np.inf
    child[..., unseen, :, :] = -np.inf
    child[..., unseen] = -np.inf
    root[..., unseen] = -np.inf


def collect(features: Sequence[ProblemFeatures], min_count: int = 1) -> Vocabulary:
    """Number every feature that occurs in at least ``min_count`` problems, in a fixed order."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in VOCABULARIES}
    shared = _shared_names(features)
    for found in features:
        for kind, names in _votes(found).items() if shared else _names(found).items():
            counts[kind].update(names)
    kept = {
        kind: [name for name, count in counter.items() if count >= min_count]
        for kind, counter in counts.items()
    }
    if shared:
        kept |= {kind: _frequent(features, kind, names, min_count) for kind, names in shared.items()}
    return {kind: {name: row for row, name in enumerate(sorted(names))} for kind, names in kept.items()}


def _names(found: ProblemFeatures) -> dict[str, set[str]]:
    named = {kind: {name for row in found.rows(kind) for name, _ in row} for kind in NAMED_KINDS}
    return named | _votes(found)


def _votes(found: ProblemFeatures) -> dict[str, set[str]]:
    return {
        "word-votes": {name for word in found.word_votes for name, _, _ in word},
        "whole-votes": {name for name, _, _ in found.whole_votes},
    }


def _shared_names(features: Sequence[ProblemFeatures]) -> dict[str, dict[str, int]] | None:
    """The numbers that these features have beside their names, where all of them have the same."""
    first = features[0].numbered if features else None
    same = first is not None and all(
        f.numbered is not None and f.numbered.names is first.names for f in features
    )
    return first.names if first is not None and same else None


def _frequent(features: Sequence[ProblemFeatures], kind: str, names: dict[str, int], least: int) -> list[str]:
    """The features that occur in at least so many problems, from their numbers."""
    counts = np.zeros(len(names), dtype=np.int64)
    for found in features:
        assert found.numbered is not None
        counts[np.unique(found.numbered.rows[kind].numbers)] += 1
    return [name for name, count in zip(names, counts.tolist(), strict=True) if count >= least]


def _matrix(features: Sequence[ProblemFeatures], kind: str, vocabulary: dict[str, int]) -> csr_matrix:
    """The features of a kind as a matrix, from their numbers where they have some."""
    shared = _shared_names(features)
    if shared is None:
        return feature_matrix([row for f in features for row in f.rows(kind)], vocabulary)
    from scipy.sparse import csr_matrix  # slow to import

    rows = [f.numbered.rows[kind] for f in features if f.numbered is not None]
    numbers, values, lengths = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    column_of = np.array([vocabulary.get(name, -1) for name in shared[kind]], dtype=np.int32)
    columns = column_of[numbers]
    known = columns >= 0
    ends = np.concatenate([[0], np.cumsum(known)])[np.concatenate([[0], np.cumsum(lengths)])]
    return csr_matrix((values[known], columns[known], ends), shape=(len(lengths), len(vocabulary)))


class Batch:
    """Many problems' features as sparse matrices; potentials and gradients as one flat array.

    The flat array holds the problems one after the other, each as ``step, pattern, child, root, number``.
    """

    def __init__(
        self, features: Sequence[ProblemFeatures], vocabulary: Vocabulary, symbols: Sequence[Symbol]
    ) -> None:
        self._symbols = tuple(symbols)
        self._columns = np.array([int(symbol) for symbol in symbols])
        self._tables = Tables.of(vocabulary, len(symbols))
        self._words, self._pairs, self._numbers, self._whole, self._order = (
            _matrix(features, kind, vocabulary[kind]) for kind in NAMED_KINDS
        )
        votes = [vote for f in features for vote in (*f.word_votes, ())]
        self._word_votes = _vote_matrix(votes, vocabulary["word-votes"], symbols)
        self._whole_votes = _vote_matrix(
            [f.whole_votes for f in features], vocabulary["whole-votes"], symbols
        )
        self.lengths = np.array([len(f.words) for f in features], dtype=np.int64)
        self._counts = np.array([len(f.numbers) for f in features], dtype=np.int64)
        sizes = SYMBOL_COUNT * 16 * (self.lengths + 1) + FIXED_SIZE + self._counts
        self.offsets: IntVector = np.concatenate([[0], np.cumsum(sizes)])
        self._forbidden = np.array([bad for f in features for bad in f.forbidden], dtype=bool)
        self._place()

    def _place(self) -> None:
        """Find where every product belongs in the flat array."""
        boundary, number, fixed = [], [], []
        for at, n, count in zip(self.offsets[:-1], self.lengths, self._counts, strict=True):
            # step[s, i, l, r] of a problem is at ((s·(n+1) + i)·4 + l)·4 + r
            i = np.arange(n + 1)[:, None, None]
            pair = np.array([4 * left + right for left, right in PAIRS])[None, :, None]
            boundary.append(at + (self._columns[None, None, :] * (n + 1) + i) * 16 + pair)
            end = at + SYMBOL_COUNT * 16 * (n + 1)
            fixed.append(end)
            number.append(end + FIXED_SIZE + np.arange(count))
        self._step_at = np.concatenate(boundary)  # [boundaries, pairs, symbols]
        self._number_at = np.concatenate(number)
        self._fixed_at = np.array(fixed)[:, None] + np.arange(FIXED_SIZE)[None, :]  # [problems, fixed]

    @property
    def local_features(self) -> tuple[csr_matrix, csr_matrix, csr_matrix]:
        """The features of boundaries (and the words after them), of pairs there, and of numbers."""
        return self._words, self._pairs, self._numbers

    def potentials(self, weights: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """All problems' potentials, one after the other, in ``out`` where it is given.

        ``out`` is zero, or holds what an earlier call wrote there.
        """
        tables = self._tables.views(weights)
        flat = np.zeros(int(self.offsets[-1])) if out is None else out
        step = (self._pairs @ tables[PAIRS_]).reshape(self._step_at.shape)
        votes = (self._word_votes @ tables["word-votes"]).reshape(-1, len(self._columns))
        step[:, ENTERING, :] += (self._words @ tables[WORDS] + votes)[:, None, :]
        flat[self._step_at] = step
        flat[self._fixed_at] = self._fixed(tables)
        flat[self._number_at] = np.where(self._forbidden, -np.inf, (self._numbers @ tables[NUMBERS])[:, 0])
        return flat

    def _fixed(self, tables: dict[str, FloatArray]) -> FloatArray:
        problems = len(self.lengths)
        pattern = np.broadcast_to(tables["pattern"], (problems, *SHARED["pattern"])).copy()
        shape = (problems, len(self._columns))
        operators = self._whole @ tables[OPERATORS]  # [problems, symbols]
        operators += (self._whole_votes @ tables["operator-votes"]).reshape(shape)
        swapped = (self._order @ tables[ORDER]).reshape(problems, -1, 2)
        pattern[:, self._columns] += operators[:, :, None] + swapped[:, :, _SWAPPED]
        root = np.broadcast_to(tables["start"], (problems, SYMBOL_COUNT)).copy()
        root[:, self._columns] += self._whole @ tables[ROOT]
        root[:, self._columns] += (self._whole_votes @ tables["root-votes"]).reshape(shape)
        child = np.broadcast_to(tables["child"], (problems, *SHARED["child"])).copy()
        _forbid_unseen(pattern, child, root, self._symbols)
        return np.concatenate([pattern.reshape(problems, -1), child.reshape(problems, -1), root], axis=1)

    def gradient(self, counts: FloatArray) -> FloatArray:
        """The gradient of the weights, given that of the potentials (expected counts, flat)."""
        result = np.zeros(self._tables.size)
        tables = self._tables.views(result)
        # Transposed views: a batch that training keeps would hold each matrix twice otherwise.
        whole, whole_votes = self._whole.T, self._whole_votes.T
        step = counts[self._step_at]
        tables[PAIRS_][:] = self._pairs.T @ step.reshape(-1, len(self._columns))
        entering = step[:, ENTERING, :].sum(axis=1)  # [boundaries, symbols]
        tables[WORDS][:] = self._words.T @ entering
        tables["word-votes"][:] = self._word_votes.T @ entering.reshape(-1, 1)
        tables[NUMBERS][:] = (self._numbers.T @ counts[self._number_at])[:, None]
        fixed = counts[self._fixed_at]
        pattern, child, root = np.split(
            fixed, np.cumsum([SYMBOL_COUNT * PATTERN_COUNT, SYMBOL_COUNT * 2 * SYMBOL_COUNT]), 1
        )
        tables["pattern"][:] = pattern.sum(axis=0).reshape(SHARED["pattern"])
        tables["child"][:] = child.sum(axis=0).reshape(SHARED["child"])
        tables["start"][:] = root.sum(axis=0)
        active = pattern.reshape(-1, *SHARED["pattern"])[:, self._columns]  # [problems, symbols, patterns]
        uses, roots = active.sum(axis=2), root[:, self._columns]
        tables[OPERATORS][:] = whole @ uses
        tables["operator-votes"][:] = whole_votes @ uses.reshape(-1, 1)
        tables[ROOT][:] = whole @ roots
        tables["root-votes"][:] = whole_votes @ roots.reshape(-1, 1)
        halves = np.stack([active[:, :, side == _SWAPPED].sum(axis=2) for side in (0, 1)], axis=2)
        tables[ORDER][:] = self._order.T @ halves.reshape(len(self.lengths), -1)
        return result


def _vote_matrix(
    rows: Sequence[Sequence[ScaledVote]], vocabulary: dict[str, int], symbols: Sequence[Symbol]
) -> csr_matrix:
    """Votes as a matrix with one row for each (row, symbol)."""
    split = [
        [(name, scale) for name, symbol, scale in row if symbol == own] for row in rows for own in symbols
    ]
    return feature_matrix(split, vocabulary)


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Weights for the features of ``features.py``: a problem in, its potentials out."""

    config: FeatureConfig
    symbols: tuple[Symbol, ...]
    vocabulary: Vocabulary
    weights: FloatArray

    def __repr__(self) -> str:
        return f"LinearScorer({len(self.symbols)} symbols, {self.weights.size:,} weights)"

    @classmethod
    def untrained(
        cls,
        features: Sequence[ProblemFeatures],
        config: FeatureConfig,
        symbols: Sequence[Symbol],
        min_count: int = 1,
    ) -> LinearScorer:
        """All weights zero, over the features these problems have."""
        vocabulary = collect(features, min_count)
        size = Tables.of(vocabulary, len(symbols)).size
        return cls(config, tuple(symbols), vocabulary, np.zeros(size))

    def extended(self, features: Sequence[ProblemFeatures], symbols: Iterable[Symbol]) -> LinearScorer:
        """The same scores, with room for the features of more problems and for more symbols."""
        known = tuple(sorted({*self.symbols, *symbols}))
        seen = collect(features)
        vocabulary = {
            kind: {name: row for row, name in enumerate(sorted({*names, *seen[kind]}))}
            for kind, names in self.vocabulary.items()
        }
        weights = np.zeros(Tables.of(vocabulary, len(known)).size)
        extended = LinearScorer(self.config, known, vocabulary, weights)
        columns = [known.index(symbol) for symbol in self.symbols]
        for name in SHARED:
            extended.tables[name][:] = self.tables[name]
        for kind, names in TABLES_OF.items():
            rows = [vocabulary[kind][feature] for feature in self.vocabulary[kind]]
            for name in names:
                table, own = extended.tables[name], self.tables[name]
                width = table.shape[1] // len(known)  # columns a symbol; 0: one column for all of them
                wide = [width * column + at for column in columns for at in range(width)]
                table[np.ix_(rows, wide or [0])] = own
        return extended

    @cached_property
    def tables(self) -> dict[str, FloatArray]:
        """The weights by kind of feature: ``tables["words"][row, symbol]`` and so on."""
        return Tables.of(self.vocabulary, len(self.symbols)).views(self.weights)

    def batch(self, features: Sequence[ProblemFeatures]) -> Batch:
        """The features of many problems, compiled against this scorer's vocabulary."""
        return Batch(features, self.vocabulary, self.symbols)

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        """The potentials of a problem."""
        check_relevance(problem, relevant)
        reading = annotations or Annotations.of(problem, self.config.lexicon)
        step = np.zeros((SYMBOL_COUNT, len(problem.tokens) + 1, 4, 4))
        scores = self._single.step(reading).transpose(2, 1, 0)
        step[self._symbol_at, :, self._left_at, self._right_at] = scores
        columns = self._symbol_at[:, 0]
        pattern, child, root = (scores.copy() for scores in self._same_for_all)
        operators, roots = self._single.operators_and_root(reading, relevant)
        pattern[columns] += operators[:, _SWAPPED]
        root[columns] += roots
        number = self._single.number(reading, relevant)
        number[list(forbidden_numbers(problem, self.config, relevant))] = -np.inf
        anchors = np.asarray(problem.anchors, dtype=np.int32)
        return Potentials(step, pattern, child, root, number, anchors)

    @cached_property
    def _same_for_all(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What the patterns, children and roots of every problem have in common."""
        pattern, child, root = (self.tables[name].copy() for name in ("pattern", "child", "start"))
        _forbid_unseen(pattern, child, root, self.symbols)
        return pattern, child, root

    @cached_property
    def _single(self) -> SingleScores:
        return SingleScores(self.config, self.symbols, self.vocabulary, self.tables)

    @cached_property
    def _symbol_at(self) -> IntVector:
        return np.array([int(symbol) for symbol in self.symbols])[:, None]

    @cached_property
    def _left_at(self) -> IntVector:
        return np.array([left for left, _ in PAIRS])[None, :]

    @cached_property
    def _right_at(self) -> IntVector:
        return np.array([right for _, right in PAIRS])[None, :]

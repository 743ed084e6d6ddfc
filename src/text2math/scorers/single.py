"""The discrete scores of one problem, without the matrices of a batch, which would take longer than the rest.

Each template of pairs is asked about all words at once, and what depends on a word alone is kept from text to
text. Tests check that a batch gives the same potentials.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from typing import TypeVar

import numpy as np

from text2math.inference.potentials import WORD, FloatArray, Symbol
from text2math.language.annotations import Annotations
from text2math.scorers.features import (
    CONTEXT_TEMPLATES,
    MARKERS,
    PAIR_TEMPLATES,
    PAIRS,
    WORD_TEMPLATES,
    FeatureConfig,
    Form,
    Named,
    Vote,
    number_features,
    order_features,
    pair,
    whole_features,
    whole_votes,
    word_votes,
)

MOST_REMEMBERED = 4096  # words whose scores are kept
# Pairs of a word and what follows it, of what precedes it and a word, and of two markers.
_AFTER = tuple(own for own in PAIRS if own[0] == WORD != own[1])
_BEFORE = tuple(own for own in PAIRS if own[0] != WORD == own[1])
_WORDLESS = tuple(own for own in PAIRS if WORD not in own)
_AFTER_AT, _BEFORE_AT, _WORDLESS_AT = (
    [PAIRS.index(own) for own in kind] for kind in (_AFTER, _BEFORE, _WORDLESS)
)
_BETWEEN_AT = PAIRS.index((WORD, WORD))
_OPERATORS_AND_ROOT = "operators and root"
ENTERING = [index for index, (_, right) in enumerate(PAIRS) if right == WORD]

Key = TypeVar("Key", bound=Hashable)


class SingleScores:
    """The scores of one problem's features, given the weights of a discrete scorer."""

    def __init__(
        self,
        config: FeatureConfig,
        symbols: Sequence[Symbol],
        vocabulary: Mapping[str, Mapping[str, int]],
        tables: Mapping[str, FloatArray],
    ) -> None:
        self._config, self._symbols = config, tuple(symbols)
        # Both tables are asked for the same features.
        both = np.concatenate([tables["operators"], tables["root"]], axis=1)
        self._vocabulary, self._tables = vocabulary, {**tables, _OPERATORS_AND_ROOT: both}
        self._scaled: dict[str, FloatArray] = {}
        self._words_known: dict[Hashable, FloatArray] = {}
        self._beside_markers: dict[Form, FloatArray] = {}
        self._templates = [(name, config.scale(name)) for name in config.pairs]
        rows = [self._pair(MARKERS[left], MARKERS[right]) for left, right in _WORDLESS]
        self._wordless = self._sums(rows, "pairs")

    def step(self, reading: Annotations) -> FloatArray:
        """The scores of every pair at every boundary, [boundaries, pairs, symbols]."""
        columns = [PAIR_TEMPLATES[name](reading) for name in self._config.pairs]
        count = len(reading.words)
        step = np.zeros((count + 1, len(PAIRS), len(self._symbols)))
        step[:, _WORDLESS_AT] = self._wordless
        if not count:
            return step
        forms: list[Form] = list(zip(*columns, strict=True)) or [()] * count
        beside = _remembered(self._beside_markers, forms, lambda at: self._beside(forms[at]))
        beside = beside.reshape(count, len(_AFTER) + len(_BEFORE), len(self._symbols))
        step[1:, _AFTER_AT] = beside[:, : len(_AFTER)]
        step[:-1, _BEFORE_AT] = beside[:, len(_AFTER) :]
        between = step[1:-1, _BETWEEN_AT]
        for name, column in zip(self._config.pairs, columns, strict=True):
            between += self._each([f"{name}:{one} {other}" for one, other in pairwise(column)], "pairs")
        step[:-1, ENTERING, :] += self._words(reading)[:, None, :]
        return step

    def number(self, reading: Annotations, relevant: tuple[bool, ...] | None) -> FloatArray:
        """The score of using each number."""
        count = len(reading.problem.quantities)
        rows = [number_features(reading, self._config, k, relevant) for k in range(count)]
        return self._sums(rows, "numbers")[:, 0]

    def operators_and_root(
        self, reading: Annotations, relevant: tuple[bool, ...] | None
    ) -> tuple[FloatArray, FloatArray]:
        """The scores of each symbol as an operator, with its operands in order and swapped, [symbols, 2];
        and of each at the root, [symbols].
        """
        whole = [whole_features(reading, self._config)]
        votes = list(whole_votes(reading))
        both, count = self._sums(whole, _OPERATORS_AND_ROOT, "whole")[0], len(self._symbols)
        operators = both[:count] + self._votes(votes, "operator-votes", "whole-votes")
        root = both[count:] + self._votes(votes, "root-votes", "whole-votes")
        order = order_features(reading, self._config, relevant)
        return operators[:, None] + self._sums([order], "order")[0].reshape(-1, 2), root

    def _words(self, reading: Annotations) -> FloatArray:
        """The scores of each word, [words, symbols]."""
        parts = [token.pos for token in reading.problem.tokens]
        keys = list(zip(reading.words, reading.placed, parts, reading.cues, strict=True))
        alone = _remembered(self._words_known, keys, lambda at: self._word(reading, at))
        scores, votes = alone.reshape(len(keys), 2, -1).transpose(1, 0, 2)
        for name in self._config.words:
            for column in CONTEXT_TEMPLATES[name](reading) if name in CONTEXT_TEMPLATES else ():
                scores += self._each([f"{name}:{feature}" for feature in column], "words")
        # Last, as in a batch: another order would round otherwise, and ties would fall differently.
        return scores + votes

    def _word(self, reading: Annotations, at: int) -> FloatArray:
        """What a word is worth whatever its neighbours: its scores, then what its cues vote for."""
        alone = [name for name in self._config.words if name in WORD_TEMPLATES]
        names = [f"{name}:{feature}" for name in alone for feature in WORD_TEMPLATES[name](reading, at)]
        votes = self._votes(word_votes(reading, at), "word-votes")
        return np.concatenate([self._sums([names], "words")[0], votes])

    def _beside(self, form: Form) -> FloatArray:
        """The scores of a word beside each marker."""
        rows = [self._pair(form, MARKERS[right]) for _, right in _AFTER]
        rows += [self._pair(MARKERS[left], form) for left, _ in _BEFORE]
        return self._sums(rows, "pairs").ravel()

    def _pair(self, left: Form | str, right: Form | str) -> list[str]:
        return _names(pair(self._templates, left, right))

    def _each(self, names: Sequence[str], table: str) -> FloatArray:
        """The weights of each feature, [features, columns of the table]."""
        rows = self._vocabulary[table]
        return self._weights(table, table)[list(map(rows.get, names, repeat(len(rows))))]

    def _sums(self, rows: Sequence[Sequence[str]], table: str, kind: str = "") -> FloatArray:
        """For each row, the sum of the weights of its features, [rows, columns of the table]."""
        row_of, weights = self._vocabulary[kind or table].get, self._weights(table, kind or table)
        own: list[int] = []  # the rows that have any feature the table knows
        starts: list[int] = []  # where the places of each begin
        places: list[int] = []
        for at, row in enumerate(rows):
            found = [place for place in map(row_of, row) if place is not None]
            if found:
                own.append(at)
                starts.append(len(places))
                places += found
        total = np.zeros((len(rows), weights.shape[1]))
        if places:
            total[own] = np.add.reduceat(weights[places], starts, axis=0)
        return total

    def _weights(self, table: str, kind: str) -> FloatArray:
        """The weights of a table, each times its feature's value; a last row of zeros is for all others."""
        if table not in self._scaled:
            scale = np.ones((len(self._vocabulary[kind]), 1))
            for name, row in self._vocabulary[kind].items():
                scale[row] = self._config.scale(name.partition(":")[0])
            own = self._tables[table] * scale
            self._scaled[table] = np.concatenate([own, np.zeros((1, own.shape[1]))])
        return self._scaled[table]

    def _votes(self, votes: Iterable[Vote], table: str, kind: str = "") -> FloatArray:
        """For each symbol, the sum of what speaks for it."""
        total = np.zeros(len(self._symbols))
        if not self._config.votes:
            return total
        row_of, weights = self._vocabulary[kind or table].get, self._tables[table][:, 0]
        for name, symbol in votes:
            place = row_of(name)
            if place is not None and symbol in self._symbols:
                total[self._symbols.index(symbol)] += weights[place] * self._config.scale("votes")
        return total


def _names(features: Iterable[Named]) -> list[str]:
    return [name for name, _ in features]


def _remembered(
    known: dict[Key, FloatArray], keys: Sequence[Key], scores: Callable[[int], FloatArray]
) -> FloatArray:
    """The scores of each key, one after the other; those of new keys are worked out from their places."""
    if len(known) > MOST_REMEMBERED:
        known.clear()
    found = list(map(known.get, keys))
    for at, own in enumerate(found):
        if own is None:
            found[at] = known[keys[at]] = scores(at)
    return np.concatenate(found)  # type: ignore[arg-type]  # no None is left

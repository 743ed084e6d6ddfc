"""How likely a candidate relates its numbers rightly, which the chart, word by word, can't score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from text2math.language.problem import Problem
from text2math.mathematics.relations import UNRELATED, Known, Relation, relations
from text2math.model.candidates import Candidate


def related(
    candidates: Sequence[Candidate], scores: NDArray[np.float32], problem: Problem
) -> tuple[Candidate, ...]:
    """The candidates, each with the log-probability of its numbers' relations.

    ``scores`` [K, K, …] has those of each relation of two numbers. Of the numbers with the same origin, the
    first one counts; a pair has the lower number first, and a number is a pair with itself too.
    """
    first = problem.first_of_origin
    numbers = sorted(set(first))
    own = scores[np.ix_(numbers, numbers)]
    own = own - own.max(axis=-1, keepdims=True)
    logs = own - np.log(np.exp(own).sum(axis=-1, keepdims=True))
    unused = float(np.triu(logs[:, :, UNRELATED]).sum())
    gains = _Gains(logs - logs[:, :, UNRELATED, None], {number: at for at, number in enumerate(numbers)})
    known: Known = {}  # candidates have most of their operations in common
    return tuple(
        one.with_relations(unused + gains.total(relations(one.mathematics, first, known)))
        for one in candidates
    )


class _Gains(dict[tuple[int, int], list[float]]):
    """For each two numbers, how much likelier each relation is than none."""

    def __init__(self, table: NDArray[np.float32], places: Mapping[int, int]) -> None:
        self._table, self._places = table, places

    def __missing__(self, pair: tuple[int, int]) -> list[float]:
        a, b = pair
        found: list[float] = self._table[self._places[a], self._places[b]].tolist()
        self[pair] = found
        return found

    def total(self, found: Iterable[Relation]) -> float:
        """The sum over pairs of numbers; of several relations of a pair, the likeliest counts."""
        best: dict[tuple[int, int], float] = {}
        for a, b, relation in found:
            gain = self[a, b][relation]
            if gain > best.get((a, b), -math.inf):
                best[a, b] = gain
        return sum(best.values())

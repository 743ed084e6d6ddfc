"""How likely a candidate relates its numbers rightly, which the chart, word by word, can't score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from text2math.language.problem import Problem
from text2math.mathematics.relations import UNRELATED, Known, Relation, relations
from text2math.model.candidates import Candidate


def related(
    candidates: Sequence[Candidate], scores: NDArray[np.float32], problem: Problem
) -> tuple[Candidate, ...]:
    """The candidates, each with the log odds of its numbers' relations against none.

    ``scores`` [K, K, …] has those of each relation of two numbers. Up to a constant, the same for all
    candidates of a text, this is the log-probability of all relations, those of unused numbers included.
    """
    odds = _Odds(scores)
    known: Known = {}  # candidates have most of their operations in common
    first = problem.first_of_origin
    return tuple(
        [one.with_relations(odds.total(relations(one.mathematics, first, known))) for one in candidates]
    )


class _Odds(dict[tuple[int, int], list[float]]):
    """For each two numbers, the log odds of each relation against none."""

    def __init__(self, scores: NDArray[np.float32]) -> None:
        self._scores = scores

    def __missing__(self, pair: tuple[int, int]) -> list[float]:
        own: list[float] = self._scores[pair].tolist()
        none = own[UNRELATED]
        found = self[pair] = [score - none for score in own]
        return found

    def total(self, found: Iterable[Relation]) -> float:
        """The sum over pairs of numbers; of several relations of a pair, the likeliest counts."""
        best: dict[tuple[int, int], float] = {}
        for a, b, relation in found:
            own = self[a, b][relation]
            if own > best.get((a, b), -math.inf):
                best[a, b] = own
        return sum(best.values())

"""How likely a candidate relates its numbers rightly, which the chart, word by word, can't score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from text2math.language.problem import Problem
from text2math.mathematics.relations import UNRELATED, relations
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
    logs = own - np.logaddexp.reduce(own, axis=-1, keepdims=True)
    unused = float(np.triu(logs[:, :, UNRELATED]).sum())
    gains: list[list[list[float]]] = (logs - logs[:, :, UNRELATED, None]).tolist()
    places = {number: place for place, number in enumerate(numbers)}

    def log_probability(candidate: Candidate) -> float:
        return unused + sum(
            max([gains[places[a]][places[b]][relation] for relation in found])
            for (a, b), found in relations(candidate.mathematics, first).items()
        )

    return tuple(candidate.with_relations(log_probability(candidate)) for candidate in candidates)

"""Sums of probabilities that are given by their logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence


def log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum of numbers, given theirs; for a few of them, arrays would take longer.

    >>> round(log_sum([math.log(2), math.log(3), -math.inf]), 12) == round(math.log(5), 12)
    True
    >>> log_sum([])
    -inf
    """
    top = max(logarithms, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum([math.exp(one - top) for one in logarithms]))

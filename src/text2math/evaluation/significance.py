"""Whether one system is better than another, given which of the same problems each got wrong.

>>> first, second = Verdicts(100, (("1", "2", "3"),)), Verdicts(100, (("3",),))
>>> found = compare(first, second)
>>> found.difference, found.only_first, found.only_second, found.p_value
(2.0, 0.0, 2.0, 0.5)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

import numpy as np

from text2math.inference.potentials import FloatArray

RESAMPLES = 10_000
LEVEL = 95.0
ACCURACY = "accuracy"
_WRONG = {ACCURACY: "wrong", "unnamed": "wrong_unnamed"}  # where results keep the problems that were wrong


def named_metric(name: str) -> tuple[str, str]:
    """A result and the metric it is judged by, as people name them.

    >>> named_metric("equations/paper/paper:unnamed"), named_metric("il/paper/paper")
    (('equations/paper/paper', 'unnamed'), ('il/paper/paper', 'accuracy'))
    """
    result, _, metric = name.rpartition(":")
    return (result, metric) if metric in _WRONG else (name, ACCURACY)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How many problems a system was asked, and the ids of those it got wrong, for each of its seeds."""

    problems: int
    wrong: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, result: Mapping[str, Any], name: str, metric: str = ACCURACY) -> Verdicts:
        """Those in a result of ``text2math tables`` or ``cross-validate --json``, by one of its metrics."""
        wrong = result.get(_WRONG[metric])
        if not wrong:
            raise ValueError(
                f"{name}: the result does not say which problems were wrong by {metric}; run it again"
            )
        return cls(int(result["problems"]), tuple(map(tuple, wrong)))

    def misses(self) -> Counter[str]:
        """For each problem that was ever wrong, how many seeds got it wrong."""
        return Counter(id for ids in self.wrong for id in ids)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same problems; percentages are of all problems, pooled over the folds."""

    problems: int
    first: float  # accuracy in percent
    second: float
    only_first: float  # problems that only the first got right; a mean where there are several seeds
    only_second: float
    difference: float  # second - first, in points
    low: float  # of the difference, by a paired bootstrap over the problems
    high: float
    p_value: float | None  # of McNemar's exact test; None where a system has several seeds

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        test = "" if self.p_value is None else f"; McNemar p = {self.p_value:.3g}"
        return (
            f"{self.first:.1f} % and {self.second:.1f} % of {self.problems} problems: "
            f"{self.difference:+.1f} points, {LEVEL:.0f} % interval {self.low:+.1f} to {self.high:+.1f}; "
            f"right in one alone: {self.only_first:g} and {self.only_second:g}{test}"
        )


@dataclass(frozen=True, slots=True)
class Published:
    """A system and a published figure, of which nobody knows which problems were wrong."""

    problems: int
    figure: float  # in percent
    accuracy: float  # of the system, over all problems, pooled over the folds
    difference: float  # accuracy - figure, in points
    low: float  # of the difference, by a bootstrap over the problems; the figure is taken to be exact
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.1f} % of {self.problems} problems, published {self.figure:.1f} %: "
            f"{self.difference:+.1f} points, {LEVEL:.0f} % interval {self.low:+.1f} to {self.high:+.1f}"
        )


def compare_published(own: Verdicts, figure: float, *, seed: int = 0) -> Published:
    """Compare a system with a figure that was published for the same problems.

    >>> found = compare_published(Verdicts(100, (("1", "2", "3", "4"),)), 90.0)
    >>> found.accuracy, found.difference, found.low > 0
    (96.0, 6.0, True)
    """
    if not 0 <= figure <= 100:
        raise ValueError(f"a published figure is a percentage, from 0 to 100, not {figure:g}")
    misses = np.array([count / len(own.wrong) for count in own.misses().values()])
    accuracy = 100 * (1 - float(misses.sum()) / own.problems)
    low, high = _interval(-misses, own.problems, RESAMPLES, seed)
    shift = 100 - figure
    return Published(own.problems, figure, accuracy, accuracy - figure, low + shift, high + shift)


def compare(first: Verdicts, second: Verdicts, *, resamples: int = RESAMPLES, seed: int = 0) -> Comparison:
    """Compare two systems by a paired bootstrap over problems, and by McNemar's exact test."""
    if first.problems != second.problems:
        raise ValueError(f"{first.problems} problems and {second.problems}: not the same ones")
    ids = sorted(first.misses().keys() | second.misses().keys())
    misses = [np.array([one.misses()[id] / len(one.wrong) for id in ids]) for one in (first, second)]
    gains = misses[0] - misses[1]  # of the second system, for each problem that anyone got wrong
    low, high = _interval(gains, first.problems, resamples, seed)
    only_first, only_second = abs(float(gains[gains < 0].sum())), float(gains[gains > 0].sum())
    single = len(first.wrong) == len(second.wrong) == 1
    accuracies = [100 * (1 - float(own.sum()) / first.problems) for own in misses]
    return Comparison(
        problems=first.problems,
        first=accuracies[0],
        second=accuracies[1],
        only_first=only_first,
        only_second=only_second,
        difference=100 * (only_second - only_first) / first.problems,
        low=low,
        high=high,
        p_value=mcnemar(round(only_first), round(only_second)) if single else None,
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The p-value of McNemar's exact test on the problems that only one system got right.

    >>> mcnemar(0, 6), mcnemar(5, 5)
    (0.03125, 1.0)
    """
    count, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(count, k) for k in range(fewer + 1)) / (1 << count)
    return min(1.0, 2 * tail)


def _interval(gains: FloatArray, problems: int, resamples: int, seed: int) -> tuple[float, float]:
    """The bootstrap interval: the middle of the differences over problems resampled with replacement."""
    everyone = np.zeros(problems)
    everyone[: len(gains)] = gains
    generator = np.random.default_rng(seed)
    found = [everyone[generator.integers(0, problems, problems)].mean() for _ in range(resamples)]
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(found, [tail, 100 - tail])
    return 100 * float(low), 100 * float(high)

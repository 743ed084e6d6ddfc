"""How far probabilities can be trusted: calibration, sure answers, and risk against coverage.

>>> reliability = Reliability.of([0.95, 0.92, 0.6, None], [True, False, True, False])
>>> reliability.sure, reliability.sure_right, reliability.answered
(2, 1, 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from text2math.model.calibration import expected_error

SURE = 0.9
"""The probability from which an answer counts as sure."""
COVERAGES = tuple(tenths / 10 for tenths in range(1, 11))


@dataclass(frozen=True, slots=True)
class Point:
    """The most probable answers up to a share of all problems: the least probability, and the share right."""

    coverage: float
    threshold: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """What the probabilities of some answers are worth; a problem without an answer has none."""

    problems: int
    answered: int
    sure: int
    sure_right: int
    calibration_error: float | None  # None where nothing was answered
    risk_coverage: tuple[Point, ...]

    @classmethod
    def of(cls, probabilities: Sequence[float | None], right: Sequence[bool]) -> Reliability:
        """The reliability of answers, given their probabilities and which of them are right."""
        pairs = list(zip(probabilities, right, strict=True))
        given = [(probability, fine) for probability, fine in pairs if probability is not None]
        sure = [fine for probability, fine in given if probability >= SURE]
        error = expected_error([one for one, _ in given], [fine for _, fine in given]) if given else None
        return cls(len(pairs), len(given), len(sure), sum(sure), error, risk_coverage(given, len(pairs)))


def risk_coverage(answers: Sequence[tuple[float, bool]], problems: int) -> tuple[Point, ...]:
    """How many of the most probable answers are right, for every tenth of the problems that is answered.

    >>> points = risk_coverage([(0.9, True), (0.8, True), (0.4, False), (0.3, True)], 5)
    >>> [(point.coverage, point.right) for point in points if point.coverage in (0.4, 0.6, 0.8)]
    [(0.4, 1.0), (0.6, 0.6666666666666666), (0.8, 0.75)]
    """
    ranked = sorted(answers, key=lambda answer: -answer[0])
    counts = [(coverage, round(coverage * problems)) for coverage in COVERAGES]
    return tuple(
        Point(coverage, ranked[count - 1][0], sum(fine for _, fine in ranked[:count]) / count)
        for coverage, count in counts
        if 0 < count <= len(ranked)
    )

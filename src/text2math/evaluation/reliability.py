"""How far probabilities can be trusted: calibration, sure answers, and risk against coverage.

``by_source`` is what a model's card reports of each data set, inside and beyond the grammar.

>>> reliability = Reliability.of([0.95, 0.92, 0.6, None], [True, False, True, False])
>>> reliability.sure, reliability.sure_right, reliability.answered
(2, 1, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from text2math.model.calibration import expected_error

SURE = 0.9
"""The probability from which an answer counts as sure."""
COVERAGES = tuple(tenths / 10 for tenths in range(1, 11))
RISKS = (0.02, 0.05, 0.1)
"""The shares of wrong answers for which a card says how many problems can be answered."""


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


def coverage_at_risk(answers: Sequence[tuple[float, bool]], problems: int, risk: float) -> float:
    """The largest share of the problems whose answers, the most probable ones, are wrong at most this often.

    >>> coverage_at_risk([(0.9, True), (0.8, True), (0.4, False), (0.3, True)], 5, risk=0.25)
    0.8
    """
    ranked = sorted(answers, key=lambda answer: -answer[0])
    covered = wrong = 0
    for count, (probability, fine) in enumerate(ranked, start=1):
        wrong += not fine
        # No least probability separates answers that are equally probable.
        tied = count < len(ranked) and ranked[count][0] == probability
        if not tied and wrong / count <= risk:
            covered = count
    return covered / problems


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A held-out problem, and how it was answered by a model that learned from others."""

    source: str
    beyond: bool  # it has no gold, because the grammar can't express it: every answer is wrong
    probability: float | None  # of the answer; None where there is none
    right: bool


def by_source(problems: Iterable[HeldOut]) -> dict[str, dict[str, dict[str, Any]]]:
    """The reliability of the answers to all problems and to those of each source, as plain data for a card.

    >>> card = by_source([HeldOut("ai2", False, 0.95, True), HeldOut("draw", True, 0.2, False)])
    >>> [(part, list(sources)) for part, sources in card.items()]
    [('inside', ['all', 'ai2']), ('beyond', ['all', 'draw'])]
    >>> card["inside"]["ai2"]["sure"], card["inside"]["ai2"]["coverage_at_risk"]["0.02"]
    (1, 1.0)
    """
    parts: dict[str, dict[str, list[HeldOut]]] = {"inside": {}, "beyond": {}}
    for problem in problems:
        part = parts["beyond" if problem.beyond else "inside"]
        for group in ("all", problem.source):
            part.setdefault(group, []).append(problem)
    return {name: {group: _summary(own) for group, own in groups.items()} for name, groups in parts.items()}


def _summary(problems: Sequence[HeldOut]) -> dict[str, Any]:
    found = Reliability.of([one.probability for one in problems], [one.right for one in problems])
    answers = [(one.probability, one.right) for one in problems if one.probability is not None]
    return {
        "problems": found.problems,
        "answered": found.answered,
        "right": sum(one.right for one in problems),
        "calibration_error": found.calibration_error,
        "sure": found.sure,
        "sure_right": found.sure_right,
        "coverage_at_risk": {
            f"{risk:g}": round(coverage_at_risk(answers, found.problems, risk), 4) for risk in RISKS
        },
    }

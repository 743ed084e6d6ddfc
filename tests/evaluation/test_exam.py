"""The exam as somebody sits it: every part is marked, and probabilities are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest

from text2math.data import load_exam
from text2math.evaluation.exam import ALL_PARTS, BEYOND, questions, sit_exam
from text2math.evaluation.reliability import Reliability, risk_coverage
from text2math.language.problem import Example
from text2math.mathematics.expression import Expression, Number, Operation


@dataclass(frozen=True)
class Guess:
    mathematics: Expression | None
    probability: float | None
    answers: tuple[Fraction, ...] = ()


PARTS = ("systems", "clock", BEYOND)


def cheat(texts: Sequence[str]) -> list[Guess]:
    """Answer what has gold as the gold has it, and everything else with 5."""
    gold = {one.problem.text: one.example for part in PARTS for one in questions(part)}
    found = []
    for text in texts:
        match gold[text]:
            case Example(expression=Number() | Operation() as right, answers=answers):
                found.append(Guess(right, 0.95, answers))
            case _:
                found.append(Guess(Number(Fraction(5)), 0.3))
    return found


def test_the_gold_is_right_and_whatever_is_beyond_is_wrong() -> None:
    report = sit_exam(cheat, PARTS)
    by_name = {part.name: part for part in report.parts}
    assert tuple(by_name) == PARTS
    assert set(PARTS) < set(ALL_PARTS)
    for name, part in by_name.items():
        mapped = sum(question.example is not None for question in questions(name))
        assert (part.right, part.reliability.sure, part.reliability.sure_right) == (mapped, mapped, mapped)
        assert part.problems == (300 if name == BEYOND else load_exam(name, knowledge=True).size)
    assert by_name[BEYOND].right == 0
    assert report.solvable == 180
    assert report.solvable_sure == report.whole.right == report.whole.reliability.sure


def test_problems_whose_gold_does_not_map_are_asked_and_count_as_wrong() -> None:
    part = sit_exam(cheat, ["systems"]).parts[0]
    unmapped = len(load_exam("systems", knowledge=True).problems_failed)
    assert part.problems - part.right == unmapped > 0
    assert part.reliability.answered == part.problems


def test_parts_are_those_asked_for_and_each_counts_once() -> None:
    report = sit_exam(cheat, ["clock", BEYOND, "clock"])
    assert [part.name for part in report.parts] == ["clock", BEYOND]
    assert report.whole.problems == 330
    with pytest.raises(ValueError, match="no part 'algebra'; its parts are plain, known"):
        sit_exam(cheat, ["algebra"])


def test_answers_that_are_not_asked_for_make_a_system_wrong() -> None:
    def with_answers(texts: Sequence[str]) -> list[Guess]:
        return [Guess(one.mathematics, one.probability, (Fraction(-12345),)) for one in cheat(texts)]

    assert sit_exam(with_answers, ["systems"]).parts[0].right < sit_exam(cheat, ["systems"]).parts[0].right


def test_silence_is_neither_sure_nor_calibrated() -> None:
    found = Reliability.of([None, None], [False, False])
    assert (found.answered, found.sure, found.calibration_error, found.risk_coverage) == (0, 0, None, ())


def test_ninety_percent_is_sure_and_less_is_not() -> None:
    found = Reliability.of([0.9, 0.8999, 1.0], [True, True, False])
    assert (found.sure, found.sure_right) == (2, 1)


def test_risk_is_that_of_the_surest_answers_whatever_their_order() -> None:
    answers = [(0.2, False), (0.9, True), (0.5, True), (0.7, False)]
    points = {point.coverage: (point.threshold, point.right) for point in risk_coverage(answers, 10)}
    assert points == {0.1: (0.9, 1.0), 0.2: (0.7, 0.5), 0.3: (0.5, 2 / 3), 0.4: (0.2, 0.5)}

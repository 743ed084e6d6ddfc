"""The reliability of probabilities: how many problems can be answered at a risk, and each data set apart."""

from __future__ import annotations

import json

import pytest

from text2math.evaluation.reliability import RISKS, HeldOut, by_source, coverage_at_risk


def test_coverage_is_of_all_problems_and_not_only_of_those_answered() -> None:
    assert coverage_at_risk([(0.9, True), (0.8, True)], 8, risk=0.02) == 0.25


def test_a_wrong_answer_is_outweighed_by_right_ones_that_are_less_probable() -> None:
    answers = [(0.99, False), *((0.9 - 0.01 * at, True) for at in range(19))]
    assert coverage_at_risk(answers, 20, risk=0.05) == 1.0
    assert coverage_at_risk(answers, 20, risk=0.02) == 0.0


def test_answers_of_the_same_probability_are_given_together_whatever_their_order() -> None:
    answers = [(0.9, True), (0.8, True), (0.8, False)]
    assert coverage_at_risk(answers, 3, risk=0.1) == coverage_at_risk(answers[::-1], 3, risk=0.1) == 1 / 3


@pytest.mark.parametrize("risk", RISKS)
def test_a_risk_that_is_met_exactly_is_met(risk: float) -> None:
    count = round(1 / risk)
    answers = [(1 - at / 1000, at > 0) for at in range(count)]
    assert coverage_at_risk(answers, count, risk) == 1.0


TOLD = [
    *(HeldOut("ai2", False, 0.95, True) for _ in range(9)),
    HeldOut("ai2", False, 0.5, False),
    HeldOut("gsm8k", False, None, False),
    HeldOut("gsm8k", True, 0.92, False),
    HeldOut("gsm8k", True, 0.1, False),
]


def test_each_source_is_summed_up_inside_and_beyond_the_grammar() -> None:
    found = by_source(TOLD)
    assert {part: list(groups) for part, groups in found.items()} == {
        "inside": ["all", "ai2", "gsm8k"],
        "beyond": ["all", "gsm8k"],
    }
    ai2 = found["inside"]["ai2"]
    assert ai2.pop("calibration_error") == pytest.approx(0.9 * 0.05 + 0.1 * 0.5)
    assert ai2 == {
        "problems": 10,
        "answered": 10,
        "right": 9,
        "sure": 9,
        "sure_right": 9,
        "coverage_at_risk": {"0.02": 0.9, "0.05": 0.9, "0.1": 1.0},
    }
    assert found["inside"]["all"]["problems"] == 11
    beyond = found["beyond"]["gsm8k"]
    assert (beyond["problems"], beyond["right"], beyond["sure"], beyond["sure_right"]) == (2, 0, 1, 0)
    assert beyond["calibration_error"] == pytest.approx(0.51)


def test_a_source_without_answers_has_no_calibration_error_and_covers_nothing() -> None:
    silent = by_source(TOLD)["inside"]["gsm8k"]
    assert (silent["answered"], silent["calibration_error"]) == (0, None)
    assert set(silent["coverage_at_risk"].values()) == {0.0}


def test_it_is_plain_data_that_json_keeps() -> None:
    found = by_source(TOLD)
    assert json.loads(json.dumps(found)) == found

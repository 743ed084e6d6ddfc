"""Model cards: what they say depends on what was recorded when the model was trained."""

from __future__ import annotations

from text2math.model.cards import card_text


def test_the_limits_are_those_of_the_grammar_the_model_was_trained_on() -> None:
    assert "no systems" in card_text("mine", {})
    larger = card_text("mine", {"grammar": "larger"})
    assert "no systems" not in larger
    assert "systems of up to four equations" in larger


def test_the_exam_says_what_sure_answers_are_worth_beyond_the_grammar_too() -> None:
    exam = {
        "tasks": {"arithmetic": {"right": 9, "all": 10}},
        "calibration_error": 0.04,
        "sure": {"right": 7, "all": 8},
        "beyond": {"sure": 2, "all": 30},
    }
    shown = card_text("mine", {"exam": exam})
    assert "| arithmetic | 9 of 10 | 90.0 |" in shown
    assert "Of its 8 answers with at least 90 %, 7 are right" in shown
    assert "2 of 30 problems beyond its grammar get such an answer" in shown


def test_an_exam_of_an_older_file_has_only_its_calibration_error() -> None:
    exam = {"tasks": {"arithmetic": {"right": 9, "all": 10}}, "calibration_error": 0.04}
    assert "calibration error is 0.040.\n" in card_text("mine", {"exam": exam})

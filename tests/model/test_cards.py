"""Model cards: what they say depends on what was recorded when the model was trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from text2math.cli import main
from text2math.evaluation.reliability import HeldOut, by_source
from text2math.model.cards import card_text
from text2math.parser import Parser, load


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


RELIABILITY = by_source(
    [
        *(HeldOut("ai2", False, 0.95, True) for _ in range(9)),
        HeldOut("ai2", False, 0.5, False),
        HeldOut("gsm8k", False, None, False),
        HeldOut("gsm8k", True, 0.92, False),
        HeldOut("riddles", True, 0.1, False),
    ]
)


def rows_of(card: dict[str, Any]) -> dict[str, list[str]]:
    """The cells of the table of reliability, by the name of the row."""
    section = card_text("mine", card).partition("## Reliability")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in rows}


def test_every_data_set_has_a_row_with_its_reliability_inside_and_beyond_the_grammar() -> None:
    rows = rows_of({"reliability": RELIABILITY})
    assert list(rows)[2:] == ["all", "ai2", "gsm8k", "riddles"]
    assert len({len(row) for name, row in rows.items() if not name.startswith("---")}) == 1
    inside = ["10", "90.0", "0.095", "90.0", "9 of 9", "90.0", "90.0", "100.0"]
    assert rows["ai2"] == [*inside, "–", "–", "–"]
    assert rows["gsm8k"] == ["1", "0.0", "–", "–", "0 of 0", "0.0", "0.0", "0.0", "1", "0.920", "1"]
    assert rows["riddles"] == ["–"] * 8 + ["1", "0.100", "0"]


def test_reliability_stands_apart_from_the_exam_and_older_cards_have_none() -> None:
    exam = {"tasks": {"arithmetic": {"right": 9, "all": 10}}, "calibration_error": 0.04}
    shown = card_text("mine", {"exam": exam, "reliability": RELIABILITY})
    assert shown.index("The exam") < shown.index("## Reliability") < shown.index("## Limits")
    assert "## Reliability" not in card_text("mine", {"exam": exam})


def test_a_model_file_keeps_reliability_and_models_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = load("small")
    for name, card in {"new": {"reliability": RELIABILITY}, "old": {}}.items():
        path = tmp_path / f"{name}.t2m"
        Parser(small.model, name, card).save(path)
        assert main(["models", str(path)]) == 0
        assert ("## Reliability" in capsys.readouterr().out) == (name == "new")
        assert main(["models", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out).get("reliability") == card.get("reliability")

"""What a recipe writes into a model's card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from text2math.data import load
from text2math.evaluation.robustness import CHANGES
from text2math.learning import recipes
from text2math.model import files
from text2math.model.cards import card_text
from text2math.parser import packaged


def test_the_card_says_what_changes_to_a_text_do(monkeypatch: pytest.MonkeyPatch) -> None:
    exam = load("exam")
    monkeypatch.setattr(recipes, "load", lambda name: replace(exam, examples=exam.examples[:8]))
    card = recipes.tried(files.load(packaged("small"))).card
    rows = {row["change"]: row for row in card["robustness"]["changes"]}
    assert rows.keys() == CHANGES.keys()
    assert rows["byte order mark"] == {"change": "byte order mark", "problems": 8, "broken": 0, "fixed": 0}


def test_a_model_without_knowledge_sits_the_plain_part_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sat: list[str] = []
    monkeypatch.setattr(recipes, "_answer", lambda model, text: recipes._NoAnswer())

    def sit(read: object, parts: tuple[str, ...]) -> object:
        sat.extend(parts)
        return real(read, parts)  # type: ignore[arg-type]

    real = recipes.sit_exam
    monkeypatch.setattr(recipes, "sit_exam", sit)
    saved = files.load(packaged("small"))
    exam = recipes.examined(saved).card["exam"]
    assert sat == ["plain"]
    assert exam["tasks"] == {"arithmetic": {"right": 0, "all": 620}, "equations": {"right": 0, "all": 152}}
    assert "beyond" not in exam
    assert "It answered none of them." in card_text("mine", {"exam": exam})

"""What the recipe of the default model adds around its network."""

from __future__ import annotations

import pytest

from text2math.data.stories import generate
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem

pytest.importorskip("torch", reason="the extra [torch] is not installed")
pytest.importorskip("transformers", reason="the extra [torch] is not installed")


def test_presence_lets_problems_pass_and_recognises_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    from text2math.neural import recipe

    told = list(generate(400, seed=1, larger=False))
    monkeypatch.setattr(recipe, "every_question", lambda sheets, larger=None: iter(told))
    lexicon = Lexicon.default()
    presence = recipe.fit_presence([story.example() for story in told[::2]], larger=False)
    problem, statement = (
        presence.probability(Annotations.of(read_problem(text), lexicon))
        for text in ("Al has 3 dogs and gets 2 more. How many dogs has he now?", "Al has 3 dogs.")
    )
    assert problem > 0.9
    assert statement < 0.6

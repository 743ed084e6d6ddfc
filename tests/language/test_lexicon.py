"""The lexicon: our own, the user's, and what it marks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from text2math.language.lexicon import Cue, Lexicon
from text2math.language.problem import read_problem
from text2math.mathematics.expression import Operator

LEXICON = Lexicon(
    (
        Cue("sum", "question", (("altogether",), ("in", "all")), Operator.ADD),
        Cue("lose", "story", (("give", "away"),), Operator.SUB),
        Cue("hold", "anywhere", (("have",),)),
    )
)


def marked(text: str) -> dict[str, tuple[str, ...]]:
    problem = read_problem(text)
    marks = LEXICON.mark(problem)
    return {token.text: cues for token, cues in zip(problem.tokens, marks, strict=True) if cues}


def test_a_cue_counts_only_in_its_place():
    assert "altogether" not in marked("Altogether he had 3 pens. How many pens are 4 more?")
    found = marked("He had 3 pens and 4 pens. How many pens altogether?")
    assert found["altogether"] == ("question:sum",)


def test_phrases_match_by_lemma_and_mark_every_word():
    found = marked("He gave away 3 pens. How many pens does he have?")
    assert found["gave"] == found["away"] == ("story:lose",)
    assert found["have"] == ("question:hold",)


def test_a_lexicon_written_as_json_reads_back(tmp_path: Path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(LEXICON.to_json()), encoding="utf-8")
    assert Lexicon.read(path) == LEXICON


def test_cues_know_the_operator_they_speak_for():
    assert LEXICON.operators == {"question:sum": Operator.ADD, "story:lose": Operator.SUB}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected an object"),
        ({"cues": [{"name": "x"}]}, "cue 0: expected"),
        ({"cues": [{"name": "x", "where": "title", "phrases": ["a"]}]}, "must be one of"),
        ({"cues": [{"name": "x", "where": "story", "phrases": [" "]}]}, "a phrase is empty"),
        ({"cues": [{"name": "x", "where": "story", "phrases": ["a"], "operator": "POW"}]}, "'POW'"),
    ],
)
def test_a_wrong_lexicon_is_refused_with_its_place(content: object, message: str, tmp_path: Path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Lexicon.read(path)


def test_broken_json_is_refused_with_its_line(tmp_path: Path):
    path = tmp_path / "own.json"
    path.write_text('{"cues":\n oops}', encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        Lexicon.read(path)


def test_the_lexicon_of_the_package_names_no_cue_twice():
    cues = Lexicon.default().cues
    assert len({(cue.name, cue.where) for cue in cues}) == len(cues)

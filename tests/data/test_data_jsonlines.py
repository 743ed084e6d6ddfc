"""Our own JSON Lines format: what is written reads back, and bad lines say what to do."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from text2math.data import DataError, Dataset, load, load_corpus, read_json_lines, write_json_lines
from text2math.data.jsonlines import to_line
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix, to_infix

GOOD = {"id": "g", "text": "Al has 2 cats and 3 dogs. How many pets is that?", "expression": "2 + 3"}
OTHER = GOOD | {"id": "h"}


def written(tmp_path: Path, *lines: str | dict[str, Any]) -> Path:
    path = tmp_path / "own.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_corpus_reads_back_as_it_was_written(tmp_path: Path) -> None:
    corpus = load_corpus().with_folds(5)
    write_json_lines(tmp_path / "copy.jsonl", corpus)
    copy = load(tmp_path / "copy.jsonl")
    assert copy.examples == corpus.examples
    assert [set(fold) for fold in copy.folds] == [set(fold) for fold in corpus.folds]


@pytest.mark.parametrize("name", ["il", "commoncore", "equations"])
def test_a_public_data_set_reads_back_as_it_was_written(data_dir: Path, tmp_path: Path, name: str) -> None:
    dataset = load(name, data_dir)
    write_json_lines(tmp_path / "copy.jsonl", dataset)
    copy = load(tmp_path / "copy.jsonl")
    assert not copy.problems_failed
    for ours, theirs in zip(copy.examples, dataset.examples, strict=True):
        assert (ours.problem, ours.expression, ours.answer) == (
            theirs.problem,
            theirs.expression,
            theirs.answer,
        )
        assert sorted(ours.groundings) == sorted(theirs.groundings)
    assert [set(fold) for fold in copy.folds] == [set(fold) for fold in dataset.folds]


def test_quantities_are_written_only_where_values_would_not_find_them() -> None:
    problem = read_problem("Al has 2 cats, 2 dogs and 3 birds. How many dogs and birds has he?", "d")
    first = Example(problem, from_infix("2[0] + 3[2]"))
    second = Example(problem, from_infix("2[1] + 3[2]"))
    assert to_line(first)["expression"] == "2 + 3"
    assert to_line(second)["expression"] == "2[1] + 3[2]"


def test_fractions_in_answers_stay_exact(tmp_path: Path) -> None:
    line = GOOD | {"text": "Cut 2 metres into 3 parts. How long is a part?", "expression": "2 / 3"}
    path = written(tmp_path, line | {"answer": "2/3"}, line | {"id": "h", "answer": 0.1})
    answers = [example.answer for example in read_json_lines(path).examples]
    assert answers == [Fraction(2, 3), Fraction(1, 10)]


def test_an_answer_that_the_gold_does_not_give_is_a_warning(tmp_path: Path) -> None:
    dataset = read_json_lines(written(tmp_path, GOOD | {"answer": 6}))
    assert len(dataset.examples) == 1
    assert "gives 5, 6 is stated" in str(dataset.warnings[0])


def test_phrases_may_be_words_or_spans(tmp_path: Path) -> None:
    line = {"id": "e", "text": "The son is 30 years younger than the father.", "equation": "X1 = X2 - 30"}
    path = written(tmp_path, line | {"variables": {"X1": [0, 7], "X2": [[33, 43], "father"]}})
    (example,) = read_json_lines(path).examples
    assert [(name, example.problem.text[start:end]) for name, start, end in example.groundings] == [
        ("X1", "The son"),
        ("X2", "the father"),
        ("X2", "father"),
    ]


def test_empty_lines_are_skipped_and_ids_may_be_left_out(tmp_path: Path) -> None:
    anonymous = {key: value for key, value in GOOD.items() if key != "id"}
    dataset = read_json_lines(written(tmp_path, "", anonymous, " ", GOOD))
    assert [example.problem.id for example in dataset.examples] == ["2", "g"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("7", "not an object"),
        ({"text": "2 cats", "expresion": "2"}, "'expresion' is unknown"),
        ({"id": "a", "expression": "2"}, "no text"),
        ({"text": " ", "expression": "2"}, "no text"),
        ({"text": "2 cats"}, 'one of "expression", "equation" and "equations"'),
        (OTHER | {"equation": "X1 = 2"}, "exactly one of"),
        (OTHER | {"expression": 5}, "should be a string"),
        (OTHER | {"expression": "X1 = 2"}, 'call the field "equation"'),
        ({"text": "2 cats", "equation": "2"}, 'call the field "expression"'),
        (OTHER | {"expression": "2 + * 3"}, "at position 4"),
        (OTHER | {"expression": "2 + 9"}, "9; the text has 2, 3"),
        (OTHER | {"expression": "2 + X1"}, "an unknown without '='"),
        (OTHER | {"expression": "2[1] + 3"}, "2[1], which is 3"),
        (OTHER | {"expression": "2[7] + 3"}, "[7] of 2, counted from 0"),
        (OTHER | {"answer": "five"}, "is not a number"),
        (OTHER | {"answer": "1/0"}, "is not a number"),
        ('{"text": "2 cats", "expression": "2", "answer": NaN}', "is not a number"),
        (OTHER | {"fold": -1}, '"fold" should be'),
        (OTHER | {"fold": True}, '"fold" should be'),
        (OTHER | {"variables": ["X1"]}, '"variables" should be an object'),
        (OTHER | {"variables": {"X1": "cats"}}, "which the equation does not use"),
        (
            {"text": "A cat is 2.", "equation": "X1 = 2", "variables": {"X1": "A dog"}},
            "is not in the text; copy it",
        ),
        (GOOD, "is also on line 1"),
        ({"text": "2 cats " * 100_000, "expression": "2"}, "characters"),
    ],
)
def test_a_bad_line_fails_with_file_line_and_what_to_do(
    tmp_path: Path, line: str | dict[str, Any], told: str
) -> None:
    path = written(tmp_path, GOOD, line)
    dataset = read_json_lines(path)
    assert len(dataset.examples) == 1
    (failure,) = dataset.problems_failed
    assert str(failure).startswith(f"{path}, line 2: ")
    assert told in str(failure)
    with pytest.raises(DataError, match="line 2"):
        read_json_lines(path, strict=True)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="check the name"):
        load(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="UTF-8"):
        load(tmp_path / "latin.jsonl")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    before = path.read_text(encoding="utf-8")
    answer_only = Example(read_problem("How many?", "x"), None, Fraction(1))
    with pytest.raises(DataError, match="has no expression"):
        write_json_lines(path, Dataset("bad", (*load(path).examples, answer_only)))
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(DataError, match="does its folder exist"):
        write_json_lines(tmp_path / "none" / "own.jsonl", load(path))


def test_equations_keep_their_unknowns_names(tmp_path: Path) -> None:
    line = {"text": "The first is 3 more than the second.", "equation": "X2 + 3 = X1"}
    (example,) = read_json_lines(written(tmp_path, line)).examples
    assert to_infix(example.expression or from_infix("0")) == "X2 + 3 = X1"


def test_the_examples_of_the_documentation_load(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "file-format.md"
    block = page.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
    dataset = read_json_lines(written(tmp_path, block), strict=True)
    assert len(dataset.examples) == 3
    assert not dataset.warnings

"""The commands over data sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from text2math.commands.data import app
from text2math.data import load


def run(*words: str | Path) -> str:
    environment = {"COLUMNS": "160", "TEXT2MATH_DATA": None}
    result = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False, env=environment)
    return result.stdout


@pytest.mark.slow
def test_list_counts_what_maps() -> None:
    assert "corpus" in run("list")
    (row,) = json.loads(run("list", "corpus", "--json"))
    assert row["mapped"] == row["problems"] >= 320
    assert row["reasons"] == {}


def test_list_tells_why_a_problem_does_not_map(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "Al has 2 cats.", "expression": "2 + 9"}\n', encoding="utf-8")
    assert "a number that is not in the text" in run("list", path)
    (row,) = json.loads(run("list", path, "--json", "--failures"))
    assert row["reasons"] == {"a number that is not in the text": 1}
    assert row["failures"] == [f"{path}, line 1: a number that is not in the text (9; the text has 2)"]


def test_what_consecutive_implies_is_no_crossing_number(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    text = "The sum of three consecutive odd integers is 105. What are they?"
    given = ["X1 + 2 = X2", "X2 + 2 = X3", "X1 + X2 + X3 = 105"]
    line = {"text": text, "equations": given, "asked": ["X1", "X2", "X3"], "answer": [33, 35, 37]}
    path.write_text(json.dumps(line), encoding="utf-8")
    (row,) = json.loads(run("list", path, "--json", "--knowledge"))
    assert (row["mapped"], row["crossing"]) == (1, 0)


@pytest.mark.slow
def test_list_reads_from_the_folder_given(data_dir: Path) -> None:
    (row,) = json.loads(run("list", "ai2", "--data", data_dir, "--json"))
    assert (row["mapped"], row["folds"]) == (395, [134, 140, 121])


def test_convert_writes_a_file_that_loads(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    assert "problems written, 0 left out" in run("convert", "corpus", path, "--folds", "3").replace("\n", "")
    assert len(load(path).folds) == 3
    assert load(path).examples == load("corpus").examples


def test_leaks_finds_exact_and_masked_twins(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    line = '{{"id": "{}", "text": "{} has {} cats.", "expression": "{}"}}\n'
    first.write_text(
        line.format("1", "Al", 2, 2) + line.format("2", "Bo", 2, 2) + line.format("3", "Cy", 2, 2), "utf-8"
    )
    second.write_text(line.format("8", "Al", 2, 2) + line.format("9", "Bo", 7, 7), encoding="utf-8")
    found = json.loads(run("leaks", first, second, "--json"))
    assert found["leaks"] == [{"a": "1", "b": "8", "kind": "exact"}, {"a": "2", "b": "9", "kind": "masked"}]
    assert "1 exact, 1 except for their numbers" in run("leaks", first, second)


def test_nothing_leaks_across_the_folds_of_ai2(data_dir: Path) -> None:
    assert run("leaks", "ai2", "ai2", "--data", data_dir) == "0 exact, 0 except for their numbers\n"

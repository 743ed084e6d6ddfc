"""Experiments: tables name rows that exist, mistakes are sorted, a fold of each data set keeps its floor."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.commands.experiments import read_results, to_markdown, write_results
from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import Protocol, cross_validate
from text2math.evaluation.error_analysis import KINDS, PAPER_EXAMPLES, counts, kind_of_error, mistakes
from text2math.evaluation.paper import ENCODERS, ROWS, choose_rows
from text2math.evaluation.variants import variant_config
from text2math.learning.crossvalidation import FoldConfig, identify_numbers, predict_folds, run_fold
from text2math.mathematics.notation import from_infix
from text2math.model.config import ModelConfig


def test_every_row_that_is_run_names_a_variant_that_exists():
    for row in ROWS:
        if row.variant and row.variant not in ENCODERS:
            for protocol in row.protocols:
                variant_config(row.variant, protocol)


def test_the_two_protocols_differ_only_in_what_is_told():
    honest, paper = variant_config("full", "honest"), variant_config("full", "paper")
    assert replace(paper, features=replace(paper.features, forbid=False)) == honest


def test_rows_are_chosen_by_table_data_set_variant_or_both():
    assert {row.table for row in choose_rows(["constructions"])} == {"constructions"}
    assert {row.dataset for row in choose_rows(["ai2"])} == {"ai2"}
    assert [row.key for row in choose_rows(["il/no-pos"])] == ["il/no-pos"]
    with pytest.raises(ValueError, match="names no row"):
        choose_rows(["ai3"])


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="'no-such' is unknown"):
        variant_config("full+no-such", "honest")


@pytest.mark.parametrize(
    ("predicted", "gold", "kind"),
    [
        (None, "1[0] + 2[1]", "no prediction"),
        ("X1 = 3[0]", "X1 + X2 = 3[0]", "missing unknown"),
        ("X1 + X2 = 3[0]", "X1 = 3[0]", "extra unknown"),
        ("1[0] + 2[1]", "1[0] + 3[2]", "wrong numbers"),
        ("1[0] + 2[1]", "1[0] * 2[1]", "wrong operator"),
        ("1[0] - 2[1]", "2[1] - 1[0]", "wrong order"),
    ],
)
def test_mistakes_are_told_apart(predicted: str | None, gold: str, kind: str):
    assert kind_of_error(from_infix(predicted) if predicted else None, from_infix(gold)) == kind
    assert kind in KINDS


def test_the_papers_examples_parse():
    for example in PAPER_EXAMPLES:
        from_infix(example.gold)
    assert len(PAPER_EXAMPLES) == 7


def test_a_resumed_table_runs_nothing_that_its_results_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    figure = {"accuracy": 12.5, "folds": [12.5], "seconds": 9.0, "peak_mb": 300}
    origin = {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}
    write_results(tmp_path, {f"il/no-pos/{protocol}": figure | origin for protocol in ("paper", "honest")})
    command = ["tables", "--only", "il/no-pos", "--results", str(tmp_path), "--resume", "--json"]
    assert main([*command, "--data", str(tmp_path / "nowhere")]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["ours"] == {"paper": 12.5, "honest": 12.5}
    assert main(["tables", "--resume"]) == 2
    assert "--results" in capsys.readouterr().err


def test_tables_are_printed_as_csv_and_latex_out_of_the_same_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    figure = {"accuracy": 70.0, "folds": [70.0], "seconds": 1.0, "peak_mb": 1}
    origin = {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}
    write_results(tmp_path, {f"il/no-pos/{protocol}": figure | origin for protocol in ("paper", "honest")})
    command = ["tables", "--only", "il/no-pos", "--results", str(tmp_path), "--resume", "--format"]
    assert main([*command, "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "arithmetic,- pos,il,no-pos,81.0,70.0,70.0"
    assert main([*command, "latex"]) == 0
    assert "- pos & il & 81.0 & 70.0 & 70.0" in capsys.readouterr().out


def test_results_are_kept_with_the_command_that_made_them(tmp_path: Path):
    ours = {"accuracy": 80.0, "folds": [79.0, 81.0], "seconds": 9.0, "peak_mb": 300}
    origin = {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}
    found = {"ai2/full/honest": ours | origin}
    write_results(tmp_path, found)
    assert read_results(tmp_path) == found
    page = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "| Text2Math | ai2 | 85.8 | – | 80.0 | honest 79.0 81.0 | 9 | 300 |" in page
    assert "`text2math tables`, version 1, today" in page
    assert page.rstrip() == to_markdown(found, ROWS)


def test_cross_validation_prints_one_json_object(capfd: pytest.CaptureFixture[str], tmp_path: Path):
    lines = []
    things = "pens cups hats cats dogs cars cans bats keys maps pots rats".split()
    for index, thing in enumerate(things):
        text = f"Tom has {index + 2} {thing} and finds {index + 3} {thing}. How many {thing} has he in all?"
        lines.append(json.dumps({"id": str(index), "text": text, "expression": f"{index + 2} + {index + 3}"}))
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    command = ["cross-validate", str(path), "--folds", "2", "--steps", "3", "--workers", "0", "--json"]
    code = main(command)
    out = capfd.readouterr()
    assert code == 0, out.err
    found = json.loads(out.out)
    assert {"accuracy", "folds", "problems", "seconds", "peak_mb", "configuration"} <= found.keys()
    assert found["problems"] == 12


# One fold of each data set, a little below what it reaches.
FLOORS = [
    ("ai2", 1, "honest", 70),
    ("ai2", 2, "paper", 80),
    ("il", 2, "honest", 75),
    ("equations", 0, "honest", 70),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fold", "protocol", "floor"), FLOORS)
def test_one_fold_of_each_data_set_stays_above_its_floor(
    name: str, fold: int, protocol: Protocol, floor: float, data_dir: Path
):
    dataset = load(name, data_dir)
    config = FoldConfig.of(dataset, variant_config("full", protocol))
    report = cross_validate([dataset.fold(fold)], run_fold, config, protocol=protocol, workers=0)
    assert report.mean() >= floor


def test_numbers_of_equations_are_identified(data_dir: Path):
    folds = identify_numbers(load("equations", data_dir))
    assert sum(folds) / len(folds) >= 95.0


def test_mistakes_are_counted_by_fold():
    dataset = tiny()
    config = ModelConfig(reranker=None)
    config = replace(config, training=replace(config.training, steps=2))
    found = mistakes(predict_folds(dataset, folds=[0], base=config))
    assert set(counts(found)) == set(KINDS)
    assert all(mistake.fold == 0 for mistake in found)


def tiny() -> Dataset:
    own = load("corpus")
    return replace(own, examples=own.examples[:40]).with_folds(4)

"""Experiments: tables name rows that exist, mistakes are sorted, a fold of each data set keeps its floor."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.commands.experiments import _is_done
from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import Protocol, Question, cross_validate
from text2math.evaluation.error_analysis import (
    KINDS,
    PAPER_EXAMPLES,
    Mistake,
    confusions,
    counts,
    kind_of_error,
    mistakes,
    shape,
)
from text2math.evaluation.metrics import Prediction, is_correct
from text2math.evaluation.paper import ENCODERS, PIPELINE, ROWS, choose_rows
from text2math.evaluation.rules import with_rules
from text2math.evaluation.tables import COMPLETE_RUN, read_results, to_markdown, write_results
from text2math.evaluation.variants import Outcome, paper_config, variant_config, with_published_rules
from text2math.language.lexicon import Lexicon
from text2math.learning.crossvalidation import (
    FoldConfig,
    Task,
    evaluate_variant,
    identify_numbers,
    predict_folds,
    run_fold,
)
from text2math.mathematics.notation import from_infix
from text2math.model.config import ModelConfig
from text2math.model.model import Model


def test_every_row_that_is_run_names_a_variant_that_exists():
    for row in ROWS:
        if row.variant and row.variant not in ENCODERS and row.variant != PIPELINE:
            for protocol in row.protocols:
                variant_config(row.variant, protocol)


def test_the_two_protocols_differ_only_in_what_is_told():
    honest, paper = variant_config("full", "honest"), variant_config("full", "paper")
    assert replace(paper, features=replace(paper.features, forbid=False)) == honest


def test_the_papers_configuration_has_its_features_and_nothing_else():
    config = variant_config("paper", "paper", ModelConfig(), dataset="il")
    features = config.features
    assert (features.words, features.pairs) == (("word", "pos", "lexicon"), ("bigram",))
    others = (features.whole, features.order, features.numbers, features.scales, features.votes)
    assert not any(others)
    assert (features.given, features.forbid) == (True, False)
    assert (config.reranker, config.identify, config.candidates) == (None, False, 1)
    assert (config.training.optimizer, config.training.steps, config.training.l2) == ("lbfgs", 100, 0.02)
    assert variant_config("paper", "honest", dataset="equations").training.l2 == 0.04


def test_changes_apply_to_the_papers_configuration_too():
    without = variant_config("paper+no-lexicon+prefix-x", "honest")
    assert without.features.lexicon.cues == ()
    assert without.targets.unknown == "prefix"
    assert without.training.steps == 100


def test_rules_are_judged_on_the_predictions_they_change():
    dataset = tiny()
    config = ModelConfig(reranker=None)
    quick = replace(config, training=replace(config.training, steps=2))
    outcome = evaluate_variant(dataset, base=quick, workers=0)
    ruled = with_published_rules(outcome, dataset)
    assert ruled.variant == "paper-rules"
    expected = [
        with_rules(example.problem, prediction.expression, Lexicon.signals())
        for index, fold in enumerate(outcome.report.folds)
        for example, prediction in zip(dataset.fold(index)[1], fold.predictions, strict=True)
    ]
    found = [one.expression for fold in ruled.report.folds for one in fold.predictions]
    assert found == expected
    assert found != [one.expression for fold in outcome.report.folds for one in fold.predictions]
    tested = [example for index in range(len(dataset.folds)) for example in dataset.fold(index)[1]]
    right = sum(is_correct(one, example) for one, example in zip(expected, tested, strict=True))
    # What counts is the answer of the changed expression, not that of the predicted one.
    assert ruled.report.pooled().correct == right != outcome.report.pooled().correct
    wordless = with_published_rules(outcome, dataset, "paper-rules+no-lexicon")
    assert [one.expression for fold in wordless.report.folds for one in fold.predictions] == [
        with_rules(example.problem, prediction.expression, Lexicon())
        for index, fold in enumerate(outcome.report.folds)
        for example, prediction in zip(dataset.fold(index)[1], fold.predictions, strict=True)
    ]


def test_predicted_numbers_are_told_as_gold_ones_are(monkeypatch: pytest.MonkeyPatch):
    told = []

    def remember(model: Model, questions: Sequence[Question]) -> list[Prediction]:
        told.extend(questions)
        return [Prediction(None)] * len(questions)

    monkeypatch.setattr("text2math.learning.crossvalidation.predict_all", remember)
    dataset = tiny()
    config = ModelConfig(reranker=None)
    quick = replace(config, training=replace(config.training, steps=1))
    evaluate_variant(dataset, "predicted", base=quick, workers=0)
    assert len(told) == len(dataset.examples)
    assert all(question.relevant for question in told)
    with pytest.raises(ValueError, match="honest"):
        evaluate_variant(dataset, "paper+predicted", "paper")


def test_an_outcome_names_every_problem_that_was_not_answered_right():
    dataset = tiny()
    lost = dataset.examples[0].problem.id
    config = ModelConfig(reranker=None)
    quick = replace(config, training=replace(config.training, steps=2))
    unmapped = replace(dataset, examples=dataset.examples[1:])  # its fold still lists the first
    outcome = evaluate_variant(unmapped, base=quick, workers=0)
    (wrong,) = outcome.wrong
    assert lost in wrong
    right = sum(len(ids) for ids in dataset.folds) - len(wrong)
    assert right == outcome.report.pooled().correct


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


def test_confusions_are_counted_by_shape_and_not_by_number():
    one = Mistake(0, "1", "", "", "", "wrong order", "a - b read as b - a")
    other = replace(one, id="2", confusion="a + b read as nothing")
    assert confusions([one, other, replace(one, id="3")], most=1) == [("a - b read as b - a", 2)]
    assert shape(from_infix("3[2] * X1 = 5[0] * X2 - 11[4]")) == "b * X1 = a * X2 - c"


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
    write_results(tmp_path, {"il/no-pos/paper": figure | origin})
    told = ["--protocol", "paper", "--data", str(tmp_path / "nowhere")]  # so that running anything would fail
    assert main([*command, *told]) == 0
    assert main([*command, "--data", str(tmp_path / "nowhere")]) == 2
    capsys.readouterr()
    assert main(["tables", "--resume"]) == 2
    assert "--results" in capsys.readouterr().err


def test_a_window_row_is_done_when_it_has_as_many_seeds_as_are_asked_for():
    one = {"wrong": [["1"], ["2"]]}
    assert _is_done(one, "paper+window-0", 2)
    assert not _is_done(one, "paper+window-0", 5)
    assert _is_done({"accuracy": 80.0}, "full", 5)
    assert not _is_done(None, "full", 1)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, Protocol]]:
    """What ``tables`` trains; a quick model of a tiny data set stands for each."""
    asked = []

    def evaluated(tasks: Sequence[Task], **_: object) -> Iterator[Outcome]:
        config = ModelConfig(reranker=None)
        quick = replace(config, training=replace(config.training, steps=1))
        for dataset, variant, protocol in tasks:
            asked.append((dataset.name, variant, protocol))
            yield replace(evaluate_variant(tiny(), base=quick, workers=0), variant=variant, dataset="ai2")

    monkeypatch.setattr("text2math.commands.experiments.evaluate_variants", evaluated)
    monkeypatch.setattr("text2math.commands.experiments.load", lambda name, data: replace(tiny(), name=name))
    return asked


@pytest.mark.parametrize("change", ["", "+no-lexicon"])
def test_one_training_serves_the_papers_configuration_and_its_rules(
    change: str, trained: list[tuple[str, str, Protocol]], capsys: pytest.CaptureFixture[str]
):
    plain, ruled = f"ai2/paper{change}", f"ai2/paper-rules{change}"
    assert main(["tables", "--only", plain, "--only", ruled, "--protocol", "honest", "--json"]) == 0
    assert trained == [("ai2", f"paper{change}", "honest")]
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert set(runs) == {f"{plain}/honest", f"{ruled}/honest"}


@pytest.mark.parametrize("change", ["{}", "{}+inverse"])
def test_an_unknown_behind_the_expression_gives_the_model_of_one_before_it(change: str):
    own = load("corpus")
    sums = [one for one in own.examples if one.expression and len(one.problem.tokens) < 25][:10]
    dataset = replace(own, examples=tuple(sums)).with_folds(2)
    config = paper_config()
    quick = replace(config, training=replace(config.training, steps=5))
    before, behind = (
        evaluate_variant(dataset, change.format(name), "paper", base=quick, workers=0)
        for name in ("prefix-x", "suffix-x")
    )
    for one, other in zip(before.report.folds, behind.report.folds, strict=True):
        found = [prediction.expression for prediction in one.predictions]
        assert any(found)
        assert found == [prediction.expression for prediction in other.predictions]


def test_one_training_serves_an_unknown_before_and_behind_the_expression(
    trained: list[tuple[str, str, Protocol]], capsys: pytest.CaptureFixture[str]
):
    rows = [f"ai2/{name}" for name in ("paper+prefix-x", "paper+suffix-x", "paper-rules+suffix-x")]
    only = [word for row in rows for word in ("--only", row)]
    assert main(["tables", *only, "--protocol", "honest", "--json"]) == 0
    assert trained == [("ai2", "paper+prefix-x", "honest")]
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert {key: run["variant"] for key, run in runs.items()} == {
        f"{row}/honest": row.removeprefix("ai2/") for row in rows
    }


def test_rows_that_another_run_wrote_meanwhile_stay(
    tmp_path: Path, trained: list[tuple[str, str, Protocol]], monkeypatch: pytest.MonkeyPatch
):
    other = {"accuracy": 80.0, "folds": [80.0], "seconds": 9.0, "peak_mb": 300}
    other |= {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}

    def written_by_another_run(outcome: Outcome) -> str:
        write_results(tmp_path, {"il/full/honest": other})
        return outcome.variant

    monkeypatch.setattr("text2math.commands.experiments._summary", written_by_another_run)
    command = ["tables", "--only", "ai2/no-pos", "--protocol", "honest", "--results", str(tmp_path)]
    assert main(command) == 0
    assert set(read_results(tmp_path)) == {"ai2/no-pos/honest", "il/full/honest"}


@pytest.mark.slow
def test_a_run_of_all_rows_says_how_long_it_took(
    tmp_path: Path, trained: list[tuple[str, str, Protocol]], monkeypatch: pytest.MonkeyPatch
):
    own = choose_rows(["ai2/no-pos", "ai2/pipeline"])
    monkeypatch.setattr("text2math.commands.experiments.choose_rows", lambda only: own)
    command = ["tables", "--seeds", "2", "--workers", "3", "--results", str(tmp_path)]
    for part in (["--resume"], ["--protocol", "honest"], ["--only", "ai2/no-pos"]):
        assert main([*command, *part]) == 0
        assert COMPLETE_RUN not in read_results(tmp_path)
    assert main(command) == 0
    run = read_results(tmp_path)[COMPLETE_RUN]
    assert (run["figures"], run["seeds"], run["workers"]) == (2, 2, 3)
    assert f"2 figures in {run['seconds'] / 60:.1f} minutes" in (tmp_path / "tables.md").read_text("utf-8")


def test_results_are_kept_with_the_command_that_made_them(tmp_path: Path):
    ours = {"accuracy": 80.0, "folds": [79.0, 81.0], "seconds": 9.0, "peak_mb": 300}
    origin = {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}
    found = {"ai2/full/honest": ours | origin}
    write_results(tmp_path, found)
    assert read_results(tmp_path) == found
    page = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "| Text2Math | ai2 | 85.8 | – | 80.0 | honest 79.0 81.0 | 9 | – | 300 |" in page
    assert "`text2math tables`, version 1, today" in page
    assert page.rstrip() == to_markdown(found, ROWS)


def test_a_row_that_was_made_in_steps_has_no_time():
    own = {"accuracy": 80.0, "folds": [79.0, 81.0], "seconds": None, "peak_mb": None}
    origin = {"command": "python experiments/windows.py", "version": "1", "date": "today", "machine": "this"}
    page = to_markdown({"ai2/full/honest": own | origin}, ROWS)
    assert "| Text2Math | ai2 | 85.8 | – | 80.0 | honest 79.0 81.0 | – | – | – |" in page


def test_one_training_is_counted_once_in_the_time_of_the_processor():
    own = {"accuracy": 80.0, "folds": [80.0], "seconds": 9.0, "processor_seconds": 120.0, "peak_mb": 1}
    own |= {"command": "text2math tables", "version": "1", "date": "today"}
    plain, ruled, untimed = "il/paper/paper", "il/paper-rules/paper", "il/full/paper"
    page = to_markdown({plain: own, ruled: own, untimed: own | {"processor_seconds": None}}, ROWS)
    assert "Processor time: 2 minutes for 1 of 2 trainings." in page
    assert "Processor time" not in to_markdown({untimed: own | {"processor_seconds": None}}, ROWS)


def test_tables_come_as_csv_and_latex_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    figure = {"accuracy": 81.0, "folds": [80.0, 82.0], "seconds": 9.0, "peak_mb": 300}
    origin = {"command": "text2math tables", "version": "1", "date": "today", "machine": "this"}
    seeds = {"seeds": [[80.0, 80.0], [82.0, 82.0]]}
    keys = ("il/paper+no-pos/paper", "il/paper+no-pos/honest", "il/no-pos/honest")
    write_results(tmp_path, dict.fromkeys(keys, figure | origin | seeds))
    command = ["tables", "--only", "il/paper+no-pos", "--results", str(tmp_path), "--resume", "--format"]
    assert main([*command, "csv"]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(one["protocol"], one["accuracy"], one["spread"]) for one in lines] == [
        ("paper", "81.0", "1.41"),
        ("honest", "81.0", "1.41"),
    ]
    assert main([*command, "latex"]) == 0
    page = capsys.readouterr().out
    figures = r"- pos & il & 81.0 & 81.0 $\pm$ 1.4 & 81.0 $\pm$ 1.4 & – & 81.0 $\pm$ 1.4 \\"
    assert figures in page
    assert page.count(r"\begin{tabular}{llrrrrr}") == 1
    assert main([*command, "word"]) == 2
    assert "markdown, csv, latex, json" in capsys.readouterr().err


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
    assert found["processor_seconds"] > 0
    assert {"command", "version", "date", "machine"} <= found.keys()
    assert {"accuracy", "numbers"} <= found["metrics"].keys()
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

"""Cross-validation of data sets of systems: on their own folds, over all problems, and resumable."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra [torch] is not installed")

from text2math.cli import main
from text2math.data.systems import parent_of, whole_problems
from text2math.evaluation.paper import SYSTEM_SETS, choose_rows
from text2math.evaluation.tables import read_results
from text2math.inference.forest import LARGER_GRAMMAR, PAPER_GRAMMAR
from text2math.neural import crossvalidation
from text2math.neural.crossvalidation import EncoderPlan, _quarters, system_set

THINGS = {"testset": ("pens", "cups"), "trainset": ("hats", "cats", "dogs", "cars"), "validset": ("caps",)}


def entry(name: str, total: int, more: int) -> dict[str, object]:
    text = (
        f"Tom and Ann have {total} {name} . Tom has {more} {name} more than Ann . How many {name} has Tom ?"
    )
    equation = f"x+y={total} ; x-y={more}"
    return {"id": name, "original_text": text, "equation": equation, "ans": [(total + more) / 2]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a data set in the form of DRAW; one of its three test problems can't be mapped."""
    folder = tmp_path / "data" / "draw"
    folder.mkdir(parents=True)
    for split, names in THINGS.items():
        entries = [entry(name, 20 + 2 * at, 4) for at, name in enumerate(names)]
        if split == "testset":
            text = "Tom has some eggs . How many ?"
            entries.append({"id": "eggs", "original_text": text, "equation": "x=987", "ans": [987]})
        (folder / f"{split}.json").write_text(json.dumps(entries))
    return folder.parent


def test_derived_sentences_are_trained_on_and_never_tested(data: Path, tmp_path: Path) -> None:
    dataset = system_set("draw", data, tmp_path / "work")
    derived = [one for one in dataset.examples if parent_of(one) is not None]
    assert derived
    whole = whole_problems(dataset)
    assert {len(fold) for fold in whole.folds} == {3, 4, 1}  # the problem without a gold among them
    assert not {one.problem.id for one in derived} & {id for fold in whole.folds for id in fold}
    train = dataset.fold(0)[0]
    parents = {parent_of(one) for one in train} - {None}
    assert parents
    assert parents <= {one.problem.id for one in train}


def test_the_quarters_that_train_a_reranker_keep_sentences_with_their_problem(
    data: Path, tmp_path: Path
) -> None:
    dataset = system_set("draw", data, tmp_path / "work")
    config = crossvalidation._EncoderFold(EncoderPlan(), None, (), 0, {})  # type: ignore[arg-type]
    for rest, held in _quarters(dataset.examples, config):
        ids = {one.problem.id for one in held}
        assert not any((parent_of(one) or one.problem.id) in ids for one in rest)
        assert all(parent_of(one) is None for one in held)


def test_systems_are_learned_with_the_larger_grammar_and_the_papers_sets_with_its_own() -> None:
    assert EncoderPlan.named("encoder").recipe.grammar is PAPER_GRAMMAR
    assert EncoderPlan.named("encoder", larger=True).recipe.grammar is LARGER_GRAMMAR
    assert EncoderPlan.named("encoder-pool", larger=True) == EncoderPlan.named("encoder-pool")


def test_the_table_of_systems_has_published_figures_and_our_rows() -> None:
    rows = choose_rows(["systems"])
    published = {(row.system, row.dataset): row.paper for row in rows if not row.variant}
    assert published["Kushman 2014", "alg514"] == 68.7
    assert published["EPT, second paper", "draw"] == 63.5
    assert {row.key for row in rows if row.variant} == {
        f"{dataset}/{variant}" for dataset in SYSTEM_SETS for variant in ("encoder", "encoder-pool")
    }


@pytest.mark.slow
def test_one_command_runs_the_rows_over_all_problems_and_goes_on_where_it_was(
    data: Path,
    encoder_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    quick = replace(crossvalidation.FEW_EXAMPLES, epochs=1, threads=1)
    recipe = replace(crossvalidation.SAME_FOLDS_LARGER, later=quick)
    monkeypatch.setattr(crossvalidation, "SAME_FOLDS_LARGER", recipe)
    work, results = tmp_path / "work", tmp_path / "results"
    command = ["tables", "--only", "draw/encoder", "--data", str(data), "--encoder", str(encoder_folder)]
    command += ["--work", str(work), "--results", str(results)]
    assert main(command) == 0
    out, err = capfd.readouterr()
    assert "published" in out
    assert "same folds only" in out
    networks = sorted(work.glob("*.npz"))
    assert len(networks) == 5  # four for the reranker, and that of the fold
    assert err.count("a fold: step") >= 5
    found = read_results(results)["draw/encoder/honest"]
    assert found["problems"] == 3
    assert "eggs" in found["wrong"][0]
    assert found["accuracy"] <= 66.67
    networks[0].unlink()  # as if the run had been cut off before
    assert main(command) == 0
    again = capfd.readouterr().err
    assert 1 <= again.count("a fold: step") < err.count("a fold: step")
    assert read_results(results)["draw/encoder/honest"]["wrong"] == found["wrong"]

"""The steps of experiments/windows.py and experiments/differences.py start from the rows of the tables."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch", reason="the extra [torch] is not installed")

from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.variants import variant_config
from text2math.learning.crossvalidation import evaluate_variant
from text2math.neural.crossvalidation import evaluate_windows
from text2math.neural.window import WindowTraining
from text2math.neural.window_batch import Plan

PLANS = (Plan(0, 0, False), Plan(1, 0, True))
ITERATIONS = 20


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    own = load("corpus")
    usable = tuple(one for one in own.examples if one.expression is not None)
    return replace(own, examples=usable[:12]).with_folds(2)


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "experiments"))
        yield {name: importlib.import_module(name) for name in ("windows", "train_windows", "differences")}


@pytest.fixture(scope="module")
def folder(
    scripts: dict[str, ModuleType], dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """What the first two steps write."""
    made = tmp_path_factory.mktemp("windows")
    scripts["windows"].prepare(dataset, made)
    _train(scripts, made)
    return made


def _train(scripts: dict[str, ModuleType], folder: Path) -> None:
    (folder / "trained").mkdir(exist_ok=True)
    for fold in sorted(folder.glob("*.npz")):
        for plan in PLANS:  # one at a time, so that each is added to what is there
            scripts["train_windows"].train_fold(fold, folder / "trained", [plan], iterations=ITERATIONS)


def test_the_steps_make_the_rows_that_tables_makes(
    scripts: dict[str, ModuleType], dataset: Dataset, folder: Path
):
    judged = (outcome for outcome, _ in scripts["windows"].judge(dataset, folder, folder / "trained"))
    unaided, *found = judged
    assert unaided.variant == "paper+no-window"
    assert unaided.wrong == evaluate_variant(dataset, "paper", "paper", workers=0).wrong
    names = ["paper+window-0", "paper+window-1+joint"]
    config = variant_config("paper", "paper", dataset=dataset.name)
    training = WindowTraining(iterations=ITERATIONS)
    expected = list(evaluate_windows(dataset, names, "paper", config, training=training, seeds=1, workers=0))
    assert [(one.variant, one.wrong) for one in found] == [(one.variant, one.wrong) for one in expected]


def test_a_network_that_is_there_is_not_trained_again(
    scripts: dict[str, ModuleType], folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delattr(scripts["train_windows"], "train_windows")
    _train(scripts, folder)


def test_changes_start_from_the_papers_own_row(
    scripts: dict[str, ModuleType], dataset: Dataset, folder: Path
):
    found = {one.variant: one for one in scripts["differences"].outcomes(dataset, folder, 1, None)}
    assert set(found) == {
        f"{own}+{how}" for own in ("paper", "paper-rules") for how in ("best", "told", "start-1")
    }
    assert found["paper+best"].wrong == evaluate_variant(dataset, "paper", "paper", workers=0).wrong
    told = [one.expression for fold in found["paper+told"].report.folds for one in fold.predictions]
    assert any(one is not None for one in told)

"""Variants that are cross-validated together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from text2math.data import load
from text2math.data.dataset import Dataset
from text2math.evaluation.metrics import Prediction
from text2math.learning import crossvalidation
from text2math.learning.crossvalidation import Task, evaluate_variant, evaluate_variants
from text2math.learning.training import Fitting, fit_together
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.model import Model

QUICK = ModelConfig(training=TrainingConfig(steps=8, threads=1), inner_steps=4, candidates=8)


def _dataset() -> Dataset:
    data = load("corpus")
    kept = [one for one in data.examples if one.expression is not None and len(one.problem.tokens) < 25]
    return replace(data, examples=tuple(kept[:48])).with_folds(2)


def _tasks(dataset: Dataset) -> list[Task]:
    return [
        Task(dataset, "full"),
        Task(dataset, "no-pos", "paper"),
        Task(dataset, "predicted"),
        Task(dataset, "paper+no-bigrams", "paper"),
        Task(dataset, "no-reranking"),
    ]


def test_variants_cross_validated_together_come_out_as_each_alone() -> None:
    dataset = _dataset()
    found = list(evaluate_variants(_tasks(dataset), base=QUICK, workers=0))
    assert sorted((one.variant, one.protocol) for one in found) == sorted(
        (variant, protocol) for _, variant, protocol in _tasks(dataset)
    )
    for one in found:
        alone = evaluate_variant(dataset, one.variant, one.protocol, base=QUICK, workers=0)
        assert one.wrong == alone.wrong
        assert one.folds == alone.folds
        assert one.report.config == alone.report.config
        assert [fold.dropped for fold in one.report.folds] == [fold.dropped for fold in alone.report.folds]
        assert one.report.processor_seconds > 0


def test_a_vector_has_a_lane_for_every_training_of_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def remember(fittings: list[Fitting]) -> list[Model]:
        sizes.append([one.config.reranker is None for one in fittings])
        return fit_together(fittings)

    monkeypatch.setattr(crossvalidation, "fit_together", remember)
    dataset = _dataset()
    tasks = [*_tasks(dataset), Task(dataset, "no-pos"), Task(dataset, "no-lexicon")]
    quick = replace(QUICK, training=replace(QUICK.training, steps=1), inner_steps=1)
    list(evaluate_variants(tasks, base=quick, workers=0))
    # The model without a reranker takes a lane, those with one two: its two inner folds.
    assert sizes == [[True, False, False, False]] * 2 + [[False, False]] * 2


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    quick = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=1))
    tasks = [Task(_dataset(), "full"), Task(_dataset(), "no-pos")]
    assert len(list(evaluate_variants(tasks, base=quick, workers=0, progress=True))) == 2
    shown = capsys.readouterr()
    assert "cross-validation" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("variant", "change"),
    [
        ("full", {"optimizer": "adam"}),
        ("full", {"steps": 100, "l2": 0.02}),
        ("equivalent-trees", {}),
        ("answers", {}),
        ("prefix-x", {}),
    ],
)
def test_what_rounding_could_change_or_lockstep_would_not_speed_up_trains_alone(
    variant: str, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossvalidation, "fit_together", lambda _: pytest.fail("in lockstep"))
    monkeypatch.setattr(crossvalidation, "fit", lambda *_, **__: None)
    monkeypatch.setattr(
        crossvalidation, "predict_all", lambda _, questions: [Prediction(None)] * len(questions)
    )
    base = replace(QUICK, training=replace(QUICK.training, **change))
    tasks = [Task(_dataset(), variant), Task(_dataset(), f"{variant}+no-pos")]
    assert len(list(evaluate_variants(tasks, base=base, workers=0))) == 2

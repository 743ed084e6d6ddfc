"""Variants that are cross-validated together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any, cast

import pytest

from text2math.data import load
from text2math.data.dataset import Dataset
from text2math.evaluation.metrics import Prediction
from text2math.learning import crossvalidation, training
from text2math.learning.crossvalidation import Task, evaluate_variant, evaluate_variants, predict_folds
from text2math.learning.lockstep import minimise_together
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Trained
from text2math.learning.training import Fitting, fit_together
from text2math.mathematics.rewriting import form
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.model import Model
from text2math.parallel import Runner

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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_vector_has_a_lane_for_every_training_of_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def remember(fittings: list[Fitting], threads: int) -> list[Model]:
        sizes.append([one.config.reranker is None for one in fittings])
        return fit_together(fittings, threads=threads)

    monkeypatch.setattr(crossvalidation, "fit_together", remember)
    dataset = _dataset()
    tasks = [*_tasks(dataset), Task(dataset, "no-pos"), Task(dataset, "no-lexicon")]
    quick = replace(QUICK, training=replace(QUICK.training, steps=1), inner_steps=1)
    list(evaluate_variants(tasks, base=quick, workers=0))
    # Of two folds one trains on an example, so a model without a reranker takes a lane, and those with one
    # take two, for the inner folds. Both folds of a variant are in the same chunk.
    assert sizes == [[True] * 4 + [False] * 6, [False] * 4]


@pytest.mark.slow
def test_what_two_folds_train_is_trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of three folds is trained on alone for both of the others, and together with another for one."""
    sizes = []

    def remember(objectives: Sequence[LogLikelihood], *others: Any) -> list[Trained]:
        sizes.append(len(objectives))
        return minimise_together(objectives, *others)

    monkeypatch.setattr(training, "minimise_together", remember)
    quick = replace(QUICK, training=replace(QUICK.training, steps=1), inner_steps=1)
    # With the same symbols in all folds, so that models differ in nothing but their examples.
    sums = [one for one in load("corpus").examples if one.expression and form(one.expression) == "(N+N)"]
    dataset = Dataset("sums", tuple(sums[:12])).with_folds(3)
    outcome = evaluate_variant(dataset, base=quick, workers=0)
    assert sizes == [6]
    monkeypatch.setattr(training._Training, "is_same", lambda self, other: False)
    again = evaluate_variant(dataset, base=quick, workers=0)
    assert sizes == [6, 9]
    assert [one.predictions for one in outcome.report.folds] == [
        one.predictions for one in again.report.folds
    ]


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    quick = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=1))
    tasks = [Task(_dataset(), "full"), Task(_dataset(), "no-pos")]
    assert len(list(evaluate_variants(tasks, base=quick, workers=0, progress=True))) == 2
    shown = capsys.readouterr()
    assert "cross-validation" in shown.err
    assert shown.out == ""


def test_the_folds_of_a_variant_train_in_lockstep_unless_processes_would_be_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = []

    def here(
        function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], **_: object
    ) -> Iterator[tuple[int, Any]]:
        sizes.append([len(folds) for folds, _ in calls])
        return enumerate(starmap(function, calls))

    quick = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=2))
    found = [
        evaluate_variant(_dataset(), base=quick, workers=workers, run=cast(Runner, here))
        for workers in (2, 8)
    ]
    assert sizes == [[2], [1, 1]]
    assert found[0].wrong == found[1].wrong


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["full", "paper", "prefix-x+no-reranking", "equivalent-trees"])
def test_a_fold_alone_is_predicted_as_among_others(variant: str) -> None:
    dataset = _dataset()
    (one, *_) = evaluate_variants([Task(dataset, variant), Task(dataset, "no-pos")], base=QUICK, workers=0)
    folds = predict_folds(dataset, one.variant, base=QUICK)
    alone = [prediction for fold in folds for prediction in fold.predictions]
    assert [p.expression for fold in one.report.folds for p in fold.predictions] == [
        p.expression for p in alone
    ]


@pytest.mark.parametrize("change", [{"optimizer": "adam"}, {}], ids=["another optimizer", "many examples"])
def test_what_circuits_are_not_for_is_trained_on_the_chart(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossvalidation, "fit_together", lambda _, threads: pytest.fail("in lockstep"))
    monkeypatch.setattr(crossvalidation, "fit", lambda *_, **__: None)
    monkeypatch.setattr(
        crossvalidation, "predict_all", lambda _, questions: [Prediction(None)] * len(questions)
    )
    if not change:
        monkeypatch.setattr(crossvalidation, "MOST_EXAMPLES", 20)
    base = replace(QUICK, training=replace(QUICK.training, **change))
    assert (
        len(list(evaluate_variants([Task(_dataset()), Task(_dataset(), "no-pos")], base=base, workers=0)))
        == 2
    )

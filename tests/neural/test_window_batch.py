"""Window networks that are trained side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra [torch] is not installed")

from text2math.evaluation.variants import paper_config
from text2math.language.problem import Example, read_problem
from text2math.learning.training import fit
from text2math.mathematics.notation import from_infix
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.neural import window_batch
from text2math.neural.crossvalidation import _shares
from text2math.neural.window import TrainingSet, WindowTraining, train_window
from text2math.neural.window_arrays import window_problems, with_tables
from text2math.neural.window_batch import Plan, WindowProblems, train_windows
from text2math.scorers.window import WindowConfig

EXAMPLES = [
    Example(read_problem(text, id=str(number)), from_infix(gold))
    for number, (text, gold) in enumerate(
        [
            ("Tom had 7 cats and got 3 more.", "7[0] + 3[1]"),
            ("Ann had 8 dogs and 5 birds, and then she got 2 more dogs.", "8[0] + 2[2]"),
            ("Tom had 7 cats and lost 3.", "7[0] - 3[1]"),
            ("Ann had 9 pens and lost 4 of them, and found 2.", "9[0] - 4[1] + 2[2]"),
        ]
    )
]
TEST = [read_problem("Sue had 6 cats and found 4 pens.")]


def _training_set() -> TrainingSet:
    config = paper_config()
    config = replace(config, training=replace(config.training, steps=2, threads=1))
    return TrainingSet.of(fit(EXAMPLES, config), EXAMPLES)


@pytest.mark.slow
def test_networks_trained_together_are_those_trained_one_by_one() -> None:
    training_set = _training_set()
    plans = [Plan(0, 0, False), Plan(2, 1, False), Plan(1, 0, True), Plan(2, 0, True)]
    problems = window_problems(training_set, TEST)
    together = train_windows(problems, plans[:3], iterations=4)
    together += train_windows(problems, plans[3:], iterations=4)  # the last one on its own
    assert {one.plan for one in together} == set(plans)
    for one in together:
        reach, seed, joint = one.plan
        training = WindowTraining(iterations=4, seed=seed, joint=joint, threads=1)
        alone = train_window(training_set, WindowConfig(reach=reach), training)
        assert np.allclose(one.scores, alone.second.scores(TEST[0])[:, problems.symbols], atol=1e-5)
        weights = (
            training_set.scorer.weights
            if one.tables is None
            else with_tables(training_set.scorer, one.tables)
        )
        assert np.allclose(weights, alone.first.weights, atol=1e-8)
        assert (one.tables is not None) is joint


def test_tensors_and_circuits_train_the_same_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = window_problems(_training_set(), TEST)
    plans = [Plan(1, 0, False), Plan(0, 1, True)]
    with_circuits = train_windows(problems, plans, iterations=2)
    monkeypatch.setattr(window_batch, "_losses_with_circuits", window_batch._losses_with_tensors)
    with_tensors = train_windows(problems, plans, iterations=2)
    for one, other in zip(with_circuits, with_tensors, strict=True):
        assert np.allclose(one.scores, other.scores, atol=1e-6)
    assert np.allclose(with_circuits[1].tables["words"], with_tensors[1].tables["words"], atol=1e-9)


def test_the_loss_of_every_network_falls() -> None:
    losses: list[np.ndarray] = []
    problems = window_problems(_training_set(), TEST)
    plans = [Plan(1, seed, joint) for seed in (0, 1) for joint in (False, True)]
    train_windows(problems, plans, iterations=6, rate=0.01, report=lambda _, loss: losses.append(loss))
    assert len(losses) == 6
    assert (losses[-1] < losses[0]).all()


def test_a_window_that_texts_repeat_is_scored_alike_wherever_it_is() -> None:
    problems = window_problems(_training_set(), [*TEST, *TEST])
    (one,) = train_windows(problems, [Plan(2, 0, False)], iterations=1)
    words = len(TEST[0].tokens)
    assert one.scores.shape == (2 * words, len(problems.symbols))
    assert np.array_equal(one.scores[:words], one.scores[words:])
    assert len(np.unique(one.scores, axis=0)) == words  # no two words of the text have the same window


@pytest.mark.parametrize("folds", [1, 3, 4])
@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_every_network_of_every_fold_is_trained_by_one_process(folds: int, workers: int) -> None:
    plans = [Plan(reach, seed, joint) for reach in (0, 1, 2) for seed in (0, 1) for joint in (False, True)]
    shares = _shares(folds, plans, workers)
    found = [(fold, plan) for fold, own in shares for plan in own]
    assert sorted(found) == sorted((fold, plan) for fold in range(folds) for plan in plans)
    assert len(shares) % max(1, workers) == 0  # no process is idle while another trains a whole fold


def test_problems_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    problems = window_problems(_training_set(), TEST)
    problems.save(tmp_path / "fold.npz")
    found = WindowProblems.load(tmp_path / "fold.npz")
    for name in WindowProblems.__slots__:
        assert np.array_equal(getattr(found, name), getattr(problems, name)), name


def test_features_that_the_paper_does_not_have_are_refused() -> None:
    model = fit(EXAMPLES, ModelConfig(reranker=None, training=TrainingConfig(steps=1)))
    with pytest.raises(ValueError, match="use the variant paper"):
        window_problems(TrainingSet.of(model, EXAMPLES), TEST)

"""The optimisers: they reach the minimum, repeat bit for bit, resume to the same weights, survive Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from text2math.inference.potentials import FloatArray
from text2math.learning.optimise import Progress, minimise
from text2math.model.config import OPTIMIZERS, TrainingConfig

CONFIGS = {
    "lbfgs": TrainingConfig("lbfgs", steps=30, round_steps=4, tolerance=0.0),
    "adam": TrainingConfig("adam", steps=60, rate=0.1, batch=5),
    "sgd": TrainingConfig("sgd", steps=60, rate=1.0, batch=5),
}


class Regression:
    """Logistic regression with a penalty: smooth and convex, so there is one minimum."""

    def __init__(self, interrupt_after: int | None = None) -> None:
        rng = np.random.default_rng(3)
        self.examples = 20
        self._rows = rng.normal(size=(20, 6))
        self._signs = np.where(rng.random(20) < 0.5, -1.0, 1.0)
        self._left = interrupt_after

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        if self._left is not None:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
        chosen = np.arange(20) if subset is None else np.array(subset)
        rows, signs, share = self._rows[chosen], self._signs[chosen], 20 / len(chosen)
        margin = signs * (rows @ weights)
        gradient = -share * (signs / (1 + np.exp(margin))) @ rows + 0.2 * weights
        return float(share * np.logaddexp(0, -margin).sum() + 0.1 * weights @ weights), gradient


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_comes_close_to_the_minimum(name: str):
    objective = Regression()
    best = minimise(objective, np.zeros(6), replace(CONFIGS["lbfgs"], round_steps=30)).objective
    found = minimise(objective, np.zeros(6), CONFIGS[name])
    assert best <= objective(found.weights)[0] <= best + 0.05


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_same_seed_gives_the_same_weights_bit_for_bit(name: str):
    one, two = (minimise(Regression(), np.zeros(6), CONFIGS[name]).weights for _ in range(2))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("interrupt_after", [1, 7, 23])
def test_training_resumes_from_a_checkpoint_to_the_same_weights(
    name: str, interrupt_after: int, tmp_path: Path
):
    path = tmp_path / "checkpoint.t2m"
    whole = minimise(Regression(), np.zeros(6), CONFIGS[name])
    part = minimise(Regression(interrupt_after), np.zeros(6), CONFIGS[name], checkpoint=path)
    assert part.interrupted
    assert np.isfinite(part.weights).all()
    resumed = minimise(Regression(), np.zeros(6), CONFIGS[name], checkpoint=path)
    assert resumed.weights.tobytes() == whole.weights.tobytes()


def test_an_interrupt_keeps_the_best_weights_so_far():
    objective = Regression()
    part = minimise(Regression(interrupt_after=5), np.zeros(6), CONFIGS["lbfgs"])
    assert part.interrupted
    assert objective(part.weights)[0] == part.objective < objective(np.zeros(6))[0]


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path):
    path = tmp_path / "checkpoint.t2m"
    minimise(Regression(), np.zeros(6), CONFIGS["lbfgs"], checkpoint=path)
    with pytest.raises(ValueError, match="another configuration"):
        minimise(Regression(), np.zeros(6), replace(CONFIGS["lbfgs"], steps=31), checkpoint=path)


def test_progress_reports_every_step_with_objective_and_time():
    seen: list[Progress] = []
    minimise(Regression(), np.zeros(6), CONFIGS["lbfgs"], report=seen.append)
    assert [progress.step for progress in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].objective < seen[0].objective
    assert all(one.seconds <= two.seconds for one, two in pairwise(seen))


@pytest.mark.parametrize("wrong", [{"optimizer": "newton"}, {"steps": 0}, {"batch": 0}])
def test_wrong_settings_are_refused(wrong: dict[str, object]):
    with pytest.raises(ValueError, match=r"newton|steps|batch"):
        TrainingConfig(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["adam", "sgd"])
def test_only_the_batches_given_are_looked_at(name: str):
    regression, seen = Regression(), set[int]()

    class Watched:
        examples = 20

        def __call__(
            self, weights: FloatArray, subset: tuple[int, ...] | None = None
        ) -> tuple[float, FloatArray]:
            seen.update(range(20) if subset is None else subset)
            return regression(weights, subset)

    minimise(Watched(), np.zeros(6), CONFIGS[name], batches=[(0, 3), (7,)])
    assert seen == {0, 3, 7}

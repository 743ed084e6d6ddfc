"""Trainings in lockstep against each alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from text2math.data import load
from text2math.evaluation.variants import variant_config
from text2math.inference.crf import flat_size
from text2math.inference.forest import Forest
from text2math.language.problem import Example, read_problem
from text2math.learning import lockstep
from text2math.learning.lockstep import minimise_together
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import minimise
from text2math.learning.targets import symbols_of, targets
from text2math.learning.training import Fitting, fit, fit_together
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import from_infix
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.model import Model
from text2math.scorers.features import extract
from text2math.scorers.linear import LinearScorer

pytestmark = pytest.mark.slow  # these kernels take half a minute to compile

TRAINING = TrainingConfig(steps=12, threads=1)


def _examples(equations: bool = False, count: int = 24) -> list[Example]:
    """Texts that a tree can be found for, some of them with the same numbers of words."""
    kind = [
        example
        for example in load("stories" if not equations else "corpus").examples
        if example.expression is not None
        and is_equation(example.expression) is equations
        and len(example.problem.quantities) == 2
        and len(example.problem.tokens) < 30
    ]
    return kind[:: max(1, len(kind) // count)][:count]


def _objective(
    examples: list[Example], config: ModelConfig, kept: Sequence[np.ndarray] = ()
) -> LogLikelihood:
    features = [extract(example.problem, config.features) for example in examples]
    golds = [targets(example, config.targets) for example in examples]
    trees = [tree for trees in golds for tree in trees]
    symbols = symbols_of(trees)
    full = Forest.full(symbols)
    return LogLikelihood(
        LinearScorer.untrained(features, config.features, symbols),
        features,
        [example.problem for example in examples],
        [(Forest.of(gold), full) for gold in golds],
        TRAINING,
        kept,
    )


def _objectives(count: int = 10) -> list[LogLikelihood]:
    """More than a vector has lanes, of other features and other examples."""
    examples, paper = _examples(), variant_config("paper", "honest")
    bare = variant_config("paper+no-bigrams", "honest")
    parts = [examples[at:] + examples[: at // 2] for at in range(5)]
    return [_objective(part, config) for part in parts for config in (paper, bare)][:count]


def _start(objective: LogLikelihood, scale: float = 0.0) -> np.ndarray:
    return scale * np.random.default_rng(0).normal(size=objective.size)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.0, 0.5, 60.0], ids=["from zero", "from anywhere", "out of bounds"])
def test_trainings_in_lockstep_take_the_steps_that_each_takes_alone(scale: float) -> None:
    alone = [minimise(one, _start(one, scale), TRAINING) for one in _objectives()]
    objectives = _objectives()
    starts = [_start(one, scale) for one in objectives]
    together = minimise_together(objectives, starts, [TRAINING] * len(objectives))
    for own, shared in zip(alone, together, strict=True):
        assert shared.objective == pytest.approx(own.objective, rel=1e-9)
        assert np.allclose(shared.weights, own.weights, rtol=0, atol=1e-6)


def test_the_others_and_threads_do_not_change_a_single_bit_of_a_training() -> None:
    objectives = _objectives()
    starts, configs = [_start(one, 0.5) for one in objectives], [TRAINING] * len(objectives)
    together = minimise_together(objectives, starts, configs, threads=3)
    for own, shared in zip(_objectives(), together, strict=True):
        (alone,) = minimise_together([own], [_start(own, 0.5)], [TRAINING])
        assert alone.objective == shared.objective
        assert (alone.weights == shared.weights).all()


def test_a_training_that_is_done_earlier_does_not_hold_up_the_others() -> None:
    objectives = _objectives(3)
    configs = [replace(TRAINING, steps=steps) for steps in (1, 12, 4)]
    starts = [_start(one) for one in objectives]
    together = minimise_together(objectives, starts, configs)
    own = zip(_objectives(3), starts, configs, strict=True)
    alone = [minimise(one, start, config) for one, start, config in own]
    assert [one.objective for one in together] == pytest.approx([one.objective for one in alone], rel=1e-9)


def test_the_error_of_a_training_comes_out_when_the_others_are_done() -> None:
    objectives = _objectives(2)
    with pytest.raises(ValueError, match="size"):
        minimise_together(objectives, [_start(objectives[0]), np.zeros(3)], [TRAINING] * 2)


def test_an_example_without_a_tree_is_refused() -> None:
    short = replace(_examples()[0], problem=read_problem("7"), expression=from_infix("X1 = 7[0]"))
    objective = _objective([short], variant_config("paper", "honest"))
    with pytest.raises(ValueError, match="training 0: an example has no text-math tree"):
        minimise_together([objective], [_start(objective)], [TRAINING])


def test_potentials_of_a_network_are_refused() -> None:
    (example,) = _examples(count=1)
    potentials = np.zeros(flat_size(len(example.problem.tokens), len(example.problem.anchors)))
    objective = _objective([example], variant_config("paper", "honest"), [potentials])
    with pytest.raises(ValueError, match="potentials of a network"):
        minimise_together([objective], [_start(objective)], [TRAINING])


def test_an_error_of_the_circuits_stops_every_training(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    objectives = _objectives(2)
    monkeypatch.setattr(lockstep, "compute_rows", fail)
    with pytest.raises(MemoryError):
        minimise_together(objectives, [_start(one) for one in objectives], [TRAINING] * 2)


def _weights(model: Model) -> np.ndarray:
    assert isinstance(model.scorer, LinearScorer)
    return model.scorer.weights


@pytest.mark.slow
@pytest.mark.parametrize("equations", [False, True], ids=["arithmetic", "equations"])
def test_models_fitted_together_are_those_fitted_alone(equations: bool) -> None:
    examples = _examples(equations)
    base = ModelConfig(training=TRAINING, inner_steps=6, candidates=8)
    configs = [variant_config(name, "honest", base) for name in ("full", "no-pos", "no-reranking")]
    together = fit_together([Fitting(examples, config) for config in configs])
    for model, config in zip(together, configs, strict=True):
        alone = fit(examples, config)
        assert np.allclose(_weights(model), _weights(alone), rtol=0, atol=1e-6)
        assert (model.reranker is None) == (alone.reranker is None)
        for example in examples[:6]:
            own, other = model.candidates(example.problem), alone.candidates(example.problem)
            assert [one.mathematics for one in own][:1] == [one.mathematics for one in other][:1]
            assert [c.log_probability for c in own] == pytest.approx(
                [c.log_probability for c in other], abs=1e-4
            )

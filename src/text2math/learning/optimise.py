"""Training: an objective with its gradient, three ways to minimise it, progress, checkpoints.

Every way is deterministic under a seed, keeps the best weights when interrupted, and resumes from a
checkpoint to exactly the weights that an uninterrupted run would have reached.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from text2math.inference.potentials import FloatArray
from text2math.model.config import TrainingConfig
from text2math.model.storage import load_model, save_model


class Objective(Protocol):
    """What is minimised: a sum over examples plus a penalty."""

    examples: int

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        """Value and gradient; with a subset, an estimate of both from those examples alone."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of training, as reported."""

    step: int
    objective: float
    gradient: float  # its largest absolute value
    seconds: float  # since training began (in this process)


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Trained:
    """The weights found, how, and whether training was interrupted on the way."""

    weights: FloatArray
    objective: float
    steps: int
    seconds: float
    interrupted: bool = False


@dataclass(slots=True)
class _State:
    """The state of training: everything a checkpoint must contain."""

    weights: FloatArray
    step: int = 0
    done: bool = False
    moments: tuple[FloatArray, ...] = ()
    best: FloatArray = field(init=False)
    best_objective: float = np.inf

    def __post_init__(self) -> None:
        self.best = self.weights

    def saw(self, weights: FloatArray, objective: float) -> None:
        if objective < self.best_objective:
            self.best, self.best_objective = weights.copy(), objective


def minimise(
    objective: Objective,
    start: FloatArray,
    config: TrainingConfig,
    *,
    report: Report | None = None,
    checkpoint: Path | None = None,
    batches: Sequence[tuple[int, ...]] | None = None,
) -> Trained:
    """Minimise an objective from a start. Ctrl-C ends it early with the best weights so far.

    Adam and SGD take the ``batches`` of examples given, or make their own of all examples. With a checkpoint
    path the state is written there between rounds (or passes), and a run that finds one for the same
    configuration and start resumes from it.
    """
    began = time.perf_counter()
    key = _fingerprint(start, objective.examples, config)
    state = _load(checkpoint, key) or _State(start.copy())
    own = make_batches(range(objective.examples), config) if batches is None else batches

    def tell(step: int, value: float, gradient: FloatArray) -> None:
        if report is not None:
            largest = float(np.abs(gradient).max(initial=0.0))
            report(Progress(step, value, largest, time.perf_counter() - began))

    interrupted = False
    try:
        while state.step < config.steps and not state.done:
            match config.optimizer:
                case "lbfgs":
                    _lbfgs_round(objective, state, config, tell)
                case "adam":
                    _adam_pass(_Pass(objective, state, config, own), tell)
                case "sgd":
                    _sgd_pass(_Pass(objective, state, config, own), tell)
            if checkpoint is not None:
                _save(checkpoint, key, state)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - began
    return Trained(state.best, state.best_objective, state.step, seconds, interrupted)


Tell = Callable[[int, float, FloatArray], None]


def _lbfgs_round(objective: Objective, state: _State, config: TrainingConfig, tell: Tell) -> None:
    """Up to ``round_steps`` steps of L-BFGS from the present weights."""
    from scipy.optimize import minimize as scipy_minimize  # slow to import, so only when something is trained

    latest: list[tuple[float, FloatArray]] = []

    def evaluate(weights: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(weights)
        state.saw(weights, value)
        latest[:] = [(value, gradient)]
        return value, gradient

    steps = min(config.round_steps, config.steps - state.step)
    taken = 0

    def after_step(_: FloatArray) -> None:
        nonlocal taken
        taken += 1
        tell(state.step + taken, *latest[0])

    result = scipy_minimize(
        evaluate,
        state.weights,
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={"maxiter": steps, "ftol": config.tolerance, "gtol": 1e-5, "maxfun": 20 * steps},
    )
    state.weights = np.asarray(result.x)
    state.step += steps
    state.done = bool(result.success) or taken == 0


def make_batches(examples: Sequence[int], config: TrainingConfig) -> list[tuple[int, ...]]:
    """The examples in batches, fixed by the seed, so that an objective can keep what it makes of each.

    >>> sorted(map(len, make_batches(range(7), TrainingConfig(batch=3))))
    [1, 3, 3]
    """
    order = np.random.default_rng(config.seed).permutation(np.asarray(examples, dtype=np.int64)).tolist()
    return [tuple(order[at : at + config.batch]) for at in range(0, len(order), config.batch)]


@dataclass(slots=True)
class _Pass:
    """One pass over batches of examples: their gradients, and what they say about the objective."""

    objective: Objective
    state: _State
    config: TrainingConfig
    batches: Sequence[tuple[int, ...]]
    values: list[float] = field(default_factory=list)
    gradient: FloatArray = field(default_factory=lambda: np.zeros(0))  # the last one

    def __iter__(self) -> Iterator[FloatArray]:
        """The gradients at the present weights, the batches in a new order each pass."""
        for at in np.random.default_rng((self.config.seed, self.state.step)).permutation(len(self.batches)):
            value, self.gradient = self.objective(self.state.weights, self.batches[at])
            self.values.append(value)
            yield self.gradient

    def finish(self, tell: Tell) -> None:
        """Judge the weights by the mean over the batches: another look at all examples costs half a pass."""
        self.state.step += 1
        value = float(np.mean(self.values))
        self.state.saw(self.state.weights, value)
        tell(self.state.step, value, self.gradient)


def _sgd_pass(one: _Pass, tell: Tell) -> None:
    """One pass of stochastic gradient descent; the rate falls with the passes."""
    state = one.state
    rate = one.config.rate / (1 + state.step / 10) / one.objective.examples
    for gradient in one:
        state.weights = state.weights - rate * gradient
    one.finish(tell)


def _adam_pass(one: _Pass, tell: Tell) -> None:
    """One pass of Adam (Kingma and Ba 2015); the rate falls linearly, to nothing after the last pass."""
    state, config = one.state, one.config
    zeros = np.zeros_like(state.weights)
    mean, square, count = state.moments or (zeros, zeros, np.zeros(1))
    # Changed in place: the weights are many, and copies of them would take longer than a batch.
    mean, square, weights = mean.copy(), square.copy(), state.weights.copy()
    state.weights = weights
    for gradient in one:
        rate = config.rate * (1 - count[0] / (config.steps * len(one.batches)))
        count = count + 1
        mean *= 0.9
        mean += 0.1 * gradient
        square *= 0.999
        square += 0.001 * gradient * gradient
        correction = np.sqrt(1 - 0.999 ** count[0]) / (1 - 0.9 ** count[0])
        weights -= rate * correction * mean / (np.sqrt(square) + 1e-8)
    state.moments = (mean, square, count)
    one.finish(tell)


def _fingerprint(start: FloatArray, examples: int, config: TrainingConfig) -> str:
    """What a checkpoint must share with a run that resumes from it (threads change nothing)."""
    settings = {name: value for name, value in sorted(asdict(config).items()) if name != "threads"}
    digest = hashlib.sha256(repr((settings, examples, len(start))).encode())
    digest.update(start.tobytes())
    return digest.hexdigest()


def _save(path: Path, key: str, state: _State) -> None:
    arrays = {"weights": state.weights, "best": state.best}
    arrays |= {f"moment{index}": moment for index, moment in enumerate(state.moments)}
    facts = {"kind": "checkpoint", "key": key, "step": state.step, "done": state.done}
    save_model(path, {**facts, "objective": state.best_objective}, arrays)


def _load(path: Path | None, key: str) -> _State | None:
    if path is None or not path.exists():
        return None
    facts, arrays = load_model(path)
    if facts.get("kind") != "checkpoint" or facts.get("key") != key:
        raise ValueError(
            f"{path}: a checkpoint of other data or another configuration; remove it or choose another path"
        )
    moments = tuple(arrays[name] for name in sorted(arrays) if name.startswith("moment"))
    state = _State(arrays["weights"], facts["step"], facts["done"], moments)
    state.best, state.best_objective = arrays["best"], facts["objective"]
    return state

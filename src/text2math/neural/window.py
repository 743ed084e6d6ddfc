"""Training of the window network with torch: on fixed discrete weights, as the paper does, or jointly.

All examples are in every step, as in the paper: a step is one pass of the chart over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from text2math.evaluation.crossvalidation import Question, gold_relevance, predict_all
from text2math.evaluation.metrics import Prediction
from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts, flat_size
from text2math.inference.forest import Forest
from text2math.inference.potentials import WORD, FloatArray, Symbol
from text2math.language.problem import Example, Problem
from text2math.learning.targets import targets
from text2math.model.model import Model
from text2math.neural.window_network import WindowNetwork
from text2math.scorers.features import extract
from text2math.scorers.linear import Batch, LinearScorer
from text2math.scorers.scorer import CombinedScorer, Relevant
from text2math.scorers.window import WindowConfig, vocabulary_of, windows, word_rows


@dataclass(frozen=True, slots=True)
class WindowTraining:
    """How the network is trained; its own weights are not regularised."""

    iterations: int = 100
    rate: float = 0.001  # of Adam
    joint: bool = False  # train the discrete weights too, regularised; the paper keeps them fixed
    min_count: int = 1  # how often a word must occur to have an embedding of its own
    seed: int = 0
    threads: int | None = None


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A discrete model and its training problems: what the networks of all reaches and seeds share."""

    scorer: LinearScorer
    l2: float  # the regularisation strength of the discrete weights
    problems: tuple[Problem, ...]
    forests: ForestBatch
    batch: Batch
    fixed: FloatArray  # the potentials of all problems, one after the other

    @classmethod
    def of(
        cls, model: Model, examples: Sequence[Example], relevants: Sequence[Relevant] | None = None
    ) -> TrainingSet:
        """Prepare the examples that the model itself learned from."""
        discrete = model.scorer
        if not isinstance(discrete, LinearScorer):
            raise ValueError("a window network is trained on top of a discrete model")
        given = list(relevants) if relevants is not None else [None] * len(examples)
        golds = [targets(example, model.config.targets) for example in examples]
        lost = set(model.unreachable)
        kept = [k for k, e in enumerate(examples) if golds[k] and e.problem.id not in lost]
        if not kept:
            raise ValueError("none of the examples has a text-math tree to learn from")
        features = [extract(examples[k].problem, discrete.config, relevant=given[k]) for k in kept]
        batch = discrete.batch(features)
        return cls(
            scorer=discrete,
            l2=model.config.training.l2,
            problems=tuple(examples[k].problem for k in kept),
            forests=ForestBatch.of([[Forest.of(golds[k]), model.forest] for k in kept]),
            batch=batch,
            fixed=batch.potentials(discrete.weights),
        )


def train_window(
    training_set: TrainingSet,
    config: WindowConfig,
    training: WindowTraining,
    *,
    report: Callable[[int, float], None] | None = None,
) -> CombinedScorer:
    """Train a network on top of a discrete model; ``report`` gets each iteration and its mean loss."""
    vocabulary = vocabulary_of(training_set.problems, training.min_count)
    torch.manual_seed(training.seed)
    network = WindowNetwork(len(vocabulary) + 1, config)
    weights = nn.Parameter(torch.tensor(training_set.scorer.weights), requires_grad=training.joint)
    trained = [*network.parameters(), *([weights] if training.joint else [])]
    rows = [windows(word_rows(problem, vocabulary), config.reach) for problem in training_set.problems]
    seen, entering = (
        torch.as_tensor(np.concatenate(rows)),
        places(training_set.problems, training_set.scorer.symbols),
    )
    optimizer = torch.optim.Adam(trained, lr=training.rate)
    for iteration in range(training.iterations):
        loss = _Loss.apply(network(seen), weights, _Step(training_set, entering, training))
        if report is not None:
            report(iteration + 1, float(loss.detach()) / len(training_set.problems))
        if training.joint:
            loss = loss + training_set.l2 * (weights**2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    trained_discrete = replace(training_set.scorer, weights=weights.detach().numpy().copy())
    return CombinedScorer(trained_discrete, network.exported(vocabulary))


@dataclass(frozen=True, slots=True, eq=False)
class WindowFold:
    """What the process of one fold needs, for ``cross_validate``; its discrete model is already fitted."""

    model: Model
    window: WindowConfig
    training: WindowTraining


def run_window_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: WindowFold
) -> list[Prediction]:
    """Train a network on top of the fold's discrete model, and answer questions under their protocol."""
    torch.set_num_threads(1)  # the folds have a core each
    gold_is_given = any(question.relevant is not None for question in questions)
    relevants = [gold_relevance(example) for example in train] if gold_is_given else None
    training_set = TrainingSet.of(config.model, train, relevants)
    both = replace(config.model, scorer=train_window(training_set, config.window, config.training))
    return predict_all(both, questions)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """What a step of training needs besides the scores and the weights."""

    training_set: TrainingSet
    places: NDArray[np.int64]  # [words, symbols, 4] of the steps that enter a word
    training: WindowTraining


class _Loss(torch.autograd.Function):
    """The chart over discrete potentials with the network's scores on the words: −log-likelihood, summed."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, weights: torch.Tensor, step: _Step) -> torch.Tensor:
        training_set, joint = step.training_set, step.training.joint
        flat = training_set.batch.potentials(weights.detach().numpy()) if joint else training_set.fixed.copy()
        columns = list(training_set.scorer.symbols)
        flat[step.places] += scores.detach().numpy()[:, columns, None]
        packed = PotentialsBatch.from_flat(
            flat,
            [len(problem.tokens) for problem in training_set.problems],
            [problem.anchors for problem in training_set.problems],
        )
        sums, counts = expected_counts(
            packed, training_set.forests, [1.0, -1.0], threads=step.training.threads
        )
        ctx.scores = np.zeros(scores.shape, dtype=np.float32)
        ctx.scores[:, columns] = counts[step.places].sum(axis=2)
        ctx.weights = training_set.batch.gradient(counts) if joint else None
        return torch.tensor(float((sums[:, 1] - sums[:, 0]).sum()), dtype=torch.float64)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        scale = -float(gradients[0])
        weights = None if ctx.weights is None else torch.as_tensor(scale * ctx.weights)
        return torch.as_tensor(scale * ctx.scores), weights, None


def places(problems: Sequence[Problem], symbols: Sequence[Symbol]) -> NDArray[np.int64]:
    """The positions of step[symbol, word, left, WORD] in the flat potentials, [words, symbols, 4]."""
    columns = np.array([int(symbol) for symbol in symbols])[None, :, None]
    found, at = [], 0
    for problem in problems:
        n = len(problem.tokens)
        word = np.arange(n)[:, None, None]
        found.append(at + ((columns * (n + 1) + word) * 4 + np.arange(4)) * 4 + WORD)
        at += flat_size(n, len(problem.quantities))
    return np.concatenate(found)

"""Training of the window network with torch: on fixed discrete weights, as the paper does, or jointly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from text2math.evaluation.crossvalidation import Question, gold_relevance, predict
from text2math.evaluation.metrics import Prediction
from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts, flat_size
from text2math.inference.forest import Forest
from text2math.inference.potentials import SYMBOL_COUNT, WORD, FloatArray
from text2math.language.problem import Example, Problem
from text2math.learning.targets import targets
from text2math.model.model import Model
from text2math.scorers.features import ProblemFeatures, extract
from text2math.scorers.linear import LinearScorer
from text2math.scorers.scorer import CombinedScorer, Relevant
from text2math.scorers.window import WindowConfig, WindowScorer, vocabulary_of, windows, word_rows


@dataclass(frozen=True, slots=True)
class WindowTraining:
    """How the network is trained."""

    passes: int = 20  # over the examples, in batches: more steps than the paper's 100 over all at once
    rate: float = 0.001  # of Adam
    batch: int = 32
    joint: bool = False  # train the discrete weights too; the paper keeps them fixed
    l2: float = 0.1  # on all that is trained, beside a sum over the examples: that of the discrete weights
    min_count: int = 2  # of a word that gets an embedding of its own
    seed: int = 0
    threads: int | None = None


def train_window(
    model: Model,
    examples: Sequence[Example],
    config: WindowConfig,
    training: WindowTraining,
    *,
    relevants: Sequence[Relevant] | None = None,
    report: Callable[[int, float], None] | None = None,
) -> CombinedScorer:
    """Train a network on top of a discrete model; ``report`` gets each pass and its mean loss."""
    given = list(relevants) if relevants is not None else [None] * len(examples)
    discrete = model.scorer
    if not isinstance(discrete, LinearScorer):
        raise ValueError("a window network is trained on top of a discrete model")
    golds = [targets(example, model.config.targets) for example in examples]
    lost = set(model.unreachable)
    kept = [k for k, e in enumerate(examples) if golds[k] and e.problem.id not in lost]
    if not kept:
        raise ValueError("none of the examples has a text-math tree to learn from")
    problems = [examples[k].problem for k in kept]
    vocabulary = vocabulary_of(problems, training.min_count)
    torch.manual_seed(training.seed)
    network = _Network(len(vocabulary) + 1, config)
    weights = nn.Parameter(torch.tensor(discrete.weights), requires_grad=training.joint)
    features = [extract(examples[k].problem, discrete.config, relevant=given[k]) for k in kept]
    data = _Data(
        scorer=discrete,
        features=features,
        fixed=None if training.joint else _potentials(discrete, features, problems),
        problems=problems,
        windows=[windows(word_rows(problem, vocabulary), config.reach) for problem in problems],
        forests=[[Forest.of(golds[k]), model.forest] for k in kept],
        threads=training.threads,
    )
    trained = [*network.parameters(), *([weights] if training.joint else [])]
    optimizer = torch.optim.Adam(trained, lr=training.rate)
    for step in range(training.passes):
        order = np.random.default_rng((training.seed, step)).permutation(len(kept)).tolist()
        total = 0.0
        for at in range(0, len(order), training.batch):
            loss = data.loss(network, weights, order[at : at + training.batch])
            total += float(loss.detach())
            size = sum((one**2).sum() for one in trained)
            loss = loss + training.l2 * size * training.batch / len(order)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if report is not None:
            report(step + 1, total / len(order))
    trained_discrete = replace(discrete, weights=weights.detach().numpy().copy())
    return CombinedScorer(trained_discrete, network.exported(config, vocabulary))


@dataclass(frozen=True, slots=True, eq=False)
class WindowFold:
    """What the process of one fold needs, for ``cross_validate``: its discrete model is fitted already."""

    model: Model
    window: WindowConfig
    training: WindowTraining


def run_window_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: WindowFold
) -> list[Prediction]:
    """Train a network on top of the fold's discrete model, and answer questions under their protocol."""
    torch.set_num_threads(1)  # the folds have a core each
    told = any(question.relevant is not None for question in questions)
    relevants = [gold_relevance(example) for example in train] if told else None
    scorer = train_window(config.model, train, config.window, config.training, relevants=relevants)
    both = replace(config.model, scorer=scorer)
    return [predict(both, question) for question in questions]


class _Network(nn.Module):
    """The network in torch."""

    def __init__(self, words: int, config: WindowConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, config.embedding, dtype=torch.float64)
        width = (2 * config.reach + 1) * config.embedding
        self.hidden = nn.Linear(width, config.hidden, dtype=torch.float64)
        self.output = nn.Linear(config.hidden, SYMBOL_COUNT, bias=False, dtype=torch.float64)
        self.activation = torch.tanh if config.activation == "tanh" else torch.relu
        nn.init.normal_(self.embedding.weight, std=0.1)
        nn.init.zeros_(self.output.weight)  # training starts at the discrete model

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Scores [words, symbols] of windows [words, 2L + 1]."""
        result: torch.Tensor = self.output(self.activation(self.hidden(self.embedding(rows).flatten(1))))
        return result

    def exported(self, config: WindowConfig, vocabulary: dict[str, int]) -> WindowScorer:
        """The network as numpy arrays."""
        return WindowScorer(
            config,
            vocabulary,
            self.embedding.weight.detach().numpy().copy(),
            self.hidden.weight.detach().numpy().T.copy(),
            self.hidden.bias.detach().numpy().copy(),
            self.output.weight.detach().numpy().T.copy(),
        )


@dataclass(frozen=True, eq=False)
class _Data:
    """Training problems, prepared."""

    scorer: LinearScorer
    features: Sequence[ProblemFeatures]
    fixed: Sequence[FloatArray] | None  # the potentials of each, where the weights stay as they are
    problems: Sequence[Problem]
    windows: Sequence[Any]
    forests: Sequence[Sequence[Forest]]
    threads: int | None

    def loss(self, network: _Network, weights: torch.Tensor, chosen: Sequence[int]) -> torch.Tensor:
        """The negative log-likelihood of some problems, summed."""
        scores = network(torch.as_tensor(np.concatenate([self.windows[k] for k in chosen])))
        result: torch.Tensor = _Loss.apply(scores, weights, self, tuple(chosen))
        return result


class _Loss(torch.autograd.Function):
    """The chart over discrete potentials with the network's scores on the words."""

    @staticmethod
    def forward(
        ctx: Any, scores: torch.Tensor, weights: torch.Tensor, data: _Data, chosen: tuple[int, ...]
    ) -> torch.Tensor:
        batch = None
        if data.fixed is not None:
            flat = np.concatenate([data.fixed[k] for k in chosen])
        else:
            batch = data.scorer.batch([data.features[k] for k in chosen])
            flat = batch.potentials(weights.detach().numpy())
        problems = [data.problems[k] for k in chosen]
        packed = PotentialsBatch.from_flat(
            flat,
            [len(problem.tokens) for problem in problems],
            [problem.anchors for problem in problems],
        )
        for own, entering in zip(_split(scores.detach().numpy(), problems), _entering(packed), strict=True):
            entering += own.T[:, :, None]
        forests = ForestBatch.of([data.forests[k] for k in chosen])
        sums, counts = expected_counts(packed, forests, [1.0, -1.0], threads=data.threads)
        entered = [part.sum(axis=2).T for part in _entering(replace(packed, flat=counts))]
        ctx.scores = np.concatenate(entered)
        ctx.weights = None if batch is None else batch.gradient(counts)
        return torch.tensor(float((sums[:, 1] - sums[:, 0]).sum()), dtype=torch.float64)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        scale = -float(gradients[0])
        weights = None if ctx.weights is None else torch.as_tensor(scale * ctx.weights)
        return torch.as_tensor(scale * ctx.scores), weights, None, None


def _potentials(
    scorer: LinearScorer, features: Sequence[ProblemFeatures], problems: Sequence[Problem]
) -> list[FloatArray]:
    """The discrete potentials of each problem, laid out for the chart."""
    flat = scorer.batch(features).potentials(scorer.weights)
    sizes = [flat_size(len(problem.tokens), len(problem.quantities)) for problem in problems]
    return np.split(flat, np.cumsum(sizes)[:-1])


def _split(scores: FloatArray, problems: Sequence[Problem]) -> list[FloatArray]:
    return np.split(scores, np.cumsum([len(problem.tokens) for problem in problems])[:-1])


def _entering(batch: PotentialsBatch) -> list[FloatArray]:
    """Views of step[symbol, word, left, WORD] of each problem: the steps that enter its words."""
    return [one.step[:, : one.words, :, WORD] for one in batch.unpack(batch.flat)]

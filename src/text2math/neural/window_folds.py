"""The window networks of a fold: trained side by side on its discrete model, then asked its test problems."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch

from text2math.evaluation.crossvalidation import Protocol, Question, gold_relevance, predict_best
from text2math.evaluation.metrics import Prediction
from text2math.inference.crf import PotentialsBatch
from text2math.inference.potentials import FloatArray
from text2math.language.problem import Example, Problem
from text2math.model.model import Model
from text2math.neural.window import TrainingSet, WindowTraining, places
from text2math.neural.window_arrays import window_problems, with_tables
from text2math.neural.window_batch import Array, Plan, train_windows
from text2math.scorers.features import extract
from text2math.scorers.linear import Batch, LinearScorer


class Network(NamedTuple):
    """What a network says of the test problems of a fold."""

    scores: Array  # [words, symbols of the discrete model]
    tables: Mapping[str, Array] | None  # discrete weights trained with it; None: they were kept fixed


class FoldNetworks(NamedTuple):
    """The networks of a fold, and what training them took."""

    networks: dict[Plan, Network]
    seconds: float
    processor_seconds: float

    @classmethod
    def joined(cls, parts: Sequence[FoldNetworks]) -> FoldNetworks:
        """Networks of the same fold that were trained by several processes."""
        return cls(
            {plan: network for part in parts for plan, network in part.networks.items()},
            sum(part.seconds for part in parts),
            sum(part.processor_seconds for part in parts),
        )


def train_fold(
    model: Model,
    train: Sequence[Example],
    test: Sequence[Problem],
    protocol: Protocol,
    plans: Sequence[Plan],
    training: WindowTraining,
) -> FoldNetworks:
    """Train networks on top of the discrete model of a fold, on one core."""
    torch.set_num_threads(1)  # the folds have a core each
    start, processor_start = time.perf_counter(), time.process_time()
    relevants = [gold_relevance(example) for example in train] if protocol == "paper" else None
    problems = window_problems(TrainingSet.of(model, train, relevants), test, training.min_count)
    trained = train_windows(problems, plans, iterations=training.iterations, rate=training.rate)
    networks = {one.plan: Network(one.scores, one.tables) for one in trained}
    return FoldNetworks(networks, time.perf_counter() - start, time.process_time() - processor_start)


@dataclass(frozen=True, eq=False)
class AskedFold:
    """The test problems of a fold under its discrete model; what all networks share is computed once."""

    model: Model
    questions: tuple[Question, ...]

    @property
    def scorer(self) -> LinearScorer:
        """The discrete scorer."""
        assert isinstance(self.model.scorer, LinearScorer)
        return self.model.scorer

    @cached_property
    def batch(self) -> Batch:
        """The features of the problems."""
        config = self.scorer.config
        return self.scorer.batch([extract(one.problem, config, relevant=one.told) for one in self.questions])

    @cached_property
    def fixed(self) -> FloatArray:
        """Their potentials without a network."""
        return self.batch.potentials(self.scorer.weights)

    def predictions(self, network: Network) -> list[Prediction]:
        """What the best trees say under a network."""
        flat = self.fixed.copy()
        if network.tables is not None:
            flat = self.batch.potentials(with_tables(self.scorer, network.tables))
        problems = [one.problem for one in self.questions]
        flat[places(problems, self.scorer.symbols)] += network.scores[:, :, None]
        lengths = [len(problem.tokens) for problem in problems]
        potentials = PotentialsBatch.from_flat(flat, lengths, [problem.anchors for problem in problems])
        return predict_best(self.model, self.questions, potentials)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkOfFold:
    """A network to ask; the networks of a fold are asked one after the other."""

    plan: Plan
    network: Network = field(repr=False)
    model: Model = field(repr=False)
    asked: list[AskedFold] = field(repr=False)  # of this fold, filled by the first network that is asked


def ask_network(
    _: tuple[Example, ...], questions: tuple[Question, ...], config: NetworkOfFold
) -> list[Prediction]:
    """What a trained network of a fold makes of its test problems, for ``cross_validate``."""
    if not config.asked:
        config.asked.append(AskedFold(config.model, questions))
    return config.asked[0].predictions(config.network)

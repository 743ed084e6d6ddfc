"""The objective of training: the negative log-likelihood of the right expressions, with its gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts
from text2math.inference.forest import Forest
from text2math.inference.potentials import FloatArray
from text2math.language.problem import Problem
from text2math.model.config import TrainingConfig
from text2math.scorers.features import ProblemFeatures
from text2math.scorers.linear import Batch, LinearScorer


class LogLikelihood:
    """The negative log-likelihood of the targets with its L2 penalty: the objective of training.

    ``kept`` are potentials of each problem, laid out flat, to which those of the scorer are added.
    """

    def __init__(
        self,
        scorer: LinearScorer,
        features: Sequence[ProblemFeatures],
        problems: Sequence[Problem],
        forests: Sequence[tuple[Forest, Forest]],  # of the targets, of everything
        config: TrainingConfig,
        kept: Sequence[FloatArray] = (),
    ) -> None:
        self.examples = len(problems)
        self._scorer, self._features, self._problems = scorer, features, problems
        self._forests, self._config, self._kept = forests, config, kept
        self._center = scorer.weights  # the penalty pulls the weights back to their initial values
        self._packed: dict[tuple[int, ...] | None, tuple[Batch, ForestBatch]] = {}

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        """Value and gradient; with a subset, estimated from those examples."""
        batch, forests = self._prepare(subset)
        chosen = range(self.examples) if subset is None else subset
        flat = batch.potentials(weights)
        if self._kept:
            flat += np.concatenate([self._kept[p] for p in chosen])
        packed = PotentialsBatch.from_flat(
            flat,
            [len(self._problems[p].tokens) for p in chosen],
            [self._problems[p].anchors for p in chosen],
        )
        threads = self._config.threads or None
        partitions, counts = expected_counts(packed, forests, [1.0, -1.0], threads=threads)
        share = self.examples / len(chosen)
        value = share * float((partitions[:, 1] - partitions[:, 0]).sum())
        gradient = -share * batch.gradient(counts)
        moved, l2 = weights - self._center, self._config.l2
        return value + l2 * float(moved @ moved), gradient + 2 * l2 * moved

    def _prepare(self, subset: tuple[int, ...] | None) -> tuple[Batch, ForestBatch]:
        """The features as matrices, kept: every pass over the examples asks for the same subsets."""
        if subset not in self._packed:
            self._packed[subset] = self._pack(range(self.examples) if subset is None else subset)
        return self._packed[subset]

    def _pack(self, chosen: Sequence[int]) -> tuple[Batch, ForestBatch]:
        batch = self._scorer.batch([self._features[p] for p in chosen])
        return batch, ForestBatch.of([self._forests[p] for p in chosen])

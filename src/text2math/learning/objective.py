"""The objective of training: the negative log-likelihood of the right expressions, with its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts
from text2math.inference.forest import Forest
from text2math.inference.potentials import FloatArray
from text2math.language.problem import Problem
from text2math.model.config import TrainingConfig
from text2math.scorers.features import ProblemFeatures
from text2math.scorers.linear import Batch, LinearScorer


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """Some examples as every step of training needs them, with room for their potentials and counts."""

    batch: Batch
    forests: ForestBatch
    words: Sequence[int]
    anchors: Sequence[Sequence[int]]
    flat: FloatArray | None
    counts: FloatArray | None


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
        self._packed: dict[tuple[int, ...] | None, _Packed] = {}

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        """Value and gradient; with a subset, estimated from those examples."""
        packed = self._prepare(subset)
        chosen = range(self.examples) if subset is None else subset
        flat = packed.batch.potentials(weights, packed.flat)
        if self._kept:
            flat = flat + np.concatenate([self._kept[p] for p in chosen])
        potentials = PotentialsBatch.from_flat(flat, packed.words, packed.anchors)
        threads = self._config.threads or None
        partitions, counts = expected_counts(
            potentials, packed.forests, [1.0, -1.0], threads=threads, counts=packed.counts
        )
        share = self.examples / len(chosen)
        value = share * float((partitions[:, 1] - partitions[:, 0]).sum())
        gradient = -share * packed.batch.gradient(counts)
        moved, l2 = weights - self._center, self._config.l2
        return value + l2 * float(moved @ moved), gradient + 2 * l2 * moved

    def _prepare(self, subset: tuple[int, ...] | None) -> _Packed:
        """The features as matrices, kept: every pass over the examples asks for the same subsets."""
        if subset not in self._packed:
            self._packed[subset] = self._pack(subset)
        return self._packed[subset]

    def _pack(self, subset: tuple[int, ...] | None) -> _Packed:
        chosen = range(self.examples) if subset is None else subset
        batch = self._scorer.batch([self._features[p] for p in chosen])
        # Arrays of this size are new pages of memory each time, which takes longer than to fill them. Those
        # of all examples are kept; those of many subsets together would take too much.
        flat, counts = (np.zeros(int(batch.offsets[-1])) if subset is None else None for _ in range(2))
        return _Packed(
            batch,
            ForestBatch.of([self._forests[p] for p in chosen]),
            [len(self._problems[p].tokens) for p in chosen],
            [self._problems[p].anchors for p in chosen],
            flat,
            counts,
        )

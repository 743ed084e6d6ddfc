"""The objective of training: the negative log-likelihood of the right expressions, with its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts
from text2math.inference.forest import Forest
from text2math.inference.potentials import FloatArray
from text2math.language.problem import Problem
from text2math.model.config import TrainingConfig
from text2math.scorers.features import ProblemFeatures
from text2math.scorers.linear import Batch, LinearScorer


class ChartPlan(NamedTuple):
    """What a chart depends on, apart from its potentials."""

    words: int
    anchors: tuple[int, ...]
    forests: tuple[Forest, Forest]  # of the targets, of everything


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
    ``size`` is the number of weights.
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
        self.examples, self.size = len(problems), len(scorer.weights)
        self._scorer, self._features, self._problems = scorer, features, problems
        self._forests, self._config, self._kept = forests, config, kept
        self._center = scorer.weights  # the penalty pulls the weights back to their initial values
        self._packed: dict[tuple[int, ...] | None, _Packed] = {}
        self._elsewhere: Callable[[_Packed, FloatArray], tuple[float, FloatArray]] | None = None

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        """Value and gradient; with a subset, estimated from those examples."""
        packed = self._prepare(subset)
        chosen = range(self.examples) if subset is None else subset
        flat = packed.batch.potentials(weights, packed.flat)
        if self._kept:
            flat = flat + np.concatenate([self._kept[p] for p in chosen])
        compute = self._chart if subset is not None or self._elsewhere is None else self._elsewhere
        loss, counts = compute(packed, flat)
        share = self.examples / len(chosen)
        moved, l2 = weights - self._center, self._config.l2
        gradient = -share * packed.batch.gradient(counts)
        return share * loss + l2 * float(moved @ moved), gradient + 2 * l2 * moved

    @property
    def charts(self) -> list[ChartPlan]:
        """What the chart of each example depends on, apart from its potentials."""
        return [
            ChartPlan(len(problem.tokens), tuple(problem.anchors), forests)
            for problem, forests in zip(self._problems, self._forests, strict=True)
        ]

    def delegate(self, compute: Callable[[], float], flat: FloatArray, counts: FloatArray) -> None:
        """From now on write the potentials of all examples to ``flat`` and let ``compute`` do the chart.

        It returns the loss without its penalty, and writes ``counts``.
        """
        if self._kept:
            raise ValueError("potentials of a network are not among those of the features: use the chart")
        self._packed[None] = replace(self._prepare(None), flat=flat, counts=counts)
        self._elsewhere = lambda packed, _: (compute(), counts)

    def by_chart(self) -> float:
        """The loss at the potentials that were written last, without its penalty; counts are written too."""
        packed = self._prepare(None)
        assert packed.flat is not None
        return self._chart(packed, packed.flat)[0]

    def _chart(self, packed: _Packed, flat: FloatArray) -> tuple[float, FloatArray]:
        """The loss without its penalty, and by how much it falls as each potential rises."""
        potentials = PotentialsBatch.from_flat(flat, packed.words, packed.anchors)
        threads = self._config.threads or None
        partitions, counts = expected_counts(
            potentials, packed.forests, [1.0, -1.0], threads=threads, counts=packed.counts
        )
        return float((partitions[:, 1] - partitions[:, 0]).sum()), counts

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

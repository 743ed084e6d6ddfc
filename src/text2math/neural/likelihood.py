"""The exact log-likelihood of text-math trees, differentiable: the compiled chart inside torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from text2math.crf import ForestBatch, PotentialsBatch, expected_counts, flat_size
from text2math.forest import Forest
from text2math.potentials import SYMBOL_COUNT, FloatArray, IntArray
from text2math.scorers.encoder import FIXED_OUTPUTS


@dataclass(frozen=True, slots=True, eq=False)
class Charts:
    """What the chart must know about the problems of a batch beside their potentials."""

    words: tuple[int, ...]
    anchors: tuple[IntArray, ...]
    forests: ForestBatch
    threads: int | None = None

    @classmethod
    def of(
        cls,
        words: Sequence[int],
        anchors: Sequence[IntArray],
        gold: Sequence[Forest],
        full: Forest,
        threads: int | None = None,
    ) -> Charts:
        """Problems with the forest of their gold, against one forest of everything."""
        forests = ForestBatch.of([[own, full] for own in gold])
        return cls(tuple(words), tuple(anchors), forests, threads)


def log_likelihood(
    step: torch.Tensor, fixed: torch.Tensor, number: torch.Tensor, charts: Charts
) -> torch.Tensor:
    """log P(gold | text) of each problem from padded outputs; gradients flow back into them."""
    result: torch.Tensor = _LogLikelihood.apply(step, fixed, number, charts)
    return result


class _LogLikelihood(torch.autograd.Function):
    """Inside and outside in the compiled chart, on the processor's cores, wherever the tensors live."""

    @staticmethod
    def forward(
        ctx: Any, step: torch.Tensor, fixed: torch.Tensor, number: torch.Tensor, charts: Charts
    ) -> torch.Tensor:
        step_array, fixed_array, number_array = (
            tensor.detach().double().cpu().numpy() for tensor in (step, fixed, number)
        )
        batch = PotentialsBatch.from_flat(
            _flat(step_array, fixed_array, number_array, charts), charts.words, charts.anchors
        )
        partitions, counts = expected_counts(batch, charts.forests, [1.0, -1.0], threads=charts.threads)
        ctx.charts, ctx.counts = charts, counts
        ctx.like = [(tensor.shape, tensor.dtype, tensor.device) for tensor in (step, fixed, number)]
        value = partitions[:, 0] - partitions[:, 1]
        return torch.as_tensor(
            value, dtype=torch.promote_types(step.dtype, torch.float32), device=step.device
        )

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        shapes = [shape for shape, _, _ in ctx.like]
        weights = gradients[0].detach().double().cpu().numpy()
        padded = _padded(ctx.counts, weights, shapes, ctx.charts)
        tensors = [
            torch.as_tensor(array, dtype=dtype).to(device)
            for array, (_, dtype, device) in zip(padded, ctx.like, strict=True)
        ]
        return *tensors, None


def _flat(step: FloatArray, fixed: FloatArray, number: FloatArray, charts: Charts) -> FloatArray:
    """Padded outputs as the chart wants them: problem after problem, step[symbol, boundary, …] first."""
    parts = []
    for row, (n, anchors) in enumerate(zip(charts.words, charts.anchors, strict=True)):
        own = step[row, : n + 1].reshape(n + 1, SYMBOL_COUNT, 16).transpose(1, 0, 2)
        parts += [own.ravel(), fixed[row], number[row, anchors]]
    return np.concatenate(parts)


def _padded(counts: FloatArray, weights: FloatArray, shapes: list[Any], charts: Charts) -> list[FloatArray]:
    """The transpose of ``_flat``, each problem's counts times its weight."""
    step, fixed, number = (np.zeros(shape) for shape in shapes)
    at = 0
    for row, (n, anchors) in enumerate(zip(charts.words, charts.anchors, strict=True)):
        size = flat_size(n, len(anchors))
        own, at = counts[at : at + size] * weights[row], at + size
        end = size - FIXED_OUTPUTS - len(anchors)
        step[row, : n + 1] = own[:end].reshape(SYMBOL_COUNT, n + 1, 16).transpose(1, 0, 2).reshape(n + 1, -1)
        fixed[row] = own[end : end + FIXED_OUTPUTS]
        number[row, anchors] = own[end + FIXED_OUTPUTS :]
    return [step, fixed, number]

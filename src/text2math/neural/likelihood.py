"""The exact log-likelihood of text-math trees, differentiable: the compiled chart inside torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts, flat_size
from text2math.inference.forest import Forest
from text2math.inference.potentials import SYMBOL_COUNT, FloatArray, IntArray
from text2math.scorers.encoder import FIXED_OUTPUTS


@dataclass(frozen=True, slots=True, eq=False)
class Charts:
    """What the charts of a batch need besides the potentials."""

    words: tuple[int, ...]
    anchors: tuple[IntArray, ...]
    forests: ForestBatch  # of each problem, that of its gold and a full one
    threads: int | None = None
    symbols: tuple[int, ...] = tuple(range(SYMBOL_COUNT))  # the symbols of the outputs for steps, in order

    @classmethod
    def of(
        cls,
        words: Sequence[int],
        anchors: Sequence[IntArray],
        gold: Sequence[Forest],
        full: Sequence[Forest],
        threads: int | None = None,
        symbols: tuple[int, ...] = tuple(range(SYMBOL_COUNT)),
    ) -> Charts:
        """Problems with the forest of their gold, each against a forest of what it competes with."""
        forests = ForestBatch.of(list(zip(gold, full, strict=True)))
        return cls(tuple(words), tuple(anchors), forests, threads, symbols)


def symbols_of(forests: Iterable[Forest]) -> tuple[int, ...]:
    """The symbols in some forests: outputs for others change nothing, so a network need not compute them.

    >>> from text2math.inference.forest import ARITHMETIC
    >>> len(symbols_of([Forest.full(ARITHMETIC)]))
    5
    """
    distinct = {id(forest): forest for forest in forests}.values()
    return tuple(sorted({int(state.symbol) for forest in distinct for state in forest.states}))


def log_likelihood(
    step: torch.Tensor,
    fixed: torch.Tensor,
    number: torch.Tensor,
    charts: Charts,
) -> torch.Tensor:
    """log P(gold | text) of each problem from padded outputs; gradients flow back into them.

    The result is on the CPU, wherever the outputs are.
    """
    result: torch.Tensor = _LogLikelihood.apply(step, fixed, number, charts)
    return result


class _LogLikelihood(torch.autograd.Function):
    """Inside and outside in the compiled chart, on the CPU, wherever the tensors are."""

    @staticmethod
    def forward(
        ctx: Any,
        step: torch.Tensor,
        fixed: torch.Tensor,
        number: torch.Tensor,
        charts: Charts,
    ) -> torch.Tensor:
        flat = _flat([tensor.detach().cpu().numpy() for tensor in (step, fixed, number)], charts)
        result, counts = _likelihood(flat, charts)
        ctx.charts, ctx.counts = charts, counts
        ctx.like = [(tensor.shape, tensor.dtype, tensor.device) for tensor in (step, fixed, number)]
        # On the CPU, so that the backward pass does not wait for the GPU.
        return torch.as_tensor(result)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        padded = _padded(ctx.counts, gradients[0].numpy(), ctx.like, ctx.charts)
        moved = [
            tensor.to(device, non_blocking=True)
            for tensor, (_, _, device) in zip(padded, ctx.like, strict=True)
        ]
        return *moved, None


def _likelihood(flat: FloatArray, charts: Charts) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood of each problem, and its gradient: both forests of all problems in one queue."""
    batch = PotentialsBatch.from_flat(flat, charts.words, charts.anchors)
    partitions, counts = expected_counts(batch, charts.forests, [1.0, -1.0], threads=charts.threads)
    return partitions[:, 0] - partitions[:, 1], counts


def _flat(outputs: Sequence[NDArray[Any]], charts: Charts) -> FloatArray:
    """Padded outputs in the layout of the chart: problem after problem, step[symbol, boundary, …] first."""
    step, fixed, number = outputs
    symbols = list(charts.symbols)
    parts = []
    for row, (n, anchors) in enumerate(zip(charts.words, charts.anchors, strict=True)):
        own = np.zeros((SYMBOL_COUNT, n + 1, 16), dtype=step.dtype)
        own[symbols] = step[row, : n + 1].reshape(n + 1, len(symbols), 16).transpose(1, 0, 2)
        parts += [own.ravel(), fixed[row], number[row, : len(anchors)]]
    return np.concatenate(parts, dtype=np.float64)


def _padded(counts: FloatArray, weights: FloatArray, like: list[Any], charts: Charts) -> list[torch.Tensor]:
    """The transpose of ``_flat``, each problem's counts times its weight."""
    # Pinned memory is copied to a GPU asynchronously.
    tensors = [
        torch.zeros(shape, dtype=dtype, pin_memory=device.type == "cuda") for shape, dtype, device in like
    ]
    step, fixed, number = (tensor.numpy() for tensor in tensors)
    symbols = list(charts.symbols)
    at = 0
    for row, (n, anchors) in enumerate(zip(charts.words, charts.anchors, strict=True)):
        size = flat_size(n, len(anchors))
        own, at = counts[at : at + size] * weights[row], at + size
        end = size - FIXED_OUTPUTS - len(anchors)
        steps = own[:end].reshape(SYMBOL_COUNT, n + 1, 16)[symbols]
        step[row, : n + 1] = steps.transpose(1, 0, 2).reshape(n + 1, -1)
        fixed[row] = own[end : end + FIXED_OUTPUTS]
        number[row, : len(anchors)] = own[end + FIXED_OUTPUTS :]
    return tensors

"""The exact log-likelihood of text-math trees, differentiable: the compiled chart inside torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts, flat_size
from text2math.inference.forest import Forest
from text2math.inference.potentials import SYMBOL_COUNT, WORD, FloatArray, IntArray
from text2math.scorers.encoder import FIXED_OUTPUTS


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """How well words express symbols: weights (logs) for some pairs of a symbol and a word of a text.

    They weigh the trees of the gold. exp(weight) stands for how likely it is that a tree which gives the word
    to a node of this symbol is the one a reader would draw, so that the log-likelihood stays one.
    """

    symbols: NDArray[np.int64]
    words: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, table: NDArray[Any]) -> Marks:
        """The entries of a table [symbol, word] that are not zero."""
        symbols, words = np.nonzero(table)
        return cls(symbols, words, table[symbols, words].astype(np.float64))

    def places(self, n: int) -> IntArray:
        """Where a text's potentials have the steps that enter these words, [entry, what is before]."""
        rows = (self.symbols * (n + 1) + self.words)[:, None] * 16
        return np.asarray(rows + 4 * np.arange(4) + WORD)


@dataclass(frozen=True, slots=True, eq=False)
class Charts:
    """What the chart must know about the problems of a batch beside their potentials."""

    words: tuple[int, ...]
    anchors: tuple[IntArray, ...]
    forests: ForestBatch  # of the gold and of everything
    marks: tuple[Marks | None, ...]
    threads: int | None = None
    symbols: tuple[int, ...] = tuple(range(SYMBOL_COUNT))  # what the outputs for steps are about, in order

    @classmethod
    def of(
        cls,
        words: Sequence[int],
        anchors: Sequence[IntArray],
        gold: Sequence[Forest],
        full: Sequence[Forest],
        threads: int | None = None,
        symbols: tuple[int, ...] = tuple(range(SYMBOL_COUNT)),
        marks: Sequence[Marks | None] | None = None,
    ) -> Charts:
        """Problems with the forest of their gold, each against a forest of everything."""
        return cls(
            tuple(words),
            tuple(anchors),
            ForestBatch.of(list(zip(gold, full, strict=True))),
            tuple(marks or [None] * len(gold)),
            threads,
            symbols,
        )

    def marked(self, flat: FloatArray) -> FloatArray:
        """The potentials of the gold's trees: those of all trees, and the marks."""
        flat, at = flat.copy(), 0
        for n, anchors, marks in zip(self.words, self.anchors, self.marks, strict=True):
            if marks is not None:
                flat[at + marks.places(n)] += marks.weights[:, None]
            at += flat_size(n, len(anchors))
        return flat


def symbols_of(forests: Iterable[Forest]) -> tuple[int, ...]:
    """The symbols in some forests: outputs about others change nothing, so a network need not give them.

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

    The result is on the processor, wherever the outputs are.
    """
    result: torch.Tensor = _LogLikelihood.apply(step, fixed, number, charts)
    return result


class _LogLikelihood(torch.autograd.Function):
    """Inside and outside in the compiled chart, on the processor's cores, wherever the tensors live."""

    @staticmethod
    def forward(
        ctx: Any,
        step: torch.Tensor,
        fixed: torch.Tensor,
        number: torch.Tensor,
        charts: Charts,
    ) -> torch.Tensor:
        flat = _flat([tensor.detach().cpu().numpy() for tensor in (step, fixed, number)], charts)
        result, counts = _marked_likelihood(flat, charts) if any(charts.marks) else _likelihood(flat, charts)
        ctx.charts, ctx.counts = charts, counts
        ctx.like = [(tensor.shape, tensor.dtype, tensor.device) for tensor in (step, fixed, number)]
        # On the processor, so that the way back does not wait for the device.
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


def _marked_likelihood(flat: FloatArray, charts: Charts) -> tuple[FloatArray, FloatArray]:
    """The same where the trees of the gold have potentials of their own: these are problems by themselves."""
    batch = PotentialsBatch.from_flat(
        np.concatenate([charts.marked(flat), flat]), charts.words * 2, charts.anchors * 2
    )
    columns = charts.forests.forest_of.T.reshape(-1, 1)  # of the gold first
    forests = replace(charts.forests, forest_of=np.ascontiguousarray(columns))
    partitions, counts = expected_counts(batch, forests, [1.0], threads=charts.threads)
    gold, full = np.split(partitions[:, 0], 2)
    return gold - full, np.subtract(*np.split(counts, 2))


def _flat(outputs: Sequence[NDArray[Any]], charts: Charts) -> FloatArray:
    """Padded outputs as the chart wants them: problem after problem, step[symbol, boundary, …] first."""
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
    # What goes to a device goes from memory that it can read by itself.
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

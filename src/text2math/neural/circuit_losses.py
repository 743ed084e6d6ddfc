"""The losses of several networks from circuits: each line is computed for eight networks at once.

The gradient is the same loop backwards. Values are factors, not logs, divided by each word's best score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np import arrayobj
from torch import Tensor

from text2math.inference.potentials import EDGE, WORD
from text2math.neural.circuits import Array, Circuit

LANES = 8  # networks that are computed side by side
_compiled = njit(cache=True, nogil=True, error_model="numpy")


class Circuits(NamedTuple):
    """The circuits of many problems, each under the full forest and that of its gold."""

    lines: Array  # [lines, 3]
    first_line: Array  # [P + 1]
    nodes: Array  # [P]
    totals: Array  # [P, 2]
    lengths: Array  # [P]
    first_number: Array  # [P + 1]
    marks: Array  # [pairs], 4 · left + right

    @classmethod
    def of(cls, circuits: Sequence[Circuit], lengths: Array, numbers: Array, marks: Array) -> Circuits:
        """Put circuits behind each other; every problem must have a tree in both forests."""
        totals = np.array([one.totals for one in circuits])
        if (totals < 0).any():
            raise ValueError(f"problem {int(np.argmin(totals.min(1)))} has no tree: leave it out")
        return cls(
            np.concatenate([one.lines for one in circuits]),
            np.cumsum([0, *(len(one.lines) for one in circuits)]),
            np.array([one.nodes for one in circuits]),
            totals,
            np.asarray(lengths),
            np.cumsum([0, *numbers]),
            np.asarray(marks),
        )


class Potentials(NamedTuple):
    """Potentials under K networks, or one set that all of them share."""

    step: Tensor  # [boundary, pair, symbol, K or 1]
    pattern: Tensor  # [symbol, 16, K or 1]
    child: Tensor  # [symbol, side, symbol, K or 1]
    root: Tensor  # [symbol, K or 1]
    number: Tensor  # [number, K or 1]


def circuit_losses(circuits: Circuits, scores: Tensor, potentials: Potentials) -> Tensor:
    """−log-likelihood of each network, [K], summed over the problems.

    ``scores`` [words, symbol, K] are added to all steps that enter a word. Gradients flow back into them, and
    into potentials that are not shared.
    """
    losses: Tensor = _Losses.apply(circuits, scores, *potentials)
    return losses


class _Losses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, circuits: Circuits, scores: Tensor, *potentials: Tensor) -> Tensor:
        networks = scores.shape[-1]
        entering = _padded(scores.detach().exp())
        shared = not any(ctx.needs_input_grad[2:])  # a single network may have potentials of its own
        own = [one.detach().exp() if shared else _padded(one.detach().exp()) for one in potentials]
        parts = tuple(one.contiguous().numpy() for one in own)
        counts = tuple(np.zeros((1,) * one.ndim if shared else one.shape) for one in parts)
        wanted = np.empty(entering.shape)
        losses = _losses(circuits, entering.numpy(), parts, wanted, counts, shared)
        if not np.isfinite(losses[:networks]).all():
            raise ValueError("scores leave the range of a double: train with the compiled chart")
        ctx.wanted, ctx.shared = torch.as_tensor(wanted[..., :networks]), shared
        ctx.counts = [torch.as_tensor(count[..., :networks]) for count in counts]
        return torch.as_tensor(losses[:networks])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        around = gradients[0]
        counts = [None if ctx.shared else count * around for count in ctx.counts]
        return None, ctx.wanted * around, *counts


def _padded(table: Tensor) -> Tensor:
    """With ones for lanes that no network needs."""
    return torch.nn.functional.pad(table, (0, -table.shape[-1] % LANES), value=1.0).contiguous()


def _vector_instructions(typing: Any, into: Any, at: Any, one: Any, x: Any, other: Any, y: Any) -> Any:
    """into[at : at + LANES] += one[x : x + LANES] · other[y : y + LANES], as vector instructions.

    LLVM does not find them by itself, since the slices might overlap.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.DoubleType(), LANES).as_pointer()
        places = []
        for k in (0, 2, 4):
            array = arrayobj.make_array(signature.args[k])(context, builder, arguments[k])
            places.append(builder.bitcast(builder.gep(array.data, [arguments[k + 1]]), vector))
        total, left, right = (builder.load(place, align=8) for place in places)
        added = builder.fadd(total, builder.fmul(left, right, flags=("contract",)), flags=("contract",))
        builder.store(added, places[0], align=8)
        return context.get_dummy_value()

    return types.void(into, at, one, x, other, y), generate


_add_product: Any = intrinsic(_vector_instructions)


@_compiled
def _compute(lines: Any, values: Any) -> None:
    """Add up all lines; ``values`` [nodes · LANES] are zero but for the inputs."""
    for line in range(len(lines)):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(values, total, values, x, values, y)


@_compiled
def _propagate(lines: Any, values: Any, wanted: Any) -> None:
    """The same backwards: ``wanted`` [nodes · LANES] are derivatives, zero but for the totals."""
    for line in range(len(lines) - 1, -1, -1):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(wanted, x, wanted, total, values, y)
        _add_product(wanted, y, wanted, total, values, x)


@_compiled
def _losses(circuits: Any, entering: Any, potentials: Any, wanted: Any, counts: Any, shared: Any) -> Any:
    """The loss of each network; ``wanted`` [words, symbol, K] and ``counts`` become its derivatives."""
    networks = entering.shape[2]
    losses = np.zeros(networks)
    size = LANES * circuits.nodes.max()
    values, around = np.empty(size), np.empty(size)
    for lane in range(0, networks, LANES):
        word = 0
        for p in range(len(circuits.lengths)):
            end = LANES * circuits.nodes[p]
            values[:end] = 0.0
            around[:end] = 0.0
            n = circuits.lengths[p]
            own = (circuits, p, word, n, lane)
            _fill(own, entering, potentials, values, shared)
            lines = circuits.lines[circuits.first_line[p] : circuits.first_line[p + 1]]
            _compute(lines, values)
            for f in range(2):
                at = LANES * circuits.totals[p, f]
                for k in range(LANES):
                    sign = 1.0 if f == 0 else -1.0
                    losses[lane + k] += sign * np.log(values[at + k])
                    around[at + k] += sign / values[at + k]
            _propagate(lines, values, around)
            _collect(own, values, around, wanted, counts, shared)
            word += n
    return losses


@_compiled
def _fill(own: Any, entering: Any, potentials: Any, values: Any, shared: Any) -> None:
    """Set the inputs of a problem's circuit, in the order of ``circuits.Inputs``."""
    circuits, p, word, n, lane = own
    step, pattern, child, root, number = potentials
    first, pairs, symbols = word + p, len(circuits.marks), entering.shape[1]
    from_lane = 0 if shared else lane
    stride = 0 if shared else 1
    values[:LANES] = 1.0
    at = LANES
    for i in range(n + 1):
        start = at
        best = np.zeros(LANES)  # of the steps that enter the word, from the edge or from a word
        for pair in range(pairs):
            left, right = circuits.marks[pair] // 4, circuits.marks[pair] % 4
            for s in range(symbols):
                for k in range(LANES):
                    values[at + k] = step[first + i, pair, s, from_lane + stride * k]
                if right == WORD and i < n:
                    for k in range(LANES):
                        values[at + k] *= entering[word + i, s, lane + k]
                    if left in (EDGE, WORD):
                        for k in range(LANES):
                            best[k] = max(best[k], values[at + k])
                at += LANES
        if i < n:
            best = 1.0 / best
            for pair in range(pairs):
                if circuits.marks[pair] % 4 == WORD:
                    for s in range(symbols):
                        for k in range(LANES):
                            values[start + (pair * symbols + s) * LANES + k] *= best[k]
    at = _copied(pattern.reshape(-1, pattern.shape[-1]), 0, values, at, from_lane, stride)
    at = _copied(child.reshape(-1, child.shape[-1]), 0, values, at, from_lane, stride)
    at = _copied(root, 0, values, at, from_lane, stride)
    end = circuits.first_number[p + 1]
    _copied(number[:end], circuits.first_number[p], values, at, from_lane, stride)


@_compiled
def _copied(table: Any, first: Any, values: Any, at: Any, lane: Any, stride: Any) -> Any:
    """Copy the rows of a table from the first one on; return where the next inputs begin."""
    for row in range(first, len(table)):
        for k in range(LANES):
            values[at + k] = table[row, lane + stride * k]
        at += LANES
    return at


@_compiled
def _collect(own: Any, values: Any, around: Any, wanted: Any, counts: Any, shared: Any) -> None:
    """Add what the inputs of a problem's circuit contribute: value times derivative."""
    circuits, p, word, n, lane = own
    step, pattern, child, root, number = counts
    pairs, symbols = len(circuits.marks), wanted.shape[1]
    wanted[word : word + n, :, lane : lane + LANES] = 0.0
    at = LANES
    for i in range(n + 1):
        for pair in range(pairs):
            enters = circuits.marks[pair] % 4 == WORD and i < n
            for s in range(symbols):
                for k in range(LANES):
                    around[at + k] *= values[at + k]
                    if enters:
                        wanted[word + i, s, lane + k] += around[at + k]
                    if not shared:
                        step[word + p + i, pair, s, lane + k] = around[at + k]
                at += LANES
    if shared:
        return
    at = _added(pattern.reshape(-1, pattern.shape[-1]), 0, values, around, at, lane)
    at = _added(child.reshape(-1, child.shape[-1]), 0, values, around, at, lane)
    at = _added(root, 0, values, around, at, lane)
    end = circuits.first_number[p + 1]
    _added(number[:end], circuits.first_number[p], values, around, at, lane)


@_compiled
def _added(table: Any, first: Any, values: Any, around: Any, at: Any, lane: Any) -> Any:
    """Add value times derivative to the rows of a table; return where the next inputs begin."""
    for row in range(first, len(table)):
        for k in range(LANES):
            table[row, lane + k] += values[at + k] * around[at + k]
        at += LANES
    return at

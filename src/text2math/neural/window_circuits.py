"""The losses of window networks from circuits: ``learning.circuit_passes`` in torch.

A potential of a problem is a row of the tables that networks share, or the sum of weights that each network
has for itself; a step that enters a word also has a network's score of that word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from text2math.inference.crf import PotentialsBatch
from text2math.inference.forest import Forest, Rule, State
from text2math.inference.patterns import PAPER_PATTERNS
from text2math.inference.potentials import Potentials, Symbol
from text2math.learning.circuit_passes import LANES, Circuits, Inputs, Space, compute_tables
from text2math.learning.circuits import NONE, Array, Circuit, circuit_of
from text2math.neural.window_batch import WindowProblems


class Texts(NamedTuple):
    """The problems that networks are trained on: how long they are, and where their numbers are."""

    lengths: Sequence[int]
    anchors: Sequence[Sequence[int]]
    symbols: Sequence[Symbol]
    marks: Array  # [pairs], 4 · left + right


class WindowCircuits(NamedTuple):
    """The circuits of many problems, each under the forests of its gold and of everything."""

    circuits: Circuits
    inputs: Inputs  # rows of ``Tables``, or of weights
    space: Space

    @classmethod
    def of(cls, texts: Texts, forests: Sequence[tuple[Forest, Forest]]) -> WindowCircuits:
        """Write down the charts of problems; each must have a tree in both forests."""
        made = [circuit_of(*own) for own in zip(texts.lengths, texts.anchors, forests, strict=True)]
        for p, circuit in enumerate(made):
            if NONE in circuit.totals:
                raise ValueError(f"problem {p} has no tree: leave it out")
        inputs = _inputs(texts, made)
        circuits = Circuits.of(made)
        return cls(circuits, inputs, Space.of(circuits))

    def of_weights(self, features: csr_matrix) -> WindowCircuits:
        """The same circuits, for weights: ``features`` [rows of ``Tables``, weights] has ones."""
        own = features[self.inputs.parts]
        return self._replace(inputs=Inputs(own.indices, own.indptr, self.inputs.scores))


class Tables(NamedTuple):
    """Potentials under K networks, or one set that all of them share."""

    step: Tensor  # [boundary, pair, symbol, K or 1]
    pattern: Tensor  # [symbol, 16, K or 1]
    child: Tensor  # [symbol, side, symbol, K or 1]
    root: Tensor  # [symbol, K or 1]
    number: Tensor  # [number, K or 1]


def circuits_of(problems: WindowProblems) -> WindowCircuits:
    """Write down the charts of all training problems."""
    symbols = [Symbol(int(symbol)) for symbol in problems.symbols]
    spots = [own.tolist() for own in np.split(problems.anchors, np.cumsum(problems.numbers)[:-1])]
    full = forest_of(problems.full_states[0], problems.full_rules[0], int(problems.full_roots[0]), symbols)
    golds = zip(problems.gold_states, problems.gold_rules, map(int, problems.gold_roots), strict=True)
    texts = Texts(problems.lengths.tolist(), spots, symbols, problems.pair_marks)
    return WindowCircuits.of(texts, [(forest_of(*gold, symbols), full) for gold in golds])


def forest_of(states: Array, rules: Array, roots: int, symbols: Sequence[Symbol]) -> Forest:
    """The forest that ``window_arrays.plain_forests`` wrote as arrays."""
    found = [
        State(symbols[symbol], None if number < 0 else int(number))
        for symbol, number in states
        if symbol >= 0
    ]
    own = [Rule(int(state), _members(left), _members(right)) for state, left, right in rules if state >= 0]
    return Forest(tuple(found), tuple(own), _members(roots))


def _members(bits: int) -> tuple[int, ...]:
    return tuple(state for state in range(int(bits).bit_length()) if bits >> state & 1)


def _inputs(texts: Texts, circuits: Sequence[Circuit]) -> Inputs:
    """The rows of each input of the circuits, in the tables of potentials and of scores."""
    symbols, pairs = len(texts.symbols), len(texts.marks)
    step, word = 0, 0
    shared = pairs * symbols * sum(n + 1 for n in texts.lengths)
    number = shared + symbols * PAPER_PATTERNS + 2 * symbols**2 + symbols
    parts, found = [], []
    for n, anchors, circuit in zip(texts.lengths, texts.anchors, circuits, strict=True):
        rows = _rows(n, anchors, texts, step, shared, number)[circuit.places]
        # The rows of steps have the symbol last, and so have those of scores.
        found.append(np.where(circuit.words >= 0, (word + circuit.words) * symbols + rows % symbols, -1))
        parts.append(rows)
        step, word, number = step + (n + 1) * pairs * symbols, word + n, number + len(anchors)
    rows = np.concatenate(parts)
    return Inputs(rows, np.arange(len(rows) + 1), np.concatenate(found))


def _rows(n: int, anchors: Sequence[int], texts: Texts, step: int, shared: int, number: int) -> Array:
    """The rows of a problem's flat potentials in the tables.

    ``step``, ``shared`` and ``number`` are where its steps, what all problems share, and its numbers begin.
    """
    symbols, kept = len(texts.symbols), np.array(texts.symbols)
    left, right = texts.marks // 4, texts.marks % 4
    rows = Potentials.zeros(n, list(anchors))
    own = step + np.arange((n + 1) * len(left) * symbols).reshape(n + 1, len(left), symbols)
    rows.step[kept[:, None, None], np.arange(n + 1)[:, None], left, right] = own.transpose(2, 0, 1)
    sizes = symbols * PAPER_PATTERNS, 2 * symbols**2, symbols
    pattern, child, root = np.split(shared + np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    rows.pattern[kept, :PAPER_PATTERNS] = pattern.reshape(symbols, -1)
    rows.child[np.ix_(kept, np.arange(2), kept)] = child.reshape(symbols, 2, symbols)
    rows.root[kept] = root
    rows.number[:] = number + np.arange(len(anchors))
    return PotentialsBatch.of([rows]).flat.astype(np.int64)


def circuit_losses(circuits: WindowCircuits, scores: Tensor, tables: Sequence[Tensor]) -> Tensor:
    """−log-likelihood of each network, [K], summed over the problems.

    ``scores`` [words, symbol, K] are added to all steps that enter a word. ``tables`` are potentials, or the
    weights that the circuits were made for. Gradients flow back into the scores, and into tables that are not
    shared.
    """
    losses: Tensor = _Losses.apply(circuits, scores, *tables)
    return losses


class _Losses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, circuits: WindowCircuits, scores: Tensor, *tables: Tensor) -> Tensor:
        networks = scores.shape[-1]
        # A single network may have tables of its own.
        is_shared = tables[0].shape[-1] == 1 and not any(ctx.needs_input_grad[2:])
        factors = _factors(tables, 1 if is_shared else LANES), _factors([scores], LANES)
        counts = np.zeros((1, 1) if is_shared else factors[0].shape), np.zeros(factors[1].shape)
        losses = compute_tables(
            circuits.circuits, circuits.inputs, factors, counts, is_shared, circuits.space
        )
        if not np.isfinite(losses[:networks]).all():
            raise ValueError("scores leave the range of a double: train with the compiled chart")
        ctx.is_shared, ctx.shapes = is_shared, [scores.shape, *(table.shape for table in tables)]
        ctx.counts = [torch.as_tensor(count[:, :networks]) for count in counts]
        return torch.as_tensor(losses[:networks])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        shape, *shapes = ctx.shapes
        own, scores = ctx.counts
        wanted = (scores * -gradients[0]).view(shape)  # the loss falls as the likelihood rises
        if ctx.is_shared:
            return None, wanted, *(None for _ in shapes)
        parts = (own * -gradients[0]).split([one[:-1].numel() for one in shapes])
        return None, wanted, *(part.view(one) for part, one in zip(parts, shapes, strict=True))


def _factors(tables: Sequence[Tensor], lanes: int) -> Array:
    """Tables behind each other, [rows, networks], with ones for lanes that no network needs."""
    networks = tables[0].shape[-1]
    rows = [one.detach().flatten(0, -2) for one in tables]
    found = torch.zeros(sum(map(len, rows)), networks + -networks % lanes, dtype=torch.float64)
    for part, own in zip(found.split([len(own) for own in rows]), rows, strict=True):
        part[:, :networks] = own
    return found.exp_().numpy()

"""Circuits computed: the likelihoods of problems, and their derivatives, in eight lanes at once.

A lane has scores of its own: those of a training (``lockstep``) or of a network (``neural.window_circuits``).
Every line of a circuit is computed for all lanes by one vector instruction, and the derivatives are the same
lines backwards. Each lane gets what it gets alone.

Values are factors, not logs. The steps that enter a word are divided by the best of them: every tree enters
each word once, so this divides all sums over trees by the same number.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from text2math.inference.potentials import FloatArray
from text2math.inference.semiring import allocating, kernel
from text2math.learning.circuits import Array, Circuit

LANES = 8  # of doubles, in a vector of 512 bits
# The sums over all trees of a problem must stay far inside the range of a double, else the chart computes it.
_SMALLEST, _LARGEST = 1e-100, 1e100
_SIGNS = 1.0, -1.0  # the trees of what is right rise, all trees fall
_make_array: Any = arrayobj.make_array  # numba does not type it


class Circuits(NamedTuple):
    """Circuits behind each other, each of a problem under the forests of its targets and of everything."""

    lines: Array  # [lines, 3]
    first_line: Array  # [circuits + 1]
    places: Array  # [inputs]
    words: Array  # [inputs]
    first_input: Array  # [circuits + 1]
    nodes: Array  # [circuits]
    totals: Array  # [circuits, 2]

    @classmethod
    def of(cls, circuits: list[Circuit]) -> Circuits:
        """Put circuits behind each other; the list is emptied, so that they don't need their memory twice."""
        sizes = [len(one.lines) for one in circuits]
        first_line = np.cumsum([0, *sizes])
        lines = np.empty((int(first_line[-1]), 3), np.int32)
        found = cls(
            lines,
            first_line,
            np.concatenate([one.places for one in circuits]),
            np.concatenate([one.words for one in circuits]),
            np.cumsum([0, *(len(one.places) for one in circuits)]),
            np.array([one.nodes for one in circuits]),
            np.array([one.totals for one in circuits]),
        )
        while circuits:
            last = circuits.pop().lines
            lines[first_line[len(circuits)] :][: len(last)] = last
        return found


class Inputs(NamedTuple):
    """Inputs as products of factors: of some rows of a table, and of one of a second table."""

    parts: Array  # [parts], rows of the first table
    first_part: Array  # [inputs + 1]
    scores: Array  # [inputs], rows of the second; -1: none


class Rows(NamedTuple):
    """Up to eight examples with the same circuit are a row; lane -1 is a place that nobody takes."""

    circuit: Array  # [rows]
    lane: Array  # [rows, LANES]
    start: Array  # [rows, LANES]


class Space(NamedTuple):
    """Room for a circuit: the values of its nodes, and the derivatives of a likelihood by them."""

    values: FloatArray  # [nodes · LANES]
    around: FloatArray  # [nodes · LANES]

    @classmethod
    def of(cls, circuits: Circuits) -> Space:
        """Room for the largest of some circuits."""
        size = LANES * int(circuits.nodes.max())
        return cls(_aligned(size), _aligned(size))


def _aligned(size: int) -> FloatArray:
    """Room for vectors of all lanes, each in a single cache line: those in two take twice as long."""
    space = np.empty(size + LANES)
    return space[-(space.ctypes.data // space.itemsize) % LANES :][:size]


# Compiled -------------------------------------------------------------------------------------------------


@kernel
def compute_rows(
    circuits: Any, rows: Any, flat: Any, counts: Any, space: Any, losses: Any, fits: Any
) -> None:
    """Write the losses [rows, LANES] of all rows, and the counts of their potentials.

    ``fits`` becomes False for a lane with a sum that is out of bounds.
    """
    sums = np.empty((2, LANES))
    for row in range(len(rows.circuit)):
        c = rows.circuit[row]
        own = slice(circuits.first_input[c], circuits.first_input[c + 1])
        places = circuits.places[own]
        _fill(places, circuits.words[own], rows.start[row], flat, space.values)
        _compute(circuits, c, space, sums)
        for k in range(LANES):
            lane = rows.lane[row, k]
            if lane >= 0:
                losses[row, k] = math.log(sums[1, k]) - math.log(sums[0, k])
                for f in range(2):
                    fits[lane] &= _SMALLEST <= sums[f, k] <= _LARGEST
                for at in range(len(places)):
                    node = LANES * (at + 1) + k
                    counts[rows.start[row, k] + places[at]] = space.values[node] * space.around[node]


@kernel
def compute_tables(circuits: Any, inputs: Any, tables: Any, counts: Any, is_shared: Any, space: Any) -> Any:
    """The losses of many networks, [K]; K is a multiple of LANES.

    ``tables`` have the factors of ``inputs``, [rows, K] each; if the first ``is_shared`` by all networks, it
    is [rows, 1]. The expected counts are added to ``counts``, which look like the tables; a shared one has
    none.
    """
    networks, sums = tables[1].shape[1], np.empty((2, LANES))
    losses = np.zeros(networks)
    for c in range(len(circuits.nodes)):
        first, end = circuits.first_input[c], circuits.first_input[c + 1]
        for lane in range(0, networks, LANES):  # in here, so that the circuit's lines stay in the cache
            if is_shared:
                _multiply_shared(inputs, first, end, tables, lane, space.values)
            else:
                _multiply(inputs, first, end, tables, lane, space.values)
            _divide_by_best(circuits.words[first:end], space.values)
            _compute(circuits, c, space, sums)
            for k in range(LANES):
                for f in range(2):
                    losses[lane + k] -= _SIGNS[f] * math.log(sums[f, k])
            _count(inputs, first, end, is_shared, space, counts, lane)
    return losses


@allocating
def _compute(circuits: Any, c: Any, space: Any, sums: Any) -> None:
    """The sums over trees [2, LANES] of a circuit whose inputs have their values, and all derivatives."""
    values, around = space
    first_made = LANES * (1 + circuits.first_input[c + 1] - circuits.first_input[c])
    end = LANES * circuits.nodes[c]
    values[:LANES] = 1.0  # the node ONE
    values[first_made:end] = 0.0
    around[:end] = 0.0
    lines = circuits.lines[circuits.first_line[c] : circuits.first_line[c + 1]]
    _forward(lines, values)
    for f in range(2):
        for k in range(LANES):
            at = LANES * circuits.totals[c, f] + k
            sums[f, k] = values[at]
            around[at] += _SIGNS[f] / values[at]
    _backward(lines, values, around)


@allocating
def _fill(places: Any, words: Any, starts: Any, flat: Any, values: Any) -> None:
    """Set the inputs of a circuit to the factors of flat potentials, and divide them by the best."""
    best = np.empty(words.max() + 1)
    for k in range(LANES):
        best[:] = -np.inf
        for at in range(len(places)):
            if words[at] >= 0:
                best[words[at]] = max(best[words[at]], flat[starts[k] + places[at]])
        for at in range(len(places)):
            score = flat[starts[k] + places[at]]
            if words[at] >= 0:
                score -= best[words[at]]
            values[LANES * (at + 1) + k] = math.exp(score)


@allocating
def _multiply(inputs: Any, first: Any, end: Any, tables: Any, lane: Any, values: Any) -> None:
    """Set the inputs of a circuit, those from ``first`` on, to their products."""
    own, scores = tables
    product = np.empty(LANES)
    for at in range(first, end):
        product[:] = 1.0
        for part in range(inputs.first_part[at], inputs.first_part[at + 1]):
            for k in range(LANES):
                product[k] *= own[inputs.parts[part], lane + k]
        if inputs.scores[at] >= 0:
            for k in range(LANES):
                product[k] *= scores[inputs.scores[at], lane + k]
        for k in range(LANES):
            values[LANES * (at - first + 1) + k] = product[k]


@allocating
def _multiply_shared(inputs: Any, first: Any, end: Any, tables: Any, lane: Any, values: Any) -> None:
    """The same where all networks share the first table."""
    own, scores = tables
    for at in range(first, end):
        shared = 1.0
        for part in range(inputs.first_part[at], inputs.first_part[at + 1]):
            shared *= own[inputs.parts[part], 0]
        for k in range(LANES):
            score = scores[inputs.scores[at], lane + k] if inputs.scores[at] >= 0 else 1.0
            values[LANES * (at - first + 1) + k] = shared * score


@allocating
def _divide_by_best(words: Any, values: Any) -> None:
    """Divide the inputs that enter a word by the best of them."""
    best = np.zeros((words.max() + 1, LANES))
    for at in range(len(words)):
        if words[at] >= 0:
            for k in range(LANES):
                best[words[at], k] = max(best[words[at], k], values[LANES * (at + 1) + k])
    best = 1.0 / best
    for at in range(len(words)):
        if words[at] >= 0:
            for k in range(LANES):
                values[LANES * (at + 1) + k] *= best[words[at], k]


def _vector_instructions(typing: Any, into: Any, at: Any, one: Any, x: Any, other: Any, y: Any) -> Any:
    """into[at : at + LANES] += one[x : x + LANES] · other[y : y + LANES], as vector instructions.

    LLVM does not find them by itself, since the slices might overlap.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.DoubleType(), LANES).as_pointer()
        places = []
        for k in (0, 2, 4):
            array = _make_array(signature.args[k])(context, builder, arguments[k])
            places.append(builder.bitcast(builder.gep(array.data, [arguments[k + 1]]), vector))
        total, left, right = (builder.load(place, align=8) for place in places)
        added = builder.fadd(total, builder.fmul(left, right, flags=("contract",)), flags=("contract",))
        builder.store(added, places[0], align=8)
        return context.get_dummy_value()

    return types.void(into, at, one, x, other, y), generate


_add_product: Any = intrinsic(_vector_instructions)


@allocating
def _count(inputs: Any, first: Any, end: Any, is_shared: Any, space: Any, counts: Any, lane: Any) -> None:
    """Add the expected counts of a circuit's inputs, value times derivative, to the rows of their factors."""
    values, around = space
    networks = counts[1].shape[1]
    for at in range(first, end):
        node = LANES * (at - first + 1)
        if inputs.scores[at] >= 0:
            _add_product(counts[1], networks * inputs.scores[at] + lane, values, node, around, node)
        if not is_shared:
            for part in range(inputs.first_part[at], inputs.first_part[at + 1]):
                _add_product(counts[0], networks * inputs.parts[part] + lane, values, node, around, node)


@allocating
def _forward(lines: Any, values: Any) -> None:
    """Add up all lines; ``values`` [nodes · LANES] are zero but for the inputs."""
    for line in range(len(lines)):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(values, total, values, x, values, y)


@allocating
def _backward(lines: Any, values: Any, around: Any) -> None:
    """The same backwards: ``around`` [nodes · LANES] are derivatives, zero but for the totals."""
    for line in range(len(lines) - 1, -1, -1):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(around, x, around, total, values, y)
        _add_product(around, y, around, total, values, x)

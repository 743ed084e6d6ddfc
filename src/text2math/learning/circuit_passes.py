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
from numba.extending import intrinsic, overload
from numba.np import arrayobj

from text2math.inference.potentials import FloatArray
from text2math.inference.semiring import allocating, kernel
from text2math.learning.circuits import Array, Circuit

LANES, FEW_LANES = 8, 4  # of doubles, in vectors of 512 and 256 bits
# What tells a kernel how many lanes there are is the type of its argument ``width``, not the value: each is
# compiled separately.
WIDE, NARROW = np.uint8(LANES), np.uint16(FEW_LANES)
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
    """As many examples with the same circuit as there are lanes; lane -1 is a place that nobody takes."""

    circuit: Array  # [rows]
    lane: Array  # [rows, lanes]
    start: Array  # [rows, lanes]


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


def _lanes(width: Any) -> Any:
    """How many lanes there are."""
    raise NameError("for compiled code only")


@overload(_lanes, strict=False)
def _lanes_by_type(width: Any) -> Any:
    return (lambda width: FEW_LANES) if width == types.uint16 else (lambda width: LANES)


@kernel
def compute_rows(
    width: Any, circuits: Any, rows: Any, flat: Any, counts: Any, space: Any, losses: Any, fits: Any
) -> None:
    """Write the losses [rows, lanes] of all rows, and the counts of their potentials.

    ``fits`` becomes False for a training with a sum that is out of bounds.
    """
    lanes = _lanes(width)
    sums = np.empty((2, lanes))
    for row in range(len(rows.circuit)):
        c = rows.circuit[row]
        own = slice(circuits.first_input[c], circuits.first_input[c + 1])
        places = circuits.places[own]
        _fill(width, places, circuits.words[own], rows.start[row], flat, space.values)
        _compute(width, circuits, c, space, sums)
        for k in range(lanes):
            lane = rows.lane[row, k]
            if lane >= 0:
                losses[row, k] = math.log(sums[1, k]) - math.log(sums[0, k])
                for f in range(2):
                    fits[lane] &= _SMALLEST <= sums[f, k] <= _LARGEST
                for at in range(len(places)):
                    node = lanes * (at + 1) + k
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
            _compute(WIDE, circuits, c, space, sums)
            for k in range(LANES):
                for f in range(2):
                    losses[lane + k] -= _SIGNS[f] * math.log(sums[f, k])
            _count(inputs, first, end, is_shared, space, counts, lane)
    return losses


@allocating
def _compute(width: Any, circuits: Any, c: Any, space: Any, sums: Any) -> None:
    """The sums over trees [2, lanes] of a circuit whose inputs have their values, and all derivatives."""
    values, around = space
    lanes = _lanes(width)
    first_made = lanes * (1 + circuits.first_input[c + 1] - circuits.first_input[c])
    end = lanes * circuits.nodes[c]
    values[:lanes] = 1.0  # the node ONE
    values[first_made:end] = 0.0
    around[:end] = 0.0
    lines = circuits.lines[circuits.first_line[c] : circuits.first_line[c + 1]]
    line = np.int64(0)
    while line < len(lines):
        line = _add_run(width, lines, line, values)
    for f in range(2):
        for k in range(lanes):
            at = lanes * circuits.totals[c, f] + k
            sums[f, k] = values[at]
            around[at] += _SIGNS[f] / values[at]
    line = np.int64(len(lines) - 1)
    while line >= 0:
        line = _spread_run(width, lines, line, values, around)


@allocating
def _fill(width: Any, places: Any, words: Any, starts: Any, flat: Any, values: Any) -> None:
    """Set the inputs of a circuit to the factors of flat potentials, and divide them by the best."""
    best, lanes = np.empty(words.max() + 1), _lanes(width)
    for k in range(lanes):
        best[:] = -np.inf
        for at in range(len(places)):
            if words[at] >= 0:
                best[words[at]] = max(best[words[at]], flat[starts[k] + places[at]])
        for at in range(len(places)):
            score = flat[starts[k] + places[at]]
            if words[at] >= 0:
                score -= best[words[at]]
            values[lanes * (at + 1) + k] = math.exp(score)


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


# Vector instructions: LLVM does not find them by itself, since the slices might overlap.


class _Vectors:
    """Writes vector instructions: how many lanes, and the arrays that they are in."""

    def __init__(self, context: Any, builder: Any, lanes: int) -> None:
        self._context, self.builder, self._lanes = context, builder, lanes
        self.type = ir.VectorType(ir.DoubleType(), lanes)

    def place(self, data: Any, at: Any) -> Any:
        """The vector that begins at an index of an array's data."""
        return self.builder.bitcast(self.builder.gep(data, [at]), self.type.as_pointer())

    def of_node(self, data: Any, node: Any) -> Any:
        """The vector of a node."""
        return self.place(data, self.builder.mul(node, ir.Constant(node.type, self._lanes)))

    def load(self, place: Any) -> Any:
        return self.builder.load(place, align=8)

    def add_product(self, total: Any, one: Any, other: Any) -> Any:
        """total + one · other, rounded once."""
        product = self.builder.fmul(one, other, flags=("contract",))
        return self.builder.fadd(total, product, flags=("contract",))

    def data(self, type: Any, array: Any) -> Any:
        """Where an array's data begins."""
        return _make_array(type)(self._context, self.builder, array).data

    def line(self, lines: Any, at: Any) -> tuple[Any, Any, Any]:
        """The three nodes of a line."""
        first = self.builder.mul(at, ir.Constant(at.type, 3))
        places = [self.builder.add(first, ir.Constant(at.type, k)) for k in range(3)]
        nodes = [self.builder.load(self.builder.gep(lines, [place])) for place in places]
        total, x, y = (self.builder.sext(node, at.type) for node in nodes)
        return total, x, y


def _product_instructions(typing: Any, into: Any, at: Any, one: Any, x: Any, other: Any, y: Any) -> Any:
    """into[at : at + LANES] += one[x : x + LANES] · other[y : y + LANES]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors = _Vectors(context, builder, LANES)
        places = [
            vectors.place(vectors.data(signature.args[k], arguments[k]), arguments[k + 1]) for k in (0, 2, 4)
        ]
        builder.store(vectors.add_product(*map(vectors.load, places)), places[0], align=8)
        return context.get_dummy_value()

    return types.void(into, at, one, x, other, y), generate


def _run_instructions(typing: Any, width: Any, lines: Any, line: Any, values: Any) -> Any:
    """Add up a line and those after it that add to the same node; return the first line after them.

    The sum stays in a register: to store it and load it again for each line takes longer than to add.
    """
    lanes = FEW_LANES if width == types.uint16 else LANES

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors = _Vectors(context, builder, lanes)
        all_lines = _make_array(signature.args[1])(context, builder, arguments[1])
        data, first = vectors.data(signature.args[3], arguments[3]), arguments[2]
        count = builder.extract_value(all_lines.shape, 0)
        node, _, _ = vectors.line(all_lines.data, first)
        place = vectors.of_node(data, node)
        before = vectors.load(place)
        entry, loop = builder.block, builder.append_basic_block("add")
        check, end = builder.append_basic_block("check"), builder.append_basic_block("added")
        builder.branch(loop)
        builder.position_at_end(loop)
        at, total = builder.phi(first.type), builder.phi(vectors.type)
        _, x, y = vectors.line(all_lines.data, at)
        factors = [vectors.load(vectors.of_node(data, factor)) for factor in (x, y)]
        added, after = vectors.add_product(total, *factors), builder.add(at, ir.Constant(at.type, 1))
        builder.cbranch(builder.icmp_signed("<", after, count), check, end)
        builder.position_at_end(check)
        builder.cbranch(builder.icmp_signed("==", vectors.line(all_lines.data, after)[0], node), loop, end)
        for phi, start, next_one in ((at, first, after), (total, before, added)):
            phi.add_incoming(start, entry)
            phi.add_incoming(next_one, check)
        builder.position_at_end(end)
        builder.store(added, place, align=8)
        return after

    return types.int64(width, lines, types.int64, values), generate


def _spread_instructions(typing: Any, width: Any, lines: Any, line: Any, values: Any, around: Any) -> Any:
    """The derivatives of a line and of those before it that add to the same node; return the line before."""
    lanes = FEW_LANES if width == types.uint16 else LANES

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors = _Vectors(context, builder, lanes)
        table = vectors.data(signature.args[1], arguments[1])
        own, data = (vectors.data(signature.args[k], arguments[k]) for k in (3, 4))
        last = arguments[2]
        node, _, _ = vectors.line(table, last)
        total = vectors.load(vectors.of_node(data, node))
        entry, loop = builder.block, builder.append_basic_block("spread")
        check, end = builder.append_basic_block("check"), builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        at = builder.phi(last.type)
        _, x, y = vectors.line(table, at)
        for factor, other in ((x, y), (y, x)):
            place = vectors.of_node(data, factor)
            value = vectors.load(vectors.of_node(own, other))
            builder.store(vectors.add_product(vectors.load(place), total, value), place, align=8)
        before = builder.sub(at, ir.Constant(at.type, 1))
        builder.cbranch(builder.icmp_signed(">=", before, ir.Constant(at.type, 0)), check, end)
        builder.position_at_end(check)
        builder.cbranch(builder.icmp_signed("==", vectors.line(table, before)[0], node), loop, end)
        at.add_incoming(last, entry)
        at.add_incoming(before, check)
        builder.position_at_end(end)
        return before

    return types.int64(width, lines, types.int64, values, around), generate


_add_product: Any = intrinsic(_product_instructions)
_add_run: Any = intrinsic(_run_instructions)
_spread_run: Any = intrinsic(_spread_instructions)

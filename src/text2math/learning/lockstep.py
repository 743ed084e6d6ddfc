"""Trainings in lockstep: what several objectives ask for at a time is computed together.

Trainings of the same problems with other features or another protocol need the same charts with other scores,
and so do the models of inner folds. Their charts are written down once, as circuits, and every line of a
circuit is computed for eight trainings by one vector instruction. Each training takes the steps that it takes
alone, up to rounding: a lane of a vector knows nothing of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from text2math.inference.crf import flat_size
from text2math.inference.potentials import FloatArray
from text2math.inference.semiring import allocating, kernel
from text2math.learning.circuits import NONE, Array, Circuit, circuit_of
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Trained, minimise
from text2math.model.config import TrainingConfig

LANES = 8  # trainings that a vector instruction computes side by side
# The sums over all trees of a problem must stay far inside the range of a double, else the chart computes it.
_SMALLEST, _LARGEST = 1e-100, 1e100
_make_array: Any = arrayobj.make_array  # numba does not type it


def minimise_together(
    objectives: Sequence[LogLikelihood], starts: Sequence[FloatArray], configs: Sequence[TrainingConfig]
) -> list[Trained]:
    """Minimise several objectives, each from its start, as ``minimise`` does with one.

    Each has a thread, which waits while the others get to the point where they need their charts.
    """
    lockstep = _Lockstep(objectives)
    with ThreadPoolExecutor(len(objectives), thread_name_prefix="text2math-lane") as pool:
        trained = [
            pool.submit(lockstep.train, lane, start, config)
            for lane, (start, config) in enumerate(zip(starts, configs, strict=True))
        ]
        lockstep.serve()
        return [one.result() for one in trained]


class _StoppedError(Exception):
    """Another training failed, so nobody computes charts any more."""


class _Lockstep:
    """The objectives, their potentials and counts in one array, and the queues between their threads."""

    def __init__(self, objectives: Sequence[LogLikelihood]) -> None:
        self._objectives = objectives
        sizes = [[flat_size(one.words, len(one.anchors)) for one in each.charts] for each in objectives]
        ends = np.cumsum([0, *map(sum, sizes)])
        self._flat, self._counts = np.zeros(int(ends[-1])), np.zeros(int(ends[-1]))
        self._circuits, self._seats = _circuits_of(objectives, sizes)
        size = LANES * int(self._circuits.nodes.max())
        self._spaces = _aligned(size), _aligned(size)  # the values of a circuit's nodes, and derivatives
        self._requests: SimpleQueue[tuple[int, bool]] = SimpleQueue()  # a lane, and whether it is done
        self._answers: list[SimpleQueue[float | None]] = [SimpleQueue() for _ in objectives]
        for lane, one in enumerate(objectives):
            own = slice(ends[lane], ends[lane + 1])
            one.delegate(partial(self._ask, lane), self._flat[own], self._counts[own])
        self._rows: dict[tuple[int, ...], _Rows] = {}

    def train(self, lane: int, start: FloatArray, config: TrainingConfig) -> Trained:
        """The thread of one training."""
        try:
            return minimise(self._objectives[lane], start, config)
        finally:
            self._requests.put((lane, True))

    def _ask(self, lane: int) -> float:
        self._requests.put((lane, False))
        loss = self._answers[lane].get()
        if loss is None:
            raise _StoppedError
        return loss

    def serve(self) -> None:
        """Compute what the trainings ask for, as soon as each has asked or is done."""
        running, waiting = set(range(len(self._objectives))), set[int]()
        try:
            while running:
                lane, is_done = self._requests.get()
                (running.discard if is_done else waiting.add)(lane)
                if waiting and waiting == running:
                    for asked, loss in self._losses(tuple(sorted(waiting))).items():
                        self._answers[asked].put(loss)
                    waiting.clear()
        except BaseException:
            for lane in running:
                self._answers[lane].put(None)
            raise

    def _losses(self, lanes: tuple[int, ...]) -> dict[int, float]:
        if lanes not in self._rows:
            self._rows[lanes] = _rows_of(self._seats, lanes)
        losses, fits = np.zeros(len(self._objectives)), np.ones(len(self._objectives), np.bool_)
        rows = self._rows[lanes]
        _compute_rows(self._circuits, rows, self._flat, self._counts, self._spaces, losses, fits)
        return {
            lane: float(losses[lane]) if fits[lane] else self._objectives[lane].by_chart() for lane in lanes
        }


# Circuits in arrays ---------------------------------------------------------------------------------------


class _Circuits(NamedTuple):
    """Circuits behind each other, each of a problem under the forests of its targets and of everything."""

    lines: Array  # [lines, 3]
    first_line: Array  # [circuits + 1]
    places: Array  # [inputs]
    words: Array  # [inputs]
    first_input: Array  # [circuits + 1]
    nodes: Array  # [circuits]
    totals: Array  # [circuits, 2]

    @classmethod
    def of(cls, circuits: list[Circuit]) -> _Circuits:
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


class _Seat(NamedTuple):
    """An example of a training: its circuit, the training, and where its potentials begin."""

    circuit: int
    lane: int
    start: int


class _Rows(NamedTuple):
    """Up to eight examples with the same circuit are a row; lane -1 is a place that nobody takes."""

    circuit: Array  # [rows]
    lane: Array  # [rows, LANES]
    start: Array  # [rows, LANES]


def _circuits_of(
    objectives: Sequence[LogLikelihood], sizes: Sequence[Sequence[int]]
) -> tuple[_Circuits, list[_Seat]]:
    """The circuits that the objectives need, each once, and where its potentials are."""
    found: dict[tuple[Any, ...], int] = {}
    circuits, seats, start = list[Circuit](), list[_Seat](), 0
    for lane, objective in enumerate(objectives):
        for (words, anchors, forests), size in zip(objective.charts, sizes[lane], strict=True):
            key = words, anchors, *(forest.packed.tobytes() for forest in forests)
            if key not in found:
                found[key] = len(circuits)
                circuits.append(circuit_of(words, anchors, forests))
                if NONE in circuits[-1].totals:
                    raise ValueError(f"training {lane}: an example has no text-math tree; leave it out")
            seats.append(_Seat(found[key], lane, start))
            start += size
    return _Circuits.of(circuits), sorted(seats)


def _aligned(size: int) -> FloatArray:
    """Room for vectors of all lanes, each in a single cache line: those in two take twice as long."""
    space = np.empty(size + LANES)
    return space[-(space.ctypes.data // space.itemsize) % LANES :][:size]


def _rows_of(seats: Sequence[_Seat], lanes: Sequence[int]) -> _Rows:
    """The examples of some trainings in rows."""
    wanted, rows = set(lanes), list[list[_Seat]]()
    for seat in seats:
        if seat.lane in wanted:
            if not rows or rows[-1][0].circuit != seat.circuit or len(rows[-1]) == LANES:
                rows.append([])
            rows[-1].append(seat)
    empty = [[(-1, row[0].start)] * (LANES - len(row)) for row in rows]
    full = [[(seat.lane, seat.start) for seat in row] + rest for row, rest in zip(rows, empty, strict=True)]
    table = np.array(full).reshape(len(rows), LANES, 2)
    return _Rows(np.array([row[0].circuit for row in rows]), table[:, :, 0].copy(), table[:, :, 1].copy())


# Compiled -------------------------------------------------------------------------------------------------


@kernel
def _compute_rows(
    circuits: Any, rows: Any, flat: Any, counts: Any, spaces: Any, losses: Any, fits: Any
) -> None:
    """Add the losses of all rows to those of their lanes, and write the counts of their potentials.

    ``fits`` becomes False for a lane with a sum that is out of bounds.
    """
    values, around = spaces
    for row in range(len(rows.circuit)):
        c = rows.circuit[row]
        end = LANES * circuits.nodes[c]
        values[:end] = 0.0
        around[:end] = 0.0
        own = slice(circuits.first_input[c], circuits.first_input[c + 1])
        places, words = circuits.places[own], circuits.words[own]
        lines = circuits.lines[circuits.first_line[c] : circuits.first_line[c + 1]]
        _fill(places, words, rows.start[row], flat, values)
        _forward(lines, values)
        for k in range(LANES):
            lane = rows.lane[row, k]
            for f in range(2):
                at = LANES * circuits.totals[c, f] + k
                sign = 1.0 if f == 0 else -1.0  # the targets' trees rise, all others fall
                if lane >= 0:
                    losses[lane] -= sign * math.log(values[at])
                    fits[lane] &= _SMALLEST <= values[at] <= _LARGEST
                around[at] += sign / values[at]
        _backward(lines, values, around)
        for k in range(LANES):
            if rows.lane[row, k] >= 0:
                for at in range(len(places)):
                    place = LANES * (at + 1) + k
                    counts[rows.start[row, k] + places[at]] = values[place] * around[place]


@allocating
def _fill(places: Any, words: Any, starts: Any, flat: Any, values: Any) -> None:
    """Set the inputs of a circuit to factors, each word's steps divided by the best of them.

    Every tree enters each word once, so this divides all sums over trees by the same number.
    """
    values[:LANES] = 1.0
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

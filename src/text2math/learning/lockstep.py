"""Trainings in lockstep: what several objectives ask for at a time is computed together.

Trainings of the same problems with other features, another protocol or other folds need the same charts with
other scores. Their charts are written down once, as circuits, and every line of a circuit is computed for
eight trainings by one vector instruction. Each training takes the steps that it takes alone: a lane of a
vector knows nothing of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from text2math.inference.crf import flat_size
from text2math.inference.potentials import FloatArray
from text2math.learning.circuits import NONE, Array, Circuit, circuit_of
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Trained, minimise
from text2math.model.config import TrainingConfig

LANES = 8  # trainings that a vector instruction computes side by side
# The sums over all trees of a problem must stay far inside the range of a double, else the chart computes it.
_SMALLEST, _LARGEST = 1e-100, 1e100
_compiled = njit(cache=True, nogil=True, error_model="numpy")
_contracted = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


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
        _compute_rows(self._circuits, self._rows[lanes], self._flat, self._counts, losses, fits)
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
    def of(cls, circuits: Sequence[Circuit]) -> _Circuits:
        return cls(
            np.concatenate([one.lines for one in circuits]),
            np.cumsum([0, *(len(one.lines) for one in circuits)]),
            np.concatenate([one.places for one in circuits]),
            np.concatenate([one.words for one in circuits]),
            np.cumsum([0, *(len(one.places) for one in circuits)]),
            np.array([one.nodes for one in circuits]),
            np.array([one.totals for one in circuits]),
        )


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


@_compiled
def _compute_rows(circuits: Any, rows: Any, flat: Any, counts: Any, losses: Any, fits: Any) -> None:
    """Add the losses of all rows to those of their lanes, and write the counts of their potentials.

    ``fits`` becomes False for a lane with a sum that is out of bounds.
    """
    size = LANES * circuits.nodes.max()
    values, around = np.empty(size), np.empty(size)
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


@_compiled
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


@_contracted
def _forward(lines: Any, values: Any) -> None:
    """Add up all lines; ``values`` [nodes · LANES] are zero but for the inputs."""
    for line in range(len(lines)):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(values, total, values, x, values, y)


@_contracted
def _backward(lines: Any, values: Any, around: Any) -> None:
    """The same backwards: ``around`` [nodes · LANES] are derivatives, zero but for the totals."""
    for line in range(len(lines) - 1, -1, -1):
        total, x, y = LANES * lines[line, 0], LANES * lines[line, 1], LANES * lines[line, 2]
        _add_product(around, x, around, total, values, y)
        _add_product(around, y, around, total, values, x)


@_contracted
def _add_product(into: Any, at: Any, one: Any, x: Any, other: Any, y: Any) -> None:
    """``into[at + k] += one[x + k] * other[y + k]`` for all lanes k.

    All sums are made before the first is stored; otherwise the compiler could not be sure that the slices
    do not overlap, and would not use vectors.
    """
    a = into[at] + one[x] * other[y]
    b = into[at + 1] + one[x + 1] * other[y + 1]
    c = into[at + 2] + one[x + 2] * other[y + 2]
    d = into[at + 3] + one[x + 3] * other[y + 3]
    e = into[at + 4] + one[x + 4] * other[y + 4]
    f = into[at + 5] + one[x + 5] * other[y + 5]
    g = into[at + 6] + one[x + 6] * other[y + 6]
    h = into[at + 7] + one[x + 7] * other[y + 7]
    into[at], into[at + 1], into[at + 2], into[at + 3] = a, b, c, d
    into[at + 4], into[at + 5], into[at + 6], into[at + 7] = e, f, g, h

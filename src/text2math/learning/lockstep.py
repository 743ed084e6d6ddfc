"""Trainings in lockstep: what several objectives ask for at a time is computed together.

Trainings of the same problems with other features or another protocol need the same charts with other scores,
and so do the models of inner folds. Their charts are written down once, as circuits, and every line of a
circuit is computed for eight trainings by one vector instruction. Each training takes exactly the steps that
it takes without the others: a lane of a vector knows nothing of the other lanes, and losses are added up in
the order of the training's own examples. Those that it takes on the compiled chart differ by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from text2math.inference.crf import flat_size
from text2math.inference.potentials import FloatArray
from text2math.learning.circuit_passes import LANES, Circuits, Rows, Space, compute_rows
from text2math.learning.circuits import NONE, Array, Circuit, circuit_of
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Trained, minimise
from text2math.model.config import TrainingConfig


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
        self._space = Space.of(self._circuits)
        self._requests: SimpleQueue[tuple[int, bool]] = SimpleQueue()  # a lane, and whether it is done
        self._answers: list[SimpleQueue[float | None]] = [SimpleQueue() for _ in objectives]
        for lane, one in enumerate(objectives):
            own = slice(ends[lane], ends[lane + 1])
            one.delegate(partial(self._ask, lane), self._flat[own], self._counts[own])
        self._rows: dict[tuple[int, ...], _Seated] = {}

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
            self._rows[lanes] = _seated(self._seats, lanes)
        rows, own = self._rows[lanes]
        losses, fits = np.zeros(rows.lane.shape), np.ones(len(self._objectives), np.bool_)
        compute_rows(self._circuits, rows, self._flat, self._counts, self._space, losses, fits)
        return {
            lane: float(losses.ravel()[own[lane]].sum()) if fits[lane] else self._objectives[lane].by_chart()
            for lane in lanes
        }


# Circuits and rows ------------------------------------------------------------------------------------------


class _Seat(NamedTuple):
    """An example of a training: its circuit, the training, and where its potentials begin."""

    circuit: int
    lane: int
    start: int


def _circuits_of(
    objectives: Sequence[LogLikelihood], sizes: Sequence[Sequence[int]]
) -> tuple[Circuits, list[_Seat]]:
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
    return Circuits.of(circuits), sorted(seats)


class _Seated(NamedTuple):
    """The examples of some trainings in rows."""

    rows: Rows
    own: dict[int, Array]  # for each lane, where its examples are in the rows, in their own order


def _seated(seats: Sequence[_Seat], lanes: Sequence[int]) -> _Seated:
    wanted, rows = set(lanes), list[list[_Seat]]()
    for seat in seats:
        if seat.lane in wanted:
            if not rows or rows[-1][0].circuit != seat.circuit or len(rows[-1]) == LANES:
                rows.append([])
            rows[-1].append(seat)
    empty = [[(-1, row[0].start)] * (LANES - len(row)) for row in rows]
    full = [[(seat.lane, seat.start) for seat in row] + rest for row, rest in zip(rows, empty, strict=True)]
    table = np.array(full).reshape(len(rows), LANES, 2)
    lane, start = table[:, :, 0].copy(), table[:, :, 1].copy()
    places = {one: np.flatnonzero(lane.ravel() == one) for one in lanes}
    own = {one: at[np.argsort(start.ravel()[at])] for one, at in places.items()}
    return _Seated(Rows(np.array([row[0].circuit for row in rows]), lane, start), own)

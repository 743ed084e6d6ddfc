"""Trainings in lockstep: what several objectives ask for at a time is computed together.

Trainings of the same problems with other features or another protocol need the same charts with other scores,
and so do the models of inner folds. Their charts are written down once, as circuits, and every line of a
circuit is computed for eight trainings by one vector instruction. Each training takes exactly the steps that
it takes without the others: a lane of a vector knows nothing of the other lanes, and losses are added up in
the order of the training's own examples. Those that it takes on the compiled chart differ by rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import groupby
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from text2math.inference.crf import flat_size
from text2math.inference.potentials import FloatArray
from text2math.learning.circuit_passes import (
    FEW_LANES,
    LANES,
    NARROW,
    WIDE,
    Circuits,
    Rows,
    Space,
    compute_rows,
)
from text2math.learning.circuits import NONE, Array, circuit_of
from text2math.learning.objective import ChartPlan, LogLikelihood
from text2math.learning.optimise import Trained, minimise
from text2math.model.config import TrainingConfig
from text2math.parallel import batches


def minimise_together(
    objectives: Sequence[LogLikelihood],
    starts: Sequence[FloatArray],
    configs: Sequence[TrainingConfig],
    threads: int = 1,
) -> list[Trained]:
    """Minimise several objectives, each from its start, as ``minimise`` does with one.

    Each has a thread, which waits while the others get to the point where they need their charts. Circuits
    are computed on as many ``threads`` as are given; it makes no difference to the result.
    """
    lanes = len(objectives)
    with (
        ThreadPoolExecutor(threads, thread_name_prefix="text2math-circuits") as helpers,
        ThreadPoolExecutor(lanes, thread_name_prefix="text2math-lane") as pool,
    ):
        lockstep = _Lockstep(objectives, helpers, threads)
        trained = [
            pool.submit(lockstep.train, lane, start, config)
            for lane, (start, config) in enumerate(zip(starts, configs, strict=True))
        ]
        lockstep.serve()
        return [one.result() for one in trained]


_LINES_OF_BATCH = 500_000  # of circuits that a thread computes at a time: a few milliseconds


class _StoppedError(Exception):
    """Another training failed, so nobody computes charts any more."""


class _Lockstep:
    """The objectives, their potentials and counts in one array, and the queues between their threads."""

    def __init__(self, objectives: Sequence[LogLikelihood], helpers: Executor, threads: int) -> None:
        self._objectives, self._helpers = objectives, helpers
        sizes = [[flat_size(one.words, len(one.anchors)) for one in each.charts] for each in objectives]
        ends = np.cumsum([0, *map(sum, sizes)])
        self._flat, self._counts = np.zeros(int(ends[-1])), np.zeros(int(ends[-1]))
        self._circuits, self._seats = _circuits_of(objectives, sizes, helpers)
        self._spaces: SimpleQueue[Space] = SimpleQueue()  # one for each thread that computes
        for _ in range(threads):
            self._spaces.put(Space.of(self._circuits))
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
            self._rows[lanes] = _seated(self._seats, lanes, self._circuits)
        batches, own = self._rows[lanes]
        found = [*self._helpers.map(self._compute, batches)]
        losses = np.concatenate([losses.ravel() for losses, _ in found])
        fits = np.all([fits for _, fits in found], axis=0)
        return {
            lane: float(losses[own[lane]].sum()) if fits[lane] else self._objectives[lane].by_chart()
            for lane in lanes
        }

    def _compute(self, batch: _Batch) -> tuple[FloatArray, Array]:
        """Write the counts of some rows; return their losses, and which lanes have all sums in bounds."""
        losses, fits = np.zeros(batch.rows.lane.shape), np.ones(len(self._objectives), np.bool_)
        space = self._spaces.get()
        compute_rows(batch.width, self._circuits, batch.rows, self._flat, self._counts, space, losses, fits)
        self._spaces.put(space)
        return losses, fits


# Circuits and rows ------------------------------------------------------------------------------------------


class _Seat(NamedTuple):
    """An example of a training: its circuit, the training, and where its potentials begin."""

    circuit: int
    lane: int
    start: int


def _circuits_of(
    objectives: Sequence[LogLikelihood], sizes: Sequence[Sequence[int]], helpers: Executor
) -> tuple[Circuits, list[_Seat]]:
    """The circuits that the objectives need, each once, and where its potentials are."""
    found: dict[tuple[Any, ...], int] = {}
    plans, seats, start = list[ChartPlan](), list[_Seat](), 0
    for lane, objective in enumerate(objectives):
        for plan, size in zip(objective.charts, sizes[lane], strict=True):
            key = plan.words, plan.anchors, *(forest.packed.tobytes() for forest in plan.forests)
            if key not in found:
                found[key] = len(plans)
                plans.append(plan)
            seats.append(_Seat(found[key], lane, start))
            start += size
    circuits = list(helpers.map(lambda plan: circuit_of(*plan), plans))
    for seat in seats:
        if NONE in circuits[seat.circuit].totals:
            raise ValueError(f"training {seat.lane}: an example has no text-math tree; leave it out")
    return Circuits.of(circuits), sorted(seats)


class _Batch(NamedTuple):
    """Rows that are computed one after the other, and how many lanes they have."""

    width: Any  # WIDE or NARROW
    rows: Rows


class _Seated(NamedTuple):
    """The examples of some trainings in rows."""

    batches: list[_Batch]
    own: dict[int, Array]  # for each lane, where its examples are in all rows, in their own order


def _seated(seats: Sequence[_Seat], lanes: Sequence[int], circuits: Circuits) -> _Seated:
    wanted, found = set(lanes), list[_Batch]()
    rows: dict[int, list[list[_Seat]]] = {LANES: [], FEW_LANES: []}
    for _, same in groupby((seat for seat in seats if seat.lane in wanted), key=lambda seat: seat.circuit):
        for row in batches(same, LANES):
            rows[FEW_LANES if len(row) <= FEW_LANES else LANES].append(row)
    for width, count in ((WIDE, LANES), (NARROW, FEW_LANES)):
        lines = [
            circuits.first_line[row[0].circuit + 1] - circuits.first_line[row[0].circuit]
            for row in rows[count]
        ]
        for some in _in_parts(rows[count], lines):
            found.append(_Batch(width, _rows_of(some, count)))
    lane, start = (
        np.concatenate([column.ravel() for column in columns])
        for columns in zip(*((rows.lane, rows.start) for _, rows in found), strict=True)
    )
    places = {one: np.flatnonzero(lane == one) for one in lanes}
    return _Seated(found, {one: at[np.argsort(start[at])] for one, at in places.items()})


def _rows_of(seated: Sequence[Sequence[_Seat]], count: int) -> Rows:
    """Rows of so many lanes; a place that nobody takes has the potentials of the first."""
    empty = [[(-1, row[0].start)] * (count - len(row)) for row in seated]
    full = [[(seat.lane, seat.start) for seat in row] + rest for row, rest in zip(seated, empty, strict=True)]
    table = np.array(full).reshape(len(seated), count, 2)
    circuits = np.array([row[0].circuit for row in seated])
    return Rows(circuits, table[:, :, 0].copy(), table[:, :, 1].copy())


def _in_parts(rows: Sequence[list[_Seat]], lines: Sequence[int]) -> Iterator[Sequence[list[_Seat]]]:
    """Rows in parts of so few lines that no thread is left with the last of them for long."""
    first, size = 0, 0
    for at, own in enumerate(lines):
        size += own
        if size >= _LINES_OF_BATCH or at == len(lines) - 1:
            yield rows[first : at + 1]
            first, size = at + 1, 0

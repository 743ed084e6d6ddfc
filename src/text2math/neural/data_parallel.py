"""Several processes train one network: each has a share of the examples, and all take the same steps.

One process can't keep a GPU busy: it launches kernels, copies and fills charts in turn. So each process
computes the gradient of its part of a batch and writes it into its row of a tensor that all processes see.
When all rows are written, every process adds them up and takes the same step, so that the parameters of all
processes stay identical. Process 0 reports, and writes checkpoints and the trained network.

>>> mean_loss([Share(3, 1.0), Share(1, 2.0)])
1.25
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch

from text2math.collector import collector_paused
from text2math.parallel import run_parallel

Item = TypeVar("Item")
Value = TypeVar("Value")
Network = TypeVar("Network", bound=torch.nn.Module)
Report = Callable[[Any], None]

PATIENCE = 600.0  # seconds to wait for another process: the first step may compile the chart


@dataclass(frozen=True, slots=True)
class Team:
    """A process's place among those that train a network; by default it is the only one."""

    rank: int = 0
    size: int = 1
    others: tuple[Connection, ...] = ()  # of process 0, one to each of the others; else, one to process 0

    def exchange(self, value: Value) -> list[Value]:
        """The values of all processes, in the order of their ranks: a process waits until all are there."""
        if self.rank:
            self.others[0].send(value)
            received: list[Value] = _receive(self.others[0])
            return received
        values = [value, *map(_receive, self.others)]
        for other in self.others:
            other.send(values)
        return values


def _receive(connection: Connection) -> Any:
    if not connection.poll(PATIENCE):
        raise TimeoutError(f"another process that trains the network did not answer for {PATIENCE:.0f} s")
    return connection.recv()


def _teams(size: int) -> list[Team]:
    """The places of some processes, each connected with process 0."""
    pipes = [Pipe() for _ in range(size - 1)]
    others = [Team(rank, size, (theirs,)) for rank, (_, theirs) in enumerate(pipes, start=1)]
    return [Team(0, size, tuple(ours for ours, _ in pipes)), *others]


class Share(NamedTuple):
    """A process's part in a step."""

    problems: int  # how many
    loss: float  # their mean
    checkpoint_due: bool = False  # process 0 decides


def mean_loss(shares: Sequence[Share]) -> float:
    """The mean over the problems of all processes."""
    return sum(one.problems * one.loss for one in shares) / sum(one.problems for one in shares)


class SharedGradients:
    """The gradients of all processes, in memory that all of them see.

    A process may still read the rows of a step when another one writes those of the next, so steps take
    turns with two sets of rows. A process that writes a set again knows that all have read it: all have
    since finished their work on the GPU and met for another step.
    """

    def __init__(self, team: Team, parameters: Sequence[torch.nn.Parameter]) -> None:
        self._team, self._parameters = team, parameters
        self._sizes = [one.numel() for one in parameters]
        self._steps = 0
        rows = None
        if team.rank == 0 and team.size > 1:  # another process's memory can't be handed on
            rows = torch.zeros(2, team.size, sum(self._sizes), device=parameters[0].device)
        self._rows = team.exchange(rows)[0]  # [2, W, all parameters]
        # Kept from step to step: on a CPU, the memory of a new tensor takes longer than the sums in it.
        self._mean = None if self._rows is None else torch.empty_like(self._rows[0, 0])

    def average(self, own: Share) -> list[Share]:
        """Make each gradient the mean over the problems of all processes; returns the share of each."""
        if self._rows is None or self._mean is None:
            return [own]
        rows = self._rows[self._steps % 2]
        self._steps += 1
        gradients = [one.grad for one in self._parameters]
        flat = [
            torch.zeros_like(one).flatten() if gradient is None else gradient.flatten()
            for one, gradient in zip(self._parameters, gradients, strict=True)
        ]
        torch.cat(flat, out=rows[self._team.rank]).mul_(own.problems)
        if rows.is_cuda:
            torch.cuda.synchronize()
        messages = self._team.exchange((own, [gradient is not None for gradient in gradients]))
        shares = [share for share, _ in messages]
        # The same kernel adds the same numbers in every process, so the sums are the same to the last bit.
        torch.sum(rows, 0, out=self._mean).div_(sum(share.problems for share in shares))
        used = map(any, zip(*(one for _, one in messages), strict=True))
        parts = self._mean.split(self._sizes)
        for one, part, has_gradient in zip(self._parameters, parts, used, strict=True):
            one.grad = part.view_as(one) if has_gradient else None
        return shares


def train_in_processes(
    fit: Callable[[Network, Sequence[Item], Team, Report | None], object],
    network: Network,
    items: Sequence[Item],
    processes: int,
    *,
    seed: int,
    report: Report | None,
) -> None:
    """Call ``fit`` in some processes, each with a share of the items; the network becomes the trained one.

    ``fit`` must be importable. It trains a copy of the network in place and averages gradients over its team.
    A process that fails ends the others, and its error is raised here.
    """
    with TemporaryDirectory(prefix="text2math-") as name, _forwarded(report) as reports:
        folder = Path(name)
        _write(network.cpu(), folder / "network")
        order = np.random.default_rng(seed).permutation(len(items))
        for rank in range(processes):
            _write([items[index] for index in order[rank::processes]], folder / f"items-{rank}")
        calls = [(folder, team, None if team.rank else reports) for team in _teams(processes)]
        for _ in run_parallel(partial(_work, fit), calls, workers=processes):
            pass
        network.load_state_dict(torch.load(folder / "trained", weights_only=True))


def _work(fit: Callable[..., object], folder: Path, team: Team, reports: Connection | None) -> None:
    """The work of one process."""
    own = folder / f"items-{team.rank}"
    network, items = _read(folder / "network"), _read(own)
    own.unlink()  # of a large corpus it has gigabytes, perhaps in memory
    gc.freeze()  # they stay, so the garbage collector need not look through them
    fit(network, items, team, None if reports is None else reports.send)
    state = network.cpu().state_dict()  # this waits until the GPU has read the other processes' gradients
    if team.rank == 0:
        torch.save(state, folder / "trained")
    team.exchange(None)  # process 0 owns the memory of the gradients, so it waits for the others


@contextmanager
def _forwarded(report: Report | None) -> Iterator[Connection]:
    """A pipe from another process to ``report``, which a thread of this process calls.

    An error of ``report`` closes the pipe, which ends the process that writes into it, and is raised here.
    """
    ours, theirs = Pipe(duplex=False)
    with ThreadPoolExecutor(1) as pool, theirs:
        forwarding = pool.submit(_forward, ours, report or (lambda message: None))
        try:
            yield theirs
        finally:
            with suppress(BrokenPipeError):
                theirs.send(None)
            forwarding.result()


def _forward(messages: Connection, report: Report) -> None:
    with messages:
        while (message := messages.recv()) is not None:
            report(message)


def _write(value: object, path: Path) -> None:
    with path.open("wb") as file, collector_paused():
        pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)


def _read(path: Path) -> Any:
    with path.open("rb") as file, collector_paused():
        return pickle.load(file)

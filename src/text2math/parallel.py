"""Run a function in parallel processes that end with this one: on an interrupt, an error, or a kill.

The processes are spawned, so the function and its arguments must be importable, and a script that calls this
needs the usual ``if __name__ == "__main__":``.

>>> import math
>>> sorted(run_parallel(math.gcd, [(4, 6), (9, 6)], workers=2))
[(0, 2), (1, 3)]
>>> list(in_order(2, math.pow, range(4)))
[1.0, 2.0, 4.0, 8.0]
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Shared = TypeVar("Shared")

FEW = 256  # items that are not worth starting processes for
CHUNK = 64  # items that go to a process at once

_SPAWN = multiprocessing.get_context("spawn")
# Each library reads its own when it is first imported.
_THREAD_SETTINGS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_SECONDS_TO_STOP = 5.0


class Runner(Protocol):
    """Runs independent calls: ``run_parallel``, or a cluster."""

    def __call__(
        self,
        function: Callable[..., Result],
        calls: Sequence[tuple[Any, ...]],
        *,
        workers: int,
        on_start: Callable[[int], None] = ...,
    ) -> Generator[tuple[int, Result], None, None]:
        """The index and the result of each call, as they get done."""
        ...


class WorkerError(RuntimeError):
    """A worker process failed: its error, with the traceback from there as a note."""


def available_cores() -> int:
    """How many cores this process may use.

    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_parallel(
    function: Callable[..., Result],
    calls: Sequence[tuple[Any, ...]],
    *,
    workers: int,
    on_start: Callable[[int], None] = lambda index: None,
) -> Generator[tuple[int, Result], None, None]:
    """The index and the result of each call, as they get done, ``workers`` at a time.

    Each call has a process of its own, and its share of the cores for the threads of numba and BLAS.
    """
    if workers < 1:
        raise ValueError(f"at least one worker is needed, not {workers}")
    waiting = deque(enumerate(calls))
    running: dict[Connection, tuple[int, SpawnProcess]] = {}
    threads = max(1, available_cores() // min(workers, max(1, len(calls))))
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                index, arguments = waiting.popleft()
                on_start(index)
                with _settings_for_child(threads):
                    connection, process = _start(function, arguments)
                    running[connection] = index, process
            ready = wait(list(running))
            for connection in [each for each in running if each in ready]:
                index, process = running[connection]
                result = _receive(connection, process)
                del running[connection]
                yield index, result
    finally:
        _stop([process for _, process in running.values()])


def in_order(
    shared: Shared,
    work: Callable[[Shared, Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    work_on_all: Callable[[Shared, Sequence[Item]], Sequence[Result]] | None = None,
    few: int = FEW,
    chunk: int = CHUNK,
) -> Iterator[Result]:
    """``work(shared, item)`` of every item, in order, as it is asked for, never far ahead of the reader.

    The first ``few`` are done here. For more, processes start, as many as there are cores or ``workers``
    says; each is sent ``shared`` once, and then items, ``chunk`` of them at a time, which it does one by one,
    or with ``work_on_all`` where there is one. One worker is this process. ``work`` must be importable.
    """
    count = available_cores() if workers is None else workers
    if count < 1:
        raise ValueError(f"at least one worker is needed, not {count}")
    source = iter(items)
    for item in source if count == 1 else islice(source, few):
        yield work(shared, item)
    chunks = batches(source, chunk)
    if first := next(chunks, None):
        work_off = partial(_work_off, work, work_on_all)
        yield from _in_processes(shared, work_off, chain([first], chunks), count)


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items, some at a time.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    source = iter(items)
    return iter(lambda: list(islice(source, size)), [])


def _in_processes(
    shared: Any,
    work_off: Callable[[list[Item]], Sequence[Result]],
    chunks: Iterator[list[Item]],
    workers: int,
) -> Iterator[Result]:
    """Chunks go out while fewer than three a worker are on their way, so memory stays constant."""
    pool = ProcessPoolExecutor(workers, mp_context=_SPAWN, initializer=_begin, initargs=(shared,))
    waiting: deque[Future[Sequence[Result]]] = deque()
    try:
        waiting.extend(pool.submit(work_off, chunk) for chunk in islice(chunks, 3 * workers))
        while waiting:
            results = waiting.popleft().result()
            waiting.extend(pool.submit(work_off, chunk) for chunk in islice(chunks, 1))
            yield from results
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process was killed, often for lack of memory: try fewer workers, "
            "and go on from the first item without a result"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_shared: Any


def _begin(shared: Any) -> None:
    """A worker's start: it keeps what all share, leaves Ctrl-C to its parent, and ends with it."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def _work_off(
    work: Callable[[Any, Item], Result],
    work_on_all: Callable[[Any, Sequence[Item]], Sequence[Result]] | None,
    chunk: list[Item],
) -> Sequence[Result]:
    return [work(_shared, item) for item in chunk] if work_on_all is None else work_on_all(_shared, chunk)


def _start(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Connection, SpawnProcess]:
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_serve, args=(theirs, function, arguments), daemon=True)
    process.start()
    # The worker holds the only other end now, so its death is seen as the end of the pipe.
    theirs.close()
    return ours, process


@contextmanager
def _settings_for_child(threads: int) -> Iterator[None]:
    """What a child takes over when it starts: its share of threads, and that Ctrl-C is not for it."""
    before = {name: os.environ.get(name) for name in _THREAD_SETTINGS}
    os.environ.update(dict.fromkeys(_THREAD_SETTINGS, str(threads)))
    try:
        with _interrupt_put_off():
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupt_put_off() -> Iterator[None]:
    """Let a Ctrl-C wait until the block is done: a start takes a while, and must not be cut in two.

    The signal is blocked too, because a child takes that over, and so never sees the Ctrl-C itself.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    received: list[int] = []
    # Another thread may still take the signal, and then Python calls the handler here.
    handler = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if received:
            signal.raise_signal(signal.SIGINT)


def _serve(connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """The worker's life: one call, one message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()
    try:
        connection.send((function(*arguments), None))
    except Exception as error:
        connection.send((None, (f"{type(error).__name__}: {error}", traceback.format_exc())))


def leave_with_parent() -> None:
    """A parent that was killed can't stop its workers, so they watch it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _receive(connection: Connection, process: SpawnProcess) -> Any:
    try:
        result, failure = connection.recv()
    except EOFError:
        process.join(_SECONDS_TO_STOP)
        raise WorkerError(
            f"a worker process ended without a result (exit code {process.exitcode}); "
            "-9 is often a lack of memory: try fewer workers"
        ) from None
    if failure is not None:
        error = WorkerError(failure[0])
        error.add_note(f"In the worker process:\n{failure[1]}")
        raise error
    process.join(_SECONDS_TO_STOP)
    return result


def _stop(processes: Sequence[SpawnProcess]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_SECONDS_TO_STOP)
        if process.is_alive():
            process.kill()
            process.join()

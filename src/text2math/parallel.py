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

import gc
import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Shared = TypeVar("Shared")

FEW = 256  # items that are not worth starting processes for
CHUNK = 64  # items that go to a process at once

_SPAWN = multiprocessing.get_context("spawn")
# Each library reads its own when it is first imported. BLAS has one thread whatever the share: a process
# multiplies matrices that are small, and more threads would wait for each other longer than they work.
_SHARE_OF_CORES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
_ALWAYS_ONE = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
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

    A process does one call after another. It is sent the function once, so what all calls have in common
    belongs into a ``functools.partial``. Each process has its share of the cores for the threads of numba.
    """
    if workers < 1:
        raise ValueError(f"at least one worker is needed, not {workers}")
    waiting = deque(enumerate(calls))
    threads = max(1, available_cores() // min(workers, max(1, len(calls))))
    running: list[_Worker] = []
    pickled = bytes(ForkingPickler.dumps(function))
    try:
        while waiting and len(running) < workers:
            index, arguments = waiting.popleft()
            on_start(index)
            with _settings_for_child(threads):
                running.append(_Worker(pickled, index, arguments))
        while running:
            ready = wait([worker.connection for worker in running])
            for worker in [each for each in running if each.connection in ready]:
                index, result = worker.index, worker.receive()
                if waiting:  # before the result goes out, so that the process works while it is used
                    on_start(waiting[0][0])
                    worker.take(*waiting.popleft())
                else:
                    running.remove(worker)
                    worker.dismiss()
                yield index, result
    finally:
        _stop([worker.process for worker in running])


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
    gc.freeze()  # what is loaded now stays, so the garbage collector need not look through it again and again
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def _work_off(
    work: Callable[[Any, Item], Result],
    work_on_all: Callable[[Any, Sequence[Item]], Sequence[Result]] | None,
    chunk: list[Item],
) -> Sequence[Result]:
    return [work(_shared, item) for item in chunk] if work_on_all is None else work_on_all(_shared, chunk)


class _Worker:
    """A process that does one call after another, and the index of the call that it is at."""

    def __init__(self, function: bytes, index: int, arguments: tuple[Any, ...]) -> None:
        self.connection, theirs = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        # The worker holds the only other end now, so its death is seen as the end of the pipe.
        theirs.close()
        self.index = index
        # A pipe holds little until the process is up and reads it; the next process need not wait for that.
        messages = function, bytes(ForkingPickler.dumps(arguments))
        threading.Thread(target=self._send, args=messages, daemon=True).start()

    def take(self, index: int, arguments: tuple[Any, ...]) -> None:
        """Send the next call."""
        self.index = index
        self._send(bytes(ForkingPickler.dumps(arguments)))

    def receive(self) -> Any:
        """The result of the call that is done; its error is raised here."""
        try:
            result, failure = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join(_SECONDS_TO_STOP)
            raise WorkerError(
                f"a worker process ended without a result (exit code {self.process.exitcode}); "
                "-9 is often a lack of memory: try fewer workers"
            ) from None
        if failure is not None:
            error = WorkerError(failure[0])
            error.add_note(f"In the worker process:\n{failure[1]}")
            raise error
        return result

    def dismiss(self) -> None:
        """Let the process end: there is nothing left to do."""
        self.connection.close()
        self.process.join(_SECONDS_TO_STOP)
        _stop([self.process])

    def _send(self, *messages: bytes) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # a process that ended is seen by ``receive``
            for message in messages:
                self.connection.send_bytes(message)


@contextmanager
def _settings_for_child(threads: int) -> Iterator[None]:
    """What a child takes over when it starts: its share of threads, and that Ctrl-C is not for it."""
    settings = dict.fromkeys(_SHARE_OF_CORES, str(threads)) | dict.fromkeys(_ALWAYS_ONE, "1")
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
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
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        # The first process starts this one too, which would let the signal through again.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if received:
            signal.raise_signal(signal.SIGINT)


def _serve(connection: Connection) -> None:
    """The worker's life: it gets a function, and answers every call of it until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionResetError, BrokenPipeError):
        pickled, function = connection.recv_bytes(), None
        while True:
            arguments = connection.recv_bytes()
            try:
                function = function or _loaded(pickled)
                answer = function(*ForkingPickler.loads(arguments)), None
                message = ForkingPickler.dumps(answer)
            except Exception as error:
                failure = f"{type(error).__name__}: {error}", traceback.format_exc()
                message = ForkingPickler.dumps((None, failure))
            connection.send_bytes(message)


def _loaded(pickled: bytes) -> Any:
    function = ForkingPickler.loads(pickled)
    gc.freeze()  # as in ``_begin``
    return function


def leave_with_parent() -> None:
    """A parent that was killed can't stop its workers, so they watch it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _stop(processes: Sequence[SpawnProcess]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_SECONDS_TO_STOP)
        if process.is_alive():
            process.kill()
            process.join()

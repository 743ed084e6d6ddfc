"""Many texts: the first ones here, the rest in processes, in order and never far ahead of the reader."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, TypeVar

from text2math.parallel import available_cores, leave_with_parent
from text2math.parse import Parse
from text2math.parser import Parser

Item = TypeVar("Item")
Result = TypeVar("Result")
Shared = TypeVar("Shared")

FEW = 256  # texts that are not worth starting processes for
CHUNK = 64  # texts that go to a process at once


def parse_batches(
    parser: Parser,
    texts: Iterable[str],
    *,
    workers: int | None,
    errors: Literal["raise", "warn"],
    **options: Any,
) -> Iterator[Parse]:
    """The work of ``Parser.parse_many``."""
    if errors not in ("raise", "warn"):
        raise ValueError(f'errors is {errors!r}; it must be "raise" or "warn"')
    results = in_order(parser, partial(_parse_or_error, options=options), texts, workers=workers)
    return _settled(results, errors, parser.name)


def _settled(
    results: Iterator[Parse | tuple[str, ValueError]], errors: Literal["raise", "warn"], model: str
) -> Iterator[Parse]:
    for result in results:
        if isinstance(result, Parse):
            yield result
        elif errors == "raise":
            raise result[1]
        else:
            yield Parse.nothing(result[0], str(result[1]), model=model)


def _parse_or_error(parser: Parser, text: str, options: dict[str, Any]) -> Parse | tuple[str, ValueError]:
    try:
        return parser.parse(text, **options)
    except ValueError as error:
        return text, error


def in_order(
    shared: Shared,
    work: Callable[[Shared, Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    few: int = FEW,
    chunk: int = CHUNK,
) -> Iterator[Result]:
    """``work(shared, item)`` of every item, in order, as it is asked for.

    The first ``few`` are done here. For more, processes start, as many as there are cores or ``workers``
    says; each is sent ``shared`` once, and then items, ``chunk`` of them at a time. One worker is this
    process. ``work`` must be importable, and a script that comes this far needs
    ``if __name__ == "__main__":``.
    """
    count = available_cores() if workers is None else workers
    if count < 1:
        raise ValueError(f"at least one worker is needed, not {count}")
    source = iter(items)
    for item in source if count == 1 else islice(source, few):
        yield work(shared, item)
    chunks = iter(lambda: list(islice(source, chunk)), [])
    if first := next(chunks, None):
        yield from _in_processes(shared, work, first, chunks, count)


def _in_processes(
    shared: Shared,
    work: Callable[[Shared, Item], Result],
    first: list[Item],
    chunks: Iterator[list[Item]],
    workers: int,
) -> Iterator[Result]:
    """Chunks go out while fewer than three a worker are on their way, so memory stays constant."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(shared,))
    waiting: deque[Future[list[Result]]] = deque()
    todo = chain([first], chunks)
    try:
        waiting.extend(pool.submit(_work_off, work, chunk) for chunk in islice(todo, 3 * workers))
        while waiting:
            results = waiting.popleft().result()
            waiting.extend(pool.submit(_work_off, work, chunk) for chunk in islice(todo, 1))
            yield from results
    finally:
        pool.shutdown(cancel_futures=True)


_shared: Any


def _begin(shared: Any) -> None:
    """A worker's start: it keeps what all share, leaves Ctrl-C to its parent, and ends with it."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def _work_off(work: Callable[[Any, Item], Result], chunk: list[Item]) -> list[Result]:
    return [work(_shared, item) for item in chunk]

"""Many texts: the first ones here, the rest in processes, in order and never far ahead of the reader."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeVar

from text2math.parallel import available_cores, leave_with_parent
from text2math.parse import Parse
from text2math.parser import Parser

Item = TypeVar("Item")
Result = TypeVar("Result")

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
    parser: Parser,
    work: Callable[[Parser, Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    few: int = FEW,
) -> Iterator[Result]:
    """``work(parser, item)`` of every item, in order, as it is asked for.

    The first ``few`` are done here. For more, processes start, as many as there are cores or ``workers``
    says; one worker is this process. ``work`` must be importable, and a script that comes this far needs
    ``if __name__ == "__main__":``.
    """
    count = available_cores() if workers is None else workers
    if count < 1:
        raise ValueError(f"at least one worker is needed, not {count}")
    source = iter(items)
    for item in source if count == 1 else islice(source, few):
        yield work(parser, item)
    chunk = list(islice(source, CHUNK))
    if chunk:
        yield from _in_processes(parser, work, chunk, source, count)


def _in_processes(
    parser: Parser,
    work: Callable[[Parser, Item], Result],
    chunk: list[Item],
    source: Iterator[Item],
    workers: int,
) -> Iterator[Result]:
    """Chunks go out while fewer than three a worker are on their way, so memory stays constant."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(parser,))
    waiting: deque[Future[list[Result]]] = deque()
    try:
        while chunk or waiting:
            while chunk and len(waiting) < 3 * workers:
                waiting.append(pool.submit(_work_off, work, chunk))
                chunk = list(islice(source, CHUNK))
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


_parser: Parser


def _begin(parser: Parser) -> None:
    """A worker's start: it keeps the parser, leaves Ctrl-C to its parent, and ends with it."""
    global _parser
    _parser = parser
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def _work_off(work: Callable[[Parser, Item], Result], chunk: list[Item]) -> list[Result]:
    return [work(_parser, item) for item in chunk]

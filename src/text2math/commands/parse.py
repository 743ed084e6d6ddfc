"""The command ``text2math parse``: a file of texts in, a file of answers out, of any size."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from text2math.bulk.files import PIPE, Entry, open_writer, read_entries, records_done, size_of, skip, text_of
from text2math.commands.options import MinProbability, Model, Workers
from text2math.mathematics.notation import to_infix
from text2math.parallel import in_order
from text2math.parse import plain_number
from text2math.parser import DEFAULT_MODEL, Parser, load


def parse(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A .jsonl, .csv or .parquet file; - for stdin.")
    ],
    *,
    out: Annotated[str, typer.Option("--out", "-o", help="The file to write; - for stdout.")] = PIPE,
    model: Model = DEFAULT_MODEL,
    workers: Workers = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier run stopped.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    min_probability: MinProbability = None,
) -> int:
    """Parse a file of texts: each line gives one line, in order, with the same id.

    A line of the input is an object with a "text" and, if you like, an "id". A line of the output has the
    id, the expression or equation, the answer and its probability, or an "error".
    """
    done = _check_output(out, resume, overwrite)
    # Someone may be typing into the pipe, so nothing is held back there.
    processes = 1 if workers is None and source == PIPE else workers
    entries = _begun(skip(read_entries(source), done))
    progress = _Progress(size_of(source), done)
    work = partial(answer, min_probability=min_probability)
    failed, whole = 0, False
    parser = load(model)
    writer = open_writer(out, resume=resume)
    try:
        with progress:
            for record in in_order(parser, work, progress.watch(entries), workers=processes):
                writer.write(record)
                failed += "error" in record
                progress.done()
        whole = True
    finally:
        writer.close(whole=whole)
        print(f"text2math: {progress.summary()}, {failed:,} with errors", file=sys.stderr)
        if not whole and out != PIPE:
            print(f"text2math: {out} is not complete; --resume goes on with it", file=sys.stderr)
    return 1 if failed else 0


def _begun(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The same entries, the first one read, so that an input that can't be read is known at once."""
    return chain(list(islice(entries, 1)), entries)


def _check_output(out: str, resume: bool, overwrite: bool) -> int:
    """How many records are done already."""
    if resume:
        return records_done(out)
    if out != PIPE and not overwrite and Path(out).exists():
        raise ValueError(f"{out}: exists; --resume goes on with it, --overwrite replaces it")
    return 0


def answer(parser: Parser, entry: Entry, *, min_probability: float | None = None) -> dict[str, Any]:
    """The record that answers an entry, whatever the entry is."""
    given = text_of(entry)
    if given.error:
        return {"id": given.id, "error": given.error}
    try:
        found = parser.parse(given.text, top=1, min_probability=min_probability)
    except ValueError as error:
        return {"id": given.id, "error": str(error)}
    except Exception as error:  # one text must not end a run of a million
        return {"id": given.id, "error": f"unexpected {type(error).__name__}: {error}"}
    return {
        "id": given.id,
        "kind": found.kind,
        "expression": None if found.expression is None else to_infix(found.expression),
        "equation": None if found.equation is None else to_infix(found.equation),
        "answer": plain_number(found.answer),
        "probability": None if found.probability is None else round(found.probability, 4),
    }


class _Progress:
    """A bar on stderr with rate and time left, where stderr is a terminal."""

    def __init__(self, size: int | None, before: int) -> None:
        self._size, self._before = size, before
        self._count, self._position = 0, 0
        self._began = time.perf_counter()
        self._bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.fields[lines]}"), BarColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True))
            self._task = self._bar.add_task("", total=self._size, lines="starting")
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def watch(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        """The entries, while their positions move the bar."""
        for entry in entries:
            self._position = entry.position or self._position
            yield entry

    def done(self) -> None:
        """One record more is written."""
        self._count += 1
        if self._bar is not None and self._count % 16 == 0:
            self._bar.update(self._task, completed=self._position, lines=self.summary())

    def summary(self) -> str:
        """How many lines, and how fast."""
        rate = self._count / max(1e-9, time.perf_counter() - self._began)
        before = f" (after {self._before:,} done before)" if self._before else ""
        return f"{self._count:,} lines{before}, {rate:,.0f} a second"

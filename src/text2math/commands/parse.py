"""The command ``text2math parse``: from files of texts, of any size, to a file or folder of answers."""

from __future__ import annotations

import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, Self

import typer

from text2math.bulk.cluster import connected, parse_on
from text2math.bulk.names import PIPE, expand, is_folder, kind_of, require_other_files
from text2math.bulk.partitions import (
    Engine,
    Job,
    PartReport,
    answer,
    answer_all,
    make_job,
    parse_here,
    part_name,
    plan,
)
from text2math.bulk.readers import Entry, Layout, Partition, kept_types, read_entries, size_of, skip
from text2math.bulk.records import Settings
from text2math.bulk.runs import record_path, require_same_run, run_record, write_record
from text2math.bulk.writers import is_begun, open_writer, records_done
from text2math.commands.messages import say
from text2math.commands.options import (
    KnowledgeFile,
    MinProbability,
    Model,
    NoKnowledge,
    Strict,
    Workers,
    chosen_knowledge,
)
from text2math.parallel import in_order
from text2math.parser import DEFAULT_MODEL, load

MAX_SHARDS = 1_000_000
SHOWN = 5  # partitions that failed, by name


def parse(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="IN...",
            help="Files (.jsonl, .csv, .txt, also .gz or .zst; .parquet), folders or patterns; - for stdin.",
        ),
    ],
    *,
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="The file to write, or a folder of Parquet parts; - for stdout."),
    ] = PIPE,
    model: Model = DEFAULT_MODEL,
    text_column: Annotated[str, typer.Option("--text-column", help="The field that has the text.")] = "text",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", help="A field of the input to copy to the output; repeat for more.", show_default=False
        ),
    ] = None,
    keep_all: Annotated[
        bool, typer.Option("--keep-all", help="Copy all fields of the input to the output.")
    ] = False,
    paragraphs: Annotated[
        bool, typer.Option("--paragraphs", help="In .txt files, texts are separated by blank lines.")
    ] = False,
    top: Annotated[
        int, typer.Option("--top", min=1, max=50, help="How many readings; the others are alternatives.")
    ] = 1,
    min_probability: MinProbability = None,
    strict: Strict = False,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
    workers: Workers = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", help="A Dask scheduler, tcp://host:8786, or local:4.", show_default=False),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option("--shard", help="Only this share of the work, such as 3/16.", show_default=False),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue where an earlier run stopped.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> int:
    """Parse files of texts: each input line gives one output line, in order, with the same id.

    An input line is an object with a "text" and an optional "id". An output line has the id, the expression
    or equation, the answer and its probability, the reason if there is no answer, or an "error". With a
    folder as --out, each input file (or some row groups of a Parquet file) becomes one Parquet part;
    --resume adds the missing ones.
    """
    request = _Request(
        expand(sources),
        out,
        Settings(model, top, min_probability, strict, chosen_knowledge(knowledge, no_knowledge)),
        Layout(text_column, None if keep_all else tuple(keep or ()), paragraphs),
        _share(shard),
        workers,
        resume,
        overwrite,
    )
    if is_folder(out):
        return _parse_folder(request, cluster)
    if cluster is not None:
        raise ValueError("--cluster writes a folder of Parquet parts: give --out FOLDER/")
    return _parse_file(request)


@dataclass(frozen=True, slots=True)
class _Request:
    """The options of the command, checked."""

    paths: tuple[str, ...]
    out: str
    settings: Settings
    layout: Layout
    share: tuple[int, int]  # (index from 0, count)
    workers: int | None
    resume: bool
    overwrite: bool


def _share(shard: str | None) -> tuple[int, int]:
    """The share as (index from 0, count); ``3/16`` is (2, 16)."""
    if shard is None:
        return 0, 1
    match = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", shard)
    number, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= count <= MAX_SHARDS:
        raise ValueError(f"--shard {shard}: give a share such as 3/16, the third of sixteen")
    return number - 1, count


# One file -------------------------------------------------------------------------------------------------


def _parse_file(request: _Request) -> int:
    out, layout, paths = request.out, request.layout, request.paths
    columns = _columns(request)
    require_other_files(paths, out)
    done = _begin(request)
    # Lines of a pipe may be typed by hand, so each is answered at once.
    processes = 1 if request.workers is None and PIPE in paths else request.workers
    progress = _Lines(paths, done)
    first, step = request.share
    entries = _with_first_read(skip(islice(progress.watch(paths, layout), first, None, step), done))
    parser = load(request.settings.model, knowledge=request.settings.knowledge)
    writer = open_writer(out, columns, resume=request.resume)
    work = partial(answer, settings=request.settings, layout=layout)
    work_on_all = partial(answer_all, settings=request.settings, layout=layout)
    failed, complete = 0, False
    try:
        with progress:
            for record in in_order(parser, work, entries, workers=processes, work_on_all=work_on_all):
                writer.write(record)
                failed += bool(record["error"])
                progress.done()
        complete = True
    finally:
        try:
            writer.close(whole=complete)
        finally:
            say(f"{progress.summary()}, {failed:,} with errors")
            if not complete and out != PIPE:
                say(f"{out} is not complete; --resume continues it")
    return 1 if failed else 0


def _columns(request: _Request) -> dict[str, Any]:
    """The input columns to copy, with their types in the first file."""
    first, out = request.paths[0], request.out
    columns = kept_types(first, request.layout)
    if len(request.paths) > 1:
        columns["id"] = None  # the id of an entry without one is its file and number
    if request.layout.keep is None and kind_of(first) == "json" and kind_of(out) != "json":
        raise ValueError(f"{out}: the fields of JSON Lines are not known in advance; name them with --keep")
    return columns


def _begin(request: _Request) -> int:
    """Check that the output may be written, and record the run; return how many records are done already."""
    out, resume = request.out, request.resume
    if out == PIPE:
        return records_done(out) if resume else 0
    if is_begun(out) and not (resume or request.overwrite):
        raise ValueError(f"{out} exists; --resume continues it, --overwrite replaces it")
    inputs = [path if path == PIPE else str(Path(path).resolve()) for path in request.paths]
    options = {**asdict(request.layout), "shard": list(request.share), "inputs": inputs}
    record = run_record(request.settings, options)
    if resume and is_begun(out):
        require_same_run(record_path(out), record)
        return records_done(out)
    write_record(record_path(out), record)
    return 0


def _with_first_read(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The same entries, with the first one read, so that an unreadable input is reported at once."""
    return chain(list(islice(entries, 1)), entries)


# A folder of parts ----------------------------------------------------------------------------------------


def _parse_folder(request: _Request, cluster: str | None) -> int:
    out, (first, step) = request.out, request.share
    if request.overwrite:
        raise ValueError(f"{out}: a folder is not overwritten; remove it, or give another")
    if PIPE in request.paths:
        raise ValueError("a pipe gives one file: give --out FILE.jsonl")
    job = make_job(request.settings, request.layout, out)
    partitions = plan(request.paths)[first::step]
    for partition in partitions:
        require_other_files([partition.path], str(job.output(partition)))
    there = {partition for partition in partitions if job.output(partition).exists()}
    if there and not request.resume:
        raise ValueError(f"{out} has {len(there):,} of these parts already; --resume parses the others")
    _begin_folder(out, run_record(request.settings, asdict(request.layout)))
    todo = [partition for partition in partitions if partition not in there]
    with ExitStack() as stack:
        engine = parse_here(request.workers)
        if cluster is not None and todo:
            engine = parse_on(stack.enter_context(connected(cluster)))
        return _parse_partitions(engine, job, todo, len(there), out)


def _begin_folder(out: str, record: Any) -> None:
    path = record_path(out, folder=True)
    if path.exists():
        require_same_run(path, record)
        return
    if Path(out).is_dir() and any(Path(out).glob("*.parquet")):
        raise ValueError(f"{out} has Parquet files that text2math did not write; give another folder")
    Path(out).mkdir(parents=True, exist_ok=True)
    write_record(path, record)


def _parse_partitions(engine: Engine, job: Job, todo: Sequence[Partition], before: int, out: str) -> int:
    progress = _Parts(len(todo), before)
    complete = False
    try:
        with progress:
            for report in engine(job, todo):
                progress.done(report)
        complete = True
    finally:
        say(progress.summary())
        for line in progress.failures():
            say(line)
        if not complete or progress.broken:
            say(f"{out} is not complete; --resume continues it")
    return 1 if progress.broken or progress.failed else 0


# Progress -------------------------------------------------------------------------------------------------


class _Progress(ABC):
    """A bar with rate and time left on stderr, if stderr is a terminal."""

    def __init__(self, total: float | None) -> None:
        self._total = total
        self._count = 0
        self._began = time.perf_counter()
        self._bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.fields[lines]}"), BarColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True))
            self._task = self._bar.add_task("", total=self._total, lines="starting")
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, completed: float) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=completed, lines=self.summary())

    def _rate(self) -> str:
        return f"{self._count / max(1e-9, time.perf_counter() - self._began):,.0f} per second"

    @abstractmethod
    def summary(self) -> str:
        """How much is done, and how fast."""


class _Lines(_Progress):
    """How far the files are read, and how many lines are written."""

    def __init__(self, paths: Sequence[str], before: int) -> None:
        self._sizes = [size_of(path) for path in paths]
        super().__init__(None if None in self._sizes else sum(size or 0 for size in self._sizes))
        self._before, self._position = before, 0

    def watch(self, paths: Iterable[str], layout: Layout) -> Iterator[Entry]:
        """The entries of all files, while their positions move the bar."""
        several, earlier = len(self._sizes) > 1, 0
        for path, size in zip(paths, self._sizes, strict=True):
            for entry in read_entries(Partition(path), layout):
                self._position = earlier + entry.position if entry.position else self._position
                yield replace(entry, file=path) if several else entry
            earlier += size or 0

    def done(self) -> None:
        """Another record is written."""
        self._count += 1
        if self._count % 16 == 0:
            self._show(self._position)

    def summary(self) -> str:
        before = f" (after {self._before:,} done before)" if self._before else ""
        return f"{self._count:,} lines{before}, {self._rate()}"


class _Parts(_Progress):
    """How many partitions are done, and how many texts they have."""

    def __init__(self, total: int, before: int) -> None:
        super().__init__(total)
        self._parts, self._before, self._all = 0, before, total
        self.failed = 0
        self.broken: list[PartReport] = []

    def done(self, report: PartReport) -> None:
        """Another partition is finished, or has failed."""
        self._parts += 1
        self._count += report.texts
        self.failed += report.failed
        if report.error:
            self.broken.append(report)
        self._show(self._parts)

    def summary(self) -> str:
        before = f" (after {self._before:,} done before)" if self._before else ""
        whole = self._parts - len(self.broken)
        return (
            f"{whole:,} of {self._all:,} partitions{before}, {self._count:,} texts, {self._rate()}, "
            f"{self.failed:,} with errors"
        )

    def failures(self) -> Iterator[str]:
        """A line for each of the first few partitions that failed."""
        for report in self.broken[:SHOWN]:
            yield f"{part_name(report.partition)} failed: {report.error}"
        if len(self.broken) > SHOWN:
            yield f"and {len(self.broken) - SHOWN:,} more partitions failed"

"""A corpus in partitions: each becomes one Parquet file, written completely or not at all, on any machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text2math import __version__
from text2math.bulk.names import COMPRESSIONS
from text2math.bulk.readers import Entry, Layout, Partition, kept_types, partitions_of, read_entries, text_of
from text2math.bulk.records import Settings, fingerprint
from text2math.bulk.writers import TableWriter
from text2math.parallel import CHUNK, batches, in_order
from text2math.parser import Parser


@dataclass(frozen=True, slots=True)
class Job:
    """What a process needs to work on any partition; the model by its name, never itself."""

    settings: Settings
    layout: Layout
    folder: str
    model_sha256: str
    version: str = __version__

    def output(self, partition: Partition) -> Path:
        """The part that a partition becomes, named after its input."""
        return Path(self.folder) / part_name(partition)


@dataclass(frozen=True, slots=True)
class PartReport:
    """A finished partition: how many texts, how many failed, or why none was parsed."""

    partition: Partition
    texts: int = 0
    failed: int = 0
    error: str = ""


def part_name(partition: Partition) -> str:
    """The name of the Parquet part of a partition.

    >>> part_name(Partition("corpus/a.jsonl.gz")), part_name(Partition("b.parquet", (2, 4), 512))
    ('a.parquet', 'b-00000512.parquet')
    """
    name = Path(partition.path).name
    for suffix in COMPRESSIONS:
        name = re.sub(rf"{re.escape(suffix)}$", "", name, flags=re.IGNORECASE)
    stem = Path(name).stem
    return f"{stem}.parquet" if partition.groups is None else f"{stem}-{partition.before:08}.parquet"


def plan(paths: Iterable[str]) -> tuple[Partition, ...]:
    """The partitions of all files; raises where two would become the same part."""
    found: dict[str, Partition] = {}
    for path in paths:
        for partition in partitions_of(str(Path(path).resolve())):
            other = found.setdefault(part_name(partition), partition)
            if other is not partition:
                raise ValueError(
                    f"{partition.path} and {other.path} would both become {part_name(partition)}; "
                    "parse them into different folders"
                )
    return tuple(found.values())


def parse_partition(job: Job, partition: Partition) -> PartReport:
    """Parse a partition into its part. An unreadable one is reported and leaves no part behind."""
    try:
        _require_same_model(job)
        return _parse_into(job.output(partition), job, partition)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.filename:
            return PartReport(partition, error=f"{error.filename}: {error.strerror}")
        return PartReport(partition, error=str(error))


def _require_same_model(job: Job) -> None:
    """Another machine may have another version, or another model under the same name."""
    if (__version__, fingerprint(job.settings.model)) != (job.version, job.model_sha256):
        raise ValueError(
            f"this worker has another text2math or another model {job.settings.model!r} than the run began "
            f"with (version {job.version}); install the same on every worker"
        )


def _parse_into(out: Path, job: Job, partition: Partition) -> PartReport:
    for stale in out.parent.glob(f".{out.name}.*.part"):  # of a worker that was killed
        stale.unlink(missing_ok=True)
    parser = job.settings.parser()
    writer = TableWriter(out, kept_types(partition.path, job.layout))
    texts = failed = 0
    whole = False
    try:
        for some in batches(read_entries(partition, job.layout), CHUNK):
            for record in answer_all(parser, some, settings=job.settings, layout=job.layout):
                writer.write(record)
                texts += 1
                failed += bool(record["error"])
        whole = True
    finally:
        writer.close(whole=whole)
    return PartReport(partition, texts, failed)


def answer(parser: Parser, entry: Entry, *, settings: Settings, layout: Layout) -> dict[str, Any]:
    """The record that answers an entry, whatever the entry is."""
    given = text_of(entry, layout)
    found = {"error": given.error} if given.error else settings.record(parser, given.text)
    return {"id": given.id, **given.kept, **found}


def answer_all(
    parser: Parser, entries: Sequence[Entry], *, settings: Settings, layout: Layout
) -> list[dict[str, Any]]:
    """The records that answer some entries, somewhat faster than one by one."""
    given = [text_of(entry, layout) for entry in entries]
    found = iter(settings.records(parser, [one.text for one in given if not one.error]))
    return [
        {"id": one.id, **one.kept, **({"error": one.error} if one.error else next(found))} for one in given
    ]


# How partitions are processed: on this machine, or by a cluster.
Engine = Callable[[Job, Sequence[Partition]], Iterator[PartReport]]


def parse_here(workers: int | None) -> Engine:
    """An engine that uses processes on this machine."""

    def run(job: Job, partitions: Sequence[Partition]) -> Iterator[PartReport]:
        return in_order(job, parse_partition, partitions, workers=workers, few=0, chunk=1)

    return run


def make_job(settings: Settings, layout: Layout, folder: str) -> Job:
    """A job for this version and this model, as they are here."""
    return Job(settings, layout, str(Path(folder).resolve()), fingerprint(settings.model))

"""Texts out of files of any size, one at a time: JSON Lines, CSV, plain text, Parquet; plain or compressed.

A reader gives ``Entry`` values, good or bad, one for each line, row or paragraph.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any

from text2math.bulk.names import PIPE, compression, kind_of
from text2math.bulk.records import kept_name

MAX_LINE = 1 << 20  # bytes; a longer line is an error, and is not kept in memory
BATCH = 1024  # rows of a Parquet file that are in memory at once
PART_ROWS = 16_384  # rows of a partition, unless a row group alone has more


@dataclass(frozen=True, slots=True)
class Layout:
    """Which field of an input holds the text, and which others are copied to the output (None: all)."""

    text: str = "text"
    keep: tuple[str, ...] | None = ()
    paragraphs: bool = False  # of plain text: texts are separated by blank lines, not by line ends

    def kept(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the existing columns that are copied to the output; the id always is."""
        if self.keep is None:
            return tuple(name for name in names if name != "id")
        return tuple(name for name in self.keep if name != "id")


@dataclass(frozen=True, slots=True)
class Partition:
    """An input file, or some row groups of a Parquet file; ``before`` rows of the file come before them."""

    path: str
    groups: tuple[int, int] | None = None
    before: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the input: its number from 1, its content, and where in the file it ends."""

    number: int
    content: bytes | str | Mapping[str, Any] | None  # a line of JSON, a text, or the fields of a row
    position: int = 0
    error: str = ""
    file: str = ""  # where several are read, the one that the number counts in

    @property
    def name(self) -> int | str:
        """The id of an entry that has none of its own."""
        return f"{self.file}:{self.number}" if self.file else self.number


@dataclass(frozen=True, slots=True)
class Text:
    """A text to parse, with the id its answer must carry; or what is wrong with the line."""

    id: Any
    text: str
    error: str = ""
    kept: Mapping[str, Any] = field(default_factory=dict)


def text_of(entry: Entry, layout: Layout = Layout()) -> Text:  # noqa: B008 (it is frozen)
    """The text and the id of an entry. The id of a line without one is its number.

    >>> text_of(Entry(3, b'{"id": "a7", "text": "2 plus 2"}'))
    Text(id='a7', text='2 plus 2', error='', kept={})
    >>> text_of(Entry(3, b"{}")).error
    'no text: give a field "text" with a string'
    """
    fields = entry.content
    if entry.error:
        return Text(entry.name, "", entry.error)
    if isinstance(fields, bytes):
        try:
            fields = json.loads(fields.decode("utf-8-sig"), parse_constant=_no_number, parse_float=_finite)
        except UnicodeDecodeError:
            return Text(entry.name, "", "not UTF-8 text")
        except (ValueError, RecursionError) as error:
            return Text(entry.name, "", f"not JSON: {error}")
    if isinstance(fields, str):
        return Text(entry.name, fields)
    if not isinstance(fields, Mapping):
        return Text(entry.name, "", 'not an object; each line must be one, such as {"text": "…"}')
    kept = {kept_name(name): fields.get(name) for name in layout.kept(list(fields))}
    id, text = fields.get("id"), fields.get(layout.text)
    own = entry.name if id is None else id
    if not isinstance(text, str):
        return Text(own, "", f'no text: give a field "{layout.text}" with a string', kept)
    return Text(own, text, kept=kept)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits[:40]} is too large")
    return value


# Reading --------------------------------------------------------------------------------------------------


def read_entries(partition: Partition, layout: Layout) -> Iterator[Entry]:
    """The entries of a partition; ``-`` is JSON Lines from stdin. Raises ``ValueError``."""
    with reading(partition.path):
        match kind_of(partition.path):
            case "csv":
                yield from _csv_entries(partition.path, layout)
            case "parquet":
                yield from _parquet_entries(partition, layout)
            case "text":
                lines = _lines(partition.path)
                yield from _paragraphs(lines) if layout.paragraphs else _text_lines(lines)
            case "json":
                yield from _lines(partition.path)


def size_of(path: str) -> int | None:
    """The last position of the entries, if it is known."""
    return Path(path).stat().st_size if path != PIPE else None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Errors in a damaged file name the file."""
    try:
        yield
    except Exception as error:  # each package that unpacks has errors of its own
        if getattr(error, "filename", None) is not None or type(error) is ValueError:
            raise
        raise ValueError(f"{path}: damaged, or not what its name says: {error}") from error


@contextmanager
def open_bytes(path: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The bytes of a file, unpacked, and the file itself, whose position tells how much of it was read."""
    with ExitStack() as stack:
        raw: IO[bytes] = sys.stdin.buffer if path == PIPE else stack.enter_context(open(path, "rb"))
        match compression(path):
            case ".gz":
                unpacked: Any = gzip.GzipFile(fileobj=raw, mode="rb")
            case ".zst":
                unpacked = zstandard(path).ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            case _:
                unpacked = raw
        if unpacked is not raw:
            unpacked = stack.enter_context(io.BufferedReader(unpacked))
        yield unpacked, raw


def zstandard(path: str) -> Any:
    """The package, or an error that says what to install."""
    try:
        import zstandard as package
    except ImportError:
        raise ValueError(f"{path}: .zst files need zstandard: pip install 'text2math[zstd]'") from None
    return package


def _lines(path: str) -> Iterator[Entry]:
    with open_bytes(path) as (stream, raw):
        number = position = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            position = position + len(line) if path == PIPE else raw.tell()
            if len(line) > MAX_LINE and not line.endswith(b"\n"):
                _skip_line(stream)
                yield Entry(number, None, position, f"the line is longer than {MAX_LINE:,} bytes")
            else:
                yield Entry(number, line.rstrip(b"\r\n"), position)


def _skip_line(stream: IO[bytes]) -> None:
    while rest := stream.readline(MAX_LINE):
        if rest.endswith(b"\n"):
            return


def _text_lines(lines: Iterator[Entry]) -> Iterator[Entry]:
    """One text per line, with the line number as its id; blank lines are skipped."""
    for entry in lines:
        if entry.error or _content(entry).strip():
            yield _text_entry(entry.number, entry.position, [entry])


def _paragraphs(lines: Iterator[Entry]) -> Iterator[Entry]:
    """Texts separated by blank lines, numbered from 1."""
    number, gathered, size = 0, list[Entry](), 0
    for entry in lines:
        if entry.error or _content(entry).strip():
            size += len(_content(entry))
            if size <= MAX_LINE or not gathered:
                gathered.append(entry)
        elif gathered:
            number += 1
            yield _text_entry(number, entry.position, gathered, size)
            gathered, size = [], 0
    if gathered:
        yield _text_entry(number + 1, gathered[-1].position, gathered, size)


def _content(entry: Entry) -> bytes:
    return entry.content if isinstance(entry.content, bytes) else b""


def _text_entry(number: int, position: int, lines: Sequence[Entry], size: int = 0) -> Entry:
    if error := next((line.error for line in lines if line.error), ""):
        return Entry(number, None, position, error)
    if size > MAX_LINE:
        return Entry(number, None, position, f"the text is longer than {MAX_LINE:,} bytes")
    try:
        text = b"\n".join(map(_content, lines)).decode("utf-8-sig")
    except UnicodeDecodeError:
        return Entry(number, None, position, "not UTF-8 text")
    return Entry(number, text.strip(), position)


def _csv_entries(path: str, layout: Layout) -> Iterator[Entry]:
    with open_bytes(path) as (stream, raw):
        rows = csv.reader(io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline=""))
        header = next(rows, [])
        _require_columns(path, header, layout)
        number = 0
        while True:
            number += 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield Entry(number, None, error=f"not CSV: {error}")
                continue
            yield Entry(number, dict(zip(header, row, strict=False)), raw.tell())


def _require_columns(path: str, columns: Sequence[str], layout: Layout) -> None:
    for name in (layout.text, *layout.kept(columns)):
        if name not in columns:
            known = ", ".join(columns) or "none"
            raise ValueError(f'{path}: there is no column "{name}"; the columns are: {known}')


# Parquet --------------------------------------------------------------------------------------------------


def pyarrow_for(path: str) -> Any:
    """The module ``pyarrow`` with its Parquet part, or an error that says what to install."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{path}: Parquet files need pyarrow: pip install 'text2math[parquet]'") from None
    return pyarrow


@contextmanager
def _parquet_file(path: str) -> Iterator[Any]:
    pyarrow = pyarrow_for(path)
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            yield file
    except pyarrow.ArrowException as error:
        raise ValueError(f"{path}: can't be read as Parquet: {error}") from error


def _parquet_entries(partition: Partition, layout: Layout) -> Iterator[Entry]:
    path = partition.path
    with _parquet_file(path) as file:
        names = file.schema_arrow.names
        _require_columns(path, names, layout)
        columns = list(
            dict.fromkeys(name for name in ("id", layout.text, *layout.kept(names)) if name in names)
        )
        first, last = partition.groups or (0, file.num_row_groups)
        size, rows, number = Path(path).stat().st_size, max(1, file.metadata.num_rows), partition.before
        for batch in file.iter_batches(BATCH, row_groups=list(range(first, last)), columns=columns):
            for fields in batch.to_pylist():
                number += 1
                yield Entry(number, fields, size * number // rows)


def partitions_of(path: str, rows: int = PART_ROWS) -> tuple[Partition, ...]:
    """A file in independent pieces: a Parquet file by its row groups, any other file as a whole.

    A file that can't be read is one piece: reading it will report what is wrong.
    """
    if kind_of(path) != "parquet":
        return (Partition(path),)
    try:
        with _parquet_file(path) as file:
            counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    except (ValueError, OSError):
        return (Partition(path),)
    found, first, before, held = list[Partition](), 0, 0, 0
    for group, count in enumerate(counts):
        if held and held + count > rows:
            found.append(Partition(path, (first, group), before))
            first, before, held = group, before + held, 0
        held += count
    return (*found, Partition(path, (first, len(counts)), before)) if found else (Partition(path),)


def kept_types(path: str, layout: Layout) -> dict[str, Any]:
    """The copied columns, by their names in the output, with their Arrow types; None is text.

    The first is the id.
    """
    if path != PIPE and not Path(path).exists():
        raise FileNotFoundError(2, "No such file or directory", path)
    match kind_of(path):
        case "parquet":
            with _parquet_file(path) as file:
                schema = file.schema_arrow
                _require_columns(path, schema.names, layout)
                own = {"id": schema.field("id").type} if "id" in schema.names else {"id": None}
                return own | {kept_name(name): schema.field(name).type for name in layout.kept(schema.names)}
        case "csv":
            with reading(path), open_bytes(path) as (stream, _):
                text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
                header = next(csv.reader(text), [])
            _require_columns(path, header, layout)
            return {"id": None} | dict.fromkeys(map(kept_name, layout.kept(header)))
        case "text":
            return {"id": None}
        case "json":
            return {"id": None} | dict.fromkeys(map(kept_name, layout.kept(())))


def skip(entries: Iterator[Entry], count: int) -> Iterator[Entry]:
    """The entries after the first ``count``; raises where there are fewer."""
    skipped = sum(1 for _ in islice(entries, count))
    if skipped < count:
        raise ValueError(
            f"the output has {count:,} records and the input only {skipped:,}: they don't belong together"
        )
    return entries

"""Files of any size, a record at a time: JSON Lines, CSV and Parquet in and out, and going on after a break.

A reader gives ``Entry`` values, good or bad, one for each line; a writer takes one dictionary for each.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

PIPE = "-"
MAX_LINE = 1 << 20  # bytes; a longer line is an error, and is not kept in memory
FIELDS = ("id", "kind", "expression", "equation", "answer", "probability", "error")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the input: its number from 1, what stands in it, and how far into the file it reaches."""

    number: int
    content: bytes | Mapping[str, Any] | None  # a line of JSON, or the fields of a row
    position: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to parse, with the id its answer must carry; or what is wrong with the line."""

    id: Any
    text: str
    error: str = ""


def text_of(entry: Entry) -> Text:
    """The text and the id of an entry. A line without an id is known by its number.

    >>> text_of(Entry(3, b'{"id": "a7", "text": "2 plus 2"}'))
    Text(id='a7', text='2 plus 2', error='')
    >>> text_of(Entry(3, b"{}")).error
    'no text: give a field "text" with a string'
    """
    fields = entry.content
    if entry.error:
        return Text(entry.number, "", entry.error)
    if isinstance(fields, bytes):
        try:
            fields = json.loads(fields.decode("utf-8-sig"), parse_constant=_no_constant)
        except UnicodeDecodeError:
            return Text(entry.number, "", "not UTF-8 text")
        except (ValueError, RecursionError) as error:
            return Text(entry.number, "", f"not JSON: {error}")
    if isinstance(fields, str):
        return Text(entry.number, fields)
    if not isinstance(fields, Mapping):
        return Text(entry.number, "", 'not an object; each line must be one, such as {"text": "…"}')
    id, text = fields.get("id"), fields.get("text")
    own = entry.number if id is None else id
    if not isinstance(text, str):
        return Text(own, "", 'no text: give a field "text" with a string')
    return Text(own, text)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# Reading --------------------------------------------------------------------------------------------------


def read_entries(path: str) -> Iterator[Entry]:
    """The entries of a file by its extension; ``-`` is JSON Lines from stdin."""
    suffix = _suffix(path)
    if suffix == ".csv":
        return _csv_entries(Path(path))
    if suffix == ".parquet":
        return _parquet_entries(Path(path))
    return _json_entries(path)


def size_of(path: str) -> int | None:
    """How far the positions of the entries will reach, where that is known."""
    return Path(path).stat().st_size if path != PIPE else None


def _suffix(path: str) -> str:
    suffix = Path(path).suffix.lower()
    if path != PIPE and suffix not in (".jsonl", ".ndjson", ".json", ".csv", ".parquet"):
        raise ValueError(f"{path}: the name should end in .jsonl, .csv or .parquet (or be - for a pipe)")
    return suffix


def _json_entries(path: str) -> Iterator[Entry]:
    with ExitStack() as stack:
        stream: IO[bytes] = sys.stdin.buffer if path == PIPE else stack.enter_context(open(path, "rb"))
        number = position = 0
        while line := stream.readline(MAX_LINE + 1):
            number += 1
            position += len(line)
            if len(line) > MAX_LINE and not line.endswith(b"\n"):
                position += _skip_line(stream)
                yield Entry(number, None, position, f"the line is longer than {MAX_LINE:,} bytes")
            else:
                yield Entry(number, line.rstrip(b"\r\n"), position)


def _skip_line(stream: IO[bytes]) -> int:
    skipped = 0
    while rest := stream.readline(MAX_LINE):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped


def _csv_entries(path: Path) -> Iterator[Entry]:
    with open(path, "rb") as stream:
        text = TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        rows = csv.reader(text)
        header = next(rows, [])
        _require_text(path, header)
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
            yield Entry(number, dict(zip(header, row, strict=False)), stream.tell())


def _require_text(path: Path, columns: list[str]) -> None:
    if "text" not in columns:
        known = ", ".join(columns) or "none"
        raise ValueError(f'{path}: there is no column "text"; the columns are: {known}')


def _parquet_entries(path: Path) -> Iterator[Entry]:
    parquet = _pyarrow(path)
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _require_text(path, names)
        columns = [name for name in ("id", "text") if name in names]
        size, rows, number = path.stat().st_size, max(1, file.metadata.num_rows), 0
        for batch in file.iter_batches(1024, columns=columns):
            for fields in batch.to_pylist():
                number += 1
                yield Entry(number, fields, size * number // rows)


def _pyarrow(path: Path) -> Any:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(f"{path}: Parquet files need pyarrow: pip install pyarrow") from None
    return parquet


# Writing --------------------------------------------------------------------------------------------------


class Writer(Protocol):
    """Takes records, and at the end is told whether they were all."""

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one record."""

    def close(self, *, whole: bool) -> None:
        """No more records come: all are written, or something broke off."""


def open_writer(path: str, *, resume: bool = False) -> Writer:
    """A writer of the file's kind; one that resumes adds to what is there."""
    suffix = _suffix(path)
    if suffix == ".parquet":
        if resume:
            raise ValueError(f"{path}: a Parquet file can't be added to; write .jsonl or .csv to resume")
        return _ParquetWriter(Path(path))
    if path == PIPE:
        return _JsonWriter(sys.stdout.buffer, own=False)
    if suffix == ".csv":
        return _CsvWriter(Path(path), resume=resume)
    return _JsonWriter(open(path, "ab" if resume else "wb"), own=True)


def to_json_line(record: Mapping[str, Any]) -> bytes:
    """A record as a line; without what is not there."""
    kept = {name: value for name, value in record.items() if name != "error" or value}
    try:
        return json.dumps(kept, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:
        # Half of a surrogate pair, from an escape in the input, can only go out as one.
        return json.dumps(kept, allow_nan=False).encode() + b"\n"


class _JsonWriter:
    """JSON Lines. What goes into a pipe goes at once."""

    def __init__(self, stream: IO[bytes], *, own: bool) -> None:
        self._stream, self._own = stream, own

    def write(self, record: Mapping[str, Any]) -> None:
        self._stream.write(to_json_line(record))
        if not self._own:
            self._stream.flush()

    def close(self, *, whole: bool) -> None:
        if self._own:
            self._stream.close()


class _CsvWriter:
    def __init__(self, path: Path, *, resume: bool) -> None:
        begun = resume and path.exists() and path.stat().st_size > 0
        self._stream = open(  # noqa: SIM115
            path, "a" if resume else "w", encoding="utf-8", newline="", errors="backslashreplace"
        )
        self._rows = csv.writer(self._stream, lineterminator="\n")
        if not begun:
            self._rows.writerow(FIELDS)

    def write(self, record: Mapping[str, Any]) -> None:
        self._rows.writerow(["" if record.get(name) is None else record[name] for name in FIELDS])

    def close(self, *, whole: bool) -> None:
        self._stream.close()


class _ParquetWriter:
    """Row groups into a file beside it, which takes the name when it is whole."""

    GROUP = 4096

    def __init__(self, path: Path) -> None:
        parquet = _pyarrow(path)
        import pyarrow

        self._arrow = pyarrow
        self._path, self._part = path, path.with_name(f".{path.name}.{os.getpid()}.part")
        types = {"probability": pyarrow.float64()}
        self._schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in FIELDS])
        self._file = parquet.ParquetWriter(self._part, self._schema)
        self._rows: list[dict[str, Any]] = []

    def write(self, record: Mapping[str, Any]) -> None:
        row = {name: record.get(name) for name in FIELDS}
        for name in ("id", "answer"):
            row[name] = None if row[name] is None else str(row[name])
        self._rows.append(row)
        if len(self._rows) >= self.GROUP:
            self._flush()

    def _flush(self) -> None:
        self._file.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []

    def close(self, *, whole: bool) -> None:
        self._flush()
        self._file.close()
        if whole:
            os.replace(self._part, self._path)
        else:
            self._part.unlink()


# Going on -------------------------------------------------------------------------------------------------


def records_done(path: str) -> int:
    """How many whole records an output has; a record that a break cut off is cut away.

    >>> records_done("no-such-file.jsonl")
    0
    """
    file = Path(path)
    if path == PIPE or _suffix(path) == ".parquet":
        raise ValueError(f"{path}: can't be resumed; write .jsonl or .csv to resume")
    if not file.exists():
        return 0
    quoting = _suffix(path) == ".csv"
    with open(file, "rb+") as stream:
        done = end = position = quotes = 0
        while line := stream.readline():
            position += len(line)
            quotes += line.count(b'"') if quoting else 0
            if line.endswith(b"\n") and quotes % 2 == 0:
                done, end = done + 1, position
        stream.truncate(end)
    return max(0, done - 1) if quoting else done


def skip(entries: Iterator[Entry], count: int) -> Iterator[Entry]:
    """The entries after the first ``count``; raises where there are fewer."""
    skipped = sum(1 for _ in islice(entries, count))
    if skipped < count:
        raise ValueError(
            f"the output has {count:,} records and the input only {skipped:,}: they don't belong together"
        )
    return entries

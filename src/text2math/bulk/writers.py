"""Records into files of any size: JSON Lines, CSV, Parquet; and resuming an incomplete file."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol
from uuid import uuid4

from text2math.bulk.arrow import arrow_schema, column_of
from text2math.bulk.names import PIPE, compression, kind_of
from text2math.bulk.readers import open_bytes, pyarrow_for, reading, zstandard
from text2math.bulk.records import FIELDS

ROW_GROUP = 4096
_ALWAYS = ("kind", "expression", "equation", "answer", "answer_float", "probability")


class Writer(Protocol):
    """Takes records; when it is closed, it is told whether all were written."""

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one record."""

    def close(self, *, whole: bool) -> None:
        """No more records follow: all are written, or the run was interrupted."""


def open_writer(path: str, columns: Mapping[str, Any], *, resume: bool = False) -> Writer:
    """A writer of the file's kind; one that resumes adds to what is there.

    ``columns`` are those that come before our fields, with their Arrow types (None: text).
    """
    match kind_of(path):
        case "parquet":
            return _ParquetWriter(Path(path), columns, resume=resume)
        case "csv":
            return _CsvWriter(path, tuple(columns), resume=resume)
        case "text":
            raise ValueError(
                f"{path}: answers can't be written as plain text; write .jsonl, .csv or .parquet"
            )
        case "json":
            return _JsonWriter(path, resume=resume)


@contextmanager
def _named_errors(path: Path | str) -> Iterator[None]:
    """The error for a full disk names the file."""
    try:
        yield
    except OSError as error:
        if error.filename is None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise


# JSON Lines and CSV ---------------------------------------------------------------------------------------


def to_json_line(record: Mapping[str, Any]) -> bytes:
    """A record as a line, without the fields that do not apply to it."""
    kept = {
        name: value
        for name, value in record.items()
        if name not in FIELDS or value not in (None, []) or (name in _ALWAYS and not record.get("error"))
    }
    try:
        return _dumped(kept)
    except (ValueError, RecursionError):
        return _dumped({name: _writable(value) for name, value in kept.items()})


def _dumped(record: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False, default=str).encode() + b"\n"
    except UnicodeEncodeError:
        # Half of a surrogate pair, from an escape in the input, can only go out as one.
        return json.dumps(record, allow_nan=False, default=str).encode() + b"\n"


def _writable(value: Any) -> Any:
    """Values that JSON can't represent become null: infinite floats, nesting that is too deep."""
    try:
        json.dumps(value, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        if isinstance(value, list):
            return [_writable(each) if not isinstance(each, list | dict) else None for each in value]
        return None
    return value


class _Stream:
    """The bytes of an output file, compressed as its name says."""

    def __init__(self, path: str, *, resume: bool) -> None:
        self.path = path
        self._stack = ExitStack()
        if path == PIPE:
            self._out: Any = sys.stdout.buffer
            return
        raw: IO[bytes] = open(path, "ab" if resume else "wb")  # noqa: SIM115 (close ends it)
        self._stack.callback(raw.close)
        match compression(path):
            case ".gz":
                self._out = self._stack.enter_context(gzip.GzipFile(fileobj=raw, mode="wb", mtime=0))
            case ".zst":
                packed = zstandard(path).ZstdCompressor().stream_writer(raw, closefd=False)
                self._out = self._stack.enter_context(packed)
            case _:
                self._out = raw

    def write(self, content: bytes) -> None:
        """Add bytes; a pipe is not buffered."""
        with _named_errors(self.path):
            self._out.write(content)
            if self.path == PIPE:
                self._out.flush()

    def close(self) -> None:
        """Write out what is left."""
        with _named_errors(self.path):
            self._stack.close()


class _JsonWriter:
    def __init__(self, path: str, *, resume: bool) -> None:
        self._stream = _Stream(path, resume=resume)

    def write(self, record: Mapping[str, Any]) -> None:
        self._stream.write(to_json_line(record))

    def close(self, *, whole: bool) -> None:
        self._stream.close()


class _CsvWriter:
    def __init__(self, path: str, columns: Sequence[str], *, resume: bool) -> None:
        begun = resume and _has_content(path)
        self._stream = _Stream(path, resume=resume)
        self._columns = (*columns, *FIELDS)
        self._rows = csv.writer(_Encoded(self._stream), lineterminator="\n")
        if not begun:
            self._rows.writerow(self._columns)

    def write(self, record: Mapping[str, Any]) -> None:
        self._rows.writerow([csv_cell(record.get(name)) for name in self._columns])

    def close(self, *, whole: bool) -> None:
        self._stream.close()


def _has_content(path: str) -> bool:
    if not Path(path).exists():
        return False
    with open_bytes(path) as (stream, _):
        return bool(stream.read(1))


class _Encoded:
    """What csv writes to: text, as UTF-8."""

    def __init__(self, stream: _Stream) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        self._stream.write(text.encode("utf-8", "backslashreplace"))


# A spreadsheet runs text that begins like this as a formula; negative numbers are harmless.
_FORMULA = re.compile(r"[=+@\t\r]|-(?![0-9.]+$)")


def csv_cell(value: Any) -> Any:
    """A value as a cell, with a mark before text that a spreadsheet would run as a formula.

    >>> csv_cell("=cmd|'/c calc'!A0"), csv_cell("-3"), csv_cell([])
    ("'=cmd|'/c calc'!A0", '-3', '')
    """
    if value is None or value == []:
        return ""
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, default=str)
    text = value if isinstance(value, str) else str(value)
    return f"'{text}" if _FORMULA.match(text) else text


# Parquet --------------------------------------------------------------------------------------------------


class TableWriter:
    """Records into row groups of one Parquet file, which gets its name only when it is complete."""

    def __init__(self, path: Path, columns: Mapping[str, Any]) -> None:
        pyarrow = pyarrow_for(str(path))
        self.path, self._part = path, path.with_name(f".{path.name}.{uuid4().hex}.part")
        self._schema = arrow_schema(columns)
        self._records: list[Mapping[str, Any]] = []
        with _named_errors(path):
            self._file = pyarrow.parquet.ParquetWriter(self._part, self._schema)

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one record."""
        self._records.append(record)
        if len(self._records) >= ROW_GROUP:
            self._flush()

    def add(self, table: Any) -> None:
        """Add a table of the same schema."""
        with _named_errors(self.path):
            self._file.write_table(table)

    def _flush(self) -> None:
        with _named_errors(self.path):
            self._file.write_batch(_batch(self._records, self._schema, self.path))
        self._records = []

    def close(self, *, whole: bool) -> None:
        """Give the file its name, or remove what was written."""
        try:
            with _named_errors(self.path):
                if whole and self._records:
                    self._flush()
                self._file.close()
                if whole:
                    os.replace(self._part, self.path)
        finally:
            self._part.unlink(missing_ok=True)


def _batch(records: Sequence[Mapping[str, Any]], schema: Any, path: Path) -> Any:
    pyarrow = pyarrow_for(str(path))
    arrays = []
    for field in schema:
        try:
            arrays.append(column_of([record.get(field.name) for record in records], field.type))
        except pyarrow.ArrowException as error:
            raise ValueError(f'{path}: column "{field.name}": {error}; keep it as .jsonl') from error
    return pyarrow.record_batch(arrays, schema=schema)


class _ParquetWriter:
    """Small whole files in a folder beside it, which become the one file at the end.

    A Parquet file can't be added to, and is unreadable without its end, so an interrupted run leaves these
    complete files.
    """

    def __init__(self, path: Path, columns: Mapping[str, Any], *, resume: bool) -> None:
        pyarrow_for(str(path))
        self._path, self._columns, self._folder = path, columns, _parts_folder(path)
        if not resume:
            path.unlink(missing_ok=True)
            shutil.rmtree(self._folder, ignore_errors=True)
        self._writer: TableWriter | None = None
        self._count = 0

    def write(self, record: Mapping[str, Any]) -> None:
        with self._blamed():
            if self._writer is None:
                self._writer = TableWriter(self._next_part(), self._columns)
            self._writer.write(record)
        self._count += 1
        if self._count >= ROW_GROUP:
            self._end_part()

    def _next_part(self) -> Path:
        if self._path.exists():  # an earlier run was complete, and the input has grown since
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir()
            os.replace(self._path, self._folder / _part_name(0))
        self._folder.mkdir(exist_ok=True)
        return self._folder / _part_name(len(_parts(self._path)))

    def _end_part(self) -> None:
        writer, self._writer, self._count = self._writer, None, 0
        if writer is not None:
            with self._blamed():
                writer.close(whole=True)

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Errors in a part name the file that was asked for."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(self._path)) from error

    def close(self, *, whole: bool) -> None:
        self._end_part()
        if whole and (self._folder.exists() or not self._path.exists()):
            with self._blamed():
                _join(_parts(self._path), TableWriter(self._path, self._columns))
                shutil.rmtree(self._folder, ignore_errors=True)


def _join(parts: Sequence[Path], writer: TableWriter) -> None:
    pyarrow = pyarrow_for(str(writer.path))
    whole = False
    try:
        for part in parts:
            with pyarrow.parquet.ParquetFile(part) as file:
                for group in range(file.num_row_groups):
                    writer.add(file.read_row_group(group))
        whole = True
    finally:
        writer.close(whole=whole)


def _parts_folder(path: Path) -> Path:
    return path.with_name(f"{path.name}.parts")


def _part_name(number: int) -> str:
    return f"{number:06}.parquet"


def _parts(path: Path) -> list[Path]:
    """The whole parts of a Parquet file that is being written, in order."""
    return sorted(_parts_folder(path).glob("[0-9]*.parquet"))


# Resuming -------------------------------------------------------------------------------------------------


def is_begun(path: str) -> bool:
    """Whether part of this output exists already."""
    return path != PIPE and (Path(path).exists() or _parts_folder(Path(path)).exists())


def records_done(path: str) -> int:
    """How many complete records an output has; an incomplete last record is removed.

    >>> records_done("no-such-file.jsonl")
    0
    """
    if path == PIPE:
        raise ValueError("a pipe can't be resumed; give --out FILE")
    if kind_of(path) == "parquet":
        pyarrow = pyarrow_for(path)
        parts = [Path(path)] if Path(path).exists() else _parts(Path(path))
        return sum(pyarrow.parquet.read_metadata(part).num_rows for part in parts)
    if not Path(path).exists():
        return 0
    done = _repack(path) if compression(path) else _cut(path)
    return max(0, done - 1) if kind_of(path) == "csv" else done


def _cut(path: str) -> int:
    """Truncate a file after its last complete record; how many there are."""
    with open(path, "rb+") as stream:
        sizes = [len(record) for record in _whole_records(stream, path)]
        stream.truncate(sum(sizes))
    return len(sizes)


def _repack(path: str) -> int:
    """The same for a compressed file, which is unpacked as far as it goes and packed again."""
    part = f"{path}.part{compression(path)}"
    out, count = _Stream(part, resume=False), 0
    with suppress(ValueError), reading(path), open_bytes(path) as (stream, _):
        for record in _whole_records(stream, path):
            out.write(record)
            count += 1
    out.close()
    os.replace(part, path)
    return count


def _whole_records(stream: IO[bytes], path: str) -> Iterator[bytes]:
    """Lines; in CSV a quoted cell may go on over several."""
    quoting, record = kind_of(path) == "csv", b""
    while line := stream.readline():
        record += line
        if line.endswith(b"\n") and not (quoting and record.count(b'"') % 2):
            yield record
            record = b""

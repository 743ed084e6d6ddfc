"""Sheets of problems with the answers that somebody gave: CSV, JSON Lines, or plain text.

In plain text, a line that begins with "Answer:" ends a problem:

>>> [(item.text, item.answer) for item in read_text("What is 2 + 2?\\nAnswer: 5\\n\\n3 + 3?\\nAnswer: 6")]
[('What is 2 + 2?', '5'), ('3 + 3?', '6')]
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 16 << 20  # of a sheet
_ANSWER = re.compile(r"^\s*(?:answer|ans|a)\s*[:=]\s*(?P<answer>.*)$", re.IGNORECASE)
_KINDS = {"csv": "csv", "tsv": "csv", "jsonl": "json", "ndjson": "json", "txt": "text", "md": "text"}


@dataclass(frozen=True, slots=True)
class Item:
    """A problem of a sheet, the answer that was given, and its place in the file."""

    text: str
    answer: str
    place: str


def read_sheet(path: Path, *, text_column: str = "text", answer_column: str = "answer") -> list[Item]:
    """The problems of a file, by its ending."""
    kind = _KINDS.get(path.suffix.lstrip(".").lower())
    if kind is None:
        raise ValueError(f"{path}: a sheet ends in {', '.join(f'.{ending}' for ending in _KINDS)}")
    content = path.read_bytes()
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES:,} bytes; split it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    if kind == "csv":
        items = list(_rows(text, str(path), text_column, answer_column))
    elif kind == "json":
        items = list(_lines(text, str(path), text_column, answer_column))
    else:
        items = list(read_text(text, str(path)))
    if not items:
        hint = 'give each problem a line "Answer: …"' if kind == "text" else "it is empty"
        raise ValueError(f"{path}: there is nothing to check; {hint}")
    return items


def read_text(text: str, name: str = "the text") -> Iterator[Item]:
    """The problems of plain text, each ended by a line "Answer: …"."""
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _ANSWER.match(line)
        if found is None:
            lines.append(line)
        elif problem := " ".join(" ".join(lines).split()):
            yield Item(problem, found["answer"].strip(), f"{name}, line {number}")
            lines = []


def _rows(text: str, name: str, text_column: str, answer_column: str) -> Iterator[Item]:
    sample = text.split("\n", 1)[0]
    delimiter = next((mark for mark in ("\t", ";") if mark in sample and "," not in sample), ",")
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    for column in (text_column, answer_column):
        if column not in (rows.fieldnames or ()):
            known = ", ".join(rows.fieldnames or ()) or "none"
            raise ValueError(f"{name} has no column {column!r}; there are {known} (see --text-column)")
    for number, row in enumerate(rows, 2):
        yield _item(row, f"{name}, row {number}", text_column, answer_column)


def _lines(text: str, name: str, text_column: str, answer_column: str) -> Iterator[Item]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError(f"{place} is not JSON; a sheet has one object per line") from None
        if not isinstance(row, dict) or text_column not in row or answer_column not in row:
            raise ValueError(f"{place}: needs {text_column!r} and {answer_column!r}")
        yield _item(row, place, text_column, answer_column)


def _item(row: Mapping[str, object], place: str, text_column: str, answer_column: str) -> Item:
    text, answer = row[text_column], row[answer_column]
    return Item(str(text or "").strip(), "" if answer is None else str(answer).strip(), place)

"""Names of inputs and outputs: the kind of file, its compression, and what a folder or pattern means."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

PIPE = "-"
Kind = Literal["json", "csv", "text", "parquet"]
KINDS: dict[str, Kind] = {
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".txt": "text",
    ".parquet": "parquet",
}
COMPRESSIONS = (".gz", ".zst")


def compression(path: str) -> str:
    """``.gz``, ``.zst`` or nothing.

    >>> compression("a.jsonl.gz"), compression("a.jsonl")
    ('.gz', '')
    """
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


def kind_or_none(path: str) -> Kind | None:
    """The file type that a name implies; None if we don't know it."""
    if path == PIPE:
        return "json"
    packed = compression(path)
    kind = KINDS.get(Path(path[: -len(packed)] if packed else path).suffix.lower())
    # Parquet has its own compression inside.
    return None if packed and kind == "parquet" else kind


def kind_of(path: str) -> Kind:
    """The kind of a file by its name.

    >>> kind_of("problems.csv.zst")
    'csv'
    """
    kind = kind_or_none(path)
    if kind is None:
        raise ValueError(
            f"{path}: the name should end in .jsonl, .csv, .txt (also with .gz or .zst) or .parquet, "
            "or be - for a pipe"
        )
    return kind


def is_folder(out: str) -> bool:
    """Whether an output is a folder of Parquet parts rather than one file.

    >>> is_folder("parsed/"), is_folder("parsed.jsonl"), is_folder("-")
    (True, False, False)
    """
    if out == PIPE:
        return False
    return out.endswith("/") or Path(out).is_dir() or (not Path(out).suffix and not Path(out).exists())


def expand(given: Sequence[str]) -> tuple[str, ...]:
    """The files that names, folders and patterns stand for, each once, those of a folder in order."""
    found = list(dict.fromkeys(path for name in given for path in _files(name)))
    if PIPE in found and len(found) > 1:
        raise ValueError("a pipe (-) can't be read together with files")
    return tuple(found)


def _files(name: str) -> Iterable[str]:
    if name == PIPE:
        return [name]
    path = Path(name)
    if path.is_dir():
        found = [str(file) for file in sorted(path.rglob("*")) if _wanted(file)]
        if not found:
            raise ValueError(f"{name}: the folder has no .jsonl, .csv, .txt or .parquet file")
        return found
    if glob.has_magic(name) and not path.exists():
        found = sorted(glob.glob(name, recursive=True))
        if not found:
            raise ValueError(f"{name}: no file matches this pattern")
        return [file for each in found for file in (_files(each) if Path(each).is_dir() else [each])]
    kind_of(name)
    return [name]


def _wanted(file: Path) -> bool:
    """Engines put markers such as ``_SUCCESS`` beside their parts, and hide incomplete files."""
    return file.is_file() and not file.name.startswith(("_", ".")) and kind_or_none(str(file)) is not None


def require_other_files(sources: Iterable[str], out: str) -> None:
    """An output must not be one of its inputs: it would be overwritten before it is read."""
    for source in sources:
        if PIPE not in (source, out) and Path(out).exists() and Path(source).samefile(out):
            raise ValueError(f"{out} is also the input; give the output another name")

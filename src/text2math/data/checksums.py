"""One checksum for a folder of files, so that people can tell whether they have the same data."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path


def checksum(folder: Path) -> str:
    """The SHA-256 of the relative paths and contents of all files, in the order of the paths.

    Hidden files do not count.
    """
    digest = sha256()
    for path in sorted(folder.rglob("*"), key=lambda one: one.relative_to(folder).as_posix()):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            digest.update(f"{name.as_posix()}\n".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()

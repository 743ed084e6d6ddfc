"""The files of the page, read once at the start, so that no path in a request ever reaches the disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from fastapi import Request, Response

from text2math.mathematics.grammar import Operator

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}


# The paths of files that are not under /static.
PAGES = {"index.html": "/", "docs.html": "/docs", "limits.html": "/limits"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page under its path, with a tag that changes when it does."""

    path: str
    content: bytes
    content_type: str
    tag: str

    async def serve(self, request: Request) -> Response:
        """The file, or status 304 if the browser has it already."""
        headers = {"etag": self.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers | {"content-type": self.content_type})


def _asset(path: str, content: bytes, kind: str) -> Asset:
    return Asset(path, content, TYPES[kind], f'"{sha256(content).hexdigest()[:16]}"')


def _operators() -> Asset:
    """A script with the signs and names of the operators, generated from the grammar's table."""
    table = {one.name: {"infix": one.value, "sign": one.label, "words": one.entry.words} for one in Operator}
    script = f"export const OPERATORS = {json.dumps(table, ensure_ascii=False)};\n"
    return _asset("/static/operators.js", script.encode(), "js")


def load_assets() -> tuple[Asset, ...]:
    """Every file of the page, ``index.html`` at ``/``, and the table of operators.

    >>> [asset.path for asset in load_assets() if asset.path == "/"]
    ['/']
    """
    folder = resources.files("text2math.server") / "static"
    found = []
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        kind = file.name.rpartition(".")[2]
        if kind in TYPES:
            path = PAGES.get(file.name, f"/static/{file.name}")
            found.append(_asset(path, file.read_bytes(), kind))
    return (*found, _operators())

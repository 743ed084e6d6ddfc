"""The files of the page, read once: a handful of names, so that no path from outside reaches the disk."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from fastapi import Request, Response

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page under its path, with a tag that changes when it does."""

    path: str
    content: bytes
    content_type: str
    tag: str

    async def serve(self, request: Request) -> Response:
        """The file, or word that the browser has it."""
        headers = {"etag": self.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers | {"content-type": self.content_type})


def load_assets() -> tuple[Asset, ...]:
    """Every file of the page; ``index.html`` is at ``/``.

    >>> [asset.path for asset in load_assets() if asset.path == "/"]
    ['/']
    """
    folder = resources.files("text2math.server") / "static"
    found = []
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        kind = TYPES.get(file.name.rpartition(".")[2])
        if kind:
            content = file.read_bytes()
            path = "/" if file.name == "index.html" else f"/static/{file.name}"
            found.append(Asset(path, content, kind, f'"{sha256(content).hexdigest()[:16]}"'))
    return tuple(found)

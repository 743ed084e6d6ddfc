"""What every request goes through: hosts, limits, security headers, log. Plain ASGI: nothing is buffered."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

from text2math.server.errors import RefusedError, too_busy, too_large
from text2math.server.settings import Settings

log = logging.getLogger("text2math.server")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_HOST = re.compile(r"(\[(?P<address>[^]]*)\]|(?P<name>[^]:@/]+))(:[0-9]*)?")

STREAM_PATH = "/api/parse/stream"
RETRY = ((b"retry-after", b"1"),)

# Everything the page needs comes from the server itself, and the page has no inline script or style.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in (
        ("content-security-policy", CONTENT_SECURITY_POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    )
)


class SecurityHeaders:
    """Adds the security headers to every answer, and keeps the API's answers out of caches."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *SECURITY_HEADERS]
                if not any(name.lower() == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, with_headers)


class Log:
    """One line per request: method, path, status, milliseconds; no query, no body: they hold users' texts."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def with_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, with_status)
        finally:
            spent = 1000 * (time.perf_counter() - started)
            # repr: a path may hold line breaks, and must not make lines of its own.
            path = repr(scope["path"][:100])[1:-1]
            log.info("%s %s %s %.0f ms", scope["method"][:10], path, status or "-", spent)


class Hosts:
    """Refuses requests for other host names (421), against DNS rebinding.

    Any site can point its own name at this server, but its requests then carry that name. So IP addresses and
    localhost are safe.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self.app = app
        self.allowed = {host.lower() for host in settings.hosts} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or all(map(self.allows, _values(scope, b"host"))):
            await self.app(scope, receive, send)
            return
        message = "the server does not answer to this name; start it with --allow-host NAME to allow it"
        await refuse(send, RefusedError(421, "wrong_host", message), ((b"connection", b"close"),))

    def allows(self, host: bytes) -> bool:
        """Whether a Host header names this server."""
        name = host.decode("latin-1").strip().lower()
        if "*" in self.allowed:
            return True
        found = _HOST.fullmatch(name)
        if found is None:
            return False
        plain = found["address"] or found["name"]
        return plain in self.allowed or _is_address(plain)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


class Limits:
    """Refuses bodies that are too large (413), and requests while too many are in flight (429).

    A request is in flight from when its body has arrived until its answer is ready to send, so clients that
    send or read slowly keep nobody else out. A stream is answered while it is being sent, so streams have a
    limit of their own.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.in_flight = 0
        self.streams: Counter[str] = Counter()  # by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope.setdefault("state", {})["in_flight"] = self.in_flight + self.streams.total()
        if scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        limit = self.limit(scope["path"])
        if _declared_length(scope) > limit:
            await refuse(send, too_large(limit), ((b"connection", b"close"),))
        elif scope["path"] == STREAM_PATH:
            await self._stream(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = str((scope.get("client") or ("",))[0])
        if self.streams.total() >= self.settings.streams:
            await refuse(send, too_busy(self.settings.streams, "streams"), RETRY)
            return
        if self.streams[address] >= self.settings.streams_per_address:
            limit = self.settings.streams_per_address
            await refuse(send, too_busy(limit, "streams from your address"), RETRY)
            return
        self.streams[address] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.streams[address] -= 1
            if not self.streams[address]:
                del self.streams[address]

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        slots = 0  # that this request holds: none or one

        async def receive_with_slot() -> Message:
            """The last part of the body is passed on only once the request has a slot."""
            nonlocal slots
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body", False) and not slots:
                if self.in_flight >= self.settings.in_flight:
                    raise too_busy(self.settings.in_flight, "requests")
                slots = 1
                self.in_flight += 1
            return message

        async def send_without_slot(message: Message) -> None:
            nonlocal slots
            if message["type"] == "http.response.start":
                self.in_flight -= slots
                slots = 0
            await send(message)

        try:
            await self.app(scope, receive_with_slot, send_without_slot)
        finally:
            self.in_flight -= slots

    def limit(self, path: str) -> int:
        """The maximum size of a body sent to this path, in bytes."""
        return self.settings.stream_bytes if path == STREAM_PATH else self.settings.body_bytes


def _declared_length(scope: Scope) -> int:
    """The content-length header; 0 if there is none (the body is counted as it is read)."""
    values = _values(scope, b"content-length")
    return max((int(value) if value.isdigit() and len(value) < 20 else 10**19 for value in values), default=0)


async def refuse(send: Send, refusal: RefusedError, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    """Send an error as the whole answer."""
    body = refusal.bytes()
    start = (
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    )
    await send({"type": "http.response.start", "status": refusal.status, "headers": [*start, *headers]})
    await send({"type": "http.response.body", "body": body})


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body, or a refusal as soon as it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "disconnected", "the client disconnected before the body was complete")
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise too_large(limit)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)

"""Limits that uvicorn has no settings for: time for headers and for slow readers, connections per address.

They are added to uvicorn's own HTTP protocol. Malformed HTTP gets the same kind of JSON error as every other
refusal.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from text2math.server.errors import RefusedError
from text2math.server.middleware import SECURITY_HEADERS
from text2math.server.settings import Settings
from text2math.server.streaming import Stopping

# File descriptors for everything that is not a connection: model files, logs, the event loop.
SPARE_DESCRIPTORS = 64


class Server(uvicorn.Server):
    """uvicorn's server, which tells the application to stop before it waits for running requests."""

    def __init__(self, config: uvicorn.Config, stopping: Stopping) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def shutdown(self, sockets: Any = None) -> None:
        """Stop listening, and end what is running."""
        self._stopping.begin()
        await super().shutdown(sockets)


def bounded_protocol(settings: Settings) -> type[asyncio.Protocol]:
    """The protocol of a server's connections, with the limits of its settings."""
    open_from: Counter[str] = Counter()
    most = min(settings.connections, _most_connections())
    # If the system allows few connections, no single address may take them all.
    most_from_one = min(settings.connections_per_address, max(1, most // 2))

    class BoundedProtocol(H11Protocol):
        """One connection."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._until_headers: asyncio.TimerHandle | None = None
            self._until_read: asyncio.TimerHandle | None = None
            self._address = ""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._address = self.client[0] if self.client else ""
            open_from[self._address] += 1
            if open_from[self._address] > most_from_one or open_from.total() > most:
                self._refuse(RefusedError(429, "too_busy", "too many connections are open: close some"))
            else:
                self._watch_headers()

        def connection_lost(self, exc: Exception | None) -> None:
            open_from[self._address] -= 1
            if not open_from[self._address]:
                del open_from[self._address]
            for timer in (self._until_headers, self._until_read):
                if timer is not None:
                    timer.cancel()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch_headers()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._until_read = self.loop.call_later(settings.seconds, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._until_read is not None:
                self._until_read.cancel()

        def send_400_response(self, msg: str) -> None:
            self._refuse(RefusedError(400, "bad_request", "this is not HTTP/1.1 as RFC 9112 describes it"))

        def _watch_headers(self) -> None:
            """A client has some seconds for all headers of its next request, however slowly they arrive."""
            if self.cycle is not None and not self.cycle.response_complete:
                if self._until_headers is not None:
                    self._until_headers.cancel()
                    self._until_headers = None
            elif self._until_headers is None and not self.transport.is_closing():
                self._until_headers = self.loop.call_later(settings.header_seconds, self._headers_late)

        def _headers_late(self) -> None:
            self._until_headers = None
            seconds = f"{settings.header_seconds:g}"
            self._refuse(RefusedError(408, "out_of_time", f"no complete request within {seconds} seconds"))

        def _refuse(self, refusal: RefusedError) -> None:
            """Answer outside any request, and close the connection."""
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                body = refusal.bytes()
                headers = [
                    (b"content-type", b"application/json"),
                    (b"content-length", str(len(body)).encode()),
                    (b"cache-control", b"no-store"),
                    (b"connection", b"close"),
                    *SECURITY_HEADERS,
                ]
                reason = HTTPStatus(refusal.status).phrase.encode()
                start = h11.Response(status_code=refusal.status, headers=headers, reason=reason)
                for event in (start, h11.Data(data=body), h11.EndOfMessage()):
                    self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

    return BoundedProtocol


def _most_connections() -> int:
    """How many connections this process can have open before it runs out of file descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 1 << 20
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else max(1, soft - SPARE_DESCRIPTORS)

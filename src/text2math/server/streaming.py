"""JSON Lines in and out: lines are answered in order while later ones are still arriving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from starlette.responses import Response

from text2math.server.errors import RefusedError, out_of_time, too_large
from text2math.server.middleware import Receive, Scope, Send
from text2math.server.settings import Settings

Answer: TypeAlias = Callable[[int, bytes], Awaitable[bytes]]
# A line of the body, a refusal that ends the stream, or None at the end of the body.
Incoming: TypeAlias = asyncio.Queue[bytes | RefusedError | None]
Outgoing: TypeAlias = asyncio.Queue[Awaitable[bytes] | None]


class _ClientLeftError(Exception):
    """The client has disconnected."""


class Stopping:
    """Tells running streams that the server is about to stop.

    >>> stopping, told = Stopping(), []
    >>> with stopping.tells(lambda: told.append("stop")):
    ...     stopping.begin()
    >>> told, stopping.begun
    (['stop'], True)
    """

    def __init__(self) -> None:
        self.begun = False
        self._calls: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Accept no more work from now on; called in the event loop's thread."""
        self.begun = True
        for call in self._calls:
            call()

    @contextmanager
    def tells(self, call: Callable[[], None]) -> Iterator[None]:
        """Call back if the server begins to stop while the block runs."""
        self._calls.append(call)
        try:
            yield
        finally:
            self._calls.remove(call)


class LinesResponse(Response):
    """An answer of JSON Lines, one line out for each line in (an empty line gets none).

    The body is received as fast as it arrives, up to the stream's limit: a client that sends everything
    before it reads anything would otherwise wait for us while we wait for it. At most ``window`` lines are
    processed at a time.
    """

    def __init__(
        self, answer: Answer, settings: Settings, window: int, stopping: Stopping | None = None
    ) -> None:
        super().__init__(media_type="application/x-ndjson")
        self._answer = answer
        self._settings = settings
        self._window = window
        self._stopping = stopping or Stopping()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a refusal is the last line."""
        headers = [(b"content-type", b"application/x-ndjson")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            async with asyncio.timeout(self._settings.stream_seconds):
                await self._work(receive, send)
        except TimeoutError:
            line = _line(out_of_time(self._settings.stream_seconds))
            await send({"type": "http.response.body", "body": line, "more_body": True})
        except ExceptionGroup as errors:
            if errors.split(_ClientLeftError)[1] is not None:
                raise
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _work(self, receive: Receive, send: Send) -> None:
        incoming: Incoming = asyncio.Queue()
        outgoing: Outgoing = asyncio.Queue(self._window)
        # The refusal wakes up a stream that is waiting for its next line.
        with self._stopping.tells(lambda: incoming.put_nowait(_stopped())):
            await self._answer_lines(receive, send, incoming, outgoing)

    async def _answer_lines(
        self, receive: Receive, send: Send, incoming: Incoming, outgoing: Outgoing
    ) -> None:
        async with asyncio.TaskGroup() as tasks:
            reader = tasks.create_task(self._read(receive, incoming))
            tasks.create_task(self._start(incoming, outgoing, tasks))
            while (answer := await outgoing.get()) is not None:
                await send({"type": "http.response.body", "body": await answer, "more_body": True})
            reader.cancel()

    async def _read(self, receive: Receive, incoming: Incoming) -> None:
        """Receive the body, then watch whether the client is still connected."""
        try:
            async for line in self._lines(receive):
                incoming.put_nowait(line)
        except RefusedError as refusal:
            incoming.put_nowait(refusal)
        incoming.put_nowait(None)
        while (await receive())["type"] != "http.disconnect":
            pass
        raise _ClientLeftError

    async def _lines(self, receive: Receive) -> AsyncIterator[bytes]:
        rest, size, count, more = b"", 0, 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _ClientLeftError
            part, more = message.get("body", b""), message.get("more_body", False)
            size += len(part)
            if size > self._settings.stream_bytes:
                raise too_large(self._settings.stream_bytes, "stream")
            *lines, rest = (rest + part).split(b"\n")
            if not more:
                lines.append(rest)
            for line in lines:
                count += bool(line.strip())
                if count > self._settings.stream_items:
                    limit = f"{self._settings.stream_items:,}"
                    raise RefusedError(
                        422, "too_many_items", f"the stream has more than {limit} lines: send fewer"
                    )
                yield line
            if max(map(len, (*lines, rest))) > self._settings.body_bytes:
                raise too_large(self._settings.body_bytes, "line")

    async def _start(self, incoming: Incoming, outgoing: Outgoing, tasks: asyncio.TaskGroup) -> None:
        """Start work on lines, as many at a time as ``outgoing`` has room for."""
        number = 0
        while (line := await self._next(incoming)) is not None:
            if self._stopping.begun:
                line = _stopped()
            if isinstance(line, RefusedError):
                await outgoing.put(_finished(_line(line)))
                break
            number += 1
            if line.strip():
                await outgoing.put(tasks.create_task(self._answered(number, line)))
        await outgoing.put(None)

    async def _answered(self, number: int, line: bytes) -> bytes:
        return await self._answer(number, line)

    async def _next(self, incoming: Incoming) -> bytes | RefusedError | None:
        try:
            async with asyncio.timeout(self._settings.seconds):
                return await incoming.get()
        except TimeoutError:
            return RefusedError(503, "out_of_time", f"no line came for {self._settings.seconds:g} seconds")


def _stopped() -> RefusedError:
    return RefusedError(503, "stopping", "the server is stopping: send the lines without an answer again")


def _line(refusal: RefusedError) -> bytes:
    return refusal.bytes() + b"\n"


def _finished(line: bytes) -> Awaitable[bytes]:
    done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    done.set_result(line)
    return done

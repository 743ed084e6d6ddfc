"""Bodies that no honest client sends, the same for the same seed, and what an application answers to them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

LONG = 1024 * 1024
WORDS = tuple("3 two apples has 1e400 1/0 -7 50% $4.50 dozen half times 3/4 ? is =".split())
SIGNS = (
    "\0",
    "\u202e",
    "\u2066",
    "مرحبا ٣ تفاحات",
    "👩‍👩‍👧‍👦",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{7*7}}",
    "${7*7}",
    "{% raw %}",
    "'; DROP TABLE x; --",
    "\\u0000",
    "\r\n\r\nHTTP/1.1 200",
    "\x1b[31m",
    "é" * 30,
    "ﷺ",
    "\ufeff",
    "½ ⅔",
    "9" * 400,
)
Maker = Callable[[random.Random], bytes]


def _text(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS + SIGNS) for _ in range(chance.randrange(12)))


def _object(chance: random.Random) -> bytes:
    body: dict[str, object] = {"text": _text(chance)}
    if chance.random() < 0.3:
        body[chance.choice(("top", "use", "ignore", "min_probability", "model", "<b>"))] = chance.choice(
            (0, -1, 3, 10**30, 0.5, None, "small", [], [0], [0, 0, 99], {"a": 1}, "x" * 300, True)
        )
    return json.dumps(body, ensure_ascii=chance.random() < 0.5).encode()


def _list(chance: random.Random) -> bytes:
    return json.dumps({"text": [_text(chance) for _ in range(chance.randrange(4))]}).encode()


def _broken_utf8(chance: random.Random) -> bytes:
    body = bytearray(_object(chance))
    body[chance.randrange(len(body))] = chance.randrange(128, 256)
    return bytes(body)


def _cut(chance: random.Random) -> bytes:
    body = _object(chance)
    return body[: chance.randrange(len(body))]


def _deep(chance: random.Random) -> bytes:
    return chance.choice((b"[", b'{"text":', b'{"text":[', b'{"a":{"b":[')) * chance.randrange(1, 20_000)


def _huge_number(chance: random.Random) -> bytes:
    digits = "9" * chance.randrange(1, 10_000)
    number = chance.choice((digits, f"-{digits}", f"1e{digits[:9]}", f"0.{digits}", "NaN", "-Infinity"))
    return f'{{"text": "3 and 4", "{chance.choice(("top", "min_probability", "text"))}": {number}}}'.encode()


def _surrogate(chance: random.Random) -> bytes:
    return b'{"text": "%s 3 and 4"}' % chance.choice(
        (b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"\xed\xa0\x80")
    )


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(200))


def _one_word(chance: random.Random) -> bytes:
    return json.dumps({"text": chance.choice("a9.,-/\u0300😀") * chance.randrange(4000)}).encode()


def _megabyte(chance: random.Random) -> bytes:
    return json.dumps({"text": chance.choice(("a", "3 apples ", "\n")) * (LONG // 2)}).encode()[:LONG]


# How often each comes, among 1000.
MAKERS: tuple[tuple[Maker, int], ...] = (
    (_object, 350),
    (_list, 50),
    (_broken_utf8, 100),
    (_cut, 100),
    (_deep, 100),
    (_huge_number, 100),
    (_surrogate, 50),
    (_noise, 100),
    (_one_word, 45),
    (_megabyte, 5),
)


def bodies(count: int, seed: int = 0) -> Iterator[bytes]:
    """So many bodies."""
    chance = random.Random(seed)
    makers, weights = zip(*MAKERS, strict=True)
    for _ in range(count):
        yield chance.choices(makers, weights)[0](chance)


async def call(app: Any, path: str, body: bytes) -> tuple[int, bytes]:
    """One request, without a network or a client library in between."""
    status, parts = 0, []

    async def messages() -> AsyncIterator[dict[str, Any]]:
        half = len(body) // 2
        yield {"type": "http.request", "body": body[:half], "more_body": True}
        yield {"type": "http.request", "body": body[half:], "more_body": False}
        await asyncio.sleep(3600)

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    headers = [(b"content-type", b"application/json"), (b"host", b"localhost")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    await app(scope, messages().__anext__, send)
    return status, b"".join(parts)


def check(path: str, status: int, answer: bytes) -> None:
    if path == "/api/parse/stream":
        assert status in (200, 413)
        for line in answer.splitlines():
            assert isinstance(json.loads(line), dict)
        return
    assert status in (200, 413, 422)
    if status != 200:
        error = json.loads(answer)["error"]
        assert error["status"] == status
        assert error["message"]
        assert len(answer) < 4000
    elif path == "/api/render":
        assert answer.startswith(b"<svg ")
    else:
        json.loads(answer)

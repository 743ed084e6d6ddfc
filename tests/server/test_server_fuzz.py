"""Hostile input: every body gets a proper answer, and memory stays flat."""

from __future__ import annotations

import asyncio
import gc
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeParser
from hostile import bodies, call, check

pytest.importorskip("fastapi", reason="the extra [server] is not installed")

from text2math.parser import load
from text2math.server.app import create_app
from text2math.server.settings import Settings

ENDPOINTS = ("/api/parse", "/api/parse", "/api/parse", "/api/render", "/api/parse/stream")
MOST_GROWTH = 48  # MiB, after the first fifth: what allocators keep


class QuietParser(FakeParser):
    """The fake, without its memory of every text."""

    def parse(self, text: str, **options: Any) -> Any:
        self.texts.clear()
        return super().parse(text, **options)


def memory() -> float:
    """The process's memory in MiB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bombard(app: Any, count: int) -> tuple[Counter[int], list[float]]:
    """Send so many bodies; how often each status came, and the memory at each fifth."""
    seen: Counter[int] = Counter()
    sizes: list[float] = []

    async def main() -> None:
        for at, body in enumerate(bodies(count)):
            path = ENDPOINTS[at % len(ENDPOINTS)]
            status, answer = await call(app, path, body)
            check(path, status, answer)
            seen[status] += 1
            if (at + 1) % (count // 5) == 0:
                sizes.append(memory())

    asyncio.run(main())
    return seen, sizes


def test_hostile_bodies_get_proper_answers() -> None:
    seen, _ = bombard(create_app(Settings(threads=1), {"fake": FakeParser}), 500)
    assert seen[200] > 100
    assert seen[422] > 100


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("model", ["fake", "small"])
def test_a_hundred_thousand_hostile_bodies_leave_memory_flat(model: str) -> None:
    count = int(os.environ.get("TEXT2MATH_HOSTILE_BODIES", {"fake": 100_000, "small": 10_000}[model]))
    parser = QuietParser() if model == "fake" else load("small")
    parser.parse("Tom has 3 pens and 4 books. How many things has he?")  # compiles before the clock runs
    _, sizes = bombard(create_app(Settings(), {model: lambda: parser}), count)
    print(f"{count} bodies; MiB at each fifth:", *(round(size) for size in sizes))
    assert max(sizes) - sizes[0] < MOST_GROWTH, sizes

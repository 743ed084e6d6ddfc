"""The settings of a server.

>>> Settings(words=50).words
50
>>> Settings(threads=0)
Traceback (most recent call last):
...
ValueError: threads must be at least 1, not 0
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields

# On average. English has about six, so a text that exceeds this is not prose and need not be tokenised.
CHARACTERS_PER_WORD = 20


def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The limits of a server, and how it runs. A request that exceeds a limit is refused, never truncated."""

    body_bytes: int = 256 * 1024  # of one request (413)
    words: int = 150  # of one text, punctuation counted (422)
    items: int = 100  # texts of one request (422)
    seconds: float = 10  # for one request, and for each line of a stream (503)
    in_flight: int = 32  # requests being answered at the same time (429)
    stream_bytes: int = 16 * 1024 * 1024  # of one stream (413)
    stream_items: int = 10_000  # lines of one stream (422)
    stream_seconds: float = 900  # for a whole stream (503)
    streams: int = 8  # being answered at the same time; they don't count among the requests (429)
    streams_per_address: int = 4  # the same from one address; a proxy is one address (429)
    connections: int = 1000  # open at the same time, fewer where the system allows fewer (429)
    connections_per_address: int = 256  # the same from one address; a proxy is one address (429)
    header_seconds: float = 10  # for the headers of a request (408)
    threads: int = field(default_factory=_cores)  # threads that parse
    # Host names that the server answers to, besides localhost and IP addresses; "*" for any (421).
    hosts: tuple[str, ...] = ()
    cors: tuple[str, ...] = ()  # origins whose pages may call the API
    log_texts: bool = False  # whether users' texts may appear in the log

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and not isinstance(value, bool) and value < 1:
                raise ValueError(f"{one.name} must be at least 1, not {value}")

    @property
    def characters(self) -> int:
        """The maximum length of a text."""
        return self.words * CHARACTERS_PER_WORD

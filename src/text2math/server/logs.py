"""The log of a server: a flood of warnings must not fill the disk.

>>> limit = RepeatLimit(most=1, seconds=60)
>>> refused = {"name": "uvicorn.error", "levelno": logging.WARNING, "msg": "Invalid HTTP request"}
>>> [limit.filter(logging.makeLogRecord(refused)) for _ in range(3)]
[True, False, False]
"""

from __future__ import annotations

import logging
import time
from collections import Counter


class RepeatLimit(logging.Filter):
    """Lets at most so many warnings or errors of a kind through in a window of time; the last one says so."""

    def __init__(self, most: int = 10, seconds: float = 10.0) -> None:
        super().__init__()
        self._most = most
        self._seconds = seconds
        self._window = 0.0
        self._seen: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.levelno < logging.WARNING:
            return True
        now = time.monotonic()
        if now > self._window + self._seconds:
            self._window, self._seen = now, Counter()
        kind = record.name, str(record.msg).partition("\n")[0]
        self._seen[kind] += 1
        if self._seen[kind] == self._most:
            # A new record: other handlers may show the old one.
            record.msg = f"{kind[1]} (more of these are left out for {self._seconds:g} seconds)"
            record.exc_info = record.exc_text = None
        return self._seen[kind] <= self._most

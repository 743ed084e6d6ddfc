"""One thread that stops whatever runs for too long: a thread for each run would cost more than some runs.

>>> class Run:
...     terminate = False
>>> with watched(Run(), 10.0) as run:
...     pass  # if it took more than ten seconds, ``run.terminate`` would be set
>>> run.terminate
False
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

PERIOD = 0.25  # seconds between two looks at what is running


class Stoppable(Protocol):
    """A run that ends soon after ``terminate`` was set, such as onnxruntime's ``RunOptions``."""

    terminate: bool


R = TypeVar("R", bound=Stoppable)


class _Watchdog:
    """What is running, each with the time at which it is stopped, and the thread that looks at them."""

    def __init__(self) -> None:
        self.deadlines: dict[int, tuple[float, Stoppable]] = {}
        self._busy = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """See to it that the thread is there and awake; called with a deadline in the table."""
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._watch, name="text2math watchdog", daemon=True
                    )
                    self._thread.start()
        if not self._busy.is_set():
            self._busy.set()

    def _watch(self) -> None:
        while True:
            time.sleep(PERIOD)
            now = time.monotonic()
            for deadline, run in tuple(self.deadlines.values()):
                if deadline <= now:
                    run.terminate = True
            if not self.deadlines:
                self._busy.clear()
                # One that began before this line is seen here; one that begins after it wakes us.
                if not self.deadlines:
                    self._busy.wait()


_watchdog = _Watchdog()


def _start_anew() -> None:
    """The child of a fork has a copy of the table, but not the thread."""
    global _watchdog
    _watchdog = _Watchdog()


if hasattr(os, "register_at_fork"):  # where there is no fork, there is none to look out for
    os.register_at_fork(after_in_child=_start_anew)


@contextmanager
def watched(run: R, seconds: float) -> Iterator[R]:
    """Set ``run.terminate`` if the block takes longer than this."""
    watchdog = _watchdog
    watchdog.deadlines[id(run)] = time.monotonic() + seconds, run
    watchdog.wake()
    try:
        yield run
    finally:
        del watchdog.deadlines[id(run)]

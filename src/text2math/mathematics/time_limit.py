"""A limit on the time that a piece of pure Python may take."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


class TimeLimitError(Exception):
    """The work took too long."""


class _Stop(BaseException):
    """Raised inside the work; not an Exception, so that the work does not catch it."""


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """The result of the work, or ``TimeLimitError`` once the time is up; what the work raises is raised.

    It runs in a thread of its own, so the caller goes on at once when the time is up, in any thread; the
    work itself is stopped at its next instruction.

    >>> within(10, lambda: 6 * 7)
    42
    """
    results: list[Result] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except _Stop:
            pass
        except Exception as error:  # handed on to the caller
            errors.append(error)

    thread = Thread(target=run, name="text2math time limit", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive() and thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_Stop))
        raise TimeLimitError(f"not done after {seconds} seconds")
    if errors:
        raise errors[0]
    return results[0]

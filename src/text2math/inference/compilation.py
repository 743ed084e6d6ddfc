"""Compiling kernels in a second process, so that the first text ever parsed waits half as long.

Compiled code is cached on disk, so this process only loads what the other one compiled.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE = 60  # seconds to wait before this process compiles by itself
_compiler: subprocess.Popen[bytes] | None = None
_started: set[str] = set()  # the kernels that were asked for


def start(kernel: Any, command: str) -> None:
    """Run Python code that compiles a kernel in another process, once, unless it is compiled already."""
    global _compiler
    if kernel.__qualname__ in _started:
        return
    _started.add(kernel.__qualname__)
    # Without a cache on disk, another process can't pass on what it compiled.
    if _runs_python() and kernel.stats.cache_path is not None and not _was_compiled(kernel):
        _compiler = subprocess.Popen(
            [sys.executable, "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def wait() -> None:
    """Wait for the other process, if there is one."""
    if _compiler is not None and _compiler.poll() is None:
        try:
            _compiler.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            _compiler.kill()


def _runs_python() -> bool:
    """Whether ``sys.executable`` is a Python interpreter; a frozen application would start itself again."""
    return Path(sys.executable or "").name.startswith("python") and not getattr(sys, "frozen", False)


def _was_compiled(kernel: Any) -> bool:
    name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__qualname__}-*.nbi"
    return any(Path(kernel.stats.cache_path).glob(name))

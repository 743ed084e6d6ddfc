"""The very first text has to wait for compilation, so half of it is done in a second process.

Compiled code is kept on disk, so what the other process compiled is only loaded here.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENCE = 60  # seconds; after that, this process compiles it
_other: subprocess.Popen[bytes] | None = None
_asked = False


def start(kernel: Any, command: str) -> None:
    """Run Python code that compiles a kernel in another process, once, unless it is compiled already."""
    global _other, _asked
    if _asked:
        return
    _asked = True
    # Without a cache on disk, another process can't pass on what it compiled.
    if _runs_python() and kernel.stats.cache_path is not None and not _was_compiled(kernel):
        _other = subprocess.Popen(
            [sys.executable, "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def wait() -> None:
    """Wait for the other process, if there is one."""
    if _other is not None and _other.poll() is None:
        try:
            _other.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            _other.kill()


def _runs_python() -> bool:
    """Whether what runs us can run another command: a program with Python inside would start itself again."""
    return Path(sys.executable or "").name.startswith("python") and not getattr(sys, "frozen", False)


def _was_compiled(kernel: Any) -> bool:
    name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__qualname__}-*.nbi"
    return any(Path(kernel.stats.cache_path).glob(name))

"""Whether the compiled chart is ready: numba compiles it once and keeps it on the disk."""

from __future__ import annotations

from pathlib import Path

from text2math import chart


def is_compiled() -> bool:
    """Whether an earlier run has left the compiled chart where numba will find it.

    >>> is_compiled() in (True, False)
    True
    """
    kernel = chart.inside
    if kernel.signatures:
        return True
    source = Path(chart.__file__).stat().st_mtime
    kept = Path(kernel.stats.cache_path).glob(f"chart.{kernel.py_func.__name__}-*.nbi")
    return any(index.stat().st_mtime >= source for index in kept)

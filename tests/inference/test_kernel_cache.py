"""Compiled code where nothing can be kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from numba import njit

from text2math.inference import compilation, kernel_cache


@pytest.fixture
def _no_directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Neither numba's directories nor a temporary one can be written."""

    def no_locator(function: Any) -> NoReturn:
        raise RuntimeError("cannot cache function: no locator available")

    def no_room(**_: Any) -> NoReturn:
        raise OSError("read-only file system")

    monkeypatch.setattr(kernel_cache, "KernelCache", no_locator)
    monkeypatch.setattr(kernel_cache.tempfile, "mkdtemp", no_room)
    kernel_cache._use_temporary_directory.cache_clear()
    yield
    kernel_cache._use_temporary_directory.cache_clear()


@pytest.mark.usefixtures("_no_directory")
def test_kernels_stay_in_memory_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = kernel_cache.keep_compiled(njit(lambda x: 2 * x))
    assert twice(21) == 42
    assert twice.stats.cache_path is None
    monkeypatch.setattr(compilation, "_started", False)
    monkeypatch.setattr(compilation, "_compiler", None)  # an earlier test may have started one
    compilation.start(twice, "raise SystemExit(1)")
    assert compilation._compiler is None


@pytest.mark.usefixtures("_no_directory")
def test_one_line_says_how_to_keep_what_stays_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        kernel_cache.keep_compiled(njit(lambda x: 2 * x))
    (line,) = caplog.messages
    assert "set NUMBA_CACHE_DIR to one that can be" in line


def test_kernels_compiled_before_are_taken_from_a_directory_that_is_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chart").mkdir()
    (tmp_path / "chart" / "kernel.nbi").write_bytes(b"compiled")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel_cache._config, "CACHE_DIR", str(tmp_path))
    assert kernel_cache._use_temporary_directory.__wrapped__()
    copy = Path(os.environ["NUMBA_CACHE_DIR"])
    assert copy != tmp_path
    assert (copy / "chart" / "kernel.nbi").read_bytes() == b"compiled"

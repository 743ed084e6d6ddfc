"""Compiled code: what is kept of it, and where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
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
    monkeypatch.setattr(compilation, "_started", set())
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


KERNELS = """
from numba import njit
from text2math.inference.kernel_cache import keep_compiled

@keep_compiled
@njit
def twice(x):
    return 2 * x

@keep_compiled
@njit
def one_more(x):
    return twice(x) + 1

def ask(function):
    found = function(20)
    return found, sum(function.stats.cache_hits.values())
"""


def run_kernels(folder: Path, code: str) -> str:
    """What Python code prints that uses the kernels, in a process of its own with its cache in the folder."""
    (folder / "kernels.py").write_text(KERNELS, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", f"from kernels import ask, one_more, twice; {code}"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def test_a_kernel_from_a_file_is_not_compiled_again_and_links_into_one_that_is(tmp_path: Path) -> None:
    assert run_kernels(tmp_path, "print(ask(twice))") == "(40, 0)"
    assert run_kernels(tmp_path, "print(ask(twice), ask(one_more))") == "(40, 1) (41, 0)"
    assert run_kernels(tmp_path, "print(ask(one_more))") == "(41, 1)"


def test_extensions_of_numba_are_looked_for_when_a_kernel_is_compiled_not_when_it_is_loaded(
    tmp_path: Path,
) -> None:
    looked = "from numba.core import entrypoints; twice(20); print(entrypoints._already_initialized)"
    assert run_kernels(tmp_path, looked) == "True"
    assert run_kernels(tmp_path, looked) == "False"

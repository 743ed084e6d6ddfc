"""Compiling in a second process: once, only where nothing is compiled, only by Python itself."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from text2math.inference import compilation


@pytest.fixture(autouse=True)
def _nothing_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "_started", set())
    monkeypatch.setattr(compilation, "_compiler", None)


def kernel(folder: Path) -> Any:
    return SimpleNamespace(
        __module__="text2math.inference.derivations",
        __qualname__="derive",
        stats=SimpleNamespace(cache_path=str(folder)),
    )


def command(file: Path) -> str:
    return f"from pathlib import Path; Path({str(file)!r}).open('a').write('x')"


def test_what_was_never_compiled_is_compiled_once_in_another_process(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for _ in range(2):
        compilation.start(kernel(tmp_path), command(trace))
    compilation.wait()
    assert trace.read_text() == "x"


def test_what_was_compiled_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "derivations.derive-304.py311.nbi").touch()
    compilation.start(kernel(tmp_path), command(tmp_path / "trace"))
    compilation.wait()
    assert not (tmp_path / "trace").exists()


def test_a_program_with_python_inside_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my-app"))
    compilation.start(kernel(tmp_path), command(tmp_path / "trace"))
    compilation.wait()
    assert not (tmp_path / "trace").exists()


def test_a_process_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "PATIENCE", 0.1)
    compilation.start(kernel(tmp_path), "import time; time.sleep(60)")
    compilation.wait()
    assert compilation._compiler is not None
    assert compilation._compiler.wait(5) != 0


def test_kernels_compile_without_a_chart_that_holds_anything() -> None:
    from text2math.inference import crf

    crf.compile_listing(None)
    crf.compile_tracing(None)

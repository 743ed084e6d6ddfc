"""What every test may ask for."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# A shell starts background jobs with interrupts ignored, and programs inherit that: the tests that interrupt
# one would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no reason to fail: how fast things are is for the benchmarks to say.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; a test that asks for it is skipped where there is none."""
    given = os.environ.get("TEXT2MATH_DATA")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}: set TEXT2MATH_DATA to their folder to run this test")
    return folder

"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; a test that asks for it is skipped where there is none."""
    given = os.environ.get("TEXT2MATH_DATA")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}: set TEXT2MATH_DATA to their folder to run this test")
    return folder

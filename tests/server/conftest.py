"""What the tests of the server agree on."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of the API's description where slow tests are left out, for all of them are slow.

    They are made while tests are collected, which takes seconds in each process.
    """
    leaves_out_slow = config.getoption("-m") == "not slow"
    return True if leaves_out_slow and collection_path.name == "test_server_schema.py" else None

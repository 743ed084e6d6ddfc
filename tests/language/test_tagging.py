from __future__ import annotations

import gc
from pathlib import Path

import pytest

from text2math.language.tagging import HantaTagger


def test_a_file_of_the_working_directory_is_never_taken_for_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "morphmodel_en.pgz").write_bytes(b"not what HanTa would unpickle")
    monkeypatch.chdir(tmp_path)
    assert HantaTagger().tag(["seashells"]) == [("seashell", "NN2")]


def test_the_garbage_collector_is_as_it_was_after_loading() -> None:
    assert gc.isenabled()
    HantaTagger()
    assert gc.isenabled()

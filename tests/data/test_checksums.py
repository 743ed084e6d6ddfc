"""Checksums of folders of data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.data.checksums import checksum


def test_a_checksum_tells_contents_and_names_apart_but_not_hidden_files(tmp_path: Path):
    (tmp_path / "fold0.txt").write_text("1", encoding="utf-8")
    before = checksum(tmp_path)
    (tmp_path / ".DS_Store").write_text("x", encoding="utf-8")
    assert checksum(tmp_path) == before
    (tmp_path / "fold0.txt").rename(tmp_path / "fold1.txt")
    renamed = checksum(tmp_path)
    (tmp_path / "fold1.txt").write_text("2", encoding="utf-8")
    assert len({before, renamed, checksum(tmp_path)}) == 3


def test_the_command_names_the_data_sets_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "ai2").mkdir()
    (tmp_path / "ai2" / "questions.json").write_text("[]", encoding="utf-8")
    (tmp_path / "other").mkdir()
    assert main(["data", "checksums", "--data", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ai2": checksum(tmp_path / "ai2")}

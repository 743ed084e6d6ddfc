from __future__ import annotations

from pathlib import Path

import pytest

from text2math.bulk.readers import Entry, Layout, Partition, partitions_of, read_entries, text_of


def test_text_of_keeps_the_number_of_a_line_without_id() -> None:
    assert text_of(Entry(5, {"text": "1"})).id == 5
    assert text_of(Entry(5, {"id": 0, "text": "1"})).id == 0
    assert text_of(Entry(5, "1", file="a.txt")).id == "a.txt:5"


def test_row_groups_of_a_parquet_file_are_partitions_that_make_up_the_file(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = str(tmp_path / "in.parquet")
    texts = [f"{number} + 1" for number in range(100)]
    parquet.write_table(pyarrow.table({"text": texts}), path, row_group_size=10)
    parts = partitions_of(path, rows=25)
    assert [part.groups for part in parts] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    entries = [entry for part in parts for entry in read_entries(part, Layout())]
    assert [entry.content for entry in entries] == [{"text": text} for text in texts]
    assert [entry.number for entry in entries] == list(range(1, 101))
    assert partitions_of(path) == (Partition(path),)


def test_a_paragraph_without_end_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("two words\n" * 200_000 + "\n2 + 2\n")
    first, second = read_entries(Partition(str(path)), Layout(paragraphs=True))
    assert "longer than" in first.error
    assert second.content == "2 + 2"

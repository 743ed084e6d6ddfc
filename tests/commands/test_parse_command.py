from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from text2math.bulk.files import MAX_LINE, Entry, records_done, text_of
from text2math.cli import main
from text2math.commands.parse import answer
from text2math.parser import Parser, load

LINES = [
    b'{"id": "a", "text": "2 + 2"}',
    b"not json",
    b'{"id": 7, "text": "What is 2 / 3?"}',
    b"",
    b'{"id": "x"}',
    b'"5 * 3"',
    b"[1]",
    b'{"id": null, "text": "Hello"}',
    b"\xff\xfe",
    b'{"id": "long", "text": "' + b"w " * 300 + b'"}',
    b'{"id": NaN, "text": "1 + 1"}',
    b'{"id": {"a": [1]}, "text": "\\ud800 1 + 1"}',
    b"[" * 100_000,
    b'{"id": "last", "text": "9 - 4", "more": true}',
]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load()


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_line_gives_one_line_in_order_with_the_same_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join(LINES) + b"\n")
    assert main(["parse", str(source), "--out", str(out), "--workers", "1"]) == 1
    records = read(out)
    assert [record["id"] for record in records] == [
        "a", 2, 7, 4, "x", 6, 7, 8, 9, "long", 11, {"a": [1]}, 13, "last",
    ]  # fmt: skip
    assert [records[at]["answer"] for at in (0, 2, 5, 7, 13)] == [4, "2/3", 15, None, 5]
    assert sum("error" in record for record in records) == 8
    assert "300 words" in records[9]["error"]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "14 lines" in captured.err
    assert "8 with errors" in captured.err


def test_a_record_has_expression_or_equation_answer_and_probability(parser: Parser) -> None:
    record = answer(parser, Entry(1, b'{"id": 3, "text": "x + 5 = 12"}'))
    assert record == {
        "id": 3,
        "kind": "equation",
        "expression": None,
        "equation": "X1 + 5 = 12",
        "answer": 7,
        "probability": 1.0,
    }


def test_a_fault_of_ours_is_one_line_with_an_error(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(self: Parser, text: str, **options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(Parser, "parse", stumble)
    assert answer(parser, Entry(1, b'{"text": "1 + 1"}')) == {"id": 1, "error": "unexpected KeyError: 'lost'"}


def test_an_endless_line_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"x" * (3 * MAX_LINE) + b'\n{"id": "b", "text": "1 + 1"}\n')
    assert main(["parse", str(source), "--out", str(out), "--workers", "1"]) == 1
    first, second = read(out)
    assert "longer than" in first["error"]
    assert second["answer"] == 2


def test_an_output_that_exists_is_not_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(LINES[0] + b"\n")
    out.write_text("precious\n")
    assert main(["parse", str(source), "--out", str(out)]) == 2
    assert "--resume" in capsys.readouterr().err
    assert out.read_text() == "precious\n"
    assert main(["parse", str(source), "--out", str(out), "--overwrite"]) == 0
    assert read(out)[0]["answer"] == 4


@pytest.mark.parametrize("kept", [0, 1, 30, 60, 100, 10_000])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_resuming_gives_the_file_that_an_unbroken_run_gives(tmp_path: Path, kept: int, kind: str) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / f"out.{kind}"
    source.write_bytes(b"\n".join(LINES) + b"\n")
    main(["parse", str(source), "--out", str(out), "--workers", "1"])
    whole = out.read_bytes()
    out.write_bytes(whole[:kept])
    assert main(["parse", str(source), "--out", str(out), "--workers", "1", "--resume"]) in (0, 1)
    assert out.read_bytes() == whole


def test_an_output_longer_than_the_input_is_not_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(LINES[0] + b"\n")
    out.write_text("{}\n{}\n")
    assert main(["parse", str(source), "--out", str(out), "--resume"]) == 2
    assert "don't belong together" in capsys.readouterr().err


def test_csv_goes_in_and_out(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text('id,text\n"a\nb","1 + 1"\nc,"What is ""2 * 3""?"\nd\n', encoding="utf-8")
    assert main(["parse", str(source), "--out", str(out), "--workers", "1"]) == 1
    with open(out, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == ["a\nb", "c", "d"]
    assert rows[0]["answer"] == "2"
    assert "no text" in rows[2]["error"]
    assert records_done(str(out)) == 3


def test_a_table_without_texts_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,question\n1,2 + 2\n")
    assert main(["parse", str(source), "--out", str(tmp_path / "out.csv")]) == 2
    assert 'no column "text"; the columns are: id, question' in capsys.readouterr().err


def test_parquet_goes_in_and_out(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    table = pyarrow.table({"id": [1, 2, 3], "text": ["2 + 2", None, "1 / 3"]})
    parquet.write_table(table, source)
    assert main(["parse", str(source), "--out", str(out), "--workers", "1"]) == 1
    rows = parquet.read_table(out).to_pylist()
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    assert [row["answer"] for row in rows] == ["4", None, "1/3"]
    assert not list(tmp_path.glob(".*part"))
    assert main(["parse", str(source), "--out", str(out), "--resume"]) == 2


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "in.parquet").write_bytes(b"")
    assert main(["parse", str(tmp_path / "in.parquet"), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "pip install pyarrow" in capsys.readouterr().err


def test_a_file_of_another_kind_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", str(tmp_path / "in.docx"), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "should end in .jsonl, .csv or .parquet" in capsys.readouterr().err
    assert main(["parse", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err


def test_a_pipe_answers_each_line_at_once() -> None:
    command = [sys.executable, "-m", "text2math.cli", "parse", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(b'{"id": %d, "text": "%d + 1"}\n' % (number, number))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["answer"] == number + 1
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.slow
def test_an_interrupted_run_resumes_and_loses_nothing(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    with open(source, "w") as stream:
        for number in range(3000):
            text = f"Tom has {number} pens and buys {number % 7} pens. How many pens has he?"
            stream.write(json.dumps({"id": number, "text": text}) + "\n")
    command = [
        sys.executable,
        "-m",
        "text2math.cli",
        "parse",
        str(source),
        "--out",
        str(out),
        "--workers",
        "2",
    ]
    for number in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen([*command, "--resume"], stderr=subprocess.DEVNULL)
        before = out.stat().st_size if out.exists() else 0
        while process.poll() is None and (not out.exists() or out.stat().st_size < before + 20_000):
            time.sleep(0.05)
        os.kill(process.pid, number)
        process.wait(30)
        assert process.returncode != 0
    subprocess.run([*command, "--resume"], check=True, stderr=subprocess.DEVNULL)
    assert [record["id"] for record in read(out)] == list(range(3000))


def test_text_of_keeps_the_number_of_a_line_without_id() -> None:
    assert text_of(Entry(5, {"text": "1"})).id == 5
    assert text_of(Entry(5, {"id": 0, "text": "1"})).id == 0

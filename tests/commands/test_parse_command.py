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

from text2math.bulk.partitions import answer, answer_all
from text2math.bulk.readers import MAX_LINE, Entry, Layout
from text2math.bulk.records import Settings
from text2math.bulk.writers import records_done
from text2math.cli import main
from text2math.parse import Parse
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
    entry = Entry(1, b'{"id": 3, "text": "x + 5 = 12"}')
    record = answer(parser, entry, settings=Settings("default"), layout=Layout())
    assert record == {
        "id": 3,
        "kind": "equation",
        "expression": None,
        "equation": "X1 + 5 = 12",
        "answer": 7,
        "answer_float": 7.0,
        "answer_text": "x is 7",
        "probability": 1.0,
        "unknowns": [{"name": "X1", "phrase": "x", "value": 7}],
        "alternatives": [],
        "warnings": [],
        "doubts": [],
        "reason": None,
        "error": None,
    }


def test_a_fault_of_ours_is_one_line_with_an_error(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(self: Parser, text: str, **options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(Parser, "parse", stumble)
    entry = Entry(1, b'{"text": "1 + 1"}')
    record = answer(parser, entry, settings=Settings("default"), layout=Layout())
    assert record == {"id": 1, "error": "unexpected KeyError: 'lost'"}


def test_a_fault_with_one_text_leaves_those_beside_it_alone(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Parser.parse

    def stumble(self: Parser, text: str, **options: object) -> Parse:
        if text == "3 + 3":
            raise KeyError("lost")
        return read(self, text, **options)

    def stumble_over_all(self: Parser, texts: list[str], **options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(Parser, "parse", stumble)
    monkeypatch.setattr(Parser, "parse_all", stumble_over_all)
    entries = [Entry(n, f"{n} + {n}") for n in (2, 3, 4)]
    found = answer_all(parser, entries, settings=Settings("default"), layout=Layout())
    assert [record.get("answer") for record in found] == [4, None, 8]
    assert found[1] == {"id": 3, "error": "unexpected KeyError: 'lost'"}


def test_entries_answered_together_are_answered_as_they_are_alone(parser: Parser) -> None:
    entries = [Entry(number, line) for number, line in enumerate(LINES, start=1)]
    together = answer_all(parser, entries, settings=Settings("default", top=2), layout=Layout())
    for entry, found in zip(entries, together, strict=True):
        assert found == answer(parser, entry, settings=Settings("default", top=2), layout=Layout())


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
    assert main(["parse", str(source), "--out", str(out)]) == 0
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
    assert [row["id"] for row in rows] == [1, 2, 3]
    assert [row["answer"] for row in rows] == ["4", None, "1/3"]
    assert [row["answer_float"] for row in rows] == [4.0, None, 1 / 3]
    assert not list(tmp_path.glob(".*part"))


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "in.parquet").write_bytes(b"")
    assert main(["parse", str(tmp_path / "in.parquet"), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "pip install 'text2math[parquet]'" in capsys.readouterr().err


def test_a_file_of_another_kind_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", str(tmp_path / "in.docx"), "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "should end in .jsonl, .csv, .txt" in capsys.readouterr().err
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


# Bugs that were found -------------------------------------------------------------------------------------


def run(*words: object) -> int:
    """The command with the small model, in this process."""
    return main(["parse", *map(str, words), "--workers", "1", "--model", "small"])


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_the_input_is_never_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_lines(tmp_path / "same.jsonl", {"id": "a", "text": "2 + 2"})
    (tmp_path / "link.jsonl").symlink_to(source)
    before = source.read_bytes()
    for out in (source, tmp_path / "link.jsonl"):
        assert run(source, "--out", out, "--overwrite") == 2
        assert "is also the input" in capsys.readouterr().err
    assert source.read_bytes() == before


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_no_id_ends_a_run(tmp_path: Path, kind: str) -> None:
    source = tmp_path / "in.jsonl"
    deep = "[" * 900 + "]" * 900
    ids = ["1e999", "-1e999", "[1e400]", "1" * 5000, deep, '"\\ud800"', "true", '{"a": null}', "0.5"]
    source.write_text("".join(f'{{"id": {id}, "text": "1 + 1"}}\n' for id in ids) + '{"text": "2 + 3"}\n')
    out = tmp_path / f"out.{kind}"
    assert run(source, "--out", out) == 1
    assert records_done(str(out)) == len(ids) + 1


def test_a_resumed_run_has_the_model_and_the_options_it_began_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_lines(tmp_path / "in.jsonl", {"text": "2 + 2"}, {"text": "3 + 2"})
    out = tmp_path / "out.jsonl"
    assert run(source, "--out", out) == 0
    whole = out.read_bytes()
    out.write_bytes(whole.splitlines(keepends=True)[0])
    assert main(["parse", str(source), "--out", str(out), "--resume", "--model", "default"]) == 2
    assert "model was 'small', now 'default'" in capsys.readouterr().err
    assert run(source, "--out", out, "--resume", "--top", "3") == 2
    assert "top was 1, now 3" in capsys.readouterr().err
    (tmp_path / "out.jsonl.run.json").rename(tmp_path / "aside")
    assert run(source, "--out", out, "--resume") == 2
    assert "unknown which model" in capsys.readouterr().err
    (tmp_path / "aside").rename(tmp_path / "out.jsonl.run.json")
    assert run(source, "--out", out, "--resume") == 0
    assert out.read_bytes() == whole


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("kind", ["jsonl", "csv", "jsonl.gz", "csv.zst"])
def test_a_full_disk_is_told_with_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    source = write_lines(tmp_path / "in.jsonl", {"text": "2 + 2"})
    out = tmp_path / f"out.{kind}"
    out.symlink_to("/dev/full")
    assert run(source, "--out", out, "--overwrite") == 2
    assert f"{out}: No space left on device" in capsys.readouterr().err


def test_a_full_disk_is_told_with_the_parquet_file(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", *({"text": f"{number} + 1"} for number in range(300)))
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "from text2math.cli import main; from text2math.parser import load; load('small').parse('1 + 2');"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)); sys.exit(main(sys.argv[1:]))"
    )
    words = ["parse", str(source), "--out", str(tmp_path / "out.parquet"), "--workers", "1", "-m", "small"]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert f"{tmp_path / 'out.parquet'}: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cell_that_a_spreadsheet_would_run_is_marked(tmp_path: Path) -> None:
    formulas = ["=cmd|' /C calc'!A0", "+1", "@x", "\t=1", "-2+3", "-3", "plain"]
    source = write_lines(tmp_path / "in.jsonl", *({"id": one, "text": "2 + 2", "n": one} for one in formulas))
    assert run(source, "--out", tmp_path / "out.csv", "--keep", "n") == 0
    with open(tmp_path / "out.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    marked = [f"'{one}" for one in formulas[:5]] + formulas[5:]
    assert [row["id"] for row in rows] == [row["n"] for row in rows] == marked


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_parquet_run_that_broke_off_resumes_and_loses_nothing(tmp_path: Path, number: int) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    source = write_lines(
        tmp_path / "in.jsonl",
        *(
            {"id": n, "text": f"Tom has {n} pens and buys {n % 7}. How many pens has he?"}
            for n in range(6000)
        ),
    )
    out, parts = tmp_path / "out.parquet", tmp_path / "out.parquet.parts"
    command = [sys.executable, "-m", "text2math.cli", "parse", str(source), "--out", str(out)]
    command += ["--workers", "1", "--model", "small"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(parts.glob("*.parquet")):
        time.sleep(0.02)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=30)
    assert process.returncode != 0
    assert not out.exists()
    done = records_done(str(out))
    assert 0 < done < 6000
    if number == signal.SIGINT:
        assert "--resume continues it" in said
    assert run(source, "--out", out, "--resume") == 0
    assert parquet.read_table(out)["id"].to_pylist() == [str(n) for n in range(6000)]
    assert not parts.exists()


# What it reads and writes ---------------------------------------------------------------------------------


def test_another_column_may_have_the_texts_and_others_go_along(tmp_path: Path) -> None:
    row = {"id": 1, "question": "2 + 2", "topic": {"a": 1}, "answer": "gold", "more": 0}
    source = write_lines(tmp_path / "in.jsonl", row)
    out = tmp_path / "out.jsonl"
    assert run(source, "--out", out, "--text-column", "question", "--keep", "topic", "--keep", "answer") == 0
    record = read(out)[0]
    assert (record["topic"], record["input_answer"], record["answer"]) == ({"a": 1}, "gold", 4)
    assert "more" not in record
    assert run(source, "--out", out, "--text-column", "question", "--keep-all", "--overwrite") == 0
    assert read(out)[0]["question"] == "2 + 2"
    assert read(out)[0]["more"] == 0


def test_parquet_columns_keep_their_types(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    day = pyarrow.array([18_000, None], pyarrow.date32())
    given = pyarrow.table({"id": [7, 8], "day": day, "tags": [["a"], []], "text": ["2 + 2", "no number"]})
    parquet.write_table(given, source)
    assert run(source, "--out", out, "--keep-all") == 0
    found = parquet.read_table(out)
    assert found.select(given.column_names) == given
    assert found["reason"].to_pylist() == [None, "there is no number in the text"]
    assert (
        main(["parse", str(source), "--out", str(tmp_path / "out.jsonl"), "--keep-all", "-m", "small"]) == 0
    )
    assert read(tmp_path / "out.jsonl")[0]["day"] == "2019-04-14"


def test_keep_all_of_json_lines_needs_names_for_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_lines(tmp_path / "in.jsonl", {"text": "2 + 2", "topic": "t"})
    assert run(source, "--out", tmp_path / "out.csv", "--keep-all") == 2
    assert "name them with --keep" in capsys.readouterr().err
    assert run(source, "--out", tmp_path / "out.csv", "--keep", "topic") == 0


@pytest.mark.parametrize("packed", ["gz", "zst"])
@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_compressed_files_go_in_and_out_and_resume(tmp_path: Path, packed: str, kind: str) -> None:
    source = write_lines(tmp_path / "in.jsonl", *({"id": n, "text": f"{n} + 1"} for n in range(40)))
    assert run(source, "--out", tmp_path / f"plain.{kind}") == 0
    assert run(source, "--out", tmp_path / f"there.{kind}.{packed}") == 0
    out = tmp_path / f"there.{kind}.{packed}"
    whole = out.read_bytes()
    assert records_done(str(out)) == 40
    out.write_bytes(whole[: len(whole) // 2])  # what a break leaves
    assert run(source, "--out", out, "--resume") == 0
    if kind == "jsonl":
        again = tmp_path / "again.jsonl"
        assert run(out, "--out", again, "--text-column", "expression") == 0
        assert [record["answer"] for record in read(again)] == [n + 1 for n in range(40)]
    else:
        assert records_done(str(out)) == 40


@pytest.mark.parametrize("name", ["in.jsonl.gz", "in.jsonl.zst", "in.parquet"])
def test_a_damaged_file_is_told_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name).write_bytes(b"this is not what the name says")
    assert run(tmp_path / name, "--out", tmp_path / "out.jsonl") == 2
    assert f"{name}: " in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_plain_text_has_a_problem_a_line_or_a_paragraph(tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_bytes(
        "\ufeff2 + 2\r\n\r\n\r\nTom has 3 pens.\r\n"
        "He buys 2 pens. How many pens does he have now?\r\n".encode()
    )
    assert run(source, "--out", out) == 0
    assert [record["id"] for record in read(out)] == [1, 4, 5]
    assert run(source, "--out", out, "--overwrite", "--paragraphs") == 0
    assert [(record["id"], record["answer"]) for record in read(out)] == [(1, 4), (2, 5)]


def test_folders_and_patterns_stand_for_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus" / "sub").mkdir(parents=True)
    write_lines(tmp_path / "corpus" / "b.jsonl", {"text": "1 + 1"})
    write_lines(tmp_path / "corpus" / "sub" / "c.jsonl", {"id": "own", "text": "1 + 2"})
    (tmp_path / "corpus" / "a.txt").write_text("1 + 3\n")
    (tmp_path / "corpus" / "_SUCCESS").write_text("")
    (tmp_path / "corpus" / "notes.docx").write_text("")
    out = tmp_path / "out.jsonl"
    assert run(tmp_path / "corpus", "--out", out) == 0
    assert [record["answer"] for record in read(out)] == [4, 2, 3]
    assert [record["id"] for record in read(out)] == [
        f"{tmp_path}/corpus/a.txt:1", f"{tmp_path}/corpus/b.jsonl:1", "own",
    ]  # fmt: skip
    assert run(tmp_path / "corpus" / "*.jsonl", "--out", out, "--overwrite") == 0
    assert [record["answer"] for record in read(out)] == [2]
    assert run(tmp_path / "corpus" / "*.csv", "--out", out, "--overwrite") == 2
    assert "no file matches this pattern" in capsys.readouterr().err


def test_other_readings_go_out_as_alternatives(tmp_path: Path) -> None:
    text = "Mike picked 7 apples, Nancy 3 apples and Keith 6 apples. In total, how many apples were picked?"
    source = write_lines(tmp_path / "in.jsonl", {"text": text})
    out = tmp_path / "out.jsonl"
    assert run(source, "--out", out, "--top", "3") == 0
    first, second = read(out)[0]["alternatives"]
    assert first["probability"] >= second["probability"]
    assert {"mathematics", "answer", "answer_float", "probability"} == set(first)


def test_shards_together_are_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_lines(tmp_path / "in.jsonl", *({"id": n, "text": f"{n} + 1"} for n in range(10)))
    ids = []
    for shard in range(1, 4):
        out = tmp_path / f"out-{shard}.jsonl"
        assert run(source, "--out", out, "--shard", f"{shard}/3") == 0
        ids += [record["id"] for record in read(out)]
    assert sorted(ids) == list(range(10))
    assert run(source, "--out", tmp_path / "out-1.jsonl", "--shard", "2/3", "--resume") == 2
    assert "shard was [0, 3], now [1, 3]" in capsys.readouterr().err
    for wrong in ("0/3", "4/3", "1", "a/b", "1/99999999"):
        assert run(source, "--out", tmp_path / "x.jsonl", "--shard", wrong) == 2
        assert "the third of sixteen" in capsys.readouterr().err


def test_a_row_without_an_answer_says_why(tmp_path: Path) -> None:
    texts = ["Good morning!", "X and Y add up to 12.", "What is 1 / 0?", "What is 2 + 2?"]
    source = write_lines(tmp_path / "in.jsonl", *({"text": text} for text in texts))
    assert run(source, "--out", tmp_path / "out.jsonl", "--min-probability", "0.01") == 0
    records = read(tmp_path / "out.jsonl")
    assert all(record["reason"] for record in records[:3])
    assert "reason" not in records[3]

"""Partitions on a real cluster of processes: equal results, and nothing lost when something dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from text2math.bulk import parse_dataframe
from text2math.bulk.cluster import connected, parse_on, run_on
from text2math.bulk.partitions import make_job, parse_partition, plan
from text2math.bulk.readers import Layout
from text2math.bulk.records import FIELDS, Settings, record_of
from text2math.cli import main
from text2math.parallel import WorkerError
from text2math.parser import load

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("distributed")

TEXTS = [
    "Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?",
    "Good morning!",
    "What is 1 / 3?",
    "3 times a number is 12.",
    "Lily has 12 pens and gives 5 pens to Ben. How many pens does Lily have left?",
]


def write_corpus(folder: Path, files: int, rows: int, column: str = "text") -> Path:
    folder.mkdir()
    for number in range(files):
        texts = [TEXTS[(number + row) % len(TEXTS)] for row in range(rows)]
        ids = [f"{number}-{row}" for row in range(rows)]
        parquet.write_table(pyarrow.table({"id": ids, column: texts}), folder / f"{number}.parquet")
    return folder


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of all parts by id; each id once."""
    rows = [row for part in sorted(folder.glob("*.parquet")) for row in parquet.read_table(part).to_pylist()]
    found = {row["id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with connected("local:2") as client:
        yield client


def test_a_folder_of_parts_without_a_cluster_is_the_files_parsed(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 2, 3)
    (corpus / "two.jsonl").write_text('{"id": 5, "text": "2 + 2"}\nnot json\n')
    words = ["parse", str(corpus), "--out", f"{tmp_path}/out/", "--model", "small", "--workers", "1"]
    assert main(words) == 1
    rows = rows_of(tmp_path / "out")
    assert set(rows) == {f"{file}-{row}" for file in range(2) for row in range(3)} | {"5", "2"}
    assert rows["5"]["answer"] == "4"
    assert "not JSON" in rows["2"]["error"]
    assert main(words) == 2  # nothing is replaced
    (tmp_path / "out" / "1.parquet").unlink()
    assert main([*words, "--resume"]) == 0
    assert rows_of(tmp_path / "out") == rows
    assert main([*words, "--resume", "--top", "2"]) == 2


def test_shards_fill_one_folder(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 5, 2)
    words = ["parse", str(corpus), "--out", f"{tmp_path}/out/", "--model", "small", "--workers", "1"]
    assert main([*words, "--shard", "1/2"]) == 0
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 3
    assert main([*words, "--shard", "2/2"]) == 0
    assert len(rows_of(tmp_path / "out")) == 10


def test_two_inputs_that_would_become_one_part_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.jsonl", "a.csv"):
        (tmp_path / name).write_text('{"text": "1 + 1"}\n')
    assert main(["parse", str(tmp_path), "--out", f"{tmp_path}/out/", "--model", "small"]) == 2
    assert "would both become a.parquet" in capsys.readouterr().err


def test_a_part_never_replaces_its_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = write_corpus(tmp_path / "corpus", 1, 2)
    before = (corpus / "0.parquet").read_bytes()
    assert main(["parse", str(corpus), "--out", f"{corpus}/", "--resume", "--model", "small"]) == 2
    assert "is also the input" in capsys.readouterr().err
    assert (corpus / "0.parquet").read_bytes() == before


def test_a_worker_with_another_model_refuses(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 1, 2)
    (tmp_path / "out").mkdir()
    job = make_job(Settings("small"), Layout(), str(tmp_path / "out"))
    other = type(job)(job.settings, job.layout, job.folder, "0" * 64)
    report = parse_partition(other, plan([str(corpus / "0.parquet")])[0])
    assert "another model 'small'" in report.error
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "local:0", "local:x"])
def test_a_cluster_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("text2math.bulk.cluster.SECONDS_TO_CONNECT", 1)
    corpus = write_corpus(tmp_path / "corpus", 1, 2)
    words = ["parse", str(corpus), "--out", f"{tmp_path}/out/", "--cluster", address, "--model", "small"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert f"--cluster {address}" in said
    assert "Traceback" not in said


def test_a_cluster_writes_folders_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = write_corpus(tmp_path / "corpus", 1, 2)
    assert main(["parse", str(corpus), "--out", f"{tmp_path}/out.jsonl", "--cluster", "local:1"]) == 2
    assert "--out FOLDER/" in capsys.readouterr().err


@pytest.mark.slow
def test_every_path_gives_the_same_parse(tmp_path: Path, client: Any) -> None:
    import dask.dataframe
    import pandas

    parser = load("small")
    single = {f"0-{row}": record_of(parser.parse(text, top=3)) for row, text in enumerate(TEXTS)}
    many = parser.parse_many(TEXTS * 60, workers=2, top=3)  # more than stay in this process
    for row, parse in enumerate(many):
        assert record_of(parse) == single[f"0-{row % len(TEXTS)}"]
    corpus = write_corpus(tmp_path / "corpus", 1, len(TEXTS))
    common = ["parse", str(corpus / "0.parquet"), "--model", "small", "--top", "3", "--out"]
    assert main([*common, f"{tmp_path}/file.parquet"]) == 0
    assert main([*common, f"{tmp_path}/out/", "--cluster", "local:1"]) == 0
    of_file = {row["id"]: row for row in parquet.read_table(tmp_path / "file.parquet").to_pylist()}
    assert of_file == rows_of(tmp_path / "out")
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"question": TEXTS}), npartitions=2)
    of_dask = parse_dataframe(frame, text="question", model="small", top=3).compute()
    assert list(of_dask["question"]) == TEXTS
    for row, text in enumerate(TEXTS):
        wanted, found, dasked = single[f"0-{row}"], of_file[f"0-{row}"], of_dask.iloc[row]
        for name in ("kind", "expression", "equation", "answer_float", "probability", "reason"):
            assert found[name] == wanted[name], (text, name)
            assert (None if pandas.isna(dasked[name]) else dasked[name]) == wanted[name], (text, name)
        assert [one["mathematics"] for one in found["alternatives"]] == [
            one["mathematics"] for one in wanted["alternatives"]
        ]


@pytest.mark.slow
def test_a_data_frame_has_the_meta_that_it_computes_to(client: Any) -> None:
    import dask.dataframe
    import pandas

    given = pandas.DataFrame({"question": [*TEXTS, None], "answer": 1}, index=range(10, 16))
    frame = parse_dataframe(dask.dataframe.from_pandas(given, npartitions=3), text="question", model="small")
    computed = frame.compute()
    assert list(frame._meta.dtypes.items()) == list(computed.dtypes.items())
    assert list(computed.columns) == ["question", "input_answer", *FIELDS]
    assert list(computed.index) == list(given.index)
    assert computed.loc[10, "answer"] == "10"
    assert computed.loc[15, "error"] == "there is no text"
    with pytest.raises(ValueError, match='no column "text"'):
        parse_dataframe(dask.dataframe.from_pandas(given, npartitions=1), model="small")


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_nothing_is_lost_or_duplicated(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 12, 150)
    out = tmp_path / "out"
    out.mkdir()
    job = make_job(Settings("small"), Layout(), str(out))
    with connected("local:2") as client:
        victims = list(client.run(os.getpid).values())
        reports = []
        for report in parse_on(client)(job, plan(sorted(map(str, corpus.iterdir())))):
            if not reports:
                os.kill(victims[0], signal.SIGKILL)
            reports.append(report)
    assert [report.error for report in reports] == [""] * 12
    assert len(rows_of(out)) == 12 * 150
    assert not list(out.glob(".*"))


@pytest.mark.slow
def test_a_killed_run_resumes_at_the_partitions_that_are_missing(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 12, 150)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "text2math.cli", "parse", f"{corpus}/*.parquet", "--out", f"{out}/"]
    command += ["--model", "small", "--cluster", "local:2"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list(out.glob("*.parquet"))) < 2:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    time.sleep(2)  # the workers see that their scheduler is gone
    parts = {part.name: part.stat().st_mtime_ns for part in out.glob("*.parquet")}
    assert 2 <= len(parts) < 12
    done = subprocess.run([*command, "--resume"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (
        f"{12 - len(parts)} of {12 - len(parts)} partitions (after {len(parts)} done before)" in done.stderr
    )
    assert {name: (out / name).stat().st_mtime_ns for name in parts} == parts
    assert len(rows_of(out)) == 12 * 150


@pytest.mark.slow
def test_a_damaged_file_and_one_without_the_column_do_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(tmp_path / "corpus", 3, 4)
    (corpus / "bad.parquet").write_bytes(b"PAR1 this is no Parquet file PAR1")
    parquet.write_table(pyarrow.table({"question": ["1 + 1"]}), corpus / "other.parquet")
    words = ["parse", str(corpus), "--out", f"{tmp_path}/out/", "--model", "small", "--cluster", "local:2"]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "3 of 5 partitions" in said
    assert "bad.parquet failed: " in said
    assert "other.parquet failed: " in said
    assert 'there is no column "text"; the columns are: question' in said
    assert "--resume continues it" in said
    assert len(rows_of(tmp_path / "out")) == 12
    parquet.write_table(pyarrow.table({"id": ["b"], "text": ["1 + 1"]}), corpus / "bad.parquet")
    (corpus / "other.parquet").unlink()
    assert main([*words, "--resume"]) == 0
    assert len(rows_of(tmp_path / "out")) == 13


@pytest.mark.slow
def test_calls_run_on_a_cluster_as_they_do_in_processes(client: Any) -> None:
    run = run_on(client)
    assert dict(run(json.dumps, [(number,) for number in range(20)], workers=1)) == {
        number: str(number) for number in range(20)
    }
    with pytest.raises(WorkerError, match="JSONDecodeError"):
        list(run(json.loads, [("{",)], workers=1))


@pytest.mark.slow
def test_a_cluster_gives_the_rows_that_processes_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from text2math.data import load as load_data
    from text2math.data.jsonlines import to_line

    examples = [one for one in load_data("corpus").examples if one.answer is not None][:45]
    path = tmp_path / "small.jsonl"
    path.write_text("".join(json.dumps(to_line(one, at % 3)) + "\n" for at, one in enumerate(examples)))
    words = ["cross-validate", str(path), "--steps", "5", "--json"]
    found = []
    for more in (["--workers", "1"], ["--cluster", "local:2"]):
        assert main([*words, *more]) == 0
        found.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    for row in found:  # the clock and what a machine takes are its own
        del row["date"], row["seconds"], row["processor_seconds"], row["peak_mb"]
    assert found[0] == found[1]


def test_an_encoder_is_not_trained_on_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.jsonl"
    lines = ({"id": f"{n}", "text": f"What is {n} + 3?", "expression": f"{n} + 3"} for n in range(4, 14))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["cross-validate", str(path), "--model", "encoder", "--cluster", "local:1"]) == 2
    assert "one machine" in capsys.readouterr().err

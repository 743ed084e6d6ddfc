"""``text2math check``: sheets in every format, a summary, a report, an exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from text2math.cli import main

PENS = "Ann had 12 pens and lost 4 pens. How many pens does she have left?"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sheet.csv", f'text,answer\n"{PENS}",8\n"{PENS}",16\n'),
        ("sheet.csv", f"text;answer\n{PENS};8\n{PENS};16\n"),
        ("sheet.jsonl", "\n".join(json.dumps({"text": PENS, "answer": answer}) for answer in (8, "16"))),
        ("sheet.txt", f"1. {PENS}\nAnswer: 8\n\n2. {PENS}\nAnswer: 16\n"),
    ],
)
def test_a_sheet_is_checked_in_every_format(
    name: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    sheet, report = tmp_path / name, tmp_path / "report.html"
    sheet.write_text(content, encoding="utf-8")
    assert main(["check", str(sheet), "--html", str(report)]) == 1
    out = capsys.readouterr().out
    assert "wrong: 16 should be 8 pens (you added; the text says “lost”)" in out
    assert out.endswith("1 right, 1 wrong\n")
    page = report.read_text(encoding="utf-8")
    assert "✗ wrong" in page
    assert "12 − 4 = 8 pens left" in page


def test_a_sheet_that_is_all_right_exits_with_0_and_json_has_every_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f'problem,given\n"{PENS}",eight\n', encoding="utf-8")
    columns = ["--text-column", "problem", "--answer-column", "given"]
    assert main(["check", str(sheet), "--json", *columns]) == 0
    [verdict] = json.loads(capsys.readouterr().out)["verdicts"]
    assert (verdict["agrees"], verdict["expected"]) == (True, "8 pens")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("sheet.pdf", "x", "a sheet ends in"),
        ("sheet.csv", "question,answer\n1,2\n", "has no column 'text'; there are question, answer"),
        ("sheet.txt", "no answers here\n", 'a line "Answer: …"'),
        ("sheet.jsonl", '{"text": "1 + 1"}\n', "line 1: needs 'text' and 'answer'"),
    ],
)
def test_a_sheet_that_can_not_be_read_is_refused_with_the_reason(
    name: str, content: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    sheet = tmp_path / name
    sheet.write_text(content, encoding="utf-8")
    assert main(["check", str(sheet)]) == 2
    assert why in capsys.readouterr().err

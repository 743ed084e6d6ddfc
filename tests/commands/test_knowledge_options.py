"""``--no-knowledge`` and ``--knowledge FILE``, in every command that reads texts with a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes import fact_model
from text2math import parser as parser_module
from text2math.bulk import records
from text2math.cli import COMMANDS, main
from text2math.commands.serve import _loaders
from text2math.language.knowledge import Knowledge

WEEK = "Al jogs 3 miles a day. How many miles is that in a week?"
CRATES = "How many bottles are in 3 crates?"
FACTS = {"facts": [{"fact": "a crate holds 24 bottles", "value": 24, "words": ["crate"]}]}
READERS = ("solve", "explain", "parse", "check", "evaluate")


@pytest.fixture(autouse=True)
def knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every model file holds the model that uses facts."""
    monkeypatch.setattr(parser_module.model_files, "load", lambda path: fact_model())
    records._loaded.cache_clear()


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(FACTS))
    return path


def answer(
    command: str, text: str, gold: int, folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> str | None:
    """The answer that a command finds, or the gold where it only says that it found it; or the error."""
    sheet = folder / "in.jsonl"
    line = {"id": "a", "text": text, "answer": gold, "expression": str(gold // 3) + " * 3"}
    sheet.write_text(json.dumps(line) + "\n")
    given = [text] if command in ("solve", "explain") else [str(sheet)]
    more = ["--workers", "1"] if command in ("parse", "evaluate") else []
    code = main([command, *given, *more, *options, *([] if command == "parse" else ["--json"])])
    captured = capsys.readouterr()
    if code == 2:
        return captured.err
    found = json.loads(captured.out)
    match command:
        case "solve" | "parse":
            return None if found["answer"] is None else str(found["answer"])
        case "explain":
            return str(found["reading"]["answer"])
        case "check":
            return str(gold) if found["verdicts"][0]["agrees"] else None
        case _:
            return str(gold) if found["metrics"]["accuracy"]["right"] else None


@pytest.mark.parametrize("command", READERS)
def test_without_knowledge_only_written_numbers_are_used(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(command, WEEK, 21, tmp_path, capsys) == "21"
    assert answer(command, WEEK, 21, tmp_path, capsys, "--no-knowledge") != "21"


@pytest.mark.parametrize("command", READERS)
def test_facts_of_a_file_are_used_beside_those_of_the_package(
    command: str, facts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("--knowledge", str(facts))
    assert answer(command, CRATES, 72, tmp_path, capsys) != "72"
    assert answer(command, CRATES, 72, tmp_path, capsys, *own) == "72"
    assert answer(command, WEEK, 21, tmp_path, capsys, *own) == "21"


@pytest.mark.parametrize("command", [*READERS, "serve", "mcp"])
def test_a_bad_file_of_facts_is_one_line_that_says_what_is_wrong(
    command: str, facts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts.write_text('{"facts": [{"fact": "a crate holds 24", "value": "many", "words": ["crate"]}]}')
    sheet = tmp_path / "in.jsonl"
    sheet.write_text(json.dumps({"id": "a", "text": WEEK, "answer": 21}) + "\n")
    given = [] if command in ("serve", "mcp") else [str(sheet)]
    assert main([command, *given, "--knowledge", str(facts)]) == 2
    error = capsys.readouterr().err
    assert "facts.json, fact 1: 'many' is not a number" in error
    assert error.count("\n") == 1
    assert main([command, *given, "--knowledge", str(facts), "--no-knowledge"]) == 2
    assert "contradict each other" in capsys.readouterr().err


def test_facts_for_a_model_that_uses_none_are_refused(
    facts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    assert main(["solve", WEEK, "--model", "small", "--knowledge", str(facts)]) == 2
    assert "the model small does not use facts" in capsys.readouterr().err


def test_every_command_with_a_model_to_read_texts_has_both_options() -> None:
    for name in (*READERS, "serve", "mcp"):
        options = {option for parameter in COMMANDS[name].load(name).params for option in parameter.opts}
        assert {"--model", "--knowledge", "--no-knowledge"} <= options, name


@pytest.mark.parametrize("out", ["out.jsonl", "parts/"])
def test_a_run_is_resumed_only_with_the_facts_it_began_with(
    out: str, facts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": CRATES}) + "\n")
    run = ["parse", str(source), "--out", str(tmp_path / out), "--workers", "1"]
    own = ["--knowledge", str(facts)]
    if out.endswith("/"):
        run[3] += "/"
    assert main([*run, *own]) == 0
    capsys.readouterr()
    assert main([*run, "--resume"]) == 2
    assert "knowledge was 'facts with SHA-256" in capsys.readouterr().err
    assert main([*run, "--resume", "--no-knowledge"]) == 2
    facts.write_text(json.dumps({"facts": [FACTS["facts"][0] | {"value": 12}]}))
    capsys.readouterr()
    assert main([*run, "--resume", *own]) == 2
    assert "other settings" in capsys.readouterr().err
    facts.write_text(json.dumps(FACTS))
    assert main([*run, "--resume", *own]) == 0


def test_a_server_gives_facts_to_the_models_that_use_them_and_says_which_do_not(
    facts: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own = Knowledge.read(facts)
    knowing = _loaders(["small"], own)["small"]()
    assert knowing.parse(CRATES).answer == 72
    assert not caplog.records
    assert _loaders(["small"], False)["small"]().parse(WEEK).answer is None
    monkeypatch.undo()
    plain = _loaders(["small"], own)["small"]()
    assert plain.parse("What is 2 + 3?").answer == 5
    assert "model small does not use facts" in caplog.text

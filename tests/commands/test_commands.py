from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.commands import solve as solve_module
from text2math.commands import train as train_module
from text2math.data import load as load_data
from text2math.data import mask_numbers
from text2math.data.jsonlines import to_line
from text2math.learning import recipes
from text2math.mathematics.expression import Operation
from text2math.model.cards import card_text
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.parser import DEFAULT_MODEL, load, model_names, packaged

APPLES = "Mike picked 7 apples and Nancy picked 3 apples. How many apples were picked in all?"
TWO_QUESTIONS = "Ann has 12 pens and gives away 5. How many pens has she left? How many did she give away?"
QUICK = ModelConfig(training=TrainingConfig(steps=3, threads=1), inner_steps=2, candidates=4)


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_solve_shows_answer_tree_and_other_readings(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("solve", APPLES, capsys=capsys)
    assert code == 0
    assert out.startswith("10 apples  ")
    assert "7 + 3 = 10" in out
    assert "├─" in out
    assert "Other readings:" in out
    assert "\x1b" not in out


def test_solve_takes_words_without_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "12", "*", "4", capsys=capsys)[1].startswith("48  ")


def test_solve_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("solve", APPLES, "--json", "--top", "2", capsys=capsys)
    found = json.loads(out)
    assert code == 0
    assert out.count("\n") == 1
    assert found == load().parse(APPLES, top=2).to_dict()
    assert len(found["alternatives"]) == 1


def test_solve_prints_latex_and_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run("solve", "x + 5 = 12", "--latex", "--svg", str(tmp_path / "a.svg"), capsys=capsys)
    assert out == "X_{1} + 5 = 12\n"
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    _, out, _ = run("solve", "x + 5 = 12", "--steps", capsys=capsys)
    assert out == "X1 + 5 = 12\nX1 = 7\n7 + 5 = 12  [check]\n"
    assert r"X_{1} &= 7" in run("solve", "x + 5 = 12", "--steps", "--latex", capsys=capsys)[1]


def test_solve_names_unknowns_and_gives_the_solution(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run("solve", "x + 5 = 12", capsys=capsys)
    assert out.startswith("X1 = 7  ")
    assert 'X1 is "x"' in out


def test_solve_says_why_there_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("solve", "Good morning!", capsys=capsys)
    assert (code, out, err) == (1, "no answer\nthere is no number in the text\n", "")
    assert "below 1" in run("solve", APPLES, "--min-probability", "1", capsys=capsys)[1]
    dogs = "There are 5 dogs and 3 cats. How many parrots are there?"
    code, out, _ = run("solve", dogs, "--model", "default", capsys=capsys)
    assert (code, out) == (1, "no answer\nthe question asks for parrots, which the text does not mention\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["solve", "word " * 300 + "3 4"], "302 words"),
        (["solve", "3 + 4", "--model", "nowhere"], "nowhere: no such model"),
        (["solve", "3 + 4", "--top", "0"], "--top"),
        (["solve", " "], "there is no text"),
        (["train", "--out", "x.t2m"], "name either data to train on or a --recipe"),
        (["train", "--recipe", "large", "--out", "x.t2m"], "no recipe 'large'"),
        (["train", "--recipe", "small", "--out", "x.t2m"], "--data"),
        (["evaluate", "nothing"], "no such data set"),
        (["models", "nowhere"], "no such model"),
    ],
)
def test_wrong_use_is_one_line_on_stderr_and_code_2(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEXT2MATH_DATA", raising=False)
    code, out, err = run(*words, capsys=capsys)
    assert code == 2
    assert out == ""
    assert err.startswith("text2math: ")
    assert err.count("\n") == 1
    assert why in err


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_solve_reads_a_pipe_with_and_without_a_dash(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("12,500 people came and 1,250 left. How many stayed?\n"))
    assert main(["solve", *arguments, "--json", "--model", "small"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == 11250


def test_solve_shows_steps_and_doubts_and_exits_with_1_without_an_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run("solve", TWO_QUESTIONS, capsys=capsys)
    assert code == 0
    assert "This may be beyond what I can do:\n  the text asks more than one question" in out
    code, out, _ = run("solve", TWO_QUESTIONS, "--strict", capsys=capsys)
    assert (code, out.splitlines()[0]) == (1, "no answer")
    assert run("solve", "Good morning!", capsys=capsys)[0] == 1
    bags = "Ann had 24 cookies and ate 6 cookies. She puts 3 cookies in each bag. How many bags are there?"
    code, out, _ = run("solve", bags, capsys=capsys)
    assert (code, out.split("  ")[0]) == (0, "6 bags")
    assert "  24 − 6 = 18 cookies left\n  18 ÷ 3 = 6 bags\n" in out


@pytest.mark.parametrize(
    ("text", "head", "said"),
    [
        ("Al jogs 3 miles a day. How far does he jog in a week?", "21 miles", "Known: 1 week = 7 days"),
        (
            "Ben is twice as old as Eva. Together they are 36. How old is each?",
            "Ben is 24, Eva is 12",
            "(2) X1 + X2 = 36",
        ),
        (
            "130 children travel in buses that hold 40 each. How many buses are needed?",
            "4 buses (3.25, rounded up)",
            "⌈130 ÷ 40⌉ = 4",
        ),
        (
            "The film starts at 7:30 pm and lasts 95 minutes. When does it end?",
            "9:05 pm",
            "Known: 7:30 pm is 1170 minutes after midnight",
        ),
        ("How many legs do 5 spiders have?", "40 legs", "Known: 8 legs (spiders)"),
    ],
    ids=["known number", "system", "rounded", "time", "legs"],
)
def test_solve_shows_the_answer_of_the_larger_grammar_and_the_facts_behind_it(
    text: str, head: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run("solve", text, "--model", "default", capsys=capsys)
    assert code == 0
    assert out.startswith(f"{head}  ")
    assert said in out


def test_solve_reads_a_file_and_says_what_it_does_with_several_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("12 + 30\n", encoding="utf-8")
    code, out, err = run("solve", str(one), "--model", "small", capsys=capsys)
    assert (code, out.split()[0]) == (0, "42")
    assert err == f"text2math: reading the file {one}\n"
    two.write_text("Ann has 3 pens.\n\nBob has 4 pens. How many pens are there?\n", encoding="utf-8")
    _, _, err = run("solve", str(two), "--model", "small", capsys=capsys)
    assert f"the 2 paragraphs are read as one problem; text2math parse {two} --paragraphs" in err


def test_train_never_overwrites_a_model_unless_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_module, "ModelConfig", lambda: QUICK)
    data, model = tmp_path / "mine.jsonl", tmp_path / "mine.t2m"
    lines = [json.dumps(to_line(example)) for example in load_data("stories").examples[::200]]
    data.write_text("\n".join(lines), encoding="utf-8")
    model.write_text("precious", encoding="utf-8")
    code, _, err = run("train", str(data), "--out", str(model), capsys=capsys)
    assert (code, model.read_text(encoding="utf-8")) == (2, "precious")
    assert "--overwrite replaces it" in err
    code, _, _ = run("train", str(data), "--out", str(model), "--steps", "2", "--overwrite", capsys=capsys)
    assert (code, load(model).name) == (0, "mine")


@pytest.mark.slow
def test_solve_reads_stdin_and_tells_that_it_compiles(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "text2math.cli", "solve"]
    first = subprocess.run(
        command, input="12 * 4", text=True, capture_output=True, env=environment, check=True
    )
    assert first.stdout.startswith("48")
    assert first.stderr == solve_module.COMPILING + "\n"


def test_a_conversation_answers_until_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["2 + 2", "word " * 300, ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    solve_module._converse(load().parse)
    captured = capsys.readouterr()
    assert "2 + 2 = 4" in captured.out
    assert "300 words" in captured.err


def test_training_on_ones_own_lines_makes_a_model_that_solves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_module, "ModelConfig", lambda: QUICK)
    data, model = tmp_path / "mine.jsonl", tmp_path / "mine.t2m"
    examples = load_data("stories").examples[::70]
    lines = [json.dumps(to_line(example)) for example in examples]
    data.write_text("\n".join([*lines, "not json"]) + "\n", encoding="utf-8")
    code, out, err = run("train", str(data), "--out", str(model), "--steps", "3", capsys=capsys)
    assert code == 1
    assert f"trained on {len(examples)} problems" in out
    assert "left out" in err
    assert load(model).name == "mine"
    code, out, _ = run(
        "evaluate", str(data), "--model", str(model), "--json", "--workers", "1", capsys=capsys
    )
    report = json.loads(out)
    assert code == 1
    assert report["problems"] == len(examples)
    assert report["metrics"]["accuracy"]["all"] == len(examples)
    assert "wrong" not in report


def test_the_recipe_default_says_what_to_install_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("text2math.commands.options.find_spec", lambda name: None)
    folders = ["--data", str(tmp_path), "--encoder", str(tmp_path)]
    assert main(["train", "--recipe", "default", *folders, "--out", str(tmp_path / "own.t2m")]) != 0
    assert "needs torch and transformers: pip install 'text2math[torch]'" in capsys.readouterr().err


def test_evaluate_says_why_there_is_nothing_to_evaluate_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text('{"text": "A number plus 3 is 8.", "expression": "X1 + 3 = 8"}\n', encoding="utf-8")
    assert main(["evaluate", str(path)]) != 0
    told = capsys.readouterr().err
    assert "line 1" in told
    assert 'call the field "equation"' in told


def test_evaluate_shows_a_table_and_what_went_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "two.jsonl"
    rows = [
        {"id": "right", "text": "What is 7 + 3?", "expression": "7 + 3"},
        {"id": "wrong", "text": "What is 9 - 4?", "expression": "9 + 4"},
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = run("evaluate", str(data), "--wrong", capsys=capsys)
    assert code == 0
    assert "1 of 2" in out
    assert "wrong: 9 - 4 instead of 9 + 4" in out


def test_evaluate_counts_a_withheld_answer_as_unanswered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "pens.jsonl"
    data.write_text(json.dumps({"id": "pens", "text": TWO_QUESTIONS, "expression": "12 - 5"}) + "\n")
    for options, unanswered in (((), 0), (("--strict",), 1), (("--min-probability", "1"), 1)):
        _, out, _ = run("evaluate", str(data), "--json", "--workers", "1", *options, capsys=capsys)
        assert json.loads(out)["unanswered"] == unanswered


def test_evaluate_measures_which_words_the_operators_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, own = tmp_path / "own.jsonl", tmp_path / "aligned.jsonl"
    row = {"id": "apples", "text": APPLES, "expression": "7 + 3"}
    cues = [{"operator": "+", "words": ["and", "in all"], "clearest": ["in all"]}]
    data.write_text(json.dumps(row), encoding="utf-8")
    own.write_text(json.dumps({"id": "apples", "source": "own", "operators": cues}), encoding="utf-8")
    options = ["evaluate", str(data), "--model", "small", "--alignment"]
    code, out, _ = run(*options, "--annotations", str(own), "--json", capsys=capsys)
    assert code == 0
    found = json.loads(out)["alignment"]
    assert found["problems"] == {"count": 1, "of": 1}
    assert found["clearest"]["of"] == 1
    shown = run(*options, "--annotations", str(own), capsys=capsys)[1]
    assert "annotated problems read correctly" in shown
    assert "1 of 1" in shown
    code, _, err = run(*options, capsys=capsys)
    assert code == 2
    assert "none of these problems is annotated" in err
    assert "give both" in run(*options[:-1], "--annotations", str(own), capsys=capsys)[2]


def test_models_lists_what_comes_along_and_shows_cards(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run("models", "--json", capsys=capsys)[1])
    assert [one["name"] for one in listed] == list(model_names())
    assert listed[0]["name"] == DEFAULT_MODEL
    assert listed[0]["default"]
    assert all(one["bytes"] <= {"small": 2_000_000}.get(one["name"], 29_000_000) for one in listed)
    assert f"{DEFAULT_MODEL} (default)" in run("models", capsys=capsys)[1]
    card = run("models", "small", capsys=capsys)[1]
    assert card.startswith("# small\n")
    assert "## Figures" in card
    assert "calibration error" in card
    assert "## Limits" in card
    assert json.loads(run("models", "small", "--json", capsys=capsys)[1])["name"] == "small"


def test_the_card_beside_the_model_is_the_card_in_it() -> None:
    card = card_text("small", load("small").card)
    assert packaged("small").with_suffix(".md").read_text(encoding="utf-8") == card


def test_a_recipe_bakes_a_model_with_a_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked = QUICK.candidates + 3
    tiny = recipes.Recipe("tiny", "A taste.", stories=0.0001, config=QUICK, ranked=ranked, margin=5.0)
    monkeypatch.setitem(recipes.RECIPES, "tiny", tiny)
    monkeypatch.setattr(
        recipes, "_sources", lambda recipe, data: iter([("corpus", load_data("corpus").examples[::10])])
    )
    out = tmp_path / "tiny.t2m"
    code, told, _ = run(
        "train", "--recipe", "tiny", "--data", str(tmp_path), "--out", str(out), capsys=capsys
    )
    assert code == 0
    assert "tiny.md" in told
    parser = load(out)
    assert parser.card["cross_fitted"]["all"] > 0
    assert parser.card["presence"]["present"] > 0
    assert parser.model.presence is not None
    assert (parser.model.config.candidates, parser.model.config.margin) == (ranked, 5.0)
    assert (tmp_path / "tiny.md").read_text(encoding="utf-8") == card_text("tiny", parser.card)


@pytest.mark.slow
def test_recipes_take_each_text_once_and_no_lone_numbers() -> None:
    few = recipes.Recipe("few", "", stories=0.0005, config=QUICK)
    examples = recipes.read_everything(few, None)
    texts = [mask_numbers(example.problem.text) for example in examples]
    assert len(set(texts)) == len(texts)
    assert all(isinstance(example.expression, Operation) for example in examples)
    assert {"corpus", "phrases", "stories"} <= {example.source for example in examples}


def test_the_exam_is_reported_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "evaluate",
        "exam",
        "--model",
        "small",
        "--workers",
        "1",
        "--part",
        "clock",
        "--part",
        "percent",
    ]
    code, out, _ = run(*options, "--json", capsys=capsys)
    assert code == 0
    exam = json.loads(out)["exam"]
    assert {name: part["problems"] for name, part in exam["parts"].items()} == {"clock": 30, "percent": 50}
    assert exam["all"]["problems"] == exam["all"]["solvable"] == 80
    assert exam["all"]["right"] == sum(part["right"] for part in exam["parts"].values())
    assert len(exam["all"]["risk_coverage"]) == exam["all"]["answered"] * 10 // 80
    code, out, _ = run(*options, "--wrong", capsys=capsys)
    assert code == 0
    assert "the parts of the exam" in out
    assert f"solvable problems that reach 90 %: {exam['all']['solvable_sure']} of 80" in out
    assert "clock" in out


def test_parts_are_those_of_the_exam(capsys: pytest.CaptureFixture[str]) -> None:
    for options, message in (
        (["corpus", "--part", "clock"], "--part names parts of the exam"),
        (["exam", "--part", "algebra"], "the exam has no part 'algebra'; its parts are plain, known"),
    ):
        code, _, error = run("evaluate", *options, "--model", "small", capsys=capsys)
        assert code == 2
        assert message in error


@pytest.mark.slow
def test_stories_of_a_sheet_are_of_one_kind_and_any_other_example_of_its_own() -> None:
    few = recipes.Recipe("few", "", stories=0.002, config=QUICK)
    examples = recipes.read_everything(few, None)
    kinds = recipes.kinds(examples)
    sheets = {example.problem.id.rpartition(" ")[0] for example in examples if example.source == "stories"}
    others = sum(example.source != "stories" for example in examples)
    assert len(set(kinds.values())) == len(sheets) + others
    assert len(sheets) < sum(example.source == "stories" for example in examples)

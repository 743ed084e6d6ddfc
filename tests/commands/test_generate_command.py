"""``text2math generate``: sheets to hand out, levels, topics, and files by their ending."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.commands.generate import LARGER_KINDS, LEVELS, TOPICS
from text2math.data.jsonlines import read_json_lines
from text2math.language.problem import read_problem
from text2math.language.wording import reads_naturally
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import numbers, operators
from text2math.mathematics.notation import from_infix


def made(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    assert main(["generate", *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# All levels take long; the first and the last are quick enough for every run.
@pytest.mark.parametrize(
    "level",
    [
        level if level in (min(LEVELS), max(LEVELS)) else pytest.param(level, marks=pytest.mark.slow)
        for level in LEVELS
    ],
)
def test_a_level_keeps_to_the_numbers_and_signs_of_its_grade(level: int, capsys: pytest.CaptureFixture[str]):
    for line in made(capsys, "--level", str(level), "-n", "6"):
        expression = from_infix(str(line["expression"]))
        largest = max(number.value for number in numbers(expression))
        assert largest <= LEVELS[level].largest
        assert {operator.value for operator in operators(expression)} <= set(LEVELS[level].signs)
        assert Fraction(str(line["answer"])) <= LEVELS[level].largest


def test_a_topic_gives_only_its_kinds_and_an_unknown_one_is_refused(capsys: pytest.CaptureFixture[str]):
    sources = {str(line["source"]) for line in made(capsys, "--topic", "money", "-n", "10")}
    assert sources <= {f"stories/{kind}" for kind in TOPICS["money"]}
    assert main(["generate", "--topic", "whales"]) == 2
    assert "adding, comparing" in capsys.readouterr().err


def test_a_classroom_gets_problems_that_read_naturally(capsys: pytest.CaptureFixture[str]):
    for line in made(capsys, "--classroom", "-n", "25", "--seed", "5"):
        text = str(line["text"])
        assert reads_naturally(read_problem(text))
        assert text.endswith("?")
        assert "expression" in line


@pytest.mark.parametrize(
    "text",
    [
        "ann has 3 pens. how many pens are 4 times as many?",
        "6 boxes w/ 8 pens. How many pens?",
        "Saving up for a guitar. It costs $500. Got $210. How much more do I need?",
        "Question 4. A factory made 30 pens and 20 caps. How many things did it make?",
        "Three times a number is 12.",
        "Tea bags: 20 in a box, 24 boxes in a case. How many tea bags are in a case?",
        "On 8 days a week Jolanta takes the bus for $3. What does she pay for a week?",
        "They split the money evenly. If they washed 14 cars. How much did they get for each car?",
        "Otis measures 236 cm and Byron 142 cm. How much taller is Otis?",
        "A dishwasher needs 15.0 liters per cycle. How much does it need for 3 cycles?",
    ],
)
def test_what_no_teacher_would_write_does_not_read_naturally(text: str):
    assert not reads_naturally(read_problem(text))


def test_systems_have_one_solution_above_zero_and_read_back(tmp_path: Path):
    out = tmp_path / "systems.jsonl"
    assert main(["generate", "--systems", "-n", "20", "--out", str(out)]) == 0
    dataset = read_json_lines(out, strict=True, knowledge=True)
    assert len(dataset.examples) == 20
    assert not dataset.warnings
    for example in dataset.examples:
        assert example.expression is not None
        assert example.asked
        found = solve(example.expression)
        assert found is not None
        assert all(value > 0 for value in found.values())
        assert example.answers == tuple(evaluate(one, found) for one in example.asked)


def test_a_sheet_of_systems_answers_what_is_asked(capsys: pytest.CaptureFixture[str]):
    assert main(["generate", "--systems", "-n", "6", "--format", "sheet"]) == 0
    solutions = capsys.readouterr().out.split("\f")[1].splitlines()[3:]
    assert len(solutions) == 6
    for line in solutions:
        equations, _, answers = line.partition(". ")[2].partition(": ")
        found = solve(from_infix(equations))
        assert found is not None
        for answer in answers.split(", "):
            asked, _, value = answer.partition(" = ")
            assert evaluate(from_infix(asked), found) == Fraction(value)


def test_a_classroom_gets_the_larger_grammar_only_if_it_asks_for_it(capsys: pytest.CaptureFixture[str]):
    plain = made(capsys, "--classroom", "-n", "40", "--seed", "3")
    larger = (";", ":", "ceil", "floor", "mod", "gcd", "lcm")
    assert not [line for line in plain if any(sign in str(line["expression"]) for sign in larger)]
    assert not {str(line["source"]) for line in plain} & {"stories/system", "stories/clock", "stories/beyond"}
    clock = made(capsys, "--classroom", "--kind", "clock", "-n", "3")
    assert {line["source"] for line in clock} == {"stories/clock"}
    rounded = made(capsys, "--classroom", "--operators", "ceil mod", "-n", "5")
    assert all("ceil" in str(line["expression"]) or "mod" in str(line["expression"]) for line in rounded)


@pytest.mark.parametrize("format", ["jsonl", "csv", "sheet", "html", "markdown"])
@pytest.mark.parametrize("kind", LARGER_KINDS)
def test_every_format_writes_every_kind(format: str, kind: str, capsys: pytest.CaptureFixture[str]):
    assert main(["generate", "--kind", kind, "-n", "2", "--format", format]) == 0
    assert len(capsys.readouterr().out) > 100


@pytest.mark.parametrize(("name", "begins"), [("s.html", "<!doctype html>"), ("s.md", "# Word problems")])
def test_the_ending_says_what_is_written(name: str, begins: str, tmp_path: Path):
    out = tmp_path / name
    assert main(["generate", "-n", "3", "--classroom", "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith(begins)


def test_an_unknown_ending_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "s.pdf"
    assert main(["generate", "--out", str(out)]) == 2
    assert not out.exists()
    assert ".html" in capsys.readouterr().err

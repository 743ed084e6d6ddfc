"""Systems of equations: forms that fit the text, what is asked, JSON Lines."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from text2math.data import load, read_json_lines, write_json_lines
from text2math.data.gold import asked
from text2math.data.statements import statements
from text2math.language.attachment import UnmappableError
from text2math.language.problem import read_problem
from text2math.mathematics.algebra import equivalent
from text2math.mathematics.expression import is_system, system
from text2math.mathematics.notation import from_infix, to_infix

TICKETS = (
    "Student tickets cost 4 dollars and others 6. You sell 525 tickets and collect 2876 dollars. "
    "How many student tickets did you sell?"
)


def stated(text: str, *equations: str) -> list[str]:
    problem = read_problem(text, knowledge=True)
    found = statements(equations, problem)
    given = from_infix("; ".join(equations).replace("m", "X1").replace("n", "X2"))
    assert equivalent(system(found), given)
    return [to_infix(statement) for statement in found]


def test_a_statement_may_stand_between_the_sides_of_another() -> None:
    assert stated(TICKETS, "4*m + 6*n = 2876", "m + n = 525") == [
        "4 * X1 + 6 * X2 = 2876",
        "X1 + X2 = 525",
    ]


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        (("m - n = 6", "m + n = 30"), ["X1 + X2 = 30", "X1 - X2 = 6"]),
        (("m - 6 - n = 0", "m + n - 30 = 0"), ["X1 + X2 = 30", "X1 - X2 = 6"]),
        (("-1*m - n = -1*30", "m + -1*n = 6"), ["X1 + X2 = 30", "X1 - X2 = 6"]),
    ],
)
def test_equations_come_in_the_order_of_the_text_without_zeros_and_minus_ones(
    equations: tuple[str, ...], expected: list[str]
) -> None:
    text = "The sum of two numbers is 30, their difference is 6. What are the numbers?"
    assert stated(text, *equations) == expected


def test_hundredths_are_percentages() -> None:
    text = "How many liters of 20 % acid and of 80 % acid make 10 liters of 62 % acid?"
    for mixture in ("20*m + 80*n = 10*62", "0.01*20*m + 0.01*80*n = 0.01*62*10"):
        first, second = stated(text, mixture, "m + n = 10")
        assert {first, second} == {
            "0.2 * X1 + 0.8 * X2 = 10 * 0.62",
            "X1 + X2 = 10",
        } or "0.62" in first + second


def test_consecutive_numbers_have_unknowns_in_their_order_and_the_steps_first() -> None:
    problem = read_problem("The sum of three consecutive integers is 114. Find them.", knowledge=True)
    found = [to_infix(one) for one in statements(("(x-1)+x+(x+1)=114",), problem)]
    assert found == ["X1 + 1 = X2", "X2 + 1 = X3", "X1 + X2 + X3 = 114"]


def test_squares_are_products() -> None:
    problem = read_problem("The square of a number is 49.", knowledge=True)
    assert [to_infix(one) for one in statements(("x^2 = 49",), problem)] == ["X1 * X1 = 49"]


def test_the_quantity_that_is_meant_comes_before_another_of_its_value() -> None:
    problem = read_problem("2 men and 2 women are 4.")
    (statement,) = statements(("2*x = 4",), problem, preferred=frozenset({1, 2}))
    assert to_infix(statement, quantities=True) == "2[1] * X1 = 4[2]"


@pytest.mark.parametrize(
    ("equations", "reason"),
    [
        (("x + y = 17",), "a number that is not in the text"),
        (("a + b + c + d = 30",), "more than 3 unknowns"),
        (("x = 30",) * 5, "more than 4 equations"),
        (("x > 30",), "no equation"),
        (("x + 30",), "an unknown without '='"),
        (("sqrt(x) = 30",), "an operator that the grammar lacks"),
        (("x + = 30",), "an equation that can't be read"),
    ],
)
def test_what_can_not_be_stated_says_why(equations: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UnmappableError) as error:
        statements(equations, read_problem("The sum of two numbers is 30, their difference is 6."))
    assert error.value.reason == reason


@pytest.mark.parametrize(
    ("equations", "answers", "expected"),
    [
        ("X1 + X2 = 30; X1 - X2 = 6", [18, 12], ["X1", "X2"]),
        ("X1 + X2 = 30; X1 - X2 = 6", [12], ["X2"]),
        ("X1 - X2 = 6; X2 = 12", [30], ["X1 + X2"]),
        ("X1 + (X1 + 1) = 71", [35, 36], ["X1", "X1 + 1"]),
        ("X1 * (X1 + 2) = 24", [4, 6], ["X1", "X1 + 2"]),
        ("X1 + X2 = 30; X1 - X2 = 6", [99], []),
        ("X1 + X2 = 30", [12], []),
    ],
)
def test_what_is_asked_is_found_by_the_answers(
    equations: str, answers: list[int], expected: list[str]
) -> None:
    found = asked(from_infix(equations), [Fraction(answer) for answer in answers])
    assert [to_infix(one) for one in found] == expected


LINE = {
    "id": "tickets",
    "text": TICKETS,
    "equations": ["4 * X1 + 6 * X2 = 2876", "X1 + X2 = 525"],
    "asked": "X1",
    "answer": 137,
}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_system_survives_json_lines(tmp_path: Path) -> None:
    dataset = read_json_lines(write(tmp_path / "own.jsonl", LINE), strict=True)
    (example,) = dataset.examples
    assert example.expression is not None
    assert is_system(example.expression)
    assert [to_infix(one) for one in example.asked] == ["X1"]
    assert example.answers == (Fraction(137),)
    assert not dataset.warnings
    copy = tmp_path / "copy.jsonl"
    write_json_lines(copy, dataset)
    assert json.loads(copy.read_text()) == LINE | {"source": "own"}


def test_a_wrong_answer_of_a_system_is_reported(tmp_path: Path) -> None:
    dataset = read_json_lines(write(tmp_path / "own.jsonl", LINE | {"answer": 138}))
    assert [warning.reason for warning in dataset.warnings] == ["another answer is stated"]


ONE_EQUATION = {
    "text": "A pen costs 3 dollars more than a pad; a pen and a pad cost 15 dollars. How much is the pen?",
    "equations": ["(X1 + 3) + X1 = 15"],
    "asked": "X1 + 3",
    "answer": 9,
}


def test_what_is_asked_of_one_equation_may_be_an_expression(tmp_path: Path) -> None:
    dataset = read_json_lines(write(tmp_path / "own.jsonl", ONE_EQUATION), strict=True)
    assert not dataset.warnings
    wrong = read_json_lines(write(tmp_path / "own.jsonl", ONE_EQUATION | {"answer": 6}))
    assert [warning.reason for warning in wrong.warnings] == ["another answer is stated"]


def test_the_answer_may_be_one_of_several_solutions_of_an_equation(tmp_path: Path) -> None:
    line = {"text": "A number times itself is 49.", "equations": ["X1 * X1 = 49"], "asked": "X1", "answer": 7}
    assert not read_json_lines(write(tmp_path / "own.jsonl", line), strict=True).warnings


def test_implied_numbers_survive_json_lines(tmp_path: Path) -> None:
    text = "Lily has 8 pens. Ben has 5 more than Lily. How many pens have they in all?"
    line = {"id": "1", "text": text, "expression": "8 + (8 + 5)", "answer": 21, "source": "own"}
    path = write(tmp_path / "own.jsonl", line)
    (example,) = read_json_lines(path, strict=True, knowledge=True).examples
    copy = tmp_path / "copy.jsonl"
    write_json_lines(copy, load(path, knowledge=True))
    (again,) = read_json_lines(copy, strict=True, knowledge=True).examples
    assert (again.problem, again.expression) == (example.problem, example.expression)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"equations": "X1 = 4"}, '"equations" should be a list'),
        ({"equations": []}, '"equations" should be a list'),
        ({"equations": ["X1 + X2"]}, '"equations" should be a list'),
        ({"equations": ["X1 = 4"] * 5}, "more than 4 equations"),
        ({"equation": "X1 = 4"}, 'one of "expression", "equation" and "equations"'),
        ({"asked": 3}, '"asked" should be'),
        ({"asked": "X1 +"}, '"asked" can\'t be read'),
        ({"answer": ["one"]}, "is not a number"),
    ],
)
def test_a_bad_system_is_told(tmp_path: Path, change: dict[str, object], told: str) -> None:
    (failure,) = read_json_lines(write(tmp_path / "own.jsonl", LINE | change)).problems_failed
    assert told in str(failure)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "share"), [("alg514", 0.95), ("draw", 0.9), ("dolphin1878", 0.6)])
def test_systems_are_mapped(name: str, share: float, data_dir: Path) -> None:
    dataset = load(name, data_dir, knowledge=True)
    assert len(dataset.examples) >= share * dataset.size

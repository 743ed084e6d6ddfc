from __future__ import annotations

import pytest

from text2math.language.formulas import why_too_large, written_mathematics, written_system
from text2math.language.problem import read_problem
from text2math.mathematics.notation import to_infix


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12*4", "12[0] * 4[1]"),
        ("What's 3 + 5?", "3[0] + 5[1]"),
        ("3+5=?", "3[0] + 5[1]"),
        ("Calculate: 1,000 / 8.", "1000[0] / 8[1]"),
        ("9 x 3", "9[0] * 3[1]"),
        ("2x = 10", "2[0] * X1 = 10[1]"),
        ("x + y = 10", "X1 + X2 = 10[0]"),
        ("-5 + 3", "-5[0] + 3[1]"),
        ("(1 + 2) * 3/4", "(1 + 2) * 3 / 4"),
    ],
)
def test_written_mathematics_is_read_as_it_stands(text: str, found: str) -> None:
    expression = written_mathematics(read_problem(text))
    assert expression is not None
    assert to_infix(expression, quantities=True) == found


@pytest.mark.parametrize(
    "text",
    [
        "7",
        "5 5",
        "12 times 4",
        "2019-05-12",
        "12/05/2019",
        "3 = 3",
        "((((",
        "5 +",
        "x",
        "x + y",
        "Tom + 3",
        "1+" * 200,
    ],
)
def test_other_texts_are_left_to_the_model(text: str) -> None:
    assert written_mathematics(read_problem(text)) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x + y = 5; x - y = 1", "X1 + X2 = 5[0]; X1 - X2 = 1[1]"),
        ("x + y = 1,000\nx - y = 10", "X1 + X2 = 1000[0]; X1 - X2 = 10[1]"),
        ("Solve the system: 2a + 3b = 12, a = 3.", "2[0] * X1 + 3[1] * X2 = 12[2]; X1 = 3[3]"),
        ("p + r = 3 and p - r = 1", "X1 + X2 = 3[0]; X1 - X2 = 1[1]"),
    ],
)
def test_a_written_system_is_read_as_it_stands(text: str, found: str) -> None:
    expression = written_system(read_problem(text))
    assert expression is not None
    assert to_infix(expression, quantities=True) == found


@pytest.mark.parametrize(
    "text",
    ["x = 3 and 4", "A is 5 and B = 6", "x + = 5; y = 3", "Tom = 3; Ann = 4", "3 = 3; 4 = 4", "=" * 900],
)
def test_what_is_no_system_is_left_to_the_model(text: str) -> None:
    problem = read_problem(text)
    assert written_system(problem) is None
    assert why_too_large(problem) == ""

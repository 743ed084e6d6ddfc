from __future__ import annotations

import pytest

from text2math.language.formulas import written_mathematics
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

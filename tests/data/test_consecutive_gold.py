"""Gold about consecutive numbers: every way of writing it becomes the same statement."""

from __future__ import annotations

from fractions import Fraction

import pytest

from text2math.data.consecutive import in_consecutive_unknowns
from text2math.language.problem import read_problem
from text2math.mathematics.expression import equations
from text2math.mathematics.notation import from_infix, to_infix

ODD = "Find three consecutive odd integers"


@pytest.mark.parametrize(
    ("text", "gold", "stated"),
    [
        (f"{ODD} whose sum is 69.", "X1 + (X1 + 2) + (X1 + 4) = 69", "X1 + X2 + X3 = 69"),
        (f"{ODD} whose sum is 69.", "X1 - 2 + X1 + X1 + 2 = 69", "X1 + X2 + X3 = 69"),
        (f"{ODD} whose sum is 69.", "2 * X1 - 1 + (2 * X1 + 1) + (2 * X1 + 3) = 69", "X1 + X2 + X3 = 69"),
        (f"{ODD} whose sum is 69.", "3 * X1 + 6 = 69", "X1 + X2 + X3 = 69"),
        (f"{ODD} whose sum is 69.", "X1 + X2 + X3 = 69; X2 = X1 + 2; X3 - X2 = 2", "X1 + X2 + X3 = 69"),
        (f"{ODD} such that 3 times the first is 3 more than twice the third.",
         "3 * X1 = 2 * (X1 + 4) + 3", "3 * X1 = 2 * X3 + 3"),
        (f"{ODD} such that twice the first minus the third is 7.", "2 * X1 - X1 - 4 = 7", "2 * X1 - X3 = 7"),
        ("Find four consecutive integers whose sum is 246.",
         "X1 + (X1 + 1) + (X1 + 2) + (X1 + 3) = 246", "4 * X1 + 6 = 246"),
        ("Find 4 consecutive integers such that the 2nd plus the 4th is 17 less than thrice the 1st.",
         "X1 + 1 = X2; X2 + 1 = X3; X3 + 1 = X4; X2 + X4 = 3 * X1 - 17", "X2 + (X1 + 3) = 3 * X1 - 17"),
        ("Two consecutive multiples of 7 add up to 91.", "X1 + (X1 + 7) = 91", "X1 + X2 = 91"),
        ("The product of two consecutive even integers is 624.", "X1 * (X1 + 2) = 624", "X1 * X2 = 624"),
    ],
)  # fmt: skip
def test_every_way_of_writing_a_gold_becomes_the_same_statement(text: str, gold: str, stated: str) -> None:
    found = in_consecutive_unknowns(equations(from_infix(gold)), read_problem(text, knowledge=True))
    assert found is not None
    assert [to_infix(one) for one in found.stated] == [stated]


def test_answers_say_which_number_is_the_first() -> None:
    problem = read_problem(f"{ODD} such that three times the middle one is 69.", knowledge=True)
    gold = [from_infix("3 * X1 = 69")]
    found = in_consecutive_unknowns(gold, problem, answers=[Fraction(21), Fraction(23), Fraction(25)])
    assert found is not None
    assert [to_infix(one) for one in found.stated] == ["3 * X2 = 69"]
    assert to_infix(found.expressed(from_infix("X1 + 2"))) == "X3"


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("The sum of two numbers is 30.", "X1 + (X1 + 2) = 30"),
        (f"{ODD} whose sum is 69.", "X1 + X2 = 69"),  # says nothing of how the unknowns are related
    ],
)
def test_other_gold_is_left_as_it_is(text: str, gold: str) -> None:
    problem = read_problem(text, knowledge=True)
    assert in_consecutive_unknowns([from_infix(gold)], problem) is None

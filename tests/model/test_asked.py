"""What a text asks of a system of equations."""

from __future__ import annotations

import pytest

from text2math.language.problem import read_problem
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import Expression
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.asked import CHOICES, asked_of, choice_of, choices, in_order, is_in_order
from text2math.scorers.encoder import ASKED_OUTPUTS

TWO = from_infix("X1 + X2 = 30; X1 - X2 = 6")
THREE = from_infix("X1 + X2 + X3 = 60; X1 = 2 * X2; X3 = X1 + 5")
PROBLEM = read_problem("The sum of two numbers is 30, their difference is 6. What is it?")


def test_a_network_has_an_output_for_each_choice() -> None:
    assert len(CHOICES) == ASKED_OUTPUTS


@pytest.mark.parametrize("system", [TWO, THREE])
def test_each_choice_is_found_again(system: Expression) -> None:
    for name, asked in choices(system).items():
        assert choice_of(system, asked) == name


def test_the_choice_does_not_depend_on_names_or_on_the_order_of_all() -> None:
    swapped = from_infix("X2 + X1 = 30; X2 - X1 = 6")
    assert in_order(swapped) == {2: 1, 1: 2}
    assert not is_in_order(swapped)
    assert choice_of(swapped, [from_infix("X2")]) == "first"
    assert choice_of(swapped, [from_infix("X2"), from_infix("X1")]) == "all"
    assert choice_of(swapped, [from_infix("X1"), from_infix("X2")]) == "all"


def test_another_expression_is_no_choice() -> None:
    assert choice_of(TWO, [from_infix("2 * X1")]) is None
    assert choice_of(TWO, [from_infix("X3")]) is None


@pytest.mark.parametrize(("best", "asked"), [("second", ["X2"]), ("all", ["X1", "X2"]), ("sum", ["X1 + X2"])])
def test_the_best_choice_is_asked(best: str, asked: list[str]) -> None:
    scores = [float(name == best) for name in CHOICES]
    assert [to_infix(one) for one in asked_of(TWO, PROBLEM, scores)] == asked


def test_a_choice_that_a_system_does_not_have_gives_way_to_the_next() -> None:
    scores = [{"third": 2.0, "second": 1.0}.get(name, 0.0) for name in CHOICES]
    assert [to_infix(one) for one in asked_of(TWO, PROBLEM, scores)] == ["X2"]


def test_nothing_is_asked_of_an_expression() -> None:
    assert asked_of(from_infix("3 + 4"), PROBLEM, [1.0] * len(CHOICES)) == ()


def test_all_is_no_choice_where_the_question_asks_for_one_amount() -> None:
    scores = [9.0, 1.0, 2.0, *[0.0] * 6]  # all, first, second, …
    tickets = "You sell 30 tickets, 6 more to adults than to children. How many "
    asked = asked_of(TWO, read_problem(f"{tickets}adult tickets do you sell?"), scores)
    assert [to_infix(one) for one in asked] == ["X2"]
    both = asked_of(TWO, read_problem(f"{tickets}adult and child tickets do you sell?"), scores)
    assert [to_infix(one) for one in both] == ["X1", "X2"]
    close = asked_of(TWO, read_problem(f"{tickets}adult tickets do you sell?"), [9.0, 1.5, *scores[2:]])
    assert [to_infix(one) for one in close] == ["X1", "X2"]


def test_a_network_that_has_fewer_choices_is_still_read() -> None:
    assert [to_infix(one) for one in asked_of(TWO, PROBLEM, [0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0])] == ["X2"]


FIRST = [2.0 if name == "first" else -1.0 for name in CHOICES]


@pytest.mark.parametrize(
    ("system", "question", "asked"),
    [
        ("X1 + X2 = 30; X1 - X2 = 6", "What is the smaller number?", "X2"),
        ("X1 + X2 = 30; X2 - X1 = 6", "What is the smaller number?", "X1"),
        ("X1 + X2 = 30; X2 - X1 = 6", "How old is the elder one?", "X2"),
        ("X1 + X2 + X3 = 60; X1 = 2 * X2; X3 = X1 + 5", "Find the largest of them.", "X3"),
        ("X1 + X2 = 30; X1 - X2 = 6", "How long is the piece that is not the longer one?", "X1"),
        ("X1 + X2 = 30; X2 - X1 = 6", "How old is the one that is older than the other?", "X1"),
        ("X1 + X2 = 30; X1 + X2 = 31", "What is the smaller number?", "X1"),
    ],
)
def test_the_larger_or_the_smaller_one_is_found_by_its_value(system: str, question: str, asked: str) -> None:
    problem = read_problem(f"There are 30 in all, and 6 are the difference. {question}")
    assert [to_infix(one) for one in asked_of(from_infix(system), problem, FIRST)] == [asked]


@pytest.mark.parametrize(("size", "asked"), [("heavier", "X1"), ("lighter", "X2")])
def test_of_what_is_counted_the_heavier_ones_have_the_larger_number(size: str, asked: str) -> None:
    system = from_infix("280 * X1 + 110 * X2 = 1390; X1 + X2 = 8")
    text = "A van carries 8 instruments, pianos of 280 kg and organs of 110 kg, in all 1390 kg."
    problem = read_problem(f"{text} How many of the {size} instruments does it carry?")
    assert [to_infix(one) for one in asked_of(system, problem, FIRST)] == [asked]


@pytest.mark.parametrize("system", ["X1 + X2 = 30; X1 - X2 = 6", "X1 + X2 = 30; X2 - X1 = 6"])
@pytest.mark.parametrize("choice", ["first less second", "second less first"])
def test_a_difference_that_is_asked_for_is_positive(system: str, choice: str) -> None:
    scores = [float(name == choice) for name in CHOICES]
    (asked,) = asked_of(from_infix(system), PROBLEM, scores)
    assert evaluate(asked, solve(from_infix(system))) == 6

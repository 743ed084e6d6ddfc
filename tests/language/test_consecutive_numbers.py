"""Consecutive numbers: which texts are about them, and what the word adds to what is stated."""

from __future__ import annotations

import pytest

from text2math.language.consecutive import as_stated, completed, consecutive_numbers
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.notation import from_infix, to_infix


def _problem(text: str) -> Problem:
    return read_problem(text, knowledge=True)


@pytest.mark.parametrize(
    ("text", "step", "count"),
    [
        ("The sum of three consecutive integers is 60.", 1, 3),
        ("Find 4 consecutive even integers whose sum is 60.", 2, 4),
        ("Find two positive odd consecutive numbers with the product 35.", 2, 2),
        ("The page numbers are consecutive and add up to 61.", 1, None),
        ("Two consecutive multiples of 7 add up to 91.", 7, 2),
    ],
)
def test_a_run_has_the_step_and_the_count_that_its_words_say(text: str, step: int, count: int | None) -> None:
    run = consecutive_numbers(_problem(text))
    assert run is not None
    assert (run.step.value, run.count) == (step, count)


@pytest.mark.parametrize(
    "text",
    [
        "He ran 5 km on each of 3 consecutive days. How far did he run?",
        "They won 4 consecutive games by 6 points each. How many points is that?",
        "The sum of two numbers is 60. Find them.",
        "Two consecutive multiples of 0.5 add up to 3.",
    ],
)
def test_days_games_and_other_numbers_are_no_run(text: str) -> None:
    run = consecutive_numbers(_problem(text))
    assert run is None or run.step.value == 1


def test_without_knowledge_nothing_is_implied() -> None:
    problem = read_problem("The sum of two consecutive integers is 61.")
    assert completed(from_infix("X1 + X2 = 61"), problem) == from_infix("X1 + X2 = 61")


@pytest.mark.parametrize(
    ("stated", "whole"),
    [
        ("X1 + X3 = 86", "X1 + 2 = X2; X2 + 2 = X3; X1 + X3 = 86"),
        ("2 * X1 = 86", "X1 + 2 = X2; X2 + 2 = X3; 2 * X1 = 86"),
        ("80 + 6", "80 + 6"),
        # What determines its unknowns needs nothing else.
        ("X1 + X2 = 86; X1 - X3 = 4; X3 = 2", "X1 + X2 = 86; X1 - X3 = 4; X3 = 2"),
    ],
)
def test_statements_are_completed_and_taken_apart_again(stated: str, whole: str) -> None:
    text = "Find three consecutive odd integers such that the sum of the first and the third is 86."
    problem = _problem(text)
    found = completed(from_infix(stated), problem)
    assert to_infix(found) == whole
    assert to_infix(as_stated(found, problem)) == stated


def test_the_numbers_beyond_the_unknowns_are_steps_from_the_last() -> None:
    run = consecutive_numbers(_problem("The sum of five consecutive even integers is 60."))
    assert run is not None
    assert [to_infix(one) for one in run.all(3)] == ["X1", "X2", "X3", "X3 + 2", "X3 + 2 + 2"]

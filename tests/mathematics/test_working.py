"""The steps to an answer end with the answer, and every one of them is true."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from strategies import any_numbers, linear_systems, trees
from text2math.mathematics.algebra import Status, evaluate, solution
from text2math.mathematics.expression import operators
from text2math.mathematics.notation import from_infix
from text2math.mathematics.working import MAX_STEPS, Action, worked


@given(trees(any_numbers))
def test_the_last_step_of_an_expression_is_its_value(expression):
    value, steps = evaluate(expression), worked(expression)
    if steps:
        assert steps[-1].value == value
        assert len(steps) == sum(1 for _ in operators(expression))
    for step in steps:
        assert step.left is not None
        assert evaluate(step.left) == step.value


# Many random systems have no solution, or several; for some seeds, most of the first ones.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(linear_systems())
def test_the_steps_of_a_system_find_its_solution_and_check_it(equations):
    found = solution(equations)
    assume(found.status is Status.UNIQUE)
    steps = worked(equations)
    solved = {step.left: step.value for step in steps if step.action is Action.SOLVE}
    assert solved == found.values
    checks = [step for step in steps if step.action is Action.CHECK]
    assert len(checks) == sum(step.action is Action.GIVEN for step in steps)
    for step in checks:
        assert step.left is not None
        assert step.right is not None
        assert evaluate(step.left) == evaluate(step.right) == step.value
    for step in steps:  # every equation on the way holds for the solution
        if step.action in (Action.COMBINE, Action.SUBSTITUTE):
            assert step.left is not None
            assert step.right is not None
            assert evaluate(step.left, found.values) == evaluate(step.right, found.values)


@pytest.mark.parametrize(
    ("mathematics", "values"),
    [
        ("3 * X1 + 11 = 4 * X1 - 2", {"X1": 13}),
        ("6 * (X1 - 4) = 42", {"X1": 11}),
        ("X1 / 4 = 3.5", {"X1": 14}),
        ("X1 = 2 * X2; X1 + X2 = 36", {"X1": 24, "X2": 12}),
        ("X1 + X2 + X3 = 6; X1 - X2 = 1; X3 = 3", {"X1": 2, "X2": 1, "X3": 3}),
        ("X1 = 5 + X2; X2 = 3; X1 = 8", {"X1": 8, "X2": 3}),
    ],
)
def test_equations_are_solved_by_elimination_and_substitution(mathematics, values):
    steps = worked(from_infix(mathematics))
    assert {step.left.name: step.value for step in steps if step.action is Action.SOLVE} == values
    assert steps[-1].action is Action.CHECK


def test_an_equation_that_is_not_linear_states_its_solutions_and_checks_them():
    steps = worked(from_infix("X1 * X2 = 12; X1 + X2 = 7"))
    assert [str(step) for step in steps if step.action is Action.SOLVE] == [
        "X1 = 3", "X2 = 4", "X1 = 4  [or]", "X2 = 3",
    ]  # fmt: skip
    assert sum(step.action is Action.CHECK for step in steps) == 4


@pytest.mark.parametrize(
    ("mathematics", "why"),
    [
        ("X1 + X2 = 1; X1 + X2 = 2", "no solution"),
        ("X1 + X2 = 1", "infinitely many solutions"),
        ("X1 * X1 = 2", "it has solutions that are not rational"),
    ],
)
def test_without_a_solution_the_steps_say_why(mathematics, why):
    assert str(worked(from_infix(mathematics))[-1]) == why


def test_there_are_no_steps_without_a_value_and_none_that_nobody_can_read():
    assert worked(from_infix("5 + 1 / (2 - 2)")) == ()
    assert worked(from_infix(" + ".join("1" * (MAX_STEPS + 2)))) == ()
    assert worked(from_infix(" * ".join(["999999999999"] * 20))) == ()

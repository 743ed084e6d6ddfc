"""How two numbers of an expression are related."""

from __future__ import annotations

import pytest
from hypothesis import given

from strategies import expressions
from text2math.mathematics.expression import Operation, Operator, numbers
from text2math.mathematics.notation import from_infix
from text2math.mathematics.relations import RELATIONS, UNRELATED, Known, relations


def named(infix: str, first: list[int] | None = None) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for a, b, relation in sorted(relations(from_infix(infix), first or list(range(6)))):
        found.setdefault((a, b), []).append(RELATIONS[relation])
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9[0] - 2[1] - 3[2]", "9[0] - (2[1] + 3[2])"),
        ("2[1] + 9[0]", "9[0] + 2[1]"),
        ("24[0] / 2[1] / 3[2]", "24[0] / (2[1] * 3[2])"),
        ("4[0] * (9[1] - 3[2] - 2[3])", "(9[1] - (2[3] + 3[2])) * 4[0]"),
    ],
)
def test_forms_of_one_expression_relate_its_numbers_alike(one: str, other: str) -> None:
    assert named(one) == named(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("9[0] - 2[1]", "2[1] - 9[0]"),
        ("9[0] - 2[1] + 3[2]", "9[0] - (2[1] + 3[2])"),
        ("(9[0] + 2[1]) * 3[2]", "9[0] + 2[1] * 3[2]"),
        ("X1 + 9[0] = 2[1]", "X1 - 9[0] * 2[1] = 3[2]"),
    ],
)
def test_other_expressions_relate_them_differently(one: str, other: str) -> None:
    assert named(one) != named(other)


def test_a_sum_within_a_product_is_one_factor_whatever_its_signs() -> None:
    assert named("(9[0] - 2[1]) * 3[2]")[1, 2] == ["MUL"]
    assert named("8[3] - (9[0] - 2[1]) * 3[2]")[0, 3] == ["SUB reversed"]


def test_a_difference_keeps_its_direction_where_it_is_subtracted() -> None:
    assert named("9[0] - (3[2] - 2[1])")[1, 2] == named("3[2] - 2[1]")[1, 2] == ["SUB reversed"]


def test_a_number_that_is_used_twice_has_several_relations_and_one_with_itself() -> None:
    found = named("8[0] + (8[2] + 5[1])", [0, 1, 0])
    assert found == {(0, 0): ["ADD with itself"], (0, 1): ["ADD", "ADD"]}


@given(expressions())
def test_every_two_numbers_that_are_used_are_related(expression) -> None:  # type: ignore[no-untyped-def]
    used = [number.quantity for number in numbers(expression) if number.quantity is not None]
    first = list(range(max(used, default=0) + 1))
    found = relations(expression, first)
    pairs = {(a, b) for a, b, _ in found}
    distinct = sorted(set(used))
    assert pairs >= {(a, b) for at, a in enumerate(distinct) for b in distinct[at + 1 :]}
    assert all(0 <= a <= b and relation != UNRELATED for a, b, relation in found)


def test_operations_that_expressions_share_are_looked_at_once() -> None:
    shared = from_infix("9[0] - 2[1]")
    one, other = (
        Operation(operator, shared, from_infix("3[2]")) for operator in (Operator.MUL, Operator.ADD)
    )
    known: Known = {}
    assert [relations(each, [0, 1, 2], known) for each in (one, other)] == [
        relations(each, [0, 1, 2]) for each in (one, other)
    ]
    assert len(known) == 3

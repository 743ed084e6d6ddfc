from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest

from text2math.mathematics.expression import (
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    is_equation,
    is_system,
    sort_of,
    system,
)
from text2math.mathematics.grammar import LEFT, OPERANDS, RIGHT, Brackets, Sort, inverse_in

X, ONE = Variable(1), Number(Fraction(1))
STATEMENT = Operation(Operator.EQU, X, ONE)


def test_signs_and_names_tell_the_operators_apart() -> None:
    signs = [operator.value for operator in Operator]
    assert len(set(signs)) == len(signs)
    for operator in Operator:
        assert Operator(operator.value) is Operator[operator.name] is operator


def test_operators_survive_copying_and_a_process_boundary() -> None:
    for operator in Operator:
        assert pickle.loads(pickle.dumps(operator)) is copy.deepcopy(operator) is operator


def test_only_values_without_a_place_at_the_root_stand_inside_values() -> None:
    inside = {operator.name for operator in Operator if operator in OPERANDS[Operator.ADD][LEFT]}
    assert inside == {"ADD", "SUB", "MUL", "DIV", "SUBR", "DIVR"}
    for operator in Operator:
        if operator is not Operator.SYS:
            assert OPERANDS[operator] == OPERANDS[Operator.ADD]


def test_a_system_groups_from_the_left() -> None:
    assert OPERANDS[Operator.SYS] == (
        frozenset({Operator.EQU, Operator.SYS}),
        frozenset({Operator.EQU}),
    )
    three = system([STATEMENT] * 3)
    assert equations(three) == (STATEMENT,) * 3
    assert isinstance(three.left, Operation)
    assert three.left.operator is Operator.SYS
    with pytest.raises(ValueError, match="must be a statement"):
        Operation(Operator.SYS, STATEMENT, system([STATEMENT] * 2))


@pytest.mark.parametrize(
    ("operator", "left", "right", "words"),
    [
        (Operator.ADD, STATEMENT, ONE, "left operand of '\\+' must be a value, and '=' makes a statement"),
        (Operator.EQU, ONE, STATEMENT, "right operand of '=' must be a value"),
        (Operator.SYS, ONE, STATEMENT, "must be a statement or a system, and this is a value"),
        (Operator.SYS, STATEMENT, X, "right operand of ';' must be a statement"),
        (Operator.MUL, ONE, Operation(Operator.CEIL, ONE, ONE), "'ceil' is allowed only at the root"),
        (Operator.EQU, X, Operation(Operator.GCD, ONE, ONE), "'gcd' is allowed only at the root"),
        (Operator.GCD, Operation(Operator.GCD, ONE, ONE), ONE, "'gcd' is allowed only at the root"),
    ],
)
def test_an_operand_of_the_wrong_sort_is_refused_with_a_reason(operator, left, right, words) -> None:
    with pytest.raises(ValueError, match=words):
        Operation(operator, left, right)


def test_expressions_have_the_sort_of_their_root() -> None:
    assert [sort_of(one) for one in (X, STATEMENT, system([STATEMENT] * 2))] == list(Sort)
    assert [is_equation(one) for one in (X, STATEMENT, system([STATEMENT] * 2))] == [False, True, False]
    assert [is_system(one) for one in (X, STATEMENT, system([STATEMENT] * 2))] == [False, False, True]
    assert equations(X) == ()


def test_the_table_refers_only_to_operators_that_there_are() -> None:
    for operator in Operator:
        entry = operator.entry
        for name in (entry.group, entry.mirrors, entry.function_of):
            assert name in ("", *Operator.__members__)
        assert all(sorts for sorts in entry.operands)
        assert operator.may_take(LEFT, None) == (Sort.VALUE in operator.takes(LEFT))
        assert operator.may_take(RIGHT, None) == (Sort.VALUE in operator.takes(RIGHT))
        # What is printed in brackets says where it begins and ends in every notation.
        kinds = {isinstance(sign, Brackets) for sign in (entry.infix, operator.unicode, operator.latex)}
        assert len(kinds) == 1
    assert inverse_in(Operator.MUL) is Operator.DIV
    assert inverse_in(Operator.GCD) is None

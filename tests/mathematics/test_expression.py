from __future__ import annotations

import gc
import pickle
from fractions import Fraction

import pytest
from hypothesis import given

from strategies import any_expressions
from text2math.mathematics.expression import (
    Number,
    Operation,
    Operator,
    Variable,
    depth,
    fold,
    is_equation,
    leaves,
    nodes,
    numbers,
    operators,
    variables,
)

SEVEN, THREE = Number(Fraction(7), 0), Number(Fraction(3), 1)


def chain(length: int) -> Operation:
    tree = Operation(Operator.ADD, SEVEN, THREE)
    for _ in range(length - 1):
        tree = Operation(Operator.ADD, tree, THREE)
    return tree


def test_numbers_differ_in_value_or_in_quantity():
    assert Number(Fraction(7), 0) == SEVEN
    assert Number(Fraction(7), 1) != SEVEN
    assert Number(Fraction(7)) != SEVEN


def test_operand_order_and_grouping_make_different_trees():
    a, b, c = (Variable(index) for index in (1, 2, 3))
    assert Operation(Operator.ADD, a, b) != Operation(Operator.ADD, b, a)
    left = Operation(Operator.ADD, Operation(Operator.ADD, a, b), c)
    right = Operation(Operator.ADD, a, Operation(Operator.ADD, b, c))
    assert left != right
    assert left != a


def test_equals_sign_stands_only_at_the_root():
    equation = Operation(Operator.EQU, SEVEN, THREE)
    assert is_equation(equation)
    with pytest.raises(ValueError, match="must be a value"):
        Operation(Operator.ADD, equation, SEVEN)


def test_unknowns_are_numbered_from_one():
    with pytest.raises(ValueError, match="from 1"):
        Variable(0)


def test_inverse_operators_mirror_the_plain_ones():
    assert Operator.SUBR.inverse_of is Operator.SUB
    assert Operator.DIVR.inverse_of is Operator.DIV
    assert Operator.ADD.inverse_of is None
    assert {operator.name for operator in Operator if operator.commutative} == {
        *("EQU", "ADD", "MUL"),
        *("SYS", "GCD", "LCM"),
    }
    assert all(operator.arity == 2 for operator in Operator)


@given(any_expressions())
def test_equal_trees_hash_alike_and_survive_a_process_boundary(tree):
    copy = pickle.loads(pickle.dumps(tree))
    assert copy == tree
    assert hash(copy) == hash(tree)
    assert depth(copy) == depth(tree)


@given(any_expressions())
def test_walks_agree_on_how_many_nodes_there_are(tree):
    count = fold(tree, lambda leaf: 1, lambda operator, left, right: left + right + 1)
    assert count == len(list(nodes(tree)))
    assert len(list(leaves(tree))) == len(list(operators(tree))) + 1
    assert set(leaves(tree)) == {*numbers(tree), *variables(tree)}


@given(any_expressions())
def test_folding_with_the_constructor_rebuilds_the_tree(tree):
    assert fold(tree, lambda leaf: leaf, Operation) == tree


def test_very_deep_trees_compare_hash_and_fold_without_recursion():
    assert chain(50_000) == chain(50_000)
    assert chain(50_000) != chain(49_999)
    assert hash(chain(50_000)) == hash(chain(50_000))
    assert fold(chain(50_000), lambda leaf: 0, lambda operator, left, right: left + 1) == 50_000


@given(any_expressions())
def test_the_nodes_asked_for_again_are_the_same(expression):
    first = list(nodes(expression))
    assert first[0] is expression
    assert all(one is other for one, other in zip(first, nodes(expression), strict=True))
    assert list(nodes(pickle.loads(pickle.dumps(expression)))) == first


def test_an_expression_whose_nodes_were_asked_for_is_no_cycle():
    tree = chain(3)
    list(nodes(tree))
    assert tree not in gc.get_referents(*gc.get_referents(tree))

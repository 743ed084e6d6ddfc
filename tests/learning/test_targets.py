"""Training targets: trees that fit the text, both names of unknowns, answers, the paper's variants."""

from __future__ import annotations

from fractions import Fraction

import pytest

from text2math.inference.potentials import Symbol
from text2math.language.attachment import crossings
from text2math.language.problem import Example, read_problem
from text2math.learning.targets import expressions_with, symbols_of, targets
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import Variable
from text2math.mathematics.notation import from_infix
from text2math.mathematics.rewriting import (
    with_inverse_operators,
    with_unknown,
    without_inverse_operators,
    without_unknown,
)
from text2math.model.config import TargetConfig

PROBLEM = read_problem("Tom had 9 pens, lost 2 and found 4. How many pens has he?")


def test_an_expression_that_crosses_gives_way_to_one_that_does_not():
    gold = from_infix("(9[0] + 4[2]) - 2[1]")
    assert crossings(gold)
    (found,) = targets(Example(PROBLEM, gold), TargetConfig())
    assert not crossings(found)
    assert evaluate(found) == 11


def test_equivalent_trees_all_have_the_gold_value_and_fit_the_text():
    found = targets(Example(PROBLEM, from_infix("(9[0] - 2[1]) + 4[2]")), TargetConfig(equivalent=True))
    assert len(found) > 1
    assert {evaluate(tree) for tree in found} == {Fraction(11)}
    assert not any(map(crossings, found))


def test_two_unknowns_may_have_either_name():
    gold = from_infix("X1 = 2[0] + X2")
    found = targets(Example(read_problem("A is 2 more than B."), gold), TargetConfig())
    assert found == (gold, from_infix("X2 = 2[0] + X1"))


def test_an_answer_alone_gives_every_small_expression_with_it():
    found = set(expressions_with(PROBLEM, Fraction(11)))
    assert from_infix("9[0] + 2[1]") in found
    assert from_infix("(9[0] - 2[1]) + 4[2]") in found
    assert all(evaluate(tree) == 11 for tree in found)


def test_answers_are_learned_from_even_where_an_expression_stands():
    example = Example(PROBLEM, from_infix("9[0] + 2[1]"), Fraction(11))
    assert len(targets(example, TargetConfig(answers=True))) > 1


def test_an_example_without_any_gold_is_refused():
    with pytest.raises(ValueError, match="neither an expression nor an answer"):
        targets(Example(PROBLEM, None), TargetConfig())


@pytest.mark.parametrize("text", ["4[2] - 9[0]", "9[0] - 2[1]", "(4[2] - 2[1]) / 9[0]"])
def test_inverse_operators_keep_the_value_and_undo(text: str):
    tree = from_infix(text)
    inverse = with_inverse_operators(tree)
    assert evaluate(inverse) == evaluate(tree)
    assert without_inverse_operators(inverse) == tree


@pytest.mark.parametrize("where", ["prefix", "suffix", "none"])
def test_an_unknown_put_on_comes_off_again(where: str):
    tree = from_infix("9[0] + 2[1]")
    assert without_unknown(with_unknown(tree, where)) == tree


def test_an_unknown_among_the_numbers_is_no_arithmetic():
    assert without_unknown(from_infix("X1 + 2 = 9")) is None


def test_the_symbols_of_expressions_come_in_the_order_of_the_grammar():
    trees = [from_infix("X1 = 2[0] * X2")]
    assert symbols_of(trees) == (Symbol.EQU, Symbol.MUL, Symbol.CON, Symbol.X1, Symbol.X2)


def test_the_unknowns_of_a_system_are_named_in_its_order_whatever_is_asked() -> None:
    problem = read_problem("The sum of two numbers is 9, their difference 1. Find the smaller one.")
    gold = from_infix("X2 + X1 = 9[0]; X2 - X1 = 1[1]")
    for asked in ((Variable(1),), (Variable(2),), (Variable(1), Variable(2))):
        example = Example(problem, gold, asked=asked)
        assert targets(example, TargetConfig()) == (from_infix("X1 + X2 = 9[0]; X1 - X2 = 1[1]"),)


def test_the_unknowns_of_an_equation_have_every_name() -> None:
    problem = read_problem("One number is 9 more than the other.")
    example = Example(problem, from_infix("X1 = X2 + 9[1]"))
    assert len(targets(example, TargetConfig())) == 2

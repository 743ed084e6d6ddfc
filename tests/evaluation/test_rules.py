"""The published program's rules: what they override, what they reorder, what they leave alone."""

from __future__ import annotations

import pytest

from text2math.evaluation.rules import signalled, with_rules
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem
from text2math.mathematics.expression import Operator
from text2math.mathematics.notation import from_infix, to_infix

PLAIN = "Ann had 4 pens. Tom had 9 pens. How many pens?"


@pytest.mark.parametrize(
    ("text", "predicted", "expected"),
    [
        ("Ann has 4 pens. Tom has 9 pens. How many pens altogether?", "9[1] - 4[0]", "4 + 9"),
        ("Ann has 4 pens in each of 9 boxes. How many pens?", "4[0] + 9[1]", "4 * 9"),
        (PLAIN, "4[0] - 9[1]", "9 - 4"),
        (PLAIN, "9[1] - 4[0]", "9 - 4"),
        ("Ann has 4 pens and 9 cups in 2 boxes. How many are in each?", "4[0] + 9[1]", "4 + 9"),
        ("Ann has 3 pens for 9 boys. How many pens?", "3[0] / 9[1]", "9 / 3"),
        ("Ann had 4, 5 and 2 pens. How many pens?", "4[0] - 5[1] - 2[2]", "2 - (4 - 5)"),
        ("Ann had 4, 5 and 2 pens. How many pens?", "5[1] + 4[0] - 2[2]", "5 + 4 - 2"),
    ],
)
def test_a_prediction_is_overridden_by_a_signal_word_or_reordered(text: str, predicted: str, expected: str):
    found = with_rules(read_problem(text), from_infix(predicted), Lexicon.signals())
    assert found is not None
    reference = from_infix(expected)
    assert to_infix(found) == to_infix(reference)


def test_rules_leave_equations_and_missing_predictions_alone():
    problem = read_problem("Altogether X is 4 more than 9.")
    equation = from_infix("X1 = 4[0] - 9[1]")
    assert with_rules(problem, equation, Lexicon.signals()) == equation
    assert with_rules(problem, None, Lexicon.signals()) is None


def test_a_signal_of_the_story_comes_before_one_of_the_question():
    text = "There are 4 pens in each box and 9 boxes. How many pens altogether?"
    assert signalled(read_problem(text), Lexicon.signals()) is Operator.MUL
    assert signalled(read_problem(PLAIN), Lexicon.signals()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If Ann walked 6 miles at 3 miles per hour, how long did she walk?", Operator.DIV),
        ("Ann walked at 3 miles per hour. How far did she walk in 6 hours?", Operator.MUL),
        ("Ann had 4 pens and 9 boxes. If she puts 4 pens in each, how many pens has she?", Operator.DIV),
        ("If Ann has 4 pens and gets 9 more, how many pens has she?", Operator.ADD),
        ("Ann has 4 pens. Tom has 9 pens. How many more pens has Tom?", Operator.SUB),
    ],
)
def test_the_whole_last_sentence_is_the_question_and_the_rest_the_story(text: str, expected: Operator):
    assert signalled(read_problem(text), Lexicon.signals()) is expected


def test_without_a_lexicon_no_operation_is_overridden():
    problem = read_problem("Ann has 4 pens. Tom has 9 pens. How many pens altogether?")
    predicted = from_infix("9[1] - 4[0]")
    assert with_rules(problem, predicted, Lexicon()) == predicted

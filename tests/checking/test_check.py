"""Answers are compared as people mean them, and a mistake is named where it can be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fakes import FakeParser, fact_model
from text2math.checking import check
from text2math.checking.check import verdict_on
from text2math.checking.given import agrees, agrees_with_all, agrees_with_equation, read_given
from text2math.checking.mistakes import what_went_wrong
from text2math.language.answers import NO_UNIT, Unit
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.candidates import Candidate
from text2math.parse import Parse
from text2math.parser import Parser

CM, DOLLAR, PERCENT, PENS = Unit("cm", "cm"), Unit(sign="$"), Unit(sign="%"), Unit("pen", "pens")


@pytest.mark.parametrize(
    ("value", "unit", "given", "same"),
    [
        ("1/2", NO_UNIT, "0.5", True),
        ("1/2", NO_UNIT, "1/2", True),
        ("1/2", NO_UNIT, "2/4", True),
        ("5/2", NO_UNIT, "2 1/2", True),
        ("8", PENS, "eight pens", True),
        ("8", PENS, "8 dollars", False),
        ("1250", NO_UNIT, "1,250", True),
        ("10/3", NO_UNIT, "3.33", True),
        ("10/3", NO_UNIT, "3.3", False),
        ("10/3", NO_UNIT, "3.34", False),
        ("155", CM, "1.55 m", True),
        ("155", CM, "1 m 55 cm", True),
        ("155", CM, "155cm", True),
        ("155", CM, "155 m", False),
        ("155", CM, "155 kg", False),
        ("7/2", DOLLAR, "$3.50", True),
        ("7/2", DOLLAR, "350 cents", True),
        ("7/2", DOLLAR, "3.5", True),
        ("1/4", PERCENT, "25%", True),
        ("1/4", PERCENT, "25", True),
        ("6", NO_UNIT, "x = 6", True),
        ("6", NO_UNIT, "2 * 3", True),
        ("6", NO_UNIT, "5 and 1", False),
        ("-6", NO_UNIT, "-6", True),
        ("6", NO_UNIT, "", False),
    ],
)
def test_values_are_compared_as_people_mean_them(value: str, unit: Unit, given: str, same: bool):
    assert agrees(Fraction(value), read_given(given), unit) is same


def test_times_and_ratios_are_read():
    assert agrees(Fraction(470), read_given("7:50"), clock=True)
    assert not agrees(Fraction(470), read_given("7:51"), clock=True)
    assert agrees(Fraction(3, 4), read_given("3 : 4"))


def test_several_values_agree_in_any_order():
    assert agrees_with_all([Fraction(12), Fraction(18)], read_given("18 and 12"))
    assert agrees_with_all([Fraction(12), Fraction(24)], read_given("Tim is 12, Sara is 24"))
    assert not agrees_with_all([Fraction(12), Fraction(18)], read_given("18"))


def test_equivalent_equations_agree():
    expected = from_infix("3 * X1 = 5 * X2 - 11")
    assert agrees_with_equation(expected, read_given("3x + 11 = 5y"))
    assert not agrees_with_equation(expected, read_given("3x = 5y"))


@pytest.mark.parametrize(
    ("text", "right", "wrong", "said"),
    [
        ("Ann had 12 pens and lost 4 pens. How many are left?", "12[0] - 4[1]", "12[0] + 4[1]",
         "you added; the text says “lost”"),
        ("Ann had 12 pens and lost 4 pens. How many are left?", "12[0] - 4[1]", "4[1] - 12[0]",
         "you subtracted the other way round"),
        ("Sam is 9. He has 14 pens and 5 cups. How many things?", "14[1] + 5[2]", "9[0] + 14[1] + 5[2]",
         "you used 9, which the question does not need"),
        ("He has 14 pens, 6 caps and 5 cups. How many things?", "14[0] + 6[1] + 5[2]", "14[0] + 5[2]",
         "you left out 6"),
        ("130 children, 40 in a bus. How many buses are needed?", "ceil(130[0] / 40[1])",
         "floor(130[0] / 40[1])", "you rounded down; the question needs rounding up"),
        ("130 children, 40 in a bus. How many buses are needed?", "ceil(130[0] / 40[1])", "130[0] / 40[1]",
         "you divided; the question needs rounding up"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(text: str, right: str, wrong: str, said: str):
    ours, theirs = Candidate(from_infix(right), 0.9), Candidate(from_infix(wrong), 0.1)
    problem = read_problem(text)
    numbers = [text[quantity.start : quantity.end] for quantity in problem.quantities]
    assert what_went_wrong(problem, ours, theirs, numbers) == said


def test_a_number_that_a_word_mentions_again_is_named_with_the_word() -> None:
    parser = Parser.of(fact_model())
    text = "Al jogs 3 miles a day. How many miles is that in a week?"
    found = check(text, "9", parser=parser).mistake
    assert found == "you used 3 (miles), which the question does not need"


def test_a_fact_that_both_readings_use_is_not_called_needless() -> None:
    problem = read_problem("Al jogs 3 miles a day. How far in a week?", knowledge=True)
    facts = [at for at, quantity in enumerate(problem.all_quantities) if quantity.fact]
    numbers = [quantity.fact or str(quantity.value) for quantity in problem.all_quantities]
    right = Candidate(from_infix(f"3[0] * 7[{facts[1]}]"), 0.9)
    wrong = Candidate(from_infix(f"3[0] / 7[{facts[0]}] * 7[{facts[1]}]"), 0.1)
    assert "week" not in what_went_wrong(problem, right, wrong, numbers)


def test_a_verdict_says_what_the_answer_should_be_or_why_nobody_can_tell():
    parse = FakeParser().parse("7 apples and 3 apples. How many apples?")
    assert str(verdict_on(parse, read_given("10"))) == "right: 10 apples"
    assert str(verdict_on(parse, read_given("11"))) == "wrong: 11 should be 10 apples"
    assert verdict_on(parse, read_given("no idea")).agrees is None
    nothing = verdict_on(Parse.nothing("Hi!", "there is no number in the text"), read_given("3"))
    assert (nothing.agrees, nothing.reason) == (None, "there is no number in the text")


def test_the_library_checks_an_answer_in_one_line():
    verdict = check("Ann had 12 pens and lost 4 pens. How many pens does she have left?", "16")
    assert (verdict.agrees, verdict.expected) == (False, "8 pens")
    assert verdict.mistake == "you added; the text says “lost”"

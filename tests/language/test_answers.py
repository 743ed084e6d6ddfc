"""Answers have the unit that a person would write, and no unit rather than a wrong one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from text2math.data import load
from text2math.language.answers import (
    NO_UNIT,
    Unit,
    answer_text,
    answer_unit,
    node_unit,
    solution_text,
    with_unit,
)
from text2math.language.problem import Example, read_problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.notation import from_infix

# Written by hand from the texts: the id of a problem of the exam, and its answer as a person writes it.
ANNOTATED = Path(__file__).parent / "data" / "exam_answers.txt"
LEAST = 0.95


def annotations() -> dict[str, str]:
    lines = ANNOTATED.read_text(encoding="utf-8").splitlines()
    return {id: answer for id, _, answer in (line.partition(" ") for line in lines)}


def written(example: Example) -> str:
    assert example.expression is not None
    value = evaluate(example.expression)
    assert value is not None
    return with_unit(value, answer_unit(example.problem, example.expression))


def agrees(ours: str, annotated: str) -> bool:
    """The same answer; ours may have an adjective in front of the noun."""
    number, _, noun = annotated.partition(" ")
    return ours == annotated or (bool(noun) and ours.startswith(f"{number} ") and ours.endswith(f" {noun}"))


def test_the_units_of_200_problems_are_those_that_a_person_wrote():
    wanted = annotations()
    assert len(wanted) == 200
    examples = [example for example in load("exam").examples if example.problem.id in wanted]
    found = {example.problem.id: written(example) for example in examples}
    wrong = {id: (found[id], answer) for id, answer in wanted.items() if not agrees(found[id], answer)}
    assert 1 - len(wrong) / len(wanted) >= LEAST, wrong


@pytest.mark.parametrize(
    ("text", "mathematics", "wanted"),
    [
        ("130 children go by bus. A bus holds 40. How many buses are needed?", "ceil(130[0] / 40[1])",
         "4 buses (3.25, rounded up)"),
        ("Shoes cost £40 and a belt £5.50. How much do they cost together?", "40[0] + 5.50[1]", "£45.50"),
        ("Ben paid 27 euros for 6 cups. How much was one cup?", "27[0] / 6[1]", "4.50 euros"),
        ("A bag weighs 5 pounds and another 3 pounds. How much do they weigh?", "5[0] + 3[1]", "8 pounds"),
        ("A car drives 120 miles in 2 hours. How fast does it go?", "120[0] / 2[1]", "60 miles per hour"),
        ("A pen costs 25 cents. How much do 4 pens cost?", "25[0] * 4[1]", "100 cents"),
        ("Of 40 pupils 10 walk to school. What percent of the pupils walk?", "10[1] / 40[0]", "25%"),
        ("A rug is 5 m long and 3 m wide. What is its area?", "5[0] * 3[1]", "15 m²"),
        ("Sue had 3 dogs and 2 ran away. How many dogs does she have?", "3[0] - 2[1]", "1 dog"),
        ("There are 12 boys and 16 girls. What is the ratio of boys to girls?", "12[0] : 16[1]", "3 : 4"),
        ("It starts at 6:15 and lasts 95 minutes. When does it end?", "375 + 95[0]", "7:50"),
        ("A tree grew from 120 cm by 35 cm. How tall is it now?", "120[0] + 35[1]", "155 cm"),
    ],
)  # fmt: skip
def test_answers_are_written_the_usual_way(text: str, mathematics: str, wanted: str):
    problem, expression = read_problem(text), from_infix(mathematics)
    value = evaluate(expression)
    assert value is not None
    assert answer_text(text, expression, value, answer_unit(problem, expression)) == wanted


@pytest.mark.parametrize(
    ("text", "mathematics"),
    [
        ("Tom walked 3 miles and then 500 feet. How far did he walk?", "3[0] + 500[1]"),
        ("Mike has 7 apples, Nancy 3 apples and Keith 6 pears. How many are there?", "7[0] + (3[1] + 6[2])"),
        ("What number is 5 apples more than 3?", "5[0] + 3[1]"),
        ("Lisa gave away 12 stickers. She has 30 left. How many did she have?", "30[1]"),
        ("A rug is 5 m long and 3 feet wide. What is its area?", "5[0] * 3[1]"),
    ],
)
def test_there_is_no_unit_rather_than_a_wrong_one(text: str, mathematics: str):
    assert answer_unit(read_problem(text), from_infix(mathematics)) == NO_UNIT


def test_a_fraction_of_one_is_singular_and_money_that_does_not_come_out_even_is_rounded():
    assert with_unit(Fraction(1, 3), Unit("pound", "pounds")) == "1/3 pound"
    assert with_unit(Fraction(20, 3), Unit(sign="$")) == "about $6.67"
    assert with_unit(Fraction(-3), Unit("degree", "degrees")) == "−3 degrees"


@pytest.mark.parametrize(
    ("phrases", "shown"),
    [
        ({"X1": "James", "X2": "Eva's age"}, "James is 12, Eva is 8"),
        ({"X1": "one number", "X2": "the other"}, "one number is 12, the other is 8"),
        ({"X2": "two numbers"}, "12 and 8"),
        ({"X1": "the smaller", "X2": "two numbers"}, "12 and 8"),
        ({"X1": "cars", "X2": "motorbikes"}, "12 and 8"),
        ({"X1": "Ben", "X2": "%"}, "12 and 8"),
        ({}, "12 and 8"),
    ],
)
def test_several_values_have_names_only_if_each_has_one_of_its_own(phrases: dict[str, str], shown: str):
    assert solution_text({"X1": Fraction(12), "X2": Fraction(8)}, phrases) == shown


def test_one_value_without_a_name_is_that_of_its_unknown():
    assert solution_text({"X1": Fraction(12)}, {}) == "X1 is 12"


@pytest.mark.parametrize(
    ("text", "mathematics", "unit"),
    [
        ("Mia reads 12 pages a day for 2 weeks. How many pages does she read?", "12[0] * 2[1]", ""),
        ("A van uses 9 litres an hour for 3 hours. How many litres?", "9[0] * 3[1]", "litres"),
        ("A cook uses 250 g of flour. How many kg are needed for 12 cakes?", "250[0] / 1000[2]", ""),
        ("A walk of 3 km. How many m is that?", "3[0] * 1000[1]", "m"),
        ("Lena had 3 m of ribbon and used 50 cm. How much is left?", "3[0] * 100[2] - 50[1]", "cm"),
        ("A plank of 2 meters and 40 centimeters: how long is it?", "2[0] * 100[2] + 40[1]", "centimeters"),
    ],
)
def test_a_converted_part_has_the_unit_of_the_text_or_no_unit(text: str, mathematics: str, unit: str):
    problem = read_problem(text, knowledge=True)
    assert node_unit(problem, from_infix(mathematics)).many == unit

from __future__ import annotations

from fractions import Fraction

import pytest

from text2math.data import load
from text2math.language.problem import read_problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import from_infix
from text2math.model.doubts import CODES, doubts, is_english


def codes(text: str, expression: str) -> list[str]:
    parsed = from_infix(expression)
    answer = None if is_equation(parsed) else evaluate(parsed)
    return [doubt.code for doubt in doubts(read_problem(text), parsed, answer)]


@pytest.mark.parametrize(
    ("code", "text", "expression"),
    [
        (
            "fractional-count",
            "130 children go by bus. A bus holds 40. How many buses are needed?",
            "130[0] / 40[1]",
        ),
        ("negative-amount", "Tom had 12 marbles. He lost 15 of them. How many are left?", "12[0] - 15[1]"),
        ("not-mentioned", "Ann has 5 dogs and 3 cats. How many parrots does Ann have?", "5[0] + 3[1]"),
        (
            "units-differ",
            "A rope is 3 meters long, the other 40 centimeters. How long are both?",
            "3[0] + 40[1]",
        ),
        (
            "unused-number",
            "Al has 3 pens, Bo has 4 pens, Cy has 9 pens. How many pens have Al and Bo?",
            "3[0] + 4[1]",
        ),
        (
            "several-questions",
            "Al has 3 pens and gets 4. How many pens has he? How many did he get?",
            "3[0] + 4[1]",
        ),
        ("not-english", "Tom hat 3 Äpfel und kauft 4 dazu. Wie viele Äpfel hat er nun?", "3[0] + 4[1]"),
    ],
)
def test_each_doubt_is_raised_by_its_example(code: str, text: str, expression: str) -> None:
    assert code in CODES
    assert codes(text, expression) == [code]


def test_a_doubt_points_at_the_words_it_is_about() -> None:
    text = "Ann has 5 dogs and 3 cats. How many parrots does Ann have?"
    (doubt,) = doubts(read_problem(text), from_infix("5[0] + 3[1]"), Fraction(8))
    assert [text[start:end] for start, end in doubt.spans] == ["parrots"]
    assert doubt.to_dict()["code"] == "not-mentioned"


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("Ann cuts 5 meters of rope into 2 pieces. How many meters is each piece?", "5[0] / 2[1]"),
        ("Three apples and 4 pears are in a bowl. How many fruits are there?", "3[0] + 4[1]"),
        ("The temperature was 3 degrees and fell by 5 degrees. What is it now?", "3[0] - 5[1]"),
    ],
)
def test_sound_readings_raise_no_doubt(text: str, expression: str) -> None:
    assert codes(text, expression) == []


def test_gold_readings_of_the_exam_rarely_raise_a_doubt_other_than_a_number_left_over() -> None:
    raised = [
        doubt.code
        for example in load("exam").examples
        if example.expression is not None and not is_equation(example.expression)
        for doubt in doubts(example.problem, example.expression, evaluate(example.expression))
    ]
    assert len([code for code in raised if code != "unused-number"]) <= 6


@pytest.mark.parametrize(
    "text",
    [
        "Tom a 3 pommes et achète 4 poires. Combien de fruits a-t-il ?",
        "Juan tiene 3 manzanas y compra 4 más. ¿Cuántas manzanas tiene?",
        "У Маши 3 яблока. Она купила ещё 4. Сколько яблок у Маши?",
        "小明有3个苹果, 又买了4个。 他一共有几个苹果?",
    ],
)
def test_other_languages_are_not_english(text: str) -> None:
    assert not is_english(read_problem(text))

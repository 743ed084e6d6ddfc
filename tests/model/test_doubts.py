from __future__ import annotations

from fractions import Fraction

import pytest

from text2math.data.corpus import EXAM_PARTS, PLAIN, load_exam
from text2math.language.problem import Example, read_problem
from text2math.mathematics.algebra import answer_of, evaluate
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
            "Al has 3 pens, Bo has 4 pens, Cy has 9 pens. How many pens are there?",
            "3[0] + 4[1]",
        ),
        (
            "several-questions",
            "Al has 3 pens and gets 4. How many pens has he? How many did he get?",
            "3[0] + 4[1]",
        ),
        ("fractional-count", "35 marbles are shared by 4 boys. How many does each boy get?", "35[0] / 4[1]"),
        (
            "fractional-count",
            "There are 29 children and 4 equal teams. What is the number of children in each team?",
            "29[0] / 4[1]",
        ),
        (
            "fractional-count",
            "47 people cross a lake. A boat takes 6 people. How often must it go?",
            "47[0] / 6[1]",
        ),
        (
            "not-mentioned",
            "There are 12 sheep and 13 goats on a boat. How old is the captain?",
            "12[0] + 13[1]",
        ),
        (
            "not-mentioned",
            "Peter bought 3 apples and 5 pears. How much do the bananas cost?",
            "3[0] * 5[1]",
        ),
        ("not-mentioned", "Ben has 12 stamps, Ada has 15. How many coins do they have?", "12[0] + 15[1]"),
        (
            "unused-number",
            "A film lasts 2 hours and 15 minutes, another 95 minutes. How many minutes do both last?",
            "15[1] + 95[2]",
        ),
        (
            "unused-number",
            "Tom had 8 apples. He bought 5 apples. He lost 3 apples. How many apples does Tom have now?",
            "8[0] + 5[1]",
        ),
        (
            "several-questions",
            "Ali has 14 cars and buys 6. How many has he now, and how many will he have if he gets 4?",
            "14[0] + 6[1] + 4[2]",
        ),
        ("several-questions", "Find the sum and the difference of 12 and 5.", "12[0] - 5[1]"),
        ("not-english", "Ein Buch kostet 8 Euro. Was kosten 5 Bücher?", "8[0] * 5[1]"),
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
        ("5 pizzas are shared by 4 friends. How many pizzas does each friend get?", "5[0] / 4[1]"),
        ("Al has 3 pens, Bo has 4 pens, Cy has 9 pens. How many pens have Al and Bo?", "3[0] + 4[1]"),
        ("A bakery baked 120 bagels. By noon 67 were sold, then 38. How many were sold?", "67[1] + 38[2]"),
        ("Hi! Can you solve this? Al has 3 pens and gets 4. How many has he? Any ideas?", "3[0] + 4[1]"),
        ("A jar costs 7 rand. How much do 3 jars cost?", "7[0] * 3[1]"),
        ("A pole is 2 m long, another one 3 metres. How long are both?", "2[0] + 3[1]"),
        (
            "A farmer has hens and goats, 7 in all, with 22 legs. How many hens and how many goats has he?",
            "X1 + X2 = 7[0]; 2 * X1 + 4 * X2 = 22[1]",
        ),
        ("The temperature was 3 degrees and fell by 5 degrees. What is it now?", "3[0] - 5[1]"),
    ],
)
def test_sound_readings_raise_no_doubt(text: str, expression: str) -> None:
    assert codes(text, expression) == []


@pytest.mark.parametrize("part", EXAM_PARTS)
def test_gold_readings_of_the_exam_rarely_raise_a_doubt(part: str) -> None:
    examples = load_exam(part, knowledge=part != PLAIN).examples
    raised = [example for example in examples if _raises_a_doubt(example)]
    assert len(raised) <= 0.03 * len(examples)


def _raises_a_doubt(example: Example) -> bool:
    assert example.expression is not None
    return bool(doubts(example.problem, example.expression, answer_of(example.expression)))


@pytest.mark.parametrize(
    "text",
    [
        "Tom a 3 pommes et achète 4 poires. Combien de fruits a-t-il ?",
        "Juan tiene 3 manzanas y compra 4 más. ¿Cuántas manzanas tiene?",
        "У Маши 3 яблока. Она купила ещё 4. Сколько яблок у Маши?",
        "Un libro cuesta 8 euros. ¿Cuánto cuestan 5 libros?",
        "Un livre coûte 8 euros. Combien coûtent 5 livres ?",
        "Luca ha 12 mele e ne mangia 4. Quante mele gli restano?",
        "Ali'nin 12 elması var. 5 tanesini yedi. Kaç elması kaldı?",
        "小明有3个苹果, 又买了4个。 他一共有几个苹果?",
    ],
)
def test_other_languages_are_not_english(text: str) -> None:
    assert not is_english(read_problem(text))


def test_a_difference_below_zero_may_be_of_a_number_that_words_imply() -> None:
    problem = read_problem("Al sleeps 3 hours a day. How much less is that in a week?", knowledge=True)
    week = next(k for k, one in enumerate(problem.all_quantities) if one.value == 7)
    expression = from_infix(f"3[0] - 7[{week}]")
    (doubt,) = [one for one in doubts(problem, expression, Fraction(-4)) if one.code == "negative-amount"]
    assert [problem.text[start:end] for start, end in doubt.spans] == ["3", "day"]

"""The number recogniser: forms, what is not a quantity, robustness, and coverage of public data."""

from __future__ import annotations

import importlib.util
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2math.language.numbers import (
    MAX_DIGITS,
    NOT_QUANTITIES,
    Kind,
    find_numbers,
    find_quantities,
    vocabulary,
)
from text2math.language.problem import read_problem, with_knowledge


def spans(text: str) -> list[str]:
    return [match.text for match in find_quantities(text)]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("7", "7", "digits"),
        ("70.0", "70", "digits"),
        (".833", "833/1000", "digits"),
        ("12,000", "12000", "digits"),
        ("3,103.50", "6207/2", "digits"),
        ("0.16666666666666666", "16666666666666666/100000000000000000", "digits"),
        ("1e3", "1000", "digits"),
        ("2.39 billion", "2390000000", "digits"),
        ("5 hundred", "500", "digits"),
        ("1/2", "1/2", "fraction"),
        ("1 / 2", "1/2", "fraction"),
        ("3 1/2", "7/2", "fraction"),
        ("1/3rd", "1/3", "fraction"),
        ("½", "1/2", "fraction"),
        ("3½", "7/2", "fraction"),
        ("two thirds", "2/3", "fraction"),
        ("two-thirds", "2/3", "fraction"),
        ("one-half", "1/2", "fraction"),
        ("three-quarters", "3/4", "fraction"),
        ("five-third", "5/3", "fraction"),
        ("a half", "1/2", "fraction"),
        ("half", "1/2", "fraction"),
        ("two and a half", "5/2", "fraction"),
        ("2 and a half", "5/2", "fraction"),
        ("zero", "0", "words"),
        ("seventeen", "17", "words"),
        ("twenty-five", "25", "words"),
        ("twenty five", "25", "words"),
        ("one hundred and twenty-five", "125", "words"),
        ("one hundred twenty five", "125", "words"),
        ("two-hundred", "200", "words"),
        ("a hundred and five", "105", "words"),
        ("a hundred thousand", "100000", "words"),
        ("two million three hundred thousand and five", "2300005", "words"),
        ("0.7%", "7/1000", "percent"),
        ("6 %", "6/100", "percent"),
        ("six percent", "6/100", "percent"),
        ("2.5 per cent", "1/40", "percent"),
        ("$8", "8", "money"),
        ("$ 8", "8", "money"),
        ("$3,103.50", "6207/2", "money"),
        ("$2.5 million", "2500000", "money"),
        ("-$5", "-5", "money"),
        ("$-5", "-5", "money"),
        ("50¢", "1/2", "money"),
        ("-8", "-8", "digits"),
        ("−8", "-8", "digits"),
        ("negative five", "-5", "words"),
        ("negative 5", "-5", "digits"),
        ("twice", "2", "multiplier"),
        ("thrice", "3", "multiplier"),
        ("double", "2", "multiplier"),
        ("tripled", "3", "multiplier"),
        ("a dozen", "12", "multiplier"),
        ("half a dozen", "6", "multiplier"),
        ("a pair", "2", "multiplier"),
        ("3 dozen", "36", "digits"),
        ("two dozen", "24", "words"),
        ("٣", "3", "digits"),
    ],
)
def test_a_form_has_its_value_and_the_whole_of_it_is_the_span(text: str, value: str, kind: str) -> None:
    sentence = f"There was {text}."
    (match,) = find_quantities(sentence)
    assert (match.value, match.kind, match.text) == (Fraction(value), kind, text)
    assert sentence[match.start : match.end] == text


@pytest.mark.parametrize(
    ("text", "written"), [("How many eggs are 4 dozen?", "4"), ("Two dozen roses.", "Two")]
)
def test_with_knowledge_the_dozens_of_a_text_without_another_number_are_left_to_multiply(
    text: str, written: str
) -> None:
    problem = read_problem(text, knowledge=True)
    assert [text[quantity.start : quantity.end] for quantity in problem.quantities] == [written]
    assert 12 in {quantity.value for quantity in problem.implied}
    plain = read_problem(text)
    assert [text[one.start : one.end] for one in plain.quantities] == [f"{written} dozen"]
    assert with_knowledge(plain) == problem
    assert with_knowledge(problem, False) == plain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a cat and an apple",
        "at 4:30 he left",
        "In 2010, it rained.",
        "since 1999 they were friends",
        "on June, 2010 it rained",
        "the 1990s",
        "the first, the third and the twenty-first man",
        "the 3rd man and the 21st",
        "an mp3 player with H2O",
        "the tens digit and the ones digit",
        "the ten's digit",
        "the other one and each one and the larger one",
        "in the second half",
        "thousands of hundreds",
        "how many dozen",
        "a pair of blue jeans",
        "a double-crust pie",
        "a negative number",
        "1e999",
        "9" * (MAX_DIGITS + 1),
    ],
)
def test_what_counts_nothing_is_no_quantity(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ratio of 2:1", ["2", "1"]),
        ("the ratio 12:15", ["12", "15"]),
        ("5:3:2", ["5", "3", "2"]),
        ("1,5 and 2,3456", ["1", "5", "2", "3456"]),
        ("a 20-pound bag", ["20"]),
        ("the three-legged dog", ["three"]),
        ("$49.76/bbl", ["$49.76"]),
        ("9x + 34m", ["9", "34"]),
        ("8 -5 and x -3", ["8", "5", "3"]),
        ("from 3-5", ["3", "5"]),
        ("one two three", ["one", "two", "three"]),
        ("one hundred and two hundred", ["one hundred", "two hundred"]),
        ("the sum of 2 and 1/2 is", ["2", "1/2"]),
        ("2 and 1/2 hours", ["2 and 1/2"]),
        ("three quarters and two dimes", ["three", "two"]),
        ("three quarters of it", ["three quarters"]),
        ("a third of a third number", ["a third"]),
        ("only one third of them, and of the rest one half", ["one third", "one half"]),
        ("the only one, the other one and each one", []),
        ("one of the numbers is one more", ["one", "one"]),
        ("such that one is larger", ["one"]),
        ("in 2000 pounds and 2010 men", ["2000", "2010"]),
        ("5/0", ["5", "0"]),
        ("3/4/2010", ["3", "4", "2010"]),
        ("It costs 9.What is 16?", ["9", "16"]),
        ("twice 3 is six times one", ["twice", "3", "six", "one"]),
    ],
)
def test_numbers_are_cut_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


def test_ordinals_come_only_when_asked_for() -> None:
    text = "the first and the 2nd of 5"
    assert spans(text) == ["5"]
    assert [(m.text, m.value) for m in find_quantities(text, ordinals=True)] == [
        ("first", 1),
        ("2nd", 2),
        ("5", 5),
    ]


def test_every_number_is_found_with_its_kind() -> None:
    kinds = {match.text: match.kind for match in find_numbers("In 2010 the first came at 4:30 for $5.")}
    assert kinds == {"2010": Kind.YEAR, "first": Kind.ORDINAL, "4:30": Kind.CLOCK, "$5": Kind.MONEY}


SHARP = st.sampled_from(
    vocabulary(
        "1 12 , . / % $ - and a half hundred thousand one two twenty third thirds dozen in 2010 : 30 ½ e "
        "1,000 st percent negative ² ١ ' s pair quarter of"
    )
)
STITCHED = st.builds(lambda words, gap: gap.join(words), st.lists(SHARP), st.sampled_from(["", " "]))


@given(st.one_of(st.text(), STITCHED))
def test_any_text_gives_ordered_matches_inside_it(text: str) -> None:
    end = 0
    for match in find_numbers(text):
        assert end <= match.start < match.end <= len(text)
        assert match.text == text[match.start : match.end]
        end = match.end
    assert all(match.kind not in NOT_QUANTITIES for match in find_quantities(text))


@given(st.integers(0, 10**9))
def test_grouped_and_plain_digits_have_the_same_value(number: int) -> None:
    assert [match.value for match in find_quantities(f"{number:,} {number}x")] == [number, number]


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1,",
        "1,000,",
        "one hundred and ",
        ",",
        "1/",
        "-",
        "one-",
        "1.1",
        "$",
        "and a half ",
        "1e",
        "1 1/",
        "5 cents ",
    ],
)
def test_time_grows_linearly_with_the_text(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    began = time.process_time()
    find_numbers(text)
    assert time.process_time() - began < 4  # a quadratic reader takes far longer


def recognition() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "recognition.py"
    spec = importlib.util.spec_from_file_location("recognition", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("A pencil costs 15 cents. How much do 3 cost?", ["15", "3"]),
        ("A car rents for $30 plus 20 cents a mile. How many miles can you go for $50?", ["30", "1/5", "50"]),
        ("The fee is 2 dollars plus 12 cents a minute.", ["2", "3/25"]),
        ("Its dividend is up 6 cents.", ["3/50"]),
    ],
)
def test_cents_are_parts_of_a_dollar_unless_a_question_is_about_cents_alone(
    text: str, values: list[str]
) -> None:
    assert [str(match.value) for match in find_quantities(text)] == values


@pytest.mark.parametrize(("name", "offsets"), [("ai2", False), ("il", True), ("commoncore", True)])
def test_every_number_that_gold_uses_is_found(data_dir: Path, name: str, offsets: bool) -> None:
    score = recognition().questions(data_dir, name, offsets=offsets)
    assert score.recall == 1, score.missed


def test_quantities_of_equations_are_found_with_overlapping_spans(data_dir: Path) -> None:
    score = recognition().equations(data_dir)
    assert score.recall >= 0.99, score.missed
    assert score.annotated >= 0.99


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("In 1890 a bridge was built; in 1987 it fell. How many years did it stand?", [1890, 1987]),
        ("She was born in 1954. How old was she in 1990?", [1954, 1990]),
        ("In 1890 a farmer had 5 cows and 3 pigs. How many animals had he?", [5, 3]),
    ],
)
def test_years_count_only_where_years_are_asked_for(text: str, values: list[int]) -> None:
    assert [match.value for match in find_quantities(text)] == values

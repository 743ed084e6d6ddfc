"""Times of day as numbers, and numbers as times of day."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2math.language.clock import answer_as_time, asks_for_time, has_clock_times, time_of_day
from text2math.language.numbers import DAY, Kind, find_quantities
from text2math.language.problem import read_problem, with_knowledge


def minutes(text: str) -> list[int]:
    found = find_quantities(text, clock_times=True)
    return [int(match.value) for match in found if match.kind is Kind.CLOCK]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It starts at 6:15.", [375]),
        ("It starts at 6:15 pm.", [1095]),
        ("It starts at 6:15 p.m. sharp.", [1095]),
        ("At 12:30 am and 12:45 PM.", [30, 765]),
        ("From 9:00 to 5:00.", [540, 1020]),
        ("From 10:30 pm to 6:15 am.", [1350, 1815]),
        ("At 17:20 it stops.", [1040]),
        ("From 9 am to 5 pm.", [540, 1020]),
        ("From 10 p.m. until 6 a.m.", [1320, 1800]),
        ("He fell asleep at 10 pm and woke up at 6 am.", [1320, 1800]),
        ("It left at 9:30 am and arrived at 9:10 am on the same day.", [570, 550]),
        ("From 3 to 5 pm, then from 11-2 pm.", [900, 1020, 660, 840]),
        ("From 3:30 to 5:00 pm.", [930, 1020]),
        ("At 7.30 pm.", [1170]),
        ("At 7 o'clock and at eight o’clock.", [420, 480]),
        ("At half past six, and at a quarter to 9.", [390, 525]),
        ("From 9 am to noon.", [540, 720]),
        ("From 12 noon to 3 pm.", [720, 900]),
        ("By noon, 238 cars had left.", []),
        ("He gave a quarter to five friends.", []),
        ("I have 9 and am happy.", []),
        ("The ratio is 3:20.", []),
        ("He ran 25:70.", []),
    ],
)
def test_a_time_of_day_is_minutes_since_midnight(text: str, expected: list[int]) -> None:
    assert minutes(text) == expected


@pytest.mark.parametrize("time", ["6:15", "9 am", "7.30 pm", "5 o'clock", "half past six", "12 noon"])
def test_times_of_day_are_the_same_words_with_and_without_knowledge(time: str) -> None:
    text = f"The film starts at {time} and lasts 95 minutes. When does it end?"
    plain, knowing = read_problem(text), read_problem(text, knowledge=True)
    assert [token.text for token in knowing.tokens] == [token.text for token in plain.tokens]


def test_times_of_day_are_quantities_only_with_knowledge() -> None:
    text = "The film starts at 6:15 and lasts 95 minutes. When does it end?"
    plain, knowing = read_problem(text), read_problem(text, knowledge=True)
    assert [int(quantity.value) for quantity in plain.quantities] == [95]
    assert [int(quantity.value) for quantity in knowing.quantities] == [375, 95]
    assert knowing.quantities[0].kind is Kind.CLOCK
    assert [token.text for token in knowing.tokens] == [token.text for token in plain.tokens]
    assert with_knowledge(plain) == knowing
    assert with_knowledge(knowing, False) == plain


def test_hours_are_offered_beside_times_of_day() -> None:
    problem = read_problem("It lasts from 9:30 to 11:00. How many hours is that?", knowledge=True)
    assert "1 hour = 60 minutes" in {quantity.fact for quantity in problem.implied}


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("It starts at 6:15 and lasts 95 minutes. When does it end?", 470, "7:50"),
        ("It starts at 6:15 pm and lasts 95 minutes. What time does it end?", 1190, "7:50 pm"),
        ("It starts at 11:15 pm and lasts 95 minutes. What time does it end?", 1490, "12:50 am"),
        ("It starts at 6:15 and ends at 7:50. How many minutes does it last?", 95, None),
        ("It lasts 95 minutes. When does it end?", 470, None),
    ],
)
def test_an_answer_is_a_time_where_one_is_asked_for(text: str, answer: int, expected: str | None) -> None:
    assert answer_as_time(text, Fraction(answer)) == expected


@given(st.integers(0, DAY - 1))
def test_a_time_of_day_is_read_back(value: int) -> None:
    for halves in (False, True):
        written = time_of_day(Fraction(value), halves=halves)
        assert written is not None
        assert minutes(f"At {written} it stops.") == [value]


def test_what_is_no_time_of_day_is_none() -> None:
    assert time_of_day(Fraction(1, 2)) is None
    assert time_of_day(Fraction(10**9)) is None


def test_a_text_without_times_asks_for_none() -> None:
    assert not asks_for_time("What time is it?")
    assert not has_clock_times("Call 555-1234.")

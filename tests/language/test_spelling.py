"""Typing errors that are certain are corrected; nothing else is."""

from __future__ import annotations

import re
from fractions import Fraction
from time import perf_counter

import pytest

from text2math.data import load
from text2math.data.stories import every_question
from text2math.language.cleaning import Cleaned, cleaned
from text2math.language.problem import read_problem
from text2math.language.spelling import DECISIVE, MOST_UNKNOWN, corrected, is_slip, known_words

PEACHES = "Ann picked 9 peaches and ate 2. How many {} are left?"


@pytest.mark.parametrize("typed", ["peahces", "peches", "peacches", "pwaches"])
def test_a_slip_is_read_as_the_word_that_the_text_has_elsewhere(typed: str) -> None:
    problem = read_problem(PEACHES.format(typed))
    assert [token.text for token in problem.tokens] == [
        token.text for token in read_problem(PEACHES.format("peaches")).tokens
    ]


def test_spans_point_at_the_text_as_it_was_given() -> None:
    text = "\ufeff" + PEACHES.format("peacches")
    problem = read_problem(text)
    spans = [text[token.start : token.end] for token in problem.tokens]
    assert problem.text == text
    assert "peacches" in spans
    assert [span for span in spans if span != "peacches"] == [
        token.text for token in problem.tokens if text[token.start : token.end] != "peacches"
    ]


@pytest.mark.parametrize(("typed", "meant"), [("mroe", "more"), ("tmes", "times"), ("anothher", "another")])
def test_a_slip_in_a_decisive_word_is_corrected_although_the_text_has_it_only_once(
    typed: str, meant: str
) -> None:
    assert corrected(Cleaned(f"x is 3 {typed} y")).text == f"x is 3 {meant} y"


@pytest.mark.parametrize(
    "text",
    [
        "They drive 5 km. Then he drove 7 km back. How far is that?",  # two words that everybody knows
        "Tina and Tian have 4 peaches. Peahces?",  # names and capital letters
        "The blorks have 3 more blorgs than glorks.",  # no slip of any other word
        "A 5-peahces basket, Ann's peaches",  # parts of longer words
        "",
    ],
)
def test_whatever_may_be_meant_as_it_is_stays(text: str) -> None:
    assert corrected(Cleaned(text)).text == text


def test_of_two_words_that_may_be_meant_none_is_chosen() -> None:
    assert is_slip("shrts", "shirts")
    assert is_slip("shrts", "shorts")
    text = "9 shirts and 4 shorts. How many shrts?"
    assert corrected(Cleaned(text)).text == text


@pytest.mark.slow
def test_no_text_of_ours_is_changed() -> None:
    texts = [example.problem.text for name in ("exam", "corpus") for example in load(name).examples]
    texts += [story.text for story in every_question("held_out", larger=None, beyond=True)]
    changed = [text for text in texts if corrected(cleaned(text)).text != cleaned(text).text]
    assert changed == []


@pytest.mark.slow
def test_the_words_of_the_sheets_are_known() -> None:
    told = {
        word
        for story in every_question("held_out", larger=None, beyond=True)
        for word in re.findall(r"\b[a-z]{4,}\b", story.text)
    }
    assert told - known_words() == set(), "python experiments/words.py lists the words again"
    assert known_words().issuperset(DECISIVE)


def test_a_text_of_unknown_words_stays_and_takes_no_time() -> None:
    unknown = ["".join(chr(97 + ord(c) % 26) for c in f"{n:05d}") for n in range(20_000)]
    text = " ".join(unknown) + " peaches"
    started = perf_counter()
    assert corrected(Cleaned(text)).text == text
    assert perf_counter() - started < 2
    few = " ".join(unknown[:MOST_UNKNOWN]) + " more mroe"
    assert corrected(Cleaned(few)).text == few


@pytest.mark.parametrize("written", ["per cent", "Per cent", "PER CENT"])
def test_per_cent_in_two_words_is_percent(written: str) -> None:
    text = f"5 of 50 pupils are ill. What {written} of them is that, if 20 {written} is the limit?"
    problem = read_problem(text)
    found = [token for token in problem.tokens if token.text == "percent"]
    assert [text[token.start : token.end] for token in found] == [written] * 2
    assert [quantity.value for quantity in problem.quantities] == [5, 50, Fraction(1, 5)]


def test_cents_per_cent_of_something_else_stay() -> None:
    assert corrected(Cleaned("It is 3 points per cents spent.")).text == "It is 3 points per cents spent."

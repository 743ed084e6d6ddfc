"""What a question asks for."""

from __future__ import annotations

import pytest

from text2math.language.asking import asks_for_all
from text2math.language.problem import read_problem


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the two numbers?", True),
        ("How many of each kind were sold?", True),
        ("How many hens and how many goats are there?", True),
        ("Find the length and the width.", True),
        ("How many adult tickets were sold?", False),
        ("What is the larger number?", False),
        ("How much do a pen and a ruler cost together?", False),
        ("How many more adults than children came?", False),
    ],
)
def test_a_question_asks_for_all_unknowns_or_for_one(question: str, expected: bool) -> None:
    text = f"The sum of two things is 30, and one of them is 6 more than the other. {question}"
    assert asks_for_all(read_problem(text).tokens) is expected

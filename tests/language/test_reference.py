"""Mentions of what a number counts."""

from __future__ import annotations

import pytest

from text2math.language.problem import read_problem
from text2math.language.quantity import Source
from text2math.language.reference import MOST_MENTIONS


def mentions(text: str, number: int) -> list[str]:
    """The words that refer to the number of this index."""
    problem = read_problem(text, knowledge=True)
    return [
        problem.tokens[quantity.first_token].text
        for quantity in problem.implied
        if quantity.source is Source.REFERRING and quantity.refers_to == number
    ]


@pytest.mark.parametrize(
    ("text", "number", "word"),
    [
        ("He had 79 dollars and bought 9 books. He has 16 left. How much did each book cost?", 1, "book"),
        ("Lily has 8 pens. Ben has 5 more than Lily. How many have they?", 0, "Lily"),
        ("Jude sold 16 tickets, and Ann twice as many. How many is that?", 0, "as"),
        ("There are 30 children. Half of them are girls. How many is that?", 0, "them"),
        ("They sold 40 cakes and 20 pies. How much is that altogether?", 0, "much"),
        ("A square has sides of 7 cm. What is the area of the square?", 0, "area"),
        ("Each edge of a cube is 3 cm long. What is the volume of the cube?", 0, "volume"),
        ("Each edge of a cube is 3 cm long. What is the volume of the cube?", 0, "cube"),
        ("His shirt cost 60% more than his pants. The pants cost $50.", 1, "than"),
        ("A boat goes 48 miles downstream in 3 hours and returns in 6.", 0, "returns"),
        ("It takes 5 hours to fly 3600 km. The return trip takes 4 hours.", 1, "return"),
        ("They drive 90 km in 2 hours. The same distance takes 5 hours by bicycle.", 0, "distance"),
        ("It flies 6030 km in 30 hours and 6750 km in the same time.", 1, "same"),
    ],
)
def test_a_word_refers_to_the_number(text: str, number: int, word: str) -> None:
    assert word in mentions(text, number)


def test_the_noun_beside_another_number_is_no_mention() -> None:
    assert "books" not in mentions("Ann has 9 books and Ben has 4 books.", 0)


def test_who_comes_back_travels_a_distance_again_and_no_number_of_things() -> None:
    assert "back" not in mentions("He carried 12 boxes upstairs in 2 hours and came back in 1.", 0)


def test_few_mentions_of_each_number_are_offered() -> None:
    text = "Ann has 9 books. " + "Ann likes the books more than Ben as she reads each book. " * 10
    assert len(mentions(text, 0)) == MOST_MENTIONS


def test_only_the_area_of_a_square_mentions_its_side_again() -> None:
    assert "area" not in mentions("A rectangle has sides of 7 cm and 4 cm. What is its area?", 0)
    assert "area" not in mentions("One side of a plot of 28 square metres is 7 m. What is the area?", 1)
    assert "perimeter" not in mentions("A square has sides of 7 cm. What is its perimeter?", 0)

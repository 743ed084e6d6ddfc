"""What one kind of a system is worth, and how sure a model is which unknown is asked for."""

from __future__ import annotations

import pytest

from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.asked import CHOICES, asked_of, lead

TICKETS = "Tickets for the floor cost $12, for the balcony $10. 410 were sold for $4,520."
SYSTEM = "X1 + X2 = 410[2]; 12[0] * X1 + 10[1] * X2 = 4520[3]"
SECOND = [2.0 if name == "second" else -1.0 for name in CHOICES]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How much money did the balcony bring in?", "10 * X2"),
        ("How much was earned with the balcony?", "10 * X2"),
        ("How many tickets for the balcony were sold?", "X2"),
        ("How many were for the balcony?", "X2"),
    ],
)
def test_the_value_of_one_kind_is_asked_for_in_the_measure_of_the_total(question: str, asked: str) -> None:
    problem = read_problem(f"{TICKETS} {question}", knowledge=True)
    assert [to_infix(one) for one in asked_of(from_infix(SYSTEM), problem, SECOND)] == [asked]


def test_an_unknown_price_is_not_multiplied_by_a_count() -> None:
    text = "3 teas and 5 waters cost $49. 2 teas and 5 waters cost $41. How much does a water cost?"
    system = from_infix("3[0] * X1 + 5[1] * X2 = 49[2]; 2[3] * X1 + 5[4] * X2 = 41[5]")
    assert [to_infix(one) for one in asked_of(system, read_problem(text, knowledge=True), SECOND)] == ["X2"]


def test_the_lead_is_that_over_the_next_choice_that_the_system_allows() -> None:
    problem = read_problem(f"{TICKETS} What is sold?", knowledge=True)
    scores = [{"second": 2.0, "third": 1.5, "first": 0.5}.get(name, -1.0) for name in CHOICES]
    assert lead(from_infix(SYSTEM), problem, scores) == pytest.approx(1.5)  # there is no third unknown

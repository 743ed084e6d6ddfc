"""What one kind of a system comes to, and how sure a model is which unknown is asked for."""

from __future__ import annotations

import pytest

from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.asked import CHOICES, choice_of, choices, lead

TICKETS = "Tickets for the floor cost $12, for the balcony $10. 410 were sold for $4,520."
SYSTEM = "X1 + X2 = 410[2]; 12[0] * X1 + 10[1] * X2 = 4520[3]"


@pytest.mark.parametrize(
    ("system", "first", "second"),
    [
        (SYSTEM, "12 * X1", "10 * X2"),
        ("(X1 + X2) * 4[0] = 148[1]; X1 = X2 + 11[2]", "4 * X1", "4 * X2"),
        ("3[0] * X1 + 5[1] * X2 = 49[2]; 2[3] * X1 + 5[4] * X2 = 41[5]", "3 * X1", "5 * X2"),
    ],
)
def test_what_a_kind_comes_to_is_the_unknown_times_its_first_number(
    system: str, first: str, second: str
) -> None:
    possible = choices(from_infix(system))
    found = [to_infix(one) for name in ("first in all", "second in all") for one in possible[name]]
    assert found == [first, second]


def test_the_order_of_factors_does_not_matter() -> None:
    assert choice_of(from_infix(SYSTEM), [from_infix("X2 * 10[1]")]) == "second in all"


def test_an_unknown_without_a_factor_comes_to_nothing_else() -> None:
    assert {"first in all", "second in all"}.isdisjoint(choices(from_infix("X1 + X2 = 30; X1 - X2 = 6")))


def test_the_lead_is_that_over_the_next_choice_that_the_system_allows() -> None:
    problem = read_problem(f"{TICKETS} What is sold?", knowledge=True)
    scores = [{"second": 2.0, "third": 1.5, "first": 0.5}.get(name, -1.0) for name in CHOICES]
    assert lead(from_infix(SYSTEM), problem, scores) == pytest.approx(1.5)  # there is no third unknown

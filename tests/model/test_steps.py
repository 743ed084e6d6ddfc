"""Steps have the units and the meaning that a teacher would write behind them."""

from __future__ import annotations

import json

import pytest

from text2math.language.answers import answer_unit
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.steps import Step, steps


def told(text: str, mathematics: str) -> list[str]:
    problem, expression = read_problem(text), from_infix(mathematics)
    return [str(step) for step in steps(problem, expression, answer_unit(problem, expression))]


@pytest.mark.parametrize(
    ("text", "mathematics", "wanted"),
    [
        ("Ravi had $50. He bought 4 cars at $9 each. How much money is left?", "50[0] - 4[1] * 9[2]",
         ["4 × 9 = $36", "50 − 36 = $14 left"]),
        ("Nine buckets with 16 plums are shared among 12 families. How many plums does each family get?",
         "9[0] * 16[1] / 12[2]", ["9 × 16 = 144 plums", "144 ÷ 12 = 12 plums each"]),
        ("Sven has 85 coins, Ida 17 fewer, and Per 9 more than Ida. How many coins has Per?",
         "85[0] - 17[1] + 9[2]", ["85 − 17 = 68 coins", "68 + 9 = 77 coins"]),
        ("Jen has 3 times as many stamps as Lee, who has 11 stamps. How many stamps has Jen?",
         "3[0] * 11[1]", ["3 × 11 = 33 stamps"]),
    ],
)  # fmt: skip
def test_each_step_has_its_unit_and_its_meaning(text, mathematics, wanted):
    assert told(text, mathematics) == wanted


def test_steps_survive_json():
    problem = read_problem("4 pens at $6 and 3 pens cost $35 in all. How much is that?")
    for mathematics in ("(24[0] - 6[1]) / 7[2]", "X1 + X2 = 5; X1 - X2 = 1", "X1 + X2 = 1; X1 + X2 = 2"):
        found = steps(problem, from_infix(mathematics))
        assert len(found) > 1
        assert (
            tuple(Step.from_dict(row) for row in json.loads(json.dumps([one.to_dict() for one in found])))
            == found
        )

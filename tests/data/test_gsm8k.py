"""Worked solutions as one expression."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from text2math.data import load
from text2math.data.gsm8k import MAX_LEAVES, composed
from text2math.language.attachment import UnmappableError, crossings
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.notation import to_infix


def composed_infix(solution: str, *written: int) -> str:
    return to_infix(composed(solution, {Fraction(value) for value in written}).expression)


def test_intermediate_results_give_way_to_their_computations() -> None:
    solution = "He has <<5+3=8>>8, then <<8*2=16>>16, so <<16-1=15>>15 are left.\n#### 15"
    assert composed_infix(solution, 5, 3, 2, 1) == "(5 + 3) * 2 - 1"


def test_a_step_that_is_not_marked_counts_where_it_is_true() -> None:
    solution = "They cost 5*7 = $<<5*7=35>>35, so 75 - 35 = 40 are left.\n#### 40"
    assert composed_infix(solution, 5, 7, 75) == "75 - 5 * 7"


def test_a_step_that_is_not_true_is_no_step() -> None:
    with pytest.raises(UnmappableError) as error:
        composed("So 75 - 35 = 41.\n#### 41", set())
    assert error.value.reason == "computations that do not lead to the answer"


def test_a_number_of_the_text_is_not_taken_for_a_step_unless_the_step_would_go_unused() -> None:
    used = "<<3+4=7>>7 and <<7*2=14>>14\n#### 14"
    assert composed_infix(used, 3, 4, 2, 7) == "(3 + 4) * 2"
    both = "<<3+4=7>>7, <<7*2=14>>14, <<14+7=21>>21\n#### 21"
    assert composed_infix(both, 3, 4, 2) == "(3 + 4) * 2 + (3 + 4)"


def test_percent_and_dollar_signs_are_read() -> None:
    assert evaluate(composed("<<20%*$1,000=200>>200\n#### 200", {Fraction(1000)}).expression) == 200


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        ("<<2*x=4>>\n#### 4", "a computation that can't be read"),
        ("<<2+2=4>>\n#### 5", "computations that do not lead to the answer"),
        ("nothing", "a computation that can't be read"),
        ("<<" + "+".join(["1"] * 20) + "=20>>\n#### 20", f"an expression of more than {MAX_LEAVES} numbers"),
    ],
)
def test_what_can_not_be_composed_says_why(solution: str, reason: str) -> None:
    with pytest.raises(UnmappableError) as error:
        composed(solution, set())
    assert error.value.reason == reason


@pytest.mark.slow
def test_three_quarters_of_gsm8k_have_a_tree_and_its_answer(data_dir: Path) -> None:
    dataset = load("gsm8k", data_dir, knowledge=True)
    assert dataset.size == 7473
    with_tree = [
        example
        for example in dataset.examples
        if example.expression is not None and not crossings(example.expression, example.problem.all_anchors)
    ]
    assert len(with_tree) >= 0.75 * dataset.size
    assert len(dataset.warnings) <= 0.02 * dataset.size
    implied = sorted(len(problem.implied) for problem in dataset.problems)
    assert implied[len(implied) // 2] <= 12
    assert implied[-1] <= 60

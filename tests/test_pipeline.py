"""The competitor of experiments/pipeline.py: what it learns from, and what its search finds."""

from __future__ import annotations

from types import ModuleType

import pytest

from fakes import experiment

pytest.importorskip("sklearn")

from text2math.data.readers import load
from text2math.evaluation.crossvalidation import questions_of
from text2math.evaluation.metrics import is_correct
from text2math.inference.forest import quantities_used
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix, to_infix


@pytest.fixture(scope="module")
def pipeline() -> ModuleType:
    return experiment("pipeline")


def test_each_two_numbers_have_the_operation_at_their_lowest_common_ancestor(pipeline: ModuleType):
    found = sorted(pipeline.common_ancestors(from_infix("(9[2] - 4[0]) * 3[1]")))
    assert found == [(0, 1, "MUL"), (0, 2, "SUB-reversed"), (1, 2, "MUL")]


def test_the_search_finds_the_tree_whose_decisions_were_made(pipeline: ModuleType):
    problem = read_problem("Ann has 4 bags, 3 boxes and 9 cans. How many?")
    gold = from_infix("(9[2] - 4[0]) * 3[1]")
    pairs = {(i, j): {label: 0.0} for i, j, label in pipeline.common_ancestors(gold)}
    scores = pipeline.Scores(((-0.1, -3.0),) * 3, pairs)
    assert to_infix(pipeline.best_expression(problem, scores, None)) in (
        "(9 - 4) * 3",
        "3 * (9 - 4)",
    )


def test_numbers_that_are_told_are_the_ones_used(pipeline: ModuleType):
    own = load("corpus")
    examples = [one for one in own.examples if one.expression is not None and not _is_equation(one)][:60]
    (question, *_) = questions_of(examples[:1], "paper")
    (prediction, *_) = pipeline.run_fold(tuple(examples), (question,), None)
    assert quantities_used(prediction.expression) == set(question.relevant or ())


def test_most_of_what_it_trained_on_comes_out_right(pipeline: ModuleType):
    own = load("corpus")
    examples = tuple(one for one in own.examples if one.expression is not None and not _is_equation(one))[:80]
    found = pipeline.run_fold(examples, questions_of(examples, "honest"), None)
    right = sum(is_correct(p.expression, e) for p, e in zip(found, examples, strict=True))
    assert right >= 0.9 * len(examples)


def _is_equation(example) -> bool:
    return "=" in to_infix(example.expression)

"""Predictions for many questions at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from text2math.data.readers import load
from text2math.evaluation.crossvalidation import (
    Question,
    gold_relevance,
    predict,
    predict_all,
    questions_of,
)
from text2math.evaluation.variants import variant_config
from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.problem import read_problem
from text2math.learning.training import fit
from text2math.mathematics.notation import from_infix
from text2math.model.candidates import Candidate


@pytest.mark.parametrize("variant", ["paper", "paper+prefix-x+inverse"])
def test_predictions_for_all_questions_are_those_for_each(variant: str):
    examples = [one for one in load("corpus").examples if one.expression is not None][:60]
    config = variant_config(variant, "paper")
    config = replace(config, training=replace(config.training, steps=4))
    model = fit(examples[:40], config, relevants=[gold_relevance(one) for one in examples[:40]])
    questions = questions_of(examples[40:], "paper")
    together = predict_all(model, questions)
    assert together == [predict(model, question) for question in questions]
    assert sum(one.expression is not None for one in together) > 5


def test_no_questions_have_no_predictions():
    examples = [one for one in load("corpus").examples if one.expression is not None][:10]
    config = variant_config("paper", "honest")
    model = fit(examples, replace(config, training=replace(config.training, steps=1)))
    assert predict_all(model, ()) == []


def test_an_unknown_without_words_behind_the_last_word_owns_nothing() -> None:
    """Such a tree once ended the evaluation of systems with an IndexError."""

    class Reading:
        """A model with one reading, in which a silent unknown is behind the last word."""

        def candidates(self, problem: object, *, relevant: object = None) -> tuple[Candidate, ...]:
            leaves = [
                TextMathTree(Symbol.X1, (0, 2)),
                TextMathTree(Symbol.X2, (4, 4)),
            ]
            tree = TextMathTree(Symbol.SUB, (0, 4), Pattern.of("AwB"), children=tuple(leaves))
            return (Candidate(from_infix("X1 - X2 = 6"), 1.0, tree),)

    problem = read_problem("A number less another")
    found = predict(Reading(), Question(problem))  # type: ignore[arg-type]
    assert found.groundings == (("X1", 0, 8),)

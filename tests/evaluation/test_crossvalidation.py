"""Predictions for many questions at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from text2math.data.readers import load
from text2math.evaluation.crossvalidation import gold_relevance, predict, predict_all, questions_of
from text2math.evaluation.variants import variant_config
from text2math.learning.training import fit


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

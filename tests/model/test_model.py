"""The model: it learns, repeats itself, merges what says the same, and each variant trains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from text2math.data import load
from text2math.evaluation.metrics import Question
from text2math.evaluation.variants import FoldConfig, predict, run_fold, variant_config
from text2math.inference.forest import quantities_used
from text2math.language.problem import Example, read_problem
from text2math.learning.optimise import TrainingConfig
from text2math.learning.targets import answer_of
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import from_infix
from text2math.model.model import Candidate, Model, ModelConfig, fit, is_right, merge

QUICK = ModelConfig(training=TrainingConfig(steps=12, threads=1), inner_steps=8, candidates=8)


def arithmetic(count: int = 40) -> list[Example]:
    own = [
        example
        for example in load("stories").examples
        if example.expression is not None
        and not is_equation(example.expression)
        and len(example.problem.tokens) < 40
    ]
    return own[:: len(own) // count][:count]


@pytest.fixture(scope="module")
def model() -> Model:
    return fit(arithmetic(), QUICK)


def test_a_model_answers_most_of_what_it_was_trained_on(model: Model):
    examples = arithmetic()
    right = 0
    for example in examples:
        found = model.candidates(example.problem)
        right += bool(found) and is_right(found[0], example)
    assert right >= 0.8 * len(examples)


def test_training_twice_gives_the_same_model_bit_for_bit(model: Model):
    again = fit(arithmetic(), QUICK)
    assert again.scorer.weights.tobytes() == model.scorer.weights.tobytes()
    assert model.plausibility is not None
    assert again.plausibility is not None
    assert again.plausibility.weights.tobytes() == model.plausibility.weights.tobytes()


def test_threads_do_not_change_the_weights(model: Model):
    config = replace(QUICK, training=replace(QUICK.training, threads=2), plausibility=None)
    assert fit(arithmetic(), config).scorer.weights.tobytes() == model.scorer.weights.tobytes()


def test_an_interrupted_fit_resumes_to_the_same_model(model: Model, tmp_path: Path):
    path = tmp_path / "checkpoint.t2m"
    config = replace(QUICK, plausibility=None, training=replace(QUICK.training, round_steps=5))
    whole = fit(arithmetic(), config)

    def stop(progress: object) -> None:
        if getattr(progress, "step", 0) == 7:
            raise KeyboardInterrupt

    part = fit(arithmetic(), config, report=stop, checkpoint=path)
    assert part.trained.interrupted
    resumed = fit(arithmetic(), config, checkpoint=path)
    assert resumed.scorer.weights.tobytes() == whole.scorer.weights.tobytes()


def test_the_probabilities_of_the_candidates_add_up_to_one(model: Model):
    found = model.candidates(arithmetic()[0].problem)
    assert np.logaddexp.reduce([one.log_probability for one in found]) == pytest.approx(0.0)
    assert list(found) == sorted(found, key=lambda one: -one.log_probability)


def test_a_text_without_numbers_has_no_candidates(model: Model):
    assert model.candidates(read_problem("How are you?")) == ()
    assert model.predict(read_problem("")) is None


def test_candidates_that_say_the_same_are_merged():
    def one(text: str, probability: float) -> Candidate:
        expression = from_infix(text)
        return Candidate(expression, np.log(probability), answer_of(expression))

    found = merge([one("1[0] + 2[1]", 0.3), one("2[1] + 1[0]", 0.3), one("2[1] - 1[0]", 0.4)])
    assert [round(float(np.exp(candidate.log_probability)), 6) for candidate in found] == [0.6, 0.4]


@pytest.mark.parametrize(
    "variant",
    [
        "no-pos",
        "no-lexicon",
        "no-relevance",
        "prefix-x+inverse",
        "suffix-x",
        "answers",
        "equivalent-trees",
        "identifier",
        "no-identifier",
    ],
)
def test_every_variant_trains_and_predicts_plain_arithmetic(variant: str):
    base = replace(QUICK, plausibility=None, training=replace(QUICK.training, steps=4))
    trained = fit(arithmetic(12), variant_config(variant, "honest", base))
    predicted = trained.predict(arithmetic(12)[0].problem)
    assert predicted is None or not is_equation(predicted)


def test_equations_use_the_number_identifier_and_arithmetic_does_not():
    base = replace(QUICK, plausibility=None, training=replace(QUICK.training, steps=4))
    sentences = [
        e for e in load("stories").examples if e.expression is not None and is_equation(e.expression)
    ]
    for examples, used in ((sentences[:12], True), (arithmetic(12), False)):
        own, told = (
            fit(examples, replace(base, identify=identify)).scorer.weights for identify in (None, used)
        )
        other = fit(examples, replace(base, identify=not used)).scorer.weights
        assert own.tobytes() == told.tobytes() != other.tobytes()


def test_under_the_papers_protocol_irrelevant_numbers_are_never_used():
    base = replace(QUICK, plausibility=None, training=replace(QUICK.training, steps=4))
    examples = arithmetic(12)
    relevants = [(True,) * len(example.problem.quantities) for example in examples]
    trained = fit(examples, variant_config("full", "paper", base), relevants=relevants)
    problem = read_problem("Tom has 3 pens, 4 pens and 9 cats. How many pens has he?")
    predicted = predict(trained, Question(problem, (0, 1))).expression
    assert predicted is not None
    assert quantities_used(predicted) == {0, 1}


def test_a_fold_answers_its_questions_in_order():
    base = replace(QUICK, plausibility=None, training=replace(QUICK.training, steps=4))
    train, asked = tuple(arithmetic(16)[:12]), arithmetic(16)[12:]
    config = FoldConfig(base, {example.problem.id: index % 2 for index, example in enumerate(train)})
    found = run_fold(train, tuple(Question(example.problem) for example in asked), config)
    assert len(found) == len(asked)


@pytest.mark.parametrize(
    ("examples", "relevants", "message"), [([], None, "no examples"), (None, [None], "12 examples, but")]
)
def test_training_data_that_does_not_fit_is_refused(
    examples: list[Example] | None, relevants: list[None] | None, message: str
):
    given = arithmetic(12) if examples is None else examples
    with pytest.raises(ValueError, match=message):
        fit(given, QUICK, relevants=relevants)

"""Training: it learns, repeats itself, each variant trains, and complete models are calibrated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from text2math.data import load
from text2math.evaluation.crossvalidation import Question, predict
from text2math.evaluation.metrics import is_correct
from text2math.evaluation.variants import variant_config
from text2math.inference.forest import quantities_used
from text2math.language.problem import Example, read_problem
from text2math.learning.crossvalidation import FoldConfig, run_fold
from text2math.learning.training import fit, train
from text2math.mathematics.expression import Number, Operation, Operator, is_equation
from text2math.model.cards import card_text
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.model import Model
from text2math.parser import load as load_parser
from text2math.scorers.linear import LinearScorer

QUICK = ModelConfig(training=TrainingConfig(steps=12, threads=1), inner_steps=8, candidates=8)


def arithmetic(count: int = 40) -> list[Example]:
    own = [
        example
        for example in load("stories").examples
        if example.expression is not None
        and not is_equation(example.expression)
        and len(example.problem.quantities) == 2
        and len(example.problem.tokens) < 40
    ]
    return own[:: len(own) // count][:count]


def weights(model: Model) -> np.ndarray:
    assert isinstance(model.scorer, LinearScorer)
    return model.scorer.weights


@pytest.fixture(scope="module")
def model() -> Model:
    return fit(arithmetic(), QUICK)


def test_a_model_answers_most_of_what_it_was_trained_on(model: Model):
    examples = arithmetic()
    right = 0
    for example in examples:
        found = model.candidates(example.problem)
        right += bool(found) and is_correct(found[0].mathematics, example)
    assert right >= 0.8 * len(examples)


def test_training_twice_gives_the_same_model_bit_for_bit(model: Model):
    again = fit(arithmetic(), QUICK)
    assert weights(again).tobytes() == weights(model).tobytes()
    assert model.reranker is not None
    assert again.reranker is not None
    assert again.reranker.weights.tobytes() == model.reranker.weights.tobytes()


def test_threads_do_not_change_the_weights(model: Model):
    config = replace(QUICK, training=replace(QUICK.training, threads=2), reranker=None)
    assert weights(fit(arithmetic(), config)).tobytes() == weights(model).tobytes()


def test_an_interrupted_fit_resumes_to_the_same_model(model: Model, tmp_path: Path):
    path = tmp_path / "checkpoint.t2m"
    config = replace(QUICK, reranker=None, training=replace(QUICK.training, round_steps=5))
    whole = fit(arithmetic(), config)

    def stop(progress: object) -> None:
        if getattr(progress, "step", 0) == 7:
            raise KeyboardInterrupt

    part = fit(arithmetic(), config, report=stop, checkpoint=path)
    assert part.summary is not None
    assert part.summary.interrupted
    resumed = fit(arithmetic(), config, checkpoint=path)
    assert weights(resumed).tobytes() == weights(whole).tobytes()


def test_the_probabilities_of_the_candidates_add_up_to_one(model: Model):
    found = model.candidates(arithmetic()[0].problem)
    assert np.logaddexp.reduce([one.log_probability for one in found]) == pytest.approx(0.0)
    assert list(found) == sorted(found, key=lambda one: -one.log_probability)


def test_a_text_without_numbers_has_no_candidates(model: Model):
    assert model.candidates(read_problem("How are you?")) == ()
    assert model.predict(read_problem("")) is None


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
    base = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=4))
    trained = fit(arithmetic(12), variant_config(variant, "honest", base))
    predicted = trained.predict(arithmetic(12)[0].problem)
    assert predicted is None or not is_equation(predicted)


def test_equations_use_the_number_identifier_and_arithmetic_does_not():
    base = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=4))
    sentences = [
        e for e in load("stories").examples if e.expression is not None and is_equation(e.expression)
    ]
    for examples, used in ((sentences[:12], True), (arithmetic(12), False)):
        own, told = (weights(fit(examples, replace(base, identify=identify))) for identify in (None, used))
        other = weights(fit(examples, replace(base, identify=not used)))
        assert own.tobytes() == told.tobytes() != other.tobytes()


def test_under_the_papers_protocol_irrelevant_numbers_are_never_used():
    base = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=4))
    examples = arithmetic(12)
    relevants = [(True,) * len(example.problem.quantities) for example in examples]
    trained = fit(examples, variant_config("full", "paper", base), relevants=relevants)
    problem = read_problem("Tom has 3 pens, 4 pens and 9 cats. How many pens has he?")
    predicted = predict(trained, Question(problem, (0, 1))).expression
    assert predicted is not None
    assert quantities_used(predicted) == {0, 1}


def test_a_fold_answers_its_questions_in_order():
    base = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=4))
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


# Complete models ------------------------------------------------------------------------------------------


def test_a_trained_model_is_calibrated_on_held_out_examples_and_names_its_data():
    examples = [
        replace(example, source=f"file{index % 2}.jsonl") for index, example in enumerate(arithmetic())
    ]
    saved = train(examples, QUICK, name="own")
    assert saved.model.temperature != 1.0
    assert saved.model.presence is not None
    assert saved.card["sources"] == {"file0.jsonl": 20, "file1.jsonl": 20}
    assert saved.card["temperature"] == round(saved.model.temperature, 4)
    held_out = saved.card["cross_fitted"]
    assert 0 < held_out["right"] < held_out["all"] == len(examples)
    assert "| file0.jsonl | 20 |" in card_text(saved.name, saved.card)


def test_a_model_is_not_judged_by_what_it_only_practises_on():
    examples = [
        replace(example, source="practice" if index % 2 else "own")
        for index, example in enumerate(arithmetic())
    ]
    card = train(examples, QUICK, practice=("practice",)).card
    assert card["cross_fitted"]["all"] == 20
    assert set(card["cross_fitted_by_kind"]) == {"all arithmetic", "own"}


def test_the_temperature_is_not_fitted_on_an_uncalibrated_source_whose_figures_are_still_told():
    examples = [
        replace(example, source="hard" if index % 2 else "own") for index, example in enumerate(arithmetic())
    ]
    every, some, none = (
        train(examples, QUICK, uncalibrated=sources) for sources in ((), ("hard",), ("elsewhere",))
    )
    assert some.card["cross_fitted_by_kind"] == every.card["cross_fitted_by_kind"]
    assert some.model.temperature != every.model.temperature == none.model.temperature
    assert "fitted on these (not on hard)" in card_text(some.name, some.card)
    assert "fitted on these;" in card_text(every.name, every.card)


def test_some_source_must_be_left_to_calibrate_on():
    with pytest.raises(ValueError, match="every source is uncalibrated"):
        train([replace(example, source="own") for example in arithmetic()], QUICK, uncalibrated=("own",))


def test_a_model_that_starts_from_its_inner_models_learns_as_well_in_fewer_steps():
    adam = replace(QUICK.training, optimizer="adam", steps=2, batch=4, rate=0.1)
    config = replace(QUICK, training=adam, inner_steps=10, from_inner=True)
    saved = train(arithmetic(), config)
    right = sum(
        is_correct(saved.model.candidates(example.problem)[0].mathematics, example)
        for example in arithmetic()
    )
    alone = fit(arithmetic(), replace(config, from_inner=False, inner_steps=1, reranker=None))
    assert right >= 0.9 * len(arithmetic())
    assert saved.model.summary is not None
    assert alone.summary is not None
    assert saved.model.summary.objective < alone.summary.objective
    assert saved.card["cross_fitted"]["all"] == len(arithmetic())


def test_starting_from_inner_models_needs_an_optimizer_with_batches():
    with pytest.raises(ValueError, match="from_inner needs Adam or SGD"):
        replace(QUICK, from_inner=True)


def test_a_model_trained_without_a_reranker_is_calibrated_too():
    saved = train(arithmetic(), replace(QUICK, reranker=None))
    assert saved.model.reranker is None
    assert saved.model.temperature != 1.0


def test_training_on_top_of_discrete_weights_starts_from_their_scores(model: Model):
    config = replace(QUICK, reranker=None, training=replace(QUICK.training, steps=1, l2=1e6))
    grown = fit(arithmetic(20)[10:], config, base=replace(model, reranker=None))
    for example in arithmetic(10):
        expected, found = model.scorer(example.problem), grown.scorer(example.problem)
        for name in ("step", "pattern", "child", "root", "number"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-3)


@pytest.mark.slow
def test_training_on_top_of_a_network_keeps_its_scores_and_learns_what_it_did_not_know(tmp_path: Path):
    pytest.importorskip("onnxruntime", reason="onnxruntime and tokenizers are not installed")
    base = load_parser("default")
    # Here "glorped" things are taken away, which the network can't know.
    texts = [
        f"Tom buys {9 + n} {thing}. Then he buys {2 + n % 5} glorped {thing}. How many {thing} does Tom have?"
        for n, thing in enumerate("pens cups hats cats dogs cars cans bats keys maps pots rats".split() * 2)
    ]
    examples = [
        Example(
            problem, Operation(Operator.SUB, *(Number(q.value, k) for k, q in enumerate(problem.quantities)))
        )
        for problem in map(read_problem, texts)
    ]
    unseen = examples[16:]
    assert not any(is_correct(base.parse(one.problem.text).mathematics, one) for one in unseen)
    fitted = base.fit(examples[:16])
    assert all(is_correct(fitted.parse(one.problem.text).mathematics, one) for one in unseen)
    assert fitted.card["base"] == "default"
    apples = "Mike picked 7 apples and Nancy picked 3 apples. How many apples were picked in all?"
    assert fitted.parse(apples).answer == 10  # what the network knows, it still knows
    fitted.save_compact(tmp_path / "own.t2m")
    again = load_parser(tmp_path / "own.t2m")
    assert again.parse(texts[20]).mathematics == fitted.parse(texts[20]).mathematics

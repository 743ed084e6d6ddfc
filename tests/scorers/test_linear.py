"""The discrete scorer: potentials are sums of weights, gradients are exact, protocols stay apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from text2math.inference.crf import PotentialsBatch, TextMathCRF
from text2math.inference.forest import ARITHMETIC, Forest
from text2math.inference.potentials import EDGE, FIRST_GRAMMAR, WORD, A, Symbol, symbols_named
from text2math.language.problem import Problem, read_problem
from text2math.learning.objective import LogLikelihood
from text2math.mathematics.expression import Expression
from text2math.mathematics.notation import from_infix
from text2math.model.config import TrainingConfig
from text2math.scorers.features import PAIRS, FeatureConfig, extract, numbered
from text2math.scorers.linear import LinearScorer, Tables, moved_weights

SYMBOLS = tuple(sorted(ARITHMETIC))
TEXTS = (
    ("Tom has 3 red pens and 5 cats. He buys 4 red pens. How many red pens has he now?", "3[0] + 4[2]"),
    ("Ann had 9 pens and gave 2 away. How many pens are left?", "9[0] - 2[1]"),
    ("Each of 4 boxes holds 6 pens. How many pens are there in all?", "4[0] * 6[1]"),
)


def problems() -> list[tuple[Problem, Expression]]:
    return [(read_problem(text), from_infix(gold)) for text, gold in TEXTS]


def scorer(config: FeatureConfig, seed: int = 0) -> LinearScorer:
    features = [extract(problem, config) for problem, _ in problems()]
    empty = LinearScorer.untrained(features, config, SYMBOLS)
    weights = np.random.default_rng(seed).normal(scale=0.1, size=len(empty.weights))
    return replace(empty, weights=weights)


def test_the_gradient_of_every_table_agrees_with_finite_differences():
    config = FeatureConfig()
    given = problems()
    features = [extract(problem, config) for problem, _ in given]
    trained = scorer(config)
    full = Forest.full(SYMBOLS)
    forests = [(Forest.of(gold), full) for _, gold in given]
    objective = LogLikelihood(trained, features, [p for p, _ in given], forests, TrainingConfig(l2=0.3))
    _, gradient = objective(trained.weights)
    rng = np.random.default_rng(1)
    for name, at, shape in Tables.of(trained.vocabulary, len(SYMBOLS)).offsets:
        for index in rng.integers(at, at + int(np.prod(shape)), size=2):
            nudge = np.zeros_like(trained.weights)
            nudge[index] = 1e-5
            slope = (objective(trained.weights + nudge)[0] - objective(trained.weights - nudge)[0]) / 2e-5
            assert slope == pytest.approx(gradient[index], abs=1e-5), name


@pytest.mark.parametrize("min_count", [1, 2])
def test_features_by_number_are_those_by_name(min_count: int):
    config, names = FeatureConfig(), {}
    by_name = [extract(problem, config) for problem, _ in problems()]
    by_number = [numbered(features, names) for features in by_name]
    untrained = [
        LinearScorer.untrained(each[1:], config, SYMBOLS, min_count) for each in (by_name, by_number)
    ]
    assert untrained[0].vocabulary == untrained[1].vocabulary
    weights = np.random.default_rng(0).normal(size=len(untrained[0].weights))
    batches = [untrained[0].batch(each) for each in (by_name, by_number)]  # the first has unknown features
    flats = [batch.potentials(weights) for batch in batches]
    assert (flats[0] == flats[1]).all()
    counts = np.where(np.isfinite(flats[0]), flats[0], 0.0)
    assert (batches[0].gradient(counts) == batches[1].gradient(counts)).all()


def test_one_problem_alone_scores_as_it_does_in_a_batch():
    config = FeatureConfig(forbid=True)
    trained = scorer(config)
    for problem, _ in problems():
        relevant = (True, *[False] * (len(problem.quantities) - 2), True)
        for given in (None, relevant):
            alone = trained(problem, relevant=given)
            flat = trained.batch([extract(problem, config, relevant=given)]).potentials(trained.weights)
            batch = PotentialsBatch.from_flat(flat, [len(problem.tokens)], [problem.anchors]).unpack(flat)[0]
            for name in ("step", "pattern", "child", "root", "number", "anchors"):
                np.testing.assert_allclose(getattr(alone, name), getattr(batch, name), atol=1e-12)


def test_weights_of_a_smaller_grammar_are_mapped_by_name():
    own, grammar = scorer(FeatureConfig()), symbols_named(FIRST_GRAMMAR)
    old = Tables.of(own.vocabulary, len(own.symbols), len(grammar), patterns=16)
    stored = np.random.default_rng(0).normal(size=old.size)
    moved = moved_weights(stored, own.vocabulary, len(own.symbols), grammar, patterns=16)
    there, here = old.views(stored), Tables.of(own.vocabulary, len(own.symbols)).views(moved)
    np.testing.assert_array_equal(here["words"], there["words"])
    for row, parent in enumerate(grammar):
        assert here["start"][parent] == there["start"][row]
        np.testing.assert_array_equal(here["pattern"][parent, :16], there["pattern"][row])
        assert not here["pattern"][parent, 16:].any()
        for column, child in enumerate(grammar):
            np.testing.assert_array_equal(here["child"][parent, :, child], there["child"][row, :, column])
    with pytest.raises(ValueError, match="number of weights"):
        moved_weights(stored[1:], own.vocabulary, len(own.symbols), grammar, patterns=16)


def test_no_tree_has_a_symbol_that_was_not_seen_in_training():
    potentials = scorer(FeatureConfig())(problems()[0][0])
    every = TextMathCRF(Forest.full(set(Symbol) - {Symbol.EQU, Symbol.SYS}), potentials)
    plain = TextMathCRF(Forest.full(ARITHMETIC), potentials)
    assert every.log_partition == pytest.approx(plain.log_partition)


def test_a_step_potential_is_the_sum_of_its_features_weights():
    config = FeatureConfig()
    trained = scorer(config)
    problem = problems()[0][0]
    features = extract(problem, config)
    potentials = trained(problem)
    column = SYMBOLS.index(Symbol.ADD)
    at = 4
    words = sum(
        trained.tables["words"][trained.vocabulary["words"][name], column] * value
        for name, value in features.words[at]
    )
    votes = sum(
        trained.tables["word-votes"][trained.vocabulary["word-votes"][name], 0] * value
        for name, symbol, value in features.word_votes[at]
        if symbol is Symbol.ADD
    )
    pairs = sum(
        trained.tables["pairs"][trained.vocabulary["pairs"][name], column] * value
        for name, value in features.pairs[at][PAIRS.index((A, WORD))]
    )
    assert potentials.step[Symbol.ADD, at, A, WORD] == pytest.approx(words + votes + pairs)


def test_a_word_scores_the_same_whatever_stands_before_it_when_pairs_are_off():
    potentials = scorer(replace(FeatureConfig(), pairs=()))(problems()[0][0])
    entering = potentials.step[Symbol.ADD, :-1, :, WORD]
    assert np.allclose(entering[:, EDGE], entering[:, A])


def test_forbidding_irrelevant_numbers_leaves_them_no_tree():
    config = replace(FeatureConfig(), forbid=True)
    problem = problems()[0][0]
    potentials = scorer(config)(problem, relevant=(True, False, True))
    assert np.isneginf(potentials.number).tolist() == [False, True, False]


def test_relevance_enters_only_when_it_is_passed_in():
    problem = problems()[0][0]
    told, alone = (
        extract(problem, FeatureConfig(), relevant=(True, False, True)),
        extract(problem, FeatureConfig()),
    )
    given = [{name for name, _ in number if name.startswith("given")} for number in told.numbers]
    assert given == [{"given:True"}, {"given:False"}, {"given:True"}]
    assert not any(name.startswith("given") for number in alone.numbers for name, _ in number)


def test_relevance_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="relevance of 1 numbers given, the text has 3"):
        extract(problems()[0][0], FeatureConfig(), relevant=(True,))


def test_a_template_that_is_off_leaves_no_feature():
    config = FeatureConfig().without("pos", "bigram-pos", "votes")
    features = extract(problems()[0][0], config)
    assert not any(name.startswith("pos:") for word in features.words for name, _ in word)
    assert not any(features.word_votes)


def test_extraction_does_not_depend_on_the_order_of_sets():
    problem = problems()[0][0]
    assert extract(problem, FeatureConfig()) == extract(problem, FeatureConfig())

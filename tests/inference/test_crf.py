"""The chart against brute force: everything the distribution answers, on every kind of forest."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from text2math.inference.crf import (
    EmptyForestError,
    ForestBatch,
    PotentialsBatch,
    TextMathCRF,
    TextMathCRFs,
    _arguments,
    best_trees,
    expected_counts,
    log_partitions,
)
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest, ForestError
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.work_queue import queue_of
from text2math.mathematics.expression import Number, Operation, Operator

S = Symbol
FIELDS = ("step", "pattern", "child", "root", "number")
VALUES = [Fraction(10 + k) for k in range(10)]

# (symbols, roots, most words at which brute force stays quick, unknowns without words, asides)
FORESTS = [
    ({S.ADD, S.CON}, {S.ADD}, 6, False, False),
    ({S.SUB, S.CON}, {S.SUB, S.CON}, 5, False, False),
    ({S.ADD, S.SUB, S.CON}, {S.ADD, S.SUB}, 5, False, False),
    (ARITHMETIC, {S.ADD, S.SUB, S.MUL, S.DIV}, 4, False, False),
    (ARITHMETIC | {S.SUBR, S.DIVR}, {S.SUBR, S.DIVR, S.ADD}, 4, False, False),
    ({S.EQU, S.ADD, S.CON, S.X1}, {S.EQU}, 4, False, False),
    ({S.EQU, S.MUL, S.CON, S.X1, S.X2}, {S.EQU, S.MUL}, 4, False, False),
    (EQUATIONS, {S.EQU}, 3, False, False),
    ({S.CON, S.X1}, {S.CON, S.X1}, 6, False, False),
    ({S.CEIL, S.GCD, S.SUB, S.CON}, {S.CEIL, S.GCD, S.SUB}, 4, False, False),
    ({S.EQU, S.SUB, S.CON, S.X1}, {S.EQU}, 3, True, False),
    ({S.EQU, S.ADD, S.X1, S.X2}, {S.EQU, S.ADD}, 2, True, False),
    ({S.SYS, S.EQU, S.CON}, {S.EQU, S.SYS}, 5, False, False),
    ({S.SYS, S.EQU, S.CON}, {S.EQU, S.SYS}, 6, False, True),
    ({S.SYS, S.EQU, S.CON, S.X1}, {S.EQU, S.SYS}, 5, False, True),
    ({S.SYS, S.EQU, S.CON, S.X1}, {S.EQU, S.SYS}, 4, True, True),
    ({S.SYS, S.EQU, S.ADD, S.CON, S.X1}, {S.SYS}, 3, True, True),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Forest, Potentials, list]:
    """A forest, random potentials (some forbidden), and every tree by brute force."""
    symbols, roots, longest, silent, asides = draw(st.sampled_from(FORESTS))
    words = draw(st.integers(1, longest))
    # Several numbers may stand on one word, and they come in any order.
    anchors = tuple(draw(st.lists(st.integers(0, words - 1), max_size=min(words, 5))))
    limit = None if asides else draw(st.sampled_from([None, None, 0, 1, 2]))
    seed = draw(st.integers(0, 2**32 - 1))
    potentials = random_potentials(
        words, anchors, seed, forbidden=draw(st.sampled_from([0.0, 0.0, 0.05, 0.3]))
    )
    forest = Forest.full(symbols, roots=roots, max_operators=limit, silent=silent, asides=asides)
    grammar = oracle.Grammar(frozenset(symbols), silent, asides)
    trees = oracle.all_trees(words, anchors, grammar, frozenset(roots), limit)
    return forest, potentials, trees


def random_potentials(
    words: int, anchors: tuple[int, ...], seed: int, *, forbidden: float = 0.0, scale: float = 1.0
) -> Potentials:
    rng = np.random.default_rng(seed)
    zero = Potentials.zeros(words, anchors)

    def noise(shape: tuple[int, ...]) -> np.ndarray:
        values = rng.normal(scale=scale, size=shape)
        values[rng.random(shape) < forbidden] = -np.inf
        return values

    return replace(zero, **{name: noise(getattr(zero, name).shape) for name in FIELDS})


def assert_close(first: Potentials, second: Potentials, tolerance: float = 1e-9) -> None:
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=0, atol=tolerance, err_msg=name
        )


@settings(max_examples=100, deadline=None)
@given(cases())
def test_full_forest_agrees_with_brute_force(case: tuple[Forest, Potentials, list]) -> None:
    forest, potentials, trees = case
    listed = oracle.Enumerated.of(trees, potentials)
    crf = TextMathCRF(forest, potentials)
    if not listed.trees:
        assert crf.log_partition == -math.inf
        assert crf.k_best(3) == []
        assert crf.expressions(3, VALUES) == []
        for ask in (lambda: crf.best, lambda: crf.marginals, lambda: crf.sample(np.random.default_rng(0))):
            with pytest.raises(EmptyForestError, match="no text-math tree"):
                ask()
        return
    assert crf.log_partition == pytest.approx(listed.log_partition, abs=1e-9)
    assert_close(crf.marginals, listed.marginals(potentials))
    assert crf.entropy == pytest.approx(listed.entropy, abs=1e-8)
    assert crf.best.score == pytest.approx(listed.scores.max(), abs=1e-9)
    assert oracle.tree_score(crf.best.tree, potentials) == pytest.approx(crf.best.score, abs=1e-9)
    assert crf.best.tree.score(potentials) == pytest.approx(crf.best.score, abs=1e-9)
    crf.best.tree.check(potentials.anchors)


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([1, 2, 10, 1000]))
def test_k_best_is_the_top_of_the_full_list(case: tuple[Forest, Potentials, list], k: int) -> None:
    forest, potentials, trees = case
    listed = oracle.Enumerated.of(trees, potentials)
    found = TextMathCRF(forest, potentials).k_best(k)
    wanted = np.sort(listed.scores)[::-1][:k]
    np.testing.assert_allclose([scored.score for scored in found], wanted, atol=1e-9)
    assert len({scored.tree for scored in found}) == len(found)
    for scored in found:
        scored.tree.check(potentials.anchors)
        assert oracle.tree_score(scored.tree, potentials) == pytest.approx(scored.score, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_expressions_have_exact_probabilities_that_sum_to_one(case: tuple[Forest, Potentials, list]) -> None:
    forest, potentials, trees = case
    listed = oracle.Enumerated.of(trees, potentials)
    wanted = listed.by_expression(VALUES)
    found = TextMathCRF(forest, potentials).expressions(len(wanted) + 5, VALUES)
    assert {one.expression for one in found} == set(wanted)
    for one in found:
        assert math.exp(one.log_probability) == pytest.approx(wanted[one.expression], abs=1e-9)
    if wanted:
        assert sum(math.exp(one.log_probability) for one in found) == pytest.approx(1, abs=1e-9)
    assert [one.log_probability for one in found] == sorted(
        (one.log_probability for one in found), reverse=True
    )


@settings(max_examples=40, deadline=None)
@given(cases(), st.integers(1, 4))
def test_top_expressions_are_those_with_the_best_trees(case: tuple[Forest, Potentials, list], k: int) -> None:
    forest, potentials, trees = case
    listed = oracle.Enumerated.of(trees, potentials)
    best: dict = {}
    for tree, score in zip(listed.trees, listed.scores, strict=True):
        expression = tree.expression(VALUES)
        best[expression] = max(best.get(expression, -math.inf), score)
    found = TextMathCRF(forest, potentials).expressions(k, VALUES)
    wanted = sorted(best.values(), reverse=True)[:k]
    np.testing.assert_allclose(sorted((one.score for one in found), reverse=True), wanted, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(cases(), st.floats(0.01, 6), st.integers(1, 5), st.booleans())
def test_expressions_far_below_the_best_are_left_out_but_for_the_first_few(
    case: tuple[Forest, Potentials, list], margin: float, at_least: int, large: bool
) -> None:
    forest, potentials, _ = case
    if large:  # scores out of the range of a chart in linear space
        potentials.number[:] = 800.0
    crf = TextMathCRF(forest, potentials)
    every = sorted(crf.expressions(12, VALUES), key=lambda one: -one.score)
    wanted = {
        one.expression
        for at, one in enumerate(every)
        if at < at_least or one.score >= every[0].score - margin
    }
    found = crf.expressions(12, VALUES, margin=margin, at_least=at_least)
    assert {one.expression for one in found} == wanted


@pytest.mark.parametrize("symbols", [{S.ADD, S.SUB, S.CON}, ARITHMETIC, {S.SUBR, S.MUL, S.CON}], ids=len)
@pytest.mark.parametrize("forbidden", [0.0, 0.1])
def test_few_expressions_spelled_out_are_those_that_a_search_finds(
    symbols: set[Symbol], forbidden: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(seed: int) -> list[tuple[object, object, float, float]]:
        potentials = random_potentials(12, (1, 4, 9), seed, forbidden=forbidden)
        found = TextMathCRF(Forest.full(symbols), potentials).expressions(24, VALUES, margin=8.0)
        return [(one.expression, one.tree, one.log_probability, one.score) for one in found]

    few = [one for seed in range(10) for one in listed(seed)]
    monkeypatch.setattr("text2math.inference.crf.spelled_out", lambda forest, anchors: None)
    searched = [one for seed in range(10) for one in listed(seed)]
    assert [one[:2] for one in few] == [one[:2] for one in searched]
    np.testing.assert_allclose([one[2:] for one in few], [one[2:] for one in searched], atol=1e-9)


def test_nodes_that_the_best_trees_have_in_common_are_made_once() -> None:
    crf = TextMathCRF(Forest.full(ARITHMETIC), Potentials.zeros(words=6, anchors=[0, 3]))
    nodes = [node for scored in crf.k_best(20) for node in scored.tree.nodes()]
    assert len({id(node) for node in nodes}) == len(set(nodes)) < len(nodes)


def test_what_was_listed_before_leaves_nothing_behind() -> None:
    """A thread keeps the memory of its last text, a longer or a shorter one, for the next."""
    rng = np.random.default_rng(0)

    def listed(words: int, anchors: list[int]) -> list[tuple[object, float]]:
        potentials = Potentials.zeros(words, anchors)
        potentials.step[:] = rng.normal(size=potentials.step.shape)
        again = [TextMathCRF(Forest.full(ARITHMETIC), potentials).expressions(12, VALUES) for _ in range(2)]
        assert again[0] == again[1]
        assert [one.tree for one in again[0]] == [one.tree for one in again[1]]
        return [(one.expression, one.log_probability) for one in again[0]]

    for words, anchors in ((9, [0, 3, 7]), (4, [1, 2]), (12, [2, 3, 5, 11])):
        assert len(listed(words, anchors)) >= 8


@settings(max_examples=60, deadline=None)
@given(cases(), st.data())
def test_forest_of_expressions_agrees_with_brute_force(
    case: tuple[Forest, Potentials, list], data: st.DataObject
) -> None:
    forest, potentials, trees = case
    if not trees:
        return
    expressions = sorted({tree.expression(VALUES) for tree in trees}, key=repr)
    chosen = data.draw(st.lists(st.sampled_from(expressions), min_size=1, max_size=4, unique=True))
    listed = oracle.Enumerated.of([tree for tree in trees if tree.expression(VALUES) in chosen], potentials)
    crf = TextMathCRF(Forest.of(chosen, silent=forest.silent, asides=forest.asides), potentials)
    assert crf.log_partition == pytest.approx(listed.log_partition, abs=1e-9)
    if listed.trees:
        assert_close(crf.marginals, listed.marginals(potentials))
        assert crf.best.score == pytest.approx(listed.scores.max(), abs=1e-9)
        assert crf.best.tree.expression(VALUES) in chosen
        assert crf.entropy == pytest.approx(listed.entropy, abs=1e-8)
        wanted = np.sort(listed.scores)[::-1][:7]
        np.testing.assert_allclose([scored.score for scored in crf.k_best(7)], wanted, atol=1e-9)
        found = {one.expression: math.exp(one.log_probability) for one in crf.expressions(5, VALUES)}
        assert found == pytest.approx(listed.by_expression(VALUES), abs=1e-9)
        assert set(crf.sample(np.random.default_rng(0), 5)) <= set(listed.trees)


def test_the_forest_of_one_number_has_no_other_number() -> None:
    """Three numbers are few enough to spell out all expressions, but this forest allows only one of them."""
    potentials = Potentials.zeros(3, [0, 1, 2])
    number = Number(VALUES[0], 0)
    found = TextMathCRF(Forest.of([number]), potentials).expressions(5, VALUES)
    assert [one.expression for one in found] == [number]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_gold_partition_never_exceeds_full(case: tuple[Forest, Potentials, list]) -> None:
    forest, potentials, trees = case
    full = TextMathCRF(forest, potentials).log_partition
    for expression in sorted({tree.expression(VALUES) for tree in trees}, key=repr)[:20]:
        gold = Forest.of(expression, silent=forest.silent, asides=forest.asides)
        assert TextMathCRF(gold, potentials).log_partition <= full + 1e-9


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([ARITHMETIC, EQUATIONS]))
def test_marginals_are_the_gradient_by_finite_differences(seed: int, symbols: frozenset[Symbol]) -> None:
    rng = np.random.default_rng(seed)
    potentials = random_potentials(9, (1, 4, 7), seed)
    forest = Forest.full(symbols)
    marginals = PotentialsBatch.of([TextMathCRF(forest, potentials).marginals]).flat
    batch = PotentialsBatch.of([potentials])
    direction = rng.normal(size=len(batch.flat))
    step = 1e-5
    ends = [
        log_partitions(replace(batch, flat=batch.flat + sign * step * direction), ForestBatch.same(forest, 1))
        for sign in (1, -1)
    ]
    slope = float((ends[0] - ends[1])[0, 0]) / (2 * step)
    assert slope == pytest.approx(float(marginals @ direction), rel=1e-6, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_tree_count_agrees_with_the_closed_form(data: st.DataObject) -> None:
    # One operation over the numbers at p < q: where A starts, where B ends, and the gap between them.
    words = data.draw(st.integers(2, 60))
    p, q = sorted(data.draw(st.sets(st.integers(0, words - 1), min_size=2, max_size=2)))
    expression = Operation(Operator.SUB, Number(Fraction(1), 0), Number(Fraction(2), 1))
    crf = TextMathCRF(Forest.of(expression), Potentials.zeros(words, [p, q]))
    assert crf.tree_count == (p + 1) * (words - q) * (q - p) * (q - p + 1) // 2


def test_samples_follow_the_distribution() -> None:
    potentials = random_potentials(4, (0, 2), seed=3)
    forest = Forest.full({S.ADD, S.SUB, S.CON})
    listed = oracle.Enumerated.of(
        oracle.all_trees(4, (0, 2), frozenset({S.ADD, S.SUB, S.CON}), frozenset({S.ADD, S.SUB})), potentials
    )
    drawn = Counter(TextMathCRF(forest, potentials).sample(np.random.default_rng(0), 20_000))
    assert set(drawn) <= set(listed.trees)
    for tree, probability in zip(listed.trees, listed.probabilities, strict=True):
        spread = math.sqrt(probability * (1 - probability) / 20_000)
        assert abs(drawn[tree] / 20_000 - probability) < 5 * spread + 1e-3


@pytest.mark.parametrize("scale", [5.0, 60.0, 500.0])
def test_log_space_takes_over_where_linear_space_ends(scale: float) -> None:
    for seed in range(5):
        potentials = random_potentials(5, (0, 2, 4), seed, scale=scale)
        trees = oracle.all_trees(5, (0, 2, 4), frozenset({S.ADD, S.SUB, S.CON}), frozenset({S.ADD, S.SUB}))
        listed = oracle.Enumerated.of(trees, potentials)
        crf = TextMathCRF(Forest.full({S.ADD, S.SUB, S.CON}), potentials)
        assert crf.log_partition == pytest.approx(listed.log_partition, rel=1e-12)
        assert_close(crf.marginals, listed.marginals(potentials))


def test_scores_of_500_a_word_over_150_words_neither_overflow_nor_lose_the_answer() -> None:
    rng = np.random.default_rng(0)
    potentials = Potentials.zeros(150, [10, 60, 140])
    potentials.step[:] = rng.choice([-500.0, 500.0], size=potentials.step.shape)
    crf = TextMathCRF(Forest.full(ARITHMETIC), potentials)
    assert math.isfinite(crf.log_partition)
    # Scores this far apart leave nothing but the best tree and its ties, so the two must agree.
    assert crf.best.score <= crf.log_partition <= crf.best.score + 150
    assert crf.best.tree.score(potentials) == pytest.approx(crf.best.score)
    assert all(np.isfinite(getattr(crf.marginals, name)).all() for name in FIELDS)
    np.testing.assert_allclose(crf.marginals.root.sum(), 1, atol=1e-6)
    shifted = replace(potentials, step=potentials.step - 500.0)
    assert math.isfinite(TextMathCRF(Forest.full(ARITHMETIC), shifted).log_partition)


@pytest.mark.parametrize("words", [30, 80, 150, 200])
def test_linear_and_log_space_agree_on_long_texts(words: int) -> None:
    from text2math.inference.expectations import expectations
    from text2math.inference.semiring import LOG

    potentials = random_potentials(words, (3, words // 2, words - 2), seed=words)
    batch, forests = PotentialsBatch.of([potentials]), ForestBatch.same(Forest.full(ARITHMETIC), 1)
    result, fits, counts = np.empty((1, 1)), np.ones(1, dtype=np.bool_), np.zeros_like(batch.flat)
    arguments = _arguments(batch, forests)
    expectations(LOG, queue_of([0]), *arguments, np.ones(1), result, fits, counts)
    logs, ours = expected_counts(batch, forests, [1.0])
    assert logs[0, 0] == pytest.approx(result[0, 0], rel=1e-12)
    np.testing.assert_allclose(ours, counts, atol=1e-9)


def expectations_under_silent_unknowns(tag: Any, seed: int) -> tuple[float, np.ndarray, float]:
    """The log-partition and the expected counts of a text of 50 words, and the log-partition by itself."""
    from text2math.inference.expectations import expectations

    potentials = random_potentials(50, (3, 25, 48), seed=seed)
    batch, forest = PotentialsBatch.of([potentials]), Forest.full(EQUATIONS, silent=True)
    result, fits, counts = np.empty((1, 1)), np.ones(1, dtype=np.bool_), np.zeros_like(batch.flat)
    arguments = _arguments(batch, ForestBatch.same(forest, 1))
    expectations(tag, queue_of([0]), *arguments, np.ones(1), result, fits, counts)
    assert fits.all()
    return float(result[0, 0]), counts, TextMathCRF(forest, potentials).log_partition


@pytest.mark.parametrize("seed", range(3))
def test_texts_of_50_words_with_silent_unknowns_stay_in_linear_space(seed: int) -> None:
    from text2math.inference.semiring import LINEAR

    found, counts, log_partition = expectations_under_silent_unknowns(LINEAR, seed)
    assert found == pytest.approx(log_partition, rel=1e-12)
    assert np.isfinite(counts).all()


@pytest.mark.slow  # it is the only one that compiles these kernels in log space
@pytest.mark.parametrize("seed", range(3))
def test_linear_and_log_space_agree_under_silent_unknowns(seed: int) -> None:
    from text2math.inference.semiring import LINEAR, LOG

    (linear, ours, _), (log, counts, _) = (
        expectations_under_silent_unknowns(tag, seed) for tag in (LINEAR, LOG)
    )
    assert linear == pytest.approx(log, rel=1e-12)
    np.testing.assert_allclose(ours, counts, atol=1e-9)


@pytest.mark.slow  # it is the only one that compiles the listing of the larger grammar in log space
def test_in_log_space_the_best_trees_with_silent_unknowns_are_the_top_of_the_full_list() -> None:
    symbols = frozenset({S.EQU, S.SUB, S.CON, S.X1})
    trees = oracle.all_trees(3, (0, 2), oracle.Grammar(symbols, True, False), frozenset({S.EQU}), None)
    potentials = random_potentials(3, (0, 2), seed=0, scale=500.0)
    found = TextMathCRF(Forest.full(symbols, roots={S.EQU}, silent=True), potentials).k_best(10)
    wanted = np.sort(oracle.Enumerated.of(trees, potentials).scores)[::-1][:10]
    np.testing.assert_allclose([scored.score for scored in found], wanted, rtol=1e-12)


def test_batches_give_what_single_calls_give() -> None:
    forest = Forest.full(ARITHMETIC)
    many = [random_potentials(n, tuple(range(0, n, 4)), seed=n) for n in (1, 5, 12, 31, 3, 20)]
    batch, forests = PotentialsBatch.of(many), ForestBatch.same(forest, len(many))
    logs, counts = expected_counts(batch, forests, [1.0], threads=2)
    trees = best_trees(batch, forests, threads=2)
    for at, potentials in enumerate(many):
        crf = TextMathCRF(forest, potentials)
        assert logs[at, 0] == pytest.approx(crf.log_partition, rel=1e-13)
        if crf.log_partition == -math.inf:
            assert trees[at] is None
        else:
            assert trees[at].tree == crf.best.tree
            assert_close(batch.unpack(counts)[at], crf.marginals, 1e-13)


def test_many_problems_answer_in_one_call_what_each_answers_alone() -> None:
    forest = Forest.full(ARITHMETIC)
    many = TextMathCRFs(
        forest, [random_potentials(n, (0, n // 2, n - 1), seed=n) for n in (4, 9, 17)], threads=2
    )
    alone = [TextMathCRF(forest, crf.potentials) for crf in many.each]
    np.testing.assert_allclose(many.log_partition, [crf.log_partition for crf in alone], rtol=1e-13)
    np.testing.assert_allclose(many.entropy, [crf.entropy for crf in alone], rtol=1e-9)
    assert [scored.tree for scored in many.best] == [crf.best.tree for crf in alone]
    assert many.k_best(5) == [crf.k_best(5) for crf in alone]
    assert many.expressions(4, [VALUES] * 3) == [crf.expressions(4, VALUES) for crf in alone]
    for ours, theirs in zip(many.marginals, alone, strict=True):
        assert_close(ours, theirs.marginals, 1e-12)
    drawn = many.sample(np.random.default_rng(5), 3)
    assert drawn == many.sample(np.random.default_rng(5), 3)
    for trees, crf in zip(drawn, alone, strict=True):
        for tree in trees:
            tree.check(crf.potentials.anchors)


def test_a_forbidden_number_is_never_used() -> None:
    potentials = random_potentials(12, (1, 5, 9), seed=1)
    potentials.number[1] = -np.inf
    crf = TextMathCRF(Forest.full(ARITHMETIC), potentials)
    assert crf.marginals.number[1] == 0
    used = {node.quantity for tree in crf.sample(np.random.default_rng(0), 200) for node in tree.nodes()}
    assert used <= {None, 0, 2}


def test_a_text_beyond_the_bounds_is_refused_before_any_work() -> None:
    forest = Forest.full(ARITHMETIC)
    with pytest.raises(ForestError, match="201 words; at most 200"):
        TextMathCRF(forest, Potentials.zeros(201, [0, 5]))
    with pytest.raises(ForestError, match="101 numbers; at most 100"):
        TextMathCRF(forest, Potentials.zeros(100, [0] * 101))


@pytest.mark.parametrize("score", [math.nan, math.inf, 1e200])
@pytest.mark.parametrize("name", FIELDS)
def test_a_score_that_is_no_number_is_refused_before_compiled_code_sees_it(name: str, score: float) -> None:
    potentials = Potentials.zeros(4, [0, 3])
    getattr(potentials, name).flat[0] = score
    with pytest.raises(ValueError, match="the scorer gave a score that is"):
        TextMathCRF(Forest.full(ARITHMETIC), potentials)

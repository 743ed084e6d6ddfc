"""The problems of a discrete model as the plain arrays that window networks are trained from in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from text2math.inference.forest import Forest
from text2math.inference.patterns import PAPER_PATTERNS
from text2math.inference.potentials import FloatArray, Symbol
from text2math.language.problem import Problem
from text2math.neural.window import TrainingSet
from text2math.neural.window_batch import TABLES, Array, WindowProblems
from text2math.scorers.features import PAIRS
from text2math.scorers.linear import NUMBERS, PAIRS_, WORDS, LinearScorer, Tables
from text2math.scorers.scorer import Scorer
from text2math.scorers.window import vocabulary_of, word_rows

_NOT_IN_PAPER = ("whole", "order", "word-votes", "whole-votes")  # kinds of features


def window_problems(training_set: TrainingSet, test: Sequence[Problem], min_count: int = 1) -> WindowProblems:
    """The training problems as arrays, and the words of the problems to score."""
    scorer = training_set.scorer
    if not has_paper_features(scorer):
        raise ValueError(
            "networks are trained in batches on the paper's features only: use the variant paper"
        )
    columns = {symbol: at for at, symbol in enumerate(scorer.symbols)}
    kept = list(columns)
    tables = tables_of(scorer)
    vocabulary = vocabulary_of(training_set.problems, min_count)
    golds = [training_set.forests.forests[row[0]] for row in training_set.forests.forest_of]
    full = training_set.forests.forests[training_set.forests.forest_of[0, 1]]
    matrices = [matrix.tocoo() for matrix in training_set.batch.local_features]
    if any((matrix.data != 1).any() for matrix in matrices):
        raise ValueError("networks are trained in batches on features without scales")
    features = [np.stack([matrix.row, matrix.col], 1).astype(np.int32) for matrix in matrices]
    own, every = plain_forests(golds, columns), plain_forests([full], columns)
    return WindowProblems(
        l2=np.array(training_set.l2),
        symbols=np.array([int(symbol) for symbol in kept]),
        lengths=np.array([len(problem.tokens) for problem in training_set.problems]),
        rows=np.concatenate([word_rows(problem, vocabulary) for problem in training_set.problems]),
        vocabulary=np.array(len(vocabulary) + 1),
        numbers=np.array([len(problem.anchors) for problem in training_set.problems]),
        anchors=np.concatenate([np.asarray(problem.anchors, np.int64) for problem in training_set.problems]),
        pair_marks=np.array([4 * left + right for left, right in PAIRS]),
        word_features=features[0],
        pair_features=features[1],
        number_features=features[2],
        words=tables["words"],
        pairs=tables["pairs"],
        numbers_used=tables["numbers"],
        pattern=tables["pattern"],
        child=tables["child"],
        root=tables["root"],
        gold_states=own.states,
        gold_rules=own.rules,
        gold_roots=own.roots,
        full_states=every.states,
        full_rules=every.rules,
        full_roots=every.roots,
        test_lengths=np.array([len(problem.tokens) for problem in test]),
        test_rows=np.concatenate([word_rows(problem, vocabulary) for problem in test]),
    )


def has_paper_features(scorer: Scorer) -> bool:
    """Whether a scorer has only features that networks trained in batches support."""
    return isinstance(scorer, LinearScorer) and not any(scorer.vocabulary[kind] for kind in _NOT_IN_PAPER)


def tables_of(scorer: LinearScorer) -> dict[str, Array]:
    """The weights of a scorer by the names of ``TABLES``, for its own symbols."""
    views = Tables.of(scorer.vocabulary, len(scorer.symbols)).views(scorer.weights)
    kept = list(scorer.symbols)
    own = (
        views[WORDS],
        views[PAIRS_],
        views[NUMBERS],
        views["pattern"][kept, :PAPER_PATTERNS],
        views["child"][np.ix_(kept, [0, 1], kept)],
        views["start"][kept],
    )
    return dict(zip(TABLES, own, strict=True))


def with_tables(scorer: LinearScorer, tables: Mapping[str, Array]) -> FloatArray:
    """The weights of a scorer with those of some tables, named as in ``tables_of``, instead of its own."""
    weights = scorer.weights.copy()
    views = Tables.of(scorer.vocabulary, len(scorer.symbols)).views(weights)
    kept = list(scorer.symbols)
    for name, own in ((WORDS, "words"), (PAIRS_, "pairs"), (NUMBERS, "numbers")):
        views[name][:] = tables[own]
    views["pattern"][kept, :PAPER_PATTERNS] = tables["pattern"]
    views["child"][np.ix_(kept, [0, 1], kept)] = tables["child"]
    views["start"][kept] = tables["root"]
    return weights


class PlainForests(NamedTuple):
    """Forests as arrays; see ``WindowProblems``."""

    states: Array
    rules: Array
    roots: Array


def plain_forests(forests: Sequence[Forest], columns: dict[Symbol, int]) -> PlainForests:
    """States, rules and roots of forests, padded; sets of states are bits."""
    states = np.full((len(forests), max(len(forest.states) for forest in forests), 2), -1)
    rules = np.full((len(forests), max(len(forest.rules) for forest in forests), 3), -1)
    for p, forest in enumerate(forests):
        if forest.larger or len({rule.state for rule in forest.rules}) != len(forest.rules):
            raise ValueError("networks are trained in batches under the paper's grammar only")
        for at, state in enumerate(forest.states):
            states[p, at] = columns[state.symbol], -1 if state.quantity is None else state.quantity
        for at, rule in enumerate(forest.rules):
            rules[p, at] = rule.state, _bits(rule.left), _bits(rule.right)
    return PlainForests(states, rules, np.array([_bits(forest.roots) for forest in forests]))


def _bits(states: Sequence[int]) -> int:
    return sum(1 << state for state in states)

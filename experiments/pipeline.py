"""A competitor: local classifiers and a search over expression trees, in the spirit of Roy and Roth 2015.

    python experiments/pipeline.py ai2 il --data DIR [--results experiments/results] [--workers N]

One classifier says which numbers of a text matter, another which operation stands at the lowest common
ancestor of two numbers. A beam search puts trees together whose decisions add up best. It trains and is
tested on the same folds as our models, under both protocols. Needs scikit-learn (the extra ``sklearn``).
"""

from __future__ import annotations

import argparse
import heapq
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from text2math.data.readers import load
from text2math.evaluation.crossvalidation import PROTOCOLS, Question, cross_validate
from text2math.evaluation.metrics import Prediction
from text2math.evaluation.paper import PIPELINE
from text2math.evaluation.tables import origin, read_results, write_results
from text2math.evaluation.variants import outcome_of
from text2math.inference.forest import quantities_used
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example, Problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import Expression, Number, Operation, Operator, numbers
from text2math.parallel import available_cores

BEAM = 200
MOST_NUMBERS = 4  # that an expression uses
INVERSE_STRENGTH = 1.0  # of the L2 penalty: scikit-learn's default, not tuned
ARITHMETIC = {
    operator.name: operator for operator in (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)
}
REVERSE = "-reversed"  # the operand that stands later in the text comes first
Features = dict[str, float]
LogProbabilities = Mapping[str, float]


# What the classifiers look at ---------------------------------------------------------------------------


def number_features(reading: Annotations, k: int) -> Features:
    """Of one number: its neighbours, what it counts against what is asked for, how many others there are."""
    problem = reading.problem
    quantity = problem.quantities[k]
    asked = set(problem.question_units)
    before, after = quantity.first_token - 1, quantity.last_token
    others = [other for j, other in enumerate(problem.quantities) if j != k]
    names = [
        f"numbers={min(len(problem.quantities), 4)}",
        f"place={'first' if k == 0 else 'last' if k == len(others) else 'inside'}",
        f"asked={quantity.unit in asked},others={sum(other.unit in asked for other in others)}",
        f"same unit={sum(other.unit == quantity.unit for other in others)}",
        f"in question={problem.tokens[quantity.first_token].in_question}",
        *(f"near={reading.lemma(at)}" for at in (before - 1, before, after, after + 1)),
        *(f"clause={reading.lemmas[at]}" for at in reading.clause_of(quantity)),
    ]
    return dict.fromkeys(names, 1.0)


def pair_features(reading: Annotations, i: int, j: int) -> Features:
    """Of two numbers: the words around and between them, their units, the question, which one is larger."""
    problem = reading.problem
    first, second = problem.quantities[i], problem.quantities[j]
    asked = set(problem.question_units)
    between = range(first.last_token, second.first_token)
    order = (first.value > second.value) - (first.value < second.value)
    units = f"same={first.unit == second.unit},asked={first.unit in asked}/{second.unit in asked}"
    names = [
        f"order={order}",
        f"units:{units}",
        f"numbers={min(len(problem.quantities), 4)}",
        f"order={order},{units}",
        *(f"first:{reading.lemmas[at]}" for at in reading.clause_of(first)),
        *(f"second:{reading.lemmas[at]}" for at in reading.clause_of(second)),
        *(f"between:{reading.lemmas[at]}" for at in between),
        *(f"question:{term}" for term in reading.question_terms),
        *(f"cue:{cue}" for cue in reading.all_cues),
    ]
    return dict.fromkeys(names, 1.0)


# Training -----------------------------------------------------------------------------------------------


def common_ancestors(expression: Expression) -> Iterator[tuple[int, int, str]]:
    """For each two numbers, in the order of the text, the operation at their lowest common ancestor."""
    if not isinstance(expression, Operation):
        return
    for one in numbers(expression.left):
        for other in numbers(expression.right):
            if one.quantity is None or other.quantity is None or one.quantity == other.quantity:
                continue
            swapped = one.quantity > other.quantity and not expression.operator.commutative
            label = expression.operator.name + (REVERSE if swapped else "")
            yield *sorted((one.quantity, other.quantity)), label
    yield from common_ancestors(expression.left)
    yield from common_ancestors(expression.right)


@dataclass(frozen=True, slots=True)
class LocalClassifiers:
    """The two classifiers; no relevance where training shows none that is irrelevant."""

    relevance: Pipeline | None
    operation: Pipeline

    @classmethod
    def fit(cls, examples: Sequence[Example]) -> LocalClassifiers:
        """Learn both from the examples' expressions."""
        relevance: list[tuple[Features, Any]] = []
        operation: list[tuple[Features, Any]] = []
        for example in examples:
            if example.expression is None:
                continue
            reading = Annotations.of(example.problem, Lexicon.default())
            used = quantities_used(example.expression)
            count = len(example.problem.quantities)
            relevance += [(number_features(reading, k), k in used) for k in range(count)]
            for i, j, label in common_ancestors(example.expression):
                operation.append((pair_features(reading, i, j), label))
        mixed = len({label for _, label in relevance}) == 2
        return cls(_trained(relevance) if mixed else None, _trained(operation))

    def scores(self, problem: Problem) -> Scores:
        """What they say of every number, and of every two."""
        reading = Annotations.of(problem, Lexicon.default())
        count = len(problem.quantities)
        single = [(1.0, 0.0)] * count
        if self.relevance is not None and count:
            found = self.relevance.predict_proba([number_features(reading, k) for k in range(count)])
            single = [(float(yes), float(no)) for no, yes in found]
        pairs = list(combinations(range(count), 2))
        rows = self.operation.predict_proba([pair_features(reading, *two) for two in pairs]) if pairs else ()
        return Scores(
            tuple((_log(yes), _log(no)) for yes, no in single),
            {
                two: dict(zip(self.operation.classes_, map(_log, row), strict=True))
                for two, row in zip(pairs, rows, strict=True)
            },
        )


def _trained(rows: Sequence[tuple[Features, Any]]) -> Pipeline:
    model = make_pipeline(DictVectorizer(), LogisticRegression(C=INVERSE_STRENGTH, max_iter=500))
    return model.fit([features for features, _ in rows], [label for _, label in rows])


def _log(probability: float) -> float:
    return math.log(max(float(probability), 1e-9))


# Search -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scores:
    """Log-probabilities: that each number is used, and is not; of the operation of each two numbers."""

    numbers: tuple[tuple[float, float], ...]
    pairs: Mapping[tuple[int, int], LogProbabilities]


@dataclass(frozen=True, slots=True)
class Partial:
    """Trees that are still to be joined, each with its numbers, and the score of the decisions so far."""

    trees: tuple[tuple[Expression, tuple[int, ...]], ...]
    score: float


def best_expression(problem: Problem, scores: Scores, given: Sequence[int] | None) -> Expression | None:
    """The expression whose decisions add up best; a plausible answer comes before any other."""
    count = len(problem.quantities)
    if given is not None:
        subsets = [tuple(given)]
    else:
        most = min(count, MOST_NUMBERS)
        subsets = [chosen for size in range(2, most + 1) for chosen in combinations(range(count), size)]
    found = [one for chosen in subsets for one in _trees(problem, scores, chosen, told=given is not None)]
    whole = all(quantity.value.denominator == 1 for quantity in problem.quantities)
    ranked = sorted(found, key=lambda one: (not _plausible(one.trees[0][0], whole), -one.score))
    return ranked[0].trees[0][0] if ranked else None


def _plausible(expression: Expression, whole: bool) -> bool:
    value: Fraction | None = evaluate(expression)
    return value is not None and value > 0 and (not whole or value.denominator == 1)


def _trees(problem: Problem, scores: Scores, chosen: Sequence[int], told: bool) -> list[Partial]:
    """Complete trees over some numbers, by a beam search that joins two trees at a time."""
    leaves = tuple((Number(problem.quantities[k].value, k), (k,)) for k in chosen)
    used = set(chosen)
    start = 0.0 if told else sum(one[k not in used] for k, one in enumerate(scores.numbers))
    beam = [Partial(leaves, start)] if leaves else []
    for _ in range(len(leaves) - 1):
        joined = {one.trees: one for partial in beam for one in _joined(partial, scores)}
        beam = heapq.nlargest(BEAM, joined.values(), key=lambda one: one.score)
    return beam


def _joined(partial: Partial, scores: Scores) -> Iterator[Partial]:
    for a, b in combinations(range(len(partial.trees)), 2):
        (left, first), (right, second) = partial.trees[a], partial.trees[b]
        rest = tuple(tree for at, tree in enumerate(partial.trees) if at not in (a, b))
        for name, operator in ARITHMETIC.items():
            for swapped in (False, True):
                if swapped and operator.commutative:
                    continue
                sides = (right, left) if swapped else (left, right)
                joined = (Operation(operator, *sides), (*first, *second))
                gain = _agreement(scores, first, second, name, swapped)
                yield Partial((*rest, joined), partial.score + gain)


def _agreement(
    scores: Scores, first: Sequence[int], second: Sequence[int], name: str, swapped: bool
) -> float:
    """The mean of what the classifier says for an operation, over the pairs that it stands above."""
    found = []
    for i in first:
        for j in second:
            # Labels speak of the order of the text, which operands need not keep.
            later = (i > j) != swapped and not ARITHMETIC[name].commutative
            label = name + (REVERSE if later else "")
            found.append(scores.pairs[min(i, j), max(i, j)].get(label, _log(0)))
    return sum(found) / len(found)


# Cross-validation ---------------------------------------------------------------------------------------


def run_fold(train: tuple[Example, ...], questions: tuple[Question, ...], config: None) -> list[Prediction]:
    """Train on examples and answer questions, under the protocol the questions come with."""
    classifiers = LocalClassifiers.fit(train)
    return [
        Prediction(best_expression(one.problem, classifiers.scores(one.problem), one.relevant), None)
        for one in questions
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--workers", type=int, default=available_cores())
    options = parser.parse_args()
    for name in options.names:
        dataset = load(name, options.data)
        folds = [dataset.fold(index) for index in range(len(dataset.folds))]
        for protocol in PROTOCOLS:
            report = cross_validate(folds, run_fold, protocol=protocol, workers=options.workers)
            outcome = outcome_of(dataset, PIPELINE, report)
            print(f"{name}, {protocol}: {outcome.accuracy:.1f} %", file=sys.stderr, flush=True)
            if options.results is not None:
                found = read_results(options.results)
                found[f"{name}/{PIPELINE}/{protocol}"] = outcome.to_dict() | origin(
                    "python experiments/pipeline.py"
                )
                write_results(options.results, found)


if __name__ == "__main__":
    main()

"""Learn the word–operator table from our own stories: ``python experiments/operator_words.py --out FILE``.

Every question of the sheets is told once. For each operator of its gold, the words that it can own (see
``model.alignment``) compete to express it, as in a translation model: with a strength s(w, o) for each
operation o, which adds up features of the word (its lemma, its place, the pairs of words it is in), an
operator of the gold has the probability

    P(o | words) = Σ_w exp s(w, o)  /  Σ_o' Σ_w exp s(w, o')

where one of the words is "no word". The weights that maximise it, less an L2 penalty, are found by L-BFGS. A
word that the other questions of the same story leave unchanged explains nothing, so that sheets which ask
for different things of one story sharpen the table. For ``=``, the table holds the log odds that a word is
between the two sides; for unknowns, those that a word is in the phrase that a sheet marks as theirs.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from text2math.data.stories.generate import every_question
from text2math.data.stories.sheets import Sheets
from text2math.language.annotations import NUMBER
from text2math.language.operator_words import (
    OPERATORS,
    STEP,
    expressive,
    naming_features,
    naming_lemmas,
    normal_lemmas,
    word_features,
)
from text2math.language.problem import Example
from text2math.mathematics.expression import Expression, Number, Operation, Operator, is_equation

L2 = 1.0
STEPS = 60
LEAST_STORIES = 4  # that a feature occurs in
LARGEST = {"stories": 5400, "equations": 1300, "unknowns": 1000}  # how many features are kept
LEAST_EQUALS = 2  # times that a word stands between two sides

Span = tuple[int, int]
Places = dict[int | str, Span]


@dataclass(frozen=True, slots=True)
class Node:
    """An operator of the gold and the words that it can own."""

    operator: Operator
    words: tuple[int, ...]


# Which words an operator can own --------------------------------------------------------------------------


def places(example: Example) -> Places:
    """Where each number and each unknown stands."""
    problem = example.problem
    found: Places = {
        at: (quantity.first_token, quantity.last_token) for at, quantity in enumerate(problem.quantities)
    }
    for name, start, end in example.groundings:
        inside = [at for at, token in enumerate(problem.tokens) if start < token.end and token.start < end]
        if inside:
            found.setdefault(name, (inside[0], inside[-1] + 1))
    return found


def hull(expression: Expression, where: Places) -> Span | None:
    """From the first to the last word of an expression's leaves."""
    if isinstance(expression, Operation):
        spans = [span for side in (expression.left, expression.right) if (span := hull(side, where))]
        return (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else None
    if isinstance(expression, Number):
        return None if expression.quantity is None else where.get(expression.quantity)
    return where.get(expression.name)


def nodes(expression: Expression, where: Places, limits: Span) -> Iterator[Node]:
    """The operators of an expression, each with the words between and around its operands."""
    if not isinstance(expression, Operation):
        return
    sides = (expression.left, expression.right)
    hulls = [hull(side, where) for side in sides]
    free = (at for at in range(*limits) if not any(span and span[0] <= at < span[1] for span in hulls))
    yield Node(expression.operator, tuple(free))
    for side, own, other in zip(sides, hulls, reversed(hulls), strict=True):
        first, last = limits
        if own and other and own[1] <= other[0]:
            last = min(last, other[0])
        elif own and other and other[1] <= own[0]:
            first = max(first, other[1])
        yield from nodes(side, where, (first, last))


# Strengths ------------------------------------------------------------------------------------------------


def strengths(examples: Sequence[Example]) -> tuple[dict[str, Any], Any]:
    """The weights of each feature for OPERATORS, and those of no word."""
    told = [_told(example) for example in examples]
    counts = Counter(name for words, _ in told for name in {name for own in words.values() for name in own})
    index = {name: at for at, name in enumerate(sorted(n for n, c in counts.items() if c >= LEAST_STORIES))}
    rows: list[list[int]] = []
    reach: list[tuple[int, int]] = []
    wanted: list[int] = []
    for words, found in told:
        row = {at: len(rows) + order for order, at in enumerate(words)}
        rows += [[index[name] for name in own if name in index] for own in words.values()]
        for node in found:
            own = [row[at] for at in node.words if at in row]
            if own and node.operator in OPERATORS:
                reach += [(len(wanted), at) for at in own]
                wanted.append(OPERATORS.index(node.operator))
    weights, no_word = _fitted(_matrix(rows, len(index)), reach, np.eye(len(OPERATORS))[wanted])
    return {name: weights[at] for name, at in index.items()}, no_word


def _told(example: Example) -> tuple[dict[int, list[str]], list[Node]]:
    """The features of each word that can express something, and the operators."""
    problem, where = example.problem, places(example)
    lemmas = normal_lemmas(problem)
    named = {at for name, span in where.items() if isinstance(name, str) for at in range(*span)}
    words = {
        at: list(word_features(lemmas, problem.tokens, at)) for at in expressive(lemmas) if at not in named
    }
    assert example.expression is not None
    return words, list(nodes(example.expression, where, (0, len(lemmas))))


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Any:
    columns = [column for row in rows for column in row]
    starts = np.cumsum([0, *map(len, rows)])
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), width))


def _fitted(features: Any, reach: Sequence[tuple[int, int]], gold: Any) -> tuple[Any, Any]:
    """The weights ``[feature, operator]`` and those of no word ``[operator]``."""
    operator, word = np.array(reach).T
    within = csr_matrix((np.ones(len(reach)), (operator, word)), shape=(len(gold), features.shape[0]))
    width, kinds = features.shape[1], gold.shape[1]

    def objective(flat: Any) -> tuple[float, Any]:
        weights, null = flat[:-kinds].reshape(width, kinds), np.exp(flat[-kinds:])
        expressed = np.exp(np.minimum(features @ weights, 30.0))
        each = within @ expressed + null  # [operator of the gold, operation]
        total = each.sum(axis=1, keepdims=True)
        likelihood = float((gold * np.log(each)).sum() - np.log(total).sum())
        slope = gold / each - 1 / total
        gradient = features.T @ (expressed * (within.T @ slope))
        penalty = L2 * flat
        penalty[-kinds:] = 0.0
        flat_gradient = np.concatenate([gradient.ravel(), (slope * null).sum(axis=0)])
        return 0.5 * float(flat @ penalty) - likelihood, penalty - flat_gradient

    start = np.zeros(width * kinds + kinds)
    best = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return best[:-kinds].reshape(width, kinds), best[-kinds:]


# Equality and unknowns ------------------------------------------------------------------------------------


def equality(examples: Sequence[Example]) -> dict[str, float]:
    """The log odds that a word stands between the two sides of its equation."""
    between: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for example in examples:
        gold, where = example.expression, places(example)
        assert isinstance(gold, Operation)
        sides = sorted(span for side in (gold.left, gold.right) if (span := hull(side, where)))
        if len(sides) < 2:
            continue
        lemmas = normal_lemmas(example.problem)
        for at in expressive(lemmas):
            (between if sides[0][1] <= at < sides[1][0] else elsewhere)[lemmas[at]] += 1
    return {
        word: float(np.log((count + 0.2) / (elsewhere[word] + 1)))
        for word, count in between.items()
        if count >= LEAST_EQUALS
    }


def naming(examples: Iterable[Example]) -> dict[str, float]:
    """The weights of a logistic regression: is a word part of an unknown's phrase? The bias is that of ''."""
    rows: list[list[str]] = []
    inside: list[bool] = []
    for example in examples:
        problem, lemmas = example.problem, naming_lemmas(example.problem)
        for at, token in enumerate(problem.tokens):
            if lemmas[at] != NUMBER:
                rows.append(["", *naming_features(lemmas, problem.tokens, at)])
                inside.append(any(a < token.end and token.start < b for _, a, b in example.groundings))
    counts = Counter(name for row in rows for name in row)
    index = {name: at for at, name in enumerate(sorted(n for n, c in counts.items() if c >= LEAST_STORIES))}
    features = _matrix([[index[name] for name in row if name in index] for row in rows], len(index))
    gold = np.array(inside, dtype=float)

    def objective(weights: Any) -> tuple[float, Any]:
        odds = features @ weights
        loss = float(np.logaddexp(0.0, odds).sum() - gold @ odds)
        penalty = L2 * weights
        penalty[index[""]] = 0.0
        return loss + 0.5 * float(weights @ penalty), features.T @ (1 / (1 + np.exp(-odds)) - gold) + penalty

    best = minimize(objective, np.zeros(len(index)), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    return {name: float(best[at]) for name, at in index.items()}


# The file -------------------------------------------------------------------------------------------------


def table(examples: Sequence[Example], sheets: str) -> dict[str, Any]:
    """The table as it is written, with how it was made."""
    of = {
        "stories": [example for example in examples if not is_equation(_gold(example))],
        "equations": [example for example in examples if is_equation(_gold(example))],
    }
    learned = {kind: strengths(own) for kind, own in of.items()}
    return {
        "about": "How strongly words express operations. A feature is a lemma, a lemma in the question (q:) "
        "or the story (s:), or a pair of lemmas; # is a number, @ a name, < and > the ends of the text.",
        "made_by": f"python experiments/operator_words.py --sheets {sheets} --out "
        "src/text2math/language/operator_words.json",
        "made_from": {f"questions of {kind}": len(own) for kind, own in of.items()},
        "unit": "tenths of a natural logarithm",
        "operators": [operator.name for operator in OPERATORS],
        "no_word": {kind: _tenths(null) for kind, (_, null) in learned.items()},
        "equals": {word: round(odds / STEP) for word, odds in sorted(equality(of["equations"]).items())},
        "unknowns": _largest(naming(of["equations"]), LARGEST["unknowns"]),
        **{kind: _largest(weights, LARGEST[kind]) for kind, (weights, _) in learned.items()},
    }


def _gold(example: Example) -> Expression:
    assert example.expression is not None
    return example.expression


def _tenths(values: Any) -> Any:
    return (np.rint(np.asarray(values) / STEP)).astype(int).tolist()


def _largest(weights: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The features with the largest weights (and the bias), by name."""
    by_size = sorted(weights, key=lambda name: (name != "", -float(np.abs(weights[name]).max())))
    return {name: _tenths(weights[name]) for name in sorted(by_size[:count])}


def written(content: Mapping[str, Any]) -> str:
    """JSON with a line for each feature."""

    def block(value: Any) -> str:
        if not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        lines = [
            f"{json.dumps(key, ensure_ascii=False)}:{json.dumps(one, separators=(',', ':'))}"
            for key, one in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}"

    return (
        "{\n" + ",\n".join(f"{json.dumps(key)}: {block(value)}" for key, value in content.items()) + "\n}\n"
    )


def main() -> None:
    """Learn the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sheets", choices=("all", "training", "held_out"), default="training")
    given = parser.parse_args()
    sheets: Sheets = given.sheets
    examples = [story.example() for story in every_question(sheets)]
    given.out.write_text(written(table(examples, sheets)), encoding="utf-8")


if __name__ == "__main__":
    main()

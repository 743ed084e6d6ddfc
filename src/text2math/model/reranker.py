"""Reranker: which of the k best expressions makes sense, from features of the whole and of its answer.

A count isn't negative, a share of whole things is whole, "how many pounds" asks for the numbers that carry
pounds. The chart can't see such things, because they belong to no single node; a reranker over the k best
expressions can, and learns from the training examples what each of them is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import Annotations, remembered
from text2math.language.quantity import Source
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_system,
    operators,
    variables,
)
from text2math.model.candidates import Candidate
from text2math.scorers.features import check_templates
from text2math.scorers.regression import feature_matrix
from text2math.scorers.relevance import TEMPLATES as USE_TEMPLATES
from text2math.scorers.relevance import phrase_match, unit_match

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Template = Callable[[Annotations, Candidate], Iterator[str]]


def answer(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """What kind of number the answer is; of a system, what kind of numbers solve it."""
    if is_system(candidate.mathematics):
        yield from _kinds_of_solution(candidate)
    if candidate.equation is not None:
        return
    if candidate.answer is None:
        yield "none"
        return
    value, root = _plain(candidate.answer), _root(candidate.mathematics)
    operands = [_plain(number.value) for number in candidate.numbers]
    least, most = min(operands), max(operands)
    whole = all(operand.denominator == 1 for operand in operands)
    for name, holds in {
        "negative": value < 0,
        "zero": value == 0,
        "fraction-of-wholes": whole and value.denominator != 1,
        "long-fraction": value.denominator > 1000,
        "an-operand": value in operands and len(operands) > 1,
        "a-number-of-the-text": value not in operands
        and any(value == _value(reading, k) for k in range(len(reading.problem.quantities))),
        "above-all": value > most,
        "below-all": value < least,
        "below-one": 0 < value < 1,
        "huge": value > 100 * most,
    }.items():
        if holds:
            yield name
            yield f"{name},{root}"


def _kinds_of_solution(candidate: Candidate) -> Iterator[str]:
    solved = candidate.solution
    if solved is None:
        yield "unsolved"
        return
    whole = all(number.value.denominator == 1 for number in candidate.numbers)
    for name, holds in {
        "negative-unknown": any(value < 0 for value in solved.values()),
        "zero-unknown": any(value == 0 for value in solved.values()),
        "fractional-unknown": whole and any(value.denominator != 1 for value in solved.values()),
        "equal-unknowns": len(set(solved.values())) < len(solved),
    }.items():
        if holds:
            yield name


def _written_used(reading: Annotations, candidate: Candidate) -> frozenset[int]:
    """The written numbers that a candidate uses, where they are written or where they are mentioned again."""
    origins = reading.problem.origins
    return frozenset(origin for k in candidate.used if isinstance(origin := origins[k], int))


def numbers_used(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """Which numbers are used and which left out, by how they relate to the question."""
    quantities = reading.problem.quantities
    used = _written_used(reading, candidate)
    matches = [unit_match(reading, quantity) for quantity in quantities]
    inside = [matches[k] for k in range(len(quantities)) if k in used]
    outside = [matches[k] for k in range(len(quantities)) if k not in used]
    yield f"used={len(inside)}/{len(quantities)}"
    yield f"left-out={len(outside)}"
    yield f"asked-left-out={outside.count('asked')}"
    yield f"other-used={inside.count('other') + inside.count('bare')},asked-used={inside.count('asked')}"
    if outside:
        yield f"asked-left-out={outside.count('asked')},other-used={inside.count('other')}"
        yield f"exactly-the-asked={set(inside) == {'asked'} and 'asked' not in outside}"
    kinds = {_value(reading, k).denominator == 1 for k in used}
    if len(kinds) == 2:
        yield "whole-with-decimal"
    for k in used:
        if _value(reading, k) in (1, 2):
            yield "small-used"


def use_of_numbers(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """The features of each number left out, again, now beside what is used."""
    used = _written_used(reading, candidate)
    matches = [phrase_match(reading, k) for k in range(len(reading.problem.quantities))]
    off = [k for k, match in enumerate(matches) if match in ("rival", "other")]
    fitting = [k for k, match in enumerate(matches) if match in ("same", "narrower", "wider")]
    if off and len(fitting) >= 2:
        yield f"off-used={any(k in used for k in off)}"
        yield f"fitting-all-used={all(k in used for k in fitting)}"
        yield f"exactly-fitting={used == set(fitting)}"
    for k in range(len(reading.problem.quantities)):
        if k not in used:
            yield from _left_out(reading, k)


@remembered
def _left_out(reading: Annotations, k: int) -> list[str]:
    names = ("units", "phrases", "modifiers", "value")
    return [f"left-out,{name}:{feature}" for name in names for feature in USE_TEMPLATES[name](reading, k)]


def unit_roles(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """For every operation on two numbers: their units against each other's and the question's, and "each"."""
    for node in candidate.nodes:
        match node:
            case Operation(operator, Number(quantity=int(a)), Number(quantity=int(b))):
                # Most candidates have some operation in common with another.
                key = (unit_roles, operator, a, b)
                if key not in reading.memory:
                    reading.memory[key] = tuple(_unit_roles_of(reading, operator, a, b))
                yield from reading.memory[key]
            case _:
                pass


def _unit_roles_of(reading: Annotations, operator: Operator, a: int, b: int) -> Iterator[str]:
    left, right = reading.problem.all_quantities[a], reading.problem.all_quantities[b]
    roles = f"{unit_match(reading, left)},{unit_match(reading, right)}"
    yield f"{operator.name},{roles}"
    yield f"{operator.name},same={left.unit == right.unit}"
    first, second = _value(reading, a), _value(reading, b)
    in_order = left.first_token < right.first_token
    yield f"{operator.name},order={in_order},larger-first={first >= second}"
    rates = f"{_is_rate(reading, a)},{_is_rate(reading, b)}"
    yield f"{operator.name},rates={rates}"
    yield f"{operator.name},rates={rates},{roles}"
    if operator is Operator.DIV and second:
        yield f"divides={first % second == 0}"


def shape(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """The operators and the form of the expression."""
    yield f"operators={candidate.signs}"
    yield f"form={candidate.form}"
    if candidate.equation is not None:
        unknowns = [node.name for node in candidate.nodes if isinstance(node, Variable)]
        yield f"unknowns={len(variables(candidate.mathematics))},{len(unknowns)}"
        yield f"numbers={len(candidate.numbers)}"


def roles(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """What each number does (its operator and side, what it meets there), with the words around it."""
    for node in candidate.nodes:
        if not isinstance(node, Operation):
            continue
        for side, own, other in (("left", node.left, node.right), ("right", node.right, node.left)):
            if isinstance(own, Number) and own.quantity is not None:
                quantity = reading.problem.all_quantities[own.quantity]
                side = "" if node.operator.commutative else f"{side} "
                role = f"{side}{node.operator.name} {_kind(other)}"
                yield f"{role},{quantity.kind}"
                yield f"{role},after={reading.lemma(quantity.last_token)}"
                yield f"{role},then={reading.lemma(quantity.last_token + 1)}"
                yield f"{role},before={reading.lemma(quantity.first_token - 1)}"
                yield f"{role},small={_value(reading, own.quantity) < 1}"


def _kind(expression: Expression) -> str:
    match expression:
        case Number():
            return "number"
        case Variable():
            return "unknown"
        case Operation(operator):
            return operator.name


def implied(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """Which implied numbers are used, and how often a written one is."""
    used = [reading.problem.all_quantities[k] for k in candidate.used]
    known = [quantity for quantity in used if quantity.source is Source.KNOWN]
    origins = Counter(
        reading.problem.origins[number.quantity]
        for number in candidate.numbers
        if number.quantity is not None
    )
    if known:
        yield f"known={len(known)}"
    for quantity in known:
        yield f"fact={quantity.fact}"
        yield f"value={quantity.value}"
    for quantity in used:
        if quantity.source is Source.REFERRING:
            yield f"mention={reading.lemma(quantity.first_token)}"
    twice = [origin for origin, count in origins.items() if count > 1]
    if twice:
        yield f"used-twice={len(twice)}"
        yield f"used-twice,{candidate.signs}"


def cues(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """The lexicon's cues with the operators."""
    signs, order = candidate.signs, candidate.order
    for cue in reading.all_cues:
        yield f"{cue},{signs}"
        yield f"{cue},{order}"


def votes(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """Whether the lexicon's cues speak for the operators used, whichever they are.

    The weight is one for all operators, so a cue that training never showed still counts.
    """
    used = set(operators(candidate.mathematics))
    for cue in reading.all_cues:
        operator = reading.speaks_for.get(cue)
        if operator is not None:
            place = cue.split(":")[0]
            yield f"{place},{'for' if operator in used else 'against'}"
    asked = {
        reading.speaks_for[cue]
        for cue in reading.all_cues
        if cue.startswith("question:") and cue in reading.speaks_for
    }
    if asked:
        yield f"question,{'some-for' if asked & used else 'none-for'}"


def verbs(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """What happens in the clauses of an operation's two numbers: gain, loss, or neither."""
    for node in candidate.nodes:
        match node:
            case Operation(operator, left, right):
                first, second = _happens(reading, left), _happens(reading, right)
                yield f"{operator.name},{first},{second}"
                yield f"{operator.name},right={second}"
            case _:
                pass


def _happens(reading: Annotations, operand: Expression) -> str:
    if not isinstance(operand, Number) or operand.quantity is None:
        return "several"
    return _happens_to(reading, operand.quantity)


@remembered
def _happens_to(reading: Annotations, k: int) -> str:
    clause = reading.clause_of(reading.problem.all_quantities[k])
    found = {cue for i in clause for cue in reading.cues[i]}
    kinds = [kind for kind in ("gain", "lose", "result") if f"story:{kind}" in found]
    return "+".join(kinds) or "neither"


def question_words(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """The question's words and pairs of words with the operators."""
    kind = candidate.order
    for term in reading.question_terms:
        yield f"{term},{kind}"


def story_words(reading: Annotations, candidate: Candidate) -> Iterator[str]:
    """The story's words with the operators and the order of the operands."""
    kind = candidate.order
    for term in reading.story_terms:
        yield f"{term},{kind}"


TEMPLATES: dict[str, Template] = {
    "answer": answer,
    "numbers-used": numbers_used,
    "use-of-numbers": use_of_numbers,
    "unit-roles": unit_roles,
    "shape": shape,
    "cues": cues,
    "roles": roles,
    "implied": implied,
    "votes": votes,
    "verbs": verbs,
    "question-words": question_words,
    "story-words": story_words,
}


_NOTHING = repeat(0.0)  # what a feature is worth that has no weight

# What some templates say of a candidate depends on one thing alone, so candidates that share it share that.
_DEPENDS_ON: dict[str, Callable[[Candidate], object]] = {
    "cues": lambda candidate: (candidate.signs, candidate.order),
    "question-words": lambda candidate: candidate.order,
    "story-words": lambda candidate: candidate.order,
    "numbers-used": lambda candidate: candidate.used,
    "use-of-numbers": lambda candidate: candidate.used,
    "implied": lambda candidate: candidate.numbers,
    "shape": lambda candidate: candidate.form if candidate.equation is None else id(candidate),
}


def _plain(value: Fraction) -> Fraction | int:
    """The same number, as an integer where it is one: those are compared much faster."""
    return value.numerator if value.denominator == 1 else value


@remembered
def _value(reading: Annotations, k: int) -> Fraction | int:
    return _plain(reading.problem.all_quantities[k].value)


def _root(expression: Expression) -> str:
    return expression.operator.name if isinstance(expression, Operation) else "leaf"


@remembered
def _is_rate(reading: Annotations, k: int) -> bool:
    """Whether "each", "per" and the like appear in the number's clause."""
    quantity = reading.problem.all_quantities[k]
    return any(cue.endswith(":each") for i in reading.clause_of(quantity) for cue in reading.cues[i])


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """Which templates are on, the scale of each, and the regularisation strength."""

    templates: tuple[str, ...] = tuple(TEMPLATES)
    scales: tuple[tuple[str, float], ...] = (
        ("question-words", 0.5),
        ("story-words", 0.3),
        ("cues", 0.5),
        ("numbers-used", 0.3),
    )
    l2: float = 0.5

    def __post_init__(self) -> None:
        check_templates("templates", self.templates, TEMPLATES)

    def without(self, *templates: str) -> RerankerConfig:
        """The same with some templates off."""
        return replace(self, templates=tuple(name for name in self.templates if name not in templates))


def features(reading: Annotations, candidate: Candidate, config: RerankerConfig) -> list[tuple[str, float]]:
    """Every feature of a candidate, with its value."""
    scales = dict(config.scales)
    return [
        (f"{name}:{feature}", scales.get(name, 1.0))
        for name in config.templates
        for feature in TEMPLATES[name](reading, candidate)
    ]


@dataclass(frozen=True, eq=False)
class Reranker:
    """A log-linear reranker: the chart's log-probability plus learned weights of the features above."""

    config: RerankerConfig
    vocabulary: dict[str, int]
    weights: NDArray[np.float64]  # the last one belongs to the log-probability itself

    def __repr__(self) -> str:
        return f"Reranker({len(self.config.templates)} templates, {self.weights.size:,} weights)"

    @classmethod
    def fit(
        cls,
        readings: Sequence[Annotations],
        candidates: Sequence[Sequence[Candidate]],
        right: Sequence[Sequence[bool]],
        config: RerankerConfig,
        start: Reranker | None = None,
    ) -> Reranker:
        """Learn from lists of candidates and which of them are right (at least one where it is to count).

        With a ``start``, its weights are where training begins, and what the penalty pulls back to.
        """
        kept = [index for index, marks in enumerate(right) if any(marks) and not all(marks)]
        rows = [
            [features(readings[index], candidate, config) for candidate in candidates[index]]
            for index in kept
        ]
        known = start.vocabulary if start is not None else {}
        names = sorted({name for group in rows for row in group for name, _ in row} | set(known))
        vocabulary = {name: column for column, name in enumerate(names)}
        center = np.zeros(len(names) + 1)
        if start is not None:
            center[[*(vocabulary[name] for name in known), -1]] = start.weights[[*known.values(), -1]]
        matrix = feature_matrix([row for group in rows for row in group], vocabulary)
        scores = np.array([c.log_probability for index in kept for c in candidates[index]])
        gold = np.array([mark for index in kept for mark in right[index]], dtype=bool)
        starts = np.concatenate([[0], np.cumsum([len(group) for group in rows])]).astype(np.int64)
        weights = _maximise(matrix, scores, gold, starts, config.l2, center)
        return cls(config, vocabulary, weights)

    def scores(self, reading: Annotations, candidates: Sequence[Candidate]) -> tuple[float, ...]:
        """The candidates' log-probabilities after reranking (they add up to one)."""
        chart = np.array([candidate.log_probability for candidate in candidates])
        known: dict[tuple[str, object], float] = {}
        gains = np.array([self._gain(reading, candidate, known) for candidate in candidates])
        total = gains + (1 + self.weights[-1]) * chart
        return tuple(float(score) for score in total - np.logaddexp.reduce(total))

    def _gain(
        self, reading: Annotations, candidate: Candidate, known: dict[tuple[str, object], float]
    ) -> float:
        """What the features of a candidate are worth; ``known`` keeps what others will ask for again."""
        total = 0.0
        for name, worth in self._worth.items():
            depends_on = _DEPENDS_ON.get(name)
            key = None if depends_on is None else (name, depends_on(candidate))
            gain = None if key is None else known.get(key)
            if gain is None:
                gain = sum(map(worth.get, TEMPLATES[name](reading, candidate), _NOTHING))
                if key is not None:
                    known[key] = gain
            total += gain
        return total

    @cached_property
    def _worth(self) -> dict[str, dict[str, float]]:
        """For each template, the weights of its features, scaled."""
        scales = dict(self.config.scales)
        found: dict[str, dict[str, float]] = {name: {} for name in self.config.templates}
        for full, column in self.vocabulary.items():
            name, _, feature = full.partition(":")
            found[name][feature] = float(self.weights[column]) * scales.get(name, 1.0)
        return found


def _maximise(
    matrix: csr_matrix,
    scores: NDArray[np.float64],
    gold: NDArray[np.bool_],
    starts: NDArray[np.int64],
    l2: float,
    center: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Weights that make the right candidates likely within their groups, near the center."""
    if not len(starts) > 1:
        return center
    from scipy.optimize import minimize  # slow to import, so only for training

    transposed = matrix.T.tocsr()
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def log_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.logaddexp.reduceat(values, starts[:-1])

    def objective(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total = matrix @ weights[:-1] + (1 + weights[-1]) * scores
        every = log_sums(total)
        right = log_sums(np.where(gold, total, -np.inf))
        expected = np.exp(total - every[group]) - np.where(gold, np.exp(total - right[group]), 0.0)
        moved = weights - center
        gradient = np.append(transposed @ expected, scores @ expected) + 2 * l2 * moved
        return float((every - right).sum() + l2 * moved @ moved), gradient

    result = minimize(objective, center, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(result.x)

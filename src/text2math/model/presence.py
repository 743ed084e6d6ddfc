"""Whether a text contains mathematics at all: a small classifier, so that "I have 3 dogs." gets no answer.

It learns from the training problems on one side and, on the other, from single statements of their stories,
questions of stories with a single number, and prose with numbers in it that we wrote ourselves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.expression import is_equation
from text2math.scorers.regression import feature_matrix, logistic_regression

# Words that make a statement with a single number an equation: "Ann is 3 years older than Tom".
_RELATIONS = frozenset((
    "than", "times", "twice", "thrice", "half", "third", "quarter", "double", "triple", "total", "sum",
    "difference", "product", "ratio", "percent", "%", "altogether", "together", "equal", "equals", "is",
    "are", "was", "were", "as", "from", "by", "of", "more", "less", "fewer",
))  # fmt: skip
PROSE_WEIGHT = 4  # how often our prose counts: no other texts have several numbers but no mathematics
LEAST = 0.35  # below this probability, a text is taken to contain no mathematics


@dataclass(frozen=True, eq=False)
class Presence:
    """A logistic regression over the words of a text, its numbers and its question."""

    vocabulary: Mapping[str, int]
    weights: NDArray[np.float64]  # the last one is the bias

    def __repr__(self) -> str:
        return f"Presence({self.weights.size:,} weights)"

    def probability(self, annotations: Annotations) -> float:
        """The probability that the text contains mathematics."""
        found = map(self.vocabulary.get, set(features(annotations)))
        rows = [row for row in found if row is not None]
        score = float(self.weights[-1] + self.weights[rows].sum())
        return 1 / (1 + math.exp(-min(50.0, max(-50.0, score))))

    @classmethod
    def fit(
        cls,
        present: Sequence[Problem],
        absent: Sequence[Problem],
        lexicon: Lexicon,
        *,
        l2: float = 1.0,
        min_count: int = 3,
        prior: float = 1.0,
    ) -> Presence:
        """Learn from problems and from texts without mathematics; both classes have the same weight.

        ``prior`` says how many texts have mathematics for each that has none.
        """
        rows = [
            [(name, 1.0) for name in sorted(set(features(Annotations.of(problem, lexicon))))]
            for problem in (*present, *absent)
        ]
        counts = Counter(name for row in rows for name, _ in row)
        names = sorted(name for name, count in counts.items() if count >= min_count)
        vocabulary = {name: column for column, name in enumerate(names)}
        sizes = [len(present), len(absent)]
        weights = logistic_regression(
            feature_matrix(rows, vocabulary),
            np.repeat([1.0, -1.0], sizes),
            shares=np.repeat([1 / size for size in sizes], sizes) * len(rows) / 2,
            l2=l2,
            bias=True,
        )
        weights[-1] += math.log(prior)
        return cls(vocabulary, weights)


def features(annotations: Annotations) -> Iterator[str]:
    """The features of a text; some may be repeated."""
    tokens = annotations.problem.tokens
    asked = any(token.in_question for token in tokens)
    count = min(3, len(annotations.problem.quantities))
    yield f"numbers={count}"
    yield f"numbers={count},asked={asked}"
    yield f"sentences={min(3, len({token.sentence for token in tokens}))},asked={asked}"
    yield from annotations.placed
    yield from [f"{before} {lemma}" for before, lemma in pairwise(("<", *annotations.lemmas))]
    yield from [f"pos {before} {part}" for before, part in pairwise(("<", *(token.pos for token in tokens)))]
    yield from annotations.all_cues
    for quantity in annotations.problem.quantities:
        yield f"kind={quantity.kind.name}"
        yield f"unit={'yes' if quantity.unit else 'no'}"
        if 1000 < quantity.value < 2100 and quantity.value.denominator == 1:
            yield "year-like"


# Texts without mathematics --------------------------------------------------------------------------------


def texts_without(examples: Sequence[Example]) -> list[Problem]:
    """Texts without mathematics: our prose, and parts of stories that have too few numbers."""
    prose = (files("text2math.data") / "prose.txt").read_text(encoding="utf-8").splitlines()
    found = [read_problem(line) for line in prose] * PROSE_WEIGHT
    seen: set[str] = set()
    for example in examples:
        if example.expression is None or is_equation(example.expression):
            continue
        for text in _without_numbers(example.problem):
            if text not in seen:
                seen.add(text)
                problem = read_problem(text)
                if len(problem.quantities) <= 1:
                    found.append(replace(problem, id=example.problem.id))
    return found


def _without_numbers(problem: Problem) -> Iterator[str]:
    """The first statement with a single number, alone and followed by the question if that has no number."""
    sentences: dict[int, list[int]] = {}
    for i, token in enumerate(problem.tokens):
        sentences.setdefault(token.sentence, []).append(i)
    pieces = [
        problem.text[problem.tokens[own[0]].start : problem.tokens[own[-1]].end] for own in sentences.values()
    ]
    inside = [
        sum(own[0] <= quantity.first_token <= own[-1] for quantity in problem.quantities)
        for own in sentences.values()
    ]
    asks = [any(problem.tokens[i].in_question for i in own) for own in sentences.values()]
    question = next((at for at, yes in enumerate(asks) if yes and inside[at] == 0), None)
    for at, own in enumerate(sentences.values()):
        words = {problem.tokens[i].text.lower() for i in own}
        if inside[at] == 1 and not asks[at] and not words & _RELATIONS:
            yield pieces[at]
            if question is not None:
                yield f"{pieces[at]} {pieces[question]}"
            return

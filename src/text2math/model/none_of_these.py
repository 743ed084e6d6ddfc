"""None of these: the probability that no candidate is right.

A text may have no mathematics in it, or mathematics beyond the grammar. A logistic regression estimates this
probability from the network's own estimate, from the candidates (how likely the best is, how far ahead), and
from the reasons to doubt the best one. It learns from held-out problems, some of them beyond the grammar. The
rest of the probability is shared by the candidates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import Annotations
from text2math.language.quantity import Source
from text2math.mathematics.expression import is_system, sort_of
from text2math.model.asked import lead
from text2math.model.candidates import Candidate, written_used
from text2math.model.doubts import doubts
from text2math.model.presence import features as text_features
from text2math.scorers.regression import feature_matrix, logistic_regression

NOTHING = 0.95
"""If none of these is at least this likely, a text is taken to be beyond the grammar."""
LARGEST = 12.0  # log odds are clipped to this
MIN_COUNT = 3  # how many texts a feature must occur in


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A text with its ranked candidates, whose probabilities add up to one."""

    annotations: Annotations
    candidates: Sequence[Candidate]
    beyond: float  # the scorer's log odds that no candidate is right
    asked: Sequence[float] = ()  # its score for each value that a system may be asked for


@dataclass(frozen=True, eq=False)
class NoneOfThese:
    """A logistic regression over a text and its candidates; with ``words``, also over the text's words."""

    vocabulary: Mapping[str, int]
    weights: NDArray[np.float64]  # the last one is the bias
    words: bool = False

    def __repr__(self) -> str:
        return f"NoneOfThese({self.weights.size:,} weights)"

    def probability(self, ranked: Ranked) -> float:
        """The probability that no candidate is right; 1 if there are no candidates."""
        if not ranked.candidates:
            return 1.0
        score = float(self.weights[-1])
        for name, value in features(ranked, words=self.words):
            column = self.vocabulary.get(name)
            if column is not None:
                score += value * float(self.weights[column])
        return 1 / (1 + math.exp(-_clipped(score, 50)))

    @classmethod
    def fit(
        cls, texts: Sequence[Ranked], right: Sequence[bool], *, words: bool = False, l2: float = 1.0
    ) -> NoneOfThese:
        """Learn from texts and whether any of their candidates is right."""
        rows = [list(features(ranked, words=words)) for ranked in texts]
        counts = Counter(name for row in rows for name in {name for name, _ in row})
        names = sorted(name for name, count in counts.items() if count >= MIN_COUNT)
        vocabulary = {name: column for column, name in enumerate(names)}
        signs = np.where(np.asarray(right, dtype=bool), -1.0, 1.0)
        weights = logistic_regression(feature_matrix(rows, vocabulary), signs, l2=l2, bias=True)
        return cls(vocabulary, weights, words)


def features(ranked: Ranked, *, words: bool) -> Iterator[tuple[str, float]]:
    """The features of a text and its candidates, with their values."""
    problem, best = ranked.annotations.problem, ranked.candidates[0]
    yield from _bent("beyond", _clipped(float(ranked.beyond), LARGEST), (-6.0, -3.0, 0.0))
    yield from _bent("sure", _log_odds(best.probability), (2.0, 4.0))
    if len(ranked.candidates) > 1:
        yield "ahead", _log_odds(best.probability / (best.probability + ranked.candidates[1].probability))
    for doubt in doubts(problem, best.mathematics, best.answer):
        yield f"doubt={doubt.code}", 1.0
    yield f"numbers={min(len(problem.quantities), 8)}", 1.0
    yield f"operators={min(len(best.signs), 7)}", 1.0
    yield f"root={best.form[:1]}", 1.0
    yield f"kind={sort_of(best.mathematics).name}", 1.0
    yield f"asked={any(token.in_question for token in problem.tokens)}", 1.0
    if is_system(best.mathematics) and ranked.asked:
        ahead = lead(best.mathematics, problem, ranked.asked)
        yield from _bent("asked-ahead", min(ahead, LARGEST), (1.0, 3.0))
    yield "long", min(len(problem.tokens), 150) / 50
    used = [problem.all_quantities[k].source for k in best.used]
    yield f"known={min(used.count(Source.KNOWN), 3)}", 1.0
    yield f"referring={min(used.count(Source.REFERRING), 3)}", 1.0
    yield f"unused={min(len(problem.quantities) - len(written_used(problem, best)), 4)}", 1.0
    if words:
        for name in set(text_features(ranked.annotations)):
            yield f"text:{name}", 1.0


def _bent(name: str, value: float, bends: Sequence[float]) -> Iterator[tuple[str, float]]:
    """A feature whose weight may change where the value passes a bend."""
    yield name, value
    for bend in bends:
        yield f"{name}>{bend:g}", max(0.0, value - bend)


def _log_odds(probability: float) -> float:
    inside = min(max(probability, 1e-6), 1 - 1e-6)
    return _clipped(math.log(inside / (1 - inside)), LARGEST)


def _clipped(value: float, most: float) -> float:
    """The value, but not further from zero than ``most``."""
    return min(max(value, -most), most)

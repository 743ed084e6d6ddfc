"""text2math as a scikit-learn estimator (extra ``[sklearn]``): texts in, mathematics out.

It clones, cross-validates and searches like any other:

    cross_val_score(TextMathEstimator(steps=50), texts, expressions, cv=5)
    GridSearchCV(TextMathEstimator(), {"l2": [0.01, 0.1]}).fit(texts, expressions)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from text2math.evaluation.metrics import is_correct
from text2math.language.attachment import UnmappableError, attach
from text2math.language.problem import Example, read_problem
from text2math.learning.training import train
from text2math.mathematics.expression import Expression
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.config import L2, STEPS, ModelConfig, TargetConfig
from text2math.model.reranker import RerankerConfig
from text2math.parse import Parse
from text2math.parser import Parser

Target = str | float | int | Fraction | Expression


class TextMathEstimator(BaseEstimator):  # type: ignore[misc]
    """Learns from texts and their mathematics: infix such as ``"7 + 3"`` or ``"2 * X1 = 10"``, or answers.

    ``predict`` gives infix, ``""`` where a text has no mathematics; ``score`` is the share that is right (an
    equation that says the same, an expression with the same answer).
    """

    def __init__(
        self,
        *,
        l2: float = L2,
        steps: int = STEPS,
        rerank: bool = True,
        equivalent: bool = False,
        min_count: int = 1,
        random_state: int = 0,
    ) -> None:
        self.l2 = l2
        self.steps = steps
        self.rerank = rerank
        self.equivalent = equivalent
        self.min_count = min_count
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Sequence[Target]) -> Self:
        """Train. Texts that lack a number of their mathematics are left out; ``unmapped_`` counts them."""
        examples = [_example(text, target) for text, target in zip(X, y, strict=True)]
        known = [example for example in examples if example is not None]
        if not known:
            raise ValueError("no text has all the numbers of its mathematics; there is nothing to train on")
        self.unmapped_ = len(examples) - len(known)
        self.parser_ = Parser.of(train(known, self._config(), name="sklearn"))
        return self

    def _config(self) -> ModelConfig:
        defaults = ModelConfig()
        training = replace(defaults.training, l2=self.l2, steps=self.steps, seed=int(self.random_state or 0))
        return replace(
            defaults,
            training=training,
            inner_steps=min(self.steps, defaults.inner_steps),
            targets=TargetConfig(equivalent=self.equivalent),
            reranker=RerankerConfig() if self.rerank else None,
            min_count=self.min_count,
        )

    def parse(self, X: Sequence[str]) -> list[Parse]:
        """The full parses."""
        check_is_fitted(self)
        return list(self.parser_.parse_many(X, workers=1, errors="warn"))

    def predict(self, X: Sequence[str]) -> NDArray[Any]:
        """The mathematics of each text in infix, ``""`` if there is none."""
        found = ["" if parse.mathematics is None else to_infix(parse.mathematics) for parse in self.parse(X)]
        return np.array(found, dtype=object)

    def predict_answer(self, X: Sequence[str]) -> NDArray[np.float64]:
        """The answer of each text, NaN if there is none."""
        answers = [parse.answer_float for parse in self.parse(X)]
        return np.array([np.nan if answer is None else answer for answer in answers])

    def score(self, X: Sequence[str], y: Sequence[Target]) -> float:
        """The share of texts whose mathematics is right."""
        verdicts = [
            is_correct(parse.mathematics, _gold(text, target))
            for parse, text, target in zip(self.parse(X), X, y, strict=True)
        ]
        return float(np.mean(verdicts))


def _gold(text: str, target: Target) -> Example:
    """The gold as it is written, whether or not its numbers appear in the text."""
    problem = read_problem(str(text))
    if isinstance(target, str):
        return Example(problem, from_infix(target))
    if isinstance(target, int | float | Fraction | np.number):
        return Example(problem, None, Fraction(str(target)))
    return Example(problem, target)


def _example(text: str, target: Target) -> Example | None:
    """The gold over the quantities of the text; None if one of them is missing there."""
    gold = _gold(text, target)
    if gold.expression is None:
        return gold
    try:
        values = [quantity.value for quantity in gold.problem.quantities]
        return replace(gold, expression=attach(gold.expression, values))
    except UnmappableError:
        return None

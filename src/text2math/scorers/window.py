"""The paper's neural features: a window of words around a word, one hidden layer, a score for each symbol.

The network looks at the 2L + 1 words around a word; its scores are added to the word's potentials. Training
needs torch (``text2math.neural.window``); running needs numpy alone.

>>> scorer = WindowScorer.zeros(WindowConfig(reach=1), {"apples": 1})
>>> from text2math.language.problem import read_problem
>>> scorer.scores(read_problem("7 apples")).shape
(2, 18)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from text2math.inference.potentials import SYMBOL_COUNT, WORD, FloatArray, Potentials, Symbol
from text2math.language.annotations import Annotations
from text2math.language.problem import Problem
from text2math.scorers.scorer import Relevant

UNKNOWN = 0
"""The row of a word that training did not see, and of the places beyond the ends of the text."""

ACTIVATIONS = ("tanh", "relu")


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """The shape of the network."""

    reach: int = 2  # the paper's L: how many words on either side
    embedding: int = 64
    hidden: int = 100
    activation: str = "tanh"

    def __post_init__(self) -> None:
        if self.reach < 0:
            raise ValueError(f"a window reaches over 0 or more words, not {self.reach}")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation {self.activation!r} is unknown; there are {', '.join(ACTIVATIONS)}")


@dataclass(frozen=True, eq=False)
class WindowScorer:
    """A trained window network."""

    config: WindowConfig
    vocabulary: Mapping[str, int]  # from 1 on
    embedding: FloatArray  # [words + 1, embedding]
    hidden: FloatArray  # [(2 · reach + 1) · embedding, hidden]
    hidden_bias: FloatArray  # [hidden]
    output: FloatArray  # [hidden, symbols]

    def __repr__(self) -> str:
        return f"WindowScorer({self.config}, {len(self.vocabulary):,} words)"

    @classmethod
    def zeros(cls, config: WindowConfig, vocabulary: Mapping[str, int]) -> WindowScorer:
        """A network whose scores are all zero."""
        width = (2 * config.reach + 1) * config.embedding
        return cls(
            config,
            vocabulary,
            np.zeros((len(vocabulary) + 1, config.embedding)),
            np.zeros((width, config.hidden)),
            np.zeros(config.hidden),
            np.zeros((config.hidden, SYMBOL_COUNT)),
        )

    def scores(self, problem: Problem) -> FloatArray:
        """A score for each word and symbol, [n, symbols]."""
        window = windows(word_rows(problem, self.vocabulary), self.config.reach)
        seen = self.embedding[window].reshape(len(window), -1) @ self.hidden + self.hidden_bias
        active = np.tanh(seen) if self.config.activation == "tanh" else np.maximum(seen, 0)
        result: FloatArray = active @ self.output
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """All of them."""
        return tuple(Symbol)

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        """The potentials of a problem, to be added to those of another scorer (which knows ``relevant``)."""
        potentials = Potentials.zeros(len(problem.tokens), problem.anchors)
        # What a word scores belongs to the step that enters it, whatever stands before it.
        potentials.step[:, : len(problem.tokens), :, WORD] += self.scores(problem).T[:, :, None]
        return potentials


def word_forms(problem: Problem) -> tuple[str, ...]:
    """The words in lower case, numbers as ``#``.

    >>> from text2math.language.problem import read_problem
    >>> word_forms(read_problem("Ann ate 7 apples"))
    ('ann', 'ate', '#', 'apples')
    """
    numeric = {
        at for quantity in problem.quantities for at in range(quantity.first_token, quantity.last_token)
    }
    return tuple("#" if at in numeric else token.text.lower() for at, token in enumerate(problem.tokens))


def vocabulary_of(problems: Iterable[Problem], min_count: int = 2) -> dict[str, int]:
    """The words that occur at least so often, numbered from 1; the others share one row."""
    counts = Counter(form for problem in problems for form in word_forms(problem))
    kept = sorted(form for form, count in counts.items() if count >= min_count)
    return {form: row for row, form in enumerate(kept, start=1)}


def word_rows(problem: Problem, vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    """The row of each word."""
    return np.array([vocabulary.get(form, UNKNOWN) for form in word_forms(problem)], dtype=np.int64)


def windows(rows: NDArray[np.int64], reach: int) -> NDArray[np.int64]:
    """For each word the rows of the words around it, [n, 2 · reach + 1].

    >>> windows(np.array([5, 6, 7]), 1).tolist()
    [[0, 5, 6], [5, 6, 7], [6, 7, 0]]
    """
    padded = np.concatenate([np.full(reach, UNKNOWN), rows, np.full(reach, UNKNOWN)]).astype(np.int64)
    around = np.arange(len(rows))[:, None] + np.arange(2 * reach + 1)[None, :]
    result: NDArray[np.int64] = padded[around]
    return result

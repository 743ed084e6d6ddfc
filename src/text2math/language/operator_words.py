"""The word–operator table: how strongly a word, or a pair of words, expresses an operation.

``experiments/operator_words.py`` learned it from our own stories; nothing in it overrides a model. It helps
to choose which words a tree gives to an operator once the mathematics is known (``model.alignment``).

>>> from text2math.language.problem import read_problem
>>> problem = read_problem("Tom had 12 marbles. He lost 5 of them. How many are left?")
>>> strength = OperatorWords.default().strengths(problem, equation=False)[Operator.SUB]
>>> problem.tokens[int(strength.argmax())].text
'left'
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import NAME, NUMBER, is_name
from text2math.language.problem import Problem, Token
from text2math.mathematics.expression import Operator

FloatArray: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Mapping[str, tuple[float, ...]]

FILE = "operator_words.json"
OPERATORS = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)
"""The operators of the table's columns."""
INVERSE = {
    Operator.ADD: Operator.SUB,
    Operator.SUB: Operator.ADD,
    Operator.MUL: Operator.DIV,
    Operator.DIV: Operator.MUL,
}
STEP = 0.1  # weights are written as multiples of it
NO_WORD = -3.0  # the strength of "=" in a word that was never seen between two sides
ANY_VERB = -1.0  # the same of a verb
FROM_INVERSE = 0.3  # "5 more than Ann" may ask for a difference: words of the inverse operation count too
CLAUSE_MARKS = frozenset((",", ":", ";"))


@dataclass(frozen=True)
class OperatorWords:
    """Weights of features of words: for operations in stories and in equations, for ``=``, for unknowns."""

    stories: Weights  # a weight for each of OPERATORS
    equations: Weights
    equals: Mapping[str, float]  # by lemma: how often it stands between the sides of "=", as log odds
    unknowns: Mapping[str, float]  # of being in a phrase that names an unknown, as log odds
    no_word: Mapping[str, tuple[float, ...]]  # of an operation that no word expresses; for both kinds of text

    @classmethod
    def default(cls) -> OperatorWords:
        """The table shipped with the package."""
        return _shipped()

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> OperatorWords:
        """The table in a JSON object."""

        def rows(name: str) -> Weights:
            return {key: tuple(STEP * value for value in values) for key, values in content[name].items()}

        def column(name: str) -> Mapping[str, float]:
            return {key: STEP * value for key, value in content[name].items()}

        return cls(rows("stories"), rows("equations"), column("equals"), column("unknowns"), rows("no_word"))

    def strengths(self, problem: Problem, *, equation: bool) -> dict[Operator, FloatArray]:
        """How strongly each word expresses each operation, as a logarithm; minus infinity: not at all."""
        lemmas = normal_lemmas(problem)
        tables = (self.equations, self.stories) if equation else (self.stories,)
        own = np.full((len(lemmas), len(OPERATORS)), -np.inf)
        for at in expressive(lemmas):
            features = list(word_features(lemmas, problem.tokens, at))
            found = [table[name] for table in tables for name in features if name in table]
            own[at] = np.sum(found, axis=0) / len(tables) if found else 0.0
        by_operator = dict(zip(OPERATORS, own.T, strict=True))
        strengths = {
            operator: np.logaddexp(strength, np.log(FROM_INVERSE) + by_operator[INVERSE[operator]])
            for operator, strength in by_operator.items()
        }
        return {**strengths, Operator.EQU: self._equality(lemmas, problem.tokens)}

    def no_word_strength(self, operator: Operator, *, equation: bool) -> float:
        """How strongly no word at all expresses an operation."""
        if operator not in OPERATORS:
            return NO_WORD
        kinds = ("equations", "stories") if equation else ("stories",)
        return float(np.mean([self.no_word[kind][OPERATORS.index(operator)] for kind in kinds]))

    def _equality(self, lemmas: Sequence[str], tokens: Sequence[Token]) -> FloatArray:
        found = np.full(len(lemmas), -np.inf)
        for at in expressive(lemmas):
            other = ANY_VERB if tokens[at].pos.startswith("V") else NO_WORD
            found[at] = self.equals.get(lemmas[at], other)
        return found

    def naming(self, problem: Problem) -> FloatArray:
        """From -1 to 1: how likely each word is part of a phrase that names an unknown; 0 for numbers."""
        lemmas = naming_lemmas(problem)
        odds = [
            0.0
            if lemma == NUMBER
            else sum(
                self.unknowns.get(name, 0.0) for name in ("", *naming_features(lemmas, problem.tokens, at))
            )
            for at, lemma in enumerate(lemmas)
        ]
        return np.asarray(np.tanh(np.array(odds) / 2))


def normal_lemmas(problem: Problem) -> tuple[str, ...]:
    """The lemmas of a text in lower case, numbers as ``#`` and names as ``@``.

    >>> from text2math.language.problem import read_problem
    >>> normal_lemmas(read_problem("Ann lost 5 pens."))
    ('@', 'lose', '#', 'pen', '.')
    """
    numeric = {
        at for quantity in problem.quantities for at in range(quantity.first_token, quantity.last_token)
    }
    return tuple(
        NUMBER if at in numeric else NAME if is_name(token) else token.lemma.lower()
        for at, token in enumerate(problem.tokens)
    )


def naming_lemmas(problem: Problem) -> tuple[str, ...]:
    """The same with number words as they are: "one of the numbers" names an unknown.

    >>> from text2math.language.problem import read_problem
    >>> naming_lemmas(read_problem("5 times one of them"))
    ('#', 'time', 'one', 'of', 'they')
    """
    return tuple(
        token.lemma.lower() if lemma == NUMBER and token.text.isalpha() else lemma
        for lemma, token in zip(normal_lemmas(problem), problem.tokens, strict=True)
    )


def expressive(lemmas: Sequence[str]) -> Iterator[int]:
    """The positions of what can express an operation: words, and the marks inside a sentence."""
    for at, lemma in enumerate(lemmas):
        if lemma not in (NUMBER, NAME) and (lemma in CLAUSE_MARKS or any(map(str.isalnum, lemma))):
            yield at


def word_features(lemmas: Sequence[str], tokens: Sequence[Token], at: int) -> Iterator[str]:
    """A word, the same with its place (question or story), and the two pairs it is in."""
    before, after = _neighbours(lemmas, at)
    yield lemmas[at]
    yield f"{'q' if tokens[at].in_question else 's'}:{lemmas[at]}"
    yield f"{before} {lemmas[at]}"
    yield f"{lemmas[at]} {after}"


def naming_features(lemmas: Sequence[str], tokens: Sequence[Token], at: int) -> Iterator[str]:
    """A word, the two pairs it is in, and its part of speech."""
    before, after = _neighbours(lemmas, at)
    yield lemmas[at]
    yield f"{before} {lemmas[at]}"
    yield f"{lemmas[at]} {after}"
    yield f"/{tokens[at].pos}"


def _neighbours(lemmas: Sequence[str], at: int) -> tuple[str, str]:
    return lemmas[at - 1] if at else "<", lemmas[at + 1] if at + 1 < len(lemmas) else ">"


@cache
def _shipped() -> OperatorWords:
    text = files("text2math.language").joinpath(FILE).read_text(encoding="utf-8")
    return OperatorWords.from_json(json.loads(text))

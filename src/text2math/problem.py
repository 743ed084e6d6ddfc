"""Problems: a text as tokens, sentences and quantities; examples: a problem with its gold mathematics.

A ``Problem`` is nothing but text, so gold can't leak into a scorer; an ``Example`` adds the gold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from text2math.expression import Expression


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark of the text with its half-open character span."""

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    sentence: int
    in_question: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the text: exact value, half-open character span, half-open token span."""

    value: Fraction
    start: int
    end: int
    first_token: int
    last_token: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A text, read: its tokens and its quantities, both in the order of the text."""

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    id: str = ""

    @property
    def anchors(self) -> tuple[int, ...]:
        """The token each quantity stands on: its first."""
        return tuple(quantity.first_token for quantity in self.quantities)


@dataclass(frozen=True, slots=True)
class Example:
    """A problem with its gold: an expression or equation over its quantities, or only an answer."""

    problem: Problem
    expression: Expression | None
    answer: Fraction | None = None
    # The character span(s) of the phrase each unknown stands for, by unknown ("X1"), where annotated.
    groundings: tuple[tuple[str, int, int], ...] = ()
    source: str = ""
    metadata: tuple[tuple[str, str], ...] = field(default=(), compare=False)

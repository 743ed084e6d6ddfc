"""Problems: a text as tokens, sentences and quantities; examples: a problem with its gold mathematics.

A ``Problem`` is nothing but text, so gold can't leak into a scorer; an ``Example`` adds the gold.

>>> problem = read_problem("Mike has 7 red apples and $5. How many apples has he?")
>>> [(str(quantity.value), quantity.unit) for quantity in problem.quantities], problem.question_units
([('7', 'apple'), ('5', 'dollar')], ('apple',))
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from text2math.language.framing import problem_bounds
from text2math.language.numbers import CURRENCIES, Kind, NumberMatch, find_quantities
from text2math.language.tagging import Tagger, default_tagger
from text2math.language.tokens import Span, Token, question, sentences, split
from text2math.language.units import asked_units, counted_noun, shared_noun
from text2math.mathematics.expression import Expression

__all__ = [
    "MAX_CHARACTERS",
    "Example",
    "Problem",
    "ProblemError",
    "Quantity",
    "Tagger",
    "Token",
    "read_problem",
]

MAX_CHARACTERS = 20_000
"""The longest text that is read as one problem."""

_BEFORE_NUMBER = frozenset(("a", "an", "negative", "-", "−", *CURRENCIES))


class ProblemError(ValueError):
    """A text that can't be read as a problem."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the text: exact value, half-open character and token spans, the noun it counts."""

    value: Fraction
    start: int
    end: int
    first_token: int
    last_token: int
    unit: str = ""
    kind: Kind = Kind.DIGITS


@dataclass(frozen=True, slots=True)
class Problem:
    """A text, read: its tokens and its quantities, both in the order of the text; the nouns it asks for."""

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    id: str = ""
    question_units: tuple[str, ...] = ()

    @property
    def anchors(self) -> tuple[int, ...]:
        """The token each quantity stands on: its first, after a sign or article ("$5", "a dozen")."""
        return tuple(self._anchor(quantity) for quantity in self.quantities)

    def _anchor(self, quantity: Quantity) -> int:
        own = range(quantity.first_token, quantity.last_token)
        return next((i for i in own if self.tokens[i].text.lower() not in _BEFORE_NUMBER), own.start)


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


def read_problem(text: str, id: str = "", tagger: Tagger | None = None) -> Problem:
    """Read a text: its words with part of speech and lemma, its sentences, its question, its quantities.

    >>> problem = read_problem("Dan grew 23 turnips. How many turnips did Dan grow?")
    >>> [token.lemma for token in problem.tokens if token.in_question]
    ['how', 'many', 'turnip', 'do', 'Dan', 'grow', '?']

    What only numbers the problem is left out:

    >>> [str(quantity.value) for quantity in read_problem("12. Dan grew 23 turnips.").quantities]
    ['23']
    """
    if len(text) > MAX_CHARACTERS:
        raise ProblemError(
            f"problem {id or text[:40]!r} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read "
            "as one problem: split the text"
        )
    begin, end = problem_bounds(text)
    matches = [match for match in find_quantities(text) if begin <= match.start < end]
    spans = [span for span in split(text, matches) if begin <= span.start < end]
    tokens = _tagged(text, spans, tagger or default_tagger())
    return Problem(text, tokens, _quantities(tokens, matches), id, asked_units(tokens))


def _quantities(tokens: Sequence[Token], matches: Sequence[NumberMatch]) -> tuple[Quantity, ...]:
    """The quantities on their tokens; read from the last on, for the noun may stand by a later number."""
    starts = [token.start for token in tokens]
    found: list[Quantity] = []
    for match in reversed(matches):
        first, last = bisect_left(starts, match.start), bisect_left(starts, match.end)
        unit = counted_noun(tokens, match, first, last)
        if not unit and found and shared_noun(tokens, last, found[-1].first_token):
            unit = found[-1].unit
        found.append(Quantity(match.value, match.start, match.end, first, last, unit, match.kind))
    return tuple(reversed(found))


def _tagged(text: str, spans: Sequence[Span], tagger: Tagger) -> tuple[Token, ...]:
    """The tokens with everything known about them; the tagger sees one sentence at a time."""
    sentence_of = sentences(text, spans)
    asked = question(spans, sentence_of)
    tokens: list[Token] = []
    while len(tokens) < len(spans):
        start = end = len(tokens)
        while end < len(spans) and sentence_of[end] == sentence_of[start]:
            end += 1
        tags = tagger.tag([span.text for span in spans[start:end]])
        for i, (lemma, pos) in zip(range(start, end), tags, strict=True):
            tokens.append(Token(*spans[i], lemma, pos, sentence_of[i], asked[i]))
    return tuple(tokens)

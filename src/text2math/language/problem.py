"""Problems: a text as tokens, sentences and quantities; examples: a problem with its gold mathematics.

A ``Problem`` is nothing but text, so gold can't leak into a scorer; an ``Example`` adds the gold.

>>> problem = read_problem("Mike has 7 red apples and $5. How many apples has he?")
>>> [(str(quantity.value), quantity.unit) for quantity in problem.quantities], problem.question_units
([('7', 'apple'), ('5', 'dollar')], ('apple',))
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import wraps
from textwrap import shorten
from typing import Any, TypeVar

from text2math.deferred import cached_property
from text2math.language.cleaning import Cleaned, cleaned
from text2math.language.clock import has_clock_times
from text2math.language.framing import problem_bounds, problem_quantities
from text2math.language.knowledge import Knowledge
from text2math.language.numbers import CURRENCIES, NumberMatch
from text2math.language.quantity import Quantity, Source
from text2math.language.reference import referring
from text2math.language.spelling import corrected
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
    "Source",
    "Tagger",
    "Token",
    "read_problem",
]

MAX_CHARACTERS = 20_000
"""The longest text that is read as one problem."""
MAX_IMPLIED = 60
"""The most implied quantities of a text: the known ones first, then the likeliest mentions."""

SHOWN = 60  # characters of a text in the repr of its problem

_BEFORE_NUMBER = frozenset(("a", "an", "negative", "-", "−", *CURRENCIES))


Placed = TypeVar("Placed", Token, Quantity)
Found = TypeVar("Found")


class ProblemError(ValueError):
    """A text that can't be read as a problem."""


@dataclass(frozen=True)
class Problem:
    """A text, read: its tokens and its quantities, both in the order of the text; the nouns it asks for.

    ``quantities`` are those written in the text, ``implied`` those that its words imply. An expression counts
    the written ones from 0 and goes on with the implied ones.

    >>> problem = read_problem("Al works 5 days a week. How many days are 3 weeks?", knowledge=True)
    >>> [quantity.fact for quantity in problem.implied if quantity.fact]
    ['1 week = 7 days', '1 week = 7 days']
    """

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    id: str = ""
    question_units: tuple[str, ...] = ()
    implied: tuple[Quantity, ...] = ()

    def __repr__(self) -> str:
        words = f"{len(self.tokens)} words, {len(self.all_quantities)} numbers"
        return f"Problem({shorten(self.text, SHOWN, placeholder='…')!r}, {words})"

    def __getstate__(self) -> dict[str, Any]:
        """Only what was read: the rest follows from it."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What ``once_a_problem`` has found out."""
        return {}

    @cached_property
    def all_quantities(self) -> tuple[Quantity, ...]:
        """The written quantities, then the implied ones: what the numbers of an expression point at."""
        return self.quantities + self.implied

    @cached_property
    def origins(self) -> tuple[object, ...]:
        """What each of ``all_quantities`` stands for: a written number by its index, or a known value.

        >>> read_problem("Al has 8 pens, Bo 5 more than Al. How many in all?", knowledge=True).origins[:4]
        (0, 1, 1, 0)
        """
        return tuple(
            ("known", quantity.value)
            if quantity.source is Source.KNOWN
            else index
            if quantity.refers_to is None
            else quantity.refers_to
            for index, quantity in enumerate(self.all_quantities)
        )

    @cached_property
    def first_of_origin(self) -> tuple[int, ...]:
        """The first of ``all_quantities`` that has the same origin as each; origins take long to compare."""
        first: dict[object, int] = {}
        return tuple(first.setdefault(origin, index) for index, origin in enumerate(self.origins))

    @cached_property
    def all_anchors(self) -> tuple[int, ...]:
        """The token that each of ``all_quantities`` is anchored on; several may share one."""
        return self.anchors + tuple(quantity.first_token for quantity in self.implied)

    @cached_property
    def anchors(self) -> tuple[int, ...]:
        """The token of each written quantity: its first, after a sign or article ("$5", "a dozen")."""
        return tuple(self._anchor(quantity) for quantity in self.quantities)

    def _anchor(self, quantity: Quantity) -> int:
        own = range(quantity.first_token, quantity.last_token)
        return next((i for i in own if self.tokens[i].text.lower() not in _BEFORE_NUMBER), own.start)


def once_a_problem(function: Callable[[Problem], Found]) -> Callable[[Problem], Found]:
    """Cache a function of a problem in the problem: each of its candidates asks for the result."""

    @wraps(function)
    def ask(problem: Problem, /) -> Found:
        memory = problem.memory
        if function not in memory:
            memory[function] = function(problem)
        found: Found = memory[function]
        return found

    return ask


@dataclass(frozen=True, slots=True)
class Example:
    """A problem with its gold: an expression, equation or system over its quantities, or only an answer."""

    problem: Problem
    expression: Expression | None
    answer: Fraction | None = None
    # The character span(s) of the phrase that names each unknown ("X1"), where annotated.
    groundings: tuple[tuple[str, int, int], ...] = ()
    source: str = ""
    metadata: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    # Of an equation or a system, what is asked (expressions over its unknowns), and the answers to that.
    asked: tuple[Expression, ...] = ()
    answers: tuple[Fraction, ...] = ()


def read_problem(
    text: str, id: str = "", tagger: Tagger | None = None, *, knowledge: bool | Knowledge = False
) -> Problem:
    """Read a text: its words with part of speech and lemma, its sentences, its question, its quantities.

    With ``knowledge``, the facts of the package or your own, also the numbers that its words imply, and times
    of day as numbers.

    >>> problem = read_problem("Dan grew 23 turnips. How many turnips did Dan grow?")
    >>> [token.lemma for token in problem.tokens if token.in_question]
    ['how', 'many', 'turnip', 'do', 'Dan', 'grow', '?']

    What only numbers the problem is left out:

    >>> [str(quantity.value) for quantity in read_problem("12. Dan grew 23 turnips.").quantities]
    ['23']

    Tokens are as a plain keyboard types them, without invisible characters; spans are those of the text as it
    is given (``language.cleaning``).
    """
    if len(text) > MAX_CHARACTERS:
        raise ProblemError(
            f"problem {id or text[:40]!r} has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read "
            "as one problem: split the text"
        )
    clean = corrected(cleaned(text))
    problem = _placed(_read(clean.text, id, tagger or default_tagger(), knowledge), text, clean)
    problem.memory[informed] = knowledge
    return problem


def _read(text: str, id: str, tagger: Tagger, knowledge: bool | Knowledge) -> Problem:
    begin, end = problem_bounds(text)
    known = bool(knowledge)
    matches = problem_quantities(text, (begin, end), clock_times=known, lone_dozens=not known)
    spans = [span for span in split(text, matches) if begin <= span.start < end]
    tokens = _tagged(text, spans, tagger)
    written = _quantities(tokens, matches)
    return Problem(
        text,
        tokens,
        written,
        id,
        asked_units(tokens),
        _implied(tokens, written, knowledge) if knowledge else (),
    )


def _placed(problem: Problem, text: str, clean: Cleaned) -> Problem:
    """What was read in a clean text, with the spans of the text as it was given."""
    if clean.sources is None:
        return problem if problem.text == text else replace(problem, text=text)

    def placed(part: Placed) -> Placed:
        start, end = clean.span_before(part.start, part.end)
        return replace(part, start=start, end=end)

    return replace(
        problem,
        text=text,
        tokens=tuple(map(placed, problem.tokens)),
        quantities=tuple(map(placed, problem.quantities)),
        implied=tuple(map(placed, problem.implied)),
    )


def with_knowledge(problem: Problem, knowledge: bool | Knowledge = True) -> Problem:
    """The same problem with the numbers that its words imply; with False, without them.

    >>> problem = read_problem("Al works 5 days a week. How many days are 3 weeks?")
    >>> len(problem.implied), len(with_knowledge(problem).implied) > 0
    (0, True)
    """
    # Times of day are quantities only with knowledge; a lone "4 dozen" is 48, or with knowledge 4 times 12.
    if has_clock_times(problem.text) or _has_lone_dozens(problem):
        return read_problem(problem.text, problem.id, knowledge=knowledge)
    implied = _implied(problem.tokens, problem.quantities, knowledge) if knowledge else ()
    return replace(problem, implied=implied)


def _has_lone_dozens(problem: Problem) -> bool:
    return len(problem.quantities) == 1 and "dozen" in problem.text.lower()


def informed(problem: Problem, knowledge: bool | Knowledge) -> Problem:
    """The problem with the numbers that its words imply, unless it has them or there is no knowledge."""
    # What was read with this knowledge and has none is not searched again.
    if not knowledge or problem.implied or problem.memory.get(informed) is knowledge:
        return problem
    return with_knowledge(problem, knowledge)


def _implied(
    tokens: tuple[Token, ...], written: tuple[Quantity, ...], knowledge: bool | Knowledge
) -> tuple[Quantity, ...]:
    """What the words imply, in the order of the text."""
    known = (knowledge if isinstance(knowledge, Knowledge) else Knowledge.default()).known(tokens, written)
    found = (*known[:MAX_IMPLIED], *referring(tokens, written)[: max(MAX_IMPLIED - len(known), 0)])
    return tuple(sorted(found, key=lambda quantity: (quantity.first_token, quantity.value)))


def _quantities(tokens: Sequence[Token], matches: Sequence[NumberMatch]) -> tuple[Quantity, ...]:
    """The quantities on their tokens; read from the last on, because the noun may follow a later number."""
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

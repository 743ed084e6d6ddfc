"""Words of a text with their exact character spans; its sentences; which words are the question.

>>> [token.text for token in split("Paul's 5-day trip didn't cost $3,103.50.")]
['Paul', "'s", '5', '-', 'day', 'trip', 'did', "n't", 'cost', '$', '3,103.50', '.']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from text2math.language.numbers import NumberMatch, find_quantities, vocabulary


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


class Span(NamedTuple):
    """A piece of the text: ``text[start:end]``."""

    text: str
    start: int
    end: int


# --- Words -----------------------------------------------------------------------------------------------

_NUMERAL = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\d.])\.\d+"
_LETTER = r"[^\W\d_]"
_LETTER_OR_DIGIT = r"[^\W_]"
_CLITIC = rf"['’](?:s|re|ll|d|ve|m)(?!{_LETTER_OR_DIGIT})"
_NOT = rf"n['’]t(?!{_LETTER_OR_DIGIT})"

# Between quantities. Every alternative is a plain run, so matching takes linear time.
_WORD = re.compile(
    rf"{_NOT}"
    rf"|{_LETTER}+?(?={_NOT})"
    rf"|{_CLITIC}"
    r"|\d{1,2}:\d\d(?!\d)"
    r"|\d+(?:st|nd|rd|th|s)\b"
    rf"|{_NUMERAL}"
    r"|(?:mrs?|ms|dr|prof|st)\.(?=\s*(?-i:[A-Z]))"
    rf"|(?:{_LETTER}\.){{2,}}"
    rf"|{_LETTER}{_LETTER_OR_DIGIT}*(?:(?:-|(?!{_CLITIC}|['’]t\b)['’]){_LETTER}{_LETTER_OR_DIGIT}*)*"
    r"|\.{2,}|\S",
    re.IGNORECASE,
)
# Inside a quantity a fraction is one token, and a minus belongs to its number.
_NUMBER = re.compile(rf"\d{{1,2}}:\d\d(?!\d)|[-−]?(?:\d+/\d+{_LETTER}*|{_NUMERAL})|{_LETTER}+|\S")


def split(text: str, quantities: Sequence[NumberMatch] | None = None) -> list[Span]:
    """The tokens of the text; a quantity begins and ends where a token does.

    >>> [token.text for token in split("a two-digit number, 1/2 of 0.7%")]
    ['a', 'two', '-', 'digit', 'number', ',', '1/2', 'of', '0.7', '%']
    """
    quantities = find_quantities(text) if quantities is None else quantities
    spans: list[Span] = []
    position = 0
    for quantity in quantities:
        spans += _match(_WORD, text, position, quantity.start)
        spans += _match(_NUMBER, text, quantity.start, quantity.end)
        position = quantity.end
    spans += _match(_WORD, text, position, len(text))
    return spans


def _match(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    return (Span(m.group(), m.start(), m.end()) for m in pattern.finditer(text, start, end))


# --- Sentences -------------------------------------------------------------------------------------------

_STOPS = frozenset((".", "?", "!", "…"))
_CLOSERS = frozenset(("'", '"', "”", "’", ")", "]", "''"))
_ABBREVIATED = frozenset(vocabulary("lb lbs oz ft in yd mi hr hrs min sec sq cu gal approx no vs st"))


def sentences(text: str, tokens: Sequence[Span]) -> list[int]:
    """The index of the sentence that each token is in.

    >>> text = "Mrs. Hilt ran 3 mi. on foot. How far?"
    >>> sentences(text, split(text))
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    numbers: list[int] = []
    current, ended = 0, False
    for i, token in enumerate(tokens):
        blank_line = i > 0 and "\n\n" in text[tokens[i - 1].end : token.start]
        closer = ended and token.text in _CLOSERS and tokens[i - 1].end == token.start
        if (ended and not closer and token.text not in _STOPS) or (blank_line and numbers):
            current += 1
            ended = False
        numbers.append(current)
        ended = ended or (token.text in _STOPS and not _inside(tokens, i))
    return numbers


def _inside(tokens: Sequence[Span], i: int) -> bool:
    """Whether this full stop only abbreviates: "3 lb. of", "T.Rowe"."""
    if tokens[i].text != "." or i == 0 or i + 1 == len(tokens) or tokens[i - 1].end != tokens[i].start:
        return False
    before, after = tokens[i - 1].text, tokens[i + 1]
    if len(before) == 1 and before.isupper() and after.text[0].isupper():
        return True
    return before.lower() in _ABBREVIATED and after.text[0].islower() and after.start > tokens[i].end


# --- The question ----------------------------------------------------------------------------------------

_ASKING = frozenset(vocabulary("how what which who whose whom when where why"))
_ORDERS = frozenset(
    vocabulary(
        "find calculate determine compute solve evaluate estimate give state name write tell express use "
        "identify convert simplify"
    )
)
_ORDERED = frozenset(
    vocabulary("the a an its their his her how what each all both two three this these them x out me us")
)
_BREAKS = frozenset((",", ";", ":", "-", "–", "—", "(", '"', "“"))
_LINKS = frozenset(vocabulary("and then so but or please"))
_PREPOSITIONS = frozenset(vocabulary("in at by for to of on from with after about within during into"))
_AMOUNTS = frozenset(("many", "much", "old"))
_BEING = frozenset(vocabulary("is are was were will would 's"))
_CONDITIONS = frozenset(vocabulary("if given assuming provided suppose supposing"))


def question(tokens: Sequence[Span], sentence_of: Sequence[int]) -> list[bool]:
    """Whether each token is part of a question: a whole sentence, or the clause of it that asks.

    >>> tokens = split("If there are 7 caps, how many caps are in the box?")
    >>> " ".join(t.text for t, asked in zip(tokens, question(tokens, [0] * len(tokens))) if asked)
    'how many caps are in the box ?'
    """
    asked = [False] * len(tokens)
    words = [token.text.lower() for token in tokens]
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and sentence_of[end] == sentence_of[start]:
            end += 1
        first, last = _asking_clause(words[start:end])
        asked[start + first : start + last] = [True] * (last - first)
        start = end
    return asked


def _asking_clause(words: Sequence[str]) -> tuple[int, int]:
    """The half-open span of the asking part of one sentence; empty where it does not ask."""
    marked = "?" in words[-3:]
    first = next((i for i in range(len(words)) if _asks(words, i, marked)), None)
    if first is None:
        return (0, len(words)) if marked else (0, 0)
    if first and words[first - 1] in _PREPOSITIONS and _begins_clause(words, first - 1):
        first -= 1
    # "How much do 2 cost if 3 cost 6?": from the condition on, the story is told.
    last = next((i for i in range(first + 2, len(words)) if words[i] in _CONDITIONS), len(words))
    return first, last


def _asks(words: Sequence[str], i: int, marked: bool) -> bool:
    """Whether the asking part begins at this word."""
    word = words[i]
    following = words[i + 1] if i + 1 < len(words) else ""
    if word in _ORDERS:
        starts = _begins_clause(words, i) and words[i - 1] not in _LINKS
        return i == 0 or (following in _ORDERED and (starts or words[i - 1][-1].isdigit()))
    if (word == "how" and following in _AMOUNTS) or (word == "what" and following in _BEING):
        return True
    if word not in _ASKING or not (marked or i == 0 or word in ("how", "what")):
        return False
    if _begins_clause(words, i):
        # "When he came, how many …?": a story may begin so.
        return word not in ("when", "where") or (marked and not {"how", "what"} & set(words[i + 1 :]))
    return marked and (word in ("how", "what") or words[i - 1] in _PREPOSITIONS) and following != "to"


def _begins_clause(words: Sequence[str], i: int) -> bool:
    return i == 0 or words[i - 1] in _BREAKS or words[i - 1] in _LINKS

"""Typing errors that are certain: a word nobody knows, one slip of the finger away from one of the text.

"How many peahces are left?", after a sentence about peaches, asks for peaches. Only lower-case words that are
not in ``words.txt`` (those of our exercises) are changed, into another word of the same text or, if there
is none, into one of a few words that decide the mathematics. "Per cent" is read as "percent". Spans still
point at the text as it was given.

>>> corrected(Cleaned("Ann has 9 peaches. How many peahces are 2 mroe?")).text
'Ann has 9 peaches. How many peaches are 2 more?'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from text2math.language.cleaning import Cleaned

MOST_UNKNOWN = 20
"""A text with more words that nobody knows is not English with typing errors."""
DECISIVE = (
    *("more", "than", "less", "fewer", "times", "plus", "minus", "half", "twice", "each", "total", "another"),
    *("together", "altogether", "difference", "remaining", "left", "many", "much", "number", "numbers"),
    *("equal", "older", "younger", "taller", "shorter", "longer"),
)
_LEAST = 4  # letters of a word that is looked at
_WORD = re.compile(rf"(?<![\w'-])[a-z]{{{_LEAST},}}(?![\w'-])")
_PER_CENT = re.compile(r"\bper cent\b", re.IGNORECASE)
KEYBOARD_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_KEYS = {key: (row, column) for row, keys in enumerate(KEYBOARD_ROWS) for column, key in enumerate(keys)}


def corrected(clean: Cleaned) -> Cleaned:
    """The text without the typing errors that are certain, and with "per cent" in one word."""
    changes = sorted(
        [*_slips(clean.text), *((*match.span(), "percent") for match in _PER_CENT.finditer(clean.text))]
    )
    return _changed(clean, changes) if changes else clean


def _slips(text: str) -> list[tuple[int, int, str]]:
    """The spans of mistyped words, and the words that are meant."""
    matches = list(_WORD.finditer(text))
    words = {match[0] for match in matches}
    unknown = words - known_words()
    if not unknown or len(unknown) > MOST_UNKNOWN:
        return []
    meant = {word: found for word in unknown if (found := _meant(word, words - unknown)) is not None}
    return [(*match.span(), meant[match[0]]) for match in matches if match[0] in meant]


def _changed(clean: Cleaned, changes: Iterable[tuple[int, int, str]]) -> Cleaned:
    """The text with other words at some spans."""
    parts: list[str] = []
    sources: list[tuple[int, int]] = []
    last = 0
    for start, end, word in changes:
        parts += (clean.text[last:start], word)
        sources += [clean.span_before(at, at + 1) for at in range(last, start)]
        sources += [clean.span_before(start, end)] * len(word)
        last = end
    sources += [clean.span_before(at, at + 1) for at in range(last, len(clean.text))]
    return Cleaned("".join((*parts, clean.text[last:])), tuple(sources))


def _meant(word: str, known: Iterable[str]) -> str | None:
    """The word that is meant, if there is exactly one: first among those of the text."""
    for candidates in (known, DECISIVE):
        found = [other for other in candidates if is_slip(word, other)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def is_slip(typed: str, meant: str) -> bool:
    """Whether one slip inside a word explains what was typed.

    A letter left out, typed twice, swapped with the next, or its neighbour on the keyboard instead.

    >>> [is_slip(typed, "peaches") for typed in ("peches", "peacches", "peahces", "pesches", "beaches")]
    [True, True, True, True, False]
    """
    longest = max(len(typed), len(meant))
    at = next((i for i, (x, y) in enumerate(zip(typed, meant, strict=False)) if x != y), longest - 1)
    if not 0 < at < longest - 1:
        return False
    if len(typed) == len(meant):
        swapped = typed[at : at + 2] == meant[at : at + 2][::-1] and typed[at + 2 :] == meant[at + 2 :]
        return swapped or (typed[at + 1 :] == meant[at + 1 :] and _are_neighbours(typed[at], meant[at]))
    if len(typed) < len(meant):
        return typed[at:] == meant[at + 1 :]
    return typed[at + 1 :] == meant[at:] and typed[at] == typed[at - 1]


def _are_neighbours(one: str, other: str) -> bool:
    (row, column), (other_row, other_column) = _KEYS[one], _KEYS[other]
    return abs(row - other_row) <= 1 and abs(column - other_column) <= 1


@cache
def known_words() -> frozenset[str]:
    """The words of our exercises, in lower case: ``python experiments/words.py`` lists them."""
    text = files("text2math.language").joinpath("words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())

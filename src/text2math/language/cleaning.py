"""Characters that cannot be seen, or that look like others, as a plain keyboard types them.

A byte order mark, a zero-width space or a curly apostrophe says nothing about a problem, so none of them
changes how it is read. Where a character of the clean text was is kept, so that spans still point at the
text as it was given.

>>> clean = cleaned("\\ufeffAnn\\u2019s 1\\u202f200 pens")
>>> clean.text, clean.span_before(6, 11)
("Ann's 1,200 pens", (7, 12))
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Controls that are no white space, the soft hyphen, zero-width and direction marks, parts of emoji.
_INVISIBLE = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3"
    r"\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
_SPACES = r"\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LINE_ENDS = r"\x85\u2028\u2029"
_APOSTROPHES = r"\xb4\u02bc\u2018-\u201b\uff07"
_QUOTES = r"\xab\xbb\u201c-\u201f\uff02"
_HYPHENS = r"\u2010\u2011\ufe63"
_FULL_WIDTH = r"\uff01-\uff5e"
_LIGATURES = r"\ufb00-\ufb06"
_ACCENTS = r"\u0300-\u036f"
_SINGLE = tuple(
    (re.compile(f"[{characters}]"), typed)
    for characters, typed in (
        (_INVISIBLE, ""),
        (_SPACES, " "),
        (_LINE_ENDS, "\n"),
        (_APOSTROPHES, "'"),
        (_QUOTES, '"'),
        (_HYPHENS, "-"),
        (r"\u2044", "/"),
    )
)
# Thousands may be grouped by a space that does not break; a letter may be followed by its accents.
_GROUPED = r"(?<![\d.,])\d{1,3}(?:[\xa0\u2007\u2009\u202f]\d{3})+(?!\d)"
_UNUSUAL = re.compile(
    rf"{_GROUPED}|[^\W\d_][{_ACCENTS}]+|[{_LIGATURES}{_FULL_WIDTH}{_INVISIBLE}{_SPACES}{_LINE_ENDS}]"
    rf"|[{_APOSTROPHES}{_QUOTES}{_HYPHENS}\u2044]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text, and the span of the given text that each of its characters comes from."""

    text: str
    sources: tuple[tuple[int, int], ...] | None = None  # None: every character is where it was

    def span_before(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of the clean text, which is not empty, was in the given one."""
        return (start, end) if self.sources is None else (self.sources[start][0], self.sources[end - 1][1])


def cleaned(text: str) -> Cleaned:
    """The text with its unusual characters as a plain keyboard types them; invisible ones left out.

    >>> cleaned("2\\xa0cafe\\u0301s \\u201ctwo\\u201d").text
    '2 cafés "two"'
    """
    if text.isascii() and _CONTROLS.search(text) is None:  # nearly all texts, and quickly told
        return Cleaned(text)
    parts: list[str] = []
    sources: list[tuple[int, int]] = []
    last, moved = 0, False
    for match in _UNUSUAL.finditer(text):
        start, end = match.span()
        typed = _typed(match[0])
        parts += (text[last:start], typed)
        sources += [(at, at + 1) for at in range(last, start)]
        same = len(typed) == end - start
        sources += [(start + at, start + at + 1) if same else (start, end) for at in range(len(typed))]
        last, moved = end, moved or not same
    sources += [(at, at + 1) for at in range(last, len(text))]
    return Cleaned("".join((*parts, text[last:])), tuple(sources) if moved else None)


def _typed(characters: str) -> str:
    """What a plain keyboard types for what was matched."""
    if characters[0].isdecimal() and len(characters) > 1:
        return re.sub(f"[{_SPACES}]", ",", characters)
    for pattern, typed in _SINGLE:
        if pattern.fullmatch(characters):
            return typed
    composed = unicodedata.normalize("NFC", characters)
    return composed if len(characters) > 1 else unicodedata.normalize("NFKC", composed)

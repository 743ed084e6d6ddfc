"""Quantities: the numbers of a text, written in it or implied by its words.

A *written* quantity appears in the text ("7", "seven"). A *known* one is implied by a word that everybody
knows a number for (week: 7). A *referring* one is a word that mentions again what a written number counts
("each book").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from text2math.language.numbers import Kind


class Source(StrEnum):
    """Where a quantity comes from."""

    WRITTEN = "written"
    KNOWN = "known"
    REFERRING = "refers to"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the text: exact value, half-open character and token spans, the noun it counts.

    The spans are those of the number where it is written, else of the word that implies it.
    """

    value: Fraction
    start: int
    end: int
    first_token: int
    last_token: int
    unit: str = ""
    kind: Kind = Kind.DIGITS
    source: Source = Source.WRITTEN
    # Of a known quantity, what is known: "1 week = 7 days".
    fact: str = ""
    # Of a referring quantity, the index of the written one it stands for.
    refers_to: int | None = None

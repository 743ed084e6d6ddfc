"""The word-association patterns of an operator node: the paper's 16, and 7 with operands that have no words.

An operator with left operand A and right operand B owns the words around them:
``[w]A[w]B[w]`` or, swapped, ``[w]B[w]A[w]``, each ``w`` an optional run of one or more words. These are four
bits. An unknown may also be a *silent* operand, without words, of an operator that owns at least one word:
``wB``, ``Bw`` and ``wBw`` are without A, ``wA``, ``Aw`` and ``wAw`` without B, and ``w`` is without both.

>>> Pattern(swapped=True, before=False, between=True, after=False)
Pattern(swapped=True, before=False, between=True, after=False, silent='')
>>> print(Pattern.of("BwA"), Pattern.of("BwA").index, Pattern.of("wA"), Pattern.of("wA").silent)
BwA 10 wA B
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SWAPPED, BEFORE, BETWEEN, AFTER = 8, 4, 2, 1
PAPER_PATTERNS = 16
# The silent ones come after the paper's, so that those keep their numbers: wB Bw wBw, wA Aw wAw, w.
ONLY_B, ONLY_A, ONLY_WORDS = 16, 19, 22
LEADING, TRAILING, AROUND = range(3)  # added to ONLY_A or ONLY_B: where the words are
PATTERN_COUNT = 23

Span: TypeAlias = tuple[int, int]

_WORDS = {(True, False): LEADING, (False, True): TRAILING, (True, True): AROUND}
_ALONE = {"A": ONLY_B, "B": ONLY_A}


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which runs of words an operator node owns, and whether its operands are reversed.

    ``silent`` are the operands without words; where both are silent, the words count as coming before them.
    """

    swapped: bool
    before: bool
    between: bool
    after: bool
    silent: Literal["", "A", "B", "AB"] = ""

    @property
    def index(self) -> int:
        """The pattern's number: for the paper's, 8·swapped + 4·before + 2·between + after."""
        if self.silent == "AB":
            return ONLY_WORDS
        if self.silent:
            return _ALONE[self.silent] + _WORDS[self.before, self.after]
        return SWAPPED * self.swapped + BEFORE * self.before + BETWEEN * self.between + AFTER * self.after

    @classmethod
    def from_index(cls, index: int) -> Pattern:
        """The pattern of this number.

        >>> str(Pattern.from_index(7)), str(Pattern.from_index(18))
        ('wAwBw', 'wBw')
        """
        if not 0 <= index < PATTERN_COUNT:
            raise ValueError(f"patterns are numbered from 0 to {PATTERN_COUNT - 1}; there is no {index}")
        if index == ONLY_WORDS:
            return cls(False, True, False, False, "AB")
        if index >= PAPER_PATTERNS:
            where = (index - PAPER_PATTERNS) % 3
            silent: Literal["A", "B"] = "A" if index < ONLY_A else "B"
            return cls(False, where != TRAILING, False, where != LEADING, silent)
        return cls(bool(index & SWAPPED), bool(index & BEFORE), bool(index & BETWEEN), bool(index & AFTER))

    @classmethod
    def of(cls, name: str) -> Pattern:
        """The pattern written as in the paper, such as ``wAwBw`` or ``BwA``."""
        for pattern in PATTERNS:
            if str(pattern) == name:
                return pattern
        raise ValueError(f"{name!r} is not a pattern; they look like AB, wAwBw or BwA")

    @classmethod
    def of_spans(cls, span: Span, left: Span, right: Span) -> Pattern:
        """The pattern of an operator over a span whose operands are over these; an empty one is silent.

        >>> str(Pattern.of_spans((0, 7), (4, 6), (0, 3))), str(Pattern.of_spans((0, 3), (1, 3), (3, 3)))
        ('BwAw', 'wA')
        """
        no_left, no_right = left[0] == left[1], right[0] == right[1]
        if no_left and no_right:
            return cls(False, True, False, False, "AB")
        if no_left or no_right:
            only = right if no_left else left
            return cls(False, only[0] > span[0], False, only[1] < span[1], "A" if no_left else "B")
        swapped = right < left
        one, two = (right, left) if swapped else (left, right)
        return cls(swapped, one[0] > span[0], two[0] > one[1], two[1] < span[1])

    def __str__(self) -> str:
        first, second = ("B", "A") if self.swapped else ("A", "B")
        parts = (
            "w" if self.before else "",
            "" if first in self.silent else first,
            "w" if self.between else "",
            "" if second in self.silent else second,
            "w" if self.after else "",
        )
        return "".join(parts)


PATTERNS = tuple(Pattern.from_index(index) for index in range(PATTERN_COUNT))

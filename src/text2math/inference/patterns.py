"""The 16 word-association patterns of an operator node, as four bits.

An operator with left operand A and right operand B owns the words around them:
``[w]A[w]B[w]`` or, swapped, ``[w]B[w]A[w]``, each ``w`` an optional run of one or more words.

>>> Pattern(swapped=True, before=False, between=True, after=False)
Pattern(swapped=True, before=False, between=True, after=False)
>>> print(Pattern.of("BwA"), Pattern.of("BwA").index)
BwA 10
"""

from __future__ import annotations

from dataclasses import dataclass

SWAPPED, BEFORE, BETWEEN, AFTER = 8, 4, 2, 1
PATTERN_COUNT = 16


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which runs of words an operator node owns, and whether its operands are reversed."""

    swapped: bool
    before: bool
    between: bool
    after: bool

    @property
    def index(self) -> int:
        """The four bits as a number: 8·swapped + 4·before + 2·between + after."""
        return SWAPPED * self.swapped + BEFORE * self.before + BETWEEN * self.between + AFTER * self.after

    @classmethod
    def from_index(cls, index: int) -> Pattern:
        """The pattern with these four bits.

        >>> str(Pattern.from_index(7))
        'wAwBw'
        """
        if not 0 <= index < PATTERN_COUNT:
            raise ValueError(f"a pattern is numbered 0 to 15, not {index}")
        return cls(bool(index & SWAPPED), bool(index & BEFORE), bool(index & BETWEEN), bool(index & AFTER))

    @classmethod
    def of(cls, name: str) -> Pattern:
        """The pattern written as in the paper, such as ``wAwBw`` or ``BwA``."""
        for pattern in PATTERNS:
            if str(pattern) == name:
                return pattern
        raise ValueError(f"{name!r} is not a pattern; they look like AB, wAwBw or BwA")

    def __str__(self) -> str:
        first, second = ("B", "A") if self.swapped else ("A", "B")
        words = ("w" if on else "" for on in (self.before, self.between, self.after))
        before, between, after = words
        return f"{before}{first}{between}{second}{after}"


PATTERNS = tuple(Pattern.from_index(index) for index in range(PATTERN_COUNT))

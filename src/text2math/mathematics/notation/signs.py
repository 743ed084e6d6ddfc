"""The signs of all notations, from the table of operators, and what every reader and printer shares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from text2math.mathematics.expression import Operator
from text2math.mathematics.grammar import Brackets, Sign

ASCII: Mapping[Operator, Sign] = {operator: operator.entry.infix for operator in Operator}
UNICODE: Mapping[Operator, Sign] = {operator: operator.unicode for operator in Operator}
LATEX: Mapping[Operator, Sign] = {operator: operator.latex for operator in Operator}
_PRINTED = [(operator, sign) for signs in (ASCII, UNICODE, LATEX) for operator, sign in signs.items()]

# Signs between operands, names before round brackets, and brackets that are an operator's own.
SIGNS: Mapping[str, Operator] = {
    **{sign: operator for operator, sign in _PRINTED if isinstance(sign, str)},
    **{sign: operator for operator in Operator for sign in operator.entry.also},
}
CALLS: Mapping[str, Operator] = {
    sign.name: operator for operator, sign in _PRINTED if isinstance(sign, Brackets) and sign.name
}
BRACKETS: Mapping[str, tuple[Operator, str]] = {
    sign.opening.removeprefix(r"\left").strip(): (operator, sign.closing.strip().removeprefix(r"\right"))
    for operator, sign in _PRINTED
    if isinstance(sign, Brackets) and not sign.name
}
CLOSINGS = frozenset(closing for _, closing in BRACKETS.values())
NUMERAL = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+"


def any_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts, the longest first; what ends in a letter ends a word."""
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join(re.escape(text) + ("(?![A-Za-z0-9_])" if text[-1].isalpha() else "") for text in ordered)


class NotationError(ValueError):
    """A text that is not an expression, and the position (from 0) where that shows.

    >>> from text2math.mathematics.notation import from_infix
    >>> try:
    ...     from_infix("3 + * 4")
    ... except NotationError as error:
    ...     print(error)
    expected a number, an unknown or '(', not '*' (at position 4)
    """

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position

    def __str__(self) -> str:
        return f"{self.message} (at position {self.position})"

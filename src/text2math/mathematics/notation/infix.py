"""Infix: expressions as people write them, in ASCII or Unicode."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from text2math.mathematics.expression import Expression
from text2math.mathematics.notation.printing import Style, with_fractions
from text2math.mathematics.notation.reading import TreeBuilder, token_of, tokens_in
from text2math.mathematics.notation.signs import (
    ASCII,
    BRACKETS,
    CALLS,
    CLOSINGS,
    NUMERAL,
    SIGNS,
    UNICODE,
    any_of,
)


def _of_infix(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if not re.search(r"[\\_]", text)]


_INFIX_TOKEN = re.compile(
    rf"""\s+
    | (?: \{{ (?P<top>[0-9]+) / (?P<bottom>[0-9]+) \}} | (?P<above>[0-9]+) ⁄ (?P<below>[0-9]+)
        | (?P<numeral>{NUMERAL}) ) (?: \[ (?P<quantity>-?[0-9]+) \] )?
    | (?P<call>{any_of(_of_infix(CALLS))})
    | (?P<sign>{any_of(_of_infix(SIGNS))})
    | (?P<open>{any_of(_of_infix(("(", *BRACKETS)))}) | (?P<close>{any_of(_of_infix((")", *CLOSINGS)))})
    | (?P<comma>,)
    | (?P<name>[A-Za-z][A-Za-z0-9_]*)""",
    re.VERBOSE,
)
INFIX_STYLE = Style(
    signs=ASCII,
    brackets=("(", ")"),
    number=with_fractions("{{{}/{}}}"),
    variable=lambda variable: variable.name,
    quantity=lambda text, quantity: f"{text}[{quantity}]",
    minus="-",
)
_UNICODE_STYLE = replace(INFIX_STYLE, signs=UNICODE, number=with_fractions("{}⁄{}"), minus="−")


def to_infix(
    expression: Expression, full_brackets: bool = False, unicode: bool = False, quantities: bool = False
) -> str:
    """The expression as people write it, with no more brackets than its tree needs (or with all of them).

    >>> tree = from_infix("3*X1 = 5*X2 - 11")
    >>> to_infix(tree), to_infix(tree, full_brackets=True)
    ('3 * X1 = 5 * X2 - 11', '(3 * X1) = ((5 * X2) - 11)')
    >>> to_infix(tree, unicode=True)
    '3 × X1 = 5 × X2 − 11'
    """
    style = _UNICODE_STYLE if unicode else INFIX_STYLE
    return replace(style, full_brackets=full_brackets, quantities=quantities).print(expression)


def from_infix(text: str) -> Expression:
    """The expression that a text such as ``3*X1 = 5*X2 - 11`` writes.

    >>> to_infix(from_infix("V1/V2=5/3"))
    'X1 / X2 = 5 / 3'
    >>> from_infix("−0.5[2]")
    Number(value=Fraction(-1, 2), quantity=2)
    """
    return TreeBuilder().build(map(token_of, tokens_in(_INFIX_TOKEN, text)), len(text))

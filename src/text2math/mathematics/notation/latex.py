"""LaTeX formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from text2math.mathematics.expression import Expression, Operator
from text2math.mathematics.notation.printing import Style, with_fractions
from text2math.mathematics.notation.reading import (
    CASES,
    CASES_END,
    ROUND,
    ROUND_END,
    Token,
    TreeBuilder,
    token_of,
    tokens_in,
)
from text2math.mathematics.notation.signs import (
    BRACKETS,
    CALLS,
    CLOSINGS,
    LATEX,
    NUMERAL,
    SIGNS,
    NotationError,
    any_of,
)

_LATEX_TOKEN = re.compile(
    rf"""(?: \s | ~ | \\[,;:!\ ] | \\quad\b )+
    | (?: \\tfrac\{{ (?P<top>[0-9]+) \}}\{{ (?P<bottom>[0-9]+) \}} | (?P<numeral>{NUMERAL}) )
        (?: _\{{ (?P<quantity>-?[0-9]+) \}} )?
    | (?P<fraction>\\[dt]?frac(?![A-Za-z]))
    | (?P<cases>\\begin\{{cases\}}) | (?P<uncases>\\end\{{cases\}})
    | (?P<call>{any_of(CALLS)})
    | (?P<open>(?:\\left)?(?:{any_of(("(", *BRACKETS))}))
    | (?P<close>(?:\\right)?(?:{any_of((")", *CLOSINGS))}))
    | (?P<begin>\{{) | (?P<end>\}}) | (?P<comma>,)
    | (?P<sign>{any_of(SIGNS)})
    | (?P<name>[A-Za-z](?: _\{{[0-9]+\}} | _[0-9] | [0-9]+ )?)""",
    re.VERBOSE,
)
_LATEX_STYLE = Style(
    signs=LATEX,
    brackets=(r"\left(", r"\right)"),
    number=with_fractions(r"\tfrac{{{}}}{{{}}}"),
    variable=lambda variable: f"X_{{{variable.index}}}",
    quantity=lambda text, quantity: f"{text}_{{{quantity}}}",
    minus="-",
    fraction=lambda top, bottom: rf"\frac{{{top}}}{{{bottom}}}",
    around_system=(r"\begin{cases} ", r" \end{cases}"),
)


def to_latex(expression: Expression, quantities: bool = False) -> str:
    r"""The expression for a LaTeX formula.

    >>> from text2math.mathematics.notation import from_infix
    >>> to_latex(from_infix("X1 / X2 = 5 / 3"))
    '\\frac{X_{1}}{X_{2}} = \\frac{5}{3}'
    """
    return replace(_LATEX_STYLE, quantities=quantities).print(expression)


def _latex_tokens(text: str) -> Iterator[Token]:
    r"""The tokens of a formula, ``\frac{a}{b}`` turned into ``((a)/(b))``."""
    braces: list[tuple[str, int]] = []  # for each open brace: what it is part of, and where it opened
    next_brace = "group"
    for match in tokens_in(_LATEX_TOKEN, text):
        position = match.start()
        if next_brace != "group" and not match["begin"]:
            raise NotationError(r"\frac needs two parts in braces", position)
        if match["fraction"]:
            next_brace = "numerator"
            yield Token(ROUND, match[0], position)
        elif match["begin"]:
            braces.append((next_brace, position))
            next_brace = "group"
            yield Token(ROUND, "{", position)
        elif match["end"]:
            if not braces:
                raise NotationError("this brace was never opened", position)
            role, _ = braces.pop()
            yield Token(ROUND_END, "}", position)
            if role == "numerator":
                next_brace = "denominator"
                yield Token(Operator.DIV, r"\frac", position)
            elif role == "denominator":
                yield Token(ROUND_END, "}", position)
        elif match["cases"] or match["uncases"]:
            yield Token(CASES if match["cases"] else CASES_END, match[0], position)
        else:
            yield token_of(match)
    if braces or next_brace != "group":
        raise NotationError("a brace is missing at the end", len(text))


def from_latex(text: str) -> Expression:
    r"""The expression that a LaTeX formula writes.

    >>> from text2math.mathematics.notation import to_infix
    >>> to_infix(from_latex(r"\frac{x}{2} = 3 \cdot (y - 1)"))
    'X1 / 2 = 3 * (X2 - 1)'
    """
    return TreeBuilder().build(_latex_tokens(text), len(text))

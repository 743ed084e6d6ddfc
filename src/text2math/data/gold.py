"""From an equation as a file writes it to a gold expression that points at quantities of the text.

>>> from text2math.language.attachment import attach
>>> from text2math.mathematics.notation import to_infix
>>> values = [Fraction(5), Fraction(8), Fraction(5)]
>>> to_infix(attach(read_gold("X = (5.0 + 8.0) - 5.0"), values), quantities=True)
'5[0] + 8[1] - 5[2]'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from text2math.language.attachment import UnmappableError, decimal
from text2math.language.problem import Example
from text2math.mathematics.algebra import answer_of
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_equation,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.notation import from_infix

TOLERANCE = Fraction(1, 10_000)

_NAME = re.compile(r"[A-Za-z_]\w*")
# Between a numeral or ")" and a name or "(": a product without its sign.
_SILENT_PRODUCT = re.compile(r"(?<=[\d)])\s*(?=[A-Za-z_(])|(?<=\))\s*(?=\d)|(?<=[A-Za-z])\s*(?=\()")
_NO_SUCH_OPERATOR = re.compile(r"\^|\*\*|<|>|!|%|sqrt|mod|abs")


def read_gold(equation: str, names: Sequence[str] = (), *, arithmetic: bool = True) -> Expression:
    """The tree of an equation over unknowns of any name, numbered in the order given or else of occurrence.

    In an arithmetic problem ``X = 3 + 4``, the unknown alone on the left, is the expression ``3 + 4``.

    >>> from text2math.mathematics.notation import to_infix
    >>> to_infix(read_gold("2m - n = 0")), to_infix(read_gold("V2 = V1 + 1", names=["V1", "V2"]))
    ('2 * X1 = X2', 'X2 = X1 + 1')
    >>> to_infix(read_gold("x = 81.0 / 9"))
    '81 / 9'
    """
    if _NO_SUCH_OPERATOR.search(equation):
        raise UnmappableError("an operator that the grammar lacks", equation)
    order = {name: f"X{index}" for index, name in enumerate(unknowns_of(equation, names), start=1)}
    renamed = _NAME.sub(lambda match: order[match[0]], _SILENT_PRODUCT.sub("*", equation))
    try:
        tree = from_infix(renamed)
    except ValueError as error:
        raise UnmappableError("an equation that can't be read", f"{equation}: {error}") from error
    if len(variables(tree)) > MAX_UNKNOWNS:
        raise UnmappableError(f"more than {MAX_UNKNOWNS} unknowns", equation)
    if variables(tree) and not is_equation(tree):
        raise UnmappableError("an unknown without '='", equation)
    return _without_zero(_right_side(tree) if arithmetic else tree)


def unknowns_of(equation: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the unknowns in the order given or else of occurrence.

    >>> unknowns_of("V2 = 3 * V1", ["V1", "V2"]), unknowns_of("n = 3 * m")
    (('V1', 'V2'), ('n', 'm'))
    """
    used = _NAME.findall(equation)
    return tuple(dict.fromkeys([*(name for name in names if name in used), *used]))


def _right_side(tree: Expression) -> Expression:
    """For ``X = …`` without another X, the right side."""
    match tree:
        case Operation(Operator.EQU, Variable(), right) if not variables(right):
            return right
        case _:
            return tree


def _without_zero(tree: Expression) -> Expression:
    """``A - B = 0`` as ``A = B``: the zero stands in no text."""
    match tree:
        case Operation(Operator.EQU, Operation(Operator.SUB, left, right), Number(Fraction(numerator=0))):
            return Operation(Operator.EQU, left, right)
        case _:
            return tree


def answer_warning(example: Example) -> str:
    """What evaluating the gold gives, where the file states another answer; else the empty string."""
    if example.expression is None or example.answer is None:
        return ""
    value = answer_of(example.expression)
    stated = decimal(example.answer)
    if value is None:
        return f"the gold has no answer, {stated} is stated"
    if abs(value - example.answer) <= TOLERANCE * max(abs(example.answer), Fraction(1)):
        return ""
    return f"the gold gives {decimal(value)}, {stated} is stated"

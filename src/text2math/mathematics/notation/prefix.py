"""Prefix: operators before their operands, without brackets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from text2math.mathematics.expression import Expression, Number, Operator, fold
from text2math.mathematics.notation.infix import INFIX_STYLE
from text2math.mathematics.notation.printing import with_fractions
from text2math.mathematics.notation.reading import check_length, number_of, operation_of, variable_of
from text2math.mathematics.notation.signs import CALLS, NUMERAL, SIGNS, NotationError

PREFIX_SIGNS: Mapping[str, Operator] = {**SIGNS, **CALLS}
_PREFIX_NUMBER = re.compile(
    rf"(?P<minus>[-−])?(?:(?P<top>[0-9]+)/(?P<bottom>[0-9]+)|(?P<numeral>{NUMERAL}))"
    r"(?:\[(?P<quantity>-?[0-9]+)\])?"
)
_PREFIX_STYLE = replace(INFIX_STYLE, number=with_fractions("{}/{}"))


def to_prefix(expression: Expression, quantities: bool = False) -> str:
    """Operators before their operands, all separated by blanks; no brackets are needed.

    >>> from text2math.mathematics.notation import from_infix
    >>> to_prefix(from_infix("(7 - 3) * 2"))
    '* - 7 3 2'
    """
    leaf = replace(_PREFIX_STYLE, quantities=quantities).leaf
    return fold(
        expression,
        lambda node: leaf(node).text,
        lambda operator, left, right: f"{operator.value} {left} {right}",
    )


def from_prefix(text: str) -> Expression:
    """The expression that a text such as ``+ 7 * 3 6`` writes.

    >>> from text2math.mathematics.notation import to_infix
    >>> to_infix(from_prefix("+ 7 * 3 6"))
    '7 + 3 * 6'
    """
    check_length(text)
    done: list[Expression] = []
    # From the right, an operator meets its operands already read, the left one on top.
    for match in reversed(list(re.finditer(r"\S+", text))):
        word, position = match[0], match.start()
        number = _PREFIX_NUMBER.fullmatch(word)
        if word in PREFIX_SIGNS:
            if len(done) < 2:
                raise NotationError(f"{word!r} has fewer than two operands", position)
            done.append(operation_of(PREFIX_SIGNS[word], done.pop(), done.pop(), position))
        elif number:
            leaf = number_of(number, position)
            done.append(Number(-leaf.value, leaf.quantity) if number["minus"] else leaf)
        else:
            done.append(variable_of(word, position))
    if not done:
        raise NotationError("the text is empty", 0)
    if len(done) > 1:
        raise NotationError(f"{len(done)} expressions without an operator between them", 0)
    return done.pop()

"""Mathematics of a draft: values, order in the text, and trees that do not cross.

>>> from fractions import Fraction
>>> value(("-", "a", "b"), {"a": Fraction(5), "b": Fraction(3)})
Fraction(2, 1)
>>> uncrossed(("-", ("+", "a", "c"), "b"), {"a": 0, "b": 1, "c": 2})
('+', ('-', 'a', 'b'), 'c')
>>> uncrossed(("*", ("+", "a", "c"), "b"), {"a": 0, "b": 1, "c": 2}) is None
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from text2math.data.stories.world import Gold

_INVERSE = {"+": "-", "*": "/"}


def value(gold: Gold, amounts: Mapping[str, Fraction]) -> Fraction:
    """The exact value of an expression without unknowns; raises ZeroDivisionError where there is none."""
    if isinstance(gold, str):
        return amounts[gold]
    sign, left, right = gold
    a, b = value(left, amounts), value(right, amounts)
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
    raise ValueError(f"no value for {sign!r}")


def solution(equation: Gold, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """What a linear equation says about X1, its only unknown; None where it is no such equation.

    >>> solution(("=", ("*", "a", "X1"), "b"), {"a": Fraction(3), "b": Fraction(12)})
    Fraction(4, 1)
    """
    if isinstance(equation, str) or "X2" in leaves(equation):
        return None
    difference: Gold = ("-", equation[1], equation[2])
    try:
        one, two, three = (value(difference, {**amounts, "X1": Fraction(point)}) for point in (1, 2, 3))
    except ZeroDivisionError:
        return None
    # A line through its values at 1 and 2 where it goes on to 3; its zero solves the equation.
    slope = two - one
    return None if slope == 0 or three - two != slope else 1 - one / slope


def leaves(gold: Gold) -> Iterator[str]:
    """The names in it, from left to right."""
    if isinstance(gold, str):
        yield gold
    else:
        yield from leaves(gold[1])
        yield from leaves(gold[2])


def steps(gold: Gold) -> int:
    """The number of operations, the equals sign not counted."""
    if isinstance(gold, str):
        return 0
    return (gold[0] != "=") + steps(gold[1]) + steps(gold[2])


def signs(gold: Gold) -> Iterator[str]:
    """The signs, the root's first."""
    if not isinstance(gold, str):
        yield gold[0]
        yield from signs(gold[1])
        yield from signs(gold[2])


def crosses(gold: Gold, order: Mapping[str, int]) -> bool:
    """Whether the blocks of two operands interleave somewhere; ``order`` is the place of each constant in the text."""
    if isinstance(gold, str):
        return False
    left, right = (sorted(order[name] for name in leaves(side) if name in order) for side in gold[1:])
    if left and right and left[-1] > right[0] and right[-1] > left[0]:
        return True
    return crosses(gold[1], order) or crosses(gold[2], order)


def uncrossed(gold: Gold, order: Mapping[str, int]) -> Gold | None:
    """An equivalent tree that does not cross in the text: the tree itself where it is fine, else one of regrouped
    sums and products; None where there is none.
    """
    if not crosses(gold, order):
        return gold
    regrouped = _regrouped(gold, order)
    return None if crosses(regrouped, order) else regrouped


def _regrouped(gold: Gold, order: Mapping[str, int]) -> Gold:
    if isinstance(gold, str):
        return gold
    sign = gold[0]
    if sign == "=":
        return (sign, _regrouped(gold[1], order), _regrouped(gold[2], order))
    plus = "+" if sign in "+-" else "*"
    terms = [(straight, _regrouped(term, order)) for straight, term in _terms(gold, plus, True)]
    terms.sort(key=lambda pair: min((order[name] for name in leaves(pair[1]) if name in order), default=0))
    return _folded(terms, plus)


def _terms(gold: Gold, plus: str, straight: bool) -> Iterator[tuple[bool, Gold]]:
    """The terms of a sum (or factors of a product), each with whether it counts straight or inversely."""
    if not isinstance(gold, str) and gold[0] in (plus, _INVERSE[plus]):
        yield from _terms(gold[1], plus, straight)
        yield from _terms(gold[2], plus, straight == (gold[0] == plus))
    else:
        yield straight, gold


def _folded(terms: list[tuple[bool, Gold]], plus: str) -> Gold:
    """Terms in the order of the text as one tree; a run of inverse terms at the front is taken off what follows."""
    (positive, tree), *rest = terms
    for straight, term in rest:
        if positive == straight:
            tree = (plus, tree, term)
        elif positive:
            tree = (_INVERSE[plus], tree, term)
        else:
            tree, positive = (_INVERSE[plus], term, tree), True
    return tree

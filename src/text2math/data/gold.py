"""Reading an equation from a file as a gold expression, whose numbers point at quantities of the text.

>>> from text2math.language.attachment import attach
>>> from text2math.mathematics.notation import to_infix
>>> values = [Fraction(5), Fraction(8), Fraction(5)]
>>> to_infix(attach(read_gold("X = (5.0 + 8.0) - 5.0"), values), quantities=True)
'5[0] + 8[1] - 5[2]'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from text2math.language.attachment import UnmappableError, decimal
from text2math.language.problem import Example
from text2math.mathematics.algebra import answer_of, evaluate, solution
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_equation,
    is_system,
    numbers,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.notation import from_infix

TOLERANCE = Fraction(1, 10_000)
_OF_TWO = (Operator.ADD, Operator.SUB, Operator.MUL)

_NAME = re.compile(r"[A-Za-z_]\w*")
# A numeral (perhaps with the quantity it points at), a name, or a sign.
_PIECE = re.compile(r"(?:\d+\.?\d*|\.\d+|\{[^{}]*\})(?:\[\d+\])?|[A-Za-z_]\w*|\S")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NO_SUCH_OPERATOR = re.compile(r"\^|\*\*|<|>|!|%|sqrt|abs")
# The operators that are written as words.
_WORDS = frozenset(operator.value for operator in Operator if operator.value.isalpha())


def read_gold(equation: str, names: Sequence[str] = (), *, arithmetic: bool = True) -> Expression:
    """The tree of an equation; unknowns of any name are numbered in the given order, else as they occur.

    In an arithmetic problem, ``X = 3 + 4`` with the unknown alone on the left is the expression ``3 + 4``.

    >>> from text2math.mathematics.notation import to_infix
    >>> to_infix(read_gold("2m - n = 0")), to_infix(read_gold("V2 = V1 + 1", names=["V1", "V2"]))
    ('2 * X1 = X2', 'X2 = X1 + 1')
    >>> to_infix(read_gold("x = 81.0 / 9"))
    '81 / 9'
    """
    tree = read_tree(equation, unknowns_of(equation, names))
    if len(variables(tree)) > MAX_UNKNOWNS:
        raise UnmappableError(f"more than {MAX_UNKNOWNS} unknowns", equation)
    if variables(tree) and not is_equation(tree):
        raise UnmappableError("an unknown without '='", equation)
    return _without_zero(_right_side(tree) if arithmetic else tree)


def read_tree(equation: str, names: Sequence[str]) -> Expression:
    """The tree of an equation as written, its unknowns numbered in the order given."""
    if _NO_SUCH_OPERATOR.search(equation):
        raise UnmappableError("an operator that the grammar lacks", equation)
    order = {name: f"X{index}" for index, name in enumerate(names, start=1)}
    pieces = [order.get(piece, piece) for piece in _with_products(equation)]
    try:
        return from_infix(" ".join(pieces))
    except ValueError as error:
        raise UnmappableError("an equation that can't be read", f"{equation}: {error}") from error


def _with_products(equation: str) -> Iterator[str]:
    """The tokens of an equation, with ``*`` for products without a sign: 2x, 3(x + 1), (a)(b)."""
    if _WORDS.isdisjoint(_NAME.findall(equation)):  # in gcd(12,100), the comma separates two numbers
        equation = _THOUSANDS.sub("", equation)
    before = ""
    for piece in _PIECE.findall(equation):
        name = _NAME.fullmatch(piece) is not None and piece not in _WORDS
        numeral = piece[0].isdigit() or piece[0] in ".{"
        after_number = before[:1].isdigit() or before[:1] in tuple(".{)")
        after_name = _NAME.fullmatch(before) is not None and before not in _WORDS
        if (
            (after_number and (name or piece == "("))
            or (after_name and piece == "(")
            or (before == ")" and numeral)
        ):
            yield "*"
        yield piece
        before = piece


def unknowns_of(equation: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the unknowns in the given order, else in order of occurrence.

    >>> unknowns_of("V2 = 3 * V1", ["V1", "V2"]), unknowns_of("n = 3 * m")
    (('V1', 'V2'), ('n', 'm'))
    """
    used = [name for name in _NAME.findall(equation) if name not in _WORDS]
    return tuple(dict.fromkeys([*(name for name in names if name in used), *used]))


def _right_side(tree: Expression) -> Expression:
    """For ``X = …`` without another X, the right side."""
    match tree:
        case Operation(Operator.EQU, Variable(), right) if not variables(right):
            return right
        case _:
            return tree


def _without_zero(tree: Expression) -> Expression:
    """``A - B = 0`` as ``A = B``: the zero never appears in the text."""
    match tree:
        case Operation(Operator.EQU, Operation(Operator.SUB, left, right), Number(Fraction(numerator=0))):
            return Operation(Operator.EQU, left, right)
        case _:
            return tree


def asked(expression: Expression, answers: Sequence[Fraction]) -> tuple[Expression, ...]:
    """What each answer is: an unknown, or a sum, difference or product of two; empty if one is neither.

    >>> asked(read_gold("3 * X + 1 = 16"), [Fraction(5)])
    (Variable(index=1),)
    """
    if not answers or not variables(expression):
        return ()
    solved = solution(expression)
    return next(filter(None, (_named(expression, solved.unknowns, p, answers) for p in solved.points)), ())


def _named(
    expression: Expression,
    unknowns: Sequence[Variable],
    point: Sequence[Fraction],
    answers: Sequence[Fraction],
) -> tuple[Expression, ...]:
    """An expression for each answer at one solution; empty if an answer has none."""
    values = dict(zip(unknowns, point, strict=True))
    others: list[Expression] = [*unknowns, *dict.fromkeys(numbers(expression))]
    wanted: list[Expression] = list(unknowns)
    wanted += [Operation(sign, one, other) for one in unknowns for other in others for sign in _OF_TWO]
    known = [(one, evaluate(one, values)) for one in wanted]
    found: list[Expression] = []
    for answer in answers:
        same = [one for one, value in known if value is not None and _close(value, answer)]
        chosen = next((one for one in same if one not in found), None)
        if chosen is None:
            return ()
        found.append(chosen)
    return tuple(found)


def _is_solved_by(example: Example) -> bool:
    """Whether a solution of the system gives the stated answers to what is asked."""
    assert example.expression is not None
    if len(example.asked) != len(example.answers):
        return False
    solved = solution(example.expression)
    for point in solved.points:
        values = dict(zip(solved.unknowns, point, strict=True))
        found = [evaluate(wanted, values) for wanted in example.asked]
        if all(
            value is not None and _close(value, answer)
            for value, answer in zip(found, example.answers, strict=True)
        ):
            return True
    return False


def _close(value: Fraction, stated: Fraction) -> bool:
    """Whether a stated answer equals a value, perhaps after rounding."""
    return abs(value - stated) <= TOLERANCE * max(abs(stated), Fraction(1))


def answer_warning(example: Example, *, asked_is_stated: bool = False) -> str:
    """A warning if the gold does not give the answer that the file states; else the empty string.

    With ``asked_is_stated``, the file itself states what is asked, so the answer may be an expression over
    the unknown of a single equation, or belong to one of several solutions.
    """
    of_what_is_asked = asked_is_stated or (example.expression is not None and is_system(example.expression))
    if of_what_is_asked and example.answers:
        stated = ", ".join(map(decimal, example.answers))
        return "" if _is_solved_by(example) else f"the gold does not give {stated}, which is stated"
    if example.expression is None or example.answer is None:
        return ""
    value = answer_of(example.expression)
    stated = decimal(example.answer)
    if value is None:
        return f"the gold has no answer, {stated} is stated"
    if _close(value, example.answer):
        return ""
    return f"the gold gives {decimal(value)}, {stated} is stated"

"""From an equation as a file writes it to a gold expression that points at quantities of the text.

>>> from text2math.mathematics.notation import to_infix
>>> values = [Fraction(5), Fraction(8), Fraction(5)]
>>> to_infix(attach(read_gold("X = (5.0 + 8.0) - 5.0"), values), quantities=True)
'5[0] + 8[1] - 5[2]'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from text2math.language.problem import Example
from text2math.mathematics.algebra import evaluate, solution, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    is_equation,
    is_system,
    numbers,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.notation import from_infix

MAX_ASSIGNMENTS = 20_000
TOLERANCE = Fraction(1, 10_000)
CENT = Fraction(1, 100)
_OF_TWO = (Operator.ADD, Operator.SUB, Operator.MUL)

_NAME = re.compile(r"[A-Za-z_]\w*")
# A numeral (perhaps with the quantity it points at), a name, or a sign.
_PIECE = re.compile(r"(?:\d+\.?\d*|\.\d+|\{[^{}]*\})(?:\[\d+\])?|[A-Za-z_]\w*|\S")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NO_SUCH_OPERATOR = re.compile(r"\^|\*\*|<|>|!|%|sqrt|abs")
# The operators that are written as words.
_WORDS = frozenset(operator.value for operator in Operator if operator.value.isalpha())


class UnmappableError(ValueError):
    """Gold that can't be mapped: a reason (one of few, to count by) and what it is about."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def read_gold(equation: str, names: Sequence[str] = (), *, arithmetic: bool = True) -> Expression:
    """The tree of an equation over unknowns of any name, numbered in the order given or else of occurrence.

    In an arithmetic problem ``X = 3 + 4``, the unknown alone on the left, is the expression ``3 + 4``.

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
    """The tree of an equation as it stands, its unknowns numbered in the order given."""
    if _NO_SUCH_OPERATOR.search(equation):
        raise UnmappableError("an operator that the grammar lacks", equation)
    order = {name: f"X{index}" for index, name in enumerate(names, start=1)}
    pieces = [order.get(piece, piece) for piece in _with_products(equation)]
    try:
        return from_infix(" ".join(pieces))
    except ValueError as error:
        raise UnmappableError("an equation that can't be read", f"{equation}: {error}") from error


def _with_products(equation: str) -> Iterator[str]:
    """The pieces of an equation, with the signs of products that are only implied: 2x, 3(x + 1), (a)(b)."""
    if _WORDS.isdisjoint(_NAME.findall(equation)):  # in gcd(12,100) it separates two numbers
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
    """The names of the unknowns in the order given or else of occurrence.

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
    """``A - B = 0`` as ``A = B``: the zero stands in no text."""
    match tree:
        case Operation(Operator.EQU, Operation(Operator.SUB, left, right), Number(Fraction(numerator=0))):
            return Operation(Operator.EQU, left, right)
        case _:
            return tree


def attach(expression: Expression, values: Sequence[Fraction]) -> Expression:
    """The expression with every number pointing at a quantity of the text, by index into ``values``.

    Numbers that already point at one keep it. Among equal values the choice uses each quantity once, makes
    the tree cross as little as possible in the text, and takes the earlier ones first.

    >>> attach(Number(Fraction(3)), [Fraction(2), Fraction(3)])
    Number(value=Fraction(3, 1), quantity=1)
    """
    tree = _join_literals(expression, frozenset(values))
    choices = [_choices(number, values) for number in numbers(tree)]
    assignment = min(_assignments(choices), key=lambda chosen: _cost(tree, chosen))
    return with_hints(tree, assignment)


def _choices(number: Number, values: Sequence[Fraction]) -> tuple[int, ...]:
    """The quantities that a number may point at."""
    if number.quantity is None:
        equal = tuple(index for index, value in enumerate(values) if value == number.value)
        if not equal:
            there = ", ".join(map(decimal, values)) or "none"
            raise UnmappableError(
                "a number that is not in the text", f"{decimal(number.value)}; the text has {there}"
            )
        return equal
    if not 0 <= number.quantity < len(values):
        raise UnmappableError(
            "a quantity that the text lacks", f"[{number.quantity}] of {len(values)}, counted from 0"
        )
    if values[number.quantity] != number.value:
        there = decimal(values[number.quantity])
        raise UnmappableError(
            "a number that differs from its quantity",
            f"{decimal(number.value)}[{number.quantity}], which is {there}",
        )
    return (number.quantity,)


def decimal(value: Fraction) -> str:
    """The value as people write it where that is short: 0.25, but 1/3."""
    return f"{float(value):g}" if value.denominator in (2, 4, 5, 10, 20, 25, 50, 100) else str(value)


def _join_literals(expression: Expression, values: frozenset[Fraction]) -> Expression:
    """What is spelt out (``2 / 3``, ``0.01 * 6``, ``8 * 12``) as one number, where the text has that one."""

    def join(operator: Operator, left: Expression, right: Expression) -> Expression:
        match operator, left, right:
            case ((Operator.MUL | Operator.DIV), Number(first, None), Number(second, None)):
                whole = _joined(operator, first, second, values)
                return Operation(operator, left, right) if whole is None else Number(whole)
            # a * 6 * 0.01 and a / 6 / 0.01 group from the left, yet mean 6 %.
            case (
                (Operator.MUL | Operator.DIV),
                Operation(inner, rest, Number(first, None)),
                Number(second, None),
            ) if inner is operator and CENT in (first, second):
                whole = _joined(Operator.MUL, first, second, values)
                return Operation(operator, left if whole is None else rest, Number(whole or second))
        return Operation(operator, left, right)

    return fold(expression, lambda leaf: leaf, join)


def _joined(
    operator: Operator, first: Fraction, second: Fraction, values: frozenset[Fraction]
) -> Fraction | None:
    """The one number of the text that two literals spell out, if they do."""
    if operator is Operator.DIV and second == 0:
        return None
    whole = first * second if operator is Operator.MUL else first / second
    stands_alone = first in values or second in values
    spelt_out = CENT in (first, second) or not stands_alone
    if operator is Operator.DIV:
        spelt_out = not (first in values and second in values)
    return whole if whole in values and spelt_out else None


def _assignments(choices: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Every way to choose, or where those are too many, the first unused quantity for each number."""
    if prod(map(len, choices)) <= MAX_ASSIGNMENTS:
        yield from product(*choices)
        return
    chosen: list[int] = []
    for options in choices:
        chosen.append(next((index for index in options if index not in chosen), options[0]))
    yield tuple(chosen)


def _cost(tree: Expression, assignment: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    reused = len(assignment) - len(set(assignment))
    return reused, crossings(with_hints(tree, assignment)), assignment


def with_hints(expression: Expression, hints: Sequence[int | None]) -> Expression:
    """The expression whose numbers, from left to right, point at these quantities.

    >>> [number.quantity for number in numbers(with_hints(read_gold("4 - 4"), (1, 0)))]
    [1, 0]
    """
    remaining = list(hints)  # fold meets the leaves from right to left

    def leaf(node: Number | Variable) -> Expression:
        return Number(node.value, remaining.pop()) if isinstance(node, Number) else node

    return fold(expression, leaf, Operation)


def crossings(expression: Expression, anchors: Sequence[int] | None = None) -> int:
    """How many operations have operands whose quantities interleave in the text: 0 for a text-math tree.

    ``anchors`` are the words the quantities stand on; without them, they stand in the order they are counted.

    >>> crossings(attach(read_gold("1 + 3 - 2"), [Fraction(1), Fraction(2), Fraction(3)]))
    1
    """
    crossed = 0
    Span = tuple[int, int] | None

    def leaf(node: Number | Variable) -> Span:
        if not isinstance(node, Number) or node.quantity is None:
            return None
        at = node.quantity if anchors is None else anchors[node.quantity]
        return at, at

    def join(_: Operator, left: Span, right: Span) -> Span:
        nonlocal crossed
        if left is None or right is None:
            return left or right
        crossed += not (left[1] < right[0] or right[1] < left[0])
        return min(left[0], right[0]), max(left[1], right[1])

    fold(expression, leaf, join)
    return crossed


def computed_answer(expression: Expression) -> Fraction | None:
    """The value of an expression, or of the one unknown of an equation, where there is exactly one.

    >>> computed_answer(read_gold("3 * X + 1 = 16"))
    Fraction(5, 1)
    """
    if not is_equation(expression):
        return evaluate(expression)
    values = solve(expression) or {}
    return next(iter(values.values())) if len(values) == 1 else None


def asked(expression: Expression, answers: Sequence[Fraction]) -> tuple[Expression, ...]:
    """What the answers are: unknowns, or a sum, difference or product of two; empty if one is none of these.

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
    """An expression for each answer at one solution; empty if one has none."""
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
    """Whether a stated answer is this one, perhaps rounded."""
    return abs(value - stated) <= TOLERANCE * max(abs(stated), Fraction(1))


def answer_warning(example: Example) -> str:
    """What evaluating the gold gives, where the file states another answer; else the empty string."""
    if example.expression is not None and is_system(example.expression) and example.answers:
        stated = ", ".join(map(decimal, example.answers))
        return "" if _is_solved_by(example) else f"the gold does not give {stated}, which is stated"
    if example.expression is None or example.answer is None:
        return ""
    value = computed_answer(example.expression)
    stated = decimal(example.answer)
    if value is None:
        return f"the gold has no answer, {stated} is stated"
    if _close(value, example.answer):
        return ""
    return f"the gold gives {decimal(value)}, {stated} is stated"

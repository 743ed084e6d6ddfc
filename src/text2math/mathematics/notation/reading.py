"""Reading: tokens of infix, LaTeX or MathML become a tree, by the precedence of their operators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    depth,
    root_operator,
)
from text2math.mathematics.grammar import LEFT, NEGATION, OPERANDS, Sort
from text2math.mathematics.notation.signs import BRACKETS, CALLS, SIGNS, NotationError

MAX_LENGTH = 200_000  # characters that a reader accepts
MAX_DEPTH = 1_000  # nested operations that a reader accepts
MAX_DIGITS = 4_000  # digits of one numeral that a reader accepts (Python's own limit is 4,300)

_NAME = re.compile(r"(?P<letter>[XxVvYyZz])_?\{?(?P<index>[0-9]{0,9})\}?")


class Open(NamedTuple):
    """An opening bracket: what closes it, and the operator whose operands it encloses, if any."""

    closing: str
    operator: Operator | None = None
    operands: int = 1  # that are read or begun


ROUND, CASES = Open(")"), Open("cases")


class Call(NamedTuple):
    """The name of an operator whose operands follow in round brackets."""

    operator: Operator


class Close(NamedTuple):
    """A closing bracket, or the comma between two operands."""

    sign: str


ROUND_END, CASES_END, COMMA = Close(")"), Close("cases"), Close(",")


class Token(NamedTuple):
    """A leaf, an operator or a bracket of the text, with its position."""

    value: Number | Variable | Operator | Open | Call | Close
    text: str
    position: int


class _Pending(NamedTuple):
    """An operator, a minus sign (None), an open bracket or a name, whose operand is still to come."""

    value: Operator | Open | Call | None
    position: int

    @property
    def binding(self) -> int:
        if isinstance(self.value, Operator):
            return self.value.entry.precedence
        return NEGATION if self.value is None else -1


class TreeBuilder:
    """Puts tokens together to a tree by precedence, on two stacks instead of by recursion."""

    def __init__(self) -> None:
        self.operands: list[Expression] = []
        self.pending: list[_Pending] = []

    def build(self, tokens: Iterable[Token], end: int) -> Expression:
        """The tree of all the tokens of a text that ends at ``end``."""
        complete = False  # whether what is read so far could be followed by an operator
        for token in tokens:
            complete = self.extend(token) if complete else self.begin(token)
        if not complete:
            raise NotationError("the expression ends where a number or an unknown is expected", end)
        self.reduce(0)
        if self.pending:
            raise NotationError("this bracket is not closed", self.pending[-1].position)
        return self.operands.pop()

    def begin(self, token: Token) -> bool:
        """Take a token where an operand begins; whether the operand is complete with it."""
        value = token.value
        called = self.pending[-1].value if self.pending else None
        if isinstance(called, Call):
            if value is not ROUND:
                raise NotationError(f"'(' is expected after {called.operator.value!r}", token.position)
            self.pending[-1] = _Pending(Open(")", called.operator), token.position)
            return False
        if isinstance(value, Open | Call):
            self.pending.append(_Pending(value, token.position))
            return False
        if value is Operator.SUB:
            self.pending.append(_Pending(None, token.position))
            return False
        if not isinstance(value, Number | Variable):
            raise NotationError(f"expected a number, an unknown or '(', not {token.text!r}", token.position)
        # A minus sign before a numeral is part of the number.
        if isinstance(value, Number) and self.pending and self.pending[-1].value is None:
            self.pending.pop()
            value = Number(-value.value, value.quantity)
        self.operands.append(value)
        return True

    def extend(self, token: Token) -> bool:
        """Take a token after a complete operand; whether the operand is still complete with it."""
        value = token.value
        if value == COMMA:
            self.next_operand(token)
            return False
        if isinstance(value, Close):
            self.close(value, token)
            return True
        if not isinstance(value, Operator):
            raise NotationError(f"an operator is expected before {token.text!r}", token.position)
        self.reduce(value.entry.precedence)
        if value.entry.result is not Sort.VALUE and self.pending and self.pending[-1].value == ROUND:
            raise NotationError(f"{token.text!r} is not allowed inside these brackets", token.position)
        left = root_operator(self.operands[-1])
        if left not in OPERANDS[value][LEFT]:
            raise NotationError(value.refusal(LEFT, left), token.position)
        self.pending.append(_Pending(value, token.position))
        return False

    def next_operand(self, token: Token) -> None:
        """Go on with the second operand in an operator's brackets."""
        self.reduce(0)
        opened = self.pending[-1].value if self.pending else None
        if not isinstance(opened, Open) or opened.operator is None or opened.operator.function_of:
            raise NotationError("a comma is allowed only between the operands of a function", token.position)
        if opened.operands == opened.operator.arity:
            raise NotationError(f"{opened.operator.value!r} takes two operands", token.position)
        self.pending[-1] = self.pending[-1]._replace(value=opened._replace(operands=opened.operands + 1))

    def close(self, closing: Close, token: Token) -> None:
        """End a bracket."""
        self.reduce(0)
        opened = self.pending[-1].value if self.pending else None
        if not isinstance(opened, Open) or opened.closing != closing.sign:
            raise NotationError("this bracket was never opened", token.position)
        position = self.pending.pop().position
        if opened.operator is not None:
            self.apply(opened.operator, opened.operands, position)

    def apply(self, operator: Operator, operands: int, position: int) -> None:
        """Put an operator over the operands in its brackets."""
        inside = operator.function_of
        if inside is not None:
            operation = self.operands.pop()
            if not isinstance(operation, Operation) or operation.operator is not inside:
                raise NotationError(f"{operator.value!r} needs one {inside.value!r} inside", position)
            left, right = operation.left, operation.right
        elif operands < operator.arity:
            raise NotationError(f"{operator.value!r} takes two operands, with a comma between them", position)
        else:
            right, left = self.operands.pop(), self.operands.pop()
        self.operands.append(operation_of(operator, left, right, position))

    def reduce(self, binding: int) -> None:
        """Apply pending operators that bind at least as tightly."""
        while self.pending and self.pending[-1].binding >= binding:
            pending = self.pending.pop()
            right = self.operands.pop()
            left = Number(Fraction(-1)) if pending.value is None else self.operands.pop()
            operator = pending.value if isinstance(pending.value, Operator) else Operator.MUL
            self.operands.append(operation_of(operator, left, right, pending.position))


def operation_of(operator: Operator, left: Expression, right: Expression, position: int) -> Operation:
    """The operation, if the grammar allows it and it does not nest too deep."""
    if max(depth(left), depth(right)) >= MAX_DEPTH:
        raise NotationError(f"more than {MAX_DEPTH} nested operations", position)
    try:
        return Operation(operator, left, right)
    except ValueError as error:
        raise NotationError(str(error), position) from None


def check_length(text: str) -> None:
    """Refuse a text that is too long."""
    if len(text) > MAX_LENGTH:
        raise NotationError(f"the text is longer than {MAX_LENGTH} characters", MAX_LENGTH)


def tokens_in(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The tokens of the text one after the other, blanks left out."""
    check_length(text)
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            raise NotationError(f"{text[position]!r} has no meaning here", position)
        if match.lastgroup is not None:
            yield match
        position = match.end()


def variable_of(name: str, position: int) -> Variable:
    """The unknown of this name: x is X1, y is X2, z is X3, V2 is X2."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise NotationError(f"{name!r} is not an unknown; they are X1, X2, … or x, y, z", position)
    letter, index = match["letter"].lower(), match["index"]
    if letter in "yz" and index:
        raise NotationError(f"{name!r} is not an unknown; number them X1, X2, …", position)
    number = int(index) if index else {"y": 2, "z": 3}.get(letter, 1)
    if number < 1:
        raise NotationError("unknowns are numbered from 1", position)
    return Variable(number)


def number_of(match: re.Match[str], position: int) -> Number:
    """The number that a token's groups describe."""
    groups = match.groupdict()
    top = groups.get("top") or groups.get("above") or groups["numeral"]
    bottom = groups.get("bottom") or groups.get("below")
    return exact_number(top, bottom, groups["quantity"], position)


def exact_number(top: str, bottom: str | None, quantity: str | None, position: int) -> Number:
    """The number with this numeral, or this numerator and denominator."""
    if max(len(top), len(bottom or ""), len(quantity or "")) > MAX_DIGITS:
        raise NotationError(f"a number has more than {MAX_DIGITS} digits", position)
    denominator = int(bottom) if bottom else 1
    if denominator == 0:
        raise NotationError("a number can't have the denominator 0", position)
    numeral = top.replace(",", "")
    # A point needs digits on both sides for Fraction, not for people.
    value = Fraction(f"0{numeral}0" if "." in numeral else numeral)
    return Number(value / denominator, int(quantity) if quantity else None)


def token_of(match: re.Match[str]) -> Token:
    """The token for a match that is the same in infix and LaTeX."""
    text, position = match[0], match.start()
    if match["name"]:
        return Token(variable_of(text, position), text, position)
    if match["sign"]:
        return Token(SIGNS[text], text, position)
    if match["call"]:
        return Token(Call(CALLS[text]), text, position)
    if match["open"] or match["close"]:
        return Token(bracket_of(text), text, position)
    if match["comma"]:
        return Token(COMMA, text, position)
    return Token(number_of(match, position), text, position)


def bracket_of(text: str) -> Open | Close:
    """The bracket that this text is."""
    sign = text.removeprefix(r"\left").removeprefix(r"\right")
    if sign in BRACKETS:
        operator, closing = BRACKETS[sign]
        return Open(closing, operator)
    return ROUND if sign == "(" else Close(sign)

"""Expressions in and out of infix, prefix, LaTeX, MathML and sympy.

What is printed reads back as the same tree. With ``quantities=True`` the quantity behind each number is
printed too (``7[0]``); without it, the numbers that come back have none. A number that no short decimal
writes is printed as a fraction that can't be taken for a division: ``{1/3}``, or ``1⁄3`` in unicode.

>>> tree = from_infix("7 + (3 + 6)")
>>> to_infix(tree), to_prefix(tree), to_latex(tree)
('7 + (3 + 6)', '+ 7 + 3 6', '7 + \\\\left(3 + 6\\\\right)')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple
from xml.parsers import expat

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    depth,
    equations,
    fold,
    is_equation,
    is_system,
    root_operator,
    system,
)
from text2math.mathematics.grammar import ATOM, LEFT, NEGATION, OPERANDS, Brackets, Sign, Sort

MAX_LENGTH = 200_000  # characters that a reader accepts
MAX_DEPTH = 1_000  # nested operations that a reader accepts
MAX_DIGITS = 4_000  # digits of one numeral that a reader accepts (Python's own limit is 4,300)
MAX_DECIMALS = 12  # a number with more decimals is printed as a fraction
MAX_SYMPY_DEPTH = 100  # sympy walks its trees by recursion and slows down with their depth
MAX_POWER = 64  # the highest whole power that from_sympy writes out as a product

_ASCII: Mapping[Operator, Sign] = {operator: operator.entry.infix for operator in Operator}
_UNICODE: Mapping[Operator, Sign] = {operator: operator.unicode for operator in Operator}
_LATEX: Mapping[Operator, Sign] = {operator: operator.latex for operator in Operator}
_PRINTED = [(operator, sign) for signs in (_ASCII, _UNICODE, _LATEX) for operator, sign in signs.items()]

# Signs between operands, names before round brackets, and brackets that are an operator's own.
_SIGNS: Mapping[str, Operator] = {
    **{sign: operator for operator, sign in _PRINTED if isinstance(sign, str)},
    **{sign: operator for operator in Operator for sign in operator.entry.also},
}
_CALLS: Mapping[str, Operator] = {
    sign.name: operator for operator, sign in _PRINTED if isinstance(sign, Brackets) and sign.name
}
_BRACKETS: Mapping[str, tuple[Operator, str]] = {
    sign.opening.removeprefix(r"\left").strip(): (operator, sign.closing.strip().removeprefix(r"\right"))
    for operator, sign in _PRINTED
    if isinstance(sign, Brackets) and not sign.name
}
_PREFIX_SIGNS: Mapping[str, Operator] = {**_SIGNS, **_CALLS}
_CLOSINGS = frozenset(closing for _, closing in _BRACKETS.values())


def _any_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts, the longest first; what ends in a letter ends a word."""
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join(re.escape(text) + ("(?![A-Za-z0-9_])" if text[-1].isalpha() else "") for text in ordered)


def _of_infix(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if not re.search(r"[\\_]", text)]


_NUMERAL = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_INFIX_TOKEN = re.compile(
    rf"""\s+
    | (?: \{{ (?P<top>[0-9]+) / (?P<bottom>[0-9]+) \}} | (?P<above>[0-9]+) ⁄ (?P<below>[0-9]+)
        | (?P<numeral>{_NUMERAL}) ) (?: \[ (?P<quantity>-?[0-9]+) \] )?
    | (?P<call>{_any_of(_of_infix(_CALLS))})
    | (?P<sign>{_any_of(_of_infix(_SIGNS))})
    | (?P<open>{_any_of(_of_infix(("(", *_BRACKETS)))}) | (?P<close>{_any_of(_of_infix((")", *_CLOSINGS)))})
    | (?P<comma>,)
    | (?P<name>[A-Za-z][A-Za-z0-9_]*)""",
    re.VERBOSE,
)
_LATEX_TOKEN = re.compile(
    rf"""(?: \s | ~ | \\[,;:!\ ] | \\quad\b )+
    | (?: \\tfrac\{{ (?P<top>[0-9]+) \}}\{{ (?P<bottom>[0-9]+) \}} | (?P<numeral>{_NUMERAL}) )
        (?: _\{{ (?P<quantity>-?[0-9]+) \}} )?
    | (?P<fraction>\\[dt]?frac(?![A-Za-z]))
    | (?P<cases>\\begin\{{cases\}}) | (?P<uncases>\\end\{{cases\}})
    | (?P<call>{_any_of(_CALLS)})
    | (?P<open>(?:\\left)?(?:{_any_of(("(", *_BRACKETS))}))
    | (?P<close>(?:\\right)?(?:{_any_of((")", *_CLOSINGS))}))
    | (?P<begin>\{{) | (?P<end>\}}) | (?P<comma>,)
    | (?P<sign>{_any_of(_SIGNS)})
    | (?P<name>[A-Za-z](?: _\{{[0-9]+\}} | _[0-9] | [0-9]+ )?)""",
    re.VERBOSE,
)
_PREFIX_NUMBER = re.compile(
    rf"(?P<minus>[-−])?(?:(?P<top>[0-9]+)/(?P<bottom>[0-9]+)|(?P<numeral>{_NUMERAL}))"
    r"(?:\[(?P<quantity>-?[0-9]+)\])?"
)
_NAME = re.compile(r"(?P<letter>[XxVvYyZz])_?\{?(?P<index>[0-9]{0,9})\}?")


class NotationError(ValueError):
    """A text that is not an expression, and the position (from 0) where that shows.

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


# ---------------------------------------------------------------------------------------------- printing


class _Printed(NamedTuple):
    """A printed part, how tightly its root binds, and whether it begins with a minus sign."""

    text: str
    binding: int
    negative: bool


@dataclass(frozen=True, slots=True)
class _Style:
    """What one notation looks like; brackets and order are the same for all."""

    signs: Mapping[Operator, Sign]
    brackets: tuple[str, str]
    number: Callable[[Fraction], str]  # a number that is not negative
    variable: Callable[[Variable], str]
    quantity: Callable[[str, int], str]
    minus: str
    space: str = " "
    comma: str = ", "
    around_system: tuple[str, str] = ("", "")
    fraction: Callable[[str, str], str] | None = None
    full_brackets: bool = False
    quantities: bool = False

    def print(self, expression: Expression) -> str:
        text = fold(expression, self.leaf, self.join).text
        opening, closing = self.around_system
        return opening + text + closing if is_system(expression) else text

    def leaf(self, leaf: Number | Variable) -> _Printed:
        if isinstance(leaf, Variable):
            return _Printed(self.variable(leaf), ATOM, False)
        text = self.number(abs(leaf.value))
        if self.quantities and leaf.quantity is not None:
            text = self.quantity(text, leaf.quantity)
        negative = leaf.value < 0
        return _Printed(self.minus + text if negative else text, ATOM, negative)

    def join(self, operator: Operator, left: _Printed, right: _Printed) -> _Printed:
        if operator is Operator.DIV and self.fraction:
            return _Printed(self.fraction(left.text, right.text), ATOM, False)
        sign = self.signs[operator]
        if isinstance(sign, Brackets):
            return _Printed(sign.opening + self.inside(operator, left, right) + sign.closing, ATOM, False)
        binding = operator.entry.precedence
        # A minus sign needs a bracket only inside a value: not in front of everything, nor after '='.
        inner = operator.entry.result is Sort.VALUE
        left = self.bracket(left, left.binding < binding)
        right = self.bracket(right, right.binding <= binding or (right.negative and inner))
        before = "" if sign == ";" else self.space
        text = f"{left.text}{before}{sign}{self.space}{right.text}"
        return _Printed(text, binding, left.negative)

    def inside(self, operator: Operator, left: _Printed, right: _Printed) -> str:
        """The text between the brackets of an operator."""
        operation = operator.function_of
        return self.join(operation, left, right).text if operation else f"{left.text}{self.comma}{right.text}"

    def bracket(self, part: _Printed, needed: bool) -> _Printed:
        # Full brackets go around values, never around the equations of a system.
        full = self.full_brackets and Operator.EQU.entry.precedence < part.binding < ATOM
        if not needed and not full:
            return part
        opening, closing = self.brackets
        return _Printed(opening + part.text + closing, ATOM, False)


def _decimal(value: Fraction) -> str | None:
    """The digits of a number that is not negative, or None where no short decimal is exact."""
    scale: int = 10**MAX_DECIMALS
    if scale % value.denominator:
        return None
    whole, rest = divmod(value.numerator * (scale // value.denominator), scale)
    return f"{whole}.{rest:0{MAX_DECIMALS}d}".rstrip("0").rstrip(".") if rest else str(whole)


def number_text(value: Fraction) -> str:
    """A number for people: a decimal where a short one is exact, else a fraction.

    >>> number_text(Fraction(-5, 2)), number_text(Fraction(2, 3))
    ('−2.5', '2/3')
    """
    digits = _decimal(abs(value)) or str(abs(value))
    return f"−{digits}" if value < 0 else digits


def _fraction_number(template: str) -> Callable[[Fraction], str]:
    """A printer of numbers that fills the template with numerator and denominator where it must."""
    return lambda value: _decimal(value) or template.format(value.numerator, value.denominator)


def _mathml_number(value: Fraction) -> str:
    decimal = _decimal(value)
    if decimal is not None:
        return f"<mn>{decimal}</mn>"
    return f'<mfrac class="number"><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>'


def _mathml_sign(sign: Sign) -> Sign:
    if isinstance(sign, str):
        return f"<mo>{sign}</mo>"
    name = f"<mi>{sign.name}</mi>" if sign.name else ""
    return Brackets(
        f"<mrow>{name}<mo>{sign.opening.removeprefix(sign.name)}</mo>", f"<mo>{sign.closing}</mo></mrow>"
    )


_INFIX_STYLE = _Style(
    signs=_ASCII,
    brackets=("(", ")"),
    number=_fraction_number("{{{}/{}}}"),
    variable=lambda variable: variable.name,
    quantity=lambda text, quantity: f"{text}[{quantity}]",
    minus="-",
)
_UNICODE_STYLE = replace(_INFIX_STYLE, signs=_UNICODE, number=_fraction_number("{}⁄{}"), minus="−")
_PREFIX_STYLE = replace(_INFIX_STYLE, number=_fraction_number("{}/{}"))
_LATEX_STYLE = _Style(
    signs=_LATEX,
    brackets=(r"\left(", r"\right)"),
    number=_fraction_number(r"\tfrac{{{}}}{{{}}}"),
    variable=lambda variable: f"X_{{{variable.index}}}",
    quantity=lambda text, quantity: f"{text}_{{{quantity}}}",
    minus="-",
    fraction=lambda top, bottom: rf"\frac{{{top}}}{{{bottom}}}",
    around_system=(r"\begin{cases} ", r" \end{cases}"),
)
_MATHML_STYLE = _Style(
    signs={operator: _mathml_sign(sign) for operator, sign in _UNICODE.items()},
    brackets=("<mrow><mo>(</mo>", "<mo>)</mo></mrow>"),
    number=_mathml_number,
    variable=lambda variable: f"<msub><mi>X</mi><mn>{variable.index}</mn></msub>",
    quantity=lambda text, quantity: re.sub(r"(?=>)", f' data-quantity="{quantity}"', text, count=1),
    minus="<mo>−</mo>",
    space="",
    comma="<mo>,</mo>",
    fraction=lambda top, bottom: f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>",
)


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
    style = _UNICODE_STYLE if unicode else _INFIX_STYLE
    return replace(style, full_brackets=full_brackets, quantities=quantities).print(expression)


def as_ratio(value: Fraction) -> str:
    """A quotient as a ratio in lowest terms.

    >>> as_ratio(Fraction(6, 8))
    '3 : 4'
    """
    return f"{value.numerator} {Operator.RATIO.value} {value.denominator}"


def to_prefix(expression: Expression, quantities: bool = False) -> str:
    """Operators before their operands, all separated by blanks; no brackets are needed.

    >>> to_prefix(from_infix("(7 - 3) * 2"))
    '* - 7 3 2'
    """
    leaf = replace(_PREFIX_STYLE, quantities=quantities).leaf
    return fold(
        expression,
        lambda node: leaf(node).text,
        lambda operator, left, right: f"{operator.value} {left} {right}",
    )


def to_latex(expression: Expression, quantities: bool = False) -> str:
    r"""The expression for a LaTeX formula.

    >>> to_latex(from_infix("X1 / X2 = 5 / 3"))
    '\\frac{X_{1}}{X_{2}} = \\frac{5}{3}'
    """
    return replace(_LATEX_STYLE, quantities=quantities).print(expression)


def to_mathml(expression: Expression, quantities: bool = False) -> str:
    """The expression as presentational MathML, for a web page.

    >>> to_mathml(from_infix("7 - 3"))
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mn>7</mn><mo>−</mo><mn>3</mn></math>'
    """
    body = replace(_MATHML_STYLE, quantities=quantities).print(expression)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


# ----------------------------------------------------------------------------------------------- reading


class _Open(NamedTuple):
    """An opening bracket: what closes it, and the operator whose operands it encloses, if any."""

    closing: str
    operator: Operator | None = None
    operands: int = 1  # that are read or begun


_ROUND, _CASES = _Open(")"), _Open("cases")


class _Call(NamedTuple):
    """The name of an operator whose operands follow in round brackets."""

    operator: Operator


class _Close(NamedTuple):
    """A closing bracket, or the comma between two operands."""

    sign: str


_ROUND_END, _CASES_END, _COMMA = _Close(")"), _Close("cases"), _Close(",")


class _Token(NamedTuple):
    """A leaf, an operator or a bracket of the text, with its position."""

    value: Number | Variable | Operator | _Open | _Call | _Close
    text: str
    position: int


class _Pending(NamedTuple):
    """An operator, a minus sign (None), an open bracket or a name, whose operand is still to come."""

    value: Operator | _Open | _Call | None
    position: int

    @property
    def binding(self) -> int:
        if isinstance(self.value, Operator):
            return self.value.entry.precedence
        return NEGATION if self.value is None else -1


class _Builder:
    """Puts tokens together to a tree by precedence, on two stacks instead of by recursion."""

    def __init__(self) -> None:
        self.operands: list[Expression] = []
        self.pending: list[_Pending] = []

    def build(self, tokens: Iterable[_Token], end: int) -> Expression:
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

    def begin(self, token: _Token) -> bool:
        """Take a token where an operand begins; whether the operand is complete with it."""
        value = token.value
        called = self.pending[-1].value if self.pending else None
        if isinstance(called, _Call):
            if value is not _ROUND:
                raise NotationError(f"'(' is expected after {called.operator.value!r}", token.position)
            self.pending[-1] = _Pending(_Open(")", called.operator), token.position)
            return False
        if isinstance(value, _Open | _Call):
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

    def extend(self, token: _Token) -> bool:
        """Take a token after a complete operand; whether the operand is still complete with it."""
        value = token.value
        if value == _COMMA:
            self.next_operand(token)
            return False
        if isinstance(value, _Close):
            self.close(value, token)
            return True
        if not isinstance(value, Operator):
            raise NotationError(f"an operator is expected before {token.text!r}", token.position)
        self.reduce(value.entry.precedence)
        if value.entry.result is not Sort.VALUE and self.pending and self.pending[-1].value == _ROUND:
            raise NotationError(f"{token.text!r} is not allowed inside these brackets", token.position)
        left = root_operator(self.operands[-1])
        if left not in OPERANDS[value][LEFT]:
            raise NotationError(value.refusal(LEFT, left), token.position)
        self.pending.append(_Pending(value, token.position))
        return False

    def next_operand(self, token: _Token) -> None:
        """Go on with the second operand in an operator's brackets."""
        self.reduce(0)
        opened = self.pending[-1].value if self.pending else None
        if not isinstance(opened, _Open) or opened.operator is None or opened.operator.function_of:
            raise NotationError("a comma is allowed only between the operands of a function", token.position)
        if opened.operands == opened.operator.arity:
            raise NotationError(f"{opened.operator.value!r} takes two operands", token.position)
        self.pending[-1] = self.pending[-1]._replace(value=opened._replace(operands=opened.operands + 1))

    def close(self, closing: _Close, token: _Token) -> None:
        """End a bracket."""
        self.reduce(0)
        opened = self.pending[-1].value if self.pending else None
        if not isinstance(opened, _Open) or opened.closing != closing.sign:
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
        self.operands.append(_operation(operator, left, right, position))

    def reduce(self, binding: int) -> None:
        """Apply pending operators that bind at least as tightly."""
        while self.pending and self.pending[-1].binding >= binding:
            pending = self.pending.pop()
            right = self.operands.pop()
            left = Number(Fraction(-1)) if pending.value is None else self.operands.pop()
            operator = pending.value if isinstance(pending.value, Operator) else Operator.MUL
            self.operands.append(_operation(operator, left, right, pending.position))


def _operation(operator: Operator, left: Expression, right: Expression, position: int) -> Operation:
    """The operation, if the grammar allows it and it does not nest too deep."""
    if max(depth(left), depth(right)) >= MAX_DEPTH:
        raise NotationError(f"more than {MAX_DEPTH} nested operations", position)
    try:
        return Operation(operator, left, right)
    except ValueError as error:
        raise NotationError(str(error), position) from None


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise NotationError(f"the text is longer than {MAX_LENGTH} characters", MAX_LENGTH)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The tokens of the text one after the other, blanks left out."""
    _check_length(text)
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            raise NotationError(f"{text[position]!r} has no meaning here", position)
        if match.lastgroup is not None:
            yield match
        position = match.end()


def _variable(name: str, position: int) -> Variable:
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


def _number(match: re.Match[str], position: int) -> Number:
    """The number that a token's groups describe."""
    groups = match.groupdict()
    top = groups.get("top") or groups.get("above") or groups["numeral"]
    bottom = groups.get("bottom") or groups.get("below")
    return _exact(top, bottom, groups["quantity"], position)


def _exact(top: str, bottom: str | None, quantity: str | None, position: int) -> Number:
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


def _token(match: re.Match[str]) -> _Token:
    """The token for a match that is the same in infix and LaTeX."""
    text, position = match[0], match.start()
    if match["name"]:
        return _Token(_variable(text, position), text, position)
    if match["sign"]:
        return _Token(_SIGNS[text], text, position)
    if match["call"]:
        return _Token(_Call(_CALLS[text]), text, position)
    if match["open"] or match["close"]:
        return _Token(_bracket(text), text, position)
    if match["comma"]:
        return _Token(_COMMA, text, position)
    return _Token(_number(match, position), text, position)


def _bracket(text: str) -> _Open | _Close:
    """The bracket that this text is."""
    sign = text.removeprefix(r"\left").removeprefix(r"\right")
    if sign in _BRACKETS:
        operator, closing = _BRACKETS[sign]
        return _Open(closing, operator)
    return _ROUND if sign == "(" else _Close(sign)


def from_infix(text: str) -> Expression:
    """The expression that a text such as ``3*X1 = 5*X2 - 11`` writes.

    >>> to_infix(from_infix("V1/V2=5/3"))
    'X1 / X2 = 5 / 3'
    >>> from_infix("−0.5[2]")
    Number(value=Fraction(-1, 2), quantity=2)
    """
    return _Builder().build(map(_token, _matches(_INFIX_TOKEN, text)), len(text))


def from_prefix(text: str) -> Expression:
    """The expression that a text such as ``+ 7 * 3 6`` writes.

    >>> to_infix(from_prefix("+ 7 * 3 6"))
    '7 + 3 * 6'
    """
    _check_length(text)
    done: list[Expression] = []
    # From the right, an operator meets its operands already read, the left one on top.
    for match in reversed(list(re.finditer(r"\S+", text))):
        word, position = match[0], match.start()
        number = _PREFIX_NUMBER.fullmatch(word)
        if word in _PREFIX_SIGNS:
            if len(done) < 2:
                raise NotationError(f"{word!r} has fewer than two operands", position)
            done.append(_operation(_PREFIX_SIGNS[word], done.pop(), done.pop(), position))
        elif number:
            leaf = _number(number, position)
            done.append(Number(-leaf.value, leaf.quantity) if number["minus"] else leaf)
        else:
            done.append(_variable(word, position))
    if not done:
        raise NotationError("the text is empty", 0)
    if len(done) > 1:
        raise NotationError(f"{len(done)} expressions without an operator between them", 0)
    return done.pop()


def _latex_tokens(text: str) -> Iterator[_Token]:
    r"""The tokens of a formula, ``\frac{a}{b}`` turned into ``((a)/(b))``."""
    braces: list[tuple[str, int]] = []  # for each open brace: what it is part of, and where it opened
    next_brace = "group"
    for match in _matches(_LATEX_TOKEN, text):
        position = match.start()
        if next_brace != "group" and not match["begin"]:
            raise NotationError(r"\frac needs two parts in braces", position)
        if match["fraction"]:
            next_brace = "numerator"
            yield _Token(_ROUND, match[0], position)
        elif match["begin"]:
            braces.append((next_brace, position))
            next_brace = "group"
            yield _Token(_ROUND, "{", position)
        elif match["end"]:
            if not braces:
                raise NotationError("this brace was never opened", position)
            role, _ = braces.pop()
            yield _Token(_ROUND_END, "}", position)
            if role == "numerator":
                next_brace = "denominator"
                yield _Token(Operator.DIV, r"\frac", position)
            elif role == "denominator":
                yield _Token(_ROUND_END, "}", position)
        elif match["cases"] or match["uncases"]:
            yield _Token(_CASES if match["cases"] else _CASES_END, match[0], position)
        else:
            yield _token(match)
    if braces or next_brace != "group":
        raise NotationError("a brace is missing at the end", len(text))


def from_latex(text: str) -> Expression:
    r"""The expression that a LaTeX formula writes.

    >>> to_infix(from_latex(r"\frac{x}{2} = 3 \cdot (y - 1)"))
    'X1 / 2 = 3 * (X2 - 1)'
    """
    return _Builder().build(_latex_tokens(text), len(text))


# ------------------------------------------------------------------------------------------------ MathML


@dataclass(slots=True)
class _Element:
    """An element that is open: what its children and its text have been so far."""

    tag: str
    attributes: Mapping[str, str]
    position: int
    text: str = ""
    children: int = 0

    @property
    def whole(self) -> bool:
        """Whether its children make up one leaf (``X₁``, or a number that is a fraction)."""
        return self.tag == "msub" or (self.tag == "mfrac" and self.attributes.get("class") == "number")


class _MathMLReader:
    """Turns MathML into tokens. Only elements count: document types and so entities are refused."""

    GROUPS = frozenset({"math", "mrow", "mstyle"})
    LEAVES = frozenset({"mn", "mi", "mo"})
    PAIRS = frozenset({"mfrac", "msub"})

    def __init__(self, text: str) -> None:
        self.source = text.encode("utf-8", "surrogatepass")
        self.tokens: list[_Token] = []
        self.open: list[_Element] = []
        self.byte = self.character = 0  # where position() was asked for last
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype

    def read(self) -> list[_Token]:
        """All the tokens."""
        try:
            self.parser.Parse(self.source, True)
        except expat.ExpatError as error:
            position = self.position(self.parser.ErrorByteIndex)
            raise NotationError(
                f"not well-formed MathML: {expat.ErrorString(error.code)}", position
            ) from None
        return self.tokens

    def position(self, byte: int | None = None) -> int:
        """The character position of a byte of the source, or of where the reader is."""
        index = self.parser.CurrentByteIndex if byte is None else byte
        # Positions only grow, so each byte is decoded once.
        self.character += len(self.source[self.byte : index].decode("utf-8", "ignore"))
        self.byte = max(self.byte, index)
        return self.character

    def emit(
        self, value: Number | Variable | Operator | _Open | _Call | _Close, text: str, position: int
    ) -> None:
        self.tokens.append(_Token(value, text, position))

    def doctype(self, *_: object) -> None:
        raise NotationError("MathML with a document type is not read", self.position())

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = _Element(name.rpartition(":")[2], attributes, self.position())
        parent = self.open[-1] if self.open else None
        if element.tag not in self.GROUPS | self.LEAVES | self.PAIRS:
            raise NotationError(f"the element <{name}> is not read", element.position)
        if parent and (parent.tag in self.LEAVES or (parent.whole and element.tag not in ("mn", "mi"))):
            raise NotationError(f"<{name}> is not allowed inside <{parent.tag}>", element.position)
        if parent:
            parent.children += 1
            if parent.tag == "mfrac" and not parent.whole:
                self.emit(_ROUND, f"<{name}>", element.position)
        self.open.append(element)
        if element.tag == "mfrac" and not element.whole:
            self.emit(_ROUND, "<mfrac>", element.position)

    def characters(self, text: str) -> None:
        element = self.open[-1]
        if element.tag in self.LEAVES:
            element.text += text
        elif text.strip():
            raise NotationError(f"{text.strip()!r} is outside <mn>, <mi> and <mo>", self.position())

    def end(self, _: str) -> None:
        element = self.open.pop()
        parent = self.open[-1] if self.open else None
        if element.tag in self.PAIRS and element.children != 2:
            raise NotationError(f"<{element.tag}> needs two elements inside", element.position)
        if parent and parent.whole:
            # The parts of a whole are kept apart by a blank, which no part has.
            parent.text += f" {element.text.strip()}"
            return
        if element.whole or element.tag in self.LEAVES:
            self.leaf(element)
        elif element.tag == "mfrac":
            self.emit(_ROUND_END, "</mfrac>", self.position())
        if parent and parent.tag == "mfrac":
            self.emit(_ROUND_END, "</mfrac>", self.position())
            if parent.children == 1:
                self.emit(Operator.DIV, "<mfrac>", self.position())

    def leaf(self, element: _Element) -> None:
        """Emit the token of an element without an inside."""
        text, position = element.text.strip(), element.position
        match element.tag:
            case "mo" if text in _SIGNS:
                self.emit(_SIGNS[text], text, position)
            case "mo" if text in ("(", ")", *_BRACKETS, *_CLOSINGS):
                self.emit(_bracket(text), text, position)
            case "mo" if text == ",":
                self.emit(_COMMA, text, position)
            case "mi" | "mo" if text in _CALLS:
                self.emit(_Call(_CALLS[text]), text, position)
            case "mo":
                raise NotationError(f"{text!r} is not an operator", position)
            case "mi" | "msub":
                self.emit(_variable(text.replace(" ", "", 1).replace(" ", "_"), position), text, position)
            case _:
                self.emit(self.number(element), text, position)

    @staticmethod
    def number(element: _Element) -> Number:
        top, _, bottom = element.text.strip().partition(" ")
        quantity = element.attributes.get("data-quantity")
        shape = _NUMERAL if element.tag == "mn" else "[0-9]+"
        numerals = re.fullmatch(shape, top) and (element.tag == "mn" or re.fullmatch("[0-9]+", bottom))
        if not numerals or (quantity is not None and not re.fullmatch("-?[0-9]+", quantity)):
            raise NotationError(f"{element.text.strip()!r} is not a number", element.position)
        return _exact(top, bottom or None, quantity, element.position)


def from_mathml(text: str) -> Expression:
    """The expression that presentational MathML writes.

    >>> to_infix(from_mathml("<math><mn>7</mn><mo>−</mo><mfrac><mi>x</mi><mn>2</mn></mfrac></math>"))
    '7 - X1 / 2'
    """
    _check_length(text)
    return _Builder().build(_MathMLReader(text).read(), len(text))


# ------------------------------------------------------------------------------------------------- sympy


@dataclass(frozen=True, slots=True)
class _Unevaluated:
    """A sympy value on which + - * / build and compute nothing."""

    value: Any

    def __add__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return _Unevaluated(sympy.Add(self.value, other.value, evaluate=False))

    def __sub__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return self + _Unevaluated(sympy.Mul(-1, other.value, evaluate=False))

    def __mul__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return _Unevaluated(sympy.Mul(self.value, other.value, evaluate=False))

    def __truediv__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return self * _Unevaluated(sympy.Pow(other.value, -1, evaluate=False))


# What sympy itself has; any other function is an undefined one there, named like the operator.
_SYMPY_FUNCTIONS = {Operator.CEIL: "ceiling", Operator.QUO: "floor", Operator.REM: "Mod"}


def to_sympy(expression: Expression) -> Any:
    """The same structure in sympy, nothing evaluated (quantities are lost).

    A system is the list of its equations.

    >>> to_sympy(from_infix("3 * (X1 - 2) = 6"))
    Eq(3*(X1 - 1*2), 6)
    >>> to_sympy(from_infix("X1 + X2 = 5; X1 = 2"))
    [Eq(X1 + X2, 5), Eq(X1, 2)]
    """
    import sympy

    if is_system(expression):
        return [to_sympy(equation) for equation in equations(expression)]
    if depth(expression) > MAX_SYMPY_DEPTH:
        raise ValueError(f"sympy gets at most {MAX_SYMPY_DEPTH} nested operations")

    def leaf(node: Number | Variable) -> _Unevaluated:
        if isinstance(node, Variable):
            return _Unevaluated(sympy.Symbol(node.name))
        return _Unevaluated(sympy.Rational(node.value.numerator, node.value.denominator))

    return fold(expression, leaf, _sympy_operation).value


def _sympy_operation(operator: Operator, left: _Unevaluated, right: _Unevaluated) -> _Unevaluated:
    import sympy

    entry, inside = operator.entry, operator.function_of
    if operator is Operator.EQU:
        return _Unevaluated(sympy.Eq(left.value, right.value, evaluate=False))
    if entry.algebra is not None:
        result: _Unevaluated = entry.algebra(left, right)
        return result
    if operator not in _SYMPY_FUNCTIONS:
        return _Unevaluated(sympy.Function(operator.name.lower())(left.value, right.value))
    function = getattr(sympy, _SYMPY_FUNCTIONS[operator])
    arguments = (left, right) if inside is None else (_sympy_operation(inside, left, right),)
    return _Unevaluated(function(*(argument.value for argument in arguments), evaluate=False))


def from_sympy(value: Any) -> Expression:
    """The expression of a sympy value made of numbers, symbols, sums, products, whole powers and ``Eq``.

    A list of equations is a system.

    >>> import sympy
    >>> to_infix(from_sympy(sympy.Eq(2 * sympy.Symbol("x"), sympy.Rational(1, 2))))
    '2 * X1 = 0.5'
    """
    reader = _SympyReader()
    if isinstance(value, list | tuple):
        statements = [reader.read(one, 0) for one in value]
        if not statements or not all(map(is_equation, statements)):
            raise ValueError("a system for sympy is a list of one or more equations")
        return system(one for one in statements if isinstance(one, Operation))
    return reader.read(value, 0)


class _SympyReader:
    """Reads sympy values from the root down; sums and products of many parts group from the left."""

    def read(self, value: Any, level: int) -> Expression:
        import sympy

        if level > MAX_SYMPY_DEPTH:
            raise ValueError(f"the sympy value nests more than {MAX_SYMPY_DEPTH} levels deep")
        match value:
            case sympy.Symbol():
                return _variable(value.name, 0)
            case sympy.Rational():
                return Number(Fraction(int(value.p), int(value.q)))
            case sympy.Float() if value.is_finite:
                return Number(Fraction(str(value)))
            case sympy.Eq():
                left, right = (self.read(side, level + 1) for side in value.args)
                return Operation(Operator.EQU, left, right)
            case sympy.Add():
                return self.chain(value.args, Operator.ADD, Operator.SUB, self.negated, level)
            case sympy.Mul():
                return self.chain(value.args, Operator.MUL, Operator.DIV, self.inverted, level)
            case sympy.Pow() if value.exp.is_Integer and abs(value.exp) <= MAX_POWER:
                return self.power(value.base, int(value.exp), level)
            case sympy.Function():
                return self.function(value, level)
        raise ValueError(f"{type(value).__name__} {value} has no counterpart in our expressions")

    def function(self, value: Any, level: int) -> Expression:
        """An operator that is a function in sympy."""
        name = type(value).__name__
        named = {function: operator for operator, function in _SYMPY_FUNCTIONS.items()}
        named |= {operator.name.lower(): operator for operator in Operator}
        operands = [self.read(argument, level + 1) for argument in value.args]
        operator = named.get(name)
        if operator is not None and operator.function_of and len(operands) == 1:
            [operand] = operands
            if isinstance(operand, Operation) and operand.operator is operator.function_of:
                operands = [operand.left, operand.right]
            else:
                operands = [operand, Number(Fraction(1))]
        if operator is None or len(operands) != operator.arity:
            raise ValueError(f"the function {name} has no counterpart in our expressions")
        left, right = operands
        return _operation(operator, left, right, 0)

    def chain(
        self,
        parts: Iterable[Any],
        operator: Operator,
        inverse: Operator,
        opposite: Callable[[Any], Any | None],
        level: int,
    ) -> Expression:
        """The parts joined from the left, a part with an opposite by the inverse operator."""
        first, *rest = parts
        tree = self.read(first, level + 1)
        for part in rest:
            other = opposite(part)
            sign = operator if other is None else inverse
            tree = _operation(sign, tree, self.read(part if other is None else other, level + 1), 0)
        return tree

    @staticmethod
    def negated(part: Any) -> Any | None:
        """b where the part is -1·b."""
        import sympy

        if isinstance(part, sympy.Mul) and part.args[0] == -1:
            return part.args[1] if len(part.args) == 2 else sympy.Mul(*part.args[1:], evaluate=False)
        return None

    @staticmethod
    def inverted(part: Any) -> Any | None:
        """b where the part is b to the power of -1."""
        import sympy

        return part.base if isinstance(part, sympy.Pow) and part.exp == -1 else None

    def power(self, base: Any, exponent: int, level: int) -> Expression:
        """A whole power written out as a product."""
        one: Expression = Number(Fraction(1))
        if exponent == 0:
            return one
        factor = self.read(base, level + 1)
        tree = factor
        for _ in range(abs(exponent) - 1):
            tree = _operation(Operator.MUL, tree, factor, 0)
        return tree if exponent > 0 else _operation(Operator.DIV, one, tree, 0)

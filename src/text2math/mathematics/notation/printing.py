"""Printing: what is the same in infix, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from text2math.mathematics.expression import Expression, Number, Operator, Variable, fold, is_system
from text2math.mathematics.grammar import ATOM, Brackets, Sign, Sort

MAX_DECIMALS = 12  # a number with more decimals is printed as a fraction


class Printed(NamedTuple):
    """A printed part, how tightly its root binds, and whether it begins with a minus sign."""

    text: str
    binding: int
    negative: bool


@dataclass(frozen=True, slots=True)
class Style:
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
        """The whole expression."""
        text = fold(expression, self.leaf, self.join).text
        opening, closing = self.around_system
        return opening + text + closing if is_system(expression) else text

    def leaf(self, leaf: Number | Variable) -> Printed:
        """A number or an unknown."""
        if isinstance(leaf, Variable):
            return Printed(self.variable(leaf), ATOM, False)
        text = self.number(abs(leaf.value))
        if self.quantities and leaf.quantity is not None:
            text = self.quantity(text, leaf.quantity)
        negative = leaf.value < 0
        return Printed(self.minus + text if negative else text, ATOM, negative)

    def join(self, operator: Operator, left: Printed, right: Printed) -> Printed:
        """An operator with its operands, in brackets where they need them."""
        if operator is Operator.DIV and self.fraction:
            return Printed(self.fraction(left.text, right.text), ATOM, False)
        sign = self.signs[operator]
        if isinstance(sign, Brackets):
            return Printed(sign.opening + self.inside(operator, left, right) + sign.closing, ATOM, False)
        binding = operator.entry.precedence
        # A minus sign needs a bracket only inside a value: not in front of everything, nor after '='.
        inner = operator.entry.result is Sort.VALUE
        left = self.bracket(left, left.binding < binding)
        right = self.bracket(right, right.binding <= binding or (right.negative and inner))
        before = "" if sign == ";" else self.space
        text = f"{left.text}{before}{sign}{self.space}{right.text}"
        return Printed(text, binding, left.negative)

    def inside(self, operator: Operator, left: Printed, right: Printed) -> str:
        """The text between the brackets of an operator."""
        operation = operator.function_of
        return self.join(operation, left, right).text if operation else f"{left.text}{self.comma}{right.text}"

    def bracket(self, part: Printed, needed: bool) -> Printed:
        """A part in brackets, where they are needed or all are wanted."""
        # Full brackets go around values, never around the equations of a system.
        full = self.full_brackets and Operator.EQU.entry.precedence < part.binding < ATOM
        if not needed and not full:
            return part
        opening, closing = self.brackets
        return Printed(opening + part.text + closing, ATOM, False)


def decimal_text(value: Fraction) -> str | None:
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
    digits = decimal_text(abs(value)) or str(abs(value))
    return f"−{digits}" if value < 0 else digits


def json_number(value: Fraction) -> int | float | str:
    """An exact value for JSON: a number, or a string if no finite decimal equals it.

    >>> json_number(Fraction(16)), json_number(Fraction(5, 2)), json_number(Fraction(2, 3))
    (16, 2.5, '2/3')
    """
    if value.denominator == 1:
        return value.numerator
    try:
        decimal = float(value)
    except OverflowError:
        return str(value)
    return decimal if Fraction(repr(decimal)) == value else str(value)


def with_fractions(template: str) -> Callable[[Fraction], str]:
    """A printer of numbers that fills the template with numerator and denominator where it must."""
    return lambda value: decimal_text(value) or template.format(value.numerator, value.denominator)


def as_ratio(value: Fraction) -> str:
    """A quotient as a ratio in lowest terms.

    >>> as_ratio(Fraction(6, 8))
    '3 : 4'
    """
    return f"{value.numerator} {Operator.RATIO.value} {value.denominator}"

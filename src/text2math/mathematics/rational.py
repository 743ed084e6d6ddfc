"""Expressions as rational functions: one polynomial over another, exact and in lowest terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

from text2math.mathematics.expression import Expression, Number, Operator, Variable, fold

MAX_BITS = 16_384  # of a numerator or denominator; a larger value is not an answer
MAX_TERMS = 20_000  # of a product of two polynomials; what needs more is not compared

# A polynomial: the integer coefficient (never 0) of each monomial, a tuple of one exponent an unknown.
Polynomial: TypeAlias = dict[tuple[int, ...], int]


class TooLargeError(Exception):
    """A polynomial has more terms, or larger coefficients, than we compute with."""


class NotAlgebraicError(Exception):
    """An operator that is not a rational function, such as rounding up."""


def bits(value: Fraction | int) -> int:
    """The length of the numerator or the denominator, whichever is longer."""
    if type(value) is int:
        return value.bit_length() or 1
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _plus(first: Polynomial, second: Polynomial, factor: int = 1) -> Polynomial:
    """first + factor · second."""
    result = dict(first)
    for monomial, coefficient in second.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return result


def _times(first: Polynomial, second: Polynomial) -> Polynomial:
    if len(first) * len(second) > MAX_TERMS:
        raise TooLargeError
    result: Polynomial = {}
    for one, a in first.items():
        for other, b in second.items():
            if a.bit_length() + b.bit_length() > MAX_BITS:
                raise TooLargeError
            monomial = tuple(map(int.__add__, one, other))
            result[monomial] = result.get(monomial, 0) + a * b
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient}


@dataclass(frozen=True, slots=True)
class RationalFunction:
    """A rational function: one polynomial over another (not zero)."""

    top: Polynomial
    bottom: Polynomial

    def __bool__(self) -> bool:
        """Whether it is anything but zero."""
        return bool(self.top)

    def __add__(self, other: RationalFunction) -> RationalFunction:
        return self._plus(other, 1)

    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self._plus(other, -1)

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        return RationalFunction(_times(self.top, other.top), _times(self.bottom, other.bottom))

    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        """The quotient; the caller checks that the divisor is not zero."""
        return RationalFunction(_times(self.top, other.bottom), _times(self.bottom, other.top))

    def _plus(self, other: RationalFunction, factor: int) -> RationalFunction:
        """self + factor · other."""
        if self.bottom == other.bottom:
            return RationalFunction(_plus(self.top, other.top, factor), self.bottom)
        top = _plus(_times(self.top, other.bottom), _times(other.top, self.bottom), factor)
        return RationalFunction(top, _times(self.bottom, other.bottom))


def _combine(
    operator: Operator, left: RationalFunction | None, right: RationalFunction | None
) -> RationalFunction | None:
    algebra = operator.entry.algebra
    if algebra is None:
        raise NotAlgebraicError(f"{operator.value!r} is not algebraic")
    if left is None or right is None:
        return None
    result: RationalFunction | None = algebra(left, right)
    return result


def rational_function(expression: Expression, unknowns: tuple[Variable, ...]) -> RationalFunction | None:
    """The rational function in lowest terms (left minus right for an equation); None where undefined."""
    constant = (0,) * len(unknowns)
    one = {constant: 1}

    def leaf(node: Number | Variable) -> RationalFunction:
        if isinstance(node, Variable):
            return RationalFunction({tuple(int(node == unknown) for unknown in unknowns): 1}, one)
        if bits(node.value) > MAX_BITS:
            raise TooLargeError
        top, bottom = node.value.numerator, node.value.denominator
        return RationalFunction({constant: top} if top else {}, {constant: bottom})

    quotient = fold(expression, leaf, _combine)
    return None if quotient is None else _lowest_terms(quotient)


def _lowest_terms(quotient: RationalFunction) -> RationalFunction:
    """The same function without a common factor, numeric or not."""
    top, bottom = quotient.top, quotient.bottom
    if not top:
        return RationalFunction({}, {(0,) * len(next(iter(bottom))): 1})
    if any(chain.from_iterable(bottom)):
        shared = tuple(map(min, zip(*top, *bottom, strict=True)))
        top, bottom = _shifted(top, shared), _shifted(bottom, shared)
        if len(top) > 1 and len(bottom) > 1:
            top, bottom = _cancelled(top, bottom)
    content = math.gcd(*top.values(), *bottom.values())
    return RationalFunction(divided(top, content), divided(bottom, content))


def _shifted(polynomial: Polynomial, shared: tuple[int, ...]) -> Polynomial:
    """The polynomial divided by a monomial."""
    return {tuple(map(int.__sub__, monomial, shared)): value for monomial, value in polynomial.items()}


def divided(polynomial: Polynomial, factor: int) -> Polynomial:
    """The polynomial with every coefficient divided by a number that divides them all."""
    return {monomial: value // factor for monomial, value in polynomial.items()}


def _cancelled(top: Polynomial, bottom: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Both divided by their greatest common divisor, which sympy finds."""
    from sympy import ZZ
    from sympy.polys.rings import ring

    # More unknowns or terms than these could keep the general algorithm busy for minutes.
    names = [f"x{index}" for index in range(len(next(iter(top))))]
    if len(top) * len(bottom) > MAX_TERMS:
        raise TooLargeError
    domain = ring(names, ZZ)[0]
    _, top_left, bottom_left = domain.from_dict(top).cofactors(domain.from_dict(bottom))
    return (
        {tuple(monomial): int(value) for monomial, value in top_left.items()},
        {tuple(monomial): int(value) for monomial, value in bottom_left.items()},
    )

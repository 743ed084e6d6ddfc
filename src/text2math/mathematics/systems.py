"""The common roots of polynomials: linear ones by exact elimination, the others by sympy, within limits.

>>> common_roots([{(1, 0): 1, (0, 1): 1, (0, 0): -5}, {(1, 0): 1, (0, 1): -1, (0, 0): -1}], 2).points
((Fraction(3, 1), Fraction(2, 1)),)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from text2math.mathematics.grammar import MAX_EQUATIONS, MAX_UNKNOWNS
from text2math.mathematics.rational import Polynomial
from text2math.mathematics.time_limit import TimeLimitError, within

MAX_DEGREE = 12  # in one unknown; real roots of a higher degree can take long to count
MAX_TOTAL_DEGREE = 6  # in several unknowns
MAX_SYSTEM_TERMS = 60  # of all the polynomials together, where they are not linear
MAX_COEFFICIENT_BITS = 256  # there too
MAX_LINEAR_UNKNOWNS = 40
SECONDS = 2.0  # that sympy may take

Row: TypeAlias = tuple[int, ...]  # the coefficients of the unknowns, then the constant


@dataclass(frozen=True, slots=True)
class RootSet:
    """What is known of the common real roots of some polynomials.

    ``points`` are the rational ones. They are all there are, unless there are infinitely many or a
    ``reason`` says why others are not known. ``fixed`` has the unknowns that still have a single value.
    """

    points: tuple[tuple[Fraction, ...], ...] = ()
    infinite: bool = False
    fixed: tuple[Fraction | None, ...] = ()
    reason: str = ""


_NOT_RATIONAL = "it has solutions that are not rational"
_NOT_DETERMINED = "it is not linear and does not determine its unknowns"


def common_roots(polynomials: Sequence[Polynomial], unknowns: int) -> RootSet:
    """The common roots of polynomials in so many unknowns."""
    given = [polynomial for polynomial in polynomials if polynomial]
    degree = max(map(total_degree, given), default=0)
    if unknowns > MAX_LINEAR_UNKNOWNS or len(given) > MAX_LINEAR_UNKNOWNS:
        return RootSet(reason=f"at most {MAX_LINEAR_UNKNOWNS} equations and unknowns are solved")
    if degree <= 1:
        return _linear_roots(echelon(row_of(polynomial, unknowns) for polynomial in given), unknowns)
    if unknowns == 1 and len(given) == 1:
        if degree > MAX_DEGREE:
            return RootSet(reason=f"its degree is {degree}; at most {MAX_DEGREE} is solved")
        roots, real = real_roots(given[0])
        reason = _NOT_RATIONAL if real > len(roots) else ""
        return RootSet(tuple((root,) for root in roots), reason=reason)
    return _nonlinear_roots(given, unknowns, degree)


def total_degree(polynomial: Polynomial) -> int:
    """The highest sum of exponents."""
    return max(map(sum, polynomial), default=0)


# ------------------------------------------------------------------------------------------------ linear


def row_of(polynomial: Polynomial, unknowns: int) -> Row:
    """The coefficients of a linear polynomial.

    >>> row_of({(1, 0): 2, (0, 0): -3}, 2)
    (2, 0, -3)
    """
    units = [tuple(int(at == column) for at in range(unknowns)) for column in range(unknowns)]
    return tuple(polynomial.get(monomial, 0) for monomial in (*units, (0,) * unknowns))


def echelon(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The reduced row echelon form in whole numbers without a common factor, rows of zeros left out.

    Systems with the same form have the same solutions.

    >>> echelon([(1, 1, -5), (1, -1, -1), (2, 2, -10)])
    ((1, 0, -3), (0, 1, -2))
    """
    left = [list(row) for row in rows]
    done: list[list[int]] = []
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        for row in (*left, *done):
            if row[column]:
                row[:] = _reduced(
                    [pivot[column] * own - row[column] * other for own, other in zip(row, pivot, strict=True)]
                )
        done.append(_reduced(pivot))
    return tuple(tuple(_reduced(row)) for row in done)


def _reduced(row: list[int]) -> list[int]:
    """The row divided by the greatest common divisor, its first number positive."""
    common = math.gcd(*row) or 1
    first = next((number for number in row if number), 1)
    return [number // (common if first > 0 else -common) for number in row]


def is_contradiction(form: Sequence[Row]) -> bool:
    """Whether a row of the form says that a number other than zero is zero."""
    return any(not any(row[:-1]) for row in form)


def _linear_roots(form: tuple[Row, ...], unknowns: int) -> RootSet:
    if is_contradiction(form):
        return RootSet()
    fixed: list[Fraction | None] = [None] * unknowns
    for row in form:
        places = [column for column, number in enumerate(row[:-1]) if number]
        if len(places) == 1:
            fixed[places[0]] = Fraction(-row[-1], row[places[0]])
    point = tuple(value for value in fixed if value is not None)
    return RootSet((point,)) if len(point) == unknowns else RootSet(infinite=True, fixed=tuple(fixed))


# -------------------------------------------------------------------------------------------- not linear


def real_roots(polynomial: Polynomial) -> tuple[list[Fraction], int]:
    """The distinct rational roots of a polynomial in one unknown, and how many distinct real ones it has."""
    from sympy import Poly, Symbol

    poly = Poly.from_dict(polynomial, Symbol("X"))
    roots = [Fraction(int(root.p), int(root.q)) for root in poly.ground_roots()]
    return roots, int(poly.sqf_part().count_roots())


def _nonlinear_roots(polynomials: list[Polynomial], unknowns: int, degree: int) -> RootSet:
    refusal = _NOT_DETERMINED if len(polynomials) < unknowns else _too_hard(polynomials, unknowns, degree)
    if refusal:
        return RootSet(reason=refusal)
    import sympy  # before the clock starts

    names = sympy.symbols([f"x{index}" for index in range(unknowns)])
    given = [sympy.Poly.from_dict(polynomial, *names) for polynomial in polynomials]
    try:
        return within(SECONDS, lambda: _by_basis(given, names))
    except TimeLimitError:
        return RootSet(reason=f"it takes more than {SECONDS:g} seconds to solve")


def _too_hard(polynomials: list[Polynomial], unknowns: int, degree: int) -> str:
    """Why these polynomials are not even tried, or nothing."""
    size = max(abs(number).bit_length() for polynomial in polynomials for number in polynomial.values())
    for what, amount, most in (
        ("unknowns", unknowns, MAX_UNKNOWNS),
        ("equations", len(polynomials), MAX_EQUATIONS),
        ("as its degree", degree, MAX_TOTAL_DEGREE),
        ("terms", sum(map(len, polynomials)), MAX_SYSTEM_TERMS),
        ("bits in a number", size, MAX_COEFFICIENT_BITS),
    ):
        if amount > most:
            return f"it is not linear and has {amount} {what}; at most {most} can be solved"
    return ""


def _by_basis(polynomials: list[Any], names: Sequence[Any]) -> RootSet:
    """The roots out of a Gröbner basis, which has a polynomial in the last unknown alone."""
    import sympy

    basis = sympy.groebner(polynomials, *names, order="lex")
    if basis.exprs == [1]:
        return RootSet()
    if not basis.is_zero_dimensional:
        return RootSet(reason=_NOT_DETERMINED)  # in complex numbers; there may be few real roots
    points, every = _rational_points(list(basis.exprs), list(names))
    return RootSet(tuple(sorted(points)), reason="" if every else _NOT_RATIONAL)


def _rational_points(basis: list[Any], names: list[Any]) -> tuple[list[tuple[Fraction, ...]], bool]:
    """The rational roots of a basis, from the last unknown on, and whether these are all the real ones."""
    import sympy

    if not names:
        return [()], True
    *others, last = names
    alone = [sympy.Poly(one, last) for one in basis if one.free_symbols == {last}]
    if not alone:  # impossible: the basis has finitely many roots
        return [], False
    shared = alone[0]
    for poly in alone[1:]:
        shared = shared.gcd(poly)
    roots = sorted(shared.ground_roots())
    every = shared.is_zero is False and shared.sqf_part().count_roots() == len(roots)
    points: list[tuple[Fraction, ...]] = []
    for root in roots:
        rest = [sympy.expand(one.subs(last, root)) for one in basis]
        rest = [one for one in rest if one != 0]
        if any(one.is_number for one in rest):
            continue
        before, complete = _rational_points(rest, others)
        every &= complete
        points += [(*point, Fraction(int(root.p), int(root.q))) for point in before]
    return points, every

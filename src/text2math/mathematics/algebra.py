"""Exact algebra on expressions: their value, the solution of an equation, equivalence.

>>> from text2math.mathematics.notation import from_infix
>>> evaluate(from_infix("7 + (3 + 6)"))
Fraction(16, 1)
>>> equivalent(from_infix("3*X1 = 5*X2 - 11"), from_infix("5*X1 = 3*X2 + 11"))
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import Any, TypeAlias

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
    kept_value,
    sort_of,
    variables,
)
from text2math.mathematics.grammar import Sort
from text2math.mathematics.rational import (
    MAX_BITS,
    NotAlgebraicError,
    Polynomial,
    RationalFunction,
    TooLargeError,
    bits,
    divided,
    rational_function,
)
from text2math.mathematics.rewriting import renamed
from text2math.mathematics.systems import common_roots, echelon, is_contradiction, row_of, total_degree

MAX_MATCHING = 1_000_000  # terms looked at in the search for unknowns that match
MAX_MATCHED = 40  # unknowns of expressions that are matched; with more, only in their order
MAX_RENAMED = 4  # unknowns of a canonical form, which tries every order of them


# ------------------------------------------------------------------------------------------------ values


def evaluate(expression: Expression, values: Mapping[Variable, Fraction] | None = None) -> Fraction | None:
    """The exact value. None for a statement, a division by zero, an unknown, or a value over MAX_BITS.

    >>> from text2math.mathematics.notation import from_infix
    >>> evaluate(from_infix("1 / (2 - 2)")) is None
    True
    >>> evaluate(from_infix("2 * x + 1"), {Variable(1): Fraction(1, 4)})
    Fraction(3, 2)
    """
    found = quick_value(expression, values)
    return None if found is None else Fraction(found)


def quick_value(
    expression: Expression, values: Mapping[Variable, Fraction] | None = None
) -> Fraction | int | None:
    """The same, as an integer where that is quicker to make and to compare."""
    if not values and depth(expression) < _SHALLOW:
        return _value_of(expression)
    known = values or {}
    return fold(
        expression, lambda leaf: _bounded(leaf.value if isinstance(leaf, Number) else known.get(leaf)), _apply
    )


def _value_of(expression: Expression) -> Fraction | int | None:
    """The value of an expression that is not too deep for recursion."""
    if isinstance(expression, Operation):
        return kept_value(expression, _applied)
    return _bounded(expression.value) if isinstance(expression, Number) else None


def _applied(operation: Operation) -> Fraction | int | None:
    return _apply(operation.operator, _value_of(operation.left), _value_of(operation.right))


def _bounded(value: Fraction | None) -> Fraction | int | None:
    """A value, as an integer if it is one; None if it is too large."""
    if value is None:
        return None
    top, bottom = value.as_integer_ratio()
    if bottom == 1 and -_SMALL < top < _SMALL:  # as most are
        return top
    if max(top.bit_length(), bottom.bit_length()) > MAX_BITS:
        return None
    return top if bottom == 1 else value


# What is whole when its operands are. Integers are many times faster than fractions.
_STAYS_WHOLE = frozenset((Operator.ADD, Operator.SUB, Operator.MUL))
_SHALLOW = 100  # operations above each other, which recursion is safe for
_SMALL = 1 << 64  # far below MAX_BITS, and quicker to compare with than to count bits


def _apply(
    operator: Operator, left: Fraction | int | None, right: Fraction | int | None
) -> Fraction | int | None:
    function = operator.entry.evaluate
    if (
        type(left) is type(right) is int
        and operator in _STAYS_WHOLE
        and -_SMALL < left < _SMALL
        and -_SMALL < right < _SMALL
    ):  # as most are
        return function(left, right)  # type: ignore[misc, arg-type]  # these take integers too
    # A result has at most one bit more than both operands together, so huge results are never computed.
    if function is None or left is None or right is None or bits(left) + bits(right) >= MAX_BITS:
        return None
    if operator in _STAYS_WHOLE:
        return function(left, right)  # type: ignore[arg-type]  # these take integers too
    if operator is Operator.DIV and type(left) is type(right) is int and right and not left % right:
        return left // right
    return function(Fraction(left), Fraction(right))


# ------------------------------------------------------------------------------------------- equivalence


def equivalent(first: Expression, second: Expression) -> bool:
    """Whether two expressions are the same function, or two equations say the same.

    Exact, up to the names of the unknowns; quantities do not matter. Equations are the same when one
    becomes the other by scaling, moving terms across ``=`` and clearing denominators; systems are the same
    when they have the same solutions, as far as these can be found. What divides by
    zero is equivalent to nothing, and what is too large to compute with only to the same tree.

    >>> from text2math.mathematics.notation import from_infix
    >>> equivalent(from_infix("X1 / X2 = 5 / 3"), from_infix("3 * X1 = 5 * X2"))
    True
    >>> equivalent(from_infix("X1 = 150"), from_infix("X1 + X2 = 150"))
    False
    """
    if (sort_of(first) is Sort.VALUE) != (sort_of(second) is Sort.VALUE):
        return False
    if is_system(first) or is_system(second):
        return _same_system(first, second)
    try:
        one = rational_function(first, variables(first))
        other = rational_function(second, variables(second))
    except TooLargeError:
        return first == second
    except NotAlgebraicError:
        return _same_operation(first, second)
    if one is None or other is None:
        return False
    if is_equation(first):
        one, other = _statement(one.top), _statement(other.top)
    return _same_up_to_names(one, other)


def canonical_form(expression: Expression) -> object | None:
    """A key that two expressions share where they are equivalent, and only there.

    None for what has no such key: it divides by zero, is too large to compute with, has more than
    MAX_RENAMED unknowns, or an operator that is not algebraic. Systems that are not linear may have the same
    solutions and still not share their key.

    >>> from text2math.mathematics.notation import from_infix
    >>> canonical_form(from_infix("X1 / X2 = 5 / 3")) == canonical_form(from_infix("3 * X2 = 5 * X1"))
    True
    """
    try:
        if is_system(expression):
            form = _system_form(expression)
            return None if form is None else ("system", form)
        quotient = rational_function(expression, variables(expression))
    except (TooLargeError, NotAlgebraicError):
        return None
    if quotient is None:
        return None
    if is_equation(expression):
        quotient = _statement(quotient.top)
    terms = _terms(quotient, 1)
    unknowns = range(len(variables(expression)))
    occurring = [column for column in unknowns if any(monomial[column] for _, _, monomial in terms)]
    if len(occurring) > MAX_RENAMED:
        return None
    forms = (
        _projected(_terms(quotient, sign), order) for sign in (1, -1) for order in permutations(occurring)
    )
    return is_equation(expression), tuple(min(forms))


def _same_system(first: Expression, second: Expression) -> bool:
    """Whether two systems have the same solutions, up to the names of the unknowns."""
    try:
        one, other = _polynomials(first), _polynomials(second)
    except (TooLargeError, NotAlgebraicError):
        return first == second
    count = len(variables(first))
    if one is None or other is None or count != len(variables(second)):
        return False
    orders = [tuple(map(variables(first).index, order)) for order in _orders(variables(first))]
    here = _canonical(one, count)
    if any(_canonical([_reordered(top, order) for top in other], count) == here for order in orders):
        return True
    found, sought = solution(first), solution(second)
    if found.status is not sought.status or found.status not in (Status.UNIQUE, Status.SEVERAL):
        return False
    return len(found.points) == len(sought.points) and any(
        {tuple(point[name] for name in order) for point in found.points} == set(sought.points)
        for order in orders
    )


def _polynomials(expression: Expression) -> list[Polynomial] | None:
    """The polynomials that the equations set to zero, without identities; None where one divides by zero."""
    unknowns = variables(expression)
    functions = [rational_function(equation, unknowns) for equation in equations(expression)]
    if None in functions:
        return None
    return [function.top for function in functions if function]


def _reordered(polynomial: Polynomial, order: tuple[int, ...]) -> Polynomial:
    return {tuple(monomial[name] for name in order): value for monomial, value in polynomial.items()}


def _system_form(expression: Expression) -> _Form | None:
    """The smallest canonical form of a system under any names of its unknowns."""
    polynomials, unknowns = _polynomials(expression), variables(expression)
    if polynomials is None or len(unknowns) > MAX_RENAMED:
        return None
    return min(
        _canonical([_reordered(polynomial, order) for polynomial in polynomials], len(unknowns))
        for order in permutations(range(len(unknowns)))
    )


# Whether the rows are those of an echelon form, then the rows, or each equation's sorted terms.
_Form: TypeAlias = tuple[bool, tuple[Any, ...]]


def _canonical(polynomials: list[Polynomial], unknowns: int) -> _Form:
    """The same for any two systems of which one becomes the other by linear steps.

    Contradictions, which all have the same solutions, and what is not linear are the set of equations.
    """
    if all(total_degree(polynomial) <= 1 for polynomial in polynomials):
        form = echelon(row_of(polynomial, unknowns) for polynomial in polynomials)
        if not is_contradiction(form):
            return True, form
    terms = {tuple(sorted(_with_positive_lead(polynomial).items())) for polynomial in polynomials}
    return False, tuple(sorted(terms))


def _with_positive_lead(polynomial: Polynomial) -> Polynomial:
    """The polynomial without a common factor, the coefficient of its highest monomial positive."""
    content = math.gcd(*polynomial.values())
    return divided(polynomial, content if polynomial[max(polynomial)] > 0 else -content)


def _same_operation(first: Expression, second: Expression) -> bool:
    """Whether both are the same operation, which is not algebraic, on equivalent operands."""
    if not (isinstance(first, Operation) and isinstance(second, Operation)) or (
        first.operator is not second.operator
    ):
        return False
    inside = first.operator.function_of
    if inside is not None:
        return equivalent(*(Operation(inside, one.left, one.right) for one in (first, second)))
    unknowns, names = variables(first), variables(second)
    if len(unknowns) != len(names):
        return False
    sides = [(second.left, second.right)]
    if first.operator.commutative:
        sides.append((second.right, second.left))
    mappings = [
        {name.index: unknown.index for name, unknown in zip(names, order, strict=True)}
        for order in _orders(unknowns)
    ]
    # Both operands at once, so that no unknown has two names.
    return any(
        _identical(first.left, renamed(left, mapping), unknowns)
        and _identical(first.right, renamed(right, mapping), unknowns)
        for mapping in mappings
        for left, right in sides
    )


def _orders(unknowns: tuple[Variable, ...]) -> Iterator[tuple[Variable, ...]]:
    """The orders of some unknowns in which others may match them."""
    return permutations(unknowns) if len(unknowns) <= MAX_RENAMED else iter((unknowns,))


def _identical(first: Expression, second: Expression, unknowns: tuple[Variable, ...]) -> bool:
    """Whether two values are the same function of the same unknowns."""
    try:
        difference = rational_function(Operation(Operator.SUB, first, second), unknowns)
    except (TooLargeError, NotAlgebraicError, ValueError):
        return first == second
    return difference is not None and not difference


def _statement(top: Polynomial) -> RationalFunction:
    """What the equation ``top = 0`` says, whatever its scale."""
    content = math.gcd(*top.values())
    return RationalFunction(divided(top, content), {})


# A term: 0 for the numerator or 1 for the denominator, the coefficient, the exponents.
_Term: TypeAlias = tuple[int, int, tuple[int, ...]]


def _same_up_to_names(first: RationalFunction, second: RationalFunction) -> bool:
    """Whether some renaming of the unknowns, and perhaps a change of both signs, makes them equal."""
    if len(first.top) != len(second.top) or len(first.bottom) != len(second.bottom):
        return False
    there = _terms(second, 1)
    return any(_renaming_exists(_terms(first, sign), there) for sign in (1, -1))


def _terms(quotient: RationalFunction, sign: int) -> list[_Term]:
    polynomials = enumerate((quotient.top, quotient.bottom))
    return [
        (part, sign * value, monomial) for part, terms in polynomials for monomial, value in terms.items()
    ]


def _renaming_exists(here: list[_Term], there: list[_Term]) -> bool:
    """Whether the unknowns here can be ordered so that the terms are those there.

    A search that adds one unknown at a time, from those that occur in the same way, and goes on only
    while the terms agree in the unknowns so far.
    """
    if _projected(here, ()) != _projected(there, ()):
        return False
    roles, wanted = _roles(here), _roles(there)
    if {role: len(same) for role, same in roles.items()} != {
        role: len(same) for role, same in wanted.items()
    }:
        return False
    if len(there[0][2] if there else ()) > MAX_MATCHED:
        return sorted(here) == sorted(there)
    choices = [(column, roles[role]) for role, columns in wanted.items() for column in columns]
    fixed = tuple(column for column, _ in choices)
    targets = [_projected(there, fixed[: count + 1]) for count in range(len(fixed))]
    order: tuple[int, ...] = ()
    untried = [iter(choices[0][1])] if choices else []
    for _ in range(MAX_MATCHING // max(len(here), 1)):
        if len(order) == len(fixed):
            return True
        column = next(untried[-1], None)
        if column is None:
            untried.pop()
            if not untried:
                return False
            order = order[:-1]
        elif column not in order and _projected(here, (*order, column)) == targets[len(order)]:
            order = (*order, column)
            if len(order) < len(fixed):
                untried.append(iter(choices[len(order)][1]))
    return False


def _projected(terms: list[_Term], columns: tuple[int, ...]) -> list[_Term]:
    """The terms with only these unknowns, in a fixed order."""
    return sorted([(part, value, tuple([monomial[c] for c in columns])) for part, value, monomial in terms])


def _roles(terms: list[_Term]) -> dict[object, list[int]]:
    """The unknowns that occur, by how: coefficient, own exponent and degree of every term."""
    roles: dict[object, list[int]] = {}
    for column in range(len(terms[0][2]) if terms else 0):
        if any(monomial[column] for _, _, monomial in terms):
            role = sorted([(part, value, exps[column], sum(exps)) for part, value, exps in terms])
            roles.setdefault(tuple(role), []).append(column)
    return roles


# ----------------------------------------------------------------------------------------------- solving


class Status(StrEnum):
    """How many solutions in real numbers an equation or a system has."""

    UNIQUE = "one solution"
    SEVERAL = "several solutions"
    INFINITE = "infinitely many solutions"
    NONE = "no solution"
    UNSOLVED = "not solved"


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of solving: exact values, or the reason why there are none.

    ``points`` are the solutions, each with the values of ``unknowns`` in their order: one, several, or none.
    Where there are infinitely many, ``fixed`` has the unknowns that still have a single value.
    """

    status: Status
    unknowns: tuple[Variable, ...] = ()
    points: tuple[tuple[Fraction, ...], ...] = ()
    fixed: tuple[tuple[Variable, Fraction], ...] = ()
    reason: str = ""  # why it was not solved

    @property
    def values(self) -> dict[Variable, Fraction]:
        """The unknowns whose value is determined: all of them where there is one solution."""
        if self.status is Status.UNIQUE:
            return dict(zip(self.unknowns, self.points[0], strict=True))
        return dict(self.fixed)


def solve(equation: Expression) -> dict[Variable, Fraction] | None:
    """The value of every unknown where an equation or a system determines them: its one real solution.

    >>> from text2math.mathematics.notation import from_infix
    >>> solve(from_infix("X1 - 0.007 * X1 = 993"))
    {Variable(index=1): Fraction(1000, 1)}
    >>> solve(from_infix("X1 + X2 = 150")) is None
    True
    """
    found = solution(equation)
    return found.values if found.status is Status.UNIQUE else None


@lru_cache(maxsize=64)
def solution(expression: Expression) -> Solution:
    """The real solutions of an equation or a system, as far as they are rational.

    Linear systems are solved by exact elimination whatever their numbers; others within limits of size
    and time, and what is beyond them, or has irrational solutions, is not solved.

    >>> from text2math.mathematics.notation import from_infix
    >>> solution(from_infix("4 * X1 + 6 * X2 = 2876; X1 + X2 = 525")).points
    ((Fraction(137, 1), Fraction(388, 1)),)
    >>> print(solution(from_infix("X1 + X2 = 1; X1 + X2 = 2")).status)
    no solution
    >>> solution(from_infix("X1 * X1 = 2")).reason
    'it has solutions that are not rational'
    """
    if sort_of(expression) is Sort.VALUE:
        raise ValueError("only an equation can be solved; evaluate an expression instead")
    unknowns, given = variables(expression), equations(expression)
    try:
        functions = [rational_function(equation, unknowns) for equation in given]
    except (TooLargeError, NotAlgebraicError) as error:
        return Solution(Status.UNSOLVED, unknowns, reason=str(error) or "it is too large")
    tops = [function.top for function in functions if function is not None]
    if len(tops) < len(functions):
        return Solution(Status.NONE, unknowns)  # it divides by zero
    roots = common_roots(tops, len(unknowns))
    # Clearing denominators adds roots at which an equation is not defined.
    points = tuple(
        point
        for point in roots.points
        if all(_holds(equation, dict(zip(unknowns, point, strict=True))) for equation in given)
    )
    if roots.infinite:
        fixed = zip(unknowns, roots.fixed, strict=True)
        known = tuple((unknown, value) for unknown, value in fixed if value is not None)
        return Solution(Status.INFINITE, unknowns, fixed=known)
    if roots.reason:
        return Solution(Status.UNSOLVED, unknowns, reason=roots.reason)
    status = (Status.NONE, Status.UNIQUE)[len(points)] if len(points) < 2 else Status.SEVERAL
    return Solution(status, unknowns, points)


def why_undetermined(expression: Expression) -> str:
    """Why an equation or a system does not determine its unknowns; empty where it does.

    >>> from text2math.mathematics.notation import from_infix
    >>> why_undetermined(from_infix("X1 + X2 = 1; X1 + X2 = 2"))
    'the equations have no solution'
    >>> why_undetermined(from_infix("X1 * X1 = 4"))
    'the equation has several solutions: X1 = -2, or X1 = 2'
    """
    found = solution(expression)
    which = "the equations have" if len(equations(expression)) > 1 else "the equation has"
    match found.status:
        case Status.UNIQUE:
            return ""
        case Status.SEVERAL:
            points = [_point(found.unknowns, one) for one in sorted(found.points)]
            return f"{which} {found.status}: {', or '.join(points)}"
        case Status.UNSOLVED:
            return f"{which.rsplit(' ', 1)[0]} can't be solved: {found.reason}"
    return f"{which} {found.status}"


def _point(unknowns: tuple[Variable, ...], values: tuple[Fraction, ...]) -> str:
    return ", ".join(f"{unknown.name} = {value}" for unknown, value in zip(unknowns, values, strict=True))


def answer_of(expression: Expression) -> Fraction | None:
    """The value of an expression, or the solution of an equation or a system with one unknown.

    >>> from text2math.mathematics.notation import from_infix
    >>> answer_of(from_infix("3 * X1 + 1 = 16"))
    Fraction(5, 1)
    """
    if sort_of(expression) is Sort.VALUE:
        return evaluate(expression)
    found = solve(expression) or {}
    return next(iter(found.values())) if len(found) == 1 else None


def _holds(equation: Operation, values: Mapping[Variable, Fraction]) -> bool:
    """Whether both sides of the equation have the same value."""
    left, right = evaluate(equation.left, values), evaluate(equation.right, values)
    return left is not None and left == right

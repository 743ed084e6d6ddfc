"""Exact algebra on expressions: their value, the solution of an equation, equivalence.

>>> from text2math.mathematics.notation import from_infix
>>> evaluate(from_infix("7 + (3 + 6)"))
Fraction(16, 1)
>>> equivalent(from_infix("3*X1 = 5*X2 - 11"), from_infix("5*X1 = 3*X2 + 11"))
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    is_equation,
    sort_of,
    variables,
)
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

MAX_MATCHING = 1_000_000  # terms looked at in the search for unknowns that match
MAX_MATCHED = 40  # unknowns of expressions that are matched; with more, only in their order
MAX_RENAMED = 4  # unknowns of a canonical form, which tries every order of them
MAX_DEGREE = 12  # of an equation that is solved; real roots of a higher one can take long to count


# ------------------------------------------------------------------------------------------------ values


def evaluate(expression: Expression, values: Mapping[Variable, Fraction] | None = None) -> Fraction | None:
    """The exact value, or None: a statement, a division by zero, an unknown without a value, over MAX_BITS.

    >>> from text2math.mathematics.notation import from_infix
    >>> evaluate(from_infix("1 / (2 - 2)")) is None
    True
    >>> evaluate(from_infix("2 * x + 1"), {Variable(1): Fraction(1, 4)})
    Fraction(3, 2)
    """
    known = values or {}

    def leaf(node: Number | Variable) -> Fraction | None:
        value = node.value if isinstance(node, Number) else known.get(node)
        return value if value is not None and bits(value) <= MAX_BITS else None

    return fold(expression, leaf, _apply)


def _apply(operator: Operator, left: Fraction | None, right: Fraction | None) -> Fraction | None:
    # No result has more bits than both operands together and one, so huge ones are never computed.
    function = operator.entry.evaluate
    if function is None or left is None or right is None or bits(left) + bits(right) >= MAX_BITS:
        return None
    return function(left, right)


# ------------------------------------------------------------------------------------------- equivalence


def equivalent(first: Expression, second: Expression) -> bool:
    """Whether two expressions are the same function, or two equations say the same.

    Exact, up to the names of the unknowns; quantities do not matter. Equations are the same when one
    becomes the other by scaling, moving terms across ``=`` and clearing denominators. What divides by
    zero is equivalent to nothing, and what is too large to compute with only to the same tree.

    >>> from text2math.mathematics.notation import from_infix
    >>> equivalent(from_infix("X1 / X2 = 5 / 3"), from_infix("3 * X1 = 5 * X2"))
    True
    >>> equivalent(from_infix("X1 = 150"), from_infix("X1 + X2 = 150"))
    False
    """
    if sort_of(first) is not sort_of(second):
        return False
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
    MAX_RENAMED unknowns, or an operator that is not algebraic.

    >>> from text2math.mathematics.notation import from_infix
    >>> canonical_form(from_infix("X1 / X2 = 5 / 3")) == canonical_form(from_infix("3 * X2 = 5 * X1"))
    True
    """
    try:
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


def _same_operation(first: Expression, second: Expression) -> bool:
    """Whether both are the same operation, which is not algebraic, on equivalent operands."""
    if not (isinstance(first, Operation) and isinstance(second, Operation)) or (
        first.operator is not second.operator
    ):
        return False
    inside = first.operator.function_of
    if inside is not None:
        return equivalent(*(Operation(inside, one.left, one.right) for one in (first, second)))
    # Each operand alone would let an unknown have two names.
    if variables(first) or variables(second):
        return first == second
    pairs = [((first.left, second.left), (first.right, second.right))]
    if first.operator.commutative:
        pairs.append(((first.left, second.right), (first.right, second.left)))
    return any(equivalent(*one) and equivalent(*other) for one, other in pairs)


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


def solve(equation: Expression) -> dict[Variable, Fraction] | None:
    """The value of every unknown where the equation determines them: its one real solution, if rational.

    >>> from text2math.mathematics.notation import from_infix
    >>> solve(from_infix("X1 - 0.007 * X1 = 993"))
    {Variable(index=1): Fraction(1000, 1)}
    >>> solve(from_infix("X1 + X2 = 150")) is None
    True
    """
    if not is_equation(equation):
        raise ValueError("only an equation can be solved; evaluate an expression instead")
    unknowns = variables(equation)
    if len(unknowns) > 1:
        return None
    try:
        quotient = rational_function(equation, unknowns)
    except (TooLargeError, NotAlgebraicError):
        return None
    if quotient is None:
        return None
    if not unknowns:
        return None if quotient.top else {}
    root = _only_root(quotient.top, equation, unknowns[0])
    return None if root is None else {unknowns[0]: root}


def answer_of(expression: Expression) -> Fraction | None:
    """The value of an expression, or the solution of an equation with one unknown.

    >>> from text2math.mathematics.notation import from_infix
    >>> answer_of(from_infix("3 * X1 + 1 = 16"))
    Fraction(5, 1)
    """
    if not is_equation(expression):
        return evaluate(expression)
    found = solve(expression) or {}
    return next(iter(found.values())) if len(found) == 1 else None


def _only_root(polynomial: Polynomial, equation: Expression, unknown: Variable) -> Fraction | None:
    """The one real root at which the equation is defined, if it is rational."""
    degree = max((exponent for (exponent,) in polynomial), default=0)
    if not 1 <= degree <= MAX_DEGREE:
        return None
    if degree == 1:
        roots = [Fraction(-polynomial.get((0,), 0), polynomial[1,])]
        count = 1
    else:
        roots, count = _real_roots(polynomial)
    holding = [root for root in roots if _holds(equation, {unknown: root})]
    return holding[0] if len(holding) == 1 == count - len(roots) + len(holding) else None


def _real_roots(polynomial: Polynomial) -> tuple[list[Fraction], int]:
    """The distinct rational roots, and how many distinct real ones there are."""
    from sympy import Poly, Symbol

    poly = Poly.from_dict(polynomial, Symbol("X"))
    roots = [Fraction(int(root.p), int(root.q)) for root in poly.ground_roots()]
    return roots, int(poly.sqf_part().count_roots())


def _holds(equation: Expression, values: Mapping[Variable, Fraction]) -> bool:
    """Whether both sides of the equation have the same value."""
    assert isinstance(equation, Operation)
    left, right = evaluate(equation.left, values), evaluate(equation.right, values)
    return left is not None and left == right

"""Exact algebra on expressions: their value, the solution of an equation, equivalence, equivalent trees.

>>> from text2math.mathematics.notation import from_infix
>>> evaluate(from_infix("7 + (3 + 6)"))
Fraction(16, 1)
>>> equivalent(from_infix("3*X1 = 5*X2 - 11"), from_infix("5*X1 = 3*X2 + 11"))
True
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice, permutations, product
from typing import TypeAlias

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    is_equation,
    leaves,
    variables,
)

MAX_BITS = 16_384  # of a numerator or denominator; a larger value is no answer
MAX_TERMS = 20_000  # of a product of two polynomials; what needs more is not compared
MAX_MATCHING = 1_000_000  # terms looked at in the search for unknowns that match
MAX_UNKNOWNS = 40  # of expressions whose unknowns are matched; with more, only in their order
MAX_RENAMED = 4  # unknowns of a canonical form, which tries every order of them
MAX_DEGREE = 12  # of an equation that is solved; real roots of a higher one can take long to count
MAX_LEAVES = 100  # of an expression whose equivalent trees are listed


# ------------------------------------------------------------------------------------------------ values


def evaluate(expression: Expression, values: Mapping[Variable, Fraction] | None = None) -> Fraction | None:
    """The exact value, or None: a division by zero, an unknown without a value, more than MAX_BITS.

    >>> from text2math.mathematics.notation import from_infix
    >>> evaluate(from_infix("1 / (2 - 2)")) is None
    True
    >>> evaluate(from_infix("2 * x + 1"), {Variable(1): Fraction(1, 4)})
    Fraction(3, 2)
    """
    if is_equation(expression):
        return None
    known = values or {}

    def leaf(node: Number | Variable) -> Fraction | None:
        value = node.value if isinstance(node, Number) else known.get(node)
        return value if value is not None and _bits(value) <= MAX_BITS else None

    return fold(expression, leaf, _apply)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _apply(operator: Operator, left: Fraction | None, right: Fraction | None) -> Fraction | None:
    # No result has more bits than both operands together and one, so huge ones are never computed.
    if left is None or right is None or _bits(left) + _bits(right) >= MAX_BITS:
        return None
    match operator:
        case Operator.ADD:
            return left + right
        case Operator.SUB:
            return left - right
        case Operator.SUBR:
            return right - left
        case Operator.MUL:
            return left * right
        case Operator.DIV:
            return left / right if right else None
        case Operator.DIVR:
            return right / left if left else None
        case Operator.EQU:
            raise ValueError("an equation has no value; solve it instead")


# ------------------------------------------------------------------------- polynomials, rational functions

# A polynomial: the integer coefficient (never 0) of each monomial, a tuple of one exponent an unknown.
_Polynomial: TypeAlias = dict[tuple[int, ...], int]


class _TooLargeError(Exception):
    """A polynomial has more terms, or larger coefficients, than we compute with."""


def _plus(first: _Polynomial, second: _Polynomial, factor: int = 1) -> _Polynomial:
    """first + factor · second."""
    result = dict(first)
    for monomial, coefficient in second.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return result


def _times(first: _Polynomial, second: _Polynomial) -> _Polynomial:
    if len(first) * len(second) > MAX_TERMS:
        raise _TooLargeError
    result: _Polynomial = {}
    for one, a in first.items():
        for other, b in second.items():
            if a.bit_length() + b.bit_length() > MAX_BITS:
                raise _TooLargeError
            monomial = tuple(map(int.__add__, one, other))
            result[monomial] = result.get(monomial, 0) + a * b
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient}


@dataclass(frozen=True, slots=True)
class _Quotient:
    """A rational function: one polynomial over another (not zero)."""

    top: _Polynomial
    bottom: _Polynomial

    def plus(self, other: _Quotient, factor: int = 1) -> _Quotient:
        """self + factor · other."""
        if self.bottom == other.bottom:
            return _Quotient(_plus(self.top, other.top, factor), self.bottom)
        top = _plus(_times(self.top, other.bottom), _times(other.top, self.bottom), factor)
        return _Quotient(top, _times(self.bottom, other.bottom))

    def times(self, other: _Quotient) -> _Quotient:
        """self · other."""
        return _Quotient(_times(self.top, other.top), _times(self.bottom, other.bottom))

    def over(self, other: _Quotient) -> _Quotient | None:
        """self / other, or None for a division by zero."""
        if not other.top:
            return None
        return _Quotient(_times(self.top, other.bottom), _times(self.bottom, other.top))


def _combine(operator: Operator, left: _Quotient | None, right: _Quotient | None) -> _Quotient | None:
    if left is None or right is None:
        return None
    match operator:
        case Operator.ADD:
            return left.plus(right)
        case Operator.SUB | Operator.EQU:  # a = b says that a - b is zero
            return left.plus(right, -1)
        case Operator.SUBR:
            return right.plus(left, -1)
        case Operator.MUL:
            return left.times(right)
        case Operator.DIV:
            return left.over(right)
        case Operator.DIVR:
            return right.over(left)


def _quotient(expression: Expression, unknowns: tuple[Variable, ...]) -> _Quotient | None:
    """The rational function in lowest terms (left minus right for an equation); None where undefined."""
    constant = (0,) * len(unknowns)
    one = {constant: 1}

    def leaf(node: Number | Variable) -> _Quotient:
        if isinstance(node, Variable):
            return _Quotient({tuple(int(node == unknown) for unknown in unknowns): 1}, one)
        if _bits(node.value) > MAX_BITS:
            raise _TooLargeError
        top, bottom = node.value.numerator, node.value.denominator
        return _Quotient({constant: top} if top else {}, {constant: bottom})

    quotient = fold(expression, leaf, _combine)
    return None if quotient is None else _lowest_terms(quotient)


def _lowest_terms(quotient: _Quotient) -> _Quotient:
    """The same function without a common factor, numeric or not."""
    top, bottom = quotient.top, quotient.bottom
    if not top:
        return _Quotient({}, {(0,) * len(next(iter(bottom))): 1})
    if any(chain.from_iterable(bottom)):
        shared = tuple(map(min, zip(*top, *bottom, strict=True)))
        top, bottom = _shifted(top, shared), _shifted(bottom, shared)
        if len(top) > 1 and len(bottom) > 1:
            top, bottom = _cancelled(top, bottom)
    content = math.gcd(*top.values(), *bottom.values())
    return _Quotient(_divided(top, content), _divided(bottom, content))


def _shifted(polynomial: _Polynomial, shared: tuple[int, ...]) -> _Polynomial:
    """The polynomial divided by a monomial."""
    return {tuple(map(int.__sub__, monomial, shared)): value for monomial, value in polynomial.items()}


def _divided(polynomial: _Polynomial, factor: int) -> _Polynomial:
    return {monomial: value // factor for monomial, value in polynomial.items()}


def _cancelled(top: _Polynomial, bottom: _Polynomial) -> tuple[_Polynomial, _Polynomial]:
    """Both divided by their greatest common divisor, which sympy finds."""
    from sympy import ZZ
    from sympy.polys.rings import ring

    # More unknowns or terms than these could keep the general algorithm busy for minutes.
    names = [f"x{index}" for index in range(len(next(iter(top))))]
    if len(top) * len(bottom) > MAX_TERMS:
        raise _TooLargeError
    domain = ring(names, ZZ)[0]
    _, top_left, bottom_left = domain.from_dict(top).cofactors(domain.from_dict(bottom))
    return (
        {tuple(monomial): int(value) for monomial, value in top_left.items()},
        {tuple(monomial): int(value) for monomial, value in bottom_left.items()},
    )


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
    if is_equation(first) != is_equation(second):
        return False
    try:
        one = _quotient(first, variables(first))
        other = _quotient(second, variables(second))
    except _TooLargeError:
        return first == second
    if one is None or other is None:
        return False
    if is_equation(first):
        one, other = _statement(one.top), _statement(other.top)
    return _same_up_to_names(one, other)


def canonical_form(expression: Expression) -> object | None:
    """A key that two expressions share where they are equivalent, and only there.

    None for what has no such key: it divides by zero, is too large to compute with, or has more than
    MAX_RENAMED unknowns.

    >>> from text2math.mathematics.notation import from_infix
    >>> canonical_form(from_infix("X1 / X2 = 5 / 3")) == canonical_form(from_infix("3 * X2 = 5 * X1"))
    True
    """
    try:
        quotient = _quotient(expression, variables(expression))
    except _TooLargeError:
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


def _statement(top: _Polynomial) -> _Quotient:
    """What the equation ``top = 0`` says, whatever its scale."""
    content = math.gcd(*top.values())
    return _Quotient(_divided(top, content), {})


# A term: 0 for the numerator or 1 for the denominator, the coefficient, the exponents.
_Term: TypeAlias = tuple[int, int, tuple[int, ...]]


def _same_up_to_names(first: _Quotient, second: _Quotient) -> bool:
    """Whether some renaming of the unknowns, and perhaps a change of both signs, makes them equal."""
    if len(first.top) != len(second.top) or len(first.bottom) != len(second.bottom):
        return False
    there = _terms(second, 1)
    return any(_renaming_exists(_terms(first, sign), there) for sign in (1, -1))


def _terms(quotient: _Quotient, sign: int) -> list[_Term]:
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
    if len(there[0][2] if there else ()) > MAX_UNKNOWNS:
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
        quotient = _quotient(equation, unknowns)
    except _TooLargeError:
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


def _only_root(polynomial: _Polynomial, equation: Expression, unknown: Variable) -> Fraction | None:
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


def _real_roots(polynomial: _Polynomial) -> tuple[list[Fraction], int]:
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


# -------------------------------------------------------------------------------------- equivalent trees

# A sum as signed terms, or a product as factors to the power of 1 or -1: how often each (part, sign) stands
# in it. A part is a number into _Parts. The operator is None for one part alone.
_Items: TypeAlias = tuple[tuple[tuple[int, int], int], ...]
_Flat: TypeAlias = tuple[Operator | None, _Items]


def equivalent_trees(expression: Expression, limit: int = 10_000) -> Iterator[Expression]:
    """Every distinct tree over the same leaves that regrouping and reordering leads to, at most ``limit``.

    Sums and differences regroup among themselves, products and quotients too, and the sides of an
    equation swap; nothing is distributed. The expression itself comes first; the order is always the
    same. An expression of more than MAX_LEAVES leaves comes alone.

    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> [to_infix(tree) for tree in equivalent_trees(from_infix("7 - (3 - 6)"), limit=4)]
    ['7 - (3 - 6)', '6 + 7 - 3', '7 + 6 - 3', '6 - 3 + 7']
    """
    return islice(_expression_first(expression), limit)


def _expression_first(expression: Expression) -> Iterator[Expression]:
    yield expression
    if sum(1 for _ in leaves(expression)) <= MAX_LEAVES:
        yield from (tree for tree in _regrouped(expression) if tree != expression)


def _regrouped(expression: Expression) -> Iterator[Expression]:
    """Every tree, the expression's own somewhere among them."""
    parts = _Parts()
    if not (isinstance(expression, Operation) and is_equation(expression)):
        yield from parts.trees(parts.flatten(expression))
        return
    left, right = parts.flatten(expression.left), parts.flatten(expression.right)
    for first, second in ((left, right), (right, left))[: 1 if left == right else 2]:
        for one in parts.trees(first):
            for other in parts.trees(second):
                yield Operation(Operator.EQU, one, other)


class _Parts:
    """The parts of an expression, numbered so that equal ones (up to regrouping) have the same number.

    That is why no tree comes twice: splits differ in what they hold, so their trees differ.
    """

    def __init__(self) -> None:
        self.numbers: dict[Number | Variable | _Flat, int] = {}
        self.parts: list[Number | Variable | _Flat] = []
        self.zeros: dict[int, bool] = {}

    def number(self, part: Number | Variable | _Flat) -> int:
        if part not in self.numbers:
            self.numbers[part] = len(self.parts)
            self.parts.append(part)
        return self.numbers[part]

    def flatten(self, expression: Expression) -> _Flat:
        return fold(expression, lambda leaf: (None, (((self.number(leaf), 1), 1),)), self.join)

    def join(self, operator: Operator, left: _Flat, right: _Flat) -> _Flat:
        if operator.inverse_of:
            operator, left, right = operator.inverse_of, right, left
        inverse = operator in (Operator.SUB, Operator.DIV)
        kind = Operator.ADD if operator in (Operator.ADD, Operator.SUB) else Operator.MUL
        counts = Counter(dict(self.items(kind, left)))
        for (part, sign), count in self.items(kind, right):
            counts[part, -sign if inverse else sign] += count
        return kind, tuple(sorted(counts.items(), key=_positive_first))

    def items(self, kind: Operator, flat: _Flat) -> _Items:
        """The items of an operand in a sum or product: its own, or itself as one."""
        operator, items = flat
        return items if operator in (kind, None) else (((self.number(flat), 1), 1),)

    def trees(self, flat: _Flat) -> Iterator[Expression]:
        """Every binary tree over the items; at least one of them has the sign 1."""
        operator, items = flat
        if operator is None or (len(items) == 1 and items[0][1] == 1):
            part = self.parts[items[0][0][0]]
            if isinstance(part, tuple):
                yield from self.trees(part)
            else:
                yield part
            return
        inverse = Operator.SUB if operator is Operator.ADD else Operator.DIV
        for first, second in _splits(items):
            if _has_positive(second):
                yield from self.pairs(operator, operator, first, second)
            flipped = tuple(
                sorted((((part, -sign), count) for (part, sign), count in second), key=_positive_first)
            )
            # 0·(b/c) is 0, but b/(c/0) is nothing.
            if _has_positive(flipped) and not (operator is Operator.MUL and self.any_zero(second)):
                yield from self.pairs(inverse, operator, first, flipped)

    def any_zero(self, items: _Items) -> bool:
        """Whether a factor among the items (not a divisor) is always zero."""
        return any(sign > 0 and self.is_zero(part) for (part, sign), _ in items)

    def is_zero(self, part: int) -> bool:
        if part not in self.zeros:
            tree = next(self.trees((None, (((part, 1), 1),))))
            try:
                quotient = _quotient(tree, variables(tree))
            except _TooLargeError:
                quotient = None
            self.zeros[part] = quotient is not None and not quotient.top
        return self.zeros[part]

    def pairs(
        self, operator: Operator, kind: Operator, first: _Items, second: _Items
    ) -> Iterator[Expression]:
        for left in self.trees((kind, first)):
            for right in self.trees((kind, second)):
                yield Operation(operator, left, right)


def _positive_first(item: tuple[tuple[int, int], int]) -> tuple[int, int]:
    (part, sign), _ = item
    return -sign, part


def _has_positive(items: _Items) -> bool:
    """Whether a tree can stand for the items: there is no sign in front of a single operand."""
    return bool(items) and items[0][0][1] > 0  # the positive ones stand first


def _splits(items: _Items) -> Iterator[tuple[_Items, _Items]]:
    """Every way to put the items on two sides, neither empty, the first with a positive item.

    Those without a positive item come last, and are never more than the others: no long search.
    """
    for taken in product(*(range(count, -1, -1) for _, count in items)):
        first = tuple((item, some) for (item, _), some in zip(items, taken, strict=True) if some)
        second = tuple(
            (item, count - some) for (item, count), some in zip(items, taken, strict=True) if count > some
        )
        if second and _has_positive(first):
            yield first, second

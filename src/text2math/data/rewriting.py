"""Rewriting gold over the numbers of the text: ``48 / 2`` as half of 48, ``20 / 100`` as 20 %.

>>> from text2math.mathematics.notation import from_infix, to_infix
>>> to_infix(rewritten(from_infix("48 / 2"), {Fraction(48), Fraction(1, 2)}))
'48 * 0.5'
>>> to_infix(rewritten(from_infix("(100 - 20) * 60 / 100"), {Fraction(1, 5), Fraction(60), Fraction(1)}))
'(1 - 0.2) * 60'
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from fractions import Fraction
from functools import reduce
from itertools import combinations, permutations

from text2math.mathematics.expression import Expression, Number, Operation, Operator, Variable

HUNDRED = Fraction(100)
SUM = {Operator.ADD: False, Operator.SUB: True}
PRODUCT = {Operator.MUL: False, Operator.DIV: True}

# An operand, and whether it is subtracted (or divides).
Signed = tuple[bool, Expression]


def rewritten(expression: Expression, values: Set[Fraction]) -> Expression:
    """An equal expression over numbers in ``values``, as far as the rules allow."""
    match expression:
        case Number(value, None) if value not in values:
            return _number(value, values)
        case Number() | Variable():
            return expression
        case Operation(Operator.MUL | Operator.DIV):
            stated = list(operands_of(expression, PRODUCT))
            factors = _merged(_percentages(stated, values), values)
            factors = [_factor(sign, factor, values) for sign, factor in factors]
            return expression if factors == stated else _product(factors, values)
        case Operation(Operator.ADD | Operator.SUB as operator, left, right):
            return _without_zero(operator, rewritten(left, values), rewritten(right, values), values)
        case Operation(operator, left, right):
            return Operation(operator, rewritten(left, values), rewritten(right, values))


def operands_of(
    expression: Expression, kind: dict[Operator, bool], inverse: bool = False
) -> Iterator[Signed]:
    """The operands of a sum (or product): of ``7 - (3 - 6)`` 7, minus 3 and 6."""
    if isinstance(expression, Operation) and expression.operator in kind:
        yield from operands_of(expression.left, kind, inverse)
        yield from operands_of(expression.right, kind, inverse != kind[expression.operator])
    else:
        yield inverse, expression


def _number(value: Fraction, values: Set[Fraction]) -> Expression:
    """A number that is not in the text, as the complement of a percentage or fraction, or as a percentage."""
    one, hundred = Number(Fraction(1)), Number(HUNDRED)
    rounded = [there for there in values if _is_rounded(value, there)]
    if rounded:
        return Number(rounded[0])
    if one.value in values:
        if 1 - value in values and 0 < value < 1:
            return Operation(Operator.SUB, one, Number(1 - value))
        if value - 1 in values and 1 < value < 2:
            return Operation(Operator.ADD, one, Number(value - 1))
    if HUNDRED in values and value / HUNDRED in values:
        return Operation(Operator.MUL, Number(value / HUNDRED), hundred)
    if HUNDRED in values and 1 - value / HUNDRED in values and one.value in values:
        return Operation(Operator.MUL, Operation(Operator.SUB, one, Number(1 - value / HUNDRED)), hundred)
    return Number(value)


def _is_rounded(value: Fraction, exact: Fraction) -> bool:
    """Whether a decimal such as 0.333 is a fraction of the text, truncated or rounded."""
    places = next((n for n in (2, 3, 4) if (value * 10**n).denominator == 1), None)
    thirds = exact.denominator % 3 == 0 or exact.denominator % 7 == 0
    return places is not None and thirds and abs(value - exact) < Fraction(1, 10**places)


def _factor(inverse: bool, factor: Expression, values: Set[Fraction]) -> Signed:
    """A factor; a division by 2 becomes "half of", one by 3 "a third of", if the text has that."""
    match factor:
        case Number(value, None) if value not in values and value and 1 / value in values:
            return not inverse, Number(1 / value)
        case _:
            return inverse, rewritten(factor, values)


def _percentages(factors: list[Signed], values: Set[Fraction]) -> list[Signed]:
    """``(100 - 20) … / 100`` as ``(1 - 20 %) …``: the terms of another factor are divided by the hundred."""
    hundreds = [i for i, (sign, factor) in enumerate(factors) if _is_hundredth(sign, factor)]
    for at in hundreds:
        for i, (sign, factor) in enumerate(factors):
            if sign or not isinstance(factor, Operation) or factor.operator not in SUM:
                continue
            terms = [_scaled(inner, term, values) for inner, term in operands_of(factor, SUM)]
            if all(term is not None for term in terms):
                shared = joined(SUM, [term for term in terms if term is not None])
                return [
                    (sign, shared if k == i else other) for k, (sign, other) in enumerate(factors) if k != at
                ]
    return factors


def _is_hundredth(inverse: bool, factor: Expression) -> bool:
    return isinstance(factor, Number) and factor.value == (HUNDRED if inverse else 1 / HUNDRED)


def _scaled(inverse: bool, term: Expression, values: Set[Fraction]) -> Signed | None:
    """A hundredth of a number, if that is among the values."""
    if isinstance(term, Number) and term.value / HUNDRED in values:
        return inverse, Number(term.value / HUNDRED)
    return None


def _merged(factors: list[Signed], values: Set[Fraction]) -> list[Signed]:
    """Two literal factors merged into the number of the text that they make: 20 / 100, 2 / 3, 3 * 12."""
    for (i, (divides, first)), (k, (inverse, second)) in permutations(enumerate(factors), 2):
        if not (isinstance(first, Number) and isinstance(second, Number)) or (divides and not inverse):
            continue
        if first.quantity is not None or second.quantity is not None or second.value == 0:
            continue
        whole = first.value / second.value if divides != inverse else first.value * second.value
        both_there = first.value in values and second.value in values
        hundredth = _is_hundredth(divides != inverse, second) and (first.value not in values or 0 < whole < 1)
        if whole in values and (hundredth or not both_there):
            return _merged(_replaced(factors, i, k, (divides, Number(whole))), values)
        none_there = not values & {first.value, second.value, whole}
        if none_there and whole and 1 / whole in values:
            return _merged(_replaced(factors, i, k, (not divides, Number(1 / whole))), values)
    return factors


def _replaced(factors: list[Signed], i: int, k: int, merged: Signed) -> list[Signed]:
    """The factors with a merged one instead of the i-th and the k-th."""
    rest = [pair for at, pair in enumerate(factors) if at not in (i, k)]
    rest.insert(min(i, k), merged)
    return rest


def _without_zero(
    operator: Operator, left: Expression, right: Expression, values: Set[Fraction]
) -> Expression:
    """A sum or difference without a zero that is not in the text."""
    if Fraction(0) not in values and right == Number(Fraction(0)):
        return left
    if Fraction(0) not in values and left == Number(Fraction(0)) and operator is Operator.ADD:
        return right
    return Operation(operator, left, right)


def _product(factors: list[Signed], values: Set[Fraction]) -> Expression:
    """The product of the factors, without ones that are not in the text."""
    kept = [
        (sign, factor) for sign, factor in factors if factor != Number(Fraction(1)) or Fraction(1) in values
    ]
    if all(sign for sign, _ in kept):  # 1 / 4: the one is needed
        kept.insert(0, (False, Number(Fraction(1))))
    return joined(PRODUCT, kept)


def joined(kind: dict[Operator, bool], operands: list[Signed]) -> Expression:
    """The operands in order, after the first one that is not subtracted (or a divisor)."""
    plain, inverse = kind
    first = next(i for i, (sign, _) in enumerate(operands) if not sign)
    rest = operands[:first] + operands[first + 1 :]
    return reduce(
        lambda tree, operand: Operation(inverse if operand[0] else plain, tree, operand[1]),
        rest,
        operands[first][1],
    )


# Common factors -------------------------------------------------------------------------------------------


def factored(expression: Expression) -> Expression:
    """The expression with common factors taken out: ``80 - 80 * 0.25`` as ``80 * (1 - 0.25)``.

    So a number that is computed twice is needed only once.

    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> to_infix(factored(from_infix("80 - 80 * 0.25"))), to_infix(factored(from_infix("3 * 5 + 5 * 4")))
    ('80 * (1 - 0.25)', '5 * (3 + 4)')
    """
    match expression:
        case Operation(Operator.ADD | Operator.SUB):
            terms = [(sign, factored(term)) for sign, term in operands_of(expression, SUM)]
            return joined(SUM, _shared(terms))
        case Operation(operator, left, right):
            return Operation(operator, factored(left), factored(right))
        case _:
            return expression


def of_wholes(expression: Expression) -> Expression:
    """A whole plus or minus a part of it, as a multiple of the whole.

    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> to_infix(of_wholes(from_infix("(3 + 5) - (3 + 5) * 0.1")))
    '(3 + 5) * (1 - 0.1)'
    """
    if not isinstance(expression, Operation):
        return expression
    left, right = of_wholes(expression.left), of_wholes(expression.right)
    if expression.operator in SUM:
        for whole, part, swapped in ((left, right, False), (right, left, True)):
            factors = list(operands_of(part, PRODUCT))
            if part != whole and (False, whole) in factors:
                one, share = Number(Fraction(1)), _rest(factors, [(False, whole)])
                first, second = (share, one) if swapped else (one, share)
                return Operation(Operator.MUL, whole, Operation(expression.operator, first, second))
    return Operation(expression.operator, left, right)


def _shared(terms: list[Signed]) -> list[Signed]:
    """The terms, with any two that share a factor merged into one, repeatedly."""
    for (i, (first_sign, first)), (k, (sign, second)) in combinations(enumerate(terms), 2):
        one, other = list(operands_of(first, PRODUCT)), list(operands_of(second, PRODUCT))
        common = _common(one, other)
        if not any(not inverse for inverse, _ in common):
            continue
        inner = [(first_sign, _rest(one, common)), (sign, _rest(other, common))]
        negative = first_sign and sign
        if negative:
            inner = [(False, part) for _, part in inner]
        product = joined(PRODUCT, [*common, (False, _counted(inner))])
        rest = [term for at, term in enumerate(terms) if at not in (i, k)]
        return _shared([*rest[:i], (negative, product), *rest[i:]])
    return terms


def _counted(terms: list[Signed]) -> Expression:
    """The sum of two terms; whole numbers that only count the terms are added up: 1 + 1 is 2."""
    match terms:
        case [(False, Number(first, None)), (False, Number(second, None))] if 1 in (first, second):
            if first.denominator == second.denominator == 1:
                return Number(first + second)
    return joined(SUM, terms)


def _common(one: list[Signed], other: list[Signed]) -> list[Signed]:
    """The factors that both have, as often as both have them."""
    left = list(other)
    common = []
    for factor in one:
        if factor in left:
            left.remove(factor)
            common.append(factor)
    return common


def _rest(factors: list[Signed], common: list[Signed]) -> Expression:
    """What remains of a product without some factors."""
    left = list(factors)
    for factor in common:
        left.remove(factor)
    if all(inverse for inverse, _ in left):
        left.insert(0, (False, Number(Fraction(1))))
    return joined(PRODUCT, left)

"""The statements of a system of equations, each in a form that fits the text.

Data sets move everything to one side, scale equations and reorder them. Of the equivalent equations, this
chooses those whose numbers appear in the text in blocks that do not overlap; one statement may be between the
two sides of another (an aside).

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import to_infix
>>> problem = read_problem("Tickets cost 4 dollars and others 6. 525 were sold for 2876 dollars.")
>>> [to_infix(s) for s in statements(("4*m + 6*n = 2876", "m - 525 + n = 0"), problem)]
['4 * X1 + 6 * X2 = 2876', 'X1 + X2 = 525']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from fractions import Fraction
from itertools import islice, product

from text2math.data.anchoring import (
    Block,
    Blocks,
    apart,
    cheapest_blocks,
    choices_of,
    regrouped_blocks,
)
from text2math.data.consecutive import in_consecutive_unknowns
from text2math.data.gold import read_tree, unknowns_of
from text2math.data.rewriting import (
    HUNDRED,
    PRODUCT,
    SUM,
    Signed,
    factored,
    joined,
    operands_of,
    rewritten,
)
from text2math.language.attachment import UnmappableError
from text2math.language.problem import Problem
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_equation,
    leaves,
    variables,
)
from text2math.mathematics.grammar import MAX_EQUATIONS, MAX_UNKNOWNS
from text2math.mathematics.notation import to_infix
from text2math.mathematics.rewriting import renamed

MAX_FORMS = 80  # forms of an equation that are tried
MAX_KEPT = 150  # positions of a statement in the text that are kept, the cheapest
MAX_TERMS = 7  # equations with more terms are not rearranged

_POWER = re.compile(r"(\w+|\([^()]*\))\s*(?:\^|\*\*)\s*([23])(?![\d.])")
_CONDITION = re.compile(r"[<>]|\bis_\w+\(")


def statements(
    equations: Sequence[str],
    problem: Problem,
    names: Sequence[str] = (),
    preferred: Set[int] = frozenset(),
    answers: Sequence[Fraction] = (),
) -> tuple[Operation, ...]:
    """The equations in text order, their numbers pointing at quantities; ``UnmappableError`` if none fit.

    Unknowns are numbered in the order of ``names`` if these are given, else in that of the statements; those
    of consecutive numbers in their order, after what the word implies. Written quantities that are
    ``preferred`` come before others of the same value.
    """
    stated = [_spelt_out(equation) for equation in equations if not _CONDITION.search(equation)]
    if not stated:
        raise UnmappableError("no equation", "; ".join(equations))
    if len(stated) > MAX_EQUATIONS:
        raise UnmappableError(f"more than {MAX_EQUATIONS} equations", "; ".join(equations))
    used = unknowns_of(" ".join(stated))
    trees = [read_tree(equation, names or used) for equation in stated]
    if not all(map(is_equation, trees)):
        raise UnmappableError("an unknown without '='", "; ".join(equations))
    consecutive = in_consecutive_unknowns(trees, problem, answers)
    if consecutive is not None and (not names or consecutive.keeps_names):
        return (*consecutive.implied, *placed_statements(consecutive.stated, problem, preferred))
    if len(used) > MAX_UNKNOWNS:
        raise UnmappableError(f"more than {MAX_UNKNOWNS} unknowns", "; ".join(equations))
    found = placed_statements(trees, problem, preferred)
    return found if names else _numbered(found)


def placed_statements(
    trees: Sequence[Expression],
    problem: Problem,
    preferred: Set[int] = frozenset(),
    reserved: Set[int] = frozenset(),
) -> tuple[Operation, ...]:
    """The same for equations as trees; their unknowns keep their numbers.

    Only numbers that name one of the ``reserved`` written quantities point at it or its mentions.
    """
    values = frozenset(quantity.value for quantity in problem.all_quantities)
    choices = choices_of(problem, preferred, reserved)
    places = [_places(tree, values, choices) for tree in trees]
    ordered = sorted(_arranged(places, trees), key=lambda block: -1 if block.start is None else block.start)
    return tuple(block.tree for block in ordered if isinstance(block.tree, Operation))


def _spelt_out(equation: str) -> str:
    """The equation with small powers as products: ``x^2`` is ``(x*x)``."""
    return _POWER.sub(lambda match: f"({'*'.join([match[1]] * int(match[2]))})", equation)


# Forms of one equation ------------------------------------------------------------------------------------


def _places(equation: Expression, values: Set[Fraction], choices: Callable[[Number], Blocks]) -> Blocks:
    """The possible positions of an equation in the text, in any of its forms, cheapest first."""
    missing: UnmappableError | None = None
    crossing = UnmappableError("numbers that cross in the text", "in every form of an equation")
    found: Blocks = []
    fits = False
    for effort, form in enumerate(islice(_forms(equation, values), MAX_FORMS)):
        rewriting = rewritten(form, values)
        try:
            stated = effort == 0
            blocks = (cheapest_blocks if stated else regrouped_blocks)(rewriting, choices)
        except UnmappableError as error:
            missing = missing or error
            continue
        fits = True
        found += [_with_cost(block, min(effort, 1)) for block in blocks]
    if not found:
        raise crossing if fits or missing is None else missing
    return sorted(found, key=lambda block: block.cost)[:MAX_KEPT]


def _with_cost(block: Block, effort: int) -> Block:
    return Block(block.start, block.end, block.cost + effort, block.tree, block.cut)


def _forms(equation: Expression, values: Set[Fraction]) -> Iterator[Expression]:
    """Equivalent equations: as stated, with common factors taken out, terms moved, percentages restored."""
    assert isinstance(equation, Operation)
    if not any(map(_is_zero, leaves(equation))):
        yield equation
        yield from _factors_moved(equation)
    terms = _terms(equation, values)
    hundredths = [(sign, Operation(Operator.DIV, term, Number(HUNDRED))) for sign, term in terms]
    for these in (terms, hundredths):
        if len(these) > MAX_TERMS:
            continue
        for left in sorted(_subsets(len(these)), key=lambda left: _oddness(these, left)):
            form = _sides(these, left)
            if form is not None:
                yield form
                together = Operation(Operator.EQU, factored(form.left), factored(form.right))
                if together != form:
                    yield together


def _subsets(size: int) -> Iterator[frozenset[int]]:
    for chosen in product((True, False), repeat=size):
        yield frozenset(i for i, taken in enumerate(chosen) if taken)


def _oddness(terms: Sequence[Signed], left: Set[int]) -> tuple[bool, int]:
    """How unusual an equation with these terms on its left is: terms without unknowns belong on the right."""
    apart = all((i in left) == bool(variables(term)) for i, (_, term) in enumerate(terms))
    return not apart, sum(sign == (i in left) for i, (sign, _) in enumerate(terms))


def _terms(equation: Operation, values: Set[Fraction]) -> list[Signed]:
    """The terms that add up to zero, each with its sign, without zeros and negative factors."""
    whole = Operation(Operator.SUB, equation.left, equation.right)
    terms = [_positive(sign, term, values) for sign, term in operands_of(whole, SUM) if not _is_zero(term)]
    minus = [sign for sign, term in terms if variables(term)]
    return [(not sign, term) for sign, term in terms] if 2 * sum(minus) > len(minus) else terms


def _is_zero(term: Expression) -> bool:
    return isinstance(term, Number) and term.value == 0


def _positive(inverse: bool, term: Expression, values: Set[Fraction]) -> Signed:
    """A term without negative literal factors, except those in the text: -1 * n becomes minus n."""
    factors = []
    for divides, factor in operands_of(term, PRODUCT):
        if isinstance(factor, Number) and factor.value < 0 and factor.value not in values:
            inverse, factor = not inverse, Number(-factor.value)
        if factor != Number(Fraction(1)):
            factors.append((divides, factor))
    if all(divides for divides, _ in factors):
        factors.insert(0, (False, Number(Fraction(1))))
    return inverse, joined(PRODUCT, factors)


def _sides(terms: Sequence[Signed], left: Set[int]) -> Operation | None:
    """The equation with these terms on the left and the others, with opposite signs, on the right."""
    first = [term for i, term in enumerate(terms) if i in left]
    second = [(not sign, term) for i, (sign, term) in enumerate(terms) if i not in left]
    if all(sign for sign, _ in first) or all(sign for sign, _ in second):
        return None
    return Operation(Operator.EQU, joined(SUM, first), joined(SUM, second))


def _factors_moved(equation: Operation) -> Iterator[Operation]:
    """``a / b = c`` as ``a = b * c``, and ``a * b = c`` as ``a = c / b``."""
    for left, right in ((equation.left, equation.right), (equation.right, equation.left)):
        factors = list(operands_of(left, PRODUCT))
        for i, (divides, factor) in enumerate(factors if len(factors) > 1 else ()):
            rest = factors[:i] + factors[i + 1 :]
            if all(sign for sign, _ in rest):
                continue
            other = Operation(Operator.MUL if divides else Operator.DIV, right, factor)
            yield Operation(Operator.EQU, joined(PRODUCT, rest), other)


# One position for each statement --------------------------------------------------------------------------


def _arranged(places: Sequence[Blocks], equations: Sequence[Expression]) -> list[Block]:
    """The cheapest choice of positions that do not overlap, unless one is between the sides of another."""
    best: list[Block] = []
    least = sum(max(block.cost for block in blocks) for blocks in places) + 1

    def extend(chosen: list[Block], cost: int) -> None:
        nonlocal best, least
        if len(chosen) == len(places):
            best, least = list(chosen), cost
            return
        for block in places[len(chosen)]:
            if cost + block.cost >= least:
                break
            if all(_compatible(block, other) for other in chosen):
                extend([*chosen, block], cost + block.cost)

    extend([], 0)
    if not best:
        raise UnmappableError("numbers that cross in the text", "; ".join(map(to_infix, equations)))
    return best


def _compatible(one: Block, other: Block) -> bool:
    return apart(one, other) or _inside(one, other) or _inside(other, one)


def _inside(inner: Block, outer: Block) -> bool:
    """Whether a statement is between the two sides of another."""
    if outer.cut is None or inner.start is None or inner.end is None:
        return False
    return outer.cut[0] < inner.start and inner.end < outer.cut[1]


def _numbered(found: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """The statements with their unknowns numbered in the order in which they occur."""
    order: dict[int, int] = {}
    for leaf in (leaf for statement in found for leaf in leaves(statement)):
        if isinstance(leaf, Variable):
            order.setdefault(leaf.index, len(order) + 1)
    renumbered = (renamed(statement, order) for statement in found)
    return tuple(statement for statement in renumbered if isinstance(statement, Operation))

"""Attach each number of an expression to a quantity of the text, written or implied.

The operands of a text-math tree are blocks of the text that do not overlap, so the quantities must be chosen,
and the operands of a sum or product grouped, so that they fit.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix, to_infix
>>> problem = read_problem("Lily has 8 pens, Ben has 5 pens more than Lily. How many in all?", knowledge=True)
>>> to_infix(anchored(from_infix("8 + (8 + 5)"), problem))
'8 + (8 + 5)'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from text2math.data.rewriting import (
    PRODUCT,
    SUM,
    Signed,
    factored,
    of_wholes,
    operands_of,
    rewritten,
)
from text2math.language.attachment import UnmappableError, attach, decimal
from text2math.language.problem import Problem
from text2math.language.quantity import Quantity, Source
from text2math.language.units import is_name, noun_lemma
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
)

MAX_BLOCKS = 48  # blocks of a sub-expression that are kept, the cheapest
MAX_OPERANDS = 8  # sums and products with more operands are not regrouped

# The two of "two numbers" only counts the unknowns.
_COUNTED_UNKNOWNS = frozenset(("number", "integer"))
_UNWANTED = 2  # the cost of a quantity other than the one meant


@dataclass(frozen=True, slots=True)
class Block:
    """A sub-expression placed on the text: its first and last anchor, its cost, its tree.

    Without numbers it has no position: ``start`` is None. ``cut`` is the gap between an equation's sides.
    """

    start: int | None
    end: int | None
    cost: int
    tree: Expression
    cut: tuple[int, int] | None = None


Blocks: TypeAlias = list[Block]


def anchored(expression: Expression, problem: Problem) -> Expression:
    """The expression with its numbers pointing at quantities, such that it has a text-math tree.

    Numbers that are not in the text are rewritten if possible, and what is computed twice is factored out if
    that needs fewer implied numbers. The tree is regrouped only if its own grouping does not fit the text. If
    nothing fits, its numbers point at quantities that cross.
    """
    found = fitting(expression, problem)
    if found is not None:
        return found
    values = [quantity.value for quantity in problem.all_quantities]
    missing: UnmappableError | None = None
    for form in _forms(expression, frozenset(values)):
        try:
            return attach(form, values)
        except UnmappableError as error:
            missing = missing or error
    assert missing is not None
    raise missing


def fitting(expression: Expression, problem: Problem, reserved: Set[int] = frozenset()) -> Expression | None:
    """The expression with its numbers pointing at quantities, or None if it has no text-math tree.

    Only numbers that name one of the ``reserved`` written quantities point at it or its mentions; with these,
    the expression is not rewritten if it fits as it is. Raises ``UnmappableError`` if a number is not among
    the quantities.

    >>> from text2math.language.problem import read_problem
    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> problem = read_problem("Al reads 9 pages a day. How many pages is that in a week?", knowledge=True)
    >>> to_infix(fitting(from_infix("9[0] * 7"), problem))
    '9 * 7'
    """
    values = frozenset(quantity.value for quantity in problem.all_quantities)
    choices = choices_of(problem, reserved=reserved)
    missing: UnmappableError | None = None
    found: list[Blocks] = []
    for form in _forms(expression, values):
        try:
            found.append(cheapest_blocks(form, choices))
        except UnmappableError as error:
            missing = missing or error
    if missing is not None and not found:
        raise missing
    first = [blocks[0] for blocks in found if blocks]
    if not first:
        return None
    # An exercise states the form that is wanted; for the worked solutions of data sets, any form will do.
    return first[0].tree if reserved else min(first, key=lambda block: block.cost).tree


def _forms(expression: Expression, values: Set[Fraction]) -> Iterator[Expression]:
    """The expression as it is, and with what is computed twice factored out, over numbers of the text."""
    together = of_wholes(expression)
    for form in dict.fromkeys((expression, together, factored(together))):
        yield rewritten(form, values)


def cheapest_blocks(expression: Expression, choices: Callable[[Number], Blocks]) -> Blocks:
    """The blocks of the tree itself, or of a regrouped one if that is cheaper."""
    own, regrouped = tree_blocks(expression, choices), regrouped_blocks(expression, choices)
    return own if own and own[0].cost <= regrouped[0].cost else regrouped


def choices_of(
    problem: Problem, preferred: Set[int] = frozenset(), reserved: Set[int] = frozenset()
) -> Callable[[Number], Blocks]:
    """What a number may point at: the quantities of its value, or the one it names and its mentions.

    If some written quantities are ``preferred``, the others cost more. ``reserved`` ones, and their mentions,
    are only for numbers that name them.
    """
    by_value: dict[Fraction, Blocks] = {}
    by_quantity: dict[int, Blocks] = {}
    everything = zip(problem.all_quantities, problem.all_anchors, strict=True)
    for index, (quantity, anchor) in enumerate(everything):
        written = index if quantity.refers_to is None else quantity.refers_to
        unwanted = quantity.source is not Source.KNOWN and preferred and written not in preferred
        cost = _cost(problem, quantity) + (_UNWANTED if unwanted else 0)
        block = Block(anchor, anchor, cost, Number(quantity.value, index))
        if quantity.source is Source.KNOWN or written not in reserved:
            by_value.setdefault(quantity.value, []).append(block)
        for named in {index, written}:
            by_quantity.setdefault(named, []).append(block)

    def choices(number: Number) -> Blocks:
        found = by_value.get(number.value, [])
        if number.quantity is not None:
            named = by_quantity.get(number.quantity, [])
            found = [block for block in named if _value(block) == number.value]
        if not found:
            there = ", ".join(decimal(quantity.value) for quantity in problem.quantities) or "none"
            raise UnmappableError(
                "a number that is not in the text", f"{decimal(number.value)}; the text has {there}"
            )
        return found

    return choices


def _value(block: Block) -> Fraction | None:
    return block.tree.value if isinstance(block.tree, Number) else None


def _cost(problem: Problem, quantity: Quantity) -> int:
    """A written number costs nothing; known numbers and mentions cost something, so as to be used if needed.

    A conversion belongs to the larger unit (1 *week* = 7 days), a mention to a noun or name.
    """
    at = quantity.first_token
    names_unit = noun_lemma(problem.tokens[at]) == quantity.unit
    match quantity.source:
        case Source.WRITTEN:
            return 3 if quantity.unit in _COUNTED_UNKNOWNS else 0
        case Source.KNOWN:
            return 3 if names_unit else 2
        case Source.REFERRING:
            return 3 if names_unit or is_name(problem.tokens, at) else 4


def tree_blocks(expression: Expression, choices: Callable[[Number], Blocks]) -> Blocks:
    """The blocks of this very tree."""

    def leaf(node: Number | Variable) -> Blocks:
        return choices(node) if isinstance(node, Number) else [Block(None, None, 0, node)]

    def join(operator: Operator, left: Blocks, right: Blocks) -> Blocks:
        pairs = (
            pair_up(one, other, Operation(operator, one.tree, other.tree))
            for one in left
            for other in right
            if apart(one, other)
        )
        return best(pairs)

    return fold(expression, leaf, join)


def apart(one: Block, other: Block) -> bool:
    """Whether two blocks do not overlap."""
    if one.start is None or other.start is None or one.end is None or other.end is None:
        return True
    return one.end < other.start or other.end < one.start


def pair_up(one: Block, other: Block, tree: Expression) -> Block:
    """The block of an operation on two blocks that are apart."""
    starts = [block.start for block in (one, other) if block.start is not None]
    ends = [block.end for block in (one, other) if block.end is not None]
    cut = (min(ends), max(starts)) if len(starts) == 2 else None
    return Block(min(starts, default=None), max(ends, default=None), one.cost + other.cost, tree, cut)


def best(blocks: Iterable[Block]) -> Blocks:
    """The blocks that contain no other one of at most their cost; the cheapest and narrowest first."""
    kept: Blocks = []
    for block in sorted(blocks, key=_price):
        if len(kept) == MAX_BLOCKS:
            break
        if not any(_within(other, block) for other in kept):
            kept.append(block)
    return kept


def _price(block: Block) -> tuple[int, int, int]:
    if block.start is None or block.end is None:
        return block.cost, 0, 0
    return block.cost, block.end - block.start, block.start


def _within(inner: Block, outer: Block) -> bool:
    if inner.start is None or inner.end is None:
        return True
    if outer.start is None or outer.end is None:
        return False
    return outer.start <= inner.start and inner.end <= outer.end


# Regrouped: a sum or product of many operands, in any order ------------------------------------------------


def regrouped_blocks(expression: Expression, choices: Callable[[Number], Blocks]) -> Blocks:
    """The blocks of all trees equal to an expression by commuting and reassociating."""
    match expression:
        case Number():
            return choices(expression)
        case Variable():
            return [Block(None, None, 0, expression)]
        case Operation(operator) if operator in SUM or operator in PRODUCT:
            kind = SUM if operator in SUM else PRODUCT
            operands = list(operands_of(expression, kind))
            if len(operands) <= MAX_OPERANDS:
                return _placed(operands, kind, choices)
    one, other = regrouped_blocks(expression.left, choices), regrouped_blocks(expression.right, choices)
    return best(
        pair_up(a, b, Operation(expression.operator, a.tree, b.tree))
        for a in one
        for b in other
        if apart(a, b)
    )


def _placed(
    operands: Sequence[Signed], kind: dict[Operator, bool], choices: Callable[[Number], Blocks]
) -> Blocks:
    """Every operand in a block of its own; each set of operands is built up from left to right."""
    places = [regrouped_blocks(operand, choices) for _, operand in operands]
    taken_away = sum(1 << i for i, (inverse, _) in enumerate(operands) if inverse)
    rows: list[Blocks] = [[]]
    for chosen in range(1, 1 << len(operands)):
        found: Blocks = []
        for i in reversed(range(len(operands))):  # so that operands without words keep their order
            rest = chosen & ~(1 << i)
            if rest == chosen:
                continue
            if not rest:
                found += places[i]
                continue
            negative = rest & ~taken_away == 0, bool(taken_away >> i & 1)
            found += [
                pair_up(row, block, _joined(kind, row.tree, block.tree, negative))
                for row in rows[rest]
                for block in places[i]
                if _follows(row, block)
            ]
        rows.append(best(found))
    return rows[-1]


def _follows(before: Block, after: Block) -> bool:
    return before.end is None or after.start is None or before.end < after.start


def _joined(
    kind: dict[Operator, bool], left: Expression, right: Expression, negative: tuple[bool, bool]
) -> Expression:
    """Two neighbours in a sum (or product) as one operand, which is subtracted only if both are."""
    plain, inverse = kind
    match negative:
        case (True, False):
            return Operation(inverse, right, left)
        case (False, True):
            return Operation(inverse, left, right)
        case _:
            return Operation(plain, left, right)

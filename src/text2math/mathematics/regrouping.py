"""The trees that regrouping and reordering make of an expression."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations, product
from typing import NamedTuple, TypeAlias

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    fold,
    is_system,
    leaves,
    system,
    variables,
)
from text2math.mathematics.grammar import MAX_EQUATIONS, inverse_in
from text2math.mathematics.rational import NotAlgebraicError, TooLargeError, rational_function

MAX_LEAVES = 100  # of an expression whose equivalent trees are listed
MAX_MOVED = 10  # different terms of an equation of a system; with more, only its sides swap
MAX_CHOICES = 40  # trees of each equation that are combined to systems
MAX_SEARCHED = 2_000  # trees of each equation among which these are chosen

# A sum as signed terms, or a product as factors to the power of 1 or -1: how often each (part, sign) stands
# in it. A part is a number into _Parts. The operator is None for one part alone.
_Items: TypeAlias = tuple[tuple[tuple[int, int], int], ...]
_Flat: TypeAlias = tuple[Operator | None, _Items]


class _Fixed(NamedTuple):
    """An operation that regroups with no other; only its operands do, each by itself."""

    operator: Operator
    left: _Flat
    right: _Flat


_Part: TypeAlias = Number | Variable | _Flat | _Fixed


def equivalent_trees(
    expression: Expression, limit: int = 10_000, *, keep: Callable[[Expression], bool] | None = None
) -> Iterator[Expression]:
    """Every distinct tree over the same leaves that regrouping and reordering leads to, at most ``limit``.

    Sums and differences regroup among themselves, products and quotients too, and the sides of an
    equation swap; nothing is distributed. The expression itself comes first; the order is always the
    same. An expression of more than MAX_LEAVES leaves comes alone.

    The equations of a system may also come in any order, and terms move across ``=``. That makes so many
    trees that only some of each equation are combined; ``keep`` says which equations may be among them.

    >>> from text2math.mathematics.notation import from_infix, to_infix
    >>> [to_infix(tree) for tree in equivalent_trees(from_infix("7 - (3 - 6)"), limit=4)]
    ['7 - (3 - 6)', '6 + 7 - 3', '7 + 6 - 3', '6 - 3 + 7']
    """
    if is_system(expression):
        return islice(_systems(equations(expression), keep), limit)
    found = islice(_expression_first(expression), limit)
    return found if keep is None else filter(keep, found)


def _expression_first(expression: Expression) -> Iterator[Expression]:
    yield expression
    if sum(1 for _ in leaves(expression)) <= MAX_LEAVES:
        yield from (tree for tree in _regrouped(expression) if tree != expression)


def _regrouped(expression: Expression) -> Iterator[Expression]:
    """Every tree, the expression's own somewhere among them."""
    parts = _Parts()
    if not isinstance(expression, Operation) or expression.operator.group or expression.operator.inverse_of:
        yield from parts.trees(parts.flatten(expression))
        return
    operator, inside = expression.operator, expression.operator.function_of
    if inside is not None:
        for tree in _regrouped(Operation(inside, expression.left, expression.right)):
            if isinstance(tree, Operation) and tree.operator is inside:
                yield Operation(operator, tree.left, tree.right)
        return
    left, right = parts.flatten(expression.left), parts.flatten(expression.right)
    sides = [(left, right)]
    if operator.commutative and left != right:
        sides.append((right, left))
    for first, second in sides:
        for one in parts.trees(first):
            for other in parts.trees(second):
                yield Operation(operator, one, other)


def _systems(given: tuple[Operation, ...], keep: Callable[[Expression], bool] | None) -> Iterator[Expression]:
    """The systems of these equations in any order, each as one of its first trees; the nearest come first."""
    choices = []
    for equation in given:
        trees = islice(_with_moves(equation), MAX_SEARCHED)
        choices.append(list(islice(trees if keep is None else filter(keep, trees), MAX_CHOICES)))
    orders = list(permutations(range(len(given)))) if len(given) <= MAX_EQUATIONS else [range(len(given))]
    seen: set[Expression] = set()  # two of the equations may be the same
    for chosen in _nearest_first([len(trees) for trees in choices]):
        picked = [trees[at] for trees, at in zip(choices, chosen, strict=True)]
        for order in orders:
            tree = system(picked[at] for at in order)
            if tree not in seen:
                seen.add(tree)
                yield tree


def _nearest_first(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of an index below each size, those with the smallest sum first."""
    for total in range(sum(sizes) - len(sizes) + 1):
        yield from _choices_of(total, sizes)


def _choices_of(total: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if total == 0:
            yield ()
        return
    # The others can take no more than their largest indices.
    least = max(0, total - sum(size - 1 for size in sizes[1:]))
    for first in range(least, min(total, sizes[0] - 1) + 1):
        for rest in _choices_of(total - first, sizes[1:]):
            yield (first, *rest)


def _with_moves(equation: Operation) -> Iterator[Operation]:
    """The equation, then every tree that regrouping and moving terms across ``=`` leads to.

    The moves take turns, so that the first few trees have many of them.
    """
    yield equation
    if sum(1 for _ in leaves(equation)) > MAX_LEAVES:
        return
    parts = _Parts()
    turns = [_pairs_of_trees(parts, left, right) for left, right in parts.moved(equation)]
    while turns:
        ahead = [(turn, tree) for turn in turns if (tree := next(turn, None)) is not None]
        yield from (tree for _, tree in ahead if tree != equation)
        turns = [turn for turn, _ in ahead]


def _pairs_of_trees(parts: _Parts, left: _Flat, right: _Flat) -> Iterator[Operation]:
    for one in parts.trees(left):
        for other in parts.trees(right):
            yield Operation(Operator.EQU, one, other)


class _Parts:
    """The parts of an expression, numbered so that equal ones (up to regrouping) have the same number.

    That is why no tree comes twice: splits differ in what they hold, so their trees differ.
    """

    def __init__(self) -> None:
        self.numbers: dict[_Part, int] = {}
        self.parts: list[_Part] = []
        self.zeros: dict[int, bool] = {}

    def number(self, part: _Part) -> int:
        if part not in self.numbers:
            self.numbers[part] = len(self.parts)
            self.parts.append(part)
        return self.numbers[part]

    def flatten(self, expression: Expression) -> _Flat:
        return fold(expression, lambda leaf: (None, (((self.number(leaf), 1), 1),)), self.join)

    def join(self, operator: Operator, left: _Flat, right: _Flat) -> _Flat:
        if operator.inverse_of:
            operator, left, right = operator.inverse_of, right, left
        group = operator.group
        if group is None:
            return None, (((self.number(_Fixed(operator, left, right)), 1), 1),)
        counts = Counter(dict(self.items(group, left)))
        for (part, sign), count in self.items(group, right):
            counts[part, -sign if operator.entry.inverts else sign] += count
        return group, tuple(sorted(counts.items(), key=_positive_first))

    def items(self, kind: Operator, flat: _Flat) -> _Items:
        """The items of an operand in a sum or product: its own, or itself as one."""
        operator, items = flat
        return items if operator in (kind, None) else (((self.number(flat), 1), 1),)

    def trees(self, flat: _Flat) -> Iterator[Expression]:
        """Every binary tree over the items; at least one of them has the sign 1."""
        operator, items = flat
        if operator is None or (len(items) == 1 and items[0][1] == 1):
            yield from self.part_trees(self.parts[items[0][0][0]])
            return
        inverse = inverse_in(operator)
        for first, second in _splits(items):
            if _has_positive(second):
                yield from self.pairs(operator, operator, first, second)
            flipped = _inverted(second)
            # 0·(b/c) is 0, but b/(c/0) is nothing.
            if (
                inverse
                and _has_positive(flipped)
                and not (operator is Operator.MUL and self.any_zero(second))
            ):
                yield from self.pairs(inverse, operator, first, flipped)

    def part_trees(self, part: _Part) -> Iterator[Expression]:
        """Every tree of one part."""
        match part:
            case _Fixed(operator, left, right):
                for one, other in product(self.trees(left), self.trees(right)):
                    yield Operation(operator, one, other)
            case Number() | Variable():
                yield part
            case _:
                yield from self.trees(part)

    def moved(self, equation: Operation) -> Iterator[tuple[_Flat, _Flat]]:
        """The two sides with any of their terms moved to the other one, the sides themselves first."""
        left, right = self.flatten(equation.left), self.flatten(equation.right)
        yield left, right
        terms = Counter(dict(self.items(Operator.ADD, left)))
        for (part, sign), count in self.items(Operator.ADD, right):
            terms[part, -sign] += count
        if len(terms) > MAX_MOVED:
            yield right, left
            return
        items = tuple(sorted(terms.items(), key=_positive_first))
        # Both sides may change their signs: a - b = c is b - a = -c, and that is b = a - c.
        for given in (items, _inverted(items)):
            for first, second in _splits(given):
                other = _inverted(second)
                if _has_positive(other):
                    sides = self.unwrapped(first), self.unwrapped(other)
                    if sides != (left, right):
                        yield sides

    def unwrapped(self, items: _Items) -> _Flat:
        """The sum of some terms; a single term is itself, as in ``flatten``."""
        part = self.parts[items[0][0][0]]
        alone = len(items) == 1 and items[0][1] == 1
        if alone and isinstance(part, tuple) and not isinstance(part, _Fixed):
            return part
        return (None if alone else Operator.ADD), items

    def any_zero(self, items: _Items) -> bool:
        """Whether a factor among the items (not a divisor) is always zero."""
        return any(sign > 0 and self.is_zero(part) for (part, sign), _ in items)

    def is_zero(self, part: int) -> bool:
        if part not in self.zeros:
            tree = next(self.trees((None, (((part, 1), 1),))))
            try:
                quotient = rational_function(tree, variables(tree))
            except (TooLargeError, NotAlgebraicError):
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


def _inverted(items: _Items) -> _Items:
    """The items with the other sign."""
    return tuple(sorted((((part, -sign), count) for (part, sign), count in items), key=_positive_first))


def _has_positive(items: _Items) -> bool:
    """Whether a tree over the items exists: a single operand has no sign in front."""
    return bool(items) and items[0][0][1] > 0  # the positive ones come first


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

"""Forests with so few expressions over a text that all of them can be spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from text2math.inference.forest import Forest, Rule
from text2math.inference.potentials import Symbol
from text2math.mathematics.expression import Expression, Number, Operation

MOST_EXPRESSIONS = 200  # a chart that tells them all apart is faster than a search for the best of them
# With fewer numbers the search is over at once. More give more than MOST_EXPRESSIONS, unless there is but one
# operator.
_NUMBERS = 3


def spelled_out(forest: Forest, anchors: Sequence[int]) -> Forest | None:
    """The forest of all expressions that a forest has over a text with these numbers, if they are few.

    Each has a root of its own, in a fixed order.

    >>> both = {Symbol.ADD, Symbol.SUB, Symbol.CON}
    >>> spelled_out(Forest.full(both), [2, 5, 9])
    Forest(47 states, 44 rules, 44 roots)
    >>> spelled_out(Forest.full(both), [2, 5, 9, 12]) is None
    True
    """
    if len(anchors) != _NUMBERS or forest.larger or list(anchors) != sorted(anchors):
        return None
    return _spelled_out(forest, len(anchors))


@lru_cache(maxsize=64)
def _spelled_out(forest: Forest, numbers: int) -> Forest | None:
    symbols = [state.symbol for state in forest.states]
    leaves = [symbol for symbol in symbols if symbol.operator is None]
    # With an unknown there is no end of them; two states with the same symbol might have the same ones.
    bound = any(state.quantity is not None for state in forest.states)  # to one number of a given expression
    if leaves != [Symbol.CON] or bound or len(set(symbols)) < len(symbols) or Symbol.SYS in symbols:
        return None
    every = _Expressions(forest)
    found = [
        expression
        for count in range(1, numbers + 1)
        for used in combinations(range(numbers), count)
        for root in forest.roots
        for expression in every.of(root, used)
    ]
    return Forest.of(found) if 0 < len(found) <= MOST_EXPRESSIONS else None


class _Expressions:
    """The expressions of a forest's states that use exactly some numbers, operands without crossing."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._rules: dict[int, list[Rule]] = {}
        for rule in forest.rules:
            self._rules.setdefault(rule.state, []).append(rule)
        self._known: dict[tuple[int, tuple[int, ...]], list[Expression]] = {}

    def of(self, state: int, used: tuple[int, ...]) -> list[Expression]:
        """Those of a state; numbers stand for themselves, whatever their values."""
        key = state, used
        if key not in self._known:
            if self._forest.states[state].symbol is Symbol.CON:
                self._known[key] = [Number(Fraction(0), used[0])] if len(used) == 1 else []
            else:
                self._known[key] = self._operations(state, used)
        return self._known[key]

    def _operations(self, state: int, used: tuple[int, ...]) -> list[Expression]:
        symbol = self._forest.states[state].symbol
        operator = symbol.operator
        assert operator is not None
        cuts = [(used[:cut], used[cut:]) for cut in range(1, len(used))]
        orders = cuts if symbol.in_text_order else [*cuts, *(cut[::-1] for cut in cuts)]
        return [
            Operation(operator, left, right)
            for rule in self._rules.get(state, ())
            for of_left, of_right in orders
            for below_left in rule.left
            for below_right in rule.right
            for left in self.of(below_left, of_left)
            for right in self.of(below_right, of_right)
        ]

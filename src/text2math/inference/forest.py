"""Forests: which trees there are. States, and which states may stand under which.

The full forest has one state for each symbol; the forest of given expressions has one for each of their
distinct sub-expressions. The chart runs the same recurrence over both.

>>> Forest.full(ARITHMETIC).states[:2]
(State(symbol=<Symbol.ADD: 1>, quantity=None), State(symbol=<Symbol.SUB: 2>, quantity=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from text2math.inference.potentials import LEFT, RIGHT, UNKNOWNS, IntArray, Symbol
from text2math.language.attachment import crossings
from text2math.mathematics.expression import Expression, Number, Operation, equations, leaves
from text2math.mathematics.grammar import MAX_EQUATIONS, Sort
from text2math.mathematics.regrouping import equivalent_trees

ARITHMETIC = frozenset({Symbol.ADD, Symbol.SUB, Symbol.MUL, Symbol.DIV, Symbol.CON})
EQUATIONS = ARITHMETIC | {Symbol.EQU, Symbol.X1, Symbol.X2}

MAX_WORDS = 200
MAX_QUANTITIES = 40


class ForestError(ValueError):
    """A forest that can't be built, or a text too large for a chart."""


@dataclass(frozen=True, slots=True)
class State:
    """A symbol, or a node of a given expression: a constant there is bound to one number of the text."""

    symbol: Symbol
    quantity: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """An operator state with the states that may be its left and its right operand."""

    state: int
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Forest:
    """States, the rules of the operator ones, and the states that may stand at the root."""

    states: tuple[State, ...]
    rules: tuple[Rule, ...]
    roots: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Forest({len(self.states)} states, {len(self.rules)} rules, {len(self.roots)} roots)"

    @classmethod
    def full(
        cls,
        symbols: Iterable[Symbol] = ARITHMETIC,
        *,
        roots: Iterable[Symbol] | None = None,
        max_operators: int | None = None,
    ) -> Forest:
        """Every expression over these symbols.

        The grammar says which operands an operator takes. At the root stands what makes a statement or a
        system where that is among the symbols, else any operator, unless ``roots`` says otherwise.
        ``max_operators`` limits how many operators (``=`` included) a tree may have.

        >>> len(Forest.full({Symbol.ADD, Symbol.CON}, max_operators=3).states)
        4
        """
        return _full(frozenset(symbols), None if roots is None else frozenset(roots), max_operators)

    @classmethod
    def of(cls, expressions: Expression | Iterable[Expression]) -> Forest:
        """The trees of one expression, or of any of several (sub-expressions in common are shared).

        >>> from fractions import Fraction
        >>> Forest.of(Number(Fraction(7), quantity=0)).states
        (State(symbol=<Symbol.CON: 14>, quantity=0),)
        """
        given = tuple(expressions) if isinstance(expressions, Iterable) else (expressions,)
        most = max((len(equations(expression)) for expression in given), default=0)
        if most > MAX_EQUATIONS:
            raise ForestError(f"the system has {most} equations; at most {MAX_EQUATIONS} can be read")
        builder = _Builder()
        roots = tuple(dict.fromkeys(builder.add(expression) for expression in given))
        return cls(tuple(builder.states), tuple(builder.rules), roots)

    def either(self, other: Forest) -> Forest:
        """The trees of both forests, without mixing their states.

        >>> both = Forest.full(ARITHMETIC).either(Forest.full(EQUATIONS))
        >>> sorted(both.states[root].symbol.name for root in both.roots)
        ['ADD', 'DIV', 'EQU', 'MUL', 'SUB']
        """
        shift = len(self.states)

        def moved(states: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(state + shift for state in states)

        rules = tuple(Rule(rule.state + shift, moved(rule.left), moved(rule.right)) for rule in other.rules)
        return Forest(self.states + other.states, self.rules + rules, self.roots + moved(other.roots))

    @cached_property
    def packed(self) -> IntArray:
        """The forest as one array of integers, for the compiled chart.

        Sizes (states, operators, operands, rules, children, roots), then the symbol and the number of each
        state, each operator's state and first rule, each rule's operands, each operand's symbol, side and
        first child, the children, the roots.
        """
        operators = sorted({rule.state for rule in self.rules})
        operands: dict[tuple[int, int, tuple[int, ...]], int] = {}
        rule_from, left, right = [0], [], []
        for state in operators:
            symbol = int(self.states[state].symbol)
            for rule in self.rules:
                if rule.state == state:
                    left.append(operands.setdefault((symbol, LEFT, rule.left), len(operands)))
                    right.append(operands.setdefault((symbol, RIGHT, rule.right), len(operands)))
            rule_from.append(len(left))
        child_from: list[int] = [0]
        children: list[int] = []
        for _, _, below in operands:
            children += below
            child_from.append(len(children))
        sizes = [len(self.states), len(operators), len(operands), len(left), len(children), len(self.roots)]
        sections: list[Sequence[int]] = [
            sizes,
            [state.symbol for state in self.states],
            [-1 if state.quantity is None else state.quantity for state in self.states],
            operators,
            rule_from,
            left,
            right,
            [symbol for symbol, _, _ in operands],
            [side for _, side, _ in operands],
            child_from,
            children,
            self.roots,
        ]
        return np.array([number for section in sections for number in section], dtype=np.int32)


@lru_cache(maxsize=64)
def _full(symbols: frozenset[Symbol], roots: frozenset[Symbol] | None, limit: int | None) -> Forest:
    operators = [symbol for symbol in sorted(symbols) if symbol.operator is not None]
    leaf_symbols = [symbol for symbol in sorted(symbols) if symbol.operator is None]
    if not leaf_symbols:
        raise ForestError("a forest needs a leaf: CON or an unknown")
    if roots is None:
        roots = frozenset(_statements(symbols) or operators or leaf_symbols)
    if not roots <= symbols:
        missing = ", ".join(sorted(symbol.name for symbol in roots - symbols))
        raise ForestError(f"the root may be {missing}, which is not among the symbols")
    # With a limit, a state is a symbol with the number of operators below and at it; without, just a symbol.
    sizes = range(1) if limit is None else range(1, limit + 1)
    keys = [(symbol, size) for size in sizes for symbol in operators]
    keys += [(symbol, 0) for symbol in leaf_symbols]
    index = {key: at for at, key in enumerate(keys)}

    def below(parent: Symbol, side: int, size: int) -> tuple[int, ...]:
        return tuple(
            at for (symbol, own), at in index.items() if own == size and _may_take(parent, side, symbol)
        )

    rules = []
    for (symbol, size), at in index.items():
        if symbol.operator is None:
            continue
        if limit is None:
            # Operators have size 0 too.
            rules.append(Rule(at, below(symbol, LEFT, 0), below(symbol, RIGHT, 0)))
        else:
            rules += [
                Rule(at, below(symbol, LEFT, left), below(symbol, RIGHT, size - 1 - left))
                for left in range(size)
            ]
    rules = [rule for rule in rules if rule.left and rule.right]
    return Forest(
        tuple(State(symbol) for symbol, _ in keys),
        tuple(rules),
        tuple(at for (symbol, _), at in index.items() if symbol in roots),
    )


def _statements(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    """The symbols that make a statement or a system."""
    return frozenset(
        symbol for symbol in symbols if symbol.operator and symbol.operator.entry.result is not Sort.VALUE
    )


def _may_take(parent: Symbol, side: int, child: Symbol) -> bool:
    """Whether the grammar allows this child on this side of an operator."""
    return parent.operator is not None and parent.operator.may_take(side, child.operator)


class _Builder:
    """Collects the distinct sub-expressions of some expressions as states."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.rules: list[Rule] = []
        self._known: dict[object, int] = {}

    def add(self, expression: Expression) -> int:
        symbol = Symbol.of(expression)
        match expression:
            case Number(value=value, quantity=quantity):
                if quantity is None:
                    raise ForestError(f"the constant {value} does not say which number of the text it is")
                return self._state((symbol, quantity), State(symbol, quantity))
            case Operation(left=left, right=right):
                below = (self.add(left), self.add(right))
                key = (symbol, *below)
                if key not in self._known:
                    at = self._state(key, State(symbol))
                    self.rules.append(Rule(at, (below[0],), (below[1],)))
                return self._known[key]
            case _:
                return self._state((symbol,), State(symbol))

    def _state(self, key: object, state: State) -> int:
        if key not in self._known:
            self._known[key] = len(self.states)
            self.states.append(state)
        return self._known[key]


def check_size(
    words: int, quantities: int, *, max_words: int = MAX_WORDS, max_quantities: int = MAX_QUANTITIES
) -> None:
    """Refuse a text too large for a chart, before any memory is taken.

    >>> check_size(500, 2)
    Traceback (most recent call last):
    text2math.inference.forest.ForestError: the text has 500 words; at most 200 can be read at once
    """
    if words > max_words:
        raise ForestError(f"the text has {words} words; at most {max_words} can be read at once")
    if quantities > max_quantities:
        raise ForestError(f"the text has {quantities} numbers; at most {max_quantities} can be read at once")


def reachable_trees(
    expression: Expression, anchors: Sequence[int], *, limit: int = 200
) -> tuple[Expression, ...]:
    """The trees equal to an expression by commuting and reassociating that do not cross in the text.

    The expression itself comes first where it does not cross. Empty means: unreachable.
    """

    def keep(tree: Expression) -> bool:
        return not crossings(tree, anchors)

    return tuple(filter(keep, equivalent_trees(expression, limit=limit, keep=keep)))


def quantities_used(expression: Expression) -> frozenset[int]:
    """The indices of the numbers of the text that an expression uses."""
    return frozenset(
        leaf.quantity for leaf in leaves(expression) if isinstance(leaf, Number) and leaf.quantity is not None
    )


def whole_grammar(symbols: Iterable[Symbol]) -> Forest:
    """Every value without unknowns, and every equation and system, over these symbols: the text decides.

    >>> whole_grammar(EQUATIONS) == Forest.full(ARITHMETIC).either(Forest.full(EQUATIONS))
    True
    """
    return _whole_grammar(frozenset(symbols))


@lru_cache(maxsize=64)
def _whole_grammar(known: frozenset[Symbol]) -> Forest:
    statements = _statements(known)
    values = known - statements - set(UNKNOWNS)
    # What stands only at the root of a value has no place in an equation.
    inside = {symbol for symbol in known if not (symbol.operator and symbol.operator.entry.root_only)}
    forest = Forest.full(values)
    return forest.either(Forest.full(inside | statements)) if statements else forest


BOTH_TASKS = whole_grammar(EQUATIONS)
"""Every expression without unknowns, and every equation."""

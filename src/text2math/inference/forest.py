"""Forests: sets of text-math trees, described by states and the states that may be operands of each.

The full forest has one state for each symbol; the forest of given expressions has one for each of their
distinct sub-expressions. The chart runs the same recurrence over both.

>>> Forest.full(ARITHMETIC).states[:2]
(State(symbol=<Symbol.ADD: 1>, quantity=None), State(symbol=<Symbol.SUB: 2>, quantity=None))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from text2math.deferred import cached_property
from text2math.inference.potentials import ASIDE, LEFT, RIGHT, UNKNOWNS, IntArray, Symbol
from text2math.language.attachment import crossings
from text2math.language.problem import MAX_IMPLIED
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Variable,
    equations,
    is_system,
    leaves,
)
from text2math.mathematics.grammar import MAX_EQUATIONS, Sort
from text2math.mathematics.regrouping import equivalent_trees

ARITHMETIC = frozenset({Symbol.ADD, Symbol.SUB, Symbol.MUL, Symbol.DIV, Symbol.CON})
EQUATIONS = ARITHMETIC | {Symbol.EQU, Symbol.X1, Symbol.X2}

MAX_WORDS = 200
MAX_QUANTITIES = 40  # written in a text; those that words imply come on top
MAX_NUMBERS = MAX_QUANTITIES + MAX_IMPLIED


class ForestError(ValueError):
    """A forest that can't be built, or a text too large for a chart."""


# Every text has a forest of its own candidates, and named tuples are made much faster than data classes.
class State(NamedTuple):
    """A symbol, or a node of a given expression: a constant there is bound to one number of the text."""

    symbol: Symbol
    quantity: int | None = None


class Rule(NamedTuple):
    """An operator state with the states that may be its left and its right operand.

    ``run`` is the index of the run of asides between the operands, None if there are only words.
    """

    state: int
    left: tuple[int, ...]
    right: tuple[int, ...]
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One or more asides (complete statements) between the two sides of an equation, with or without words.

    Each way to build it is a pair: the run before its last aside (None if there is no other aside), and the
    states that the last aside may have.
    """

    ways: tuple[tuple[int | None, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Forest:
    """States, the rules of the operator states, and the states that may be the root.

    With ``silent``, unknowns may be operands without words. With ``asides``, statements may be inside others;
    the ``runs`` say which.
    """

    states: tuple[State, ...]
    rules: tuple[Rule, ...]
    roots: tuple[int, ...]
    runs: tuple[Run, ...] = ()
    silent: bool = False
    asides: bool = False

    def __repr__(self) -> str:
        return f"Forest({len(self.states)} states, {len(self.rules)} rules, {len(self.roots)} roots)"

    @classmethod
    def full(
        cls,
        symbols: Iterable[Symbol] = ARITHMETIC,
        *,
        roots: Iterable[Symbol] | None = None,
        max_operators: int | None = None,
        silent: bool = False,
        asides: bool = False,
    ) -> Forest:
        """Every expression over these symbols.

        The grammar says which operands an operator takes. The root is a symbol of a statement or a system if
        there is one among the symbols, else any operator; ``roots`` overrides this.
        ``max_operators`` limits how many operators (``=`` included) a tree may have.

        >>> len(Forest.full({Symbol.ADD, Symbol.CON}, max_operators=3).states)
        4
        """
        if asides and max_operators is not None:
            raise ForestError("a limit on operators can't be combined with asides; leave one of them out")
        wanted = None if roots is None else frozenset(roots)
        return _full(frozenset(symbols), wanted, max_operators, silent, asides)

    @classmethod
    def of(
        cls, expressions: Expression | Iterable[Expression], *, silent: bool = False, asides: bool = False
    ) -> Forest:
        """The trees of one expression, or of any of several (sub-expressions in common are shared).

        >>> from fractions import Fraction
        >>> Forest.of(Number(Fraction(7), quantity=0)).states
        (State(symbol=<Symbol.CON: 14>, quantity=0),)
        """
        given = tuple(expressions) if isinstance(expressions, Iterable) else (expressions,)
        return cls.of_each(given, silent=silent, asides=asides)[0]

    @classmethod
    def of_each(
        cls, expressions: Sequence[Expression], *, silent: bool = False, asides: bool = False
    ) -> tuple[Forest, tuple[tuple[int, ...], ...]]:
        """The forest of some expressions, and the root states of each expression.

        With asides, a system has two of them: ``;``, and its first equation with all the others inside.
        """
        most = max((len(equations(expression)) for expression in expressions), default=0)
        if most > MAX_EQUATIONS:
            raise ForestError(f"the system has {most} equations; at most {MAX_EQUATIONS} can be read")
        builder = _Builder(asides)
        each = tuple(builder.roots(expression) for expression in expressions)
        roots = tuple(dict.fromkeys(root for own in each for root in own))
        states, rules, runs = tuple(builder.states), tuple(builder.rules), tuple(builder.runs)
        return cls(states, rules, roots, runs, silent, asides), each

    def either(self, other: Forest) -> Forest:
        """The trees of both forests, without mixing their states.

        >>> both = Forest.full(ARITHMETIC).either(Forest.full(EQUATIONS))
        >>> sorted(both.states[root].symbol.name for root in both.roots)
        ['ADD', 'DIV', 'EQU', 'MUL', 'SUB']
        """
        shift, after = len(self.states), len(self.runs)

        def moved(states: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(state + shift for state in states)

        def later(run: int | None) -> int | None:
            return None if run is None else run + after

        rules = tuple(
            Rule(rule.state + shift, moved(rule.left), moved(rule.right), later(rule.run))
            for rule in other.rules
        )
        runs = tuple(Run(tuple((later(run), moved(last)) for run, last in one.ways)) for one in other.runs)
        return Forest(
            self.states + other.states,
            self.rules + rules,
            self.roots + moved(other.roots),
            self.runs + runs,
            self.silent or other.silent,
            self.asides or other.asides,
        )

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol of each state."""
        return tuple(state.symbol for state in self.states)

    @cached_property
    def root_symbols(self) -> tuple[Symbol, ...]:
        """The symbol whose root score each root collects: an equation with asides is a system."""
        nested = {rule.state for rule in self.rules if rule.run is not None}
        return tuple(Symbol.SYS if root in nested else self.symbols[root] for root in self.roots)

    @property
    def larger(self) -> bool | None:
        """True if there are asides or silent unknowns, else None: numba compiles a kernel for each type."""
        return True if self.silent or self.runs else None

    @cached_property
    def packed(self) -> IntArray:
        """The forest as one array of integers, for the compiled chart (see ``layout.py``)."""
        return _Packing(self).packed()


class _Packing:
    """Numbers the operands, leads and cuts of a forest's chart, and writes the forest as one array."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.operands: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.leads: dict[int, int] = {}  # by the operand of a root-only operator
        self.cuts: dict[tuple[int, int], int] = {}  # by a run and the operand before it
        self.links: list[
            list[tuple[int, int]]
        ] = []  # of each cut: (the cut before its last aside, that aside)
        self.regular, self.whole = self._operators()
        self.wholes = frozenset(self.whole)

    def _operators(self) -> tuple[list[int], list[int]]:
        """The operator states that may be operands, and those that only ever cover the whole text.

        The latter are far cheaper. Equations with asides count as the former, because the chart needs their
        runs of asides over every span.
        """
        forest = self.forest
        below = {state for rule in forest.rules for state in (*rule.left, *rule.right)}
        below |= {state for run in forest.runs for _, last in run.ways for state in last}
        below |= {rule.state for rule in forest.rules if rule.run is not None}
        operators = sorted({rule.state for rule in forest.rules})
        return [s for s in operators if s in below], [s for s in operators if s not in below]

    def packed(self) -> IntArray:
        forest = self.forest
        rules_of: dict[int, list[Rule]] = {}
        for rule in forest.rules:
            rules_of.setdefault(rule.state, []).append(rule)
        rule_from, rules = [0], list[tuple[int, int, int, int]]()
        for state in (*self.regular, *self.whole):
            rules += map(self._rule, rules_of[state])
            rule_from.append(len(rules))
        children = [below for _, _, below in self.operands]
        sizes = [
            *(len(forest.states), len(self.regular), len(self.whole), len(self.operands), len(rules)),
            *(sum(map(len, children)), len(forest.roots), len(self.leads), len(self.cuts)),
            *(sum(map(len, self.links)), int(forest.silent)),
        ]
        operators = (*self.regular, *self.whole)
        sections: list[Iterable[int]] = [
            sizes,
            forest.symbols,
            [-1 if state.quantity is None else state.quantity for state in forest.states],
            operators,
            [forest.symbols[state].in_text_order for state in operators],
            rule_from,
            *([rule[column] for rule in rules] for column in range(4)),
            [symbol for symbol, _, _ in self.operands],
            [side for _, side, _ in self.operands],
            accumulate(map(len, children), initial=0),
            chain.from_iterable(children),
            forest.roots,
            forest.root_symbols,
            self.leads,
            [operand for _, operand in self.cuts],
            accumulate(map(len, self.links), initial=0),
            [before for own in self.links for before, _ in own],
            [aside for own in self.links for _, aside in own],
        ]
        return np.array([number for section in sections for number in section], dtype=np.int32)

    def _rule(self, rule: Rule) -> tuple[int, int, int, int]:
        """A rule's two operands, and the lead or the cut of each (-1: it has none)."""
        symbol, operands, leads = self.forest.symbols[rule.state], self.operands, self.leads
        left = operands.setdefault((symbol, LEFT, rule.left), len(operands))
        right = operands.setdefault((symbol, RIGHT, rule.right), len(operands))
        if rule.state in self.wholes:
            return left, right, leads.setdefault(left, len(leads)), leads.setdefault(right, len(leads))
        if rule.run is None:
            return left, right, -1, -1
        return left, right, self._cut(rule.run, left), self._cut(rule.run, right)

    def _cut(self, run: int, operand: int) -> int:
        key = run, operand
        if key not in self.cuts:
            self.cuts[key] = len(self.cuts)
            own: list[tuple[int, int]] = []
            self.links.append(own)
            for before, last in self.forest.runs[run].ways:
                aside = self.operands.setdefault((Symbol.EQU, ASIDE, last), len(self.operands))
                own.append((-1 if before is None else self._cut(before, operand), aside))
        return self.cuts[key]


@lru_cache(maxsize=64)
def _full(
    symbols: frozenset[Symbol], roots: frozenset[Symbol] | None, limit: int | None, silent: bool, asides: bool
) -> Forest:
    operators = [symbol for symbol in sorted(symbols) if symbol.operator is not None]
    leaf_symbols = [symbol for symbol in sorted(symbols) if symbol.operator is None]
    if not leaf_symbols:
        raise ForestError("a forest needs a leaf: CON or an unknown")
    if roots is None:
        roots = frozenset(_statements(symbols) or operators or leaf_symbols)
    if not roots <= symbols:
        missing = ", ".join(sorted(symbol.name for symbol in roots - symbols))
        raise ForestError(f"the root may be {missing}, which is not among the symbols")
    # With a limit, a state is a symbol and the number of operators in its tree; without, just a symbol.
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
    forest = Forest(
        tuple(State(symbol) for symbol, _ in keys),
        tuple(rule for rule in rules if rule.left and rule.right),
        tuple(at for (symbol, _), at in index.items() if symbol in roots),
        silent=silent,
        asides=asides,
    )
    has_systems = asides and {Symbol.SYS, Symbol.EQU} <= symbols
    return _with_asides(forest, Symbol.SYS in roots) if has_systems else forest


def _with_asides(forest: Forest, at_root: bool) -> Forest:
    """The forest with a second state for ``=``: equations that contain one or more asides."""
    nested = len(forest.states)
    plain = next(at for at, state in enumerate(forest.states) if state.symbol is Symbol.EQU)
    either = (plain, nested)

    def widened(below: tuple[int, ...]) -> tuple[int, ...]:
        return (*below, nested) if plain in below else below

    rules = [rule._replace(left=widened(rule.left), right=widened(rule.right)) for rule in forest.rules]
    rules += [rule._replace(state=nested, run=0) for rule in forest.rules if rule.state == plain]
    return replace(
        forest,
        states=(*forest.states, State(Symbol.EQU)),
        rules=tuple(rules),
        roots=(*forest.roots, nested) if at_root else forest.roots,
        runs=(Run(((None, either), (0, either))),),
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

    def __init__(self, asides: bool) -> None:
        self.states: list[State] = []
        self.rules: list[Rule] = []
        self.runs: list[Run] = []
        self._asides = asides
        self._known: dict[object, int] = {}
        self._added: dict[int, int] = {}  # the states of nodes by their id: they outlive the builder
        self._sides: dict[int, tuple[int, int]] = {}  # of an equation
        self._run_of: dict[tuple[int, ...], int] = {}

    def roots(self, expression: Expression) -> tuple[int, ...]:
        """The states that may be at the root of the expression's trees."""
        if not is_system(expression):
            return (self.add(expression),)
        statements = tuple(self.add(equation) for equation in equations(expression))
        chained = self._chained(statements)
        return (chained, self._nested(statements)) if self._asides else (chained,)

    def add(self, expression: Expression) -> int:
        """The state of an expression; sub-expressions that were added before are shared."""
        at = self._added.get(id(expression))
        if at is None:
            if isinstance(expression, Operation):
                at = self._operation(expression)
            else:
                at = self._leaf(expression)
            self._added[id(expression)] = at
        return at

    def _leaf(self, expression: Number | Variable) -> int:
        symbol = Symbol.of(expression)
        if isinstance(expression, Variable):
            return self._state(symbol, symbol)
        if expression.quantity is None:
            raise ForestError(f"the constant {expression.value} does not say which number of the text it is")
        return self._state((symbol, expression.quantity), symbol, expression.quantity)

    def _operation(self, expression: Operation) -> int:
        symbol = Symbol.of(expression)
        left, right = self.add(expression.left), self.add(expression.right)
        key = (symbol, left, right)
        if (known := self._known.get(key)) is not None:
            return known
        at = self._state(key, symbol)
        self.rules.append(Rule(at, (left,), (right,)))
        self._sides[at] = (left, right)
        return at

    def _state(self, key: object, symbol: Symbol, quantity: int | None = None) -> int:
        if (known := self._known.get(key)) is not None:
            return known
        self._known[key] = len(self.states)
        self.states.append(State(symbol, quantity))
        return self._known[key]

    def _chained(self, statements: tuple[int, ...]) -> int:
        """The state of these statements joined by ``;``, which may come before any but the first of them."""
        key = ("chained", statements)
        if key not in self._known:
            at = self._state(key, Symbol.SYS)
            for cut in range(1 if self._asides else len(statements) - 1, len(statements)):
                left, right = statements[:cut], statements[cut:]
                before = [self._chained(left)] if cut > 1 else []
                if cut == 1 or self._asides:
                    before.append(self._nested(left))
                self.rules.append(Rule(at, tuple(before), (self._nested(right),)))
        return self._known[key]

    def _nested(self, statements: tuple[int, ...]) -> int:
        """The state of the first statement with all the others inside it, if there are any."""
        if len(statements) == 1:
            return statements[0]
        key = ("nested", statements)
        if key not in self._known:
            at = self._state(key, Symbol.EQU)
            left, right = self._sides[statements[0]]
            self.rules.append(Rule(at, (left,), (right,), self._run(statements[1:])))
        return self._known[key]

    def _run(self, statements: tuple[int, ...]) -> int:
        """The run of asides that contains these statements; its last aside has one or more of them."""
        if statements not in self._run_of:
            ways = tuple(
                (self._run(statements[:cut]) if cut else None, (self._nested(statements[cut:]),))
                for cut in range(len(statements))
            )
            self._run_of[statements] = len(self.runs)
            self.runs.append(Run(ways))
        return self._run_of[statements]


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


def crosses(expression: Expression, anchors: Sequence[int]) -> bool:
    """Whether the numbers of an expression interleave in the text such that no text-math tree spells it.

    Each equation of a system comes after the one before it, or between that equation's two sides.

    >>> from text2math.mathematics.notation import from_infix
    >>> tickets = from_infix("4[0] * X1 + 6[1] * X2 = 2876[3]; X1 + X2 = 525[2]")
    >>> crosses(tickets, [2, 5, 8, 12]), crosses(tickets, [2, 8, 5, 12])
    (False, True)
    """
    parts = equations(expression) or (expression,)
    if any(crossings(part, anchors) for part in parts):
        return True
    places = [_place(part, anchors) for part in parts] if len(parts) > 1 else []
    return not all(_in_order(one, other) for one, other in combinations(places, 2))


_Span: TypeAlias = tuple[int, int] | None


def _place(equation: Expression, anchors: Sequence[int]) -> tuple[_Span, _Span]:
    """The first and last word with a number of an equation, and the two around the gap between its sides."""
    assert isinstance(equation, Operation)
    sides = (sorted(anchors[k] for k in quantities_used(side)) for side in (equation.left, equation.right))
    words = sorted(side for side in sides if side)
    if not words:
        return None, None
    whole = words[0][0], words[-1][-1]
    return whole, (words[0][-1], words[1][0]) if len(words) == 2 else None


def _in_order(one: tuple[_Span, _Span], other: tuple[_Span, _Span]) -> bool:
    """Whether the other equation comes after this one, or between its two sides."""
    (whole, gap), (inner, _) = one, other
    if whole is None or inner is None or whole[1] < inner[0]:
        return True
    return gap is not None and gap[0] < inner[0] and inner[1] < gap[1]


def reachable_trees(
    expression: Expression, anchors: Sequence[int], *, limit: int = 200
) -> tuple[Expression, ...]:
    """The trees equal to an expression by commuting and reassociating that do not cross in the text.

    The expression itself comes first if it does not cross. No tree at all means that it is unreachable.
    """

    def keep(tree: Expression) -> bool:
        return not crosses(tree, anchors)

    return tuple(filter(keep, equivalent_trees(expression, limit=limit, keep=keep)))


def quantities_used(expression: Expression) -> frozenset[int]:
    """The indices of the numbers of the text that an expression uses."""
    return frozenset(
        leaf.quantity for leaf in leaves(expression) if isinstance(leaf, Number) and leaf.quantity is not None
    )


@dataclass(frozen=True, slots=True)
class Grammar:
    """The mathematics that a model can express: its symbols, and the switches of the larger grammar.

    With ``silent``, unknowns may be operands without words; with ``asides``, equations of a system may be
    inside others; with ``knowledge``, leaves may be numbers that words imply.

    >>> PAPER_GRAMMAR.full == Forest.full(ARITHMETIC).either(Forest.full(EQUATIONS))
    True
    """

    symbols: frozenset[Symbol]
    silent: bool = False
    asides: bool = False
    knowledge: bool = False

    @property
    def full(self) -> Forest:
        """Every value without unknowns, every equation and every system."""
        return _whole_grammar(self.symbols, self.silent, self.asides)

    @property
    def values(self) -> Forest:
        """Every value without unknowns."""
        return _values(self.symbols)

    def of(self, expressions: Iterable[Expression]) -> Forest:
        """The trees of any of some expressions."""
        return Forest.of(expressions, silent=self.silent, asides=self.asides)


@lru_cache(maxsize=64)
def _whole_grammar(known: frozenset[Symbol], silent: bool, asides: bool) -> Forest:
    statements = _statements(known)
    # Operators that are allowed only at the root of a value can't be part of an equation.
    inside = {symbol for symbol in known if not (symbol.operator and symbol.operator.entry.root_only)}
    if not statements:
        return _values(known)
    return _values(known).either(Forest.full(inside | statements, silent=silent, asides=asides))


@lru_cache(maxsize=64)
def _values(known: frozenset[Symbol]) -> Forest:
    return Forest.full(known - _statements(known) - set(UNKNOWNS))


PAPER_GRAMMAR = Grammar(EQUATIONS)
"""Every expression without unknowns, and every equation in two unknowns."""
LARGER_GRAMMAR = Grammar(
    frozenset(Symbol) - {Symbol.SUBR, Symbol.DIVR}, silent=True, asides=True, knowledge=True
)
"""Systems of equations, silent unknowns, rounding and whole numbers, and implied numbers as well."""

"""The distribution over text-math trees: partition function, marginals, best tree, k-best, samples, entropy.

>>> from text2math.inference.forest import ARITHMETIC, Forest
>>> potentials = Potentials.zeros(words=3, anchors=[0, 2])
>>> crf = TextMathCRF(Forest.full({Symbol.ADD, Symbol.CON}), potentials)
>>> crf.tree_count
6
>>> round(crf.best.score, 9), crf.best.tree.symbol.name
(0.0, 'ADD')
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from text2math.deferred import Later, already
from text2math.inference import chart, compilation, derivations, inside, layout
from text2math.inference.enumeration import spelled_out
from text2math.inference.forest import MAX_NUMBERS, MAX_WORDS, Forest, ForestError, check_size, crosses
from text2math.inference.patterns import PATTERN_COUNT, Pattern
from text2math.inference.potentials import LEFT, RIGHT, FloatArray, IntArray, Potentials, Symbol
from text2math.inference.semiring import LINEAR, LINEAR_MAX, LOG, LOG_MAX
from text2math.inference.tree import TextMathTree
from text2math.inference.work_queue import Queue, queue_of
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    root_operator,
)
from text2math.mathematics.grammar import MAX_EQUATIONS, OPERANDS
from text2math.mathematics.logarithms import log_sum
from text2math.parallel import available_cores

MOST_SPARE_BYTES = 1 << 23  # of items kept for the next text; most texts need less
LARGEST_SCORE = 1e100  # so that no sum of a tree's scores overflows


class EmptyForestError(ForestError):
    """No text-math tree fits: the text has too few words or numbers, or all of them are forbidden."""


@dataclass(frozen=True, slots=True)
class ScoredTree:
    """A tree with its score (the sum of its potentials)."""

    tree: TextMathTree
    score: float


@dataclass(frozen=True, slots=True)
class ScoredExpression:
    """An expression, the exact log of its probability given the text, and its best tree with its score.

    ``in_text_order`` is the same with the operands of every +, × and = in text order, if that is known.
    """

    expression: Expression
    log_probability: float
    best_tree: Later[TextMathTree] = field(compare=False, repr=False)
    score: float
    in_text_order: Expression | None = None

    @property
    def tree(self) -> TextMathTree:
        """The best tree, made on first use."""
        return self.best_tree.value


class TextMathCRF:
    """The conditional distribution over the trees of a forest, given the potentials of one problem.

    Its properties are computed on first use and cached.
    """

    def __init__(
        self,
        forest: Forest,
        potentials: Potentials,
        *,
        max_words: int = MAX_WORDS,
        max_quantities: int = MAX_NUMBERS,
    ) -> None:
        check_size(
            potentials.words, len(potentials.number), max_words=max_words, max_quantities=max_quantities
        )
        self.forest = forest
        self.potentials = potentials
        self._batch = PotentialsBatch.of([potentials])
        self._factors: dict[frozenset[Symbol], _Factors | None] = {}  # by the symbols they are for
        _check_scores(self._batch)

    @cached_property
    def log_partition(self) -> float:
        """The log of the partition function: the sum of exp(score) over all trees (-inf if there is none)."""
        return self._fill(LINEAR, LOG).log_total

    @cached_property
    def marginals(self) -> Potentials:
        """The expected count of every potential, which is the gradient of the log partition."""
        self._require_trees(self.log_partition)
        _, counts = expected_counts(self._batch, ForestBatch.same(self.forest, 1), [1.0])
        return self._batch.unpack(counts)[0]

    @cached_property
    def entropy(self) -> float:
        """The entropy of the distribution over trees, in nats."""
        counts = PotentialsBatch.of([self.marginals]).flat
        scores = np.where(counts > 0, self._batch.flat, 0.0)
        return self.log_partition - float(counts @ scores)

    @cached_property
    def best(self) -> ScoredTree:
        """The tree with the highest score."""
        larger = self.forest.larger
        compilation.start(
            derivations.trace, f"from text2math.inference import crf; crf.compile_tracing({larger})"
        )
        filled = self._fill(LINEAR_MAX, LOG_MAX)
        self._require_trees(filled.log_total)
        compilation.wait()
        root, codes = filled.chart.cells.size, _room_for_codes(filled.chart.n)
        records = self._traced(filled, self.forest, root, np.zeros(1), codes)
        return ScoredTree(_tree_of(self.forest, records, {}), filled.log_total)

    @cached_property
    def tree_count(self) -> int:
        """How many trees the forest has over this text, exactly while below 2**53."""
        flat = np.where(np.isneginf(self._batch.flat), -np.inf, 0.0)
        crf = TextMathCRF(self.forest, self._batch.unpack(flat)[0])
        return round(float(np.exp(crf.log_partition)))

    def k_best(self, k: int) -> list[ScoredTree]:
        """The k trees with the highest scores, best first (fewer if there are not so many)."""
        known: dict[object, TextMathTree] = {}
        found = self._derivations(k, distinct=False)
        return [ScoredTree(_tree_of(one.forest, one.records, known), one.score) for one in found]

    def expressions(
        self,
        k: int,
        values: Sequence[Fraction],
        *,
        exact: bool = True,
        margin: float = math.inf,
        at_least: int = 1,
    ) -> list[ScoredExpression]:
        """The k expressions with the highest-scoring trees, by their exact probability, best first.

        ``values`` are the values of the numbers of the text, in text order. Without ``exact``, probabilities
        are relative to the k expressions alone, which saves the chart that sums over all others. Expressions
        whose best tree scores less than the best of all by more than ``margin`` are left out, except for the
        first ``at_least``, and so are systems of more than MAX_EQUATIONS equations.
        """
        few = spelled_out(self.forest, self.potentials.anchors.tolist())
        if few is None:
            found = self._derivations(k, distinct=True, margin=margin, at_least=at_least)
        else:
            found = self._best_of_few(few, k, margin, at_least)
        readings = map(_Reader(values).reading, found)
        kept = [one for one in readings if len(equations(one.expression)) <= MAX_EQUATIONS]
        if not kept:
            return []
        totals = self.log_sums([one.expression for one in kept])
        log_partition = self.log_partition if exact else log_sum(totals)
        merged = [
            ScoredExpression(one.expression, total - log_partition, one.tree, one.score, one.in_text_order)
            for one, total in zip(kept, totals, strict=True)
        ]
        return sorted(merged, key=lambda item: -item.log_probability)

    def log_sums(self, expressions: Sequence[Expression]) -> list[float]:
        """The log of the sum over the trees of each expression, in one chart; no two may be the same."""
        switches = {"silent": self.forest.silent, "asides": self.forest.asides}
        forest, roots_of = Forest.of_each(expressions, **switches)
        filled = self._fill(LINEAR, LOG, forest)
        totals = {}
        values = filled.chart.cells[0, forest.roots, filled.chart.n].tolist()
        of_root = self.potentials.root.tolist()
        for state, symbol, value in zip(forest.roots, forest.root_symbols, values, strict=True):
            if filled.linear:
                value = math.log(value) + filled.shift if value else -math.inf
            totals[state] = value + of_root[symbol]
        sums = ([totals[root] for root in roots] for roots in roots_of)
        return [one[0] if len(one) == 1 else log_sum(one) for one in sums]

    def sample(self, rng: np.random.Generator, count: int = 1) -> list[TextMathTree]:
        """Trees drawn from the distribution."""
        self._require_trees(self.log_partition)
        filled = self._fill(LINEAR, LOG)
        root = filled.chart.cells.size
        codes = _room_for_codes(self.potentials.words)
        return [
            _tree_of(self.forest, self._traced(filled, self.forest, root, uniform, codes), {})
            for uniform in rng.random((count, len(codes)))
        ]

    def _derivations(
        self, k: int, *, distinct: bool, margin: float = math.inf, at_least: int = 1
    ) -> list[_Derivation]:
        """The k best derivations, or those of distinct expressions."""
        larger = self.forest.larger
        command = f"from text2math.inference import crf; crf.compile_listing({larger})"
        compilation.start(derivations.derive, command)
        filled = self._fill(LINEAR_MAX, LOG_MAX)
        compilation.wait()
        n, root = filled.chart.n, filled.chart.cells.size  # after the root come the numbers
        lowest = filled.score(filled.log_total - margin)
        room = 1 << 16  # enough for most texts: if it runs out, the whole search is repeated
        while True:
            pool = _pool(root + 1 + len(self.potentials.number), room)
            for wanted, low in ((min(k, at_least), filled.score(-math.inf)), (k, lowest)):
                found = derivations.derive(
                    filled.tag, root, wanted, low, distinct, filled.chart, pool, larger
                )
            if not pool.size[1]:
                break
            room *= 4
        scores, sizes = np.empty(found), np.empty(found, dtype=np.int64)
        nodes = np.empty((found, derivations.node_limit(n), derivations.RECORD_SIZE), dtype=np.int32)
        derivations.listed(self.forest.packed, root, n, pool, scores, sizes, nodes)
        _give_back(pool)
        longest = int(sizes.max(initial=0))
        rows = nodes[:, :longest].tolist()
        return [
            _Derivation(self.forest, records[:size], score)
            for records, size, score in zip(rows, sizes.tolist(), filled.logs(scores).tolist(), strict=True)
        ]

    def _best_of_few(self, forest: Forest, k: int, margin: float, at_least: int) -> list[_Derivation]:
        """The best derivation of each of the k best expressions, which are the roots of a forest."""
        filled = self._fill(LINEAR_MAX, LOG_MAX, forest)
        states, n = np.array(forest.roots), filled.chart.n
        scores = filled.logs(filled.chart.cells[0, states, n])
        scores += self.potentials.root[list(forest.root_symbols)]
        order = np.argsort(-scores, kind="stable")[:k]
        near = scores[order] >= scores[order[0]] - margin
        near[:at_least] = True
        kept = order[near & (scores[order] > -np.inf)]
        codes = _room_for_codes(n)
        found = []
        for item, score in zip(states[kept] * (n + 1) + n, scores[kept].tolist(), strict=True):
            records = self._traced(filled, forest, item, np.zeros(1), codes)
            found.append(_Derivation(forest, records, score))
        return found

    def _fill(self, linear: Any, log: Any, forest: Forest | None = None) -> _Filled:
        """A chart in linear space, or in log space if the scores are out of range."""
        forest = forest or self.forest
        batch, packed, n = self._batch, forest.packed, self.potentials.words
        cells, ranges = _workspace(packed, n)
        factors = self._factors_for(forest)
        for last in (False, True):  # the second time with a baseline computed from the first chart
            if factors is None:
                break
            values, shift = factors.values, factors.shift
            total = inside.inside(linear, packed, values, batch.anchors, n, cells, ranges, forest.larger)
            if chart.in_bounds(linear, cells, n):
                filled = derivations.FilledChart(packed, values, batch.anchors, n, cells)
                return _Filled(linear, filled, shift, math.log(total) + shift if total else -math.inf, True)
            if not last:
                factors = self._new_factors(forest, chart.growth(cells, n))
        total = inside.inside(log, packed, batch.flat, batch.anchors, n, cells, ranges, forest.larger)
        filled = derivations.FilledChart(packed, batch.flat, batch.anchors, n, cells)
        return _Filled(log, filled, 0.0, total, False)

    def _factors_for(self, forest: Forest) -> _Factors | None:
        """The potentials as factors; those for more symbols do for fewer."""
        symbols = frozenset(forest.symbols)
        for known, factors in self._factors.items():
            if symbols <= known:
                return factors
        return self._factors.setdefault(symbols, self._new_factors(forest, 0.0))

    def _new_factors(self, forest: Forest, raised: float) -> _Factors | None:
        """The potentials as factors with a raised baseline, or None if one is out of bounds."""
        flat, n = self._batch.flat, self.potentials.words
        values, baseline = np.empty_like(flat), np.empty(n + 1)
        fits = chart.to_linear(forest.packed, flat, n, values, baseline, raised)
        return _Factors(values, float(baseline.sum())) if fits else None

    def _traced(
        self, filled: _Filled, forest: Forest, item: int, uniform: FloatArray, codes: NDArray[np.int64]
    ) -> list[list[int]]:
        """The records of an item's tree, the best or a random one; ``codes`` is room for its items."""
        length = derivations.trace(filled.tag, *filled.chart, item, uniform, codes, forest.larger)
        words = self.potentials.words
        nodes = np.empty((derivations.node_limit(words), derivations.RECORD_SIZE), dtype=np.int32)
        size = derivations.records(forest.packed, words, codes, length, nodes)
        found: list[list[int]] = nodes[:size].tolist()
        return found

    def _require_trees(self, log_partition: float) -> None:
        if log_partition == -np.inf:
            raise self._empty()

    def _empty(self) -> EmptyForestError:
        return EmptyForestError(
            f"no text-math tree fits {self.potentials.words} words with {len(self.potentials.number)} "
            "numbers (too few of them, or forbidden)"
        )


@dataclass(frozen=True, slots=True)
class _Factors:
    """Potentials in linear space, and the total baseline of the words."""

    values: FloatArray
    shift: float


@dataclass(frozen=True, slots=True)
class _Filled:
    """A chart, the arithmetic it is in, and the total baseline of its words."""

    tag: Any
    chart: derivations.FilledChart
    shift: float
    log_total: float
    linear: bool

    def logs(self, scores: FloatArray) -> FloatArray:
        """The logarithms of some of its scores."""
        with np.errstate(divide="ignore"):
            return np.log(scores) + self.shift if self.linear else scores.copy()

    def score(self, log_score: float) -> float:
        """A score as the chart has it."""
        return math.exp(log_score - self.shift) if self.linear else log_score


def _workspace(packed: IntArray, n: int) -> tuple[FloatArray, IntArray]:
    operands = int(packed[layout.OPERANDS])
    cells = np.empty((n + 1, layout.item_count(packed), n + 1))
    return cells, np.empty((operands, n + 1, 2), dtype=np.int32)


def _room_for_codes(words: int) -> NDArray[np.int64]:
    """Room for the items of a tree."""
    return np.empty((derivations.code_limit(words), 2), dtype=np.int64)


class _Spare(threading.local):
    """Items of a pool that the next text of this thread may use: all of them zero."""

    items: IntArray | None = None


_spare = _Spare()


def _pool(items: int, room: int) -> derivations.Pool:
    """A pool with no derivations in it."""
    item, _spare.items = _spare.items, None
    if item is None or len(item) < items:
        # The system provides zeros only for the pages that are used, and most items are never asked.
        item = np.zeros((items, derivations.ITEM_SIZE), dtype=np.int32)
    return derivations.Pool(
        item=item,
        link=np.empty((room, derivations.LINK_SIZE), dtype=np.int32),
        score=np.empty((room, 2)),
        hash=np.empty((room, 2), dtype=np.uint64),
        size=np.zeros(3, dtype=np.int64),
        asked=np.empty(room, dtype=np.int64),
    )


def _give_back(pool: derivations.Pool) -> None:
    """Keep a pool's items, which are zero again, for the next text."""
    if pool.item.nbytes <= MOST_SPARE_BYTES:
        _spare.items = pool.item


def compile_tracing(larger: bool | None) -> None:
    """Compile the kernels that find the best tree, by calling them with a chart of zeros."""
    filled = _chart_of_zeros()
    codes, root = _room_for_codes(filled.n), filled.cells.size
    length = derivations.trace(LINEAR_MAX, *filled, root + 1, np.zeros(1), codes, larger)
    nodes = np.empty((1, derivations.RECORD_SIZE), dtype=np.int32)
    derivations.records(filled.forest, filled.n, codes[:length], 0, nodes)


def compile_listing(larger: bool | None) -> None:
    """Compile the kernels that list the best trees, by calling them with a chart of zeros."""
    filled = _chart_of_zeros()
    packed, n, root = filled.forest, filled.n, filled.cells.size
    pool = _pool(root + 2, 1)
    pool.link[:] = -1
    derivations.derive(LINEAR_MAX, root, 1, 0.0, True, filled, pool, larger)
    nodes = np.empty((0, derivations.node_limit(n), derivations.RECORD_SIZE), dtype=np.int32)
    derivations.listed(packed, 0, n, pool, np.empty(0), np.empty(0, dtype=np.int64), nodes)


def _chart_of_zeros() -> derivations.FilledChart:
    """The chart of a text of one word in which nothing is possible."""
    packed, n = Forest.full({Symbol.ADD, Symbol.CON}).packed, 1
    cells, _ = _workspace(packed, n)
    cells[:] = 0.0
    return derivations.FilledChart(packed, np.zeros(flat_size(n, 1)), np.zeros(1, dtype=np.int32), n, cells)


class _Derivation(NamedTuple):
    """A tree as it was derived: its forest, a record for each node (parents first), and its score."""

    forest: Forest
    records: list[list[int]]
    score: float


class _Reading(NamedTuple):
    """The expression of a derivation, as it is and in text order, and its tree, made on first use."""

    expression: Expression
    in_text_order: Expression | None  # None: only its tree says
    tree: Later[TextMathTree]
    score: float


class _Reader:
    """Reads the expressions of derivations.

    They have most sub-expressions in common, and a lookup is cheaper than making one. Trees take longer to
    make, and only those of the few best expressions are looked at.
    """

    def __init__(self, values: Sequence[Fraction]) -> None:
        """Given the values of the numbers of the text."""
        self._values = values
        # By identity: what is known stays, so that no two of them ever have the same.
        self._leaves: dict[tuple[Symbol, int], Number | Variable] = {}
        self._operations: dict[tuple[Operator, int, int], Operation] = {}

    def reading(self, derivation: _Derivation) -> _Reading:
        """The expression of a derivation."""
        both = self._both_orders(derivation)
        if both is None:
            tree = _tree_of(derivation.forest, derivation.records, {})
            return _Reading(tree.expression(self._values), None, already(tree), derivation.score)
        later = Later(lambda: _tree_of(derivation.forest, derivation.records, {}))
        return _Reading(*both, later, derivation.score)

    def _both_orders(self, derivation: _Derivation) -> tuple[Expression, Expression] | None:
        """The expression as it is and in text order; None for a system, whose order is that of its tree."""
        rows, symbols = derivation.records, derivation.forest.symbols
        # For each operator and side: the operand as it is, in text order, and where it begins (-1: nowhere).
        below: list[dict[int, tuple[Expression, Expression, int]]] = [{}, {}]
        for at in range(len(rows) - 1, -1, -1):
            state, parent, side, first, last, quantity = rows[at]
            symbol = symbols[state]
            operator = symbol.operator
            own: Expression
            ordered: Expression
            if operator is None:
                own = ordered = self._leaf(symbol, quantity)
            elif operator is Operator.SYS or (operator is Operator.EQU and parent >= 0):
                return None
            else:
                (left, in_order_left, left_at), (right, in_order_right, right_at) = (
                    below[LEFT][at],
                    below[RIGHT][at],
                )
                own = ordered = self._operation(operator, left, right)
                if 0 <= right_at < left_at and _may_exchange(operator, left, right):
                    ordered = self._operation(operator, in_order_right, in_order_left)
                elif in_order_left is not left or in_order_right is not right:
                    ordered = self._operation(operator, in_order_left, in_order_right)
            if parent < 0:
                return own, ordered
            below[side][parent] = own, ordered, first if first < last else -1
        raise EmptyForestError("no tree")

    def _leaf(self, symbol: Symbol, quantity: int) -> Number | Variable:
        leaf = self._leaves.get((symbol, quantity))
        if leaf is None:
            leaf = symbol.unknown or Number(self._values[quantity], quantity)
            self._leaves[symbol, quantity] = leaf
        return leaf

    def _operation(self, operator: Operator, left: Expression, right: Expression) -> Operation:
        key = operator, id(left), id(right)
        found = self._operations.get(key)
        if found is None:
            found = self._operations[key] = Operation(operator, left, right)
        return found


def _may_exchange(operator: Operator, left: Expression, right: Expression) -> bool:
    """Whether an operator's operands may be exchanged; a system of three equations groups from the left."""
    if not operator.commutative:
        return False
    as_left, as_right = OPERANDS[operator]
    return root_operator(right) in as_left and root_operator(left) in as_right


# A lookup is cheaper than making a pattern.
_pattern_of = lru_cache(maxsize=4096)(Pattern.of_spans)


def _tree_of(forest: Forest, rows: list[list[int]], known: dict[object, TextMathTree]) -> TextMathTree:
    """A tree from the records of its nodes, parents first; ``known`` has the nodes of other trees.

    The best trees of a text have most nodes in common, and a lookup is cheaper than making a node.
    """
    symbols = forest.symbols
    sides: list[list[TextMathTree | None]] = [[None] * len(rows), [None] * len(rows)]  # of each operator
    asides: dict[int, list[TextMathTree]] = {}
    for at in range(len(rows) - 1, -1, -1):
        state, parent, side, first, last, quantity = rows[at]
        symbol = symbols[state]
        if first == last:  # without words: at the beginning or the end of its operator
            first = last = rows[parent][3 if side == LEFT else 4]
        left, right = sides[LEFT][at], sides[RIGHT][at]
        if left is not None and right is not None:
            held = tuple(sorted(asides[at], key=lambda aside: aside.span)) if at in asides else ()
            # By identity: what is known stays, so that no two of its nodes ever have the same.
            key: object = (symbol, first, last, id(left), id(right), *map(id, held))
            tree = known.get(key)
            if tree is None:
                pattern = _pattern_of((first, last), left.span, right.span)
                tree = known[key] = TextMathTree(symbol, (first, last), pattern, (left, right), asides=held)
        else:
            key = (symbol, first, last, quantity)
            tree = known.get(key)
            if tree is None:
                number = quantity if quantity >= 0 else None
                tree = known[key] = TextMathTree(symbol, (first, last), quantity=number)
        if parent < 0:
            return tree
        if symbol is Symbol.EQU and symbols[rows[parent][0]] is Symbol.EQU:
            asides.setdefault(parent, []).append(tree)
        else:
            sides[side][parent] = tree
    raise EmptyForestError("no tree")


# ---------------------------------------------------------------------------------------------------
# Many problems in one call


class TextMathCRFs:
    """The distributions of many problems, computed for all of them in one call, on several threads.

    >>> from text2math.inference.forest import Forest
    >>> many = TextMathCRFs(Forest.full({Symbol.ADD, Symbol.CON}), [Potentials.zeros(3, [0, 2])] * 2)
    >>> [round(float(total), 6) for total in many.log_partition]
    [1.791759, 1.791759]
    """

    def __init__(
        self,
        forest: Forest | Sequence[Forest],
        potentials: Sequence[Potentials],
        *,
        threads: int | None = None,
    ) -> None:
        forests = [forest] * len(potentials) if isinstance(forest, Forest) else list(forest)
        self.each = [TextMathCRF(one, given) for one, given in zip(forests, potentials, strict=True)]
        self._batch = PotentialsBatch.of(potentials)
        self._forests = ForestBatch.of([[one] for one in forests])
        self._threads = threads

    @cached_property
    def log_partition(self) -> FloatArray:
        """The log partition of each problem."""
        return log_partitions(self._batch, self._forests, threads=self._threads)[:, 0]

    @cached_property
    def marginals(self) -> list[Potentials]:
        """The expected counts of each problem (all zero where it has no tree)."""
        _, counts = expected_counts(self._batch, self._forests, [1.0], threads=self._threads)
        return self._batch.unpack(counts)

    @cached_property
    def best(self) -> list[ScoredTree | None]:
        """The best tree of each problem (None where it has no tree)."""
        return best_trees(self._batch, self._forests, threads=self._threads)

    @cached_property
    def entropy(self) -> FloatArray:
        """The entropy of each problem's distribution."""
        return np.array(self._map(lambda crf: crf.entropy))

    def k_best(self, k: int) -> list[list[ScoredTree]]:
        """The k best trees of each problem."""
        return self._map(lambda crf: crf.k_best(k))

    def expressions(self, k: int, values: Sequence[Sequence[Fraction]]) -> list[list[ScoredExpression]]:
        """The k best expressions of each problem, given the values of its numbers."""
        return self._map(lambda crf, own: crf.expressions(k, own), values)

    def sample(self, rng: np.random.Generator, count: int = 1) -> list[list[TextMathTree]]:
        """Trees drawn from each problem's distribution."""
        return self._map(lambda crf, own: crf.sample(own, count), rng.spawn(len(self.each)))

    def _map(self, function: Any, *arguments: Sequence[Any]) -> list[Any]:
        with ThreadPoolExecutor(self._threads or os.cpu_count()) as pool:
            return list(pool.map(function, self.each, *arguments))


@dataclass(frozen=True, slots=True, eq=False)
class PotentialsBatch:
    """The potentials of many problems in one flat array: step, pattern, child, root, number of each."""

    words: IntArray  # [P]
    flat: FloatArray
    flat_from: NDArray[np.int64]  # [P + 1]
    anchors: IntArray
    anchors_from: NDArray[np.int64]  # [P + 1]

    @classmethod
    def of(cls, potentials: Sequence[Potentials]) -> PotentialsBatch:
        """Pack the potentials of some problems."""
        parts = [
            part.ravel()
            for one in potentials
            for part in (one.step, one.pattern, one.child, one.root, one.number)
        ]
        return cls.from_flat(
            np.concatenate(parts) if parts else np.empty(0),
            [one.words for one in potentials],
            [one.anchors for one in potentials],
        )

    @classmethod
    def from_flat(
        cls, flat: FloatArray, words: Sequence[int], anchors: Sequence[IntArray | Sequence[int]]
    ) -> PotentialsBatch:
        """A batch over an array that already has this layout."""
        sizes = [flat_size(n, len(spots)) for n, spots in zip(words, anchors, strict=True)]
        if sum(sizes) != len(flat):
            raise ValueError(f"the flat array has {len(flat)} numbers, these problems need {sum(sizes)}")
        return cls(
            np.asarray(words, dtype=np.int32),
            np.ascontiguousarray(flat, dtype=np.float64),
            _starts(sizes),
            np.concatenate(
                [np.asarray(spots, dtype=np.int32) for spots in anchors] or [np.empty(0, np.int32)]
            ),
            _starts([len(spots) for spots in anchors]),
        )

    def __len__(self) -> int:
        return len(self.words)

    def unpack(self, flat: FloatArray) -> list[Potentials]:
        """An array laid out like this batch, as one ``Potentials`` for each problem."""
        return [
            _potentials(
                flat[self.flat_from[p] : self.flat_from[p + 1]],
                int(self.words[p]),
                self.anchors[self.anchors_from[p] : self.anchors_from[p + 1]],
            )
            for p in range(len(self))
        ]


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Where each of some parts begins in an array, and where the last one ends."""
    return np.array([*accumulate(sizes, initial=0)], dtype=np.int64)


def flat_size(words: int, numbers: int) -> int:
    """How many potentials a problem has."""
    return layout.STEP_SIZE * (words + 1) + layout.FIXED_SIZE + numbers


def _potentials(flat: FloatArray, words: int, anchors: IntArray) -> Potentials:
    count = len(Symbol)
    sizes = (layout.STEP_SIZE * (words + 1), layout.PATTERN_SIZE, layout.CHILD_SIZE, layout.ROOT_SIZE)
    ends = np.cumsum(sizes)
    step, pattern, child, root, number = np.split(flat, ends)
    return Potentials(
        step.reshape(count, words + 1, 4, 4),
        pattern.reshape(count, PATTERN_COUNT),
        child.reshape(count, 2, count),
        root,
        number,
        anchors,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ForestBatch:
    """For each of many problems, one or more forests (the same number for all)."""

    packed: IntArray
    packed_from: NDArray[np.int64]
    forest_of: NDArray[np.int64]  # [P, F]
    forests: tuple[Forest, ...]

    @classmethod
    def of(cls, forests: Sequence[Sequence[Forest]]) -> ForestBatch:
        """Pack the forests of each problem; a forest (object) that several problems share is kept once."""
        index: dict[int, int] = {}
        distinct: list[Forest] = []
        for forest in (forest for row in forests for forest in row):
            if id(forest) not in index:
                index[id(forest)] = len(distinct)
                distinct.append(forest)
        width = len(forests[0]) if forests else 1
        return cls(
            np.concatenate([forest.packed for forest in distinct] or [np.empty(0, np.int32)]),
            _starts([len(forest.packed) for forest in distinct]),
            np.array([[index[id(forest)] for forest in row] for row in forests], dtype=np.int64).reshape(
                len(forests), width
            ),
            tuple(distinct),
        )

    @classmethod
    def same(cls, forest: Forest, problems: int) -> ForestBatch:
        """One forest for all problems."""
        return cls.of([[forest]] * problems)


def log_partitions(batch: PotentialsBatch, forests: ForestBatch, *, threads: int | None = None) -> FloatArray:
    """The log partition of each problem under each of its forests, [P, F]."""
    result = np.empty(forests.forest_of.shape)

    arguments = _arguments(batch, forests)

    def run(tag: Any, queue: Queue, fits: NDArray[np.bool_]) -> None:
        chart.partitions(tag, queue, *arguments, result, fits)

    _linear_then_log(run, batch, forests, threads)
    return result


def has_tree(expression: Expression, words: int, anchors: Sequence[int]) -> bool:
    """Whether an expression has a text-math tree over this many words, given the anchors of its numbers.

    Unknowns may be silent, and equations of a system may be asides.

    >>> from text2math.mathematics.notation import from_infix
    >>> [has_tree(from_infix("X1 - X2 = 6[0]"), words, [0]) for words in (1, 2)]
    [False, True]
    """
    if crosses(expression, anchors):
        return False  # most expressions without a tree cross, which is quicker to find out than by a chart
    batch = PotentialsBatch.of([Potentials.zeros(words, list(anchors))])
    forests = ForestBatch.same(Forest.of(expression, silent=True, asides=True), 1)
    return bool(log_partitions(batch, forests, threads=1)[0, 0] > -np.inf)


def expected_counts(
    batch: PotentialsBatch,
    forests: ForestBatch,
    weights: Sequence[float],
    *,
    threads: int | None = None,
    counts: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Log partitions [P, F], and the expected counts of all potentials, laid out as the batch.

    The counts of a problem's forests are added up with the given weights: ``[1, -1]`` over a gold and a
    full forest is the gradient of the log-likelihood. They are written over ``counts`` if given.
    """
    from text2math.inference.expectations import expectations  # those who only parse need not wait for it

    result = np.empty(forests.forest_of.shape)
    counts = np.empty_like(batch.flat) if counts is None else counts
    scale = np.asarray(weights, dtype=np.float64)

    arguments = _arguments(batch, forests)

    def run(tag: Any, queue: Queue, fits: NDArray[np.bool_]) -> None:
        expectations(tag, queue, *arguments, scale, result, fits, counts)

    _linear_then_log(run, batch, forests, threads)
    return result, counts


def best_trees(
    batch: PotentialsBatch, forests: ForestBatch, *, threads: int | None = None
) -> list[ScoredTree | None]:
    """The best tree of each problem (None where its forest is empty)."""
    # Maxima need no exponentials, so log space is faster here.
    count = len(batch)
    scores, sizes = np.empty(count), np.empty(count, dtype=np.int64)
    longest = int(batch.words.max(initial=0))
    nodes = np.empty((count, derivations.node_limit(longest), derivations.RECORD_SIZE), dtype=np.int32)

    arguments = _arguments(batch, forests)

    def run(queue: Queue) -> None:
        derivations.best_records(LOG_MAX, queue, *arguments, scores, sizes, nodes)

    _in_threads(run, _costly_first(batch, forests), threads)
    found = zip(forests.forest_of[:, 0].tolist(), nodes, sizes.tolist(), scores.tolist(), strict=True)
    return [
        ScoredTree(_tree_of(forests.forests[forest], own[:size].tolist(), {}), score) if size else None
        for forest, own, size, score in found
    ]


def _check_scores(batch: PotentialsBatch) -> None:
    """Refuse scores that can't be compared: with them, compiled code would leave the bounds of its arrays."""
    # The maximum of an array with a NaN is NaN, which fails every comparison.
    if not batch.flat.max(initial=-np.inf) <= LARGEST_SCORE:
        raise ValueError(
            f"the scorer gave a score that is NaN, infinite or above {LARGEST_SCORE:g}; only minus infinity "
            "(impossible) is allowed besides finite numbers"
        )


def _arguments(batch: PotentialsBatch, forests: ForestBatch) -> Any:
    return (
        batch.words,
        batch.flat,
        batch.flat_from,
        batch.anchors,
        batch.anchors_from,
        forests.packed,
        forests.packed_from,
        forests.forest_of,
        True if any(forest.larger for forest in forests.forests) else None,
    )


def _linear_then_log(run: Any, batch: PotentialsBatch, forests: ForestBatch, threads: int | None) -> None:
    """Run all problems in linear space, then in log space those that are out of range."""
    fits = np.ones(len(batch), dtype=np.bool_)
    everyone = _costly_first(batch, forests)
    _in_threads(lambda queue: run(LINEAR, queue, fits), everyone, threads)
    left = everyone[~fits[everyone]]
    if len(left):
        fits[left] = True
        _in_threads(lambda queue: run(LOG, queue, fits), left, threads)


def _costly_first(batch: PotentialsBatch, forests: ForestBatch) -> NDArray[np.int64]:
    """The problems, longest-running first, so that no thread starts a long one when the others are done.

    The cubic sums run over pairs of operands, whose number is about the square of the number of items.
    """
    items = np.array([layout.item_count(forest.packed) for forest in forests.forests], dtype=np.float64)
    cost = (batch.words + 1.0) ** 3 * (items[forests.forest_of] ** 2).sum(axis=1)
    return np.argsort(-cost, kind="stable")


def _in_threads(run: Any, problems: NDArray[np.int64], threads: int | None) -> None:
    """Process a queue of problems on this thread and others (the kernels release the GIL)."""
    if not len(problems):
        return
    queue = queue_of(problems)
    others = min(threads or available_cores(), len(problems)) - 1
    submitted = [_thread_pool().submit(run, queue) for _ in range(others)]
    try:
        run(queue)
    finally:
        started = [future for future in submitted if not future.cancel()]  # the queue is empty by now
        wait(started)
    for future in started:
        future.result()


@cache
def _thread_pool() -> ThreadPoolExecutor:
    """The threads of all calls: starting new ones for each call would mean waiting for the GIL each time."""
    return ThreadPoolExecutor(available_cores(), thread_name_prefix="text2math-chart")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread_pool.cache_clear)  # a fork has none of its parent's threads

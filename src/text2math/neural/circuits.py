"""The charts of problems as circuits: sums of products, written down once and computed for many networks.

Which trees a problem has depends on its length, its numbers and its forest, not on the scores. So the
recurrence of ``inference.inside`` is run once without scores, and every ⊕= x ⊗ y that is not zero is written
down: three nodes of the circuit. ``circuit_losses`` computes these lines. Only the paper's grammar is
supported: no silent unknowns, no asides.

The items are those of ``inference.layout``; ``f`` is the operand that comes first in the text, ``kind``
whether there are words between the operands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from text2math.inference.potentials import EDGE, WORD, A, B

Array = NDArray[Any]
ONE = 0  # the node whose value is one
NONE = -1  # the node of what is impossible
CONSTANT, UNKNOWN = 1, 2  # kinds of leaves
_PATTERNS = 16
_compiled = njit(cache=True, nogil=True, error_model="numpy")


class PlainForest(NamedTuple):
    """A forest of one problem as arrays; see ``window_arrays.plain_forests``."""

    states: Array  # [states, 2]: symbol and number, -1 for none
    rules: Array  # [rules, 3]: state, and the states that may be its left and right operand, as bits
    roots: int  # as bits


class Inputs(NamedTuple):
    """Where the nodes of the potentials begin: step, pattern, child, root and number, in this order."""

    pattern: int
    child: int
    root: int
    number: int
    end: int
    symbols: int
    pairs: int

    @classmethod
    def of(cls, n: int, symbols: int, pairs: int, numbers: int) -> Inputs:
        """Those of a problem of n words."""
        pattern = 1 + (n + 1) * pairs * symbols
        child = pattern + symbols * _PATTERNS
        root = child + 2 * symbols**2
        return cls(pattern, child, root, root + symbols, root + symbols + numbers, symbols, pairs)


class Circuit(NamedTuple):
    """A problem under several forests."""

    lines: Array  # [lines, 3]: the node that is added to, and the two that are multiplied
    nodes: int
    inputs: int
    totals: tuple[int, ...]  # the node of each forest's sum over all trees; NONE if it has no tree


def circuit_of(n: int, anchors: Array, forests: list[PlainForest], marks: Array, leaves: Array) -> Circuit:
    """Write down the charts of a problem of n words.

    ``marks`` [pairs] are 4 · left + right of the steps that have scores, ``leaves`` [symbols] say which
    symbols are constants (1) and unknowns (2).

    >>> add, constants = 0, 1  # every tree of "7 3" adds two constants, each of one word
    >>> forest = PlainForest(np.array([[add, -1], [constants, -1]]), np.array([[0, 2, 2]]), roots=1)
    >>> circuit = circuit_of(2, np.array([0, 1]), [forest], np.arange(16), np.array([0, CONSTANT]))
    >>> circuit.totals == (circuit.nodes - 1,)  # the last node that is computed
    True
    """
    inputs = Inputs.of(n, len(leaves), len(marks), len(anchors))
    pair_of = np.full(16, -1, np.int64)
    pair_of[marks] = np.arange(len(marks))
    size = 1 << 16
    while True:
        lines, cursor = np.empty((size, 3), np.int32), np.array([0, inputs.end])
        step = _steps(n, inputs, pair_of)
        spelled = _spelled(lines, cursor, n, step, leaves)
        totals = [
            _write_forest(lines, cursor, n, inputs, step, spelled, leaves, anchors, *forest)
            for forest in forests
        ]
        if cursor[0] <= size:
            break
        size = int(cursor[0])
    kept = _needed(lines[: cursor[0]], int(cursor[1]), np.array(totals))
    return _renumbered(lines[: cursor[0]][kept], inputs.end, totals)


def _renumbered(lines: Array, inputs: int, totals: list[int]) -> Circuit:
    """Number the nodes that are left in the order in which they are computed."""
    made, first = np.unique(lines[:, 0], return_index=True)
    number = np.full(int(max(lines.max(initial=0), max(totals))) + 1, NONE, np.int32)
    number[:inputs] = np.arange(inputs)
    number[made[np.argsort(first)]] = np.arange(inputs, inputs + len(made))
    ends = tuple(int(number[total]) if total >= 0 else NONE for total in totals)
    return Circuit(np.ascontiguousarray(number[lines]), inputs + len(made), inputs, ends)


@_compiled
def _add(lines: Any, cursor: Any, total: Any, x: Any, y: Any) -> Any:
    """Write down total ⊕= x ⊗ y, unless it is zero; return the node of the total."""
    if x < 0 or y < 0:
        return total
    if total < 0:
        total = cursor[1]
        cursor[1] += 1
    if cursor[0] < len(lines):
        lines[cursor[0], 0], lines[cursor[0], 1], lines[cursor[0], 2] = total, x, y
    cursor[0] += 1
    return total


@_compiled
def _steps(n: Any, inputs: Any, pair_of: Any) -> Any:
    """The nodes of the steps, [symbol, boundary, left, right]."""
    found = np.full((inputs.symbols, n + 1, 4, 4), ONE, np.int64)
    for left in range(4):
        for right in range(4):
            pair = pair_of[4 * left + right]
            for s in range(inputs.symbols if pair >= 0 else 0):
                for i in range(n + 1):
                    found[s, i, left, right] = 1 + (i * inputs.pairs + pair) * inputs.symbols + s
    return found


@_compiled
def _spelled(lines: Any, cursor: Any, n: Any, step: Any, leaves: Any) -> Any:
    """The words of leaves, [symbol, i, j]: step[edge,w]_i ⊗ step[w,w]_(i+1…j-1) ⊗ step[w,edge]_j."""
    found = np.full((len(leaves), n + 1, n + 1), NONE, np.int64)
    for s in range(len(leaves)):
        for i in range(n if leaves[s] else 0):
            words = step[s, i, EDGE, WORD]
            for j in range(i + 1, n + 1):
                found[s, i, j] = _add(lines, cursor, NONE, words, step[s, j, WORD, EDGE])
                if j < n:
                    words = _add(lines, cursor, NONE, words, step[s, j, WORD, WORD])
    return found


@_compiled
def _write_forest(
    lines: Any,
    cursor: Any,
    n: Any,
    inputs: Any,
    step: Any,
    spelled: Any,
    leaves: Any,
    anchors: Any,
    states: Any,
    rules: Any,
    roots: Any,
) -> Any:
    """Write down the chart under a forest; return the node of the sum over its trees."""
    rows, operators = n + 1, len(rules)
    node = np.full((len(states), rows, rows), NONE, np.int64)
    operand = np.full((operators, 2, rows, rows), NONE, np.int64)
    trailed = operand.copy()
    met = np.full((operators, 2, 2, rows, rows), NONE, np.int64)
    core, right = met.copy(), met.copy()
    tail, left = operand.copy(), node.copy()
    close = _closings(lines, cursor, n, inputs, step, states, rules)
    items = (node, operand, trailed, met, core, right, tail, left, close)
    for state in range(len(states)):
        s, number = states[state]
        if s >= 0 and leaves[s]:
            _leaf(lines, cursor, n, inputs, spelled[s], leaves[s], number, anchors, node[state])
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n + 1):
            for o in range(operators):
                if rules[o, 0] >= 0:
                    s = states[rules[o, 0], 0]
                    _operator(lines, cursor, step[s], items, o, rules[o, 0], i, j)
            for o in range(operators):
                if rules[o, 0] >= 0:
                    s = states[rules[o, 0], 0]
                    _operands(lines, cursor, inputs, step[s], s, states, rules, items, o, i, j)
    total = NONE
    for state in range(len(states)):
        if roots >> state & 1:
            total = _add(lines, cursor, total, inputs.root + states[state, 0], node[state, 0, n])
    return total


@_compiled
def _closings(lines: Any, cursor: Any, n: Any, inputs: Any, step: Any, states: Any, rules: Any) -> Any:
    """The step to the edge ⊗ the pattern, [operator, f, before, kind, after, j]."""
    found = np.full((len(rules), 2, 2, 2, 2, n + 1), NONE, np.int64)
    for o in range(len(rules)):
        if rules[o, 0] < 0:
            continue
        s = states[rules[o, 0], 0]
        for bits in range(_PATTERNS):
            f, before, kind, after = bits // 8, bits // 4 % 2, bits // 2 % 2, bits % 2
            last = WORD if after else (A if f else B)
            pattern = inputs.pattern + s * _PATTERNS + bits
            for j in range(n + 1):
                found[o, f, before, kind, after, j] = _add(
                    lines, cursor, NONE, step[s, j, last, EDGE], pattern
                )
    return found


@_compiled
def _leaf(
    lines: Any,
    cursor: Any,
    n: Any,
    inputs: Any,
    spelled: Any,
    kind: Any,
    number: Any,
    anchors: Any,
    node: Any,
) -> None:
    """NODE(i,j) of a leaf: its words, for a constant ⊗ (⊕ the numbers in the span that it may be)."""
    for i in range(n):
        used = ONE if kind == UNKNOWN else NONE
        for j in range(i + 1, n + 1):
            for k in range(len(anchors) if kind == CONSTANT else 0):
                if anchors[k] == j - 1 and (number < 0 or number == k):
                    more = _add(lines, cursor, NONE, ONE, inputs.number + k)
                    used = _add(lines, cursor, more, ONE, used)
            node[i, j] = _add(lines, cursor, NONE, spelled[i, j], used)


@_compiled
def _operator(lines: Any, cursor: Any, step: Any, items: Any, o: Any, state: Any, i: Any, j: Any) -> None:
    """NODE(i,j) of an operator, from what is shorter; and TRAILED."""
    node, operand, trailed, met, core, right, tail, left, close = items
    found = NONE
    for f in range(2):
        first, second = (B, A) if f else (A, B)
        bare, led = NONE, NONE
        for kind in range(2):
            # CORE(i,j) = ⊕_k MET(i,k) ⊗ OPERAND(k,j)
            inner = NONE
            for k in range(i + 1, j):
                inner = _add(lines, cursor, inner, met[o, f, kind, i, k], operand[o, 1 - f, k, j])
            core[o, f, kind, i, j] = inner
            # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
            words = _add(lines, cursor, NONE, core[o, f, kind, i, j - 1], step[j - 1, second, WORD])
            words = _add(lines, cursor, words, right[o, f, kind, i, j - 1], step[j - 1, WORD, WORD])
            right[o, f, kind, i, j] = words
            bare = _add(lines, cursor, bare, inner, close[o, f, 0, kind, 0, j])
            bare = _add(lines, cursor, bare, words, close[o, f, 0, kind, 1, j])
            led = _add(lines, cursor, led, inner, close[o, f, 1, kind, 0, j])
            led = _add(lines, cursor, led, words, close[o, f, 1, kind, 1, j])
        tail[o, f, i, j] = led
        # NODE(i,j) = ⊕_f step[edge,first] ⊗ (no words before)  ⊕  step[edge,w] ⊗ LEFT(i,j)
        found = _add(lines, cursor, found, step[i, EDGE, first], bare)
        # TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
        after = _add(lines, cursor, NONE, operand[o, f, i, j - 1], step[j - 1, first, WORD])
        trailed[o, f, i, j] = _add(lines, cursor, after, trailed[o, f, i, j - 1], step[j - 1, WORD, WORD])
    # LEFT(i,j) = ⊕_f step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
    before = _add(lines, cursor, NONE, step[i + 1, WORD, A], tail[o, 0, i + 1, j])
    before = _add(lines, cursor, before, step[i + 1, WORD, B], tail[o, 1, i + 1, j])
    before = _add(lines, cursor, before, step[i + 1, WORD, WORD], left[o, i + 1, j])
    left[o, i, j] = before
    node[state, i, j] = _add(lines, cursor, found, step[i, EDGE, WORD], before)


@_compiled
def _operands(
    lines: Any,
    cursor: Any,
    inputs: Any,
    step: Any,
    s: Any,
    states: Any,
    rules: Any,
    items: Any,
    o: Any,
    i: Any,
    j: Any,
) -> None:
    """OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j); MET(i,j), which has its step to the second one."""
    node, operand, trailed, met = items[:4]
    for side in range(2):
        found = NONE
        for c in range(len(states)):
            if rules[o, 1 + side] >> c & 1:
                child = inputs.child + (2 * s + side) * inputs.symbols + states[c, 0]
                found = _add(lines, cursor, found, child, node[c, i, j])
        operand[o, side, i, j] = found
        first, second = (B, A) if side else (A, B)
        met[o, side, 0, i, j] = _add(lines, cursor, NONE, found, step[j, first, second])
        met[o, side, 1, i, j] = _add(lines, cursor, NONE, trailed[o, side, i, j], step[j, WORD, second])


@_compiled
def _needed(lines: Any, nodes: Any, totals: Any) -> Any:
    """Which lines a total depends on."""
    wanted = np.zeros(nodes, np.bool_)
    for total in totals:
        if total >= 0:
            wanted[total] = True
    kept = np.zeros(len(lines), np.bool_)
    for at in range(len(lines) - 1, -1, -1):
        total, x, y = lines[at]
        if wanted[total]:
            kept[at] = wanted[x] = wanted[y] = True
    return kept

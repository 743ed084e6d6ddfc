"""The compiled kernels: one recurrence over spans, and the same lines read backwards.

A problem's chart is one array ``chart[i, item, j]`` over half-open spans of words. Its items, for a
forest (see ``forest.py``) of states, operands and operators:

    NODE[state]          a whole node
    OPERAND[a]           any allowed child of one operator's side, with its parent-child score
    TRAILED[a]           that operand, then one or more words of the operator
    CORE[p, c]           both operands of operator p, c in AB, AwB, BA, BwA: the cubic sums
    RIGHT[p, c]          a core, then one or more words
    TAIL[p, swapped]     a core with or without words after it, pattern and end scored, words before to come
    LEFT[p]              one or more words, then a TAIL

The recurrences stand above the lines that compute them, ⊕ and ⊗ being those of the tag (see
``arithmetic.py``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from text2math.inference.potentials import EDGE, LEFT, SYMBOL_COUNT, WORD, A, B, Symbol
from text2math.inference.semiring import (
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    allocating,
    as_log,
    bounded,
    certified,
    divide,
    inlined,
    inner,
    kernel,
    one,
    plus,
    pull,
    push,
    real,
    spread,
    times,
    zero,
)

# Layout of one problem's potentials in a flat array: step, pattern, child, root, number.
STEP_SIZE = SYMBOL_COUNT * 16
PATTERN_SIZE = SYMBOL_COUNT * 16
CHILD_SIZE = SYMBOL_COUNT * 2 * SYMBOL_COUNT
ROOT_SIZE = SYMBOL_COUNT
FIXED_SIZE = PATTERN_SIZE + CHILD_SIZE + ROOT_SIZE

# Sizes at the head of a packed forest.
HEADER = 6
CON = FIRST_LEAF = int(Symbol.CON)
LOG_SMALLEST, LOG_LARGEST = math.log(SMALLEST_FACTOR), math.log(LARGEST_FACTOR)


# ---------------------------------------------------------------------------------------------------
# The parts of a packed forest and of a flat array of potentials.


@allocating
def forest_parts(forest: Any) -> Any:
    """The arrays packed into a forest: see ``Forest.packed``."""
    states, operators, operands, rules, children, roots = forest[:HEADER]
    at = HEADER
    symbol = forest[at : at + states]
    at += states
    quantity = forest[at : at + states]
    at += states
    operator_state = forest[at : at + operators]
    at += operators
    rule_from = forest[at : at + operators + 1]
    at += operators + 1
    rule_left = forest[at : at + rules]
    at += rules
    rule_right = forest[at : at + rules]
    at += rules
    operand_symbol = forest[at : at + operands]
    at += operands
    operand_side = forest[at : at + operands]
    at += operands
    child_from = forest[at : at + operands + 1]
    at += operands + 1
    child_state = forest[at : at + children]
    at += children
    root_state = forest[at : at + roots]
    return (
        symbol,
        quantity,
        operator_state,
        rule_from,
        rule_left,
        rule_right,
        operand_symbol,
        operand_side,
        child_from,
        child_state,
        root_state,
    )


@allocating
def potential_parts(flat: Any, n: Any) -> Any:
    """Views of a flat array of potentials: step, pattern, child, root, number."""
    at = STEP_SIZE * (n + 1)
    step = flat[:at].reshape((SYMBOL_COUNT, n + 1, 4, 4))
    pattern = flat[at : at + PATTERN_SIZE].reshape((SYMBOL_COUNT, 16))
    at += PATTERN_SIZE
    child = flat[at : at + CHILD_SIZE].reshape((SYMBOL_COUNT, 2, SYMBOL_COUNT))
    at += CHILD_SIZE
    return step, pattern, child, flat[at : at + ROOT_SIZE], flat[at + ROOT_SIZE :]


@inner
def offsets(states: Any, operators: Any, operands: Any) -> Any:
    """Where each kind of item begins in the chart: OPERAND, TRAILED, CORE, RIGHT, TAIL, LEFT, and the end."""
    trailed = states + operands
    core = trailed + operands
    right = core + 4 * operators
    tail = right + 4 * operators
    left = tail + 2 * operators
    return states, trailed, core, right, tail, left, left + operators


@inner
def item_offsets(forest: Any) -> Any:
    """The offsets of a packed forest."""
    return offsets(np.int64(forest[0]), np.int64(forest[1]), np.int64(forest[2]))


# ---------------------------------------------------------------------------------------------------
# Inside


@kernel
def inside(tag: Any, forest: Any, flat: Any, anchors: Any, n: Any, chart: Any, ranges: Any) -> Any:
    """Fill the chart from short spans to long ones; return the sum (or best) over all trees.

    ``chart`` is [n + 1, item, n + 1]; ``ranges[a, k]`` becomes the first and the last end j at which operand
    a starting at k is possible, so that the cubic sums touch nothing else.
    """
    parts = forest_parts(forest)
    symbol, quantity, operator_state, rule_from, rule_left, rule_right = parts[:6]
    operand_symbol, operand_side, child_from, child_state, root_state = parts[6:]
    step, pattern, child, root, number = potential_parts(flat, n)
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_ = item_offsets(forest)[:6]
    none = zero(tag)
    for a in range(len(operand_symbol)):
        for k in range(n + 1):
            ranges[a, k, 0], ranges[a, k, 1] = n + 1, 0
    operands = padded(len(operand_symbol))
    under = np.full((len(symbol), operands), none)  # child[s,side,c] where c may stand there
    for a in range(len(operand_symbol)):
        for c in range(child_from[a], child_from[a + 1]):
            state = child_state[c]
            under[state, a] = child[operand_symbol[a], operand_side[a], symbol[state]]
    meeting = _meetings(tag, step, operand_symbol, operand_side, operands, n)
    sums = np.full((len(symbol) + 1, operands), none)
    # Of one span: OPERAND and TRAILED, and each with its step to the other operand.
    found = np.empty((4, operands))
    closing = _closings(tag, step, pattern, symbol, operator_state, n)
    # The first end at which an operator's items can be anything but zero, in this row or a later one.
    alive = np.full(len(operator_state), n + 1)
    starts = np.zeros(n + 1, dtype=np.bool_)  # whether an operand can start here
    _empty_row(tag, chart, n)
    for i in range(n - 1, -1, -1):
        _empty_row(tag, chart, i)
        first_end = _leaf_row(tag, symbol, quantity, step, number, anchors, n, i, chart)
        for p in range(len(operator_state)):
            state = operator_state[p]
            _lead_row(tag, step, symbol[state], chart, state, LEFT_ + p, TAIL + 2 * p, i, alive[p], n)
            first_end = min(first_end, alive[p])
        found[:] = none
        for j in range(first_end, n + 1):
            for p in range(len(operator_state)):
                if j >= alive[p]:
                    state = operator_state[p]
                    closed = _close(
                        tag, step, symbol[state], closing, p, chart, CORE + 4 * p, RIGHT_ + 4 * p, i, j
                    )
                    chart[i, state, j] = plus(tag, chart[i, state, j], closed)
            _operands(tag, chart, i, j, symbol, under, meeting, sums, found)
            for a in range(len(operand_symbol)):
                chart[i, OPERAND + a, j] = found[PLAIN, a]
                chart[i, TRAILED + a, j] = found[AFTER, a]
                if found[PLAIN, a] != none:
                    starts[i] = True
                    ranges[a, i, 0] = min(ranges[a, i, 0], j)
                    ranges[a, i, 1] = j + 1
            # CORE(i,j') ⊕= OPERAND|TRAILED(i,k) ⊗ step ⊗ OPERAND(k,j')   with k = j, for all j' > k
            for p in range(len(operator_state) if starts[j] else 0):
                for r in range(rule_from[p], rule_from[p + 1]):
                    for swapped in range(2):
                        first = rule_right[r] if swapped else rule_left[r]
                        second = rule_left[r] if swapped else rule_right[r]
                        start, stop = ranges[second, j, 0], ranges[second, j, 1]
                        x, y = found[X, first], found[Y, first]
                        if start < stop and (x != none or y != none):
                            alive[p] = min(alive[p], start)
                            c = CORE + 4 * p + 2 * swapped
                            push(tag, chart, c, i, x, y, OPERAND + second, j, start, stop)
        for p in range(len(operator_state)):
            _tail_row(tag, closing, p, chart, CORE + 4 * p, RIGHT_ + 4 * p, TAIL + 2 * p, i, alive[p], n)
    total = none
    for r in range(len(root_state)):
        state = root_state[r]
        total = plus(tag, total, times(tag, root[symbol[state]], chart[0, state, n]))
    return total


@inner
def padded(size: Any) -> Any:
    """The next multiple of four: rows of that size are whole vectors, so that no loop has a remainder."""
    return (size + 3) // 4 * 4


@allocating
def _meetings(tag: Any, step: Any, operand_symbol: Any, operand_side: Any, operands: Any, n: Any) -> Any:
    """The steps at boundaries [j, kind, operand]: operand-word, word-word, operand-operand, word-operand."""
    found = np.full((n + 1, 4, operands), zero(tag))
    for j in range(n + 1):
        for a in range(len(operand_symbol)):
            s = operand_symbol[a]
            mark, other = (A, B) if operand_side[a] == LEFT else (B, A)
            found[j, 0, a] = step[s, j, mark, WORD]
            found[j, 1, a] = step[s, j, WORD, WORD]
            found[j, 2, a] = step[s, j, mark, other]
            found[j, 3, a] = step[s, j, WORD, other]
    return found


PLAIN, AFTER, X, Y = 0, 1, 2, 3


@inner
def _operands(
    tag: Any, chart: Any, i: Any, j: Any, symbol: Any, under: Any, meeting: Any, sums: Any, found: Any
) -> None:
    """All operands over a span at once, from those over the span of one word less.

    OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j)
    TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
    """
    size = np.uint64(found.shape[1])
    for a in range(size):
        x = times(tag, found[PLAIN, a], meeting[j - 1, 0, a])
        found[AFTER, a] = plus(tag, x, times(tag, found[AFTER, a], meeting[j - 1, 1, a]))
    top = 0
    for state in range(len(symbol)):
        value = chart[i, state, j]
        if value != zero(tag):
            # Sums so far go into a row of their own: a sum in place would wait for its own last store.
            for a in range(size):
                sums[top + 1, a] = plus(tag, sums[top, a], times(tag, under[state, a], value))
            top += 1
    for a in range(size):
        found[PLAIN, a] = sums[top, a]
        found[X, a] = times(tag, sums[top, a], meeting[j, 2, a])
        found[Y, a] = times(tag, found[AFTER, a], meeting[j, 3, a])


@allocating
def _closings(tag: Any, step: Any, pattern: Any, symbol: Any, operator_state: Any, n: Any) -> Any:
    """The score of each pattern with the end of its string at each boundary: [operator, pattern, j]."""
    found = np.empty((len(operator_state), 16, n + 1))
    for p in range(len(operator_state)):
        s = symbol[operator_state[p]]
        for j in range(n + 1):
            for bits in range(16):
                last = WORD if bits % 2 else (A if bits >= 8 else B)
                found[p, bits, j] = times(tag, step[s, j, last, EDGE], pattern[s, bits])
    return found


@inner
def _empty_row(tag: Any, chart: Any, i: Any) -> None:
    for t in range(chart.shape[1]):
        for j in range(np.uint64(chart.shape[2])):
            chart[i, t, j] = zero(tag)


@inner
def _lead_row(
    tag: Any, step: Any, s: Any, chart: Any, state: Any, left: Any, tail: Any, i: Any, first: Any, n: Any
) -> None:
    """All of a row that has words before the operands; it needs only the row below.

    LEFT(i,j) = ⊕_swapped step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
    NODE(i,j) ⊕= step[edge,w] ⊗ LEFT(i,j)
    """
    word, a, b = step[s, i + 1, WORD, WORD], step[s, i + 1, WORD, A], step[s, i + 1, WORD, B]
    opening = step[s, i, EDGE, WORD]
    for j in range(np.uint64(first), np.uint64(n + 1)):
        leading = times(tag, chart[i + 1, left, j], word)
        leading = plus(tag, leading, times(tag, chart[i + 1, tail, j], a))
        leading = plus(tag, leading, times(tag, chart[i + 1, tail + 1, j], b))
        chart[i, left, j] = leading
        chart[i, state, j] = times(tag, leading, opening)


@inlined
def _close(
    tag: Any,
    step: Any,
    s: Any,
    closing: Any,
    p: Any,
    chart: Any,
    core: Any,
    right: Any,
    i: Any,
    j: Any,
) -> Any:
    """NODE(i,j) without words before: ⊕ step[edge,first] ⊗ (CORE or RIGHT) ⊗ (its end and pattern)."""
    value = zero(tag)
    for swapped in range(2):
        first, second = (B, A) if swapped else (A, B)
        bare = zero(tag)
        for between in range(2):
            c = 2 * swapped + between
            # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
            trailing = plus(
                tag,
                times(tag, chart[i, core + c, j - 1], step[s, j - 1, second, WORD]),
                times(tag, chart[i, right + c, j - 1], step[s, j - 1, WORD, WORD]),
            )
            chart[i, right + c, j] = trailing
            b = 8 * swapped + 2 * between
            bare = plus(tag, bare, times(tag, chart[i, core + c, j], closing[p, b, j]))
            bare = plus(tag, bare, times(tag, trailing, closing[p, b + 1, j]))
        value = plus(tag, value, times(tag, bare, step[s, i, EDGE, first]))
    return value


@inner
def _tail_row(
    tag: Any,
    closing: Any,
    p: Any,
    chart: Any,
    core: Any,
    right: Any,
    tail: Any,
    i: Any,
    first: Any,
    n: Any,
) -> None:
    """TAIL(i,j) = ⊕ over "between" and "after" of (CORE or RIGHT) ⊗ (its end and pattern)."""
    for swapped in range(2):
        c, b = 2 * swapped, 8 * swapped + 4
        for j in range(np.uint64(first), np.uint64(n + 1)):
            led = times(tag, chart[i, core + c, j], closing[p, b, j])
            led = plus(tag, led, times(tag, chart[i, right + c, j], closing[p, b + 1, j]))
            led = plus(tag, led, times(tag, chart[i, core + c + 1, j], closing[p, b + 2, j]))
            led = plus(tag, led, times(tag, chart[i, right + c + 1, j], closing[p, b + 3, j]))
            chart[i, tail + swapped, j] = led


@inner
def _leaf_row(
    tag: Any, symbol: Any, quantity: Any, step: Any, number: Any, anchors: Any, n: Any, i: Any, chart: Any
) -> Any:
    """Fill the leaves that start at i; return the first end at which one is not zero.

    NODE(i,j) = step[edge,w]_i ⊗ step[w,w]_(i+1…j-1) ⊗ step[w,edge]_j, for CON ⊗ (⊕ number_k in the span)
    """
    none = zero(tag)
    first_end = n + 1
    for state in range(len(symbol)):
        s = symbol[state]
        if s < FIRST_LEAF:
            continue
        words = step[s, i, EDGE, WORD]
        used = none if s == CON else one(tag)
        k = 0
        while k < len(anchors) and anchors[k] < i:
            k += 1
        for j in range(i + 1, n + 1):
            while s == CON and k < len(anchors) and anchors[k] < j:
                if quantity[state] < 0 or quantity[state] == k:
                    used = plus(tag, used, number[k])
                k += 1
            value = times(tag, times(tag, words, used), step[s, j, WORD, EDGE])
            chart[i, state, j] = value
            if value != none:
                first_end = min(first_end, j)
            if j < n:
                words = times(tag, bounded(tag, words), step[s, j, WORD, WORD])
    return first_end


# ---------------------------------------------------------------------------------------------------
# Outside: the same lines read backwards. ``out[i, item, j]`` is the sum over everything around an item,
# already divided by the partition, so that chart ⊗ out is the item's probability.


@allocating
def outside(
    tag: Any,
    forest: Any,
    flat: Any,
    anchors: Any,
    n: Any,
    chart: Any,
    ranges: Any,
    partition: Any,
    out: Any,
    counts: Any,
    weight: Any,
) -> None:
    """Add ``weight`` times the expected count of every potential to ``counts`` (laid out as ``flat``)."""
    parts = forest_parts(forest)
    symbol, quantity, operator_state, rule_from, rule_left, rule_right = parts[:6]
    operand_symbol, operand_side, child_from, child_state, root_state = parts[6:]
    step, pattern, child, root, number = potential_parts(flat, n)
    step_count, pattern_count, child_count, root_count, number_count = potential_parts(counts, n)
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, items = item_offsets(forest)
    none = zero(tag)
    for i in range(n + 1):
        for t in range(items):
            for j in range(i, n + 1):
                out[i, t, j] = none
    for r in range(len(root_state)):
        state = root_state[r]
        s = symbol[state]
        around = divide(tag, root[s], partition)
        out[0, state, n] = plus(tag, out[0, state, n], around)
        root_count[s] += weight * real(tag, times(tag, around, chart[0, state, n]))
    for i in range(n):
        for j in range(n, i, -1):
            for p in range(len(operator_state)):
                s = symbol[operator_state[p]]
                for r in range(rule_from[p], rule_from[p + 1]):
                    for swapped in range(2):
                        first = rule_right[r] if swapped else rule_left[r]
                        second = rule_left[r] if swapped else rule_right[r]
                        start, stop = ranges[second, j, 0], ranges[second, j, 1]
                        if start >= stop:
                            continue
                        plain, trailed = chart[i, OPERAND + first, j], chart[i, TRAILED + first, j]
                        if plain == none and trailed == none:
                            continue
                        mark, other = (B, A) if swapped else (A, B)
                        c = CORE + 4 * p + 2 * swapped
                        if plain != none:
                            met = times(
                                tag,
                                step[s, j, mark, other],
                                pull(tag, out, c, i, chart, OPERAND + second, j, start, stop),
                            )
                            out[i, OPERAND + first, j] = plus(tag, out[i, OPERAND + first, j], met)
                            step_count[s, j, mark, other] += weight * real(tag, times(tag, met, plain))
                        if trailed != none:
                            met = times(
                                tag,
                                step[s, j, WORD, other],
                                pull(tag, out, c + 1, i, chart, OPERAND + second, j, start, stop),
                            )
                            out[i, TRAILED + first, j] = plus(tag, out[i, TRAILED + first, j], met)
                            step_count[s, j, WORD, other] += weight * real(tag, times(tag, met, trailed))
                        x = times(tag, plain, step[s, j, mark, other])
                        y = times(tag, trailed, step[s, j, WORD, other])
                        spread(tag, out, OPERAND + second, j, x, y, c, i, start, stop)
            for a in range(len(operand_symbol)):
                s, side = operand_symbol[a], operand_side[a]
                mark = A if side == LEFT else B
                around = out[i, TRAILED + a, j]
                if around != none and chart[i, TRAILED + a, j] != none:
                    met = times(tag, around, step[s, j - 1, mark, WORD])
                    out[i, OPERAND + a, j - 1] = plus(tag, out[i, OPERAND + a, j - 1], met)
                    step_count[s, j - 1, mark, WORD] += weight * real(
                        tag, times(tag, met, chart[i, OPERAND + a, j - 1])
                    )
                    met = times(tag, around, step[s, j - 1, WORD, WORD])
                    out[i, TRAILED + a, j - 1] = plus(tag, out[i, TRAILED + a, j - 1], met)
                    step_count[s, j - 1, WORD, WORD] += weight * real(
                        tag, times(tag, met, chart[i, TRAILED + a, j - 1])
                    )
                around = out[i, OPERAND + a, j]
                if around != none and chart[i, OPERAND + a, j] != none:
                    for c in range(child_from[a], child_from[a + 1]):
                        state = child_state[c]
                        met = times(tag, around, child[s, side, symbol[state]])
                        out[i, state, j] = plus(tag, out[i, state, j], met)
                        child_count[s, side, symbol[state]] += weight * real(
                            tag, times(tag, met, chart[i, state, j])
                        )
            for p in range(len(operator_state)):
                state = operator_state[p]
                s = symbol[state]
                _operator_cell_outside(
                    tag,
                    step,
                    pattern,
                    chart,
                    out,
                    step_count,
                    pattern_count,
                    s,
                    weight,
                    state,
                    CORE + 4 * p,
                    RIGHT_ + 4 * p,
                    TAIL + 2 * p,
                    LEFT_ + p,
                    i,
                    j,
                )
    _leaves_outside(
        tag, symbol, quantity, step, number, anchors, n, chart, out, step_count, number_count, weight
    )


@inner
def _operator_cell_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    s: Any,
    weight: Any,
    state: Any,
    core: Any,
    right: Any,
    tail: Any,
    left: Any,
    i: Any,
    j: Any,
) -> None:
    none = zero(tag)
    around = out[i, state, j] if chart[i, state, j] != none else none
    leading = chart[i, left, j]
    if leading != none:
        # NODE(i,j) takes LEFT(i,j), which takes TAIL(i+1,j) and LEFT(i+1,j)
        met = times(tag, around, step[s, i, EDGE, WORD])
        step_count[s, i, EDGE, WORD] += weight * real(tag, times(tag, met, leading))
        met = plus(tag, met, out[i, left, j])
        out[i, left, j] = met
        for at in range(3):
            item = left if at == 0 else tail + at - 1
            to = WORD if at == 0 else (A if at == 1 else B)
            below = times(tag, met, step[s, i + 1, WORD, to])
            out[i + 1, item, j] = plus(tag, out[i + 1, item, j], below)
            step_count[s, i + 1, WORD, to] += weight * real(tag, times(tag, below, chart[i + 1, item, j]))
    ends_in_word = step[s, j, WORD, EDGE]
    for swapped in range(2):
        first, second = (B, A) if swapped else (A, B)
        bare = times(tag, around, step[s, i, EDGE, first])
        led = out[i, tail + swapped, j] if chart[i, tail + swapped, j] != none else none
        for between in range(2):
            c = 2 * swapped + between
            b = 8 * swapped + 2 * between
            inner = chart[i, core + c, j]
            if inner != none:
                closed = times(tag, inner, step[s, j, second, EDGE])
                unled = times(tag, bare, pattern[s, b])
                after_words = times(tag, led, pattern[s, b + 4])
                p_unled = weight * real(tag, times(tag, unled, closed))
                p_led = weight * real(tag, times(tag, after_words, closed))
                pattern_count[s, b] += p_unled
                pattern_count[s, b + 4] += p_led
                step_count[s, i, EDGE, first] += p_unled
                step_count[s, j, second, EDGE] += p_unled + p_led
                met = times(tag, plus(tag, unled, after_words), step[s, j, second, EDGE])
                out[i, core + c, j] = plus(tag, out[i, core + c, j], met)
            trailing = chart[i, right + c, j]
            if trailing != none:
                closed = times(tag, trailing, ends_in_word)
                unled = times(tag, bare, pattern[s, b + 1])
                after_words = times(tag, led, pattern[s, b + 5])
                p_unled = weight * real(tag, times(tag, unled, closed))
                p_led = weight * real(tag, times(tag, after_words, closed))
                pattern_count[s, b + 1] += p_unled
                pattern_count[s, b + 5] += p_led
                step_count[s, i, EDGE, first] += p_unled
                step_count[s, j, WORD, EDGE] += p_unled + p_led
                met = times(tag, plus(tag, unled, after_words), ends_in_word)
                met = plus(tag, met, out[i, right + c, j])
                # RIGHT(i,j) takes CORE(i,j-1) and RIGHT(i,j-1)
                below = times(tag, met, step[s, j - 1, second, WORD])
                out[i, core + c, j - 1] = plus(tag, out[i, core + c, j - 1], below)
                step_count[s, j - 1, second, WORD] += weight * real(
                    tag, times(tag, below, chart[i, core + c, j - 1])
                )
                below = times(tag, met, step[s, j - 1, WORD, WORD])
                out[i, right + c, j - 1] = plus(tag, out[i, right + c, j - 1], below)
                step_count[s, j - 1, WORD, WORD] += weight * real(
                    tag, times(tag, below, chart[i, right + c, j - 1])
                )


@allocating
def _leaves_outside(
    tag: Any,
    symbol: Any,
    quantity: Any,
    step: Any,
    number: Any,
    anchors: Any,
    n: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    number_count: Any,
    weight: Any,
) -> None:
    none = zero(tag)
    inner = np.zeros(n + 2)  # how many leaves more have a word on both sides of boundary t than of t - 1
    for state in range(len(symbol)):
        s = symbol[state]
        if s < FIRST_LEAF:
            continue
        inner[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n + 1):
                value = chart[i, state, j]
                if value == none or out[i, state, j] == none:
                    continue
                around = out[i, state, j]
                p = weight * real(tag, times(tag, value, around))
                step_count[s, i, EDGE, WORD] += p
                step_count[s, j, WORD, EDGE] += p
                inner[i + 1] += p
                inner[j] -= p
                if s == CON:
                    total = none
                    for k in range(len(anchors)):
                        if i <= anchors[k] < j and (quantity[state] < 0 or quantity[state] == k):
                            total = plus(tag, total, number[k])
                    for k in range(len(anchors)):
                        if i <= anchors[k] < j and (quantity[state] < 0 or quantity[state] == k):
                            number_count[k] += p * real(tag, divide(tag, number[k], total))
        running = 0.0
        for t in range(1, n):
            running += inner[t]
            if step[s, t, WORD, WORD] != none:  # else what is left of a sum that is zero
                step_count[s, t, WORD, WORD] += running


# ---------------------------------------------------------------------------------------------------
# Many problems: linear space first, and what does not fit is left to the caller for log space.


@kernel
def to_linear(forest: Any, flat: Any, n: Any, linear: Any, baseline: Any) -> Any:
    """Potentials as factors, each word's top score taken out; False if one is out of bounds.

    The words of a span always add up to the same baseline, so it cancels in every sum over splits.
    """
    symbol = forest_parts(forest)[0]
    used = np.zeros(SYMBOL_COUNT, dtype=np.bool_)
    for state in range(len(symbol)):
        used[symbol[state]] = True
    step, factor = potential_parts(flat, n)[0], potential_parts(linear, n)[0]
    for i in range(n):
        top = -np.inf
        for s in range(SYMBOL_COUNT):
            if used[s]:
                top = max(top, max(step[s, i, WORD, WORD], step[s, i, EDGE, WORD]))
        baseline[i] = top if top > -np.inf else 0.0
    baseline[n] = 0.0
    fits = True
    for s in range(SYMBOL_COUNT):
        if used[s]:
            marks = 2 if s >= FIRST_LEAF else 4
            for i in range(n + 1):
                for left in range(marks):
                    for right in range(marks):
                        x = step[s, i, left, right] - (baseline[i] if right == WORD else 0.0)
                        factor[s, i, left, right] = math.exp(x)
                        fits &= x == -np.inf or LOG_SMALLEST <= x <= LOG_LARGEST
    for at in range(STEP_SIZE * (n + 1), len(flat)):
        x = flat[at]
        linear[at] = math.exp(x)
        fits &= x == -np.inf or LOG_SMALLEST <= x <= LOG_LARGEST
    return fits


@kernel
def partitions(
    tag: Any,
    problems: Any,
    words: Any,
    flat: Any,
    flat_from: Any,
    anchors: Any,
    anchors_from: Any,
    forests: Any,
    forest_from: Any,
    forest_of: Any,
    result: Any,
    fits: Any,
) -> None:
    """Fill ``result[problem, f]`` with the log partition under each of its forests ``forest_of[problem, f]``.

    In linear space, ``fits[problem]`` says whether the figures hold.
    """
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    range_space = np.empty(most_operands * (longest + 1) * 2, dtype=np.int32)
    linear_space = np.empty(longest_flat(problems, flat_from))
    baseline = np.empty(longest + 1)
    for at in range(len(problems)):
        p = problems[at]
        n = np.int64(words[p])
        here = flat[flat_from[p] : flat_from[p + 1]]
        spots = anchors[anchors_from[p] : anchors_from[p + 1]]
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            chart, ranges = views(forest, n, chart_space, range_space)
            values, shift, fine = values_of(tag, forest, here, n, linear_space, baseline)
            total = inside(tag, forest, values, spots, n, chart, ranges)
            fits[p] &= fine and certified(tag, chart, n)
            result[p, f] = as_log(tag, total) + shift


@kernel
def expectations(
    tag: Any,
    problems: Any,
    words: Any,
    flat: Any,
    flat_from: Any,
    anchors: Any,
    anchors_from: Any,
    forests: Any,
    forest_from: Any,
    forest_of: Any,
    weights: Any,
    result: Any,
    fits: Any,
    counts: Any,
) -> None:
    """As ``partitions``; also set ``counts`` to the expected counts of the forests, ``weights`` being theirs.

    A problem with an empty forest (partition zero) gets no counts from it.
    """
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    out_space = np.empty(most_items * (longest + 1) * (longest + 1))
    range_space = np.empty(most_operands * (longest + 1) * 2, dtype=np.int32)
    linear_space = np.empty(longest_flat(problems, flat_from))
    baseline = np.empty(longest + 1)
    for at in range(len(problems)):
        p = problems[at]
        n = np.int64(words[p])
        here = flat[flat_from[p] : flat_from[p + 1]]
        spots = anchors[anchors_from[p] : anchors_from[p + 1]]
        count = counts[flat_from[p] : flat_from[p + 1]]
        count[:] = 0.0
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            chart, ranges = views(forest, n, chart_space, range_space)
            out = out_space[: chart.size].reshape(chart.shape)
            values, shift, fine = values_of(tag, forest, here, n, linear_space, baseline)
            total = inside(tag, forest, values, spots, n, chart, ranges)
            fits[p] &= fine and certified(tag, chart, n)
            result[p, f] = as_log(tag, total) + shift
            if fits[p] and total != zero(tag):
                outside(tag, forest, values, spots, n, chart, ranges, total, out, count, weights[f])


@inner
def workspace(problems: Any, words: Any, forests: Any, forest_from: Any, forest_of: Any) -> Any:
    """The longest text, the most items and the most operands there are to make room for."""
    longest: Any = 0
    most_items: Any = 0
    most_operands: Any = 0
    for at in range(len(problems)):
        p = problems[at]
        longest = max(longest, np.int64(words[p]))
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            most_items = max(most_items, item_offsets(forest)[6])
            most_operands = max(most_operands, np.int64(forest[2]))
    return longest, most_items, most_operands


@inner
def longest_flat(problems: Any, flat_from: Any) -> Any:
    """The most potentials a problem has."""
    longest: Any = 0
    for at in range(len(problems)):
        longest = max(longest, flat_from[problems[at] + 1] - flat_from[problems[at]])
    return longest


@allocating
def views(forest: Any, n: Any, chart_space: Any, range_space: Any) -> Any:
    """The part of the workspace one chart needs."""
    items, operands = item_offsets(forest)[6], np.int64(forest[2])
    chart = chart_space[: items * (n + 1) * (n + 1)].reshape((n + 1, items, n + 1))
    return chart, range_space[: operands * (n + 1) * 2].reshape((operands, n + 1, 2))


def values_of(tag: Any, forest: Any, flat: Any, n: Any, space: Any, baseline: Any) -> Any:
    """The potentials in this tag's arithmetic, the score taken out of them, whether they are in bounds."""
    raise NameError("for compiled code only")


@overload(values_of, strict=False)
def _values_of(tag: Any, forest: Any, flat: Any, n: Any, space: Any, baseline: Any) -> Any:
    def factors(tag: Any, forest: Any, flat: Any, n: Any, space: Any, baseline: Any) -> Any:
        values = space[: len(flat)]
        fine = to_linear(forest, flat, n, values, baseline)
        return values, baseline[:n].sum(), fine

    def as_they_are(tag: Any, forest: Any, flat: Any, n: Any, space: Any, baseline: Any) -> Any:
        return flat, 0.0, True

    return factors if tag == types.uint8 else as_they_are


@kernel
def in_bounds(tag: Any, chart: Any, n: Any) -> Any:
    """Whether a chart's arithmetic was exact enough."""
    return certified(tag, chart, n)

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

from text2math.arithmetic import (
    LARGEST_FACTOR,
    SMALLEST_FACTOR,
    as_log,
    bounded,
    certified,
    divide,
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
from text2math.potentials import EDGE, LEFT, SYMBOL_COUNT, WORD, A, B, Symbol

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


@inner
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


@inner
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
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, items = item_offsets(forest)
    none = zero(tag)
    for a in range(len(operand_symbol)):
        for k in range(n + 1):
            ranges[a, k, 0], ranges[a, k, 1] = n + 1, 0
    for i in range(n + 1):
        for t in range(items):
            for j in range(i, n + 1):
                chart[i, t, j] = none
    under = np.empty(len(child_state))  # child[s,side,c], in the order of the operands' children
    for a in range(len(operand_symbol)):
        for c in range(child_from[a], child_from[a + 1]):
            under[c] = child[operand_symbol[a], operand_side[a], symbol[child_state[c]]]
    # The first end at which an operator's items can be anything but zero, in this row or a later one.
    alive = np.full(len(operator_state), n + 1)
    for i in range(n - 1, -1, -1):
        first_end = _leaf_row(tag, symbol, quantity, step, number, anchors, n, i, chart)
        for p in range(len(operator_state)):
            first_end = min(first_end, alive[p])
        for j in range(first_end, n + 1):
            for p in range(len(operator_state)):
                if j >= alive[p]:
                    state = operator_state[p]
                    s = symbol[state]
                    chart[i, state, j] = _operator_cell(
                        tag,
                        step,
                        pattern,
                        s,
                        chart,
                        CORE + 4 * p,
                        RIGHT_ + 4 * p,
                        TAIL + 2 * p,
                        LEFT_ + p,
                        i,
                        j,
                    )
            for a in range(len(operand_symbol)):
                s, side = operand_symbol[a], operand_side[a]
                # OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j)
                total = none
                for c in range(child_from[a], child_from[a + 1]):
                    total = plus(tag, total, times(tag, under[c], chart[i, child_state[c], j]))
                chart[i, OPERAND + a, j] = total
                if total != none:
                    ranges[a, i, 0] = min(ranges[a, i, 0], j)
                    ranges[a, i, 1] = j + 1
                # TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
                mark = A if side == LEFT else B
                chart[i, TRAILED + a, j] = plus(
                    tag,
                    times(tag, chart[i, OPERAND + a, j - 1], step[s, j - 1, mark, WORD]),
                    times(tag, chart[i, TRAILED + a, j - 1], step[s, j - 1, WORD, WORD]),
                )
            # CORE(i,j') ⊕= OPERAND|TRAILED(i,k) ⊗ step ⊗ OPERAND(k,j')   with k = j, for all j' > k
            for p in range(len(operator_state)):
                s = symbol[operator_state[p]]
                for r in range(rule_from[p], rule_from[p + 1]):
                    for swapped in range(2):
                        first = rule_right[r] if swapped else rule_left[r]
                        second = rule_left[r] if swapped else rule_right[r]
                        start, stop = ranges[second, j, 0], ranges[second, j, 1]
                        if start >= stop:
                            continue
                        mark, other = (B, A) if swapped else (A, B)
                        x = times(tag, chart[i, OPERAND + first, j], step[s, j, mark, other])
                        y = times(tag, chart[i, TRAILED + first, j], step[s, j, WORD, other])
                        if x != none or y != none:
                            alive[p] = min(alive[p], start)
                            c = CORE + 4 * p + 2 * swapped
                            push(tag, chart, c, i, x, y, OPERAND + second, j, start, stop)
    total = none
    for r in range(len(root_state)):
        state = root_state[r]
        total = plus(tag, total, times(tag, root[symbol[state]], chart[0, state, n]))
    return total


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


@inner
def _operator_cell(
    tag: Any,
    step: Any,
    pattern: Any,
    s: Any,
    chart: Any,
    core: Any,
    right: Any,
    tail: Any,
    left: Any,
    i: Any,
    j: Any,
) -> Any:
    none = zero(tag)
    value = none
    ends_in_word = step[s, j, WORD, EDGE]
    for swapped in range(2):
        first, second = (B, A) if swapped else (A, B)
        bare, led = none, none
        for between in range(2):
            c = 2 * swapped + between
            # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
            trailing = plus(
                tag,
                times(tag, chart[i, core + c, j - 1], step[s, j - 1, second, WORD]),
                times(tag, chart[i, right + c, j - 1], step[s, j - 1, WORD, WORD]),
            )
            chart[i, right + c, j] = trailing
            closed = times(tag, chart[i, core + c, j], step[s, j, second, EDGE])
            trailing = times(tag, trailing, ends_in_word)
            # TAIL(i,j) = ⊕ over "between" and "after" of pattern ⊗ (CORE or RIGHT) ⊗ step[…,edge]
            b = 8 * swapped + 2 * between
            bare = plus(
                tag,
                bare,
                plus(tag, times(tag, closed, pattern[s, b]), times(tag, trailing, pattern[s, b + 1])),
            )
            led = plus(
                tag,
                led,
                plus(tag, times(tag, closed, pattern[s, b + 4]), times(tag, trailing, pattern[s, b + 5])),
            )
        chart[i, tail + swapped, j] = led
        value = plus(tag, value, times(tag, bare, step[s, i, EDGE, first]))
    # LEFT(i,j) = ⊕_swapped step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
    leading = none
    if i + 1 < j:
        leading = times(tag, chart[i + 1, left, j], step[s, i + 1, WORD, WORD])
        leading = plus(tag, leading, times(tag, chart[i + 1, tail, j], step[s, i + 1, WORD, A]))
        leading = plus(tag, leading, times(tag, chart[i + 1, tail + 1, j], step[s, i + 1, WORD, B]))
    chart[i, left, j] = leading
    # NODE(i,j) = step[edge,w] ⊗ LEFT(i,j)  ⊕  ⊕_swapped step[edge,first] ⊗ (TAIL without words before)
    return plus(tag, value, times(tag, leading, step[s, i, EDGE, WORD]))


# ---------------------------------------------------------------------------------------------------
# Outside: the same lines read backwards. ``out[i, item, j]`` is the sum over everything around an item,
# already divided by the partition, so that chart ⊗ out is the item's probability.


@inner
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
    _leaves_outside(tag, symbol, quantity, number, anchors, n, chart, out, step_count, number_count, weight)


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


@inner
def _leaves_outside(
    tag: Any,
    symbol: Any,
    quantity: Any,
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


@inner
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

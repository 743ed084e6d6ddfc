"""The recurrence over spans, from short ones to long ones: the sum (or the best) over all trees.

The recurrences stand above the lines that compute them, ⊕ and ⊗ being those of the tag (see
``semiring.py``); ``layout.py`` says what the items of the chart are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.layout import (
    CON,
    FIRST_LEAF,
    OPERATORS,
    SILENT,
    forest_parts,
    item_offsets,
    operand_parts,
    potential_parts,
)
from text2math.inference.patterns import AROUND, LEADING, ONLY_A, ONLY_B, ONLY_WORDS, TRAILING
from text2math.inference.potentials import EDGE, LEFT, RIGHT, WORD, A, B
from text2math.inference.semiring import (
    allocating,
    bounded,
    inlined,
    inner,
    kernel,
    one,
    plus,
    push,
    push_one,
    times,
    zero,
)

PLAIN, AFTER, X, Y = 0, 1, 2, 3
# Of the cores of all operators over one span: as they were one word before, with words after them, as they
# are, and closed.
BEFORE, TRAILING_, HERE, CLOSED = 0, 1, 2, 3
# How they go on: by a first word after the core, by one more, by their end after the core or after words.
FIRST_WORD, NEXT_WORD, CORE_END, WORD_END = 0, 1, 2, 3


@kernel
def inside(
    tag: Any, forest: Any, flat: Any, anchors: Any, n: Any, chart: Any, ranges: Any, larger: Any
) -> Any:
    """Fill the chart from short spans to long ones; return the sum (or best) over all trees.

    ``chart`` is [n + 1, item, n + 1]; ``ranges[a, k]`` becomes the first and the last end j at which operand
    a starting at k is possible, so that the cubic sums touch nothing else. ``larger`` is None if no forest
    has asides or silent unknowns; the code for them is then not even compiled.
    """
    symbol, quantity, operator_state, ordered, rule_from, rules = forest_parts(forest)
    operand_symbol, operand_side, child_from, child_state, root_state = operand_parts(forest)[:5]
    lead_operand, cut_operand, link_from, link = operand_parts(forest)[5:]
    step, pattern, child, root, number = potential_parts(flat, n)
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, LED, LED_TRAILED, CUT, CUT_TRAILED = item_offsets(forest)[
        :10
    ]
    none = zero(tag)
    operators, cores = np.int64(forest[OPERATORS]), (OPERAND, CORE, CUT, CUT_TRAILED)
    for a in range(len(operand_symbol)):
        for k in range(n + 1):
            ranges[a, k, 0], ranges[a, k, 1] = n + 1, 0
    operands = padded(len(operand_symbol))
    under = under_operands(
        tag, child, symbol, operand_symbol, operand_side, child_from, child_state, operands
    )
    meeting = meetings(tag, step, operand_symbol, operand_side, operands, n)
    sums = np.full((len(symbol) + 1, operands), none)
    # For one span: OPERAND and TRAILED, and each with its step to the other operand.
    found = np.empty((4, operands))
    closing = closings(tag, step, pattern, symbol, operator_state, operators, n)
    lanes = padded(operators)
    going_on = continuations(tag, step, closing, symbol, operator_state, operators, n)
    opening, line = np.full(4 * lanes, none), np.full((4, 4 * lanes), none)
    # The first end at which an operator's items can be nonzero, in this row or a later one.
    alive = np.full(operators, n + 1)
    starts = np.zeros(n + 1, dtype=np.bool_)  # whether an operand can start here
    silent = forest[SILENT]
    words = np.full(operators, none)  # an operator's own words alone, from i on
    at_word = _used_at(tag, number, anchors, n)
    _empty_row(tag, chart, n)
    may_be_silent = np.zeros(operators, dtype=np.bool_)  # whether an operand may have no words
    if larger is not None and silent:
        _silent_unknowns(tag, symbol, under, child_from, child_state, chart, OPERAND, n)
        for p in range(operators):
            may_be_silent[p] = _may_be_silent(tag, p, rule_from, rules, chart, OPERAND, n)
    for i in range(n - 1, -1, -1):
        _empty_row(tag, chart, i)
        first_end = _leaf_row(tag, symbol, quantity, step, number, anchors, at_word, n, i, chart)
        for p in range(operators):
            state = operator_state[p]
            if larger is not None and may_be_silent[p]:
                alive[p] = i + 1
                words[p] = step[symbol[state], i, EDGE, WORD]
            _lead_row(tag, step, symbol[state], chart, state, LEFT_ + p, TAIL + 2 * p, i, alive[p], n)
            first_end = min(first_end, alive[p])
            for c in range(4):
                opening[c * lanes + p] = step[symbol[state], i, EDGE, B if c >= 2 else A]
        for t in range(len(lead_operand)):
            a = lead_operand[t]
            mark = A if operand_side[a] == LEFT else B
            _led_row(tag, step, operand_symbol[a], mark, chart, OPERAND + a, LED + t, i, n)
        found[:] = none
        line[:] = none
        for j in range(first_end, n + 1):
            _trailed(tag, j, meeting, found)
            _close(tag, going_on, opening, operator_state, operators, line, chart, CORE, RIGHT_, i, j)
            for p in range(operators):
                if larger is not None and may_be_silent[p] and j >= alive[p]:
                    state = operator_state[p]
                    s = symbol[state]
                    closed = _close_silent(
                        tag,
                        step[s],
                        pattern[s],
                        p,
                        rule_from,
                        rules,
                        chart,
                        OPERAND,
                        found,
                        words,
                        i,
                        j,
                        n,
                    )
                    chart[i, state, j] = plus(tag, chart[i, state, j], closed)
            _operands(tag, chart, i, j, symbol, under, meeting, sums, found)
            _store_operands(tag, found, chart, ranges, starts, len(operand_symbol), OPERAND, TRAILED, i, j)
            if larger is not None and len(cut_operand):
                parts = (operand_symbol, operand_side, cut_operand, link_from, link)
                _cut_cell(tag, step, parts, chart, found, ranges, OPERAND, CUT, CUT_TRAILED, i, j)
            for p in range(operators if starts[j] else 0):
                own = (p, ordered[p], rule_from, rules)
                s = symbol[operator_state[p]]
                _core_cell(tag, own, cores, step[s], chart, found, ranges, alive, i, j, larger)
        for p in range(operators):
            _tail_row(tag, closing, p, chart, CORE + 4 * p, RIGHT_ + 4 * p, TAIL + 2 * p, i, alive[p], n)
            if larger is not None and may_be_silent[p]:
                s = symbol[operator_state[p]]
                _tail_row_silent(
                    tag, step[s], pattern[s], p, rule_from, rules, chart, OPERAND, TRAILED, TAIL + 2 * p, i, n
                )
    for t in range(len(lead_operand)):
        a = lead_operand[t]
        mark = A if operand_side[a] == LEFT else B
        _led_trailed(tag, step, operand_symbol[a], mark, chart, LED + t, LED_TRAILED + t, n)
    items = (OPERAND, TRAILED, LED, LED_TRAILED)
    for p in range(operators, len(operator_state)):
        s = symbol[operator_state[p]]
        chart[0, operator_state[p], n] = _whole(
            tag, step[s], pattern[s], p, ordered[p], rule_from, rules, chart, items, silent, n, larger
        )
    total = none
    for r in range(root_state.shape[1]):
        total = plus(tag, total, times(tag, root[root_state[1, r]], chart[0, root_state[0, r], n]))
    return total


@inner
def padded(size: Any) -> Any:
    """The next multiple of four: rows of that size are whole vectors, so that no loop has a remainder."""
    return (size + 3) // 4 * 4


@allocating
def under_operands(
    tag: Any,
    child: Any,
    symbol: Any,
    operand_symbol: Any,
    operand_side: Any,
    child_from: Any,
    child_state: Any,
    operands: Any,
) -> Any:
    """child[s,side,c] where a state may be an operand: [state, operand]."""
    found = np.full((len(symbol), operands), zero(tag))
    for a in range(len(operand_symbol)):
        for c in range(child_from[a], child_from[a + 1]):
            state = child_state[c]
            found[state, a] = child[operand_symbol[a], operand_side[a], symbol[state]]
    return found


@allocating
def meetings(tag: Any, step: Any, operand_symbol: Any, operand_side: Any, operands: Any, n: Any) -> Any:
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


@inner
def _trailed(tag: Any, j: Any, meeting: Any, found: Any) -> None:
    """All operands with words after them, from what ended one word before.

    TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
    """
    for a in range(np.uint64(found.shape[1])):
        x = times(tag, found[PLAIN, a], meeting[j - 1, 0, a])
        found[AFTER, a] = plus(tag, x, times(tag, found[AFTER, a], meeting[j - 1, 1, a]))


@inner
def _operands(
    tag: Any, chart: Any, i: Any, j: Any, symbol: Any, under: Any, meeting: Any, sums: Any, found: Any
) -> None:
    """All operands over a span at once.

    OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j)
    """
    size = np.uint64(found.shape[1])
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
def closings(
    tag: Any, step: Any, pattern: Any, symbol: Any, operator_state: Any, operators: Any, n: Any
) -> Any:
    """The score of each pattern with the end of its string at each boundary: [operator, pattern, j]."""
    found = np.empty((operators, 16, n + 1))
    for p in range(operators):
        s = symbol[operator_state[p]]
        for j in range(n + 1):
            for bits in range(16):
                last = WORD if bits % 2 else (A if bits >= 8 else B)
                found[p, bits, j] = times(tag, step[s, j, last, EDGE], pattern[s, bits])
    return found


@allocating
def continuations(
    tag: Any, step: Any, closing: Any, symbol: Any, operator_state: Any, operators: Any, n: Any
) -> Any:
    """How the cores of all operators go on at each boundary, without words before: [j, way, core].

    Cores of one kind come together, with an operator in each lane.
    """
    lanes = padded(operators)
    found = np.full((n + 1, 4, 4 * lanes), zero(tag))
    for p in range(operators):
        s = symbol[operator_state[p]]
        for c in range(4):
            at, bits, second = c * lanes + p, 8 * (c // 2) + 2 * (c % 2), A if c >= 2 else B
            for j in range(n + 1):
                found[j, FIRST_WORD, at] = step[s, j, second, WORD]
                found[j, NEXT_WORD, at] = step[s, j, WORD, WORD]
                found[j, CORE_END, at] = closing[p, bits, j]
                found[j, WORD_END, at] = closing[p, bits + 1, j]
    return found


@inner
def _empty_row(tag: Any, chart: Any, i: Any) -> None:
    for t in range(chart.shape[1]):
        for j in range(np.uint64(chart.shape[2])):
            chart[i, t, j] = zero(tag)


@inlined
def _store_operands(
    tag: Any,
    found: Any,
    chart: Any,
    ranges: Any,
    starts: Any,
    count: Any,
    operand: Any,
    trailed: Any,
    i: Any,
    j: Any,
) -> None:
    """Write the operands over a span to the chart, and the range of ends at which each is possible."""
    for a in range(count):
        chart[i, operand + a, j] = found[PLAIN, a]
        chart[i, trailed + a, j] = found[AFTER, a]
        if found[PLAIN, a] != zero(tag):
            starts[i] = True
            ranges[a, i, 0] = min(ranges[a, i, 0], j)
            ranges[a, i, 1] = j + 1


@inlined
def _core_cell(
    tag: Any,
    own: Any,
    places: Any,
    step: Any,
    chart: Any,
    found: Any,
    ranges: Any,
    alive: Any,
    i: Any,
    j: Any,
    larger: Any,
) -> None:
    """The operands that meet at j, for all j' > k.

    CORE(i,j') ⊕= OPERAND|TRAILED(i,k) ⊗ step ⊗ OPERAND(k,j')   with k = j
    """
    p, ordered, rule_from, rules = own
    OPERAND, CORE, CUT, CUT_TRAILED = places
    none = zero(tag)
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered):
            first, second = rules[swapped, r], rules[1 - swapped, r]
            start, stop = ranges[second, j, 0], ranges[second, j, 1]
            x, y = found[X, first], found[Y, first]
            cut = rules[2 + swapped, r]
            if larger is not None and cut >= 0:
                # Both sides of an equation with asides between them
                other = A if swapped else B
                y = times(tag, chart[i, CUT + cut, j], step[j, EDGE, other])
                z = times(tag, chart[i, CUT_TRAILED + cut, j], step[j, WORD, other])
                x, y = none, plus(tag, y, z)
            if start < stop and (x != none or y != none):
                alive[p] = min(alive[p], start)
                c = CORE + 4 * p + 2 * swapped
                push(tag, chart, c, i, x, y, OPERAND + second, j, start, stop)


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
    going_on: Any,
    opening: Any,
    operator_state: Any,
    operators: Any,
    line: Any,
    chart: Any,
    core: Any,
    right: Any,
    i: Any,
    j: Any,
) -> None:
    """The nodes of all operators over a span, without words before; all cores at once.

    RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
    NODE(i,j) ⊕= step[edge,first] ⊗ (CORE ⊗ its end and pattern  ⊕  RIGHT ⊗ its end and pattern)
    """
    lanes = padded(operators)
    for p in range(operators):
        for c in range(4):
            line[HERE, c * lanes + p] = chart[i, core + 4 * p + c, j]
    for a in range(np.uint64(4 * lanes)):
        x = times(tag, line[BEFORE, a], going_on[j - 1, FIRST_WORD, a])
        trailing = plus(tag, x, times(tag, line[TRAILING_, a], going_on[j - 1, NEXT_WORD, a]))
        x = times(tag, line[HERE, a], going_on[j, CORE_END, a])
        ended = plus(tag, x, times(tag, trailing, going_on[j, WORD_END, a]))
        line[BEFORE, a] = line[HERE, a]
        line[TRAILING_, a] = trailing
        line[CLOSED, a] = times(tag, ended, opening[a])
    for p in range(operators):
        closed = chart[i, operator_state[p], j]
        for c in range(4):
            chart[i, right + 4 * p + c, j] = line[TRAILING_, c * lanes + p]
            closed = plus(tag, closed, line[CLOSED, c * lanes + p])
        chart[i, operator_state[p], j] = closed


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


# ---------------------------------------------------------------------------------------------------
# Leaves


@allocating
def _used_at(tag: Any, number: Any, anchors: Any, n: Any) -> Any:
    """For each word, ⊕ number_k over the numbers anchored on it."""
    found = np.full(n, zero(tag))
    for k in range(len(anchors)):
        found[anchors[k]] = plus(tag, found[anchors[k]], number[k])
    return found


@inner
def _leaf_row(
    tag: Any,
    symbol: Any,
    quantity: Any,
    step: Any,
    number: Any,
    anchors: Any,
    at_word: Any,
    n: Any,
    i: Any,
    chart: Any,
) -> Any:
    """Fill the leaves that start at i; return the first end at which one is not zero.

    NODE(i,j) = step[edge,w]_i ⊗ step[w,w]_(i+1…j-1) ⊗ step[w,edge]_j, for CON ⊗ (⊕ number_k in the span)
    """
    none = zero(tag)
    first_end = n + 1
    for state in range(len(symbol)):
        s, k = symbol[state], quantity[state]
        if s < FIRST_LEAF:
            continue
        words = step[s, i, EDGE, WORD]
        used = none if s == CON else one(tag)
        for j in range(i + 1, n + 1):
            if s == CON:
                if k < 0:
                    used = plus(tag, used, at_word[j - 1])
                elif k < len(anchors) and anchors[k] == j - 1:
                    used = number[k]
            value = times(tag, times(tag, words, used), step[s, j, WORD, EDGE])
            chart[i, state, j] = value
            if value != none:
                first_end = min(first_end, j)
            if j < n:
                words = times(tag, bounded(tag, words), step[s, j, WORD, WORD])
    return first_end


# ---------------------------------------------------------------------------------------------------
# Unknowns without words, over the empty span (n, n)


@inner
def _silent_unknowns(
    tag: Any, symbol: Any, under: Any, child_from: Any, child_state: Any, chart: Any, operand: Any, n: Any
) -> None:
    """NODE(n,n) = 1 for an unknown;  OPERAND(n,n) = ⊕ child[s,side,c] over unknowns c."""
    for state in range(len(symbol)):
        if symbol[state] > CON:
            chart[n, state, n] = one(tag)
    for a in range(len(child_from) - 1):
        for c in range(child_from[a], child_from[a + 1]):
            state = child_state[c]
            if symbol[state] > CON:
                chart[n, operand + a, n] = plus(tag, chart[n, operand + a, n], under[state, a])


@inner
def _may_be_silent(tag: Any, p: Any, rule_from: Any, rules: Any, chart: Any, operand: Any, n: Any) -> Any:
    """Whether an operator may have an operand without words; with asides, both sides have words."""
    for r in range(rule_from[p], rule_from[p + 1]):
        for side in range(2):
            if rules[2, r] < 0 and chart[n, operand + rules[side, r], n] != zero(tag):
                return True
    return False


@inner
def _close_silent(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    chart: Any,
    operand: Any,
    found: Any,
    words: Any,
    i: Any,
    j: Any,
    n: Any,
) -> Any:
    """NODE(i,j) with a silent operand and no words before.

    Aw and Bw: step[edge,A] ⊗ TRAILED(i,j) ⊗ step[w,edge] ⊗ the other operand over (n,n)
    w:         step[edge,w] ⊗ step[w,w]… ⊗ step[w,edge] ⊗ both operands over (n,n)
    """
    value = zero(tag)
    ending = step[j, WORD, EDGE]
    for r in range(rule_from[p], rule_from[p + 1]):
        if rules[2, r] >= 0:
            continue
        a, b = rules[LEFT, r], rules[RIGHT, r]
        no_a, no_b = chart[n, operand + a, n], chart[n, operand + b, n]
        with_words = times(tag, times(tag, found[AFTER, b], step[i, EDGE, B]), times(tag, ending, no_a))
        value = plus(tag, value, times(tag, with_words, pattern[ONLY_B + TRAILING]))
        with_words = times(tag, times(tag, found[AFTER, a], step[i, EDGE, A]), times(tag, ending, no_b))
        value = plus(tag, value, times(tag, with_words, pattern[ONLY_A + TRAILING]))
        if no_a != zero(tag) and no_b != zero(tag):  # else infinity times zero would give NaN
            own = times(tag, times(tag, words[p], ending), times(tag, no_a, no_b))
            value = plus(tag, value, times(tag, own, pattern[ONLY_WORDS]))
    words[p] = times(tag, bounded(tag, words[p]), step[j, WORD, WORD])
    return value


@inner
def _tail_row_silent(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    chart: Any,
    operand: Any,
    trailed: Any,
    tail: Any,
    i: Any,
    n: Any,
) -> None:
    """TAIL(i,j) ⊕= (OPERAND or TRAILED)(i,j) ⊗ (its end and pattern) ⊗ the other operand over (n,n)."""
    for r in range(rule_from[p], rule_from[p + 1]):
        for side in range(2):
            silent_score = chart[n, operand + rules[1 - side, r], n]
            if rules[2, r] >= 0 or silent_score == zero(tag):
                continue
            with_words, mark, only = (
                rules[side, r],
                A if side == LEFT else B,
                ONLY_A if side == LEFT else ONLY_B,
            )
            for j in range(i + 1, n + 1):
                x = times(tag, times(tag, step[j, mark, EDGE], pattern[only + LEADING]), silent_score)
                y = times(tag, times(tag, step[j, WORD, EDGE], pattern[only + AROUND]), silent_score)
                led = times(tag, chart[i, operand + with_words, j], x)
                led = plus(tag, led, times(tag, chart[i, trailed + with_words, j], y))
                chart[i, tail + side, j] = plus(tag, chart[i, tail + side, j], led)


# ---------------------------------------------------------------------------------------------------
# Asides


@inner
def _cut_cell(
    tag: Any,
    step: Any,
    parts: Any,
    chart: Any,
    found: Any,
    ranges: Any,
    operand: Any,
    cut: Any,
    cut_trailed: Any,
    i: Any,
    j: Any,
) -> None:
    """Extend what ends at j by one more aside, and by words.

    CUT_TRAILED(i,j) = CUT(i,j-1) ⊗ step[edge,w]  ⊕  CUT_TRAILED(i,j-1) ⊗ step[w,w]
    CUT(i,j') ⊕= (OPERAND ⊗ step[A,edge] ⊕ TRAILED ⊗ step[w,edge])(i,k) ⊗ OPERAND_aside(k,j')
    CUT(i,j') ⊕= (CUT ⊗ step[edge,edge] ⊕ CUT_TRAILED ⊗ step[w,edge])(i,k) ⊗ OPERAND_aside(k,j')
    with k = j, for all j' > k
    """
    operand_symbol, operand_side, cut_operand, link_from, link = parts
    for c in range(len(cut_operand)):
        s = operand_symbol[cut_operand[c]]
        x = times(tag, chart[i, cut + c, j - 1], step[s, j - 1, EDGE, WORD])
        y = times(tag, chart[i, cut_trailed + c, j - 1], step[s, j - 1, WORD, WORD])
        chart[i, cut_trailed + c, j] = plus(tag, x, y)
    for c in range(len(cut_operand)):
        a = cut_operand[c]
        s, mark = operand_symbol[a], A if operand_side[a] == LEFT else B
        for at in range(link_from[c], link_from[c + 1]):
            before, aside = link[0, at], link[1, at]
            start, stop = ranges[aside, j, 0], ranges[aside, j, 1]
            if before < 0:
                x = times(tag, found[PLAIN, a], step[s, j, mark, EDGE])
                y = times(tag, found[AFTER, a], step[s, j, WORD, EDGE])
            else:
                x = times(tag, chart[i, cut + before, j], step[s, j, EDGE, EDGE])
                y = times(tag, chart[i, cut_trailed + before, j], step[s, j, WORD, EDGE])
            x = plus(tag, x, y)
            if start < stop and x != zero(tag):
                push_one(tag, chart, cut + c, i, x, operand + aside, j, start, stop)


# ---------------------------------------------------------------------------------------------------
# Root-only operators: one span, so nothing is cubic


@inner
def _led_row(
    tag: Any, step: Any, s: Any, mark: Any, chart: Any, operand: Any, led: Any, i: Any, n: Any
) -> None:
    """LED(i,j) = step[w,A] ⊗ OPERAND(i+1,j)  ⊕  step[w,w] ⊗ LED(i+1,j)."""
    first, word = step[s, i + 1, WORD, mark], step[s, i + 1, WORD, WORD]
    for j in range(np.uint64(i + 2), np.uint64(n + 1)):
        x = times(tag, chart[i + 1, operand, j], first)
        chart[i, led, j] = plus(tag, x, times(tag, chart[i + 1, led, j], word))


@inner
def _led_trailed(
    tag: Any, step: Any, s: Any, mark: Any, chart: Any, led: Any, led_trailed: Any, n: Any
) -> None:
    """LED_TRAILED(0,j) = LED(0,j-1) ⊗ step[A,w]  ⊕  LED_TRAILED(0,j-1) ⊗ step[w,w]."""
    for j in range(3, n + 1):
        x = times(tag, chart[0, led, j - 1], step[s, j - 1, mark, WORD])
        y = times(tag, chart[0, led_trailed, j - 1], step[s, j - 1, WORD, WORD])
        chart[0, led_trailed, j] = plus(tag, x, y)


@inner
def _whole(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    ordered: Any,
    rule_from: Any,
    rules: Any,
    chart: Any,
    items: Any,
    silent: Any,
    n: Any,
    larger: Any,
) -> Any:
    """NODE(0,n) = ⊕_k ⊕ over the patterns of (what ends at k) ⊗ step ⊗ (what begins at k) ⊗ pattern.

    What ends at k is OPERAND, TRAILED, LED or LED_TRAILED(0,k) of one operand, what begins there OPERAND or
    TRAILED(k,n) of the other.
    """
    operand, trailed, led, led_trailed = items
    value = zero(tag)
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered):
            first, second, lead = rules[swapped, r], rules[1 - swapped, r], rules[2 + swapped, r]
            mark, other = (B, A) if swapped else (A, B)
            for k in range(1, n):
                x = times(tag, chart[k, operand + second, n], step[n, other, EDGE])
                y = times(tag, chart[k, trailed + second, n], step[n, WORD, EDGE])
                if x == zero(tag) and y == zero(tag):
                    continue
                for between in range(2):
                    meeting = step[k, WORD if between else mark, other]
                    for before in range(2):
                        if before:
                            item = led_trailed if between else led
                            head = times(tag, chart[0, item + lead, k], step[0, EDGE, WORD])
                        else:
                            item = trailed if between else operand
                            head = times(tag, chart[0, item + first, k], step[0, EDGE, mark])
                        if head == zero(tag):
                            continue
                        bits = 8 * swapped + 4 * before + 2 * between
                        rest = plus(tag, times(tag, x, pattern[bits]), times(tag, y, pattern[bits + 1]))
                        # Two values and five potentials might leave the range of a double.
                        head = bounded(tag, times(tag, head, meeting))
                        value = plus(tag, value, times(tag, head, bounded(tag, rest)))
        if larger is not None and silent:
            value = plus(tag, value, _whole_silent(tag, step, pattern, r, rules, chart, items, n))
    return value


@inner
def _whole_silent(
    tag: Any, step: Any, pattern: Any, r: Any, rules: Any, chart: Any, items: Any, n: Any
) -> Any:
    """NODE(0,n) with one operand or both over (n,n)."""
    operand, trailed, led, led_trailed = items
    value = zero(tag)
    ending = step[n, WORD, EDGE]
    for side in range(2):
        silent_score, with_words, lead = (
            chart[n, operand + rules[1 - side, r], n],
            rules[side, r],
            rules[2 + side, r],
        )
        mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
        x = times(tag, times(tag, chart[0, led + lead, n], step[0, EDGE, WORD]), step[n, mark, EDGE])
        y = times(tag, times(tag, chart[0, trailed + with_words, n], step[0, EDGE, mark]), ending)
        z = times(tag, times(tag, chart[0, led_trailed + lead, n], step[0, EDGE, WORD]), ending)
        product = times(tag, x, pattern[only + LEADING])
        product = plus(tag, product, times(tag, y, pattern[only + TRAILING]))
        product = plus(tag, product, times(tag, z, pattern[only + AROUND]))
        value = plus(tag, value, times(tag, product, silent_score))
    both = times(tag, chart[n, operand + rules[LEFT, r], n], chart[n, operand + rules[RIGHT, r], n])
    if both != zero(tag):
        words = step[0, EDGE, WORD]
        for t in range(1, n):
            words = times(tag, bounded(tag, words), step[t, WORD, WORD])
        words = times(tag, times(tag, words, ending), pattern[ONLY_WORDS])
        value = plus(tag, value, times(tag, words, both))
    return value

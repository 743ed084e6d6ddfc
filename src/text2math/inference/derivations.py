"""Trees out of a chart: the best one, samples, and the k best trees or expressions.

An item and its span have one code; every way to build it is an edge with a weight and one or two items
below. All that reads trees off a chart walks the same edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.chart import views, workspace
from text2math.inference.inside import inside
from text2math.inference.layout import (
    CHILDREN,
    CON,
    FIRST_LEAF,
    LINKS,
    OPERATORS,
    ROOTS,
    RULES,
    SILENT,
    forest_parts,
    item_offsets,
    operand_parts,
    potential_parts,
)
from text2math.inference.patterns import AROUND, LEADING, ONLY_A, ONLY_B, ONLY_WORDS, TRAILING
from text2math.inference.potentials import EDGE, LEFT, WORD, A, B, Symbol
from text2math.inference.semiring import allocating, divide, inner, kernel, one, real, times, zero

EQU, SYS = int(Symbol.EQU), int(Symbol.SYS)


@allocating
def read_scene(forest: Any, flat: Any, n: Any) -> Any:
    """What the ways to build an item are read from: the forest, its parts, and the potentials."""
    return forest, forest_parts(forest), operand_parts(forest), potential_parts(flat, n)


@inner
def edges(tag: Any, code: Any, scene: Any, anchors: Any, n: Any, weight: Any, below: Any) -> Any:
    """Write the ways to build an item into ``weight`` and ``below[:, 2]`` (-1: nothing); return how many.

    Beyond the chart's items stand one for the root and one for each number. Of two items below a node or a
    tail, the left operand's comes first.
    """
    forest, parts, _, potentials = scene
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, LED, LED_TRAILED, CUT, CUT_TRAILED, items = item_offsets(
        forest
    )
    symbol, quantity, operator_state, ordered, rule_from, rules = parts
    step, pattern, _, _, number = potentials
    m = n + 1
    t, i, j = code // (m * m), code // m % m, code % m
    count = 0
    if t > items:  # a number: nothing below
        return 0
    if t == items or (OPERAND <= t < CORE) or t >= LED:
        return _operand_edges(tag, t, i, j, scene, n, weight, below)
    if t < OPERAND:
        s = symbol[t]
        if s >= FIRST_LEAF:
            if i == j:  # an unknown without words
                weight[0] = one(tag)
                below[0, 0], below[0, 1] = -1, -1
                return 1
            words = _words(tag, step[s], i, j)
            if s != CON:
                weight[0] = words
                below[0, 0], below[0, 1] = -1, -1
                return 1
            for k in range(len(anchors)):
                if i <= anchors[k] < j and (quantity[t] < 0 or quantity[t] == k):
                    weight[count] = times(tag, words, number[k])
                    below[count, 0], below[count, 1] = (items + 1) * m * m + k, -1
                    count += 1
            return count
        p = 0
        while operator_state[p] != t:
            p += 1
        if p >= forest[OPERATORS]:
            places = (OPERAND, TRAILED, LED, LED_TRAILED)
            return _whole_edges(
                tag,
                step[s],
                pattern[s],
                p,
                ordered[p],
                rule_from,
                rules,
                places,
                forest[SILENT],
                n,
                weight,
                below,
            )
        weight[0] = step[s, i, EDGE, WORD]
        below[0, 0], below[0, 1] = ((LEFT_ + p) * m + i) * m + j, -1
        count = 1
        for swapped in range(2):
            opening = step[s, i, EDGE, B if swapped else A]
            count = _closings(
                tag, count, p, swapped, 0, opening, step[s], pattern[s], CORE, RIGHT_, i, j, m, weight, below
            )
        for r in range(rule_from[p], rule_from[p + 1] if forest[SILENT] else rule_from[p]):
            if rules[2, r] < 0:
                for side in range(2):
                    mark, own = (A, ONLY_A + TRAILING) if side == LEFT else (B, ONLY_B + TRAILING)
                    met = times(
                        tag, times(tag, step[s, i, EDGE, mark], step[s, j, WORD, EDGE]), pattern[s, own]
                    )
                    spoken = ((TRAILED + rules[side, r]) * m + i) * m + j
                    count = _silent_edge(
                        met, spoken, side, OPERAND + rules[1 - side, r], n, count, weight, below
                    )
                met = times(tag, _words(tag, step[s], i, j), pattern[s, ONLY_WORDS])
                count = _silent_pair(met, r, rules, OPERAND, n, count, weight, below)
        return count
    if t < RIGHT_:
        p, c = (t - CORE) // 4, (t - CORE) % 4
        s = symbol[operator_state[p]]
        swapped, between = c // 2, c % 2
        mark, other = (B, A) if swapped else (A, B)
        for r in range(rule_from[p], rule_from[p + 1]):
            first, second, cut = rules[swapped, r], rules[1 - swapped, r], rules[2 + swapped, r]
            for k in range(i + 1, j):
                behind = ((OPERAND + second) * m + k) * m + j
                for kind in range(2 if cut >= 0 else 1):
                    item, last = (TRAILED + first, WORD) if between else (OPERAND + first, mark)
                    if cut >= 0:
                        item, last = (CUT_TRAILED + cut, WORD) if kind else (CUT + cut, EDGE)
                        if not between:
                            continue
                    weight[count] = step[s, k, last, other]
                    below[count, 0], below[count, 1] = (item * m + i) * m + k, behind
                    count += 1
        return count
    if t < TAIL:
        p, c = (t - RIGHT_) // 4, (t - RIGHT_) % 4
        s = symbol[operator_state[p]]
        weight[0] = step[s, j - 1, A if c // 2 else B, WORD]
        below[0, 0], below[0, 1] = ((CORE + 4 * p + c) * m + i) * m + j - 1, -1
        weight[1] = step[s, j - 1, WORD, WORD]
        below[1, 0], below[1, 1] = (t * m + i) * m + j - 1, -1
        return 2
    if t < LEFT_:
        p, side = (t - TAIL) // 2, (t - TAIL) % 2
        s = symbol[operator_state[p]]
        count = _closings(
            tag, 0, p, side, 4, one(tag), step[s], pattern[s], CORE, RIGHT_, i, j, m, weight, below
        )
        mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
        for r in range(rule_from[p], rule_from[p + 1] if forest[SILENT] else rule_from[p]):
            if rules[2, r] < 0:
                hushed = OPERAND + rules[1 - side, r]
                met = times(tag, step[s, j, mark, EDGE], pattern[s, only + LEADING])
                spoken = ((OPERAND + rules[side, r]) * m + i) * m + j
                count = _silent_edge(met, spoken, side, hushed, n, count, weight, below)
                met = times(tag, step[s, j, WORD, EDGE], pattern[s, only + AROUND])
                spoken = ((TRAILED + rules[side, r]) * m + i) * m + j
                count = _silent_edge(met, spoken, side, hushed, n, count, weight, below)
        return count
    p = t - LEFT_
    s = symbol[operator_state[p]]
    if i + 1 >= j:
        return 0
    weight[0] = step[s, i + 1, WORD, WORD]
    below[0, 0], below[0, 1] = (t * m + i + 1) * m + j, -1
    for swapped in range(2):
        weight[1 + swapped] = step[s, i + 1, WORD, B if swapped else A]
        below[1 + swapped, 0] = ((TAIL + 2 * p + swapped) * m + i + 1) * m + j
        below[1 + swapped, 1] = -1
    return 3


@inner
def _operand_edges(tag: Any, t: Any, i: Any, j: Any, scene: Any, n: Any, weight: Any, below: Any) -> Any:
    """The ways to build the root, an operand, or an operand with words or asides beside it."""
    forest, parts, operands, potentials = scene
    OPERAND, TRAILED, CORE, _, _, _, LED, LED_TRAILED, CUT, CUT_TRAILED, items = item_offsets(forest)
    symbol = parts[0]
    operand_symbol, operand_side, child_from, child_state, root_state = operands[:5]
    lead_operand, cut_operand, link_from, link = operands[5:]
    step, _, child, root, _ = potentials
    m = n + 1
    count = 0
    if t == items:  # the root
        for r in range(root_state.shape[1]):
            weight[count] = root[root_state[1, r]]
            below[count, 0], below[count, 1] = (root_state[0, r] * m) * m + n, -1
            count += 1
        return count
    if t < TRAILED:
        a = t - OPERAND
        for c in range(child_from[a], child_from[a + 1]):
            if i < j or symbol[child_state[c]] > CON:
                weight[count] = child[operand_symbol[a], operand_side[a], symbol[child_state[c]]]
                below[count, 0], below[count, 1] = (child_state[c] * m + i) * m + j, -1
                count += 1
        return count
    if CUT <= t < CUT_TRAILED:
        c = t - CUT
        a = cut_operand[c]
        s, mark = operand_symbol[a], A if operand_side[a] == LEFT else B
        for at in range(link_from[c], link_from[c + 1]):
            before, aside = link[0, at], link[1, at]
            for k in range(i + 1, j):
                for kind in range(2):
                    item, last = (TRAILED + a, WORD) if kind else (OPERAND + a, mark)
                    if before >= 0:
                        item, last = (CUT_TRAILED + before, WORD) if kind else (CUT + before, EDGE)
                    weight[count] = step[s, k, last, EDGE]
                    below[count, 0] = (item * m + i) * m + k
                    below[count, 1] = ((OPERAND + aside) * m + k) * m + j
                    count += 1
        return count
    # What is left has one more word: after it (TRAILED, LED_TRAILED, CUT_TRAILED) or before it (LED).
    item, at, a, own, last = t, j - 1, 0, 0, WORD
    if t < CORE:
        a, own = t - TRAILED, OPERAND + t - TRAILED
    elif t < LED_TRAILED:
        a = lead_operand[t - LED]
        at, own = i + 1, OPERAND + a
    elif t < CUT:
        a, own = lead_operand[t - LED_TRAILED], t - LED_TRAILED + LED
    else:
        a, own, last = cut_operand[t - CUT_TRAILED], t - CUT_TRAILED + CUT, EDGE
    s = operand_symbol[a]
    if t < CUT_TRAILED:
        last = A if operand_side[a] == LEFT else B
    if LED <= t < LED_TRAILED:
        if i + 1 >= j:
            return 0
        weight[0], weight[1] = step[s, at, WORD, last], step[s, at, WORD, WORD]
        below[0, 0], below[1, 0] = (own * m + i + 1) * m + j, (item * m + i + 1) * m + j
    else:
        weight[0], weight[1] = step[s, at, last, WORD], step[s, at, WORD, WORD]
        below[0, 0], below[1, 0] = (own * m + i) * m + j - 1, (item * m + i) * m + j - 1
    below[0, 1], below[1, 1] = -1, -1
    return 2


@inner
def _words(tag: Any, step: Any, i: Any, j: Any) -> Any:
    """The score of a node that owns all the words of a span."""
    words = step[i, EDGE, WORD]
    for at in range(i + 1, j):
        words = times(tag, words, step[at, WORD, WORD])
    return times(tag, words, step[j, WORD, EDGE])


@inner
def _silent_edge(
    met: Any, spoken: Any, side: Any, hushed: Any, n: Any, count: Any, weight: Any, below: Any
) -> Any:
    """One operand with words and one without, the left one first."""
    weight[count] = met
    below[count, side], below[count, 1 - side] = spoken, (hushed * (n + 1) + n) * (n + 1) + n
    return count + 1


@inner
def _silent_pair(
    met: Any, r: Any, rules: Any, operand: Any, n: Any, count: Any, weight: Any, below: Any
) -> Any:
    """Two operands without words."""
    weight[count] = met
    for side in range(2):
        below[count, side] = ((operand + rules[side, r]) * (n + 1) + n) * (n + 1) + n
    return count + 1


@inner
def _whole_edges(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    ordered: Any,
    rule_from: Any,
    rules: Any,
    items: Any,
    silent: Any,
    n: Any,
    weight: Any,
    below: Any,
) -> Any:
    """The ways to build an operator over the whole text."""
    operand, trailed, led, led_trailed = items
    m = n + 1
    count = 0
    for r in range(rule_from[p], rule_from[p + 1]):
        for own in range(16 - 8 * ordered):
            swapped, before, between, after = own // 8, own // 4 % 2, own // 2 % 2, own % 2
            first, second, lead = rules[swapped, r], rules[1 - swapped, r], rules[2 + swapped, r]
            mark, other = (B, A) if swapped else (A, B)
            head = (led_trailed if between else led) + lead
            if not before:
                head = (trailed if between else operand) + first
            rest = (trailed if after else operand) + second
            ends = times(
                tag, step[0, EDGE, WORD if before else mark], step[n, WORD if after else other, EDGE]
            )
            ends = times(tag, ends, pattern[own])
            for k in range(1, n):
                weight[count] = times(tag, ends, step[k, WORD if between else mark, other])
                below[count, swapped], below[count, 1 - swapped] = head * m * m + k, (rest * m + k) * m + n
                count += 1
        if silent:
            for side in range(2):
                hushed, lead = operand + rules[1 - side, r], rules[2 + side, r]
                mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
                met = times(
                    tag, times(tag, step[0, EDGE, WORD], step[n, mark, EDGE]), pattern[only + LEADING]
                )
                spoken = (led + lead) * m * m + n
                count = _silent_edge(met, spoken, side, hushed, n, count, weight, below)
                met = times(
                    tag, times(tag, step[0, EDGE, mark], step[n, WORD, EDGE]), pattern[only + TRAILING]
                )
                spoken = (trailed + rules[side, r]) * m * m + n
                count = _silent_edge(met, spoken, side, hushed, n, count, weight, below)
                met = times(tag, times(tag, step[0, EDGE, WORD], step[n, WORD, EDGE]), pattern[only + AROUND])
                spoken = (led_trailed + lead) * m * m + n
                count = _silent_edge(met, spoken, side, hushed, n, count, weight, below)
            met = times(tag, _words(tag, step, 0, n), pattern[ONLY_WORDS])
            count = _silent_pair(met, r, rules, operand, n, count, weight, below)
    return count


@inner
def _closings(
    tag: Any,
    count: Any,
    p: Any,
    swapped: Any,
    before: Any,
    opening: Any,
    step: Any,
    pattern: Any,
    core: Any,
    right: Any,
    i: Any,
    j: Any,
    m: Any,
    weight: Any,
    below: Any,
) -> Any:
    """The four ways to close an operator's string: with or without words between and after."""
    for between in range(2):
        c = 4 * p + 2 * swapped + between
        for after in range(2):
            closing = step[j, WORD if after else (A if swapped else B), EDGE]
            bits = 8 * swapped + before + 2 * between + after
            weight[count] = times(tag, opening, times(tag, closing, pattern[bits]))
            below[count, 0] = (((right if after else core) + c) * m + i) * m + j
            below[count, 1] = -1
            count += 1
    return count


@inner
def value_of(tag: Any, code: Any, chart: Any, n: Any) -> Any:
    """What the chart holds for an item; a number or nothing (-1) scores nothing."""
    m = n + 1
    if code < 0 or code >= chart.shape[1] * m * m:
        return one(tag)
    return chart[code // m % m, code // (m * m), code % m]


@inner
def edge_limit(forest: Any, n: Any, numbers: Any) -> Any:
    """No item has more edges than this."""
    of_rules = 16 * np.int64(forest[RULES] + forest[LINKS]) * (n + 1) + 16
    return max(of_rules, max(np.int64(forest[CHILDREN]), max(np.int64(forest[ROOTS]), numbers)))


@kernel
def trace(
    tag: Any, forest: Any, flat: Any, anchors: Any, n: Any, chart: Any, uniform: Any, codes: Any
) -> Any:
    """Walk down from the root, writing the items of one tree, parents first; return how many.

    Each comes with the place of the item above it. The best tree where ⊕ is the maximum, else one drawn from
    the distribution with the given uniform numbers.
    """
    scene = read_scene(forest, flat, n)
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty((8 * n + 32, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = item_offsets(forest)[-1] * (n + 1) * (n + 1), -1
    height, length = 1, 0
    while height:
        height -= 1
        code = stack[height, 0]
        codes[length, 0], codes[length, 1] = code, stack[height, 1]
        count = edges(tag, code, scene, anchors, n, weight, below)
        if count:
            for e in range(count):
                met = times(tag, value_of(tag, below[e, 0], chart, n), value_of(tag, below[e, 1], chart, n))
                weight[e] = times(tag, weight[e], met)
            e = choose(tag, weight, count, uniform[length % len(uniform)])
            for side in range(1, -1, -1):
                if below[e, side] >= 0:
                    stack[height, 0], stack[height, 1] = below[e, side], length
                    height += 1
        length += 1
    return length


@inner
def choose(tag: Any, weight: Any, count: Any, uniform: Any) -> Any:
    """The best edge where ⊕ is the maximum, else one with probability proportional to its weight."""
    best = 0
    for e in range(1, count):
        if weight[e] > weight[best]:
            best = e
    if tag:
        return best
    total = 0.0
    for e in range(count):
        total += real(tag, divide(tag, weight[e], weight[best]))
    left, chosen = uniform * total, best
    for e in range(count):
        p = real(tag, divide(tag, weight[e], weight[best]))
        if p > 0.0:
            chosen = e
            left -= p
            if left < 0.0:
                break
    return chosen


def code_limit(n: int) -> int:
    """No tree over n words passes through more items than this, eight for each of its nodes."""
    return 8 * node_limit(n) + 32


def node_limit(n: int) -> int:
    """No tree over n words has more nodes: 2n - 1 with words, two without for each operator."""
    return 4 * n


# A node of a tree as plain numbers: state, parent record, side, first word, last word, quantity.
RECORD_SIZE = 6


@kernel
def records(forest: Any, n: Any, codes: Any, length: Any, result: Any) -> Any:
    """Turn the items of a tree into one record for each node, parents first; return how many."""
    operand_side = operand_parts(forest)[1]
    offsets = item_offsets(forest)
    OPERAND, TRAILED, items = offsets[0], offsets[1], offsets[10]
    m = n + 1
    # Of each item, the node it belongs to and the side of the operand it stands in.
    owner, side = np.full(length, -1), np.full(length, -1)
    count = 0
    for at in range(length):
        code, above = codes[at, 0], codes[at, 1]
        t, i, j = code // (m * m), code // m % m, code % m
        if above >= 0:
            owner[at], side[at] = owner[above], side[above]
        if t > items:
            result[owner[at], 5] = code - (items + 1) * m * m
        elif t < OPERAND:
            result[count, 0], result[count, 1], result[count, 2] = t, owner[at], side[at]
            result[count, 3], result[count, 4], result[count, 5] = i, j, -1
            owner[at] = count
            count += 1
        elif t < TRAILED:
            side[at] = operand_side[t - OPERAND]
    return count


# The k best, lazily (Huang and Chiang 2005, algorithm 3): an item's next derivation is found only when
# asked for. With ``distinct`` on, an item keeps only the best derivation of each sub-expression, which
# makes the k best *expressions* exact: two sub-expressions never give the same expression.
#
# ``scene`` is (forest, values, anchors, n, chart). ``pool`` is (item, link, score, name, size): for each item
# its first and last derivation, how many it has, its heap of candidates, the one whose successors are still
# to be offered, whether there are no more, and whether it was ever asked (until then all are zero); for each
# derivation the two items below, their ranks, its first child and its next sibling in the heap, and the next
# one in the list; its score and its edge's weight; the names of what it spells and of its asides; and how
# much of the pool is taken, and whether it was too small.
FIRST_, LAST_, COUNT_, HEAP_, PENDING_, DONE_, ASKED_ = range(7)
RANK, CHILD, SIBLING, NEXT = 2, 4, 5, 6


@kernel
def derive(tag: Any, root: Any, wanted: Any, distinct: Any, scene: Any, pool: Any) -> Any:
    """Find derivations of an item until it has ``wanted`` or no more exist; return how many it has.

    What an item needs from those below it is put on a stack and met first, so that nothing recurses.
    """
    forest, values, anchors, n, chart = scene
    sources = read_scene(forest, values, n)
    symbol, operator_state = sources[1][0], sources[1][2]
    item, size = pool[0], pool[4]
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty((32 * n + 64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = root, wanted
    height = 1
    while height and not size[1]:
        code = stack[height - 1, 0]
        if not item[code, ASKED_]:
            item[code, ASKED_] = 1
            item[code, FIRST_], item[code, HEAP_], item[code, PENDING_] = -1, -1, -1
            count = edges(tag, code, sources, anchors, n, weight, below)
            _offer_edges(tag, code, count, weight, below, chart, n, pool)
        if item[code, COUNT_] >= stack[height - 1, 1] or item[code, DONE_]:
            height -= 1
            continue
        last = item[code, PENDING_]
        if last >= 0:
            # The next rank of the second item below, and of the first while the second's is its best: so
            # each pair of ranks is offered exactly once.
            need = _missing(last, 1, pool)
            if need < 0:
                _offer_successors(tag, code, last, chart, n, pool)
                item[code, PENDING_] = -1
        elif item[code, HEAP_] < 0:
            item[code, DONE_] = 1
            continue
        else:
            need = _missing(np.int64(item[code, HEAP_]), 0, pool)
            if need < 0:
                _settle(code, distinct, symbol, operator_state, forest, n, pool)
        if need >= 0:
            stack[height, 0], stack[height, 1] = need // 2**16, need % 2**16
            height += 1
    return np.int64(item[root, COUNT_])


@inner
def _missing(at: Any, more: Any, pool: Any) -> Any:
    """An item below a derivation, with the number of derivations it must still have for it; -1: all there.

    With ``more``, each side's next rank is wanted too.
    """
    item, link = pool[0], pool[1]
    for side in range(2):
        below = link[at, side]
        if below >= 0 and not (more and side == 0 and link[at, RANK + 1]):
            wanted = link[at, RANK + side] + 1 + more
            if item[below, COUNT_] < wanted and not item[below, DONE_]:
                return below * 2**16 + wanted
    return np.int64(-1)


@inner
def _settle(
    code: Any, distinct: Any, symbol: Any, operator_state: Any, forest: Any, n: Any, pool: Any
) -> None:
    """Move the best candidate from the heap to the list, unless what it spells is there already."""
    item, link = pool[0], pool[1]
    best = _pop(code, pool)
    item[code, PENDING_] = best
    _name(code, best, symbol, operator_state, forest, n, pool)
    if not (distinct and _known(code, best, pool)):
        if item[code, COUNT_] == 0:
            item[code, FIRST_] = best
        else:
            link[item[code, LAST_], NEXT] = best
        item[code, LAST_] = best
        item[code, COUNT_] += 1


@inner
def _offer_edges(
    tag: Any, code: Any, count: Any, weight: Any, below: Any, chart: Any, n: Any, pool: Any
) -> None:
    """Make every edge of an item, with the best below it, a candidate."""
    for e in range(count):
        met = times(tag, value_of(tag, below[e, 0], chart, n), value_of(tag, below[e, 1], chart, n))
        met = times(tag, weight[e], met)
        if met != zero(tag):
            _offer(code, below[e, 0], below[e, 1], 0, 0, met, weight[e], pool)
    if code >= (chart.shape[1] + 1) * (n + 1) * (n + 1):  # a number: nothing below
        _offer(code, -1, -1, 0, 0, one(tag), one(tag), pool)


@inner
def _offer_successors(tag: Any, code: Any, last: Any, chart: Any, n: Any, pool: Any) -> None:
    """Offer what differs from the derivation ``last`` in taking the next rank on one side."""
    item, link, score = pool[0], pool[1], pool[2]
    for side in range(2):
        if link[last, side] < 0 or (side == 0 and link[last, RANK + 1]):
            continue
        if item[link[last, side], COUNT_] <= link[last, RANK + side] + 1:
            continue
        met = score[last, 1]
        for at in range(2):
            below, rank = link[last, at], link[last, RANK + at] + (1 if at == side else 0)
            if below >= 0:
                met = times(
                    tag, met, score[_find(below, rank, pool), 0] if rank else value_of(tag, below, chart, n)
                )
        first, second = link[last, RANK], link[last, RANK + 1]
        if side == 0:
            first += 1
        else:
            second += 1
        _offer(code, link[last, 0], link[last, 1], first, second, met, score[last, 1], pool)


@inner
def _offer(
    code: Any, first: Any, second: Any, rank: Any, second_rank: Any, score: Any, weight: Any, pool: Any
) -> None:
    """Add a candidate to an item's heap."""
    item, link, scores, size = pool[0], pool[1], pool[2], pool[4]
    at = size[0]
    if at >= len(link):
        size[1] = 1
        return
    size[0] += 1
    link[at, 0], link[at, 1], link[at, RANK], link[at, RANK + 1] = first, second, rank, second_rank
    link[at, CHILD], link[at, SIBLING], link[at, NEXT] = -1, -1, -1
    scores[at, 0], scores[at, 1] = score, weight
    item[code, HEAP_] = _meld(item[code, HEAP_], at, pool)


@inner
def _meld(x: Any, y: Any, pool: Any) -> Any:
    """Two pairing heaps (Fredman et al. 1986) as one: the lesser becomes the first child of the better."""
    link, score = pool[1], pool[2]
    if x < 0:
        return np.int64(y)
    if y < 0:
        return np.int64(x)
    if score[x, 0] < score[y, 0]:
        x, y = y, x
    link[y, SIBLING] = link[x, CHILD]
    link[x, CHILD] = y
    return np.int64(x)


@inner
def _pop(code: Any, pool: Any) -> Any:
    """Take the best candidate out of an item's heap: its children in pairs, then the pairs into one."""
    item, link = pool[0], pool[1]
    best = np.int64(item[code, HEAP_])
    pairs, at = np.int64(-1), link[best, CHILD]
    while at >= 0:
        mate = link[at, SIBLING]
        after = link[mate, SIBLING] if mate >= 0 else mate
        link[at, SIBLING] = -1
        if mate >= 0:
            link[mate, SIBLING] = -1
        pair = _meld(at, mate, pool)
        link[pair, SIBLING] = pairs
        pairs, at = pair, after
    rest = np.int64(-1)
    while pairs >= 0:
        after = link[pairs, SIBLING]
        link[pairs, SIBLING] = -1
        rest = _meld(rest, pairs, pool)
        pairs = after
    item[code, HEAP_] = rest
    return best


@inner
def _find(code: Any, rank: Any, pool: Any) -> Any:
    """Where the derivation of an item with this rank is kept."""
    at = np.int64(pool[0][code, FIRST_])
    for _ in range(rank):
        at = pool[1][at, NEXT]
    return at


@inner
def _known(code: Any, best: Any, pool: Any) -> Any:
    """Whether an item has a derivation already that spells what this one does."""
    name = pool[3]
    at = pool[0][code, FIRST_]
    for _ in range(pool[0][code, COUNT_]):
        if name[at, 0] == name[best, 0] and name[at, 1] == name[best, 1]:
            return True
        at = pool[1][at, NEXT]
    return False


@inner
def _name_below(at: Any, side: Any, part: Any, pool: Any) -> Any:
    """The name of what stands on one side below a derivation, or of its asides."""
    below = pool[1][at, side]
    return pool[3][_find(below, pool[1][at, RANK + side], pool), part] if below >= 0 else np.uint64(0)


@inner
def _name(code: Any, at: Any, symbol: Any, operator_state: Any, forest: Any, n: Any, pool: Any) -> None:
    """Name what a derivation spells, given the names below it: a sub-expression, and the asides so far.

    A system has the same name however its statements are joined.
    """
    offsets = item_offsets(forest)
    operand, core, right, cut, cut_trailed, items = (
        offsets[0],
        offsets[2],
        offsets[3],
        offsets[8],
        offsets[9],
        offsets[10],
    )
    name, t = pool[3], code // ((n + 1) * (n + 1))
    first, second = _name_below(at, 0, 0, pool), _name_below(at, 1, 0, pool)
    asides = _name_below(at, 0, 1, pool)
    pair = pool[1][at, 1] >= 0
    if t > items:
        first = _mix(np.uint64(1), np.uint64(code))
    elif cut <= t < cut_trailed:  # an operand, then asides, then one more aside
        asides = _chained(asides, second)
    elif core <= t < right and symbol[operator_state[(t - core) // 4]] == SYS:
        first = _chained(first, second)
    elif core <= t < right:  # A first, whatever the order in the text
        first = _mix(second, first) if (t - core) % 4 >= 2 else _mix(first, second)
    elif t < operand and symbol[t] == SYS:
        first = _chained(first, second) if pair else first
    elif t < operand:
        own = _mix(np.uint64(100 + symbol[t]), _mix(first, second) if pair else first)
        # A statement is a system of one.
        first = _chained(_counted(own), asides) if symbol[t] == EQU else own
        asides = np.uint64(0)
    elif pair:
        first = _mix(first, second)
    name[at, 0], name[at, 1] = first, asides


@inner
def _mix(x: Any, y: Any) -> Any:
    """A 64-bit name out of two (splitmix64)."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + y + np.uint64(0x632BE59BD9B4E019)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def _counted(name: Any) -> Any:
    """The name of a system of one statement: how many they are stands in the last eight bits."""
    return (name << np.uint64(8)) | np.uint64(1)


@inner
def _chained(x: Any, y: Any) -> Any:
    """The name of the statements of x, then those of y, however they were joined before (0: none)."""
    size, factor = y & np.uint64(255), np.uint64(1)
    for _ in range(size):
        factor *= np.uint64(0x9E3779B97F4A7C15)
    both = (x >> np.uint64(8)) * factor + (y >> np.uint64(8))
    return (both << np.uint64(8)) | ((x + size) & np.uint64(255))


@kernel
def spell(code: Any, rank: Any, n: Any, pool: Any, codes: Any) -> Any:
    """Write the items of the derivation of this rank as ``trace`` does; return how many."""
    link = pool[1]
    stack = np.empty((8 * n + 32, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = code, rank, -1
    height, length = 1, 0
    while height:
        height -= 1
        code, rank = stack[height, 0], stack[height, 1]
        codes[length, 0], codes[length, 1] = code, stack[height, 2]
        at = _find(code, rank, pool)
        for side in range(1, -1, -1):
            if link[at, side] >= 0:
                stack[height, 0], stack[height, 1] = link[at, side], link[at, RANK + side]
                stack[height, 2] = length
                height += 1
        length += 1
    return length


@kernel
def listed(forest: Any, code: Any, n: Any, pool: Any, scores: Any, sizes: Any, nodes: Any) -> None:
    """The best derivations of an item, one for each score to fill in: their scores, sizes and records."""
    codes = np.empty((32 * n + 32, 2), dtype=np.int64)
    at = pool[0][code, FIRST_]
    for rank in range(len(scores)):
        scores[rank] = pool[2][at, 0]
        at = pool[1][at, NEXT]
        sizes[rank] = records(forest, n, codes, spell(code, rank, n, pool, codes), nodes[rank])


# ---------------------------------------------------------------------------------------------------
# Many problems


@kernel
def best_records(
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
    scores: Any,
    sizes: Any,
    nodes: Any,
) -> None:
    """The best tree of every problem: its score, its number of nodes, and their records."""
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    range_space = np.empty(most_operands * (longest + 1) * 2, dtype=np.int32)
    codes = np.empty((32 * longest + 32, 2), dtype=np.int64)
    uniform = np.zeros(1)
    for at in range(len(problems)):
        p = problems[at]
        n = np.int64(words[p])
        here = flat[flat_from[p] : flat_from[p + 1]]
        spots = anchors[anchors_from[p] : anchors_from[p + 1]]
        forest = forests[forest_from[forest_of[p, 0]] : forest_from[forest_of[p, 0] + 1]]
        chart, ranges = views(forest, n, chart_space, range_space)
        scores[p] = inside(tag, forest, here, spots, n, chart, ranges)
        sizes[p] = 0
        if scores[p] > -np.inf:
            length = trace(tag, forest, here, spots, n, chart, uniform, codes)
            sizes[p] = records(forest, n, codes, length, nodes[p])

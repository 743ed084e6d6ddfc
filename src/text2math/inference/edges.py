"""The ways to build each item of a chart: everything that reads trees from a chart follows these edges.

An item and its span have one code; every way to build it is an edge with a weight and at most two items
below. After the chart's items comes one for the root, then one for each number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
from text2math.inference.potentials import EDGE, LEFT, WORD, A, B
from text2math.inference.semiring import allocating, inner, one, times


@allocating
def edge_sources(forest: Any, flat: Any, n: Any) -> Any:
    """What ``edges`` are computed from: the forest, its parts, and the potentials."""
    return forest, forest_parts(forest), operand_parts(forest), potential_parts(flat, n)


@inner
def edges(
    tag: Any, code: Any, sources: Any, anchors: Any, n: Any, weight: Any, below: Any, larger: Any
) -> Any:
    """Write the ways to build an item into ``weight`` and ``below[:, 2]`` (-1: nothing); return how many.

    Of two items below a node or a tail, the left operand's comes first.
    """
    forest, parts, _, _ = sources
    OPERAND, _, CORE, RIGHT_, _, _, LED, _, _, _, items = item_offsets(forest)
    symbol = parts[0]
    t, i, j = place_of((items, n + 1), code)
    if t > items:  # a number: nothing below
        return 0
    if t == items or (OPERAND <= t < CORE) or t >= LED:
        return _operand_edges(tag, t, i, j, sources, n, weight, below, larger)
    if t < OPERAND:
        if symbol[t] >= FIRST_LEAF:
            return _leaf_edges(tag, t, i, j, sources, anchors, n, weight, below)
        return _node_edges(tag, t, i, j, sources, n, weight, below, larger)
    if t < RIGHT_:
        return _core_edges(t, i, j, sources, n, weight, below, larger)
    return _word_edges(tag, t, i, j, sources, n, weight, below, larger)


@inner
def _leaf_edges(
    tag: Any, t: Any, i: Any, j: Any, sources: Any, anchors: Any, n: Any, weight: Any, below: Any
) -> Any:
    """The ways to build a leaf: a constant for each number that it may be anchored on, an unknown."""
    forest, parts, _, potentials = sources
    symbol, quantity = parts[0], parts[1]
    step, _, _, _, number = potentials
    grid = item_offsets(forest)[-1], n + 1
    s = symbol[t]
    if i == j:  # an unknown without words
        weight[0] = one(tag)
        below[0, 0], below[0, 1] = -1, -1
        return 1
    words = _words(tag, step[s], i, j)
    if s != CON:
        weight[0] = words
        below[0, 0], below[0, 1] = -1, -1
        return 1
    count = 0
    for k in range(len(anchors)):
        if i <= anchors[k] < j and (quantity[t] < 0 or quantity[t] == k):
            weight[count] = times(tag, words, number[k])
            below[count, 0], below[count, 1] = number_code(grid, k), -1
            count += 1
    return count


@inner
def _node_edges(
    tag: Any, t: Any, i: Any, j: Any, sources: Any, n: Any, weight: Any, below: Any, larger: Any
) -> Any:
    """The ways to build an operator's node."""
    forest, parts, _, potentials = sources
    OPERAND, TRAILED, CORE, RIGHT_, _, LEFT_, LED, LED_TRAILED, _, _, items = item_offsets(forest)
    symbol, _, operator_state, ordered, rule_from, rules = parts
    grid = items, n + 1
    p = 0
    while operator_state[p] != t:
        p += 1
    s = symbol[t]
    step, pattern = potentials[0][s], potentials[1][s]
    if p >= forest[OPERATORS]:
        places, silent = (OPERAND, TRAILED, LED, LED_TRAILED), forest[SILENT]
        return _whole_edges(
            tag, step, pattern, p, ordered[p], rule_from, rules, places, silent, grid, weight, below, larger
        )
    weight[0] = step[i, EDGE, WORD]
    below[0, 0], below[0, 1] = code_of(grid, LEFT_ + p, i, j), -1
    count = 1
    for swapped in range(2):
        opening = step[i, EDGE, B if swapped else A]
        count = _closings(
            tag, count, p, swapped, 0, opening, step, pattern, CORE, RIGHT_, i, j, grid, weight, below
        )
    if larger is not None and forest[SILENT]:
        count = _node_silent_edges(
            tag, step, pattern, p, rule_from, rules, OPERAND, TRAILED, i, j, grid, count, weight, below
        )
    return count


@inner
def _core_edges(t: Any, i: Any, j: Any, sources: Any, n: Any, weight: Any, below: Any, larger: Any) -> Any:
    """The ways to build both operands of an operator, with or without words between them."""
    forest, parts, _, potentials = sources
    OPERAND, TRAILED, CORE, _, _, _, _, _, CUT, CUT_TRAILED, items = item_offsets(forest)
    symbol, _, operator_state, _, rule_from, rules = parts
    step, grid = potentials[0], (items, n + 1)
    p, c = (t - CORE) // 4, (t - CORE) % 4
    s = symbol[operator_state[p]]
    swapped, between = c // 2, c % 2
    mark, other = (B, A) if swapped else (A, B)
    count = 0
    for r in range(rule_from[p], rule_from[p + 1]):
        first, second, cut = rules[swapped, r], rules[1 - swapped, r], rules[2 + swapped, r]
        for k in range(i + 1, j):
            behind = code_of(grid, OPERAND + second, k, j)
            if larger is not None and cut >= 0:
                for kind in range(2 if between else 0):
                    item, last = (CUT_TRAILED + cut, WORD) if kind else (CUT + cut, EDGE)
                    weight[count] = step[s, k, last, other]
                    below[count, 0], below[count, 1] = code_of(grid, item, i, k), behind
                    count += 1
                continue
            item, last = (TRAILED + first, WORD) if between else (OPERAND + first, mark)
            weight[count] = step[s, k, last, other]
            below[count, 0], below[count, 1] = code_of(grid, item, i, k), behind
            count += 1
    return count


@inner
def _word_edges(
    tag: Any, t: Any, i: Any, j: Any, sources: Any, n: Any, weight: Any, below: Any, larger: Any
) -> Any:
    """The ways to build RIGHT (a core, then words), TAIL (with its end) and LEFT (words, then a tail)."""
    forest, parts, _, potentials = sources
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, _, _, _, _, items = item_offsets(forest)
    symbol, _, operator_state, _, rule_from, rules = parts
    step, pattern, grid = potentials[0], potentials[1], (items, n + 1)
    if t < TAIL:
        p, c = (t - RIGHT_) // 4, (t - RIGHT_) % 4
        s = symbol[operator_state[p]]
        weight[0] = step[s, j - 1, A if c // 2 else B, WORD]
        below[0, 0], below[0, 1] = code_of(grid, CORE + 4 * p + c, i, j - 1), -1
        weight[1] = step[s, j - 1, WORD, WORD]
        below[1, 0], below[1, 1] = code_of(grid, t, i, j - 1), -1
        return 2
    if t < LEFT_:
        p, side = (t - TAIL) // 2, (t - TAIL) % 2
        s = symbol[operator_state[p]]
        count = _closings(
            tag, 0, p, side, 4, one(tag), step[s], pattern[s], CORE, RIGHT_, i, j, grid, weight, below
        )
        if larger is not None and forest[SILENT]:
            both = (OPERAND, TRAILED)
            count = _tail_silent_edges(
                tag, step[s], pattern[s], p, side, rule_from, rules, both, i, j, grid, count, weight, below
            )
        return count
    p = t - LEFT_
    s = symbol[operator_state[p]]
    if i + 1 >= j:
        return 0
    weight[0] = step[s, i + 1, WORD, WORD]
    below[0, 0], below[0, 1] = code_of(grid, t, i + 1, j), -1
    for swapped in range(2):
        weight[1 + swapped] = step[s, i + 1, WORD, B if swapped else A]
        below[1 + swapped, 0] = code_of(grid, TAIL + 2 * p + swapped, i + 1, j)
        below[1 + swapped, 1] = -1
    return 3


@inner
def _operand_edges(
    tag: Any, t: Any, i: Any, j: Any, sources: Any, n: Any, weight: Any, below: Any, larger: Any
) -> Any:
    """The ways to build the root, an operand, or an operand with words or asides beside it."""
    forest, parts, operands, potentials = sources
    OPERAND, TRAILED, CORE, _, _, _, LED, LED_TRAILED, CUT, CUT_TRAILED, items = item_offsets(forest)
    symbol = parts[0]
    operand_symbol, operand_side, child_from, child_state, root_state = operands[:5]
    lead_operand, cut_operand, link_from, link = operands[5:]
    step, _, child, root, _ = potentials
    grid = items, n + 1
    count = 0
    if t == items:  # the root
        for r in range(root_state.shape[1]):
            weight[count] = root[root_state[1, r]]
            below[count, 0], below[count, 1] = code_of(grid, root_state[0, r], 0, n), -1
            count += 1
        return count
    if t < TRAILED:
        a = t - OPERAND
        for c in range(child_from[a], child_from[a + 1]):
            if i < j or symbol[child_state[c]] > CON:
                weight[count] = child[operand_symbol[a], operand_side[a], symbol[child_state[c]]]
                below[count, 0], below[count, 1] = code_of(grid, child_state[c], i, j), -1
                count += 1
        return count
    if larger is not None and CUT <= t < CUT_TRAILED:
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
                    below[count, 0] = code_of(grid, item, i, k)
                    below[count, 1] = code_of(grid, OPERAND + aside, k, j)
                    count += 1
        return count
    # The other items are longer by one word, at the end (TRAILED, LED_TRAILED, CUT_TRAILED) or start (LED).
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
        below[0, 0], below[1, 0] = code_of(grid, own, i + 1, j), code_of(grid, item, i + 1, j)
    else:
        weight[0], weight[1] = step[s, at, last, WORD], step[s, at, WORD, WORD]
        below[0, 0], below[1, 0] = code_of(grid, own, i, j - 1), code_of(grid, item, i, j - 1)
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
    product: Any, with_words: Any, side: Any, silent_item: Any, grid: Any, count: Any, weight: Any, below: Any
) -> Any:
    """One operand with words and one without, the left one first."""
    weight[count] = product
    below[count, side], below[count, 1 - side] = with_words, silent_code(grid, silent_item)
    return count + 1


@inner
def _silent_pair(
    product: Any, r: Any, rules: Any, operand: Any, grid: Any, count: Any, weight: Any, below: Any
) -> Any:
    """Two operands without words."""
    weight[count] = product
    for side in range(2):
        below[count, side] = silent_code(grid, operand + rules[side, r])
    return count + 1


@inner
def _node_silent_edges(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    operand: Any,
    trailed: Any,
    i: Any,
    j: Any,
    grid: Any,
    count: Any,
    weight: Any,
    below: Any,
) -> Any:
    """The ways to build an operator with a silent operand and no words before the other."""
    for r in range(rule_from[p], rule_from[p + 1]):
        if rules[2, r] >= 0:
            continue
        for side in range(2):
            mark, own = (A, ONLY_A + TRAILING) if side == LEFT else (B, ONLY_B + TRAILING)
            product = times(tag, times(tag, step[i, EDGE, mark], step[j, WORD, EDGE]), pattern[own])
            with_words = code_of(grid, trailed + rules[side, r], i, j)
            count = _silent_edge(
                product, with_words, side, operand + rules[1 - side, r], grid, count, weight, below
            )
        product = times(tag, _words(tag, step, i, j), pattern[ONLY_WORDS])
        count = _silent_pair(product, r, rules, operand, grid, count, weight, below)
    return count


@inner
def _tail_silent_edges(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    side: Any,
    rule_from: Any,
    rules: Any,
    places: Any,
    i: Any,
    j: Any,
    grid: Any,
    count: Any,
    weight: Any,
    below: Any,
) -> Any:
    """The ways to build what follows the words before an operand, the other one being silent."""
    operand, trailed = places
    mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
    for r in range(rule_from[p], rule_from[p + 1]):
        if rules[2, r] >= 0:
            continue
        for after in range(2):
            item, last, own = operand, mark, only + LEADING
            if after:
                item, last, own = trailed, WORD, only + AROUND
            product = times(tag, step[j, last, EDGE], pattern[own])
            with_words = code_of(grid, item + rules[side, r], i, j)
            count = _silent_edge(
                product, with_words, side, operand + rules[1 - side, r], grid, count, weight, below
            )
    return count


@inner
def _whole_edges(
    tag: Any,
    step: Any,
    pattern: Any,
    p: Any,
    ordered: Any,
    rule_from: Any,
    rules: Any,
    places: Any,
    silent: Any,
    grid: Any,
    weight: Any,
    below: Any,
    larger: Any,
) -> Any:
    """The ways to build an operator over the whole text."""
    operand, trailed, led, led_trailed = places
    n = grid[1] - 1
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
                below[count, swapped] = code_of(grid, head, 0, k)
                below[count, 1 - swapped] = code_of(grid, rest, k, n)
                count += 1
        if larger is not None and silent:
            for side in range(2):
                silent_item, lead = operand + rules[1 - side, r], rules[2 + side, r]
                mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
                product = times(
                    tag, times(tag, step[0, EDGE, WORD], step[n, mark, EDGE]), pattern[only + LEADING]
                )
                with_words = code_of(grid, led + lead, 0, n)
                count = _silent_edge(product, with_words, side, silent_item, grid, count, weight, below)
                product = times(
                    tag, times(tag, step[0, EDGE, mark], step[n, WORD, EDGE]), pattern[only + TRAILING]
                )
                with_words = code_of(grid, trailed + rules[side, r], 0, n)
                count = _silent_edge(product, with_words, side, silent_item, grid, count, weight, below)
                product = times(
                    tag, times(tag, step[0, EDGE, WORD], step[n, WORD, EDGE]), pattern[only + AROUND]
                )
                with_words = code_of(grid, led_trailed + lead, 0, n)
                count = _silent_edge(product, with_words, side, silent_item, grid, count, weight, below)
            product = times(tag, _words(tag, step, 0, n), pattern[ONLY_WORDS])
            count = _silent_pair(product, r, rules, operand, grid, count, weight, below)
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
    grid: Any,
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
            below[count, 0] = code_of(grid, (right if after else core) + c, i, j)
            below[count, 1] = -1
            count += 1
    return count


@inner
def value_of(tag: Any, code: Any, cells: Any) -> Any:
    """The value of an item in the chart as one row; the score of a number or of nothing (-1) is one."""
    return cells[code] if 0 <= code < len(cells) else one(tag)


# A code is the position of an item over a span in the chart, so that a lookup needs no division. The codes of
# the root and of the numbers come after all of them. ``grid`` is the number of items and of boundaries.


@inner
def code_of(grid: Any, t: Any, i: Any, j: Any) -> Any:
    """The code of an item over a span."""
    return (i * grid[0] + t) * grid[1] + j


@inner
def silent_code(grid: Any, t: Any) -> Any:
    """The code of an item over the empty span at the end of the text."""
    return code_of(grid, t, grid[1] - 1, grid[1] - 1)


@inner
def root_code(grid: Any) -> Any:
    """The code of the root."""
    return grid[0] * grid[1] * grid[1]


@inner
def number_code(grid: Any, k: Any) -> Any:
    """The code of a number of the text."""
    return root_code(grid) + 1 + k


@inner
def place_of(grid: Any, code: Any) -> Any:
    """The item and the span of a code; the root comes after the items of the chart, then the numbers."""
    items, m = grid
    if code >= root_code(grid):
        return items + (1 if code > root_code(grid) else 0), np.int64(0), m - 1
    row = code // m
    return row % items, row // items, code - row * m


@inner
def edge_limit(forest: Any, n: Any, numbers: Any) -> Any:
    """An upper bound on the number of edges of an item."""
    of_rules = 16 * np.int64(forest[RULES] + forest[LINKS]) * (n + 1) + 16
    return max(of_rules, max(np.int64(forest[CHILDREN]), max(np.int64(forest[ROOTS]), numbers)))

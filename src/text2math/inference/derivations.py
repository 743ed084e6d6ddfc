"""Trees out of a chart: the best one, samples, and the k best trees or expressions.

An item and its span have one code; every way to build it is an edge with a weight and one or two items
below. All that reads trees off a chart walks the same edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.chart import (
    CON,
    FIRST_LEAF,
    forest_parts,
    inside,
    item_offsets,
    offsets,
    potential_parts,
    views,
    workspace,
)
from text2math.inference.potentials import EDGE, LEFT, WORD, A, B
from text2math.inference.semiring import divide, inner, kernel, one, real, times, zero


@inner
def edges(
    tag: Any, code: Any, parts: Any, potentials: Any, anchors: Any, n: Any, weight: Any, below: Any
) -> Any:
    """Write the ways to build an item into ``weight`` and ``below[:, 2]`` (-1: nothing); return how many.

    Beyond the chart's items stand one for the root and one for each number.
    """
    symbol, quantity, operator_state, rule_from, rule_left, rule_right = parts[:6]
    operand_symbol, operand_side, child_from, child_state, root_state = parts[6:]
    step, pattern, child, root, number = potentials
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, items = offsets(
        len(symbol), len(operator_state), len(operand_symbol)
    )
    m = n + 1
    t, i, j = code // (m * m), code // m % m, code % m
    count = 0
    if t > items:  # a number: nothing below
        return 0
    if t == items:  # the root
        for r in range(len(root_state)):
            state = root_state[r]
            weight[count] = root[symbol[state]]
            below[count, 0], below[count, 1] = (state * m) * m + n, -1
            count += 1
        return count
    if t < OPERAND:
        s = symbol[t]
        if s >= FIRST_LEAF:
            words = step[s, i, EDGE, WORD]
            for at in range(i + 1, j):
                words = times(tag, words, step[s, at, WORD, WORD])
            words = times(tag, words, step[s, j, WORD, EDGE])
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
        weight[0] = step[s, i, EDGE, WORD]
        below[0, 0], below[0, 1] = ((LEFT_ + p) * m + i) * m + j, -1
        count = 1
        for swapped in range(2):
            opening = step[s, i, EDGE, B if swapped else A]
            count = _closings(
                tag, count, p, swapped, 0, opening, step[s], pattern[s], CORE, RIGHT_, i, j, m, weight, below
            )
        return count
    if t < TRAILED:
        a = t - OPERAND
        for c in range(child_from[a], child_from[a + 1]):
            weight[count] = child[operand_symbol[a], operand_side[a], symbol[child_state[c]]]
            below[count, 0], below[count, 1] = (child_state[c] * m + i) * m + j, -1
            count += 1
        return count
    if t < CORE:
        a = t - TRAILED
        mark = A if operand_side[a] == LEFT else B
        weight[0] = step[operand_symbol[a], j - 1, mark, WORD]
        below[0, 0], below[0, 1] = ((OPERAND + a) * m + i) * m + j - 1, -1
        weight[1] = step[operand_symbol[a], j - 1, WORD, WORD]
        below[1, 0], below[1, 1] = (t * m + i) * m + j - 1, -1
        return 2
    if t < RIGHT_:
        p, c = (t - CORE) // 4, (t - CORE) % 4
        s = symbol[operator_state[p]]
        swapped, between = c // 2, c % 2
        mark, other = (B, A) if swapped else (A, B)
        for r in range(rule_from[p], rule_from[p + 1]):
            first = rule_right[r] if swapped else rule_left[r]
            second = rule_left[r] if swapped else rule_right[r]
            for k in range(i + 1, j):
                weight[count] = step[s, k, WORD if between else mark, other]
                below[count, 0] = (((TRAILED if between else OPERAND) + first) * m + i) * m + k
                below[count, 1] = ((OPERAND + second) * m + k) * m + j
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
        p, swapped = (t - TAIL) // 2, (t - TAIL) % 2
        s = symbol[operator_state[p]]
        return _closings(
            tag, 0, p, swapped, 4, one(tag), step[s], pattern[s], CORE, RIGHT_, i, j, m, weight, below
        )
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
    return max(max(16, np.int64(forest[3]) * n), max(np.int64(forest[4]), max(np.int64(forest[5]), numbers)))


@kernel
def trace(
    tag: Any, forest: Any, flat: Any, anchors: Any, n: Any, chart: Any, uniform: Any, codes: Any
) -> Any:
    """Walk down from the root, writing the items of one tree, parents first; return how many.

    The best tree where ⊕ is the maximum, else one drawn from the distribution with the given uniform numbers.
    """
    parts, potentials = forest_parts(forest), potential_parts(flat, n)
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty(4 * n + 16, dtype=np.int64)
    stack[0] = item_offsets(forest)[6] * (n + 1) * (n + 1)
    height, length = 1, 0
    while height:
        height -= 1
        code = stack[height]
        codes[length] = code
        count = edges(tag, code, parts, potentials, anchors, n, weight, below)
        if count:
            for e in range(count):
                met = times(tag, value_of(tag, below[e, 0], chart, n), value_of(tag, below[e, 1], chart, n))
                weight[e] = times(tag, weight[e], met)
            e = choose(tag, weight, count, uniform[length % len(uniform)])
            for side in range(1, -1, -1):
                if below[e, side] >= 0:
                    stack[height] = below[e, side]
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
    """No tree over n words passes through more items than this: at most 2n - 1 nodes, eight items each."""
    return 16 * n + 16


# A node of a tree as plain numbers: state, parent record, side, first word, last word, pattern, quantity.
RECORD_SIZE = 7


@kernel
def records(forest: Any, n: Any, codes: Any, length: Any, result: Any) -> Any:
    """Turn the items of a tree into one record for each node, parents first; return how many."""
    parts = forest_parts(forest)
    symbol, operand_side = parts[0], parts[7]
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, items = item_offsets(forest)
    m = n + 1
    stack, wanting = np.empty(2 * n + 2, dtype=np.int64), np.empty(2 * n + 2, dtype=np.int64)
    height, count, side, operator = 0, 0, -1, -1
    for at in range(length):
        t, i, j = codes[at] // (m * m), codes[at] // m % m, codes[at] % m
        if t > items:
            result[count - 1, 6] = codes[at] - (items + 1) * m * m
        elif t == items:
            continue
        elif t < OPERAND:
            parent = -1
            if height:
                parent = stack[height - 1]
                wanting[height - 1] -= 1
                if wanting[height - 1] == 0:
                    height -= 1
            result[count, 0], result[count, 1], result[count, 2] = t, parent, side
            result[count, 3], result[count, 4], result[count, 5], result[count, 6] = i, j, 0, -1
            if symbol[t] < FIRST_LEAF:
                operator = count
                stack[height], wanting[height] = count, 2
                height += 1
            count += 1
        elif t < TRAILED:
            side = operand_side[t - OPERAND]
        elif t >= CORE:
            if t < RIGHT_:
                c = (t - CORE) % 4
                result[operator, 5] |= 8 * (c // 2) + 2 * (c % 2)
            elif t < TAIL:
                result[operator, 5] |= 1
            elif t >= LEFT_:
                result[operator, 5] |= 4
    return count


# The k best, lazily (Huang and Chiang 2005, algorithm 3): an item's next derivation is found only when
# asked for. With ``distinct`` on, an item keeps only the best derivation of each sub-expression, which
# makes the k best *expressions* exact: two sub-expressions never give the same expression.
#
# ``scene`` is (forest, values, anchors, n, chart). ``pool`` is (item, link, score, name, size): for each item
# its first and last derivation, how many it has, its heap of candidates, the one whose successors are still
# to be offered, whether there are no more, and whether it was ever asked (until then all are zero); for each
# derivation the two items below, their ranks, its first child and its next sibling in the heap, and the next
# one in the list; its score and its edge's weight; the name of what it spells; and how much of the pool is
# taken, and whether it was too small.
FIRST_, LAST_, COUNT_, HEAP_, PENDING_, DONE_, ASKED_ = range(7)
RANK, CHILD, SIBLING, NEXT = 2, 4, 5, 6


@kernel
def derive(tag: Any, root: Any, wanted: Any, distinct: Any, scene: Any, pool: Any) -> Any:
    """Find derivations of an item until it has ``wanted`` or no more exist; return how many it has.

    What an item needs from those below it is put on a stack and met first, so that nothing recurses.
    """
    forest, values, anchors, n, chart = scene
    parts, potentials = forest_parts(forest), potential_parts(values, n)
    item, size = pool[0], pool[4]
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty((16 * n + 64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = root, wanted
    height = 1
    while height and not size[1]:
        code = stack[height - 1, 0]
        if not item[code, ASKED_]:
            item[code, ASKED_] = 1
            item[code, FIRST_], item[code, HEAP_], item[code, PENDING_] = -1, -1, -1
            count = edges(tag, code, parts, potentials, anchors, n, weight, below)
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
                _settle(code, distinct, parts[0], forest, n, pool)
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
def _settle(code: Any, distinct: Any, symbol: Any, forest: Any, n: Any, pool: Any) -> None:
    """Move the best candidate from the heap to the list, unless what it spells is there already."""
    item, link, name = pool[0], pool[1], pool[3]
    best = _pop(code, pool)
    item[code, PENDING_] = best
    first, second = _name_below(best, 0, pool), _name_below(best, 1, pool)
    name[best] = _name(code, symbol, forest, n, first, second)
    if not (distinct and _known(code, name[best], pool)):
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
def _known(code: Any, name: Any, pool: Any) -> Any:
    """Whether an item has a derivation that spells this already."""
    at = pool[0][code, FIRST_]
    for _ in range(pool[0][code, COUNT_]):
        if pool[3][at] == name:
            return True
        at = pool[1][at, NEXT]
    return False


@inner
def _name_below(at: Any, side: Any, pool: Any) -> Any:
    """The name of what stands on one side below a derivation."""
    below = pool[1][at, side]
    return pool[3][_find(below, pool[1][at, RANK + side], pool)] if below >= 0 else np.uint64(0)


@inner
def _name(code: Any, symbol: Any, forest: Any, n: Any, first: Any, second: Any) -> Any:
    """A name for the sub-expression an item spells, given those of the items below it."""
    operand, _, core, right, _, _, items = item_offsets(forest)
    t = code // ((n + 1) * (n + 1))
    if t > items:
        return _mix(np.uint64(1), np.uint64(code))
    if t < operand:
        return _mix(np.uint64(100 + symbol[t]), first)
    if core <= t < right:  # A first, whatever the order in the text
        return _mix(second, first) if (t - core) % 4 >= 2 else _mix(first, second)
    return first


@inner
def _mix(x: Any, y: Any) -> Any:
    """A 64-bit name out of two (splitmix64)."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + y + np.uint64(0x632BE59BD9B4E019)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def spell(code: Any, rank: Any, n: Any, pool: Any, codes: Any) -> Any:
    """Write the items of the derivation of this rank, parents first; return how many."""
    link = pool[1]
    stack = np.empty((4 * n + 16, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = code, rank
    height, length = 1, 0
    while height:
        height -= 1
        code, rank = stack[height, 0], stack[height, 1]
        codes[length] = code
        length += 1
        at = _find(code, rank, pool)
        for side in range(1, -1, -1):
            if link[at, side] >= 0:
                stack[height, 0], stack[height, 1] = link[at, side], link[at, RANK + side]
                height += 1
    return length


@kernel
def listed(forest: Any, code: Any, n: Any, pool: Any, scores: Any, sizes: Any, nodes: Any) -> None:
    """The best derivations of an item, one for each score to fill in: their scores, sizes and records."""
    codes = np.empty(16 * n + 16, dtype=np.int64)
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
    codes = np.empty(16 * longest + 16, dtype=np.int64)
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

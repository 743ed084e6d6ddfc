"""Trees out of a chart: the best one, samples, and the k best trees or expressions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from text2math.inference.chart import views, workspace
from text2math.inference.edges import (
    edge_limit,
    edge_sources,
    edges,
    number_code,
    place_of,
    root_code,
    value_of,
)
from text2math.inference.inside import inside
from text2math.inference.layout import CON, item_offsets, operand_parts
from text2math.inference.potentials import Symbol
from text2math.inference.semiring import (
    allocating,
    divide,
    inlined,
    inner,
    kernel,
    one,
    real,
    score_of,
    times,
    zero,
)
from text2math.inference.work_queue import take_number

EQU, SYS = int(Symbol.EQU), int(Symbol.SYS)


@kernel
def trace(
    tag: Any,
    forest: Any,
    flat: Any,
    anchors: Any,
    n: Any,
    chart: Any,
    start: Any,
    uniform: Any,
    codes: Any,
    larger: Any,
) -> Any:
    """Walk down from an item (the root), writing the items of one tree, parents first; return how many.

    Each comes with the position of the item above it. It is the best tree if ⊕ is the maximum, else one drawn
    from the distribution with the given uniform numbers.
    """
    sources = edge_sources(forest, flat, n)
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty((8 * n + 32, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = start, -1
    cells = chart.ravel()
    height, length = 1, 0
    while height:
        height -= 1
        code = stack[height, 0]
        codes[length, 0], codes[length, 1] = code, stack[height, 1]
        count = edges(tag, code, sources, anchors, n, weight, below, larger)
        if count:
            for e in range(count):
                product = times(tag, value_of(tag, below[e, 0], cells), value_of(tag, below[e, 1], cells))
                weight[e] = times(tag, weight[e], product)
            e = choose(tag, weight, count, uniform[length % len(uniform)])
            for side in range(1, -1, -1):
                if below[e, side] >= 0:
                    stack[height, 0], stack[height, 1] = below[e, side], length
                    height += 1
        length += 1
    return length


@inner
def choose(tag: Any, weight: Any, count: Any, uniform: Any) -> Any:
    """The best edge if ⊕ is the maximum, else one with probability proportional to its weight."""
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
    """An upper bound on the items in a tree over n words: eight for each node."""
    return 8 * node_limit(n) + 32


def node_limit(n: int) -> int:
    """An upper bound on the nodes of a tree over n words: 2n - 1 with words, and two silent per operator."""
    return 4 * n


# A node of a tree as plain numbers: state, parent record, side, first word, last word, quantity.
RECORD_SIZE = 6


@kernel
def records(forest: Any, n: Any, codes: Any, length: Any, result: Any) -> Any:
    """Turn the items of a tree into one record for each node, parents first; return how many."""
    operand_side = operand_parts(forest)[1]
    OPERAND, TRAILED, _, _, _, _, _, _, _, _, items = item_offsets(forest)
    grid = items, n + 1
    # The node that each item belongs to, and the side of the operand it is in.
    owner, side = np.full(length, -1), np.full(length, -1)
    count = 0
    for at in range(length):
        code, above = codes[at, 0], codes[at, 1]
        t, i, j = place_of(grid, code)
        if above >= 0:
            owner[at], side[at] = owner[above], side[above]
        if t > items:
            result[owner[at], 5] = code - number_code(grid, 0)
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
# Lazier still: a candidate that needs a derivation which an item below has not found yet is kept in its heap
# with an upper bound, its score if the best candidate below were that derivation. Only when it comes out on
# top is the item below asked, and only for a derivation good enough to keep it there.
#
# An item that has all the expressions it can have is done: with two numbers and no unknowns, an operator has
# at most two expressions, one for each order of its operands (``_most``). The rest of its derivations would
# only be the same expressions with other words.


class FilledChart(NamedTuple):
    """A chart with what it was filled from."""

    forest: Any  # packed
    values: Any  # potentials in the arithmetic of the chart
    anchors: Any
    n: Any  # the number of words
    cells: Any


class Pool(NamedTuple):
    """The derivations found so far: a row for each item of the chart, and a row for each derivation."""

    item: Any  # [item, ITEM_SIZE]; all zero until the item is first asked
    link: Any  # [derivation, LINK_SIZE]
    score: Any  # [derivation, 2]: its score, and the weight of its edge
    hash: Any  # [derivation, 2]: hashes of its sub-expression, and of its asides
    size: Any  # [3]: how many derivations, whether there was no room for more, how many items were asked
    asked: Any  # the items that were asked


# Columns of ``item``: the first and the last derivation in its list, how many there are, its heap of
# candidates, the candidate taken out of the heap to be settled, and whether it was ever asked.
FIRST_, LAST_, COUNT_, HEAP_, HELD_, ASKED_ = range(6)
ITEM_SIZE = 6
# Columns of ``link``: the two items below, the ranks of their derivations that it is made of, the rows of
# these (of rank 0, it is the first of the item; of one that is still to be found, the row of the one
# before), its first child and next sibling in the heap, the next derivation in the list, and what is open
# (-1: nothing, its score is exact; 0 or 1: the derivation on that side is still to be found; 2 or 3: the
# same, and the item there gave up once).
RANK, ROW, CHILD, SIBLING, NEXT, OPEN = 2, 4, 6, 7, 8, 9
LINK_SIZE = 10
MANY = 1 << 30
# An item that gives up at once is asked again and again; one that searches a little further is asked less
# often. So thresholds are lowered by this factor for each item on the way down.
THRESHOLD_FACTOR = 0.7


@kernel
def derive(
    tag: Any, root: Any, wanted: Any, lowest: Any, distinct: Any, filled: Any, pool: Any, larger: Any
) -> Any:
    """Find derivations of an item until it has ``wanted``, or no more exist that score at least ``lowest``.

    Return how many it has. What an item needs from those below it is put on a stack and found first, instead
    of by recursion.
    """
    forest, values, anchors, n, chart = filled
    sources = edge_sources(forest, values, n)
    room = edge_limit(forest, n, len(anchors))
    edge_space = np.empty(room), np.empty((room, 2), dtype=np.int64)
    # For each item that was asked: how many derivations it must have, and below which score it gives up.
    stack, least = np.empty((32 * n + 64, 2), dtype=np.int64), np.empty(32 * n + 64)
    stack[0, 0], stack[0, 1], least[0] = root, wanted, lowest
    bounds = _unknowns(sources), _held_before(anchors, n)
    _search(tag, distinct, filled, sources, bounds, edge_space, stack, least, chart.ravel(), pool, larger)
    return np.int64(pool.item[root, COUNT_])


@inner
def _search(
    tag: Any,
    distinct: Any,
    filled: Any,
    sources: Any,
    bounds: Any,
    edge_space: Any,
    stack: Any,
    least: Any,
    cells: Any,
    pool: Any,
    larger: Any,
) -> None:
    """Find the derivations that the item on the stack must have."""
    forest, _, anchors, n, _ = filled
    _, (symbol, _, operator_state, _, _, _), _, _ = sources
    (unknowns, held_before), (weight, below) = bounds, edge_space
    item, score, size = pool.item, pool.score, pool.size
    height = 1
    while height and not size[1]:
        code, threshold = stack[height - 1, 0], least[height - 1]
        if not item[code, ASKED_]:
            item[code, ASKED_] = 1
            _note(code, pool)
            item[code, FIRST_], item[code, HEAP_], item[code, HELD_] = -1, -1, -1
            count = edges(tag, code, sources, anchors, n, weight, below, larger)
            _offer_edges(tag, code, count, weight, below, cells, pool)
        if item[code, HELD_] < 0:
            best = item[code, HEAP_]
            if item[code, COUNT_] >= stack[height - 1, 1] or best < 0 or score[best, 0] < threshold:
                height -= 1
                continue
            item[code, HELD_] = _pop(code, pool)
        if item[code, HEAP_] >= 0:
            threshold = max(threshold, score[item[code, HEAP_], 0])
        held = np.int64(item[code, HELD_])
        if not _still_best(tag, code, held, threshold, cells, pool):
            continue
        need, asked, least[height] = _missing(tag, held, threshold, cells, pool)
        if need >= 0:
            stack[height, 0], stack[height, 1] = need, asked
            height += 1
        else:
            new = _settle(code, held, distinct, symbol, operator_state, forest, n, pool)
            if (
                new
                and distinct
                and item[code, COUNT_] >= _most(code, forest, operator_state, unknowns, held_before, n)
            ):
                item[code, HEAP_] = -1
            else:
                _offer_successors(tag, code, held, cells, pool)


@allocating
def _unknowns(sources: Any) -> Any:
    """Whether an unknown may be in a node of each state."""
    _, (symbol, _, operator_state, _, rule_from, rules), operands, _ = sources
    child_from, child_state = operands[2], operands[3]
    found = symbol > CON
    changed = True
    while changed:  # what is true of a child becomes true of its parents
        changed = False
        for p in range(len(operator_state)):
            if found[operator_state[p]]:
                continue
            for r in range(rule_from[p], rule_from[p + 1]):
                for side in range(2):
                    a = rules[side, r]
                    for c in range(child_from[a], child_from[a + 1]):
                        found[operator_state[p]] |= found[child_state[c]]
            changed |= found[operator_state[p]]
    return found


@allocating
def _held_before(anchors: Any, n: Any) -> Any:
    """How many numbers are anchored on the words before each boundary."""
    found = np.zeros(n + 1, dtype=np.int64)
    for k in range(len(anchors)):
        found[anchors[k] + 1] += 1
    for j in range(n):
        found[j + 1] += found[j]
    return found


@inner
def _most(code: Any, forest: Any, operator_state: Any, unknowns: Any, held_before: Any, n: Any) -> Any:
    """An upper bound on the expressions of an item, where one is easy to find."""
    OPERAND, _, CORE, RIGHT, TAIL, LEFT, LED, _, _, _, items = item_offsets(forest)
    t, i, j = place_of((items, n + 1), code)
    if held_before[j] - held_before[i] != 2 or t >= LED or OPERAND <= t < CORE:
        return MANY
    state, most = t, 2
    if t >= LEFT:
        state = np.int64(operator_state[t - LEFT])
    elif t >= TAIL:
        state, most = np.int64(operator_state[(t - TAIL) // 2]), 1
    elif t >= RIGHT:
        state, most = np.int64(operator_state[(t - RIGHT) // 4]), 1
    elif t >= CORE:
        state, most = np.int64(operator_state[(t - CORE) // 4]), 1
    return MANY if unknowns[state] else most


@inlined
def _still_best(tag: Any, code: Any, held: Any, threshold: Any, cells: Any, pool: Any) -> Any:
    """Re-examine a candidate with a bound; if it fell below the threshold, put it back or drop it."""
    item, link, score = pool.item, pool.link, pool.score
    if link[held, OPEN] < 0:
        return True
    side = link[held, OPEN] % 2
    if item[link[held, side], COUNT_] > link[held, RANK + side]:
        link[held, OPEN] = -1
        link[held, ROW + side] = link[link[held, ROW + side], NEXT]
    score[held, 0] = _score(tag, held, cells, pool)
    if score[held, 0] != zero(tag) and score[held, 0] >= threshold:
        return True
    item[code, HELD_] = -1
    if score[held, 0] != zero(tag):
        if link[held, OPEN] >= 0:
            link[held, OPEN] = side
        item[code, HEAP_] = _meld(item[code, HEAP_], held, pool)
    return False


@inlined
def _missing(tag: Any, held: Any, threshold: Any, cells: Any, pool: Any) -> Any:
    """An item below a candidate that lacks derivations, how many it must have, and when it may give up.

    The item is -1 if none lacks any. It may give up below the score that is returned last.
    """
    item, link, score = pool.item, pool.link, pool.score
    if link[held, OPEN] >= 0:
        side, least = link[held, OPEN] % 2, zero(tag)
        if link[held, OPEN] < 2:  # else rounding has kept it on top, and giving up again would not end
            rest = times(tag, score[held, 1], _score_below(tag, held, 1 - side, cells, pool))
            least = times(tag, score_of(tag, THRESHOLD_FACTOR), divide(tag, threshold, rest))
            link[held, OPEN] = side + 2
        return np.int64(link[held, side]), np.int64(link[held, RANK + side] + 1), least
    for side in range(2):
        below = link[held, side]
        if below >= 0 and not item[below, COUNT_]:
            return np.int64(below), np.int64(1), zero(tag)
    return np.int64(-1), np.int64(0), zero(tag)


@inlined
def _settle(
    code: Any, best: Any, distinct: Any, symbol: Any, operator_state: Any, forest: Any, n: Any, pool: Any
) -> Any:
    """Add the best candidate to the list; with ``distinct``, only if its sub-expression is not in it yet.

    Return whether it was added.
    """
    item, link = pool.item, pool.link
    item[code, HELD_] = -1
    _set_hash(code, best, symbol, operator_state, forest, n, pool)
    if distinct and _in_list(code, best, pool):
        return False
    if item[code, COUNT_] == 0:
        item[code, FIRST_] = best
    else:
        link[item[code, LAST_], NEXT] = best
    item[code, LAST_] = best
    item[code, COUNT_] += 1
    return True


@inlined
def _offer_edges(tag: Any, code: Any, count: Any, weight: Any, below: Any, cells: Any, pool: Any) -> None:
    """Make every edge of an item, with the best derivations below it, a candidate."""
    for e in range(count):
        product = times(tag, value_of(tag, below[e, 0], cells), value_of(tag, below[e, 1], cells))
        product = times(tag, weight[e], product)
        if product != zero(tag):
            _offer(code, _added(below[e, 0], below[e, 1], weight[e], pool), product, pool)
    if code > len(cells):  # a number: nothing below
        _offer(code, _added(-1, -1, one(tag), pool), one(tag), pool)


@inlined
def _offer_successors(tag: Any, code: Any, last: Any, cells: Any, pool: Any) -> None:
    """Make candidates of the derivations that differ from ``last`` by the next rank on one side.

    The next rank of the first item below is taken only while the second is at its best, so that each pair of
    ranks is offered exactly once.
    """
    link, score = pool.link, pool.score
    for side in range(2):
        below = link[last, side]
        if below < 0 or (side == 0 and link[last, RANK + 1]):
            continue
        at = _added(link[last, 0], link[last, 1], score[last, 1], pool)
        for own in range(2):
            if link[last, own] >= 0:
                link[at, RANK + own], link[at, ROW + own] = link[last, RANK + own], _row(last, own, pool)
        link[at, RANK + side] += 1
        after = link[link[at, ROW + side], NEXT]
        if after >= 0:
            link[at, ROW + side] = after
        else:
            link[at, OPEN] = side
        product = _score(tag, at, cells, pool)
        if product != zero(tag):
            _offer(code, at, product, pool)


@inner
def _score(tag: Any, at: Any, cells: Any, pool: Any) -> Any:
    """The score of a derivation; while one below it is still to be found, a bound."""
    product = pool.score[at, 1]
    for side in range(2):
        product = times(tag, product, _score_below(tag, at, side, cells, pool))
    return product


@inner
def _score_below(tag: Any, at: Any, side: Any, cells: Any, pool: Any) -> Any:
    """The score of the derivation on one side below another; while it is still to be found, a bound."""
    item, link, score = pool.item, pool.link, pool.score
    below, rank = link[at, side], link[at, RANK + side]
    if rank == 0:
        return value_of(tag, below, cells)
    if link[at, OPEN] < 0 or link[at, OPEN] % 2 != side:
        return score[link[at, ROW + side], 0]
    best = item[below, HEAP_]
    return score[best, 0] if best >= 0 else zero(tag)


@inner
def _added(first: Any, second: Any, weight: Any, pool: Any) -> Any:
    """A new derivation in the pool, made of the best ones below; if it is full, the last is overwritten."""
    link, scores, size = pool.link, pool.score, pool.size
    at = np.int64(size[0])
    if at >= len(link):
        size[1] = 1
        at = np.int64(len(link) - 1)
    else:
        size[0] += 1
    link[at, 0], link[at, 1], link[at, RANK], link[at, RANK + 1] = first, second, 0, 0
    link[at, CHILD], link[at, SIBLING], link[at, NEXT], link[at, OPEN] = -1, -1, -1, -1
    scores[at, 1] = weight
    return at


@inlined
def _note(code: Any, pool: Any) -> None:
    """Record that an item was asked."""
    size, asked = pool.size, pool.asked
    if size[2] >= len(asked):
        size[1] = 1
    else:
        asked[size[2]] = code
        size[2] += 1


@inner
def _offer(code: Any, at: Any, score: Any, pool: Any) -> None:
    """Add a derivation to an item's heap of candidates."""
    pool.score[at, 0] = score
    if not pool.size[1]:
        pool.item[code, HEAP_] = _meld(pool.item[code, HEAP_], at, pool)


@inner
def _meld(x: Any, y: Any, pool: Any) -> Any:
    """Meld two pairing heaps (Fredman et al. 1986): the lower one becomes the first child of the other."""
    link, score = pool.link, pool.score
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
    """Take the best candidate out of an item's heap; meld its children in pairs, then all the pairs."""
    item, link = pool.item, pool.link
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
    link[best, CHILD] = -1
    return best


@inner
def _row(at: Any, side: Any, pool: Any) -> Any:
    """The row of the derivation that another has on one side below it."""
    link = pool.link
    return link[at, ROW + side] if link[at, RANK + side] else pool.item[link[at, side], FIRST_]


@inner
def _in_list(code: Any, best: Any, pool: Any) -> Any:
    """Whether an item already has a derivation of the same sub-expression with the same asides."""
    at = pool.item[code, FIRST_]
    for _ in range(pool.item[code, COUNT_]):
        if pool.hash[at, 0] == pool.hash[best, 0] and pool.hash[at, 1] == pool.hash[best, 1]:
            return True
        at = pool.link[at, NEXT]
    return False


@inner
def _hash_below(at: Any, side: Any, part: Any, pool: Any) -> Any:
    """The hash of what is on one side below a derivation (part 0), or of its asides (part 1)."""
    return pool.hash[_row(at, side, pool), part] if pool.link[at, side] >= 0 else np.uint64(0)


@inner
def _set_hash(code: Any, at: Any, symbol: Any, operator_state: Any, forest: Any, n: Any, pool: Any) -> None:
    """Hash the sub-expression of a derivation and its asides so far, given the hashes below it.

    A system has the same hash however its statements are joined.
    """
    operand, _, core, right, _, _, _, _, cut, cut_trailed, items = item_offsets(forest)
    t, _, _ = place_of((items, n + 1), code)
    first, second = _hash_below(at, 0, 0, pool), _hash_below(at, 1, 0, pool)
    asides = _hash_below(at, 0, 1, pool)
    pair = pool.link[at, 1] >= 0
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
    pool.hash[at, 0], pool.hash[at, 1] = first, asides


@inner
def _mix(x: Any, y: Any) -> Any:
    """A 64-bit hash of two (splitmix64)."""
    z = x * np.uint64(0x9E3779B97F4A7C15) + y + np.uint64(0x632BE59BD9B4E019)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inner
def _counted(statement: Any) -> Any:
    """The hash of a system of one statement; the last eight bits are the number of statements."""
    return (statement << np.uint64(8)) | np.uint64(1)


@inner
def _chained(x: Any, y: Any) -> Any:
    """The hash of the statements of x followed by those of y, however they were joined before (0: none)."""
    size, factor = y & np.uint64(255), np.uint64(1)
    for _ in range(size):
        factor *= np.uint64(0x9E3779B97F4A7C15)
    both = (x >> np.uint64(8)) * factor + (y >> np.uint64(8))
    return (both << np.uint64(8)) | ((x + size) & np.uint64(255))


@kernel
def write_items(code: Any, at: Any, n: Any, pool: Any, codes: Any) -> Any:
    """Write the items of the derivation in this row, as ``trace`` does; return how many there are."""
    link = pool.link
    stack = np.empty((8 * n + 32, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = code, at, -1
    height, length = 1, 0
    while height:
        height -= 1
        code, at = stack[height, 0], stack[height, 1]
        codes[length, 0], codes[length, 1] = code, stack[height, 2]
        for side in range(1, -1, -1):
            if link[at, side] >= 0:
                stack[height, 0], stack[height, 1] = link[at, side], _row(at, side, pool)
                stack[height, 2] = length
                height += 1
        length += 1
    return length


@kernel
def listed(forest: Any, code: Any, n: Any, pool: Any, scores: Any, sizes: Any, nodes: Any) -> None:
    """Fill in the scores, sizes and records of an item's best derivations, as many as there are scores.

    Then clear the items of the pool, for the next text: those that were asked are far fewer than all.
    """
    codes = np.empty((32 * n + 32, 2), dtype=np.int64)
    at = pool.item[code, FIRST_]
    for rank in range(len(scores)):
        scores[rank] = pool.score[at, 0]
        sizes[rank] = records(forest, n, codes, write_items(code, at, n, pool, codes), nodes[rank])
        at = pool.link[at, NEXT]
    for number in range(pool.size[2]):
        for column in range(ITEM_SIZE):
            pool.item[pool.asked[number], column] = 0


# ---------------------------------------------------------------------------------------------------
# Many problems


@kernel
def best_records(
    tag: Any,
    queue: Any,
    words: Any,
    flat: Any,
    flat_from: Any,
    anchors: Any,
    anchors_from: Any,
    forests: Any,
    forest_from: Any,
    forest_of: Any,
    larger: Any,
    scores: Any,
    sizes: Any,
    nodes: Any,
) -> None:
    """The best tree of every problem of the queue: its score, its number of nodes, and their records."""
    problems, taken = queue
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    range_space = np.empty(most_operands * (longest + 1) * 2, dtype=np.int32)
    codes = np.empty((32 * longest + 32, 2), dtype=np.int64)
    uniform = np.zeros(1)
    for _ in range(len(problems)):
        at = take_number(taken)
        if at >= len(problems):
            break
        p = problems[at]
        n = np.int64(words[p])
        here = flat[flat_from[p] : flat_from[p + 1]]
        spots = anchors[anchors_from[p] : anchors_from[p + 1]]
        forest = forests[forest_from[forest_of[p, 0]] : forest_from[forest_of[p, 0] + 1]]
        chart, ranges = views(forest, n, chart_space, range_space)
        scores[p] = inside(tag, forest, here, spots, n, chart, ranges, larger)
        sizes[p] = 0
        if scores[p] > -np.inf:
            root = root_code((item_offsets(forest)[-1], n + 1))
            length = trace(tag, forest, here, spots, n, chart, root, uniform, codes, larger)
            sizes[p] = records(forest, n, codes, length, nodes[p])

"""Trees out of a chart: the best one, samples, and the k best trees or expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.chart import views, workspace
from text2math.inference.edges import (
    edge_limit,
    edges,
    number_code,
    place_of,
    read_scene,
    root_code,
    value_of,
)
from text2math.inference.inside import inside
from text2math.inference.layout import CON, item_offsets, operand_parts
from text2math.inference.potentials import Symbol
from text2math.inference.semiring import allocating, divide, inner, kernel, one, real, score_of, times, zero
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
    uniform: Any,
    codes: Any,
    larger: Any,
) -> Any:
    """Walk down from the root, writing the items of one tree, parents first; return how many.

    Each comes with the place of the item above it. The best tree where ⊕ is the maximum, else one drawn from
    the distribution with the given uniform numbers.
    """
    scene = read_scene(forest, flat, n)
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    stack = np.empty((8 * n + 32, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = root_code((item_offsets(forest)[-1], n + 1)), -1
    cells = chart.ravel()
    height, length = 1, 0
    while height:
        height -= 1
        code = stack[height, 0]
        codes[length, 0], codes[length, 1] = code, stack[height, 1]
        count = edges(tag, code, scene, anchors, n, weight, below, larger)
        if count:
            for e in range(count):
                met = times(tag, value_of(tag, below[e, 0], cells), value_of(tag, below[e, 1], cells))
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
    grid = items, n + 1
    # Of each item, the node it belongs to and the side of the operand it stands in.
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
# Lazier still: a candidate that needs a derivation which an item below has not found yet stands in its heap
# with a bound, what it would score if the best candidate there were that derivation. Only when it comes out
# on top is the item below asked, and only for a derivation good enough to keep it there.
#
# An item that has all the expressions it can have is done: where there are two numbers and no unknowns,
# an operator has two expressions at most, one for each order of its operands (``_most``). The rest of its
# derivations would only spell them again, with other words.
#
# ``scene`` is (forest, values, anchors, n, chart). ``pool`` is (item, link, score, name, size, asked): for
# each item its first and last derivation, how many it has, its heap of candidates, the one taken out of it to
# be settled, and whether it was ever asked (until then all are zero); for each derivation the two items
# below, their ranks, its first child and its next sibling in the heap, the next one in the list, and what is
# open (-1: nothing, its score is exact; 0 or 1: the derivation on that side is still to be found; 2 or 3: and
# the item there gave up once); its score and its edge's weight; the names of what it spells and of its
# asides; how much of the pool is taken, whether it was too small, and how many items were asked; and which
# these are.
FIRST_, LAST_, COUNT_, HEAP_, HELD_, ASKED_ = range(6)
RANK, CHILD, SIBLING, NEXT, OPEN = 2, 4, 5, 6, 7
LINK_SIZE = 8
MANY = 1 << 30
# An item that gives up at once is asked again and again; one that searches on a little is asked less often.
# Thresholds are lowered by this factor for each item on the way down.
PATIENCE = 0.7


@kernel
def derive(tag: Any, root: Any, wanted: Any, distinct: Any, scene: Any, pool: Any, larger: Any) -> Any:
    """Find derivations of an item until it has ``wanted`` or no more exist; return how many it has.

    What an item needs from those below it is put on a stack and met first, so that nothing recurses.
    """
    forest, values, anchors, n, chart = scene
    sources = read_scene(forest, values, n)
    symbol, operator_state = sources[1][0], sources[1][2]
    unknowns, held_before = _unknowns(sources), _held_before(anchors, n)
    item, score, size, cells = pool[0], pool[2], pool[4], chart.ravel()
    limit = edge_limit(forest, n, len(anchors))
    weight, below = np.empty(limit), np.empty((limit, 2), dtype=np.int64)
    # Of each item that was asked: how many derivations it shall have, and below which score it gives up.
    stack, least = np.empty((32 * n + 64, 2), dtype=np.int64), np.empty(32 * n + 64)
    stack[0, 0], stack[0, 1], least[0] = root, wanted, zero(tag)
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
    return np.int64(item[root, COUNT_])


@allocating
def _unknowns(scene: Any) -> Any:
    """Whether an unknown may stand in a node of each state."""
    _, parts, operands, _ = scene
    symbol, operator_state, rule_from, rules = parts[0], parts[2], parts[4], parts[5]
    child_from, child_state = operands[2], operands[3]
    found = symbol > CON
    for _ in range(len(symbol)):  # what is true of a child becomes true of its parents
        for p in range(len(operator_state)):
            for r in range(rule_from[p], rule_from[p + 1]):
                for side in range(2):
                    a = rules[side, r]
                    for c in range(child_from[a], child_from[a + 1]):
                        found[operator_state[p]] |= found[child_state[c]]
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
    """How many expressions an item can have at most, where that is easily told."""
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


@inner
def _still_best(tag: Any, code: Any, held: Any, threshold: Any, cells: Any, pool: Any) -> Any:
    """Re-examine a candidate with a bound; if it fell below the threshold, put it back or drop it."""
    item, link, score = pool[0], pool[1], pool[2]
    if link[held, OPEN] < 0:
        return True
    side = link[held, OPEN] % 2
    if item[link[held, side], COUNT_] > link[held, RANK + side]:
        link[held, OPEN] = -1
    score[held, 0] = _score(tag, held, cells, pool)
    if score[held, 0] != zero(tag) and score[held, 0] >= threshold:
        return True
    item[code, HELD_] = -1
    if score[held, 0] != zero(tag):
        if link[held, OPEN] >= 0:
            link[held, OPEN] = side
        item[code, HEAP_] = _meld(item[code, HEAP_], held, pool)
    return False


@inner
def _missing(tag: Any, held: Any, threshold: Any, cells: Any, pool: Any) -> Any:
    """An item below a candidate, how many derivations it must have for it, and below which score to give up.

    -1: all are there.
    """
    item, link, score = pool[0], pool[1], pool[2]
    if link[held, OPEN] >= 0:
        side, least = link[held, OPEN] % 2, zero(tag)
        if link[held, OPEN] < 2:  # else rounding has kept it on top, and giving up again would not end
            rest = times(tag, score[held, 1], _score_below(tag, held, 1 - side, cells, pool))
            least = times(tag, score_of(tag, PATIENCE), divide(tag, threshold, rest))
            link[held, OPEN] = side + 2
        return np.int64(link[held, side]), np.int64(link[held, RANK + side] + 1), least
    for side in range(2):
        below = link[held, side]
        if below >= 0 and not item[below, COUNT_]:
            return np.int64(below), np.int64(1), zero(tag)
    return np.int64(-1), np.int64(0), zero(tag)


@inner
def _settle(
    code: Any, best: Any, distinct: Any, symbol: Any, operator_state: Any, forest: Any, n: Any, pool: Any
) -> Any:
    """Add the best candidate to the list, unless what it spells is there already; say whether it is new."""
    item, link = pool[0], pool[1]
    item[code, HELD_] = -1
    _name(code, best, symbol, operator_state, forest, n, pool)
    if distinct and _known(code, best, pool):
        return False
    if item[code, COUNT_] == 0:
        item[code, FIRST_] = best
    else:
        link[item[code, LAST_], NEXT] = best
    item[code, LAST_] = best
    item[code, COUNT_] += 1
    return True


@inner
def _offer_edges(tag: Any, code: Any, count: Any, weight: Any, below: Any, cells: Any, pool: Any) -> None:
    """Make every edge of an item, with the best below it, a candidate."""
    for e in range(count):
        met = times(tag, value_of(tag, below[e, 0], cells), value_of(tag, below[e, 1], cells))
        met = times(tag, weight[e], met)
        if met != zero(tag):
            _offer(code, _added(below[e, 0], below[e, 1], 0, 0, weight[e], -1, pool), met, pool)
    if code > len(cells):  # a number: nothing below
        _offer(code, _added(-1, -1, 0, 0, one(tag), -1, pool), one(tag), pool)


@inner
def _offer_successors(tag: Any, code: Any, last: Any, cells: Any, pool: Any) -> None:
    """Offer what differs from the derivation ``last`` in taking the next rank on one side.

    The next rank of the second item below, and of the first while the second's is its best: so each pair of
    ranks is offered exactly once.
    """
    item, link, score = pool[0], pool[1], pool[2]
    for side in range(2):
        below = link[last, side]
        if below < 0 or (side == 0 and link[last, RANK + 1]):
            continue
        first, second = link[last, RANK], link[last, RANK + 1]
        if side == 0:
            first += 1
        else:
            second += 1
        found = item[below, COUNT_] > link[last, RANK + side] + 1
        at = _added(link[last, 0], link[last, 1], first, second, score[last, 1], -1 if found else side, pool)
        met = _score(tag, at, cells, pool)
        if met != zero(tag):
            _offer(code, at, met, pool)


@inner
def _score(tag: Any, at: Any, cells: Any, pool: Any) -> Any:
    """The score of a derivation; while one below it is still to be found, a bound."""
    met = pool[2][at, 1]
    for side in range(2):
        met = times(tag, met, _score_below(tag, at, side, cells, pool))
    return met


@inner
def _score_below(tag: Any, at: Any, side: Any, cells: Any, pool: Any) -> Any:
    """The score of what stands on one side below a derivation; while it is still to be found, a bound."""
    item, link, score = pool[0], pool[1], pool[2]
    below, rank = link[at, side], link[at, RANK + side]
    if rank == 0:
        return value_of(tag, below, cells)
    if link[at, OPEN] < 0 or link[at, OPEN] % 2 != side:
        return score[_find(below, rank, pool), 0]
    best = item[below, HEAP_]
    return score[best, 0] if best >= 0 else zero(tag)


@inner
def _added(first: Any, second: Any, rank: Any, second_rank: Any, weight: Any, still: Any, pool: Any) -> Any:
    """A new derivation in the pool; where that is full, the last one there is overwritten."""
    link, scores, size = pool[1], pool[2], pool[4]
    at = np.int64(size[0])
    if at >= len(link):
        size[1] = 1
        at = np.int64(len(link) - 1)
    else:
        size[0] += 1
    link[at, 0], link[at, 1], link[at, RANK], link[at, RANK + 1] = first, second, rank, second_rank
    link[at, CHILD], link[at, SIBLING], link[at, NEXT], link[at, OPEN] = -1, -1, -1, still
    scores[at, 1] = weight
    return at


@inner
def _note(code: Any, pool: Any) -> None:
    """Keep in mind that an item was asked."""
    size, asked = pool[4], pool[5]
    if size[2] >= len(asked):
        size[1] = 1
    else:
        asked[size[2]] = code
        size[2] += 1


@inner
def _offer(code: Any, at: Any, score: Any, pool: Any) -> None:
    """Add a derivation to an item's heap of candidates."""
    pool[2][at, 0] = score
    if not pool[4][1]:
        pool[0][code, HEAP_] = _meld(pool[0][code, HEAP_], at, pool)


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
    link[best, CHILD] = -1
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
    name, t = pool[3], place_of((items, n + 1), code)[0]
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
    """Write the items of the derivation of this rank, as ``trace`` does; return how many there are."""
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
            length = trace(tag, forest, here, spots, n, chart, uniform, codes, larger)
            sizes[p] = records(forest, n, codes, length, nodes[p])

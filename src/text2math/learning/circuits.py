"""The charts of problems as circuits: sums of products, written down once and computed for many models.

Which trees a problem has depends on its length, its numbers and its forest, not on the scores. So the
recurrence of ``inference.inside`` is run once without scores, and every ⊕= x ⊗ y that is not zero is written
down: three nodes of the circuit. ``circuit_passes`` computes these lines. Silent unknowns and asides are not
supported.

The items are those of ``inference.layout``. MET is an operand, with or without words after it, and its step
to the other operand; ``between`` says whether there are words between the operands. An operator that is never
an operand, such as ``=``, stands for the whole text only, and needs no sum over three boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from text2math.inference.crf import flat_size
from text2math.inference.forest import Forest
from text2math.inference.layout import (
    CON,
    FIRST_LEAF,
    OPERATORS,
    forest_parts,
    operand_parts,
    potential_parts,
)
from text2math.inference.patterns import PAPER_PATTERNS
from text2math.inference.potentials import EDGE, LEFT, SYMBOL_COUNT, WORD, A, B
from text2math.inference.semiring import allocating, kernel

Array = NDArray[Any]
ONE = 0  # the node whose value is one
NONE = -1  # the node of what is impossible
_FIRST_SIZE = 1 << 17


class Circuit(NamedTuple):
    """A problem under several forests. The first nodes are ONE and the potentials that it needs."""

    lines: Array  # [lines, 3]: the node that is added to, and the two that are multiplied
    nodes: int
    places: Array  # [potentials]: their places among all potentials of the problem, laid out flat
    words: Array  # [potentials]: the word that a step enters; -1: it enters none
    totals: tuple[int, ...]  # the node of each forest's sum over all trees; NONE if it has no tree


def circuit_of(words: int, anchors: Sequence[int], forests: Sequence[Forest]) -> Circuit:
    """Write down the charts of a problem.

    >>> from text2math.inference.forest import Forest
    >>> from text2math.inference.potentials import Symbol
    >>> circuit = circuit_of(2, [0, 1], [Forest.full({Symbol.ADD, Symbol.CON})])
    >>> circuit.totals == (circuit.nodes - 1,)  # the last node that is computed
    True
    """
    if any(forest.larger for forest in forests):
        raise ValueError("a circuit has no silent unknowns and no asides: use the compiled chart")
    spots, potentials = np.asarray(anchors, np.int64), flat_size(words, len(anchors))
    size = _FIRST_SIZE
    while True:
        lines, cursor = np.empty((size, 3), np.int32), np.array([0, 1 + potentials])
        ids = np.arange(1, 1 + potentials)  # the nodes of the potentials
        spelled = _spelled(lines, cursor, ids, words)
        totals = [_write(lines, cursor, ids, words, spots, spelled, forest.packed) for forest in forests]
        if cursor[0] <= size:
            break
        size = int(cursor[0])
    kept = _needed(lines[: cursor[0]], int(cursor[1]), np.array(totals))
    lines = lines[: cursor[0]][kept]
    number, used, nodes = _renumbered(lines, potentials, int(cursor[1]))
    ends = tuple(int(number[total]) if total >= 0 else NONE for total in totals)
    places = np.flatnonzero(used)
    steps = SYMBOL_COUNT * (words + 1) * 16
    entered = places // 16 % (words + 1)
    enters = (places < steps) & (places % 4 == WORD) & (entered < words)
    return Circuit(lines, int(nodes), places, np.where(enters, entered, -1), ends)


@allocating
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


@kernel
def _spelled(lines: Any, cursor: Any, ids: Any, n: Any) -> Any:
    """The words of leaves, [symbol, i, j]: step[edge,w]_i ⊗ step[w,w]_(i+1…j-1) ⊗ step[w,edge]_j."""
    step = potential_parts(ids, n)[0]
    found = np.full((SYMBOL_COUNT, n + 1, n + 1), NONE)
    for s in range(FIRST_LEAF, SYMBOL_COUNT):
        for i in range(n):
            words = step[s, i, EDGE, WORD]
            for j in range(i + 1, n + 1):
                found[s, i, j] = _add(lines, cursor, NONE, words, step[s, j, WORD, EDGE])
                if j < n:
                    words = _add(lines, cursor, NONE, words, step[s, j, WORD, WORD])
    return found


@kernel
def _write(lines: Any, cursor: Any, ids: Any, n: Any, anchors: Any, spelled: Any, forest: Any) -> Any:
    """Write down the chart under a forest; return the node of the sum over its trees."""
    symbol, quantity, operator_state = forest_parts(forest)[:3]
    operand_symbol, _, _, _, root_state = operand_parts(forest)[:5]
    root, number = potential_parts(ids, n)[3:]
    rows, operators, operands = n + 1, np.int64(forest[OPERATORS]), len(operand_symbol)
    meets = _meets(forest, operators, operands)
    node = np.full((len(symbol), rows, rows), NONE)
    operand, trailed = np.full((operands, rows, rows), NONE), np.full((operands, rows, rows), NONE)
    met = np.full((operands, 2, rows, rows), NONE)
    core, right = np.full((operators, 4, rows, rows), NONE), np.full((operators, 4, rows, rows), NONE)
    tail, left = np.full((operators, 2, rows, rows), NONE), np.full((operators, rows, rows), NONE)
    close = _closings(lines, cursor, ids, n, symbol, operator_state)
    items = (node, operand, trailed, met, core, right, tail, left, close)
    for state in range(len(symbol)):
        if symbol[state] >= FIRST_LEAF:
            own = spelled[symbol[state]]
            _leaf(lines, cursor, n, own, symbol[state], quantity[state], number, anchors, node[state])
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n + 1):
            for p in range(operators):
                _operator(lines, cursor, ids, n, forest, items, p, i, j)
            for a in range(operands):
                _operand(lines, cursor, ids, n, forest, items, a, i, j, meets[a])
    for p in range(operators, len(operator_state)):
        node[operator_state[p], 0, n] = _whole(lines, cursor, ids, n, forest, operand, close[p], p)
    total = NONE
    for r in range(root_state.shape[1]):
        total = _add(lines, cursor, total, root[root_state[1, r]], node[root_state[0, r], 0, n])
    return total


@allocating
def _meets(forest: Any, operators: Any, operands: Any) -> Any:
    """Whether an operand is one of an operator that may itself be an operand."""
    rule_from, rules = forest_parts(forest)[4:]
    found = np.zeros(operands, np.bool_)
    for r in range(rule_from[operators]):
        found[rules[0, r]] = found[rules[1, r]] = True
    return found


@allocating
def _closings(lines: Any, cursor: Any, ids: Any, n: Any, symbol: Any, operator_state: Any) -> Any:
    """The step to the edge ⊗ the pattern, [operator, pattern, j]."""
    step, pattern = potential_parts(ids, n)[:2]
    found = np.full((len(operator_state), PAPER_PATTERNS, n + 1), NONE)
    for p in range(len(operator_state)):
        s = symbol[operator_state[p]]
        for bits in range(PAPER_PATTERNS):
            last = WORD if bits % 2 else (A if bits >= 8 else B)
            for j in range(n + 1):
                found[p, bits, j] = _add(lines, cursor, NONE, step[s, j, last, EDGE], pattern[s, bits])
    return found


@allocating
def _leaf(
    lines: Any,
    cursor: Any,
    n: Any,
    spelled: Any,
    symbol: Any,
    quantity: Any,
    number: Any,
    anchors: Any,
    node: Any,
) -> None:
    """NODE(i,j) of a leaf: its words, for a constant ⊗ (⊕ the numbers in the span that it may be)."""
    for i in range(n):
        used = NONE if symbol == CON else ONE
        for j in range(i + 1, n + 1):
            for k in range(len(anchors) if symbol == CON else 0):
                if anchors[k] == j - 1 and (quantity < 0 or quantity == k):
                    more = _add(lines, cursor, NONE, ONE, number[k])
                    used = _add(lines, cursor, more, ONE, used)
            node[i, j] = _add(lines, cursor, NONE, spelled[i, j], used)


@allocating
def _operator(
    lines: Any, cursor: Any, ids: Any, n: Any, forest: Any, items: Any, p: Any, i: Any, j: Any
) -> None:
    """CORE, RIGHT, TAIL, LEFT and NODE(i,j) of an operator, from what is shorter."""
    node, operand, _, met, core, right, tail, left, close = items
    symbol, _, operator_state, ordered, rule_from, rules = forest_parts(forest)
    step = potential_parts(ids, n)[0][symbol[operator_state[p]]]
    found = NONE
    for swapped in range(2 - ordered[p]):
        opening, second = (B, A) if swapped else (A, B)
        bare, led = NONE, NONE
        for between in range(2):
            c, b = 2 * swapped + between, 8 * swapped + 2 * between
            # CORE(i,j) = ⊕_k MET(i,k) ⊗ OPERAND(k,j)
            inner = NONE
            for r in range(rule_from[p], rule_from[p + 1]):
                first, other = rules[swapped, r], rules[1 - swapped, r]
                for k in range(i + 1, j):
                    inner = _add(lines, cursor, inner, met[first, between, i, k], operand[other, k, j])
            core[p, c, i, j] = inner
            # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
            words = _add(lines, cursor, NONE, core[p, c, i, j - 1], step[j - 1, second, WORD])
            words = _add(lines, cursor, words, right[p, c, i, j - 1], step[j - 1, WORD, WORD])
            right[p, c, i, j] = words
            bare = _add(lines, cursor, bare, inner, close[p, b, j])
            bare = _add(lines, cursor, bare, words, close[p, b + 1, j])
            led = _add(lines, cursor, led, inner, close[p, b + 4, j])
            led = _add(lines, cursor, led, words, close[p, b + 5, j])
        tail[p, swapped, i, j] = led
        # NODE(i,j) = ⊕ step[edge,first] ⊗ (no words before)  ⊕  step[edge,w] ⊗ LEFT(i,j)
        found = _add(lines, cursor, found, step[i, EDGE, opening], bare)
    # LEFT(i,j) = ⊕ step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
    before = _add(lines, cursor, NONE, step[i + 1, WORD, A], tail[p, 0, i + 1, j])
    before = _add(lines, cursor, before, step[i + 1, WORD, B], tail[p, 1, i + 1, j])
    before = _add(lines, cursor, before, step[i + 1, WORD, WORD], left[p, i + 1, j])
    left[p, i, j] = before
    node[operator_state[p], i, j] = _add(lines, cursor, found, step[i, EDGE, WORD], before)


@allocating
def _operand(
    lines: Any, cursor: Any, ids: Any, n: Any, forest: Any, items: Any, a: Any, i: Any, j: Any, meets: Any
) -> None:
    """OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j); TRAILED and MET(i,j) if it ``meets`` another."""
    node, operand, trailed, met = items[:4]
    symbol = forest_parts(forest)[0]
    operand_symbol, operand_side, child_from, child_state = operand_parts(forest)[:4]
    step, _, child = potential_parts(ids, n)[:3]
    s, side = operand_symbol[a], operand_side[a]
    mark, other = (A, B) if side == LEFT else (B, A)
    found = NONE
    for c in range(child_from[a], child_from[a + 1]):
        below = child_state[c]
        found = _add(lines, cursor, found, child[s, side, symbol[below]], node[below, i, j])
    operand[a, i, j] = found
    if not meets:
        return
    # TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
    after = _add(lines, cursor, NONE, operand[a, i, j - 1], step[s, j - 1, mark, WORD])
    after = _add(lines, cursor, after, trailed[a, i, j - 1], step[s, j - 1, WORD, WORD])
    trailed[a, i, j] = after
    met[a, 0, i, j] = _add(lines, cursor, NONE, found, step[s, j, mark, other])
    met[a, 1, i, j] = _add(lines, cursor, NONE, after, step[s, j, WORD, other])


@allocating
def _whole(lines: Any, cursor: Any, ids: Any, n: Any, forest: Any, operand: Any, close: Any, p: Any) -> Any:
    """NODE(0,n) of an operator that is never an operand: ⊕_k (what ends at k) ⊗ step ⊗ (what begins at k)."""
    symbol, _, operator_state, ordered, rule_from, rules = forest_parts(forest)
    step = potential_parts(ids, n)[0][symbol[operator_state[p]]]
    found = NONE
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered[p]):
            mark, other = (B, A) if swapped else (A, B)
            heads = _heads(lines, cursor, step, n, operand[rules[swapped, r]], mark)
            tails = _tails(lines, cursor, step, n, operand[rules[1 - swapped, r]], other)
            for before in range(2):
                inner = NONE
                for between in range(2):
                    b = 8 * swapped + 4 * before + 2 * between
                    for k in range(1, n):
                        head = _add(
                            lines,
                            cursor,
                            NONE,
                            heads[before, between, k],
                            step[k, WORD if between else mark, other],
                        )
                        rest = _add(lines, cursor, NONE, tails[0, k], close[b, n])
                        rest = _add(lines, cursor, rest, tails[1, k], close[b + 1, n])
                        inner = _add(lines, cursor, inner, head, rest)
                found = _add(lines, cursor, found, step[0, EDGE, WORD if before else mark], inner)
    return found


@allocating
def _heads(lines: Any, cursor: Any, step: Any, n: Any, operand: Any, mark: Any) -> Any:
    """An operand that ends at k or trails words up to k, [before, between, k], alone or led by words from 0.

    LED(k) = ⊕_i step[w,w]_(1…i-1) ⊗ step[w,A]_i ⊗ OPERAND(i,k); the step from the edge is left out.
    """
    found, words = np.full((2, 2, n + 1), NONE), ONE
    for i in range(n):
        before, lead = 0, ONE
        if i > 0:
            before, lead = 1, _add(lines, cursor, NONE, words, step[i, WORD, mark])
            words = _add(lines, cursor, NONE, words, step[i, WORD, WORD])
        for k in range(i + 1, n):
            found[before, 0, k] = _add(lines, cursor, found[before, 0, k], lead, operand[i, k])
    for before in range(2):
        for k in range(2, n):
            trailed = _add(lines, cursor, NONE, found[before, 0, k - 1], step[k - 1, mark, WORD])
            found[before, 1, k] = _add(
                lines, cursor, trailed, found[before, 1, k - 1], step[k - 1, WORD, WORD]
            )
    return found


@allocating
def _tails(lines: Any, cursor: Any, step: Any, n: Any, operand: Any, mark: Any) -> Any:
    """An operand that begins at k, [trails, k]: OPERAND(k,n), and ⊕_j OPERAND(k,j) with words from j to n."""
    found, words = np.full((2, n + 1), NONE), ONE
    found[0] = operand[:, n]
    for j in range(n - 1, 0, -1):
        trail = _add(lines, cursor, NONE, step[j, mark, WORD], words)
        words = _add(lines, cursor, NONE, step[j, WORD, WORD], words)
        for k in range(1, j):
            found[1, k] = _add(lines, cursor, found[1, k], operand[k, j], trail)
    return found


@kernel
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


@kernel
def _renumbered(lines: Any, potentials: Any, nodes: Any) -> Any:
    """Number the nodes of the lines anew: the potentials first, then the others in the order of computation.

    Return the new number of each old node, which of the potentials are used, and how many nodes there are.
    """
    used, number = np.zeros(potentials, np.bool_), np.full(nodes, NONE, np.int32)
    for at in range(len(lines)):
        for side in range(1, 3):
            if ONE < lines[at, side] <= potentials:
                used[lines[at, side] - 1] = True
    number[ONE], count = ONE, 1
    for potential in range(potentials):
        if used[potential]:
            number[potential + 1] = count
            count += 1
    for at in range(len(lines)):
        for column in range(3):  # what is added to comes first; what is multiplied was numbered before
            node = lines[at, column]
            if number[node] == NONE:
                number[node] = count
                count += 1
            lines[at, column] = number[node]
    return number, used, count

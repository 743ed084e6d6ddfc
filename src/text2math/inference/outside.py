"""The recurrences of ``inside.py`` read backwards: the expected count of every potential.

``out[i, item, j]`` is the outside score of an item: the sum over everything around it, already divided by the
partition function, so that chart ⊗ out is the item's probability. It is zero where the chart is: what an
impossible item would pass on might leave the range of a double. ``around`` is the outside score of the item
at hand, ``product`` what it passes on to an item below.

Rows (all ends of a start) are worked on as a whole where the recurrence allows it, with j in the innermost
loop. Expected counts are gathered without their potential, which is a factor of every term of the sum, in
arrays that have the loop's order; ``Tallies`` says which. They go to ``counts`` at the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from text2math.inference.inside import AFTER, PLAIN, X, Y, closings, meetings, padded, under_operands
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
    add,
    allocating,
    divide,
    exchange,
    inlined,
    inner,
    masked,
    pull,
    push_one,
    real,
    summing,
    times,
    zero,
)


class Tallies(NamedTuple):
    """Expected counts of potentials, without the potential itself."""

    meeting: Any  # [j, kind, operand]: as ``meetings``
    child: Any  # [state, operand]
    ended: Any  # [operator, pattern, j]: a pattern and the end of its string, as ``closings``
    core_word: Any  # [operator, core, j]: words begin after the second operand
    words: Any  # [operator, j]: between two words after the second operand


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
    larger: Any,
) -> None:
    """Add ``weight`` times the expected count of every potential to ``counts`` (laid out as ``flat``)."""
    symbol, quantity, operator_state, ordered, rule_from, rules = forest_parts(forest)
    operand_symbol, operand_side, child_from, child_state, root_state = operand_parts(forest)[:5]
    lead_operand = operand_parts(forest)[5]
    step, pattern, child, root, number = potential_parts(flat, n)
    step_count, pattern_count, child_count, root_count, number_count = potential_parts(counts, n)
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, LED, LED_TRAILED, CUT, CUT_TRAILED, items = item_offsets(
        forest
    )
    none = zero(tag)
    silent, operators = forest[SILENT], np.int64(forest[OPERATORS])
    _roots_outside(tag, root, root_state, chart, out, root_count, weight, partition, items, n)
    wholes = (OPERAND, TRAILED, LED, LED_TRAILED)
    for p in range(operators, len(operator_state)):
        s, state = symbol[operator_state[p]], operator_state[p]
        if chart[0, state, n] != none and out[0, state, n] != none:
            _whole_outside(
                tag,
                step[s],
                pattern[s],
                chart,
                out,
                step_count[s],
                pattern_count[s],
                weight,
                out[0, state, n],
                ordered[p],
                p,
                rule_from,
                rules,
                wholes,
                silent,
                n,
                larger,
            )
    for t in range(len(lead_operand)):
        a = lead_operand[t]
        s, mark = operand_symbol[a], A if operand_side[a] == LEFT else B
        _led_outside(
            tag, step[s], mark, chart, out, step_count[s], weight, OPERAND + a, LED + t, LED_TRAILED + t, n
        )
    operands = padded(len(operand_symbol))
    under = under_operands(
        tag, child, symbol, operand_symbol, operand_side, child_from, child_state, operands
    )
    meeting = meetings(tag, step, operand_symbol, operand_side, operands, n)
    closing = closings(tag, step, pattern, symbol, operator_state, operators, n)
    tallies = _empty_tallies(tag, len(symbol), operands, operators, n)
    # For one span, by operand: its chart and that with its step to the other operand, as in ``inside``;
    # the outside scores of OPERAND, and of TRAILED at the next end; what its cores pass on.
    found, around, pulled = np.full((4, operands), none), np.empty((2, operands)), np.empty((2, operands))
    first = np.empty(operators, dtype=np.int64)  # the first end at which an operator's items are not zero
    # For operators that own all words from i to j: the product of their steps, and by how much their
    # expected number at boundary t exceeds that at t - 1.
    words, more = np.empty((operators, n + 1)), np.zeros((operators, n + 2))
    _rows_outside(
        tag,
        forest_parts(forest),
        operand_parts(forest),
        (step, pattern),
        (step_count, pattern_count),
        (under, meeting, closing),
        (found, around, pulled, first, words, more),
        tallies,
        (OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, CUT, CUT_TRAILED),
        chart,
        out,
        ranges,
        weight,
        silent,
        n,
        larger,
    )
    for p in range(operators):
        s = symbol[operator_state[p]]
        _count_operator(tag, step[s], closing, p, tallies, step_count[s], pattern_count[s], weight, n)
    for a in range(len(operand_symbol)):
        s, side = operand_symbol[a], operand_side[a]
        _count_meetings(tag, a, side, meeting, tallies.meeting, step_count[s], weight, n)
        for c in range(child_from[a], child_from[a + 1]):
            state = child_state[c]
            product = times(tag, tallies.child[state, a], under[state, a])
            child_count[s, side, symbol[state]] += weight * real(tag, product)
    if larger is not None and silent:
        for p in range(operators):
            s = symbol[operator_state[p]]
            _between_words_outside(tag, step[s], step_count[s], more[p], n)
        _silent_unknowns_outside(
            tag,
            symbol,
            operand_symbol,
            operand_side,
            child_from,
            child_state,
            child,
            chart,
            out,
            child_count,
            weight,
            OPERAND,
            n,
        )
    _leaves_outside(
        tag, symbol, quantity, step, number, anchors, n, chart, out, step_count, number_count, weight
    )


@summing
def _rows_outside(
    tag: Any,
    forest: Any,
    operand: Any,
    potentials: Any,
    counts: Any,
    terms: Any,
    space: Any,
    tallies: Any,
    places: Any,
    chart: Any,
    out: Any,
    ranges: Any,
    weight: Any,
    silent: Any,
    n: Any,
    larger: Any,
) -> None:
    """The outside scores of all items but leads and root-only operators, from long spans to short ones."""
    symbol, _, operator_state, ordered, rule_from, rules = forest
    operand_symbol, operand_side, _, _, _, _, cut_operand, link_from, link = operand
    step, pattern = potentials
    step_count, pattern_count = counts
    under, meeting, closing = terms
    found, around, pulled, first, words, more = space
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, CUT, CUT_TRAILED = places
    operators, count, none = len(first), len(operand_symbol), zero(tag)
    cores = (OPERAND, CORE, CUT, CUT_TRAILED)
    for i in range(n):
        if larger is not None and silent:
            for p in range(operators):
                s = symbol[operator_state[p]]
                _words_row(tag, step[s], words[p], i, n)
                _tail_row_silent_outside(
                    tag,
                    step[s],
                    pattern[s],
                    chart,
                    out,
                    step_count[s],
                    pattern_count[s],
                    weight,
                    p,
                    rule_from,
                    rules,
                    OPERAND,
                    TRAILED,
                    TAIL + 2 * p,
                    i,
                    n,
                )
        for p in range(operators):
            first[p] = _first_end(tag, chart, CORE + 4 * p, LEFT_ + p, i, n)
            if first[p] <= n:
                tails = (CORE + 4 * p, RIGHT_ + 4 * p, TAIL + 2 * p)
                _tail_row_outside(tag, closing, p, chart, out, tails, i, first[p], n)
        around[:] = none
        for j in range(n, _first_operand_end(ranges, count, i, n) - 1, -1):
            _meet(tag, chart, OPERAND, TRAILED, count, meeting, found, i, j)
            pulled[:] = none
            for p in range(operators):
                s, own = symbol[operator_state[p]], (p, ordered[p], rule_from, rules)
                _core_cell_outside(
                    tag,
                    own,
                    cores,
                    found,
                    pulled,
                    step[s],
                    chart,
                    out,
                    ranges,
                    step_count[s],
                    weight,
                    i,
                    j,
                    larger,
                )
            if larger is not None and len(cut_operand):
                parts = (operand_symbol, operand_side, cut_operand, link_from, link)
                cuts = (OPERAND, TRAILED, CUT, CUT_TRAILED)
                _cut_cell_outside(tag, step, parts, cuts, chart, out, ranges, step_count, weight, i, j)
            _operand_cell_outside(tag, out, OPERAND, count, meeting, found, pulled, around, tallies, i, j)
            _node_cell_outside(tag, chart, out, under, around, tallies.child, len(symbol), i, j)
            for p in range(operators):
                state = operator_state[p]
                s = symbol[state]
                if j >= first[p]:
                    core, right = CORE + 4 * p, RIGHT_ + 4 * p
                    _operator_cell_outside(tag, step, s, closing, p, chart, out, state, core, right, i, j, n)
                if larger is not None and silent and out[i, state, j] != none:
                    _node_silent_outside(
                        tag,
                        step[s],
                        pattern[s],
                        chart,
                        out,
                        step_count[s],
                        pattern_count[s],
                        weight,
                        out[i, state, j],
                        p,
                        rule_from,
                        rules,
                        OPERAND,
                        TRAILED,
                        words[p],
                        more[p],
                        i,
                        j,
                        n,
                    )
            _trailed_cell_outside(tag, out, TRAILED, count, meeting, found, pulled, around, i, j)
        for p in range(operators):
            if first[p] > n:
                continue
            state = operator_state[p]
            s = symbol[state]
            own_places = (state, CORE + 4 * p, RIGHT_ + 4 * p, TAIL + 2 * p, LEFT_ + p)
            _count_ends(
                tag,
                step,
                s,
                closing,
                p,
                chart,
                out,
                own_places,
                tallies.ended,
                step_count,
                weight,
                i,
                first[p],
                n,
            )
            _count_words(tag, p, chart, out, own_places, tallies.core_word, tallies.words, i, first[p], n)
            _lead_row_outside(tag, step, s, chart, out, own_places, step_count, weight, i, first[p], n)


@inlined
def _roots_outside(
    tag: Any,
    root: Any,
    root_state: Any,
    chart: Any,
    out: Any,
    root_count: Any,
    weight: Any,
    partition: Any,
    items: Any,
    n: Any,
) -> None:
    """Nothing is around any item but the roots, whose outside scores are their root scores."""
    for i in range(n + 1):
        for t in range(items):
            for j in range(np.uint64(i), np.uint64(n + 1)):
                out[i, t, j] = zero(tag)
    for r in range(root_state.shape[1]):
        state, s = root_state[0, r], root_state[1, r]
        around = divide(tag, root[s], partition)
        out[0, state, n] = add(tag, out[0, state, n], around)
        root_count[s] += weight * real(tag, times(tag, around, chart[0, state, n]))


@allocating
def _empty_tallies(tag: Any, states: Any, operands: Any, operators: Any, n: Any) -> Any:
    none = zero(tag)
    return Tallies(
        np.full((n + 1, 4, operands), none),
        np.full((states, operands), none),
        np.full((operators, 16, n + 1), none),
        np.full((operators, 4, n + 1), none),
        np.full((operators, n + 1), none),
    )


@inlined
def _first_end(tag: Any, chart: Any, core: Any, left: Any, i: Any, n: Any) -> Any:
    """The first end j at which a core, or words before one, are possible; no other item of it is before."""
    none = zero(tag)
    for j in range(i + 1, n + 1):
        possible = chart[i, left, j] != none
        for c in range(4):
            possible |= chart[i, core + c, j] != none
        if possible:
            return j
    return n + 1


@inlined
def _first_operand_end(ranges: Any, count: Any, i: Any, n: Any) -> Any:
    """The first end j at which an operand that starts at i is possible."""
    found = n + 1
    for a in range(count):
        found = min(found, np.int64(ranges[a, i, 0]))
    return found


@summing
def _tail_row_outside(
    tag: Any, closing: Any, p: Any, chart: Any, out: Any, places: Any, i: Any, first: Any, n: Any
) -> None:
    """TAIL(i,j) takes CORE(i,j) and RIGHT(i,j); only the row before takes it, so all of it is known."""
    core, right, tail = places
    for swapped in range(2):
        c, b = 2 * swapped, 8 * swapped + 4
        for j in range(np.uint64(first), np.uint64(n + 1)):
            led = masked(tag, out[i, tail + swapped, j], chart[i, tail + swapped, j])
            out[i, tail + swapped, j] = led
            out[i, core + c, j] = times(tag, led, closing[p, b, j])
            out[i, right + c, j] = times(tag, led, closing[p, b + 1, j])
            out[i, core + c + 1, j] = times(tag, led, closing[p, b + 2, j])
            out[i, right + c + 1, j] = times(tag, led, closing[p, b + 3, j])


@inlined
def _meet(
    tag: Any,
    chart: Any,
    operand: Any,
    trailed: Any,
    count: Any,
    meeting: Any,
    found: Any,
    i: Any,
    j: Any,
) -> None:
    """All operands over a span, each with its step to the other operand."""
    for a in range(count):
        found[PLAIN, a] = chart[i, operand + a, j]
        found[AFTER, a] = chart[i, trailed + a, j]
    for a in range(np.uint64(found.shape[1])):
        found[X, a] = times(tag, found[PLAIN, a], meeting[j, 2, a])
        found[Y, a] = times(tag, found[AFTER, a], meeting[j, 3, a])


@inlined
def _core_cell_outside(
    tag: Any,
    own: Any,
    places: Any,
    found: Any,
    pulled: Any,
    step: Any,
    chart: Any,
    out: Any,
    ranges: Any,
    step_count: Any,
    weight: Any,
    i: Any,
    j: Any,
    larger: Any,
) -> None:
    """CORE(i,j') takes what ends at j of one operand and OPERAND(j,j') of the other."""
    p, ordered, rule_from, rules = own
    OPERAND, CORE, CUT, CUT_TRAILED = places
    none = zero(tag)
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered):
            first, second = rules[swapped, r], rules[1 - swapped, r]
            start, stop = ranges[second, j, 0], ranges[second, j, 1]
            if start >= stop:
                continue
            c, cut = CORE + 4 * p + 2 * swapped, rules[2 + swapped, r]
            if larger is not None and cut >= 0:
                other = A if swapped else B
                items = (CUT + cut, CUT_TRAILED + cut, c + 1, OPERAND + second)
                _cut_core_outside(tag, items, other, step, chart, out, step_count, weight, i, j, start, stop)
                continue
            x, y = found[X, first], found[Y, first]
            if x != none or y != none:
                behind, behind_words = exchange(tag, chart, out, OPERAND + second, j, x, y, c, i, start, stop)
                pulled[PLAIN, first] = add(tag, pulled[PLAIN, first], behind)
                pulled[AFTER, first] = add(tag, pulled[AFTER, first], behind_words)


@inlined
def _operand_cell_outside(
    tag: Any,
    out: Any,
    operand: Any,
    count: Any,
    meeting: Any,
    found: Any,
    pulled: Any,
    around: Any,
    tallies: Any,
    i: Any,
    j: Any,
) -> None:
    """CORE(i,j') and TRAILED(i,j+1) take OPERAND(i,j) and TRAILED(i,j), each with its step at j."""
    tally = tallies.meeting
    for a in range(count):
        around[PLAIN, a] = out[i, operand + a, j]
    for a in range(np.uint64(found.shape[1])):
        plain, after, later = found[PLAIN, a], found[AFTER, a], around[AFTER, a]
        tally[j, 0, a] = add(tag, tally[j, 0, a], times(tag, later, plain))
        tally[j, 1, a] = add(tag, tally[j, 1, a], times(tag, later, after))
        tally[j, 2, a] = add(tag, tally[j, 2, a], times(tag, pulled[PLAIN, a], plain))
        tally[j, 3, a] = add(tag, tally[j, 3, a], times(tag, pulled[AFTER, a], after))
        product = add(tag, around[PLAIN, a], times(tag, pulled[PLAIN, a], meeting[j, 2, a]))
        product = add(tag, product, times(tag, later, meeting[j, 0, a]))
        around[PLAIN, a] = masked(tag, product, plain)


@inlined
def _trailed_cell_outside(
    tag: Any,
    out: Any,
    trailed: Any,
    count: Any,
    meeting: Any,
    found: Any,
    pulled: Any,
    around: Any,
    i: Any,
    j: Any,
) -> None:
    """The outside scores of TRAILED(i,j), which takes OPERAND(i,j-1) and TRAILED(i,j-1)."""
    for a in range(np.uint64(found.shape[1])):
        product = times(tag, around[AFTER, a], meeting[j, 1, a])
        around[AFTER, a] = add(tag, product, times(tag, pulled[AFTER, a], meeting[j, 3, a]))
    for a in range(count):
        product = add(tag, around[AFTER, a], out[i, trailed + a, j])
        around[AFTER, a] = masked(tag, product, found[AFTER, a])


@inlined
def _node_cell_outside(
    tag: Any, chart: Any, out: Any, under: Any, around: Any, tally: Any, states: Any, i: Any, j: Any
) -> None:
    """OPERAND(i,j) takes NODE(i,j) of each of its children."""
    size = np.uint64(under.shape[1])
    for state in range(states):
        value = chart[i, state, j]
        if value == zero(tag):
            out[i, state, j] = zero(tag)
            continue
        total = zero(tag)
        for a in range(size):
            total = add(tag, total, times(tag, around[PLAIN, a], under[state, a]))
            tally[state, a] = add(tag, tally[state, a], times(tag, around[PLAIN, a], value))
        out[i, state, j] = add(tag, out[i, state, j], total)


@inlined
def _operator_cell_outside(
    tag: Any,
    step: Any,
    s: Any,
    closing: Any,
    p: Any,
    chart: Any,
    out: Any,
    state: Any,
    core: Any,
    right: Any,
    i: Any,
    j: Any,
    n: Any,
) -> None:
    """NODE(i,j) takes CORE(i,j) and RIGHT(i,j); RIGHT(i,j+1) takes them too. TAIL(i,j) already has."""
    around = out[i, state, j]
    for swapped in range(2):
        first, second = (B, A) if swapped else (A, B)
        bare = times(tag, around, step[s, i, EDGE, first])
        for between in range(2):
            c, b = 2 * swapped + between, 8 * swapped + 2 * between
            later = out[i, right + c, j + 1] if j < n else zero(tag)
            product = add(tag, out[i, core + c, j], times(tag, bare, closing[p, b, j]))
            product = add(tag, product, times(tag, later, step[s, j, second, WORD]))
            out[i, core + c, j] = masked(tag, product, chart[i, core + c, j])
            product = add(tag, out[i, right + c, j], times(tag, bare, closing[p, b + 1, j]))
            product = add(tag, product, times(tag, later, step[s, j, WORD, WORD]))
            out[i, right + c, j] = masked(tag, product, chart[i, right + c, j])


@summing
def _count_ends(
    tag: Any,
    step: Any,
    s: Any,
    closing: Any,
    p: Any,
    chart: Any,
    out: Any,
    places: Any,
    ended: Any,
    step_count: Any,
    weight: Any,
    i: Any,
    first: Any,
    n: Any,
) -> None:
    """How CORE(i,j) and RIGHT(i,j) end, in NODE(i,j) and in TAIL(i,j); and how NODE(i,j) begins with them."""
    state, core, right, tail = places[:4]
    for swapped in range(2):
        mark = B if swapped else A
        opening, total = step[s, i, EDGE, mark], zero(tag)
        for kind in range(4):
            item, b = (right if kind % 2 else core) + 2 * swapped + kind // 2, 8 * swapped + kind
            for j in range(np.uint64(first), np.uint64(n + 1)):
                value = chart[i, item, j]
                bare = times(tag, times(tag, out[i, state, j], opening), value)
                total = add(tag, total, times(tag, bare, closing[p, b, j]))
                ended[p, b, j] = add(tag, ended[p, b, j], bare)
                led = times(tag, out[i, tail + swapped, j], value)
                ended[p, b + 4, j] = add(tag, ended[p, b + 4, j], led)
        step_count[s, i, EDGE, mark] += weight * real(tag, total)


@summing
def _count_words(
    tag: Any,
    p: Any,
    chart: Any,
    out: Any,
    places: Any,
    core_word: Any,
    words: Any,
    i: Any,
    first: Any,
    n: Any,
) -> None:
    """RIGHT(i,j+1) takes CORE(i,j) and RIGHT(i,j)."""
    core, right = places[1:3]
    for c in range(4):
        for j in range(np.uint64(first), np.uint64(n)):
            around = out[i, right + c, j + np.uint64(1)]
            core_word[p, c, j] = add(tag, core_word[p, c, j], times(tag, around, chart[i, core + c, j]))
            words[p, j] = add(tag, words[p, j], times(tag, around, chart[i, right + c, j]))


@summing
def _lead_row_outside(
    tag: Any,
    step: Any,
    s: Any,
    chart: Any,
    out: Any,
    places: Any,
    step_count: Any,
    weight: Any,
    i: Any,
    first: Any,
    n: Any,
) -> None:
    """NODE(i,j) takes LEFT(i,j), which takes TAIL(i+1,j) and LEFT(i+1,j)."""
    state, tail, left = places[0], places[3], places[4]
    word, a, b = step[s, i + 1, WORD, WORD], step[s, i + 1, WORD, A], step[s, i + 1, WORD, B]
    opening = step[s, i, EDGE, WORD]
    opened, to_word, to_a, to_b = zero(tag), zero(tag), zero(tag), zero(tag)
    for j in range(np.uint64(first), np.uint64(n + 1)):
        leading, node = chart[i, left, j], times(tag, out[i, state, j], opening)
        opened = add(tag, opened, times(tag, node, leading))
        around = masked(tag, add(tag, node, out[i, left, j]), leading)
        out[i + 1, left, j] = times(tag, around, word)
        out[i + 1, tail, j] = times(tag, around, a)
        out[i + 1, tail + 1, j] = times(tag, around, b)
        to_word = add(tag, to_word, times(tag, out[i + 1, left, j], chart[i + 1, left, j]))
        to_a = add(tag, to_a, times(tag, out[i + 1, tail, j], chart[i + 1, tail, j]))
        to_b = add(tag, to_b, times(tag, out[i + 1, tail + 1, j], chart[i + 1, tail + 1, j]))
    step_count[s, i, EDGE, WORD] += weight * real(tag, opened)
    step_count[s, i + 1, WORD, WORD] += weight * real(tag, to_word)
    step_count[s, i + 1, WORD, A] += weight * real(tag, to_a)
    step_count[s, i + 1, WORD, B] += weight * real(tag, to_b)


# ---------------------------------------------------------------------------------------------------
# From the tallies to the counts


@inner
def _count_operator(
    tag: Any,
    step: Any,
    closing: Any,
    p: Any,
    tallies: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    n: Any,
) -> None:
    """The patterns of an operator, the ends of its string, and the words after its second operand."""
    for bits in range(16):
        last = WORD if bits % 2 else (A if bits >= 8 else B)
        for j in range(n + 1):
            prob = weight * real(tag, times(tag, tallies.ended[p, bits, j], closing[p, bits, j]))
            pattern_count[bits] += prob
            step_count[j, last, EDGE] += prob
    for j in range(n + 1):
        for c in range(4):
            second = A if c >= 2 else B
            product = times(tag, tallies.core_word[p, c, j], step[j, second, WORD])
            step_count[j, second, WORD] += weight * real(tag, product)
        product = times(tag, tallies.words[p, j], step[j, WORD, WORD])
        step_count[j, WORD, WORD] += weight * real(tag, product)


@inner
def _count_meetings(
    tag: Any, a: Any, side: Any, meeting: Any, tally: Any, step_count: Any, weight: Any, n: Any
) -> None:
    """The steps of an operand's own operator where the operand ends, and among the words behind it."""
    mark, other = (A, B) if side == LEFT else (B, A)
    for j in range(n + 1):
        for kind in range(4):
            before, behind = WORD if kind % 2 else mark, other if kind >= 2 else WORD
            product = times(tag, tally[j, kind, a], meeting[j, kind, a])
            step_count[j, before, behind] += weight * real(tag, product)


# ---------------------------------------------------------------------------------------------------
# Leaves


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
    # By how much the expected number of leaves with words on both sides of boundary t exceeds that at t - 1.
    more = np.zeros(n + 2)
    at_word = np.full(n, none)  # ⊕ of the numbers anchored on each word
    used = np.zeros(n)  # how often one of them is used
    for k in range(len(anchors)):
        at_word[anchors[k]] = add(tag, at_word[anchors[k]], number[k])
    anchored = np.flatnonzero(at_word != none)
    for state in range(len(symbol)):
        s, k = symbol[state], quantity[state]
        if s < FIRST_LEAF:
            continue
        more[:] = 0.0
        for i in range(n):
            begun = _leaf_row_outside(tag, chart, out, state, step_count[s], more, weight, i, n)
            step_count[s, i, EDGE, WORD] += begun
            more[i + 1] += begun
            if s == CON and k >= 0:
                number_count[k] += begun
            elif s == CON:
                _count_used(tag, chart, out, state, at_word, anchored, used, weight, i, n)
        running = 0.0
        for t in range(1, n):
            running += more[t]
            if step[s, t, WORD, WORD] != none:  # else the sum is zero up to rounding
                step_count[s, t, WORD, WORD] += running
    for k in range(len(anchors)):
        if number[k] != none:
            number_count[k] += used[anchors[k]] * real(tag, divide(tag, number[k], at_word[anchors[k]]))


@summing
def _leaf_row_outside(
    tag: Any,
    chart: Any,
    out: Any,
    state: Any,
    step_count: Any,
    more: Any,
    weight: Any,
    i: Any,
    n: Any,
) -> Any:
    """Count the ends of the leaves that start at i; return how often one does, times the weight."""
    begun = 0.0
    for j in range(np.uint64(i + 1), np.uint64(n + 1)):
        p = weight * real(tag, times(tag, chart[i, state, j], out[i, state, j]))
        step_count[j, WORD, EDGE] += p
        more[j] -= p
        begun += p
    return begun


@inner
def _count_used(
    tag: Any,
    chart: Any,
    out: Any,
    state: Any,
    at_word: Any,
    anchored: Any,
    used: Any,
    weight: Any,
    i: Any,
    n: Any,
) -> None:
    """How often each anchored word of the constants that start at i has the number that is used."""
    total, begin, end = zero(tag), 0, 0
    while begin < len(anchored) and anchored[begin] < i:
        begin += 1
    end = begin
    for j in range(i + 1, n + 1):
        if end < len(anchored) and anchored[end] == j - 1:
            total = add(tag, total, at_word[j - 1])
            end += 1
        p = times(tag, chart[i, state, j], out[i, state, j])
        if p != zero(tag):
            share = divide(tag, p, total)
            for at in range(begin, end):
                used[anchored[at]] += weight * real(tag, times(tag, share, at_word[anchored[at]]))


# ---------------------------------------------------------------------------------------------------
# Unknowns without words


@inner
def _tail_row_silent_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    operand: Any,
    trailed: Any,
    tail: Any,
    i: Any,
    n: Any,
) -> None:
    """TAIL(i,j) takes (OPERAND or TRAILED)(i,j) of one operand and the other over (n,n).

    Only the row before takes TAIL(i,j), so its outside score is known for the whole row.
    """
    for r in range(rule_from[p], rule_from[p + 1]):
        for side in range(2):
            silent_item = operand + rules[1 - side, r]
            silent_score = chart[n, silent_item, n]
            if rules[2, r] >= 0 or silent_score == zero(tag):
                continue
            mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
            for after in range(2):
                item = (trailed if after else operand) + rules[side, r]
                last, own = (WORD, only + AROUND) if after else (mark, only + LEADING)
                total, used = zero(tag), 0.0
                for j in range(i + 1, n + 1):
                    around, with_words = out[i, tail + side, j], chart[i, item, j]
                    if around == zero(tag) or with_words == zero(tag):
                        continue
                    product = times(tag, around, times(tag, step[j, last, EDGE], pattern[own]))
                    out[i, item, j] = add(tag, out[i, item, j], times(tag, product, silent_score))
                    product = times(tag, product, with_words)
                    total = add(tag, total, product)
                    prob = weight * real(tag, times(tag, product, silent_score))
                    step_count[j, last, EDGE] += prob
                    used += prob
                out[n, silent_item, n] = add(tag, out[n, silent_item, n], total)
                pattern_count[own] += used


@inner
def _pair_outside(
    tag: Any, chart: Any, out: Any, product: Any, item: Any, i: Any, j: Any, silent_item: Any, n: Any
) -> Any:
    """Pass the outside score of a pair on to its item over (i,j) and its silent operand over (n,n).

    Return the probability of the pair.
    """
    with_words, silent_score = chart[i, item, j], chart[n, silent_item, n]
    out[i, item, j] = add(tag, out[i, item, j], times(tag, product, silent_score))
    out[n, silent_item, n] = add(tag, out[n, silent_item, n], times(tag, product, with_words))
    return real(tag, times(tag, product, times(tag, with_words, silent_score)))


@inner
def _node_silent_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    around: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    operand: Any,
    trailed: Any,
    words: Any,
    more: Any,
    i: Any,
    j: Any,
    n: Any,
) -> None:
    """NODE(i,j) without words before takes TRAILED(i,j) of one operand, or nothing but words."""
    for r in range(rule_from[p], rule_from[p + 1]):
        if rules[2, r] >= 0:
            continue
        for side in range(2):
            silent_item, item = operand + rules[1 - side, r], trailed + rules[side, r]
            if chart[n, silent_item, n] == zero(tag) or chart[i, item, j] == zero(tag):
                continue
            mark, own = (A, ONLY_A + TRAILING) if side == LEFT else (B, ONLY_B + TRAILING)
            product = times(tag, times(tag, around, step[i, EDGE, mark]), step[j, WORD, EDGE])
            product = times(tag, product, pattern[own])
            prob = weight * _pair_outside(tag, chart, out, product, item, i, j, silent_item, n)
            step_count[i, EDGE, mark] += prob
            step_count[j, WORD, EDGE] += prob
            pattern_count[own] += prob
        prob = _words_outside(
            tag,
            step,
            pattern,
            chart,
            out,
            step_count,
            pattern_count,
            weight,
            times(tag, around, words[j]),
            r,
            rules,
            operand,
            i,
            j,
            n,
        )
        more[i + 1] += prob
        more[j] -= prob


@inner
def _words_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    product: Any,
    r: Any,
    rules: Any,
    operand: Any,
    i: Any,
    j: Any,
    n: Any,
) -> Any:
    """NODE(i,j) with both operands over (n,n): the operator owns all the words.

    ``product`` is its outside score times the steps into its words. Return its probability times the weight.
    """
    left, right = operand + rules[LEFT, r], operand + rules[RIGHT, r]
    if chart[n, left, n] == zero(tag) or chart[n, right, n] == zero(tag):
        return 0.0
    product = times(tag, product, times(tag, step[j, WORD, EDGE], pattern[ONLY_WORDS]))
    if product == zero(tag):
        return 0.0
    out[n, left, n] = add(tag, out[n, left, n], times(tag, product, chart[n, right, n]))
    out[n, right, n] = add(tag, out[n, right, n], times(tag, product, chart[n, left, n]))
    prob = weight * real(tag, times(tag, product, times(tag, chart[n, left, n], chart[n, right, n])))
    step_count[i, EDGE, WORD] += prob
    step_count[j, WORD, EDGE] += prob
    pattern_count[ONLY_WORDS] += prob
    return prob


@inner
def _words_row(tag: Any, step: Any, words: Any, i: Any, n: Any) -> None:
    """words(j) = step[edge,w]_i ⊗ step[w,w]_(i+1…j-1)."""
    words[i + 1] = step[i, EDGE, WORD]
    for j in range(i + 2, n + 1):
        words[j] = times(tag, words[j - 1], step[j - 1, WORD, WORD])


@inner
def _between_words_outside(tag: Any, step: Any, step_count: Any, more: Any, n: Any) -> None:
    """The steps between two words of operators that own all the words from i to j."""
    running = 0.0
    for t in range(1, n):
        running += more[t]
        if step[t, WORD, WORD] != zero(tag):  # else the sum is zero up to rounding
            step_count[t, WORD, WORD] += running


@inner
def _silent_unknowns_outside(
    tag: Any,
    symbol: Any,
    operand_symbol: Any,
    operand_side: Any,
    child_from: Any,
    child_state: Any,
    child: Any,
    chart: Any,
    out: Any,
    child_count: Any,
    weight: Any,
    operand: Any,
    n: Any,
) -> None:
    """OPERAND(n,n) takes the unknowns among its children."""
    for a in range(len(operand_symbol)):
        around = out[n, operand + a, n]
        if around == zero(tag) or chart[n, operand + a, n] == zero(tag):
            continue
        s, side = operand_symbol[a], operand_side[a]
        for c in range(child_from[a], child_from[a + 1]):
            own = symbol[child_state[c]]
            if own > CON:
                child_count[s, side, own] += weight * real(tag, times(tag, around, child[s, side, own]))


# ---------------------------------------------------------------------------------------------------
# Asides


@inner
def _cut_core_outside(
    tag: Any,
    items: Any,
    other: Any,
    step: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    weight: Any,
    i: Any,
    j: Any,
    start: Any,
    stop: Any,
) -> None:
    """CORE(i,j') takes CUT(i,j) or CUT_TRAILED(i,j), and OPERAND(j,j') of the other side."""
    cut, cut_trailed, core, second = items
    x, y = chart[i, cut, j], chart[i, cut_trailed, j]
    if x == zero(tag) and y == zero(tag):
        return
    behind = pull(tag, out, core, i, chart, second, j, start, stop)
    for item, last, value in ((cut, EDGE, x), (cut_trailed, WORD, y)):
        if value != zero(tag):
            product = times(tag, step[j, last, other], behind)
            out[i, item, j] = add(tag, out[i, item, j], product)
            step_count[j, last, other] += weight * real(tag, times(tag, product, value))
    x, y = times(tag, x, step[j, EDGE, other]), times(tag, y, step[j, WORD, other])
    push_one(tag, out, second, j, add(tag, x, y), core, i, start, stop)


@inner
def _cut_cell_outside(
    tag: Any,
    step: Any,
    parts: Any,
    places: Any,
    chart: Any,
    out: Any,
    ranges: Any,
    step_count: Any,
    weight: Any,
    i: Any,
    j: Any,
) -> None:
    """CUT(i,j') takes what ends at j and an aside over (j,j'); CUT_TRAILED(i,j) what ended a word before."""
    operand_symbol, operand_side, cut_operand, link_from, link = parts
    operand, trailed, cut, cut_trailed = places
    for c in range(len(cut_operand)):
        a = cut_operand[c]
        s, mark = operand_symbol[a], A if operand_side[a] == LEFT else B
        for at in range(link_from[c], link_from[c + 1]):
            before, aside = link[0, at], link[1, at]
            start, stop = ranges[aside, j, 0], ranges[aside, j, 1]
            if start >= stop:
                continue
            bare, plain_at, trailed_at = mark, operand + a, trailed + a
            if before >= 0:
                bare, plain_at, trailed_at = EDGE, cut + before, cut_trailed + before
            plain, after = chart[i, plain_at, j], chart[i, trailed_at, j]
            if plain == zero(tag) and after == zero(tag):
                continue
            behind = pull(tag, out, cut + c, i, chart, operand + aside, j, start, stop)
            if plain != zero(tag):
                product = times(tag, step[s, j, bare, EDGE], behind)
                out[i, plain_at, j] = add(tag, out[i, plain_at, j], product)
                step_count[s, j, bare, EDGE] += weight * real(tag, times(tag, product, plain))
            if after != zero(tag):
                product = times(tag, step[s, j, WORD, EDGE], behind)
                out[i, trailed_at, j] = add(tag, out[i, trailed_at, j], product)
                step_count[s, j, WORD, EDGE] += weight * real(tag, times(tag, product, after))
            x = times(tag, plain, step[s, j, bare, EDGE])
            x = add(tag, x, times(tag, after, step[s, j, WORD, EDGE]))
            push_one(tag, out, operand + aside, j, x, cut + c, i, start, stop)
    for c in range(len(cut_operand)):
        around, s = out[i, cut_trailed + c, j], operand_symbol[cut_operand[c]]
        if around == zero(tag) or chart[i, cut_trailed + c, j] == zero(tag):
            continue
        for kind in range(2):
            item, last = (cut_trailed + c, WORD) if kind else (cut + c, EDGE)
            product = times(tag, around, step[s, j - 1, last, WORD])
            out[i, item, j - 1] = add(tag, out[i, item, j - 1], product)
            step_count[s, j - 1, last, WORD] += weight * real(tag, times(tag, product, chart[i, item, j - 1]))


# ---------------------------------------------------------------------------------------------------
# Root-only operators


@inner
def _whole_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    around: Any,
    ordered: Any,
    p: Any,
    rule_from: Any,
    rules: Any,
    items: Any,
    silent: Any,
    n: Any,
    larger: Any,
) -> None:
    """NODE(0,n) takes what ends at k of one operand and what begins there of the other."""
    operand, trailed, led, led_trailed = items
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered):
            first, second, lead = rules[swapped, r], rules[1 - swapped, r], rules[2 + swapped, r]
            mark, other = (B, A) if swapped else (A, B)
            for bits in range(8):
                own = 8 * swapped + bits
                before, between, after = bits // 4, bits // 2 % 2, bits % 2
                opening = WORD if before else mark
                middle, last = WORD if between else mark, WORD if after else other
                head = (led_trailed if between else led) + lead
                if not before:
                    head = (trailed if between else operand) + first
                rest = (trailed if after else operand) + second
                ends = times(tag, times(tag, step[0, EDGE, opening], step[n, last, EDGE]), pattern[own])
                for k in range(1, n):
                    x, y = chart[0, head, k], chart[k, rest, n]
                    if x == zero(tag) or y == zero(tag):
                        continue
                    product = times(tag, times(tag, ends, step[k, middle, other]), around)
                    out[0, head, k] = add(tag, out[0, head, k], times(tag, product, y))
                    out[k, rest, n] = add(tag, out[k, rest, n], times(tag, product, x))
                    prob = weight * real(tag, times(tag, times(tag, product, x), y))
                    step_count[0, EDGE, opening] += prob
                    step_count[k, middle, other] += prob
                    step_count[n, last, EDGE] += prob
                    pattern_count[own] += prob
        if larger is not None and silent:
            _whole_silent_outside(
                tag, step, pattern, chart, out, step_count, pattern_count, weight, around, r, rules, items, n
            )


@inner
def _whole_silent_outside(
    tag: Any,
    step: Any,
    pattern: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    pattern_count: Any,
    weight: Any,
    around: Any,
    r: Any,
    rules: Any,
    items: Any,
    n: Any,
) -> None:
    """NODE(0,n) takes one operand with words and the other over (n,n), or nothing but words."""
    operand, trailed, led, led_trailed = items
    for side in range(2):
        silent_item = operand + rules[1 - side, r]
        if chart[n, silent_item, n] == zero(tag):
            continue
        mark, only = (A, ONLY_A) if side == LEFT else (B, ONLY_B)
        for where in range(3):
            item, opening, last = led + rules[2 + side, r], WORD, mark
            if where == TRAILING:
                item, opening, last = trailed + rules[side, r], mark, WORD
            elif where == AROUND:
                item, opening, last = led_trailed + rules[2 + side, r], WORD, WORD
            if chart[0, item, n] == zero(tag):
                continue
            product = times(tag, times(tag, around, step[0, EDGE, opening]), step[n, last, EDGE])
            product = times(tag, product, pattern[only + where])
            prob = weight * _pair_outside(tag, chart, out, product, item, 0, n, silent_item, n)
            step_count[0, EDGE, opening] += prob
            step_count[n, last, EDGE] += prob
            pattern_count[only + where] += prob
    words = step[0, EDGE, WORD]
    for t in range(1, n):
        words = times(tag, words, step[t, WORD, WORD])
    product = times(tag, around, words)
    prob = _words_outside(
        tag, step, pattern, chart, out, step_count, pattern_count, weight, product, r, rules, operand, 0, n, n
    )
    for t in range(1, n):
        step_count[t, WORD, WORD] += prob


@inner
def _led_outside(
    tag: Any,
    step: Any,
    mark: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    weight: Any,
    operand: Any,
    led: Any,
    led_trailed: Any,
    n: Any,
) -> None:
    """LED_TRAILED(0,j) takes what ended a word before; LED(i,j) what starts a word later."""
    for j in range(n, 2, -1):
        around = out[0, led_trailed, j]
        if around == zero(tag) or chart[0, led_trailed, j] == zero(tag):
            continue
        for kind in range(2):
            item, last = (led_trailed, WORD) if kind else (led, mark)
            product = times(tag, around, step[j - 1, last, WORD])
            out[0, item, j - 1] = add(tag, out[0, item, j - 1], product)
            step_count[j - 1, last, WORD] += weight * real(tag, times(tag, product, chart[0, item, j - 1]))
    for i in range(n):
        for j in range(i + 2, n + 1):
            around = out[i, led, j]
            if around == zero(tag) or chart[i, led, j] == zero(tag):
                continue
            for kind in range(2):
                item, first = (led, WORD) if kind else (operand, mark)
                product = times(tag, around, step[i + 1, WORD, first])
                out[i + 1, item, j] = add(tag, out[i + 1, item, j], product)
                step_count[i + 1, WORD, first] += weight * real(
                    tag, times(tag, product, chart[i + 1, item, j])
                )

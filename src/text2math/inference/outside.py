"""The recurrences of ``inside.py`` read backwards: the expected count of every potential.

``out[i, item, j]`` is the outside score of an item: the sum over everything around it, already divided by the
partition function, so that chart ⊗ out is the item's probability. ``around`` is the outside score of the item
at hand, ``product`` what it passes on to an item below.
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
    divide,
    inlined,
    inner,
    plus,
    pull,
    push_one,
    real,
    spread,
    times,
    zero,
)


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
    lead_operand, cut_operand, link_from, link = operand_parts(forest)[5:]
    step, pattern, child, root, number = potential_parts(flat, n)
    step_count, pattern_count, child_count, root_count, number_count = potential_parts(counts, n)
    OPERAND, TRAILED, CORE, RIGHT_, TAIL, LEFT_, LED, LED_TRAILED, CUT, CUT_TRAILED, items = item_offsets(
        forest
    )
    none = zero(tag)
    silent, operators = forest[SILENT], np.int64(forest[OPERATORS])
    _roots_outside(tag, root, root_state, chart, out, root_count, weight, partition, items, n)
    wholes, cores = (OPERAND, TRAILED, LED, LED_TRAILED), (OPERAND, TRAILED, CORE, CUT, CUT_TRAILED)
    operands = (operand_symbol, operand_side, child_from, child_state)
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
    # For operators that own all words from i to j: the product of their steps, and by how much their
    # expected number at boundary t exceeds that at t - 1.
    words, more = np.empty((operators, n + 1)), np.zeros((operators, n + 2))
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
        for j in range(n, i, -1):
            for p in range(operators):
                s = symbol[operator_state[p]]
                own = (p, ordered[p], rule_from, rules)
                _core_cell_outside(
                    tag, own, cores, step[s], chart, out, ranges, step_count[s], weight, i, j, larger
                )
            if larger is not None and len(cut_operand):
                parts = (operand_symbol, operand_side, cut_operand, link_from, link)
                places = (OPERAND, TRAILED, CUT, CUT_TRAILED)
                _cut_cell_outside(tag, step, parts, places, chart, out, ranges, step_count, weight, i, j)
            _operand_cell_outside(
                tag, symbol, operands, child, chart, out, child_count, weight, OPERAND, i, j
            )
            for p in range(operators):
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
                if larger is not None and silent and chart[i, state, j] != none and out[i, state, j] != none:
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
            _trailed_cell_outside(
                tag,
                operand_symbol,
                operand_side,
                step,
                chart,
                out,
                step_count,
                weight,
                OPERAND,
                TRAILED,
                i,
                j,
            )
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
            for j in range(i, n + 1):
                out[i, t, j] = zero(tag)
    for r in range(root_state.shape[1]):
        state, s = root_state[0, r], root_state[1, r]
        around = divide(tag, root[s], partition)
        out[0, state, n] = plus(tag, out[0, state, n], around)
        root_count[s] += weight * real(tag, times(tag, around, chart[0, state, n]))


@inlined
def _core_cell_outside(
    tag: Any,
    own: Any,
    places: Any,
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
    OPERAND, TRAILED, CORE, CUT, CUT_TRAILED = places
    none = zero(tag)
    for r in range(rule_from[p], rule_from[p + 1]):
        for swapped in range(2 - ordered):
            first, second = rules[swapped, r], rules[1 - swapped, r]
            start, stop = ranges[second, j, 0], ranges[second, j, 1]
            if start >= stop:
                continue
            mark, other = (B, A) if swapped else (A, B)
            c, cut = CORE + 4 * p + 2 * swapped, rules[2 + swapped, r]
            plain_at, trailed_at, bare = OPERAND + first, TRAILED + first, mark
            if larger is not None and cut >= 0:
                plain_at, trailed_at, bare = CUT + cut, CUT_TRAILED + cut, EDGE
            plain, trailed = chart[i, plain_at, j], chart[i, trailed_at, j]
            if plain == none and trailed == none:
                continue
            # Behind an aside both kinds have something between the operands.
            x_core = c
            if larger is not None and cut >= 0:
                x_core = c + 1
            x = step[j, bare, other]
            y = step[j, WORD, other]
            if plain != none:
                product = times(tag, x, pull(tag, out, x_core, i, chart, OPERAND + second, j, start, stop))
                out[i, plain_at, j] = plus(tag, out[i, plain_at, j], product)
                step_count[j, bare, other] += weight * real(tag, times(tag, product, plain))
            if trailed != none:
                product = times(tag, y, pull(tag, out, c + 1, i, chart, OPERAND + second, j, start, stop))
                out[i, trailed_at, j] = plus(tag, out[i, trailed_at, j], product)
                step_count[j, WORD, other] += weight * real(tag, times(tag, product, trailed))
            x, y = times(tag, plain, x), times(tag, trailed, y)
            if larger is not None and cut >= 0:
                x, y = none, plus(tag, x, y)
            spread(tag, out, OPERAND + second, j, x, y, c, i, start, stop)


@inlined
def _operand_cell_outside(
    tag: Any,
    symbol: Any,
    operands: Any,
    child: Any,
    chart: Any,
    out: Any,
    child_count: Any,
    weight: Any,
    operand: Any,
    i: Any,
    j: Any,
) -> None:
    """OPERAND(i,j) takes NODE(i,j) of each of its children."""
    operand_symbol, operand_side, child_from, child_state = operands
    none = zero(tag)
    for a in range(len(operand_symbol)):
        around = out[i, operand + a, j]
        if around != none and chart[i, operand + a, j] != none:
            s, side = operand_symbol[a], operand_side[a]
            for c in range(child_from[a], child_from[a + 1]):
                state = child_state[c]
                product = times(tag, around, child[s, side, symbol[state]])
                out[i, state, j] = plus(tag, out[i, state, j], product)
                child_count[s, side, symbol[state]] += weight * real(
                    tag, times(tag, product, chart[i, state, j])
                )


@inlined
def _trailed_cell_outside(
    tag: Any,
    operand_symbol: Any,
    operand_side: Any,
    step: Any,
    chart: Any,
    out: Any,
    step_count: Any,
    weight: Any,
    operand: Any,
    trailed: Any,
    i: Any,
    j: Any,
) -> None:
    """TRAILED(i,j) takes OPERAND(i,j-1) and TRAILED(i,j-1)."""
    none = zero(tag)
    for a in range(len(operand_symbol)):
        around = out[i, trailed + a, j]
        if around != none and chart[i, trailed + a, j] != none:
            s, mark = operand_symbol[a], A if operand_side[a] == LEFT else B
            product = times(tag, around, step[s, j - 1, mark, WORD])
            out[i, operand + a, j - 1] = plus(tag, out[i, operand + a, j - 1], product)
            step_count[s, j - 1, mark, WORD] += weight * real(
                tag, times(tag, product, chart[i, operand + a, j - 1])
            )
            product = times(tag, around, step[s, j - 1, WORD, WORD])
            out[i, trailed + a, j - 1] = plus(tag, out[i, trailed + a, j - 1], product)
            step_count[s, j - 1, WORD, WORD] += weight * real(
                tag, times(tag, product, chart[i, trailed + a, j - 1])
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
        product = times(tag, around, step[s, i, EDGE, WORD])
        step_count[s, i, EDGE, WORD] += weight * real(tag, times(tag, product, leading))
        product = plus(tag, product, out[i, left, j])
        out[i, left, j] = product
        for at in range(3):
            item = left if at == 0 else tail + at - 1
            to = WORD if at == 0 else (A if at == 1 else B)
            below = times(tag, product, step[s, i + 1, WORD, to])
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
                product = times(tag, plus(tag, unled, after_words), step[s, j, second, EDGE])
                out[i, core + c, j] = plus(tag, out[i, core + c, j], product)
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
                product = times(tag, plus(tag, unled, after_words), ends_in_word)
                product = plus(tag, product, out[i, right + c, j])
                # RIGHT(i,j) takes CORE(i,j-1) and RIGHT(i,j-1)
                below = times(tag, product, step[s, j - 1, second, WORD])
                out[i, core + c, j - 1] = plus(tag, out[i, core + c, j - 1], below)
                step_count[s, j - 1, second, WORD] += weight * real(
                    tag, times(tag, below, chart[i, core + c, j - 1])
                )
                below = times(tag, product, step[s, j - 1, WORD, WORD])
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
    # By how much the expected number of leaves with words on both sides of boundary t exceeds that at t - 1.
    more = np.zeros(n + 2)
    at_word = np.full(n, none)  # ⊕ of the numbers anchored on each word
    used = np.zeros(n)  # how often one of them is used
    for k in range(len(anchors)):
        at_word[anchors[k]] = plus(tag, at_word[anchors[k]], number[k])
    for state in range(len(symbol)):
        s, k = symbol[state], quantity[state]
        if s < FIRST_LEAF:
            continue
        more[:] = 0.0
        for i in range(n):
            total = none
            for j in range(i + 1, n + 1):
                total = plus(tag, total, at_word[j - 1])
                value = chart[i, state, j]
                if value == none or out[i, state, j] == none:
                    continue
                p = weight * real(tag, times(tag, value, out[i, state, j]))
                step_count[s, i, EDGE, WORD] += p
                step_count[s, j, WORD, EDGE] += p
                more[i + 1] += p
                more[j] -= p
                if s == CON and k >= 0:
                    number_count[k] += p
                elif s == CON:
                    for t in range(i, j):
                        if at_word[t] != none:
                            used[t] += p * real(tag, divide(tag, at_word[t], total))
        running = 0.0
        for t in range(1, n):
            running += more[t]
            if step[s, t, WORD, WORD] != none:  # else the sum is zero up to rounding
                step_count[s, t, WORD, WORD] += running
    for k in range(len(anchors)):
        if number[k] != none:
            number_count[k] += used[anchors[k]] * real(tag, divide(tag, number[k], at_word[anchors[k]]))


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
                    out[i, item, j] = plus(tag, out[i, item, j], times(tag, product, silent_score))
                    product = times(tag, product, with_words)
                    total = plus(tag, total, product)
                    prob = weight * real(tag, times(tag, product, silent_score))
                    step_count[j, last, EDGE] += prob
                    used += prob
                out[n, silent_item, n] = plus(tag, out[n, silent_item, n], total)
                pattern_count[own] += used


@inner
def _pair_outside(
    tag: Any, chart: Any, out: Any, product: Any, item: Any, i: Any, j: Any, silent_item: Any, n: Any
) -> Any:
    """Pass the outside score of a pair on to its item over (i,j) and its silent operand over (n,n).

    Return the probability of the pair.
    """
    with_words, silent_score = chart[i, item, j], chart[n, silent_item, n]
    out[i, item, j] = plus(tag, out[i, item, j], times(tag, product, silent_score))
    out[n, silent_item, n] = plus(tag, out[n, silent_item, n], times(tag, product, with_words))
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
    out[n, left, n] = plus(tag, out[n, left, n], times(tag, product, chart[n, right, n]))
    out[n, right, n] = plus(tag, out[n, right, n], times(tag, product, chart[n, left, n]))
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
                out[i, plain_at, j] = plus(tag, out[i, plain_at, j], product)
                step_count[s, j, bare, EDGE] += weight * real(tag, times(tag, product, plain))
            if after != zero(tag):
                product = times(tag, step[s, j, WORD, EDGE], behind)
                out[i, trailed_at, j] = plus(tag, out[i, trailed_at, j], product)
                step_count[s, j, WORD, EDGE] += weight * real(tag, times(tag, product, after))
            x = times(tag, plain, step[s, j, bare, EDGE])
            x = plus(tag, x, times(tag, after, step[s, j, WORD, EDGE]))
            push_one(tag, out, operand + aside, j, x, cut + c, i, start, stop)
    for c in range(len(cut_operand)):
        around, s = out[i, cut_trailed + c, j], operand_symbol[cut_operand[c]]
        if around == zero(tag) or chart[i, cut_trailed + c, j] == zero(tag):
            continue
        for kind in range(2):
            item, last = (cut_trailed + c, WORD) if kind else (cut + c, EDGE)
            product = times(tag, around, step[s, j - 1, last, WORD])
            out[i, item, j - 1] = plus(tag, out[i, item, j - 1], product)
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
                    out[0, head, k] = plus(tag, out[0, head, k], times(tag, product, y))
                    out[k, rest, n] = plus(tag, out[k, rest, n], times(tag, product, x))
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
            out[0, item, j - 1] = plus(tag, out[0, item, j - 1], product)
            step_count[j - 1, last, WORD] += weight * real(tag, times(tag, product, chart[0, item, j - 1]))
    for i in range(n):
        for j in range(i + 2, n + 1):
            around = out[i, led, j]
            if around == zero(tag) or chart[i, led, j] == zero(tag):
                continue
            for kind in range(2):
                item, first = (led, WORD) if kind else (operand, mark)
                product = times(tag, around, step[i + 1, WORD, first])
                out[i + 1, item, j] = plus(tag, out[i + 1, item, j], product)
                step_count[i + 1, WORD, first] += weight * real(
                    tag, times(tag, product, chart[i + 1, item, j])
                )

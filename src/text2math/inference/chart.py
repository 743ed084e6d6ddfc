"""Filling charts, and the compiled kernel for the partitions of many problems at once.

``layout.py`` says how everything is laid out, ``inside.py`` holds the recurrence; ``expectations.py`` goes
back from the filled charts to expected counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from text2math.inference.inside import inside
from text2math.inference.layout import (
    FIRST_LEAF,
    OPERANDS,
    forest_parts,
    item_offsets,
    potential_parts,
)
from text2math.inference.potentials import EDGE, SYMBOL_COUNT, WORD
from text2math.inference.semiring import (
    LARGEST,
    LARGEST_FACTOR,
    SMALLEST,
    SMALLEST_FACTOR,
    allocating,
    as_log,
    certified,
    inner,
    kernel,
)
from text2math.inference.work_queue import take_number

LOG_SMALLEST, LOG_LARGEST = math.log(SMALLEST_FACTOR), math.log(LARGEST_FACTOR)


# Linear space is tried first; the caller repeats in log space what does not fit.


@kernel
def to_linear(forest: Any, flat: Any, n: Any, linear: Any, baseline: Any, raised: Any) -> Any:
    """Potentials as factors, divided by a baseline for each word; False if one is out of bounds.

    The baseline of a word is its highest score plus ``raised``. The words of a span always add up to the same
    baseline, so it cancels in every sum over splits.
    """
    symbol = forest_parts(forest)[0]
    used = np.zeros(SYMBOL_COUNT, dtype=np.bool_)
    for state in range(len(symbol)):
        used[symbol[state]] = True
    step, pattern, child, root, number = potential_parts(flat, n)
    factor, patterns, children, roots, numbers = potential_parts(linear, n)
    for i in range(n):
        top = -np.inf
        for s in range(SYMBOL_COUNT):
            if used[s]:
                top = max(top, max(step[s, i, WORD, WORD], step[s, i, EDGE, WORD]))
        baseline[i] = (top if top > -np.inf else 0.0) + raised
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
    for s in range(FIRST_LEAF):
        if used[s]:
            fits &= _exponentials(pattern[s], patterns[s])
            for side in range(2):
                fits &= _exponentials(child[s, side], children[s, side])
    fits &= _exponentials(root, roots)
    fits &= _exponentials(number, numbers)
    return fits


@inner
def _exponentials(scores: Any, factors: Any) -> Any:
    """Write the factors of some scores; False if one is out of bounds."""
    fits = True
    for at in range(len(scores)):
        x = scores[at]
        factors[at] = math.exp(x)
        fits &= x == -np.inf or LOG_SMALLEST <= x <= LOG_LARGEST
    return fits


@kernel
def growth(chart: Any, n: Any) -> Any:
    """How much to raise the baseline of each word for a linear chart that went out of bounds.

    Values grow or shrink exponentially with the length of the span, so the longest spans whose values are all
    in bounds give the rate. Raised by it, values are centred on one (on a log scale).
    """
    least, most = np.full(n + 1, np.inf), np.zeros(n + 1)
    for i in range(n):
        for t in range(chart.shape[1]):
            for j in range(i + 1, n + 1):
                x = chart[i, t, j]
                if x != 0.0:
                    least[j - i] = min(least[j - i], x)
                    most[j - i] = max(most[j - i], x)
    rate = 0.0
    for length in range(1, n + 1):
        if most[length] > 0.0:
            if least[length] < SMALLEST or most[length] > LARGEST:
                break
            rate = (math.log(least[length]) + math.log(most[length])) / (2 * length)
    return rate


@allocating
def filled(
    tag: Any,
    forest: Any,
    flat: Any,
    anchors: Any,
    n: Any,
    chart: Any,
    ranges: Any,
    spaces: Any,
    larger: Any,
) -> Any:
    """Fill a chart; return the values it was filled from, their baseline, the total, and whether it is exact.

    A linear chart that goes out of bounds is filled once more, with a better baseline.
    """
    values, shift, exact = values_of(tag, forest, flat, n, spaces, 0.0)
    total = inside(tag, forest, values, anchors, n, chart, ranges, larger)
    if exact and not certified(tag, chart, n):
        values, shift, exact = values_of(tag, forest, flat, n, spaces, growth(chart, n))
        total = inside(tag, forest, values, anchors, n, chart, ranges, larger)
        exact &= certified(tag, chart, n)
    return values, shift, total, exact


@kernel
def partitions(
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
    result: Any,
    fits: Any,
) -> None:
    """Fill ``result[problem, f]`` with the log partition under each of its forests ``forest_of[problem, f]``.

    The problems are those that this call takes from ``queue``; threads may share one. In linear space,
    ``fits[problem]`` says whether the results are exact. ``larger`` is as in ``inside``.
    """
    problems, taken = queue
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    range_space = np.empty(most_operands * (longest + 1) * 2, dtype=np.int32)
    linear_space = np.empty(longest_flat(problems, flat_from))
    baseline = np.empty(longest + 1)
    for _ in range(len(problems)):
        at = take_number(taken)
        if at >= len(problems):
            break
        p = problems[at]
        n = np.int64(words[p])
        here = flat[flat_from[p] : flat_from[p + 1]]
        spots = anchors[anchors_from[p] : anchors_from[p + 1]]
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            chart, ranges = views(forest, n, chart_space, range_space)
            spaces = linear_space, baseline
            _, shift, total, exact = filled(tag, forest, here, spots, n, chart, ranges, spaces, larger)
            fits[p] &= exact
            result[p, f] = as_log(tag, total) + shift


@inner
def workspace(problems: Any, words: Any, forests: Any, forest_from: Any, forest_of: Any) -> Any:
    """The maximum numbers of words, items and operands, to allocate memory for."""
    longest: Any = 0
    most_items: Any = 0
    most_operands: Any = 0
    for at in range(len(problems)):
        p = problems[at]
        longest = max(longest, np.int64(words[p]))
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            most_items = max(most_items, item_offsets(forest)[-1])
            most_operands = max(most_operands, np.int64(forest[OPERANDS]))
    return longest, most_items, most_operands


@inner
def longest_flat(problems: Any, flat_from: Any) -> Any:
    """The maximum number of potentials of a problem."""
    longest: Any = 0
    for at in range(len(problems)):
        longest = max(longest, flat_from[problems[at] + 1] - flat_from[problems[at]])
    return longest


@allocating
def views(forest: Any, n: Any, chart_space: Any, range_space: Any) -> Any:
    """The part of the workspace one chart needs."""
    items, operands = item_offsets(forest)[-1], np.int64(forest[OPERANDS])
    chart = chart_space[: items * (n + 1) * (n + 1)].reshape((n + 1, items, n + 1))
    return chart, range_space[: operands * (n + 1) * 2].reshape((operands, n + 1, 2))


def values_of(tag: Any, forest: Any, flat: Any, n: Any, spaces: Any, raised: Any) -> Any:
    """The potentials in this tag's arithmetic, their total baseline, and whether they are in bounds."""
    raise NameError("for compiled code only")


@overload(values_of, strict=False)
def _values_of(tag: Any, forest: Any, flat: Any, n: Any, spaces: Any, raised: Any) -> Any:
    def factors(tag: Any, forest: Any, flat: Any, n: Any, spaces: Any, raised: Any) -> Any:
        space, baseline = spaces
        values = space[: len(flat)]
        fits = to_linear(forest, flat, n, values, baseline, raised)
        return values, baseline[:n].sum(), fits

    def as_they_are(tag: Any, forest: Any, flat: Any, n: Any, spaces: Any, raised: Any) -> Any:
        return flat, 0.0, True

    return factors if tag == types.uint8 else as_they_are


@kernel
def in_bounds(tag: Any, chart: Any, n: Any) -> Any:
    """Whether a chart's arithmetic was exact enough."""
    return certified(tag, chart, n)

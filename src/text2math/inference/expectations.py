"""The compiled kernel for the expected counts of many problems at once, which parsing does not need."""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.chart import filled, longest_flat, views, workspace
from text2math.inference.outside import outside
from text2math.inference.semiring import as_log, kernel, zero
from text2math.inference.work_queue import take_number


@kernel
def expectations(
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
    weights: Any,
    result: Any,
    fits: Any,
    counts: Any,
) -> None:
    """As ``partitions``; also set ``counts`` to the expected counts, each forest's times its weight.

    An empty forest (partition zero) adds no counts.
    """
    problems, taken = queue
    longest, most_items, most_operands = workspace(problems, words, forests, forest_from, forest_of)
    chart_space = np.empty(most_items * (longest + 1) * (longest + 1))
    out_space = np.empty(most_items * (longest + 1) * (longest + 1))
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
        count = counts[flat_from[p] : flat_from[p + 1]]
        count[:] = 0.0
        for f in range(forest_of.shape[1]):
            forest = forests[forest_from[forest_of[p, f]] : forest_from[forest_of[p, f] + 1]]
            chart, ranges = views(forest, n, chart_space, range_space)
            out = out_space[: chart.size].reshape(chart.shape)
            spaces = linear_space, baseline
            values, shift, total, exact = filled(tag, forest, here, spots, n, chart, ranges, spaces, larger)
            fits[p] &= exact
            result[p, f] = as_log(tag, total) + shift
            if fits[p] and total != zero(tag):
                outside(tag, forest, values, spots, n, chart, ranges, total, out, count, weights[f], larger)

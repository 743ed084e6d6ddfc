"""Figures and differences as docs/reproduction.md gives them, from the results.

A result is named as ``text2math compare`` names it: ``il/paper/paper``, or ``equations/paper/paper:unnamed``.
"""

from __future__ import annotations

from text2math.evaluation.significance import (
    ACCURACY,
    Comparison,
    Published,
    Verdicts,
    compare,
    compare_published,
    named_metric,
)
from text2math.evaluation.tables import Results, spread_of

NONE = "–"  # has not been run


def figure(found: Results, name: str) -> str:
    """An accuracy in percent, with its spread over seeds.

    >>> figure({"il/paper/paper": {"accuracy": 66.52}}, "il/paper/paper")
    '66.5'
    """
    key, metric = named_metric(name)
    one = found.get(key)
    if one is None:
        return NONE
    value = one["accuracy"] if metric == ACCURACY else one["metrics"][metric]
    spread = spread_of(one) if metric == ACCURACY else None
    return f"{value:.1f}" + ("" if spread is None else f" ± {spread:.1f}")


def change(found: Results, before: str, after: str) -> str:
    """The difference between two results, in points, with its interval."""
    first, second = _verdicts(found, before), _verdicts(found, after)
    return NONE if first is None or second is None else _points(compare(first, second))


def from_published(found: Results, name: str, published: float | None) -> str:
    """The difference of a result from a published figure, in points, with its interval."""
    own = _verdicts(found, name)
    return NONE if published is None or own is None else _points(compare_published(own, published))


def is_reproduced(found: Results, name: str, published: float) -> bool | None:
    """Whether a published figure is within the interval of a result; None without a result."""
    own = _verdicts(found, name)
    if own is None:
        return None
    result = compare_published(own, published)
    return result.low <= 0 <= result.high


def _verdicts(found: Results, name: str) -> Verdicts | None:
    key, metric = named_metric(name)
    return Verdicts.of(found[key], key, metric) if found.get(key, {}).get("wrong") else None


def _points(result: Comparison | Published) -> str:
    """A difference with its interval.

    >>> _points(compare(Verdicts(100, (("1",),)), Verdicts(100, (("1",),))))
    '+0.0 (+0.0 to +0.0)'
    """
    text = f"{result.difference:+.1f} ({result.low:+.1f} to {result.high:+.1f})"
    return text.replace("-", "−")

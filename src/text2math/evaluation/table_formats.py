"""The paper's tables, with our figures beside its own, as CSV and as LaTeX.

>>> from text2math.evaluation.paper import choose_rows
>>> print(to_csv({}, choose_rows(["ai2/no-pos"])), end="")
table,system,dataset,variant,paper,ours_paper,ours_honest
arithmetic,- pos,ai2,no-pos,86.0,,
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from text2math.evaluation.crossvalidation import PROTOCOLS
from text2math.evaluation.paper import Row

_SPECIAL = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$"}


def to_csv(found: Mapping[str, Mapping[str, Any]], rows: Sequence[Row]) -> str:
    """A line for each row; a figure that was not found is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ("table", "system", "dataset", "variant", "paper", *(f"ours_{name}" for name in PROTOCOLS))
    )
    for row in rows:
        writer.writerow((row.table, row.system, row.dataset, row.variant, *_figures(row, found)))
    return out.getvalue()


def to_latex(found: Mapping[str, Mapping[str, Any]], rows: Sequence[Row]) -> str:
    r"""A ``tabular`` for each table, for a document that uses booktabs.

    >>> from text2math.evaluation.paper import choose_rows
    >>> print(to_latex({"ai2/no-pos/honest": {"accuracy": 81.25}}, choose_rows(["ai2/no-pos"])))
    % arithmetic
    \begin{tabular}{llrrr}
    \toprule
    system & data & paper & ours, paper & ours, honest \\
    \midrule
    - pos & ai2 & 86.0 & -- & 81.2 \\
    \bottomrule
    \end{tabular}
    """
    tables = dict.fromkeys(row.table for row in rows)
    return "\n\n".join("\n".join(_tabular(name, found, rows)) for name in tables)


def _tabular(table: str, found: Mapping[str, Mapping[str, Any]], rows: Sequence[Row]) -> Iterator[str]:
    heads = ["system", "data", "paper", *(f"ours, {name}" for name in PROTOCOLS)]
    yield f"% {table}"
    yield rf"\begin{{tabular}}{{ll{'r' * (len(heads) - 2)}}}"
    yield r"\toprule"
    yield _cells(heads)
    yield r"\midrule"
    for row in rows:
        if row.table == table:
            yield _cells([row.system, row.dataset, *(figure or "--" for figure in _figures(row, found))])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _cells(texts: Sequence[str]) -> str:
    escaped = ("".join(_SPECIAL.get(character, character) for character in text) for text in texts)
    return " & ".join(escaped) + r" \\"


def _figures(row: Row, found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The paper's figure and ours under each protocol; empty where there is none."""
    ours = [
        found.get(f"{row.key}/{protocol}") if protocol in row.protocols else None for protocol in PROTOCOLS
    ]
    return [
        "" if row.paper is None else f"{row.paper:.1f}",
        *("" if one is None else f"{one['accuracy']:.1f}" for one in ours),
    ]

"""The paper's tables: its figures, and our variant of each row.

Two protocols stand side by side and never mix: ``honest`` sees the text alone, ``paper`` is told which
numbers the gold uses, as the paper's main rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from text2math.evaluation.crossvalidation import PROTOCOLS, Protocol
from text2math.evaluation.variants import WINDOWS

# The contextual scorer, by what it trains on.
ENCODERS = {
    "encoder": "same folds only",
    "encoder-discrete": "same folds only, discrete scores added",
    "encoder-pool": "stories, then the folds and the other data sets, without what appears in the test fold",
    "stories-only": "stories alone",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of one of the paper's tables: a system, a data set, the paper's figure, and our variant of it."""

    table: str
    system: str
    dataset: str
    paper: float | None  # None: not in the paper
    variant: str = ""  # empty: a system that is quoted, not run
    protocols: tuple[Protocol, ...] = PROTOCOLS

    @property
    def key(self) -> str:
        """What ``--only`` names: ``ai2/no-pos`` or, for quoted rows, ``ai2/quoted``."""
        return f"{self.dataset}/{self.variant or 'quoted'}"

    @property
    def neural(self) -> bool:
        """Whether it takes torch to run."""
        return self.variant in WINDOWS or self.variant in ENCODERS


def _quoted(table: str, systems: Sequence[tuple[str, dict[str, float]]]) -> tuple[Row, ...]:
    return tuple(
        Row(table, name, dataset, figure) for name, figures in systems for dataset, figure in figures.items()
    )


def _ours(table: str, systems: Sequence[tuple[str, str, dict[str, float]]]) -> tuple[Row, ...]:
    return tuple(
        Row(table, name, dataset, figure, variant)
        for name, variant, figures in systems
        for dataset, figure in figures.items()
    )


ARITHMETIC, EQUATIONS, CONSTRUCTIONS, OPTIONS = "arithmetic", "equations", "constructions", "options"
ENCODER = "encoder"


def _neural(table: str, dataset: str, figures: Sequence[float]) -> tuple[Row, ...]:
    return tuple(
        Row(table, f"neural, L = {reach}", dataset, figure, f"window-{reach}", ("paper",))
        for reach, figure in enumerate(figures)
    )


ROWS: tuple[Row, ...] = (
    *_quoted(
        ARITHMETIC,
        (
            ("Liang 2018, statistical", {"ai2": 81.5, "il": 81.0}),
            ("Liang 2018, DNN", {"ai2": 69.8, "il": 70.6}),
            ("Roy 2017", {"ai2": 76.2, "il": 71.0}),
            ("Roy 2015", {"ai2": 78.0, "il": 73.9}),
            ("Koncel-Kedziorski 2015", {"ai2": 52.4, "il": 72.9}),
            ("Kushman 2014", {"ai2": 64.0, "il": 73.7}),
            ("Hosseini 2014", {"ai2": 77.7}),
        ),
    ),
    *_ours(
        ARITHMETIC,
        (
            ("Text2Math", "full", {"ai2": 85.8, "il": 80.4}),
            ("- pos", "no-pos", {"ai2": 86.0, "il": 81.0}),
            ("- lex", "no-lexicon", {"ai2": 76.8, "il": 69.4}),
        ),
    ),
    # Without relevance both protocols see the same.
    Row(ARITHMETIC, "- id", "ai2", 75.4, "no-relevance", ("honest",)),
    Row(ARITHMETIC, "- id", "il", 78.1, "no-relevance", ("honest",)),
    *_neural(ARITHMETIC, "ai2", (84.8, 84.5, 85.5, 86.2, 85.5, 85.2, 86.5)),
    *_neural(ARITHMETIC, "il", (79.7, 80.3, 80.3, 80.9, 80.0, 81.4, 81.0)),
    *_quoted(
        EQUATIONS,
        (
            ("Roy 2016, pipeline", {"equations": 71.3}),
            ("Roy 2016, joint", {"equations": 60.9}),
            ("SPF", {"equations": 3.1}),
        ),
    ),
    Row(EQUATIONS, "Text2Math", "equations", 71.4, "full", ("honest",)),
    Row(EQUATIONS, "- pos", "equations", 69.1, "no-pos", ("honest",)),
    Row(EQUATIONS, "- lex", "equations", 71.4, "no-lexicon", ("honest",)),
    Row(EQUATIONS, "+ g", "equations", 73.2, "full", ("paper",)),
    Row(EQUATIONS, "+ g - lex", "equations", 73.2, "no-lexicon", ("paper",)),
    *_neural(EQUATIONS, "equations", (71.4, 71.9, 73.8, 73.5, 74.5, 74.0, 73.2)),
    *_ours(
        CONSTRUCTIONS,
        (
            ("Text2Math", "full", {"ai2": 85.8, "il": 80.4}),
            ("prefix X", "prefix-x", {"ai2": 84.3, "il": 81.0}),
            ("suffix X", "suffix-x", {"ai2": 84.3, "il": 81.2}),
            ("+ inverse", "inverse", {"ai2": 86.3, "il": 80.1}),
            ("prefix X + inverse", "prefix-x+inverse", {"ai2": 84.0, "il": 79.9}),
            ("suffix X + inverse", "suffix-x+inverse", {"ai2": 84.0, "il": 80.5}),
        ),
    ),
    *(
        Row(OPTIONS, name, dataset, None, variant, ("honest",))
        for name, variant in (
            ("without reranking", "no-reranking"),
            ("all equivalent trees", "equivalent-trees"),
        )
        for dataset in ("ai2", "il", "equations")
    ),
    # Equations have it unless told otherwise.
    Row(OPTIONS, "number identifier as a feature", "ai2", None, "identifier", ("honest",)),
    Row(OPTIONS, "number identifier as a feature", "il", None, "identifier", ("honest",)),
    Row(OPTIONS, "without the number identifier", "equations", None, "no-identifier", ("honest",)),
    Row(OPTIONS, "from answers alone", "ai2", None, "answers", ("honest",)),
    Row(OPTIONS, "from answers alone", "il", None, "answers", ("honest",)),
    *(
        Row(ENCODER, about, dataset, None, variant, ("honest",))
        for variant, about in ENCODERS.items()
        for dataset in ("ai2", "il", "equations")
    ),
)


def choose_rows(only: Sequence[str]) -> tuple[Row, ...]:
    """The rows whose table, data set, variant or key is named; all without a name.

    >>> [row.system for row in choose_rows(["ai2/no-pos"])]
    ['- pos']
    """
    known = {name for row in ROWS for name in (row.table, row.dataset, row.variant, row.key)} - {""}
    for name in only:
        if name not in known:
            raise ValueError(f"{name!r} names no row; there are {', '.join(sorted(known))}")
    wanted = set(only)
    return tuple(row for row in ROWS if not wanted or wanted & {row.table, row.dataset, row.variant, row.key})

"""The paper's tables: its figures, and our variant of each row.

Two protocols stand side by side and never mix: ``honest`` sees the text alone, ``paper`` is told which
numbers the gold uses, as the paper's main rows are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2math.evaluation.crossvalidation import PROTOCOLS, Protocol
from text2math.evaluation.variants import PAPER, PREDICTED, RULES, has_window

# Run by experiments/pipeline.py, and shown with the rest.
PIPELINE = "pipeline"
# The contextual scorer, by what it trains on.
ENCODERS = {
    "encoder": "same folds only",
    "encoder-discrete": "same folds only, discrete scores added",
    "encoder-pool": "stories, then the folds and the other data sets, without what appears in the test fold",
    "stories-only": "stories alone",
}

# The data sets of systems of equations, read with the larger grammar, and which of their folds are test sets.
SYSTEM_SETS = {"alg514": (0, 1, 2, 3, 4), "draw": (0,), "dolphin1878": (1,)}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of one of the paper's tables: a system, a data set, the paper's figure, and our variant of it."""

    table: str
    system: str
    dataset: str
    paper: float | None  # None: not in the paper
    variant: str = ""  # empty: a system that is quoted, not run
    protocols: tuple[Protocol, ...] = PROTOCOLS
    beside: str = ""  # a variant of the full model that the same change makes, shown next to it

    @property
    def key(self) -> str:
        """What ``--only`` names: ``ai2/no-pos`` or, for quoted rows, ``ai2/quoted``."""
        return f"{self.dataset}/{self.variant or 'quoted'}"

    @property
    def neural(self) -> bool:
        """Whether it takes torch to run."""
        return needs_torch(self.variant)


def needs_torch(variant: str) -> bool:
    """Whether a variant has a network.

    >>> needs_torch("paper+window-3"), needs_torch("paper")
    (True, False)
    """
    return has_window(variant) or variant in ENCODERS


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
ENCODER, OWN, GROUPS, COMPETITOR = "encoder", "configuration", "groups", "competitor"
SYSTEMS = "systems"


def _neural(table: str, dataset: str, figures: Sequence[float]) -> Iterator[Row]:
    """The window network on fixed discrete weights, as the paper trains it, and jointly with them."""
    for reach, figure in enumerate(figures):
        name = f"{PAPER}+window-{reach}"
        yield Row(table, f"neural, L = {reach}", dataset, figure, name, ("paper",))
        yield Row(table, f"neural, L = {reach}, joint", dataset, None, f"{name}+joint", ("paper",))


# What the paper changes about its own configuration: the change, and the figures for AI2 and IL.
_CHANGES = (
    ("- pos", "no-pos", (86.0, 81.0)),
    ("- lex", "no-lexicon", (76.8, 69.4)),
    ("prefix X", "prefix-x", (84.3, 81.0)),
    ("suffix X", "suffix-x", (84.3, 81.2)),
    ("+ inverse", "inverse", (86.3, 80.1)),
    ("prefix X + inverse", "prefix-x+inverse", (84.0, 79.9)),
    ("suffix X + inverse", "suffix-x+inverse", (84.0, 80.5)),
)


def _own_arithmetic() -> Iterator[Row]:
    """The paper's own configuration and its ablations, on arithmetic."""
    for at, (dataset, figure, without) in enumerate((("ai2", 85.8, 75.4), ("il", 80.4, 78.1))):
        yield Row(OWN, "Text2Math", dataset, figure, PAPER, ("paper",), "full")
        yield Row(OWN, "Text2Math, with the published rules", dataset, figure, RULES, PROTOCOLS, "full")
        # Without the feature that tells the relevant numbers, the two protocols are the same.
        yield Row(OWN, "- id", dataset, without, PAPER, ("honest",), "no-relevance")
        for name, change, figures in _CHANGES:
            yield Row(OWN, name, dataset, figures[at], f"{PAPER}+{change}", PROTOCOLS, change)
            ruled = f"{name}, with the published rules"
            yield Row(OWN, ruled, dataset, figures[at], f"{RULES}+{change}", PROTOCOLS, change)


def _own_equations() -> Iterator[Row]:
    for name, figure, change, protocol in (
        ("Text2Math", 71.4, PREDICTED, "honest"),
        ("Text2Math, nothing about its numbers", None, "", "honest"),
        ("- pos", 69.1, "no-pos", "honest"),
        ("- lex", 71.4, "no-lexicon", "honest"),
        ("+ g", 73.2, "", "paper"),
        ("+ g - lex", 73.2, "no-lexicon", "paper"),
    ):
        variant = f"{PAPER}+{change}" if change else PAPER
        told: Protocol = "paper" if protocol == "paper" else "honest"
        beside = "full" if change in ("", PREDICTED) else change
        yield Row(OWN, name, "equations", figure, variant, (told,), beside)


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
    *_own_arithmetic(),
    *_own_equations(),
    *(
        Row(GROUPS, name, dataset, None, f"{PAPER}+{change}", ("paper",), change)
        for name, change in (("- words", "no-words"), ("- bigrams", "no-bigrams"))
        for dataset in ("ai2", "il", "equations")
    ),
    *(Row(COMPETITOR, "pipeline of local classifiers", dataset, None, PIPELINE) for dataset in ("ai2", "il")),
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
    # Answers right, of all problems of the test folds; what can't be mapped counts as wrong.
    *_quoted(
        SYSTEMS,
        (
            ("Kushman 2014", {"alg514": 68.7}),
            ("Zhou 2015", {"alg514": 79.7}),
            ("Upadhyay 2016", {"alg514": 83.0}),
            ("EPT 2020", {"alg514": 81.3, "draw": 59.5}),
            ("EPT, second paper", {"draw": 63.5}),
            ("Shi 2015, recall at a precision of 95.4", {"dolphin1878": 60.2}),
        ),
    ),
    *(
        Row(SYSTEMS, ENCODERS[variant], dataset, None, variant, ("honest",))
        for variant in ("encoder", "encoder-pool")
        for dataset in SYSTEM_SETS
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

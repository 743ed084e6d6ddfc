"""Experiments: the paper's variants as configuration, cross-validation of each, the paper's tables with ours.

Two protocols stand side by side and never mix: ``honest`` sees the text alone, ``paper`` is told which
numbers the gold uses, as the paper's main rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from text2math.data.dataset import Dataset
from text2math.evaluation.metrics import Prediction, Question, Report, cross_validate, relevant_quantities
from text2math.inference.potentials import UNKNOWNS
from text2math.inference.tree import TextMathTree
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example, Problem
from text2math.model.model import Model, ModelConfig, Relevant, fit
from text2math.scorers.relevance import NumberIdentifier

Protocol = Literal["honest", "paper"]
PROTOCOLS: tuple[Protocol, ...] = ("paper", "honest")
Change = Callable[[ModelConfig], ModelConfig]


def _no_pos(config: ModelConfig) -> ModelConfig:
    return replace(config, features=config.features.without("pos", "bigram-pos"))


def _no_lexicon(config: ModelConfig) -> ModelConfig:
    return replace(config, features=replace(config.features, lexicon=Lexicon()))


def _no_relevance(config: ModelConfig) -> ModelConfig:
    """Nothing about the use of numbers: neither what is given nor what could be learned about it."""
    features = replace(config.features, given=False, forbid=False, numbers=())
    plausibility = config.plausibility and config.plausibility.without("numbers-used", "use-of-numbers")
    return replace(config, features=features, plausibility=plausibility)


def _unknown(where: str) -> Change:
    return lambda config: replace(config, targets=replace(config.targets, unknown=where))


def _inverse(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, inverse=True))


def _no_reranking(config: ModelConfig) -> ModelConfig:
    return replace(config, plausibility=None)


def _equivalent_trees(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, equivalent=True))


def _answers(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, answers=True))


def _identifier(config: ModelConfig) -> ModelConfig:
    return replace(config, identify=True)


def _no_identifier(config: ModelConfig) -> ModelConfig:
    return replace(config, identify=False)


# Each is what it changes; "a+b" applies both.
VARIANTS: dict[str, Change] = {
    "full": lambda config: config,
    "no-pos": _no_pos,
    "no-lexicon": _no_lexicon,
    "no-relevance": _no_relevance,
    "prefix-x": _unknown("prefix"),
    "suffix-x": _unknown("suffix"),
    "inverse": _inverse,
    "no-reranking": _no_reranking,
    "equivalent-trees": _equivalent_trees,
    "answers": _answers,
    "identifier": _identifier,
    "no-identifier": _no_identifier,
}

# The paper's neural features, on top of the discrete model: how many words on either side they see.
WINDOWS = {f"window-{reach}": reach for reach in range(7)}
VARIANTS |= dict.fromkeys(WINDOWS, VARIANTS["full"])
WINDOW_SEEDS = 3

# The contextual scorer, by what it trains on.
ENCODERS = {
    "encoder": "same folds only",
    "encoder-discrete": "same folds only, discrete scores added",
    "encoder-pool": "stories, then the folds and the other data sets, less what stands in the test fold",
    "stories-only": "stories alone",
}


def variant_config(variant: str, protocol: Protocol, base: ModelConfig | None = None) -> ModelConfig:
    """The configuration of a variant such as ``full``, ``no-pos`` or ``prefix-x+inverse``.

    >>> variant_config("prefix-x+inverse", "honest").targets.unknown
    'prefix'
    """
    config = base or ModelConfig()
    if protocol == "paper":
        config = replace(config, features=replace(config.features, forbid=True))
    for name in variant.split("+"):
        if name not in VARIANTS:
            raise ValueError(f"variant {name!r} is unknown; there are {', '.join(VARIANTS)}")
        config = VARIANTS[name](config)
    return config


@dataclass(frozen=True, slots=True)
class FoldConfig:
    """What the process of one fold needs: the model's configuration, and which examples are of one kind."""

    model: ModelConfig
    groups: Mapping[str, int]


def run_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: FoldConfig
) -> list[Prediction]:
    """Train on examples and answer questions, under the protocol the questions come with."""
    told = any(question.relevant is not None for question in questions)
    relevants = [gold_relevance(example) for example in train] if told else None
    model = fit(train, config.model, relevants=relevants, groups=config.groups)
    return [predict(model, question) for question in questions]


def predict(model: Model, question: Question) -> Prediction:
    """A model's prediction for a question, as its protocol asks it."""
    count = len(question.problem.quantities)
    relevant = None
    if question.relevant is not None:
        relevant = tuple(index in question.relevant for index in range(count))
    found = model.candidates(question.problem, relevant)
    if not found:
        return Prediction(None)
    return Prediction(found[0].expression, _groundings(question.problem, found[0].tree))


def _groundings(problem: Problem, tree: TextMathTree | None) -> tuple[tuple[str, int, int], ...]:
    """The characters that each unknown of a tree owns."""
    return tuple(
        (node.symbol.name, problem.tokens[node.span[0]].start, problem.tokens[node.span[1] - 1].end)
        for node in (tree.nodes() if tree is not None else ())
        if node.symbol in UNKNOWNS
    )


def gold_relevance(example: Example) -> Relevant:
    """Which numbers the gold uses: what the paper's protocol tells, in training too."""
    if example.expression is None:
        return None
    used = relevant_quantities(example.expression)
    return tuple(index in used for index in range(len(example.problem.quantities)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One cross-validation: accuracy in percent, by fold and in the mean, time and memory."""

    dataset: str
    variant: str
    protocol: Protocol
    folds: tuple[float, ...]
    problems: int
    seconds: float
    peak_mb: float | None
    report: Report
    seeds: tuple[tuple[float, ...], ...] = ()  # of a mean over seeds: the folds of each

    @property
    def accuracy(self) -> float:
        """The mean over the folds, as the paper reports it."""
        return sum(self.folds) / len(self.folds)

    def to_dict(self) -> dict[str, Any]:
        """What the command prints with ``--json``."""
        plain = {
            "dataset": self.dataset,
            "variant": self.variant,
            "protocol": self.protocol,
            "accuracy": round(self.accuracy, 2),
            "folds": [round(fold, 2) for fold in self.folds],
            "problems": self.problems,
            "seconds": round(self.seconds, 1),
            "peak_mb": None if self.peak_mb is None else round(self.peak_mb),
        }
        if self.seeds:
            plain["seeds"] = [[round(fold, 2) for fold in folds] for folds in self.seeds]
        return plain


def evaluate_variant(
    dataset: Dataset,
    variant: str = "full",
    protocol: Protocol = "honest",
    *,
    base: ModelConfig | None = None,
    seeds: int = WINDOW_SEEDS,
    workers: int | None = None,
    progress: bool = False,
) -> Outcome:
    """Cross-validate a variant. A problem that could not be mapped counts as wrong.

    What starts at random (a network) is run from some ``seeds``, and the mean is its figure.
    """
    if not dataset.folds:
        raise ValueError(f"{dataset.name} has no folds; say how many to make")
    config = variant_config(variant, protocol, base)
    if reach := _reach(variant):
        from text2math.neural.crossvalidation import evaluate_windows  # the extra [torch]

        windows = evaluate_windows(
            dataset,
            {variant: reach[0]},
            protocol,
            config,
            seeds=seeds,
            workers=workers,
            progress=progress,
        )
        return next(windows)
    # Each fold has a process of its own, so a single thread in each uses the machine best.
    config = replace(config, training=replace(config.training, threads=1))
    groups = {id: fold for fold, ids in enumerate(dataset.folds) for id in ids}
    report = cross_validate(
        [dataset.fold(index) for index in range(len(dataset.folds))],
        run_fold,
        FoldConfig(config, groups),
        protocol=protocol,
        workers=workers,
        progress=progress,
    )
    return outcome_of(dataset, variant, report)


def outcome_of(dataset: Dataset, variant: str, report: Report, seeds: int = 1) -> Outcome:
    """The figures of a cross-validation that ran over the folds once for each seed."""
    found = [
        100 * fold.tallies["accuracy"].correct / len(ids)
        for fold, ids in zip(report.folds, dataset.folds * seeds, strict=True)
    ]
    count = len(dataset.folds)
    by_seed = tuple(tuple(found[start : start + count]) for start in range(0, len(found), count))
    return Outcome(
        dataset=dataset.name,
        variant=variant,
        protocol=report.protocol,
        folds=tuple(sum(folds) / seeds for folds in zip(*by_seed, strict=True)),
        problems=sum(map(len, dataset.folds)),
        seconds=report.seconds,
        peak_mb=report.peak_mb,
        report=report,
        seeds=by_seed if seeds > 1 else (),
    )


def _reach(variant: str) -> list[int]:
    """How far the window reaches that a variant names, if it names one."""
    return [WINDOWS[name] for name in variant.split("+") if name in WINDOWS]


def mean_accuracy(dataset: Dataset, folds: Sequence[int], protocol: Protocol = "honest") -> float:
    """The mean accuracy over some of a data set's folds, in percent."""
    groups = {id: fold for fold, ids in enumerate(dataset.folds) for id in ids}
    report = cross_validate(
        [dataset.fold(index) for index in folds],
        run_fold,
        FoldConfig(variant_config("full", protocol), groups),
        protocol=protocol,
        workers=0,
    )
    return report.mean()


def identify_numbers(dataset: Dataset) -> tuple[float, ...]:
    """For each fold, the percentage of its problems whose used numbers are all predicted right.

    A problem that could not be mapped counts as wrong.
    """
    found = []
    for index, ids in enumerate(dataset.folds):
        train, test = dataset.fold(index)
        usable = [example for example in train if example.expression is not None]
        labels = [gold_relevance(example) or () for example in usable]
        identifier = NumberIdentifier.fit([example.problem for example in usable], labels)
        right = sum(identifier(example.problem) == gold_relevance(example) for example in test)
        found.append(100 * right / len(ids))
    return tuple(found)


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


def describe(config: ModelConfig) -> dict[str, Any]:
    """A configuration as plain data; of the lexicon only its size."""
    plain = asdict(replace(config, features=replace(config.features, lexicon=Lexicon())))
    plain["features"]["lexicon"] = f"{len(config.features.lexicon.cues)} cues"
    return plain

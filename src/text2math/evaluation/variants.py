"""The paper's variants as configuration, and the figures of their cross-validation.

>>> variant_config("prefix-x+inverse", "honest").targets.unknown
'prefix'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from text2math.data.dataset import Dataset
from text2math.evaluation.crossvalidation import FoldReport, Protocol, Report, rejudged
from text2math.evaluation.metrics import Prediction
from text2math.evaluation.rules import with_rules
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.scorers.features import FeatureConfig

Change = Callable[[ModelConfig], ModelConfig]


def _no_pos(config: ModelConfig) -> ModelConfig:
    return replace(config, features=config.features.without("pos", "bigram-pos"))


def _no_lexicon(config: ModelConfig) -> ModelConfig:
    return replace(config, features=replace(config.features, lexicon=Lexicon()))


def _no_relevance(config: ModelConfig) -> ModelConfig:
    """No features about the use of numbers, neither given nor learned."""
    features = replace(config.features, given=False, forbid=False, numbers=())
    reranker = config.reranker and config.reranker.without("numbers-used", "use-of-numbers")
    return replace(config, features=features, reranker=reranker)


def _unknown(where: str) -> Change:
    return lambda config: replace(config, targets=replace(config.targets, unknown=where))


def _inverse(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, inverse=True))


def _no_reranking(config: ModelConfig) -> ModelConfig:
    return replace(config, reranker=None)


def _equivalent_trees(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, equivalent=True))


def _answers(config: ModelConfig) -> ModelConfig:
    return replace(config, targets=replace(config.targets, answers=True))


def _identifier(config: ModelConfig) -> ModelConfig:
    return replace(config, identify=True)


def _no_identifier(config: ModelConfig) -> ModelConfig:
    return replace(config, identify=False)


def _no_bigrams(config: ModelConfig) -> ModelConfig:
    return replace(config, features=config.features.without("bigram", "bigram-lemma", "bigram-pos"))


def _no_words(config: ModelConfig) -> ModelConfig:
    return replace(config, features=config.features.without("word", "lemma"))


# Section 2.4 of the paper, and nothing else; patterns, parent and child always have weights. Relevance of
# numbers is a feature where the protocol tells it.
PAPER_FEATURES = FeatureConfig(
    words=("word", "pos", "lexicon"),
    pairs=("bigram",),
    whole=(),
    order=(),
    numbers=(),
    votes=False,
    given=True,
    forbid=False,
    scales=(),
    lexicon=Lexicon.signals(),
)
PAPER_L2, PAPER_L2_EQUATIONS, PAPER_STEPS = 0.02, 0.04, 100


def paper_config(dataset: str = "") -> ModelConfig:
    """The paper's own model, for a data set by name: equations have a penalty of their own.

    >>> paper_config("ai2").training.l2, paper_config("equations").training.l2
    (0.02, 0.04)
    """
    l2 = PAPER_L2_EQUATIONS if dataset == "equations" else PAPER_L2
    return ModelConfig(
        features=PAPER_FEATURES,
        training=TrainingConfig(l2=l2, steps=PAPER_STEPS, round_steps=PAPER_STEPS),
        reranker=None,
        candidates=1,  # the best text-math tree is the answer
        identify=False,
    )


# Each variant is the change it makes; "a+b" applies both.
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
    "no-bigrams": _no_bigrams,
    "no-words": _no_words,
}
# These do not change a configuration but are one: the rest of a variant is applied to them.
PAPER, RULES = "paper", "paper-rules"
VARIANTS |= {PAPER: VARIANTS["full"], RULES: VARIANTS["full"]}
# Which numbers matter is predicted by a classifier first, and told as the paper's protocol tells the gold.
PREDICTED = "predicted"
VARIANTS |= {PREDICTED: VARIANTS["full"]}

# The paper's neural features, on top of a discrete model: how many words on either side they see. They are
# trained on fixed discrete weights, as the paper does, unless "joint" is named too.
WINDOWS = {f"window-{reach}": reach for reach in range(7)}
JOINT = "joint"
VARIANTS |= dict.fromkeys([*WINDOWS, JOINT], VARIANTS["full"])
WINDOW_SEEDS = 5


class WindowPlan(NamedTuple):
    """A variant with a window network: the discrete variant below it, its reach, how it is trained."""

    discrete: str
    reach: int
    joint: bool


def has_window(variant: str) -> bool:
    """Whether a variant has the paper's window network."""
    return bool(WINDOWS.keys() & set(variant.split("+")))


def window_plan(variant: str) -> WindowPlan:
    """What a variant with a window network is made of.

    >>> window_plan("paper+window-3+joint")
    WindowPlan(discrete='paper', reach=3, joint=True)
    >>> window_plan("window-0").discrete
    'full'
    """
    names = variant.split("+")
    (reach,) = (WINDOWS[name] for name in names if name in WINDOWS)
    below = [name for name in names if name not in WINDOWS and name != JOINT]
    return WindowPlan("+".join(below) or "full", reach, JOINT in names)


def variant_config(
    variant: str, protocol: Protocol, base: ModelConfig | None = None, *, dataset: str = ""
) -> ModelConfig:
    """The configuration of a variant such as ``full``, ``no-pos``, ``prefix-x+inverse`` or ``paper+no-pos``.

    ``paper`` and ``paper-rules`` stand for the paper's own configuration, and so ignore ``base``.

    >>> variant_config("prefix-x+inverse", "honest").targets.unknown
    'prefix'
    >>> variant_config("paper+no-pos", "honest").features.words
    ('word', 'lexicon')
    """
    names = variant.split("+")
    if {PAPER, RULES} & set(names):
        config = paper_config(dataset)
    else:
        config = base or ModelConfig()
        if protocol == "paper":
            config = replace(config, features=replace(config.features, forbid=True))
    for name in names:
        if name not in VARIANTS:
            raise ValueError(f"variant {name!r} is unknown; there are {', '.join(VARIANTS)}")
        config = VARIANTS[name](config)
    return config


def trained_variant(variant: str) -> str:
    """The variant whose training serves this one too.

    The published rules come after training. An unknown behind the expression is one before it with the
    operands of ``=`` exchanged, and patterns have both orders: the two models differ in names alone.

    >>> trained_variant("paper-rules+suffix-x+inverse"), trained_variant("no-pos")
    ('paper+prefix-x+inverse', 'no-pos')
    """
    serves = {RULES: PAPER, "suffix-x": "prefix-x"}
    return "+".join(serves.get(name, name) for name in variant.split("+"))


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
    wrong: tuple[tuple[str, ...], ...] = ()  # for each seed, the problems it got wrong
    wrong_unnamed: tuple[tuple[str, ...], ...] = ()  # equations wrong even if unknowns are not told apart

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
            "processor_seconds": round(self.report.processor_seconds, 1),
            "peak_mb": None if self.peak_mb is None else round(self.peak_mb),
            "metrics": {name: round(self.report.mean(name), 2) for name in self.report.metrics},
            "wrong": [list(ids) for ids in self.wrong],
        }
        if self.wrong_unnamed:
            plain["wrong_unnamed"] = [list(ids) for ids in self.wrong_unnamed]
        if self.seeds:
            plain["seeds"] = [[round(fold, 2) for fold in folds] for folds in self.seeds]
        return plain


def outcome_of(dataset: Dataset, variant: str, report: Report, seeds: int = 1) -> Outcome:
    """The figures of a cross-validation that ran over the folds once for each seed."""
    found = [
        100 * fold.tallies["accuracy"].correct / len(ids)
        for fold, ids in zip(report.folds, dataset.folds * seeds, strict=True)
    ]
    count = len(dataset.folds)
    by_seed = tuple(tuple(found[start : start + count]) for start in range(0, len(found), count))
    by_fold = [report.folds[start : start + count] for start in range(0, len(found), count)]
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
        wrong=tuple(_missed(dataset, folds, "accuracy") for folds in by_fold),
        wrong_unnamed=tuple(_missed(dataset, folds, "unnamed") for folds in by_fold)
        if all("unnamed" in fold.missed for fold in report.folds)
        else (),
    )


def _missed(dataset: Dataset, folds: Sequence[FoldReport], metric: str) -> tuple[str, ...]:
    """The problems of all folds that a metric found wrong, or that could not be mapped."""
    mapped = {example.problem.id for example in dataset.examples}
    wrong = {id for fold in folds for id in fold.missed[metric]}
    return tuple(id for ids in dataset.folds for id in ids if id in wrong or id not in mapped)


def with_published_rules(
    outcome: Outcome, dataset: Dataset, variant: str = RULES, lexicon: Lexicon | None = None
) -> Outcome:
    """The outcome of a discrete model after what the published program does to its predictions.

    The word list of the rules is the lexicon of the variant that they are part of, unless one is given.
    """
    words = lexicon or variant_config(variant, outcome.protocol).features.lexicon

    def change(problem: Problem, prediction: Prediction) -> Prediction:
        found = with_rules(problem, prediction.expression, words)
        if found == prediction.expression:
            return prediction
        return replace(prediction, expression=found, answers=None)  # the answers were the old expression's

    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    return outcome_of(dataset, variant, rejudged(outcome.report, folds, change))


def describe(config: ModelConfig) -> dict[str, Any]:
    """A configuration as plain data; of the lexicon only its size."""
    plain = asdict(replace(config, features=replace(config.features, lexicon=Lexicon())))
    plain["features"]["lexicon"] = f"{len(config.features.lexicon.cues)} cues"
    return plain

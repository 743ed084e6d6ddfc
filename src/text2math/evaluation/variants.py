"""The paper's variants as configuration, and the figures of their cross-validation.

>>> variant_config("prefix-x+inverse", "honest").targets.unknown
'prefix'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from text2math.data.dataset import Dataset
from text2math.evaluation.crossvalidation import Protocol, Report
from text2math.language.lexicon import Lexicon
from text2math.model.config import ModelConfig

Change = Callable[[ModelConfig], ModelConfig]


def _no_pos(config: ModelConfig) -> ModelConfig:
    return replace(config, features=config.features.without("pos", "bigram-pos"))


def _no_lexicon(config: ModelConfig) -> ModelConfig:
    return replace(config, features=replace(config.features, lexicon=Lexicon()))


def _no_relevance(config: ModelConfig) -> ModelConfig:
    """Nothing about the use of numbers: neither what is given nor what could be learned about it."""
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


def describe(config: ModelConfig) -> dict[str, Any]:
    """A configuration as plain data; of the lexicon only its size."""
    plain = asdict(replace(config, features=replace(config.features, lexicon=Lexicon())))
    plain["features"]["lexicon"] = f"{len(config.features.lexicon.cues)} cues"
    return plain

"""Cross-validation of the discrete model and its variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.evaluation.crossvalidation import (
    Plan,
    Protocol,
    Question,
    cross_validate_all,
    gold_relevance,
    predict_all,
    questions_of,
)
from text2math.evaluation.error_analysis import PredictedFold
from text2math.evaluation.metrics import Prediction
from text2math.evaluation.variants import (
    PREDICTED,
    RULES,
    Outcome,
    has_window,
    outcome_of,
    variant_config,
    with_published_rules,
)
from text2math.language.problem import Example
from text2math.learning.training import fit
from text2math.model.config import ModelConfig
from text2math.parallel import Runner, run_parallel
from text2math.scorers.relevance import NumberIdentifier


@dataclass(frozen=True, slots=True)
class FoldConfig:
    """What the process of one fold needs: the model's configuration, and which examples belong together."""

    model: ModelConfig
    groups: Mapping[str, int]
    predicted: bool = False  # tell the model which numbers a classifier takes for relevant

    @classmethod
    def of(cls, dataset: Dataset, config: ModelConfig, variant: str = "") -> FoldConfig:
        """For any fold of a data set: the examples of each of its folds belong together."""
        return cls(config, fold_numbers(dataset), PREDICTED in variant.split("+"))


def fold_numbers(dataset: Dataset) -> dict[str, int]:
    """The number of the fold that each problem is in."""
    return {id: fold for fold, ids in enumerate(dataset.folds) for id in ids}


def run_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: FoldConfig
) -> list[Prediction]:
    """Train on examples and answer questions, under the protocol the questions come with."""
    if config.predicted:
        return _run_predicted(train, questions, config)
    told = any(question.relevant is not None for question in questions)
    relevants = [gold_relevance(example) for example in train] if told else None
    model = fit(train, config.model, relevants=relevants, groups=config.groups)
    return predict_all(model, questions)


def _run_predicted(
    train: Sequence[Example], questions: Sequence[Question], config: FoldConfig
) -> list[Prediction]:
    """As ``run_fold``, with the numbers that a classifier takes for relevant told, in training too."""
    identifier = _identifier(train)
    relevants = [identifier(example.problem) for example in train]
    model = fit(train, config.model, relevants=relevants, groups=config.groups)
    told = [
        Question(one.problem, tuple(k for k, used in enumerate(identifier(one.problem)) if used))
        for one in questions
    ]
    return predict_all(model, told)


def _identifier(train: Sequence[Example]) -> NumberIdentifier:
    usable = [example for example in train if example.expression is not None]
    labels = [gold_relevance(example) or () for example in usable]
    return NumberIdentifier.fit([example.problem for example in usable], labels)


class Task(NamedTuple):
    """A variant to cross-validate on a data set, under a protocol."""

    dataset: Dataset
    variant: str = "full"
    protocol: Protocol = "honest"


def evaluate_variant(
    dataset: Dataset,
    variant: str = "full",
    protocol: Protocol = "honest",
    *,
    base: ModelConfig | None = None,
    workers: int | None = None,
    progress: bool = False,
    run: Runner = run_parallel,
    keep_twins: bool = False,
) -> Outcome:
    """Cross-validate a variant. A problem that could not be mapped counts as wrong.

    With ``keep_twins``, training sees problems that differ from test problems only in their numbers.
    """
    task = Task(dataset, variant, protocol)
    (outcome,) = evaluate_variants(
        [task], base=base, workers=workers, progress=progress, run=run, keep_twins=keep_twins
    )
    return outcome


def evaluate_variants(
    tasks: Sequence[Task],
    *,
    base: ModelConfig | None = None,
    workers: int | None = None,
    progress: bool = False,
    run: Runner = run_parallel,
    keep_twins: bool = False,
) -> Iterator[Outcome]:
    """Cross-validate variants as ``evaluate_variant`` does; each outcome comes as soon as it is there.

    The folds of all of them share the processes, so that none is idle while another is at its last fold.
    """
    plans = [_plan(task, base, keep_twins) for task in tasks]
    reports = cross_validate_all(plans, run_fold, workers=workers, progress=progress, run=run)
    for index, report in reports:
        dataset, variant, _ = tasks[index]
        outcome = outcome_of(dataset, variant, report)
        yield with_published_rules(outcome, dataset, variant) if RULES in variant.split("+") else outcome


def _plan(task: Task, base: ModelConfig | None, keep_twins: bool) -> Plan:
    dataset, variant, protocol = task
    if not dataset.folds:
        raise ValueError(f"{dataset.name} has no folds; say how many to make")
    if PREDICTED in variant.split("+") and protocol != "honest":
        raise ValueError(f"{variant}: predicted numbers stand in for gold ones; use the protocol 'honest'")
    if has_window(variant):
        raise ValueError(f"{variant} has a network: text2math.neural.crossvalidation evaluates it")
    config = variant_config(variant, protocol, base, dataset=dataset.name)
    # Each fold has a process of its own, so a single thread in each uses the machine best.
    config = replace(config, training=replace(config.training, threads=1))
    return Plan(
        folds=[dataset.fold(index) for index in range(len(dataset.folds))],
        configs=[FoldConfig.of(dataset, config, variant)] * len(dataset.folds),
        protocol=protocol,
        keep_twins=keep_twins,
        name=f"{dataset.name}, {variant}, {protocol},",
    )


def predict_folds(
    dataset: Dataset,
    variant: str = "full",
    protocol: Protocol = "honest",
    *,
    folds: Sequence[int] | None = None,
    base: ModelConfig | None = None,
) -> Iterator[PredictedFold]:
    """For each fold, train on the others and predict it."""
    config = FoldConfig.of(dataset, variant_config(variant, protocol, base, dataset=dataset.name), variant)
    for fold in range(len(dataset.folds)) if folds is None else folds:
        train, test = dataset.fold(fold)
        mapped = [example for example in test if example.expression is not None]
        found = run_fold(drop_leaks(train, test), questions_of(mapped, protocol), config)
        yield PredictedFold(fold, tuple(mapped), tuple(found))


def identify_numbers(dataset: Dataset) -> tuple[float, ...]:
    """For each fold, the percentage of its problems whose used numbers are all predicted right.

    A problem that could not be mapped counts as wrong.
    """
    found = []
    for index, ids in enumerate(dataset.folds):
        train, test = dataset.fold(index)
        identifier = _identifier(train)
        right = sum(identifier(example.problem) == gold_relevance(example) for example in test)
        found.append(100 * right / len(ids))
    return tuple(found)

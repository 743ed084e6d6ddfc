"""Cross-validation of the discrete model and its variants."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, starmap
from typing import NamedTuple, TypeAlias, TypeVar

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.evaluation.crossvalidation import (
    Plan,
    Protocol,
    Question,
    Report,
    cross_validate_all,
    forget_peak,
    gold_relevance,
    peak_mb,
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
from text2math.learning.circuit_passes import LANES
from text2math.learning.training import Fitting, fit, fit_together
from text2math.model.config import ModelConfig, TargetConfig
from text2math.model.model import Model
from text2math.parallel import Runner, available_cores, run_parallel
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
    fitting, asked = _told(train, questions, config)
    (model,) = fit_all([fitting])
    return predict_all(model, asked)


def fit_all(fittings: Sequence[Fitting]) -> list[Model]:
    """Models as cross-validation makes them: in lockstep where all of them can be, else one by one."""
    if all(_on_circuits(one.config, one.examples) for one in fittings):
        return fit_together(fittings)
    return [fit(one.examples, one.config, relevants=one.relevants, groups=one.groups) for one in fittings]


def _told(
    train: Sequence[Example], questions: Sequence[Question], config: FoldConfig
) -> tuple[Fitting, Sequence[Question]]:
    """What is trained and asked, with what is told of the numbers.

    That is what the questions come with, or what a classifier takes for relevant, in training too.
    """
    if config.predicted:
        identifier = _identifier(train)
        relevants = [identifier(example.problem) for example in train]
        questions = [
            Question(one.problem, tuple(k for k, used in enumerate(identifier(one.problem)) if used))
            for one in questions
        ]
        return Fitting(train, config.model, relevants, config.groups), questions
    told = any(question.relevant is not None for question in questions)
    golds = [gold_relevance(example) for example in train] if told else None
    return Fitting(train, config.model, golds, config.groups), questions


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
    Folds, and variants that differ in their features or their protocol, train in lockstep; each comes out
    exactly as it does alone.
    """
    plans = [_plan(task, base, keep_twins) for task in tasks]
    together = [at for at, plan in enumerate(plans) if _in_lockstep(plan)]
    alone = [at for at in range(len(plans)) if at not in together]
    own = [plans[at] for at in alone]
    others = cross_validate_all(own, run_fold, workers=workers, progress=progress and bool(own), run=run)
    reports = chain(
        _reports_together(plans, together, workers, progress, run),
        ((alone[at], report) for at, report in others),
    )
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


# Folds in lockstep ----------------------------------------------------------------------------------------


MOST_EXAMPLES = 1000  # that are trained on in lockstep: their circuits stay in memory
_Item = TypeVar("_Item")
_Call: TypeAlias = tuple[tuple[Example, ...], tuple[Question, ...], FoldConfig]  # what run_fold is given


class _Place(NamedTuple):
    """A fold of a plan."""

    plan: int
    fold: int


@dataclass(frozen=True, slots=True)
class _Answered:
    """The predictions of a fold, its share of what those trained with it took, and their process's memory."""

    predictions: tuple[Prediction, ...] = field(repr=False)
    seconds: float
    processor_seconds: float
    peak_mb: float | None


def _in_lockstep(plan: Plan) -> bool:
    """Whether the trainings of all its folds can be in lockstep."""
    return all(_on_circuits(plan.configs[0].model, train) for train in plan.trains)


def _on_circuits(config: ModelConfig, train: Sequence[Example]) -> bool:
    """Whether a model is trained on circuits, alone or in lockstep with others, or on the compiled chart.

    The two add up in another order. Differences of rounding grow from step to step; over many steps with a
    weak penalty, as in the paper's configuration, they can grow until a prediction changes. So it must not
    depend on what else is trained.
    """
    is_possible = config.training.optimizer == "lbfgs" and not config.from_inner
    return is_possible and len(train) <= MOST_EXAMPLES


def _reports_together(
    plans: Sequence[Plan], chosen: Sequence[int], workers: int | None, progress: bool, run: Runner
) -> Iterator[tuple[int, Report]]:
    """The reports of some plans, as they get done; the folds of a chunk train in lockstep."""
    trains = {at: plans[at].trains for at in chosen}
    count = available_cores() if workers is None else workers
    chunks = _chunks(plans, chosen)
    if 2 * len(chunks) < count:  # lanes stay empty, but more processes have something to do
        chunks = [[place] for chunk in chunks for place in chunk]
    count = min(len(chunks), count)
    threads = max(1, available_cores() // max(1, count))  # for each process
    calls = [([_call(plans[at], trains[at], fold) for at, fold in chunk], threads) for chunk in chunks]
    found = run(_run_folds, calls, workers=count) if count else enumerate(starmap(_run_folds, calls))
    answered: dict[int, dict[int, _Answered]] = {at: {} for at in chosen}
    for index, outcomes in _with_bar(found, len(calls)) if progress and calls else found:
        for (at, fold), outcome in zip(chunks[index], outcomes, strict=True):
            answered[at][fold] = outcome
            if len(answered[at]) == len(plans[at].folds):
                yield at, _judged(plans[at], answered[at], count)


def _with_bar(outcomes: Iterable[_Item], total: int) -> Iterator[_Item]:
    """The same, with a bar on stderr for those that are done."""
    from rich.console import Console
    from rich.progress import track

    yield from track(outcomes, "cross-validation", total=total, console=Console(stderr=True))


def _chunks(plans: Sequence[Plan], chosen: Sequence[int]) -> list[list[_Place]]:
    """The folds that train together: all those of some plans for the same data set, with the same targets.

    The chunks that take longest come first, so that no process is left with one of them at the end.
    """
    groups: dict[tuple[str, TargetConfig], list[int]] = {}
    for at in chosen:
        key = plans[at].folds[0][1][0].source, plans[at].configs[0].model.targets
        groups.setdefault(key, []).append(at)
    longest = sorted(groups, key=lambda key: (key[1].unknown == "none", not key[1].inverse))
    return [
        [_Place(at, fold) for at in chunk for fold in range(len(plans[at].folds))]
        for key in longest
        for chunk in _in_lanes(plans, groups[key])
    ]


def _in_lanes(plans: Sequence[Plan], group: Sequence[int]) -> list[list[int]]:
    """A group of plans in chunks that take as many lanes as there are, or fewer."""
    found, room = list[list[int]](), 0
    for at in sorted(group, key=lambda at: _lanes(plans[at])):
        if room < _lanes(plans[at]) or not found:
            found.append([])
            room = LANES
        found[-1].append(at)
        room -= _lanes(plans[at])
    return found


def _lanes(plan: Plan) -> int:
    """How many trainings see an example: in all folds but one, and in all inner folds but one.

    A reranker learns from models of inner folds, which train at the same time as the model itself.
    """
    config = plan.configs[0].model
    return (len(plan.folds) - 1) * (1 if config.reranker is None else config.inner_folds)


def _call(plan: Plan, trains: Sequence[tuple[Example, ...]], fold: int) -> _Call:
    return trains[fold], questions_of(plan.folds[fold][1], plan.protocol), plan.configs[fold]


def _run_folds(calls: Sequence[_Call], threads: int) -> list[_Answered]:
    """As ``run_fold`` does each, in lockstep."""
    forget_peak()
    start, used = time.perf_counter(), time.process_time()
    told = [_told(*call) for call in calls]
    models = fit_together([fitting for fitting, _ in told], threads=threads)
    found = [tuple(predict_all(model, asked)) for model, (_, asked) in zip(models, told, strict=True)]
    share = (time.perf_counter() - start) / len(calls), (time.process_time() - used) / len(calls)
    return [_Answered(predictions, *share, peak_mb()) for predictions in found]


def _judged(plan: Plan, answered: Mapping[int, _Answered], workers: int) -> Report:
    """The report of a plan whose questions have been answered."""
    given = [answered[fold] for fold in range(len(plan.folds))]
    ((_, report),) = cross_validate_all([replace(plan, configs=given)], _answer, workers=0)
    folds = tuple(
        replace(fold, seconds=one.seconds, processor_seconds=one.processor_seconds, peak_mb=one.peak_mb)
        for fold, one in zip(report.folds, given, strict=True)
    )
    seconds = sum(one.seconds for one in given)
    return replace(report, folds=folds, seconds=seconds, workers=workers, config=repr(plan.configs[0]))


def _answer(_: object, __: object, config: _Answered) -> tuple[Prediction, ...]:
    """What a fold was found to answer, for ``cross_validate_all``."""
    return config.predictions


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

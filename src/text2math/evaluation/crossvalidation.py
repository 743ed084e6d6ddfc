"""Cross-validation in parallel processes.

Two protocols, never mixed: under ``honest`` a model sees nothing of a test problem but its text; under
``paper`` it is also told which quantities the gold uses. Gold itself stays here: a fold is given a
``Question``, and its predictions are judged where the gold is.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from text2math.data.leaks import drop_leaks
from text2math.deferred import already
from text2math.evaluation.metrics import METRICS, Errata, Prediction, load_errata, metrics_of
from text2math.inference.crf import ForestBatch, PotentialsBatch, ScoredExpression, best_trees
from text2math.inference.forest import quantities_used
from text2math.inference.potentials import UNKNOWNS
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Example, Problem
from text2math.model.candidates import TextOrder, candidate_of
from text2math.model.model import Model
from text2math.parallel import Runner, available_cores, run_parallel
from text2math.scorers.scorer import Relevant

Protocol: TypeAlias = Literal["honest", "paper"]
PROTOCOLS: tuple[Protocol, ...] = ("paper", "honest")


@dataclass(frozen=True, slots=True)
class Question:
    """A test problem as the protocol shows it: the relevant quantities only under ``paper``."""

    problem: Problem
    relevant: tuple[int, ...] | None = None

    @property
    def told(self) -> Relevant:
        """For each number of the text, whether it is relevant, if the protocol tells it."""
        if self.relevant is None:
            return None
        return tuple(index in self.relevant for index in range(len(self.problem.quantities)))


# Trains on the examples and answers the questions in their order. Importable, so that a process can run it.
RunFold: TypeAlias = Callable[[tuple[Example, ...], tuple[Question, ...], Any], Sequence[Prediction]]


def predict_all(model: Model, questions: Sequence[Question]) -> list[Prediction]:
    """A model's predictions for questions; where the best tree is the answer, for all of them at once."""
    if model.config.candidates > 1 or model.reranker is not None or not questions:
        return [predict(model, question) for question in questions]
    problems = [model.informed(question.problem) for question in questions]
    potentials = [
        model.scorer(problem, model.annotate(problem), relevant=question.told)
        for problem, question in zip(problems, questions, strict=True)
    ]
    return predict_best(model, questions, PotentialsBatch.of(potentials))


def predict(model: Model, question: Question) -> Prediction:
    """A model's prediction for a question, as its protocol asks it."""
    found = model.candidates(question.problem, relevant=question.told)
    if not found:
        return Prediction(None)
    best = found[0]
    return Prediction(best.mathematics, _groundings(question.problem, best.tree), best.answers or None)


def predict_best(
    model: Model, questions: Sequence[Question], potentials: PotentialsBatch
) -> list[Prediction]:
    """What the best tree of each question says, under potentials that are given: all of them at once.

    Agrees with ``predict`` where the best tree is the answer, as in the paper.
    """
    trees = best_trees(potentials, ForestBatch.same(model.forest, len(questions)), threads=1)
    found = []
    for question, scored in zip(questions, trees, strict=True):
        values = [quantity.value for quantity in question.problem.all_quantities]
        candidate = None
        if scored is not None:
            best = ScoredExpression(scored.tree.expression(values), 0.0, already(scored.tree), scored.score)
            candidate = candidate_of(best, TextOrder(values), question.problem, model.decoding)
        if candidate is None:
            found.append(Prediction(None))
        else:
            groundings = _groundings(question.problem, candidate.tree)
            found.append(Prediction(candidate.mathematics, groundings, candidate.answers or None))
    return found


def _groundings(problem: Problem, tree: TextMathTree | None) -> tuple[tuple[str, int, int], ...]:
    """The characters that each unknown of a tree owns; one without words owns none."""
    return tuple(
        (node.symbol.name, problem.tokens[node.span[0]].start, problem.tokens[node.span[1] - 1].end)
        for node in (tree.nodes() if tree is not None else ())
        if node.symbol in UNKNOWNS and node.words
    )


def gold_relevance(example: Example) -> Relevant:
    """Which numbers the gold uses: what the paper's protocol tells, in training too."""
    if example.expression is None:
        return None
    used = quantities_used(example.expression)
    return tuple(index in used for index in range(len(example.problem.quantities)))


@dataclass(frozen=True, slots=True)
class Tally:
    """How many were right, of how many.

    >>> Tally(3, 4).percent
    75.0
    """

    correct: int
    total: int

    @property
    def percent(self) -> float:
        """The share that was right."""
        return 100 * self.correct / self.total


@dataclass(frozen=True, slots=True)
class FoldReport:
    """One fold: what it trained on and was asked, each metric that applied, time, and memory."""

    train: int
    # Dropped from the training examples because they appear in the test fold, numbers masked.
    dropped: int
    test: int
    unanswered: int
    tallies: Mapping[str, Tally]
    missed: Mapping[str, tuple[str, ...]]  # the problems that each metric found wrong
    seconds: float
    processor_seconds: float  # of all its threads; what else the machine does hardly changes it
    # The most memory its process held; None where the system does not tell.
    peak_mb: float | None
    predictions: tuple[Prediction, ...] = field(default=(), repr=False)

    @property
    def wrong(self) -> tuple[str, ...]:
        """The problems that were not answered right."""
        return self.missed["accuracy"]


@dataclass(frozen=True, slots=True)
class Report:
    """A cross-validation: its folds, and how it was run."""

    folds: tuple[FoldReport, ...]
    protocol: Protocol
    seed: int
    workers: int
    seconds: float
    config: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that applied to any example, accuracy first and its correction beside."""
        found = {name for fold_report in self.folds for name in fold_report.tallies}
        return tuple(name for name in METRICS if name in found)

    @property
    def processor_seconds(self) -> float:
        """What the folds took of the processor, together."""
        return sum(each.processor_seconds for each in self.folds)

    @property
    def peak_mb(self) -> float | None:
        """The most memory that a fold held."""
        return max((each.peak_mb for each in self.folds if each.peak_mb is not None), default=None)

    def mean(self, metric: str = "accuracy") -> float:
        """The mean of the folds' percentages, as papers report it."""
        shares = [each.tallies[metric].percent for each in self.folds if metric in each.tallies]
        return sum(shares) / len(shares)

    def pooled(self, metric: str = "accuracy") -> Tally:
        """All examples of all folds together."""
        tallies = [each.tallies[metric] for each in self.folds if metric in each.tallies]
        return Tally(sum(t.correct for t in tallies), sum(t.total for t in tallies))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions, as plain data for JSON."""
        summary = {name: {"mean": self.mean(name)} | asdict(self.pooled(name)) for name in self.metrics}
        plain = asdict(replace(self, folds=tuple(replace(each, predictions=()) for each in self.folds)))
        for each in plain["folds"]:
            del each["predictions"]
        return {"summary": summary, "peak_mb": self.peak_mb} | plain

    def to_markdown(self) -> str:
        """A table: a row for each metric, a column for each fold, then the mean and the count."""
        names = [f"fold {index}" for index in range(len(self.folds))]
        rows = [[f"{self.protocol}, %", *names, "mean", "correct"]]
        rows.append(["---", *["---:"] * (len(names) + 2)])
        for metric in self.metrics:
            tallies = [each.tallies.get(metric) for each in self.folds]
            shares = [f"{tally.percent:.1f}" if tally else "–" for tally in tallies]
            pooled = self.pooled(metric)
            rows.append([metric, *shares, f"{self.mean(metric):.1f}", f"{pooled.correct}/{pooled.total}"])
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a fold's process sends back."""

    predictions: tuple[Prediction, ...]
    seconds: float
    processor_seconds: float
    peak_mb: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A cross-validation to run: for each fold training and test examples, and what its process is told."""

    folds: Sequence[tuple[Sequence[Example], Sequence[Example]]]
    configs: Sequence[Any]  # one for each fold
    protocol: Protocol = "honest"
    keep_twins: bool = False
    name: str = ""  # shown while it runs

    def __post_init__(self) -> None:
        if self.protocol not in get_args(Protocol):
            raise ValueError(f"the protocols are {' and '.join(get_args(Protocol))}, not {self.protocol!r}")
        if not self.folds or not all(test for _, test in self.folds):
            raise ValueError("cross-validation needs folds, and a test example in each")

    @property
    def trains(self) -> list[tuple[Example, ...]]:
        """For each fold, the examples that are trained on."""
        return [tuple(train) if self.keep_twins else drop_leaks(train, test) for train, test in self.folds]

    @property
    def titles(self) -> list[str]:
        """What a fold is called while it runs."""
        return [f"{self.name} fold {index}".strip() for index in range(len(self.folds))]


def cross_validate(
    folds: Sequence[tuple[Sequence[Example], Sequence[Example]]],
    run_fold: RunFold,
    config: Any = None,
    *,
    configs: Sequence[Any] | None = None,
    protocol: Protocol = "honest",
    seed: int = 0,
    workers: int | None = None,
    errata: Errata | None = None,
    progress: bool = False,
    run: Runner = run_parallel,
    keep_twins: bool = False,
) -> Report:
    """Train on each fold's first part and judge the predictions for its second.

    Twins of test problems, which differ only in their numbers, are dropped from training unless
    ``keep_twins`` is set. ``configs``, one for each fold, replaces the shared ``config``. The rest is as for
    ``cross_validate_all``.
    """
    own = [config] * len(folds) if configs is None else configs
    plan = Plan(folds, own, protocol, keep_twins)
    ((_, report),) = cross_validate_all(
        [plan], run_fold, seed=seed, workers=workers, errata=errata, progress=progress, run=run
    )
    return report


def cross_validate_all(
    plans: Sequence[Plan],
    run_fold: RunFold,
    *,
    seed: int = 0,
    workers: int | None = None,
    errata: Errata | None = None,
    progress: bool = False,
    run: Runner = run_parallel,
) -> Iterator[tuple[int, Report]]:
    """The index of each plan and its report, as they get done; no process waits between two of them.

    The folds run in processes, as many at a time as there are cores unless ``workers`` says otherwise; 0 runs
    them here, one by one. ``seed`` is the random seed of Python and numpy for each fold. ``progress`` shows a
    bar on stderr. ``run`` runs the folds: processes of this machine, or a cluster.
    """
    corrections = load_errata() if errata is None else errata
    running = [_Running(plan, plan.trains) for plan in plans]
    places = [(at, fold) for at, plan in enumerate(plans) for fold in range(len(plan.folds))]
    calls = [(run_fold, *running[at].call(fold), seed) for at, fold in places]
    workers = min(len(calls), available_cores() if workers is None else workers)
    titles = [title for plan in plans for title in plan.titles]
    with _Bars(titles, keep=len(plans) == 1) if progress else _NoProgress() as bars:

        def begin(index: int) -> None:
            running[places[index][0]].begin()
            bars.start(index)

        if workers == 0:
            outcomes = _run_here(calls, begin)
        else:
            outcomes = run(_run_one, calls, workers=workers, on_start=begin)
        with closing(outcomes):
            for index, outcome in outcomes:
                at, fold = places[index]
                bars.finish(index, running[at].finish(fold, outcome, corrections))
                if (report := running[at].report(seed, workers)) is not None:
                    yield at, report


@dataclass(slots=True)
class _Running:
    """A plan while its folds run: when the first one started, and the reports of those that are done."""

    plan: Plan
    trains: list[tuple[Example, ...]]
    began: float | None = None
    reports: dict[int, FoldReport] = field(default_factory=dict)

    def call(self, fold: int) -> tuple[tuple[Example, ...], tuple[Question, ...], Any]:
        """What a fold trains on, is asked and is told."""
        _, test = self.plan.folds[fold]
        return self.trains[fold], questions_of(test, self.plan.protocol), self.plan.configs[fold]

    def begin(self) -> None:
        """A fold starts."""
        if self.began is None:
            self.began = time.perf_counter()

    def finish(self, fold: int, outcome: _Outcome, errata: Errata) -> FoldReport:
        """A fold is done: judge its predictions."""
        train, test = self.plan.folds[fold]
        kept = len(self.trains[fold])
        self.reports[fold] = _fold_report(test, kept, len(train) - kept, outcome, errata)
        return self.reports[fold]

    def report(self, seed: int, workers: int) -> Report | None:
        """The report, once all folds are done."""
        if self.began is None or len(self.reports) < len(self.plan.folds):
            return None
        return Report(
            folds=tuple(self.reports[index] for index in range(len(self.plan.folds))),
            protocol=self.plan.protocol,
            seed=seed,
            workers=workers,
            seconds=time.perf_counter() - self.began,
            config=repr(self.plan.configs[0]),
        )


def questions_of(test: Sequence[Example], protocol: Protocol) -> tuple[Question, ...]:
    """The problems of test examples as a protocol shows them."""
    if protocol == "honest":
        return tuple(Question(example.problem) for example in test)
    for example in test:
        if example.expression is None:
            raise ValueError(
                f"problem {example.problem.id!r} has no gold expression, which the protocol 'paper' reads; "
                "use 'honest'"
            )
    return tuple(
        Question(example.problem, tuple(sorted(quantities_used(example.expression))))
        for example in test
        if example.expression is not None
    )


def _run_one(
    run_fold: RunFold, train: tuple[Example, ...], questions: tuple[Question, ...], config: Any, seed: int
) -> _Outcome:
    random.seed(seed)
    np.random.seed(seed)
    forget_peak()
    start, used = time.perf_counter(), time.process_time()
    predictions = tuple(run_fold(train, questions, config))
    seconds, used = time.perf_counter() - start, time.process_time() - used
    if len(predictions) != len(questions):
        raise ValueError(f"{len(predictions)} predictions for {len(questions)} problems; give one for each")
    return _Outcome(predictions, seconds, used, peak_mb())


def _run_here(
    calls: Sequence[tuple[Any, ...]], on_start: Callable[[int], None]
) -> Generator[tuple[int, _Outcome], None, None]:
    for index, call in enumerate(calls):
        on_start(index)
        yield index, _run_one(*call)


def forget_peak() -> None:
    """Count memory anew: a process runs the folds of many models. Only Linux can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_mb() -> float | None:
    """The most memory this process has held, since it last forgot it."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux's getrusage would count what the parent held before this program started.
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return None


def _fold_report(
    test: Sequence[Example], train: int, dropped: int, outcome: _Outcome, errata: Errata
) -> FoldReport:
    verdicts = [
        metrics_of(prediction, example, errata.get((example.source, example.problem.id)))
        for prediction, example in zip(outcome.predictions, test, strict=True)
    ]
    tallies, missed = {}, {}
    for metric in METRICS:
        applied = [
            (example.problem.id, verdict[metric])
            for example, verdict in zip(test, verdicts, strict=True)
            if metric in verdict
        ]
        if applied:
            tallies[metric] = Tally(sum(right for _, right in applied), len(applied))
            missed[metric] = tuple(id for id, right in applied if not right)
    return FoldReport(
        train=train,
        dropped=dropped,
        test=len(test),
        unanswered=sum(prediction.expression is None for prediction in outcome.predictions),
        tallies=tallies,
        missed=missed,
        seconds=outcome.seconds,
        processor_seconds=outcome.processor_seconds,
        peak_mb=outcome.peak_mb,
        predictions=outcome.predictions,
    )


def rejudged(
    report: Report,
    folds: Sequence[tuple[Sequence[Example], Sequence[Example]]],
    change: Callable[[Problem, Prediction], Prediction],
) -> Report:
    """The report with every prediction changed by a function; nothing is trained again."""
    errata = load_errata()
    judged = []
    for old, (_, test) in zip(report.folds, folds, strict=True):
        changed = tuple(change(e.problem, p) for e, p in zip(test, old.predictions, strict=True))
        outcome = _Outcome(changed, old.seconds, old.processor_seconds, old.peak_mb)
        judged.append(_fold_report(test, old.train, old.dropped, outcome, errata))
    return replace(report, folds=tuple(judged))


class _NoProgress:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def start(self, index: int) -> None:
        """A fold has started."""

    def finish(self, index: int, report: FoldReport) -> None:
        """A fold is finished."""


class _Bars(_NoProgress):
    """A bar for the folds done, and a line for each fold that runs, on stderr.

    The line shows its time, and then its accuracy where lines of folds that are done are to be kept.
    """

    def __init__(self, titles: Sequence[str], keep: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True))
        self._titles, self._keep = titles, keep
        self._all = self._progress.add_task("cross-validation", total=len(titles))
        self._lines: dict[int, Any] = {}  # by the fold's index

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def start(self, index: int) -> None:
        """A fold has started."""
        self._lines[index] = self._progress.add_task(f"{self._titles[index]}: running", total=1)

    def finish(self, index: int, report: FoldReport) -> None:
        """A fold is finished."""
        line = self._lines.pop(index)
        if self._keep:
            share = report.tallies["accuracy"].percent
            self._progress.update(line, description=f"{self._titles[index]}: {share:.1f} %", completed=1)
        else:
            self._progress.remove_task(line)
        self._progress.advance(self._all)

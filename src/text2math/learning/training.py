"""Training: a model from examples, alone or on top of another model's scores.

``fit`` learns the weights of the discrete features and the reranker; ``train`` also calibrates, learns when a
text holds no mathematics, and writes the card.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from text2math.evaluation.metrics import is_correct
from text2math.inference.crf import ForestBatch, PotentialsBatch, flat_size, log_partitions
from text2math.inference.forest import Forest, quantities_used
from text2math.inference.potentials import FloatArray, Symbol
from text2math.language.annotations import Annotations, keep_annotations
from text2math.language.problem import Example, Problem
from text2math.learning.lockstep import minimise_together
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Report, Trained, make_batches, minimise
from text2math.learning.targets import symbols_of, targets
from text2math.mathematics.expression import Expression, is_equation
from text2math.model.calibration import cross_fitted_error, fit_temperature
from text2math.model.candidates import Candidate
from text2math.model.config import ModelConfig
from text2math.model.files import SavedModel, parts_of
from text2math.model.model import Model, TrainingSummary
from text2math.model.presence import Presence, texts_without
from text2math.model.reranker import Reranker
from text2math.scorers.encoder import EncoderScorer
from text2math.scorers.features import FeatureConfig, ProblemFeatures, extract, numbered
from text2math.scorers.linear import LinearScorer, Tables
from text2math.scorers.relevance import NumberIdentifier
from text2math.scorers.scorer import CombinedScorer, Relevant

log = logging.getLogger("text2math")


def fit(
    examples: Sequence[Example],
    config: ModelConfig,
    *,
    base: Model | None = None,
    relevants: Sequence[Relevant] | None = None,
    groups: Mapping[str, int] | None = None,
    report: Report | None = None,
    checkpoint: Path | None = None,
) -> Model:
    """Train a model's scorer and, where the configuration has one, its reranker.

    With a ``base``, training starts from its scores: those of a network are kept and discrete ones are
    learned on top of them; discrete weights are where training begins and what the penalty pulls back to.
    ``relevants`` (which numbers matter, per example) is for the paper's protocol. ``groups`` says, by problem
    id, which examples are of one kind (a fold, a source): the reranker then learns how far to trust the chart
    on a kind that the chart did not train on.
    """
    data = _Data.of(examples, config, base, relevants)
    if config.reranker is None:
        return _fit_scorer(data, config, report, checkpoint)
    return _cross_fitted_model(data, config, groups, report, checkpoint).model


class Fitting(NamedTuple):
    """What ``fit`` is given; see there."""

    examples: Sequence[Example]
    config: ModelConfig
    relevants: Sequence[Relevant] | None = None
    groups: Mapping[str, int] | None = None


def fit_together(fittings: Sequence[Fitting], *, threads: int = 1) -> list[Model]:
    """Several models as ``fit`` makes each, trained in lockstep, which is faster where problems are the same.

    All are trained with L-BFGS. Weights differ from those of ``fit`` by rounding alone, and do not depend on
    the number of ``threads``.

    >>> from text2math.data.readers import load
    >>> from text2math.evaluation.variants import variant_config
    >>> examples = load("corpus").examples[:20]
    >>> both = [variant_config(name, "honest") for name in ("paper", "paper+no-pos")]
    >>> models = fit_together([Fitting(examples, config) for config in both])
    >>> [model.config.features.words for model in models]
    [('word', 'pos', 'lexicon'), ('word', 'lexicon')]
    """
    extractor = _Extractor()
    plans = [_InnerPlan.of(one, extractor) for one in fittings]
    wanted = [training for plan in plans for training in plan.scorers]
    # Inner folds of one fold are often those of another: with three folds, each is trained on alone for both
    # of the others.
    distinct = list[_Training]()
    places = [_place(one, distinct) for one in wanted]
    models = _fit_scorers(distinct, threads)
    trained = iter([models[place] for place in places])
    return [plan.model([next(trained) for _ in plan.folds], next(trained)) for plan in plans]


def train(
    examples: Sequence[Example],
    config: ModelConfig | None = None,
    *,
    base: SavedModel | None = None,
    name: str = "unnamed",
    groups: Mapping[str, int] | None = None,
    practice: Collection[str] = (),
    uncalibrated: Collection[str] = (),
    report: Report | None = None,
) -> SavedModel:
    """A complete model: trained, calibrated on held-out examples, able to reject texts without mathematics.

    What calibrates it are the candidates of models that did not train on the example, ranked by rerankers
    that did not either; the card says how many of them were right. ``groups`` is as for ``fit``. The model
    learns from examples whose source is in ``practice``, but is not judged by them. The card has the figures
    of sources in ``uncalibrated``, but the temperature is not fitted on them: texts of a kind that the model
    mostly misreads would make it doubt its readings of all others.
    """
    settings = config or ModelConfig()
    start = None if base is None else base.model
    data = _Data.of(examples, settings, start, None)
    log.info("training on %d examples", len(examples))
    fitted = _cross_fitted_model(data, settings, groups, report)
    model = fitted.model
    log.info("trained; %d examples have no text-math tree", len(model.unreachable))
    judged = [[one for one in fold if one.example.source not in practice] for fold in fitted.folds]
    scored = _held_out_scores(fitted, judged)
    before = 1.0 if start is None else start.temperature
    calibrating = _calibrating(scored, uncalibrated)
    temperature = _temperature(calibrating, before)
    presence = None if start is None else start.presence
    card: dict[str, Any] = {
        "examples": len(examples),
        "sources": dict(Counter(example.source or "unnamed" for example in examples)),
        "unreachable": len(model.unreachable),
        "temperature": round(temperature, 4),
    }
    if base is not None:
        card["base"] = base.name
    if scored:
        card |= _cross_fitted(scored, [one.example for fold in judged for one in fold])
        card["calibration_error"] = _calibration_error(calibrating)
    if uncalibrated:
        card["uncalibrated"] = sorted(uncalibrated)
    return SavedModel(
        replace(model, temperature=temperature, presence=presence or fit_presence(examples, settings)),
        name,
        card,
    )


def _calibrating(scored: Sequence[_Scored], uncalibrated: Collection[str]) -> list[_Scored]:
    """The held-out examples that the temperature is fitted on."""
    found = [one for one in scored if one.example.source not in uncalibrated]
    if scored and not found:
        raise ValueError("every source is uncalibrated: leave one out, to have examples to calibrate on")
    return found


def _temperature(scored: Sequence[_Scored], before: float) -> float:
    right = [one.right for one in scored]
    return fit_temperature([one.scores for one in scored], right) if len(set(right)) == 2 else before


def _cross_fitted(scored: Sequence[_Scored], examples: Sequence[Example]) -> dict[str, Any]:
    """What a card says of held-out examples: how many were right, of each kind and source."""
    right = {one.example.problem.id for one in scored if one.right}
    tallies: dict[str, dict[str, int]] = {}
    for example in examples:
        for group in ("all", f"all {task(example)}", example.source or "unnamed"):
            tally = tallies.setdefault(group, {"right": 0, "all": 0})
            tally["right"] += example.problem.id in right
            tally["all"] += 1
    return {"cross_fitted": tallies.pop("all"), "cross_fitted_by_kind": tallies}


def _calibration_error(scored: Sequence[_Scored]) -> float:
    return round(cross_fitted_error([one.scores for one in scored], [one.right for one in scored]), 4)


def task(example: Example) -> str:
    """Whether an example is one of arithmetic or of equations."""
    is_one = example.expression is not None and is_equation(example.expression)
    return "equations" if is_one else "arithmetic"


def fit_presence(examples: Sequence[Example], config: ModelConfig) -> Presence:
    """Learn from examples when a text holds mathematics."""
    present = [example.problem for example in examples]
    return Presence.fit(present, texts_without(examples), config.features.lexicon)


# Preparation ----------------------------------------------------------------------------------------------


def _extracted(problem: Problem, config: FeatureConfig, relevant: Relevant) -> ProblemFeatures:
    return extract(problem, config, relevant=relevant)


class _Extractor:
    """The features of problems that many models train on: found and numbered once for all of them.

    Annotations are kept too, for the models that read the problems later.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[str, int]] = {}
        # By identity, with what is identified: problems and configurations take long to compare.
        self._known: dict[tuple[int, int, Relevant], tuple[Problem, FeatureConfig, ProblemFeatures]] = {}

    def __call__(self, problem: Problem, config: FeatureConfig, relevant: Relevant) -> ProblemFeatures:
        key = id(problem), id(config), relevant
        if key not in self._known:
            annotations = keep_annotations(problem, config.lexicon)
            found = numbered(extract(problem, config, annotations, relevant=relevant), self._names)
            self._known[key] = problem, config, found
        return self._known[key][-1]


@dataclass(frozen=True, eq=False)
class _Data:
    """Training examples, prepared."""

    examples: tuple[Example, ...]
    relevants: tuple[Relevant, ...]
    features: tuple[ProblemFeatures, ...]
    golds: tuple[tuple[Expression, ...], ...]
    kept: tuple[FloatArray, ...]  # the network's potentials of each; none without a network
    symbols: tuple[Symbol, ...]
    forest: Forest
    start: LinearScorer | None
    network: EncoderScorer | None
    base: Model | None

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        config: ModelConfig,
        base: Model | None,
        relevants: Sequence[Relevant] | None,
        features_of: Callable[[Problem, FeatureConfig, Relevant], ProblemFeatures] = _extracted,
    ) -> _Data:
        given = list(relevants) if relevants is not None else [None] * len(examples)
        if len(given) != len(examples):
            raise ValueError(f"{len(examples)} examples, but the relevance of numbers for {len(given)}")
        if not examples:
            raise ValueError("there are no examples to train on")
        start, network = (None, None) if base is None else parts_of(base.scorer)
        golds = [targets(example, config.targets) for example in examples]
        trees = [tree for trees in golds for tree in trees]
        symbols = set(symbols_of(trees)) | set(base.scorer.symbols if base is not None else ())
        roots = {Symbol.of(tree) for tree in trees}
        if base is not None:
            roots |= {base.forest.states[root].symbol for root in base.forest.roots}
        return cls(
            tuple(examples),
            tuple(given),
            tuple(
                features_of(example.problem, config.features, relevant)
                for example, relevant in zip(examples, given, strict=True)
            ),
            tuple(golds),
            () if network is None else tuple(_flat(network, example) for example in examples),
            tuple(sorted(symbols)),
            base.forest if base is not None and network is not None else Forest.full(symbols, roots=roots),
            start,
            network,
            base,
        )

    def subset(self, chosen: Sequence[int]) -> _Data:
        return replace(
            self,
            examples=tuple(self.examples[index] for index in chosen),
            relevants=tuple(self.relevants[index] for index in chosen),
            features=tuple(self.features[index] for index in chosen),
            golds=tuple(self.golds[index] for index in chosen),
            kept=tuple(self.kept[index] for index in chosen) if self.kept else (),
        )


def _flat(network: EncoderScorer, example: Example) -> FloatArray:
    """A network's potentials of a problem, laid out for the chart; in single precision, to save memory."""
    return PotentialsBatch.of([network(example.problem)]).flat.astype(np.float32)


# The scorer -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Task:
    """What the weights of the discrete features are trained on: the examples that have a text-math tree."""

    scorer: LinearScorer  # with the weights to start from
    objective: LogLikelihood
    reachable: tuple[bool, ...]  # of all examples
    kept: tuple[int, ...]  # the reachable ones

    @classmethod
    def of(cls, data: _Data, config: ModelConfig) -> _Task:
        scorer = _untrained(data, config)
        forests = [(Forest.of(gold), data.forest) if gold else None for gold in data.golds]
        reachable = _reachable(data, forests)
        kept = [index for index, fine in enumerate(reachable) if fine]
        if not kept:
            raise ValueError("none of the training examples has a text-math tree")
        objective = LogLikelihood(
            scorer,
            [data.features[index] for index in kept],
            [data.examples[index].problem for index in kept],
            [forest for index in kept if (forest := forests[index]) is not None],
            config.training,
            [data.kept[index] for index in kept] if data.kept else (),
        )
        return cls(scorer, objective, tuple(reachable), tuple(kept))

    def model(self, data: _Data, config: ModelConfig, trained: Trained) -> Model:
        """The model that the weights make, not reranked."""
        discrete = replace(self.scorer, weights=trained.weights)
        return Model(
            scorer=discrete if data.network is None else CombinedScorer(discrete, data.network),
            forest=data.forest,
            config=config,
            text_order=data.base is not None and data.base.text_order,
            summary=TrainingSummary(trained.objective, trained.steps, trained.seconds, trained.interrupted),
            unreachable=tuple(
                example.problem.id
                for example, fine in zip(data.examples, self.reachable, strict=True)
                if not fine
            ),
        )


def _untrained(data: _Data, config: ModelConfig) -> LinearScorer:
    """The discrete weights that training starts from."""
    if data.start is not None:
        return data.start.extended(data.features, data.symbols)
    scorer = LinearScorer.untrained(data.features, config.features, data.symbols, config.min_count)
    golds = [example.expression for example in data.examples]
    equations = all(gold is not None and is_equation(gold) for gold in golds)
    if config.identify or (config.identify is None and equations):
        scorer = _with_identifier(scorer, data)
    return scorer


def _fit_scorer(
    data: _Data, config: ModelConfig, report: Report | None = None, checkpoint: Path | None = None
) -> Model:
    """The model with trained discrete weights, not reranked."""
    task = _Task.of(data, config)
    start = task.scorer.weights
    trained = minimise(task.objective, start, config.training, report=report, checkpoint=checkpoint)
    return task.model(data, config, trained)


class _Training(NamedTuple):
    """What ``_fit_scorer`` is given; see there."""

    data: _Data
    config: ModelConfig

    def is_same(self, other: _Training) -> bool:
        """Whether both give the same model: everything else follows from what is compared."""
        own, others = self.data, other.data
        return (
            [id(example) for example in own.examples] == [id(example) for example in others.examples]
            and own.relevants == others.relevants
            and (own.symbols, own.forest) == (others.symbols, others.forest)
            and self.config == other.config
        )


def _place(training: _Training, distinct: list[_Training]) -> int:
    """The place of a training among distinct ones, which it is added to if it is new."""
    for place, other in enumerate(distinct):
        if training.is_same(other):
            return place
    distinct.append(training)
    return len(distinct) - 1


def _fit_scorers(trainings: Sequence[_Training], threads: int) -> list[Model]:
    """As ``_fit_scorer`` makes each of them, in lockstep."""
    tasks = [_Task.of(data, config) for data, config in trainings]
    found = minimise_together(
        [task.objective for task in tasks],
        [task.scorer.weights for task in tasks],
        [config.training for _, config in trainings],
        threads,
    )
    return [
        task.model(data, config, trained)
        for task, (data, config), trained in zip(tasks, trainings, found, strict=True)
    ]


def _with_identifier(scorer: LinearScorer, data: _Data) -> LinearScorer:
    """The number identifier as a feature of a number's use.

    Its log-odds are linear in the same features, so adding them is the same as starting from its weights.
    """
    known = [example for example in data.examples if example.expression is not None]
    used = [
        tuple(k in quantities_used(expression) for k in range(len(example.problem.quantities)))
        for example in known
        if (expression := example.expression) is not None
    ]
    identifier = NumberIdentifier.fit(
        [example.problem for example in known], used, lexicon=scorer.config.lexicon
    )
    weights = scorer.weights.copy()
    table = Tables.of(scorer.vocabulary, len(scorer.symbols)).views(weights)["numbers"]
    for name, row in scorer.vocabulary["numbers"].items():
        if name in identifier.vocabulary:
            scale = scorer.config.scale(name.split(":")[0])
            table[row, 0] = identifier.weights[identifier.vocabulary[name]] / scale
    return replace(scorer, weights=weights)


def _reachable(data: _Data, forests: Sequence[tuple[Forest, Forest] | None]) -> list[bool]:
    """Which examples have a text-math tree of their targets.

    Weights are finite, so this depends only on the text and on which of its numbers are forbidden.
    """
    some = [index for index, forest in enumerate(forests) if forest is not None]
    problems = [data.examples[index].problem for index in some]
    flat = [np.zeros(flat_size(len(p.tokens), len(p.quantities))) for p in problems]
    for index, own in zip(some, flat, strict=True):
        forbidden = data.features[index].forbidden
        own[len(own) - len(forbidden) :][list(forbidden)] = -np.inf
        if data.kept:
            own += data.kept[index]
    packed = PotentialsBatch.from_flat(
        np.concatenate(flat) if flat else np.empty(0),
        [len(p.tokens) for p in problems],
        [p.anchors for p in problems],
    )
    gold = ForestBatch.of([[forest[0]] for forest in forests if forest is not None])
    sums = log_partitions(packed, gold)[:, 0]
    fine = {index for index, total in zip(some, sums, strict=True) if total > -np.inf}
    return [index in fine for index in range(len(forests))]


# The reranker and the temperature, by cross-fitting -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """An example with the candidates of a model that did not train on it, and which of them are right."""

    example: Example
    annotations: Annotations
    candidates: tuple[Candidate, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class _Scored:
    """The log-probabilities of an example's candidates, and whether the best one is right."""

    example: Example
    scores: FloatArray
    right: bool


Folds = Sequence[Sequence[_HeldOut]]


def _inner_folds(
    examples: Sequence[Example], config: ModelConfig, groups: Mapping[str, int] | None
) -> list[list[int]]:
    """The examples split into folds: by whole groups if there are any, otherwise at random."""
    if groups is not None:
        kinds = [groups.get(example.problem.id, 0) for example in examples]
        rank = {kind: index for index, kind in enumerate(sorted(set(kinds)))}
        count = min(config.inner_folds, len(rank))
        if count > 1:
            return [[i for i, kind in enumerate(kinds) if rank[kind] % count == f] for f in range(count)]
    order = list(range(len(examples)))
    random.Random(config.training.seed).shuffle(order)
    count = min(config.inner_folds, len(order))
    return [sorted(order[fold::count]) for fold in range(count)]


def _cross_fit(data: _Data, config: ModelConfig, groups: Mapping[str, int] | None) -> Folds:
    """For each inner fold, the predictions of a model trained on the others."""
    folds = _inner_folds(data.examples, config, groups)
    if len(folds) < 2:
        return ()
    return [_held_out_fold(_fit_scorer(*_without(data, config, fold)), data, fold) for fold in folds]


def _without(data: _Data, config: ModelConfig, fold: Sequence[int]) -> _Training:
    """What the model of an inner fold trains on, and how."""
    kept = sorted(set(range(len(data.examples))) - set(fold))
    inner = replace(config, training=replace(config.training, steps=config.inner_steps))
    return _Training(data.subset(kept), inner)


def _held_out_fold(model: Model, data: _Data, fold: Sequence[int]) -> list[_HeldOut]:
    return [_held_out(model, data.examples[index], data.relevants[index]) for index in fold]


def _held_out(model: Model, example: Example, relevant: Relevant) -> _HeldOut:
    analysis = model.analyse(example.problem, relevant=relevant)
    right = tuple(is_correct(one.mathematics, example) for one in analysis.candidates)
    # Trees are not kept: they are large, and the reranker doesn't look at them.
    candidates = tuple(replace(one, tree=None) for one in analysis.candidates)
    return _HeldOut(example, analysis.annotations, candidates, right)


def _fit_reranker(folds: Folds, config: ModelConfig, base: Model | None) -> Reranker | None:
    """Learn the reranker from candidates of models that did not train on the problem."""
    start = None if base is None else base.reranker
    if config.reranker is None:
        return None
    if not folds:
        return start
    every = [one for fold in folds for one in fold]
    return Reranker.fit(
        [one.annotations for one in every],
        [one.candidates for one in every],
        [one.right for one in every],
        config.reranker,
        start,
    )


@dataclass(frozen=True, eq=False)
class _CrossFitted:
    """A model, what models of the other inner folds made of each fold, and the rerankers without each."""

    model: Model
    folds: Folds
    base: Model | None
    rerankers: tuple[Reranker | None, ...] | None = None  # None: not learned yet

    def without(self, fold: int) -> Reranker | None:
        """The reranker that learned from the other folds alone."""
        if self.rerankers is not None:
            return self.rerankers[fold]
        return _fit_reranker(_others(self.folds, fold), self.model.config, self.base)


def _others(folds: Folds, fold: int) -> Folds:
    return [one for at, one in enumerate(folds) if at != fold]


def _cross_fitted_model(
    data: _Data,
    config: ModelConfig,
    groups: Mapping[str, int] | None,
    report: Report | None,
    checkpoint: Path | None = None,
) -> _CrossFitted:
    if config.from_inner:
        return _from_inner(data, config, groups, report)
    folds = _cross_fit(data, config, groups)
    reranker = _fit_reranker(folds, config, data.base)
    model = replace(_fit_scorer(data, config, report, checkpoint), reranker=reranker)
    return _CrossFitted(model, folds, data.base)


@dataclass(frozen=True, eq=False)
class _InnerPlan:
    """A model to fit: its examples, and the inner folds that its reranker learns from, if it has one."""

    data: _Data
    config: ModelConfig
    folds: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, fitting: Fitting, extractor: _Extractor) -> _InnerPlan:
        examples, config, relevants, groups = fitting
        data = _Data.of(examples, config, None, relevants, extractor)
        folds = _inner_folds(data.examples, config, groups) if config.reranker is not None else []
        return cls(data, config, tuple(map(tuple, folds)) if len(folds) > 1 else ())

    @property
    def scorers(self) -> list[_Training]:
        """What is trained for it: the model of each inner fold, then its own scorer."""
        inner = [_without(self.data, self.config, fold) for fold in self.folds]
        return [*inner, _Training(self.data, self.config)]

    def model(self, inner: Sequence[Model], model: Model) -> Model:
        """The model, from its trained scorers."""
        folds = [_held_out_fold(one, self.data, fold) for one, fold in zip(inner, self.folds, strict=True)]
        return replace(model, reranker=_fit_reranker(folds, self.config, None))


def _from_inner(
    data: _Data, config: ModelConfig, groups: Mapping[str, int] | None, report: Report | None
) -> _CrossFitted:
    """The inner models first, then the whole from their mean: it is near the goal, so a few passes will do.

    All of them have the same features and share what the objective makes of each batch.
    """
    task = _Task.of(data, config)
    folds = _inner_folds(data.examples, config, groups)
    place = {index: at for at, index in enumerate(task.kept)}
    batches = [
        make_batches([place[index] for index in fold if index in place], config.training) for fold in folds
    ]
    inner = replace(config.training, steps=config.inner_steps)
    found, weights = [], []
    for number, fold in enumerate(folds):
        others = [batch for at, own in enumerate(batches) if at != number for batch in own]
        trained = minimise(task.objective, task.scorer.weights, inner, report=report, batches=others)
        model = task.model(data, config, trained)
        found.append(_held_out_fold(model, data, fold))
        weights.append(trained.weights)
    every = [batch for own in batches for batch in own]
    start = np.mean(weights, axis=0)
    trained = minimise(task.objective, start, config.training, report=report, batches=every)
    rerankers = tuple(_fit_reranker(_others(found, fold), config, data.base) for fold in range(len(found)))
    learned = [one for one in rerankers if one is not None]
    model = replace(task.model(data, config, trained), reranker=Reranker.mean(learned) if learned else None)
    return _CrossFitted(model, found, data.base, rerankers)


def _held_out_scores(fitted: _CrossFitted, judged: Folds) -> list[_Scored]:
    """The judged candidates of each fold, as a reranker scores them that learned from the other folds."""
    found = []
    for number, fold in enumerate(judged):
        ranker = replace(fitted.model, reranker=fitted.without(number), temperature=1.0)
        for one in fold:
            ranked = ranker.rank(one.annotations, one.candidates)
            if ranked:
                right = dict(zip((c.mathematics for c in one.candidates), one.right, strict=True))
                scores = np.array([candidate.log_probability for candidate in ranked])
                found.append(_Scored(one.example, scores, right[ranked[0].mathematics]))
    return found

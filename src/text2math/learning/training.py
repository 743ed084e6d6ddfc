"""Training: a model from examples, alone or on top of another model's scores.

``fit`` learns the weights of the discrete features and the reranker; ``train`` also calibrates, learns when a
text holds no mathematics, and writes the card.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from text2math.evaluation.metrics import is_correct
from text2math.inference.crf import ForestBatch, PotentialsBatch, flat_size, log_partitions
from text2math.inference.forest import Forest, quantities_used
from text2math.inference.potentials import FloatArray, Symbol
from text2math.language.annotations import Annotations
from text2math.language.problem import Example
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import Report, minimise
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
from text2math.scorers.features import ProblemFeatures, extract
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
    held_out = _cross_fit(data, config, groups) if config.reranker is not None else ()
    return _finish(data, config, held_out, report, checkpoint)


def train(
    examples: Sequence[Example],
    config: ModelConfig | None = None,
    *,
    base: SavedModel | None = None,
    name: str = "unnamed",
    report: Report | None = None,
) -> SavedModel:
    """A complete model: trained, calibrated on held-out examples, able to reject texts without mathematics.

    What calibrates it are the candidates of models that did not train on the example, ranked by rerankers
    that did not either; the card says how many of them were right.
    """
    settings = config or ModelConfig()
    start = None if base is None else base.model
    data = _Data.of(examples, settings, start, None)
    log.info("training on %d examples", len(examples))
    held_out = _cross_fit(data, settings, None)
    model = _finish(data, settings, held_out, report, None)
    log.info("trained; %d examples have no text-math tree", len(model.unreachable))
    scored = _held_out_scores(held_out, model, start)
    right = [one.right for one in scored]
    scores = [one.scores for one in scored]
    before = 1.0 if start is None else start.temperature
    temperature = fit_temperature(scores, right) if len(set(right)) == 2 else before
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
        card["cross_fitted"] = {"right": sum(right), "all": sum(len(fold) for fold in held_out)}
        card["calibration_error"] = round(cross_fitted_error(scores, right), 4)
    return SavedModel(
        replace(model, temperature=temperature, presence=presence or fit_presence(examples, settings)),
        name,
        card,
    )


def fit_presence(examples: Sequence[Example], config: ModelConfig) -> Presence:
    """Learn from examples when a text holds mathematics."""
    present = [example.problem for example in examples]
    return Presence.fit(present, texts_without(examples), config.features.lexicon)


# Preparation ----------------------------------------------------------------------------------------------


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
                extract(example.problem, config.features, relevant=relevant)
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


def _fit_scorer(
    data: _Data, config: ModelConfig, report: Report | None = None, checkpoint: Path | None = None
) -> Model:
    """The model with trained discrete weights, not reranked."""
    if data.start is not None:
        scorer = data.start.extended(data.features, data.symbols)
    else:
        scorer = LinearScorer.untrained(data.features, config.features, data.symbols, config.min_count)
        golds = [example.expression for example in data.examples]
        equations = all(gold is not None and is_equation(gold) for gold in golds)
        if config.identify or (config.identify is None and equations):
            scorer = _with_identifier(scorer, data)
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
    trained = minimise(objective, scorer.weights, config.training, report=report, checkpoint=checkpoint)
    discrete = replace(scorer, weights=trained.weights)
    return Model(
        scorer=discrete if data.network is None else CombinedScorer(discrete, data.network),
        forest=data.forest,
        config=config,
        text_order=data.base is not None and data.base.text_order,
        summary=TrainingSummary(trained.objective, trained.steps, trained.seconds, trained.interrupted),
        unreachable=tuple(
            example.problem.id for example, fine in zip(data.examples, reachable, strict=True) if not fine
        ),
    )


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
    """A problem with the candidates of a model that did not train on it, and which of them are right."""

    annotations: Annotations
    candidates: tuple[Candidate, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class _Scored:
    """The log-probabilities of a problem's candidates, and whether the best one is right."""

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
    inner = replace(config, training=replace(config.training, steps=config.inner_steps))
    found = []
    for fold in folds:
        kept = sorted(set(range(len(data.examples))) - set(fold))
        model = _fit_scorer(data.subset(kept), inner)
        found.append([_held_out(model, data.examples[index], data.relevants[index]) for index in fold])
    return found


def _held_out(model: Model, example: Example, relevant: Relevant) -> _HeldOut:
    analysis = model.analyse(example.problem, relevant=relevant)
    right = tuple(is_correct(one.mathematics, example) for one in analysis.candidates)
    return _HeldOut(analysis.annotations, analysis.candidates, right)


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


def _finish(
    data: _Data, config: ModelConfig, folds: Folds, report: Report | None, checkpoint: Path | None
) -> Model:
    reranker = _fit_reranker(folds, config, data.base)
    return replace(_fit_scorer(data, config, report, checkpoint), reranker=reranker)


def _held_out_scores(folds: Folds, model: Model, base: Model | None) -> list[_Scored]:
    """The held-out candidates as a reranker scores them that learned from the other folds alone."""
    found = []
    for number, fold in enumerate(folds):
        others = [one for at, one in enumerate(folds) if at != number]
        ranker = replace(model, reranker=_fit_reranker(others, model.config, base), temperature=1.0)
        for one in fold:
            ranked = ranker.rank(one.annotations, one.candidates)
            if ranked:
                right = dict(zip((c.mathematics for c in one.candidates), one.right, strict=True))
                scores = np.array([candidate.log_probability for candidate in ranked])
                found.append(_Scored(scores, right[ranked[0].mathematics]))
    return found

"""The trained model: discrete features, the chart, and a reranker over its k best expressions.

``fit`` learns all three from examples; a ``Model`` turns a ``Problem`` into ranked candidates. Gold relevance
of numbers (the paper's protocol) enters only through the explicit argument ``relevant``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from text2math.inference.crf import (
    ForestBatch,
    PotentialsBatch,
    ScoredExpression,
    TextMathCRF,
    expected_counts,
    log_partitions,
)
from text2math.inference.forest import Forest, quantities_used
from text2math.inference.potentials import FloatArray, Potentials, Symbol
from text2math.language.annotations import Annotations
from text2math.language.problem import Example, Problem
from text2math.learning.optimise import Report, Trained, TrainingConfig, minimise
from text2math.learning.targets import (
    TargetConfig,
    answer_of,
    close,
    symbols_of,
    targets,
    without_inverse_operators,
    without_unknown,
)
from text2math.mathematics.algebra import equivalent, evaluate
from text2math.mathematics.expression import Expression, has_unknowns, is_equation
from text2math.model.reranker import Candidate, Reranker, RerankerConfig
from text2math.scorers.features import FeatureConfig, ProblemFeatures, extract
from text2math.scorers.linear import Batch, LinearScorer, Tables
from text2math.scorers.relevance import NumberIdentifier

Relevant = tuple[bool, ...] | None


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Everything that makes a model what it is, besides the examples."""

    features: FeatureConfig = field(default_factory=FeatureConfig)
    targets: TargetConfig = field(default_factory=TargetConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    plausibility: RerankerConfig | None = field(default_factory=RerankerConfig)
    candidates: int = 32  # the k best expressions that are reranked
    inner_folds: int = 2  # models the reranker's training candidates come from, so that it sees fair scores
    inner_steps: int = 25  # of training for each of those
    min_count: int = 1  # of training problems a feature must occur in
    # Start (and hold) the weights of number use at the number identifier's; None: if all are equations.
    identify: bool | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A trained scorer with its grammar and reranker."""

    config: ModelConfig
    scorer: LinearScorer
    roots: tuple[Symbol, ...]
    plausibility: Reranker | None
    trained: Trained
    unreachable: tuple[str, ...] = ()  # ids of training problems without any text-math tree

    @property
    def forest(self) -> Forest:
        """Every expression over the symbols seen in training."""
        return Forest.full(self.scorer.symbols, roots=self.roots)

    def chart_candidates(self, problem: Problem, relevant: Relevant = None) -> tuple[Candidate, ...]:
        """The k best expressions with their log-probabilities under the chart, the best first.

        Expressions that say the same are one candidate, with their probabilities added up.
        """
        return merge(
            [
                Candidate(one.expression, one.log_probability, evaluate(one.expression), one.tree)
                for one in self.expressions(problem, self.scorer(problem, relevant))
            ]
        )

    def expressions(self, problem: Problem, potentials: Potentials) -> list[ScoredExpression]:
        """The k best expressions under given potentials, with trees; those that say nothing are left out."""
        if not problem.tokens:
            return []
        crf = TextMathCRF(self.forest, potentials)
        if crf.log_partition == -np.inf:
            return []
        values = [quantity.value for quantity in problem.quantities]
        found = []
        for scored in crf.expressions(self.config.candidates, values):
            expression = self._plain(scored.expression)
            # The grammar can't tell that an unknown needs an "=" above it, and "=" an unknown.
            if expression is not None and is_equation(expression) == has_unknowns(expression):
                same = expression is scored.expression
                found.append(scored if same else replace(scored, expression=expression))
        return found

    def _plain(self, expression: Expression) -> Expression | None:
        """Undo what the variants of the grammar did to an expression."""
        if self.config.targets.inverse:
            expression = without_inverse_operators(expression)
        return expression if self.config.targets.unknown == "none" else without_unknown(expression)

    def candidates(self, problem: Problem, relevant: Relevant = None) -> tuple[Candidate, ...]:
        """The k best expressions after reranking, the best first; log-probabilities are among them."""
        found = self.chart_candidates(problem, relevant)
        if self.plausibility is None or not found:
            return found
        reading = Annotations.of(problem, self.config.features.lexicon)
        scores = self.plausibility.scores(reading, found)
        ranked = [
            replace(candidate, log_probability=score) for candidate, score in zip(found, scores, strict=True)
        ]
        return tuple(sorted(ranked, key=lambda candidate: -candidate.log_probability))

    def predict(self, problem: Problem, relevant: Relevant = None) -> Expression | None:
        """The best expression, or ``None`` where there is none."""
        found = self.candidates(problem, relevant)
        return found[0].expression if found else None


def merge(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Candidates that say the same as one, the likeliest form standing for all; the best first."""
    groups: list[list[Candidate]] = []
    for candidate in sorted(candidates, key=lambda one: -one.log_probability):
        for group in groups:
            if _same(candidate, group[0]):
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    return tuple(sorted(map(_as_one, groups), key=lambda one: -one.log_probability))


def _as_one(group: Sequence[Candidate]) -> Candidate:
    if len(group) == 1:
        return group[0]
    total = float(np.logaddexp.reduce([one.log_probability for one in group]))
    return replace(group[0], log_probability=total)


def _same(one: Candidate, other: Candidate) -> bool:
    if one.used != other.used:
        return False
    if one.expression == other.expression:
        return True
    if is_equation(one.expression) or is_equation(other.expression):
        return equivalent(one.expression, other.expression)
    return one.answer is not None and one.answer == other.answer


def is_right(candidate: Candidate, example: Example) -> bool:
    """Whether a candidate agrees with the gold: an equation says the same, an expression has its answer."""
    gold = example.expression
    if gold is not None and is_equation(gold):
        return equivalent(candidate.expression, gold)
    answer = example.answer if gold is None else answer_of(gold)
    return candidate.answer is not None and answer is not None and close(candidate.answer, answer)


class LogLikelihood:
    """The negative log-likelihood of the targets with its L2 penalty: the objective of training."""

    def __init__(
        self,
        scorer: LinearScorer,
        features: Sequence[ProblemFeatures],
        problems: Sequence[Problem],
        forests: Sequence[tuple[Forest, Forest]],  # of the targets, of everything
        config: TrainingConfig,
    ) -> None:
        self.examples = len(problems)
        self._scorer, self._features, self._problems = scorer, features, problems
        self._forests, self._config = forests, config
        self._center = scorer.weights  # the penalty pulls the weights back to where they start
        self._whole: tuple[Batch, ForestBatch] | None = None

    def __call__(
        self, weights: FloatArray, subset: tuple[int, ...] | None = None
    ) -> tuple[float, FloatArray]:
        """Value and gradient; with a subset, estimated from those examples."""
        batch, forests = self._prepare(subset)
        chosen = range(self.examples) if subset is None else subset
        packed = PotentialsBatch.from_flat(
            batch.potentials(weights),
            [len(self._problems[p].tokens) for p in chosen],
            [self._problems[p].anchors for p in chosen],
        )
        threads = self._config.threads or None
        partitions, counts = expected_counts(packed, forests, [1.0, -1.0], threads=threads)
        share = self.examples / len(chosen)
        value = share * float((partitions[:, 1] - partitions[:, 0]).sum())
        gradient = -share * batch.gradient(counts)
        moved, l2 = weights - self._center, self._config.l2
        return value + l2 * float(moved @ moved), gradient + 2 * l2 * moved

    def _prepare(self, subset: tuple[int, ...] | None) -> tuple[Batch, ForestBatch]:
        """The features as matrices; those of all examples are kept, a subset hardly comes twice."""
        if subset is not None:
            return self._pack(subset)
        if self._whole is None:
            self._whole = self._pack(range(self.examples))
        return self._whole

    def _pack(self, chosen: Sequence[int]) -> tuple[Batch, ForestBatch]:
        batch = self._scorer.batch([self._features[p] for p in chosen])
        return batch, ForestBatch.of([self._forests[p] for p in chosen])


def fit(
    examples: Sequence[Example],
    config: ModelConfig,
    *,
    relevants: Sequence[Relevant] | None = None,
    groups: Mapping[str, int] | None = None,
    report: Report | None = None,
    checkpoint: Path | None = None,
) -> Model:
    """Train a model.

    ``relevants`` (which numbers matter, per example) is for the paper's protocol. ``groups`` says, by problem
    id, which examples are of one kind (a fold, a source): the reranker then learns how far to trust the chart
    on a kind that the chart did not train on.
    """
    given = list(relevants) if relevants is not None else [None] * len(examples)
    if len(given) != len(examples):
        raise ValueError(f"{len(examples)} examples, but the relevance of numbers for {len(given)}")
    if not examples:
        raise ValueError("there are no examples to train on")
    features = [
        extract(example.problem, config.features, relevant)
        for example, relevant in zip(examples, given, strict=True)
    ]
    golds = [targets(example, config.targets) for example in examples]
    symbols = symbols_of([tree for trees in golds for tree in trees])
    roots = tuple(sorted({Symbol.of(tree) for trees in golds for tree in trees}))
    data = _Data(tuple(examples), tuple(given), tuple(features), tuple(golds), symbols, roots)
    plausibility = _fit_plausibility(data, config, groups) if config.plausibility is not None else None
    return replace(_fit_chart(data, config, report, checkpoint), plausibility=plausibility)


@dataclass(frozen=True, eq=False)
class _Data:
    """Training examples, prepared."""

    examples: tuple[Example, ...]
    relevants: tuple[Relevant, ...]
    features: tuple[ProblemFeatures, ...]
    golds: tuple[tuple[Expression, ...], ...]
    symbols: tuple[Symbol, ...]
    roots: tuple[Symbol, ...]

    def subset(self, chosen: Sequence[int]) -> _Data:
        return replace(
            self,
            examples=tuple(self.examples[index] for index in chosen),
            relevants=tuple(self.relevants[index] for index in chosen),
            features=tuple(self.features[index] for index in chosen),
            golds=tuple(self.golds[index] for index in chosen),
        )


def _fit_chart(
    data: _Data, config: ModelConfig, report: Report | None = None, checkpoint: Path | None = None
) -> Model:
    full = Forest.full(data.symbols, roots=data.roots)
    scorer = LinearScorer.untrained(data.features, config.features, data.symbols, config.min_count)
    golds = [example.expression for example in data.examples]
    equations = all(gold is not None and is_equation(gold) for gold in golds)
    if config.identify or (config.identify is None and equations):
        scorer = _with_identifier(scorer, data)
    forests = [(Forest.of(gold), full) if gold else None for gold in data.golds]
    reachable = _reachable(scorer, data, forests)
    kept = [index for index, fine in enumerate(reachable) if fine]
    if not kept:
        raise ValueError("none of the training examples has a text-math tree")
    objective = LogLikelihood(
        scorer,
        [data.features[index] for index in kept],
        [data.examples[index].problem for index in kept],
        [forest for index in kept if (forest := forests[index]) is not None],
        config.training,
    )
    trained = minimise(objective, scorer.weights, config.training, report=report, checkpoint=checkpoint)
    lost = tuple(e.problem.id for e, fine in zip(data.examples, reachable, strict=True) if not fine)
    return Model(config, replace(scorer, weights=trained.weights), data.roots, None, trained, lost)


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


def _reachable(
    scorer: LinearScorer, data: _Data, forests: Sequence[tuple[Forest, Forest] | None]
) -> list[bool]:
    """Which examples have a text-math tree of their targets."""
    some = [index for index, forest in enumerate(forests) if forest is not None]
    batch = scorer.batch([data.features[index] for index in some])
    problems = [data.examples[index].problem for index in some]
    packed = PotentialsBatch.from_flat(
        batch.potentials(scorer.weights), [len(p.tokens) for p in problems], [p.anchors for p in problems]
    )
    gold = ForestBatch.of([[forest[0]] for forest in forests if forest is not None])
    sums = log_partitions(packed, gold)[:, 0]
    fine = {index for index, total in zip(some, sums, strict=True) if total > -np.inf}
    return [index in fine for index in range(len(forests))]


def _inner_folds(
    examples: Sequence[Example], config: ModelConfig, groups: Mapping[str, int] | None
) -> list[list[int]]:
    """The examples dealt out: whole groups where there are some, else at random."""
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


def _fit_plausibility(data: _Data, config: ModelConfig, groups: Mapping[str, int] | None) -> Reranker | None:
    """Learn the reranker from candidates of models that did not train on the problem."""
    assert config.plausibility is not None
    folds = _inner_folds(data.examples, config, groups)
    if len(folds) < 2:
        return None
    inner = replace(config, plausibility=None, training=replace(config.training, steps=config.inner_steps))
    readings: list[Annotations] = []
    candidates: list[tuple[Candidate, ...]] = []
    right: list[tuple[bool, ...]] = []
    for held_out in folds:
        kept = sorted(set(range(len(data.examples))) - set(held_out))
        model = _fit_chart(data.subset(kept), inner)
        for index in held_out:
            example = data.examples[index]
            found = model.chart_candidates(example.problem, data.relevants[index])
            readings.append(Annotations.of(example.problem, config.features.lexicon))
            candidates.append(found)
            right.append(tuple(is_right(candidate, example) for candidate in found))
    return Reranker.fit(readings, candidates, right, config.plausibility)

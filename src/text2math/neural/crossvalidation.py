"""Cross-validation of what needs torch: the window network and the contextual scorer.

No training example of a fold, whatever data set it is from, has the text of a test problem, numbers masked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import pairwise, starmap
from pathlib import Path
from typing import Any

import torch

from text2math.data import Dataset, make_folds
from text2math.data.leaks import drop_leaks
from text2math.data.readers import data_folder
from text2math.data.stories.story import SOURCE
from text2math.data.systems import parent_of, whole_problems
from text2math.evaluation.crossvalidation import (
    Protocol,
    Question,
    Report,
    RunFold,
    cross_validate,
    gold_relevance,
    predict,
)
from text2math.evaluation.metrics import Prediction
from text2math.evaluation.variants import WINDOW_SEEDS, Outcome, outcome_of, window_plan
from text2math.inference.forest import Grammar
from text2math.language.problem import Example, Problem
from text2math.learning.crossvalidation import fit_all, fold_numbers
from text2math.learning.training import Fitting, fit
from text2math.model.config import ModelConfig
from text2math.model.encoder_model import encoder_model
from text2math.model.files import parts_of
from text2math.model.model import Model
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.neural.evaluation import (
    Evaluated,
    balanced,
    best_of,
    cached_outputs,
    columns_of,
    evaluate_model,
    evaluate_network,
    fit_reranker,
    outputs_of,
    replayed,
    with_harder,
    without_each,
)
from text2math.neural.lessons import with_implied_numbers
from text2math.neural.mapped import mapped_set, mapped_sets
from text2math.neural.network import TorchNetwork
from text2math.neural.stages import (
    WITH_FOLDS,
    EncoderRecipe,
    Stages,
    Tell,
    by_masked_text,
    pooled,
    splits,
    with_unmapped,
)
from text2math.neural.training import EncoderTraining
from text2math.neural.window import WindowFold, WindowTraining, run_window_fold
from text2math.neural.window_arrays import has_paper_features
from text2math.neural.window_batch import Plan
from text2math.neural.window_folds import AskedFold, FoldNetworks, NetworkOfFold, ask_network, train_fold
from text2math.parallel import Runner, available_cores, run_parallel
from text2math.scorers.encoder import EncoderScorer, Outputs, WordPieces
from text2math.scorers.linear import LinearScorer
from text2math.scorers.scorer import CombinedScorer
from text2math.scorers.window import WindowConfig

# For a few hundred examples: many epochs, and nothing masked.
FEW_EXAMPLES = EncoderTraining(epochs=20, batch=16, hide_words=0.0, hide_facts=0.0, against_all=1.0)
# Networks trained on so little leave room for the reranker's word features, as the discrete model does.
SAME_FOLDS = EncoderRecipe(
    stories=0,
    mixed_in=0,
    held_out=False,
    later=FEW_EXAMPLES,
    reranker=RerankerConfig(),
    paper_grammar=True,
)
SAME_FOLDS_LARGER = replace(SAME_FOLDS, paper_grammar=False)
CORES_PER_FOLD = 3  # that keep a GPU busy while it trains on one fold's few examples
DISCRETE = ModelConfig(reranker=None, identify=False)
DISCRETE_WEIGHTS = (0.0, 0.25, 0.5, 1.0)


def evaluate_windows(
    dataset: Dataset,
    variants: Sequence[str],
    protocol: Protocol,
    config: ModelConfig,
    *,
    training: WindowTraining | None = None,
    seeds: int = WINDOW_SEEDS,
    workers: int | None = None,
    progress: bool = False,
    run: Runner = run_parallel,
) -> Iterator[Outcome]:
    """Cross-validate window networks on top of a discrete model, by the names of their variants.

    The discrete model of a fold is fitted once, for all reaches and seeds. On the paper's features, all
    networks of a fold are trained side by side.
    """
    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    count = min(len(folds), available_cores() if workers is None else workers)
    settings = replace(training or WindowTraining(), threads=1)
    groups = fold_numbers(dataset)
    own = replace(config, training=replace(config.training, threads=1))
    fittings = [_fitting(drop_leaks(train, test), own, groups, protocol) for train, test in folds]
    models = _discrete_models(fittings, count, run)
    if all(
        isinstance(one.scorer, LinearScorer) and has_paper_features(one.scorer) for one in models.values()
    ):
        yield from _windows_side_by_side(dataset, variants, protocol, models, settings, seeds, count, run)
        return
    for variant in variants:
        plan = window_plan(variant)
        configs = [
            WindowFold(
                models[index],
                WindowConfig(reach=plan.reach),
                replace(settings, seed=seed, joint=plan.joint),
            )
            for seed in range(seeds)
            for index in range(len(folds))
        ]
        report = cross_validate(
            folds * seeds,
            run_window_fold,
            configs=configs,
            protocol=protocol,
            workers=workers,
            progress=progress,
            run=run,
        )
        yield outcome_of(dataset, variant, report, seeds)


def _windows_side_by_side(
    dataset: Dataset,
    variants: Sequence[str],
    protocol: Protocol,
    models: Mapping[int, Model],
    training: WindowTraining,
    seeds: int,
    workers: int,
    run: Runner,
) -> Iterator[Outcome]:
    """Train all networks of a fold at once, then ask them one after the other."""
    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    named = {variant: window_plan(variant) for variant in variants}
    plans = [Plan(one.reach, seed, one.joint) for one in named.values() for seed in range(seeds)]
    shares = _shares(len(folds), plans, workers)
    trains = [drop_leaks(*fold) for fold in folds]
    calls = [
        (models[k], trains[k], [one.problem for one in folds[k][1]], protocol, own, training)
        for k, own in shares
    ]
    found = run(train_fold, calls, workers=workers) if workers else enumerate(starmap(train_fold, calls))
    parts: dict[int, list[FoldNetworks]] = {k: [] for k in range(len(folds))}
    for at, part in found:
        parts[shares[at][0]].append(part)
    trained = {k: FoldNetworks.joined(own) for k, own in parts.items()}
    asked: list[list[AskedFold]] = [[] for _ in folds]
    for variant, own in named.items():
        configs = [
            NetworkOfFold(plan, trained[k].networks[plan], models[k], asked[k])
            for plan in (Plan(own.reach, seed, own.joint) for seed in range(seeds))
            for k in range(len(folds))
        ]
        report = cross_validate(folds * seeds, ask_network, configs=configs, protocol=protocol, workers=0)
        yield outcome_of(dataset, variant, _with_training(report, trained, len(variants)), seeds)


def _shares(folds: int, plans: Sequence[Plan], workers: int) -> list[tuple[int, Sequence[Plan]]]:
    """The networks that a process trains at a time: those of a fold.

    Folds that are left when each process has had as many as the others are shared by all processes.
    """
    whole = folds - folds % max(1, workers)
    ordered = sorted(plans, key=lambda plan: (plan.joint, plan.reach))
    ends = [len(ordered) * at // max(1, workers) for at in range(workers + 1)]
    parts = [ordered[start:end] for start, end in pairwise(ends) if start < end]
    return [(k, plans) for k in range(whole)] + [(k, part) for k in range(whole, folds) for part in parts]


def _with_training(report: Report, trained: Mapping[int, FoldNetworks], variants: int) -> Report:
    """With an equal share of what training the networks of all variants took."""
    seeds = len(report.folds) // len(trained)
    shares = [one.processor_seconds / (variants * seeds) for one in trained.values()]
    reports = tuple(
        replace(one, processor_seconds=one.processor_seconds + share)
        for one, share in zip(report.folds, shares * seeds, strict=True)
    )
    seconds = sum(one.seconds for one in trained.values()) / variants
    return replace(report, folds=reports, seconds=report.seconds + seconds)


def _fitting(
    train: Sequence[Example], config: ModelConfig, groups: Mapping[str, int], protocol: Protocol
) -> Fitting:
    relevants = [gold_relevance(example) for example in train] if protocol == "paper" else None
    return Fitting(train, config, relevants, groups)


def _discrete_models(fittings: Sequence[Fitting], workers: int, run: Runner) -> dict[int, Model]:
    """The discrete model of each fold; each process trains its share of the folds."""
    shares = [range(at, len(fittings), max(1, workers)) for at in range(max(1, workers))]
    calls = [([fittings[fold] for fold in share],) for share in shares]
    found = run(fit_all, calls, workers=workers) if workers else enumerate(starmap(fit_all, calls))
    return {fold: model for at, models in found for fold, model in zip(shares[at], models, strict=True)}


@dataclass(frozen=True, slots=True)
class EncoderPlan:
    """How the contextual scorer is cross-validated."""

    recipe: EncoderRecipe = SAME_FOLDS
    pool: bool = False  # train on the other data sets too
    discrete: bool = False  # add the scores of the fold's discrete model
    stories_only: bool = False  # train on nothing but stories
    seeds: int = 1

    @property
    def cross_fitted(self) -> bool:
        """Whether the reranker is cross-fitted; else it learns from a network that saw stories alone."""
        return self.discrete or not self.recipe.stories

    @property
    def of_splits(self) -> bool:
        """Whether the networks are those of the default model's splits."""
        return (self.pool or self.stories_only) and not self.cross_fitted and self.seeds == 1

    @classmethod
    def of(
        cls,
        *,
        pool: bool = False,
        stories: int = 0,
        discrete: bool = False,
        alone: bool = False,
        seeds: int = 1,
        larger: bool = False,
    ) -> EncoderPlan:
        """Train on the training folds and on what is named; the settings suit the number of examples.

        With ``larger``, a network that learns from the folds alone learns systems, implied numbers and
        rounding too; one that also learns from stories always does.
        """
        if alone and not stories:
            raise ValueError("a network that learns from stories alone needs some: say how many")
        few = not pool and not stories
        alone_recipe = SAME_FOLDS_LARGER if larger else SAME_FOLDS
        recipe = alone_recipe if few else EncoderRecipe(stories=stories)
        return cls(recipe, pool=pool, discrete=discrete, stories_only=alone, seeds=seeds)

    @classmethod
    def named(cls, variant: str, seeds: int = 1, *, larger: bool = False) -> EncoderPlan:
        """The plan of one of ``ENCODERS``; ``larger`` as in ``of``."""
        many = EncoderRecipe().stories
        plans = {
            "encoder": cls.of(seeds=seeds, larger=larger),
            "encoder-discrete": cls.of(discrete=True, seeds=seeds),
            "encoder-pool": cls.of(pool=True, stories=many, seeds=seeds),
            "stories-only": cls.of(stories=many, alone=True),
        }
        return plans[variant]


def evaluate_encoder(
    dataset: Dataset,
    variant: str,
    plan: EncoderPlan,
    encoder: Path,
    *,
    tested: Sequence[int] | None = None,
    data: Path | None = None,
    work: Path | None = None,
    tell: Tell = print,
    progress: bool = False,
) -> Outcome:
    """Cross-validate the contextual scorer under the honest protocol.

    ``tested`` are the folds to test on, all of them by default. Derived sentences are trained on but never
    tested. ``work`` is a folder that keeps trained networks for other variants and for a run that resumes;
    without it they are trained again each time. Folds that share no network run in parallel if there are a
    GPU and many cores.
    """
    numbers = range(len(dataset.folds)) if tested is None else tested
    whole = whole_problems(dataset)
    folds = [(dataset.fold(number)[0], whole.fold(number)[1]) for number in numbers]
    with tempfile.TemporaryDirectory() as temporary:
        stages = Stages(encoder, work or Path(temporary), plan.recipe, tell)
        if plan.of_splits and dataset.name in WITH_FOLDS:
            run: RunFold = run_split_fold
            configs: list[Any] = _split_folds(plan, stages, data, numbers)
            workers = 0
        else:
            run = run_encoder_fold
            pool = other_data(data, stages.work) if plan.pool else ()
            first_stage = dict[str, Evaluated]()
            configs = [
                _EncoderFold(plan, stages, pool, seed, first_stage)
                for seed in range(plan.seeds)
                for _ in folds
            ]
            in_parallel = torch.cuda.is_available() and not plan.recipe.stories
            workers = available_cores() // CORES_PER_FOLD if in_parallel else 0
        report = cross_validate(folds * plan.seeds, run, configs=configs, workers=workers, progress=progress)
    measured = replace(whole, folds=tuple(whole.folds[number] for number in numbers))
    return outcome_of(measured, variant, report, plan.seeds)


def system_set(name: str, data: Path | None, work: Path) -> Dataset:
    """A data set of systems under the larger grammar, with its derived sentences; mapped once and kept."""
    return mapped_set(name, data_folder(data), work)


@cache
def _data_sets(data: Path | None, work: Path) -> tuple[Dataset, ...]:
    return tuple(map(with_unmapped, mapped_sets(data_folder(data), work)))


def other_data(data: Path | None, work: Path) -> tuple[Example, ...]:
    """Every problem of a folder of data sets that the grammar expresses, once each."""
    examples = (example for one in _data_sets(data, work) for example in one.examples)
    return tuple(by_masked_text(examples).values())


@dataclass(frozen=True, slots=True, eq=False)
class _SplitFold:
    """The candidates of one of the default model's splits on the problems it holds out, and its reranker."""

    evaluated: Sequence[Evaluated]
    reranker: Reranker | None


def _split_folds(
    plan: EncoderPlan, stages: Stages, data: Path | None, numbers: Sequence[int]
) -> list[_SplitFold]:
    """Some of the default model's splits; those that are done are loaded from their folder.

    A split trains on no fold of its number.
    """
    source = (stages.encoder, stages.work, stages.recipe, data)
    if plan.stories_only:
        return [_SplitFold(_first_stage(*source), None)] * len(numbers)
    ready = _with_rerankers(*source)
    return [ready[number] for number in numbers]


@lru_cache(maxsize=1)
def _first_stage(encoder: Path, work: Path, recipe: EncoderRecipe, data: Path | None) -> list[Evaluated]:
    """The candidates of the network that saw stories alone, for all data sets that are asked for in a run."""
    return Stages(encoder, work, recipe).evaluated_first_stage(splits(_data_sets(data, work)))


@lru_cache(maxsize=1)
def _with_rerankers(encoder: Path, work: Path, recipe: EncoderRecipe, data: Path | None) -> list[_SplitFold]:
    """Each split with a reranker from the other splits and held-out sheets, as in the card."""
    stages, five = Stages(encoder, work, recipe), splits(_data_sets(data, work))
    parts, harder = stages.evaluated_splits(five), stages.evaluated_harder(five)
    sheets = [one for one in _first_stage(encoder, work, recipe, data) if one.source == SOURCE]
    others = with_harder([*map(balanced, without_each([*parts, sheets])[: len(parts)])], harder)
    fitted = (fit_reranker(some, recipe.reranker) for some in others)
    return [_SplitFold(part, reranker) for part, reranker in zip(parts, fitted, strict=True)]


def run_split_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: _SplitFold
) -> list[Prediction]:
    """Answer questions as the network of a split did; the words that unknowns own were not kept."""
    known = {one.problem.text: one for one in config.evaluated}
    return [_prediction(known[question.problem.text], config.reranker) for question in questions]


def _prediction(one: Evaluated, reranker: Reranker | None) -> Prediction:
    best = best_of(one, reranker)
    if best is None:
        return Prediction(None, None)
    return Prediction(one.candidates[best].mathematics, None, one.candidates[best].answers or None)


@dataclass(frozen=True, slots=True, eq=False)
class _EncoderFold:
    """What one fold is run with."""

    plan: EncoderPlan
    stages: Stages
    pool: tuple[Example, ...]
    seed: int
    first_stage: dict[str, Evaluated]  # by masked text: candidates of the network that saw stories alone


def run_encoder_fold(
    train: tuple[Example, ...], questions: tuple[Question, ...], config: _EncoderFold
) -> list[Prediction]:
    """Train a network and answer questions from their text alone."""
    test = [question.problem for question in questions]
    plan = config.plan
    examples = pooled([*train, *config.pool], test)
    if plan.cross_fitted:
        model = _cross_fitted(examples, test, config)
    else:
        model = _after_stories(examples, test, config)
    return [predict(model, question) for question in questions]


def _after_stories(examples: Sequence[Example], test: Sequence[Problem], config: _EncoderFold) -> Model:
    """A model whose reranker learns from a network that saw stories alone, and so none of the examples."""
    stages, grammar = config.stages, config.stages.recipe.grammar
    if config.plan.stories_only:
        scorer = EncoderScorer(TorchNetwork(stages.stories()), stages.pieces, columns=columns_of(grammar))
        return encoder_model(scorer, grammar=grammar)
    outputs = _outputs(examples, test, config)
    model = encoder_model(replayed(outputs, stages.pieces, grammar), grammar=grammar)
    known = by_masked_text(examples)
    new = [example for mask, example in known.items() if mask not in config.first_stage]
    found = evaluate_network(TorchNetwork(stages.stories()), stages.pieces, new, grammar)
    config.first_stage.update(zip(by_masked_text(new), found, strict=True))
    reranker = fit_reranker([config.first_stage[mask] for mask in known], stages.recipe.reranker)
    return replace(model, reranker=reranker)


def _cross_fitted(examples: Sequence[Example], test: Sequence[Problem], config: _EncoderFold) -> Model:
    """Cross-fitting: the reranker and the weight of the discrete scores learn from held-out quarters."""
    parts = [(_scores(rest, problems_of(held), config), held) for rest, held in _quarters(examples, config)]
    weights = DISCRETE_WEIGHTS if config.plan.discrete else (0.0,)
    evaluated = {
        weight: [one for scores, held in parts for one in evaluate_model(scores.model(weight), held)]
        for weight in weights
    }
    right = {
        weight: sum(bool(one.right) and one.right[0] for one in found) for weight, found in evaluated.items()
    }
    best = max(weights, key=lambda weight: (right[weight], -weight))
    reranker = fit_reranker(evaluated[best], config.plan.recipe.reranker) if parts else None
    return replace(_scores(examples, test, config).model(best), reranker=reranker)


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """The outputs of a network for some problems, and perhaps a discrete scorer."""

    outputs: Sequence[Outputs]
    pieces: WordPieces
    discrete: LinearScorer | None
    grammar: Grammar

    def model(self, weight: float) -> Model:
        """The model with the discrete scores times a weight added; it must get the problems in order."""
        scorer = replayed(self.outputs, self.pieces, self.grammar)
        if self.discrete is None or not weight:
            return encoder_model(scorer, grammar=self.grammar)
        discrete = self.discrete.extended((), scorer.symbols)  # symbols it has not seen score zero
        weighed = replace(discrete, weights=weight * discrete.weights)
        return encoder_model(CombinedScorer(weighed, scorer), grammar=self.grammar)


def _scores(examples: Sequence[Example], test: Sequence[Problem], config: _EncoderFold) -> _Scores:
    discrete = parts_of(fit(examples, DISCRETE).scorer)[0] if config.plan.discrete else None
    stages = config.stages
    return _Scores(_outputs(examples, test, config), stages.pieces, discrete, stages.recipe.grammar)


def _outputs(examples: Sequence[Example], test: Sequence[Problem], config: _EncoderFold) -> list[Outputs]:
    """The outputs of a network trained on the examples; cached, so that it is trained once."""
    stages = config.stages
    key = (
        stages.recipe.key,
        config.seed,
        [one.problem.text for one in examples],
        [one.text for one in test],
    )
    name = blake2b(repr(key).encode("utf-8"), digest_size=10).hexdigest()

    def compute() -> list[Outputs]:
        network = stages.later(None, examples, config.seed)
        problems = [with_implied_numbers(Example(one, None), stages.recipe.grammar).problem for one in test]
        return outputs_of(TorchNetwork(network), stages.pieces, problems)

    return cached_outputs(stages.work / f"{name}.npz", compute)


def _quarters(
    examples: Sequence[Example], config: _EncoderFold
) -> Iterator[tuple[list[Example], list[Example]]]:
    """Each quarter of the examples, after the other three; derived sentences stay with their problem."""
    whole = [example for example in examples if parent_of(example) is None]
    parts = min(4, len(by_masked_text(whole)))
    for held in map(set, make_folds(whole, parts, config.seed) if parts > 1 else ()):
        test = [example for example in whole if example.problem.id in held]
        rest = [example for example in examples if (parent_of(example) or example.problem.id) not in held]
        yield pooled(rest, problems_of(test)), test


def problems_of(examples: Sequence[Example]) -> list[Problem]:
    """The problems of examples."""
    return [example.problem for example in examples]

"""The recipe of the default model: train on stories, then on everything; evaluate on held-out data; export.

1. The encoder is trained on stories alone (exercises, retold). Its candidates on held-out sheets, which are
   by other authors, as users' texts are, train the reranker.
2. It is trained further on the data sets, five times, each time without a fifth of them (the paper's folds
   where a data set has them), with several random seeds. The candidates of the mean of these networks on that
   fifth train the reranker, and give the figures of the card, with rerankers that learned from the other
   fifths. The reranker also learns from copies of these problems with an irrelevant number.
3. It is trained further on everything, with several random seeds. The model is the mean of these networks and
   of the five means above.
4. The mean's candidates on the held-out sheets, which none of its networks was trained on, calibrate the
   probabilities. Those of the splits would not do: the other problems of a data set are by the same authors,
   so that a network is surer of them.

Finished networks and their candidates are kept in a folder, so that an interrupted run resumes.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from text2math.data import Dataset, load, load_all
from text2math.data.readers import FORMATS
from text2math.data.stories import every_question, generate
from text2math.data.stories.sheets import sheet_names
from text2math.data.stories.story import SOURCE
from text2math.evaluation.reliability import HeldOut, by_source
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example
from text2math.learning.recipes import examined, tried
from text2math.model.calibration import calibrated, expected_error, fit_temperature
from text2math.model.encoder_model import encoder_model, exported_scorer
from text2math.model.files import SavedModel
from text2math.model.none_of_these import NoneOfThese, Ranked
from text2math.model.presence import Presence, texts_without
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.neural.evaluation import (
    Evaluated,
    balanced,
    best_of,
    columns_of,
    evaluate_network,
    evenly,
    fit_reranker,
    is_beyond,
    with_harder,
    without_each,
)
from text2math.neural.export import to_onnx
from text2math.neural.mapped import mapped_sets
from text2math.neural.network import EncoderNetwork, TorchNetwork
from text2math.neural.stages import (
    WITH_FOLDS,
    EncoderRecipe,
    Job,
    Stages,
    Tell,
    by_masked_text,
    splits,
    with_unmapped,
)
from text2math.scorers.encoder import OnnxNetwork

UNSEEN = 1200  # stories on which the cost of quantisation is measured
UNSEEN_SEED = 90_001  # a random seed that no training stories have
EXERCISES = 9000  # that presence learns from, told once each
BEYOND = 0.03  # exercises beyond the grammar for each other one that probabilities are calibrated on
PRIOR = 20.0  # how many texts hold a problem for each that holds none

ABOUT = """\
A small transformer reads the whole text and scores every text-math tree: arithmetic word problems, sentences
that state an equation, systems of equations, known facts, numbers that are referred to again, and rounding.
It runs with onnxruntime and tokenizers, without torch."""
COMMAND = "text2math train --recipe default --data DATA --encoder all-MiniLM-L6-v2 --out default.t2m"


def bake_default(
    data: Path, encoder: Path, work: Path, recipe: EncoderRecipe | None = None, *, tell: Tell = print
) -> SavedModel:
    """Train the model on a folder of data sets, starting from an encoder; ``work`` keeps finished stages."""
    recipe = recipe or EncoderRecipe()
    stages = Stages(encoder, work, recipe, tell)
    sets = load_all(data) if recipe.paper_grammar else [*map(with_unmapped, mapped_sets(data, work))]
    examples = (example for one in [*sets, load("corpus")] for example in one.examples)
    everything = list(by_masked_text(examples).values())
    five = splits(sets)
    finals = [Job(f"final{seed}", everything, seed) for seed in range(recipe.finals)]
    # In parallel with the splits' networks, if there is a GPU.
    stages.train_later([*stages.unevaluated(five), *([] if stages.done("mean") else finals)])
    tell("evaluating")
    evaluated = stages.evaluated_splits(five)
    harder = stages.evaluated_harder(five)
    seeds = stages.evaluated_seeds(five)
    first_stage = stages.evaluated_first_stage(five) if recipe.stories else []
    tell("exporting")
    mean = stages.mean("mean", [*(job.name for job in finals), *(one.name for one in five)])
    exported = to_onnx(mean)
    sheets = [one for one in first_stage if one.source == SOURCE]
    held_out = [*(one for part in evaluated for one in part), *sheets]
    reranker = fit_reranker([*balanced(held_out), *chain(*harder)], recipe.reranker)
    exercises = stages.evaluated("mean", lambda: mean, stages.held_out_exercises()) if sheets else []
    tested = [*chain(*(split.test for split in five)), *stages.held_out_exercises()]
    by_others = with_few_beyond(exercises, beyond_among(tested)) if sheets else held_out
    temperature, none = calibration(by_others, reranker)
    figures = held_out_figures(evaluated, harder, seeds, sheets, exercises, tested, sets, recipe.reranker)
    card: dict[str, Any] = {
        "about": ABOUT,
        "grammar": "paper" if recipe.paper_grammar else "larger",
        **figures,
        "sheets": sheet_names(),
        "notes": [
            *_notes(figures["means"], figures["seeds"], first_stage, temperature),
            _data(recipe, len(everything)),
            _cost_of_quantisation(stages, mean, exported),
        ],
        "command": COMMAND,
    }
    scorer = exported_scorer(exported, stages.tokenizer, columns=columns_of(recipe.grammar))
    model = encoder_model(scorer, reranker, grammar=recipe.grammar)
    presence = fit_presence(everything, larger=None if recipe.grammar.knowledge else False)
    whole = replace(model, temperature=temperature, none_of_these=none, presence=presence)
    return tried(examined(SavedModel(whole, "default", card)))


def fit_presence(examples: Sequence[Example], *, larger: bool | None) -> Presence:
    """Whether a text holds mathematics, from examples, exercises, and statements that relate nothing.

    A network learns from problems alone, and finds an equation in "I have 3 dogs." too.
    """
    rng = random.Random(0)
    told = [story.example() for story in every_question("training", larger=False)]
    rng.shuffle(told)
    others = [story.example() for story in every_question("training", larger=larger)]
    present = [*examples, *rng.sample(others, min(len(others), EXERCISES))]
    statements = {
        problem.text: problem
        for problem in texts_without(told[:EXERCISES])
        if problem.quantities and not any(token.in_question for token in problem.tokens)
    }
    problems = [example.problem for example in present]
    absent = list(statements.values())
    return Presence.fit(problems, absent, Lexicon.default(), min_count=10, prior=PRIOR)


def with_few_beyond(exercises: Sequence[Evaluated], beyond: Collection[tuple[str, str]]) -> list[Evaluated]:
    """The exercises, but only a few of those beyond the grammar: fewer of users' texts are."""
    outside = [one for one in exercises if (one.source, one.problem.id) in beyond]
    inside = [one for one in exercises if (one.source, one.problem.id) not in beyond]
    return [*inside, *evenly(outside, max(1, round(BEYOND * len(inside))))]


def beyond_among(examples: Iterable[Example]) -> set[tuple[str, str]]:
    """The sources and ids of the examples that are beyond the grammar."""
    return {(example.source, example.problem.id) for example in examples if is_beyond(example)}


def calibration(evaluated: Sequence[Evaluated], reranker: Reranker) -> tuple[float, NoneOfThese]:
    """The temperature, and the probability that no candidate is right, from held-out texts."""
    temperature = _temperature(evaluated, reranker)
    return temperature, _none_of_these(evaluated, reranker, temperature)


def _scores(one: Evaluated, reranker: Reranker) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(reranker.scores(one.annotations, one.candidates))


def _temperature(evaluated: Sequence[Evaluated], reranker: Reranker) -> float:
    """The temperature, from texts with a right candidate; ``_none_of_these`` accounts for the others."""
    scored = [(_scores(one, reranker), one.right) for one in evaluated if any(one.right)]
    return fit_temperature([scores for scores, _ in scored], [right[int(s.argmax())] for s, right in scored])


def _ranked(one: Evaluated, reranker: Reranker, temperature: float) -> Ranked:
    probabilities = calibrated(_scores(one, reranker), temperature)
    candidates = [
        replace(candidate, probability=float(probability))
        for candidate, probability in zip(one.candidates, probabilities, strict=True)
    ]
    ordered = sorted(candidates, key=lambda candidate: -candidate.probability)
    return Ranked(one.annotations, ordered, one.beyond, one.asked)


def _none_of_these(evaluated: Sequence[Evaluated], reranker: Reranker, temperature: float) -> NoneOfThese:
    """The probability that no candidate is right, from held-out texts, some of them beyond the grammar."""
    some = [one for one in evaluated if one.candidates]
    texts = [_ranked(one, reranker, temperature) for one in some]
    return NoneOfThese.fit(texts, [any(one.right) for one in some])


def _right(one: Evaluated, reranker: Reranker | None = None) -> bool:
    """Whether the best candidate is right, reranked or as the chart ranks it."""
    best = best_of(one, reranker)
    return best is not None and one.right[best]


def held_out_figures(
    evaluated: Sequence[Sequence[Evaluated]],
    harder: Sequence[Sequence[Evaluated]],
    seeds: Sequence[Sequence[Sequence[Evaluated]]],
    sheets: Sequence[Evaluated],
    exercises: Sequence[Evaluated],
    examples: Iterable[Example],
    sets: Sequence[Dataset],
    config: RerankerConfig,
) -> dict[str, Any]:
    """The card's figures: each split, and each half of the sheets, with a reranker from all the others.

    Rerankers learn from ``sheets``, the first stage's candidates on held-out sheets; probabilities are
    calibrated on ``exercises``, the mean's, or on the other half of them. A split is evaluated with the mean
    of its networks; ``seeds`` are those networks one by one. ``examples`` are all that were evaluated; they
    say which of them are beyond the grammar.
    """
    beyond = beyond_among(examples)
    others = without_each([*evaluated, *halves(sheets)])
    rerankers = [fit_reranker(some, config) for some in with_harder([*map(balanced, others)], harder)]
    two, count = halves(exercises), len(evaluated)
    calibrated_on = [*[exercises] * count, *without_each(two)]
    by_others = [
        with_few_beyond(own, beyond) if own else some for own, some in zip(calibrated_on, others, strict=True)
    ]
    fitted = zip([*evaluated, *two], by_others, rerankers, strict=True)
    answered = [cross_fitted(*one, beyond=beyond) for one in fitted]
    return {
        **_figures([*chain(*answered[:count])]),
        "reliability": by_source(chain(*answered)),
        "means": fold_means(evaluated, rerankers[:count], sets),
        "seeds": [fold_means(parts, rerankers[:count], sets) for parts in seeds],
    }


def halves(sheets: Sequence[Evaluated]) -> list[list[Evaluated]]:
    """The exercises of held-out sheets in two parts; those of one sheet, by one author, stay together."""
    names = sorted({_sheet(one) for one in sheets})
    parts = [[one for one in sheets if names.index(_sheet(one)) % 2 == half] for half in (0, 1)]
    return [part for part in parts if part]


def _sheet(one: Evaluated) -> str:
    return one.problem.id.rpartition(" ")[0]


def cross_fitted(
    part: Sequence[Evaluated],
    others: Sequence[Evaluated],
    reranker: Reranker,
    *,
    beyond: Collection[tuple[str, str]],
) -> list[HeldOut]:
    """The answers to a part of the held-out problems, their probabilities calibrated on others.

    The reranker did not learn from the part. ``beyond`` has the sources and ids of problems without gold.
    """
    temperature = _temperature(others, reranker)
    none = _none_of_these(others, reranker, temperature)
    return [
        HeldOut(
            _dataset(one.source),
            (one.source, one.problem.id) in beyond,
            _probability(one, reranker, temperature, none),
            _right(one, reranker),
        )
        for one in part
    ]


def _dataset(source: str) -> str:
    """The name that a card has for a source; derived sentences count with their data set."""
    return "exercises" if source == SOURCE else source.partition(",")[0]


def fold_means(
    evaluated: Sequence[Sequence[Evaluated]], rerankers: Sequence[Reranker], sets: Sequence[Dataset]
) -> dict[str, dict[str, Any]]:
    """For each data set with folds, the accuracy on each fold and their mean, plain and reranked.

    All problems of a fold count, but not the sentences derived from them. A data set with a test set of its
    own also has the accuracy on that.
    """
    found: dict[str, dict[str, Any]] = {}
    for number, (part, reranker) in enumerate(zip(evaluated, rerankers, strict=True)):
        for dataset in (one for one in sets if one.name in WITH_FOLDS and number < len(one.folds)):
            own = [one for one in part if one.source == dataset.name]
            derived = {one.problem.id for one in dataset.examples if one.source != dataset.name}
            count = len(set(dataset.folds[number]) - derived)
            for name, ranker in {"plain": None, "reranked": reranker}.items():
                right = sum(_right(one, ranker) for one in own)
                figures = found.setdefault(dataset.name, {}).setdefault(name, [])
                figures.append(round(100 * right / count, 2))
    return {
        dataset: {name: _of_folds(folds, FORMATS[dataset].test_fold) for name, folds in both.items()}
        for dataset, both in found.items()
    }


def _of_folds(folds: Sequence[float], test: int | None) -> dict[str, Any]:
    figures: dict[str, Any] = {"folds": folds, "mean": round(sum(folds) / len(folds), 2)}
    return figures if test is None else figures | {"test": folds[test]}


def _notes(
    means: Mapping[str, Mapping[str, Any]],
    seeds: Sequence[Mapping[str, Mapping[str, Any]]],
    first_stage: Sequence[Evaluated],
    temperature: float,
) -> list[str]:
    shown = ";\n".join(
        f"{dataset}{' (test set)' if 'test' in both['plain'] else ''} "
        + ", ".join(f"{_shown(one):.1f} {name}" for name, one in both.items())
        for dataset, both in means.items()
    )
    notes = [
        f"Means over each data set's own folds, without derived sentences:\n{shown}.\nA fifth's reranker "
        "learned from the candidates of the other fifths (no copies with other numbers) and of\n"
        f"held-out sheets; the networks of those fifths had trained on this one.\nThe temperature is "
        f"{temperature:.3f}.",
        "`corpus` is our own writing; its errors were read during development, and this model, trained on "
        "everything,\nhas seen it.",
    ]
    if len(seeds) > 1:
        one_by_one = "; ".join(
            f"{dataset} {', '.join(format(_shown(one[dataset]['reranked']), '.1f') for one in seeds)}"
            for dataset in means
        )
        notes.append(
            f"Each split's network is the mean of {len(seeds)}, as the model is a mean. The networks of each "
            f"random seed alone,\nreranked: {one_by_one}."
        )
    if first_stage:
        groups = {name: name for name in (*WITH_FOLDS, "corpus")} | {SOURCE: "exercises by other authors"}
        shares = [
            f"{shown} {100 * sum(map(_right, own)) / len(own):.1f}"
            for name, shown in groups.items()
            if (own := [one for one in first_stage if one.source == name])
        ]
        notes.append(f"The network that saw stories alone, not reranked: {', '.join(shares)}.")
    return notes


def _shown(figures: Mapping[str, Any]) -> float:
    """The accuracy on the test set of its own, if the data set has one, else the mean over the folds."""
    return float(figures.get("test", figures["mean"]))


def _data(recipe: EncoderRecipe, problems: int) -> str:
    stories = recipe.stories + (0 if recipe.paper_grammar else recipe.larger + recipe.beyond)
    mixed = min(recipe.mixed_in, stories)
    return (
        f"Data: first {stories:,} stories (exercises, retold), {recipe.first.epochs} times; then, "
        f"{recipe.later.epochs} times, {mixed:,} of them\nand {problems:,} problems (once each, numbers "
        "masked), many of these also with a sentence of a story\nadded whose number is irrelevant. The "
        "encoder it starts from is all-MiniLM-L6-v2 (Apache-2.0)."
    )


def _cost_of_quantisation(stages: Stages, mean: EncoderNetwork, exported: bytes) -> str:
    """What the 8-bit weights of the export cost, on exercises retold with numbers that no network saw."""
    stories = [story.example() for story in generate(UNSEEN, seed=UNSEEN_SEED, larger=False)]
    pieces, grammar = stages.pieces, stages.recipe.grammar
    shares = [
        100 * sum(_right(one) for one in evaluate_network(network, pieces, stories, grammar)) / len(stories)
        for network in (TorchNetwork(mean.to("cpu").float()), OnnxNetwork(exported))
    ]
    return (
        f"Weights have 8 bits. On {len(stories):,} exercises retold with other numbers this costs "
        f"{shares[0] - shares[1]:.2f} points ({shares[0]:.2f} to {shares[1]:.2f})."
    )


def _figures(answered: Sequence[HeldOut]) -> dict[str, Any]:
    """The accuracy in each data set; over all of them, calibration and what a least probability does."""
    tallies: dict[str, dict[str, int]] = {}
    for one in answered:
        for group in ("all", one.source):
            tally = tallies.setdefault(group, {"right": 0, "all": 0})
            tally["right"] += one.right
            tally["all"] += 1
    given = [one.probability or 0.0 for one in answered]
    marks = [one.right for one in answered]
    curve = [_at_least(least, given, marks) for least in (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)]
    return {"judged": tallies, "calibration_error": expected_error(given, marks), "curve": curve}


def _probability(one: Evaluated, reranker: Reranker, temperature: float, none: NoneOfThese) -> float | None:
    """The probability of the best candidate, if there is one."""
    if not one.candidates:
        return None
    ranked = _ranked(one, reranker, temperature)
    return (1 - none.probability(ranked)) * ranked.candidates[0].probability


def _at_least(least: float, given: Sequence[float], marks: Sequence[bool]) -> dict[str, float]:
    """How many problems get an answer of at least this probability, and how many of these are right."""
    answered = [mark for probability, mark in zip(given, marks, strict=True) if probability >= least]
    return {
        "min_probability": least,
        "coverage": round(100 * len(answered) / len(marks), 1),
        "accuracy": round(100 * sum(answered) / max(1, len(answered)), 1),
    }

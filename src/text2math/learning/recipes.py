"""Recipes: how the models that come with the package are made, from the data to the model card.

``text2math train --recipe small --data ../shared/data --out small.t2m`` runs this.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from text2math.data import load, load_all, make_folds, mask_numbers
from text2math.data.phrases import phrases
from text2math.data.stories import generate
from text2math.evaluation.metrics import is_correct
from text2math.language.annotations import Annotations
from text2math.language.problem import Example, Problem
from text2math.learning.optimise import Report
from text2math.learning.training import fit, fit_presence
from text2math.mathematics.expression import Operation, is_equation
from text2math.model.calibration import cross_fitted_error, expected_error, fit_temperature
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.files import SavedModel
from text2math.model.model import Model
from text2math.model.presence import LEAST, texts_without

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model is made of: the data sets of a folder, exercises we retell, and settings."""

    name: str
    about: str
    stories: int  # exercises retold, beside the data sets
    config: ModelConfig
    folds: int = 10  # one of them is held out for the card's figures
    seed: int = 0


SMALL = Recipe(
    "small",
    "Discrete features; arithmetic word problems and sentences that state an equation.",
    stories=9000,
    config=ModelConfig(
        # On this many examples, eight passes of Adam get further than fifty steps of L-BFGS.
        training=TrainingConfig(optimizer="adam", steps=8, rate=0.02, batch=16),
        candidates=10,  # each costs time: this keeps a parse within a few milliseconds
        inner_folds=2,
        inner_steps=4,
        min_count=2,
    ),
)
RECIPES = {recipe.name: recipe for recipe in (SMALL,)}


def read_everything(recipe: Recipe, data: Path | None) -> tuple[Example, ...]:
    """Every example that the grammar expresses, once: our corpus, the folder's data sets, the stories.

    Texts that differ only in their numbers count as one; the first source that has it keeps it. A gold that
    is a single number is left out, for there is nothing to learn from it but to repeat numbers.
    """
    seen: set[str] = set()
    examples: list[Example] = []
    for name, found in _sources(recipe, data):
        for example in found:
            masked = mask_numbers(example.problem.text)
            if isinstance(example.expression, Operation) and masked not in seen:
                seen.add(masked)
                problem = replace(example.problem, id=f"{name}/{example.problem.id}")
                examples.append(replace(example, problem=problem, source=name))
    return tuple(examples)


def _sources(recipe: Recipe, data: Path | None) -> Iterator[tuple[str, Sequence[Example]]]:
    yield "corpus", load("corpus").examples
    yield "phrases", phrases()
    if data is not None:
        for dataset in load_all(data):
            yield dataset.name, dataset.examples
    yield "stories", [story.example() for story in generate(recipe.stories, recipe.seed, larger=False)]


@dataclass(frozen=True, slots=True)
class Trial:
    """A model tried on examples it did not train on: accuracy by source, temperature, calibration error."""

    model: Model
    accuracy: dict[str, tuple[int, int]]  # right, all
    temperature: float
    calibration_error: float
    presence: dict[str, int]  # texts with mathematics and kept, without and refused
    seconds: float


def try_out(examples: Sequence[Example], recipe: Recipe, *, report: Report | None = None) -> Trial:
    """Train without one fold of the examples and judge the model on it.

    The temperature is fitted on all of the fold; the calibration error is measured on each half with the
    temperature of the other.
    """
    began = time.perf_counter()
    real = [example for example in examples if example.source not in ("stories", "phrases")]
    held = frozenset(make_folds(real, recipe.folds, recipe.seed)[0])
    train = [example for example in examples if example.problem.id not in held]
    test = [example for example in examples if example.problem.id in held]
    model = fit(train, recipe.config, report=report)
    scores, right, tallies = [], [], Counter[tuple[str, bool]]()
    for example in test:
        found = model.candidates(example.problem)
        fine = bool(found) and is_correct(found[0].mathematics, example)
        for group in ("all", f"all {_task(example)}", example.source):
            tallies[group, fine] += 1
        if found:
            scores.append(np.array([one.log_probability for one in found]))
            right.append(fine)
    accuracy = {
        group: (tallies[group, True], tallies[group, True] + tallies[group, False])
        for group in dict.fromkeys(group for group, _ in tallies)
    }
    return Trial(
        model,
        accuracy,
        fit_temperature(scores, right),
        cross_fitted_error(scores, right),
        _judge_presence(train, test, recipe.config),
        time.perf_counter() - began,
    )


def _judge_presence(train: Sequence[Example], test: Sequence[Example], config: ModelConfig) -> dict[str, int]:
    presence, lexicon = fit_presence(train, config), config.features.lexicon

    def passed(problems: Sequence[Problem]) -> int:
        return sum(presence.probability(Annotations.of(problem, lexicon)) >= LEAST for problem in problems)

    # Prose of our own has no id: all of it is in the training.
    absent = [problem for problem in texts_without(test) if problem.id]
    present = [example.problem for example in test]
    return {
        "present": len(present),
        "kept": passed(present),
        "absent": len(absent),
        "refused": len(absent) - passed(absent),
    }


def _task(example: Example) -> str:
    assert example.expression is not None
    return "equations" if is_equation(example.expression) else "arithmetic"


def bake(
    recipe: Recipe, data: Path | None, *, tell: Tell = lambda line: None, report: Report | None = None
) -> SavedModel:
    """Make a model: figures and temperature from a trial, the weights from all examples."""
    examples = read_everything(recipe, data)
    tell(f"{len(examples)} examples; first a trial without a tenth of them")
    trial = try_out(examples, recipe, report=report)
    tell(f"trial: {_share(trial.accuracy['all'])} right; now all examples")
    final = fit(examples, replace(recipe.config, reranker=None), report=report)
    model = replace(
        final,
        config=recipe.config,
        # The reranker learned from models that had not seen its problems: what the trial learned stays.
        reranker=trial.model.reranker,
        temperature=trial.temperature,
        presence=fit_presence(examples, recipe.config),
    )
    return examined(SavedModel(model, recipe.name, card(recipe, examples, trial)))


def examined(saved: SavedModel) -> SavedModel:
    """The model, with what it makes of the exam in its card: no model learns from those problems."""
    tallies: dict[str, dict[str, int]] = {}
    marks, given = [], []
    for example in load("exam").examples:
        found = saved.model.read(example.problem, top=1)
        right = bool(found) and is_correct(found[0].mathematics, example)
        if found:  # else it gave no answer, and so no probability to be wrong about
            marks.append(right)
            given.append(found[0].probability)
        tally = tallies.setdefault(_task(example), {"right": 0, "all": 0})
        tally["right"] += right
        tally["all"] += 1
    exam = {"tasks": tallies, "calibration_error": expected_error(given, marks)}
    return replace(saved, card={**saved.card, "exam": exam})


def _share(tally: tuple[int, int]) -> str:
    return f"{tally[0]} of {tally[1]} ({100 * tally[0] / tally[1]:.1f} %)"


def card(recipe: Recipe, examples: Sequence[Example], trial: Trial) -> dict[str, Any]:
    """What a model is made of and how well it did on what it had not seen, as data."""
    return {
        "about": recipe.about,
        "examples": len(examples),
        "sources": dict(Counter(example.source for example in examples)),
        "unreachable": len(trial.model.unreachable),
        "held_out": {
            group: {"right": right, "all": count} for group, (right, count) in trial.accuracy.items()
        },
        "temperature": round(trial.temperature, 4),
        "calibration_error": round(trial.calibration_error, 4),
        "presence": trial.presence,
        "command": f"text2math train --recipe {recipe.name} --data DATA --out {recipe.name}.t2m",
    }

"""Recipes: how the models that come with the package are made, from the data to the model card.

``text2math train --recipe small --data DATA --out small.t2m`` runs this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from text2math.data import load, load_all, make_folds, mask_numbers
from text2math.data.corpus import PLAIN
from text2math.data.phrases import phrases
from text2math.data.stories import every_question
from text2math.evaluation.exam import ALL_PARTS, BEYOND, sit_exam
from text2math.evaluation.robustness import effects, right_by
from text2math.language.annotations import Annotations
from text2math.language.problem import Example, Problem, read_problem
from text2math.learning.optimise import Report
from text2math.learning.training import fit_presence, task, train
from text2math.mathematics.expression import Operation, Operator, operators, variables
from text2math.model.candidates import Candidate
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.files import SavedModel, compact
from text2math.model.model import Model
from text2math.model.presence import LEAST, texts_without
from text2math.model.reranker import TEMPLATES as RERANKER_TEMPLATES
from text2math.model.reranker import RerankerConfig
from text2math.scorers.features import WHOLE_TEMPLATES, FeatureConfig

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a model is made of: the data sets of a folder, exercises we retell, and settings."""

    name: str
    about: str
    stories: float  # the share of the questions of our sheets that is told, beside the data sets
    config: ModelConfig
    # Longer examples are left out: a discrete model rarely gets them right, and their charts are slow.
    words: int = 50
    operations: int = 3
    uncalibrated: tuple[str, ...] = ()  # see ``train``
    # How many candidates the finished model ranks, and how far below the best of them one may score, where
    # not as in training (``config``).
    ranked: int | None = None
    margin: float | None = None
    seed: int = 0


SMALL = Recipe(
    "small",
    "Discrete features; arithmetic word problems and sentences that state an equation.",
    stories=0.8,
    config=ModelConfig(
        # Pairs of words as written are left out: the file has to stay below 2 MB.
        features=FeatureConfig(pairs=("bigram-lemma", "bigram-pos"), whole=tuple(WHOLE_TEMPLATES)),
        # Batches: L-BFGS would look at all of this many examples before each step.
        training=TrainingConfig(optimizer="adam", steps=2, rate=0.03, batch=48),
        reranker=RerankerConfig(templates=tuple(RERANKER_TEMPLATES), min_count=5),
        candidates=10,
        inner_folds=2,
        inner_steps=3,
        from_inner=True,
        min_count=5,
    ),
    # A third of the held-out problems, of which four in five are misread.
    uncalibrated=("gsm8k",),
    # Candidates cost time: ten are enough to learn from. Held-out texts gain little from more than sixteen,
    # or from those that score less than the best by more than four.
    ranked=16,
    margin=4.0,
)
RECIPES = {recipe.name: recipe for recipe in (SMALL,)}
STORIES = "stories"
_MOST_UNKNOWNS = 2  # the paper's grammar
PRACTICE = (STORIES, "phrases")  # of our own making: a model learns from them, but is not judged by them


def read_everything(recipe: Recipe, data: Path | None) -> tuple[Example, ...]:
    """Every example that the grammar expresses, once: our corpus, the folder's data sets, the stories.

    Texts that differ only in their numbers count as one, for the first source that has it. A gold that
    is a single number is left out, because it would only teach the model to repeat numbers.
    """
    seen: set[str] = set()
    examples: list[Example] = []
    for name, found in _sources(recipe, data):
        for example in found:
            masked = mask_numbers(example.problem.text)
            if _is_wanted(example, recipe) and masked not in seen:
                seen.add(masked)
                problem = replace(example.problem, id=f"{name}/{example.problem.id}")
                examples.append(replace(example, problem=problem, source=name))
    return tuple(examples)


def _is_wanted(example: Example, recipe: Recipe) -> bool:
    gold = example.expression
    if not isinstance(gold, Operation) or len(example.problem.tokens) > recipe.words:
        return False
    if len(variables(gold)) > _MOST_UNKNOWNS:
        return False
    return sum(operator is not Operator.EQU for operator in operators(gold)) <= recipe.operations


def _sources(recipe: Recipe, data: Path | None) -> Iterator[tuple[str, Sequence[Example]]]:
    yield "corpus", load("corpus").examples
    yield "phrases", phrases()
    if data is not None:
        for dataset in load_all(data):
            yield dataset.name, dataset.examples
    told = every_question(seed=recipe.seed, larger=False, share=recipe.stories)
    yield STORIES, [story.example() for story in told]


def kinds(examples: Sequence[Example]) -> dict[str, int]:
    """By problem id, the examples that belong together: the stories of a sheet, which one author wrote.

    The reranker learns from models that did not see the sheet; any other example is a kind of its own.
    """
    numbers: dict[str, int] = {}
    found = {}
    for example in examples:
        id = example.problem.id
        kind = id.rpartition(" ")[0] if example.source == STORIES else id
        found[id] = numbers.setdefault(kind, len(numbers))
    return found


def judge_presence(examples: Sequence[Example], recipe: Recipe) -> dict[str, int]:
    """How well a model that has not seen a tenth of the examples tells their texts from others."""
    config = recipe.config
    real = [example for example in examples if example.source not in PRACTICE]
    held = frozenset(make_folds(real, _TENTHS, recipe.seed)[0])
    train = [example for example in examples if example.problem.id not in held]
    test = [example for example in real if example.problem.id in held]
    presence, lexicon = fit_presence(train, config), config.features.lexicon

    def passed(problems: Sequence[Problem]) -> int:
        return sum(presence.probability(Annotations.of(problem, lexicon)) >= LEAST for problem in problems)

    # Our own prose has no id: all of it is in the training data.
    absent = [problem for problem in texts_without(test) if problem.id]
    present = [example.problem for example in test]
    return {
        "present": len(present),
        "kept": passed(present),
        "absent": len(absent),
        "refused": len(absent) - passed(absent),
    }


_TENTHS = 10


def bake(
    recipe: Recipe, data: Path | None, *, tell: Tell = lambda line: None, report: Report | None = None
) -> SavedModel:
    """Make a model from all examples; its figures are those of models that each saw a part of them."""
    examples = read_everything(recipe, data)
    tell(f"{len(examples)} examples; first models of parts of them, for the reranker and the figures")
    saved = train(
        examples,
        recipe.config,
        name=recipe.name,
        groups=kinds(examples),
        practice=PRACTICE,
        uncalibrated=recipe.uncalibrated,
        report=report,
    )
    right, count = saved.card["cross_fitted"]["right"], saved.card["cross_fitted"]["all"]
    tell(f"held out: {right} of {count} ({100 * right / count:.1f} %); now the exam")
    card = {
        "about": recipe.about,
        **saved.card,
        "chosen": {"words": recipe.words, "operations": recipe.operations},
        "presence": judge_presence(examples, recipe),
        "command": f"text2math train --recipe {recipe.name} --data DATA --out {recipe.name}.t2m",
    }
    # The exam is that of the model as it will be saved.
    return examined(replace(saved, model=compact(_ranking(saved.model, recipe)), card=card))


def _ranking(model: Model, recipe: Recipe) -> Model:
    """The model, with the recipe's choice of candidates to rank."""
    config = model.config
    candidates = config.candidates if recipe.ranked is None else recipe.ranked
    margin = config.margin if recipe.margin is None else recipe.margin
    return replace(model, config=replace(config, candidates=candidates, margin=margin))


def examined(saved: SavedModel) -> SavedModel:
    """The model, with its accuracy on the exam in its card: no model is trained on those problems."""
    parts = ALL_PARTS if saved.model.knowledge else (PLAIN,)
    report = sit_exam(lambda texts: [_answer(saved.model, text) for text in texts], parts)
    tallies: dict[str, dict[str, int]] = {}
    for mark in report.marks:
        if mark.question.part == BEYOND:
            continue
        example = mark.question.example
        group = task(example) if mark.question.part == PLAIN and example else mark.question.part
        tally = tallies.setdefault(group, {"right": 0, "all": 0})
        tally["right"] += mark.right
        tally["all"] += 1
    whole = report.whole.reliability
    exam: dict[str, Any] = {
        "tasks": tallies,
        "calibration_error": whole.calibration_error,
        "sure": {"right": whole.sure_right, "all": whole.sure},
    }
    for part in report.parts:
        if part.name == BEYOND:
            exam[BEYOND] = {"sure": part.reliability.sure, "all": part.problems}
    return replace(saved, card={**saved.card, "exam": exam})


def tried(saved: SavedModel) -> SavedModel:
    """The model, with what changes to the texts of the exam do to its readings in its card."""
    right = right_by(lambda texts: [_answer(saved.model, text) for text in texts])
    changes = [asdict(effect) for effect in effects(load("exam").examples, right)]
    return replace(saved, card={**saved.card, "robustness": {"changes": changes}})


@dataclass(frozen=True, slots=True)
class _NoAnswer:
    mathematics: None = None
    answers: tuple[Fraction, ...] = ()
    probability: None = None


def _answer(model: Model, text: str) -> Candidate | _NoAnswer:
    found = model.read(read_problem(text, knowledge=model.knowledge), top=1)
    return found[0] if found else _NoAnswer()

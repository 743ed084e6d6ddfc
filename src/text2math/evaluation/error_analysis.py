"""Error analysis: what kind of mistake a prediction is, by fold, and the paper's own examples.

>>> from text2math.mathematics.notation import from_infix
>>> kind_of_error(from_infix("5[0] / 9[1]"), from_infix("5[0] * 9[1]"))
'wrong operator'
>>> kind_of_error(from_infix("X1 = 150[0]"), from_infix("X1 + X2 = 150[0]"))
'missing unknown'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.evaluation.metrics import Prediction, Question, judge, relevant_quantities
from text2math.evaluation.variants import FoldConfig, Protocol, run_fold, variant_config
from text2math.language.problem import Example, read_problem
from text2math.mathematics.expression import Expression, operators, variables
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.model import ModelConfig, fit

KINDS = (
    "no prediction",
    "missing unknown",
    "extra unknown",
    "wrong numbers",
    "wrong operator",
    "wrong order",
)


def kind_of_error(predicted: Expression | None, gold: Expression) -> str:
    """What is wrong with a wrong prediction: the first of ``KINDS`` that applies."""
    if predicted is None:
        return "no prediction"
    unknowns, wanted = len(variables(predicted)), len(variables(gold))
    if unknowns != wanted:
        return "missing unknown" if unknowns < wanted else "extra unknown"
    if relevant_quantities(predicted) != relevant_quantities(gold):
        return "wrong numbers"
    if Counter(operators(predicted)) != Counter(operators(gold)):
        return "wrong operator"
    return "wrong order"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A problem that was answered wrong."""

    fold: int
    id: str
    text: str
    gold: str
    predicted: str
    kind: str


def mistakes(
    dataset: Dataset,
    variant: str = "full",
    protocol: Protocol = "honest",
    *,
    folds: Sequence[int] | None = None,
    base: ModelConfig | None = None,
) -> list[Mistake]:
    """Train on each fold's rest and collect what comes out wrong."""
    config = FoldConfig(
        variant_config(variant, protocol, base),
        {id: fold for fold, ids in enumerate(dataset.folds) for id in ids},
    )
    found = []
    for fold in range(len(dataset.folds)) if folds is None else folds:
        train, test = dataset.fold(fold)
        questions = tuple(_question(example, protocol) for example in test)
        predictions = run_fold(drop_leaks(train, test), questions, config)
        for example, prediction in zip(test, predictions, strict=True):
            if example.expression is None or judge(prediction, example)["accuracy"]:
                continue
            found.append(_mistake(fold, example, prediction, example.expression))
    return found


def _question(example: Example, protocol: Protocol) -> Question:
    if protocol == "honest" or example.expression is None:
        return Question(example.problem)
    return Question(example.problem, relevant_quantities(example.expression))


def _mistake(fold: int, example: Example, prediction: Prediction, gold: Expression) -> Mistake:
    predicted = prediction.expression
    return Mistake(
        fold=fold,
        id=example.problem.id,
        text=example.problem.text,
        gold=to_infix(gold),
        predicted="" if predicted is None else to_infix(predicted),
        kind=kind_of_error(predicted, gold),
    )


def counts(found: Sequence[Mistake]) -> dict[str, dict[int, int]]:
    """How many mistakes of each kind there are in each fold."""
    folds = sorted({mistake.fold for mistake in found})
    tally = Counter((mistake.kind, mistake.fold) for mistake in found)
    return {kind: {fold: tally[kind, fold] for fold in folds} for kind in KINDS}


@dataclass(frozen=True, slots=True)
class PaperExample:
    """A problem that the paper prints, with its gold and what its model said."""

    name: str
    dataset: str
    text: str
    gold: str
    paper: str


# Section 4.3 of the paper: two comparisons with an earlier system, and five mistakes.
PAPER_EXAMPLES = (
    PaperExample(
        "comparison 1",
        "equations",
        "Japan January jobless rate rises to 3.6% from 3.4%.",
        "X1 = 0.036 - 0.034",
        "X1 = 0.036 - 0.034",
    ),
    PaperExample(
        "comparison 2",
        "equations",
        "The number of baseball cards he has is five more than three times the number of football cards.",
        "X1 = 5 + 3 * X2",
        "X1 = 5 + 3 * X2",
    ),
    PaperExample(
        "example 3",
        "equations",
        "Germany's DAX opens 0.7% lower at 10,842.",
        "X1 + 0.007 * X1 = 10842",
        "X1 - 0.007 * X1 = 10842",
    ),
    PaperExample(
        "example 4",
        "il",
        "Each child has 5 bottle caps. If there are 9 children, how many bottle caps are there in total?",
        "5 * 9",
        "5 / 9",
    ),
    PaperExample(
        "example 5",
        "il",
        "The school is planning a field trip. There are 14 students and 2 seats on each school bus. "
        "How many buses are needed to take the trip?",
        "14 / 2",
        "14 * 2",
    ),
    PaperExample(
        "example 6",
        "equations",
        "530 pesos can buy 4 kilograms of fish and 2 kilograms of pork.",
        "530 = 4 * X1 + 2 * X2",
        "530 * X3 = 4 * X1 + 2 * X2",
    ),
    PaperExample(
        "example 7",
        "equations",
        "Flying with the wind , a bird was able to make 150 kilometers per hour.",
        "X1 + X2 = 150",
        "X1 = 150",
    ),
)


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """One of the paper's examples with our prediction, and whether it agrees with the gold."""

    example: PaperExample
    predicted: str
    right: bool


def paper_examples(
    datasets: Sequence[Dataset], protocol: Protocol = "honest", *, base: ModelConfig | None = None
) -> list[ExampleResult]:
    """Predict the paper's examples with models trained on everything else of their data sets."""
    found = []
    for dataset in datasets:
        own = [example for example in PAPER_EXAMPLES if example.dataset == dataset.name]
        asked = [
            Example(read_problem(one.text, id=one.name), from_infix(one.gold), source=dataset.name)
            for one in own
        ]
        model = fit(drop_leaks(dataset.examples, asked), variant_config("full", protocol, base))
        for one, example in zip(own, asked, strict=True):
            prediction = Prediction(model.predict(example.problem))
            shown = "" if prediction.expression is None else to_infix(prediction.expression)
            found.append(ExampleResult(one, shown, judge(prediction, example)["accuracy"]))
    return found

"""Error analysis: what kind of mistake a prediction is, by fold, and the paper's own examples.

>>> from text2math.mathematics.notation import from_infix
>>> kind_of_error(from_infix("5[0] / 9[1]"), from_infix("5[0] * 9[1]"))
'wrong operator'
>>> kind_of_error(from_infix("X1 = 150[0]"), from_infix("X1 + X2 = 150[0]"))
'missing unknown'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from string import ascii_lowercase
from typing import NamedTuple

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.evaluation.metrics import Prediction, is_correct
from text2math.inference.forest import quantities_used
from text2math.language.problem import Example, read_problem
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Variable,
    fold,
    operators,
    variables,
)
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.model import Model

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
    if quantities_used(predicted) != quantities_used(gold):
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
    confusion: str  # the shape of the gold, and that of the prediction


class PredictedFold(NamedTuple):
    """A fold of a data set: its test examples that have a gold expression, and a prediction for each."""

    fold: int
    test: tuple[Example, ...]
    predictions: tuple[Prediction, ...]


def mistakes(folds: Iterable[PredictedFold]) -> list[Mistake]:
    """The problems answered wrong."""
    return [
        _mistake(fold, example, prediction, example.expression)
        for fold, test, predictions in folds
        for example, prediction in zip(test, predictions, strict=True)
        if example.expression is not None and not is_correct(prediction.expression, example)
    ]


def _mistake(fold: int, example: Example, prediction: Prediction, gold: Expression) -> Mistake:
    predicted = prediction.expression
    return Mistake(
        fold=fold,
        id=example.problem.id,
        text=example.problem.text,
        gold=to_infix(gold),
        predicted="" if predicted is None else to_infix(predicted),
        kind=kind_of_error(predicted, gold),
        confusion=f"{shape(gold)} read as {'nothing' if predicted is None else shape(predicted)}",
    )


def shape(expression: Expression) -> str:
    """An expression with letters for its numbers, in the order in which the text has them.

    >>> shape(from_infix("9[3] - 4[1]"))
    'b - a'
    """
    used = sorted(quantities_used(expression))

    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable) or node.quantity is None:
            return node
        return Number(Fraction(used.index(node.quantity)))

    letters = {str(at): ascii_lowercase[at] for at in range(min(len(used), len(ascii_lowercase)))}
    printed = to_infix(fold(expression, leaf, Operation))
    return re.sub(r"(?<!X)\b\d+\b", lambda found: letters.get(found[0], found[0]), printed)


def confusions(found: Sequence[Mistake], most: int = 10) -> list[tuple[str, int]]:
    """The most frequent confusions, with how many mistakes are of each."""
    return Counter(mistake.confusion for mistake in found).most_common(most)


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
    datasets: Sequence[Dataset], train: Callable[[Sequence[Example]], Model]
) -> list[ExampleResult]:
    """Predict the paper's examples with models trained on everything else of their data sets."""
    found = []
    for dataset in datasets:
        own = [example for example in PAPER_EXAMPLES if example.dataset == dataset.name]
        asked = [
            Example(read_problem(one.text, id=one.name), from_infix(one.gold), source=dataset.name)
            for one in own
        ]
        model = train(drop_leaks(dataset.examples, asked))
        for one, example in zip(own, asked, strict=True):
            predicted = model.predict(example.problem)
            shown = "" if predicted is None else to_infix(predicted)
            found.append(ExampleResult(one, shown, is_correct(predicted, example)))
    return found

"""Metrics: whether a prediction is right, and in what else it agrees with the gold.

There is one definition of *correct*, for training, cross-validation and the exam: an equation states the same
as the gold's, an expression has the gold's answer. Exact values must be equal; where only a rounded answer is
annotated, it is met to within one part in ten thousand.

>>> from text2math.mathematics.notation import from_infix
>>> answer_correct(Fraction(2, 3), 0.66667), answer_correct(Fraction(2, 3), Fraction("0.66667"))
(True, False)
>>> equation_equivalent(from_infix("3 * X1 = 5 * X2 - 11"), from_infix("5 * X1 = 3 * X2 + 11"))
True
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.resources import files
from itertools import permutations
from typing import TypeAlias

from text2math.inference.forest import quantities_used
from text2math.language.problem import Example
from text2math.mathematics.algebra import answer_of, equivalent, evaluate, solution, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Variable,
    fold,
    is_equation,
    is_system,
    sort_of,
)
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import from_infix
from text2math.mathematics.rewriting import renamed

RELATIVE_TOLERANCE = Fraction(1, 10_000)
METRICS = (
    *("accuracy", "corrected", "answer", "expression", "equation", "unnamed", "system", "grounding"),
    "numbers",
)

Span: TypeAlias = tuple[str, int, int]
Errata: TypeAlias = Mapping[tuple[str, str], Expression]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model makes of a problem: an expression or none, and the words (start, end) of its unknowns.

    Where those are not known (``None``), they are not judged.
    """

    expression: Expression | None
    groundings: tuple[Span, ...] | None = ()
    answers: tuple[Fraction, ...] | None = None  # to what is asked, where that is told


def answer_correct(predicted: Fraction | float | None, gold: Fraction | float) -> bool:
    """Whether two values agree: exactly where both are exact, else (one is a float) within 1e-4 of the gold.

    >>> answer_correct(1_000_001, 1_000_002), answer_correct(1_000_001.0, 1_000_002), answer_correct(None, 3)
    (False, True, False)
    """
    if predicted is None:
        return False
    rounded = [value for value in (predicted, gold) if isinstance(value, float)]
    if not rounded:
        return predicted == gold
    return all(map(math.isfinite, rounded)) and close(Fraction(predicted), Fraction(gold))


def close(value: Fraction, reference: Fraction) -> bool:
    """Whether a value agrees with an annotated answer, up to how that was rounded.

    >>> close(Fraction(2, 3), Fraction("0.66667"))
    True
    """
    # In fractions, so that no size overflows.
    return abs(value - reference) <= RELATIVE_TOLERANCE * abs(reference)


def gold_answer(example: Example) -> Fraction | float:
    """The value of the gold expression; the annotated answer (maybe rounded: a float) where they differ.

    >>> from text2math.mathematics.notation import from_infix
    >>> from text2math.language.problem import Problem
    >>> gold_answer(Example(Problem("", (), ()), from_infix("2 / 3"), Fraction("0.66667")))
    Fraction(2, 3)
    """
    value = None if example.expression is None else evaluate(example.expression)
    if example.answer is None:
        if value is None:
            raise ValueError(f"problem {example.problem.id!r} has no answer, and no expression with a value")
        return value
    return value if value is not None and close(value, example.answer) else float(example.answer)


def expression_equivalent(predicted: Expression | None, gold: Expression) -> bool:
    """Whether two expressions compute the same whatever the quantities are: 2 + 2 is not 2 × 2.

    Both are computed with the text's quantities replaced by random values, twice: two different functions
    that agree there are less likely than a fault of the machine. Other constants stay themselves.

    >>> from text2math.mathematics.expression import Operator
    >>> two, again = Number(Fraction(2), 0), Number(Fraction(2), 1)
    >>> gold = Operation(Operator.ADD, two, again)
    >>> expression_equivalent(Operation(Operator.ADD, again, two), gold)
    True
    >>> expression_equivalent(Operation(Operator.MUL, two, again), gold)
    False
    """
    if predicted is None or is_equation(predicted) != is_equation(gold):
        return False
    # An odd and an even seed, so that no quantity gets the value another had the time before.
    return all(
        equivalent(_with_random_quantities(predicted, seed), _with_random_quantities(gold, seed))
        for seed in (1, 2)
    )


def _with_random_quantities(expression: Expression, seed: int) -> Expression:
    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable) or node.quantity is None:
            return node
        return Number(Fraction(random.Random(seed + 2 * node.quantity).getrandbits(40)))

    return fold(expression, leaf, Operation)


def equation_equivalent(predicted: Expression | None, gold: Expression) -> bool:
    """Whether an equation says what the gold says, up to the names of the unknowns."""
    return (
        predicted is not None and is_equation(predicted) and is_equation(gold) and equivalent(predicted, gold)
    )


def system_equivalent(predicted: Expression | None, gold: Expression) -> bool:
    """Whether an equation, or a system of them, has the gold's solutions, up to the names of the unknowns.

    >>> from text2math.mathematics.notation import from_infix
    >>> system_equivalent(from_infix("X1 + X2 = 9; X2 = 4"), from_infix("2 * X2 = 10; X1 = 4"))
    True
    """
    return predicted is not None and sort_of(predicted) is sort_of(gold) and equivalent(predicted, gold)


def _gives(
    predicted: Expression, wanted: Sequence[Fraction], answers: Sequence[Fraction] | None = None
) -> bool:
    """Whether the values wanted are among those that a prediction gives, and all it shows are wanted.

    What it shows may be none of its unknowns: "how much do both cost together".
    """
    if answers is not None:
        if not all(any(close(one, other) for other in wanted) for one in answers):
            return False
        if _are_among(wanted, list(answers)):
            return True
    if sort_of(predicted) is Sort.VALUE:
        value = evaluate(predicted)
        points: list[list[Fraction]] = [] if value is None else [[value]]
    else:
        points = [list(point) for point in solution(predicted).points]
    return any(_are_among(wanted, point) for point in points)


def _are_among(wanted: Sequence[Fraction], values: list[Fraction]) -> bool:
    left = list(values)
    for one in wanted:
        found = next((value for value in left if close(value, one)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def unnamed_equivalent(predicted: Expression | None, gold: Expression) -> bool:
    """Whether an equation says what the gold says if its unknowns are not told apart.

    That is how the paper's published program scores equations.

    >>> from text2math.mathematics.notation import from_infix
    >>> unnamed_equivalent(from_infix("X1 - 3 * X1 = 4"), from_infix("X1 - 3 * X2 = 4"))
    True
    """
    if predicted is None or not is_equation(predicted):
        return False
    ours, theirs = (renamed(one, {2: 1, 3: 1}) for one in (predicted, gold))
    # Without its names an equation may have no solution, and all such ones would be the same.
    return (
        ours == theirs
        or equation_equivalent(predicted, gold)
        or (bool(solve(theirs)) and equivalent(ours, theirs))
    )


def grounding(predicted: Sequence[Span], gold: Sequence[Span]) -> bool:
    """Whether each unknown's words overlap the phrase annotated for it, for some naming of the unknowns.

    >>> grounding([("X1", 40, 50), ("X2", 5, 9)], [("X1", 0, 6), ("X2", 45, 60)])
    True
    >>> grounding([("X1", 0, 6)], [("X1", 0, 6), ("X2", 45, 60)])
    False
    """
    ours, theirs = _spans_by_name(predicted), _spans_by_name(gold)
    if len(ours) != len(theirs):
        return False
    return any(all(map(_overlap, order, theirs)) for order in permutations(ours))


def _spans_by_name(spans: Sequence[Span]) -> list[list[tuple[int, int]]]:
    names = dict.fromkeys(name for name, _, _ in spans)
    return [[(start, end) for own, start, end in spans if own == name] for name in names]


def _overlap(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> bool:
    return any(a < d and c < b for a, b in first for c, d in second)


def number_identification(predicted: Expression | None, gold: Expression) -> bool:
    """Whether a prediction uses exactly the quantities of the text that the gold uses.

    >>> from text2math.mathematics.expression import Operator
    >>> gold = Operation(Operator.ADD, Number(Fraction(7), 0), Number(Fraction(3), 2))
    >>> number_identification(gold.left, gold)
    False
    """
    return predicted is not None and quantities_used(predicted) == quantities_used(gold)


def is_correct(
    predicted: Expression | None, example: Example, answers: Sequence[Fraction] | None = None
) -> bool:
    """Whether a prediction is right: an equation says what the gold says, an expression has its answer.

    An equation with the right solution answers a question whose gold is an expression. Where the unknowns of
    the gold are asked for and their values are known, the prediction must give these, as an expression, an
    equation or a system. ``answers`` are those that it shows, if it says which.

    >>> from text2math.mathematics.notation import from_infix
    >>> from text2math.language.problem import Problem
    >>> is_correct(from_infix("3 + 7"), Example(Problem("", (), ()), from_infix("7 + 3")))
    True
    >>> is_correct(from_infix("4 * X1 + 3 = 7"), Example(Problem("", (), ()), from_infix("(7 - 3) / 4")))
    True
    >>> gold = from_infix("X1 + X2 = 9; X1 - X2 = 1")
    >>> asked = Example(Problem("", (), ()), gold, asked=(Variable(1),), answers=(Fraction(5),))
    >>> is_correct(from_infix("X2 = X1 + 1; X1 + X2 = 9"), asked), is_correct(from_infix("9 - 1"), asked)
    (True, False)
    >>> both = Example(Problem("", (), ()), gold, asked=(from_infix("2 * X1 + X2"),), answers=(Fraction(14),))
    >>> is_correct(gold, both, answers=[Fraction(14)]), is_correct(gold, both, answers=[Fraction(5)])
    (True, False)
    """
    gold = example.expression
    if gold is not None and example.asked and example.answers and sort_of(gold) is not Sort.VALUE:
        return predicted is not None and _gives(predicted, example.answers, answers)
    if gold is not None and sort_of(gold) is not Sort.VALUE:
        return system_equivalent(predicted, gold)
    shown = answers if answers is not None and len(answers) == 1 else None
    value = shown[0] if shown else None if predicted is None else answer_of(predicted)
    return answer_correct(value, gold_answer(example))


def metrics_of(
    prediction: Prediction, example: Example, correction: Expression | None = None
) -> dict[str, bool]:
    """Every metric that applies to an example. ``accuracy`` is equivalence for an equation, else the answer.

    ``corrected`` is the accuracy with the correction, where the errata have one, for gold.
    """
    gold, predicted = example.expression, prediction.expression
    right = is_correct(predicted, example, prediction.answers)
    if gold is not None and is_system(gold):
        verdicts = {"accuracy": right, "answer": right, "system": system_equivalent(predicted, gold)}
    elif gold is not None and is_equation(gold):
        verdicts = {"accuracy": right, "equation": right, "unnamed": unnamed_equivalent(predicted, gold)}
        if example.groundings and prediction.groundings is not None:
            verdicts["grounding"] = grounding(prediction.groundings, example.groundings)
    else:
        verdicts = {"accuracy": right, "answer": right}
        if gold is not None:
            verdicts["expression"] = expression_equivalent(predicted, gold)
    if gold is not None:
        verdicts["numbers"] = number_identification(predicted, gold)
    verdicts["corrected"] = right
    if correction is not None:
        corrected = replace(example, expression=correction, answer=None)
        verdicts["corrected"] = metrics_of(prediction, corrected)["accuracy"]
    return verdicts


def load_errata() -> dict[tuple[str, str], Expression]:
    """The corrections of known wrong gold that ship with the package, by data set and problem id."""
    entries = json.loads((files("text2math.data") / "errata.json").read_text(encoding="utf-8"))
    return {(entry["dataset"], entry["id"]): from_infix(entry["expression"]) for entry in entries}

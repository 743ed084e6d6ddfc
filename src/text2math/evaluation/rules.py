"""What the paper's published program does to a prediction before it is scored, as far as that needs no gold.

It overrides the operation of two numbers where a word of a list signals one, and puts operands in another
order where the answer is negative or a quotient of whole numbers is not whole; an operation that gives no
plausible answer in either order is not taken over. None of it is in the paper.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix, to_infix
>>> problem = read_problem("Ann had 3 pens. Tom had 9 pens. How many more pens had Tom?")
>>> to_infix(with_rules(problem, from_infix("3[0] + 9[1]"), Lexicon.signals()))
'9 - 3'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    numbers,
    operators,
)


def with_rules(problem: Problem, predicted: Expression | None, lexicon: Lexicon) -> Expression | None:
    """A prediction after the rules; those of more than three numbers, and equations, stay as they are."""
    if predicted is None or Operator.EQU in operators(predicted):
        return predicted
    used = sorted(numbers(predicted), key=lambda number: number.quantity or 0)
    if len(used) == 2:
        return _of_two(problem, predicted, used, lexicon)
    if len(used) == 3 and not _plausible_answer(predicted):
        return _turned(_refilled(predicted, used))
    return predicted


def signalled(problem: Problem, lexicon: Lexicon) -> Operator | None:
    """The operation that the first signal word of the story stands for, or else the first of the question.

    The question is the last sentence, all of it: "If Ann walked 6 miles at 3 miles per hour, how long …" has
    no story. Of such a text, "more" signals an addition.
    """
    problem = _last_sentence_asks(problem)
    marks = list(zip(problem.tokens, lexicon.mark(problem), strict=True))
    for asked in (False, True):
        for token, cues in marks:
            found = [lexicon.operators[cue] for cue in cues if cue in lexicon.operators]
            if token.in_question == asked and found:
                no_story = all(other.in_question for other in problem.tokens)
                return Operator.ADD if no_story and token.text.lower() == "more" else found[0]
    return None


def _last_sentence_asks(problem: Problem) -> Problem:
    """The problem with the question where the published program takes it to be."""
    last = problem.tokens[-1].sentence if problem.tokens else 0
    asked = tuple(replace(token, in_question=token.sentence == last) for token in problem.tokens)
    return replace(problem, tokens=asked)


def _of_two(problem: Problem, predicted: Expression, used: Sequence[Number], lexicon: Lexicon) -> Expression:
    """The signalled operation in either order, or else the predicted one in any that is plausible."""
    operator = signalled(problem, lexicon)
    signals = () if operator is None else (Operation(operator, used[0], used[1]),)
    tries = [
        one
        for shape in (*signals, predicted)
        for one in (shape, _refilled(shape, used), _refilled(shape, used[::-1]))
    ]
    return next((one for one in tries if _plausible_of_two(one, used)), predicted)


def _plausible_of_two(expression: Expression, used: Sequence[Number]) -> bool:
    value = evaluate(expression)
    if value is None:
        return False
    kinds = set(operators(expression))
    negative = Operator.SUB in kinds and value <= 0
    broken = Operator.DIV in kinds and value.denominator != 1 and all(_whole(one.value) for one in used)
    return not (negative or broken)


def _plausible_answer(expression: Expression) -> bool:
    value = evaluate(expression)
    return value is not None and value > 0 and _whole(value)


def _whole(value: Fraction) -> bool:
    return value.denominator == 1


def _refilled(expression: Expression, used: Sequence[Number]) -> Expression:
    """The same operations over numbers in this order."""
    waiting = reversed(used)  # a fold comes to the last leaf first

    def leaf(_: Number | Variable) -> Expression:
        return next(waiting)

    return fold(expression, leaf, Operation)


def _turned(expression: Expression) -> Expression:
    """With the operands of the outermost − in the order that gives a positive answer."""
    match expression:
        case Operation(Operator.SUB, left, right) if (evaluate(expression) or 0) < 0:
            return Operation(Operator.SUB, right, left)
        case _:
            return expression

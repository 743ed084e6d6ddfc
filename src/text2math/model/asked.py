"""What a system is asked for: every unknown, one of them, what it comes to, their sum or their difference.

The unknowns of a system are named in the order in which it mentions them, so its equations don't depend on
the question. What it is asked for is a separate choice, which a network makes for the whole text.

>>> from text2math.mathematics.notation import from_infix, to_infix
>>> [to_infix(one) for one in choices(from_infix("X1 + X2 = 30; X1 - X2 = 6"))["sum"]]
['X1 + X2']
"""

from __future__ import annotations

from collections.abc import Sequence

from text2math.language.asking import (
    Extreme,
    asks_for_all,
    asks_for_last,
    asks_for_one,
    counts_what_is_asked,
    extreme_asked,
)
from text2math.language.consecutive import consecutive_numbers
from text2math.language.problem import Problem, once_a_problem
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_system,
    leaves,
    nodes,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.rewriting import renamed

# Networks made before the last two were added score only the others.
CHOICES = (
    "all",
    "first",
    "second",
    "third",
    "sum",
    "first less second",
    "second less first",
    "first in all",  # 12 * X1: what the tickets brought in, how far the train went
    "second in all",
)
LEAD = 1.0  # in log odds; with less, one choice is hardly more often right than the next


def in_order(system: Expression) -> dict[int, int]:
    """The new number of each unknown, if they are numbered in the order in which the system mentions them.

    >>> from text2math.mathematics.notation import from_infix
    >>> in_order(from_infix("X2 = 4 * X1; X1 + X2 = 85"))
    {2: 1, 1: 2}
    """
    mentioned = dict.fromkeys(leaf.index for leaf in leaves(system) if isinstance(leaf, Variable))
    return {unknown: place for place, unknown in enumerate(mentioned, 1)}


def is_in_order(system: Expression) -> bool:
    """Whether the unknowns of a system are numbered in the order in which it mentions them."""
    return all(old == new for old, new in in_order(system).items())


def choices(system: Expression) -> dict[str, tuple[Expression, ...]]:
    """What a system may be asked for, if its unknowns are numbered in order."""
    unknowns = variables(system)
    found: dict[str, tuple[Expression, ...]] = {"all": unknowns}
    found |= {name: (one,) for name, one in zip(CHOICES[1:4], unknowns, strict=False)}
    for name, one in zip(CHOICES[7:], unknowns, strict=False):
        factor = _factor(one, system)
        if factor is not None:
            found[name] = (Operation(Operator.MUL, factor, one),)
    if len(unknowns) > 1:
        first, second = unknowns[:2]
        total: Expression = first
        for one in unknowns[1:]:
            total = Operation(Operator.ADD, total, one)
        found["sum"] = (total,)
        found["first less second"] = (Operation(Operator.SUB, first, second),)
        found["second less first"] = (Operation(Operator.SUB, second, first),)
    return found


def choice_of(system: Expression, asked: Sequence[Expression]) -> str | None:
    """Which choice a gold is, whatever its unknowns are called; None if it is another expression."""
    names = in_order(system)
    wanted = tuple(renamed(one, names) for one in asked)
    possible = choices(renamed(system, names))
    wanted = tuple(map(_number_first, wanted))
    # Of more consecutive numbers than there are unknowns, the others are unknowns plus some steps.
    if len(wanted) > 1 and set(wanted) >= set(possible["all"]):
        return "all"
    return next((name for name, one in possible.items() if one == wanted), None)


def asked_of(
    mathematics: Expression, problem: Problem, scores: Sequence[float] = ()
) -> tuple[Expression, ...]:
    """What a system is asked for: the choice with the best score.

    It is not all if the question asks for one, unless it is a close call which one.
    Without scores it is every unknown if the question says so, else the first.

    >>> from text2math.language.problem import read_problem
    >>> from text2math.mathematics.notation import from_infix
    >>> problem = read_problem("The sum of two numbers is 30. One is twice the other. What are the numbers?")
    >>> asked_of(from_infix("X1 + X2 = 30; X1 = 2 * X2"), problem)
    (Variable(index=1), Variable(index=2))
    """
    if not is_system(mathematics):
        return ()
    if not scores:
        return variables(mathematics) if _all_asked(problem) else (Variable(1),)
    ranked, possible = _ranked(mathematics, problem, scores)
    run = consecutive_numbers(problem)
    if run is not None and run.count and len(possible["all"]) >= min(run.count, MAX_UNKNOWNS):
        if run.count > MAX_UNKNOWNS and asks_for_last(problem.tokens):
            return run.all(0)[-1:]
        possible["all"] = run.all(len(possible["all"]))
    chosen = possible[ranked[0][1]]
    return (_by_size(chosen[0], mathematics, problem),) if len(chosen) == 1 else chosen


def lead(mathematics: Expression, problem: Problem, scores: Sequence[float]) -> float:
    """How far, in log odds, the choice for a system is ahead of the next."""
    ranked, _ = _ranked(mathematics, problem, scores)
    return ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 0.0


def _ranked(
    mathematics: Expression, problem: Problem, scores: Sequence[float]
) -> tuple[list[tuple[float, str]], dict[str, tuple[Expression, ...]]]:
    """The choices for a system with their scores, the best first; and what each of them is."""
    possible = choices(mathematics)
    every = zip(scores, CHOICES, strict=False)
    ranked = sorted(((score, name) for score, name in every if name in possible), reverse=True)
    if len(possible["all"]) > 1 and _one_asked(problem):
        others = [(score, name) for score, name in ranked if name != "all"]
        ranked = others if others[0][0] - others[1][0] >= LEAD else ranked
    return ranked, possible


def _factor(unknown: Expression, system: Expression) -> Number | None:
    """The first number that multiplies an unknown: the 12 of 12 * X1 + 10 * X2 = 400 for X1."""
    for node in nodes(system):
        match _number_first(node):
            case Operation(Operator.MUL, Number() as factor, other) if unknown in {*leaves(other)}:
                return factor
    return None


def _number_first(node: Expression) -> Expression:
    """A product with its number as the left operand; everything else unchanged."""
    if isinstance(node, Operation) and node.operator is Operator.MUL and isinstance(node.right, Number):
        return Operation(Operator.MUL, node.right, node.left)
    return node


def _by_size(chosen: Expression, system: Expression, problem: Problem) -> Expression:
    """The same choice, unless the sizes of the unknowns contradict it.

    A difference that is asked for is positive, and "the larger one" is the larger one. Of what is counted,
    "the heavier ones" have the larger number beside them: that is what each of them weighs.
    """
    values = solve(system) if _is_difference(chosen) or _extreme_asked(problem) else None
    if values is None:
        return chosen
    if isinstance(chosen, Operation):
        negative = _is_difference(chosen) and (evaluate(chosen, values) or 0) < 0
        return Operation(chosen.operator, chosen.right, chosen.left) if negative else chosen
    extreme = _extreme_asked(problem) or max
    factors = {unknown: factor.value for unknown in values if (factor := _factor(unknown, system))}
    if counts_what_is_asked(problem.tokens) and len(factors) == len(values):
        values = factors
    best = extreme(values.values())
    return next(unknown for unknown, value in values.items() if value == best)


def _is_difference(chosen: Expression) -> bool:
    return isinstance(chosen, Operation) and chosen.operator is Operator.SUB


# What depends only on the text is found out once, not for each of its candidates.


@once_a_problem
def _all_asked(problem: Problem) -> bool:
    return asks_for_all(problem.tokens)


@once_a_problem
def _one_asked(problem: Problem) -> bool:
    return asks_for_one(problem.tokens)


@once_a_problem
def _extreme_asked(problem: Problem) -> Extreme | None:
    return extreme_asked(problem.tokens)

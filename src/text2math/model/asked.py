"""What a system is asked for: every unknown, one of them, their sum or their difference.

The unknowns of a system are named in the order in which it mentions them, so its equations don't depend on
the question. What it is asked for is a separate choice, which a network makes for the whole text.

>>> from text2math.mathematics.notation import from_infix, to_infix
>>> [to_infix(one) for one in choices(from_infix("X1 + X2 = 30; X1 - X2 = 6"))["sum"]]
['X1 + X2']
"""

from __future__ import annotations

from collections.abc import Sequence

from text2math.language.asking import (
    DIMENSION_OF,
    asks_for_all,
    asks_for_last,
    asks_for_one,
    measure_asked,
)
from text2math.language.consecutive import consecutive_numbers
from text2math.language.problem import Problem, once_a_problem
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    equations,
    is_system,
    leaves,
    nodes,
    variables,
)
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.rewriting import renamed

CHOICES = ("all", "first", "second", "third", "sum", "first less second", "second less first")
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
    worth = _worth(chosen[0], mathematics, problem) if len(chosen) == 1 else None
    return chosen if worth is None else (worth,)


def lead(mathematics: Expression, problem: Problem, scores: Sequence[float]) -> float:
    """How far, in log odds, the choice for a system is ahead of the next."""
    ranked, _ = _ranked(mathematics, problem, scores)
    return ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 0.0


def _ranked(
    mathematics: Expression, problem: Problem, scores: Sequence[float]
) -> tuple[list[tuple[float, str]], dict[str, tuple[Expression, ...]]]:
    """The choices for a system with their scores, the best first; and what each of them is."""
    possible = choices(mathematics)
    every = zip(scores, CHOICES, strict=True)
    ranked = sorted(((score, name) for score, name in every if name in possible), reverse=True)
    if len(possible["all"]) > 1 and _one_asked(problem):
        others = [(score, name) for score, name in ranked if name != "all"]
        ranked = others if others[0][0] - others[1][0] >= LEAD else ranked
    return ranked, possible


def _worth(unknown: Expression, mathematics: Expression, problem: Problem) -> Expression | None:
    """What a count is worth, if that is asked for: 12 * X1 for "how much money did the tickets bring in".

    The question, the total and what one of them is worth are then in the same measure; a price that is
    unknown itself is multiplied by a count.
    """
    measure = _measure_asked(problem)
    if not measure:
        return None
    for equation in equations(mathematics):
        sides = (equation.left, equation.right)
        total = next((side for side in sides if isinstance(side, Number)), None)
        if total is None or _measure(total, problem) != measure:
            continue
        for node in nodes(equation):
            match node:
                case Operation(Operator.MUL, Number() as each, one) | Operation(
                    Operator.MUL, one, Number() as each
                ):
                    if one == unknown and _measure(each, problem) == measure:
                        return node
    return None


# What depends only on the text is found out once, not for each of its candidates.


@once_a_problem
def _all_asked(problem: Problem) -> bool:
    return asks_for_all(problem.tokens)


@once_a_problem
def _one_asked(problem: Problem) -> bool:
    return asks_for_one(problem.tokens)


@once_a_problem
def _measure_asked(problem: Problem) -> str:
    return measure_asked(problem.tokens)


def _measure(number: Number, problem: Problem) -> str:
    """The dimension of a number of the text, or what it counts."""
    unit = "" if number.quantity is None else problem.all_quantities[number.quantity].unit
    return DIMENSION_OF.get(unit, unit)

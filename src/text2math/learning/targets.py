"""What the model is trained towards: the expressions that count as right for an example.

The paper trains on the annotated tree alone. We can also sum over all equivalent trees, over both names of
two unknowns, or, where only the answer is known, over every small expression that gives it. The paper's
variants are here too: an unknown before or behind an arithmetic expression, and inverse operators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from text2math.evaluation.metrics import close
from text2math.inference.forest import crosses, reachable_trees
from text2math.inference.potentials import Symbol
from text2math.language.consecutive import as_stated
from text2math.language.problem import Example, Problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    is_system,
    variables,
)
from text2math.mathematics.rewriting import renamed, with_inverse_operators, with_unknown
from text2math.model.asked import in_order
from text2math.model.config import TargetConfig

ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)


def targets(example: Example, config: TargetConfig) -> tuple[Expression, ...]:
    """The expressions that training sums over; empty if nothing fits the text.

    An annotated tree whose numbers cross in the text gives way to equivalent trees that do not.
    """
    named = False
    if config.answers or example.expression is None:
        found = list(expressions_with(example.problem, _answer(example), config.most_operators))
    else:
        stated = as_stated(example.expression, example.problem)
        found = [stated]
        anchors = example.problem.all_anchors
        if config.equivalent or crosses(stated, anchors):
            plain = reachable_trees(stated, anchors, limit=config.most_trees)
            found = list(plain if config.equivalent else plain[:1])
        # The unknowns of consecutive numbers have an order.
        named = stated is not example.expression
    if config.both_names and not named:
        found = [named for tree in found for named in _named(tree)]
    if config.inverse:
        found = [with_inverse_operators(tree) for tree in found]
    found = [with_unknown(tree, config.unknown) for tree in found]
    return tuple(dict.fromkeys(found))


def _named(tree: Expression) -> list[Expression]:
    """An equation with its unknowns named in every way, a system with names in the order of their mention.

    The score of a tree is a sum over its nodes, so it can't tell that X1 in one equation has to be X1 in the
    other: with free names, half of the trees with much probability would mix them up.
    """
    if is_system(tree):
        return [renamed(tree, in_order(tree))]
    unknowns = [unknown.index for unknown in variables(tree)]
    orders = permutations(range(1, len(unknowns) + 1))
    return [renamed(tree, dict(zip(unknowns, order, strict=True))) for order in orders]


def symbols_of(expressions: Sequence[Expression]) -> tuple[Symbol, ...]:
    """Every symbol that occurs in some expressions, in the order of the grammar."""
    return tuple(sorted({symbol for tree in expressions for symbol in _symbols(tree)}))


def _symbols(tree: Expression) -> Iterator[Symbol]:
    yield Symbol.of(tree)
    if isinstance(tree, Operation):
        yield from _symbols(tree.left)
        yield from _symbols(tree.right)


def _answer(example: Example) -> Fraction:
    if example.answer is not None:
        return example.answer
    value = None if example.expression is None else evaluate(example.expression)
    if value is None:
        raise ValueError(f"problem {example.problem.id}: neither an expression nor an answer to learn from")
    return value


def expressions_with(problem: Problem, answer: Fraction, most_operators: int = 2) -> Iterator[Expression]:
    """Every expression of one or more operators over the problem's numbers, each used once, with this answer.

    Answers are rounded where they are annotated, so they are compared as in the metrics.
    """
    leaves_ = [Number(quantity.value, k) for k, quantity in enumerate(problem.quantities)]
    for count in range(2, most_operators + 2):
        for chosen in combinations(leaves_, count):
            for tree, value in _trees(chosen):
                if close(value, answer):
                    yield tree


def _trees(chosen: tuple[Number, ...]) -> Iterator[tuple[Expression, Fraction]]:
    """All trees over numbers in the order of the text, operands contiguous, with their values."""
    if len(chosen) == 1:
        yield chosen[0], chosen[0].value
        return
    for cut in range(1, len(chosen)):
        for first, _ in _trees(chosen[:cut]):
            for second, _ in _trees(chosen[cut:]):
                for operator in ARITHMETIC:
                    for left, right in ((first, second), (second, first)):
                        if right is first and operator.commutative:
                            continue
                        tree = Operation(operator, left, right)
                        value = evaluate(tree)
                        if value is not None:
                            yield tree, value

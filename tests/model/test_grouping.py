"""Sums are grouped by sentence, without any other change."""

from __future__ import annotations

import pytest

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.expression import Expression
from text2math.mathematics.notation import to_infix
from text2math.model.candidates import Candidate
from text2math.model.grouping import by_sentence
from text2math.parser import load

APPLES = (
    "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples. How many were picked in total?"
)


def left_to_right(problem: Problem, symbols: list[Symbol]) -> TextMathTree:
    """A tree over all numbers of a problem, from left to right, whose leaves own all words but the last."""
    starts = [0, *(quantity.first_token for quantity in problem.quantities[1:])]
    ends = [*starts[1:], len(problem.tokens) - 1]
    leaves = [
        TextMathTree(Symbol.CON, span, quantity=at) for at, span in enumerate(zip(starts, ends, strict=True))
    ]
    tree = leaves[0]
    for symbol, leaf in zip(symbols, leaves[1:], strict=True):
        tree = _joined(symbol, tree, leaf)
    last = tree.children
    return TextMathTree(
        tree.symbol,
        (0, len(problem.tokens)),
        Pattern.of_spans((0, len(problem.tokens)), last[0].span, last[1].span),
        last,
    )


def _joined(symbol: Symbol, left: TextMathTree, right: TextMathTree) -> TextMathTree:
    span = left.span[0], right.span[1]
    return TextMathTree(symbol, span, Pattern.of_spans(span, left.span, right.span), (left, right))


def candidate(problem: Problem, symbols: list[Symbol]) -> Candidate:
    tree = left_to_right(problem, symbols)
    return Candidate(mathematics(tree, problem), 0.5, tree)


def mathematics(tree: TextMathTree, problem: Problem) -> Expression:
    return tree.expression([quantity.value for quantity in problem.all_quantities])


@pytest.mark.parametrize(
    ("text", "symbols", "grouped"),
    [
        (APPLES, "ADD ADD", "7 + (3 + 6)"),
        ("Al has 4 pens and 2 cups. Bo has 5 pens and 3 cups. How many?", "ADD ADD ADD", "4 + 2 + (5 + 3)"),
        ("Al has 4 pens, 2 cups and 3 hats. How many?", "ADD ADD", "4 + 2 + 3"),
        ("Al has 4 pens. Bo has 2. Cy has 3. How many?", "ADD ADD", "4 + 2 + 3"),
        ("Al had 4 pens. Bo had 2 and lost 3. How many are left?", "ADD SUB", "4 + 2 - 3"),
        ("Al has 4 boxes. Bo puts 2 and 3 pens in each. How many?", "MUL ADD", "4 * 2 + 3"),
    ],
)
def test_what_one_sentence_says_is_added_first(text: str, symbols: str, grouped: str) -> None:
    problem = read_problem(text)
    given = candidate(problem, [Symbol[name] for name in symbols.split()])
    found = by_sentence(given, problem)
    assert to_infix(found.mathematics) == grouped
    assert found.tree is not None
    assert given.tree is not None
    found.tree.check(problem.anchors)
    assert mathematics(found.tree, problem) == found.mathematics
    assert (found.answer, found.probability) == (given.answer, given.probability)
    assert [leaf.span for leaf in found.tree.nodes() if not leaf.children] == [
        leaf.span for leaf in given.tree.nodes() if not leaf.children
    ]


def test_the_grouping_within_a_sentence_is_kept() -> None:
    parse = load().parse("Lily has 8 pens, Ben has 5 more than Lily. How many pens do they have together?")
    assert parse.mathematics is not None
    assert to_infix(parse.mathematics) == "8 + (5 + 8)"


def test_a_model_shows_the_grouping_of_the_paper() -> None:
    parse = load().parse(APPLES)
    assert parse.mathematics is not None
    assert parse.tree is not None
    assert to_infix(parse.mathematics) == "7 + (3 + 6)"
    seven, lower = parse.tree.children
    assert (seven.quantity, [leaf.quantity for leaf in lower.children]) == (0, [1, 2])

"""How a sum is grouped where its mathematics leaves it open: what one sentence says is added first.

"Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples" is 7 + (3 + 6), as the paper draws it,
and not (7 + 3) + 6, which has the same value and as many words.

>>> from text2math.parser import load
>>> text = "Al has 4 pens and 2 cups. Bo has 5 pens and 3 cups. How many things have they in total?"
>>> str(load().parse(text))
'4 + 2 + (5 + 3) = 14'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import groupby

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Problem
from text2math.model.candidates import Candidate


def by_sentence(candidate: Candidate, problem: Problem) -> Candidate:
    """The candidate with the operands of each sum grouped by sentence, in its tree and its mathematics."""
    tree = candidate.tree
    if tree is None or candidate.expression is None or candidate.signs.count("+") < 2:
        return candidate
    regrouped = _regrouped(tree, problem)
    values: Sequence[Fraction] = [quantity.value for quantity in problem.all_quantities]
    if regrouped == tree or tree.expression(values) != candidate.mathematics:
        return candidate
    return replace(candidate, tree=regrouped, mathematics=regrouped.expression(values))


def _regrouped(tree: TextMathTree, problem: Problem) -> TextMathTree:
    """The tree with every sum over several sentences grouped by them."""
    addends = list(_addends(tree))
    parts = [list(own) for _, own in groupby(addends, key=lambda one: _sentence(one, problem))]
    if not 1 < len(parts) < len(addends):  # the sentences don't say which are added first
        children = tuple(_regrouped(child, problem) for child in tree.children)
        return replace(tree, children=children) if children else tree
    sums = [reduce(_sum, [_regrouped(one, problem) for one in part]) for part in parts]
    first, second = reduce(_sum, sums).children
    pattern = Pattern.of_spans(tree.span, first.span, second.span)
    return replace(tree, children=(first, second), pattern=pattern)


def _addends(tree: TextMathTree) -> Iterator[TextMathTree]:
    """The operands of a sum and of the sums among them, in text order; the tree itself if it is none."""
    if tree.symbol is not Symbol.ADD or tree.pattern is None or tree.pattern.swapped:
        yield tree
        return
    for child in tree.children:
        yield from _addends(child)


def _sum(left: TextMathTree, right: TextMathTree) -> TextMathTree:
    span = left.span[0], right.span[1]
    return TextMathTree(Symbol.ADD, span, Pattern.of_spans(span, left.span, right.span), (left, right))


def _sentence(tree: TextMathTree, problem: Problem) -> tuple[int, ...]:
    """The sentence of an operand; an operand of several sentences shares them with no other."""
    places = {
        problem.tokens[problem.all_quantities[leaf.quantity].first_token].sentence
        for leaf in tree.nodes()
        if leaf.quantity is not None
    }
    return tuple(places) if len(places) == 1 else tree.span

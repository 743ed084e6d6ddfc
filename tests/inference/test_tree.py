"""Patterns, trees and forests: what they check of themselves, and what can't be reached."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from fakes import NESTED, TICKET_ANCHORS, TICKETS, TOGETHER
from text2math.inference.crf import TextMathCRF, has_tree
from text2math.inference.forest import (
    ARITHMETIC,
    EQUATIONS,
    Forest,
    ForestError,
    Grammar,
    crosses,
    reachable_trees,
)
from text2math.inference.patterns import PATTERN_COUNT, PATTERNS, Pattern
from text2math.inference.potentials import ASIDE, UNKNOWNS, Potentials, Symbol
from text2math.inference.tree import TextMathTree, TreeError
from text2math.language.attachment import crossings
from text2math.mathematics.expression import Number
from text2math.mathematics.notation import from_infix, to_infix

MIKE = (
    "Mike picked 7 apples . Nancy picked 3 apples and Keith picked 6 apples at the farm . "
    "In total , how many apples were picked ?"
).split()
MIKE_TREE = TextMathTree(
    Symbol.ADD,
    (0, 27),
    Pattern.of("wAwBw"),
    (
        TextMathTree(Symbol.CON, (2, 4), quantity=0),
        TextMathTree(
            Symbol.ADD,
            (5, 18),
            Pattern.of("wAwBw"),
            (
                TextMathTree(Symbol.CON, (7, 9), quantity=1),
                TextMathTree(Symbol.CON, (12, 14), quantity=2),
            ),
        ),
    ),
)
ANCHORS = (2, 7, 12)


def test_the_papers_patterns_are_their_four_bits_and_the_silent_ones_come_after() -> None:
    assert [pattern.index for pattern in PATTERNS] == list(range(PATTERN_COUNT))
    assert len({str(pattern) for pattern in PATTERNS}) == PATTERN_COUNT
    assert all(Pattern.of(str(pattern)) == pattern for pattern in PATTERNS)
    bits = [8 * p.swapped + 4 * p.before + 2 * p.between + p.after for p in PATTERNS[:16]]
    assert bits == list(range(16))
    assert [str(pattern) for pattern in PATTERNS[16:]] == ["wB", "Bw", "wBw", "wA", "Aw", "wAw", "w"]
    with pytest.raises(ValueError, match="not a pattern"):
        Pattern.of("AwwB")
    with pytest.raises(ValueError, match="0 to 22"):
        Pattern.from_index(23)


def test_an_equation_with_an_aside_says_a_system() -> None:
    NESTED.check(TICKET_ANCHORS)
    assert NESTED.words == (4, 7, 8)
    values = [Fraction(4), Fraction(525), Fraction(2876)]
    assert to_infix(NESTED.expression(values)) == "4 * X1 = 2876; X1 + X2 = 525"
    printed = NESTED.format(TICKETS)
    assert "EQU AwB {A} , {;} , bring {B}" in printed
    assert "ADD w together" in printed
    assert "X1 (without words)" in printed
    assert TextMathTree.from_dict(NESTED.to_dict()) == NESTED


def test_an_equation_with_an_aside_is_one_tree_of_its_system() -> None:
    system = NESTED.expression([Fraction(4), Fraction(525), Fraction(2876)])
    potentials = Potentials.zeros(len(TICKETS), TICKET_ANCHORS)
    for node in NESTED.nodes():
        for at, left, right in node.steps():
            potentials.step[node.symbol, at, left, right] = 3.0
    potentials.child[Symbol.EQU, ASIDE, Symbol.EQU] = 1.0
    assert TextMathCRF(Forest.of(system), potentials).log_partition == -math.inf
    crf = TextMathCRF(Forest.of(system, silent=True, asides=True), potentials)
    assert crf.best.tree == NESTED
    assert crf.best.score == pytest.approx(NESTED.score(potentials))


def test_the_papers_first_tree_checks_prints_and_spells_its_expression() -> None:
    MIKE_TREE.check(ANCHORS)
    assert MIKE_TREE.words == (0, 1, 4, 18, 19, 20, 21, 22, 23, 24, 25, 26)
    assert to_infix(MIKE_TREE.expression([Fraction(7), Fraction(3), Fraction(6)])) == "7 + (3 + 6)"
    printed = MIKE_TREE.format(MIKE)
    assert "ADD wAwBw Mike picked {A} . {B} In total" in printed
    assert "CON n2: 6 apples" in printed
    assert TextMathTree.from_dict(MIKE_TREE.to_dict()) == MIKE_TREE


def test_the_papers_tree_is_one_of_those_the_chart_sums_over() -> None:
    expression = MIKE_TREE.expression([Fraction(7), Fraction(3), Fraction(6)])
    potentials = Potentials.zeros(len(MIKE), ANCHORS)
    for node in MIKE_TREE.nodes():
        for at, left, right in node.steps():
            potentials.step[node.symbol, at, left, right] = 3.0
    assert TextMathCRF(Forest.of(expression), potentials).best.tree == MIKE_TREE


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.data())
def test_every_tree_rewrites_to_the_text(words: int, data: st.DataObject) -> None:
    anchors = tuple(sorted(data.draw(st.sets(st.integers(0, words - 1), min_size=1))))
    trees = oracle.all_trees(words, anchors, EQUATIONS - {Symbol.DIV, Symbol.SUB}, frozenset({Symbol.EQU}))
    for tree in trees[:200]:
        tree.check(anchors)
        owned = sorted(word for node in tree.nodes() for word in node.words)
        assert owned == list(range(words))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (TextMathTree(Symbol.CON, (3, 3), quantity=0), "empty span"),
        (TextMathTree(Symbol.CON, (0, 2)), "must name the number"),
        (TextMathTree(Symbol.CON, (0, 2), quantity=1), "is not in"),
        (TextMathTree(Symbol.ADD, (0, 4)), "needs a pattern and two operands"),
        (TextMathTree(Symbol.X1, (0, 4), Pattern.of("AB")), "is a leaf"),
        (
            TextMathTree(Symbol.ADD, MIKE_TREE.span, Pattern.of("wAwB"), MIKE_TREE.children),
            "does not follow its pattern wAwB",
        ),
        (
            TextMathTree(Symbol.ADD, MIKE_TREE.span, Pattern.of("wBwAw"), MIKE_TREE.children),
            "does not follow its pattern wBwAw",
        ),
    ],
)
def test_a_tree_that_does_not_fit_says_why(tree: TextMathTree, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        tree.check(ANCHORS)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (replace(NESTED, asides=(replace(TOGETHER, span=(4, 10)),)), "are not between the two sides"),
        (replace(NESTED, asides=(TOGETHER, TOGETHER)), "are not between the two sides"),
        (replace(NESTED, asides=(NESTED.children[0],)), "EQU can't hold asides"),
        (replace(TOGETHER, symbol=Symbol.ADD, asides=(TOGETHER,)), "ADD can't hold asides"),
        (replace(NESTED.children[0], asides=(TOGETHER,)), "MUL can't hold asides"),
        (
            replace(
                TOGETHER.children[0],
                children=(TOGETHER.children[0].children[0], TextMathTree(Symbol.X2, (5, 5))),
            ),
            "without words is at 5, not 6",
        ),
        (
            TextMathTree(
                Symbol.ADD,
                (0, 2),
                Pattern.of("wA"),
                (TextMathTree(Symbol.X1, (0, 2)), TextMathTree(Symbol.X2, (2, 2))),
            ),
            "does not follow its pattern wA",
        ),
        (
            TextMathTree(Symbol.SYS, (0, 10), Pattern.of("BA"), (TOGETHER, replace(TOGETHER, span=(0, 5)))),
            "does not follow|in text order",
        ),
    ],
)
def test_a_system_that_does_not_fit_says_why(tree: TextMathTree, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        tree.check(TICKET_ANCHORS)


def test_crossing_gold_is_trained_on_an_equivalent_tree() -> None:
    gold = from_infix("(7[0] + 6[2]) - 3[1]")
    assert crossings(gold, ANCHORS)
    found = reachable_trees(gold, ANCHORS)
    assert from_infix("7[0] + (6[2] - 3[1])") in found
    potentials = Potentials.zeros(14, ANCHORS)
    assert TextMathCRF(Forest.of(gold), potentials).tree_count == 0
    assert all(TextMathCRF(Forest.of(tree), potentials).tree_count > 0 for tree in found)


def test_what_stays_unreachable_is_empty() -> None:
    assert reachable_trees(from_infix("7[0] * 3[1] + 7[0] * 6[2]"), ANCHORS) == ()
    crossing = from_infix("(7[0] * 6[2]) + (3[1] / 5[3])")
    assert reachable_trees(crossing, (0, 3, 6, 9)) == ()


def test_a_forest_shares_what_its_expressions_have_in_common() -> None:
    one, two = from_infix("(7[0] + 3[1]) - 6[2]"), from_infix("(7[0] + 3[1]) * 6[2]")
    assert len(Forest.of([one, two]).states) == 6
    assert len(Forest.of([one, one]).roots) == 1


def test_forests_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ForestError, match="needs a leaf"):
        Forest.full({Symbol.ADD})
    with pytest.raises(ForestError, match="MUL, which is not among"):
        Forest.full({Symbol.ADD, Symbol.CON}, roots={Symbol.MUL})
    with pytest.raises(ForestError, match="does not say which number"):
        Forest.of(Number(Fraction(3)))
    with pytest.raises(ValueError, match="X1, X2, X3, not X4"):
        Forest.of(from_infix("X4 = 5[0]"))
    with pytest.raises(ForestError, match="has 5 equations; at most 4"):
        Forest.of(from_infix("; ".join(["X1 = 5[0]"] * 5)))


def test_the_whole_grammar_has_operators_only_where_they_may_stand() -> None:
    forest = Grammar(frozenset(Symbol) - {Symbol.SUBR, Symbol.DIVR}).full
    roots = {forest.states[root].symbol for root in forest.roots}
    assert roots == set(Symbol) - {Symbol.SUBR, Symbol.DIVR, Symbol.CON, *UNKNOWNS}
    for rule in forest.rules:
        parent = forest.states[rule.state].symbol.operator
        assert parent is not None
        for side, below in enumerate((rule.left, rule.right)):
            for at in below:
                assert parent.may_take(side, forest.states[at].symbol.operator)
    values = [rule for rule in forest.rules if forest.states[rule.state].symbol is Symbol.CEIL]
    below = {forest.states[at].symbol for rule in values for at in (*rule.left, *rule.right)}
    assert below == ARITHMETIC


def test_equality_stands_only_at_the_root() -> None:
    forest = Forest.full(EQUATIONS)
    assert {forest.states[root].symbol for root in forest.roots} == {Symbol.EQU}
    for rule in forest.rules:
        assert all(forest.states[at].symbol is not Symbol.EQU for at in (*rule.left, *rule.right))
    assert Symbol.EQU not in {state.symbol for state in Forest.full(ARITHMETIC).states}


def test_a_system_crosses_unless_each_equation_follows_the_one_before_or_stands_inside_it() -> None:
    tickets = from_infix("4[0] * X1 + 6[1] * X2 = 2876[3]; X1 + X2 = 525[2]")
    assert not crosses(tickets, (0, 3, 6, 9))  # inside
    assert not crosses(tickets, (0, 3, 9, 6))  # after
    assert crosses(tickets, (3, 6, 0, 9))  # before
    assert crosses(tickets, (0, 6, 3, 9))  # inside, but not between the two sides
    three = from_infix("X1 = 1[0] + X2 * 9[4]; X2 = 2[1] + 3[2]; X3 = 4[3]")
    assert crosses(three, (0, 2, 4, 6, 8))  # all on one side of the first
    assert not crosses(from_infix("1[0] * X1 = 9[4]; X2 = 2[1] + 3[2]; X3 = 4[3]"), (0, 2, 4, 6, 8))
    assert crosses(from_infix("1[0] * X1 = 9[4]; X3 = 4[3]; X2 = 2[1] + 3[2]"), (0, 2, 4, 6, 8))


@settings(max_examples=60, deadline=None)
@given(
    st.permutations(range(5)),
    st.sampled_from(
        [
            "1[0] * X1 = 2[1]; X2 + 3[2] = 4[3]; X3 = 5[4]",
            "1[0] + X1 = 2[1]; X1 = X2; X2 - 3[2] = 4[3] * 5[4]",
            "1[0] + 2[1] = 3[2]; X1 = 4[3] / 5[4]",
        ]
    ),
)
def test_in_a_roomy_text_a_system_has_a_tree_unless_it_crosses(order: list[int], infix: str) -> None:
    system, anchors = from_infix(infix), [6 * place + 3 for place in order]
    potentials = Potentials.zeros(33, anchors)
    forest = Forest.of(system, silent=True, asides=True)
    possible = TextMathCRF(forest, potentials).log_partition > -math.inf
    assert possible == (not crosses(system, anchors)) == has_tree(system, 33, anchors)

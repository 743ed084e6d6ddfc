"""The alignment metrics count what they say, however a correct tree is grouped."""

from __future__ import annotations

from fractions import Fraction

import pytest

from text2math.data.alignments import Alignment, Cues, load_alignments
from text2math.evaluation.alignment import AlignmentScore, Share, alignment_score, paired
from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.attachment import crossings
from text2math.language.problem import Example, read_problem
from text2math.mathematics.expression import Expression, Operator
from text2math.mathematics.notation import from_infix
from text2math.model.candidates import Candidate

#          0   1   2 3 4   5 6    7 8   9    10   11   12 13
MARBLES = "Tom had 12 red marbles . He lost 5 . How many are left"
LOST, LEFT = 7, 13


def example(text: str, gold: str) -> Example:
    return Example(read_problem(text, "one"), from_infix(gold), source="own")


def cues(sign: str, words: set[int], clearest: set[int]) -> Cues:
    operator = next(operator for operator in Operator if operator.value == sign)
    return Cues(operator, frozenset(words), frozenset(clearest))


def leaf(first: int, last: int, quantity: int) -> TextMathTree:
    return TextMathTree(Symbol.CON, (first, last), quantity=quantity)


def unknown(first: int, last: int, symbol: Symbol = Symbol.X1) -> TextMathTree:
    return TextMathTree(symbol, (first, last))


def node(
    symbol: Symbol, span: tuple[int, int], pattern: str, left: TextMathTree, right: TextMathTree
) -> TextMathTree:
    return TextMathTree(symbol, span, Pattern.of(pattern), (left, right))


def candidate(tree: TextMathTree, example: Example) -> Candidate:
    tree.check(example.problem.anchors)
    return Candidate(_expression(tree, example), 1.0, tree)


def _expression(tree: TextMathTree, example: Example) -> Expression:
    values: list[Fraction] = [quantity.value for quantity in example.problem.quantities]
    return tree.expression(values)


def marbles_score(pattern: str, first: TextMathTree, second: TextMathTree) -> AlignmentScore:
    problem = example(MARBLES, "12[0] - 5[1]")
    alignment = Alignment(problem, (cues("-", {LOST, LEFT}, {LOST}),))
    return alignment_score(
        [alignment], [candidate(node(Symbol.SUB, (0, 14), pattern, first, second), problem)]
    )


def test_an_operator_that_owns_its_clearest_word_counts() -> None:
    # {Tom had 12 red marbles .} He lost {5 .} How many are left
    score = marbles_score("AwBw", leaf(0, 6, 0), leaf(8, 10, 1))
    assert score.clearest == Share(1, 1)
    assert score.wordless == score.wordless_despite_cue == Share(0, 1)


def test_an_operator_with_another_cue_or_none_does_not() -> None:
    # {Tom … lost} owned by the 12: only "left" remains to the minus.
    other = marbles_score("ABw", leaf(0, 8, 0), leaf(8, 13, 1))
    assert (other.clearest, other.wordless, other.cues) == (Share(0, 1), Share(0, 1), Share(1, 1))
    nothing = marbles_score("AB", leaf(0, 8, 0), leaf(8, 14, 1))
    assert (nothing.clearest, nothing.wordless) == (Share(0, 1), Share(1, 1))
    assert nothing.wordless_despite_cue == Share(1, 1)
    assert nothing.cues == Share(0, 0)


def test_a_mark_is_no_word_unless_it_is_a_cue() -> None:
    problem = example("Add 3 , 4 .", "3[0] + 4[1]")
    tree = node(Symbol.ADD, (0, 5), "AwB", leaf(0, 2, 0), leaf(3, 5, 1))
    plain = Alignment(problem, (cues("+", {0}, {0}),))
    comma = Alignment(problem, (cues("+", {0, 2}, {0, 2}),))
    assert alignment_score([plain], [candidate(tree, problem)]).wordless == Share(1, 1)
    assert alignment_score([comma], [candidate(tree, problem)]).wordless == Share(0, 1)
    assert alignment_score([comma], [candidate(tree, problem)]).clearest == Share(1, 1)


def test_content_words_that_are_no_cues_lower_the_share_and_function_words_do_not() -> None:
    # The minus owns "red marbles . He lost", of which "red", "marbles" and "lost" have content.
    score = marbles_score("AwB", leaf(0, 3, 0), leaf(8, 14, 1))
    assert score.cues == Share(1, 3)


def test_a_wrong_reading_counts_for_nothing() -> None:
    problem = example(MARBLES, "12[0] - 5[1]")
    alignment = Alignment(problem, (cues("-", {LOST}, {LOST}),))
    wrong = candidate(node(Symbol.ADD, (0, 14), "AwB", leaf(0, 7, 0), leaf(8, 14, 1)), problem)
    score = alignment_score([alignment, alignment, alignment], [wrong, None, Candidate(wrong.mathematics, 1)])
    assert score.problems == Share(0, 3)
    assert score.paired == score.clearest == score.unknowns == Share(0, 0)
    assert score.clearest.percent is None


def test_a_sum_grouped_in_another_way_is_paired_by_its_numbers() -> None:
    problem = example("Add 3 and 4 and 5 now", "3[0] + 4[1] + 5[2]")
    outer, inner = cues("+", {4}, {4}), cues("+", {2}, {2})
    tree = node(
        Symbol.ADD,
        (0, 7),
        "AwB",
        leaf(0, 2, 0),
        node(Symbol.ADD, (3, 7), "AwB", leaf(3, 4, 1), leaf(5, 7, 2)),
    )
    pairs = paired(Alignment(problem, (outer, inner)), tree)
    assert [(found, owner.span) for found, owner in pairs] == [(outer, (0, 7)), (inner, (3, 7))]


def test_products_are_told_apart_by_their_numbers() -> None:
    problem = example("Pay 3 at 4 each and 5 at 6 each", "3[0] * 4[1] + 5[2] * 6[3]")
    one, two = cues("*", {4}, {4}), cues("*", {9}, {9})
    alignment = Alignment(problem, (cues("+", {5}, {5}), one, two))
    first = node(Symbol.MUL, (0, 5), "ABw", leaf(0, 3, 0), leaf(3, 4, 1))
    second = node(Symbol.MUL, (6, 10), "ABw", leaf(6, 8, 2), leaf(8, 9, 3))
    swapped = node(Symbol.ADD, (0, 10), "BwA", second, first)
    assert [owner for _, owner in paired(alignment, swapped)] == [swapped, first, second]
    assert alignment_score([alignment], [candidate(swapped, problem)]).clearest == Share(3, 3)


def test_an_operator_that_the_tree_says_with_another_sign_is_not_paired() -> None:
    problem = example("Of 9 take 2 and 3 away", "9[0] - 2[1] - 3[2]")
    alignment = Alignment(problem, (cues("-", {6}, {6}), cues("-", {2}, {2})))
    spent = node(Symbol.ADD, (3, 6), "AwB", leaf(3, 4, 1), leaf(5, 6, 2))
    tree = node(Symbol.SUB, (0, 7), "AwBw", leaf(0, 2, 0), spent)
    score = alignment_score([alignment], [candidate(tree, problem)])
    assert (score.problems, score.paired, score.clearest) == (Share(1, 1), Share(1, 2), Share(1, 1))


def test_unknowns_may_be_named_the_other_way_round() -> None:
    problem = Example(
        read_problem("A pear is 3 grams heavier than a fig", "one"),
        from_infix("X1 = 3[0] + X2"),
        groundings=(("X1", 0, 6), ("X2", 31, 36)),
        source="own",
    )
    alignment = Alignment(problem, (cues("=", {2}, {2}), cues("+", {5, 6}, {5})))
    more = node(Symbol.ADD, (3, 9), "AwB", leaf(3, 5, 0), unknown(7, 9, Symbol.X1))
    tree = node(Symbol.EQU, (0, 9), "AwB", unknown(0, 2, Symbol.X2), more)
    score = alignment_score([alignment], [candidate(tree, problem)])
    assert (score.clearest, score.unknowns) == (Share(2, 2), Share(2, 2))


def test_an_unknown_away_from_its_phrase_is_counted() -> None:
    problem = Example(
        read_problem("Some day a number plus 3 is 8", "one"),
        from_infix("X1 + 3[0] = 8[1]"),
        groundings=(("X1", 9, 17),),
        source="own",
    )
    alignment = Alignment(problem, (cues("=", {6}, {6}), cues("+", {4}, {4})))
    plus = node(Symbol.ADD, (0, 6), "AwB", unknown(0, 2), leaf(5, 6, 0))
    away = node(Symbol.EQU, (0, 8), "AwB", plus, leaf(7, 8, 1))
    assert alignment_score([alignment], [candidate(away, problem)]).unknowns == Share(0, 1)


def test_a_tree_of_another_text_is_refused() -> None:
    problem = example(MARBLES, "12[0] - 5[1]")
    alignment = Alignment(problem, (cues("-", {LOST}, {LOST}),))
    short = node(Symbol.SUB, (0, 9), "AwB", leaf(0, 7, 0), leaf(8, 9, 1))
    with pytest.raises(ValueError, match="tree of another text"):
        alignment_score([alignment], [candidate(short, problem)])


def test_the_operators_of_a_tree_of_the_gold_are_paired_in_their_order() -> None:
    for alignment in load_alignments()[::5]:
        problem, gold = alignment.example.problem, alignment.example.expression
        assert gold is not None
        if crossings(gold, problem.anchors):
            continue
        potentials = Potentials.zeros(words=len(problem.tokens), anchors=problem.anchors)
        tree = TextMathCRF(Forest.of([gold]), potentials).best.tree
        nodes = [node for node in tree.nodes() if node.symbol.operator is not None]
        assert [owner for _, owner in paired(alignment, tree)] == nodes

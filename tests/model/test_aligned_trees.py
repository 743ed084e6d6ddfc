"""Alignment: the mathematics and its probability stay, the tree's words mean something."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from text2math.data.corpus import load_corpus
from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.operator_words import OperatorWords
from text2math.language.problem import read_problem
from text2math.mathematics.expression import Operator, leaves, operators
from text2math.model.alignment import aligned, alignment_scores
from text2math.parser import Parser, load

TEXTS = [example.problem.text for example in load_corpus().examples[::14]]


@cache
def both(name: str) -> tuple[Parser, Parser]:
    """A packaged model, and the same without alignment."""
    parser = load(name)
    return parser, replace(parser, model=replace(parser.model, alignment=False))


@pytest.mark.parametrize("name", ["default", "small"])
def test_alignment_changes_no_reading_and_no_probability(name):
    parser, plain = both(name)
    changed = 0
    for text in TEXTS:
        one, other = parser.parse(text), plain.parse(text)
        assert (one.answer, one.probability) == (other.answer, other.probability)
        pairs = zip(one.alternatives, other.alternatives, strict=True)
        for shown, read in ((one, other), *pairs):
            assert shown.probability == read.probability
            # Sums may be grouped in another way.
            assert [*leaves(shown.mathematics)] == [*leaves(read.mathematics)]
            assert [*operators(shown.mathematics)] == [*operators(read.mathematics)]
        changed += one.tree != other.tree
    assert changed > len(TEXTS) / 4  # or this test compares a thing with itself


@pytest.mark.parametrize("name", ["default", "small"])
def test_the_tree_still_says_the_mathematics(name):
    parser, _ = both(name)
    for text in TEXTS:
        parse = parser.parse(text)
        problem = parser.model.informed(read_problem(text))
        for candidate in [parse.best, *parse.alternatives]:
            if candidate is not None and candidate.tree is not None:
                candidate.tree.check(problem.all_anchors)
                values = [quantity.value for quantity in problem.all_quantities]
                assert candidate.tree.expression(values) == candidate.mathematics


def test_read_all_shows_the_same_trees_as_read():
    parser, _ = both("small")
    assert [parse.tree for parse in parser.parse_all(TEXTS[:6])] == [
        parser.parse(text).tree for text in TEXTS[:6]
    ]


def test_a_model_file_may_switch_alignment_off_and_older_files_have_it(tmp_path):
    parser, plain = both("small")  # the packaged file does not name the setting
    assert parser.model.alignment
    plain.save(tmp_path / "plain.t2m")
    assert not load(tmp_path / "plain.t2m").model.alignment


CUES = {
    "Tom had 12 marbles. He lost 5 of them. How many marbles are left?": {"lost", "left"},
    "Ann has 4 boxes with 6 pens in each box. How many pens does she have?": {"each"},
    "24 pencils are shared equally among 4 children. How many does each child get?": {"shared", "equally"},
    "Mia has 8 pens and Ben has 5 pens. How many pens do they have together?": {"together"},
}


@pytest.mark.parametrize("text", CUES)
@pytest.mark.parametrize("name", ["default", "small"])
def test_an_operator_owns_its_cues(name, text):
    parse = both(name)[0].parse(text)
    assert CUES[text] <= {parse.tokens[word].text for word in parse.tree.words}


def test_operators_of_one_sign_each_have_words_of_their_own():
    text = "Ben buys 3 books at $4 each and 5 pens at $2 each. How much does he pay in all?"
    parse = both("default")[0].parse(text)
    assert str(parse) == "3 × 4 + 5 × 2 = 22"
    for product in parse.tree.children:
        assert "each" in {parse.tokens[word].text for word in product.words}


def test_unknowns_own_the_phrases_that_name_them():
    parse = both("default")[0].parse("3 times one of the numbers is 11 less than 5 times the other.")
    assert {name: phrase.text for name, phrase in parse.variables.items()} == {
        "X1": "one of the numbers",
        "X2": "the other",
    }


def test_operands_keep_their_order():
    problem = read_problem("7 and 3")
    leaves = (
        TextMathTree(Symbol.CON, (0, 1), quantity=0),
        TextMathTree(Symbol.CON, (1, 3), quantity=1),
    )
    tree = TextMathTree(Symbol.ADD, (0, 3), Pattern.of("AB"), leaves)
    found = aligned(tree, problem, Potentials.zeros(3, problem.anchors))
    assert str(found.pattern) == "AwB"
    assert [child.quantity for child in found.children] == [0, 1]


def test_a_lone_number_stays_as_it_is():
    problem = read_problem("7 apples")
    leaf = TextMathTree(Symbol.CON, (0, 2), quantity=0)
    assert aligned(leaf, problem, Potentials.zeros(2, problem.anchors)) is leaf


def test_a_number_keeps_its_unit():
    text = "Tom had 12 marbles. He lost 5 of them. How many marbles are left?"
    scores = alignment_scores(read_problem(text), both("small")[0].parse(text).tree)
    problem = read_problem(text)
    noun = next(at for at, token in enumerate(problem.tokens) if token.text == "marbles")
    assert scores[0][noun] < 0


def test_words_of_the_inverse_operation_count_less():
    strengths = OperatorWords.default().strengths(read_problem("How many remain?"), equation=False)
    assert strengths[Operator.SUB][2] > strengths[Operator.ADD][2] > strengths[Operator.MUL][2]


# The figures of the paper (Zou and Lu, 2019)

APPLES = (
    "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. In total, how many "
    "apples were picked?"
)


def _own(parse, node):
    return " ".join(parse.tokens[word].text for word in node.words)


@pytest.mark.parametrize("name", ["default", "small"])
def test_a_model_draws_the_apples_of_the_paper(name):
    parse = both(name)[0].parse(APPLES)
    assert parse.answer == 16
    lower = next(child for child in parse.tree.children if child.children)
    assert "In total" in _own(parse, parse.tree)
    assert "and" in _own(parse, lower).split()


@pytest.mark.parametrize("name", ["default", "small"])
@pytest.mark.parametrize(("cue", "pattern"), [("less than", "BwA"), ("minus", "AwB")])
def test_less_than_and_minus_are_drawn_as_in_the_paper(name, cue, pattern):
    parse = both(name)[0].parse(f"3 times one of the numbers is 11 {cue} 5 times the other.")
    product, difference = parse.tree.children
    assert _own(parse, parse.tree).split()[0] == "is"
    assert _own(parse, product) == "times"
    assert (_own(parse, difference), str(difference.pattern)) == (cue, pattern)
    assert [phrase.text for phrase in parse.variables.values()] == ["one of the numbers", "the other"]

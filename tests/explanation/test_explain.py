"""Explanations: they add up, agree with the sum over all trees, and say what a removal really does."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from fakes import NESTED, TICKET_ANCHORS, TICKETS
from text2math.cli import main
from text2math.data.corpus import load_corpus, load_exam
from text2math.explanation.contributions import LinearParts, contributions
from text2math.explanation.explain import WEAKER, Explanation, explain
from text2math.explanation.odds import operator_odds
from text2math.explanation.opposites import opposite
from text2math.explanation.ownership import ownership
from text2math.explanation.text import AROUND, markdown, report
from text2math.explanation.variations import BLANK, varied_text
from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.potentials import ASIDE, UNKNOWNS, Potentials, Symbol
from text2math.language.problem import read_problem
from text2math.learning.training import fit
from text2math.mathematics.expression import Expression, Number, Operation, Operator
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.parser import Parser, load

MORE = "Leo has 4 toy cars and gets 5 more. How many toy cars has Leo in total?"
LEFT = "There were 45 pears on the tree and the wind took 28 of them. How many pears are left?"
QUICK = ModelConfig(training=TrainingConfig(steps=15, threads=1), inner_steps=8, inner_folds=2, candidates=12)


@pytest.fixture(scope="module")
def parser() -> Parser:
    # The corpus, and not stories, which change with every new sheet.
    additive = [example for example in load_corpus().examples if _is_additive(example.expression)]
    return Parser(fit(additive[:80], QUICK), "quick")


def _is_additive(expression: Expression | None) -> bool:
    match expression:
        case Operation(Operator.ADD | Operator.SUB, Number(), Number()):
            return True
        case _:
            return False


@pytest.fixture(scope="module")
def explanation(parser: Parser) -> Explanation:
    return explain(parser, MORE)


# --- Contributions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [MORE, LEFT])
def test_contributions_add_up_to_the_score_of_every_tree(parser: Parser, text: str) -> None:
    problem = read_problem(text)
    scorer = parser.model.scorer
    potentials = scorer(problem)
    trees = TextMathCRF(parser.model.forest, potentials).k_best(30)
    assert len(trees) == 30
    for scored in trees:
        parts = contributions(scored.tree, potentials, LinearParts(scorer, parser.model.annotate(problem)))
        assert sum(part.score for part in parts) == pytest.approx(scored.tree.score(potentials), abs=1e-9)
        assert not [part for part in parts if part.feature == "rest"]


def test_what_no_feature_accounts_for_is_told_as_the_rest(parser: Parser) -> None:
    problem = read_problem(MORE)
    scorer = parser.model.scorer
    potentials = scorer(problem)
    potentials.number[0] += 2.5
    tree = TextMathCRF(parser.model.forest, potentials).best.tree
    parts = contributions(tree, potentials, LinearParts(scorer, parser.model.annotate(problem)))
    assert [part.score for part in parts if part.feature == "rest"] == [pytest.approx(2.5)]
    assert sum(part.score for part in parts) == pytest.approx(tree.score(potentials), abs=1e-9)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_an_explanation_adds_up_for_the_best_reading_and_for_others(parser: Parser, rank: int) -> None:
    found = explain(parser, LEFT, alternative=rank, removals=0)
    assert sum(part.score for part in found.contributions) == pytest.approx(found.score, abs=1e-9)
    assert found.reading == (parser.parse(LEFT).alternatives[rank - 1] if rank else found.reading)


# --- Whose word ------------------------------------------------------------------------------------------


def random_potentials(words: int, anchors: list[int], seed: int) -> Potentials:
    rng = np.random.default_rng(seed)
    potentials = Potentials.zeros(words, anchors)
    for array in (potentials.step, potentials.pattern, potentials.child, potentials.root, potentials.number):
        array += rng.normal(0, 1.0, array.shape)
    return potentials


def by_enumeration(tree, potentials: Potentials, grammar: oracle.Grammar) -> np.ndarray:
    values = [Fraction(k + 2) for k in range(len(potentials.number))]
    wanted = tree.expression(values)
    nodes = len(list(tree.nodes()))
    owned, total = np.zeros((nodes, potentials.words)), 0.0
    anchors = tuple(int(anchor) for anchor in potentials.anchors)
    for other in oracle.trees(0, potentials.words, anchors, grammar, grammar.symbols):
        if other.expression(values) != wanted or skeleton(other) != skeleton(tree):
            continue
        weight = np.exp(other.score(potentials))
        total += weight
        for at, node in enumerate(other.nodes()):
            owned[at, list(node.words)] += weight
    return owned / total


def skeleton(tree) -> list[tuple[Symbol, int]]:
    """The nodes, and how many equations stand inside each."""
    return [(node.symbol, len(node.asides)) for node in tree.nodes()]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(3, [0, 2]), (5, [0, 2, 4]), (6, [1, 3]), (6, [0, 2, 3])]))
def test_ownership_is_what_summing_over_all_trees_gives(seed: int, shape: tuple[int, list[int]]) -> None:
    potentials = random_potentials(*shape, seed)
    symbols = frozenset({Symbol.ADD, Symbol.SUB, Symbol.CON})
    tree = TextMathCRF(Forest.full(symbols), potentials).sample(np.random.default_rng(seed))[0]
    found = ownership(tree, potentials)
    assert found.sampled == ()
    assert np.allclose(
        found.probabilities, by_enumeration(tree, potentials, oracle.Grammar(symbols)), atol=1e-9
    )


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_ownership_of_a_system_with_asides_and_silent_unknowns_is_exact(seed: int, silent: bool) -> None:
    words, symbols = (4, [1, 3]) if silent else (6, [1, 4]), {Symbol.SYS, Symbol.EQU, Symbol.CON, Symbol.X1}
    potentials = random_potentials(*words, seed)
    grammar = oracle.Grammar(frozenset(symbols), silent, asides=True)
    potentials.child[Symbol.EQU, ASIDE, Symbol.EQU] += 4.0  # many systems
    crf = TextMathCRF(Forest.full(symbols, silent=silent, asides=True), potentials)
    for tree in crf.sample(np.random.default_rng(seed), 4):
        found = ownership(tree, potentials, silent=silent)
        exact = [at for at in range(len(found.probabilities)) if at not in found.sampled]
        wanted = by_enumeration(tree, potentials, grammar)
        assert np.allclose(np.array(found.probabilities)[exact], wanted[exact], atol=1e-9)
        assert np.allclose(np.array(found.probabilities), wanted, atol=0.1)


def test_contributions_of_an_equation_with_an_aside_add_up() -> None:
    potentials = random_potentials(len(TICKETS), list(TICKET_ANCHORS), 0)
    found = contributions(NESTED, potentials)
    assert sum(part.score for part in found) == pytest.approx(NESTED.score(potentials), abs=1e-9)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_an_unknown_that_stands_twice_is_told_apart(seed: int) -> None:
    potentials = random_potentials(5, [1], seed)
    symbols = frozenset({Symbol.EQU, Symbol.MUL, Symbol.X1, Symbol.CON})
    trees = TextMathCRF(Forest.full(symbols), potentials).sample(np.random.default_rng(seed), 40)
    tree = max(trees, key=lambda one: [node.symbol for node in one.nodes()].count(Symbol.X1))
    found = ownership(tree, potentials)
    assert found.sampled == ()
    assert np.allclose(
        found.probabilities, by_enumeration(tree, potentials, oracle.Grammar(symbols)), atol=1e-9
    )


def test_only_an_unknown_twice_beside_all_others_is_estimated() -> None:
    potentials = random_potentials(5, [], 3)
    symbols = frozenset({Symbol.EQU, Symbol.ADD, *UNKNOWNS})
    wanted = [Symbol.X1, *UNKNOWNS]
    trees = TextMathCRF(Forest.full(symbols), potentials).sample(np.random.default_rng(0), 2000)
    tree = next(
        tree
        for tree in trees
        if sorted(node.symbol for node in tree.nodes() if node.symbol.operator is None) == wanted
    )
    found = ownership(tree, potentials)
    nodes = list(tree.nodes())
    assert [nodes[at].symbol for at in found.sampled] == [Symbol.X1, Symbol.X1]
    exact = by_enumeration(tree, potentials, oracle.Grammar(symbols))
    for at, row in enumerate(found.probabilities):
        assert np.allclose(row, exact[at], atol=0.04 if at in found.sampled else 1e-9)


@pytest.mark.parametrize("text", [MORE, LEFT])
def test_every_word_is_owned_once(parser: Parser, text: str) -> None:
    found = explain(parser, text, removals=0)
    assert np.allclose(np.sum(found.ownership.probabilities, axis=0), 1.0, atol=1e-9)
    for node, row in zip(found.reading.tree.nodes(), found.ownership.probabilities, strict=True):
        if node.quantity is not None:
            assert row[read_problem(text).anchors[node.quantity]] == pytest.approx(1.0)


# --- What would change -----------------------------------------------------------------------------------


def test_a_variation_says_what_the_parser_says_of_that_text(parser: Parser) -> None:
    found = explain(parser, LEFT)
    problem = read_problem(LEFT)
    assert found.removals
    for variation in (*found.removals, *found.exchanges):
        changes = dict(zip(variation.words, variation.instead, strict=True))
        parse = parser.parse(varied_text(problem, changes), top=10)
        assert str(parse.mathematics and parse.answer) == str(variation.answer)
        assert variation.wins == (parse.mathematics == found.reading.mathematics)
        readings = [(parse.mathematics, parse.probability)]
        readings += [(other.mathematics, other.probability) for other in parse.alternatives]
        assert variation.probability == dict(readings).get(found.reading.mathematics, 0.0)


def test_an_operator_is_gone_exactly_where_another_is_read_in_its_place(parser: Parser) -> None:
    found = explain(parser, LEFT)
    variations = (*found.removals, *found.exchanges)
    assert {variation.wins for variation in variations} == {True, False}  # or this test shows nothing
    for variation in variations:
        assert (0 in variation.gone) == (variation.reading != "45 - 28")


def test_a_text_is_read_again_no_more_often_than_allowed(parser: Parser) -> None:
    found = explain(parser, MORE, removals=5)
    assert 0 < len(found.removals) + len(found.exchanges) <= 5
    assert len(found.removals) == len({removal.words for removal in found.removals})
    assert not [removal for removal in found.removals if any(c.isdigit() for c in removal.text)]
    assert explain(parser, MORE, removals=0).removals == ()


def test_decisive_removals_let_another_reading_win(parser: Parser) -> None:
    best = explain(parser, LEFT)
    assert all(not removal.wins for removal in best.decisive)
    other = explain(parser, LEFT, alternative=1)
    assert all(removal.wins for removal in other.decisive)


def test_the_drop_of_a_blank_is_that_of_the_operators_log_odds(parser: Parser) -> None:
    found = explain(parser, LEFT)
    problem, model = read_problem(LEFT), parser.model
    values = [quantity.value for quantity in problem.quantities]
    tree = found.reading.tree

    def odds(text: str) -> float:
        other = read_problem(text)
        return operator_odds(tree, values, model.scorer(other, model.annotate(other)), model.forest)[0]

    for removal in found.removals[:4]:
        blank = varied_text(problem, dict.fromkeys(removal.words, BLANK))
        assert dict(removal.drops)[0] == pytest.approx(odds(LEFT) - odds(blank), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_operator_odds_are_what_summing_over_all_trees_gives(seed: int) -> None:
    potentials = random_potentials(5, [0, 2, 4], seed)
    symbols = frozenset({Symbol.ADD, Symbol.SUB, Symbol.MUL, Symbol.CON})
    forest, values = Forest.full(symbols), [Fraction(k + 2) for k in range(3)]
    tree = TextMathCRF(forest, potentials).sample(np.random.default_rng(seed))[0]
    weights: dict[object, float] = {}
    for other in oracle.trees(0, 5, (0, 2, 4), oracle.Grammar(symbols), symbols):
        key = other.expression(values)
        weights[key] = weights.get(key, 0.0) + np.exp(other.score(potentials))
    found = operator_odds(tree, values, potentials, forest)
    assert sorted(found) == [at for at, node in enumerate(tree.nodes()) if node.children]
    if found:
        own = tree.expression(values)
        left, right = own.left, own.right
        rivals = {
            Operation(operator, *operands)
            for operator in (Operator.ADD, Operator.SUB, Operator.MUL)
            if operator is not own.operator
            for operands in ((left, right), (right, left))
        }
        total = sum(weights.get(rival, 0.0) for rival in rivals)
        assert found[0] == pytest.approx(np.log(weights[own] / total), abs=1e-9)


def test_nothing_can_replace_an_equals_sign_so_its_odds_are_the_readings_probability() -> None:
    potentials = random_potentials(4, [2], 1)
    forest = Forest.full({Symbol.EQU, Symbol.ADD, Symbol.X1, Symbol.CON})
    crf = TextMathCRF(forest, potentials)
    tree = next(tree for tree in crf.sample(np.random.default_rng(0), 200) if tree.symbol is Symbol.EQU)
    values = [Fraction(3)]
    [expected] = crf.log_sums([tree.expression(values)])
    assert operator_odds(tree, values, potentials, forest)[0] == pytest.approx(expected - crf.log_partition)


# --- The words that are named ----------------------------------------------------------------------------


def test_every_word_that_is_named_weakens_its_operator(parser: Parser) -> None:
    for text in (MORE, LEFT):
        found = explain(parser, text)
        drops = {removal.words: dict(removal.drops) for removal in found.removals}
        named = [(reason.node, one) for reason in found.reasons for one in reason.because]
        assert named
        for node, evidence in named:
            assert evidence.measured
            singles = [drops[(word,)][node] for word in evidence.words]
            assert evidence.score == pytest.approx(sum(singles))
            assert min(singles) >= WEAKER


def test_named_words_are_the_operators_own_where_those_weaken_it(parser: Parser) -> None:
    found = explain(parser, LEFT)
    nodes = list(found.reading.tree.nodes())
    [minus] = [reason for reason in found.reasons if reason.symbol is Symbol.SUB]
    assert {word for one in minus.because for word in one.words} <= set(nodes[minus.node].words)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "small"])
def test_words_that_weaken_an_operator_are_mostly_those_that_the_tree_gives_to_it(name: str) -> None:
    parser = load(name)
    agree = []
    for example in load_exam().examples[::60]:
        try:
            found = explain(parser, example.problem.text)
        except ValueError:  # it finds nothing to explain
            continue
        for reason, node in zip(found.reasons, found.reading.tree.nodes(), strict=True):
            if node.children and node.symbol is not Symbol.EQU:
                measured = [one for one in reason.because if one.measured]
                agree.append(bool(measured) and set(measured[0].words) <= set(node.words))
    assert len(agree) > 10
    assert sum(agree) >= 0.8 * len(agree)


def test_without_blanks_the_words_only_express_the_operator(parser: Parser) -> None:
    found = explain(parser, LEFT, removals=0)
    [minus] = [reason for reason in found.reasons if reason.symbol is Symbol.SUB]
    named = " ".join(evidence.text for evidence in minus.because)
    assert "left" in named or "took" in named
    assert not any(evidence.measured for evidence in minus.because)
    assert "because of" not in markdown(found)
    assert "**−** expressed by *" in markdown(found)


def test_an_opposite_is_written_like_its_word() -> None:
    tokens = read_problem(
        "Lost pens: 3. More were sold, and 4 birds left. How many are left together?"
    ).tokens
    found = {token.text: opposite(token) for token in tokens if opposite(token) is not None}
    assert found == {"Lost": "Found", "More": "Fewer", "sold": "bought", "left": "in all", "together": "left"}
    in_story = next(token for token in tokens if token.text == "left")
    assert opposite(in_story) == "joined"


# --- In words --------------------------------------------------------------------------------------------


def test_a_sentence_says_without_which_words_an_operator_is_gone(parser: Parser) -> None:
    found = explain(parser, LEFT)
    [minus] = [reason for reason in found.reasons if reason.symbol is Symbol.SUB]
    assert minus.test is not None
    assert minus.node in minus.test.gone
    reading = to_infix(from_infix(minus.test.reading), unicode=True)
    assert f", {reading};" in markdown(found)
    assert markdown(found).startswith("**−** because of *")


def test_the_sentence_names_a_number_with_its_words(explanation: Explanation) -> None:
    text = markdown(explanation)
    assert "**4** from *Leo has 4 toy cars*" in text
    assert "**+** because of *" in text


def test_a_number_that_is_its_only_word_has_no_row(explanation: Explanation) -> None:
    assert [reason.text for reason in explanation.reasons if reason.shown == "5"] == ["5"]
    assert "**5** from" not in markdown(explanation)


def test_a_number_is_told_with_the_words_near_it_in_its_own_sentence() -> None:
    text = (
        "A stall on the old market square beside the river sells jars of flower honey for $7. "
        "Bilal buys 5 jars. How much does he pay?"
    )
    found = explain(load("small"), text, removals=0)
    told = {reason.shown: reason.text for reason in found.reasons if reason.symbol is Symbol.CON}
    assert max(len(words.split()) for words in told.values()) > 10  # or there is nothing to shorten
    for shown in told:
        near = re.findall(rf"\*\*{shown}\*\* from \*([^*]+)\*", markdown(found))
        assert all(len(words.split()) <= 2 * AROUND + 2 for words in near)
        assert not any(". " in words for words in near)


def test_the_one_of_an_unknowns_name_is_not_called_unneeded() -> None:
    found = explain(
        load("small"), "3 times one of the numbers is 11 less than 5 times the other.", removals=0
    )
    assert [quantity.text for quantity in found.parse.quantities if not quantity.used] == ["one"]
    assert "Not needed" not in markdown(found)


def test_marks_in_the_text_do_not_break_the_markdown(parser: Parser) -> None:
    text = "Leo has 4 *toy* cars_ and gets 5 <b>more</b>. How many toy cars has Leo in total?"
    assert "<b>" not in markdown(explain(parser, text, removals=1)).replace("\\<b\\>", "")


def test_numbers_that_are_not_needed_are_said_to_be(parser: Parser) -> None:
    text = "Leo, who is 9, has 4 toy cars and gets 5 more. How many toy cars has Leo in total?"
    found = explain(parser, text, removals=0)
    unused = [quantity.text for quantity in found.parse.quantities if not quantity.used]
    assert all(f"*{word}*" in markdown(found).split("Not needed: ")[1] for word in unused)


def test_the_report_has_a_part_for_each_kind_of_explanation(explanation: Explanation) -> None:
    shown = report(explanation)
    for head in (
        "What contributed to it",
        "The node that each word belongs to",
        "With some words left blank",
    ):
        assert f"\n{head}" in shown
    assert "\x1b" not in shown
    assert "\x1b[1m" in report(explanation, colour=True)


def test_an_explanation_is_plain_data(explanation: Explanation) -> None:
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["rank"] == 0
    assert sum(part["score"] for part in data["contributions"]) == pytest.approx(data["score"], abs=1e-9)
    assert len(data["ownership"]["probabilities"]) == len(data["reasons"])


def test_a_text_without_mathematics_can_not_be_explained(parser: Parser) -> None:
    with pytest.raises(ValueError, match="there is no number in the text"):
        explain(parser, "Good morning!")
    with pytest.raises(ValueError, match="no reading 49 to explain: there are"):
        explain(parser, MORE, alternative=49)
    with pytest.raises(ValueError, match="writes its mathematics out"):
        explain(parser, "3 + 4")


# --- The command -----------------------------------------------------------------------------------------


def test_the_command_explains_in_words_and_in_json(parser: Parser, tmp_path, capsys) -> None:
    path = tmp_path / "quick.t2m"
    parser.save(path)
    assert main(["explain", MORE, "--model", str(path), "--removals", "2"]) == 0
    shown = capsys.readouterr().out
    assert "4 + 5 = 9" in shown
    assert "What contributed to it" in shown
    assert (
        main(["explain", MORE, "--model", str(path), "--json", "--alternative", "1", "--removals", "0"]) == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert data["rank"] == 1
    assert data["sentences"]
    assert main(["explain", "Good morning!", "--model", str(path)]) == 2
    assert "no number" in capsys.readouterr().err


def test_every_operator_has_a_sign_of_its_own_to_show() -> None:
    labels = [operator.label for operator in Operator]
    assert all(labels)
    assert len(set(labels)) == len(labels)


def test_an_unknown_without_words_is_said_to_have_none_once() -> None:
    text = "Tickets cost $4 for students and $6 for others. 525 were sold for $2,876. How many of each?"
    explanation = explain(load("default"), text)
    unknowns = [reason for reason in explanation.reasons if reason.symbol in UNKNOWNS]
    assert [reason.symbol.name for reason in unknowns] == ["X1", "X2", "X1", "X2"]
    said = markdown(explanation)
    for name in ("X1", "X2"):
        silent = not any(reason.text for reason in unknowns if reason.symbol.name == name)
        assert len(re.findall(f"{name}\\W* has no words of its own", said)) == silent

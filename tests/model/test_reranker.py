"""Reranker and relevance: what the features say, and that the weights are learned from them."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest

from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.mathematics.rewriting import form
from text2math.model.candidates import Candidate
from text2math.model.reranker import TEMPLATES, Reranker, RerankerConfig, features
from text2math.scorers.relevance import NumberIdentifier, phrase_match, unit_match


def reading(text: str) -> Annotations:
    return Annotations.of(read_problem(text), Lexicon.default())


def candidate(infix: str, log_probability: float = -1.0) -> Candidate:
    return Candidate.scored(from_infix(infix), log_probability)


PENS = "There are 3 red pens and 8 blue pens. Tom takes 2 of the red pens. How many red pens are left?"


def names(text: str, infix: str, template: str) -> set[str]:
    return set(TEMPLATES[template](reading(text), candidate(infix)))


def test_a_negative_answer_and_a_split_thing_are_told_apart():
    assert "negative" in names(PENS, "3[0] - 8[1]", "answer")
    assert "fraction-of-wholes" in names(PENS, "3[0] / 8[1]", "answer")
    assert "none" in names(PENS, "3[0] / (8[1] - 8[1])", "answer")


def test_a_rival_of_the_thing_asked_for_is_seen():
    seen = reading(PENS)
    assert [phrase_match(seen, k) for k in range(3)] == ["same", "rival", "same"]
    assert "exactly-fitting=True" in names(PENS, "3[0] - 2[2]", "use-of-numbers")


def test_units_are_matched_against_the_question():
    seen = reading("Tom has 3 pens and 8 dollars. How many pens are there?")
    assert [unit_match(seen, quantity) for quantity in seen.problem.quantities] == ["asked", "other"]


def test_votes_are_the_same_for_every_operator():
    text = "Tom has 3 pens and 8 pens. How many pens altogether?"
    assert "question,for" in names(text, "3[0] + 8[1]", "votes")
    assert "question,against" in names(text, "8[1] - 3[0]", "votes")


@pytest.mark.parametrize(
    ("one", "other"),
    [("X1 = 2 * X2", "X2 = X1 * 2"), ("X1 + 3 = 5", "5 = 3 + X2"), ("2 + X1 * 3", "3 * X1 + 2")],
)
def test_a_form_does_not_depend_on_names_or_sides(one: str, other: str):
    assert form(from_infix(one)) == form(from_infix(other))


def test_the_reranker_learns_to_prefer_what_was_right():
    groups = [(candidate("3[0] - 8[1]", -0.5), candidate("8[1] - 3[0]", -1.0)) for _ in range(6)]
    config = RerankerConfig(templates=("answer",), l2=0.1)
    learned = Reranker.fit([reading(PENS)] * 6, groups, [(False, True)] * 6, config)
    scores = learned.scores(reading(PENS), groups[0])
    assert scores[1] > scores[0]
    assert np.logaddexp.reduce(scores) == pytest.approx(0.0)


def test_a_reranker_without_anything_to_learn_keeps_the_charts_order():
    config = RerankerConfig()
    learned = Reranker.fit([], [], [], config)
    first, second = learned.scores(
        reading(PENS), [candidate("3[0] + 8[1]", -0.2), candidate("3[0] + 2[2]", -2.0)]
    )
    assert first > second


def test_features_are_named_by_their_template():
    found = features(reading(PENS), candidate("3[0] - 2[2]"), RerankerConfig())
    assert {name.split(":")[0] for name, _ in found} <= set(TEMPLATES)


def test_the_number_identifier_learns_which_numbers_are_used():
    texts = [f"Tom has {n} pens and {n + 1} dollars. How many pens are there?" for n in range(2, 12)]
    problems = [read_problem(text) for text in texts]
    identifier = NumberIdentifier.fit(problems, [(True, False)] * 10)
    assert identifier(read_problem("Ann has 30 cups and 40 dollars. How many cups are there?")) == (
        True,
        False,
    )
    assert all(0 < p < 1 for p in identifier.probabilities(problems[0]))


def test_labels_that_do_not_fit_the_texts_are_refused():
    with pytest.raises(ValueError, match="2 numbers in the texts, but 1 labels"):
        NumberIdentifier.fit([read_problem("Tom has 3 pens and 4 pens.")], [(True,)])


def test_an_answer_as_large_as_every_operand_is_marked():
    assert "above-all" in names(PENS, "3[0] + 8[1]", "answer")
    assert candidate("3[0] + 8[1]").answer == Fraction(11)


EGGS = "Ann buys 6 eggs a day for 5 days and breaks 4 of the eggs. In all, how many eggs does Ann have?"


def test_what_a_clause_tells_of_a_number_goes_with_what_the_number_does():
    found = names(EGGS, "6[0] * 5[1] - 4[2]", "told")
    assert {"right SUB MUL,verb=break", "MUL number,verb=buy", "right SUB MUL,place=last"} <= found


def test_the_verbs_of_two_numbers_go_with_their_operator():
    assert "SUB,buy,break" in names(EGGS, "6[0] - 4[2]", "events")
    assert "SUB~,buy,break" in names(EGGS, "4[2] - 6[0]", "events")


def test_dimensions_put_units_in_the_place_of_numbers():
    assert "((A*b)-A)" in names(EGGS, "5[1] * 6[0] - 4[2]", "dimensions")


def test_an_arrangement_has_the_order_of_the_text_and_no_order_of_commutative_operands():
    one, other = (names(EGGS, infix, "arrangement") for infix in ("5[1] * 6[0] - 4[2]", "6[0] * 5[1] - 4[2]"))
    assert one == other
    assert "((0*1)-2),how many" in one


def test_words_before_the_question_in_its_sentence_are_its_lead():
    assert "in all,*" in names(EGGS, "6[0] * 5[1]", "question-lead")
    assert not names(PENS, "3[0] - 2[2]", "question-lead")


def test_scores_are_the_sum_of_the_features_weights():
    twice = [candidate(infix) for infix in ("6[0] + 6[0] * 5[1]", "6[0] * 6[0] - 5[1]", "6[0] - 6[0] + 5[1]")]
    group = [
        *(candidate("6[0] * 5[1] - 4[2]", -1.0), candidate("6[0] * 5[1]", -0.7), candidate("6[0] - 4[2]")),
        *twice,  # the same numbers with different operators
    ]
    config = RerankerConfig(templates=tuple(TEMPLATES))
    learned = Reranker.fit([reading(EGGS)], [group], [(True, *[False] * 5)], config)
    totals = [
        sum(
            value * learned.weights[learned.vocabulary[name]]
            for name, value in features(reading(EGGS), c, config)
        )
        + (1 + learned.weights[-1]) * c.log_probability
        for c in group
    ]
    expected = np.array(totals) - np.logaddexp.reduce(totals)
    assert learned.scores(reading(EGGS), group) == pytest.approx(expected)


def test_a_reranker_that_was_used_can_be_sent_to_another_process():
    group = [candidate("6[0] * 5[1] - 4[2]", -1.0), candidate("6[0] * 5[1]", -0.7)]
    learned = Reranker.fit([reading(EGGS)], [group], [(True, False)], RerankerConfig())
    scores = learned.scores(reading(EGGS), group)
    assert pickle.loads(pickle.dumps(learned)).scores(reading(EGGS), group) == scores


def test_features_of_fewer_problems_than_asked_for_are_left_out():
    groups = [
        [candidate("3[0] - 8[1]"), candidate("8[1] - 3[0]")],
        [candidate("3[0] + 8[1]"), candidate("8[1] - 3[0]")],
    ]
    config = RerankerConfig(templates=("shape",), min_count=2)
    learned = Reranker.fit([reading(PENS)] * 2, groups, [(False, True)] * 2, config)
    assert "shape:operators=-" in learned.vocabulary
    assert "shape:operators=+" not in learned.vocabulary


def test_the_mean_of_rerankers_gives_each_feature_its_mean_weight():
    config = RerankerConfig(templates=("answer",))
    one = Reranker(config, {"answer:negative": 0}, np.array([1.0, 0.5]))
    other = Reranker(config, {"answer:negative": 0, "answer:zero": 1}, np.array([3.0, 4.0, 0.1]))
    mean = Reranker.mean([one, other])
    assert {name: mean.weights[at] for name, at in mean.vocabulary.items()} == {
        "answer:negative": 2.0,
        "answer:zero": 2.0,
    }
    assert mean.weights[-1] == pytest.approx(0.3)

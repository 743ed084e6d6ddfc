"""Candidates: those that say the same are one, and an equation nobody asks about is never solved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from text2math.deferred import Later
from text2math.inference.crf import ScoredExpression
from text2math.language.problem import read_problem
from text2math.mathematics.algebra import canonical_form
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model import candidates as module
from text2math.model.candidates import Candidate, Decoding, TextOrder, candidate_of, merge
from text2math.parser import load
from text2math.scorers.encoder import ASKED_OUTPUTS


def one(text: str, probability: float) -> Candidate:
    return Candidate.scored(from_infix(text), float(np.log(probability)))


def shares(found: tuple[Candidate, ...]) -> list[tuple[str, float]]:
    return [(to_infix(candidate.mathematics), round(candidate.probability, 6)) for candidate in found]


def read_of(expression: str, in_text_order: str, asked_scores: tuple[float, ...]) -> str | None:
    """The candidate for an expression of the chart and the same in text order, as text."""
    found = ScoredExpression(
        from_infix(expression), -1.0, Later(lambda: None), 0.0, from_infix(in_text_order)
    )  # fmt: skip
    decoding = Decoding(text_order=True)
    candidate = candidate_of(found, TextOrder([]), read_problem("What are they?"), decoding, asked_scores)
    return None if candidate is None else to_infix(candidate.mathematics)


def test_unknowns_are_in_order_where_the_chart_has_them_whatever_the_text_mentions_first():
    in_order, swapped = "X1 + X2 = 60[0]; X1 = 2[1] * X2", "X2 + X1 = 60[0]; X1 = 2[1] * X2"
    scores = (1.0,) * ASKED_OUTPUTS
    assert read_of(in_order, in_order, scores) == "X1 + X2 = 60; X1 = 2 * X2"
    assert read_of(in_order, swapped, scores) == "X2 + X1 = 60; X1 = 2 * X2"
    # Its unknowns have other names in the chart: the same system named in order is a candidate already.
    assert read_of(swapped, in_order, scores) is None


def test_candidates_that_say_the_same_are_merged():
    found = merge([one("2[1] - 1[0]", 0.4), one("1[0] + 2[1]", 0.35), one("2[1] + 1[0]", 0.25)])
    assert shares(found) == [("1 + 2", 0.6), ("2 - 1", 0.4)]


def test_equations_are_merged_whatever_their_sides_and_names():
    found = merge([one("X1 = 2[0] * X2", 0.3), one("X2 / 2[0] = X1", 0.3), one("X1 = 2[0] - X2", 0.4)])
    assert shares(found) == [("X1 = 2 * X2", 0.6), ("X1 = 2 - X2", 0.4)]


def test_the_same_value_of_other_numbers_is_another_candidate():
    found = merge([one("2[0] + 2[1]", 0.5), one("2[0] + 2[2]", 0.5)])
    assert len(found) == 2


def test_what_divides_by_zero_is_merged_with_itself_alone():
    found = merge([one("2[0] / (1[1] - 1[2])", 0.5), one("1[1] / (1[2] - 1[2]) + 2[0]", 0.5)])
    assert len(found) == 2


def test_an_equation_is_solved_when_its_answer_is_asked_for_and_only_once(monkeypatch):
    asked = []
    original = module.solve
    monkeypatch.setattr(module, "solve", lambda equation: asked.append(equation) or original(equation))
    candidate = one("2[0] * X1 = 10[1]", 0.5)
    assert asked == []
    assert (candidate.answer, candidate.solution) == (5, {"X1": Fraction(5)})
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["small", "default"])
def test_of_all_candidates_of_a_parse_only_the_best_is_solved(monkeypatch, name: str):
    if name == "default":
        pytest.importorskip("onnxruntime", reason="onnxruntime and tokenizers are not installed")
    asked = []
    original = module.solve
    monkeypatch.setattr(module, "solve", lambda equation: asked.append(equation) or original(equation))
    parse = load(name).parse("Three times a number is 12.")
    assert parse.answer == 4
    assert {canonical_form(equation) for equation in asked} == {canonical_form(parse.equation)}
    assert len(asked) <= (1 if name == "small" else 2)  # by `default` also before its unknowns are renamed


def test_a_text_is_annotated_once_on_its_way(monkeypatch):
    from text2math.language.annotations import Annotations

    seen = []
    original = Annotations.of.__func__
    monkeypatch.setattr(
        Annotations, "of", classmethod(lambda cls, *given: seen.append(given) or original(cls, *given))
    )
    problem = read_problem("Tom has 3 pens and buys 4 pens. How many pens has he now?")
    assert load("small").model.read(problem)
    assert len(seen) == 1


def test_with_a_margin_a_model_ranks_fewer_candidates_and_none_that_it_would_not_rank_without():
    model = load("small").model
    problem = read_problem("Ann has 7 plums and 3 figs. Ben eats 6 plums. How many plums are left?")

    def ranked(margin: float | None, at_least: int = 1) -> set[str]:
        other = replace(model, config=replace(model.config, margin=margin, at_least=at_least))
        return {to_infix(candidate.mathematics) for candidate in other.candidates(problem)}

    assert ranked(2.0) < ranked(None)
    assert ranked(2.0) < ranked(2.0, at_least=6) <= ranked(None)


def test_default_has_other_readings_even_of_a_text_that_it_is_sure_of():
    (best, *others) = load("default").model.candidates(
        read_problem("Ann has 7 plums and 3 figs. How many in all?")
    )
    assert best.probability > 0.9
    assert others


def test_a_candidate_with_another_probability_is_not_evaluated_again(monkeypatch: pytest.MonkeyPatch):
    candidate = one("2[0] + 3[1]", 0.5)
    assert candidate.answer == 5
    monkeypatch.setattr(module, "evaluate", None)
    again = candidate.rescored(0.25, -1.0)
    assert (again.answer, again.probability, again.log_probability) == (5, 0.25, -1.0)
    assert candidate.probability == 0.5

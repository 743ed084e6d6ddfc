"""None of these: the chance that no candidate is right, and what it takes from the candidates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.asked import CHOICES
from text2math.model.candidates import Candidate
from text2math.model.none_of_these import NoneOfThese, Ranked
from text2math.parser import Parser, load

SURE = "Tom has 3 pens and buys 2 more. How many pens has he now?"
RIDDLE = "What has 4 wheels and 2 wings but no feet?"


def ranked(text: str, *, beyond: float, probability: float = 0.9) -> Ranked:
    problem = read_problem(text)
    first, second = (quantity.value for quantity in problem.quantities)
    sums = [from_infix(f"{first}[0] {sign} {second}[1]") for sign in "+-"]
    candidates = [Candidate(sums[0], probability), Candidate(sums[1], 1 - probability)]
    return Ranked(Annotations.of(problem, Lexicon.default()), candidates, beyond)


@pytest.fixture(scope="module")
def learned() -> NoneOfThese:
    solvable = [ranked(SURE, beyond=-4, probability=0.8 + 0.01 * i) for i in range(15)]
    riddles = [ranked(RIDDLE, beyond=4, probability=0.5 + 0.01 * i) for i in range(15)]
    return NoneOfThese.fit([*solvable, *riddles], [True] * 15 + [False] * 15)


def test_it_tells_texts_with_a_right_candidate_from_those_without(learned: NoneOfThese) -> None:
    assert learned.probability(ranked(SURE, beyond=-4)) < 0.1
    assert learned.probability(ranked(RIDDLE, beyond=4)) > 0.9


def of_system(ahead: float) -> Ranked:
    """A system whose best choice of what is asked is so far ahead of the next."""
    problem = read_problem("The sum of two numbers is 30. Their difference is 6. Find the larger.")
    system = from_infix("X1 + X2 = 30[1]; X1 - X2 = 6[2]")
    asked = [ahead if name == "first" else 0.0 for name in CHOICES]
    return Ranked(Annotations.of(problem, Lexicon.default()), [Candidate(system, 0.9)], 0.0, asked)


def test_it_learns_that_a_close_call_what_a_system_is_asked_for_is_often_wrong() -> None:
    texts = [of_system(0.1 * (i % 5) + (4 if i % 2 else 0)) for i in range(40)]
    learned = NoneOfThese.fit(texts, [bool(i % 2) for i in range(40)])
    assert learned.probability(of_system(0.2)) > 0.8
    assert learned.probability(of_system(4.2)) < 0.2


def test_without_candidates_none_is_certain(learned: NoneOfThese) -> None:
    problem = Annotations.of(read_problem(SURE), Lexicon.default())
    assert learned.probability(Ranked(problem, (), 0.0)) == 1


def constant(probability: float) -> NoneOfThese:
    return NoneOfThese({}, np.array([np.log(probability / (1 - probability))]))


def test_the_candidates_share_what_it_leaves() -> None:
    plain = load("small").model
    doubtful = replace(plain, none_of_these=constant(0.25))
    before, after = (model.candidates(read_problem(SURE)) for model in (plain, doubtful))
    assert [one.mathematics for one in before] == [one.mathematics for one in after]
    assert [one.probability for one in after] == pytest.approx([0.75 * one.probability for one in before])
    read = doubtful.read_all([read_problem(SURE)])[0]
    assert [one.probability for one in read] == pytest.approx([one.probability for one in after])


def test_a_text_where_it_is_almost_certain_has_no_reading() -> None:
    model = replace(load("small").model, none_of_these=constant(0.96))
    assert Parser(model).parse(SURE).kind == "none"
    assert [parse.kind for parse in Parser(model).parse_many([SURE])] == ["none"]


@pytest.mark.slow
def test_it_is_kept_in_model_files(tmp_path: Path, learned: NoneOfThese) -> None:
    parser = Parser(replace(load("small").model, none_of_these=learned))
    parser.save(tmp_path / "whole.t2m")
    parser.save_compact(tmp_path / "small.t2m")
    for name in ("whole", "small"):
        again = load(tmp_path / f"{name}.t2m")
        assert again.parse(SURE).probability == pytest.approx(parser.parse(SURE).probability, abs=0.02)
        assert again.model.none_of_these is not None

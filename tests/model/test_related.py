"""The relations of a candidate's numbers, as a network scores them."""

from __future__ import annotations

import numpy as np
import pytest

from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.mathematics.relations import RELATIONS
from text2math.model.candidates import Candidate
from text2math.model.related import related
from text2math.model.reranker import Reranker, RerankerConfig

PROBLEM = read_problem("A pen costs 3 dollars. Ann buys 4 pens and pays with 20 dollars. How much is left?")


def candidate(infix: str) -> Candidate:
    return Candidate.scored(from_infix(infix), -1.0)


def scores(**wanted: float) -> np.ndarray:  # type: ignore[type-arg]
    """Scores of zero, but of some relations of the first two numbers."""
    table = np.zeros((3, 3, len(RELATIONS)), dtype=np.float32)
    for name, score in wanted.items():
        table[0, 1, RELATIONS.index(name)] = score
    return table


def test_candidates_gain_what_their_relations_are_likelier_than_others() -> None:
    times, plus = related([candidate("3[0] * 4[1]"), candidate("3[0] + 4[1]")], scores(MUL=2.0), PROBLEM)
    assert times.relations - plus.relations == pytest.approx(2.0, abs=1e-5)


def test_differences_are_those_of_the_log_probabilities_of_all_relations() -> None:
    table = np.random.default_rng(1).normal(size=(3, 3, len(RELATIONS))).astype(np.float32)
    logs = table - np.logaddexp.reduce(table, axis=-1, keepdims=True)

    def log_probability(**used: tuple[int, int]) -> float:
        """That of some relations, all other pairs of numbers being unrelated."""
        names = {pair: name for name, pair in used.items()}
        pairs = [(a, b) for a in range(3) for b in range(a, 3)]
        return float(sum(logs[pair][RELATIONS.index(names.get(pair, "unrelated"))] for pair in pairs))

    one, other = related([candidate("3[0] * 4[1]"), candidate("20[2] - 4[1]")], table, PROBLEM)
    expected = log_probability(MUL=(0, 1)) - log_probability(**{"SUB reversed": (1, 2)})
    assert one.relations - other.relations == pytest.approx(expected, abs=1e-4)


def test_of_several_relations_of_two_numbers_the_likeliest_counts() -> None:
    (only,) = related([candidate("3[0] * 4[1] + 3[0]")], scores(MUL=2.0, ADD=5.0), PROBLEM)
    assert only.relations == pytest.approx(5.0)


def test_nothing_else_about_a_candidate_changes() -> None:
    before = candidate("3[0] * 4[1]")
    (after,) = related([before], scores(MUL=1.0), PROBLEM)
    assert after == before
    assert (after.answer, after.log_probability) == (before.answer, before.log_probability)


def test_a_reranker_learns_to_trust_relations_that_tell_right_from_wrong() -> None:
    config = RerankerConfig(templates=("relations",), l2=0.1)
    annotations = Annotations.of(PROBLEM, Lexicon.default())
    right, wrong = related([candidate("3[0] * 4[1]"), candidate("3[0] + 4[1]")], scores(MUL=2.0), PROBLEM)
    reranker = Reranker.fit([annotations] * 5, [(wrong, right)] * 5, [(False, True)] * 5, config)
    assert reranker.weights[reranker.vocabulary["relations:value"]] > 0
    below, above = reranker.scores(annotations, (wrong, right))
    assert above > below

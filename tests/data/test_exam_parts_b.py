"""The parts of the exam for numbers that words imply: known numbers, numbers used twice, crossing numbers."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from importlib.resources import files

import pytest

from text2math.data import leaks, load, load_corpus, load_exam
from text2math.data.dataset import Dataset
from text2math.data.jsonlines import parse_json_lines
from text2math.inference.forest import reachable_trees
from text2math.language.problem import Problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import numbers
from text2math.mathematics.notation import from_infix

# By part: the letter of its ids, its problems, and how many of them don't map yet: a fact or a number word
# that is not in our tables.
PARTS = {"known": ("k", 250, 8), "reuse": ("r", 100, 0), "crossing": ("c", 100, 0)}
LINES = {
    part: files("text2math.data").joinpath("exam", f"{part}.jsonl").read_text(encoding="utf-8")
    for part in PARTS
}


def dataset(part: str, *, knowledge: bool) -> Dataset:
    return parse_json_lines(LINES[part], part, f"{part}.jsonl", knowledge=knowledge)


def rows(part: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in LINES[part].splitlines()]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_its_problems_each_with_a_name_and_a_text_of_its_own(part: str) -> None:
    letter, count, _ = PARTS[part]
    assert [row["id"] for row in rows(part)] == [f"{letter}-{n:03d}" for n in range(1, count + 1)]
    assert len({row["text"] for row in rows(part)}) == count


@pytest.mark.parametrize("part", PARTS)
def test_every_answer_is_what_the_expression_gives(part: str) -> None:
    for row in rows(part):
        assert evaluate(from_infix(str(row["expression"]))) == Fraction(str(row["answer"])), row["id"]


@pytest.mark.parametrize("part", PARTS)
def test_with_knowledge_all_but_a_few_expressions_find_their_numbers(part: str) -> None:
    found = dataset(part, knowledge=True)
    assert len(found.problems_failed) <= PARTS[part][2]
    assert not found.warnings


def test_without_knowledge_few_of_the_known_numbers_are_in_the_text() -> None:
    # What is left is "four dozen", which the text itself writes.
    assert len(dataset("known", knowledge=False).examples) <= 4


def test_every_problem_that_reuses_a_number_writes_it_once_and_uses_it_twice() -> None:
    for example in dataset("reuse", knowledge=False).examples:
        assert example.expression is not None
        uses = Counter(number.quantity for number in numbers(example.expression))
        assert max(uses.values()) > 1, example.problem.id


def test_no_equivalent_tree_untangles_the_numbers_that_cross() -> None:
    for example in dataset("crossing", knowledge=False).examples:
        assert example.expression is not None
        assert not reachable_trees(example.expression, example.problem.anchors, limit=100), example.problem.id


def test_mentions_untangle_nearly_all_numbers_that_cross() -> None:
    examples = dataset("crossing", knowledge=True).examples
    untangled = [
        example
        for example in examples
        if example.expression is not None
        and reachable_trees(example.expression, example.problem.all_anchors, limit=100)
    ]
    assert len(untangled) >= 95


def test_nothing_of_these_parts_appears_in_what_models_learn_from() -> None:
    own = [Problem(str(row["text"]), (), (), str(row["id"])) for part in PARTS for row in rows(part)]
    for other in (load_exam(), load_corpus(), load("stories")):
        assert not leaks(own, other.problems)

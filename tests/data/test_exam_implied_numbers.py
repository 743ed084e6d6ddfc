"""The parts of the exam for implied numbers need what they say: known numbers, reuse, crossing numbers."""

from __future__ import annotations

from collections import Counter

from text2math.data import leaks, load, load_corpus, load_exam
from text2math.inference.forest import reachable_trees
from text2math.language.problem import Example
from text2math.language.quantity import Source
from text2math.mathematics.expression import numbers


def has_tree(example: Example) -> bool:
    """Whether some grouping of the gold keeps the numbers of every operand next to each other."""
    assert example.expression is not None
    return bool(reachable_trees(example.expression, example.problem.all_anchors, limit=100))


def test_without_knowledge_few_of_the_known_numbers_are_in_the_text() -> None:
    # What is left is "four dozen", which the text itself writes.
    assert len(load_exam("known").examples) <= 4


def test_with_knowledge_the_gold_uses_a_known_number() -> None:
    for example in load_exam("known", knowledge=True).examples:
        assert example.expression is not None
        quantities = example.problem.all_quantities
        used = [quantities[one.quantity] for one in numbers(example.expression) if one.quantity is not None]
        written_by_a_word = "dozen" in example.problem.text
        assert written_by_a_word or any(one.source is Source.KNOWN for one in used), example.problem.id


def test_every_problem_that_reuses_a_number_writes_it_once_and_uses_it_twice() -> None:
    for example in load_exam("reuse").examples:
        assert example.expression is not None
        uses = Counter(number.quantity for number in numbers(example.expression))
        assert max(uses.values()) > 1, example.problem.id


def test_no_equivalent_tree_untangles_the_numbers_that_cross() -> None:
    assert not [example.problem.id for example in load_exam("crossing").examples if has_tree(example)]


def test_mentions_give_nearly_all_of_these_problems_a_tree() -> None:
    for part, least in {"known": 242, "reuse": 94, "crossing": 98}.items():
        assert sum(map(has_tree, load_exam(part, knowledge=True).examples)) >= least, part


def test_nothing_of_these_parts_appears_in_what_models_learn_from() -> None:
    own = [problem for part in ("known", "reuse", "crossing") for problem in load_exam(part).problems]
    assert len(own) == 450
    for other in (load_exam(), load_corpus(), load("stories")):
        assert not leaks(own, other.problems)

"""Lessons: what a network learns from, read by one process or by many."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from fakes import Letters
from text2math.data.distraction import remarks
from text2math.data.stories import generate
from text2math.data.stories.story import SOURCE
from text2math.inference.forest import LARGER_GRAMMAR
from text2math.language.attachment import attach
from text2math.language.problem import Example, read_problem
from text2math.mathematics.expression import Variable
from text2math.mathematics.notation import from_infix
from text2math.mathematics.relations import RELATIONS
from text2math.neural import lessons
from text2math.neural.evaluation import split_evenly
from text2math.neural.lessons import (
    Lesson,
    StoryRequest,
    prepare,
    prepare_each,
    prepare_stories,
    story_remarks,
    story_requests,
)


def as_plain(lesson: Lesson) -> tuple[object, ...]:
    return lesson.inputs.ids.tolist(), lesson.inputs.features.tolist(), lesson.gold


@pytest.mark.slow
def test_many_processes_tell_and_read_stories_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [*generate(50, seed=1), *generate(50, seed=2), *generate(20, seed=3)]
    stories += [*generate(50, seed=1001, pairs=True), *generate(10, seed=1002, pairs=True)]
    alone = prepare((story.example() for story in stories), Letters())
    monkeypatch.setattr(lessons, "STORIES_PER_CALL", 50)
    monkeypatch.setattr(lessons, "LESSONS_PER_CHART", 40)
    monkeypatch.setattr(lessons, "available_cores", lambda: 2)
    found = prepare_stories(story_requests(generate, 180), Letters())
    assert list(map(as_plain, found)) == list(map(as_plain, alone))


def twice(example: Example, mark: str) -> list[Example]:
    return [replace(example, problem=replace(example.problem, id=f"{example.problem.id} {mark}"))]


@pytest.mark.slow
def test_many_processes_read_each_example_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [story.example() for story in generate(30, seed=4, larger=False)]
    variants = partial(twice, mark="again")
    alone = prepare_each(examples, variants, Letters())
    monkeypatch.setattr(lessons, "FEW_EXAMPLES", 10)
    monkeypatch.setattr(lessons, "EXAMPLES_PER_CALL", 4)
    monkeypatch.setattr(lessons, "available_cores", lambda: 2)
    found = prepare_each(examples, variants, Letters())
    assert [list(map(as_plain, own)) for own in found] == [list(map(as_plain, own)) for own in alone]
    assert [len(own) for own in found] == [2] * 30


def test_what_is_asked_is_not_learned_where_a_data_set_lists_every_unknown_though_one_is_asked_for() -> None:
    told = "The sum of two numbers is 30. Their difference is 6. "
    gold = attach(from_infix("X1 + X2 = 30; X1 - X2 = 6"), [Fraction(30), Fraction(6)])
    example = Example(read_problem(told + "Find the larger number."), gold, source="alg514")
    both = replace(example, asked=(Variable(1), Variable(2)), answers=(Fraction(18), Fraction(12)))
    asked_for_both = replace(both, problem=read_problem(told + "What are the numbers?"))
    one = replace(example, asked=(Variable(1),), answers=(Fraction(18),))
    found = prepare(
        [both, asked_for_both, one, replace(both, source=SOURCE)], Letters(), grammar=LARGER_GRAMMAR
    )
    assert [lesson.asked for lesson in found] == [None, "all", "first", "all"]


@pytest.mark.slow
def test_remarks_of_stories_come_from_all_portions_in_their_order() -> None:
    paper_grammar = partial(generate, larger=False)
    found = story_remarks([StoryRequest(paper_grammar, 20, seed) for seed in (1, 2)])
    alone = [remarks(story.example() for story in generate(20, seed=seed, larger=False)) for seed in (1, 2)]
    assert found == (*alone[0], *alone[1])
    assert all(alone)


def test_lessons_with_the_same_mathematics_share_one_forest() -> None:
    found = prepare((story.example() for story in generate(200, seed=6)), Letters())
    assert len({id(lesson.gold) for lesson in found}) == len({lesson.gold for lesson in found}) < len(found)


def test_parts_have_all_items_in_order() -> None:
    for count in range(12):
        for parts in range(1, 5):
            found = split_evenly(np.arange(count).tolist(), parts)
            assert [item for part in found for item in part] == list(range(count))
            assert len(found) <= parts


def test_a_lesson_says_how_each_two_numbers_of_the_text_are_related() -> None:
    problem = read_problem("Ann has 8 pens and 20 dollars. Bo has 5 pens more. How many pens has Bo?")
    lesson = prepare([Example(problem, from_infix("8[0] + 5[2]"))], Letters())[0]
    found = {(a, b): RELATIONS[relation] for a, b, relation in lesson.relations.tolist()}
    assert found.pop((0, 2)) == "ADD"
    assert set(found) == {(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)}
    assert set(found.values()) == {"unrelated"}


def test_a_text_beyond_the_grammar_relates_no_numbers() -> None:
    (lesson,) = prepare([Example(read_problem("What has 4 wheels and flies?"), None)], Letters())
    assert lesson.relations.shape == (0, 3)

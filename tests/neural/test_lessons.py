"""Lessons: what a network learns from, read by one process or by many."""

from __future__ import annotations

import numpy as np
import pytest

from fakes import Letters
from text2math.data.stories import generate
from text2math.neural import lessons
from text2math.neural.evaluation import dealt
from text2math.neural.lessons import Lesson, prepare, prepare_stories, tellings


def as_plain(lesson: Lesson) -> tuple[object, ...]:
    return lesson.inputs.ids.tolist(), lesson.inputs.features.tolist(), lesson.gold


@pytest.mark.slow
def test_many_processes_tell_and_read_stories_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stories = [*generate(50, seed=1), *generate(50, seed=2), *generate(20, seed=3)]
    stories += [*generate(50, seed=1001, pairs=True), *generate(10, seed=1002, pairs=True)]
    alone = prepare((story.example() for story in stories), Letters())
    monkeypatch.setattr(lessons, "PORTION", 50)
    monkeypatch.setattr(lessons, "AT_A_TIME", 40)
    monkeypatch.setattr(lessons, "available_cores", lambda: 2)
    found = prepare_stories(tellings(generate, 180), Letters())
    assert list(map(as_plain, found)) == list(map(as_plain, alone))


def test_lessons_with_the_same_mathematics_share_one_forest() -> None:
    found = prepare((story.example() for story in generate(200, seed=6)), Letters())
    assert len({id(lesson.gold) for lesson in found}) == len({lesson.gold for lesson in found}) < len(found)


def test_what_is_dealt_is_everything_in_its_order() -> None:
    for count in range(12):
        for parts in range(1, 5):
            found = dealt(np.arange(count).tolist(), parts)
            assert [item for part in found for item in part] == list(range(count))
            assert len(found) <= parts

"""Authors of sheets and of the exam think alike: no exercise may tell a problem of the exam again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from text2math.data.corpus import EXAM_PARTS, load_beyond, load_exam
from text2math.data.stories.exercise import NUMBER
from text2math.data.stories.sheets import exercises

ALIKE = 0.4  # the share of common words from which two texts with the same numbers count as one problem
_COMMON = frozenset(
    "and are after all before did does each every for from had has have her his how its less many more much "
    "one than that the their them then there they this two was were what when which who will with".split()
)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall("[a-z]{3,}", text.lower()) if word not in _COMMON)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d+(?:\.\d+)?", text.replace(",", "")))


def _exam() -> Iterator[str]:
    for part in EXAM_PARTS:
        yield from (example.problem.text for example in load_exam(part, knowledge=True).examples)
    yield from (one.problem.text for one in load_beyond(True))


def _told() -> Iterator[tuple[str, str]]:
    """Every question of every exercise with the numbers of its sheet, its marks taken away."""
    for exercise in exercises():
        for question in exercise.questions:
            text = NUMBER.sub(r"\2", f"{exercise.story} {question.wordings[0]}")
            text = re.sub(r"\{([^} ]+)(?: [fm])?\}", r"\1", text)
            yield exercise.name, re.sub(r"<\w:([^>|]+)[^>]*>", r"\1", text)


@pytest.mark.slow
def test_no_exercise_tells_a_problem_of_the_exam_with_the_same_numbers() -> None:
    by_numbers = defaultdict(list)
    for text in _exam():
        if len(_numbers(text)) > 1:
            by_numbers[_numbers(text)].append(text)
    copies = {
        name: (told, text)
        for name, told in _told()
        for text in by_numbers.get(_numbers(told), ())
        if len(_words(told) & _words(text)) >= ALIKE * len(_words(told) | _words(text))
    }
    assert not copies

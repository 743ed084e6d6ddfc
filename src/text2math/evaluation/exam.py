"""The exam, part by part: how many answers are right, and what their probabilities are worth.

Whatever reads texts can sit it. Here nobody answers:

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Silence:
...     mathematics: None = None
...     answers: tuple = ()
...     probability: None = None
>>> report = sit_exam(lambda texts: [Silence() for _ in texts], ["clock", "beyond"])
>>> [(part.name, part.problems, part.right) for part in report.parts]
[('clock', 30, 0), ('beyond', 300, 0)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import Generic, Protocol, TypeVar

from text2math.data.corpus import EXAM_PARTS, PLAIN, load_beyond, load_exam
from text2math.evaluation.metrics import is_correct
from text2math.evaluation.reliability import Reliability
from text2math.language.problem import Example, Problem
from text2math.mathematics.expression import Expression

BEYOND = "beyond"
"""The part whose problems have no answer in the grammar: every answer is wrong."""
ALL_PARTS = (*EXAM_PARTS, BEYOND)


class Answer(Protocol):
    """What a reader makes of a text; a ``Parse`` is one."""

    @property
    def mathematics(self) -> Expression | None:
        """What it reads, if anything."""

    @property
    def answers(self) -> tuple[Fraction, ...]:
        """The answers to what is asked, where it says which."""

    @property
    def probability(self) -> float | None:
        """How sure it is."""


Given = TypeVar("Given", bound=Answer)


@dataclass(frozen=True, slots=True)
class Question:
    """A problem of the exam with its gold; where that can't be mapped to the text, every answer is wrong."""

    part: str
    problem: Problem
    example: Example | None = None


@dataclass(frozen=True, slots=True)
class Mark(Generic[Given]):
    """A question with the answer that was given."""

    question: Question
    answer: Given
    right: bool


@dataclass(frozen=True, slots=True)
class PartScore:
    """How a part went. Of the part beyond the grammar nothing is right."""

    name: str
    problems: int
    right: int
    mean_probability: float | None  # of the answers; None where there are none
    reliability: Reliability

    @classmethod
    def of(cls, name: str, marks: Sequence[Mark[Given]]) -> PartScore:
        """The score of some marks."""
        probabilities = [mark.answer.probability for mark in marks]
        given = [probability for probability in probabilities if probability is not None]
        right = [mark.right for mark in marks]
        mean = fmean(given) if given else None
        return cls(name, len(marks), sum(right), mean, Reliability.of(probabilities, right))


@dataclass(frozen=True, slots=True)
class ExamReport(Generic[Given]):
    """The exam as a reader sat it: its marks, each part, and the whole."""

    marks: tuple[Mark[Given], ...]
    parts: tuple[PartScore, ...]
    whole: PartScore

    @property
    def solvable(self) -> int:
        """The problems that have an answer in the grammar."""
        return sum(part.problems for part in self.parts if part.name != BEYOND)

    @property
    def solvable_sure(self) -> int:
        """Those of them that are answered with at least 90 %, rightly or not."""
        return sum(part.reliability.sure for part in self.parts if part.name != BEYOND)


def questions(part: str) -> tuple[Question, ...]:
    """The questions of a part of the exam, as its files have them.

    >>> len(questions("systems")), questions("beyond")[0].example
    (150, None)
    """
    if part == BEYOND:
        return tuple(Question(part, one.problem) for one in load_beyond(knowledge=True))
    dataset = load_exam(part, knowledge=part != PLAIN)
    unmapped = (failure.problem for failure in dataset.problems_failed)
    return (
        *(Question(part, example.problem, example) for example in dataset.examples),
        *(Question(part, problem) for problem in unmapped if problem is not None),
    )


def sit_exam(
    read: Callable[[Sequence[str]], Iterable[Given]], parts: Sequence[str] = ALL_PARTS
) -> ExamReport[Given]:
    """Have some parts of the exam read, from the text alone, and mark the answers."""
    for part in parts:
        if part not in ALL_PARTS:
            raise ValueError(f"the exam has no part {part!r}; its parts are {', '.join(ALL_PARTS)}")
    asked = [question for part in dict.fromkeys(parts) for question in questions(part)]
    answers = read([question.problem.text for question in asked])
    marks = tuple(
        Mark(question, answer, _is_right(question, answer))
        for question, answer in zip(asked, answers, strict=True)
    )
    by_part = {part: [mark for mark in marks if mark.question.part == part] for part in parts}
    scores = tuple(PartScore.of(part, own) for part, own in by_part.items())
    return ExamReport(marks, scores, PartScore.of("all", marks))


def _is_right(question: Question, answer: Answer) -> bool:
    if question.example is None or answer.mathematics is None:
        return False
    return is_correct(answer.mathematics, question.example, answer.answers or None)

"""Our own problems in the package, besides the stories: a corpus and an exam.

>>> len(load_corpus().examples), len(load_exam().examples), len(load_beyond())
(419, 772, 300)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from text2math.data.dataset import DataError, Dataset
from text2math.data.jsonlines import parse_json_lines
from text2math.language.knowledge import Knowledge
from text2math.language.problem import Problem, read_problem

PLAIN = "plain"
EXAM_PARTS = (
    PLAIN,
    "known",
    "reuse",
    "crossing",
    "systems",
    "rounding",
    "percent",
    "clock",
)
"""The parts of the exam whose problems have an answer; ``load_beyond`` has those that have none."""


@lru_cache(maxsize=2)
def load_corpus(knowledge: bool | Knowledge = False) -> Dataset:
    """The problems of the corpus: arithmetic (``a…``) and equation sentences (``e…``).

    >>> load_corpus().examples[0].source
    'corpus'
    """
    return parse_json_lines(_shipped("corpus.jsonl"), "corpus", "corpus.jsonl", knowledge=knowledge)


@lru_cache(maxsize=2 * len(EXAM_PARTS))
def load_exam(part: str | None = None, *, knowledge: bool | Knowledge = False) -> Dataset:
    """The problems of a part of the exam, by default the plain one. No model is trained on them.

    They were written without looking at the corpus or the exercises. The plain part is arithmetic and, in
    its section ``d``, sentences that state an equation. Errors in its section ``a`` were read before the
    exercises were written, those in the others were not. The other parts have known numbers, numbers that are
    used twice or cross, systems of equations, rounding and whole numbers, percentages, and times of day; load
    them with knowledge. Problems that appear in a public corpus, numbers masked, were left out.

    >>> load_exam().examples[0].problem.id
    'a-001'
    >>> load_exam("clock", knowledge=True).examples[0].problem.text
    'The puppet show starts at 3:40 pm and lasts 55 minutes. When does it end?'
    """
    if part is None or part == PLAIN:
        name, file = "exam", "exam.jsonl"
    elif part in EXAM_PARTS:
        name, file = f"exam-{part}", f"exam/{part}.jsonl"
    else:
        raise DataError(f"the exam has no part {part!r}; its parts are {', '.join(EXAM_PARTS)}")
    return parse_json_lines(_shipped(file), name, file, knowledge=knowledge)


@dataclass(frozen=True, slots=True)
class BeyondProblem:
    """A problem without an answer in the grammar, and the kind of reason: "sequence", "missing number"…"""

    problem: Problem
    kind: str


@lru_cache(maxsize=2)
def load_beyond(knowledge: bool | Knowledge = False) -> tuple[BeyondProblem, ...]:
    """The problems of the exam that are beyond the grammar, for which every answer is wrong.

    >>> [beyond.kind for beyond in load_beyond()[::100]]
    ['figure', 'missing number', 'riddle']
    """
    lines = map(json.loads, _shipped("exam/beyond.jsonl").splitlines())
    return tuple(
        BeyondProblem(read_problem(line["text"], line["id"], knowledge=knowledge), line["kind"])
        for line in lines
    )


def _shipped(file: str) -> str:
    return files("text2math.data").joinpath(*file.split("/")).read_text(encoding="utf-8")

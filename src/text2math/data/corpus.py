"""The problems of our own writing that ship with the package, beside the stories: a corpus and an exam.

>>> len(load_corpus().examples), len(load_exam().examples)
(419, 772)
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from text2math.data.dataset import Dataset
from text2math.data.jsonlines import parse_json_lines
from text2math.language.knowledge import Knowledge


@lru_cache(maxsize=2)
def load_corpus(knowledge: bool | Knowledge = False) -> Dataset:
    """The problems of the corpus: arithmetic (``a…``) and equation sentences (``e…``).

    >>> load_corpus().examples[0].source
    'corpus'
    """
    return _shipped("corpus", knowledge)


@lru_cache(maxsize=2)
def load_exam(knowledge: bool | Knowledge = False) -> Dataset:
    """The problems of the exam, from which no model learns: what models make of them is in their cards.

    They were written without sight of the corpus or the exercises: arithmetic, and in part ``d`` sentences
    that state an equation. Errors in part ``a`` were read before the exercises were written, those in the
    others were not. What stands in a public corpus, numbers masked, was left out.

    >>> load_exam().examples[0].problem.id
    'a-001'
    """
    return _shipped("exam", knowledge)


def _shipped(name: str, knowledge: bool | Knowledge) -> Dataset:
    file = f"{name}.jsonl"
    text = files("text2math.data").joinpath(file).read_text(encoding="utf-8")
    return parse_json_lines(text, name, file, knowledge=knowledge)

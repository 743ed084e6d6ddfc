"""The problems of our own writing that ship with the package: a test set of its own, beside the stories.

>>> len(load_corpus().examples) >= 320
True
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from text2math.data.dataset import Dataset
from text2math.data.jsonlines import parse_json_lines

CORPUS = "corpus.jsonl"


@lru_cache(maxsize=1)
def load_corpus() -> Dataset:
    """The problems of the corpus: arithmetic (``a…``) and equation sentences (``e…``).

    >>> load_corpus().examples[0].source
    'corpus'
    """
    text = files("text2math.data").joinpath(CORPUS).read_text(encoding="utf-8")
    return parse_json_lines(text, "corpus", CORPUS)

"""Readers of data sets, folds, the leak checker, and the two data sets that ship with the package.

>>> from text2math.data import load
>>> train, test = load("stories").fold(1)
>>> len(train), len(test), len(load("corpus").examples)
(2000, 400, 419)
"""

from text2math.data.corpus import EXAM_PARTS, BeyondProblem, load_beyond, load_corpus, load_exam
from text2math.data.dataset import DataError, Dataset, Failure, make_folds
from text2math.data.jsonlines import read_json_lines, write_json_lines
from text2math.data.leaks import Leak, drop_leaks, duplicate_groups, leaks, mask_numbers
from text2math.data.readers import FORMATS, load, load_all

__all__ = [
    "EXAM_PARTS",
    "FORMATS",
    "BeyondProblem",
    "DataError",
    "Dataset",
    "Failure",
    "Leak",
    "drop_leaks",
    "duplicate_groups",
    "leaks",
    "load",
    "load_all",
    "load_beyond",
    "load_corpus",
    "load_exam",
    "make_folds",
    "mask_numbers",
    "read_json_lines",
    "write_json_lines",
]

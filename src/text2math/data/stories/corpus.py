"""The packaged corpus of plain stories: a fixed random seed, some minimal pairs, a fold of held-out sheets.

``text2math generate --corpus --out FILE`` reproduces it byte for byte.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import chain

from text2math.data.dataset import Dataset
from text2math.data.jsonlines import parse_json_lines
from text2math.data.stories.generate import generate
from text2math.data.stories.sheets import Sheets
from text2math.data.stories.story import Story

FILE = "stories.jsonl.gz"
SEED = 2023
TRAIN, TEST = 0, 1
# How many stories of a fold are single, and how many are in minimal pairs.
SINGLE = {TRAIN: 1500, TEST: 300}
PAIRED = {TRAIN: 500, TEST: 100}


def corpus() -> Iterator[tuple[Story, int]]:
    """Every story of the corpus with its fold: 0 for training, 1, of the held-out sheets, for testing.

    >>> story, fold = next(corpus())
    >>> fold == TRAIN
    True
    """
    folders: dict[int, Sheets] = {TRAIN: "training", TEST: "held_out"}
    for fold, sheets in folders.items():
        # Seeds of their own, so that no two stories have the same id.
        single = generate(SINGLE[fold], SEED + 10 * fold, larger=False, sheets=sheets)
        paired = generate(PAIRED[fold], SEED + 10 * fold + 1, larger=False, sheets=sheets, pairs=True)
        yield from ((story, fold) for story in chain(single, paired))


@lru_cache(maxsize=1)
def load_stories() -> Dataset:
    """The packaged corpus: ``folds[0]`` is for training, ``folds[1]`` for testing."""
    packed = files("text2math.data").joinpath(FILE).read_bytes()
    return parse_json_lines(gzip.decompress(packed).decode("utf-8"), "stories", FILE)

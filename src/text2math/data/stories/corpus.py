"""The shipped corpus of stories: a fixed seed, minimal pairs among them, and a fixed split into train and test.

``text2math generate --corpus --out FILE`` writes it again, byte for byte.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import chain

from text2math.data.dataset import Dataset
from text2math.data.jsonlines import parse_json_lines
from text2math.data.stories.generate import Story, generate

FILE = "stories.jsonl.gz"
SEED, SINGLE, PAIRED = 2023, 1800, 600
TRAIN, TEST = 0, 1


def corpus() -> Iterator[tuple[Story, int]]:
    """Every story of the corpus with its fold: 0 for training, 1 for testing; the two of a pair share theirs.

    >>> story, fold = next(corpus())
    >>> fold in (TRAIN, TEST)
    True
    """
    stories = chain(generate(SINGLE, SEED), generate(PAIRED, SEED + 1, pairs=True))
    for position, story in enumerate(stories):
        # every sixth place is a test place; the two of a pair take one place
        place = position if not story.pair else SINGLE + (position - SINGLE) // 2
        yield story, TEST if place % 6 == 5 else TRAIN


@lru_cache(maxsize=1)
def load_stories() -> Dataset:
    """The shipped corpus, read: ``folds[0]`` is for training, ``folds[1]`` for testing."""
    packed = files("text2math.data").joinpath(FILE).read_bytes()
    return parse_json_lines(gzip.decompress(packed).decode("utf-8"), "stories", FILE)

"""Texts that no story may repeat: those of public corpora, stored only as digests, and those of our exam.

Bare formulas in words are not protected. ``benchmarks/stories.py --digests`` writes the digests again; no
text of a corpus can be recovered from them.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files

from text2math.data.leaks import mask_numbers

FILE = "public.txt"
LONGEST = 15
"""Longer texts, in words, are not repeated by chance."""


def digest(text: str) -> str:
    """The digest of a text, numbers masked.

    >>> digest("A number plus 3 is 8.") == digest("A number plus five is 12.")
    True
    """
    return blake2b(mask_numbers(text).encode("utf-8"), digest_size=5).hexdigest()


@lru_cache(maxsize=1)
def _digests() -> frozenset[str]:
    public = files("text2math.data.stories").joinpath(FILE).read_text(encoding="ascii").split()
    folder = files("text2math.data")
    parts = [folder.joinpath("exam.jsonl"), *folder.joinpath("exam").iterdir()]
    lines = [line for part in parts for line in part.read_text(encoding="utf-8").splitlines()]
    return frozenset(public) | {digest(json.loads(line)["text"]) for line in lines}


def is_reserved(text: str) -> bool:
    """Whether a short text appears in a public corpus or in our exam, numbers masked."""
    return len(text.split()) <= LONGEST and digest(text) in _digests()

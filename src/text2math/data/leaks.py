"""The leak checker: problems of one data set that appear in another, exactly or with their numbers masked.

>>> mask_numbers("Ann has 3 dogs , and twenty-one cats .") == mask_numbers("Ann has 4.0 dogs, and 2 cats.")
True
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from text2math.language.numbers import find_numbers
from text2math.language.problem import Example, Problem

MASK = "#"
_WORD = re.compile(rf"{MASK}|\w+(?:['’]\w+)*")


@lru_cache(maxsize=32_768)
def plain_text(text: str) -> str:
    """The text in lower case with normalised spaces, which is the same for two copies of a text.

    >>> plain_text("Tom paid $3.50 .  Why ?") == plain_text("Tom paid $3.50. Why?")
    True
    """
    return " ".join(text.lower().split()).replace(" ,", ",").replace(" .", ".").replace(" ?", "?")


@lru_cache(maxsize=32_768)
def mask_numbers(text: str) -> str:
    """The words of a text in lower case, without punctuation, every number (ordinals and years too) as ``#``.

    >>> mask_numbers("Tom's 3 dogs, twice a day")
    "tom's # dogs # a day"
    """
    parts, position = [], 0
    for match in find_numbers(text):
        parts += [text[position : match.start], f" {MASK} "]
        position = match.end
    masked = "".join([*parts, text[position:]]).lower()
    return " ".join(_WORD.findall(masked.replace("’", "'")))


@dataclass(frozen=True, slots=True)
class Leak:
    """A problem of A that also appears in B: ``exact``, or only with its numbers masked (``masked``)."""

    left: str
    right: str
    kind: str


def leaks(left: Iterable[Problem], right: Iterable[Problem]) -> tuple[Leak, ...]:
    """For every problem of ``left`` that appears in ``right``, its first copy there (an exact one if any).

    >>> from text2math.data.corpus import load_corpus
    >>> corpus = load_corpus().problems
    >>> leaks(corpus[:1], corpus)[0].kind, leaks(corpus[:1], corpus[1:])
    ('exact', ())
    """
    exact: dict[str, str] = {}
    masked: dict[str, str] = {}
    for problem in right:
        exact.setdefault(plain_text(problem.text), problem.id)
        masked.setdefault(mask_numbers(problem.text), problem.id)
    found = []
    for problem in left:
        if twin := exact.get(plain_text(problem.text)):
            found.append(Leak(problem.id, twin, "exact"))
        elif twin := masked.get(mask_numbers(problem.text)):
            found.append(Leak(problem.id, twin, "masked"))
    return tuple(found)


def drop_leaks(train: Sequence[Example], test: Iterable[Example]) -> tuple[Example, ...]:
    """The training examples whose text, numbers masked, does not appear among the test examples."""
    seen = {mask_numbers(example.problem.text) for example in test}
    return tuple(example for example in train if mask_numbers(example.problem.text) not in seen)


def duplicate_groups(problems: Iterable[Problem]) -> tuple[tuple[str, ...], ...]:
    """The ids of problems with exactly the same text, for every text that occurs more than once."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for problem in problems:
        groups[plain_text(problem.text)].append(problem.id)
    return tuple(tuple(ids) for ids in groups.values() if len(ids) > 1)

"""A data set: examples, the problems that could not be mapped, and folds.

>>> from text2math.data.corpus import load_corpus
>>> train, test = load_corpus().with_folds(5, seed=1).fold(0)
>>> len(train) > len(test) > 0
True
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from text2math.data.leaks import mask_numbers
from text2math.language.problem import Example, Problem


class DataError(ValueError):
    """Data that can't be read: says where, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A problem that could not be mapped: where it is, the reason (one of a few), and details.

    >>> print(Failure("ai2/questions.json, problem 41", "a number that is not in the text", "3.5"))
    ai2/questions.json, problem 41: a number that is not in the text (3.5)
    """

    place: str
    reason: str
    detail: str = ""
    problem: Problem | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a reader found: mapped examples, failures with reasons, warnings, and the folds (by id)."""

    name: str
    examples: tuple[Example, ...]
    problems_failed: tuple[Failure, ...] = ()
    warnings: tuple[Failure, ...] = ()
    folds: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.examples):,} examples, {len(self.folds)} folds"
        return f"Dataset({self.name!r}, {counts}, {len(self.problems_failed):,} problems failed)"

    @property
    def size(self) -> int:
        """The number of problems in the files, mapped or not."""
        return len(self.examples) + len(self.problems_failed)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem whose text could be read, the unmapped ones at the end."""
        unmapped = (failure.problem for failure in self.problems_failed if failure.problem is not None)
        return (*(example.problem for example in self.examples), *unmapped)

    def by_id(self) -> dict[str, Example]:
        """The examples by the id of their problem."""
        return {example.problem.id: example for example in self.examples}

    def reasons(self) -> dict[str, int]:
        """How many problems failed for each reason, the most frequent first."""
        return dict(Counter(failure.reason for failure in self.problems_failed).most_common())

    def fold(self, index: int) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
        """The training and the test examples, with fold ``index`` as the test fold.

        Examples that no fold lists are in neither.
        """
        if not 0 <= index < len(self.folds):
            known = f"folds 0 to {len(self.folds) - 1}" if self.folds else "no folds; use with_folds(k)"
            raise IndexError(f"{self.name} has {known}, so there is no fold {index}")
        place = {id: number for number, ids in enumerate(self.folds) for id in ids}
        train = tuple(e for e in self.examples if place.get(e.problem.id, index) != index)
        test = tuple(e for e in self.examples if place.get(e.problem.id) == index)
        return train, test

    def with_folds(self, k: int, seed: int = 0) -> Dataset:
        """The same data in k folds of about equal size; problems that differ only in numbers share a fold."""
        return replace(self, folds=make_folds(self.examples, k, seed))


def make_folds(examples: Iterable[Example], k: int, seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """The ids in k folds of about equal size; problems that differ only in their numbers share a fold."""
    if k < 2:
        raise ValueError(f"cross-validation needs at least 2 folds, not {k}")
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for example in examples:
        groups[mask_numbers(example.problem.text)].append(example.problem.id)
    if len(groups) < k:
        raise ValueError(f"{len(groups)} different problems can't make {k} folds; ask for fewer")
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)
    folds: list[list[str]] = [[] for _ in range(k)]
    # The largest groups go first, so that the small ones can balance the folds.
    for group in sorted(shuffled, key=len, reverse=True):
        min(folds, key=len).extend(group)
    return tuple(map(tuple, folds))

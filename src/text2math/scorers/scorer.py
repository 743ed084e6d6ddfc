"""What every scorer does: a problem in, its potentials out. Scores of several scorers add up.

>>> from text2math.inference.potentials import Potentials
>>> class Nothing:
...     symbols = (Symbol.ADD, Symbol.CON)
...     def __call__(self, problem, annotations=None, *, relevant=None):
...         return Potentials.zeros(len(problem.tokens), problem.anchors)
>>> both = CombinedScorer(Nothing(), Nothing())
>>> from text2math.language.problem import read_problem
>>> both(read_problem("7 apples")).words
2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from text2math.inference.potentials import Potentials, Symbol
from text2math.language.annotations import Annotations
from text2math.language.problem import Problem

Relevant = tuple[bool, ...] | None
"""Which numbers of a text matter. It is gold, so it is passed in only under the paper's protocol."""


class Scorer(Protocol):
    """Fills the potentials of a problem."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols it has scores for."""
        ...

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        """The potentials of a problem.

        ``annotations`` are those of the problem, where they are known already; a scorer that needs them
        makes its own otherwise.
        """
        ...


@runtime_checkable
class ManyScorer(Scorer, Protocol):
    """A scorer that is faster with several problems at a time."""

    def many(self, problems: Sequence[Problem]) -> list[Potentials]:
        """The potentials of each problem, the same as if it were alone."""
        ...


@dataclass(frozen=True, eq=False)
class CombinedScorer:
    """The scores of two scorers, added up; the first knows which numbers are relevant where that is given."""

    first: Scorer
    second: Scorer

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that either has scores for."""
        return tuple(sorted({*self.first.symbols, *self.second.symbols}))

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        """The potentials of a problem."""
        return self.first(problem, annotations, relevant=relevant) + self.second(problem, annotations)

"""The model: a scorer, the chart, a reranker and a temperature, from a problem to ranked candidates.

Users, cross-validation and training all use ``Model.analyse``:

    problem → annotations → scorer → potentials → chart → candidates, merged → reranked → calibrated

and ``Model.read``, which users get, then chooses the tree to show of each candidate (``alignment.py``).

Gold relevance of numbers (the paper's protocol) enters only through the explicit argument ``relevant``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from text2math.inference.crf import EmptyForestError, TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.potentials import Potentials
from text2math.inference.tree import TextMathTree
from text2math.language.annotations import Annotations, annotations_of
from text2math.language.formulas import why_too_large, written_mathematics, written_system
from text2math.language.knowledge import Knowledge
from text2math.language.problem import Problem, informed
from text2math.mathematics.expression import Expression, is_system, numbers, variables
from text2math.model.alignment import aligned
from text2math.model.calibration import calibrated
from text2math.model.candidates import Candidate, Decoding, best_candidates, in_order_of_mention, merge
from text2math.model.config import ModelConfig
from text2math.model.grouping import by_sentence
from text2math.model.none_of_these import NOTHING, NoneOfThese, Ranked
from text2math.model.presence import LEAST, Presence
from text2math.model.related import related
from text2math.model.reranker import Reranker
from text2math.scorers.scorer import ManyScorer, Relevant, Scorer

# Added to the score of a number that must be used. No tree uses a number twice, so all trees that use it gain
# the same, the others fall behind by e⁶⁰, and the result is the distribution conditioned on its use.
MUST_USE = 60.0


@dataclass(frozen=True, slots=True)
class TrainingSummary:
    """How the training of a model went."""

    objective: float
    steps: int
    seconds: float
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class Analysis:
    """A problem analysed by a model: its annotations, its potentials, and its candidates, the best first.

    Unknowns have the names that the model gives them.
    """

    annotations: Annotations
    potentials: Potentials
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """A scorer with its grammar, and what turns its scores into ranked, calibrated candidates."""

    scorer: Scorer = field(repr=False)
    forest: Forest = field(repr=False)  # every expression that the grammar allows
    config: ModelConfig = field(default_factory=ModelConfig, repr=False)
    reranker: Reranker | None = field(default=None, repr=False)
    temperature: float = 1.0
    presence: Presence | None = field(default=None, repr=False)  # whether a text contains mathematics at all
    none_of_these: NoneOfThese | None = field(default=None, repr=False)
    text_order: bool = False  # operands of +, × and = are in text order
    alignment: bool = True  # the tree shown is the one whose words fit best (see ``alignment.py``)
    # The facts behind implied numbers, if it has learned to use them; True: those of the package.
    knowledge: bool | Knowledge = False
    summary: TrainingSummary | None = None
    unreachable: tuple[str, ...] = field(default=(), repr=False)  # training problems without a text-math tree

    @property
    def decoding(self) -> Decoding:
        """How trees become candidates."""
        config, targets = self.config, self.config.targets
        unknown = targets.unknown != "none"
        # A reranker compares the candidates with each other and normalises by itself.
        exact = self.reranker is None
        margin = math.inf if config.margin is None else config.margin
        return Decoding(
            config.candidates, targets.inverse, unknown, self.text_order, exact, margin, config.at_least
        )

    def informed(self, problem: Problem) -> Problem:
        """The problem with the numbers that its words imply, if the model has learned to use them."""
        return informed(problem, self.knowledge)

    def annotate(self, problem: Problem) -> Annotations:
        """What feature templates look at; computed once per problem."""
        return annotations_of(problem, self.config.features.lexicon)

    def analyse(
        self,
        problem: Problem,
        annotations: Annotations | None = None,
        *,
        use: Collection[int] = (),
        ignore: Collection[int] = (),
        relevant: Relevant = None,
    ) -> Analysis:
        """The ranked candidates of a problem, with its annotations and potentials.

        ``use`` and ``ignore`` are the numbers that must, or must not, be used.
        """
        annotations = annotations or self.annotate(self.informed(problem))
        problem = annotations.problem
        potentials = self.scorer(problem, annotations, relevant=relevant)
        if ignore:
            potentials.number[_mentions(problem, ignore)] = -np.inf
        if use:
            potentials.number[list(use)] += MUST_USE
        merged = self._merged(problem, potentials, use)
        ranked = self.rank(annotations, merged)
        return Analysis(annotations, potentials, self._with_none(annotations, ranked, potentials))

    def _merged(
        self, problem: Problem, potentials: Potentials, use: Collection[int] = ()
    ) -> tuple[Candidate, ...]:
        """The candidates of the chart that use these numbers, equivalent ones merged."""
        found = best_candidates(self.forest, potentials, problem, self.decoding)
        wanted = frozenset(use)
        kept = (candidate for candidate in found if candidate.used >= wanted)
        merged = merge(kept, problem.first_of_origin)
        return merged if potentials.relations is None else related(merged, potentials.relations, problem)

    def rank(self, annotations: Annotations, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Candidates of the chart, reranked and calibrated, the best first."""
        if not candidates:
            return ()
        scores = [candidate.log_probability for candidate in candidates]
        if self.reranker is not None:
            scores = list(self.reranker.scores(annotations, candidates))
        probabilities = map(float, calibrated(np.array(scores), self.temperature))
        ranked = [
            candidate.rescored(probability, score)
            for candidate, probability, score in zip(candidates, probabilities, scores, strict=True)
        ]
        return tuple(sorted(ranked, key=lambda candidate: -candidate.probability))

    def _with_none(
        self, annotations: Annotations, ranked: tuple[Candidate, ...], potentials: Potentials
    ) -> tuple[Candidate, ...]:
        """The candidates, their probabilities scaled by the probability that one of them is right."""
        if self.none_of_these is None or not ranked:
            return ranked
        text = Ranked(annotations, ranked, potentials.beyond, potentials.asked)
        left = 1 - self.none_of_these.probability(text)
        return tuple(one.rescored(left * one.probability, one.log_probability) for one in ranked)

    def candidates(self, problem: Problem, *, relevant: Relevant = None) -> tuple[Candidate, ...]:
        """The ranked candidates of a problem."""
        return self.analyse(problem, relevant=relevant).candidates

    def predict(self, problem: Problem, *, relevant: Relevant = None) -> Expression | None:
        """The best candidate's mathematics, or ``None`` if there are no candidates."""
        found = self.candidates(problem, relevant=relevant)
        return found[0].mathematics if found else None

    def read(
        self,
        problem: Problem,
        *,
        top: int | None = None,
        use: Collection[int] = (),
        ignore: Collection[int] = (),
    ) -> tuple[Candidate, ...]:
        """The ``top`` candidates for users; none if the text contains no mathematics.

        X1 is the unknown that the text mentions first.
        """
        problem = self.informed(problem)
        start = self._start(problem, use, ignore)
        if not isinstance(start, Annotations):
            return start
        analysis = self.analyse(problem, start, use=use, ignore=ignore)
        return self._for_users(start.problem, analysis.potentials, analysis.candidates, top)

    def _for_users(
        self, problem: Problem, potentials: Potentials, ranked: Sequence[Candidate], top: int | None
    ) -> tuple[Candidate, ...]:
        """The best candidates as users get them; none if it is likely that none of them is right.

        Unknowns are numbered in order of mention, and trees are aligned with the words that fit best.
        """
        left = sum(candidate.probability for candidate in ranked)
        if self.none_of_these is not None and left < 1 - NOTHING:
            return ()
        align = partial(self.align, problem=problem, potentials=potentials) if self.alignment else None
        shown = [by_sentence(candidate, problem) if align else candidate for candidate in ranked[:top]]
        return tuple(in_order_of_mention(candidate, align) for candidate in shown)

    def read_all(self, problems: Sequence[Problem], *, top: int | None = None) -> list[tuple[Candidate, ...]]:
        """The result of ``read`` for each text.

        All texts go through each stage together, so that its code and weights stay in the CPU's caches.
        """
        problems = [self.informed(problem) for problem in problems]
        starts = [self._start(problem) for problem in problems]
        annotated = {at: one for at, one in enumerate(starts) if isinstance(one, Annotations)}
        potentials = self._scored(annotated)
        merged = {at: self._merged(problems[at], scores) for at, scores in potentials.items()}
        ranked = {
            at: self._with_none(own, self.rank(own, merged[at]), potentials[at])
            for at, own in annotated.items()
        }
        return [
            self._for_users(one.problem, potentials[at], ranked[at], top)
            if isinstance(one, Annotations)
            else one
            for at, one in enumerate(starts)
        ]

    def _scored(self, annotated: Mapping[int, Annotations]) -> dict[int, Potentials]:
        """The potentials of some problems."""
        if isinstance(self.scorer, ManyScorer):
            found = self.scorer.many([one.problem for one in annotated.values()])
            return dict(zip(annotated, found, strict=True))
        return {at: self.scorer(one.problem, one) for at, one in annotated.items()}

    def align(self, tree: TextMathTree, problem: Problem, potentials: Potentials) -> TextMathTree:
        """The tree to show, given the chart's tree; that tree itself without ``alignment``."""
        if not self.alignment:
            return tree
        return aligned(tree, problem, potentials, silent=self.forest.silent)

    def _start(
        self, problem: Problem, use: Collection[int] = (), ignore: Collection[int] = ()
    ) -> tuple[Candidate, ...] | Annotations:
        """The candidates of a text that needs no scorer; else its annotations, for the scorer."""
        if all(index in ignore for index in range(len(problem.quantities))):
            return ()
        if not use and not ignore:
            written = written_mathematics(problem) or written_system(problem)
            if written is not None:
                return (self._as_written(problem, written),)
            if why_too_large(problem):
                return ()
        annotations = self.annotate(problem)
        if not use and self.presence is not None and self.presence.probability(annotations) < LEAST:
            return ()
        return annotations

    def _as_written(self, problem: Problem, mathematics: Expression) -> Candidate:
        """Mathematics that the text writes out, with the best tree for it, if there is one."""
        tree = None
        if all(number.quantity is not None for number in numbers(mathematics)):
            crf = TextMathCRF(Forest.of(mathematics), self.scorer(problem, self.annotate(problem)))
            with suppress(EmptyForestError):
                tree = crf.best.tree
        asked = variables(mathematics) if is_system(mathematics) else ()
        return Candidate(mathematics, 1.0, tree, asked=asked)


def _mentions(problem: Problem, numbers: Collection[int]) -> list[int]:
    """These numbers of the text, and every word that refers to one of them."""
    return [index for index, origin in enumerate(problem.origins) if origin in numbers]

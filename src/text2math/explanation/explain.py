"""Why a text is read as it is, as data: the words behind each operator, and what the text says without them.

Formatting is elsewhere, in ``text2math.explanation.text``.

>>> from text2math.parser import load
>>> explanation = explain(load(), "Ann has 3 pens and buys 2 pens. How many pens has Ann now?", removals=2)
>>> abs(sum(part.score for part in explanation.contributions) - explanation.score) < 1e-9
True
>>> len(explanation.removals) <= 2
True
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from text2math.explanation.contributions import Contribution, LinearParts, contributions
from text2math.explanation.opposites import opposite
from text2math.explanation.ownership import Ownership, ownership
from text2math.explanation.variations import BLANK, Variation, Variations, readings, words_of
from text2math.inference.potentials import FloatArray, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.formulas import written_mathematics, written_system
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import to_infix
from text2math.model.alignment import alignment_scores
from text2math.model.candidates import Candidate
from text2math.model.reranker import features as reranker_features
from text2math.parse import Parse
from text2math.parser import TOP, Parser
from text2math.scorers.linear import LinearScorer

REMOVALS = 30  # the maximum number of variations of a text: each is read twice
TESTS = 5  # of them, kept for each operator's phrases
PHRASES, PHRASE_WORDS = 3, 4  # the most that a reason names
ENOUGH = 0.25  # of the best word's score, for another to be named, beside it or in a second phrase
WEAKER = 0.5  # the drop of an operator's log odds from which a blank weakens it
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True)
class Evidence:
    """Neighbouring words (positions of tokens) behind an operator.

    ``score`` is what the operator's log odds lose when each of them is left blank, added up. Where no blank
    was tried (not ``measured``) it is how well the words express the operator by the word–operator table.
    """

    words: tuple[int, ...]
    text: str
    score: float
    measured: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "words": list(self.words),
            "text": self.text,
            "score": self.score,
            "measured": self.measured,
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node is what it is: its own words and, for an operator, the words without which it is weaker.

    ``test`` is the variation of the text that shows it best: one in which the operator is gone, where there
    is one, and else the one with blanks for all of these words.
    """

    node: int
    symbol: Symbol
    shown: str  # its sign, number or unknown
    text: str  # its own words
    because: tuple[Evidence, ...] = ()
    test: Variation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "node": self.node,
            "symbol": self.symbol.name,
            "shown": self.shown,
            "text": self.text,
            "because": [evidence.to_dict() for evidence in self.because],
            "test": None if self.test is None else self.test.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a feature of the answer or of the whole expression added to a reading's score in the reranking."""

    feature: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"feature": self.feature, "score": self.score}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text is read in one way. ``rank`` 0 is the best reading, ``other`` what it is compared with."""

    parse: Parse
    rank: int
    reading: Candidate
    other: Candidate | None
    score: float  # of the reading's tree: the contributions add up to it
    contributions: tuple[Contribution, ...]
    ownership: Ownership
    reasons: tuple[Reason, ...]
    judgements: tuple[Judgement, ...]
    removals: tuple[Variation, ...]  # with some words left blank
    exchanges: tuple[Variation, ...]  # with the opposites of some

    def __repr__(self) -> str:
        return f"Explanation({self.reading!r}, {len(self.reasons)} reasons)"

    @property
    def decisive(self) -> tuple[Variation, ...]:
        """The removals that would change which reading wins: against the best one, or for another."""
        return tuple(removal for removal in self.removals if removal.wins == (self.rank > 0))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "text": self.parse.text,
            "model": self.parse.model,
            "rank": self.rank,
            "reading": self.reading.to_dict(),
            "other": None if self.other is None else self.other.to_dict(),
            "tokens": [token.to_dict() for token in self.parse.tokens],
            "score": self.score,
            "contributions": [part.to_dict() for part in self.contributions],
            "ownership": self.ownership.to_dict(),
            "reasons": [reason.to_dict() for reason in self.reasons],
            "judgements": [judgement.to_dict() for judgement in self.judgements],
            "removals": [removal.to_dict() for removal in self.removals],
            "exchanges": [exchange.to_dict() for exchange in self.exchanges],
        }


def explain(parser: Parser, text: str, *, alternative: int = 0, removals: int = REMOVALS) -> Explanation:
    """Why a parser reads a text as it does, or (``alternative`` 1, 2, …) the evidence for another reading.

    ``removals`` limits how often the text is read again, with other words left blank or exchanged.
    Raises ``ValueError`` if there is no such reading.
    """
    problem = read_problem(text, knowledge=parser.model.knowledge)
    if (written_mathematics(problem) or written_system(problem)) is not None:
        raise ValueError("the text writes its mathematics out, so there is nothing to explain")
    parse = parser.parse(text, top=max(alternative + 1, TOP))
    found = readings(parse)
    if not 0 <= alternative < len(found):
        raise ValueError(f"there is no reading {alternative} to explain: {_why_not(parse, len(found))}")
    reading = found[alternative]
    study = _Study(parser, problem, alternative)
    variations = Variations(parser, problem, reading, study.tree, removals)
    reasons = tuple(study.reasons(reading, variations, removals))
    return Explanation(
        parse=parse,
        rank=alternative,
        reading=reading,
        other=_rival(found, alternative),
        score=study.tree.score(study.potentials),
        contributions=study.contributions(reading),
        ownership=ownership(study.tree, study.potentials, silent=parser.model.forest.silent),
        reasons=reasons,
        judgements=study.judgements(),
        removals=tuple(one for one in variations.found if not one.exchanged),
        exchanges=tuple(one for one in variations.found if one.exchanged),
    )


def _why_not(parse: Parse, count: int) -> str:
    if not count:
        return "; ".join(parse.warnings)
    return f"there {'is' if count == 1 else 'are'} {count}, counted from 0"


def _rival(found: Sequence[Candidate], rank: int) -> Candidate | None:
    """The runner-up of the best reading; for any other reading, the best."""
    if rank:
        return found[0]
    return found[1] if len(found) > 1 else None


class _Study:
    """One reading of one text, with the model's own names for its unknowns."""

    def __init__(self, parser: Parser, problem: Problem, rank: int) -> None:
        analysis = parser.model.analyse(problem)
        self.problem = problem
        self.potentials = analysis.potentials
        self.reading = analysis.candidates[rank]
        self.tree = parser.model.align(_tree(self.reading), problem, analysis.potentials)
        self._model = parser.model
        self._annotations = analysis.annotations
        # How well each word expresses each operator, by its node.
        operators = [at for at, node in enumerate(self.tree.nodes()) if node.children]
        worth = alignment_scores(problem, self.tree) if operators else ()
        self._worth: dict[int, FloatArray] = dict(zip(operators, worth, strict=True))

    def contributions(self, reading: Candidate) -> tuple[Contribution, ...]:
        """What makes up the score, with the names of unknowns that people see."""
        scorer = self._model.scorer
        parts = LinearParts(scorer, self._annotations) if isinstance(scorer, LinearScorer) else None
        found = contributions(self.tree, self.potentials, parts)
        pairs = zip(self.tree.nodes(), _tree(reading).nodes(), strict=True)
        if all(node.symbol is named.symbol for node, named in pairs):
            return found
        names = {"operand:A=X1": "operand:A=X2", "operand:B=X1": "operand:B=X2"}
        names |= {new: old for old, new in names.items()}
        return tuple(replace(part, feature=names.get(part.feature, part.feature)) for part in found)

    def reasons(self, reading: Candidate, variations: Variations, limit: int) -> Iterator[Reason]:
        """A reason for each node, with the names of unknowns that people see."""
        values = [quantity.value for quantity in self.problem.all_quantities]
        singles = max(limit // 2, limit - TESTS * len(self._worth))
        tried = [variations.blank((word,)) for word in self._worth_trying()[:singles]]
        blanks = [variation for variation in tried if variation is not None]
        for at, (node, named) in enumerate(zip(self.tree.nodes(), _tree(reading).nodes(), strict=True)):
            own = words_of(self.problem, node.words)
            if node.symbol.operator is None:
                yield Reason(at, named.symbol, to_infix(named.expression(values), unicode=True), own)
            else:
                because = self._evidence(at, node, blanks)
                reason = Reason(at, node.symbol, node.symbol.operator.value, own, because)
                yield _tested(reason, node.words, variations, self.problem)

    def _worth_trying(self) -> list[int]:
        """The words to leave blank in turn: first those that express an operator, those of its own before.

        A word that only names what numbers count is not among them.
        """
        scores: dict[int, float] = {}
        for at, node in enumerate(self.tree.nodes()):
            for word, score in enumerate(self._worth.get(at, ())):
                if score >= 0 and self._counts(word):
                    scores[word] = max(scores.get(word, 0.0), score + (word in node.words))
        return sorted(scores, key=lambda word: (-scores[word], word))

    def _counts(self, word: int) -> bool:
        """Whether a word can be a reason: it is neither a number nor punctuation."""
        numeric = any(q.first_token <= word < q.last_token for q in self.problem.quantities)
        return not numeric and any(c.isalnum() for c in self.problem.tokens[word].text)

    def _evidence(self, at: int, node: TextMathTree, blanks: Sequence[Variation]) -> tuple[Evidence, ...]:
        """The words without which an operator is weaker: its own, or else any others.

        Where no blank was tried, those of its own that express it best.
        """
        own = [word for word in node.words if self._counts(word)]
        if not blanks:
            return self._phrases(_only(self._worth[at], own), measured=False)
        drops = np.zeros(len(self.problem.tokens))
        for blank in blanks:
            drops[blank.words[0]] = dict(blank.drops).get(at, 0.0)
        allowed = np.where((drops >= WEAKER) & (self._worth[at] >= 0), drops, 0.0)
        mine = _only(allowed, own)
        if mine.any() or not _statement(node):
            return self._phrases(mine if mine.any() else allowed, measured=True)
        # Blanks measure the whole reading there, so that words of other operators would come first.
        return self._phrases(_only(self._worth[at], own), measured=False)

    def _phrases(self, scores: FloatArray, *, measured: bool) -> tuple[Evidence, ...]:
        """The words with the highest scores, each with neighbours that have a good part of it."""
        left = np.maximum(scores, 0.0)
        least = max(ENOUGH * float(left.max(initial=0.0)), NEGLIGIBLE)
        found: list[Evidence] = []
        while len(found) < PHRASES and left.max(initial=0.0) > least:
            first, last = _grown(left)
            words = tuple(range(first, last))
            score = float(scores[first:last].sum())
            found.append(Evidence(words, words_of(self.problem, words), score, measured))
            left[first:last] = 0.0
        return tuple(found)

    def judgements(self) -> tuple[Judgement, ...]:
        """What reranking added to this reading, the largest effect first."""
        reranker = self._model.reranker
        if reranker is None:
            return ()
        found = [
            Judgement(name, value * float(reranker.weights[reranker.vocabulary[name]]))
            for name, value in reranker_features(self._annotations, self.reading, reranker.config)
            if name in reranker.vocabulary
        ]
        return tuple(sorted((one for one in found if one.score), key=lambda one: -abs(one.score)))


def _statement(node: TextMathTree) -> bool:
    """Whether a node is an equation, or joins some: no other operator could be in its place."""
    return node.symbol.operator is not None and node.symbol.operator.entry.result is not Sort.VALUE


def _only(scores: FloatArray, words: Sequence[int]) -> FloatArray:
    """The scores of some words, and 0 for all others."""
    found = np.zeros(len(scores))
    found[list(words)] = scores[list(words)]
    return found


def _tested(reason: Reason, own: Sequence[int], variations: Variations, problem: Problem) -> Reason:
    """The same with the variation that shows it best; a phrase that is enough by itself is named alone.

    Blanks come before opposites, few changes before many.
    """
    measured = [evidence for evidence in reason.because if evidence.measured]
    for evidence in measured:
        test = variations.blank(evidence.words)
        if test is not None and reason.node in test.gone:
            return replace(reason, because=(evidence,), test=test)
    together = sorted(word for evidence in measured for word in evidence.words)
    shown = variations.blank(together) if together else None
    for changes in _many_changes(measured, together, _turned({*own, *together}, problem)):
        test = variations.changed(changes)
        if test is not None and reason.node in test.gone:
            return replace(reason, because=_behind(test, reason.because), test=test)
    return replace(reason, test=shown)


def _behind(test: Variation, because: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The phrases that a variation changes, where it changes no other words; else all of them."""
    changed = tuple(one for one in because if set(one.words) & set(test.words))
    inside = {word for one in changed for word in one.words}
    return changed if set(test.words) <= inside else because


def _turned(words: Collection[int], problem: Problem) -> dict[int, str]:
    """The opposites of some words, where they have one."""
    found = {word: opposite(problem.tokens[word]) for word in sorted(words)}
    return {word: other for word, other in found.items() if other is not None}


def _many_changes(
    measured: Sequence[Evidence], together: Sequence[int], turned: Mapping[int, str]
) -> Iterator[Mapping[int, str]]:
    """The changes to try where no phrase is enough by itself: only where blanks weaken the operator."""
    if not measured:
        return
    yield dict.fromkeys(together, BLANK)
    if turned:
        yield from ({word: other} for word, other in turned.items())
        yield turned
        blank = [word for one in measured if not turned.keys() & set(one.words) for word in one.words]
        yield dict.fromkeys(blank, BLANK) | dict(turned)


def _grown(left: FloatArray) -> tuple[int, int]:
    """The word with the highest score and the neighbours that have a good part of it, as a span."""
    first = int(left.argmax())
    last = first + 1
    good = ENOUGH * left[first]
    while last - first < PHRASE_WORDS:
        before = left[first - 1] if first else 0.0
        after = left[last] if last < len(left) else 0.0
        if max(before, after) < good:
            break
        first, last = (first - 1, last) if before >= after else (first, last + 1)
    return first, last


def _tree(reading: Candidate) -> TextMathTree:
    assert reading.tree is not None, "what the model reads comes with its tree"
    return reading.tree

"""Why a text is read as it is, as data: the features and words behind each node, and what would change it.

Formatting is elsewhere, in ``text2math.explanation.text``.

>>> from text2math.parser import load
>>> explanation = explain(load(), "Ann has 3 pens and buys 2 pens. How many pens has Ann now?", removals=2)
>>> abs(sum(part.score for part in explanation.contributions) - explanation.score) < 1e-9
True
>>> len(explanation.removals) <= 2
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from text2math.explanation.contributions import Contribution, LinearParts, Parts, contributions, word_at
from text2math.explanation.ownership import Ownership, ownership
from text2math.inference.potentials import FloatArray, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.formulas import written_mathematics, written_system
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.grammar import Operator, Sort
from text2math.mathematics.notation import to_infix
from text2math.model.alignment import alignment_scores
from text2math.model.candidates import Candidate, plain_number
from text2math.model.reranker import features as reranker_features
from text2math.parse import Parse
from text2math.parser import TOP, Parser
from text2math.scorers.features import word_votes
from text2math.scorers.linear import LinearScorer

REMOVALS = 16  # the maximum number of removals: each costs a parse
PHRASES, PHRASE_WORDS = 2, 4  # the most that a reason names
ENOUGH = 0.25  # of the first phrase's score, for a second one to be named
NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True)
class Evidence:
    """Neighbouring words (positions of tokens) that are evidence for an operator, and how strong it is."""

    words: tuple[int, ...]
    text: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"words": list(self.words), "text": self.text, "score": self.score}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node is what it is: its own words and, for an operator, the evidence for it against another."""

    node: int
    symbol: Symbol
    shown: str  # its sign, number or unknown
    text: str  # its own words
    because: tuple[Evidence, ...] = ()
    against: Symbol | None = None  # the operator it was compared with

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "node": self.node,
            "symbol": self.symbol.name,
            "shown": self.shown,
            "text": self.text,
            "because": [evidence.to_dict() for evidence in self.because],
            "against": None if self.against is None else self.against.name,
        }


@dataclass(frozen=True, slots=True)
class Removal:
    """What the text would be read as without some words."""

    words: tuple[int, ...]
    text: str  # the words left out
    reading: str | None  # the mathematics found then, in infix; None where there was none
    answer: int | float | str | None
    probability: float  # of the explained reading, then
    wins: bool  # whether the explained reading is the best one, then

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "words": list(self.words),
            "text": self.text,
            "reading": self.reading,
            "answer": self.answer,
            "probability": self.probability,
            "wins": self.wins,
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
    removals: tuple[Removal, ...]

    def __repr__(self) -> str:
        return f"Explanation({self.reading!r}, {len(self.reasons)} reasons)"

    @property
    def decisive(self) -> tuple[Removal, ...]:
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
        }


def explain(parser: Parser, text: str, *, alternative: int = 0, removals: int = REMOVALS) -> Explanation:
    """Why a parser reads a text as it does, or (``alternative`` 1, 2, …) the evidence for another reading.

    ``removals`` limits how many words or phrases are left out in turn to see what would change.
    Raises ``ValueError`` if there is no such reading.
    """
    problem = read_problem(text, knowledge=parser.model.knowledge)
    if (written_mathematics(problem) or written_system(problem)) is not None:
        raise ValueError("the text writes its mathematics out, so there is nothing to explain")
    parse = parser.parse(text, top=max(alternative + 1, TOP))
    readings = _readings(parse)
    if not 0 <= alternative < len(readings):
        raise ValueError(f"there is no reading {alternative} to explain: {_why_not(parse, len(readings))}")
    reading = readings[alternative]
    study = _Study(parser, problem, alternative)
    found = tuple(study.reasons(reading))
    left_out = tuple(
        _without(parser, problem, words, reading) for words in study.worth_removing(found, removals)
    )
    reasons = tuple(_by_effect(reason, left_out) for reason in found)
    return Explanation(
        parse=parse,
        rank=alternative,
        reading=reading,
        other=_rival(readings, alternative),
        score=study.tree.score(study.potentials),
        contributions=study.contributions(reading),
        ownership=ownership(study.tree, study.potentials, silent=parser.model.forest.silent),
        reasons=reasons,
        judgements=study.judgements(),
        removals=left_out,
    )


def _by_effect(reason: Reason, removals: Sequence[Removal]) -> Reason:
    """The same with the words first whose removal changes the reading, or weakens it most."""
    effects = {removal.words: (removal.wins, removal.probability) for removal in removals}
    because = sorted(reason.because, key=lambda evidence: effects.get(evidence.words, (True, 1.0)))
    return replace(reason, because=tuple(because))


def _why_not(parse: Parse, readings: int) -> str:
    if not readings:
        return "; ".join(parse.warnings)
    return f"there {'is' if readings == 1 else 'are'} {readings}, counted from 0"


def _readings(parse: Parse) -> list[Candidate]:
    """The parse and its alternatives."""
    return [] if parse.best is None else [parse.best, *parse.alternatives]


def _rival(readings: Sequence[Candidate], rank: int) -> Candidate | None:
    """The runner-up of the best reading; for any other reading, the best."""
    if rank:
        return readings[0]
    return readings[1] if len(readings) > 1 else None


class _Study:
    """One reading of one text, with the model's own names for its unknowns."""

    def __init__(self, parser: Parser, problem: Problem, rank: int) -> None:
        analysis = parser.model.analyse(problem)
        self.problem = problem
        self.potentials: Potentials = analysis.potentials
        self.reading = analysis.candidates[rank]
        self.tree = parser.model.align(_tree(self.reading), analysis.annotations.problem, analysis.potentials)
        self._others = [_tree(other) for at, other in enumerate(analysis.candidates) if at != rank]
        self._model = parser.model
        scorer = parser.model.scorer
        self.parts: Parts | None = (
            LinearParts(scorer, analysis.annotations) if isinstance(scorer, LinearScorer) else None
        )
        self._normal = analysis.annotations

    def contributions(self, reading: Candidate) -> tuple[Contribution, ...]:
        """What makes up the score, with the names of unknowns that people see."""
        found = contributions(self.tree, self.potentials, self.parts)
        pairs = zip(self.tree.nodes(), _tree(reading).nodes(), strict=True)
        if all(node.symbol is named.symbol for node, named in pairs):
            return found
        names = {"operand:A=X1": "operand:A=X2", "operand:B=X1": "operand:B=X2"}
        names |= {new: old for old, new in names.items()}
        return tuple(replace(part, feature=names.get(part.feature, part.feature)) for part in found)

    def reasons(self, reading: Candidate) -> Iterator[Reason]:
        """A reason for each node, with the names of unknowns that people see."""
        values = [quantity.value for quantity in self.problem.all_quantities]
        worth = iter(alignment_scores(self.problem, self.tree) if self.tree.children else ())
        for at, (node, named) in enumerate(zip(self.tree.nodes(), _tree(reading).nodes(), strict=True)):
            own = self._text(node.words)
            if node.symbol.operator is None:
                yield Reason(at, named.symbol, to_infix(named.expression(values), unicode=True), own)
            else:
                rival = self._rival_of(at, node)
                because = self._phrases(next(worth), node.words)
                yield Reason(at, node.symbol, node.symbol.operator.value, own, because, rival)

    def _text(self, words: Sequence[int]) -> str:
        """Words as they appear in the text, with an ellipsis where others are left out."""
        runs: list[list[int]] = []
        for word in words:
            if runs and runs[-1][-1] == word - 1:
                runs[-1].append(word)
            else:
                runs.append([word])
        tokens, text = self.problem.tokens, self.problem.text
        return " … ".join(" ".join(text[tokens[run[0]].start : tokens[run[-1]].end].split()) for run in runs)

    def _rival_of(self, at: int, node: TextMathTree) -> Symbol | None:
        """The operator in the same place of the next best reading that has another one there, or else the
        operator that would lose least."""
        path = _paths(self.tree)[at]
        for other in self._others:
            found = _at_path(other, path)
            if found is not None and found.symbol.operator is not None and found.symbol is not node.symbol:
                return found.symbol
        rivals = [
            symbol
            for symbol in self._model.scorer.symbols
            if symbol.operator is not None
            and symbol is not node.symbol
            and (at == 0 or _inside_a_value(symbol.operator))
        ]
        return min(rivals, key=lambda rival: float(self.evidence(at, node, rival).sum()), default=None)

    def evidence(self, at: int, node: TextMathTree, rival: Symbol) -> FloatArray:
        """How strongly each word is evidence for a node's operator, against another in its place."""
        found = np.zeros(len(self.problem.tokens))
        for boundary, left, right in node.steps():
            word = word_at(boundary, left, right)
            if word is not None:
                step = self.potentials.step[:, boundary, left, right]
                found[word] += step[node.symbol] - step[rival]
        if self.parts is not None and node.pattern is not None:
            index = node.pattern.index
            for sign, symbol in ((1, node.symbol), (-1, rival)):
                whole = self.parts.operator(symbol, index) + (self.parts.root(symbol) if at == 0 else ())
                for feature, score in whole:
                    words = self._words_behind(feature, symbol)
                    found[words] += sign * score / max(len(words), 1)
        return found

    def _words_behind(self, feature: str, symbol: Symbol) -> list[int]:
        """The words that gave the whole text a feature."""
        template, _, name = feature.partition(":")
        normal, tokens = self._normal, self.problem.tokens
        everywhere = range(len(tokens))
        if template in ("question-words", "story-words"):
            asked = template == "question-words"
            lemmas = name.split(" ")
            starts = [
                i
                for i in everywhere
                if tokens[i].in_question == asked
                and [normal.lemma(i + k) for k in range(len(lemmas))] == lemmas
            ]
            return sorted({i + k for i in starts for k in range(len(lemmas)) if i + k < len(tokens)})
        if template == "cues":
            return [i for i in everywhere if name in normal.cues[i]]
        if template == "vote":
            place = name[:1]
            return [i for i in everywhere if (place, symbol) in set(word_votes(normal, i))]
        return []

    def _phrases(self, worth: FloatArray, own: Sequence[int]) -> tuple[Evidence, ...]:
        """The words of a node that express it best, each with neighbours that do so too."""
        mine = [word for word in own if self._counts(word)]
        left = np.zeros(len(worth))
        left[mine] = np.maximum(worth[mine], 0.0)
        top = float(left.max(initial=0.0))
        found: list[Evidence] = []
        while len(found) < PHRASES and left.max(initial=0.0) > max(ENOUGH * top, NEGLIGIBLE):
            first, last = _grown(left)
            words = tuple(range(first, last))
            found.append(Evidence(words, self._text(words), float(worth[first:last].sum())))
            left[first:last] = 0.0
        return tuple(found)

    def _counts(self, word: int) -> bool:
        """Whether a word can be a reason: it is neither a number nor punctuation."""
        numeric = any(q.first_token <= word < q.last_token for q in self.problem.quantities)
        return not numeric and any(c.isalnum() for c in self.problem.tokens[word].text)

    def worth_removing(self, reasons: Sequence[Reason], limit: int) -> list[tuple[int, ...]]:
        """What to leave out: the reasons, then the words by what they do to any operator."""
        found = [evidence.words for reason in reasons for evidence in reason.because]
        weight = np.zeros(len(self.problem.tokens))
        for (at, node), reason in zip(enumerate(self.tree.nodes()), reasons, strict=True):
            if reason.against is not None:
                weight += abs(self.evidence(at, node, reason.against))
        found += [(int(word),) for word in np.argsort(-weight, kind="stable") if self._counts(int(word))]
        return list(dict.fromkeys(found))[:limit]

    def judgements(self) -> tuple[Judgement, ...]:
        """What reranking added to this reading, the largest effect first."""
        reranker = self._model.reranker
        if reranker is None:
            return ()
        found = [
            Judgement(name, value * float(reranker.weights[reranker.vocabulary[name]]))
            for name, value in reranker_features(self._normal, self.reading, reranker.config)
            if name in reranker.vocabulary
        ]
        return tuple(sorted((one for one in found if one.score), key=lambda one: -abs(one.score)))


def _grown(left: FloatArray) -> tuple[int, int]:
    """The word with the highest score and the neighbours that have a good part of it, as a span."""
    first = int(left.argmax())
    last = first + 1
    good = 0.3 * left[first]
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


def _paths(tree: TextMathTree, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The way from the root to each of ``tree.nodes()``."""
    return [
        path,
        *(found for side, child in enumerate(tree.below) for found in _paths(child, (*path, side))),
    ]


def _at_path(tree: TextMathTree, path: tuple[int, ...]) -> TextMathTree | None:
    for side in path:
        if side >= len(tree.below):
            return None
        tree = tree.below[side]
    return tree


def _without(parser: Parser, problem: Problem, words: tuple[int, ...], reading: Candidate) -> Removal:
    """Parse the text again without some neighbouring words."""
    start, end = problem.tokens[words[0]].start, problem.tokens[words[-1]].end
    before, after = problem.text[:start].rstrip(), problem.text[end:]
    parse = parser.parse((before + after).strip(), top=10)
    readings = _readings(parse)
    same = [other for other in readings if _same(other, reading)]
    return Removal(
        words,
        " ".join(problem.text[start:end].split()),
        to_infix(readings[0].mathematics) if readings else None,
        plain_number(parse.answer),
        same[0].probability if same else 0.0,
        bool(same) and same[0] is readings[0],
    )


def _same(one: Candidate, other: Candidate) -> bool:
    """Whether two readings say the same: equal, or the same numbers with the same answer."""
    if one.mathematics == other.mathematics:
        return True
    return one.answer is not None and one.answer == other.answer and one.used == other.used


def _inside_a_value(operator: Operator) -> bool:
    """Whether the operator may stand below the root."""
    return operator.entry.result is Sort.VALUE and not operator.entry.root_only

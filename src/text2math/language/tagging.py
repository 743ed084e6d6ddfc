"""Part of speech and lemma of the words of a sentence, behind a protocol, with HanTa as the default.

>>> default_tagger().tag(["Joan", "found", "seashells", "."])
[('Joan', 'NP0'), ('find', 'VVD'), ('seashell', 'NN2'), ('.', 'PUN')]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

from text2math.collector import collector_paused
from text2math.kept import Kept

MAX_WORD = 30
"""HanTa's analysis is quadratic in the length of a word; of a longer one only the end is looked at."""

WORDS_KEPT = 50_000
"""How many analyses a tagger remembers."""


class Tagger(Protocol):
    """Gives each word of a sentence its lemma and part of speech; spaCy or Stanza fit behind it."""

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """One (lemma, part of speech) for each word, in order."""
        ...


@cache
def default_tagger() -> Tagger:
    """The HanTa tagger, loaded at the first call and kept."""
    return HantaTagger()


# The moves on from a state: the next state, log P(tag | the two before), and which of the word's tags it is.
_Moves = list[tuple[int, float, int]]


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """The possible tags of a word with log P(word | tag), up to HanTa's constant, and what was found of it.

    All words with the same tags have the same moves.
    """

    tags: tuple[int, ...]
    scores: tuple[float, ...]
    moves: dict[int, _Moves]
    lemmas: dict[int, str] = field(default_factory=dict)  # by its tag


class HantaTagger:
    """HanTa's English model: a trigram model over tags, with the analysis of each word kept.

    The search is HanTa's own (``HanoverTagger.tag_sent``) with the same beam and the same result, but over
    the few tags that a word can have instead of over all of them; and a sentence that has no path falls back
    on the best tag of each word.
    """

    BEAM = 5
    CUTOFF = 5

    def __init__(self, model: str = "morphmodel_en.pgz") -> None:
        import HanTa.HanoverTagger  # loading costs, so only when it is needed

        # The whole path: by its name alone, HanTa would unpickle a file of the working directory first.
        with collector_paused():
            path = Path(HanTa.HanoverTagger.__file__).with_name(model)
            self._hanta: Any = HanTa.HanoverTagger.HanoverTagger(str(path))
        self._end: int = HanTa.HanoverTagger.END
        self._names: dict[int, str] = self._hanta.int2tag
        self._transitions: dict[tuple[int, int], dict[int, float]] = self._hanta.LP_trans_word
        self._base: int = max(self._names) + 1  # a state is the last two tags, as one number to this base
        self._moves_of: dict[tuple[int, ...], dict[int, _Moves]] = {}
        # A sentence's first word may have a capital letter whatever it is.
        self._first_words = Kept(partial(self._look_up, casesensitive=False), WORDS_KEPT)
        self._words = Kept(partial(self._look_up, casesensitive=True), WORDS_KEPT)

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """One (lemma, part of speech) for each word; numerals are ``CRD`` and their own lemma."""
        if not words:
            return []
        forms = [_form(word) for word in words]
        found = [self._first_words[forms[0]], *map(self._words.__getitem__, forms[1:])]
        return [
            (self._lemma(form, tag, known) if form == word else word.lower(), self._names[tag])
            for word, form, tag, known in zip(words, forms, self._best_tags(found), found, strict=True)
        ]

    def _look_up(self, form: str, casesensitive: bool) -> _Word:
        found = self._hanta._tag_word(form, self.CUTOFF, casesensitive, True)
        named = [(tag, score) for tag, score in found if tag in self._names]
        tags = tuple(tag for tag, _ in named)
        return _Word(tags, tuple(score for _, score in named), self._moves_of.setdefault(tags, {}))

    def _lemma(self, form: str, tag: int, word: _Word) -> str:
        lemma = word.lemmas.get(tag)
        if lemma is None:
            lemma = word.lemmas[tag] = str(self._hanta._analyze(form, tag, 1)[0])
        return lemma

    def _best_tags(self, words: Sequence[_Word]) -> list[int]:
        """The best sequence of tags."""
        row: dict[int, float] = {self._state(0, 1): 0.0}
        rows: list[dict[int, int]] = []
        for word in words:
            row, back = self._extend(row, word)
            if not row:
                return [word.tags[word.scores.index(max(word.scores))] for word in words]
            rows.append(back)
        state = max(row, key=lambda s: row[s] + self._following(s).get(self._end, -math.inf))
        best = []
        for back in reversed(rows):
            best.append(state % self._base)
            state = back[state]
        return best[::-1]

    def _extend(self, row: dict[int, float], word: _Word) -> tuple[dict[int, float], dict[int, int]]:
        # new(b, c) = max over a of  row(a, b) + log P(c | a, b) + log P(word | c)
        bound = sorted(row.values(), reverse=True)[self.BEAM] - 1 if len(row) > self.BEAM else -math.inf
        new: dict[int, float] = {}
        back: dict[int, int] = {}
        known, scores = word.moves, word.scores
        for state, score in row.items():
            if score < bound:
                continue
            moves = known.get(state)
            if moves is None:
                moves = known[state] = self._moves(state, word.tags)
            for target, step, at in moves:
                total = score + step + scores[at]
                if target not in new or total > new[target]:
                    new[target] = total
                    back[target] = state
        return new, back

    def _moves(self, state: int, tags: Sequence[int]) -> _Moves:
        following, before = self._following(state), state % self._base
        return [
            (self._state(before, tag), following[tag], at) for at, tag in enumerate(tags) if tag in following
        ]

    def _state(self, before: int, tag: int) -> int:
        return before * self._base + tag

    def _following(self, state: int) -> dict[int, float]:
        """The tags that may follow a state, with their log-probabilities."""
        return self._transitions.get(divmod(state, self._base), {})


def _form(word: str) -> str:
    """What the tagger is shown: every numeral looks alike, and of a long word only the end."""
    if word[-1:].isdigit() or word[:1].isdigit():
        return "10"
    return word[-MAX_WORD:] or "."

"""Part of speech and lemma of the words of a sentence, behind a protocol, with HanTa as the default.

>>> default_tagger().tag(["Joan", "found", "seashells", "."])
[('Joan', 'NP0'), ('find', 'VVD'), ('seashell', 'NN2'), ('.', 'PUN')]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

from text2math.collector import collector_paused

MAX_WORD = 30
"""HanTa's analysis is quadratic in the length of a word; of a longer one only the end is looked at."""

WORDS_KEPT = 50_000
"""How many analyses a tagger remembers."""


State = tuple[int, int]  # the last two tags


class Tagger(Protocol):
    """Gives each word of a sentence its lemma and part of speech; spaCy or Stanza fit behind it."""

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """One (lemma, part of speech) for each word, in order."""
        ...


@cache
def default_tagger() -> Tagger:
    """The HanTa tagger, loaded at the first call and kept."""
    return HantaTagger()


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """The tags of a word with log P(word | tag), up to HanTa's constant, and the moves found so far."""

    tags: tuple[tuple[int, float], ...]
    moves: dict[State, list[tuple[State, float, float]]] = field(default_factory=dict)


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
        self._word = lru_cache(WORDS_KEPT)(self._look_up)
        self._lemma_of_word = lru_cache(WORDS_KEPT)(self._lemma)

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """One (lemma, part of speech) for each word; numerals are ``CRD`` and their own lemma."""
        if not words:
            return []
        forms = [_form(word) for word in words]
        tags = self._best_tags([self._word(form, i > 0) for i, form in enumerate(forms)])
        return [
            (self._lemma_of_word(form, tag) if form == word else word.lower(), self._names[tag])
            for word, form, tag in zip(words, forms, tags, strict=True)
        ]

    def _look_up(self, form: str, casesensitive: bool) -> _Word:
        found = self._hanta._tag_word(form, self.CUTOFF, casesensitive, True)
        return _Word(tuple((tag, score) for tag, score in found if tag in self._names))

    def _lemma(self, form: str, tag: int) -> str:
        lemma, _ = self._hanta._analyze(form, tag, 1)
        return str(lemma)

    def _best_tags(self, words: Sequence[_Word]) -> list[int]:
        """The best sequence of tags."""
        row: dict[State, float] = {(0, 1): 0.0}
        rows: list[dict[State, State]] = []
        for word in words:
            row, back = self._extend(row, word)
            if not row:
                return [max(word.tags, key=lambda pair: pair[1])[0] for word in words]
            rows.append(back)
        state = max(row, key=lambda s: row[s] + self._transitions.get(s, {}).get(self._end, -math.inf))
        best = []
        for back in reversed(rows):
            best.append(state[1])
            state = back[state]
        return best[::-1]

    def _extend(self, row: dict[State, float], word: _Word) -> tuple[dict[State, float], dict[State, State]]:
        # new(b, c) = max over a of  row(a, b) + log P(c | a, b) + log P(word | c)
        bound = sorted(row.values(), reverse=True)[self.BEAM] - 1 if len(row) > self.BEAM else -math.inf
        new: dict[State, float] = {}
        back: dict[State, State] = {}
        known = word.moves
        for state, score in row.items():
            if score < bound:
                continue
            moves = known.get(state)
            if moves is None:
                moves = known[state] = self._moves(state, word)
            for target, step, word_score in moves:
                total = score + step + word_score
                best = new.get(target)
                if best is None or total > best:
                    new[target] = total
                    back[target] = state
        return new, back

    def _moves(self, state: State, word: _Word) -> list[tuple[State, float, float]]:
        """The states after a word, with the two log-probabilities on the way to each."""
        following = self._transitions.get(state, {})
        return [((state[1], tag), following[tag], score) for tag, score in word.tags if tag in following]


def _form(word: str) -> str:
    """What the tagger is shown: every numeral looks alike, and of a long word only the end."""
    if word[-1:].isdigit() or word[:1].isdigit():
        return "10"
    return word[-MAX_WORD:] or "."

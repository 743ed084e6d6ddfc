"""The lexicon: words that signal an operation, separately for the question and the story.

The model reads it as features with learned weights; nothing in it overrides anything.

>>> Lexicon.default().cues[0].name
'sum'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from text2math.language.problem import Problem, Token
from text2math.mathematics.expression import Operator

PLACES = ("question", "story", "anywhere")


@dataclass(frozen=True, slots=True)
class Cue:
    """A kind of signal: its name, where it counts, its phrases as words, any operator it speaks for."""

    name: str
    where: str
    phrases: tuple[tuple[str, ...], ...]
    operator: Operator | None = None


@dataclass(frozen=True)
class Lexicon:
    """A list of cues. Pass your own with ``Lexicon.read(path)``; an empty one switches it off.

    >>> lexicon = Lexicon((Cue("rest", "question", (("left",), ("left", "over"))),))
    >>> Lexicon.from_json(lexicon.to_json()) == lexicon
    True
    """

    cues: tuple[Cue, ...] = ()

    def __repr__(self) -> str:
        return f"Lexicon({len(self.cues)} cues)"

    @classmethod
    def default(cls) -> Lexicon:
        """The lexicon shipped with the package."""
        return _shipped("lexicon.json")

    @classmethod
    def signals(cls) -> Lexicon:
        """A few words that each signal one operation, as the paper's lexicon does.

        >>> [cue.operator.name for cue in Lexicon.signals().cues if cue.where == "story"]
        ['MUL', 'DIV']
        """
        return _shipped("signals.json")

    @classmethod
    def read(cls, path: Path | str) -> Lexicon:
        """The lexicon in a JSON file (``{"cues": [{"name", "where", "phrases", "operator"}, …]}``)."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {error.lineno}: not valid JSON ({error.msg})") from error
        return cls.from_json(content, source=str(path))

    @classmethod
    def from_json(cls, content: dict[str, Any], source: str = "lexicon") -> Lexicon:
        """The lexicon in a JSON object."""
        if not isinstance(content, dict) or not isinstance(content.get("cues"), list):
            raise ValueError(f'{source}: expected an object with a list "cues"')
        return cls(
            tuple(_cue(entry, f"{source}, cue {index}") for index, entry in enumerate(content["cues"]))
        )

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "cues": [
                {
                    "name": cue.name,
                    "where": cue.where,
                    "phrases": [" ".join(words) for words in cue.phrases],
                    **({"operator": cue.operator.name} if cue.operator else {}),
                }
                for cue in self.cues
            ]
        }

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """The operator each cue speaks for, by its name as ``mark`` gives it, for the cues that have one."""
        return {
            f"{place}:{cue.name}": cue.operator
            for cue in self.cues
            if cue.operator is not None
            for place in ("question", "story")
            if cue.where in (place, "anywhere")
        }

    @cached_property
    def _by_first_word(self) -> dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]]:
        index: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {}
        for cue in self.cues:
            for phrase in cue.phrases:
                index.setdefault(phrase[0], []).append((cue.name, cue.where, phrase))
        return {word: tuple(entries) for word, entries in index.items()}

    def mark(self, problem: Problem) -> tuple[tuple[str, ...], ...]:
        """For each word of a problem, the names of the cues it belongs to, such as ``question:rest``."""
        forms = [{token.text.lower(), token.lemma.lower()} for token in problem.tokens]
        found: dict[int, set[str]] = {}  # most words belong to none
        index = self._by_first_word
        for start, form in [(at, form) for at, own in enumerate(forms) for form in own if form in index]:
            place = _place(problem.tokens[start])
            for name, where, phrase in index[form]:
                if where in ("anywhere", place) and _matches(forms, start, phrase):
                    for position in range(start, start + len(phrase)):
                        found.setdefault(position, set()).add(f"{place}:{name}")
        return tuple(tuple(sorted(found[at])) if at in found else () for at in range(len(forms)))


def _place(token: Token) -> str:
    return "question" if token.in_question else "story"


def _matches(forms: Sequence[set[str]], start: int, phrase: tuple[str, ...]) -> bool:
    """Whether a phrase begins at this position, where its first word is known to be."""
    if len(phrase) == 1:
        return True
    end = start + len(phrase)
    # Most phrases fail at their second word.
    if end > len(forms) or phrase[1] not in forms[start + 1]:
        return False
    return len(phrase) == 2 or all(map(set.__contains__, forms[start:end], phrase))


def _cue(entry: Any, source: str) -> Cue:
    match entry:
        case {"name": str(name), "where": str(where), "phrases": list(phrases)}:
            if where not in PLACES:
                raise ValueError(f'{source}: "where" is {where!r}; it must be one of {", ".join(PLACES)}')
            words = tuple(tuple(str(phrase).lower().split()) for phrase in phrases)
            if not all(words):
                raise ValueError(f"{source}: a phrase is empty")
            return Cue(name, where, words, _operator(entry.get("operator"), source))
        case _:
            raise ValueError(f'{source}: expected "name", "where" and a list "phrases"')


def _operator(name: Any, source: str) -> Operator | None:
    if name is None:
        return None
    if name not in Operator.__members__:
        known = ", ".join(Operator.__members__)
        raise ValueError(f'{source}: "operator" is {name!r}; it must be one of {known}')
    return Operator[name]


@cache
def _shipped(name: str) -> Lexicon:
    text = files("text2math.language").joinpath(name).read_text(encoding="utf-8")
    return Lexicon.from_json(json.loads(text), source=name)

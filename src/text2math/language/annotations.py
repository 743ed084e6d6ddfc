"""What the feature templates look at: a problem's words in normal form, its clauses, what its numbers count.

Numbers become ``#`` and names ``@``, so that "Mike has 7 apples" and "Ann has 3 apples" share their features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem, Quantity, Token
from text2math.language.units import noun_lemma
from text2math.mathematics.expression import Operator

NUMBER, NAME = "#", "@"
_CLAUSE_MARKS = frozenset({",", ";", ".", "?", "!", ":", "and", "but", "if", "while", "then"})
_IN_PHRASE = frozenset(
    {"of", "the", "his", "her", "their", "my", "our", "these", "those", "more", "other", "a", "an"}
)
_MODAL_VERBS = frozenset(
    {"be", "have", "do", "will", "can", "would", "could", "should", "must", "may", "might"}
)


def is_name(token: Token) -> bool:
    """Whether the tagger took it for a proper name."""
    return token.pos in ("NP0", "NNP", "NNPS", "PROPN")


def is_noun(token: Token) -> bool:
    """Whether it is a common noun."""
    return token.pos.startswith(("NN", "NOUN")) and not is_name(token)


def is_adjective(token: Token) -> bool:
    """Whether it is an adjective."""
    return token.pos.startswith(("AJ", "JJ", "ADJ"))


def is_verb(token: Token) -> bool:
    """Whether it is a verb."""
    return token.pos.startswith("V")


def is_content(token: Token) -> bool:
    """Whether it is a noun, an adjective, or a verb that carries meaning."""
    lemma = token.lemma.lower()
    return is_noun(token) or is_adjective(token) or (is_verb(token) and lemma not in _MODAL_VERBS)


@dataclass(frozen=True, slots=True, eq=False)
class Annotations:
    """A problem as feature templates see it; computed once per problem."""

    problem: Problem
    words: tuple[str, ...]  # lower case, numbers as #
    lemmas: tuple[str, ...]  # lower case, numbers as #, names as @
    placed: tuple[str, ...]  # the lemmas, each after the place of its word
    cues: tuple[tuple[str, ...], ...]  # the lexicon's cues of each word
    speaks_for: dict[str, Operator]  # the operator of each cue that has one
    all_cues: tuple[str, ...]  # every cue of the text, once
    question_cues: tuple[str, ...]  # those of the question; "question:none" if it has none
    question_terms: tuple[str, ...]  # the question's lemmas and pairs of lemmas, each once
    story_terms: tuple[str, ...]  # the story's lemmas, each once
    clause: tuple[int, ...]  # the clause of each word
    question_content: frozenset[str]  # lemmas of the question's nouns, verbs and adjectives
    question_verbs: frozenset[str]
    question_names: frozenset[str]
    asked: frozenset[str]  # what the question asks for, with all that qualifies it: "red", "marble"
    counted: tuple[frozenset[str], ...]  # the same of what each number counts
    memory: dict[Any, Any] = field(default_factory=dict, repr=False)  # see ``remembered``

    def __repr__(self) -> str:
        return f"Annotations({self.problem!r})"

    @classmethod
    def of(cls, problem: Problem, lexicon: Lexicon) -> Annotations:
        """Read a problem with a lexicon."""
        numeric = {
            position
            for quantity in problem.quantities
            for position in range(quantity.first_token, quantity.last_token)
        }
        question = [token for token in problem.tokens if token.in_question]
        lemmas = tuple(
            NUMBER if i in numeric else NAME if is_name(token) else token.lemma.lower()
            for i, token in enumerate(problem.tokens)
        )
        asked = [i for i, token in enumerate(problem.tokens) if token.in_question]
        told = {lemmas[i] for i, token in enumerate(problem.tokens) if not token.in_question}
        terms = {lemmas[i] for i in asked} | {f"{lemmas[i]} {_at(lemmas, i + 1)}" for i in asked}
        cues = lexicon.mark(problem)
        all_cues = tuple(sorted({cue for found in cues for cue in found}))
        return cls(
            problem=problem,
            words=tuple(
                NUMBER if i in numeric else token.text.lower() for i, token in enumerate(problem.tokens)
            ),
            lemmas=lemmas,
            placed=tuple(
                f"{_place(token)} {lemma}" for token, lemma in zip(problem.tokens, lemmas, strict=True)
            ),
            cues=cues,
            speaks_for=lexicon.operators,
            all_cues=all_cues,
            question_cues=tuple(cue for cue in all_cues if cue.startswith("question:")) or ("question:none",),
            question_terms=tuple(sorted(terms)),
            story_terms=tuple(sorted(told)),
            clause=_clauses(problem, numeric),
            question_content=frozenset(token.lemma.lower() for token in question if is_content(token)),
            question_verbs=frozenset(
                token.lemma.lower() for token in question if is_content(token) and is_verb(token)
            ),
            question_names=frozenset(token.text.lower() for token in question if is_name(token)),
            asked=_asked(problem),
            counted=_counted(problem),
        )

    def word(self, position: int) -> str:
        """The normal form at a position; ``<`` and ``>`` beyond the ends."""
        return _at(self.words, position)

    def lemma(self, position: int) -> str:
        """The lemma at a position; ``<`` and ``>`` beyond the ends."""
        return _at(self.lemmas, position)

    def place(self, position: int) -> str:
        """``q`` for a word of the question, ``s`` for a word of the story."""
        return _place(self.problem.tokens[position])

    def clause_of(self, quantity: Quantity) -> list[int]:
        """The positions of the clause that a number is in."""
        return _clause_of(self, quantity.first_token)


_MOST_BEFORE_QUESTION = 5  # words; more are part of the story


def before_question(reading: Annotations) -> str:
    """The few words, none a number, before the question in its own sentence: "In total, how many …".

    >>> from text2math.language.problem import read_problem
    >>> problem = read_problem("Ann has 2 cups and Al has 3. All in all, how many cups do they have?")
    >>> before_question(Annotations.of(problem, Lexicon.default()))
    'all in all'
    """
    tokens = reading.problem.tokens
    first = next((i for i, token in enumerate(tokens) if token.in_question), 0)
    own = [i for i in range(first) if tokens[i].sentence == tokens[first].sentence]
    words = [reading.lemmas[i] for i in own]
    if len(words) > _MOST_BEFORE_QUESTION or NUMBER in words:
        return ""
    return " ".join(word for word in words if word.isalpha())


def keep_annotations(problem: Problem, lexicon: Lexicon) -> Annotations:
    """The annotations of a problem, kept in it: in cross-validation, many models read the same problems."""
    found = annotations_of(problem, lexicon)
    problem.memory[_key(lexicon)] = lexicon, found
    return found


def annotations_of(problem: Problem, lexicon: Lexicon) -> Annotations:
    """Those that were kept, if any, else new ones."""
    kept = problem.memory.get(_key(lexicon))
    return Annotations.of(problem, lexicon) if kept is None else kept[1]


def _key(lexicon: Lexicon) -> Any:
    """By identity: to compare lexicons takes longer than to read a problem, and a lexicon is kept as well."""
    return keep_annotations, id(lexicon)


_Found = TypeVar("_Found")
_UNKNOWN = object()


def remembered(function: Callable[[Annotations, int], _Found]) -> Callable[[Annotations, int], _Found]:
    """Cache a function of a number, which many candidates ask for."""

    @wraps(function)
    def ask(reading: Annotations, number: int, /) -> _Found:
        key, memory = (function, number), reading.memory
        found: _Found = memory.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = memory[key] = function(reading, number)
        return found

    return ask


@remembered
def _clause_of(reading: Annotations, position: int) -> list[int]:
    mine = reading.clause[position]
    return [position for position, clause in enumerate(reading.clause) if clause == mine]


def _phrase(problem: Problem, start: int) -> list[str]:
    """The nouns and adjectives of the noun phrase from a position on, with its "of the …"."""
    found: list[str] = []
    for token in problem.tokens[start:]:
        word = token.text.lower()
        if is_noun(token) or is_adjective(token) or (is_name(token) and found):
            found.append(noun_lemma(token))
        elif word in _IN_PHRASE or token.pos in ("DPS", "AT0", "POS", "PRP$", "DT"):
            continue
        elif not (is_name(token) or word in ("'s", "\u2019s")):
            break
    return found


def _asked(problem: Problem) -> frozenset[str]:
    """What the question asks for; where it names nothing ("how many did she pick"), its verb's object."""
    tokens = problem.tokens
    for i, token in enumerate(tokens):
        if token.in_question and token.lemma.lower() in ("many", "much", "number"):
            found = _phrase(problem, i + 1)
            if found:
                return frozenset(found)
    verbs = {t.lemma.lower() for t in tokens if t.in_question and is_verb(t) and is_content(t)}
    for i, token in enumerate(tokens):
        if not token.in_question and token.lemma.lower() in verbs:
            found = _phrase(problem, i + 1)
            if found:
                return frozenset(found)
    return frozenset(problem.question_units)


def _counted(problem: Problem) -> tuple[frozenset[str], ...]:
    """What each number counts; "43 blue and 16 red marbles" share their noun."""
    phrases = []
    for quantity in problem.quantities:
        words = set(_phrase(problem, quantity.last_token))
        if words and quantity.unit and not words & {quantity.unit}:
            words.add(quantity.unit)
        phrases.append(frozenset(words))
    return tuple(phrases)


def _place(token: Token) -> str:
    return "q" if token.in_question else "s"


def _at(forms: tuple[str, ...], position: int) -> str:
    if position < 0:
        return "<"
    return forms[position] if position < len(forms) else ">"


def _clauses(problem: Problem, numeric: set[int]) -> tuple[int, ...]:
    """Number the clauses: a comma, a conjunction or a new sentence opens one, if the last had a number."""
    result, current, seen_number, sentence = [], 0, False, 0
    for position, token in enumerate(problem.tokens):
        opens = token.text.lower() in _CLAUSE_MARKS and seen_number
        if token.sentence != sentence or opens:
            current, seen_number, sentence = current + 1, False, token.sentence
        seen_number = seen_number or position in numeric
        result.append(current)
    return tuple(result)

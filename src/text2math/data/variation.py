"""Problems as a careless, hurried or polite writer would type them, or about other things.

The mathematics does not change.

Data sets are edited: their texts begin with the story, end with a question mark and have no typing errors. A
model that sees nothing else comes to rely on that.

>>> from text2math.language.problem import read_problem
>>> problem = read_problem("Tom has 3 boxes. Ann has 4 boxes. How many boxes are there?")
>>> changed = varied(Example(problem, None), random.Random(2))
>>> changed.problem.text
'How many boxes are there? Tom has 3 boxes. Ann has 4 boxes.'
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from text2math.data.stories.written_numbers import in_words
from text2math.language.knowledge import Knowledge
from text2math.language.nouns import plural
from text2math.language.numbers import Kind, find_numbers, vocabulary
from text2math.language.problem import Example, Problem, read_problem
from text2math.language.quantity import Quantity, Source
from text2math.language.spelling import KEYBOARD_ROWS
from text2math.language.tokens import Token
from text2math.language.units import is_name
from text2math.mathematics.expression import Expression, Number, Operation, Variable, fold

MOST_CHANGES = 3
LARGEST_IN_WORDS = 100
_STOPS = frozenset(".?!")


# A text in pieces -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """A token as it is typed: the white space before it, its text, and its index in the problem."""

    before: str
    text: str
    index: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """A problem that is being typed: its tokens, and the text before and after them."""

    problem: Problem
    pieces: tuple[_Piece, ...]
    head: str = ""
    tail: str = ""

    @classmethod
    def of(cls, problem: Problem) -> _Draft:
        """The problem as it is."""
        text, tokens = problem.text, problem.tokens
        ends = [tokens[0].start, *(token.end for token in tokens[:-1])]
        pieces = tuple(
            _Piece(text[end : token.start], token.text, index)
            for index, (end, token) in enumerate(zip(ends, tokens, strict=True))
        )
        return cls(problem, pieces, text[: tokens[0].start], text[tokens[-1].end :])

    def token(self, piece: _Piece) -> Token:
        """The token that a piece was."""
        return self.problem.tokens[piece.index]

    def typed(self, texts: Mapping[int, str]) -> _Draft | None:
        """With other texts at some positions; None if that changes nothing."""
        if all(self.pieces[at].text == text for at, text in texts.items()):
            return None
        return self.edited({at: replace(self.pieces[at], text=text) for at, text in texts.items()})

    def edited(self, pieces: Mapping[int, _Piece]) -> _Draft:
        """With other pieces at some positions."""
        return replace(self, pieces=tuple(pieces.get(at, piece) for at, piece in enumerate(self.pieces)))

    def numeric(self) -> frozenset[int]:
        """The tokens of written quantities."""
        return frozenset(
            at for one in self.problem.quantities for at in range(one.first_token, one.last_token)
        )


_Change = Callable[[_Draft, random.Random], _Draft | None]


# Around the problem ---------------------------------------------------------------------------------------


@cache
def openings() -> tuple[str, ...]:
    """What people write before a problem; none of it has a number."""
    return _lines("openings.txt")


@cache
def closings() -> tuple[str, ...]:
    """What people write after a problem; none of it has a number."""
    return _lines("closings.txt")


def _lines(name: str) -> tuple[str, ...]:
    return tuple((files("text2math.data") / name).read_text(encoding="utf-8").splitlines())


def _opening(draft: _Draft, rng: random.Random) -> _Draft:
    return replace(draft, head=rng.choice(openings()) + _gap(rng) + draft.head)


def _closing(draft: _Draft, rng: random.Random) -> _Draft | None:
    if draft.pieces[-1].text not in _STOPS:
        return None
    return replace(draft, tail=draft.tail.rstrip() + _gap(rng) + rng.choice(closings()))


def _gap(rng: random.Random) -> str:
    return rng.choice((" ", " ", " ", "\n", "\n\n"))


# Typing errors --------------------------------------------------------------------------------------------

_SHORTEST_TYPO = 4  # letters
# Words about numbers, and those that distinguish "how many" from "how much".
_NEVER_MISTYPED = frozenset(
    vocabulary("many much half halves quarter percent hundred thousand million billion number numbers times")
)


@cache
def _known_words() -> frozenset[str]:
    """The units, and the words that imply a number by themselves."""
    knowledge = Knowledge.default()
    units = {name for unit, names in knowledge.units for name in (unit, *names)}
    units |= {unit for conversion in knowledge.conversions for unit in (conversion.one, conversion.of)}
    implying = {phrase[0] for fact in knowledge.facts for phrase in fact.words if len(phrase) == 1}
    return frozenset(units | implying | _NEVER_MISTYPED)


def _typos(draft: _Draft, rng: random.Random) -> _Draft | None:
    """One or two longer words mistyped, but no name, no number, and no word that implies a number."""
    numeric = [(one.start, one.end) for one in find_numbers(draft.problem.text)]
    words = [
        at
        for at, piece in enumerate(draft.pieces)
        if _may_slip(draft.token(piece), piece.text)
        and not any(start <= draft.token(piece).start < end for start, end in numeric)
    ]
    chosen = rng.sample(words, min(len(words), rng.choice((1, 1, 2))))
    return draft.typed({at: _slip(draft.pieces[at].text, rng) for at in chosen})


def _may_slip(token: Token, typed: str) -> bool:
    # A name may have been typed in lower case before.
    lower = typed.islower() and token.text.islower()
    plain = typed.isascii() and typed.isalpha() and lower and len(typed) >= _SHORTEST_TYPO
    return plain and _known_words().isdisjoint((token.text.lower(), token.lemma.lower()))


def _slip(word: str, rng: random.Random) -> str:
    """A letter after the first left out, doubled, swapped with the next, or hit on a neighbouring key."""
    at = rng.randrange(1, len(word) - 1)
    return rng.choice(
        (
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + neighbouring_key(word[at], rng) + word[at + 1 :],
        )
    )


def neighbouring_key(letter: str, rng: random.Random) -> str:
    """The letter to the left or to the right of one on a keyboard."""
    row = next(row for row in KEYBOARD_ROWS if letter in row)
    at = row.index(letter)
    return rng.choice(row[max(0, at - 1) : at] + row[at + 1 : at + 2])


# Letters, marks and spaces --------------------------------------------------------------------------------


def _lower_case(draft: _Draft, rng: random.Random) -> _Draft | None:
    return draft.typed({at: piece.text.lower() for at, piece in enumerate(draft.pieces)})


def _capitals(draft: _Draft, rng: random.Random) -> _Draft | None:
    return draft.typed({at: piece.text.upper() for at, piece in enumerate(draft.pieces)})


def _no_final_mark(draft: _Draft, rng: random.Random) -> _Draft | None:
    last = len(draft.pieces) - 1
    if draft.tail.strip() or draft.pieces[last].text not in _STOPS:
        return None
    return draft.typed({last: ""})


def _spaces(draft: _Draft, rng: random.Random) -> _Draft | None:
    """Doubled spaces, and sometimes a space before a punctuation mark."""
    loose = rng.random() < 0.5
    spaced = {
        at: replace(piece, before=" " if piece.text in (".", ",", "?", "!") else 2 * piece.before)
        for at, piece in enumerate(draft.pieces)
        if at and (piece.before == " " or (loose and piece.text in (".", ",", "?", "!")))
    }
    return draft.edited(spaced) if spaced else None


def _quotes(draft: _Draft, rng: random.Random) -> _Draft | None:
    """Curly apostrophes and quotation marks for straight ones."""
    texts, opened = {}, False
    for at, piece in enumerate(draft.pieces):
        if "'" in piece.text:
            texts[at] = piece.text.replace("'", "’")
        elif piece.text == '"':
            texts[at], opened = ("”" if opened else "“"), not opened
    return draft.typed(texts)


def _no_apostrophes(draft: _Draft, rng: random.Random) -> _Draft | None:
    found = {
        at: piece.text.replace("'", "").replace("’", "")
        for at, piece in enumerate(draft.pieces)
        if len(piece.text) > 1
    }
    return draft.typed(found)


def _joined(draft: _Draft, rng: random.Random) -> _Draft | None:
    """One full stop replaced by a comma, with the next sentence in lower case."""
    ends = [
        at
        for at, (piece, after) in enumerate(zip(draft.pieces, draft.pieces[1:], strict=False))
        if piece.text == "." and after.before and draft.token(piece).sentence != draft.token(after).sentence
    ]
    if not ends:
        return None
    at = rng.choice(ends)
    following = draft.pieces[at + 1]
    kept = following.text.isupper() or is_name(draft.problem.tokens, following.index)  # "I", "DVD", "Ann"
    return draft.typed({at: ",", at + 1: following.text if kept else following.text.lower()})


# Other words for the same ---------------------------------------------------------------------------------

_NEGATED = frozenset(vocabulary("did does do is are was were has have had would could should"))
_SHORTENED = {
    "is": ("'s", frozenset(vocabulary("he she it there that what who"))),
    "are": ("'re", frozenset(vocabulary("they we you"))),
    "will": ("'ll", frozenset(vocabulary("i he she it they we you there"))),
}
_SHORTHAND = {"and": "&", "with": "w/", "without": "w/o", "because": "bc", "you": "u", "please": "pls"}


def _contractions(draft: _Draft, rng: random.Random) -> _Draft | None:
    """ "did not" as "didn't", "they are" as "they're"; or the other way round."""
    found: dict[int, _Piece] = {}
    for at, (before, piece) in enumerate(zip(draft.pieces, draft.pieces[1:], strict=False), start=1):
        first, word = before.text.lower(), piece.text.lower()
        short, subjects = _SHORTENED.get(word, ("", frozenset()))
        if word == "not" and first in _NEGATED:
            found[at] = replace(piece, before="", text="n't")
        elif word in ("n't", "n’t") and first in _NEGATED:
            found[at] = replace(piece, before=" ", text="not")
        elif first in subjects:
            found[at] = replace(piece, before="", text=short)
    return draft.edited(found) if found else None


def _shorthand(draft: _Draft, rng: random.Random) -> _Draft | None:
    numeric = draft.numeric()
    return draft.typed(
        {
            at: _SHORTHAND.get(piece.text, piece.text)
            for at, piece in enumerate(draft.pieces)
            if piece.index not in numeric
        }
    )


_MOST_RENAMED = 3  # kinds of things


@cache
def things() -> tuple[str, ...]:
    """Things that can be counted, none of which implies a number."""
    return _lines("things.txt")


def _other_things(draft: _Draft, rng: random.Random) -> _Draft | None:
    """Other things for those that the numbers count, so that a story is not known by what it is about."""
    units = [one for one in dict.fromkeys(q.unit for q in draft.problem.quantities) if one in things()]
    some = rng.sample(units, min(len(units), rng.randint(1, _MOST_RENAMED)))
    names = dict(zip(some, rng.sample(things(), len(some)), strict=True))
    forms = {form: names[one] for one in some for form in (one, plural(one))}
    found: dict[int, str] = {}
    for at, piece in enumerate(draft.pieces):
        word = piece.text.lower()
        if word not in forms:
            continue
        name = forms[word] if word in names else plural(forms[word])
        found[at] = name.capitalize() if piece.text[0].isupper() else name
        if at and draft.pieces[at - 1].text in ("a", "an"):
            found[at - 1] = "an" if name[0] in "aeiou" else "a"
    return draft.typed(found)


# Numbers --------------------------------------------------------------------------------------------------


def _as_words(quantity: Quantity, text: str) -> str | None:
    if quantity.kind is Kind.DIGITS and text.isdigit() and 1 < int(text) < LARGEST_IN_WORDS:
        return in_words(int(text))
    return None


def _as_digits(quantity: Quantity, text: str) -> str | None:
    # "One" is often no number: "one day", "one of them".
    if quantity.kind is Kind.WORDS and quantity.value.denominator == 1 and quantity.value > 1:
        return str(quantity.value)
    return None


def _regrouped(quantity: Quantity, text: str) -> str | None:
    """With thousands separators, or without."""
    whole, point, decimals = text.partition(".")
    digits = whole.replace(",", "")
    if not digits.isdigit() or len(digits) < 4 or digits.startswith("0"):
        return None
    return (digits if "," in whole else f"{int(digits):,}") + point + decimals


def _rewriting(rewritten: Callable[[Quantity, str], str | None]) -> _Change:
    """A change that writes most numbers in another way, if there is one."""

    def change(draft: _Draft, rng: random.Random) -> _Draft | None:
        place = {piece.index: at for at, piece in enumerate(draft.pieces)}
        found: dict[int, str] = {}
        for quantity in draft.problem.quantities:
            own = [place[index] for index in range(quantity.first_token, quantity.last_token)]
            if draft.pieces[own[0]].text in "$€£¥₹₱":
                own = own[1:]
            typed = "".join(draft.pieces[at].text for at in own)
            text = rewritten(quantity, typed)
            if text is not None and rng.random() < 0.8:
                found |= {own[0]: text} | dict.fromkeys(own[1:], "")
        return draft.typed(found)

    return change


# The question first ---------------------------------------------------------------------------------------

_POINTING_BACK = frozenset(
    vocabulary(
        "he she it they him her them his hers their theirs its this that these those himself herself itself "
        "themselves so such same other others rest one ones former latter"
    )
)


def _question_first(draft: _Draft, rng: random.Random) -> _Draft | None:
    """The last sentence moved to the front, if it is a question that is clear by itself and has no number."""
    pieces = draft.pieces
    last = draft.token(pieces[-1]).sentence
    start = next(at for at, piece in enumerate(pieces) if draft.token(piece).sentence == last)
    asking, story = pieces[start:], pieces[:start]
    if not story or story[-1].text not in _STOPS or draft.head.strip() or draft.tail.strip():
        return None
    if not _stands_alone(draft, asking):
        return None
    first, second = replace(asking[0], before=""), replace(story[0], before=asking[0].before)
    return replace(draft, pieces=(first, *asking[1:], second, *story[1:]))


def _stands_alone(draft: _Draft, asking: Sequence[_Piece]) -> bool:
    """Whether a question is clear without the story before it."""
    numeric = draft.numeric()
    return asking[-1].text == "?" and all(
        draft.token(piece).in_question
        and piece.index not in numeric
        and draft.token(piece).text.lower() not in _POINTING_BACK
        for piece in asking
    )


# All of it ------------------------------------------------------------------------------------------------

# How likely each change is to be tried first, relative to the others.
_CHANGES: tuple[tuple[_Change, float], ...] = (
    (_opening, 4),
    (_closing, 3),
    (_typos, 6),
    (_question_first, 4),
    (_lower_case, 2),
    (_capitals, 1),
    (_no_final_mark, 2),
    (_rewriting(_as_words), 2),
    (_rewriting(_as_digits), 2),
    (_rewriting(_regrouped), 1),
    (_joined, 2),
    (_contractions, 1),
    (_no_apostrophes, 1),
    (_quotes, 1),
    (_shorthand, 1),
    (_spaces, 1),
    (_other_things, 16),
)


def varied(example: Example, rng: random.Random) -> Example | None:
    """The example as somebody else would type it, with one to three changes that keep its mathematics.

    None if a number would be read differently, or if a number that the gold uses is no longer implied.
    """
    if not example.problem.tokens:
        return None
    draft = _changed(_Draft.of(example.problem), rng, at_most=rng.choice((1, 1, 2, MOST_CHANGES)))
    return None if draft is None else _reread(example, draft)


def _changed(draft: _Draft, rng: random.Random, at_most: int) -> _Draft | None:
    # The order of a weighted draw without replacement (Efraimidis and Spirakis).
    order = sorted(_CHANGES, key=lambda entry: rng.random() ** (1 / entry[1]), reverse=True)
    done = 0
    for change, _ in order:
        found = change(draft, rng)
        if found is not None:
            draft, done = found, done + 1
        if done == at_most:
            break
    return draft if done else None


def _reread(example: Example, draft: _Draft) -> Example | None:
    """The example with the draft's text; None if its gold no longer fits."""
    old = example.problem
    text, places = _text_of(draft)
    clock = any(quantity.kind is Kind.CLOCK for quantity in old.quantities)
    new = read_problem(text, f"{old.id}~", knowledge=bool(old.implied) or clock)
    moved = _moved(old, new, places)
    if moved is None or not _is_whole(new, places):
        return None

    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable) or node.quantity is None:
            return node
        return replace(node, quantity=moved[node.quantity])

    try:
        expression = None if example.expression is None else fold(example.expression, leaf, Operation)
        asked = tuple(fold(one, leaf, Operation) for one in example.asked)
    except KeyError:  # a number of the gold is no longer implied
        return None
    groundings = _moved_spans(example, places)
    return replace(example, problem=new, expression=expression, asked=asked, groundings=groundings)


def _text_of(draft: _Draft) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text as typed, and where each token is in it."""
    parts, at, places = [draft.head], len(draft.head), {}
    for piece in draft.pieces:
        start = at + len(piece.before)
        at = start + len(piece.text)
        parts += (piece.before, piece.text)
        places[piece.index] = (start, at)
    return "".join((*parts, draft.tail)), places


def _is_whole(new: Problem, places: Mapping[int, tuple[int, int]]) -> bool:
    """Whether all of the problem is still read, and none of it is taken for a polite remark."""
    starts = [start for start, end in places.values() if start < end]
    return bool(new.tokens) and new.tokens[0].start <= min(starts) and max(starts) < new.tokens[-1].end


def _moved(old: Problem, new: Problem, places: Mapping[int, tuple[int, int]]) -> dict[int, int] | None:
    """The new indices of the old quantities; None unless the written quantities are the same."""
    if len(old.quantities) != len(new.quantities):
        return None
    there: dict[object, int] = {}
    for index, quantity in enumerate(new.all_quantities):
        there.setdefault(_identity(quantity, quantity.start, quantity.refers_to), index)
    moved: dict[int, int] = {}
    for index, quantity in enumerate(old.all_quantities):
        start = places[quantity.first_token][0]
        refers_to = None if quantity.refers_to is None else moved[quantity.refers_to]
        found = there.get(_identity(quantity, start, refers_to))
        if found is not None:
            moved[index] = found
        elif quantity.source is Source.WRITTEN:
            return None
    return moved


def _identity(quantity: Quantity, start: int, refers_to: int | None) -> object:
    return start, quantity.value, quantity.source, refers_to


def _moved_spans(example: Example, places: Mapping[int, tuple[int, int]]) -> tuple[tuple[str, int, int], ...]:
    """The phrases of the unknowns in the new text."""
    starts = {token.start: index for index, token in enumerate(example.problem.tokens)}
    ends = {token.end: index for index, token in enumerate(example.problem.tokens)}
    return tuple(
        (name, places[starts[start]][0], places[ends[end]][1])
        for name, start, end in example.groundings
        if start in starts and end in ends
    )

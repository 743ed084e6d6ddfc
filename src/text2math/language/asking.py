"""What a question asks for: a noun ("how many red bottle caps"), or a kind of measure ("how far").

>>> from text2math.language.problem import read_problem
>>> what_is_asked(read_problem("Al had 9 bottle caps and lost 2. How many bottle caps has he?").tokens)
Asked(one='bottle cap', many='bottle caps', dimension='')
>>> what_is_asked(read_problem("A snail crawls 3 m every hour. How far does it get in 5 hours?").tokens)
Asked(one='', many='', dimension='length')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from text2math.language.nouns import ABBREVIATIONS, plural
from text2math.language.numbers import vocabulary
from text2math.language.tokens import Token
from text2math.language.units import (
    MONEY_WORDS,
    QUESTION_SKIPPED,
    is_noun,
    noun_lemma,
    noun_phrase,
    price_tag,
)

Extreme = Callable[[Iterable[Fraction]], Fraction]  # max or min

MONEY, LENGTH, MASS, VOLUME, TIME, AGE = "money", "length", "mass", "volume", "time", "age"
AREA, PERCENT, SPEED, NUMBER, EXTENT = "area", "percent", "speed", "number", "extent"

# The units of each dimension, by their lemmas.
UNITS = {
    MONEY: "$ € £ ¥ ₹ ₱ ¢ dollar euro yen rupee peso cent penny buck franc krone",
    LENGTH: "inch foot yard mile meter metre centimeter centimetre millimeter millimetre kilometer kilometre "
    "mm cm m km ft in yd mi block",
    MASS: "gram kilogram kilo milligram ounce pound ton tonne mg g kg lb lbs oz",
    VOLUME: "liter litre milliliter millilitre gallon quart pint cup tablespoon teaspoon ml cl dl l gal pt "
    "qt",
    TIME: "second minute hour day week month year decade century sec min h hr hrs",
}
DIMENSION_OF = {unit: dimension for dimension, units in UNITS.items() for unit in units.split()}

_BY_WORD = {
    **dict.fromkeys(vocabulary("far tall high wide deep thick broad"), LENGTH),
    **dict.fromkeys(
        vocabulary("distance height width depth perimeter circumference radius diameter"), LENGTH
    ),
    **dict.fromkeys(vocabulary("heavy weigh weight mass"), MASS),
    **dict.fromkeys(
        vocabulary("cost price pay earn spend charge owe bill fee salary wage profit rent tip"), MONEY
    ),
    **dict.fromkeys(vocabulary("fast speed"), SPEED),
    **dict.fromkeys(vocabulary("percent percentage"), PERCENT),
    **dict.fromkeys(vocabulary("number integer digit fraction ratio quotient"), NUMBER),
    "area": AREA,
    "old": AGE,
    "age": AGE,
    "long": EXTENT,
    "length": EXTENT,
}
_PREFIXES = ("square", "cubic")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: a noun phrase in singular and plural, or a dimension; neither if unclear."""

    one: str = ""
    many: str = ""
    dimension: str = ""


def what_is_asked(tokens: Sequence[Token]) -> Asked:
    """What the first question of a text asks for."""
    explicit = _measure_asked_in(tokens)
    for i, token in enumerate(tokens):
        if not token.in_question:
            continue
        word = token.text.lower()
        after = tokens[i + 1].text.lower() if i + 1 < len(tokens) else ""
        if word == "how" and after == "many":
            return _counted(tokens, i + 2) or explicit or Asked()
        if word == "how" and after == "much":
            return explicit or Asked(dimension=_amount(tokens, i))
        if word == "number" and after == "of" and not explicit:
            return _counted(tokens, i + 2) or Asked()
        if word in ("how", "what", "which", "find", "calculate", "whats"):
            return explicit or Asked(dimension=_dimension(tokens, i))
    return explicit or Asked()


def measure_asked(tokens: Sequence[Token]) -> str:
    """The dimension that a question asks for, or else the noun; empty if it is unclear.

    >>> from text2math.language.problem import read_problem
    >>> texts = ("How much money did they get?", "How many km did he walk?", "How many pens are red?")
    >>> [measure_asked(read_problem(text).tokens) for text in texts]
    ['money', 'length', 'pen']
    """
    asked = what_is_asked(tokens)
    return asked.dimension or DIMENSION_OF.get(asked.one.lower(), asked.one.lower())


_ALL = frozenset(vocabulary("each both every respectively"))
_SEVERAL = frozenset(vocabulary("numbers integers ages angles dimensions sides lengths amounts prices"))


def asks_for_all(tokens: Sequence[Token]) -> bool:
    """Whether a question asks for every unknown of its text, not for a single one.

    >>> from text2math.language.problem import read_problem
    >>> [asks_for_all(read_problem(text).tokens) for text in ("What are they?", "Find the larger number.")]
    [True, False]
    """
    words = _words_that_ask(tokens)
    pairs = set(pairwise(words))
    if _ALL & {*words} or ("what", "are") in pairs or ("and", "how") in pairs or ("and", "what") in pairs:
        return True
    if {("the", "two"), ("the", "three")} & pairs or words.count("how") > 1:
        return True
    return any(one == "the" and other in _SEVERAL for one, other in pairs) or _names_two(words)


def asks_for_one(tokens: Sequence[Token]) -> bool:
    """Whether a question clearly asks for a single amount: "how many" or "the number of" one thing.

    >>> from text2math.language.problem import read_problem
    >>> texts = ("How many hens are there?", "How many hens and goats are there?", "Which numbers are they?")
    >>> [asks_for_one(read_problem(text).tokens) for text in texts]
    [True, False, False]
    """
    pairs = set(pairwise(token.text.lower() for token in tokens if token.in_question))
    counts = {("how", "many"), ("how", "much"), ("number", "of")}
    return bool(counts & pairs) and not asks_for_all(tokens)


_LAST = frozenset(vocabulary("largest greatest biggest highest last"))


def asks_for_last(tokens: Sequence[Token]) -> bool:
    """Whether a question asks for the largest of several numbers.

    >>> from text2math.language.problem import read_problem
    >>> [asks_for_last(read_problem(text).tokens) for text in ("Which is the largest?", "Find the numbers.")]
    [True, False]
    """
    return not _LAST.isdisjoint(_words_that_ask(tokens))


_LARGER = vocabulary(
    "larger greater bigger higher older elder longer taller wider heavier faster dearer costlier stronger "
    "thicker deeper largest greatest biggest highest oldest eldest longest tallest widest heaviest fastest"
)
_SMALLER = vocabulary(
    "smaller lesser lower younger shorter narrower lighter slower cheaper weaker thinner smallest least "
    "lowest youngest shortest narrowest lightest slowest cheapest"
)
_EXTREMES: dict[str, Extreme] = {**dict.fromkeys(_LARGER, max), **dict.fromkeys(_SMALLER, min)}
_NEGATIONS = frozenset(vocabulary("not than or and"))


def extreme_asked(tokens: Sequence[Token]) -> Extreme | None:
    """Whether a question asks for the larger or the smaller of several things: ``max`` or ``min``.

    >>> from text2math.language.problem import read_problem
    >>> texts = ("How old is the younger one?", "How much taller than Al is Bo?", "How many cars are there?")
    >>> [extreme_asked(read_problem(text).tokens) for text in texts]
    [<built-in function min>, None, None]
    """
    words = _words_that_ask(tokens)
    found = [at for at, word in enumerate(words) if word in _EXTREMES]
    if len(found) != 1 or not _NEGATIONS.isdisjoint(words):
        return None
    before = words[max(found[0] - 3, 0) : found[0]]
    return _EXTREMES[words[found[0]]] if {"the", "whose"} & {*before} else None


def counts_what_is_asked(tokens: Sequence[Token]) -> bool:
    """Whether a question asks how many things there are, not for a measure.

    >>> from text2math.language.problem import read_problem
    >>> texts = ("How many of the larger boxes are there?", "How many kg does the larger box weigh?")
    >>> [counts_what_is_asked(read_problem(text).tokens) for text in texts]
    [True, False]
    """
    pairs = set(pairwise(_words_that_ask(tokens)))
    return ("how", "many") in pairs and measure_asked(tokens) not in UNITS


def _words_that_ask(tokens: Sequence[Token]) -> list[str]:
    """The words of the question, or of the last sentence if nothing is marked as one."""
    asked = [token for token in tokens if token.in_question] or tokens[_last_sentence(tokens) :]
    return [token.text.lower() for token in asked]


def _last_sentence(tokens: Sequence[Token]) -> int:
    return next((at for at, token in enumerate(tokens) if token.sentence == tokens[-1].sentence), 0)


def _names_two(words: Sequence[str]) -> bool:
    """ "How many hens and goats", "Find the length and the width": two things, not a sum of them."""
    if {"together", "total", "altogether", "all", "sum", "between", "more", "than"} & {*words}:
        return False
    starts = [at for at, word in enumerate(words) if word in ("many", "much", "find", "what", "determine")]
    return any("and" in words[at : at + 8] for at in starts)


def _counted(tokens: Sequence[Token], start: int) -> Asked | None:
    """The noun phrase after "how many"."""
    found = noun_phrase(tokens, start + price_tag(tokens, start), QUESTION_SKIPPED)
    if found is None or _is_no_plural(tokens[found[1]]):
        return None
    begin, head = found
    before = "".join(f"{token.text} " for token in tokens[begin:head])
    one, many = before + singular(tokens[head]), before + tokens[head].text
    after = [token.text.lower() for token in tokens[head + 1 : head + 3]]
    if after[:1] == ["per"] and len(after) == 2:
        return Asked(f"{one} per {after[1]}", f"{many} per {after[1]}")
    if after[:1] == ["and"] and head + 2 < len(tokens) and tokens[head + 2].pos == "NN2":
        return Asked(f"{one} or {singular(tokens[head + 2])}", f"{many} and {after[1]}")
    return Asked(one, many)


def _is_no_plural(token: Token) -> bool:
    """ "How many riding?" has no noun, whatever the tag says; a count asks for a plural."""
    word = token.text.lower()
    plain = token.pos == "NN1" and word == noun_lemma(token)
    return plain and word not in ABBREVIATIONS and plural(word) != word


def singular(token: Token) -> str:
    """A noun as it is counted once, with the capitals of the text."""
    lemma = noun_lemma(token)
    return lemma.capitalize() if token.text[:1].isupper() and not token.text.isupper() else lemma


def _measure_asked_in(tokens: Sequence[Token]) -> Asked | None:
    """The unit of "…, in square meters?" at the end of a question."""
    for i, token in enumerate(tokens[:-1]):
        if not token.in_question or token.text.lower() != "in":
            continue
        prefix = tokens[i + 1].text.lower() if tokens[i + 1].text.lower() in _PREFIXES else ""
        at = i + 2 if prefix else i + 1
        closes = at + 1 >= len(tokens) or tokens[at + 1].pos.startswith("PU")
        if at < len(tokens) and closes and noun_lemma(tokens[at]) in DIMENSION_OF:
            phrase = f"{prefix} {noun_lemma(tokens[at])}".strip()
            many = f"{prefix} {tokens[at].text}".strip()
            return Asked(phrase, many if many != phrase else plural(phrase))
    return None


def _amount(tokens: Sequence[Token], i: int) -> str:
    """The dimension of "how much": money where the clause is about money and names no stuff."""
    found = noun_phrase(tokens, i + 2, QUESTION_SKIPPED)
    if found is not None and is_noun(tokens[found[1]]):
        return MONEY if noun_lemma(tokens[found[1]]) in MONEY_WORDS else ""
    return _dimension(tokens, i)


def _dimension(tokens: Sequence[Token], i: int) -> str:
    """The dimension that the words of the question name from here on, the first one first."""
    for token in tokens[i:]:
        if token.sentence != tokens[i].sentence:
            break
        for form in (token.text.lower(), token.lemma.lower()):
            if form in _BY_WORD:
                return _BY_WORD[form]
    return ""

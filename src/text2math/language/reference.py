"""Words that mention again what a number counts: "each book" after "9 books", "Lily" after "Lily has 8".

>>> from text2math.language.problem import read_problem
>>> problem = read_problem("Lily has 8 pens, Ben has 5 more than Lily. How many in all?", knowledge=True)
>>> [(problem.tokens[q.first_token].text, str(q.value)) for q in problem.implied]
[('than', '5'), ('than', '8'), ('Lily', '8'), ('many', '5'), ('many', '8')]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text2math.language.numbers import vocabulary
from text2math.language.quantity import Quantity, Source
from text2math.language.tokens import Token
from text2math.language.units import REACH, is_name, is_noun, noun_lemma

MOST_MENTIONS = 3
"""The most mentions of one number that are offered, the clearest."""

_PRONOUNS = frozenset(vocabulary("he she they it them his her their him its hers theirs who"))
_SHARES = frozenset(vocabulary("each every both rest same per other"))
_TOTALS = frozenset(vocabulary("total altogether many much all together combined each both left rest"))
_COMPARISONS = frozenset(("as", "than"))
# Who comes back travels the same distance again.
_JOURNEYS = frozenset(vocabulary("return returns returned returning back distance"))
_LENGTHS = frozenset(vocabulary("mile mi kilometer kilometre km meter metre m yard"))
# The area of a square is its side times its side; the volume of a cube takes its edge three times.
_EQUAL_SIDED = frozenset(("square", "cube"))
_MEASURES = frozenset(("area", "surface", "volume"))
_EDGES = frozenset((*_EQUAL_SIDED, "side", "edge"))
# How clear a mention is; of equally clear ones the first comes first.
_NOUN, _NAME, _OTHER = range(3)


def referring(tokens: Sequence[Token], written: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """The quantities that later (or earlier) words refer to, the clearest mentions of all numbers first."""
    taken = {at for quantity in written for at in range(quantity.first_token, quantity.last_token)}
    words = [token.text.lower() for token in tokens]
    nouns = [noun_lemma(token) if is_noun(token) else None for token in tokens]
    totals = [at for at, word in enumerate(words) if word in _TOTALS and tokens[at].in_question]
    counted = _counted_nouns(nouns, written)
    measured = _measured_shapes(tokens)
    found: list[tuple[int, int, int]] = []  # the rank among its number's mentions, the word, the number
    for k, quantity in enumerate(written):
        own = [(_NAME, at) for at in measured if _is_edge(tokens, quantity, at)]
        clear = _mentions(tokens, words, nouns, quantity, counted, _total(totals, quantity))
        mentions = sorted({*clear, *own})
        places = dict.fromkeys(at for _, at in mentions if at not in taken)
        found += [(rank, at, k) for rank, at in enumerate(list(places)[:MOST_MENTIONS])]
    return tuple(_mention(tokens[at], at, written[k], k) for _, at, k in sorted(found))


def _mention(token: Token, at: int, quantity: Quantity, index: int) -> Quantity:
    return Quantity(
        quantity.value,
        token.start,
        token.end,
        at,
        at + 1,
        quantity.unit,
        quantity.kind,
        Source.REFERRING,
        refers_to=index,
    )


def _counted_nouns(nouns: Sequence[str | None], written: Sequence[Quantity]) -> frozenset[int]:
    """The nouns that follow their number: the books of "9 books" are no mention of other ones."""
    found = set()
    for quantity in written:
        reach = range(quantity.last_token, min(quantity.last_token + REACH, len(nouns)))
        found.update([at for at in reach if quantity.unit and nouns[at] == quantity.unit][:1])
    return frozenset(found)


def _measured_shapes(tokens: Sequence[Token]) -> tuple[int, ...]:
    """The words that ask for the area or volume of a square or cube: "area" and "square"."""
    named = [
        at
        for at, token in enumerate(tokens)
        if token.lemma.lower() in _EQUAL_SIDED and not _is_unit_of_area(tokens, at)
    ]
    measures = [
        at for at, token in enumerate(tokens) if token.in_question and token.lemma.lower() in _MEASURES
    ]
    if not named or not measures:
        return ()
    return (*measures, *(at for at in named if tokens[at].in_question))


def _is_unit_of_area(tokens: Sequence[Token], at: int) -> bool:
    """Whether this is the first word of "square metres"."""
    after = tokens[at + 1].lemma.lower() if at + 1 < len(tokens) else ""
    return after.endswith(("meter", "metre", "foot", "feet", "inch", "yard", "mile")) or after in (
        "m",
        "cm",
        "ft",
    )


def _is_edge(tokens: Sequence[Token], quantity: Quantity, at: int) -> bool:
    """Whether a number is said of a side or an edge, before the word at this place."""
    sentence = tokens[quantity.first_token].sentence
    return at >= quantity.last_token and any(
        token.sentence == sentence and token.lemma.lower() in _EDGES for token in tokens
    )


def _mentions(
    tokens: Sequence[Token],
    words: Sequence[str],
    nouns: Sequence[str | None],
    quantity: Quantity,
    counted: frozenset[int],
    total: int | None,
) -> Iterator[tuple[int, int]]:
    """How clear each mention is, and the word it is anchored on."""
    sentence, unit = tokens[quantity.first_token].sentence, quantity.unit
    owner = _owner(tokens, quantity)
    pronoun = False
    comparisons = 0
    for at, (token, word) in enumerate(zip(tokens, words, strict=True)):
        after = at >= quantity.last_token
        if unit and nouns[at] == unit and at not in counted:
            yield (_NOUN if after else _NAME), at
        if token.text == owner and (after or token.sentence != sentence):
            yield _NAME, at
        if at == total:
            yield _OTHER, at
        if word in _COMPARISONS and comparisons < 2:
            comparisons += 1
            yield _OTHER, at
        if not after:
            continue
        if word in _PRONOUNS and not pronoun:
            pronoun = True
            yield _OTHER, at
        if word in _SHARES and (token.sentence > sentence or word == "same"):
            yield _OTHER, at
        if unit in _LENGTHS and word in _JOURNEYS:
            yield _OTHER, at


def _total(places: Sequence[int], quantity: Quantity) -> int | None:
    """The first word of the question after a number, or else the last before it, that may take it up."""
    after = [at for at in places if at >= quantity.last_token]
    return after[0] if after else places[-1] if places else None


def _owner(tokens: Sequence[Token], quantity: Quantity) -> str:
    """The last name before a number in its sentence: Lily in "Lily has 8 pens"."""
    sentence = tokens[quantity.first_token].sentence
    for at in reversed(range(quantity.first_token)):
        if tokens[at].sentence != sentence:
            return ""
        if is_name(tokens, at):
            return tokens[at].text
    return ""

"""What a quantity counts and what a question asks for, as the lemma of a noun.

These are heuristics over parts of speech: "" or an empty tuple says that the text does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text2math.language.numbers import Kind, NumberMatch, vocabulary
from text2math.language.tokens import Token

# How far after a number its noun may be: "7 more big shiny red apples".
REACH = 6

CURRENCY_UNITS = {
    "$": "dollar",
    "€": "euro",
    "£": "pound",
    "¥": "yen",
    "₹": "rupee",
    "₱": "peso",
    "¢": "cent",
}
MONEY_WORDS = frozenset(
    vocabulary(
        "money cost spend pay earn worth price charge owe change profit cash income salary bill wage fee "
        "rent allowance tip"
    )
)
# Between a number and its noun; the tags do not always say so.
_SKIPPED = frozenset(
    vocabulary(
        "more less fewer extra additional other of the his her their my our your its these those them total "
        "same - new old different"
    )
)
_ONLY_PLURAL = frozenset(vocabulary("clothes series species pants jeans shorts scissors glasses news"))
_MISREAD = {"lives": "life", "leaves": "leaf", "loaves": "loaf", "halves": "half", "knives": "knife"}
_COUNTING_WORDS = frozenset(("dozen", "dozens", "pair", "couple"))
QUESTION_SKIPPED = _SKIPPED | frozenset(("many", "much", "in", "all", "altogether", "a", "an", "far"))


def counted_noun(tokens: Sequence[Token], quantity: NumberMatch, first: int, last: int) -> str:
    """The noun that the quantity on tokens ``first`` to ``last`` counts: "7 red apples" counts "apple"."""
    for token in tokens[first:last]:
        if token.text in CURRENCY_UNITS:
            return CURRENCY_UNITS[token.text]
    if quantity.kind is Kind.PERCENT:
        return "percent"
    if quantity.kind is Kind.CLOCK:
        return "minute"
    if quantity.kind is Kind.MULTIPLIER and tokens[last - 1].text.lower() not in _COUNTING_WORDS:
        return ""
    if last + 1 < len(tokens) and tokens[last].text == "-" and is_noun(tokens[last + 1]):
        return noun_lemma(tokens[last + 1])
    return noun_after(tokens, last, _SKIPPED)


def shared_noun(tokens: Sequence[Token], last: int, following: int) -> bool:
    """Whether two numbers share the noun of the second: "44 blue and 16 red marbles"."""
    between = tokens[last:following]
    return (
        len(between) > 1
        and between[-1].text.lower() in ("and", "or", ",")
        and all(_may_qualify(token) for token in between[:-1])
    )


def noun_after(tokens: Sequence[Token], start: int, skipped: frozenset[str]) -> str:
    """The head of the first noun phrase from ``start`` on, where only adjectives and the like precede it."""
    found = noun_phrase(tokens, start, skipped)
    if found is None:
        return ""
    head = tokens[found[1]]
    if head.pos == "VVZ":
        return _MISREAD.get(head.text.lower(), noun_lemma(head))
    return noun_lemma(head)


def noun_phrase(tokens: Sequence[Token], start: int, skipped: frozenset[str]) -> tuple[int, int] | None:
    """Where the first noun phrase from ``start`` on begins, and where its head is.

    >>> from text2math.language.problem import read_problem
    >>> tokens = read_problem("How many more red bottle caps are there?").tokens
    >>> [tokens[at].text for at in noun_phrase(tokens, 2, frozenset({"more"}))]
    ['red', 'caps']
    """
    begin = start
    for i in range(start, min(start + REACH, len(tokens))):
        token = tokens[i]
        if token.sentence != tokens[start].sentence:
            return None
        if is_noun(token):
            return begin, _head(tokens, i)
        if token.pos == "VVZ":  # "32 more whistles": after a number it is a plural, whatever the tag says
            return begin, i
        if token.text.lower() in skipped:
            begin = i + 1
        elif not _may_qualify(token):
            return None
    return None


def _head(tokens: Sequence[Token], i: int) -> int:
    """The last noun of a compound: the caps of "bottle caps"."""
    while i + 1 < len(tokens) and is_noun(tokens[i + 1]) and tokens[i + 1].sentence == tokens[i].sentence:
        # "7 apples Monday": a plural ends a compound, and so does a name after a common noun.
        if tokens[i].pos == "NN2" or (tokens[i + 1].pos == "NP0" and tokens[i].pos != "NP0"):
            break
        i += 1
    return i


def is_noun(token: Token) -> bool:
    """Whether the tag says noun, in the tag sets of HanTa (BNC), Penn and Universal Dependencies."""
    return token.pos.startswith(("NN", "NP", "NOUN", "PROPN")) and token.text[:1].isalpha()


def is_name(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a proper name: by its tag, or by a capital letter inside a sentence.

    >>> from text2math.language.problem import read_problem
    >>> tokens = read_problem("Then Ann met Cy.").tokens
    >>> [token.text for at, token in enumerate(tokens) if is_name(tokens, at)]
    ['Ann', 'Cy']
    """
    token = tokens[at]
    if token.pos in ("NP0", "NNP", "NNPS", "PROPN"):
        return True
    inside = at > 0 and tokens[at - 1].sentence == token.sentence
    return inside and token.text.istitle() and len(token.text) > 1


def noun_lemma(token: Token) -> str:
    """The lemma in lower case; where the tagger left a plural as it is ("Skittles", "pics"), without its s.

    >>> noun_lemma(Token("Skittles", 0, 8, "Skittles", "NP0", 0, False))
    'skittle'
    """
    lemma = token.lemma.lower()
    plural = lemma == token.text.lower() and lemma.endswith("s") and not lemma.endswith(("ss", "us", "is"))
    return lemma[:-1] if plural and len(lemma) > 3 and lemma not in _ONLY_PLURAL else lemma


def _may_qualify(token: Token) -> bool:
    """Adjectives, adverbs in front of them, participles: "7 very shiny painted"."""
    return token.pos.startswith(("AJ", "JJ", "ADJ", "VVG", "VVN", "VBG", "VBN", "ORD"))


def asked_units(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The nouns asked for: "how many apples" asks for "apple", "how much money" for "dollar"."""
    return tuple(dict.fromkeys(unit for unit in _asked(tokens) if unit))


def _asked(tokens: Sequence[Token]) -> Iterator[str]:
    for i, token in enumerate(tokens):
        if not token.in_question:
            continue
        word = token.text.lower()
        following = tokens[i + 1].text.lower() if i + 1 < len(tokens) else ""
        if word == "how" and following == "many":
            yield noun_after(tokens, i + 2 + price_tag(tokens, i + 2), QUESTION_SKIPPED)
        elif word == "how" and following == "much":
            yield _asked_amount(tokens, i)
        elif word == "how" and following == "old":
            yield "year"
        elif word == "number" and following == "of":
            yield noun_after(tokens, i + 2, QUESTION_SKIPPED)
        elif word == "in" and i + 2 < len(tokens) and tokens[i + 1].pos == "NN2":
            closes = tokens[i + 2].pos.startswith("PU")
            yield noun_lemma(tokens[i + 1]) if closes else ""
        elif word in ("cost", "price") and _asked_what(tokens, i):
            yield "dollar"


def price_tag(tokens: Sequence[Token], i: int) -> int:
    """How many tokens the "20-dollar" of "how many 20-dollar tickets" takes."""
    return 3 if i + 2 < len(tokens) and tokens[i].pos == "CRD" and tokens[i + 1].text == "-" else 0


def _asked_amount(tokens: Sequence[Token], i: int) -> str:
    """After "how much": the stuff that is named, or dollars where the clause is about money."""
    noun = noun_after(tokens, i + 2, QUESTION_SKIPPED)
    if noun and noun not in MONEY_WORDS:
        return noun
    sentence = (token for token in tokens[i:] if token.sentence == tokens[i].sentence)
    return "dollar" if noun or any(token.lemma.lower() in MONEY_WORDS for token in sentence) else ""


def _asked_what(tokens: Sequence[Token], i: int) -> bool:
    """Whether "what is the …" (at most four words) precedes this word."""
    before = [token.text.lower() for token in tokens[max(0, i - 4) : i]]
    return "what" in before

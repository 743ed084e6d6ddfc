"""Explanations in words: sentences as a teacher would say them, and a report for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from text2math.explanation.explain import Explanation, Reason
from text2math.explanation.variations import Variation
from text2math.inference.potentials import UNKNOWNS, Symbol
from text2math.language.problem import Source
from text2math.mathematics.notation import from_infix, to_infix
from text2math.render.plain import letter
from text2math.render.scene import clean

Style = Literal["plain", "strong", "quoted"]
Segment = tuple[Style, str]
FEATURES = 3  # of each node, in the report
AROUND = 4  # words to each side of a number
_ENDS = frozenset(".?!")
LESS = 0.05  # by how much a probability must drop to be worth a row


def sentences(explanation: Explanation) -> Iterator[list[Segment]]:
    """What a teacher would say: the words behind each operation and what they do, then the numbers."""
    operators = [reason for reason in explanation.reasons if reason.because]
    said = [_operator(reason, explanation) for reason in operators]
    said += [_leaf(reason, explanation) for reason in _telling_leaves(explanation.reasons)]
    if said:
        yield [*_joined(said, "; "), ("plain", ".")]
    unused = list(_not_needed(explanation))
    if unused and explanation.rank == 0:
        yield [
            ("plain", "Not needed: "),
            *_listed([("quoted", clean(text)) for text in unused]),
            ("plain", "."),
        ]
    if not any(_shows(reason, explanation) for reason in operators):
        yield from _decision(explanation)


def _joined(parts: Iterable[list[Segment]], between: str) -> list[Segment]:
    found: list[Segment] = []
    for part in parts:
        found += [("plain", between), *part] if found else part
    return found


def _telling_leaves(reasons: Sequence[Reason]) -> Iterator[Reason]:
    """The leaves that say something; an unknown without words once, and only if it has none anywhere."""
    silent = {reason.symbol for reason in reasons} - {reason.symbol for reason in reasons if reason.text}
    for reason in filter(_says_more_than_its_sign, reasons):
        if reason.text or reason.symbol in silent:
            silent.discard(reason.symbol)
            yield reason


def _says_more_than_its_sign(reason: Reason) -> bool:
    """Whether a leaf is worth a row: "5 from 5" says nothing."""
    if reason.symbol.operator is not None:
        return False
    return reason.symbol is not Symbol.CON or any(c.isalpha() for c in reason.text)


def _not_needed(explanation: Explanation) -> Iterator[str]:
    """The numbers that are not used; not the "one" of an unknown's name, "one of the numbers"."""
    nodes = () if explanation.reading.tree is None else explanation.reading.tree.nodes()
    names = {word for node in nodes if node.symbol in UNKNOWNS for word in node.words}
    tokens = explanation.parse.tokens
    written = (q for q in explanation.parse.quantities if q.source == Source.WRITTEN.value)
    for quantity in written:
        inside = [at for at, token in enumerate(tokens) if quantity.start <= token.start < quantity.end]
        if not quantity.used and not names.intersection(inside):
            yield quantity.text


def _leaf(reason: Reason, explanation: Explanation) -> list[Segment]:
    if not reason.text:
        return [("strong", reason.shown), ("plain", " has no words of its own")]
    if reason.symbol is not Symbol.CON:
        return [("strong", reason.shown), ("plain", " is "), ("quoted", clean(reason.text))]
    return [("strong", reason.shown), ("plain", " from "), ("quoted", clean(_near(reason, explanation)))]


def _near(reason: Reason, explanation: Explanation) -> str:
    """The words of a number's leaf that are near the number, in its own sentence."""
    parse, tree = explanation.parse, explanation.reading.tree
    assert tree is not None
    node = list(tree.nodes())[reason.node]
    assert node.quantity is not None
    quantity, tokens = parse.quantities[node.quantity], parse.tokens
    inside = [at for at in node.words if tokens[at].start < quantity.end and quantity.start < tokens[at].end]
    first, last = inside[0], inside[-1]
    while first - 1 in node.words and inside[0] - first < AROUND and tokens[first - 1].text not in _ENDS:
        first -= 1
    while last + 1 in node.words and last - inside[-1] < AROUND and tokens[last + 1].text not in _ENDS:
        last += 1
    return " ".join(parse.text[tokens[first].start : tokens[last].end].split())


def _operator(reason: Reason, explanation: Explanation) -> list[Segment]:
    operator = reason.symbol.operator
    assert operator is not None
    named = dict.fromkeys(clean(evidence.text) for evidence in reason.because)
    # Without a blank that was tried, words express an operator, and nobody knows whether it needs them.
    link = " because of " if reason.because[0].measured else " expressed by "
    said: list[Segment] = [("strong", operator.label), ("plain", link)]
    said += _listed([("quoted", text) for text in named])
    return said + _effect(reason, explanation)


def _shows(reason: Reason, explanation: Explanation) -> bool:
    """Whether the best reading loses an operator where words are blank or exchanged."""
    return explanation.rank == 0 and reason.test is not None and reason.node in reason.test.gone


def _effect(reason: Reason, explanation: Explanation) -> list[Segment]:
    """What the text says without the words of a reason, where that is worth saying."""
    test = reason.test
    if test is None or explanation.rank:
        return []
    if _shows(reason, explanation):
        return [("plain", ": "), *_changes(reason, test, explanation), ("plain", f", {_instead(test)}")]
    if test.wins and _weakens(test, explanation):
        before, then = (f"{100 * p:.0f} %" for p in (explanation.reading.probability, test.probability))
        return [("plain", f": {_without(reason)}, less likely ({then}, not {before})")]
    return []


def _without(reason: Reason) -> str:
    return {1: "without it", 2: "without both"}.get(len(reason.because), "without them")


def _changes(reason: Reason, test: Variation, explanation: Explanation) -> list[Segment]:
    """What a variation changes: "without it", "with found instead of lost and without of them"."""
    if not test.exchanged:
        return [("plain", _without(reason))]
    tokens = explanation.parse.tokens
    found: list[Segment] = []
    for word, other in test.exchanged.items():
        found += [("plain", " and " if found else "with "), ("quoted", clean(other))]
        found += [("plain", " instead of "), ("quoted", clean(tokens[word].text))]
    blank = [clean(tokens[word].text) for word in test.words if word not in test.exchanged]
    if blank:
        found += [("plain", " and without "), *_listed([("quoted", text) for text in dict.fromkeys(blank)])]
    return found


def _listed(segments: list[Segment]) -> list[Segment]:
    found: list[Segment] = []
    for at, segment in enumerate(segments):
        if at:
            found.append(("plain", " and " if at == len(segments) - 1 else ", "))
        found.append(segment)
    return found


def _decision(explanation: Explanation) -> Iterator[list[Segment]]:
    """What a single word or phrase does to the reading, where the reasons did not say it."""
    if not explanation.removals:
        return
    decisive = min(explanation.decisive, key=_weight, default=None)
    best = explanation.rank == 0
    if decisive is not None:
        result = "this would be the reading" if not best else _would_be(decisive)
        yield [("plain", "Without "), ("quoted", clean(decisive.text)), ("plain", f", {result}.")]
        return
    tried = len({word for removal in explanation.removals for word in removal.words})
    result = "it stays" if best else "another reading still wins"
    yield [("plain", f"No single word decides it: with any one of {tried} left blank, {result}.")]


def _weight(removal: Variation) -> tuple[int, float]:
    """Few words before many, then the one that changes most."""
    return len(removal.words), removal.probability


def _would_be(removal: Variation) -> str:
    if removal.reading is None:
        return "there would be no mathematics"
    return f"it would be {_instead(removal)}"


def _instead(removal: Variation) -> str:
    """The mathematics found then, in infix."""
    if removal.reading is None:
        return "no mathematics"
    return to_infix(from_infix(removal.reading), unicode=True)


_MARKS = "\\`*_[]<>"


def markdown(explanation: Explanation) -> str:
    """The sentences with numbers and signs in bold and words of the text in italics.

    >>> _markdown([("strong", "7"), ("plain", " from "), ("quoted", "7 * apples")])
    '**7** from *7 \\\\* apples*'
    """
    return "\n\n".join(_markdown(sentence) for sentence in sentences(explanation))


def _markdown(sentence: Iterable[Segment]) -> str:
    signs = {"plain": "", "strong": "**", "quoted": "*"}
    return "".join(
        signs[style] + "".join("\\" * (c in _MARKS) + c for c in text) + signs[style]
        for style, text in sentence
    )


def _terminal(sentence: Iterable[Segment], colour: bool) -> str:
    if colour:
        codes = {"plain": "", "strong": "\x1b[1m", "quoted": "\x1b[3m"}
        return "".join(
            f"{codes[style]}{text}" + ("\x1b[0m" if codes[style] else "") for style, text in sentence
        )
    return "".join(f'"{text}"' if style == "quoted" else text for style, text in sentence)


def report(explanation: Explanation, *, colour: bool = False) -> str:
    """The sentences, then the contributions to each node, the owner of each word, and the variations.

    A part without anything to say is left out.
    """
    lines = [_terminal(sentence, colour) for sentence in sentences(explanation)]
    for title, part in (
        ("With some words left blank", _left_blank(explanation)),
        ("With the opposites of some", _exchanged(explanation)),
        (f"What contributed to it (total {explanation.score:.2f})", _carried(explanation)),
        ("What the answer and the whole expression added", _judged(explanation)),
        ("The node that each word belongs to by the scores alone", _owned(explanation)),
    ):
        rows = list(part)
        if rows:
            lines += ["", _terminal([("strong", title)], colour), *rows]
    return "\n".join(lines)


def _carried(explanation: Explanation) -> Iterator[str]:
    tokens = explanation.parse.tokens
    for reason in explanation.reasons:
        own = [part for part in explanation.contributions if part.node == reason.node]
        total = sum(part.score for part in own)
        yield f"  {letter(reason.node)}  {_shown(reason):<6} {total:8.2f}"
        named = [part for part in own if part.feature != "rest"]
        for part in sorted(named, key=lambda part: -abs(part.score))[:FEATURES]:
            word = "" if part.word is None else f'"{clean(tokens[part.word].text)}"'
            yield f"       {part.score:+8.2f}  {part.kind:<8} {clean(part.feature):<32} {word}".rstrip()


def _shown(reason: Reason) -> str:
    operator = reason.symbol.operator
    return reason.shown if operator is None else operator.label


def _judged(explanation: Explanation) -> Iterator[str]:
    for judgement in explanation.judgements[: 2 * FEATURES]:
        yield f"       {judgement.score:+8.2f}  {clean(judgement.feature)}"


def _owned(explanation: Explanation) -> Iterator[str]:
    tokens = explanation.parse.tokens
    for reason, row in zip(explanation.reasons, explanation.ownership.probabilities, strict=True):
        words = [f"{clean(tokens[at].text)} {100 * p:.0f} %" for at, p in enumerate(row) if p >= 0.1]
        yield f"  {letter(reason.node)}  {_shown(reason):<6} " + (", ".join(words) or "no word of its own")


def _left_blank(explanation: Explanation) -> Iterator[str]:
    for removal in explanation.removals:
        if not removal.wins or _weakens(removal, explanation):
            yield f'  "{clean(removal.text)}": {_outcome(removal)}'


def _exchanged(explanation: Explanation) -> Iterator[str]:
    for exchange in explanation.exchanges:
        if not exchange.wins:
            others = clean(" … ".join(exchange.instead))
            yield f'  "{clean(exchange.text)}" as "{others}": {_outcome(exchange)}'


def _outcome(variation: Variation) -> str:
    stays = "stays" if variation.wins else _would_be(variation)
    return f"{stays} ({100 * variation.probability:.0f} %)"


def _weakens(removal: Variation, explanation: Explanation) -> bool:
    """Whether the reading is clearly less likely without these words."""
    return removal.probability < explanation.reading.probability - LESS

"""Explanations in words: sentences as a teacher would say them, and a report for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from text2math.explanation.explain import Explanation, Reason, Removal
from text2math.inference.potentials import Symbol
from text2math.language.problem import Source
from text2math.mathematics.notation import from_infix, to_infix
from text2math.render.plain import letter
from text2math.render.scene import clean

Style = Literal["plain", "strong", "quoted"]
Segment = tuple[Style, str]
FEATURES = 3  # of each node, in the report
LESS = 0.02  # by how much a probability must drop to be worth a row


def sentences(explanation: Explanation) -> Iterator[list[Segment]]:
    """What a teacher would say: the words behind each operation and what they do, then the numbers."""
    operators = [reason for reason in explanation.reasons if reason.symbol.operator is not None]
    said = [_operator(reason, explanation) for reason in operators if reason.because]
    said += [_leaf(reason) for reason in explanation.reasons if reason.symbol.operator is None]
    first: list[Segment] = []
    for part in said:
        if first:
            first.append(("plain", "; "))
        first += part
    yield [*first, ("plain", ".")]
    unused = [
        quantity.text
        for quantity in explanation.parse.quantities
        if not quantity.used and quantity.source == Source.WRITTEN.value
    ]
    if unused and explanation.rank == 0:
        yield [
            ("plain", "Not needed: "),
            *_listed([("quoted", clean(text)) for text in unused]),
            ("plain", "."),
        ]
    yield _decision(explanation)


def _leaf(reason: Reason) -> list[Segment]:
    if not reason.text:
        return [("strong", reason.shown), ("plain", " has no words of its own")]
    link = " from " if reason.symbol is Symbol.CON else " is "
    return [("strong", reason.shown), ("plain", link), ("quoted", clean(reason.text))]


def _operator(reason: Reason, explanation: Explanation) -> list[Segment]:
    operator = reason.symbol.operator
    assert operator is not None
    named = dict.fromkeys(clean(evidence.text) for evidence in reason.because)
    said: list[Segment] = [("strong", operator.label), ("plain", " because of ")]
    said += _listed([("quoted", text) for text in named])
    effects = {removal.words: removal for removal in explanation.decisive}
    decisive = effects.get(reason.because[0].words)
    if decisive is not None and explanation.rank == 0:
        pronoun = "it" if len(named) == 1 else f"“{clean(decisive.text)}”"
        said.append(("plain", f": without {pronoun}, {_instead(decisive)}"))
    return said


def _listed(segments: list[Segment]) -> list[Segment]:
    found: list[Segment] = []
    for at, segment in enumerate(segments):
        if at:
            found.append(("plain", " and " if at == len(segments) - 1 else ", "))
        found.append(segment)
    return found


def _decision(explanation: Explanation) -> list[Segment]:
    tried = len(explanation.removals)
    decisive = min(explanation.decisive, key=_weight, default=None)
    best = explanation.rank == 0
    if decisive is not None:
        result = "this would be the reading" if not best else _would_be(decisive)
        return [("plain", "Without "), ("quoted", clean(decisive.text)), ("plain", f", {result}.")]
    if best:
        return [("plain", f"Leaving out any one of {tried} words or phrases would not change it.")]
    return [("plain", f"Leaving out any one of {tried} words or phrases would not make it the reading.")]


def _weight(removal: Removal) -> tuple[int, float]:
    """Few words before many, then the one that changes most."""
    return len(removal.words), removal.probability


def _would_be(removal: Removal) -> str:
    if removal.reading is None:
        return "there would be no mathematics"
    return f"it would be {_instead(removal)}"


def _instead(removal: Removal) -> str:
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
    """The sentences, then the contributions to each node, the owner of each word, and the removals."""
    strong: Callable[[str], str] = lambda text: _terminal([("strong", text)], colour)  # noqa: E731
    lines = [_terminal(sentence, colour) for sentence in sentences(explanation)]
    lines += ["", strong(f"What contributed to it (total {explanation.score:.2f})"), *_carried(explanation)]
    if explanation.judgements:
        lines += ["", strong("What the answer and the whole expression added"), *_judged(explanation)]
    lines += ["", strong("The node that each word belongs to by the scores alone"), *_owned(explanation)]
    if explanation.removals:
        lines += ["", strong("With some words left out"), *_left_out(explanation)]
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


def _left_out(explanation: Explanation) -> Iterator[str]:
    telling = [one for one in explanation.removals if not one.wins or _weakens(one, explanation)]
    for removal in telling or explanation.removals[:1]:
        stays = "stays" if removal.wins else _would_be(removal)
        yield f'  "{clean(removal.text)}": {stays} ({100 * removal.probability:.0f} %)'


def _weakens(removal: Removal, explanation: Explanation) -> bool:
    """Whether the reading is clearly less likely without these words."""
    return removal.probability < explanation.reading.probability - LESS

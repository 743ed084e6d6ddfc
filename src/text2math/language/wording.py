"""Whether a problem reads like one that a teacher would hand out.

>>> from text2math.language.problem import read_problem
>>> reads_naturally(read_problem("Ann has 3 pens and buys 4 more. How many pens does she have?"))
True
>>> reads_naturally(read_problem("ann has 3 pens + 4 more. how many?"))
False
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from text2math.language.problem import Problem
from text2math.language.tokens import Token

LONGEST = 70  # words: more do not fit a sheet with room to write
_FINITE = ("VBB", "VBD", "VBZ", "VDB", "VDD", "VDZ", "VHB", "VHD", "VHZ", "VVB", "VVD", "VVZ", "VM0")
_SHORTHAND = re.compile(
    r"\bw/|\s[+&=]\s|\bu\b|\bpls\b|\bthx\b|…|\.\.\.|\bi\b|^(?:question|problem|exercise|q)\s*\d|\d\.0+\b|\*",
    re.IGNORECASE,
)
# Numbers that were drawn anew may not fit the world: the largest that does, for what stands around them.
_PLAUSIBLE = tuple(
    (re.compile(pattern, re.IGNORECASE), most)
    for pattern, most in (
        (r"(\d+) days (?:a|each|every|per) week", 7),
        (r"(\d+) hours (?:a|each|every|per) day", 24),
        (r"(\d+) months (?:a|each|every|per) year", 12),
        (r"(?:is|measures|was) (\d+) cm(?: tall)?\b(?= and [A-Z]|[.,]| tall)", 210),
        (r"walks? (?:at )?(\d+) (?:miles|km|kilomet(?:er|re)s) (?:an|per) hour", 7),
        (r"(\d+) years old", 110),
    )
)
_OPENINGS = re.compile(r"[A-Z\d\"“‘'$£€(]")


def reads_naturally(problem: Problem) -> bool:
    """Whole sentences, a question at the end, no shorthand, and no number that the world does not have."""
    text = problem.text.strip()
    if not text.endswith("?") or len(problem.tokens) > LONGEST or _shorthand(text):
        return False
    if any(int(found) > most for pattern, most in _PLAUSIBLE for found in pattern.findall(text)):
        return False
    sentences = [list(group) for _, group in groupby(problem.tokens, key=lambda token: token.sentence)]
    return all(map(_is_whole, sentences))


def _shorthand(text: str) -> bool:
    found = _SHORTHAND.search(text)
    return found is not None and found.group() != "I"


def _is_whole(sentence: Sequence[Token]) -> bool:
    """Whether a sentence begins as one, has a verb that can carry it, and does not leave its subject out."""
    words = [token for token in sentence if token.text[:1].isalnum()]
    if not words:
        return True
    starts_well = _OPENINGS.match(sentence[0].text) is not None
    asks = sentence[-1].text == "?"
    subjectless = not asks and words[0].pos in ("VVD", "VVN", "VVG", "VHD")
    # "If they washed 14 cars." is only half a sentence.
    halved = words[0].text == "If" and not asks and all(token.text != "," for token in sentence)
    return starts_well and not (subjectless or halved) and any(token.pos in _FINITE for token in words)

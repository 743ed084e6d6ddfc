"""Where the problem is within a text: after its number in a list and polite openings, before closing remarks.

What people write around a problem ("Please help me with this: …", "12.", "Thanks!") is not part of it. It is
removed only where it says nothing about the problem: no number and no question.

>>> text = "Hi! Can you solve this? 12. Dan grew 23 turnips and sold 4. How many are left? Thank you!"
>>> text[slice(*problem_bounds(text))]
'Dan grew 23 turnips and sold 4. How many are left?'
"""

from __future__ import annotations

import re

from text2math.language.numbers import NumberMatch, find_quantities

# What precedes an exercise in a list, or a pasted problem: "12.", "7)", "#4", "Problem 3:".
_NAMES = r"(?:(?:math|word) )?problem|question|exercise|example|task|puzzle|q|no|nr|solve(?: this)?"
_LABEL = re.compile(
    rf"(?:(?:{_NAMES})\s*:|(?:{_NAMES})\.?\s*#?\d{{1,3}}\s*[.:)]|#\d{{1,3}}[.:)]?|\(?(?:\d{{1,3}}|[a-z])\)|\d{{1,3}}\.)"
    r"\s+(?=\S)",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[\s\ufeff\u200b]+")
_WORDS = r"[^.!?:\d]{0,80}"
_ABOUT = r"(?:problems?|questions?|exercises?|homework|worksheet|puzzle|task|assignment|story|test|quiz)"
_OPENING = re.compile(
    rf"(?:"
    rf"(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening|day))(?: there| everyone| all)?\s*[,.!]"
    rf"|(?:(?:please|can|could|would|will) (?:you )?(?:please )?|kindly |i need |i(?:'m| am) stuck )"
    rf"{_WORDS}\b(?:{_ABOUT}|this|it|the following)\b{_WORDS}[.!?:]"
    rf"|(?:please )?(?:help|read|solve|answer|work out|try|consider|look at|here(?:'s|’s| is| are))\b"
    rf"{_WORDS}\b(?:{_ABOUT}|this(?: one)?|the following)\b{_WORDS}[.!?:]"
    rf"|(?:this is|i have) (?:a|an|my|the|our|one)\b{_WORDS}\b{_ABOUT}\b{_WORDS}[.!?:]"
    rf")\s+(?=\S)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"(?<=[.?!])\s+(?:"
    rf"(?:many )?(?:thank|thanks)\b{_WORDS}"
    rf"|(?:please )?(?:show|explain)\b{_WORDS}\b(?:work|working|answer|reasoning|steps|thinking)\b{_WORDS}"
    rf"|please (?:help|answer)\b{_WORDS}"
    rf"|i need (?:help|this)\b{_WORDS}"
    rf")[.!]*\s*\Z",
    re.IGNORECASE,
)
# A sentence from the writer to the reader about the problem ("I bet you can't do this."), where the rest is
# about others.
_PERSON = re.compile(r"\b(?:(?:i|we|you)(?:['’](?:m|re|ve|d|ll))?|me|my|us|our|your)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:you|your|this|following|answer|result|key|solution|explanation)\b", re.IGNORECASE)
_STATES = re.compile(  # words with which it may be a part of the problem
    r"\b(?:how|what|which|when|who|find|calculate|compute|determine|tell|give|name|state|write|work out|"
    r"solve|each|every|equal\w*|same|twice|half|double|triple|times|more|less|fewer|total|sum|all|both|some|number|"
    r"split|shar\w+|divid\w+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|pair|week|year|month|day)"
    r"s?\b",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r"[^.!?:\d]{0,120}[.!?:]\s+(?=\S)")
_LAST_SENTENCE = re.compile(r"(?<=[.?])\s+[^.!?:\d]{0,120}[.!]*\s*\Z")
_ASKS = re.compile(r"\bhow (?:many|much|far|long|old)\b", re.IGNORECASE)


def problem_bounds(text: str) -> tuple[int, int]:
    """The first character of the problem in a text, and the end of it."""
    begin = 0
    while (end := _skipped(text, begin)) > begin:
        begin = end
    closing = _CLOSING.search(text, begin)
    if closing is not None and not _ASKS.search(closing[0]):
        return begin, closing.start()
    last = _LAST_SENTENCE.search(text, begin)
    if last is not None and _is_address(last[0], text[begin : last.start()]):
        return begin, last.start()
    return begin, len(text)


def problem_quantities(
    text: str, bounds: tuple[int, int] | None = None, *, clock_times: bool = False
) -> list[NumberMatch]:
    """The quantities of the problem, without the numbers around it; ``bounds`` where they are known already.

    >>> [match.text for match in problem_quantities("Question 4. Ann has 3 pens.")]
    ['3']
    """
    begin, end = bounds or problem_bounds(text)
    found = find_quantities(text, clock_times=clock_times)
    return [match for match in found if begin <= match.start < end]


def _skipped(text: str, begin: int) -> int:
    """The end of what precedes the problem at this position, or the position itself."""
    blank = _BLANK.match(text, begin)
    start = blank.end() if blank else begin
    for pattern in (_LABEL, _OPENING):
        found = pattern.match(text, start)
        if found and not (pattern is _OPENING and _ASKS.search(found[0])):
            return found.end()
    first = _FIRST_SENTENCE.match(text, start)
    if first is not None and _is_address(first[0], text[first.end() :]):
        return first.end()
    return start if start < len(text) else begin


def _is_address(sentence: str, rest: str) -> bool:
    """Whether a sentence is addressed to the reader, and not a part of the problem in the rest of the text.

    >>> problem = "A shop sold 4 of 9 lamps. How many are left?"
    >>> _is_address("My answer was marked wrong.", problem), _is_address("We share them equally.", problem)
    (True, False)
    """
    addressed = _PERSON.search(sentence) and _POINTS.search(sentence)
    return bool(addressed) and not (_STATES.search(sentence) or _PERSON.search(rest))

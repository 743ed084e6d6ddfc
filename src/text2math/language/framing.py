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
MOST_SKIPPED = 12  # labels and remarks before a problem; each of them is compared with the rest of the text
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
# A remark of the writer to the reader, or about the problem itself: it has one of these words …
_REMARK = re.compile(
    r"\b(?:you(?:['’](?:re|ve|d|ll))?|u|your|let['’]?s|this|here|following|follows|below|"
    r"problems?|questions?|exercises?|homework|worksheet|puzzles?|riddles?|task|assignment|textbook|lesson|"
    r"math?s?|mathematics|arithmetic|sums|calculations?|answers?|key|solution|explanation|steps|"
    r"hi|hiya|hello|hey|yo|ok|okay|sorry|please|pls|plz|kindly|thanks|thank you|thx|help|assist|"
    r"solve|calculate|compute|work out|have a go)\b",
    re.IGNORECASE,
)
# … and none of these, with which it may be a part of the problem.
_STATES = re.compile(
    r"\b(?:(?:each|every|equal\w*|same|twice|half|double|triple|times|more|less|fewer|total|altogether|both|some|"
    r"sum of|average|difference|product|quotient|split|shar(?:e|es|ed|ing)|divid\w+|left|find|determine|name|"
    r"number|two|three|four|five|six|seven|eight|nine|ten|dozen|pair|percent|week|year|month)s?|days)\b",
    re.IGNORECASE,
)
_WRITER = re.compile(r"\b(?:(?:i|we|you)(?:['’](?:m|re|ve|d|ll))?|me|my|mine|us|ours?|your)\b", re.IGNORECASE)
_TO_THE_READER = re.compile(
    r"\b(?:you|your|this|following|answer|result|key|solution|explanation)\b", re.IGNORECASE
)
_INTERROGATIVE = re.compile(r"\b(?:how|what|which|when|who)\b", re.IGNORECASE)
_NAME = re.compile(r"[a-z,] (?!I\b)[A-Z][a-z]")  # a capital within a sentence
_WORD = re.compile(r"[a-z]{4,}", re.IGNORECASE)
_COMMON = re.compile(
    r"about|been|from|have|here|just|know|that|their|them|then|there|they|this|were|what|when|will|with"
)
_FIRST_SENTENCE = re.compile(r"[^.!?:\d]{0,120}?(?:[.!?:]+|\s[-–—])\s+(?=\S)")
# In a chat, nothing separates a call for help from the problem but its capital.
_CHAT = re.compile(
    r"(?:(?:hey|hi|hello|yo|ok|so|can|could|u|you|do|this|pls|plz|please|help|me|us|need|some|with|solve)\b[,!.]*\s+){1,7}"
    r"(?:me|us|guys|someone|somebody|anyone|anybody|this|pls|plz|please|fast|asap|thx|thanks)\b[,!.]*\s+"
    r"(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
_LAST_SENTENCE = re.compile(r"(?<=[.?])\s+[^.!?:\d]{0,120}[.!]*\s*\Z")
_ASKS = re.compile(r"\bhow (?:many|much|far|long|old)\b", re.IGNORECASE)


def problem_bounds(text: str) -> tuple[int, int]:
    """The first character of the problem in a text, and the end of it."""
    begin = 0
    for _ in range(MOST_SKIPPED):
        end = _skipped(text, begin)
        if end == begin:
            break
        begin = end
    closing = _CLOSING.search(text, begin)
    if closing is not None and not _ASKS.search(closing[0]):
        return begin, closing.start()
    last = _LAST_SENTENCE.search(text, begin)
    if last is not None and _is_last_remark(last[0], text[begin : last.start()]):
        return begin, last.start()
    return begin, len(text)


def problem_quantities(
    text: str,
    bounds: tuple[int, int] | None = None,
    *,
    clock_times: bool = False,
    lone_dozens: bool = True,
) -> list[NumberMatch]:
    """The quantities of the problem, without the numbers around it; ``bounds`` where they are known already.

    >>> [match.text for match in problem_quantities("Question 4. Ann has 3 pens.")]
    ['3']
    """
    begin, end = bounds or problem_bounds(text)
    found = find_quantities(text, clock_times=clock_times, lone_dozens=lone_dozens)
    return [match for match in found if begin <= match.start < end]


def _skipped(text: str, begin: int) -> int:
    """The end of what precedes the problem at this position, or the position itself."""
    blank = _BLANK.match(text, begin)
    start = blank.end() if blank else begin
    for pattern in (_LABEL, _OPENING, _CHAT):
        found = pattern.match(text, start)
        if found and (pattern is _LABEL or not _ASKS.search(found[0])):
            return found.end()
    first = _FIRST_SENTENCE.match(text, start)
    if first is not None and _is_remark(first[0], text[first.end() :]):
        return first.end()
    return start if start < len(text) else begin


def _is_remark(sentence: str, rest: str) -> bool:
    """Whether a sentence is the writer's remark, and not a part of the problem in the rest of the text.

    >>> problem = "A shop sold 4 of 9 lamps. How many are left?"
    >>> _is_remark("My answer was marked wrong.", problem), _is_remark("We share them equally.", problem)
    (True, False)
    """
    if not _REMARK.search(sentence) or _STATES.search(sentence) or _NAME.search(sentence):
        return False
    if _WRITER.search(rest):
        return False
    if _ASKS.search(sentence) or (_INTERROGATIVE.search(sentence) and "?" not in rest):
        return False
    return _words(sentence).isdisjoint(_words(rest))


def _is_last_remark(sentence: str, rest: str) -> bool:
    """The same of a last sentence, which may also say what is asked for: it has to speak of the writer."""
    return bool(_WRITER.search(sentence) and _TO_THE_READER.search(sentence)) and _is_remark(sentence, rest)


def _words(text: str) -> set[str]:
    """The words that may say what a text is about, by their beginnings."""
    words = (word.lower() for word in _WORD.findall(text))
    return {word[:5] for word in words if not _COMMON.fullmatch(word)}

"""Times of day: whether a text has them, whether it asks for one, and how an answer becomes one again.

In a text they are the minutes since midnight (see ``numbers.find_quantities``), so that "starts at 6:15 and
lasts 95 minutes" is 375 + 95.

>>> time_of_day(Fraction(375 + 95)), time_of_day(Fraction(18 * 60 + 15), halves=True)
('7:50', '6:15 pm')
"""

from __future__ import annotations

import re
from fractions import Fraction

from text2math.language.cleaning import cleaned
from text2math.language.numbers import DAY, Kind, find_numbers

# Most texts contain nothing like a time, which is found out faster than their numbers.
_MAY_BE_TIME = re.compile(
    r"\d:[0-5]\d\b|\d\s*[ap]\.?\s?m\b|\bo\W?\s?clock\b|\b(?:half|quarter) (?:past|to|after)\b", re.IGNORECASE
)
_HALVES = re.compile(r"\d\s*[ap]\.?\s?m\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what time|what hour|at which time|when (?:did|does|do|will|should|must|would|is|was|are)\b)",
    re.IGNORECASE,
)


def has_clock_times(text: str) -> bool:
    """Whether the text contains a time such as 6:15, 9 am or half past six.

    >>> has_clock_times("It starts at 6:15."), has_clock_times("The ratio is 6:15.")
    (True, False)
    """
    text = cleaned(text).text
    if _MAY_BE_TIME.search(text) is None:
        return False
    return any(match.kind is Kind.CLOCK for match in find_numbers(text))


def asks_for_time(text: str) -> bool:
    """Whether the text contains a time and asks for one.

    >>> asks_for_time("It starts at 6:15 and lasts 95 minutes. When does it end?")
    True
    >>> asks_for_time("It starts at 6:15 and ends at 7:50. How long is it?")
    False
    """
    return _ASKS.search(cleaned(text).text) is not None and has_clock_times(text)


def time_of_day(minutes: Fraction, *, halves: bool = False) -> str | None:
    """The time of day so many minutes after midnight, with "am" or "pm" if asked for; None if it is none.

    >>> time_of_day(Fraction(1441)), time_of_day(Fraction(5, 2)) is None
    ('0:01', True)
    """
    if minutes.denominator != 1 or not -DAY <= minutes < 3 * DAY:
        return None
    hour, minute = divmod(int(minutes) % DAY, 60)
    if not halves:
        return f"{hour}:{minute:02}"
    return f"{hour % 12 or 12}:{minute:02} {'pm' if hour >= 12 else 'am'}"


def answer_as_time(text: str, answer: Fraction) -> str | None:
    """The answer as a time of day, written as the text writes them, where the text asks for one.

    >>> answer_as_time("It starts at 6:15 pm and lasts 95 minutes. What time does it end?", Fraction(1190))
    '7:50 pm'
    """
    return time_as_in(text, answer) if asks_for_time(text) else None


def time_as_in(text: str, minutes: Fraction) -> str | None:
    """The time of day so many minutes after midnight, with "am" or "pm" if the text has them.

    >>> time_as_in("It starts at 6:15 pm.", Fraction(1190)), time_as_in("It starts at 6:15.", Fraction(375))
    ('7:50 pm', '6:15')
    """
    return time_of_day(minutes, halves=_HALVES.search(text) is not None)

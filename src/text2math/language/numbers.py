"""The number recogniser: every quantity of an English text, with its exact value and character span.

>>> [(match.text, str(match.value)) for match in find_quantities("twice 3,103.50 is 0.7% of two thirds")]
[('twice', '2'), ('3,103.50', '6207/2'), ('0.7%', '7/1000'), ('two thirds', '2/3')]

The text is cut into atoms (numerals, words, marks) by one regular expression without nested repetition, and a
reader walks over them once, so the work grows linearly with the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

MAX_DIGITS = 60
"""A longer row of digits is an identifier, not a quantity (and would be slow to convert)."""
MAX_EXPONENT = 30
"""A larger power of ten in scientific notation is not a quantity of any story."""


class Kind(StrEnum):
    """How a number is written; the last three are not quantities unless asked for."""

    DIGITS = "digits"
    FRACTION = "fraction"
    WORDS = "words"
    PERCENT = "percent"
    MONEY = "money"
    MULTIPLIER = "multiplier"
    ORDINAL = "ordinal"
    YEAR = "year"
    CLOCK = "clock"


NOT_QUANTITIES = frozenset({Kind.ORDINAL, Kind.YEAR, Kind.CLOCK})


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """A number found in a text: exact value, half-open character span, its words, and how it is written."""

    value: Fraction
    start: int
    end: int
    kind: Kind
    text: str


def find_quantities(
    text: str, *, ordinals: bool = False, clock_times: bool = False, lone_dozens: bool = True
) -> tuple[NumberMatch, ...]:
    """The quantities of the text in order; never overlapping. Ordinals and times of day only on request.

    >>> [match.text for match in find_quantities("In 2010 the first 5 men came at 4:30.")]
    ['5']
    >>> [match.text for match in find_quantities("the first 5 men", ordinals=True)]
    ['first', '5']

    A time of day is the minutes since midnight; without "am" or "pm", times go forward in the text. Noon and
    midnight are times where the text has others.

    >>> [int(match.value) for match in find_quantities("from 9:30 to 1:15", clock_times=True)]
    [570, 795]
    >>> [int(match.value) for match in find_quantities("from 9 am to half past six", clock_times=True)]
    [540, 1110]
    >>> [int(match.value) for match in find_quantities("from 10 am to noon", clock_times=True)]
    [600, 720]

    Years are dates, unless the text asks how far apart they are.

    >>> [match.text for match in find_quantities("It stood from 1890 to 1987. How many years was that?")]
    ['1890', '1987']

    Dozens are counted in a number. Without ``lone_dozens``, they are not if the text has no other number: who
    knows that a dozen is 12 then has to multiply.

    >>> [int(match.value) for match in find_quantities("4 dozen eggs")]
    [48]
    >>> [int(match.value) for match in find_quantities("How many eggs are 4 dozen?", lone_dozens=False)]
    [4]
    """
    unwanted = NOT_QUANTITIES - {Kind.ORDINAL} if ordinals else NOT_QUANTITIES
    if _ASKS_FOR_YEARS.search(text):
        unwanted -= {Kind.YEAR}
    if clock_times:
        unwanted -= {Kind.CLOCK}
    found = tuple(match for match in find_numbers(text) if match.kind not in unwanted)
    if not lone_dozens and len(found) == 1 and found[0].text.lower().endswith(_DOZENS):
        found = tuple(match for match in _numbers(_Reader(text, dozens=False)) if match.kind not in unwanted)
    return _going_forward(text, _without_lone_noon(found)) if clock_times else found


def _without_lone_noon(found: tuple[NumberMatch, ...]) -> tuple[NumberMatch, ...]:
    """The matches, without noon and midnight if the text has no other time of day."""
    others = tuple(match for match in found if match.text.lower() not in _NAMED_TIMES)
    return found if any(match.kind is Kind.CLOCK for match in others) else others


def _going_forward(text: str, found: tuple[NumberMatch, ...]) -> tuple[NumberMatch, ...]:
    """The matches with a time of day that lies before the one it follows put off by half a day or a day."""
    latest: Fraction | None = None
    result = []
    for match in found:
        if match.kind is Kind.CLOCK:
            told = _half_of_day(text, match.end) is not None or match.text.lower() in _NAMED_TIMES
            step = DAY if told else DAY // 2
            ends = _ENDS_AT.search(text[max(match.start - 40, 0) : match.start])
            next_day = ends is not None and _SAME_DAY.search(text, match.end) is None
            later = match.value < (latest or 0) and (not told or next_day)
            if later and match.value + step < 2 * DAY:
                match = replace(match, value=match.value + step)
            latest = match.value
        result.append(match)
    return tuple(result)


def find_numbers(text: str) -> tuple[NumberMatch, ...]:
    """Everything that is written as a number, the years, times of day and ordinals included.

    >>> [(match.text, match.kind.value) for match in find_numbers("In 2010 the first came at 4:30.")]
    [('2010', 'year'), ('first', 'ordinal'), ('4:30', 'clock')]
    """
    return _numbers(_Reader(text))


def _numbers(reader: _Reader) -> tuple[NumberMatch, ...]:
    found: list[NumberMatch] = []
    position = 0
    while position < len(reader.atoms):
        reading = reader.read(position)
        if reading is None:
            position += 1
            continue
        position = reading.next
        if reading.value is not None:
            start, end = reading.start, reader.atoms[reading.next - 1].end
            found.append(NumberMatch(reading.value, start, end, reading.kind, reader.text[start:end]))
    return tuple(found)


# --- Vocabulary ------------------------------------------------------------------------------------------


def vocabulary(line: str) -> tuple[str, ...]:
    """The words of a line, so that a list of words reads as one."""
    return tuple(line.split())


_SMALL_WORDS = vocabulary(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS_WORDS = vocabulary("twenty thirty forty fifty sixty seventy eighty ninety")
_BASIC = {word: value for value, word in enumerate(_SMALL_WORDS)}
_BASIC |= {word: 10 * value for value, word in enumerate(_TENS_WORDS, start=2)}
_BASIC["fourty"] = 40
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

_SMALL_ORDINALS = vocabulary(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_ORDINALS = {word: value for value, word in enumerate(_SMALL_ORDINALS, start=1)}
_ORDINALS |= {word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS_WORDS, start=2)}
_ORDINALS |= {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}

# "second" measures time and "first" nothing, so neither divides.
_DENOMINATORS = {word: value for word, value in _ORDINALS.items() if value > 2}
_PLURAL_DENOMINATORS = {word + "s": value for word, value in _DENOMINATORS.items()} | {"halves": 2}
_HALF_OR_QUARTER = {"half": 2, "quarter": 4, "quarters": 4}

_MULTIPLIERS = {"twice": 2, "thrice": 3}
_MULTIPLIERS |= dict.fromkeys(("double", "doubles", "doubled", "doubling"), 2)
_MULTIPLIERS |= dict.fromkeys(("triple", "triples", "tripled", "tripling", "treble"), 3)
_MULTIPLIERS |= dict.fromkeys(("quadruple", "quadruples", "quadrupled", "quadrupling"), 4)
_MULTIPLIERS |= dict.fromkeys(("quintuple", "quintupled"), 5)
_DOZENS = ("dozen", "dozens")
_ARTICLE_GROUPS = {"dozen": 12, "pair": 2}

_ONE_THING = frozenset(
    vocabulary("pants jeans shorts trousers tights leggings scissors glasses sunglasses goggles")
)

_ARTICLES = frozenset({"a", "an"})
_HYPHENS = frozenset("-\u2010\u2011")
_MINUSES = frozenset("-\u2212")
CURRENCIES = frozenset("$€£¥₹₱")
_CENTS = frozenset(("¢", "cent", "cents"))
_DOLLARS = frozenset(("$", "dollar", "dollars"))
_ASKING = frozenset(("?", "how", "what", "which", "find", "give", "calculate"))
_ORDINAL_SUFFIXES = frozenset({"st", "nd", "rd", "th", "rds", "ths"})

# After these, "one" is a pronoun: "the other one", "each one".
_PRONOUN_CUES = frozenset(vocabulary("each every this any no another other last next same only the"))
# Words that can follow a year, or a number that counts nothing; a noun there would be what is counted.
_FUNCTION_WORDS = frozenset(
    vocabulary(
        "a all also an and are as at be because but by can did do does each every find for from had has have "
        "he her his how i if in is it its less minus more my of on only or our plus she so some than that "
        "the their then there these they this those to was we were what when where which while who will with "
        "would you your"
    )
)
_MONTHS = frozenset(
    vocabulary(
        "january february march april may june july august september october november december "
        "jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)
_YEAR_CUES = frozenset(vocabulary("in since during year years spring summer autumn fall winter")) | _MONTHS
_YEARS = range(1500, 2101)
DAY = 24 * 60  # minutes
_HALF_OF_DAY = re.compile(r"\s*(?P<half>[ap])\.?\s?m\b", re.IGNORECASE)
# The first time of "3 to 5 pm".
_RANGE_IN_HALF_OF_DAY = re.compile(
    r"\s*(?:to|until|till|and|[-–])\s*(?P<end>\d{1,2})(?:[:.][0-5]\d)?\s*(?P<half>[ap])\.?\s?m\b",
    re.IGNORECASE,
)
# Before a time that comes after the one before, if need be on the next day.
_ENDS_AT = re.compile(
    r"\b(?:to|until|till)\s*$|[-–]\s*$|\b(?:and|then)(?: [a-z]+){1,3} at\s*$", re.IGNORECASE
)
_SAME_DAY = re.compile(r"\bsame (?:day|morning|afternoon|evening)\b", re.IGNORECASE)
_NAMED_TIMES = {"noon": DAY // 2, "midday": DAY // 2, "midnight": DAY}
_PARTS_OF_HOUR = {"half": 30, "quarter": 15}
# The words that a number or a time of day may begin with.
_FIRST_WORDS = frozenset((
    *_ARTICLES, *_NAMED_TIMES, *_PARTS_OF_HOUR, *_BASIC, *_MULTIPLIERS, *_ORDINALS, "dozen", "negative",
))  # fmt: skip
_ASKS_FOR_YEARS = re.compile(r"\bhow (?:many years|old)\b|\b(?:what|which) year\b", re.IGNORECASE)


# --- Atoms -----------------------------------------------------------------------------------------------

# A numeral (thousands grouped by commas, or plain; decimals; power of ten), a run of letters, or a mark. In
# "1,5" or "1,2345" the comma separates two numbers; ½ is a mark, though Unicode takes it for a letter.
_ATOM = re.compile(
    r"(?P<numeral>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d+(?![^\W_]))?"
    r"|(?<![\d.])\.\d+)"
    r"|(?P<word>(?:(?![¼-¾⅐-⅞])[^\W\d_])+)"
    r"|(?P<mark>\S)"
)


class _Atom(NamedTuple):
    """A numeral, word or mark; ``text`` is lower case."""

    kind: str
    text: str
    start: int
    end: int


class _Reading(NamedTuple):
    """What was read: no ``value`` where these atoms are no number at all; ``next`` is the atom after."""

    value: Fraction | None
    kind: Kind
    start: int
    next: int


class _Part(NamedTuple):
    """A fraction that was read, and the atom after it."""

    value: Fraction
    next: int


_NOTHING = _Atom("mark", "", -1, -1)


def _atoms(text: str) -> list[_Atom]:
    return [
        _Atom(match.lastgroup or "mark", match.group().lower(), match.start(), match.end())
        for match in _ATOM.finditer(text)
    ]


def _half_of_day(text: str, end: int) -> re.Match[str] | None:
    """The "am" or "pm" of a time of day that ends here: right after it, or at the end of a range."""
    return _HALF_OF_DAY.match(text, end) or _RANGE_IN_HALF_OF_DAY.match(text, end)


def _numeral_value(numeral: str) -> Fraction | None:
    """The exact value, or None where the numeral is too long to be a quantity.

    >>> _numeral_value("3,103.50"), _numeral_value("9" * 1000)
    (Fraction(6207, 2), None)
    """
    if len(numeral) > MAX_DIGITS:
        return None
    mantissa, _, exponent = numeral.partition("e")
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        return None
    whole, _, decimals = mantissa.replace(",", "").partition(".")
    value = Fraction(int(whole + decimals), 10 ** len(decimals)) if decimals else Fraction(int(whole))
    return value * Fraction(10) ** int(exponent) if exponent else value


# --- Reading ---------------------------------------------------------------------------------------------


class _Reader:
    """Reads one number at a given atom; every method looks only a bounded way around what it consumes.

    With ``dozens``, "4 dozen" is 48; else it is 4.
    """

    def __init__(self, text: str, *, dozens: bool = True) -> None:
        self.text, self.dozens = text, dozens
        self.atoms = _atoms(text)

    def atom(self, index: int) -> _Atom:
        return self.atoms[index] if 0 <= index < len(self.atoms) else _NOTHING

    def word(self, index: int) -> str:
        """The word at this atom, or nothing where the atom is not a word."""
        atom = self.atom(index)
        return atom.text if atom.kind == "word" else ""

    def glued(self, index: int) -> bool:
        """Whether there is no space between this atom and the previous one."""
        return 0 < index < len(self.atoms) and self.atoms[index - 1].end == self.atoms[index].start

    def hyphen(self, index: int) -> bool:
        """Whether this atom is a hyphen inside a compound such as ``twenty-five``."""
        atom = self.atom(index)
        return atom.text in _HYPHENS and self.glued(index) and self.glued(index + 1)

    def joined(self, index: int) -> int:
        """The atom that continues a compound at this one: itself, or the one after a hyphen."""
        return index + 1 if self.hyphen(index) else index

    def read(self, index: int) -> _Reading | None:
        """The number that begins at this atom, if one does."""
        atom = self.atoms[index]
        if atom.kind == "numeral":
            return self.read_numeral(index)
        if atom.kind == "word":
            return self.read_word(index)
        return self.read_mark(index)

    # Marks: signs, currencies, ½

    def read_mark(self, index: int) -> _Reading | None:
        mark = self.atoms[index].text
        if mark in _MINUSES or mark in CURRENCIES:
            return self.read_signed(index)
        if unicodedata.category(mark[0]) == "No":
            value = _vulgar_fraction(mark)
            return None if value is None else self.finish(index, index + 1, value, Kind.FRACTION)
        return None

    def read_signed(self, index: int) -> _Reading | None:
        """``-5``, ``$5``, ``-$5``, ``$-5``: at most one minus and one currency sign before a numeral."""
        negative, money, at = False, False, index
        while at < index + 2 and self.atom(at).kind == "mark":
            mark = self.atom(at).text
            if mark in CURRENCIES and not money:
                money = True
            elif mark in _MINUSES and not negative and self.is_sign(at):
                negative = True
            else:
                break
            at += 1
        if at == index or self.atom(at).kind != "numeral" or (negative and not self.glued(at)):
            return None
        reading = self.read_numeral(at)
        if reading is None or reading.value is None or reading.kind in NOT_QUANTITIES:
            return None
        kind = Kind.MONEY if money and reading.kind is not Kind.PERCENT else reading.kind
        value = -reading.value if negative else reading.value
        return _Reading(value, kind, self.atoms[index].start, reading.next)

    def is_sign(self, index: int) -> bool:
        """Whether this minus makes a number negative: ``is -5`` does, ``8 -5``, ``x -5``, ``3-5`` do not."""
        before = self.atom(index - 1)
        if before.kind == "numeral" or before.text in (")", "]", "%"):
            return False
        if before.kind == "word":
            return not self.glued(index) and (len(before.text) > 1 or before.text in ("a", "i"))
        return True

    # Numerals

    def read_numeral(self, index: int) -> _Reading | None:
        atom = self.atoms[index]
        if self.atom(index - 1).kind == "word" and self.glued(index):  # mp3, H2, x1
            return _Reading(None, Kind.DIGITS, atom.start, index + 1)
        value = _numeral_value(atom.text)
        if value is None:
            return _Reading(None, Kind.DIGITS, atom.start, index + 1)
        return (
            self.clock(index, value)
            or self.year(index, value)
            or self.numeric_ordinal(index, value)
            or self.numeric_fraction(index, value)
            or self.counted(index, value, index + 1, Kind.DIGITS)
        )

    def clock(self, index: int, value: Fraction) -> _Reading | None:
        """``4:30``, ``9 am``, ``7.30 pm``, ``8 o'clock``: a time of day."""
        atom = self.atoms[index]
        if self.is_digital_clock(index, value):
            minutes = self.atom(index + 2)
            return self.time_of_day(index, int(value), int(minutes.text), index + 3)
        if not 1 <= value < 13 or len(atom.text) > 5:
            return None
        if self.word(index + 1) == "o" and self.word(index + 3) == "clock":
            return self.time_of_day(index, int(value), 0, index + 1)
        if self.word(index + 1) in _NAMED_TIMES and value == 12:  # "12 noon"
            return _Reading(Fraction(_NAMED_TIMES[self.word(index + 1)]), Kind.CLOCK, atom.start, index + 2)
        hours, _, minutes_text = atom.text.partition(".")
        whole = not minutes_text or re.fullmatch(r"[0-5]\d", minutes_text) is not None
        if not whole or _half_of_day(self.text, atom.end) is None:
            return None
        return self.time_of_day(index, int(hours), int(minutes_text or 0), index + 1)

    def is_digital_clock(self, index: int, value: Fraction) -> bool:
        """``4:30`` is a time of day, unless the text says that it is a ratio."""
        return (
            self.atom(index + 1).text == ":"
            and self.glued(index + 1)
            and self.glued(index + 2)
            and re.fullmatch(r"[0-5]\d", self.atom(index + 2).text) is not None
            and len(self.atoms[index].text) <= 2
            and value < 25
            and not self.says_ratio(index)
        )

    def time_of_day(self, index: int, hours: int, minutes: int, after: int) -> _Reading:
        """The time that ends before the atom ``after``, in the half of the day that the text gives."""
        half = _half_of_day(self.text, self.atoms[after - 1].end)
        if half and hours <= 12:
            late = half["half"].lower() == "p"
            end = half.groupdict().get("end")
            if end is not None and hours % 12 > int(end) % 12:  # "11 to 2 pm"
                late = not late
            hours = hours % 12 + 12 * late
        return _Reading(Fraction(60 * hours + minutes), Kind.CLOCK, self.atoms[index].start, after)

    def time_in_words(self, index: int) -> _Reading | None:
        """``half past six``, ``quarter to 9``, ``seven o'clock``, ``noon``."""
        word, following = self.word(index), self.word(index + 1)
        if word in _NAMED_TIMES:
            return _Reading(Fraction(_NAMED_TIMES[word]), Kind.CLOCK, self.atoms[index].start, index + 1)
        if following == "o" and self.word(index + 3) == "clock" and 1 <= _BASIC.get(word, 0) <= 12:
            return self.time_of_day(index, _BASIC[word], 0, index + 1)
        past = following in ("past", "after")
        if word not in _PARTS_OF_HOUR or not (past or (following == "to" and word == "quarter")):
            return None
        hour = self.hour(index + 2)
        if hour is None:
            return None
        minutes = _PARTS_OF_HOUR[word] if past else -_PARTS_OF_HOUR[word]
        return self.time_of_day(index, hour, minutes, index + 3)

    def hour(self, index: int) -> int | None:
        """The hour at this atom, as a numeral or a word, if nothing is counted with it."""
        atom, after = self.atom(index), self.atom(index + 1)
        hour = int(atom.text) if re.fullmatch(r"\d{1,2}", atom.text) else _BASIC.get(self.word(index), 0)
        free = after.kind != "word" or after.text in _FUNCTION_WORDS
        return hour if 1 <= hour <= 12 and (free or _half_of_day(self.text, atom.end)) else None

    def says_ratio(self, index: int) -> bool:
        around = {self.word(at) for at in (*range(index - 3, index), *range(index + 3, index + 6))}
        return self.is_about_ratios or bool(around & {"proportion", "odds", "scale"})

    @cached_property
    def is_about_ratios(self) -> bool:
        return any(atom.text in ("ratio", "ratios") for atom in self.atoms)

    def year(self, index: int, value: Fraction) -> _Reading | None:
        """A plain four-digit number after "in", "since", a month …, that counts nothing."""
        atom = self.atoms[index]
        if len(atom.text) != 4 or value.denominator != 1 or int(value) not in _YEARS:
            return None
        if self.word(index + 1) == "s" and self.glued(index + 1):
            return _Reading(value, Kind.YEAR, atom.start, index + 2)
        before = index - 2 if self.atom(index - 1).text == "," else index - 1
        before -= self.atom(before).kind == "numeral" and self.word(before - 1) in _MONTHS
        after = self.atom(index + 1)
        counts = after.text in "%/" if after.kind == "mark" else after.text not in _FUNCTION_WORDS
        if after is not _NOTHING and counts:
            return None
        return _Reading(value, Kind.YEAR, atom.start, index + 1) if self.word(before) in _YEAR_CUES else None

    def numeric_ordinal(self, index: int, value: Fraction) -> _Reading | None:
        if not (self.glued(index + 1) and self.word(index + 1) in _ORDINAL_SUFFIXES):
            return None
        return _Reading(value, Kind.ORDINAL, self.atoms[index].start, index + 2)

    def numeric_fraction(self, index: int, value: Fraction) -> _Reading | None:
        """``1/2``, ``1 / 2``, ``3 1/2`` and ``3½``."""
        plain = self.slash_fraction(index)
        if plain is not None:
            return self.finish(index, plain.next, plain.value, Kind.FRACTION)
        if value.denominator != 1:
            return None
        mark = self.atom(index + 1)
        vulgar = _vulgar_fraction(mark.text) if mark.kind == "mark" else None
        if vulgar is not None and vulgar < 1:
            return self.finish(index, index + 2, value + vulgar, Kind.FRACTION)
        part = self.slash_fraction(index + 1) if mark.kind == "numeral" else None
        if part is None or part.value >= 1:
            return None
        return self.finish(index, part.next, value + part.value, Kind.FRACTION)

    def slash_fraction(self, index: int) -> _Part | None:
        """Two whole numerals around one slash; ``3/4/2010`` is a date, ``5/0`` no number."""
        above, slash, below = (self.atom(index + offset) for offset in range(3))
        spaced = (self.glued(index + 1), self.glued(index + 2))
        if slash.text != "/" or below.kind != "numeral" or spaced[0] != spaced[1]:
            return None
        if not (_is_whole(above.text) and _is_whole(below.text)) or int(below.text) == 0:
            return None
        after = index + 3
        if self.atom(index - 1).text == "/" or (self.atom(after).text == "/" and self.glued(after)):
            return None
        after += self.glued(after) and self.word(after) in _ORDINAL_SUFFIXES
        return _Part(Fraction(int(above.text), int(below.text)), after)

    # Words

    def read_word(self, index: int) -> _Reading | None:
        word = self.atoms[index].text
        if word not in _FIRST_WORDS or (self.glued(index) and self.atom(index - 1).kind == "numeral"):
            return None
        if word in _ARTICLES:
            return self.after_article(index)
        time = self.time_in_words(index)
        if time is not None:
            return time
        if word in _BASIC:
            return self.read_cardinal(index)
        if word == "half":
            return self.read_half(index)
        if word in _MULTIPLIERS:
            compound = self.hyphen(index + 1) and word.startswith(("double", "triple"))
            return (
                None
                if compound
                else self.finish(index, index + 1, Fraction(_MULTIPLIERS[word]), Kind.MULTIPLIER)
            )
        if word in _ARTICLE_GROUPS and self.word(index - 1) == "the":
            return None
        if word == "dozen":
            return self.bare_dozen(index)
        if word == "negative":
            return self.negative(index)
        return self.word_ordinal(index) if word in _ORDINALS else None

    def negative(self, index: int) -> _Reading | None:
        """``negative five`` is -5; ``a negative number`` is not a quantity."""
        following = self.atom(index + 1)
        if following.kind != "numeral" and following.text not in _BASIC:
            return None
        reading = self.read(index + 1)
        if reading is None or reading.value is None or reading.kind in NOT_QUANTITIES:
            return None
        return reading._replace(value=-reading.value, start=self.atoms[index].start)

    def bare_dozen(self, index: int) -> _Reading | None:
        """``per dozen``, ``each dozen`` count twelve; ``how many dozen``, ``several dozen`` count nothing."""
        if self.word(index - 1) not in ("per", "each", "every", "by"):
            return None
        return self.finish(index, index + 1, Fraction(12), Kind.MULTIPLIER)

    def read_cardinal(self, index: int) -> _Reading | None:
        value, after = self.cardinal(index)
        if after == index + 1 and self.is_name_of_digit(index):
            return None
        if value == 1 and after == index + 1 and self.is_pronoun(index):
            return None
        return self.counted(index, Fraction(value), after, Kind.WORDS)

    def is_name_of_digit(self, index: int) -> bool:
        """``the ten's digit``: a place, not a number."""
        return (
            self.atom(index + 1).text in ("'", "’") and self.word(index + 2) == "s" and self.glued(index + 1)
        )

    def is_pronoun(self, index: int) -> bool:
        """Whether ``one`` is a pronoun: "the other one", "the larger one", "the second one"."""
        before, earlier = self.word(index - 1), self.word(index - 2)
        if self.word(index + 1) in ("more", "less", "fewer") or self.hyphen(index + 1):
            return False
        if before in ("only", "rest") and self.word_fraction(Fraction(1), index + 1):
            return False  # "only one third", "of the rest one half"
        return (
            before in _PRONOUN_CUES
            or before in _ORDINALS
            or (before.endswith(("er", "est")) and earlier in ("the", "a", "an"))
        )

    def cardinal(self, index: int) -> tuple[int, int]:
        """The longest number in words from here ("two hundred and five"), and the atom after it.

        ``group`` is the number below the last of thousand, million …; the next word must be below ``room``.
        """
        total, group, room, scale, at = 0, 0, 10**3, 10**15, index
        seen_hundred, after = False, index
        while True:
            word = self.word(at)
            if word in _BASIC and _BASIC[word] < room and (at == index or _BASIC[word]):
                group += _BASIC[word]
                room = 10 if _BASIC[word] >= 20 else 0
            elif word == "hundred" and group and group < 100 and not seen_hundred:
                group, room, seen_hundred = 100 * group, 100, True
            elif word in _SCALES and group and _SCALES[word] < scale:
                scale = _SCALES[word]
                total, group, room, seen_hundred = total + group * scale, 0, 10**3, False
            else:
                return total + group, after
            after = at + 1
            at = self.next_of_cardinal(after)

    def next_of_cardinal(self, after: int) -> int:
        """Where a number in words may go on: here, past a hyphen, or past the "and" of "hundred and five"."""
        after_scale = self.word(after - 1) == "hundred" or self.word(after - 1) in _SCALES
        if after_scale and self.word(after) == "and" and self.word(after + 1) in _BASIC:
            # "one hundred and two hundred" are two numbers.
            return after if self.word(after + 2) in ("hundred", *_SCALES) else after + 1
        return self.joined(after)

    def after_article(self, index: int) -> _Reading | None:
        """``a hundred``, ``a dozen``, ``a pair``, ``a couple of``, ``a half``, ``a third of``."""
        word, following = self.word(index + 1), self.word(index + 2)
        if word == "hundred" or word in _SCALES:
            return self.article_scale(index)
        if word in _ARTICLE_GROUPS and not self.one_thing(index + 2):
            return self.finish(index, index + 2, Fraction(_ARTICLE_GROUPS[word]), Kind.MULTIPLIER)
        if word == "couple" and following == "of":
            return self.finish(index, index + 2, Fraction(2), Kind.MULTIPLIER)
        if word == "half":
            half = self.read_half(index + 1)
            return half and half._replace(start=self.atoms[index].start)
        denominator = _DENOMINATORS.get(word) or _HALF_OR_QUARTER.get(word)
        if denominator and following in ("of", "as", "the", "more", "less", "greater"):
            return self.finish(index, index + 2, Fraction(1, denominator), Kind.FRACTION)
        return None

    def one_thing(self, index: int) -> bool:
        """``of pants``, ``of blue jeans``: a pair of them is one thing."""
        return self.word(index) == "of" and any(self.word(index + at) in _ONE_THING for at in (1, 2))

    def article_scale(self, index: int) -> _Reading:
        """``a hundred and five``, ``a thousand``: the article counts one."""
        value = 100 if self.word(index + 1) == "hundred" else _SCALES[self.word(index + 1)]
        after = index + 2
        at = self.next_of_cardinal(after)
        if value == 100 and self.word(at) in _SCALES:
            return self.counted(index, Fraction(100 * _SCALES[self.word(at)]), at + 1, Kind.WORDS)
        if self.word(at) in _BASIC:
            rest, end = self.cardinal(at)
            if 0 < rest < value:
                return self.counted(index, Fraction(value + rest), end, Kind.WORDS)
        return self.counted(index, Fraction(value), after, Kind.WORDS)

    def read_half(self, index: int) -> _Reading | None:
        """``half``, ``half a dozen``; not ``the second half`` of a game."""
        if self.word(index - 1) in _ORDINALS or self.word(index - 1) == "other":
            return None
        at = index + 1 + (self.word(index + 1) in _ARTICLES)
        if self.word(at) == "dozen":
            return self.finish(index, at + 1, Fraction(6), Kind.MULTIPLIER)
        return self.finish(index, index + 1, Fraction(1, 2), Kind.FRACTION)

    def word_ordinal(self, index: int) -> _Reading | None:
        """``first``, ``third``; a ``second`` after "per" or "each" is a time."""
        word = self.atoms[index].text
        if word == "second" and self.word(index - 1) in ("per", "each", "every"):
            return None
        return _Reading(Fraction(_ORDINALS[word]), Kind.ORDINAL, self.atoms[index].start, index + 1)

    # What may follow a number: thirds, millions, dozens, "and a half", percent

    def counted(self, index: int, value: Fraction, after: int, kind: Kind) -> _Reading:
        """Complete a number that began at ``index`` and is ``value`` so far."""
        word = self.word(after)
        if kind is Kind.DIGITS and (word == "hundred" or word in _SCALES):
            value, after = value * (100 if word == "hundred" else _SCALES[word]), after + 1
        elif kind is Kind.WORDS:
            compound = self.compound_ordinal(index, value, after)
            if compound is not None:
                return compound
            part = self.word_fraction(value, after)
            if part is not None:
                return self.finish(index, part.next, part.value, Kind.FRACTION)
        part = self.and_a_half(after)
        if part is not None:
            value, after, kind = value + part.value, part.next, Kind.FRACTION
        if self.dozens and self.word(self.joined(after)) in _DOZENS:
            value, after = 12 * value, self.joined(after) + 1
        return self.finish(index, after, value, kind)

    def compound_ordinal(self, index: int, value: Fraction, after: int) -> _Reading | None:
        """``twenty-first`` is an ordinal."""
        unit = _ORDINALS.get(self.word(self.joined(after)), 10)
        if unit >= 10 or value % 10 or value % 100 == 10 or value % 100 == 0 or not self.hyphen(after):
            return None
        return _Reading(value + unit, Kind.ORDINAL, self.atoms[index].start, self.joined(after) + 1)

    def word_fraction(self, value: Fraction, after: int) -> _Part | None:
        """The thirds of ``two thirds``: plural, or hyphenated, or after "one"."""
        at = self.joined(after)
        word = self.word(at)
        if word in ("quarter", "quarters"):  # unless they are coins
            sure = at > after or self.word(at + 1) in ("of", "as", "the") or self.word(after - 2) == "and"
            return _Part(value / 4, at + 1) if sure else None
        if word == "half":
            return _Part(value / 2, at + 1) if value == 1 else None
        denominator = _PLURAL_DENOMINATORS.get(word)
        if denominator is None and (at > after or value == 1):
            denominator = _DENOMINATORS.get(word)
        return _Part(value / denominator, at + 1) if denominator else None

    def and_a_half(self, after: int) -> _Part | None:
        """``and a half``, ``and one third hours``, ``and 1/2 cups``: a fraction below one that is added."""
        if self.word(after) != "and":
            return None
        if self.word(after + 1) in _ARTICLES:
            denominator = {"half": 2, "quarter": 4, "third": 3}.get(self.word(after + 2))
            sure = self.word(after + 3) not in ("of", "the")
            return _Part(Fraction(1, denominator), after + 3) if denominator and sure else None
        part = self.slash_fraction(after + 1) if self.atom(after + 1).kind == "numeral" else None
        if part is None and self.word(after + 1) in _BASIC:
            value, at = self.cardinal(after + 1)
            part = self.word_fraction(Fraction(value), at)
        # "the sum of 2 and 1/2 is" has two numbers; only a counted noun makes one of them.
        noun = self.word(part.next) if part is not None else ""
        return part if part is not None and part.value < 1 and noun and noun not in _FUNCTION_WORDS else None

    def finish(self, index: int, after: int, value: Fraction, kind: Kind) -> _Reading:
        """Close a number: take a percent or cent sign that follows into it."""
        start = self.atoms[index].start
        end = self.percent(after)
        if end > after:
            return _Reading(value / 100, Kind.PERCENT, start, end)
        if self.atom(self.joined(after)).text in _CENTS:
            value = value / 100 if self.counts_dollars else value
            sign = self.atom(after).text == "¢"
            return _Reading(value, Kind.MONEY if sign else kind, start, after + sign)
        return _Reading(value, kind, start, after)

    @cached_property
    def counts_dollars(self) -> bool:
        """Whether cents are parts of a dollar here: beside dollars, or in a statement ("up 60 cents").

        A question about cents alone is answered in cents.
        """
        words = {atom.text for atom in self.atoms}
        return not words.isdisjoint(_DOLLARS) or words.isdisjoint(_ASKING)

    def percent(self, after: int) -> int:
        """The atom after a percent sign here; this atom where there is none."""
        at = self.joined(after)
        if self.atom(after).text in ("%", "％"):
            return after + 1
        if self.word(at) in ("percent", "pct"):
            return at + 1
        return at + 2 if self.word(at) == "per" and self.word(at + 1) == "cent" else after


def _is_whole(numeral: str) -> bool:
    return numeral.isdecimal() and len(numeral) <= MAX_DIGITS


def _vulgar_fraction(mark: str) -> Fraction | None:
    """The value of a single character such as ½; None for any other (superscripts, circled numbers …).

    >>> _vulgar_fraction("¾")
    Fraction(3, 4)
    """
    if len(mark) != 1 or "FRACTION" not in unicodedata.name(mark, ""):
        return None
    value = unicodedata.numeric(mark, None)
    return None if value is None else Fraction(value).limit_denominator(1000)

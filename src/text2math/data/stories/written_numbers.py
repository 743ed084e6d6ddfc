"""Numbers as people write them: in digits, with or without separators, in words, as percentages or times.

>>> WrittenNumber("1,250", Fraction(1250)).written(Fraction(980))
'980'
>>> WrittenNumber("Twelve", Fraction(12)).written(Fraction(15))
'Fifteen'
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction

from text2math.language.numbers import DAY

_ONES, _TENS = (
    tuple(names.split())
    for names in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen",
        "_ _ twenty thirty forty fifty sixty seventy eighty ninety",
    )
)
_SCALED = re.compile(r"([\d.,]+)( ?%| percent| per cent| cents?| million| billion)")
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?:(\s?)([ap])(\.?m\.?))?", re.IGNORECASE)
_HALF_DAY = DAY // 2
_WHOLE_HOURS = 0.25  # of the redrawn times of day
_SHIFT = 90  # by how many minutes a redrawn time of day may be earlier or later
_SCALES = {"million": Fraction(10**6), "billion": Fraction(10**9)}  # the others are hundredths
_DENOMINATORS = (1, 2, 4, 5, 10, 20, 25, 50, 100, 1000)  # of numbers that are redrawn


def in_words(value: int) -> str:
    """A whole number below a million in words.

    >>> in_words(12), in_words(85), in_words(342)
    ('twelve', 'eighty-five', 'three hundred forty-two')
    """
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{_ONES[value // 100]} hundred" + (f" {in_words(value % 100)}" if value % 100 else "")
    return f"{in_words(value // 1000)} thousand" + (f" {in_words(value % 1000)}" if value % 1000 else "")


def in_digits(value: Fraction, separator: bool = True) -> str:
    """A number in digits: whole, a decimal if that is finite, else a fraction.

    >>> in_digits(Fraction(12500)), in_digits(Fraction(7, 2)), in_digits(Fraction(2, 3))
    ('12,500', '3.5', '2/3')
    """
    if value.denominator == 1:
        return f"{value.numerator:,}" if separator else str(value.numerator)
    scaled, places = value, 0
    while scaled.denominator != 1 and places < 6:
        scaled, places = scaled * 10, places + 1
    if scaled.denominator == 1:
        digits = f"{abs(scaled.numerator):0{places + 1}d}"
        return ("-" if value < 0 else "") + f"{int(digits[:-places]):,}.{digits[-places:]}"
    whole, rest = divmod(value.numerator, value.denominator)
    return f"{whole} {rest}/{value.denominator}" if whole else f"{rest}/{value.denominator}"


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as somebody wrote it: in digits, with or without separators, or in words."""

    text: str
    value: Fraction

    def again(self, rng: random.Random) -> Fraction:
        """A random number of about the same size and roundness."""
        if self.is_time:
            return self._another_time(rng)
        if scaled := _SCALED.fullmatch(self.text):
            scale = _scale(scaled[2])
            again = WrittenNumber(scaled[1], self.value / scale).again(rng) * scale
            return again if (again < 1) == (self.value < 1) else self.value
        if self.is_fixed:
            return self.value
        unit = self._unit
        units, parts = (self.value / unit).as_integer_ratio()
        low, high = -(-units // (2 * parts)), 17 * units // (10 * parts)
        drawn = rng.randint(low, max(high, units // parts + 3))
        least = 2 if self.value.denominator == 1 else 1
        return max(drawn * unit, unit * least)

    @property
    def is_time(self) -> bool:
        """Whether it is a time of day, such as "6:15 pm"; its value is the minutes after midnight."""
        return ":" in self.text and _TIME.fullmatch(self.text) is not None

    def _another_time(self, rng: random.Random) -> Fraction:
        """Another time in the same half of the day, a multiple of five minutes if this one is."""
        unit = 5 if self.value % 5 == 0 else 1
        drawn = self.value + unit * rng.randint(-_SHIFT // unit, _SHIFT // unit)
        if unit == 5 and rng.random() < _WHOLE_HOURS:
            drawn = Fraction(round(drawn / 60) * 60)
        begin = self.value // _HALF_DAY * _HALF_DAY
        return max(Fraction(begin + unit), min(drawn, Fraction(begin + _HALF_DAY - unit)))

    @property
    def is_fixed(self) -> bool:
        """Whether it can't be redrawn: 1, a fraction, a negative number, or a word such as "twice"."""
        digits = self.text[0].isdigit()
        return (
            self.value == 1
            or self.value < 0
            or self.value.denominator not in _DENOMINATORS
            or "/" in self.text
            or not (
                digits or (self.value.denominator == 1 and in_words(int(self.value)) == self.text.lower())
            )
        )

    @property
    def _unit(self) -> Fraction:
        """The power of ten that the number appears to be a multiple of."""
        whole, _, part = self.text.replace(",", "").partition(".")
        if part:
            return Fraction(1, 10 ** len(part.rstrip("0") or part[:1]))
        if not whole.isdigit() or len(whole) == len(whole.rstrip("0")) or self.value < 100:
            return Fraction(1)
        return Fraction(10 ** min(3, len(whole) - len(whole.rstrip("0"))))

    def written(self, number: Fraction) -> str:
        """Another number, written the same way."""
        if number == self.value:
            return self.text
        if self.is_time:
            return self._time(int(number))
        if scaled := _SCALED.fullmatch(self.text):
            scale = _scale(scaled[2])
            return WrittenNumber(scaled[1], self.value / scale).written(number / scale) + scaled[2]
        if not self.text[0].isdigit():
            found = in_words(int(number)) if number < 10**6 else in_digits(number)
            return found.capitalize() if self.text[0].isupper() else found
        _, point, part = self.text.partition(".")
        if point:
            return f"{float(number):,.{len(part)}f}"
        return in_digits(number, "," in self.text or self.value < 1000)

    def _time(self, minutes: int) -> str:
        own = _TIME.fullmatch(self.text)
        assert own is not None
        hour, minute = divmod(minutes % DAY, 60)
        if own[4]:
            half = "ap"[hour >= 12]
            half = half.upper() if own[4].isupper() else half
            if minute == 0:  # "9 am"
                return f"{hour % 12 or 12}{own[3]}{half}{own[5]}"
            return f"{hour % 12 or 12}:{minute:02}{own[3]}{half}{own[5]}"
        if int(own[1]) != self.value // 60 % 24:  # 1:15 in the afternoon
            hour = hour % 12 or 12
        return f"{hour:02}:{minute:02}" if own[1].startswith("0") else f"{hour}:{minute:02}"

    def can_be(self, number: Fraction) -> bool:
        """Whether another number can be written exactly in the same way; 1 can't, because of plural nouns.

        >>> [WrittenNumber(text, Fraction(text)).can_be(Fraction(5, 2)) for text in ("12", "1.5")]
        [False, True]
        >>> [WrittenNumber(text, Fraction(text)).can_be(Fraction(1)) for text in ("12", "1")]
        [False, True]
        """
        if number <= 0 or (number == 1 and self.value != 1 and self.value.denominator == 1):
            return False
        if scaled := _SCALED.fullmatch(self.text):
            scale = _scale(scaled[2])
            return WrittenNumber(scaled[1], self.value / scale).can_be(number / scale)
        decimals = len(self.text.partition(".")[2]) if self.text[0].isdigit() else 0
        return number == self.value or (number * 10**decimals).denominator == 1


def _scale(name: str) -> Fraction:
    """The factor of a word or sign after a number: "%", "cents", "million"."""
    return _SCALES.get(name.strip(), Fraction(1, 100))

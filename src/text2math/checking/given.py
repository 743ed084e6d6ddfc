"""An answer as somebody gave it, and whether it says the same as another: compared as people mean it.

>>> [agrees(Fraction(1, 2), read_given(text)) for text in ("0.5", "1/2", "half", "2")]
[True, True, True, False]
>>> agrees(Fraction(155), read_given("1.55 m"), Unit("cm", "cm"))
True
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations

from text2math.language.answers import NO_UNIT, Unit
from text2math.language.formulas import written_mathematics
from text2math.language.knowledge import Knowledge
from text2math.language.numbers import DAY, Kind, NumberMatch, find_quantities
from text2math.language.problem import read_problem
from text2math.language.units import CURRENCY_UNITS
from text2math.mathematics.algebra import equivalent, evaluate, solution
from text2math.mathematics.expression import Expression, sort_of
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import NotationError, from_infix

MAX_GIVEN = 2_000  # characters of a given answer
MAX_VALUES = 6  # numbers of a given answer
_RATIO = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?::|to)\s*(\d+(?:\.\d+)?)\s*")
_NAMED = re.compile(r"[A-Za-z]\w*\s*=\s*(?=[-−$€£\d.])")  # "x = 5": the value counts, not the name


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A number of a given answer: its value, the unit behind it, and how many decimals it was given with."""

    value: Fraction
    unit: str = ""
    decimals: int = 0
    percent: bool = False


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What was given: numbers, or an equation; neither if it can't be read."""

    text: str
    values: tuple[GivenValue, ...] = ()
    equation: Expression | None = None
    clock: Fraction | None = None  # minutes since midnight


def read_given(text: str) -> GivenAnswer:
    """An answer out of its text.

    >>> [str(one.value) for one in read_given("Tim is 12, Sara is 24").values]
    ['12', '24']
    >>> read_given("x + 5 = 12").equation is None, read_given("no idea").values
    (False, ())
    """
    text = text.strip()
    if not text or len(text) > MAX_GIVEN:
        return GivenAnswer(text)
    written = _mathematics(text)
    if written is not None and sort_of(written) is not Sort.VALUE:
        return GivenAnswer(text, equation=written)
    if written is not None and (value := evaluate(written)) is not None and not find_quantities(text)[1:]:
        return GivenAnswer(text, (GivenValue(value),))
    if ratio := _RATIO.fullmatch(text):
        bottom = Fraction(ratio[2])
        clock = [match for match in find_quantities(text, clock_times=True) if ":" in match.text]
        quotient = (GivenValue(Fraction(ratio[1]) / bottom),) if bottom else ()
        return GivenAnswer(text, quotient, clock=clock[0].value if clock else None)
    times = [match for match in find_quantities(text, clock_times=True) if match.kind is Kind.CLOCK]
    if times:
        return GivenAnswer(text, clock=times[0].value)
    if written is not None and (value := evaluate(written)) is not None:
        return GivenAnswer(text, (GivenValue(value),))
    return GivenAnswer(text, tuple(_values(_NAMED.sub("", text)))[:MAX_VALUES])


def _mathematics(text: str) -> Expression | None:
    """An equation or a computation, where the whole text is one; several equations are a system."""
    if _NAMED.match(text) and text.count("=") == 1:
        return None
    found = written_mathematics(read_problem(text))
    if found is None and "=" in text:
        try:
            found = from_infix(text.replace(" and ", "; "))
        except (NotationError, ValueError):
            return None
    return found


def _values(text: str) -> Iterator[GivenValue]:
    problem = read_problem(text)
    quantities = {quantity.start: quantity for quantity in problem.quantities}
    for match in find_quantities(text):
        quantity = quantities.get(match.start)
        unit = "" if quantity is None else quantity.unit
        decimals = match.text.rpartition(".")[2] if "." in match.text else ""
        percent = "%" in text[match.start : match.end + 2]
        if unit == "cent" and not match.text.startswith(str(match.value)):
            unit = "dollar"  # "350 cents" is read as 3.5, in dollars
        yield GivenValue(match.value, _named_unit(text, match) or unit, len(decimals), percent)


def _named_unit(text: str, match: NumberMatch) -> str:
    """An abbreviation directly after the number, such as the cm of 155cm."""
    behind = re.match(r"\s*([A-Za-z]{1,3})\b", text[match.end :])
    return behind[1].lower() if behind and behind[1].lower() in _canonical_units() else ""


# Comparing ------------------------------------------------------------------------------------------------


def agrees(expected: Fraction, given: GivenAnswer, unit: Unit = NO_UNIT, clock: bool = False) -> bool:
    """Whether an answer that was given is this value, in this unit or one that converts into it."""
    if clock and given.clock is not None:
        return (given.clock - expected) % (DAY // 2) == 0
    if len(given.values) == 1:
        return same_value(expected, given.values[0], unit)
    return _sum_in(unit, given.values) == expected


def _sum_in(unit: Unit, values: Sequence[GivenValue]) -> Fraction | None:
    """ "1 m 55 cm" in one unit; None if the units of the parts don't convert."""
    goal = _lemma_of(unit)
    factors = [conversion(one.unit, goal) for one in values]
    if not values or not all(one.unit in _canonical_units() for one in values) or None in factors:
        return None
    return sum(
        (one.value * factor for one, factor in zip(values, factors, strict=True) if factor), Fraction()
    )


def agrees_with_all(expected: Sequence[Fraction], given: GivenAnswer) -> bool:
    """Whether several values were given, in any order.

    >>> agrees_with_all([Fraction(12), Fraction(18)], read_given("18 and 12"))
    True
    """
    if len(given.values) != len(expected):
        return False
    return any(all(map(same_value, order, given.values)) for order in permutations(expected))


def agrees_with_equation(expected: Expression, given: GivenAnswer) -> bool:
    """Whether an equation was given that says the same, or the values that solve it."""
    if given.equation is not None:
        return equivalent(given.equation, expected)
    points = solution(expected).points
    return any(agrees_with_all(point, given) for point in points)


def same_value(expected: Fraction, given: GivenValue, unit: Unit = NO_UNIT) -> bool:
    """Whether one number is the other: exactly, rounded to the decimals given, or in another unit."""
    if unit.sign == "%":
        return _equal(expected if given.percent else 100 * expected, given) or _equal(expected, given)
    factor = conversion(given.unit, _lemma_of(unit)) if unit.name else Fraction(1)
    return factor is not None and _equal(expected / factor, given)


def _equal(expected: Fraction, given: GivenValue) -> bool:
    if expected == given.value:
        return True
    # 3.33 for 10/3: rounded, with two decimals or more.
    return given.decimals >= 2 and round(expected * 10**given.decimals) == given.value * 10**given.decimals


def conversion(given: str, expected: str) -> Fraction | None:
    """How many of the expected unit are one of the given unit; None if they don't convert.

    Units of things that are only counted all agree: whoever answers "6" or "6 bags" means the same.

    >>> conversion("m", "centimeter"), conversion("", "dollar"), conversion("kg", "km") is None
    (Fraction(100, 1), Fraction(1, 1), True)
    """
    units = _canonical_units()
    start, goal = units.get(given), units.get(expected)
    if start is None or start == goal or not expected:
        return Fraction(1)
    return None if goal is None else _factors(start).get(goal)


def _lemma_of(unit: Unit) -> str:
    return CURRENCY_UNITS.get(unit.sign, unit.one)


@cache
def _canonical_units() -> dict[str, str]:
    knowledge = Knowledge.default()
    own = {name: name for one in knowledge.conversions for name in (one.one, one.of)}
    return own | {name: unit for unit, names in knowledge.units for name in names}


@cache
def _factors(start: str) -> dict[str, Fraction]:
    """How many of each unit that it converts into are one of this unit."""
    neighbours: dict[str, list[tuple[str, Fraction]]] = {}
    for one in Knowledge.default().conversions:
        neighbours.setdefault(one.one, []).append((one.of, one.count))
        neighbours.setdefault(one.of, []).append((one.one, 1 / one.count))
    found, waiting = {start: Fraction(1)}, deque([start])
    while waiting:
        unit = waiting.popleft()
        for other, factor in neighbours.get(unit, ()):
            if other not in found:
                found[other] = found[unit] * factor
                waiting.append(other)
    return found

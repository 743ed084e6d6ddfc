"""The answer as a person writes it: with its unit, out of the question and the units of the numbers used.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix
>>> problem = read_problem("Leila buys a cap for $6.50 with a $10 bill. How much change does she get?")
>>> unit = answer_unit(problem, from_infix("10[1] - 6.50[0]"))
>>> with_unit(Fraction("3.5"), unit)
'$3.50'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from text2math.language.asking import (
    AGE,
    AREA,
    DIMENSION_OF,
    EXTENT,
    LENGTH,
    MASS,
    MONEY,
    NUMBER,
    PERCENT,
    SPEED,
    TIME,
    VOLUME,
    Asked,
    singular,
    what_is_asked,
)
from text2math.language.clock import answer_as_time, asks_for_time
from text2math.language.knowledge import Knowledge
from text2math.language.nouns import ABBREVIATIONS, plural
from text2math.language.problem import Problem, Quantity
from text2math.language.quantity import Source
from text2math.language.units import CURRENCY_UNITS, noun_lemma
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    numbers,
    root_operator,
)
from text2math.mathematics.notation import number_text

# What one of several may be called by: "each hour", "per crate".
_PER = frozenset(("each", "every", "per", "a", "an", "one", "any", "apiece"))
_NO_UNITS = ("percent", "time", "left")  # factors, "20 % of" and "3 times as many"; "has 30 left"
_POWERS = {"square": "²", "cubic": "³"}
_NEAR = 6  # tokens between two numbers that belong together: "5 floors with 22 rooms"
_ACCEPTED = {
    LENGTH: (LENGTH,),
    MASS: (MASS,),
    MONEY: (MONEY,),
    EXTENT: (LENGTH, TIME),
    "": (MONEY, LENGTH, MASS, VOLUME, TIME),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts or measures: the noun for one and for several, or a sign before or after it.

    >>> bus = Unit("bus", "buses")
    >>> with_unit(Fraction(1), bus), with_unit(Fraction(4), bus)
    ('1 bus', '4 buses')
    """

    one: str = ""
    many: str = ""
    sign: str = ""  # of a currency, in front of the number; "%" stands behind it

    @property
    def name(self) -> str:
        """The plural, or the sign."""
        return self.sign or self.many

    def to_dict(self) -> dict[str, str]:
        """Plain data."""
        return {"one": self.one, "many": self.many, "sign": self.sign}

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> Unit:
        """The unit that ``to_dict`` wrote down."""
        return cls(**data)


NO_UNIT = Unit()
CONFLICT = "?"  # the unit of apples and pears together, which no noun of the text tells


def with_unit(value: Fraction, unit: Unit = NO_UNIT) -> str:
    """A number with its unit, as people write it.

    >>> with_unit(Fraction(5, 2), Unit(sign="$")), with_unit(Fraction(3, 4), Unit(sign="%"))
    ('$2.50', '75%')
    >>> with_unit(Fraction(2, 3), Unit("pound", "pounds")), with_unit(Fraction(1, 2), Unit("cup", "cups"))
    ('2/3 pound', '0.5 cups')
    """
    if unit.sign == "%":
        return f"{number_text(100 * value)}%"
    if unit.sign:
        return _money(value, unit.sign)
    number = number_text(value)
    if not unit.many:
        return number
    if DIMENSION_OF.get(unit.one) == MONEY and "/" not in number:
        number = _money(value, "")
    below_one = "/" in number and abs(value) < 1
    return f"{number} {unit.one if abs(value) == 1 or below_one else unit.many}"


def _money(value: Fraction, sign: str) -> str:
    minus, amount = "−" if value < 0 else "", abs(value)
    cents = round(amount * 100)
    if amount.denominator == 1:
        return f"{minus}{sign}{amount}"
    if Fraction(cents, 100) == amount:
        return f"{minus}{sign}{cents // 100}.{cents % 100:02d}"
    if number_text(amount).count("/"):
        return f"about {minus}{sign}{cents // 100}.{cents % 100:02d}"
    return f"{minus}{sign}{number_text(amount)}"


# The unit of an answer ------------------------------------------------------------------------------------


def answer_unit(problem: Problem, mathematics: Expression) -> Unit:
    """The unit of the answer; none where the text does not tell it for sure."""
    asked = what_is_asked(problem.tokens)
    reckoner = _Reckoner(problem)
    if asks_for_time(problem.text) or asked.dimension == NUMBER:
        return NO_UNIT
    if asked.many:
        return reckoner.counted(asked)
    if asked.dimension == PERCENT:
        return NO_UNIT if any(one.value == 100 for one in numbers(mathematics)) else Unit(sign="%")
    if asked.dimension == AGE:
        return Unit("year", "years")
    if asked.dimension == SPEED:
        return reckoner.rate(mathematics)
    found = reckoner.lemma(mathematics)
    if asked.dimension == AREA:
        return reckoner.unit(found) if found.startswith("square ") else NO_UNIT
    return reckoner.unit(reckoner.fitting(found, asked.dimension, mathematics))


def node_unit(problem: Problem, expression: Expression) -> Unit:
    """The unit of a part of an expression, as far as the units of its numbers tell.

    >>> from text2math.language.problem import read_problem
    >>> from text2math.mathematics.notation import from_infix
    >>> problem = read_problem("24 cookies, less 6 cookies, go in bags of 3. How many bags?")
    >>> node_unit(problem, from_infix("24[0] - 6[1]")).many
    'cookies'
    """
    reckoner = _Reckoner(problem)
    return reckoner.unit(reckoner.lemma(expression))


@dataclass(frozen=True, slots=True)
class _Reckoner:
    """Works out units, as lemmas, from those of a problem's quantities."""

    problem: Problem

    def lemma(self, expression: Expression) -> str:
        """The unit of an expression; "" where it can't be told."""
        name = fold(expression, self._leaf, self._join).name
        return "" if name == CONFLICT else name

    def _leaf(self, node: Number | Variable) -> _Part:
        quantities = self.problem.all_quantities
        if isinstance(node, Variable) or node.quantity is None or node.quantity >= len(quantities):
            return _Part()
        quantity = quantities[node.quantity]
        if quantity.unit in _NO_UNITS:
            return _Part()
        return _Part(self._named(quantity), quantity.last_token)

    def _named(self, quantity: Quantity) -> str:
        """The lemma of what it counts, after "square" or "cubic" if that is there; a currency's sign."""
        tokens = self.problem.tokens
        own = (token.text for token in tokens[quantity.first_token : quantity.last_token])
        if sign := next((text for text in own if text in CURRENCY_UNITS), ""):
            return "cent" if sign == "¢" else sign
        if quantity.unit == "dollar":
            return "$"
        if quantity.source is Source.KNOWN and quantity.unit:
            return self._as_written(quantity.unit)
        after = tokens[quantity.last_token].text.lower() if quantity.last_token < len(tokens) else ""
        return f"{after} {quantity.unit}" if after in _POWERS and quantity.unit else quantity.unit

    def _as_written(self, unit: str) -> str:
        """The lemma by which the text calls a unit: "cm" for "centimeter"."""
        names = dict(Knowledge.default().units).get(unit, ())
        return next((lemma for lemma in map(noun_lemma, self.problem.tokens) if lemma in names), unit)

    def _join(self, operator: Operator, left: _Part, right: _Part) -> _Part:
        at = max(left.at, right.at)
        if CONFLICT in (left.name, right.name):
            return _Part(CONFLICT, at)
        if operator.entry.group == "ADD" or operator in (Operator.GCD, Operator.LCM):
            same = left.name == right.name or not left.name or not right.name
            return _Part(left.name or right.name if same else CONFLICT, at)
        if operator is Operator.MUL:
            return _Part(self._product(left, right), at)
        if operator in (Operator.DIV, Operator.CEIL, Operator.QUO):
            return _Part(_quotient(left.name, right.name), at)
        return _Part(left.name if operator is Operator.REM else "", at)

    def _product(self, left: _Part, right: _Part) -> str:
        names = [left.name, right.name]
        if "" in names:
            return left.name or right.name
        money = [name for name in names if DIMENSION_OF.get(name) == MONEY]
        if len(money) == 1:
            return money[0]
        if left.name == right.name:
            return f"square {left.name}" if DIMENSION_OF.get(left.name) == LENGTH else ""
        apiece = [name for name in names if self._stands_after_each(name)]
        if len(apiece) == 1:
            return next(name for name in names if name not in apiece)
        if any(DIMENSION_OF.get(name) == TIME for name in names) and self._says_a_rate():
            return ""  # 12 pages a day for 2 weeks: neither pages nor weeks
        first, second = sorted((left, right), key=lambda part: part.at)
        return second.name if second.at - first.at <= _NEAR else ""

    def _stands_after_each(self, lemma: str) -> bool:
        """Whether the text says "each" of this noun: then a product with it counts the other."""
        return lemma in self._nouns_after_each()

    def _says_a_rate(self) -> bool:
        """Whether the text says "a day", "per hour" or the like."""
        return any(DIMENSION_OF.get(lemma) == TIME for lemma in self._nouns_after_each())

    def _nouns_after_each(self) -> set[str]:
        tokens = self.problem.tokens
        return {noun_lemma(token) for before, token in pairwise(tokens) if before.text.lower() in _PER}

    def fitting(self, found: str, dimension: str, mathematics: Expression) -> str:
        """The unit found where it is of the dimension asked for, else the one unit used that is."""
        accepted = _ACCEPTED.get(dimension, ())
        if found and (not dimension or DIMENSION_OF.get(found) in accepted):
            return found
        used = dict.fromkeys(self._leaf(number).name for number in numbers(mathematics))
        units = [name for name in used if DIMENSION_OF.get(name) in accepted]
        if set(units) == {"$", "cent"}:
            return "$"
        return units[0] if len(units) == 1 and dimension else ""

    def rate(self, mathematics: Expression) -> Unit:
        """Miles per hour, where a distance is divided by a time."""
        used = [self._leaf(number).name for number in numbers(mathematics)]
        lengths = {name for name in used if DIMENSION_OF.get(name) == LENGTH}
        times = {name for name in used if DIMENSION_OF.get(name) == TIME}
        if len(lengths) != 1 or len(times) != 1:
            return NO_UNIT
        length, time = self.unit(lengths.pop()), times.pop()
        return Unit(f"{length.one} per {time}", f"{length.many} per {time}")

    def counted(self, asked: Asked) -> Unit:
        """The unit of "how many …"; money as it is usually written."""
        if asked.one in ("dollar", "percent"):
            return Unit(sign="$") if asked.one == "dollar" else Unit("percent", "percent")
        return Unit(asked.one, asked.many)

    def unit(self, lemma: str) -> Unit:
        """The unit of this lemma as the text writes it."""
        if lemma in CURRENCY_UNITS:
            return Unit(sign=lemma)
        if not lemma:
            return NO_UNIT
        prefix, _, head = lemma.rpartition(" ")
        if prefix in _POWERS and head in ABBREVIATIONS:
            return Unit(head + _POWERS[prefix], head + _POWERS[prefix])
        for token in self.problem.tokens:
            if noun_lemma(token) == head and token.text.lower() != head:
                many = f"{prefix} {token.text.lower()}".strip()
                return Unit(f"{prefix} {singular(token).lower()}".strip(), many)
        return Unit(lemma, plural(lemma))


@dataclass(frozen=True, slots=True)
class _Part:
    """The unit of a part of an expression, and the last token that its numbers stand on."""

    name: str = ""
    at: int = 0


def _quotient(left: str, right: str) -> str:
    """Dollars by bunches are dollars, square meters by meters are meters, bottles by bottles a count.

    Grams by the 1000 grams of a kilogram are no grams.
    """
    if left.removeprefix("square ") == right and left != right:
        return right
    measured = DIMENSION_OF.get(left)
    return "" if left == right or (measured and measured == DIMENSION_OF.get(right)) else left


# The answer -----------------------------------------------------------------------------------------------


def answer_text(text: str, mathematics: Expression, answer: Fraction, unit: Unit = NO_UNIT) -> str:
    """The value of an expression, as the answer to a text.

    >>> from text2math.mathematics.notation import from_infix
    >>> answer_text("", from_infix("ceil(130 / 40)"), Fraction(4), Unit("bus", "buses"))
    '4 buses (3.25, rounded up)'
    >>> answer_text("", from_infix("12 : 16"), Fraction(3, 4))
    '3 : 4'
    """
    root = root_operator(mathematics)
    if root is Operator.RATIO:
        return f"{answer.numerator} : {answer.denominator}"
    written = answer_as_time(text, answer) or with_unit(answer, unit)
    if root in ROUNDED and isinstance(mathematics, Operation):
        exact = evaluate(Operation(Operator.DIV, mathematics.left, mathematics.right))
        if exact is not None and exact != answer:
            return f"{written} ({number_text(exact)}, {ROUNDED[root]})"
    return written


ROUNDED = {Operator.CEIL: "rounded up", Operator.QUO: "rounded down"}


def solution_text(solution: Mapping[str, Fraction], phrases: Mapping[str, str], unit: Unit = NO_UNIT) -> str:
    """The values of unknowns by what the text calls them; several without names are only listed.

    >>> solution_text({"X1": Fraction(12), "X2": Fraction(24)}, {"X1": "Tim", "X2": "Sara's age"})
    'Tim is 12, Sara is 24'
    >>> solution_text({"X1": Fraction(30), "X2": Fraction(17)}, {"X2": "two numbers"})
    '30 and 17'
    """
    values = {name: with_unit(value, unit) for name, value in solution.items()}
    if len(values) > 1 and not all(_names_one(phrases.get(name, "")) for name in values):
        *others, last = values.values()
        return f"{', '.join(others)} and {last}"
    return ", ".join(f"{_called(phrases.get(name, name))} is {value}" for name, value in values.items())


_OF_SEVERAL = frozenset(("two", "three", "both", "numbers", "they", "their", "them", "these", "each"))


def _names_one(phrase: str) -> bool:
    """Whether a phrase can be the name of one unknown: "James" can; "cars", "two numbers" and "$" can't."""
    if not any(map(str.isalpha, phrase)) or not _OF_SEVERAL.isdisjoint(phrase.lower().split()):
        return False
    last = phrase.split()[-1]
    is_plural = last.islower() and last.endswith("s") and not last.endswith(("ss", "us", "is", "'s", "’s"))
    return not is_plural


def _called(phrase: str) -> str:
    """A short name for an unknown."""
    for ending in ("'s age", "’s age"):
        phrase = phrase.removesuffix(ending)
    return phrase

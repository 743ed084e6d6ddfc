"""Reasons to doubt a reading, each with a stable code, a plain sentence, and the words it is about.

A doubt compares what a text says and asks for with the mathematics found in it. It never sees the answer key.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix
>>> problem = read_problem("130 children go by bus. A bus holds 40. How many buses are needed?")
>>> [(doubt.code, doubt.message) for doubt in doubts(problem, from_infix("130[0] / 40[1]"), Fraction(13, 4))]
[('fractional-count', 'the answer counts buses, but 3.25 is not a whole number')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from text2math.language.numbers import vocabulary
from text2math.language.problem import Problem, Token
from text2math.language.units import is_noun, noun_lemma
from text2math.mathematics.algebra import Status, solution
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    nodes,
    numbers,
    sort_of,
)
from text2math.mathematics.grammar import Sort

CODES = (
    "fractional-count",
    "negative-amount",
    "not-mentioned",
    "units-differ",
    "unused-number",
    "several-questions",
    "not-english",
    "no-solution",
    "many-solutions",
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to doubt a reading: its code, a sentence, and the character spans it is about."""

    code: str
    message: str
    spans: tuple[tuple[int, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"code": self.code, "message": self.message, "spans": [list(span) for span in self.spans]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Doubt:
        """The doubt that ``to_dict`` wrote down."""
        spans = tuple((start, end) for start, end in data["spans"])
        return cls(data["code"], data["message"], spans)

    def __str__(self) -> str:
        return self.message


def doubts(problem: Problem, expression: Expression | None, answer: Fraction | None) -> tuple[Doubt, ...]:
    """Every reason to doubt that this expression, with this answer, is what the text asks for."""
    found = [*_of_text(problem)]
    if expression is not None:
        found += [
            *_fractional_count(problem, answer),
            *_negative_amount(problem, expression, answer),
            *_units_differ(problem, expression),
            *_unused_numbers(problem, expression),
            *_not_determined(problem, expression),
        ]
    return tuple(found)


def _of_text(problem: Problem) -> Iterator[Doubt]:
    if not is_english(problem):
        yield Doubt("not-english", "the text does not look like English")
        return
    yield from _several_questions(problem)
    yield from _not_mentioned(problem)


# The answer -----------------------------------------------------------------------------------------------

# What may come in parts. Everything else that is counted ("how many buses") comes whole.
_MEASURES = frozenset(
    vocabulary(
        "dollar euro pound cent penny yen rupee peso percent hour minute second day week month year "
        "inch foot yard mile metre meter centimetre centimeter millimetre millimeter kilometre "
        "kilometer gram kilogram kilo ounce ton tonne litre liter millilitre milliliter gallon quart "
        "pint cup teaspoon tablespoon spoon acre hectare degree mph pizza cake pie sandwich bar lap "
        "unit kg g cm mm m km l ml lb lbs oz ft mi hr hrs h time part portion serving bag bottle glass "
        "bucket spoonful tank loaf page point mark grade share tonne carat watt volt calorie rate "
        "average"
    )
)


def _fractional_count(problem: Problem, answer: Fraction | None) -> Iterator[Doubt]:
    """ "How many buses" is answered by a whole number."""
    if answer is None or answer.denominator == 1:
        return
    asked = _asked_count(problem)
    if asked is None or noun_lemma(asked) in _MEASURES:
        return
    if any(quantity.value.denominator != 1 for quantity in problem.quantities):
        return
    shown = _decimal(answer)
    yield Doubt(
        "fractional-count",
        f"the answer counts {asked.text.lower()}, but {shown} is not a whole number",
        (_span(asked),),
    )


def _asked_count(problem: Problem) -> Token | None:
    """The noun of "how many …", if the question has one."""
    tokens = problem.tokens
    for i, token in enumerate(tokens[:-2]):
        if token.in_question and token.text.lower() == "how" and tokens[i + 1].text.lower() == "many":
            for after in tokens[i + 2 : i + 7]:
                if is_noun(after) and noun_lemma(after) in problem.question_units:
                    return after
    return None


def _negative_amount(problem: Problem, expression: Expression, answer: Fraction | None) -> Iterator[Doubt]:
    """Nobody can lose 15 of 12: a difference of numbers of the text that is below zero."""
    if _SIGNED.search(problem.text):
        return
    for node in nodes(expression):
        match node:
            case Operation(Operator.SUB, Number(first, int(a)), Number(second, int(b))) if first < second:
                spans = tuple(_quantity_span(problem, k) for k in (a, b))
                message = f"{_decimal(first)} − {_decimal(second)} is below zero"
                yield Doubt("negative-amount", message, spans)
                return
            case _:
                pass
    if answer is not None and answer < 0:
        yield Doubt("negative-amount", f"the answer, {_decimal(answer)}, is below zero")


_SIGNED = re.compile(
    r"negative|below zero|temperature|debt|owe|degrees|sea level|integer|number", re.IGNORECASE
)

# The question ---------------------------------------------------------------------------------------------

# Words that name several kinds of things at once, or what any story may ask for without having named it.
_GENERAL = frozenset(
    vocabulary(
        "thing item object animal pet bird insect fruit vegetable toy person people child kid student "
        "pupil friend guest member player boy girl man woman adult piece total sum difference number "
        "amount money dollar cent cost price change time way kind type part unit place vehicle coin "
        "bill note drink food meal snack treat flower plant tree book paper card picture room seat trip "
        "visit turn game group team set pack bag box row side edge corner leg wheel eye finger toe arm "
        "head hour minute second day week month year inch foot yard mile metre meter centimetre "
        "centimeter kilometre kilometer gram kilogram ounce pound ton litre liter gallon quart pint cup "
        "degree percent point score age length width height distance speed area perimeter volume weight "
        "size rest other one share sweet dessert visitor shell ride pastry candy baked good supply tool "
        "container serving creature fish worker passenger customer sale ticket job task step hand half "
        "quarter dozen pair couple bean"
    )
)


def _not_mentioned(problem: Problem) -> Iterator[Doubt]:
    """A question about parrots in a story about dogs and cats."""
    asked = _asked_count(problem)
    counted = {quantity.unit for quantity in problem.quantities if quantity.unit}
    if asked is None or not counted:
        return
    lemma = noun_lemma(asked)
    if lemma in _GENERAL or lemma in counted:
        return
    first = min(token.start for token in problem.tokens if token.in_question)
    if any(_same_thing(token, lemma) for token in problem.tokens if not token.in_question):
        return
    if any(quantity.start >= first for quantity in problem.quantities):
        return
    yield Doubt(
        "not-mentioned",
        f"the question asks for {asked.text.lower()}, which the text does not mention",
        (_span(asked),),
    )


def _same_thing(token: Token, lemma: str) -> bool:
    word = token.text.lower()
    return noun_lemma(token) == lemma or word.startswith(lemma[: max(4, len(lemma) - 1)])


def _several_questions(problem: Problem) -> Iterator[Doubt]:
    asking: dict[int, list[Token]] = {}
    for token in problem.tokens:
        if token.in_question:
            asking.setdefault(token.sentence, []).append(token)
    marked = [tokens for tokens in asking.values() if tokens[-1].text == "?"]
    if len(marked) > 1:
        spans = tuple((tokens[0].start, tokens[-1].end) for tokens in marked)
        yield Doubt("several-questions", "the text asks more than one question", spans)


# Units and numbers ----------------------------------------------------------------------------------------

_DIMENSIONS = {
    "length": "inch foot yard mile metre meter centimetre centimeter millimetre millimeter km cm mm",
    "weight": "gram kilogram kilo ounce pound ton tonne kg g mg lb lbs oz",
    "volume": "litre liter millilitre milliliter gallon quart pint cup ml",
    "time": "second minute hour day week month year",
    "money": "dollar cent euro penny",
}
_DIMENSION = {unit: name for name, units in _DIMENSIONS.items() for unit in units.split()}


def _units_differ(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """Centimetres are not added to metres without a conversion."""
    for node in nodes(expression):
        match node:
            case Operation(Operator.ADD | Operator.SUB, Number(quantity=int(a)), Number(quantity=int(b))):
                first, second = _unit(problem, a), _unit(problem, b)
                same_kind = first != second and _DIMENSION.get(first, 0) == _DIMENSION.get(second, 1)
                if same_kind:
                    spans = tuple(_quantity_span(problem, k) for k in (a, b))
                    yield Doubt(
                        "units-differ", f"{first}s and {second}s are combined without converting", spans
                    )
            case _:
                pass


def _unit(problem: Problem, k: int) -> str:
    return problem.quantities[k].unit if k < len(problem.quantities) else ""


def _unused_numbers(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """A number that counts what is asked for, or what a used number counts, is left over."""
    used = {number.quantity for number in numbers(expression) if number.quantity is not None}
    wanted = {_unit(problem, k) for k in used} | set(problem.question_units)
    left = [
        quantity
        for k, quantity in enumerate(problem.quantities)
        if k not in used and quantity.unit and quantity.unit in wanted and quantity.value != 1
    ]
    if left and used:
        shown = " and ".join(problem.text[quantity.start : quantity.end] for quantity in left[:3])
        verb = "is" if len(left) == 1 else "are"
        spans = tuple((quantity.start, quantity.end) for quantity in left)
        yield Doubt("unused-number", f"{shown} {verb} not used", spans)


def _not_determined(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """A question whose equations have no solution, or infinitely many. A sentence alone may have many."""
    if sort_of(expression) is Sort.VALUE:
        return
    status = solution(expression).status
    if status is Status.NONE:
        yield Doubt("no-solution", "the numbers contradict each other: the equations have no solution")
    elif status is Status.INFINITE and any(token.in_question for token in problem.tokens):
        yield Doubt("many-solutions", "the equations have infinitely many solutions")


# The language ---------------------------------------------------------------------------------------------

_ENGLISH = frozenset(
    vocabulary(
        "the a an and of to in is are was were has have had how many much what did does do he she it "
        "they his her their for on at with from than more less if each there be will would can that "
        "this all by as or not"
    )
)
# The small words of German, French, Spanish, Italian, Portuguese, Dutch, Polish and Swedish.
_FOREIGN = frozenset(
    vocabulary(
        "der die das und ein eine hat ist wie viele sind von mit auf im den dem er sie kauft nach noch "
        "zu le les des une est combien et dans il elle au du qui pour sont avec reste el los las una y "
        "cuántos cuántas cuanto tiene de en por para son con que quedan cada más il lo gli uno quanti "
        "quante ha di che sono per della nel ogni o os um uma quantos quantas tem em het een van "
        "hoeveel zijn heeft aan met elke op jest ile ma i w na z nie och en ett hur många har av"
    )
)
_NOT_FOREIGN = _ENGLISH | {"die", "den", "i", "o", "en", "de", "an", "on", "in", "by", "per", "son", "for"}


def is_english(problem: Problem) -> bool:
    """Whether the text is in Latin script, and has no more small words of other languages than of English.

    >>> from text2math.language.problem import read_problem
    >>> is_english(read_problem("Tom hat 3 Äpfel und kauft 4 dazu. Wie viele Äpfel hat er nun insgesamt?"))
    False
    """
    words = [token.text.lower() for token in problem.tokens if token.text[:1].isalpha()]
    if "=" in problem.text:  # then the y of an equation is no Spanish
        words = [word for word in words if len(word) > 1]
    if sum(word[0] > "\u024f" for word in words) > len(words) / 2:
        return False
    foreign = sum(word in _FOREIGN and word not in _NOT_FOREIGN for word in words)
    return foreign < 2 or foreign <= sum(word in _ENGLISH for word in words)


def _decimal(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"about {float(value):.4g}"


def _span(token: Token) -> tuple[int, int]:
    return token.start, token.end


def _quantity_span(problem: Problem, k: int) -> tuple[int, int]:
    quantity = problem.quantities[k]
    return quantity.start, quantity.end

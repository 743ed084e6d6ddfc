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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from text2math.language.answers import answer_unit
from text2math.language.asking import AGE, DIMENSION_OF, LENGTH, MASS, MONEY, TIME, what_is_asked
from text2math.language.knowledge import Knowledge
from text2math.language.nouns import plural
from text2math.language.numbers import vocabulary
from text2math.language.problem import Problem, Quantity, Token
from text2math.language.units import MONEY_WORDS, is_name, is_noun, noun_lemma
from text2math.mathematics.algebra import Status, solution
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    nodes,
    numbers,
    sort_of,
    variables,
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

Spans = tuple[tuple[int, int], ...]


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
        """The doubt that ``to_dict`` describes."""
        spans = tuple((start, end) for start, end in data["spans"])
        return cls(data["code"], data["message"], spans)

    def __str__(self) -> str:
        return self.message


def doubts(problem: Problem, expression: Expression | None, answer: Fraction | None) -> tuple[Doubt, ...]:
    """Every reason to doubt that this expression, with this answer, is what the text asks for."""
    found = [*_of_text(problem, expression)]
    if expression is not None:
        found += [
            *_fractional_count(problem, expression, answer),
            *_negative_amount(problem, expression, answer),
            *_units_differ(problem, expression),
            *_unused_numbers(problem, expression),
            *_not_determined(problem, expression),
        ]
    return tuple(found)


def _of_text(problem: Problem, expression: Expression | None) -> Iterator[Doubt]:
    if not is_english(problem):
        yield Doubt("not-english", "the text does not look like English")
        return
    yield from _several_questions(problem, gives_several=expression is not None and _unknowns(expression) > 1)
    yield from _not_mentioned(problem)


# The answer -----------------------------------------------------------------------------------------------

# Things that can be divided. Everything else that is counted ("how many buses") is whole.
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


def _fractional_count(problem: Problem, expression: Expression, answer: Fraction | None) -> Iterator[Doubt]:
    """The answer to "how many buses" must be whole."""
    if answer is None or answer.denominator == 1:
        return
    if any(quantity.value.denominator != 1 for quantity in problem.quantities):
        return
    counted = _counted(problem, expression)
    if counted is not None:
        name, spans = counted
        message = f"the answer counts {name}, but {_decimal(answer)} is not a whole number"
        yield Doubt("fractional-count", message, spans)


def _counted(problem: Problem, expression: Expression) -> tuple[str, Spans] | None:
    """What the answer counts, if that must be whole, and where the question says so."""
    asked = _asked_count(problem)
    if asked is not None:
        return None if noun_lemma(asked) in _MEASURES else (asked.text.lower(), (_span(asked),))
    for before, token in pairwise(problem.tokens):
        if token.in_question and (before.text.lower(), token.text.lower()) == ("how", "often"):
            return "times", ((before.start, token.end),)
        if token.in_question and (before.text.lower(), token.text.lower()) == ("how", "many"):
            unit = answer_unit(problem, expression)  # "How many does each boy get?"
            whole = unit.many and unit.one.split()[-1] not in _MEASURES
            return (unit.many, ((before.start, token.end),)) if whole else None
    return None


def _asked_count(problem: Problem) -> Token | None:
    """The noun of "how many …" or "the number of …", if the question has one."""
    tokens = problem.tokens
    for i, token in enumerate(tokens[:-2]):
        phrase = (token.text.lower(), tokens[i + 1].text.lower())
        if token.in_question and phrase in (("how", "many"), ("number", "of")):
            for after in tokens[i + 2 : i + 7]:
                if is_noun(after) and noun_lemma(after) in problem.question_units:
                    return after
    return None


def _negative_amount(problem: Problem, expression: Expression, answer: Fraction | None) -> Iterator[Doubt]:
    """A difference of two numbers of the text below zero: nobody can lose 15 of 12."""
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

# Words for several kinds of things at once, and things that any question may ask for.
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
# Words for several kinds of one thing: pennies and dimes together are coins, but stamps alone are not.
_KINDS = frozenset(vocabulary("coin book card ticket tree flower picture bean bird fruit toy shell game"))
_GENERAL_ALONE = _GENERAL - _KINDS


def _not_mentioned(problem: Problem) -> Iterator[Doubt]:
    """A question about parrots in a story about dogs and cats; the age of the captain."""
    asked = _asked_count(problem)
    if asked is None:
        yield from _measure_not_mentioned(problem)
        return
    counted = {quantity.unit for quantity in problem.quantities if quantity.unit}
    lemma = noun_lemma(asked)
    general = _GENERAL if len(counted) > 1 else _GENERAL_ALONE
    if not counted or not asked.pos.startswith(("NN2", "NP")) or lemma in general or lemma in counted:
        return  # "How many stay?" asks for no noun, whatever the tag says
    if lemma in DIMENSION_OF or any(lemma == word or lemma.endswith(word) for word in _HAPPENINGS):
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


# Endings of things that a question may ask for although the text only has the verb: "crosses", "crossings".
_HAPPENINGS = vocabulary(
    "ing ment match load round letter winner loser result possibility choice combination"
)
_NAMES = {MONEY: "an amount of money", MASS: "a weight", LENGTH: "a length", AGE: "an age"}
_CURRENCIES = frozenset(
    vocabulary(
        "pound lira rand cedi zloty real won baht ruble krona kronor kroner shilling naira dinar dirham yuan "
        "riyal pence"
    )
)
_WORDS_ABOUT = {
    AGE: frozenset(vocabulary("old older young younger age aged year birthday born turn twin")),
    # No verbs such as "buy": without a price, a text does not say what 3 apples cost.
    MONEY: MONEY_WORDS | frozenset(vocabulary("coin nickel dime quarter save interest free")) | _CURRENCIES,
    MASS: frozenset(vocabulary("weigh weight heavy heavier light lighter load mass scale")),
    LENGTH: frozenset(
        vocabulary("long short tall high wide deep far distance length width height way step lap speed fast")
    ),
}


def _measure_not_mentioned(problem: Problem) -> Iterator[Doubt]:
    """The age of a captain in a story about sheep: none of its numbers and words is about ages."""
    dimension = what_is_asked(problem.tokens).dimension
    about = _WORDS_ABOUT.get(dimension)
    asking = [token for token in problem.tokens if token.in_question]
    if about is None or not asking or not all(quantity.unit for quantity in problem.quantities):
        return
    wanted = TIME if dimension == AGE else dimension
    if any(DIMENSION_OF.get(quantity.unit) == wanted for quantity in problem.quantities):
        return
    words = [token for token in problem.tokens if not token.in_question]
    if any(
        form in about or DIMENSION_OF.get(form) == wanted
        for token in words
        for form in (token.text.lower(), token.lemma.lower())
    ):
        return
    message = f"the question asks for {_NAMES[dimension]}, about which the text says nothing"
    yield Doubt("not-mentioned", message, ((asking[0].start, asking[-1].end),))


def _same_thing(token: Token, lemma: str) -> bool:
    word = token.text.lower()
    return noun_lemma(token) == lemma or word.startswith(lemma[: max(4, len(lemma) - 1)])


_AMOUNTS = frozenset(vocabulary("many much far long old often tall heavy"))
_RESULTS = frozenset(vocabulary("sum difference product quotient area perimeter"))
# Words of questions to the reader, such as "Can anybody help?", which are not about the story.
_TO_THE_READER = frozenset(
    vocabulary("you u me i anybody anyone somebody someone who help solve answer idea ideas think sense this")
)


def _several_questions(problem: Problem, *, gives_several: bool) -> Iterator[Doubt]:
    """Two questions, or one that asks for several things, unless the mathematics is a system."""
    asking: dict[int, list[Token]] = {}
    for token in problem.tokens:
        if token.in_question:
            asking.setdefault(token.sentence, []).append(token)
    marked = [tokens for tokens in asking.values() if tokens[-1].text == "?" and _is_about_the_story(tokens)]
    if len(marked) > 1:
        spans = tuple((tokens[0].start, tokens[-1].end) for tokens in marked)
        yield Doubt("several-questions", "the text asks more than one question", spans)
        return
    for tokens in () if gives_several else asking.values():
        if (starts := _parts(tokens)) is not None:
            message = "the question asks for more than one thing"
            yield Doubt("several-questions", message, tuple((at, tokens[-1].end) for at in starts[:1]))
            return


def _unknowns(expression: Expression) -> int:
    return len(variables(expression))


def _is_about_the_story(asking: Sequence[Token]) -> bool:
    words = [token.text.lower() for token in asking]
    return words[0] == "how" or _TO_THE_READER.isdisjoint(words)


def _parts(asking: Sequence[Token]) -> tuple[int, ...] | None:
    """Where the parts of "how many … and how many …" begin, or of "the sum and the difference"."""
    words = [token.text.lower() for token in asking]
    amounts = [
        asking[at].start
        for at, pair in enumerate(pairwise(words))
        if pair[0] == "how" and pair[1] in _AMOUNTS
    ]
    if len(amounts) > 1:
        return tuple(amounts)
    joined = [
        asking[at].start
        for at, word in enumerate(words)
        if word in _RESULTS and words[at + 1 : at + 2] == ["and"] and _RESULTS & {*words[at + 2 : at + 4]}
    ]
    return tuple(joined) or None


# Units and numbers ----------------------------------------------------------------------------------------


def _units_differ(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """Centimetres are not added to metres without a conversion."""
    for node in nodes(expression):
        match node:
            case Operation(Operator.ADD | Operator.SUB, Number(quantity=int(a)), Number(quantity=int(b))):
                first, second = _unit(problem, a), _unit(problem, b)
                same_kind = DIMENSION_OF.get(first, "") == DIMENSION_OF.get(second, "?")
                if same_kind and _unit_name(first) != _unit_name(second):
                    spans = tuple(_quantity_span(problem, k) for k in (a, b))
                    names = f"{plural(first)} and {plural(second)}"
                    yield Doubt("units-differ", f"{names} are combined without converting", spans)
            case _:
                pass


@cache
def _unit_names() -> Mapping[str, str]:
    """The unit of each spelling or abbreviation."""
    return {name: unit for unit, names in Knowledge.default().units for name in names}


def _unit_name(unit: str) -> str:
    return _unit_names().get(unit, unit)


def _unit(problem: Problem, k: int) -> str:
    return problem.quantities[k].unit if k < len(problem.quantities) else ""


def _unused_numbers(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """A number of the same kind as the answer is not used, and the question does not single out others."""
    pointed = {number.quantity for number in numbers(expression) if number.quantity is not None}
    origins = problem.origins
    used = {origins[k] for k in pointed if k < len(origins)}
    values = {problem.quantities[k].value for k in used if isinstance(k, int)}
    wanted = {_kind(_unit(problem, k)) for k in used if isinstance(k, int)}
    wanted |= set(map(_kind, problem.question_units))
    left = [
        quantity
        for k, quantity in enumerate(problem.quantities)
        if k not in used
        and quantity.unit
        and _kind(quantity.unit) in wanted
        and quantity.value != 1
        and quantity.value not in values  # the text says it twice
        and not _is_left_out(problem, quantity)
    ]
    if left and used:
        shown = " and ".join(problem.text[quantity.start : quantity.end] for quantity in left[:3])
        verb = "is" if len(left) == 1 else "are"
        spans = tuple((quantity.start, quantity.end) for quantity in left)
        yield Doubt("unused-number", f"{shown} {verb} not used", spans)


def _kind(unit: str) -> str:
    """The kind of numbers that may be added to one another: hours and minutes, but pens only to pens."""
    return DIMENSION_OF.get(unit, unit)


_CLAUSE_ENDS = frozenset((",", ";", ".", "and", "but", ":", "–", "-", "while", "which", "or"))
_PERSONS = frozenset(vocabulary("he she they it i we his her their him them"))
_OF_EVERYTHING = frozenset(vocabulary("altogether total all whole overall"))
_SAYS_LITTLE = frozenset(
    vocabulary("be have do get go can will many much more less how what number total all altogether now left")
)


def _is_left_out(problem: Problem, quantity: Quantity) -> bool:
    """Whether the question names something in the story that the clause of this number is not about."""
    asked = {token.text.lower() for token in problem.tokens if token.in_question}
    if asked & _OF_EVERYTHING:
        return False
    clause = _clause(problem, quantity)
    there = {form for token in clause for form in (token.lemma.lower(), token.text.lower())} | {quantity.unit}
    names_kept = bool(_PERSONS & there)  # "He lost 3 of them" is still about Tom
    story = {token.lemma.lower() for token in problem.tokens if not token.in_question}
    singled_out = story - there - _SAYS_LITTLE
    for at, token in enumerate(problem.tokens):
        if not token.in_question or token.lemma.lower() not in singled_out or token.text.lower() in there:
            continue
        named = is_name(problem.tokens, at)
        says_which = named or token.pos.startswith(("N", "AJ", "VV"))
        same_kind = _kind(token.lemma.lower()) == _kind(quantity.unit)
        if says_which and not same_kind and not (named and names_kept):
            return True
    return False


def _clause(problem: Problem, quantity: Quantity) -> Sequence[Token]:
    """The words around a number, up to the next comma, full stop or "and"."""
    tokens = problem.tokens
    first, last = quantity.first_token, quantity.last_token
    while first and tokens[first - 1].text.lower() not in _CLAUSE_ENDS:
        first -= 1
    while last < len(tokens) and tokens[last].text.lower() not in _CLAUSE_ENDS:
        last += 1
    return tokens[first:last]


def _not_determined(problem: Problem, expression: Expression) -> Iterator[Doubt]:
    """Equations without a solution, or a question whose equations have infinitely many."""
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
# Function words, and words of prices and counts, in German, French, Spanish, Italian, Portuguese, Dutch,
# Polish, Swedish and Turkish.
_FOREIGN = frozenset(
    vocabulary(
        "der die das und ein eine einer hat haben ist wie viel viele wieviel sind von mit auf im den dem er "
        "sie es ich wir kauft kostet kosten gibt nach noch zu zusammen insgesamt jeder jede bleiben übrig "
        "le les des une un est combien et dans il elle au du qui pour sont avec reste coûte coûtent achète "
        "el los las una y cuántos cuántas cuánto cuánta cuanto tiene de en por para son con que quedan cada "
        "más hay cuesta cuestan compra lo gli uno quanti quante quanto ha di che sono per della nel ogni "
        "costa costano o os um uma quantos quantas tem em custa custam het een van hoeveel zijn heeft aan "
        "met elke op kost jest ile ma i w na z nie kosztuje och en ett hur många mycket har av kostar "
        "kaç var bir ve tane toplam kaldı fiyatı lira"
    )
)
_NOT_FOREIGN = _ENGLISH | {"die", "den", "i", "o", "en", "de", "an", "on", "in", "by", "per", "son", "for"}


def is_english(problem: Problem) -> bool:
    """Whether the text is in Latin script, and has no more function words of other languages than of English.

    >>> from text2math.language.problem import read_problem
    >>> is_english(read_problem("Tom hat 3 Äpfel und kauft 4 dazu. Wie viele Äpfel hat er nun insgesamt?"))
    False
    """
    words = [token.text.lower() for token in problem.tokens if token.text[:1].isalpha()]
    if "=" in problem.text:  # the y of an equation is not Spanish
        words = [word for word in words if len(word) > 1]
    if sum(word[0] > "\u024f" for word in words) > len(words) / 2:
        return False
    foreign = sum(word in _FOREIGN and word not in _NOT_FOREIGN for word in words)
    english = sum(word in _ENGLISH for word in words)
    return foreign <= english if foreign > 1 or english == 0 else True


def _decimal(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"about {float(value):.4g}"


def _span(token: Token) -> tuple[int, int]:
    return token.start, token.end


def _quantity_span(problem: Problem, k: int) -> tuple[int, int]:
    quantity = problem.all_quantities[k]
    return quantity.start, quantity.end

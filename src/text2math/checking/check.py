"""Whether somebody's answer to a problem agrees with ours.

>>> verdict = check("Ann had 12 pens and lost 4 pens. How many pens does she have left?", "16")
>>> verdict.agrees, verdict.expected, verdict.mistake
(False, '8 pens', 'you added; the text says “lost”')
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

from text2math.checking.given import (
    GivenAnswer,
    agrees,
    agrees_with_all,
    agrees_with_equation,
    read_given,
)
from text2math.checking.mistakes import what_went_wrong
from text2math.language.answers import NO_UNIT
from text2math.language.clock import asks_for_time
from text2math.language.problem import Source, read_problem
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import Expression, Operation, Operator
from text2math.mathematics.notation import number_text, to_infix
from text2math.model.candidates import Candidate
from text2math.model.doubts import Doubt
from text2math.parse import Parse, QuantityUse
from text2math.parser import Parser, load

READINGS = 20  # that a wrong answer is compared with
MAX_SLIPS = 3  # operations of an expression whose operators are exchanged in search of a mistake


@dataclass(frozen=True)
class Verdict:
    """Whether an answer agrees (None if that can't be determined), what it should be, and what went wrong."""

    text: str
    given: str
    agrees: bool | None
    expected: str | None
    probability: float | None
    doubts: tuple[Doubt, ...] = ()
    mistake: str = ""
    reason: str = ""  # why it could not be checked
    parse: Parse | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        if self.agrees is None:
            return f"can't tell: {self.reason}"
        if self.agrees:
            return f"right: {self.expected}"
        mistake = f" ({self.mistake})" if self.mistake else ""
        return f"wrong: {self.given} should be {self.expected}{mistake}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "text": self.text,
            "given": self.given,
            "agrees": self.agrees,
            "expected": self.expected,
            "probability": self.probability,
            "doubts": [doubt.to_dict() for doubt in self.doubts],
            "mistake": self.mistake,
            "reason": self.reason,
        }


def check(
    text: str,
    answer: str,
    *,
    parser: Parser | None = None,
    min_probability: float | None = None,
    strict: bool = False,
) -> Verdict:
    """Compare an answer to a problem with ours: 0.5 is 1/2, "18 and 12" is "12 and 18", 155 cm is 1.55 m."""
    given = read_given(answer)
    options: dict[str, Any] = {"min_probability": min_probability, "strict": strict}
    parse = (parser or _default_parser()).parse(text, top=READINGS, **options)
    return verdict_on(parse, given)


@cache
def _default_parser() -> Parser:
    return load()


def verdict_on(parse: Parse, given: GivenAnswer) -> Verdict:
    """The verdict on an answer that was given to a text that is parsed already."""
    expected = parse.answer_text or _equation(parse)
    found = Verdict(parse.text, given.text, None, expected, parse.probability, parse.doubts, parse=parse)
    if expected is None:
        return replace(found, reason="; ".join(parse.warnings) or "no answer was found")
    if parse.answer_text is None and parse.warnings and given.equation is None:
        return replace(found, reason="; ".join(parse.warnings))
    if not given.values and given.equation is None and given.clock is None:
        return replace(found, reason="there is no number in the answer that was given")
    if _agrees(parse, parse.best, given):
        return replace(found, agrees=True)
    return replace(found, agrees=False, mistake=_mistake(parse, given))


def _equation(parse: Parse) -> str | None:
    return None if parse.equation is None else to_infix(parse.equation, unicode=True)


def _agrees(parse: Parse, candidate: Candidate | None, given: GivenAnswer) -> bool:
    """Whether an answer is that of a reading."""
    if candidate is None:
        return False
    if candidate.expression is not None:
        clock = asks_for_time(parse.text)
        value = candidate.answer
        return value is not None and agrees(value, given, parse.unit, clock)
    if candidate.answer is not None and agrees(candidate.answer, given, parse.unit):
        return True
    if candidate.solution and agrees_with_all(tuple(candidate.solution.values()), given):
        return True
    return agrees_with_equation(candidate.mathematics, given)


def _mistake(parse: Parse, given: GivenAnswer) -> str:
    """What went wrong, if the answer comes from another reading, or from a slip in the right one."""
    best = parse.best
    assert best is not None
    if parse.unit != NO_UNIT and best.answer is not None and agrees(best.answer, given):
        return f"the number is right, the unit should be {parse.unit.name}"
    for other in (*parse.alternatives, *_slips(best)):
        same_kind = (other.expression is None) == (best.expression is None)
        if same_kind and _agrees(parse, other, given):
            shown = [_shown(quantity) for quantity in parse.quantities]
            return what_went_wrong(read_problem(parse.text), best, other, shown)
    return ""


def _shown(quantity: QuantityUse) -> str:
    """A number as a person would name it: the words it is written in, the fact, or what mentions it."""
    match quantity.source:
        case Source.KNOWN.value:
            return f"that {quantity.fact}"
        case Source.REFERRING.value:
            return f"{number_text(quantity.value)} ({quantity.text})"
    return quantity.text


def _slips(best: Candidate) -> Iterator[Candidate]:
    """The right numbers under other operations."""
    if best.expression is None:
        return
    for mathematics in _exchanged(best.mathematics):
        if evaluate(mathematics) is not None:
            yield Candidate(mathematics, 0.0)


_PLAIN = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)


def _exchanged(expression: Expression) -> Iterator[Expression]:
    """Every expression of the same shape with other plain operators, and operands the other way round."""
    if not isinstance(expression, Operation) or expression.depth > MAX_SLIPS:
        yield expression
        return
    lefts, rights = list(_exchanged(expression.left)), list(_exchanged(expression.right))
    own = {expression.operator, *_PLAIN} if expression.operator in _PLAIN else {expression.operator}
    for operator, left, right in product(sorted(own, key=lambda one: one.value), lefts, rights):
        yield Operation(operator, left, right)
        if not operator.commutative and operator in _PLAIN:
            yield Operation(operator, right, left)

"""The steps to an answer, each with its value, its unit and its meaning in the text.

>>> from text2math.language.answers import answer_unit
>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix
>>> problem = read_problem("Ann had 24 cookies and ate 6. She puts 3 in a bag. How many bags does she fill?")
>>> expression = from_infix("(24[0] - 6[1]) / 3[2]")
>>> for step in steps(problem, expression, answer_unit(problem, expression)):
...     print(step)
24 − 6 = 18 cookies
18 ÷ 3 = 6 bags
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from text2math.inference.tree import TextMathTree
from text2math.language.answers import NO_UNIT, Unit, node_unit, with_unit
from text2math.language.numbers import vocabulary
from text2math.language.problem import Problem
from text2math.mathematics.expression import Expression, Number, Operation, Operator
from text2math.mathematics.notation import from_infix, to_infix, to_latex
from text2math.mathematics.working import Action, Worked, worked


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is worked out, its value with its unit, and what that is ("left", "each")."""

    action: Action
    left: Expression | None = None
    right: Expression | None = None
    value: Fraction | None = None
    unit: Unit = NO_UNIT
    manner: str = ""
    label: int | None = None
    note: str = ""

    @property
    def meaning(self) -> str:
        """What the value is: "cookies left"."""
        return f"{self.unit.many} {self.manner}".strip()

    @property
    def statement(self) -> str:
        """The mathematics, for a computation with the unit of its value: "24 − 6 = 18 cookies"."""
        if self.action is not Action.COMPUTE or self.left is None or self.value is None:
            return Worked(self.action, self.left, self.right, self.value).statement
        return f"{to_infix(self.left, unicode=True)} = {with_unit(self.value, self.unit)}"

    def __str__(self) -> str:
        if self.action is Action.COMPUTE:
            return f"{self.statement} {self.manner}".strip()
        label = "" if self.label is None else f"({self.label}) "
        note = f"  [{self.note}]" if self.note and self.statement else self.note
        return f"{label}{self.statement}{note}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data; ``text`` is the step in words, ``left`` and ``right`` its mathematics in infix."""
        sides = [None if side is None else to_infix(side) for side in (self.left, self.right)]
        return {
            "action": self.action.value,
            "text": str(self),
            "left": sides[0],
            "right": sides[1],
            "latex": latex_of(self),
            "value": None if self.value is None else str(self.value),
            "unit": self.unit.to_dict(),
            "manner": self.manner,
            "meaning": self.meaning,
            "label": self.label,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Step:
        """The step that ``to_dict`` describes."""
        left, right = (None if data[side] is None else from_infix(data[side]) for side in ("left", "right"))
        value = None if data["value"] is None else Fraction(data["value"])
        unit = Unit.from_dict(data["unit"])
        action, rest = Action(data["action"]), (data["manner"], data["label"], data["note"])
        return cls(action, left, right, value, unit, *rest)


def latex_of(step: Step) -> str:
    """The mathematics of a step for LaTeX, without dollar signs around it."""
    sides = [to_latex(side) for side in (step.left, step.right) if side is not None]
    if step.action is Action.SOLVE and step.value is not None and not isinstance(step.right, Number):
        sides.append(to_latex(Number(step.value)))
    return " = ".join(sides)


def steps(
    problem: Problem, mathematics: Expression, unit: Unit = NO_UNIT, tree: TextMathTree | None = None
) -> tuple[Step, ...]:
    """The steps to the answer of a problem; the last computation has the answer's unit."""
    owned = {} if tree is None else dict(_words(mathematics, tree, problem))
    question = frozenset(token.text.lower() for token in problem.tokens if token.in_question)
    found = []
    for one in worked(mathematics):
        own_unit, manner = (unit if one.action is Action.SOLVE else NO_UNIT), ""
        if isinstance(one.part, Operation):
            last = one.part is mathematics
            own_unit = unit if last else node_unit(problem, one.part)
            manner = _manner(
                one.part.operator, owned.get(id(one.part), NOTHING), question if last else NOTHING
            )
            # 18 cookies in bags of 3 are 6 bags, not 6 bags each.
            if manner == EACH and own_unit.name != node_unit(problem, one.part.left).name:
                manner = ""
        found.append(Step(one.action, one.left, one.right, one.value, own_unit, manner, one.label, one.note))
    return tuple(found)


def _words(
    mathematics: Expression, tree: TextMathTree, problem: Problem
) -> Iterator[tuple[int, frozenset[str]]]:
    """The words of each operation and its numbers, by the operation's identity; none if shapes differ."""
    if isinstance(mathematics, Operation) and tree.symbol.operator is mathematics.operator:
        leaves = (child.words for child in tree.children if not child.children)
        owned = chain(tree.words, *leaves)
        yield id(mathematics), frozenset(problem.tokens[at].text.lower() for at in owned)
        for operand, child in zip((mathematics.left, mathematics.right), tree.children, strict=True):
            yield from _words(operand, child, problem)


NOTHING: frozenset[str] = frozenset()
EACH = "each"
_LEFT = frozenset(vocabulary("left remain remains remained remaining still rest leftover"))
_LOST = frozenset(
    vocabulary(
        "ate eaten eats gave given gives sold sells lost loses spent spends used uses broke broken threw "
        "took taken removed died flew away deleted"
    )
)
# Comparisons count only in the question: "17 fewer than Sven" in the story makes no number of coins "fewer".
_COMPARISONS = (
    ("more", frozenset(("more",))),
    ("fewer", frozenset(("fewer",))),
    ("less", frozenset(("less", "cheaper", "shorter", "lighter", "lower"))),
)
_ALL = frozenset(vocabulary("altogether total together all sum combined whole overall both"))
_APIECE = frozenset(vocabulary("each every per apiece equally evenly"))


def _manner(operator: Operator, own: frozenset[str], question: frozenset[str]) -> str:
    """What an operation's own words and the question say about its result: "left", "in all", "each"."""
    words = own | question
    match operator:
        case Operator.SUB:
            asked = next((manner for manner, cues in _COMPARISONS if cues & question), "")
            return asked or ("left" if words & (_LEFT | _LOST) else "")
        case Operator.ADD:
            return "in all" if words & _ALL else ""
        case Operator.DIV:
            return EACH if words & _APIECE else ""
    return ""

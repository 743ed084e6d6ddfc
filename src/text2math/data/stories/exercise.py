"""Exercises: a text with marks, questions, and numbers that are redrawn.

>>> NUMBER.findall("{Ines f} has $[a 40] and buys [b 3] kites.")
[('a', '40'), ('b', '3')]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from text2math.data.stories.written_numbers import WrittenNumber
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Variable,
    fold,
    numbers,
)

EQUATION, SYSTEM, BEYOND = "equation", "system", "beyond"
KINDS = (
    *("change", "combine", "compare", "scaling", "groups", "sharing", "array", "area", "price", "speed"),
    *("rate", "money", EQUATION, "rounding", "percent", "clock", SYSTEM, BEYOND),
)

NUMBER = re.compile(r"\[([a-z]) ([^\]]+)\]")
UNKNOWN = re.compile(r"\((?=[XYZ])(X?Y?Z?): ")
MARK = re.compile(
    NUMBER.pattern + r"|\{([^} ]+)(?: ([fm]))?\}|<(\w):([^>]+)>|<(\w)>|" + UNKNOWN.pattern + r"|(\))"
)
UNKNOWNS = {"X": Variable(1), "Y": Variable(2), "Z": Variable(3)}


class SheetError(ValueError):
    """A sheet that can't be read: where, and why."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one or more wordings, and the mathematics it asks for; None if beyond the grammar.

    The numbers of the expression point at those of the exercise: ``Number.quantity`` is an index into them.
    Numbers without an index are known numbers, which words of the text imply. ``asked`` is what equations are
    solved for. A ``plain`` question needs only + - * / or one equation, and uses each number once.
    """

    wordings: tuple[str, ...]
    expression: Expression | None
    asked: tuple[Expression, ...] = ()
    plain: bool = True

    @property
    def used(self) -> frozenset[int]:
        """The numbers of the exercise that it uses."""
        trees = () if self.expression is None else (self.expression, *self.asked)
        return frozenset(
            number.quantity for tree in trees for number in numbers(tree) if number.quantity is not None
        )


class Rule(NamedTuple):
    """One of an exercise's numbers stays larger than another."""

    larger: int
    smaller: int


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise of a sheet."""

    name: str
    kind: str
    story: str
    questions: tuple[Question, ...]
    rules: tuple[Rule, ...]
    letters: tuple[str, ...]
    numbers: tuple[WrittenNumber, ...]  # one for each letter


def with_values(expression: Expression, values: Sequence[Number]) -> Expression:
    """The expression with other numbers instead of the exercise's; known numbers stay."""

    def leaf(node: Number | Variable) -> Expression:
        return values[node.quantity] if isinstance(node, Number) and node.quantity is not None else node

    return fold(expression, leaf, Operation)

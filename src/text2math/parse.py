"""What a parser finds in a text: mathematics, answer, the words behind it, and what else it could mean.

>>> nothing = Parse.nothing("Good morning!", "there is no number in the text")
>>> nothing.kind, nothing.answer, nothing.warnings
('none', None, ('there is no number in the text',))
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from textwrap import shorten
from typing import Any, Literal

from text2math.deferred import Deferred, worked_out
from text2math.inference.tree import TextMathTree
from text2math.language.answers import NO_UNIT, Unit, answer_text, solution_text
from text2math.mathematics.expression import Expression, Number, Operation, equations, sort_of
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import from_infix, to_infix, to_latex, to_sympy
from text2math.model.candidates import Candidate, plain_mathematics, statement
from text2math.model.candidates import plain_number as plain_number
from text2math.model.doubts import Doubt
from text2math.model.steps import Step

Kind = Literal["expression", "equation", "system", "none"]

SHOWN = 60  # characters of a text in the repr of its parse


_KINDS: Mapping[Sort, Kind] = {
    Sort.VALUE: "expression",
    Sort.STATEMENT: "equation",
    Sort.SYSTEM: "system",
}


def plain_float(value: Fraction | None) -> float | None:
    """The nearest float, or None where there is none."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of the text with their half-open character span."""

    text: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"text": self.text, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class QuantityUse:
    """A number of the text: exact value, words, whether the mathematics uses it, and what it counts."""

    value: Fraction
    text: str
    start: int
    end: int
    used: bool
    unit: str = ""
    source: str = "written"  # or "known", or "refers to": a word implies it
    fact: str = ""  # what is known: "1 week = 7 days", "6:15 is 375 minutes after midnight"
    refers_to: int | None = None  # the index of the written number that a word refers to

    def to_dict(self) -> dict[str, Any]:
        """Plain data; the value is an exact string such as ``7`` or ``2/3``."""
        return {
            "value": str(self.value),
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "used": self.used,
            "unit": self.unit,
            "source": self.source,
            "fact": self.fact,
            "refers_to": self.refers_to,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> QuantityUse:
        """The quantity that ``to_dict`` wrote down."""
        return cls(**{**data, "value": Fraction(data["value"])})


def _candidate(data: Mapping[str, Any], quantities: Sequence[QuantityUse]) -> Candidate | None:
    """The candidate that ``to_dict`` wrote down; None where there is no mathematics."""
    written = data["expression"] or data["equation"]
    if written is None:
        return None
    tree = None if data["tree"] is None else TextMathTree.from_dict(data["tree"])
    if tree is None:
        used = [(one.value, index) for index, one in enumerate(quantities) if one.used]
        mathematics = _linked(from_infix(written), used)
    else:
        mathematics = tree.expression([quantity.value for quantity in quantities])
    return Candidate(mathematics, data["probability"], tree, asked=tuple(map(from_infix, data["asked"])))


def _linked(mathematics: Expression, used: list[tuple[Fraction, int]]) -> Expression:
    """Mathematics that a text writes out has its numbers in the order of the text, so each finds its own."""
    match mathematics:
        case Operation(operator, left, right):
            return Operation(operator, _linked(left, used), _linked(right, used))
        case Number(value):
            found = next((index for other, index in used if other == value), None)
            if found is not None and len([one for one in used if one[0] == value]) > 1:
                used.remove((value, found))  # the last of some that are alike is there for all others
            return Number(value, found)
    return mathematics


@dataclass(frozen=True)
class Parse:
    """The mathematics of a text, if it has any, and everything known about it.

    Tree, tokens, quantities, variables, unit, doubts and steps are worked out when they are first asked for,
    or when it is pickled.
    """

    text: str
    mathematics: Expression | None
    answer: Fraction | None
    probability: float | None
    tree: Deferred[TextMathTree | None] = Deferred(None)
    tokens: Deferred[tuple[Phrase, ...]] = field(default=Deferred(()), repr=False)
    quantities: Deferred[tuple[QuantityUse, ...]] = Deferred(())
    alternatives: tuple[Candidate, ...] = field(default=(), repr=False)
    solution: Mapping[str, Fraction] | None = field(default=None, hash=False)
    variables: Deferred[Mapping[str, Phrase]] = field(default=Deferred({}), hash=False)
    warnings: tuple[str, ...] = ()
    model: str = ""
    unit: Deferred[Unit] = Deferred(NO_UNIT)
    doubts: Deferred[tuple[Doubt, ...]] = Deferred(())
    steps: Deferred[tuple[Step, ...]] = Deferred(())
    asked: tuple[Expression, ...] = ()  # of a system: what the text asks for

    __getstate__ = worked_out

    @classmethod
    def nothing(cls, text: str, *warnings: str, model: str = "") -> Parse:
        """A text without mathematics, and why we say so."""
        return cls(text, None, None, None, warnings=warnings, model=model)

    @property
    def best(self) -> Candidate | None:
        """What was found, as one of the candidates; the others are the ``alternatives``."""
        if self.mathematics is None or self.probability is None:
            return None
        return Candidate(self.mathematics, self.probability, self.tree, asked=self.asked)

    @property
    def kind(self) -> Kind:
        """What was found: an expression, an equation, a system of equations, or nothing."""
        return "none" if self.mathematics is None else _KINDS[sort_of(self.mathematics)]

    @property
    def expression(self) -> Expression | None:
        """The expression, where it is one."""
        return self.mathematics if self.kind == "expression" else None

    @property
    def equation(self) -> Expression | None:
        """The equation, or the system of equations, where it is one."""
        return self.mathematics if self.kind in ("equation", "system") else None

    @property
    def equations(self) -> tuple[Expression, ...]:
        """The equation, or those of a system."""
        return () if self.mathematics is None else equations(self.mathematics)

    @property
    def answers(self) -> tuple[Fraction, ...]:
        """The answers to what is asked: several where a system's unknowns are all asked for."""
        return () if self.best is None else self.best.answers

    @property
    def answer_float(self) -> float | None:
        """The answer as a float."""
        return plain_float(self.answer)

    @property
    def answer_text(self) -> str | None:
        """The answer as a person writes it: "6 bags", "$28", "Tim is 12, Sara is 24"."""
        if self.mathematics is None:
            return None
        if self.answer is not None and (
            self.kind == "expression" or self.unit != NO_UNIT or "?" in self.text
        ):
            return answer_text(self.text, self.mathematics, self.answer, self.unit)
        if not self.solution:
            return None
        words = {name: phrase.text for name, phrase in self.variables.items()}
        asked = dict(zip(map(to_infix, self.asked), self.answers, strict=False))
        return solution_text(asked or self.solution, words)

    @property
    def latex(self) -> str | None:
        """The mathematics for a LaTeX formula."""
        return None if self.mathematics is None else to_latex(self.mathematics)

    @property
    def steps_latex(self) -> str:
        """The steps for LaTeX, as an ``align*`` of amsmath."""
        from text2math.render import steps_latex

        return steps_latex(self.steps)

    def to_sympy(self) -> Any:
        """The mathematics as a sympy object (None where there is none)."""
        return None if self.mathematics is None else to_sympy(self.mathematics)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as the command line and the server give it."""
        solution = self.solution
        return {
            "text": self.text,
            "kind": self.kind,
            **plain_mathematics(self.mathematics, self.answer, self.probability),
            "answer_float": self.answer_float,
            "answer_text": self.answer_text,
            "unit": self.unit.to_dict(),
            "solution": None
            if solution is None
            else {name: plain_number(value) for name, value in solution.items()},
            "tokens": [token.to_dict() for token in self.tokens],
            "tree": None if self.tree is None else self.tree.to_dict(),
            "variables": {name: phrase.to_dict() for name, phrase in self.variables.items()},
            "quantities": [quantity.to_dict() for quantity in self.quantities],
            "alternatives": [alternative.to_dict() for alternative in self.alternatives],
            "warnings": list(self.warnings),
            "doubts": [doubt.to_dict() for doubt in self.doubts],
            "steps": [step.to_dict() for step in self.steps],
            "equations": [to_infix(equation) for equation in self.equations],
            "asked": [to_infix(one) for one in self.asked],
            "answers": [plain_number(value) for value in self.answers],
            "model": self.model,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Parse:
        """The parse that ``to_dict`` wrote down.

        >>> nothing = Parse.nothing("Hello!", "there is no number in the text")
        >>> Parse.from_dict(nothing.to_dict()) == nothing
        True
        """
        quantities = tuple(QuantityUse.from_dict(row) for row in data["quantities"])
        best = _candidate(data, quantities)
        solution = data["solution"]
        return cls(
            text=data["text"],
            mathematics=None if best is None else best.mathematics,
            answer=None if best is None else best.answer,
            probability=data["probability"],
            tree=None if best is None else best.tree,
            tokens=tuple(Phrase(**row) for row in data["tokens"]),
            quantities=quantities,
            alternatives=tuple(
                found for row in data["alternatives"] if (found := _candidate(row, quantities))
            ),
            solution=None
            if solution is None
            else {name: Fraction(str(value)) for name, value in solution.items()},
            variables={name: Phrase(**row) for name, row in data["variables"].items()},
            warnings=tuple(data["warnings"]),
            model=data["model"],
            unit=Unit.from_dict(data["unit"]),
            doubts=tuple(Doubt.from_dict(row) for row in data["doubts"]),
            steps=tuple(Step.from_dict(row) for row in data["steps"]),
            asked=() if best is None else best.asked,
        )

    def to_json(self) -> str:
        """``to_dict`` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_svg(self, theme: Literal["light", "dark"] = "light") -> str:
        """The text with each node's words in the node's colour, and the tree, as a picture."""
        from text2math.render import svg

        return svg(self.text, self.tokens, self.tree, self._values, theme=theme)

    def to_terminal(self, *, colour: bool = False, width: int = 80) -> str:
        """The same as lines of text."""
        from text2math.render import terminal

        return terminal(self.text, self.tokens, self.tree, self._values, colour=colour, width=width)

    @property
    def _values(self) -> list[Fraction]:
        return [quantity.value for quantity in self.quantities]

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if self.tree is not None else None

    def _repr_html_(self) -> str:
        if self.tree is None:
            return f"<p>{escape(str(self))}</p>"
        rows = "".join(
            f"<tr><td>{escape(to_infix(other.mathematics, unicode=True))}</td>"
            f"<td>{100 * other.probability:.1f} %</td></tr>"
            for other in self.alternatives
        )
        table = f"<table><caption>Other readings</caption>{rows}</table>" if rows else ""
        return f"<div>{self.to_svg()}{table}</div>"

    def __str__(self) -> str:
        if self.mathematics is None:
            return "; ".join(self.warnings) or "no mathematics found"
        return statement(self.mathematics, self.answer)

    def __repr__(self) -> str:
        text = shorten(self.text, SHOWN, placeholder="…")
        sure = "" if self.probability is None else f", probability={self.probability:.4g}"
        return f"Parse({text!r}, {self}{sure})"

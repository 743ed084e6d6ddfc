"""Text-math trees written by hand, in brackets: what the node is, then its words and its operands.

An operator whose operands are reversed is followed by a ``~``. A constant is written with its value.

>>> problem, tree = read_brackets("[-~ [11 11] less than [* [5 5] times [X2 the other.]]]")
>>> problem.text
'11 less than 5 times the other.'
>>> print(tree.format([token.text for token in problem.tokens]))
SUB BwA {B} less than {A}
├─ MUL AwB {A} times {B}
│  ├─ CON n1: 5
│  └─ X2: the other .
└─ CON n0: 11
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import UNKNOWNS, Symbol
from text2math.inference.tree import TextMathTree, TreeError
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.expression import Number, Operator
from text2math.mathematics.notation import NotationError, from_infix

_SIGNS = {operator.value: Symbol[operator.name] for operator in Operator}
_UNKNOWNS = {symbol.name: symbol for symbol in UNKNOWNS}
_PART = re.compile(r"\[(?P<name>[^\s\[\]]+)[ ]?|(?P<close>\])|(?P<words>[^\[\]]+)")


@dataclass(slots=True)
class _Bracket:
    """What is between two brackets, by its characters in the text."""

    name: str
    start: int
    end: int = 0
    operands: list[_Bracket] = field(default_factory=list)


def read_brackets(text: str) -> tuple[Problem, TextMathTree]:
    """The problem and the tree; ``TreeError`` says what is wrong with it."""
    plain, outermost = "", _Bracket("", 0)
    stack = [outermost]
    for match in _PART.finditer(text):
        if match["name"]:
            stack.append(_Bracket(match["name"], len(plain)))
            stack[-2].operands.append(stack[-1])
        elif match["words"]:
            plain += match["words"]
        elif len(stack) == 1:
            raise TreeError(f"at character {match.start()}: ']' without its '['")
        else:
            stack.pop().end = len(plain)
    if len(stack) > 1 or len(outermost.operands) != 1:
        raise TreeError("a tree is one pair of brackets around all of the text, each '[' with its ']'")
    problem = read_problem(plain)
    tree = _tree(problem, outermost.operands[0])
    tree.check(problem.anchors)
    if tree.span != (0, len(problem.tokens)):
        raise TreeError("some words are outside the brackets")
    return problem, tree


def _tree(problem: Problem, bracket: _Bracket) -> TextMathTree:
    inside = [i for i, t in enumerate(problem.tokens) if bracket.start <= t.start and t.end <= bracket.end]
    if not inside:
        raise TreeError(f"[{bracket.name}] has no words")
    span = inside[0], inside[-1] + 1
    if bracket.name in _UNKNOWNS:
        return TextMathTree(_UNKNOWNS[bracket.name], span)
    sign = bracket.name.removesuffix("~")
    if sign not in _SIGNS:
        return TextMathTree(Symbol.CON, span, quantity=_quantity(problem, bracket.name, span))
    if len(bracket.operands) != 2:
        raise TreeError(f"[{bracket.name}] needs two operands, not {len(bracket.operands)}")
    one, two = (_tree(problem, operand) for operand in bracket.operands)
    swapped = bracket.name.endswith("~")
    pattern = Pattern(swapped, one.span[0] > span[0], two.span[0] > one.span[1], span[1] > two.span[1])
    return TextMathTree(_SIGNS[sign], span, pattern, (two, one) if swapped else (one, two))


def _quantity(problem: Problem, name: str, span: tuple[int, int]) -> int:
    """The number of the text with this value, inside the span."""
    try:
        wanted = from_infix(name)
    except NotationError as error:
        raise TreeError(f"[{name}] is not an operator, an unknown or a number") from error
    for index, (quantity, anchor) in enumerate(zip(problem.quantities, problem.anchors, strict=True)):
        if span[0] <= anchor < span[1] and wanted == Number(quantity.value):
            return index
    raise TreeError(f"[{name}] contains no number of that value")

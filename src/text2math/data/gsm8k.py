"""One expression from a worked solution: each intermediate result is replaced by its computation.

>>> from text2math.mathematics.notation import to_infix
>>> solution = "In May she sold 48/2 = <<48/2=24>>24 clips, in all 48+24 = <<48+24=72>>72.\\n#### 72"
>>> to_infix(composed(solution, written={Fraction(48)}).expression)
'48 + 48 / 2'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from text2math.language.attachment import UnmappableError, decimal
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import Expression, Number, Operation, Variable, fold, leaves
from text2math.mathematics.notation import NotationError, from_infix

MAX_LEAVES = 12
ROUNDED = Fraction(1, 100)  # the relative error that a computation may have

_MARKED = re.compile(r"<<([^<>]*)>>")
# A computation that the solution writes out without marking it: "20 / 4 = $5".
_PLAIN = re.compile(r"([\d$(.][\d\s$.,%()+\-−*/x×÷]{2,60}?)=\s*\$?\s*(\d[\d,]*(?:\.\d+)?)")
_SIGNS = str.maketrans({"x": "*", "×": "*", "÷": "/", "−": "-"})
_PERCENT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)%")


@dataclass(frozen=True, slots=True)
class Solution:
    """A worked solution as one expression, with the answer that it states."""

    expression: Expression
    answer: Fraction


@dataclass(slots=True)
class _Result:
    """The result of a step, its computation, and whether a later step has used it."""

    value: Fraction
    expression: Expression
    used: bool = False


def composed(solution: str, written: Collection[Fraction]) -> Solution:
    """The expression that leads to the answer; ``written`` are the values in the text.

    A number may be both in the text and the result of a step; the choice that uses more steps is taken.
    """
    *_, stated = solution.split("####")
    answer = _value(stated)
    steps = [(_read(left), _value(right)) for left, right in _computations(solution)]
    found = [_last_step(steps, answer, frozenset(written), text_first) for text_first in (True, False)]
    _, size, expression = min(found, key=lambda result: result[:2])
    if size > MAX_LEAVES:
        raise UnmappableError(f"an expression of more than {MAX_LEAVES} numbers", f"{size} numbers")
    value = evaluate(expression)
    if value is None or abs(value - answer) > ROUNDED * max(abs(answer), Fraction(1)):
        raise UnmappableError("computations that do not lead to the answer", f"they give {value}")
    return Solution(expression, answer)


def _last_step(
    steps: Sequence[tuple[Expression, Fraction]],
    answer: Fraction,
    written: frozenset[Fraction],
    text_first: bool,
) -> tuple[int, int, Expression]:
    """How many steps are unused, the size of the expression, and the expression that gives the answer."""
    results: list[_Result] = []
    for computation, value in steps:
        results.append(_Result(value, _replaced(computation, results, written, text_first)))
    last = next((result for result in reversed(results) if result.value == answer), None)
    if last is None:
        raise UnmappableError("computations that do not lead to the answer", decimal(answer))
    unused = sum(not result.used for result in results if result is not last)
    return unused, sum(1 for _ in leaves(last.expression)), last.expression


def _computations(solution: str) -> Iterator[tuple[str, str]]:
    """The left and right sides of each computation: all marked ones, and unmarked ones that are true."""
    for line in solution.splitlines():
        after = 0
        for marked in _MARKED.finditer(line):
            yield from _plain(line[after : marked.start()])
            left, _, right = marked[1].partition("=")
            yield left, right.split("=")[-1]
            after = marked.end()
        yield from _plain(line[after:])


def _plain(text: str) -> Iterator[tuple[str, str]]:
    for match in _PLAIN.finditer(text):
        left, right = match[1].translate(_SIGNS), match[2]
        try:
            tree = _read(left)
        except UnmappableError:
            continue  # what only looks like a computation
        if isinstance(tree, Operation) and evaluate(tree) == _value(right):
            yield left, right


def _value(stated: str) -> Fraction:
    try:
        return Fraction(re.sub(r"[$,%\s]", "", stated))
    except (ValueError, ZeroDivisionError) as error:
        raise UnmappableError("a computation that can't be read", stated.strip()) from error


def _read(computation: str) -> Expression:
    cleaned = _PERCENT.sub(r"(\1/100)", re.sub(r"[$,]", "", computation)).removeprefix("+")
    try:
        return from_infix(cleaned)
    except NotationError as error:
        raise UnmappableError("a computation that can't be read", f"{computation}: {error}") from error


def _replaced(
    expression: Expression, results: list[_Result], written: frozenset[Fraction], text_first: bool
) -> Expression:
    """The expression with its intermediate results replaced, first by those that no step has used yet."""

    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable):
            raise UnmappableError("a computation that can't be read", node.name)
        same = [result for result in reversed(results) if result.value == node.value]
        fresh = next((result for result in same if not result.used), None)
        if not same or (node.value in written and (text_first or fresh is None)):
            return node
        chosen = fresh or same[0]
        chosen.used = True
        return chosen.expression

    return fold(expression, leaf, Operation)

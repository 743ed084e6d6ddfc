"""Sheets of exercises, written out by hand, to be retold with other names and other numbers each time.

A sheet is a text file in ``exercises``. It begins with a comment (lines that begin with ``#``) that says what the sheet
teaches. Its exercises are separated by empty lines; each has a line with its kind, lines of story, lines that begin
with ``?`` (a question, or several ways to put it, and the mathematics it asks for), and perhaps lines that begin with
``!`` (rules that the numbers keep):

    @ money
    {Ines f} has $[a 40] and buys [b 3] <x:puzzles|kites> for $[c 7] each.
    ? How much does she pay for the <x>? / What do the <x> cost? = b * c
    ? How much money does {Ines} have left? = a - b * c
    ! a > c

``[a 40]`` is a number that is drawn anew, ``{Ines f}`` a name (with f or m at its first mention), ``<x:puzzles|kites>``
a choice that ``<x>`` repeats. Numbers drawn anew keep the steps of every question above zero, and whole where they
were whole; a fraction and a word such as "twice" keep their value.

Under ``@ equation`` each line that begins with ``?`` is an exercise of its own, a sentence that states an equation.
``(X: the first number)`` marks what an unknown stands for, X or Y, and ``(XY: two numbers)`` what both stand for. An
unknown may be used twice:

    @ equation
    ? (XY: Two numbers) differ by [a 8]. = X - Y = a
    ? (X: The index) closes [a 0.7%] lower at [b 10,842]. = X - a * X = b
    ? [a 3] times (X: one number) is [b 11] less than [c 5] times (Y: the other). = a * X = c * Y - b

>>> (exercise,) = read("@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b", "wires")
>>> [question.wordings for question in exercise.questions]
[('How many are left?',)]
>>> [(number.text, number.value) for number in exercise.numbers]
[('7', Fraction(7, 1)), ('Two', Fraction(2, 1))]
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from text2math.data.stories.written import Written
from text2math.language.numbers import find_quantities
from text2math.mathematics.algebra import answer_of
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    is_equation,
    leaves,
)

FOLDER = "exercises"
HELD_OUT = "held_out"
"""The folder of sheets by authors who wrote no other: the first training stage leaves them out."""
Sheets = Literal["all", "training", "held_out"]
EQUATION = "equation"
KINDS = (
    "change", "combine", "compare", "scaling", "groups", "sharing", "array", "area", "price", "speed", "rate", "money", EQUATION,
)  # fmt: skip

NUMBER = re.compile(r"\[([a-z]) ([^\]]+)\]")
UNKNOWN = re.compile(r"\((XY?|Y): ")
MARK = re.compile(
    NUMBER.pattern + r"|\{([^} ]+)(?: ([fm]))?\}|<(\w):([^>]+)>|<(\w)>|" + UNKNOWN.pattern + r"|(\))"
)
UNKNOWNS = {"X": Variable(1), "Y": Variable(2)}
_RULE = re.compile(r"([a-z]) ([<>]) ([a-z])")
_OPERATORS = {ast.Add: Operator.ADD, ast.Sub: Operator.SUB, ast.Mult: Operator.MUL, ast.Div: Operator.DIV}


class SheetError(ValueError):
    """A sheet that can't be read: where, and why."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one or more wordings, and the mathematics that it asks for.

    The numbers of the expression point at those of the exercise: ``Number.quantity`` is an index into them.
    """

    wordings: tuple[str, ...]
    expression: Expression


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
    numbers: tuple[Written, ...]  # one for each letter


@cache
def exercises(sheets: Sheets = "all") -> tuple[Exercise, ...]:
    """The exercises of the package's sheets: of all, of those to train on first, or of those held out."""
    folders = {"all": ("", HELD_OUT), "training": ("",), "held_out": (HELD_OUT,)}[sheets]
    found = [(name, folder) for folder in folders for name in sheet_names(folder)]
    # By name whatever the folder, so that a seed tells the same exercises wherever a sheet is.
    return tuple(exercise for name, folder in sorted(found) for exercise in _sheet(name, folder))


def sheet_names(folder: str = "") -> list[str]:
    """The names of the package's sheets, or of those in a folder."""
    found = files("text2math.data.stories").joinpath(FOLDER, folder).iterdir()
    return sorted(file.name.removesuffix(".txt") for file in found if file.name.endswith(".txt"))


def sheet_text(name: str, folder: str = "") -> str:
    """A sheet of the package, as it is written."""
    file = files("text2math.data.stories").joinpath(FOLDER, folder, f"{name}.txt")
    return file.read_text(encoding="utf-8")


@cache
def _sheet(name: str, folder: str) -> tuple[Exercise, ...]:
    return tuple(_parsed(sheet_text(name, folder), name))  # the tests check it


def read(text: str, sheet: str) -> tuple[Exercise, ...]:
    """The exercises of a sheet; raises ``SheetError`` for one that is not sound."""
    found = tuple(_parsed(text, sheet))
    for exercise in found:
        _check(exercise)
    return found


def _parsed(text: str, sheet: str) -> Iterator[Exercise]:
    blocks = [lines for block in re.split(r"\n\s*\n", text) if (lines := _lines(block))]
    for number, lines in enumerate(blocks, start=1):
        yield from _exercises(lines, f"{sheet} {number}")


def _lines(block: str) -> list[str]:
    """The lines of a block without comments."""
    return [line.strip() for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _exercises(lines: Sequence[str], name: str) -> Iterator[Exercise]:
    """The exercise of a block; in a block of equations, every sentence is one."""
    if lines[0].removeprefix("@").strip() != EQUATION:
        yield _exercise(lines, name)
        return
    for number, line in enumerate(lines[1:], start=1):
        yield _exercise([lines[0], line], f"{name}.{number}")


def _exercise(lines: Sequence[str], name: str) -> Exercise:
    kind = next((line[1:].strip() for line in lines if line.startswith("@")), "")
    story = " ".join(line for line in lines if line[0] not in "@?!")
    asked = [_wordings(line[1:], name) for line in lines if line.startswith("?")]
    if not kind or not asked:
        raise SheetError(f"{name}: an exercise needs a kind (@) and a question (?)")
    if kind not in KINDS:
        raise SheetError(f"{name}: {kind!r} is no kind; choose from {', '.join(KINDS)}")
    numbers = _numbers((story, *(wording for wordings, _ in asked for wording in wordings)), name)
    return Exercise(
        name,
        kind,
        story,
        tuple(Question(wordings, _expression(text, numbers, name)) for wordings, text in asked),
        tuple(_rule(line[1:].strip(), list(numbers), name) for line in lines if line.startswith("!")),
        tuple(numbers),
        tuple(numbers.values()),
    )


def _wordings(line: str, name: str) -> tuple[tuple[str, ...], str]:
    """The ways to put a question, and what it asks for."""
    question, equals, mathematics = line.partition(" = ")
    if not equals:
        raise SheetError(f"{name}: what does the question ask for? Write = and the mathematics: {line}")
    return tuple(wording.strip() for wording in question.split(" / ")), mathematics.strip()


def _numbers(texts: Sequence[str], name: str) -> dict[str, Written]:
    """The numbers by their letters, in the order of the alphabet."""
    numbers: dict[str, Written] = {}
    for letter, shown in (found for text in texts for found in NUMBER.findall(text)):
        number = _written(shown)
        if number is None:
            raise SheetError(f"{name}: {shown!r} is not one number")
        if numbers.setdefault(letter, number).value != number.value:
            raise SheetError(f"{name}: the letter {letter} stands for {numbers[letter].text} and for {shown}")
    return dict(sorted(numbers.items()))


@cache
def _written(text: str) -> Written | None:
    found = find_quantities(text)
    return Written(text, found[0].value) if len(found) == 1 else None


def _expression(text: str, numbers: Mapping[str, Written], name: str) -> Expression:
    letters = {letter: Number(number.value, index) for index, (letter, number) in enumerate(numbers.items())}
    try:
        sides = [
            _tree(ast.parse(side.strip(), mode="eval").body, {**letters, **UNKNOWNS})
            for side in text.split("=")
        ]
    except (SyntaxError, ValueError) as error:
        raise SheetError(f"{name}: {text!r} is no mathematics over the letters of its text") from error
    if len(sides) > 2:
        raise SheetError(f"{name}: {text!r} is more than one equation")
    return sides[0] if len(sides) == 1 else Operation(Operator.EQU, sides[0], sides[1])


def _tree(node: ast.expr, letters: Mapping[str, Number | Variable]) -> Expression:
    """The mathematics of a tree that Python read; nothing is run."""
    if isinstance(node, ast.Name) and node.id in letters:
        return letters[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return Operation(_OPERATORS[type(node.op)], _tree(node.left, letters), _tree(node.right, letters))
    raise ValueError("only letters of the text, + - * / and brackets")


def _rule(line: str, letters: Sequence[str], name: str) -> Rule:
    found = _RULE.fullmatch(line)
    if found is None or not {found[1], found[3]} <= set(letters):
        raise SheetError(f"{name}: a rule is like a > b, over letters of the text, not {line!r}")
    one, sign, two = found.groups()
    larger, smaller = (one, two) if sign == ">" else (two, one)
    return Rule(letters.index(larger), letters.index(smaller))


def _check(exercise: Exercise) -> None:
    """Every number of a question and every unknown is marked in its text, and every step is above zero."""
    for question in exercise.questions:
        for wording in question.wordings:
            _check_wording(exercise, question, wording)
        used = Counter(leaf for leaf in leaves(question.expression) if isinstance(leaf, Number))
        if not isinstance(question.expression, Operation) or max(used.values(), default=0) > 1:
            raise SheetError(f"{exercise.name}: a question uses at least two numbers, each once")
    own = [number.value for number in exercise.numbers]
    if any(own[larger] <= own[smaller] for larger, smaller in exercise.rules):
        raise SheetError(f"{exercise.name}: the rules do not hold for its own numbers")
    if not fits(exercise, own):
        raise SheetError(f"{exercise.name}: a step of one of its questions is not above zero")


def _check_wording(exercise: Exercise, question: Question, wording: str) -> None:
    text = f"{exercise.story} {wording}"
    marked = [letter for letter, _ in NUMBER.findall(text)]
    marked += [name for both in UNKNOWN.findall(text) for name in both]
    unknowns = {variable: name for name, variable in UNKNOWNS.items()}
    used = {
        exercise.letters[leaf.quantity or 0] if isinstance(leaf, Number) else unknowns[leaf]
        for leaf in leaves(question.expression)
    }
    if len(set(marked)) != len(marked) or not used <= set(marked):
        raise SheetError(
            f"{exercise.name}: mark the letters {', '.join(sorted(used))} once each in the text: {wording}"
        )


def with_values(expression: Expression, values: Sequence[Number]) -> Expression:
    """The expression with other numbers in the places of an exercise's."""

    def leaf(node: Number | Variable) -> Expression:
        return values[node.quantity or 0] if isinstance(node, Number) else node

    return fold(expression, leaf, Operation)


def fits(exercise: Exercise, values: Sequence[Fraction]) -> bool:
    """Whether numbers keep the rules, and leave every step of every question as plausible as it was."""
    own = [number.value for number in exercise.numbers]
    if any(values[larger] <= values[smaller] for larger, smaller in exercise.rules):
        return False
    # An equation with the same number twice may hold for anything, or nothing: "3 times it is 3 times it".
    if exercise.kind == EQUATION and len(set(values)) < len(set(own)):
        return False
    drawn = [Number(value, index) for index, value in enumerate(values)]
    return all(
        _plausible(question.expression, with_values(question.expression, drawn))
        for question in exercise.questions
    )


def _plausible(own: Expression, drawn: Expression) -> bool:
    """Whether every step of an expression with other numbers is above zero, and whole where it was whole."""
    steps = zip(_steps(drawn), _steps(own), strict=True)
    if not is_equation(own):
        return all(
            now is not None and was is not None and now > 0 and was.denominator % now.denominator == 0
            for now, was in steps
        )
    if not all(now is None or now > 0 for now, _ in steps):
        return False
    was, now = answer_of(own), answer_of(drawn)
    return was is None or (now is not None and now > 0 and (now.denominator == 1 or was.denominator > 1))


def _steps(expression: Expression) -> list[Fraction | None]:
    """The value of every operation, operands first; None where it depends on unknowns or divides by zero."""
    values: list[Fraction | None] = []

    def join(operator: Operator, left: Fraction | None, right: Fraction | None) -> Fraction | None:
        function = operator.entry.evaluate
        values.append(None if function is None or left is None or right is None else function(left, right))
        return values[-1]

    fold(expression, lambda leaf: leaf.value if isinstance(leaf, Number) else None, join)
    return values

"""Sheets of exercises, written by hand, to be retold with other names and other numbers each time.

A sheet is a text file in ``exercises``. It begins with a comment (lines that begin with ``#``) that says what
the sheet teaches. Its exercises are separated by empty lines; each has a line with its kind, the lines of its
story, lines that begin with ``?`` (a question in one or more wordings, and the mathematics it asks for), and
perhaps lines that begin with ``!`` (rules for the numbers):

    @ money
    {Ines f} has $[a 40] and buys [b 3] <x:puzzles|kites> for $[c 7] each.
    ? How much does she pay for the <x>? / What do the <x> cost? = b * c
    ? How much money does {Ines} have left? = a - b * c
    ! a > c

``[a 40]`` is a number that is redrawn, ``{Ines f}`` a name (with f or m at its first mention), and
``<x:puzzles|kites>`` a choice that ``<x>`` repeats. With redrawn numbers, the steps of every question stay
above zero, and whole if they were whole; fractions and words such as "twice" keep their value. The value of a
percentage is the fraction (``[b 25%]`` is 0.25), that of a time of day the minutes since midnight.

The mathematics may use a letter twice, known numbers that words of the text imply, and at its root the
other operators of the grammar: ``ceil(a / b)``, ``floor(a / b)``, ``a mod b``, ``gcd(a, b)``, ``lcm(a, b)``
and ``a : b`` (a ratio).

    @ rate
    A lamp flashes [a 6] times a minute.
    ? How often does it flash in an hour? = a * 60

Under ``@ equation`` each line that begins with ``?`` is an exercise of its own, a sentence that states an
equation. ``(X: the first number)`` marks the phrase of an unknown, X, Y or Z, and ``(XY: two numbers)`` the
phrase of both. An unknown may be used twice:

    @ equation
    ? (XY: Two numbers) differ by [a 8]. = X - Y = a
    ? (X: The index) closes [a 0.7%] lower at [b 10,842]. = X - a * X = b
    ? [a 3] times (X: one number) is [b 11] less than [c 5] times (Y: the other). = a * X = c * Y - b

Under ``@ system`` the mathematics is one or more equations and what they are solved for. The phrases of
unknowns may be marked, but need not be:

    @ system
    Student tickets cost $[c 4], all others $[d 6]. [a 525] tickets were sold for $[b 2876].
    ? How many of each kind were sold? = X + Y = a; c * X + d * Y = b -> X, Y

Under ``@ beyond`` are questions that the grammar can't answer, without a ``=``:

    @ beyond
    The drawing shows two lines that meet at [a 40] degrees.
    ? How large is the marked angle?

>>> text = "@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b"
>>> (exercise,) = read(text, "wires")
>>> [question.wordings for question in exercise.questions]
[('How many are left?',)]
>>> [(number.text, number.value) for number in exercise.numbers]
[('7', Fraction(7, 1)), ('Two', Fraction(2, 1))]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Literal

from text2math.data.stories.exercise import (
    BEYOND,
    EQUATION,
    KINDS,
    NUMBER,
    SYSTEM,
    UNKNOWNS,
    Exercise,
    Question,
    Rule,
    SheetError,
)
from text2math.data.stories.soundness import check
from text2math.data.stories.written_numbers import WrittenNumber
from text2math.language.numbers import find_quantities
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    fold,
    leaves,
    operators,
)
from text2math.mathematics.notation import NotationError, from_infix

FOLDER = "exercises"
HELD_OUT = "held_out"
"""The folder of sheets by authors who wrote no other: the first training stage leaves them out."""
Sheets = Literal["all", "training", "held_out"] | tuple[str, ...]
"""Which sheets: all, those of the first training stage, those that it holds out, or some by name.

A sheet that is held out can't be named.
"""
_FOLDERS = {"all": ("", HELD_OUT), "training": ("",), "held_out": (HELD_OUT,)}

_RULE = re.compile(r"([a-z]) ([<>]) ([a-z])")
_LETTER = re.compile(r"\b[a-z]\b")
_OPERATORS = tuple(one.value for one in Operator if one.inverse_of is None)


@cache
def exercises(sheets: Sheets = "all") -> tuple[Exercise, ...]:
    """The exercises of the package's sheets: of all, to train on first, held out, or of sheets by name.

    >>> {exercise.name.rpartition(" ")[0] for exercise in exercises(("clock_times",))}
    {'clock_times'}
    """
    if isinstance(sheets, str):
        found = [(name, folder) for folder in _FOLDERS[sheets] for name in sheet_names(folder)]
    else:
        found = [(name, "") for name in sheets]
        if unknown := sorted(set(sheets) - set(sheet_names())):
            raise ValueError(f"no sheet to train on is called {unknown[0]!r}")
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
        check(exercise)
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
    asked = [_wordings(line[1:], kind, name) for line in lines if line.startswith("?")]
    if not kind or not asked:
        raise SheetError(f"{name}: an exercise needs a kind (@) and a question (?)")
    if kind not in KINDS:
        raise SheetError(f"{name}: {kind!r} is not a kind; choose from {', '.join(KINDS)}")
    numbers = _numbers(story, [wording for wordings, _ in asked for wording in wordings], name)
    return Exercise(
        name,
        kind,
        story,
        tuple(_question(wordings, mathematics, kind, numbers, name) for wordings, mathematics in asked),
        tuple(_rule(line[1:].strip(), list(numbers), name) for line in lines if line.startswith("!")),
        tuple(numbers),
        tuple(numbers.values()),
    )


def _wordings(line: str, kind: str, name: str) -> tuple[tuple[str, ...], str]:
    """The wordings of a question, and the mathematics it asks for, empty if that is beyond the grammar."""
    question, equals, mathematics = (line, "", "") if kind == BEYOND else line.partition(" = ")
    if not equals and kind != BEYOND:
        raise SheetError(f"{name}: what does the question ask for? Write = and the mathematics: {line}")
    return tuple(wording.strip() for wording in question.split(" / ")), mathematics.strip()


# Numbers --------------------------------------------------------------------------------------------------


def _numbers(story: str, wordings: Sequence[str], name: str) -> dict[str, WrittenNumber]:
    """The numbers by their letters, in the order of the alphabet."""
    numbers: dict[str, WrittenNumber] = {}
    for letter, shown in (found for text in (story, *wordings) for found in NUMBER.findall(text)):
        number = _written(shown)
        if number is None:
            raise SheetError(f"{name}: {shown!r} is not one number")
        if numbers.setdefault(letter, number).value != number.value:
            raise SheetError(
                f"{name}: the letter {letter} is used for {numbers[letter].text} and for {shown}"
            )
    if any(number.is_time for number in numbers.values()):
        for wording in wordings:
            for letter, value in _times(f"{story} {wording}"):
                numbers[letter] = replace(numbers[letter], value=value)
    return dict(sorted(numbers.items()))


@cache
def _written(text: str) -> WrittenNumber | None:
    # "a third" is one number before "of" alone, and "three quarters" may be coins elsewhere.
    for following in ("", " of it"):
        found = find_quantities(f"{text}{following}", clock_times=True)
        if len(found) == 1 and found[0].text == text:
            return WrittenNumber(text, found[0].value)
    found = find_quantities(text, clock_times=True)
    return WrittenNumber(text, found[0].value) if len(found) == 1 else None


def _times(marked: str) -> Iterator[tuple[str, Fraction]]:
    """The letters and values of times of day in a text; one without am or pm is after the one before it."""
    plain, letters = "", dict[int, str]()
    for index, part in enumerate(NUMBER.split(marked)):  # text, letter, number, text, …
        if index % 3 == 1:
            letters[len(plain)] = part
        else:
            plain += part
    for match in find_quantities(plain, clock_times=True):
        if match.start in letters and WrittenNumber(match.text, match.value).is_time:
            yield letters[match.start], match.value


# Mathematics ----------------------------------------------------------------------------------------------


def _question(
    wordings: tuple[str, ...], mathematics: str, kind: str, numbers: Mapping[str, WrittenNumber], name: str
) -> Question:
    if not mathematics:
        return Question(wordings, None, plain=False)
    stated, arrow, wanted = mathematics.partition("->")
    tree = _expression(stated, numbers, name)
    asked = tuple(_expression(one, numbers, name) for one in wanted.split(",")) if arrow else ()
    plain = kind != SYSTEM and not asked and _is_plain(stated.strip())
    question = Question(wordings, tree, asked, plain)
    times = {index for index, number in enumerate(numbers.values()) if number.is_time}
    return replace(question, plain=False) if times and times & question.used else question


@cache
def _is_plain(mathematics: str) -> bool:
    """Whether it uses only unknowns and letters, each letter once, and no root-only operator."""
    tree = _tree(mathematics)
    letters = [leaf for leaf in leaves(tree) if not _is_own(leaf)]
    return (
        len(set(letters)) == len(letters)
        and not any(isinstance(leaf, Number) for leaf in leaves(tree))
        and not any(operator.entry.root_only for operator in operators(tree))
    )


def _expression(text: str, numbers: Mapping[str, WrittenNumber], name: str) -> Expression:
    """The mathematics over the numbers of an exercise."""
    letters = {
        ord(letter): Number(number.value, index) for index, (letter, number) in enumerate(numbers.items())
    }
    try:
        tree = _tree(text.strip())
        return fold(tree, lambda leaf: leaf if _is_own(leaf) else letters[_index(leaf)], Operation)
    except NotationError as error:
        raise SheetError(
            f"{name}: {text.strip()!r} is not an expression over the letters of its text and "
            f"{' '.join(_OPERATORS)}: {error}"
        ) from error
    except KeyError as error:
        letter = chr(error.args[0])
        raise SheetError(
            f"{name}: {text.strip()!r} is not an expression over the letters of its text: it has no {letter}"
        ) from error


def _is_own(leaf: Number | Variable) -> bool:
    """Whether a leaf is a known number or an unknown, not a letter."""
    return isinstance(leaf, Number) or leaf.index <= len(UNKNOWNS)


def _index(leaf: Number | Variable) -> int:
    assert isinstance(leaf, Variable)
    return leaf.index


@cache
def _tree(text: str) -> Expression:
    """The mathematics with an unknown for each letter, numbered by its character code; no code is run."""
    return from_infix(_LETTER.sub(lambda letter: f"V{ord(letter[0])}", text))


def _rule(line: str, letters: Sequence[str], name: str) -> Rule:
    found = _RULE.fullmatch(line)
    if found is None or not {found[1], found[3]} <= set(letters):
        raise SheetError(f"{name}: a rule is like a > b, over letters of the text, not {line!r}")
    one, sign, two = found.groups()
    larger, smaller = (one, two) if sign == ">" else (two, one)
    return Rule(letters.index(larger), letters.index(smaller))

"""Sheets of exercises, written out by hand: told as they stand, with other names and other numbers each time.

A sheet is a text file in ``exercises``. Its exercises are separated by empty lines; each has a line with its kind,
lines of story, lines that begin with ``?`` (a question, or several ways to put it, and what it asks for), and perhaps
lines that begin with ``!`` (what has to hold whatever the numbers are). A line that begins with ``#`` is a comment:

    @ money
    {Ines f} has $[a 40] and buys [b 3] <x:puzzles|kites> for $[c 7] each.
    ? How much does she pay for the <x>? / What do the <x> cost? = b * c
    ? How much money does {Ines} have left? = a - b * c
    ! a > c

``[a 40]`` is a number that is drawn anew, ``{Ines f}`` a name (f or m where it first stands), ``<x:puzzles|kites>`` a
choice that ``<x>`` repeats. Whoever draws numbers anew sees to it that the steps of every question stay above zero, and
whole where they were whole.

Under ``@ equation`` each line that begins with ``?`` is an exercise of its own, a sentence that states an equation;
``(X: the first number)`` marks what an unknown stands for, X or Y, ``(XY: two numbers)`` what both stand for. An
unknown may be used twice:

    @ equation
    ? (XY: Two numbers) differ by [a 8]. = X - Y = a
    ? (X: The index) closes [a 0.7%] lower at [b 10,842]. = X - a * X = b
    ? [a 3] times (X: one number) is [b 11] less than [c 5] times (Y: the other). = a * X = c * Y - b

>>> exercise = read("@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b", "wires")[0]
>>> exercise.questions[0].gold
('-', 'a', 'b')
>>> draft = tell(exercise, exercise.questions[0], random.Random(1))
>>> draft.text, draft.places
('6 birds sit on a wire. Five fly off. How many are left?', [('a', 0, 1), ('b', 23, 27)])
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Literal

from text2math.data.stories import words
from text2math.data.stories.generate import Story, finish, without_repetition
from text2math.data.stories.grammar import in_digits, in_words
from text2math.data.stories.mathematics import leaves, solution, value
from text2math.data.stories.world import Amount, Draft, Gold
from text2math.language.numbers import find_quantities

FOLDER = "exercises"
# Sheets by authors who wrote no other: the first training stage leaves them out, and networks are tested on them.
HELD_OUT = "held_out"
Among = Literal["all", "others", "apart"]
TRIES = 60  # to draw numbers that fit an exercise
TRIES_A_QUESTION = 8  # to tell it

_NUMBER = re.compile(r"\[([a-z]) ([^\]]+)\]")
_UNKNOWN = re.compile(r"\((XY?|Y): ")
_MARK = re.compile(
    _NUMBER.pattern + r"|\{([^} ]+)(?: ([fm]))?\}|<(\w):([^>]+)>|<(\w)>|" + _UNKNOWN.pattern + r"|(\))"
)
_UNKNOWNS = {"X": "X1", "Y": "X2", "XY": "X1"}
_SCALED = re.compile(r"([\d.,]+)( ?%| percent| per cent| cents?| million| billion)")
_SCALES = {"million": Fraction(10**6), "billion": Fraction(10**9)}  # the others are hundredths
EQUATION = "equation"
_RULE = re.compile(r"([a-z]) ([<>]) ([a-z])")
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


class SheetError(ValueError):
    """A sheet that can't be read: where, and why."""


@dataclass(frozen=True, slots=True)
class Written:
    """A number as somebody wrote it: in digits, with or without separators, or in words."""

    text: str
    value: Fraction

    def again(self, rng: random.Random) -> Fraction:
        """Another number of about the same size and as round."""
        if scaled := _SCALED.fullmatch(self.text):
            scale = _scale(scaled[2])
            again = Written(scaled[1], self.value / scale).again(rng) * scale
            return again if (again < 1) == (self.value < 1) else self.value
        if self._is_fixed:
            return self.value
        unit = self._unit
        low, high = self.value / 2 / unit, self.value * Fraction(17, 10) / unit
        drawn = rng.randint(-(-low.numerator // low.denominator), max(int(high), int(self.value / unit) + 3))
        least = 2 if self.value.denominator == 1 else 1
        return max(drawn * unit, unit * least)

    @property
    def _is_fixed(self) -> bool:
        """Whether no other number goes in its place: 1, a fraction, or a word such as "twice" or "half"."""
        digits = self.text[0].isdigit()
        return (
            self.value == 1
            or self.value.denominator not in (1, 2, 4, 5, 10, 20, 25, 50, 100, 1000)
            or "/" in self.text
            or not (
                digits or (self.value.denominator == 1 and in_words(int(self.value)) == self.text.lower())
            )
        )

    @property
    def _unit(self) -> Fraction:
        """What the number is a multiple of, as far as its roundness shows."""
        whole, _, part = self.text.replace(",", "").partition(".")
        if part:
            return Fraction(1, 10 ** len(part.rstrip("0") or part[:1]))
        if not whole.isdigit() or len(whole) == len(whole.rstrip("0")) or self.value < 100:
            return Fraction(1)
        return Fraction(10 ** min(3, len(whole) - len(whole.rstrip("0"))))

    def written(self, number: Fraction) -> str:
        """Another number, written alike."""
        if number == self.value:
            return self.text
        if scaled := _SCALED.fullmatch(self.text):
            scale = _scale(scaled[2])
            return Written(scaled[1], self.value / scale).written(number / scale) + scaled[2]
        if not self.text[0].isdigit():
            found = in_words(int(number)) if number < 10**6 else in_digits(number)
            return found.capitalize() if self.text[0].isupper() else found
        _, point, part = self.text.partition(".")
        if point:
            return f"{float(number):,.{len(part)}f}"
        return in_digits(number, "," in self.text or self.value < 1000)


def _scale(name: str) -> Fraction:
    """What a number is multiplied by: "%", "cents" and "million" stand behind it."""
    return _SCALES.get(name.strip(), Fraction(1, 100))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in one or more wordings, and the mathematics that it asks for."""

    wordings: tuple[str, ...]
    gold: Gold


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise of a sheet."""

    name: str
    kind: str
    story: str
    questions: tuple[Asked, ...]
    rules: tuple[tuple[str, str, str], ...]
    numbers: tuple[tuple[str, Written], ...]


def read(text: str, sheet: str) -> tuple[Exercise, ...]:
    """The exercises of a sheet; raises ``SheetError`` where one is not as it should be."""
    blocks = [lines for block in re.split(r"\n\s*\n", text) if (lines := _lines(block))]
    return tuple(
        exercise
        for number, lines in enumerate(blocks, start=1)
        for exercise in _exercises(lines, f"{sheet} {number}")
    )


def _lines(block: str) -> list[str]:
    """The lines of a block without comments."""
    return [line.strip() for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@cache
def exercises(among: Among = "all") -> tuple[Exercise, ...]:
    """The exercises of the package's sheets: of all, of those that stand apart, or of the others."""
    folders = {"all": ("", HELD_OUT), "others": ("",), "apart": (HELD_OUT,)}[among]
    sheets = [(name, folder) for folder in folders for name in _sheets(folder)]
    # By name whatever the folder, so that a seed tells the same exercises wherever a sheet is.
    return tuple(exercise for name, folder in sorted(sheets) for exercise in _sheet(name, folder))


def _sheets(folder: str) -> Iterator[str]:
    found = files("text2math.data.stories").joinpath(FOLDER, folder).iterdir()
    return (file.name.removesuffix(".txt") for file in found if file.name.endswith(".txt"))


@cache
def _sheet(name: str, folder: str) -> tuple[Exercise, ...]:
    file = files("text2math.data.stories").joinpath(FOLDER, folder, f"{name}.txt")
    return read(file.read_text(encoding="utf-8"), name)


def every_question(among: Among = "all", seed: int = 0) -> Iterator[Story]:
    """Every question of every exercise, told once (but for those that no try brings out)."""
    for exercise in exercises(among):
        for number, asked in enumerate(exercise.questions):
            name = f"{exercise.name}.{number}"
            rng = random.Random(f"questions {seed}/{name}")
            found = (finish(tell(exercise, asked, rng), name) for _ in range(TRIES_A_QUESTION))
            yield from islice((story for story in found if story is not None), 1)


def exercises_told(
    count: int, seed: int = 0, *, pairs: bool = False, among: Among = "all", avoid: Iterable[str] = ()
) -> Iterator[Story]:
    """Exercises told anew, the same ones for the same seed; in pairs, one story is told with two questions.

    ``avoid``: texts of which none may be a copy, numbers masked.

    >>> one, two = exercises_told(2, seed=1, pairs=True)
    >>> one.pair == two.pair and one.expression != two.expression
    True
    """

    def attempt(made: int, tries: int) -> tuple[Story, ...]:
        rng = random.Random(f"sheets {seed}/{made}/{tries}")
        name = f"exercises-{seed}-{made}"
        drafts = _pair(rng, among) if pairs else (_any(rng, among),)
        stories = [finish(draft, name, pair=name if pairs else "") for draft in drafts]
        found = tuple(story for story in stories if story is not None)
        return found if len(found) == len(drafts) else ()

    yield from without_repetition(count, attempt, avoid)


def _any(rng: random.Random, among: Among) -> Draft:
    exercise = rng.choice(exercises(among))
    return tell(exercise, rng.choice(exercise.questions), rng)


def _pair(rng: random.Random, among: Among) -> tuple[Draft, Draft]:
    """An exercise told twice alike, with two of its questions."""
    exercise = next(
        found for found in iter(lambda: rng.choice(exercises(among)), None) if len(found.questions) > 1
    )
    one, two = rng.sample(exercise.questions, 2)
    seed = rng.random()
    return tell(exercise, one, random.Random(seed)), tell(exercise, two, random.Random(seed))


def tell(exercise: Exercise, asked: Asked, rng: random.Random) -> Draft:
    """An exercise with a question, with numbers, names and choices drawn anew."""
    numbers, own = drawn(exercise, rng), dict(exercise.numbers)
    names: dict[str, str] = {}
    choices: dict[str, str] = {}
    draft = Draft(rng, kind=exercise.kind, gold=asked.gold)
    text = f"{exercise.story} {rng.choice(asked.wordings)}".strip()
    own_names = {name for _, _, name, *_ in _MARK.findall(text) if name}
    at, unknown = 0, ("", 0)
    for mark in _MARK.finditer(text):
        draft.text += text[at : mark.start()]
        at = mark.end()
        key, as_written, name, gender, choice, options, again, opened, closed = mark.groups()
        if key:
            # As it is written here: at the beginning of a sentence a word is capitalised.
            shown, start = replace(own[key], text=as_written).written(numbers[key]), len(draft.text)
            draft.amounts[key] = Amount(key, numbers[key], shown)
            draft.text += shown
            draft.places.append((key, start, len(draft.text)))
        elif name:
            if name not in names:
                names[name] = _name(name, gender, rng, {*own_names, *names.values()})
            draft.text += names[name]
        elif opened:
            unknown = (_UNKNOWNS[opened], len(draft.text))
        elif closed and unknown[0]:
            draft.phrases.append((*unknown, len(draft.text)))
            unknown = ("", 0)
        elif closed:
            draft.text += closed
        else:
            draft.text += choices.setdefault(choice or again, rng.choice((options or again).split("|")))
    draft.text += text[at:]
    return draft


def _name(name: str, gender: str | None, rng: random.Random, taken: Collection[str]) -> str:
    """Another name of the same gender that nobody in the exercise has."""
    if gender is None or rng.random() < 0.25:
        return name
    return next(found for found in iter(lambda: rng.choice(_NAMES[gender]), "") if found not in taken)


_NAMES = {"f": words.GIRLS, "m": words.BOYS}


def drawn(exercise: Exercise, rng: random.Random) -> dict[str, Fraction]:
    """Numbers for an exercise; its own ones where none that are drawn will do."""
    own = {key: written.value for key, written in exercise.numbers}
    for _ in range(TRIES):
        numbers = {key: written.again(rng) for key, written in exercise.numbers}
        if _fits(exercise, own, numbers):
            return numbers
    return own


def _fits(exercise: Exercise, own: Mapping[str, Fraction], drawn: Mapping[str, Fraction]) -> bool:
    """Whether every step of every question is as plausible as it was, and the rules hold."""
    if any((drawn[a] > drawn[b]) != (sign == ">") or drawn[a] == drawn[b] for a, sign, b in exercise.rules):
        return False
    # An equation with the same number twice may hold for anything, or nothing: "3 times it is 3 times it".
    if exercise.kind == EQUATION and len(set(drawn.values())) < len(set(own.values())):
        return False
    return all(_alike(asked.gold, own, drawn) for asked in exercise.questions)


def _alike(gold: Gold, own: Mapping[str, Fraction], drawn: Mapping[str, Fraction]) -> bool:
    if isinstance(gold, str):
        return True
    # The operands first: what is divided by is then above zero.
    if not all(_alike(side, own, drawn) for side in gold[1:]):
        return False
    now, before = _worth(gold, drawn), _worth(gold, own)
    if now is None or before is None:
        return True
    if gold[0] == "=":
        return now > 0 and (now.denominator == 1 or before.denominator > 1)
    return now > 0 and before.denominator % now.denominator == 0


def _worth(gold: Gold, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """The value of a step, of an equation its solution; None where it hangs on unknowns."""
    if gold[0] == "=":
        return solution(gold, amounts)
    return None if any(key not in amounts for key in leaves(gold)) else value(gold, amounts)


def _exercises(lines: Sequence[str], name: str) -> Iterator[Exercise]:
    """The exercise of a block; of sentences for equations, each."""
    if lines[0].removeprefix("@").strip() != EQUATION:
        yield _exercise(lines, name)
        return
    for number, line in enumerate(lines[1:], start=1):
        yield _exercise([lines[0], line], f"{name}.{number}")


def _exercise(lines: Sequence[str], name: str) -> Exercise:
    kind = next((line[1:].strip() for line in lines if line.startswith("@")), "")
    story = " ".join(line for line in lines if line[0] not in "@?!")
    asked = tuple(_asked(line[1:], name) for line in lines if line.startswith("?"))
    rules = tuple(_rule(line[1:].strip(), name) for line in lines if line.startswith("!"))
    if not kind or not asked:
        raise SheetError(f"{name}: an exercise needs a kind (@) and a question (?)")
    numbers: dict[str, Written] = {}
    for text in (story, *(wording for one in asked for wording in one.wordings)):
        for key, shown in _NUMBER.findall(text):
            found = _written(shown, name)
            if numbers.setdefault(key, found).value != found.value:
                raise SheetError(f"{name}: the letter {key} stands for {numbers[key].text} and for {shown}")
    exercise = Exercise(name, kind, story, asked, rules, tuple(sorted(numbers.items())))
    _check(exercise)
    return exercise


def _asked(line: str, name: str) -> Asked:
    question, equals, mathematics = line.partition(" = ")
    if not equals:
        raise SheetError(f"{name}: what does the question ask for? Write = and the mathematics: {line}")
    try:
        sides = [_gold(ast.parse(side.strip(), mode="eval").body) for side in mathematics.split("=")]
    except (SyntaxError, ValueError) as error:
        raise SheetError(f"{name}: {mathematics.strip()!r} is no mathematics over the letters") from error
    if len(sides) > 2:
        raise SheetError(f"{name}: {mathematics.strip()!r} is more than one equation")
    gold: Gold = sides[0] if len(sides) == 1 else ("=", sides[0], sides[1])
    return Asked(tuple(wording.strip() for wording in question.split(" / ")), gold)


def _gold(node: ast.expr) -> Gold:
    """The mathematics of a tree that Python read; nothing is run."""
    if isinstance(node, ast.Name):
        return _UNKNOWNS.get(node.id, node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return (_SIGNS[type(node.op)], _gold(node.left), _gold(node.right))
    raise ValueError("only letters, + - * / and brackets")


def _rule(line: str, name: str) -> tuple[str, str, str]:
    found = _RULE.fullmatch(line)
    if found is None:
        raise SheetError(f"{name}: a rule is like a > b, not {line!r}")
    a, sign, b = found.groups()
    return a, sign, b


def _written(text: str, name: str) -> Written:
    found = find_quantities(text)
    if len(found) != 1:
        raise SheetError(f"{name}: {text!r} is not one number")
    return Written(text, found[0].value)


def _check(exercise: Exercise) -> None:
    """Every letter of a question stands in its text once, marked unknowns too, and every step is above zero."""
    own = {key: written.value for key, written in exercise.numbers}
    for asked in exercise.questions:
        used = list(leaves(asked.gold))
        for wording in asked.wordings:
            text = f"{exercise.story} {wording}"
            there = [key for key, _ in _NUMBER.findall(text)]
            there += [_UNKNOWNS[name] for marked in _UNKNOWN.findall(text) for name in marked]
            if len(set(there)) != len(there) or not set(used) <= set(there):
                raise SheetError(
                    f"{exercise.name}: the letters {used} do not stand in the text once each: {wording}"
                )
        numbers = [key for key in used if key in own]
        if len(used) < 2 or len(set(numbers)) != len(numbers):
            raise SheetError(f"{exercise.name}: a question uses at least two numbers, each once: {used}")
        if not _alike(asked.gold, own, own):
            raise SheetError(f"{exercise.name}: a step of {asked.gold} is not above zero")
    if not _fits(exercise, own, own):
        raise SheetError(f"{exercise.name}: the rules do not hold for its own numbers")

"""Whether an exercise is sound: its numbers are marked, its mathematics fits its kind, and it can be retold.

>>> from text2math.data.stories.sheets import read
>>> try:
...     read("@ rate\\n{Al m} reads [a 5] books a term.\\n? How many is that in a week? = a / 13", "terms")
... except SheetError as error:
...     print(error)
terms 1: a number that is not in the text (13; the text has 5): How many is that in a week?
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction

from text2math.data.stories.drawing import fits
from text2math.data.stories.exercise import (
    EQUATION,
    MARK,
    NUMBER,
    UNKNOWN,
    UNKNOWNS,
    Exercise,
    Question,
    SheetError,
)
from text2math.data.stories.retelling import tell
from text2math.data.stories.story import story_of
from text2math.language.attachment import UnmappableError
from text2math.mathematics.algebra import Status, solution
from text2math.mathematics.expression import (
    Expression,
    Operation,
    Variable,
    has_unknowns,
    leaves,
    sort_of,
    variables,
)
from text2math.mathematics.grammar import Sort

_NO_MARK = re.compile(r"\{[^}]*\}?|\[[^]]*\]?")
_NAMES = {unknown: name for name, unknown in UNKNOWNS.items()}


def check(exercise: Exercise) -> None:
    """Raise ``SheetError`` if an exercise is not sound."""
    for question in exercise.questions:
        for wording in question.wordings:
            _check_wording(exercise, question, wording)
        if question.expression is not None:
            _check_mathematics(exercise, question, question.expression)
    own = [number.value for number in exercise.numbers]
    if any(own[larger] <= own[smaller] for larger, smaller in exercise.rules):
        raise SheetError(f"{exercise.name}: the rules do not hold for its own numbers")
    if not fits(exercise, own):
        raise SheetError(f"{exercise.name}: a step of one of its questions is not above zero")
    for question in exercise.questions:
        if not question.plain:
            _check_stories(exercise, question, own)


def _check_wording(exercise: Exercise, question: Question, wording: str) -> None:
    text = f"{exercise.story} {wording}"
    if left := _NO_MARK.search(MARK.sub("", text)):
        raise SheetError(f"{exercise.name}: {left[0]} is no mark; write [a 40], {{Ines f}} or <x:pens|pads>")
    marked = [letter for letter, _ in NUMBER.findall(text)]
    marked += [name for several in UNKNOWN.findall(text) for name in several]
    used = {exercise.letters[index] for index in question.used}
    if exercise.kind == EQUATION and question.expression is not None:
        used |= {_NAMES[unknown] for unknown in variables(question.expression)}
    if len(set(marked)) != len(marked) or not used <= set(marked):
        raise SheetError(
            f"{exercise.name}: mark the letters {', '.join(sorted(used))} once each in the text: {wording}"
        )


def _check_stories(exercise: Exercise, question: Question, own: Sequence[Fraction]) -> None:
    """Check that every wording gives a story with the numbers of the sheet and those that words imply."""
    for wording in question.wordings:
        retelling = tell(exercise, question, wording, own, random.Random(exercise.name))
        try:
            story_of(retelling, exercise.name)
        except UnmappableError as error:
            raise SheetError(f"{exercise.name}: {error.reason} ({error.detail}): {wording}") from error


def _check_mathematics(exercise: Exercise, question: Question, tree: Expression) -> None:
    """Check that the mathematics is of the right sort, and that equations have one solution."""
    where, sort = exercise.name, sort_of(tree)
    if not isinstance(tree, Operation):
        raise SheetError(f"{where}: a question uses at least two numbers")
    if sort is Sort.VALUE and (has_unknowns(tree) or question.asked):
        raise SheetError(f"{where}: an unknown needs an equation, and only equations are solved (->)")
    if sort is Sort.SYSTEM and not question.asked:
        raise SheetError(
            f"{where}: what are the equations solved for? Write -> and the unknowns, such as X, Y"
        )
    if not question.asked:
        return
    unknowns = set(variables(tree))
    asked = [leaf for one in question.asked for leaf in leaves(one) if isinstance(leaf, Variable)]
    if not unknowns.issuperset(asked) or any(sort_of(one) is not Sort.VALUE for one in question.asked):
        raise SheetError(f"{where}: what is asked (->) must be expressions over unknowns of the equations")
    if (found := solution(tree)).status is not Status.UNIQUE:
        raise SheetError(f"{where}: equations need one solution, and these have {found.status}")

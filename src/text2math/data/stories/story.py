"""Stories: retold exercises as problems, with their mathematics over the quantities of the text.

>>> import random
>>> from text2math.data.stories.retelling import retell
>>> from text2math.data.stories.sheets import read
>>> text = "@ change\\n[a 7] birds sit on a wire. [b Two] fly off.\\n? How many are left? = a - b"
>>> (exercise,) = read(text, "wires")
>>> story = as_story(retell(exercise, exercise.questions[0], random.Random(1)), "birds")
>>> story.answer, story.steps, story.kind
(Fraction(1, 1), 1, 'change')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, Protocol

from text2math.data.anchoring import fitting
from text2math.data.consecutive import in_consecutive_unknowns
from text2math.data.statements import placed_statements
from text2math.data.stories.exercise import with_values
from text2math.data.stories.public import is_reserved
from text2math.data.stories.retelling import Phrase, Retelling
from text2math.language.attachment import UnmappableError, crossings, decimal
from text2math.language.clock import has_clock_times
from text2math.language.consecutive import mentions_consecutive
from text2math.language.framing import problem_quantities
from text2math.language.problem import Example, Problem, read_problem, with_knowledge
from text2math.mathematics.algebra import answer_of, evaluate, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operator,
    Variable,
    equations,
    has_unknowns,
    is_equation,
    leaves,
    numbers,
    operators,
    system,
    variables,
)
from text2math.mathematics.notation import to_infix
from text2math.mathematics.regrouping import equivalent_trees
from text2math.mathematics.rewriting import renamed

DIFFICULTIES = ("easy", "medium", "hard")
SOURCE = "stories"  # the source of their examples
MAX_TREES = 500  # equivalent trees that are searched for one that does not cross
JOINING = (Operator.EQU, Operator.SYS)  # operators that are not steps


@dataclass(frozen=True, slots=True)
class Story:
    """A problem: the text, the mathematics over its quantities, and what kind of problem it is.

    With ``knowledge``, its numbers point at quantities of the text as it is read with knowledge. A story that
    is beyond the grammar has no expression.
    """

    id: str
    text: str
    expression: Expression | None
    answer: Fraction | None
    kind: str
    steps: int
    difficulty: str
    distractors: int
    groundings: tuple[tuple[str, int, int], ...] = ()
    pair: str = ""
    asked: tuple[Expression, ...] = ()
    answers: tuple[Fraction, ...] = ()
    knowledge: bool = False

    def example(self) -> Example:
        """The story as an example: the text read, with tokens and parts of speech."""
        metadata = (
            ("kind", self.kind),
            ("steps", str(self.steps)),
            ("difficulty", self.difficulty),
            ("pair", self.pair),
        )
        return Example(
            read_problem(self.text, id=self.id, knowledge=self.knowledge),
            self.expression,
            self.answer,
            self.groundings,
            SOURCE,
            metadata,
            self.asked,
            self.answers,
        )


def as_story(retelling: Retelling, id: str, pair: str = "", *, knowledge: bool = True) -> Story | None:
    """A retelling as a problem; None if it is implausible, or if every tree of it crosses in the text.

    Without ``knowledge``, also None if its mathematics needs implied numbers.
    """
    try:
        return story_of(retelling, id, pair, knowledge=knowledge)
    except UnmappableError:
        return None


def story_of(retelling: Retelling, id: str, pair: str = "", *, knowledge: bool = True) -> Story:
    """The same, but raises ``UnmappableError`` with the reason instead of returning None."""
    if is_reserved(retelling.text):
        raise UnmappableError("a text of the exam or of a public corpus, numbers masked", retelling.text)
    if retelling.expression is None:
        return Story(id, retelling.text, None, None, retelling.kind, 0, DIFFICULTIES[-1], 0, pair=pair)
    used = _used((retelling.expression, *retelling.asked))
    anchored = _anchored(retelling, retelling.expression, used, knowledge)
    phrases = () if anchored.in_order else retelling.phrases
    names, groundings = _grounded(anchored.expression, phrases)
    expression = renamed(anchored.expression, names)
    asked = tuple(renamed(one, names) for one in anchored.asked)
    answers = _answers(expression, asked)
    if not has_unknowns(expression) and not _plausible(retelling, expression, answers):
        raise UnmappableError("an answer that is not plausible", ", ".join(map(decimal, answers)) or "none")
    steps = sum(operator not in JOINING for operator in operators(expression))
    spare = len(retelling.places) - len(used)
    return Story(
        id,
        retelling.text,
        expression,
        answers[0] if len(answers) == 1 else None,
        retelling.kind,
        steps,
        _difficulty(expression, steps, spare),
        spare,
        groundings,
        pair,
        asked or variables(expression)[: len(answers)],
        answers,
        anchored.knowledge,
    )


# Over the quantities of the text --------------------------------------------------------------------------


class _Anchored(NamedTuple):
    """Mathematics over the quantities of a text, and whether these need knowledge."""

    expression: Expression
    asked: tuple[Expression, ...] = ()
    knowledge: bool = False
    in_order: bool = False  # of consecutive numbers, which the unknowns have


def _anchored(retelling: Retelling, expression: Expression, used: Set[int], knowledge: bool) -> _Anchored:
    """The mathematics over the quantities of the text, such that it has a text-math tree."""
    if retelling.asked or (knowledge and is_equation(expression) and mentions_consecutive(retelling.text)):
        return _anchored_system(retelling, expression, used, knowledge)
    if retelling.plain or (_uses_each_once(expression) and (knowledge or not retelling.times)):
        # What needs the larger grammar is read with knowledge, and then a time is a number, used or not.
        times = retelling.times or (not retelling.plain and knowledge and has_clock_times(retelling.text))
        found = _found(retelling, problem_quantities(retelling.text, clock_times=times), used)
        tree = _uncrossed(with_values(expression, found))
        if tree is not None:
            return _Anchored(tree, knowledge=times)
    if not knowledge:
        raise _crossing(expression)
    return _anchored_with_knowledge(retelling, expression, used)


def _uses_each_once(expression: Expression) -> bool:
    """Whether an expression uses only numbers of the exercise, each once."""
    used = [number.quantity for number in numbers(expression)]
    return None not in used and len(set(used)) == len(used)


class _WrittenQuantity(Protocol):
    """A number as it is written in a text."""

    @property
    def value(self) -> Fraction: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def _found(retelling: Retelling, quantities: Sequence[_WrittenQuantity], used: Set[int]) -> list[Number]:
    """The quantity of the text for each number of the exercise."""
    found: dict[int, Number] = {}
    for number, start, end in retelling.places:
        for index, quantity in enumerate(quantities):
            if quantity.start < end and start < quantity.end and quantity.value == retelling.values[number]:
                found[number] = Number(quantity.value, index)
                break
        else:
            if number in used:
                raise UnmappableError("a number that is read as another one", retelling.text[start:end])
    if len({one.quantity for one in found.values()}) < len(found):
        raise UnmappableError("two numbers that are read as one", retelling.text)
    return [found.get(index, Number(value)) for index, value in enumerate(retelling.values)]


def _used(trees: Iterable[Expression]) -> set[int]:
    """The numbers of an exercise that expressions use."""
    return {number.quantity for tree in trees for number in numbers(tree) if number.quantity is not None}


def _anchored_with_knowledge(retelling: Retelling, expression: Expression, used: Set[int]) -> _Anchored:
    problem = read_problem(retelling.text, knowledge=True)
    found = _found(retelling, problem.quantities, used)
    tree = fitting(with_values(expression, found), problem, _named(found))
    if tree is None:
        raise _crossing(expression)
    return _Anchored(tree, knowledge=True)


def _anchored_system(
    retelling: Retelling, expression: Expression, used: Set[int], knowledge: bool
) -> _Anchored:
    """A system whose equations do not overlap in the text, if possible without knowledge."""
    needed = retelling.times or (knowledge and mentions_consecutive(retelling.text))
    problem = read_problem(retelling.text, knowledge=needed)
    try:
        return _placed_system(retelling, expression, problem, used)
    except UnmappableError:
        if problem.implied or not knowledge:
            raise
    return _placed_system(retelling, expression, with_knowledge(problem), used)


def _placed_system(
    retelling: Retelling, expression: Expression, problem: Problem, used: Set[int]
) -> _Anchored:
    found = _found(retelling, problem.quantities, used)
    trees = [with_values(equation, found) for equation in equations(expression)]
    asked = [with_values(one, found) for one in retelling.asked]
    consecutive = in_consecutive_unknowns(trees, problem, asked=asked)
    reserved = _named(found)
    if consecutive is not None:
        try:
            stated = placed_statements(consecutive.stated, problem, reserved=reserved)
        except UnmappableError:
            pass  # the equations as the exercise has them may fit
        else:
            expressed = tuple(map(consecutive.expressed, asked))
            return _Anchored(system((*consecutive.implied, *stated)), expressed, True, in_order=True)
    tree = system(placed_statements(trees, problem, reserved=reserved))
    return _Anchored(tree, tuple(asked), bool(problem.implied))


def _named(found: Iterable[Number]) -> frozenset[int]:
    """The quantities that are numbers of the exercise, so that no known number is taken for one of them."""
    return frozenset(number.quantity for number in found if number.quantity is not None)


def _crossing(expression: Expression) -> UnmappableError:
    return UnmappableError("numbers that cross in the text", to_infix(expression))


def crosses(expression: Expression) -> bool:
    """Whether every equivalent tree crosses in the text: the numbers need another place to stand for them."""
    return _uncrossed(expression) is None


def _uncrossed(expression: Expression) -> Expression | None:
    """The expression, or an equivalent tree that does not cross in the text and keeps most of its order."""
    if not crossings(expression):
        return expression
    trees = (tree for tree in equivalent_trees(expression, limit=MAX_TREES) if not crossings(tree))
    return min(trees, key=_disorder, default=None)


def _disorder(expression: Expression) -> int:
    """How often a number comes right after one that is later in the text."""
    order = [number.quantity or 0 for number in numbers(expression)]
    return sum(one > two for one, two in pairwise(order))


# Properties of a story ------------------------------------------------------------------------------------


def _answers(expression: Expression, asked: Sequence[Expression]) -> tuple[Fraction, ...]:
    """The values asked for; without any, the value of an expression or of a single unknown."""
    if not asked:
        answer = answer_of(expression)
        return () if answer is None else (answer,)
    solution: Mapping[Variable, Fraction] = solve(expression) or {}
    found = [evaluate(one, solution) for one in asked]
    return tuple(answer for answer in found if answer is not None)


def _plausible(retelling: Retelling, expression: Expression, answers: Sequence[Fraction]) -> bool:
    """Whether the answer is positive and, if a plain question has only whole numbers, whole."""
    if not answers or not 0 < answers[0] < 10**8:
        return False
    whole = all(number.value.denominator == 1 for number in numbers(expression))
    return answers[0].denominator == 1 if whole and retelling.plain else answers[0].denominator <= 1000


def _difficulty(expression: Expression, steps: int, spare: int) -> str:
    values = [number.value for number in numbers(expression)]
    points = 2 * (steps - 1) + spare
    points += any(value.denominator > 1 for value in values) + any(value >= 100 for value in values)
    return DIFFICULTIES[max(0, min(2, (points + 1) // 2))]


def _grounded(
    expression: Expression, phrases: Sequence[Phrase]
) -> tuple[dict[int, int], tuple[tuple[str, int, int], ...]]:
    """The new number of each unknown, first those with a phrase, in order of mention; and the phrases."""
    used = variables(expression)
    ordered = sorted((one for one in phrases if one.variable in used), key=lambda one: one[1:])
    groundings = tuple((f"X{number}", one.start, one.end) for number, one in enumerate(ordered, start=1))
    occurring = [leaf for leaf in leaves(expression) if isinstance(leaf, Variable)]
    order = dict.fromkeys([*(one.variable for one in ordered), *occurring])
    return {unknown.index: number for number, unknown in enumerate(order, start=1)}, groundings

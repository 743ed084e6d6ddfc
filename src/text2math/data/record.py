"""A problem as a file states it, and how it becomes an example or a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from text2math.data.anchoring import anchored
from text2math.data.dataset import Dataset, Failure
from text2math.data.gold import answer_warning, asked, read_gold, unknowns_of
from text2math.data.statements import statements
from text2math.language.attachment import UnmappableError, attach, with_hints
from text2math.language.problem import Example, Problem
from text2math.mathematics.expression import (
    Expression,
    Operation,
    Operator,
    Variable,
    is_equation,
    numbers,
    system,
    variables,
)


@dataclass(frozen=True, slots=True)
class Record:
    """A problem as a file states it: text, equations in infix over unknowns of any name, answer."""

    place: str
    problem: Problem
    equations: tuple[str, ...]
    answer: Fraction | None = None
    # Whether "X = 3 + 4" means the expression on its right side.
    arithmetic: bool = True
    # For each number of the equation, from left to right, the quantity the file says it is.
    hints: tuple[int | None, ...] = ()
    # The character span of each unknown's phrase, by the unknown's name in the equation.
    groundings: tuple[tuple[str, int, int], ...] = ()
    # The names of the unknowns in order of first mention, if the file states it.
    unknowns: tuple[str, ...] = ()
    source: str = ""
    split: str = ""
    # The gold, if the file does not state it as an equation.
    gold: Expression | None = None
    # Whether the gold may be of the larger grammar: systems, and numbers that words imply.
    larger: bool = False
    # The equations as first annotated, if the file has normalised them.
    annotated: tuple[str, ...] = ()
    # The quantities that the file says are used; others of the same value are less likely to be meant.
    preferred: frozenset[int] = frozenset()
    asked: tuple[Expression, ...] = ()
    answers: tuple[Fraction, ...] = ()


def to_example(record: Record) -> Example:
    """The example of a record, its gold pointing at the quantities of the text."""
    gold = _mapped(record)
    names = unknowns_of(" ".join(record.equations), record.unknowns)
    new_names = {name: f"X{i}" for i, name in enumerate(names, start=1)}
    answers = record.answers or (() if record.answer is None else (record.answer,))
    return Example(
        problem=record.problem,
        expression=gold,
        answer=record.answer,
        groundings=tuple((new_names[name], start, end) for name, start, end in record.groundings),
        source=record.source,
        metadata=(("split", record.split),) if record.split else (),
        asked=record.asked or asked(gold, answers),
        answers=answers,
    )


def _mapped(record: Record) -> Expression:
    """The gold of a record as the file states it or, in the larger grammar, in a form that fits the text."""
    problem = record.problem
    if record.larger:
        gold = record.gold or _single(record)
        if gold is None or (is_equation(gold) and not record.groundings):
            return _system(record)
        return anchored(gold, problem)
    if len(record.equations) != 1 and record.gold is None:
        reason = "a system of equations" if record.equations else "no equation"
        raise UnmappableError(reason, "; ".join(record.equations))
    return attach(record.gold or _stated(record), [quantity.value for quantity in problem.quantities])


def _single(record: Record) -> Expression | None:
    """The equation or expression of a record, if it has exactly one and that can be read as it is."""
    try:
        return _stated(record) if len(record.equations) == 1 else None
    except UnmappableError:
        return None


def _stated(record: Record) -> Expression:
    (equation,) = record.equations
    gold = read_gold(equation, record.unknowns, arithmetic=record.arithmetic)
    return with_hints(gold, record.hints) if len(record.hints) == len(tuple(numbers(gold))) else gold


def _system(record: Record) -> Expression:
    """The equations of a record as one system, as first annotated if that gives the same answers."""
    names = record.unknowns
    try:
        if record.annotated:
            natural = system(
                statements(record.annotated, record.problem, names, record.preferred, record.answers)
            )
            if asked(natural, record.answers):
                return natural
    except UnmappableError:
        pass  # use the normalised equations
    found = system(statements(record.equations, record.problem, names, record.preferred, record.answers))
    match found:
        case Operation(Operator.EQU, Variable(), value) | Operation(Operator.EQU, value, Variable()):
            return value if record.arithmetic and not variables(value) else found
    return found


Deriver = Callable[[Record], Iterator[Example]]


def to_dataset(
    name: str,
    records: Iterable[Record | Failure],
    folds: tuple[tuple[str, ...], ...] = (),
    derive: Deriver | None = None,
) -> Dataset:
    """The data set of these records; ``derive`` may add examples, which are in the fold of their record."""
    examples: list[Example] = []
    failed: list[Failure] = []
    warnings: list[Failure] = []
    derived: dict[str, tuple[str, ...]] = {}
    for record in records:
        if isinstance(record, Failure):
            failed.append(record)
            continue
        try:
            example = to_example(record)
        except UnmappableError as error:
            failed.append(Failure(record.place, error.reason, error.detail, record.problem))
        else:
            examples.append(example)
            if difference := answer_warning(example, asked_is_stated=bool(record.asked)):
                warnings.append(Failure(record.place, "another answer is stated", difference))
        if derive is not None:
            more = tuple(derive(record))
            examples += more
            derived[record.problem.id] = tuple(example.problem.id for example in more)
    grown = tuple(tuple(new for id in fold for new in (id, *derived.get(id, ()))) for fold in folds)
    return Dataset(name, tuple(examples), tuple(failed), tuple(warnings), grown)

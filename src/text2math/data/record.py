"""A problem as a file states it, and the one way from there to an example or a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from text2math.data.dataset import Dataset, Failure
from text2math.data.gold import answer_warning, read_gold, unknowns_of
from text2math.language.attachment import UnmappableError, attach, with_hints
from text2math.language.problem import Example, Problem
from text2math.mathematics.expression import numbers


@dataclass(frozen=True, slots=True)
class Record:
    """A problem as a file states it: text, equations in infix over unknowns of any name, answer."""

    place: str
    problem: Problem
    equations: tuple[str, ...]
    answer: Fraction | None = None
    # Whether "X = 3 + 4" stands for the expression on its right side.
    arithmetic: bool = True
    # For each number of the equation, from left to right, the quantity the file says it is.
    hints: tuple[int | None, ...] = ()
    # The character span of each unknown's phrase, by the unknown's name in the equation.
    groundings: tuple[tuple[str, int, int], ...] = ()
    # The names of the unknowns in the order of first mention, where the file tells.
    unknowns: tuple[str, ...] = ()
    source: str = ""
    split: str = ""


def to_example(record: Record) -> Example:
    """The example of a record, its gold pointing at the quantities of the text."""
    if len(record.equations) != 1:
        reason = "a system of equations" if record.equations else "no equation"
        raise UnmappableError(reason, "; ".join(record.equations))
    (equation,) = record.equations
    gold = read_gold(equation, record.unknowns, arithmetic=record.arithmetic)
    if len(record.hints) == len(tuple(numbers(gold))):
        gold = with_hints(gold, record.hints)
    new_names = {name: f"X{i}" for i, name in enumerate(unknowns_of(equation, record.unknowns), start=1)}
    return Example(
        problem=record.problem,
        expression=attach(gold, [quantity.value for quantity in record.problem.quantities]),
        answer=record.answer,
        groundings=tuple((new_names[name], start, end) for name, start, end in record.groundings),
        source=record.source,
        metadata=(("split", record.split),) if record.split else (),
    )


Deriver = Callable[[Record], Iterator[Example]]


def to_dataset(
    name: str,
    records: Iterable[Record | Failure],
    folds: tuple[tuple[str, ...], ...] = (),
    derive: Deriver | None = None,
) -> Dataset:
    """The data set of these records; ``derive`` may make further examples, which join the record's fold."""
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
            if difference := answer_warning(example):
                warnings.append(Failure(record.place, "another answer is stated", difference))
        if derive is not None:
            more = tuple(derive(record))
            examples += more
            derived[record.problem.id] = tuple(example.problem.id for example in more)
    grown = tuple(tuple(new for id in fold for new in (id, *derived.get(id, ()))) for fold in folds)
    return Dataset(name, tuple(examples), tuple(failed), tuple(warnings), grown)

"""Our own format, JSON Lines: one problem per line, described in docs/file-format.md.

>>> from text2math.data.corpus import load_corpus
>>> line = to_line(load_corpus().examples[0])
>>> sorted(line)
['answer', 'expression', 'id', 'source', 'text']
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from text2math.data.anchoring import anchored
from text2math.data.dataset import DataError, Dataset, Failure
from text2math.data.gold import asked
from text2math.data.record import Record, to_dataset
from text2math.data.statements import statements
from text2math.language.attachment import UnmappableError, attach
from text2math.language.knowledge import Knowledge
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.expression import Expression, equations, is_equation, is_system
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.notation import from_infix, json_number, to_infix

FIELDS = frozenset(
    {"id", "text", "expression", "equation", "equations", "asked", "answer", "variables", "fold", "source"}
)
GOLD = ("expression", "equation", "equations")
UNKNOWNS = tuple(f"X{index}" for index in range(1, MAX_UNKNOWNS + 1))
MAX_ASKED = 10


def read_json_lines(path: Path, *, strict: bool = False, knowledge: bool | Knowledge = False) -> Dataset:
    """The data set in a JSON Lines file; bad lines are its failures, or with ``strict`` an error.

    With ``knowledge``, the gold may use numbers that words of the text imply.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror}; check the name of the file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text ({error}); save it as UTF-8") from error
    dataset = parse_json_lines(text, path.stem, str(path), knowledge=knowledge)
    if strict and dataset.problems_failed:
        shown = "\n".join(map(str, dataset.problems_failed[:10]))
        more = len(dataset.problems_failed) - 10
        raise DataError(shown + (f"\n… and {more} more" if more > 0 else ""))
    return dataset


def parse_json_lines(text: str, name: str, place: str, *, knowledge: bool | Knowledge = False) -> Dataset:
    """The data set in these lines; ``place`` is the file's name in failures."""
    folds: dict[int, list[str]] = {}
    records = tuple(_records(text, name, place, folds, knowledge))
    numbered = tuple(tuple(folds.get(index, ())) for index in range(max(folds, default=-1) + 1))
    return to_dataset(name, records, numbered)


def _records(
    text: str, name: str, place: str, folds: dict[int, list[str]], knowledge: bool | Knowledge
) -> Iterator[Record | Failure]:
    """A record or a failure for every line; fold numbers go into ``folds``."""
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        here = f"{place}, line {number}"
        try:
            entry = _entry(line)
            id = str(entry.get("id", number))
            if id in seen:
                raise _BadLineError(f"the id {id!r} is also on line {seen[id]}; ids must be unique")
            record = _record(entry, id, here, name, knowledge)
        except _BadLineError as error:
            yield Failure(here, error.reason, str(error))
            continue
        seen[id] = number
        if "fold" in entry:
            folds.setdefault(entry["fold"], []).append(id)
        yield record


class _BadLineError(ValueError):
    """What is wrong with a line, and what to do."""

    reason = "a line that can't be read"


def _entry(line: str) -> dict[str, Any]:
    """The fields of a line, each of the right type."""
    try:
        entry = json.loads(line, parse_float=Fraction)
    except (ValueError, RecursionError) as error:
        raise _BadLineError(
            f'not JSON: {error}; each line must be one object such as {{"text": …}}'
        ) from error
    if not isinstance(entry, dict):
        raise _BadLineError('not an object; each line must be one, such as {"text": …, "expression": …}')
    if unknown := sorted(entry.keys() - FIELDS):
        raise _BadLineError(
            f"the field {unknown[0]!r} is unknown; the fields are {', '.join(sorted(FIELDS))}"
        )
    if not isinstance(entry.get("text"), str) or not entry["text"].strip():
        raise _BadLineError('no text; add a field "text" with the problem')
    if sum(kind in entry for kind in GOLD) != 1:
        raise _BadLineError('it needs exactly one of "expression", "equation" and "equations"')
    fold = entry.get("fold", 0)
    if type(fold) is not int or not 0 <= fold < 1000:  # a bool is an int, too
        raise _BadLineError(f'"fold" should be a number from 0, not {fold!r}')
    return entry


def _record(entry: Mapping[str, Any], id: str, here: str, name: str, knowledge: bool | Knowledge) -> Record:
    written = _gold(entry)
    try:
        problem = read_problem(entry["text"], id, knowledge=knowledge)
    except ValueError as error:
        raise _BadLineError(str(error)) from error
    answers = _answers(entry.get("answer"))
    return Record(
        place=here,
        problem=problem,
        equations=written,
        answer=answers[0] if len(answers) == 1 else None,
        arithmetic=False,
        groundings=tuple(_groundings(entry, " ".join(written))),
        unknowns=UNKNOWNS,
        source=str(entry.get("source", name)),
        larger=bool(knowledge) or "equations" in entry,
        asked=_asked(entry.get("asked", [])),
        answers=answers,
    )


def _gold(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The expression, the equation or the equations of a line."""
    kind = next(kind for kind in GOLD if kind in entry)
    written = entry[kind]
    if kind == "equations":
        if not isinstance(written, list) or not written or not all(map(_is_equation, written)):
            raise _BadLineError('"equations" should be a list such as ["X1 + X2 = 30", "X1 - X2 = 6"]')
        return tuple(written)
    if not isinstance(written, str):
        raise _BadLineError(f'"{kind}" should be a string such as "7 + (3 + 6)", not {written!r}')
    if ("=" in written) != (kind == "equation"):
        other = (
            "has no '='; call the field \"expression\""
            if kind == "equation"
            else "has a '='; call the field \"equation\""
        )
        raise _BadLineError(f"the {kind} {written!r} {other}")
    return (written,)


def _is_equation(written: object) -> bool:
    return isinstance(written, str) and "=" in written


def _asked(stated: object) -> tuple[Expression, ...]:
    """What is asked: an expression over the unknowns, or a list of these."""
    wanted = stated if isinstance(stated, list) else [stated]
    written = [one for one in wanted if isinstance(one, str)]
    if len(wanted) > MAX_ASKED or written != wanted:
        raise _BadLineError(f'"asked" should be "X1", "X1 + X2" or a list of these, not {stated!r}')
    try:
        return tuple(map(from_infix, written))
    except ValueError as error:
        raise _BadLineError(f'"asked" can\'t be read: {error}') from error


def _answers(stated: object) -> tuple[Fraction, ...]:
    """A number, a string such as "2/3", or a list of these."""
    if stated is None:
        return ()
    wanted = stated if isinstance(stated, list) else [stated]
    try:
        return tuple(Fraction(str(one)) for one in wanted)
    except (ValueError, ZeroDivisionError):
        raise _BadLineError(f'the answer {stated!r} is not a number; write 2.5 or "2/3"') from None


def _groundings(entry: Mapping[str, Any], written: str) -> Iterator[tuple[str, int, int]]:
    """The spans of the unknowns' phrases, given as words (their first occurrence) or as [start, end]."""
    given = entry.get("variables", {})
    if not isinstance(given, dict):
        raise _BadLineError('"variables" should be an object such as {"X1": "the larger number"}')
    text = entry["text"]
    for name, phrases in given.items():
        if name not in UNKNOWNS or name not in written:
            raise _BadLineError(f'"variables" names {name!r}, which the equation does not use')
        a_span = isinstance(phrases, list) and list(map(type, phrases)) == [int, int]
        for phrase in phrases if isinstance(phrases, list) and not a_span else [phrases]:
            yield (name, *_span(text, name, phrase))


def _span(text: str, name: str, phrase: object) -> tuple[int, int]:
    match phrase:
        case str() if phrase and phrase in text:
            start = text.index(phrase)
            return start, start + len(phrase)
        case [int(start), int(end)] if 0 <= start < end <= len(text):
            return start, end
        case _:
            raise _BadLineError(f"the phrase of {name}, {phrase!r}, is not in the text; copy it from there")


# Writing --------------------------------------------------------------------------------------------------


def to_line(example: Example, fold: int | None = None) -> dict[str, Any]:
    """The fields of an example; quantity indices are written only if values alone are ambiguous."""
    if example.expression is None:
        raise DataError(
            f"problem {example.problem.id!r} has no expression; only problems with gold are written"
        )
    line: dict[str, Any] = {"id": example.problem.id, "text": example.problem.text}
    if is_system(example.expression):
        line["equations"] = _written_system(example)
    else:
        line["equation" if is_equation(example.expression) else "expression"] = _written(example)
    if example.asked and (
        is_system(example.expression) or example.asked != asked(example.expression, example.answers)
    ):
        wanted = [to_infix(one) for one in example.asked]
        line["asked"] = wanted[0] if len(wanted) == 1 else wanted
    if len(example.answers) > 1:
        line["answer"] = [json_number(answer) for answer in example.answers]
    elif example.answer is not None:
        line["answer"] = json_number(example.answer)
    if example.groundings:
        line["variables"] = _phrases(example)
    if fold is not None:
        line["fold"] = fold
    if example.source:
        line["source"] = example.source
    return line


def _written(example: Example) -> str:
    assert example.expression is not None
    plain = to_infix(example.expression)
    try:
        found: Expression | None = _found_again(from_infix(plain), example.problem)
    except UnmappableError:
        found = None
    return plain if found == example.expression else to_infix(example.expression, quantities=True)


def _found_again(plain: Expression, problem: Problem) -> Expression:
    """The expression as it would be mapped when it is read back."""
    if problem.implied:
        return anchored(plain, problem)
    return attach(plain, [quantity.value for quantity in problem.quantities])


def _written_system(example: Example) -> list[str]:
    assert example.expression is not None
    own = equations(example.expression)
    plain = [to_infix(equation) for equation in own]
    try:
        found: tuple[Expression, ...] = statements(plain, example.problem, UNKNOWNS)
    except UnmappableError:
        found = ()
    return plain if found == own else [to_infix(equation, quantities=True) for equation in own]


def _phrases(example: Example) -> dict[str, Any]:
    """For each unknown, its phrase if these words first occur there in the text, else its spans."""
    text = example.problem.text
    phrases: dict[str, list[Any]] = {}
    for name, start, end in example.groundings:
        phrase = text[start:end]
        phrases.setdefault(name, []).append(phrase if text.index(phrase) == start else [start, end])
    return {
        name: found[0] if len(found) == 1 and isinstance(found[0], str) else found
        for name, found in phrases.items()
    }


def write_json_lines(path: Path, dataset: Dataset) -> None:
    """Write the examples and their folds to a file, atomically."""
    folds = {id: number for number, ids in enumerate(dataset.folds) for id in ids}
    lines = (to_line(example, folds.get(example.problem.id)) for example in dataset.examples)
    _write_atomically(path, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Write to a temporary file first, so that no reader ever sees half a file."""
    path = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise DataError(f"{path}: can't be written: {error.strerror}; does its folder exist?") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise

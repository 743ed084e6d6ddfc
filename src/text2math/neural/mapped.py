"""Data sets under the larger grammar, mapped once and kept in a folder, because mapping takes minutes.

A file has one example per line, its numbers referring to quantities of the text, and then the problems that
could not be mapped, which have no gold but count when accuracy is measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from text2math.data import Dataset, load
from text2math.data.dataset import Failure
from text2math.data.readers import names_in
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix, to_infix
from text2math.parallel import available_cores, run_parallel


def mapped_sets(data: Path, work: Path) -> list[Dataset]:
    """The data sets of a folder with their derived sentences, read with knowledge."""
    calls = [(name, data, work / f"{name}.mapped.jsonl") for name in names_in(data)]
    for _ in run_parallel(_map, calls, workers=min(len(calls), available_cores())):
        pass
    return [_read(path, name) for name, _, path in calls]


def mapped_set(name: str, data: Path, work: Path) -> Dataset:
    """One data set of a folder, as ``mapped_sets`` has it."""
    path = work / f"{name}.mapped.jsonl"
    _map(name, data, path)
    return _read(path, name)


def _map(name: str, data: Path, path: Path) -> None:
    """Map a data set, unless its file exists."""
    if path.exists():
        return
    dataset = load(name, data, derived_sentences=True, knowledge=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text("".join(f"{json.dumps(line)}\n" for line in _lines(dataset)), encoding="utf-8")
    unfinished.replace(path)


def _lines(dataset: Dataset) -> Iterator[dict[str, Any]]:
    yield {"folds": dataset.folds}
    for example in dataset.examples:
        yield {
            "id": example.problem.id,
            "text": example.problem.text,
            "expression": None
            if example.expression is None
            else to_infix(example.expression, quantities=True),
            "answer": None if example.answer is None else str(example.answer),
            "groundings": example.groundings,
            "source": example.source,
            "asked": [to_infix(one) for one in example.asked],
            "answers": [str(one) for one in example.answers],
        }
    for failure in dataset.problems_failed:
        if failure.problem is not None:
            yield {
                "id": failure.problem.id,
                "text": failure.problem.text,
                "place": failure.place,
                "reason": failure.reason,
                "detail": failure.detail,
            }


def _read(path: Path, name: str) -> Dataset:
    with path.open(encoding="utf-8") as file:
        folds = json.loads(next(file))["folds"]
        lines = [json.loads(line) for line in file]
    return Dataset(
        name,
        tuple(_example(line) for line in lines if "reason" not in line),
        tuple(_failure(line) for line in lines if "reason" in line),
        folds=tuple(map(tuple, folds)),
    )


def _example(line: dict[str, Any]) -> Example:
    written, answer = line["expression"], line["answer"]
    return Example(
        read_problem(line["text"], line["id"], knowledge=True),
        None if written is None else from_infix(written),
        None if answer is None else Fraction(answer),
        tuple((name, start, end) for name, start, end in line["groundings"]),
        line["source"],
        asked=tuple(map(from_infix, line["asked"])),
        answers=tuple(map(Fraction, line["answers"])),
    )


def _failure(line: dict[str, Any]) -> Failure:
    problem = read_problem(line["text"], line["id"], knowledge=True)
    return Failure(line["place"], line["reason"], line["detail"], problem)

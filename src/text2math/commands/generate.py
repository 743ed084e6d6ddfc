"""The command ``text2math generate``: exercises retold, as JSON Lines, as CSV, or as a sheet to print."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from text2math.data.stories import DIFFICULTIES, KINDS, NUMBERS, Story, generate
from text2math.data.stories.corpus import corpus
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import to_infix


class Format(StrEnum):
    """What is written."""

    JSONL = "jsonl"
    CSV = "csv"
    SHEET = "sheet"


def generate_stories(
    *,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many problems.")] = 20,
    seed: Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same problems.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write here (.gz packs it), not to the screen.")
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="By default the ending of --out decides; else jsonl."),
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=f"Only these: {', '.join(KINDS)}.")] = None,
    operators: Annotated[
        str | None, typer.Option("--operators", help='Only these signs, such as "+-".')
    ] = None,
    steps: Annotated[
        list[int] | None, typer.Option("--steps", min=1, help="Only so many operations.")
    ] = None,
    numbers: Annotated[str | None, typer.Option("--numbers", help=f"One of {', '.join(NUMBERS)}.")] = None,
    distractors: Annotated[
        bool | None,
        typer.Option("--distractors/--no-distractors", help="With, or without, needless numbers."),
    ] = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", help=f"One of {', '.join(DIFFICULTIES)}.")
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Minimal pairs: a story with two of its questions.")
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--corpus", help="The corpus that ships with the package; other options do not count."),
    ] = False,
) -> None:
    """Retell exercises: word problems with their solutions."""
    if shipped:
        lines: Iterable[str] = (
            json.dumps(to_line(story, fold), ensure_ascii=False) for story, fold in corpus()
        )
        return _put(out, lines)
    stories = generate(
        count,
        seed,
        kinds=kind,
        operators=operators,
        steps=steps,
        numbers=numbers,
        distractors=distractors,
        difficulty=difficulty,
        pairs=pairs,
    )
    return _put(out, _WRITERS[format or _format_of(out)](stories))


def _put(out: Path | None, lines: Iterable[str]) -> None:
    if out is None:
        for line in lines:
            typer.echo(line)
    else:
        _write(out, lines)


def _format_of(out: Path | None) -> Format:
    ending = "" if out is None else out.name.removesuffix(".gz").rpartition(".")[2]
    return {"csv": Format.CSV, "txt": Format.SHEET}.get(ending, Format.JSONL)


def _write(out: Path, lines: Iterable[str]) -> None:
    text = "".join(line + "\n" for line in lines)
    if out.suffix == ".gz":
        # no name and no time inside, so that the same seed gives the same bytes
        out.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    else:
        out.write_text(text, encoding="utf-8")


def to_line(story: Story, fold: int | None = None) -> dict[str, Any]:
    """A story in the format of the package's JSON Lines; numbers are written as the quantities they are.

    >>> [story] = generate(1, seed=2)
    >>> sorted(to_line(story))
    ['answer', 'expression', 'id', 'source', 'text']
    """
    field = "equation" if is_equation(story.expression) else "expression"
    line: dict[str, Any] = {
        "id": story.id,
        "text": story.text,
        field: to_infix(story.expression, quantities=True),
    }
    if story.answer is not None:
        line["answer"] = _number(story)
    if story.groundings:
        line["variables"] = {name: [[start, end]] for name, start, end in story.groundings}
    if fold is not None:
        line["fold"] = fold
    line["source"] = f"stories/{story.kind}"
    return line


def _number(story: Story) -> int | float | str:
    assert story.answer is not None
    if story.answer.denominator == 1:
        return story.answer.numerator
    decimal = float(story.answer)
    return decimal if str(story.answer) == str(type(story.answer)(repr(decimal))) else str(story.answer)


def json_lines(stories: Iterable[Story]) -> Iterator[str]:
    """A line for each story."""
    for story in stories:
        yield json.dumps(to_line(story), ensure_ascii=False)


def csv_lines(stories: Iterable[Story]) -> Iterator[str]:
    """A table with everything that is known of each story."""
    columns = ("id", "pair", "kind", "steps", "difficulty", "distractors", "text", "expression", "answer")
    yield ",".join(columns)
    for story in stories:
        row = [getattr(story, column) for column in columns]
        row[columns.index("expression")] = to_infix(story.expression)
        row[columns.index("answer")] = "" if story.answer is None else str(story.answer)
        cell = io.StringIO()
        csv.writer(cell, lineterminator="").writerow(row)
        yield cell.getvalue()


def sheet(stories: Iterable[Story]) -> Iterator[str]:
    """A sheet to print: the problems with room for an answer, then the solutions on a page of their own."""
    told = list(stories)
    yield "Word problems"
    for number, story in enumerate(told, 1):
        yield ""
        yield f"{number}. {story.text}"
        yield ""
        yield "   Answer: ____________________"
    yield "\f"
    yield "Solutions"
    yield ""
    for number, story in enumerate(told, 1):
        answer = "" if story.answer is None or is_equation(story.expression) else f" = {_number(story)}"
        if is_equation(story.expression):
            answer = "".join(f"; {name}: {story.text[start:end]}" for name, start, end in story.groundings)
        yield f"{number}. {to_infix(story.expression)}{answer}"


_WRITERS = {Format.JSONL: json_lines, Format.CSV: csv_lines, Format.SHEET: sheet}

"""The command ``text2math generate``: retold exercises as JSON Lines, CSV, or a worksheet to hand out."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from text2math.data.stories import DIFFICULTIES, KINDS, NUMBERS, Story, generate
from text2math.data.stories.corpus import corpus
from text2math.data.stories.exercise import BEYOND, SYSTEM
from text2math.language.answers import answer_text, answer_unit, solution_text
from text2math.language.wording import reads_naturally
from text2math.mathematics.algebra import solve
from text2math.mathematics.expression import equations, is_equation, is_system, sort_of
from text2math.mathematics.expression import numbers as numbers_in
from text2math.mathematics.expression import operators as operators_in
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import json_number, to_infix
from text2math.model.doubts import doubts
from text2math.model.steps import steps
from text2math.render.worksheet import SheetItem, html_sheet, markdown_sheet


class Format(StrEnum):
    """The format of the output."""

    JSONL = "jsonl"
    CSV = "csv"
    SHEET = "sheet"
    HTML = "html"
    MARKDOWN = "markdown"


ENDINGS = {
    "jsonl": Format.JSONL,
    "ndjson": Format.JSONL,
    "csv": Format.CSV,
    "txt": Format.SHEET,
    "html": Format.HTML,
    "htm": Format.HTML,
    "md": Format.MARKDOWN,
}
TOPICS = {
    "adding": ("change", "combine"),
    "comparing": ("compare", "scaling"),
    "groups": ("groups", "sharing", "array"),
    "money": ("price", "money"),
    "measuring": ("area", "speed", "rate"),
}
PLAIN_SIGNS = ("+", "-", "*", "/")
LARGER_KINDS = ("rounding", "percent", "clock", SYSTEM, BEYOND)  # left out unless asked for
NO_ANSWER = "There is no answer."
_OPERATOR = re.compile(r"[a-z]+|[^\sa-z]")
SEARCHED = 400  # problems to generate for each one that --level or --classroom may accept


@dataclass(frozen=True, slots=True)
class Level:
    """The limits of a grade: its signs, number of operations, size of numbers, and whether decimals."""

    signs: str
    steps: int
    largest: int
    decimals: bool = False

    def fits(self, story: Story) -> bool:
        """Whether a problem is of this level."""
        if story.expression is None or story.answer is None or story.steps > self.steps:
            return False
        values = [story.answer, *(number.value for number in numbers_in(story.expression))]
        signs = {operator.value for operator in operators_in(story.expression)}
        whole = self.decimals or all(value.denominator == 1 for value in values)
        return whole and signs <= set(self.signs) and all(abs(value) <= self.largest for value in values)


LEVELS = {
    1: Level("+-", 1, 20),
    2: Level("+-", 2, 100),
    3: Level("+-*/", 1, 100),
    4: Level("+-*/", 2, 1_000),
    5: Level("+-*/", 3, 10_000, decimals=True),
    6: Level("+-*/", 4, 1_000_000, decimals=True),
}


def generate_stories(
    *,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many problems.")] = 20,
    seed: Annotated[int, typer.Option("--seed", "-s", help="The same seed gives the same problems.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write (.gz compresses it); stdout by default."),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="By default the ending of --out decides, else jsonl."),
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=f"Only these: {', '.join(KINDS)}.")] = None,
    operators: Annotated[
        str | None, typer.Option("--operators", help='Only these signs, such as "+-" or "+- ceil mod".')
    ] = None,
    steps: Annotated[
        list[int] | None, typer.Option("--steps", min=1, help="Only problems with this many operations.")
    ] = None,
    numbers: Annotated[str | None, typer.Option("--numbers", help=f"One of {', '.join(NUMBERS)}.")] = None,
    distractors: Annotated[
        bool | None,
        typer.Option("--distractors/--no-distractors", help="With, or without, irrelevant numbers."),
    ] = None,
    difficulty: Annotated[
        str | None, typer.Option("--difficulty", help=f"One of {', '.join(DIFFICULTIES)}.")
    ] = None,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help=f"Only about these: {', '.join(TOPICS)}.")
    ] = None,
    level: Annotated[int | None, typer.Option("--level", min=1, max=6, help="For a grade, 1 to 6.")] = None,
    classroom: Annotated[
        bool, typer.Option("--classroom", help="Only problems that read as a teacher would write them.")
    ] = False,
    systems: Annotated[
        bool, typer.Option("--systems", help="Problems that need equations: the same as --kind system.")
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Minimal pairs: a story with two of its questions.")
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option("--corpus", help="The corpus in the package; other options are ignored."),
    ] = False,
) -> None:
    """Generate word problems with their solutions, by retelling exercises."""
    if shipped:
        lines: Iterable[str] = (
            json.dumps(to_line(story, fold), ensure_ascii=False) for story, fold in corpus()
        )
        return _put(out, lines)
    wanted = format or _format_of(out)
    signs = None if operators is None else _OPERATOR.findall(operators)
    kinds = [SYSTEM] if systems else _kinds(kind, topic)
    chosen = LEVELS.get(level or 0)
    searching = classroom or chosen is not None
    wants_larger = not set(kinds or ()).isdisjoint(LARGER_KINDS) or not set(signs or ()) <= set(PLAIN_SIGNS)
    found = generate(
        count * SEARCHED if searching else count,
        seed,
        kinds=kinds,
        operators=signs or (chosen.signs if chosen else None),
        steps=steps,
        numbers=numbers,
        distractors=distractors,
        difficulty=difficulty,
        larger=None if wants_larger else False,  # by default, problems that every packaged model can read
        pairs=pairs,
    )
    stories = (one for one in found if _fits(one, chosen, classroom)) if searching else found
    return _put(out, _WRITERS[wanted](islice(stories, count)))


def _kinds(kinds: list[str] | None, topics: list[str] | None) -> list[str] | None:
    for topic in topics or ():
        if topic not in TOPICS:
            raise ValueError(f"there is no topic {topic!r}; choose from {', '.join(TOPICS)}")
    found = [*(kinds or ()), *(kind for topic in topics or () for kind in TOPICS[topic])]
    return found or None


def _fits(story: Story, level: Level | None, classroom: bool) -> bool:
    """Whether a problem is of a level and, for a classroom, good enough to hand out."""
    if level is not None and not level.fits(story):
        return False
    if not classroom:
        return True
    if story.expression is None or is_equation(story.expression):
        return False
    problem = story.example().problem
    odd = {doubt.code for doubt in doubts(problem, story.expression, story.answer)}
    return reads_naturally(problem) and not odd & {"fractional-count", "negative-amount", "units-differ"}


def _put(out: Path | None, lines: Iterable[str]) -> None:
    if out is None:
        for line in lines:
            typer.echo(line)
    else:
        _write(out, lines)


def _format_of(out: Path | None) -> Format:
    if out is None:
        return Format.JSONL
    ending = out.name.removesuffix(".gz").rpartition(".")[2].lower()
    if ending not in ENDINGS:
        known = ", ".join(f".{one}" for one in ENDINGS)
        raise ValueError(f"{out}: unknown file type; give {known}, or a --format")
    return ENDINGS[ending]


def _write(out: Path, lines: Iterable[str]) -> None:
    text = "".join(line + "\n" for line in lines)
    if out.suffix == ".gz":
        # No file name and no time inside, so that the same random seed gives the same bytes.
        out.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    else:
        out.write_text(text, encoding="utf-8")


def to_line(story: Story, fold: int | None = None) -> dict[str, Any]:
    """A story as a line of our JSON Lines format, with quantity indices.

    >>> [story] = generate(1, seed=2, kinds=["combine"], larger=False)
    >>> sorted(to_line(story))
    ['answer', 'expression', 'id', 'source', 'text']
    """
    line: dict[str, Any] = {"id": story.id, "text": story.text, **_gold(story)}
    if len(story.answers) > 1:
        line["answer"] = [json_number(answer) for answer in story.answers]
    elif story.answer is not None:
        line["answer"] = json_number(story.answer)
    if story.groundings:
        line["variables"] = {name: [[start, end]] for name, start, end in story.groundings}
    if fold is not None:
        line["fold"] = fold
    line["source"] = f"stories/{story.kind}"
    return line


def _gold(story: Story) -> dict[str, Any]:
    """The mathematics, and what a system is asked for; empty if it is beyond the grammar."""
    if story.expression is None:
        return {}
    if story.asked or is_system(story.expression):
        written = [to_infix(one, quantities=True) for one in equations(story.expression)]
        asked = [to_infix(one) for one in story.asked]
        return {"equations": written, "asked": asked} if asked else {"equations": written}
    field = "equation" if is_equation(story.expression) else "expression"
    return {field: to_infix(story.expression, quantities=True)}


def json_lines(stories: Iterable[Story]) -> Iterator[str]:
    """A line for each story."""
    for story in stories:
        yield json.dumps(to_line(story), ensure_ascii=False)


def csv_lines(stories: Iterable[Story]) -> Iterator[str]:
    """A table with all properties of each story."""
    columns = ("id", "pair", "kind", "steps", "difficulty", "distractors", "text", "expression", "answer")
    yield ",".join(columns)
    for story in stories:
        row = [getattr(story, column) for column in columns]
        row[columns.index("expression")] = "" if story.expression is None else to_infix(story.expression)
        row[columns.index("answer")] = ", ".join(map(str, story.answers))
        cell = io.StringIO()
        csv.writer(cell, lineterminator="").writerow(row)
        yield cell.getvalue()


def sheet(stories: Iterable[Story]) -> Iterator[str]:
    """A worksheet as plain text: the problems with room for an answer, then the solutions on a new page."""
    listed = list(stories)
    yield "Word problems"
    for number, story in enumerate(listed, 1):
        yield ""
        yield f"{number}. {story.text}"
        yield ""
        yield "   Answer: ____________________"
    yield "\f"
    yield "Solutions"
    yield ""
    for number, story in enumerate(listed, 1):
        yield f"{number}. {_solution(story)}"


def _solution(story: Story) -> str:
    """The mathematics of a story on one line, with its answer or the phrases of its unknowns."""
    if story.expression is None:
        return NO_ANSWER
    if is_equation(story.expression) and story.kind != SYSTEM:
        phrases = (f"; {name}: {story.text[start:end]}" for name, start, end in story.groundings)
        return to_infix(story.expression) + "".join(phrases)
    if not story.asked:
        return f"{to_infix(story.expression)} = {', '.join(str(json_number(one)) for one in story.answers)}"
    asked = zip(story.asked, story.answers, strict=True)
    return f"{to_infix(story.expression)}: " + ", ".join(
        f"{to_infix(one)} = {json_number(answer)}" for one, answer in asked
    )


def sheet_items(stories: Iterable[Story]) -> list[SheetItem]:
    """The problems with their answers and the steps to them."""
    return [_item(story) for story in stories]


def _item(story: Story) -> SheetItem:
    problem, expression = story.example().problem, story.expression
    if expression is None:
        return SheetItem(story.text, NO_ANSWER, ())
    if sort_of(expression) is Sort.VALUE and story.answer is not None:
        unit = answer_unit(problem, expression)
        answer = answer_text(story.text, expression, story.answer, unit)
        return SheetItem(story.text, answer, tuple(map(str, steps(problem, expression, unit))))
    found = solve(expression)
    phrases = {name: story.text[start:end] for name, start, end in story.groundings}
    shown = to_infix(expression, unicode=True)
    if found:
        asked = zip(story.asked, story.answers, strict=True)
        shown = solution_text({to_infix(one, unicode=True): answer for one, answer in asked}, phrases)
    names = "; ".join(f"{name}: {words}" for name, words in phrases.items())
    working = tuple(map(str, steps(problem, expression))) if found else ()
    return SheetItem(story.text, shown, (names, *working) if names else working)


def html_lines(stories: Iterable[Story]) -> Iterator[str]:
    """A page to print."""
    yield html_sheet(sheet_items(stories)).rstrip("\n")


def markdown_lines(stories: Iterable[Story]) -> Iterator[str]:
    """The same as Markdown."""
    yield markdown_sheet(sheet_items(stories))


_WRITERS = {
    Format.JSONL: json_lines,
    Format.CSV: csv_lines,
    Format.SHEET: sheet,
    Format.HTML: html_lines,
    Format.MARKDOWN: markdown_lines,
}

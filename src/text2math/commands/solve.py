"""The command ``text2math solve``: one text in, its answer, its tree and its other readings out."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from text2math.commands.options import Json, MinProbability, Model, Top
from text2math.mathematics.notation import number_text, to_infix
from text2math.parse import Parse
from text2math.parser import DEFAULT_MODEL, TOP, Parser, load

COMPILING = "text2math: compiling the chart once, a few seconds…"
PIPE = "-"
_PARAGRAPH = re.compile(r"\n\s*\n")
PATIENCE = 1.5  # seconds: a compiled chart needs less for its first text, compiling needs much more


def solve(
    text: Annotated[
        list[str] | None,
        typer.Argument(
            help="The text, or a file with it. Without, or with -, stdin is read; a terminal asks you."
        ),
    ] = None,
    *,
    as_json: Json = False,
    top: Top = TOP,
    model: Model = DEFAULT_MODEL,
    latex: Annotated[bool, typer.Option("--latex", help="Print the mathematics as LaTeX.")] = False,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture to this file.")] = None,
    min_probability: MinProbability = None,
) -> None:
    """Solve a problem: the answer, the expression, the words behind each part of it, other readings.

    All that is given is one problem. For a file of several, one a line or one a paragraph, there is
    text2math parse.
    """
    parser = load(model)
    if text is None and sys.stdin.isatty() and not as_json:
        _converse(parser, top, min_probability)
        return
    given = _given(text)
    if not given.strip():
        raise ValueError('there is no text; try: text2math solve "Tom has 3 pens and buys 2. How many?"')
    with _told_when_slow():
        parse = parser.parse(given.strip(), top=top, min_probability=min_probability)
    if svg is not None:
        svg.write_text(parse.to_svg() + "\n", encoding="utf-8")
    if as_json:
        print(parse.to_json())
    elif latex:
        print(parse.latex or "")
    else:
        show(parse)


def _given(words: list[str] | None) -> str:
    """The text: the words of the command line, the file they name, or stdin."""
    if not words or words == ["-"]:
        given, source = sys.stdin.read(), PIPE
    elif len(words) == 1 and _is_file(words[0]):
        given, source = Path(words[0]).read_text(encoding="utf-8-sig"), words[0]
        print(f"text2math: reading the file {source}", file=sys.stderr)
    else:
        return " ".join(words)
    if (count := len(_PARAGRAPH.split(given.strip()))) > 1:
        advice = f"text2math parse {source} --paragraphs reads each by itself"
        print(f"text2math: the {count} paragraphs are read as one problem; {advice}", file=sys.stderr)
    return given


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):  # a text can be too long for a path, or have characters that no path has
        return False


@contextmanager
def _told_when_slow() -> Iterator[None]:
    """Say what takes so long where a text takes long, which only the first one ever does."""
    timer = threading.Timer(PATIENCE, partial(print, COMPILING, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _converse(parser: Parser, top: int, min_probability: float | None) -> None:
    """Ask for texts until there are no more."""
    console = Console(highlight=False)
    console.print("Type a problem, or nothing to leave.", style="dim")
    while True:
        try:
            given = input("› ").strip()
        except EOFError:
            return
        if not given:
            return
        try:
            with _told_when_slow():
                parse = parser.parse(given, top=top, min_probability=min_probability)
            show(parse)
        except ValueError as error:
            print("text2math:", error, file=sys.stderr)


def show(parse: Parse) -> None:
    """Print a parse for people: in colour where the output is a terminal."""
    console = Console(highlight=False, soft_wrap=True)
    colour = console.is_terminal and not console.no_color
    if parse.mathematics is None:
        console.print("no answer", style="bold")
    else:
        assert parse.probability is not None
        head = f"[bold]{headline(parse)}[/bold]  [dim]{100 * parse.probability:.0f} % sure[/dim]"
        console.print(head)
        console.print()
        console.out(parse.to_terminal(colour=colour, width=console.width), highlight=False)
    for warning in parse.warnings:
        console.out(warning, highlight=False)
    for name, phrase in parse.variables.items():
        console.out(f'{name} is "{phrase.text}"', highlight=False)
    if parse.alternatives:
        console.print("\nOther readings:", style="dim")
        for other in parse.alternatives:
            console.out(f"{100 * other.probability:5.1f} %  {other}", highlight=False)


def headline(parse: Parse) -> str:
    """The answer in one line: a number, the unknowns' values, or the equation."""
    if parse.solution:
        return ", ".join(f"{name} = {number_text(value)}" for name, value in parse.solution.items())
    if parse.answer is not None:
        return number_text(parse.answer)
    assert parse.mathematics is not None
    return to_infix(parse.mathematics, unicode=True)

"""The command ``text2math solve``: the answer to one text, its tree and its other readings."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from text2math.commands.options import (
    Json,
    KnowledgeFile,
    MinProbability,
    Model,
    NoKnowledge,
    Strict,
    Top,
    chosen_knowledge,
)
from text2math.mathematics.notation import number_text, to_infix
from text2math.parse import Parse
from text2math.parser import DEFAULT_MODEL, TOP, load
from text2math.render import steps_text
from text2math.render.plain import percent

COMPILING = "text2math: compiling the chart once, a few seconds…"
PIPE = "-"
_PARAGRAPH = re.compile(r"\n\s*\n")
BEYOND = "This may be beyond what I can do"
PATIENCE = 1.5  # seconds: a first text takes less if the chart is compiled already, and much more if not


def solve(
    text: Annotated[
        list[str] | None,
        typer.Argument(
            help="The text, or a file that contains it. By default, or with -, it is read from stdin."
        ),
    ] = None,
    *,
    as_json: Json = False,
    top: Top = TOP,
    model: Model = DEFAULT_MODEL,
    latex: Annotated[bool, typer.Option("--latex", help="Print the mathematics as LaTeX.")] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Print only the steps (with --latex, as LaTeX).")
    ] = False,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture to this file.")] = None,
    min_probability: MinProbability = None,
    strict: Strict = False,
    knowledge: KnowledgeFile = None,
    no_knowledge: NoKnowledge = False,
) -> int:
    """Solve a problem: the answer, the expression, the words behind each part of it, other readings.

    The whole input is one problem. For a file of several, one per line or paragraph, use text2math parse.
    The exit code is 0 if there is an answer (or an equation), else 1.
    """
    parser = load(model, knowledge=chosen_knowledge(knowledge, no_knowledge))
    if text is None and sys.stdin.isatty() and not as_json:
        _converse(partial(parser.parse, top=top, min_probability=min_probability, strict=strict))
        return 0
    given = _given(text)
    if not given.strip():
        raise ValueError('there is no text; try: text2math solve "Tom has 3 pens and buys 2. How many?"')
    with _notice_if_slow():
        parse = parser.parse(given.strip(), top=top, min_probability=min_probability, strict=strict)
    if svg is not None:
        svg.write_text(parse.to_svg() + "\n", encoding="utf-8")
    if as_json:
        print(parse.to_json())
    elif latex:
        print(parse.steps_latex if steps else parse.latex or "")
    elif steps:
        print(steps_text(parse.steps))
    else:
        show(parse)
    return 0 if has_answer(parse) else 1


def has_answer(parse: Parse) -> bool:
    """Whether a parse answers its text: with a value, with an equation, or with the solution of a system.

    >>> has_answer(Parse.nothing("Hello"))
    False
    """
    if parse.kind == "system":
        return bool(parse.solution)
    return parse.answer is not None or parse.equation is not None


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
        advice = f"text2math parse {source} --paragraphs reads them as separate problems"
        print(f"text2math: the {count} paragraphs are read as one problem; {advice}", file=sys.stderr)
    return given


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):  # a text can be too long for a path, or have characters that paths can't
        return False


@contextmanager
def _notice_if_slow() -> Iterator[None]:
    """Say why it takes so long: the first text has to wait for compilation."""
    timer = threading.Timer(PATIENCE, partial(print, COMPILING, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _converse(parse: Callable[[str], Parse]) -> None:
    """Ask for texts until there are no more."""
    from rich.console import Console  # slow to import, so only when something is shown

    console = Console(highlight=False)
    console.print("Type a problem, or press Enter to quit.", style="dim")
    while True:
        try:
            given = input("› ").strip()
        except EOFError:
            return
        if not given:
            return
        try:
            with _notice_if_slow():
                found = parse(given)
            show(found)
        except ValueError as error:
            print("text2math:", error, file=sys.stderr)


def show(parse: Parse) -> None:
    """Print a parse for people, in colour if the output is a terminal."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    colour = console.is_terminal and not console.no_color
    if parse.mathematics is None:
        console.print("no answer", style="bold")
    else:
        assert parse.probability is not None
        head = f"[bold]{headline(parse)}[/bold]  [dim]{percent(parse.probability)} sure[/dim]"
        console.print(head)
        console.print()
        console.out(parse.to_terminal(colour=colour, width=console.width), highlight=False)
    if len(parse.steps) > 1:
        console.print("\nSteps:", style="dim")
        console.out(steps_text(parse.steps, indent="  "), highlight=False)
    for warning in parse.warnings:
        console.out(warning, highlight=False)
    if parse.doubts and parse.mathematics is not None:
        console.print(f"\n{BEYOND}:", style="yellow")
        for doubt in parse.doubts:
            console.out(f"  {doubt}", highlight=False)
    for name, phrase in parse.variables.items():
        console.out(f'{name} is "{phrase.text}"', highlight=False)
    for fact in dict.fromkeys(quantity.fact for quantity in parse.quantities if quantity.used):
        if fact:
            console.out(f"Known: {fact}", highlight=False)
    if parse.alternatives:
        console.print("\nOther readings:", style="dim")
        for other in parse.alternatives:
            console.out(f"{100 * other.probability:5.1f} %  {other}", highlight=False)


def headline(parse: Parse) -> str:
    """The answer in one line: a number with its unit, the unknowns' values, or the equation."""
    if parse.kind in ("expression", "system") and parse.answer_text is not None:
        return parse.answer_text
    if parse.solution:
        return ", ".join(f"{name} = {number_text(value)}" for name, value in parse.solution.items())
    assert parse.mathematics is not None
    return to_infix(parse.mathematics, unicode=True)

"""The command line: a thin shell over the library.

To add a command, write a function in the module it belongs to (its options keyword-only, annotated for
typer, its docstring the help) and name it in ``COMMANDS``. Its module is imported only when it runs, so
``text2math --help`` stays fast. A command may return its exit code: 0 (or nothing) for success, 1 for a
result with errors in it. It reports wrong usage by raising ``ValueError`` or ``OSError``: the message becomes
one line on stderr, and the exit code is 2.

>>> main(["--version"])  # doctest: +ELLIPSIS
text2math ...
0
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from text2math import __version__
from text2math.collector import collector_paused

DONE, DONE_WITH_ERRORS, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is (``module:name`` of a function or a typer app), its line of help, and an example."""

    target: str
    help: str
    example: str
    takes_words: bool = False  # its function takes all words that are no options as one list

    def function(self) -> Any:
        """Import the module; the function of the command, or its typer app."""
        module, attribute = self.target.split(":")
        with collector_paused():
            found = getattr(import_module(module), attribute)
        gc.freeze()  # imported modules stay, so garbage collection need not look at them
        return found

    def load(self, name: str) -> Any:
        """Import the module and make the command."""
        found = self.function()
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False, rich_markup_mode=None)
            found.command(name)(function)
        command = typer.main.get_command(found)
        command.name = name
        return command


# In the order of the help.
COMMANDS: dict[str, LazyCommand] = {
    "solve": LazyCommand(
        "text2math.commands.solve:solve",
        "Solve a problem: the answer, the expression, the words behind each part of it, other readings.",
        'text2math solve "Tom has 3 boxes of 4 pens. How many pens has Tom?"',
        takes_words=True,
    ),
    "serve": LazyCommand(
        "text2math.commands.serve:serve",
        "Serve the page and the API.",
        "text2math serve --open",
    ),
    "mcp": LazyCommand(
        "text2math.commands.mcp:mcp",
        "Serve the tools solve, check and generate to an assistant, over the Model Context Protocol.",
        "text2math mcp",
    ),
    "explain": LazyCommand(
        "text2math.commands.explain:explain",
        "Explain a reading: the words and features behind each part, and what would change it.",
        'text2math explain "Tom has 3 pens and buys 2 more. How many pens has Tom?"',
    ),
    "parse": LazyCommand(
        "text2math.commands.parse:parse",
        "Parse files of texts: each input line gives one output line, in order, with the same id.",
        "text2math parse problems.jsonl --out answers.jsonl",
    ),
    "check": LazyCommand(
        "text2math.commands.check:check",
        "Check the answers on a sheet: which are right, what the others should be, and what went wrong.",
        "text2math check sheet.csv --html report.html",
    ),
    "train": LazyCommand(
        "text2math.commands.train:train",
        "Train a model.",
        "text2math train problems.jsonl --out my-model.t2m",
    ),
    "evaluate": LazyCommand(
        "text2math.commands.evaluate:evaluate",
        "Measure a model, which gets nothing but the text (the honest protocol).",
        "text2math evaluate problems.jsonl --model my-model.t2m",
    ),
    "models": LazyCommand(
        "text2math.commands.models:models",
        "List the models in the package, or show the card of one.",
        "text2math models small",
    ),
    "data": LazyCommand(
        "text2math.commands.data:app",
        "Data sets: counts, checksums, conversion to JSON Lines, leaks.",
        "text2math data list",
    ),
    "generate": LazyCommand(
        "text2math.commands.generate:generate_stories",
        "Generate word problems with their solutions, by retelling exercises.",
        "text2math generate --count 20 --kind compare --distractors --format sheet",
    ),
    "cross-validate": LazyCommand(
        "text2math.commands.experiments:cross_validate",
        "Train and test on a data set, fold by fold; accuracy is the mean over the folds, in percent.",
        "text2math cross-validate ai2 --data DIR --protocol honest",
    ),
    "tables": LazyCommand(
        "text2math.commands.experiments:tables",
        "Run the paper's tables: its figure, ours under the paper's protocol, ours from the text alone.",
        "text2math tables --data DIR --only equations",
    ),
    "compare": LazyCommand(
        "text2math.commands.compare:compare",
        "Compare two results on the same problems: a paired bootstrap interval, and McNemar's exact test.",
        "text2math compare ai2/paper/honest ai2/full/honest",
    ),
    "errors": LazyCommand(
        "text2math.commands.experiments:errors",
        "Show the kinds of mistakes that the model makes, fold by fold, each with its problem.",
        "text2math errors ai2 --data DIR",
    ),
}


class LazyGroup(TyperGroup):
    """A group that lists the commands of ``COMMANDS`` without importing them."""

    def __init__(self, **settings: Any) -> None:
        # "\b" keeps the lines as they are.
        examples = "".join(f"\n  {command.example}" for command in COMMANDS.values())
        super().__init__(**settings | {"epilog": f"\b\nExamples:{examples}" if examples else None})
        for name, command in COMMANDS.items():
            self.add_command(TyperCommand(name=name, help=command.help), name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is about to run, imported only now."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, COMMANDS[name].load(name) if name else None, rest


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(f"text2math {__version__}")
        raise typer.Exit


# Plain help: rich would double the time it takes.
app = typer.Typer(
    cls=LazyGroup, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
)


@app.callback()
def text2math(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show tracebacks and the log; allowed anywhere in the command."),
    ] = False,
) -> None:
    """Reads the mathematics out of plain language."""


def run() -> NoReturn:
    """The installed command: ``main``, then the end of this process without Python's own clean-up.

    That would take a fifth of a second, to free memory that the system reclaims anyway.
    """
    # numpy is not imported yet. Its matrix products here are small: a second thread would mostly wait, and
    # take a core from the threads of the chart.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ending = _Ending()
    atexit.register(ending.leave)  # the first to be registered, so the last to be called
    ending.code = main()
    sys.exit(ending.code)


@dataclass(slots=True)
class _Ending:
    """The end of this process (not of one that it forks), with an exit code."""

    code: int = DONE_WITH_ERRORS  # unless main returns another
    process: int = field(default_factory=os.getpid)

    def leave(self) -> None:
        """End the process at once, with everything written."""
        if os.getpid() != self.process:
            return
        logging.shutdown()  # registered before, so it would be called after
        sys.stdout.flush()  # what can't be written raises, and Python ends as usual and reports it
        sys.stderr.flush()
        os._exit(self.code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; an error is one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    words, debug = _without_debug(words)
    with _shown_log(logging.DEBUG if debug else logging.WARNING):
        return _run(words, debug)


def _run(words: list[str], debug: bool) -> int:
    try:
        result = _called(words)
        code = result if isinstance(result, int) else DONE
        # Newer typers give an interrupt this code, older ones raise Abort.
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has closed the pipe; Python must not flush into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE_WITH_ERRORS
    except Exception as error:
        # A group named without a command; older typers show its help themselves.
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error)
            return DONE
        if debug:
            raise
        return _fail(*_line(error))


def _called(words: list[str]) -> Any:
    """What the command gives back."""
    command = COMMANDS.get(words[0]) if words else None
    if command is not None and command.takes_words and words[1:] and not any(w[:1] == "-" for w in words):
        # Nothing to look up: typer would import pydantic for it, a tenth of the time to an answer.
        return command.function()(words[1:])
    return typer.main.get_command(app).main(words or ["--help"], prog_name="text2math", standalone_mode=False)


@contextmanager
def _shown_log(least: int) -> Iterator[None]:
    """Show what the library logs at this level or above on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger = logging.getLogger("text2math")
    level = logger.level
    logger.setLevel(least)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _without_debug(words: list[str]) -> tuple[list[str], bool]:
    """Remove ``--debug``, which may be anywhere among the options; after ``--`` it is text."""
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word != "--debug"]
    return options + words[end:], len(options) < end


def _line(error: Exception) -> tuple[str, int]:
    """The message for the user, and the exit code."""
    # typer's own errors, by what they can do: their class moved between its versions.
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        hint = f" (see: {context.command_path} --help)" if context else ""
        return f"{error.format_message()}{hint}", WRONG_USE
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror}", WRONG_USE
    if isinstance(error, ValueError | OSError):
        return str(error), WRONG_USE
    if type(error).__name__ == "WorkerError":  # its module is imported only by commands that use it
        return str(error), DONE_WITH_ERRORS
    return f"unexpected {type(error).__name__}: {error} (--debug shows where)", DONE_WITH_ERRORS


def _fail(message: str, code: int) -> int:
    print("text2math:", " ".join(message.split()), file=sys.stderr)
    return code


if __name__ == "__main__":
    run()

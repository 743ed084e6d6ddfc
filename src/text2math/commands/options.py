"""The options that several commands share."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from text2math.language.knowledge import Knowledge

Model = Annotated[str, typer.Option("--model", "-m", help="The name of a packaged model, or a model file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Top = Annotated[int, typer.Option("--top", min=1, max=50, help="The maximum number of readings.")]
MinProbability = Annotated[
    float | None,
    typer.Option("--min-probability", min=0.0, max=1.0, help="Give no answer less probable than this."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Give no answer if there is a reason to doubt it.")]
KnowledgeFile = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help="Your own facts, in addition to those of the package.",
        show_default=False,
    ),
]
NoKnowledge = Annotated[
    bool, typer.Option("--no-knowledge", help="Use only the numbers that are written in the text.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="The number of processes.", show_default="one per core"),
]


def chosen_knowledge(file: Path | None, none: bool) -> bool | Knowledge:
    """The options ``--knowledge FILE`` and ``--no-knowledge`` as an argument of ``load``.

    >>> chosen_knowledge(None, False), chosen_knowledge(None, True)
    (True, False)
    """
    if file is None:
        return not none
    if none:
        raise ValueError("--knowledge and --no-knowledge contradict each other: give one of them")
    return Knowledge.read(file)


def missing_for_networks() -> str:
    """What must be installed to train a network; empty if nothing is missing."""
    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    return f"needs {' and '.join(missing)}: pip install 'text2math[torch]'" if missing else ""

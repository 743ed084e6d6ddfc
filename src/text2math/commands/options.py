"""The options that several commands share, and the data that some of these name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from text2math.data import Dataset
from text2math.data.readers import DATA_VARIABLE, load
from text2math.language.problem import Example

Model = Annotated[str, typer.Option("--model", "-m", help="A model that comes along, or a model file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Top = Annotated[int, typer.Option("--top", min=1, max=50, help="How many readings to give.")]
MinProbability = Annotated[
    float | None,
    typer.Option("--min-probability", min=0.0, max=1.0, help="Give no answer less probable than this."),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of data sets.", envvar=DATA_VARIABLE, show_default=False),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes that work.", show_default="as many as cores"),
]


def load_examples(
    names: Sequence[str], data: Path | None, purpose: str
) -> tuple[list[Dataset], list[Example]]:
    """Data sets and all their examples; where there are none, an error that says why."""
    datasets = [load(name, data) for name in names]
    examples = [example for dataset in datasets for example in dataset.examples]
    if not examples:
        failed = [str(failure) for dataset in datasets for failure in dataset.problems_failed[:1]]
        raise ValueError("; ".join([f"{', '.join(names)}: there is nothing to {purpose}", *failed]))
    return datasets, examples


def missing_for_networks() -> str:
    """What to install before a network can be trained; empty where nothing is missing."""
    lacking = [name for name in ("torch", "transformers") if find_spec(name) is None]
    return f"needs {' and '.join(lacking)}: pip install 'text2math[torch]'" if lacking else ""

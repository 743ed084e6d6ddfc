"""Loading the data sets that are named on the command line, and the option for their folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from text2math.data import Dataset
from text2math.data.readers import DATA_VARIABLE, load
from text2math.language.knowledge import Knowledge
from text2math.language.problem import Example

Data = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of data sets.", envvar=DATA_VARIABLE, show_default=False),
]


def load_examples(
    names: Sequence[str], data: Path | None, purpose: str, *, knowledge: bool | Knowledge = False
) -> tuple[list[Dataset], list[Example]]:
    """Data sets and all their examples; raises an error that says why if there are none.

    With ``knowledge``, the gold may be a system and use numbers that words of the text imply.
    """
    datasets = [load(name, data, knowledge=knowledge) for name in names]
    examples = [example for dataset in datasets for example in dataset.examples]
    if not examples:
        failed = [str(failure) for dataset in datasets for failure in dataset.problems_failed[:1]]
        raise ValueError("; ".join([f"{', '.join(names)}: there is nothing to {purpose}", *failed]))
    return datasets, examples

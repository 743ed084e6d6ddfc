"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from text2math.data.readers import DATA_VARIABLE

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

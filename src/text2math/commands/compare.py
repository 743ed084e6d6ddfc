"""The command ``text2math compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from text2math.evaluation.significance import Verdicts, compare_published, named_metric
from text2math.evaluation.significance import compare as compare_verdicts
from text2math.evaluation.tables import read_results

System = Annotated[
    str,
    typer.Argument(
        help="A result: ai2/paper/honest, or a file that cross-validate --json printed. "
        "With :unnamed after it, equations are judged without the names of their unknowns."
    ),
]


Other = Annotated[
    str, typer.Argument(help="Another result, or the percentage that was published for the same problems.")
]


def compare(
    first: System,
    second: Other,
    *,
    results: Annotated[Path, typer.Option(help="The folder that tables wrote its results to.")] = Path(
        "experiments/results"
    ),
    seed: Annotated[int, typer.Option(help="The random seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two results on the same problems: a paired bootstrap interval, and McNemar's exact test.

    With a percentage as the second result, the bootstrap is over the first result's problems alone.
    """
    figure = _percentage(second)
    dataset, verdicts = _verdicts(first, results)
    if figure is not None:
        against = compare_published(verdicts, figure, seed=seed)
        if as_json:
            typer.echo(json.dumps({"first": first, "second": figure} | {"comparison": against.to_dict()}))
        else:
            typer.echo(f"{first}: {against}")
        return
    other, others = _verdicts(second, results)
    if dataset != other:
        raise ValueError(f"{first} is on {dataset}, {second} on {other}: compare them on the same data")
    found = compare_verdicts(verdicts, others, seed=seed)
    if as_json:
        typer.echo(json.dumps({"first": first, "second": second} | {"comparison": found.to_dict()}))
        return
    typer.echo(f"{first} and {second}: {found}")


def _percentage(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _verdicts(name: str, folder: Path) -> tuple[str, Verdicts]:
    """The data set of a result, and which of its problems were wrong."""
    stem, metric = named_metric(name)
    found = _result(stem, folder)
    return found["dataset"], Verdicts.of(found, stem, metric)


def _result(name: str, folder: Path) -> dict[str, Any]:
    if Path(name).is_file():
        content = json.loads(Path(name).read_text(encoding="utf-8"))
        if not isinstance(content, dict) or "wrong" not in content:
            raise ValueError(f"{name}: not the output of cross-validate --json")
        return content
    found = read_results(folder)
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise ValueError(f"{folder / 'tables.json'} has no result {name!r}; there are {known}")
    return found[name]

"""The commands ``text2math data list``, ``checksums``, ``convert`` and ``leaks``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from text2math.commands.examples import Data
from text2math.commands.options import Json
from text2math.data.checksums import checksum
from text2math.data.dataset import DataError, Dataset
from text2math.data.jsonlines import write_json_lines
from text2math.data.leaks import Leak
from text2math.data.leaks import leaks as find_leaks
from text2math.data.readers import FORMATS, data_folder, load
from text2math.inference.crf import has_tree
from text2math.language.consecutive import as_stated
from text2math.mathematics.expression import is_equation, is_system

app = typer.Typer(
    help="Data sets: counts, checksums, conversion to JSON Lines, leaks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

UseKnowledge = Annotated[
    bool, typer.Option("--knowledge/--no-knowledge", help="Also use the numbers that words imply.")
]


@app.command("list")
def list_data(
    names: Annotated[
        list[str] | None, typer.Argument(help="Data sets or .jsonl files; all data sets by default.")
    ] = None,
    *,
    data: Data = None,
    failures: Annotated[
        bool, typer.Option("--failures", help="Show every problem that could not be mapped.")
    ] = False,
    knowledge: UseKnowledge = True,
    as_json: Json = False,
) -> None:
    """Count the problems of each data set, and the reasons why some could not be mapped.

    Mapped: the gold has a text-math tree. Crossing: it has none, because its numbers interleave in the text.
    Implied: the median of how many numbers the words of a text imply.
    """
    datasets = [load(name, data, knowledge=knowledge) for name in names or _present(data)]
    if as_json:
        typer.echo(json.dumps([_summary(dataset, failures) for dataset in datasets], ensure_ascii=False))
        return
    console = Console()
    console.print(_counts(datasets))
    if any(dataset.problems_failed for dataset in datasets):
        console.print(_reasons(datasets))
    if failures:
        for dataset in datasets:
            for failure in (*dataset.problems_failed, *dataset.warnings):
                console.print(str(failure), markup=False, highlight=False)


@app.command("checksums")
def checksums(*, data: Data = None, as_json: Json = False) -> None:
    """Print a checksum of each data set's folder, to compare with the documentation."""
    folder = data_folder(data)
    present = sorted({layout.folder for layout in FORMATS.values() if (folder / layout.folder).is_dir()})
    found = {name: checksum(folder / name) for name in present}
    if as_json:
        typer.echo(json.dumps(found))
        return
    for name, digest in found.items():
        typer.echo(f"{digest}  {name}")


def _present(data: Path | None) -> list[str]:
    """Our own data sets, and those in the folder."""
    if data is None:
        return ["stories", "corpus", "exam"]
    if not data.is_dir():
        raise DataError(f"{data}: no such folder; give the one that contains ai2, il and so on")
    return [
        "stories",
        "corpus",
        "exam",
        *(name for name, layout in FORMATS.items() if (data / layout.folder).is_dir()),
    ]


def _summary(dataset: Dataset, failures: bool) -> dict[str, Any]:
    gold = [(e.expression, e.problem) for e in dataset.examples if e.expression is not None]
    implied = [len(problem.implied) for problem in dataset.problems]
    crossing = sum(
        not has_tree(as_stated(expression, problem), len(problem.tokens), problem.all_anchors)
        for expression, problem in gold
    )
    summary: dict[str, Any] = {
        "name": dataset.name,
        "problems": dataset.size,
        "mapped": len(dataset.examples) - crossing,
        "equations": sum(is_equation(expression) for expression, _ in gold),
        "systems": sum(is_system(expression) for expression, _ in gold),
        "crossing": crossing,
        "implied": int(median(implied)) if implied else 0,
        "folds": [len(fold) for fold in dataset.folds],
        "answers_differ": len(dataset.warnings),
        "reasons": dataset.reasons(),
    }
    if failures:
        summary["failures"] = list(map(str, dataset.problems_failed))
        summary["warnings"] = list(map(str, dataset.warnings))
    return summary


def _counts(datasets: Iterable[Dataset]) -> Table:
    table = Table("data set", title="Problems")
    for heading in (
        "problems",
        "mapped",
        "equations",
        "systems",
        "crossing",
        "implied",
        "answers differ",
        "folds",
    ):
        table.add_column(heading, justify="right")
    for dataset in datasets:
        row = _summary(dataset, failures=False)
        counts = ("problems", "mapped", "equations", "systems", "crossing", "implied", "answers_differ")
        table.add_row(
            dataset.name, *(str(row[key]) for key in counts), "/".join(map(str, row["folds"])) or "–"
        )
    return table


def _reasons(datasets: Sequence[Dataset]) -> Table:
    table = Table("data set", "why problems could not be mapped", title="Not mapped")
    table.add_column("problems", justify="right")
    table.add_column("for example")
    for dataset in datasets:
        for reason, count in dataset.reasons().items():
            first = next(failure for failure in dataset.problems_failed if failure.reason == reason)
            table.add_row(dataset.name, reason, str(count), f"{first.place}: {first.detail}"[:80])
    return table


@app.command()
def convert(
    name: Annotated[str, typer.Argument(help="A data set or a .jsonl file.")],
    output: Annotated[Path, typer.Argument(help="The .jsonl file to write.")],
    *,
    data: Data = None,
    derived_sentences: Annotated[
        bool, typer.Option("--derived-sentences", help="Add sentences that state one equation of a system.")
    ] = False,
    folds: Annotated[
        int | None, typer.Option(help="Make this many folds instead of using the data set's own.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed of the folds.")] = 0,
    knowledge: UseKnowledge = False,
) -> int:
    """Write a data set, with its folds, as JSON Lines; problems that can't be mapped are listed."""
    dataset = load(name, data, derived_sentences=derived_sentences, knowledge=knowledge)
    if folds is not None:
        dataset = dataset.with_folds(folds, seed)
    write_json_lines(output, dataset)
    typer.echo(f"{output}: {len(dataset.examples)} problems written, {len(dataset.problems_failed)} left out")
    for failure in dataset.problems_failed:
        typer.echo(f"left out: {failure}", err=True)
    return 1 if dataset.problems_failed else 0


@app.command()
def leaks(
    left: Annotated[str, typer.Argument(metavar="A", help="A data set or .jsonl file.")],
    right: Annotated[
        str, typer.Argument(metavar="B", help="Another one, or the same, to look across its folds.")
    ],
    *,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Find problems of A that appear in B, exactly or with their numbers masked."""
    first, second = load(left, data), load(right, data)
    if left == right and first.folds:
        found = list(_leaks_across_folds(first))
    else:
        found = list(find_leaks(first.problems, second.problems))
    kinds = Counter(leak.kind for leak in found)
    if as_json:
        listed = [{"a": leak.left, "b": leak.right, "kind": leak.kind} for leak in found]
        typer.echo(json.dumps({"exact": kinds["exact"], "masked": kinds["masked"], "leaks": listed}))
        return
    across = f"{left}, across its folds" if left == right and first.folds else f"{left} in {right}"
    table = Table("leak", left, right, title=f"Leaks: {across}")
    for leak in found:
        table.add_row(leak.kind, leak.left, leak.right)
    console = Console()
    if found:
        console.print(table)
    console.print(f"{kinds['exact']} exact, {kinds['masked']} except for their numbers")


def _leaks_across_folds(dataset: Dataset) -> Iterator[Leak]:
    """The problems of every fold that appear in another."""
    for ids in map(frozenset, dataset.folds):
        inside = [problem for problem in dataset.problems if problem.id in ids]
        yield from find_leaks(inside, [problem for problem in dataset.problems if problem.id not in ids])

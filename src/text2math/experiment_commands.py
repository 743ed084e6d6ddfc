"""The commands ``text2math cross-validate``, ``tables`` and ``errors``."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from text2math import __version__
from text2math.data.dataset import Dataset
from text2math.data.readers import DATA_VARIABLE, load
from text2math.errors import counts, mistakes, paper_examples
from text2math.experiments import (
    ROWS,
    Outcome,
    Protocol,
    Row,
    choose_rows,
    describe,
    evaluate_variant,
    identify_numbers,
    variant_config,
)
from text2math.lexicon import Lexicon
from text2math.model import ModelConfig

Name = Annotated[
    str, typer.Argument(help="ai2, il, commoncore, equations, allarith, or a .jsonl file of our own format.")
]
Data = Annotated[
    Path | None,
    typer.Option("--data", help="The folder of data sets.", envvar=DATA_VARIABLE, show_default=False),
]
ProtocolOption = Annotated[str, typer.Option(help="honest (the text alone) or paper (gold numbers given).")]
Variant = Annotated[str, typer.Option(help="A variant of the model, such as no-pos or prefix-x+inverse.")]
Folds = Annotated[int | None, typer.Option(help="Make so many folds instead of the data set's own.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Workers = Annotated[int | None, typer.Option(help="Folds at a time; as many as there are cores.")]


def cross_validate(
    name: Name,
    *,
    data: Data = None,
    protocol: ProtocolOption = "honest",
    variant: Variant = "full",
    folds: Folds = None,
    steps: Annotated[int | None, typer.Option(help="Training steps.")] = None,
    l2: Annotated[float | None, typer.Option(help="Strength of the L2 penalty.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="lbfgs, adam or sgd.")] = None,
    lexicon: Annotated[Path | None, typer.Option(help="A lexicon of your own (JSON).")] = None,
    seed: Annotated[int, typer.Option(help="Where random numbers start.")] = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Train and test on a data set, fold by fold; accuracy is the mean over the folds, in percent."""
    base = _config(steps, l2, optimizer, seed, lexicon)
    dataset = _folded(load(name, data), folds, seed)
    outcome = evaluate_variant(
        dataset, variant, _protocol(protocol), base=base, workers=workers, progress=sys.stderr.isatty()
    )
    if as_json:
        config = describe(variant_config(variant, _protocol(protocol), base))
        typer.echo(json.dumps(outcome.to_dict() | {"configuration": config}))
        return
    typer.echo(outcome.report.to_markdown())
    typer.echo(_summary(outcome))


def _summary(outcome: Outcome) -> str:
    memory = "" if outcome.peak_mb is None else f", {outcome.peak_mb:.0f} MB at most in a process"
    return (
        f"{outcome.dataset}, {outcome.variant}, {outcome.protocol}: {outcome.accuracy:.1f} % of "
        f"{outcome.problems} problems in {outcome.seconds:.0f} s{memory}"
    )


def _config(
    steps: int | None, l2: float | None, optimizer: str | None, seed: int, lexicon: Path | None
) -> ModelConfig:
    config = ModelConfig()
    training = replace(config.training, seed=seed)
    if steps is not None:
        training = replace(training, steps=steps)
        config = replace(config, inner_steps=min(steps, config.inner_steps))
    if l2 is not None:
        training = replace(training, l2=l2)
    if optimizer is not None:
        training = replace(training, optimizer=optimizer)
    if lexicon is not None:
        config = replace(config, features=replace(config.features, lexicon=Lexicon.read(lexicon)))
    return replace(config, training=training)


def _protocol(name: str) -> Protocol:
    if name == "honest":
        return "honest"
    if name == "paper":
        return "paper"
    raise ValueError(f"the protocols are honest and paper, not {name!r}")


def _folded(dataset: Dataset, folds: int | None, seed: int) -> Dataset:
    if folds is None and dataset.folds:
        return dataset
    return dataset.with_folds(5 if folds is None else folds, seed)


def tables(
    *,
    data: Data = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only these rows: a table, a data set, a variant, or data set/variant."),
    ] = None,
    results: Annotated[Path | None, typer.Option(help="A folder to write the results to.")] = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Run the paper's tables: its figure, ours under the paper's protocol, ours from the text alone."""
    rows = choose_rows(only or [])
    document = _document(rows, data, workers)
    if results is not None:
        write_results(results, document)
    typer.echo(json.dumps(document) if as_json else to_markdown(document))


def _document(rows: Sequence[Row], data: Path | None, workers: int | None) -> dict[str, Any]:
    datasets: dict[str, Dataset] = {}
    outcomes: dict[tuple[str, str, str], Outcome] = {}
    for row in rows:
        for protocol in row.protocols if row.variant else ():
            key = (row.dataset, row.variant, protocol)
            if key in outcomes:
                continue
            if row.dataset not in datasets:
                datasets[row.dataset] = load(row.dataset, data)
            outcomes[key] = evaluate_variant(
                datasets[row.dataset],
                row.variant,
                protocol,
                workers=workers,
                progress=sys.stderr.isatty(),
            )
            print(_summary(outcomes[key]), file=sys.stderr)
    document: dict[str, Any] = {
        "command": " ".join(["text2math", *sys.argv[1:]]),
        "version": __version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "rows": [_row(row, outcomes) for row in rows],
    }
    if "equations" in datasets:
        document["number_identification"] = _identification(datasets["equations"])
    return document


def _identification(dataset: Dataset) -> dict[str, Any]:
    folds = identify_numbers(dataset)
    mean = sum(folds) / len(folds)
    return {"paper": 95.3, "accuracy": round(mean, 2), "folds": [round(fold, 2) for fold in folds]}


def _row(row: Row, outcomes: dict[tuple[str, str, str], Outcome]) -> dict[str, Any]:
    ours = {
        protocol: outcomes[row.dataset, row.variant, protocol].to_dict()
        for protocol in row.protocols
        if row.variant
    }
    named = {"table": row.table, "system": row.system, "dataset": row.dataset, "variant": row.variant}
    return named | {"paper_reports": row.paper, "ours": ours}


def write_results(folder: Path, document: dict[str, Any]) -> None:
    """Write the tables as JSON and as a page, each with the command that made them."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1) + "\n"
    (folder / "tables.json").write_text(text, encoding="utf-8")
    (folder / "tables.md").write_text(to_markdown(document) + "\n", encoding="utf-8")


def to_markdown(document: dict[str, Any]) -> str:
    """The tables as text, in the order of the paper."""
    head = "| system | data | paper reports | ours, paper protocol | ours, honest | per fold | s | MB |"
    parts = [f"`{document['command']}`, version {document['version']}, {document['date']}"]
    for table in dict.fromkeys(row.table for row in ROWS):
        rows = [row for row in document["rows"] if row["table"] == table]
        if rows:
            lines = [f"## {table}", "", head, "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: |"]
            parts.append("\n".join([*lines, *map(_line, rows)]))
    if found := document.get("number_identification"):
        parts.append(f"Number identification: {found['accuracy']:.1f} (paper: {found['paper']}).")
    return "\n\n".join(parts)


def _line(row: dict[str, Any]) -> str:
    ours = row["ours"]
    figures = [f"{ours[p]['accuracy']:.1f}" if p in ours else "–" for p in ("paper", "honest")]
    per_fold = "; ".join(
        f"{protocol} " + " ".join(f"{fold:.1f}" for fold in one["folds"]) for protocol, one in ours.items()
    )
    seconds = " / ".join(f"{one['seconds']:.0f}" for one in ours.values())
    memory = " / ".join(str(one["peak_mb"]) for one in ours.values())
    cells = [row["system"], row["dataset"], f"{row['paper_reports']:.1f}", *figures]
    return "| " + " | ".join([*cells, per_fold, seconds, memory]) + " |"


def errors(
    name: Annotated[
        str, typer.Argument(help="A data set, or 'examples' for those the paper prints.")
    ] = "examples",
    *,
    data: Data = None,
    protocol: ProtocolOption = "honest",
    variant: Variant = "full",
    folds: Folds = None,
    fold: Annotated[list[int] | None, typer.Option(help="Only these folds, counted from 0.")] = None,
    as_json: Json = False,
) -> None:
    """Show which kinds of mistakes the model makes, fold by fold, each with its problem."""
    if name == "examples":
        _show_examples(data, _protocol(protocol), as_json)
        return
    dataset = _folded(load(name, data), folds, 0)
    found = mistakes(dataset, variant, _protocol(protocol), folds=fold)
    if as_json:
        document = {"counts": counts(found), "mistakes": [asdict(mistake) for mistake in found]}
        typer.echo(json.dumps(document))
        return
    for kind, by_fold in counts(found).items():
        typer.echo(f"{kind}: {sum(by_fold.values())} {by_fold}")
    for mistake in found:
        typer.echo(f"\nfold {mistake.fold}, problem {mistake.id}: {mistake.kind}\n  {mistake.text}")
        typer.echo(f"  gold       {mistake.gold}\n  predicted  {mistake.predicted or 'nothing'}")


def _show_examples(data: Path | None, protocol: Protocol, as_json: bool) -> None:
    found = paper_examples([load("equations", data), load("il", data)], protocol)
    if as_json:
        typer.echo(json.dumps([asdict(result) for result in found]))
        return
    for result in found:
        one = result.example
        typer.echo(f"\n{one.name} ({one.dataset}): {one.text}\n  gold   {one.gold}\n  paper  {one.paper}")
        typer.echo(f"  ours   {result.predicted or 'nothing'} ({'right' if result.right else 'wrong'})")

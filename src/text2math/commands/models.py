"""The command ``text2math models``: the models in the package."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from text2math.commands.options import Json
from text2math.model.cards import card_text
from text2math.parser import DEFAULT_MODEL, load, model_names, packaged


def models(
    name: Annotated[
        str | None, typer.Argument(help="Show this model's card (a name, or a model file).")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """List the models in the package, or show the card of one."""
    if name is not None:
        parser = load(name)
        print(
            json.dumps({"name": parser.name, **parser.card})
            if as_json
            else card_text(parser.name, parser.card),
            end="",
        )
        if as_json:
            print()
        return
    found = [_summary(own) for own in model_names()]
    if as_json:
        print(json.dumps(found))
        return
    table = Table("model", "about", title="Models")
    for heading in ("problems", "held-out accuracy", "kB"):
        table.add_column(heading, justify="right")
    for row in found:
        label = f"{row['name']} (default)" if row["default"] else row["name"]
        accuracy = "–" if row["accuracy"] is None else f"{row['accuracy']:.1f} %"
        size = f"{row['bytes'] / 1000:.0f}"
        table.add_row(label, row["about"], f"{row['examples']:,}", accuracy, size)
    Console().print(table)


def _summary(name: str) -> dict[str, Any]:
    parser = load(name)
    judged = parser.card.get("held_out", parser.card.get("judged", {})).get("all")
    held_out = parser.card.get("cross_fitted", judged)
    return {
        "name": name,
        "default": name == DEFAULT_MODEL,
        "about": parser.card.get("about", ""),
        "examples": parser.card.get("examples", 0),
        "accuracy": 100 * held_out["right"] / held_out["all"] if held_out else None,
        "bytes": packaged(name).stat().st_size,
    }

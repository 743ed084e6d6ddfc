"""The command ``text2math train``: train a model on your own problems, or by a recipe."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from text2math.commands.examples import Data, load_examples
from text2math.commands.messages import say
from text2math.commands.options import missing_for_networks
from text2math.data import Dataset
from text2math.data.stories.sheets import sheet_names
from text2math.learning.optimise import Progress
from text2math.learning.recipes import RECIPES, bake
from text2math.learning.training import train as train_model
from text2math.model.cards import card_text
from text2math.model.config import L2, STEPS, ModelConfig
from text2math.parser import DEFAULT_MODEL, Parser, load

FURTHER = "further"  # the recipe that starts from a packaged network


def train(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="DATA", help="A .jsonl file or data set, or several.")
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file (.t2m) or folder to write.")],
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", help=f"Train a packaged model: default, further, {', '.join(RECIPES)}."),
    ] = None,
    data: Data = None,
    encoder: Annotated[
        Path | None,
        typer.Option("--encoder", help="The Hugging Face folder that --recipe default starts from."),
    ] = None,
    sheet: Annotated[
        list[str] | None,
        typer.Option("--sheet", help="With --recipe further: a new sheet, or a pattern such as 'short_*'."),
    ] = None,
    stories: Annotated[
        int | None,
        typer.Option(
            "--stories", min=1, help="With --recipe further: how many stories to tell from new sheets."
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", help="Build on the scores of this model, such as default."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="The maximum number of training steps.")] = STEPS,
    l2: Annotated[float, typer.Option(min=0.0, help="Regularisation strength.")] = L2,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing model.")] = False,
) -> int:
    """Train a model.

    With DATA, it is trained on these problems, alone or (--base) on top of another model's scores. With
    --recipe, a packaged model is trained on the data sets in the folder --data, and its card is written next
    to it; --recipe further goes on training the network of --base, above all on new sheets of exercises.
    """
    if (recipe is None) == (not names):
        raise ValueError("name either data to train on or a --recipe (see: text2math train --help)")
    if recipe not in (None, FURTHER) and base is not None:
        raise ValueError("--base needs data to train on; a recipe has its own starting point")
    for option, value in (("--sheet", sheet), ("--stories", stories)):
        if recipe != FURTHER and value:
            raise ValueError(f"{option} needs --recipe further")
    if out.exists() and not overwrite:
        raise ValueError(f"{out} exists; --overwrite replaces it")
    if recipe is not None:
        if recipe == FURTHER:
            return _further(base or DEFAULT_MODEL, sheet or (), stories, data, encoder, out)
        return _by_recipe(recipe, data, out, encoder)
    datasets, examples = load_examples(names or (), data, "train on")
    start = None if base is None else load(base).saved
    defaults = ModelConfig() if start is None else start.model.config
    config = replace(defaults, training=replace(defaults.training, steps=steps, l2=l2, seed=seed))
    parser = Parser.of(train_model(examples, config, base=start, name=out.stem, report=_report))
    parser.save(out)
    print(f"{out}: {_outcome(parser, len(examples))}")
    return _left_out(datasets)


def _by_recipe(name: str, data: Path | None, out: Path, encoder: Path | None) -> int:
    if name == "default":
        return _default(data, encoder, out)
    if name not in RECIPES:
        raise ValueError(f"there is no recipe {name!r}; choose from default, further, {', '.join(RECIPES)}")
    if data is None:
        raise ValueError("a recipe needs the folder of data sets: give --data DIR")
    parser = Parser.of(bake(RECIPES[name], data, tell=say, report=_report))
    parser.save_compact(out)
    return _write_card(parser, out)


def _write_card(parser: Parser, out: Path) -> int:
    card = out.with_suffix(".md")
    card.write_text(card_text(parser.name, parser.card), encoding="utf-8")
    print(f"{out}: {out.stat().st_size:,} bytes, and its card {card}")
    return 0


def _default(data: Path | None, encoder: Path | None, out: Path) -> int:
    data, encoder = _needed("default", data, encoder)
    from text2math.neural.recipe import bake_default  # the extra [torch]

    parser = Parser.of(bake_default(data, encoder, out.with_suffix(".work"), tell=say))
    parser.save(out)
    return _write_card(parser, out)


def _further(
    base: str,
    patterns: Sequence[str],
    stories: int | None,
    data: Path | None,
    encoder: Path | None,
    out: Path,
) -> int:
    data, encoder = _needed(FURTHER, data, encoder)
    from text2math.neural.further import FurtherRecipe, newer_sheets, train_further  # the extra [torch]

    saved = load(base).saved
    sheets = _sheets(patterns) if patterns else newer_sheets(saved.card)
    recipe = FurtherRecipe() if stories is None else FurtherRecipe(newer=stories)
    work = out.with_suffix(".work")
    parser = Parser.of(train_further(saved, sheets, data, encoder, work, recipe, tell=say))
    parser.save(out)
    return _write_card(parser, out)


def _sheets(patterns: Sequence[str]) -> list[str]:
    """The sheets to train on whose names match one of the patterns."""
    known = sheet_names()
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise ValueError(f"no sheet to train on is called {pattern!r}")
    return [name for name in known if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def _needed(recipe: str, data: Path | None, encoder: Path | None) -> tuple[Path, Path]:
    """What a recipe of networks needs, or an error that says what is missing."""
    if data is None or encoder is None:
        raise ValueError(f"the recipe {recipe} needs --data DIR and --encoder DIR (a Hugging Face folder)")
    if missing := missing_for_networks():
        raise ValueError(f"the recipe {recipe} {missing}")
    return data, encoder


def _outcome(parser: Parser, examples: int) -> str:
    unreachable = len(parser.model.unreachable)
    left_out = f"; {unreachable} have no tree and were left out" if unreachable else ""
    summary = parser.model.summary
    stopped = (
        "interrupted, with the best weights so far; " if summary is not None and summary.interrupted else ""
    )
    return f"{stopped}trained on {examples:,} problems{left_out}"


def _left_out(datasets: list[Dataset]) -> int:
    failures = [failure for dataset in datasets for failure in dataset.problems_failed]
    for failure in failures:
        print(f"left out: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _report(progress: Progress) -> None:
    if progress.step % 5 == 0 or progress.step == 1:
        say(f"step {progress.step}, objective {progress.objective:,.1f}, {progress.seconds:.0f} s")

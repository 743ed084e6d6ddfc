"""Draw the figures of docs/reproduction.md from the results, light and dark (the extra ``plots``).

    python experiments/figures.py --data DIR [--results experiments/results] [--out FOLDER ...]

Learning curves, accuracy by the number of operators and by length, and what each feature group is worth. A
figure shows the results that are there; it is left out where there are none.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.significance import Verdicts, compare
from text2math.evaluation.tables import Results, read_results
from text2math.language.problem import Example
from text2math.mathematics.expression import operators

THEMES = {
    "light": {"ink": "#1f2328", "paper": "#ffffff", "faint": "#d0d7de"},
    "dark": {"ink": "#e6edf3", "paper": "#0d1117", "faint": "#30363d"},
}
SYSTEMS = {"paper": "paper", "paper-rules": "paper-rules", "pipeline": "pipeline", "full": "full model"}
COLOURS = {"paper": "#3b82c4", "paper-rules": "#2a9d8f", "pipeline": "#b07aa1", "full": "#e07b39"}
GROUPS = {"no-words": "words", "no-bigrams": "bigrams", "no-pos": "part of speech", "no-lexicon": "lexicon"}
PROTOCOL = "paper"
DATASETS = ("ai2", "il", "equations")
LENGTHS = (20, 30, 40)  # words, where one bin ends and the next begins
LEAST = 10  # problems that a point of a figure stands for

Draw = Callable[[Sequence[Axes]], None]
Bin = Callable[[Example], str]  # the bin that a problem falls into


def learning_curves(axes: Sequence[Axes], names: Sequence[str], parts: Results, whole: Results) -> None:
    """Accuracy against the number of training problems' share."""
    for own, name in zip(axes, names, strict=True):
        for variant in ("paper", "full"):
            prefix = f"{name}/{variant}/{PROTOCOL}"
            points = {
                float(key.rsplit("/", 1)[1]): one["accuracy"]
                for key, one in parts.items()
                if key.startswith(f"{prefix}/")
            }
            if prefix in whole:
                points[1.0] = whole[prefix]["accuracy"]
            if points:
                shares = sorted(points)
                values = [points[share] for share in shares]
                own.plot(shares, values, marker="o", color=COLOURS[variant], label=SYSTEMS[variant])
        own.set_xscale("log", base=2)
        own.set_xticks([0.125, 0.25, 0.5, 1.0], ["1/8", "1/4", "1/2", "all"])
        own.set_title(name)
        own.set_xlabel("share of the training folds")


def accuracy_by(
    axes: Sequence[Axes],
    datasets: Sequence[Dataset],
    found: Results,
    key: Callable[[Example], str],
    what: str,
) -> None:
    """Accuracy of each system over the problems of a bin."""
    for own, dataset in zip(axes, datasets, strict=True):
        bins: defaultdict[str, set[str]] = defaultdict(set)
        listed = {id for ids in dataset.folds for id in ids}
        for example in dataset.examples:
            if example.problem.id in listed and example.expression is not None:
                bins[key(example)].add(example.problem.id)
        shown = [name for name in sorted(bins, key=_rank) if len(bins[name]) >= LEAST]
        for variant, label in SYSTEMS.items():
            one = found.get(f"{dataset.name}/{variant}/{PROTOCOL}")
            if one is None or not one.get("wrong"):
                continue
            wrong = set(one["wrong"][0])
            shares = [100 - 100 * len(bins[name] & wrong) / len(bins[name]) for name in shown]
            own.plot(shown, shares, marker="o", color=COLOURS[variant], label=label)
        own.set_title(dataset.name)
        own.set_xlabel(what)


def _rank(name: str) -> float:
    return float(name.strip("<≥").split("–")[0]) - (0.5 if name.startswith("<") else 0.0)


def by_operators(example: Example) -> str:
    """How many operators the gold has."""
    count = sum(1 for _ in operators(example.expression)) if example.expression is not None else 0
    return str(count)


def by_length(example: Example) -> str:
    """How many words the text has, in bins."""
    words = len(example.problem.tokens)
    for low, high in zip((0, *LENGTHS), LENGTHS, strict=False):
        if words < high:
            return f"<{high}" if low == 0 else f"{low}–{high - 1}"
    return f"≥{LENGTHS[-1]}"


def group_values(axes: Sequence[Axes], names: Sequence[str], found: Results) -> None:
    """What accuracy loses without a group of features, with the interval of a paired bootstrap."""
    for own, name in zip(axes, names, strict=True):
        losses = list(_losses(name, found))
        for at, (_, low, value, high) in enumerate(losses):
            own.barh(at, value, height=0.6, color=COLOURS["paper"])
            own.plot([low, high], [at, at], color=COLOURS["full"], linewidth=2)
        own.axvline(0, linewidth=0.8)
        own.set_yticks(range(len(losses)), [label for label, *_ in losses])
        own.set_ylim(len(losses) - 0.4, -0.6)
        own.set_axisbelow(True)
        own.set_title(name)
        own.set_xlabel("points lost without it")


def _losses(name: str, found: Results) -> Iterator[tuple[str, float, float, float]]:
    whole = found.get(f"{name}/paper/{PROTOCOL}")
    rows = {label: found.get(f"{name}/paper+{change}/{PROTOCOL}") for change, label in GROUPS.items()}
    rows["number relevance"] = found.get(f"{name}/paper/honest")
    for label, one in rows.items():
        if whole is not None and one is not None:
            result = compare(Verdicts.of(one, label), Verdicts.of(whole, name), resamples=2000)
            yield label, result.low, result.difference, result.high


def draw(draw_on: Draw, count: int, label: str, paths: Mapping[str, Sequence[Path]]) -> None:
    """Draw a row of diagrams in each theme."""
    for theme, targets in paths.items():
        colours = THEMES[theme]
        style = {
            "svg.fonttype": "none",
            "svg.hashsalt": "text2math",  # so that the same results give the same file
            "figure.facecolor": colours["paper"],
            "axes.facecolor": colours["paper"],
            "axes.grid": True,
            "grid.color": colours["faint"],
        }
        inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        with plt.rc_context(style | dict.fromkeys(inks, colours["ink"])):
            figure, axes = plt.subplots(1, count, figsize=(3.4 * count, 3.0), squeeze=False)
            draw_on(list(axes[0]))
            axes[0][0].set_ylabel(label)
            handles, labels = axes[0][0].get_legend_handles_labels()
            if handles:
                axes[0][-1].legend(handles, labels, fontsize=8, framealpha=0.0)
            figure.tight_layout()
            for path in targets:
                path.parent.mkdir(parents=True, exist_ok=True)
                figure.savefig(path, metadata={"Date": None})
            plt.close(figure)


def figures(
    datasets: Sequence[Dataset], found: Results, parts: Results
) -> Iterator[tuple[str, str, int, Draw]]:
    """Name, label of the vertical axis, number of diagrams, and how to draw each."""
    names = [dataset.name for dataset in datasets]
    curves = [name for name in names if any(key.startswith(f"{name}/") for key in parts)]
    if curves:
        yield "curves", "accuracy, %", len(curves), lambda axes: learning_curves(axes, curves, parts, found)
    evaluated = [one for one in datasets if f"{one.name}/paper/{PROTOCOL}" in found]
    for name, key, what in (
        ("operators", by_operators, "operators of the gold"),
        ("length", by_length, "words of the text"),
    ):
        if evaluated:
            yield name, "accuracy, %", len(evaluated), _accuracy(evaluated, found, key, what)
    measured = [name for name in names if next(_losses(name, found), None)]
    if measured:
        yield "groups", "", len(measured), lambda axes: group_values(axes, measured, found)


def _accuracy(datasets: Sequence[Dataset], found: Results, key: Bin, what: str) -> Draw:
    return lambda axes: accuracy_by(axes, datasets, found, key, what)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--results", type=Path, default=Path("experiments/results"))
    parser.add_argument("--out", type=Path, action="append")
    options = parser.parse_args()
    folders = options.out or [options.results, Path("docs/images/results")]
    path = options.results / "curves.json"
    parts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    datasets = [load(name, options.data) for name in DATASETS]
    for name, label, count, how in figures(datasets, read_results(options.results), parts):
        paths = {theme: [folder / f"{name}-{theme}.svg" for folder in folders] for theme in THEMES}
        draw(how, count, label, paths)
        print(name)


if __name__ == "__main__":
    main()

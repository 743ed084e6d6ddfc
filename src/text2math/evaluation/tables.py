"""Results of the paper's rows as a file, and the tables made of them: Markdown, CSV, LaTeX.

>>> from text2math.evaluation.paper import choose_rows
>>> row = choose_rows(["il/paper"])[0]
>>> print(to_latex({"il/paper/paper": {"accuracy": 80.0}}, [row]).splitlines()[5])
Text2Math & il & 80.4 & 80.0 & – & – & – \\\\
"""

from __future__ import annotations

import csv
import io
import json
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from text2math import __version__
from text2math.evaluation.crossvalidation import PROTOCOLS
from text2math.evaluation.paper import OWN, ROWS, SYSTEMS, Row
from text2math.evaluation.variants import trained_variant

Results = dict[str, dict[str, Any]]  # by data set/variant/protocol
Notes = Mapping[str, str]  # by a row's key, why it was not run
IDENTIFICATION = "equations/number-identification"
COMPLETE_RUN = "complete-run"  # how long a run of all rows took, from nothing

_FIGURES = ["system", "data", "paper reports", "ours, paper protocol", "ours, honest"]
_BESIDE = ["full model, paper protocol", "full model, honest"]
_FIELDS = ["table", "system", "dataset", "variant", "protocol", "paper_reports", "accuracy", "spread"]
_ORIGIN = ["problems", "seconds", "processor_seconds", "peak_mb", "version", "date", "command"]


def read_results(folder: Path) -> Results:
    """The figures of earlier runs; none where there is no file."""
    path = folder / "tables.json"
    if not path.exists():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{path}: not a file of results; remove it")
    return found


def write_results(folder: Path, found: Results) -> None:
    """Write the figures as JSON, a line for each, and the tables as a page."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in sorted(found.items())]
    (folder / "tables.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    (folder / "tables.md").write_text(to_markdown(found, ROWS) + "\n", encoding="utf-8")


def command_line(program: str = "text2math", arguments: Sequence[str] | None = None) -> str:
    """The command that is running. Paths outside the current folder are reduced to their last part.

    >>> command_line(arguments=["tables", "--data", "/home/ann/data", "--results=../results"])
    'text2math tables --data data --results=results'
    """
    words = sys.argv[1:] if arguments is None else arguments
    return " ".join([program, *(shlex.quote(_without_folders(word)) for word in words)])


def _without_folders(word: str) -> str:
    option, equals, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
    is_outside = value.startswith(("/", "..", "~"))
    return f"{option}{equals}{Path(value).name}" if is_outside else word


def origin(program: str = "text2math") -> dict[str, str]:
    """The command that makes a figure, with version, date and machine."""
    return {
        "command": command_line(program),
        "version": __version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


def to_rows(found: Results, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain data: the paper's figure, and ours by protocol."""
    return [
        {"table": row.table, "system": row.system, "dataset": row.dataset, "variant": row.variant}
        | {"paper_reports": row.paper, "ours": {p: one["accuracy"] for p, one in _own(row, found).items()}}
        for row in rows
    ]


def to_markdown(found: Results, rows: Sequence[Row], notes: Notes | None = None) -> str:
    """The tables as text, in the order of the paper, and the commands that made our figures."""
    parts = []
    for table in dict.fromkeys(row.table for row in rows):
        head = [*_heading(table), "per fold", "s", "processor s", "MB"]
        aligned = ["---" if name in ("system", "data", "per fold") else "---:" for name in head]
        lines = [_cells(row, found) + _details(row, found, notes or {}) for row in rows if row.table == table]
        body = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, aligned, *lines))
        parts.append(f"## {table}\n\n{body}")
    if one := found.get(IDENTIFICATION):
        parts.append(f"Number identification: {one['accuracy']:.1f} (paper: {one['paper']}).")
    if told := _processor_time(found, rows):
        parts.append(told)
    if one := found.get(COMPLETE_RUN):
        parts.append(
            f"The last run of all rows, from nothing: {one['figures']} figures in {one['seconds'] / 60:.1f} "
            f"minutes, {one['workers']} processes at a time, random seeds of window networks: {one['seeds']} "
            f"(`{one['command']}`, version {one['version']}, {one['date']})."
        )
    parts.append("\n".join(["Made by:", *_origins(found)]))
    return "\n\n".join(parts)


def to_latex(found: Results, rows: Sequence[Row]) -> str:
    """A booktabs tabular for each table."""
    parts = []
    for table in dict.fromkeys(row.table for row in rows):
        head = _heading(table)
        lines = [_cells(row, found) for row in rows if row.table == table]
        body = [f"{' & '.join(map(_escaped, cells))} \\\\" for cells in (head, *lines)]
        begin = rf"\begin{{tabular}}{{ll{'r' * (len(head) - 2)}}}"
        rules = [f"% {table}", begin, r"\toprule", body[0], r"\midrule"]
        parts.append("\n".join([*rules, *body[1:], r"\bottomrule", r"\end{tabular}"]))
    return "\n\n".join(parts)


def to_csv(found: Results, rows: Sequence[Row]) -> str:
    """One line for each figure: a row under a protocol, with where it comes from."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*_FIELDS, *_ORIGIN], lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        named = {"table": row.table, "system": row.system, "dataset": row.dataset, "variant": row.variant}
        named["paper_reports"] = "" if row.paper is None else f"{row.paper}"
        for protocol, one in _own(row, found).items() or {"": {}}.items():
            spread = spread_of(one)
            writer.writerow(
                one | named | {"protocol": protocol, "spread": "" if spread is None else f"{spread:.2f}"}
            )
    return out.getvalue()


def spread_of(one: Mapping[str, Any]) -> float | None:
    """The standard deviation over the seeds of a figure that is a mean of several.

    >>> spread_of({"seeds": [[80.0, 82.0], [82.0, 84.0]]})
    1.4142135623730951
    """
    seeds = one.get("seeds", ())
    return stdev(mean(folds) for folds in seeds) if len(seeds) > 1 else None


def _heading(table: str) -> list[str]:
    first = (
        [{"paper reports": "published"}.get(name, name) for name in _FIGURES]
        if table == SYSTEMS
        else _FIGURES
    )
    return first + (_BESIDE if table == OWN else [])


def _own(row: Row, found: Results) -> dict[str, dict[str, Any]]:
    return {p: found[f"{row.key}/{p}"] for p in PROTOCOLS if p in row.protocols and f"{row.key}/{p}" in found}


def _cells(row: Row, found: Results) -> list[str]:
    """A row up to its figures."""
    ours = _own(row, found)
    cells = [row.system, row.dataset, "–" if row.paper is None else f"{row.paper:.1f}"]
    cells += [_figure(ours.get(protocol)) for protocol in PROTOCOLS]
    if row.table == OWN:
        keys = {p: f"{row.dataset}/{row.beside}/{p}" for p in PROTOCOLS}
        cells += [_figure(found.get(keys[p]) if p in row.protocols else None) for p in PROTOCOLS]
    return cells


def _figure(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return "–"
    spread = spread_of(one)
    return f"{one['accuracy']:.1f}" + ("" if spread is None else f" ± {spread:.1f}")


def _details(row: Row, found: Results, notes: Notes) -> list[str]:
    """The figures of the folds, time and memory; or why there are none."""
    ours = _own(row, found)
    per_fold = "; ".join(
        f"{protocol} " + " ".join(f"{fold:.1f}" for fold in one["folds"]) for protocol, one in ours.items()
    )
    # A row that was made in steps, on several machines perhaps, has no time of its own.
    used = [
        " / ".join("–" if one.get(name) is None else f"{one[name]:.0f}" for one in ours.values())
        for name in ("seconds", "processor_seconds", "peak_mb")
    ]
    return [per_fold if ours else notes.get(row.key, ""), *used]


def _processor_time(found: Results, rows: Sequence[Row]) -> str:
    """What the results of some rows took of the processor; one training may serve several."""
    keys = {f"{row.dataset}/{trained_variant(row.variant)}/{p}" for row in rows for p in row.protocols}
    own = [found[key].get("processor_seconds") for key in keys if key in found]
    timed = [seconds for seconds in own if seconds is not None]
    if not timed:
        return ""
    return f"Processor time: {sum(timed) / 60:.0f} minutes for {len(timed)} of {len(own)} trainings."


def _origins(found: Results) -> list[str]:
    """The commands that made the figures, each with its version and when its first and last were made."""
    dates: dict[tuple[str, str], list[str]] = {}
    for one in found.values():
        dates.setdefault((one["command"], one["version"]), []).append(one["date"])
    return [
        f"- `{command}`, version {version}, "
        + (min(when) if min(when) == max(when) else f"{min(when)} to {max(when)}")
        for (command, version), when in sorted(dates.items())
    ]


def _escaped(text: str) -> str:
    for sign in "&%#_":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("±", r"$\pm$")

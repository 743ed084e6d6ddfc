"""Write the tables of docs/reproduction.md that follow from the results, and tables.md beside the results.

    python experiments/page.py [--results experiments/results] [--page docs/reproduction.md]

Each table of the page, and the list of what was reproduced, stands between two comments that name it. Changes
are of all problems together, with the interval of ``text2math compare``; a dash stands for a row that has not
been run.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from reported import NONE, change, figure, from_published
from summary import LISTS, SUMMARIES, TITLES, TWINS

from text2math.evaluation.crossvalidation import PROTOCOLS, Protocol
from text2math.evaluation.paper import GROUPS, OWN, ROWS, Row
from text2math.evaluation.tables import Results, read_results, write_results
from text2math.evaluation.variants import JOINT, PAPER, PREDICTED, RULES, WINDOWS


def ablations(found: Results, dataset: str, protocol: Protocol) -> list[list[str]]:
    """The paper's configuration and its changes on arithmetic, alone and with the published rules."""
    interval = "change (95 % interval)"
    title = TITLES[dataset] + (", honest" if protocol == "honest" else "")
    rows = [[title, "the paper", "`paper`", interval, "`paper-rules`", interval, "from the paper", "`full`"]]
    base, ruled_base = (f"{dataset}/{name}/{protocol}" for name in (PAPER, RULES))
    for row in _changes(dataset):
        # Not told which numbers matter, both protocols are the same: the paper's "- id".
        told = "honest" if row.variant == PAPER and row.protocols == ("honest",) else protocol
        if told not in row.protocols:
            continue
        key, ruled = f"{row.key}/{told}", f"{dataset}/{row.variant.replace(PAPER, RULES, 1)}/{told}"
        first = key == base
        comparable = protocol == "paper" or first  # the paper tells its other rows which numbers matter
        rows.append(
            [
                row.system.replace("-", "−"),
                _published(row) if comparable else "",
                figure(found, key),
                "" if first else change(found, base, key),
                figure(found, ruled),
                "" if first else change(found, ruled_base, ruled),
                from_published(found, ruled, row.paper) if comparable else "",
                figure(found, f"{dataset}/{'full' if first else row.beside}/{told}"),
            ]
        )
    return rows


def _changes(dataset: str) -> Iterator[Row]:
    """The rows of the paper's configuration, without those that the published rules add."""
    for row in ROWS:
        if row.dataset == dataset and row.table in (OWN, GROUPS) and RULES not in row.variant.split("+"):
            yield row


def _published(row: Row) -> str:
    return NONE if row.paper is None else f"{row.paper:.1f}"


def equation_ablations(found: Results) -> list[list[str]]:
    """The paper's configuration and its changes on equations."""
    headings = ["the paper", "`paper`", "`paper`, `unnamed`", "change of `paper` (95 % interval)", "`full`"]
    rows = [["equations", *headings]]
    for row in _changes("equations"):
        (protocol,) = row.protocols
        key, base = f"{row.key}/{protocol}", f"equations/{PAPER}/{protocol}"
        rows.append(
            [
                _equation_system(row),
                _published(row),
                figure(found, key),
                figure(found, f"{key}:unnamed"),
                "" if key == base else change(found, base, key),
                figure(found, f"equations/{row.beside}/{protocol}"),
            ]
        )
    return rows


def _equation_system(row: Row) -> str:
    name = row.system.removeprefix("Text2Math, ")
    name = f"{name}, numbers predicted" if row.variant == f"{PAPER}+{PREDICTED}" else name
    return (f"+ g {name}" if row.table == GROUPS else name).replace("-", "−")


def windows(found: Results, dataset: str) -> list[list[str]]:
    """The window network on fixed discrete weights and jointly with them."""
    interval = "change (95 % interval)"
    rows = [[TITLES[dataset], "the paper", "fixed weights", "seeds", interval, "jointly", "seeds", interval]]
    published = {row.variant: row.paper for row in ROWS if row.dataset == dataset}
    # Networks that were trained in steps have discrete models of their own.
    base = f"{dataset}/{PAPER}+no-window/paper"
    base = base if base in found else f"{dataset}/{PAPER}/paper"
    whole = next(row.paper for row in ROWS if row.table == OWN and row.dataset == dataset)
    rows.append(["no network", f"{whole:.1f}", figure(found, base), "", "", "", "", ""])
    for window, reach in WINDOWS.items():
        cells = [f"L = {reach}", f"{published[f'{PAPER}+{window}']:.1f}"]
        for variant in (f"{PAPER}+{window}", f"{PAPER}+{window}+{JOINT}"):
            key = f"{dataset}/{variant}/paper"
            seeds = str(len(found[key]["wrong"])) if key in found else NONE
            cells += [figure(found, key), seeds, change(found, base, key)]
        rows.append(cells)
    return rows


def joint_windows(found: Results) -> list[list[str]]:
    """What training the discrete weights with the network adds to training it on fixed ones."""
    rows = [["points (95 % interval)", *TITLES.values()]]
    for window, reach in WINDOWS.items():
        fixed = [f"{dataset}/{PAPER}+{window}" for dataset in TITLES]
        rows.append([f"L = {reach}", *(change(found, f"{k}/paper", f"{k}+{JOINT}/paper") for k in fixed)])
    return rows


Table = Callable[[Results], list[list[str]]]
TABLES: dict[str, Table] = {
    **{
        f"ablations {name} {protocol}": partial(ablations, dataset=name, protocol=protocol)
        for name in ("ai2", "il")
        for protocol in PROTOCOLS
    },
    "ablations equations": equation_ablations,
    **{f"windows {name}": partial(windows, dataset=name) for name in TITLES},
    "windows joint": joint_windows,
    **SUMMARIES,
}


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table; all columns but the first are figures."""
    aligned = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (rows[0], aligned, *rows[1:]))


def with_tables(page: str, found: Results) -> str:
    """The page with every table that its comments name made anew."""

    def made(match: re.Match[str]) -> str:
        if match[1] not in TABLES | LISTS:
            raise ValueError(f"the page names the table {match[1]!r}; there are {', '.join(TABLES | LISTS)}")
        content = LISTS[match[1]](found) if match[1] in LISTS else markdown(TABLES[match[1]](found))
        return f"<!-- table: {match[1]} -->\n\n{content}\n\n<!-- end -->"

    return re.sub(r"<!-- table: (.+?) -->\n.*?<!-- end -->", made, page, flags=re.DOTALL)


def results_in(folder: Path) -> Results:
    """The results of a folder, those with twins in training among them."""
    found, twins = read_results(folder), folder / "twins.json"
    return found | ({TWINS: json.loads(twins.read_text(encoding="utf-8"))} if twins.exists() else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("experiments/results"))
    parser.add_argument("--page", type=Path, default=Path("docs/reproduction.md"))
    options = parser.parse_args()
    found = read_results(options.results)
    if not found:
        parser.error(f"{options.results} has no tables.json; run text2math tables --results there first")
    write_results(options.results, found)
    page = options.page.read_text(encoding="utf-8")
    options.page.write_text(with_tables(page, results_in(options.results)), encoding="utf-8")


if __name__ == "__main__":
    main()

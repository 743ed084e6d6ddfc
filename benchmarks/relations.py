"""What the relations of numbers add: how often the right candidate is chosen, on exercises by other authors.

    python benchmarks/relations.py --work default.work

WORK is the folder of ``text2math train --recipe default``. The candidates are those of the first stage's
network on the sheets that it held out, one line of JSON each. Texts without a right candidate don't count.
Rerankers are cross-fitted: each learns from half of the sheets and chooses on the other half.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from text2math.data.stories.story import SOURCE
from text2math.model.encoder_model import RERANKER
from text2math.model.reranker import RerankerConfig
from text2math.neural.evaluation import Evaluated, best_of, fit_reranker

Choice = Callable[[Evaluated], int | None]


def sheet_of(one: Evaluated) -> str:
    """The name of the sheet that an exercise is from."""
    return one.problem.id.rpartition(" ")[0]


def read(path: Path) -> list[Evaluated]:
    """The evaluated exercises of a file."""
    with path.open(encoding="utf-8") as lines:
        return [Evaluated.from_line(line) for line in lines if f'"source": "{SOURCE}"' in line[:40]]


def halves(evaluated: Sequence[Evaluated]) -> tuple[list[Evaluated], list[Evaluated]]:
    """The exercises of every other sheet, and the others."""
    number = {name: at for at, name in enumerate(sorted(set(map(sheet_of, evaluated))))}
    parts: tuple[list[Evaluated], list[Evaluated]] = ([], [])
    for one in evaluated:
        parts[number[sheet_of(one)] % 2].append(one)
    return parts


def right(evaluated: Sequence[Evaluated], choose: Choice) -> int:
    """How many of the chosen candidates are right."""
    return sum(one.right[at] for one in evaluated if any(one.right) if (at := choose(one)) is not None)


def reranked(evaluated: Sequence[Evaluated], config: RerankerConfig) -> int:
    """How many are right with a reranker that learned from the other half."""
    first, second = halves(evaluated)
    total = 0
    for train, test in ((first, second), (second, first)):
        reranker = fit_reranker(train, config)
        total += right(test, partial(best_of, reranker=reranker))
    return total


def by_relations(one: Evaluated) -> int:
    """The candidate whose numbers are most likely related as they are."""
    return int(np.argmax([candidate.relations for candidate in one.candidates]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    (path,) = parser.parse_args().work.glob("stories.*.jsonl")
    evaluated = read(path)
    print(f"{len(evaluated)} exercises, {sum(any(one.right) for one in evaluated)} with a right candidate")
    print(f"{right(evaluated, best_of):6}  the chart's best")
    print(f"{right(evaluated, by_relations):6}  the likeliest relations")
    print(f"{reranked(evaluated, RERANKER.without('relations')):6}  reranked without relations")
    print(f"{reranked(evaluated, RERANKER):6}  reranked")


if __name__ == "__main__":
    main()

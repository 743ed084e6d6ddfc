"""Learning curves: accuracy after training on a part of the training folds, under the paper's protocol.

    python experiments/curves.py ai2 il --data DIR --json experiments/results/curves.json [--variant paper]

The same part serves every variant. What the file has already is not run again; the whole training folds are
rows of ``text2math tables``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import cross_validate
from text2math.evaluation.tables import origin
from text2math.evaluation.variants import outcome_of, variant_config
from text2math.learning.crossvalidation import FoldConfig, run_fold
from text2math.parallel import available_cores

PARTS = (0.125, 0.25, 0.5)
PROTOCOL = "paper"


def accuracy(dataset: Dataset, variant: str, part: float, workers: int) -> dict[str, Any]:
    """The accuracy of a variant that trains on a part of each training set, drawn at random."""
    config = variant_config(variant, "paper", dataset=dataset.name)
    config = replace(config, training=replace(config.training, threads=1))
    folds = []
    for index in range(len(dataset.folds)):
        train, test = dataset.fold(index)
        chosen = random.Random(index).sample(range(len(train)), round(part * len(train)))
        folds.append(([train[at] for at in sorted(chosen)], test))
    report = cross_validate(
        folds, run_fold, FoldConfig.of(dataset, config), protocol="paper", workers=workers
    )
    return outcome_of(dataset, variant, report).to_dict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--variant", action="append")
    parser.add_argument("--workers", type=int, default=available_cores())
    options = parser.parse_args()
    found: dict[str, Any] = {}
    if options.json.exists():
        found = json.loads(options.json.read_text(encoding="utf-8"))
    for name in options.names:
        dataset = load(name, options.data)
        for variant in options.variant or ("paper", "full"):
            for part in PARTS:
                key = f"{name}/{variant}/{PROTOCOL}/{part}"
                if key in found:
                    continue
                found[key] = accuracy(dataset, variant, part, options.workers) | origin(
                    "python experiments/curves.py"
                )
                print(key, found[key]["accuracy"], file=sys.stderr, flush=True)
                lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(found.items())]
                options.json.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

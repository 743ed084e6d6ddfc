"""Choose the window network's penalty inside the training folds: no test fold has a say.

    python experiments/penalty.py ai2 il equations --data DIR [--json FILE] [--workers N]

Of each split's training folds a quarter is held out. A discrete model learns from the rest, and on top of it
a network with each penalty; what counts is how many problems of the quarter are right, under the paper's
protocol, over all splits and data sets.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from arguments import arguments

from text2math.bulk.cluster import runner
from text2math.data import make_folds
from text2math.data.leaks import drop_leaks
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import gold_relevance
from text2math.evaluation.metrics import is_correct
from text2math.evaluation.variants import variant_config
from text2math.learning.training import fit
from text2math.neural.window import WindowTraining, train_window
from text2math.scorers.scorer import Scorer
from text2math.scorers.window import WindowConfig

PENALTIES = (0.1, 0.03, 0.01, 0.003, 0.001)
REACH = 3


def score(name: str, data: Path, fold: int) -> dict[str, int]:
    """How many problems of the held-out quarter are right, by penalty, and without a network."""
    import torch

    torch.set_num_threads(1)  # the splits have a core each
    train, test = load(name, data).fold(fold)
    examples = list(drop_leaks(train, test))
    held = set(make_folds(examples, 4, 0)[0])
    asked = [example for example in examples if example.problem.id in held]
    rest = drop_leaks([example for example in examples if example.problem.id not in held], asked)
    relevants = [gold_relevance(example) for example in rest]
    model = fit(rest, variant_config("full", "paper"), relevants=relevants)

    def right(scorer: Scorer) -> int:
        both = replace(model, scorer=scorer)
        found = [(both.predict(one.problem, relevant=gold_relevance(one)), one) for one in asked]
        return sum(is_correct(guess, one) for guess, one in found)

    tally = {"asked": len(asked), "no network": right(model.scorer)}
    for l2 in PENALTIES:
        training = WindowTraining(l2=l2, threads=1)
        tally[str(l2)] = right(
            train_window(model, rest, WindowConfig(reach=REACH), training, relevants=relevants)
        )
    return tally


def main() -> None:
    options = arguments(__doc__)
    calls = [
        (name, options.data, fold)
        for name in options.names
        for fold in range(len(load(name, options.data).folds))
    ]
    totals: dict[str, dict[str, int]] = {}
    with runner(options.cluster) as run:
        for index, tally in run(score, calls, workers=options.workers):
            print(calls[index][0], calls[index][2], tally, file=sys.stderr, flush=True)
            for own in (calls[index][0], "all"):
                total = totals.setdefault(own, {})
                for key, count in tally.items():
                    total[key] = total.get(key, 0) + count
    report = json.dumps(totals, indent=1)
    print(report)
    if options.json:
        options.json.write_text(f"{report}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

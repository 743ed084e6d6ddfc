"""Choose hyperparameters inside the training folds: the test fold of a split never has a say in its choice.

    python experiments/select.py ai2 --data DIR [--json FILE]

For every pair of folds (f, g) each setting trains on the others, once; what it scores on g speaks for the
split whose test fold is f, and the other way round. Printed are each split's settings with their scores.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.data.readers import load
from text2math.evaluation import Prediction, judge
from text2math.model import ModelConfig, fit

BASE = ModelConfig()


def with_scales(**scales: float) -> ModelConfig:
    """The default with other scales of some templates of the chart."""
    changed = dict(BASE.features.scales) | {name.replace("_", "-"): scale for name, scale in scales.items()}
    return replace(BASE, features=replace(BASE.features, scales=tuple(changed.items())))


def with_l2(l2: float) -> ModelConfig:
    return replace(BASE, training=replace(BASE.training, l2=l2))


SETTINGS = {
    "default": BASE,
    "weaker penalty": with_l2(0.03),
    "stronger penalty": with_l2(0.3),
    "positions trusted fully": with_scales(position=1.0),
    "all templates alike": replace(BASE, features=replace(BASE.features, scales=())),
    "identifier": replace(BASE, identify=True),
}


def score(config: ModelConfig, dataset: Dataset, held_out: tuple[int, int]) -> dict[int, float]:
    """Train without two folds; the accuracy on each of them."""
    groups = {id: fold for fold, ids in enumerate(dataset.folds) for id in ids}
    tests = {fold: dataset.fold(fold)[1] for fold in held_out}
    train = [example for example in dataset.examples if groups.get(example.problem.id) not in held_out]
    for test in tests.values():
        train = list(drop_leaks(train, test))
    model = fit(train, config, groups=groups)
    return {
        fold: 100 * sum(judge(Prediction(model.predict(e.problem)), e)["accuracy"] for e in test) / len(test)
        for fold, test in tests.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    dataset = load(options.name, options.data)
    speaks: dict[int, dict[str, list[float]]] = {fold: {} for fold in range(len(dataset.folds))}
    for name, config in SETTINGS.items():
        for f, g in combinations(speaks, 2):
            found = score(config, dataset, (f, g))
            speaks[f].setdefault(name, []).append(found[g])
            speaks[g].setdefault(name, []).append(found[f])
    means = {
        fold: {name: round(sum(scores) / len(scores), 2) for name, scores in by_name.items()}
        for fold, by_name in speaks.items()
    }
    print(json.dumps(means, indent=1))
    if options.json:
        options.json.write_text(json.dumps(means, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

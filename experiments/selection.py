"""Choose hyperparameters inside the training folds: the test fold of a split never has a say in its choice.

    python experiments/selection.py ai2 il equations --data DIR [--json FILE] [--cluster ADDRESS]

For every pair of folds (f, g) each setting trains on the others, once; what it scores on g speaks for the
split whose test fold is f, and the other way round. Then each split's best setting trains on all its
training folds and is tested on its test fold: the mean of these is the accuracy of the model *with* its
selection, which can be held against that of the plain setting for all. FILE keeps what it has of other
data sets.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from arguments import arguments

from text2math.bulk.cluster import runner
from text2math.data.leaks import drop_leaks
from text2math.data.readers import load
from text2math.evaluation.metrics import is_correct
from text2math.learning.training import fit
from text2math.model.config import ModelConfig
from text2math.parallel import Runner

BASE = ModelConfig(identify=False)


def with_scales(**scales: float) -> ModelConfig:
    """The plain setting with other scales of some templates of the chart."""
    changed = dict(BASE.features.scales) | {name.replace("_", "-"): scale for name, scale in scales.items()}
    return replace(BASE, features=replace(BASE.features, scales=tuple(changed.items())))


def with_l2(l2: float) -> ModelConfig:
    return replace(BASE, training=replace(BASE.training, l2=l2))


SETTINGS = {
    "plain": BASE,
    "weaker penalty": with_l2(0.03),
    "stronger penalty": with_l2(0.3),
    "positions trusted fully": with_scales(position=1.0),
    "all templates alike": replace(BASE, features=replace(BASE.features, scales=())),
    "identifier": replace(BASE, identify=True),
}


def score(name: str, data: Path, setting: str, held_out: tuple[int, ...]) -> dict[int, float]:
    """Train without some folds; the accuracy on each of them."""
    dataset = load(name, data)
    groups = {id: fold for fold, ids in enumerate(dataset.folds) for id in ids}
    tests = {fold: dataset.fold(fold)[1] for fold in held_out}
    train = [example for example in dataset.examples if groups.get(example.problem.id) not in held_out]
    for test in tests.values():
        train = list(drop_leaks(train, test))
    model = fit(train, SETTINGS[setting], groups=groups)
    return {
        fold: 100 * sum(is_correct(model.predict(e.problem), e) for e in test) / len(test)
        for fold, test in tests.items()
    }


def select(name: str, data: Path, workers: int, run: Runner) -> dict[str, Any]:
    """Each split's settings with their scores inside its training folds, its choice, and its worth."""
    folds = range(len(load(name, data).folds))
    inner = [(name, data, setting, pair) for setting in SETTINGS for pair in combinations(folds, 2)]
    speaks: dict[int, dict[str, list[float]]] = {fold: {} for fold in folds}
    for (_, _, setting, (f, g)), found in _run(inner, workers, run):
        speaks[f].setdefault(setting, []).append(found[g])
        speaks[g].setdefault(setting, []).append(found[f])
    means = {
        fold: {setting: sum(scores) / len(scores) for setting, scores in by_setting.items()}
        for fold, by_setting in speaks.items()
    }
    # Of equals the one that stands first, the plain one before all.
    chosen = {fold: max(SETTINGS, key=lambda setting: means[fold][setting]) for fold in folds}
    outer = {(setting, fold) for fold in folds for setting in ("plain", chosen[fold])}
    tested = {
        (setting, fold): found[fold]
        for (_, _, setting, (fold,)), found in _run(
            [(name, data, setting, (fold,)) for setting, fold in sorted(outer)], workers, run
        )
    }
    return {
        "inside the training folds": {
            fold: {setting: round(mean, 2) for setting, mean in means[fold].items()} for fold in folds
        },
        "chosen": chosen,
        "test, chosen": _mean([tested[chosen[fold], fold] for fold in folds]),
        "test, plain": _mean([tested["plain", fold] for fold in folds]),
        "per fold, chosen": [round(tested[chosen[fold], fold], 2) for fold in folds],
    }


def _run(calls: Sequence[Any], workers: int, run: Runner) -> Iterator[tuple[Any, dict[int, float]]]:
    for done, (index, found) in enumerate(run(score, calls, workers=workers), start=1):
        print(f"{done} of {len(calls)}: {calls[index][0]}, {calls[index][2:]} {found}", file=sys.stderr)
        yield calls[index], found


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 2)


def main() -> None:
    options = arguments(__doc__)
    with runner(options.cluster) as run:
        for name in options.names:
            found = {name: select(name, options.data, options.workers, run)}
            print(json.dumps(found, indent=1))
            if options.json:
                known = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
                options.json.write_text(json.dumps(known | found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

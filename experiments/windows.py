"""The rows of the window network, in steps that can run on different machines.

    python experiments/windows.py prepare ai2 il equations --data DIR --work FOLDER
    python experiments/train_windows.py FOLDER FOLDER/trained ai2 il equations
    python experiments/windows.py judge ai2 il equations --data DIR --work FOLDER

``prepare`` trains the discrete model of each fold, ``train_windows.py`` networks on top of it, and ``judge``
reads the test problems with them and writes the rows. What is there already is not trained again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from train_windows import plans_in

from text2math.data.dataset import Dataset
from text2math.data.leaks import drop_leaks
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import (
    Protocol,
    cross_validate,
    gold_relevance,
)
from text2math.evaluation.tables import origin, read_results, write_results
from text2math.evaluation.variants import JOINT, PAPER, Outcome, outcome_of, variant_config
from text2math.inference.crf import ForestBatch, PotentialsBatch, log_partitions
from text2math.inference.forest import Forest
from text2math.inference.potentials import Potentials
from text2math.language.problem import Example
from text2math.learning.crossvalidation import fit_all, fold_numbers
from text2math.learning.targets import targets
from text2math.learning.training import Fitting
from text2math.model import files
from text2math.model.model import Model
from text2math.neural.window import TrainingSet
from text2math.neural.window_arrays import window_problems
from text2math.neural.window_batch import TABLES, Plan
from text2math.neural.window_folds import AskedFold, Network, NetworkOfFold, ask_network

PROTOCOL: Protocol = "paper"
UNAIDED = f"{PAPER}+no-window"  # the discrete models that the networks were trained on


def prepare(dataset: Dataset, work: Path) -> None:
    """Train the discrete model of each fold, and write it with its problems."""
    work.mkdir(parents=True, exist_ok=True)
    config = variant_config(PAPER, PROTOCOL, dataset=dataset.name)
    config = replace(config, training=replace(config.training, threads=1))
    missing = [k for k in range(len(dataset.folds)) if not (work / f"{dataset.name}-{k}.npz").exists()]
    if not missing:
        return
    trains = [drop_leaks(*dataset.fold(index)) for index in missing]
    relevants = [[gold_relevance(example) for example in train] for train in trains]
    numbers = fold_numbers(dataset)
    models = fit_all(
        [Fitting(train, config, told, numbers) for train, told in zip(trains, relevants, strict=True)]
    )
    for index, model, train, told in zip(missing, models, trains, relevants, strict=True):
        stem = work / f"{dataset.name}-{index}"
        files.save(stem.with_suffix(".model"), files.SavedModel(model, stem.name))
        test = [example.problem for example in dataset.fold(index)[1]]
        window_problems(TrainingSet.of(model, train, told), test).save(stem.with_suffix(".npz"))
        print(stem.name, flush=True)


def reachable(example: Example, model: Model) -> bool:
    """Whether a text-math tree spells the gold; a model file does not name those without one."""
    golds = targets(example, model.config.targets)
    blank = PotentialsBatch.of([Potentials.zeros(len(example.problem.tokens), example.problem.anchors)])
    return bool(golds) and bool(log_partitions(blank, ForestBatch.same(Forest.of(golds), 1))[0, 0] > -np.inf)


def networks_in(path: Path) -> dict[Plan, Network]:
    """The networks that ``train_windows.py`` wrote for a fold."""
    with np.load(path) as found:
        arrays = dict(found)
    plans = plans_in(path)
    joint = [plan for plan in plans if plan.joint]  # these have discrete weights of their own
    tables = {plan: {name: arrays[name][at] for name in TABLES} for at, plan in enumerate(joint)}
    return {plan: Network(arrays["scores"][at], tables.get(plan)) for at, plan in enumerate(plans)}


def judge(dataset: Dataset, work: Path, trained: Path) -> Iterator[tuple[Outcome, str]]:
    """The outcome without a network, and of each reach, fixed and joint, over all seeds; what trained it."""
    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    names = [f"{dataset.name}-{index}" for index in range(len(folds))]
    networks = [networks_in(trained / f"{name}.npz") for name in names]
    models = [files.load(work / f"{name}.model").model for name in names]
    with np.load(trained / f"{names[0]}.npz") as first:
        device = str(first["device"])
    asked: list[list[AskedFold]] = [[] for _ in folds]
    parts = zip(models, folds, asked, strict=True)
    yield _judged(dataset, UNAIDED, [_silent(model, test, own) for model, (_, test), own in parts]), device
    plans = set.intersection(*map(set, networks))
    for reach, joint in sorted({(plan.reach, plan.joint) for plan in plans}):
        own = sorted(plan for plan in plans if (plan.reach, plan.joint) == (reach, joint))
        configs = [
            NetworkOfFold(plan, networks[k][plan], models[k], asked[k])
            for plan in own
            for k in range(len(folds))
        ]
        variant = f"{PAPER}+window-{reach}" + (f"+{JOINT}" if joint else "")
        yield _judged(dataset, variant, configs), device


def _silent(model: Model, test: Sequence[Example], asked: list[AskedFold]) -> NetworkOfFold:
    """A network that adds nothing to a discrete model."""
    words = sum(len(example.problem.tokens) for example in test)
    none = Network(np.zeros((words, len(model.scorer.symbols))), None)
    return NetworkOfFold(Plan(0, 0, False), none, model, asked)


def _judged(dataset: Dataset, variant: str, configs: Sequence[NetworkOfFold]) -> Outcome:
    """The outcome of the networks of all folds, for one seed after the other."""
    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    seeds = len(configs) // len(folds)
    report = cross_validate(folds * seeds, ask_network, configs=configs, protocol=PROTOCOL, workers=0)
    return outcome_of(dataset, variant, report, seeds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=["prepare", "judge"])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--trained", type=Path, help="where train_windows.py wrote to; WORK/trained by default"
    )
    parser.add_argument("--results", type=Path, default=Path("experiments/results"))
    options = parser.parse_args()
    trained = options.trained or options.work / "trained"
    for name in options.names:
        dataset = load(name, options.data)
        if options.step == "prepare":
            prepare(dataset, options.work)
            continue
        for outcome, device in judge(dataset, options.work, trained):
            found = read_results(options.results)
            own = outcome.to_dict() | {"seconds": None, "processor_seconds": None, "peak_mb": None}
            own |= origin("python experiments/windows.py")
            found[f"{name}/{outcome.variant}/{PROTOCOL}"] = own | {"trained_on": device}
            write_results(options.results, found)
            print(f"{name}, {outcome.variant}: {outcome.accuracy:.1f}", flush=True)


if __name__ == "__main__":
    main()

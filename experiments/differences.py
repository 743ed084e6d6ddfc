"""What in the published program accounts for the difference between its figures and those of ``paper``.

    python experiments/differences.py ai2 il --data DIR --work FOLDER [--starts 2]

FOLDER has the discrete models that ``python experiments/windows.py prepare`` wrote. Each change is one row in
``tables.json``, for ``text2math compare``; those of the models as they are list their mistakes too:

    paper+best          the models of FOLDER, as they are
    paper-rules+best    with the rules that need no gold
    paper+told          irrelevant numbers can't be used, and those that matter are the operands
    paper-rules+told    both
    paper+start-N       trained from random weights, as the published program is; N is the random seed
    paper-rules+start-N  the same with the rules
    ...+own-words       the rules over the word list of --lexicon
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from windows import reachable

from text2math.data.dataset import Dataset
from text2math.data.readers import load
from text2math.evaluation.crossvalidation import (
    Protocol,
    Question,
    cross_validate,
    gold_relevance,
    predict_best,
)
from text2math.evaluation.error_analysis import PredictedFold, confusions, counts, mistakes
from text2math.evaluation.metrics import Prediction
from text2math.evaluation.tables import origin, read_results, write_results
from text2math.evaluation.variants import PAPER, RULES, Outcome, outcome_of, with_published_rules
from text2math.inference.crf import PotentialsBatch
from text2math.inference.forest import Forest
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example
from text2math.learning.objective import LogLikelihood
from text2math.learning.optimise import minimise
from text2math.learning.targets import targets
from text2math.model import files
from text2math.model.model import Model
from text2math.scorers.features import extract
from text2math.scorers.linear import LinearScorer

PROTOCOL: Protocol = "paper"
PROGRAM = "python experiments/differences.py"
START = 0.05  # random weights are uniform between minus and plus this


@dataclass(frozen=True, slots=True)
class Reading:
    """How a fold's test problems are read: its model, and whether irrelevant numbers are impossible."""

    path: Path
    told: bool = False
    start: int | None = None  # train again, from random weights with this seed


def read_fold(train: tuple[Example, ...], questions: tuple[Question, ...], how: Reading) -> list[Prediction]:
    """Read the test problems of a fold."""
    model = files.load(how.path).model
    if how.start is not None:
        model = trained_again(model, train, how.start)
    scorer = model.scorer
    assert isinstance(scorer, LinearScorer)
    features = [extract(one.problem, scorer.config, relevant=one.told) for one in questions]
    batch = PotentialsBatch.from_flat(
        scorer.batch(features).potentials(scorer.weights),
        [len(question.problem.tokens) for question in questions],
        [question.problem.anchors for question in questions],
    )
    if how.told:
        for potentials, one in zip(batch.unpack(batch.flat), questions, strict=True):
            potentials.number[~np.array(one.told, dtype=bool)] = -np.inf
    return predict_best(model, questions, batch)


def trained_again(model: Model, examples: Sequence[Example], seed: int) -> Model:
    """The model's configuration trained once more, from random weights."""
    scorer = model.scorer
    assert isinstance(scorer, LinearScorer)
    kept = [example for example in examples if reachable(example, model)]
    golds = [targets(example, model.config.targets) for example in kept]
    blank = replace(scorer, weights=np.zeros_like(scorer.weights))
    objective = LogLikelihood(
        blank,
        [extract(example.problem, scorer.config, relevant=gold_relevance(example)) for example in kept],
        [example.problem for example in kept],
        [(Forest.of(gold), model.forest) for gold in golds],
        model.config.training,
    )
    start = np.random.default_rng(seed).uniform(-START, START, len(scorer.weights))
    trained = minimise(objective, start, model.config.training)
    return replace(model, scorer=replace(scorer, weights=trained.weights))


def outcomes(dataset: Dataset, work: Path, starts: int, lexicon: Lexicon | None) -> Iterator[Outcome]:
    """Each change, without the rules and with them."""
    changes = {"best": Reading(Path()), "told": Reading(Path(), told=True)}
    changes |= {f"start-{seed}": Reading(Path(), start=seed) for seed in range(1, starts + 1)}
    folds = [dataset.fold(index) for index in range(len(dataset.folds))]
    for name, how in changes.items():
        paths = [work / f"{dataset.name}-{index}.model" for index in range(len(folds))]
        configs = [replace(how, path=path) for path in paths]
        report = cross_validate(folds, read_fold, configs=configs, protocol=PROTOCOL, workers=0)
        plain = outcome_of(dataset, f"{PAPER}+{name}", report)
        yield plain
        yield replace(with_published_rules(plain, dataset), variant=f"{RULES}+{name}")
        if lexicon is not None:
            ruled = with_published_rules(plain, dataset, lexicon=lexicon)
            yield replace(ruled, variant=f"{RULES}+{name}+own-words")


def mistakes_of(dataset: Dataset, outcome: Outcome) -> dict[str, Any]:
    """How many mistakes an outcome has of each kind, and its ten most frequent confusions."""
    predicted = (
        PredictedFold(index, tuple(dataset.fold(index)[1]), fold.predictions)
        for index, fold in enumerate(outcome.report.folds)
    )
    found = mistakes(predicted)
    kinds = {kind: sum(by_fold.values()) for kind, by_fold in counts(found).items()}
    return {"mistakes": len(found), "kinds": kinds, "confusions": confusions(found)[:10]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--starts", type=int, default=0)
    parser.add_argument("--lexicon", type=Path, help="a word list of your own for the rules (JSON)")
    parser.add_argument("--results", type=Path, default=Path("experiments/results"))
    options = parser.parse_args()
    lexicon = None if options.lexicon is None else Lexicon.read(options.lexicon)
    for name in options.names:
        dataset = load(name, options.data)
        for outcome in outcomes(dataset, options.work, options.starts, lexicon):
            print(f"{name}, {outcome.variant}: {outcome.accuracy:.1f}", flush=True)
            found, own = read_results(options.results), outcome.to_dict() | origin(PROGRAM)
            if outcome.variant.endswith("best"):
                own |= mistakes_of(dataset, outcome)
            found[f"{name}/{outcome.variant}/{PROTOCOL}"] = own
            write_results(options.results, found)


if __name__ == "__main__":
    main()

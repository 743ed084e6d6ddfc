"""How far below the best expression are others still worth ranking?

    python benchmarks/margin.py [--model default] [--every 4]

Reads the exam and every fourth question of the held-out sheets with several margins (``MARGIN`` in
``model/encoder_model.py``), all from the same potentials. Prints, for each margin, how many texts are read
right, how many get another reading than without a margin, the mean change of the probability, how many
candidates are ranked, and the processor time of all that comes after the scorer.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from text2math.data import EXAM_PARTS, load_exam
from text2math.data.stories import every_question
from text2math.evaluation.metrics import is_correct
from text2math.inference.potentials import Potentials
from text2math.language.annotations import Annotations
from text2math.language.problem import Example
from text2math.model.candidates import Candidate
from text2math.model.model import Model
from text2math.parser import load

MARGINS = (math.inf, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0)


@dataclass(slots=True)
class Totals:
    """Sums over all texts."""

    right: int = 0
    others: int = 0  # texts with another reading than without a margin
    change: float = 0.0  # of the probability of the reading
    candidates: int = 0
    seconds: float = 0.0


def with_margin(model: Model, margin: float) -> Model:
    """The model with a margin."""
    own = None if math.isinf(margin) else margin
    return replace(model, config=replace(model.config, margin=own))


def ranked(model: Model, annotations: Annotations, potentials: Potentials) -> tuple[Candidate, ...]:
    """What the model does after the scorer."""
    merged = model._merged(annotations.problem, potentials)
    return model._with_none(annotations, model.rank(annotations, merged), potentials)


def measure(model: Model, examples: Sequence[Example]) -> dict[float, Totals]:
    """The totals of each margin."""
    models = {margin: with_margin(model, margin) for margin in MARGINS}
    totals = {margin: Totals() for margin in MARGINS}
    for example in examples:
        start = model._start(model.informed(example.problem))
        if not isinstance(start, Annotations):
            continue
        potentials = model.scorer(start.problem, start)
        full: Candidate | None = None
        for margin, own in models.items():
            began = time.process_time()
            found = ranked(own, start, potentials)
            total = totals[margin]
            total.seconds += time.process_time() - began
            if not found:
                break
            full = full or found[0]
            total.right += is_correct(found[0].mathematics, example)
            total.others += found[0].mathematics != full.mathematics
            total.change += abs(found[0].probability - full.probability)
            total.candidates += len(found)
    return totals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--every", type=int, default=4, help="one of so many held-out questions")
    given = parser.parse_args()
    model = load(given.model).saved.model
    held_out = [story.example() for story in every_question("held_out")]
    exam = [example for part in EXAM_PARTS for example in load_exam(part, knowledge=True).examples]
    examples = [*exam, *held_out[:: given.every]]
    measure(model, examples[:20])  # compiles
    print(f"{len(examples):,} texts\n\n| margin | right | other readings | change | candidates | ms |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    count = len(examples)
    for margin, one in measure(model, examples).items():
        print(
            f"| {margin:g} | {one.right:,} | {one.others} | {one.change / count:.4f} "
            f"| {one.candidates / count:.1f} | {1000 * one.seconds / count:.2f} |"
        )


if __name__ == "__main__":
    main()

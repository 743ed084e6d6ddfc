"""Whether the network gains from reading several texts at once, on one thread.

    python benchmarks/batching.py [--texts 64] [--repeats 4]

Milliseconds are those of the processor's clock, the best of some repeats. ``padding`` is how many pieces the
network reads for each piece of the texts, because all texts of a batch are as long as its longest.
``difference`` is the largest between a score of a text in a batch and of the same text alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from text2math.data import load as load_data
from text2math.language.problem import read_problem
from text2math.parallel import batches
from text2math.parser import load
from text2math.scorers.encoder import EncoderScorer, Inputs, read_inputs

SIZES = (1, 4, 16, 64)


def best_milliseconds(scorer: EncoderScorer, inputs: Sequence[Inputs], size: int, repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        for batch in batches(inputs, size):
            scorer.network(batch)
        best = min(best, time.process_time() - began)
    return 1e3 * best / len(inputs)


def padding(inputs: Sequence[Inputs], size: int) -> float:
    read = sum(len(batch) * max(len(one.ids) for one in batch) for batch in batches(inputs, size))
    return read / sum(len(one.ids) for one in inputs)


def difference(scorer: EncoderScorer, inputs: Sequence[Inputs], size: int) -> float:
    worst = 0.0
    for batch in batches(inputs, size):
        together = scorer.network(batch).step
        for row, one in enumerate(batch):
            alone = scorer.network([one]).step[0]
            worst = max(worst, float(np.abs(together[row, : len(alone)] - alone).max()))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=4)
    options = parser.parse_args()
    scorer = load("default").model.scorer
    if not isinstance(scorer, EncoderScorer):
        raise SystemExit("the default model has no network here; install onnxruntime and tokenizers")
    problems = [read_problem(one.problem.text) for one in load_data("corpus").examples[: options.texts]]
    plain = [read_inputs(problem, scorer.pieces, mask_numbers=scorer.mask_numbers) for problem in problems]
    by_length = sorted(plain, key=lambda one: len(one.ids))
    for name, inputs in (("as they come", plain), ("sorted by length", by_length)):
        for size in SIZES:
            took = best_milliseconds(scorer, inputs, size, options.repeats)
            print(
                f"{name:16}  batches of {size:2}: {took:5.2f} ms a text, "
                f"padding {padding(inputs, size):.2f}, difference {difference(scorer, inputs, size):.3f}"
            )


if __name__ == "__main__":
    main()

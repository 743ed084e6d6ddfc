"""How long training takes: one step of L-BFGS on a fold of ai2, and the whole three-fold cross-validation.

    OPENBLAS_NUM_THREADS=1 python benchmarks/training.py --data DIR [--json FILE]

The setting is the one that the command ``text2math`` makes for itself.
The original program took 8.3 s a step, 840 s a fold and 17.3 GB on two cores. What is timed here is all
of it: the start of a process, features, training (with the inner models of the reranker), and answering the
test folds. Kernels that are not compiled yet count too, so the second run is the one to report. Other
programs lengthen the time on the clock, but hardly that of the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path

from text2math import __version__
from text2math.data.readers import load
from text2math.learning.crossvalidation import evaluate_variant
from text2math.learning.optimise import Progress
from text2math.learning.training import fit
from text2math.model.config import ModelConfig

ORIGINAL = {"seconds_per_step": 8.3, "seconds_per_fold": 840, "peak_mb": 17_300}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TEXT2MATH_DATA", "../shared/data"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    dataset = load("ai2", Path(options.data))
    train, _ = dataset.fold(0)
    steps: list[Progress] = []
    config = ModelConfig(reranker=None)
    fit(train[:20], config)  # compiles, or loads what was compiled
    fit(train, config, report=steps.append)
    per_step = (steps[-1].seconds - steps[0].seconds) / (len(steps) - 1)
    began = time.perf_counter()
    outcome = evaluate_variant(dataset, "full", "honest")
    total = time.perf_counter() - began
    report = {
        "version": __version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "problems": len(train),
        "seconds_per_step": round(per_step, 4),
        "steps": len(steps),
        "cross_validation_seconds": round(total, 1),
        "cross_validation_processor_seconds": round(outcome.report.processor_seconds, 1),
        "peak_mb_of_a_process": outcome.peak_mb and round(outcome.peak_mb),
        "accuracy": round(outcome.accuracy, 2),
        "original": ORIGINAL,
        "step_speedup": round(ORIGINAL["seconds_per_step"] / per_step, 1),
    }
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How fast the chart is: problems a second, against its plain log-space twin in the same run.

    python benchmarks/chart.py [--data DIR] [--json FILE] [--repeat 5] [--against SRC]

With ``--against`` (the ``src`` folder of another version) it only says how long this version takes for the
arithmetic grammar, as a ratio to that one; the two take turns, and processor time is counted.

Runs on ai2 where ``--data`` (or TEXT2MATH_DATA, or ../shared/data) has it, else on the corpus of the
package. Potentials are random: what they are does not change the work. Times are the best of several
rounds; the two arithmetics take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from text2math.data import load
from text2math.inference import chart, crf
from text2math.inference.crf import ForestBatch, PotentialsBatch, TextMathCRF
from text2math.inference.expectations import expectations
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest, reachable_trees
from text2math.inference.potentials import UNKNOWNS, Potentials, Symbol
from text2math.inference.semiring import LINEAR, LOG
from text2math.inference.work_queue import queue_of
from text2math.mathematics.expression import is_equation

PROBLEMS = 261  # one training set of ai2's three folds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--against", type=Path, default=None)
    parser.add_argument("--seconds", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.seconds:
        print(json.dumps(processor_seconds(options.data, options.repeat)))
        return
    if options.against:
        print(json.dumps(ratios_to(options.against, options.data, options.repeat), indent=2))
        return
    report = measure(options.data, options.repeat)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))
    print_for_people(report)


def measure(data: Path | None, repeat: int) -> dict[str, Any]:
    source, batch, gold_and_full, full = problems(data)
    report: dict[str, Any] = {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "date": datetime.date.today().isoformat(),
        "data": source,
        "problems": len(batch),
        "words_mean": round(float(batch.words.mean()), 1),
        "load": os.getloadavg()[0],
    }
    report["throughput"] = throughput(batch, full, repeat)
    report["grammars"] = grammars(batch, repeat)
    report["training_step"] = training_step(batch, gold_and_full, repeat)
    report["single_best_per_second_at_30_words"] = single_best(repeat)
    report["k_best_at_30_words_ms"] = k_best_cost(repeat)
    report["growth"] = growth()
    report["peak_memory"] = memory(batch, gold_and_full)
    report["start"] = start_up()
    return report


def problems(data: Path | None) -> tuple[str, PotentialsBatch, ForestBatch, ForestBatch]:
    """ai2's problems (or our corpus') with random potentials, their gold and full forests."""
    here = Path(__file__).resolve().parent.parent
    folder = data or Path(os.environ.get("TEXT2MATH_DATA", here.parent / "shared" / "data"))
    source = "ai2" if (folder / "ai2").is_dir() else "corpus"
    examples = load(source, folder if source == "ai2" else None).examples
    full = Forest.full(ARITHMETIC)
    rng = np.random.default_rng(0)
    potentials, forests = [], []
    for example in examples:
        problem = example.problem
        trees = reachable_trees(example.expression, problem.anchors, limit=20) if example.expression else ()
        if trees and not is_equation(trees[0]) and len(potentials) < PROBLEMS:
            potentials.append(noise(len(problem.tokens), problem.anchors, rng))
            forests.append([Forest.of(trees[0]), full])
    batch = PotentialsBatch.of(potentials)
    return source, batch, ForestBatch.of(forests), ForestBatch.same(full, len(potentials))


def noise(words: int, anchors: Any, rng: np.random.Generator) -> Potentials:
    zero = Potentials.zeros(words, anchors)
    parts = (zero.step, zero.pattern, zero.child, zero.root, zero.number)
    return Potentials(*(rng.normal(size=part.shape) for part in parts), zero.anchors)


def best_of(
    repeat: int, *runs: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The shortest time of each, the runs taking turns."""
    times = [[float("inf")] for _ in runs]
    for run in runs:
        run()
    for _ in range(repeat):
        for at, run in enumerate(runs):
            start = clock()
            run()
            times[at].append(clock() - start)
    return [min(of) for of in times]


def forced(run: Any, batch: PotentialsBatch, threads: int, tag: Any) -> None:
    """Run a batch in one arithmetic, whether it fits or not."""
    fits = np.ones(len(batch), dtype=np.bool_)
    longest_first = np.argsort(-batch.words, kind="stable")
    crf._in_threads(lambda queue: run(tag, queue, fits), longest_first, threads)


def throughput(batch: PotentialsBatch, full: ForestBatch, repeat: int) -> dict[str, Any]:
    """Problems a second over the full forest, linear and log space, 1 and 2 threads."""
    arguments = crf._arguments(batch, full)
    result, counts = np.empty((len(batch), 1)), np.zeros_like(batch.flat)
    kernels = {
        "inside": lambda tag, queue, fits: chart.partitions(tag, queue, *arguments, result, fits),
        "inside+outside": lambda tag, queue, fits: expectations(
            tag, queue, *arguments, np.ones(1), result, fits, counts
        ),
    }
    report: dict[str, Any] = {}
    for name, run in kernels.items():
        for threads in (1, 2):
            ours, twin = best_of(
                repeat,
                lambda run=run, threads=threads, tag=LINEAR: forced(run, batch, threads, tag),
                lambda run=run, threads=threads, tag=LOG: forced(run, batch, threads, tag),
            )
            report[f"{name}, {threads} thread{'s' * (threads > 1)}"] = {
                "per_second": round(len(batch) / ours),
                "log_space_per_second": round(len(batch) / twin),
                "ratio": round(twin / ours, 2),
            }
    for threads in (1, 2):
        (best,) = best_of(repeat, lambda threads=threads: crf.best_trees(batch, full, threads=threads))
        report[f"best, {threads} thread{'s' * (threads > 1)}"] = {"per_second": round(len(batch) / best)}
    singles = [TextMathCRF(full.forests[0], potentials) for potentials in batch.unpack(batch.flat)]
    (ten,) = best_of(max(1, repeat // 2), lambda: [one.k_best(10) for one in singles])
    report["10-best, 1 thread"] = {"per_second": round(len(batch) / ten)}
    return report


def training_step(batch: PotentialsBatch, forests: ForestBatch, repeat: int) -> dict[str, float]:
    """Inside and outside of the gold and the full forest of all problems, two threads."""
    result, counts = np.empty((len(batch), 2)), np.zeros_like(batch.flat)
    weights = np.array([1.0, -1.0])

    def run(tag: Any, queue: Any, fits: Any) -> None:
        expectations(tag, queue, *crf._arguments(batch, forests), weights, result, fits, counts)

    ours, twin = best_of(repeat, lambda: forced(run, batch, 2, LINEAR), lambda: forced(run, batch, 2, LOG))
    return {"seconds": round(ours, 4), "log_space_seconds": round(twin, 4), "ratio": round(twin / ours, 2)}


def grammars(batch: PotentialsBatch, repeat: int) -> dict[str, float]:
    """What larger grammars cost: the time of inside+outside, as a ratio to the arithmetic one's."""
    known = set(Symbol) - {Symbol.SUBR, Symbol.DIVR}
    values = known - {Symbol.EQU, Symbol.SYS, *UNKNOWNS}
    others = {
        "arithmetic and root-only operators": Forest.full(values),
        "equations": Forest.full(EQUATIONS),
        "equations and silent unknowns": Forest.full(EQUATIONS, silent=True),
        "systems": Forest.full(EQUATIONS | {Symbol.SYS}),
        "systems, asides, silent unknowns": Forest.full(EQUATIONS | {Symbol.SYS}, silent=True, asides=True),
    }
    report = {}
    for name, forest in others.items():
        plain, own = best_of(
            repeat,
            lambda: _expectations(batch, Forest.full(ARITHMETIC)),
            lambda forest=forest: _expectations(batch, forest),
            clock=time.process_time,
        )
        report[name] = round(own / plain, 3)
    return report


def _expectations(batch: PotentialsBatch, forest: Forest) -> None:
    crf.expected_counts(batch, ForestBatch.same(forest, len(batch)), [1.0], threads=1)


def processor_seconds(data: Path | None, repeat: int) -> dict[str, float]:
    """What arithmetic costs on one core: sums, counts (of gold and of all trees), the best, the ten best."""
    _, batch, gold_and_full, full = problems(data)
    singles = [TextMathCRF(full.forests[0], one) for one in batch.unpack(batch.flat)[:60]]
    runs = {
        "inside": lambda: crf.log_partitions(batch, full, threads=1),
        "inside+outside": lambda: crf.expected_counts(batch, full, [1.0], threads=1),
        "gold and full": lambda: crf.expected_counts(batch, gold_and_full, [1.0, -1.0], threads=1),
        "best": lambda: crf.best_trees(batch, full, threads=1),
        "10-best": lambda: [one.k_best(10) for one in singles],
    }
    return dict(zip(runs, best_of(repeat, *runs.values(), clock=time.process_time), strict=True))


def ratios_to(source: Path, data: Path | None, repeat: int) -> dict[str, float]:
    """The least processor time of each, as a ratio to that of another version; the two take turns."""
    mine = Path(__file__).resolve().parent.parent / "src"
    least: dict[Path, dict[str, float]] = {mine: {}, source: {}}
    command = [sys.executable, __file__, "--seconds", "--repeat", str(repeat)]
    command += ["--data", str(data)] if data else []
    for _ in range(3):
        for folder, best in least.items():
            environment = {**os.environ, "PYTHONPATH": str(folder)}
            told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            for name, seconds in json.loads(told).items():
                best[name] = min(best.get(name, float("inf")), seconds)
    return {name: round(least[mine][name] / seconds, 3) for name, seconds in least[source].items()}


def single_best(repeat: int) -> int:
    """Trees a second, one call after another, at 30 words with the potentials at hand."""
    full, rng = Forest.full(ARITHMETIC), np.random.default_rng(1)
    problems = [noise(30, [4, 12, 21], rng) for _ in range(200)]
    batches = [(PotentialsBatch.of([one]), ForestBatch.same(full, 1)) for one in problems]

    def run() -> None:
        for batch, forests in batches:
            crf.best_trees(batch, forests, threads=1)

    (seconds,) = best_of(repeat, run)
    return round(len(problems) / seconds)


def k_best_cost(repeat: int) -> dict[str, float]:
    """Milliseconds for the k best trees, and for the k best expressions with their probabilities."""
    potentials = noise(30, [4, 12, 21], np.random.default_rng(2))
    full = Forest.full(ARITHMETIC)
    values = [1, 2, 3]
    report = {}
    for k in (1, 10, 100):
        (seconds,) = best_of(repeat * 4, lambda k=k: TextMathCRF(full, potentials).k_best(k))
        report[f"{k} trees"] = round(1000 * seconds, 3)
    (seconds,) = best_of(repeat * 4, lambda: TextMathCRF(full, potentials).expressions(10, values))
    report["10 expressions"] = round(1000 * seconds, 3)
    return report


def growth() -> dict[str, Any]:
    """Time of inside+outside over the length of the text, and the exponent fitted to the longer half."""
    full, rng = Forest.full(ARITHMETIC), np.random.default_rng(3)
    times = {}
    for words in (10, 20, 40, 80, 120, 160, 200):
        batch = PotentialsBatch.of([noise(words, list(range(3, words, 8)), rng)])
        forests = ForestBatch.same(full, 1)
        result, counts, fits = np.empty((1, 1)), np.zeros_like(batch.flat), np.ones(1, dtype=np.bool_)
        arguments = (*crf._arguments(batch, forests), np.ones(1), result, fits, counts)
        (seconds,) = best_of(5, lambda given=arguments: expectations(LINEAR, queue_of([0]), *given))
        times[words] = seconds
    longer = [(n, t) for n, t in times.items() if n >= 40]
    slope = np.polyfit(np.log([n for n, _ in longer]), np.log([t for _, t in longer]), 1)[0]
    return {
        "milliseconds": {n: round(1000 * t, 3) for n, t in times.items()},
        "exponent": round(float(slope), 2),
    }


def memory(batch: PotentialsBatch, forests: ForestBatch) -> dict[str, float]:
    """Peak memory of the process, and what eight times the problems add beyond their potentials."""

    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    before = peak()
    big = PotentialsBatch.from_flat(
        np.tile(batch.flat, 8),
        np.tile(batch.words, 8).tolist(),
        [batch.anchors[a:b] for a, b in zip(batch.anchors_from, batch.anchors_from[1:], strict=False)] * 8,
    )
    many = ForestBatch(
        forests.packed, forests.packed_from, np.tile(forests.forest_of, (8, 1)), forests.forests
    )
    crf.expected_counts(big, many, [1.0, -1.0], threads=2)
    arrays = 3 * big.flat.nbytes / 2**20  # the tiled potentials twice while packing, and the counts
    return {
        "peak_mb": round(before, 1),
        "eight_times_the_problems_mb": round(peak(), 1),
        "beyond_potentials_and_counts_mb": round(max(0.0, peak() - before - arrays), 1),
    }


def start_up() -> dict[str, float]:
    """Seconds to import, and to compile what decoding and then training need, from an empty cache."""
    script = """
import time; start = time.perf_counter()
import text2math.inference.crf as crf
from text2math.inference.forest import ARITHMETIC, Forest
from text2math.inference.potentials import Potentials
print(time.perf_counter() - start)
start = time.perf_counter()
one = crf.TextMathCRF(Forest.full(ARITHMETIC), Potentials.zeros(6, [1, 4]))
one.expressions(3, [1, 2])  # what solving needs
print(time.perf_counter() - start)
start = time.perf_counter(); one.marginals; print(time.perf_counter() - start)
"""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        runs = [
            subprocess.run(
                [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
            )
            for _ in range(2)
        ]
    first, later = ([float(line) for line in run.stdout.split()] for run in runs)
    return {
        "import": round(later[0], 2),
        "first_decode": round(first[1], 2),
        "first_training_step": round(first[2], 2),
        "later_decode": round(later[1], 3),
        "later_training_step": round(later[2], 3),
    }


def print_for_people(report: dict[str, Any]) -> None:
    print(
        f"\n{report['problems']} problems of {report['data']}, {report['words_mean']} words each",
        file=sys.stderr,
    )
    for name, figures in report["throughput"].items():
        ratio = f", {figures['ratio']} times log space" if "ratio" in figures else ""
        print(f"  {name:26} {figures['per_second']:>8,} problems a second{ratio}", file=sys.stderr)
    step = report["training_step"]
    print(
        f"  gold and full, inside+outside: {step['seconds']} s ({step['ratio']} times log space)",
        file=sys.stderr,
    )
    print(
        f"  single best at 30 words: {report['single_best_per_second_at_30_words']:,} a second",
        file=sys.stderr,
    )
    print(f"  growth: n^{report['growth']['exponent']}; start: {report['start']}", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Where the network of ``default`` spends its time, and whether a setting of onnxruntime makes it faster.

    python benchmarks/network.py [--texts 24] [--repeats 5]

First the time of each kind of operator, as onnxruntime's own profiler sees it: for each node the median over
texts and repeats. Then the CPU time of a text under different settings, the best of some repeats, taken in
turns, and whether the outputs are the same to the last bit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from text2math.data import load as load_data
from text2math.language.problem import read_problem
from text2math.parser import load
from text2math.scorers.encoder import EncoderScorer, OnnxNetwork, pad, read_inputs

Feed = dict[str, np.ndarray]
LEVELS = onnxruntime.GraphOptimizationLevel
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "as we run it": {},
    "extended optimisation": {"graph_optimization_level": LEVELS.ORT_ENABLE_EXTENDED},
    "basic optimisation": {"graph_optimization_level": LEVELS.ORT_ENABLE_BASIC},
    "no optimisation": {"graph_optimization_level": LEVELS.ORT_DISABLE_ALL},
    "no memory pattern": {"enable_mem_pattern": False},
    "no arena": {"enable_cpu_mem_arena": False},
    "one text by declaration": {"problems": 1},
}


def session(network: OnnxNetwork, **settings: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    for name, value in settings.items():
        if name == "problems":
            options.add_free_dimension_override_by_name(name, value)
        else:
            setattr(options, name, value)
    return onnxruntime.InferenceSession(network.source, options, providers=["CPUExecutionProvider"])


def microseconds_by_operator(network: OnnxNetwork, feeds: Sequence[Feed], repeats: int) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        own = session(network, enable_profiling=True, profile_file_prefix=f"{folder}/profile")
        for _ in range(repeats):
            for feed in feeds:
                own.run(None, feed)
        events = json.loads(Path(own.end_profiling()).read_text(encoding="utf-8"))
    took: dict[tuple[str, str], list[float]] = defaultdict(list)
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("kernel_time"):
            took[event["args"]["op_name"], event["name"]].append(event["dur"])
    found: Counter[str] = Counter()
    for (operator, _), times in took.items():
        found[operator] += statistics.median(times)  # type: ignore[assignment]
    return found


def milliseconds(sessions: Mapping[str, Any], feeds: Sequence[Feed], repeats: int) -> dict[str, float]:
    """The mean over texts of the best time, every session in turn, none always the first."""
    names = list(sessions)
    best = {name: [float("inf")] * len(feeds) for name in names}
    for _ in range(repeats):
        for at, feed in enumerate(feeds):
            names.append(names.pop(0))
            for name in names:
                began = time.process_time()
                sessions[name].run(None, feed)
                best[name][at] = min(best[name][at], 1e3 * (time.process_time() - began))
    return {name: statistics.mean(times) for name, times in best.items()}


def same_outputs(one: Any, other: Any, feeds: Sequence[Feed]) -> bool:
    return all(
        np.array_equal(first, second)
        for feed in feeds
        for first, second in zip(one.run(None, feed), other.run(None, feed), strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=int, default=24)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    scorer = load("default").model.scorer
    if not isinstance(scorer, EncoderScorer) or not isinstance(scorer.network, OnnxNetwork):
        raise SystemExit("the default model has no network here; install onnxruntime and tokenizers")
    network = scorer.network
    wanted = {one.name for one in session(network).get_inputs()}
    examples = load_data("corpus").examples
    problems = [read_problem(one.problem.text) for one in examples[:: len(examples) // options.texts]]
    inputs = [read_inputs(problem, scorer.pieces, mask_numbers=scorer.mask_numbers) for problem in problems]
    feeds = [{name: array for name, array in pad([one]).items() if name in wanted} for one in inputs]
    print(f"{len(feeds)} texts of {statistics.mean(len(one.ids) for one in inputs):.0f} pieces on average")
    operators = microseconds_by_operator(network, feeds, options.repeats)
    for operator, took in operators.most_common(8):
        print(f"{operator:24} {took:6.0f} µs, {took / operators.total():4.0%}")
    sessions = {name: session(network, **settings) for name, settings in SETTINGS.items()}
    for name, took in milliseconds(sessions, feeds, options.repeats).items():
        same = "same" if same_outputs(sessions["as we run it"], sessions[name], feeds) else "other"
        print(f"{name:24} {took:5.2f} ms a text, {same} outputs")


if __name__ == "__main__":
    main()

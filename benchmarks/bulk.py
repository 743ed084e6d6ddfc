"""Many texts: ``parse``, ``parse_many`` and ``text2math parse`` beside the floor, onnxruntime alone.

    python benchmarks/bulk.py [--models default small] [--texts N] [--singles N] [--repeats N] [--workers N]

All is measured in one run, on the same texts and the same number of processes. The floor is the network on
inputs that were made beforehand. A busy machine slows everything alike, so the shares hold where the rates do
not; the load stands beside them. Milliseconds are those of the processor's clock, of each text (or of each
64 texts that go through the stages together, as in processes) the best of some repeats, taken in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from text2math.data import load as load_data
from text2math.language.problem import read_problem
from text2math.parallel import CHUNK, available_cores, batches, in_order
from text2math.parser import Parser, load
from text2math.scorers.encoder import EncoderScorer, Inputs, read_inputs


def inputs_of(scorer: EncoderScorer, text: str) -> Inputs:
    return read_inputs(read_problem(text), scorer.pieces, mask_numbers=scorer.mask_numbers)


def run_network(scorer: EncoderScorer, inputs: Inputs) -> None:
    scorer.network([inputs])


def parse_one(parser: Parser, text: str) -> None:
    parser.parse(text, top=1)


def busy(work: Callable[[], object]) -> float:
    """Milliseconds of the processor."""
    began = time.process_time()
    work()
    return 1e3 * (time.process_time() - began)


def one_process(parser: Parser, texts: Sequence[str], repeats: int) -> dict[str, float]:
    """Milliseconds a text: parsed alone, parsed with others, and put through the network alone."""
    scorer = parser.model.scorer
    inputs = [inputs_of(scorer, text) for text in texts] if isinstance(scorer, EncoderScorer) else []
    together = list(batches(texts, CHUNK))
    alone, many, network = ([float("inf")] * len(own) for own in (texts, together, inputs))
    for _ in range(repeats):
        for at, text in enumerate(texts):
            alone[at] = min(alone[at], busy(partial(parse_one, parser, text)))
        for at, some in enumerate(together):
            many[at] = min(many[at], busy(partial(parser.parse_all, some, top=1)))
        for at, one in enumerate(inputs):
            network[at] = min(network[at], busy(partial(scorer.network, [one])))  # type: ignore[attr-defined]
    found = {
        "parse_median_ms": statistics.median(alone),
        "parse_mean_ms": statistics.mean(alone),
        "parse_all_mean_ms": sum(many) / len(texts),
    }
    if network:
        found |= {
            "network_mean_ms": statistics.mean(network),
            "parse_share_of_floor": sum(network) / sum(alone),
            "parse_all_share_of_floor": sum(network) / sum(many),
        }
    return {name: round(value, 3) for name, value in found.items()}


def spread(texts: Sequence[str], count: int) -> Sequence[str]:
    """Some of the texts, from all over."""
    return texts[:: max(1, len(texts) // count)]


def rate(count: int, work: Callable[[], object]) -> float:
    """Texts a second."""
    began = time.perf_counter()
    work()
    return count / (time.perf_counter() - began)


def many(parser: Parser, texts: Sequence[str], name: str, workers: int) -> dict[str, float]:
    """All texts by the network alone, by ``parse_many`` and by the command, in as many processes each."""
    found = {}
    scorer = parser.model.scorer
    if isinstance(scorer, EncoderScorer):
        inputs = [inputs_of(scorer, text) for text in texts]
        found["network"] = rate(
            len(texts), lambda: list(in_order(scorer, run_network, inputs, workers=workers, few=0))
        )
    found["parse_many"] = rate(len(texts), lambda: list(parser.parse_many(texts, workers=workers, top=1)))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.jsonl"
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        command = [sys.executable, "-m", "text2math", "parse", str(source), "--out", f"{folder}/out.jsonl"]
        command += ["--model", name, "--workers", str(workers)]
        quiet = {"stderr": subprocess.DEVNULL, "check": True}
        found["command"] = rate(len(texts), lambda: subprocess.run(command, **quiet))  # type: ignore[call-overload]
    rates = {f"{kind}_texts_a_second": round(one, 1) for kind, one in found.items()}
    # The largest process of the command, and of everything before it.
    return rates | {"peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)}


def main() -> None:
    options = arguments()
    examples = load_data("corpus").examples
    texts = [example.problem.text for example in examples]
    arithmetic = [one.problem.text for one in examples if one.answer is not None]
    report: dict[str, Any] = {
        "texts": options.texts,
        "workers": options.workers,
        "load": [os.getloadavg()[0]],
    }
    for name in options.models:
        parser = load(name)
        for text in texts[:20]:
            parse_one(parser, text)
        report[name] = {
            "all": one_process(parser, spread(texts, options.singles), options.repeats),
            "arithmetic": one_process(parser, spread(arithmetic, options.singles), options.repeats),
        }
        if options.texts:
            some = list(islice(cycle(texts), options.texts))
            report[name]["many"] = many(parser, some, name, options.workers)
    report["load"].append(os.getloadavg()[0])
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["default", "small"])
    parser.add_argument("--texts", type=int, default=4000, help="0: one process only")
    parser.add_argument("--singles", type=int, default=400, help="texts that are parsed in one process")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, default=available_cores())
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()

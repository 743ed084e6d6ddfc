"""Many texts: ``parse``, ``parse_many`` and ``text2math parse`` beside the floor, onnxruntime alone.

    python benchmarks/bulk.py [--models default small] [--texts N] [--workers N] [--json FILE]

All is measured in one run, on the same texts and the same number of processes. The floor is the network on
inputs that were made beforehand. A busy machine slows everything alike, so the shares hold where the rates do
not; the load stands beside them. Milliseconds are those of the processor's clock.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from text2math.data import load as load_data
from text2math.language.problem import read_problem
from text2math.parallel import available_cores, in_order
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


def one_by_one(parser: Parser, texts: Sequence[str]) -> dict[str, float]:
    """Each text parsed, and put through the network alone, in turns."""
    parses, networks = [], []
    scorer = parser.model.scorer
    for text in texts:
        parses.append(busy(lambda: parse_one(parser, text)))  # noqa: B023 (called at once)
        if isinstance(scorer, EncoderScorer):
            inputs = inputs_of(scorer, text)
            networks.append(busy(lambda: run_network(scorer, inputs)))  # noqa: B023
    found = {"parse_ms": round(statistics.median(parses), 2)}
    if networks:
        found["network_ms"] = round(statistics.median(networks), 2)
        found["share_of_floor"] = round(sum(networks) / sum(parses), 3)
    return found


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
    return {kind: round(texts_a_second, 1) for kind, texts_a_second in found.items()}


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
        report[name] = {"all": one_by_one(parser, texts), "arithmetic": one_by_one(parser, arithmetic)}
        if options.texts:
            some = list(islice(cycle(texts), options.texts))
            report[name]["texts_a_second"] = many(parser, some, name, options.workers)
    report["load"].append(os.getloadavg()[0])
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["default", "small"])
    parser.add_argument("--texts", type=int, default=4000, help="0: one by one only")
    parser.add_argument("--workers", type=int, default=available_cores())
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()

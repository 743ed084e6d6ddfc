"""Many texts: texts a second of ``parse_many`` and of ``text2math parse``, beside the network alone.

    python benchmarks/bulk.py [--models default small] [--texts N] [--workers N] [--json FILE]

All is measured in one run, on the same texts and the same number of processes. The floor of a model with a
network is onnxruntime alone: the network on the inputs of every text, made beforehand. A busy machine slows
all of them alike, so the shares hold where the rates do not; the load stands beside them.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from text2math.data import load as load_data
from text2math.language.problem import read_problem
from text2math.parser import Parser, load
from text2math.scorers.encoder import EncoderScorer, network_inputs

ROUNDS = 3  # of each measurement, in turns; the best counts


def network_alone(scorer: EncoderScorer, inputs: Any) -> float:
    """Seconds of the processor for one text in the network."""
    began = time.process_time()
    scorer.network(inputs)
    return time.process_time() - began


def single(parser: Parser, texts: Sequence[str]) -> dict[str, Any]:
    """One text after another in this process, by the processor's clock: parse and network, in turns."""
    scorer = parser.model.scorer if isinstance(parser.model.scorer, EncoderScorer) else None
    inputs = [network_inputs(scorer, read_problem(text)) for text in texts] if scorer else [None] * len(texts)
    parses, networks, walls = [], [], []
    for text, given in zip(texts, inputs, strict=True):
        began, began_busy = time.perf_counter(), time.process_time()
        parser.parse(text, top=1)
        parses.append(time.process_time() - began_busy)
        walls.append(time.perf_counter() - began)
        if scorer is not None:
            networks.append(network_alone(scorer, given))
    found = {
        "parse_ms_median": round(1e3 * statistics.median(parses), 2),
        "parse_wall_ms_median": round(1e3 * statistics.median(walls), 2),
    }
    if networks:
        found["network_ms_median"] = round(1e3 * statistics.median(networks), 2)
        found["share_of_floor"] = round(sum(networks) / sum(parses), 3)
    return found


def main() -> None:
    options = _options()
    texts = [example.problem.text for example in load_data("corpus").examples]
    arithmetic = [e.problem.text for e in load_data("corpus").examples if e.answer is not None]
    report: dict[str, Any] = {
        "texts": options.texts,
        "workers": options.workers,
        "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before",
    }
    for name in options.models:
        parser = load(name)
        for text in texts[:20]:
            parser.parse(text)
        many = list(islice(cycle(texts), options.texts))
        report[name] = {
            "single, all": single(parser, texts),
            "single, arithmetic": single(parser, arithmetic),
            **throughput(parser, many, name, options.workers),
        }
    report["machine"] += f", {os.getloadavg()[0]:.1f} after"
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

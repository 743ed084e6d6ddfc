"""How often a reading of the exam raises a doubt: right readings (false alarms), wrong ones, and those of
problems that are beyond the grammar.

python benchmarks/doubts.py [--model MODEL] [--gold] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from text2math.data.corpus import EXAM_PARTS, PLAIN, load_beyond, load_exam
from text2math.evaluation.metrics import is_correct
from text2math.language.problem import Example
from text2math.mathematics.algebra import answer_of
from text2math.model.doubts import doubts
from text2math.parser import DEFAULT_MODEL, Parser, load

Raised = tuple[str, set[str]]  # what a reading is, and the codes of its doubts


@dataclass(slots=True)
class Tally:
    """Readings, those with a doubt, and how many have each."""

    readings: int = 0
    doubted: int = 0
    codes: Counter[str] = field(default_factory=Counter)

    def add(self, codes: set[str]) -> None:
        """Count one reading."""
        self.readings += 1
        self.doubted += bool(codes)
        self.codes.update(codes)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--model", default=DEFAULT_MODEL)
    options.add_argument(
        "--gold", action="store_true", help="the gold, as if a model had read all of it right"
    )
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    raised = _of_gold() if chosen.gold else _of_model(load(chosen.model))
    tallies = _tallies(raised)
    for name, tally in tallies.items():
        codes = ", ".join(f"{code} {count}" for code, count in tally.codes.most_common())
        share = 100 * tally.doubted / tally.readings
        print(f"{name:8} {tally.readings:5} readings, {tally.doubted:4} doubted ({share:.1f} %): {codes}")
    if chosen.json:
        found = {
            name: {"readings": tally.readings, "doubted": tally.doubted, "codes": dict(tally.codes)}
            for name, tally in tallies.items()
        }
        source = "gold" if chosen.gold else chosen.model
        chosen.json.write_text(json.dumps({"model": source, **found}, indent=1) + "\n", encoding="utf-8")


def _tallies(raised: Iterable[Raised]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {}
    for name, codes in raised:
        tallies.setdefault(name, Tally()).add(codes)
    return tallies


def _exam() -> list[Example]:
    parts = [load_exam(part, knowledge=part != PLAIN).examples for part in EXAM_PARTS]
    return [example for examples in parts for example in examples]


def _of_gold() -> Iterator[Raised]:
    for example in _exam():
        if example.expression is not None:
            found = doubts(example.problem, example.expression, answer_of(example.expression))
            yield "right", {doubt.code for doubt in found}


def _of_model(parser: Parser) -> Iterator[Raised]:
    examples = _exam()
    texts = [example.problem.text for example in examples]
    for example, parse in zip(examples, parser.parse_many(texts, top=1, errors="warn"), strict=True):
        if parse.mathematics is not None:
            right = is_correct(parse.mathematics, example, parse.answers or None)
            yield ("right" if right else "wrong"), {doubt.code for doubt in parse.doubts}
    texts = [beyond.problem.text for beyond in load_beyond()]
    for parse in parser.parse_many(texts, top=1, errors="warn"):
        if parse.mathematics is not None:
            yield "beyond", {doubt.code for doubt in parse.doubts}


if __name__ == "__main__":
    main()

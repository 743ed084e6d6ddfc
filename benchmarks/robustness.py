"""How many readings of the exam break when a text is changed in ways that leave its meaning alone.

python benchmarks/robustness.py [--model MODEL] [--count N] [--seed S] [--only CHANGE ...] [--json FILE]

What --json writes is what a model's card shows as "robustness".
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import asdict
from pathlib import Path

from text2math.data import load as load_data
from text2math.evaluation.robustness import CHANGES, TARGETS, Effect, effects, right_by
from text2math.parser import DEFAULT_MODEL, load


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--model", default=DEFAULT_MODEL)
    options.add_argument("--count", type=int, help="problems of the exam, drawn at random; all without it")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", nargs="+", choices=CHANGES, metavar="CHANGE", help="these changes only")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    parser = load(chosen.model)
    examples = list(load_data("exam").examples)
    if chosen.count:
        examples = random.Random(chosen.seed).sample(examples, min(chosen.count, len(examples)))

    right = right_by(lambda texts: parser.parse_many(texts, top=1, errors="warn"))
    found = []
    print(f"{'change':24} {'problems':>8} {'broken':>7} {'fixed':>6} {'broken, %':>10}  target")
    changes = {name: CHANGES[name] for name in chosen.only or CHANGES}
    for effect in effects(examples, right, seed=chosen.seed, changes=changes):
        found.append(asdict(effect))
        print(
            f"{effect.change:24} {effect.problems:8} {effect.broken:7} {effect.fixed:6} "
            f"{effect.broken_percent:10.1f}  {_verdict(effect)}",
            flush=True,
        )
    if chosen.json:
        summary = {"model": parser.name, "problems": len(examples), "seed": chosen.seed, "changes": found}
        chosen.json.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def _verdict(effect: Effect) -> str:
    if effect.is_met is None:
        return ""
    return f"at most {TARGETS[effect.change]:g}: {'met' if effect.is_met else 'missed'}"


if __name__ == "__main__":
    main()

"""How well the number recogniser does on public data: recall of the numbers that gold uses, and precision.

    python benchmarks/recognition.py --data DIR

``recall`` is over the numbers that a gold expression or equation uses. ``used`` is the share of what was
found that gold uses (texts hold irrelevant numbers, so it can't be 100 %); ``annotated`` is the share of what
was found that the annotators marked as a quantity, where they did (equations). alg514 and draw list ordinals,
years and the digits of names as numbers too, so their recall can't be 100 %.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from text2math.language.numbers import NumberMatch, find_quantities

NUMERAL = re.compile(r"\d+(?:\.\d+)?")
ANNOTATED = re.compile(r"\[[^\]]*?([-\d.E]+) \]:\((\d+), (\d+)\)")


@dataclass
class Score:
    """What was asked for and found in one data set."""

    name: str
    gold: int = 0
    hit: int = 0
    found: int = 0
    found_used: int = 0
    found_annotated: int | None = None
    missed: tuple[str, ...] = ()

    @property
    def recall(self) -> float:
        return self.hit / self.gold

    @property
    def used(self) -> float:
        return self.found_used / self.found

    @property
    def annotated(self) -> float | None:
        return None if self.found_annotated is None else self.found_annotated / self.found

    def add(self, text: str, found: tuple[NumberMatch, ...], gold: list[NumberMatch | None]) -> None:
        """Count one text; ``gold`` holds the match of each number that gold uses, None for a missed one."""
        self.gold += len(gold)
        self.hit += sum(match is not None for match in gold)
        self.found += len(found)
        self.found_used += len({match for match in gold if match is not None})
        if None in gold:
            self.missed += (text,)


def at_offset(text: str, found: tuple[NumberMatch, ...], offset: int) -> NumberMatch | None:
    """The match that covers this character and has the value that is written there."""
    numeral = NUMERAL.match(text, offset)
    return next(
        (m for m in found if m.start <= offset < m.end and (not numeral or m.value == Fraction(numeral[0]))),
        None,
    )


def of_value(found: tuple[NumberMatch, ...], value: object) -> NumberMatch | None:
    return next((match for match in found if abs(float(match.value) - float(str(value))) < 1e-9), None)


def questions(data: Path, name: str, *, offsets: bool) -> Score:
    """The data sets in ``questions.json``, aligned by character offset or by index into the numbers."""
    score = Score(name)
    for problem in json.loads((data / name / "questions.json").read_text()):
        text = problem["sQuestion"]
        found = find_quantities(text)
        if offsets:
            gold = [at_offset(text, found, offset) for offset in problem["lAlignments"]]
        else:
            gold = [of_value(found, problem["quants"][index]) for index in problem["lAlignments"]]
        score.add(text, found, gold)
    return score


def equations(data: Path) -> Score:
    """The annotated sentences: a quantity is found where a match overlaps its span."""
    score = Score("equations", found_annotated=0)
    for text, quantities, used in annotated_sentences(data):
        found = find_quantities(text)
        gold = [
            next((match for match in found if match.start < end and start < match.end), None)
            for (start, end), use in zip(quantities, used, strict=True)
            if use
        ]
        score.add(text, found, gold)
        marked = [m for m in found if any(m.start < end and start < m.end for start, end in quantities)]
        score.found_annotated = (score.found_annotated or 0) + len(marked)
    return score


def annotated_sentences(data: Path) -> Iterator[tuple[str, list[tuple[int, int]], list[int]]]:
    lines = (data / "equations" / "quantities.out").read_text().splitlines()
    text, spans = "", []
    for i, line in enumerate(lines):
        if line.startswith("Quantities :"):
            spans = [(int(start), int(end)) for _, start, end in ANNOTATED.findall(line)]
        elif line.startswith("Gold :"):
            yield text, spans, json.loads(lines[i + 1])[0]
        elif sentence := re.match(r"\d+ : (.*)", line):
            text = sentence[1]


def listed(data: Path, name: str, files: str) -> Score:
    """Systems of equations with the list of the text's numbers: found by value."""
    score = Score(name)
    for path in sorted((data / name).glob(files)):
        for problem in json.loads(path.read_text()):
            found = find_quantities(problem["original_text"])
            gold = [
                of_value(found, value) or of_value(found, float(value) / 100)
                for value in problem["number list"]
            ]
            score.add(problem["original_text"], found, gold)
    return score


def all_scores(data: Path) -> list[Score]:
    return [
        questions(data, "ai2", offsets=False),
        questions(data, "il", offsets=True),
        questions(data, "commoncore", offsets=True),
        equations(data),
        questions(data, "allarith", offsets=False),
        listed(data, "alg514", "testset_fold*.json"),
        listed(data, "draw", "*set.json"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--missed", action="store_true", help="print the texts where a number was missed")
    arguments = parser.parse_args()
    print(f"{'set':12}{'gold':>7}{'hit':>7}{'recall':>9}{'found':>7}{'used':>8}{'annotated':>11}")
    for score in all_scores(arguments.data):
        annotated = "" if score.annotated is None else f"{score.annotated:.1%}"
        print(
            f"{score.name:12}{score.gold:7}{score.hit:7}{score.recall:9.2%}{score.found:7}{score.used:8.1%}"
            f"{annotated:>11}"
        )
        if arguments.missed:
            print("".join(f"    {text}\n" for text in score.missed), end="")


if __name__ == "__main__":
    main()

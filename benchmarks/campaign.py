"""Random forests and potentials: the chart against brute force, case after case.

    python benchmarks/campaign.py [--cases 1000] [--seed 0] [--json FILE]

Every case has its own random seed, which is printed where the two disagree: ``--cases 1 --seed S`` runs that
case again. ``--json`` writes the result, with command, version and date. The exit status is 1 if any failed.
The trees of a text are listed once for each of its shapes (forest, length, places of its numbers) and scored
anew with every case's potentials.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import oracle
from text2math import __version__
from text2math.evaluation.tables import command_line
from text2math.inference.crf import PotentialsBatch, TextMathCRF, _potentials, flat_size
from text2math.inference.forest import Forest
from text2math.inference.potentials import FloatArray, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.mathematics.expression import Expression

S = Symbol
VALUES = [Fraction(10 + k) for k in range(10)]
CLOSE = 1e-8
MOST_TREES = 1500  # of a text; a case with more takes a shorter text

# (symbols, roots, most words, unknowns without words, asides)
KINDS: tuple[tuple[frozenset[Symbol], frozenset[Symbol], int, bool, bool], ...] = tuple(
    (frozenset(symbols), frozenset(roots), longest, silent, asides)
    for symbols, roots, longest, silent, asides in (
        ({S.ADD, S.SUB, S.CON}, {S.ADD, S.SUB}, 5, False, False),
        ({S.SUB, S.CON}, {S.SUB, S.CON}, 5, False, False),
        ({S.MUL, S.SUBR, S.CON}, {S.SUBR}, 4, False, False),
        ({S.CEIL, S.GCD, S.SUB, S.CON}, {S.CEIL, S.GCD, S.SUB}, 4, False, False),
        ({S.RATIO, S.REM, S.LCM, S.QUO, S.CON}, {S.RATIO, S.REM, S.LCM, S.QUO}, 5, False, False),
        ({S.EQU, S.ADD, S.CON, S.X1}, {S.EQU}, 4, False, False),
        ({S.EQU, S.SUB, S.CON, S.X1}, {S.EQU}, 3, True, False),
        ({S.EQU, S.ADD, S.X1, S.X2}, {S.EQU, S.ADD}, 2, True, False),
        ({S.SYS, S.EQU, S.CON}, {S.EQU, S.SYS}, 5, False, False),
        ({S.SYS, S.EQU, S.CON}, {S.EQU, S.SYS}, 6, False, True),
        ({S.SYS, S.EQU, S.CON, S.X1}, {S.EQU, S.SYS}, 5, False, True),
        ({S.SYS, S.EQU, S.CON, S.X1}, {S.EQU, S.SYS}, 4, True, True),
        ({S.SYS, S.EQU, S.X1}, {S.SYS}, 4, True, True),
        ({S.SYS, S.EQU, S.ADD, S.CON, S.X1}, {S.SYS}, 3, True, True),
    )
)


@dataclass(frozen=True)
class Shape:
    """All that a case is but its potentials: a forest, a length, and the words that numbers stand on."""

    kind: int
    words: int
    anchors: tuple[int, ...]

    @property
    def forest(self) -> Forest:
        """What the chart sums over."""
        symbols, roots, _, silent, asides = KINDS[self.kind]
        return Forest.full(symbols, roots=roots, silent=silent, asides=asides)


class Listed:
    """Every tree of a shape, its expression, and how often it collects each potential."""

    def __init__(self, shape: Shape) -> None:
        symbols, roots, _, silent, asides = KINDS[shape.kind]
        grammar = oracle.Grammar(symbols, silent, asides)
        self.trees = oracle.all_trees(shape.words, shape.anchors, grammar, roots)
        self.place = {tree: at for at, tree in enumerate(self.trees)}
        self.expressions: list[Expression] = [tree.expression(VALUES) for tree in self.trees]
        self._shape = shape

    @cached_property
    def counts(self) -> csr_matrix:
        """[trees, potentials], laid out as the chart has them."""
        words, anchors = self._shape.words, np.array(self._shape.anchors, dtype=np.int32)
        size = flat_size(words, len(anchors))
        index = _potentials(np.arange(size, dtype=np.float64), words, anchors)
        rows, columns, values = [], [], []
        for row, tree in enumerate(self.trees):
            for (name, *place), count in oracle.features(tree).items():
                rows.append(row)
                columns.append(int(getattr(index, str(name))[tuple(place)]))
                values.append(float(count))
        return csr_matrix((values, (rows, columns)), shape=(len(self.trees), size))

    def scores(self, flat: FloatArray) -> FloatArray:
        """The score of each tree; minus infinity where it collects that."""
        finite = np.where(np.isneginf(flat), 0.0, flat)
        forbidden = self.counts @ np.isneginf(flat).astype(np.float64)
        return np.where(forbidden > 0, -np.inf, self.counts @ finite)


@cache
def listed(shape: Shape) -> Listed:
    """The trees of a shape, once."""
    return Listed(shape)


class DisagreementError(Exception):
    """The chart and brute force differ."""


def require(holds: object, what: str) -> None:
    if not holds:
        raise DisagreementError(what)


def log_sum(scores: FloatArray) -> float:
    top = scores.max(initial=-math.inf)
    return -math.inf if top == -math.inf else float(top + math.log(np.exp(scores - top).sum()))


def shape_of(rng: np.random.Generator) -> Shape:
    """A random shape with few enough trees."""
    kind = int(rng.integers(len(KINDS)))
    words = int(rng.integers(1, KINDS[kind][2] + 1))
    while True:
        count = int(rng.integers(0, min(words, 3) + 1))
        shape = Shape(kind, words, tuple(int(word) for word in rng.integers(0, words, count)))
        if len(listed(shape).trees) <= MOST_TREES:
            return shape
        words -= 1


def potentials_of(shape: Shape, rng: np.random.Generator) -> Potentials:
    """Random potentials, now and then large ones, and with forbidden ones among them."""
    flat = rng.normal(
        scale=rng.choice([1.0, 1.0, 4.0, 40.0]), size=flat_size(shape.words, len(shape.anchors))
    )
    flat[rng.random(len(flat)) < rng.choice([0.0, 0.0, 0.05, 0.2])] = -np.inf
    return _potentials(flat, shape.words, np.array(shape.anchors, dtype=np.int32))


def check(seed: int) -> None:
    """One case: partition, counts, best, k best, expressions, samples, and the forest of some expressions."""
    rng = np.random.default_rng(seed)
    shape = shape_of(rng)
    potentials = potentials_of(shape, rng)
    flat = PotentialsBatch.of([potentials]).flat
    every, forest = listed(shape), shape.forest
    scores = every.scores(flat)
    agree(TextMathCRF(forest, potentials), every, scores, rng)
    possible = np.flatnonzero(scores > -np.inf)
    if not len(possible):
        return
    chosen = {every.expressions[at] for at in rng.choice(possible, 3)}
    own = np.array([expression in chosen for expression in every.expressions])
    gold = Forest.of(chosen, silent=forest.silent, asides=forest.asides)
    agree(TextMathCRF(gold, potentials), every, np.where(own, scores, -np.inf), rng)


def agree(crf: TextMathCRF, every: Listed, scores: FloatArray, rng: np.random.Generator) -> None:
    """Whether everything a distribution answers is what its trees with these scores say."""
    total = log_sum(scores)
    if total == -math.inf:
        require(crf.log_partition == -math.inf and crf.k_best(2) == [], "a forest that should be empty")
        return
    near = CLOSE * max(1.0, abs(total))
    require(abs(crf.log_partition - total) < near, f"log partition {crf.log_partition}, not {total}")
    chances = np.exp(scores - total)
    counts = PotentialsBatch.of([crf.marginals]).flat
    require(np.abs(counts - every.counts.T @ chances).max() < CLOSE, "marginals")
    require(abs(crf.best.score - scores.max()) < near, "the best score")
    require(abs(scores[every.place[crf.best.tree]] - scores.max()) < near, "the best tree")
    wanted = np.sort(scores[scores > -np.inf])[::-1][:20]
    found = crf.k_best(20)
    require(len(found) == len(wanted), "how many trees there are")
    require(np.abs([one.score for one in found] - wanted).max() < near, "the scores of the k best")
    require(len({one.tree for one in found}) == len(found), "a tree listed twice")
    off = [abs(scores[every.place[one.tree]] - one.score) for one in found]
    require(max(off) < near, "a tree among the k best")
    agree_on_expressions(crf, every, scores, chances)
    drawn: list[TextMathTree] = crf.sample(rng, 3)
    require(all(scores[every.place[tree]] > -np.inf for tree in drawn), "a sample")


def agree_on_expressions(crf: TextMathCRF, every: Listed, scores: FloatArray, chances: FloatArray) -> None:
    """The k best expressions with their exact probabilities."""
    best: dict[Expression, float] = {}
    chance: dict[Expression, float] = {}
    for expression, score, own in zip(every.expressions, scores, chances, strict=True):
        if score > -math.inf:
            best[expression] = max(best.get(expression, -math.inf), score)
            chance[expression] = chance.get(expression, 0.0) + own
    found = crf.expressions(8, VALUES)
    wanted = sorted(best.values(), reverse=True)[:8]
    near = CLOSE * max(1.0, *map(abs, wanted))
    require(len(found) == len(wanted), "how many expressions there are")
    own = sorted((one.score for one in found), reverse=True)
    require(np.abs(np.array(own) - wanted).max() < near, "the scores of the best expressions")
    for one in found:
        require(abs(math.exp(one.log_probability) - chance[one.expression]) < CLOSE, "a probability")


def run(cases: int, seed: int, say: Callable[[str], None] = print) -> int:
    """Check so many cases; return how many failed."""
    failed = 0
    for own in range(seed, seed + cases):
        try:
            check(own)
        except Exception as error:  # whatever goes wrong, the campaign goes on and names the case
            failed += 1
            say(f"seed {own}: {type(error).__name__}: {error}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    start = time.process_time()
    failed = run(options.cases, options.seed)
    spent = time.process_time() - start
    print(f"{options.cases} cases, {failed} failed, {spent:.1f} s of processor time")
    if options.json:
        result = {
            "command": command_line("python benchmarks/campaign.py"),
            "version": __version__,
            "date": date.today().isoformat(),
            "cases": options.cases,
            "failed": failed,
            "processor_seconds": round(spent, 1),
        }
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())

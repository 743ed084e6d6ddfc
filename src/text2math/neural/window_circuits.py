"""The charts of the problems that window networks are trained on, as circuits."""

from __future__ import annotations

import numpy as np

from text2math.inference.potentials import Symbol
from text2math.neural.circuit_losses import Circuits
from text2math.neural.circuits import CONSTANT, UNKNOWN, PlainForest, circuit_of
from text2math.neural.window_batch import WindowProblems


def circuits_of(problems: WindowProblems) -> Circuits:
    """Write down the charts of all training problems, under the full forest and that of each gold."""
    symbols = problems.symbols
    leaves = np.where(symbols == Symbol.CON, CONSTANT, np.where(symbols > Symbol.CON, UNKNOWN, 0))
    full = PlainForest(problems.full_states[0], problems.full_rules[0], int(problems.full_roots[0]))
    spots = np.split(problems.anchors, np.cumsum(problems.numbers)[:-1])
    golds = zip(problems.gold_states, problems.gold_rules, map(int, problems.gold_roots), strict=True)
    made = [
        circuit_of(int(n), own, [full, PlainForest(*gold)], problems.pair_marks, leaves)
        for n, own, gold in zip(problems.lengths, spots, golds, strict=True)
    ]
    return Circuits.of(made, problems.lengths, problems.numbers, problems.pair_marks)

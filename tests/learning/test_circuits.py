"""Circuits against the compiled chart."""

from __future__ import annotations

import numpy as np
import pytest

from text2math.inference.crf import ForestBatch, PotentialsBatch, log_partitions
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest
from text2math.inference.potentials import Potentials, Symbol
from text2math.learning.circuits import NONE, ONE, Circuit, circuit_of
from text2math.mathematics.notation import from_infix

WORDS, ANCHORS = 8, [1, 4, 4, 6]
FORESTS = {
    "arithmetic": Forest.full(ARITHMETIC),
    "inverse": Forest.full(ARITHMETIC | {Symbol.SUBR, Symbol.DIVR}),
    "equations": Forest.full(EQUATIONS),
    "an operator with several rules": Forest.full(EQUATIONS, max_operators=3),
    "an expression": Forest.of(from_infix("(7[0] - 2[1]) / 3[3]")),
    "one of two": Forest.of([from_infix("7[0] - 2[2] * 3[3]"), from_infix("(7[0] - 2[2]) * 3[3]")]),
    "an equation": Forest.of(from_infix("X1 * 2[0] = X2 - 3[3]")),
}


def _log_sums(circuit: Circuit, flat: np.ndarray) -> list[float]:
    """The logs of a circuit's totals, one line after the other."""
    values = np.zeros(circuit.nodes)
    values[ONE] = 1.0
    values[1 : 1 + len(circuit.places)] = np.exp(flat[circuit.places])
    for total, x, y in circuit.lines:
        values[total] += values[x] * values[y]
    return [float(np.log(values[total])) for total in circuit.totals]


@pytest.mark.parametrize("name", FORESTS)
def test_a_circuit_adds_up_what_the_chart_adds_up(name: str) -> None:
    rng = np.random.default_rng(0)
    potentials = Potentials.zeros(WORDS, ANCHORS)
    for part in (potentials.step, potentials.pattern, potentials.child, potentials.root, potentials.number):
        part[...] = rng.normal(size=part.shape)
    batch, both = PotentialsBatch.of([potentials]), [FORESTS["arithmetic"], FORESTS[name]]
    expected = log_partitions(batch, ForestBatch.of([both]), threads=1)[0]
    assert _log_sums(circuit_of(WORDS, ANCHORS, both), batch.flat) == pytest.approx(expected, abs=1e-10)


def test_steps_that_enter_a_word_name_it_and_nothing_else_does() -> None:
    circuit = circuit_of(2, [0, 1], [FORESTS["arithmetic"]])
    potentials = Potentials.zeros(2, [0, 1])
    potentials.step[:, :2, :, 1] = 1 + np.arange(2)[None, :, None]  # word i is entered at boundary i
    flat = PotentialsBatch.of([potentials]).flat
    assert (flat[circuit.places] == 1 + circuit.words).all()


def test_an_expression_without_a_tree_has_no_total() -> None:
    crossing = Forest.of(from_infix("(7[0] + 3[3]) - 2[1]"))
    assert circuit_of(WORDS, ANCHORS, [FORESTS["arithmetic"], crossing]).totals[1] == NONE


def test_silent_unknowns_are_refused() -> None:
    with pytest.raises(ValueError, match="no silent unknowns and no asides"):
        circuit_of(WORDS, ANCHORS, [Forest.full(EQUATIONS, silent=True)])

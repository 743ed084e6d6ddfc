"""The losses of window networks from circuits, against the compiled chart."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts  # noqa: E402
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest  # noqa: E402
from text2math.inference.potentials import Potentials, Symbol  # noqa: E402
from text2math.mathematics.notation import from_infix  # noqa: E402
from text2math.neural.window_arrays import plain_forests  # noqa: E402
from text2math.neural.window_circuits import (  # noqa: E402
    Tables,
    Texts,
    WindowCircuits,
    circuit_losses,
    forest_of,
)
from text2math.scorers.features import PAIRS  # noqa: E402

LENGTHS, ANCHORS = np.array([6, 9, 7]), ([1, 3], [0, 4, 7], [2, 3, 6])
MARKS = np.array([4 * left + right for left, right in PAIRS])
GOLDS = {
    ARITHMETIC: ("7[0] + 3[1]", "7[0] - 2[1] * 3[2]", "(1[0] + 2[1]) / 3[2]"),
    EQUATIONS: ("X1 = 7[0] + 3[1]", "X1 * 2[0] = X2 - 3[2]", "X1 + X2 = 3[1]"),
}


def _texts(symbols: frozenset[Symbol]) -> Texts:
    return Texts(LENGTHS.tolist(), ANCHORS, sorted(symbols), MARKS)


def _random_potentials(rng: np.random.Generator) -> list[Potentials]:
    """Of all three problems; what networks and weights share (all but steps and numbers) is the same."""
    made = [Potentials.zeros(int(n), spots) for n, spots in zip(LENGTHS, ANCHORS, strict=True)]
    shared = [rng.normal(size=part.shape) for part in (made[0].pattern, made[0].child, made[0].root)]
    for one in made:
        for part, same in zip((one.pattern, one.child, one.root), shared, strict=True):
            part[...] = same
        for left, right in PAIRS:
            one.step[:, :, left, right] = rng.normal(size=one.step.shape[:2])
        one.number[...] = rng.normal(size=one.number.shape)
    return made


def _tables(potentials: list[Potentials], symbols: list[Symbol]) -> list[np.ndarray]:
    lefts, rights = [left for left, _ in PAIRS], [right for _, right in PAIRS]
    steps = [one.step[symbols].transpose(1, 2, 3, 0)[:, lefts, rights] for one in potentials]
    first = potentials[0]
    tables = (first.pattern[symbols, :16], first.child[np.ix_(symbols, [0, 1], symbols)], first.root[symbols])
    return [np.concatenate(steps), *tables, np.concatenate([one.number for one in potentials])]


@pytest.mark.parametrize("symbols", [ARITHMETIC, EQUATIONS], ids=["arithmetic", "equations"])
@pytest.mark.parametrize("networks", [1, 9])
def test_losses_and_their_gradients_are_those_of_the_compiled_chart(
    symbols: frozenset[Symbol], networks: int
) -> None:
    rng = np.random.default_rng(0)
    kept = sorted(symbols)
    forests = [(Forest.of(from_infix(gold)), Forest.full(symbols)) for gold in GOLDS[symbols]]
    circuits = WindowCircuits.of(_texts(symbols), forests)
    potentials = [_random_potentials(rng) for _ in range(networks)]
    tables = [np.stack(own, -1) for own in zip(*(_tables(one, kept) for one in potentials), strict=True)]
    own = Tables(*(torch.tensor(table, requires_grad=True) for table in tables))
    scores = torch.zeros(int(LENGTHS.sum()), len(kept), networks, dtype=torch.float64)
    losses = circuit_losses(circuits, scores, own)
    losses.sum().backward()
    for k, one in enumerate(potentials):
        batch = PotentialsBatch.of(one)
        sums, counts = expected_counts(batch, ForestBatch.of(forests), [-1.0, 1.0], threads=1)
        assert float(losses[k].detach()) == pytest.approx(float((sums[:, 1] - sums[:, 0]).sum()), abs=1e-10)
        unpacked = batch.unpack(counts)
        expected = _tables(unpacked, kept)
        for at, name in (
            (1, "pattern"),
            (2, "child"),
            (3, "root"),
        ):  # shared by the problems: their counts add up
            expected[at] = sum(_tables([problem], kept)[at] for problem in unpacked)
            assert np.allclose(own[at].grad[..., k].numpy(), expected[at], rtol=0, atol=1e-10), name
        assert np.allclose(own.step.grad[..., k].numpy(), expected[0], rtol=0, atol=1e-10)
        assert np.allclose(own.number.grad[..., k].numpy(), expected[4], rtol=0, atol=1e-10)


def _scored_circuits() -> tuple[WindowCircuits, Tables]:
    """Circuits of arithmetic, and tables that all networks share."""
    forests = [(Forest.of(from_infix(gold)), Forest.full(ARITHMETIC)) for gold in GOLDS[ARITHMETIC]]
    tables = _tables(_random_potentials(np.random.default_rng(1)), sorted(ARITHMETIC))
    shared = Tables(*(torch.tensor(table[..., None]) for table in tables))
    return WindowCircuits.of(_texts(ARITHMETIC), forests), shared


def test_a_score_counts_wherever_its_word_is_entered() -> None:
    circuits, shared = _scored_circuits()
    drawn = np.random.default_rng(2).normal(size=(int(LENGTHS.sum()), len(ARITHMETIC), 2))
    scores = torch.tensor(drawn, requires_grad=True)
    losses = circuit_losses(circuits, scores, shared)
    losses.sum().backward()
    for word, symbol, network in ((0, 0, 0), (8, 2, 1), (21, 4, 0)):
        moved = scores.detach().clone()
        moved[word, symbol, network] += 1e-6
        change = circuit_losses(circuits, moved, shared) - losses.detach()
        assert float(change[network]) / 1e-6 == pytest.approx(
            float(scores.grad[word, symbol, network]), abs=1e-5
        )
        assert float(change[1 - network]) == 0


def test_tables_that_networks_share_are_tables_that_each_has_for_itself() -> None:
    circuits, shared = _scored_circuits()
    scores = torch.tensor(np.random.default_rng(2).normal(size=(int(LENGTHS.sum()), len(ARITHMETIC), 3)))
    own = Tables(*(table.repeat(*[1] * (table.ndim - 1), 3) for table in shared))
    assert torch.equal(circuit_losses(circuits, scores, own), circuit_losses(circuits, scores, shared))


def test_scores_that_leave_the_range_of_a_double_are_an_error() -> None:
    circuits, shared = _scored_circuits()
    scores = torch.full((int(LENGTHS.sum()), len(ARITHMETIC), 1), 800.0, dtype=torch.float64)
    with pytest.raises(ValueError, match="leave the range of a double"):
        circuit_losses(circuits, scores, shared)


def test_a_problem_without_a_tree_is_an_error() -> None:
    forest = Forest.of(from_infix("7[0] + 3[5]"))  # the text has no such number
    with pytest.raises(ValueError, match="problem 0 has no tree"):
        WindowCircuits.of(_texts(ARITHMETIC), [(forest, Forest.full(ARITHMETIC))] * 3)


@pytest.mark.parametrize("symbols", [ARITHMETIC, EQUATIONS], ids=["arithmetic", "equations"])
def test_forests_come_back_from_arrays_as_they_were(symbols: frozenset[Symbol]) -> None:
    kept = sorted(symbols)
    forests = [Forest.full(symbols), *(Forest.of(from_infix(gold)) for gold in GOLDS[symbols])]
    plain = plain_forests(forests, {symbol: at for at, symbol in enumerate(kept)})
    found = [forest_of(*own, kept) for own in zip(*plain, strict=True)]
    assert found == forests

"""The chart in torch against the compiled one."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")

from text2math.inference.crf import ForestBatch, PotentialsBatch, expected_counts  # noqa: E402
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest  # noqa: E402
from text2math.inference.potentials import Potentials, Symbol  # noqa: E402
from text2math.mathematics.notation import from_infix  # noqa: E402
from text2math.neural.diagonals import Scores, log_partition  # noqa: E402
from text2math.neural.window_arrays import plain_forests  # noqa: E402
from text2math.neural.window_batch import padded_forests  # noqa: E402

LENGTHS, ANCHORS = np.array([6, 9, 7]), ([1, 3], [0, 4, 7], [2, 3, 6])
NETWORKS = 2
GOLDS = {
    ARITHMETIC: ("7[0] + 3[1]", "7[0] - 2[1] * 3[2]", "(1[0] + 2[1]) / 3[2]"),
    EQUATIONS: ("X1 = 7[0] + 3[1]", "X1 * 2[0] = X2 - 3[2]", "X1 + X2 = 3[1]"),
}


def _random_potentials(rng: np.random.Generator) -> list[Potentials]:
    made = [Potentials.zeros(int(n), spots) for n, spots in zip(LENGTHS, ANCHORS, strict=True)]
    for one in made:
        for part in (one.step, one.pattern, one.child, one.root, one.number):
            part[...] = rng.normal(size=part.shape)
    return made


def _parts(one: Potentials, kept: list[Symbol]) -> tuple[np.ndarray, ...]:
    child = one.child[np.ix_(kept, [0, 1], kept)]
    return one.step[kept], one.pattern[kept, :16], child, one.root[kept], one.number


def _scores(networks: list[list[Potentials]], kept: list[Symbol]) -> Scores:
    size, shape, most = len(kept), (len(LENGTHS), len(networks)), max(map(len, ANCHORS))
    shapes = ((size, LENGTHS.max() + 1, 4, 4), (size, 16), (size, 2, size), (size,), (most,))
    scores = Scores(*(torch.zeros(*own, *shape, dtype=torch.float64) for own in shapes))
    for k, potentials in enumerate(networks):
        for p, one in enumerate(potentials):
            for whole, part in zip(scores, _parts(one, kept), strict=True):
                whole[..., p, k][tuple(slice(0, size) for size in part.shape)] = torch.as_tensor(part)
    return Scores(*(part.requires_grad_() for part in scores))


@pytest.mark.parametrize("symbols", [ARITHMETIC, EQUATIONS], ids=["arithmetic", "equations"])
@pytest.mark.parametrize("full", [True, False], ids=["every tree", "the trees of the gold"])
def test_partitions_and_counts_are_those_of_the_compiled_chart(
    symbols: frozenset[Symbol], full: bool
) -> None:
    rng = np.random.default_rng(0)
    networks = [_random_potentials(rng) for _ in range(NETWORKS)]
    kept = sorted(symbols)
    forests = [Forest.full(symbols)] * 3 if full else [Forest.of(from_infix(gold)) for gold in GOLDS[symbols]]
    spots = np.full((max(map(len, ANCHORS)), len(LENGTHS)), -1)
    for p, own in enumerate(ANCHORS):
        spots[: len(own), p] = own
    plain = plain_forests(forests, {symbol: at for at, symbol in enumerate(kept)})
    scores = _scores(networks, kept)
    found = log_partition(scores, padded_forests(*plain, LENGTHS, spots, np.array(kept)))
    found.sum().backward()
    for k, potentials in enumerate(networks):
        batch = PotentialsBatch.of(potentials)
        sums, counts = expected_counts(batch, ForestBatch.of([[one] for one in forests]), [1.0], threads=1)
        assert np.allclose(found[:, k].detach().numpy(), sums[:, 0], rtol=0, atol=1e-10)
        for p, expected in enumerate(batch.unpack(counts)):
            for part, own in zip(scores, _parts(expected, kept), strict=True):
                gradient = part.grad[..., p, k][tuple(slice(0, size) for size in own.shape)]
                assert np.allclose(gradient.numpy(), own, rtol=0, atol=1e-9)


def test_a_problem_without_a_tree_is_an_error_and_not_a_number() -> None:
    kept = sorted(ARITHMETIC)
    scores = _scores([_random_potentials(np.random.default_rng(0))], kept)
    spots = np.full((3, 3), -1)  # no number is anchored anywhere
    plain = plain_forests([Forest.full(ARITHMETIC)] * 3, {symbol: at for at, symbol in enumerate(kept)})
    with pytest.raises(ValueError, match="no tree"):
        log_partition(scores, padded_forests(*plain, LENGTHS, spots, np.array(kept)))

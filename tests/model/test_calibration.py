from __future__ import annotations

import numpy as np
import pytest

from text2math.model.calibration import calibrated, expected_error, fit_temperature


def test_a_temperature_of_one_changes_nothing_and_a_high_one_flattens() -> None:
    shares = np.array([0.7, 0.2, 0.1])
    np.testing.assert_allclose(calibrated(np.log(shares), 1.0), shares)
    assert calibrated(np.log(shares), 10.0).max() < 0.4
    assert calibrated(np.array([-1e4, 0.0]), 1.0).tolist() == [0.0, 1.0]


def test_the_fitted_temperature_finds_what_the_scores_were_sharpened_by() -> None:
    rng = np.random.default_rng(0)
    scores, right = [], []
    for _ in range(4000):
        shares = rng.dirichlet([1.0, 1.0, 1.0])
        shares = np.sort(shares)[::-1]
        right.append(bool(rng.random() < shares[0]))
        scores.append(3.0 * np.log(shares))
    assert fit_temperature(scores, right) == pytest.approx(3.0, rel=0.1)


def test_without_mistakes_there_is_nothing_to_fit() -> None:
    assert fit_temperature([np.log([0.9, 0.1])], [True]) == 1.0


def test_the_calibration_error_is_the_gap_between_promise_and_truth() -> None:
    assert expected_error([0.8] * 10, [True] * 8 + [False] * 2) == pytest.approx(0)
    assert expected_error([1.0] * 4, [True, True, False, False]) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="no probabilities"):
        expected_error([], [])

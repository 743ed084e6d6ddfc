"""Calibration: of the answers with probability 0.8, four in five should be right.

>>> expected_error([0.9, 0.9, 0.6, 0.6], [True, True, True, False])
0.1
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def calibrated(log_probabilities: FloatArray, temperature: float) -> FloatArray:
    """Probabilities from scores, sharpened by a temperature below 1 or flattened by one above 1.

    >>> calibrated(np.log([0.8, 0.2]), 1.0).round(3).tolist()
    [0.8, 0.2]
    """
    scaled = np.asarray(log_probabilities) / temperature
    shifted = np.exp(scaled - scaled.max())
    return np.asarray(shifted / shifted.sum())


def fit_temperature(scores: Sequence[FloatArray], right: Sequence[bool]) -> float:
    """The temperature that maximises the likelihood of which best candidates were right.

    ``scores`` are the log-probabilities of each text's candidates, ``right`` whether its best one was right.
    """
    if not any(right) or all(right):
        return 1.0
    from scipy.optimize import minimize_scalar  # slow to import, so only for training

    def loss(log_temperature: float) -> float:
        best = np.array([calibrated(one, float(np.exp(log_temperature))).max() for one in scores])
        best = np.clip(best, 1e-6, 1 - 1e-6)
        return float(-np.where(right, np.log(best), np.log1p(-best)).mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded").x))


def cross_fitted_error(scores: Sequence[FloatArray], right: Sequence[bool]) -> float:
    """The expected calibration error, with each half of the texts under the temperature of the other half."""
    given: list[float] = []
    marks: list[bool] = []
    for half in (0, 1):
        temperature = fit_temperature(scores[half::2], right[half::2])
        given += [float(calibrated(one, temperature).max()) for one in scores[1 - half :: 2]]
        marks += right[1 - half :: 2]
    return expected_error(given, marks)


def expected_error(probabilities: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """The expected calibration error: the mean difference between the probability and accuracy of a bin."""
    given, true = np.asarray(probabilities, dtype=float), np.asarray(right, dtype=float)
    if not len(given):
        raise ValueError("there are no probabilities to evaluate")
    place = np.minimum((given * bins).astype(int), bins - 1)
    error = sum(
        abs(given[place == one].mean() - true[place == one].mean()) * (place == one).sum()
        for one in np.unique(place)
    )
    return round(float(error / len(given)), 12)

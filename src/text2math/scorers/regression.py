"""Features by name as a sparse matrix, and logistic regression over one.

>>> matrix = feature_matrix([[("rain", 1.0)], [("sun", 1.0)]], {"rain": 0, "sun": 1})
>>> weights = logistic_regression(matrix, np.array([1.0, -1.0]), l2=0.1)
>>> bool(weights[0] > 0 > weights[1])
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from text2math.inference.potentials import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_STEPS = 200


def feature_matrix(rows: Sequence[Iterable[tuple[str, float]]], vocabulary: Mapping[str, int]) -> csr_matrix:
    """One row of values for each list of features; features outside the vocabulary are left out."""
    from scipy.sparse import csr_matrix  # slow to import, and a model with a network has no such features

    indices, values, ends = [], [], [0]
    for row in rows:
        for name, value in row:
            column = vocabulary.get(name)
            if column is not None:
                indices.append(column)
                values.append(value)
        ends.append(len(indices))
    shape = (len(rows), len(vocabulary))
    return csr_matrix((np.array(values, dtype=float), np.array(indices, dtype=np.int32), ends), shape=shape)


def logistic_regression(
    matrix: csr_matrix, signs: FloatArray, *, l2: float, shares: FloatArray | None = None, bias: bool = False
) -> FloatArray:
    """The weights that tell rows with the sign 1 from those with -1.

    ``shares`` weigh the rows. A ``bias`` is one more weight, the last, which is not penalised.
    """
    from scipy.optimize import minimize  # slow to import, so only for training
    from scipy.sparse import hstack

    if bias:
        matrix = hstack([matrix, np.ones((matrix.shape[0], 1))], format="csr")
    penalised = np.ones(matrix.shape[1])
    if bias:
        penalised[-1] = 0.0
    rows = np.ones(len(signs)) if shares is None else shares
    transposed = matrix.T.tocsr()

    def objective(weights: FloatArray) -> tuple[float, FloatArray]:
        margins = signs * (matrix @ weights)
        slope = -signs * rows * np.exp(-np.logaddexp(0.0, margins))
        held = penalised * weights
        value = float(rows @ np.logaddexp(0.0, -margins)) + l2 * float(held @ held)
        return value, transposed @ slope + 2 * l2 * held

    start = np.zeros(matrix.shape[1])
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
    return np.asarray(found.x)

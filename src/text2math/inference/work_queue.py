"""A queue of problems that compiled kernels take from, on many threads, without the GIL.

Each thread calls its kernel once. Returning to Python for every problem would mean waiting for the GIL, which
another thread may hold for milliseconds, longer than a chart takes.

>>> queue = queue_of([3, 1, 2])
>>> queue[0].tolist(), queue[1].tolist()
([3, 1, 2], [0])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Queue = tuple[NDArray[np.int64], NDArray[np.int64]]  # the problems, and how many of them are taken


def queue_of(problems: Sequence[int] | NDArray[np.int64]) -> Queue:
    """A queue from which nothing has been taken yet."""
    return np.asarray(problems, dtype=np.int64), np.zeros(1, dtype=np.int64)


def _take_number(context: Any, counter: Any) -> Any:
    """The value of a counter, which is incremented in the same atomic operation."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Only the compiler needs this module, and importing it takes a while.
        from numba.np import arrayobj

        make: Any = arrayobj.make_array
        array = make(signature.args[0])(context, builder, arguments[0])
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", array.data, one, "monotonic")

    return types.int64(counter), generate


take_number: Any = intrinsic(_take_number)  # for compiled code

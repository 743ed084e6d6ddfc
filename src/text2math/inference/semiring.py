"""The arithmetic of the compiled kernels: sums or maxima, of probabilities or of their logarithms.

A kernel takes a tag and writes ⊕ as ``plus(tag, x, y)``, ⊗ as ``times(tag, x, y)``. The tag's *type* says
whether scores are factors (linear space) or logarithms, and each is compiled separately; its *value* says
whether ⊕ adds or takes the maximum.

Functions that raise ``NameError`` only declare names and arguments; numba compiles the overload below each.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit, types
from numba.extending import overload

from text2math.inference.kernel_cache import keep_compiled
from text2math.inference.potentials import SYMBOL_COUNT

LINEAR, LINEAR_MAX = np.uint8(0), np.uint8(1)
LOG, LOG_MAX = np.uint16(0), np.uint16(1)

# Linear space is used only while every value stays inside these bounds; then no product of two values
# and a potential can leave the range of a double, so nothing is lost (a proof by induction).
SMALLEST, LARGEST = 1e-140, 1e140
SMALLEST_FACTOR, LARGEST_FACTOR = 1e-20, 1e20

_F = TypeVar("_F", bound=Callable[..., Any])
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_UNWRAPPED: Any = {"no_cpython_wrapper": True}
_UNCOUNTED: Any = {"_nrt": False}
_VECTOR: Any = {"fastmath": {"reassoc", "contract", "nsz"}}


def _source_checksum() -> int:
    """A checksum of the source files that kernels are compiled from, and of how they are kept."""
    found = 0
    kernels = (
        "semiring",
        "potentials",
        "patterns",
        "layout",
        "work_queue",
        "inside",
        "outside",
        "edges",
        "chart",
    )
    for name in (*kernels, "kernel_cache"):
        path = Path(__file__).with_name(f"{name}.py")
        found = zlib.crc32(path.read_bytes() if path.is_file() else b"", found)
    return found


_CHECKSUM = _source_checksum()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: on first use, cached on disk, releasing the GIL.

    Compiled code is typed by numba, so its annotations say Any.
    """
    # numba only notices changes to a kernel's own file. With the number of symbols (which is compiled in) and
    # the checksum in its name, code compiled for another grammar or from other sources is never loaded.
    function.__qualname__ += f"_of_{SYMBOL_COUNT}_symbols_{_CHECKSUM:08x}"
    return keep_compiled(njit(**_OPTIONS)(function))


def allocating(function: _F) -> _F:
    """Compile into the kernels that call it; without wrappers for Python it compiles in half the time."""
    return cast(_F, njit(**_OPTIONS, **_UNWRAPPED)(function))


def inner(function: _F) -> _F:
    """The same for functions that create and return no array: without reference counting they are faster."""
    return cast(_F, njit(**_UNCOUNTED, **_OPTIONS, **_UNWRAPPED)(function))


def summing(function: _F) -> _F:
    """The same for functions whose sums may be added in any order, so that loops over them vectorise."""
    return cast(_F, njit(**_UNCOUNTED, **_OPTIONS, **_UNWRAPPED, **_VECTOR)(function))


def inlined(function: _F) -> _F:
    """Inline it into the one kernel that calls it."""
    return cast(_F, njit(inline="always", **_OPTIONS, **_UNWRAPPED)(function))


def _linear(tag: Any) -> bool:
    return bool(tag == types.uint8)


def zero(tag: Any) -> Any:
    """The score of something impossible."""
    raise NameError("for compiled code only")


@overload(zero, strict=False)
def _zero(tag: Any) -> Any:
    return (lambda tag: 0.0) if _linear(tag) else (lambda tag: -np.inf)


def one(tag: Any) -> Any:
    """The score that changes nothing."""
    raise NameError("for compiled code only")


@overload(one, strict=False)
def _one(tag: Any) -> Any:
    return (lambda tag: 1.0) if _linear(tag) else (lambda tag: 0.0)


def times(tag: Any, x: Any, y: Any) -> Any:
    """x ⊗ y."""
    raise NameError("for compiled code only")


@overload(times, strict=False)
def _times(tag: Any, x: Any, y: Any) -> Any:
    return (lambda tag, x, y: x * y) if _linear(tag) else (lambda tag, x, y: x + y)


def divide(tag: Any, x: Any, y: Any) -> Any:
    """The z with z ⊗ y = x."""
    raise NameError("for compiled code only")


@overload(divide, strict=False)
def _divide(tag: Any, x: Any, y: Any) -> Any:
    return (lambda tag, x, y: x / y) if _linear(tag) else (lambda tag, x, y: x - y)


def plus(tag: Any, x: Any, y: Any) -> Any:
    """x ⊕ y."""
    raise NameError("for compiled code only")


@overload(plus, strict=False)
def _plus(tag: Any, x: Any, y: Any) -> Any:
    if _linear(tag):
        return lambda tag, x, y: max(x, y) if tag else x + y
    return lambda tag, x, y: max(x, y) if tag else _log_plus(x, y)


def add(tag: Any, x: Any, y: Any) -> Any:
    """x ⊕ y for a tag whose ⊕ adds: without the question which it is, code is shorter and faster."""
    raise NameError("for compiled code only")


@overload(add, strict=False)
def _add(tag: Any, x: Any, y: Any) -> Any:
    return (lambda tag, x, y: x + y) if _linear(tag) else (lambda tag, x, y: _log_plus(x, y))


@inner
def _log_plus(x: Any, y: Any) -> Any:
    if x < y:
        x, y = y, x
    return x if y == -np.inf else x + math.log1p(math.exp(y - x))


def masked(tag: Any, x: Any, value: Any) -> Any:
    """x, or zero if ``value`` is zero."""
    raise NameError("for compiled code only")


@overload(masked, strict=False)
def _masked(tag: Any, x: Any, value: Any) -> Any:
    return lambda tag, x, value: zero(tag) if value == zero(tag) else x


def real(tag: Any, x: Any) -> Any:
    """A score as an ordinary number (a probability, where it is one)."""
    raise NameError("for compiled code only")


@overload(real, strict=False)
def _real(tag: Any, x: Any) -> Any:
    return (lambda tag, x: x) if _linear(tag) else (lambda tag, x: math.exp(x))


def score_of(tag: Any, x: Any) -> Any:
    """An ordinary number above zero as a score."""
    raise NameError("for compiled code only")


@overload(score_of, strict=False)
def _score_of(tag: Any, x: Any) -> Any:
    return (lambda tag, x: x) if _linear(tag) else (lambda tag, x: math.log(x))


def as_log(tag: Any, x: Any) -> Any:
    """A score as a logarithm."""
    raise NameError("for compiled code only")


@overload(as_log, strict=False)
def _as_log(tag: Any, x: Any) -> Any:
    if _linear(tag):
        return lambda tag, x: math.log(x) if x > 0.0 else -np.inf
    return lambda tag, x: x


def bounded(tag: Any, x: Any) -> Any:
    """x, or in linear space infinity (which ``certified`` rejects) if x is out of bounds."""
    raise NameError("for compiled code only")


@overload(bounded, strict=False)
def _bounded(tag: Any, x: Any) -> Any:
    if _linear(tag):
        return lambda tag, x: x if x == 0.0 or SMALLEST <= x <= LARGEST else np.inf
    return lambda tag, x: x


def certified(tag: Any, chart: Any, n: Any) -> Any:
    """Whether every value of a linear chart is zero or within bounds, which proves it right."""
    raise NameError("for compiled code only")


@overload(certified, strict=False)
def _certified(tag: Any, chart: Any, n: Any) -> Any:
    smallest, largest = (int(np.float64(bound).view(np.int64)) for bound in (SMALLEST, LARGEST))

    def in_bounds(tag: Any, chart: Any, n: Any) -> bool:
        # Doubles that are not negative sort as their bits do, infinity and NaN last; integers vectorise.
        bits = chart.view(np.int64)
        outside = 0
        for i in range(n):
            for t in range(chart.shape[1]):
                for j in range(np.uint64(i + 1), np.uint64(n + 1)):
                    x = bits[i, t, j]
                    outside += (x != 0) & ((x < smallest) | (x > largest))
        return outside == 0

    return in_bounds if _linear(tag) else (lambda tag, chart, n: True)


# The inner loops of the cubic sums, over contiguous rows, so that they vectorise (unsigned indices need no
# check for negative ones). They take whole charts and indices, because slicing off a row costs more than a
# short loop over it.


def push(
    tag: Any, chart: Any, core: Any, i: Any, x: Any, y: Any, item: Any, k: Any, first: Any, last: Any
) -> None:
    """``core[i,j] ⊕= x ⊗ item[k,j]`` and ``(core+1)[i,j] ⊕= y ⊗ item[k,j]`` for j in first…last-1."""
    raise NameError("for compiled code only")


@overload(push, inline="always", strict=False)
def _push(
    tag: Any, chart: Any, core: Any, i: Any, x: Any, y: Any, item: Any, k: Any, first: Any, last: Any
) -> Any:
    def loop(
        tag: Any, chart: Any, core: Any, i: Any, x: Any, y: Any, item: Any, k: Any, first: Any, last: Any
    ) -> None:
        for j in range(np.uint64(first), np.uint64(last)):
            z = chart[k, item, j]
            chart[i, core, j] = plus(tag, chart[i, core, j], times(tag, x, z))
            chart[i, core + 1, j] = plus(tag, chart[i, core + 1, j], times(tag, y, z))

    return loop


def push_one(
    tag: Any, chart: Any, core: Any, i: Any, x: Any, item: Any, k: Any, first: Any, last: Any
) -> None:
    """``core[i,j] ⊕= x ⊗ item[k,j]`` for j in first…last-1."""
    raise NameError("for compiled code only")


@overload(push_one, strict=False)
def _push_one(
    tag: Any, chart: Any, core: Any, i: Any, x: Any, item: Any, k: Any, first: Any, last: Any
) -> Any:
    def loop(
        tag: Any, chart: Any, core: Any, i: Any, x: Any, item: Any, k: Any, first: Any, last: Any
    ) -> None:
        for j in range(np.uint64(first), np.uint64(last)):
            chart[i, core, j] = plus(tag, chart[i, core, j], times(tag, x, chart[k, item, j]))

    return loop


def pull(tag: Any, out: Any, core: Any, i: Any, chart: Any, item: Any, k: Any, first: Any, last: Any) -> Any:
    """``⊕_j out[core,i,j] ⊗ chart[item,k,j]`` for j in first…last-1."""
    raise NameError("for compiled code only")


@overload(pull, jit_options=_VECTOR, strict=False)
def _pull(tag: Any, out: Any, core: Any, i: Any, chart: Any, item: Any, k: Any, first: Any, last: Any) -> Any:
    def loop(
        tag: Any, out: Any, core: Any, i: Any, chart: Any, item: Any, k: Any, first: Any, last: Any
    ) -> Any:
        total = zero(tag)
        for j in range(np.uint64(first), np.uint64(last)):
            total = add(tag, total, times(tag, out[i, core, j], chart[k, item, j]))
        return total

    return loop


def exchange(
    tag: Any,
    chart: Any,
    out: Any,
    item: Any,
    k: Any,
    x: Any,
    y: Any,
    core: Any,
    i: Any,
    first: Any,
    last: Any,
) -> Any:
    """What ``push`` does, read backwards, for j in first…last-1.

    ``out[item,k,j] ⊕= x ⊗ out[core,i,j] ⊕ y ⊗ out[core+1,i,j]``;
    return ``⊕_j out[core,i,j] ⊗ chart[item,k,j]`` and the same for ``core+1``.
    """
    raise NameError("for compiled code only")


@overload(exchange, inline="always", strict=False)
def _exchange(
    tag: Any,
    chart: Any,
    out: Any,
    item: Any,
    k: Any,
    x: Any,
    y: Any,
    core: Any,
    i: Any,
    first: Any,
    last: Any,
) -> Any:
    def loop(
        tag: Any,
        chart: Any,
        out: Any,
        item: Any,
        k: Any,
        x: Any,
        y: Any,
        core: Any,
        i: Any,
        first: Any,
        last: Any,
    ) -> Any:
        bare, after = zero(tag), zero(tag)
        for j in range(np.uint64(first), np.uint64(last)):
            z, u, v = chart[k, item, j], out[i, core, j], out[i, core + 1, j]
            bare = add(tag, bare, times(tag, u, z))
            after = add(tag, after, times(tag, v, z))
            out[k, item, j] = add(tag, out[k, item, j], add(tag, times(tag, x, u), times(tag, y, v)))
        return bare, after

    return loop

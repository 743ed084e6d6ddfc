"""Checks of a model file's metadata, so that a bad file is rejected when it is loaded, not later.

>>> checked(0.02, float, "l2")
0.02
>>> checked([], float, "temperature")
Traceback (most recent call last):
...
ValueError: temperature is [], not a number
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

Config = TypeVar("Config")

LARGEST = 1e9  # limit of any setting; ours are far smaller
LARGEST_WEIGHT = 1e6
MAX_NAME = 200
MAX_CANDIDATES = 1000
LEAST_TEMPERATURE, MOST_TEMPERATURE = 1e-3, 1e3
_NAMES = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    str: "a text",
    NoneType: "null",
    dict: "an object",
}


def filled(cls: type[Config], plain: Mapping[str, Any]) -> Config:
    """A configuration from JSON: lists become tuples; unknown fields and wrong types are rejected."""
    hints = get_type_hints(cls)
    known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    if unknown := sorted(set(plain) - known):
        raise ValueError(f"{cls.__name__} has no setting {reprlib.repr(unknown[0])}")
    return cls(**{name: checked(value, hints[name], name) for name, value in plain.items()})


def checked(value: Any, kind: Any, name: str) -> Any:
    """The value, lists as tuples; raises ``ValueError`` if it is not of this type."""
    found = tuple(map(_tuples, value)) if isinstance(value, list) else value
    if not _fits(found, kind):
        raise ValueError(f"{name} is {reprlib.repr(value)}, not {_described(kind)}")
    return found


def between(value: Any, least: float, most: float, name: str) -> float:
    """A number within bounds.

    >>> between(10**400, 0, 1, "step")
    Traceback (most recent call last):
    ...
    ValueError: step is 100000000000000000...0000000000000000000, not between 0 and 1
    """
    if not _is_number(value) or not least <= value <= most:
        raise ValueError(f"{name} is {reprlib.repr(value)}, not between {least:g} and {most:g}")
    return float(value)


def check_weights(weights: NDArray[Any]) -> NDArray[np.float64]:
    """A list of weights, none of them so large that a sum would overflow or lose precision."""
    # Infinity and NaN fail the comparison, too.
    if weights.ndim != 1 or not bool((np.abs(weights) <= LARGEST_WEIGHT).all()):
        raise ValueError(f"weights must be one list of numbers between ±{LARGEST_WEIGHT:g}")
    return weights.astype(np.float64, copy=False)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # no NaN


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, given as an annotation."""
    arguments = get_args(kind)
    match get_origin(kind):
        case origin if origin in (Union, UnionType):
            return any(_fits(value, one) for one in arguments)
        case origin if origin is tuple:
            if not isinstance(value, tuple):
                return False
            kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
            return len(value) == len(kinds) and all(map(_fits, value, kinds))
    if kind is float or kind is int:
        whole = kind is float or isinstance(value, int)
        return whole and _is_number(value) and -LARGEST <= value <= LARGEST
    return isinstance(value, kind)


def _described(kind: Any) -> str:
    """A type in plain words.

    >>> _described(tuple[tuple[str, float], ...])
    'a list'
    """
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_described, get_args(kind)))
    return "a list" if get_origin(kind) is tuple else _NAMES.get(kind, getattr(kind, "__name__", str(kind)))

"""Many texts: files of any size, Arrow tables, Dask data frames; in processes, or on many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2math.bulk.arrow import ArrowParser as ArrowParser
    from text2math.bulk.cluster import parse_dataframe as parse_dataframe

_PUBLIC = {"ArrowParser": "text2math.bulk.arrow", "parse_dataframe": "text2math.bulk.cluster"}


def __getattr__(name: str) -> Any:
    """``ArrowParser`` and ``parse_dataframe``, imported only when they are asked for."""
    if name in _PUBLIC:
        from importlib import import_module

        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'text2math.bulk' has no attribute {name!r}")

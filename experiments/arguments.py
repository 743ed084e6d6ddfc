"""What the scripts of this folder are told on the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from text2math.parallel import available_cores


def arguments(about: str | None) -> argparse.Namespace:
    """``names`` of data sets, their folder ``data``, the file ``json``, ``workers`` and ``cluster``."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--workers", type=int, default=available_cores())
    parser.add_argument("--cluster", help="a Dask scheduler, tcp://host:8786, or local:4")
    return parser.parse_args()

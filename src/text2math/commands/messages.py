"""Messages of commands, which go to stderr so that stdout has only results."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """Print a message at once."""
    print(f"text2math: {line}", file=sys.stderr, flush=True)

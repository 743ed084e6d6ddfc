"""What a function found, kept for the next time.

>>> squares = Kept(lambda number: number * number, most=2)
>>> squares[3], squares[4], len(squares)
(9, 16, 2)
>>> squares[5], len(squares)
(25, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Found = TypeVar("Found")


class Kept(dict[Key, Found]):
    """The results of a function by its argument; when there are too many, it starts again.

    ``lru_cache`` keeps its results in the order of their use, for which each lookup changes some of the
    others: in memory that is slow to reach when much else was done since.
    """

    def __init__(self, work: Callable[[Key], Found], most: int) -> None:
        super().__init__()
        self._work, self._most = work, most

    def __missing__(self, key: Key) -> Found:
        if len(self) >= self._most:
            self.clear()
        found = self[key] = self._work(key)
        return found

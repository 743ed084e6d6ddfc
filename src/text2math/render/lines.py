"""Wrapping marked words into lines, for pictures and terminals alike: each passes how wide a text is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from text2math.render.scene import Piece


@dataclass(frozen=True, slots=True)
class Spot:
    """A piece of text at its position on a line."""

    left: float
    text: str
    gap: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring pieces of one node on one line."""

    node: int | None
    spots: tuple[Spot, ...]
    right: float

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.spots[0].left

    @property
    def text(self) -> str:
        """Its words."""
        first, *others = self.spots
        return first.text + "".join(" " * spot.gap + spot.text for spot in others)


Measure = Callable[[str], float]


def wrap(pieces: Sequence[Piece], limit: float, measure: Measure) -> list[list[Run]]:
    """Lines no longer than the limit; a word longer than a line is cut."""
    lines: list[list[Run]] = [[]]
    at = 0.0
    for group in _unbreakable(pieces, limit, measure):
        gap = measure(" ") if group[0].gap and lines[-1] else 0.0
        if lines[-1] and at + gap + sum(measure(piece.text) for piece in group) > limit:
            lines.append([])
            at = gap = 0.0
        for piece in group:
            at += gap
            spot, end = Spot(at, piece.text, gap > 0), at + measure(piece.text)
            if lines[-1] and lines[-1][-1].node == piece.node:
                spot_before = lines[-1].pop().spots
                lines[-1].append(Run(piece.node, (*spot_before, spot), end))
            else:
                lines[-1].append(Run(piece.node, (spot,), end))
            at, gap = end, 0.0
    return [line for line in lines if line]


def _unbreakable(pieces: Sequence[Piece], limit: float, measure: Measure) -> Iterator[list[Piece]]:
    """Pieces that must stay on one line ("apples" and its full stop), no group longer than a line."""
    group: list[Piece] = []
    for piece in (part for whole in pieces for part in _cut(whole, limit, measure)):
        full = group and sum(measure(one.text) for one in group) + measure(piece.text) > limit
        if group and (piece.breaks or full):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _cut(piece: Piece, limit: float, measure: Measure) -> Iterator[Piece]:
    """The piece, in parts if it is longer than a line."""
    rest, gap, breaks = piece.text, piece.gap, piece.breaks
    while measure(rest) > limit and len(rest) > 1:
        size = _fitting(rest, limit, measure)
        size = rest.rfind("-", 1, size) + 1 or size
        yield Piece(rest[:size], piece.node, gap, breaks)
        rest, gap, breaks = rest[size:], False, True
    yield Piece(rest, piece.node, gap, breaks)


def _fitting(text: str, limit: float, measure: Measure) -> int:
    """How many letters, at least one, fit in a line; only the beginning of a long text is measured."""
    most = 2
    while most < len(text) and measure(text[:most]) <= limit:
        most *= 2
    return max(1, bisect_right(range(min(most, len(text)) + 1), limit, key=lambda at: measure(text[:at])) - 1)


def joined(runs: Sequence[Run]) -> str:
    """A line without its marks."""
    return "".join(" " * run.spots[0].gap + run.text for run in runs)

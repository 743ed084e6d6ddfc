"""Colours for the nodes of a tree: two themes, safe for colour-blind readers, with enough contrast to read.

>>> PALETTES["light"].colour(Shade(0))
'#2f72b1'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
COLOURS = 8


@dataclass(frozen=True, slots=True)
class Shade:
    """What distinguishes a node from the others: its colour (None if it owns no words), dashed or not."""

    colour: int | None = None
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme.

    Those of the nodes are distinct for readers with any of the three kinds of colour blindness, and have a
    contrast of at least 3 : 1 with the ground. Signs on them are in ``on(colour)``. Text has a contrast of at
    least 4.5 : 1 with every tint.
    """

    ground: str
    ink: str
    faint: str  # secondary: the tree's edges, operators without words
    tint: float  # the share of a node's colour behind its words
    nodes: tuple[str, ...]

    def colour(self, shade: Shade) -> str:
        """The colour of a node."""
        return self.faint if shade.colour is None else self.nodes[shade.colour]

    def behind(self, shade: Shade) -> str:
        """The background of a node's words: a tint of its colour."""
        mixed = (
            round(self.tint * own + (1 - self.tint) * ground)
            for own, ground in zip(rgb(self.colour(shade)), rgb(self.ground), strict=True)
        )
        return "#" + "".join(f"{part:02x}" for part in mixed)

    def on(self, colour: str) -> str:
        """Black or white, whichever stands out more from a colour."""
        return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))


# Found by a search for the eight colours that are furthest apart (see the test of the palettes).
PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        ground="#ffffff",
        ink="#1b2230",
        faint="#5d6778",
        tint=0.2,
        nodes=("#2f72b1", "#d97230", "#3a9da2", "#5d146c", "#153d0b", "#9980fe", "#965449", "#2b3cad"),
    ),
    "dark": Palette(
        ground="#14181f",
        ink="#e8ecf3",
        faint="#98a2b3",
        tint=0.3,
        nodes=("#317e9f", "#df911a", "#16b09b", "#ab79f5", "#70f6b5", "#b8befe", "#906e30", "#f4d916"),
    ),
}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it, from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return round((light + 0.05) / (dark + 0.05), 6)


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour, 0 to 255.

    >>> rgb("#ff8000")
    (255, 128, 0)
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    parts = (part / 255 for part in rgb(colour))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

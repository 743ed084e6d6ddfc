"""A text and its tree for a terminal, with and without colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from text2math.inference.tree import TextMathTree
from text2math.render.colours import PALETTES, Shade, rgb
from text2math.render.lines import Run, joined, wrap
from text2math.render.scene import Node, Piece, Placed, Scene, scene_of


def percent(probability: float) -> str:
    """A probability for people, never rounded to 0 or 100 %, which read as certain.

    >>> percent(0.9999), percent(0.874), percent(0.001)
    ('more than 99 %', '87 %', 'less than 1 %')
    """
    if probability > 0.99:
        return "more than 99 %"
    return "less than 1 %" if probability < 0.01 else f"{100 * probability:.0f} %"


def terminal(
    text: str,
    tokens: Sequence[Placed],
    tree: TextMathTree | None,
    values: Sequence[Fraction],
    *,
    colour: bool = False,
    width: int = 80,
) -> str:
    """The text and its tree for a terminal of some width, in colour or with a letter for each node."""
    scene = scene_of(text, tokens, tree, values)
    width = max(width, 20)
    if colour:
        lines = [_coloured(runs, scene.nodes) for runs in wrap(scene.pieces, width, cells)]
    else:
        lines = [joined(runs) for runs in wrap(_lettered(scene.pieces), width, cells)]
    if scene.nodes:
        lines += ["", *_tree_lines(scene, 0, colour, width)]
    return "\n".join([*lines, "", scene.caption])


def cells(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cells("e\u0301"), cells("数")
    (1, 2)
    """
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def letter(node: int) -> str:
    """The name of a node if there are no colours: a, b, … z, aa, ab, …

    >>> letter(0), letter(27)
    ('a', 'ab')
    """
    head, last = divmod(node, 26)
    return (letter(head - 1) if head else "") + chr(ord("a") + last)


def _lettered(pieces: Sequence[Piece]) -> list[Piece]:
    """Brackets with the node's letter around each run of words."""
    result = list(pieces)
    for at, piece in enumerate(pieces):
        if piece.node is None:
            continue
        opens = at == 0 or pieces[at - 1].node != piece.node
        closes = at + 1 == len(pieces) or pieces[at + 1].node != piece.node
        shown = (f"[{letter(piece.node)}: " if opens else "") + piece.text + ("]" if closes else "")
        # A new run may always start a line.
        result[at] = Piece(shown, piece.node, piece.gap or opens, piece.breaks or opens)
    return result


def _coloured(runs: Sequence[Run], nodes: Sequence[Node]) -> str:
    """A line with its colours."""
    return "".join(
        " " * run.spots[0].gap + (run.text if run.node is None else _ansi(run.text, nodes[run.node].shade))
        for run in runs
    )


def _ansi(text: str, shade: Shade) -> str:
    """Text with both its colours set, so that it is readable on any terminal; dashed nodes are underlined."""
    palette = PALETTES["light"]
    own = palette.colour(shade)
    ink = 16 if palette.on(own) == "#000000" else 231
    return f"\x1b[38;5;{ink};48;5;{_of_256(own)}{';4' if shade.dashed else ''}m{text}\x1b[0m"


def _of_256(colour: str) -> int:
    """The nearest of the 216 colours that all terminals with 256 colours have in common."""
    levels = (0, 95, 135, 175, 215, 255)

    def nearest(part: int) -> int:
        return min(range(6), key=lambda at: abs(levels[at] - part))

    red, green, blue = map(nearest, rgb(colour))
    return 16 + 36 * red + 6 * green + blue


def _tree_lines(scene: Scene, at: int, colour: bool, width: int) -> list[str]:
    """A node and everything below it; its words are wrapped with a hanging indent."""
    node, below = scene.nodes[at], scene.below(at)
    name = f" {node.sign} " if colour else f"{letter(at)}  {node.sign}"
    indent = cells(name) + 2
    words = [joined(runs) for runs in wrap(node.label, max(width - indent, 8), cells)]
    head = _ansi(name, node.shade) if colour else name
    lines = [f"{head}  {words[0]}" if words else head]
    lines += [("│" if below else "").ljust(indent) + line for line in words[1:]]
    for child in below:
        last = child == below[-1]
        first, *others = _tree_lines(scene, child, colour, width - 3)
        lines.append(("└─ " if last else "├─ ") + first)
        lines += [("   " if last else "│  ") + line for line in others]
    return lines

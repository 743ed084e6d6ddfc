"""A text and its tree as SVG, without external fonts: every text is drawn exactly as wide as was computed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from text2math.inference.tree import TextMathTree
from text2math.render.colours import PALETTES, Palette, Shade, Theme
from text2math.render.lines import Measure, Run, joined, wrap
from text2math.render.scene import Node, Piece, Placed, Scene, scene_of

MARGIN = 24
TEXT_SIZE, TEXT_LINE = 17, 34
LABEL_SIZE, LABEL_LINE, LABEL_LINES = 13, 17, 3
SIGN_SIZE, DISC = 20, 18  # DISC: the radius of an operator, half the height of a leaf
BETWEEN, DOWN = 18, 38  # the space between two nodes, and between a node and its operands
NARROWEST, WIDEST = 54, 240  # the range of a node's preferred width
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

# Widths of Helvetica (Arial and Liberation Sans share them) in thousandths of the size.
_WIDTHS = {
    c: width
    for width, group in {
        191: "'",
        222: "ijl’‘",
        260: "|",
        278: " !,./:;I[]\\ft",
        333: "()-`r",
        334: "{}",
        355: '"',
        389: "*",
        469: "^",
        500: "Jcksvxyz",
        556: "#$0123456789?L_abdeghnopqu",
        584: "+<=>~−×÷",
        611: "FTZ",
        667: "&ABEKPSVXY",
        722: "CDHNRUw",
        778: "GOQ",
        833: "Mm",
        889: "%",
        944: "W",
        1000: "…⇒",
        1015: "@",
    }.items()
    for c in group
}
_BOLD = 1.08  # how much wider bold letters are, at most
_BLANK = 0.36  # of the size: wide enough that the marks of two nodes don't touch


def _width(text: str, size: float) -> float:
    """The approximate width of a text; the drawing then fixes it with ``textLength``."""
    if text == " ":
        return _BLANK * size
    total = 0
    for c in text:
        wide = unicodedata.east_asian_width(c) in "WF"
        total += 0 if unicodedata.combining(c) else _WIDTHS.get(c, 1000 if wide else 600)
    return total * size / 1000


def svg(
    text: str,
    tokens: Sequence[Placed],
    tree: TextMathTree | None,
    values: Sequence[Fraction],
    *,
    theme: Theme = "light",
    width: int = 600,
) -> str:
    """One picture of the text above its tree, each node's words marked in the node's colour.

    It is ``width`` wide, or wider if the tree has more than about eight leaves.
    """
    return draw(scene_of(text, tokens, tree, values), PALETTES[theme], width)


def draw(scene: Scene, palette: Palette, width: float = 600) -> str:
    """The picture of a scene."""
    boxes = _place(scene, width - 2 * MARGIN)
    wide = max([width, *(2 * MARGIN + box.right for box in boxes)])
    room = wide - 2 * MARGIN
    lines = wrap(scene.pieces, room, _sized(TEXT_SIZE))
    top = MARGIN + TEXT_LINE * len(lines) + (DOWN // 2 if lines and boxes else 0)
    foot = top + max((box.bottom + DOWN for box in boxes), default=TEXT_SIZE)
    words = [Piece(word, None, True, True) for word in scene.caption.split()]
    rows = [joined(row) for row in wrap(words, room, _sized(TEXT_SIZE, bold=True))]
    high = foot + TEXT_LINE * (len(rows) - 1) + MARGIN
    body = [
        *_text_block(scene, lines, palette),
        *_tree_block(scene, boxes, top, palette),
        *(
            _words(wide / 2, foot + at * TEXT_LINE, row, TEXT_SIZE, palette.ink, bold=True, middle=True)
            for at, row in enumerate(rows)
        ),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" '
        f'height="{high:g}" role="img" font-family="{escape(FONT)}">'
        f"<title>{escape(scene.caption)}</title><desc>{escape(scene.text)}</desc>"
        f'<rect width="{wide:g}" height="{high:g}" rx="10" fill="{palette.ground}"/>{"".join(body)}</svg>'
    )


def _sized(size: float, *, bold: bool = False) -> Measure:
    return lambda text: (_BOLD if bold else 1) * _width(text, size)


def _words(
    x: float, y: float, text: str, size: float, ink: str, *, bold: bool = False, middle: bool = False
) -> str:
    """Some text at a position, exactly as wide as was computed, whatever the font."""
    style = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="middle"' if middle else ""
    length = _sized(size, bold=bold)(text)
    fit = f' textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{ink}"'
    return f"<text {place}{style}{anchor}{fit}>{escape(text)}</text>"


def _dash(shade: Shade) -> str:
    return ' stroke-dasharray="5 3"' if shade.dashed else ""


def _text_block(scene: Scene, lines: Sequence[Sequence[Run]], palette: Palette) -> Iterator[str]:
    """Words on a tint of their node's colour, underlined in the full colour."""
    for row, runs in enumerate(lines):
        base = MARGIN + TEXT_SIZE + row * TEXT_LINE
        for at, run in enumerate(runs):
            if run.node is not None:
                # A mark reaches a little beyond its words, but not into a neighbour it touches.
                left = MARGIN + run.left - 1.5 * (at == 0 or run.spots[0].gap)
                right = MARGIN + run.right + 1.5 * (at + 1 == len(runs) or runs[at + 1].spots[0].gap)
                yield from _mark(left, right, base, scene.nodes[run.node].shade, palette)
            for spot in run.spots:
                yield _words(MARGIN + spot.left, base, spot.text, TEXT_SIZE, palette.ink)


def _mark(left: float, right: float, base: float, shade: Shade, palette: Palette) -> Iterator[str]:
    yield (
        f'<rect x="{left:.1f}" y="{base - TEXT_SIZE:g}" width="{right - left:.1f}" height="{TEXT_SIZE + 6}" '
        f'fill="{palette.behind(shade)}"/>'
    )
    yield (
        f'<path d="M{left:.1f} {base + 7:g}H{right:.1f}" stroke="{palette.colour(shade)}" stroke-width="3"'
        f"{_dash(shade)}/>"
    )


# --- The tree --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Box:
    """The position of a node: its sign at the top, its words below; ``left`` to ``right`` is its subtree."""

    lines: tuple[str, ...]
    left: float
    right: float
    top: float

    @property
    def x(self) -> float:
        """The middle."""
        return (self.left + self.right) / 2

    @property
    def bottom(self) -> float:
        """Where its words end."""
        return self.top + _height(self.lines)


def _height(lines: Sequence[str]) -> float:
    return 2 * DISC + (6 + LABEL_LINE * len(lines) if lines else 0)


def _place(scene: Scene, room: float) -> list[_Box]:
    """The position of every node, from (0, 0)."""
    spans = _spans(scene, room)
    lines = [
        _label_lines(node.label, right - left) for node, (left, right) in zip(scene.nodes, spans, strict=True)
    ]
    depths: list[int] = []
    for node in scene.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    tops: dict[int, float] = {0: 0.0}
    for depth in sorted(set(depths)):
        tallest = max(_height(own) for own, level in zip(lines, depths, strict=True) if level == depth)
        tops[depth + 1] = tops[depth] + tallest + DOWN
    return [_Box(own, *span, tops[depth]) for own, span, depth in zip(lines, spans, depths, strict=True)]


def _spans(scene: Scene, room: float) -> list[tuple[float, float]]:
    """The horizontal extent of each subtree: its preferred width, or less if there is no room."""
    if not scene.nodes:
        return []
    limits = [_width_limits(node) for node in scene.nodes]
    for share in range(20, -1, -1):
        widths = _widths(scene, [least + share / 20 * (most - least) for least, most in limits])
        if widths[0] <= room:
            break
    spans = [(0.0, max(widths[0], room))] * len(widths)
    for at in range(len(spans)):  # parents come first, and set the spans of their operands
        left, right = spans[at]
        below = scene.below(at)
        spare = right - left + BETWEEN - sum(widths[child] + BETWEEN for child in below)
        for child in below:
            spans[child] = left, left + widths[child] + spare / len(below)
            left = spans[child][1] + BETWEEN
    return spans


def _width_limits(node: Node) -> tuple[float, float]:
    """The minimum and the preferred width of a node: its words on two or three lines."""
    measure = _sized(LABEL_SIZE)
    least = max(NARROWEST, _card(node.sign) + 8)
    natural = sum(measure(piece.text) + measure(" ") for piece in node.label)
    longest = max((measure(piece.text) for piece in node.label), default=0.0)
    lines = LABEL_LINES - 1 if node.leaf else LABEL_LINES
    return least, max(least, min(max(1.15 * natural / lines, longest + 4, min(natural, 96)), WIDEST))


def _widths(scene: Scene, wanted: Sequence[float]) -> list[float]:
    """The width of every subtree."""
    widths = list(wanted)
    below = [-float(BETWEEN)] * len(widths)
    for at in range(len(widths) - 1, -1, -1):
        widths[at] = max(widths[at], below[at])
        parent = scene.nodes[at].parent
        if parent is not None:
            below[parent] += widths[at] + BETWEEN
    return widths


def _label_lines(label: Sequence[Piece], room: float) -> tuple[str, ...]:
    """A node's words on a few lines, shortened if need be: the text above has them all."""
    rows = [joined(runs) for runs in wrap(label, room, _sized(LABEL_SIZE))]
    if len(rows) <= LABEL_LINES:
        return tuple(rows)
    last = rows[LABEL_LINES - 1]
    while last and _width(last + " …", LABEL_SIZE) > room:
        last = last.rpartition(" ")[0] if " " in last else last[:-1]
    return (*rows[: LABEL_LINES - 1], f"{last} …")


def _tree_block(scene: Scene, boxes: Sequence[_Box], top: float, palette: Palette) -> Iterator[str]:
    for node, box in zip(scene.nodes, boxes, strict=True):
        if node.parent is not None:
            above = boxes[node.parent]
            x1, y1, x2, y2 = MARGIN + above.x, top + above.bottom + 6, MARGIN + box.x, top + box.top - 4
            bend = (y1 + y2) / 2
            yield (
                f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {bend:.1f} {x2:.1f} {bend:.1f} {x2:.1f} {y2:.1f}" '
                f'fill="none" stroke="{palette.faint}" stroke-width="1.5"/>'
            )
    for node, box in zip(scene.nodes, boxes, strict=True):
        yield from _node(node, box, MARGIN + box.x, top + box.top, palette)


def _card(sign: str) -> float:
    """The width of a leaf's card."""
    return max(2 * DISC, _sized(SIGN_SIZE, bold=True)(sign) + 24)


def _node(node: Node, box: _Box, x: float, y: float, palette: Palette) -> Iterator[str]:
    """An operator on a disc, a leaf on a rounded card; the words below."""
    colour = palette.colour(node.shade)
    wide, round_by = (_card(node.sign), 7) if node.leaf else (2 * DISC, DISC)
    yield (
        f'<rect x="{x - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{2 * DISC}" rx="{round_by}" '
        f'fill="{colour}"/>'
    )
    if node.shade.dashed:
        yield (
            f'<rect x="{x - wide / 2 + 3:.1f}" y="{y + 3:.1f}" width="{wide - 6:.1f}" '
            f'height="{2 * DISC - 6}" rx="{round_by - 3}" fill="none" stroke="{palette.on(colour)}" '
            f'stroke-width="1.5"{_dash(node.shade)}/>'
        )
    yield _words(x, y + DISC + 7, node.sign, SIGN_SIZE, palette.on(colour), bold=True, middle=True)
    for row, line in enumerate(box.lines):
        base = y + 2 * DISC + 1 + LABEL_LINE * (row + 1)
        yield _words(x, base, line, LABEL_SIZE, palette.ink, middle=True)

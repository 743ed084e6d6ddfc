"""A text and its tree as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from text2math.inference.tree import TextMathTree
from text2math.mathematics.notation import to_mathml
from text2math.render.colours import PALETTES, THEMES, Theme
from text2math.render.picture import FONT, draw
from text2math.render.plain import terminal
from text2math.render.scene import Placed, clean, scene_of

# For pages without scripts or anything from other sites.
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_page(
    text: str,
    tokens: Sequence[Placed],
    tree: TextMathTree | None,
    values: Sequence[Fraction],
    *,
    theme: Theme | None = None,
    title: str = "text2math",
    alternatives: Sequence[tuple[str, float]] = (),
) -> str:
    """A self-contained page: no scripts, nothing from other sites, light or dark as the reader's system is.

    ``alternatives`` are listed below with their probabilities; ``theme`` fixes the colours.

    >>> page = html_page("<b>", (), None, ())
    >>> "&lt;b&gt;" in page, "<script" in page
    (True, False)
    """
    scene = scene_of(text, tokens, tree, values)
    themes = THEMES if theme is None else (theme,)
    formula = f"<p class=formula>{to_mathml(tree.expression(values))}</p>" if tree is not None else ""
    pictures = "".join(f"<div class={own}>{draw(scene, PALETTES[own])}</div>" for own in themes)
    rows = "".join(
        f"<tr><td>{escape(clean(shown))}</td><td>{100 * share:.1f} %</td></tr>"
        for shown, share in alternatives
    )
    table = f"<table><caption>Other readings</caption>{rows}</table>" if rows else ""
    plain = escape(terminal(text, tokens, tree, values, width=72))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(clean(title))}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
        f"<style>{_style(themes)}</style></head><body><main><h1>{escape(scene.caption)}</h1>{formula}{pictures}"
        f"{table}<details><summary>As plain text</summary><pre>{plain}</pre></details></main></body></html>\n"
    )


def _style(themes: Sequence[Theme]) -> str:
    """The page's style; with two themes, the reader's system chooses."""
    first = PALETTES[themes[0]]
    rules = (
        f"body{{margin:0;font:17px/1.5 {FONT};color:{first.ink};background:{first.ground}}}"
        "main{max-width:640px;margin:2rem auto;padding:0 1rem}h1{font-size:1.4rem}"
        "svg{max-width:100%;height:auto}.formula{font-size:1.3rem}pre{overflow-x:auto;font-size:.85rem}"
        "table{border-spacing:1.5rem .2rem}caption{text-align:left;font-weight:bold}"
    )
    if len(themes) == 1:
        return rules
    dark = PALETTES["dark"]
    return (
        rules + ".dark{display:none}@media(prefers-color-scheme:dark){"
        f"body{{color:{dark.ink};background:{dark.ground}}}.light{{display:none}}.dark{{display:block}}}}"
    )

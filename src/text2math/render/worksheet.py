"""A worksheet of problems to hand out, as HTML or Markdown, with the solutions on a separate page.

>>> item = SheetItem("What is 2 + 3?", "5", ("2 + 3 = 5",))
>>> print(markdown_sheet([item]).splitlines()[0])
# Word problems
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from text2math.render.page import CONTENT_SECURITY_POLICY

TITLE = "Word problems"
_STYLE = (
    "@page{size:A4;margin:18mm 18mm 20mm}"
    "body{margin:2rem auto;max-width:46rem;padding:0 1rem;font:13pt/1.5 Georgia,'Times New Roman',serif;"
    "color:#111;background:#fff}"
    "h1{font-size:1.4rem;margin:0 0 .4rem}.names{display:flex;gap:2rem;margin:0 0 1.4rem}"
    ".names span{flex:1;border-bottom:1px solid #555;padding-top:1.2rem}.names span+span{flex:.5}"
    "ol{padding-left:1.8rem;margin:0}li{margin:0 0 1rem;break-inside:avoid}li p{margin:0 0 .3rem}"
    ".room{height:5.5rem}.answer{display:block;width:14rem;border-bottom:1px solid #555;margin-left:auto}"
    ".solutions{break-before:page}.solutions .steps{font-size:11pt;color:#333;margin:0}"
    "@media print{body{margin:0;max-width:none;padding:0}}"
    "@media screen{.solutions{margin-top:3rem;border-top:2px dashed #999;padding-top:1.5rem}}"
)


@dataclass(frozen=True, slots=True)
class SheetItem:
    """A problem of a sheet: its text, its answer, and the steps to it."""

    text: str
    answer: str
    steps: tuple[str, ...] = ()


def html_sheet(items: Sequence[SheetItem], title: str = TITLE) -> str:
    """A page to print: a line for the name, room to write, and the solutions on a separate page.

    >>> "3 &lt; 4" in html_sheet([SheetItem("Is 3 < 4?", "yes")])
    True
    """
    problems = "".join(
        f'<li><p>{escape(item.text)}</p><div class="room"></div><span class="answer">Answer:</span></li>'
        for item in items
    )
    solutions = "".join(f"<li><p><b>{escape(item.answer)}</b></p>{_steps(item)}</li>" for item in items)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
        f"<style>{_STYLE}</style></head><body>"
        f'<main><h1>{escape(title)}</h1><p class="names"><span>Name:</span><span>Date:</span></p>'
        f'<ol>{problems}</ol></main><section class="solutions"><h1>Solutions</h1><ol>{solutions}</ol>'
        "</section></body></html>\n"
    )


def _steps(item: SheetItem) -> str:
    return "".join(f'<p class="steps">{escape(step)}</p>' for step in item.steps)


def markdown_sheet(items: Sequence[SheetItem], title: str = TITLE) -> str:
    """The same as Markdown; a horizontal rule separates the solutions."""
    lines = [f"# {_escaped(title)}", "", "Name: ____________________  Date: __________", ""]
    for number, item in enumerate(items, 1):
        lines += [f"{number}. {_escaped(item.text)}", "", "   Answer: ____________________", ""]
    lines += ["---", "", "# Solutions", ""]
    for number, item in enumerate(items, 1):
        lines += [
            f"{number}. **{_escaped(item.answer)}**",
            *(f"   {_escaped(step)}  " for step in item.steps),
            "",
        ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """The text with Markdown's special characters escaped."""
    return re.sub(r"([\\`*_\[\]<>#|$])", r"\\\1", text)

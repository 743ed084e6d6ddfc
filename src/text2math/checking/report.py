"""Verdicts on a sheet as a self-contained page, without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from text2math.checking.check import Verdict

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{margin:2rem auto;max-width:52rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "ol{padding-left:1.5rem}li{margin:0 0 1.2rem}p{margin:.2rem 0}"
    ".mark{font-weight:700}.right .mark{color:light-dark(#14692c,#7fdc9b)}"
    ".wrong .mark{color:light-dark(#a3141c,#ff9d9d)}.open .mark{color:light-dark(#6b5200,#f0cf6b)}"
    ".small{font-size:.875rem;opacity:.85}@media print{li{break-inside:avoid}}"
)


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many are right, wrong, and neither.

    >>> summary([Verdict("", "8", True, "8", 0.9), Verdict("", "9", False, "8", 0.9)])
    '1 right, 1 wrong'
    """
    counts = [sum(one.agrees is value for one in verdicts) for value in (True, False, None)]
    said = [f"{counts[0]:,} right", f"{counts[1]:,} wrong"]
    return ", ".join(said + ([f"{counts[2]:,} not checked"] if counts[2] else []))


def html_report(verdicts: Sequence[Verdict], title: str = "Answers, checked") -> str:
    """The report.

    >>> page = html_report([Verdict("2 < 3 + 4?", "8", False, "7", 0.9)])
    >>> "2 &lt; 3" in page, "<script" in page
    (True, False)
    """
    items = "".join(map(_item, verdicts))
    head = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><style>{_STYLE}</style></head>'
    )
    body = f"<h1>{escape(title)}</h1><p>{escape(summary(verdicts))}</p><ol>{items}</ol>"
    return f"{head}<body><main>{body}</main></body></html>\n"


def _item(verdict: Verdict) -> str:
    kind = {True: "right", False: "wrong", None: "open"}[verdict.agrees]
    mark = {True: "✓ right", False: "✗ wrong", None: "? not checked"}[verdict.agrees]
    said = f'<p><span class="mark">{mark}</span> Given: {escape(verdict.given) or "nothing"}</p>'
    lines = [f"<p>{escape(verdict.text)}</p>{said}"]
    if verdict.agrees is False:
        lines.append(f"<p>Should be: <b>{escape(verdict.expected or '')}</b></p>")
    lines += [f"<p>{escape(note)}</p>" for note in (verdict.mistake, verdict.reason) if note]
    if verdict.agrees is False and verdict.parse is not None:
        lines += [f'<p class="small">{escape(str(step))}</p>' for step in verdict.parse.steps]
    if verdict.probability is not None:
        lines.append(f'<p class="small">{100 * verdict.probability:.0f} % sure of our answer</p>')
    lines += [f'<p class="small">Doubt: {escape(str(doubt))}</p>' for doubt in verdict.doubts]
    return f'<li class="{kind}">{"".join(lines)}</li>'

"""Draw all pictures of the packaged models that this documentation shows: ``python docs/figures.py``.

It writes ``docs/images``: the trees, whose texts are those of the figures in the paper (Zou and Lu, 2019),
and the pages (``screenshots.py``, which needs Chromium and the extra ``dev``); ``--trees`` leaves the pages
out.
The figures of results in ``docs/images/results`` are ``experiments/figures.py``'s.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from text2math.parser import load
from text2math.render import THEMES

IMAGES = Path(__file__).resolve().parent / "images"
TEXTS = {
    "apples": "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. In total, "
    "how many apples were picked?",
    "less-than": "3 times one of the numbers is 11 less than 5 times the other.",
    "minus": "3 times one of the numbers is 11 minus 5 times the other.",
}
UNALIGNED = {"apples-by-score": "apples"}  # the best tree by the model's scores alone


def pictures() -> dict[str, str]:
    """Every tree by the name of its file."""
    parser = load("default")
    plain = replace(parser, model=replace(parser.model, alignment=False))
    parses = {name: parser.parse(text) for name, text in TEXTS.items()}
    parses |= {name: plain.parse(TEXTS[text]) for name, text in UNALIGNED.items()}
    return {
        f"{name}-{theme}.svg": parse.to_svg(theme=theme) + "\n"
        for name, parse in parses.items()
        for theme in THEMES
    }


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (IMAGES / name).write_text(picture, encoding="utf-8")
    if "--trees" not in sys.argv[1:]:
        import screenshots  # beside this file

        screenshots.main(IMAGES)


if __name__ == "__main__":
    main()

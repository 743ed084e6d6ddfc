"""Draw the pictures of this documentation: ``python docs/figures.py`` writes ``docs/images``.

The trees are those of the figures in the paper (Zou and Lu, 2019), written out by hand.
"""

from __future__ import annotations

from pathlib import Path

from text2math.render import THEMES, svg
from text2math.render.brackets import read_brackets

IMAGES = Path(__file__).resolve().parent / "images"
TREES = {
    "apples": "[+ Mike picked [7 7 apples]. [+ Nancy picked [3 3 apples] and Keith picked [6 6 apples] at "
    "the farm.] In total, how many apples were picked?]",
    "apples-worse": "[+ Mike picked [7 7 apples]. Nancy picked [+ [3 3 apples and Keith picked] [6 6 apples] "
    "at the farm. In total, how many] apples were picked?]",
    "less-than": "[= [* [3 3] times [X1 one of the numbers]] is [-~ [11 11] less than [* [5 5] times "
    "[X2 the other.]]]]",
    "minus": "[= [* [3 3] times [X1 one of the numbers]] is [- [11 11] minus [* [5 5] times "
    "[X2 the other.]]]]",
}


def pictures() -> dict[str, str]:
    """Every picture by the name of its file."""
    found = {}
    for name, brackets in TREES.items():
        problem, tree = read_brackets(brackets)
        values = [quantity.value for quantity in problem.quantities]
        for theme in THEMES:
            found[f"{name}-{theme}.svg"] = svg(problem.text, problem.tokens, tree, values, theme=theme) + "\n"
    return found


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (IMAGES / name).write_text(picture, encoding="utf-8")

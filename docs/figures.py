"""Draw the pictures of this documentation: ``python docs/figures.py`` writes ``docs/images``.

The texts are those of the figures in the paper (Zou and Lu, 2019), the trees those of the default model.
Only the tree that is shown as a bad one is written out by hand.
"""

from __future__ import annotations

from pathlib import Path

from text2math.parser import load
from text2math.render import THEMES, svg
from text2math.render.brackets import read_brackets

IMAGES = Path(__file__).resolve().parent / "images"
TEXTS = {
    "apples": "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. In total, "
    "how many apples were picked?",
    "less-than": "3 times one of the numbers is 11 less than 5 times the other.",
    "minus": "3 times one of the numbers is 11 minus 5 times the other.",
}
BY_HAND = {
    "apples-worse": "[+ Mike picked [7 7 apples]. Nancy picked [+ [3 3 apples and Keith picked] [6 6 apples] "
    "at the farm. In total, how many] apples were picked?]",
}


def pictures() -> dict[str, str]:
    """Every picture by the name of its file."""
    parser = load("default")
    found = {}
    for name, text in TEXTS.items():
        parse = parser.parse(text)
        for theme in THEMES:
            found[f"{name}-{theme}.svg"] = parse.to_svg(theme=theme) + "\n"
    for name, brackets in BY_HAND.items():
        problem, tree = read_brackets(brackets)
        values = [quantity.value for quantity in problem.quantities]
        for theme in THEMES:
            found[f"{name}-{theme}.svg"] = svg(problem.text, problem.tokens, tree, values, theme=theme) + "\n"
    return found


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (IMAGES / name).write_text(picture, encoding="utf-8")

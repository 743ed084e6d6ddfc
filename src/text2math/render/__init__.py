"""Pictures: a text with each node's words in the node's colour, and the tree, as SVG, HTML and plain text.

Every format is made from the same parts: a scene (which node owns which words, in which colour) and lines of
marked words. Nothing here needs a model; any tree will do.

>>> from text2math.inference.patterns import Pattern
>>> from text2math.language.problem import read_problem
>>> from text2math.inference.potentials import Symbol
>>> from text2math.inference.tree import TextMathTree
>>> problem = read_problem("7 apples and 3 pears in total")
>>> tree = TextMathTree(
...     Symbol.ADD, (0, 7), Pattern.of("AwBw"), children=(
...         TextMathTree(Symbol.CON, (0, 2), quantity=0), TextMathTree(Symbol.CON, (3, 5), quantity=1)))
>>> values = [quantity.value for quantity in problem.quantities]
>>> print(terminal(problem.text, problem.tokens, tree, values))
[b: 7 apples] [a: and] [c: 3 pears] [a: in total]
<BLANKLINE>
a  +  … and … in total
├─ b  7  7 apples
└─ c  3  3 pears
<BLANKLINE>
7 + 3 = 10
>>> svg(problem.text, problem.tokens, tree, values).startswith("<svg ")
True
"""

from __future__ import annotations

from text2math.render.colours import THEMES, Theme
from text2math.render.page import html_page
from text2math.render.picture import svg
from text2math.render.plain import terminal
from text2math.render.scene import Placed, caption, owners, shades
from text2math.render.steps import steps_latex, steps_text

__all__ = [
    "THEMES",
    "Placed",
    "Theme",
    "caption",
    "html_page",
    "owners",
    "shades",
    "steps_latex",
    "steps_text",
    "svg",
    "terminal",
]

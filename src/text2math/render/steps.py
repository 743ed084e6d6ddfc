r"""Steps as lines of text, and for LaTeX.

>>> from text2math.language.problem import read_problem
>>> from text2math.mathematics.notation import from_infix
>>> from text2math.model.steps import steps
>>> found = steps(read_problem(""), from_infix("(24 - 6) / 3"))
>>> print(steps_latex(found))
\begin{align*}
24 - 6 &= 18 \\
\frac{18}{3} &= 6
\end{align*}
"""

from __future__ import annotations

from collections.abc import Sequence

from text2math.mathematics.expression import Number
from text2math.mathematics.notation import to_latex
from text2math.mathematics.working import Action
from text2math.model.steps import Step

_SPECIAL = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "−": "-", "×": r"$\times$"}


def steps_text(steps: Sequence[Step], indent: str = "") -> str:
    """A line for each step.

    >>> steps_text([Step(Action.REMARK, note="no solution")], indent="  ")
    '  no solution'
    """
    return "\n".join(f"{indent}{step}" for step in steps)


def steps_latex(steps: Sequence[Step]) -> str:
    """An ``align*`` of amsmath, a line for each step with its explanation; empty without steps."""
    if not steps:
        return ""
    lines = [_line(step) for step in steps]
    return "\n".join([r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}"])


def _line(step: Step) -> str:
    words = _text(" ".join(part for part in (step.meaning, step.note) if part))
    behind = rf" && \text{{{words}}}" if words else ""
    label = "" if step.label is None else rf"({step.label})\quad "
    if step.left is None or step.right is None:
        return behind.removeprefix(" && ")
    right = to_latex(step.right)
    if step.action is Action.SOLVE and step.value is not None and not isinstance(step.right, Number):
        right += f" = {to_latex(Number(step.value))}"
    if step.action is Action.COMPUTE and step.unit.sign and step.unit.sign != "%":
        right = rf"\text{{{_text(step.unit.sign)}}}{right}"
    return f"{label}{to_latex(step.left)} &= {right}{behind}"


def _text(words: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in words)

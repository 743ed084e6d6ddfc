"""Steps for LaTeX: one line a step, units and notes as text."""

from __future__ import annotations

from text2math.language.answers import Unit
from text2math.language.problem import read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.steps import steps
from text2math.render import steps_latex


def test_latex_has_a_line_for_each_step_and_escapes_words():
    problem = read_problem("Al has $50 and 4 cars at $9 each. How much is left?")
    shown = steps_latex(steps(problem, from_infix("50[0] - 4[1] * 9[2]"), Unit(sign="$")))
    assert shown.splitlines() == [
        r"\begin{align*}",
        r"4 \times 9 &= \text{\$}36 \\",
        r"50 - 36 &= \text{\$}14 && \text{left}",
        r"\end{align*}",
    ]


def test_latex_of_a_system_numbers_its_equations():
    lines = steps_latex(steps(read_problem(""), from_infix("X1 + X2 = 5; X1 - X2 = 1"))).splitlines()
    assert lines[1] == r"(1)\quad X_{1} + X_{2} &= 5 \\"
    assert r"\text{(1) - (2), without X1}" in lines[3]
    assert steps_latex(()) == ""

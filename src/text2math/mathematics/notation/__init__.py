"""Expressions in and out of infix, prefix, LaTeX, MathML and sympy.

What is printed reads back as the same tree. With ``quantities=True`` the quantity behind each number is
printed too (``7[0]``); without it, the numbers that come back have none. A number that no short decimal
writes is printed as a fraction that can't be taken for a division: ``{1/3}``, or ``1⁄3`` in unicode.

>>> tree = from_infix("7 + (3 + 6)")
>>> to_infix(tree), to_prefix(tree), to_latex(tree)
('7 + (3 + 6)', '+ 7 + 3 6', '7 + \\\\left(3 + 6\\\\right)')
"""

from __future__ import annotations

from text2math.mathematics.notation.infix import from_infix, to_infix
from text2math.mathematics.notation.latex import from_latex, to_latex
from text2math.mathematics.notation.mathml import from_mathml, to_mathml
from text2math.mathematics.notation.prefix import from_prefix, to_prefix
from text2math.mathematics.notation.printing import as_ratio, json_number, number_text
from text2math.mathematics.notation.reading import MAX_DEPTH, MAX_DIGITS, MAX_LENGTH
from text2math.mathematics.notation.signs import NotationError
from text2math.mathematics.notation.sympy_values import from_sympy, to_sympy

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_LENGTH",
    "NotationError",
    "as_ratio",
    "from_infix",
    "from_latex",
    "from_mathml",
    "from_prefix",
    "from_sympy",
    "json_number",
    "number_text",
    "to_infix",
    "to_latex",
    "to_mathml",
    "to_prefix",
    "to_sympy",
]

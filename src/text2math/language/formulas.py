"""Mathematics written out in the text, such as "What is 12 * 4?": it is parsed without a model.

>>> from text2math.mathematics.notation import to_infix
>>> from text2math.language.problem import read_problem
>>> to_infix(written_mathematics(read_problem("What is 12 * (4 + 1)?")), quantities=True)
'12[0] * (4[1] + 1[2])'
>>> written_mathematics(read_problem("What is 12 times 4?")) is None
True
"""

from __future__ import annotations

import re

from text2math.language.attachment import UnmappableError, attach
from text2math.language.cleaning import cleaned
from text2math.language.problem import Problem
from text2math.mathematics.expression import Expression, Operation, is_equation, variables
from text2math.mathematics.notation import NotationError, from_infix

_ASKED = re.compile(
    r"\s*(?:what(?:['’]s| is| are)|how much is|calculate|compute|evaluate|solve|simplify|work out)?\s*:?\s*"
    r"(?P<mathematics>[\d\s.,+\-−*×·/÷()=xyXY]*[+\-−*×·/÷=xX][\d\s.,+\-−*×·/÷()=xyXY]*)[\s?.!]*",
    re.IGNORECASE,
)
_TIMES = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])|(?<=\d)\s*(?=[xyXY])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[-/]\d\d?[-/]\d{4}")
LONGEST = 200  # characters


def written_mathematics(problem: Problem) -> Expression | None:
    """The expression or equation that the whole text consists of; None for other texts.

    Its numbers point at the quantities of the text, unless those are read another way ("(1 + 2) * 3/4").
    """
    text = cleaned(problem.text).text
    match = _ASKED.fullmatch(text) if len(text) <= LONGEST else None
    if match is None or _DATE.search(text):
        return None
    try:
        expression = from_infix(_TIMES.sub("*", match["mathematics"].rstrip(" =.")))
    except NotationError:
        return None
    if not isinstance(expression, Operation) or is_equation(expression) != bool(variables(expression)):
        return None
    try:
        return attach(expression, [quantity.value for quantity in problem.quantities])
    except UnmappableError:
        return expression

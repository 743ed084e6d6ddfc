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
from text2math.mathematics.grammar import MAX_EQUATIONS, MAX_UNKNOWNS
from text2math.mathematics.notation import NotationError, from_infix

_ASKED = re.compile(
    r"\s*(?:what(?:['’]s| is| are)|how much is|calculate|compute|evaluate|solve|simplify|work out)?\s*:?\s*"
    r"(?P<mathematics>[\d\s.,+\-−*×·/÷()=xyXY]*[+\-−*×·/÷=xX][\d\s.,+\-−*×·/÷()=xyXY]*)[\s?.!]*",
    re.IGNORECASE,
)
_TIMES = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])|(?<=\d)\s*(?=[xyXY])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[-/]\d\d?[-/]\d{4}")
LONGEST = 200  # characters
LONGEST_SYSTEM = 1000
_LEAD = re.compile(
    r"\s*(?:(?:solve|find|work out)(?: the (?:system|equations?)(?: of equations)?)?\s*:?)?\s*", re.IGNORECASE
)
_BETWEEN = re.compile(r"[;\n]|,(?=\s)|\band\b", re.IGNORECASE)
_SIDE = r"(?:[\d\s.,+\-−*×·/÷()]|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))+"
_EQUATION = re.compile(f"{_SIDE}={_SIDE}")


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


def written_system(problem: Problem) -> Expression | None:
    """The system of equations, in any letters, that the whole text consists of; None for other texts.

    >>> from text2math.mathematics.notation import to_infix
    >>> from text2math.language.problem import read_problem
    >>> to_infix(written_system(read_problem("Solve: 2a + b = 12 and a - b = 3.")))
    '2 * X1 + X2 = 12; X1 - X2 = 3'
    """
    stated = _stated(problem.text)
    if not stated or why_too_large(problem):
        return None
    names = {letter: f" X{index} " for index, letter in enumerate(_letters(stated), start=1)}
    products = [re.sub(r"(?<=\d)(?=[A-Za-z])", "*", equation) for equation in stated]
    written = [re.sub("[A-Za-z]", lambda match: names[match[0].lower()], one) for one in products]
    try:
        system = from_infix(";".join(written))
        return attach(system, [quantity.value for quantity in problem.quantities])
    except (NotationError, UnmappableError):
        return None


def why_too_large(problem: Problem) -> str:
    """Why the equations that a text writes out can't be read: they are too many, or their unknowns are.

    >>> from text2math.language.problem import read_problem
    >>> why_too_large(read_problem("a + b + c + d = 10"))
    'the text has 4 unknowns (a, b, c, d); at most 3 can be read'
    """
    stated = _stated(problem.text)
    letters = _letters(stated)
    if len(letters) > MAX_UNKNOWNS:
        shown = ", ".join(letters)
        return f"the text has {len(letters)} unknowns ({shown}); at most {MAX_UNKNOWNS} can be read"
    if len(stated) > MAX_EQUATIONS:
        return f"the text has {len(stated)} equations; at most {MAX_EQUATIONS} can be read"
    return ""


def _stated(text: str) -> list[str]:
    """The equations of a text that consists of nothing else."""
    if len(text) > LONGEST_SYSTEM or "=" not in text:
        return []
    lead = _LEAD.match(text)
    rest = text[lead.end() if lead else 0 :].rstrip(" \n.?!")
    parts = [part.strip() for part in _BETWEEN.split(rest)]
    found = [part for part in parts if part]
    return found if all(map(_EQUATION.fullmatch, found)) and _letters(found) else []


def _letters(equations: list[str]) -> list[str]:
    """The unknowns of equations, in the order of the alphabet."""
    return sorted({letter.lower() for one in equations for letter in re.findall("[A-Za-z]", one)})

"""Plain phrases such as "half of 30" or "What is 7 less than 20?", which people type but no data set has.

>>> from text2math.mathematics.notation import to_infix
>>> phrase = phrases()[0]
>>> phrase.problem.text, to_infix(phrase.expression)
('27 plus 6', '27 + 6')
"""

from __future__ import annotations

from text2math.language.attachment import attach
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix

_OPENINGS = ("{}", "What is {}?", "How much is {}?", "Calculate {}.")
_NOUNS = (
    ("27 plus 6", "27 + 6"),
    ("27 and 6 together", "27 + 6"),
    ("27 increased by 6", "27 + 6"),
    ("27 more than 6", "27 + 6"),
    ("the sum of 27 and 6", "27 + 6"),
    ("the total of 27 and 6", "27 + 6"),
    ("27 plus 6 plus 14", "27 + 6 + 14"),
    ("the sum of 27, 6 and 14", "27 + 6 + 14"),
    ("27 minus 6", "27 - 6"),
    ("27 less 6", "27 - 6"),
    ("27 take away 6", "27 - 6"),
    ("27 decreased by 6", "27 - 6"),
    ("27 reduced by 6", "27 - 6"),
    ("6 less than 27", "27 - 6"),
    ("6 fewer than 27", "27 - 6"),
    ("6 subtracted from 27", "27 - 6"),
    ("the difference between 27 and 6", "27 - 6"),
    ("the difference of 27 and 6", "27 - 6"),
    ("27 plus 6 minus 14", "27 + 6 - 14"),
    ("27 minus 6 minus 14", "27 - 6 - 14"),
    ("27 times 6", "27 * 6"),
    ("27 multiplied by 6", "27 * 6"),
    ("the product of 27 and 6", "27 * 6"),
    ("27 times 6 plus 14", "27 * 6 + 14"),
    ("27 times 6 minus 14", "27 * 6 - 14"),
    ("27 plus 6 times 14", "27 + 6 * 14"),
    ("27 divided by 6", "27 / 6"),
    ("27 over 6", "27 / 6"),
    ("the quotient of 27 and 6", "27 / 6"),
    ("27 divided by 6 plus 14", "27 / 6 + 14"),
    ("the sum of 27 and 6 divided by 14", "(27 + 6) / 14"),
    ("half of 27", "1/2 * 27"),
    ("one half of 27", "1/2 * 27"),
    ("a third of 27", "1/3 * 27"),
    ("a quarter of 27", "1/4 * 27"),
    ("two thirds of 27", "2/3 * 27"),
    ("twice 27", "2 * 27"),
    ("double 27", "2 * 27"),
    ("6% of 27", "0.06 * 27"),
    ("6 percent of 27", "0.06 * 27"),
    ("twice 27 plus 6", "2 * 27 + 6"),
    ("half of 27 plus 6", "1/2 * 27 + 6"),
)
_COMMANDS = (
    ("Add 27 and 6.", "27 + 6"),
    ("Add 27 to 6.", "27 + 6"),
    ("What do you get when you add 27 to 6?", "27 + 6"),
    ("Subtract 6 from 27.", "27 - 6"),
    ("Take 6 away from 27.", "27 - 6"),
    ("What do you get when you take 6 from 27?", "27 - 6"),
    ("How much is left when you take 6 from 27?", "27 - 6"),
    ("How much more is 27 than 6?", "27 - 6"),
    ("Multiply 27 by 6.", "27 * 6"),
    ("Multiply 27 and 6.", "27 * 6"),
    ("What do you get when you multiply 27 by 6?", "27 * 6"),
    ("Divide 27 by 6.", "27 / 6"),
    ("What do you get when you divide 27 by 6?", "27 / 6"),
    ("How many times does 6 go into 27?", "27 / 6"),
    ("Increase 27 by 6.", "27 + 6"),
    ("Decrease 27 by 6.", "27 - 6"),
)


def phrases() -> tuple[Example, ...]:
    """Every phrase as an example."""
    written = [(opening.format(noun), gold) for noun, gold in _NOUNS for opening in _OPENINGS]
    return tuple(_example(number, *pair) for number, pair in enumerate((*written, *_COMMANDS)))


def _example(number: int, text: str, gold: str) -> Example:
    problem = read_problem(text, id=f"phrase-{number}")
    values = [quantity.value for quantity in problem.quantities]
    return Example(problem, attach(from_infix(gold), values), source="phrases")

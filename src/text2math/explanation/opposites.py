"""A small table of words that turn an operation round: what a text would say if it said the opposite.

>>> from text2math.language.problem import read_problem
>>> tokens = read_problem("Tom lost 5 pens. How many are left?").tokens
>>> [opposite(token) for token in tokens if token.text in ("lost", "pens", "left")]
['found', None, 'in all']
"""

from __future__ import annotations

from text2math.language.problem import Token

# Each way round; where a word is in several pairs, its first one counts.
_PAIRS = """
    lost/found lose/find loses/finds gave/got give/get gives/gets giving/getting sold/bought sell/buy
    sells/buys spent/earned spend/earn spends/earns ate/baked eat/bake eats/bakes took/brought take/bring
    takes/brings removed/added remove/add removes/adds donated/received donates/receives joined/left
    arrived/left came/left dropped/rose drops/rises drop/rise fell/rose falls/rises decreased/increased
    lower/higher more/fewer less/more older/younger taller/shorter longer/shorter heavier/lighter
    faster/slower bigger/smaller larger/smaller warmer/colder cheaper/dearer plus/minus sum/difference
    total/difference won/lost product/quotient multiplied/divided twice/half
"""
# Of the question alone: "5 birds left" tells a story.
_ASKED = {"left": "in all", "remain": "are there in all", "remaining": "in all", "together": "left"}


def _table() -> dict[str, str]:
    table: dict[str, str] = {}
    for pair in _PAIRS.split():
        one, other = pair.split("/")
        table.setdefault(one, other)
        table.setdefault(other, one)
    return table


_OPPOSITES = _table()


def opposite(token: Token) -> str | None:
    """The opposite of a word, written like it, where the table has one."""
    word = token.text.lower()
    found = (_ASKED.get(word) if token.in_question else None) or _OPPOSITES.get(word)
    return found.capitalize() if found and token.text[:1].isupper() else found

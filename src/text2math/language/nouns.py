"""The plural of English nouns.

>>> [plural(noun) for noun in ("bus", "city", "day", "child", "loaf", "sheep", "cm")]
['buses', 'cities', 'days', 'children', 'loaves', 'sheep', 'cm']
"""

from __future__ import annotations

import re

from text2math.language.numbers import vocabulary

_IRREGULAR = dict(
    pair.split(":")
    for pair in vocabulary(
        "child:children person:people man:men woman:women foot:feet tooth:teeth goose:geese mouse:mice "
        "ox:oxen penny:pence loaf:loaves leaf:leaves knife:knives life:lives half:halves shelf:shelves "
        "wolf:wolves calf:calves wife:wives thief:thieves scarf:scarves potato:potatoes tomato:tomatoes "
        "hero:heroes mango:mangoes echo:echoes cactus:cacti die:dice"
    )
)
ABBREVIATIONS = frozenset(
    vocabulary(
        "mm cm m km in ft yd mi mg g kg lb lbs oz ml cl dl l gal pt qt s sec min h hr hrs mph kph kwh w kw °"
    )
)
_INVARIANT = ABBREVIATIONS | frozenset(
    vocabulary(
        "sheep fish deer series species aircraft moose people pants jeans shorts scissors glasses clothes "
        "news money cash percent yen yuan baht won rand"
    )
)
_WITH_ES = re.compile(r"(?:s|x|z|ch|sh)$")
_WITH_IES = re.compile(r"(?<=[^aeiou])y$")


def plural(noun: str) -> str:
    """The plural of a noun or noun phrase, by its last word.

    >>> plural("bottle cap"), plural("square foot"), plural("box")
    ('bottle caps', 'square feet', 'boxes')
    """
    before, space, last = noun.rpartition(" ")
    if last in _INVARIANT:
        return noun
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif _WITH_IES.search(last):
        last = last[:-1] + "ies"
    else:
        last += "es" if _WITH_ES.search(last) else "s"
    return before + space + last

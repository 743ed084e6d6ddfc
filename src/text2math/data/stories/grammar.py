"""English forms: plurals, verb forms, numbers in words, and the little language of the templates.

A template is text with slots ``{name}`` and choices ``[this|that|]``. What a slot stands for knows how to write
itself (see ``world``); choices are drawn at random.

>>> plural("box"), plural("bottle of milk"), plural("child")
('boxes', 'bottles of milk', 'children')
>>> forms("buy").past, forms("give away").ing
('bought', 'giving away')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

_PLURALS = {
    "child": "children", "person": "people", "man": "men", "woman": "women", "mouse": "mice", "goose": "geese",
    "fish": "fish", "goldfish": "goldfish", "deer": "deer", "sheep": "sheep", "foot": "feet", "tooth": "teeth",
    "leaf": "leaves", "shelf": "shelves", "knife": "knives", "life": "lives", "loaf": "loaves", "calf": "calves",
    "scarf": "scarves", "half": "halves", "photo": "photos", "tomato": "tomatoes", "potato": "potatoes",
    "mango": "mangoes", "cactus": "cacti", "fisherman": "fishermen", "dress": "dresses", "bookcase": "bookcases",
    "yo-yo": "yo-yos", "burrito": "burritos", "taco": "tacos", "piano": "pianos", "video": "videos", "radio": "radios",
    "avocado": "avocados", "kangaroo": "kangaroos", "slice": "slices", "series": "series", "squash": "squashes",
    "die": "dice", "wolf": "wolves", "radish": "radishes", "bus": "buses", "iris": "irises", "hoof": "hooves",
    "brush": "brushes", "canoe": "canoes", "zoo": "zoos", "domino": "dominoes", "wife": "wives",
}  # fmt: skip

_IRREGULAR = {
    "be": ("was", "been", "being", "is"), "get": ("got", "gotten", "getting", "gets"), "buy": ("bought",) * 2,
    "give": ("gave", "given"), "eat": ("ate", "eaten"), "find": ("found",) * 2, "make": ("made",) * 2,
    "bring": ("brought",) * 2, "sell": ("sold",) * 2, "send": ("sent",) * 2, "take": ("took", "taken"),
    "lose": ("lost",) * 2, "break": ("broke", "broken"), "throw": ("threw", "thrown"), "win": ("won", "won", "winning"),
    "grow": ("grew", "grown"), "dig": ("dug", "dug", "digging"), "cut": ("cut", "cut", "cutting"),
    "lend": ("lent",) * 2, "read": ("read",) * 2, "write": ("wrote", "written"), "go": ("went", "gone", "going", "goes"),
    "fly": ("flew", "flown", "flying"), "swim": ("swam", "swum", "swimming"), "come": ("came", "come"),
    "fall": ("fell", "fallen"), "run": ("ran", "run", "running"), "leave": ("left",) * 2, "sit": ("sat", "sat", "sitting"),
    "stand": ("stood",) * 2, "ride": ("rode", "ridden"), "drive": ("drove", "driven"), "hide": ("hid", "hidden"),
    "sing": ("sang", "sung"), "sleep": ("slept",) * 2, "drink": ("drank", "drunk"), "spend": ("spent",) * 2,
    "pay": ("paid",) * 2, "have": ("had", "had", "having", "has"), "do": ("did", "done", "doing", "does"),
    "wear": ("wore", "worn"), "tear": ("tore", "torn"), "shrink": ("shrank", "shrunk"), "melt": ("melted",) * 2,
    "quit": ("quit", "quit", "quitting"), "build": ("built",) * 2, "hold": ("held",) * 2, "keep": ("kept",) * 2,
    "see": ("saw", "seen"), "catch": ("caught",) * 2, "think": ("thought",) * 2, "put": ("put", "put", "putting"),
    "feed": ("fed",) * 2, "spin": ("spun", "spun", "spinning"), "burn": ("burned",) * 2, "lay": ("laid",) * 2,
    "set": ("set", "set", "setting"), "show": ("showed", "shown"), "say": ("said",) * 2, "sew": ("sewed", "sewn"),
    "shoot": ("shot",) * 2, "knit": ("knitted", "knitted", "knitting"), "rot": ("rotted", "rotted", "rotting"),
    "drop": ("dropped", "dropped", "dropping"), "chop": ("chopped", "chopped", "chopping"), "bend": ("bent",) * 2,
    "pop": ("popped", "popped", "popping"), "hop": ("hopped", "hopped", "hopping"), "jog": ("jogged", "jogged", "jogging"),
    "wrap": ("wrapped", "wrapped", "wrapping"), "ship": ("shipped", "shipped", "shipping"), "scan": ("scanned", "scanned", "scanning"),
    "sign": ("signed",) * 2, "step": ("stepped", "stepped", "stepping"), "trim": ("trimmed", "trimmed", "trimming"),
    "mop": ("mopped", "mopped", "mopping"), "ski": ("skied", "skied", "skiing"), "hand": ("handed",) * 2,
    "forward": ("forwarded",) * 2, "row": ("rowed",) * 2, "stamp": ("stamped",) * 2, "pack": ("packed",) * 2,
    "unwrap": ("unwrapped", "unwrapped", "unwrapping"), "outgrow": ("outgrew", "outgrown"), "mow": ("mowed", "mown"),
    "bake": ("baked",) * 2, "type": ("typed",) * 2, "plan": ("planned", "planned", "planning"), "dye": ("dyed", "dyed", "dyeing"),
    "admit": ("admitted", "admitted", "admitting"), "forget": ("forgot", "forgotten", "forgetting"), "hatch": ("hatched",) * 2,
    "split": ("split", "split", "splitting"),
    "spread": ("spread",) * 2,
    "spill": ("spilled",) * 2,
    "let": ("let", "let", "letting"),
    "begin": ("began", "begun", "beginning"),
    "prefer": ("preferred", "preferred", "preferring"),
    "cost": ("cost",) * 2, "weigh": ("weighed",) * 2, "deliver": ("delivered",) * 2, "mix": ("mixed",) * 2,
    "die": ("died", "died", "dying"), "weave": ("wove", "woven"), "hit": ("hit", "hit", "hitting"), "tow": ("towed",) * 2,
    "stop": ("stopped", "stopped", "stopping"), "skip": ("skipped", "skipped", "skipping"), "teach": ("taught",) * 2,
}  # fmt: skip

_VOWEL_SOUND = re.compile(
    r"(?:[aeiou](?!ne\b|nce\b|nic|nif|sed|niq|uro)|hour|honest|8|11\b|18\b|X|F(?=\d))", re.IGNORECASE
)


def plural(noun: str) -> str:
    """The plural; of "bottle of milk" the first noun changes, else the last word."""
    head, of, rest = noun.partition(" of ")
    front, space, last = head.rpartition(" ")
    return f"{front}{space}{_plural_word(last)}{of}{rest}"


def _plural_word(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def items(text: str) -> tuple[str, ...]:
    """The items of a table's cell, set apart by semicolons.

    >>> items("red rope; blue rope;")
    ('red rope', 'blue rope')
    """
    return tuple(item.strip() for item in text.split(";") if item.strip())


def listed(things: Sequence[str], link: str = " and ") -> str:
    """Things as "a, b and c".

    >>> listed(["tea"]), listed(["tea", "milk", "honey"])
    ('tea', 'tea, milk and honey')
    """
    return ", ".join(things[:-1]) + link + things[-1] if len(things) > 1 else "".join(things)


@dataclass(frozen=True, slots=True)
class Verb:
    """The forms of a verb, with its particle."""

    base: str
    s: str
    past: str
    part: str
    ing: str


@lru_cache(maxsize=4096)
def forms(verb: str) -> Verb:
    """All forms of a verb given in the plain form; the first word carries the ending."""
    word, space, rest = verb.partition(" ")
    known = _IRREGULAR.get(word, ())
    tail = space + rest
    past = known[0] if known else _add(word, "ed")
    part = known[1] if len(known) > 1 else past
    ing = known[2] if len(known) > 2 else _add(word, "ing")
    s = known[3] if len(known) > 3 else _third(word)
    return Verb(verb, s + tail, past + tail, part + tail, ing + tail)


def _third(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _add(word: str, ending: str) -> str:
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")):
        return word[:-1] + ending
    if ending == "ed" and word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ied"
    return word + ending


def article(following: str) -> str:
    """The indefinite article before these words.

    >>> article("apple"), article("unicorn"), article("hour")
    ('an', 'a', 'an')
    """
    return "an" if _VOWEL_SOUND.match(following.lstrip("\"'“$")) else "a"


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(value: int) -> str:
    """A whole number below a million in words.

    >>> in_words(342)
    'three hundred forty-two'
    """
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{_ONES[value // 100]} hundred" + (f" {in_words(value % 100)}" if value % 100 else "")
    return f"{in_words(value // 1000)} thousand" + (f" {in_words(value % 1000)}" if value % 1000 else "")


def in_digits(value: Fraction, separator: bool = True) -> str:
    """A number in digits: whole, decimal where it ends, else a fraction.

    >>> in_digits(Fraction(12500)), in_digits(Fraction(7, 2)), in_digits(Fraction(2, 3))
    ('12,500', '3.5', '2/3')
    """
    if value.denominator == 1:
        return f"{value.numerator:,}" if separator else str(value.numerator)
    scaled, places = value, 0
    while scaled.denominator != 1 and places < 6:
        scaled, places = scaled * 10, places + 1
    if scaled.denominator == 1:
        digits = f"{abs(scaled.numerator):0{places + 1}d}"
        return ("-" if value < 0 else "") + f"{int(digits[:-places]):,}.{digits[-places:]}"
    whole, rest = divmod(value.numerator, value.denominator)
    return f"{whole} {rest}/{value.denominator}" if whole else f"{rest}/{value.denominator}"


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of a template, read: ``{do p~.him@a+have}``."""

    name: str
    auxiliary: str
    pronoun: bool
    form: str
    agrees: str
    verb: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, one of which is drawn."""

    options: tuple[Pieces, ...]


Piece: TypeAlias = "str | Slot | Choice"
Pieces: TypeAlias = "tuple[Piece, ...]"

_SLOT = re.compile(r"(?:(do|is|was|did|will|has) )?(\w+)(~)?(?:\.(\w+))?(?:@(\w+))?(?:\+(.+))?")


@cache
def compiled(template: str) -> Pieces:
    """A template as pieces.

    >>> compiled("a [b|c]")
    ('a ', Choice(options=(('b',), ('c',))))
    """
    template = re.sub(" {2,}", " ", template)
    pieces, end = _sequence(template, 0, top=True)
    if end != len(template):
        raise ValueError(f"template {template!r}: unexpected {template[end]!r} at {end}")
    return pieces


def _sequence(template: str, at: int, top: bool) -> tuple[Pieces, int]:
    pieces: list[Piece] = []
    text = ""
    while at < len(template) and (top or template[at] not in "|]"):
        char = template[at]
        if char not in "[{":
            text, at = text + char, at + 1
            continue
        if text:
            pieces.append(text)
            text = ""
        if char == "[":
            choice, at = _choice(template, at)
            pieces.append(choice)
        else:
            close = template.index("}", at)
            pieces.append(_slot(template[at + 1 : close]))
            at = close + 1
    if text:
        pieces.append(text)
    return tuple(pieces), at


def _choice(template: str, at: int) -> tuple[Choice, int]:
    options: list[Pieces] = []
    while template[at] != "]":
        pieces, at = _sequence(template, at + 1, top=False)
        options.append(pieces)
        if at >= len(template):
            raise ValueError(f"template {template!r}: a choice is never closed")
    return Choice(tuple(options)), at + 1


def _slot(text: str) -> Slot:
    match = _SLOT.fullmatch(text)
    if match is None:
        raise ValueError(f"not a slot: {{{text}}}")
    auxiliary, name, pronoun, form, agrees, verb = match.groups()
    return Slot(name, auxiliary or "", bool(pronoun), form or "", agrees or "", verb or "")

"""The world of a story: people, things, amounts; and the draft that turns it into text.

Everything that can stand in a slot of a template knows how to write itself. A ``Draft`` collects what is told and
asked, and remembers at which characters each amount came to stand, so that gold points at the text by place and
never by value.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, TypeAlias, TypeVar

from text2math.data.stories import words
from text2math.data.stories.grammar import (
    Choice,
    Pieces,
    Slot,
    Verb,
    article,
    compiled,
    forms,
    in_digits,
    in_words,
    items,
    plural,
)

T = TypeVar("T")

#: Mathematics over the names of amounts: a name, or (sign, left, right). Unknowns are "X1", "X2".
Gold: TypeAlias = "str | tuple[str, Gold, Gold]"


class Writable(Protocol):
    """What may stand in a slot."""

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write itself into the draft in the form that the slot asks for."""


@dataclass(frozen=True, slots=True)
class Word:
    """A fixed string."""

    text: str

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the string."""
        draft.put(self.text)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, with pronouns and agreement; ``first`` is how they are introduced."""

    name: str
    he: str
    him: str
    his: str
    number: str = "one"
    first: str = ""

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the name or a pronoun, with a verb that agrees where the slot asks for one."""
        if slot.auxiliary:
            draft.put(self.auxiliary(slot.auxiliary) + " ")
        draft.put(self.reference(draft, slot))
        if self.number in SPEAKERS and not slot.verb and draft.text.endswith(self.he):
            draft.pending_verb = self.number
        if slot.verb:
            draft.put(" " + self.verb(draft, slot.verb))

    def auxiliary(self, verb: str) -> str:
        """The auxiliary in front of the subject: does, do, is, are, am, …"""
        table = {"do": "does do", "is": "is are", "was": "was were", "has": "has have", "did": "did did"}
        one, many = table.get(verb, f"{verb} {verb}").split()
        if self.number == "I":
            return {"is": "am", "was": "was"}.get(verb, many)
        return one if self.number == "one" else many

    def reference(self, draft: Draft, slot: Slot) -> str:
        """The name, or the pronoun where it is asked for or allowed and clear."""
        if self.number in SPEAKERS:
            form = slot.form or ("him" if _OBJECT.search(draft.text) else "he")
            if form == "he" and draft.text.endswith((" does ", " is ")):
                auxiliary = "do " if draft.text.endswith("does ") else self.auxiliary("is") + " "
                draft.text = draft.text[: draft.text.rstrip().rindex(" ") + 1] + auxiliary
            return {"s": self.his}.get(form, getattr(self, form, self.he))
        if slot.form in ("he", "him", "his") and not slot.pronoun:
            draft.mention(self)
            return str(getattr(self, slot.form))
        short = slot.pronoun and draft.clear(self) and draft.chance(0.72)
        first = self.first if self.first and not draft.known(self) else ""
        draft.mention(self)
        if short:
            return {"": self.he, "s": self.his}.get(slot.form, getattr(self, slot.form or "he", self.he))
        name = first or self.name
        if slot.form in ("s", "his"):
            return name + ("'" if name.endswith("s") and self.number != "one" else "'s")
        return name

    def verb(self, draft: Draft, verb: str) -> str:
        """A verb in the present with agreement, or with ``%`` in front in the tense of the story."""
        tensed = verb.startswith("%")
        if verb in ("can", "must", "will", "should"):
            return verb
        table = draft.verb(verb.lstrip("%"))
        if tensed and draft.tense == "past":
            return (
                "were" + table.past[3:]
                if table.base.startswith("be") and self.number not in ("one", "I")
                else table.past
            )
        if tensed and draft.tense == "future":
            return f"will {table.base}"
        if table.base.startswith("be ") or table.base == "be":
            return {"one": "is", "I": "am"}.get(self.number, "are") + table.base[2:]
        return table.s if self.number == "one" else table.base


SPEAKERS = ("I", "we", "you")
ME = Person("I", "I", "me", "my", "I")
US = Person("we", "we", "us", "our", "we")
YOU = Person("you", "you", "you", "your", "you")


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing that is counted, or stuff that is measured in a unit, or money."""

    one: str
    many: str
    kind: str = "count"
    stuff: str = ""

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the plural, or what the form asks for."""
        draft.named.add(self)
        if slot.agrees:
            draft.put(self.one if draft.is_one(slot.agrees) else self.many)
            return
        draft.put(self.form(draft, slot.form))

    def form(self, draft: Draft, form: str) -> str:
        """One of the forms: one, how, howare, howwere, them, it, some, stuff, are, were."""
        mass = self.kind != "count"
        match form:
            case "":
                return self.many
            case "one":
                return self.one
            case "stuff":
                return self.stuff if mass else self.many
            case "some":
                return (
                    f"some {self.stuff}"
                    if mass
                    else draft.pick(("some {}", "some {}", "a few {}", "several {}")).format(self.many)
                )
            case "them":
                return "it" if mass else "them"
            case "they":
                return "it" if mass else "they"
            case "are":
                return "is" if mass else "are"
            case "were":
                return "was" if mass else "were"
            case "how":
                if not mass and self in draft.named and draft.chance(0.08):
                    return "how many"
                return f"how much {self.stuff}" if mass and draft.chance(0.5) else f"how many {self.many}"
            case "howmore" | "howfewer":
                if mass and draft.chance(0.6):
                    return f"how much {'more' if form == 'howmore' else 'less'} {self.stuff}"
                return f"how many {form[3:]} {self.many}"
            case "howare" | "howwere":
                many, one = (("are", "is"), ("were", "was"))[form == "howwere"]
                return (
                    f"how much {self.stuff} {one}"
                    if mass and draft.chance(0.5)
                    else f"how many {self.many} {many}"
                )
        raise ValueError(f"a thing has no form {form!r}")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of the story, with how it is written. Writing it marks its place in the text."""

    key: str
    value: Fraction
    text: str

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the number and mark it."""
        draft.put(self.text, self.key)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A template inside a template, with forms of its own."""

    full: str
    forms: tuple[tuple[str, str], ...] = ()

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the full phrase, or the form that the slot asks for where there is one."""
        draft.say(dict(self.forms).get(slot.form, self.full))


@dataclass(frozen=True, slots=True)
class Action:
    """A verb in a slot: ``{v.past}``, ``{v}``."""

    verb: Verb

    def write(self, draft: Draft, slot: Slot) -> None:
        """Write the form that the slot asks for; ``tensed`` follows the tense of the story."""
        if slot.form == "tensed":
            form = {"past": self.verb.past, "present": self.verb.s, "future": f"will {self.verb.base}"}[
                draft.tense
            ]
            draft.put(form)
        elif slot.form == "go":
            draft.put(_plural_subject(self.verb, draft.tense))
        else:
            draft.put(str(getattr(self.verb, slot.form or "base")))


def _plural_subject(verb: Verb, tense: str) -> str:
    be = verb.base == "be" or verb.base.startswith("be ")
    match tense:
        case "past":
            return "were" + verb.past[3:] if be else verb.past
        case "future":
            return f"will {verb.base}"
    return "are" + verb.base[2:] if be else verb.base


@dataclass(frozen=True, slots=True)
class Shift:
    """A slot that writes nothing and changes the tense of what follows."""

    tense: str

    def write(self, draft: Draft, slot: Slot) -> None:
        """Change the tense."""
        draft.tense = self.tense


@dataclass(frozen=True, slots=True)
class Fact:
    """A clause of the story; ``lead`` may open it when it is a sentence of its own."""

    text: str
    lead: str = ""
    loose: bool = True  # may stand behind "if" or "and"


@dataclass(frozen=True, slots=True)
class Question:
    """A question in parts, so that it can be asked straight or from afar: "how many …", "does he have", "he has", "now"."""

    what: str
    straight: str
    told: str
    tail: str = ""


def ask(text: str) -> Question:
    """A question from ``what / straight / told / tail``; without the last ones it can only be asked straight."""
    parts = [part.strip() for part in text.split("/")]
    parts += [""] * (4 - len(parts))
    return Question(*parts[:4])


@dataclass(frozen=True, slots=True)
class Scene:
    """A little stage: things, verbs by what they do, containers, places, sizes."""

    name: str
    things: tuple[Thing, ...]
    kinds: tuple[str, ...]
    gain: tuple[str, ...]
    lose: tuple[str, ...]
    give: tuple[str, ...]
    go: tuple[str, ...]
    come: tuple[str, ...]
    make: tuple[str, ...]
    box: tuple[str, ...]
    spot: tuple[str, ...]
    size: tuple[int, int]
    price: tuple[int, int]


def _scene(name: str, lines: dict[str, str]) -> Scene:
    low, high = (int(bound) for bound in lines["size"].split())
    cheap, dear = (int(bound) for bound in lines.get("price", "100 1000").split())
    lists = {
        key: items(lines.get(key, ""))
        for key in ("kinds", "gain", "lose", "give", "go", "come", "box", "spot")
    }
    return Scene(
        name,
        tuple(Thing(noun, plural(noun)) for noun in items(lines["things"])),
        make=items(lines.get("make", lines.get("do", ""))),
        size=(low, high),
        price=(cheap, dear),
        **lists,
    )


@lru_cache(maxsize=1)
def scenes() -> tuple[Scene, ...]:
    """The scenes where people own things."""
    return tuple(_scene(name, lines) for name, lines in words.SCENES.items())


@lru_cache(maxsize=1)
def crowds() -> tuple[Scene, ...]:
    """The scenes where animals, people or vehicles come and go."""
    return tuple(_scene(name, lines) for name, lines in words.CROWDS.items())


@lru_cache(maxsize=1)
def measured() -> tuple[Scene, ...]:
    """The scenes of stuff that is measured: one for each stuff and unit."""
    found = []
    for stuff, units, gain, lose, box, size in words.STUFF:
        low, high = (int(bound) for bound in size.split())
        for unit in units.split():
            many = f"{plural(unit)} of {stuff}"
            thing = Thing(f"{unit} of {stuff}", many, "mass", stuff)
            give = ("give", "sell", "bring")
            found.append(
                Scene(
                    stuff,
                    (thing,),
                    (),
                    items(gain),
                    items(lose),
                    give,
                    (),
                    (),
                    (),
                    items(box),
                    (),
                    (low, high),
                    (50, 900),
                )
            )
    return tuple(found)


MONEY = Thing("dollar", "dollars", "money", "money")
CENTS = Thing("cent", "cents", "money", "money")
WALLET = Scene(
    "money",
    (MONEY,),
    (),
    ("earn", "get", "find", "receive", "save", "make", "win", "be given"),
    ("spend", "lose", "use", "pay", "donate", "spend on lunch"),
    ("give", "lend", "pay", "hand", "send"),
    (),
    (),
    ("earn", "save", "spend", "collect", "raise", "make"),
    ("envelope", "jar", "wallet", "piggy bank", "purse", "account", "box"),
    ("in the piggy bank", "in the bank", "in the jar", "in the wallet", "in the drawer", "in the cash box"),
    (4, 200),
    (100, 1000),
)

_HE = ("he", "him", "his", "one")
_SHE = ("she", "her", "her", "one")
_THEY = ("they", "them", "their", "many")


@dataclass(slots=True)
class Draft:
    """A story while it is written.

    >>> draft = Draft(random.Random(1))
    >>> _ = draft.count("a", 3)
    >>> draft.say("there [are|are] {a} [cats]")
    >>> draft.text, draft.places
    ('there are 3 cats', [('a', 10, 11)])
    """

    rng: random.Random
    slots: dict[str, Writable] = field(default_factory=dict)
    amounts: dict[str, Amount] = field(default_factory=dict)
    tense: str = "past"
    style: str = "digits"
    extra: int = 0  # steps that amounts may still unfold into
    facts: list[Fact] = field(default_factory=list)
    question: Question | None = None
    gold: Gold = ""
    choices: list[tuple[tuple[str, ...], Gold]] = field(default_factory=list)
    kind: str = ""
    movable: bool = False
    layout: str = ""
    spare: list[str] = field(default_factory=list)
    text: str = ""
    places: list[tuple[str, int, int]] = field(default_factory=list)
    phrases: list[tuple[str, int, int]] = field(default_factory=list)
    known_people: list[Person] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    named: set[Thing] = field(default_factory=set)
    pending_article: bool = False
    pending_verb: str = ""  # a person whose verb comes next and must agree: "I", "you"
    currency: tuple[str, str] = ("$", "dollar")
    british: bool = False

    # drawing

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[int(self.rng.random() * len(options))]

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included, small ones somewhat more often."""
        if high <= low:
            return low
        if self.chance(0.5):
            return self.rng.randint(low, high)
        return self.rng.randint(low, max(low, low + int((high - low) * self.rng.random())))

    # writing

    def put(self, text: str, key: str = "") -> None:
        """Append text; spaces and articles are set right, an amount's place is noted."""
        if self.pending_article and text.strip():
            self.pending_article = False
            self.text += article(text.strip()) + " "
            text = text.lstrip()
        if self.pending_verb and text.strip():
            text, self.pending_verb = _agreeing(text, self.pending_verb), ""
        if self.currency[0] != "$":
            text = text.replace("$", self.currency[0]).replace("dollar", self.currency[1])
        if self.british:
            text = _AMERICAN.sub(lambda match: _BRITISH[match.group(0)], text)
        if self.text.endswith((" ", "\n")) or not self.text:
            text = text.lstrip(" ")
        if text[:1] in (",", ".", "?", "!", ";", ":") and self.text.endswith(" "):
            self.text = self.text.rstrip(" ")
        start = len(self.text)
        self.text += text
        if key:
            self.places.append((key, start, len(self.text)))

    def say(self, template: str) -> None:
        """Write a template."""
        self._write(compiled(template))

    def _write(self, pieces: Pieces) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                self.put(piece)
            elif isinstance(piece, Choice):
                self._write(self.pick(piece.options))
            elif piece.name == "an":
                self.pending_article = True
            elif piece.name[0] == "X" and piece.name[1:].isdigit():
                start = len(self.text)
                self.slots[piece.name].write(self, piece)
                self.phrases.append((piece.name, start, len(self.text.rstrip())))
            else:
                self.slots[piece.name].write(self, piece)

    # people in the text

    def mention(self, person: Person) -> None:
        """Note that the person has been named."""
        if person not in self.known_people:
            self.known_people.append(person)

    def known(self, person: Person) -> bool:
        """Whether the person has been named."""
        return person in self.known_people

    def clear(self, person: Person) -> bool:
        """Whether a pronoun for the person would be understood."""
        return person in self.known_people and all(
            other is person or other.he != person.he for other in self.known_people
        )

    # filling slots

    def set(self, **slots: Writable | str) -> None:
        """Fill slots; a plain string is a fixed word."""
        for name, value in slots.items():
            self.slots[name] = Word(value) if isinstance(value, str) else value

    def verb(self, name: str) -> Verb:
        """The forms of a verb, given itself or (``$v``) as the slot it stands in."""
        if name.startswith("$"):
            action = self.slots[name[1:]]
            if not isinstance(action, Action):
                raise TypeError(f"slot {name[1:]!r} holds no verb")
            return action.verb
        return forms(name)

    def asks(self, options: Sequence[str]) -> None:
        """Draw a question that speaks only of what the facts have named."""
        told = " ".join(fact.text for fact in self.facts)
        fit = [option for option in options if all(name not in option or name in told for name in _NAMED)]
        fit = [option for option in fit if _PERSON.search(option) is None or _PERSON.search(told)]
        self.question = ask(self.pick(fit or options))

    def act(self, name: str, options: Sequence[str]) -> str:
        """Draw a verb into a slot."""
        verb = self.pick(options)
        self.slots[name] = Action(forms(verb))
        return verb

    def person(self, name: str, *, roles: bool = True) -> Person:
        """Draw somebody new into a slot."""
        if name == "p" and roles and self.chance(0.05):
            speaker = self.pick((ME, ME, ME, US, YOU))
            self.slots[name] = speaker
            return speaker
        while True:
            person = self._somebody(roles)
            if person.name not in self.names:
                break
        self.names.add(person.name)
        self.slots[name] = person
        return person

    def _somebody(self, roles: bool) -> Person:
        luck = self.rng.random()
        girl = self.chance(0.5)
        pronouns = _SHE if girl else _HE
        if not roles or luck < 0.86:
            return Person(self.pick(words.GIRLS if girl else words.BOYS), *pronouns)
        if luck < 0.93:
            title = self.pick(
                ("Mrs.", "Ms.", "Miss", "Aunt", "Dr.", "Coach")
                if girl
                else ("Mr.", "Mr.", "Uncle", "Farmer", "Coach")
            )
            name = (
                self.pick(words.GIRLS if girl else words.BOYS)
                if title in ("Aunt", "Uncle")
                else self.pick(words.SURNAMES)
            )
            return Person(f"{title} {name}", *pronouns)
        role = self.pick(words.ROLES)
        return Person("the " + role.split(" ", 1)[1], *pronouns, first=role)

    def relative(self, name: str, of: Person) -> Person:
        """Draw somebody who belongs to a person, or a new name, into a slot."""
        if self.chance(0.5):
            person = self.person(name, roles=False)
            self.slots[name] = person
            return person
        luck = self.rng.random()
        if luck < 0.4:
            person = Person(f"{of.his} {self.pick(words.KIN_F)}", *_SHE)
        elif luck < 0.8:
            person = Person(f"{of.his} {self.pick(words.KIN_M)}", *_HE)
        else:
            person = Person(f"{of.his} {self.pick(words.KIN_N)}", *_THEY)
        self.slots[name] = person
        return person

    def scene(self, *, mass: float = 0.0, money: float = 0.0) -> Scene:
        """Draw a scene and a thing of it into the slot ``t``."""
        luck = self.rng.random()
        if luck < mass:
            scene = self.pick(measured())
        elif luck < mass + money:
            scene = WALLET
        else:
            scene = self.pick(scenes())
        self.set(t=self.pick(scene.things))
        return scene

    @property
    def thing(self) -> Thing:
        """What stands in the slot ``t``."""
        thing = self.slots["t"]
        if not isinstance(thing, Thing):
            raise TypeError("slot 't' holds no thing")
        return thing

    # amounts

    def is_one(self, key: str) -> bool:
        """Whether the amount is written with the singular."""
        return self.amounts[key].value == 1

    def write_number(self, value: Fraction) -> str:
        """A number in the story's style."""
        if value.denominator == 1 and value >= 0:
            whole = value.numerator
            if (self.style == "words" and whole <= 100) or (
                self.style == "mixed" and whole <= 12 and self.chance(0.5)
            ):
                return in_words(whole)
            return in_digits(value, separator=whole >= 10000 or self.chance(0.5))
        if self.style == "fraction" and value.denominator <= 12:
            whole, rest = divmod(value.numerator, value.denominator)
            return f"{whole} {rest}/{value.denominator}" if whole else f"{rest}/{value.denominator}"
        return in_digits(value)

    def count(self, key: str, value: Fraction | int, text: str = "") -> str:
        """A bare number in slot ``key``."""
        value = Fraction(value)
        amount = Amount(key, value, text or self.write_number(value))
        self.amounts[key] = amount
        self.slots[key] = amount
        return key

    def money(self, key: str, value: Fraction | int) -> str:
        """A sum of money in slot ``key`` with its unit in the phrase ``KEY``."""
        value = Fraction(value)
        whole = value.denominator == 1
        plain = in_digits(value, separator=value >= 1000) if whole else f"{float(value):,.2f}"
        luck = self.rng.random()
        cents = value * 100
        if (
            value < 1 and cents.denominator == 1 and luck < 0.7 and self.currency[0] in "$€"
        ):  # the recogniser reads 35 cents as 0.35, as money
            self.count(key, value, str(cents))
            full = f"{{{key}}} cents"
        elif luck < 0.62:
            self.count(key, value, plain)
            full = f"${{{key}}}"
        elif luck < 0.8 and whole and self.style == "words" and value <= 100:
            self.count(key, value, in_words(int(value)))
            full = f"{{{key}}} dollar" + ("s" if value != 1 else "")
        else:
            self.count(key, value, plain)
            full = f"{{{key}}} dollar" + ("s" if value != 1 else "")
        pieces = (
            ("of", full),
            ("bare", full),
            ("more", f"{full} more" if full.startswith("$") else f"{{{key}}} more dollars"),
        )
        self.slots[key.upper()] = Phrase(full, pieces)
        return key

    def amount(self, key: str, value: Fraction | int, thing: Thing | None = None) -> str:
        """An amount of a thing: the number in slot ``key``, the phrase with its noun in ``KEY``.

        The phrase has the forms bare ("3"), more ("3 more apples"), of ("3 of them").
        """
        thing = thing or self.thing
        if thing.kind == "money":
            return self.money(key, value)
        value = Fraction(value)
        self.count(key, value)
        noun = thing.one if value == 1 or (value < 1) else thing.many
        if value < 1:
            noun = ("of " + article(thing.one) + " " if self.style == "fraction" else "") + noun
        number = f"{{{key}}}"
        if thing.kind == "mass":
            unit = noun.partition(" of " + thing.stuff)[0]
            bare, of = f"{number} {unit}", f"{number} {unit} of it"
        else:
            bare, of = number, f"{number} [of them|of the {thing.many}]"
        more = f"{number} more {thing.many if value != 1 else thing.one}"
        self.slots[key.upper()] = Phrase(f"{number} {noun}", (("bare", bare), ("of", of), ("more", more)))
        return key


_BRITISH = {
    "meter": "metre", "liter": "litre", "color": "colour", "neighbor": "neighbour", "favorite": "favourite", "gray": "grey", "mom": "mum", "math": "maths", "soccer": "football",
    "jewelry": "jewellery", "theater": "theatre", "center": "centre", "organized": "organised", "practiced": "practised", "traveled": "travelled", "canceled": "cancelled",
}  # fmt: skip
_AMERICAN = re.compile(rf"\b(?:{'|'.join(_BRITISH)})(?=s?\b)")
_OBJECT = re.compile(
    r"\b(?:to|from|for|with|of|by|at|gave|give|gives|hands|handed|sent|lent|brought|brings|left|leaves|cost|took) $"
)
_VERB = re.compile(r" ?(?:(?:also|already|now|still|only|usually|currently) )?(\w+s)\b")
_NO_VERB = frozenset(("always", "sometimes", "as", "this", "yes", "hours", "days"))


def _agreeing(text: str, number: str) -> str:
    """The text after "I" or "you" with its verb in the form that goes with it.

    >>> _agreeing(" already has 3", "I"), _agreeing(" is late", "I")
    (' already have 3', ' am late')
    >>> _agreeing(" was late", "we")
    ' were late'
    """
    match = _VERB.match(text)
    if match is None or match.group(1) in _NO_VERB:
        return text
    verb = match.group(1)
    if verb == "was" and number == "I":
        return text
    base = {
        "has": "have",
        "does": "do",
        "is": "am" if number == "I" else "are",
        "goes": "go",
        "was": "were",
    }.get(verb)
    if base is None:
        base = (
            verb[:-2]
            if verb.endswith(("shes", "ches", "sses", "xes"))
            else verb[:-3] + "y"
            if verb.endswith("ies")
            else verb[:-1]
        )
    return text[: match.start(1)] + base + text[match.end(1) :]


_NAMED = ("{spot}", "{r", "{box}")
_PERSON = re.compile(r"\{(?:\w+ )?p\b")


def capitalised(text: str) -> str:
    """Capitals at the starts of sentences; the length stays."""
    return _START.sub(lambda match: match.group(0)[:-1] + match.group(0)[-1].upper(), text)


_START = re.compile(
    r"(?:^[\"“]?|(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<!St)[.?!:][\"”]? [\"“]?|\n(?:[-*•] )?[\"“]?|, [\"“]|: )[a-z]"
)


def another(draft: Draft, scene: Scene, slot: str, *than: Thing) -> Thing:
    """A different thing of the scene in a slot."""
    options = [thing for thing in scene.things if thing not in than] or list(scene.things)
    thing = draft.pick(options)
    draft.slots[slot] = thing
    return thing


def kinds_of(draft: Draft, scene: Scene, count: int) -> list[Thing]:
    """The scene's thing split into sorts: "red apples", "green apples"."""
    thing = draft.thing
    colors = list(scene.kinds)
    draft.rng.shuffle(colors)
    return [replace(thing, one=f"{kind} {thing.one}", many=f"{kind} {thing.many}") for kind in colors[:count]]


Family: TypeAlias = Callable[[Draft], None]

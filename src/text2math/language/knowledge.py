"""What words imply: a week has 7 days, a rectangle two pairs of equal sides, 25 % is a part of a whole.

The facts are in ``knowledge.json``; ``Knowledge.read(path)`` reads your own in the same format.

>>> from text2math.language.problem import read_problem
>>> problem = read_problem("It takes 50 minutes a day. How many hours is that a week?", knowledge=True)
>>> sorted({quantity.fact for quantity in problem.implied if quantity.fact})
['1 day = 24 hours', '1 hour = 60 minutes', '1 week = 7 days']
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from text2math.language.numbers import Kind
from text2math.language.quantity import Quantity, Source
from text2math.language.tokens import Token
from text2math.language.units import is_name

MAX_FACTS = 5_000
MAX_PEOPLE = 6
"""The most names of a text that are counted as people who share."""
MAX_FILE_BYTES = 5_000_000
MAX_PHRASES = 200
"""The most words or phrases that one fact or unit names in one list."""

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15}|/[1-9]\d{0,14})?")
_SHARED = frozenset(("equally", "evenly", "split", "person"))
_PARTS = frozenset(("of", "off"))


@dataclass(frozen=True, slots=True)
class Conversion:
    """How many of a smaller unit are one of a larger: 1 week = 7 days."""

    one: str
    count: Fraction
    of: str
    fact: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A number that some phrases imply; others may be needed in the text, or forbidden."""

    fact: str
    value: Fraction
    words: tuple[tuple[str, ...], ...]
    together_with: tuple[tuple[str, ...], ...] = ()
    without: tuple[tuple[str, ...], ...] = ()
    # The number is anchored this many words after the phrase's first word.
    shift: int = 0


@dataclass(frozen=True)
class Knowledge:
    """Facts about units and words; an empty one leaves only what refers to written numbers.

    >>> own = Knowledge.from_json({"facts": [{"fact": "a crate holds 24", "value": 24, "words": ["crate"]}]})
    >>> own.facts[0].value
    Fraction(24, 1)
    """

    conversions: tuple[Conversion, ...] = ()
    facts: tuple[Fact, ...] = ()
    # The words for each unit, its own name among them.
    units: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __repr__(self) -> str:
        return f"Knowledge({len(self.conversions)} conversions, {len(self.facts)} facts)"

    @classmethod
    def default(cls) -> Knowledge:
        """The facts shipped with the package."""
        return _default()

    @classmethod
    def read(cls, path: Path | str) -> Knowledge:
        """The facts in a JSON file; docs/knowledge.md describes the format."""
        try:
            with open(path, "rb") as stream:  # an endless file must not fill the memory
                content = stream.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise ValueError(
                f"{path}: can't be read: {error.strerror}; check the name of the file"
            ) from error
        if len(content) > MAX_FILE_BYTES:
            raise ValueError(f"{path}: is larger than {MAX_FILE_BYTES:,} bytes; is it a file of facts?")
        try:
            return cls.from_json(json.loads(content), source=str(path))
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"{path}: not valid JSON ({error})") from error

    @classmethod
    def from_json(cls, content: Any, source: str = "knowledge") -> Knowledge:
        """The facts in a JSON object with ``units``, ``conversions`` and ``facts``, none of them needed."""
        if not isinstance(content, dict) or content.keys() - {"units", "conversions", "facts"}:
            raise ValueError(f'{source}: expected an object with "units", "conversions" and "facts"')
        units, conversions, facts = (
            content.get("units", {}),
            content.get("conversions", []),
            content.get("facts", []),
        )
        if not isinstance(units, dict) or not isinstance(conversions, list) or not isinstance(facts, list):
            raise ValueError(f'{source}: "units" must be an object, "conversions" and "facts" lists')
        if len(conversions) + len(facts) > MAX_FACTS:
            raise ValueError(f"{source}: holds more than {MAX_FACTS:,} facts; leave some out")
        return cls(
            tuple(_conversion(entry, f"{source}, conversion {i}") for i, entry in enumerate(conversions, 1)),
            tuple(_fact(entry, f"{source}, fact {i}") for i, entry in enumerate(facts, 1)),
            tuple(
                (unit.lower(), (unit.lower(), *_strings(names, f"{source}, unit {unit!r}")))
                for unit, names in units.items()
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "units": {unit: list(names[1:]) for unit, names in self.units},
            "conversions": [
                {"one": c.one, "is": str(c.count), "of": c.of, "fact": c.fact} for c in self.conversions
            ],
            "facts": [_fact_to_json(fact) for fact in self.facts],
        }

    def and_also(self, other: Knowledge) -> Knowledge:
        """The facts of both."""
        return Knowledge(
            self.conversions + other.conversions, self.facts + other.facts, self.units + other.units
        )

    def known(self, tokens: Sequence[Token], written: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """The numbers that the words of a text imply, each anchored on its words."""
        free = _free(tokens, written)
        # As it is written, and its lemma.
        forms = [{token.text.lower(), token.lemma.lower()} for token in tokens]
        clock_times = any(quantity.kind is Kind.CLOCK for quantity in written)
        found = [
            *self._converted(tokens, forms, free, clock_times),
            *self._implied(tokens, forms, free),
            *_wholes(tokens, written),
            *_counts(tokens, written),
        ]
        return tuple(dict.fromkeys(found))

    @cached_property
    def _unit_of(self) -> dict[str, str]:
        own = {name: name for c in self.conversions for name in (c.one, c.of)}
        return own | {name: unit for unit, names in self.units for name in names}

    def _converted(
        self, tokens: Sequence[Token], forms: Sequence[set[str]], free: frozenset[int], clock_times: bool
    ) -> Iterator[Quantity]:
        """The conversions between two units that both occur; times of day are in minutes."""
        places: dict[str, list[int]] = {"minute": []} if clock_times else {}
        unit_of = self._unit_of
        for at, own in enumerate(forms):
            for form in own:
                if form in unit_of:
                    places.setdefault(unit_of[form], []).append(at)
        if not places:
            return
        for conversion in self.conversions:
            if conversion.one in places and conversion.of in places:
                for unit in (conversion.one, conversion.of):
                    usable = [at for at in dict.fromkeys(places[unit]) if at in free]
                    for at in usable[-1:]:
                        yield _known(tokens, at, conversion.count, conversion.fact, conversion.of)

    @cached_property
    def _by_word(self) -> dict[str, list[tuple[tuple[str, ...], Fact]]]:
        index: dict[str, list[tuple[tuple[str, ...], Fact]]] = {}
        for fact in self.facts:
            for phrase in fact.words:
                index.setdefault(phrase[0], []).append((phrase, fact))
        return index

    def _implied(
        self, tokens: Sequence[Token], forms: Sequence[set[str]], free: frozenset[int]
    ) -> Iterator[Quantity]:
        """The facts whose words appear in the text, anchored on the first and the last occurrence."""
        places: dict[Fact, list[int]] = {}
        for at in sorted(free):
            for form in forms[at]:
                for phrase, fact in self._by_word.get(form, ()):
                    if _stands(phrase, forms, at):
                        places.setdefault(fact, []).append(at)
        if not places:
            return
        anywhere = frozenset().union(*forms)
        for fact, found in places.items():
            if fact.together_with and not _any_stands(fact.together_with, forms, anywhere):
                continue
            if _any_stands(fact.without, forms, anywhere):
                continue
            for at in dict.fromkeys((found[0] + fact.shift, found[-1] + fact.shift)):
                if at in free:
                    yield _known(tokens, at, fact.value, fact.fact)


def _known(tokens: Sequence[Token], at: int, value: Fraction, fact: str, unit: str = "") -> Quantity:
    return Quantity(value, tokens[at].start, tokens[at].end, at, at + 1, unit, source=Source.KNOWN, fact=fact)


def _free(tokens: Sequence[Token], written: Sequence[Quantity]) -> frozenset[int]:
    """The words that are no part of a written number."""
    taken = {at for quantity in written for at in range(quantity.first_token, quantity.last_token)}
    return frozenset(range(len(tokens))) - taken


def _stands(phrase: tuple[str, ...], forms: Sequence[set[str]], at: int) -> bool:
    """Whether the phrase begins at this word; the forms of a word are as it is written and its lemma."""
    there = forms[at : at + len(phrase)]
    return len(there) == len(phrase) and all(word in form for word, form in zip(phrase, there, strict=True))


def _any_stands(
    phrases: Iterable[tuple[str, ...]], forms: Sequence[set[str]], anywhere: frozenset[str]
) -> bool:
    """Whether one of the phrases appears in the text."""
    return any(
        any(_stands(phrase, forms, at) for at in range(len(forms)))
        for phrase in phrases
        if phrase[0] in anywhere  # most phrases end here
    )


# What follows from the numbers themselves -----------------------------------------------------------------


def _wholes(tokens: Sequence[Token], written: Sequence[Quantity]) -> Iterator[Quantity]:
    """The whole that a percentage, or a fraction of something, is a part of; anchored on the next word."""
    for quantity in written:
        after = quantity.last_token
        percent = quantity.kind is Kind.PERCENT
        part = (
            quantity.kind in (Kind.FRACTION, Kind.DIGITS)
            and after < len(tokens)
            and 0 < quantity.value < 1
            and tokens[after].text.lower() in _PARTS
        )
        at = after - 1 if percent and after - 1 > quantity.first_token else after
        if (percent or part) and at < len(tokens):
            fact = "the whole is 100 % = 1" if percent else "the whole is 1"
            yield _known(tokens, at, Fraction(1), fact)


def _counts(tokens: Sequence[Token], written: Sequence[Quantity]) -> Iterator[Quantity]:
    """How many names a list has, how many people share, how many numbers a mean is taken of."""
    lists = list(_lists_of_names(tokens))
    for first, last, count in lists:
        names = " ".join(token.text for token in tokens[first:last])
        yield _known(tokens, last - 1, Fraction(count), f"{names} are {count}")
    people = {token.text for at, token in enumerate(tokens) if is_name(tokens, at)}
    for at, token in enumerate(tokens):
        if token.text.lower() in _SHARED and 1 < len(people) <= MAX_PEOPLE:
            yield _known(
                tokens, at, Fraction(len(people)), f"{' and '.join(sorted(people))} are {len(people)}"
            )
        if token.lemma.lower() not in ("average", "mean"):
            continue
        units = Counter(quantity.unit for quantity in written)
        several = {count for count in (len(written), *units.values()) if count > 1}
        for count in sorted(several | {count for _, _, count in lists}, reverse=True)[:3]:
            yield _known(tokens, at, Fraction(count), f"the mean of {count}")


def _lists_of_names(tokens: Sequence[Token]) -> Iterator[tuple[int, int, int]]:
    """First word, end and length of each list of names such as "Ann, Ben and Cy"."""
    at = 0
    while at < len(tokens):
        if not is_name(tokens, at):
            at += 1
            continue
        first, count, end, closed = at, 1, at + 1, False
        while not closed:
            after = end
            while after < len(tokens) and tokens[after].text.lower() in (",", "and", "&"):
                after += 1
            if after == end or after >= len(tokens) or not is_name(tokens, after):
                break
            closed = tokens[after - 1].text != ","
            count, end = count + 1, after + 1
        if closed:
            yield first, end, count
        at = end


# Reading --------------------------------------------------------------------------------------------------


def _conversion(entry: Any, source: str) -> Conversion:
    match entry:
        case {"one": str(one), "is": count, "of": str(of)} if one and of:
            _require_known(entry, {"one", "is", "of", "fact"}, source)
            value = _number(count, source)
            if value <= 0:
                raise ValueError(f'{source}: "is" should be more than 0, not {count}')
            fact = entry.get("fact", f"1 {one} = {value} {_plural(of) if value != 1 else of}")
            return Conversion(one.lower(), value, of.lower(), _told(fact, source))
        case _:
            raise ValueError(f'{source}: expected "one", "is" and "of", such as week, 7, day')


def _plural(noun: str) -> str:
    irregular = {"foot": "feet", "inch": "inches", "penny": "pennies", "century": "centuries"}
    return irregular.get(noun, noun + "s")


def _fact(entry: Any, source: str) -> Fact:
    match entry:
        case {"fact": fact, "value": value, "words": words}:
            _require_known(entry, {"fact", "value", "words", "with", "without", "shift"}, source)
            phrases = _phrases(words, source)
            if not phrases:
                raise ValueError(f'{source}: "words" names no word')
            return Fact(
                _told(fact, source),
                _number(value, source),
                phrases,
                _phrases(entry.get("with", []), source),
                _phrases(entry.get("without", []), source),
                _shift(entry.get("shift", 0), source),
            )
        case _:
            raise ValueError(f'{source}: expected "fact", "value" and a list "words"')


def _require_known(entry: dict[str, Any], names: Set[str], source: str) -> None:
    if unknown := entry.keys() - names:
        raise ValueError(
            f"{source}: {sorted(unknown)[0]!r} is not known; there are {', '.join(sorted(names))}"
        )


def _told(fact: Any, source: str) -> str:
    """What is shown to people beside the number."""
    if not isinstance(fact, str) or not fact.strip():
        raise ValueError(f'{source}: "fact" should say what is known, such as "a crate holds 24 bottles"')
    return fact


def _shift(entry: Any, source: str) -> int:
    if type(entry) is not int or not 0 <= entry <= 10:
        raise ValueError(f'{source}: "shift" should be a number of words from 0 to 10, not {entry!r}')
    return entry


def _fact_to_json(fact: Fact) -> dict[str, Any]:
    written: dict[str, Any] = {"fact": fact.fact, "value": str(fact.value)}
    for name, phrases in (("words", fact.words), ("with", fact.together_with), ("without", fact.without)):
        if phrases:
            written[name] = [" ".join(phrase) for phrase in phrases]
    if fact.shift:
        written["shift"] = fact.shift
    return written


def _strings(names: Any, source: str) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{source}: expected a list of words")
    if len(names) > MAX_PHRASES:
        raise ValueError(f"{source}: names more than {MAX_PHRASES} words in one list; make it several facts")
    return tuple(name.lower() for name in names)


def _phrases(entry: Any, source: str) -> tuple[tuple[str, ...], ...]:
    phrases = tuple(tuple(phrase.split()) for phrase in _strings(entry, source))
    if not all(phrases):
        raise ValueError(f"{source}: a phrase is empty")
    return phrases


def _number(value: Any, source: str) -> Fraction:
    if _NUMBER.fullmatch(str(value)) is None:
        raise ValueError(f'{source}: {value!r} is not a number; write 7 or "1/2"')
    return Fraction(str(value))


@cache
def _default() -> Knowledge:
    text = files("text2math.language").joinpath("knowledge.json").read_text(encoding="utf-8")
    return Knowledge.from_json(json.loads(text), source="knowledge.json")

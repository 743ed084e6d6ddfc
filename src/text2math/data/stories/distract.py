"""Distractors: numbers that the question does not need, and sentences that change nothing."""

from __future__ import annotations

from text2math.data.stories import words
from text2math.data.stories.world import Draft, Fact, Person, Thing, scenes


def distract(draft: Draft) -> bool:
    """Add a sentence with a number that does not matter; False where the story has no room for one."""
    options = [name for name in draft.spare if name in _WAYS]
    if not options:
        return False
    name = draft.pick(options)
    if draft.chance(0.35):
        name = draft.pick(("prefix", "aside"))
    fact = _WAYS[name](draft)
    if fact is None:
        return False
    if fact is NOTHING:
        return True
    place = (
        draft.rng.randint(0, len(draft.facts))
        if name in _ANYWHERE
        else draft.rng.randint(1, len(draft.facts))
    )
    draft.facts.insert(place, fact)
    return True


def decorate(draft: Draft) -> None:
    """Add an opening that changes nothing."""
    person = isinstance(draft.slots.get("p"), Person)
    told = any("{p" in fact.text for fact in draft.facts[:1])
    thing = draft.slots.get("t")
    countable = isinstance(thing, Thing) and thing.kind == "count"
    if person and told and draft.chance(0.7):
        options = [line for line in words.PERSON_OPENERS if countable or "{t}" not in line]
        if draft.slots["p"].he == "it":  # type: ignore[attr-defined]
            return
        draft.facts.insert(0, Fact(draft.pick(options), loose=False))
    else:
        draft.facts.insert(0, Fact(draft.pick(words.OPENERS), loose=False))


def _has_person(draft: Draft) -> bool:
    person = draft.slots.get("p")
    return (
        isinstance(person, Person)
        and person.he in ("he", "she")
        and any("{p" in fact.text for fact in draft.facts)
    )


def _other_thing(draft: Draft) -> Fact | None:
    """The person also has something else."""
    if not _has_person(draft):
        return None
    scene = draft.pick(scenes())
    thing = draft.pick([thing for thing in scene.things if thing is not draft.slots.get("t")])
    if thing.many in {getattr(value, "many", "") for value in draft.slots.values()}:
        return None
    draft.amount("z", draft.between(*scene.size), thing)
    return Fact(
        draft.pick(
            (
                "{p~} also [has|had|bought|found] {Z}",
                "{p~} has {Z}[ too| as well|]",
                "{p~} also owns {Z}",
                "there were {Z} nearby",
            )
        ),
        loose=False,
    )


def _other_person(draft: Draft) -> Fact | None:
    """Somebody else has some too; only where the question names its person."""
    question = draft.question
    if question is None or not _names_person(question.what + question.straight) or not _has_person(draft):
        return None
    draft.person("zz", roles=False)
    thing = draft.slots.get("t")
    if not isinstance(thing, Thing):
        return None
    draft.amount("z", draft.between(2, 60), thing)
    return Fact(
        draft.pick(
            (
                "{zz+have} {Z}",
                "{zz}, {p~.s} [friend|neighbor|cousin], has {Z}",
                "{zz} has {Z.bare}" if thing.kind == "count" else "{zz} has {Z}",
            )
        ),
        loose=False,
    )


def _names_person(text: str) -> bool:
    return "{p" in text or "{do p" in text


def _third_person(draft: Draft) -> Fact | None:
    """A third person's amount, where the question names the ones it asks about."""
    question = draft.question
    if question is None:
        return None
    text = question.what + question.straight
    if (
        "they" in text
        or "there" in text
        or "total" in text
        or "their" in text
        or "of them" in text
        or "{v.part}" in text
        or "needed" in text
    ):
        return None
    return _other_person(draft)


def _years(draft: Draft) -> int:
    """An age that fits the person: those with a title or a trade are grown up."""
    name, role = (str(getattr(draft.slots["p"], field, "")) for field in ("name", "first"))
    grown = bool(role) or "." in name or name.startswith(("Coach", "Farmer", "Aunt", "Uncle", "Miss "))
    return draft.rng.randint(28, 70) if grown else draft.rng.randint(6, 14)


def _age(draft: Draft) -> Fact | None:
    if not _has_person(draft):
        return None
    draft.count("z", _years(draft))
    return Fact(
        draft.pick(
            (
                "{p~} is {z} years old",
                "{p~} turned {z} last week",
                "{p}, who is {z}, likes math",
                "{p~} [is in a club with|knows|lives with] {z} other [people|children]",
                "{p~} lives at {z} [Main|Oak|Hill] Street",
                "{p~} [has lived|lives] {z} miles from [the city|the sea|the airport]",
                "{p~} has been up for {z} hours" if draft.amounts["z"].value <= 14 else "{p~} is {z}",
                "{p~} has {z} cousins"
                if draft.amounts["z"].value <= 14
                else "{p~} has worked there for {z} months",
                "it took {p~.him} {z} minutes to get there",
            )
        ),
        loose=False,
    )


def _date(draft: Draft) -> Fact | None:
    draft.count("z", draft.rng.randint(2, 28))
    draft.set(zmonth=draft.pick(words.MONTHS), zday=draft.pick(words.WEEKDAYS))
    return Fact(
        draft.pick(
            (
                "this happened on {zmonth} {z}",
                "it was {zday}, {zmonth} {z}",
                "it was {z} degrees outside",
                "the bus stop is {z} blocks away",
                "it took {z} minutes to get there",
                "there are {z} students in the class"
                if draft.amounts["z"].value >= 12
                else "{z} [dogs|cars|birds] went by",
                "the store opens at {z} o'clock"
                if draft.amounts["z"].value <= 11
                else "the house is on {z} Elm Street",
            )
        ),
        loose=False,
    )


def _subset(draft: Draft) -> Fact | None:
    """Some of the things are of a sort that does not matter."""
    thing, first = draft.slots.get("t"), draft.amounts.get("a")
    if not isinstance(thing, Thing) or thing.kind != "count" or first is None or first.value < 4:
        return None
    draft.count("z", draft.rng.randint(2, int(first.value) - 1))
    return Fact(
        draft.pick(
            (
                "{z} of the {t} [were|are] [old|new|dirty|striped|tiny|heavy|dusty|marked]",
                "{z} of them [were|are] [spotted|torn|cracked|scratched|faded|shiny]",
                "{z} of the {t} had [spots|labels|cracks|stickers]",
            )
        ),
        loose=False,
    )


_PREFIXES = (
    "with {z} [friends|people|teachers|children] watching, ", "on day {z} of the [trip|camp|fair|festival], ", "in [room|hall|building|apartment] {z}, ", "at [table|gate|stand|counter] {z}, ",
    "after a {z}-minute [walk|break|drive|rest], ", "in just {z} minutes, ", "at the age of {z}, ", "on bus {z}, ", "in grade {z}, ", "after {z} days of rain, ", "{z} miles from home, ", "in week {z} of the year, ",
    "with {z} [cousins|neighbors|classmates] helping, ", "during a {z}-day [trip|visit|sale], ", "for the {z} [judges|guests|visitors], ",
)  # fmt: skip


_NEUTRAL = (
    "after {z} days of rain, ",
    "on day {z} of the [month|year|trip], ",
    "in week {z} of the year, ",
    "for the last {z} days, ",
)


def _prefix(draft: Draft) -> Fact | None:
    """A circumstance with a number opens the first fact."""
    first = draft.facts[0]
    if not first.text.startswith(("{p", "{q", "there")) or not first.loose:
        return None
    draft.count("z", draft.rng.randint(2, 14))
    prefixes = _PREFIXES if first.text.startswith("{") else _NEUTRAL
    draft.facts[0] = Fact(draft.pick(prefixes) + first.text, first.lead, first.loose)
    return NOTHING


def _aside(draft: Draft) -> Fact | None:
    """The first person's age or the like stands in commas behind the name."""
    first = draft.facts[0]
    subject = next((name for name in ("{p} ", "{p~} ") if first.text.startswith(name)), "")
    if not subject or not _has_person(draft):
        return None
    draft.count("z", _years(draft))
    aside = draft.pick((", {z}, ", ", who is {z}, ", ", who has {z} books at home, ", ", the captain of a team of {z}, ", ", who lives in house {z}, ", " (age {z}) "))  # fmt: skip
    draft.facts[0] = Fact("{p}" + aside + first.text.removeprefix(subject), first.lead, first.loose)
    return NOTHING


#: What a way of distracting gives back that has changed a fact instead of adding one.
NOTHING = Fact("")


def _price(draft: Draft) -> Fact | None:
    thing = draft.slots.get("t")
    if not isinstance(thing, Thing) or thing.kind != "count":
        return None
    draft.money("z", draft.between(1, 12))
    return Fact(
        draft.pick(
            (
                "each {t.one} costs {Z}",
                "{an}{t.one} costs {Z} at the store",
                "the {t} cost {Z} in all",
            )
        ),
        loose=False,
    )


def _other_place(draft: Draft) -> Fact | None:
    draft.count("z", draft.between(2, 60))
    return Fact(
        draft.pick(
            (
                "{z} other {t} were far away",
                "the day before, there were {z} {t@z}",
                "a sign said that {z} [trees|benches|lamps] stand there",
            )
        ),
        loose=False,
    )


def _other_price(draft: Draft) -> Fact | None:
    noun, low, high = draft.pick(words.GOODS)
    if noun == getattr(draft.slots.get("g"), "one", ""):
        return None
    draft.money("z", draft.between(low, high))
    draft.set(zgood=noun)
    return Fact(
        draft.pick(("{an}{zgood} costs {Z}", "the store also sells {an}{zgood} for {Z}")), loose=False
    )


def _other_age(draft: Draft) -> Fact | None:
    draft.person("zz", roles=False)
    draft.count("z", draft.rng.randint(5, 50))
    return Fact(draft.pick(("{zz} is {z} [years old|]", "{p~.s} [friend|cousin] {zz} is {z}")), loose=False)


_ANYWHERE = frozenset({"date", "other_price"})
_WAYS = {
    "other_thing": _other_thing,
    "other_person": _other_person,
    "third_person": _third_person,
    "age": _age,
    "date": _date,
    "price": _price,
    "subset": _subset,
    "prefix": _prefix,
    "aside": _aside,
    "other_place": _other_place,
    "other_price": _other_price,
    "other_age": _other_age,
}

"""Stocks: one or two sorts of things, or two owners, each with a start, a change and an end.

Two of the three are told for every sort, in the same words, and the question picks one; so each number may be the
one that does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from text2math.data.stories.grammar import listed
from text2math.data.stories.parts import size_of
from text2math.data.stories.world import (
    ME,
    Draft,
    Fact,
    Scene,
    Thing,
    another,
    crowds,
    kinds_of,
    measured,
    scenes,
)
from text2math.data.stories.worlds import Choice, tell_world


@dataclass(frozen=True, slots=True)
class Stock:
    """What is on the stage: the sorts (or owners), whether it grows, who owns it (a person, or a place)."""

    count: int
    owners: bool
    gain: bool
    place: bool
    scene: Scene
    moved: tuple[int, ...]  # the sorts that change; the others stand by
    short: bool = False  # "3 red and 5 blue balls"

    def noun(self, index: int) -> str:
        """The slot of a sort's noun."""
        return "{t}" if self.owners else f"{{k{index}}}"

    def owner(self, index: int, form: str = "") -> str:
        """The slot of a sort's owner."""
        return "{" + ("pqu"[index] if self.owners else "p~") + form + "}"


def stock(draft: Draft) -> None:
    """Starts, changes and ends of one to three sorts; asked: any of them, sums, differences."""
    world = _open(draft)
    asked = draft.pick(("end", "end", "change", "start"))
    tellers = {"end": (_starts, _changes), "change": (_starts, _ends), "start": (_changes, _ends)}
    first, second = tellers[asked]
    opening, closing = first(draft, world), second(draft, world)
    if asked == "change" and draft.chance(0.8):
        opening.append(_something(draft, world))
    elif asked == "start" and draft.chance(0.6):
        opening.insert(0, _some(draft, world))
    if asked == "end" and len(opening) == len(closing) == 1 and not world.gain and draft.chance(0.3):
        opening, closing = [opening[0] + draft.pick((", but ", " but ", " and ")) + closing[0]], []
    facts = (*opening, *closing)
    draft.facts = [Fact(text) for text in facts]
    tell_world(draft, facts, _choices(draft, world, asked))
    draft.kind = "change"
    draft.spare = ["age", "date", "other_person"]


def _open(draft: Draft) -> Stock:
    luck = draft.rng.random()
    pool = crowds() if luck < 0.15 else measured() if luck < 0.25 else scenes()
    scene = draft.pick(pool)
    thing = draft.pick(scene.things)
    draft.set(t=thing)
    draft.tense = "past"
    draft.person("p", roles=luck > 0.5)
    owners = draft.chance(0.3) and pool is not crowds()
    count = draft.pick((1, 2, 2, 2, 3))
    sorts = [thing] * 3
    if not owners and thing.kind == "count":
        sorts = kinds_of(draft, scene, 3)
        if draft.chance(0.5) or len(sorts) < 3:
            sorts = [thing]
            for _ in range(2):
                sorts.append(another(draft, scene, "k", *sorts))
    elif not owners:
        count = 1
    if count == 1:
        sorts = [thing]
    gain = draft.chance(0.5)
    place = (bool(scene.spot) and not owners and draft.chance(0.5)) or pool is crowds()
    for index, sort in enumerate(sorts):
        draft.set(**{f"k{index}": sort})
    for slot in "qu"[: count - 1] if owners else "":
        draft.person(slot, roles=False)
    if not place and draft.chance(0.08):
        draft.slots["p"] = ME
    draft.relative("r", draft.slots["p"])  # type: ignore[arg-type]
    moving = pool is crowds()
    verbs = (scene.come if moving else scene.gain) if gain else scene.go if moving else scene.lose
    draft.act("v", [verb for verb in verbs if not verb.startswith("be ") and " and " not in verb])
    draft.set(spot=draft.pick(scene.spot) if scene.spot else "")
    moved = tuple(range(count))
    if count > 1 and draft.chance(0.45):
        moved = (draft.rng.randint(0, count - 1),)
    kinds = count > 1 and not owners and all(sort.many.endswith(" " + thing.many) for sort in sorts)
    for index, sort in enumerate(sorts if kinds else ()):
        draft.set(**{f"j{index}": sort.many.removesuffix(" " + thing.many)})
    world = Stock(count, owners, gain, place, scene, moved, kinds and draft.chance(0.4))
    for index in range(count):
        _amounts(draft, world, index, sorts[index])
    return world


def _amounts(draft: Draft, world: Stock, index: int, sort: Thing) -> None:
    low, high = size_of(draft, world.scene)
    parts = 1 if sort.kind == "count" else draft.pick((1, 10, 10, 100))
    start = Fraction(draft.between((low + 2) * parts, (high + 3) * parts), parts)
    most = high * parts if world.gain else int(start * parts) - 1
    change = Fraction(draft.between(1, most) if world.gain else draft.rng.randint(1, most), parts)
    end = start + change if world.gain else start - change
    for name, value in (("a", start), ("b", change), ("c", end)):
        draft.amount(f"{name}{index}", value, sort)


def _phrases(draft: Draft, world: Stock, name: str, *, shuffled: bool = False) -> list[tuple[int, str]]:
    """The amounts of one time, by sort."""
    order = list(range(world.count) if name == "a" else world.moved)
    if shuffled:
        draft.rng.shuffle(order)
    phrases = [(index, f"{{{name.upper()}{index}}}") for index in order]
    if name == "a" and world.short:
        phrases[:-1] = [(index, f"{{a{index}}} {{j{index}}}") for index in order[:-1]]
    return phrases


def _starts(draft: Draft, world: Stock) -> list[str]:
    phrases = _phrases(draft, world, "a")
    lead = draft.pick(("", "", "", "at first, ", "in the beginning, ", "this morning, ", "last week, "))
    if world.owners:
        if draft.chance(0.5):
            return [f"{lead}{world.owner(index, '+%have')} {amount}" for index, amount in phrases]
        return [lead + listed([f"{world.owner(index)} had {amount}" for index, amount in phrases])]
    amounts = listed([amount for _, amount in phrases])
    if world.place:
        return [
            draft.pick(
                (
                    f"{lead}there were {amounts} {{spot}}",
                    f"{amounts} were {{spot}}",
                    f"there were {amounts} {{spot}} [to begin with|before|yesterday|]",
                )
            )
        ]
    return [
        draft.pick(
            (
                f"{lead}{{p~+%have}} {amounts}",
                f"{{p~+%start}} with {amounts}",
                f"{{p~+%have}} {amounts}",
                f"{{p~+%own}} {amounts}",
            )
        )
    ]


def _changes(draft: Draft, world: Stock) -> list[str]:
    phrases = _phrases(draft, world, "b", shuffled=True)
    lead = draft.pick(("", "", "then ", "later, ", "after that, ", "today, ", "the next day, "))
    if world.owners:
        verb = "+%$v"
        return [f"{world.owner(index, verb)} {amount}" for index, amount in phrases]
    amounts = listed([amount for _, amount in phrases])
    more = listed([amount[:-1] + ".more}" for _, amount in phrases]) if draft.chance(0.5) else amounts
    if not world.scene.gain:
        return [f"{lead}{more if world.gain else amounts} {{v.go}}"]
    some = listed([f"{{b{index}}} of the {world.noun(index)}" for index, _ in phrases])
    taken = some if draft.chance(0.3) and draft.thing.kind == "count" else amounts
    event = draft.pick(_EVENTS[world.gain, world.place])
    return [lead + event.replace("<x>", more if world.gain else taken)]


#: Events by whether things come and whether a place holds them; <x> is what comes or goes.
_EVENTS: dict[tuple[bool, bool], tuple[str, ...]] = {
    (True, False): ("{p~+%$v} <x>", "{r+%give} {p~.him} <x>", "{r+%bring} <x>", "{p~+%get} <x>"),
    (True, True): (
        "{p~+%add} <x>",
        "{p~+%put} <x> there",
        "{p~+%place} <x> there",
        "<x> were added",
        "{p~+%bring} <x>",
    ),
    (False, False): (
        "{p~+%$v} <x>",
        "{p~+%$v} <x>",
        "{p~+%give} <x> to {r}",
        "{r+%take} <x>",
        "{p~+%lose} <x>",
    ),
    (False, True): ("{p~+%take} <x> [away|]", "{p~+%$v} <x>", "<x> were taken away", "{p~+%remove} <x>"),
}


def _something(draft: Draft, world: Stock) -> str:
    """The change, without its amount."""
    some = "some" if not world.gain else "some more"
    thing = world.noun(world.moved[0]) if len(world.moved) == 1 else "of them" if not world.gain else "{t}"
    if draft.thing.kind != "count":
        thing = "{t.stuff}"
    if world.owners and len(world.moved) == 1:
        return world.owner(world.moved[0], "+%$v") + " some"
    if world.owners:
        return "both of them {v.past} some" if world.count == 2 else "they all {v.past} some" if world.count > 2 else "{p~+%$v} some"  # fmt: skip
    if len(world.moved) > 1 and world.gain:
        thing = "of both" if world.count == 2 else "of each"
        some = "some"
    if not world.scene.gain:
        return "some more {v.go}" if world.gain else "some of them {v.go}"
    if world.place:
        return f"{{p~+%{'add' if world.gain else 'take'}}} {some} {thing}"
    return draft.pick((f"{{p~+%$v}} {some} {thing}", f"{{r+%give}} {{p~.him}} {some} {thing}" if world.gain else f"{{p~+%give}} {some} {thing} to {{r}}"))  # fmt: skip


def _some(draft: Draft, world: Stock) -> str:
    """The start, without its amount."""
    some = listed(
        [f"some {world.noun(index)}" for index in (world.moved[:1] if world.owners else world.moved)]
    )
    if draft.thing.kind != "count":
        some = "some {t.stuff}"
    if world.owners:
        return f"{listed([world.owner(index) for index in world.moved])} had {some}"
    return f"there were {some} {{spot}}" if world.place else f"{{p~+%have}} {some}"


def _ends(draft: Draft, world: Stock) -> list[str]:
    phrases = _phrases(draft, world, "c", shuffled=draft.chance(0.4))
    if world.owners:
        return [f"[now|] {world.owner(index, '+have')} {amount}" for index, amount in phrases]
    amounts = listed([amount for _, amount in phrases])
    left = "" if world.gain else " left"
    if world.place:
        return [
            draft.pick(
                (
                    f"now there are {amounts} {{spot}}",
                    f"there are now {amounts} {{spot}}",
                    f"there are {amounts}{left} {{spot}} [now|]",
                    f"when {{p~}} was done, there were {amounts} {{spot}}"
                    if world.scene.gain
                    else f"in the end, there were {amounts} {{spot}}",
                )
            )
        ]
    return [
        draft.pick(
            (
                f"now {{p~+have}} {amounts}",
                f"{{p~+have}} {amounts}{left} now",
                f"{{p~}} ended up with {amounts}",
                f"{{p~+have}} {amounts}{left}",
            )
        )
    ]


# Asking ----------------------------------------------------------------------------------------------------


def _choices(draft: Draft, world: Stock, asked: str) -> list[Choice]:
    sign, back = ("+", "-") if world.gain else ("-", "+")
    choices: list[Choice] = []
    for index in world.moved:
        a, b, c = f"a{index}", f"b{index}", f"c{index}"
        if asked == "end":
            choices.append((_ask_end(world, index), (sign, a, b)))
        elif asked == "change":
            choices.append((_ask_change(draft, world, index), ("-", c, a) if world.gain else ("-", a, c)))
        else:
            choices.append((_ask_start(world, index), (back, c, b)))
    if world.count == 2 and draft.chance(0.6) and len(world.moved) == 2:
        sums = {
            "start": (_ask_start(world, -1), ("+", "a0", "a1")),
            "change": (_ask_change(draft, world, -1), ("+", "b0", "b1")),
            "end": (_ask_end(world, -1), ("+", "c0", "c1")),
        }
        choices += [choice for name, choice in sums.items() if name != asked]
    return choices


def _nouns(world: Stock, index: int) -> str:
    """The noun of a sort, or of both together."""
    return world.noun(index) if index >= 0 or world.owners else "{k0} and {k1}"


def _who(world: Stock, index: int) -> str:
    return "they" if index < 0 and world.owners else world.owner(max(index, 0)).replace("~", "")


def _ask_end(world: Stock, index: int) -> tuple[str, ...]:
    noun, who = _nouns(world, index), _who(world, index)
    does, has = (f"{{do {who[1:-1]}}}", who.replace("}", "+have}")) if who != "they" else ("do they", "they have")  # fmt: skip
    left = "left" if not world.gain else "in all"
    if world.place:
        return (
            f"how many {noun} are {{spot}} [now|] / / /",
            f"how many {noun} are there [now|{left}|in total|] / / /",
            f"how many {noun} are {'left' if not world.gain else 'there altogether'} / / /",
        )
    return (
        f"how many {noun} / {does} have / {has} / [now|{left}|{left}|]",
        f"how many {noun} / did {who} have / {who} had / [{left}|in the end|then]",
        f"how many {noun} / {does} now have / {has} now /",
    )


def _ask_change(draft: Draft, world: Stock, index: int) -> tuple[str, ...]:
    """The change, by the verb it was told with."""
    noun, who = _nouns(world, index), _who(world, index)
    told = " ".join(fact.text for fact in draft.facts)
    if not world.scene.gain:
        return (f"how many {noun} {{v.go}} / / /",)
    if world.owners or "$v" in told:
        return (f"how many {noun} / did {who} {{v}} / {who} {{v.past}} / [in all|altogether|]",)
    asked = []
    if world.gain:
        asked.append(
            f"how many {noun} were added / / /"
            if world.place
            else f"how many {noun} / did {who} get / {who} got / [in all|]"
        )
    else:
        asked.append(
            f"how many {noun} were taken away / / /" if world.place else f"how many {noun} are gone / / /"
        )
    for verb, past in (
        ("add", "added"),
        ("take", "took"),
        ("bring", "brought"),
        ("remove", "removed"),
        ("lose", "lost"),
    ):
        if f"{{p~+%{verb}}}" in told:
            asked.append(f"how many {noun} / did {who} {verb} / {who} {past} /")
    if "{p~+%give}" in told:
        asked.append(f"how many {noun} / did {who} give to {{r}} / {who} gave to {{r}} /")
    if "{r+%give}" in told:
        asked.append(f"how many {noun} / did {{r}} give {{p.him}} / {{r}} gave {{p.him}} /")
    return tuple(asked)


def _ask_start(world: Stock, index: int) -> tuple[str, ...]:
    noun, who = _nouns(world, index), _who(world, index)
    first = "[at first|in the beginning|to start with|before|originally|to begin with]"
    if world.place:
        return (f"how many {noun} were {{spot}} {first} / / /", f"how many {noun} were there {first} / / /")
    return (
        f"how many {noun} / did {who} have / {who} had / {first}",
        f"how many {noun} / did {who} start with / {who} started with /",
    )

"""Amounts that unfold: "12 apples" told as "3 bags of 4 apples" or "5 red apples and 7 green ones".

A family asks for an amount; while the draft has steps to spare the amount may be told by its parts, and the gold
grows by a step.
"""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories.grammar import plural
from text2math.data.stories.world import Draft, Gold, Phrase, Scene, Thing, kinds_of

_PRODUCTS = (
    "{%x} %boxes of {%y} %things [each|]",
    "{%x} %boxes with {%y} %things in each",
    "{%x} %boxes, each with {%y} %things",
    "{%x} %boxes that [each hold|hold|contain] {%y} %things [each|apiece]",
    "{%x} %boxes of %things with {%y} in each %box",
)
_SUMS = (
    "{%x} %first and {%y} %second",
    "{%x} %first plus {%y} %second",
    "{%x} %first and also {%y} %second",
)


def told(draft: Draft, key: str, value: int | Fraction, scene: Scene) -> Gold:
    """Put an amount of the draft's thing into slot ``key`` and its phrase into ``KEY``; give back its gold."""
    thing = draft.thing
    if draft.extra and thing.kind == "count" and Fraction(value).denominator == 1:
        gold = _unfolded(draft, key, int(value), scene)
        if gold:
            draft.extra -= 1
            return gold
    return draft.amount(key, value)


def _unfolded(draft: Draft, key: str, value: int, scene: Scene) -> Gold | None:
    if not scene.gain:  # people and animals come in sorts, not in boxes
        return as_sum(draft, key, value, scene)
    if draft.chance(0.55):
        return as_sum(draft, key, value, scene) or as_product(draft, key, value, scene)
    return as_product(draft, key, value, scene) or as_sum(draft, key, value, scene)


def as_sum(draft: Draft, key: str, value: int, scene: Scene) -> Gold | None:
    """An amount told as two sorts."""
    if value < 5 or len(scene.kinds) < 2:
        return None
    first, second = kinds_of(draft, scene, 2)
    x, y = f"{key}1", f"{key}2"
    part = draft.rng.randint(2, value - 2)
    draft.count(x, part)
    draft.count(y, value - part)
    short = draft.chance(0.3)
    names = {"%first": _noun(first, part), "%second": _noun(second, value - part)}
    if short:
        names["%first"] = first.one.removesuffix(" " + draft.thing.one)
    draft.slots[key.upper()] = Phrase(_fill(draft.pick(_SUMS), x, y, names))
    return ("+", x, y)


def as_product(draft: Draft, key: str, value: int, scene: Scene) -> Gold | None:
    """An amount told as equal groups."""
    sizes = [size for size in range(2, min(25, value // 2 + 1)) if value % size == 0 and value // size <= 40]
    if not sizes:
        return None
    size = draft.pick(sizes)
    x, y = f"{key}1", f"{key}2"
    draft.count(x, value // size)
    draft.count(y, size)
    box = draft.pick(scene.box)
    names = {"%boxes": plural(box), "%box": box, "%things": draft.thing.many}
    draft.slots[key.upper()] = Phrase(_fill(draft.pick(_PRODUCTS), x, y, names))
    return ("*", x, y)


def _noun(thing: Thing, value: int) -> str:
    return thing.one if value == 1 else thing.many


def _fill(template: str, x: str, y: str, names: dict[str, str]) -> str:
    filled = template.replace("{%x}", f"{{{x}}}").replace("{%y}", f"{{{y}}}")
    for name, text in sorted(names.items(), key=lambda pair: -len(pair[0])):
        filled = filled.replace(name, text)
    return filled


def factors(draft: Draft, high: int, *, least: int = 2) -> tuple[int, int]:
    """Two whole numbers whose product stays plausible: (number of groups, size of one)."""
    groups = draft.between(least, 12 if draft.chance(0.8) else 30)
    size = draft.between(least, max(least + 1, min(high // groups, 12 if draft.chance(0.6) else 60)))
    return groups, size


def size_of(draft: Draft, scene: Scene) -> tuple[int, int]:
    """The least and most of one amount in this story: mostly small, now and then as large as the scene allows."""
    low, high = scene.size
    luck = draft.rng.random()
    if luck < 0.4:
        high = min(high, 20)
    elif luck < 0.8:
        high = min(high, 100)
    return low, max(high, low + 6)


def measure(draft: Draft, scene: Scene, low: int, high: int) -> Fraction:
    """An amount that fits the draft's thing: whole for counts, often a decimal for stuff and money."""
    if draft.thing.kind == "count" or draft.chance(0.45):
        return Fraction(draft.between(low, high))
    if draft.style == "fraction":
        return Fraction(draft.between(low * 4, high * 4), 4)
    if draft.thing.kind == "money":
        return (
            Fraction(draft.between(low * 100, high * 100), 100)
            if draft.chance(0.7)
            else Fraction(draft.between(low, high))
        )
    return Fraction(draft.between(low * 10, high * 10), 10)

"""The generator: stories without end, the same for the same seed.

>>> stories = list(generate(3, seed=7))
>>> stories == list(generate(3, seed=7))
True
>>> {story.kind for story in generate(5, seed=1, kinds=["compare"])}
{'compare'}
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from text2math.data.leaks import mask_numbers
from text2math.data.stories import (
    chain,
    change,
    combine,
    compare,
    cues,
    equations,
    everyday,
    groups,
    parcels,
    rates,
    sayings,
    sides,
    situations,
    stock,
    tally,
    terse,
    vignettes,
    worlds,
)
from text2math.data.stories.distract import decorate, distract
from text2math.data.stories.mathematics import leaves, signs, solution, steps, uncrossed, value
from text2math.data.stories.pairs import pair
from text2math.data.stories.public import is_reserved
from text2math.data.stories.telling import roughen, tell
from text2math.data.stories.world import Draft, Family, Gold
from text2math.language.numbers import find_quantities
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.expression import Expression, Number, Operation, Operator, Variable

#: Who tells what, and how often.
ARITHMETIC: tuple[tuple[Family, float], ...] = (
    (change.change, 2.2), (change.crowd, 1.0), (change.balance, 0.8),
    (combine.people, 0.9), (combine.sorts, 0.8), (combine.days, 0.8), (combine.shopping, 0.6), (combine.places, 0.5),
    (compare.owners, 1.5), (compare.sizes, 0.7), (compare.ages, 0.5), (compare.scaling, 1.6), (compare.prices, 0.5),
    (groups.packing, 2.6), (groups.sharing, 2.0), (groups.seating, 1.2), (groups.arrays, 1.2),
    *worlds.WORLDS, *situations.SITUATIONS, *chain.CHAINS, *cues.CUES,
    (rates.price, 1.8), (rates.speed, 1.1), (rates.work, 1.4), (rates.banknote, 0.8), (rates.parts, 1.2),
    (tally.tally, 6.0), (stock.stock, 3.8), (sides.sides, 3.2), (parcels.parcels, 3.0), (parcels.deals, 4.6),
    (terse.numbers, 0.5), (terse.lines, 2.0), (terse.comings, 1.2),
    (vignettes.vignette, 2.8), (vignettes.portions, 1.0), (everyday.receipts, 1.6), (everyday.measures, 1.6), (everyday.either, 0.4),
    (everyday.needs, 0.6), (everyday.ways, 0.7),
)  # fmt: skip

KINDS = (
    "change", "combine", "compare", "scaling", "groups", "sharing", "array", "area", "price", "speed", "rate", "money", "equation",
)  # fmt: skip
DIFFICULTIES = ("easy", "medium", "hard")
NUMBERS = ("small", "large", "decimal", "fraction", "words")
SOURCE = "stories"  # of examples: where they say they are from

_OPERATORS = {operator.value: operator for operator in Operator}
_ATTEMPTS = 2000


@dataclass(frozen=True, slots=True)
class Story:
    """A generated problem: the text, the mathematics over its quantities, and what kind of problem it is."""

    id: str
    text: str
    expression: Expression
    answer: Fraction | None
    kind: str
    steps: int
    difficulty: str
    distractors: int
    groundings: tuple[tuple[str, int, int], ...] = ()
    pair: str = ""

    def example(self) -> Example:
        """The story as an example: the text read, with tokens and parts of speech."""
        problem: Problem = read_problem(self.text, id=self.id)
        metadata = (
            ("kind", self.kind),
            ("steps", str(self.steps)),
            ("difficulty", self.difficulty),
            ("pair", self.pair),
        )
        return Example(problem, self.expression, self.answer, self.groundings, SOURCE, metadata)


def generate(
    count: int,
    seed: int = 0,
    *,
    kinds: Collection[str] | None = None,
    operators: Collection[str] | None = None,
    steps: Collection[int] | None = None,
    numbers: str | None = None,
    distractors: bool | None = None,
    difficulty: str | None = None,
    pairs: bool = False,
    avoid: Iterable[str] = (),
) -> Iterator[Story]:
    """Stories that fit the filters, without repetition of a text; the same ones for the same seed.

    ``kinds`` from ``KINDS``, ``operators`` as signs ("+", "-", "*", "/"): a story uses only these; ``steps``: the
    numbers of operations wanted; ``numbers`` from ``NUMBERS``; ``distractors``: with or without numbers that do not
    matter; ``difficulty`` from ``DIFFICULTIES``; ``pairs``: minimal pairs, two by two,
    linked by ``pair``; ``avoid``: texts of which no story may be a copy, numbers masked.

    >>> [story.steps for story in generate(4, seed=3, kinds=["groups"], steps=[2])]
    [2, 2, 2, 2]
    """
    wanted = _Wanted(kinds, operators, steps, numbers, distractors, difficulty)

    def attempt(made: int, tries: int) -> tuple[Story, ...]:
        rng = random.Random(f"{seed}/{made}/{tries}")
        name = f"stories-{seed}-{made}"
        return _attempt_pair(rng, wanted, name) if pairs else _attempt(rng, wanted, name)

    yield from without_repetition(count, attempt, avoid)


def without_repetition(
    count: int, attempt: Callable[[int, int], tuple[Story, ...]], avoid: Iterable[str] = ()
) -> Iterator[Story]:
    """So many stories from attempts, no text twice and none that is a copy of one in ``avoid``, numbers masked.

    An attempt is told how many stories there are so far and how many attempts have failed since the last one.
    """
    avoided = {mask_numbers(text) for text in avoid}
    seen: set[str] = set()
    made = tries = 0
    while made < count:
        stories = attempt(made, tries)
        tries += 1
        # Most calls avoid nothing, and masking takes a while.
        copied = bool(avoided) and any(mask_numbers(story.text) in avoided for story in stories)
        if not stories or copied or any(story.text in seen for story in stories):
            if tries > _ATTEMPTS:
                raise ValueError(f"no story fits after {_ATTEMPTS} attempts; ask for fewer filters at once")
            continue
        seen.update(story.text for story in stories)
        tries = 0
        made += len(stories)
        yield from stories


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The filters."""

    kinds: Collection[str] | None
    operators: Collection[str] | None
    steps: Collection[int] | None
    numbers: str | None
    distractors: bool | None
    difficulty: str | None

    def __post_init__(self) -> None:
        for kind in self.kinds or ():
            if kind not in KINDS:
                raise ValueError(f"no kind {kind!r}; choose from {', '.join(KINDS)}")
        for sign in self.operators or ():
            if sign not in "+-*/":
                raise ValueError(f"no operator {sign!r}; choose from + - * /")
        if self.numbers is not None and self.numbers not in NUMBERS:
            raise ValueError(f"no numbers {self.numbers!r}; choose from {', '.join(NUMBERS)}")
        if self.difficulty is not None and self.difficulty not in DIFFICULTIES:
            raise ValueError(f"no difficulty {self.difficulty!r}; choose from {', '.join(DIFFICULTIES)}")

    def fits(self, story: Story, draft: Draft) -> bool:
        """Whether a finished story passes the filters."""
        used = {operator for operator in signs(draft.gold) if operator != "="}
        return (
            (self.kinds is None or story.kind in self.kinds)
            and (self.operators is None or used <= set(self.operators))
            and (self.steps is None or story.steps in self.steps)
            and (self.distractors is None or bool(story.distractors) == self.distractors)
            and (self.difficulty is None or story.difficulty == self.difficulty)
            and (self.numbers is None or _has_numbers(draft, self.numbers))
        )


def _has_numbers(draft: Draft, numbers: str) -> bool:
    values = [draft.amounts[name].value for name in leaves(draft.gold) if name in draft.amounts]
    texts = [draft.amounts[name].text for name in leaves(draft.gold) if name in draft.amounts]
    match numbers:
        case "small":
            return all(value.denominator == 1 and value <= 20 for value in values)
        case "large":
            return any(value >= 100 for value in values)
        case "decimal":
            return any("." in text for text in texts)
        case "fraction":
            return any(
                value.denominator > 1 and "." not in text for value, text in zip(values, texts, strict=True)
            )
    return any(text[0].isalpha() for text in texts)


def _weights(families: Sequence[tuple[Family, float]]) -> tuple[list[Family], list[float]]:
    return [family for family, _ in families], list(accumulate(weight for _, weight in families))


_STORIES = _weights(ARITHMETIC)
_SENTENCES = _weights((*equations.EQUATIONS, (sayings.saying, 2.6)))
_EQUATION_SHARE = 0.2


def _attempt_pair(rng: random.Random, wanted: _Wanted, name: str) -> tuple[Story, ...]:
    """The two stories of a minimal pair, or nothing."""
    drafts = pair(rng)
    stories = []
    for draft, letter in zip(drafts, "ab", strict=True):
        story = finish(draft, f"{name}{letter}", pair=name)
        if story is None or not wanted.fits(story, draft):
            return ()
        stories.append(story)
    return tuple(stories) if stories[0].text != stories[1].text else ()


def _attempt(rng: random.Random, wanted: _Wanted, name: str) -> tuple[Story, ...]:
    """One story, or nothing."""
    kinds = wanted.kinds
    equation = rng.random() < _EQUATION_SHARE
    if kinds is not None:
        equation = "equation" in kinds and (equation or set(kinds) == {"equation"})
    families, weights = _SENTENCES if equation else _STORIES
    family = rng.choices(families, cum_weights=weights)[0]
    draft = Draft(rng)
    draft.style = draft.pick(("digits",) * 16 + ("words", "words", "mixed", "mixed", "fraction"))
    if not equation:
        draft.extra = _extra(rng, wanted.steps)
    if not equation and draft.chance(0.07):
        draft.currency = draft.pick((("€", "euro"), ("£", "pound"), ("₹", "rupee")))
    draft.british = draft.chance(0.5 if draft.currency[0] in "£€" else 0.05)
    family(draft)
    if kinds is not None and draft.kind not in kinds:
        return ()
    if draft.movable and draft.chance(0.5):
        rng.shuffle(draft.facts)
    if not equation and draft.layout != "bare":
        _embellish(draft, wanted.distractors)
    tell(draft)
    if not equation:
        roughen(draft)
    story = finish(draft, name)
    return (story,) if story is not None and wanted.fits(story, draft) else ()


def _extra(rng: random.Random, wanted: Collection[int] | None) -> int:
    if wanted is not None:
        return max(0, rng.choice(sorted(wanted)) - 1)
    return rng.choices((0, 1, 2), (66, 28, 6))[0]


def _embellish(draft: Draft, wanted: bool | None) -> None:
    if wanted is not False and (wanted or draft.chance(0.36)):
        distract(draft)
    if draft.chance(0.22):
        decorate(draft)


def finish(draft: Draft, name: str, pair: str = "") -> Story | None:
    """The finished draft as a story; None where it is not plausible, or its tree crosses in the text in every form."""
    places: dict[str, tuple[int, int]] = {}
    for key, start, end in draft.places:
        if key in places:
            return None
        places[key] = (start, end)
    used = list(leaves(draft.gold))
    constants = [key for key in used if key in draft.amounts]
    if len(set(constants)) != len(constants) or any(key not in places for key in constants):
        return None
    order = {key: places[key][0] for key in constants}
    gold = uncrossed(draft.gold, order)
    if gold is None:
        return None
    index = _indices(draft, places)
    if index is None or any(key not in index for key in constants):
        return None
    equation = gold[0] == "=" if not isinstance(gold, str) else False
    if is_reserved(draft.text):
        return None
    names, groundings = _grounded(draft, gold)
    amounts = {key: amount.value for key, amount in draft.amounts.items()}
    answer = solution(gold, amounts) if equation else _answer(gold, amounts)
    if not equation and answer is None:
        return None
    spare = len(draft.amounts.keys() & places.keys()) - len(constants)
    count = steps(gold)
    return Story(
        name,
        draft.text,
        _expression(gold, draft, index, names),
        answer,
        draft.kind,
        count,
        _difficulty(draft, count, spare),
        spare,
        groundings,
        pair,
    )


def _indices(draft: Draft, places: dict[str, tuple[int, int]]) -> dict[str, int] | None:
    """For each amount of the text the index of the recognised quantity that stands there; None where one is missed."""
    quantities = find_quantities(draft.text)
    index: dict[str, int] = {}
    for key, (start, end) in places.items():
        if key not in draft.amounts:
            continue
        for position, quantity in enumerate(quantities):
            if quantity.start < end and start < quantity.end and quantity.value == draft.amounts[key].value:
                index[key] = position
                break
    return index if len(set(index.values())) == len(index) else None


def _answer(gold: Gold, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """The exact answer where it is plausible: positive, and whole where whole things are counted."""
    try:
        result = value(gold, amounts)
    except ZeroDivisionError:
        return None
    whole = all(amounts[key].denominator == 1 for key in leaves(gold))
    plausible = 0 < result < 10**8 and (result.denominator == 1 if whole else result.denominator <= 1000)
    return result if plausible else None


def _difficulty(draft: Draft, count: int, spare: int) -> str:
    values = [draft.amounts[key].value for key in leaves(draft.gold) if key in draft.amounts]
    points = 2 * (count - 1) + spare + any(v.denominator > 1 for v in values) + any(v >= 100 for v in values)
    return DIFFICULTIES[min(2, (points + 1) // 2)]


def _grounded(draft: Draft, gold: Gold) -> tuple[dict[str, str], tuple[tuple[str, int, int], ...]]:
    """The unknowns numbered by first mention, and the phrase each stands for."""
    spans: dict[str, tuple[int, int]] = {}
    for key, start, end in draft.phrases:
        text = draft.text[start:end]
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        if end > start:
            spans.setdefault(key, (start, end))
    used = [key for key in dict.fromkeys(leaves(gold)) if key not in draft.amounts]
    for key in used:
        spans.setdefault(key, spans.get("X1", (0, 0)))
    ordered = sorted(used, key=lambda key: (spans[key], key))
    names = {key: f"X{position}" for position, key in enumerate(ordered, 1)}
    return names, tuple((names[key], *spans[key]) for key in ordered)


def _expression(gold: Gold, draft: Draft, index: dict[str, int], names: dict[str, str]) -> Expression:
    if isinstance(gold, str):
        if gold in names:
            return Variable(int(names[gold][1:]))
        return Number(draft.amounts[gold].value, index[gold])
    sign, left, right = gold
    return Operation(
        _OPERATORS[sign], _expression(left, draft, index, names), _expression(right, draft, index, names)
    )

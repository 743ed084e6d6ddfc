"""The generator: any number of retold exercises, the same for the same random seed.

>>> stories = list(generate(3, seed=7))
>>> stories == list(generate(3, seed=7))
True
>>> {story.kind for story in generate(5, seed=1, kinds=["compare"])}
{'compare'}
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import islice

from text2math.data.leaks import mask_numbers
from text2math.data.stories.exercise import BEYOND, KINDS, NUMBER, SYSTEM, Exercise, Question, with_values
from text2math.data.stories.retelling import retell
from text2math.data.stories.sheets import Sheets, exercises
from text2math.data.stories.story import DIFFICULTIES, JOINING, Story, as_story, crosses
from text2math.language.framing import problem_quantities
from text2math.mathematics.expression import Number, Operator, numbers, operators

NUMBERS = ("small", "large", "decimal", "fraction", "words")
SIGNS = tuple(one.value for one in Operator if one not in JOINING and one.inverse_of is None)
_ATTEMPTS = 2000
_ATTEMPTS_PER_QUESTION = 8


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
    larger: bool | None = None,
    pairs: bool = False,
    sheets: Sheets = "all",
    avoid: Iterable[str] = (),
) -> Iterator[Story]:
    """Exercises that match the filters, retold; no text is repeated, and a random seed always gives the same.

    - ``kinds``: some of ``KINDS``; by default all but ``beyond`` (questions that the grammar can't answer).
    - ``operators``: signs from ``SIGNS``; a story uses no others.
    - ``larger``: only stories that need the larger grammar (True), or only others (False), which use + - * /
      or one equation, and each number of the text once.
    - ``steps``: allowed numbers of operations. ``numbers``: one of ``NUMBERS``. ``difficulty``: one of
      ``DIFFICULTIES``. ``distractors``: with or without irrelevant numbers.
    - ``pairs``: minimal pairs, one story with two of its questions, linked by ``pair``.
    - ``sheets``: all, those of the first training stage, or those that it holds out.
    - ``avoid``: texts that no story may copy, numbers masked.

    >>> [story.steps for story in generate(4, seed=3, kinds=["groups"], steps=[2])]
    [2, 2, 2, 2]
    >>> one, two = generate(2, seed=1, kinds=["groups"], pairs=True)
    >>> one.pair == two.pair and one.expression != two.expression
    True
    """
    filters = _Filters(kinds, operators, steps, numbers, distractors, difficulty, larger)
    chosen = list(filters.exercises(sheets, questions=2 if pairs else 1))
    tell = partial(_pair if pairs else _single, knowledge=larger is not False)
    avoided = {mask_numbers(text) for text in avoid}
    seen: set[str] = set()

    def is_new(story: Story) -> bool:
        # Most calls avoid nothing, and masking is slow.
        return story.text not in seen and not (avoided and mask_numbers(story.text) in avoided)

    made = 0
    while made < count:
        name = f"stories-{seed}-{made}"
        rngs = (random.Random(f"{seed}/{made}/{attempt}") for attempt in range(_ATTEMPTS if chosen else 0))
        attempts = (tell(rng, chosen, name) for rng in rngs)
        found = next((one for one in attempts if one and all(is_new(x) and filters.fit(x) for x in one)), ())
        if not found:
            raise ValueError(f"no new story fits after {_ATTEMPTS} attempts; use fewer filters")
        seen |= {story.text for story in found}
        made += len(found)
        yield from found


def every_question(
    sheets: Sheets = "all",
    seed: int = 0,
    *,
    larger: bool | None = None,
    beyond: bool = False,
    share: float = 1.0,
) -> Iterator[Story]:
    """Every question of every exercise, retold once, except those for which no attempt is plausible.

    ``larger`` is as for ``generate``; with ``beyond``, also the questions that are beyond the grammar. With a
    ``share``, only that part of the questions, drawn at random.
    """
    for exercise in exercises(sheets):
        for number, question in enumerate(exercise.questions):
            if not (_is_wanted(exercise, question, larger) and (beyond or question.expression is not None)):
                continue
            name = f"{exercise.name}.{number}"
            if share < 1 and random.Random(f"share {seed}/{name}").random() >= share:
                continue
            rng = random.Random(f"questions {seed}/{name}")
            retellings = (retell(exercise, question, rng) for _ in range(_ATTEMPTS_PER_QUESTION))
            found = (as_story(one, name, knowledge=larger is not False) for one in retellings)
            yield from islice((story for story in found if story is not None), 1)


def _is_wanted(exercise: Exercise, question: Question, larger: bool | None) -> bool:
    return larger is None or larger is needs_larger(exercise, question)


@cache
def needs_larger(exercise: Exercise, question: Question) -> bool:
    """Whether a question needs the larger grammar, if only because its numbers cross in the text."""
    if not question.plain:
        return True
    if question.expression is None:
        return False
    text = f"{exercise.story} {question.wordings[0]}"
    order = [exercise.letters.index(letter) for letter, _ in NUMBER.findall(text)]
    ordered = {number: Number(Fraction(0), place) for place, number in enumerate(order)}
    values = [ordered.get(number, Number(Fraction(0))) for number in range(len(exercise.letters))]
    return crosses(with_values(question.expression, values))


def _single(
    rng: random.Random, chosen: Sequence[Exercise], name: str, *, knowledge: bool
) -> tuple[Story, ...]:
    exercise = rng.choice(chosen)
    retelling = retell(exercise, rng.choice(exercise.questions), rng)
    story = as_story(retelling, name, knowledge=knowledge)
    return () if story is None else (story,)


def _pair(rng: random.Random, chosen: Sequence[Exercise], name: str, *, knowledge: bool) -> tuple[Story, ...]:
    """An exercise retold twice in the same words, with two of its questions."""
    exercise = rng.choice(chosen)
    questions, seed = rng.sample(exercise.questions, 2), rng.random()
    retellings = [retell(exercise, question, random.Random(seed)) for question in questions]
    stories = [
        as_story(one, f"{name}{letter}", pair=name, knowledge=knowledge)
        for one, letter in zip(retellings, "ab", strict=True)
    ]
    found = tuple(story for story in stories if story is not None)
    return found if len(found) == 2 and _are_minimal_pair(*found) else ()


def _are_minimal_pair(one: Story, two: Story) -> bool:
    """Whether two stories share half of their words, but not their mathematics."""
    first, second = set(one.text.split()), set(two.text.split())
    alike = 2 * len(first & second) >= min(len(first), len(second))  # a short story may have long questions
    return alike and (one.expression, one.asked) != (two.expression, two.asked)


@dataclass(frozen=True, slots=True)
class _Filters:
    """The filters of ``generate``."""

    kinds: Collection[str] | None
    operators: Collection[str] | None
    steps: Collection[int] | None
    numbers: str | None
    distractors: bool | None
    difficulty: str | None
    larger: bool | None

    def __post_init__(self) -> None:
        for given, known in (
            (self.kinds, KINDS),
            (self.operators, SIGNS),
            (self.numbers and [self.numbers], NUMBERS),
            (self.difficulty and [self.difficulty], DIFFICULTIES),
        ):
            unknown = [item for item in given or () if item not in known]
            if unknown:
                raise ValueError(f"{unknown[0]!r} is unknown: choose from {', '.join(known)}")

    def exercises(self, sheets: Sheets, questions: int) -> Iterator[Exercise]:
        """The exercises with at least so many questions that may match, and only these questions."""
        for exercise in exercises(sheets):
            if not self._is_of_kind(exercise):
                continue
            found = tuple(question for question in exercise.questions if self._may_fit(exercise, question))
            # Without a story, two questions have nothing in common.
            if len(found) >= questions and (exercise.story or questions == 1):
                yield exercise if found == exercise.questions else replace(exercise, questions=found)

    def _is_of_kind(self, exercise: Exercise) -> bool:
        return exercise.kind != BEYOND if self.kinds is None else exercise.kind in self.kinds

    def _may_fit(self, exercise: Exercise, question: Question) -> bool:
        """Whether a question may match; some filters can only be applied to the story."""
        if not _is_wanted(exercise, question, self.larger):
            return False
        # A story of two unknowns may also be asked for a mere sum, which is no system.
        if self.kinds is not None and exercise.kind == SYSTEM and not question.asked:
            return False
        if self.operators is None and self.steps is None and self.distractors is None:
            return True
        if question.expression is None:
            return False
        signs = [sign for sign in operators(question.expression) if sign not in JOINING]
        used = len(question.used)
        spare = {len(NUMBER.findall(f"{exercise.story} {one}")) > used for one in question.wordings}
        return self._are_wanted(signs) and (self.distractors is None or self.distractors in spare)

    def _are_wanted(self, signs: Sequence[Operator]) -> bool:
        return (self.operators is None or {sign.value for sign in signs} <= set(self.operators)) and (
            self.steps is None or len(signs) in self.steps
        )

    def fit(self, story: Story) -> bool:
        """Whether a story matches; if its tree crossed, it may have other operators than the question."""
        tree = story.expression
        signs = [] if tree is None else [sign for sign in operators(tree) if sign not in JOINING]
        return (
            (tree is None or self._are_wanted(signs))
            and (self.distractors is None or (story.distractors > 0) == self.distractors)
            and (self.difficulty is None or story.difficulty == self.difficulty)
            and (self.numbers is None or _has_numbers(story, self.numbers))
        )


def _has_numbers(story: Story, wanted: str) -> bool:
    """Whether the numbers that a story uses are of a kind: all of them for ``small``, else any."""
    quantities = problem_quantities(story.text, clock_times=story.knowledge)
    indices = () if story.expression is None else (one.quantity for one in numbers(story.expression))
    used = [quantities[index] for index in indices if index is not None and index < len(quantities)]
    texts = [story.text[quantity.start : quantity.end] for quantity in used]
    match wanted:
        case "small":
            return all(quantity.value.denominator == 1 and quantity.value <= 20 for quantity in used)
        case "large":
            return any(quantity.value >= 100 for quantity in used)
        case "decimal":
            return any("." in text for text in texts)
        case "fraction":
            return any(
                quantity.value.denominator > 1 and "." not in text
                for quantity, text in zip(used, texts, strict=True)
            )
    return any(text[0].isalpha() for text in texts)

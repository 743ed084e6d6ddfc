"""The generator: exercises retold without end, the same for the same seed.

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
from itertools import islice

from text2math.data.leaks import mask_numbers
from text2math.data.stories.retelling import DIFFICULTIES, Story, as_story, retell
from text2math.data.stories.sheets import KINDS, NUMBER, Exercise, Question, Sheets, exercises
from text2math.language.framing import problem_quantities
from text2math.mathematics.expression import Operator, numbers, operators

NUMBERS = ("small", "large", "decimal", "fraction", "words")
_SIGNS = ("+", "-", "*", "/")
_ATTEMPTS = 2000
_TRIES_A_QUESTION = 8


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
    sheets: Sheets = "all",
    avoid: Iterable[str] = (),
) -> Iterator[Story]:
    """Exercises that fit the filters, retold without repetition of a text; the same ones for the same seed.

    ``kinds`` from ``KINDS``, ``operators`` as signs ("+", "-", "*", "/"): a story uses only these;
    ``steps``: the numbers of operations wanted; ``numbers`` from ``NUMBERS``; ``distractors``: with or
    without numbers that do not matter; ``difficulty`` from ``DIFFICULTIES``; ``pairs``: minimal pairs, one
    story with two of its questions, linked by ``pair``; ``sheets``: all, those of the first training stage,
    or those that it leaves out; ``avoid``: texts of which no story may be a copy, numbers masked.

    >>> [story.steps for story in generate(4, seed=3, kinds=["groups"], steps=[2])]
    [2, 2, 2, 2]
    >>> one, two = generate(2, seed=1, pairs=True)
    >>> one.pair == two.pair and one.expression != two.expression
    True
    """
    wanted = _Wanted(kinds, operators, steps, numbers, distractors, difficulty)
    chosen = list(wanted.exercises(sheets, questions=2 if pairs else 1))
    tell = _pair if pairs else _single
    avoided = {mask_numbers(text) for text in avoid}
    told: set[str] = set()

    def is_new(story: Story) -> bool:
        # Most calls avoid nothing, and masking takes a while.
        return story.text not in told and not (avoided and mask_numbers(story.text) in avoided)

    made = 0
    while made < count:
        name = f"stories-{seed}-{made}"
        rngs = (random.Random(f"{seed}/{made}/{attempt}") for attempt in range(_ATTEMPTS if chosen else 0))
        attempts = (tell(rng, chosen, name) for rng in rngs)
        found = next((one for one in attempts if one and all(is_new(x) and wanted.fits(x) for x in one)), ())
        if not found:
            raise ValueError(f"no new story fits after {_ATTEMPTS} attempts; ask for fewer filters at once")
        told |= {story.text for story in found}
        made += len(found)
        yield from found


def every_question(sheets: Sheets = "all", seed: int = 0) -> Iterator[Story]:
    """Every question of every exercise, told once (except those that no attempt tells plausibly)."""
    for exercise in exercises(sheets):
        for number, question in enumerate(exercise.questions):
            name = f"{exercise.name}.{number}"
            rng = random.Random(f"questions {seed}/{name}")
            found = (as_story(retell(exercise, question, rng), name) for _ in range(_TRIES_A_QUESTION))
            yield from islice((story for story in found if story is not None), 1)


def _single(rng: random.Random, chosen: Sequence[Exercise], name: str) -> tuple[Story, ...]:
    exercise = rng.choice(chosen)
    story = as_story(retell(exercise, rng.choice(exercise.questions), rng), name)
    return () if story is None else (story,)


def _pair(rng: random.Random, chosen: Sequence[Exercise], name: str) -> tuple[Story, ...]:
    """An exercise told twice alike, with two of its questions."""
    exercise = rng.choice(chosen)
    questions, seed = rng.sample(exercise.questions, 2), rng.random()
    stories = [
        as_story(retell(exercise, question, random.Random(seed)), f"{name}{letter}", pair=name)
        for question, letter in zip(questions, "ab", strict=True)
    ]
    found = tuple(story for story in stories if story is not None)
    return found if len(found) == 2 else ()


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
        for given, known in (
            (self.kinds, KINDS),
            (self.operators, _SIGNS),
            (self.numbers and [self.numbers], NUMBERS),
            (self.difficulty and [self.difficulty], DIFFICULTIES),
        ):
            unknown = [item for item in given or () if item not in known]
            if unknown:
                raise ValueError(f"{unknown[0]!r} is not known here: choose from {', '.join(known)}")

    def exercises(self, sheets: Sheets, questions: int) -> Iterator[Exercise]:
        """The exercises with so many questions that may fit, and only these questions."""
        for exercise in exercises(sheets):
            if self.kinds is not None and exercise.kind not in self.kinds:
                continue
            found = tuple(question for question in exercise.questions if self._may_fit(exercise, question))
            if len(found) >= questions:
                yield exercise if found == exercise.questions else replace(exercise, questions=found)

    def _may_fit(self, exercise: Exercise, question: Question) -> bool:
        """Whether a question may fit, as far as it shows before it is told."""
        if self.operators is None and self.steps is None and self.distractors is None:
            return True
        signs = [sign for sign in operators(question.expression) if sign is not Operator.EQU]
        used = sum(1 for _ in numbers(question.expression))
        spare = {len(NUMBER.findall(f"{exercise.story} {one}")) > used for one in question.wordings}
        return (
            (self.operators is None or {sign.value for sign in signs} <= set(self.operators))
            and (self.steps is None or len(signs) in self.steps)
            and (self.distractors is None or self.distractors in spare)
        )

    def fits(self, story: Story) -> bool:
        """Whether a story is as wanted."""
        return (
            (self.distractors is None or (story.distractors > 0) == self.distractors)
            and (self.difficulty is None or story.difficulty == self.difficulty)
            and (self.numbers is None or _has_numbers(story, self.numbers))
        )


def _has_numbers(story: Story, wanted: str) -> bool:
    """Whether the numbers that a story uses are of a sort: ``small`` is said of all, the others of any."""
    quantities = problem_quantities(story.text)
    used = [quantities[number.quantity or 0] for number in numbers(story.expression)]
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

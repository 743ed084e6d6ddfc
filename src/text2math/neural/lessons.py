"""Lessons: training problems, prepared for the network and the chart.

Generating and reading stories needs neither torch nor the compiled chart, so the processes that do it load
neither.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, starmap
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from text2math.data.distraction import Remark, remarks
from text2math.data.stories import Story
from text2math.data.stories.story import SOURCE
from text2math.data.variation import varied
from text2math.inference.crf import ForestBatch, PotentialsBatch, flat_size, log_partitions
from text2math.inference.forest import PAPER_GRAMMAR, Forest, Grammar
from text2math.language.asking import asks_for_all
from text2math.language.problem import Example, informed
from text2math.learning.targets import symbols_of, targets
from text2math.mathematics.expression import Expression, Operation, is_system
from text2math.mathematics.relations import UNRELATED, relations
from text2math.model.asked import choice_of
from text2math.model.config import TargetConfig
from text2math.parallel import available_cores, batches, run_parallel
from text2math.scorers.encoder import Inputs, Pieces, read_inputs

STORIES_PER_CALL = 6000  # that a process generates and reads; fewer are not worth another process
EXAMPLES_PER_CALL = 100  # that a process reads
FEW_EXAMPLES = 500  # that are read here in the time that processes take to start
LESSONS_PER_CHART = 2000  # whose charts are filled together

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A training problem: the network's inputs, and the forest of its gold."""

    inputs: Inputs
    gold: Forest | None  # None: the text is beyond the grammar
    asked: str | None = None  # what a system is asked for, one of CHOICES in model/asked.py
    # [pairs, 3], two numbers, the first of their origin, and their relation in the gold; empty without gold
    relations: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int16))


def prepare(
    examples: Iterable[Example],
    pieces: Pieces,
    *,
    grammar: Grammar = PAPER_GRAMMAR,
    mask_numbers: bool = True,
    target: TargetConfig | None = None,
) -> list[Lesson]:
    """The lessons of examples that have a text-math tree, or no gold at all (beyond the grammar).

    By default an example has one target tree: a network that learns all equivalent trees spreads its
    probability over them, and its k best are then k forms of one reading.
    """
    return _reachable(_read(examples, pieces, grammar, mask_numbers, target or TargetConfig()))


def prepare_each(
    examples: Sequence[Example],
    variants: Callable[[Example], Iterable[Example]],
    pieces: Pieces,
    grammar: Grammar = PAPER_GRAMMAR,
) -> list[list[Lesson]]:
    """For each example, its lesson and those of its variants; on all cores if there are many examples."""
    read_each = partial(_read_each, variants=variants, pieces=pieces, grammar=grammar)
    calls = [(some,) for some in batches(examples, EXAMPLES_PER_CALL)]
    in_processes = len(examples) > FEW_EXAMPLES
    read = list(chain.from_iterable(_results(read_each, calls, in_processes=in_processes)))
    reachable = {id(lesson) for lesson in _reachable(list(chain.from_iterable(read)))}
    return [[_shared(lesson) for lesson in own if id(lesson) in reachable] for own in read]


def _results(
    function: Callable[..., Result], calls: Sequence[tuple[Any, ...]], *, in_processes: bool
) -> list[Result]:
    """The results of calls in order, from this process or from one for each core."""
    if not in_processes:
        return list(starmap(function, calls))
    found = dict(run_parallel(function, calls, workers=min(len(calls), available_cores())))
    return [found[index] for index in range(len(calls))]


def _read_each(
    examples: Iterable[Example],
    variants: Callable[[Example], Iterable[Example]],
    pieces: Pieces,
    grammar: Grammar,
) -> list[list[Lesson]]:
    return [_read([one, *variants(one)], pieces, grammar, True, TargetConfig()) for one in examples]


@dataclass(frozen=True, slots=True)
class StoryRequest:
    """Stories to generate: the generator, how many, the random seed, whether in minimal pairs.

    ``varied`` is the share of them that is rewritten as a careless or a polite writer would put it.
    """

    generate: Callable[..., Iterator[Story]]
    count: int
    seed: int
    pairs: bool = False
    varied: float = 0.0

    def stories(self) -> Iterator[Story]:
        """The stories, generated one at a time."""
        return self.generate(self.count, seed=self.seed, pairs=self.pairs)


def story_requests(generate: Callable[..., Iterator[Story]], count: int) -> list[StoryRequest]:
    """Requests for so many stories, a third of them in minimal pairs, that processes can share.

    >>> from text2math.data.stories import generate
    >>> [(one.count, one.seed, one.pairs) for one in story_requests(generate, 15_000)]
    [(6000, 1, False), (4000, 2, False), (5000, 1001, True)]
    """
    paired = count // 3
    return [*plain_requests(generate, count - paired), *plain_requests(generate, paired, 1001, True)]


def plain_requests(
    generate: Callable[..., Iterator[Story]], count: int, seed: int = 1, pairs: bool = False
) -> list[StoryRequest]:
    """Requests for so many stories, all of them or none in minimal pairs, that processes can share."""
    starts = range(0, count, STORIES_PER_CALL)
    return [
        StoryRequest(generate, min(STORIES_PER_CALL, count - start), seed + number, pairs)
        for number, start in enumerate(starts)
    ]


def prepare_stories(
    requests: Sequence[StoryRequest], pieces: Pieces, grammar: Grammar = PAPER_GRAMMAR
) -> list[Lesson]:
    """The lessons of stories, generated and read on all cores if there are many."""
    generate_and_read = partial(_generate_and_read, pieces=pieces, grammar=grammar)
    calls = [(one,) for one in requests]
    if sum(one.count for one in requests) < STORIES_PER_CALL:
        return _reachable(list(chain.from_iterable(_results(generate_and_read, calls, in_processes=False))))
    read = _results(generate_and_read, calls, in_processes=True)
    return _reachable([_shared(lesson) for lesson in chain.from_iterable(read)])


def story_remarks(requests: Sequence[StoryRequest]) -> tuple[Remark, ...]:
    """The remarks of stories, generated and read on all cores."""
    return tuple(chain.from_iterable(_results(_remarks, [(one,) for one in requests], in_processes=True)))


def _remarks(request: StoryRequest) -> tuple[Remark, ...]:
    return remarks(story.example() for story in request.stories())


def _generate_and_read(request: StoryRequest, pieces: Pieces, grammar: Grammar) -> list[Lesson]:
    rng = random.Random(request.seed)
    examples = (_varied(story.example(), rng, request.varied) for story in request.stories())
    return _read(examples, pieces, grammar, True, TargetConfig())


def _varied(example: Example, rng: random.Random, share: float) -> Example:
    return (varied(example, rng) if rng.random() < share else None) or example


def _read(
    examples: Iterable[Example], pieces: Pieces, grammar: Grammar, mask_numbers: bool, config: TargetConfig
) -> list[Lesson]:
    found = []
    for example in examples:
        ready = with_implied_numbers(example, grammar)
        if example.expression is None and example.answer is None:
            found.append(Lesson(read_inputs(ready.problem, pieces, mask_numbers=mask_numbers), None))
            continue
        # With knowledge, a time of day is another number than the one that the gold refers to.
        if ready.problem.quantities != example.problem.quantities:
            continue
        # A single number is not in the full forest, so its likelihood would be unbounded.
        golds = [tree for tree in targets(ready, config) if _is_in(tree, grammar)]
        if golds:
            inputs = read_inputs(ready.problem, pieces, mask_numbers=mask_numbers)
            related = _relations(golds[0], ready.problem.first_of_origin)
            found.append(_shared(Lesson(inputs, grammar.of(golds), _asked(example), related)))
    return found


def _relations(gold: Expression, first: Sequence[int]) -> NDArray[np.int16]:
    """How each two numbers of the text are related in the gold; of several relations, the first one."""
    found: dict[tuple[int, int], int] = {}
    for a, b, relation in relations(gold, first):
        found.setdefault((a, b), relation)
    numbers = sorted(set(first))
    pairs = [(a, b) for at, a in enumerate(numbers) for b in numbers[at:]]
    rows = [(*pair, found.get(pair, UNRELATED)) for pair in pairs]
    return np.array(rows, dtype=np.int16).reshape(-1, 3)


def with_implied_numbers(example: Example, grammar: Grammar) -> Example:
    """The example with the numbers that the words of its problem imply, if the grammar uses them."""
    return replace(example, problem=informed(example.problem, grammar.knowledge))


def _asked(example: Example) -> str | None:
    """What a system is asked for, if that is known.

    Data sets list the values of all unknowns even if the question asks for only one.
    """
    if example.expression is None or not is_system(example.expression) or not example.asked:
        return None
    known = example.source == SOURCE or len(example.asked) == 1 or asks_for_all(example.problem.tokens)
    return choice_of(example.expression, example.asked) if known else None


def _is_in(tree: Expression, grammar: Grammar) -> bool:
    return isinstance(tree, Operation) and grammar.symbols.issuperset(symbols_of([tree]))


def _shared(lesson: Lesson) -> Lesson:
    """The lesson with a shared forest: thousands of texts have the gold a + b."""
    return lesson if lesson.gold is None else replace(lesson, gold=_interned(lesson.gold))


@lru_cache(maxsize=4096)
def _interned(forest: Forest) -> Forest:
    return forest


def _reachable(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Those whose gold has a tree over the text's words, and those without gold."""
    known = [one for one in lessons if one.gold is not None]
    found = [one for some in batches(known, LESSONS_PER_CHART) for one in _with_trees(some)]
    return [*found, *(one for one in lessons if one.gold is None)]


def _with_trees(lessons: Sequence[Lesson]) -> Iterator[Lesson]:
    words = [one.inputs.words for one in lessons]
    anchors = [one.inputs.anchors for one in lessons]
    sizes = sum(flat_size(n, len(spots)) for n, spots in zip(words, anchors, strict=True))
    batch = PotentialsBatch.from_flat(np.zeros(sizes), words, anchors)
    golds = [one.gold for one in lessons if one.gold is not None]
    totals = log_partitions(batch, ForestBatch.of([[gold] for gold in golds]))[:, 0]
    return (one for one, total in zip(lessons, totals, strict=True) if total > -np.inf)

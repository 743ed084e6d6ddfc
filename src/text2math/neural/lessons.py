"""Lessons: training problems, prepared for the network and the chart.

Generating and reading stories needs neither torch nor the compiled chart, so the processes that do it load
neither.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, starmap
from typing import Any, TypeVar

import numpy as np

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
from text2math.model.asked import choice_of
from text2math.model.config import TargetConfig
from text2math.parallel import available_cores, batches, run_parallel
from text2math.scorers.encoder import Inputs, Pieces, read_inputs

PORTION = 6000  # stories that one process generates and reads; fewer are not worth another process
SOME = 100  # examples that go to a process at once
FEW = 500  # examples that are read here in the time that processes take to start
AT_A_TIME = 2000  # lessons whose charts are filled together

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A training problem: the network's inputs and the forest of its gold; None where nothing is right."""

    inputs: Inputs
    gold: Forest | None
    asked: str | None = None  # of a system, which of the choices in model/asked.py


def prepare(
    examples: Iterable[Example],
    pieces: Pieces,
    *,
    grammar: Grammar = PAPER_GRAMMAR,
    mask_numbers: bool = True,
    target: TargetConfig | None = None,
) -> list[Lesson]:
    """The examples that have a text-math tree, or no gold at all (nothing is right), ready for training.

    One tree of each unless told otherwise: a network that learns all equivalent ones spreads its probability
    over them, and the k best are then one reading in k forms.
    """
    return _reachable(_read(examples, pieces, grammar, mask_numbers, target or TargetConfig()))


def prepare_each(
    examples: Sequence[Example],
    more: Callable[[Example], Iterable[Example]],
    pieces: Pieces,
    grammar: Grammar = PAPER_GRAMMAR,
) -> list[list[Lesson]]:
    """For each example its lesson and those of what is made of it, on all cores where there are many."""
    read_each = partial(_read_each, more=more, pieces=pieces, grammar=grammar)
    calls = [(some,) for some in batches(examples, SOME)]
    read = list(chain.from_iterable(_each(read_each, calls, in_processes=len(examples) > FEW)))
    reachable = {id(lesson) for lesson in _reachable(list(chain.from_iterable(read)))}
    return [[_shared(lesson) for lesson in own if id(lesson) in reachable] for own in read]


def _each(
    function: Callable[..., Result], calls: Sequence[tuple[Any, ...]], *, in_processes: bool
) -> list[Result]:
    """The results of calls in their order, from this process or from as many as there are cores."""
    if not in_processes:
        return list(starmap(function, calls))
    found = dict(run_parallel(function, calls, workers=min(len(calls), available_cores())))
    return [found[index] for index in range(len(calls))]


def _read_each(
    examples: Iterable[Example],
    more: Callable[[Example], Iterable[Example]],
    pieces: Pieces,
    grammar: Grammar,
) -> list[list[Lesson]]:
    return [_read([one, *more(one)], pieces, grammar, True, TargetConfig()) for one in examples]


@dataclass(frozen=True, slots=True)
class Telling:
    """Stories to generate: the generator, how many, the random seed, whether in minimal pairs.

    ``varied`` is the share of them that is told as a careless or polite writer would.
    """

    tell: Callable[..., Iterator[Story]]
    count: int
    seed: int
    pairs: bool = False
    varied: float = 0.0

    def stories(self) -> Iterator[Story]:
        """The stories, generated as they are asked for."""
        return self.tell(self.count, seed=self.seed, pairs=self.pairs)


def tellings(tell: Callable[..., Iterator[Story]], count: int) -> list[Telling]:
    """So many stories, a third of them in minimal pairs, in portions that processes can share.

    >>> from text2math.data.stories import generate
    >>> [(one.count, one.seed, one.pairs) for one in tellings(generate, 15_000)]
    [(6000, 1, False), (4000, 2, False), (5000, 1001, True)]
    """
    paired = count // 3
    return [*portions(tell, count - paired), *portions(tell, paired, 1001, True)]


def portions(
    tell: Callable[..., Iterator[Story]], count: int, seed: int = 1, pairs: bool = False
) -> list[Telling]:
    """So many stories in portions that processes can share."""
    starts = range(0, count, PORTION)
    return [
        Telling(tell, min(PORTION, count - start), seed + number, pairs)
        for number, start in enumerate(starts)
    ]


def prepare_stories(
    told: Sequence[Telling], pieces: Pieces, grammar: Grammar = PAPER_GRAMMAR
) -> list[Lesson]:
    """Stories ready for training, generated and read on all cores where there are many."""
    tell_and_read = partial(_told_and_read, pieces=pieces, grammar=grammar)
    calls = [(one,) for one in told]
    if sum(one.count for one in told) < PORTION:
        return _reachable(list(chain.from_iterable(_each(tell_and_read, calls, in_processes=False))))
    read = _each(tell_and_read, calls, in_processes=True)
    return _reachable([_shared(lesson) for lesson in chain.from_iterable(read)])


def told_remarks(told: Sequence[Telling]) -> tuple[Remark, ...]:
    """The remarks of stories, generated and read on all cores."""
    return tuple(chain.from_iterable(_each(_remarks, [(one,) for one in told], in_processes=True)))


def _remarks(told: Telling) -> tuple[Remark, ...]:
    return remarks(story.example() for story in told.stories())


def _told_and_read(told: Telling, pieces: Pieces, grammar: Grammar) -> list[Lesson]:
    rng = random.Random(told.seed)
    examples = (_varied(story.example(), rng, told.varied) for story in told.stories())
    return _read(examples, pieces, grammar, True, TargetConfig())


def _varied(example: Example, rng: random.Random, share: float) -> Example:
    return (varied(example, rng) if rng.random() < share else None) or example


def _read(
    examples: Iterable[Example], pieces: Pieces, grammar: Grammar, mask_numbers: bool, config: TargetConfig
) -> list[Lesson]:
    found = []
    for example in examples:
        ready = knowing(example, grammar)
        if example.expression is None and example.answer is None:
            found.append(Lesson(read_inputs(ready.problem, pieces, mask_numbers=mask_numbers), None))
            continue
        # The gold of a text with times of day does not know these numbers.
        if ready.problem.quantities != example.problem.quantities:
            continue
        # A lone number is no expression of the full forest: learning it would have no bound.
        golds = [tree for tree in targets(ready, config) if _is_in(tree, grammar)]
        if golds:
            inputs = read_inputs(ready.problem, pieces, mask_numbers=mask_numbers)
            found.append(_shared(Lesson(inputs, grammar.of(golds), _asked(example))))
    return found


def knowing(example: Example, grammar: Grammar) -> Example:
    """The example with the numbers that the words of its problem imply, where the grammar uses them."""
    return replace(example, problem=informed(example.problem, grammar.knowledge))


def _asked(example: Example) -> str | None:
    """What is asked of a system, where that is told.

    Data sets list the values of all unknowns even where the question asks for one.
    """
    if example.expression is None or not is_system(example.expression) or not example.asked:
        return None
    told = example.source == SOURCE or len(example.asked) == 1 or asks_for_all(example.problem.tokens)
    return choice_of(example.expression, example.asked) if told else None


def _is_in(tree: Expression, grammar: Grammar) -> bool:
    return isinstance(tree, Operation) and grammar.symbols.issuperset(symbols_of([tree]))


def _shared(lesson: Lesson) -> Lesson:
    """The lesson with a shared forest: thousands of texts have the gold a + b."""
    return lesson if lesson.gold is None else replace(lesson, gold=_one(lesson.gold))


@lru_cache(maxsize=4096)
def _one(forest: Forest) -> Forest:
    return forest


def _reachable(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Those whose gold has a tree over the text's words, and those without gold."""
    known = [one for one in lessons if one.gold is not None]
    found = [one for some in batches(known, AT_A_TIME) for one in _with_trees(some)]
    return [*found, *(one for one in lessons if one.gold is None)]


def _with_trees(lessons: Sequence[Lesson]) -> Iterator[Lesson]:
    words = [one.inputs.words for one in lessons]
    anchors = [one.inputs.anchors for one in lessons]
    sizes = sum(flat_size(n, len(spots)) for n, spots in zip(words, anchors, strict=True))
    batch = PotentialsBatch.from_flat(np.zeros(sizes), words, anchors)
    golds = [one.gold for one in lessons if one.gold is not None]
    totals = log_partitions(batch, ForestBatch.of([[gold] for gold in golds]))[:, 0]
    return (one for one, total in zip(lessons, totals, strict=True) if total > -np.inf)

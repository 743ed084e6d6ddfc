"""Candidates of a network on held-out problems, and a reranker trained on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from text2math.data import mask_numbers
from text2math.data.stories.story import SOURCE
from text2math.evaluation.metrics import is_correct
from text2math.inference.forest import PAPER_GRAMMAR, ForestError, Grammar
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.numbers import Kind
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.asked import asked_of
from text2math.model.candidates import Candidate
from text2math.model.encoder_model import encoder_model
from text2math.model.model import Model
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.neural.lessons import with_implied_numbers
from text2math.parallel import available_cores, batches, run_parallel
from text2math.scorers.encoder import (
    OUTPUTS,
    Columns,
    EncoderScorer,
    Inputs,
    Network,
    Outputs,
    WordPieces,
    read_inputs,
)

_LEXICON = Lexicon.default()
MOST_OF_ONE_SET = 2500  # problems of a data set that a reranker learns from
WORTH_A_PROCESS = 500  # problems that are evaluated in the time that a process takes to start

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """A held-out example with the candidates of a network, and which of them are right."""

    source: str
    annotations: Annotations
    candidates: tuple[Candidate, ...]
    right: tuple[bool, ...]
    beyond: float = 0.0  # the network's log odds that no candidate is right
    asked: tuple[float, ...] = ()  # its score for each value that a system may be asked for

    @property
    def problem(self) -> Problem:
        """The problem it is about."""
        return self.annotations.problem

    def to_line(self) -> str:
        """As a line of JSON."""
        candidates = [
            {
                "expression": to_infix(one.mathematics, quantities=True),
                "log_probability": one.log_probability,
                "relations": one.relations,
                "right": right,
            }
            for one, right in zip(self.candidates, self.right, strict=True)
        ]
        named = {"source": self.source, "id": self.problem.id, "text": self.problem.text}
        # Times of day are read with knowledge alone.
        times = any(quantity.kind is Kind.CLOCK for quantity in self.problem.quantities)
        knowledge = bool(self.problem.implied) or times
        outputs = {"knowledge": knowledge, "beyond": self.beyond, "asked": self.asked}
        return json.dumps(named | outputs | {"candidates": candidates})

    @classmethod
    def from_line(cls, line: str) -> Evaluated:
        """Read what ``to_line`` wrote; candidates have no trees."""
        plain = json.loads(line)
        problem = read_problem(plain["text"], id=plain["id"], knowledge=plain["knowledge"])
        asked = tuple(plain["asked"])
        read = [(from_infix(one["expression"]), one) for one in plain["candidates"]]
        candidates = tuple(
            Candidate.scored(
                mathematics, float(one["log_probability"]), asked=asked_of(mathematics, problem, asked)
            ).with_relations(float(one.get("relations", 0.0)))
            for mathematics, one in read
        )
        return cls(
            plain["source"],
            Annotations.of(problem, _LEXICON),
            candidates,
            tuple(one["right"] for one in plain["candidates"]),
            plain["beyond"],
            asked,
        )


def evaluate_network(
    network: Network,
    pieces: WordPieces,
    examples: Sequence[Example],
    grammar: Grammar = PAPER_GRAMMAR,
    *,
    workers: int | None = None,
) -> list[Evaluated]:
    """The candidates of a network on examples, listed on all cores if there are many examples."""
    examples = [with_implied_numbers(example, grammar) for example in examples]
    outputs = outputs_of(network, pieces, [example.problem for example in examples])
    count = min(available_cores(), len(examples) // WORTH_A_PROCESS) if workers is None else workers
    if count < 2:
        return _evaluated_here(examples, outputs, pieces, grammar)
    # The first one in this process, so that the kernels are compiled once and not by every process.
    first = _evaluated_here(examples[:1], outputs[:1], pieces, grammar)
    parts = zip(split_evenly(examples[1:], count), split_evenly(outputs[1:], count), strict=True)
    calls = [(own, given, pieces, grammar) for own, given in parts]
    found = dict(run_parallel(_evaluated_here, calls, workers=count))
    return [*first, *(one for index in range(len(calls)) for one in found[index])]


def split_evenly(items: Sequence[Item], parts: int) -> list[Sequence[Item]]:
    """The items in at most so many parts of about the same length.

    >>> split_evenly("abcde", 2)
    ['abc', 'de']
    """
    size = max(1, -(-len(items) // parts))
    return [items[start : start + size] for start in range(0, len(items), size)]


def outputs_of(
    network: Network, pieces: WordPieces, problems: Sequence[Problem], batch: int = 64
) -> list[Outputs]:
    """The outputs of each problem without padding, computed in batches of about the same length."""
    inputs = [read_inputs(problem, pieces) for problem in problems]
    order = sorted(range(len(inputs)), key=lambda index: len(inputs[index].ids))
    found: dict[int, Outputs] = {}
    for chosen in batches(order, batch):
        together = network([inputs[index] for index in chosen])
        for row, index in enumerate(chosen):
            n = inputs[index].words
            found[index] = Outputs(
                np.array(together.step[row : row + 1, : n + 1]),
                np.array(together.fixed[row : row + 1]),
                np.array(together.number[row : row + 1, : len(inputs[index].anchors)]),
                None if together.beyond is None else np.array(together.beyond[row : row + 1]),
                None if together.asked is None else np.array(together.asked[row : row + 1]),
                _of_numbers(together.relations, row, len(inputs[index].anchors)),
            )
    return [found[index] for index in range(len(inputs))]


def _of_numbers(relations: NDArray[np.float32] | None, row: int, count: int) -> NDArray[np.float32] | None:
    return None if relations is None else np.array(relations[row : row + 1, :count, :count])


def cached_outputs(path: Path, compute: Callable[[], Sequence[Outputs]]) -> list[Outputs]:
    """Outputs cached in a file, in half precision; computed if the file does not exist."""
    if not path.exists():
        named = {
            f"{index}.{name}": getattr(one, name).astype(np.float16)
            for index, one in enumerate(compute())
            for name in OUTPUTS
        }
        partial = path.with_suffix(".part")
        with partial.open("wb") as file:
            np.savez_compressed(file, **named)
        partial.replace(path)
    with np.load(path, allow_pickle=False) as arrays:
        count = len(arrays.files) // len(OUTPUTS)
        return [
            Outputs(*(arrays[f"{index}.{name}"].astype(np.float32) for name in OUTPUTS))
            for index in range(count)
        ]


def replayed(
    outputs: Sequence[Outputs], pieces: WordPieces, grammar: Grammar = PAPER_GRAMMAR
) -> EncoderScorer:
    """A scorer for problems whose outputs are known, queried in their order."""
    return EncoderScorer(_Replayed(outputs), pieces, columns=columns_of(grammar))


def columns_of(grammar: Grammar) -> Columns:
    """The meaning of the outputs of a network that was trained for this grammar."""
    return Columns(known=tuple(sorted(grammar.symbols)))


class _Replayed:
    """A network whose outputs are known, queried in their order."""

    def __init__(self, outputs: Sequence[Outputs]) -> None:
        self._outputs = iter(outputs)

    def __call__(self, batch: Sequence[Inputs]) -> Outputs:
        """The next outputs."""
        return next(self._outputs)


def _evaluated_here(
    examples: Sequence[Example], outputs: Sequence[Outputs], pieces: WordPieces, grammar: Grammar
) -> list[Evaluated]:
    return evaluate_model(encoder_model(replayed(outputs, pieces, grammar), grammar=grammar), examples)


def evaluate_model(model: Model, examples: Sequence[Example]) -> list[Evaluated]:
    """The candidates of a model without a reranker on examples."""
    found = []
    for example in examples:
        try:
            analysis = model.analyse(example.problem)
        except ForestError:  # the text is too long, so it has no candidates
            annotations = Annotations.of(example.problem, _LEXICON)
            found.append(Evaluated(example.source, annotations, (), ()))
            continue
        # Trees are not kept: they are large, and the reranker doesn't look at them.
        plain = tuple(replace(one, tree=None) for one in analysis.candidates)
        right = tuple(_is_right(one, example) for one in plain)
        beyond, asked = analysis.potentials.beyond, analysis.potentials.asked
        found.append(Evaluated(example.source, analysis.annotations, plain, right, beyond, asked))
    return found


def is_beyond(example: Example) -> bool:
    """Whether the example has no gold, because the grammar can't express it.

    >>> is_beyond(Example(read_problem("What has 4 wheels and flies?"), None))
    True
    """
    return example.expression is None and example.answer is None


def _is_right(candidate: Candidate, example: Example) -> bool:
    """Whether a candidate is right; for a text beyond the grammar, none is."""
    if is_beyond(example):
        return False
    return is_correct(candidate.mathematics, example, candidate.answers or None)


def fit_reranker(evaluated: Sequence[Evaluated], config: RerankerConfig) -> Reranker:
    """A reranker trained on the candidates of held-out problems."""
    some = [one for one in evaluated if one.candidates]
    return Reranker.fit(
        [one.annotations for one in some],
        [one.candidates for one in some],
        [one.right for one in some],
        config,
    )


def balanced(evaluated: Sequence[Evaluated]) -> list[Evaluated]:
    """At most ``MOST_OF_ONE_SET`` problems of each data set, spread evenly over it; all exercises.

    Half of all problems are gsm8k's. A reranker that learns from all of them is worse on other texts.
    """
    sets: dict[str, list[Evaluated]] = {}
    for one in evaluated:
        sets.setdefault(one.source.partition(",")[0], []).append(one)
    few = (own if name == SOURCE else evenly(own, MOST_OF_ONE_SET) for name, own in sets.items())
    return [one for own in few for one in own]


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, evenly spaced.

    >>> evenly("abcdef", 3), evenly("ab", 3)
    (['a', 'c', 'e'], ['a', 'b'])
    """
    return [items[at * len(items) // most] for at in range(most)] if len(items) > most else list(items)


def best_of(one: Evaluated, reranker: Reranker | None = None) -> int | None:
    """The index of the best candidate, reranked or as the chart ranks it; None if there are no candidates."""
    if not one.candidates:
        return None
    return 0 if reranker is None else int(np.argmax(reranker.scores(one.annotations, one.candidates)))


def apart_from(part: Sequence[Evaluated], everyone: Sequence[Evaluated]) -> list[Evaluated]:
    """Those of ``everyone`` whose problems are not in ``part``, numbers masked."""
    masks = {mask_numbers(one.problem.text) for one in part}
    return [one for one in everyone if mask_numbers(one.problem.text) not in masks]


def without_each(parts: Sequence[Sequence[Evaluated]]) -> list[list[Evaluated]]:
    """For each part, the problems of all other parts, without copies of its own that have other numbers."""
    return [
        apart_from(part, [one for at, other in enumerate(parts) if at != number for one in other])
        for number, part in enumerate(parts)
    ]


def with_harder(
    others: Sequence[Sequence[Evaluated]], harder: Sequence[Sequence[Evaluated]]
) -> list[list[Evaluated]]:
    """What each part's reranker learns from: other problems, and harder copies from the other parts."""
    return [
        [*some, *(one for at, copies in enumerate(harder) if at != number for one in copies)]
        for number, some in enumerate(others)
    ]

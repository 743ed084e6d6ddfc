"""Sentence examples from problems with a system of equations.

If all numbers of an equation appear in one sentence and nowhere else, and no other equation of the system
uses a number of that sentence, the sentence states the equation: an example for equation parsing. Such
sentences are trained on; accuracy is measured on whole problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from text2math.data.dataset import Dataset
from text2math.data.gold import read_gold
from text2math.data.record import Record
from text2math.language.attachment import UnmappableError, attach
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.expression import numbers, variables

_DERIVED = ", derived from sentence "


def sentence_examples(record: Record) -> Iterator[Example]:
    """The sentences of the problem that state one equation of its system, as examples of their own.

    Their source says what they were derived from; unknowns are numbered in the order of the equation.
    """
    if len(record.equations) < 2:
        return
    try:
        homes = [_sentences_with(equation, record.problem) for equation in record.equations]
    except UnmappableError:
        return  # an equation that can't be located may belong to any sentence
    for index, (equation, home) in enumerate(zip(record.equations, homes, strict=True)):
        others = frozenset().union(*homes[:index], *homes[index + 1 :])
        if len(home) != 1 or home & others:
            continue
        (sentence,) = home
        problem = read_problem(_sentence_text(record.problem, sentence), f"{record.problem.id}#{sentence}")
        try:
            gold = attach(read_gold(equation, arithmetic=False), [q.value for q in problem.quantities])
        except UnmappableError:
            continue  # without its context, a number may be read differently
        if variables(gold):
            source = f"{record.source}{_DERIVED}{sentence} of problem {record.problem.id}"
            yield Example(problem, gold, source=source, metadata=(("equation", equation),))


def parent_of(example: Example) -> str | None:
    """The id of the problem that a derived sentence is from; None for a whole problem.

    >>> from text2math.language.problem import Problem
    >>> parent_of(Example(Problem("", (), ()), None, source="draw, derived from sentence 2 of problem 17"))
    '17'
    """
    _, derived, place = example.source.partition(_DERIVED)
    return place.partition(" of problem ")[2] if derived else None


def whole_problems(dataset: Dataset) -> Dataset:
    """The data set without derived sentences, in its folds too: what accuracy is measured on."""
    derived = {example.problem.id for example in dataset.examples if parent_of(example) is not None}
    return replace(
        dataset,
        examples=tuple(example for example in dataset.examples if example.problem.id not in derived),
        folds=tuple(tuple(id for id in fold if id not in derived) for fold in dataset.folds),
    )


def _sentences_with(equation: str, problem: Problem) -> frozenset[int]:
    """The sentences in which a number of the equation occurs."""
    gold = attach(read_gold(equation, arithmetic=False), [q.value for q in problem.quantities])
    values = {number.value for number in numbers(gold)}
    return frozenset(
        problem.tokens[quantity.first_token].sentence
        for quantity in problem.quantities
        if quantity.value in values
    )


def _sentence_text(problem: Problem, sentence: int) -> str:
    tokens = [token for token in problem.tokens if token.sentence == sentence]
    return problem.text[tokens[0].start : tokens[-1].end]

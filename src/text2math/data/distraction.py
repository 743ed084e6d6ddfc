"""Problems made harder by an irrelevant number, in a sentence from another problem.

The mathematics does not change. Data sets seldom have such numbers, and a model that never sees one learns to
use every number it finds.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from text2math.language.problem import Example, Problem, Quantity, read_problem
from text2math.mathematics.expression import Expression, Number, Operation, Variable, fold, numbers


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence with one number, from some problem, and what the number counts."""

    text: str
    unit: str
    names: tuple[tuple[int, int], ...]  # spans of proper names in it
    source: str  # the text it comes from


def remarks(examples: Iterable[Example]) -> tuple[Remark, ...]:
    """The sentences of some problems that have one number and are not part of the question."""
    found = []
    for problem in (example.problem for example in examples):
        for sentence in {token.sentence for token in problem.tokens}:
            tokens = [token for token in problem.tokens if token.sentence == sentence]
            inside = [q for q in problem.quantities if problem.tokens[q.first_token].sentence == sentence]
            if len(inside) != 1 or not inside[0].unit or any(token.in_question for token in tokens):
                continue
            if not 4 <= len(tokens) <= 16 or tokens[-1].text != "." or not tokens[0].text[0].isupper():
                continue
            start = tokens[0].start
            names = tuple((t.start - start, t.end - start) for t in tokens if t.pos == "NP0")
            found.append(Remark(problem.text[start : tokens[-1].end], inside[0].unit, names, problem.text))
    return tuple(found)


def distracted(example: Example, rng: random.Random, pool: Sequence[Remark]) -> tuple[Example, Remark] | None:
    """The example with one more sentence, whose number is irrelevant, and the remark it comes from.

    None if no remark fits, or if the new sentence changes how the text is read. A text without a question is
    left alone, because another sentence could change what it states; so is one whose expression uses implied
    numbers.
    """
    problem = example.problem
    if example.expression is None or not any(token.in_question for token in problem.tokens):
        return None
    if any((number.quantity or 0) >= len(problem.quantities) for number in numbers(example.expression)):
        return None  # in the new text, other words may imply a number
    remark = _fitting(problem, rng, pool)
    if remark is None:
        return None
    spot, added = _place(problem, rng, remark.text)
    return _inserted(example, spot, added, remark)


def _inserted(example: Example, spot: int, added: str, remark: Remark) -> tuple[Example, Remark] | None:
    old = example.problem
    problem = read_problem(old.text[:spot] + added + old.text[spot:], f"{old.id}+")
    moved = _new_indices(old, problem, spot, len(added))
    if moved is None or len(problem.quantities) <= len(old.quantities):
        return None

    def leaf(node: Number | Variable) -> Expression:
        if isinstance(node, Variable) or node.quantity is None:
            return node
        return replace(node, quantity=moved[node.quantity])

    assert example.expression is not None
    expression = fold(example.expression, leaf, Operation)
    return replace(example, problem=problem, expression=expression, groundings=()), remark


def _new_indices(old: Problem, new: Problem, spot: int, shift: int) -> list[int] | None:
    """The index of each old quantity in the new text; None if one of them is read differently there."""
    places = {(quantity.start, quantity.value): index for index, quantity in enumerate(new.quantities)}
    moved = [places.get((_start(quantity, spot, shift), quantity.value)) for quantity in old.quantities]
    return None if None in moved else [index for index in moved if index is not None]


def _start(quantity: Quantity, spot: int, shift: int) -> int:
    return quantity.start + (shift if quantity.start >= spot else 0)


def _fitting(problem: Problem, rng: random.Random, pool: Sequence[Remark]) -> Remark | None:
    """A remark about other things, often with the name of somebody in this story."""
    words = {token.lemma.lower() for token in problem.tokens} | {q.unit for q in problem.quantities}
    for _ in range(8 if pool else 0):
        remark = pool[rng.randrange(len(pool))]
        if remark.unit not in words and remark.source != problem.text:
            names = [token.text for token in problem.tokens if token.pos == "NP0"]
            if len(remark.names) == 1 and names and rng.random() < 0.7:
                start, end = remark.names[0]
                text = remark.text[:start] + rng.choice(names) + remark.text[end:]
                return replace(remark, text=text)
            return remark
    return None


def _place(problem: Problem, rng: random.Random, text: str) -> tuple[int, str]:
    """Between two sentences, before the question if there is one."""
    starts = [
        token.start
        for before, token in zip(problem.tokens, problem.tokens[1:], strict=False)
        if token.sentence != before.sentence
    ]
    if not starts:
        return problem.tokens[0].start, text + " "
    return rng.choice(starts), text + " "

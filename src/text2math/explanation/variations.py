"""Variations of a text: some words left blank, or exchanged for their opposites, and what is read then.

A blank keeps the shape of the sentence, and anybody can write it. Other ways to take a word away are compared
in docs/explanations.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from text2math.explanation.odds import operator_odds
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.expression import Expression, Number, Operation, nodes, numbers
from text2math.mathematics.notation import to_infix
from text2math.model.candidates import Candidate, plain_number
from text2math.parse import Parse
from text2math.parser import Parser

BLANK = "___"
READINGS = 10  # among which the explained one is looked for

# An operation by its sign and what it joins: the values on each side, unknowns all alike.
_Side: TypeAlias = tuple[str, ...]
_Join: TypeAlias = tuple[str, tuple[_Side, _Side]]


@dataclass(frozen=True, slots=True)
class Variation:
    """What the text would be read as with some words left blank, or with others instead."""

    words: tuple[int, ...]
    text: str  # the words that change
    instead: tuple[str, ...]  # what is in the place of each: a blank, or another word
    reading: str | None  # the mathematics found then, in infix; None where there was none
    answer: int | float | str | None
    probability: float  # of the explained reading, then
    wins: bool  # whether the explained reading is the best one, then
    gone: tuple[int, ...]  # operators of the explained reading, by their nodes, that the best one has not
    drops: tuple[tuple[int, float], ...]  # by how much the log odds of each operator fall, by its node

    @property
    def exchanged(self) -> dict[int, str]:
        """The words that have another in their place, with that one."""
        pairs = zip(self.words, self.instead, strict=True)
        return {word: other for word, other in pairs if other != BLANK}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "words": list(self.words),
            "text": self.text,
            "instead": list(self.instead),
            "reading": self.reading,
            "answer": self.answer,
            "probability": self.probability,
            "wins": self.wins,
            "gone": list(self.gone),
            "drops": [{"node": node, "drop": drop} for node, drop in self.drops],
        }


class Variations:
    """The variations of a text that were read, at most ``limit`` of them."""

    def __init__(
        self, parser: Parser, problem: Problem, reading: Candidate, tree: TextMathTree, limit: int
    ) -> None:
        self._parser, self._problem, self._reading, self._tree = parser, problem, reading, tree
        self._limit = limit
        self._values = [quantity.value for quantity in problem.all_quantities]
        self._joins = dict(_joins(tree, self._values))
        self._odds = self._odds_in(problem) if limit else {}
        self._found: dict[tuple[tuple[int, str], ...], Variation] = {}

    @property
    def found(self) -> tuple[Variation, ...]:
        """All that were read, in the order in which they were asked for."""
        return tuple(self._found.values())

    def blank(self, words: Sequence[int]) -> Variation | None:
        """With a blank for each of these words; None where the limit is reached."""
        return self.changed(dict.fromkeys(words, BLANK))

    def changed(self, changes: Mapping[int, str]) -> Variation | None:
        """With other words, or blanks, in the place of some; None where the limit is reached."""
        key = tuple(sorted(changes.items()))
        if key not in self._found:
            if len(self._found) >= self._limit:
                return None
            try:
                self._found[key] = self._read(dict(key))
            except ValueError:  # the text is too long with what is put in
                return None
        return self._found[key]

    def _read(self, changes: Mapping[int, str]) -> Variation:
        text = varied_text(self._problem, changes)
        parse = self._parser.parse(text, top=READINGS)
        found = readings(parse)
        same = [other for other in found if _same(other, self._reading)]
        wins = bool(same) and same[0] is found[0]
        kept = _joined(found[0].mathematics) if found else frozenset()
        odds = self._odds_in(self._parser.model.informed(read_problem(text)))
        return Variation(
            tuple(changes),
            words_of(self._problem, tuple(changes)),
            tuple(changes.values()),
            to_infix(found[0].mathematics) if found else None,
            plain_number(parse.answer),
            same[0].probability if same else 0.0,
            wins,
            () if wins else tuple(node for node, join in self._joins.items() if join not in kept),
            tuple((node, self._odds[node] - odds[node]) for node in self._odds if node in odds),
        )

    def _odds_in(self, problem: Problem) -> dict[int, float]:
        """The log odds of the operators, in a text with the same numbers; nothing in any other."""
        if [quantity.value for quantity in problem.all_quantities] != self._values:
            return {}
        model = self._parser.model
        potentials = model.scorer(problem, model.annotate(problem))
        return operator_odds(self._tree, self._values, potentials, model.forest)


def varied_text(problem: Problem, changes: Mapping[int, str]) -> str:
    """The text of a problem with other words in some places.

    >>> varied_text(read_problem("Tom lost 5 of them."), {1: "found", 4: BLANK})
    'Tom found 5 of ___.'
    """
    text = problem.text
    for word in sorted(changes, reverse=True):
        token = problem.tokens[word]
        text = text[: token.start] + changes[word] + text[token.end :]
    return text


def words_of(problem: Problem, words: Sequence[int]) -> str:
    """Words as they appear in the text, with an ellipsis where others are left out.

    >>> words_of(read_problem("Tom lost 5 of  them."), [1, 3, 4])
    'lost … of them'
    """
    runs: list[list[int]] = []
    for word in words:
        if runs and runs[-1][-1] == word - 1:
            runs[-1].append(word)
        else:
            runs.append([word])
    tokens, text = problem.tokens, problem.text
    return " … ".join(" ".join(text[tokens[run[0]].start : tokens[run[-1]].end].split()) for run in runs)


def readings(parse: Parse) -> list[Candidate]:
    """A parse's best reading and its alternatives."""
    return [] if parse.best is None else [parse.best, *parse.alternatives]


def _same(one: Candidate, other: Candidate) -> bool:
    """Whether two readings say the same: equal, or the same numbers with the same answer."""
    if one.mathematics == other.mathematics:
        return True
    return one.answer is not None and one.answer == other.answer and _used(one) == _used(other)


def _used(reading: Candidate) -> Counter[Fraction]:
    return Counter(number.value for number in numbers(reading.mathematics))


def _joined(expression: Expression) -> frozenset[_Join]:
    return frozenset(_join(node) for node in nodes(expression) if isinstance(node, Operation))


def _joins(tree: TextMathTree, values: Sequence[Fraction]) -> Iterator[tuple[int, _Join]]:
    """Each operation of a tree, by its node."""
    for at, node in enumerate(tree.nodes()):
        own = node.expression(values) if node.children else None
        if isinstance(own, Operation):
            yield at, _join(own)


def _join(operation: Operation) -> _Join:
    one, other = _side(operation.left), _side(operation.right)
    if operation.operator.commutative and other < one:
        one, other = other, one
    return operation.operator.value, (one, other)


def _side(expression: Expression) -> _Side:
    leaves = (leaf for leaf in nodes(expression) if not isinstance(leaf, Operation))
    return tuple(sorted(str(leaf.value) if isinstance(leaf, Number) else "X" for leaf in leaves))

"""Alignments: which words of a problem express each operator of its gold, annotated by readers of the text.

They measure the alignment of a model's trees; no model is trained on them. See docs/file-format.md.

>>> first = load_alignments()[0]
>>> first.example.problem.text[:34], first.operators[0].operator.value
('Kwame gave 14 of his marbles to hi', '+')
>>> [first.example.problem.tokens[word].text for word in sorted(first.operators[0].clearest)]
['at', 'first']
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from text2math.data.corpus import load_corpus, load_exam
from text2math.data.dataset import DataError
from text2math.language.problem import Example, Problem
from text2math.mathematics.expression import Operator, operators

FIELDS = frozenset({"id", "source", "operators"})
OPERATOR_FIELDS = frozenset({"operator", "words", "clearest"})
_OCCURRENCE = re.compile(r"(.+?)#([1-9]\d*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cues:
    """The words that express an operator, as token indices, and those that do so most clearly.

    Both are empty if nothing in the text expresses it.
    """

    operator: Operator
    words: frozenset[int]
    clearest: frozenset[int]


@dataclass(frozen=True, slots=True)
class Alignment:
    """An example with the cues of each operator of its gold, an operator before its operands."""

    example: Example
    operators: tuple[Cues, ...]


@lru_cache(maxsize=1)
def load_alignments() -> tuple[Alignment, ...]:
    """The alignments in the package: 200 problems of the exam and 100 of the corpus."""
    return shipped_alignments((*load_exam().examples, *load_corpus().examples))


def shipped_alignments(examples: Iterable[Example]) -> tuple[Alignment, ...]:
    """The alignments in the package, for those of these examples that have one.

    >>> len(shipped_alignments(load_corpus().examples))
    100
    """
    name = "alignments.jsonl"
    text = files("text2math.data").joinpath(name).read_text(encoding="utf-8")
    return parse_alignments(text, name, examples)


def read_alignments(path: Path, examples: Iterable[Example]) -> tuple[Alignment, ...]:
    """The alignments in a file, for those of these examples that have one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: can't be read ({error}); it should be a file of alignments in UTF-8"
        ) from error
    return parse_alignments(text, str(path), examples)


def parse_alignments(text: str, place: str, examples: Iterable[Example]) -> tuple[Alignment, ...]:
    """The alignments on these lines; ``place`` is the file's name in errors.

    A line is joined to its example by source and id; a line whose example is not given is left out.

    >>> line = '{"id": "e014", "source": "corpus", "operators": [{"operator": "=", "words": ["makes"]}]}'
    >>> parse_alignments(line, "own.jsonl", load_corpus().examples)
    Traceback (most recent call last):
    text2math.data.dataset.DataError: own.jsonl, line 1: the operators are =, but those of the gold are = *
    """
    known = {(example.source, example.problem.id): example for example in examples}
    seen: dict[tuple[str, str], int] = {}
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = _entry(line)
            key = (str(entry["source"]), str(entry["id"]))
            if key in seen:
                raise _BadLineError(f"problem {key[1]!r} of {key[0]} is also on line {seen[key]}")
            seen[key] = number
            if key in known:
                found.append(_alignment(entry["operators"], known[key]))
        except _BadLineError as error:
            raise DataError(f"{place}, line {number}: {error}") from error
    return tuple(found)


class _BadLineError(ValueError):
    """What is wrong with a line, and what to do."""


def _entry(line: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _BadLineError(f"not JSON: {error}") from error
    if not isinstance(entry, dict) or entry.keys() != FIELDS:
        raise _BadLineError('it should be an object with the fields "id", "source" and "operators"')
    if not isinstance(entry["operators"], list):
        raise _BadLineError('"operators" should be a list with an object for each operator of the gold')
    return entry


def _alignment(rows: Sequence[object], example: Example) -> Alignment:
    if example.expression is None:
        raise _BadLineError("the problem has no expression or equation whose operators could be aligned")
    cues = tuple(_cues(row, example.problem) for row in rows)
    ours, gold = [one.operator for one in cues], list(operators(example.expression))
    if ours != gold:
        raise _BadLineError(f"the operators are {_signs(ours)}, but those of the gold are {_signs(gold)}")
    return Alignment(example, cues)


def _signs(found: Iterable[Operator]) -> str:
    return " ".join(operator.value for operator in found) or "none"


def _cues(row: object, problem: Problem) -> Cues:
    if not isinstance(row, dict) or "operator" not in row or row.keys() - OPERATOR_FIELDS:
        raise _BadLineError(
            'each operator should be an object such as {"operator": "-", "words": ["lost"], "clearest": []}'
        )
    try:
        operator = Operator(row["operator"])
    except ValueError:
        raise _BadLineError(f"{row['operator']!r} is not an operator; write its sign, such as +") from None
    words = _positions(row.get("words", []), problem)
    clearest = _positions(row.get("clearest", []), problem)
    if not clearest <= words:
        raise _BadLineError('the "clearest" words should be among the "words"')
    return Cues(operator, words, clearest)


def _positions(phrases: object, problem: Problem) -> frozenset[int]:
    """The tokens of all the phrases."""
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise _BadLineError(f'the words should be a list such as ["in all", "each#2"], not {phrases!r}')
    return frozenset(word for phrase in phrases for word in _tokens(phrase, problem))


def _tokens(written: str, problem: Problem) -> range:
    """The tokens of a phrase; ``each#2`` is the second *each* of the text."""
    match = _OCCURRENCE.fullmatch(written)
    phrase, wanted = (match[1], int(match[2])) if match else (written, 1)
    found = 0
    for first, token in enumerate(problem.tokens):
        if not phrase or not problem.text.startswith(phrase, token.start):
            continue
        end = token.start + len(phrase)
        last = next((i for i, other in enumerate(problem.tokens[first:], first) if other.end >= end), first)
        found += problem.tokens[last].end == end
        if found == wanted:
            return range(first, last + 1)
    raise _BadLineError(
        f"{written!r} is occurrence {wanted} of {phrase!r}, but it occurs {found} times in the text; copy "
        "whole words from it"
    )

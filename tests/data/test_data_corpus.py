"""The corpus that ships: every problem is sound, and the whole is as varied as it says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from text2math.data import leaks, load, load_corpus, load_exam
from text2math.language.attachment import crossings
from text2math.language.numbers import Kind, find_quantities
from text2math.language.problem import Example
from text2math.mathematics.expression import Operator, is_equation, numbers, operators, variables

CORPUS = load_corpus().examples
ARITHMETIC = [e for e in CORPUS if e.expression is not None and not is_equation(e.expression)]
EQUATIONS = [e for e in CORPUS if e.expression is not None and is_equation(e.expression)]


def used(example: Example) -> set[int | None]:
    assert example.expression is not None
    return {number.quantity for number in numbers(example.expression)}


def operations(example: Example) -> list[Operator]:
    assert example.expression is not None
    return [operator for operator in operators(example.expression) if operator is not Operator.EQU]


def test_every_problem_maps_and_gives_its_answer() -> None:
    assert not load_corpus().problems_failed
    assert not load_corpus().warnings


def test_both_tasks_are_there() -> None:
    assert len(ARITHMETIC) >= 220
    assert len(EQUATIONS) >= 100


@pytest.mark.parametrize("example", CORPUS, ids=lambda example: example.problem.id)
def test_a_problem_is_sound(example: Example) -> None:
    assert example.expression is not None
    assert used(example) <= set(range(len(example.problem.quantities)))
    assert crossings(example.expression) == 0
    if is_equation(example.expression):
        names = [variable.name for variable in variables(example.expression)]
        starts = [min(s for n, s, _ in example.groundings if n == name) for name in names]
        assert starts == sorted(starts)
        assert (example.answer is not None) == (len(names) == 1)
    else:
        assert example.answer is not None
        assert example.answer > 0
        assert operations(example)


@pytest.mark.parametrize("operator", [Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV])
@pytest.mark.parametrize("examples", [ARITHMETIC, EQUATIONS], ids=["arithmetic", "equations"])
def test_every_operator_is_there(examples: list[Example], operator: Operator) -> None:
    least = {Operator.DIV: 5}.get(operator, 20)
    assert sum(operator in operations(example) for example in examples) >= least


def test_a_third_has_numbers_that_the_gold_does_not_use() -> None:
    # "One" and "two" in words hardly distract anybody ("one number", "the two sisters").
    distracted = [
        example
        for example in CORPUS
        for index, quantity in enumerate(example.problem.quantities)
        if index not in used(example)
        and example.problem.text[quantity.start : quantity.end].lower() not in ("one", "two")
    ]
    assert 3 * len({example.problem.id for example in distracted}) >= len(CORPUS)


def test_one_two_and_three_steps_are_there() -> None:
    steps = Counter(len(operations(example)) for example in ARITHMETIC)
    assert steps[1] >= 100
    assert steps[2] >= 50
    assert steps[3] >= 10


def test_numbers_are_written_in_every_way() -> None:
    kinds = Counter(match.kind for example in CORPUS for match in find_quantities(example.problem.text))
    for kind in (Kind.DIGITS, Kind.WORDS, Kind.MONEY, Kind.PERCENT, Kind.FRACTION, Kind.MULTIPLIER):
        assert kinds[kind] >= 10, kind
    decimals = [
        example
        for example in CORPUS
        if any(quantity.value.denominator in (10, 100, 20, 5) for quantity in example.problem.quantities)
    ]
    assert len(decimals) >= 20


def test_some_problems_ask_first() -> None:
    first = [example for example in ARITHMETIC if example.problem.tokens[0].in_question]
    assert len(first) >= 8


def test_some_problems_differ_in_a_word_and_not_in_a_number() -> None:
    stories: dict[tuple[Fraction, ...], list[Example]] = {}
    for example in CORPUS:
        stories.setdefault(tuple(q.value for q in example.problem.quantities), []).append(example)
    pairs = [
        group
        for group in stories.values()
        if len(group) > 1 and group[0].problem.text[:15] == group[1].problem.text[:15]
    ]
    assert len(pairs) >= 20


def test_no_two_problems_differ_only_in_numbers() -> None:
    problems = [example.problem for example in CORPUS]
    for index, problem in enumerate(problems):
        assert not leaks([problem], problems[index + 1 : index + 2])
    assert all(leak.left == leak.right for leak in leaks(problems, problems))


def test_every_problem_of_the_exam_maps_and_gives_its_answer() -> None:
    assert len(load_exam().examples) == 772
    assert not load_exam().problems_failed
    assert not load_exam().warnings
    assert len({example.problem.id for example in load_exam().examples}) == 772
    assert sum(bool(example.groundings) for example in load_exam().examples) == 152  # sentences


def test_nothing_of_the_exam_stands_in_what_models_learn_from() -> None:
    assert not leaks(load_exam().problems, load_corpus().problems)
    assert not leaks(load_exam().problems, load("stories").problems)

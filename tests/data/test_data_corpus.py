"""The corpus that ships: every problem is sound, and the whole is as varied as it says."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest

from text2math.data import (
    EXAM_PARTS,
    DataError,
    leaks,
    load,
    load_beyond,
    load_corpus,
    load_exam,
    mask_numbers,
)
from text2math.language.attachment import crossings
from text2math.language.numbers import Kind, find_quantities
from text2math.language.problem import Example, Problem
from text2math.mathematics.algebra import evaluate, solution
from text2math.mathematics.expression import (
    Expression,
    Operator,
    is_equation,
    numbers,
    operators,
    variables,
)
from text2math.mathematics.notation import from_infix

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


# The parts of the exam for the larger grammar -------------------------------------------------------------

# How many problems a part has, and how many of them at least are mapped. The others are sensible problems
# whose numbers are not found yet, such as the 0.5 of "50p coins".
PARTS = {
    "known": (250, 242),
    "reuse": (100, 100),
    "crossing": (100, 100),
    "systems": (150, 143),
    "rounding": (100, 99),
    "percent": (50, 49),
    "clock": (30, 28),
}


def lines_of(part: str) -> list[dict[str, Any]]:
    text = files("text2math.data").joinpath("exam", f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def exam_problems() -> list[Problem]:
    parts = [problem for part in EXAM_PARTS for problem in load_exam(part, knowledge=True).problems]
    return [*parts, *(beyond.problem for beyond in load_beyond())]


def in_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def values_of_gold(line: dict[str, Any]) -> list[list[Fraction | None]]:
    """What the gold of a line gives for all that is asked, once for each of its solutions."""
    if "expression" in line:
        return [[evaluate(from_infix(line["expression"]))]]
    solved = solution(from_infix(" ; ".join(line["equations"])))
    wanted = [from_infix(one) for one in in_list(line["asked"])]
    points = [dict(zip(solved.unknowns, point, strict=True)) for point in solved.points]
    return [[evaluate(one, point) for one in wanted] for point in points]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_exam_maps(part: str) -> None:
    size, mapped = PARTS[part]
    dataset = load_exam(part, knowledge=True)
    assert dataset.size == size
    assert len(dataset.examples) >= mapped
    assert not dataset.warnings
    assert {failure.reason for failure in dataset.problems_failed} <= {
        "a number that is not in the text",
        "numbers that cross in the text",
    }


@pytest.mark.parametrize("part", PARTS)
def test_the_gold_of_the_exam_gives_its_answers_mapped_or_not(part: str) -> None:
    for line in lines_of(part):
        answers = [Fraction(str(answer)) for answer in in_list(line["answer"])]
        assert answers in values_of_gold(line), line["id"]


def test_problems_of_the_exam_have_ids_of_their_own_and_are_short() -> None:
    problems = exam_problems()
    assert len(problems) == 772 + sum(size for size, _ in PARTS.values()) + 300
    assert len({problem.id for problem in problems}) == len(problems)
    assert max(len(problem.text.split()) for problem in problems) <= 150


def test_no_two_problems_of_the_exam_differ_only_in_numbers() -> None:
    problems = exam_problems()
    assert len({mask_numbers(problem.text) for problem in problems}) == len(problems)


def test_systems_of_the_exam_ask_for_one_unknown_for_all_and_for_expressions() -> None:
    examples = load_exam("systems", knowledge=True).examples
    several = [example for example in examples if len(example.asked) > 1]
    computed = [example for example in examples if any(map(operators_of, example.asked))]
    assert len(several) >= 20
    assert len(computed) >= 6
    assert len(examples) - len(several) - len(computed) >= 80
    unknowns = Counter(len(variables(e.expression)) for e in examples if e.expression is not None)
    assert unknowns[3] >= 8
    assert unknowns[1] >= 10


def operators_of(expression: Expression) -> list[Operator]:
    return list(operators(expression))


@pytest.mark.parametrize(
    "operator", [one for one in Operator if one.entry.root_only and one is not Operator.SYS]
)
def test_every_operator_on_whole_numbers_is_in_the_exam(operator: Operator) -> None:
    roots = [next(iter(operators_of(from_infix(line["expression"]))), None) for line in lines_of("rounding")]
    assert roots.count(operator) >= 10


def test_an_unknown_part_of_the_exam_is_refused_with_the_parts_there_are() -> None:
    with pytest.raises(DataError, match="no part 'geometry'; its parts are plain, known"):
        load_exam("geometry")


def test_problems_beyond_the_grammar_are_of_many_kinds_and_have_no_gold() -> None:
    assert len(load_beyond()) == 300
    kinds = Counter(beyond.kind for beyond in load_beyond())
    assert len(kinds) == 12
    assert min(kinds.values()) >= 10
    assert all(line.keys() == {"id", "text", "kind"} for line in lines_of("beyond"))


def test_nothing_of_the_exam_stands_in_what_models_learn_from() -> None:
    assert not leaks(exam_problems(), load_corpus().problems)
    assert not leaks(exam_problems(), load("stories").problems)

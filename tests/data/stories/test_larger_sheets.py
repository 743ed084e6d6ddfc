"""Sheets of the larger grammar: what they may say, what is refused, and what becomes of it in a story."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from text2math.commands.generate import json_lines
from text2math.data.jsonlines import parse_json_lines
from text2math.data.stories import Story, every_question, generate
from text2math.data.stories.drawing import draw
from text2math.data.stories.exercise import Exercise, Question, SheetError
from text2math.data.stories.generate import needs_larger
from text2math.data.stories.retelling import Retelling, retell
from text2math.data.stories.sheets import exercises, read, sheet_text
from text2math.data.stories.story import as_story
from text2math.language.attachment import crossings
from text2math.language.problem import Problem
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import has_unknowns, is_system, numbers
from text2math.mathematics.notation import to_infix

TICKETS = """@ system
(X: Student tickets) cost $[c 4] and (Y: all others) $[d 6]. [a 525] tickets were sold for $[b 2876].
? How many of each kind were sold? = X + Y = a; c * X + d * Y = b -> X, Y
? How many more of the others were sold? = X + Y = a; c * X + d * Y = b -> Y - X
? How much money did the students pay? = X + Y = a; c * X + d * Y = b -> c * X"""


def _told(sheet: str, question: int = 0, seed: int = 1) -> tuple[Retelling, Story]:
    (exercise,) = read(sheet, "own")
    told = retell(exercise, exercise.questions[question], random.Random(seed))
    story = as_story(told, "own")
    assert story is not None
    return told, story


@pytest.mark.parametrize(
    ("sheet", "mathematics", "knowledge"),
    [
        ("@ rate\nA lamp flashes [a 6] times a minute.\n? How often is that in an hour? = a * 60",
         "6 * 60", True),
        ("@ percent\nA hat costs $[a 40]. Today it is [b 25%] off.\n? What is it now? = a * (1 - b)",
         "40 * (1 - 0.25)", True),
        ("@ percent\n[a 28] of the [b 80] seats in the bus are taken.\n? What percent is that? = a / b * 100",
         "28 / 80 * 100", True),
        ("@ compare\n{Lily f} has [a 8] pens, {Ben m} [b 5] pens more than {Lily}.\n? In all? = a + (a + b)",
         "8 + (8 + 5)", True),
        ("@ money\n{Tom m} has $[a 79] for [b 9] books. After buying them he has $[c 16].\n"
         "? How much did each book cost? = (a - c) / b", "(79 - 16) / 9", True),
        ("@ rounding\n[a 130] pupils go by bus. A bus takes [b 40].\n? How many buses? = ceil(a / b)",
         "ceil(130 / 40)", False),
        ("@ rounding\n[a 130] cups, [b 40] in a box.\n? How many full boxes are there? = floor(a / b)",
         "floor(130 / 40)", False),
        ("@ rounding\n[a 130] cups, [b 40] in a box.\n? How many cups are left over then? = a mod b",
         "130 mod 40", False),
        ("@ rounding\n[a 24] roses and [b 36] tulips.\n? How many bunches at most? = gcd(a, b)",
         "gcd(24, 36)", False),
        ("@ rounding\nA bell rings every [a 24] minutes, another every [b 36].\n? When both? = lcm(a, b)",
         "lcm(24, 36)", False),
        ("@ rounding\n[a 24] roses and [b 36] tulips.\n? What is the ratio of roses to tulips? = a : b",
         "24 : 36", False),
        ("@ clock\nA film starts at [a 6:15 pm] and lasts [b 95] minutes.\n? When is it over? = a + b",
         "1095 + 95", True),
        ("@ clock\nA lesson is from [a 11:35] to [b 1:20].\n? How many minutes is it? = b - a",
         "800 - 695", True),
    ],
)  # fmt: skip
def test_each_form_of_mathematics_is_read_and_told(sheet: str, mathematics: str, knowledge: bool) -> None:
    (exercise,) = read(sheet, "own")
    question = exercise.questions[0]
    assert question.expression is not None
    assert to_infix(question.expression) == mathematics
    assert not question.plain or knowledge  # what crosses is plain mathematics
    drawn = set()
    for seed in range(6):
        told = retell(exercise, question, random.Random(seed))
        drawn.add(told.values)
        story = as_story(told, "own")
        assert story is not None
        assert story.knowledge is knowledge
        _check_against(told, story)
    assert len(drawn) > 2


def test_without_knowledge_only_what_needs_none_is_told() -> None:
    known = "@ rate\nA lamp flashes [a 6] times a minute.\n? How often is that in an hour? = a * 60"
    rounded = "@ rounding\n[a 130] pupils go by bus. A bus takes [b 40].\n? How many buses? = ceil(a / b)"
    for sheet, is_told in ((known, False), (rounded, True)):
        told, _ = _told(sheet)
        assert (as_story(told, "own", knowledge=False) is not None) is is_told


def test_a_known_number_is_not_taken_for_a_number_of_the_sheet_with_the_same_value() -> None:
    (exercise,) = read(
        "@ groups\n{Al m} reads [a 7] books and swims [b 3] lengths every day.\n"
        "? How many lengths does he swim in a week? = b * 7",
        "own",
    )
    for seed in range(60):
        told = retell(exercise, exercise.questions[0], random.Random(seed))
        story = as_story(told, "own")
        assert story is not None
        assert story.expression is not None
        problem = story.example().problem
        sources = [problem.all_quantities[n.quantity or 0].source.value for n in numbers(story.expression)]
        assert sorted(sources) == ["known", "written"], told.text
    assert any(retell(exercise, exercise.questions[0], random.Random(s)).values[0] == 7 for s in range(60))


def test_a_system_is_told_with_what_is_asked_and_the_answers_to_that() -> None:
    (exercise,) = read(TICKETS, "own")
    assert [[to_infix(one) for one in question.asked] for question in exercise.questions] == [
        ["X1", "X2"],
        ["X2 - X1"],
        ["4 * X1"],
    ]
    _, story = _told(TICKETS)
    assert story.expression is not None
    assert is_system(story.expression)
    solution = solve(story.expression)
    assert solution is not None
    assert story.answers == tuple(solution.values())
    assert story.answer is None
    assert [story.text[start:end] for _, start, end in story.groundings] == ["Student tickets", "all others"]
    example = story.example()
    assert (example.asked, example.answers) == (story.asked, story.answers)
    _, difference = _told(TICKETS, question=1)
    assert difference.answers == (difference.answer,)


def test_numbers_of_a_system_are_drawn_so_that_the_solution_stays_whole_and_above_zero() -> None:
    (exercise,) = read(TICKETS, "own")
    question = exercise.questions[0]
    assert question.expression is not None
    found = set()
    for seed in range(40):
        told = retell(exercise, question, random.Random(seed))
        assert told.expression is not None
        solution = solve(told.expression)
        assert solution is not None
        assert all(value > 0 and value.denominator == 1 for value in solution.values())
        found.add(tuple(solution.values()))
    assert len(found) > 30


def test_an_equation_without_a_number_to_work_out_is_kept_by_the_solution_that_is_drawn() -> None:
    (exercise,) = read(
        "@ system\n{Ann f} is twice as old as {Bo m}. Together they are [a 36] years old.\n"
        "? How old is {Ann}? = X = 2 * Y; X + Y = a -> X",
        "own",
    )
    drawn = {draw(exercise, random.Random(seed)) for seed in range(30)}
    assert len(drawn) > 5
    assert all(total % 3 == 0 for (total,) in drawn)


def test_no_number_of_a_system_becomes_one_because_its_noun_is_plural() -> None:
    (exercise,) = read(
        "@ system\nTwo numbers add up to [a 9] and differ by [b 3] units.\n"
        "? What is the larger one? = X + Y = a; X - Y = b -> X",
        "own",
    )
    drawn = {draw(exercise, random.Random(seed)) for seed in range(60)}
    assert len(drawn) > 10
    assert all(difference > 1 for _, difference in drawn)


def test_a_system_of_fixed_numbers_alone_keeps_its_own() -> None:
    (exercise,) = read(
        "@ system\n{Ann f} is [a twice] as old as {Bo m}. Together they are one dozen years old.\n"
        "? How old is {Ann}? = X = a * Y; X + Y = 12 -> X",
        "own",
    )
    assert {draw(exercise, random.Random(seed)) for seed in range(5)} == {(Fraction(2),)}


def test_a_question_beyond_the_grammar_has_no_mathematics() -> None:
    _, story = _told("@ beyond\nTwo lines meet at [a 40] degrees.\n? How large is the marked angle?")
    assert (story.expression, story.answer, story.answers) == (None, None, ())
    assert story.example().expression is None


@pytest.mark.parametrize(
    ("sheet", "what"),
    [
        ("@ rounding\n[a 9] cats, [b 4] dogs.\n? How many? = rem(a, b)", "mod"),
        ("@ rounding\n[a 9] cats, [b 4] dogs.\n? How many? = ceil(a + b)", "needs one '/' inside"),
        ("@ rounding\n[a 9] cats, [b 4] dogs.\n? How many? = ceil(a / b) + a", "only at the root"),
        ("@ rounding\n[a 8] cats, [b 4] dogs.\n? How many remain? = a mod b", "not above zero"),
        ("@ rate\n[a 9] cats a day.\n? How many in a fine spring? = a * 91", "91; the text has 9"),
        (
            "@ groups\n{Ida f} has [a 9] dozen eggs and [b 4] hens.\n? How many eggs are these? = a * 12",
            "another one \\(9\\)",
        ),
        ("@ system\n[a 30] heads.\n? How many? = X + Y = a -> X", "infinitely many solutions"),
        (
            "@ system\n[a 30] hens, [b 4].\n? How many? = X + Y = a; X - Y = b",
            "what are the equations solved",
        ),
        (
            "@ system\n[a 30] hens, [b 4].\n? How many? = X + Y = a; X - Y = b -> Z",
            "unknowns of the equations",
        ),
        ("@ system\n[a 30] hens, [b 4].\n? How many? = X + a -> X", "an unknown needs an equation"),
        ("@ change\n[a 30] hens, [b 4].\n? How many? = a + b -> a", "an unknown needs an equation"),
        ("@ system\n[a 3] hens, [b 14].\n? How many? = X + Y = a; X - Y = b -> X, Y", "not above zero"),
        ("@ system\n[a 30] hens, [a 4].\n? How many? = X = a -> X", "is used for 30 and for 4"),
        ("@ clock\nFrom [a 25:75] to [b 9:10].\n? How long? = b - a", "not one number"),
        ("@ rounding\n? What is the greatest common factor of [a 56] and [b 84]? = gcd(a, b)", "of the exam"),
        ("@ beyond\nTwo lines meet at [a 40] degrees, not at [a 40].\n? Which angle?", "mark the letters"),
    ],
)
def test_a_wrong_exercise_of_the_larger_grammar_is_refused_with_what_is_wrong(sheet: str, what: str) -> None:
    with pytest.raises(SheetError, match=what):
        read(sheet, "own")


# Over all sheets ------------------------------------------------------------------------------------------


def _written(problem: Problem, index: int) -> int | None:
    """The written quantity that a quantity is or refers to; None for a known one."""
    quantity = problem.all_quantities[index]
    return index if index < len(problem.quantities) else quantity.refers_to


def _check_against(told: Retelling, story: Story) -> None:
    """The story says over its text what the sheet says over the drawn values."""
    assert story.expression is not None
    assert told.expression is not None
    problem = story.example().problem
    used = [number.quantity for number in numbers(story.expression)]
    for number in numbers(story.expression):
        assert number.quantity is not None
        assert problem.all_quantities[number.quantity].value == number.value, story.text
    marked = {
        index
        for place in told.places
        for index, quantity in enumerate(problem.quantities)
        if quantity.start < place.end and place.start < quantity.end
    }
    meant = {place.number for place in told.places} & {n.quantity for n in numbers(told.expression)}
    assert len({_written(problem, index or 0) for index in used} & marked) == len(meant), story.text
    if has_unknowns(told.expression):
        solution = solve(told.expression)
        wanted = told.asked and tuple(evaluate(one, solution) for one in told.asked)
        assert not wanted or story.answers == wanted, story.text
    else:
        assert crossings(story.expression, problem.all_anchors) == 0, story.text
        assert evaluate(story.expression) == evaluate(told.expression) == story.answer, story.text


def _questions(*, plain: bool) -> Iterator[tuple[Exercise, Question]]:
    for exercise in exercises():
        for question in exercise.questions:
            if question.plain is plain and question.expression is not None:
                yield exercise, question


@pytest.mark.slow
def test_every_larger_question_of_the_package_means_in_its_text_what_its_sheet_says() -> None:
    untold = []
    for exercise, question in _questions(plain=False):
        rng = random.Random(exercise.name)
        found = ((told, as_story(told, "x")) for told in (retell(exercise, question, rng) for _ in range(8)))
        told, story = next(((told, story) for told, story in found if story is not None), (None, None))
        if told is None or story is None:
            untold.append((exercise.name, question.wordings[0]))
        else:
            _check_against(told, story)
    assert not untold


def test_plain_questions_mean_in_their_text_what_their_sheet_says() -> None:
    rng = random.Random(3)
    for exercise, question in rng.sample(list(_questions(plain=True)), 400):
        told = retell(exercise, question, rng)
        story = as_story(told, "x")
        if story is not None:
            _check_against(told, story)


# Generated ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_questions_beyond_the_grammar_are_told_only_if_asked_for() -> None:
    assert all(story.expression is not None for story in generate(300, seed=3))
    assert all(
        story.expression is None for story in generate(20, seed=3, kinds=["beyond"]) if story.kind != "beyond"
    )
    assert any(story.expression is None for story in generate(20, seed=3, kinds=["beyond"]))
    told = {beyond: list(every_question("held_out", larger=True, beyond=beyond)) for beyond in (False, True)}
    assert not any(story.expression is None for story in told[False])
    assert sum(story.expression is None for story in told[True]) == len(told[True]) - len(told[False]) > 0


def test_the_larger_grammar_can_be_asked_for_or_left_out() -> None:
    larger = list(generate(150, seed=4, larger=True))
    assert {story.kind for story in larger} >= {"system", "rounding", "percent", "clock"}
    assert any(story.knowledge for story in larger)
    plain = list(generate(150, seed=4, larger=False))
    assert not any(story.knowledge or story.kind == "system" for story in plain)


def test_questions_whose_numbers_cross_need_the_larger_grammar() -> None:
    (exercise,) = read(
        "@ sharing\n{Ines f} had $[a 95] and bought [b 6] pens. She came back with $[c 23].\n"
        "? What did each pen cost? = (a - c) / b\n? How much did she spend? = a - c\n",
        "crossing",
    )
    crossing, plain = exercise.questions
    assert crossing.plain
    assert needs_larger(exercise, crossing)
    assert not needs_larger(exercise, plain)


def test_stories_whose_numbers_cross_are_among_the_larger_ones() -> None:
    crossing = [one for one in generate(400, seed=4, larger=True) if one.knowledge and _uses_each_once(one)]
    assert len(crossing) > 5


def _uses_each_once(story: Story) -> bool:
    """Whether a story uses written numbers alone, each once, some of them not in their places."""
    assert story.expression is not None
    origins = story.example().problem.origins
    used = [origins[one.quantity] for one in numbers(story.expression) if one.quantity is not None]
    return (
        story.kind != "system" and len(set(used)) == len(used) and all(isinstance(one, int) for one in used)
    )


@pytest.mark.parametrize("sign", ["ceil", "floor", "mod", "gcd", "lcm", ":"])
def test_the_signs_of_the_larger_grammar_are_filters(sign: str) -> None:
    for story in generate(4, seed=2, operators=[sign]):
        assert story.expression is not None
        assert sign in to_infix(story.expression)


def test_larger_stories_are_read_back_from_json_lines_as_the_same_examples() -> None:
    stories = list(generate(200, seed=13, larger=True))
    lines = "\n".join(json_lines(stories))
    dataset = parse_json_lines(lines, "stories", "stories.jsonl", knowledge=True)
    assert not dataset.problems_failed
    assert not dataset.warnings
    for story, example in zip(stories, dataset.examples, strict=True):
        assert example.answers == story.answers, story.text
        assert example.expression == story.expression, story.text


def test_stories_of_consecutive_numbers_are_read_back_as_the_same_examples() -> None:
    sheets = ("consecutive_numbers_told_at_length", "consecutive_numbers_multiplied_and_squared")
    told = [
        retell(one, one.questions[0], random.Random(1))
        for name in sheets
        for one in read(sheet_text(name), name)
    ]
    stories = [story for index, one in enumerate(told) if one and (story := as_story(one, str(index)))]
    assert len(stories) > 40
    dataset = parse_json_lines("\n".join(json_lines(stories)), "stories", "stories.jsonl", knowledge=True)
    assert not dataset.problems_failed
    for story, example in zip(stories, dataset.examples, strict=True):
        assert example.expression == story.expression, story.text


def test_a_plain_question_beside_those_that_need_equations_is_read_back_as_plain_mathematics() -> None:
    _, story = _told(f"{TICKETS}\n? How much is a ticket of each kind? = c + d", question=3)
    dataset = parse_json_lines("\n".join(json_lines([story])), "stories", "stories.jsonl", knowledge=True)
    assert not dataset.problems_failed
    assert dataset.examples[0].expression == story.expression

"""Sheets of exercises: what they hold is sound, and is told anew without losing its sense."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from text2math.data import load, mask_numbers
from text2math.data.stories import every_question, generate, retelling
from text2math.data.stories.drawing import draw
from text2math.data.stories.retelling import retell
from text2math.data.stories.sheets import (
    HELD_OUT,
    SheetError,
    exercises,
    read,
    sheet_names,
    sheet_text,
)
from text2math.data.stories.story import as_story
from text2math.data.stories.written_numbers import WrittenNumber
from text2math.language.numbers import find_quantities
from text2math.mathematics.notation import to_infix

KITES = """@ money
{Ines f} has $[a 40] and buys [b 3] <x:puzzles|kites> for $[c 7] each.
? How much does she pay for the <x>? / What do the <x> cost? = b * c
? How much money does {Ines} have left? = a - b * c
! a > c"""


def test_an_exercise_is_told_with_one_name_one_choice_and_its_numbers_in_place() -> None:
    (exercise,) = read(KITES, "kites")
    for seed in range(50):
        told = retell(exercise, exercise.questions[1], random.Random(seed))
        name = told.text.split()[0]
        assert told.text.count(name) == 2
        assert ("puzzles" in told.text) != ("kites" in told.text)
        assert [told.text[start:end] for _, start, end in told.places] == [str(one) for one in told.values]
        assert not set("[]{}<>") & set(told.text)


def test_numbers_drawn_anew_keep_every_step_of_every_question_above_zero_and_whole() -> None:
    (exercise,) = read(KITES, "kites")
    found = [draw(exercise, random.Random(seed)) for seed in range(40)]
    assert len(set(found)) > 10
    for numbers in found:
        a, b, c = numbers
        assert a > b * c > 0
        assert a > c
        assert all(number.denominator == 1 for number in numbers)


@pytest.mark.parametrize(
    ("text", "number", "written"),
    [
        ("40", 35, "35"),
        ("1,250", 1310, "1,310"),
        ("1250", 1310, "1310"),
        ("4.75", Fraction(11, 2), "5.50"),
        ("twelve", 15, "fifteen"),
        ("Twelve", 15, "Fifteen"),
        ("3/4", Fraction(3, 4), "3/4"),
        ("0.7%", Fraction(12, 1000), "1.2%"),
        ("15 percent", Fraction(22, 100), "22 percent"),
        ("92 cents", Fraction(83, 100), "83 cents"),
        ("2.3 million", 1_900_000, "1.9 million"),
    ],
)
def test_another_number_is_written_as_the_first_one_was(text: str, number: Fraction, written: str) -> None:
    (quantity,) = find_quantities(text)
    assert WrittenNumber(text, quantity.value).written(Fraction(number)) == written


@pytest.mark.parametrize("text", ["twice", "Half", "double", "two thirds", "3/4", "one", "a dozen", "-41"])
def test_words_and_fractions_that_name_one_number_keep_it(text: str) -> None:
    (quantity,) = find_quantities(text)
    own = WrittenNumber(text, quantity.value)
    assert {own.again(random.Random(seed)) for seed in range(20)} == {quantity.value}


@pytest.mark.parametrize("text", ["40", "0.7%", "15 percent", "92 cents", "2.3 million", "twelve"])
def test_percentages_cents_and_millions_are_drawn_anew_as_other_numbers_are(text: str) -> None:
    (quantity,) = find_quantities(text)
    own = WrittenNumber(text, quantity.value)
    again = {own.again(random.Random(seed)) for seed in range(30)}
    assert len(again) > 4
    for number in again:
        (found,) = find_quantities(own.written(number))
        assert found.value == number


@pytest.mark.parametrize("text", ["6:15 pm", "6:15 P.M.", "11:40am", "06:05", "9:32", "19:45", "12:10 pm"])
def test_a_time_of_day_is_drawn_anew_in_its_half_of_the_day_and_written_as_it_was(text: str) -> None:
    (quantity,) = find_quantities(text, clock_times=True)
    own = WrittenNumber(text, quantity.value)
    again = {own.again(random.Random(seed)) for seed in range(30)}
    assert len(again) > 4
    for minutes in again:
        written = own.written(minutes)
        (found,) = find_quantities(written, clock_times=True)
        assert found.value == minutes
        assert minutes // 720 == quantity.value // 720
        assert written.lstrip("0123456789:") in (text.lstrip("0123456789:"), "")


@pytest.mark.parametrize(
    ("written", "value"),
    [("a third", "1/3"), ("a quarter", "1/4"), ("three quarters", "3/4"), ("one half", "1/2")],
)
def test_fractions_in_words_can_be_marked(written: str, value: str) -> None:
    sheet = f"@ change\nThere are [a 60] eggs. {{Al m}} breaks [b {written}] of them.\n? How many? = b * a"
    (exercise,) = read(sheet, "eggs")
    assert [number.value for number in exercise.numbers] == [60, Fraction(value)]
    story = as_story(retell(exercise, exercise.questions[0], random.Random(1)), "eggs")
    assert story is not None
    assert f"{written} of them" in story.text


@pytest.mark.parametrize(
    ("sheet", "what"),
    [
        ("@ money\n[a 3] cats and [b 4] dogs.", "needs a kind"),
        ("[a 3] cats and [b 4] dogs.\n? How many? = a + b", "needs a kind"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many?", "what does the question ask for"),
        ("@ poems\n[a 3] cats and [b 4] dogs.\n? How many? = a + b", "'poems' is not a kind"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + c", "not an expression over the letters"),
        ("@ change\n[a 3] cats.\n? [b 4]? = a + b\n? How many? = a + b", "mark the letters a, b once"),
        ("@ change\n[a 3] cats and [a 3] dogs.\n? How many [b 2]? = a + b", "mark the letters a, b once"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a", "at least two numbers"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a - b", "not above zero"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = print(a)", "not an expression"),
        ("@ change\n[a 3] cats and [b some] dogs.\n? How many? = a + b", "not one number"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + b\n! a >= b", "a rule is like"),
        (
            "@ change\n{Mr. Lund m} has [a 3] cats and [b 4] dogs.\n? How many? = a + b",
            "{Mr. Lund m} is no mark",
        ),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many are [a] and [b]? = a + b", r"\[a\] is no mark"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + b\n! a > b", "rules do not hold"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + b\n! a > z", "a rule is like"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a / (b - b)", "not above zero"),
        ("@ change\n[a 3] cats, [b 4] dogs.\n? [c 5]? = a + c\n? [c 6]? = b + c", "is used for 5 and for 6"),
    ],
)
def test_a_wrong_exercise_is_refused_with_what_is_wrong(sheet: str, what: str) -> None:
    with pytest.raises(SheetError, match=what):
        read(sheet, "own")


def test_the_package_has_thousands_of_questions_and_every_one_gives_stories() -> None:
    assert len(exercises()) > 19_000
    assert sum(len(exercise.questions) for exercise in exercises()) > 40_000
    rng = random.Random(0)
    stiff = []
    for exercise in rng.sample(exercises(), 150):
        if len({draw(exercise, rng) for _ in range(12)}) < 4:
            stiff.append(exercise.name)
        for question in exercise.questions:
            told = (as_story(retell(exercise, question, rng), "x") for _ in range(8))
            assert any(told), (exercise.name, question.wordings)
    assert len(stiff) <= 3, stiff


def test_comments_are_skipped_and_leave_the_numbering_of_exercises_alone() -> None:
    exercise = "@ change\n[a 7] birds sit on a wire. [b Two] fly off.\n? How many are left? = a - b\n"
    assert read(f"# Birds.\n# Some fly off.\n\n# The first.\n{exercise}", "wires") == read(exercise, "wires")


@pytest.mark.slow
def test_the_held_out_sheets_are_told_by_themselves() -> None:
    everyone = {exercise.name for exercise in exercises()}
    held_out, training = ({one.name for one in exercises(sheets)} for sheets in ("held_out", "training"))
    assert held_out | training == everyone
    assert not held_out & training
    assert "stories_of_the_first_grades 1" in held_out
    told = list(every_question("held_out", beyond=True))
    assert len(told) > 0.99 * sum(len(exercise.questions) for exercise in exercises("held_out"))
    assert len({story.id for story in told}) == len(told)
    one, other = (next(generate(1, seed=1, sheets=sheets)).text for sheets in ("held_out", "training"))
    assert one != other


@pytest.mark.slow
def test_every_sheet_of_the_package_is_sound() -> None:
    for folder in ("", HELD_OUT):
        for name in sheet_names(folder):
            assert read(sheet_text(name, folder), name), name


def test_every_number_of_every_sheet_is_drawn_anew() -> None:
    rng = random.Random(0)
    for exercise in exercises():
        for number in exercise.numbers:
            again = number.again(rng)
            assert again > 0 or again == number.value, (exercise.name, number)


def test_every_sheet_begins_with_what_it_teaches() -> None:
    for folder in ("", HELD_OUT):
        for name in sheet_names(folder):
            header = sheet_text(name, folder).split("\n\n")[0].splitlines()
            assert header, name
            assert all(line.startswith("# ") for line in header), name
            assert len(" ".join(header)) > 40, name


@pytest.mark.slow
def test_no_exercise_stands_in_a_data_set_or_in_the_exam(data_dir: Path) -> None:
    names = ("ai2", "il", "commoncore", "equations", "allarith", "mawps")
    known = {mask_numbers(one.problem.text) for name in names for one in load(name, data_dir).examples}
    known |= {mask_numbers(one.problem.text) for name in ("exam", "corpus") for one in load(name).examples}
    told = {mask_numbers(retell(e, q, random.Random(0)).text) for e in exercises() for q in e.questions}
    assert not told & known


SENTENCES = """\
@ equation
? [a 3] times (X: one number) is [b 11] less than [c 5] times (Y: the other). = a * X = c * Y - b
? When [a 8] is added to [b four] times (X: a <n:number|integer>), the result is [c 60]. = b * X + a = c
"""


def test_a_sentence_is_told_as_an_equation_whose_unknowns_are_grounded() -> None:
    first, _ = read(SENTENCES, "sentences")
    story = as_story(retell(first, first.questions[0], random.Random(3)), "first")
    assert story is not None
    assert [story.text[start:end] for _, start, end in story.groundings] == ["one number", "the other"]
    assert to_infix(story.expression).count("X") == 2
    assert "(" not in story.text


def test_the_solution_of_an_equation_told_anew_stays_whole_and_above_zero() -> None:
    _, second = read(SENTENCES, "sentences")
    solutions = set()
    for seed in range(30):
        story = as_story(retell(second, second.questions[0], random.Random(seed)), "second")
        assert story is not None
        assert story.answer is not None
        assert story.answer > 0
        assert story.answer.denominator == 1
        solutions.add(story.answer)
    assert len(solutions) > 5


def test_one_phrase_may_stand_for_both_unknowns() -> None:
    (exercise,) = read("@ equation\n? (XY: Two numbers) differ by [a 8]. = X - Y = a", "pair")
    story = as_story(retell(exercise, exercise.questions[0], random.Random(1)), "pair")
    assert story is not None
    assert [(name, story.text[start:end]) for name, start, end in story.groundings] == [
        ("X1", "Two numbers"),
        ("X2", "Two numbers"),
    ]


def test_an_unknown_may_be_used_twice_and_the_equation_keeps_a_solution() -> None:
    text = "? [a 5] times (X: a number) is [b 12] more than [c 3] times the same number. = a * X = c * X + b"
    (exercise,) = read(f"@ equation\n{text}", "twice")
    for seed in range(40):
        story = as_story(retell(exercise, exercise.questions[0], random.Random(seed)), "twice")
        assert story is not None
        assert story.answer is not None
        assert story.answer > 0


def test_no_two_people_of_an_exercise_get_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(retelling._NAMES, "m", ("Diego", "Omar", "Ivo", "Paul", "Hugo", "Emil"))
    text = "{Diego m} has [a 3] cats, {Omar m} has [b 4].\n? {Ivo m} has [c 5]. How many? = a + b + c"
    (exercise,) = read(f"@ combine\n{text}", "names")
    for seed in range(60):
        words = retell(exercise, exercise.questions[0], random.Random(seed)).text.split()
        names = [word for word, following in pairwise(words) if following == "has"]
        assert len(set(names)) == 3, names


def test_a_sheet_with_an_unknown_that_is_not_marked_is_refused() -> None:
    with pytest.raises(SheetError, match="mark the letters X, a, b once"):
        read("@ equation\n? A number plus [a 3] is [b 9]. = X + a = b", "unmarked")


def test_a_number_that_is_worked_out_is_one_only_where_the_sheet_has_one() -> None:
    text = "A class of [a 9] has [b 3] more girls than boys.\n? How many girls? = X + Y = a; X = Y + b -> X"
    (exercise,) = read(f"@ system\n{text}", "class")
    more = {draw(exercise, random.Random(seed))[1] for seed in range(80)}
    assert len(more) > 3
    assert 1 not in more, "1 more girls"

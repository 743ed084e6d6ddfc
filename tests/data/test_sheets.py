"""Sheets of exercises: what they hold is sound, and is told anew without losing its sense."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from text2math.data import load, mask_numbers
from text2math.data.stories import sheets
from text2math.data.stories.generate import finish
from text2math.data.stories.sheets import (
    SheetError,
    Written,
    drawn,
    every_question,
    exercises,
    exercises_told,
    read,
    tell,
)
from text2math.language.numbers import find_quantities
from text2math.mathematics.algebra import answer_of
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import to_infix

KITES = """@ money
{Ines f} has $[a 40] and buys [b 3] <x:puzzles|kites> for $[c 7] each.
? How much does she pay for the <x>? / What do the <x> cost? = b * c
? How much money does {Ines} have left? = a - b * c
! a > c"""


def test_an_exercise_is_told_with_one_name_one_choice_and_its_numbers_in_place() -> None:
    (exercise,) = read(KITES, "kites")
    for seed in range(50):
        draft = tell(exercise, exercise.questions[1], random.Random(seed))
        name = draft.text.split()[0]
        assert draft.text.count(name) == 2
        assert ("puzzles" in draft.text) != ("kites" in draft.text)
        for key, start, end in draft.places:
            assert draft.text[start:end] == draft.amounts[key].text
        assert not set("[]{}<>") & set(draft.text)


def test_numbers_drawn_anew_keep_every_step_of_every_question_above_zero_and_whole() -> None:
    (exercise,) = read(KITES, "kites")
    found = [drawn(exercise, random.Random(seed)) for seed in range(40)]
    assert len({tuple(numbers.values()) for numbers in found}) > 10
    for numbers in found:
        assert numbers["a"] > numbers["b"] * numbers["c"] > 0
        assert numbers["a"] > numbers["c"]
        assert all(number.denominator == 1 for number in numbers.values())


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
    assert Written(text, quantity.value).written(Fraction(number)) == written


@pytest.mark.parametrize("text", ["twice", "Half", "double", "two thirds", "3/4", "one", "a dozen"])
def test_words_and_fractions_that_name_one_number_keep_it(text: str) -> None:
    (quantity,) = find_quantities(text)
    own = Written(text, quantity.value)
    assert {own.again(random.Random(seed)) for seed in range(20)} == {quantity.value}


@pytest.mark.parametrize("text", ["40", "0.7%", "15 percent", "92 cents", "2.3 million", "twelve"])
def test_percentages_cents_and_millions_are_drawn_anew_as_other_numbers_are(text: str) -> None:
    (quantity,) = find_quantities(text)
    own = Written(text, quantity.value)
    again = {own.again(random.Random(seed)) for seed in range(30)}
    assert len(again) > 4
    for number in again:
        (found,) = find_quantities(own.written(number))
        assert found.value == number


@pytest.mark.parametrize(
    ("sheet", "what"),
    [
        ("@ money\n[a 3] cats and [b 4] dogs.", "needs a kind"),
        ("[a 3] cats and [b 4] dogs.\n? How many? = a + b", "needs a kind"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many?", "what does the question ask for"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + c", "do not stand in the text"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a", "at least two numbers"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a - b", "not above zero"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = print(a)", "no mathematics"),
        ("@ change\n[a 3] cats and [b some] dogs.\n? How many? = a + b", "not one number"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + b\n! a >= b", "a rule is like"),
        ("@ change\n[a 3] cats and [b 4] dogs.\n? How many? = a + b\n! a > b", "rules do not hold"),
        ("@ change\n[a 3] cats, [b 4] dogs.\n? [c 5]? = a + c\n? [c 6]? = b + c", "stands for 5 and for 6"),
    ],
)
def test_a_wrong_exercise_is_refused_with_what_is_wrong(sheet: str, what: str) -> None:
    with pytest.raises(SheetError, match=what):
        read(sheet, "own")


def test_the_package_has_thousands_of_questions_and_every_one_gives_stories() -> None:
    assert len(exercises()) > 9500
    assert sum(len(exercise.questions) for exercise in exercises()) > 20_000
    rng = random.Random(0)
    stiff = []
    for exercise in rng.sample(exercises(), 150):
        if len({tuple(drawn(exercise, rng).values()) for _ in range(12)}) < 4:
            stiff.append(exercise.name)
        for asked in exercise.questions:
            assert any(finish(tell(exercise, asked, rng), "x") for _ in range(8)), (exercise.name, asked)
    assert len(stiff) <= 3, stiff


def test_comments_are_skipped_and_leave_the_numbering_of_exercises_alone() -> None:
    exercise = "@ change\n[a 7] birds sit on a wire. [b Two] fly off.\n? How many are left? = a - b\n"
    assert read(f"# Birds.\n# Some fly off.\n\n# The first.\n{exercise}", "wires") == read(exercise, "wires")


def test_told_exercises_are_the_same_for_the_same_seed_and_have_their_answers() -> None:
    told = list(exercises_told(60, seed=3))
    assert told == list(exercises_told(60, seed=3))
    assert len({story.text for story in told}) == 60
    assert all(story.answer in (None, answer_of(story.expression)) for story in told)
    assert all(story.answer is not None for story in told if not is_equation(story.expression))
    assert [story.text for story in told] != [story.text for story in exercises_told(60, seed=4)]


def test_no_exercise_is_told_as_a_copy_of_a_text_to_be_avoided() -> None:
    plain = list(exercises_told(20, seed=4))
    avoid = [plain[2].text, plain[9].text]
    again = list(exercises_told(20, seed=4, avoid=avoid))
    assert len(again) == 20
    assert not {mask_numbers(text) for text in avoid} & {mask_numbers(story.text) for story in again}


def test_the_two_of_a_pair_tell_one_story_and_ask_different_things() -> None:
    told = list(exercises_told(40, seed=5, pairs=True))
    for one, two in zip(told[::2], told[1::2], strict=True):
        assert one.pair == two.pair
        assert one.expression != two.expression


def test_the_sheets_that_stand_apart_are_told_by_themselves() -> None:
    everyone = {exercise.name for exercise in exercises()}
    apart, others = ({exercise.name for exercise in exercises(among)} for among in ("apart", "others"))
    assert apart | others == everyone
    assert not apart & others
    assert "grades 1" in apart
    told = list(every_question("apart"))
    assert len(told) > 0.99 * sum(len(exercise.questions) for exercise in exercises("apart"))
    assert len({story.id for story in told}) == len(told)
    one, other = (next(exercises_told(1, seed=1, among=among)).text for among in ("apart", "others"))
    assert one != other


@pytest.mark.slow
def test_no_exercise_stands_in_a_data_set_or_in_the_exam(data_dir: Path) -> None:
    names = ("ai2", "il", "commoncore", "equations", "allarith", "mawps")
    known = {mask_numbers(one.problem.text) for name in names for one in load(name, data_dir).examples}
    known |= {mask_numbers(one.problem.text) for name in ("exam", "corpus") for one in load(name).examples}
    told = {mask_numbers(tell(e, q, random.Random(0)).text) for e in exercises() for q in e.questions}
    assert not told & known


SENTENCES = """\
@ equation
? [a 3] times (X: one number) is [b 11] less than [c 5] times (Y: the other). = a * X = c * Y - b
? When [a 8] is added to [b four] times (X: a <n:number|integer>), the result is [c 60]. = b * X + a = c
"""


def test_a_sentence_is_told_as_an_equation_whose_unknowns_are_grounded() -> None:
    first, _ = read(SENTENCES, "sentences")
    story = finish(tell(first, first.questions[0], random.Random(3)), "first")
    assert story is not None
    assert [story.text[start:end] for _, start, end in story.groundings] == ["one number", "the other"]
    assert to_infix(story.expression).count("X") == 2
    assert "(" not in story.text


def test_the_solution_of_an_equation_told_anew_stays_whole_and_above_zero() -> None:
    _, second = read(SENTENCES, "sentences")
    solutions = set()
    for seed in range(30):
        story = finish(tell(second, second.questions[0], random.Random(seed)), "second")
        assert story is not None
        assert story.answer is not None
        assert story.answer > 0
        assert story.answer.denominator == 1
        solutions.add(story.answer)
    assert len(solutions) > 5


def test_one_phrase_may_stand_for_both_unknowns() -> None:
    (exercise,) = read("@ equation\n? (XY: Two numbers) differ by [a 8]. = X - Y = a", "pair")
    story = finish(tell(exercise, exercise.questions[0], random.Random(1)), "pair")
    assert story is not None
    assert [(name, story.text[start:end]) for name, start, end in story.groundings] == [
        ("X1", "Two numbers"),
        ("X2", "Two numbers"),
    ]


def test_an_unknown_may_be_used_twice_and_the_equation_keeps_a_solution() -> None:
    text = "? [a 5] times (X: a number) is [b 12] more than [c 3] times the same number. = a * X = c * X + b"
    (exercise,) = read(f"@ equation\n{text}", "twice")
    for seed in range(40):
        story = finish(tell(exercise, exercise.questions[0], random.Random(seed)), "twice")
        assert story is not None
        assert story.answer is not None
        assert story.answer > 0


def test_no_two_people_of_an_exercise_get_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sheets._NAMES, "m", ("Diego", "Omar", "Ivo", "Paul", "Hugo", "Emil"))
    text = "{Diego m} has [a 3] cats, {Omar m} has [b 4].\n? {Ivo m} has [c 5]. How many? = a + b + c"
    (exercise,) = read(f"@ combine\n{text}", "names")
    for seed in range(60):
        words = tell(exercise, exercise.questions[0], random.Random(seed)).text.split()
        names = [word for word, following in pairwise(words) if following == "has"]
        assert len(set(names)) == 3, names


def test_a_sheet_with_an_unknown_that_is_not_marked_is_refused() -> None:
    with pytest.raises(SheetError, match="do not stand in the text once"):
        read("@ equation\n? A number plus [a 3] is [b 9]. = X + a = b", "unmarked")

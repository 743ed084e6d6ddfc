from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from text2math.data import variation
from text2math.data.stories import generate
from text2math.data.variation import closings, openings, things, varied
from text2math.evaluation.robustness import CLOSINGS, OPENINGS
from text2math.language.nouns import plural
from text2math.language.numbers import find_numbers
from text2math.language.problem import Example, Problem, read_problem
from text2math.mathematics.algebra import answer_of, evaluate
from text2math.mathematics.expression import Expression, Number, Operation, Operator, numbers

_FORMS = {form for thing in things() for form in (thing, plural(thing))}
PLAIN = "Tom doesn't have 3 boxes. He has four boxes with 1,200 cards and $5. How many cards are there?"


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Example, Example]]:
    """Generated stories, some of which need implied numbers, and how somebody else would type them."""
    stories = [*generate(350, seed=31), *generate(150, seed=32, larger=True)]
    rng = random.Random(7)
    examples = [story.example() for story in stories]
    return [(one, other) for one in examples if (other := varied(one, rng)) is not None]


@pytest.fixture(scope="module")
def typed() -> list[str]:
    """One text, varied many times."""
    return _texts(Example(read_problem(PLAIN), None), seed=1, count=1500)


def test_nearly_every_story_can_be_varied(pairs: list[tuple[Example, Example]]) -> None:
    assert len(pairs) >= 475


def test_the_text_differs_and_its_numbers_keep_their_values(pairs: list[tuple[Example, Example]]) -> None:
    for old, new in pairs:
        assert new.problem.text != old.problem.text
        assert _values(new.problem) == _values(old.problem)


def test_the_gold_points_at_numbers_with_its_values(pairs: list[tuple[Example, Example]]) -> None:
    for _, new in pairs:
        for expression in (new.expression, *new.asked):
            for number in numbers(expression) if expression is not None else ():
                if number.quantity is not None:
                    assert new.problem.all_quantities[number.quantity].value == number.value


def test_the_gold_gives_the_same_answer(pairs: list[tuple[Example, Example]]) -> None:
    for old, new in pairs:
        assert _answer(new.expression) == _answer(old.expression)
        assert (new.answer, new.answers) == (old.answer, old.answers)


def test_implied_numbers_of_the_gold_are_still_implied(pairs: list[tuple[Example, Example]]) -> None:
    using = [new for old, new in pairs if _uses_implied(old)]
    assert len(using) > 50
    assert all(map(_uses_implied, using))


def test_phrases_of_unknowns_cover_the_same_words(pairs: list[tuple[Example, Example]]) -> None:
    for old, new in pairs:
        for (name, start, end), (new_name, new_start, new_end) in zip(
            old.groundings, new.groundings, strict=True
        ):
            assert name == new_name
            words, typed = old.problem.text[start:end], new.problem.text[new_start:new_end]
            # A typing error leaves the first letter alone; a number in words may become digits.
            if words.split()[0].lower() not in _FORMS:  # it may be exchanged for another thing
                assert words[0].lower() == typed[0].lower() or typed[0].isdigit()


def test_the_same_seed_gives_the_same_text() -> None:
    example = Example(read_problem(PLAIN), None)
    one, two = (_texts(example, seed=3, count=20) for _ in range(2))
    assert one == two
    assert len(set(one)) > 10


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("a polite opening", lambda text: text.endswith(PLAIN) and text.startswith(openings())),
        ("a closing remark", lambda text: text.startswith(PLAIN) and text.endswith(closings())),
        ("lower case", lambda text: text == PLAIN.lower()),
        ("capital letters", lambda text: text == PLAIN.upper()),
        ("no final mark", lambda text: text == PLAIN.removesuffix("?")),
        ("the question first", lambda text: text.startswith("How many cards are there? Tom doesn't")),
        ("digits as words", lambda text: text == PLAIN.replace("3 boxes", "three boxes")),
        ("words as digits", lambda text: text == PLAIN.replace("four", "4")),
        ("no thousands separator", lambda text: text == PLAIN.replace("1,200", "1200")),
        ("doubled spaces", lambda text: text == PLAIN.replace(" ", "  ")),
        ("no apostrophe", lambda text: text == PLAIN.replace("'", "")),
        ("a curly apostrophe", lambda text: text == PLAIN.replace("'", "’")),
        ("no contraction", lambda text: text == PLAIN.replace("doesn't", "does not")),
        ("shorthand", lambda text: text == PLAIN.replace("with", "w/").replace("and", "&")),
        ("sentences joined", lambda text: text == PLAIN.replace(". He", ", he")),
        ("a typing error", lambda text: text.replace("boexs", "boxes") == PLAIN != text),
    ],
)
def test_each_kind_of_variation_occurs(typed: list[str], claim: str, holds: Callable[[str], bool]) -> None:
    assert any(map(holds, typed)), claim


def test_typing_errors_spare_numbers_names_and_words_that_imply_numbers() -> None:
    text = "Matilda read thirteen pages every weekday, then half of the second dozen. How many kilometers?"
    spared = ("thirteen", "weekday", "half", "second", "dozen", "many", "kilometers", "matilda")
    for typed in _texts(Example(read_problem(text), None), seed=5, count=300):
        words = typed.lower().replace("13", "thirteen")
        assert all(word in words for word in spared), typed


def test_a_question_with_a_number_or_a_pronoun_stays_where_it_is() -> None:
    for question in ("How many pens does he have?", "How many pens fit in 2 boxes?"):
        example = Example(read_problem(f"Tom has 3 pens. {question}"), None)
        for typed in _texts(example, seed=2, count=200):
            assert re.search(r"\btom\b.*\bhow\s+many\b", typed.lower(), re.DOTALL)


def test_indexes_of_implied_numbers_follow_the_question_to_the_front() -> None:
    text = "A tap drips 5 drops per minute. How many drops per hour?"
    problem = read_problem(text, knowledge=True)
    known = max(index for index, one in enumerate(problem.all_quantities) if one.value == 60)
    gold = Operation(Operator.MUL, Number(Fraction(5), 0), Number(Fraction(60), known))
    moved = [
        new
        for seed in range(200)
        if (new := varied(Example(problem, gold), random.Random(seed)))
        and new.problem.text.lower().startswith("how many drops per hour")
    ]
    assert moved
    for new in moved:
        assert new.expression is not None
        assert evaluate(new.expression) == 300
        hours = [new.problem.all_quantities[number.quantity or 0] for number in numbers(new.expression)][1]
        assert new.problem.text[hours.start : hours.end].lower() == "hour"


def test_an_example_beyond_the_grammar_stays_beyond_it() -> None:
    example = Example(read_problem("Draw a circle and a square. Which one looks larger?"), None)
    found = varied(example, random.Random(0))
    assert found is not None
    assert (found.expression, found.answer) == (None, None)


def test_an_empty_text_has_no_variation() -> None:
    assert varied(Example(read_problem(""), None), random.Random(0)) is None


def test_openings_and_closings_have_no_numbers_and_imply_none() -> None:
    for remark in (*openings(), *closings()):
        assert not find_numbers(remark), remark
        assert not read_problem(remark, knowledge=True).implied, remark


def test_there_are_many_openings_and_none_is_one_of_the_robustness_check() -> None:
    own = {remark.strip().lower() for remark in (*openings(), *closings())}
    assert len(openings()) >= 80
    assert len(own) == len(openings()) + len(closings())
    assert own.isdisjoint(remark.strip().lower() for remark in (*OPENINGS, *CLOSINGS))


def _texts(example: Example, seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    return [found.problem.text for _ in range(count) if (found := varied(example, rng)) is not None]


def _values(problem: Problem) -> list[Fraction]:
    return sorted(quantity.value for quantity in problem.quantities)


def _answer(expression: Expression | None) -> Fraction | None:
    return None if expression is None else answer_of(expression)


def _uses_implied(example: Example) -> bool:
    written = len(example.problem.quantities)
    used = numbers(example.expression) if example.expression is not None else ()
    return any((number.quantity or 0) >= written for number in used)


def test_things_are_exchanged_for_others_everywhere_in_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variation, "_CHANGES", ((variation._other_things, 1),))
    problem = read_problem("Ann has 8 apples and 2 dogs. Bo has an apple. How many apples are there?")
    for seed in range(20):
        changed = varied(Example(problem, None), random.Random(seed))
        assert changed is not None
        words = changed.problem.text.split()
        thing = words[10].rstrip(".")
        assert thing in things()
        article = "an" if thing[0] in "aeiou" else "a"
        many = plural(thing)
        told = f"Ann has 8 {many} and 2 dogs. Bo has {article} {thing}. How many {many} are there?"
        assert changed.problem.text == told


def test_things_that_stories_are_told_with_imply_no_number() -> None:
    assert len(things()) == len(set(things())) > 200
    for thing in things():
        assert not read_problem(f"Ann has 8 {plural(thing)}.", knowledge=True).implied

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from text2math.evaluation.robustness import CHANGES, TARGETS, Effect, effects
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.cards import card_text

TEXT = "Tom's 3 red boxes hold 1,200 pens. He buys four more for $5. How many boxes does Tom have now?"
PROBLEM = read_problem(TEXT)


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_changes_the_text_and_keeps_its_numbers(name: str) -> None:
    changed = CHANGES[name](PROBLEM, random.Random(1))
    assert changed is not None
    assert changed != TEXT
    values = [quantity.value for quantity in read_problem(changed).quantities]
    assert values == [quantity.value for quantity in PROBLEM.quantities]


def test_the_same_seed_gives_the_same_typo() -> None:
    typo = CHANGES["one typo"]
    assert typo(PROBLEM, random.Random(7)) == typo(PROBLEM, random.Random(7)) != TEXT


def test_a_text_that_is_all_question_has_no_question_to_move() -> None:
    assert CHANGES["question first"](read_problem("What is 3 plus 4?"), random.Random(0)) is None


def test_effects_count_what_broke_and_what_was_fixed() -> None:
    examples = [Example(read_problem(text), from_infix("3 + 4")) for text in ("ab 3 4", "AB 3 4")]

    def right(texts: Sequence[str], golds: Sequence[Example]) -> list[bool]:
        return [text == "ab 3 4" for text in texts]

    lower = {"lower case": CHANGES["lower case"]}
    upper = {"capital letters": CHANGES["capital letters"]}
    assert [(e.problems, e.broken, e.fixed) for e in effects(examples, right, changes=lower)] == [(2, 0, 1)]
    assert [(e.problems, e.broken, e.fixed) for e in effects(examples, right, changes=upper)] == [(2, 1, 0)]


def test_a_year_stays_a_year() -> None:
    problem = read_problem("In 1850 the mill had 4000 sacks.")
    assert CHANGES["thousands separators"](problem, random.Random(0)) is None


def test_targets_name_changes_and_are_met_or_missed() -> None:
    assert TARGETS.keys() <= CHANGES.keys()
    assert [Effect("one typo", 100, broken, 0).is_met for broken in (2, 3)] == [True, False]
    assert Effect("line breaks", 100, 50, 0).is_met is None


def test_the_card_shows_what_was_measured() -> None:
    measured = {"changes": [asdict(Effect("one typo", 200, 3, 1))]}
    assert "| one typo | 200 | 3 | 1 | 1.5 |" in card_text("mine", {"robustness": measured})

"""Known numbers: facts of units and words, and what follows from the numbers themselves."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2math.language import problem as module
from text2math.language.knowledge import Knowledge
from text2math.language.problem import MAX_IMPLIED, Problem, informed, read_problem, with_knowledge
from text2math.language.quantity import Source


def known(text: str) -> set[tuple[str, Fraction]]:
    """The words that imply a number, with the number."""
    problem = read_problem(text, knowledge=True)
    return {
        (problem.tokens[quantity.first_token].text, quantity.value)
        for quantity in problem.implied
        if quantity.source is Source.KNOWN
    }


@pytest.mark.parametrize(
    ("text", "word", "value"),
    [
        ("Al jogs 3 miles a day. How many miles is that in a week?", "week", 7),
        ("It takes 90 minutes. How many hours is that?", "hours", 60),
        ("She buys 12 kg of rice. How many grams is that?", "grams", 1000),
        ("Rent is $500 monthly. What is it per year?", "year", 12),
        ("A rectangle is 3 m long and 2 m wide. What is its perimeter?", "perimeter", 2),
        ("A square has a side of 5 cm. What is its perimeter?", "square", 4),
        ("The sum of two consecutive numbers is 71.", "consecutive", 1),
        ("The sum of two consecutive even numbers is 70.", "consecutive", 2),
        ("A farmer has 3 cows and 4 hens. How many legs have they?", "hens", 2),
        ("3 cars and 2 tricycles came. How many wheels is that?", "tricycles", 3),
        ("He has 4 dimes and 3 nickels. How many cents is that?", "dimes", 10),
        ("He has 4 dimes. How many dollars is that?", "dimes", Fraction(1, 10)),
        ("A shirt of $80 is 25% off. What does it cost?", "%", 1),
        ("He ate 2/3 of the 12 cakes. How many are left?", "of", 1),
        ("15 of 60 pupils are ill. What percent is that?", "percent", 100),
        ("A fare of $20 is now $23. By what percent did it rise?", "what", 1),
        ("A fare of $20 is now $23. What is the percent increase?", "the", 1),
        ("Ann, Ben and Cy share 12 sweets. How many does each get?", "Cy", 3),
        ("The scores are 3, 4 and 8. What is their mean?", "mean", 3),
        ("Both boys have 6 pens. How many is that?", "Both", 2),
        ("He goes on a round trip of 8 km each way.", "round", 2),
        ("Ada and her 5 friends share 42 nuts. How many does each get?", "friends", 1),
        ("Ada goes with 6 friends. A ticket is $9. What do they all pay?", "friends", 1),
        ("Ada and her 3 sisters share 20 nuts. How many does each get?", "sisters", 1),
        ("How many tyres do 6 bikes have?", "bikes", 2),
        ("A year ago, Bo was 3 times as old as Cy.", "year", 1),
        ("Next year Bo will be 3 times as old as Cy.", "year", 1),
    ],
)
def test_a_word_implies_its_number(text: str, word: str, value: int | Fraction) -> None:
    assert (word, Fraction(value)) in known(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Al jogs 3 miles in a week. How far is that in 2 weeks?", 7),  # no days
        ("A farmer has 3 cows and 4 hens. How many animals is that?", 2),  # no legs
        ("He paid 12 dollars for 3 books.", 100),
        ("There are 3 cars and 2 tricycles.", 3),
        ("Ada gives 40 nuts to 5 friends. How many does each friend get?", 1),
    ],
)
def test_a_number_is_implied_only_where_its_conditions_hold(text: str, value: int) -> None:
    assert Fraction(value) not in {found for _, found in known(text)}


def test_known_numbers_say_what_is_known() -> None:
    problem = read_problem("Al jogs 3 miles a day. How far is that in a week?", knowledge=True)
    facts = {quantity.fact for quantity in problem.implied if quantity.source is Source.KNOWN}
    assert facts == {"1 week = 7 days"}


def test_without_knowledge_nothing_is_implied() -> None:
    text = "Al jogs 3 miles a day. How far is that in a week?"
    problem = read_problem(text)
    assert problem.implied == ()
    assert problem.all_quantities == problem.quantities
    assert with_knowledge(with_knowledge(problem), False) == problem


def test_written_quantities_are_the_same_with_knowledge() -> None:
    text = "Al jogs 3 miles a day. How far is that in 5 weeks and 2 days?"
    plain, knowing = read_problem(text), read_problem(text, knowledge=True)
    assert knowing.quantities == plain.quantities
    assert knowing.anchors == plain.anchors == knowing.all_anchors[: len(plain.quantities)]


def test_our_conversions_are_those_of_pint() -> None:
    pint = pytest.importorskip("pint")
    registry = pint.UnitRegistry()
    names = {"tonne": "metric_ton", "ton": "short_ton", "ounce": "ounce"}
    rounded = {
        ("decade", "year"),
        ("century", "year"),
        ("month", "week"),
        ("month", "day"),
        ("year", "week"),
        ("year", "day"),
        ("dollar", "cent"),
    }
    liquid = frozenset(("cup", "pint", "quart", "gallon"))
    for conversion in Knowledge.default().conversions:
        if (conversion.one, conversion.of) in rounded:
            continue
        smaller = names.get(conversion.of, conversion.of)
        if conversion.one in liquid and conversion.of == "ounce":
            smaller = "fluid_ounce"
        factor = registry(names.get(conversion.one, conversion.one)).to(smaller).magnitude
        assert float(conversion.count) == pytest.approx(factor), conversion.fact


def test_facts_survive_json() -> None:
    default = Knowledge.default()
    assert Knowledge.from_json(json.loads(json.dumps(default.to_json()))) == default


def test_own_facts_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text('{"facts": [{"fact": "a crate holds 24 bottles", "value": 24, "words": ["crate"]}]}')
    text = "How many bottles are in 3 crates?"
    own = read_problem(text, knowledge=Knowledge.read(path))
    both = read_problem(text, knowledge=Knowledge.default().and_also(Knowledge.read(path)))
    for problem in (own, both):
        assert "a crate holds 24 bottles" in {quantity.fact for quantity in problem.implied}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", 'expected an object with "units", "conversions" and "facts"'),
        ("{", "not valid JSON"),
        ('{"rules": []}', "expected an object"),
        ('{"facts": [{"fact": "x", "value": "seven", "words": ["week"]}]}', "'seven' is not a number"),
        ('{"facts": [{"fact": "x", "value": "1e999999", "words": ["week"]}]}', "is not a number"),
        ('{"facts": [{"fact": "x", "value": 7, "words": []}]}', '"words" names no word'),
        ('{"facts": [{"fact": "x", "value": 7, "words": ["a"], "wiht": []}]}', "'wiht' is not known"),
        ('{"facts": [{"fact": "x", "value": 7, "words": ["a"], "shift": 99}]}', '"shift" should be'),
        ('{"conversions": [{"one": "week"}]}', 'expected "one", "is" and "of"'),
        (
            '{"conversions": [{"one": "week", "is": 7, "of": "day", "at": 1}]}',
            "conversion 1: 'at' is not known",
        ),
        ('{"conversions": [{"one": "week", "is": 0, "of": "day"}]}', '"is" should be more than 0'),
        ('{"facts": [{"fact": "", "value": 7, "words": ["a"]}]}', '"fact" should say what is known'),
        ('{"facts": [{"fact": "x", "value": 7, "words": ["a"]}, 5]}', "fact 2: expected"),
        ('{"units": {"week": "weekly"}}', "expected a list of words"),
        (json.dumps({"units": {"week": ["w"] * 201}}), "more than 200 words"),
        (json.dumps({"conversions": [{}] * 5_001}), "more than 5,000 facts"),
        (" " * 5_000_001, "larger than 5,000,000 bytes"),
    ],
)
def test_a_bad_file_of_facts_is_refused_with_what_is_wrong(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "facts.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"facts\.json") as error:
        Knowledge.read(path)
    assert message in str(error.value)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_of_facts_is_refused() -> None:
    with pytest.raises(ValueError, match="larger than"):
        Knowledge.read("/dev/zero")


def test_units_of_a_file_are_found_however_they_are_capitalised() -> None:
    own = Knowledge.from_json(
        {"units": {"Crate": ["Box"]}, "conversions": [{"one": "Crate", "is": 24, "of": "Bottle"}]}
    )
    problem = read_problem("How many bottles are in 3 boxes?", knowledge=own)
    assert Fraction(24) in {quantity.value for quantity in problem.implied}


def test_a_missing_file_of_facts_is_named() -> None:
    with pytest.raises(ValueError, match="check the name of the file"):
        Knowledge.read("no-such-file.json")


def _checked(problem: Problem) -> None:
    assert len(problem.implied) <= MAX_IMPLIED
    for quantity, anchor in zip(problem.all_quantities, problem.all_anchors, strict=True):
        assert quantity.first_token <= anchor < quantity.last_token <= len(problem.tokens)
        assert (quantity.source is Source.REFERRING) == (quantity.refers_to is not None)
        assert (quantity.source is Source.KNOWN) == bool(quantity.fact)
        if quantity.refers_to is not None:
            assert quantity.value == problem.quantities[quantity.refers_to].value


_WORDS = (
    "3",
    "5",
    "25%",
    "days",
    "week",
    "each",
    "than",
    "Ann",
    "and",
    ",",
    "Ben",
    "books",
    "mean",
    "?",
    ".",
)


@given(st.lists(st.sampled_from(_WORDS), max_size=80))
def test_implied_quantities_are_well_formed_in_any_text(words: list[str]) -> None:
    _checked(read_problem(" ".join(words), knowledge=True))


def test_a_text_that_implies_no_number_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told, plain = (read_problem("What is 2 and 2?", knowledge=knowledge) for knowledge in (True, False))
    assert not told.implied
    calls: list[object] = []
    monkeypatch.setattr(module, "_implied", lambda *given: calls.append(given) or ())
    assert informed(told, True) is told
    assert not calls
    informed(plain, True)
    assert len(calls) == 1

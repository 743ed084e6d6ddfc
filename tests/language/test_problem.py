"""Reading a problem: exact tokens, sentences, the question, quantities on their tokens, units, the tagger."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import clean_text_in
from text2math.language.cleaning import cleaned
from text2math.language.framing import problem_bounds
from text2math.language.problem import MAX_CHARACTERS, Problem, ProblemError, once_a_problem, read_problem
from text2math.language.spelling import corrected
from text2math.language.tagging import HantaTagger, default_tagger
from text2math.language.tokens import split


def texts(text: str) -> list[str]:
    return [token.text for token in split(text)]


def asked(text: str) -> str:
    return " ".join(token.text for token in read_problem(text).tokens if token.in_question)


def units(text: str) -> list[str]:
    return [quantity.unit for quantity in read_problem(text).quantities]


def asked_for(text: str) -> tuple[str, ...]:
    return read_problem(text).question_units


# --- Tokens ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$3,103.50", "$ 3,103.50"),
        ("5-day", "5 - day"),
        ("two-digit", "two - digit"),
        ("0.7%", "0.7 %"),
        ("Paul's dog", "Paul 's dog"),
        ("Paul’s dog", "Paul ’s dog"),
        ("the boys' dog", "the boys ' dog"),
        ("1/2 cup", "1/2 cup"),
        ("3 1/2 cups", "3 1/2 cups"),
        ("5/0", "5 / 0"),
        ("don't, can't, isn’t", "do n't , ca n't , is n’t"),
        ("they're I'll he'd we've I'm", "they 're I 'll he 'd we 've I 'm"),
        ("o'clock O'Brien", "o'clock O'Brien"),
        ("T-shirt part-time", "T-shirt part-time"),
        ("Mrs. Hilt met Mr. Lu at 5 p.m. today.", "Mrs. Hilt met Mr. Lu at 5 p.m. today ."),
        ("is -8.", "is -8 ."),
        ("-$5", "- $ 5"),
        ("$49.76/bbl", "$ 49.76 / bbl"),
        ("an mp3 player", "an mp3 player"),
        ("at 4:30 on the 3rd", "at 4:30 on the 3rd"),
        ("twenty-five", "twenty - five"),
        ("34m or 9x", "34 m or 9 x"),
        ('"Wow!" (he said)...', '" Wow ! " ( he said ) ...'),
        ("", ""),
    ],
)
def test_a_text_is_cut_into_words(text: str, expected: str) -> None:
    assert texts(text) == expected.split()


@pytest.mark.parametrize(
    "text",
    ["Sara 's barn has 5 % of $ 3.50 .", "He did n't pay $ 1,000 , did he ?", "Mrs. Hilt 's 7 cats ."],
)
def test_text_that_is_cut_already_stays_as_it_is(text: str) -> None:
    assert texts(text) == text.split()


PROSE = st.lists(
    st.sampled_from(
        [
            "Ann's",
            "5-day",
            "$3.50",
            "0.7%",
            "1/2",
            "don't",
            ".",
            "?",
            "how_many",
            "If",
            ",",
            "find",
            "a_dozen",
            "-8",
            "twenty-five",
            "3_1/2",
            "é",
            "ß",
            "½",
            "mp3",
            "_",
            "'",
            "n't",
            "apples",
            "red",
            "and",
            "İ",
            "when",
        ]
    ).map(lambda word: word.replace("_", " ")),
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), PROSE, PROSE.map(lambda text: text.replace(" ", ""))))
def test_any_text_is_read_with_exact_offsets(text: str) -> None:
    problem = read_problem(text)
    clean = corrected(cleaned(text))
    bounds = problem_bounds(clean.text)
    end, last = clean.span_before(*bounds) if bounds[0] < bounds[1] else (len(text), len(text))
    for token in problem.tokens:
        assert token.start >= end
        assert clean_text_in(clean, token.start, token.end) == token.text != ""
        assert cleaned(text[end : token.start]).text.strip() == ""
        end = token.end
    assert cleaned(text[end:last]).text.strip() == ""
    numbers = [token.sentence for token in problem.tokens]
    assert numbers == sorted(numbers)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), PROSE, PROSE.map(lambda text: text.replace(" ", ""))))
def test_quantities_stand_on_whole_tokens_in_order(text: str) -> None:
    problem = read_problem(text)
    last = 0
    for quantity, anchor in zip(problem.quantities, problem.anchors, strict=True):
        assert last <= quantity.first_token <= anchor < quantity.last_token <= len(problem.tokens)
        assert problem.tokens[quantity.first_token].start == quantity.start
        assert problem.tokens[quantity.last_token - 1].end == quantity.end
        last = quantity.last_token


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("He paid $ 5.", "5"),
        ("He ate a dozen eggs.", "dozen"),
        ("It is negative five.", "five"),
        ("It is -8.", "-8"),
    ],
)
def test_a_quantity_is_anchored_on_its_number(text: str, anchor: str) -> None:
    problem = read_problem(text)
    assert [problem.tokens[i].text for i in problem.anchors] == [anchor]


@pytest.mark.parametrize(
    "label",
    ["12. ", " 7) ", "(3) ", "#4 ", "#4: ", "a) ", "Problem 12: ", "Exercise 3. ", "Question: ", "SOLVE: "],
)
def test_what_only_numbers_a_problem_is_no_part_of_it(label: str) -> None:
    text = "5 cats met 3 dogs. How many animals were there?"
    alone, labelled = read_problem(text), read_problem(label + text)
    assert [token.text for token in labelled.tokens] == [token.text for token in alone.tokens]
    assert [one.value for one in labelled.quantities] == [5, 3]
    assert [(label + text)[one.start : one.end] for one in labelled.quantities] == ["5", "3"]


@pytest.mark.parametrize(
    "text",
    ["12 cats and 3 dogs.", "2.5 kg and 3 kg.", "12.", "No. 5 Elm Street has 3 rooms.", "A cat ate 3 mice."],
)
def test_a_text_that_begins_with_a_number_or_a_letter_is_read_from_its_beginning(text: str) -> None:
    assert read_problem(text).tokens[0].start == 0


def test_a_text_that_is_too_long_is_refused_with_its_length() -> None:
    read_problem("x" * MAX_CHARACTERS)
    with pytest.raises(ProblemError, match="'p1' has 20,001 characters; at most 20,000"):
        read_problem("x" * (MAX_CHARACTERS + 1), id="p1")


@pytest.mark.parametrize(
    "piece", ["1", "a", "n't ", "a-", "when ", "how many, ", "if ", "1/2 ", "7 red and ", "'", "A.", "x. "]
)
def test_a_text_of_the_longest_length_is_read_in_a_moment(piece: str) -> None:
    text = piece * (MAX_CHARACTERS // len(piece))
    default_tagger()
    began = time.process_time()
    read_problem(text)
    assert time.process_time() - began < 5


# --- Sentences and the question --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ann has 5. Bob has 3.5 apples! How many?", 3),
        ("ann has 5 . bob has 3 . how many ?", 3),
        ("It costs 9.What is the price?", 2),
        ("Mrs. Hilt ate 3 lb. of rice.", 1),
        ("T.Rowe Price raises it.", 1),
        ('He said "Go!" Then he left.', 2),
        ("A heading\n\nAnn has 5.", 2),
        ("Really?! Yes...", 2),
        ("", 0),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert len({token.sentence for token in read_problem(text).tokens}) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann has 5 cats. How many cats has Ann?", "How many cats has Ann ?"),
        (
            "If there are 7 caps, how many bottle caps are in the box?",
            "how many bottle caps are in the box ?",
        ),
        ("If he had 8 sweaters how many loads would he do?", "how many loads would he do ?"),
        (
            "Ann ran 5 miles in 2 hours. In how many hours will she run 9?",
            "In how many hours will she run 9 ?",
        ),
        ("The sum of two numbers is 5. Find the numbers.", "Find the numbers ."),
        ("If twice a number is 6, find the number.", "find the number ."),
        ("the sum is 107 and the difference is 17 find the numbers", "find the numbers"),
        ("the sum of three numbers is 186 what are the numbers", "what are the numbers"),
        ("which 2 integers have a sum of 5", "which 2 integers have a sum of 5"),
        ("When she was 5 she had 3 cats.", ""),
        ("Calculate 5 times 3.", "Calculate 5 times 3 ."),
        ("5 is 3 more than a number. what is the number", "what is the number"),
        ("How many cats has Ann? She had 5 and got 3.", "How many cats has Ann ?"),
        ("How much would 2 cones cost if one costs 9?", "How much would 2 cones cost"),
        ("Ann has 5. How many are red? How many are blue?", "How many are red ? How many are blue ?"),
        ("When Ann came, how many apples were there?", "how many apples were there ?"),
        ("Ann wants to know how many apples she has.", "how many apples she has ."),
        ("Does Ann have 5 apples?", "Does Ann have 5 apples ?"),
        ("There were 5 apples, and Ann can find 3.", ""),
        ("Twice a number is 8.", ""),
    ],
)
def test_the_question_is_the_sentence_or_the_clause_that_asks(text: str, expected: str) -> None:
    assert asked(text) == expected


# --- Units -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann has 7 red apples.", ["apple"]),
        ("Ann has 7 bottle caps and 3 more.", ["cap", ""]),
        ("It costs $5 or 50 cents.", ["dollar", "cent"]),
        ("She used 8 cups of flour.", ["cup"]),
        ("2 of the games were broken.", ["game"]),
        ("It rose by 5 %.", ["percent"]),
        ("They took a 5-day trip.", ["day"]),
        ("She sold a 20-dollar ticket.", ["dollar"]),
        ("Jason has 44 blue and 16 red marbles.", ["marble", "marble"]),
        ("He has 4 Skittles.", ["skittle"]),
        ("He has twice as many.", [""]),
        ("He bought a dozen eggs.", ["egg"]),
        ("He gave 5 to Ann.", [""]),
        ("The answer is 5.", [""]),
    ],
)
def test_a_quantity_knows_what_it_counts(text: str, expected: list[str]) -> None:
    assert units(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many apples are there?", ("apple",)),
        ("How many more red apples has Ann?", ("apple",)),
        ("How many of the apples are left?", ("apple",)),
        ("How much money has she?", ("dollar",)),
        ("How much did she spend?", ("dollar",)),
        ("How much does a hat cost?", ("dollar",)),
        ("What is the price of a hat?", ("dollar",)),
        ("How much flour is left?", ("flour",)),
        ("How many chickens and how many cows are there?", ("chicken", "cow")),
        ("How many 20-dollar tickets were sold?", ("ticket",)),
        ("What is the number of apples?", ("apple",)),
        ("How far did he walk, in miles?", ("mile",)),
        ("How old is Ann?", ("year",)),
        ("How many were left?", ()),
        ("Ann had how many? No question.", ()),
        ("Ann has 5 apples.", ()),
    ],
)
def test_a_problem_knows_what_is_asked_for(text: str, expected: tuple[str, ...]) -> None:
    assert asked_for(text) == expected


# --- The tagger ------------------------------------------------------------------------------------------


class UpperTagger:
    """A tagger that marks how often, and on what, it was called."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        self.seen.append(list(words))
        return [(word.upper(), "X") for word in words]


def test_another_tagger_may_step_in_and_sees_one_sentence_at_a_time() -> None:
    tagger = UpperTagger()
    problem = read_problem("Ann ran. Bob sat.", id="p", tagger=tagger)
    assert tagger.seen == [["Ann", "ran", "."], ["Bob", "sat", "."]]
    assert [token.lemma for token in problem.tokens] == ["ANN", "RAN", ".", "BOB", "SAT", "."]
    assert problem.id == "p"


def test_lemmas_and_tags_come_from_hanta() -> None:
    problem = read_problem("The 3 children didn't find mice.")
    assert [token.lemma for token in problem.tokens][2:] == ["child", "do", "not", "find", "mouse", "."]
    assert problem.tokens[1].pos == "CRD"


def test_our_search_gives_the_tags_and_lemmas_of_hanta_itself() -> None:
    tagger = HantaTagger()
    for sentence in (
        "Mike picked apples , and Nancy was picking pears at the old farm .",
        "How many bottle caps does she need to give away so that some are left ?",
        "three times one of the numbers is less than the other",
        "Germany 's DAX opens lower",
    ):
        words = sentence.split()
        assert tagger.tag(words) == [(lemma, pos) for _, lemma, pos in tagger._hanta.tag_sent(words)]


@given(st.lists(st.text(max_size=60)))
def test_the_tagger_has_an_answer_for_any_words(words: list[str]) -> None:
    assert len(default_tagger().tag(words)) == len(words)


# --- Public data -----------------------------------------------------------------------------------------


def problems(data_dir: Path, name: str) -> list[Problem]:
    return [
        read_problem(q["sQuestion"]) for q in json.loads((data_dir / name / "questions.json").read_text())
    ]


@pytest.mark.parametrize("name", ["ai2", "il", "commoncore"])
def test_every_arithmetic_problem_has_a_question_and_quantities(data_dir: Path, name: str) -> None:
    for problem in problems(data_dir, name):
        assert any(token.in_question for token in problem.tokens), problem.text
        assert len(problem.quantities) >= 2, problem.text


@pytest.mark.parametrize(("name", "units_known", "asked_known"), [("ai2", 0.93, 0.85), ("il", 0.85, 0.78)])
def test_most_units_are_known(data_dir: Path, name: str, units_known: float, asked_known: float) -> None:
    read = problems(data_dir, name)
    quantities = [quantity for problem in read for quantity in problem.quantities]
    assert sum(bool(quantity.unit) for quantity in quantities) >= units_known * len(quantities)
    assert sum(bool(problem.question_units) for problem in read) >= asked_known * len(read)


def test_values_are_exact() -> None:
    assert [q.value for q in read_problem("0.1 and 1/3 and 5%").quantities] == [
        Fraction(1, 10),
        Fraction(1, 3),
        Fraction(1, 20),
    ]


# --- What is worked out once ------------------------------------------------------------------------------


def test_a_function_of_a_problem_runs_once_for_each_problem() -> None:
    asked_about = []

    @once_a_problem
    def words(problem: Problem) -> int | None:
        asked_about.append(problem)
        return len(problem.tokens) or None

    first, second = read_problem("Dan has 3 pens."), read_problem("")
    assert [words(first), words(second), words(first), words(second)] == [5, None, 5, None]
    assert asked_about == [first, second]


def test_a_problem_is_pickled_and_compared_without_what_was_worked_out() -> None:
    problem, same = (read_problem("Dan has 3 pens and 4 cups.", knowledge=True) for _ in range(2))
    problem.memory[len] = lambda: "not to be pickled"
    assert problem.origins[:2] == (0, 1)
    copy = pickle.loads(pickle.dumps(problem))
    assert problem == same == copy
    assert copy.origins == problem.origins
    assert copy.memory == {}

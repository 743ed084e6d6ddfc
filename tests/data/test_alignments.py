"""The alignments in the package fit their problems, and bad files are refused with a reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from text2math.data import load_corpus
from text2math.data.alignments import Alignment, load_alignments, parse_alignments, read_alignments
from text2math.data.dataset import DataError
from text2math.language.problem import Example, read_problem
from text2math.mathematics.expression import Operator, is_equation, numbers, operators, variables
from text2math.mathematics.notation import from_infix

TEXT = "Ann has 3 pens and Bo has 4 pens. Each pen costs $2. What do they cost in all?"
EXAMPLE = Example(read_problem(TEXT, "pens"), from_infix("(3[0] + 4[1]) * 2[2]"), source="own")
PEN_CUES = [
    {"operator": "*", "words": ["Each", "cost"], "clearest": ["Each"]},
    {"operator": "+", "words": ["and", "in all"], "clearest": ["in all"]},
]


def line(cues: object = PEN_CUES, **fields: object) -> str:
    return json.dumps({"id": "pens", "source": "own", "operators": cues} | fields)


def words(alignment: Alignment, positions: frozenset[int]) -> list[str]:
    return [alignment.example.problem.tokens[position].text for position in sorted(positions)]


def test_the_alignments_are_200_problems_of_the_exam_and_100_of_the_corpus() -> None:
    assert Counter(one.example.source for one in load_alignments()) == {"exam": 200, "corpus": 100}


def test_both_tasks_and_one_to_four_operators_are_aligned() -> None:
    sizes: set[tuple[bool, int]] = set()
    for one in load_alignments():
        assert one.example.expression is not None
        own = [operator for operator in operators(one.example.expression) if operator is not Operator.EQU]
        sizes.add((is_equation(one.example.expression), len(own)))
    assert sizes == {(task, size) for task in (False, True) for size in (1, 2, 3, 4)}


@pytest.mark.parametrize("alignment", load_alignments(), ids=lambda one: one.example.problem.id)
def test_no_cue_is_a_number_that_the_gold_uses(alignment: Alignment) -> None:
    problem = alignment.example.problem
    assert alignment.example.expression is not None
    anchors = {
        problem.anchors[number.quantity]
        for number in numbers(alignment.example.expression)
        if number.quantity is not None
    }
    assert not any(cues.words & anchors for cues in alignment.operators)


def test_nearly_every_operator_has_a_clearest_word_but_not_every_one() -> None:
    cues = [one for alignment in load_alignments() for one in alignment.operators]
    without = [one for one in cues if not one.clearest]
    assert 0 < len(without) < len(cues) / 20
    assert {one.operator for one in without} == {Operator.MUL, Operator.EQU}


def test_every_unknown_of_an_aligned_equation_has_its_phrase() -> None:
    for alignment in load_alignments():
        assert alignment.example.expression is not None
        named = {name for name, _, _ in alignment.example.groundings}
        assert named == {variable.name for variable in variables(alignment.example.expression)}


def test_phrases_become_the_positions_of_their_words() -> None:
    (alignment,) = parse_alignments(line(), "own.jsonl", [EXAMPLE])
    times, plus = alignment.operators
    assert words(alignment, times.words) == ["Each", "cost"]
    assert words(alignment, plus.words) == ["and", "in", "all"]
    assert words(alignment, plus.clearest) == ["in", "all"]


def test_a_number_behind_a_phrase_says_which_one_is_meant() -> None:
    cues = [{"operator": "*"}, {"operator": "+", "words": ["has#2"]}]
    (alignment,) = parse_alignments(line(cues), "own.jsonl", [EXAMPLE])
    (position,) = alignment.operators[1].words
    assert EXAMPLE.problem.tokens[position].start == TEXT.rindex("has")


def test_a_phrase_is_whole_words() -> None:
    cues = [{"operator": "*", "words": ["cost"]}, {"operator": "+"}]
    (alignment,) = parse_alignments(line(cues), "own.jsonl", [EXAMPLE])
    (position,) = alignment.operators[0].words
    assert EXAMPLE.problem.tokens[position].start == TEXT.rindex("cost")  # not "costs"


def test_lines_of_other_problems_are_left_out() -> None:
    assert not parse_alignments(line(source="others"), "own.jsonl", [EXAMPLE])
    assert len(parse_alignments(f"{line(source='others')}\n\n{line()}", "own.jsonl", [EXAMPLE])) == 1


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("no JSON", "line 1: not JSON"),
        ("[]", 'the fields "id", "source" and "operators"'),
        (line(text=TEXT), 'the fields "id", "source" and "operators"'),
        (line({}), '"operators" should be a list'),
        (line(["+"]), "each operator should be an object"),
        (line([{"operator": "+", "word": []}]), "each operator should be an object"),
        (line([{"operator": "plus"}]), "'plus' is not an operator"),
        (line([{"operator": ["+"]}]), "is not an operator"),
        (
            line([{"operator": "+"}, {"operator": "*"}]),
            "are + *, but those of the gold are * +",
        ),
        (line([{"operator": "*", "words": "Each"}, {"operator": "+"}]), "the words should be a list"),
        (line([{"operator": "*", "words": ["every"]}]), "but it occurs 0 times"),
        (line([{"operator": "*", "words": ["has#3"]}]), "occurrence 3 of 'has', but it occurs 2 times"),
        (line([{"operator": "*", "words": [""]}]), "but it occurs 0 times"),
        (line([{"operator": "*", "words": ["Each"], "clearest": ["cost"]}]), "should be among"),
        (f"{line()}\n{line()}", "line 2: problem 'pens' of own is also on line 1"),
    ],
)
def test_a_line_that_does_not_fit_its_problem_is_refused(written: str, why: str) -> None:
    with pytest.raises(DataError, match=r"own\.jsonl, line \d: ") as error:
        parse_alignments(written, "own.jsonl", [EXAMPLE])
    assert why in str(error.value)


def test_a_problem_with_an_answer_alone_has_nothing_to_align() -> None:
    with pytest.raises(DataError, match="no expression or equation"):
        parse_alignments(line(), "own.jsonl", [Example(EXAMPLE.problem, None, source="own")])


def test_a_file_is_read_and_a_missing_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    with pytest.raises(DataError, match=r"own\.jsonl: can't be read"):
        read_alignments(path, [EXAMPLE])
    path.write_text(line(), encoding="utf-8")
    assert len(read_alignments(path, [EXAMPLE, *load_corpus().examples])) == 1

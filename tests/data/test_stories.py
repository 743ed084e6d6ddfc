"""The generator's stories: sound mathematics, sound text, the filters, the same for the same seed."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from text2math.cli import main
from text2math.commands.generate import json_lines, to_line
from text2math.data.corpus import PLAIN, load_exam
from text2math.data.jsonlines import parse_json_lines
from text2math.data.leaks import mask_numbers
from text2math.data.readers import load
from text2math.data.stories import DIFFICULTIES, KINDS, Story, generate
from text2math.data.stories.corpus import FILE, TEST, TRAIN, corpus, load_stories
from text2math.data.stories.public import is_reserved
from text2math.data.stories.retelling import retell
from text2math.data.stories.sheets import read
from text2math.data.stories.story import as_story
from text2math.data.stories.written_numbers import in_words
from text2math.language.attachment import crossings
from text2math.language.framing import problem_quantities
from text2math.mathematics.algebra import evaluate
from text2math.mathematics.expression import Number, is_equation, numbers, operators


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return list(generate(1500, seed=11, larger=False))


PLAIN_KINDS = [kind for kind in KINDS if kind not in ("rounding", "percent", "clock", "system", "beyond")]


def test_the_same_seed_tells_the_same_stories() -> None:
    assert list(generate(40, seed=5)) == list(generate(40, seed=5))
    assert list(generate(40, seed=5)) != list(generate(40, seed=6))


def test_gold_points_at_quantities_the_recogniser_finds(stories: list[Story]) -> None:
    for story in stories:
        quantities = problem_quantities(story.text)  # the number of a question is none
        for number in numbers(story.expression):
            assert number.quantity is not None
            assert quantities[number.quantity].value == number.value, story.text


def test_no_quantity_is_used_twice(stories: list[Story]) -> None:
    for story in stories:
        used = [number.quantity for number in numbers(story.expression)]
        assert len(used) == len(set(used)), story.text


def test_answers_are_exact_and_plausible(stories: list[Story]) -> None:
    for story in stories:
        if not is_equation(story.expression):
            assert story.answer == evaluate(story.expression)
            assert story.answer is not None
            assert story.answer > 0, story.text


def test_every_gold_has_a_tree_that_does_not_cross(stories: list[Story]) -> None:
    for story in stories:
        assert not crossings(story.expression), story.text


def test_every_kind_and_every_operator_comes_up(stories: list[Story]) -> None:
    assert {story.kind for story in stories} >= set(PLAIN_KINDS)
    assert {sign.value for story in stories for sign in operators(story.expression)} == set("+-*/=")
    assert {story.difficulty for story in stories} == set(DIFFICULTIES)


def test_no_mark_of_a_sheet_is_left_in_a_text(stories: list[Story]) -> None:
    for story in stories:
        assert not set("{}[]|~@<>") & set(story.text), story.text
        assert "  " not in story.text, story.text


def test_unknowns_are_grounded_in_the_order_of_mention(stories: list[Story]) -> None:
    for story in stories:
        if is_equation(story.expression):
            assert story.groundings
            starts = [start for _, start, _ in story.groundings]
            assert starts == sorted(starts)
            assert all(story.text[start:end].strip() for _, start, end in story.groundings), story.text


def test_half_of_the_stories_have_distractors(stories: list[Story]) -> None:
    told = [story for story in stories if story.kind != "equation"]
    assert 0.4 < sum(story.distractors > 0 for story in told) / len(told) < 0.7


@pytest.mark.parametrize("kind", KINDS)
def test_filter_by_kind(kind: str) -> None:
    assert {story.kind for story in generate(8, seed=2, kinds=[kind])} == {kind}


@pytest.mark.parametrize("sign", "+-*/")
def test_filter_by_operator(sign: str) -> None:
    for story in generate(60, seed=2, operators=[sign]):
        assert {operator.value for operator in operators(story.expression)} <= {sign, "=", ";"}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_filter_by_steps(count: int) -> None:
    assert {story.steps for story in generate(8, seed=2, steps=[count])} == {count}


@pytest.mark.parametrize("numbers_wanted", ["small", "large", "decimal", "fraction", "words"])
def test_filter_by_numbers(numbers_wanted: str) -> None:
    assert len(list(generate(5, seed=2, numbers=numbers_wanted))) == 5


def test_filter_by_distractors_and_difficulty() -> None:
    assert all(story.distractors for story in generate(8, seed=2, distractors=True))
    assert not any(story.distractors for story in generate(8, seed=2, distractors=False))
    assert {story.difficulty for story in generate(8, seed=2, difficulty="hard")} == {"hard"}


def test_an_unknown_filter_is_an_error_that_names_the_choices() -> None:
    with pytest.raises(ValueError, match="choose from change"):
        list(generate(1, kinds=["poetry"]))
    with pytest.raises(ValueError, match="choose from easy"):
        list(generate(1, difficulty="extreme"))


def test_a_story_becomes_an_example() -> None:
    for story in generate(10, seed=4):
        example = story.example()
        assert example.problem.text == story.text
        assert example.expression == story.expression
        for number in numbers(story.expression):
            assert isinstance(number, Number)
            assert number.quantity is not None
            assert example.problem.all_quantities[number.quantity].value == number.value


def test_numerals() -> None:
    assert in_words(215) == "two hundred fifteen"
    assert in_words(40_012) == "forty thousand twelve"


def test_pairs_come_linked_and_differ_in_their_mathematics() -> None:
    stories = list(generate(60, seed=8, pairs=True))
    for one, two in zip(stories[::2], stories[1::2], strict=True):
        assert one.pair == two.pair != ""
        assert one.id != two.id
        assert one.text != two.text
        # Two questions about one system have the same equations and ask for different unknowns.
        assert (one.expression, one.asked) != (two.expression, two.asked)


def test_the_two_of_a_pair_share_most_of_their_words() -> None:
    stories = list(generate(60, seed=8, pairs=True))
    for one, two in zip(stories[::2], stories[1::2], strict=True):
        first, second = set(one.text.split()), set(two.text.split())
        assert len(first & second) >= 0.5 * min(len(first), len(second)), (one.text, two.text)


def test_json_lines_of_stories_are_read_back_as_the_same_examples() -> None:
    stories = list(generate(60, seed=13, larger=False))
    dataset = parse_json_lines("\n".join(json_lines(stories)), "stories", "stories.jsonl")
    assert not dataset.problems_failed
    for story, example in zip(stories, dataset.examples, strict=True):
        assert example.expression == story.expression, story.text
        assert example.groundings == story.groundings
        assert example.answer == story.answer


@pytest.mark.slow
def test_the_command_writes_every_format(tmp_path: Path) -> None:
    for ending in ("jsonl", "csv", "txt", "jsonl.gz"):
        assert main(["generate", "--count", "6", "--seed", "3", "--out", str(tmp_path / f"a.{ending}")]) == 0
        assert (tmp_path / f"a.{ending}").stat().st_size > 200
    sheet = (tmp_path / "a.txt").read_text()
    problems, solutions = sheet.split("\f")
    assert "Answer: ____" in problems
    assert "Solutions" in solutions
    assert main(["generate", "--count", "6", "--seed", "3", "--out", str(tmp_path / "b.jsonl.gz")]) == 0
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_a_wrong_filter_on_the_command_line_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--kind", "poetry"]) == 2
    assert "choose from" in capsys.readouterr().err


def test_no_story_copies_a_text_that_is_to_be_avoided() -> None:
    plain = list(generate(30, seed=21))
    again = list(generate(30, seed=21, avoid=[plain[3].text, plain[7].text]))
    assert plain[3].text not in {story.text for story in again}
    assert plain[7].text not in {story.text for story in again}


@pytest.fixture(scope="module")
def told_again() -> list[tuple[Story, int]]:
    return list(corpus())


def test_the_shipped_corpus_is_what_the_generator_makes(told_again: list[tuple[Story, int]]) -> None:
    packed = files("text2math.data").joinpath(FILE).read_bytes()
    shipped = [json.loads(line) for line in gzip.decompress(packed).decode("utf-8").splitlines()]
    assert shipped == [json.loads(json.dumps(to_line(story, fold))) for story, fold in told_again]


def test_the_shipped_corpus_keeps_pairs_on_one_side_of_the_split(told_again: list[tuple[Story, int]]) -> None:
    folds: dict[str, set[int]] = {}
    sizes = Counter(fold for _, fold in told_again)
    for story, fold in told_again:
        if story.pair:
            folds.setdefault(story.pair, set()).add(fold)
    assert sum(sizes.values()) >= 2000
    assert set(sizes) == {TRAIN, TEST}
    assert folds
    assert all(len(sides) == 1 for sides in folds.values())


def test_the_shipped_corpus_reads_without_failures() -> None:
    dataset = load_stories()
    assert len(dataset.examples) >= 2000
    assert not dataset.problems_failed
    assert not dataset.warnings


@pytest.mark.slow
def test_every_story_passes_every_check_of_the_recogniser() -> None:
    for story in generate(4000, seed=31, larger=False):
        example = story.example()
        used = [number.quantity for number in numbers(story.expression)]
        assert len(used) == len(set(used))
        for number in numbers(story.expression):
            assert number.quantity is not None
            assert example.problem.quantities[number.quantity].value == number.value, story.text
        assert not crossings(story.expression, example.problem.anchors), story.text


@pytest.mark.slow
def test_no_story_stands_in_the_public_corpora(data_dir: Path) -> None:
    public = {
        mask_numbers(problem.text)
        for name in ("ai2", "il", "commoncore", "allarith", "mawps", "equations")
        for problem in load(name, data_dir).problems
    }
    told = [*generate(4000, seed=41), *generate(1500, seed=41, kinds=["equation"])]
    told += [story for story, _ in corpus()]
    assert not [story.text for story in told if mask_numbers(story.text) in public]


def test_bare_formulas_of_public_corpora_are_known_by_their_digests() -> None:
    assert is_reserved("What is 39 times 3?")
    assert is_reserved("what is 4 times seven")
    assert not is_reserved("Thirty-nine times three purple hats were sold to the mayor of a small town.")


@pytest.mark.parametrize("part", [PLAIN, "systems", "rounding", "percent"])
def test_what_the_exam_says_no_story_says_with_other_numbers(part: str) -> None:
    sentence = min(load_exam(part).examples, key=lambda one: len(one.problem.text.split()))
    assert is_reserved(sentence.problem.text)
    assert is_reserved(re.sub(r"\d+", "58", sentence.problem.text))


def test_the_corpora_in_the_package_go_by_their_names() -> None:
    train, test = load("stories").fold(TEST)
    assert (len(train), len(test)) == (2000, 400)
    assert not {example.problem.text for example in train} & {example.problem.text for example in test}
    assert all(example.source != "stories" for example in load("corpus").examples)


def test_the_number_of_an_exercise_in_a_list_is_no_quantity_of_its_story() -> None:
    sheet = "@ change\nQuestion 4. A shop had [a 45] pens and sold [b 30].\n? How many are left? = a - b"
    exercise = read(sheet, "numbered")[0]
    story = as_story(retell(exercise, exercise.questions[0], random.Random(1)), "numbered")
    assert story is not None
    assert [number.quantity for number in numbers(story.expression)] == [0, 1]
    assert len(story.example().problem.quantities) == 2

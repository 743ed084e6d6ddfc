"""Data sets: gold that points at the text, counts, folds, leaks."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2math.data import (
    EXAM_PARTS,
    DataError,
    Dataset,
    drop_leaks,
    duplicate_groups,
    leaks,
    load,
    load_beyond,
    load_corpus,
    load_exam,
    mask_numbers,
)
from text2math.data.gold import answer_warning, read_gold
from text2math.data.record import Record, to_example
from text2math.data.systems import sentence_examples
from text2math.evaluation.metrics import load_errata
from text2math.language.attachment import UnmappableError, attach, crossings
from text2math.language.problem import read_problem
from text2math.mathematics.algebra import equivalent
from text2math.mathematics.expression import Expression, is_equation, numbers, variables
from text2math.mathematics.notation import from_infix, to_infix


@lru_cache
def loaded(name: str, data_dir: Path) -> Dataset:
    return load(name, data_dir)


@lru_cache
def loaded_with_sentences(name: str, data_dir: Path) -> Dataset:
    return load(name, data_dir, derived_sentences=True)


SYSTEMS = ("alg514", "draw", "dolphin1878")


def attached(equation: str, values: list[int | str], *, arithmetic: bool = True) -> str:
    tree = attach(read_gold(equation, arithmetic=arithmetic), [Fraction(value) for value in values])
    return to_infix(tree, quantities=True)


# Gold -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "values", "expected"),
    [
        ("X=(7.0+7.0)", [7, 7], "7[0] + 7[1]"),
        ("X=7-(7-3)", [7, 3, 7], "7[0] - (7[2] - 3[1])"),
        ("X=(5-2)+5", [2, 5, 5], "5[1] - 2[0] + 5[2]"),
        ("X=4*4", [4], "4[0] * 4[0]"),
        ("x=2/3*9", ["2/3", 9], "{2/3}[0] * 9[1]"),
        ("x=2/3*9", [2, 3, "2/3", 9], "2[0] / 3[1] * 9[3]"),
        ("0.01*6.0*m=30", ["0.06", 30], "0.06[0] * X1 = 30[1]"),
        ("x=70.0*2.5*3.0*0.01", [70, "0.03", "2.5"], "70[0] * 2.5[2] * 0.03[1]"),
        ("x=72.0/12/0.01", ["0.12", 72], "72[1] / 0.12[0]"),
        ("x=8*12*5", [96, 5], "96[0] * 5[1]"),
        ("n-2.0*m=0", [2], "X1 = 2[0] * X2"),
        ("2(k+1)=12", [2, 1, 12], "2[0] * (X1 + 1[1]) = 12[2]"),
    ],
)
def test_gold_points_at_the_quantities_it_means(
    equation: str, values: list[int | str], expected: str
) -> None:
    assert attached(equation, values) == expected


def test_an_equation_keeps_its_unknown_where_the_task_is_equations() -> None:
    assert attached("V1=163", [163], arithmetic=False) == "X1 = 163[0]"
    assert attached("V1=163", [163]) == "163[0]"


@pytest.mark.parametrize(
    ("equation", "reason"),
    [
        ("X=3+9", "a number that is not in the text"),
        ("x^2=3", "an operator that the grammar lacks"),
        ("a+b+c+d=3", "more than 3 unknowns"),
        ("x+=3", "an equation that can't be read"),
        ("x+3", "an unknown without '='"),
        ("X=3[4]", "a quantity that the text lacks"),
        ("X=4[0]", "a number that differs from its quantity"),
    ],
)
def test_unmappable_gold_has_a_reason(equation: str, reason: str) -> None:
    with pytest.raises(UnmappableError) as caught:
        attached(equation, [3])
    assert caught.value.reason == reason


@st.composite
def trees_over_distinct_quantities(draw: st.DrawFn) -> tuple[Expression, list[Fraction]]:
    """A random tree that takes some quantities in the order of the text, so that it does not cross."""
    values = draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))

    def tree(low: int, high: int) -> str:
        if high - low == 1:
            return f"{values[low]}[{low}]"
        middle = draw(st.integers(low + 1, high - 1))
        return f"({tree(low, middle)} {draw(st.sampled_from('+-*/'))} {tree(middle, high)})"

    return from_infix(tree(0, len(values))), [Fraction(value) for value in values]


@given(trees_over_distinct_quantities())
def test_attaching_finds_a_tree_that_does_not_cross_where_there_is_one(
    case: tuple[Expression, list[Fraction]],
) -> None:
    tree, values = case
    assert attach(tree, values) == tree
    found = attach(from_infix(to_infix(tree)), values)
    assert crossings(found) == 0
    assert len({number.quantity for number in numbers(found)}) == len(values)


def test_many_equal_numbers_are_assigned_without_trying_every_way() -> None:
    tree = attach(read_gold("+".join(["1"] * 30)), [Fraction(1)] * 30)
    assert [number.quantity for number in numbers(tree)] == list(range(30))


def test_unknowns_are_numbered_in_the_order_of_mention() -> None:
    text = "The other is 3 less than one of them."
    record = Record(
        place="here",
        problem=read_problem(text),
        equations=("V1-3=V2",),
        arithmetic=False,
        groundings=(("V1", 25, 36), ("V2", 0, 9)),
        unknowns=("V2", "V1"),
    )
    example = to_example(record)
    assert to_infix(example.expression or from_infix("0")) == "X2 - 3 = X1"
    assert {name: text[start:end] for name, start, end in example.groundings} == {
        "X1": "The other",
        "X2": "one of them",
    }


def test_a_wrong_answer_is_told() -> None:
    problem = read_problem("Ann has 3 cats and 4 dogs. How many pets?")
    right = to_example(Record("here", problem, ("X=3+4",), Fraction(7)))
    wrong = to_example(Record("here", problem, ("X=3+4",), Fraction(8)))
    assert answer_warning(right) == ""
    assert answer_warning(wrong) == "the gold gives 7, 8 is stated"


# Systems of equations -------------------------------------------------------------------------------------

SYSTEM = "Two kites cost 90 euros together. The red kite costs 12 euros more than the blue kite."


def test_a_sentence_that_states_one_equation_of_a_system_becomes_an_example() -> None:
    record = Record("here", read_problem(SYSTEM, "k"), ("m+n=90", "m-n=12"), source="kites")
    first, second = sentence_examples(record)
    assert first.problem.text == "Two kites cost 90 euros together."
    assert to_infix(second.expression or from_infix("0"), quantities=True) == "X1 - X2 = 12[0]"
    assert second.source == "kites, derived from sentence 1 of problem k"


@pytest.mark.parametrize(
    "equations",
    [("m+n=90", "m-n=77"), ("m+n=90", "m-n=90"), ("m+n=90+12", "m-n=12"), ("m+n=90",)],
    ids=["a number is missing", "one sentence, two equations", "two sentences", "no system"],
)
def test_no_sentence_is_derived_where_it_would_be_a_guess(equations: tuple[str, ...]) -> None:
    assert not list(sentence_examples(Record("here", read_problem(SYSTEM, "k"), equations)))


# Public data sets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "folds"),
    [
        ("ai2", 395, (134, 140, 121)),
        ("il", 562, (132, 104, 110, 108, 108)),
        ("commoncore", 600, (100,) * 6),
        ("equations", 385, (77,) * 5),
        ("allarith", 831, (166, 166, 166, 166, 167)),
        ("allarith-lex", 415, (83,) * 5),
        ("allarith-tmpl", 415, (83,) * 5),
    ],
)
def test_every_problem_maps(data_dir: Path, name: str, count: int, folds: tuple[int, ...]) -> None:
    dataset = loaded(name, data_dir)
    assert not dataset.problems_failed, [str(failure) for failure in dataset.problems_failed]
    assert len(dataset.examples) == count
    assert tuple(map(len, dataset.folds)) == folds
    assert not dataset.warnings


@pytest.mark.parametrize(
    ("name", "count", "mapped"),
    [("mawps", 2373, 2249), ("alg514", 514, 91), ("draw", 1000, 147), ("dolphin1878", 1878, 376)],
)
@pytest.mark.slow
def test_what_does_not_map_is_counted_with_its_reason(
    data_dir: Path, name: str, count: int, mapped: int
) -> None:
    dataset = loaded(name, data_dir)
    assert dataset.size == count
    assert len(dataset.examples) >= mapped
    assert sum(dataset.reasons().values()) == count - len(dataset.examples)
    assert len(dataset.problems) == count


@pytest.mark.parametrize("name", ["ai2", "il", "commoncore", "equations", "allarith", "mawps", "draw"])
def test_gold_numbers_have_the_value_of_their_quantity(data_dir: Path, name: str) -> None:
    for example in loaded(name, data_dir).examples:
        assert example.expression is not None
        for number in numbers(example.expression):
            assert number.quantity is not None
            assert example.problem.quantities[number.quantity].value == number.value


def test_alignments_decide_between_equal_values(data_dir: Path) -> None:
    questions = json.loads((data_dir / "il" / "questions.json").read_text(encoding="utf-8"))
    examples = loaded("il", data_dir).by_id()
    for question in questions:
        example = examples[str(question["iIndex"])]
        assert example.expression is not None
        for number, offset in zip(numbers(example.expression), question["lAlignments"], strict=True):
            assert number.quantity is not None
            quantity = example.problem.quantities[number.quantity]
            assert quantity.start <= offset < quantity.end


def test_equation_groundings_are_the_annotated_phrases(data_dir: Path) -> None:
    for example in loaded("equations", data_dir).examples:
        assert example.expression is not None
        assert is_equation(example.expression)
        names = [variable.name for variable in variables(example.expression)]
        first = {name: min(s for n, s, _ in example.groundings if n == name) for name in names}
        assert names == sorted(names, key=lambda name: (first[name], name))
        annotation = (data_dir / "equations" / f"{example.problem.id}.ann").read_text(encoding="utf-8")
        words = sorted(line.split("\t")[2] for line in annotation.splitlines() if line.strip())
        assert words == sorted(example.problem.text[start:end] for _, start, end in example.groundings)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_derived_sentences_say_where_they_come_from(data_dir: Path, name: str) -> None:
    plain, grown = loaded(name, data_dir), loaded_with_sentences(name, data_dir)
    derived = [example for example in grown.examples if "derived" in example.source]
    assert len(derived) >= 250
    assert len(grown.examples) == len(plain.examples) + len(derived)
    for example in derived:
        assert example.problem.id.partition("#")[0] in example.source
        assert example.expression is not None
        assert is_equation(example.expression)


def test_derived_sentences_stay_in_the_fold_of_their_problem(data_dir: Path) -> None:
    for fold in loaded_with_sentences("alg514", data_dir).folds:
        ids = set(fold)
        assert all(id.partition("#")[0] in ids for id in fold)


def test_errata_differ_from_the_gold_they_correct(data_dir: Path) -> None:
    for (name, id), correction in load_errata().items():
        example = loaded(name, data_dir).by_id()[id]
        assert example.expression is not None
        assert not equivalent(correction, example.expression)
        assert attach(correction, [quantity.value for quantity in example.problem.quantities]) == correction


# Folds and leaks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ai2", "il"])
def test_nothing_leaks_across_the_folds(data_dir: Path, name: str) -> None:
    dataset = loaded(name, data_dir)
    for index in range(len(dataset.folds)):
        train, test = dataset.fold(index)
        assert len(train) + len(test) == len(dataset.examples)
        assert not leaks([example.problem for example in test], [example.problem for example in train])


def test_il_holds_24_groups_of_exact_duplicates(data_dir: Path) -> None:
    problems = loaded("il", data_dir).problems
    groups = duplicate_groups(problems)
    assert len(groups) == 24
    assert len(problems) - sum(len(group) - 1 for group in groups) == 531


def test_mawps_without_leaks_shares_nothing_with_the_test_fold(data_dir: Path) -> None:
    mawps = loaded("mawps", data_dir).examples
    _, test = loaded("ai2", data_dir).fold(0)
    kept = drop_leaks(mawps, test)
    assert len(mawps) - len(kept) >= len(test)
    assert not leaks([example.problem for example in test], [example.problem for example in kept])


@pytest.mark.parametrize("name", ["ai2", "il", "commoncore", "equations", "allarith", "mawps", *SYSTEMS])
def test_no_problem_of_our_corpus_stands_in_a_public_data_set(data_dir: Path, name: str) -> None:
    public = (loaded_with_sentences if name in SYSTEMS else loaded)(name, data_dir)
    assert not leaks(load_corpus().problems, public.problems)


@pytest.mark.parametrize(
    "name",
    [
        *("ai2", "il", "commoncore", "equations", "allarith", "mawps"),
        *SYSTEMS,
        pytest.param("gsm8k", marks=pytest.mark.slow),
    ],
)
def test_no_problem_of_the_exam_stands_in_a_public_data_set(data_dir: Path, name: str) -> None:
    public = (loaded_with_sentences if name in SYSTEMS else loaded)(name, data_dir)
    answered = [problem for part in EXAM_PARTS for problem in load_exam(part, knowledge=True).problems]
    beyond = [beyond.problem for beyond in load_beyond()]
    assert not leaks([*answered, *beyond], public.problems)


def test_masking_hides_how_numbers_are_written() -> None:
    written = ("Ann paid $3.50 for 12 eggs.", "Ann paid $4 for a dozen eggs .", "ann paid 5 for twenty eggs")
    assert {mask_numbers(text) for text in written} == {"ann paid # for # eggs"}
    assert mask_numbers("Ann paid 5 for ham") != mask_numbers("Ann paid 5 for eggs")


def test_made_folds_keep_problems_together_that_differ_only_in_numbers() -> None:
    corpus = load_corpus()
    twins = tuple(
        to_example(
            Record("here", read_problem(f"Ann has {n} cats and 2 dogs. Pets?", f"t{n}"), (f"X={n}+2",))
        )
        for n in range(3, 30)
    )
    dataset = Dataset("mixed", corpus.examples + twins).with_folds(4, seed=3)
    sizes = [len(fold) for fold in dataset.folds]
    assert sum(sizes) == len(dataset.examples)
    assert max(sizes) - min(sizes) <= 1
    assert sum("t3" in fold and "t29" in fold for fold in dataset.folds) == 1
    assert dataset.folds == dataset.with_folds(4, seed=3).folds != dataset.with_folds(4, seed=4).folds


def test_a_fold_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError, match="with_folds"):
        load_corpus().fold(0)
    with pytest.raises(IndexError, match="folds 0 to 2"):
        load_corpus().with_folds(3).fold(3)
    with pytest.raises(ValueError, match="at least 2"):
        load_corpus().with_folds(1)


def test_unknown_names_and_missing_folders_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="no such data set"):
        load("ai3", tmp_path)
    with pytest.raises(DataError, match="should be there"):
        load("ai2", tmp_path)
    monkeypatch.delenv("TEXT2MATH_DATA", raising=False)
    with pytest.raises(DataError, match="TEXT2MATH_DATA"):
        load("ai2")
    (tmp_path / "il").mkdir()
    with pytest.raises(DataError, match=r"there is no questions\.json"):
        load("il", tmp_path)
    (tmp_path / "il" / "questions.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="a list of problems"):
        load("il", tmp_path)
    (tmp_path / "il" / "questions.json").write_text("[", encoding="utf-8")
    with pytest.raises(DataError, match="not a JSON file"):
        load("il", tmp_path)


def test_a_problem_out_of_format_fails_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "il").mkdir()
    good = {"iIndex": 1, "sQuestion": "Al has 2 cats and 3 dogs. How many pets?", "lAlignments": [7, 18]}
    good |= {"lEquations": ["X=2+3"], "lSolutions": [5.0]}
    entries = [good, {"iIndex": 2, "lEquations": "X=2"}, 7]
    (tmp_path / "il" / "questions.json").write_text(json.dumps(entries), encoding="utf-8")
    dataset = load("il", tmp_path)
    assert [example.problem.id for example in dataset.examples] == ["1"]
    places = [failure.place for failure in dataset.problems_failed]
    assert places == ["il/questions.json, problem 2", "il/questions.json, problem #2"]

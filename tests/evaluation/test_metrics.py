from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2math.data import load
from text2math.evaluation.crossvalidation import Plan, Question, cross_validate, cross_validate_all
from text2math.evaluation.metrics import (
    METRICS,
    Prediction,
    answer_correct,
    equation_equivalent,
    expression_equivalent,
    gold_answer,
    grounding,
    load_errata,
    metrics_of,
    number_identification,
    unnamed_equivalent,
)
from text2math.inference.forest import quantities_used
from text2math.language.problem import Example, Problem, Quantity
from text2math.mathematics.expression import Expression, Number, Operation, Operator
from text2math.mathematics.notation import from_infix, to_infix
from text2math.parallel import WorkerError

WORDS = ("apples", "pears", "plums", "dogs", "cats", "boats", "coins", "stamps", "kites", "rings")


def operation(operator: Operator, left: int, right: int, first: int = 0, second: int = 1) -> Operation:
    return Operation(operator, Number(Fraction(left), first), Number(Fraction(right), second))


def example(index: int, operator: Operator = Operator.ADD) -> Example:
    """A problem with two relevant numbers and one that is not."""
    left, right = index + 2, 2 * index + 3
    text = f"Ann has {left} {WORDS[index]} and buys {right} at 9 dollars. How many has she?"
    places = [
        (str(left), text.index(str(left))),
        (str(right), text.index(f"{right} at")),
        ("9", text.index("9 d")),
    ]
    quantities = tuple(Quantity(Fraction(number), at, at + len(number), 0, 1) for number, at in places)
    return Example(
        Problem(text, (), quantities, id=str(index)),
        operation(operator, left, right),
        source="made up",
    )


def add_first_two(train: tuple[Example, ...], test: tuple[Question, ...], config: Any) -> list[Prediction]:
    """A model that adds the first two numbers, and gives up on what the configuration names."""
    assert not any(hasattr(question, "expression") for question in test)
    predictions = []
    for question in test:
        first, second, *_ = (
            Number(quantity.value, index) for index, quantity in enumerate(question.problem.quantities)
        )
        silent = config and config.get("silent") == question.problem.id
        predictions.append(Prediction(None if silent else Operation(Operator.ADD, first, second)))
    return predictions


def forget_one(train: tuple[Example, ...], test: tuple[Question, ...], config: Any) -> list[Prediction]:
    return [Prediction(None)] * (len(test) - 1)


def guess(train: tuple[Example, ...], test: tuple[Question, ...], config: Any) -> list[Prediction]:
    return [Prediction(Number(Fraction(random.randrange(10**6)))) for _ in test]


def check_relevance(train: tuple[Example, ...], test: tuple[Question, ...], config: Any) -> list[Prediction]:
    assert [question.relevant for question in test] == [config] * len(test)
    return [Prediction(None)] * len(test)


def folds() -> list[tuple[list[Example], list[Example]]]:
    examples = [example(index, Operator.SUB if index == 4 else Operator.ADD) for index in range(10)]
    return [(examples[5:], examples[:5]), (examples[:5], examples[5:])]


class TestAnswers:
    @given(st.fractions(), st.fractions())
    def test_exact_values_agree_only_when_equal(self, first: Fraction, second: Fraction) -> None:
        assert answer_correct(first, second) == (first == second)

    @pytest.mark.parametrize(
        ("predicted", "gold", "right"),
        [
            (Fraction(2, 3), 0.66667, True),
            (Fraction(2, 3), 0.667, False),
            (100.009, 100.0, True),
            (100.011, 100.0, False),
            (-5.0, 5.0, False),
            (0.0, 0.0, True),
            (1e-9, 0.0, False),
            (None, 1.0, False),
            (float("nan"), 1.0, False),
            (float("inf"), float("inf"), False),
            (Fraction(10**400), 1.0, False),
        ],
    )
    def test_a_rounded_value_agrees_within_a_ten_thousandth(
        self, predicted: Fraction | float | None, gold: float, right: bool
    ) -> None:
        assert answer_correct(predicted, gold) is right

    def test_the_gold_answer_is_exact_where_expression_and_annotation_agree(self) -> None:
        problem = Problem("", (), (), id="7")
        third = from_infix("1 / 3")
        assert gold_answer(Example(problem, third)) == Fraction(1, 3)
        assert gold_answer(Example(problem, third, Fraction("0.33333"))) == Fraction(1, 3)
        assert gold_answer(Example(problem, third, Fraction(4))) == 4.0
        assert gold_answer(Example(problem, None, Fraction(4))) == 4.0
        with pytest.raises(ValueError, match="'7' has no answer"):
            gold_answer(Example(problem, from_infix("1 / 0")))


class TestExpressions:
    @pytest.mark.parametrize(
        ("predicted", "right"),
        [
            (operation(Operator.ADD, 2, 2), True),
            (operation(Operator.ADD, 2, 2, 1, 0), True),
            (operation(Operator.MUL, 2, 2), False),
            (operation(Operator.ADD, 2, 2, 0, 0), False),
            (operation(Operator.ADD, 2, 2, 0, 2), False),
            (Number(Fraction(4)), False),
            (None, False),
        ],
    )
    def test_equivalence_is_about_the_quantities_not_the_value(
        self, predicted: Expression | None, right: bool
    ) -> None:
        assert expression_equivalent(predicted, operation(Operator.ADD, 2, 2)) is right

    def test_moving_brackets_keeps_equivalence(self) -> None:
        a, b, c = (Number(Fraction(5), index) for index in range(3))
        left = Operation(Operator.SUB, Operation(Operator.ADD, a, b), c)
        right = Operation(Operator.ADD, a, Operation(Operator.SUB, b, c))
        other = Operation(Operator.SUB, a, Operation(Operator.ADD, b, c))
        assert expression_equivalent(left, right)
        assert not expression_equivalent(left, other)

    def test_an_equation_is_compared_with_equations_only(self) -> None:
        gold = from_infix("3 * X1 = 5 * X2 - 11")
        assert equation_equivalent(from_infix("5 * X1 = 3 * X2 + 11"), gold)
        assert not equation_equivalent(from_infix("3 * X1 = 5 * X2 + 11"), gold)
        assert not equation_equivalent(from_infix("X1 = 150"), from_infix("X1 + X2 = 150"))
        assert not equation_equivalent(from_infix("3 * X1 - 5 * X2 + 11"), gold)
        assert not equation_equivalent(None, gold)


class TestGrounding:
    GOLD = (("X1", 10, 20), ("X2", 30, 40))

    @pytest.mark.parametrize(
        ("predicted", "right"),
        [
            ((("X1", 19, 25), ("X2", 39, 45)), True),
            ((("X1", 30, 31), ("X2", 10, 11)), True),
            ((("X1", 20, 30), ("X2", 35, 36)), False),
            ((("X1", 12, 13), ("X2", 14, 15)), False),
            ((("X1", 0, 2), ("X1", 12, 13), ("X2", 35, 36)), True),
            ((("X1", 10, 40),), False),
            ((), False),
        ],
    )
    def test_words_must_overlap_the_phrase_of_their_unknown(self, predicted: Any, right: bool) -> None:
        assert grounding(predicted, self.GOLD) is right

    @given(st.permutations([("X1", 10, 20), ("X2", 30, 40), ("X3", 50, 60)]))
    def test_the_names_do_not_matter(self, spans: list[tuple[str, int, int]]) -> None:
        renamed = [(f"X{index + 1}", start, end) for index, (_, start, end) in enumerate(spans)]
        assert grounding(renamed, [("X1", 10, 20), ("X2", 30, 40), ("X3", 50, 60)])


def test_number_identification_wants_every_use_right() -> None:
    gold = operation(Operator.ADD, 7, 3, 0, 2)
    assert quantities_used(gold) == {0, 2}
    assert number_identification(operation(Operator.SUB, 3, 7, 2, 0), gold)
    assert not number_identification(operation(Operator.ADD, 7, 3, 0, 1), gold)
    assert not number_identification(gold.left, gold)
    assert not number_identification(None, gold)


def test_accuracy_is_the_answer_for_arithmetic_and_equivalence_for_equations() -> None:
    sum_of = replace(example(0), expression=operation(Operator.ADD, 2, 2))
    verdict = metrics_of(Prediction(operation(Operator.MUL, 2, 2)), sum_of)
    assert verdict == {
        "accuracy": True,
        "answer": True,
        "expression": False,
        "numbers": True,
        "corrected": True,
    }
    equation = Example(
        Problem("", (), ()), from_infix("X1 = 2 * X2"), groundings=(("X1", 0, 3), ("X2", 4, 9))
    )
    verdict = metrics_of(Prediction(from_infix("X1 / X2 = 2"), (("X1", 5, 6), ("X2", 1, 2))), equation)
    assert verdict == dict.fromkeys(
        ("accuracy", "equation", "unnamed", "grounding", "numbers", "corrected"), True
    )
    assert not metrics_of(Prediction(from_infix("2")), equation)["accuracy"]


def test_a_correction_counts_beside_the_annotated_gold_never_instead() -> None:
    wrong_gold = replace(example(0, Operator.SUB), answer=Fraction(-1))
    verdict = metrics_of(Prediction(operation(Operator.ADD, 2, 3)), wrong_gold, from_infix("2 + 3"))
    assert (verdict["accuracy"], verdict["corrected"]) == (False, True)
    verdict = metrics_of(Prediction(operation(Operator.SUB, 2, 3)), wrong_gold, from_infix("2 + 3"))
    assert (verdict["accuracy"], verdict["corrected"]) == (True, False)


def test_the_errata_that_ship_are_readable() -> None:
    errata = load_errata()
    assert {dataset for dataset, _ in errata} >= {"ai2", "il", "equations"}


def test_a_report_counts_folds_and_means() -> None:
    errata = {("made up", "4"): from_infix("6 + 11")}
    report = cross_validate(folds(), add_first_two, {"silent": "7"}, workers=0, errata=errata, seed=3)
    first, second = report.folds
    assert (first.train, first.dropped, first.test, first.unanswered, first.wrong) == (5, 0, 5, 0, ("4",))
    assert (second.unanswered, second.wrong) == (1, ("7",))
    assert report.mean() == pytest.approx(80)
    assert report.mean("corrected") == pytest.approx(90)
    assert (report.pooled().correct, report.pooled().total) == (8, 10)
    assert report.metrics == ("accuracy", "corrected", "answer", "expression", "numbers")
    assert set(report.metrics) <= set(METRICS)
    assert (report.seed, report.protocol, report.config) == (3, "honest", "{'silent': '7'}")
    as_json = json.loads(json.dumps(report.to_dict()))
    assert as_json["summary"]["accuracy"] == {"mean": 80, "correct": 8, "total": 10}
    assert as_json["folds"][0]["tallies"]["accuracy"] == {"correct": 4, "total": 5}
    assert report.to_markdown().splitlines()[:3] == [
        "| honest, % | fold 0 | fold 1 | mean | correct |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| accuracy | 80.0 | 80.0 | 80.0 | 8/10 |",
    ]


def test_the_folds_of_many_cross_validations_are_run_together(capfd: pytest.CaptureFixture[str]) -> None:
    counts = []

    def run(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], **how: Any) -> Any:
        counts.append(len(calls))
        for index in reversed(range(len(calls))):
            how["on_start"](index)
            yield index, function(*calls[index])

    plans = [Plan(folds(), [None, None]), Plan(folds()[:1], [None])]
    found = dict(cross_validate_all(plans, guess, errata={}, seed=5, run=run, progress=True))
    assert counts == [3]
    assert "3/3" in capfd.readouterr().err
    for index, plan in enumerate(plans):
        alone = cross_validate(plan.folds, guess, workers=0, errata={}, seed=5)
        assert [fold.wrong for fold in found[index].folds] == [fold.wrong for fold in alone.folds]


def hold_memory(
    train: tuple[Example, ...], questions: tuple[Question, ...], megabytes: int
) -> list[Prediction]:
    held = bytearray(megabytes << 20)
    held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])
    return [Prediction(None)] * len(questions)


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="only Linux forgets a peak")
def test_the_memory_of_a_fold_is_not_that_of_one_before_it() -> None:
    report = cross_validate(folds(), hold_memory, configs=[300, 1], workers=1, errata={})
    first, second = (fold.peak_mb for fold in report.folds)
    assert first is not None
    assert second is not None
    assert second < first - 200


def test_processes_give_the_report_that_one_process_gives(capfd: pytest.CaptureFixture[str]) -> None:
    here = cross_validate(folds(), guess, workers=0, errata={}, seed=5)
    apart = cross_validate(folds(), guess, workers=2, errata={}, seed=5, progress=True)
    assert [fold.tallies for fold in here.folds] == [fold.tallies for fold in apart.folds]
    assert apart.workers == 2
    assert all(fold.seconds >= 0 for fold in apart.folds)
    if os.path.exists("/proc/self/status"):
        assert apart.peak_mb is not None
        assert 5 < apart.peak_mb < 2000
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "2/2" in captured.err


def test_training_leaves_out_what_stands_in_the_test_fold() -> None:
    (train, test), _ = folds()
    twin_text = test[0].problem.text.replace("9 dollars", "12 dollars")
    twin = replace(test[0], problem=replace(test[0].problem, text=twin_text, id="twin"))
    report = cross_validate([([*train, twin], test)], add_first_two, workers=0, errata={})
    assert (report.folds[0].train, report.folds[0].dropped) == (5, 1)
    kept = cross_validate([([*train, twin], test)], add_first_two, workers=0, errata={}, keep_twins=True)
    assert (kept.folds[0].train, kept.folds[0].dropped) == (6, 0)


def test_only_the_paper_protocol_tells_which_quantities_are_relevant() -> None:
    cross_validate(folds(), check_relevance, None, workers=0, errata={})
    cross_validate(folds(), check_relevance, (0, 1), workers=0, errata={}, protocol="paper")
    answer_only = replace(example(3), expression=None, answer=Fraction(1))
    with pytest.raises(ValueError, match="'3' has no gold expression"):
        cross_validate([([], [answer_only])], check_relevance, workers=0, errata={}, protocol="paper")


def test_wrong_use_is_refused() -> None:
    with pytest.raises(ValueError, match="needs folds"):
        cross_validate([], add_first_two, errata={})
    with pytest.raises(ValueError, match="a test example in each"):
        cross_validate([([example(0)], [])], add_first_two, errata={})
    with pytest.raises(ValueError, match="honest and paper, not 'gold'"):
        cross_validate(folds(), add_first_two, errata={}, protocol="gold")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="4 predictions for 5 problems"):
        cross_validate(folds(), forget_one, workers=0, errata={})
    with pytest.raises(WorkerError, match="4 predictions for 5 problems"):
        cross_validate(folds(), forget_one, workers=1, errata={})


def copy_gold(train: tuple[Example, ...], test: tuple[Question, ...], config: Any) -> list[Prediction]:
    """A model that was told the answers, as (problem id, infix) pairs."""
    gold = dict(config)
    return [Prediction(from_infix(gold[question.problem.id])) for question in test]


@pytest.mark.parametrize(
    ("name", "count", "faults"), [("ai2", 395, 1), ("il", 562, 1), ("equations", 385, 1)]
)
def test_gold_itself_scores_a_hundred_and_the_errata_take_their_share(
    data_dir: Path, name: str, count: int, faults: int
) -> None:
    dataset = load(name, data_dir)
    gold = [(e.problem.id, to_infix(e.expression, quantities=True)) for e in dataset.examples if e.expression]
    pairs = [dataset.fold(index) for index in range(len(dataset.folds))]
    report = cross_validate(pairs, copy_gold, gold, workers=0)
    assert (report.pooled().correct, report.pooled().total) == (count, count)
    assert report.pooled("numbers").correct == count
    assert report.pooled("corrected").correct == count - faults


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        ("X1 - 0.1 * X1 = 9", "X1 - 0.1 * X2 = 9", True),
        ("X1 + X2 = 9", "X1 = 9", False),
        ("X1 - X2 = 6", "X1 - X1 = 6", True),
        ("X1 - X2 = 6", "X2 = X1 + 7", False),
        ("3 * X1 = 5 * X2 - 11", "5 * X1 = 3 * X2 + 11", True),
        ("3 + 4", "X1 = 7", False),
    ],
)
def test_unnamed_equations_agree_whatever_their_unknowns_are_called(
    predicted: str, gold: str, expected: bool
):
    assert unnamed_equivalent(from_infix(predicted), from_infix(gold)) is expected
    assert not unnamed_equivalent(None, from_infix(gold))

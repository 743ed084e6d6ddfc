"""Comparing systems: the tests agree with their definitions, and the command reads what others wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from text2math.cli import main
from text2math.evaluation.significance import Verdicts, compare, compare_published, mcnemar
from text2math.evaluation.tables import write_results

IDS = st.lists(st.integers(0, 39).map(str), unique=True).map(tuple)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_two_sided_sign_test(only_first: int, only_second: int):
    expected = binomtest(only_first, only_first + only_second).pvalue if only_first + only_second else 1.0
    assert mcnemar(only_first, only_second) == pytest.approx(expected)


@given(IDS, IDS)
def test_the_difference_is_that_of_the_accuracies_and_lies_in_its_interval(one: tuple[str, ...], two):
    found = compare(Verdicts(40, (one,)), Verdicts(40, (two,)), resamples=200)
    assert found.difference == pytest.approx(found.second - found.first)
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9
    assert found.only_first == len(set(two) - set(one))


def test_two_systems_that_swap_places_swap_the_sign():
    one, two = Verdicts(50, (("1", "2"), ("2",))), Verdicts(50, (("7",),))
    there, back = compare(one, two), compare(two, one)
    assert there.difference == pytest.approx(-back.difference)
    assert there.p_value is None  # a mean over seeds has no such test


def test_a_clear_difference_excludes_zero_and_noise_does_not():
    many = tuple(map(str, range(60)))
    assert compare(Verdicts(200, (many,)), Verdicts(200, (many[:20],))).low > 0
    noise = compare(Verdicts(200, (many[:30],)), Verdicts(200, (many[30:],)))
    assert noise.low < 0 < noise.high
    assert noise.p_value == 1.0


def test_different_numbers_of_problems_are_not_compared():
    with pytest.raises(ValueError, match="not the same"):
        compare(Verdicts(10, ((),)), Verdicts(11, ((),)))


@settings(max_examples=20, deadline=None)  # each takes two bootstraps
@given(IDS, st.floats(0, 100))
def test_a_published_figure_is_compared_as_if_it_were_exact(wrong: tuple[str, ...], figure: float):
    found = compare_published(Verdicts(40, (wrong,)), figure)
    everything_right = compare(Verdicts(40, (wrong,)), Verdicts(40, ((),)))
    assert found.accuracy == pytest.approx(100 - everything_right.difference)
    assert found.difference == pytest.approx(found.accuracy - figure)
    assert found.high - found.low == pytest.approx(everything_right.high - everything_right.low)
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9


def test_the_command_compares_a_result_with_a_published_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own = {"dataset": "ai2", "wrong": [["1", "2"]], "accuracy": 80.0, "folds": [80.0], "seconds": 1.0}
    own |= {"peak_mb": 1, "problems": 10, "command": "text2math tables", "version": "1", "date": "today"}
    write_results(tmp_path, {"ai2/full/honest": own})
    assert main(["compare", "ai2/full/honest", "85.8", "--results", str(tmp_path)]) == 0
    assert "80.0 % of 10 problems, published 85.8 %: -5.8 points" in capsys.readouterr().out
    assert main(["compare", "ai2/full/honest", "85.8", "--json", "--results", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["figure"] == 85.8
    assert main(["compare", "ai2/full/honest", "858", "--results", str(tmp_path)]) == 2
    assert "from 0 to 100" in capsys.readouterr().err


def test_the_command_compares_results_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    origin = {"command": "text2math tables", "version": "1", "date": "today"}
    figures = {"accuracy": 80.0, "folds": [80.0], "seconds": 1.0, "peak_mb": 1, "problems": 10}
    full = {"dataset": "ai2", "wrong": [["1", "2"]]} | figures | origin
    write_results(tmp_path, {"ai2/full/honest": full, "il/full/honest": full | {"dataset": "il"}})
    path = tmp_path / "own.json"
    path.write_text(json.dumps(full | {"wrong": [["1"]]}), encoding="utf-8")
    command = ["compare", "ai2/full/honest", str(path), "--results", str(tmp_path)]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparison"]
    assert (found["difference"], found["only_second"], found["p_value"]) == (10.0, 1.0, 1.0)
    assert main(command) == 0
    assert "+10.0 points" in capsys.readouterr().out
    wrong_ones = (("ai2/none/honest", "has no result"), ("il/full/honest", "compare them on the same data"))
    for wrong, message in wrong_ones:
        assert main(["compare", "ai2/full/honest", wrong, "--results", str(tmp_path)]) == 2
        assert message in capsys.readouterr().err


def test_equations_are_compared_without_the_names_of_their_unknowns_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "own.json"
    own = {"dataset": "equations", "problems": 10, "wrong": [["1", "2"]], "wrong_unnamed": [["2"]]}
    path.write_text(json.dumps(own), encoding="utf-8")
    assert main(["compare", str(path), f"{path}:unnamed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["difference"] == 10.0
    del own["wrong_unnamed"]
    path.write_text(json.dumps(own), encoding="utf-8")
    assert main(["compare", str(path), f"{path}:unnamed"]) == 2
    assert "wrong by unnamed; run it again" in capsys.readouterr().err


def test_a_result_without_its_problems_says_to_run_it_again():
    with pytest.raises(ValueError, match="run it again"):
        Verdicts.of({"problems": 3}, "ai2/full/honest")

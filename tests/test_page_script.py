"""experiments/page.py: the tables of a page follow from the results, and the rest of it stays."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from text2math.evaluation.tables import write_results


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "experiments"))
        yield importlib.import_module("page")


def result(accuracy: float, wrong: int, seeds: int = 1) -> dict[str, Any]:
    ids = [str(number) for number in range(wrong)]
    own = {"accuracy": accuracy, "problems": 100, "wrong": [ids] * seeds, "metrics": {"unnamed": 90.0}}
    return own | ({"seeds": [[accuracy]] * seeds} if seeds > 1 else {})


def test_changes_are_against_the_same_model_under_the_same_protocol(script: ModuleType):
    found = {
        "il/paper/paper": result(80.0, 20),
        "il/paper/honest": result(70.0, 30),
        "il/paper+no-pos/paper": result(75.0, 25),
        "il/paper+no-pos/honest": result(72.0, 28),
        "il/no-relevance/honest": result(85.9, 14),
        "il/full/honest": result(86.7, 13),
        "il/paper-rules+no-pos/paper": result(81.0, 20),
        "il/paper-rules+no-pos/honest": result(81.0, 20),
    }
    paper = {row[0]: row for row in script.ablations(found, "il", "paper")}
    assert paper["Text2Math"][1:4] == ["80.4", "80.0", ""]
    assert paper["− pos"][2] == "75.0"
    assert paper["− pos"][3].startswith("−5.0 (−")
    assert paper["− id"][3].startswith("−10.0 (−")
    assert paper["− id"][7] == "85.9"
    assert paper["− pos"][6].startswith("−1.0 (−")  # the paper has 81.0
    assert paper["− lex"][2:4] == ["–", "–"]
    honest = {row[0]: row for row in script.ablations(found, "il", "honest")}
    assert honest["− id"][1:4] + honest["− id"][7:] == ["78.1", "70.0", "", "86.7"]
    assert honest["− pos"][3].startswith("+2.0 (")
    assert honest["− pos"][1] == honest["− pos"][6] == ""
    assert "− words" not in honest


def test_equations_are_shown_without_the_names_of_their_unknowns_too(script: ModuleType):
    found = {"equations/paper/paper": result(55.0, 45), "equations/paper+no-words/paper": result(50.0, 50)}
    rows = {row[0]: row for row in script.equation_ablations(found)}
    assert rows["+ g"][1:5] == ["73.2", "55.0", "90.0", ""]
    assert rows["+ g − words"][4].startswith("−5.0 (")


def test_window_rows_say_how_many_seeds_they_are_a_mean_of(script: ModuleType):
    found = {"ai2/paper/paper": result(80.0, 20), "ai2/paper+window-3/paper": result(81.0, 19, seeds=2)}
    rows = {row[0]: row for row in script.windows(found, "ai2")}
    assert rows["L = 3"][:4] == ["L = 3", "86.2", "81.0 ± 0.0", "2"]
    assert rows["L = 3"][4].startswith("+1.0 (")
    assert rows["L = 3"][5:] == ["–", "–", "–"]
    found |= {"ai2/paper+no-window/paper": result(78.0, 22)}  # what the networks were trained on
    rows = {row[0]: row for row in script.windows(found, "ai2")}
    assert rows["no network"][2] == "78.0"
    assert rows["L = 3"][4].startswith("+3.0 (")
    found |= {"ai2/paper+window-3+joint/paper": result(79.0, 21, seeds=2)}
    joint = {row[0]: row for row in script.joint_windows(found)}
    assert joint["L = 3"][1].startswith("−2.0 (")
    assert joint["L = 2"][1] == joint["L = 3"][2] == "–"


def test_only_what_stands_between_the_comments_is_written_anew(script: ModuleType):
    page = "Before.\n\n<!-- table: windows il -->\nold\n<!-- end -->\n\nAfter.\n"
    made = script.with_tables(page, {})
    assert made.startswith("Before.\n\n<!-- table: windows il -->\n\n| IL | the paper |")
    assert made.endswith("|\n\n<!-- end -->\n\nAfter.\n")
    assert script.with_tables(made, {}) == made
    with pytest.raises(ValueError, match="windows ill"):
        script.with_tables(page.replace("windows il ", "windows ill "), {})


def test_a_folder_without_results_is_refused_and_the_page_stays(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    page = tmp_path / "page.md"
    page.write_text("<!-- table: windows il -->\nold\n<!-- end -->\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["page.py", "--results", str(tmp_path), "--page", str(page)])
    with pytest.raises(SystemExit):
        script.main()
    assert "no tables.json" in capsys.readouterr().err
    assert "old" in page.read_text(encoding="utf-8")
    origin = {"command": "text2math tables", "version": "1", "date": "today", "folds": [80.0]}
    found = {"il/paper/paper": result(80.0, 20) | origin | {"seconds": 1.0, "peak_mb": 1}}
    write_results(tmp_path, found)
    (tmp_path / "tables.md").unlink()
    script.main()
    assert "| no network | 80.4 | 80.0 |" in page.read_text(encoding="utf-8")
    assert "| Text2Math | il | 80.4 | 80.0 |" in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_the_page_of_the_reproduction_has_every_table(script: ModuleType):
    page = Path(__file__).resolve().parent.parent / "docs" / "reproduction.md"
    text = page.read_text(encoding="utf-8")
    for name in script.TABLES | script.LISTS:
        assert text.count(f"<!-- table: {name} -->") == 1


def test_rows_are_reproduced_where_the_published_figure_is_within_the_interval(script: ModuleType):
    found = {
        "ai2/paper-rules/paper": result(85.0, 15),  # the paper has 85.8
        "ai2/paper-rules/honest": result(40.0, 60),  # and 75.4 without the feature that tells the numbers
        "il/paper-rules+no-pos/paper": result(99.0, 1),  # and 81.0 without parts of speech
        "twins": result(60.0, 40) | {"wrong_unnamed": [["1"]]},  # and 73.2 for equations with gold numbers
    }
    within, outside = script.LISTS["reproduced"](found).split("\n")
    assert within.endswith("AI2: Text2Math.")
    assert "AI2: − id, −35.4 (" in outside
    assert "IL: − pos, +18.0 (" in outside
    assert "`unnamed`): 90.0, +25.8 (" in outside


def test_what_a_thing_is_worth_is_the_difference_with_it_and_without(script: ModuleType):
    found = {
        "il/paper/paper": result(66.0, 34),
        "il/paper-rules/paper": result(79.0, 21),
        "equations/paper/paper": result(55.0, 45) | {"wrong_unnamed": [["1", "2"]]},
        "twins": result(60.0, 40) | {"wrong_unnamed": [["1"]]},
    }
    rows = {row[0].split(":")[0]: row[1:] for row in script.TABLES["worth"](found)}
    assert rows["the rules"][0] == "–"
    assert rows["the rules"][1].startswith("+13.0 (")
    assert rows["the names of unknowns not compared (`unnamed`)"][2].startswith("+43.0 (")
    assert rows["and twins kept in training"][2].startswith("+1.0 (")
    steps = {row[0].split(":")[0]: row for row in script.TABLES["differences"](found)}
    assert steps["and the word list, rule 1"][3:] == ["79.0", rows["the rules"][1]]
    screen = {row[0].split(":")[0]: row for row in script.TABLES["on one screen"](found)}
    assert screen["`paper`"][1:] == ["–", "66.0", "55.0"]


def test_mistakes_are_listed_for_the_models_that_have_them(script: ModuleType):
    own = {"mistakes": 3, "kinds": {"wrong operator": 3}, "confusions": [["a - b read as a / b", 2]]}
    rows = script.TABLES["mistakes"]({"il/paper+best/paper": own, "ai2/paper+best/paper": result(80.0, 20)})
    assert rows == [["IL: 3", ""], ["a − b read as a ÷ b", "2"], ["*wrong operator*", "3"]]


@pytest.mark.slow
def test_the_tables_of_the_page_are_those_of_the_results(script: ModuleType):
    root = Path(__file__).resolve().parent.parent
    page = (root / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert script.with_tables(page, script.results_in(root / "experiments" / "results")) == page

"""The figures of experiments/figures.py: problems fall into bins, and each theme gets a file."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from fakes import experiment

pytest.importorskip("matplotlib", reason="the extra [plots] is not installed")

from text2math.data.readers import load
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return experiment("figures")


@pytest.mark.parametrize(("words", "expected"), [(5, "<20"), (20, "20–29"), (39, "30–39"), (40, "≥40")])
def test_lengths_fall_into_bins(script: ModuleType, words: int, expected: str):
    problem = read_problem(" ".join(["word"] * (words - 1) + ["7"]))
    assert script.by_length(Example(problem, from_infix("7[0]"))) == expected


def test_bins_come_in_the_order_of_what_they_hold(script: ModuleType):
    names = ["≥40", "20–29", "<20", "30–39"]
    assert sorted(names, key=script._rank) == ["<20", "20–29", "30–39", "≥40"]


def test_every_figure_that_has_results_is_drawn_light_and_dark(script: ModuleType, tmp_path: Path):
    own = load("corpus").with_folds(2)
    ids = [id for fold in own.folds for id in fold]
    one = {"accuracy": 90.0, "problems": len(ids), "wrong": [ids[:7]]}
    found = {"corpus/paper/paper": one, "corpus/paper+no-pos/paper": one | {"wrong": [ids[:9]]}}
    parts = {"corpus/paper/paper/0.5": {"accuracy": 80.0}}
    drawn = []
    for name, label, count, how in script.figures([own], found, parts):
        paths = {theme: [tmp_path / f"{name}-{theme}.svg"] for theme in script.THEMES}
        script.draw(how, count, label, paths)
        drawn.append(name)
        light, dark = (paths[theme][0].read_text(encoding="utf-8") for theme in ("light", "dark"))
        assert light.startswith("<?xml")
        assert "#0d1117" in dark
        assert "#0d1117" not in light
    assert drawn == ["curves", "operators", "length", "groups"]

"""A sample of the campaign of random cases."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def campaign() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "campaign.py"
    spec = importlib.util.spec_from_file_location("campaign", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_chart_agrees_with_brute_force_on_a_thousand_random_cases() -> None:
    said: list[str] = []
    assert campaign().run(1000, 20_000, said.append) == 0, said


@pytest.mark.slow
def test_a_case_that_fails_is_named_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = campaign()
    monkeypatch.setattr(module, "log_sum", lambda scores: 1.0)
    said: list[str] = []
    assert module.run(3, 7, said.append) == 3
    assert [line.split(":")[0] for line in said] == ["seed 7", "seed 8", "seed 9"]

"""The configuration of a model."""

from __future__ import annotations

import pytest

from text2math.model.config import ModelConfig


@pytest.mark.parametrize("margin", [0.0, -1.0])
def test_a_margin_that_would_leave_no_candidate_is_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="margin must be positive"):
        ModelConfig(margin=margin)


def test_at_least_one_candidate_is_ranked() -> None:
    with pytest.raises(ValueError, match="at_least must be at least 1"):
        ModelConfig(at_least=0)

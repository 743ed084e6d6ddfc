"""A packaged network is trained further."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fakes import with_distinct_weights
from text2math.data.stories import every_question
from text2math.data.stories.sheets import sheet_names
from text2math.inference.forest import LARGER_GRAMMAR
from text2math.model.encoder_model import exported_scorer
from text2math.model.files import SavedModel
from text2math.neural.evaluation import columns_of
from text2math.parser import load
from text2math.scorers.encoder import OnnxNetwork

pytest.importorskip("torch", reason="the extra [torch] is not installed")
pytest.importorskip("transformers", reason="the extra [torch] is not installed")
pytest.importorskip("onnx", reason="the extra [torch] is not installed")


@pytest.fixture(scope="module")
def base(encoder_folder: Path) -> SavedModel:
    """The packaged model with a tiny network."""
    from text2math.neural.export import to_onnx
    from text2math.neural.network import EncoderNetwork

    tokenizer = (encoder_folder / "tokenizer.json").read_bytes()
    exported = to_onnx(with_distinct_weights(EncoderNetwork.from_folder(encoder_folder)))
    scorer = exported_scorer(exported, tokenizer, columns=columns_of(LARGER_GRAMMAR))
    return SavedModel(replace(load("default").model, scorer=scorer), "tiny", {"notes": ["An earlier note."]})


@pytest.mark.slow
def test_a_network_trained_further_replaces_that_of_its_base_and_the_card_says_so(
    base: SavedModel, encoder_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from text2math.neural import further
    from text2math.neural.further import FurtherRecipe, train_further
    from text2math.neural.stages import Stages

    exercises = [story.example() for story in every_question("held_out", larger=None, beyond=True)][::60]
    monkeypatch.setattr(Stages, "held_out_exercises", lambda self: iter(exercises))
    monkeypatch.setattr(further, "mapped_sets", lambda data, work: [])
    monkeypatch.setattr(further, "load", lambda name: load_nothing())
    for name in ("tried", "examined"):
        monkeypatch.setattr(further, name, lambda saved: saved)
    told: list[str] = []
    recipe = FurtherRecipe(newer=72)
    saved = train_further(base, ["clock_times"], tmp_path, encoder_folder, tmp_path, recipe, tell=told.append)
    assert told[0].endswith(" lessons")
    networks = [one.model.scorer.network for one in (base, saved)]  # type: ignore[union-attr]
    assert all(isinstance(one, OnnxNetwork) for one in networks)
    assert networks[0].source != networks[1].source
    assert saved.model.reranker is base.model.reranker
    assert saved.card["sheets"] == sheet_names()
    first, second = saved.card["notes"]
    assert first.startswith("Trained further on 105 stories, 72 of them from 1 new sheets")
    assert f"of {len(exercises)} exercises" in first
    assert "--recipe further --base tiny.t2m" in saved.card["command"]
    assert "--stories 72" in saved.card["command"]
    assert "--sheet clock_times" in saved.card["command"]
    assert second == "An earlier note."

    # Trained further once more, it starts from its own file.
    assert "--base tiny.t2m" in saved.card["command"]
    assert "--base further.t2m" in further._command(saved, recipe, [])
    assert "--out further-2.t2m" in further._command(saved, recipe, [])

    # A second run takes everything from the folder.
    monkeypatch.setattr(Stages, "trained_further", lambda *arguments: pytest.fail("trained again"))
    again = train_further(base, ["clock_times"], tmp_path, encoder_folder, tmp_path, recipe, tell=told.append)
    assert again.card == saved.card


def load_nothing() -> object:
    """A data set without examples."""
    from text2math.data import Dataset

    return Dataset("corpus", ())


def test_stories_come_above_all_from_the_newer_sheets_with_random_seeds_of_their_own() -> None:
    from text2math.neural.further import FurtherRecipe

    recipe = FurtherRecipe(newer=7_200)
    requests = recipe.requests(["clock_times"])
    sheets = {one.generate.keywords["sheets"]: 0 for one in requests}  # type: ignore[attr-defined]
    for one in requests:
        sheets[one.generate.keywords["sheets"]] += one.count  # type: ignore[attr-defined]
    assert sheets == {("clock_times",): 7_200, "training": 3_300}
    assert len({one.seed for one in requests}) == len(requests)
    assert {one.generate.keywords["sheets"] for one in recipe.requests([])} == {"training"}  # type: ignore[attr-defined]


def test_newer_sheets_are_those_that_the_card_does_not_name() -> None:
    from text2math.neural.further import newer_sheets

    names = sheet_names()
    assert newer_sheets({"sheets": names[2:]}) == names[:2]
    assert newer_sheets({"sheets": names}) == newer_sheets({}) == []


def test_a_model_without_a_network_is_not_trained_further(tmp_path: Path) -> None:
    from text2math.neural.further import train_further

    with pytest.raises(ValueError, match="the model small has no network"):
        train_further(load("small").saved, [], tmp_path, tmp_path, tmp_path)

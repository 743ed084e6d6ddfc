"""Train the network of a packaged model further: on newer sheets, and on the data sets again.

A first stage takes a GPU; this takes half an hour on two cores. It starts from the weights of the packaged
network. Most of its stories are retold from the newer sheets, the others from all of them, so that it forgets
nothing, and every problem of the data sets comes once. The model is that network or its mean with the
packaged one: whichever reads more of the held-out sheets right. The reranker stays, and the probabilities are
calibrated anew on these sheets.

The network of a packaged model has been trained on all data sets, so that they can't measure this one: the
card keeps their figures, and says of which networks they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from text2math.data import load
from text2math.data.stories import generate
from text2math.data.stories.exercise import BEYOND
from text2math.data.stories.sheets import sheet_names
from text2math.learning.recipes import examined, tried
from text2math.model.encoder_model import AT_LEAST, MARGIN, exported_scorer
from text2math.model.files import SavedModel
from text2math.model.reranker import Reranker
from text2math.neural.evaluation import Evaluated, best_of, columns_of
from text2math.neural.export import to_onnx, weights_of
from text2math.neural.lessons import Lesson, StoryRequest, plain_requests, prepare_stories, story_requests
from text2math.neural.mapped import mapped_sets
from text2math.neural.network import EncoderNetwork
from text2math.neural.recipe import beyond_among, calibration, with_few_beyond
from text2math.neural.stages import EncoderRecipe, Stages, Tell, by_masked_text, with_unmapped
from text2math.neural.training import EncoderTraining
from text2math.scorers.encoder import EncoderScorer, OnnxNetwork

START = "stories"  # the stage that the later one starts from: here, the packaged network
FURTHER, MEAN = "further", "mean"  # the network trained here, and its mean with the packaged one
SEEDS = 500_000  # random seeds of these stories come after those of any first stage


@dataclass(frozen=True, slots=True)
class FurtherRecipe:
    """How much a packaged network learns further."""

    newer: int = 120_000  # stories of the newer sheets; seven or so for each of their questions
    varied: float = 0.4  # the share of the stories rewritten as somebody else would put it
    training: EncoderTraining = field(
        default_factory=lambda: EncoderTraining(
            epochs=1, batch=64, rate=8e-5, head_rate=1e-3, warm_up=0.06, hide_words=0.1, against_all=0.05
        )
    )

    @property
    def others(self) -> int:
        """Stories of all sheets to train on, so that nothing is forgotten."""
        return self.newer * 5 // 12

    @property
    def beyond(self) -> int:
        """Retold questions that nothing in the grammar answers."""
        return self.newer // 24

    def requests(self, newer: Sequence[str]) -> list[StoryRequest]:
        """The stories to tell."""
        all_sheets = partial(generate, sheets="training")
        found = [
            *story_requests(partial(generate, sheets=tuple(newer)), self.newer if newer else 0),
            *story_requests(all_sheets, self.others),
            *plain_requests(partial(all_sheets, kinds=[BEYOND]), self.beyond),
        ]
        return [
            replace(one, seed=SEEDS + 10_000 * number + one.seed, varied=self.varied)
            for number, one in enumerate(found)
        ]


def train_further(
    base: SavedModel,
    newer: Sequence[str],
    data: Path,
    encoder: Path,
    work: Path,
    recipe: FurtherRecipe | None = None,
    *,
    tell: Tell = print,
) -> SavedModel:
    """Train a packaged model further on the sheets called ``newer``; ``work`` keeps finished stages.

    ``encoder`` is the folder that the model's encoder once started from: its shape is read there.
    """
    recipe = recipe or FurtherRecipe()
    reranker, scorer = base.model.reranker, base.model.scorer
    network = scorer.network if isinstance(scorer, EncoderScorer) else None
    if not isinstance(network, OnnxNetwork) or reranker is None or not base.model.knowledge:
        raise ValueError(f"the model {base.name} has no network of the larger grammar to train further")
    stages = Stages(encoder, work, EncoderRecipe(later=recipe.training, varied=recipe.varied), tell)
    if not stages.done(START):
        start = EncoderNetwork.from_folder(encoder)
        start.load_state_dict(weights_of(network.source))
        stages.keep(START, start)
    if not stages.done(FURTHER):
        lessons = _lessons(stages, recipe.requests(newer), data)
        tell(f"{len(lessons):,} lessons")
        stages.trained_further(FURTHER, lessons, recipe.training)
    stages.mean(MEAN, [START, FURTHER])
    exercises = list(stages.held_out_exercises())
    found = {
        name: stages.evaluated(name, partial(stages.load, name), exercises) for name in (START, FURTHER, MEAN)
    }
    right = {name: _right(own, reranker) for name, own in found.items()}
    tell(f"right on {len(exercises):,} held-out exercises: {right}")
    chosen = max((MEAN, FURTHER), key=right.__getitem__)
    if right[chosen] < right[START]:
        tell(f"{base.name} as it was reads more of them right: better keep it, or train on more stories")
    exported = to_onnx(stages.load(chosen))
    by_others = with_few_beyond(found[chosen], beyond_among(exercises))
    temperature, none = calibration(by_others, reranker)
    columns = columns_of(stages.recipe.grammar)
    model = replace(
        base.model,
        config=replace(base.model.config, margin=MARGIN, at_least=AT_LEAST),
        scorer=exported_scorer(exported, stages.tokenizer, columns=columns),
        temperature=temperature,
        none_of_these=none,
    )
    note = _note(base, recipe, newer, chosen == MEAN, right[START], right[chosen], len(exercises))
    card = {
        **base.card,
        "sheets": sheet_names(),
        "notes": [note, *base.card.get("notes", ())],
        "command": "\n".join([*base.card.get("command", "").splitlines(), _command(base, recipe, newer)]),
    }
    return tried(examined(SavedModel(model, base.name, card)))


def newer_sheets(card: Mapping[str, Any]) -> list[str]:
    """The sheets that a model's card does not name among those it was trained on."""
    known = set(card.get("sheets", ()))
    return [name for name in sheet_names() if name not in known] if known else []


def _lessons(stages: Stages, requests: Sequence[StoryRequest], data: Path) -> list[Lesson]:
    """Stories, and each problem of the data sets once, numbers masked."""
    stories = prepare_stories(requests, stages.pieces, stages.recipe.grammar)
    sets = map(with_unmapped, mapped_sets(data, stages.work))
    problems = by_masked_text(example for one in [*sets, load("corpus")] for example in one.examples)
    return [*stories, *stages.lessons(list(problems.values()))]


def _right(evaluated: Sequence[Evaluated], reranker: Reranker) -> int:
    """How many texts are read right."""
    best = [(one, best_of(one, reranker)) for one in evaluated]
    return sum(at is not None and one.right[at] for one, at in best)


def _note(
    base: SavedModel,
    recipe: FurtherRecipe,
    newer: Sequence[str],
    mean: bool,
    before: int,
    right: int,
    exercises: int,
) -> str:
    stories = (recipe.newer if newer else 0) + recipe.others + recipe.beyond
    chosen = "its mean with the network before" if mean else "that network"
    lines = (
        f"Trained further on {stories:,} stories, {recipe.newer:,} of them from {len(newer)} new sheets, and",
        f"once on all data sets. The model is {chosen}, and reads {right:,} of {exercises:,} exercises",
        f"of held-out sheets right ({base.name} before: {before:,}). The exam and the changes to texts are",
        "this network's; the figures of data sets and the notes below are of those before.",
    )
    return "\n".join(lines)


def _command(base: SavedModel, recipe: FurtherRecipe, newer: Sequence[str]) -> str:
    """The command that makes the model from the file of its base, which may have been trained further too."""
    earlier = base.card.get("command", "").count(f"--recipe {FURTHER}")
    start = _file(earlier) if earlier else f"{base.name}.t2m"
    sheets = "".join(f" \\\n    --sheet {name}" for name in newer)
    return (
        f"text2math train --recipe {FURTHER} --base {start} --data DATA --encoder all-MiniLM-L6-v2 \\\n"
        f"    --stories {recipe.newer} --out {_file(earlier + 1)}{sheets}"
    )


def _file(times: int) -> str:
    """The file of a model that was trained further so many times."""
    return f"{FURTHER}.t2m" if times == 1 else f"{FURTHER}-{times}.t2m"

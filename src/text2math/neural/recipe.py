"""How the default model is made: stories first, then everything; judged on what it did not see; exported.

1. The encoder learns from generated stories alone.
2. Five times, it goes on with the data sets without a fifth of them (the paper's folds where a data set has
   them); what it makes of that fifth teaches the reranker and the temperature, and gives the card's figures.
3. Three times, with other seeds, it goes on with everything; the mean of the three is the model.

Every network that is done is kept in a folder, so that a run that was cut off goes on where it was.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from text2math.calibration import calibrated, expected_error, fit_temperature
from text2math.data import FORMATS, Dataset, load, mask_numbers
from text2math.data.distraction import distracted, remarks
from text2math.data.stories import generate
from text2math.model import is_right
from text2math.neural.export import to_onnx
from text2math.neural.model import RERANKER, EncoderModel
from text2math.neural.network import EncoderNetwork, TorchNetwork
from text2math.neural.training import EncoderProgress, EncoderTraining, Prepared, prepare, train
from text2math.parser import Parser, fit_presence
from text2math.plausibility import Candidate, Plausibility
from text2math.problem import Example
from text2math.scorers.encoder import EncoderScorer, WordPieces
from text2math.scorers.reading import Reading

Tell = Callable[[str], None]
WITH_FOLDS = ("ai2", "il", "equations")
SPLITS = 5


@dataclass(frozen=True, slots=True)
class EncoderRecipe:
    """The amounts."""

    stories: int = 54_000  # of the first stage, a third of them in minimal pairs
    mixed_in: int = 9_000  # of them, that go on in the later stages
    finals: int = 3  # networks whose mean is the model
    first: EncoderTraining = field(default_factory=lambda: EncoderTraining(epochs=3, batch=64, rate=1e-4))
    later: EncoderTraining = field(default_factory=lambda: EncoderTraining(epochs=4, batch=32))
    hidden_piece: str = "[MASK]"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a network made of an example it did not train on."""

    source: str
    reading: Reading
    candidates: tuple[Candidate, ...]
    right: tuple[bool, ...]


def bake_default(
    data: Path, encoder: Path, work: Path, recipe: EncoderRecipe | None = None, *, tell: Tell = print
) -> Parser:
    """Make the model from a folder of data sets and a Hugging Face folder; ``work`` keeps what is done."""
    kitchen = _Kitchen(encoder, work, recipe or EncoderRecipe(), tell)
    sets = [
        load(name, data, derived_sentences=True)
        for name, layout in FORMATS.items()
        if (data / layout.folder).is_dir() and not layout.selection
    ]
    kitchen.stories_alone()
    judged = [kitchen.split(sets, number) for number in range(SPLITS)]
    # Our own corpus stays out of the five, so that it can tell how they do on writing of another kind.
    whole = [*sets, load("corpus")]
    everything = list(_once(example for one in whole for example in one.examples).values())
    model = kitchen.final(everything)
    everyone = [one for part in judged for one in part]
    plausibility = _reranker(everyone)
    temperature = _temperature(everyone, plausibility)
    card = _figures(judged)
    presence = fit_presence(everything, model.config)
    return Parser(model.reranked(plausibility), "default", temperature, presence, card)


class _Kitchen:
    """The stages, each kept when it is done."""

    def __init__(self, encoder: Path, work: Path, recipe: EncoderRecipe, tell: Tell) -> None:
        work.mkdir(parents=True, exist_ok=True)
        self._encoder, self._work, self._recipe, self._tell = encoder, work, recipe, tell
        self._tokenizer = (encoder / "tokenizer.json").read_bytes()
        self._pieces = WordPieces(self._tokenizer)
        self._hidden = self._pieces.named(recipe.hidden_piece)
        self._stories: list[Prepared] = []

    def stories_alone(self) -> None:
        """The first stage."""
        paired = self._recipe.stories // 3
        plain = generate(self._recipe.stories - paired, seed=1)
        pairs = generate(paired, seed=1001, pairs=True)
        self._tell(f"{self._recipe.stories} stories")
        told = [story.example() for stories in (plain, pairs) for story in stories]
        self._stories = prepare(told, self._pieces)
        self._trained("stories", None, self._stories, self._recipe.first)

    def split(self, sets: Sequence[Dataset], number: int) -> list[Judged]:
        """A network without one part of the data sets, and what it makes of that part."""
        test = _held_out(sets, number)
        masks = {mask_numbers(example.problem.text) for example in test}
        pool = _once(example for one in sets for example in one.examples)
        kept = [example for mask, example in pool.items() if mask not in masks]
        network = self._later(f"split{number}", kept, seed=0)
        model = EncoderModel.around(EncoderScorer(TorchNetwork(network), self._pieces))
        return [_judge(model, example) for example in test]

    def final(self, examples: Sequence[Example]) -> EncoderModel:
        """The mean of the networks that saw everything, exported."""
        networks = [
            self._later(f"final{seed}", examples, seed=seed).state_dict()
            for seed in range(self._recipe.finals)
        ]
        mean = EncoderNetwork.from_folder(self._encoder)
        mean.load_state_dict(
            {
                name: torch.stack([one[name].cpu().float() for one in networks]).mean(0).to(tensor.dtype)
                for name, tensor in networks[0].items()
            }
        )
        return EncoderModel.of(to_onnx(mean), self._tokenizer)

    def _later(self, name: str, examples: Sequence[Example], seed: int) -> EncoderNetwork:
        rng = random.Random(seed)
        pool = remarks(examples)
        harder = [found[0] for example in examples if (found := distracted(example, rng, pool))]
        mixed = rng.sample(self._stories, min(self._recipe.mixed_in, len(self._stories)))
        prepared = prepare([*examples, *harder], self._pieces) + mixed
        return self._trained(name, "stories", prepared, replace(self._recipe.later, seed=seed))

    def _trained(
        self, name: str, start: str | None, prepared: Sequence[Prepared], config: EncoderTraining
    ) -> EncoderNetwork:
        """The network of a stage: trained now, or taken from the folder where it is done."""
        network = EncoderNetwork.from_folder(self._encoder)
        done = self._work / f"{name}.pt"
        if done.exists():
            network.load_state_dict(torch.load(done, weights_only=True))
            return network.eval()
        if start is not None:
            network.load_state_dict(torch.load(self._work / f"{start}.pt", weights_only=True))

        def report(progress: EncoderProgress) -> None:
            self._tell(f"{name}: step {progress.step} of {progress.steps}, loss {progress.loss:.3f}")

        checkpoint = self._work / f"{name}.checkpoint"
        train(network, prepared, config, hidden_piece=self._hidden, report=report, checkpoint=checkpoint)
        torch.save({key: tensor.cpu() for key, tensor in network.state_dict().items()}, done)
        checkpoint.unlink(missing_ok=True)
        return network


def _once(examples: Iterable[Example]) -> dict[str, Example]:
    """The examples by their text, numbers masked; of copies the first."""
    found: dict[str, Example] = {}
    for example in examples:
        found.setdefault(mask_numbers(example.problem.text), example)
    return found


def _held_out(sets: Sequence[Dataset], number: int) -> list[Example]:
    """One part of every data set: its own fold where it is one of the paper's, else a fifth of its texts."""
    paper = [one for one in sets if one.name in WITH_FOLDS]
    others = _once(example for one in sets if one.name not in WITH_FOLDS for example in one.examples)
    known = {mask_numbers(example.problem.text) for one in paper for example in one.examples}
    folds = [one.fold(number)[1] for one in paper if number < len(one.folds)]
    rest = [
        example
        for mask, example in others.items()
        if mask not in known and zlib.crc32(mask.encode()) % SPLITS == number
    ]
    return [*(example for fold in folds for example in fold), *rest]


def _judge(model: EncoderModel, example: Example) -> Judged:
    found = model.chart_candidates(example.problem)
    reading = Reading.of(example.problem, model.config.features.lexicon)
    return Judged(example.source, reading, found, tuple(is_right(one, example) for one in found))


def _reranker(judged: Sequence[Judged]) -> Plausibility:
    some = [one for one in judged if one.candidates]
    return Plausibility.fit(
        [one.reading for one in some],
        [one.candidates for one in some],
        [one.right for one in some],
        RERANKER,
    )


def _scores(one: Judged, plausibility: Plausibility) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(plausibility.scores(one.reading, one.candidates))


def _temperature(judged: Sequence[Judged], plausibility: Plausibility) -> float:
    scored = [(_scores(one, plausibility), one.right) for one in judged if one.candidates]
    return fit_temperature([scores for scores, _ in scored], [right[int(s.argmax())] for s, right in scored])


def _figures(judged: Sequence[Sequence[Judged]]) -> dict[str, object]:
    """Each part judged with the reranker and the temperature of the others."""
    tallies: dict[str, list[int]] = {}
    given: list[float] = []
    marks: list[bool] = []
    for number, part in enumerate(judged):
        others = [one for at, other in enumerate(judged) if at != number for one in other]
        plausibility = _reranker(others)
        temperature = _temperature(others, plausibility)
        for one in part:
            scores = _scores(one, plausibility) if one.candidates else np.empty(0)
            right = bool(len(scores)) and one.right[int(scores.argmax())]
            given.append(float(calibrated(scores, temperature).max()) if len(scores) else 0.0)
            marks.append(right)
            for group in ("all", one.source):
                tally = tallies.setdefault(group, [0, 0])
                tally[0] += right
                tally[1] += 1
    curve = [_at_least(least, given, marks) for least in (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)]
    return {
        "judged": {group: {"right": right, "all": count} for group, (right, count) in tallies.items()},
        "calibration_error": expected_error(given, marks),
        "curve": curve,
    }


def _at_least(least: float, given: Sequence[float], marks: Sequence[bool]) -> dict[str, float]:
    """How many problems get an answer of at least this probability, and how many of these are right."""
    answered = [mark for probability, mark in zip(given, marks, strict=True) if probability >= least]
    return {
        "min_probability": least,
        "coverage": round(100 * len(answered) / len(marks), 1),
        "accuracy": round(100 * sum(answered) / max(1, len(answered)), 1),
    }

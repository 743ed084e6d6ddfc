"""What does a network learn from stories alone, which are exercises retold?

    python experiments/stories.py --encoder FOLDER --data DIR [--count N] [--epochs E] [--seed S]
        [--equations M] [--share PATTERN=PART] [--only exercises] [--out FILE] [--work FOLDER]

Trains the encoder on N stories of the sheets that the default model's first stage uses. No story is a copy of
a test problem, numbers masked. The network is then tested, without a reranker, on the exam, on the sheets
that the first stage leaves out, and on AI2, IL and the equations: given the text alone, is the chart's best
candidate right? With ``--equations``, M of the N stories state an equation; else as many as come up.
With ``--share 'short_*=0.5'``, half of the stories are from the sheets whose names match; repeat it for more.

FILE gets a record for each network as soon as it is tested, beside those of earlier runs with other settings
or other sheets. ``verdicts`` has a 1 for each problem that was right, in the order of the test set;
``compared`` counts the problems that only one of two networks got right. ``--work`` keeps networks and their
answers, so an interrupted run loses little.

Records without ``questions`` are of version 0.1.0, whose stories also came from families: templates in the
program, which that comparison retired. They were tested on held-out exercises with other numbers, so they are
compared with each other only.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain, combinations, islice
from pathlib import Path
from typing import Any

import torch

from text2math import __version__
from text2math.data import load
from text2math.data.stories import Story, every_question, generate
from text2math.data.stories.exercise import BEYOND, EQUATION, KINDS
from text2math.data.stories.sheets import exercises, sheet_names
from text2math.evaluation.tables import command_line
from text2math.language.problem import Example
from text2math.mathematics.expression import is_equation
from text2math.neural.evaluation import Evaluated
from text2math.neural.lessons import Lesson, StoryRequest, plain_requests, prepare_stories, story_requests
from text2math.neural.network import EncoderNetwork
from text2math.neural.stages import EncoderRecipe, Stages
from text2math.neural.training import EncoderProgress, EncoderTraining, train

MIXES = ("exercises",)  # what a network may learn from
PUBLIC = ("ai2", "il", "equations")
ABOUT = (
    "Networks that learned from stories alone. 'families' are templates of version 0.1.0, in the history of "
    "the repository; 'questions' is the number of questions in the sheets that stories were retold from."
)
SEED_STEP = 100_000  # more than the seeds of one network's stories span
STARTED = time.perf_counter()

Tests = Mapping[str, Sequence[Example]]


def say(line: str) -> None:
    print(f"{time.perf_counter() - STARTED:6.1f} s  {line}", flush=True)


@dataclass(frozen=True, slots=True)
class Experiment:
    """One network: what it learns from, how much of it, for how long."""

    mix: str
    count: int
    epochs: int
    seed: int
    equations: int | None = None  # how many of the stories state one; None: as many as come up
    shares: tuple[tuple[str, float], ...] = ()  # parts of the stories from sheets whose names match a pattern

    @property
    def recipe(self) -> EncoderRecipe:
        """A first stage with this experiment's amounts, under the paper's grammar as those of 0.1.0."""
        first = EncoderTraining(epochs=self.epochs, batch=64, rate=1e-4, seed=self.seed, against_all=1.0)
        return EncoderRecipe(stories=self.count, first=first, paper_grammar=True)

    def stories(self, avoid: Sequence[str]) -> list[StoryRequest]:
        """The stories to generate, without copies of the texts in ``avoid``."""
        generator = partial(generate, larger=False, sheets="training", avoid=avoid)
        if self.shares:
            requests = []
            for pattern, part in self.shares:
                own = tuple(fnmatch.filter(sheet_names(), pattern))
                # Few exercises have two equations, so there are no minimal pairs of them.
                paired = any(one.kind != EQUATION for one in exercises(own))
                requested = story_requests if paired else plain_requests
                requests += requested(partial(generator, sheets=own), round(part * self.count))
            requests += story_requests(generator, self.count - sum(one.count for one in requests))
        elif self.equations is None:
            requests = story_requests(generator, self.count)
        else:
            others = [kind for kind in KINDS if kind not in (EQUATION, BEYOND)]
            # Few exercises have two equations, so there are no minimal pairs of them.
            requests = plain_requests(partial(generator, kinds=[EQUATION]), self.equations)
            requests += story_requests(partial(generator, kinds=others), self.count - self.equations)
        return [replace(one, seed=one.seed + SEED_STEP * self.seed) for one in requests]

    @property
    def name(self) -> str:
        """Of the files that keep the network."""
        more = [str(one) for one in (self.equations, *self.shares) if one is not None]
        return re.sub(r"\W+", "-", "-".join([self.mix, *more]))

    def run(self, encoder: Path, work: Path, tests: Tests) -> dict[str, Any]:
        """Prepare, train and test a network; the record of it."""
        stages = Stages(encoder, work, self.recipe, say)
        problems = list(chain.from_iterable(tests.values()))
        began = time.perf_counter()
        lessons = prepare_stories(self.stories([one.problem.text for one in problems]), stages.pieces)
        prepared = time.perf_counter()
        say(f"{self.mix}: {len(lessons)} of {self.count} stories prepared in {prepared - began:.1f} s")
        if not stages.done(self.name):
            self._train(stages, lessons)
        trained = time.perf_counter()
        say(f"{self.mix}: trained in {trained - prepared:.1f} s")
        evaluated = stages.evaluated(self.name, partial(stages.load, self.name), problems)
        tested = time.perf_counter()
        say(f"{self.mix}: {len(evaluated)} problems tested in {tested - trained:.1f} s")
        seconds = {"prepare": prepared - began, "train": trained - prepared, "test": tested - trained}
        return {
            "mix": self.mix,
            "questions": sum(len(one.questions) for one in exercises("training")),
            "count": self.count,
            **({} if self.equations is None else {"equations": self.equations}),
            **({"shares": dict(self.shares)} if self.shares else {}),
            "trained_on": len(lessons),  # the others have no text-math tree
            "roots": dict(
                Counter(gold.states[gold.roots[0]].symbol.name for one in lessons if (gold := one.gold))
            ),
            "epochs": self.epochs,
            "seed": self.seed,
            "command": command_line("python experiments/stories.py"),
            "version": __version__,
            "date": date.today().isoformat(),
            "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
            "seconds": {name: round(value, 1) for name, value in seconds.items()},
            **marks(tests, evaluated),
        }

    def _train(self, stages: Stages, lessons: Sequence[Lesson]) -> None:
        def report(progress: EncoderProgress) -> None:
            say(f"{self.mix}: step {progress.step} of {progress.steps}, loss {progress.loss:.3f}")

        torch.manual_seed(self.seed)  # one of the heads starts at random
        network = EncoderNetwork.from_folder(stages.encoder)
        checkpoint = stages.work / f"{self.name}.{self.recipe.key}.checkpoint"
        hidden = stages.pieces.named(self.recipe.hidden_piece)
        train(network, lessons, self.recipe.first, hidden_piece=hidden, report=report, checkpoint=checkpoint)
        stages.keep(self.name, network)
        checkpoint.unlink(missing_ok=True)


def test_sets(data: Path) -> dict[str, Sequence[Example]]:
    """The problems to test on, by name."""
    exam = load("exam").examples
    return {
        "exam, arithmetic": [one for one in exam if not _states_equation(one)],
        "exam, equations": [one for one in exam if _states_equation(one)],
        "held-out sheets": [*map(Story.example, every_question("held_out", larger=False))],
        **{name: load(name, data).examples for name in PUBLIC},
    }


def _states_equation(example: Example) -> bool:
    return example.expression is not None and is_equation(example.expression)


def marks(tests: Tests, evaluated: Sequence[Evaluated]) -> dict[str, Any]:
    """How many problems of each test set were right, and which."""
    remaining = iter(evaluated)
    verdicts = {
        name: "".join("1" if one.right[:1] == (True,) else "0" for one in islice(remaining, len(own)))
        for name, own in tests.items()
    }
    accuracy = {
        name: {"right": own.count("1"), "all": len(own), "percent": round(100 * own.count("1") / len(own), 2)}
        for name, own in verdicts.items()
    }
    return {"accuracy": accuracy, "verdicts": verdicts}


def write(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record to the results, in the place of an earlier one with the same settings."""
    earlier = json.loads(path.read_text(encoding="utf-8"))["networks"] if path.exists() else []
    networks = [*(one for one in earlier if _settings(one) != _settings(record)), dict(record)]
    report = {"about": ABOUT, "compared": compared(networks), "networks": networks}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{json.dumps(report, indent=1)}\n", encoding="utf-8")


_SETTINGS = ("count", "epochs", "seed", "mix", "questions", "equations", "shares")


def _settings(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(record.get(name) for name in _SETTINGS)


def _label(record: Mapping[str, Any]) -> str:
    counts = [f"{record[name]} {name}" for name in ("questions", "equations") if name in record]
    shares = [f"{part:.0%} of {pattern}" for pattern, part in record.get("shares", {}).items()]
    return ", ".join([record["mix"], *counts, *shares])


def compared(networks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For any two networks with the same settings: how many problems of each test set only one got right."""
    return [
        {
            "count": one["count"],
            "epochs": one["epochs"],
            "seed": one["seed"],
            "only_one_right": {
                name: {
                    _label(one): _only_first(own, two["verdicts"][name]),
                    _label(two): _only_first(two["verdicts"][name], own),
                }
                for name, own in one["verdicts"].items()
                if len(own) == len(two["verdicts"][name])  # held-out sheets may have been added in between
            },
        }
        for one, two in combinations(networks, 2)
        if _settings(one)[:3] == _settings(two)[:3] and ("questions" in one) == ("questions" in two)
    ]


def _only_first(first: str, second: str) -> int:
    return sum(one > two for one, two in zip(first, second, strict=True))


def share_of(text: str) -> tuple[str, float]:
    """Read an option such as ``short_*=0.5``."""
    pattern, _, part = text.rpartition("=")
    return pattern, float(part)


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--equations", type=int)
    parser.add_argument("--share", metavar="PATTERN=PART", action="append", default=[], type=share_of)
    parser.add_argument("--only", choices=MIXES, action="append")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "stories.json")
    parser.add_argument("--work", type=Path, help="by default FILE with the suffix .work")
    return parser.parse_args()


def main() -> None:
    given = options()
    tests = test_sets(given.data)
    say("; ".join(f"{name}: {len(own)}" for name, own in tests.items()))
    work = given.work or given.out.with_suffix(".work")
    for mix in given.only or MIXES:
        experiment = Experiment(
            mix, given.count, given.epochs, given.seed, given.equations, tuple(given.share)
        )
        record = experiment.run(given.encoder, work, tests)
        write(given.out, record)
        say("; ".join(f"{name}: {one['percent']} %" for name, one in record["accuracy"].items()))


if __name__ == "__main__":
    main()

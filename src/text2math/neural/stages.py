"""The stages of training a contextual model.

In the first stage, if there is one, a network learns from stories (exercises, retold). In the later stage it
learns from problems, from copies of them with an irrelevant number added, from some of the stories, and from
sheets of exercises that the first stage held out. Its candidates on these sheets after the first stage
estimate its accuracy on texts by other authors, and train the reranker.

Finished stages are kept in a folder, so that an interrupted run resumes, on this machine or another.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import load_file, save_file

from text2math.data import Dataset, load, mask_numbers
from text2math.data.distraction import Remark, distracted
from text2math.data.stories import Story, every_question, generate
from text2math.data.stories.exercise import BEYOND
from text2math.data.variation import varied
from text2math.inference.forest import LARGER_GRAMMAR, PAPER_GRAMMAR, Grammar
from text2math.language.problem import Example, Problem
from text2math.model.encoder_model import RERANKER
from text2math.model.reranker import RerankerConfig
from text2math.neural.evaluation import Evaluated, evaluate_network
from text2math.neural.lessons import (
    Lesson,
    StoryRequest,
    plain_requests,
    prepare,
    prepare_each,
    prepare_stories,
    story_remarks,
    story_requests,
)
from text2math.neural.network import EncoderNetwork, TorchNetwork
from text2math.neural.training import EncoderProgress, EncoderTraining, train, training_device
from text2math.parallel import available_cores, run_parallel
from text2math.scorers.encoder import WordPieces

Tell = Callable[[str], None]
WITH_FOLDS = ("ai2", "il", "equations", "alg514", "draw", "dolphin1878")
SPLITS = 5
REMARKS = 3000  # stories whose sentences are added to problems
CORES_PER_NETWORK = 4  # that keep a GPU busy while it trains one network


@dataclass(frozen=True, slots=True)
class EncoderRecipe:
    """What a contextual model learns from, and how.

    Finished stages are found by the values of all fields but ``finals``, ``reranker``, ``processes``
    and ``sixteen_bits``.
    """

    stories: int = 620_000  # exercises retold, a third of them in minimal pairs; 0: no first stage
    larger: int = 730_000  # retold exercises that need the larger grammar
    beyond: int = 70_000  # retold questions that nothing in the grammar answers
    mixed_in: int = 16_000  # how many of all these are in the later stage too
    held_out: bool = True  # whether some sheets are never trained on, for the reranker and calibration
    varied: float = 0.4  # the share of the stories rewritten as somebody else would put it
    finals: int = 3  # networks trained on everything, whose mean with those of the splits is the model
    seeds: int = 3  # networks of each split; their mean is evaluated, because the model is a mean too
    first: EncoderTraining = field(
        default_factory=lambda: EncoderTraining(
            epochs=5,
            batch=384,
            rate=2.3e-4,
            head_rate=2.8e-3,
            warm_up=0.06,
            hide_words=0.1,
            against_all=0.05,
        )
    )
    later: EncoderTraining = field(
        default_factory=lambda: EncoderTraining(epochs=2, batch=64, rate=1e-4, against_all=0.15)
    )
    hidden_piece: str = "[MASK]"
    reranker: RerankerConfig = RERANKER
    paper_grammar: bool = False  # without systems, implied numbers and rounding

    @property
    def grammar(self) -> Grammar:
        """The grammar of the model."""
        return PAPER_GRAMMAR if self.paper_grammar else LARGER_GRAMMAR

    @property
    def key(self) -> str:
        """A hash of everything that networks differ in.

        The reranker is trained afterwards; processes only share the work, and 16 bits round it.
        """
        parts = {name: one for name, one in asdict(self).items() if name not in ("finals", "reranker")}
        for stage in ("first", "later"):
            del parts[stage]["processes"], parts[stage]["sixteen_bits"]
        return blake2b(repr(parts).encode("utf-8"), digest_size=4).hexdigest()


class Job(NamedTuple):
    """A network to train in the later stage."""

    name: str
    examples: Sequence[Example]
    seed: int = 0


class Stages:
    """Trains networks stage by stage; each is kept in a file under its name when it is done."""

    def __init__(self, encoder: Path, work: Path, recipe: EncoderRecipe, tell: Tell = print) -> None:
        work.mkdir(parents=True, exist_ok=True)
        self.encoder, self.work, self.recipe, self._tell = encoder, work, recipe, tell
        self.tokenizer = (encoder / "tokenizer.json").read_bytes()
        self.pieces = WordPieces(self.tokenizer)
        self._read: dict[tuple[str, str], list[Lesson]] = {}

    def stories(self) -> EncoderNetwork:
        """The network of the first stage, which learns from stories alone."""
        return self._trained("stories", None, lambda: self._first_stories, self.recipe.first)

    @cached_property
    def _first_stories(self) -> list[Lesson]:
        """The stories of the first stage."""
        recipe = self.recipe
        from_sheets = partial(generate, sheets="training" if recipe.held_out else "all")
        requests = story_requests(partial(from_sheets, larger=False), recipe.stories)
        if not recipe.paper_grammar:
            requests += story_requests(partial(from_sheets, larger=True), recipe.larger)
            requests += plain_requests(partial(from_sheets, kinds=[BEYOND]), recipe.beyond)
        requests = [replace(one, varied=recipe.varied) for one in requests]
        found = prepare_stories(requests, self.pieces, recipe.grammar)
        self._tell(f"{len(found)} stories read")
        return found

    def later(self, name: str | None, examples: Sequence[Example], seed: int = 0) -> EncoderNetwork:
        """A network trained on examples, after the first stage if there is one; kept if it has a name."""
        if name is not None and self.done(name):
            return self.load(name)
        if self.recipe.stories:
            self.stories()
        lessons = [*self.lessons(examples), *self._later_stories(seed)]
        return self.trained_further(name, lessons, replace(self.recipe.later, seed=seed))

    def train_later(self, jobs: Sequence[Job]) -> None:
        """Train networks in the later stage; in parallel if there are a GPU and many cores."""
        left = [job for job in jobs if not self.done(job.name)]
        workers = min(len(left), available_cores() // CORES_PER_NETWORK) if torch.cuda.is_available() else 1
        if workers < 2:
            for name, examples, seed in left:
                self.later(name, examples, seed)
            return
        if self.recipe.stories:
            self.stories()
        threads = available_cores() // workers
        calls = [
            (
                (self.encoder, self.work, self.recipe, self._tell),
                name,
                [*self.lessons(examples), *self._later_stories(seed)],
                replace(self.recipe.later, seed=seed, threads=threads, processes=1),
            )
            for name, examples, seed in left
        ]
        for _ in run_parallel(_train_in_process, calls, workers=workers):
            pass

    def _later_stories(self, seed: int) -> list[Lesson]:
        """The stories of the later stage: a sample of the first stage's."""
        if not self.recipe.stories:
            return []
        count = min(self.recipe.mixed_in, len(self._first_stories))
        return random.Random(seed).sample(self._first_stories, count)

    def lessons(self, examples: Sequence[Example]) -> list[Lesson]:
        """The lessons of examples and of harder copies of them; an example is read once for all networks."""
        if not self.recipe.stories:
            return prepare(examples, self.pieces, grammar=self.recipe.grammar)
        wanted = [example for example in examples if _key(example) not in self._read]
        harder = partial(_harder, pool=self._remarks, share=self.recipe.varied)
        read = prepare_each(wanted, harder, self.pieces, self.recipe.grammar)
        self._read |= {_key(one): own for one, own in zip(wanted, read, strict=True)}
        return [lesson for example in examples for lesson in self._read[_key(example)]]

    @cached_property
    def _remarks(self) -> tuple[Remark, ...]:
        """Distracting sentences, taken from stories so that no problem's text leaks into another split."""
        from_sheets = partial(generate, larger=False, sheets="training")
        return story_remarks([StoryRequest(from_sheets, REMARKS // 12, seed) for seed in range(12)])

    def trained_further(
        self, name: str | None, lessons: Sequence[Lesson], config: EncoderTraining
    ) -> EncoderNetwork:
        """A network that starts from that of the first stage, if there is one."""
        start = "stories" if self.recipe.stories else None
        return self._trained(name, start, lambda: lessons, config)

    def done(self, name: str) -> bool:
        """Whether a stage is done."""
        return self._file(name).exists()

    def load(self, name: str) -> EncoderNetwork:
        """A network that is done."""
        network = EncoderNetwork.from_folder(self.encoder)
        network.load_state_dict({key: one.float() for key, one in load_file(self._file(name)).items()})
        return network.to(training_device()).eval()

    def keep(self, name: str, network: EncoderNetwork, *, half: bool = False) -> None:
        """Save a network, with ``half`` in half precision."""
        tensors = {
            key: tensor.detach().cpu().to(torch.float16 if half else torch.float32).contiguous()
            for key, tensor in network.state_dict().items()
        }
        unfinished = self._file(name).with_suffix(".part")
        save_file(tensors, unfinished)
        unfinished.replace(self._file(name))

    def _file(self, name: str, ending: str = "safetensors") -> Path:
        # The key keeps the files of different recipes apart.
        return self.work / f"{name}.{self.recipe.key}.{ending}"

    def _trained(
        self,
        name: str | None,
        start: str | None,
        lessons: Callable[[], Sequence[Lesson]],
        config: EncoderTraining,
    ) -> EncoderNetwork:
        """The network of a stage: loaded if it is done, else trained."""
        if name is not None and self.done(name):
            return self.load(name)
        torch.manual_seed(config.seed)
        network = EncoderNetwork.from_folder(self.encoder) if start is None else self.load(start)

        def report(progress: EncoderProgress) -> None:
            self._tell(
                f"{name or 'a fold'}: step {progress.step} of {progress.steps}, loss {progress.loss:.3f}, "
                f"{progress.seconds:.0f} s"
            )

        hidden = self.pieces.named(self.recipe.hidden_piece)
        checkpoint = None if name is None else self._file(name, "checkpoint")
        train(
            network,
            lessons(),
            config,
            hidden_piece=hidden,
            grammar=self.recipe.grammar,
            report=report,
            checkpoint=checkpoint,
        )
        if name is not None and checkpoint is not None:
            self.keep(name, network)
            checkpoint.unlink(missing_ok=True)
        return network

    def evaluated(
        self, name: str, network: Callable[[], EncoderNetwork], examples: Iterable[Example]
    ) -> list[Evaluated]:
        """A network's candidates on examples, kept in a file; if it exists, neither argument is used."""
        path = self._file(name, "jsonl")
        if path.exists():
            return [Evaluated.from_line(line) for line in path.read_text(encoding="utf-8").splitlines()]
        grammar = self.recipe.grammar
        found = evaluate_network(TorchNetwork(network()), self.pieces, list(examples), grammar)
        unfinished = path.with_suffix(".part")
        unfinished.write_text("".join(f"{one.to_line()}\n" for one in found), encoding="utf-8")
        unfinished.replace(path)
        return found

    def unevaluated(self, parts: Sequence[Split]) -> list[Job]:
        """The networks of the splits that have not been evaluated yet, one for each random seed."""
        return [
            Job(name, one.train, seed)
            for one in parts
            if not self._file(one.name, "jsonl").exists()
            for seed, name in enumerate(self._seeds_of(one))
        ]

    def evaluated_splits(self, parts: Sequence[Split]) -> list[list[Evaluated]]:
        """The candidates of each split's mean network on the problems that the split holds out."""
        self.train_later(self.unevaluated(parts))
        return [self.evaluated(one.name, partial(self._of_split, one), one.test) for one in parts]

    def evaluated_seeds(self, parts: Sequence[Split]) -> list[list[list[Evaluated]]]:
        """For each random seed and split, one network's candidates on the data sets that have folds."""
        return [
            [
                self.evaluated(
                    name, partial(self.load, name), (own for own in one.test if own.source in WITH_FOLDS)
                )
                for one, name in zip(parts, names, strict=True)
            ]
            for names in zip(*map(self._seeds_of, parts), strict=True)
        ]

    def _seeds_of(self, part: Split) -> list[str]:
        return [f"{part.name}-seed{seed}" for seed in range(self.recipe.seeds)]

    def _of_split(self, part: Split) -> EncoderNetwork:
        return self.mean(part.name, self._seeds_of(part))

    def mean(self, name: str, names: Sequence[str]) -> EncoderNetwork:
        """The mean of networks, in half precision: the export has only 8 bits.

        They start from the same first stage, so that their mean is better than each of them.
        """
        if not self.done(name):
            mean = EncoderNetwork.from_folder(self.encoder)
            networks = [self.load(one).cpu().state_dict() for one in names]
            mean.load_state_dict(
                {
                    key: torch.stack([one[key].float() for one in networks]).mean(0).to(tensor.dtype)
                    for key, tensor in networks[0].items()
                }
            )
            self.keep(name, mean, half=True)
        return self.load(name)

    def evaluated_harder(self, parts: Sequence[Split]) -> list[list[Evaluated]]:
        """The candidates of each split's mean on copies of its test problems with an irrelevant number.

        Only rerankers learn from these. Few problems have a number that does not matter, and a reranker that
        sees only the others learns to prefer candidates that use every number.
        """
        if not self.recipe.stories:
            return []
        times = Counter(mask_numbers(example.problem.text) for one in parts for example in one.test)
        return [
            self.evaluated(f"{one.name}-harder", partial(self._of_split, one), self._copies(one, times))
            for one in parts
        ]

    def _copies(self, part: Split, times: Mapping[str, int]) -> Iterator[Example]:
        """Harder copies of the test problems of a split that no other split has, numbers masked."""
        for example in part.test:
            if times[mask_numbers(example.problem.text)] == 1:
                found = distracted(example, _own_rng(example), self._remarks)
                if found is not None:
                    yield found[0]

    def evaluated_first_stage(self, parts: Sequence[Split]) -> list[Evaluated]:
        """The first stage's candidates on all test problems of the splits, and on held-out sheets."""
        examples = chain((example for one in parts for example in one.test), self.held_out_exercises())
        return self.evaluated("stories", self.stories, examples)

    def held_out_exercises(self) -> Iterator[Example]:
        """The exercises of the sheets that no network is trained on, told once each."""
        if self.recipe.held_out:
            larger = False if self.recipe.paper_grammar else None
            yield from map(Story.example, every_question("held_out", larger=larger, beyond=larger is None))


def _train_in_process(
    arguments: tuple[Path, Path, EncoderRecipe, Tell],
    name: str,
    lessons: Sequence[Lesson],
    config: EncoderTraining,
) -> None:
    """Train a network of the later stage in a process of its own, which saves it in the folder."""
    Stages(*arguments).trained_further(name, lessons, config)


def _key(example: Example) -> tuple[str, str]:
    return example.problem.id, example.problem.text


def _own_rng(example: Example) -> random.Random:
    """A random generator that depends on nothing but the text, so that copies are the same in every run."""
    return random.Random(zlib.crc32(example.problem.text.encode("utf-8")))


def _harder(example: Example, pool: Sequence[Remark], share: float) -> list[Example]:
    """A copy of the example with an irrelevant number; for a share, also one as if typed carelessly."""
    rng = _own_rng(example)
    found = distracted(example, rng, pool)
    again = varied(example, rng) if rng.random() < 2 * share else None
    return [*([found[0]] if found else []), *([again] if again else [])]


def by_masked_text(examples: Iterable[Example]) -> dict[str, Example]:
    """The examples by their text with numbers masked; only the first of several copies."""
    found: dict[str, Example] = {}
    for example in examples:
        found.setdefault(mask_numbers(example.problem.text), example)
    return found


def pooled(examples: Iterable[Example], test: Iterable[Problem]) -> list[Example]:
    """The examples, once each, without those that are also test problems, numbers masked."""
    masks = {mask_numbers(problem.text) for problem in test}
    return [example for mask, example in by_masked_text(examples).items() if mask not in masks]


def held_out(sets: Sequence[Dataset], number: int) -> list[Example]:
    """One part of every data set: its fold of this number if it has folds, else a fifth of its texts."""
    paper = [one for one in sets if one.name in WITH_FOLDS]
    others = by_masked_text(example for one in sets if one.name not in WITH_FOLDS for example in one.examples)
    known = {mask_numbers(example.problem.text) for one in paper for example in one.examples}
    folds = [one.fold(number)[1] for one in paper if number < len(one.folds)]
    rest = [
        example
        for mask, example in others.items()
        if mask not in known and zlib.crc32(mask.encode()) % SPLITS == number
    ]
    return [*(example for fold in folds for example in fold), *rest]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A part of every data set to test on, and the other problems to train on."""

    name: str  # of the mean of the networks that are trained and tested on these
    train: list[Example]
    test: list[Example]


def with_unmapped(dataset: Dataset) -> Dataset:
    """The data set with its unmapped problems as examples without gold (beyond the grammar)."""
    unmapped = (failure.problem for failure in dataset.problems_failed if failure.problem is not None)
    more = tuple(Example(problem, None, source=dataset.name) for problem in unmapped)
    return replace(dataset, examples=(*dataset.examples, *more))


def splits(sets: Sequence[Dataset]) -> list[Split]:
    """The five splits. Our own corpus is only tested on: its texts are of another kind."""
    pool = [example for one in sets for example in one.examples]
    tests = [held_out([*sets, load("corpus")], number) for number in range(SPLITS)]
    return [
        Split(f"split{number}", pooled(pool, [example.problem for example in test]), test)
        for number, test in enumerate(tests)
    ]

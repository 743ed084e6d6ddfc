"""The parser: a text in, its mathematics out. The public face of the library.

>>> parser = load()
>>> parse = parser.parse("Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?")
>>> str(parse), parse.answer
('7 + 3 = 10', Fraction(10, 1))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest, check_size, quantities_used
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.annotations import Annotations
from text2math.language.formulas import written_mathematics
from text2math.language.problem import Example, Problem, read_problem
from text2math.learning.optimise import Report
from text2math.learning.targets import answer_of, swap_names
from text2math.mathematics.algebra import solve
from text2math.mathematics.expression import Expression, is_equation, numbers
from text2math.model import files as model_files
from text2math.model.calibration import calibrated
from text2math.model.files import SavedModel
from text2math.model.model import Model, ModelConfig, fit, merge
from text2math.model.presence import LEAST, Presence, texts_without
from text2math.model.reranker import Candidate
from text2math.model.storage import FILE_SUFFIX
from text2math.parse import Alternative, Parse, Phrase, QuantityUse

# The contextual model where its runtime is there (it is not on every platform), else the discrete one.
DEFAULT_MODEL = "default" if all(map(find_spec, ("onnxruntime", "tokenizers"))) else "small"
TOP = 5
# Added to the score of using a number that must be used. No tree uses a number twice, so all trees that use
# it gain the same, the others fall behind by e⁶⁰, and what is left is the distribution given that use.
MUST_USE = 60.0


@dataclass(frozen=True, eq=False)
class Analysis:
    """A text on its way through the model: potentials, and the readings ranked, the best first."""

    problem: Problem
    potentials: Potentials
    readings: tuple[Alternative, ...]  # symbols and names as the model has them


@dataclass(frozen=True, eq=False)
class Parser:
    """A trained model with its name and the temperature that makes its probabilities mean what they say."""

    model: Model
    name: str = "unnamed"
    temperature: float = 1.0
    presence: Presence | None = None  # whether a text holds mathematics at all
    card: Mapping[str, Any] = field(default_factory=dict)

    # Reading ----------------------------------------------------------------------------------------------

    def parse(
        self,
        text: str,
        *,
        top: int = TOP,
        use: Collection[int] = (),
        ignore: Collection[int] = (),
        min_probability: float | None = None,
    ) -> Parse:
        """The mathematics of a text, with up to ``top`` readings in all.

        ``use`` and ``ignore`` are indices of ``Parse.quantities`` that must, or must not, take part; the
        probabilities are then those given that choice. With ``min_probability``, a reading below it is not
        taken: the parse says so, and keeps it among its alternatives. Raises ``ValueError`` for a text that
        is too long.
        """
        if top < 1:
            raise ValueError(f"at least one reading is needed, not {top}")
        problem = read_problem(text)
        check_size(len(problem.tokens), len(problem.quantities))
        _check_choice(problem, use, ignore)
        if not problem.quantities:
            return self._nothing(problem, "there is no number in the text")
        written = None if use or ignore else written_mathematics(problem)
        if written is not None:
            return self._parse_of(problem, (self._as_written(problem, written),))
        reading = Annotations.of(problem, self.model.config.features.lexicon)
        if not use and not self._has_mathematics(reading):
            return self._nothing(problem, _why_nothing(problem, use, ignore))
        readings = self._analyse(reading, use, ignore).readings[:top]
        if not readings:
            return self._nothing(problem, _why_nothing(problem, use, ignore))
        parse = self._parse_of(problem, tuple(map(_in_order_of_mention, readings)))
        if min_probability is not None and readings[0].probability < min_probability:
            return _withheld(parse, min_probability)
        return parse

    def parse_many(
        self,
        texts: Iterable[str],
        *,
        workers: int | None = None,
        top: int = TOP,
        min_probability: float | None = None,
        errors: Literal["raise", "warn"] = "raise",
    ) -> Iterator[Parse]:
        """The parses of many texts, in order, as they are asked for.

        A long input is shared out to as many processes as there are cores (``workers`` says otherwise; 1
        stays in this process). A text that can't be read raises; with ``errors="warn"`` it gives a parse of
        kind ``none`` with the reason as its warning.
        """
        from text2math.bulk.batches import parse_batches

        return parse_batches(
            self, texts, workers=workers, errors=errors, top=top, min_probability=min_probability
        )

    def analyse(
        self, problem: Problem, *, use: Collection[int] = (), ignore: Collection[int] = ()
    ) -> Analysis:
        """The ranked readings of a problem, with the potentials they come from."""
        return self._analyse(Annotations.of(problem, self.model.config.features.lexicon), use, ignore)

    def _analyse(self, reading: Annotations, use: Collection[int], ignore: Collection[int]) -> Analysis:
        problem = reading.problem
        potentials = self.model.scorer(problem)
        potentials.number[list(ignore)] = -np.inf
        potentials.number[list(use)] += MUST_USE
        found = [
            Candidate(one.expression, one.log_probability, answer_of(one.expression), one.tree)
            for one in self.model.expressions(problem, potentials)
            if not use or set(use) <= quantities_used(one.expression)
        ]
        readings = tuple(
            Alternative(one.expression, one.answer, probability, one.tree)
            for one, probability in self._ranked(reading, merge(found))
        )
        return Analysis(problem, potentials, readings)

    def _as_written(self, problem: Problem, mathematics: Expression) -> Alternative:
        """Mathematics that the text writes out, with the best tree for it, if there is one."""
        tree = None
        if all(number.quantity is not None for number in numbers(mathematics)):
            crf = TextMathCRF(Forest.of(mathematics), self.model.scorer(problem))
            tree = crf.best.tree if crf.log_partition > -np.inf else None
        return Alternative(mathematics, answer_of(mathematics), 1.0, tree)

    def _has_mathematics(self, reading: Annotations) -> bool:
        return self.presence is None or self.presence.probability(reading) >= LEAST

    def _ranked(self, reading: Annotations, candidates: Sequence[Candidate]) -> list[tuple[Candidate, float]]:
        """The candidates with their probabilities, reranked and calibrated, the best first."""
        if not candidates:
            return []
        scores = [candidate.log_probability for candidate in candidates]
        if self.model.plausibility is not None:
            scores = list(self.model.plausibility.scores(reading, candidates))
        probabilities = calibrated(np.array(scores), self.temperature)
        pairs = zip(candidates, map(float, probabilities), strict=True)
        return sorted(pairs, key=lambda pair: -pair[1])

    def _nothing(self, problem: Problem, *warnings: str) -> Parse:
        empty = Parse.nothing(problem.text, *warnings, model=self.name)
        return replace(empty, tokens=_tokens(problem), quantities=_quantities(problem, None))

    def _parse_of(self, problem: Problem, readings: tuple[Alternative, ...]) -> Parse:
        best = readings[0]
        solution, warnings = None, []
        if is_equation(best.mathematics):
            found = solve(best.mathematics)
            solution = {unknown.name: value for unknown, value in found.items()} if found else None
        elif best.answer is None:
            warnings.append("no answer: the expression divides by zero or is too large to compute")
        return Parse(
            text=problem.text,
            mathematics=best.mathematics,
            answer=best.answer,
            probability=best.probability,
            tree=best.tree,
            tokens=_tokens(problem),
            quantities=_quantities(problem, best.mathematics),
            alternatives=readings[1:],
            solution=solution,
            variables={} if best.tree is None else _phrases(problem, best.tree),
            warnings=tuple(warnings),
            model=self.name,
        )

    # Learning and keeping ---------------------------------------------------------------------------------

    def fit(self, examples: Sequence[Example], *, report: Report | None = None) -> Parser:
        """A new parser of the same configuration, trained on these examples (this one stays as it is)."""
        return train(examples, self.model.config, report=report)

    def save(self, path: str | Path) -> None:
        """Write the parser as a model file (``.t2m``) or folder, whole or not at all."""
        model_files.save(path, self._saved())

    def save_compact(self, path: str | Path, *, step: float = 1 / 128, threshold: float = 1 / 50) -> None:
        """The same in a much smaller file: weights rounded to a step, those below the threshold dropped."""
        model_files.save(path, model_files.compact(self._saved(), step=step, threshold=threshold), step=step)

    def _saved(self) -> SavedModel:
        extra = {"temperature": self.temperature, "card": dict(self.card)}
        return SavedModel(self.model, self.name, extra, self.presence)


def train(
    examples: Sequence[Example],
    config: ModelConfig | None = None,
    *,
    name: str = "unnamed",
    report: Report | None = None,
) -> Parser:
    """A parser trained on examples, the sense for texts without mathematics included."""
    settings = config or ModelConfig()
    model = fit(examples, settings, report=report)
    return Parser(model, name, 1.0, fit_presence(examples, settings), {"examples": len(examples)})


def fit_presence(examples: Sequence[Example], config: ModelConfig) -> Presence:
    """Learn from examples when a text holds mathematics."""
    present = [example.problem for example in examples]
    return Presence.fit(present, texts_without(examples), config.features.lexicon)


def load(name: str | Path = DEFAULT_MODEL) -> Parser:
    """The parser of this name (``small`` comes with the package), or in this model file or folder."""
    path = Path(name)
    if str(name) in _packaged_names():
        path = packaged(str(name))
    elif not path.exists():
        known = ", ".join(model_names()) or "none"
        raise ValueError(
            f"{name}: no such model; give a model file or folder, or one that comes with text2math ({known})"
        )
    saved = model_files.load(path)
    temperature, card = float(saved.extra.get("temperature", 1.0)), saved.extra.get("card", {})
    return Parser(saved.model, saved.name, temperature, saved.presence, card)


def model_names() -> tuple[str, ...]:
    """The models of the package that run with what is installed, the default one first."""
    names = sorted(name for name in _packaged_names() if name != "default" or DEFAULT_MODEL == "default")
    return tuple(sorted(names, key=lambda name: name != DEFAULT_MODEL))


def _packaged_names() -> set[str]:
    folder = files("text2math") / "models"
    return {Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(FILE_SUFFIX)}


def packaged(name: str) -> Path:
    """Where a model of the package lies."""
    return Path(str(files("text2math") / "models" / f"{name}{FILE_SUFFIX}"))


def _check_choice(problem: Problem, use: Collection[int], ignore: Collection[int]) -> None:
    count = len(problem.quantities)
    for index in (*use, *ignore):
        if not 0 <= index < count:
            raise ValueError(f"there is no number {index}: the text has {count}, counted from 0")
    if both := sorted(set(use) & set(ignore)):
        raise ValueError(f"number {both[0]} can't be both used and ignored")


def _why_nothing(problem: Problem, use: Collection[int], ignore: Collection[int]) -> str:
    if use or ignore:
        return "no mathematics uses exactly these numbers"
    if len(problem.quantities) == 1:
        return "there is only one number in the text, and nothing to do with it"
    return "no mathematics was found in the text"


def _withheld(parse: Parse, least: float) -> Parse:
    """The parse without its mathematics, which is not likely enough."""
    assert parse.mathematics is not None
    assert parse.probability is not None
    best = Alternative(parse.mathematics, parse.answer, parse.probability, parse.tree)
    return replace(
        parse,
        mathematics=None,
        answer=None,
        probability=None,
        tree=None,
        solution=None,
        variables={},
        alternatives=(best, *parse.alternatives),
        quantities=tuple(replace(quantity, used=False) for quantity in parse.quantities),
        warnings=(f"the best reading has a probability of {parse.probability:.2f}, below {least:g}",),
    )


def _tokens(problem: Problem) -> tuple[Phrase, ...]:
    return tuple(Phrase(token.text, token.start, token.end) for token in problem.tokens)


def _quantities(problem: Problem, mathematics: Expression | None) -> tuple[QuantityUse, ...]:
    used = frozenset() if mathematics is None else quantities_used(mathematics)
    return tuple(
        QuantityUse(
            quantity.value,
            problem.text[quantity.start : quantity.end],
            quantity.start,
            quantity.end,
            index in used,
            quantity.unit,
        )
        for index, quantity in enumerate(problem.quantities)
    )


def _in_order_of_mention(reading: Alternative) -> Alternative:
    """The same with X1 as the unknown that the text mentions first."""
    if reading.tree is None:
        return reading
    unknowns = [node for node in reading.tree.nodes() if node.symbol in _OTHER_NAME]
    first = min(unknowns, key=lambda node: node.span, default=None)
    if first is None or first.symbol is Symbol.X1:
        return reading
    return replace(reading, mathematics=swap_names(reading.mathematics), tree=_swapped(reading.tree))


_OTHER_NAME = {Symbol.X1: Symbol.X2, Symbol.X2: Symbol.X1}


def _swapped(tree: TextMathTree) -> TextMathTree:
    symbol = _OTHER_NAME.get(tree.symbol, tree.symbol)
    return replace(tree, symbol=symbol, children=tuple(map(_swapped, tree.children)))


def _phrases(problem: Problem, tree: TextMathTree) -> dict[str, Phrase]:
    """The words of each unknown where the text mentions it first, without marks at their ends."""
    found: dict[str, Phrase] = {}
    leaves = [node for node in tree.nodes() if node.symbol in _OTHER_NAME]
    for leaf in sorted(leaves, key=lambda node: node.span):
        words = [token for token in problem.tokens[slice(*leaf.span)] if token.text[:1].isalnum()]
        words = words or list(problem.tokens[slice(*leaf.span)])
        start, end = words[0].start, words[-1].end
        found.setdefault(leaf.symbol.name, Phrase(problem.text[start:end], start, end))
    return dict(sorted(found.items()))

"""The parser: a text in, its mathematics out. The public face of the library.

>>> parser = load()
>>> parse = parser.parse("Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?")
>>> str(parse), parse.answer
('7 + 3 = 10', Fraction(10, 1))
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from operator import index as whole_number
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from text2math.collector import collector_paused
from text2math.deferred import Later
from text2math.inference.forest import check_size, quantities_used
from text2math.inference.potentials import UNKNOWNS
from text2math.inference.tree import TextMathTree
from text2math.language.answers import NO_UNIT, answer_unit
from text2math.language.clock import time_as_in
from text2math.language.formulas import why_too_large
from text2math.language.knowledge import Knowledge
from text2math.language.numbers import Kind
from text2math.language.problem import Example, Problem, Quantity, read_problem
from text2math.language.quantity import Source
from text2math.mathematics.algebra import why_undetermined
from text2math.mathematics.expression import Expression, is_system, variables
from text2math.model import files as model_files
from text2math.model.candidates import Candidate
from text2math.model.doubts import doubts
from text2math.model.files import SavedModel
from text2math.model.model import Model
from text2math.model.steps import steps
from text2math.model.storage import FILE_SUFFIX
from text2math.parallel import in_order
from text2math.parse import Parse, Phrase, QuantityUse
from text2math.scorers.linear import LinearScorer

if TYPE_CHECKING:
    from text2math.learning.optimise import Report

# The contextual model where its runtime is there (it is not on every platform), else the discrete one.
DEFAULT_MODEL = "default" if all(map(find_spec, ("onnxruntime", "tokenizers"))) else "small"
TOP = 5

log = logging.getLogger("text2math")


@dataclass(frozen=True, eq=False)
class Parser:
    """A trained model with its name and its card."""

    model: Model
    name: str = "unnamed"
    card: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, saved: SavedModel) -> Parser:
        """The parser of a model that was trained or loaded."""
        return cls(saved.model, saved.name, saved.card)

    # Knowing ----------------------------------------------------------------------------------------------

    @property
    def uses_knowledge(self) -> bool:
        """Whether it uses the numbers that words imply."""
        return bool(self.model.knowledge)

    def with_knowledge(self, knowledge: bool | Knowledge) -> Parser:
        """The same parser with your own facts beside those of the package; with False, without any.

        Raises ``ValueError`` for facts of your own if the model has not learned to use facts.
        """
        if not self.uses_knowledge:
            if isinstance(knowledge, Knowledge):
                raise ValueError(
                    f"the model {self.name} does not use facts; choose another model, or leave out your own"
                )
            return self
        facts = Knowledge.default().and_also(knowledge) if isinstance(knowledge, Knowledge) else knowledge
        return replace(self, model=replace(self.model, knowledge=facts))

    # Reading ----------------------------------------------------------------------------------------------

    def parse(
        self,
        text: str,
        *,
        top: int = TOP,
        use: Collection[int] = (),
        ignore: Collection[int] = (),
        min_probability: float | None = None,
        strict: bool = False,
    ) -> Parse:
        """The mathematics of a text, with up to ``top`` readings in all.

        ``use`` and ``ignore`` are indices of ``Parse.quantities`` that must, or must not, take part; the
        probabilities are then those given that choice. With ``min_probability``, a reading below it is not
        taken: the parse says so, and keeps it among its alternatives. With ``strict``, neither is one that
        there is a reason to doubt. Raises ``ValueError`` for a text that is too long, ``TypeError`` for what
        is no text.
        """
        _check_options(top, min_probability)
        began = time.perf_counter()
        problem = self._checked_problem(text)
        _check_choice(problem, use, ignore)
        found = self.model.read(problem, top=top, use=use, ignore=ignore)
        # Never the text itself: it may be private.
        log.debug(
            "%d words, %d readings, %.3f s", len(problem.tokens), len(found), time.perf_counter() - began
        )
        if not found:
            return self._nothing(problem, _why_nothing(problem, use, ignore))
        return self._accepted(problem, found, min_probability, strict)

    def parse_all(
        self,
        texts: Sequence[str],
        *,
        top: int = TOP,
        min_probability: float | None = None,
        strict: bool = False,
    ) -> list[Parse | ValueError | TypeError]:
        """The parses of a few texts, or why one can't be read; the same as ``parse``, and somewhat faster.

        >>> parser = load("small")
        >>> [str(parse) for parse in parser.parse_all(["What is 2 + 3?", "Hello!"])]
        ['2 + 3 = 5', 'there is no number in the text']
        """
        _check_options(top, min_probability)
        problems = [self._problem_or_error(text) for text in texts]
        good = [problem for problem in problems if isinstance(problem, Problem)]
        candidates = iter(self.model.read_all(good, top=top))
        parses: list[Parse | ValueError | TypeError] = []
        for problem in problems:
            if not isinstance(problem, Problem):
                parses.append(problem)
            elif found := next(candidates):
                parses.append(self._accepted(problem, found, min_probability, strict))
            else:
                parses.append(self._nothing(problem, _why_nothing(problem, (), ())))
        return parses

    def parse_many(
        self,
        texts: Iterable[str],
        *,
        workers: int | None = None,
        top: int = TOP,
        min_probability: float | None = None,
        strict: bool = False,
        errors: Literal["raise", "warn"] = "raise",
    ) -> Iterator[Parse]:
        """The parses of many texts, in order, as they are asked for.

        A long input is shared out to as many processes as there are cores (``workers`` says otherwise; 1
        stays in this process). A text that can't be read raises; with ``errors="warn"`` it gives a parse of
        kind ``none`` with the reason as its warning.
        """
        if isinstance(texts, str | bytes):
            raise TypeError("parse_many takes several texts, such as a list of them; parse takes one")
        if errors not in ("raise", "warn"):
            raise ValueError(f'errors is {errors!r}; it must be "raise" or "warn"')
        work = partial(_parse_or_error, top=top, min_probability=min_probability, strict=strict)
        work_on_all = partial(_parse_all_or_errors, top=top, min_probability=min_probability, strict=strict)
        results = in_order(self, work, texts, workers=workers, work_on_all=work_on_all)
        return self._settled(results, errors)

    def _checked_problem(self, text: str) -> Problem:
        if not isinstance(text, str):
            raise TypeError(f"the text to parse must be a str, not {type(text).__name__}")
        problem = read_problem(text, knowledge=self.model.knowledge)
        check_size(len(problem.tokens), len(problem.quantities))
        return problem

    def _problem_or_error(self, text: str) -> Problem | ValueError | TypeError:
        try:
            return self._checked_problem(text)
        except (ValueError, TypeError) as error:
            return error

    def _settled(
        self, results: Iterator[Parse | _Unread], errors: Literal["raise", "warn"]
    ) -> Iterator[Parse]:
        for result in results:
            if isinstance(result, Parse):
                yield result
            elif errors == "raise":
                raise result.error
            else:
                yield Parse.nothing(result.text, str(result.error), model=self.name)

    def _nothing(self, problem: Problem, *warnings: str) -> Parse:
        empty = Parse.nothing(problem.text, *warnings, model=self.name)
        return replace(
            empty,
            tokens=Later(lambda: _tokens(problem)),
            quantities=Later(lambda: _quantities(problem, None)),
            doubts=Later(lambda: doubts(problem, None, None)),
        )

    def _accepted(
        self, problem: Problem, found: tuple[Candidate, ...], min_probability: float | None, strict: bool
    ) -> Parse:
        """The parse, or one that says why its reading is withheld."""
        parse = self._parse_of(problem, found)
        if min_probability is not None and found[0].probability < min_probability:
            shown = f"{found[0].probability:.2f}, below {min_probability:g}"
            return _withheld(parse, f"the best reading has a probability of {shown}")
        if strict and parse.doubts:
            return _withheld(parse, *map(str, parse.doubts))
        return parse

    def _parse_of(self, problem: Problem, candidates: tuple[Candidate, ...]) -> Parse:
        best = candidates[0]
        unit = Later(lambda: answer_unit(problem, best.mathematics))
        return Parse(
            text=problem.text,
            mathematics=best.mathematics,
            answer=best.answer,
            probability=best.probability,
            tree=Later(lambda: best.tree),
            tokens=Later(lambda: _tokens(problem)),
            quantities=Later(lambda: _quantities(problem, best.mathematics)),
            alternatives=candidates[1:],
            solution=best.solution,
            variables=Later(lambda: {} if best.tree is None else _phrases(problem, best.tree)),
            warnings=_why_no_answer(best),
            model=self.name,
            unit=unit,
            doubts=Later(lambda: doubts(problem, best.mathematics, best.answer)),
            steps=Later(lambda: steps(problem, best.mathematics, unit.value, best.tree)),
            asked=best.asked,
        )

    # Learning and keeping ---------------------------------------------------------------------------------

    def fit(
        self, examples: Sequence[Example], *, keep_scores: bool | None = None, report: Report | None = None
    ) -> Parser:
        """A new parser of the same configuration, trained on these examples (this one stays as it is).

        With ``keep_scores``, training starts from this parser's scores: a network's stay, and discrete
        weights are learned on top of them; discrete weights are where training begins. Without it,
        training starts from nothing. The default is to keep a network's scores and no others: a network
        can't be learned from a few examples.
        """
        from text2math.learning.training import train  # those who only parse need not wait for it

        if keep_scores is None:
            keep_scores = not isinstance(self.model.scorer, LinearScorer)
        base = self.saved if keep_scores else None
        return Parser.of(train(examples, self.model.config, base=base, report=report))

    @property
    def saved(self) -> SavedModel:
        """What a model file holds of it."""
        return SavedModel(self.model, self.name, self.card)

    def save(self, path: str | Path) -> None:
        """Write the parser as a model file (``.t2m``) or folder, whole or not at all."""
        model_files.save(path, self.saved)

    def save_compact(
        self, path: str | Path, *, step: float = model_files.STEP, threshold: float = model_files.THRESHOLD
    ) -> None:
        """The same in a smaller file: weights rounded to a step, those below the threshold dropped.

        Discrete models shrink most. A network stays as it is, because its weights are of 8 bits already.
        """
        small = model_files.compact(self.model, step=step, threshold=threshold)
        model_files.save(path, replace(self.saved, model=small), step=step)


@dataclass(frozen=True, slots=True)
class _Unread:
    """A text that can't be read, and why."""

    text: str
    error: ValueError | TypeError


def _parse_or_error(
    parser: Parser, text: str, *, top: int, min_probability: float | None, strict: bool
) -> Parse | _Unread:
    try:
        return parser.parse(text, top=top, min_probability=min_probability, strict=strict)
    except (ValueError, TypeError) as error:
        return _Unread(str(text), error)


def _parse_all_or_errors(
    parser: Parser, texts: Sequence[str], *, top: int, min_probability: float | None, strict: bool
) -> list[Parse | _Unread]:
    try:
        found = parser.parse_all(texts, top=top, min_probability=min_probability, strict=strict)
    except ValueError:  # of one text, which must not fail the others
        alone = partial(_parse_or_error, top=top, min_probability=min_probability, strict=strict)
        return [alone(parser, text) for text in texts]
    return [
        one if isinstance(one, Parse) else _Unread(str(text), one)
        for text, one in zip(texts, found, strict=True)
    ]


def load(name: str | Path = DEFAULT_MODEL, *, knowledge: bool | Knowledge = True) -> Parser:
    """The parser of this name (``small`` comes with the package), or in this model file or folder.

    A model that has learned to use the numbers that words imply takes them from the facts of the package and
    from your own ``knowledge``; with False, from none.
    """
    path = Path(name)
    if str(name) in _packaged_names():
        path = packaged(str(name))
    elif not path.exists():
        known = ", ".join(model_names()) or "none"
        raise ValueError(
            f"{name}: no such model; give a model file or folder, or one that comes with text2math ({known})"
        )
    began = time.perf_counter()
    with collector_paused():
        parser = Parser.of(model_files.load(path)).with_knowledge(knowledge)
    log.info("model %s loaded from %s in %.1f s", parser.name, path, time.perf_counter() - began)
    return parser


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


def _check_options(top: int, min_probability: float | None) -> None:
    if whole_number(top) < 1:
        raise ValueError(f"at least one reading is needed, not {top}")
    if min_probability is not None and not 0 <= min_probability <= 1:
        raise ValueError(f"min_probability is {min_probability}; it must be from 0 to 1")


def _check_choice(problem: Problem, use: Collection[int], ignore: Collection[int]) -> None:
    count = len(problem.quantities)
    for index in (*use, *ignore):
        if not hasattr(index, "__index__"):
            raise TypeError(f"numbers of the text are counted 0, 1, 2 and so on; {index!r} is no such count")
        if not 0 <= index < count:
            raise ValueError(f"there is no number {index}: the text has {count}, counted from 0")
    if both := sorted(set(use) & set(ignore)):
        raise ValueError(f"number {both[0]} can't be both used and ignored")


def _why_no_answer(best: Candidate) -> tuple[str, ...]:
    """Why mathematics has no answer, if it has none; one equation in several unknowns need not have one."""
    if best.equation is None:
        unknown = "no answer: the expression divides by zero or is too large to compute"
        return () if best.answer is not None else (unknown,)
    if best.solution or (not is_system(best.equation) and len(variables(best.equation)) > 1):
        return ()
    return (f"no answer: {why_undetermined(best.equation)}",)


def _why_nothing(problem: Problem, use: Collection[int], ignore: Collection[int]) -> str:
    if reason := why_too_large(problem):
        return reason
    if not problem.quantities:
        return "there is no number in the text"
    if use or ignore:
        return "no mathematics uses exactly these numbers"
    if len(problem.quantities) == 1:
        return "there is only one number in the text, and nothing to do with it"
    return "; ".join(map(str, doubts(problem, None, None))) or "no mathematics was found in the text"


def _withheld(parse: Parse, *reasons: str) -> Parse:
    """The parse without its mathematics, which is not sure enough."""
    best = parse.best
    assert best is not None
    return replace(
        parse,
        mathematics=None,
        answer=None,
        probability=None,
        tree=None,
        solution=None,
        variables={},
        unit=NO_UNIT,
        alternatives=(best, *parse.alternatives),
        quantities=tuple(replace(quantity, used=False) for quantity in parse.quantities),
        steps=(),
        asked=(),
        warnings=reasons,
    )


def _tokens(problem: Problem) -> tuple[Phrase, ...]:
    return tuple(
        Phrase(problem.text[token.start : token.end], token.start, token.end) for token in problem.tokens
    )


def _quantities(problem: Problem, mathematics: Expression | None) -> tuple[QuantityUse, ...]:
    """Every number of the text; a written one is used if a word that refers to it is."""
    used: set[object] = set() if mathematics is None else set(quantities_used(mathematics))
    used |= {origin for index, origin in enumerate(problem.origins) if index in used}
    return tuple(
        QuantityUse(
            quantity.value,
            problem.text[quantity.start : quantity.end],
            quantity.start,
            quantity.end,
            index in used,
            quantity.unit,
            quantity.source.value,
            _fact(problem, quantity),
            quantity.refers_to,
        )
        for index, quantity in enumerate(problem.all_quantities)
    )


def _fact(problem: Problem, quantity: Quantity) -> str:
    """What is known of a number: the fact behind it, or what number a time of day stands for."""
    if quantity.fact.startswith(f"{quantity.value} ") and "=" not in quantity.fact:  # "8 legs": whose?
        return f"{quantity.fact} ({problem.text[quantity.start : quantity.end]})"
    if quantity.kind is not Kind.CLOCK or quantity.source is not Source.WRITTEN:
        return quantity.fact
    return f"{time_as_in(problem.text, quantity.value)} is {quantity.value} minutes after midnight"


def _phrases(problem: Problem, tree: TextMathTree) -> dict[str, Phrase]:
    """The words of each unknown where the text mentions it first, without marks at their ends.

    An unknown that is only ever silent has none, nor has one that owns no word with letters, such as "$".
    """
    found: dict[str, Phrase] = {}
    leaves = [node for node in tree.nodes() if node.symbol in UNKNOWNS and node.words]
    for leaf in sorted(leaves, key=lambda node: node.span):
        words = [token for token in problem.tokens[slice(*leaf.span)] if token.text[:1].isalnum()]
        if not any(word.text[:1].isalpha() for word in words):
            continue
        start, end = words[0].start, words[-1].end
        found.setdefault(leaf.symbol.name, Phrase(problem.text[start:end], start, end))
    return dict(sorted(found.items()))

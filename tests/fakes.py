"""Stand-ins: a parser that needs no model (it adds up, or does as its text tells it), and pieces of words."""

from __future__ import annotations

import copy
import importlib.util
import sys
import threading
import time
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from text2math.inference.forest import LARGER_GRAMMAR, Grammar
from text2math.inference.patterns import Pattern
from text2math.inference.potentials import Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.annotations import Annotations
from text2math.language.answers import answer_unit
from text2math.language.problem import Problem, Source, read_problem
from text2math.mathematics.algebra import solve
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import from_infix
from text2math.model.candidates import Candidate
from text2math.model.doubts import doubts
from text2math.model.files import SavedModel
from text2math.model.model import Model
from text2math.model.steps import steps
from text2math.parse import Parse, Phrase, QuantityUse
from text2math.scorers.scorer import Relevant


class FakeParser:
    """Reads "7 apples and 3 pears" as 7 + 3, or 7 − 3; a text with "is" as an equation of an unknown.

    "sleep" in a text keeps it until ``release`` is set; "broken" raises; a number after "page" is not used.
    """

    name = "fake"

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.release = threading.Event()
        self.texts: list[str] = []

    def parse(
        self,
        text: str,
        *,
        top: int = 5,
        use: Collection[int] = (),
        ignore: Collection[int] = (),
        min_probability: float | None = None,
        strict: bool = False,
    ) -> Parse:
        self.texts.append(text)
        time.sleep(self.seconds)
        if "sleep" in text:
            self.release.wait(10)
        if "broken" in text:
            raise RuntimeError(f"the secret is in {text!r}")
        problem = read_problem(text)
        _check(problem, (*use, *ignore))
        chosen = [at for at in range(len(problem.quantities)) if _used(problem, at, use, ignore)]
        if not chosen:
            return Parse.nothing(text, "there is no number in the text", model=self.name)
        readings = _readings(problem, chosen)[:top]
        best = readings[0]
        if min_probability is not None and best.probability < min_probability:
            return Parse.nothing(text, "no reading is likely enough", model=self.name)
        unit, found = answer_unit(problem, best.mathematics), doubts(problem, best.mathematics, best.answer)
        if strict and found:
            return Parse.nothing(text, *map(str, found), model=self.name)
        solution = solve(best.mathematics) if is_equation(best.mathematics) else None
        return Parse(
            text=text,
            mathematics=best.mathematics,
            answer=best.answer,
            probability=best.probability,
            tree=best.tree,
            tokens=tuple(Phrase(token.text, token.start, token.end) for token in problem.tokens),
            quantities=tuple(
                QuantityUse(one.value, text[one.start : one.end], one.start, one.end, at in chosen, one.unit)
                for at, one in enumerate(problem.quantities)
            ),
            alternatives=tuple(readings[1:]),
            solution={unknown.name: value for unknown, value in solution.items()} if solution else None,
            variables={
                node.symbol.name: _phrase(problem, node) for node in best.tree.nodes() if _unknown(node)
            },
            warnings=("this parser is not a real one",) if "odd" in text else (),
            model=self.name,
            unit=unit,
            doubts=found,
            steps=steps(problem, best.mathematics, unit, best.tree),
        )


def _check(problem: Problem, indices: Collection[int]) -> None:
    for index in indices:
        if index >= len(problem.quantities):
            raise ValueError(f"the text has {len(problem.quantities)} numbers; there is no number {index}")


def _used(problem: Problem, at: int, use: Collection[int], ignore: Collection[int]) -> bool:
    first = problem.quantities[at].first_token
    distracts = first > 0 and problem.tokens[first - 1].text.lower() == "page"
    return at in use or (at not in ignore and not distracts)


def _unknown(node: TextMathTree) -> bool:
    return node.symbol in (Symbol.X1, Symbol.X2)


def _phrase(problem: Problem, node: TextMathTree) -> Phrase:
    start, end = problem.tokens[node.span[0]].start, problem.tokens[node.span[1] - 1].end
    return Phrase(problem.text[start:end], start, end)


def _readings(problem: Problem, chosen: list[int]) -> list[Candidate]:
    values = [quantity.value for quantity in problem.quantities]
    shares = {Symbol.ADD: 0.75, Symbol.SUB: 0.125, Symbol.MUL: 0.0625}
    found = []
    for symbol, share in shares.items():
        tree = _tree(problem, chosen, symbol)
        expression = tree.expression(values)
        found.append(Candidate(expression, share, tree))
    return found if len(chosen) > 1 else found[:1]


def _tree(problem: Problem, chosen: list[int], symbol: Symbol) -> TextMathTree:
    """The numbers joined from the right; each leaf has its number and one more word where there is room."""
    n = len(problem.tokens)
    anchors = [problem.anchors[at] for at in chosen]
    ends = [min(anchor + 2, stop) for anchor, stop in zip(anchors, [*anchors[1:], n], strict=True)]
    equation = any(token.text.lower() == "is" for token in problem.tokens) and anchors[0] > 0
    tree = TextMathTree(Symbol.CON, (anchors[-1], ends[-1]), quantity=chosen[-1])
    last = tree.span[1]
    for at in range(len(chosen) - 2, -1, -1):
        leaf = TextMathTree(Symbol.CON, (anchors[at], ends[at]), quantity=chosen[at])
        tree = _join(symbol, leaf, tree, (anchors[at], last))
    if not equation:
        return _stretch(tree, (0, n))
    unknown = TextMathTree(Symbol.X1, (0, 1))
    return _join(Symbol.EQU, unknown, tree, (0, n))


def _join(symbol: Symbol, left: TextMathTree, right: TextMathTree, span: tuple[int, int]) -> TextMathTree:
    gaps = (left.span[0] > span[0], right.span[0] > left.span[1], span[1] > right.span[1])
    return TextMathTree(symbol, span, Pattern(False, *gaps), (left, right))


def _stretch(tree: TextMathTree, span: tuple[int, int]) -> TextMathTree:
    if not tree.children:
        return TextMathTree(tree.symbol, span, quantity=tree.quantity)
    return _join(tree.symbol, *tree.children, span)


class Letters:
    """Pieces of one letter each, for tests."""

    first, last = 1, 2

    def __call__(self, word: str) -> tuple[int, ...]:
        return tuple(3 + ord(letter) % 50 for letter in word)


# 4 X1 = 2876 with "together 525" (X1 + X2 = 525, both without words) inside.
TICKETS = "4 each for students , together 525 , bring 2876".split()
TICKET_ANCHORS = (0, 6, 9)
TOGETHER = TextMathTree(
    Symbol.EQU,
    (5, 7),
    Pattern.of("AB"),
    (
        TextMathTree(
            Symbol.ADD,
            (5, 6),
            Pattern.of("w"),
            (TextMathTree(Symbol.X1, (5, 5)), TextMathTree(Symbol.X2, (6, 6))),
        ),
        TextMathTree(Symbol.CON, (6, 7), quantity=1),
    ),
)
NESTED = TextMathTree(
    Symbol.EQU,
    (0, 10),
    Pattern.of("AwB"),
    (
        TextMathTree(
            Symbol.MUL,
            (0, 4),
            Pattern.of("AwB"),
            (TextMathTree(Symbol.CON, (0, 1), quantity=0), TextMathTree(Symbol.X1, (2, 4))),
        ),
        TextMathTree(Symbol.CON, (9, 10), quantity=2),
    ),
    asides=(TOGETHER,),
)


class FactScorer:
    """Multiplies, and takes known numbers before others that words imply: 3 miles a day are 3 × 7 a week."""

    symbols = (Symbol.MUL, Symbol.CON)

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        potentials = Potentials.zeros(len(problem.tokens), problem.all_anchors)
        scores = {Source.WRITTEN: 6.0, Source.KNOWN: 3.0, Source.REFERRING: 0.0}
        potentials.number[:] = [scores[quantity.source] for quantity in problem.all_quantities]
        potentials.child[Symbol.MUL, :, Symbol.MUL] = -20.0
        potentials.root[Symbol.CON] = -np.inf
        return potentials


def fact_model() -> SavedModel:
    """A model that uses implied numbers, without a network."""
    forest = Grammar(frozenset(FactScorer.symbols), knowledge=True).full
    return SavedModel(Model(FactScorer(), forest, knowledge=True), "facts")


class Indifferent:
    """Scores every tree of the larger grammar the same."""

    symbols = tuple(sorted(LARGER_GRAMMAR.symbols))

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        return Potentials.zeros(len(problem.tokens), problem.all_anchors)


def model_of(infix: str) -> SavedModel:
    """A model that reads nothing but these equations, over the numbers of any text."""
    return SavedModel(Model(Indifferent(), LARGER_GRAMMAR.of([from_infix(infix)])), "equations")


def experiment(name: str) -> ModuleType:
    """A script of ``experiments`` as a module."""
    path = Path(__file__).resolve().parent.parent / "experiments" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"experiments_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def with_distinct_weights(network: Any) -> Any:
    """A copy of a torch network, as if trained: an export stores alike tensors, such as zeros, only once."""
    import torch

    found = copy.deepcopy(network)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return found

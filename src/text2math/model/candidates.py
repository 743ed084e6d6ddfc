"""Candidates: mathematics that a text may mean, with trees and probabilities; equivalent ones are merged.

>>> from text2math.mathematics.notation import from_infix
>>> candidate = Candidate(from_infix("2 * X1 = 10"), probability=0.5)
>>> candidate.answer, candidate.expression
(Fraction(5, 1), None)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import is_
from typing import Any

from text2math.deferred import Deferred, Later, cached_property, worked_out
from text2math.inference.crf import ScoredExpression, TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.patterns import PATTERNS, SWAPPED
from text2math.inference.potentials import UNKNOWNS, Potentials, Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.consecutive import completed
from text2math.language.problem import Problem
from text2math.mathematics.algebra import canonical_form, evaluate, quick_value, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    all_nodes,
    equations,
    has_unknowns,
    is_system,
    sort_of,
)
from text2math.mathematics.grammar import OPERANDS, SIGNS, Sort
from text2math.mathematics.logarithms import log_sum
from text2math.mathematics.notation import json_number, number_text, to_infix, to_latex, to_mathml
from text2math.mathematics.rewriting import form, renamed, without_inverse_operators, without_unknown
from text2math.model.asked import asked_of, is_in_order


@dataclass(frozen=True)
class Candidate:
    """An expression or equation that a text may mean, with its probability and its best tree.

    Answer and solution are computed on first use: an equation that nobody looks at is never solved.
    """

    mathematics: Expression
    probability: float
    tree: Deferred[TextMathTree | None] = Deferred(None)
    # Before calibration: under the chart, or after reranking.
    log_probability: float = field(default=math.nan, compare=False, repr=False)
    asked: tuple[Expression, ...] = ()  # what a system is asked for
    # The log odds of how its numbers are related, as far as the scorer can tell.
    relations: float = field(default=0.0, compare=False, repr=False)

    __getstate__ = worked_out

    @classmethod
    def scored(
        cls,
        mathematics: Expression,
        log_probability: float,
        tree: TextMathTree | Later[TextMathTree] | None = None,
        asked: tuple[Expression, ...] = (),
    ) -> Candidate:
        """A candidate with a log-probability."""
        return cls(mathematics, math.exp(log_probability), tree, log_probability, asked)

    def rescored(self, probability: float, log_probability: float) -> Candidate:
        """The same with other probabilities; what was found out about its mathematics is kept.

        >>> from text2math.mathematics.notation import from_infix
        >>> Candidate(from_infix("2 + 3"), 0.5).rescored(0.75, -1.0)
        Candidate(2 + 3 = 5, probability=0.75)
        """
        return self._with(probability=probability, log_probability=log_probability)

    def with_relations(self, log_odds: float) -> Candidate:
        """The same with the log odds of how its numbers are related."""
        return self._with(relations=log_odds)

    def _with(self, **fields: float) -> Candidate:
        """The same with other fields; what was worked out is kept, and ``replace`` would work it out."""
        same = object.__new__(Candidate)
        vars(same).update(vars(self), **fields)
        return same

    @property
    def expression(self) -> Expression | None:
        """The mathematics if it is an expression."""
        return self.mathematics if _has_value(self.mathematics) else None

    @property
    def equation(self) -> Expression | None:
        """The mathematics if it is an equation or a system."""
        return None if _has_value(self.mathematics) else self.mathematics

    @cached_property
    def solution(self) -> Mapping[str, Fraction] | None:
        """The values of the unknowns of an equation or a system by name, if it determines them."""
        found = None if _has_value(self.mathematics) else solve(self.mathematics)
        return {unknown.name: value for unknown, value in found.items()} if found else None

    @cached_property
    def answers(self) -> tuple[Fraction, ...]:
        """The answers to the question, if they are determined.

        The value of an expression, the solution of an equation in one unknown, what a system is asked for.
        """
        if _has_value(self.mathematics):
            value = evaluate(self.mathematics)
            return () if value is None else (value,)
        solved = self.solution or {}
        if not self.asked:
            return tuple(solved.values()) if len(solved) == 1 else ()
        values = {Variable(int(name[1:])): value for name, value in solved.items()}
        found = [evaluate(wanted, values) for wanted in self.asked]
        return tuple(value for value in found if value is not None) if None not in found else ()

    @property
    def answer(self) -> Fraction | None:
        """The answer, if there is exactly one."""
        return self.answers[0] if len(self.answers) == 1 else None

    @cached_property
    def nodes(self) -> tuple[Expression, ...]:
        """Every node of the expression, the root first."""
        return all_nodes(self.mathematics)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers, from left to right."""
        return tuple([node for node in self.nodes if isinstance(node, Number)])

    @cached_property
    def used(self) -> frozenset[int]:
        """Which numbers of the text it uses."""
        return frozenset([number.quantity for number in self.numbers if number.quantity is not None])

    @cached_property
    def signs(self) -> str:
        """Its operators, sorted."""
        return "".join(sorted([SIGNS[node.operator] for node in self.nodes if isinstance(node, Operation)]))

    @cached_property
    def form(self) -> str:
        """How its operators are nested."""
        return form(self.mathematics)

    @cached_property
    def order(self) -> str:
        """Its operators, and whether its first and last numbers are in text order."""
        if self.equation is not None:
            return self.form
        order = [number.quantity for number in self.numbers if number.quantity is not None]
        reverse = bool(order) and order[0] > order[-1] and not self._commutes
        return f"{self.signs}{'~' if reverse else ''}"

    @property
    def _commutes(self) -> bool:
        """Whether the operands of all of its operators may be exchanged."""
        return all(node.operator.commutative for node in self.nodes if isinstance(node, Operation))

    def __str__(self) -> str:
        return statement(self.mathematics, self.answer)

    def __repr__(self) -> str:
        return f"Candidate({self}, probability={self.probability:.4g})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        tree = None if self.tree is None else self.tree.to_dict()
        asked = [to_infix(one) for one in self.asked]
        return {
            **plain_mathematics(self.mathematics, self.answer, self.probability),
            "asked": asked,
            "tree": tree,
        }


def _has_value(mathematics: Expression) -> bool:
    """Whether it is an expression: no equation, and no system of them."""
    return sort_of(mathematics) is Sort.VALUE


def statement(mathematics: Expression, answer: Fraction | None) -> str:
    """Mathematics in one line, an expression with its value.

    >>> from text2math.mathematics.notation import from_infix
    >>> statement(from_infix("5 / 2"), Fraction(5, 2)), statement(from_infix("2 * X1 = 5"), Fraction(5, 2))
    ('5 ÷ 2 = 2.5', '2 × X1 = 5')
    """
    infix = to_infix(mathematics, unicode=True)
    return infix if answer is None or not _has_value(mathematics) else f"{infix} = {number_text(answer)}"


def plain_mathematics(
    mathematics: Expression | None, answer: Fraction | None, probability: float | None
) -> dict[str, Any]:
    """Mathematics, answer and probability as plain data; all None if there is no mathematics."""
    infix = None if mathematics is None else to_infix(mathematics)
    equation = mathematics is not None and not _has_value(mathematics)
    return {
        "expression": None if equation else infix,
        "equation": infix if equation else None,
        "latex": None if mathematics is None else to_latex(mathematics),
        "mathml": None if mathematics is None else to_mathml(mathematics),
        "answer": plain_number(answer),
        "answer_exact": None if answer is None else str(answer),
        "probability": probability,
    }


def plain_number(value: Fraction | None) -> int | float | str | None:
    """An exact value for JSON, or None."""
    return None if value is None else json_number(value)


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the chart's trees become candidates."""

    count: int = 32  # the k best expressions
    inverse: bool = False  # the grammar has inverse operators, which are undone
    unknown: bool = False  # an expression e is written X1 = e, which is undone
    text_order: bool = False  # operands of +, × and = are put in text order
    exact: bool = True  # probabilities are relative to all expressions, else to the k best
    margin: float = math.inf  # how far below the best tree that of a candidate may score
    at_least: int = 1  # candidates whatever their trees score


def best_candidates(
    forest: Forest, potentials: Potentials, problem: Problem, decoding: Decoding
) -> Iterator[Candidate]:
    """The k best expressions under given potentials, with trees, without those that state nothing."""
    if not problem.tokens:
        return
    crf = TextMathCRF(forest, potentials)
    values = [quantity.value for quantity in problem.all_quantities]
    ordering = TextOrder(values)
    found = crf.expressions(
        decoding.count, values, exact=decoding.exact, margin=decoding.margin, at_least=decoding.at_least
    )
    for scored in found:
        candidate = candidate_of(scored, ordering, problem, decoding, potentials.asked)
        if candidate is not None:
            yield candidate


def candidate_of(
    scored: ScoredExpression,
    ordering: TextOrder,
    problem: Problem,
    decoding: Decoding,
    asked_scores: Sequence[float] = (),
) -> Candidate | None:
    """An expression of the chart as a candidate, or None if it states nothing.

    ``ordering`` is that of all candidates of the text.
    """
    mathematics, tree = _plain(scored, ordering, decoding)
    if mathematics is None:
        return None
    if _has_value(mathematics):
        # The grammar can't require that unknowns are below "=".
        plain = not has_unknowns(mathematics)
        return Candidate.scored(mathematics, scored.log_probability, tree) if plain else None
    mathematics = completed(mathematics, problem)
    # The chart's own order: text order puts what a text mentions first on the left, whatever it is called.
    if asked_scores and is_system(mathematics) and not is_in_order(scored.expression):
        return None  # the same system with its unknowns in order is a candidate of its own
    asked = asked_of(mathematics, problem, asked_scores)
    candidate = Candidate.scored(mathematics, scored.log_probability, tree, asked)
    # Nor can it require that "=" has an unknown; and "X1 = X2" states nothing.
    return candidate if has_unknowns(mathematics) and candidate.numbers else None


def _plain(
    scored: ScoredExpression, ordering: TextOrder, decoding: Decoding
) -> tuple[Expression | None, Later[TextMathTree]]:
    """Undo what the variants of the grammar did to an expression."""
    expression: Expression | None = scored.expression
    tree = scored.best_tree
    if decoding.text_order:
        tree = Later(lambda: ordering.tree(scored.tree))
        expression = scored.in_text_order or ordering.expression(tree.value)
    if decoding.inverse and expression is not None:
        expression = without_inverse_operators(expression)
    if decoding.unknown and expression is not None:
        expression = without_unknown(expression)
    return expression, tree


class TextOrder:
    """The trees of a text with the operands of every +, × and = in text order.

    They have most nodes in common, each of which is put in order once.
    """

    def __init__(self, values: Sequence[Fraction]) -> None:
        """Given the values of the numbers of the text."""
        self._values = values
        self._ordered: dict[int, tuple[TextMathTree, TextMathTree]] = {}  # by id, with the tree of that id
        self._known: dict[int, Expression] = {}

    def tree(self, tree: TextMathTree) -> TextMathTree:
        """The same tree in text order."""
        if not tree.children:
            return tree
        found = self._ordered.get(id(tree))
        if found is None:
            found = self._ordered[id(tree)] = (tree, self._in_order(tree))
        return found[1]

    def expression(self, tree: TextMathTree) -> Expression:
        """The expression of a tree that ``tree`` gave."""
        return tree.expression(self._values, self._known)

    def _in_order(self, tree: TextMathTree) -> TextMathTree:
        left, right = tree.children
        asides = tuple(map(self.tree, tree.asides)) if tree.asides else ()
        return _swapped(tree, (self.tree(left), self.tree(right)), asides)


def _swapped(
    tree: TextMathTree, children: tuple[TextMathTree, TextMathTree], asides: tuple[TextMathTree, ...]
) -> TextMathTree:
    """The tree with other operands and asides, its operands exchanged if they may be and should be."""
    left, right = tree.children
    pattern = tree.pattern
    if pattern is not None and pattern.swapped and _may_swap(tree.symbol, children):
        pattern = PATTERNS[pattern.index - SWAPPED]  # silent patterns are never swapped
        return replace(tree, children=children[::-1], pattern=pattern, asides=asides)
    # Most trees are in order already, and building a new one costs more than everything else here.
    unchanged = children[0] is left and children[1] is right and all(map(is_, asides, tree.asides))
    return tree if unchanged else replace(tree, children=children, asides=asides)


def _may_swap(symbol: Symbol, children: tuple[TextMathTree, ...]) -> bool:
    """Whether the operands may be exchanged; a system of three equations groups from the left."""
    operator = symbol.operator
    if operator is None or not operator.commutative:
        return False
    (as_left, as_right), (left, right) = OPERANDS[operator], children
    return right.symbol.operator in as_left and left.symbol.operator in as_right


def in_order_of_mention(
    candidate: Candidate, shown: Callable[[TextMathTree], TextMathTree] | None = None
) -> Candidate:
    """The same with X1 as the unknown that the text mentions first, then X2, and so on.

    ``shown`` maps the candidate's tree to the tree to show, when that is first used.
    """
    own = candidate.tree
    if own is None:
        return candidate
    names = _names_by_mention(own) if candidate.equation is not None and _states_all(candidate, own) else {}
    indices = {UNKNOWNS.index(old) + 1: UNKNOWNS.index(new) + 1 for old, new in names.items()}
    mathematics, asked = candidate.mathematics, candidate.asked
    if any(old is not new for old, new in names.items()):
        mathematics = renamed(mathematics, indices)
        asked = tuple(renamed(one, indices) for one in asked)
    elif shown is None:
        return candidate

    def tree() -> TextMathTree | None:
        return _renamed_tree(own if shown is None else shown(own), names)

    return Candidate(mathematics, candidate.probability, Later(tree), candidate.log_probability, asked)


def _states_all(candidate: Candidate, tree: TextMathTree) -> bool:
    """Whether the text states every equation; the unknowns of consecutive numbers keep their order."""
    stated = sum(node.symbol.operator is Operator.EQU for node in tree.nodes())
    return stated == len(equations(candidate.mathematics))


def _names_by_mention(tree: TextMathTree) -> dict[Symbol, Symbol]:
    """The unknowns of a tree with their new names, numbered in the order in which the text mentions them."""
    unknowns = [node for node in tree.nodes() if node.symbol in UNKNOWNS]
    mentioned = dict.fromkeys(node.symbol for node in sorted(unknowns, key=lambda node: node.span))
    return dict(zip(mentioned, UNKNOWNS, strict=False))


def _renamed_tree(tree: TextMathTree, names: Mapping[Symbol, Symbol]) -> TextMathTree:
    if all(old is new for old, new in names.items()):
        return tree
    children, asides = (
        tuple(_renamed_tree(one, names) for one in below) for below in (tree.children, tree.asides)
    )
    return replace(tree, symbol=names.get(tree.symbol, tree.symbol), children=children, asides=asides)


def written_used(problem: Problem, candidate: Candidate) -> frozenset[int]:
    """The written numbers that a candidate uses, at their own place or where they are mentioned again."""
    origins = problem.origins
    return frozenset([origin for k in candidate.used if isinstance(origin := origins[k], int)])


def merge(candidates: Iterable[Candidate], origins: Sequence[object] = ()) -> tuple[Candidate, ...]:
    """Merge equivalent candidates into their most likely form; the best first.

    Two are equivalent if they use the same numbers and have the same value, or state the same equation.
    ``origins`` has the origin of each number of the text; a number that is mentioned again has the same one.
    """
    by_use: dict[frozenset[object], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda one: -one.log_probability):
        used = candidate.used
        by_use.setdefault(frozenset([origins[k] for k in used]) if origins else used, []).append(candidate)
    groups = [group for alike in by_use.values() for group in _groups(alike)]
    return tuple(sorted(map(_as_one, groups), key=lambda one: -one.log_probability))


def _groups(alike: Sequence[Candidate]) -> Iterable[Sequence[Candidate]]:
    """Candidates that use the same numbers, grouped by their meaning."""
    if len(alike) == 1:  # the most common case needs no algebra
        return (alike,)
    groups: dict[object, list[Candidate]] = {}
    for candidate in alike:
        groups.setdefault(_meaning(candidate), []).append(candidate)
    return groups.values()


def _meaning(candidate: Candidate) -> object:
    mathematics = candidate.mathematics
    if not _has_value(mathematics):
        return canonical_form(mathematics) or mathematics
    value = quick_value(mathematics)
    return mathematics if value is None else value


def _as_one(group: Sequence[Candidate]) -> Candidate:
    if len(group) == 1:
        return group[0]
    total = log_sum([one.log_probability for one in group])
    return group[0].rescored(math.exp(total), total)

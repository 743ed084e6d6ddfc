"""Reranker: which of the k best expressions makes sense, from features of the whole and of its answer.

A count isn't negative, a share of whole things is whole, "how many pounds" asks for numbers with the unit
pound. The chart can't see such things, because they belong to no single node; a reranker over the k best
expressions can, and learns the weight of each from training examples.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import (
    Annotations,
    before_question,
    is_content,
    is_name,
    is_verb,
    remembered,
)
from text2math.language.problem import Problem, once_a_problem
from text2math.language.quantity import Quantity, Source
from text2math.mathematics.algebra import quick_value
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_system,
    variables,
)
from text2math.mathematics.logarithms import log_sum
from text2math.model.candidates import Candidate, written_used
from text2math.scorers.features import check_templates
from text2math.scorers.relevance import TEMPLATES as USE_TEMPLATES
from text2math.scorers.relevance import phrase_match, plain_value, unit_match

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Template = Callable[[Annotations, Candidate], Iterator[str]]
PartTemplate = Callable[[Annotations, Any], Iterable[str]]  # the features of a part of a candidate
Weigher = Callable[[Annotations, Any, Candidate], float]


def answer(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """What kind of number the answer is; for a system, what kind of numbers solve it."""
    if is_system(candidate.mathematics):
        yield from _kinds_of_solution(candidate)
    if candidate.equation is not None:
        return
    value, root = quick_value(candidate.mathematics), _root(candidate.mathematics)
    if value is None:
        yield "none"
        return
    operands = [_plain(number.value) for number in candidate.numbers]
    whole = all(operand.denominator == 1 for operand in operands)
    for name in _kinds_of_value(value, operands, whole):
        yield name
        yield f"{name},{root}"
    if value not in operands and value in written_values(annotations.problem):
        yield "a-number-of-the-text"
        yield f"a-number-of-the-text,{root}"


def _kinds_of_value(value: Fraction | int, operands: Sequence[Fraction | int], whole: bool) -> Iterator[str]:
    """How an answer compares with the numbers it is made of."""
    least, most = min(operands), max(operands)
    if value < 0:
        yield "negative"
    elif value == 0:
        yield "zero"
    elif value < 1:
        yield "below-one"
    if value.denominator != 1:
        if whole:
            yield "fraction-of-wholes"
        if value.denominator > 1000:
            yield "long-fraction"
    if value > 100 * most:
        yield "huge"
    if value > most:
        yield "above-all"
    elif value < least:
        yield "below-all"
    elif len(operands) > 1 and value in operands:
        yield "an-operand"


def _kinds_of_solution(candidate: Candidate) -> Iterator[str]:
    solved = candidate.solution
    if solved is None:
        yield "unsolved"
        return
    whole = all(number.value.denominator == 1 for number in candidate.numbers)
    for name, holds in {
        "negative-unknown": any(value < 0 for value in solved.values()),
        "zero-unknown": any(value == 0 for value in solved.values()),
        "fractional-unknown": whole and any(value.denominator != 1 for value in solved.values()),
        "equal-unknowns": len(set(solved.values())) < len(solved),
    }.items():
        if holds:
            yield name


def numbers_used(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """Which numbers are used and which are left out, by how they relate to the question."""
    used = written_used(annotations.problem, candidate)
    inside, outside = list[str](), list[str]()
    for k, quantity in enumerate(annotations.problem.quantities):
        (inside if k in used else outside).append(unit_match(annotations, quantity))
    yield f"used={len(inside)}/{len(inside) + len(outside)}"
    yield f"left-out={len(outside)}"
    yield f"asked-left-out={outside.count('asked')}"
    yield f"other-used={inside.count('other') + inside.count('bare')},asked-used={inside.count('asked')}"
    if outside:
        yield f"asked-left-out={outside.count('asked')},other-used={inside.count('other')}"
        yield f"exactly-the-asked={set(inside) == {'asked'} and 'asked' not in outside}"
    kinds = {plain_value(annotations, k).denominator == 1 for k in used}
    if len(kinds) == 2:
        yield "whole-with-decimal"
    for k in used:
        if plain_value(annotations, k) in (1, 2):
            yield "small-used"


def use_of_numbers(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """Which numbers that fit the question are used, and the relevance features of each number left out."""
    used = written_used(annotations.problem, candidate)
    matches = [phrase_match(annotations, k) for k in range(len(annotations.problem.quantities))]
    off = [k for k, match in enumerate(matches) if match in ("rival", "other")]
    fitting = [k for k, match in enumerate(matches) if match in ("same", "narrower", "wider")]
    if off and len(fitting) >= 2:
        yield f"off-used={any(k in used for k in off)}"
        yield f"fitting-all-used={all(k in used for k in fitting)}"
        yield f"exactly-fitting={used == set(fitting)}"
    for k in range(len(annotations.problem.quantities)):
        if k not in used:
            yield from _left_out(annotations, k)


@remembered
def _left_out(annotations: Annotations, k: int) -> list[str]:
    names = ("units", "phrases", "modifiers", "value")
    return [f"left-out,{name}:{feature}" for name in names for feature in USE_TEMPLATES[name](annotations, k)]


def unit_roles(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """For every operation on two numbers: their units against each other's and the question's, and "each"."""
    for pair in _pairs_of_numbers(candidate):
        yield from unit_roles_of(annotations, pair)


def unit_roles_of(annotations: Annotations, pair: tuple[Operator, int, int]) -> Iterator[str]:
    """The units of two numbers, against each other's and the question's, with their operator."""
    operator, a, b = pair
    name = operator.name
    left, right = annotations.problem.all_quantities[a], annotations.problem.all_quantities[b]
    roles = f"{unit_match(annotations, left)},{unit_match(annotations, right)}"
    yield f"{name},{roles}"
    yield f"{name},same={left.unit == right.unit}"
    first, second = plain_value(annotations, a), plain_value(annotations, b)
    in_order = left.first_token < right.first_token
    yield f"{name},order={in_order},larger-first={first >= second}"
    rates = f"{_is_rate(annotations, a)},{_is_rate(annotations, b)}"
    yield f"{name},rates={rates}"
    yield f"{name},rates={rates},{roles}"
    if operator is Operator.DIV and second:
        yield f"divides={first % second == 0}"


def shape(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The operators and the form of the expression."""
    yield f"operators={candidate.signs}"
    yield f"form={candidate.form}"
    if candidate.equation is not None:
        unknowns = [node.name for node in candidate.nodes if isinstance(node, Variable)]
        yield f"unknowns={len(variables(candidate.mathematics))},{len(unknowns)}"
        yield f"numbers={len(candidate.numbers)}"


def roles(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The role of each number (its operator, its side, the other operand), with the words around it."""
    for role in _roles(candidate):
        yield from role_of(annotations, role)


def role_of(annotations: Annotations, role: tuple[str, int]) -> Iterator[str]:
    """The role of a number, with the words around it."""
    name, k = role
    quantity = annotations.problem.all_quantities[k]
    yield f"{name},{quantity.kind}"
    yield f"{name},after={annotations.lemma(quantity.last_token)}"
    yield f"{name},then={annotations.lemma(quantity.last_token + 1)}"
    yield f"{name},before={annotations.lemma(quantity.first_token - 1)}"
    yield f"{name},small={plain_value(annotations, k) < 1}"


def _roles(candidate: Candidate) -> Iterator[tuple[str, int]]:
    """The role of each number used: its operator, its side if that matters, and the kind of other operand."""
    for node in candidate.nodes:
        if isinstance(node, Operation):
            for side, own, other in (("left", node.left, node.right), ("right", node.right, node.left)):
                if isinstance(own, Number) and own.quantity is not None:
                    before = "" if node.operator.commutative else f"{side} "
                    yield f"{before}{node.operator.name} {_kind(other)}", own.quantity


def told(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The role of each number, with the verbs and cues of its clause and how it relates to the question."""
    for role in _roles(candidate):
        yield from told_of(annotations, role)


def told_of(annotations: Annotations, role: tuple[str, int]) -> Iterator[str]:
    """The role of one number with the facts of its clause."""
    name, k = role
    for fact in _facts(annotations, k):
        yield f"{name},{fact}"


@remembered
def _facts(annotations: Annotations, k: int) -> list[str]:
    quantity, tokens = annotations.problem.all_quantities[k], annotations.problem.tokens
    clause = annotations.clause_of(quantity)
    own = f"{unit_match(annotations, quantity)},{'each' if _is_rate(annotations, k) else 'once'}"
    verbs_ = {tokens[i].lemma.lower() for i in clause if is_verb(tokens[i]) and is_content(tokens[i])}
    asked = tokens[quantity.first_token].in_question
    found = [own, f"asked={asked},{own}", f"place={_place(annotations, quantity)}"]
    found += [f"verb={verb}" for verb in sorted(verbs_)]
    if verbs_ and annotations.question_verbs:
        found.append(f"verb-asked={not verbs_.isdisjoint(annotations.question_verbs)}")
    names = {tokens[i].text.lower() for i in clause if is_name(tokens[i])}
    if names and annotations.question_names:
        found.append(f"name-asked={not names.isdisjoint(annotations.question_names)}")
    if k < len(annotations.counted):
        found.append(f"phrase={phrase_match(annotations, k)}")
    found += [f"cue={cue}" for cue in sorted({cue for i in clause for cue in annotations.cues[i]})]
    found += [f"{own},{cue}" for cue in annotations.question_cues]
    return found


def _place(annotations: Annotations, quantity: Quantity) -> str:
    written = annotations.problem.quantities
    first, last = (
        quantity.first_token <= written[0].first_token,
        quantity.first_token >= written[-1].first_token,
    )
    return "first" if first else "last" if last else "inside"


def events(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """For every operation on two numbers: the verbs of their clauses."""
    for pair in _pairs_of_numbers(candidate):
        yield from events_of(annotations, pair)


def _pairs_of_numbers(candidate: Candidate) -> Iterator[tuple[Operator, int, int]]:
    """Every operation on two numbers."""
    for node in candidate.nodes:
        if isinstance(node, Operation):
            left, right = node.left, node.right
            if isinstance(left, Number) and isinstance(right, Number):
                a, b = left.quantity, right.quantity
                if a is not None and b is not None:
                    yield node.operator, a, b


def events_of(annotations: Annotations, pair: tuple[Operator, int, int]) -> Iterator[str]:
    """The verbs of the clauses of two numbers, in the order of the text, with their operator."""
    operator, a, b = pair
    sign = operator.name if a < b or operator.commutative else f"{operator.name}~"
    first, second = (_verb(annotations, k) for k in sorted((a, b)))
    yield f"{sign},{first},{second}"
    for cue in annotations.question_cues:
        yield f"{sign},{second},{cue}"


@remembered
def _verb(annotations: Annotations, k: int) -> str:
    """The verb of a number's clause, the nearest one before the number if there are several."""
    quantity, tokens = annotations.problem.all_quantities[k], annotations.problem.tokens
    verbs_ = [i for i in annotations.clause_of(quantity) if is_verb(tokens[i])]
    before = [i for i in verbs_ if i < quantity.first_token]
    at = before[-1] if before else verbs_[0] if verbs_ else None
    return "none" if at is None else tokens[at].lemma.lower()


def dimensions(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The expression with units instead of numbers: A is the unit asked for, b and c are others."""
    if candidate.equation is not None or len(candidate.numbers) > _MOST_IN_LAYOUT:
        return
    letters = _unit_letters(annotations, candidate)
    plain = _spelled(candidate.mathematics, lambda k: letters[k][0])
    yield plain
    marked = any(len(letter) > 1 for letter in letters.values())
    yield _spelled(candidate.mathematics, letters.__getitem__) if marked else plain
    for cue in annotations.question_cues:
        yield f"{plain},{cue}"


def _unit_letters(annotations: Annotations, candidate: Candidate) -> dict[int, str]:
    """For each number used, a letter for its unit, with a mark if its clause says "each"."""
    others: dict[str, str] = {}
    found = {}
    for k in sorted(candidate.used):
        quantity = annotations.problem.all_quantities[k]
        match = unit_match(annotations, quantity)
        if match == "asked":
            letter = "A"
        elif quantity.unit:
            letter = others.setdefault(quantity.unit, "bcdefgh"[min(len(others), 6)])
        else:
            letter = "_"
        found[k] = letter + ("'" if _is_rate(annotations, k) else "")
    return found


def arrangement(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The expression with the ranks of its numbers in the text, alone and with the question's words."""
    if candidate.equation is not None or not 2 < len(candidate.numbers) <= _MOST_IN_LAYOUT:
        return
    ranks = {k: str(rank) for rank, k in enumerate(sorted(candidate.used))}
    spelled = _spelled(candidate.mathematics, ranks.__getitem__)
    yield spelled
    for term in (*annotations.question_terms, *annotations.all_cues):
        yield f"{spelled},{term}"


def question_lead(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The words before the question in its sentence, with the operators: "In total, how many …"."""
    lead = before_question(annotations)
    if lead:
        yield f"{lead},{candidate.order}"
        yield f"{lead},{candidate.order},left-out={len(annotations.problem.quantities) - len(candidate.used)}"


_MOST_IN_LAYOUT = 4  # numbers; longer expressions are all different


def _spelled(expression: Expression, leaf: Callable[[int], str]) -> str:
    """The expression with its numbers replaced; the order of operands of + and × does not matter."""
    match expression:
        case Operation(operator, left, right):
            sides = [_spelled(left, leaf), _spelled(right, leaf)]
            if operator.commutative:
                sides.sort()
            return f"({sides[0]}{operator.value}{sides[1]})"
        case Number(quantity=int(k)):
            return leaf(k)
        case _:
            return "?"


def _kind(expression: Expression) -> str:
    match expression:
        case Number():
            return "number"
        case Variable():
            return "unknown"
        case Operation(operator):
            return operator.name


def implied(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """Which implied numbers are used, and which written ones are used twice."""
    problem = annotations.problem
    used = [problem.all_quantities[k] for k in candidate.used]
    known = [quantity for quantity in used if quantity.source is Source.KNOWN]
    if known:
        yield f"known={len(known)}"
    for quantity in known:
        yield f"fact={quantity.fact}"
        yield f"value={quantity.value}"
    for quantity in used:
        if quantity.source is Source.REFERRING:
            yield f"mention={annotations.lemma(quantity.first_token)}"
    origin = problem.first_of_origin
    origins = [origin[one.quantity] for one in candidate.numbers if one.quantity is not None]
    if len(set(origins)) < len(origins):
        twice = sum(count > 1 for count in Counter(origins).values())
        yield f"used-twice={twice}"
        yield f"used-twice,{candidate.signs}"


def cues(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The lexicon's cues with the operators."""
    return _crossed(annotations.all_cues, (candidate.signs, candidate.order))


def votes(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """Whether the lexicon's cues are for or against the operators used, whichever they are.

    All operators share one weight, so a cue that never occurred in training still counts.
    """
    used = {node.operator for node in candidate.nodes if isinstance(node, Operation)}
    for cue in annotations.all_cues:
        operator = annotations.speaks_for.get(cue)
        if operator is not None:
            place = cue.split(":")[0]
            yield f"{place},{'for' if operator in used else 'against'}"
    asked = {
        annotations.speaks_for[cue]
        for cue in annotations.all_cues
        if cue.startswith("question:") and cue in annotations.speaks_for
    }
    if asked:
        yield f"question,{'some-for' if asked & used else 'none-for'}"


def verbs(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """What happens in the clauses of an operation's two numbers: gain, loss, or neither."""
    for operation in _operations(candidate):
        yield from verbs_of(annotations, operation)


def _operations(candidate: Candidate) -> Iterator[tuple[Operator, int | None, int | None]]:
    """Every operation, with the number on each side if there is a single one."""
    for node in candidate.nodes:
        if isinstance(node, Operation):
            left, right = node.left, node.right
            yield (
                node.operator,
                left.quantity if isinstance(left, Number) else None,
                right.quantity if isinstance(right, Number) else None,
            )


def verbs_of(annotations: Annotations, operation: tuple[Operator, int | None, int | None]) -> Iterator[str]:
    """What happens in the clauses of two operands, with their operator."""
    operator, left, right = operation
    first, second = _happens(annotations, left), _happens(annotations, right)
    yield f"{operator.name},{first},{second}"
    yield f"{operator.name},right={second}"


def _happens(annotations: Annotations, operand: int | None) -> str:
    return "several" if operand is None else _happens_to(annotations, operand)


@remembered
def _happens_to(annotations: Annotations, k: int) -> str:
    clause = annotations.clause_of(annotations.problem.all_quantities[k])
    found = {cue for i in clause for cue in annotations.cues[i]}
    kinds = [kind for kind in ("gain", "lose", "result") if f"story:{kind}" in found]
    return "+".join(kinds) or "neither"


def question_words(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The question's words and pairs of words with the operators."""
    return _crossed(annotations.question_terms, (candidate.order,))


def story_words(annotations: Annotations, candidate: Candidate) -> Iterator[str]:
    """The story's words with the operators and the order of the operands."""
    return _crossed(annotations.story_terms, (candidate.order,))


def _crossed(terms: Sequence[str], kinds: Sequence[str]) -> Iterator[str]:
    """Each term of a text with each kind of a candidate; ``_term_and_kind`` takes them apart again."""
    return (f"{term},{kind}" for term in terms for kind in kinds)


def _term_and_kind(feature: str) -> tuple[str, str]:
    """A kind is made of operators, and has no comma."""
    term, _, kind = feature.rpartition(",")
    return term, kind


TEMPLATES: dict[str, Template] = {
    "answer": answer,
    "numbers-used": numbers_used,
    "use-of-numbers": use_of_numbers,
    "unit-roles": unit_roles,
    "shape": shape,
    "cues": cues,
    "roles": roles,
    "implied": implied,
    "votes": votes,
    "verbs": verbs,
    "question-words": question_words,
    "story-words": story_words,
    "told": told,
    "events": events,
    "dimensions": dimensions,
    "arrangement": arrangement,
    "question-lead": question_lead,
}
# Templates of one feature, which has a value.
VALUES: dict[str, Callable[[Candidate], float]] = {"relations": lambda candidate: candidate.relations}
# These have so many features that they help only with thousands of training examples.
FOR_MANY_EXAMPLES = ("told", "events", "dimensions", "arrangement", "question-lead")
USUAL = tuple(name for name in TEMPLATES if name not in FOR_MANY_EXAMPLES)


_VALUE = "value"  # the feature of a template that has only one
_NOTHING = repeat(0.0)  # the weight of unknown features

# These templates cross each term of the text with each kind of a candidate.
_TERMS: dict[str, Callable[[Annotations], Sequence[str]]] = {
    "cues": lambda annotations: annotations.all_cues,
    "question-words": lambda annotations: annotations.question_terms,
    "story-words": lambda annotations: annotations.story_terms,
}


@dataclass(frozen=True, slots=True)
class _Aspect:
    """What some templates look at: parts of a candidate, most of which other candidates have as well."""

    parts: Callable[[Candidate], Iterable[Hashable]]
    of_part: Mapping[str, PartTemplate] = field(default_factory=dict)  # the features of a part
    of_candidate: tuple[str, ...] = ()  # templates that depend on nothing but the part
    crossed: tuple[str, ...] = ()  # templates that cross each term of the text with the part

    @property
    def templates(self) -> tuple[str, ...]:
        """The names of its templates."""
        return (*self.of_part, *self.of_candidate, *self.crossed)

    def weigher(self, weights: Mapping[str, Mapping[str, float]]) -> Weigher:
        """The total weight of a part's features."""
        of_part = [(own, weights[name].get) for name, own in self.of_part.items() if name in weights]
        of_whole = [(TEMPLATES[name], weights[name].get) for name in self.of_candidate if name in weights]
        crossed = [(_TERMS[name], _by_kind(weights[name])) for name in self.crossed if name in weights]

        def weigh(annotations: Annotations, part: Any, candidate: Candidate) -> float:
            total = _total(of_part, annotations, part) + _total(of_whole, annotations, candidate)
            for terms, of_kind in crossed:
                if part in of_kind:
                    total += sum(map(of_kind[part].get, terms(annotations), _NOTHING))
            return total

        return weigh


_ASPECTS = (
    _Aspect(_pairs_of_numbers, {"unit-roles": unit_roles_of, "events": events_of}),
    _Aspect(_roles, {"roles": role_of, "told": told_of}),
    _Aspect(_operations, {"verbs": verbs_of}),
    _Aspect(lambda candidate: (candidate.used,), of_candidate=("numbers-used", "use-of-numbers")),
    _Aspect(lambda candidate: (candidate.signs,), of_candidate=("votes",), crossed=("cues",)),
    _Aspect(lambda candidate: (candidate.order,), crossed=tuple(_TERMS)),
    _Aspect(
        lambda candidate: ((candidate.order, len(candidate.used)),),
        of_candidate=("question-lead",),
    ),
    _Aspect(
        lambda candidate: (candidate.form if candidate.equation is None else id(candidate),),
        of_candidate=("shape",),
    ),
)
_SHARED = frozenset(name for aspect in _ASPECTS for name in aspect.templates)


class _Gains:
    """The total weight of each candidate's features. What candidates have in common is weighed once a text,
    and templates without weights are not asked.
    """

    def __init__(self, weights: Mapping[str, Mapping[str, float]]) -> None:
        known = {name: own for name, own in weights.items() if own and name in TEMPLATES}
        valued = [(VALUES[name], own[_VALUE]) for name, own in weights.items() if own and name in VALUES]
        self._valued = valued
        self._own = [(TEMPLATES[name], own.get) for name, own in known.items() if name not in _SHARED]
        self._shared = [
            (aspect.parts, aspect.weigher(known))
            for aspect in _ASPECTS
            if not known.keys().isdisjoint(aspect.templates)
        ]

    def of(self, annotations: Annotations, candidates: Iterable[Candidate]) -> list[float]:
        """The total weights of the candidates of a text."""
        cache: dict[tuple[int, Hashable], float] = {}
        return [self._of_one(annotations, candidate, cache) for candidate in candidates]

    def _of_one(
        self, annotations: Annotations, candidate: Candidate, cache: dict[tuple[int, Hashable], float]
    ) -> float:
        total = _total(self._own, annotations, candidate)
        for value, weight in self._valued:
            total += weight * value(candidate)
        for number, (parts, weigh) in enumerate(self._shared):
            for part in parts(candidate):
                gain = cache.get((number, part))
                if gain is None:
                    gain = cache[number, part] = weigh(annotations, part, candidate)
                total += gain
        return total


def _total(
    templates: Iterable[tuple[PartTemplate, Callable[[str, float], float]]], annotations: Annotations, of: Any
) -> float:
    """The total weight of the features that templates find; an unknown feature has none."""
    total = 0.0
    for template, weight in templates:
        total += sum(map(weight, template(annotations, of), _NOTHING))
    return total


def _by_kind(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The weights of terms by the kind they are crossed with: so no name has to be put together for each."""
    found: dict[str, dict[str, float]] = {}
    for feature, weight in weights.items():
        term, kind = _term_and_kind(feature)
        found.setdefault(kind, {})[term] = weight
    return found


def _plain(value: Fraction) -> Fraction | int:
    """The same number, as an integer if it is whole: integers are compared much faster."""
    return value.numerator if value.denominator == 1 else value


@once_a_problem
def written_values(problem: Problem) -> list[Fraction | int]:
    """The values of the written numbers."""
    return [_plain(quantity.value) for quantity in problem.quantities]


def _root(expression: Expression) -> str:
    return expression.operator.name if isinstance(expression, Operation) else "leaf"


@remembered
def _is_rate(annotations: Annotations, k: int) -> bool:
    """Whether "each", "per" and the like appear in the number's clause."""
    quantity = annotations.problem.all_quantities[k]
    return any(cue.endswith(":each") for i in annotations.clause_of(quantity) for cue in annotations.cues[i])


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """Which templates are on, the scale of each, and the regularisation strength."""

    templates: tuple[str, ...] = USUAL
    scales: tuple[tuple[str, float], ...] = (
        ("question-words", 0.5),
        ("story-words", 0.3),
        ("cues", 0.5),
        ("numbers-used", 0.3),
    )
    l2: float = 0.5
    min_count: int = 1  # how many training problems a feature must occur in

    def __post_init__(self) -> None:
        check_templates("templates", self.templates, {**TEMPLATES, **VALUES})

    def without(self, *templates: str) -> RerankerConfig:
        """The same with some templates off."""
        return replace(self, templates=tuple(name for name in self.templates if name not in templates))


def features(
    annotations: Annotations, candidate: Candidate, config: RerankerConfig
) -> list[tuple[str, float]]:
    """Every feature of a candidate, with its value."""
    scales = dict(config.scales)
    found = [
        (f"{name}:{feature}", scales.get(name, 1.0))
        for name in config.templates
        if name in TEMPLATES
        for feature in TEMPLATES[name](annotations, candidate)
    ]
    valued = (name for name in config.templates if name in VALUES)
    return [
        *found,
        *((f"{name}:{_VALUE}", scales.get(name, 1.0) * VALUES[name](candidate)) for name in valued),
    ]


@dataclass(frozen=True, eq=False)
class Reranker:
    """A log-linear reranker: the chart's log-probability plus learned weights of the features above."""

    config: RerankerConfig
    vocabulary: dict[str, int]
    weights: NDArray[np.float64]  # the last one belongs to the log-probability itself

    def __repr__(self) -> str:
        return f"Reranker({len(self.config.templates)} templates, {self.weights.size:,} weights)"

    def __reduce__(self) -> tuple[type[Reranker], tuple[RerankerConfig, dict[str, int], NDArray[np.float64]]]:
        """Pickled without what was worked out: processes do that by themselves."""
        return Reranker, (self.config, self.vocabulary, self.weights)

    @classmethod
    def fit(
        cls,
        annotated: Sequence[Annotations],
        candidates: Sequence[Sequence[Candidate]],
        right: Sequence[Sequence[bool]],
        config: RerankerConfig,
        start: Reranker | None = None,
    ) -> Reranker:
        """Learn from lists of candidates and which of them are right; lists without a right one don't count.

        With a ``start``, training begins at its weights and is regularised towards them.
        """
        kept = [index for index, marks in enumerate(right) if any(marks) and not all(marks)]
        known = start.vocabulary if start is not None else {}
        found = _Rows(config)
        for index in kept:
            found.add(annotated[index], candidates[index])
        matrix, vocabulary = found.matrix(known)
        center = np.zeros(len(vocabulary) + 1)
        if start is not None:
            center[[*(vocabulary[name] for name in known), -1]] = start.weights[[*known.values(), -1]]
        scores = np.array([c.log_probability for index in kept for c in candidates[index]])
        gold = np.array([mark for index in kept for mark in right[index]], dtype=bool)
        starts = np.concatenate([[0], np.cumsum([len(candidates[index]) for index in kept])]).astype(np.int64)
        weights = _maximise(matrix, scores, gold, starts, config.l2, center)
        return cls(config, vocabulary, weights)

    @classmethod
    def mean(cls, rerankers: Sequence[Reranker]) -> Reranker:
        """The mean of some rerankers; a feature that one of them does not know has weight zero there."""
        names = sorted({name for one in rerankers for name in one.vocabulary})
        vocabulary = {name: column for column, name in enumerate(names)}
        weights = np.zeros(len(names) + 1)
        for one in rerankers:
            places = [*(vocabulary[name] for name in one.vocabulary), -1]
            weights[places] += one.weights[[*one.vocabulary.values(), -1]] / len(rerankers)
        return cls(rerankers[0].config, vocabulary, weights)

    def scores(self, annotations: Annotations, candidates: Sequence[Candidate]) -> tuple[float, ...]:
        """The candidates' log-probabilities after reranking (they add up to one)."""
        factor = 1 + float(self.weights[-1])
        gains = self._gains.of(annotations, candidates)
        scores = [
            gain + factor * candidate.log_probability
            for gain, candidate in zip(gains, candidates, strict=True)
        ]
        total = log_sum(scores)
        return tuple([score - total for score in scores])

    @cached_property
    def _gains(self) -> _Gains:
        return _Gains(self._weights_of)

    @cached_property
    def _weights_of(self) -> dict[str, dict[str, float]]:
        """For each template, the weights of its features, scaled."""
        scales = dict(self.config.scales)
        found: dict[str, dict[str, float]] = {name: {} for name in self.config.templates}
        weights = self.weights.tolist()
        for full, column in self.vocabulary.items():
            name, _, feature = full.partition(":")
            found[name][feature] = weights[column] * scales.get(name, 1.0)
        return found


class _Rows:
    """The features of many candidates by number: keeping their names for each would fill the memory."""

    def __init__(self, config: RerankerConfig) -> None:
        self._config = config
        self._numbers: dict[str, int] = {}
        self._groups: list[int] = []  # for each feature, in how many groups of candidates it is
        self._columns, self._values, self._ends = array("i"), array("d"), array("q", [0])

    def add(self, annotations: Annotations, candidates: Sequence[Candidate]) -> None:
        """Add the candidates of a problem."""
        here: set[int] = set()
        for candidate in candidates:
            for name, value in features(annotations, candidate, self._config):
                column = self._numbers.setdefault(name, len(self._numbers))
                here.add(column)
                self._columns.append(column)
                self._values.append(value)
            self._ends.append(len(self._columns))
        self._groups.extend([0] * (len(self._numbers) - len(self._groups)))
        for column in here:
            self._groups[column] += 1

    def matrix(self, known: Collection[str]) -> tuple[csr_matrix, dict[str, int]]:
        """A row for each candidate, and the columns of features: the known ones and the frequent ones."""
        from scipy.sparse import csr_matrix

        least = self._config.min_count
        often = {name for name, column in self._numbers.items() if self._groups[column] >= least}
        names = sorted(often | set(known))
        shape = (len(self._ends) - 1, len(self._numbers))
        every = csr_matrix((np.array(self._values), np.array(self._columns), np.array(self._ends)), shape)
        every.resize(shape[0], len(self._numbers) + 1)  # an empty column for known features that never occur
        chosen = [self._numbers.get(name, len(self._numbers)) for name in names]
        return every[:, chosen], {name: column for column, name in enumerate(names)}


def _maximise(
    matrix: csr_matrix,
    scores: NDArray[np.float64],
    gold: NDArray[np.bool_],
    starts: NDArray[np.int64],
    l2: float,
    center: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The weights that maximise the likelihood of right candidates, regularised towards ``center``."""
    if not len(starts) > 1:
        return center
    from scipy.optimize import minimize  # slow to import, so only for training

    transposed = matrix.T.tocsr()
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def log_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.logaddexp.reduceat(values, starts[:-1])

    def objective(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total = matrix @ weights[:-1] + (1 + weights[-1]) * scores
        every = log_sums(total)
        right = log_sums(np.where(gold, total, -np.inf))
        expected = np.exp(total - every[group]) - np.where(gold, np.exp(total - right[group]), 0.0)
        moved = weights - center
        gradient = np.append(transposed @ expected, scores @ expected) + 2 * l2 * moved
        return float((every - right).sum() + l2 * moved @ moved), gradient

    result = minimize(objective, center, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(result.x)

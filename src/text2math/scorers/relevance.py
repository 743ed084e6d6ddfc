"""Which numbers of a text matter: features of a number's use, and a predictor learned from them.

"She bought 2 dogs, 1 of them brown, for 3 dollars": whether a number takes part in the answer shows in what
it counts against what the question asks for, in the other numbers, its place, its neighbours and its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from text2math.language.annotations import (
    NUMBER,
    Annotations,
    is_adjective,
    is_content,
    is_name,
    is_noun,
    is_verb,
    remembered,
)
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem, Quantity
from text2math.scorers.regression import feature_matrix, logistic_regression

Template = Callable[[Annotations, int], Iterable[str]]


def unit_match(reading: Annotations, quantity: Quantity) -> str:
    """How what a number counts relates to what the question asks for."""
    asked, unit = reading.problem.question_units, quantity.unit
    if not asked:
        return "unasked"
    if not unit:
        return "bare"
    return "asked" if unit in asked else "other"


def neighbours(reading: Annotations, k: int) -> Iterator[str]:
    """The words around the number, alone and in pairs."""
    quantity = reading.problem.quantities[k]
    before, after = quantity.first_token - 1, quantity.last_token
    yield f"before={reading.lemma(before)}"
    yield f"before2={reading.lemma(before - 1)} {reading.lemma(before)}"
    yield f"after={reading.lemma(after)}"
    yield f"after2={reading.lemma(after)} {reading.lemma(after + 1)}"
    yield f"around={reading.lemma(before)} {reading.lemma(after)}"
    spelled = reading.problem.tokens[quantity.first_token].text.lower()
    yield f"form={NUMBER if spelled[:1].isdigit() else spelled}"


def units(reading: Annotations, k: int) -> Iterator[str]:
    """What the number counts against the question and against the other numbers."""
    quantities = reading.problem.quantities
    quantity = quantities[k]
    match = unit_match(reading, quantity)
    others = [unit_match(reading, other) for j, other in enumerate(quantities) if j != k]
    same = sum(other.unit == quantity.unit for j, other in enumerate(quantities) if j != k)
    yield f"unit={match}"
    yield f"unit={match},asked-among-others={min(2, others.count('asked'))}"
    yield f"unit={match},same-among-others={min(2, same)},others={min(3, len(others))}"
    if match != "asked" and others.count("asked") >= 2:
        yield "unit=two-others-asked"


@remembered
def phrase_match(reading: Annotations, k: int) -> str:
    """How the thing a number counts, with all that qualifies it, relates to the thing asked for."""
    counted, asked = reading.counted[k], reading.asked
    if not asked:
        return "unasked"
    if not counted:
        return "bare"
    if counted == asked:
        return "same"
    if counted > asked:
        return "narrower"
    if counted < asked:
        return "wider"
    return "rival" if counted & asked else "other"


def phrases(reading: Annotations, k: int) -> Iterator[str]:
    """The thing counted against the thing asked for: "tall trees" and "short trees" are rivals."""
    matches = [phrase_match(reading, j) for j in range(len(reading.problem.quantities))]
    mine = matches[k]
    better = sum(_NEARNESS[match] > _NEARNESS[mine] for match in matches)
    off = mine in ("rival", "other")
    yield f"phrase={mine}"
    yield f"phrase={mine},better={min(better, 2)}"
    yield f"off={off},better={better >= 1}"
    yield f"off={off},better={better >= 2}"
    if mine == "bare":
        token = reading.problem.quantities[k].last_token
        yield f"bare,then={reading.lemma(token)},better={better >= 2}"


_NEARNESS = {"same": 4, "narrower": 3, "wider": 3, "bare": 2, "unasked": 2, "rival": 1, "other": 0}


def modifiers(reading: Annotations, k: int) -> Iterator[str]:
    """Whether the words that qualify the counted thing ("orange balloons") also appear in the question."""
    words = _qualifiers(reading, k)
    if not words:
        yield "qualified=no"
        return
    shared = sum(word in reading.question_content for word in words)
    kind = "all" if shared == len(words) else "none" if not shared else "some"
    best = max(_shared(reading, j) for j in range(len(reading.problem.quantities)))
    yield f"qualified={kind}"
    yield f"qualified={kind},best={shared / len(words) >= best}"
    yield f"qualified={kind},unit={unit_match(reading, reading.problem.quantities[k])}"


def clause(reading: Annotations, k: int) -> Iterator[str]:
    """How much the number's clause shares with the question: words, verb, names."""
    quantities = reading.problem.quantities
    mine = _overlap(reading, k)
    overlaps = [_overlap(reading, other) for other in range(len(quantities))]
    yield f"overlap={min(mine, 4)}"
    yield f"overlap-rank={sum(other > mine for other in overlaps)}/{min(len(overlaps), 4)}"
    yield f"overlap-least={mine == min(overlaps) and mine < max(overlaps)}"
    tokens = reading.problem.tokens
    positions = reading.clause_of(quantities[k])
    verbs = [tokens[i].lemma.lower() for i in positions if is_verb(tokens[i]) and is_content(tokens[i])]
    if verbs and reading.question_verbs:
        yield f"verb-asked={any(verb in reading.question_verbs for verb in verbs)}"
    for verb in verbs:
        yield f"verb={verb}"
    names = [tokens[i].text.lower() for i in positions if is_name(tokens[i])]
    if names and reading.question_names:
        yield f"name-asked={any(name in reading.question_names for name in names)}"
    for cue in sorted({cue for i in positions for cue in reading.cues[i]}):
        yield f"clause-cue={cue}"


def position(reading: Annotations, k: int) -> Iterator[str]:
    """The number's rank among the numbers, and whether it is in the question."""
    count = len(reading.problem.quantities)
    yield "bias"
    yield f"count={min(count, 5)}"
    yield f"index={min(k, 3)}/{min(count, 4)}"
    yield f"from-end={min(count - 1 - k, 3)}/{min(count, 4)}"
    token = reading.problem.tokens[reading.problem.quantities[k].first_token]
    yield f"in-question={token.in_question}"
    yield f"in-question={token.in_question},count={min(count, 4)}"


@remembered
def plain_value(reading: Annotations, k: int) -> Fraction | int:
    """The value of a quantity, as an integer where it is one: those are compared much faster."""
    value = reading.problem.all_quantities[k].value
    return value.numerator if value.denominator == 1 else value


def value(reading: Annotations, k: int) -> Iterator[str]:
    """The kind of its value: a small whole number, a decimal, the only one of its kind."""
    quantities = reading.problem.quantities
    quantity, own = quantities[k], plain_value(reading, k)
    others = [plain_value(reading, j) for j in range(len(quantities)) if j != k]
    whole = own.denominator == 1
    decimals = sum(other.denominator != 1 for other in others)
    if whole and own <= 3:
        yield f"small={own}"
        yield f"small={own},after={reading.lemma(quantity.last_token)}"
        yield f"small,unit={unit_match(reading, quantity)}"
        yield f"small,count={min(len(quantities), 4)}"
    yield f"whole={whole},decimals={min(decimals, 2)}"
    yield f"twin={own in others}"
    rank = sum(other > own for other in others)
    yield f"rank={min(rank, 3)}/{min(len(quantities), 4)}"
    if len(others) >= 2 and own * 20 < min(others):
        yield "far-smaller"


def _once(template: Template) -> Template:
    """The template, asked once about a number: the scorer and the reranker both want to know."""
    return remembered(lambda reading, k: list(template(reading, k)))


TEMPLATES: dict[str, Template] = {
    "neighbours": _once(neighbours),
    "units": _once(units),
    "phrases": _once(phrases),
    "modifiers": _once(modifiers),
    "clause": _once(clause),
    "position": _once(position),
    "value": _once(value),
}


def use_features(reading: Annotations, k: int, templates: Sequence[str] = tuple(TEMPLATES)) -> list[str]:
    """All features of the k-th number, each named by its template."""
    return [f"{name}:{feature}" for name in templates for feature in TEMPLATES[name](reading, k)]


@remembered
def _qualifiers(reading: Annotations, k: int) -> list[str]:
    """The adjectives and nouns right after a number: "7 orange toy balloons"."""
    tokens = reading.problem.tokens
    found: list[str] = []
    for i in range(reading.problem.quantities[k].last_token, len(tokens)):
        if len(found) == 3 or not (is_adjective(tokens[i]) or is_noun(tokens[i])):
            break
        found.append(tokens[i].lemma.lower())
    return found


@remembered
def _shared(reading: Annotations, k: int) -> float:
    words = _qualifiers(reading, k)
    return sum(word in reading.question_content for word in words) / len(words) if words else 0.0


@remembered
def _overlap(reading: Annotations, k: int) -> int:
    tokens, clause = reading.problem.tokens, reading.clause_of(reading.problem.quantities[k])
    lemmas = {tokens[i].lemma.lower() for i in clause if is_content(tokens[i])}
    return len(lemmas & reading.question_content)


@dataclass(frozen=True, eq=False)
class NumberIdentifier:
    """Predicts which numbers of a text take part in its mathematics, by logistic regression."""

    vocabulary: dict[str, int]
    weights: NDArray[np.float64]
    lexicon: Lexicon

    @classmethod
    def fit(
        cls,
        problems: Sequence[Problem],
        used: Sequence[Sequence[bool]],
        *,
        l2: float = 0.1,
        lexicon: Lexicon | None = None,
    ) -> NumberIdentifier:
        """Learn from problems and, for each, which of its numbers are used."""
        lexicon = Lexicon.default() if lexicon is None else lexicon
        rows = [row for problem in problems for row in _rows(problem, lexicon)]
        names = sorted({name for row in rows for name, _ in row})
        vocabulary = {name: column for column, name in enumerate(names)}
        signs = np.array([1.0 if bit else -1.0 for bits in used for bit in bits])
        if len(rows) != len(signs):
            raise ValueError(f"{len(rows)} numbers in the texts, but {len(signs)} labels")
        weights = logistic_regression(feature_matrix(rows, vocabulary), signs, l2=l2)
        return cls(vocabulary, weights, lexicon)

    def probabilities(self, problem: Problem) -> tuple[float, ...]:
        """For each number, the probability that it is used."""
        scores = feature_matrix(_rows(problem, self.lexicon), self.vocabulary) @ self.weights
        return tuple(float(p) for p in np.exp(-np.logaddexp(0.0, -scores)))

    def __call__(self, problem: Problem) -> tuple[bool, ...]:
        """Which numbers are used."""
        return tuple(p >= 0.5 for p in self.probabilities(problem))


def _rows(problem: Problem, lexicon: Lexicon) -> list[list[tuple[str, float]]]:
    reading = Annotations.of(problem, lexicon)
    return [[(name, 1.0) for name in use_features(reading, k)] for k in range(len(problem.quantities))]

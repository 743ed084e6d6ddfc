"""The feature templates of the discrete model, each a short named piece; which are on is configuration.

A template sees ``Annotations`` and yields strings. There are five kinds, after what they are multiplied with:

* of a *word* (× the symbol of the node that owns it);
* of a *pair* of neighbours in a node's own string: words, the operands A and B, its edges (× symbol);
* of a *number* (its use as a constant), in ``text2math.scorers.relevance``;
* of the *whole* problem (× the root's symbol, and × the symbol of every operator);
* of the *order* of the numbers' values (× an operator's symbol and whether its operands are swapped).

A sixth kind, *votes*, isn't multiplied with anything: a cue of the lexicon speaks for one operator, and its
weight is shared by all operators, so that a cue which training never showed still counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from text2math.inference.potentials import EDGE, WORD, A, B, Symbol
from text2math.language.annotations import Annotations, annotations_of, before_question
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem
from text2math.scorers import relevance

Vote = tuple[str, Symbol]  # a feature and the one symbol it speaks for
MARKERS = {EDGE: "|", A: "A", B: "B"}
# What may be on the two sides of a boundary inside a node's own string.
PAIRS = (
    (EDGE, WORD),
    (EDGE, A),
    (EDGE, B),
    (WORD, EDGE),
    (WORD, WORD),
    (WORD, A),
    (WORD, B),
    (A, EDGE),
    (A, WORD),
    (A, B),
    (B, EDGE),
    (B, WORD),
    (B, A),
)


def word(reading: Annotations, i: int) -> Iterator[str]:
    """The word itself."""
    yield reading.words[i]


def lemma(reading: Annotations, i: int) -> Iterator[str]:
    """Its lemma; names are one class."""
    yield reading.lemmas[i]


def question(reading: Annotations, i: int) -> Iterator[str]:
    """Its lemma with its location: "altogether" in the question is not "altogether" in the story."""
    yield f"{reading.place(i)} {reading.lemmas[i]}"


def pos(reading: Annotations, i: int) -> Iterator[str]:
    """Its part of speech."""
    yield reading.problem.tokens[i].pos


def lexicon(reading: Annotations, i: int) -> Iterator[str]:
    """The cues of the lexicon it belongs to."""
    yield from reading.cues[i]


WORD_TEMPLATES: dict[str, Callable[[Annotations, int], Iterator[str]]] = {
    "word": word,
    "lemma": lemma,
    "question": question,
    "pos": pos,
    "lexicon": lexicon,
}


def trigram(reading: Annotations) -> list[list[str]]:
    """In the question, each word with both neighbours."""
    around = zip(("<", *reading.lemmas), reading.lemmas, (*reading.lemmas[1:], ">"), strict=False)
    tokens = reading.problem.tokens
    return [
        [
            f"{before} {own} {after}" if token.in_question else ""
            for token, (before, own, after) in zip(tokens, around, strict=True)
        ]
    ]


def context(reading: Annotations) -> list[list[str]]:
    """Each word with each of its neighbours in the text, whichever node owns them."""
    lemmas = reading.lemmas
    return [
        [f"{before} [{own}]" for before, own in zip(("<", *lemmas), lemmas, strict=False)],
        [f"[{own}] {after}" for own, after in zip(lemmas, (*lemmas[1:], ">"), strict=False)],
    ]


# What these say of a word depends on the words beside it. Each gives one or more lists with a feature for
# each word, "" for none.
CONTEXT_TEMPLATES: dict[str, Callable[[Annotations], list[list[str]]]] = {
    "trigram": trigram,
    "context": context,
}


def bigram(reading: Annotations) -> Sequence[str]:
    """The two neighbours at a boundary, words as written."""
    return reading.words


def bigram_lemma(reading: Annotations) -> Sequence[str]:
    """The two neighbours at a boundary as lemmas, with the place of the words among them."""
    return reading.placed


def bigram_pos(reading: Annotations) -> Sequence[str]:
    """The parts of speech of the two neighbours at a boundary."""
    return [token.pos for token in reading.problem.tokens]


# For pairs a template says how it writes a word; the feature is what is left and right of the boundary.
PAIR_TEMPLATES: dict[str, Callable[[Annotations], Sequence[str]]] = {
    "bigram": bigram,
    "bigram-lemma": bigram_lemma,
    "bigram-pos": bigram_pos,
}


def question_words(reading: Annotations) -> Iterator[str]:
    """The question's words and pairs of words."""
    yield from reading.question_terms


def story_words(reading: Annotations) -> Iterator[str]:
    """The story's words."""
    yield from {reading.lemmas[i] for i, token in enumerate(reading.problem.tokens) if not token.in_question}


def question_cues(reading: Annotations) -> Iterator[str]:
    """The lexicon's cues, of the question and of the story."""
    yield from reading.all_cues


def number_units(reading: Annotations) -> Iterator[str]:
    """How the numbers' units relate to the question's and to each other."""
    quantities = reading.problem.quantities
    yield f"count={min(len(quantities), 4)}"
    matches = [relevance.unit_match(reading, quantity) for quantity in quantities]
    if len(quantities) <= 3:
        yield f"units={','.join(matches)}"
    distinct = {quantity.unit for quantity in quantities if quantity.unit}
    yield f"distinct-units={min(len(distinct), 3)}/{min(len(quantities), 4)}"


def question_lead(reading: Annotations) -> Iterator[str]:
    """The words before the question in its sentence, and with how many numbers: "In total, how many …"."""
    lead = before_question(reading)
    if lead:
        yield lead
        yield f"{lead},numbers={min(len(reading.problem.quantities), 4)}"


WHOLE_TEMPLATES: dict[str, Callable[[Annotations], Iterator[str]]] = {
    "question-words": question_words,
    "story-words": story_words,
    "cues": question_cues,
    "number-units": number_units,
    "question-lead": question_lead,
}
# What the variants of the paper have. The lead of a question was added later.
USUAL_WHOLE = ("question-words", "story-words", "cues", "number-units")


def value_order(reading: Annotations, relevant: tuple[bool, ...] | None) -> Iterator[str]:
    """Whether the numbers grow along the text: a larger one is rarely taken from a smaller one."""
    count = len(reading.problem.quantities)
    values = [relevance.plain_value(reading, k) for k in range(count) if relevant is None or relevant[k]]
    yield "bias"
    if len(values) < 2:
        return
    direction = "up" if values[0] < values[-1] else "down" if values[0] > values[-1] else "level"
    yield f"{direction},{min(len(values), 3)}"
    largest = max(values)
    yield f"largest={'first' if largest == values[0] else 'last' if largest == values[-1] else 'inside'}"


ORDER_TEMPLATES: dict[str, Callable[[Annotations, tuple[bool, ...] | None], Iterator[str]]] = {
    "value-order": value_order,
}


def word_votes(reading: Annotations, i: int) -> Iterator[Vote]:
    """The operators that the lexicon's cues of a word speak for."""
    for cue in reading.cues[i]:
        operator = reading.speaks_for.get(cue)
        if operator is not None:
            yield f"{reading.place(i)}", Symbol[operator.name]


def whole_votes(reading: Annotations) -> Iterator[Vote]:
    """The operators that the cues of the question, and of the story, speak for, each once."""
    found = {vote for i, cues in enumerate(reading.cues) if cues for vote in word_votes(reading, i)}
    yield from sorted(found)
    asked = {symbol for place, symbol in found if place == "q"}
    told = {symbol for place, symbol in found if place == "s"}
    for symbol in sorted(asked):
        yield f"q-only={len(asked) == 1}", symbol
    if not asked:
        for symbol in sorted(told):
            yield "s,none-asked", symbol


# Features that apply to any text are regularised less than words, of which training shows only some.
DEFAULT_SCALES = (
    ("votes", 3.0),
    ("phrases", 3.0),
    ("units", 2.0),
    ("value-order", 2.0),
    ("value", 1.5),
    ("word", 0.5),
    ("bigram", 0.5),
    ("bigram-lemma", 0.5),
    ("neighbours", 0.5),
    ("position", 0.3),
    ("question-words", 0.5),
    ("story-words", 0.3),
    ("context", 0.3),
    ("trigram", 0.3),
)


@dataclass(frozen=True, slots=True)
class FeatureConfig:
    """Which templates are on, and the scale of each (1 where not named).

    A scale of s has the effect of an L2 penalty 1/s² as strong on that template's weights.

    >>> "pos" in FeatureConfig().without("pos", "bigram-pos").words
    False
    """

    words: tuple[str, ...] = (*WORD_TEMPLATES, *CONTEXT_TEMPLATES)
    pairs: tuple[str, ...] = tuple(PAIR_TEMPLATES)
    whole: tuple[str, ...] = USUAL_WHOLE
    order: tuple[str, ...] = tuple(ORDER_TEMPLATES)
    numbers: tuple[str, ...] = tuple(relevance.TEMPLATES)
    votes: bool = True  # the lexicon's operators, with weights that all operators share
    given: bool = True  # relevance of numbers, where it is passed in, as a feature of the number
    forbid: bool = False  # where relevance is passed in, an irrelevant number can't be used at all
    scales: tuple[tuple[str, float], ...] = DEFAULT_SCALES
    lexicon: Lexicon = field(default_factory=Lexicon.default)

    def __post_init__(self) -> None:
        check_templates("words", self.words, (*WORD_TEMPLATES, *CONTEXT_TEMPLATES))
        check_templates("pairs", self.pairs, PAIR_TEMPLATES)
        check_templates("whole", self.whole, WHOLE_TEMPLATES)
        check_templates("order", self.order, ORDER_TEMPLATES)
        check_templates("numbers", self.numbers, relevance.TEMPLATES)

    def without(self, *templates: str) -> FeatureConfig:
        """The same with some templates off."""

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if name not in templates)

        return replace(
            self,
            words=kept(self.words),
            pairs=kept(self.pairs),
            whole=kept(self.whole),
            order=kept(self.order),
            numbers=kept(self.numbers),
            votes=self.votes and "votes" not in templates,
        )

    def scale(self, template: str) -> float:
        """The scale of a template's features."""
        return dict(self.scales).get(template, 1.0)


def check_templates(kind: str, names: Sequence[str], known: Collection[str]) -> None:
    """Raise ``ValueError`` for a template that does not exist or is named twice."""
    for name in names:
        if name not in known:
            raise ValueError(f"{kind} has no template {name!r}; there are {', '.join(known)}")
    if len(set(names)) < len(names):
        raise ValueError(f"{kind} names a template twice: {', '.join(names)}")


Named = tuple[str, float]  # a feature and its value
ScaledVote = tuple[str, Symbol, float]


Form = tuple[str, ...]  # a word as each template of pairs writes it


NAMED_KINDS = ("words", "pairs", "numbers", "whole", "order")


class NumberedRows(NamedTuple):
    """Rows of features by number, one after the other."""

    numbers: NDArray[np.int32]
    values: NDArray[np.float64]
    lengths: NDArray[np.int64]  # of the rows


@dataclass(frozen=True, eq=False)
class NumberedFeatures:
    """The features of a problem by number, in every kind of ``NAMED_KINDS``.

    The numbers of ``names``, by kind, are shared by all problems that are trained on together.
    """

    names: dict[str, dict[str, int]]
    rows: dict[str, NumberedRows]


def numbered(found: ProblemFeatures, names: dict[str, dict[str, int]]) -> ProblemFeatures:
    """The same, with their numbers beside their names: faster where many models train on them.

    Features without a number get the next one.
    """
    rows = {kind: _numbered(found.rows(kind), names.setdefault(kind, {})) for kind in NAMED_KINDS}
    return replace(found, numbered=NumberedFeatures(names, rows))


def _numbered(rows: Iterable[Sequence[Named]], names: dict[str, int]) -> NumberedRows:
    numbers, values, lengths = list[int](), list[float](), list[int]()
    for row in rows:
        for name, value in row:
            numbers.append(names.setdefault(name, len(names)))
            values.append(value)
        lengths.append(len(row))
    return NumberedRows(np.array(numbers, np.int32), np.array(values, float), np.array(lengths, np.int64))


@dataclass(frozen=True)
class ProblemFeatures:
    """All features of one problem, by what they are multiplied with."""

    words: tuple[tuple[Named, ...], ...]  # [n]
    forms: tuple[Form, ...]  # [n], of which pairs are made
    templates: tuple[Named, ...]  # of pairs, with their scales
    numbers: tuple[tuple[Named, ...], ...]  # [K]
    whole: tuple[Named, ...]
    order: tuple[Named, ...]
    word_votes: tuple[tuple[ScaledVote, ...], ...]  # [n]
    whole_votes: tuple[ScaledVote, ...]
    forbidden: tuple[bool, ...]  # [K]
    numbered: NumberedFeatures | None = field(default=None, compare=False, repr=False)

    def rows(self, kind: str) -> Iterable[Sequence[Named]]:
        """The features of a kind, a row for everything that has some; the last one of words is empty."""
        match kind:
            case "words":
                return *self.words, ()
            case "pairs":
                return (pair for boundary in self.boundaries() for pair in boundary)
            case "numbers":
                return self.numbers
            case "whole":
                return (self.whole,)
            case "order":
                return (self.order,)
        raise ValueError(f"there are no features of the kind {kind!r}")

    @cached_property
    def pairs(self) -> tuple[tuple[tuple[Named, ...], ...], ...]:
        """The features of every pair at every boundary, [n + 1][PAIRS]."""
        return tuple(self.boundaries())

    def boundaries(self) -> Iterator[tuple[tuple[Named, ...], ...]]:
        """The same, one boundary at a time: those of many problems would fill the memory."""
        wordless = {
            (left, right): pair(self.templates, MARKERS[left], MARKERS[right])
            for left, right in PAIRS
            if WORD not in (left, right)
        }
        sides: list[Form | None] = [None, *self.forms, None]
        for before, after in pairwise(sides):
            yield tuple(wordless.get(own) or self._beside(before, after, *own) for own in PAIRS)

    def _beside(self, before: Form | None, after: Form | None, left: int, right: int) -> tuple[Named, ...]:
        one = before if left == WORD else MARKERS[left]
        other = after if right == WORD else MARKERS[right]
        return () if one is None or other is None else pair(self.templates, one, other)


def pair(templates: Sequence[Named], left: Form | str, right: Form | str) -> tuple[Named, ...]:
    """The features of a boundary between two words, or a word and a marker, or two markers.

    >>> pair([("bigram", 0.5)], ("apples",), "B")
    (('bigram:apples B', 0.5),)
    """
    count = len(templates)
    lefts = [left] * count if isinstance(left, str) else left
    rights = [right] * count if isinstance(right, str) else right
    together = zip(templates, lefts, rights, strict=True)
    return tuple([(f"{name}:{one} {other}", scale) for (name, scale), one, other in together])


def extract(
    problem: Problem,
    config: FeatureConfig,
    annotations: Annotations | None = None,
    *,
    relevant: tuple[bool, ...] | None = None,
) -> ProblemFeatures:
    """Every feature of a problem. ``relevant`` says which numbers matter, where that is given."""
    reading = annotations or annotations_of(problem, config.lexicon)
    check_relevance(problem, relevant)
    count = len(problem.tokens)
    scale = dict(config.scales)
    votes = scale.get("votes", 1.0) if config.votes else None
    return ProblemFeatures(
        words=tuple(_words(reading, config)),
        forms=tuple(zip(*(PAIR_TEMPLATES[name](reading) for name in config.pairs), strict=True))
        or ((),) * count,
        templates=tuple((name, scale.get(name, 1.0)) for name in config.pairs),
        numbers=tuple(
            _named(number_features(reading, config, k, relevant), scale)
            for k in range(len(problem.quantities))
        ),
        whole=_named(whole_features(reading, config), scale),
        order=_named(order_features(reading, config, relevant), scale),
        word_votes=tuple(_scaled(word_votes(reading, i), votes) for i in range(count)),
        whole_votes=_scaled(whole_votes(reading), votes),
        forbidden=forbidden_numbers(problem, config, relevant),
    )


def _words(reading: Annotations, config: FeatureConfig) -> Iterator[tuple[Named, ...]]:
    scale = dict(config.scales)
    alone = [name for name in config.words if name in WORD_TEMPLATES]
    columns = [
        (name, column)
        for name in config.words
        if name in CONTEXT_TEMPLATES
        for column in CONTEXT_TEMPLATES[name](reading)
    ]
    for i in range(len(reading.words)):
        found = [(name, feature) for name in alone for feature in WORD_TEMPLATES[name](reading, i)]
        found += [(name, column[i]) for name, column in columns if column[i]]
        yield tuple([(f"{name}:{feature}", scale.get(name, 1.0)) for name, feature in found])


def check_relevance(problem: Problem, relevant: tuple[bool, ...] | None) -> None:
    """Raise ``ValueError`` unless the relevance of every number is given, or of none."""
    if relevant is not None and len(relevant) != len(problem.quantities):
        raise ValueError(
            f"{problem.id or problem.text[:40]}: relevance of {len(relevant)} numbers given, "
            f"the text has {len(problem.quantities)}"
        )


def forbidden_numbers(
    problem: Problem, config: FeatureConfig, relevant: tuple[bool, ...] | None
) -> tuple[bool, ...]:
    """Which numbers can't be used at all."""
    count = len(problem.quantities)
    return tuple(config.forbid and relevant is not None and not relevant[k] for k in range(count))


def _scaled(votes: Iterator[Vote], scale: float | None) -> tuple[ScaledVote, ...]:
    return () if scale is None else tuple([(name, symbol, scale) for name, symbol in votes])


def whole_features(reading: Annotations, config: FeatureConfig) -> list[str]:
    """The features of the whole problem."""
    return [
        f"{name}:{feature}"
        for name in config.whole
        for feature in sorted(set(WHOLE_TEMPLATES[name](reading)))
    ]


def order_features(
    reading: Annotations, config: FeatureConfig, relevant: tuple[bool, ...] | None
) -> list[str]:
    """The features of the order of the numbers."""
    return [
        f"{name}:{feature}" for name in config.order for feature in ORDER_TEMPLATES[name](reading, relevant)
    ]


def number_features(
    reading: Annotations, config: FeatureConfig, k: int, relevant: tuple[bool, ...] | None
) -> list[str]:
    """The features of the use of the k-th number."""
    found = [
        f"{name}:{feature}" for name in config.numbers for feature in relevance.TEMPLATES[name](reading, k)
    ]
    if config.given and relevant is not None:
        found.append(f"given:{relevant[k]}")
    return found


def _named(features: Iterable[str], scale: Mapping[str, float]) -> tuple[Named, ...]:
    """Features, each with the scale of its template."""
    return tuple([(name, scale.get(name.partition(":")[0], 1.0)) for name in features])

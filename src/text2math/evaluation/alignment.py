"""How meaningful trees are: do operators own the words that express them, unknowns those that name them?

Only problems that were read correctly count. The operators of the gold are paired with those of the tree,
which may be grouped in another way: each with the one of the same sign that shares most numbers and unknowns.

>>> from text2math.data.alignments import load_alignments
>>> alignment = next(one for one in load_alignments() if one.example.problem.id == "a017")
>>> alignment.example.problem.text[:50]
'Eleven ducks were on the pond. Five more landed. H'
>>> tree = TextMathTree(Symbol.ADD, (0, 20), Pattern.of("AwBw"), children=(
...     TextMathTree(Symbol.CON, (0, 6), quantity=0), TextMathTree(Symbol.CON, (7, 10), quantity=1)))
>>> candidate = Candidate(alignment.example.expression, 1.0, tree)
>>> score = alignment_score([alignment], [candidate])
>>> score.clearest, score.wordless, score.cues
(Share(count=0, of=1), Share(count=0, of=1), Share(count=1, of=4))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations, product
from typing import Any, TypeAlias

from text2math.data.alignments import Alignment, Cues
from text2math.evaluation.metrics import is_correct
from text2math.inference.patterns import Pattern as Pattern
from text2math.inference.potentials import UNKNOWNS
from text2math.inference.potentials import Symbol as Symbol
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Example, Problem
from text2math.mathematics.expression import Expression, Number, Operation, variables
from text2math.model.candidates import Candidate

# A leaf by what it stands for: the index of its quantity, or the name of its unknown.
Leaf: TypeAlias = int | str | None
Paired: TypeAlias = tuple[Cues, TextMathTree]

# Nouns, names, verbs (no auxiliaries), adjectives and adverbs, in the tags of the British National Corpus.
_CONTENT = ("NN", "NP", "VV", "AJ", "AV")


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total."""

    count: int
    of: int

    @property
    def percent(self) -> float | None:
        """The percentage; None if the total is 0."""
        return 100 * self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """What the trees of correctly read problems show."""

    problems: Share  # read correctly, of those annotated
    paired: Share  # operators of the gold that the tree has, of those of the problems read correctly
    clearest: Share  # paired operators that own one of their clearest words, of those that have any
    wordless: Share  # paired operators that own no word
    wordless_despite_cue: Share  # the same, of those that have a clearest word
    cues: Share  # content words owned by paired operators that are cues
    unknowns: Share  # unknowns that own a word of their phrase

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def alignment_score(
    alignments: Sequence[Alignment], candidates: Sequence[Candidate | None]
) -> AlignmentScore:
    """Score the best candidate of each problem; None where nothing was found."""
    right = [
        (alignment, _checked(candidate.tree, alignment.example.problem))
        for alignment, candidate in zip(alignments, candidates, strict=True)
        if candidate is not None and candidate.tree is not None
        if is_correct(candidate.mathematics, alignment.example)
    ]
    pairs = [
        (alignment.example.problem, *pair) for alignment, tree in right for pair in paired(alignment, tree)
    ]
    owned = [(cues, _words(node, cues, problem)) for problem, cues, node in pairs]
    clear = [(cues, words) for cues, words in owned if cues.clearest]
    content = [
        word in cues.words
        for (problem, _, _), (cues, words) in zip(pairs, owned, strict=True)
        for word in words
        if word in cues.words or problem.tokens[word].pos.startswith(_CONTENT)
    ]
    return AlignmentScore(
        problems=Share(len(right), len(alignments)),
        paired=Share(len(pairs), sum(len(alignment.operators) for alignment, _ in right)),
        clearest=_share(bool(words & cues.clearest) for cues, words in clear),
        wordless=_share(not words for _, words in owned),
        wordless_despite_cue=_share(not words for _, words in clear),
        cues=_share(content),
        unknowns=_share(met for alignment, tree in right for met in _unknowns_met(alignment.example, tree)),
    )


def _share(marks: Iterable[bool]) -> Share:
    counted = list(marks)
    return Share(sum(counted), len(counted))


def _checked(tree: TextMathTree, problem: Problem) -> TextMathTree:
    if tree.span != (0, len(problem.tokens)):
        raise ValueError(
            f"problem {problem.id!r}: the tree covers words {tree.span} of {len(problem.tokens)}, so it is "
            "the tree of another text; give one candidate for each alignment, in the same order"
        )
    return tree


def _words(node: TextMathTree, cues: Cues, problem: Problem) -> frozenset[int]:
    """What a node owns: words, and marks only where they are cues (the comma of a list)."""
    own = frozenset(node.words)
    return own & cues.words | {word for word in own if any(map(str.isalnum, problem.tokens[word].text))}


# Pairing --------------------------------------------------------------------------------------------------


def paired(alignment: Alignment, tree: TextMathTree) -> list[Paired]:
    """The gold's operators, each with the tree's node of the same sign that has most leaves in common."""
    gold = alignment.example.expression
    assert gold is not None
    wanted = list(zip(alignment.operators, _operand_leaves(gold), strict=True))
    nodes = [node for node in tree.nodes() if node.symbol.operator is not None]
    return max((_pairs(wanted, nodes, names) for names in _namings(gold)), key=_quality)[1]


def _quality(pairs: tuple[float, list[Paired]]) -> float:
    return pairs[0]


def _namings(gold: Expression) -> list[dict[str, str]]:
    """Every renaming of the unknowns: X1 and X2 of a tree may be the gold's X2 and X1."""
    names = [variable.name for variable in variables(gold)]
    return [dict(zip(names, order, strict=True)) for order in permutations(names)]


def _pairs(
    wanted: Sequence[tuple[Cues, frozenset[Leaf]]], nodes: Sequence[TextMathTree], names: dict[str, str]
) -> tuple[float, list[Paired]]:
    """A one-to-one matching, most similar pairs first; and the total similarity."""
    leaves = [_leaves(node, names) for node in nodes]
    alike = {
        (i, j): _overlap(wanted[i][1], leaves[j])
        for i, j in product(range(len(wanted)), range(len(nodes)))
        if wanted[i][0].operator is nodes[j].symbol.operator
    }
    chosen: dict[int, int] = {}
    for i, j in sorted(alike, key=lambda pair: (-alike[pair], pair)):
        if i not in chosen and j not in chosen.values():
            chosen[i] = j
    total = sum(alike[pair] for pair in chosen.items())
    return total, [(wanted[i][0], nodes[j]) for i, j in sorted(chosen.items())]


def _overlap(one: frozenset[Leaf], other: frozenset[Leaf]) -> float:
    return len(one & other) / len(one | other)


def _operand_leaves(expression: Expression) -> list[frozenset[Leaf]]:
    """The leaves below each operator, an operator before its operands."""
    if not isinstance(expression, Operation):
        return []
    below = _operand_leaves(expression.left), _operand_leaves(expression.right)
    return [_expression_leaves(expression), *below[0], *below[1]]


def _expression_leaves(expression: Expression) -> frozenset[Leaf]:
    match expression:
        case Operation(_, left, right):
            return _expression_leaves(left) | _expression_leaves(right)
        case Number(_, quantity):
            return frozenset((quantity,))
        case _:
            return frozenset((expression.name,))


def _leaves(tree: TextMathTree, names: dict[str, str]) -> frozenset[Leaf]:
    leaves = [node for node in tree.nodes() if node.symbol.operator is None]
    return frozenset(
        names.get(node.symbol.name, node.symbol.name) if node.symbol in UNKNOWNS else node.quantity
        for node in leaves
    )


# Unknowns -------------------------------------------------------------------------------------------------


def _unknowns_met(example: Example, tree: TextMathTree) -> list[bool]:
    """For each unknown with a phrase, whether it owns a word of it, for the naming with most that do."""
    phrases = _phrase_words(example)
    owned: dict[str, set[int]] = {}
    for node in tree.nodes():
        if node.symbol in UNKNOWNS:
            owned.setdefault(node.symbol.name, set()).update(node.words)
    assert example.expression is not None
    namings = [
        [bool(words & owned.get(names[name], set())) for name, words in phrases.items()]
        for names in _namings(example.expression)
    ]
    return max(namings, key=sum)


def _phrase_words(example: Example) -> dict[str, set[int]]:
    """The tokens of the phrases annotated for each unknown."""
    found: dict[str, set[int]] = {}
    for name, start, end in example.groundings:
        tokens = enumerate(example.problem.tokens)
        inside = {i for i, token in tokens if start < token.end and token.start < end}
        found.setdefault(name, set()).update(inside)
    return found

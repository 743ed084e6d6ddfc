"""What went wrong where somebody's answer is that of another reading: "you added; the text says lost"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text2math.inference.tree import TextMathTree
from text2math.language.annotations import Annotations, is_content, is_verb
from text2math.language.answers import ROUNDED
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Problem
from text2math.mathematics.expression import Expression, Operation, Operator
from text2math.mathematics.notation import to_infix
from text2math.model.candidates import Candidate

_DID = {
    Operator.ADD: "added",
    Operator.SUB: "subtracted",
    Operator.MUL: "multiplied",
    Operator.DIV: "divided",
}
_DO = {
    Operator.ADD: "adding",
    Operator.SUB: "subtracting",
    Operator.MUL: "multiplying",
    Operator.DIV: "dividing",
}
_ROUNDING = {Operator.CEIL: "rounding up", Operator.QUO: "rounding down"}
MAX_WORDS = 4  # that are quoted


def what_went_wrong(problem: Problem, right: Candidate, wrong: Candidate, numbers: Sequence[str]) -> str:
    """How the wrong reading differs from the right one, in one sentence to the person who answered.

    ``numbers`` are the quantities that the readings count, in words.
    """
    written = len(problem.quantities)
    left_out = _without_repeats(right.used - wrong.used, wrong.used, numbers, written)
    needless = _without_repeats(wrong.used - right.used, right.used, numbers, written)
    if needless:
        return f"you used {_listed(numbers, needless)}, which the question does not need"
    if left_out:
        return f"you left out {_listed(numbers, left_out)}"
    for ours, theirs in _differences(right.mathematics, wrong.mathematics):
        if ours.operator is not theirs.operator:
            return _other_operation(problem, right, ours, theirs)
        if (ours.left, ours.right) == (theirs.right, theirs.left) and ours.operator in _DID:
            return f"you {_DID[ours.operator]} the other way round"
    return f"you worked out {to_infix(wrong.mathematics, unicode=True)}"


def _without_repeats(
    used: frozenset[int], others: frozenset[int], numbers: Sequence[str], written: int
) -> frozenset[int]:
    """The numbers used here, without facts that are used there too, by way of another word."""
    there = {numbers[index] for index in others if index >= written}
    return frozenset(index for index in used if index < written or numbers[index] not in there)


def _differences(right: Expression, wrong: Expression) -> Iterator[tuple[Operation, Operation]]:
    """The operations that differ in themselves, from the root down."""
    if not (isinstance(right, Operation) and isinstance(wrong, Operation)):
        return
    swapped = (right.left, right.right) == (wrong.right, wrong.left) and right.left != right.right
    if right.operator is not wrong.operator or swapped:
        yield right, wrong
        return
    yield from _differences(right.left, wrong.left)
    yield from _differences(right.right, wrong.right)


def _other_operation(problem: Problem, right: Candidate, ours: Operation, theirs: Operation) -> str:
    did = (_DID | ROUNDED).get(theirs.operator, f"worked out {to_infix(theirs, unicode=True)}")
    if ours.operator in _ROUNDING:
        return f"you {did}; the question needs {_ROUNDING[ours.operator]}"
    words = _telling_words(problem, ours.operator) or _own_words(problem, right, ours)
    if words:
        return f"you {did}; the text says “{words}”"
    return f"you {did}; the text asks for {_DO.get(ours.operator, ours.operator.entry.words)}"


def _telling_words(problem: Problem, operator: Operator) -> str:
    """The first words of the text that, by the lexicon, indicate an operator."""
    annotations = Annotations.of(problem, Lexicon.default())
    speaking = [
        is_content(token) and any(annotations.speaks_for.get(cue) is operator for cue in cues)
        for token, cues in zip(problem.tokens, annotations.cues, strict=True)
    ]
    if True not in speaking:
        return ""
    first = last = speaking.index(True)
    while last + 1 < len(speaking) and speaking[last + 1] and last - first < MAX_WORDS - 1:
        last += 1
    return problem.text[problem.tokens[first].start : problem.tokens[last].end]


def _own_words(problem: Problem, candidate: Candidate, operation: Operation) -> str:
    """The first verb that the operation's node owns."""
    node = _node(candidate.mathematics, candidate.tree, operation)
    tokens = [] if node is None else [problem.tokens[at] for at in node.words]
    return next((token.text for token in tokens if is_verb(token) and is_content(token)), "")


def _node(mathematics: Expression, tree: TextMathTree | None, wanted: Operation) -> TextMathTree | None:
    if tree is None or not isinstance(mathematics, Operation) or not tree.children:
        return None
    if mathematics is wanted:
        return tree
    left, right = tree.children
    return _node(mathematics.left, left, wanted) or _node(mathematics.right, right, wanted)


def _listed(numbers: Sequence[str], indices: frozenset[int]) -> str:
    return " and ".join(numbers[index] for index in sorted(indices))

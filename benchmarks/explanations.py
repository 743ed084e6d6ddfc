"""Do the words that "Why?" names agree with the tree, and with readers? ``benchmarks/explanations.py``.

It explains problems of the exam with a model and counts, as JSON:

* ``operators``: those of the readings' trees, and how many ``have_words`` of their own;
* ``named``: those for which words are named because a blank in their place weakens the operator;
* ``agree``: those of them whose first named words the tree gives to the operator;
* ``shown``: those that are gone in the text with these words left blank, or with opposites.

Then, for the words of the whole text, whatever the tree says, with each ``way`` to take a word away: the
operators whose ``strongest`` word, the one without which its odds fall most, ``agree``s with the tree, and of
those that readers annotated, how often it is a ``cue``, and one of the ``clearest`` ones.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator

from text2math.data.alignments import Alignment, shipped_alignments
from text2math.data.corpus import load_exam
from text2math.evaluation.alignment import paired
from text2math.evaluation.metrics import is_correct
from text2math.explanation.explain import Explanation, explain
from text2math.explanation.odds import operator_odds
from text2math.explanation.variations import BLANK, varied_text
from text2math.inference.potentials import FloatArray
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Problem, read_problem
from text2math.mathematics.grammar import Sort
from text2math.model.alignment import alignment_scores
from text2math.parser import Parser, load

WAYS = {"blank": BLANK, "dash": "_", "ellipsis": "…", "something": "something", "cut": ""}


def operators(tree: TextMathTree) -> Iterator[tuple[int, TextMathTree]]:
    """The operators that others could replace, by their place among the nodes."""
    for at, node in enumerate(tree.nodes()):
        if node.symbol.operator is not None and node.symbol.operator.entry.result is Sort.VALUE:
            yield at, node


def shown_tree(parser: Parser, problem: Problem) -> TextMathTree:
    """The tree of the best reading, with the model's own names for its unknowns."""
    analysis = parser.model.analyse(problem)
    tree = analysis.candidates[0].tree
    assert tree is not None
    return parser.model.align(tree, problem, analysis.potentials)


def count_named(explanation: Explanation, counts: Counter[str]) -> None:
    """Add what an explanation names."""
    tree = explanation.reading.tree
    assert tree is not None
    for at, node in operators(tree):
        reason = explanation.reasons[at]
        measured = [evidence for evidence in reason.because if evidence.measured]
        counts["operators"] += 1
        counts["have_words"] += bool(node.words)
        counts["named"] += bool(measured)
        counts["agree"] += bool(measured) and set(measured[0].words) <= set(node.words)
        counts["shown"] += reason.test is not None and at in reason.test.gone


def strongest(parser: Parser, problem: Problem, tree: TextMathTree, instead: str) -> dict[int, int]:
    """For each operator, the word without which its odds fall most, among all that may express one."""
    model = parser.model
    values = [quantity.value for quantity in problem.all_quantities]
    odds: dict[int, dict[int, float]] = {at: {} for at, _ in operators(tree)}
    worth = _worth(problem, tree)
    for word in range(len(problem.tokens)):
        other = model.informed(read_problem(varied_text(problem, {word: instead})))
        if _counts(problem, word) and [quantity.value for quantity in other.all_quantities] == values:
            potentials = model.scorer(other, model.annotate(other))
            found = operator_odds(tree, values, potentials, model.forest)
            for at, own in odds.items():
                if at in found and worth[at][word] >= 0:  # the others only name what numbers count
                    own[word] = found[at]
    return {at: min(own, key=own.__getitem__) for at, own in odds.items() if own}


def _worth(problem: Problem, tree: TextMathTree) -> dict[int, FloatArray]:
    nodes = [at for at, node in enumerate(tree.nodes()) if node.children]
    return dict(zip(nodes, alignment_scores(problem, tree), strict=True))


def _counts(problem: Problem, word: int) -> bool:
    numeric = any(q.first_token <= word < q.last_token for q in problem.quantities)
    return not numeric and any(map(str.isalnum, problem.tokens[word].text))


def count_strongest(
    found: dict[int, int], tree: TextMathTree, alignment: Alignment | None, counts: Counter[str]
) -> None:
    """Add whether the strongest words agree with the tree, and with readers."""
    cues = {} if alignment is None else {id(node): cues for cues, node in paired(alignment, tree)}
    for at, node in operators(tree):
        if at not in found:
            continue
        counts["operators"] += 1
        counts["agree"] += found[at] in node.words
        marked = cues.get(id(node))
        if marked is not None and marked.clearest:
            counts["annotated"] += 1
            counts["cue"] += found[at] in marked.words
            counts["clearest"] += found[at] in marked.clearest


def main() -> None:
    """Count, and print the counts as JSON."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", default="default")
    arguments.add_argument("--every", type=int, default=1, help="take only each k-th problem")
    arguments.add_argument(
        "--way", choices=WAYS, action="append", help="a way to take words away", default=[]
    )
    given = arguments.parse_args()
    parser = load(given.model)
    exam = load_exam().examples
    annotated = {one.example.problem.id: one for one in shipped_alignments(exam)}
    named: Counter[str] = Counter()
    ways: dict[str, Counter[str]] = {way: Counter() for way in given.way}
    for example in exam[:: given.every]:
        try:
            explanation = explain(parser, example.problem.text)
        except ValueError:  # there is nothing to explain
            continue
        count_named(explanation, named)
        problem = parser.model.informed(example.problem)
        tree = shown_tree(parser, problem)
        right = is_correct(explanation.reading.mathematics, example)
        alignment = annotated.get(example.problem.id) if right else None
        for way, counts in ways.items():
            count_strongest(strongest(parser, problem, tree, WAYS[way]), tree, alignment, counts)
    print(json.dumps({"model": given.model, "named": dict(named), "strongest": ways}))


if __name__ == "__main__":
    main()

"""Alignment: which tree of a text's mathematics to show, so that operators own the words that express them.

An expression has many text-math trees, and a model that sees the whole text at every word has no reason to
prefer a sensible one. So the mathematics is decoded first, with its probability, and then its tree: the best
one under scores of how well each word expresses each operator. They come from a table learned from our
stories (``language.operator_words``) and the lexicon of cues, plus a little of the scorer's own potentials.
Neither the mathematics nor its probability changes.

>>> from text2math.parser import load
>>> parse = load("small").parse("Tom had 12 marbles. He lost 5 of them. How many are left?")
>>> [parse.tokens[word].text for word in parse.tree.words if parse.tokens[word].text in ("lost", "left")]
['lost', 'left']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from text2math.inference.crf import TextMathCRF
from text2math.inference.patterns import PATTERNS
from text2math.inference.potentials import UNKNOWNS, WORD, FloatArray, Potentials, Symbol
from text2math.inference.tree import TextMathTree, forest_of_tree
from text2math.language.annotations import is_name, is_noun
from text2math.language.lexicon import Lexicon
from text2math.language.operator_words import INVERSE, OperatorWords
from text2math.language.problem import Problem
from text2math.mathematics.grammar import Operator, Sort

# Chosen on experiments/alignment_checks (see docs/model.md).
OWN_SCORES = 0.003  # the weight of the scorer's own potentials
NEIGHBOUR = 0.3  # the share of a cue's score that the word next to it gets: "split evenly", "older than"
CUE = 0.05  # the score of a word that is a cue of the operator; half of it for the inverse operator
CUE_STRENGTH = 0.5  # what the lexicon adds to a word's strength in the table
NOUN = 0.1  # the penalty of a noun or a name that is no cue: it belongs to a number
WORDLESS = 0.5  # the penalty of an operator without words
NUMERAL = 0.1  # the penalty of an unused number: it belongs to another number
MARK = 0.05  # the penalty of a punctuation mark below the root: it closes the whole sentence
NAMING = 0.5  # the weight of whether a word is part of an unknown's phrase
UNIT_DISTANCE = 4  # words from a number to its unit

Span: TypeAlias = tuple[int, int]
_MARKS = frozenset(".,;?!")
# Operators that are expressed by the same words as another one.
_LIKE = {
    Operator.CEIL: Operator.DIV,
    Operator.QUO: Operator.DIV,
    Operator.REM: Operator.DIV,
    Operator.RATIO: Operator.DIV,
    Operator.DIVR: Operator.DIV,
    Operator.SUBR: Operator.SUB,
}


def aligned(
    tree: TextMathTree, problem: Problem, potentials: Potentials, *, silent: bool = False
) -> TextMathTree:
    """The tree of the same mathematics whose words fit best; operands keep their order in the text.

    ``potentials`` are the scorer's own. With ``silent``, unknowns may have no words.
    """
    if tree.symbol.operator is None:
        return tree
    nodes = list(tree.nodes())
    forest = forest_of_tree(tree, silent=silent)
    names = _own_names([node.symbol for node in nodes])
    states = tuple(state._replace(symbol=name) for state, name in zip(forest.states, names, strict=True))
    scores = _scores(nodes, names, problem, potentials)
    # Not ``best``, because the kernels of ``k_best`` have already been compiled to find the mathematics.
    best = TextMathCRF(replace(forest, states=states), scores).k_best(1)
    if not best:  # the scorer forbids every tree with the operands in this order
        return tree
    found = _with_symbols(best[0].tree, iter(nodes))
    return found if _mentions(found) == _mentions(tree) else tree


def _mentions(tree: TextMathTree) -> list[Symbol]:
    """The unknowns in the order in which the text first mentions them, which determines their names."""
    leaves = [node for node in tree.nodes() if node.symbol in UNKNOWNS]
    return list(dict.fromkeys(node.symbol for node in sorted(leaves, key=lambda node: node.span)))


def _own_names(symbols: Sequence[Symbol]) -> list[Symbol]:
    """A symbol for each node: potentials are by symbol, so repeated operators borrow unused symbols."""
    free = [symbol for symbol in Symbol if symbol not in symbols and _is_value(symbol)]
    names: list[Symbol] = []
    for symbol in symbols:
        again = symbol in names and _is_value(symbol)
        names.append(free.pop() if again and free else symbol)
    return names


def _is_value(symbol: Symbol) -> bool:
    return symbol.operator is not None and symbol.operator.entry.result is Sort.VALUE


def _with_symbols(tree: TextMathTree, nodes: Iterator[TextMathTree]) -> TextMathTree:
    """The tree with the symbols of another that has the same nodes."""
    symbol = next(nodes).symbol
    children = tuple(_with_symbols(child, nodes) for child in tree.children)
    asides = tuple(_with_symbols(aside, nodes) for aside in tree.asides)
    return replace(tree, symbol=symbol, children=children, asides=asides)


def _scores(
    nodes: Sequence[TextMathTree], names: Sequence[Symbol], problem: Problem, potentials: Potentials
) -> Potentials:
    """The scorer's potentials times their weight, plus the score of each word for each node."""
    scores = _weighed(potentials, {name: node.symbol for node, name in zip(nodes, names, strict=True)})
    worth = alignment_scores(problem, nodes[0])
    operators = [(node, name) for node, name in zip(nodes, names, strict=True) if node.children]
    for name in dict.fromkeys(name for _, name in operators):
        rows = [own for own, (_, other) in zip(worth, operators, strict=True) if other is name]
        scores.step[name, :-1, :, WORD] += np.max(rows, axis=0)[:, None]
        orders = {node.pattern.swapped for node, other in operators if other is name and node.pattern}
        for pattern in PATTERNS:
            if pattern.swapped not in orders:
                scores.pattern[name, pattern.index] = -np.inf
            elif not (pattern.before or pattern.between or pattern.after):
                scores.pattern[name, pattern.index] -= WORDLESS
    unknowns = [symbol for symbol in UNKNOWNS if symbol in names]
    if unknowns:
        naming = NAMING * OperatorWords.default().naming(problem)
        scores.step[unknowns, :-1, :, WORD] += naming[:, None]
    return scores


def _weighed(potentials: Potentials, symbols: dict[Symbol, Symbol]) -> Potentials:
    """The potentials times their weight; a borrowed symbol gets those of the symbol it stands for."""
    step, pattern, child, root = (
        OWN_SCORES * array
        for array in (potentials.step, potentials.pattern, potentials.child, potentials.root)
    )
    for name, symbol in symbols.items():
        if name is not symbol:
            step[name], pattern[name], root[name] = step[symbol], pattern[symbol], root[symbol]
            child[name] = child[symbol]
            child[:, :, name] = child[:, :, symbol]
    number = OWN_SCORES * potentials.number
    return replace(potentials, step=step, pattern=pattern, child=child, root=root, number=number)


# How well words express operators -------------------------------------------------------------------------


def alignment_scores(problem: Problem, tree: TextMathTree) -> FloatArray:
    """How well each word expresses each operator of a tree, in the order of its nodes: ``[operator, word]``.

    A cue's score is its share of the total strength of all words in the operator's reach, so the scores of an
    operator's words add up to at most 1. Nouns that are no cues have a negative score.

    >>> from text2math.language.problem import read_problem
    >>> from text2math.parser import load
    >>> text = "Tom had 12 marbles. He lost 5 of them. How many are left?"
    >>> tree = load("small").parse(text).tree
    >>> problem = read_problem(text)
    >>> problem.tokens[int(alignment_scores(problem, tree)[0].argmax())].text
    'left'
    """
    table, lexicon = OperatorWords.default(), Lexicon.default()
    equation = tree.symbol.operator is not None and not _is_value(tree.symbol)
    strengths = table.strengths(problem, equation=equation)
    marks = lexicon.mark(problem)
    kinds = _Words(problem, table.naming(problem) > 0 if equation else None)
    rows = []
    for symbol, within in _reaches(tree, problem):
        operator = symbol.operator
        assert operator is not None
        operator = _LIKE.get(operator, operator)
        if operator not in strengths:
            rows.append(np.zeros(len(problem.tokens)))
            continue
        cues = np.array([_cue(names, operator, lexicon) for names in marks])
        strength = strengths[operator] + CUE_STRENGTH * (cues == 1.0)
        null = table.no_word_strength(operator, equation=equation)
        rows.append(kinds.scores(_shares(strength, null, within & ~kinds.units), cues, within))
    scores = np.array(rows)
    scores[1:, kinds.marks] -= MARK
    return scores


def _shares(strength: FloatArray, null: float, within: FloatArray) -> FloatArray:
    """Each word's share of the total strength of all words in reach and of no word at all."""
    express = np.where(within, np.exp(strength), 0.0)
    return np.asarray(express / (express.sum() + np.exp(null)))


def _cue(names: Sequence[str], operator: Operator, lexicon: Lexicon) -> float:
    """1 for a word that is a cue of the operator in the lexicon, 0.5 for a cue of the inverse operator."""
    expressed = {lexicon.operators[name] for name in names if name in lexicon.operators}
    if operator is Operator.EQU:  # its words in the lexicon appear in most sentences
        return 0.0
    return 1.0 if operator in expressed else 0.5 if INVERSE.get(operator) in expressed else 0.0


class _Words:
    """What kind of word each word of a problem is."""

    def __init__(self, problem: Problem, naming: NDArray[np.bool_] | None) -> None:
        tokens = problem.tokens
        self.nouns = np.array([is_noun(token) or is_name(token) for token in tokens])
        # Words that may belong to a cue next to them: no punctuation, nouns or parts of an unknown's phrase.
        self.joins = np.array([any(map(str.isalnum, token.text)) for token in tokens]) & ~self.nouns
        if naming is not None:
            self.joins &= ~naming
        self.marks = np.array([token.text in _MARKS for token in tokens])
        self.numerals = np.zeros(len(tokens), dtype=bool)
        self.units = np.zeros(len(tokens), dtype=bool)
        for quantity in problem.quantities:
            first, last = quantity.first_token, quantity.last_token
            self.numerals[first:last] = True
            for at in range(last, min(last + UNIT_DISTANCE, len(tokens))):
                lemma = tokens[at].lemma.lower()
                self.units[at] |= lemma == quantity.unit.lower() and lemma not in ("time", "times")

    def scores(self, shares: FloatArray, cues: FloatArray, within: FloatArray) -> FloatArray:
        """The scores of words for an operator whose reach is ``within``."""
        own = within & ~self.units
        weak = shares * len(shares) < 1.0
        found = shares - NOUN * (self.nouns & weak)
        beside = np.zeros(len(shares))
        beside[1:] = shares[:-1]
        beside[:-1] = np.maximum(beside[:-1], shares[1:])
        found = np.where(own & self.joins, np.maximum(found, NEIGHBOUR * beside), found)
        found = found + CUE * cues * own
        return np.where(self.numerals, -NUMERAL, found)


# Reach ----------------------------------------------------------------------------------------------------


def _reaches(tree: TextMathTree, problem: Problem) -> list[tuple[Symbol, FloatArray]]:
    """Each operator of a tree with its reach: the words outside its operands, as far as numbers show it."""
    spans = {
        at: (quantity.first_token, quantity.last_token) for at, quantity in enumerate(problem.all_quantities)
    }
    return list(_reach(tree, spans, (0, len(problem.tokens)), len(problem.tokens)))


def _reach(
    node: TextMathTree, spans: dict[int, Span], limits: Span, words: int
) -> Iterator[tuple[Symbol, FloatArray]]:
    if not node.children:
        return
    hulls = [_hull(child, spans) for child in node.below]
    within = np.zeros(words, dtype=bool)
    within[slice(*limits)] = True
    for hull in hulls:
        if hull is not None:
            within[slice(*hull)] = False
    yield node.symbol, within
    for at, child in enumerate(node.below):
        others = [hull for other, hull in enumerate(hulls) if other != at and hull is not None]
        yield from _reach(child, spans, _narrowed(limits, hulls[at], others), words)


def _narrowed(limits: Span, own: Span | None, others: Sequence[Span]) -> Span:
    """The limits of an operand, cut off where the numbers of the other operands begin or end."""
    first, last = limits
    if own is None:
        return limits
    for other in others:
        if own[1] <= other[0]:
            last = min(last, other[0])
        elif other[1] <= own[0]:
            first = max(first, other[1])
    return first, last


def _hull(node: TextMathTree, spans: dict[int, Span]) -> Span | None:
    """From the first to the last word of the numbers below a node."""
    found = [spans[leaf.quantity] for leaf in node.nodes() if leaf.quantity is not None]
    return (min(span[0] for span in found), max(span[1] for span in found)) if found else None

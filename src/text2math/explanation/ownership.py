"""The probability that each word belongs to each node of an expression, summed over all its alignments.

>>> from text2math.inference.forest import Forest
>>> potentials = Potentials.zeros(words=3, anchors=[0, 2])
>>> tree = TextMathCRF(Forest.full({Symbol.ADD, Symbol.CON}), potentials).best.tree
>>> [[round(p, 3) for p in row] for row in ownership(tree, potentials).probabilities]
[[0.0, 0.333, 0.0], [1.0, 0.333, 0.0], [0.0, 0.333, 1.0]]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.patterns import SWAPPED
from text2math.inference.potentials import EDGE, UNKNOWNS, WORD, FloatArray, Potentials, Symbol
from text2math.inference.tree import TextMathTree, forest_of_tree

SAMPLES = 4000
_OPERATORS = tuple(symbol for symbol in Symbol if symbol.operator is not None)


@dataclass(frozen=True, slots=True)
class Ownership:
    """For each node (in the order of ``tree.nodes()``) the probability that it owns each word.

    Given the expression and the text. Every word has one owner, so the nodes' probabilities add up to 1.
    ``sampled`` are the nodes whose probabilities are estimates (see ``ownership``).
    """

    probabilities: tuple[tuple[float, ...], ...]
    sampled: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"probabilities": [list(row) for row in self.probabilities], "sampled": list(self.sampled)}


def ownership(tree: TextMathTree, potentials: Potentials, *, silent: bool = False) -> Ownership:
    """Which words belong to which node, over all the trees of the same expression.

    Of a system, over those that have the same equations inside others, so that the nodes are the same. Where
    trees may be ``silent``, unknowns without words are among them.

    Marginals come by symbol, not by node. They are taken apart exactly:

    * no two constants hold the same number, so all ends of constants between two of their numbers belong to
      the constant before, and all starts to the one behind;
    * a node that shares its symbol with others is renamed to a symbol the expression doesn't use, with the
      same potentials, one at a time.

    Only an unknown that stands twice beside all the others finds no free name: it is sampled.
    """
    nodes = list(tree.nodes())
    symbols = [node.symbol for node in nodes]
    silent = silent or any(not node.words for node in nodes if node.symbol in UNKNOWNS)
    forest = forest_of_tree(tree, silent=silent)
    crf = TextMathCRF(forest, potentials)
    rows: list[FloatArray | None] = []
    for at, symbol in enumerate(symbols):
        if symbol is Symbol.CON:
            rows.append(_constant(at, nodes, crf.marginals))
        elif symbols.count(symbol) == 1:
            rows.append(_entered(crf.marginals, symbol))
        else:
            rows.append(_renamed(at, symbols, forest, potentials))
    sampled = tuple(at for at, row in enumerate(rows) if row is None)
    if sampled:
        estimates = _estimates(crf, len(nodes))
        rows = [estimates[at] if row is None else row for at, row in enumerate(rows)]
    return Ownership(
        tuple(tuple(float(p) for p in np.clip(row, 0.0, 1.0)) for row in rows if row is not None), sampled
    )


def _entered(marginals: Potentials, symbol: Symbol) -> FloatArray:
    """How often a symbol's nodes own each word: the steps that enter it."""
    return np.asarray(marginals.step[symbol, :-1, :, WORD].sum(axis=1))


def _constant(at: int, nodes: list[TextMathTree], marginals: Potentials) -> FloatArray:
    words = marginals.words
    places = sorted(int(marginals.anchors[node.quantity]) for node in nodes if node.quantity is not None)
    own = int(marginals.anchors[nodes[at].quantity or 0])
    rank = places.index(own)
    first = places[rank - 1] + 1 if rank else 0
    last = places[rank + 1] if rank + 1 < len(places) else words
    starts = marginals.step[Symbol.CON, :, EDGE, WORD]
    ends = marginals.step[Symbol.CON, :, WORD, EDGE]
    row = np.zeros(words)
    row[first : own + 1] = np.cumsum(starts[first : own + 1])
    row[own:last] = 1 - np.concatenate([[0.0], np.cumsum(ends[own + 1 : last])])
    return row


def _renamed(at: int, symbols: list[Symbol], forest: Forest, potentials: Potentials) -> FloatArray | None:
    """What one node owns, under a name of its own; None where no name is free."""
    old = symbols[at]
    names = UNKNOWNS if old in UNKNOWNS else _OPERATORS
    free = next((name for name in names if name not in symbols), None)
    if free is None:
        return None
    states = list(forest.states)
    states[at] = states[at]._replace(symbol=free)
    crf = TextMathCRF(replace(forest, states=tuple(states)), _copied(potentials, old, free))
    return _entered(crf.marginals, free)


def _copied(potentials: Potentials, old: Symbol, new: Symbol) -> Potentials:
    """The same with everything the old symbol scores given to the new one too."""
    step, pattern = potentials.step.copy(), potentials.pattern.copy()
    child, root = potentials.child.copy(), potentials.root.copy()
    step[new], pattern[new], root[new] = step[old], pattern[old], root[old]
    if old.in_text_order:
        pattern[new, SWAPPED : 2 * SWAPPED] = -np.inf
    child[new] = child[old]
    child[:, :, new] = child[:, :, old]
    return replace(potentials, step=step, pattern=pattern, child=child, root=root)


def _estimates(crf: TextMathCRF, nodes: int) -> FloatArray:
    counts = np.zeros((nodes, crf.potentials.words))
    for tree in crf.sample(np.random.default_rng(0), SAMPLES):
        for at, node in enumerate(tree.nodes()):
            counts[at, list(node.words)] += 1
    return counts / SAMPLES

"""What is drawn, whatever the output format: marked words, nodes with their labels, the caption."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from text2math.inference.tree import TextMathTree
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import Number, Operation, sort_of
from text2math.mathematics.grammar import Operator, Sort
from text2math.mathematics.notation import as_ratio, to_infix
from text2math.render.colours import COLOURS, Shade


class Placed(Protocol):
    """A token: anything with a half-open span of characters."""

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        ...

    @property
    def end(self) -> int:
        """Where it ends."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that stays on one line, and the node that owns it."""

    text: str
    node: int | None = None
    gap: bool = False  # a blank before it
    breaks: bool = False  # a line may start with it


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it is shown: its sign, its own words, its shade. Parents come before their operands."""

    sign: str
    label: tuple[Piece, ...]
    shade: Shade
    parent: int | None
    leaf: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything to show, whatever the output format."""

    text: str
    pieces: tuple[Piece, ...]
    nodes: tuple[Node, ...]
    caption: str

    def below(self, node: int) -> list[int]:
        """The operands of a node."""
        return [at for at, one in enumerate(self.nodes) if one.parent == node]


def scene_of(
    text: str, tokens: Sequence[Placed], tree: TextMathTree | None, values: Sequence[Fraction]
) -> Scene:
    """The scene of a text and its tree."""
    nodes = []
    if tree is not None:
        for node, shade, parent in zip(tree.nodes(), shades(tree), _parents(tree), strict=True):
            label = tuple(_label_pieces(text, tokens, node))
            nodes.append(Node(_sign(node, values), label, shade, parent, not node.children))
        for at in _asides(tree):
            nodes[at] = replace(nodes[at], sign=f"{Operator.SYS.label} {nodes[at].sign}")
    return Scene(clean(text), tuple(_text_pieces(text, tokens, tree)), tuple(nodes), caption(tree, values))


def owners(tree: TextMathTree | None, words: int) -> tuple[int | None, ...]:
    """For each word, the node that owns it, by its index in ``tree.nodes()``.

    >>> from text2math.inference.potentials import Symbol
    >>> owners(TextMathTree(Symbol.CON, (0, 2), quantity=0), 2)
    (0, 0)
    """
    found: list[int | None] = [None] * words
    for node, part in enumerate(tree.nodes() if tree is not None else ()):
        for word in part.words:
            found[word] = node
    return tuple(found)


def _parents(tree: TextMathTree) -> list[int | None]:
    """For each of ``tree.nodes()``, its parent."""
    parents: list[int | None] = []
    stack: list[tuple[TextMathTree, int | None]] = [(tree, None)]
    while stack:
        node, parent = stack.pop()
        stack += [(child, len(parents)) for child in reversed(node.below)]
        parents.append(parent)
    return parents


def _asides(tree: TextMathTree) -> list[int]:
    """Those of ``tree.nodes()`` that are inside an equation: ``;`` joins them to it."""
    inside = {id(aside) for node in tree.nodes() for aside in node.asides}
    return [at for at, node in enumerate(tree.nodes()) if id(node) in inside]


def shades(tree: TextMathTree | None) -> tuple[Shade, ...]:
    """The shade of each node, in the order of ``tree.nodes()``.

    Each node has a colour of its own as long as there are any. Further nodes are dashed, and share a colour
    with a node that is not their neighbour in the text or the tree.

    >>> from text2math.inference.potentials import Symbol
    >>> shades(TextMathTree(Symbol.CON, (0, 2), quantity=0))
    (Shade(colour=0, dashed=False),)
    """
    if tree is None:
        return ()
    owned = owners(tree, tree.span[1])
    nodes = list(tree.nodes())
    near: list[set[int | None]] = [set() for _ in nodes]
    for one, other in itertools.pairwise(owned):
        if one is not None and other is not None:
            near[one].add(other)
            near[other].add(one)
    for at, parent in enumerate(_parents(tree)):
        near[at].add(parent)
    found: list[Shade] = []
    uses = [0] * COLOURS
    for at, node in enumerate(nodes):
        if not node.words:
            found.append(Shade())
            continue
        taken = {found[other].colour for other in near[at] if other is not None and other < at}
        best = min(range(COLOURS), key=lambda colour: (colour in taken, uses[colour], colour))
        found.append(Shade(best, dashed=uses[best] % 2 == 1))
        uses[best] += 1
    return tuple(found)


def _text_pieces(text: str, tokens: Sequence[Placed], tree: TextMathTree | None) -> Iterator[Piece]:
    """The whole text, each word with its owner."""
    end = 0
    for token, node in zip(tokens, owners(tree, len(tokens)), strict=True):
        gap = token.start > end
        yield Piece(clean(text[token.start : token.end]), node, gap, gap)
        end = token.end


def _label_pieces(text: str, tokens: Sequence[Placed], node: TextMathTree) -> Iterator[Piece]:
    """A node's own words, with dots for its operands and asides; nothing if it owns no words."""
    own, previous = node.words, -1
    operands = dict(child.span for child in node.below if child.span[0] < child.span[1])
    at = node.span[0]
    while own and at < node.span[1]:
        if at in own:
            gap = previous != at - 1 or tokens[at].start > tokens[previous].end
            yield Piece(clean(text[tokens[at].start : tokens[at].end]), None, gap, gap)
            previous, at = at, at + 1
        else:
            yield Piece("…", None, True, True)
            at = operands[at]


def _sign(node: TextMathTree, values: Sequence[Fraction]) -> str:
    """What a node is: the sign of its operator, its number or its unknown."""
    operator = node.symbol.operator
    return to_infix(node.expression(values), unicode=True) if operator is None else operator.label


def caption(tree: TextMathTree | None, values: Sequence[Fraction]) -> str:
    """The mathematics of a tree in one line, with its result.

    >>> from text2math.inference.potentials import Symbol
    >>> caption(TextMathTree(Symbol.CON, (0, 2), quantity=0), [Fraction(7, 2)])
    '3.5'
    """
    if tree is None:
        return "no mathematics found"
    expression = tree.expression(values)
    shown = to_infix(expression, unicode=True)
    if sort_of(expression) is not Sort.VALUE:
        solution = solve(expression)
        found = ", ".join(f"{unknown.name} = {_number(value)}" for unknown, value in (solution or {}).items())
        return f"{shown}   ⇒   {found}" if found not in ("", shown) else shown
    answer = evaluate(expression)
    if not isinstance(expression, Operation):
        return shown
    if answer is None:
        return f"{shown} has no value"
    return f"{shown} = {as_ratio(answer) if expression.operator is Operator.RATIO else _number(answer)}"


def _number(value: Fraction) -> str:
    exact = to_infix(Number(value), unicode=True)
    return f"{exact} ≈ {float(value):.4g}" if "⁄" in exact else exact


# Not allowed in XML: control characters, surrogates, and two noncharacters.
_NOT_SHOWN = ("Cc", "Cs")
_NOT_CHARACTERS = ("\ufffe", "\uffff")


def clean(text: str) -> str:
    """A text that every format can show: white space as single spaces, no control characters.

    >>> clean("a\\n b\\x00")
    'a b�'
    """
    return "".join(
        "\ufffd" if c in _NOT_CHARACTERS or unicodedata.category(c) in _NOT_SHOWN else c
        for c in " ".join(text.split())
    )

"""Text-math trees: an expression whose nodes own the words of the text.

>>> from text2math.mathematics.expression import Operator
>>> words = "7 apples and 3 pears in total".split()
>>> tree = TextMathTree(
...     Symbol.ADD, (0, 7), Pattern.of("AwBw"), children=(
...         TextMathTree(Symbol.CON, (0, 2), quantity=0), TextMathTree(Symbol.CON, (3, 5), quantity=1)))
>>> tree.words
(2, 5, 6)
>>> print(tree.format(words))
ADD AwBw {A} and {B} in total
├─ CON n0: 7 apples
└─ CON n1: 3 pears
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from text2math.inference.patterns import Pattern
from text2math.inference.potentials import EDGE, LEFT, RIGHT, WORD, Potentials, Symbol
from text2math.inference.potentials import A as OPERAND_A
from text2math.inference.potentials import B as OPERAND_B
from text2math.mathematics.expression import Expression, Number, Operation


class TreeError(ValueError):
    """A text-math tree that does not fit together."""


@dataclass(frozen=True, slots=True)
class TextMathTree:
    """A node with its span of the text, its pattern (operators only) and its operands, left one first.

    A constant carries the index of the number it is anchored on.
    """

    symbol: Symbol
    span: tuple[int, int]
    pattern: Pattern | None = None
    children: tuple[TextMathTree, ...] = ()
    quantity: int | None = None

    @property
    def words(self) -> tuple[int, ...]:
        """The positions of the words this node itself owns."""
        first, last = self.span
        inside = {word for child in self.children for word in range(*child.span)}
        return tuple(word for word in range(first, last) if word not in inside)

    def nodes(self) -> Iterator[TextMathTree]:
        """This node and all below it, the operator before its operands."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def check(self, anchors: Sequence[int]) -> None:
        """Raise ``TreeError`` unless every word belongs to exactly one node, as the patterns say."""
        for node in self.nodes():
            node._check_node(anchors)

    def _check_node(self, anchors: Sequence[int]) -> None:
        first, last = self.span
        if not 0 <= first < last:
            raise TreeError(f"{self.symbol.name} has the empty span {self.span}")
        if self.symbol.operator is None:
            self._check_leaf(anchors)
            return
        if self.pattern is None or len(self.children) != 2:
            raise TreeError(f"{self.symbol.name} needs a pattern and two operands")
        one, two = (child.span for child in self.children)
        if self.pattern.swapped:
            one, two = two, one
        gaps = (one[0] - first, two[0] - one[1], last - two[1])
        wanted = (self.pattern.before, self.pattern.between, self.pattern.after)
        if min(gaps) < 0 or any((gap > 0) != owned for gap, owned in zip(gaps, wanted, strict=True)):
            raise TreeError(f"{self.symbol.name} over {self.span} does not follow its pattern {self.pattern}")

    def _check_leaf(self, anchors: Sequence[int]) -> None:
        if self.children or self.pattern is not None:
            raise TreeError(f"{self.symbol.name} is a leaf and takes neither operands nor a pattern")
        if self.symbol is not Symbol.CON:
            return
        if self.quantity is None or not 0 <= self.quantity < len(anchors):
            raise TreeError("a constant must name the number it is anchored on")
        if not self.span[0] <= anchors[self.quantity] < self.span[1]:
            raise TreeError(f"number {self.quantity} does not stand in {self.span}")

    def expression(self, values: Sequence[Fraction]) -> Expression:
        """The expression of this tree, given the value of each number of the text."""
        if self.symbol is Symbol.CON:
            assert self.quantity is not None
            return Number(values[self.quantity], self.quantity)
        operator, unknown = self.symbol.operator, self.symbol.unknown
        if unknown is not None:
            return unknown
        assert operator is not None
        left, right = self.children
        return Operation(operator, left.expression(values), right.expression(values))

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """The (boundary, left, right) of every step of this node's own string, start to end."""
        operands = {}
        for side, child in enumerate(self.children):
            operands[child.span[0]] = (child.span[1], OPERAND_A if side == LEFT else OPERAND_B)
        at, left = self.span[0], EDGE
        while at < self.span[1]:
            end, mark = operands.get(at, (at + 1, WORD))
            yield at, left, mark
            at, left = end, mark
        yield at, left, EDGE

    def score(self, potentials: Potentials) -> float:
        """The sum of all the potentials this tree collects."""
        total = float(potentials.root[self.symbol])
        for node in self.nodes():
            total += sum(potentials.step[node.symbol, at, left, right] for at, left, right in node.steps())
            if node.pattern is not None:
                total += potentials.pattern[node.symbol, node.pattern.index]
            for side, child in zip((LEFT, RIGHT), node.children, strict=False):
                total += potentials.child[node.symbol, side, child.symbol]
            if node.quantity is not None:
                total += potentials.number[node.quantity]
        return float(total)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: symbol, pattern, span, own words, operands."""
        return {
            "symbol": self.symbol.name,
            "pattern": str(self.pattern) if self.pattern else None,
            "span": list(self.span),
            "words": list(self.words),
            "quantity": self.quantity,
            "children": [child.to_dict() for child in self.children],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TextMathTree:
        """The tree of some plain data.

        >>> leaf = TextMathTree(Symbol.CON, (0, 2), quantity=0)
        >>> TextMathTree.from_dict(leaf.to_dict()) == leaf
        True
        """
        return cls(
            Symbol[data["symbol"]],
            (int(data["span"][0]), int(data["span"][1])),
            Pattern.of(data["pattern"]) if data["pattern"] else None,
            tuple(cls.from_dict(child) for child in data["children"]),
            data["quantity"],
        )

    def format(self, words: Sequence[str]) -> str:
        """The tree as lines of text, each node with the words it owns."""
        return "\n".join(self._lines(words))

    def _lines(self, words: Sequence[str]) -> list[str]:
        lines = [self._label(words)]
        for at, child in enumerate(self.children):
            last = at == len(self.children) - 1
            head, *rest = child._lines(words)
            lines.append(("└─ " if last else "├─ ") + head)
            lines += [("   " if last else "│  ") + line for line in rest]
        return lines

    def _label(self, words: Sequence[str]) -> str:
        if self.symbol.operator is None:
            name = f"CON n{self.quantity}" if self.symbol is Symbol.CON else self.symbol.name
            return f"{name}: " + " ".join(words[slice(*self.span)])
        pieces = []
        for at, _, mark in self.steps():
            if mark != EDGE:
                pieces.append(
                    {WORD: words[at] if at < len(words) else ""}.get(
                        mark, "{A}" if mark == OPERAND_A else "{B}"
                    )
                )
        return f"{self.symbol.name} {self.pattern} " + " ".join(pieces)

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

from text2math.inference.forest import Forest, Rule, Run, State
from text2math.inference.patterns import Pattern
from text2math.inference.potentials import ASIDE, EDGE, LEFT, RIGHT, WORD, Potentials, Symbol
from text2math.inference.potentials import A as OPERAND_A
from text2math.inference.potentials import B as OPERAND_B
from text2math.mathematics.expression import Expression, Number, Operation, equations, system


class TreeError(ValueError):
    """An inconsistent text-math tree."""


@dataclass(frozen=True, slots=True)
class TextMathTree:
    """A node with its span of the text, its pattern (operators only) and its operands, left one first.

    A constant carries the index of the number it is anchored on. An unknown may have no words: its span is
    empty, at the beginning of its operator's span if it is the left operand, at the end if it is the right.

    An equation of a system may have ``asides``: complete equations between its two sides, in text order. They
    are the next equations of the same system, and no ``;`` joins them. So a tree determines the order of its
    system, and each tree is built in one way only.
    """

    symbol: Symbol
    span: tuple[int, int]
    pattern: Pattern | None = None
    children: tuple[TextMathTree, ...] = ()
    quantity: int | None = None
    asides: tuple[TextMathTree, ...] = ()

    @property
    def below(self) -> tuple[TextMathTree, ...]:
        """The operands, then the asides."""
        return self.children + self.asides

    @property
    def root_symbol(self) -> Symbol:
        """The symbol whose root score the tree collects: an equation with asides is a system."""
        return Symbol.SYS if self.asides else self.symbol

    @property
    def words(self) -> tuple[int, ...]:
        """The positions of the words this node itself owns."""
        first, last = self.span
        inside = {word for child in self.below for word in range(*child.span)}
        return tuple(word for word in range(first, last) if word not in inside)

    def nodes(self) -> Iterator[TextMathTree]:
        """This node and all below it: the operator, its operands, its asides."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.below)

    def check(self, anchors: Sequence[int]) -> None:
        """Raise ``TreeError`` unless every word belongs to exactly one node, as the patterns say."""
        if self.span[0] >= self.span[1]:
            raise TreeError(f"{self.symbol.name} has the empty span {self.span}")
        for node in self.nodes():
            node._check_node(anchors)

    def _check_node(self, anchors: Sequence[int]) -> None:
        first, last = self.span
        if not 0 <= first <= last or (first == last and self.symbol.unknown is None):
            raise TreeError(f"{self.symbol.name} has the empty span {self.span}")
        if self.symbol.operator is None:
            self._check_leaf(anchors)
            return
        if self.pattern is None or len(self.children) != 2:
            raise TreeError(f"{self.symbol.name} needs a pattern and two operands")
        left, right = self._placed_operands()
        nonempty = sorted(span for span in (left, right) if span[0] < span[1])
        ends = [first, *(end for span in nonempty for end in span), last]
        fits = Pattern.of_spans(self.span, left, right) == self.pattern and ends == sorted(ends)
        if not fits or (self.pattern.silent and not self.words):
            raise TreeError(f"{self.symbol.name} over {self.span} does not follow its pattern {self.pattern}")
        if self.pattern.swapped and self.symbol.in_text_order:
            raise TreeError(f"the operands of {self.symbol.name} must be in text order, not swapped")
        self._check_asides(nonempty)

    def _placed_operands(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The spans of the operands; a silent one must be at its operator's beginning or end."""
        left, right = (child.span for child in self.children)
        for span, place in ((left, self.span[0]), (right, self.span[1])):
            if span[0] == span[1] != place:
                raise TreeError(
                    f"an operand of {self.symbol.name} without words is at {span[0]}, not {place}"
                )
        return left, right

    def _check_asides(self, operands: Sequence[tuple[int, int]]) -> None:
        if not self.asides:
            return
        if {node.symbol for node in (self, *self.asides)} != {Symbol.EQU}:
            raise TreeError(
                f"{self.symbol.name} can't hold asides; only equations can, and only equations as asides"
            )
        spans = [aside.span for aside in self.asides]
        ends = [end for span in spans for end in span]
        if len(operands) < 2 or ends != sorted(ends) or ends[0] < operands[0][1] or ends[-1] > operands[1][0]:
            raise TreeError(f"the asides {spans} are not between the two sides of the equation")

    def _check_leaf(self, anchors: Sequence[int]) -> None:
        if self.children or self.pattern is not None:
            raise TreeError(f"{self.symbol.name} is a leaf and takes neither operands nor a pattern")
        if self.symbol is not Symbol.CON:
            return
        if self.quantity is None or not 0 <= self.quantity < len(anchors):
            raise TreeError("a constant must name the number it is anchored on")
        if not self.span[0] <= anchors[self.quantity] < self.span[1]:
            raise TreeError(f"number {self.quantity} is not in {self.span}")

    def expression(
        self, values: Sequence[Fraction], known: dict[int, Expression] | None = None
    ) -> Expression:
        """The expression of this tree, given the value of each number of the text.

        ``known`` keeps the expression of each node by its ``id``, for trees that have nodes in common; it may
        be used only while all of them are there.
        """
        if known is None:
            return self._expression(values, {})
        found = known.get(id(self))
        if found is None:
            found = known[id(self)] = self._expression(values, known)
        return found

    def _expression(self, values: Sequence[Fraction], known: dict[int, Expression]) -> Expression:
        if self.symbol is Symbol.CON:
            assert self.quantity is not None
            return Number(values[self.quantity], self.quantity)
        operator = self.symbol.operator
        if operator is None:
            unknown = self.symbol.unknown
            assert unknown is not None
            return unknown
        one, two = self.children
        left, right = one.expression(values, known), two.expression(values, known)
        if self.symbol is Symbol.SYS:
            return system((*equations(left), *equations(right)))
        own = Operation(operator, left, right)
        if not self.asides:
            return own
        inside = (aside.expression(values, known) for aside in self.asides)
        return system((own, *(statement for aside in inside for statement in equations(aside))))

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """The (boundary, left, right) of every step of this node's own string, start to end."""
        # An aside cuts the string in two: the first ends where it begins, the second starts where it ends.
        operands = {aside.span[0]: (aside.span[1], EDGE) for aside in self.asides}
        for side, child in enumerate(self.children):
            if child.span[0] < child.span[1]:
                operands[child.span[0]] = (child.span[1], OPERAND_A if side == LEFT else OPERAND_B)
        if self.span[0] == self.span[1]:
            return  # without words there is no string
        at, left = self.span[0], EDGE
        while at < self.span[1]:
            end, mark = operands.get(at, (at + 1, WORD))
            yield at, left, mark
            at, left = end, mark
        yield at, left, EDGE

    def score(self, potentials: Potentials) -> float:
        """The sum of all the potentials this tree collects."""
        total = float(potentials.root[self.root_symbol])
        for node in self.nodes():
            total += sum(potentials.step[node.symbol, at, left, right] for at, left, right in node.steps())
            if node.pattern is not None:
                total += potentials.pattern[node.symbol, node.pattern.index]
            for side, child in zip((LEFT, RIGHT), node.children, strict=False):
                total += potentials.child[node.symbol, side, child.symbol]
            for _ in node.asides:
                total += potentials.child[Symbol.EQU, ASIDE, Symbol.EQU]
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
            **({"asides": [aside.to_dict() for aside in self.asides]} if self.asides else {}),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TextMathTree:
        """The tree that plain data describes.

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
            tuple(cls.from_dict(aside) for aside in data.get("asides", ())),
        )

    def format(self, words: Sequence[str]) -> str:
        """The tree as lines of text, each node with the words it owns."""
        return "\n".join(self._lines(words))

    def _lines(self, words: Sequence[str]) -> list[str]:
        lines = [self._label(words)]
        for at, child in enumerate(self.below):
            last = at == len(self.below) - 1
            head, *rest = child._lines(words)
            lines.append(("└─ " if last else "├─ ") + head)
            lines += [("   " if last else "│  ") + line for line in rest]
        return lines

    def _label(self, words: Sequence[str]) -> str:
        if self.symbol.operator is None:
            name = f"CON n{self.quantity}" if self.symbol is Symbol.CON else self.symbol.name
            own = words[slice(*self.span)]
            return f"{name}: " + " ".join(own) if own else f"{name} (without words)"
        shown = {OPERAND_A: "{A}", OPERAND_B: "{B}", EDGE: "{;}"}
        pieces = [shown.get(mark, words[at] if at < len(words) else "") for at, _, mark in self.steps()]
        return f"{self.symbol.name} {self.pattern} " + " ".join(pieces[:-1])


def forest_of_tree(tree: TextMathTree, *, silent: bool = False) -> Forest:
    """The trees of the same expression, with one state for each node."""
    states: list[State] = []
    rules: list[Rule] = []
    runs: list[Run] = []

    def add(node: TextMathTree) -> int:
        own = len(states)
        states.append(State(node.symbol, node.quantity))
        if node.children:
            left, right = (add(child) for child in node.children)
            before = None
            for aside in node.asides:
                last = add(aside)  # which may have runs of its own
                runs.append(Run(((before, (last,)),)))
                before = len(runs) - 1
            rules.append(Rule(own, (left,), (right,), before))
        return own

    add(tree)
    return Forest(tuple(states), tuple(rules), (0,), tuple(runs), silent, bool(runs))

"""The potentials of one problem: every score a text-math tree can collect, as five arrays.

A tree's score is the sum, over its nodes, of

* ``step[symbol, i, left, right]`` at every text boundary i (0…n) in the node's own string, where
  ``left`` and ``right`` are what is on either side of the boundary: the edge of the string (its
  start or end), a word of the text, or the operand A or B;
* ``pattern[symbol, pattern]`` of an operator;
* ``child[symbol, side, symbol]`` for each operand (side 0 is the left one, A);
* ``child[EQU, ASIDE, EQU]`` for each aside;
* ``number[k]`` for a constant anchored on the k-th number of the text;

and of ``root[symbol]`` for the root, with SYS as the symbol of every system.

An aside (a statement between the two sides of another) cuts the string of its ``=`` in two: one ends where
the aside begins, with a step to the edge, the other starts where it ends, with a step from the edge. An
operand without words is not in its operator's string.

Minus infinity means forbidden. The score of a word itself (its emission) is part of the step that enters it,
``step[symbol, i, …, WORD]`` for word i.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import EnumMeta, IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from text2math.inference.patterns import PATTERN_COUNT
from text2math.mathematics.expression import Expression, Number, Operator, Variable
from text2math.mathematics.grammar import LEFT as LEFT
from text2math.mathematics.grammar import MAX_UNKNOWNS
from text2math.mathematics.grammar import RIGHT as RIGHT

EDGE, WORD, A, B = range(4)
# An aside is scored as a right operand of ``=``, which no statement can be.
ASIDE = RIGHT

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


class _Named(EnumMeta):
    if TYPE_CHECKING:  # the members come from the grammar's table, which type checkers don't run

        def __getattr__(cls, name: str) -> Symbol: ...


class Symbol(IntEnum, metaclass=_Named):
    """What a node of a text-math tree is: an operator of the grammar, CON for a constant, or an unknown.

    Operators come first, then CON, then X1, X2, … Unknowns are told apart: "0.7 % lower" uses one twice.

    >>> [Symbol.of(Variable(2)).name, Symbol.SUB.operator.value, Symbol.CON.operator]
    ['X2', '-', None]
    """

    _ignore_ = "number name_"
    for number, name_ in enumerate(
        (*Operator.__members__, "CON", *(Variable(index).name for index in range(1, MAX_UNKNOWNS + 1)))
    ):
        vars()[name_] = number

    @property
    def operator(self) -> Operator | None:
        """The operator of the grammar, if it is one."""
        return _OPERATORS[self]

    @property
    def in_text_order(self) -> bool:
        """Whether its operands must be in text order. Those of ``;`` must, so that a system has one order."""
        operator = self.operator
        return operator is not None and operator.entry.chained

    @property
    def unknown(self) -> Variable | None:
        """The unknown, if it is one."""
        return _UNKNOWNS[self]

    @classmethod
    def of(cls, expression: Expression) -> Symbol:
        """The symbol at the root of an expression."""
        match expression:
            case Number():
                return Symbol.CON
            case Variable(index=index):
                if index > MAX_UNKNOWNS:
                    names = ", ".join(symbol.name for symbol in UNKNOWNS)
                    raise ValueError(f"the grammar knows the unknowns {names}, not {expression.name}")
                return cls(Symbol.CON + index)
            case _:
                return _SYMBOL_OF[expression.operator]


_OPERATORS = tuple(Operator.__members__.get(symbol.name) for symbol in Symbol)
_UNKNOWNS = tuple(Variable(symbol - Symbol.CON) if symbol > Symbol.CON else None for symbol in Symbol)
_SYMBOL_OF = {operator: symbol for symbol, operator in zip(Symbol, _OPERATORS, strict=True) if operator}


def symbols_named(names: Iterable[str]) -> tuple[Symbol, ...]:
    """The symbols with these names.

    >>> symbols_named(["ADD", "POW"])
    Traceback (most recent call last):
    ValueError: the grammar has no symbol 'POW'
    """
    found = tuple(names)
    for name in found:
        if name not in Symbol.__members__:
            raise ValueError(f"the grammar has no symbol {name!r}")
    return tuple(Symbol[name] for name in found)


# The symbols of old model files, which don't name theirs.
FIRST_GRAMMAR = ("EQU", "ADD", "SUB", "MUL", "DIV", "SUBR", "DIVR", "CON", "X1", "X2")
UNKNOWNS = tuple(symbol for symbol in Symbol if symbol.unknown is not None)
SYMBOL_COUNT = len(Symbol)


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """The scores of one problem of n words and K numbers. Arrays are float64 and C-contiguous.

    >>> zero = Potentials.zeros(words=4, anchors=[1, 3])
    >>> zero.step.shape, zero.number.shape
    ((18, 5, 4, 4), (2,))
    """

    step: FloatArray  # [symbol, n + 1, left, right]
    pattern: FloatArray  # [symbol, pattern]
    child: FloatArray  # [symbol, side, symbol]
    root: FloatArray  # [symbol]
    number: FloatArray  # [K]
    anchors: IntArray  # [K], the word each number is anchored on; several may share one
    # Not collected by any tree:
    beyond: float = 0.0  # log odds that no tree is right, as far as the scorer can tell
    asked: tuple[float, ...] = ()  # a score for each value that a system may be asked for
    relations: NDArray[np.float32] | None = None  # [K, K, …], of each two numbers (mathematics/relations.py)

    def __repr__(self) -> str:
        return f"Potentials({self.step.shape[1] - 1} words, {len(self.anchors)} numbers)"

    @property
    def words(self) -> int:
        """The number of words of the text."""
        return int(self.step.shape[1]) - 1

    @classmethod
    def zeros(cls, words: int, anchors: list[int] | tuple[int, ...] | IntArray) -> Potentials:
        """All scores zero, for a scorer to add to."""
        return cls(
            step=np.zeros((SYMBOL_COUNT, words + 1, 4, 4)),
            pattern=np.zeros((SYMBOL_COUNT, PATTERN_COUNT)),
            child=np.zeros((SYMBOL_COUNT, 2, SYMBOL_COUNT)),
            root=np.zeros(SYMBOL_COUNT),
            number=np.zeros(len(anchors)),
            anchors=np.asarray(anchors, dtype=np.int32),
        )

    def __add__(self, other: Potentials) -> Potentials:
        """The scores of two scorers over the same problem, added up."""
        if self.words != other.words or not np.array_equal(self.anchors, other.anchors):
            raise ValueError("these potentials belong to different problems")
        return Potentials(
            step=self.step + other.step,
            pattern=self.pattern + other.pattern,
            child=self.child + other.child,
            root=self.root + other.root,
            number=self.number + other.number,
            anchors=self.anchors,
            beyond=self.beyond + other.beyond,
            asked=self.asked or other.asked,
            relations=other.relations if self.relations is None else self.relations,
        )

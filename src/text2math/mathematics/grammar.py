"""The grammar as one table: what each operator is, how it is written, what it takes and what it means.

Everything else is derived from it: symbols and forests, precedence, printing, reading, evaluation, algebra,
and the signs on the page. To add an operator, add an entry to ``Operator``.

>>> Operator.SUB.value, Operator.SUB.entry.unicode, Operator.SUB.commutative
('-', '−', False)
>>> Operator.EQU.may_take(LEFT, Operator.ADD), Operator.ADD.may_take(LEFT, Operator.EQU)
(True, False)
"""

from __future__ import annotations

import math
import operator as arithmetic
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

MAX_UNKNOWNS = 3  # that a text may have: X1, X2, X3
MAX_EQUATIONS = 4  # of a system
LEFT, RIGHT = range(2)  # the two operands
NEGATION, ATOM = (
    5,
    6,
)  # how tightly a minus sign binds, and what needs no brackets; every sign binds less tightly


class Sort(StrEnum):
    """What an expression is: something with a value, a statement about values, or several statements."""

    VALUE = "value"
    STATEMENT = "statement"
    SYSTEM = "system"


_VALUES = frozenset({Sort.VALUE})
_STATEMENTS = frozenset({Sort.STATEMENT})


@dataclass(frozen=True, slots=True)
class Brackets:
    """Signs around the operands instead of between them: ``gcd(a, b)``, ``⌈a ÷ b⌉``."""

    opening: str
    closing: str

    @property
    def name(self) -> str:
        """The name in front of a round bracket, or nothing: the opening is a bracket of its own.

        >>> Brackets("gcd(", ")").name, Brackets("⌈", "⌉").name
        ('gcd', '')
        """
        head = self.opening.removesuffix("(").removesuffix(r"\left")
        return head if self.opening.endswith("(") else ""


Sign: TypeAlias = str | Brackets


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One operator. The defaults are those of most operators."""

    infix: Sign
    unicode: Sign = ""  # as in infix
    latex: Sign = ""  # as in infix
    also: tuple[str, ...] = ()  # other signs read as this operator
    words: str  # how it is read aloud
    precedence: int = ATOM  # of a sign: a higher one binds tighter; all operators group from the left
    operands: tuple[frozenset[Sort], frozenset[Sort]] = (_VALUES, _VALUES)
    result: Sort = Sort.VALUE
    commutative: bool = False
    root_only: bool = False
    chained: bool = False  # a root-only operator that may be its own left operand
    group: str = ""  # the associative operator with which it regroups
    inverts: bool = False  # in that group, its right operand counts inversely
    mirrors: str = ""  # the operator that takes the same operands the other way round
    function_of: str = ""  # its value depends only on this operation of its operands
    evaluate: Callable[[Fraction, Fraction], Fraction | None] | None = None  # None: it has no value
    # The same on anything with + - * / (rational functions); a = b says that a - b is zero.
    algebra: Callable[[Any, Any], Any] | None = None  # None: it is not algebraic


def _quotient(left: Any, right: Any) -> Any:
    return left / right if right else None


def _rounded_up(left: Fraction, right: Fraction) -> Fraction | None:
    return Fraction(math.ceil(left / right)) if right else None


def _rounded_down(left: Fraction, right: Fraction) -> Fraction | None:
    return Fraction(left // right) if right else None


def _remainder(left: Fraction, right: Fraction) -> Fraction | None:
    return left % right if right else None


def _of_whole_numbers(
    function: Callable[[int, int], int],
) -> Callable[[Fraction, Fraction], Fraction | None]:
    """A function that is defined for positive whole numbers only."""

    def applied(left: Fraction, right: Fraction) -> Fraction | None:
        if left.denominator != 1 or right.denominator != 1 or min(left, right) < 1:
            return None
        return Fraction(function(left.numerator, right.numerator))

    return applied


class Operator(Enum):
    """An operation on a left and a right operand. Its value is the sign that infix and prefix write.

    The two inverse operators take their operands the other way round (``a SUBR b`` is ``b - a``).
    They are there only for the paper's ablation.

    >>> Operator("+"), Operator.GCD.value
    (<Operator.ADD: '+'>, 'gcd')
    """

    EQU = Entry(
        infix="=",
        words="equals",
        precedence=1,
        result=Sort.STATEMENT,
        commutative=True,
        algebra=arithmetic.sub,
    )
    ADD = Entry(
        infix="+",
        words="plus",
        precedence=3,
        commutative=True,
        group="ADD",
        evaluate=arithmetic.add,
        algebra=arithmetic.add,
    )
    SUB = Entry(
        infix="-",
        unicode="−",
        also=("–", "—"),
        words="minus",
        precedence=3,
        group="ADD",
        inverts=True,
        evaluate=arithmetic.sub,
        algebra=arithmetic.sub,
    )
    MUL = Entry(
        infix="*",
        unicode="×",
        latex=r"\times",
        also=("·", "⋅", "∙", "\u2062", r"\cdot", r"\ast"),
        words="times",
        precedence=4,
        commutative=True,
        group="MUL",
        evaluate=arithmetic.mul,
        algebra=arithmetic.mul,
    )
    DIV = Entry(
        infix="/",
        unicode="÷",
        also=("∕", r"\div"),
        words="divided by",
        precedence=4,
        group="MUL",
        inverts=True,
        evaluate=_quotient,
        algebra=_quotient,
    )
    SUBR = Entry(
        infix="-r",
        unicode="−r",
        latex="-_{r}",
        words="from",
        precedence=3,
        mirrors="SUB",
        evaluate=lambda left, right: right - left,
        algebra=lambda left, right: right - left,
    )
    DIVR = Entry(
        infix="/r",
        unicode="÷r",
        latex=r"\div_{r}",
        words="into",
        precedence=4,
        mirrors="DIV",
        evaluate=lambda left, right: _quotient(right, left),
        algebra=lambda left, right: _quotient(right, left),
    )
    SYS = Entry(
        infix=";",
        latex=r"\\",
        words="and",
        precedence=0,
        operands=(frozenset({Sort.STATEMENT, Sort.SYSTEM}), _STATEMENTS),
        result=Sort.SYSTEM,
        commutative=True,
        root_only=True,
        chained=True,
    )
    CEIL = Entry(
        infix=Brackets("ceil(", ")"),
        unicode=Brackets("⌈", "⌉"),
        latex=Brackets(r"\left\lceil ", r" \right\rceil"),
        words="divided by, rounded up",
        root_only=True,
        function_of="DIV",
        evaluate=_rounded_up,
    )
    QUO = Entry(
        infix=Brackets("floor(", ")"),
        unicode=Brackets("⌊", "⌋"),
        latex=Brackets(r"\left\lfloor ", r" \right\rfloor"),
        words="divided by, without the rest",
        root_only=True,
        function_of="DIV",
        evaluate=_rounded_down,
    )
    REM = Entry(
        infix="mod",
        latex=r"\bmod",
        words="divided by, the rest",
        precedence=4,
        root_only=True,
        evaluate=_remainder,
    )
    GCD = Entry(
        infix=Brackets("gcd(", ")"),
        latex=Brackets(r"\gcd\left(", r"\right)"),
        words="the greatest common divisor with",
        commutative=True,
        root_only=True,
        evaluate=_of_whole_numbers(math.gcd),
    )
    LCM = Entry(
        infix=Brackets("lcm(", ")"),
        latex=Brackets(r"\operatorname{lcm}\left(", r"\right)"),
        words="the least common multiple with",
        commutative=True,
        root_only=True,
        evaluate=_of_whole_numbers(math.lcm),
    )
    RATIO = Entry(
        infix=":",
        also=("∶",),
        words="to",
        precedence=2,
        root_only=True,
        function_of="DIV",
        evaluate=_quotient,
    )

    _value_: str
    entry: Entry

    def __new__(cls, entry: Entry) -> Operator:
        """A member whose value is its sign, so that it can be found by it."""
        member = object.__new__(cls)
        sign = entry.infix
        member._value_ = sign.name if isinstance(sign, Brackets) else sign
        member.entry = entry
        return member

    # Trees are built by the thousand, and Enum's own hash looks up a name each time.
    __hash__ = object.__hash__

    @property
    def arity(self) -> int:
        """How many operands it takes."""
        return 2

    @property
    def commutative(self) -> bool:
        """Whether swapping the operands keeps the meaning."""
        return self.entry.commutative

    @property
    def inverse_of(self) -> Operator | None:
        """For an inverse operator, the plain one it mirrors."""
        return Operator[self.entry.mirrors] if self.entry.mirrors else None

    @property
    def group(self) -> Operator | None:
        """The associative operator of its group: ``+`` for ``-``, itself for ``+``."""
        return Operator[self.entry.group] if self.entry.group else None

    @property
    def function_of(self) -> Operator | None:
        """The operation of its operands that alone decides its value: ``÷`` for rounding up."""
        return Operator[self.entry.function_of] if self.entry.function_of else None

    @property
    def unicode(self) -> Sign:
        """How it is written in Unicode."""
        return self.entry.unicode or self.entry.infix

    @property
    def latex(self) -> Sign:
        """How LaTeX writes it."""
        return self.entry.latex or self.entry.infix

    @property
    def label(self) -> str:
        """A short sign for a node of a drawn tree.

        >>> [operator.label for operator in (Operator.MUL, Operator.GCD, Operator.CEIL)]
        ['×', 'gcd', '⌈÷⌉']
        """
        sign, inside = self.unicode, self.function_of
        if isinstance(sign, str):
            return sign
        return sign.name or f"{sign.opening}{inside.label if inside else ''}{sign.closing}"

    def takes(self, side: int) -> frozenset[Sort]:
        """The sorts that its left or right operand may have."""
        return self.entry.operands[side]

    def may_take(self, side: int, operand: Operator | None) -> bool:
        """Whether an operand with this root is allowed on this side; None means a leaf."""
        if operand is None:
            return Sort.VALUE in self.takes(side)
        at_root_only = operand.entry.root_only and not (
            operand is self and self.entry.chained and side == LEFT
        )
        return operand.entry.result in self.takes(side) and not at_root_only

    def refusal(self, side: int, operand: Operator | None) -> str:
        """Why this operand is not allowed on this side.

        >>> Operator.ADD.refusal(LEFT, Operator.EQU)
        "the left operand of '+' must be a value, and '=' makes a statement"
        >>> Operator.ADD.refusal(RIGHT, Operator.GCD)
        "'gcd' is allowed only at the root of an expression, not below '+'"
        """
        made = Sort.VALUE if operand is None else operand.entry.result
        if operand is not None and made in self.takes(side):
            return f"{operand.value!r} is allowed only at the root of an expression, not below {self.value!r}"
        wanted = " or a ".join(sorted(self.takes(side)))
        what = "this is a value" if operand is None else f"{operand.value!r} makes a {made}"
        return f"the {('left', 'right')[side]} operand of {self.value!r} must be a {wanted}, and {what}"


def inverse_in(group: Operator) -> Operator | None:
    """The operator of a group whose right operand counts inversely.

    >>> inverse_in(Operator.ADD).value
    '-'
    """
    return next((one for one in Operator if one.group is group and one.entry.inverts), None)


# What each operator may have on its left and right, looked up for every operation that is built.
OPERANDS: dict[Operator, tuple[frozenset[Operator | None], frozenset[Operator | None]]] = {
    operator: (
        frozenset(operand for operand in (None, *Operator) if operator.may_take(LEFT, operand)),
        frozenset(operand for operand in (None, *Operator) if operator.may_take(RIGHT, operand)),
    )
    for operator in Operator
}
# The value of each operator, which Enum itself takes several times as long to give.
SIGNS: dict[Operator, str] = {operator: operator.value for operator in Operator}

"""What hypothesis draws: expressions of every kind, and random rewriting of them that keeps their meaning."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import compress
from random import Random

from hypothesis import strategies as st

from text2math.language.cleaning import Cleaned
from text2math.mathematics.expression import Expression, Number, Operation, Operator, Variable, fold, system

PLAIN = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV)
INNER = (*PLAIN, Operator.SUBR, Operator.DIVR)

values = st.one_of(
    st.integers(-20, 20).map(Fraction),
    st.decimals(-1000, 1000, places=3).map(Fraction),
    st.fractions(),
)
any_numbers = st.builds(Number, values, st.none() | st.integers(0, 99))
whole_numbers = st.builds(Number, st.integers(1, 20).map(Fraction))


def trees(leaves: st.SearchStrategy[Expression], operators: tuple[Operator, ...] = INNER, size: int = 12):
    """Expressions without '=' of at most so many leaves."""
    return st.recursive(
        leaves, lambda inner: st.builds(Operation, st.sampled_from(operators), inner, inner), max_leaves=size
    )


def expressions(size: int = 12):
    """Any expression or equation: negative and fractional numbers, unknowns, inverse operators."""
    sides = trees(any_numbers | st.builds(Variable, st.integers(1, 12)), size=size)
    return sides | st.builds(Operation, st.just(Operator.EQU), sides, sides)


def any_expressions(size: int = 8):
    """Any of these, any system of equations, or an operation that stands only at the root."""
    sides = trees(any_numbers | st.builds(Variable, st.integers(1, 12)), size=size)
    at_root = [one for one in Operator if one.entry.root_only and one is not Operator.SYS]
    statements = st.lists(st.builds(Operation, st.just(Operator.EQU), sides, sides), min_size=2, max_size=4)
    return (
        expressions(size)
        | st.builds(Operation, st.sampled_from(at_root), sides, sides)
        | st.builds(system, statements)
    )


@st.composite
def linear_systems(draw: st.DrawFn, equations: int = 4):
    """A system of linear equations with small coefficients in at most three unknowns."""
    unknowns = draw(st.integers(1, 3))
    numbers = st.integers(-4, 4).map(lambda value: Number(Fraction(value)))
    statements = []
    for _ in range(draw(st.integers(1, equations))):
        terms = [Operation(Operator.MUL, draw(numbers), Variable(at)) for at in range(1, unknowns + 1)]
        left = reduce(lambda one, other: Operation(Operator.ADD, one, other), terms)
        statements.append(Operation(Operator.EQU, left, draw(numbers)))
    return system(statements)


def without_quantities(expression: Expression) -> Expression:
    """The expression with numbers from nowhere."""
    return fold(
        expression,
        lambda leaf: Number(leaf.value) if isinstance(leaf, Number) else leaf,
        Operation,
    )


def random_tree(random: Random, leaves: int, unknowns: int) -> Expression:
    """A tree of so many leaves over small numbers and X1 … Xn."""
    if leaves == 1:
        if unknowns and random.random() < 0.5:
            return Variable(random.randint(1, unknowns))
        return Number(Fraction(random.randint(1, 6), random.choice((1, 1, 1, 2, 10))))
    left = random.randint(1, leaves - 1)
    # Division is rarer, so that not every pair is about denominators.
    operator = random.choice((Operator.ADD, Operator.SUB, Operator.MUL, *PLAIN))
    parts = random_tree(random, left, unknowns), random_tree(random, leaves - left, unknowns)
    return Operation(operator, *parts)


def random_equation(random: Random, leaves: int, unknowns: int) -> Operation:
    """An equation of so many leaves on each side at most."""
    sides = (random_tree(random, random.randint(1, leaves), unknowns) for _ in range(2))
    return Operation(Operator.EQU, *sides)


def rewritten(random: Random, expression: Expression, times: int = 3) -> Expression:
    """An equivalent expression: commuted, distributed, padded; an equation also scaled and moved."""
    for _ in range(times):
        expression = fold(expression, lambda leaf: leaf, lambda *parts: _rewritten_node(random, *parts))
        if isinstance(expression, Operation) and expression.operator is Operator.EQU:
            expression = _rewritten_equation(random, expression)
    return expression


def _rewritten_node(random: Random, operator: Operator, left: Expression, right: Expression) -> Expression:
    node = Operation(operator, left, right)
    if random.random() < 0.5:
        return node
    match node:
        case Operation(Operator.MUL, a, Operation(Operator.ADD | Operator.SUB as inner, b, c)):
            return Operation(inner, Operation(Operator.MUL, a, b), Operation(Operator.MUL, a, c))
        case Operation(Operator.ADD | Operator.MUL, a, b):
            return Operation(operator, b, a)
        case Operation(Operator.SUB, a, Operation(Operator.SUB, b, c)):
            return Operation(Operator.ADD, Operation(Operator.SUB, a, b), c)
        case Operation(Operator.SUB, a, b):
            return Operation(Operator.ADD, a, Operation(Operator.MUL, Number(Fraction(-1)), b))
        case Operation(Operator.DIV, Operation(Operator.ADD, a, b), c):
            return Operation(Operator.ADD, Operation(Operator.DIV, a, c), Operation(Operator.DIV, b, c))
    return node


def _rewritten_equation(random: Random, equation: Operation) -> Operation:
    left, right = equation.left, equation.right
    extra = random_tree(random, 1, 2)
    factor = Number(Fraction(random.choice((-3, -1, 2, 5)), random.choice((1, 7))))
    match random.randrange(3):
        case 0:
            left, right = right, left
        case 1:
            left, right = Operation(Operator.ADD, left, extra), Operation(Operator.ADD, right, extra)
        case 2:
            left, right = Operation(Operator.MUL, left, factor), Operation(Operator.MUL, factor, right)
    return Operation(Operator.EQU, left, right)


def renamed(expression: Expression, names: dict[int, int]) -> Expression:
    """The expression with its unknowns renumbered."""
    return fold(
        expression,
        lambda leaf: Variable(names.get(leaf.index, leaf.index)) if isinstance(leaf, Variable) else leaf,
        Operation,
    )


def clean_text_in(clean: Cleaned, start: int, end: int) -> str:
    """The clean text of a span of the given one."""
    if clean.sources is None:
        return clean.text[start:end]
    within = (start <= first and last <= end for first, last in clean.sources)
    return "".join(compress(clean.text, within))

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import (
    PLAIN,
    expressions,
    random_equation,
    random_tree,
    renamed,
    rewritten,
    trees,
    whole_numbers,
)
from text2math.mathematics.algebra import MAX_BITS, canonical_form, equivalent, evaluate, solve
from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    is_equation,
    leaves,
    variables,
)
from text2math.mathematics.notation import from_infix, to_infix, to_sympy
from text2math.mathematics.regrouping import equivalent_trees

ADD, SUB, MUL, DIV, EQU = Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.EQU
X1, X2 = Variable(1), Variable(2)


# ------------------------------------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 + (3 + 6)", "16"),
        ("0.1 + 0.2", "3/10"),
        ("1 / 3 * 3", "1"),
        ("7 -r 3", "-4"),
        ("4 /r 2", "1/2"),
        ("-3 * -3", "9"),
    ],
)
def test_values_are_exact(text, value):
    assert evaluate(from_infix(text)) == Fraction(value)


@pytest.mark.parametrize("text", ["1 / 0", "0 /r 1", "2 / (3 - 3) + 1", "x", "2 * X2 + 1", "x = 3", "3 = 3"])
def test_what_has_no_value_is_no_answer(text):
    assert evaluate(from_infix(text)) is None


def test_values_beyond_the_bound_are_no_answer_at_once():
    tree: Expression = Number(Fraction(3, 7))
    for _ in range(1_000):
        tree = Operation(MUL, tree, Number(Fraction(10**9 + 7, 10**9 + 9)))
    assert evaluate(tree) is None
    huge = Number(Fraction(2) ** (MAX_BITS + 1))
    assert evaluate(Operation(SUB, huge, huge)) is None


def test_very_deep_expressions_have_a_value():
    tree: Expression = Number(Fraction(1))
    for _ in range(20_000):
        tree = Operation(ADD, Number(Fraction(1)), tree)
    assert evaluate(tree) == 20_001


@given(trees(whole_numbers, PLAIN, size=8))
def test_value_agrees_with_sympy(tree):
    value = evaluate(tree)
    assume(value is not None)
    assert sympy.Rational(value.numerator, value.denominator) == to_sympy(tree).doit()


# ----------------------------------------------------------------------------------------------- solving


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("X1 - 0.007 * X1 = 10842", "3614000/331"),
        ("1 / x = 4", "1/4"),
        ("3 / (x + 1) = 2 / (x - 1)", "5"),
        ("x * x * x = 8", "2"),
        ("x * x = 0", "0"),
        ("x * (x - 1) / x = 0", "1"),
        ("2 -r x = 5", "7"),
        ("x * x - 2 * x + 1 = 0", "1"),
    ],
)
def test_a_determined_unknown_is_found(text, value):
    assert solve(from_infix(text)) == {X1: Fraction(value)}


@pytest.mark.parametrize(
    "text",
    [
        "X1 + X2 = 150",  # two unknowns
        "x = x",  # any value
        "x / x = 1",  # almost any value
        "x = x + 1",  # none
        "x * x = 4",  # two
        "x * x = 2",  # two, not rational
        "x * x * x = 2",  # one, not rational
        "x * x = -1",  # none that is real
        "(x * x - 1) / (x - 1) = 2",  # 1, where the left side is not defined
        "1 / (x - x) = 3",  # never defined
        "3 = 4",
    ],
)
def test_an_equation_that_determines_nothing_has_no_solution(text):
    assert solve(from_infix(text)) is None


def test_a_true_equation_without_unknowns_has_the_empty_solution():
    assert solve(from_infix("7 = 3 + 4")) == {}


def test_only_equations_are_solved():
    with pytest.raises(ValueError, match="equation"):
        solve(from_infix("3 + 4"))


@given(st.randoms(use_true_random=False))
def test_a_solution_makes_both_sides_equal(random):
    equation = random_equation(random, 4, 1)
    solution = solve(equation)
    assume(solution is not None)
    left, right = evaluate(equation.left, solution), evaluate(equation.right, solution)
    assert left is not None
    assert left == right


# ------------------------------------------------------------------------------------------- equivalence


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("3*X1 = 5*X2 - 11", "5*X1 = 3*X2 + 11"),
        ("3*X1 = 5*X2 - 11", "6*X1 + 22 = 10*X2"),
        ("X1/X2 = 5/3", "3*X1 = 5*X2"),
        ("X1 - 0.007*X1 = 10842", "0.993*X2 = 10842"),
        ("x*y/y = 3", "x = 3"),
        ("1/x + 1/x = 1", "x = 2"),
        ("1/(x+1) + 1/(x+1) = 1", "x = 1"),
        ("1 = 2", "3 = 4"),
        ("x = x", "0 = 0"),
        ("x/x", "1"),
        ("(x*x - 1)/(x - 1)", "y + 1"),
        ("1/(x - y)", "1/(y - x)"),
        ("x - y", "y - x"),
        ("X1 + X2 + X3 = 1", "X3 + X1 + X2 = 1"),
        ("X1 + X2 - X2 = 150", "X3 = 150"),
        ("7 + (3 + 6)", "16"),
        ("1/3", "{1/3}"),
        ("7 -r 3", "3 - 7"),
        ("X5 + 2*X7", "2*X2 + X1"),
    ],
)
def test_the_same_mathematics_is_equivalent(first, second):
    assert equivalent(from_infix(first), from_infix(second))
    assert equivalent(from_infix(second), from_infix(first))
    assert canonical_form(from_infix(first)) == canonical_form(from_infix(second)) is not None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("X1 = 150", "X1 + X2 = 150"),
        ("X1 = 2*X2", "X1 = 3*X2"),
        ("X1 = 2*X2 + 1", "X1 = 2*X2 - 1"),
        ("x*y = 3*y", "x = 3"),
        ("x = 3", "3"),
        ("x - 3", "x = 3"),
        ("x", "2*x"),
        ("x - y", "x + y"),
        ("x + 2*y", "x + 2*x"),
        ("x*x + y", "x + y"),
        ("1/0", "1/0"),
        ("1/3", "0.3333"),
        ("1 = 1", "1 = 2"),
        ("x/(y + 1)", "x/(y - 1)"),
    ],
)
def test_other_mathematics_is_not_equivalent(first, second):
    assert not equivalent(from_infix(first), from_infix(second))
    assert not equivalent(from_infix(second), from_infix(first))
    forms = canonical_form(from_infix(first)), canonical_form(from_infix(second))
    assert None in forms or forms[0] != forms[1]


def test_quantities_do_not_matter_for_equivalence():
    assert equivalent(from_infix("7[0] + 3[1]"), from_infix("3[5] + 7"))


@given(expressions())
def test_equivalence_is_reflexive_where_defined_and_survives_renaming(tree):
    assume(equivalent(tree, tree))
    names = {variable.index: 50 - variable.index for variable in variables(tree)}
    assert equivalent(tree, renamed(tree, names))


@given(st.integers(0, 10_000))
def test_the_canonical_form_is_shared_exactly_by_what_is_equivalent(seed):
    random = Random(seed)
    first, second = random_equation(random, 2, 2), random_equation(random, 2, 2)
    forms = canonical_form(first), canonical_form(second)
    assume(None not in forms)
    assert (forms[0] == forms[1]) == equivalent(first, second)


def test_expressions_too_large_to_compare_end_soon():
    product = "*".join(f"(X{index} + 1)" for index in range(1, 40))
    assert equivalent(from_infix(product), from_infix(product))
    assert not equivalent(from_infix(product), from_infix(f"2 * ({product})"))
    total = from_infix("+".join(f"X{index}" for index in range(1, 300)))
    assert equivalent(total, total)
    assert solve(from_infix("+".join(f"1/(x+{index})" for index in range(1, 60)) + " = 1")) is None


def test_symmetric_equations_of_many_unknowns_end_soon():
    names = [f"X{index}" for index in range(1, 13)]
    ring = "+".join(f"{a}*{b}" for a, b in zip(names, names[1:] + names[:1], strict=True))
    pieces = "+".join(
        f"{names[i]}*{names[j]}" for k in (0, 6) for i, j in ((k + n, k + (n + 1) % 6) for n in range(6))
    )
    assert not equivalent(from_infix(ring), from_infix(pieces))


# Equivalence by sympy, in the plainest way there is: the slow twin of ours.


def sympy_equivalent(first: Expression, second: Expression) -> bool:
    if is_equation(first) != is_equation(second):
        return False
    one, other = sympy_function(first), sympy_function(second)
    if one is None or other is None:
        return False
    compare = proportional if is_equation(first) else identical
    mine, yours = (sorted(value.free_symbols, key=str) for value in (one, other))
    if len(mine) != len(yours):
        return False
    return any(
        compare(one, other.xreplace(dict(zip(yours, order, strict=True)))) for order in permutations(mine)
    )


def sympy_function(expression: Expression) -> sympy.Expr | None:
    value = to_sympy(expression)
    try:
        value = sympy.cancel(value.lhs - value.rhs if is_equation(expression) else value)
    except (ZeroDivisionError, sympy.PolynomialError):
        return None
    if value.has(sympy.zoo, sympy.nan):
        return None
    return sympy.expand(sympy.fraction(value)[0]) if is_equation(expression) else value


def identical(first: sympy.Expr, second: sympy.Expr) -> bool:
    return sympy.cancel(first - second) == 0


def proportional(first: sympy.Expr, second: sympy.Expr) -> bool:
    if first == 0 or second == 0:
        return first == second
    return sympy.cancel(first / second).is_Rational


def random_pairs(count: int, seed: int) -> Iterator[tuple[Expression, Expression]]:
    """Pairs of which about half were made equivalent by rewriting and renaming."""
    random = Random(seed)
    make: Callable[[Random, int, int], Expression]
    for number in range(count):
        make = random_equation if number % 2 else random_tree
        first = make(random, random.randint(2, 4), 2)
        second = make(random, random.randint(2, 4), 2)
        if random.random() < 0.5:
            second = renamed(
                rewritten(random, first, random.randint(1, 2)), random.choice(({}, {1: 2, 2: 1}))
            )
        elif random.random() < 0.5:
            second = rewritten(random, spoiled(random, first), 1)
        yield first, second


def spoiled(random: Random, tree: Expression) -> Expression:
    """The tree with one leaf exchanged: mostly, but not always, another meaning."""
    chosen = random.randrange(sum(1 for _ in leaves(tree)))
    parts = iter(range(chosen + 1))

    def walk(node: Expression) -> Expression:
        if isinstance(node, Operation):
            left = walk(node.left)
            return Operation(node.operator, left, walk(node.right))
        return random_tree(random, 1, 2) if next(parts, None) == chosen else node

    return walk(tree)


def check_against_sympy(count: int, seed: int) -> None:
    outcomes = {True: 0, False: 0}
    for first, second in random_pairs(count, seed):
        expected = sympy_equivalent(first, second)
        assert equivalent(first, second) == expected, f"{to_infix(first)} | {to_infix(second)}"
        outcomes[expected] += 1
    assert min(outcomes.values()) > count / 4


def test_equivalence_agrees_with_sympy_on_random_pairs():
    check_against_sympy(400, seed=1)


@pytest.mark.slow
def test_equivalence_agrees_with_sympy_on_ten_thousand_random_pairs():
    check_against_sympy(10_000, seed=2)


# -------------------------------------------------------------------------------------- equivalent trees


def one_step(tree: Expression) -> Iterator[Expression]:
    """Every tree that one rewriting at one place leads to: the slow twin of the enumeration."""
    if not isinstance(tree, Operation):
        return
    for left in one_step(tree.left):
        yield Operation(tree.operator, left, tree.right)
    for right in one_step(tree.right):
        yield Operation(tree.operator, tree.left, right)
    match tree:
        case Operation(Operator.EQU, a, b):
            yield Operation(EQU, b, a)
    for plus, minus in ((ADD, SUB), (MUL, DIV)):
        match tree.operator, tree.left, tree.right:
            case operator, a, b if operator is plus:
                yield Operation(plus, b, a)
        match tree.operator, tree.left, tree.right:
            case outer, Operation(inner, a, b), c if {outer, inner} <= {plus, minus}:
                # (a ± b) ± c  →  a ± (b ± c)
                yield Operation(inner, a, Operation(plus if inner is outer else minus, b, c))
                # (a ± b) ± c  →  (a ± c) ± b
                yield Operation(inner, Operation(outer, a, c), b)
        match tree.operator, tree.left, tree.right:
            case outer, a, Operation(inner, b, c) if {outer, inner} <= {plus, minus}:
                # a ± (b ± c)  →  (a ± b) ± c
                yield Operation(plus if inner is outer else minus, Operation(outer, a, b), c)


def closure(tree: Expression) -> set[Expression]:
    found, waiting = {tree}, [tree]
    while waiting:
        new = set(one_step(waiting.pop())) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize(
    "text",
    [
        "7 + 3 + 6",
        "7 - 3 + 6",
        "7 - (3 - 6)",
        "7 * 3 / 6",
        "2 * (3 + 4)",
        "1 / (2 / 3)",
        "1 + 1 + 1",
        "1 + 1 - 1",
        "2 * 3 + 3 * 2",
        "2 * 3 - 3 * 2 + x",
        "7 + 3 - 6 + 2",
        "x - 7 = 2 * 3",
        "x + 7 = 7 + x",
        "x + 7 = 2 + y - 3",
        "1 - 2 - 3 - 4",
    ],
)
def test_enumeration_finds_exactly_what_rewriting_finds(text):
    tree = from_infix(text)
    found = list(equivalent_trees(tree))
    assert len(found) == len(set(found))
    assert set(found) == closure(tree)


def test_a_sum_of_three_has_twelve_trees():
    assert len(list(equivalent_trees(from_infix("7 + 3 + 6")))) == 12


@given(trees(whole_numbers | st.builds(Variable, st.integers(1, 2)), size=6))
def test_enumerated_trees_are_equivalent_and_the_original_comes_first(tree):
    assume(equivalent(tree, tree))
    found = list(equivalent_trees(tree, limit=30))
    assert found[0] == tree
    assert len(set(found)) == len(found)
    assert all(equivalent(other, tree) for other in found)
    assert all(sorted(map(str, leaves(other))) == sorted(map(str, leaves(tree))) for other in found)


@given(trees(whole_numbers, PLAIN, size=5))
def test_enumeration_agrees_with_rewriting_on_random_trees(tree):
    assume(equivalent(tree, tree))
    defined = {other for other in closure(tree) if evaluate(other) is not None}
    assert set(equivalent_trees(tree)) == defined


def test_regrouping_never_divides_by_zero():
    found = list(equivalent_trees(from_infix("(3 - 3) * 2 / 4")))
    assert from_infix("2 / 4 * (3 - 3)") in found
    assert all(evaluate(tree) == 0 for tree in found)


def test_leaves_keep_their_quantity():
    found = {to_infix(tree, quantities=True) for tree in equivalent_trees(from_infix("7[0] + 7[1]"))}
    assert found == {"7[0] + 7[1]", "7[1] + 7[0]"}


def test_enumeration_stops_at_the_limit_and_is_the_same_every_time():
    tree = from_infix("-".join(str(number) for number in range(1, 60)))
    first = list(equivalent_trees(tree, limit=50))
    assert len(first) == 50
    assert first == list(equivalent_trees(tree, limit=50))
    assert list(equivalent_trees(from_infix("+".join("1" * 500)), limit=5)) == [
        from_infix("+".join("1" * 500))
    ]

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import PLAIN, any_expressions, expressions, trees, whole_numbers, without_quantities
from text2math.mathematics.algebra import equivalent
from text2math.mathematics.expression import Expression, Number, Operation, Operator, Variable
from text2math.mathematics.notation import (
    MAX_DEPTH,
    NotationError,
    from_infix,
    from_latex,
    from_mathml,
    from_prefix,
    from_sympy,
    to_infix,
    to_latex,
    to_mathml,
    to_prefix,
    to_sympy,
)

READERS = {"infix": from_infix, "prefix": from_prefix, "latex": from_latex, "mathml": from_mathml}
PRINTERS = {"infix": to_infix, "prefix": to_prefix, "latex": to_latex, "mathml": to_mathml}
NOTATIONS = sorted(READERS)
ADD, SUB, MUL, DIV, EQU = Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.EQU


def number(value: int | str, quantity: int | None = None) -> Number:
    return Number(Fraction(value), quantity)


def refusal(read: Callable[[str], Expression], text: str) -> NotationError | None:
    try:
        read(text)
    except NotationError as error:
        return error
    return None


@given(any_expressions(), st.booleans(), st.booleans())
def test_printed_infix_reads_back_as_the_same_tree(tree, full_brackets, unicode):
    printed = to_infix(tree, full_brackets, unicode, quantities=True)
    assert from_infix(printed) == tree
    assert from_infix(to_infix(tree, full_brackets, unicode)) == without_quantities(tree)


@pytest.mark.parametrize("notation", NOTATIONS)
@given(tree=any_expressions())
def test_printed_expression_reads_back_as_the_same_tree(notation, tree):
    assert READERS[notation](PRINTERS[notation](tree, quantities=True)) == tree
    assert READERS[notation](PRINTERS[notation](tree)) == without_quantities(tree)


@pytest.mark.parametrize("notation", NOTATIONS)
@given(text=st.text('0123456789.,+-−*×/÷=()[]{}xX1VyzZr \\frac<mno>_"&;!⁄', max_size=40))
def test_any_text_is_read_or_refused_with_a_position(notation, text):
    error = refusal(READERS[notation], text)
    if error:
        assert 0 <= error.position <= len(text)
        assert f"position {error.position}" in str(error)


def test_infix_has_no_more_brackets_than_the_tree_needs():
    for text in ("7 + 3 - 6", "7 + (3 + 6)", "2 * (3 + 4) / 5", "2 - 3 * 4", "1 / (2 / 3)", "-3 + 4"):
        assert to_infix(from_infix(text)) == text


def test_full_brackets_stand_around_every_inner_operation():
    assert to_infix(from_infix("2 * 3 + 4 = x"), full_brackets=True) == "((2 * 3) + 4) = X1"
    assert to_infix(from_infix("2 * 3 = x; y = 1"), full_brackets=True) == "(2 * 3) = X1; X2 = 1"


def test_negative_numbers_are_bracketed_after_an_operator_only():
    tree = Operation(EQU, number(-3), Operation(SUB, number(-2), Operation(MUL, number(-1), Variable(1))))
    assert to_infix(tree) == "-3 = -2 - (-1 * X1)"
    assert to_infix(tree, unicode=True) == "−3 = −2 − (−1 × X1)"


def test_decimals_print_exactly_and_other_fractions_as_fractions():
    assert to_infix(number("0.007")) == "0.007"
    assert to_infix(number("1/3")) == "{1/3}"
    assert to_infix(number("-1/3", 2), quantities=True) == "-{1/3}[2]"
    assert to_infix(number("1/3"), unicode=True) == "1⁄3"
    assert to_prefix(number("1/3")) == "1/3"
    assert to_latex(number("1/3")) == r"\tfrac{1}{3}"


@pytest.mark.parametrize(
    ("text", "unicode", "latex"),
    [
        ("ceil((130 + 1) / 40)", "⌈(130 + 1) ÷ 40⌉", r"\left\lceil \frac{130 + 1}{40} \right\rceil"),
        ("floor(7 / 2)", "⌊7 ÷ 2⌋", r"\left\lfloor \frac{7}{2} \right\rfloor"),
        ("7 mod (2 + 1)", "7 mod (2 + 1)", r"7 \bmod \left(2 + 1\right)"),
        ("gcd(12, 18)", "gcd(12, 18)", r"\gcd\left(12, 18\right)"),
        ("lcm(4, 6 + 1)", "lcm(4, 6 + 1)", r"\operatorname{lcm}\left(4, 6 + 1\right)"),
        ("3 + 1 : 4", "3 + 1 : 4", "3 + 1 : 4"),
        (
            "X1 + X2 = 5; 2 * X1 = -3",
            "X1 + X2 = 5; 2 × X1 = −3",
            r"\begin{cases} X_{1} + X_{2} = 5 \\ 2 \times X_{1} = -3 \end{cases}",
        ),
    ],
)
def test_what_stands_only_at_the_root_looks_as_it_should_and_reads_back(text, unicode, latex):
    tree = from_infix(text)
    assert (to_infix(tree), to_infix(tree, unicode=True), to_latex(tree)) == (text, unicode, latex)
    assert from_infix(unicode) == from_latex(latex) == from_mathml(to_mathml(tree)) == tree
    assert from_sympy(to_sympy(tree)) == tree


def test_a_system_is_a_list_of_equations_in_sympy():
    x, y = sympy.symbols("X1 X2")
    assert to_sympy(from_infix("X1 + X2 = 5; X1 = 2")) == [sympy.Eq(x + y, 5), sympy.Eq(x, 2)]
    assert to_sympy(from_infix("ceil(7 / 2)")).doit() == 4
    for nothing in ([], [x], (sympy.Eq(x, 1), y)):
        with pytest.raises(ValueError, match="list of one or more equations"):
            from_sympy(nothing)


def test_a_written_fraction_is_a_division():
    assert from_infix("1/3") == Operation(DIV, number(1), number(3))
    assert from_latex(r"\frac{1}{3}") == Operation(DIV, number(1), number(3))


def test_infix_accepts_the_signs_and_names_that_people_use():
    expected = from_infix("3 * X1 = 5 * X2 - 11")
    for text in ("3×x=5·y−11", "3*V1=5*V2-11", "(3*X)=((5*X2)-11)", "3 ⋅ x1 = 5 ∙ x2 – 11.0"):
        assert from_infix(text) == expected
    assert from_infix(" 10,842.50 ") == number("10842.5")
    assert from_infix(".5") == number("1/2")
    assert from_infix("5.") == number(5)


def test_a_sign_before_anything_but_a_number_is_a_product_with_minus_one():
    minus_x = Operation(MUL, number(-1), Variable(1))
    assert from_infix("-x") == minus_x
    assert from_infix("2 / -x") == Operation(DIV, number(2), minus_x)
    assert from_infix("--3") == Operation(MUL, number(-1), number(-3))


def test_latex_reads_what_others_write():
    assert to_infix(from_latex(r"3\cdot x_1 = \dfrac{5\times y}{2} \div \left( z - 1 \right)")) == (
        "3 * X1 = 5 * X2 / 2 / (X3 - 1)"
    )


def test_mathml_reads_what_others_write():
    text = """<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mrow>
      <m:mi>x</m:mi><m:mo>&#x2062;</m:mo><m:mn> 2 </m:mn><m:mo>=</m:mo><m:mi>V2</m:mi></m:mrow></m:math>"""
    assert to_infix(from_mathml(text)) == "X1 * 2 = X2"


def test_unicode_and_latex_look_as_they_should():
    tree = from_infix("V1/V2 = 5*(3 - 1)")
    assert to_infix(tree, unicode=True) == "X1 ÷ X2 = 5 × (3 − 1)"
    assert to_latex(tree) == r"\frac{X_{1}}{X_{2}} = 5 \times \left(3 - 1\right)"
    assert to_prefix(tree) == "= / X1 X2 * 5 - 3 1"


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "ends"),
        ("3 +", 3, "ends"),
        ("3 + * 4", 4, "not '*'"),
        ("3 4", 2, "operator is expected before '4'"),
        ("(3", 0, "not closed"),
        ("(3))", 3, "never opened"),
        ("()", 1, "not ')'"),
        ("x = 3 = 4", 6, "must be a value"),
        ("2 * (x = 3)", 7, "inside these brackets"),
        ("x = 3; 4", 5, "must be a statement"),
        ("3; x = 4", 1, "must be a statement or a system"),
        ("ceil(3)", 4, "needs one '/' inside"),
        ("gcd(12)", 3, "two operands"),
        ("gcd(1, 2, 3)", 8, "two operands"),
        ("gcd 12", 4, "'(' is expected after 'gcd'"),
        ("gcd(4, 6) + 1", 10, "only at the root"),
        ("(1, 2)", 2, "a comma"),
        ("⌈3 / 2)", 6, "never opened"),
        ("3 + apples", 4, "not an unknown"),
        ("3 + y2", 4, "not an unknown"),
        ("X0", 0, "from 1"),
        ("3 $ 4", 2, "no meaning"),
        ("{1/0}", 0, "denominator 0"),
        ("9" * 5000, 0, "digits"),
    ],
)
def test_bad_infix_names_the_position(text, position, words):
    with pytest.raises(NotationError, match=r"\(at position \d+\)") as caught:
        from_infix(text)
    assert caught.value.position == position
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text", "position"),
    [
        (from_prefix, "", 0),
        (from_prefix, "+ 7", 0),
        (from_prefix, "7 3", 0),
        (from_prefix, "+ 7 = 3 4", 0),
        (from_prefix, "+ 7 seven", 4),
        (from_latex, r"\frac{1}", 8),
        (from_latex, r"\frac 1 2", 6),
        (from_latex, "3}", 1),
        (from_latex, "{3", 2),
        (from_latex, r"\sqrt{2}", 0),
        (from_mathml, "<math><mn>3</mn>", 16),
        (from_mathml, "<math>3</math>", 6),
        (from_mathml, "<math><msqrt/></math>", 6),
        (from_mathml, "<math><mfrac><mn>3</mn></mfrac></math>", 6),
        (from_mathml, "<math><mn>three</mn></math>", 6),
        (from_mathml, "<math><mo>−</mo><mo>∫</mo></math>", 16),
        (from_mathml, "<math><mn>3</mn><mo>+</mo></math>", 33),
    ],
)
def test_bad_notation_names_the_position(read, text, position):
    with pytest.raises(NotationError) as caught:
        read(text)
    assert caught.value.position == position


def test_mathml_never_expands_entities():
    bomb = '<!DOCTYPE m [<!ENTITY a "1"><!ENTITY b "&a;&a;">]><math><mn>&b;</mn></math>'
    with pytest.raises(NotationError, match="document type"):
        from_mathml(bomb)
    with pytest.raises(NotationError, match="document type"):
        from_mathml('<!DOCTYPE m SYSTEM "file:///etc/passwd"><math><mn>1</mn></math>')


def test_notation_error_survives_a_process_boundary():
    error = pickle.loads(pickle.dumps(NotationError("no", 3)))
    assert (error.position, str(error)) == (3, "no (at position 3)")


@pytest.mark.parametrize(
    ("read", "opening", "middle", "closing"),
    [
        (from_infix, "(", "1", ")"),
        (from_infix, "1+(", "1", ")"),
        (from_infix, "-", "x", ""),
        (from_prefix, "+ 1 ", "1", ""),
        (from_latex, "{", "1", "}"),
        (from_latex, r"\frac{1}{", "1", "}"),
        (from_mathml, "<mrow>", "<mn>1</mn>", "</mrow>"),
        (from_mathml, "<mfrac><mn>1</mn>", "<mn>1</mn>", "</mfrac>"),
    ],
)
def test_endless_nesting_is_read_or_refused_without_recursion(read, opening, middle, closing):
    for count in (5_000, 100_000):
        for text in (opening * count + middle + closing * count, opening * count, closing * count + middle):
            error = refusal(read, text)
            assert error is None or 0 <= error.position <= len(text)


def test_a_hundred_thousand_brackets_are_a_notation_error():
    with pytest.raises(NotationError, match="longer than"):
        from_infix("(" * 100_000 + "1" + ")" * 100_000)
    with pytest.raises(NotationError, match="ends"):
        from_infix("(" * 100_000)
    assert from_infix("(" * 90_000 + "1" + ")" * 90_000) == number(1)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_deepest_tree_that_is_read_reads_back(notation):
    left = right = Variable(1)
    for _ in range(MAX_DEPTH):
        left, right = Operation(SUB, left, number(2)), Operation(SUB, number(2), right)
    for tree in (left, right):
        assert READERS[notation](PRINTERS[notation](tree)) == tree
        with pytest.raises(NotationError, match="nested operations"):
            READERS[notation](PRINTERS[notation](Operation(ADD, tree, tree)))


@given(trees(whole_numbers | st.builds(Variable, st.integers(1, 3)), PLAIN, size=8))
def test_sympy_keeps_the_structure_of_plain_trees(tree):
    assert from_sympy(to_sympy(tree)) == tree


@given(expressions(size=6))
def test_sympy_keeps_the_meaning_of_any_tree(tree):
    assume(equivalent(tree, tree))
    assert equivalent(from_sympy(to_sympy(tree)), tree)


def test_sympy_values_that_others_computed_are_read():
    x, y = sympy.symbols("x y")
    value = sympy.expand((x - 2 * y) ** 2 / x)
    assert equivalent(from_sympy(value), from_infix("(x - 2*y) * (x - 2*y) / x"))
    assert from_sympy(sympy.Float("0.1")) == number("0.1")
    assert from_sympy(sympy.Eq(x, 3)) == from_infix("x = 3")
    assert equivalent(from_sympy(x**-3), from_infix("1/(x*x*x)"))


@pytest.mark.parametrize("value", [sympy.sqrt(2), sympy.sin(1), sympy.zoo, sympy.pi, sympy.true])
def test_sympy_values_without_a_tree_are_refused(value):
    with pytest.raises(ValueError, match="no counterpart"):
        from_sympy(value)


def test_trees_too_deep_for_sympy_are_refused():
    with pytest.raises(ValueError, match="sympy"):
        to_sympy(from_infix("+".join("1" * 500)))

"""sympy's values: its trees are built without evaluating anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from text2math.mathematics.expression import (
    Expression,
    Number,
    Operation,
    Operator,
    Variable,
    depth,
    equations,
    fold,
    is_equation,
    is_system,
    system,
)
from text2math.mathematics.notation.reading import operation_of, variable_of

MAX_SYMPY_DEPTH = 100  # sympy walks its trees by recursion and slows down with their depth
MAX_POWER = 64  # the highest whole power that from_sympy writes out as a product


@dataclass(frozen=True, slots=True)
class _Unevaluated:
    """A sympy value on which + - * / build and compute nothing."""

    value: Any

    def __add__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return _Unevaluated(sympy.Add(self.value, other.value, evaluate=False))

    def __sub__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return self + _Unevaluated(sympy.Mul(-1, other.value, evaluate=False))

    def __mul__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return _Unevaluated(sympy.Mul(self.value, other.value, evaluate=False))

    def __truediv__(self, other: _Unevaluated) -> _Unevaluated:
        import sympy

        return self * _Unevaluated(sympy.Pow(other.value, -1, evaluate=False))


# What sympy itself has; any other function is an undefined one there, named like the operator.
_SYMPY_FUNCTIONS = {Operator.CEIL: "ceiling", Operator.QUO: "floor", Operator.REM: "Mod"}


def to_sympy(expression: Expression) -> Any:
    """The same structure in sympy, nothing evaluated (quantities are lost).

    A system is the list of its equations.

    >>> from text2math.mathematics.notation import from_infix
    >>> to_sympy(from_infix("3 * (X1 - 2) = 6"))
    Eq(3*(X1 - 1*2), 6)
    >>> to_sympy(from_infix("X1 + X2 = 5; X1 = 2"))
    [Eq(X1 + X2, 5), Eq(X1, 2)]
    """
    import sympy

    if is_system(expression):
        return [to_sympy(equation) for equation in equations(expression)]
    if depth(expression) > MAX_SYMPY_DEPTH:
        raise ValueError(f"sympy gets at most {MAX_SYMPY_DEPTH} nested operations")

    def leaf(node: Number | Variable) -> _Unevaluated:
        if isinstance(node, Variable):
            return _Unevaluated(sympy.Symbol(node.name))
        return _Unevaluated(sympy.Rational(node.value.numerator, node.value.denominator))

    return fold(expression, leaf, _sympy_operation).value


def _sympy_operation(operator: Operator, left: _Unevaluated, right: _Unevaluated) -> _Unevaluated:
    import sympy

    entry, inside = operator.entry, operator.function_of
    if operator is Operator.EQU:
        return _Unevaluated(sympy.Eq(left.value, right.value, evaluate=False))
    if entry.algebra is not None:
        result: _Unevaluated = entry.algebra(left, right)
        return result
    if operator not in _SYMPY_FUNCTIONS:
        return _Unevaluated(sympy.Function(operator.name.lower())(left.value, right.value))
    function = getattr(sympy, _SYMPY_FUNCTIONS[operator])
    arguments = (left, right) if inside is None else (_sympy_operation(inside, left, right),)
    return _Unevaluated(function(*(argument.value for argument in arguments), evaluate=False))


def from_sympy(value: Any) -> Expression:
    """The expression of a sympy value made of numbers, symbols, sums, products, whole powers and ``Eq``.

    A list of equations is a system.

    >>> from text2math.mathematics.notation import to_infix
    >>> import sympy
    >>> to_infix(from_sympy(sympy.Eq(2 * sympy.Symbol("x"), sympy.Rational(1, 2))))
    '2 * X1 = 0.5'
    """
    reader = _SympyReader()
    if isinstance(value, list | tuple):
        statements = [reader.read(one, 0) for one in value]
        if not statements or not all(map(is_equation, statements)):
            raise ValueError("a system for sympy is a list of one or more equations")
        return system(one for one in statements if isinstance(one, Operation))
    return reader.read(value, 0)


class _SympyReader:
    """Reads sympy values from the root down; sums and products of many parts group from the left."""

    def read(self, value: Any, level: int) -> Expression:
        import sympy

        if level > MAX_SYMPY_DEPTH:
            raise ValueError(f"the sympy value nests more than {MAX_SYMPY_DEPTH} levels deep")
        match value:
            case sympy.Symbol():
                return variable_of(value.name, 0)
            case sympy.Rational():
                return Number(Fraction(int(value.p), int(value.q)))
            case sympy.Float() if value.is_finite:
                return Number(Fraction(str(value)))
            case sympy.Eq():
                left, right = (self.read(side, level + 1) for side in value.args)
                return Operation(Operator.EQU, left, right)
            case sympy.Add():
                return self.chain(value.args, Operator.ADD, Operator.SUB, self.negated, level)
            case sympy.Mul():
                return self.chain(value.args, Operator.MUL, Operator.DIV, self.inverted, level)
            case sympy.Pow() if value.exp.is_Integer and abs(value.exp) <= MAX_POWER:
                return self.power(value.base, int(value.exp), level)
            case sympy.Function():
                return self.function(value, level)
        raise ValueError(f"{type(value).__name__} {value} has no counterpart in our expressions")

    def function(self, value: Any, level: int) -> Expression:
        """An operator that is a function in sympy."""
        name = type(value).__name__
        named = {function: operator for operator, function in _SYMPY_FUNCTIONS.items()}
        named |= {operator.name.lower(): operator for operator in Operator}
        operands = [self.read(argument, level + 1) for argument in value.args]
        operator = named.get(name)
        if operator is not None and operator.function_of and len(operands) == 1:
            [operand] = operands
            if isinstance(operand, Operation) and operand.operator is operator.function_of:
                operands = [operand.left, operand.right]
            else:
                operands = [operand, Number(Fraction(1))]
        if operator is None or len(operands) != operator.arity:
            raise ValueError(f"the function {name} has no counterpart in our expressions")
        left, right = operands
        return operation_of(operator, left, right, 0)

    def chain(
        self,
        parts: Iterable[Any],
        operator: Operator,
        inverse: Operator,
        opposite: Callable[[Any], Any | None],
        level: int,
    ) -> Expression:
        """The parts joined from the left, a part with an opposite by the inverse operator."""
        first, *rest = parts
        tree = self.read(first, level + 1)
        for part in rest:
            other = opposite(part)
            sign = operator if other is None else inverse
            tree = operation_of(sign, tree, self.read(part if other is None else other, level + 1), 0)
        return tree

    @staticmethod
    def negated(part: Any) -> Any | None:
        """b where the part is -1·b."""
        import sympy

        if isinstance(part, sympy.Mul) and part.args[0] == -1:
            return part.args[1] if len(part.args) == 2 else sympy.Mul(*part.args[1:], evaluate=False)
        return None

    @staticmethod
    def inverted(part: Any) -> Any | None:
        """b where the part is b to the power of -1."""
        import sympy

        return part.base if isinstance(part, sympy.Pow) and part.exp == -1 else None

    def power(self, base: Any, exponent: int, level: int) -> Expression:
        """A whole power written out as a product."""
        one: Expression = Number(Fraction(1))
        if exponent == 0:
            return one
        factor = self.read(base, level + 1)
        tree = factor
        for _ in range(abs(exponent) - 1):
            tree = operation_of(Operator.MUL, tree, factor, 0)
        return tree if exponent > 0 else operation_of(Operator.DIV, one, tree, 0)

"""The shapes of a network's results, inferred from those of its inputs, before onnxruntime sees it.

Integers that don't depend on a text are followed as well: torch writes shapes as small computations.

>>> ids = Value(INT64, (1, 12))
>>> Call(Node("Shape", ("ids",), ("sizes",)), (ids,)).results()[0].numbers
array([ 1, 12])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from text2math.scorers.onnx_graph import (
    BOOL,
    ELEMENT_BYTES,
    FLOAT,
    INT8,
    INT32,
    INT64,
    MAX_DIMENSIONS,
    MAX_KNOWN,
    UINT8,
    Integers,
    Node,
    Shape,
    Tensor,
)

SMALL = 1 << 31
_INTEGERS = (UINT8, INT8, 4, 5, INT32, INT64, 12, 13, 21, 22)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """What is known of a tensor: its type and shape, and its numbers if they don't depend on the text."""

    element: int
    shape: Shape
    numbers: Integers | None = None

    def __post_init__(self) -> None:
        if self.element not in ELEMENT_BYTES:
            raise ValueError(f"the network has a tensor of type {self.element}, which models may not use")
        if len(self.shape) > MAX_DIMENSIONS or any(size < 0 for size in self.shape):
            raise ValueError("the network has a tensor with a negative size, or with too many dimensions")

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return self.size * ELEMENT_BYTES[self.element]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A node with its inputs."""

    node: Node
    inputs: tuple[Value | None, ...]

    def refusal(self, reason: str) -> ValueError:
        """The error for a node that is not accepted."""
        return ValueError(f"the network's operator {self.node.operator!r} {reason}")

    def __getitem__(self, at: int) -> Value:
        found = self.optional(at)
        if found is None:
            raise self.refusal("lacks an input")
        return found

    def optional(self, at: int) -> Value | None:
        """An input that need not be there."""
        return self.inputs[at] if at < len(self.inputs) else None

    def numbers(self, at: int) -> list[int]:
        """The numbers of an input that says how large the result is."""
        found = self[at].numbers
        if found is None:
            raise self.refusal("has a result whose size depends on more than the length of a text")
        return [int(one) for one in found.ravel()]

    def integer(self, name: str, default: int | None = None) -> int:
        """An attribute."""
        found = self.node.attributes.get(name, default)
        if not isinstance(found, int):
            raise self.refusal(f"lacks the attribute {name!r}")
        return found

    def integers(self, name: str, at: int | None = None) -> list[int] | None:
        """Some integers: an attribute, or an input in newer versions of the operator."""
        if at is not None and self.optional(at) is not None:
            return self.numbers(at)
        found = self.node.attributes.get(name)
        return list(found) if isinstance(found, tuple) else None

    def axis(self, given: int, dimensions: int) -> int:
        """An axis, counted from the first; negative ones are given from the last."""
        if not -dimensions <= given < dimensions:
            raise self.refusal(f"has no axis {given}")
        return given % dimensions

    def results(self) -> Sequence[Value]:
        """Type and shape of the node's results."""
        results = _RESULTS[self.node.operator](self)
        if any(self.node.outputs[len(results) :]):
            raise self.refusal("has more outputs than models may use")
        return results


_Rule: TypeAlias = Callable[[Call], Sequence[Value]]


# Results of the shape of their inputs ---------------------------------------------------------------------


def _broadcast(call: Call, *inputs: Value) -> Shape:
    # numpy's own refuses products above 2 ** 63 and more than 32 inputs.
    sizes = [1] * max(len(one.shape) for one in inputs)
    for one in inputs:
        for at, size in enumerate(reversed(one.shape), 1):
            if size != sizes[-at] and 1 not in (size, sizes[-at]):
                raise call.refusal("has inputs whose shapes don't fit")
            sizes[-at] = size if sizes[-at] == 1 else sizes[-at]
    return tuple(sizes)


def _kept(element: int, shape: Shape, numbers: Integers | None) -> Value:
    """A value whose numbers are kept if they are few, and exact in their type."""
    if numbers is None or numbers.size > MAX_KNOWN or element not in (INT32, INT64, BOOL):
        return Value(element, shape)
    if element == INT32 and not _is_small(numbers):
        return Value(element, shape)
    return Value(element, shape, numbers.astype(np.int64).reshape(shape))


def _divided(left: Integers, right: Integers) -> Integers:
    # Integers are divided towards zero; the divisor is never 0 here.
    quotient: Integers = np.sign(left) * np.sign(right) * (np.abs(left) // np.abs(right))
    return quotient


# Max and Min are left out: onnxruntime's are wrong for some integers of 64 bits.
_FUNCTIONS: Mapping[str, Callable[..., Integers]] = {
    "Abs": np.abs,
    "Add": np.add,
    "And": np.logical_and,
    "Div": _divided,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Identity": lambda given: given,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Or": np.logical_or,
    "Sub": np.subtract,
    "Where": lambda chosen, left, right: np.asarray(np.where(chosen != 0, left, right)),
}
# fmt: off
_COMPARISONS = (
    "And", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Not", "Or",
)
# fmt: on


def _elementwise(call: Call) -> Sequence[Value]:
    operator = call.node.operator
    inputs = [call[at] for at in range(_ARITIES.get(operator) or max(1, len(call.inputs)))]
    if len(call.inputs) > len(inputs):
        raise call.refusal("has too many inputs")
    if operator in ("Div", "Mod") and inputs[0].element in _INTEGERS:
        _check_divisor(call)
    element = BOOL if operator in _COMPARISONS else inputs[1 if operator == "Where" else 0].element
    shape = _broadcast(call, *inputs)
    known = [one.numbers for one in inputs if one.numbers is not None and _is_small(one.numbers)]
    if operator not in _FUNCTIONS or len(known) < len(inputs):
        return [Value(element, shape)]
    return [_kept(element, shape, np.asarray(_FUNCTIONS[operator](*known)))]


def _is_small(numbers: Integers) -> bool:
    """Whether nothing overflows when these are added or multiplied."""
    return not ((numbers <= -SMALL) | (numbers >= SMALL)).any()


def _check_divisor(call: Call) -> None:
    """Refuse to divide by what may be 0 or -1: on some processors, either can end the whole process."""
    divisor = call[1].numbers
    if divisor is None or np.isin(divisor, (0, -1)).any():
        raise call.refusal("divides integers by a number that may be 0 or -1")


def _same_as_first(call: Call) -> Sequence[Value]:
    return [Value(call[0].element, call[0].shape)]


def _same_with_sum(call: Call) -> Sequence[Value]:
    if any(call.node.outputs[1:3]):
        raise call.refusal("has more outputs than models may use")
    return [Value(call[0].element, call[0].shape)] * 4


def _dropout(call: Call) -> Sequence[Value]:
    return [Value(call[0].element, call[0].shape), Value(BOOL, call[0].shape)]


def _cast(call: Call) -> Sequence[Value]:
    # Casts to truth values may leave other bytes than 0 and 1 behind, so they are not followed back.
    element, numbers = call.integer("to"), None if call[0].element == BOOL else call[0].numbers
    if numbers is not None and element == BOOL:
        numbers = (numbers != 0).astype(np.int64)
    return [_kept(element, call[0].shape, numbers)]


def _quantised(call: Call) -> Sequence[Value]:
    zero = call.optional(2)
    return [Value(UINT8 if zero is None else zero.element, call[0].shape)]


def _dynamically_quantised(call: Call) -> Sequence[Value]:
    return [Value(UINT8, call[0].shape), Value(FLOAT, ()), Value(UINT8, ())]


def _dequantised(call: Call) -> Sequence[Value]:
    return [Value(call[1].element, call[0].shape)]


# Other shapes ---------------------------------------------------------------------------------------------


def _constant(call: Call) -> Sequence[Value]:
    match dict(call.node.attributes):  # onnxruntime takes the first attribute, whatever its name
        case {"value": Tensor() as tensor, **others} if not others:
            return [Value(tensor.element, tensor.shape, tensor.numbers)]
        case {"value_int": int(number), **others} if not others:
            return [Value(INT64, (), np.array(number))]
    raise call.refusal("has no value that models may use")


def _constant_of_shape(call: Call) -> Sequence[Value]:
    shape = tuple(call.numbers(0))
    given = call.node.attributes.get("value")
    if given is None:
        return [Value(FLOAT, shape)]
    if not isinstance(given, Tensor):
        raise call.refusal("has no value that models may use")
    if given.numbers is None or not 0 <= prod(shape) <= MAX_KNOWN:
        return [Value(given.element, shape)]
    return [_kept(given.element, shape, np.full(shape, given.numbers.ravel()[0]))]


def _expand(call: Call) -> Sequence[Value]:
    given = call[0]
    shape = _broadcast(call, given, Value(FLOAT, tuple(call.numbers(1))))
    if given.numbers is None or prod(shape) > MAX_KNOWN:
        return [Value(given.element, shape)]
    return [_kept(given.element, shape, np.broadcast_to(given.numbers, shape))]


def _tile(call: Call) -> Sequence[Value]:
    repeats = call.numbers(1)
    if len(repeats) != len(call[0].shape):
        raise call.refusal("has inputs whose shapes don't fit")
    return [Value(call[0].element, tuple(a * b for a, b in zip(call[0].shape, repeats, strict=True)))]


def _range(call: Call) -> Sequence[Value]:
    start, stop, step = (one for at in range(3) for one in call.numbers(at)[:1])
    if step == 0:
        raise call.refusal("has a step of 0")
    found = range(start, stop, step)
    size = max(0, -((start - stop) // step))
    return [_kept(call[0].element, (size,), np.array(found, dtype=np.int64) if size <= MAX_KNOWN else None)]


def _shape(call: Call) -> Sequence[Value]:
    sizes = call[0].shape
    stop = call.node.attributes.get("end")
    part = sizes[call.integer("start", 0) : stop if isinstance(stop, int) else None]
    if any(size >> 63 for size in part):
        raise call.refusal("is given a tensor that is too large")
    return [_kept(INT64, (len(part),), np.array(part, dtype=np.int64))]


def _reshape(call: Call) -> Sequence[Value]:
    given, sizes = call[0], call.numbers(1)
    if not call.integer("allowzero", 0):
        kept = (*given.shape, *[0] * len(sizes))
        sizes = [kept[at] if size == 0 else size for at, size in enumerate(sizes)]
    rest = prod(size for size in sizes if size != -1)
    sizes = [given.size // rest if size == -1 and rest else size for size in sizes]
    if prod(sizes) != given.size:
        raise call.refusal("changes the number of elements")
    return [_kept(given.element, tuple(sizes), given.numbers)]


def _flatten(call: Call) -> Sequence[Value]:
    given, at = call[0], call.integer("axis", 1)
    if not -len(given.shape) <= at <= len(given.shape):
        raise call.refusal(f"has no axis {at}")
    at = at + len(given.shape) if at < 0 else at
    return [_kept(given.element, (prod(given.shape[:at]), prod(given.shape[at:])), given.numbers)]


def _unsqueeze(call: Call) -> Sequence[Value]:
    given, axes = call[0], call.integers("axes", 1) or []
    dimensions = len(given.shape) + len(axes)
    new = {call.axis(one, dimensions) for one in axes}
    sizes = iter(given.shape)
    if len(new) < len(axes):
        raise call.refusal("names an axis twice")
    shape = tuple(1 if at in new else next(sizes) for at in range(dimensions))
    return [_kept(given.element, shape, given.numbers)]


def _squeeze(call: Call) -> Sequence[Value]:
    given, axes = call[0], call.integers("axes", 1)
    chosen = {call.axis(one, len(given.shape)) for one in axes} if axes else set(range(len(given.shape)))
    if axes and any(given.shape[at] != 1 for at in chosen):
        raise call.refusal("removes an axis of more than one element")
    left = tuple(size for at, size in enumerate(given.shape) if at not in chosen or size != 1)
    return [_kept(given.element, left, given.numbers)]


def _transpose(call: Call) -> Sequence[Value]:
    given = call[0]
    order = call.integers("perm") or list(range(len(given.shape)))[::-1]
    if sorted(order) != list(range(len(given.shape))):
        raise call.refusal("does not name every axis once")
    return [Value(given.element, tuple(given.shape[at] for at in order))]


def _concat(call: Call) -> Sequence[Value]:
    inputs = [call[at] for at in range(max(1, len(call.inputs)))]
    first = inputs[0].shape
    at = call.axis(call.integer("axis"), len(first))
    others = [(len(one.shape), one.shape[:at], one.shape[at + 1 :]) for one in inputs]
    if any(one != others[0] for one in others):
        raise call.refusal("has inputs whose shapes don't fit")
    shape = (*first[:at], sum(one.shape[at] for one in inputs), *first[at + 1 :])
    known = [one.numbers for one in inputs if one.numbers is not None]
    together = np.concatenate(known, at) if len(known) == len(inputs) else None
    return [_kept(inputs[0].element, shape, together)]


def _split(call: Call) -> Sequence[Value]:
    given, parts = call[0], len(call.node.outputs)
    if call.integer("num_outputs", parts) != parts:
        raise call.refusal("says that it has more outputs than it names")
    at = call.axis(call.integer("axis", 0), len(given.shape))
    size = given.shape[at]
    share = -(-size // parts)
    sizes = call.integers("split", 1) or [min(share, max(0, size - share * one)) for one in range(parts)]
    if len(sizes) != parts or sum(sizes) != size:
        raise call.refusal("has parts that don't make up the whole")
    return [Value(given.element, (*given.shape[:at], one, *given.shape[at + 1 :])) for one in sizes]


def _slice(call: Call) -> Sequence[Value]:
    given, starts, stops = call[0], call.numbers(1), call.numbers(2)
    axes = call.integers("", 3) or list(range(len(starts)))
    steps = call.integers("", 4) or [1] * len(starts)
    if not len(starts) == len(stops) == len(axes) == len(steps) or 0 in steps:
        raise call.refusal("has inputs that don't fit")
    chosen = [slice(None)] * len(given.shape)
    for start, stop, axis, step in zip(starts, stops, axes, steps, strict=True):
        at = call.axis(axis, len(given.shape))
        if step < 0 and stop >= given.shape[at]:  # onnxruntime takes the largest integer for the beginning
            raise call.refusal("goes backwards to what is after the last element")
        # Counted from the end, a stop before the first element takes that one, too.
        last = None if step < 0 and stop < -given.shape[at] else stop
        chosen[at] = slice(start, last, step)
    shape = tuple(len(range(*one.indices(size))) for one, size in zip(chosen, given.shape, strict=True))
    return [_kept(given.element, shape, None if given.numbers is None else given.numbers[tuple(chosen)])]


def _gather(call: Call) -> Sequence[Value]:
    given, indices = call[0], call[1]
    at = call.axis(call.integer("axis", 0), len(given.shape))
    shape = (*given.shape[:at], *indices.shape, *given.shape[at + 1 :])
    if given.numbers is None or indices.numbers is None or prod(shape) > MAX_KNOWN:
        return [Value(given.element, shape)]
    if not ((-given.shape[at] <= indices.numbers) & (indices.numbers < given.shape[at])).all():
        raise call.refusal("has an index out of range")
    return [_kept(given.element, shape, np.take(given.numbers, indices.numbers, axis=at))]


def _gather_elements(call: Call) -> Sequence[Value]:
    return [Value(call[0].element, call[1].shape)]


def _gather_nd(call: Call) -> Sequence[Value]:
    given, indices = call[0].shape, call[1].shape
    batch = call.integer("batch_dims", 0)
    if not indices or not 0 <= batch <= batch + indices[-1] <= len(given):
        raise call.refusal("has inputs whose shapes don't fit")
    return [Value(call[0].element, (*indices[:-1], *given[batch + indices[-1] :]))]


def _reduced(call: Call) -> Sequence[Value]:
    given, axes = call[0], call.integers("axes", 1)
    if given.size == 0:  # what onnxruntime makes of these depends on the operator
        raise call.refusal("is given a tensor without elements")
    if not axes and call.integer("noop_with_empty_axes", 0) == 1:
        return [Value(given.element, given.shape)]
    chosen = {call.axis(one, len(given.shape)) for one in axes} if axes else set(range(len(given.shape)))
    kept = call.integer("keepdims", 1) == 1
    sizes = [1 if at in chosen else size for at, size in enumerate(given.shape) if kept or at not in chosen]
    return [Value(given.element, tuple(sizes))]


# Matrix products ------------------------------------------------------------------------------------------


def _product(call: Call) -> Sequence[Value]:
    element = {"MatMulInteger": INT32}.get(call.node.operator, call[0].element)
    if call.node.operator in ("DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
        element = FLOAT
    left, right = _turned(call, 0, "transA"), _turned(call, 1, "transB")
    rows = (left[-2:-1], left[:-2]) if len(left) > 1 else ((), ())
    columns = (right[-1:], right[:-2]) if len(right) > 1 else ((), ())
    if not left or not right or left[-1] != right[-2 if len(right) > 1 else -1]:
        raise call.refusal("has inputs whose shapes don't fit")
    batch = _broadcast(call, Value(FLOAT, rows[1]), Value(FLOAT, columns[1]))
    return [Value(element, (*batch, *rows[0], *columns[0]))]


def _turned(call: Call, at: int, attribute: str) -> Shape:
    """The shape of a matrix, or of several, transposed where an attribute says so."""
    if call.integer("transBatchA", 0) or call.integer("transBatchB", 0):
        raise call.refusal("transposes in a way that models may not use")
    shape = call[at].shape
    return (*shape[:-2], *shape[:-3:-1]) if call.integer(attribute, 0) and len(shape) > 1 else shape


def _product_of_blocks(call: Call) -> Sequence[Value]:
    given, weights = call[0], call[1]
    inner, columns = call.integer("K"), call.integer("N")
    bits, block = call.integer("bits", 4), call.integer("block_size")
    if not given.shape or given.shape[-1] != inner or columns < 1:
        raise call.refusal("has inputs whose shapes don't fit")
    if bits not in (2, 4, 8) or block < 16 or block & (block - 1):
        raise call.refusal("has blocks that models may not use")
    if weights.element != UINT8 or weights.size != columns * -(-inner // block) * (block * bits // 8):
        raise call.refusal("has inputs whose shapes don't fit")
    return [Value(given.element, (*given.shape[:-1], columns))]


PRODUCTS = {
    "DynamicQuantizeMatMul": _product,
    "FusedMatMul": _product,
    "Gemm": _product,
    "MatMul": _product,
    "MatMulInteger": _product,
    "MatMulIntegerToFloat": _product,
    "MatMulNBits": _product_of_blocks,
}
REDUCTIONS = dict.fromkeys(("ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"), _reduced)

# fmt: off
# How many inputs the operators on elements take; Max and Min take any number.
_ARITIES = {
    **dict.fromkeys((
        "Abs", "Cos", "Erf", "Exp", "Gelu", "Identity", "IsInf", "IsNaN", "Log", "Neg", "Not", "Reciprocal",
        "Relu", "Sigmoid", "Sign", "Sin", "Sqrt", "Tanh",
    ), 1),
    **dict.fromkeys((
        "Add", "And", "BiasGelu", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mod",
        "Mul", "Or", "Pow", "Sub",
    ), 2),
    "Where": 3,
}
# fmt: on
_SAME_AS_FIRST = ("Clip", "CumSum", "FastGelu", "LayerNormalization", "Softmax", "Trilu")

_RESULTS: Mapping[str, _Rule] = {
    **dict.fromkeys((*_ARITIES, "Max", "Min"), _elementwise),
    **dict.fromkeys(_SAME_AS_FIRST, _same_as_first),
    **PRODUCTS,
    **REDUCTIONS,
    "Cast": _cast,
    "Concat": _concat,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "DequantizeLinear": _dequantised,
    "Dropout": _dropout,
    "DynamicQuantizeLinear": _dynamically_quantised,
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "QuantizeLinear": _quantised,
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "SkipLayerNormalization": _same_with_sum,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}

"""What an ONNX network may contain, checked before onnxruntime sees it.

A model file may come from anyone, and ONNX can do more than our networks need: read other files
(external data), loop without end, call functions and custom operators. So a graph is accepted only if it
consists of the parts listed here. Its protobuf is read with bounds on everything, and no weights are
unpacked. How much work the graph is, ``text2math.scorers.onnx_work`` says.

>>> check_graph(b"")
Traceback (most recent call last):
...
ValueError: the network has no graph
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_FIELDS = 200_000  # ours has 8,000
MAX_NODES = 3_000  # ours has 349; the time to load a graph can grow with their square
MAX_EDGES = 20_000  # the inputs and outputs of all nodes; ours has 1,094
MAX_DIMENSIONS = 16
MAX_KNOWN = 64  # integers of a tensor that are read: those that say how large another tensor is
# Weights of 4 bits are packed in pairs, so a tensor can't hold more elements than this.
MAX_ELEMENTS_PER_BYTE = 2

# fmt: off
# What exports of BERT-like encoders are made of. None of these runs a graph of its own.
OPERATORS = frozenset((
    "Abs", "Add", "And", "Cast", "Clip", "Concat", "Constant", "ConstantOfShape", "Cos", "CumSum",
    "DequantizeLinear", "Div", "Dropout", "DynamicQuantizeLinear", "Equal", "Erf", "Exp", "Expand",
    "Flatten", "Gather", "GatherElements", "GatherND", "Gelu", "Gemm", "Greater", "GreaterOrEqual",
    "Identity", "IsInf", "IsNaN", "LayerNormalization", "Less", "LessOrEqual", "Log", "MatMul",
    "MatMulInteger", "Max", "Min", "Mod", "Mul", "Neg", "Not", "Or", "Pow", "QuantizeLinear",
    "Range", "Reciprocal", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape",
    "Shape", "Sigmoid", "Sign", "Sin", "Slice", "Softmax", "Split", "Sqrt", "Squeeze", "Sub",
    "Tanh", "Tile", "Transpose", "Trilu", "Unsqueeze", "Where",
))
MICROSOFT_OPERATORS = frozenset((
    "BiasGelu", "DequantizeLinear", "DynamicQuantizeMatMul", "FastGelu", "FusedMatMul", "Gelu",
    "MatMulIntegerToFloat", "MatMulNBits", "QuantizeLinear", "SkipLayerNormalization",
))
# fmt: on
_DOMAINS = {"": OPERATORS, "ai.onnx": OPERATORS, "com.microsoft": MICROSOFT_OPERATORS}

FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9
# Bytes of an element, by ONNX's number of its type. Left out: text, complex numbers, floats of 4 and 8 bits.
ELEMENT_BYTES: Mapping[int, int] = {
    FLOAT: 4, UINT8: 1, INT8: 1, 4: 2, 5: 2, INT32: 4, INT64: 8, BOOL: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2,
    21: 1, 22: 1,
}  # fmt: skip

Content: TypeAlias = memoryview
Shape: TypeAlias = tuple[int, ...]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A constant of a network: its type and shape, and its numbers where it holds a few integers."""

    name: str
    element: int
    shape: Shape
    numbers: Integers | None = None


Attribute: TypeAlias = int | tuple[int, ...] | Tensor | None
"""An integer, some integers or a tensor; of any other attribute the value is not kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One operation of a network."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A network: its operations in the order in which they run, and its constants."""

    nodes: tuple[Node, ...]
    tensors: tuple[Tensor, ...]


# The number of a field, and what it holds.
_Field: TypeAlias = tuple[int, int | Content]


class _Message(NamedTuple):
    """A type of protobuf message: its name for people, and the fields that may be in it."""

    name: str
    numbers: frozenset[int]  # fields that hold one number
    contents: frozenset[int]  # fields that hold bytes, text, messages or packed numbers


def _message(name: str, numbers: set[int], contents: set[int]) -> _Message:
    return _Message(name, frozenset(numbers), frozenset(contents))


# The field numbers of onnx.proto. Left out: training (20) and functions (25) of a model; sparse tensors (15)
# of a graph; graphs (6, 11), several tensors (10) and sparse tensors (22, 23) of an attribute; segments (3),
# text (6) and external data (13) of a tensor; every type but tensors.
_MODEL = _message("model", {1, 5}, {2, 3, 4, 6, 7, 8, 14})
_GRAPH = _message("graph", set(), {1, 2, 5, 10, 11, 12, 13, 16})
_NODE = _message("node", set(), {1, 2, 3, 4, 5, 6, 7, 9})
_ATTRIBUTE = _message("attribute", {2, 3, 8, 20}, {1, 4, 5, 7, 8, 9, 13})
_TENSOR = _message("tensor", {1, 2, 5, 7, 11, 14}, {1, 4, 5, 7, 8, 9, 10, 11, 12})
_VALUE = _message("value", set(), {1, 2, 3, 4})
_TYPE = _message("type", set(), {1, 6})
_TENSOR_TYPE = _message("tensor type", {1}, {2})
_SHAPE = _message("shape", set(), {1})
# What is inside each of them, down to the dimensions: many that are empty take much memory once unpacked.
_TYPES_OF_VALUES = ((_VALUE, 2), (_TYPE, 1), (_TENSOR_TYPE, 2), (_SHAPE, 1))

# The fields of a tensor that hold its elements; a tensor uses one of them.
_INT32S, _INT64S, _RAW, _UINT64S = 5, 7, 9, 11
_ELEMENTS = {4, _INT32S, _INT64S, _RAW, 10, _UINT64S}


def check_graph(content: bytes) -> Graph:
    """The graph of an ONNX model; ``ValueError`` if it contains anything that our networks don't need."""
    return _Reader().model(memoryview(content))


class _Reader:
    """Reads one model, and bounds how much of it there is."""

    def __init__(self) -> None:
        self._fields = 0
        self._edges = 0
        self._nodes: list[Node] = []
        self._tensors: list[Tensor] = []

    def model(self, content: Content) -> Graph:
        graphs = [value for number, value in self._read(content, _MODEL) if number == 7]
        if not graphs:
            raise ValueError("the network has no graph")
        for graph in graphs:  # protobuf merges several into one
            self._graph(_bytes(graph))
        return Graph(tuple(self._nodes), tuple(self._tensors))

    def _graph(self, content: Content) -> None:
        for number, value in self._read(content, _GRAPH):
            match number:
                case 1:
                    self._nodes.append(self._node(_bytes(value)))
                case 5:
                    self._tensors.append(self._tensor(_bytes(value)))
                case 11 | 12 | 13:
                    self._value(_bytes(value))

    def _node(self, content: Content) -> Node:
        if len(self._nodes) == MAX_NODES:
            raise ValueError(f"the network has more than {MAX_NODES:,} nodes")
        names: dict[int, list[str]] = {1: [], 2: []}
        operator = domain = ""
        attributes: dict[str, Attribute] = {}
        for number, value in self._read(content, _NODE):
            match number:
                case 1 | 2:
                    self._edges += 1
                    names[number].append(_text(value))
                case 4:
                    operator = _text(value)
                case 5:
                    self._attribute(_bytes(value), attributes)
                case 7:
                    domain = _text(value)
        if self._edges > MAX_EDGES:
            raise ValueError(f"the nodes of the network have more than {MAX_EDGES:,} inputs and outputs")
        if operator not in _DOMAINS.get(domain, ()):
            domain = domain or "ai.onnx"
            raise ValueError(
                f"the network uses the operator {operator!r} of {domain!r}, which models may not use"
            )
        return Node(operator, tuple(names[1]), tuple(names[2]), attributes)

    def _attribute(self, content: Content, attributes: dict[str, Attribute]) -> None:
        name = ""
        values: list[Attribute] = []
        several: list[int] = []
        for number, value in self._read(content, _ATTRIBUTE):
            match number:
                case 1:
                    name = _text(value)
                case 3 if isinstance(value, int):
                    values.append(_signed(value))
                case 5:
                    values.append(self._tensor(_bytes(value)))
                case 8:
                    several += [value] if isinstance(value, int) else self._packed(value)
        if several:
            values.append(tuple(map(_signed, several)))
        if name in attributes or len(values) > 1:
            raise ValueError(f"a node of the network has two values for {name!r}")
        attributes[name] = values[0] if values else None

    def _tensor(self, content: Content) -> Tensor:
        sizes: list[int] = []
        element, name = 0, ""
        held: list[_Field] = []
        for number, value in self._read(content, _TENSOR):
            if number == 1:
                sizes += [value] if isinstance(value, int) else self._packed(value)
            elif number == 2 and isinstance(value, int):
                element = value
            elif number == 8:
                name = _text(value)
            elif number in _ELEMENTS:
                held.append((number, value))
            elif number == 14 and value != 0:
                raise ValueError("the network keeps a tensor in another file")
        if len(sizes) > MAX_DIMENSIONS or prod(sizes) > MAX_ELEMENTS_PER_BYTE * len(content):
            raise ValueError("a tensor of the network claims more elements than it holds")
        shape = tuple(map(_signed, sizes))
        return Tensor(name, element, shape, self._integers(element, shape, held))

    def _integers(self, element: int, shape: Shape, held: list[_Field]) -> Integers | None:
        """The elements of a tensor, if they are a few integers."""
        if len({number for number, _ in held}) > 1 or sum(number == _RAW for number, _ in held) > 1:
            raise ValueError("a tensor of the network holds its elements twice")
        found: list[int] = []
        for number, value in held:
            if number in (_INT32S, _INT64S, _UINT64S):  # a byte each here, up to eight in memory: all count
                found += [value] if isinstance(value, int) else self._packed(value)
        if element not in (INT32, INT64) or prod(shape) > MAX_KNOWN:
            return None
        if held and held[0][0] == _RAW:
            raw = bytes(_bytes(held[0][1]))
            if len(raw) != prod(shape) * ELEMENT_BYTES[element]:
                raise ValueError("a tensor of the network claims more elements than it holds")
            return np.frombuffer(raw, "<i4" if element == INT32 else "<i8").astype(np.int64).reshape(shape)
        if len(found) != prod(shape):
            raise ValueError("a tensor of the network claims more elements than it holds")
        return np.array([_signed(one) for one in found], dtype=np.int64).reshape(shape)

    def _value(self, content: Content, depth: int = 0) -> None:
        """Walk the declared type of an input, an output or a value in between."""
        message, inside = _TYPES_OF_VALUES[depth]
        for number, value in self._read(content, message):
            if number == inside and depth + 1 < len(_TYPES_OF_VALUES):
                self._value(_bytes(value), depth + 1)

    def _packed(self, content: Content) -> Iterator[int]:
        at = 0
        while at < len(content):
            self._count()
            value, at = _varint(content, at)
            yield value

    def _read(self, content: Content, message: _Message) -> Iterator[_Field]:
        """The fields of a message; one that is not listed for it is refused."""
        at, end = 0, len(content)
        while at < end:
            self._count()
            key, at = _varint(content, at)
            number, wire = key >> 3, key & 7
            value: int | Content
            if wire == 0 and number in message.numbers:
                value, at = _varint(content, at)
            elif wire == 5 and number in message.numbers | message.contents:  # one float
                value, at = 0, at + 4
            elif wire == 1 and number in message.contents:  # one double
                value, at = 0, at + 8
            elif wire == 2 and number in message.contents:
                size, at = _varint(content, at)
                value, at = content[at : at + size], at + size
            else:
                raise ValueError(
                    f"a {message.name} of the network has a part that is not allowed: field {number}"
                )
            if at > end:
                raise ValueError("the network is truncated")
            yield number, value

    def _count(self) -> None:
        self._fields += 1
        if self._fields > MAX_FIELDS:
            raise ValueError(f"the network has more than {MAX_FIELDS:,} parts")


def _bytes(value: int | Content) -> Content:
    if isinstance(value, int):
        raise ValueError("the network is damaged")
    return value


def _text(value: int | Content) -> str:
    """A name; those of our networks have fewer than 100 letters."""
    if len(content := _bytes(value)) > 1000:
        raise ValueError("the network has a name of more than 1,000 bytes")
    return bytes(content).decode("utf-8", "replace")


def _signed(value: int) -> int:
    """An integer of 64 bits, which protobuf writes without its sign."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _varint(content: Content, at: int) -> tuple[int, int]:
    """An integer of 7 bits per byte, and where it ends."""
    if at < len(content) and content[at] < 128:  # most have one byte
        return content[at], at + 1
    value = shift = 0
    while shift < 70:
        if at >= len(content):
            raise ValueError("the network is truncated")
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("the network is damaged")

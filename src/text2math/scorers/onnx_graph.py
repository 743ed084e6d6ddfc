"""What an ONNX network may hold, checked before a runtime sees it.

A model file may come from anyone, and ONNX can do more than a network of ours needs: read other files
(external data), loop without end, call functions and custom operators. So a graph is let in only if it
consists of the parts listed here. Its protobuf is walked with bounds on everything; no tensor is unpacked.

>>> check_graph(b"")
Traceback (most recent call last):
...
ValueError: the network has no graph
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple, TypeAlias

MAX_FIELDS = 400_000
MAX_NODES = 3_000  # ours has 349; a runtime's time to load a graph can grow with their square
# Weights of 4 bits are packed in pairs; anything that claims more elements than that is a lie.
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
    "Attention", "BiasGelu", "DequantizeLinear", "DynamicQuantizeMatMul", "EmbedLayerNormalization",
    "FastGelu", "FusedMatMul", "Gelu", "MatMulIntegerToFloat", "MatMulNBits", "QuantizeLinear",
    "SkipLayerNormalization",
))
# fmt: on
_DOMAINS = {b"": OPERATORS, b"ai.onnx": OPERATORS, b"com.microsoft": MICROSOFT_OPERATORS}

Content: TypeAlias = memoryview


# The number of a field, and what it holds.
_Field: TypeAlias = tuple[int, int | Content]


class _Message(NamedTuple):
    """A kind of protobuf message: its name for people, and the fields that may be in it."""

    name: str
    numbers: frozenset[int]  # fields that hold one number
    contents: frozenset[int]  # fields that hold bytes, text, messages or packed numbers


def _message(name: str, numbers: set[int], contents: set[int]) -> _Message:
    return _Message(name, frozenset(numbers), frozenset(contents))


# The field numbers of onnx.proto. Left out: training (20) and functions (25) of a model; sparse tensors (15)
# of a graph; graphs (6, 11) and sparse tensors (22, 23) of an attribute; segments (3), text (6) and external
# data (13) of a tensor.
_MODEL = _message("model", {1, 5}, {2, 3, 4, 6, 7, 8, 14})
_GRAPH = _message("graph", set(), {1, 2, 5, 10, 11, 12, 13, 16})
_NODE = _message("node", set(), {1, 2, 3, 4, 5, 6, 7, 9})
_ATTRIBUTE = _message("attribute", {2, 3, 8, 20}, {1, 4, 5, 7, 8, 9, 13})
_TENSOR = _message("tensor", {1, 2, 5, 7, 11, 14}, {1, 4, 5, 7, 8, 9, 10, 11, 12})


def check_graph(content: bytes) -> None:
    """Raise ``ValueError`` unless an ONNX model holds nothing but what a network of ours needs."""
    _Walk().model(memoryview(content))


class _Walk:
    """One pass over a model; what it has seen so far is bounded."""

    def __init__(self) -> None:
        self._fields = 0
        self._nodes = 0

    def model(self, content: Content) -> None:
        graphs = [value for number, value in self._read(content, _MODEL) if number == 7]
        if not graphs:
            raise ValueError("the network has no graph")
        for graph in graphs:  # protobuf merges several into one
            self._graph(_bytes(graph))

    def _graph(self, content: Content) -> None:
        for number, value in self._read(content, _GRAPH):
            if number == 1:
                self._node(_bytes(value))
            elif number == 5:
                self._tensor(_bytes(value))

    def _node(self, content: Content) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ValueError(f"the network has more than {MAX_NODES:,} nodes")
        operator = domain = b""
        for number, value in self._read(content, _NODE):
            match number:
                case 4:
                    operator = bytes(_bytes(value)[:100])
                case 5:
                    self._attribute(_bytes(value))
                case 7:
                    domain = bytes(_bytes(value)[:100])
        name = operator.decode("utf-8", "replace")
        if name not in _DOMAINS.get(domain, ()):
            place = domain.decode("utf-8", "replace") or "ai.onnx"
            raise ValueError(f"the network uses the operator {name!r} of {place!r}, which models may not use")

    def _attribute(self, content: Content) -> None:
        for number, value in self._read(content, _ATTRIBUTE):
            if number == 5:
                self._tensor(_bytes(value))

    def _tensor(self, content: Content) -> None:
        dimensions: list[int] = []
        for number, value in self._read(content, _TENSOR):
            if number == 1:
                dimensions += [value] if isinstance(value, int) else self._packed(value)
            elif number == 14 and value != 0:
                raise ValueError("the network keeps a tensor in another file")
        if len(dimensions) > 16 or prod(dimensions) > MAX_ELEMENTS_PER_BYTE * len(content):
            raise ValueError("a tensor of the network claims more elements than it holds")

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


def _varint(content: Content, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and where it ends."""
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

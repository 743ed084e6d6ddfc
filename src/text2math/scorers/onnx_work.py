"""How much memory and time a network takes, worked out before onnxruntime sees it.

A few bytes of ONNX can ask for terabytes or for hours: an ``Expand`` to a huge shape, a long chain of matrix
products. onnxruntime computes what is constant while it loads a network, and nothing stops it there. So the
shape of every result is inferred first, for given shapes of the inputs, and the work is added up. A network
whose shapes depend on the *words* of a text, not just on their number, is refused: its cost has no bound.

>>> import numpy as np
>>> from text2math.scorers.onnx_graph import INT64, Tensor
>>> shape, one = Tensor("shape", INT64, (1,), np.array([1 << 40])), Tensor("one", FLOAT, (1,))
>>> graph = Graph((Node("Expand", ("one", "shape"), ("large",)),), (shape, one))
>>> check_work(graph, {}, Limits(work=10**9, memory=10**8))
Traceback (most recent call last):
...
ValueError: the network takes more than 100 MB of memory, with the result of 'Expand'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from text2math.scorers.onnx_graph import FLOAT, INT8, UINT8, Graph, Node
from text2math.scorers.onnx_shapes import PRODUCTS, REDUCTIONS, Call, Value

# Work is counted in multiplications of a matrix product, of which a core does several in a nanosecond.
WORK_PER_ELEMENT = 50  # of a result, or of what a reduction reads
WORK_PER_WEIGHT = 5  # of a matrix: one row times a matrix takes as long as reading the matrix
SLOW_PRODUCT = 20  # times the work, for types whose products are not vectorised
_FAST_PRODUCTS = (FLOAT, UINT8, INT8)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a network may take: work, and bytes if all results are kept."""

    work: int
    memory: int | None = None


def check_work(graph: Graph, inputs: Mapping[str, Value], limits: Limits) -> None:
    """Raise ``ValueError`` if a network takes more than it may for inputs of these shapes."""
    values = dict(inputs)
    for tensor in graph.tensors:
        _add(values, tensor.name, Value(tensor.element, tensor.shape, tensor.numbers))
    work = memory = 0
    for node in graph.nodes:
        call = Call(node, tuple(_input(values, name, node) for name in node.inputs))
        results = call.results()
        for name, result in zip(node.outputs, results, strict=False):
            _add(values, name, result)
        work += _work(call, results)
        memory += _memory(call, results)
        if limits.memory is not None and memory > limits.memory:
            megabytes = f"{limits.memory / 1e6:.0f} MB of memory"
            raise ValueError(f"the network takes more than {megabytes}, with the result of {node.operator!r}")
        if work > limits.work:
            raise ValueError(f"the network takes too long to run, with the operator {node.operator!r}")


def _add(values: dict[str, Value], name: str, value: Value) -> None:
    if name in values:
        raise ValueError(f"the network has two values named {name!r}")
    if name:  # an optional output that is not used has none
        values[name] = value


def _input(values: Mapping[str, Value], name: str, node: Node) -> Value | None:
    if not name:
        return None
    if name not in values:
        raise ValueError(f"the network uses {name!r} in {node.operator!r} before it is computed")
    return values[name]


def _work(call: Call, results: Sequence[Value]) -> int:
    work = WORK_PER_ELEMENT * sum(result.size for result in results)
    if call.node.operator in REDUCTIONS:
        work += WORK_PER_ELEMENT * call[0].size
    if call.node.operator in PRODUCTS:
        factor = 1 if call[0].element in _FAST_PRODUCTS else SLOW_PRODUCT
        work += factor * results[0].size * _inner(call) + WORK_PER_WEIGHT * call[1].size
    return work


def _inner(call: Call) -> int:
    """How many products are added up for each number of a matrix product."""
    shape = call[0].shape
    return shape[-2] if call.integer("transA", 0) and len(shape) > 1 else shape[-1]


def _memory(call: Call, results: Sequence[Value]) -> int:
    """The bytes of the results, and of the copy of a matrix that is arranged for fast products."""
    packed = call[1].bytes if call.node.operator in PRODUCTS else 0
    return packed + sum(result.bytes for result in results)

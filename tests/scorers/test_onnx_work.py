"""Networks that would take much time or memory: refused before onnxruntime sees them."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from networks import (
    FLOAT,
    INT64,
    OUTPUTS,
    default_network,
    field,
    floats,
    integer,
    integers,
    model,
    node,
    tensor,
)
from text2math.scorers.onnx_graph import MICROSOFT_OPERATORS, OPERATORS, check_graph
from text2math.scorers.onnx_shapes import _RESULTS, Call, Value
from text2math.scorers.onnx_work import Limits, check_work

MOST_SECONDS, MOST_MEGABYTES = 1.0, 200
TEXT = 8  # the number of its type


def outputs(name: str) -> tuple[bytes, ...]:
    """Some value as the scores of a network."""
    return tuple(node("Cast", (name,), output, integer("to", FLOAT)) for output in OUTPUTS)


def ones(side: int, name: str) -> tuple[bytes, tuple[bytes, ...]]:
    """A square matrix that takes a few bytes in the file, with what it is made of."""
    one = tensor("one", FLOAT, (1, 1), struct.pack("<f", 1e-3))
    return node("Expand", ("one", "side"), name), (integers("side", side, side), one)


def constants(operator: str, side: int, times: int, inputs: int = 1) -> bytes:
    """A chain of operators on constants, which onnxruntime computes while it loads a network."""
    first, tensors = ones(side, "m0")
    chain = (node(operator, (f"m{at}", "m0")[:inputs], f"m{at + 1}") for at in range(times))
    return model((first, *chain, *outputs(f"m{times}")), tensors)


def at_run_time(operator: str, side: int, times: int, inputs: int = 1) -> bytes:
    """The same on what depends on a text, which is computed when the network is tried."""
    first, tensors = ones(side, "m0")
    start = node("ReduceSum", ("features",), "sum", integer("keepdims", 0)), node("Add", ("m0", "sum"), "r0")
    chain = (node(operator, (f"r{at}", "m0")[:inputs], f"r{at + 1}") for at in range(times))
    return model((first, *start, *chain, *outputs(f"r{times}")), tensors)


def reused_weights(side: int, times: int) -> bytes:
    """One matrix in many products, each of which arranges it anew."""
    weights = tensor("weights", FLOAT, (side, side), bytes(4 * side * side))
    start = (
        node("ReduceSum", ("features",), "sum", integer("keepdims", 0)),
        node("Expand", ("sum", "row"), "r0"),
    )
    chain = (node("MatMul", (f"r{at}", "weights"), f"r{at + 1}") for at in range(times))
    return model((*start, *chain, *outputs(f"r{times}")), (weights, integers("row", 1, side)))


def by_text(size: str) -> bytes:
    """A tensor whose size depends on the words of a text."""
    pieces = node("ReduceSum", ("ids",), "sum", integer("keepdims", 0)), node("Reshape", ("sum", "1"), "n")
    return model(
        (*pieces, node("Expand", ("one", size), "m"), *outputs("m")), (floats("one", 1), integers("1", 1))
    )


def growing(times: int) -> bytes:
    """A tensor of the length of a text, to some power: small for two words, huge for many."""
    sizes = (
        node("Shape", ("ids",), "sizes"),
        node("Gather", ("sizes", "1"), "n"),
        node("Concat", ("n",) * times, "shape", integer("axis", 0)),
    )
    return model(
        (*sizes, node("Expand", ("one", "shape"), "m"), *outputs("m")), (floats("one", 1), integers("1", 1))
    )


def scalar(name: str, number: int) -> bytes:
    return tensor(name, INT64, (), struct.pack("<q", number))


def divided(operator: str, dividend: str, divisor: int) -> bytes:
    """Integers divided by what a processor may not divide by."""
    tensors = integers("divisor", divisor), integers("least", -(2**63))
    return model((node(operator, (dividend, "divisor"), "q"), *outputs("q")), tensors)


def one_node(
    operator: str, inputs: tuple[str, ...], *tensors: bytes, attribute: bytes = b"", second: bytes = b""
) -> bytes:
    only = node(operator, inputs, "m", attribute) + (field(5, second) if second else b"")
    return model((only, *outputs("m")), tensors)


LARGE = 1 << 27  # half a gigabyte of floats
TOO_MUCH: dict[str, tuple[Callable[[], bytes], str]] = {
    "constant products": (lambda: constants("MatMul", 2000, 20, 2), "too long"),
    "constant powers": (lambda: constants("Pow", 3000, 30, 2), "of memory"),
    "products": (lambda: at_run_time("MatMul", 2000, 20, 2), "too long"),
    "many small products": (lambda: at_run_time("MatMul", 120, 2900, 2), "too long|of memory"),
    "error functions": (lambda: at_run_time("Erf", 4000, 30), "of memory"),
    "weights reused": (lambda: reused_weights(800, 500), "of memory"),
    "expanded": (
        lambda: one_node("Expand", ("one", "n"), floats("one", 1), integers("n", LARGE)),
        "of memory",
    ),
    "expanded without bounds": (
        lambda: one_node("Expand", ("one", "n"), floats("one", 1), integers("n", 1 << 62, 1 << 62)),
        "of memory",
    ),
    "tiled": (lambda: one_node("Tile", ("one", "n"), floats("one", 1), integers("n", LARGE)), "of memory"),
    "filled": (lambda: one_node("ConstantOfShape", ("n",), integers("n", LARGE)), "of memory"),
    "counted": (
        lambda: one_node("Range", ("0", "n", "1"), scalar("0", 0), scalar("n", LARGE), scalar("1", 1)),
        "of memory",
    ),
    "counted backwards": (
        lambda: one_node("Range", ("n", "0", "1"), scalar("0", 0), scalar("n", LARGE), scalar("1", -1)),
        "of memory",
    ),
    "joined": (
        lambda: one_node("Concat", ("w",) * 900, floats("w", *[0.0] * 90_000), attribute=integer("axis", 0)),
        "of memory",
    ),
    "looked up": (
        lambda: model(
            (node("Gather", ("rows", "places"), "m"), *outputs("m")),
            (tensor("rows", FLOAT, (1, 50_000), bytes(200_000)), integers("places", *[0] * 9_000)),
        ),
        "of memory",
    ),
    "an outer sum": (
        lambda: model(
            (node("Unsqueeze", ("w", "1"), "column"), node("Add", ("w", "column"), "m"), *outputs("m")),
            (floats("w", *[0.0] * 20_000), integers("1", 1)),
        ),
        "of memory",
    ),
    "split into parts without names": (  # 25 seconds in onnxruntime's own inference of shapes
        lambda: model(
            (node("Split", ("features",), "m", integer("num_outputs", 1 << 31)), *outputs("m")), opset=18
        ),
        "more outputs than it names",
    ),
    "a constant with two values": (
        lambda: one_node("Constant", (), attribute=integer("start", 1 << 40), second=integer("value_int", 1)),
        "no value that models may use",
    ),
    "text": (lambda: one_node("Cast", ("features",), attribute=integer("to", TEXT)), "type 8"),
    "a size that depends on the words": (lambda: by_text("n"), "more than the length of a text"),
    "a size to the power of seven": (lambda: growing(7), "too long"),
    "division by zero": (lambda: divided("Div", "ids", 0), "may be 0 or -1"),
    "division beyond the largest integer": (lambda: divided("Div", "least", -1), "may be 0 or -1"),
    "remainder of the same": (lambda: divided("Mod", "least", -1), "may be 0 or -1"),
    "division by words": (lambda: one_node("Div", ("ids", "mask")), "may be 0 or -1"),
    "two values of one name": (
        lambda: model((node("Neg", ("features",), "ids"), *outputs("ids"))),
        "two values named 'ids'",
    ),
    "a circle": (
        lambda: model((node("Neg", ("b",), "a"), node("Neg", ("a",), "b"))),
        "before it is computed",
    ),
    "blocks of nothing": (
        lambda: model(
            (
                node(
                    "MatMulNBits",
                    ("features", "w", "w"),
                    "m",
                    integer("K", 22),
                    domain="com.microsoft",
                ),
                *outputs("m"),
            ),
            (floats("w", 1),),
        ),
        "lacks the attribute",
    ),
}
# Close to the limits, and refused only because its scores do not fit a problem.
WITHIN_LIMITS: dict[str, Callable[[], bytes]] = {
    "constant products": lambda: constants("MatMul", 700, 10, 2),
    "constant powers": lambda: constants("Pow", 1000, 11, 2),
    "constant cosines": lambda: constants("Cos", 1000, 11),
    "constant transposes": lambda: constants("Transpose", 1000, 11),
    "products": lambda: at_run_time("MatMul", 700, 10, 2),
    "powers": lambda: at_run_time("Pow", 1000, 10, 2),
    "many nodes": lambda: at_run_time("Neg", 50, 2_900),
    "many transposes": lambda: at_run_time("Transpose", 50, 2_900),
    "many sums": lambda: at_run_time("Max", 50, 2_900, 2),
    "many constants": lambda: constants("Neg", 50, 2_900),
    "weights reused": lambda: reused_weights(800, 22),
}

MEASURE = """
import json, resource, sys, time
sys.path.insert(0, {tests!r})
from scorers.test_onnx_work import TOO_MUCH, WITHIN_LIMITS
from text2math.scorers.encoder import OnnxNetwork
import onnxruntime, text2math.parser
made = {{**{{"too much: " + name: one for name, (one, _) in TOO_MUCH.items()}},
        **{{"within: " + name: one for name, one in WITHIN_LIMITS.items()}}}}
for name, network in made.items():
    content = network()
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        OnnxNetwork(content)
        error = ""
    except ValueError as found:
        error = str(found)
    seconds = time.process_time() - started
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps([name, seconds, megabytes, error]), flush=True)
"""


@cache
def measured() -> dict[str, tuple[float, float, str]]:
    """Seconds of processor time, megabytes and the error of each network, in a process of its own."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    script = MEASURE.format(tests=str(Path(__file__).parent.parent))
    ran = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, timeout=300)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 0, (rows[-1:], ran.stderr[-2000:])
    return {name: (seconds, megabytes, error) for name, seconds, megabytes, error in rows}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_network_that_takes_too_much_is_refused_cheaply(name: str) -> None:
    seconds, megabytes, error = measured()[f"too much: {name}"]
    assert re.search(TOO_MUCH[name][1], error)
    assert seconds < MOST_SECONDS
    assert megabytes < MOST_MEGABYTES


@pytest.mark.parametrize("name", WITHIN_LIMITS)
def test_what_the_limits_allow_is_cheap(name: str) -> None:
    seconds, megabytes, error = measured()[f"within: {name}"]
    assert "outputs do not have the shapes" in error
    assert seconds < MOST_SECONDS
    assert megabytes < MOST_MEGABYTES


def test_the_network_that_ships_stays_far_below_the_limits() -> None:
    graph = check_graph(default_network())
    shapes = {"ids": (1, 4), "mask": (1, 4), "features": (1, 4, 22), "bounds": (1, 4), "pool": (1, 2, 4)}
    shapes |= {"anchors": (1, 3), "referents": (1, 3), "quantities": (1, 3, 34)}
    elements = {"features": FLOAT, "pool": FLOAT, "quantities": FLOAT}
    inputs = {name: Value(elements.get(name, INT64), shape) for name, shape in shapes.items()}
    check_work(graph, inputs, Limits(work=10**9, memory=30 << 20))


def test_there_is_a_rule_for_every_operator() -> None:
    assert _RESULTS.keys() == OPERATORS | MICROSOFT_OPERATORS


def several(name: str, *numbers: int) -> bytes:
    """An attribute of several integers."""
    return field(1, name) + b"".join(field(8, number) for number in numbers) + field(20, 7)


ROWS, COLUMN, FLAGS = np.zeros((2, 3), np.float32), np.ones((2, 1), np.float32), np.ones((2, 3), np.bool_)
TALL, CUBE = np.zeros((3, 4), np.float32), np.zeros((5, 2, 3), np.float32)
BYTES, SCALE, ZERO = np.zeros((2, 3), np.uint8), np.ones((), np.float32), np.zeros((), np.uint8)
INDICES, WHOLE = np.array([[0, 1], [1, 0], [1, 1]]), np.array([[7, -7, 5]])
TYPES = {np.dtype(name): number for name, number in (("f4", 1), ("u1", 2), ("i4", 6), ("i8", 7), ("?", 9))}


def numbers(*given: int) -> np.ndarray[Any, Any]:
    return np.array(given, dtype=np.int64)


# An operator, its inputs and attributes.
Case = tuple[str, tuple[np.ndarray[Any, Any], ...], tuple[bytes, ...]]
CASES: list[Case] = [
    *((name, (ROWS, COLUMN), ()) for name in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Less")),
    *(
        (name, (ROWS,), ())
        for name in ("Abs", "Cos", "Erf", "Exp", "Identity", "IsInf", "IsNaN", "Log", "Neg")
    ),
    *(
        (name, (ROWS,), ())
        for name in ("Reciprocal", "Relu", "Sigmoid", "Sign", "Sin", "Softmax", "Sqrt", "Tanh")
    ),
    *((name, (FLAGS, FLAGS[:1]), ()) for name in ("And", "Or")),
    *(
        (name, (WHOLE, WHOLE), ())
        for name in ("Equal", "Greater", "GreaterOrEqual", "LessOrEqual", "Mod", "Div")
    ),
    *((name, (WHOLE, numbers(2)), ()) for name in ("Add", "Sub", "Mul", "Div", "Max", "Min")),
    *((name, (numbers(1 << 31, 7), numbers(2)), ()) for name in ("Add", "Sub", "Mul", "Div", "Max", "Min")),
    *((name, (numbers(7, -7), numbers(-(2**63))), ()) for name in ("Add", "Sub", "Mul", "Div", "Less")),
    ("Div", (numbers(-(2**63)), numbers(7)), ()),
    ("ReduceMax", (CUBE,), (integer("keepdims", 2),)),
    *((name, (WHOLE,), ()) for name in ("Abs", "Neg", "Identity")),
    *((f"Reduce{name}", (CUBE,), ()) for name in ("Max", "Mean", "Min", "Sum")),
    *((f"Reduce{name}", (CUBE,), (several("axes", 0, 2),)) for name in ("Max", "Mean", "Min")),
    ("ReduceSum", (CUBE, numbers(-1)), (integer("keepdims", 0),)),
    ("ReduceSum", (CUBE,), (integer("noop_with_empty_axes", 1),)),
    ("Not", (FLAGS,), ()),
    ("Where", (FLAGS, COLUMN, ROWS), ()),
    ("Where", (numbers(1, 0) == 1, numbers(4, 5), numbers(6, 7)), ()),
    ("Cast", (WHOLE,), (integer("to", 9),)),
    ("Cast", (WHOLE,), (integer("to", 6),)),
    ("Clip", (ROWS,), ()),
    ("CumSum", (ROWS, np.array(0)), ()),
    ("Trilu", (ROWS,), ()),
    ("Dropout", (ROWS,), ()),
    ("LayerNormalization", (ROWS, ROWS[0]), ()),
    ("SkipLayerNormalization", (CUBE, CUBE, ROWS[0]), ()),
    ("FastGelu", (CUBE,), ()),
    ("BiasGelu", (CUBE, ROWS[0]), ()),
    ("Gelu", (CUBE,), ()),
    ("QuantizeLinear", (ROWS, SCALE, ZERO), ()),
    ("DequantizeLinear", (BYTES, SCALE, ZERO), ()),
    ("DynamicQuantizeLinear", (ROWS,), ()),
    ("Constant", (), (field(1, "value") + field(5, tensor("", FLOAT, (2,), bytes(8))) + field(20, 4),)),
    ("Constant", (), (integer("value_int", 3),)),
    ("ConstantOfShape", (numbers(2, 3),), ()),
    ("ConstantOfShape", (numbers(2),), (field(1, "value") + field(5, integers("", 7)) + field(20, 4),)),
    ("Expand", (COLUMN, numbers(5, 1, 3)), ()),
    ("Expand", (numbers(3), numbers(2, 2)), ()),
    ("Tile", (ROWS, numbers(2, 3)), ()),
    ("Range", (np.array(9), np.array(2), np.array(-2)), ()),
    ("Shape", (CUBE,), ()),
    ("Shape", (CUBE,), (integer("start", -2), integer("end", 3))),
    ("Reshape", (CUBE, numbers(0, -1)), ()),
    ("Reshape", (WHOLE, numbers(3, 1)), ()),
    ("Flatten", (CUBE,), (integer("axis", 2),)),
    ("Flatten", (CUBE,), (integer("axis", 0),)),
    ("Unsqueeze", (WHOLE, numbers(0, -1)), ()),
    ("Squeeze", (WHOLE,), ()),
    ("Squeeze", (COLUMN, numbers(-1)), ()),
    ("Transpose", (CUBE,), ()),
    ("Transpose", (CUBE,), (several("perm", 1, 0, 2),)),
    ("Concat", (CUBE, CUBE), (integer("axis", -1),)),
    ("Concat", (numbers(1, 2), numbers(3)), (integer("axis", 0),)),
    ("Split", (TALL,), (integer("axis", 1),)),
    ("Slice", (CUBE, numbers(1), numbers(-1), numbers(0)), ()),
    ("Slice", (WHOLE, numbers(-1), numbers(-100), numbers(1), numbers(-1)), ()),
    ("Slice", (WHOLE, numbers(2), numbers(0), numbers(1), numbers(-1)), ()),
    ("Slice", (WHOLE, numbers(0), numbers(2**62), numbers(1), numbers(2)), ()),
    ("Gather", (CUBE, INDICES), (integer("axis", 1),)),
    ("Gather", (numbers(5, 6, 7), np.array(-1)), ()),
    ("GatherElements", (TALL[:2], INDICES[:2]), (integer("axis", 1),)),
    ("GatherND", (CUBE, INDICES), ()),
    ("MatMul", (CUBE, TALL), ()),
    ("MatMul", (ROWS[0], TALL), ()),
    ("MatMul", (CUBE, ROWS[0]), ()),
    ("Gemm", (ROWS, ROWS), (integer("transB", 1),)),
    ("Gemm", (TALL, CUBE[:3, 0]), (integer("transA", 1),)),
    ("FusedMatMul", (CUBE, CUBE), (integer("transB", 1),)),
    ("MatMulInteger", (BYTES, BYTES.T), ()),
    ("MatMulIntegerToFloat", (BYTES, BYTES.T, SCALE, SCALE), ()),
    ("DynamicQuantizeMatMul", (ROWS, BYTES.T, SCALE), ()),
    (
        "MatMulNBits",
        (TALL, np.zeros((5, 1, 16), np.uint8), np.ones(5, np.float32)),
        (integer("K", 4), integer("N", 5), integer("bits", 8), integer("block_size", 16)),
    ),
]
OUTPUT_COUNTS = {"Split": 2, "Dropout": 2, "DynamicQuantizeLinear": 3}


@pytest.mark.parametrize("case", CASES, ids=[f"{at}-{case[0]}" for at, case in enumerate(CASES)])
def test_onnxruntime_gives_the_inferred_results(case: Case) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    operator, given, attributes = case
    names = tuple(f"in{at}" for at in range(len(given)))
    results = tuple(f"out{at}" for at in range(OUTPUT_COUNTS.get(operator, 1)))
    domain = "" if operator in OPERATORS and operator != "Gelu" else "com.microsoft"
    content = b"".join(field(1, name) for name in names) + b"".join(field(2, name) for name in results)
    content += field(4, operator) + b"".join(field(5, one) for one in attributes) + field(7, domain)
    tensors = (
        tensor(name, TYPES[array.dtype], array.shape, array.tobytes())
        for name, array in zip(names, given, strict=True)
    )
    graph = field(1, content) + field(2, "graph") + b"".join(field(5, one) for one in tensors)
    graph += b"".join(field(12, field(1, name)) for name in results)
    whole = (
        field(1, 8)
        + field(7, graph)
        + field(8, field(2, 17))
        + field(8, field(1, "com.microsoft") + field(2, 1))
    )
    read = check_graph(whole)
    inputs = tuple(Value(one.element, one.shape, one.numbers) for one in read.tensors)
    inferred = Call(read.nodes[0], inputs).results()
    found = runtime.InferenceSession(whole, providers=["CPUExecutionProvider"]).run(None, {})
    assert [(one.element, one.shape) for one in inferred[: len(found)]] == [
        (TYPES[array.dtype], array.shape) for array in found
    ]
    for one, array in zip(inferred, found, strict=False):
        assert one.numbers is None or (one.numbers == array).all()


def test_every_operator_is_compared_with_onnxruntime() -> None:
    assert {operator for operator, _, _ in CASES} == OPERATORS | MICROSOFT_OPERATORS


@pytest.mark.parametrize(
    ("operator", "given", "attributes", "why"),
    [
        ("Add", (ROWS, TALL), (), "don't fit"),
        ("Add", (ROWS,), (), "lacks an input"),
        ("Add", (ROWS, ROWS, ROWS), (), "too many inputs"),
        ("ReduceSum", (ROWS[:0],), (), "without elements"),
        ("Concat", (ROWS, TALL), (integer("axis", 0),), "don't fit"),
        ("Concat", (ROWS, ROWS), (integer("axis", 2),), "no axis 2"),
        ("Concat", (ROWS, ROWS[0]), (integer("axis", 1),), "don't fit"),
        ("Gather", (numbers(1, 2), numbers(2)), (), "out of range"),
        ("GatherND", (ROWS, np.zeros((1, 3), np.int64)), (), "don't fit"),
        ("MatMul", (ROWS, ROWS), (), "don't fit"),
        ("Range", (np.array(0), np.array(5), np.array(0)), (), "step of 0"),
        ("Reshape", (ROWS, numbers(7)), (), "number of elements"),
        ("Slice", (ROWS, numbers(0), numbers(1), numbers(0), numbers(0)), (), "don't fit"),
        ("Slice", (ROWS, numbers(1), numbers(2**63 - 1), numbers(0), numbers(-1)), (), "goes backwards"),
        ("Split", (TALL, numbers(1, 1)), (), "make up the whole"),
        ("Squeeze", (ROWS, numbers(0)), (), "more than one element"),
        ("Transpose", (ROWS,), (several("perm", 0, 0),), "every axis once"),
        ("Unsqueeze", (ROWS, numbers(0, 0)), (), "axis twice"),
        ("Tile", (ROWS, numbers(-1, 1)), (), "negative size"),
        ("LayerNormalization", (ROWS, ROWS[0]), (), "more outputs"),
    ],
)
def test_an_operator_that_does_not_fit_its_inputs_is_refused(
    operator: str, given: tuple[np.ndarray[Any, Any], ...], attributes: tuple[bytes, ...], why: str
) -> None:
    names = tuple(f"in{at}" for at in range(len(given)))
    content = b"".join(field(1, name) for name in names) + field(2, "a") + field(2, "b")
    content += field(4, operator) + b"".join(field(5, one) for one in attributes)
    tensors = b"".join(
        field(5, tensor(name, TYPES[array.dtype], array.shape, array.tobytes()))
        for name, array in zip(names, given, strict=True)
    )
    graph = check_graph(field(7, field(1, content) + tensors))
    with pytest.raises(ValueError, match=why):
        check_work(graph, {}, Limits(10**9))

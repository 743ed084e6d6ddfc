"""Which networks a model file may hold."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from text2math.parser import packaged
from text2math.scorers.onnx_graph import check_graph

FLOAT, INT64 = 1, 7
INPUTS = {"ids": INT64, "mask": INT64, "features": FLOAT, "bounds": INT64, "pool": FLOAT}
OUTPUTS = ("step", "fixed", "number")


def varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes((*parts, value))


def field(number: int, value: bytes | str | int) -> bytes:
    """One field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def tensor(name: str, kind: int, dimensions: tuple[int, ...], raw: bytes, more: bytes = b"") -> bytes:
    sizes = b"".join(field(1, size) for size in dimensions)
    return sizes + field(2, kind) + field(8, name) + field(9, raw) + more


def node(
    operator: str, inputs: tuple[str, ...], output: str, attribute: bytes = b"", domain: str = ""
) -> bytes:
    names = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, operator)
    return names + (field(5, attribute) if attribute else b"") + (field(7, domain) if domain else b"")


def value(name: str, kind: int) -> bytes:
    return field(1, name) + field(2, field(1, field(1, kind)))


def model(nodes: tuple[bytes, ...], tensors: tuple[bytes, ...] = (), more: bytes = b"") -> bytes:
    """An ONNX model with the inputs and outputs of a scorer's network."""
    graph = b"".join(field(1, one) for one in nodes) + field(2, "graph")
    graph += b"".join(field(5, one) for one in tensors)
    graph += b"".join(field(11, value(name, kind)) for name, kind in INPUTS.items())
    graph += b"".join(field(12, value(name, FLOAT)) for name in OUTPUTS)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17)) + more


def huge(elements: int) -> bytes:
    """A network that fills memory: a few bytes say how large a tensor shall be."""
    shape = tensor("shape", INT64, (1,), struct.pack("<q", elements))
    one = tensor("one", FLOAT, (1,), struct.pack("<f", 1.0))
    return model(tuple(node("Expand", ("one", "shape"), output) for output in OUTPUTS), (shape, one))


def with_body(operator: str, domain: str = "") -> bytes:
    """An operator that runs a graph of its own."""
    attribute = field(1, "body") + field(6, field(2, "inner")) + field(20, 5)
    return model((node(operator, ("ids",), "step", attribute, domain),))


EXTERNAL = field(13, field(1, "location") + field(2, "/etc/passwd")) + field(14, 1)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "no graph"),
    "an endless loop": (with_body("Loop"), "not allowed"),
    "a branch": (with_body("If"), "not allowed"),
    "a scan": (with_body("Scan"), "not allowed"),
    "a loop without a body": (model((node("Loop", ("ids",), "step"),)), "'Loop'"),
    "a custom operator": (model((node("Add", ("ids", "ids"), "step", domain="my.own"),)), "'my.own'"),
    "an operator of another kind": (model((node("RandomNormal", (), "step"),)), "RandomNormal"),
    "a function": (
        model((node("Add", ("ids", "ids"), "step"),), more=field(25, field(1, "Add"))),
        "field 25",
    ),
    "training": (model((), more=field(20, b"")), "field 20"),
    "external data": (model((), (tensor("w", FLOAT, (4,), b"", EXTERNAL),)), "not allowed: field 13"),
    "external data by its flag alone": (
        model((), (tensor("w", FLOAT, (), b"", field(14, 1)),)),
        "another file",
    ),
    "a tensor that claims too much": (
        model((), (tensor("w", FLOAT, (1 << 40, 1 << 40), b"1234"),)),
        "claims",
    ),
    "a negative size": (model((), (tensor("w", FLOAT, (2**64 - 1,), b"1234"),)), "claims"),
    "a sparse tensor": (field(7, field(15, b"")), "field 15"),
    "too many nodes": (model((node("Add", ("ids", "ids"), "step"),) * 3_001), "more than 3,000 nodes"),
    "too many parts": (field(7, (field(2, "") * 500_000)), "more than 400,000 parts"),
    "a truncated field": (field(7, b"abc")[:-1], "truncated"),
    "a number without end": (b"\xff" * 30, "damaged"),
    "a group": (b"\x0b\x0c", "not allowed"),
}


@pytest.mark.parametrize(("content", "why"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_graph_is_refused_before_it_is_run(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_graph(content)


def default_network() -> bytes:
    from text2math.model.storage import load_model

    metadata, arrays = load_model(packaged("default"))
    return bytes(arrays["encoder.onnx"].tobytes()[: metadata["bytes"]["onnx"]])


def test_the_network_that_ships_is_let_in() -> None:
    check_graph(default_network())


def test_a_damaged_network_is_refused_or_walked_but_nothing_else() -> None:
    chance = random.Random(0)
    whole = huge(4) + model((node("Add", ("ids", "ids"), "step", field(1, "axis") + field(3, 1)),))
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(ValueError):
            check_graph(bytes(damaged[: chance.randrange(len(damaged) + 1)]))


RUN = """
import resource, sys, time
sys.path.insert(0, {tests!r})
from scorers.test_onnx_graph import {made}
from text2math.scorers.encoder import OnnxNetwork
import onnxruntime, text2math.parser
before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
try:
    OnnxNetwork({made}({argument}))
except ValueError as error:
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(round(grown), round(time.monotonic() - started, 1), str(error)[:100])
"""


@pytest.mark.parametrize("elements", [1 << 30, 1 << 40])
def test_a_network_that_would_fill_the_memory_is_refused(elements: int) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    script = RUN.format(tests=str(Path(__file__).parent.parent), made="huge", argument=elements)
    ran = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, timeout=120)
    megabytes, _, message = ran.stdout.split(" ", 2)
    assert int(megabytes) < 100, ran.stderr
    assert "can't be run" in message


@pytest.mark.parametrize(
    "outputs",
    [
        lambda: model(tuple(node("Identity", ("features",), output) for output in OUTPUTS)),
        lambda: huge(3),
    ],
    ids=["wrong shapes", "one dimension"],
)
def test_a_network_whose_outputs_do_not_fit_is_refused_when_it_is_loaded(
    outputs: Callable[[], bytes],
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from text2math.scorers.encoder import OnnxNetwork

    with pytest.raises(ValueError, match="outputs do not have the shapes"):
        OnnxNetwork(outputs())


def integers(name: str, *numbers: int) -> bytes:
    return tensor(name, INT64, (len(numbers),), struct.pack(f"<{len(numbers)}q", *numbers))


def floats(name: str, *numbers: float) -> bytes:
    return tensor(name, FLOAT, (len(numbers),), struct.pack(f"<{len(numbers)}f", *numbers))


def integer(name: str, number: int) -> bytes:
    """An attribute."""
    return field(1, name) + field(3, number) + field(20, 2)


def scoring(nodes: tuple[bytes, ...], tensors: tuple[bytes, ...]) -> bytes:
    """A network that fits, all of whose scores are ``value``; ``sum`` is that of the pieces' ids."""
    shapes = (
        node("ReduceSum", ("ids",), "all", integer("keepdims", 0)),
        node("Reshape", ("all", "1"), "sum"),
        node("Cast", ("sum",), "float", integer("to", FLOAT)),
        *nodes,
        node("Shape", ("bounds",), "sizes"),
        node("Gather", ("sizes", "1"), "words+2"),
        node("Sub", ("words+2", "1"), "words+1"),
        node("Sub", ("words+1", "1"), "words"),
        node("Concat", ("1", "words+1", "1"), "step shape", integer("axis", 0)),
        node("Concat", ("1", "1"), "fixed shape", integer("axis", 0)),
        node("Concat", ("1", "words"), "number shape", integer("axis", 0)),
        *(node("Expand", ("value", f"{output} shape"), output) for output in OUTPUTS),
    )
    return model(shapes, (integers("1", 1), *tensors))


def with_scores(factor: float, times: int) -> bytes:
    """The sum of ids, multiplied by a factor some times: nothing while all ids are 0."""
    names = ("float", *(f"product {at}" for at in range(times)))
    products = tuple(node("Mul", (names[at], "factor"), names[at + 1]) for at in range(times))
    last = node("Mul", (names[-1], "last"), "value")
    return scoring((*products, last), (floats("factor", factor), floats("last", 1.0)))


@pytest.mark.parametrize(
    ("factor", "times"), [(1e38, 2), (-1e38, 3), (1e10, 1)], ids=["inf", "-inf", "large"]
)
def test_scores_that_are_no_numbers_are_refused_before_compiled_code_sees_them(
    factor: float, times: int
) -> None:
    """They once made the chart write where it should not: the process died, or worse."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from text2math.scorers.encoder import OnnxNetwork

    network = OnnxNetwork(with_scores(factor, times))
    with pytest.raises(ValueError, match="no numbers, or too large"):
        network.check_piece(5)


def test_a_network_that_is_slow_only_for_some_texts_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from text2math.scorers import encoder

    multiplications = tuple(node("MatMul", (f"m{at}", "m0"), f"m{at + 1}") for at in range(400))
    slow = (
        node("Concat", ("sum", "sum"), "square", integer("axis", 0)),
        node("Expand", ("small", "square"), "m0"),
        *multiplications,
        node("ReduceSum", ("m400",), "total", integer("keepdims", 0)),
        node("Mul", ("total", "small"), "value"),
    )
    network = encoder.OnnxNetwork(scoring(slow, (floats("small", 0.0),)))
    monkeypatch.setattr(encoder, "MOST_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(ValueError, match="can't be run"):
        network.check_piece(250)  # matrices of 1,000 by 1,000: half a minute, if it were left alone
    assert time.monotonic() - started < 20


def test_a_piece_that_the_network_does_not_know_is_refused() -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from text2math.scorers.encoder import OnnxNetwork

    known = (
        node("Gather", ("table", "ids"), "found"),
        node("ReduceSum", ("found",), "value", integer("keepdims", 0)),
    )
    network = OnnxNetwork(scoring(known, (floats("table", 1, 2, 3, 4),)))
    network.check_piece(3)
    with pytest.raises(ValueError, match="can't be run"):
        network.check_piece(4)

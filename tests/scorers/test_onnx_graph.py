"""Which networks a model file may hold."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from contextlib import suppress

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
    value,
)
from text2math.scorers.encoder import check_network
from text2math.scorers.onnx_graph import check_graph


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
    "too many parts": (field(7, (field(2, "") * 500_000)), "more than 200,000 parts"),
    "too many edges": (model((node("Concat", ("ids",) * 20_000, "step"),)), "more than 20,000 inputs"),
    "too many declared dimensions": (
        field(7, field(13, value("ids", INT64) + field(2, field(1, field(2, field(1, b"") * 300_000))))),
        "more than 200,000 parts",
    ),
    "integers that take more memory than bytes": (
        model((), (field(1, 300_000) + field(2, INT64) + field(7, b"\0" * 300_000),)),
        "more than 200,000 parts",
    ),
    "an attribute with too many integers": (
        model((node("Transpose", ("ids",), "step", field(1, "perm") + field(8, b"\0" * 300_000)),)),
        "more than 200,000 parts",
    ),
    "an attribute with two values": (
        model((node("Flatten", ("ids",), "step", integer("axis", 1) + integer("axis", 2)),)),
        "two values for 'axis'",
    ),
    "a tensor with two contents": (
        model((), (tensor("w", INT64, (1,), bytes(8), field(7, b"\1")),)),
        "holds its elements twice",
    ),
    "a tensor with fewer elements than it claims": (
        model((), (tensor("w", INT64, (2,), bytes(8)),)),
        "claims more",
    ),
    "a list of types": (field(7, field(11, field(1, "ids") + field(2, field(4, b"")))), "field 4"),
    "a long name": (field(7, field(1, field(4, "A" * 2000))), "name of more than 1,000 bytes"),
    "a truncated field": (field(7, b"abc")[:-1], "truncated"),
    "a number without end": (b"\xff" * 30, "damaged"),
    "a group": (b"\x0b\x0c", "not allowed"),
}


@pytest.mark.parametrize(("content", "why"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_graph_is_refused_before_it_is_run(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_graph(content)


def test_the_network_that_ships_is_let_in() -> None:
    check_network(default_network())


def test_a_damaged_network_is_refused_or_accepted_but_nothing_else() -> None:
    chance = random.Random(0)
    whole = with_scores(2.0, 3)
    for _ in range(3000):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(ValueError):
            check_network(bytes(damaged[: len(damaged) - chance.choice((0, 0, 0, 1, 50))]))


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

    with pytest.raises(ValueError, match=r"outputs do not have the shapes|can't be run"):
        OnnxNetwork(outputs())


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


def test_a_network_that_is_slow_for_long_texts_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    from text2math.scorers import encoder

    multiplications = tuple(node("MatMul", (f"m{at}", "m0"), f"m{at + 1}") for at in range(400))
    slow = (
        node("Shape", ("ids",), "ids' sizes"),
        node("Gather", ("ids' sizes", "1"), "pieces"),
        node("Concat", ("pieces", "pieces"), "square", integer("axis", 0)),
        node("Expand", ("float", "square"), "m0"),
        *multiplications,
        node("ReduceSum", ("m400",), "total", integer("keepdims", 0)),
        node("Mul", ("total", "zero"), "value"),
    )
    network = encoder.OnnxNetwork(scoring(slow, (floats("zero", 0.0),)))
    monkeypatch.setattr(encoder, "MOST_SECONDS", 0.05)
    long = encoder._blank(0, encoder.MOST_PIECES)  # a second, if it were left alone
    with pytest.raises(ValueError, match="can't be run"):
        network([long])


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

"""ONNX networks, built byte by byte: what a library would refuse to write can be written, too."""

from __future__ import annotations

import struct

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
        return varint(number << 3) + varint(value % (1 << 64))
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


def model(
    nodes: tuple[bytes, ...], tensors: tuple[bytes, ...] = (), more: bytes = b"", opset: int = 17
) -> bytes:
    """An ONNX model with the inputs and outputs of a scorer's network."""
    graph = b"".join(field(1, one) for one in nodes) + field(2, "graph")
    graph += b"".join(field(5, one) for one in tensors)
    graph += b"".join(field(11, value(name, kind)) for name, kind in INPUTS.items())
    graph += b"".join(field(12, value(name, FLOAT)) for name in OUTPUTS)
    return field(1, 8) + field(7, graph) + field(8, field(2, opset)) + more


def integers(name: str, *numbers: int) -> bytes:
    return tensor(name, INT64, (len(numbers),), struct.pack(f"<{len(numbers)}q", *numbers))


def floats(name: str, *numbers: float) -> bytes:
    return tensor(name, FLOAT, (len(numbers),), struct.pack(f"<{len(numbers)}f", *numbers))


def integer(name: str, number: int) -> bytes:
    """An attribute."""
    return field(1, name) + field(3, number) + field(20, 2)


def default_network() -> bytes:
    """The network of the packaged model."""
    from text2math.model.storage import load_model
    from text2math.parser import packaged

    metadata, arrays = load_model(packaged("default"))
    return bytes(arrays["encoder.onnx"].tobytes()[: metadata["bytes"]["onnx"]])

"""Export from torch to ONNX with 8-bit weights, so that packaged models run without torch; and back."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from text2math.neural.network import EncoderNetwork
from text2math.scorers.encoder import FEATURE_COUNT, OUTPUTS, QUANTITY_FEATURES

BLOCK = 128  # rows of a column that share a scale
_ZERO = 128  # the 8-bit number that stands for zero
_INPUTS = ("ids", "mask", "features", "bounds", "pool", "anchors", "referents", "quantities")


def to_onnx(network: EncoderNetwork, *, quantised: bool = True) -> bytes:
    """The network as ONNX; with 8-bit weights unless ``quantised`` is false."""
    network = network.cpu().float().eval()
    problems, pieces, words, numbers = 2, 7, 5, 3  # arbitrary sizes: all of them are dynamic in the export
    example = (
        torch.ones(problems, pieces, dtype=torch.long),
        torch.ones(problems, pieces, dtype=torch.long),
        torch.zeros(problems, pieces, FEATURE_COUNT),
        torch.zeros(problems, words, dtype=torch.long),
        torch.zeros(problems, 2, words),
        torch.zeros(problems, numbers, dtype=torch.long),
        torch.zeros(problems, numbers, dtype=torch.long),
        torch.zeros(problems, numbers, len(QUANTITY_FEATURES)),
    )
    free = {
        "ids": {0: "problems", 1: "pieces"},
        "mask": {0: "problems", 1: "pieces"},
        "features": {0: "problems", 1: "pieces"},
        "bounds": {0: "problems", 1: "words"},
        "pool": {0: "problems", 2: "words"},
        "anchors": {0: "problems", 1: "numbers"},
        "referents": {0: "problems", 1: "numbers"},
        "quantities": {0: "problems", 1: "numbers"},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        torch.onnx.export(
            network,
            example,
            str(path),
            input_names=list(_INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=free,
            opset_version=17,
            dynamo=False,
        )
        return _quantised(path) if quantised else path.read_bytes()


def _quantised(path: Path) -> bytes:
    """8-bit weights with a scale for every 128 of a column; activations are quantised at run time, in blocks.

    The usual single scale for a whole activation triples the error, because a few states are large.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    from onnxruntime.quantization.shape_inference import quant_pre_process

    logging.getLogger("onnxruntime.quantization").setLevel(logging.WARNING)  # else a line for every node
    prepared, blocks, small = (path.with_name(f"{name}.onnx") for name in ("prepared", "blocks", "small"))
    quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
    quantiser = MatMulNBitsQuantizer(
        onnx.load(str(prepared)), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=4
    )
    quantiser.process()
    quantiser.model.save_model_to_file(str(blocks), False)
    # The embeddings are looked up, not multiplied.
    quantize_dynamic(str(blocks), str(small), weight_type=QuantType.QUInt8, op_types_to_quantize=["Gather"])
    return small.read_bytes()


def weights_of(exported: bytes) -> dict[str, torch.Tensor]:
    """The weights of a network that ``to_onnx`` exported, as its state dict has them but for 8 bits.

    A packaged network can so be trained further.
    """
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load_from_string(exported).graph
    arrays = {one.name: to_array(one) for one in graph.initializer}
    found = {
        name: array.T if f"{name.removesuffix('weight')}bias" in arrays and array.ndim == 2 else array
        for name, array in arrays.items()
        if name.endswith((".weight", ".bias"))
    }
    found |= dict(_embeddings(arrays))
    found |= dict(_products(graph.node, arrays))
    return {name: torch.tensor(array, dtype=torch.float32) for name, array in found.items()}


def _embeddings(arrays: dict[str, NDArray[Any]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Tables whose rows are looked up, with one scale for all of a table."""
    ending = "_quantized"
    for name in [one.removesuffix(ending) for one in arrays if one.endswith(ending)]:
        table = arrays[f"{name}{ending}"].astype(np.float32)
        yield name, (table - arrays[f"{name}_zero_point"]) * arrays[f"{name}_scale"]


def _products(nodes: Any, arrays: dict[str, NDArray[Any]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Matrices that states are multiplied with, in blocks; a node's name is the path of its layer."""
    for node in nodes:
        if node.op_type == "MatMulNBits":
            blocks, scales = (arrays[name] for name in node.input[1:3])
            rows = next(one.i for one in node.attribute if one.name == "K")
            matrix = (blocks.astype(np.float32) - _ZERO) * scales.reshape(len(blocks), -1, 1)
            layer = node.name.strip("/").rpartition("/")[0].replace("/", ".")
            yield f"{layer}.weight", matrix.reshape(len(blocks), -1)[:, :rows]

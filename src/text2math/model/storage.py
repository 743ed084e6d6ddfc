"""Model files: JSON for what a model is, safetensors for its arrays. Loading runs no code.

A path that ends in ``.t2m`` is one file: safetensors, with the JSON in its header. Any other path is a
folder: ``model.json`` and the ``weights-….safetensors`` it belongs with. Both hold the same document,

    {"format": "text2math model", "version": 1, "sha256": "…", "metadata": {…}}

whose checksum covers the metadata and every array (name, type, shape, bytes). It finds damage and careless
edits; it is not a signature, so it says nothing about who wrote the file.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "tiny.t2m"
>>> save_model(path, {"task": "arithmetic"}, {"weights": np.arange(3, dtype=np.float32)})
>>> metadata, arrays = load_model(path)
>>> metadata, arrays["weights"].tolist()
({'task': 'arithmetic'}, [0.0, 1.0, 2.0])
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

FORMAT = "text2math model"
VERSION = 1
FILE_SUFFIX = ".t2m"
DOCUMENT_NAME = "model.json"
MAX_WEIGHTS_BYTES = 1 << 30
MAX_DOCUMENT_BYTES = 16 << 20
MAX_ARRAYS = 10_000
MAX_JSON_VALUES = 500_000  # each takes up to a hundred bytes of memory, whatever it takes in the file

# The name of each element type in a safetensors header.
ELEMENT_TYPES = {"F16": np.float16, "F32": np.float32, "F64": np.float64, "I32": np.int32}

_HEADER_KEY = "text2math"
_LENGTH_BYTES = 8
# The document is text inside the header's JSON, so its quotes are escaped: at worst it doubles.
_MAX_HEADER_BYTES = 2 * MAX_DOCUMENT_BYTES

Arrays: TypeAlias = dict[str, NDArray[Any]]


class ModelFileError(ValueError):
    """A path that can't be loaded as a model, or a model that can't be saved; the message says why."""


def save_model(path: str | Path, metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model atomically: if the process is killed, the old one or the new one is left, complete.

    The metadata is anything that JSON can represent; it is loaded as JSON loads it (tuples as lists).
    """
    path = Path(path).resolve()
    plain = _checked_arrays(arrays)
    content = _checked_metadata(metadata)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": _checksum(content, plain),
        "metadata": content,
    }
    if path.suffix == FILE_SUFFIX:
        _save_file(path, document, plain)
    else:
        _save_folder(path, document, plain)


def load_model(path: str | Path) -> tuple[dict[str, Any], Arrays]:
    """The metadata and the arrays of a model, checked.

    Raises ``ModelFileError`` for files that are truncated, changed, too large, too new, or not models.
    """
    path = Path(path)
    if path.is_dir():
        document, weights = _read_folder(path)
    else:
        document, weights = _read_file(path)
    try:
        arrays: Arrays = load_safetensors(weights)
    except SafetensorError as error:
        raise ModelFileError(f"{path}: the weights are damaged ({error}); get a fresh copy") from error
    if _checksum(document["metadata"], arrays) != document["sha256"]:
        raise ModelFileError(
            f"{path}: the content does not match its checksum: "
            "it was damaged or changed after it was saved; get a fresh copy"
        )
    return document["metadata"], arrays


def _checked_arrays(arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays in the machine's byte order and row by row, which is what safetensors expects."""
    if len(arrays) > MAX_ARRAYS:
        raise ModelFileError(f"a model holds at most {MAX_ARRAYS} arrays, not {len(arrays)}")
    plain = {}
    for name, array in arrays.items():
        if array.dtype.newbyteorder("=") not in ELEMENT_TYPES.values():
            raise ModelFileError(
                f"array {name!r} holds {array.dtype}; convert it to float16, float32, float64 or int32"
            )
        plain[name] = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    size = sum(array.nbytes for array in plain.values())
    if size > MAX_WEIGHTS_BYTES:
        raise ModelFileError(f"the arrays hold {size} bytes; a model file holds {MAX_WEIGHTS_BYTES} at most")
    return plain


def _checked_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata as it will be read back."""
    try:
        text = _json(dict(metadata))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the metadata can't be written as JSON: {error}") from error
    if len(text) > MAX_DOCUMENT_BYTES // 2:
        raise ModelFileError(
            f"the metadata takes {len(text)} bytes as JSON; {MAX_DOCUMENT_BYTES // 2} is the most"
        )
    content: dict[str, Any] | None = _parse_json(text.encode())
    if content is None:
        raise ModelFileError(f"the metadata holds more than {MAX_JSON_VALUES} values")
    return content


def _json(value: object) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _checksum(metadata: dict[str, Any], arrays: Arrays) -> str:
    """The SHA-256 of a model's content, the same for both forms (file and folder)."""
    heads = {name: [array.dtype.name, list(array.shape)] for name, array in sorted(arrays.items())}
    text = json.dumps([FORMAT, VERSION, metadata, heads], sort_keys=True)
    digest = hashlib.sha256(text.encode() + b"\n")
    for name in heads:
        array = arrays[name]
        little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _weights_name(document: Mapping[str, Any]) -> str:
    return f"weights-{document['sha256'][:16]}.safetensors"


def _save_file(path: Path, document: dict[str, Any], arrays: Arrays) -> None:
    if path.is_dir():
        raise ModelFileError(f"{path}: is a folder; a path that ends in {FILE_SUFFIX} is one file")
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, save_safetensors(arrays, {_HEADER_KEY: _json(document)}))


def _save_folder(path: Path, document: dict[str, Any], arrays: Arrays) -> None:
    """Add the new weights under their own name, then replace model.json by a single rename.

    Until then, model.json belongs with the old weights, which are removed only afterwards.
    """
    if path.exists() and not path.is_dir():
        raise ModelFileError(f"{path}: is a file; name a folder, or a path that ends in {FILE_SUFFIX}")
    path.mkdir(parents=True, exist_ok=True)
    name = _weights_name(document)
    _replace(path / name, save_safetensors(arrays))
    outdated = _current_weights(path) - {name}
    _replace(path / DOCUMENT_NAME, _json(document).encode() + b"\n")
    for old in outdated:
        (path / old).unlink(missing_ok=True)


def _current_weights(path: Path) -> set[str]:
    """The weights file that the model now in the folder uses, if there is a model."""
    try:
        return {_weights_name(_parse_document(path, _read_bytes(path / DOCUMENT_NAME, MAX_DOCUMENT_BYTES)))}
    except (ModelFileError, FileNotFoundError):
        return set()


def _replace(path: Path, content: bytes) -> None:
    """Replace a file atomically; the new content is on the disk before it is visible."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    """Make a rename survive a power cut, if the system can open folders."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_folder(path: Path) -> tuple[dict[str, Any], bytes]:
    previous: dict[str, Any] | None = None
    while True:
        try:
            content = _read_bytes(path / DOCUMENT_NAME, MAX_DOCUMENT_BYTES)
        except FileNotFoundError:
            raise ModelFileError(f"{path}: not a model: the folder has no {DOCUMENT_NAME}") from None
        document = _parse_document(path, content)
        weights = path / _weights_name(document)
        try:
            return document, _read_weights(weights)[1]
        except FileNotFoundError:
            # Either the copy is incomplete, or a save replaced the model between the two reads.
            if document == previous:
                message = f"{path}: the weights file {weights.name} is missing; copy the whole folder"
                raise ModelFileError(message) from None
            previous = document


def _read_file(path: Path) -> tuple[dict[str, Any], bytes]:
    header, content = _read_weights(path)
    own = header.get("__metadata__", {})
    if not isinstance(own, dict) or not isinstance(own.get(_HEADER_KEY), str):
        raise ModelFileError(f"{path}: not a text2math model: safetensors without our metadata")
    return _parse_document(path, own[_HEADER_KEY].encode()), content


@contextmanager
def _opened(path: Path, limit: int) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file and its size; a pipe or a device could block or never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ModelFileError(f"{path}: not a file")
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise ModelFileError(f"{path}: too large for a model ({size} bytes; at most {limit})")
        yield stream, size


def _read_bytes(path: Path, limit: int) -> bytes:
    with _opened(path, limit) as (stream, size):
        return stream.read(size)


def _read_weights(path: Path) -> tuple[dict[str, Any], bytes]:
    """The header and the whole content of a safetensors file; arrays are read only if the sizes fit."""
    with _opened(path, MAX_WEIGHTS_BYTES + _MAX_HEADER_BYTES) as (stream, size):
        start = stream.read(_LENGTH_BYTES + 1)
        header_size = _header_size(path, start)
        start += stream.read(header_size - 1)
        header = _parse_header(path, start[_LENGTH_BYTES:], header_size, size)
        stream.seek(0)
        return header, stream.read(size)


def _header_size(path: Path, start: bytes) -> int:
    """The length of the header: a file starts with it, in eight bytes, followed by a brace."""
    if not start:
        _damaged(path, "the file is empty, so it is truncated or not a model")
    size = int.from_bytes(start[:_LENGTH_BYTES], "little")
    if len(start) <= _LENGTH_BYTES or not 0 < size <= _MAX_HEADER_BYTES or start[_LENGTH_BYTES:] != b"{":
        _not_model(path, "it is not in the safetensors format")
    return size


def _parse_header(path: Path, content: bytes, size: int, file_size: int) -> dict[str, Any]:
    """The header of a safetensors file, which is JSON; raises an error unless the file is complete."""
    if len(content) < size:
        _damaged(path, f"truncated: it ends within its header, after {file_size} bytes")
    header = _parse_json(content)
    if not isinstance(header, dict):
        _not_model(path, "its header is not a JSON object")
    if len(header) > MAX_ARRAYS + 1:
        _not_model(path, f"it lists more than {MAX_ARRAYS} arrays")
    tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
    expected = _LENGTH_BYTES + size + max(map(_data_end, tensors.values()), default=0)
    if file_size < expected:
        _damaged(path, f"truncated: {file_size} bytes of {expected}")
    if file_size > expected:
        _damaged(path, f"{file_size - expected} bytes too long")
    for name, entry in tensors.items():
        if not isinstance(entry, dict) or entry.get("dtype") not in ELEMENT_TYPES:
            _not_model(path, f"array {name!r} is not of a type that models use ({', '.join(ELEMENT_TYPES)})")
    return header


def _not_model(path: Path, why: str) -> NoReturn:
    raise ModelFileError(f"{path}: not a text2math model: {why}")


def _damaged(path: Path, why: str) -> NoReturn:
    raise ModelFileError(f"{path}: {why}; get a fresh copy")


def _data_end(entry: object) -> int:
    """Where an array's bytes end; safetensors itself checks the rest of the entry."""
    match entry:
        case {"data_offsets": [int(), int() as end]}:
            return end
    return 0


def _parse_document(path: Path, content: bytes) -> dict[str, Any]:
    document = _parse_json(content)
    if document is None:
        raise ModelFileError(f"{path}: its JSON is incomplete: it is truncated or damaged, or not a model")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"{path}: not a text2math model: its JSON does not say {FORMAT!r}")
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise ModelFileError(
            f"{path}: written in version {version} of the model format, by a newer text2math; "
            f"this one reads version {VERSION}: pip install --upgrade text2math"
        )
    if version != VERSION or isinstance(version, bool):
        raise ModelFileError(f"{path}: version {version!r} of the model format does not exist")
    checksum = document.get("sha256")
    if not isinstance(checksum, str) or len(checksum) != 64 or set(checksum) - set("0123456789abcdef"):
        raise ModelFileError(f"{path}: the checksum is missing or damaged; get a fresh copy")
    if not isinstance(document.get("metadata"), dict):
        raise ModelFileError(f"{path}: the metadata is missing or damaged; get a fresh copy")
    return document


def _parse_json(content: bytes) -> Any:
    """The JSON value, or None if it is not JSON or has too many values."""
    # Every value but the first of a list or object follows a comma or a colon.
    if sum(map(content.count, (b",", b":", b"[", b"{"))) > MAX_JSON_VALUES:
        return None
    try:
        return json.loads(content, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return None


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")

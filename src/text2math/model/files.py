"""A trained model as a model file: its configuration as JSON, its feature names and weights as arrays.

Feature names are written as compressed text, so that a file stays small and explanations can name them.
``compact`` makes a model smaller still: features without weight go, and the other weights are rounded to a
step, which lets the file hold them as small integers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from text2math.inference.potentials import FIRST_GRAMMAR, FloatArray, Symbol, symbols_named
from text2math.language.lexicon import Lexicon
from text2math.learning.optimise import Trained, TrainingConfig
from text2math.learning.targets import TargetConfig
from text2math.model import encoder_model as encoder
from text2math.model.checks import (
    MAX_CANDIDATES,
    MAX_NAME,
    between,
    check_extra,
    check_weights,
    checked,
    filled,
)
from text2math.model.encoder_model import EncoderModel
from text2math.model.model import Model, ModelConfig
from text2math.model.presence import Presence
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.model.storage import ModelFileError, load_model, save_model
from text2math.scorers.features import FeatureConfig
from text2math.scorers.linear import VOCABULARIES, LinearScorer, Tables, Vocabulary, moved_weights

KIND = "discrete"
# A small file must not fill the memory. Names and weights of models take a third to a ninth of their size.
MOST_BYTES_PER_PACKED_BYTE = 20
SLACK_BYTES = 1 << 16

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model with what a parser knows beside it; ``extra`` is anything JSON holds (a card, for one)."""

    model: Model
    name: str
    extra: Mapping[str, Any]
    presence: Presence | None


def save(path: str | Path, saved: SavedModel, *, step: float | None = None) -> None:
    """Write a model. With a ``step`` the weights are multiples of it, and are held as small integers."""
    if isinstance(saved.model, EncoderModel):
        metadata, arrays = encoder.describe(saved.model)
        metadata["step"] = step
    else:
        metadata, arrays = _describe(saved.model, step)
    metadata |= {"name": saved.name, "extra": dict(saved.extra), "presence": saved.presence is not None}
    if saved.presence is not None:
        arrays["presence.names"] = pack_text(saved.presence.vocabulary)
        arrays["presence.weights"] = _pack_weights(saved.presence.weights, step)
    save_model(path, metadata, arrays)


def load(path: str | Path) -> SavedModel:
    """The model in a file, checked; raises ``ModelFileError`` for anything else."""
    metadata, arrays = load_model(path)
    restore = {KIND: _restore, encoder.KIND: encoder.restore}.get(str(metadata.get("kind")))
    if restore is None:
        kinds = f"{KIND!r} and {encoder.KIND!r}"
        raise ModelFileError(f"{path}: a model of kind {metadata.get('kind')!r}; this reads {kinds} models")
    try:
        check_extra(metadata["extra"])
        return SavedModel(
            restore(metadata, arrays),
            checked(metadata["name"], str, "the name")[:MAX_NAME],
            dict(metadata["extra"]),
            _restore_presence(arrays, metadata["step"]) if metadata.get("presence") else None,
        )
    except ModuleNotFoundError as error:
        raise ModelFileError(
            f"{path}: this model needs {error.name}; install onnxruntime and tokenizers, or use 'small'"
        ) from error
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, zlib.error) as error:
        raise ModelFileError(
            f"{path}: its content does not fit together ({type(error).__name__}: {error}); "
            "it may be of another version of text2math: train it again"
        ) from error


# Configuration --------------------------------------------------------------------------------------------


def _describe(model: Model, step: float | None) -> tuple[dict[str, Any], Arrays]:
    scorer, plausibility = model.scorer, model.plausibility
    metadata = {
        "kind": KIND,
        "config": _plain_config(model.config),
        "symbols": [symbol.name for symbol in scorer.symbols],
        "grammar": [symbol.name for symbol in Symbol],
        "roots": [symbol.name for symbol in model.roots],
        "features": {kind: len(scorer.vocabulary[kind]) for kind in VOCABULARIES},
        "step": step,
        "trained": {
            "objective": model.trained.objective,
            "steps": model.trained.steps,
            "seconds": model.trained.seconds,
            "interrupted": model.trained.interrupted,
        },
        "unreachable": len(model.unreachable),
        "plausibility": plausibility is not None,
    }
    names = [name for kind in VOCABULARIES for name in scorer.vocabulary[kind]]
    arrays = {"scorer.names": pack_text(names), "scorer.weights": _pack_weights(scorer.weights, step)}
    if plausibility is not None:
        arrays["plausibility.names"] = pack_text(plausibility.vocabulary)
        arrays["plausibility.weights"] = _pack_weights(plausibility.weights, step)
    return metadata, arrays


def _restore(metadata: Mapping[str, Any], arrays: Arrays) -> Model:
    config, step = _config(metadata["config"]), metadata["step"]
    symbols = symbols_named(metadata["symbols"])
    grammar = symbols_named(metadata.get("grammar", FIRST_GRAMMAR))
    roots = symbols_named(metadata["roots"])
    _require(len(set(symbols)) == len(symbols) > 0 and set(roots) <= set(symbols), "the list of symbols")
    names = unpack_text(arrays["scorer.names"])
    vocabulary: Vocabulary = {}
    at = 0
    for kind in VOCABULARIES:
        size = int(metadata["features"][kind])
        vocabulary[kind] = {name: row for row, name in enumerate(names[at : at + size])}
        at += size
    stored = _unpack_weights(arrays["scorer.weights"], step)
    _require(at == len(names) and sum(map(len, vocabulary.values())) == at, "the names of the features")
    _require(len(set(grammar)) == len(grammar) and set(symbols) <= set(grammar), "the grammar")
    weights = moved_weights(stored, vocabulary, len(symbols), grammar)
    return Model(
        config=config,
        scorer=LinearScorer(config.features, symbols, vocabulary, weights),
        roots=roots,
        plausibility=_restore_plausibility(config, arrays, step) if metadata["plausibility"] else None,
        trained=Trained(weights, **_checked_facts(metadata["trained"])),
    )


def _checked_facts(trained: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {"objective": float, "steps": int, "seconds": float, "interrupted": bool}
    return {name: checked(value, kinds[name], name) for name, value in trained.items()}


def _restore_plausibility(config: ModelConfig, arrays: Arrays, step: float | None) -> Reranker:
    _require(config.plausibility is not None, "the configuration")
    assert config.plausibility is not None
    vocabulary = {name: row for row, name in enumerate(unpack_text(arrays["plausibility.names"]))}
    weights = _unpack_weights(arrays["plausibility.weights"], step)
    _require(len(weights) == len(vocabulary) + 1, "the number of the reranker's weights")
    return Reranker(config.plausibility, vocabulary, weights)


def _restore_presence(arrays: Arrays, step: float | None) -> Presence:
    vocabulary = {name: row for row, name in enumerate(unpack_text(arrays["presence.names"]))}
    weights = _unpack_weights(arrays["presence.weights"], step)
    _require(len(weights) == len(vocabulary) + 1, "the number of weights for the presence of mathematics")
    return Presence(vocabulary, weights)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} does not fit")


def _plain_config(config: ModelConfig) -> dict[str, Any]:
    plain = asdict(config)
    plain["features"]["lexicon"] = config.features.lexicon.to_json()
    return plain


def _config(plain: Mapping[str, Any]) -> ModelConfig:
    features = dict(plain["features"])
    features["lexicon"] = Lexicon.from_json(features["lexicon"], source="the model's lexicon")
    config = filled(
        ModelConfig,
        {
            **plain,
            "features": filled(FeatureConfig, features),
            "targets": filled(TargetConfig, plain["targets"]),
            "training": filled(TrainingConfig, plain["training"]),
            "plausibility": None
            if plain["plausibility"] is None
            else filled(RerankerConfig, plain["plausibility"]),
        },
    )
    between(config.candidates, 1, MAX_CANDIDATES, "candidates")
    return config


# Arrays ---------------------------------------------------------------------------------------------------


def pack_text(lines: Iterable[str]) -> NDArray[np.int32]:
    """Lines of text as an array of compressed bytes.

    >>> unpack_text(pack_text(["word:apple", "word:pear"]))
    ['word:apple', 'word:pear']
    """
    listed = list(lines)
    if any("\n" in line for line in listed):
        raise ModelFileError("the name of a feature holds a line break")
    return _pack("\n".join(listed).encode())


def unpack_text(packed: NDArray[Any]) -> list[str]:
    """The lines of text in an array that ``pack_text`` made."""
    content = _unpack(packed)
    if not content:
        return []
    if content.count(b"\n") > packed.nbytes + SLACK_BYTES:
        raise ValueError("an array holds more names than its size allows")
    return [str(line, "utf-8").removesuffix("\n") for line in BytesIO(content)]


def _pack(content: bytes) -> NDArray[np.int32]:
    """Compressed, with its length before it; model files hold whole 32-bit numbers."""
    squeezed = zlib.compress(content, 9)
    if len(content) > _most_bytes(len(squeezed)):
        squeezed = zlib.compress(content, 0)
    padded = squeezed + b"\0" * (-len(squeezed) % 4)
    return np.concatenate(
        [np.array([len(content), len(squeezed)], dtype="<i4"), np.frombuffer(padded, dtype="<i4")]
    ).astype(np.int32)


def _most_bytes(squeezed: int) -> int:
    return MOST_BYTES_PER_PACKED_BYTE * squeezed + SLACK_BYTES


def _unpack(packed: NDArray[Any]) -> bytes:
    if packed.dtype != np.int32 or packed.ndim != 1:
        raise ValueError("an array of packed bytes has another form")
    size, squeezed = int(packed[0]), int(packed[1])
    if not 0 <= squeezed <= packed.nbytes or not 0 <= size <= _most_bytes(squeezed):
        raise ValueError(f"an array of {packed.nbytes} bytes claims to hold {size}")
    # One byte more than promised, so that a lie is seen before it fills the memory.
    content = zlib.decompressobj().decompress(packed[2:].astype("<i4").tobytes()[:squeezed], size + 1)
    if len(content) != size:
        raise ValueError("an array does not hold what it promises")
    return content


def _pack_weights(weights: FloatArray, step: float | None) -> NDArray[Any]:
    if step is None:
        return weights
    whole = np.rint(weights / step)
    if np.abs(whole).max(initial=0) > np.iinfo(np.int16).max or not np.allclose(whole * step, weights):
        raise ModelFileError(f"the weights are not multiples of {step}; see compact")
    # High bytes and low bytes apart: the high ones are nearly all alike.
    planes = whole.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return _pack(planes.tobytes())


def _unpack_weights(packed: NDArray[Any], step: float | None) -> FloatArray:
    if step is None:
        weights = packed.astype(np.float64)
    else:
        planes = np.frombuffer(_unpack(packed), dtype=np.uint8).reshape(2, -1)
        scale = between(step, 1e-9, 1.0, "step")
        weights = np.ascontiguousarray(planes.T).view("<i2")[:, 0].astype(np.float64) * scale
    return check_weights(weights)


# Making models small --------------------------------------------------------------------------------------


def compact(saved: SavedModel, *, step: float, threshold: float) -> SavedModel:
    """The model without the features whose weights are all below a threshold, the others' rounded."""
    model, presence = saved.model, saved.presence
    scorer = _compact_scorer(model.scorer, step, threshold)
    plausibility = model.plausibility
    if plausibility is not None:
        plausibility = replace(plausibility, **_compact_list(plausibility, step, threshold))
    if presence is not None:
        presence = replace(presence, **_compact_list(presence, step, threshold))
    trained = replace(model.trained, weights=scorer.weights)
    small = replace(model, scorer=scorer, plausibility=plausibility, trained=trained)
    return replace(saved, model=small, presence=presence)


# The tables of weights that have a row for each feature of a kind.
_TABLES = {
    "words": ("words",),
    "pairs": ("pairs",),
    "numbers": ("numbers",),
    "whole": ("root", "operators"),
    "order": ("order",),
    "word-votes": ("word-votes",),
    "whole-votes": ("root-votes", "operator-votes"),
}


def _compact_scorer(scorer: LinearScorer, step: float, threshold: float) -> LinearScorer:
    tables = {name: np.rint(table / step) * step for name, table in scorer.tables.items()}
    vocabulary: Vocabulary = {}
    for kind, names in _TABLES.items():
        strength = np.max([np.abs(scorer.tables[name]).max(axis=1, initial=0) for name in names], axis=0)
        kept = np.flatnonzero(strength >= threshold)
        vocabulary[kind] = _renumbered(scorer.vocabulary[kind], kept)
        for name in names:
            small = np.abs(scorer.tables[name]) < threshold
            tables[name] = np.where(small, 0.0, tables[name])[kept]
    layout = Tables.of(vocabulary, len(scorer.symbols))
    weights = np.concatenate([tables[name].reshape(-1) for name, _, _ in layout.offsets])
    return replace(scorer, vocabulary=vocabulary, weights=weights)


def _compact_list(learned: Reranker | Presence, step: float, threshold: float) -> dict[str, Any]:
    """The vocabulary and weights to keep; the last weight belongs to no feature."""
    kept = np.flatnonzero(np.abs(learned.weights[:-1]) >= threshold)
    weights = np.rint(learned.weights[[*kept, -1]] / step) * step
    return {"vocabulary": _renumbered(learned.vocabulary, kept), "weights": weights}


def _renumbered(vocabulary: Mapping[str, int], kept: Sequence[int] | NDArray[Any]) -> dict[str, int]:
    names = sorted(vocabulary, key=lambda name: vocabulary[name])
    return {names[row]: place for place, row in enumerate(kept)}

"""A trained model as a model file: its configuration as JSON, its feature names and weights as arrays.

Feature names are stored as compressed text: explanations need them. ``compact`` makes a model smaller:
features with little weight are removed, and the other weights are rounded to multiples of a step, which are
stored as small integers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from text2math.inference.forest import EQUATIONS, Forest, Grammar
from text2math.inference.patterns import PAPER_PATTERNS, PATTERN_COUNT, PATTERNS
from text2math.inference.potentials import FIRST_GRAMMAR, FloatArray, Symbol, symbols_named
from text2math.language.lexicon import Lexicon
from text2math.mathematics.relations import RELATIONS
from text2math.model.checks import (
    LEAST_TEMPERATURE,
    MAX_CANDIDATES,
    MAX_NAME,
    MOST_TEMPERATURE,
    between,
    check_weights,
    checked,
    filled,
)
from text2math.model.config import ModelConfig, TargetConfig, TrainingConfig
from text2math.model.encoder_model import encoder_model, exported_scorer
from text2math.model.model import Model, TrainingSummary
from text2math.model.none_of_these import NoneOfThese
from text2math.model.presence import Presence
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.model.storage import ModelFileError, load_model, save_model
from text2math.scorers.encoder import Columns, EncoderScorer, OnnxNetwork, WordPieces
from text2math.scorers.features import FeatureConfig
from text2math.scorers.linear import TABLES_OF, VOCABULARIES, LinearScorer, Tables, Vocabulary, moved_weights
from text2math.scorers.scorer import CombinedScorer, Scorer

# The kinds of models: discrete features, a network, or the sum of both.
DISCRETE, ENCODER, COMBINED = KINDS = ("discrete", "encoder", "combined")
# A small file must not fill the memory. Names and weights are compressed to a third to a ninth of their size.
MOST_BYTES_PER_PACKED_BYTE = 20
SLACK_BYTES = 1 << 16

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model with its name and its card (see ``cards.py``)."""

    model: Model
    name: str = "unnamed"
    card: Mapping[str, Any] = field(default_factory=dict, repr=False)


def save(path: str | Path, saved: SavedModel, *, step: float | None = None) -> None:
    """Write a model. With a ``step``, weights must be multiples of it and are stored as small integers."""
    model = saved.model
    discrete, network = parts_of(model.scorer)
    metadata: dict[str, Any] = {
        "kind": COMBINED if discrete and network else ENCODER if network else DISCRETE,
        "name": saved.name,
        "extra": {"temperature": model.temperature, "card": dict(saved.card)},
        "config": _plain_config(model.config),
        "step": step,
        "trained": None if model.summary is None else asdict(model.summary),
        "unreachable": len(model.unreachable),
        "presence": model.presence is not None,
        "plausibility": None if model.reranker is None else asdict(model.reranker.config),
    }
    metadata |= {"silent": model.forest.silent, "asides": model.forest.asides}
    metadata |= {"knowledge": bool(model.knowledge), "alignment": model.alignment}
    arrays: Arrays = {}
    if discrete is not None:
        metadata |= _describe_discrete(model, discrete)
        names = [name for kind in VOCABULARIES for name in discrete.vocabulary[kind]]
        arrays["scorer.names"] = pack_text(names)
        arrays["scorer.weights"] = _pack_weights(discrete.weights, step)
    if network is not None:
        onnx, tokenizer = _network_bytes(network)
        metadata["mask_numbers"] = network.mask_numbers
        metadata["network_symbols"] = [symbol.name for symbol in network.symbols]
        metadata["outputs"] = [symbol.name for symbol in network.columns.outputs]
        metadata["output_patterns"] = _pattern_names(network.columns.patterns)
        metadata["relations"] = list(network.columns.relations)
        metadata["bytes"] = {"onnx": len(onnx), "tokenizer": len(tokenizer)}
        arrays["encoder.onnx"], arrays["encoder.tokenizer"] = _as_numbers(onnx), _as_numbers(tokenizer)
    none = model.none_of_these
    metadata |= {"none": none is not None, "none_words": none is not None and none.words}
    for name, learned in (("plausibility", model.reranker), ("presence", model.presence), ("none", none)):
        if learned is not None:
            arrays[f"{name}.names"] = pack_text(learned.vocabulary)
            arrays[f"{name}.weights"] = _pack_weights(learned.weights, step)
    save_model(path, metadata, arrays)


def load(path: str | Path) -> SavedModel:
    """The model in a file, checked; raises ``ModelFileError`` for anything else."""
    metadata, arrays = load_model(path)
    if metadata.get("kind") not in KINDS:
        raise ModelFileError(
            f"{path}: a model of kind {metadata.get('kind')!r}; this reads {', '.join(KINDS)} models"
        )
    try:
        extra, name = metadata["extra"], checked(metadata["name"], str, "the name")
        temperature, card = extra.get("temperature", 1.0), checked(extra.get("card", {}), dict, "the card")
        model = replace(
            _restore(metadata, arrays),
            temperature=between(temperature, LEAST_TEMPERATURE, MOST_TEMPERATURE, "temperature"),
            presence=Presence(*_restore_list("presence", arrays, metadata["step"]))
            if _switch(metadata, "presence")
            else None,
            alignment=checked(metadata.get("alignment", True), bool, "alignment"),
            none_of_these=NoneOfThese(
                *_restore_list("none", arrays, metadata["step"]), _switch(metadata, "none_words")
            )
            if _switch(metadata, "none")
            else None,
        )
        return SavedModel(model, name[:MAX_NAME], card)
    except ModuleNotFoundError as error:
        raise ModelFileError(
            f"{path}: this model needs {error.name}; install onnxruntime and tokenizers, or use 'small'"
        ) from error
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, zlib.error) as error:
        raise ModelFileError(
            f"{path}: its content does not fit together ({type(error).__name__}: {error}); "
            "it may be of another version of text2math: train it again"
        ) from error


def parts_of(scorer: Scorer) -> tuple[LinearScorer | None, EncoderScorer | None]:
    """The discrete scorer and the network that a model file can hold, of which one may be missing."""
    match scorer:
        case LinearScorer():
            return scorer, None
        case EncoderScorer():
            return None, scorer
        case CombinedScorer(first=LinearScorer() as discrete, second=EncoderScorer() as network):
            return discrete, network
    raise ModelFileError(f"a {type(scorer).__name__} can't be saved in a model file")


# Parts ----------------------------------------------------------------------------------------------------


def _describe_discrete(model: Model, scorer: LinearScorer) -> dict[str, Any]:
    roots = sorted({model.forest.states[root].symbol for root in model.forest.roots})
    return {
        "symbols": [symbol.name for symbol in scorer.symbols],
        "grammar": [symbol.name for symbol in Symbol],
        "patterns": _pattern_names(PATTERN_COUNT),
        "roots": [symbol.name for symbol in roots],
        "features": {kind: len(scorer.vocabulary[kind]) for kind in VOCABULARIES},
    }


def _restore(metadata: Mapping[str, Any], arrays: Arrays) -> Model:
    kind, step = metadata["kind"], metadata["step"]
    # The first files of networks have no configuration: theirs is the default.
    config = _config(metadata["config"]) if "config" in metadata else None
    reranker = _restore_reranker(metadata["plausibility"], config, arrays, step)
    if kind == DISCRETE:
        assert config is not None
        scorer = _restore_discrete(metadata, arrays, config)
        roots = symbols_named(metadata["roots"])
        _require(set(roots) <= set(scorer.symbols), "the list of roots")
        forest = Forest.full(scorer.symbols, roots=roots, **_switches(metadata))
        model = Model(scorer, forest, config, reranker)
    else:
        both: Scorer = _restore_network(metadata, arrays)
        if kind == COMBINED:
            assert config is not None
            both = CombinedScorer(_restore_discrete(metadata, arrays, config), both)
        count = metadata["candidates"] if config is None else config.candidates
        between(count, 1, MAX_CANDIDATES, "candidates")
        grammar = Grammar(frozenset(both.symbols), **_switches(metadata))
        model = encoder_model(both, reranker, grammar=grammar, candidates=count)
        model = model if config is None else replace(model, config=config)
    model = replace(model, knowledge=bool(metadata.get("knowledge", False)))
    trained = metadata.get("trained")
    return model if trained is None else replace(model, summary=filled(TrainingSummary, trained))


def _restore_discrete(metadata: Mapping[str, Any], arrays: Arrays, config: ModelConfig) -> LinearScorer:
    symbols = symbols_named(metadata["symbols"])
    grammar = symbols_named(metadata.get("grammar", FIRST_GRAMMAR))
    _require(0 < len(symbols) == len(set(symbols)), "the list of symbols")
    _require(len(set(grammar)) == len(grammar) and set(symbols) <= set(grammar), "the grammar")
    sizes = {kind: range(int(metadata["features"][kind])) for kind in VOCABULARIES}
    patterns = _patterns(metadata, "patterns")
    count = Tables.of(sizes, len(symbols), len(grammar), patterns).size
    stored = _unpack_weights(arrays["scorer.weights"], metadata["step"], count)
    names = iter(unpack_text(arrays["scorer.names"], sum(map(len, sizes.values()))))
    vocabulary: Vocabulary = {
        kind: {name: row for row, name in zip(rows, names, strict=False)} for kind, rows in sizes.items()
    }
    _require(all(len(vocabulary[kind]) == len(rows) for kind, rows in sizes.items()), "a list of features")
    weights = moved_weights(stored, vocabulary, len(symbols), grammar, patterns)
    return LinearScorer(config.features, symbols, vocabulary, weights)


def _restore_network(metadata: Mapping[str, Any], arrays: Arrays) -> EncoderScorer:
    sizes = metadata["bytes"]
    return exported_scorer(
        _as_bytes(arrays["encoder.onnx"], int(sizes["onnx"])),
        _as_bytes(arrays["encoder.tokenizer"], int(sizes["tokenizer"])),
        mask_numbers=checked(metadata["mask_numbers"], bool, "mask_numbers"),
        columns=_columns(metadata),
    )


def _columns(metadata: Mapping[str, Any]) -> Columns:
    """What the network's outputs mean; files without names have the symbols of the first grammar."""
    outputs = symbols_named(metadata.get("outputs", FIRST_GRAMMAR))
    own = metadata.get("network_symbols")
    known = tuple(sorted(EQUATIONS)) if own is None else symbols_named(own)
    if len(set(outputs)) != len(outputs) or not set(known) <= set(outputs):
        raise ValueError("the network's symbols do not fit its outputs")
    return Columns(outputs, known, _patterns(metadata, "output_patterns"), _relations(metadata))


def _relations(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The relations of two numbers that the network knows; those of older files say nothing about them."""
    names = tuple(metadata.get("relations", RELATIONS))
    if len(set(names)) != len(names) or not set(names) <= set(RELATIONS):
        raise ValueError("the network has relations of numbers that the grammar does not have")
    return names


def _pattern_names(count: int) -> list[str]:
    return [str(pattern) for pattern in PATTERNS[:count]]


def _patterns(metadata: Mapping[str, Any], key: str) -> int:
    """The number of patterns in a file; a file that does not say has the paper's."""
    names = metadata.get(key, _pattern_names(PAPER_PATTERNS))
    if names != _pattern_names(len(names)):
        raise ValueError("the patterns are not those of the grammar, in order")
    return len(names)


def _switches(metadata: Mapping[str, Any]) -> dict[str, bool]:
    """Whether unknowns may be silent, and whether equations may contain asides; false in old files."""
    return {name: _switch(metadata, name) for name in ("silent", "asides")}


def _switch(metadata: Mapping[str, Any], name: str) -> bool:
    return bool(checked(metadata.get(name, False), bool, name))


def _network_bytes(scorer: EncoderScorer) -> tuple[bytes, bytes]:
    if not isinstance(scorer.network, OnnxNetwork) or not isinstance(scorer.pieces, WordPieces):
        raise ModelFileError("only an exported network can be saved in a model file; export this one first")
    return scorer.network.source, scorer.pieces.source


def _restore_reranker(
    plain: Mapping[str, Any] | bool | None, config: ModelConfig | None, arrays: Arrays, step: float | None
) -> Reranker | None:
    """The reranker; older files have its settings in the configuration, or its features in the settings."""
    if not plain:
        return None
    if plain is True:
        settings = None if config is None else config.reranker
        plain = {}
    else:
        settings = filled(RerankerConfig, {key: plain[key] for key in plain if key != "vocabulary"})
    _require(settings is not None, "the configuration")
    assert settings is not None
    if "vocabulary" in plain:
        names = tuple(map(str, plain["vocabulary"]))
        weights = _unpack_weights(arrays["plausibility.weights"], None, len(names) + 1)
        return Reranker(settings, _numbered(names), weights)
    return Reranker(settings, *_restore_list("plausibility", arrays, step))


def _restore_list(name: str, arrays: Arrays, step: float | None) -> tuple[dict[str, int], FloatArray]:
    """The features of a reranker or classifier and their weights; the last weight belongs to no feature."""
    packed = arrays[f"{name}.weights"]
    count = packed.size if step is None else _packed_bytes(packed) // 2
    vocabulary = _numbered(unpack_text(arrays[f"{name}.names"], count - 1))
    return vocabulary, _unpack_weights(packed, step, count)


def _numbered(names: Sequence[str]) -> dict[str, int]:
    vocabulary = {name: row for row, name in enumerate(names)}
    _require(len(vocabulary) == len(names), "a list of features")
    return vocabulary


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} does not fit")


def _plain_config(config: ModelConfig) -> dict[str, Any]:
    plain = asdict(config)
    plain["features"]["lexicon"] = config.features.lexicon.to_json()
    plain["plausibility"] = plain.pop("reranker")  # its name in files
    return plain


def _config(plain: Mapping[str, Any]) -> ModelConfig:
    features, reranker = dict(plain["features"]), plain["plausibility"]
    features["lexicon"] = Lexicon.from_json(features["lexicon"], source="the model's lexicon")
    config = filled(
        ModelConfig,
        {
            **{name: value for name, value in plain.items() if name != "plausibility"},
            "features": filled(FeatureConfig, features),
            "targets": filled(TargetConfig, plain["targets"]),
            "training": filled(TrainingConfig, plain["training"]),
            "reranker": None if reranker is None else filled(RerankerConfig, reranker),
        },
    )
    between(config.candidates, 1, MAX_CANDIDATES, "candidates")
    return config


# Arrays ---------------------------------------------------------------------------------------------------


def pack_text(lines: Iterable[str]) -> NDArray[np.int32]:
    """Lines of text as an array of compressed bytes.

    >>> unpack_text(pack_text(["word:apple", "word:pear"]), 2)
    ['word:apple', 'word:pear']
    """
    listed = list(lines)
    if any("\n" in line for line in listed):
        raise ModelFileError("the name of a feature contains a line break")
    return _pack("\n".join(listed).encode())


def unpack_text(packed: NDArray[Any], count: int) -> list[str]:
    """The lines of text in an array that ``pack_text`` made; the count is checked before they are built."""
    content = _unpack(packed)
    found = content.count(b"\n") + 1 if content else 0
    if found != count:
        raise ValueError(f"an array has {found} names, not {count}")
    return content.decode().split("\n") if content else []


def _pack(content: bytes) -> NDArray[np.int32]:
    """Compressed bytes, after their length, as 32-bit integers: model files have no arrays of bytes."""
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
    size, squeezed = _packed_bytes(packed), int(packed[1])
    # One byte more than declared, so that a wrong length is noticed before it fills the memory.
    content = zlib.decompressobj().decompress(packed[2:].astype("<i4").tobytes()[:squeezed], size + 1)
    if len(content) != size:
        raise ValueError("an array does not have the length it declares")
    return content


def _packed_bytes(packed: NDArray[Any]) -> int:
    """The number of bytes that an array declares, which must be no more than its size allows."""
    if packed.dtype != np.int32 or packed.ndim != 1:
        raise ValueError("an array of packed bytes is not one row of 32-bit integers")
    size, squeezed = int(packed[0]), int(packed[1])
    if not 0 <= squeezed <= packed.nbytes or not 0 <= size <= _most_bytes(squeezed):
        raise ValueError(f"an array of {packed.nbytes} bytes declares {size}, which is too many")
    return size


def _pack_weights(weights: FloatArray, step: float | None) -> NDArray[Any]:
    if step is None:
        return weights
    whole = np.rint(weights / step)
    if np.abs(whole).max(initial=0) > np.iinfo(np.int16).max or not np.allclose(whole * step, weights):
        raise ModelFileError(f"the weights are not multiples of {step}; see compact")
    # High and low bytes are stored apart, because nearly all high ones are the same and compress well.
    planes = whole.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return _pack(planes.tobytes())


def _unpack_weights(packed: NDArray[Any], step: float | None, count: int) -> FloatArray:
    """The weights in an array; their number is checked before they are unpacked."""
    held = packed.size if step is None else _packed_bytes(packed) / 2
    if held != count:
        raise ValueError(f"the number of weights does not fit: {held:g}, not {count}")
    if step is None:
        return check_weights(packed)
    scale = between(step, 1e-9, 1.0, "step")
    planes = np.frombuffer(_unpack(packed), dtype=np.uint8).reshape(2, -1)
    weights = np.ascontiguousarray(planes.T).view("<i2")[:, 0].astype(np.float64)
    weights *= scale
    return weights


def _as_numbers(content: bytes) -> NDArray[np.int32]:
    """Bytes as 32-bit integers: model files have no arrays of bytes."""
    padded = content + b"\0" * (-len(content) % 4)
    return np.frombuffer(padded, dtype="<i4").astype(np.int32)


def _as_bytes(numbers: NDArray[Any], size: int) -> bytes:
    # Networks are large, so they are copied only once.
    content = numbers.astype("<i4", copy=False).reshape(-1).view(np.uint8)
    if not len(content) - 4 < size <= len(content):
        raise ValueError("an array does not have the length that the metadata declares")
    return content[:size].tobytes()


# Making models small --------------------------------------------------------------------------------------


STEP, THRESHOLD = 1 / 128, 1 / 50
"""By default, weights become multiples of the one, and those below the other are left out."""


def compact(model: Model, *, step: float = STEP, threshold: float = THRESHOLD) -> Model:
    """The model without features whose weights are all below a threshold, and with the other weights rounded.

    A network is not changed: its weights already have 8 bits.
    """
    scorer, reranker, presence = model.scorer, model.reranker, model.presence
    if isinstance(scorer, LinearScorer):
        scorer = _compact_scorer(scorer, step, threshold)
    elif isinstance(scorer, CombinedScorer) and isinstance(scorer.first, LinearScorer):
        scorer = replace(scorer, first=_compact_scorer(scorer.first, step, threshold))
    if reranker is not None:
        reranker = replace(reranker, **_compact_list(reranker, step, threshold))
    if presence is not None:
        presence = replace(presence, **_compact_list(presence, step, threshold))
    none = model.none_of_these
    if none is not None:
        none = replace(none, **_compact_list(none, step, threshold))
    return replace(model, scorer=scorer, reranker=reranker, presence=presence, none_of_these=none)


def _compact_scorer(scorer: LinearScorer, step: float, threshold: float) -> LinearScorer:
    tables = {name: np.rint(table / step) * step for name, table in scorer.tables.items()}
    vocabulary: Vocabulary = {}
    for kind, names in TABLES_OF.items():
        strength = np.max([np.abs(scorer.tables[name]).max(axis=1, initial=0) for name in names], axis=0)
        kept = np.flatnonzero(strength >= threshold)
        vocabulary[kind] = _renumbered(scorer.vocabulary[kind], kept)
        for name in names:
            small = np.abs(scorer.tables[name]) < threshold
            tables[name] = np.where(small, 0.0, tables[name])[kept]
    layout = Tables.of(vocabulary, len(scorer.symbols))
    weights = np.concatenate([tables[name].reshape(-1) for name, _, _ in layout.offsets])
    return replace(scorer, vocabulary=vocabulary, weights=weights)


def _compact_list(
    learned: Reranker | Presence | NoneOfThese, step: float, threshold: float
) -> dict[str, Any]:
    """The vocabulary and weights to keep; the last weight belongs to no feature."""
    kept = np.flatnonzero(np.abs(learned.weights[:-1]) >= threshold)
    weights = np.rint(learned.weights[[*kept, -1]] / step) * step
    return {"vocabulary": _renumbered(learned.vocabulary, kept), "weights": weights}


def _renumbered(vocabulary: Mapping[str, int], kept: Sequence[int] | NDArray[Any]) -> dict[str, int]:
    names = sorted(vocabulary, key=lambda name: vocabulary[name])
    return {names[row]: place for place, row in enumerate(kept)}

"""What a ``tokenizer.json`` may hold, checked before the tokenizers library sees it.

A model file may come from anyone. Left out are the parts with regular expressions of the file's own, which
can take forever on a short text, those that make a text longer, and those that hold compiled tables.

>>> check_tokenizer(b'{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": {"type": "Replace"}}')
Traceback (most recent call last):
...
ValueError: the tokenizer's normalizer is of type 'Replace', which models may not use
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MAX_BYTES = 16 << 20
MAX_VALUES = 1_000_000
MAX_PARTS = 50
MAX_WORD = 1_000  # characters of a word that is cut, which takes time with their square

# fmt: off
TYPES = frozenset((
    "BPE", "BPEDecoder", "BertNormalizer", "BertPreTokenizer", "BertProcessing", "ByteLevel",
    "Digits", "Lowercase", "Metaspace", "NFC", "NFD", "NFKC", "NFKD", "Punctuation",
    "RobertaProcessing", "Sequence", "Strip", "StripAccents", "TemplateProcessing", "Unigram",
    "Whitespace", "WhitespaceSplit", "WordLevel", "WordPiece",
))
# fmt: on
_PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def check_tokenizer(content: bytes) -> int:
    """Raise ``ValueError`` unless a tokenizer is made of parts whose cost is bounded by the text.

    Gives the largest number of a piece in its vocabulary.
    """
    if len(content) > MAX_BYTES or content.count(b",") > MAX_VALUES:
        raise ValueError("the tokenizer is too large for a model")
    try:
        parsed = json.loads(content)
    except RecursionError:
        raise ValueError("the tokenizer is nested too deeply") from None
    match parsed:
        case {"model": {"type": str(kind), "vocab": dict() | list() as pieces} as model}:
            _check_type("model", kind)
            _check_model(model, pieces)
        case _:
            raise ValueError("the tokenizer has no model with a type and a vocabulary")
    for part in _PARTS:
        kinds = list(_types(parsed.get(part)))
        if len(kinds) > MAX_PARTS:
            raise ValueError(f"the tokenizer's {part} has more than {MAX_PARTS} parts")
        for kind in kinds:
            _check_type(part, kind)
    if isinstance(pieces, list):
        return len(pieces) - 1
    return max((number for number in pieces.values() if isinstance(number, int)), default=0)


def _check_model(model: dict[str, Any], pieces: dict[str, Any] | list[Any]) -> None:
    most = model.get("max_input_chars_per_word", 0)
    if not isinstance(most, int) or most > MAX_WORD:
        raise ValueError(f"the tokenizer cuts words of more than {MAX_WORD} characters")
    # Without a piece for it, the first unknown word would be an error.
    unknown = model.get("unk_token")
    if isinstance(unknown, str) and isinstance(pieces, dict) and unknown not in pieces:
        raise ValueError(f"the tokenizer's vocabulary lacks its unknown piece {unknown[:40]!r}")


def _types(value: Any) -> Iterator[Any]:
    """Every type named in a part of a tokenizer, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        if "Regex" in value:
            yield "Regex"
        for inner in value.values():
            yield from _types(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _types(inner)


def _check_type(part: str, kind: str) -> None:
    if kind not in TYPES:
        raise ValueError(f"the tokenizer's {part} is of type {kind[:40]!r}, which models may not use")

"""Which tokenizers a model file may hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from text2math.scorers.encoder import WordPieces

SPLIT = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}


def word_piece(**changes: Any) -> dict[str, Any]:
    plain = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3},
    }
    return plain | changes


def tokenizer(**changes: Any) -> bytes:
    plain = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        "decoder": None,
        "model": word_piece(),
    }
    return json.dumps(plain | changes).encode()


def lower_case(**changes: Any) -> bytes:
    return tokenizer(normalizer={"type": "Lowercase"}, **changes)


def test_a_tokenizer_of_plain_parts_is_let_in() -> None:
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    pieces = WordPieces(lower_case())
    assert pieces("A") == (3,)


ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


@pytest.mark.parametrize(
    "content",
    [
        lower_case(),
        lower_case(model=word_piece(vocab={"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 900, "b": 5})),
        lower_case(added_tokens=[{"id": 4, "content": "[MASK]"} | ADDED]),
    ],
    ids=["plain", "with a gap", "with an added piece"],
)
def test_the_largest_piece_is_that_of_the_tokenizers_own_list(content: bytes) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    listed = tokenizers.Tokenizer.from_buffer(content).get_vocab()
    assert WordPieces(content).largest == max(listed.values())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (tokenizer(pre_tokenizer=SPLIT), "'Split'"),
        (tokenizer(pre_tokenizer={"type": "Sequence", "pretokenizers": [SPLIT]}), "'Split'"),
        (tokenizer(normalizer={"type": "Precompiled", "precompiled_charsmap": ""}), "'Precompiled'"),
        (tokenizer(normalizer={"type": "Prepend", "prepend": "ab " * 1_000_000}), "'Prepend'"),
        (tokenizer(normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}] * 100}), "50 parts"),
        (tokenizer(model=word_piece(max_input_chars_per_word=10**9)), "more than 1000 characters"),
        (tokenizer(model=word_piece(max_input_chars_per_word="x")), "more than 1000 characters"),
        (tokenizer(model=word_piece(vocab={"[CLS]": 1, "[SEP]": 2})), "lacks its unknown piece '\\[UNK\\]'"),
        (tokenizer(model={"type": "New", "vocab": {}}), "'New'"),
        (tokenizer(model={"type": "WordPiece"}), "no model"),
        (b"[" * 100_000, "nested too deeply|Expecting"),
        (b"[" + b"0," * 2_000_000 + b"0]", "too large"),
        (b"{}", "no model"),
        (b"\xff", "utf-8"),
    ],
    ids=[
        "regex",
        "regex inside",
        "compiled table",
        "text that grows",
        "too many parts",
        "words without end",
        "words of no length",
        "no unknown piece",
        "unknown",
        "no vocabulary",
        "deep",
        "long",
        "empty",
        "no JSON",
    ],
)
def test_a_tokenizer_that_could_take_forever_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        WordPieces(content)

"""What every test may ask for."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# A shell starts background jobs with interrupts ignored, and programs inherit that: the tests that interrupt
# one would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no reason to fail: how fast things are is for the benchmarks to say.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; a test that asks for it is skipped where there is none."""
    given = os.environ.get("TEXT2MATH_DATA")
    folder = Path(given) if given else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}: set TEXT2MATH_DATA to their folder to run this test")
    return folder


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face folder with a tiny encoder that knows some letters."""
    torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    folder = tmp_path_factory.mktemp("encoder")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    letters = {f"##{letter}": 4 + place for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz5")}
    words = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, **letters, "t": 31, "h": 32, "5": 33, "?": 34}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("spacy")

import spacy
from spacy.tokens import Doc, DocBin

import text2math.integrations.spacy  # noqa: F401
from fakes import fact_model
from text2math import parser as parser_module
from text2math.parse import Parse
from text2math.parser import load

TEXT = "Mike picked 7 apples and Nancy picked 3 apples. How many apples were picked in all?"


@pytest.fixture(scope="module")
def nlp() -> spacy.Language:
    made = spacy.blank("en")
    made.add_pipe("text2math", config={"top": 3})
    return made


def test_a_document_carries_its_mathematics(nlp: spacy.Language) -> None:
    math = nlp(TEXT)._.math
    assert isinstance(math, Parse)
    assert math.answer == 10
    assert math.to_json() == load().parse(TEXT, top=3).to_json()
    assert nlp("word " * 300)._.math.kind == "none"
    assert nlp.make_doc(TEXT)._.math is None


def test_the_document_is_serialisable(nlp: spacy.Language) -> None:
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.math == doc._.math
    stored = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (kept,) = DocBin(store_user_data=True).from_bytes(stored).get_docs(nlp.vocab)
    assert kept._.math == doc._.math


def test_the_pipeline_is_serialisable(nlp: spacy.Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again(TEXT)._.math == nlp(TEXT)._.math
    copy = spacy.blank("en")
    copy.add_pipe("text2math")
    copy.from_bytes(nlp.to_bytes())
    assert copy(TEXT)._.math.answer == 10


def test_two_processes_give_the_same_as_one(nlp: spacy.Language) -> None:
    texts = [f"{number} + 1" for number in range(6)]
    found = [doc._.math.answer for doc in nlp.pipe(texts, n_process=2, batch_size=2)]
    assert found == [number + 1 for number in range(6)]


def test_a_pipeline_takes_facts_or_does_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parser_module.model_files, "load", lambda path: fact_model())
    facts = tmp_path / "facts.json"
    facts.write_text('{"facts": [{"fact": "a crate holds 24", "value": 24, "words": ["crate"]}]}')
    found = {}
    for knowledge in (True, False, str(facts)):
        made = spacy.blank("en")
        made.add_pipe("text2math", config={"knowledge": knowledge})
        texts = ("Al jogs 3 miles a day. How many in a week?", "How many bottles are in 3 crates?")
        found[knowledge] = [made(text)._.math.answer for text in texts]
    assert found[True][0] == found[str(facts)][0] == 21
    assert found[str(facts)][1] == 72
    assert found[False] == [None, None]

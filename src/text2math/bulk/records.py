"""What a text becomes in an output: a record of plain values, the same in JSON, CSV, Parquet and Arrow.

A record has the fields of ``FIELDS`` that apply to it; docs/bulk.md describes each.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from text2math.language.knowledge import Knowledge
from text2math.mathematics.expression import Expression
from text2math.mathematics.notation import to_infix
from text2math.parse import Parse, plain_float, plain_number
from text2math.parser import Parser, load, model_names, packaged

FIELDS = (
    "kind",
    "expression",
    "equation",
    "answer",
    "answer_float",
    "answer_text",
    "probability",
    "unknowns",
    "alternatives",
    "warnings",
    "doubts",
    "reason",
    "error",
)
PREFIX = "input_"


def kept_name(name: str) -> str:
    """The name of an input column in the output: its own unless one of our fields has that name.

    >>> kept_name("topic"), kept_name("answer")
    ('topic', 'input_answer')
    """
    return f"{PREFIX}{name}" if name == "id" or name in FIELDS else name


@dataclass(frozen=True, slots=True)
class Settings:
    """How to parse: the model and its facts, the number of readings, and how probable an answer must be."""

    model: str
    top: int = 1
    min_probability: float | None = None
    strict: bool = False
    knowledge: bool | Knowledge = True

    def parser(self) -> Parser:
        """The parser to use, loaded once in a process."""
        return _loaded(self.model, self.knowledge)

    def record(self, parser: Parser, text: str) -> dict[str, Any]:
        """The record of a text; whatever goes wrong with it becomes its ``error``.

        >>> from text2math.parser import load
        >>> Settings("small").record(load("small"), "x + 5 = 12")["equation"]
        'X1 + 5 = 12'
        """
        try:
            parse = parser.parse(text, top=self.top, min_probability=self.min_probability, strict=self.strict)
        except ValueError as error:
            return {"error": str(error)}
        except Exception as error:  # one text must not end a run of a million
            return {"error": f"unexpected {type(error).__name__}: {error}"}
        return record_of(parse)

    def records(self, parser: Parser, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The records of a few texts, somewhat faster than one by one.

        >>> from text2math.parser import load
        >>> [found["answer"] for found in Settings("small").records(load("small"), ["1 + 1", "2 + 2"])]
        [2, 4]
        """
        try:
            found = parser.parse_all(
                texts, top=self.top, min_probability=self.min_probability, strict=self.strict
            )
        except Exception:  # of one of them, which must not be that of the others
            return [self.record(parser, text) for text in texts]
        return [record_of(one) if isinstance(one, Parse) else {"error": str(one)} for one in found]


def record_of(parse: Parse) -> dict[str, Any]:
    """A parse as a record.

    >>> record_of(Parse.nothing("Hello", "there is no number in the text"))["reason"]
    'there is no number in the text'
    """
    return {
        "kind": parse.kind,
        "expression": _infix(parse.expression),
        "equation": _infix(parse.equation),
        "answer": plain_number(parse.answer),
        "answer_float": parse.answer_float,
        "answer_text": parse.answer_text,
        "probability": _rounded(parse.probability),
        "unknowns": _unknowns(parse),
        "alternatives": [
            {
                "mathematics": to_infix(other.mathematics),
                "answer": plain_number(other.answer),
                "answer_float": plain_float(other.answer),
                "probability": _rounded(other.probability),
            }
            for other in parse.alternatives
        ],
        "warnings": list(parse.warnings),
        "doubts": [{"code": doubt.code, "message": doubt.message} for doubt in parse.doubts],
        "reason": _reason(parse),
        "error": None,
    }


def _infix(mathematics: Expression | None) -> str | None:
    return None if mathematics is None else to_infix(mathematics)


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 4)


def _unknowns(parse: Parse) -> list[dict[str, Any]]:
    """The unknowns in order, each with its words in the text and its value, as far as they are known."""
    values: Mapping[str, Any] = parse.solution or {}
    return [
        {
            "name": name,
            "phrase": parse.variables[name].text if name in parse.variables else None,
            "value": plain_number(values.get(name)),
        }
        for name in sorted({*values, *parse.variables})
    ]


def _reason(parse: Parse) -> str | None:
    """Why there is no answer, if there is none."""
    if parse.answer is not None:
        return None
    return "; ".join(parse.warnings) or "the equation does not determine a single answer"


# Models by name -------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _loaded(model: str, knowledge: bool | Knowledge) -> Parser:
    return load(model, knowledge=knowledge)


@lru_cache(maxsize=8)
def fingerprint(model: str) -> str:
    """A checksum of a model's file or folder: the same name may stand for another model elsewhere."""
    path = packaged(model) if model in model_names() else Path(model)
    digest = sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            digest.update(os.fsencode(file.relative_to(path)) + b"\0" + _content_digest(file))
    return digest.hexdigest()


def _content_digest(path: Path) -> bytes:
    digest = sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.digest()

"""Arrow in, Arrow out: a class that Dask, Ray, Spark, Daft and Hugging Face datasets can map over a table.

>>> import pyarrow
>>> batch = pyarrow.record_batch({"question": ["What is 2 + 3?", "Good morning!"]})
>>> ArrowParser("small", text="question")(batch).select(["answer", "reason"]).to_pylist()
[{'answer': '5', 'reason': None}, {'answer': None, 'reason': 'there is no number in the text'}]
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from text2math.bulk.records import FIELDS, Settings, kept_name
from text2math.language.knowledge import Knowledge
from text2math.parallel import CHUNK, batches
from text2math.parser import DEFAULT_MODEL


@cache
def result_types() -> dict[str, Any]:
    """The Arrow type of each of our fields."""
    import pyarrow as pa

    text, number = pa.string(), pa.float64()
    answer = [("answer", text), ("answer_float", number), ("probability", number)]
    own = {
        "answer_float": number,
        "probability": number,
        "unknowns": pa.list_(pa.struct([("name", text), ("phrase", text), ("value", text)])),
        "alternatives": pa.list_(pa.struct([("mathematics", text), *answer])),
        "warnings": pa.list_(text),
        "doubts": pa.list_(pa.struct([("code", text), ("message", text)])),
    }
    return {name: own.get(name, text) for name in FIELDS}


def arrow_schema(columns: Mapping[str, Any]) -> Any:
    """The schema of an output: some columns of the input (a type that is None is text), then our fields."""
    import pyarrow as pa

    before = [(name, pa.string() if type is None else type) for name, type in columns.items()]
    return pa.schema(before + list(result_types().items()))


def column_of(values: Sequence[Any], type: Any) -> Any:
    """Values as an Arrow array; in a text column, other values are written as JSON."""
    import pyarrow as pa

    return pa.array([_typed(value, type) for value in values], type)


def _typed(value: Any, type: Any) -> Any:
    import pyarrow.types as types

    if value is None:
        return None
    if types.is_string(type) or types.is_large_string(type):
        return _text(value)
    if types.is_list(type) and isinstance(value, list):
        return [_typed(each, type.value_type) for each in value]
    if types.is_struct(type) and isinstance(value, dict):
        return {field.name: _typed(value.get(field.name), field.type) for field in type}
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode(
            "utf-8", "backslashreplace"
        ).decode()  # half of a surrogate pair is not valid text
    if isinstance(value, list | dict | bool):
        return json.dumps(value, default=str)
    return str(value)


@dataclass(frozen=True)  # without slots: Ray derives a class of its own that sets more attributes
class ArrowParser:
    """Parses a column of texts: a record batch or table in, the same with our columns added out.

    It holds the model's name or path only, so it can be sent anywhere; each process loads the model once.
    A column of the input that has the name of one of ours goes out with ``input_`` before it.
    """

    model: str = DEFAULT_MODEL
    text: str = "text"
    top: int = 1
    min_probability: float | None = None
    strict: bool = False
    knowledge: bool | Knowledge = True

    def __call__(self, table: Any) -> Any:
        """The input with our columns. A missing or unreadable text gets an ``error``."""
        types, schema = result_types(), self.schema(table.schema)
        settings = Settings(self.model, self.top, self.min_probability, self.strict, self.knowledge)
        parser = settings.parser()
        texts = table.column(self.text).to_pylist()
        records: list[dict[str, Any]] = []
        for some in batches(texts, CHUNK):
            found = iter(settings.records(parser, [text for text in some if isinstance(text, str)]))
            records += [
                next(found) if isinstance(text, str) else {"error": "there is no text"} for text in some
            ]
        ours = [column_of([record.get(name) for record in records], type) for name, type in types.items()]
        return type(table).from_arrays([*table.columns, *ours], schema=schema)

    def schema(self, given: Any) -> Any:
        """The schema of the output for the schema of an input."""
        import pyarrow as pa

        self.require_text(given.names)
        kept = [field.with_name(output_name(field.name)) for field in given]
        return pa.schema([*kept, *result_types().items()])

    def require_text(self, names: Sequence[str]) -> None:
        """Raise ``ValueError`` if there is no column of texts."""
        if self.text not in names:
            raise ValueError(f'there is no column "{self.text}"; the columns are: {", ".join(names)}')


def output_name(name: str) -> str:
    """The name of a column of the input in the output: its own unless it is one of ours."""
    return name if name == "id" else kept_name(name)

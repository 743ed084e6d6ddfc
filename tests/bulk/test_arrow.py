from __future__ import annotations

import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fakes import fact_model
from text2math import parser as parser_module
from text2math.bulk import ArrowParser, records
from text2math.bulk.arrow import result_types
from text2math.bulk.records import FIELDS, record_of
from text2math.language.knowledge import Knowledge
from text2math.parser import load

pyarrow = pytest.importorskip("pyarrow")

TEXTS = [
    "Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?",
    "Good morning!",
    "What is 1 / 3?",
    None,
    "3 times a number is 12.",
    "w " * 400,
]


def test_a_batch_goes_in_and_a_batch_with_our_columns_comes_out() -> None:
    batch = pyarrow.record_batch({"id": range(6), "question": TEXTS, "answer": ["gold"] * 6})
    parser = ArrowParser("small", text="question")
    found = parser(batch)
    assert isinstance(found, pyarrow.RecordBatch)
    assert found.schema == parser.schema(batch.schema)
    assert found.schema.names == ["id", "question", "input_answer", *FIELDS]
    assert found["answer"].to_pylist()[:3] == ["10", None, "1/3"]
    assert found["answer_float"].to_pylist()[:3] == [10.0, None, 1 / 3]
    assert found["error"].to_pylist()[3] == "there is no text"
    assert "400 words" in found["error"].to_pylist()[5]
    assert found["reason"].to_pylist()[1] == "there is no number in the text"
    found.validate(full=True)


def test_a_table_and_an_empty_batch_give_the_same_schema() -> None:
    table = pyarrow.table({"text": pyarrow.chunked_array([["1 + 1"], ["2 + 2", "3 + 3"]])})
    parser = ArrowParser("small")
    found = parser(table)
    assert isinstance(found, pyarrow.Table)
    assert found["answer"].to_pylist() == ["2", "4", "6"]
    assert parser(table.slice(0, 0)).schema == found.schema


def test_every_field_has_a_type_and_a_line_in_the_documentation() -> None:
    assert tuple(result_types()) == FIELDS
    page = (Path(__file__).parents[2] / "docs" / "bulk.md").read_text(encoding="utf-8")
    for name, type in result_types().items():
        assert f"| `{name}` | `{type}` |" in page


def test_a_column_that_is_not_there_is_named_with_those_that_are() -> None:
    batch = pyarrow.record_batch({"question": ["1 + 1"]})
    with pytest.raises(ValueError, match='there is no column "text"; the columns are: question'):
        ArrowParser("small")(batch)


def test_it_travels_by_the_name_of_its_model() -> None:
    parser = ArrowParser("small", text="question", top=3)
    parser(pyarrow.record_batch({"question": ["1 + 1"]}))
    sent = pickle.dumps(parser)
    assert len(sent) < 500
    assert pickle.loads(sent) == parser


def test_an_engine_may_derive_from_it_and_set_attributes_of_its_own() -> None:
    class Actor(ArrowParser):
        def __init__(self) -> None:
            super().__init__("small")
            self.pool = "of threads"

    assert Actor().pool == "of threads"
    assert Actor()(pyarrow.table({"text": ["1 + 1"]}))["answer"].to_pylist() == ["2"]


def test_the_columns_are_those_of_the_single_parse() -> None:
    texts = [text for text in TEXTS[:5] if text]
    found = ArrowParser("small", top=3)(pyarrow.table({"text": texts})).to_pylist()
    for text, row in zip(texts, found, strict=True):
        wanted = record_of(load("small").parse(text, top=3))
        assert row["expression"] == wanted["expression"]
        assert row["probability"] == wanted["probability"]
        assert [other["mathematics"] for other in row["alternatives"]] == [
            other["mathematics"] for other in wanted["alternatives"]
        ]


RECIPES = {
    "ray": """
import pyarrow, ray
ray.init(num_cpus=1, include_dashboard=False)
from text2math.bulk import ArrowParser
data = ray.data.from_arrow(pyarrow.table({"text": ["1 + 1"]}))
print(data.map_batches(ArrowParser, batch_format="pyarrow", concurrency=1,
                       fn_constructor_kwargs={"model": "small"}).take_all()[0]["answer"])
""",
    "pyspark": """
from pyspark.sql import SparkSession
from text2math.bulk import ArrowParser
import pyarrow
spark = SparkSession.builder.master("local[1]").getOrCreate()
parser = ArrowParser("small")
schema = "text string, answer string"
rows = spark.createDataFrame([("1 + 1",)], "text string").mapInArrow(
    lambda batches: (parser(batch).select(["text", "answer"]) for batch in batches), schema)
print(rows.collect()[0]["answer"])
""",
    "daft": """
import daft
from text2math.bulk import ArrowParser
frame = daft.from_pydict({"text": ["1 + 1"]})
found = daft.from_arrow(ArrowParser("small")(frame.to_arrow()))
print(found.to_pydict()["answer"][0])
""",
    "datasets": """
from datasets import Dataset
from text2math.bulk import ArrowParser
data = Dataset.from_dict({"text": ["1 + 1"]}).with_format("arrow")
print(data.map(ArrowParser("small"), batched=True).with_format(None)[0]["answer"])
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", RECIPES)
def test_the_recipe_of_an_engine_runs(engine: str, tmp_path: Path) -> None:
    if find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", RECIPES[engine]], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.splitlines()[-1:] == ["2"], done.stderr


def test_facts_go_with_the_class_to_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_module.model_files, "load", lambda path: fact_model())
    records._loaded.cache_clear()
    own = Knowledge.from_json({"facts": [{"fact": "a crate holds 24", "value": 24, "words": ["crate"]}]})
    batch = pyarrow.record_batch({"text": ["How many bottles are in 3 crates?"]})
    for knowledge, answer in ((own, "72"), (False, None)):
        sent = pickle.loads(pickle.dumps(ArrowParser("small", knowledge=knowledge)))
        assert sent(batch)["answer"].to_pylist() == [answer]
    records._loaded.cache_clear()

"""The problems that the paper prints: what the packaged models make of them."""

from __future__ import annotations

from functools import cache

import pytest

from text2math.evaluation.error_analysis import PAPER_EXAMPLES, PaperExample
from text2math.evaluation.metrics import is_correct
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix
from text2math.parser import Parser, load

packaged = cache(load)


def _meant(example: PaperExample) -> str:
    """What the text says: of example 3, as the paper itself notes, the annotation is wrong ("lower")."""
    return example.paper if example.name == "example 3" else example.gold


# "530 pesos can buy 4 kilograms of fish and 2 kilograms of pork": `small` takes the 2 for an amount of money.
MISREAD = {("small", "example 6")}


@pytest.mark.parametrize("example", PAPER_EXAMPLES, ids=lambda example: example.name)
@pytest.mark.parametrize("name", ["default", "small"])
def test_packaged_models_read_the_examples_of_the_papers_analysis_but_for_one_of_small(
    name: str, example: PaperExample
) -> None:
    parser: Parser = packaged(name)
    gold = Example(read_problem(example.text), from_infix(_meant(example)))
    right = is_correct(parser.parse(example.text).mathematics, gold)
    assert right == ((name, example.name) not in MISREAD)


def test_the_papers_own_mistakes_count_as_mistakes() -> None:
    for example in PAPER_EXAMPLES:
        gold = Example(read_problem(example.text), from_infix(_meant(example)))
        expected = example.name in ("comparison 1", "comparison 2", "example 3")
        assert is_correct(from_infix(example.paper), gold) == expected, example.name

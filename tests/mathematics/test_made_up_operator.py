"""One entry in the grammar's table makes an operator: it is read, printed, evaluated, drawn and charted.

The table is compiled into the chart, so the package is copied with one more entry and runs by itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import text2math

pytestmark = pytest.mark.slow

ENTRIES = r"""
    APART = Entry(
        infix="@",
        unicode="⊖",
        latex=r"\ominus",
        words="apart from",
        precedence=3,
        evaluate=lambda left, right: abs(left - right),
    )
    MEAN = Entry(
        infix=Brackets("mean(", ")"),
        words="the mean with",
        commutative=True,
        evaluate=lambda left, right: (left + right) / 2,
    )
"""

SCRIPT = r"""
import json
import text2math
from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest
from text2math.inference.potentials import Potentials, Symbol
from text2math.mathematics.algebra import equivalent, evaluate
from text2math.mathematics.notation import *
from text2math.mathematics.notation import from_latex, from_mathml, from_prefix, from_sympy, to_sympy
from text2math.mathematics.regrouping import equivalent_trees
from text2math.render import svg, terminal
from text2math.render.brackets import read_brackets
from text2math.server.assets import load_assets

tree = from_infix("2 * mean(9 @ 12, 5) + 1")
problem, drawn = read_brackets("[@ [7 7 apples] apart from [3 3 pears]]")
values = [quantity.value for quantity in problem.quantities]
charted = TextMathCRF(Forest.full({Symbol.APART, Symbol.CON}), Potentials.zeros(6, [0, 4]))
given = TextMathCRF(Forest.of(from_infix("7[0] @ 3[1]")), Potentials.zeros(6, [0, 4]))
print(json.dumps({
    "where": text2math.__file__,
    "infix": to_infix(tree),
    "unicode": to_infix(tree, unicode=True),
    "latex": to_latex(tree),
    "prefix": to_prefix(tree),
    "mathml": to_mathml(tree),
    "read back": [
        from_infix(to_infix(tree)) == tree,
        from_infix(to_infix(tree, unicode=True)) == tree,
        from_latex(to_latex(tree)) == tree,
        from_prefix(to_prefix(tree)) == tree,
        from_mathml(to_mathml(tree)) == tree,
        from_sympy(to_sympy(tree)) == tree,
    ],
    "value": str(evaluate(tree)),
    "equivalent": [equivalent(tree, tree), equivalent(tree, from_infix("2 * mean(9 + 12, 5) + 1"))],
    "trees": [to_infix(one) for one in equivalent_trees(from_infix("1 @ 2 + 3"))],
    "terminal": terminal(problem.text, problem.tokens, drawn, values),
    "svg": svg(problem.text, problem.tokens, drawn, values),
    "best": to_infix(charted.best.tree.expression(values)),
    "trees counted": [charted.tree_count, given.tree_count],
    "page": next(asset.content.decode() for asset in load_assets() if "operators" in asset.path),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    here = Path(text2math.__file__).parent
    copy = tmp_path_factory.mktemp("made_up") / "text2math"
    shutil.copytree(here, copy, ignore=shutil.ignore_patterns("__pycache__", "*.t2m"))
    table = copy / "mathematics" / "grammar.py"
    before, mark, after = table.read_text().partition("\n    _value_: str\n")
    table.write_text(before + ENTRIES + mark + after)
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["where"].startswith(str(copy))
    return told


def test_it_is_printed_and_read_back_in_every_notation(found: dict) -> None:
    assert found["infix"] == "2 * mean(9 @ 12, 5) + 1"
    assert found["unicode"] == "2 × mean(9 ⊖ 12, 5) + 1"
    assert found["latex"] == r"2 \times mean(9 \ominus 12, 5) + 1"
    assert found["prefix"] == "+ * 2 mean @ 9 12 5 1"
    assert "<mi>mean</mi><mo>(</mo><mn>9</mn><mo>⊖</mo><mn>12</mn><mo>,</mo>" in found["mathml"]
    assert all(found["read back"])


def test_it_has_a_value_and_is_taken_for_no_other_operator(found: dict) -> None:
    assert found["value"] == "9"
    assert found["equivalent"] == [True, False]
    assert sorted(found["trees"]) == ["1 @ 2 + 3", "3 + (1 @ 2)"]


def test_it_is_drawn(found: dict) -> None:
    assert "7 ⊖ 3 = 4" in found["terminal"]
    assert "⊖" in found["svg"]
    assert '"APART": {"infix": "@", "sign": "⊖", "words": "apart from"}' in found["page"]


def test_it_is_read_in_a_chart(found: dict) -> None:
    assert found["best"] in ("7 @ 3", "3 @ 7")
    everything, only = found["trees counted"]
    assert everything == 2 * only > 0

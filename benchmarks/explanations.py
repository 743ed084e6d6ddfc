"""How often "because of" names words that the tree gives to the operator: ``benchmarks/explanations.py``.

Of the exam's problems that a model answers, it counts the operators of their trees, those for which the
explanation names words, and those of them whose first named word the shown tree gives to the operator.
"""

from __future__ import annotations

import argparse
import json

from text2math.data.corpus import load_exam
from text2math.explanation.explain import explain
from text2math.parser import load


def main() -> None:
    """Count, and print the counts as JSON."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", default="default")
    arguments.add_argument("--every", type=int, default=1, help="take only each k-th problem")
    given = arguments.parse_args()
    parser = load(given.model)
    operators = named = agree = 0
    for example in load_exam().examples[:: given.every]:
        try:
            explanation = explain(parser, example.problem.text, removals=0)
        except ValueError:  # there is nothing to explain
            continue
        tree = explanation.parse.tree
        assert tree is not None
        for reason, node in zip(explanation.reasons, tree.nodes(), strict=True):
            if node.children:
                operators += 1
                named += bool(reason.because)
                agree += bool(reason.because) and set(reason.because[0].words) <= set(node.words)
    print(json.dumps({"model": given.model, "operators": operators, "named": named, "agree": agree}))


if __name__ == "__main__":
    main()

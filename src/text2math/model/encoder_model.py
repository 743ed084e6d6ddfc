"""The model that carries an exported network, behind the interface of the discrete model.

Nothing here needs torch; onnxruntime and tokenizers run the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from text2math.inference.crf import ScoredExpression
from text2math.inference.forest import EQUATIONS, Forest, whole_grammar
from text2math.inference.potentials import FIRST_GRAMMAR, Potentials, Symbol, symbols_named
from text2math.inference.tree import TextMathTree
from text2math.language.problem import Problem
from text2math.learning.optimise import Trained
from text2math.mathematics.expression import numbers
from text2math.model.checks import MAX_CANDIDATES, between, check_weights, filled
from text2math.model.model import Model, ModelConfig
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.scorers.encoder import Columns, EncoderScorer, OnnxNetwork, WordPieces

KIND = "encoder"
ROOTS = (Symbol.EQU, Symbol.ADD, Symbol.SUB, Symbol.MUL, Symbol.DIV)

# A text's words are the network's business; the reranker only looks at what the network can't see.
RERANKER = RerankerConfig(templates=("answer", "numbers-used", "unit-roles", "shape"), l2=3.0)


@dataclass(frozen=True, eq=False)
class EncoderModel(Model):
    """A trained network with its reranker; candidates come as from the discrete model."""

    scorer: EncoderScorer  # type: ignore[assignment]  # fills the same potentials
    onnx: bytes = b""
    tokenizer: bytes = b""

    @property
    def forest(self) -> Forest:
        """Every expression without unknowns, and every equation and system, over the symbols it knows."""
        return whole_grammar(self.scorer.symbols)

    def expressions(self, problem: Problem, potentials: Potentials) -> list[ScoredExpression]:
        """The k best expressions under given potentials, sums and products in the order of the text.

        Whoever annotated an example chose some order; readers expect that of the text.
        """
        values = [quantity.value for quantity in problem.quantities]
        found = []
        for scored in super().expressions(problem, potentials):
            tree = in_text_order(scored.tree)
            expression = tree.expression(values)
            if any(True for _ in numbers(expression)):  # "X1 = X2" says nothing
                found.append(replace(scored, expression=expression, tree=tree))
        return found

    @classmethod
    def of(
        cls,
        onnx: bytes,
        tokenizer: bytes,
        *,
        plausibility: Reranker | None = None,
        candidates: int = 16,
        mask_numbers: bool = True,
        columns: Columns | None = None,
        threads: int = 1,
    ) -> EncoderModel:
        """The model around an exported network and the ``tokenizer.json`` that belongs to it.

        ``columns`` says what the network's outputs are about, where it was made under another grammar.
        """
        network = OnnxNetwork(onnx, threads)
        scorer = EncoderScorer(network, WordPieces(tokenizer), mask_numbers)
        scorer = scorer if columns is None else replace(scorer, columns=columns)
        for found, expected in zip(network.widths, scorer.columns.widths, strict=True):
            if found is not None and found != expected:
                raise ValueError(f"the network gives {found} numbers where its symbols need {expected}")
        model = replace(cls.around(scorer, candidates), onnx=onnx, tokenizer=tokenizer)
        return model.reranked(plausibility)

    @classmethod
    def around(cls, scorer: EncoderScorer, candidates: int = 16) -> EncoderModel:
        """The model around a scorer, such as one in training, without a reranker."""
        config = ModelConfig(plausibility=None, candidates=candidates)
        return cls(config, scorer, ROOTS, None, Trained(np.empty(0), float("nan"), 0, 0.0))

    def reranked(self, plausibility: Reranker | None) -> EncoderModel:
        """The same with another reranker."""
        config = replace(self.config, plausibility=plausibility.config if plausibility is not None else None)
        return replace(self, plausibility=plausibility, config=config)


def in_text_order(tree: TextMathTree) -> TextMathTree:
    """The same tree with the operands of every +, × and = as they stand in the text."""
    children = tuple(map(in_text_order, tree.children))
    operator, pattern = tree.symbol.operator, tree.pattern
    if operator is None or pattern is None or not pattern.swapped or not operator.commutative:
        return replace(tree, children=children)
    if not all(operator.may_take(1 - side, child.symbol.operator) for side, child in enumerate(children)):
        return replace(tree, children=children)  # a system of three equations groups from the left
    return replace(tree, children=children[::-1], pattern=replace(pattern, swapped=False))


def describe(model: EncoderModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What a model file holds of the model beside its name and card: metadata and arrays."""
    reranker = model.plausibility
    metadata = {
        "kind": KIND,
        "candidates": model.config.candidates,
        "mask_numbers": model.scorer.mask_numbers,
        "symbols": [symbol.name for symbol in model.scorer.symbols],
        "outputs": [symbol.name for symbol in model.scorer.columns.outputs],
        "bytes": {"onnx": len(model.onnx), "tokenizer": len(model.tokenizer)},
        "plausibility": None
        if reranker is None
        else {
            "templates": list(reranker.config.templates),
            "scales": [list(pair) for pair in reranker.config.scales],
            "l2": reranker.config.l2,
            "vocabulary": sorted(reranker.vocabulary, key=lambda name: reranker.vocabulary[name]),
        },
    }
    arrays: dict[str, NDArray[Any]] = {
        "encoder.onnx": _as_numbers(model.onnx),
        "encoder.tokenizer": _as_numbers(model.tokenizer),
    }
    if reranker is not None:
        arrays["plausibility.weights"] = reranker.weights
    return metadata, arrays


def restore(metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> EncoderModel:
    """The model that ``describe`` wrote down."""
    sizes, plain = metadata["bytes"], metadata["plausibility"]
    reranker = None
    if plain is not None:
        config = filled(RerankerConfig, {name: plain[name] for name in ("templates", "scales", "l2")})
        vocabulary = {str(name): row for row, name in enumerate(plain["vocabulary"])}
        weights = check_weights(arrays["plausibility.weights"])
        if len(weights) != len(vocabulary) + 1:
            raise ValueError("the reranker's weights do not fit its features")
        reranker = Reranker(config, vocabulary, weights)
    return EncoderModel.of(
        _as_bytes(arrays["encoder.onnx"], int(sizes["onnx"])),
        _as_bytes(arrays["encoder.tokenizer"], int(sizes["tokenizer"])),
        plausibility=reranker,
        candidates=int(between(metadata["candidates"], 1, MAX_CANDIDATES, "candidates")),
        mask_numbers=bool(metadata["mask_numbers"]),
        columns=_columns(metadata),
    )


def _columns(metadata: Mapping[str, Any]) -> Columns:
    """What the network's outputs are about; files without names have the symbols of the first grammar."""
    outputs = symbols_named(metadata.get("outputs", FIRST_GRAMMAR))
    known = symbols_named(metadata["symbols"]) if "symbols" in metadata else tuple(sorted(EQUATIONS))
    if len(set(outputs)) != len(outputs) or not set(known) <= set(outputs):
        raise ValueError("the network's symbols do not fit its outputs")
    return Columns(outputs, known)


def _as_numbers(content: bytes) -> NDArray[np.int32]:
    """Bytes as whole numbers of 32 bits, which is what model files hold."""
    padded = content + b"\0" * (-len(content) % 4)
    return np.frombuffer(padded, dtype="<i4").astype(np.int32)


def _as_bytes(numbers: NDArray[Any], size: int) -> bytes:
    content = numbers.astype("<i4").tobytes()
    if not len(content) - 4 < size <= len(content):
        raise ValueError("an array does not hold what it promises")
    return content[:size]

"""The model around a contextual network.

Nothing here needs torch; onnxruntime and tokenizers run an exported network.
"""

from __future__ import annotations

from dataclasses import replace

from text2math.inference.forest import Grammar
from text2math.model.config import ModelConfig
from text2math.model.model import Model
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.scorers.encoder import Columns, EncoderScorer, OnnxNetwork, WordPieces
from text2math.scorers.scorer import Scorer

# The network sees the words of a text; the reranker only has features that the network can't see.
RERANKER = RerankerConfig(
    templates=("answer", "numbers-used", "unit-roles", "shape", "implied", "relations"), l2=3.0
)
CANDIDATES = 16
# Of 2,962 texts (exam and held-out sheets), none is read differently if expressions this far below the best
# are not ranked, and what comes after the network takes two thirds of the time (benchmarks/margin.py).
MARGIN = 10.0
AT_LEAST = 6  # are ranked however low they score: what else a text could mean is shown to users


def encoder_model(
    scorer: Scorer,
    reranker: Reranker | None = None,
    *,
    grammar: Grammar | None = None,
    candidates: int = CANDIDATES,
) -> Model:
    """The model around a scorer that has learned all tasks, such as a network in training.

    Operands are put in text order, which readers expect; annotators choose any order. Without a ``grammar``,
    it is that of the scorer's symbols.
    """
    rerank = RERANKER if reranker is None else reranker.config
    config = ModelConfig(reranker=rerank, candidates=candidates, margin=MARGIN, at_least=AT_LEAST)
    grammar = grammar or Grammar(frozenset(scorer.symbols))
    return Model(scorer, grammar.full, config, reranker, text_order=True, knowledge=grammar.knowledge)


def exported_scorer(
    onnx: bytes, tokenizer: bytes, *, mask_numbers: bool = True, columns: Columns | None = None
) -> EncoderScorer:
    """The scorer of an exported network and the ``tokenizer.json`` that belongs to it.

    ``columns`` says what the network's outputs mean, if it was trained under another grammar.
    """
    network = OnnxNetwork(onnx)
    pieces = WordPieces(tokenizer)
    network.check_piece(pieces.largest)
    scorer = EncoderScorer(network, pieces, mask_numbers)
    scorer = scorer if columns is None else replace(scorer, columns=columns)
    given = (*network.widths, network.relations)
    for found, expected in zip(given, (*scorer.columns.widths, len(scorer.columns.relations)), strict=True):
        if found is not None and found != expected:
            raise ValueError(f"the network has {found} outputs, but its symbols need {expected}")
    return scorer

"""The paper's window network in torch: embeddings, one hidden layer, a score for each symbol."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import embedding_bag

from text2math.inference.potentials import SYMBOL_COUNT, FloatArray
from text2math.scorers.window import WindowConfig, WindowScorer


class WindowNetwork(nn.Module):
    """The network as torch initialises it."""

    def __init__(self, words: int, config: WindowConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(words, config.embedding)
        self.hidden = nn.Linear((2 * config.reach + 1) * config.embedding, config.hidden)
        self.output = nn.Linear(config.hidden, SYMBOL_COUNT, bias=False)
        self.activation = torch.tanh if config.activation == "tanh" else torch.relu

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Scores [words, symbols] of windows [words, 2L + 1].

        The hidden layer is a sum over the positions in a window, and texts repeat their words. So each word
        of the vocabulary is multiplied once for each position, [vocabulary, positions, hidden], then looked
        up.
        """
        places = rows.shape[1]
        weight = self.hidden.weight.view(self.config.hidden, places, self.config.embedding)
        known = torch.einsum("ve,hpe->vph", self.embedding.weight, weight)
        looked_up = rows * places + torch.arange(places, device=rows.device)
        total = embedding_bag(looked_up, known.reshape(-1, self.config.hidden), mode="sum")
        result: torch.Tensor = self.output(self.activation(total + self.hidden.bias))
        return result

    def exported(self, vocabulary: dict[str, int]) -> WindowScorer:
        """The network as numpy arrays."""
        return WindowScorer(
            self.config,
            vocabulary,
            _array(self.embedding.weight),
            _array(self.hidden.weight).T.copy(),
            _array(self.hidden.bias),
            _array(self.output.weight).T.copy(),
        )


def _array(parameter: torch.Tensor) -> FloatArray:
    result: FloatArray = parameter.detach().cpu().numpy().astype("float64")
    return result

"""The network of the contextual scorer, in torch: an encoder and linear heads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from text2math.mathematics.relations import RELATIONS
from text2math.scorers.encoder import (
    ASKED_OUTPUTS,
    FEATURE_COUNT,
    FIXED_OUTPUTS,
    QUANTITY_FEATURES,
    STEP_OUTPUTS,
    Inputs,
    Outputs,
    pad,
)


class EncoderNetwork(nn.Module):
    """An encoder whose states give the potentials of a problem.

    A step at a boundary is scored by the states of the words on both sides of it (the text's end pieces
    at its ends); patterns, parent-child and root by the mean states of the text and of its question; the
    use of a quantity by the states of its word and of the word it refers to, what is known about it, and
    those means; whether the text is beyond the grammar, and what it asks of a system, by those means; the
    relation of two numbers by the states of both and the mean of the question. Heads start at zero, which is
    the uniform distribution over trees.
    """

    def __init__(self, encoder: nn.Module, dropout: float = 0.2, hidden: int = 128) -> None:
        super().__init__()
        self.encoder = encoder
        self.sixteen_bits = False  # whether the encoder's products are of numbers with 16 bits (bfloat16)
        config: Any = encoder.config
        size = int(config.hidden_size)
        self.facts = nn.Linear(FEATURE_COUNT, size, bias=False)
        self.before = nn.Linear(size, STEP_OUTPUTS)
        self.after = nn.Linear(size, STEP_OUTPUTS, bias=False)
        self.whole = nn.Linear(2 * size, FIXED_OUTPUTS)
        self.use = nn.Linear(4 * size, hidden)
        self.quantity = nn.Linear(len(QUANTITY_FEATURES), hidden, bias=False)
        self.used = nn.Linear(hidden, 1)
        self.beyond = nn.Linear(2 * size, 1)
        self.asked = nn.Linear(2 * size, ASKED_OUTPUTS)
        # Of a number as the first and the second of two, what is added and what is multiplied.
        self.related = nn.Linear(size + len(QUANTITY_FEATURES), 4 * hidden)
        self.question = nn.Linear(size, hidden, bias=False)
        self.relation = nn.Linear(hidden, len(RELATIONS))
        self.dropout = nn.Dropout(dropout)
        zeros = (
            self.facts,
            self.before,
            self.after,
            self.whole,
            self.used,
            self.beyond,
            self.asked,
            self.relation,
        )
        for layer in zeros:
            nn.init.zeros_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    @classmethod
    def from_folder(cls, folder: str | Path, dropout: float = 0.2) -> EncoderNetwork:
        """With the encoder of a Hugging Face folder; nothing is downloaded."""
        from transformers import AutoModel
        from transformers.utils import logging

        logging.set_verbosity_error()  # no warnings about the parts that are not used
        logging.disable_progress_bar()
        # Plain attention is exported best, and is as fast as any other for texts this short.
        encoder = AutoModel.from_pretrained(str(folder), local_files_only=True, attn_implementation="eager")
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None  # unused
        return cls(encoder.float(), dropout)

    def forward(
        self,
        ids: torch.Tensor,
        mask: torch.Tensor,
        features: torch.Tensor,
        bounds: torch.Tensor,
        pool: torch.Tensor,
        anchors: torch.Tensor,
        referents: torch.Tensor,
        quantities: torch.Tensor,
        symbols: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, ...]:
        """Step [P, n + 1, …], fixed [P, …], number [P, K], beyond [P], asked [P, …], relations [P, K, K, …].

        With ``symbols``, only those have outputs for steps, on which a small network spends most of its time.
        """
        encoder: Any = self.encoder
        embedded = encoder.get_input_embeddings()(ids) + self.facts(features)
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=self.sixteen_bits):
            states = encoder(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        words = _rows(states.float(), bounds)
        words = self.dropout(words)  # [P, n + 2, size], the end pieces around the words
        means = torch.matmul(pool, words).flatten(1)  # [P, 2 · size]
        step = self._steps(words, symbols)
        around = means.unsqueeze(1).expand(-1, anchors.shape[1], -1)
        inside = words[:, 1:]
        anchored = _rows(inside, anchors)
        own = torch.cat([anchored, _rows(inside, referents), around], dim=-1)
        use = torch.tanh(self.use(own) + self.quantity(quantities))
        beyond = self.beyond(means).squeeze(-1)
        relations = self._relations(torch.cat([anchored, quantities], dim=-1), means[:, words.shape[-1] :])
        return step, self.whole(means), self.used(use).squeeze(-1), beyond, self.asked(means), relations

    def _relations(self, numbers: torch.Tensor, question: torch.Tensor) -> torch.Tensor:
        """The scores of the relations of each two numbers, [P, K, K, …]."""
        first, second, factor, other = self.related(numbers).chunk(4, dim=-1)
        both = first.unsqueeze(2) + second.unsqueeze(1) + factor.unsqueeze(2) * other.unsqueeze(1)
        hidden = torch.relu(both + self.question(question)[:, None, None])
        scores: torch.Tensor = self.relation(hidden)
        return scores

    def _steps(self, words: torch.Tensor, symbols: torch.Tensor | None) -> torch.Tensor:
        """The scores of the steps at each boundary, from the states of the words on both sides of it."""
        if symbols is None:
            return self.before(words[:, :-1]) + self.after(words[:, 1:])
        columns = (symbols.unsqueeze(1) * 16 + torch.arange(16, device=symbols.device)).flatten()
        before, after = self.before.weight[columns], self.after.weight[columns]
        opening = nn.functional.linear(words[:, :-1], before, self.before.bias[columns])
        return opening + nn.functional.linear(words[:, 1:], after)


def _rows(states: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """The states [P, k, size] at some positions [P, k]."""
    return torch.gather(states, 1, positions.unsqueeze(-1).expand(-1, -1, states.shape[-1]))


class TorchNetwork:
    """A network in torch behind the interface of the exported one."""

    def __init__(self, module: EncoderNetwork) -> None:
        self.module = module.eval()
        self._device = next(module.parameters()).device

    @torch.inference_mode()
    def __call__(self, batch: Sequence[Inputs]) -> Outputs:
        """The outputs for some problems."""
        arrays = {name: torch.as_tensor(array).to(self._device) for name, array in pad(batch).items()}
        return Outputs(*(np.asarray(tensor.float().cpu()) for tensor in self.module(**arrays)))

"""The chart in torch, diagonal by diagonal: the same problems under the potentials of many networks at once.

The compiled chart (``inference.inside``) reads one problem after the other, which is quickest on a processor.
Networks that differ only in their random seeds or their windows have the problems and the forests in common,
so here every step of the recurrence is one tensor operation over all problems and all networks, which is what
a graphics card is good at. Only what the paper's grammar has is here: no silent unknowns, no asides.

Arrays end in [problem, network]. A span is (i, ℓ): its first word and its length. ``f`` is the operand that
stands first in the text, ``kind`` whether words stand between the operands. The items are those of
``inference.layout``. Values are factors, not logs, with each word's best score taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from text2math.inference.potentials import EDGE, WORD, A, B

FIRST, SECOND = [A, B], [B, A]  # by f


class Scores(NamedTuple):
    """The potentials of some problems under some networks, symbols numbered as ``Forests`` does it."""

    step: Tensor  # [symbol, N + 1, left, right, P, K]
    pattern: Tensor  # [symbol, 16, P, K]
    child: Tensor  # [symbol, side, symbol, P, K]
    root: Tensor  # [symbol, P, K]
    number: Tensor  # [number, P, K]


@dataclass(frozen=True, slots=True, eq=False)
class Forests:
    """One forest for each problem, padded: operators come before leaves."""

    words: Tensor  # [P]
    operators: Tensor  # [O, P], the symbol of each operator
    leaves: Tensor  # [F, P], the symbol of each leaf
    unknown: Tensor  # [F, P], whether the leaf is an unknown
    anchored: Tensor  # [F, number, N, P], whether the leaf may be this number, which is anchored on this word
    under: Tensor  # [O, side, O + F, P], which states may stand where
    roots: Tensor  # [O, P], which operators may be the root

    def to(self, device: torch.device) -> Forests:
        """The same, on a device."""
        return Forests(*(getattr(self, name).to(device) for name in self.__slots__))


def log_partition(scores: Scores, forests: Forests) -> Tensor:
    """The log of the sum over all trees, [P, K]; gradients flow back into the scores."""
    count, problems = scores.step.shape[1] - 1, len(forests.words)
    inside = torch.arange(count + 1, device=forests.words.device)[:, None] < forests.words  # [N + 1, P]
    entering = scores.step[:, :, [EDGE, WORD], WORD].detach()
    baseline = entering.amax(dim=(0, 2)).where(inside[..., None], 0.0)  # [N + 1, P, K]
    lowered = scores.step.clone()
    lowered[:, :, :, WORD] = lowered[:, :, :, WORD] - baseline[None, :, None]
    step = _chosen(lowered, forests.operators).exp()
    child = _chosen(scores.child, forests.operators)
    symbols = torch.cat([forests.operators, forests.leaves])
    child = _chosen(child.movedim(2, 0), symbols).movedim(0, 2)  # [O, side, O + F, P, K]
    found = _Inside.apply(
        *_parts(step, _chosen(scores.pattern, forests.operators).exp()),
        child.exp() * forests.under[..., None],
        _leaves(_chosen(lowered, forests.leaves), scores.number, forests),
    )
    whole = found[:, forests.words, torch.arange(problems, device=found.device)]  # [O, P, K]
    root = _chosen(scores.root, forests.operators).exp() * forests.roots[..., None]
    total = (whole * root).sum(0)
    if not bool((torch.isfinite(total) & (total > 0)).all()):
        raise ValueError(
            "a problem has no tree, or its scores leave the range of a double: use the compiled chart"
        )
    return total.log() + baseline.sum(0)


def _chosen(table: Tensor, symbols: Tensor) -> Tensor:
    """The rows of a table [symbol, …, P, K] for the symbols [state, P] of each problem."""
    shape = (len(symbols), *table.shape[1:])
    index = symbols.reshape(len(symbols), *[1] * (table.dim() - 3), -1, 1).expand(shape)
    return table.gather(0, index)


def _parts(step: Tensor, pattern: Tensor) -> tuple[Tensor, ...]:
    """What the recurrence multiplies with, each [O, …, N + 1, P, K]."""
    step = step.movedim(1, 3)  # [O, left, right, N + 1, P, K]
    closing = torch.stack([step[:, SECOND, EDGE], step[:, [WORD, WORD], EDGE]], 2)  # [O, f, after, …]
    pattern = pattern.unflatten(1, (2, 2, 2, 2))  # [O, f, before, kind, after, P, K]
    return (
        step[:, EDGE, FIRST],  # f
        step[:, WORD, FIRST],  # f
        step[:, FIRST, WORD],  # f
        torch.stack([step[:, FIRST, SECOND], step[:, WORD, SECOND]], 2),  # f, kind
        closing[:, :, None, None] * pattern.unsqueeze(5),  # f, before, kind, after
        step[:, WORD, WORD],
        step[:, EDGE, WORD],
    )


def _leaves(step: Tensor, number: Tensor, forests: Forests) -> Tensor:
    """NODE(i, ℓ) of leaves: step[edge,w] ⊗ step[w,w]… ⊗ step[w,edge] ⊗ (⊕ the numbers in the span)."""
    size = step.shape[1]
    start = torch.arange(size, device=step.device)[:, None]
    end = start + torch.arange(size, device=step.device)
    valid = ((end < size) & (end > start))[..., None, None]
    end = end.clamp(max=size - 1)
    between = step[:, :, WORD, WORD].cumsum(1)
    words = between[:, (end - 1).clamp(min=0)] - between[:, :, None]
    words = words + step[:, :, EDGE, WORD][:, :, None] + step[:, :, WORD, EDGE][:, end]
    used = torch.einsum("fqnp,qpk->fnpk", forests.anchored.to(number.dtype), number.exp())
    used = torch.cat([torch.zeros_like(used[:, :1]), used], 1).cumsum(1)
    inside = used[:, end] - used[:, :, None] + forests.unknown[:, None, None, :, None]
    return words.masked_fill(~valid, -torch.inf).exp() * inside


class _Items(NamedTuple):
    """The chart, or the gradient of its items."""

    node: Tensor  # [O + F, i, ℓ]
    operand: Tensor  # [O, f, i, ℓ]
    trailed: Tensor  # [O, f, i, ℓ]
    met: Tensor  # [O, f, kind, i, ℓ], the first operand (with words after it) and its step to the second
    second: Tensor  # [O, f, j, N - ℓ], the second operand by its end, so that the cubic sums read it forwards
    core: Tensor  # [O, f, kind, i, ℓ]
    right: Tensor  # [O, f, kind, i, ℓ]
    tail: Tensor  # [O, f, i, ℓ]
    left: Tensor  # [O, i, ℓ]

    @classmethod
    def zeros(cls, leaf: Tensor, operators: int) -> _Items:
        """All zero, for leaves [F, i, ℓ, P, K]."""
        spans = leaf.shape[1:]
        shapes = ((operators + len(leaf),), *((operators, *rest) for rest in ((2,), (2,), (2, 2), (2,))))
        shapes += ((operators, 2, 2), (operators, 2, 2), (operators, 2), (operators,))
        return cls(*(leaf.new_zeros(*shape, *spans) for shape in shapes))


class _Inside(torch.autograd.Function):
    """From short spans to long ones, and back: NODE(0, ℓ) of every operator, [O, ℓ, P, K]."""

    @staticmethod
    def forward(ctx: Any, *given: Tensor) -> Tensor:
        enter, lead, follow, meet, close, word, open_, under, leaf = given
        operators, n = len(word), word.shape[1] - 1
        items = _Items.zeros(leaf, operators)
        node, operand, trailed, met, second, core, right, tail, left = items
        node[operators:] = leaf
        for size in range(1, n + 1):
            m = n - size + 1  # spans of this size
            inner, end = slice(size - 1, n), slice(size, n + 1)  # the boundaries j - 1 and j
            if size > 1:
                # CORE(i,j) = ⊕_k MET(i,k) ⊗ OPERAND(k,j)
                both = met[:, :, :, :m, 1:size] * second[:, :, None, end, n - size + 1 : n]
                core[:, :, :, :m, size] = both.sum(4)
                # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
                right[:, :, :, :m, size] = (
                    core[:, :, :, :m, size - 1] * follow.flip(1)[:, :, None, inner]
                    + right[:, :, :, :m, size - 1] * word[:, None, None, inner]
                )
                ended = _ended(core[:, :, :, :m, size], right[:, :, :, :m, size], close[..., end, :, :])
                tail[:, :, :m, size] = ended[:, :, 1]
                # LEFT(i,j) = ⊕_f step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
                left[:, :m, size] = (lead[:, :, 1 : m + 1] * tail[:, :, 1 : m + 1, size - 1]).sum(1)
                left[:, :m, size] += word[:, 1 : m + 1] * left[:, 1 : m + 1, size - 1]
                # NODE(i,j) = ⊕_f step[edge,first] ⊗ (what is led by no words)  ⊕  step[edge,w] ⊗ LEFT(i,j)
                node[:operators, :m, size] = (enter[:, :, :m] * ended[:, :, 0]).sum(1)
                node[:operators, :m, size] += open_[:, :m] * left[:, :m, size]
                # TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
                trailed[:, :, :m, size] = (
                    operand[:, :, :m, size - 1] * follow[:, :, inner]
                    + trailed[:, :, :m, size - 1] * word[:, None, inner]
                )
            # OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j)
            own = (under[:, :, :, None] * node[:, :m, size]).sum(2)
            operand[:, :, :m, size] = own
            met[:, :, 0, :m, size] = own * meet[:, :, 0, end]
            met[:, :, 1, :m, size] = trailed[:, :, :m, size] * meet[:, :, 1, end]
            second[:, :, end, n - size] = own.flip(1)
        ctx.items = items
        ctx.save_for_backward(*given)
        return node[:operators, 0].clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        given = ctx.saved_tensors
        enter, lead, follow, meet, close, word, open_, under, leaf = given
        operators, n = len(word), word.shape[1] - 1
        node, operand, trailed, met, second, core, right, tail, left = ctx.items
        d_enter, d_lead, d_follow, d_meet, d_close, d_word, d_open, d_under, d_leaf = map(
            torch.zeros_like, given
        )
        d = _Items.zeros(leaf, operators)
        d.node[:operators, 0] = gradients[0]
        for size in range(n, 0, -1):
            m = n - size + 1
            inner, end = slice(size - 1, n), slice(size, n + 1)
            # MET, the second operand and TRAILED take OPERAND
            plain, after = d.met[:, :, 0, :m, size], d.met[:, :, 1, :m, size]
            d_meet[:, :, 0, end] += plain * operand[:, :, :m, size]
            d_meet[:, :, 1, end] += after * trailed[:, :, :m, size]
            around = (
                d.operand[:, :, :m, size] + plain * meet[:, :, 0, end] + d.second[:, :, end, n - size].flip(1)
            )
            d_under += (around[:, :, None] * node[:, :m, size]).sum(3)
            d.node[:, :m, size] += (under[:, :, :, None] * around[:, :, None]).sum((0, 1))
            if size == 1:
                continue
            around = d.trailed[:, :, :m, size] + after * meet[:, :, 1, end]
            d_follow[:, :, inner] += around * operand[:, :, :m, size - 1]
            d.operand[:, :, :m, size - 1] += around * follow[:, :, inner]
            d_word[:, inner] += (around * trailed[:, :, :m, size - 1]).sum(1)
            d.trailed[:, :, :m, size - 1] += around * word[:, None, inner]
            # NODE takes LEFT and what is led by no words; LEFT takes TAIL and LEFT a word later
            around = d.node[:operators, :m, size]
            ending = close[..., end, :, :]
            own_core, own_right = core[:, :, :, :m, size], right[:, :, :, :m, size]
            ended = _ended(own_core, own_right, ending)
            d_open[:, :m] += around * left[:, :m, size]
            d_enter[:, :, :m] += around[:, None] * ended[:, :, 0]
            leading = d.left[:, :m, size] + around * open_[:, :m]
            d_lead[:, :, 1 : m + 1] += leading[:, None] * tail[:, :, 1 : m + 1, size - 1]
            d.tail[:, :, 1 : m + 1, size - 1] += leading[:, None] * lead[:, :, 1 : m + 1]
            d_word[:, 1 : m + 1] += leading * left[:, 1 : m + 1, size - 1]
            d.left[:, 1 : m + 1, size - 1] += leading * word[:, 1 : m + 1]
            # Both take CORE and RIGHT
            ends = torch.stack(
                [around[:, None] * enter[:, :, :m], d.tail[:, :, :m, size]], 2
            )  # [O, f, before, i]
            ends = ends[:, :, :, None]
            d_close[:, :, :, :, 0, end] += ends * own_core[:, :, None]
            d_close[:, :, :, :, 1, end] += ends * own_right[:, :, None]
            d_core = d.core[:, :, :, :m, size] + (ends * ending[:, :, :, :, 0]).sum(2)
            d_right = d.right[:, :, :, :m, size] + (ends * ending[:, :, :, :, 1]).sum(2)
            d_follow[:, :, inner] += (d_right * core[:, :, :, :m, size - 1]).sum(2).flip(1)
            d.core[:, :, :, :m, size - 1] += d_right * follow.flip(1)[:, :, None, inner]
            d_word[:, inner] += (d_right * right[:, :, :, :m, size - 1]).sum((1, 2))
            d.right[:, :, :, :m, size - 1] += d_right * word[:, None, None, inner]
            # CORE takes MET and the second operand
            d_core = d_core[:, :, :, :, None]
            d.met[:, :, :, :m, 1:size] += d_core * second[:, :, None, end, n - size + 1 : n]
            d.second[:, :, end, n - size + 1 : n] += (d_core * met[:, :, :, :m, 1:size]).sum(2)
        d_leaf.copy_(d.node[operators:])
        return d_enter, d_lead, d_follow, d_meet, d_close, d_word, d_open, d_under, d_leaf


def _ended(core: Tensor, right: Tensor, close: Tensor) -> Tensor:
    """CORE or RIGHT with the end of the string and the pattern, [O, f, before, i]; ``close`` is at j."""
    return (core[:, :, None] * close[:, :, :, :, 0] + right[:, :, None] * close[:, :, :, :, 1]).sum(3)

"""The chart in torch, diagonal by diagonal: the same problems under the potentials of many networks at once.

The compiled chart (``inference.inside``) processes one problem after the other, which is fastest on a CPU.
Networks that differ only in their random seeds or their windows have the problems and the forests in common,
so here every step of the recurrence is one tensor operation over all problems and all networks, which is
fastest on a GPU. Only the paper's grammar is supported: no silent unknowns, no asides.

Arrays end in [problem, network]. A span is (i, ℓ): its first word and its length. ``f`` is the operand that
comes first in the text, ``kind`` whether there are words between the operands. The items are those of
``inference.layout``. Values are factors, not logs, divided by each word's best score.
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
    under: Tensor  # [O, side, O + F, P], which states may be an operand
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
    parts = _Parts.of(
        step,
        _chosen(scores.pattern, forests.operators).exp(),
        child.exp() * forests.under[..., None],
        _leaves(_chosen(lowered, forests.leaves), scores.number, forests),
    )
    found = _Inside.apply(*parts)
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


class _Parts(NamedTuple):
    """The factors of the recurrence, or their gradients; most are [O, …, N + 1, P, K]."""

    enter: Tensor  # [O, f, …], step[edge, first]
    lead: Tensor  # [O, f, …], step[w, first]
    follow: Tensor  # [O, f, …], step[first, w]
    meet: Tensor  # [O, f, kind, …], step[first, second] and step[w, second]
    close: Tensor  # [O, f, before, kind, after, …], the step to the edge, and the pattern
    word: Tensor  # [O, …], step[w, w]
    open: Tensor  # [O, …], step[edge, w]
    under: Tensor  # [O, f, O + F, P, K], child, zero if a state may not be this operand
    leaf: Tensor  # [F, i, ℓ, P, K]

    @classmethod
    def of(cls, step: Tensor, pattern: Tensor, under: Tensor, leaf: Tensor) -> _Parts:
        """From steps [O, N + 1, left, right, P, K] and patterns [O, 16, P, K]."""
        step = step.movedim(1, 3)  # [O, left, right, N + 1, P, K]
        closing = torch.stack([step[:, SECOND, EDGE], step[:, [WORD, WORD], EDGE]], 2)  # [O, f, after, …]
        pattern = pattern.unflatten(1, (2, 2, 2, 2))  # [O, f, before, kind, after, P, K]
        return cls(
            enter=step[:, EDGE, FIRST],
            lead=step[:, WORD, FIRST],
            follow=step[:, FIRST, WORD],
            meet=torch.stack([step[:, FIRST, SECOND], step[:, WORD, SECOND]], 2),
            close=closing[:, :, None, None] * pattern.unsqueeze(5),
            word=step[:, WORD, WORD],
            open=step[:, EDGE, WORD],
            under=under,
            leaf=leaf,
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
        parts = _Parts(*given)
        operators, n = len(parts.word), parts.word.shape[1] - 1
        items = _Items.zeros(parts.leaf, operators)
        items.node[operators:] = parts.leaf
        for size in range(1, n + 1):
            if size > 1:
                _operators_inside(parts, items, size, n)
            _operands_inside(parts, items, size, n)
        ctx.items = items
        ctx.save_for_backward(*given)
        return items.node[:operators, 0].clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        parts = _Parts(*ctx.saved_tensors)
        operators, n = len(parts.word), parts.word.shape[1] - 1
        wanted = _Parts(*map(torch.zeros_like, parts))
        outside = _Items.zeros(parts.leaf, operators)
        outside.node[:operators, 0] = gradients[0]
        for size in range(n, 0, -1):
            _operands_outside(parts, ctx.items, outside, wanted, size, n)
            if size > 1:
                _operators_outside(parts, ctx.items, outside, wanted, size, n)
        return wanted._replace(leaf=outside.node[operators:])


def _operators_inside(parts: _Parts, items: _Items, size: int, n: int) -> None:
    """All operators over spans of a size, from what is shorter; and TRAILED."""
    node, operand, trailed, met, second, core, right, tail, left = items
    m = n - size + 1  # spans of this size
    inner, end, later = (
        slice(size - 1, n),
        slice(size, n + 1),
        slice(1, m + 1),
    )  # boundaries j - 1, j and i + 1
    # CORE(i,j) = ⊕_k MET(i,k) ⊗ OPERAND(k,j)
    both = met[:, :, :, :m, 1:size] * second[:, :, None, end, n - size + 1 : n]
    core[:, :, :, :m, size] = both.sum(4)
    # RIGHT(i,j) = CORE(i,j-1) ⊗ step[second,w]  ⊕  RIGHT(i,j-1) ⊗ step[w,w]
    right[:, :, :, :m, size] = (
        core[:, :, :, :m, size - 1] * parts.follow.flip(1)[:, :, None, inner]
        + right[:, :, :, :m, size - 1] * parts.word[:, None, None, inner]
    )
    ended = _ended(core[:, :, :, :m, size], right[:, :, :, :m, size], parts.close[..., end, :, :])
    tail[:, :, :m, size] = ended[:, :, 1]
    # LEFT(i,j) = ⊕_f step[w,first] ⊗ TAIL(i+1,j)  ⊕  step[w,w] ⊗ LEFT(i+1,j)
    leading = (parts.lead[:, :, later] * tail[:, :, later, size - 1]).sum(1)
    left[:, :m, size] = leading + parts.word[:, later] * left[:, later, size - 1]
    # NODE(i,j) = ⊕_f step[edge,first] ⊗ (no words before)  ⊕  step[edge,w] ⊗ LEFT(i,j)
    bare = (parts.enter[:, :, :m] * ended[:, :, 0]).sum(1)
    node[: len(left), :m, size] = bare + parts.open[:, :m] * left[:, :m, size]
    # TRAILED(i,j) = OPERAND(i,j-1) ⊗ step[A,w]  ⊕  TRAILED(i,j-1) ⊗ step[w,w]
    trailed[:, :, :m, size] = (
        operand[:, :, :m, size - 1] * parts.follow[:, :, inner]
        + trailed[:, :, :m, size - 1] * parts.word[:, None, inner]
    )


def _operands_inside(parts: _Parts, items: _Items, size: int, n: int) -> None:
    """OPERAND(i,j) = ⊕_c child[s,side,c] ⊗ NODE_c(i,j), and the items that longer spans take it from."""
    m, end = n - size + 1, slice(size, n + 1)
    own = (parts.under[:, :, :, None] * items.node[:, :m, size]).sum(2)
    items.operand[:, :, :m, size] = own
    items.met[:, :, 0, :m, size] = own * parts.meet[:, :, 0, end]
    items.met[:, :, 1, :m, size] = items.trailed[:, :, :m, size] * parts.meet[:, :, 1, end]
    items.second[:, :, end, n - size] = own.flip(1)


def _operands_outside(
    parts: _Parts, items: _Items, outside: _Items, wanted: _Parts, size: int, n: int
) -> None:
    """MET, the second operand and TRAILED take OPERAND, which takes NODE."""
    m, inner, end = n - size + 1, slice(size - 1, n), slice(size, n + 1)
    plain, after = outside.met[:, :, 0, :m, size], outside.met[:, :, 1, :m, size]
    wanted.meet[:, :, 0, end] += plain * items.operand[:, :, :m, size]
    wanted.meet[:, :, 1, end] += after * items.trailed[:, :, :m, size]
    around = outside.operand[:, :, :m, size] + outside.second[:, :, end, n - size].flip(1)
    around += plain * parts.meet[:, :, 0, end]
    wanted.under[:] += (around[:, :, None] * items.node[:, :m, size]).sum(3)
    outside.node[:, :m, size] += (parts.under[:, :, :, None] * around[:, :, None]).sum((0, 1))
    if size > 1:
        around = outside.trailed[:, :, :m, size] + after * parts.meet[:, :, 1, end]
        wanted.follow[:, :, inner] += around * items.operand[:, :, :m, size - 1]
        outside.operand[:, :, :m, size - 1] += around * parts.follow[:, :, inner]
        wanted.word[:, inner] += (around * items.trailed[:, :, :m, size - 1]).sum(1)
        outside.trailed[:, :, :m, size - 1] += around * parts.word[:, None, inner]


def _operators_outside(
    parts: _Parts, items: _Items, outside: _Items, wanted: _Parts, size: int, n: int
) -> None:
    """NODE takes LEFT or has no words before; LEFT takes TAIL and LEFT a word later; all come from CORE."""
    m, end, later = n - size + 1, slice(size, n + 1), slice(1, n - size + 2)
    around = outside.node[: len(parts.word), :m, size]
    core, right, close = (
        items.core[:, :, :, :m, size],
        items.right[:, :, :, :m, size],
        parts.close[..., end, :, :],
    )
    wanted.open[:, :m] += around * items.left[:, :m, size]
    wanted.enter[:, :, :m] += around[:, None] * _ended(core, right, close)[:, :, 0]
    leading = outside.left[:, :m, size] + around * parts.open[:, :m]
    wanted.lead[:, :, later] += leading[:, None] * items.tail[:, :, later, size - 1]
    outside.tail[:, :, later, size - 1] += leading[:, None] * parts.lead[:, :, later]
    wanted.word[:, later] += leading * items.left[:, later, size - 1]
    outside.left[:, later, size - 1] += leading * parts.word[:, later]
    bare = around[:, None] * parts.enter[:, :, :m]
    ends = torch.stack([bare, outside.tail[:, :, :m, size]], 2)[:, :, :, None]  # [O, f, before, 1, i]
    wanted.close[:, :, :, :, 0, end] += ends * core[:, :, None]
    wanted.close[:, :, :, :, 1, end] += ends * right[:, :, None]
    outside.core[:, :, :, :m, size] += (ends * close[:, :, :, :, 0]).sum(2)
    outside.right[:, :, :, :m, size] += (ends * close[:, :, :, :, 1]).sum(2)
    _cores_outside(parts, items, outside, wanted, size, n)


def _cores_outside(parts: _Parts, items: _Items, outside: _Items, wanted: _Parts, size: int, n: int) -> None:
    """RIGHT takes CORE and RIGHT a word earlier; CORE takes MET and the second operand."""
    m, inner, end = n - size + 1, slice(size - 1, n), slice(size, n + 1)
    around = outside.right[:, :, :, :m, size]
    wanted.follow[:, :, inner] += (around * items.core[:, :, :, :m, size - 1]).sum(2).flip(1)
    outside.core[:, :, :, :m, size - 1] += around * parts.follow.flip(1)[:, :, None, inner]
    wanted.word[:, inner] += (around * items.right[:, :, :, :m, size - 1]).sum((1, 2))
    outside.right[:, :, :, :m, size - 1] += around * parts.word[:, None, None, inner]
    around = outside.core[:, :, :, :m, size, None]
    outside.met[:, :, :, :m, 1:size] += around * items.second[:, :, None, end, n - size + 1 : n]
    outside.second[:, :, end, n - size + 1 : n] += (around * items.met[:, :, :, :m, 1:size]).sum(2)


def _ended(core: Tensor, right: Tensor, close: Tensor) -> Tensor:
    """CORE or RIGHT with the end of the string and the pattern, [O, f, before, i]; ``close`` is at j."""
    return (core[:, :, None] * close[:, :, :, :, 0] + right[:, :, None] * close[:, :, :, :, 1]).sum(3)

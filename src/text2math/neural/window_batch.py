"""Train many window networks on the same problems at once: every reach and every seed, fixed and joint.

``neural.window`` trains one network with the compiled chart. Here all networks of a fold share each step of
the chart: on a GPU in torch (``neural.diagonals``), which needs nothing but numpy and torch, on a CPU by
circuits (``neural.window_circuits``). ``WindowProblems`` has plain arrays, and can be sent to another machine
as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_matrix, hstack, identity, kron
from torch import Tensor, nn

from text2math.inference.potentials import Symbol
from text2math.neural.diagonals import Forests, Scores, log_partition
from text2math.neural.window_network import WindowNetwork
from text2math.scorers.window import WindowConfig, windows

Array = NDArray[Any]
LENGTH_RATIO = 1.3  # of the longest to the shortest text in a group of problems
TABLES = ("words", "pairs", "numbers", "pattern", "child", "root")  # of discrete weights


class Plan(NamedTuple):
    """A network to train."""

    reach: int
    seed: int
    joint: bool


@dataclass(frozen=True, slots=True, eq=False)
class WindowProblems:
    """The training problems of a discrete model with its weights, and the texts to score, as plain arrays.

    Sparse matrices have a row for each boundary of a text (n + 1 of them), or for each number.
    """

    l2: Array  # the regularisation strength of the discrete weights
    symbols: Array  # [C]
    lengths: Array  # [P]
    rows: Array  # [words], the row of each word in the vocabulary
    vocabulary: Array  # how many rows
    numbers: Array  # [P], how many
    anchors: Array  # [numbers]
    pair_marks: Array  # [pairs], 4 · left + right
    word_features: Array  # [entries, 2]: row and feature, of value 1
    pair_features: Array  # [entries, 2]: row is boundary · pairs + pair
    number_features: Array  # [entries, 2]
    words: Array  # weights [features, C]
    pairs: Array  # [features, C]
    numbers_used: Array  # [features, 1]
    pattern: Array  # [C, 16]
    child: Array  # [C, 2, C]
    root: Array  # [C]
    gold_states: Array  # [P, states, 2]: symbol (its index in ``symbols``) and number; -1 for none
    gold_rules: Array  # [P, rules, 3]: state, and the states that may be its left and right operand, as bits
    gold_roots: Array  # [P], as bits
    full_states: Array  # [1, states, 2]
    full_rules: Array  # [1, rules, 3]
    full_roots: Array  # [1]
    test_lengths: Array
    test_rows: Array

    def save(self, path: Path) -> None:
        """Write a file that ``load`` reads."""
        np.savez_compressed(path, **asdict(self))

    @classmethod
    def load(cls, path: Path) -> WindowProblems:
        """Read what ``save`` wrote."""
        with np.load(path) as found:
            return cls(**{name: found[name] for name in cls.__slots__})


class Trained(NamedTuple):
    """A network's scores of the words of the test texts, and the discrete weights trained with it."""

    plan: Plan
    scores: Array  # [words, C]
    tables: dict[str, Array] | None  # None: they were kept fixed


def train_windows(
    problems: WindowProblems,
    plans: Sequence[Plan],
    *,
    iterations: int = 100,
    rate: float = 0.001,
    device: str = "cpu",
    report: Callable[[int, Array], None] | None = None,
) -> list[Trained]:
    """Train a network for each plan; ``report`` gets each iteration and the mean loss of each network."""
    where = torch.device(device)
    ordered = sorted(plans, key=lambda plan: (plan.joint, plan.reach))
    groups = [
        _Networks(problems, list(own), where)
        for _, own in groupby(ordered, lambda plan: (plan.joint, plan.reach))
    ]
    discrete = _Discrete(problems, sum(plan.joint for plan in ordered), where)
    losses_of = _losses_with_circuits if where.type == "cpu" else _losses_with_tensors
    losses_of_scores = losses_of(problems, discrete, where)
    trained = [parameter for group in groups for parameter in group.parameters()] + list(
        discrete.parameters()
    )
    optimizer = torch.optim.Adam(trained, lr=rate, fused=True)
    for iteration in range(iterations):
        scores = torch.cat([group(group.train_windows) for group in groups], -1)  # [words, C, K]
        losses = losses_of_scores(scores.double())  # [K]
        optimizer.zero_grad()
        (losses.sum() + discrete.penalty()).backward()
        optimizer.step()
        if report is not None:
            report(iteration + 1, losses.detach().cpu().numpy() / len(problems.lengths))
    with torch.no_grad():
        found = torch.cat([group(group.test_windows) for group in groups], -1).cpu().numpy()
    tables = discrete.tables()
    fixed = len(ordered) - len(tables)
    return [
        Trained(plan, found[..., at], None if at < fixed else tables[at - fixed])
        for at, plan in enumerate(ordered)
    ]


def _losses_with_tensors(
    problems: WindowProblems, discrete: _Discrete, device: torch.device
) -> Callable[[Tensor], Tensor]:
    """The losses of networks from their scores [words, C, K], by the chart in torch."""
    charts = [_Chart.of(problems, at, device) for at in _by_length(problems.lengths)]

    def losses(scores: Tensor) -> Tensor:
        step, rest = discrete(scores, scores.shape[-1])
        return torch.stack([chart.losses(step, rest) for chart in charts]).sum(0)

    return losses


def _losses_with_circuits(
    problems: WindowProblems, discrete: _Discrete, _: torch.device
) -> Callable[[Tensor], Tensor]:
    """The same by circuits, which is fastest on a CPU."""
    # These need numba, which a machine with a GPU can do without.
    from text2math.neural.window_circuits import Tables, circuit_losses, circuits_of

    circuits = circuits_of(problems)
    step, numbers = discrete.fixed
    pattern, child, root = (table[..., None] for table in discrete.start[3:])
    fixed = Tables(step, pattern, child, root, numbers)
    of_weights = circuits.of_weights(_features(problems)) if discrete.joint else circuits

    def losses(scores: Tensor) -> Tensor:
        shared = scores.shape[-1] - discrete.joint
        found = [circuit_losses(circuits, scores[..., :shared], fixed)] if shared else []
        if discrete.joint:
            words, pairs, numbers, *rest = discrete.own
            found.append(circuit_losses(of_weights, scores[..., shared:], [words, pairs, *rest, numbers]))
        return torch.cat(found)

    return losses


def _features(problems: WindowProblems) -> csr_matrix:
    """Which weights a potential is the sum of: [rows of ``window_circuits.Tables``, weights].

    The weights are those of words, of pairs, what all problems share, and those of numbers.
    """
    symbols, pairs = len(problems.symbols), len(problems.pair_marks)
    boundaries, numbers = int((problems.lengths + 1).sum()), len(problems.anchors)
    entering = (problems.pair_marks % 4 == 1)[:, None]
    words = _ones(problems.word_features, (boundaries, len(problems.words)))
    steps = hstack(
        [
            kron(words, entering),
            _ones(problems.pair_features, (boundaries * pairs, len(problems.pairs))),
        ]
    )
    shared = sum(table.size for table in (problems.pattern, problems.child, problems.root))
    used = _ones(problems.number_features, (numbers, len(problems.numbers_used)))
    return csr_matrix(block_diag([kron(steps, identity(symbols)), identity(shared), used]))


def _ones(entries: Array, shape: tuple[int, int]) -> csr_matrix:
    return csr_matrix((np.ones(len(entries)), entries.T), shape)


class _Windows(NamedTuple):
    """The windows of texts that differ: texts repeat their words, so there are fewer than words.

    An entry is a row of what a network knows of each word at each place of a window, word · (2L + 1) + place.
    """

    entries: Tensor  # [windows, 2L + 1]
    window_of: Tensor  # [words]
    users: Tensor  # [windows · (2L + 1)]: the windows that have each entry, by entry
    first_user: Tensor  # [vocabulary · (2L + 1)]

    @classmethod
    def of(cls, rows: Array, lengths: Array, reach: int, vocabulary: int, device: torch.device) -> _Windows:
        """The windows of the words of texts."""
        texts = np.split(rows, np.cumsum(lengths)[:-1])
        every = np.concatenate([windows(text, reach) for text in texts])
        found, window_of = np.unique(every, axis=0, return_inverse=True)
        places = found.shape[1]
        entries = found * places + np.arange(places)
        users = np.argsort(entries.ravel(), kind="stable") // places
        counts = np.bincount(entries.ravel(), minlength=vocabulary * places)
        arrays = entries, window_of.ravel(), users, np.cumsum(counts) - counts
        return cls(*(torch.as_tensor(array, device=device) for array in arrays))


class _Totals(torch.autograd.Function):
    """The sum of each window's entries, [windows, hidden], of known [entries, hidden]."""

    @staticmethod
    def forward(ctx: Any, known: Tensor, own: _Windows) -> Tensor:
        ctx.windows = own
        return nn.functional.embedding_bag(own.entries, known, mode="sum")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        # The derivative of an entry is the sum over its windows: the same lookup the other way round.
        own = ctx.windows
        found = nn.functional.embedding_bag(own.users, gradients[0].contiguous(), own.first_user, mode="sum")
        return found, None


class _Networks(nn.Module):
    """Networks of the same reach, with the seeds of their plans, side by side."""

    def __init__(self, problems: WindowProblems, plans: Sequence[Plan], device: torch.device) -> None:
        super().__init__()
        config = WindowConfig(reach=plans[0].reach)
        each = []
        for plan in plans:
            torch.manual_seed(plan.seed)
            each.append(WindowNetwork(int(problems.vocabulary), config).to(device))
        first = [network.hidden.weight.view(config.hidden, -1, config.embedding) for network in each]
        self.embedding = _stacked([network.embedding.weight for network in each])
        self.hidden = _stacked([weight.transpose(0, 1).flatten(0, 1) for weight in first])
        self.bias = _stacked([network.hidden.bias for network in each])
        # The scores of other symbols change no loss, so their weights would stay as they are.
        self.output = _stacked([network.output.weight[problems.symbols] for network in each])
        size, reach = int(problems.vocabulary), config.reach
        self.train_windows = _Windows.of(problems.rows, problems.lengths, reach, size, device)
        self.test_windows = _Windows.of(problems.test_rows, problems.test_lengths, reach, size, device)

    def forward(self, own: _Windows) -> Tensor:
        """The scores [words, C, K] of the words of texts; see ``WindowNetwork.forward``.

        One network after the other: what it makes of all windows fits into a processor's cache.
        """
        found = []
        for embedding, hidden, bias, output in zip(*self.parameters(), strict=True):
            known = (embedding @ hidden.mT).view(-1, len(bias))  # [vocabulary · (2L + 1), hidden]
            total: Tensor = _Totals.apply(known, own)
            found.append(torch.tanh(total + bias) @ output.mT)
        return torch.stack(found, -1).index_select(0, own.window_of)


def _stacked(parameters: Sequence[Tensor]) -> nn.Parameter:
    return nn.Parameter(torch.stack([parameter.detach() for parameter in parameters]))


class _Discrete(nn.Module):
    """The discrete weights: the fixed ones, and one copy for each network trained jointly with its own."""

    def __init__(self, problems: WindowProblems, joint: int, device: torch.device) -> None:
        super().__init__()
        self.l2, self.joint = float(problems.l2), joint
        first = (
            problems.words,
            problems.pairs,
            problems.numbers_used,
            problems.pattern,
            problems.child,
            problems.root,
        )
        self.start = [torch.as_tensor(table, dtype=torch.float64, device=device) for table in first]
        copies = (
            [table[..., None].expand(*table.shape, joint).clone() for table in self.start] if joint else []
        )
        self.own = nn.ParameterList(copies)
        boundaries = int((problems.lengths + 1).sum())
        pairs = len(problems.pair_marks)
        self.entering = torch.as_tensor(np.flatnonzero(problems.pair_marks % 4 == 1), device=device)
        self.features = [
            _sparse(entries, (rows, len(table)), device)
            for entries, rows, table in zip(
                (problems.word_features, problems.pair_features, problems.number_features),
                (boundaries, boundaries * pairs, int(problems.numbers.sum())),
                first[:3],
                strict=True,
            )
        ]
        ends = np.cumsum(problems.lengths + 1) - 1
        word_at = np.setdiff1d(np.arange(boundaries), ends)
        self.word_at = torch.as_tensor(word_at, device=device)
        with torch.no_grad():
            self.fixed = self.potentials([table[..., None] for table in self.start])

    def potentials(self, tables: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Steps [boundary, pair, C, K] and numbers [number, K] under weights [feature, C, K]."""
        words, pairs, numbers = (
            torch.sparse.mm(matrix, table.flatten(1)).view(-1, *table.shape[1:])
            for matrix, table in zip(self.features, tables[:3], strict=True)
        )
        step = pairs.view(len(words), -1, *words.shape[1:])
        return step.index_add(
            1, self.entering, words[:, None].expand(-1, len(self.entering), -1, -1)
        ), numbers[:, 0]

    def forward(self, scores: Tensor, networks: int) -> tuple[Tensor, tuple[Tensor, ...]]:
        """The steps of all networks with their scores [words, C, K], and the other potentials."""
        step, numbers = self.fixed
        shared = networks - self.joint
        tables = [table[..., None].expand(*table.shape, shared) for table in self.start[3:]]
        step, numbers = step.expand(*step.shape[:-1], shared), numbers.expand(-1, shared)
        if self.joint:
            own_step, own_numbers = self.potentials(list(self.own))
            step, numbers = torch.cat([step, own_step], -1), torch.cat([numbers, own_numbers], -1)
            tables = [torch.cat([one, own], -1) for one, own in zip(tables, self.own[3:], strict=True)]
        added = scores.new_zeros(len(step), *scores.shape[1:]).index_copy(0, self.word_at, scores)
        step = step.index_add(1, self.entering, added[:, None].expand(-1, len(self.entering), -1, -1))
        return step, (*tables, numbers)

    def penalty(self) -> Tensor | float:
        """The L2 penalty of the discrete weights that are trained."""
        return self.l2 * sum((table**2).sum() for table in self.own)

    def tables(self) -> list[dict[str, Array]]:
        """The weights of each network that was trained jointly."""
        if not self.own:
            return []
        arrays = [table.detach().cpu().numpy() for table in self.own]
        count = arrays[0].shape[-1]
        return [dict(zip(TABLES, (array[..., k] for array in arrays), strict=True)) for k in range(count)]


def _sparse(entries: Array, shape: tuple[int, int], device: torch.device) -> Tensor:
    values = torch.ones(len(entries), dtype=torch.float64)
    made = torch.sparse_coo_tensor(
        torch.as_tensor(entries.T.astype(np.int64)), values, shape, check_invariants=True
    )
    return made.coalesce().to(device)


def _by_length(lengths: Array) -> list[Array]:
    """The problems in groups of about the same length."""
    groups: list[list[int]] = []
    for at in np.argsort(lengths, kind="stable"):
        if not groups or lengths[at] > LENGTH_RATIO * lengths[groups[-1][0]] + 2:
            groups.append([])
        groups[-1].append(int(at))
    return [np.array(group) for group in groups]


@dataclass(frozen=True, slots=True, eq=False)
class _Chart:
    """Problems of about the same length: where their potentials are, and their forests."""

    boundaries: Tensor  # [N + 1, P], rows of the steps; beyond the end of a text, the row after the last
    numbers: Tensor  # [Q, P], rows of the numbers, likewise
    marks: Tensor  # [pairs]
    gold: Forests
    full: Forests

    @classmethod
    def of(cls, problems: WindowProblems, at: Array, device: torch.device) -> _Chart:
        """The chart of some of the problems."""
        lengths, counts = problems.lengths[at], problems.numbers[at]
        first = (np.cumsum(problems.lengths + 1) - problems.lengths - 1)[at]
        first_number = (np.cumsum(problems.numbers) - problems.numbers)[at]
        boundary, number = np.arange(lengths.max() + 1)[:, None], np.arange(counts.max())[:, None]
        anchors = np.append(problems.anchors, -1)
        number_at = np.where(number < counts, first_number + number, len(problems.anchors))
        every = np.zeros(len(at), dtype=int)
        spots = anchors[number_at]
        gold = (problems.gold_states[at], problems.gold_rules[at], problems.gold_roots[at])
        full = (problems.full_states[every], problems.full_rules[every], problems.full_roots[every])
        total = int((problems.lengths + 1).sum())
        return cls(
            torch.as_tensor(np.where(boundary <= lengths, first + boundary, total), device=device),
            torch.as_tensor(number_at, device=device),
            torch.as_tensor(problems.pair_marks, device=device),
            *(padded_forests(*one, lengths, spots, problems.symbols).to(device) for one in (gold, full)),
        )

    def losses(self, step: Tensor, rest: tuple[Tensor, ...]) -> Tensor:
        """−log-likelihood of each network, summed over the problems."""
        pattern, child, root, numbers = rest
        # [N + 1, P, pairs, C, K]
        padded = torch.cat([step, step.new_zeros(1, *step.shape[1:])])[self.boundaries]
        marked = padded.new_zeros(*padded.shape[:2], 16, *padded.shape[3:]).index_copy(2, self.marks, padded)
        problems = self.boundaries.shape[1]
        shared = [one.unsqueeze(-2).expand(*one.shape[:-1], problems, -1) for one in (pattern, child, root)]
        scores = Scores(
            step=marked.permute(3, 0, 2, 1, 4).unflatten(2, (4, 4)),
            pattern=shared[0],
            child=shared[1],
            root=shared[2],
            number=torch.cat([numbers, numbers.new_zeros(1, numbers.shape[1])])[self.numbers],
        )
        return (log_partition(scores, self.full) - log_partition(scores, self.gold)).sum(0)


def padded_forests(
    states: Array, rules: Array, roots: Array, lengths: Array, anchors: Array, symbols: Array
) -> Forests:
    """Forests in the layout of ``log_partition``: operators first, padded."""
    count, problems = len(anchors), len(states)
    size, operators = int(lengths.max()), rules.shape[1]
    leaves = max(
        int((own[:, 0] >= 0).sum() - (rule[:, 0] >= 0).sum()) for own, rule in zip(states, rules, strict=True)
    )
    operator, leaf = (
        np.zeros((operators, problems), dtype=np.int64),
        np.zeros((leaves, problems), dtype=np.int64),
    )
    unknown, root = np.zeros((leaves, problems), dtype=bool), np.zeros((operators, problems), dtype=bool)
    anchored = np.zeros((leaves, count, size, problems), dtype=bool)
    under = np.zeros((operators, 2, operators + leaves, problems), dtype=bool)
    for p in range(problems):
        own = [tuple(rule) for rule in rules[p] if rule[0] >= 0]
        place = {state: at for at, (state, _, _) in enumerate(own)}
        rest = [state for state in range(len(states[p])) if states[p, state, 0] >= 0 and state not in place]
        place |= {state: operators + at for at, state in enumerate(rest)}
        for at, (state, *sides) in enumerate(own):
            operator[at, p] = states[p, state, 0]
            root[at, p] = bool(roots[p] >> state & 1)
            for side, bits in enumerate(sides):
                under[at, side, [place[below] for below in place if bits >> below & 1], p] = True
        for at, state in enumerate(rest):
            leaf[at, p], number = states[p, state]
            unknown[at, p] = symbols[leaf[at, p]] != Symbol.CON
            for k in range(count):
                if not unknown[at, p] and anchors[k, p] >= 0 and number in (-1, k):
                    anchored[at, k, anchors[k, p], p] = True
    arrays = (lengths, operator, leaf, unknown, anchored, under, root)
    return Forests(*map(torch.as_tensor, arrays))

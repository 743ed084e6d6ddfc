"""Training of the contextual scorer: exact likelihood, AdamW, warm-up and decay, on a GPU if there is one.

The potentials go through the compiled chart on the CPU while the next batch is prepared. With a GPU, a batch
is computed in parts, so that it works on one while the CPU fills the charts of others: of two parts at once,
because the longest text of a part leaves most cores idle. A step on the GPU is bound by kernel launches,
hence no small parts, and TF32 multiplications instead of casting weights to 16 bits in every step. Several
processes can train one network (``data_parallel``).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from text2math.inference.forest import LARGER_GRAMMAR, PAPER_GRAMMAR, Forest, Grammar
from text2math.model.asked import CHOICES
from text2math.neural.data_parallel import Share, SharedGradients, Team, mean_loss, train_in_processes
from text2math.neural.lessons import Lesson
from text2math.neural.likelihood import Charts, log_likelihood, symbols_of
from text2math.neural.network import EncoderNetwork
from text2math.parallel import available_cores, batches
from text2math.scorers.encoder import FEATURE_COUNT, pad


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """How the encoder is fine-tuned."""

    epochs: int = 6
    batch: int = 32
    rate: float = 8e-5  # learning rate of the encoder
    head_rate: float = 2e-3  # learning rate of the heads
    weight_decay: float = 0.01
    warm_up: float = 0.1  # the share of the steps in which the rates rise; then they fall to zero
    clip: float = 1.0  # the largest norm of a gradient
    hide_words: float = 0.05  # the share of the pieces that are masked in training
    hide_facts: float = 0.2  # the share of the problems whose facts about numbers are hidden
    against_all: float = 0.3  # the share of gold values that also compete with equations and systems
    seed: int = 0
    threads: int | None = None  # of the chart; None: the cores, shared by the processes
    processes: int | None = (
        None  # that train the network; None: with a GPU up to four, else one for each core
    )
    sixteen_bits: bool | None = None  # whether the encoder multiplies in bfloat16; None: if the CPU can


@dataclass(frozen=True, slots=True)
class EncoderProgress:
    """The progress of training."""

    step: int
    steps: int
    loss: float  # mean negative log-likelihood since the last report
    seconds: float


_VALUES = frozenset(state.symbol for state in LARGER_GRAMMAR.values.states)
CHECKPOINT_EVERY = 60.0  # seconds
PART = 64  # problems that a GPU computes together
CHARTS_AT_ONCE = 2  # parts whose charts are filled at the same time
CORES_PER_PROCESS = 4  # that fill the charts of one process
MOST_PROCESSES = 4  # that train a network, unless told otherwise
FEWEST_PROBLEMS = 32  # of a batch that are worth another process on a GPU
FEWEST_ON_A_CORE = 8  # and on a core of its own
WORTH_A_PROCESS = 1000  # lessons that take longer to learn on a core than another process to start

Report = Callable[[EncoderProgress], None]
Item = TypeVar("Item")


def train(
    network: EncoderNetwork,
    lessons: Sequence[Lesson],
    config: EncoderTraining,
    *,
    hidden_piece: int,
    grammar: Grammar = PAPER_GRAMMAR,
    report: Report | None = None,
    checkpoint: Path | None = None,
) -> EncoderNetwork:
    """Fine-tune a network in place.

    With a checkpoint path, an interrupted run resumes from its last checkpoint, at most a minute old. With
    the same number of processes, it ends with the same weights as an uninterrupted one.
    """
    if not lessons:
        raise ValueError("there are no examples to train on")
    processes = _processes(config, len(lessons))
    threads = config.threads or max(1, available_cores() // processes)
    task = _Task(replace(config, threads=threads), hidden_piece, grammar, checkpoint, len(lessons))
    if processes == 1:
        _fit(task, network, lessons, Team(), report)
    else:
        fit = partial(_fit, task)
        train_in_processes(fit, network, lessons, processes, seed=config.seed, report=report)
    network.sixteen_bits = False
    return network.to(training_device()).eval()


def training_device() -> torch.device:
    """The GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _processes(config: EncoderTraining, lessons: int) -> int:
    """How many processes train a network."""
    if config.processes is not None:
        if config.processes < 1:
            raise ValueError(f"at least one process is needed, not {config.processes}")
        return min(config.processes, config.batch, lessons)
    if torch.cuda.is_available():
        wanted, fewest = available_cores() // CORES_PER_PROCESS, FEWEST_PROBLEMS
    else:
        wanted, fewest = min(available_cores(), lessons // WORTH_A_PROCESS), FEWEST_ON_A_CORE
    return max(1, min(MOST_PROCESSES, wanted, config.batch // fewest, lessons))


def _multiplies_16_bits() -> bool:
    """Whether this CPU has instructions for products of bfloat16 numbers, which double its speed."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


@dataclass(frozen=True, slots=True)
class _Task:
    """What the processes that train a network have in common."""

    config: EncoderTraining
    hidden_piece: int
    grammar: Grammar
    checkpoint: Path | None
    lessons: int  # of all processes

    def share(self, team: Team) -> int:
        """The number of lessons that process 0 has; others may have one fewer."""
        return math.ceil(self.lessons / team.size)

    def batch(self, team: Team) -> int:
        """The problems of a batch that a process computes."""
        return self.config.batch // team.size

    def per_epoch(self, team: Team) -> int:
        """The steps of an epoch, the same in all processes."""
        return math.ceil(self.share(team) / self.batch(team))


def _fit(
    task: _Task, network: EncoderNetwork, lessons: Sequence[Lesson], team: Team, report: Report | None
) -> None:
    """Fine-tune a network in place, in this process and the others of its team."""
    config, device = task.config, training_device()
    torch.manual_seed(_own_seed(config.seed, team))
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    elif team.size > 1:
        torch.set_num_threads(max(1, available_cores() // team.size))
    network.to(device).train()
    network.sixteen_bits = _in_sixteen_bits(config, device)
    optimizer = _optimizer(network, config)
    gradients = SharedGradients(team, list(network.parameters()))
    per_epoch = task.per_epoch(team)
    steps = config.epochs * per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps, config.warm_up))
    step = _resume(task.checkpoint, network, optimizer, schedule, team)
    began, losses = time.perf_counter(), []
    kept = began
    parts = math.ceil(task.batch(team) / PART) if device.type == "cuda" else 1
    with ThreadPoolExecutor(CHARTS_AT_ONCE) as charts:
        for batch in _laid_out(lessons, task, team, step, parts):
            optimizer.zero_grad(set_to_none=True)
            loss = _backward(network, batch, device, charts)
            due = task.checkpoint is not None and time.perf_counter() - kept >= CHECKPOINT_EVERY
            shares = gradients.average(Share(sum(len(part.solvable) for part in batch), loss, due))
            losses.append(mean_loss(shares))
            torch.nn.utils.clip_grad_norm_(network.parameters(), config.clip)
            optimizer.step()
            schedule.step()
            step += 1
            if report is not None and (step % 100 == 0 or step % per_epoch == 0):
                mean = sum(losses) / len(losses)
                report(EncoderProgress(step, steps, mean, time.perf_counter() - began))
                losses = []
            if task.checkpoint is not None and shares[0].checkpoint_due:
                _save_checkpoint(task.checkpoint, network, optimizer, schedule, step, team)
                kept = time.perf_counter()


def _in_sixteen_bits(config: EncoderTraining, device: torch.device) -> bool:
    """Whether the encoder's products are of 16-bit numbers; a GPU has TF32 instead."""
    return device.type == "cpu" and (
        _multiplies_16_bits() if config.sixteen_bits is None else config.sixteen_bits
    )


def _own_seed(seed: int, team: Team) -> int:
    """The random seed of a process; that of process 0 is the configuration's."""
    return int(np.random.SeedSequence((seed, team.rank)).generate_state(1)[0]) if team.rank else seed


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Some problems, padded, and the charts of those that have a gold."""

    arrays: dict[str, NDArray[Any]]
    charts: Charts
    solvable: NDArray[np.bool_]  # [P], whether they have a gold
    asked: NDArray[np.int64]  # [P], what a system is asked for; -1 if it is not a system, or not known
    relations: NDArray[np.int64]  # [pairs, 4], a problem, two of its numbers, and their relation


def _laid_out(
    lessons: Sequence[Lesson], task: _Task, team: Team, done: int, parts: int
) -> Iterator[list[_Batch]]:
    """This process's part of the batches of all epochs except the finished ones, each in parts.

    Batches are drawn in the same way in all processes, so that those of a step have texts of about the same
    length. A process that has one lesson fewer than process 0 has one problem fewer in one of its batches.
    """
    missing = task.share(team) - len(lessons)
    words = [*(one.inputs.words for one in lessons), *[sys.maxsize] * missing]
    per_epoch = task.per_epoch(team)
    for epoch in range(done // per_epoch, task.config.epochs):
        rng = np.random.default_rng((task.config.seed, epoch))
        order = _batches(words, task.batch(team), rng)
        own = np.random.default_rng((task.config.seed, epoch, team.rank)) if team.rank else rng
        each = (
            [
                _lay_out(part, task.config, own, task.hidden_piece, task.grammar)
                for part in _in_parts([lessons[index] for index in chosen if index < len(lessons)], parts)
            ]
            for chosen in order
        )
        # Finished batches are prepared again, so that the RNG state is what it would have been.
        yield from islice(_prefetched(each), max(0, done - epoch * per_epoch), None)


def _in_parts(items: Sequence[Item], parts: int) -> Iterator[list[Item]]:
    return batches(items, math.ceil(len(items) / parts))


def _lay_out(
    batch: Sequence[Lesson],
    config: EncoderTraining,
    rng: np.random.Generator,
    hidden_piece: int,
    grammar: Grammar,
) -> _Batch:
    """A batch in the layout of the network and the chart, with some of the text masked."""
    arrays = pad([one.inputs for one in batch])
    _hide(arrays, config, rng, hidden_piece)
    known = [(one.inputs, one.gold) for one in batch if one.gold is not None]
    golds = [gold for _, gold in known]
    full = [_competitors(gold, grammar, rng.random() < config.against_all) for gold in golds]
    charts = Charts.of(
        [inputs.words for inputs, _ in known],
        [inputs.anchors for inputs, _ in known],
        golds,
        full,
        config.threads,
        symbols_of([*full, *golds]),
    )
    asked = [-1 if one.asked is None else CHOICES.index(one.asked) for one in batch]
    solvable = np.array([one.gold is not None for one in batch])
    return _Batch(arrays, charts, solvable, np.array(asked), _all_relations(batch))


def _all_relations(batch: Sequence[Lesson]) -> NDArray[np.int64]:
    """The relations of the numbers of each problem, after its row in the batch."""
    rows = np.repeat(np.arange(len(batch)), [len(one.relations) for one in batch])
    return np.column_stack([rows, np.concatenate([one.relations for one in batch])]).astype(np.int64)


def _competitors(gold: Forest, grammar: Grammar, against_all: bool) -> Forest:
    """What the gold competes with: everything, or for a value only the other values.

    The chart of all equations and systems takes seven times as long as that of the values, and for a text
    whose gold is a value they soon have hardly any probability. Both are conditional likelihoods of the same
    model; the second is conditioned on the tree being a value.
    """
    value = all(state.symbol in _VALUES for state in gold.states)
    return grammar.values if value and not against_all else grammar.full


def _prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The items, each prepared while the previous one is used."""
    end: Any = object()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(next, items, end)
        while (item := future.result()) is not end:
            future = pool.submit(next, items, end)
            yield item


def _backward(
    network: EncoderNetwork, parts: Sequence[_Batch], device: torch.device, charts: ThreadPoolExecutor
) -> float:
    """The mean negative log-likelihood of a batch; its gradient is added to the parameters' gradients."""
    count = sum(len(part.solvable) for part in parts)
    losses = [charts.submit(_loss, _outputs(network, part, device), part) for part in parts]
    total = 0.0
    for future in losses:
        loss = future.result() / count
        loss.backward()
        total += float(loss.detach())
    return total


def _outputs(network: EncoderNetwork, batch: _Batch, device: torch.device) -> tuple[torch.Tensor, ...]:
    arrays = batch.arrays | {"symbols": np.array(batch.charts.symbols, dtype=np.int64)}
    outputs: tuple[torch.Tensor, ...] = network(
        **{name: _to_device(array, device) for name, array in arrays.items()}
    )
    return outputs


def _loss(outputs: tuple[torch.Tensor, ...], batch: _Batch) -> torch.Tensor:
    """The negative log-likelihood of some problems, a sum of four.

    Whether a text is beyond the grammar, the tree of a text that is not, what a system is asked for, and how
    its numbers are related, which counts as much as a single relation would.
    """
    step, fixed, number, beyond, asked, relations = outputs
    device = step.device
    is_beyond = torch.as_tensor(~batch.solvable, dtype=torch.float32, device=device)
    loss = functional.binary_cross_entropy_with_logits(beyond, is_beyond, reduction="sum").cpu()
    if (batch.asked >= 0).any():
        target = torch.as_tensor(batch.asked, device=device)
        loss = loss + functional.cross_entropy(asked, target, ignore_index=-1, reduction="sum").cpu()
    if len(batch.relations):
        loss = loss + _relation_loss(relations, batch.relations).cpu()
    if batch.solvable.any():
        solvable = torch.as_tensor(np.flatnonzero(batch.solvable), device=device)
        likelihoods = log_likelihood(step[solvable], fixed[solvable], number[solvable], batch.charts)
        loss = loss - likelihoods.sum()
    return loss


def _relation_loss(outputs: torch.Tensor, relations: NDArray[np.int64]) -> torch.Tensor:
    """The negative log-likelihood of the relations of numbers, the mean of each problem's."""
    rows = relations[:, 0]
    weights = torch.as_tensor(1 / np.bincount(rows)[rows], dtype=outputs.dtype, device=outputs.device)
    row, first, second, target = torch.as_tensor(relations, device=outputs.device).unbind(1)
    each = functional.cross_entropy(outputs[row, first, second], target, reduction="none")
    return (weights * each).sum()


def _to_device(array: NDArray[Any], device: torch.device) -> torch.Tensor:
    tensor = torch.as_tensor(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor


def _hide(
    arrays: dict[str, NDArray[Any]], config: EncoderTraining, rng: np.random.Generator, hidden_piece: int
) -> None:
    """Mask some pieces (never the first or last), and hide the facts about numbers of some problems."""
    ids = arrays["ids"]
    inside = arrays["mask"].astype(bool)
    inside[:, 0] = False
    inside[np.arange(len(ids)), arrays["mask"].sum(axis=1) - 1] = False
    ids[inside & (rng.random(ids.shape) < config.hide_words)] = hidden_piece
    arrays["features"][rng.random(len(ids)) < config.hide_facts, :, 2:FEATURE_COUNT] = 0


def _batches(words: Sequence[int], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The problems shuffled, then batched with others of about their length, the batches shuffled again."""
    order = rng.permutation(len(words)).tolist()
    found: list[list[int]] = []
    for chunk in batches(order, 32 * size):
        found += map(list, batches(sorted(chunk, key=lambda index: words[index]), size))
    for index in rng.permutation(len(found)):
        yield found[index]


def _optimizer(network: EncoderNetwork, config: EncoderTraining) -> torch.optim.Optimizer:
    encoder = {id(parameter) for parameter in network.encoder.parameters()}
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for parameter in network.parameters():
        groups.setdefault((id(parameter) in encoder, parameter.ndim > 1), []).append(parameter)
    return torch.optim.AdamW(
        [
            {
                "params": parameters,
                "lr": config.rate if in_encoder else config.head_rate,
                "weight_decay": config.weight_decay if matrix else 0.0,
            }
            for (in_encoder, matrix), parameters in groups.items()
        ],
        fused=True,
    )


def _rate(step: int, steps: int, warm_up: float) -> float:
    """The learning rate at a step, as a share of the full one."""
    rising = max(1.0, warm_up * steps)
    return min((step + 1) / rising, max(0.0, (steps - step) / max(1.0, steps - rising)))


def _save_checkpoint(
    path: Path, network: EncoderNetwork, optimizer: Any, schedule: Any, step: int, team: Team
) -> None:
    """Process 0 writes the checkpoint, with the RNG states of all processes."""
    states = team.exchange([state.numpy() for state in _rng_states()])
    if team.rank:
        return
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
    state |= {"random": [torch.from_numpy(own) for own in chain.from_iterable(states)]}
    unfinished = path.with_name(path.name + ".part")
    torch.save(state | {"schedule": schedule.state_dict(), "step": step}, unfinished)
    unfinished.replace(path)


def _resume(path: Path | None, network: EncoderNetwork, optimizer: Any, schedule: Any, team: Team) -> int:
    """Load the checkpoint, if there is one, and return the number of finished steps."""
    if path is None or not path.exists():
        return 0
    # Only tensors and plain values are read, so a checkpoint can't run code.
    state = torch.load(path, weights_only=True, map_location="cpu")
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    _restore_rng(state["random"], team)
    return int(state["step"])


def _rng_states() -> list[torch.Tensor]:
    """The RNG states of the CPU and of the GPU, if there is one."""
    return [torch.get_rng_state(), *([torch.cuda.get_rng_state()] if torch.cuda.is_available() else [])]


def _restore_rng(states: Sequence[torch.Tensor], team: Team) -> None:
    """Set this process's RNG states, if the checkpoint has them: it may be of fewer processes."""
    each = len(_rng_states())
    own = states[each * team.rank : each * (team.rank + 1)]
    if own:
        torch.set_rng_state(own[0])
    if len(own) > 1:
        torch.cuda.set_rng_state(own[1])

"""Several processes train one network, in step."""

from __future__ import annotations

import copy
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import Letters
from text2math.inference.forest import PAPER_GRAMMAR
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix
from text2math.parallel import WorkerError

torch = pytest.importorskip("torch", reason="the extra [torch] is not installed")
transformers = pytest.importorskip("transformers", reason="the extra [torch] is not installed")

from text2math.neural import training  # noqa: E402
from text2math.neural.data_parallel import Share, SharedGradients, Team, _teams, train_in_processes  # noqa: E402
from text2math.neural.lessons import Lesson, prepare  # noqa: E402
from text2math.neural.network import EncoderNetwork  # noqa: E402
from text2math.neural.training import EncoderProgress, EncoderTraining, train  # noqa: E402

CONFIG = EncoderTraining(epochs=3, batch=4, rate=1e-3, head_rate=1e-2, threads=1, processes=2)
PLAIN = replace(CONFIG, epochs=1, hide_words=0.0, hide_facts=0.0, against_all=1.0, sixteen_bits=False)


@pytest.fixture(scope="module")
def lessons() -> list[Lesson]:
    texts = [
        ("Tom had 7 cats and got 3 more. How many cats has he?", "7[0] + 3[1]"),
        ("Tom had 7 cats and lost 3. How many cats has he?", "7[0] - 3[1]"),
        ("A number plus 4 is 9.", "X1 + 4[0] = 9[1]"),
        ("There are 4 boxes of 6 pens. How many pens are there?", "4[0] * 6[1]"),
    ]
    examples = [Example(read_problem(text), from_infix(gold)) for text, gold in texts]
    riddle = Example(read_problem("What has 4 wheels and 2 wings but no feet?"), None)
    return prepare([*examples, riddle], Letters())


def toy_network(dropout: float) -> EncoderNetwork:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=60,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    network = EncoderNetwork(transformers.BertModel(config, add_pooling_layer=False), dropout)
    for layer in (network.before, network.after, network.whole, network.used):
        torch.nn.init.normal_(layer.weight, std=0.1)
    return network


def same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def test_processes_exchange_values_in_the_order_of_their_ranks() -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda team: team.exchange(f"from {team.rank}"), _teams(3)))
    assert found == [["from 0", "from 1", "from 2"]] * 3


def test_the_average_gradient_is_that_of_all_problems_together(lessons: list[Lesson]) -> None:
    def backward(network: EncoderNetwork, own: list[Lesson]) -> Share:
        batch = training._lay_out(own, PLAIN, np.random.default_rng(0), 0, PAPER_GRAMMAR)
        with ThreadPoolExecutor(1) as charts:
            return Share(len(own), training._backward(network, [batch], torch.device("cpu"), charts))

    def averaged(team: Team, network: EncoderNetwork, own: list[Lesson]) -> list[Share]:
        gradients = SharedGradients(team, list(network.parameters()))
        for _ in range(3):  # the two sets of rows take turns
            network.zero_grad()
            shares = gradients.average(backward(network, own))
        return shares

    whole, *networks = (toy_network(0.0) for _ in range(3))
    together = backward(whole, lessons)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(averaged, _teams(2), networks, [lessons[:3], lessons[3:]]))
    for network, shares in zip(networks, found, strict=True):
        assert training.mean_loss(shares) == pytest.approx(together.loss, rel=1e-5)
        for (name, one), other in zip(network.named_parameters(), whole.parameters(), strict=True):
            assert (one.grad is None) == (other.grad is None), name
            if one.grad is not None:
                torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6)
    assert whole.asked.weight.grad is None  # no text is a system


def test_processes_have_random_seeds_of_their_own() -> None:
    assert training._own_seed(7, Team()) == 7
    seeds = {training._own_seed(seed, Team(rank, 4)) for seed in range(3) for rank in range(4)}
    assert len(seeds) == 12


def test_an_epoch_has_every_lesson_once_and_as_many_batches_in_each_process(lessons: list[Lesson]) -> None:
    task = training._Task(PLAIN, 0, PAPER_GRAMMAR, None, len(lessons))
    seen, counts = [], []
    for rank in range(2):
        batches = list(training._laid_out(lessons[rank::2], task, Team(rank, 2), 0, 1))
        counts.append(len(batches))
        seen += [row for batch in batches for part in batch for row in part.arrays["mask"].sum(axis=1)]
    assert counts == [2, 2]  # the second process has nothing in one of them
    assert sorted(seen) == sorted(len(one.inputs.ids) for one in lessons)


@pytest.mark.parametrize(
    ("cores", "batch", "processes"), [(16, 128, 4), (64, 512, 4), (16, 64, 2), (8, 128, 2), (3, 128, 1)]
)
def test_a_gpu_is_shared_by_as_many_processes_as_cores_and_batches_allow(
    monkeypatch: pytest.MonkeyPatch, cores: int, batch: int, processes: int
) -> None:
    monkeypatch.setattr(training, "available_cores", lambda: cores)
    assert training._processes(EncoderTraining(batch=batch), 1000) == 1
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert training._processes(EncoderTraining(batch=batch), 1000) == processes
    assert training._processes(EncoderTraining(batch=batch, processes=3), 2) == 2


@pytest.mark.parametrize(
    ("cores", "batch", "lessons", "processes"),
    [(2, 64, 60_000, 2), (16, 64, 60_000, 4), (2, 8, 60_000, 1), (2, 64, 1_500, 1), (1, 64, 60_000, 1)],
)
def test_without_a_gpu_each_core_has_a_process_if_there_is_enough_to_learn(
    monkeypatch: pytest.MonkeyPatch, cores: int, batch: int, lessons: int, processes: int
) -> None:
    monkeypatch.setattr(training, "available_cores", lambda: cores)
    assert training._processes(EncoderTraining(batch=batch), lessons) == processes


def test_no_processes_are_refused(lessons: list[Lesson]) -> None:
    with pytest.raises(ValueError, match="at least one process"):
        train(toy_network(0.0), lessons, replace(CONFIG, processes=0), hidden_piece=0)


def fit_and_keep(folder: Path, task: Any, network: Any, own: Any, team: Team, report: Any) -> None:
    training._fit(task, network, own, team, report)
    torch.save(network.state_dict(), folder / f"{team.rank}.pt")


@pytest.mark.slow
def test_all_processes_end_with_the_same_parameters(lessons: list[Lesson], tmp_path: Path) -> None:
    network, start = toy_network(0.1), toy_network(0.1).state_dict()
    task = training._Task(CONFIG, 0, PAPER_GRAMMAR, None, len(lessons))
    reports: list[EncoderProgress] = []
    fit = partial(fit_and_keep, tmp_path, task)
    train_in_processes(fit, network, lessons, 2, seed=0, report=reports.append)
    first, second = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(2))
    assert same(first, second)
    assert same(first, network.state_dict())
    assert not same(first, start)
    assert [one.step for one in reports] == [2, 4, 6]


@pytest.mark.slow
def test_two_processes_take_the_step_that_one_would(lessons: list[Lesson]) -> None:
    config = replace(PLAIN, batch=6)
    one, two = toy_network(0.0), toy_network(0.0)
    train(one, lessons, replace(config, processes=1), hidden_piece=0)
    train(two, lessons, config, hidden_piece=0)
    for (name, left), right in zip(one.named_parameters(), two.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=1e-3, atol=1e-5, msg=name)


def kill_a_process() -> None:
    pid = multiprocessing.active_children()[-1].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize(("end", "error"), [(kill_a_process, WorkerError), (press_ctrl_c, KeyboardInterrupt)])
def test_a_killed_process_or_an_interrupt_ends_all_processes_within_seconds(
    lessons: list[Lesson],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[], None],
    error: type[BaseException],
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended: list[float] = []

    def once(progress: EncoderProgress) -> None:
        if not ended:
            ended.append(time.perf_counter())
            end()

    with pytest.raises(error):
        train(toy_network(0.1), lessons, replace(CONFIG, epochs=10**6), hidden_piece=0, report=once)
    assert time.perf_counter() - ended[0] < 10
    assert not multiprocessing.active_children()
    assert not list(tmp_path.glob("text2math-*"))  # the lessons' files


def fit_until(steps: int, task: Any, network: Any, own: Any, team: Team, report: Any) -> None:
    """Train with a checkpoint of each step; process 0, which writes them, fails after some steps."""
    left, backward = iter(range(steps)), training._backward

    def until_cut_off(*given: Any) -> float:
        if team.rank == 0 and next(left, None) is None:
            raise InterruptedError("cut off")
        return backward(*given)

    training.CHECKPOINT_EVERY = 0.0
    training._backward = until_cut_off
    training._fit(task, network, own, team, report)


@pytest.mark.slow
def test_a_resumed_run_equals_an_uninterrupted_one(lessons: list[Lesson], tmp_path: Path) -> None:
    start, path = toy_network(0.1), tmp_path / "checkpoint.pt"
    uninterrupted, resumed = copy.deepcopy(start), copy.deepcopy(start)
    train(uninterrupted, lessons, CONFIG, hidden_piece=0)
    task = training._Task(CONFIG, 0, PAPER_GRAMMAR, path, len(lessons))
    with pytest.raises(WorkerError, match="cut off"):
        train_in_processes(partial(fit_until, 3, task), resumed, lessons, 2, seed=0, report=None)
    assert torch.load(path, weights_only=True)["step"] == 3
    train(resumed, lessons, CONFIG, hidden_piece=0, checkpoint=path)
    assert same(uninterrupted.state_dict(), resumed.state_dict())


@pytest.mark.slow
def test_an_error_of_the_report_ends_training(lessons: list[Lesson]) -> None:
    def refuse(progress: EncoderProgress) -> None:
        raise KeyError("no room")

    with pytest.raises(KeyError, match="no room"):
        train(toy_network(0.1), lessons, replace(CONFIG, epochs=10**6), hidden_piece=0, report=refuse)

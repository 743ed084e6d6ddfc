"""The queue that threads share: every problem is taken once, the costly ones first."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit

from text2math.inference import crf
from text2math.inference.crf import ForestBatch, PotentialsBatch, log_partitions
from text2math.inference.forest import ARITHMETIC, EQUATIONS, Forest
from text2math.inference.potentials import Potentials
from text2math.inference.work_queue import queue_of, take_number


@njit(nogil=True)
def count_taken(queue: object, times: object) -> None:
    problems, taken = queue
    for _ in range(len(problems)):
        at = take_number(taken)
        if at >= len(problems):
            break
        times[problems[at]] += 1


def test_threads_that_share_a_queue_take_everything_once() -> None:
    size, threads = 200_000, 4
    queue, times = queue_of(np.arange(size)), np.zeros((threads, size), dtype=np.int64)
    together = threading.Barrier(threads)

    def take(own: np.ndarray) -> None:
        together.wait()
        count_taken(queue, own)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(take, times))
    assert (times.sum(axis=0) == 1).all()


def some_problems() -> tuple[PotentialsBatch, ForestBatch]:
    small, large = Forest.full(ARITHMETIC), Forest.full(EQUATIONS)
    batch = PotentialsBatch.of([Potentials.zeros(words, [0, 2]) for words in (5, 9, 9, 12)])
    return batch, ForestBatch.of([[large], [small], [large], [large]])


def test_long_texts_with_large_forests_come_first() -> None:
    assert crf._costly_first(*some_problems()).tolist() == [3, 2, 1, 0]


def test_many_calls_share_their_threads() -> None:
    log_partitions(*some_problems(), threads=4)
    before = threading.active_count()
    for _ in range(5):
        log_partitions(*some_problems(), threads=4)
    assert threading.active_count() <= max(before, crf.available_cores() + 1)
    assert any(thread.name.startswith("text2math-chart") for thread in threading.enumerate())


def test_an_error_in_a_thread_is_raised_here() -> None:
    begun = threading.Event()

    def run(queue: object) -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait(10)
            return
        begun.set()
        raise ArithmeticError("elsewhere")

    with pytest.raises(ArithmeticError, match="elsewhere"):
        crf._in_threads(run, np.arange(2), 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_fills_charts_with_threads_of_its_own() -> None:
    expected = log_partitions(*some_problems(), threads=3)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=lambda: results.put(log_partitions(*some_problems(), threads=3)))
    process.start()
    process.join(30)
    if process.is_alive():
        process.kill()
    assert process.exitcode == 0
    np.testing.assert_array_equal(results.get(), expected)

"""One thread watches over all runs."""

from __future__ import annotations

import multiprocessing
import threading
import time

import pytest

from text2math.scorers.watchdog import watched


class Run:
    terminate = False


def stopped_within(seconds: float) -> bool:
    """Whether a run that is over only when it is stopped is stopped."""
    end = time.monotonic() + seconds
    with watched(Run(), 0.01) as run:
        while not run.terminate and time.monotonic() < end:
            time.sleep(0.01)
    return run.terminate


def test_a_run_that_takes_too_long_is_stopped_and_others_are_not() -> None:
    with watched(Run(), 60.0) as patient:
        assert stopped_within(20.0)
    assert not patient.terminate


def test_all_runs_share_one_thread_that_wakes_after_a_rest() -> None:
    assert stopped_within(20.0)
    time.sleep(0.6)  # it rests where nothing runs
    threads = threading.active_count()
    assert stopped_within(20.0)
    for _ in range(100):
        with watched(Run(), 60.0):
            pass
    assert threading.active_count() == threads


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
def test_the_child_of_a_fork_is_watched_too() -> None:
    assert stopped_within(20.0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(stopped_within, (20.0,))

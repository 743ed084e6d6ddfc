from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from text2math.parallel import WorkerError, available_cores, in_order, run_parallel


def double(number: int) -> int:
    return 2 * number


def threads() -> tuple[str, int]:
    return os.environ["NUMBA_NUM_THREADS"], os.getpid()


def fail(number: int) -> int:
    if number == 1:
        raise ValueError("one is not welcome")
    time.sleep(60)
    return number


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def linger(folder: Path, name: str) -> None:
    (folder / name).write_text(str(os.getpid()))
    time.sleep(60)


def alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def test_every_call_gives_its_result_under_its_index() -> None:
    assert dict(run_parallel(double, [(n,) for n in range(5)], workers=3)) == {n: 2 * n for n in range(5)}


def test_no_calls_give_no_results() -> None:
    assert list(run_parallel(double, [], workers=2)) == []


def test_no_workers_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        next(run_parallel(double, [(1,)], workers=0))


def test_processes_share_the_cores_and_leave_our_settings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "7")
    handler = signal.getsignal(signal.SIGINT)
    results = dict(run_parallel(threads, [(), ()], workers=2)).values()
    assert {share for share, _ in results} == {str(max(1, available_cores() // 2))}
    assert len({pid for _, pid in results} | {os.getpid()}) == 3
    assert os.environ["NUMBA_NUM_THREADS"] == "7"
    assert signal.getsignal(signal.SIGINT) is handler


def threads_of_blas() -> str:
    return os.environ["OPENBLAS_NUM_THREADS"]


def test_blas_has_one_thread_however_few_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2math.parallel.available_cores", lambda: 8)
    assert list(run_parallel(threads_of_blas, [()], workers=1)) == [(0, "1")]


def process_of(number: int) -> int:
    return os.getpid()


def test_a_process_does_many_calls() -> None:
    assert len({pid for _, pid in run_parallel(process_of, [(n,) for n in range(9)], workers=2)}) == 2


class Unread:
    """What a process takes a second to unpickle, and what is more than a pipe holds."""

    loaded = 0

    def __init__(self) -> None:
        self.bulk = bytes(1_000_000)

    def __setstate__(self, state: dict[str, bytes]) -> None:
        time.sleep(1)
        Unread.loaded += 1

    def times_loaded(self, number: int) -> int:
        return Unread.loaded


def test_the_function_goes_to_a_process_once_and_no_process_waits_for_another_to_read_it() -> None:
    begun: list[float] = []
    calls = [(n,) for n in range(8)]
    found = run_parallel(
        Unread().times_loaded, calls, workers=4, on_start=lambda _: begun.append(time.perf_counter())
    )
    assert [loaded for _, loaded in found] == [1] * 8
    assert begun[3] - begun[0] < 1  # the first four, each of which takes more than a second to be there


def raise_end_of_file() -> None:
    raise EOFError("no more")


def test_an_error_that_looks_like_a_closed_pipe_is_told_too() -> None:
    with pytest.raises(WorkerError, match="EOFError: no more"):
        list(run_parallel(raise_end_of_file, [()], workers=1))


def test_a_result_that_cannot_be_sent_is_an_error_that_says_so() -> None:
    with pytest.raises(WorkerError, match="pickle"):
        list(run_parallel(threading.Lock, [()], workers=1))


def test_an_error_is_told_with_its_traceback_and_stops_the_others() -> None:
    start = time.perf_counter()
    with pytest.raises(WorkerError, match="ValueError: one is not welcome") as caught:
        list(run_parallel(fail, [(0,), (1,)], workers=2))
    assert time.perf_counter() - start < 30
    assert "in fail" in caught.value.__notes__[0]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_worker_that_is_killed_is_an_error_not_a_hang() -> None:
    with pytest.raises(WorkerError, match="exit code -9"):
        list(run_parallel(die, [()], workers=1))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks for processes in /proc")
def killed_at(limit: int, item: int) -> int:
    if item == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def doubled(shared: int, item: int) -> int:
    return shared * item


def all_doubled(shared: int, items: list[int]) -> list[int]:
    return [1000 * shared + item for item in items]


def test_processes_work_on_a_whole_chunk_where_that_is_given() -> None:
    found = in_order(2, doubled, range(5), workers=2, work_on_all=all_doubled, few=2, chunk=2)
    assert list(found) == [0, 2, 2002, 2003, 2004]


def test_a_killed_worker_of_many_items_says_how_to_go_on() -> None:
    with pytest.raises(WorkerError, match=r"killed.*try fewer workers.*go on"):
        list(in_order(3, killed_at, range(6), workers=2, few=0, chunk=1))


def test_leaving_early_stops_the_workers(tmp_path: Path) -> None:
    calls = [(tmp_path, "a"), (tmp_path, "b"), (tmp_path, "c")]
    started: list[int] = []

    def give_up(index: int) -> None:
        if index == 1:
            while not list(tmp_path.iterdir()) or not (tmp_path / "a").read_text():
                time.sleep(0.01)
            raise KeyboardInterrupt
        started.append(index)

    with (
        closing(run_parallel(linger, calls, workers=2, on_start=give_up)) as results,
        pytest.raises(KeyboardInterrupt),
    ):
        next(results)
    assert started == [0]
    assert not alive(int((tmp_path / "a").read_text()))


SCRIPT = """
import sys
from pathlib import Path
import test_parallel
from text2math.parallel import run_parallel
if __name__ == "__main__":
    list(run_parallel(test_parallel.linger, [(Path(sys.argv[1]), "a"), (Path(sys.argv[1]), "b")], workers=2))
"""


def interrupts_are_blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


FIRST_START = """
import test_parallel
from text2math.parallel import run_parallel
if __name__ == "__main__":
    print(list(run_parallel(test_parallel.interrupts_are_blocked, [()], workers=1)))
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signal masks")
def test_even_the_first_process_never_sees_an_interrupt(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(FIRST_START)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[(0, True)]\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_when_we_are_interrupted_or_killed(tmp_path: Path, kind: signal.Signals) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "pids"
    script.write_text(SCRIPT)
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: len([path for path in folder.iterdir() if path.read_text()]) == 2)
    pids = [int(path.read_text()) for path in folder.iterdir()]
    # A terminal's Ctrl-C reaches the workers too; the other signals only us.
    (os.killpg if kind is signal.SIGINT else os.kill)(process.pid, kind)
    _, error = process.communicate(timeout=30)
    assert error.count("Traceback") <= 1
    wait_until(lambda: not any(map(alive, pids)))


INTERRUPTED_START = """
import os, signal, sys, threading
import test_parallel
from text2math.parallel import run_parallel

def interrupt(index):
    if index == 1:
        threading.Timer(float(sys.argv[1]), os.killpg, (os.getpgrp(), signal.SIGINT)).start()

if __name__ == "__main__":
    # More than a pipe holds, so that it is still on its way.
    list(run_parallel(test_parallel.wait_long, [(b"x" * 2_000_000,)] * 2, workers=2, on_start=interrupt))
"""


def wait_long(ballast: bytes) -> None:
    time.sleep(60)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals")
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.3])
def test_an_interrupt_while_a_worker_starts_is_not_lost(tmp_path: Path, delay: float) -> None:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED_START)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(script), str(delay)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=50,
        check=False,
    )
    assert time.perf_counter() - start < 40
    assert done.returncode == -signal.SIGINT
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def wait_until(true: object) -> None:
    assert callable(true)
    end = time.perf_counter() + 30
    while not true():
        assert time.perf_counter() < end
        time.sleep(0.02)

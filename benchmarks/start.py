"""How long ``text2math solve`` takes from the start of its process to its end, with compiled kernels cached.

    python benchmarks/start.py [--repeats 8]

Each run is a new process. Python's bytecode is cached too, as it is where the package was installed with pip;
the first two runs, which fill the caches, are not counted. The best run is the one that other programs
disturbed least. The processor's time is that of the process and its threads.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TEXT = "Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?"
COMMAND = (sys.executable, "-m", "text2math", "solve", *TEXT.split())
STARTS = {
    "python alone": (sys.executable, "-c", "pass"),
    "with numba and onnxruntime": (sys.executable, "-c", "import numba, onnxruntime"),
    "text2math solve": COMMAND,
}


def seconds(command: tuple[str, ...], environment: dict[str, str]) -> tuple[float, float]:
    """What a process took: on the clock, and of the processor."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(2):
            subprocess.run(COMMAND, env=environment, check=True, stdout=subprocess.DEVNULL)
        print(f"{'':28} {'best':>8} {'median':>8} {'processor, best':>16} {'median':>8}")
        for name, command in STARTS.items():
            wall, busy = zip(*(seconds(command, environment) for _ in range(options.repeats)), strict=True)
            shown = f"{min(wall):8.2f} {statistics.median(wall):8.2f} {min(busy):16.2f}"
            print(f"{name:28} {shown} {statistics.median(busy):8.2f}")


if __name__ == "__main__":
    main()

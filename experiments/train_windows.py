"""Train the window networks of the paper's table, all of a fold at once, on a graphics card if there is one.

    python experiments/train_windows.py FOLDER OUT ai2 il equations [--seeds 5] [--iterations 100]

FOLDER has what ``python experiments/windows.py prepare`` wrote; ``windows.py judge`` reads OUT. This needs
numpy and torch alone.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from text2math.neural.window_batch import TABLES, Plan, WindowProblems, train_windows

REACHES = range(7)


def train_fold(path: Path, out: Path, plans: list[Plan], iterations: int, device: str) -> None:
    """Train all networks of a fold; write their scores for its test problems, and jointly trained weights."""
    problems = WindowProblems.load(path)
    start = time.perf_counter()
    trained = train_windows(problems, plans, iterations=iterations, device=device)
    seconds = time.perf_counter() - start
    joint = [one.tables for one in trained if one.tables is not None]
    arrays: dict[str, Any] = {
        "plans": np.array([one.plan for one in trained]),
        "scores": np.stack([one.scores[:, problems.symbols] for one in trained]).astype(np.float32),
        "seconds": seconds,
        "device": torch.cuda.get_device_name() if device == "cuda" else "processor",
    }
    if joint:
        arrays |= {name: np.stack([one[name] for one in joint]).astype(np.float32) for name in TABLES}
    np.savez_compressed(out / path.name, **arrays)
    print(f"{path.stem}: {len(plans)} networks in {seconds:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    plans = [
        Plan(reach, seed, joint)
        for joint in (False, True)
        for reach in REACHES
        for seed in range(options.seeds)
    ]
    for name in options.names:
        for path in sorted(options.folder.glob(f"{name}-*.npz")):
            train_fold(path, options.out, plans, options.iterations, device)


if __name__ == "__main__":
    main()

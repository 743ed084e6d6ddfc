"""Train the window networks of the paper's table, many of a fold at once, on a graphics card if there is one.

    python experiments/train_windows.py FOLDER OUT ai2 il equations [--seeds 5] [--fixed | --joint]

FOLDER has what ``python experiments/windows.py prepare`` wrote; ``windows.py judge`` reads OUT. What is in
OUT already is not trained again. Without a graphics card it takes one core: start it once for each data set
to use more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from text2math.neural.window_batch import TABLES, Plan, Trained, WindowProblems, train_windows

REACHES = range(7)


def plans_in(path: Path) -> list[Plan]:
    """The networks in a file, if it is there."""
    if not path.exists():
        return []
    with np.load(path) as found:
        return [Plan(reach, seed, bool(joint)) for reach, seed, joint in found["plans"].tolist()]


def train_fold(
    path: Path, out: Path, plans: Sequence[Plan], *, iterations: int = 100, device: str = "cpu"
) -> None:
    """Train those networks of a fold that are not there yet, and add them to its file."""
    done = plans_in(out / path.name)
    wanted = [plan for plan in plans if plan not in done]
    if not wanted:
        return
    torch.set_num_threads(1)  # its tensors are too small to share
    problems = WindowProblems.load(path)
    start = time.process_time()
    trained = train_windows(problems, wanted, iterations=iterations, device=device)
    append(out / path.name, trained, device)
    seconds = time.process_time() - start
    print(f"{path.stem}: {len(wanted)} networks in {seconds:.0f} s of processor time", flush=True)


def append(path: Path, trained: Sequence[Trained], device: str) -> None:
    """Add networks' scores of the test problems, and jointly trained weights, to a file."""
    own: dict[str, Any] = {
        "plans": np.array([one.plan for one in trained]),
        "scores": np.stack([one.scores for one in trained]).astype(np.float32),
    }
    joint = [one.tables for one in trained if one.tables is not None]
    if joint:
        own |= {name: np.stack([one[name] for one in joint]).astype(np.float32) for name in TABLES}
    if path.exists():
        with np.load(path) as found:
            old = dict(found)
        own = old | {
            name: np.concatenate([old[name], one]) if name in old else one for name, one in own.items()
        }
    own["device"] = np.array(torch.cuda.get_device_name() if device == "cuda" else "processor")
    # An interrupted run leaves the old file or the new one, never half of one.
    unfinished = path.with_suffix(".unfinished.npz")
    np.savez_compressed(unfinished, **own)
    unfinished.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=100)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--fixed", action="store_true", help="only networks on fixed discrete weights")
    only.add_argument("--joint", action="store_true", help="only networks trained with the discrete weights")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    ways = [False] if options.fixed else [True] if options.joint else [False, True]
    for joint in ways:
        plans = [Plan(reach, seed, joint) for reach in REACHES for seed in range(options.seeds)]
        for name in options.names:
            for path in sorted(options.folder.glob(f"{name}-*.npz")):
                train_fold(path, options.out, plans, iterations=options.iterations, device=device)


if __name__ == "__main__":
    main()

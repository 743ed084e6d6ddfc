"""How long the contextual scorer takes to learn: an epoch over 1,700 stories, and the chart's share of it.

On a CPU, also with one process and 32-bit products, for a ratio in the same run.

    python benchmarks/encoder.py FOLDER [--count 1700]

FOLDER is the Hugging Face folder that the encoder starts from. Needs the extra [torch].
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch

from text2math.data.stories import generate
from text2math.neural import likelihood
from text2math.neural.lessons import StoryRequest, prepare_stories
from text2math.neural.network import EncoderNetwork
from text2math.neural.training import EncoderTraining, train, training_device
from text2math.parallel import available_cores
from text2math.scorers.encoder import WordPieces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1700)
    options = parser.parse_args()
    pieces = WordPieces((options.folder / "tokenizer.json").read_bytes())
    lessons = prepare_stories([StoryRequest(generate, options.count, seed=9)], pieces)
    hidden = pieces.named("[MASK]")
    device = training_device().type
    name = torch.cuda.get_device_name() if device == "cuda" else f"{available_cores()} cores"

    def epoch(config: EncoderTraining) -> float:
        network = EncoderNetwork.from_folder(options.folder)
        began = time.perf_counter()
        train(network, lessons, config, hidden_piece=hidden)
        return time.perf_counter() - began

    plain = EncoderTraining(epochs=1, processes=1, sixteen_bits=False)
    train(EncoderNetwork.from_folder(options.folder), lessons[:64], plain, hidden_piece=hidden)  # compiles
    spent = _watched()
    alone = epoch(plain)
    chart = sum(spent)
    print(
        f"{name}, one process, 32 bits: {alone:.1f} s an epoch of {len(lessons)} stories, "
        f"{1e3 * alone / len(lessons):.1f} ms a story, {chart:.1f} s of it in the chart"
    )
    if device == "cpu":
        seconds = epoch(EncoderTraining(epochs=1))
        print(f"as by default: {seconds:.1f} s, {alone / seconds:.1f} times as fast, processes started")


def _watched() -> list[float]:
    """The times that the chart takes from now on."""
    spent: list[float] = []
    chart = likelihood.expected_counts

    def watched(*arguments: object, **settings: object) -> object:
        began = time.perf_counter()
        try:
            return chart(*arguments, **settings)  # type: ignore[arg-type]
        finally:
            spent.append(time.perf_counter() - began)

    likelihood.expected_counts = watched  # type: ignore[assignment]
    return spent


if __name__ == "__main__":
    main()

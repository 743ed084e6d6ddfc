"""How long the contextual scorer takes to learn: an epoch over 1,700 stories, and the chart's share of it.

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
    network = EncoderNetwork.from_folder(options.folder)
    hidden = pieces.named("[MASK]")
    train(network, lessons[:64], EncoderTraining(epochs=1), hidden_piece=hidden)  # compiles the chart
    spent = _watched()
    began = time.perf_counter()
    train(network, lessons, EncoderTraining(epochs=1), hidden_piece=hidden)
    seconds = time.perf_counter() - began
    name = torch.cuda.get_device_name() if training_device().type == "cuda" else f"{available_cores()} cores"
    print(
        f"{name}: {seconds:.1f} s an epoch of {len(lessons)} stories, "
        f"{1e3 * seconds / len(lessons):.1f} ms a story, {sum(spent):.1f} s of it in the chart"
    )


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

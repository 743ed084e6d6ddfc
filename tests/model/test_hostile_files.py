"""Model files that mean harm, or are merely wrong: refused when loaded, quickly and in little memory."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from text2math.model import files
from text2math.model.storage import ModelFileError, load_model, save_model
from text2math.parse import Parse
from text2math.parser import load, packaged

MOST_MEGABYTES, MOST_SECONDS = 200, 1.0
SMALL = load_model(packaged("small"))
Change = Callable[[dict[str, Any], dict[str, Any]], None]


def saved(path: Path, change: Change) -> Path:
    """The packaged discrete model with a change, as someone who knows the format would make it."""
    metadata, arrays = copy.deepcopy(SMALL[0]), dict(SMALL[1])
    change(metadata, arrays)
    save_model(path, metadata, arrays)
    return path


def packed(content: bytes) -> np.ndarray[Any, Any]:
    """As small as zlib makes it, whatever our own writer would do."""
    squeezed = zlib.compress(content, 9)
    numbers = np.frombuffer(squeezed + b"\0" * (-len(squeezed) % 4), dtype="<i4")
    return np.concatenate([np.array([len(content), len(squeezed)], dtype="<i4"), numbers]).astype(np.int32)


def replaced(name: str, content: bytes) -> Change:
    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = packed(content)

    return change


def alike_names(count: int) -> Change:
    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        metadata["features"]["words"] = count
        metadata["features"] = dict.fromkeys(metadata["features"], 0) | {"words": count}
        arrays["scorer.names"] = packed(b"\n".join([b"ab"] * count))

    return change


def distinct_names(name: str, count: int) -> Change:
    """Names that are not alike take much more memory than their bytes."""

    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        if name == "scorer":
            metadata["features"] = dict.fromkeys(metadata["features"], 0) | {"words": count}
        arrays[f"{name}.names"] = packed(b"\n".join(b"%06x" % number for number in range(count)))

    return change


def weights_below_the_bound(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
    """As many weights as unpacking allows, of which each takes eight bytes in the end."""
    planes = np.zeros(50 << 20, dtype=np.uint8)
    planes[np.random.default_rng(0).integers(0, len(planes), 2_700_000)] = 1
    arrays["scorer.weights"] = packed(planes.tobytes())


BOMBS: dict[str, Change] = {
    "names that unpack to a gigabyte": replaced("scorer.names", b"\n" * (1 << 30)),
    "weights that unpack to a gigabyte": replaced("scorer.weights", bytes(1 << 30)),
    "many names that are all alike": alike_names(20_000_000),
    "fewer names that are all alike": alike_names(1_500_000),
    "many features": distinct_names("scorer", 1_200_000),
    "many features of the reranker": distinct_names("plausibility", 1_200_000),
    "many features of presence": distinct_names("presence", 1_200_000),
    "as many weights as can be packed": weights_below_the_bound,
}
MEASURE = """
import resource, sys, time
from text2math import parser
parser.load("small").parse("Tom has 3 pens.")
before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
try:
    parser.load(sys.argv[1])
except ValueError as error:
    spent, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print((after - before) // 1024, round(spent, 2), type(error).__name__)
"""


def refused_in(path: Path) -> tuple[int, float]:
    """The megabytes and seconds it took to refuse a file."""
    ran = subprocess.run((sys.executable, "-c", MEASURE, str(path)), capture_output=True, text=True)
    megabytes, seconds, error = ran.stdout.split() or (ran.stderr[-500:], "", "")
    assert error == "ModelFileError", ran.stdout
    return int(megabytes), float(seconds)


def expect_cheap(path: Path) -> None:
    megabytes, seconds = refused_in(path)
    assert megabytes < MOST_MEGABYTES
    # A busy machine may stop us for a while; the bound is on the work.
    assert seconds < MOST_SECONDS or refused_in(path)[1] < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("change", BOMBS.values(), ids=BOMBS.keys())
def test_a_small_file_that_unpacks_to_much_is_refused_cheaply(tmp_path: Path, change: Change) -> None:
    path = saved(tmp_path / "bomb.t2m", change)
    assert path.stat().st_size < packaged("small").stat().st_size + (3 << 20)
    expect_cheap(path)


@pytest.mark.slow
def test_json_that_takes_much_memory_is_refused_cheaply(tmp_path: Path) -> None:
    for value in ("[]", "{}", '{"":0}', "0.5"):
        document = f'{{"format":"text2math model","version":1,"metadata":[{",".join([value] * 3_000_000)}]}}'
        header = json.dumps({"__metadata__": {"text2math": document}}).encode()
        path = tmp_path / "values.t2m"
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        expect_cheap(path)


@pytest.mark.slow
def test_a_large_file_of_nothing_is_refused_cheaply(tmp_path: Path) -> None:
    path = tmp_path / "nothing.t2m"
    header = b'{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with open(path, "ab") as stream:
        stream.truncate(1 << 30)
    expect_cheap(path)


def setting(*place: str | int, value: object) -> Change:
    def change(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
        inner: Any = metadata
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] = value

    return change


def large_weights(metadata: dict[str, Any], arrays: dict[str, Any]) -> None:
    metadata["step"] = None
    for name in ("scorer", "plausibility", "presence"):
        packed_bytes = int(arrays[f"{name}.weights"][0])
        arrays[f"{name}.weights"] = np.full(packed_bytes // 2, 1e300)


WRONG: dict[str, tuple[Change, str]] = {
    "a temperature that is no number": (setting("extra", "temperature", value="nan"), "temperature is 'nan'"),
    "a temperature that is a list": (setting("extra", "temperature", value=[]), "temperature is \\[\\]"),
    "a temperature of zero": (setting("extra", "temperature", value=0), "temperature is 0"),
    "a negative temperature": (setting("extra", "temperature", value=-1.0), "temperature is -1.0"),
    "a card that is a list": (setting("extra", "card", value=[]), "card"),
    "a name that is a number": (setting("name", value=5), "name is 5"),
    "a huge step": (setting("step", value=10**400), "step is 1000"),
    "a step of zero": (setting("step", value=0), "step is 0"),
    "a step that is text": (setting("step", value="x"), "step is 'x'"),
    "an unknown setting": (setting("config", "features", "new", value=1), "no setting 'new'"),
    "an unknown template": (setting("config", "features", "words", value=["nose"]), "no template 'nose'"),
    "an unknown template of pairs": (setting("config", "features", "pairs", value=["nose"]), "'nose'"),
    "a template twice": (setting("config", "features", "words", value=["word", "word"]), "twice"),
    "templates that are numbers": (setting("config", "features", "whole", value=[1]), "whole is"),
    "templates that are text": (setting("config", "features", "order", value="value-order"), "not a list"),
    "a scale that is text": (setting("config", "features", "scales", value=[["votes", "x"]]), "scales is"),
    "a scale without a number": (setting("config", "features", "scales", value=[["votes"]]), "scales is"),
    "votes that are a number": (setting("config", "features", "votes", value=3), "votes is 3"),
    "no lexicon": (setting("config", "features", "lexicon", value=None), "lexicon"),
    "a reranker of unknown features": (setting("config", "plausibility", "templates", value=["x"]), "'x'"),
    "a weight decay that is a list": (setting("config", "plausibility", "l2", value=[1]), "l2 is"),
    "too many candidates": (setting("config", "candidates", value=10**9), "candidates"),
    "no candidates": (setting("config", "candidates", value=0), "candidates is 0"),
    "half a candidate": (setting("config", "candidates", value=1.5), "candidates is 1.5"),
    "a switch of the grammar that is a number": (setting("silent", value=-1), "silent is -1"),
    "a switch of the grammar that is text": (setting("asides", value="nan"), "asides is 'nan'"),
    "a part that may be there": (setting("presence", value={}), "presence is {}"),
    "no symbols": (setting("symbols", value=[]), "symbols"),
    "an unknown symbol": (setting("symbols", 0, value="POW"), "POW"),
    "a symbol twice": (setting("symbols", 0, value="ADD"), "symbols"),
    "a root that is no symbol": (setting("roots", value=["SUBR"]), "roots"),
    "a negative number of features": (setting("features", "words", value=-1), "does not fit"),
    "features that are text": (setting("features", "words", value="many"), "ValueError"),
    "weights without bounds": (large_weights, "weights must be one list"),
    "facts that are no facts": (setting("trained", "seconds", value="long"), "seconds is 'long'"),
    "facts nobody knows": (setting("trained", "joy", value=1), "joy"),
}


@pytest.mark.parametrize(("change", "why"), WRONG.values(), ids=WRONG.keys())
def test_a_file_that_would_fail_later_is_refused_when_it_is_loaded(
    tmp_path: Path, change: Change, why: str
) -> None:
    with pytest.raises(ModelFileError, match=f"content does not fit together.*{why}"):
        load(saved(tmp_path / "wrong.t2m", change))


def test_an_unknown_that_the_text_never_mentions_has_no_phrase(tmp_path: Path) -> None:
    """Weights that were not trained for silent unknowns may prefer them."""
    path = tmp_path / "silent.t2m"
    load("small").save_compact(path, threshold=4)
    metadata, arrays = load_model(path)
    save_model(path, metadata | {"silent": True, "presence": False}, arrays)
    found = load(path).parse("Tom has 3 boxes with 4 pens each. How many pens does he have?")
    assert found.tree is not None
    silent = {node.symbol.name for node in found.tree.nodes() if node.span[0] == node.span[1]}
    assert silent - found.variables.keys()
    assert all(phrase.text for phrase in found.variables.values())
    assert Parse.from_dict(found.to_dict()) == found


def test_a_model_that_packs_well_can_still_be_loaded(tmp_path: Path) -> None:
    """What is alike everywhere is stored as it is, so that bounds on unpacking never hit a model of ours."""
    alike = ["word:" + "a" * 5000 + str(number) for number in range(300)]
    assert files.unpack_text(files.pack_text(alike), 300) == alike
    zeros = np.zeros(400_000)
    assert np.array_equal(files._unpack_weights(files._pack_weights(zeros, 0.5), 0.5, 400_000), zeros)

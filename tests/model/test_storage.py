from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import save_file

from text2math.model import storage
from text2math.model.storage import ModelFileError, load_model, save_model

METADATA = {"task": "arithmetic", "vocabulary": ["größer", "than", "\ud83d"], "nested": {"λ": 0.02}}
ARRAYS = {
    "half": np.array([1.5, -2.0], dtype=np.float16),
    "single": np.arange(6, dtype=np.float32).reshape(2, 3),
    "double": np.array(0.1, dtype=np.float64),
    "index": np.array([], dtype=np.int32),
}
FORMS = pytest.mark.parametrize("name", ["model.t2m", "model"])


def weights_file(path: Path) -> Path:
    """The file that holds the arrays, in either form."""
    return next(path.glob("weights-*.safetensors")) if path.is_dir() else path


def edit_document(path: Path, **changes: Any) -> None:
    """Change the JSON of a model as someone who knows the format would."""
    if path.is_dir():
        document = json.loads((path / "model.json").read_text())
        (path / "model.json").write_text(json.dumps(document | changes))
        return
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    document = json.loads(header["__metadata__"]["text2math"])
    header["__metadata__"]["text2math"] = json.dumps(document | changes)
    new = json.dumps(header).encode()
    path.write_bytes(len(new).to_bytes(8, "little") + new + content[8 + size :])


@FORMS
def test_a_saved_model_loads_as_it_was(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / name, METADATA, ARRAYS)
    metadata, arrays = load_model(tmp_path / name)
    assert metadata == METADATA
    assert arrays.keys() == ARRAYS.keys()
    for key, array in ARRAYS.items():
        assert arrays[key].dtype == array.dtype
        assert arrays[key].shape == array.shape
        assert np.array_equal(arrays[key], array)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ELEMENTS = st.sampled_from([np.float16, np.float32, np.float64, np.int32])


@settings(max_examples=60, deadline=None)
@given(
    metadata=st.dictionaries(st.text(), JSON_VALUES, max_size=4),
    arrays=st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda n: n != "__metadata__"),
        ELEMENTS.flatmap(lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=0, min_side=0))),
        max_size=3,
    ),
    one_file=st.booleans(),
)
def test_any_metadata_and_arrays_survive_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, metadata: dict[str, Any], arrays: dict[str, Any], one_file: bool
) -> None:
    path = tmp_path_factory.mktemp("model") / ("m.t2m" if one_file else "m")
    save_model(path, metadata, arrays)
    loaded, weights = load_model(path)
    assert loaded == metadata
    assert weights.keys() == arrays.keys()
    for key, array in arrays.items():
        assert weights[key].tobytes() == array.tobytes()
        assert weights[key].shape == array.shape


@FORMS
def test_views_and_foreign_byte_orders_are_saved_by_value(tmp_path: Path, name: str) -> None:
    grid = np.arange(12, dtype=np.float64).reshape(3, 4)
    arrays = {"turned": grid.T, "every other": grid[:, ::2], "foreign": grid.astype(">f4")}
    save_model(tmp_path / name, {}, arrays)
    _, loaded = load_model(tmp_path / name)
    assert all(np.array_equal(loaded[key], array) for key, array in arrays.items())


@FORMS
def test_saving_the_same_model_twice_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    def fingerprint(path: Path) -> dict[str, str]:
        files = path.iterdir() if path.is_dir() else [path]
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    for parent in ("one", "two"):
        save_model(tmp_path / parent / name, METADATA, ARRAYS)
    assert fingerprint(tmp_path / "one" / name) == fingerprint(tmp_path / "two" / name)


@FORMS
def test_a_newer_version_is_refused_by_its_number(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / name, METADATA, ARRAYS)
    edit_document(tmp_path / name, version=2)
    with pytest.raises(ModelFileError, match=r"version 2 .*newer text2math.*version 1.*--upgrade"):
        load_model(tmp_path / name)


@FORMS
@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.5])
def test_a_version_that_never_was_is_refused(tmp_path: Path, name: str, version: object) -> None:
    save_model(tmp_path / name, METADATA, ARRAYS)
    edit_document(tmp_path / name, version=version)
    with pytest.raises(ModelFileError, match="does not exist"):
        load_model(tmp_path / name)


@FORMS
def test_changed_metadata_is_refused(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / name, METADATA, ARRAYS)
    edit_document(tmp_path / name, metadata=METADATA | {"task": "equations"})
    with pytest.raises(ModelFileError, match="does not match its checksum"):
        load_model(tmp_path / name)


@FORMS
@pytest.mark.parametrize("checksum", [None, 5, "abc", "../../../../etc/passwd".ljust(64, "/")])
def test_a_malformed_checksum_is_refused(tmp_path: Path, name: str, checksum: object) -> None:
    save_model(tmp_path / name, METADATA, ARRAYS)
    edit_document(tmp_path / name, sha256=checksum)
    with pytest.raises(ModelFileError, match="checksum is missing or damaged"):
        load_model(tmp_path / name)


@FORMS
def test_every_changed_byte_of_the_weights_is_refused(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / name, {"task": "x"}, {"w": np.arange(4, dtype=np.float32)})
    file = weights_file(tmp_path / name)
    content = file.read_bytes()
    data_start = 8 + int.from_bytes(content[:8], "little")
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 0x10
        file.write_bytes(changed)
        try:
            loaded = load_model(tmp_path / name)
        except ModelFileError:
            continue
        # Only a blank of the header's padding may change unnoticed, and then nothing else does.
        assert position < data_start
        assert loaded[0] == {"task": "x"}
        assert loaded[1]["w"].tolist() == [0, 1, 2, 3]


@FORMS
def test_every_truncation_is_refused(tmp_path: Path, name: str) -> None:
    save_model(tmp_path / name, {"task": "x"}, {"w": np.arange(4, dtype=np.float32)})
    file = weights_file(tmp_path / name)
    content = file.read_bytes()
    for length in range(len(content)):
        file.write_bytes(content[:length])
        with pytest.raises(ModelFileError, match=r"truncated|not in the safetensors format"):
            load_model(tmp_path / name)
    file.write_bytes(content + b"\0")
    with pytest.raises(ModelFileError, match="1 bytes too long"):
        load_model(tmp_path / name)


def test_every_truncation_of_the_document_is_refused(tmp_path: Path) -> None:
    save_model(tmp_path / "m", {"task": "x"}, {})
    file = tmp_path / "m" / "model.json"
    content = file.read_bytes()
    # The last byte is only the newline.
    for length in range(len(content) - 1):
        file.write_bytes(content[:length])
        with pytest.raises(ModelFileError, match="truncated or damaged, or not a model"):
            load_model(tmp_path / "m")


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x80\x04\x95pickle", b"PK\x03\x04" + b"\0" * 100, b"\xff" * 64, b"{}" * 20]
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.t2m").write_bytes(content)
    with pytest.raises(ModelFileError, match="not a"):
        load_model(tmp_path / "x.t2m")


def test_safetensors_of_another_program_is_refused(tmp_path: Path) -> None:
    save_file({"w": np.zeros(3, dtype=np.float32)}, tmp_path / "other.safetensors", {"text2math": "[]"})
    with pytest.raises(ModelFileError, match="does not say 'text2math model'"):
        load_model(tmp_path / "other.safetensors")
    save_file({"w": np.zeros(3, dtype=np.float32)}, tmp_path / "other.safetensors")
    with pytest.raises(ModelFileError, match="without our metadata"):
        load_model(tmp_path / "other.safetensors")


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"no model\.json"):
        load_model(tmp_path)
    (tmp_path / "model.json").write_text('{"format": "something else"}')
    with pytest.raises(ModelFileError, match="does not say 'text2math model'"):
        load_model(tmp_path)
    (tmp_path / "model.json").write_text("[" * 100_000)
    with pytest.raises(ModelFileError, match="is incomplete"):
        load_model(tmp_path)


def test_a_folder_without_its_weights_is_refused(tmp_path: Path) -> None:
    save_model(tmp_path / "m", METADATA, ARRAYS)
    weights_file(tmp_path / "m").unlink()
    with pytest.raises(ModelFileError, match=r"weights-.* is missing"):
        load_model(tmp_path / "m")


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.t2m"):
        load_model(tmp_path / "nowhere.t2m")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
def test_a_device_is_refused_not_read_for_ever() -> None:
    with pytest.raises(ModelFileError, match="not a file"):
        load_model("/dev/zero")


def test_a_file_above_the_limit_is_refused_unread(tmp_path: Path) -> None:
    with open(tmp_path / "huge.t2m", "wb") as stream:
        stream.truncate(storage.MAX_WEIGHTS_BYTES + storage.MAX_DOCUMENT_BYTES * 2 + 1)
    with pytest.raises(ModelFileError, match="too large"):
        load_model(tmp_path / "huge.t2m")


def test_what_can_not_be_saved_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="'w' holds int64; convert it"):
        save_model(tmp_path / "m", {}, {"w": np.arange(3, dtype=np.int64)})
    with pytest.raises(ModelFileError, match="can't be written as JSON"):
        save_model(tmp_path / "m", {"when": {1, 2}}, {})
    with pytest.raises(ModelFileError, match="can't be written as JSON"):
        save_model(tmp_path / "m", {"loss": float("nan")}, {})
    assert not (tmp_path / "m").exists()


def test_the_two_forms_do_not_overwrite_each_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ModelFileError, match="is a file"):
        save_model(tmp_path / "file", {}, {})
    (tmp_path / "folder.t2m").mkdir()
    with pytest.raises(ModelFileError, match="is a folder"):
        save_model(tmp_path / "folder.t2m", {}, {})
    assert (tmp_path / "file").read_text() == "mine"


@FORMS
def test_saving_again_leaves_only_the_new_model(tmp_path: Path, name: str) -> None:
    for value in range(3):
        save_model(tmp_path / name, {"value": value}, {"w": np.full(5, value, dtype=np.float32)})
    assert load_model(tmp_path / name)[0] == {"value": 2}
    files = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) == (1 if name.endswith(".t2m") else 2)


@FORMS
def test_a_failed_save_leaves_the_old_model_and_no_litter(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(tmp_path / name, {"value": 1}, ARRAYS)
    before = sorted(tmp_path.rglob("*"))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_model(tmp_path / name, {"value": 2}, ARRAYS)
    assert load_model(tmp_path / name)[0] == {"value": 1}
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="file modes")
def test_a_saved_file_follows_the_umask(tmp_path: Path) -> None:
    save_model(tmp_path / "m.t2m", {}, {})
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "m.t2m").stat().st_mode == plain.stat().st_mode


def test_a_link_keeps_pointing_at_the_model(tmp_path: Path) -> None:
    save_model(tmp_path / "real.t2m", {"value": 1}, {})
    (tmp_path / "link.t2m").symlink_to(tmp_path / "real.t2m")
    save_model(tmp_path / "link.t2m", {"value": 2}, {})
    assert (tmp_path / "link.t2m").is_symlink()
    assert load_model(tmp_path / "real.t2m")[0] == {"value": 2}


def test_a_reader_beside_a_busy_writer_always_gets_a_whole_model(tmp_path: Path) -> None:
    def arrays(value: int) -> dict[str, Any]:
        return {"w": np.full(500, value, dtype=np.float32)}

    save_model(tmp_path / "m", {"value": 0}, arrays(0))
    done = threading.Event()

    def write() -> None:
        for value in range(1, 60):
            save_model(tmp_path / "m", {"value": value}, arrays(value))
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while not done.is_set():
            metadata, loaded = load_model(tmp_path / "m")
            assert (loaded["w"] == metadata["value"]).all()
    finally:
        writer.join()


SAVER = """
import sys, itertools
import numpy as np
from text2math.model.storage import save_model
path = sys.argv[1]
print("ready", flush=True)
for value in itertools.count(1):
    save_model(path, {"value": value}, {"w": np.full(200_000, value, dtype=np.float32)})
    print(value, flush=True)
"""


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        ("model.t2m", 4),
        ("model", 4),
        pytest.param("model.t2m", 60, marks=pytest.mark.slow),
        pytest.param("model", 60, marks=pytest.mark.slow),
    ],
)
def test_a_kill_at_any_moment_leaves_the_old_model_or_the_new_one(
    tmp_path: Path, name: str, kills: int
) -> None:
    chance = random.Random(kills)
    path = tmp_path / name
    for _ in range(kills):
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        save_model(path, {"value": 0}, {"w": np.zeros(200_000, dtype=np.float32)})
        with subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE, text=True
        ) as saver:
            assert saver.stdout is not None
            assert saver.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 0.05))
            saver.kill()
            told = saver.stdout.read().split()
        metadata, arrays = load_model(path)
        # What was reported as saved is there, or the one after it whose rename was already done.
        saved = int(told[-1]) if told else 0
        assert metadata["value"] in (saved, saved + 1)
        assert (arrays["w"] == metadata["value"]).all()
        # The next save works over whatever the kill left behind.
        save_model(path, {"value": -1}, {})
        assert load_model(path)[0] == {"value": -1}

"""What running the library leaves behind: no traffic, no files outside its own cache, no need to write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import text2math

TEXT = "Tom has 3 boxes with 4 pens each. How many pens does he have?"
SOLVE = (sys.executable, "-m", "text2math.cli", "solve", TEXT)
PACKAGE = Path(text2math.__file__).parent


def environment(home: Path | str, **more: str) -> dict[str, str]:
    """The environment of a user who has nothing yet."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    return kept | {"HOME": str(home)} | more


def linked_package(folder: Path) -> Path:
    """The package under another path, without anything compiled."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "text2math", copy_function=os.symlink, ignore=ignored)
    return folder


def without_room_for_a_cache(folder: Path) -> Path:
    """The package where nothing can be written beside its sources, not even by root."""
    linked_package(folder)
    for package in [path.parent for path in folder.rglob("__init__.py")]:
        (package / "__pycache__").write_bytes(b"")
    return folder


def can_leave_the_network() -> bool:
    try:
        return subprocess.run(("unshare", "-rn", "true"), capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


needs_namespaces = pytest.mark.skipif(
    not can_leave_the_network(), reason="network namespaces (unshare -rn) are not allowed here"
)


def attempts(counters: str) -> dict[str, int]:
    """What the kernel counted in a network namespace of its own: packets out, and those without a route."""
    found = {}
    lines = counters.splitlines()
    for names, values in pairwise(lines):
        if names.startswith(("Ip:", "Tcp:", "Udp:")) and names.split()[1].isalpha():
            kind = names.split(":")[0]
            found |= {
                f"{kind}.{name}": int(value)
                for name, value in zip(names.split()[1:], values.split()[1:], strict=True)
            }
    six = (line.split() for line in lines if line.startswith("Ip6Out"))
    found |= {name: int(value) for name, value in six}
    wanted = ("Ip.OutRequests", "Ip.OutNoRoutes", "Tcp.ActiveOpens", "Udp.OutDatagrams", "Ip6OutNoRoutes")
    return {name: found[name] for name in wanted if found.get(name)}


def run_off_the_network(command: str, **settings: str) -> str:
    """Run a shell command where every packet is counted and none gets out; the counters afterwards."""
    script = f"{command} >/dev/null || exit 1; cat /proc/net/snmp /proc/net/snmp6 2>/dev/null; true"
    ran = subprocess.run(
        ("unshare", "-rn", "sh", "-c", script), env=settings, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@needs_namespaces
def test_a_connection_that_is_tried_would_be_counted(tmp_path: Path) -> None:
    tried = f"{sys.executable} -c 'import socket; socket.socket().connect_ex((\"192.0.2.1\", 80))'"
    assert attempts(run_off_the_network(tried, **environment(tmp_path)))


@needs_namespaces
@pytest.mark.parametrize("model", ["default", "small"])
def test_loading_and_parsing_tries_no_connection_and_writes_nothing_at_home(
    tmp_path: Path, model: str
) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    settings = environment(home, TMPDIR=str(temporary))
    script = (
        "import text2math, time; parser = text2math.load(%r); "
        "assert [p.answer for p in parser.parse_many([%r] * 3, workers=2)] == [12] * 3; time.sleep(1)"
    )
    program = tmp_path / "program.py"
    program.write_text(f"if __name__ == '__main__':\n    {script % (model, TEXT)}\n")
    counters = run_off_the_network(f"{sys.executable} {program}", **settings)
    assert attempts(counters) == {}
    assert sorted(home.rglob("*")) == []
    assert sorted(temporary.rglob("*")) == []


@pytest.mark.parametrize("given", [None, "0"])
def test_telemetry_is_off_whatever_the_environment_says(given: str | None) -> None:
    settings = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    if given is not None:
        settings["ORT_DISABLE_TELEMETRY"] = given
    script = "import text2math, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    ran = subprocess.run((sys.executable, "-c", script), env=settings, capture_output=True, text=True)
    assert ran.stdout.strip() == "1", ran.stderr


@pytest.mark.slow
def test_it_works_where_nothing_can_be_written(tmp_path: Path) -> None:
    """As in a container with a read-only file system and no home; it says how to keep what it compiles."""
    package = without_room_for_a_cache(tmp_path / "package")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    settings = environment("/dev/null", PYTHONPATH=str(package), TMPDIR=str(temporary))
    ran = subprocess.run(SOLVE, env=settings, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert "12" in ran.stdout
    assert len([line for line in ran.stderr.splitlines() if "set NUMBA_CACHE_DIR" in line]) == 1
    assert sorted(temporary.rglob("*")) == []


KERNEL = """
from text2math.inference.semiring import kernel

@kernel
def twice(x):
    return 2 * x

print(twice(21))
"""


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("part", [0, 0.5], ids=["empty", "half"])
def test_a_damaged_cache_file_is_discarded_and_rebuilt(tmp_path: Path, suffix: str, part: float) -> None:
    program = tmp_path / "program.py"
    program.write_text(KERNEL)

    def run() -> str:
        settings = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        ran = subprocess.run((sys.executable, str(program)), env=settings, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr == ""
        return ran.stdout

    assert run().strip() == "42"
    (damaged,) = (tmp_path / "cache").rglob(f"*.{suffix}")
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: int(part * len(whole))])
    assert run().strip() == "42"
    assert damaged.read_bytes() == whole


@pytest.mark.slow
def test_a_short_fuzz_run_finds_nothing() -> None:
    """Mutated problems, damaged files, hostile requests; a failure prints how to repeat it."""
    script = PACKAGE.parent.parent / "benchmarks" / "fuzz.py"
    command = (sys.executable, str(script), "--inputs", "3000", "--seed", "7")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert ran.returncode == 0, ran.stdout

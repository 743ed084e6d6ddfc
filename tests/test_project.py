from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import text2math

REPOSITORY = Path(__file__).resolve().parent.parent
TEST_COMMAND = 'pip install -e ".[dev]" && pytest'


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_ci_runs_the_test_command_of_the_readme_word_for_word() -> None:
    lines = re.findall(r"^test_command=.*", read(".ci/run"), re.MULTILINE)
    assert len(lines) == 1
    shown = subprocess.run(
        ["bash", "-c", f'{lines[0]}\nprintf %s "$test_command"'],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == TEST_COMMAND
    assert TEST_COMMAND in read("CONTRIBUTING.md")


def test_ci_can_be_executed_and_is_valid_bash() -> None:
    assert os.access(REPOSITORY / ".ci/run", os.X_OK)
    subprocess.run(["bash", "-n", str(REPOSITORY / ".ci/run")], check=True)


def test_the_version_is_the_same_everywhere() -> None:
    declared = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert text2math.__version__ == declared
    assert f"\nversion: {declared}\n" in read("CITATION.cff")


def test_the_readme_gives_a_reason_for_every_dependency() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    table = read("README.md").split("## Dependencies")[1].split("\n## ")[0]
    for requirement in wanted:
        name = re.split(r"[<>=\[]", requirement)[0]
        if name == project["name"]:  # its own extras
            continue
        assert re.search(rf"\b{re.escape(name)}\b", table), name


def test_no_default_dependency_is_torch() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert not [name for name in wanted if "torch" in name]


def test_every_part_that_the_readme_names_can_be_imported() -> None:
    import importlib

    names = re.findall(r"^\| `(text2math\.\w+)`", read("README.md"), re.MULTILINE)
    assert names
    for name in names:
        importlib.import_module(name)


def test_the_first_screen_has_what_it_is_and_the_two_commands() -> None:
    screen = read("README.md").splitlines()[:24]
    blocks = [line for line in screen if line.startswith("pip install")]
    assert len(blocks) == 2
    assert blocks[1] == TEST_COMMAND


def test_every_dependency_has_a_range_with_both_ends() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(one for name, extra in extras.items() if name != "dev" for one in extra),
    ]
    open_ended = [one for one in wanted if not re.search(r">=[\d.]+,<[\d.]+$", one)]
    assert [one for one in open_ended if not one.startswith(project["name"])] == []


def test_ci_installs_exact_versions_of_everything_but_what_it_builds() -> None:
    pins = [line for line in read(".ci/constraints.txt").splitlines() if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", pin)] == []
    pinned = {re.sub(r"[._-]+", "-", pin.split("==")[0]).lower() for pin in pins}
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for extra in extras.values() for one in extra)]
    names = {re.sub(r"[._-]+", "-", re.split(r"[<>=\[]", one)[0]).lower() for one in wanted}
    assert names - pinned - {project["name"], "torch"} == set()
    assert 'PIP_CONSTRAINT="$PWD/.ci/constraints.txt"' in read(".ci/run")


def test_every_script_of_ci_is_valid_bash() -> None:
    for script in ("audit", "bill-of-materials", "lock"):
        assert os.access(REPOSITORY / ".ci" / script, os.X_OK)
        subprocess.run(["bash", "-n", str(REPOSITORY / ".ci" / script)], check=True)

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

"""The documentation is true: its code runs, its pictures are our own, its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from text2math.cli import COMMANDS, main

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
WALKTHROUGH = DOCS / "training.md"
BLOCK = re.compile(r"^```(?P<kind>[a-z]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def imported(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_page(page: Path) -> None:
    """Every example in Python and, in the walkthrough, every command, in the order of the page."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for match in BLOCK.finditer(text):
        line = text[: match.start()].count("\n") + 1
        if match["kind"] == "sh" and page == WALKTHROUGH:
            for command in match["body"].splitlines():
                words = shlex.split(command)
                assert words[0] == "text2math"
                assert main(words[1:]) == 0, command
        elif match["kind"] == "python":
            test = doctest.DocTestParser().get_doctest(match["body"], names, page.name, str(page), line)
            assert test.examples, f"{page.name}, line {line}: an example in Python has a prompt, >>>"
            runner.run(test, clear_globs=False)
            names.update(test.globs)
    assert runner.failures == 0


@pytest.mark.parametrize("page", [page for page in PAGES if page != WALKTHROUGH], ids=lambda page: page.name)
def test_the_code_of_every_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.slow
def test_the_walkthrough_runs_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(WALKTHROUGH)


def test_the_pictures_are_what_our_program_draws() -> None:
    wanted = imported("figures").pictures()
    assert {path.name for path in (DOCS / "images").glob("*.svg")} == set(wanted)
    for name, picture in wanted.items():
        assert (DOCS / "images" / name).read_text(encoding="utf-8") == picture, "run: python docs/figures.py"
        ElementTree.fromstring(picture)


def test_every_command_is_documented_with_its_help() -> None:
    shown = imported("site_hooks").command_help()
    for name in COMMANDS:
        assert f"## `text2math {name}`" in shown
        assert f"Usage: text2math {name}" in shown


def test_every_command_that_a_page_shows_exists() -> None:
    for page in PAGES:
        code = re.findall(r"```.*?```|`[^`]+`", page.read_text(encoding="utf-8"), re.DOTALL)
        for name in re.findall(r"\btext2math\s+([a-z][a-z-]+)\b", "\n".join(code)):
            assert name in COMMANDS, f"{page.name}: text2math {name}"


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason='pip install -e ".[docs]" to build the documentation')
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=DOCS.parent, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'<(?:script|link)[^>]+(?:src|href)="https?://', index)

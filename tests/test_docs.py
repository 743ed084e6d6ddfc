"""The documentation is true: its code runs, its pictures are our own, its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from text2math.cli import COMMANDS, main
from text2math.commands.solve import headline
from text2math.explanation.variations import words_of
from text2math.language.problem import read_problem
from text2math.mathematics.notation import to_infix
from text2math.parser import load

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
WALKTHROUGH = DOCS / "training.md"
REPRODUCTION = DOCS / "reproduction.md"  # which trains models
BLOCK = re.compile(r"^```(?P<kind>[a-z]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def imported(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
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


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page == REPRODUCTION else [])
        for page in PAGES
        if page != WALKTHROUGH
    ],
    ids=lambda page: page.name,
)
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


@pytest.mark.slow
def test_the_pictures_of_the_page_show_what_it_shows_today(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason='pip install -e ".[dev]" to look at the page')
    pytest.importorskip("uvicorn", reason="the extra [server] is not installed")
    screenshots = imported("screenshots")
    if not any(map(shutil.which, screenshots.PROGRAMS)):
        pytest.skip("no Chromium here: apt-get install chromium")
    screenshots.main(tmp_path)
    kept, now = (
        json.loads((folder / screenshots.TEXTS).read_text(encoding="utf-8"))
        for folder in (DOCS / "images", tmp_path)
    )
    assert {name: one["text"] for name, one in kept.items()} == {
        name: one["text"] for name, one in now.items()
    }, "run: python docs/figures.py"


def test_each_picture_of_the_page_is_the_one_whose_words_are_kept() -> None:
    kept = json.loads((DOCS / "images" / "pages.json").read_text(encoding="utf-8"))
    pictures = {path.stem: path.read_bytes() for path in (DOCS / "images").glob("*.png")}
    assert {name: sha256(picture).hexdigest() for name, picture in pictures.items()} == {
        name: one["sha256"] for name, one in kept.items()
    }, "run: python docs/figures.py"


def test_the_words_that_a_page_gives_to_a_picture_are_in_it() -> None:
    figures = imported("figures")
    tree = load("default").parse(figures.TEXTS["apples"]).tree
    text = (DOCS / "model.md").read_text(encoding="utf-8")
    problem = read_problem(figures.TEXTS["apples"])
    lower = next(node for node in tree.children if node.children)
    assert f"the lower `+` owns *{words_of(problem, lower.words)}*" in text
    assert f"which owns *{words_of(problem, tree.words)}*" in text


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


def test_the_first_table_of_the_readme_is_what_solve_answers() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    lines = readme.split("```")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    parser = load("default")
    assert len(rows) > 4
    for text, mathematics, answer in rows[2:]:
        parse = parser.parse(text)
        assert parse.mathematics is not None
        assert mathematics.split(", known: ")[0] == to_infix(parse.mathematics, unicode=True)
        assert headline(parse) == answer

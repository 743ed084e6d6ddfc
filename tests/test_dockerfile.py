"""The Dockerfile, read: whether it builds and runs is for a machine with Docker."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from text2math.cli import COMMANDS

ROOT = Path(__file__).parent.parent
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def instruction(name: str) -> list[str]:
    return [line.partition(" ")[2].strip() for line in LINES if line.startswith(f"{name} ")]


def test_the_container_runs_without_rights_from_its_last_stage_on():
    last_stage = max(at for at, line in enumerate(LINES) if line.startswith("FROM "))
    users = [line for line in LINES[last_stage:] if line.startswith("USER ")]
    assert users == ["USER 10001"]
    entry = next(at for at, line in enumerate(LINES) if line.startswith("ENTRYPOINT "))
    assert LINES.index("USER 10001") < entry


def test_nothing_is_written_at_run_time():
    environment = dict(part.split("=", 1) for part in shlex.split(" ".join(instruction("ENV"))))
    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    cache = environment["NUMBA_CACHE_DIR"]
    built = next(line for line in instruction("RUN") if cache in line)
    assert built.index("text2math solve") < built.index(f"chmod -R a+rX {cache}")  # compiled, then readable


def test_its_health_check_and_command_are_those_of_the_server():
    pytest.importorskip("fastapi", reason="the extra [server] is not installed")
    from text2math.server.app import create_app
    from text2math.server.settings import Settings

    [check] = instruction("HEALTHCHECK")
    [path] = re.findall(r"http://127\.0\.0\.1:8000(/\w+)", check)
    app = create_app(Settings(), {"none": lambda: None})  # type: ignore[dict-item, return-value]
    assert path in app.openapi()["paths"]
    [entry] = instruction("ENTRYPOINT")
    assert '"text2math", "serve"' in entry
    assert "serve" in COMMANDS
    assert instruction("EXPOSE") == ["8000"]


def test_only_what_the_package_needs_is_sent_to_the_build():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert ignored[0] == "*"
    for needed in ("pyproject.toml", "README.md", "LICENSE", "src"):
        assert f"!{needed}" in ignored
        assert (ROOT / needed).exists()

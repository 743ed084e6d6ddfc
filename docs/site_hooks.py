"""What MkDocs calls while it builds: the order of the pages, and every command's help as it is today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# Pages in the order of reading; any other page follows them.
FIRST = (
    "index.md",
    "model.md",
    "explanations.md",
    "python.md",
    "command-line.md",
    "training.md",
    "file-format.md",
    "model-files.md",
    "reproduction.md",
)
LAST = ("limits.md",)
HELP = "<!-- the help of every command -->"


def on_config(config: Any) -> Any:
    """Put the pages in order."""
    pages = sorted(path.name for path in Path(config["docs_dir"]).glob("*.md"))
    others = [name for name in pages if name not in FIRST + LAST]
    config["nav"] = [name for name in (*FIRST, *others, *LAST) if name in pages]
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Write the commands' help where it is asked for."""
    return markdown.replace(HELP, command_help()) if HELP in markdown else markdown


def command_help() -> str:
    """The help of every command and of the commands within it, as Markdown."""
    from text2math.cli import COMMANDS

    sections = []
    for name, entry in COMMANDS.items():
        sections += _sections(entry.load(name), f"text2math {name}", 2)
    return "\n".join(sections)


def _sections(command: Any, path: str, level: int) -> list[str]:
    with command.make_context(path, [], resilient_parsing=True) as opened:
        help_text = command.get_help(opened)
    found = [f"{'#' * level} `{path}`\n\n```text\n{help_text}\n```\n"]
    for name, below in getattr(command, "commands", {}).items():
        found += _sections(below, f"{path} {name}", level + 1)
    return found

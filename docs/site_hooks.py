"""What MkDocs calls while it builds: the order of the pages, and every command's help as it is today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

# The pages in the order of reading; any other page joins the reference.
START = ("index.md", "model.md")
GUIDE = ("explanations.md", "python.md", "command-line.md", "server.md", "training.md")
REFERENCE = ("architecture.md", "file-format.md", "model-files.md", "security.md", "reproduction.md")
LIMITS = "limits.md"
HELP = "<!-- the help of every command -->"


def on_config(config: Any) -> Any:
    """Put the pages in order."""
    pages = sorted(path.name for path in Path(config["docs_dir"]).glob("*.md"))
    known = {*START, *GUIDE, *REFERENCE, LIMITS}
    others = [page for page in pages if page not in known]
    config["nav"] = [
        {"Quick start": START[0]},
        {"The model": START[1]},
        {"Guide": list(GUIDE)},
        {"Reference": [*REFERENCE, *others]},
        {"Limits": LIMITS},
    ]
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

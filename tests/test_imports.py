"""The order of the packages: each imports only what stands before it, lazy imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import text2math

ORDER = (
    "mathematics language data inference scorers model evaluation learning neural render parse parser "
    "checking explanation bulk integrations server commands cli"
).split()
EVERYONES = {"collector", "deferred", "kept", "parallel", "__init__"}  # leaves that anyone may import


def test_imports_point_one_way():
    root = Path(text2math.__file__).parent
    for path in sorted(root.rglob("*.py")):
        own = path.relative_to(root).with_suffix("").parts[0]
        if own in ("__init__", "__main__"):
            continue
        for name in _imported(ast.parse(path.read_text(encoding="utf-8"))):
            package = [*name.split("."), "__init__"][1]
            if package in EVERYONES or package.startswith("__"):
                continue
            assert own not in EVERYONES, f"{path}: a leaf imports {name}"
            assert ORDER.index(package) <= ORDER.index(own), f"{path}: {own} may not import {name}"


def _imported(tree: ast.AST) -> list[str]:
    """The modules of ours that are imported anywhere in a file."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "text2math":
            found += [f"text2math.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return [name for name in found if name.split(".")[0] == "text2math"]

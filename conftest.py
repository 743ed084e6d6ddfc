"""What the whole test run agrees on: without torch, the modules that train networks have no examples."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/text2math/neural/*.py"]

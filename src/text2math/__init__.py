"""text2math reads the mathematics out of plain language.

>>> import text2math
>>> text2math.load().parse("Tom has 3 boxes with 4 pens each. How many pens does he have?").answer
Fraction(12, 1)
"""

import logging
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2math.parse import Parse as Parse
    from text2math.parser import Parser as Parser
    from text2math.parser import load as load

__version__ = "0.1.0"

# Nothing leaves the machine: onnxruntime reads this when it is imported, and child processes inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# A library says nothing unless it is asked to: logging.getLogger("text2math").
logging.getLogger("text2math").addHandler(logging.NullHandler())

_PUBLIC = {"Parse": "text2math.parse", "Parser": "text2math.parser", "load": "text2math.parser"}


def __getattr__(name: str) -> Any:
    """The parser, imported only when it is asked for: the command line's help must not wait for it."""
    if name in _PUBLIC:
        from importlib import import_module

        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'text2math' has no attribute {name!r}")

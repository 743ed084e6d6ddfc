"""List the words of the exercises, for ``language.spelling``: ``python experiments/words.py``.

It writes ``src/text2math/language/words.txt``: every word of three letters or more, in lower case.
"""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "text2math"


def words(folder: Path) -> list[str]:
    """The words of all sheets in a folder."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.txt")))
    return sorted({word.lower() for text in texts for word in re.findall(r"[A-Za-z]{3,}", text)})


if __name__ == "__main__":
    found = words(PACKAGE / "data" / "stories" / "exercises")
    (PACKAGE / "language" / "words.txt").write_text("\n".join(found) + "\n", encoding="utf-8")

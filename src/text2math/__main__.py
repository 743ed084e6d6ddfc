"""``python -m text2math`` is the command ``text2math``."""

import sys

from text2math.cli import main

if __name__ == "__main__":
    sys.exit(main())

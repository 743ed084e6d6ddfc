"""``python -m text2math`` is the command ``text2math``."""

from text2math.cli import run

if __name__ == "__main__":
    run()

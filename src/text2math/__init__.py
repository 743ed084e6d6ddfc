"""text2math reads the mathematics out of plain language."""

__version__ = "0.1.0"

"""Checking the answers that people give: whether they agree with ours, and what went wrong."""

from text2math.checking.check import Verdict, check

__all__ = ["Verdict", "check"]

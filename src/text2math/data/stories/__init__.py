"""Stories: a generator of word problems that carry their own mathematics."""

from text2math.data.stories.generate import DIFFICULTIES, KINDS, NUMBERS, Story, generate

__all__ = ["DIFFICULTIES", "KINDS", "NUMBERS", "Story", "generate"]

"""Stories: exercises retold, as word problems that carry their own mathematics."""

from text2math.data.stories.exercise import KINDS
from text2math.data.stories.generate import NUMBERS, SIGNS, every_question, generate
from text2math.data.stories.story import DIFFICULTIES, Story

__all__ = ["DIFFICULTIES", "KINDS", "NUMBERS", "SIGNS", "Story", "every_question", "generate"]

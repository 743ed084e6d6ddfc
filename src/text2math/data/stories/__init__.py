"""Stories: exercises retold, as word problems that carry their own mathematics."""

from text2math.data.stories.generate import NUMBERS, every_question, generate
from text2math.data.stories.retelling import DIFFICULTIES, Story
from text2math.data.stories.sheets import KINDS

__all__ = ["DIFFICULTIES", "KINDS", "NUMBERS", "Story", "every_question", "generate"]

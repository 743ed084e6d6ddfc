"""The mathematics itself: expressions, how they are written, and what they are worth."""

"""Expressions: how they are built, written and evaluated."""

"""Scorers: each fills the potentials of a problem; their scores add."""

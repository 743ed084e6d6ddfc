"""Readers of data sets, folds, the leak checker, and the corpus that ships with the package."""

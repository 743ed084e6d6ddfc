"""Metrics, cross-validation, the paper's variants and tables, error analysis."""

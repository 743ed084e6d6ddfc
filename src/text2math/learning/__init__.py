"""Training: targets, objective, optimisers, and the recipes of the packaged models."""

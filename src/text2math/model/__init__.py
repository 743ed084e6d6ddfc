"""A trained model, and its file: scorer, candidates, reranker, calibration."""

"""text2math inside other libraries; each needs its extra: ``[sklearn]``, ``[spacy]``."""

"""What the whole test run agrees on: without torch, the modules that train networks have no examples."""

from __future__ import annotations

import os
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/text2math/neural/*.py"]

# Tests run in a process for each core. If BLAS and OpenMP started threads in each of them, these would wait
# for each other: training in the tests takes three times as long. Read when numpy and torch are imported.
for _setting in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_setting, "1")

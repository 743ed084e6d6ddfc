"""How long the default model takes: loading, the first parse, a parse, and many at once.

python benchmarks/parse.py [MODEL]
"""

from __future__ import annotations

import statistics
import sys
import time

from text2math.data import load as load_data
from text2math.parser import DEFAULT_MODEL, load


def main() -> None:
    began = time.perf_counter()
    parser = load(sys.argv[1] if len(sys.argv) > 1 else DEFAULT_MODEL)
    print(f"load                {1e3 * (time.perf_counter() - began):8.1f} ms")
    texts = [example.problem.text for example in load_data("corpus").examples]
    began = time.perf_counter()
    parser.parse(texts[0])
    print(f"first parse         {1e3 * (time.perf_counter() - began):8.1f} ms")
    for text in texts[:20]:
        parser.parse(text)
    wall, busy = [], []
    for text in texts:
        began, began_busy = time.perf_counter(), time.process_time()
        parser.parse(text)
        wall.append(1e3 * (time.perf_counter() - began))
        busy.append(1e3 * (time.process_time() - began_busy))
    worst = sorted(wall)[int(0.95 * len(wall))]
    print(f"parse, median       {statistics.median(wall):8.2f} ms")
    print(f"of it, on the core  {statistics.median(busy):8.2f} ms")
    print(f"parse, 95 % within  {worst:8.2f} ms")
    many = texts * 8
    began = time.perf_counter()
    for _ in parser.parse_many(many, top=1):
        pass
    print(f"parse_many          {len(many) / (time.perf_counter() - began):8.0f} texts a second")


if __name__ == "__main__":
    main()

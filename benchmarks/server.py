"""How many requests a second the server answers with several clients at once, and how quick the page is.

Usage: python benchmarks/server.py [--clients 4] [--seconds 10] [--model NAME]...

The server is a process of its own, started by ``text2math serve``; the clients share this one. The texts
are the problems of the corpus that comes with the package. The page is measured where there is a Chromium.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from text2math.data.readers import load
from text2math.parser import model_names

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
)
TYPED = "Mike picked 7 apples. Nancy picked 3 apples. How many apples were picked in total?"


@contextmanager
def server(model: str) -> Iterator[str]:
    """The address of a running server that is warm."""
    command = [sys.executable, "-m", "text2math.cli", "serve", "--port", "0", "--model", model]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[3]
        while not ready(address):
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def ready(address: str) -> bool:
    try:
        return bool(httpx.get(f"{address}health").json()["status"] == "ok")
    except httpx.TransportError:
        return False


async def load_it(address: str, texts: list[str], clients: int, seconds: float) -> tuple[list[float], int]:
    """The milliseconds of every answer, and how many of them were errors."""
    spent: list[float] = []
    errors = 0
    queue = itertools.cycle(texts)
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        end = time.perf_counter() + seconds

        async def ask() -> None:
            nonlocal errors
            while time.perf_counter() < end:
                started = time.perf_counter()
                answer = await client.post("/api/parse", json={"text": next(queue)})
                spent.append(1000 * (time.perf_counter() - started))
                errors += answer.status_code != 200

        await asyncio.gather(*(ask() for _ in range(clients)))
    return spent, errors


def row(name: str, clients: int, seconds: float, spent: list[float], errors: int) -> str:
    cuts = statistics.quantiles(spent, n=100)
    figures = " ".join(f"{cuts[at - 1]:8.1f}" for at in (50, 95, 99))
    return f"{name:20} {clients:7} {len(spent) / seconds:10.1f} {figures} {errors:7}"


def page(address: str) -> None:
    """First paint, and from a keystroke to its answer on the screen."""
    program = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        print("no Chromium with playwright here: the page is not measured")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        paints, keys = [], []
        for _ in range(5):
            window = browser.new_context().new_page()
            window.goto(address)
            window.wait_for_selector("#result[aria-busy=false]")
            paints.append(
                window.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            )
        for end in range(40, len(TYPED)):
            keys.append(window.evaluate(KEYSTROKE, TYPED[:end]))
        browser.close()
    print(f"\nfirst paint          {statistics.median(paints):6.0f} ms (median of {len(paints)})")
    late = statistics.quantiles(keys, n=20)[18]
    print(
        f"keystroke to answer  {statistics.median(keys):6.0f} ms (median of {len(keys)}; p95 {late:.0f} ms)"
    )


# Type, and say after how many milliseconds the answer stood there.
KEYSTROKE = """text => new Promise((resolve) => {
  const box = document.querySelector("#text");
  const result = document.querySelector("#result");
  const typed = performance.now();
  let asked = false;
  const watch = new MutationObserver(() => {
    if (result.getAttribute("aria-busy") === "true") asked = true;
    else if (asked) {
      watch.disconnect();
      resolve(performance.now() - typed);
    }
  });
  watch.observe(result, { attributes: true, attributeFilter: ["aria-busy"] });
  box.value = text;
  box.dispatchEvent(new Event("input"));
})"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clients", type=int, default=4)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--model", action="append")
    chosen = options.parse_args()
    texts = [example.problem.text for example in load("corpus").examples]
    print(f"{len(texts)} texts, {chosen.seconds:g} s each; milliseconds")
    print(f"{'model':20} {'clients':>7} {'requests/s':>10} {'p50':>8} {'p95':>8} {'p99':>8} {'errors':>7}")
    for model in chosen.model or model_names():
        with server(model) as address:
            for clients in (1, chosen.clients):
                spent, errors = asyncio.run(load_it(address, texts, clients, chosen.seconds))
                print(row(model, clients, chosen.seconds, spent, errors), flush=True)
            page(address)


if __name__ == "__main__":
    main()

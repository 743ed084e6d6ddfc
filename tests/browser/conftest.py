"""A real browser on a real server; everything here is skipped, with the reason, where there is no browser."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeParser, fact_model

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZES = {"desktop": (1280, 900), "narrow": (360, 740), "phone": (390, 844), "projector": (1920, 1080)}


# Not for the whole session: while Playwright runs, no other test could start an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install -e '.[dev]'"
    )
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with a parser that always says the same, and the one that comes with the package."""
    uvicorn = pytest.importorskip("uvicorn", reason="the extra [server] is not installed")
    from text2math.parser import Parser, load
    from text2math.server.app import create_app
    from text2math.server.running import listen
    from text2math.server.settings import Settings

    parsers = {"fake": FakeParser, "default": load, "facts": lambda: Parser.of(fact_model())}
    app = create_app(Settings(words=80), parsers)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: the folder TEXT2MATH_SCREENSHOTS names, or pytest's own."""
    given = os.environ.get("TEXT2MATH_SCREENSHOTS")
    folder = Path(given) if given else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Visit:
    """A visitor's window, with what the tests do again and again."""

    def __init__(self, browser: Any, address: str, shots: Path, **options: Any) -> None:
        size = SIZES[options.pop("size", "desktop")]
        settings = {"color_scheme": "light", "accept_downloads": True, **options}
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **settings)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.address = address
        self.shots = shots
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message: Any) -> None:
        # The browser itself logs a refused request as an error; the page handles those.
        if message.type == "error" and not re.search(r"Failed to load resource.* 4\d\d|503", message.text):
            self.faults.append(message.text)

    def open(self, hash: str = "") -> Any:
        self.page.goto(self.address + hash)
        self.page.wait_for_selector("#result[aria-busy=false]")
        return self.page

    def ask(self, text: str) -> None:
        self.page.fill("#text", text)
        self.settled()

    def settled(self) -> None:
        """Wait until what is shown answers what stands in the box."""
        self.page.wait_for_timeout(90)
        self.page.wait_for_selector("#result[aria-busy=false]")

    def answer(self) -> str:
        return str(self.page.inner_text("#answer"))

    def clipboard(self) -> str:
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def shot(self, name: str, *, full: bool = False) -> None:
        self.page.screenshot(path=self.shots / f"{name}.png", full_page=full)

    def close(self) -> None:
        self.context.close()
        assert self.faults == []


@pytest.fixture
def visit(browser: Any, address: str, shots: Path, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A visit with the options of ``@pytest.mark.parametrize("visit", [...], indirect=True)``, if any."""
    made = Visit(browser, address, shots, **getattr(request, "param", {}))
    yield made
    made.close()

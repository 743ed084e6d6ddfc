"""The pictures of the page that the documentation shows. ``figures.py`` makes them with all the others.

This serves the page with the default model and looks at it with Chromium (the extra ``dev``: playwright).
Fonts differ from machine to machine, so ``pages.json`` keeps the words on each picture: they tell whether
it is current.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).parent / "images"
TEXTS = "pages.json"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = (1280, 900), (390, 844)
BAGS = "Ann baked 24 cookies and ate 6 cookies. She puts 3 cookies in each bag. How many bags does she fill?"
CHAIRS = "There are 14 chairs in 4 rows. How many chairs are in each row?"
TABLE = (
    "Tom has 3 boxes with 4 pens each. How many pens does he have?\n"
    "Ann had 12 pens and lost 4. How many are left?\n"
)


@contextmanager
def served() -> Iterator[str]:
    """The address of a server with the default model."""
    import uvicorn

    from text2math.parser import load
    from text2math.server.app import create_app
    from text2math.server.running import listen
    from text2math.server.settings import Settings

    server = uvicorn.Server(
        uvicorn.Config(create_app(Settings(), {"default": load}), log_config=None, access_log=False)
    )
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


@dataclass(frozen=True)
class Shot:
    """A picture of the page: a text, how the page is shown, and what is done there first."""

    name: str
    text: str
    size: tuple[int, int] = WIDE
    theme: Literal["light", "dark"] = "light"
    then: Literal["", "why", "table", "check"] = ""


SHOTS = (
    Shot("page", BAGS),
    Shot("page-dark", BAGS, theme="dark"),
    Shot("page-narrow", BAGS, NARROW, then="check"),
    Shot("page-doubt", CHAIRS),
    Shot("page-why", BAGS, then="why"),
    Shot("page-table", BAGS, then="table"),
)


def main(folder: Path = IMAGES) -> None:
    """Write every picture, and what is to be read on it with the picture's checksum."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    shown = {}
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for shot in SHOTS:
            width, height = shot.size
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=shot.theme
            )
            page = context.new_page()
            page.goto(f"{address}#q={quote(shot.text)}")
            page.wait_for_selector("#result[aria-busy=false] #sure:not([hidden])", timeout=120_000)
            act(page, shot.then)
            page.mouse.move(0, 0)
            whole = bool(shot.then) or shot.size == NARROW
            picture = page.screenshot(path=folder / f"{shot.name}.png", full_page=whole)
            words = page.inner_text("main").split()
            shown[shot.name] = {"sha256": sha256(picture).hexdigest(), "text": " ".join(words)}
            context.close()
        browser.close()
    (folder / TEXTS).write_text(json.dumps(shown, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def act(page: Page, then: str) -> None:
    """Use a part of the page, and wait for what it shows."""
    if then == "why":
        page.click("#why")
        page.wait_for_selector("#reasons .sentences", timeout=120_000)
    elif then == "table":
        page.set_input_files(
            "#file", {"name": "problems.txt", "mimeType": "text/plain", "buffer": TABLE.encode()}
        )
        page.locator("#rows tr").nth(1).wait_for()
    elif then == "check":
        page.fill("#given", "10")
        page.click("#check button")
        page.wait_for_selector("#verdict[data-kind]")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)

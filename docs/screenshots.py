"""Make the pictures of the page that the documentation shows:  python docs/screenshots.py

It serves the page with the default model and looks at it with Chromium (the extra ``dev``: playwright).
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

IMAGES = Path(__file__).parent / "images"
WIDE, NARROW = (1280, 900), (390, 844)
BAGS = "Ann baked 24 cookies and ate 6 cookies. She puts 3 cookies in each bag. How many bags does she fill?"
BUSES = "130 children go by bus. A bus holds 40 children. How many buses are needed?"
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


def main(folder: Path = IMAGES) -> None:
    """Write every picture."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])

        def picture(
            name: str, text: str, size: tuple[int, int] = WIDE, theme: str = "light", then: str = ""
        ) -> None:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]},
                color_scheme=theme,  # type: ignore[arg-type]
            )
            page = context.new_page()
            page.goto(f"{address}#q={quote(text)}")
            page.wait_for_selector("#result[aria-busy=false] #sure:not([hidden])", timeout=120_000)
            if then == "why":
                page.click("#why")
                page.wait_for_selector("#reasons .sentences", timeout=120_000)
            elif then == "table":
                file = {"name": "problems.txt", "mimeType": "text/plain", "buffer": TABLE.encode()}
                page.set_input_files("#file", file)  # type: ignore[arg-type]
                page.locator("#rows tr").nth(1).wait_for()
            elif then == "check":
                page.fill("#given", "10")
                page.click("#check button")
                page.wait_for_selector("#verdict[data-kind]")
            page.mouse.move(0, 0)
            page.screenshot(path=folder / f"{name}.png", full_page=bool(then) or size == NARROW)
            context.close()

        picture("page", BAGS)
        picture("page-dark", BAGS, theme="dark")
        picture("page-narrow", BAGS, NARROW, then="check")
        picture("page-doubt", BUSES)
        picture("page-why", BAGS, then="why")
        picture("page-table", BAGS, then="table")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)

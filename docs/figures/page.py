"""Play a game on the page of ``sevenbag web`` in a headless browser, and store a picture of it.

``python -m docs.figures.page`` writes docs/pictures/web.png.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

from playwright.sync_api import Page, sync_playwright

from docs.figures.files import PICTURES_FOLDER
from sevenbag.bots.external.web_worker import find_browser

_FLAGS: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic")
_COMMAND: Final = (sys.executable, "-m", "sevenbag", "web", "--port", "0")


def main() -> None:
    """Write the picture."""
    browser = find_browser()
    if browser is None:
        sys.exit("there is no Chromium here")
    with subprocess.Popen(_COMMAND, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.findall(r"http\S+", server.stdout.readline())[0]
            with sync_playwright() as play:
                chromium = play.chromium.launch(executable_path=browser, args=list(_FLAGS))
                page = chromium.new_page(
                    viewport={"width": 1000, "height": 1040}, color_scheme="dark"
                )
                page.goto(address)
                _play(page)
                page.screenshot(path=PICTURES_FOLDER / "web.png", full_page=True)
                chromium.close()
        finally:
            server.terminate()


def _play(page: Page) -> None:
    """Play to the middle of a game, with the messages open."""
    for name, value in (("seed", "4"), ("pieces", "60"), ("pps", "12")):
        page.fill(f"[name={name}]", value)
    page.click("#setup [type=submit]")
    page.click("details.messages summary >> nth=0")
    page.get_by_text(re.compile(r"turn (3[6-9]|[45]\d) ")).wait_for()


if __name__ == "__main__":
    main()

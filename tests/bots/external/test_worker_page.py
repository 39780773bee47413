"""Tests of a built-in bot as a worker script in a page, in a real browser."""

import asyncio
import functools
import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sevenbag.bots.external.web_worker import find_browser
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving.websocket_server import WebSocketBotServer, read_worker_script

playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser() is None, reason="there is no Chromium here"),
]

FAKES = Path(__file__).parents[2] / "fakes"
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Serve a page with a copy of the worker script."""
    (tmp_path / "index.html").write_text((FAKES / "worker_page.html").read_text())
    (tmp_path / "sevenbag.js").write_text(read_worker_script())
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
async def port() -> AsyncIterator[int]:
    server = WebSocketBotServer(lambda: create_bot("beam:nodes=200"))
    await server.open()
    yield server.port
    await server.close()


async def played(address: str) -> dict[str, object]:
    """Return the report of the page after its game."""
    async with playwright.async_playwright() as play:
        browser = await play.chromium.launch(executable_path=find_browser(), args=FLAGS)
        try:
            page = await browser.new_page()
            await page.goto(address)
            await page.wait_for_function("window.result !== undefined", timeout=120_000)
            result: dict[str, object] = await page.evaluate("window.result")
            return result
        finally:
            await browser.close()


async def test_a_page_plays_with_our_worker(site: str, port: int) -> None:
    result = await played(f"{site}/?bot=sevenbag.js%3Fws%3Dws%3A%2F%2F127.0.0.1%3A{port}%2F")
    assert result["info"] == "beam"
    assert result["kinds"] == ["object"]
    assert result["pieces"] == 20
    assert result["error"] is None


async def test_a_page_that_writes_text(site: str, port: int) -> None:
    bot = f"sevenbag.js%3Fws%3Dws%3A%2F%2F127.0.0.1%3A{port}%2F"
    result = await played(f"{site}/?text=yes&bot={bot}")
    assert result["pieces"] == 20
    # Objects even to those who write text.
    assert result["kinds"] == ["object"]


async def test_a_page_without_a_sevenbag(site: str) -> None:
    result = await played(f"{site}/?bot=sevenbag.js%3Fws%3Dws%3A%2F%2F127.0.0.1%3A9%2F")
    assert result["error"] == "no sevenbag at ws://127.0.0.1:9/"
    assert result["pieces"] == 0


async def test_the_worker_ends_its_bot(site: str, port: int) -> None:
    before = asyncio.all_tasks()
    await played(f"{site}/?bot=sevenbag.js%3Fws%3Dws%3A%2F%2F127.0.0.1%3A{port}%2F")
    async with asyncio.timeout(120):
        while not asyncio.all_tasks() <= before:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

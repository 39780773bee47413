"""Chromium for tests of pages: started once per module, with a new context for each page."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sevenbag.bots.external.web_worker import find_browser

Page = Any
"""Playwright's; it may not be installed."""

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


# Not per worker: while Playwright's synchronous API is open, asyncio tests cannot run.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium; skip the tests where it or Playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    executable = find_browser()
    if executable is None:
        pytest.skip("there is no Chromium here")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def expected_errors() -> tuple[str, ...]:
    """Return parts of console errors that tests of a module provoke; override it there."""
    return ()


@pytest.fixture
def new_page(browser: Any, expected_errors: tuple[str, ...]) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a context with the given options; fail if one reports an error."""
    contexts: list[Any] = []
    errors: list[str] = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        # Bounds against hangs, not for the machine's speed.
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        return page

    yield opened
    for context in contexts:
        context.close()
    unexpected = [each for each in errors if not any(part in each for part in expected_errors)]
    assert not unexpected, unexpected

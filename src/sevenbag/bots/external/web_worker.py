"""Bots that are Web Workers, run in a browser's page of ours, or under Node."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from sevenbag.bots.external.process import launch_process
from sevenbag.errors import BotStartError

if TYPE_CHECKING:
    from sevenbag.bots.external.bot_channel import Launch

Host = Literal["browser", "node"]

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def launch_worker(
    script: str, *, host: Host | None = None, log: Path | None = None, folder: Path | None = None
) -> Launch:
    """How a channel to a bot that is this worker script is opened.

    Args:
        script: the file of the worker's entry; what it loads lies beside or below it.
        host: where it runs; None: in a browser if there is one, else under Node.
        log: a file to which what it writes to its console is appended, as far as the host tells.
        folder: the working folder of what runs it; ours by default.

    Raises:
        BotStartError: there is no such file, or nothing that could run it.
    """
    file = Path(script)
    if not file.is_file():
        raise BotStartError("worker", f"no such file: {script}")
    chosen = host or ("browser" if find_browser() is not None else "node")
    if chosen == "node":
        node = shutil.which("node")
        if node is None:
            raise BotStartError("worker", f"nothing here runs {script}: {_missing(host)}")
        program = str(resources.files("sevenbag.bots.external") / "browser" / "node_host.js")
        return launch_process([node, program, str(file)], log=log, folder=folder)
    browser = find_browser()
    if browser is None:
        raise BotStartError("worker", f"nothing here runs {script}: {_missing(host)}")
    from sevenbag.bots.external.browser_host import launch_in_browser  # noqa: PLC0415  # needs an extra

    return launch_in_browser(file.resolve(), browser, log=log)


def find_browser() -> str | None:
    """A Chromium on this machine; None if there is none."""
    return next((path for path in map(shutil.which, BROWSERS) if path is not None), None)


# --- helpers ------------------------------------------------------------------------------------


def _missing(host: Host | None) -> str:
    if host == "browser":
        return f"there is no browser ({', '.join(BROWSERS[:3])})"
    if host == "node":
        return "there is no node"
    return "there is neither a browser nor node"

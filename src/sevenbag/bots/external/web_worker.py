"""Bots that are Web Workers, run in a page of a headless browser, or under Node."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import tempfile
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import quote, unquote

from sevenbag.bots.external.bot_channel import LAUNCH_TIMEOUT, ChannelLauncher
from sevenbag.bots.external.process import ProcessChannel, create_process_launcher
from sevenbag.bots.external.websocket_channel import WebSocketChannel, import_websockets
from sevenbag.errors import BotDiedError, BotError, BotStartError
from sevenbag.files import read_input
from sevenbag.protocols.json_lines import MAX_LINE_BYTES

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response


WorkerHost = Literal["browser", "node"]

BROWSER_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def create_worker_launcher(
    script: str,
    *,
    host: WorkerHost | None = None,
    log: Path | None = None,
    folder: Path | None = None,
) -> ChannelLauncher:
    """Return a launcher for a bot that is a worker script.

    Args:
        script: entry file of the worker; its other files lie beside or below it.
        host: program that runs it; None for a browser if there is one, else Node.
        log: file to which its console output is appended, as far as the host reports it.
        folder: working folder of Node; by default that of this process.

    Raises:
        BotStartError: the file or a host does not exist.
    """
    file = Path(script)
    if not file.is_file():
        raise BotStartError("worker", f"no such file: {script}")
    browser, node = find_browser(), shutil.which("node")
    if browser is not None and host != "node":
        return _create_browser_launcher(file.resolve(), browser, log)
    if node is not None and host != "browser":
        program = str(resources.files("sevenbag.bots.external") / "browser" / "node_host.js")
        return create_process_launcher([node, program, str(file)], log=log, folder=folder)
    missing = {
        "browser": f"there is no browser ({', '.join(BROWSER_PROGRAMS[:3])})",
        "node": "there is no node",
        None: "there is neither a browser nor node",
    }
    raise BotStartError("worker", f"nothing here runs {script}: {missing[host]}")


def find_browser() -> str | None:
    """Return the path of a Chromium on this machine, or None."""
    return next((path for path in map(shutil.which, BROWSER_PROGRAMS) if path is not None), None)


_MAX_FILE_BYTES: Final = 256 << 20
_CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
}
BROWSER_OPTIONS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Headless and without network services. The sandbox needs rights that containers do not have; the
user chose to run the bot, as any other program."""


def _create_browser_launcher(entry: Path, browser: str, log: Path | None) -> ChannelLauncher:
    import_websockets()

    async def launch(name: str) -> BrowserChannel:
        page = _WorkerPage(entry, name)
        try:
            return await page.open(browser, log)
        except BaseException:
            await page.close()
            raise

    return launch


class BrowserChannel(WebSocketChannel):
    """A worker in a browser."""

    transport = "page"

    def __init__(self, connection: ServerConnection, name: str, page: _WorkerPage) -> None:
        """Create a channel for a page that has connected."""
        self._page = page
        super().__init__(connection, name)

    @property
    def pid(self) -> int | None:
        """Process ID and process group ID of the browser."""
        return self._page.pid

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """Send the last message, wait briefly, then close the page and the browser.

        Most workers cannot exit by themselves: their page ends them.
        """
        try:
            if last_message and self.running:
                with contextlib.suppress(BotError):
                    await self.send(last_message)
                    await asyncio.sleep(min(grace_seconds, 0.1))
            await super().close(b"", 0.0)
        finally:
            await self._page.close()

    def _add_frame(self, frame: bytes | None) -> None:
        page_error = _page_error(frame)
        if page_error is None:
            super()._add_frame(frame)
            return
        # Errors of the page are not messages of the bot.
        self._stderr += page_error.encode()
        self._end(f"its script failed: {page_error}")


class _WorkerPage:
    """A browser with one page, and the server of that page."""

    def __init__(self, entry: Path, name: str) -> None:
        self._entry = entry
        self._name = name
        # Only our own page knows this secret.
        self._secret = secrets.token_urlsafe(16)
        self._server: Server | None = None
        self._browser: ProcessChannel | None = None
        self._profile: str | None = None
        self._channel: asyncio.Future[BrowserChannel] | None = None

    @property
    def pid(self) -> int | None:
        return self._browser.pid if self._browser is not None else None

    async def open(self, browser: str, log: Path | None) -> BrowserChannel:
        """Start the browser and wait for its page."""
        websockets = import_websockets()
        self._channel = asyncio.get_running_loop().create_future()
        server: Server = await websockets.asyncio.server.serve(
            self._accept,
            "127.0.0.1",
            0,
            process_request=self._serve_file,
            max_size=MAX_LINE_BYTES,
            server_header=None,
        )
        self._server = server
        port = next(iter(server.sockets)).getsockname()[1]
        entry = quote(self._entry.name)
        address = f"http://127.0.0.1:{port}/{self._secret}/browser_host.html?entry={entry}"
        self._profile = tempfile.mkdtemp(prefix="sevenbag-browser-")
        command = [browser, *BROWSER_OPTIONS, f"--user-data-dir={self._profile}", address]
        self._browser = await ProcessChannel.start(command, name=self._name, log=log)
        ended = asyncio.ensure_future(_wait_for_end(self._browser))
        either: list[asyncio.Future[Any]] = [self._channel, ended]
        try:
            await asyncio.wait(either, timeout=LAUNCH_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if self._channel.done():
            return self._channel.result()
        if ended.done() and not ended.cancelled():
            raise BotStartError(self._name, f"the browser {browser} {ended.result()}")
        raise BotStartError(
            self._name, f"{browser} did not load a page within {LAUNCH_TIMEOUT:g} s"
        )

    async def close(self) -> None:
        """End the browser and the server."""
        if self._browser is not None:
            await self._browser.close(b"", 0.0)
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2.0):
                    await self._server.wait_closed()
        if self._profile is not None:
            shutil.rmtree(self._profile, ignore_errors=True)

    async def _accept(self, connection: ServerConnection) -> None:
        assert self._channel is not None
        if self._channel.done():
            return
        channel = BrowserChannel(connection, self._name, self)
        self._channel.set_result(channel)
        await connection.wait_closed()

    def _serve_file(self, connection: ServerConnection, request: Request) -> Response | None:
        path = unquote(request.path.partition("?")[0])
        folder, _, rest = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(folder.encode(), self._secret.encode()):
            return connection.respond(HTTPStatus.NOT_FOUND, "")
        if rest == "talk":
            return None
        try:
            body = self._read(rest)
        except (OSError, ValueError):
            return connection.respond(HTTPStatus.NOT_FOUND, f"no such file: {rest}\n")
        response = connection.respond(HTTPStatus.OK, "")
        response.body = body
        headers = response.headers
        for name, value in (
            ("Content-Length", str(len(body))),
            ("Content-Type", _CONTENT_TYPES.get(Path(rest).suffix, "application/octet-stream")),
        ):
            del headers[name]
            headers[name] = value
        # Required for bots with several threads.
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Embedder-Policy"] = "require-corp"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return response

    def _read(self, name: str) -> bytes:
        """Read a file of the page or of the bot's folder; `ValueError` if it lies elsewhere."""
        if name in {"browser_host.html", "browser_host.js"}:
            return (resources.files("sevenbag.bots.external") / "browser" / name).read_bytes()
        root = self._entry.parent
        file = (root / name.removeprefix("files/")).resolve()
        if not name.startswith("files/") or not file.is_relative_to(root):
            raise ValueError(name)
        return read_input(file, _MAX_FILE_BYTES)


async def _wait_for_end(browser: ProcessChannel) -> str:
    """Wait for the browser to end and describe the end; skip its output."""
    while True:
        try:
            await browser.receive()
        except BotDiedError as error:
            return error.reason


def _page_error(frame: bytes | None) -> str | None:
    """Return the error that the page reports; None for a message of the bot."""
    if frame is None or not frame.startswith(b'{"host":'):
        return None
    with contextlib.suppress(ValueError):
        page_error: object = json.loads(frame)["host"]
        return str(page_error)[:300]
    return None

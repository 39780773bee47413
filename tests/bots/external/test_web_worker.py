"""Web Worker bots in a page and under Node, with the features that existing bots use."""

import asyncio
import functools
import http.server
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from sevenbag.bots.bot import Bot
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.external.web_worker import (
    BROWSER_OPTIONS,
    WorkerHost,
    create_worker_launcher,
    find_browser,
)
from sevenbag.bots.registry import create_bot
from sevenbag.bots.serving.websocket_server import WebSocketBotServer, read_worker_script
from sevenbag.errors import BotError, BotForfeitError, BotStartError, SpecError
from sevenbag.game import Game, Rules
from tests.bots.conftest import FAKES
from tests.bots.games import SHORT, drive, prepared

WORKER = FAKES / "worker_bot.js"
RULES = Rules.preset("guideline")
SOUND = WORKER.read_text()

needs_browser = pytest.mark.skipif(find_browser() is None, reason="there is no Chromium here")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
on_hosts = pytest.mark.parametrize(
    "host",
    [
        pytest.param("browser", marks=[pytest.mark.browser, needs_browser]),
        pytest.param("node", marks=[pytest.mark.peers, needs_node]),
    ],
)


def worker(host: str, script: Path, move: float = 60) -> TbpDriver:
    kind: WorkerHost = "browser" if host == "browser" else "node"
    options = SHORT | {"move_seconds": str(move)}
    return TbpDriver(
        ["worker"], launcher=create_worker_launcher(str(script), host=kind), options=options
    )


async def play(bot: Bot, pieces: int = 12) -> Game:
    async with prepared(bot):
        return await drive(bot, Game(seed=2), pieces)


@on_hosts
async def test_a_worker_plays(host: str, mark: str) -> None:
    bot = create_bot(f"worker:host={host}:{WORKER}")
    assert (await play(bot, 30)).stats.pieces == 30
    assert bot.name == "worker"


@on_hosts
async def test_a_worker_is_known_by_its_name(host: str, mark: str, tmp_path: Path) -> None:
    script = tmp_path / "worker.js"
    script.write_text(SOUND.replace('name: "worker"', 'name: "Cold Clear 2"'))
    bot = create_bot(f"worker:host={host}:{script}")
    assert isinstance(bot, TbpDriver)
    # The worker compiles before it sends `info`.
    assert bot.profile.info_seconds == 30
    await play(bot, 3)
    assert (bot.name, bot.profile.name) == ("Cold Clear 2", "cold-clear-2-web")


@pytest.mark.browser
async def test_the_host_is_found(mark: str) -> None:
    if find_browser() is None and shutil.which("node") is None:
        pytest.skip("there is neither Chromium nor node here")
    assert (await play(create_bot(f"worker:{WORKER}"))).stats.pieces == 12


@on_hosts
async def test_typical_workers(host: str, mark: str, tmp_path: Path) -> None:
    """Workers with glue scripts, binaries, workers of their own and removed listeners."""
    (tmp_path / "glue.js").write_text("const GLUE = 'of the glue';\n" + SOUND)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "bot.wasm").write_bytes(b"\x00asm\x01\x00\x00\x00")
    (tmp_path / "inner.js").write_text(
        "self.onmessage = (e) => self.postMessage({ echo: e.data });\n"
    )
    (tmp_path / "entry.js").write_text(
        """
        "use strict";
        const post = self.postMessage.bind(self);
        let open = false;
        const said = [];
        // The glue says info at once; here it has to wait until all is loaded.
        self.postMessage = (message) => (open ? post(message) : said.push(message));
        importScripts("./glue.js");
        (async () => {
          if (!(self instanceof DedicatedWorkerGlobalScope)) throw new Error("what world is this?");
          if (!self.location.href.endsWith("/entry.js")) throw new Error(self.location.href);
          const response = await fetch(new URL("pkg/bot.wasm", self.location.href));
          const type = response.headers.get("Content-Type");
          if (type !== "application/wasm") throw new Error(type);
          await WebAssembly.instantiate(await response.arrayBuffer());
          const inner = new Worker("inner.js");
          const echo = new Promise((done) => { inner.onmessage = (e) => done(e.data.echo); });
          inner.postMessage(GLUE);
          if ((await echo) !== "of the glue") throw new Error("no echo");
          inner.terminate();
          console.log("Service initialized!");
          open = true;
          for (const message of said) post(message);
        })();
        """
    )
    bot = worker(host, tmp_path / "entry.js")
    assert (await play(bot)).stats.pieces == 12
    assert bot.skipped_lines == 0


@on_hosts
async def test_a_module(host: str, mark: str, tmp_path: Path) -> None:
    (tmp_path / "bot.mjs").write_text(SOUND)
    (tmp_path / "entry.mjs").write_text('import "./bot.mjs";\n')
    assert (await play(worker(host, tmp_path / "entry.mjs"))).stats.pieces == 12


@on_hosts
async def test_worker_that_posts_text(host: str, mark: str, tmp_path: Path) -> None:
    (tmp_path / "entry.js").write_text(
        "const post = self.postMessage.bind(self);\n"
        "self.postMessage = (message) => post(JSON.stringify(message));\n" + SOUND
    )
    assert (await play(worker(host, tmp_path / "entry.js"))).stats.pieces == 12


@on_hosts
async def test_worker_with_a_one_time_listener(host: str, mark: str, tmp_path: Path) -> None:
    """As in wasm builds, no listener is set for a moment between two messages."""
    before, _, after = SOUND.partition('self.addEventListener("message"')
    rest = after.partition("});\n")[2]
    listen = """
        const listen = () => self.addEventListener("message", async ({ data }) => {
          AGAIN
          hear(data);
        }, { once: true });
        listen();
    """
    # Node queues messages without a listener; browsers drop them.
    again = "await null; setTimeout(listen, 5);" if host == "node" else "listen();"
    (tmp_path / "entry.js").write_text(before + listen.replace("AGAIN", again) + rest)
    assert (await play(worker(host, tmp_path / "entry.js"))).stats.pieces == 12


@on_hosts
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("throw new Error('no model');", "no model"),
        ("self.postMessage({type: 'error', reason: 'no WebAssembly'});", "no WebAssembly"),
        ("not javascript at all", "Unexpected identifier|SyntaxError"),
    ],
)
async def test_scripts_that_fail(
    script: str, words: str, host: str, mark: str, tmp_path: Path
) -> None:
    (tmp_path / "entry.js").write_text(script)
    bot = worker(host, tmp_path / "entry.js")
    with pytest.raises(BotStartError, match=words):
        await bot.prepare(RULES)
    await bot.quit()


@on_hosts
async def test_worker_that_hangs(host: str, mark: str, tmp_path: Path) -> None:
    (tmp_path / "entry.js").write_text(
        SOUND.replace('case "suggest":', 'case "suggest": for (;;);')
    )
    with pytest.raises(BotError, match=r"no answer to suggest within 0\.5 s"):
        await play(worker(host, tmp_path / "entry.js", move=0.5))


@pytest.mark.browser
@needs_browser
async def test_only_files_beside_the_entry_are_served(mark: str, tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("self.postMessage({type: 'secret'});")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "link.js").symlink_to(tmp_path / "secret.js")
    for address in ("../secret.js", "%2e%2e/secret.js", "link.js", "/etc/passwd"):
        (folder / "entry.js").write_text(f"importScripts({address!r});")
        bot = worker("browser", folder / "entry.js")
        with pytest.raises(BotStartError, match="failed to load"):
            await bot.prepare(RULES)
        await bot.quit()


def test_a_machine_without_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for options, words in (
        ("", "there is neither a browser nor node"),
        ("host=node:", "there is no node"),
        ("host=browser:", r"there is no browser \(chromium"),
    ):
        with pytest.raises(SpecError, match=words):
            create_bot(f"worker:{options}{WORKER}")


@on_hosts
async def test_illegal_moves_are_still_the_games_affair(
    host: str, mark: str, tmp_path: Path
) -> None:
    (tmp_path / "entry.js").write_text(
        SOUND.replace("orientation, x, y };\n      if", "orientation, x, y: y + 4 };\n      if")
    )
    with pytest.raises(BotForfeitError):
        await play(worker(host, tmp_path / "entry.js"))


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


async def played(site: str, port: int, options: str = "") -> dict[str, object]:
    """Return the report of the page after its game with a bot at this port."""
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    bot = quote(f"sevenbag.js?ws=ws://127.0.0.1:{port}/")
    async with playwright.async_playwright() as play:
        browser = await play.chromium.launch(executable_path=find_browser(), args=BROWSER_OPTIONS)
        try:
            page = await browser.new_page()
            await page.goto(f"{site}/?{options}bot={bot}")
            await page.wait_for_function("window.result !== undefined", timeout=120_000)
            result: dict[str, object] = await page.evaluate("window.result")
            return result
        finally:
            await browser.close()


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("options", ["", "text=yes&"])
async def test_other_pages_play_with_the_worker_script(options: str, site: str, port: int) -> None:
    before = asyncio.all_tasks()
    result = await played(site, port, options)
    # Also pages that write text receive objects.
    assert result == {"info": "beam", "kinds": ["object"], "pieces": 20, "error": None}
    # The worker ends its bot.
    async with asyncio.timeout(120):
        while not asyncio.all_tasks() <= before:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.browser
@needs_browser
async def test_a_page_without_a_server(site: str) -> None:
    result = await played(site, 9)
    assert result["error"] == "no sevenbag at ws://127.0.0.1:9/"
    assert result["pieces"] == 0

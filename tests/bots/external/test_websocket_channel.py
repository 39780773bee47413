"""Bots behind WebSockets, served and driven."""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

websockets = pytest.importorskip("websockets", reason="the package websockets is not installed")

from websockets.asyncio.client import connect  # noqa: E402
from websockets.asyncio.server import ServerConnection, serve  # noqa: E402

from sevenbag.arena.runner.game_options import GameConfig  # noqa: E402
from sevenbag.arena.runner.game_runner import play_game  # noqa: E402
from sevenbag.bots.bot import Limits, ask_bot  # noqa: E402
from sevenbag.bots.external.tbp_driver import TbpDriver  # noqa: E402
from sevenbag.bots.external.websocket_channel import create_websocket_launcher  # noqa: E402
from sevenbag.bots.registry import create_bot  # noqa: E402
from sevenbag.bots.serving.websocket_server import WebSocketBotServer  # noqa: E402
from sevenbag.errors import (  # noqa: E402
    BotDiedError,
    BotError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    SpecError,
)
from sevenbag.game import Game, Rules  # noqa: E402
from tests.bots.games import SHORT, prepared  # noqa: E402

Json = dict[str, Any]

RULES = Rules.preset("guideline")


@pytest.fixture
def served(mark: str) -> Iterator[str]:
    """The address of ``sevenbag serve random --websocket``."""
    command = [sys.executable, "-P", "-m", "sevenbag", "serve", "random:seed=1"]
    process = subprocess.Popen(
        [*command, "--websocket", "0"], stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        port = re.fullmatch(r"sevenbag serve: ws://127\.0\.0\.1:(\d+)/ and .*\n", said)
        assert port is not None
        yield f"127.0.0.1:{port[1]}"
    finally:
        process.terminate()
        assert process.wait(120) == 128 + 15
        process.stdout.close()


async def test_a_match_with_a_served_bot(served: str) -> None:
    bots = create_bot(f"ws://{served}/"), create_bot("beam:nodes=50")
    result = await play_game(bots, GameConfig(RULES, seed=1, pieces=15))
    assert result.names == ("random (tbp)", "beam")
    fall = result.losses[0]
    assert fall is None or not fall.reason.is_fault


async def test_each_connection_has_its_own_bot(served: str) -> None:
    bots = create_bot(f"ws://{served}/"), create_bot(f"tbp:profile=stadium:ws://{served}")
    result = await play_game(bots, GameConfig(RULES, seed=1, pieces=10))
    assert [fall is None or not fall.reason.is_fault for fall in result.losses] == [True, True]


async def test_one_object_a_text_frame(served: str) -> None:
    async with connect(f"ws://{served}/") as socket:
        info = json.loads(await socket.recv())
        assert (info["type"], info["name"]) == ("info", "random")
        await socket.send(json.dumps({"type": "rules"}))
        assert await socket.recv() == '{"type":"ready"}'
        await socket.send(b'{"type":"suggest"}')
        assert await socket.recv() == '{"type":"suggestion","moves":[]}'
        await socket.send("no message")
        await socket.send("")
        await socket.send('{"type":"quit"}')
        with pytest.raises(websockets.exceptions.ConnectionClosedOK):
            await socket.recv()


async def test_frames_that_are_too_long(served: str) -> None:
    async with connect(f"ws://{served}/") as socket:
        await socket.recv()
        await socket.send("x" * (2 << 20))
        with pytest.raises(websockets.exceptions.ConnectionClosedError):
            await socket.recv()


async def test_only_so_many_at_once() -> None:
    server = WebSocketBotServer(lambda: create_bot("random"), max_connections=1)
    await server.open()
    try:
        address = f"ws://127.0.0.1:{server.port}/"
        async with connect(address) as first:
            await first.recv()
            with pytest.raises(websockets.exceptions.InvalidStatus, match="503"):
                await connect(address)
        # A closed connection frees its place.
        await asyncio.sleep(0.1)
        async with connect(address) as second:
            await second.recv()
    finally:
        await server.close()


def test_worker_script_is_served(served: str) -> None:
    with urllib.request.urlopen(f"http://{served}/worker.js?x=1", timeout=120) as answer:
        assert answer.headers["Content-Type"].startswith("text/javascript")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert b"new WebSocket" in answer.read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://{served}/other", timeout=120)


def test_port_in_use(served: str) -> None:
    port = served.partition(":")[2]
    command = [sys.executable, "-P", "-m", "sevenbag", "serve", "random", "--websocket"]
    for wrong, words in (
        (port, "cannot listen at 127.0.0.1"),
        ("70000", "expected integer from 0 to 65535"),
    ):
        done = subprocess.run(
            [*command, wrong], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 2
        assert words in done.stderr


Handler = Callable[[ServerConnection], Awaitable[None]]


@contextlib.asynccontextmanager
async def at_address(handler: Handler) -> AsyncIterator[str]:
    async with serve(handler, "127.0.0.1", 0) as server:
        assert server.sockets is not None
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/"


INFO = json.dumps({"type": "info", "name": "far", "version": "1", "author": "us", "features": []})


async def ready(socket: ServerConnection) -> None:
    await socket.send(INFO)
    await socket.recv()
    await socket.send('{"type":"ready"}')


async def silent(socket: ServerConnection) -> None:
    await socket.wait_closed()


async def closes(socket: ServerConnection) -> None:
    await ready(socket)
    await socket.recv()
    await socket.close(1011, "out of\nmemory")


async def breaks(socket: ServerConnection) -> None:
    await ready(socket)
    await socket.recv()
    socket.transport.abort()


async def hangs(socket: ServerConnection) -> None:
    await ready(socket)
    await socket.wait_closed()


async def floods(socket: ServerConnection) -> None:
    await ready(socket)
    with contextlib.suppress(websockets.exceptions.ConnectionClosed):
        while True:
            await socket.send("Lorem ipsum")
            await asyncio.sleep(0)


async def too_long(socket: ServerConnection) -> None:
    await ready(socket)
    with contextlib.suppress(websockets.exceptions.ConnectionClosed):
        await socket.send('{"type":"suggestion","moves":[],"padding":"' + "x" * (2 << 20) + '"}')
        await socket.wait_closed()


async def malformed(socket: ServerConnection) -> None:
    await ready(socket)
    await socket.send('{"type":"suggestion","moves":[5]}')
    await socket.wait_closed()


@pytest.mark.parametrize(
    ("handler", "error", "words"),
    [
        (silent, BotTimeoutError, "no info within 0.5 s"),
        (closes, BotDiedError, r"closed the connection \(1011: out of\?memory\)"),
        (breaks, BotDiedError, "the connection was lost"),
        (hangs, BotTimeoutError, "no answer to suggest within 0.5 s"),
        (floods, BotProtocolError, "1000 lines that are not messages, such as 'Lorem"),
        (too_long, BotProtocolError, "sent a frame longer than 1048576 bytes"),
        (malformed, BotProtocolError, r"moves\[0\]: expected an object, got 5"),
    ],
)
async def test_failing_addresses_are_reported(
    handler: Handler, error: type[BotError], words: str
) -> None:
    # Short only where a bot is silent on purpose.
    options = SHORT | {
        "info_seconds": "0.5" if handler is silent else "60",
        "move_seconds": "0.5" if handler is hangs else "60",
    }
    async with at_address(handler) as address:
        bot = TbpDriver(address, launcher=create_websocket_launcher(address), options=options)
        with pytest.raises(error, match=words):
            async with prepared(bot, position=Game(seed=1).position()):
                await ask_bot(bot, Limits())


async def test_an_address_without_a_bot() -> None:
    bot = create_bot("ws://127.0.0.1:9/")
    words = "cannot connect to ws://127.0.0.1:9/: connection refused"
    with pytest.raises(BotStartError, match=re.escape(words)):
        await bot.prepare(RULES)
    await bot.quit()


async def test_a_server_of_something_else() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        with pytest.raises(BotStartError, match=r"does not speak WebSocket: .*200"):
            await create_bot(f"ws://127.0.0.1:{port}/").prepare(RULES)
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ws://", "is no address of a WebSocket"),
        ("ws:localhost", "no such command: ws:localhost"),
        ("tbp:log=x:ws://localhost/", "unknown option 'log'"),
        (
            "tbp:rows=x:ws://localhost/",
            "invalid rows: expected integer from 0 to 1000000000, got 'x'",
        ),
    ],
)
def test_wrong_specifications(spec: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        create_bot(spec)
    assert words in str(caught.value)


async def test_a_bot_that_leaves_at_quit() -> None:
    heard: list[str] = []

    async def polite(socket: ServerConnection) -> None:
        await ready(socket)
        async for frame in socket:
            heard.append(json.loads(frame)["type"])
            if heard[-1] == "quit":
                return

    async with at_address(polite) as address:
        bot = TbpDriver(address, launcher=create_websocket_launcher(address), options=SHORT)
        async with prepared(bot, position=Game(seed=1).position()):
            assert bot.name == "far"
        await bot.quit()
    assert heard == ["start", "stop", "quit"]

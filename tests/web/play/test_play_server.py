"""Server of the page from outside: origins, requests, limits, start and end."""

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from tests.cli.run import TRACES, environment, sevenbag, start, wait_until
from tests.web.play.conftest import Server

BUILTIN = {"kind": "builtin", "spec": "random:seed=1"}
THINKER = {"kind": "builtin", "spec": "beam:nodes=500"}
WORKER = {"kind": "worker", "script": "bot.js"}


def place(server: Server) -> str:
    return str(urlsplit(server.address).netloc)


def dialled(server: Server, **options: Any) -> connect:
    given = {"origin": server.address.rstrip("/"), "max_size": None, "proxy": None, **options}
    return connect(f"ws://{place(server)}/match", **given)


def get(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(place(server), timeout=120)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.parametrize("origin", [None, "null", "http://elsewhere.example", "http://localhost:1"])
async def test_other_pages_may_not_connect(server: Server, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with dialled(server, origin=origin):
            pass
    assert refused.value.response.status_code == 403


async def test_unknown_websocket_path(server: Server) -> None:
    with pytest.raises(InvalidStatus):
        async with connect(f"ws://{place(server)}/else", origin=Origin(server.address.rstrip("/"))):
            pass


def test_a_name_that_is_not_its_own_is_refused(server: Server) -> None:
    port = place(server).partition(":")[2]
    assert get(server, "/", Host=f"rebound.example:{port}").status == 403
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert get(server, "/", Host=f"{name}:{port}").status == 200


def test_a_page_runs_no_script_but_ours(server: Server) -> None:
    for path in ("/", "/static/play/page.js", "/static/worker_bot.js", "/nothing"):
        headers = get(server, path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
    connection = http.client.HTTPConnection(place(server), timeout=120)
    connection.request("GET", "/")
    page = connection.getresponse().read().decode()
    connection.close()
    assert page.count("<script") == page.count('src="/static/play/page.js"></script>') == 1
    assert " style=" not in page
    assert not re.search(r" on\w+=", page)


def test_only_worker_scripts_may_evaluate_text(server: Server) -> None:
    for name in ("bot.js", "bot.mjs", "bot.html", "bot.svg", "bot.wasm"):
        (server.bots / name).write_text("0")

    def policy(path: str) -> dict[str, str]:
        header = get(server, path).headers.get_all("Content-Security-Policy")
        assert header is not None
        assert len(header) == 1
        return dict(each.split(" ", 1) for each in header[0].split("; "))

    page = policy("/")
    assert page["script-src"] == "'self'"
    assert page["worker-src"] == "'self'"
    for path in ("/bots/bot.js", "/bots/bot.mjs", "/static/worker_loader.js"):
        worker = policy(path)
        assert "'unsafe-eval'" in worker.pop("script-src").split()
        assert worker.pop("worker-src") == "'self' blob:"
        assert worker.items() <= page.items()
    for path in ("/bots/bot.html", "/bots/bot.svg", "/bots/bot.wasm", "/bots/none.js"):
        assert policy(path) == page
    for path in ("/static/play/page.js", "/static/worker_bot.js", "/match", "/replays/none"):
        assert policy(path) == page


@pytest.mark.parametrize("folder", ["static", "bots"])
@pytest.mark.parametrize(
    "name",
    [
        "..%2fplay%2fapp.py",
        "%2e%2e/play/app.py",
        "..%2f..%2f..%2fpyproject.toml",
        "%2fetc/passwd",
        "",
    ],
)
def test_only_files_of_their_folders_are_served(server: Server, folder: str, name: str) -> None:
    assert get(server, f"/{folder}/{name}").status == 404


def test_links_outside_the_folder_are_rejected(server: Server, tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("0")
    (server.bots / "link.js").symlink_to(tmp_path / "secret.js")
    assert get(server, "/bots/link.js").status == 404


async def first_event(server: Server, wanted: Any) -> dict[str, Any]:
    async with dialled(server) as page:
        await page.send(wanted if isinstance(wanted, str) else json.dumps(wanted))
        event: dict[str, Any] = json.loads(await page.recv())
        return event


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"players": [BUILTIN, {"kind": "builtin", "spec": "tbp:touch /nowhere"}]},
            "invalid bot: expected beam",
        ),
        ({"players": [BUILTIN, {"kind": "builtin", "spec": "worker:x.js"}]}, "got 'worker'"),
        ({"players": [BUILTIN, {"kind": "builtin", "spec": " WS://localhost:1/"}]}, "got 'ws'"),
        (
            {"players": [BUILTIN, {"kind": "builtin", "spec": "beam:nodes=5000001"}]},
            "at most 5000000",
        ),
        ({"players": [BUILTIN, {"kind": "builtin", "spec": "pc:ms=5001"}]}, "at most 5000"),
        ({"players": [BUILTIN, {"kind": "program", "spec": "x"}]}, "players[1].kind"),
        ({"players": [BUILTIN]}, "players"),
        ({"rules": "/etc/passwd"}, "got '/etc/passwd'"),
        ({"rules": "pyproject.toml"}, "invalid rules: expected 4wide"),
        ({"seed": -1}, "seed"),
        ({"pieces": 2001}, "pieces"),
        ({"pieces": 0}, "pieces"),
        ({"pps": 0}, "pps"),
        ({"milliseconds": 1e9}, "milliseconds"),
        ({"nodes": 10**12}, "nodes"),
        ({"timeout": 61}, "timeout"),
        ({"other": 1}, "other"),
    ],
)
async def test_invalid_requests(server: Server, changes: dict[str, Any], told: str) -> None:
    event = await first_event(server, {"players": [BUILTIN, BUILTIN], **changes})
    assert event["event"] == "match_rejected"
    assert told in event["reason"]


@pytest.mark.parametrize("frame", ["", "no", "[]", '{"players":', "1 {}", '{"a":"\\ud800"}'])
async def test_rubbish_instead_of_a_wish(server: Server, frame: str) -> None:
    assert (await first_event(server, frame))["event"] == "match_rejected"


async def test_a_frame_too_long_ends_the_connection(server: Server) -> None:
    async with dialled(server) as page:
        await page.send("x" * (1 << 20 | 1 << 10))
        with pytest.raises(ConnectionClosed) as closed:
            await page.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("words", ["{}", "-1 {}", "²", "1x {}", "9999999999 {}", "[]", "\0"])
async def test_words_of_no_page_of_ours_end_the_game(server: Server, words: str) -> None:
    async with dialled(server) as page:
        await page.send(json.dumps({"players": [WORKER, BUILTIN]}))
        assert json.loads(await page.recv()) == {"event": "start_worker", "number": 1, "player": 0}
        await page.send(words)
        async for _ in page:
            pass
    server.says(r".*its page has sent an invalid command")


async def test_messages_of_unknown_workers_are_ignored(server: Server) -> None:
    async with dialled(server) as page:
        await page.send(json.dumps({"players": [WORKER, BUILTIN], "timeout": 0.3}))
        await page.recv()
        # No worker has these numbers.
        for number in ("0", "2", "999999999"):
            await page.send(f'{number} {{"type":"error","reason":"not me"}}')
        await page.send('1 {"type":"error","reason":"it is me"}')
        async for _ in page:
            pass
    server.says(r"random wins: .* lost by no start \(does not play \(it is me\)\)")


async def test_concurrent_matches_are_limited(server: Server) -> None:
    wish = json.dumps({"players": [BUILTIN, BUILTIN], "pps": 1})
    pages = [await dialled(server) for _ in range(9)]
    try:
        for page in pages[:8]:
            await page.send(wish)
            assert json.loads(await page.recv())["event"] == "match_started"
        await pages[8].send(wish)
        refusal = json.loads(await pages[8].recv())
        assert "8 games are being played already" in refusal["reason"]
    finally:
        await asyncio.gather(*(page.close() for page in pages))
    server.says(*["unfinished: its page was closed"] * 8)
    # There is room again.
    assert (await first_event(server, wish))["event"] == "match_started"
    server.says("unfinished")


@pytest.mark.slow
async def test_game_leaves_no_process(tmp_path: Path) -> None:
    server = Server(tmp_path)

    def kept() -> tuple[int, int]:
        """Descriptors and threads of the server."""
        folder = Path("/proc") / str(server.process.pid)
        return len(list((folder / "fd").iterdir())), len(list((folder / "task").iterdir()))

    async def play(frames: int) -> None:
        """Leave a game after a number of frames; 0: play it to its end."""
        async with dialled(server) as page:
            await page.send(json.dumps({"players": [THINKER, THINKER], "pieces": 10}))
            async for _ in page:
                frames -= 1
                if not frames:
                    return

    try:
        # The address is printed shortly before the server listens; the first game waits for it.
        await play(0)
        await asyncio.to_thread(server.says, "")
        descriptors, _ = kept()
        await asyncio.gather(*(play(frames) for frames in (0, 1, 2, 3)))
        await asyncio.to_thread(server.says, *[""] * 4)
        await asyncio.to_thread(wait_until, lambda: kept()[0] <= descriptors and kept()[1] == 1)
    finally:
        server.kill()


def test_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = sevenbag("web", "--port", str(port))
    assert done.returncode == 2
    assert done.stderr == f"sevenbag: cannot listen at 127.0.0.1:{port}: Address already in use\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--bots", "/no/such/folder"), "invalid --bots: expected a folder, got /no/such/folder"),
        (("--host", "no.such.host.invalid", "--port", "0"), "cannot listen at no.such.host"),
        (("--port", "65536"), "expected integer from 0 to 65535, got '65536'"),
    ],
)
def test_invalid_options(words: tuple[str, ...], told: str) -> None:
    done = sevenbag("web", *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_without_the_extra() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None;"
        "from sevenbag.cli.main import main; sys.exit(main(['web']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "sevenbag: this needs the package uvicorn: pip install 'sevenbag[web]'\n"


@pytest.mark.slow
def test_a_browser_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener, seen = tmp_path / "opener", tmp_path / "seen"
    # Some return only when they are closed, which does not delay the others.
    opener.write_text(f'#!/bin/sh\necho "$1" > {seen}.new\nmv {seen}.new {seen}\nexec sleep 60\n')
    opener.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{opener} %s")
    with start("web", "--port", "0", "--open", folder=tmp_path) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        wait_until(seen.exists)
        assert seen.read_text().strip() == address
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=120) == 130
        os.killpg(server.pid, signal.SIGKILL)


async def test_ctrl_c_breaks_off_what_is_played(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        async with dialled(server) as page:
            await page.send(json.dumps({"players": [WORKER, BUILTIN], "pps": 0.2}))
            await page.recv()
            code, errors = await asyncio.to_thread(server.end)
        assert code == 130
        assert errors == ""
        assert not any(trace in errors for trace in TRACES)
    finally:
        server.kill()

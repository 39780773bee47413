"""The scheduler client of a game server, and its spool after crashes."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from sevenbag.contest import scheduler_protocol
from sevenbag.contest.credentials import is_authorized, load_or_create_secret
from sevenbag.contest.game import match_results
from sevenbag.contest.scheduler_protocol import (
    AssignedPlayer,
    GameFinished,
    GameStored,
    MatchFinished,
    MatchStored,
    ServerHello,
)
from sevenbag.contest.server import result_spool
from sevenbag.contest.server import scheduler_client as uplink_module
from sevenbag.contest.server.scheduler_client import SchedulerClient
from sevenbag.contest.settings import ContestRules, LogSettings, ServerSettings
from sevenbag.contest.telemetry import create_logger
from sevenbag.errors import FormatError, MatchRejectedError, SettingsError
from sevenbag.files import write_atomically
from tests.contest.scheduler.scripted_server import game_done, match_done
from tests.contest.server.hosted_server import until

M = TypeVar("M", bound=scheduler_protocol.ServerMessage)

PATIENCE = 120.0
TOKENS = [f"{number:08d}-0000-4000-8000-000000000000" for number in range(3)]
PLACE = scheduler_protocol.MatchAssignment(
    match_token=TOKENS[0],
    match_name="Final",
    players=(AssignedPlayer(team="a", bot="random"), AssignedPlayer(team="b", bot="random")),
    rules=ContestRules(),
)


class FakeHost:
    """Instead of a game server."""

    def __init__(self) -> None:
        self.name = "one"
        self.hosting: list[str] = []
        self.asked: list[tuple[str, ...]] = []
        self.refuses = ""
        self.dismissal = asyncio.Event()

    def create_hello(self) -> ServerHello:
        return ServerHello(
            name=self.name,
            version="1",
            command_address="127.0.0.1",
            state_address="127.0.0.1",
            internal_address="127.0.0.1",
            command_port=1,
            state_port=2,
            capacity=3,
            hosting=tuple(self.hosting),
        )

    def create_heartbeat(self) -> scheduler_protocol.Heartbeat:
        return scheduler_protocol.Heartbeat(matches=len(self.hosting), commands=7)

    def accept_match(self, place: scheduler_protocol.MatchAssignment) -> None:
        if self.refuses == "a fault":
            raise RuntimeError
        if self.refuses:
            raise MatchRejectedError(self.refuses)
        self.hosting.append(place.match_token)

    def cancel_match(self, token: str, reason: str) -> None:
        self.asked.append(("call off", token, reason))

    def release_match(self, token: str, reason: str) -> None:
        self.asked.append(("release", token, reason))

    def pause_match(self, token: str, paused: bool) -> None:
        self.asked.append(("pause", token, str(paused)))

    def dismiss(self, reason: str) -> None:
        self.asked.append(("dismissed", reason))
        self.dismissal.set()


class FakeScheduler:
    """Scripted scheduler; each connection is a new `peer`."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._server: Server | None = None
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()
        self.refused = 0
        self.port = 0

    async def begin(self) -> None:
        """Listen, at the same port as before."""
        self._server = await serve(
            self._take,
            "127.0.0.1",
            self.port,
            process_request=self._judge,
            max_size=scheduler_protocol.MAX_FRAME_BYTES,
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def end(self) -> None:
        """Disconnect."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def peer(self) -> Peer:
        """The next connection that is made."""
        async with asyncio.timeout(PATIENCE):
            return await self._peers.get()

    def _judge(self, connection: ServerConnection, request: Request) -> Response | None:
        assert request.path == scheduler_protocol.LINK_PATH
        if is_authorized(request.headers.get("Authorization", ""), self._secret):
            return None
        self.refused += 1
        return connection.respond(401, "no\n")

    async def _take(self, connection: ServerConnection) -> None:
        peer = Peer(connection)
        self._peers.put_nowait(peer)
        await connection.wait_closed()


class Peer:
    """One connection of the uplink, as the scheduler has it."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.heard: list[scheduler_protocol.ServerMessage] = []

    async def next(self, kind: type[M]) -> M:
        """Return the next message of this kind and record those before it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = scheduler_protocol.decode_server_message(await self.connection.recv())
                self.heard.append(message)
                if isinstance(message, kind):
                    return message

    async def say(self, message: scheduler_protocol.SchedulerMessage) -> None:
        await self.connection.send(scheduler_protocol.encode(message), text=True)


class Scene:
    """A fake scheduler, and uplinks to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = io.StringIO()
        self.secret = folder / "secret"
        self.scheduler = FakeScheduler(load_or_create_secret(self.secret))
        self.uplinks: list[SchedulerClient] = []

    async def uplink(self, host: FakeHost, *, patience: float = PATIENCE) -> SchedulerClient:
        """An uplink that has been started."""
        uplink = SchedulerClient(
            ServerSettings(
                scheduler=f"http://127.0.0.1:{self.scheduler.port}/",
                secret_file=str(self.secret),
                spool=str(self.folder / "spool"),
            ),
            acknowledge_timeout=patience,
            heartbeat_interval=0.05,
            logger=create_logger(LogSettings(), self.log),
        )
        self.uplinks.append(uplink)
        await uplink.start(host)
        return uplink

    def spooled(self) -> list[str]:
        """Files of games and matches in the spool."""
        return sorted(
            path.name[:8] + path.suffix
            for path in (self.folder / "spool" / "one").iterdir()
            if path.suffix in {".game", ".match"}
        )


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    scene = Scene(tmp_path)
    await scene.scheduler.begin()
    yield scene
    await scene.scheduler.end()
    for uplink in scene.uplinks:
        await uplink.stop()


async def keep(uplink: SchedulerClient, done: GameFinished | MatchFinished) -> None:
    async with asyncio.timeout(PATIENCE):
        if isinstance(done, GameFinished):
            await uplink.store_game(done.match_token, done.result, done.replay)
        else:
            await uplink.store_match(done.match_token, done.result)


@pytest.fixture
def refused_writes(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Make writes to the spool fail; return the names of the files."""
    tried: list[Path] = []

    def full(path: Path, data: bytes, *, replace: bool) -> None:
        tried.append(path)
        raise FormatError(f"{path}: cannot be written: No space left on device")

    monkeypatch.setattr(result_spool, "write_atomically", full)
    return tried


async def test_game_is_on_disk_until_it_is_acknowledged(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost())
    peer = await scene.scheduler.peer()
    hello = await peer.next(ServerHello)
    assert (hello.name, hello.capacity) == ("one", 3)
    assert hello.instance
    done = game_done(TOKENS[0], 1)
    keeping = asyncio.create_task(keep(uplink, done))
    told = await peer.next(GameFinished)
    assert (told.match_token, told.result, told.replay) == (
        done.match_token,
        done.result,
        done.replay,
    )
    assert scene.spooled() == ["00000000.game"]
    assert not keeping.done(), "it waits to be kept"
    await peer.say(GameStored(match_token=TOKENS[0], number=1))
    await keeping
    assert scene.spooled() == []
    assert uplink.unacknowledged == 0
    assert (await peer.next(scheduler_protocol.Heartbeat)).commands == 7


async def test_results_are_sent_in_order_after_a_disconnect(scene: Scene) -> None:
    await scene.scheduler.end()
    uplink = await scene.uplink(FakeHost())
    for token in (TOKENS[1], TOKENS[0]):
        await keep(uplink, game_done(token, 1))
        await keep(uplink, game_done(token, 2))
        await keep(uplink, match_done(token, (2, 0)))
    assert "cannot be reached" in uplink.problem
    assert len(scene.spooled()) == uplink.unacknowledged == 6
    await scene.scheduler.begin()
    peer = await scene.scheduler.peer()
    for token in TOKENS[:2]:
        for number in (1, 2):
            told = await peer.next(GameFinished)
            assert (told.match_token, told.result.number) == (token, number)
            await peer.say(GameStored(match_token=token, number=number))
        assert (await peer.next(MatchFinished)).match_token == token
        await peer.say(MatchStored(match_token=token))
    (hello,) = [message for message in peer.heard if isinstance(message, ServerHello)]
    assert sorted(hello.ended) == sorted(TOKENS[:2])
    assert [
        type(message)
        for message in peer.heard
        if not isinstance(message, scheduler_protocol.Heartbeat)
    ] == [ServerHello, *[GameFinished, GameFinished, MatchFinished] * 2]
    await until(lambda: not uplink.unacknowledged)
    assert scene.spooled() == []
    assert uplink.problem == ""


async def test_results_of_a_killed_server_are_sent_by_the_next(scene: Scene) -> None:
    await scene.scheduler.end()
    uplink = await scene.uplink(FakeHost())
    await keep(uplink, game_done(TOKENS[0], 1))
    await uplink.stop()  # its files stay as a kill leaves them
    (path,) = (scene.folder / "spool" / "one").glob("*.game")
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    await scene.scheduler.begin()
    again = await scene.uplink(FakeHost())
    peer = await scene.scheduler.peer()
    told = await peer.next(GameFinished)
    assert told.result == game_done(TOKENS[0], 1).result
    assert 3600 <= told.age < 3700
    await peer.say(GameStored(match_token=TOKENS[0], number=1))
    await until(lambda: not again.unacknowledged)
    assert scene.spooled() == []


async def test_silent_scheduler_is_waited_for_briefly(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost(), patience=0.05)
    peer = await scene.scheduler.peer()
    await keep(uplink, game_done(TOKENS[0], 1))
    assert uplink.unacknowledged == 1
    await peer.next(GameFinished)
    await peer.connection.close()
    again = await scene.scheduler.peer()
    assert (await again.next(GameFinished)).result.number == 1, "it is told at each connection"


async def test_disconnect_releases_waiting_matches(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost(), patience=1000)
    peer = await scene.scheduler.peer()
    keeping = asyncio.create_task(keep(uplink, game_done(TOKENS[0], 1)))
    await peer.next(GameFinished)
    peer.connection.transport.abort()
    await keeping
    again = await scene.scheduler.peer()
    hello, first = await again.next(ServerHello), peer.heard[0]
    assert isinstance(first, ServerHello)
    assert hello.instance == first.instance, "it is the same process"
    await again.next(GameFinished)


async def test_discarded_game_is_quarantined(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost())
    peer = await scene.scheduler.peer()
    keeping = asyncio.create_task(keep(uplink, game_done(TOKENS[0], 4)))
    await peer.next(GameFinished)
    await peer.say(
        scheduler_protocol.GameDiscarded(
            match_token=TOKENS[0], number=4, reason="another was first"
        )
    )
    await keeping
    assert scene.spooled() == []
    (aside,) = (scene.folder / "spool" / "one" / "refused").iterdir()
    done = scheduler_protocol.decode_server_message(aside.read_bytes())
    assert isinstance(done, GameFinished)
    assert done.result == game_done(TOKENS[0], 4).result
    assert "another was first" not in scene.log.getvalue(), "the scheduler has logged it"


async def test_broken_spool_files_do_not_block_others(scene: Scene) -> None:
    folder = scene.folder / "spool" / "one"
    folder.mkdir(parents=True)
    (folder / "0.game").write_bytes(b"\xff{")
    (folder / "00.game").write_bytes(b"")
    (folder / "000.match").write_bytes(
        scheduler_protocol.encode(scheduler_protocol.Heartbeat(matches=1, commands=1))
    )
    (folder / ".3.game.12345678.part").write_bytes(b"half")
    (folder / f"{TOKENS[1]}.000001.game").write_bytes(
        scheduler_protocol.encode(game_done(TOKENS[1], 1))
    )
    uplink = await scene.uplink(FakeHost())
    peer = await scene.scheduler.peer()
    assert (await peer.next(GameFinished)).match_token == TOKENS[1]
    assert uplink.unacknowledged == 1
    assert sorted(path.name for path in (folder / "refused").iterdir()) == [
        "0.game",
        "00.game",
        "000.match",
    ]


@pytest.mark.usefixtures("refused_writes")
async def test_unwritable_spool_loses_nothing_while_the_server_runs(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost())
    peer = await scene.scheduler.peer()
    await peer.next(ServerHello)
    keeping = asyncio.create_task(keep(uplink, game_done(TOKENS[0], 1)))
    await peer.next(GameFinished)
    assert "spool cannot be written" in uplink.problem
    await peer.say(GameStored(match_token=TOKENS[0], number=1))
    await keeping
    assert uplink.problem == ""


@pytest.mark.parametrize("done", [game_done(TOKENS[0], 1), match_done(TOKENS[0], (2, 0))])
@pytest.mark.parametrize("works_again", ["spool", "scheduler"])
async def test_match_waits_until_spool_or_scheduler_stores_the_result(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    refused_writes: list[Path],
    done: GameFinished | MatchFinished,
    works_again: str,
) -> None:
    monkeypatch.setattr(uplink_module, "_SPOOL_RETRY_SECONDS", 0.01)
    await scene.scheduler.end()
    uplink = await scene.uplink(FakeHost())
    keeping = asyncio.create_task(keep(uplink, done))
    await until(lambda: len(refused_writes) >= 3)
    assert not keeping.done()
    assert "not stored: 1" in uplink.problem
    if works_again == "spool":
        monkeypatch.setattr(result_spool, "write_atomically", write_atomically)
        await keeping
        assert len(scene.spooled()) == 1
        assert "cannot be reached" in uplink.problem
    await scene.scheduler.begin()
    peer = await scene.scheduler.peer()
    if isinstance(done, GameFinished):
        told = await peer.next(GameFinished)
        assert (told.result, told.replay) == (done.result, done.replay)
        # The message has the age of the game, for a match that has continued meanwhile.
        assert told.age > 0
        await peer.say(GameStored(match_token=TOKENS[0], number=1))
    else:
        assert (await peer.next(MatchFinished)).result == done.result
        await peer.say(MatchStored(match_token=TOKENS[0]))
    await keeping
    await until(lambda: not uplink.unacknowledged)
    assert scene.spooled() == []
    assert uplink.problem == ""


async def test_reconnect_delay_grows_if_connections_end_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site without its database accepts each connection and closes it."""
    pauses: list[float] = []

    def shortest(_low: float, high: float) -> float:
        pauses.append(high)
        return 0.0

    monkeypatch.setattr("sevenbag.contest.server.scheduler_client.random.uniform", shortest)
    await scene.uplink(FakeHost())
    for _ in range(7):
        peer = await scene.scheduler.peer()
        await peer.connection.close()
    await scene.scheduler.peer()
    assert pauses[0] <= 0.1
    assert pauses[:7] == sorted(pauses[:7])
    assert pauses[6] >= 2


async def test_scheduler_commands_reach_the_server(scene: Scene) -> None:
    host = FakeHost()
    await scene.uplink(host)
    peer = await scene.scheduler.peer()
    await peer.say(PLACE)
    assert (await peer.next(scheduler_protocol.MatchAccepted)).match_token == TOKENS[0]
    host.refuses = "no room"
    await peer.say(PLACE)
    assert (await peer.next(scheduler_protocol.MatchRejected)).reason == "no room"
    host.refuses = "a fault"
    await peer.say(PLACE)
    assert "RuntimeError" in (await peer.next(scheduler_protocol.MatchRejected)).reason
    await peer.say(scheduler_protocol.PauseMatch(match_token=TOKENS[0], paused=True))
    await peer.say(scheduler_protocol.StopMatch(match_token=TOKENS[0], reason="rain"))
    await peer.say(
        scheduler_protocol.StopMatch(
            match_token=TOKENS[0], reason="moved", continues_elsewhere=True
        )
    )
    await peer.say(scheduler_protocol.ServerDismissed(reason="another has come"))
    await host.dismissal.wait()
    assert host.asked == [
        ("pause", TOKENS[0], "True"),
        ("call off", TOKENS[0], "rain"),
        ("release", TOKENS[0], "moved"),
        ("dismissed", "another has come"),
    ]
    await asyncio.sleep(0.3)
    assert scene.scheduler._peers.empty(), "it does not come back"


async def test_games_carry_the_hash_of_their_history(scene: Scene) -> None:
    host = FakeHost()
    uplink = await scene.uplink(host, patience=0)
    peer = await scene.scheduler.peer()
    games = [game_done(TOKENS[0], number).result for number in (1, 2, 3)]
    await peer.say(msgspec.structs.replace(PLACE, finished_games=tuple(games[:1])))
    await peer.next(scheduler_protocol.MatchAccepted)
    for number in (2, 3):
        await keep(uplink, game_done(TOKENS[0], number))
        assert (await peer.next(GameFinished)).history == match_results.hash_history(
            games[: number - 1]
        )
    await peer.say(scheduler_protocol.StopMatch(match_token=TOKENS[0], reason="moved"))
    await peer.say(scheduler_protocol.PauseMatch(match_token=TOKENS[0], paused=True))
    await until(lambda: len(host.asked) == 2)
    await keep(uplink, game_done(TOKENS[0], 4))
    assert (await peer.next(GameFinished)).history not in {"", match_results.hash_history(games)}


async def test_joined_teams_and_started_games_are_reported(scene: Scene) -> None:
    uplink = await scene.uplink(FakeHost())
    uplink.report_joined(TOKENS[0], 0)  # nobody to be told
    peer = await scene.scheduler.peer()
    await peer.next(ServerHello)
    uplink.report_joined(TOKENS[0], 1)
    uplink.report_game_started(TOKENS[0], 1, "Game 1")
    uplink.report_lost(TOKENS[0], "a fault")
    assert (await peer.next(scheduler_protocol.TeamJoined)).player == 1
    assert (await peer.next(scheduler_protocol.GameStarted)).game_name == "Game 1"
    assert (await peer.next(scheduler_protocol.MatchRejected)).reason == "a fault"


async def test_shutdown_returns_unfinished_matches(scene: Scene) -> None:
    host = FakeHost()
    host.hosting = TOKENS[1:]
    uplink = await scene.uplink(host, patience=0)
    peer = await scene.scheduler.peer()
    await keep(uplink, game_done(TOKENS[0], 1))
    stopping = asyncio.create_task(uplink.stop())
    await peer.next(GameFinished)
    assert [
        (await peer.next(scheduler_protocol.MatchRejected)).match_token for _ in range(2)
    ] == TOKENS[1:]
    await peer.say(GameStored(match_token=TOKENS[0], number=1))
    async with asyncio.timeout(PATIENCE):
        await stopping
    assert scene.spooled() == []
    await peer.connection.wait_closed()


async def test_a_scheduler_that_cannot_be_understood_is_left_and_tried_again(scene: Scene) -> None:
    await scene.uplink(FakeHost())
    frames: list[str | bytes] = [
        "{",
        '{"type": "dance"}',
        b"\xff\xff",
        "x" * (scheduler_protocol.MAX_FRAME_BYTES + 1),
    ]
    for frame in frames:
        peer = await scene.scheduler.peer()
        await peer.next(ServerHello)
        with contextlib.suppress(ConnectionClosed):
            await peer.connection.send(frame)
        await peer.connection.wait_closed()
    await (await scene.scheduler.peer()).next(ServerHello)


async def test_wrong_secret_is_reported_and_retried(scene: Scene) -> None:
    right = scene.secret.read_text()
    scene.secret.write_text("another-secret-of-others")
    uplink = await scene.uplink(FakeHost())
    await until(lambda: scene.scheduler.refused >= 2)
    assert "does not have the secret of the site" in uplink.problem
    assert "another-secret" not in uplink.problem
    scene.secret.write_text(right)


async def test_two_servers_do_not_share_a_spool(scene: Scene) -> None:
    await scene.uplink(FakeHost())
    with pytest.raises(SettingsError, match="in use by another game server"):
        await scene.uplink(FakeHost())
    other = FakeHost()
    other.name = "one/../two"
    await scene.uplink(other)
    for _ in range(2):
        await scene.scheduler.peer()
    assert {path.parent for path in (scene.folder / "spool").iterdir()} == {scene.folder / "spool"}


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://127.0.0.1", "http://"])
def test_invalid_site_is_rejected(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"server\.scheduler: expected the URL of a site"):
        SchedulerClient(ServerSettings(scheduler=url, secret_file=str(tmp_path / "secret")))


def test_a_secret_is_needed(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"invalid server\.secret_file"):
        SchedulerClient(ServerSettings(scheduler="http://127.0.0.1:1"))
    with pytest.raises(SettingsError, match="cannot be read"):
        SchedulerClient(
            ServerSettings(scheduler="http://127.0.0.1:1", secret_file=str(tmp_path / "none"))
        )

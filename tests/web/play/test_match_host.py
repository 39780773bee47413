"""Tests of a game with a page, without a network."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from sevenbag import Rules
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import ReplayRecorder
from sevenbag.bots.builtin.random_bot import RandomBot
from sevenbag.formats.replay_file import Replay
from sevenbag.web.core.http_server import SocketClosedError, TextSocket
from sevenbag.web.play.match_host import MatchHost, ReplayCache
from sevenbag.web.play.page_connection import PageConnection, StartWorkerEvent

BUILTIN = {"kind": "builtin", "spec": "random:seed=1"}
WORKER = {"kind": "worker", "script": "bot.js"}


class FakePage(TextSocket):
    """A page whose socket is two queues.

    Attributes:
        heard: what it was told, words to workers left out.

    Args:
        setup: what it asks for.
        reads: whether it takes what it is told.
        worker: what its worker says as soon as it runs.
    """

    def __init__(
        self, setup: dict[str, Any], *, reads: bool = True, worker: Sequence[str] = ()
    ) -> None:
        self.heard: list[dict[str, Any]] = []
        self._reads = reads
        self._worker = worker
        self._said: asyncio.Queue[str | None] = asyncio.Queue()
        self.say(json.dumps(setup))

    def say(self, frame: str) -> None:
        self._said.put_nowait(frame)

    def leave(self) -> None:
        self._said.put_nowait(None)

    async def receive(self) -> str:
        frame = await self._said.get()
        if frame is None:
            raise SocketClosedError
        return frame

    async def send(self, text: str) -> None:
        if not self._reads:
            await asyncio.Event().wait()
        if text[0] == "{":
            event = json.loads(text)
            self.heard.append(event)
            if event["event"] == "start_worker":
                for words in self._worker:
                    self.say(f"{event['number']} {words}")

    def events(self) -> list[str]:
        return [each["event"] for each in self.heard]


async def play(page: FakePage, **options: Any) -> list[str]:
    """Assert that nothing of the game remains, and return the server's report."""
    lines: list[str] = []
    before = asyncio.all_tasks()
    await MatchHost(ReplayCache(), lines.append, **options).serve(page)
    assert asyncio.all_tasks() == before
    return lines


async def test_events_of_a_game() -> None:
    page = FakePage({"players": [BUILTIN, BUILTIN], "seed": 5, "pieces": 10})
    lines = await play(page)
    events = page.events()
    assert events[0] == "match_started"
    assert events[-1] == "match_finished"
    assert set(events[1:-1]) <= {"match_state"}
    over = page.heard[-1]
    assert [over["summary"]] == lines
    assert over["file_name"] == "match-5.replay"
    for side in over["players"]:
        assert dict(side["statistics"])["pieces"] == "10"
        assert len(side["rows"]) == 20
        assert all(len(row) == 10 for row in side["rows"])


async def test_no_picture_follows_the_last_event() -> None:
    page = FakePage({})
    connection = PageConnection(page)
    connection.schedule_update(lambda: StartWorkerEvent(1, 0))
    connection.send_final_event(StartWorkerEvent(2, 0))
    await page.receive()
    running = asyncio.create_task(connection.run())
    await connection.flush(120)
    page.leave()
    await running
    assert [event["number"] for event in page.heard] == [2]


async def test_a_page_that_leaves_is_not_played_for() -> None:
    page = FakePage({"players": [BUILTIN, BUILTIN], "pps": 1})
    asyncio.get_running_loop().call_later(0.1, page.leave)
    (line,) = await play(page)
    assert line.startswith("unfinished: its page was closed")


async def test_a_game_that_takes_too_long() -> None:
    page = FakePage({"players": [BUILTIN, BUILTIN], "pps": 1})
    (line,) = await play(page, max_seconds=0.1)
    assert line.startswith("unfinished: the time limit of 0.1 s is reached")


async def test_a_worker_that_never_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sevenbag.web.play.match_host._LOAD_TIMEOUT", 0.1)
    page = FakePage({"players": [WORKER, BUILTIN], "timeout": 0.1})
    (line,) = await play(page)
    assert line.startswith("random wins: worker (tbp) lost by timeout (no info within 0.1 s")
    assert [each for each in page.events() if each != "match_state"] == [
        *("start_worker", "stop_worker", "match_started", "match_finished")
    ]


async def test_worker_that_sends_too_much() -> None:
    page = FakePage({"players": [WORKER, BUILTIN]}, worker=['{"type":"chatter"}'] * 3000)
    (line,) = await play(page)
    assert "lost by rubbish" in line


async def test_page_that_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sevenbag.web.play.match_host._FLUSH_TIMEOUT", 0.1)
    page = FakePage({"players": [BUILTIN, BUILTIN], "pieces": 5}, reads=False)
    (line,) = await play(page)
    assert line.endswith("(5 pieces)")


@pytest.mark.parametrize("seconds", [0.1, 5, 60])
async def test_worker_timeout_is_below_the_arena_deadlines(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[GameConfig] = []

    async def nothing_is_played(_: object, config: GameConfig, *__: object) -> None:
        kept.append(config)

    monkeypatch.setattr("sevenbag.web.play.match_host.play_game", nothing_is_played)
    await play(FakePage({"players": [WORKER, BUILTIN], "timeout": seconds}))
    (config,) = kept
    # The arena's own deadlines are for those who have got stuck.
    assert config.deadlines.suggest > seconds
    assert config.deadlines.prepare > seconds


async def test_last_replays_are_kept() -> None:
    replays: list[Replay] = []
    for seed in range(4):
        recorder = ReplayRecorder()
        config = GameConfig(Rules.preset("guideline"), seed, pieces=2)
        await play_game((RandomBot(1), RandomBot(2)), config, (recorder,))
        assert recorder.replay is not None
        replays.append(recorder.replay)
    cache = ReplayCache(max_replays=2)
    tokens = [cache.add(replay) for replay in replays]
    assert len(set(tokens)) == 4
    last = [replay.encode() for replay in replays[2:]]
    assert [cache.get(token) for token in tokens] == [None, None, *last]
    # However large the last one is, it is kept.
    tight = ReplayCache(max_bytes=1)
    tokens = [tight.add(replay) for replay in replays]
    assert [tight.get(token) is not None for token in tokens] == [False, False, False, True]
    assert tight.get("nothing") is None

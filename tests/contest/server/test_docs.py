"""Tests of the page about the game server."""

import asyncio
import re
from pathlib import Path

import pytest

from sevenbag.contest import telemetry
from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.server import authentication, hosted_match, zmq_channels
from sevenbag.contest.server.game_server import GameServer
from sevenbag.contest.settings import LogSettings, ServerSettings, TestClientSettings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "game-server.md").read_text("utf-8")
SOURCES = ROOT / "src" / "sevenbag" / "contest" / "server"


async def test_every_metric_is_on_the_page_and_no_other() -> None:
    server = GameServer(
        ServerSettings(command_port=0, state_port=0),
        test_client=TestClientSettings(),
        log=LogSettings(),
    )
    async with server:
        figures = server.metrics
        figures.moves["done"] = figures.rejected["malformed message"] = 1
        families = list(server._read_metrics())
    samples = {
        sample.name.removeprefix("sevenbag_contest_")
        for family in families
        for sample in family.samples
    }
    section = PAGE.partition("## Metrics")[2].partition("\n## ")[0]
    told = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"(?m)^\|[^|]*\|", section))))
    assert told == samples
    assert all(f"`{verdict}`" in section for verdict in MoveOutcome)


def test_every_event_of_the_log_is_on_the_page() -> None:
    page = " ".join(PAGE.split())
    pattern = re.compile(r'(?:logger\.(?:info|warning|error)|\.log)\(\s*"([^"]+)"')
    events: set[str] = set()
    for source in SOURCES.glob("*.py"):
        if source.name not in {"scheduler_client.py", "result_spool.py", "telemetry.py"}:
            events |= set(pattern.findall(source.read_text("utf-8")))
    assert {"match.accepted", "move.received", "command.rejected", "match.failed"} <= events
    ends = {"server.stopping", "server.stopped"}
    assert not {event for event in events - ends if f"`{event}`" not in page}


def test_the_bounds_are_those_of_the_server() -> None:
    rows = dict(re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \|", PAGE))
    settings = ServerSettings()
    expected = {
        "size of a command": f"{settings.max_command_bytes >> 10} KiB",
        "size of a frame": f"{zmq_channels._MAX_FRAME_BYTES >> 20} MiB",
        "unread commands of a connection": f"{zmq_channels._WAITING}",
        "unread answers of a client": f"{zmq_channels._UNREAD:,}",
        "unread state messages of a subscriber": f"{settings.state_backlog:,}",
        "concurrent password checks of a team": f"{authentication._MAX_WAITING}",
        "wrong passwords of a team": f"{authentication._FREE}",
        "wrong passwords from one address": f"{authentication._GUESSES:,}",
        "matches": f"{settings.capacity}",
        "unwritten log lines": f"{telemetry.MAX_WAITING_LINES:,}",
        "log lines about a team's moves": f"{telemetry.MAX_MOVE_LINES} a second",
    }
    for what, bound in expected.items():
        assert bound in rows[what], what
    assert "one a minute" in rows["log lines about refused commands"]
    assert telemetry.REJECTION_PERIOD == 60
    assert hosted_match._REPEAT_END == 5


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "docs/game-server.md", "exec"), {})  # our own page
    said = capsys.readouterr().out.strip()
    assert f"# {said}" in code
    assert asyncio.iscoroutinefunction(GameServer.run)

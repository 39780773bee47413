"""A match of two bots on a real game server, in a browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sevenbag.contest.client.connection import parse_server_address
from sevenbag.contest.client.contest_client import JoinOptions, play_match
from sevenbag.contest.server.game_server import GameServer
from sevenbag.contest.server.scheduler_client import SchedulerClient
from sevenbag.contest.settings import (
    ContestSettings,
    GameRules,
    LogSettings,
    MatchRules,
    ServerSettings,
    TestClientSettings,
)
from tests.browser import Page
from tests.web.contest.conftest import Running
from tests.web.contest.visitor import PASSWORD

pytestmark = pytest.mark.browser

QUICK = ContestSettings(
    game=GameRules(gravity_ms=(15,)),
    test_match=MatchRules(
        games=1, game_seconds=6, first_pause_seconds=0.3, pause_seconds=0.05, linger_seconds=0.5
    ),
)

WATCH = """() => {
    window.seen = new Set();
    const look = () => {
        for (const canvas of document.querySelectorAll("canvas.board")) {
            const pen = canvas.getContext("2d");
            const { data } = pen.getImageData(0, canvas.height - 4, canvas.width, 1);
            for (let i = 0; i < data.length; i += 4) {
                window.seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
            }
        }
        requestAnimationFrame(look);
    };
    look();
}"""
"""Collects the colours that are ever seen in the lowest row of either board."""


def test_two_bots_play(
    make_site: Callable[..., Running], new_page: Callable[..., Page], tmp_path: Path
) -> None:
    site = make_site(QUICK)
    site.add_team("Alpha")
    settings = ServerSettings(
        command_port=0,
        state_port=0,
        scheduler=site.address.rstrip("/"),
        secret_file=site.settings.site.secret_file,
        spool=str(tmp_path / "spool"),
    )

    async def started() -> GameServer:
        server = GameServer(
            settings,
            test_client=TestClientSettings(moves_per_second=20),
            log=LogSettings(moves="none"),
            result_sink=SchedulerClient(settings),
        )
        await server.start()
        return server

    server = site.run(started())
    try:
        made = site.run(site.scheduler.create_test_match("Alpha", wait_seconds=20))
        page = new_page()
        page.goto(f"{site.address}matches/{made.match_id}")
        page.locator("#connection", has_text="Waiting for the teams").wait_for()
        page.evaluate(WATCH)
        address = parse_server_address(
            f"pason://127.0.0.1:{made.address.command_port},{made.address.state_port}"
        )
        manner = JoinOptions("Alpha", PASSWORD, "random", moves_per_second=40)
        played = site.run(play_match(address, made.token, manner, lambda _: None))
        page.locator("#connection", has_text=re.compile("The match is over")).wait_for()
        page.get_by_role("link", name="Watch game 1").wait_for()
        (game,) = site.store.matches.list_games(made.match_id)
        assert played.result.end_heard
        shown = [page.inner_text(f"[data-statistic=score][data-seat='{seat}']") for seat in (0, 1)]
        assert shown == [f"{score:,}" for score in game.result.scores]
        # Locked pieces have their colours, and each is known.
        seen = set(page.evaluate("() => [...window.seen]"))
        assert len(seen) > 4
        assert 0x66708A not in seen
    finally:
        site.run(server.stop("abort"))

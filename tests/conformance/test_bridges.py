"""Each kind of bot plays 200 pieces on each kind of host without a misdrop.

Two of the hosts are strangers in plain Python, which know nothing of us but the protocol; so where
bot and host speak different ones, whole games pass through a bridge of ours.
"""

import asyncio
import itertools
import sys
from collections.abc import Callable

import pytest

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.registry import create_bot
from sevenbag.game import Rules
from sevenbag.game.game_result import GameEnding
from tests.fakes.frontends import Frontend
from tests.fakes.triangle_host import Host, Room

PIECES = 200
SERVE = [sys.executable, "-P", "-m", "sevenbag", "serve"]

BOTS = {
    "beam": "beam:nodes=800",
    "pc": "pc:nodes=800",
    "TBP process": "tbp:sevenbag serve beam:nodes=800 --as tbp",
    "Triangle process": "triangle:sevenbag serve beam:nodes=800 --as triangle",
}


def on_arena(spec: str) -> None:
    """Play a match in the arena, which plays legal moves only and counts misdrops of drivers."""
    rules = Rules.preset("tetrio-league").replace({"attack": {"multiplier": 0.3}})
    bots = create_bot(spec), create_bot(BOTS["beam"])
    result = asyncio.run(play_game(bots, GameConfig(rules=rules, seed=5, pieces=PIECES)))
    assert result.ending is GameEnding.PIECES, result
    assert [stats.pieces for stats in result.stats] == [PIECES, PIECES]
    assert getattr(bots[0], "misdrops", 0) == 0


def on_tbp_frontend(spec: str) -> None:
    """Play games with garbage; the frontend fails at an illegal move."""
    frontend = Frontend([*SERVE, spec, "--as", "tbp"])
    try:
        frontend.agree()
        while frontend.pieces < PIECES:
            frontend.game(PIECES - frontend.pieces)
        assert frontend.leave() == 0
    finally:
        frontend.kill()


def on_triangle_host(spec: str) -> None:
    """Play with frames, gravity and garbage; compare each board with the bot's."""
    with Host([*SERVE, spec, "--as", "triangle"], Room(), seed=5) as host:
        played = host.play(PIECES, 7.5, lambda number: 2 * (number % 12 == 0))
    assert len(played) == PIECES
    assert sum(lock.entered for lock, _ in played) > 5
    for number, (lock, move) in enumerate(played):
        assert move["data"]["board"] == lock.board, f"piece {number}: {move['keys']}"


HOSTS: dict[str, Callable[[str], None]] = {
    "arena": on_arena,
    "TBP frontend": on_tbp_frontend,
    "Triangle host": on_triangle_host,
}
QUICK = (("TBP process", "arena"), ("beam", "TBP frontend"), ("TBP process", "Triangle host"))


@pytest.mark.parametrize(
    ("bot", "host"),
    [
        pytest.param(bot, host, marks=[] if (bot, host) in QUICK else pytest.mark.slow)
        for bot, host in itertools.product(BOTS, HOSTS)
    ],
)
def test_no_misdrop(bot: str, host: str) -> None:
    HOSTS[host](BOTS[bot])

"""Tests of the bot in examples/, which may lose but never by a fault."""

import sys
from pathlib import Path

import pytest

from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.bots.bot import Limits, Position
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.bots.registry import create_bot
from sevenbag.game import Game, Rules
from tests.bots.conftest import slow
from tests.bots.games import prepared

EXAMPLE = [sys.executable, str(Path(__file__).parents[3] / "examples" / "tbp_bot.py")]

RULES = Rules.preset("guideline")


@pytest.mark.parametrize("other", ["random:seed=1", "beam:nodes=50"])
@pytest.mark.parametrize("seed", [0, *slow(1, 2)])
async def test_example_bot_never_loses_by_a_fault(seed: int, other: str, mark: str) -> None:
    conditions = GameConfig(RULES, seed, pieces=150)
    result = await play_game((TbpDriver(EXAMPLE), create_bot(other)), conditions)
    assert result.names[0] == "stacker (tbp)"
    fall = result.losses[0]
    assert fall is None or not fall.reason.is_fault
    assert result.stats[0].pieces > 15


async def test_blocked_spawn_is_not_a_resignation(mark: str) -> None:
    position = Game(seed=1).position()
    board = position.board
    for y in range(20):
        for x in range(3, 7):
            board[x, y] = True
    async with prepared(TbpDriver(EXAMPLE)) as bot:
        await bot.start(Position(board, position.queue))
        assert (await bot.suggest(Limits())).moves

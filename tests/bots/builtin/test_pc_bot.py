"""Tests of the perfect clear bot."""

import asyncio
import json

import pytest

from sevenbag import Board
from sevenbag._kernel import Piece
from sevenbag.bots.bot import Limits, Position
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.bots.builtin.pc_bot import PcBot
from sevenbag.errors import BotStartError
from sevenbag.game import Game, Rules
from sevenbag.game.position import apply_placement
from tests.bots.games import GUIDELINE, parse_pieces, play_suggestions, prepared, suggest
from tests.cli.run import sevenbag


@pytest.mark.parametrize("preset", ["guideline", "tetrio-league", "jstris", "ppt"])
async def test_many_perfect_clears_from_an_empty_board(preset: str) -> None:
    game = await play_suggestions(PcBot(), Rules.preset(preset), 1, 100)
    assert game.stats.pieces == 100
    # Ten would be all there can be of four rows.
    assert game.stats.perfect_clears >= 6


@pytest.mark.parametrize("seed", [1, 2])
async def test_garbage_does_not_end_the_search(seed: int) -> None:
    game = await play_suggestions(PcBot(nodes=3000), GUIDELINE, seed, 60, garbage_every=9)
    assert not game.over
    assert game.stats.pieces == 60


async def test_without_hold() -> None:
    rules = GUIDELINE.replace({"pieces": {"hold": False}})
    game = await play_suggestions(PcBot(), rules, 3, 60)
    assert game.stats.pieces == 60
    assert game.stats.perfect_clears >= 1


async def test_nodes_decide_alone() -> None:
    one, other = [await play_suggestions(PcBot(nodes=2000), GUIDELINE, 5, 40) for _ in range(2)]
    assert one.board == other.board
    assert one.stats == other.stats


@pytest.mark.parametrize("nodes", [100, 200, 500, 1000])
async def test_the_node_limit_holds_within_the_documented_bound(nodes: int) -> None:
    game = Game(GUIDELINE, seed=nodes)
    async with prepared(PcBot(nodes=nodes)) as bot:
        for _ in range(100):
            await bot.start(game.position())
            found = await bot.suggest(Limits())
            assert found.info.nodes is not None
            assert found.info.nodes <= nodes + 256
            game.play(found.moves[0])
            if game.over:
                break


async def test_a_perfect_clear_in_sight_is_played_to_its_end() -> None:
    board = Board.from_text("XXXXX....X\nXXXXXX...X\nXXXXXXX..X\nXXXXXX...X")
    position = Position(board, parse_pieces("IZLOT"))
    async with prepared(PcBot(), position=position) as bot:
        for left in (3, 2, 1):
            found = await bot.suggest(Limits())
            assert found.info.depth == left
            await bot.play(found.moves[0])
            await bot.start(position := apply_placement(position, found.moves[0], GUIDELINE))
    assert position.board.is_empty


async def test_without_a_perfect_clear_it_plays_as_beam() -> None:
    board = Board.from_text("X.X.X.X.X.\n.X.X.X.X.X\nX.X.X.X.X.\n" * 3)
    position = Position(board, parse_pieces("LSTIZJO"))
    found = await suggest(PcBot(nodes=4000), position)
    assert found.moves == (await suggest(BeamBot(nodes=2000), position)).moves


async def test_narrow_boards_are_played_as_beam() -> None:
    rules = GUIDELINE.replace({"board": {"width": 8}, "spawn": {"x": 3}})
    position = Game(rules, seed=1).position()
    found = await suggest(PcBot(nodes=2000), position, rules)
    assert found.moves == (await suggest(BeamBot(nodes=2000), position, rules)).moves


@pytest.mark.parametrize("height", [15, 16, 17, 18, 19, 20, 21, 24, 30])
async def test_high_boards_are_played_as_beam(height: int) -> None:
    # Up to row 14 a column is open, above there is a tower beside the place where pieces appear.
    rows = ["XX........"] * (height - 14) + ["XXXXXXXXX."] * 14
    position = Position(Board.from_text("\n".join(rows)), parse_pieces("IOTLJSZ"))
    found = await suggest(PcBot(nodes=600), position)
    assert found.moves
    if height > 20:
        assert found.moves == (await suggest(BeamBot(nodes=300), position)).moves


async def test_lower_ones_can_be_left_out() -> None:
    position = Position(Board(), parse_pieces("IJLOOIO"), hold=Piece.I)
    two = await suggest(PcBot(), position)
    assert "2 rows" in (two.info.extra or "")
    four = await suggest(PcBot(min_height=4), position)
    assert "2 rows" not in (four.info.extra or "")


async def test_time_limit_of_pc_bot_is_observed() -> None:
    position = Position(Board(), parse_pieces("LSTIZJ"), bag=parse_pieces("O"))
    assert (await suggest(PcBot(milliseconds=30), position)).moves


async def test_a_search_can_be_called_off() -> None:
    board = Board.from_text("X.X.X.X.X.\n.X.X.X.X.X\nX.X.X.X.X.\n" * 3)
    position = Position(board, parse_pieces("LSTIZJO"))
    async with prepared(PcBot(nodes=10**9), position=position) as bot:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(bot.suggest(Limits()), 0.1)
        await bot.stop()
        with pytest.raises(BotStartError):
            await bot.suggest(Limits())
    await bot.quit()


def test_pc_bot_plays_a_match() -> None:
    done = sevenbag(
        *["play", "pc:min-height=4", "beam:nodes=500", "--pieces", "40", "--seed", "3"],
        *["--json", "--no-replay"],
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert "pc" in json.dumps(result)
    assert "forfeit" not in done.stdout


def test_pc_bot_plays_over_tbp() -> None:
    done = sevenbag(
        *["play", "tbp:sevenbag serve pc:nodes=2000 --as tbp", "random:seed=1", "--pieces", "15"],
        *["--seed", "3", "--json", "--no-replay"],
    )
    assert done.returncode == 0, done.stderr
    assert "forfeit" not in done.stdout

"""Tests of the perfect clear bot."""

import asyncio
import dataclasses
import json

import pytest

from sevenbag import Board
from sevenbag._kernel import Piece
from sevenbag.bots.bot import Limits, Position, Suggestion
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.bots.builtin.pc_bot import PcBot
from sevenbag.bots.registry import create_bot
from sevenbag.errors import BotStartError, SpecError
from sevenbag.game import Game, Rules
from sevenbag.game.position import apply_placement
from tests.cli.run import sevenbag

GUIDELINE = Rules.preset("guideline")


def pieces(letters: str) -> tuple[Piece, ...]:
    return tuple(Piece[letter] for letter in letters)


async def suggestion(
    bot: PcBot | BeamBot, position: Position, rules: Rules = GUIDELINE, limits: Limits | None = None
) -> Suggestion:
    await bot.prepare(rules)
    await bot.start(position)
    try:
        return await bot.suggest(limits or Limits())
    finally:
        await bot.quit()


async def played(
    bot: PcBot, rules: Rules, seed: int, count: int = 100, every: int = 0
) -> tuple[int, Game]:
    """Count perfect clears; with `every`, receive two lines of garbage at that interval."""
    game = Game(rules, seed=seed)
    await bot.prepare(rules)
    await bot.start(game.position())
    clears = 0
    while not game.over and game.stats.pieces < count:
        found = await bot.suggest(Limits())
        assert all(game.is_legal(move) for move in found.moves)
        lock = game.play(found.moves[0])
        # The lock has the suggested cells, and the spin by the game's rules.
        assert lock.placement == found.moves[0]
        clears += game.board.is_empty
        if every and game.stats.pieces % every == 0:
            game.receive_garbage(2)
        await bot.play(lock.placement)
        await bot.start(game.position())
    await bot.quit()
    return clears, game


@pytest.mark.parametrize("preset", ["guideline", "tetrio-league", "jstris", "ppt"])
async def test_many_perfect_clears_from_an_empty_board(preset: str) -> None:
    clears, game = await played(PcBot(), Rules.preset(preset), seed=1)
    assert game.stats.pieces == 100
    # Ten would be all there can be of four rows.
    assert clears >= 6


async def test_garbage_does_not_end_the_search() -> None:
    for seed in (1, 2):
        clears, game = await played(PcBot(nodes=3000), GUIDELINE, seed, 60, every=9)
        assert not game.over
        assert game.stats.pieces == 60
        assert clears >= 0


async def test_without_hold() -> None:
    rules = GUIDELINE.replace({"pieces": {"hold": False}})
    clears, game = await played(PcBot(), rules, seed=3, count=60)
    assert game.stats.pieces == 60
    assert clears >= 1


async def test_nodes_decide_alone() -> None:
    games = [await played(PcBot(nodes=2000), GUIDELINE, 5, 40) for _ in range(2)]
    assert games[0][1].board == games[1][1].board
    assert games[0][1].stats == games[1][1].stats


@pytest.mark.parametrize("nodes", [100, 200, 500, 1000])
async def test_the_node_limit_holds_within_the_documented_bound(nodes: int) -> None:
    rules = Rules.preset("guideline")
    bot = PcBot(nodes=nodes)
    await bot.prepare(rules)
    game = Game(rules, seed=nodes)
    for _ in range(100):
        await bot.start(game.position())
        found = await bot.suggest(Limits())
        assert found.info.nodes is not None
        assert found.info.nodes <= nodes + 256
        game.play(found.moves[0])
        if game.over:
            break
    await bot.quit()


async def test_a_perfect_clear_in_sight_is_played_to_its_end() -> None:
    board = Board.from_text("XXXXX....X\nXXXXXX...X\nXXXXXXX..X\nXXXXXX...X")
    game = Game(GUIDELINE, seed=1)
    position = dataclasses.replace(
        game.position(), board=board.copy(), queue=pieces("IZLOT"), bag=None
    )
    bot = PcBot()
    await bot.prepare(GUIDELINE)
    await bot.start(position)
    for left in (3, 2, 1):
        found = await bot.suggest(Limits())
        assert found.info.depth == left
        board.lock(found.moves[0])
        await bot.play(found.moves[0])
        await bot.start(position := apply_placement(position, found.moves[0], GUIDELINE))
    assert board.is_empty
    await bot.quit()


async def test_without_a_perfect_clear_it_plays_as_beam() -> None:
    board = Board.from_text("X.X.X.X.X.\n.X.X.X.X.X\nX.X.X.X.X.\n" * 3)
    position = Position(board, pieces("LSTIZJO"))
    found = await suggestion(PcBot(nodes=4000), position)
    assert found.moves == (await suggestion(BeamBot(nodes=2000), position)).moves


async def test_narrow_boards_are_played_as_beam() -> None:
    rules = GUIDELINE.replace({"board": {"width": 8}, "spawn": {"x": 3}})
    position = Game(rules, seed=1).position()
    found = await suggestion(PcBot(nodes=2000), position, rules)
    assert found.moves == (await suggestion(BeamBot(nodes=2000), position, rules)).moves


@pytest.mark.parametrize("height", [15, 16, 17, 18, 19, 20, 21, 24, 30])
async def test_high_boards_are_played_as_beam(height: int) -> None:
    # Up to row 14 a column is open, above there is a tower beside the place where pieces appear.
    rows = ["XX........"] * (height - 14) + ["XXXXXXXXX."] * 14
    position = Position(Board.from_text("\n".join(rows)), pieces("IOTLJSZ"))
    found = await suggestion(PcBot(nodes=600), position)
    assert found.moves
    if height > 20:
        assert found.moves == (await suggestion(BeamBot(nodes=300), position)).moves


async def test_lower_ones_can_be_left_out() -> None:
    position = Position(Board(), pieces("IJLOOIO"), hold=Piece.I)
    two = await suggestion(PcBot(), position)
    assert "2 rows" in (two.info.extra or "")
    four = await suggestion(PcBot(min_height=4), position)
    assert "2 rows" not in (four.info.extra or "")


async def test_time_limit_of_pc_bot_is_observed() -> None:
    position = Position(Board(), pieces("LSTIZJ"), bag=pieces("O"))
    bot = PcBot(milliseconds=30)
    await bot.prepare(GUIDELINE)
    await bot.start(position)
    assert (await bot.suggest(Limits())).moves
    await bot.quit()


async def test_a_search_can_be_called_off() -> None:
    bot = PcBot(nodes=10**9)
    await bot.prepare(GUIDELINE)
    board = Board.from_text("X.X.X.X.X.\n.X.X.X.X.X\nX.X.X.X.X.\n" * 3)
    await bot.start(Position(board, pieces("LSTIZJO")))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(bot.suggest(Limits()), 0.1)
    await bot.stop()
    with pytest.raises(BotStartError):
        await bot.suggest(Limits())
    await bot.quit()
    await bot.quit()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pc:min-height=21", "invalid min-height: expected integer from 1 to 20, got 21"),
        ("pc:min-height=0", "integer from 1"),
        ("pc:width=3", "bot pc: unknown option 'width'"),
        ("pc:nodes=x", "expected integer"),
    ],
)
def test_specifications_that_are_wrong(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        create_bot(spec)


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
